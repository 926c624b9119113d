"""Many games played: `simulate`."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from relaysow._support import checks
from relaysow._support.checks import WORD, flag, one_of, shown, within
from relaysow._support.progress import progress_bar
from relaysow._support.public import public
from relaysow._support.threads import MAX_THREADS, cores
from relaysow.players.policies import policies_of
from relaysow.rules import Rules
from relaysow.simulation import streaming
from relaysow.simulation.columns import empty_columns
from relaysow.simulation.result import Simulation, SimulationInterrupted
from relaysow.simulation.run import Run
from relaysow.simulation.setting import ENGINES, start_of, title_of
from relaysow.simulation.summary import Summary, Tally

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from relaysow.simulation.columns import Played, Poll
    from relaysow.text.notation import AnyPosition

MAX_GAMES, MAX_MOVES = 10**12, 2**31 - 1


@overload
def simulate(
    rules_or_position: Rules | AnyPosition,
    games: int = ...,
    seed: int = ...,
    threads: int | None = ...,
    policy: str | tuple[str, str] = ...,
    max_moves: int | None = ...,
    first_game: int = ...,
    progress: bool = ...,
    engine: str = ...,
    *,
    keep: Literal["columns"] = ...,
    executor: Executor | Any = ...,
) -> Simulation: ...
@overload
def simulate(
    rules_or_position: Rules | AnyPosition,
    games: int = ...,
    seed: int = ...,
    threads: int | None = ...,
    policy: str | tuple[str, str] = ...,
    max_moves: int | None = ...,
    first_game: int = ...,
    progress: bool = ...,
    engine: str = ...,
    *,
    keep: Literal["summary"],
    out: str | os.PathLike[str] | None = ...,
    executor: Executor | Any = ...,
) -> Summary: ...
@public
def simulate(
    rules_or_position: Rules | AnyPosition,
    games: int = 1_000_000,
    seed: int = 1,
    threads: int | None = None,
    policy: str | tuple[str, str] = "random",
    max_moves: int | None = None,
    first_game: int = 0,
    progress: bool = False,
    engine: str = "native",
    *,
    keep: str = "columns",
    out: str | os.PathLike[str] | None = None,
    executor: Executor | Any = None,
) -> Simulation | Summary:
    """Play `games` games from the opening of some rules, or from any position.

    Game number g depends on the rules, the start, the policies, `seed` and g alone: not on
    `threads` (all cores by default), on the machine, or on how a run is split by `first_game` or
    among workers.  `engine="reference"` plays the same games in plain Python, on one thread.

    `policy` is `"random"` (every legal move alike), `"greedy"` (a largest capture; ties, and no
    capture, at random), a search, or a pair of them, South's and North's.  `"search:depth=N"` plays
    a best move by minimax of the game N moves ahead (1…200, and soon slow), where a game that goes
    on is worth the lead and one drawn whatever the stores 0; ties at random.
    `"search:nodes=N"` plays the best move that `analyse` finds with N moves sown (1…10⁹), the
    first of equal ones in an order that begins anywhere, but who leads rather goes on than repeats
    a position; the reference does not know it.
    Redistributions are drawn at random by all.  A game of more than `max_moves` moves is cut and
    counts as neither won nor drawn.  `progress=True` shows a bar on a terminal.

    `keep="summary"` keeps the exact counts only and returns the `Summary`, the same as from the
    columns, in memory that does not grow with the games.  With it, `out` names a directory to fill
    with the games as Parquet files (extra `arrow`), each of which appears whole and is entered in
    `_manifest.jsonl` with its SHA-256; the same call goes on where a stopped one left off.  The
    directory is made, locked and tried before the first game is played.

    `executor` plays the parts of the run: any `concurrent.futures.Executor`, or Dask's `Client`
    (extra `dask`); `threads` are then those of each part, 1 by default.  A part that fails or is
    lost is sent again up to three times, then its error is raised; an executor that broke (as a
    `ProcessPoolExecutor` does when a process dies) is given up with a `RuntimeWarning`, and the
    rest is played here.  Where the system allows fewer threads, fewer play.

    games 1…10¹²; seed and first_game 0…2⁶⁴−1, and so is every game number; threads None or
    1…1,024; max_moves None or 1…2³¹−1, not None with `repetition="off"`, where games need not end.
    Raises `ValueError` or `TypeError` naming the argument and what is allowed, `MemoryError` if
    the columns (42 bytes a game) find no room, `ValueError` if `out` holds something else, another
    run or a damaged file or is being written by another, who is named, `OSError` as writing does
    (what was written stays) and where the system allows no thread, `RuntimeError` if a worker has
    another version or returns what it was not asked for, and on Ctrl-C `SimulationInterrupted`, a
    `KeyboardInterrupt` whose `result` holds the games done.

    >>> from relaysow import giuthi, simulate
    >>> result = simulate(giuthi(pits=5, seeds=4), games=1000, seed=7)
    >>> result.scores.shape, int(result.moves.min()) > 0
    ((1000, 2), True)
    >>> again = simulate(giuthi(pits=5, seeds=4), games=100, seed=7, first_game=900, threads=2)
    >>> bool((again.scores == result.scores[900:]).all())
    True
    >>> simulate(giuthi(pits=5, seeds=4), games=1000, seed=7, keep="summary") == result.summary()
    True
    """
    games = within("games", games, 1, MAX_GAMES)
    seed = within("seed", seed, 0, WORD - 1)
    first_game = within("first_game", first_game, 0, WORD - 1)
    if first_game + games > WORD:
        raise ValueError(f"first_game={first_game}, games={games}: game numbers end at {WORD - 1}")
    if threads is not None:
        threads = within("threads", threads, 1, MAX_THREADS)
    if max_moves is not None:
        max_moves = within("max_moves", max_moves, 1, MAX_MOVES)
    engine = one_of("engine", engine, ENGINES)
    policies = policies_of(policy, engine)
    progress = flag("progress", progress)
    keep = one_of("keep", keep, ("columns", "summary"))
    if out is not None:
        out = Path(checks.path("out", out))
        if keep == "columns":
            raise ValueError(f"out={shown(os.fspath(out))}: needs keep='summary'")
    workers = None if executor is None else streaming.executor_of(executor)
    start = start_of(rules_or_position, engine)
    if start.rules.repetition == "off" and max_moves is None:
        raise ValueError("repetition='off': games need not end, so max_moves must be given")
    if threads is None:
        threads = cores() if workers is None else 1
    run = Run(start, policies, seed, max_moves, engine, threads)

    with progress_bar(games, "games", progress) as poll:
        if keep == "columns":
            try:
                if workers is None:
                    columns, done, error = run.play(first_game, games, poll)
                else:
                    columns, done, error = _gather(run, first_game, games, workers, poll)
            except MemoryError:
                raise MemoryError(f"games={games}: no room for 42 bytes a game") from None
            if done < games:
                columns = {name: column[:done].copy() for name, column in columns.items()}
            result: Simulation | Summary = run.result(first_game, columns)
        else:
            if out is None:
                tallies = streaming.tallies(run, first_game, games, workers, poll)
            else:
                from relaysow.simulation import shards

                tallies = shards.tallies(out, run, first_game, games, workers, poll)
            total, error = _sum(tallies)
            result = total.summary(title_of(run, first_game, total.games))
    if isinstance(error, KeyboardInterrupt):
        raise SimulationInterrupted(result, games) from error
    if error is not None:
        raise error
    return result


def _gather(run: Run, first_game: int, games: int, executor: Executor, poll: Poll | None) -> Played:
    """As `Run.play`, but by the workers of an executor."""
    columns, done = empty_columns(games), 0
    try:
        with closing(streaming.columns(run, first_game, games, executor, poll)) as parts:
            for part in parts:
                end = done + len(part["winner"])
                for name, column in columns.items():
                    column[done:end] = part[name]
                done = end
    except KeyboardInterrupt as error:
        return columns, done, error
    return columns, done, None


def _sum(tallies: Generator[Tally]) -> tuple[Tally, KeyboardInterrupt | None]:
    """All of them, or those until Ctrl-C."""
    total = Tally.of(empty_columns(0))
    try:
        with closing(tallies):
            for tally in tallies:
                total = total + tally
    except KeyboardInterrupt as error:
        return total, error
    return total, None
