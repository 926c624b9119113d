"""The board: pits, rows and the ring, as plain numbers."""

from __future__ import annotations

from collections.abc import Iterable

from relaysow._support.checks import shown, whole_numbers
from relaysow._support.reloading import once
from relaysow.moves import PositionError
from relaysow.options import MAX_SEEDS

once(__name__)


Pits = tuple[int, ...]


def owner(pit: int, n: int) -> int:
    """Whose pit it is: South (0) owns 0…n−1, North (1) n…2n−1."""
    return pit // n


def row(player: int, n: int) -> range:
    """A player's own pits, from that player's left to right."""
    return range(player * n, player * n + n)


def opposite(pit: int, n: int) -> int:
    """The pit facing this one across the board: `opposite(i) = 2n−1−i`.

    The source texts contradict themselves here (their numbering and their drawing cannot both hold
    on a physical board).  Their own fact decides: on 2×10 with nine seeds a pit the opening player
    can capture ten at once, which holds with these opposites and with no others.
    """
    return 2 * n - 1 - pit


def next_pit(pit: int, direction: str, n: int) -> int:
    """The neighbour on the ring; counter-clockwise is the way of rising index."""
    return (pit + (1 if direction == "ccw" else -1)) % (2 * n)


def reverse(direction: str) -> str:
    """The other way round the ring."""
    return "cw" if direction == "ccw" else "ccw"


def counts(name: str, values: Iterable[int], length: int, what: str) -> tuple[int, ...]:
    """Counts of seeds, checked."""
    counts = whole_numbers(name, values, PositionError)
    if len(counts) != length:
        raise PositionError(f"{name} has {len(counts)} counts: must be {length}{what}")
    for i, count in enumerate(counts):
        if not 0 <= count <= MAX_SEEDS:
            raise PositionError(f"{name}[{i}]={shown(count)}: must be 0…{MAX_SEEDS} seeds")
    return counts


def occupied(pits: Pits) -> list[int]:
    return [pit for pit, seeds in enumerate(pits) if seeds > 0]
