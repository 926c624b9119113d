"""Moves: the candidates, those that are legal, and the opening redistributions, numbered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb

from relaysow._support.checks import shown
from relaysow._support.reloading import once
from relaysow.moves import Redistribute, Sow
from relaysow.reference.board import Pits, row
from relaysow.reference.sowing import Lift, sow_laps
from relaysow.rules import Rules

once(__name__)


def candidates(
    rules: Rules, mover: int, pits: Pits, direction: str | None, barred: int | None
) -> Iterator[Sow]:
    """The candidate sowings in canonical order.

    "Own pits by rising ring index holding at least `minimum_lift`, for each the lifts by rising
    number, for each counter-clockwise before clockwise; less what a duty forbids": `direction` is
    the only direction, and `barred` the pit, that a duty leaves or takes away.
    """
    for pit in row(mover, rules.pits):
        if pits[pit] < rules.minimum_lift or pit == barred:
            continue
        lifts = range(1, pits[pit] + 1) if rules.lift == "any" else [None]
        for lift in lifts:
            if rules.direction == "ccw":
                yield Sow(pit, lift)
            else:
                for way in ("ccw", "cw"):
                    if direction in (None, way):
                        yield Sow(pit, lift, way)


def first_lift(pits: Pits, move: Sow) -> Lift:
    """The lift with which a sowing begins."""
    seeds = pits[move.pit] if move.lift is None else move.lift
    return Lift(pits, move.pit, seeds, "ccw" if move.direction is None else move.direction)


def legal_sowings(
    rules: Rules, mover: int, pits: Pits, direction: str | None = None, barred: int | None = None
) -> Iterator[Sow]:
    """The candidates that are not illegal by their first lap, or as endless, in the same order."""
    for move in candidates(rules, mover, pits, direction, barred):
        if sow_laps(rules, mover, first_lift(pits, move)).objection(rules) is None:
            yield move


def can_move(
    rules: Rules, mover: int, pits: Pits, direction: str | None = None, barred: int | None = None
) -> bool:
    """Whether a player has any legal move."""
    return any(True for _ in legal_sowings(rules, mover, pits, direction, barred))


def placements(seeds: int, pits: int) -> int:
    """In how many ways seeds can be put into pits, as many a pit as wished.

    >>> placements(10, 20) == comb(29, 19)
    True
    """
    if pits == 0:
        return 1 if seeds == 0 else 0
    return comb(seeds + pits - 1, pits - 1)


def placement_at(number: int, seeds: int, pits: int) -> tuple[int, ...]:
    """The placement of this number, counted from 0 in lexicographic order.

    >>> [placement_at(k, 2, 2) for k in range(3)]
    [(0, 2), (1, 1), (2, 0)]
    """
    placed: list[int] = []
    for left in range(pits - 1, -1, -1):
        here = 0
        while number >= placements(seeds - here, left):
            number -= placements(seeds - here, left)
            here += 1
        placed.append(here)
        seeds -= here
    return tuple(placed)


def placement_number(placed: Sequence[int]) -> int:
    """The number of a placement: how many come before it in lexicographic order.

    >>> placement_number((1, 1)), placement_number((0,) * 19 + (10,))
    (1, 0)
    """
    number = 0
    seeds = sum(placed)
    for i, here in enumerate(placed):
        number += sum(placements(seeds - fewer, len(placed) - i - 1) for fewer in range(here))
        seeds -= here
    return number


def sets_to_empty(rules: Rules, mover: int, pits: Pits) -> list[tuple[int, ...]]:
    """The sets of pits a redistribution may empty, fewer pits first, then lexicographic.

    "Empty exactly two occupied own pits (`"two"`; `"one"`; `"up_to_two"`: none, one or two).  A
    player with fewer occupied pits than the rule names empties those he has."  (Kiothi's main
    sources have two, the Wikipedias one.)
    """
    occupied = [pit for pit in row(mover, rules.pits) if pits[pit] > 0]
    most = min(1 if rules.redistribution == "one" else 2, len(occupied))
    least = 0 if rules.redistribution == "up_to_two" else most
    return [chosen for k in range(least, most + 1) for chosen in combinations(occupied, k)]


def objection_to_sowing(
    rules: Rules, mover: int, pits: Pits, direction: str | None, barred: int | None, move: Sow
) -> str | None:
    """Why a sowing is none of the candidates, None if it is one."""
    pit, own = move.pit, row(mover, rules.pits)
    if pit not in own:
        return f"pit {shown(pit)} is not the mover's: must be {own[0]}…{own[-1]}"
    held = pits[pit]
    if held < rules.minimum_lift:
        return (
            f"pit {pit} holds {held} seed{'' if held == 1 else 's'}: "
            f"at least {rules.minimum_lift} must be lifted"
        )
    if pit == barred:
        return f"pit {pit} is barred: the extra move must start from another pit"
    if move.lift is not None and move.lift > held:
        return f"lift {shown(move.lift)} of pit {pit}: it holds {held}"
    if move.lift is not None and move.lift < held and rules.lift == "all":
        return f"lift {move.lift} of pit {pit}: all {held} must be lifted"
    if rules.direction == "either" and move.direction is None:
        return "direction None: must be 'ccw' or 'cw'"
    only = "ccw" if rules.direction == "ccw" else direction
    if only is not None and move.direction not in (None, only):
        return f"direction {move.direction!r}: must be {only!r}"
    return None


def objection_to_redistribution(
    rules: Rules, mover: int, pits: Pits, move: Redistribute
) -> str | None:
    """Why a redistribution is none of those that may be made, None if it is one."""
    allowed = sets_to_empty(rules, mover, pits)
    if move.emptied not in allowed:
        most = max(len(emptied) for emptied in allowed)
        how = "at most" if rules.redistribution == "up_to_two" else "exactly"
        return f"emptied {shown(move.emptied)}: must be {how} {most} of the mover's occupied pits"
    if len(move.placed) != 2 * rules.pits:
        return f"placed has {len(move.placed)} counts: must be {2 * rules.pits}"
    emptied, placed = sum(pits[pit] for pit in move.emptied), sum(move.placed)
    if placed != emptied:
        return f"placed holds {shown(placed)} seeds: the emptied pits hold {emptied}"
    return None
