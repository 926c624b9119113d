"""Perft: the paths of so many moves, counted."""

from __future__ import annotations

from relaysow._support.checks import instance, within
from relaysow._support.public import public
from relaysow.reference.position import Position


@public
def perft(position: Position, depth: int) -> int:
    """The number of paths of `depth` moves: a check that two implementations agree.

    "A forced pass costs no depth; nothing continues below a finished game; repetition is not
    applied."  Raises `ValueError` for a depth outside 0…200, `TypeError` for wrong types.

    >>> from relaysow.rules import engehe
    >>> [perft(Position.start(engehe(pits=8)), depth) for depth in (1, 2, 3)]
    [8, 58, 366]
    """
    instance("position", position, Position, "a Position")
    depth = within("depth", depth, 0, 200)
    if depth == 0:
        return 1
    moves = position.legal_moves
    if depth == 1:
        return moves.count
    return sum(perft(position.play(move), depth - 1) for move in moves)
