"""Many games at once: `simulate` and its results game by game."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, overload

from relaysow import _core
from relaysow._support import checks
from relaysow._support.checks import WORD, flag, one_of, shown, within
from relaysow._support.extras import optional_import
from relaysow._support.files import named, written
from relaysow._support.progress import progress_bar
from relaysow._support.public import public
from relaysow._support.reloading import once
from relaysow._support.threads import MAX_THREADS, cores
from relaysow.players.policies import policies_of
from relaysow.rules import Rules
from relaysow.simulation.summary import ENDS, Summary, Tally

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import numpy as np
    import numpy.typing as npt

    from relaysow.match import MatchSimulation
    from relaysow.text.notation import AnyPosition

    Columns = dict[str, npt.NDArray[Any]]
    Poll = Callable[[int], None]
    Played = tuple[Columns, int, BaseException | None]

once(__name__)

ENGINES = ("native", "reference")
"""What can play the games: the core, or the plain-Python reference (the same games, slowly)."""

COLUMNS = {
    "scores": "int16",
    "winner": "int8",
    "moves": "int32",
    "turns": "int32",
    "laps": "int64",
    "captures": "int32",
    "longest": "int64",
    "end": "uint8",
    "first_move": "int64",
}
"""The columns of a `Simulation` with their types, all in all 42 bytes a game."""


def _compare_with_core() -> None:
    """`ImportError` naming a column, or the ends, that the extension has otherwise."""
    theirs = _core.result_columns()
    for name in theirs | COLUMNS:
        if COLUMNS.get(name) != theirs.get(name):
            here, there = COLUMNS.get(name, "missing"), theirs.get(name, "missing")
            _refuse_core(f"the column '{name}'", here, there)
    if tuple(COLUMNS) != tuple(theirs):
        _refuse_core("the order of columns", ", ".join(COLUMNS), ", ".join(theirs))
    if _core.end_names != ENDS:
        _refuse_core("the list of ends", ", ".join(ENDS), ", ".join(_core.end_names))


def _refuse_core(what: str, here: str, there: str) -> None:
    raise ImportError(
        f"{what} is {here} in relaysow.simulation and {there} in relaysow._core, which has to be "
        "built again"
    )


_compare_with_core()

MAX_GAMES, MAX_MOVES = 10**12, 2**31 - 1


@public
class SimulationInterrupted(KeyboardInterrupt):
    """Ctrl-C stopped a simulation; `result` holds the games, or matches, played until then."""

    def __init__(self, result: Simulation | Summary | MatchSimulation, wanted: int) -> None:
        super().__init__(result, wanted)
        self.result = result

    def __str__(self) -> str:
        unit = "matches" if hasattr(self.result, "matches") else "games"
        return f"interrupted after {getattr(self.result, unit):,} of {self.args[1]:,} {unit}"


@public
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Simulation:
    """The games `simulate` played: read-only NumPy columns, one row a game.

    * `scores`: int16, shape (games, 2): final stores of South and North (as they stand in a cut
      game);
    * `winner`: int8: 0 South, 1 North, −1 a draw, −2 cut by `max_moves`;
    * `moves`: int32: the moves of both players, redistributions too; `turns`: int32: the turns
      they made (a move and the extra moves it earns are one turn, a forced pass is none);
    * `laps`: int64: all laps sown; `longest`: int64: the most laps of one sowing; `captures`:
      int32: the moves that captured;
    * `end`: uint8: how the game ended, a number into `ENDS`;
    * `first_move`: int64: the number of the first move in `start.legal_moves`, −1 if the start is
      over or the number does not fit.

    Row i is game number `first_game` + i.  `start` is the position they began from, `policy` the
    policies of South and North.

    Made by `simulate`; it holds what it is given.
    """

    scores: npt.NDArray[np.int16]
    winner: npt.NDArray[np.int8]
    moves: npt.NDArray[np.int32]
    turns: npt.NDArray[np.int32]
    laps: npt.NDArray[np.int64]
    captures: npt.NDArray[np.int32]
    longest: npt.NDArray[np.int64]
    end: npt.NDArray[np.uint8]
    first_move: npt.NDArray[np.int64]
    start: AnyPosition
    policy: tuple[str, str]
    seed: int
    first_game: int
    max_moves: int | None

    def __setstate__(self, state: Iterable[Any]) -> None:
        restore(self, state)

    @property
    def games(self) -> int:
        """How many games there are."""
        return len(self.winner)

    @property
    def title(self) -> str:
        """One line that tells the rules or the position they began from, policies and seed."""
        return title_of(self, self.first_game, self.games)

    def __repr__(self) -> str:
        return f"<Simulation: {self.title}>"

    def summary(self) -> Summary:
        """Win rates with 95 % intervals, lengths, laps, captures, endings, mean final stores.

        >>> from relaysow import giuthi, simulate
        >>> summary = simulate(giuthi(pits=5, seeds=4), games=1000, seed=1).summary()
        >>> summary.south.count + summary.north.count + summary.draws.count
        1000
        """
        return Tally.of({name: getattr(self, name) for name in COLUMNS}).summary(self.title, self)

    def plot(self) -> Any:
        """A `matplotlib.figure.Figure` of the games: their lengths, final stores, laps, and for
        each first move the share of games won by its player and drawn, with 95 % intervals.

        `plot().savefig("games.png")` writes it.  More than 64 first moves are not told apart.
        Raises `ImportError` naming the extra `plot` if matplotlib is not installed.

        >>> from relaysow import giuthi, simulate
        >>> figure = simulate(giuthi(pits=5, seeds=4), games=100, seed=1).plot()
        >>> [axes.get_title() for axes in figure.axes]
        ['Length of a game', 'Final stores', 'Laps of a game', "Results by South's first move"]
        """
        from relaysow.simulation import plots

        return plots.plot(self)

    def save_plot(self, path: str | os.PathLike[str]) -> None:
        """Write the figure of `plot` to `path`, which ends in `.pdf`, `.png` or `.svg`.

        The file appears whole or not at all, and replaces at once one that is there, as by `save`.
        Raises `TypeError` for what is no path, `ValueError` for another suffix, `OSError` as
        writing does, `ImportError` as `plot` does.
        """
        from relaysow.simulation import plots

        write = plots.writer_for(path)
        with written(path) as file, named(path):
            write(self, file)

    @property
    def metadata(self) -> dict[str, Any]:
        """What the files say of the games beside the columns; it takes JSON as it is."""
        return metadata_of(self, self.first_game, self.games)

    def _flat(self) -> dict[str, npt.NDArray[Any]]:
        """The columns of a file, but for the game's number."""
        south_north = {"south": self.scores[:, 0], "north": self.scores[:, 1]}
        return south_north | {name: getattr(self, name) for name in COLUMNS if name != "scores"}

    def to_arrow(self) -> Any:
        """A `pyarrow.Table`: `game` (its number), `south` and `north` (final stores), the other
        columns as they are, `end` as a dictionary of words; `metadata` as JSON under the
        schema's key `relaysow`.

        Raises `ImportError` naming the extra if pyarrow is not installed.

        >>> from relaysow import giuthi, simulate
        >>> table = simulate(giuthi(pits=5, seeds=4), games=10, seed=1).to_arrow()
        >>> table.num_rows, table.column_names[:4]
        (10, ['game', 'south', 'north', 'winner'])
        """
        import numpy as np

        pa = optional_import("pyarrow", "arrow")
        game = np.arange(self.games, dtype=np.uint64)
        game += np.uint64(self.first_game)
        arrays = {"game": pa.array(game)}
        for name, column in self._flat().items():
            arrays[name] = pa.array(column)
        arrays["end"] = pa.DictionaryArray.from_arrays(arrays["end"], pa.array(ENDS))
        return pa.table(arrays, metadata={"relaysow": json.dumps(self.metadata)})

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write the Arrow table of `to_arrow` as a Parquet file (needs the extra `arrow`).

        It replaces a file that is there as `save` does.  Raises `TypeError` or `ValueError` for
        what is no path, `OSError` as writing does, `ImportError` as `to_arrow` does.
        """
        optional_import("pyarrow.parquet", "arrow")
        with written(path) as file, named(path):
            write_parquet(self, file)

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write a CSV file: a header and a line a game, `end` as a word, all numbers exact.

        It replaces a file that is there as `save` does.  Raises `TypeError` or `ValueError` for
        what is no path, `OSError` as writing does.
        """
        with written(path) as file, named(path):
            write_csv(self, file)

    def to_npz(self, path: str | os.PathLike[str]) -> None:
        """Write a NumPy archive: the columns by name, and `metadata` as a string of JSON.

        It replaces a file that is there as `save` does.  Raises `TypeError` or `ValueError` for
        what is no path, `OSError` as writing does.
        """
        with written(path) as file, named(path):
            write_npz(self, file)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `path` in the format its suffix names: `.csv`, `.npz` or `.parquet`.

        A file appears whole or not at all: it is written under another name beside it first, then
        renamed, which replaces at once a file that is there.  Raises `TypeError` for what is no
        path, `ValueError` for another suffix, `ImportError` naming the extra where one is missing,
        `OSError` as writing does.
        """
        write = writer_for(path)
        with written(path) as file, named(path):
            write(self, file)


def write_csv(result: Simulation, file: IO[bytes]) -> None:
    columns = result._flat()
    file.write(f"game,{','.join(columns)}\n".encode())
    for i in range(0, result.games, 1 << 14):
        lists = {name: column[i : i + (1 << 14)].tolist() for name, column in columns.items()}
        lists["end"] = [ENDS[code] for code in lists["end"]]
        rows = enumerate(zip(*lists.values(), strict=True), result.first_game + i)
        lines = [f"{game},{','.join(map(str, row))}\n" for game, row in rows]
        file.write("".join(lines).encode())


def write_npz(result: Simulation, file: IO[bytes]) -> None:
    import numpy as np

    columns = {name: getattr(result, name) for name in COLUMNS}
    np.savez(file, metadata=np.array(json.dumps(result.metadata)), **columns)


def restore(result: Simulation | MatchSimulation, state: Iterable[Any]) -> None:
    """Fill a copy of a result, whose columns are as read-only as they were."""
    for field, value in zip(fields(result), state, strict=True):
        if hasattr(value, "flags"):  # NumPy makes its copies writeable
            value.flags.writeable = False
        object.__setattr__(result, field.name, value)


def write_parquet(result: Simulation, file: IO[bytes]) -> None:
    table = result.to_arrow()
    words = [name for name in table.column_names if name != "game"]
    optional_import(
        "pyarrow.parquet", "arrow"
    ).write_table(  # the numbers in a row take next to nothing
        table, file, use_dictionary=words, column_encoding={"game": "DELTA_BINARY_PACKED"}
    )


WRITERS = {".csv": write_csv, ".npz": write_npz, ".parquet": write_parquet}


def writer_for(path: str | os.PathLike[str]) -> Callable[[Simulation, IO[bytes]], None]:
    """What writes a result to a file of that suffix; raises as `save` does."""
    suffix = Path(name := checks.path("path", path)).suffix.lower()
    if suffix not in WRITERS:
        raise ValueError(f"path={shown(name)}: must end in '.csv', '.npz' or '.parquet'")
    if suffix == ".parquet":
        optional_import("pyarrow.parquet", "arrow")
    return WRITERS[suffix]


@dataclass(eq=False)
class Run:
    """All that decides the games of a simulation but their numbers, and how they are played.

    It crosses processes; a piece of it that is played in another thread ends soon after `stopped`.
    """

    start: AnyPosition
    policy: tuple[str, str]
    seed: int
    max_moves: int | None
    engine: str
    threads: int
    stopped: bool = False

    def play(self, first_game: int, games: int, poll: Poll | None) -> Played:
        """The columns of these games, how many were played, and what stopped them if not all."""
        if self.engine == "native":
            south, north = self.policy
            return _core.simulate(
                *(self.start, games, self.seed, first_game, self.threads, south, north),  # type: ignore[arg-type]
                *(self.max_moves, poll),
            )
        return self._play_reference(first_game, games, poll)

    def _play_reference(self, first_game: int, games: int, poll: Poll | None) -> Played:
        """A game at a time, so that Ctrl-C leaves the games done."""
        from relaysow import reference

        start: Any = self.start
        columns, done = empty_columns(games), 0
        try:
            while done < games:
                game = reference.simulate(
                    start, 1, self.seed, first_game + done, *self.policy, self.max_moves
                )
                for name, column in columns.items():
                    column[done] = game[name][0]
                done += 1
                if poll is not None:
                    poll(done)
        except BaseException as error:  # noqa: BLE001 - handed back beside the games done
            return columns, done, error
        return columns, done, None

    def result(self, first_game: int, columns: Columns) -> Simulation:
        for column in columns.values():
            column.flags.writeable = False
        return Simulation(
            **columns,
            start=self.start,
            policy=self.policy,
            seed=self.seed,
            first_game=first_game,
            max_moves=self.max_moves,
        )


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
    from relaysow.simulation import streaming

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
    from relaysow.simulation import streaming

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


def empty_columns(games: int) -> Columns:
    """Columns for so many games, not filled in."""
    import numpy as np

    return {
        name: np.empty((games, 2) if name == "scores" else games, dtype)
        for name, dtype in COLUMNS.items()
    }


def title_of(run: Run | Simulation, first_game: int, games: int) -> str:
    """One line that tells some games of a run."""
    cut = "" if run.max_moves is None else f", cut after {run.max_moves:,} moves"
    first = f", from game {first_game:,}" if first_game else ""
    return (
        f"{games:,} games {told_start(run.start)}, {run.policy[0]} against {run.policy[1]}{cut}, "
        f"seed {run.seed}{first}"
    )


def metadata_of(run: Run | Simulation, first_game: int, games: int) -> dict[str, Any]:
    """What the files say of some games of a run."""
    from relaysow import __version__
    from relaysow.text.notation import rules_to_text

    return {
        "relaysow": __version__,
        "rules": rules_to_text(run.start.rules),
        "start": run.start.to_text(),
        "policy": list(run.policy),
        "seed": run.seed,
        "first_game": first_game,
        "games": games,
        "max_moves": run.max_moves,
        "ends": list(ENDS),
    }


def start_of(rules_or_position: object, engine: str) -> Any:
    """The position to start from, as one of the named engine's own; raises as `simulate` does."""
    engine = one_of("engine", engine, ENGINES)
    module = "relaysow._core" if engine == "native" else "relaysow.reference"
    position: Any = import_module(module).Position
    if isinstance(rules_or_position, Rules):
        return position.start(rules_or_position)
    given: Any = rules_or_position
    if isinstance(given, position):
        return given
    if not checks.is_position(given):
        raise TypeError(f"rules_or_position must be Rules or a Position, not {shown(given)}")
    return position(
        given.rules,
        given.pits,
        given.stores,
        given.mover,
        given.protected,
        given.direction,
        given.barred,
        given.redistributions,
        given.drawn,
    )


def told_start(start: AnyPosition) -> str:
    """The rules if games begin as they say, else the position as text."""
    rules = start.rules
    return f"of {rules!r}" if start == type(start).start(rules) else f"from {start.to_text()}"
