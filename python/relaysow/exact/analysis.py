"""Analysis: the best moves of a position, as far as a search finds them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Real
from time import perf_counter
from typing import TYPE_CHECKING

from relaysow import _core
from relaysow._core import Position
from relaysow._support.checks import function, instance, room, shown, within
from relaysow._support.public import public
from relaysow._support.reloading import once
from relaysow._support.threads import MAX_THREADS
from relaysow.exact.tablebase import Tablebase, table_of
from relaysow.game import Game
from relaysow.moves import Move

if TYPE_CHECKING:
    Found = tuple[list[tuple[int, bool, int, tuple[Move, ...]]], bool, int, int]

once(__name__)

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
