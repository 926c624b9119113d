"""Exact play: what a position is worth when both sides play perfectly."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from numbers import Real
from time import perf_counter
from typing import TYPE_CHECKING

from relaysow import _core
from relaysow._core import Position
from relaysow._support.checks import function, instance, room, shown, within
from relaysow._support.public import public
from relaysow._support.reloading import once
from relaysow._support.threads import MAX_THREADS
from relaysow.moves import Move

if TYPE_CHECKING:
    from relaysow.exact.tablebase import Tablebase
    from relaysow.game import Game

    Found = tuple[list[tuple[int, bool, int, tuple[Move, ...]]], bool, int, int]

once(__name__)

MAX_POSITIONS = 25_000_000
"""The positions `solve` looks at by default: 4 GB hold them."""

_MOST_POSITIONS = 2**31 - 1


@public
@dataclass(frozen=True, slots=True)
class Value:
    """What a position or a move is worth to the player to move.

    `result` is +1, 0 or −1 at the present stores.  A lead is the player's store less the other's:
    `lead_to_win` is the least lead with which he can force a win, `lead_to_draw` the least with
    which he can force at least a draw, each an integer or ±`math.inf`.

    Made by `Tablebase.probe`; it holds what it is given.
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


def result_at(lead: int, win: float, draw: float) -> int:
    """The result, +1, 0 or −1, at a lead."""
    return 1 if lead >= win else 0 if lead >= draw else -1


def table_of(tablebase: Tablebase | None) -> _core.Table | None:
    """What the core looks values up in."""
    from relaysow.exact.tablebase import Tablebase

    if tablebase is None:
        return None
    instance("tablebase", tablebase, Tablebase, "a Tablebase")
    return tablebase.table


def at_end(position: Position, lead: int, player: int) -> tuple[int | float, int | float]:
    """The thresholds, to a player, of a position that is over, before which he had that lead."""
    final = position.final_stores
    assert final is not None
    if position.drawn:
        return math.inf, -math.inf
    gain = final[player] - final[1 - player] - lead
    return 1 - gain, -gain


MEMORY = 16 * 2**20
"""The bytes of `analyse`'s table of positions met before, by default."""

MAX_DEPTH = 200
"""The deepest that `analyse` searches, in moves."""


@public
@dataclass(frozen=True, slots=True)
class Line:
    """A move and how the game goes on after it, by the search of `analyse`.

    `score` is the lead (own store less the other's) that the player to move may expect at the end
    of the game.  `exact`: it is proved, by play to the end of the game whatever the other does;
    else it is what the stores, or a tablebase, say `depth` moves ahead.  `moves` begins with the
    move; it ends early where what follows was known from elsewhere.

    Made by `analyse`; it holds what it is given.
    """

    score: int
    exact: bool
    depth: int
    moves: tuple[Move, ...]

    @property
    def move(self) -> Move:
        return self.moves[0]


@public
@dataclass(frozen=True, slots=True)
class Analysis:
    """What `analyse` found of `position`: its best moves as `lines`, the best first.

    `exact`: no other move is better, and all scores are exact.  `depth` is how many moves ahead
    everything was searched, `nodes` the moves sown, `seconds` the time it took.

    Made by `analyse`; it holds what it is given.
    """

    position: Position
    lines: tuple[Line, ...]
    exact: bool
    depth: int
    nodes: int
    seconds: float = field(compare=False)

    @property
    def best_move(self) -> Move:
        """The first move of the best line."""
        return self.lines[0].move

    @property
    def score(self) -> int:
        """The score of the best line."""
        return self.lines[0].score


@public
class AnalysisInterrupted(KeyboardInterrupt):
    """Ctrl-C stopped an analysis; `result` is what was found until then."""

    def __init__(self, result: Analysis) -> None:
        super().__init__(result)
        self.result = result

    def __str__(self) -> str:
        return f"interrupted after depth {self.result.depth}"


@public
def analyse(
    position: Position | Game,
    *,
    seconds: float | None = None,
    depth: int | None = None,
    nodes: int | None = None,
    lines: int = 1,
    threads: int = 1,
    memory: int = MEMORY,
    tablebase: Tablebase | None = None,
    report: Callable[[Analysis], None] | None = None,
) -> Analysis:
    """Search a position deeper and deeper until a limit is reached or its best moves are proved.

    Scores are expected final leads in seeds, as the player to move sees them; a game drawn
    whatever the stores counts 0.  Scores marked exact hold under all the rules, up to the chance
    (below 10⁻⁹ in a search of 10⁹ nodes a second for a minute) that two positions share a 64-bit
    hash.  Where a move is good only because it repeats a position, or bad, the search sees it; a
    `Game` brings its history, in which repetition counts too.

    At least one limit must be given; the first one reached ends the search: `seconds` more than
    0, `depth` 1…200 in moves (an extra move is a move), `nodes` 1…2⁶³−1, the moves sown by the
    first thread.  Depth 1 is always finished.  `lines` is how many of the best moves get a line
    and a score, 1…1,000.  `threads` 1…1,024: with more than one they share what they find, and
    results vary; with one and no limit of time the result is always the same.  `memory` bytes
    (16 MiB by default, 0…2⁴⁰) hold the positions met before, in a table whose size is rounded down
    to a power of two; without it (0) everything is searched in full, and a score that is not exact
    is that of minimax.  So it is, with the table only a guide, under `repetition="score"`,
    where a position's value depends on how it was
    reached.  Positions of fewer seeds that `tablebase`, of the same rules, holds are exact; as
    many seeds or a history leave its values to be guesses where the search ends.  `report` is
    called with the `Analysis` after every depth.

    Raises `ValueError` for a game that is over, for a redistribution that is due (Kiothi's first
    has 300,450,150 choices: play one and analyse what follows), for a tablebase of other rules and
    for numbers out of range, `TypeError` for other types, `MemoryError` where the table finds no
    room, and on Ctrl-C `AnalysisInterrupted`, a `KeyboardInterrupt` whose `result` holds what was
    found (a plain `KeyboardInterrupt` before the first depth is done).

    >>> import relaysow as rs
    >>> found = rs.analyse(rs.giuthi(pits=10, seeds=9).start(), depth=1, lines=2)
    >>> [(line.score, line.exact, line.move.direction) for line in found.lines]
    [(10, False, 'ccw'), (10, False, 'cw')]
    >>> small = rs.Position(rs.giuthi(pits=3, seeds=2), [2, 0, 1, 0, 1, 2])
    >>> found = rs.analyse(small, depth=20)
    >>> found.exact, found.score == -rs.solve(small).lead_to_draw
    (True, True)
    """
    from relaysow.game import Game

    instance("position", position, (Position, Game), "a Position or a Game")
    if isinstance(position, Game):
        over, here = position.is_over, position.position
        compared = position.repeatable()
    else:
        over, here = position.is_over, position
        compared = []
    if seconds is depth is nodes is None:
        raise ValueError("a limit is needed: seconds, depth or nodes")
    if seconds is None:
        seconds = math.inf
    elif (
        isinstance(seconds, bool)
        or not issubclass(type(seconds), Real)
        or type(seconds).__name__ == "timedelta64"  # to NumPy it is a Real
    ):
        raise TypeError(f"seconds must be a number, not {shown(seconds)}")
    elif not seconds > 0:
        raise ValueError(f"seconds={shown(seconds)}: must be more than 0")
    limits = (
        MAX_DEPTH if depth is None else within("depth", depth, 1, MAX_DEPTH),
        2**63 - 1 if nodes is None else within("nodes", nodes, 1, 2**63 - 1),
        float(min(seconds, 1e9)),
    )
    lines = within("lines", lines, 1, 1_000)
    threads = within("threads", threads, 1, MAX_THREADS)
    memory = within("memory", memory, 0, 2**40)
    if report is not None:
        function("report", report)
    if over:
        raise ValueError(f"the game is over: {here.to_text()}")
    if here.redistributions < 2:
        raise ValueError(
            f"a redistribution is due, one of {here.legal_moves.count:,}: play one and analyse the "
            "position after the last"
        )
    table = table_of(tablebase)
    begin = perf_counter()

    def result(found: Found) -> Analysis:
        best, exact, finished, looked = found
        return Analysis(
            here,
            tuple(Line(*line) for line in best),
            exact,
            finished,
            looked,
            perf_counter() - begin,
        )

    with room(f"memory={memory}: no room for a table of so many bytes"):
        best, exact, finished, looked, error = _core.analyse(
            here,
            compared,
            *limits,
            lines,
            threads,
            memory,
            table,
            None if report is None else lambda now: report(result(now)),
        )
    analysis = result((best, exact, finished, looked))
    if isinstance(error, KeyboardInterrupt) and analysis.depth:
        raise AnalysisInterrupted(analysis) from error
    if error is not None:
        raise error
    return analysis
