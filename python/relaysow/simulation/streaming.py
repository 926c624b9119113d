"""A run in pieces: played here one after another, or by the workers of an executor."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from relaysow import __version__
from relaysow._support.checks import shown
from relaysow._support.threads import cores
from relaysow.simulation.columns import COLUMNS
from relaysow.simulation.summary import Tally

if TYPE_CHECKING:
    from relaysow.simulation.columns import Columns, Poll
    from relaysow.simulation.run import Run

    T = TypeVar("T")
    Finish = Callable[["Run", int, "Columns"], T]  # what is made of the columns from a game on

CHUNK = 1 << 18  # games whose columns (11 MB) are held at once
OUT = 512  # parts that an executor is given at once
TRIES = 4


def tally_of(_run: Run, _first_game: int, columns: Columns) -> Tally:
    return Tally.of(columns)


def columns_of(_run: Run, _first_game: int, columns: Columns) -> Columns:
    return columns


def tallies(
    run: Run, first_game: int, games: int, executor: Executor | None, poll: Poll | None
) -> Generator[Tally]:
    """The counts of these games piece by piece, in their order."""
    if executor is None:
        return here(run, tally_of, cut(first_game, games, CHUNK), poll)
    # Many parts, so that none is waited for long and little is lost with a worker.
    pieces = cut(first_game, games, min(max(-(-games // 1024), 1_000), 1 << 22))
    return on_executor(run, tally_of, pieces, executor, poll)


def columns(
    run: Run, first_game: int, games: int, executor: Executor, poll: Poll | None
) -> Generator[Columns]:
    """The columns of these games piece by piece, in their order."""
    pieces = cut(first_game, games, min(max(-(-games // 1024), 1_000), CHUNK))
    return on_executor(run, columns_of, pieces, executor, poll)


def cut(first_game: int, games: int, size: int) -> Iterator[tuple[int, int]]:
    """Pieces of so many games, the last perhaps smaller: (first game, games) each."""
    for done in range(0, games, size):
        yield first_game + done, min(size, games - done)


def here(
    run: Run,
    finish: Finish[T],
    pieces: Iterable[tuple[int, int]],
    poll: Poll | None,
    *,
    done: int = 0,
    whole: bool = False,
) -> Generator[T]:
    """Plays the pieces; one is finished by another thread while the next is played.

    `poll` counts from `done`.  What stops a piece is raised after the games before are handed on,
    those of this piece too unless only a `whole` one will do.
    """
    with ThreadPoolExecutor(1) as helper:
        waiting: Future[T] | None = None
        alone = False

        def finished(first: int, columns: Columns) -> Future[T]:
            nonlocal alone
            if not alone:
                try:
                    return helper.submit(finish, run, first, columns)
                except RuntimeError:  # the system allows no thread more
                    alone = True
            future: Future[T] = Future()
            future.set_result(finish(run, first, columns))
            return future

        for first, games in pieces:
            base = done
            told = None if poll is None else lambda played, base=base: poll(base + played)
            columns, played, error = run.play(first, games, told)
            if waiting is not None:
                yield waiting.result()
                waiting = None
            if error is None or not whole:
                columns = {name: column[:played] for name, column in columns.items()}
                waiting = finished(first, columns)
            del columns
            if error is not None:
                if waiting is not None:
                    yield waiting.result()
                raise error
            done += games
        if waiting is not None:
            yield waiting.result()


def executor_of(given: object) -> Executor:
    """The executor itself, or that of Dask's client; raises `TypeError` for anything else."""
    if isinstance(given, Executor):
        return given
    if type(given).__module__.startswith("distributed.") and hasattr(given, "get_executor"):
        executor: Executor = given.get_executor(pure=False)
        return executor
    raise TypeError(
        f"executor must be a concurrent.futures.Executor or a dask.distributed.Client, "
        f"not {shown(given)}"
    )


def work(run: Run, finish: Finish[T], first_game: int, games: int) -> tuple[str, T]:
    """A worker's share: the version of relaysow that played, and what these games come to."""

    def poll(_: int) -> None:
        if run.stopped:
            raise CancelledError

    made: Any = None
    for first, count in cut(first_game, games, CHUNK):  # more than one for a tally only
        columns, _, error = run.play(first, count, poll)
        if error is not None:  # Ctrl-C would end a worker that may serve others
            raise CancelledError(f"games {first}…{first + count - 1}: {error!r}") from error
        part: Any = finish(run, first, columns)
        made = part if made is None else made + part
    return __version__, made


@dataclass
class Part:
    """A piece that the executor has been given."""

    first_game: int
    games: int
    failures: int = 0
    future: Future[Any] | None = None


def _checked(returned: object, part: Part) -> Any:
    """What a worker's share came to; `RuntimeError` if that is not what it was asked for."""
    asked = f"games {part.first_game}…{part.first_game + part.games - 1}"
    if not isinstance(returned, tuple) or len(returned) != 2:
        raise RuntimeError(f"{asked}: a worker returned no games: {shown(returned)}")
    version, result = returned
    if version != __version__:
        raise RuntimeError(
            f"a worker has relaysow {shown(version)}, which may play other games than "
            f"{__version__} here"
        )
    games = games_in(result)
    if games != part.games:
        told = "no games" if games is None else f"{games} games"
        raise RuntimeError(f"{asked}: a worker returned {told}: {shown(result)}")
    return result


def games_in(result: Any) -> int | None:
    """The games of a part, whatever is made of them; None of what is none."""
    tally = getattr(result, "tally", result)  # of a shard
    if isinstance(tally, Tally):
        return tally.games
    if not isinstance(result, dict) or result.keys() != COLUMNS.keys():
        return None
    games: int | None = None
    for name, dtype in COLUMNS.items():
        column = result[name]
        shape: tuple[int, ...] = getattr(column, "shape", ())
        games = shape[0] if games is None and shape else games
        wanted = (games, 2) if name == "scores" else (games,)
        if getattr(column, "dtype", None) != dtype or shape != wanted:
            return None
    return games


def on_executor(
    run: Run,
    finish: Finish[T],
    pieces: Iterator[tuple[int, int]],
    executor: Executor,
    poll: Poll | None,
    *,
    done: int = 0,
) -> Generator[T]:
    """Has the pieces played by the executor's workers, and hands them on in their order.

    `poll` counts from `done`.  A part that fails is sent again; when the executor itself is broken,
    the rest is played here.
    """
    arrived: SimpleQueue[tuple[int, Future[Any]]] = SimpleQueue()
    parts: dict[int, Part] = {}  # sent, and not yet handed on
    results: dict[int, T] = {}
    source = enumerate(pieces)

    def send(number: int, part: Part) -> None:
        part.future = executor.submit(work, run, finish, part.first_game, part.games)
        part.future.add_done_callback(lambda future: arrived.put((number, future)))

    try:
        turn = 0  # here: in CPython 3.11 Ctrl-C at the first instruction of a `try` escapes it
        while True:
            if turn in results:
                del parts[turn]
                yield results.pop(turn)
                turn += 1
            while len(parts) < OUT and (new := next(source, None)) is not None:
                number, piece = new
                parts[number] = Part(*piece)
                send(number, parts[number])
            if not parts:
                return
            if turn in results:
                continue
            try:
                number, future = arrived.get(timeout=0.1)  # not for ever: Ctrl-C on Windows
            except Empty:
                continue
            part = parts[number]
            part.future = None
            error = CancelledError() if future.cancelled() else future.exception()
            if isinstance(error, BrokenExecutor):
                raise error
            if error is not None:
                part.failures += 1
                if part.failures == TRIES:
                    last = part.first_game + part.games - 1
                    raise RuntimeError(
                        f"games {part.first_game}…{last} failed {TRIES} times: {shown(error)}"
                    ) from error
                send(number, part)
                continue
            results[number] = _checked(future.result(), part)
            done += part.games
            if poll is not None:
                poll(done)
    except BrokenExecutor as reason:
        broken = reason
    finally:
        run.stopped = True  # ends the parts that are played in threads of this process
        for part in parts.values():
            if part.future is not None:
                part.future.cancel()
    warnings.warn(f"the executor broke ({broken}): the rest is played here", RuntimeWarning, 4)
    mine = replace(run, threads=max(run.threads, cores()), stopped=False)
    sent = ((number, (part.first_game, part.games)) for number, part in parts.items())
    for number, (first, games) in chain(sent, source):
        if number in results:
            yield results.pop(number)
        else:
            yield from here(mine, finish, cut(first, games, CHUNK), poll, done=done)
            done += games
