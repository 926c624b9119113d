"""Exact play: what a position is worth when both sides play perfectly."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from relaysow import _core
from relaysow._core import Position
from relaysow.moves import Move
from relaysow.rules import whole_number

if TYPE_CHECKING:
    from relaysow.tablebase import Tablebase

MAX_POSITIONS = 25_000_000
"""The positions `solve` looks at by default: 4 GB hold them."""

_MOST_POSITIONS = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Value:
    """What a position or a move is worth to the player to move.

    `result` is +1, 0 or −1 at the present stores.  A lead is the player's store less the other's:
    `lead_to_win` is the least lead with which he can force a win, `lead_to_draw` the least with
    which he can force at least a draw, each an integer or ±`math.inf`.
    """

    result: int
    lead_to_win: int | float
    lead_to_draw: int | float

    @property
    def net(self) -> int | None:
        """The seeds, less the other's, that he still wins: None where the lead alone does not
        decide, as under `repetition="draw"` when a draw can be held at different leads."""
        if math.isinf(self.lead_to_draw) or self.lead_to_win != self.lead_to_draw + 1:
            return None
        return -int(self.lead_to_draw)


@dataclass(frozen=True, slots=True)
class Solution(Value):
    """The exact value of `position`.

    `moves` holds every legal move, in order, with its value to the player to move; `line` perfect
    play of both sides: who can force the result takes the shortest way to a capture or the end,
    the other the longest, and endless play goes on until a position comes again.  `positions` is
    the number of positions looked at.
    """

    position: Position
    moves: dict[Move, Value] = field(repr=False)
    line: tuple[Move, ...] = field(repr=False)
    positions: int

    @property
    def best_moves(self) -> tuple[Move, ...]:
        """The legal moves that keep the result, in order."""
        return tuple(move for move, value in self.moves.items() if value.result == self.result)


def solve(
    position: Position, *, tablebase: Tablebase | None = None, max_positions: int = MAX_POSITIONS
) -> Solution:
    """The exact result of a position under its rules, with both thresholds on the lead.

    All positions that can be reached are looked at, `max_positions` of them at most
    (1…2³¹−1; each takes about 30 bytes and the pits of the board, and those of the largest ring
    total 8 bytes a move besides).  Endless play counts as `repetition` says: a draw under
    `"draw"`, what the lead makes it under `"stores"`.  A redistribution is a move like any other,
    so those of Kiothi's opening are too many.  Positions of fewer seeds that `tablebase`, of the
    same rules, holds are looked up instead; the line ends at the first of them.

    Raises `ValueError` for `repetition="score"` or `"off"` and for `repetition_scope="turn"` with
    extra moves, which make a value depend on the moves before it, and where more positions can be
    reached, or the tablebase is of other rules; `TypeError` for anything but a `Position`.

    >>> import relaysow as rs
    >>> s = rs.solve(rs.giuthi(pits=3, seeds=2).start())
    >>> s.result, s.lead_to_win, s.lead_to_draw, len(s.best_moves)
    (1, -7, -8, 2)
    """
    if not isinstance(position, Position):
        raise TypeError(f"position must be a Position, not {position!r}")
    limit = whole_number("max_positions", max_positions)
    if not 1 <= limit <= _MOST_POSITIONS:
        raise ValueError(f"max_positions={limit}: must be 1…{_MOST_POSITIONS}")
    own = position.stores[position.mover]
    lead = own - position.stores[1 - position.mover]
    if position.is_over:
        win, draw = at_end(position, lead)
        return Solution(_result(lead, win, draw), win, draw, position, {}, (), 1)
    (win, draw), thresholds, numbers, positions = _core.solve(
        position, limit, None if tablebase is None else tablebase.table
    )
    moves = {
        move: Value(_result(lead, *pair), *pair)
        for move, pair in zip(position.legal_moves, thresholds, strict=True)
    }
    line = []
    here = position
    for number in numbers:
        line.append(here.legal_moves[number])
        here = here.play(line[-1])
    return Solution(_result(lead, win, draw), win, draw, position, moves, tuple(line), positions)


def _result(lead: int, win: float, draw: float) -> int:
    return 1 if lead >= win else 0 if lead >= draw else -1


def at_end(position: Position, lead: int) -> tuple[int | float, int | float]:
    """The thresholds of a position that is over."""
    final = position.final_stores
    assert final is not None
    if position.drawn:
        return math.inf, -math.inf
    gain = final[position.mover] - final[1 - position.mover] - lead
    return 1 - gain, -gain
