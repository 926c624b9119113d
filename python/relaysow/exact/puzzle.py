"""Puzzles: positions in which one move alone keeps a win or a draw, drawn from tables."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from math import comb
from random import Random

from relaysow._core import Position
from relaysow._support.checks import WORD, instance, one_of, within
from relaysow._support.public import public
from relaysow._support.reloading import once
from relaysow.exact.solving import solve
from relaysow.exact.tablebase import Tablebase, table_of
from relaysow.moves import Move
from relaysow.rules import Rules
from relaysow.text.notation import PLAYERS, line_to_text

once(__name__)

RESULTS = {"win": 1, "draw": 0}

LEAST_MOVES, LEAST_LAPS = 4, 3
"""A puzzle has so many legal moves or more, and a relay of so many laps or more in its solution."""

MAX_MOVES = 30
"""The most moves of a solution, of both players."""

MAX_TRIES = 200_000
"""How many positions are drawn at most for one puzzle."""

MAX_BUILT = 5_000_000
"""The most positions that a table is built of for the purpose, and that `solve` is asked about."""


@public
@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position with a result (`"win"` or `"draw"`) that one move alone keeps.

    `solution` holds the moves of both players: each of the player to move is the only one that
    keeps the result, and the other's make him find as many of these as can be.  It ends where he
    has more than one good move, or the game ends.

    Made by `puzzles`; it holds what it is given.
    """

    position: Position
    to: str
    solution: tuple[Move, ...]

    @property
    def task(self) -> str:
        """What is asked, in words."""
        player = PLAYERS[self.position.mover]
        what = "win" if self.to == "win" else "hold the draw"
        moves = "one move does it" if self.moves == 1 else f"{self.moves} moves, each the only one"
        return f"{player} is to move and {what}: {moves}."

    @property
    def moves(self) -> int:
        """How many moves of the solution are those of the player to move."""
        here, own = self.position, 0
        for move in self.solution:
            own += here.mover == self.position.mover
            here = here.play(move)
        return own

    def to_text(self) -> str:
        """The position, the result and the moves on one line."""
        solution = line_to_text(self.position, self.solution)
        return f"{self.position.to_text()} {self.to}: {solution}"


@public
def puzzles(
    rules: Rules,
    seeds: int,
    to: str = "win",
    *,
    moves: int | None = None,
    count: int = 1,
    seed: int = 1,
    tablebase: Tablebase | None = None,
) -> Iterator[Puzzle]:
    """Compose puzzles with so many seeds on the ring, South to move.

    Each has at least four legal moves of which exactly one keeps the result `to`, `"win"` or
    `"draw"`, and a relay of three laps or more among South's moves of the solution; `moves` is how
    many these are (any number by default).  What is not on the ring is in the stores, with the
    least lead that will do.  The same `seed` (0…2⁶⁴−1) gives the same puzzles.  The values come
    from `tablebase`, or from one built for the purpose; every successor of every position of the
    solution is looked up, and `solve` must find the same where it takes 5,000,000 positions at
    most.

    seeds 2…125, moves 1…100, count 1…10⁶.  Raises `ValueError` for rules that have no tables, for
    seeds beyond the table's or the setup's, or of which there are too many positions to build a
    table now, and where 200,000 positions drawn at random hold no such puzzle; `TypeError` for
    other types.

    >>> import relaysow as rs
    >>> (puzzle,) = rs.puzzles(rs.giuthi(pits=4, seeds=4), 8)
    >>> len(rs.solve(puzzle.position).best_moves), puzzle.solution[0] in puzzle.position.legal_moves
    (1, True)
    """
    instance("rules", rules, Rules, "Rules")
    to = one_of("to", to, RESULTS)
    seeds = within("seeds", seeds, 2, 125)
    if seeds > sum(rules.setup):
        raise ValueError(f"seeds={seeds}: the game has {sum(rules.setup)}")
    if moves is not None:
        moves = within("moves", moves, 1, 100)
    count, seed = within("count", count, 1, 10**6), within("seed", seed, 0, WORD - 1)
    table_of(tablebase)
    positions = comb(seeds + 2 * rules.pits, seeds)
    if tablebase is None and positions > MAX_BUILT:
        raise ValueError(
            f"seeds={seeds}: there are {positions:,} positions: build a table of them first, "
            "`relaysow tablebase build`, and give it"
        )
    if tablebase is not None and seeds > tablebase.max_seeds:
        raise ValueError(f"seeds={seeds}: the table holds {tablebase.max_seeds} at most")
    return _composed(rules, seeds, to, moves, count, Random(seed), tablebase)


def _composed(
    rules: Rules,
    seeds: int,
    to: str,
    moves: int | None,
    count: int,
    chance: Random,
    tablebase: Tablebase | None,
) -> Iterator[Puzzle]:
    with ExitStack() as stack:
        table = tablebase
        if table is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            table = Tablebase.build(rules, seeds, os.path.join(folder, "puzzles"))
            stack.enter_context(table)
        found: set[tuple[int, ...]] = set()
        tries = 0
        while len(found) < count:
            tries += 1
            if tries > MAX_TRIES:
                raise ValueError(
                    f"none of {MAX_TRIES:,} positions of {seeds} seeds is such a puzzle"
                )
            position = _position(rules, seeds, RESULTS[to], chance, table)
            if position is None or position.pits in found:
                continue
            puzzle = _puzzle(position, to, moves, table)
            if puzzle is not None:
                found.add(position.pits)
                tries = 0
                yield puzzle


def _position(
    rules: Rules, seeds: int, result: int, chance: Random, table: Tablebase
) -> Position | None:
    """A position drawn at random, with the least lead that gives the result; None if that is
    plainly no puzzle."""
    bars = sorted(chance.sample(range(seeds + 2 * rules.pits - 1), 2 * rules.pits - 1))
    edges = (-1, *bars, seeds + 2 * rules.pits - 1)
    ring = [b - a - 1 for a, b in pairwise(edges)]
    position = Position(rules, ring)
    if position.is_over or position.mover == 1 or position.legal_moves.count < LEAST_MOVES:
        return None
    value = table.probe(position)
    lead = value.lead_to_win if result == 1 else value.lead_to_draw
    stored = sum(rules.setup) - seeds
    if not isinstance(lead, int):
        return None
    lead += (stored - lead) % 2
    if abs(lead) > stored or (result == 0 and lead >= value.lead_to_win):
        return None
    return Position(rules, ring, ((stored + lead) // 2, (stored - lead) // 2))


def _puzzle(position: Position, to: str, moves: int | None, table: Tablebase) -> Puzzle | None:
    """The puzzle of a position, if it is one."""
    result = RESULTS[to]
    solution = _solution(position, result, table, ())
    here, own, laps = position, [], 0
    for move in solution:
        if here.mover == 0:
            own.append((here, move))
            laps = max(laps, here.sow(move).laps or 0)
        here = here.play(move)
    if laps < LEAST_LAPS or (moves is not None and len(own) != moves):
        return None
    for here, move in own:
        if comb(sum(here.pits) + len(here.pits), sum(here.pits)) > MAX_BUILT:
            continue
        solved = solve(here)
        if solved.result != result or solved.best_moves != (move,):
            raise RuntimeError(f"solve and the table differ: {here.to_text()}")
    return Puzzle(position, to, solution)


def _solution(
    position: Position, result: int, table: Tablebase, path: tuple[Position, ...]
) -> tuple[Move, ...]:
    """The most moves, by South as the only ones and to the last of these, that play can go on."""
    if position.is_over or position in path or len(path) == MAX_MOVES:
        return ()
    path = (*path, position)
    if position.mover == 0:
        keeping = _keeping(position, result, table)
        if len(keeping) != 1:
            return ()
        return (keeping[0], *_solution(position.play(keeping[0]), result, table, path))
    longest: tuple[Move, ...] = ()
    for move in position.legal_moves:
        after = position.play(move)
        if _result(after, table) != result:  # a mistake of North's
            continue
        rest = _solution(after, result, table, path)
        if rest and len(rest) >= len(longest):
            longest = (move, *rest)
    return longest


def _keeping(position: Position, result: int, table: Tablebase) -> list[Move]:
    """South's moves after which the result is his still."""
    return [move for move in position.legal_moves if _result(position.play(move), table) >= result]


def _result(position: Position, table: Tablebase) -> int:
    """South's result, +1, 0 or −1."""
    if position.winner is not None:
        return {0: 1, 1: -1, -1: 0}[position.winner]
    return table.probe(position).result * (1 if position.mover == 0 else -1)
