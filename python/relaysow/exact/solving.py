"""Exact play: a position solved, with all that can be reached from it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from relaysow import _core
from relaysow._core import Position
from relaysow._support.checks import instance, room, within
from relaysow._support.public import public
from relaysow._support.reloading import once
from relaysow.exact.tablebase import Tablebase, table_of
from relaysow.exact.values import Value, at_end, result_at
from relaysow.moves import Move

once(__name__)

MAX_POSITIONS = 25_000_000
"""The positions `solve` looks at by default: 4 GB hold them."""

_MOST_POSITIONS = 2**31 - 1


@public
@dataclass(frozen=True, slots=True)
class Solution(Value):
    """The exact value of `position`.

    `moves` holds every legal move, in order, with its value to the player to move; `line` perfect
    play of both sides: who can force the result takes the shortest way to a capture or the end,
    the other the longest, and endless play goes on until a position comes again.  `positions` is
    the number of positions looked at.

    Made by `solve`; it holds what it is given.
    """

    position: Position
    moves: dict[Move, Value] = field(repr=False)
    line: tuple[Move, ...] = field(repr=False)
    positions: int

    def __copy__(self) -> Solution:
        return replace(self, moves=self.moves.copy())

    @property
    def best_moves(self) -> tuple[Move, ...]:
        """The legal moves that keep the result, in order."""
        return tuple(move for move, value in self.moves.items() if value.result == self.result)


@public
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

    Raises `ValueError` for `repetition="score"` or `"off"`, which make a value
    depend on the moves before it, and where more positions can be
    reached, or the tablebase is of other rules; `TypeError` for wrong types; `MemoryError` where
    the positions find no room.

    >>> import relaysow as rs
    >>> s = rs.solve(rs.giuthi(pits=3, seeds=2).start())
    >>> s.result, s.lead_to_win, s.lead_to_draw, len(s.best_moves)
    (1, -7, -8, 2)
    """
    instance("position", position, Position, "a Position")
    limit = within("max_positions", max_positions, 1, _MOST_POSITIONS)
    table = table_of(tablebase)
    own = position.stores[position.mover]
    lead = own - position.stores[1 - position.mover]
    if position.is_over:
        win, draw = at_end(position, lead, position.mover)
        return Solution(result_at(lead, win, draw), win, draw, position, {}, (), 1)
    with room(f"max_positions={limit}: no room for the positions found so far"):
        (win, draw), thresholds, numbers, positions = _core.solve(position, limit, table)
    moves = {
        move: Value(result_at(lead, *pair), *pair)
        for move, pair in zip(position.legal_moves, thresholds, strict=True)
    }
    line = []
    here = position
    for number in numbers:
        line.append(here.legal_moves[number])
        here = here.play(line[-1])
    return Solution(result_at(lead, win, draw), win, draw, position, moves, tuple(line), positions)
