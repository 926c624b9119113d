"""Many games at once: `simulate`, its results game by game, and their summary."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from math import nan, sqrt
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from relaysow.rules import Rules, whole_number

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from relaysow import reference
    from relaysow._core import Position

    AnyPosition = Position | reference.Position

POLICIES = ("random", "greedy")
"""The policies by name: any legal move alike; a largest capture, ties and no capture at random."""

ENGINES = ("native", "reference")
"""What can play the games: the core, or the plain-Python reference (the same games, slowly)."""

ENDS = ("both_stuck", "row_empty", "swept", "repetition", "endless", "cut")
"""How a game ended, in the order of the codes in `Simulation.end`."""

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

MAX_GAMES, MAX_THREADS, MAX_MOVES = 10**12, 1_024, 2**31 - 1
WORD = 2**64  # seeds and game numbers are 64-bit words


class SimulationInterrupted(KeyboardInterrupt):
    """Ctrl-C stopped a simulation; `result` holds the games played until then, a prefix."""

    def __init__(self, result: Simulation, games: int) -> None:
        super().__init__(result, games)
        self.result = result

    def __str__(self) -> str:
        return f"interrupted after {self.result.games:,} of {self.args[1]:,} games"


@dataclass(frozen=True, slots=True)
class Rate:
    """How many of the games, what share of them (0…1), and its 95 % Wilson interval."""

    count: int
    rate: float
    low: float
    high: float

    @classmethod
    def of(cls, count: int, games: int) -> Rate:
        """The rate of `count` in `games` (NaN, between 0 and 1, for no games).

        >>> from relaysow.simulation import Rate
        >>> Rate.of(0, 10)
        Rate(count=0, rate=0.0, low=0.0, high=0.2775327998628892)
        """
        if games == 0:
            return cls(count, nan, 0.0, 1.0)
        z, share = 1.959963984540054, count / games  # z: the 97.5 % point of the normal law
        middle = (share + z * z / (2 * games)) / (1 + z * z / games)
        half = z / (1 + z * z / games) * sqrt(share * (1 - share) / games + (z / (2 * games)) ** 2)
        low = middle - half if count else 0.0
        return cls(count, share, low, middle + half if count < games else 1.0)


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean, median and largest value of a column (NaN, NaN and 0 for no games)."""

    mean: float
    median: float
    max: int


@dataclass(frozen=True, slots=True)
class Summary:
    """What a simulation found: `str` gives it as plain text.

    `south`, `north`, `draws`, `cut` are the `Rate` of all games that South won, North won, were
    drawn, or were cut by `max_moves`; `moves`, `turns`, `laps`, `captures` and `longest` (the
    longest sowing of a game, in laps) the `Spread` over the games; `ends` the number of games by
    how they ended, all of `ENDS`; `scores` the mean final stores of South and North.
    """

    title: str
    games: int
    south: Rate
    north: Rate
    draws: Rate
    cut: Rate
    moves: Spread
    turns: Spread
    laps: Spread
    captures: Spread
    longest: Spread
    ends: dict[str, int]
    scores: tuple[float, float]
    simulation: Simulation = field(repr=False, compare=False)
    """The games themselves."""

    def plot(self) -> Any:
        """The figure of `Simulation.plot`."""
        return self.simulation.plot()

    def tables(self) -> list[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
        """The summary as tables of text: (heads, rows) each."""
        results = [("South wins", self.south), ("North wins", self.north), ("draws", self.draws)]
        results += [("cut", self.cut)] if self.cut.count else []
        spreads = {
            "moves": self.moves,
            "turns": self.turns,
            "laps": self.laps,
            "captures": self.captures,
            "longest sowing, laps": self.longest,
        }
        return [
            (
                ("result", "games", "share", "95 % interval"),
                [
                    (name, f"{r.count:,}", f"{r.rate:.2%}", f"{r.low:.2%} … {r.high:.2%}")
                    for name, r in results
                ],
            ),
            (
                ("a game", "mean", "median", "largest"),
                [
                    (name, f"{s.mean:,.2f}", f"{s.median:,.1f}", f"{s.max:,}")
                    for name, s in spreads.items()
                ],
            ),
            (
                ("ended by", "games", "share"),
                [
                    (name, f"{count:,}", f"{count / self.games:.2%}")
                    for name, count in self.ends.items()
                    if count
                ],
            ),
            (
                ("final stores", "South", "North"),
                [("mean", f"{self.scores[0]:,.2f}", f"{self.scores[1]:,.2f}")],
            ),
        ]

    def __str__(self) -> str:
        lines = [self.title]
        for heads, rows in self.tables():
            if rows:
                lines.append("")
                widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
                for cells in (heads, *rows):
                    first, *rest = (
                        cell.rjust(width) for cell, width in zip(cells, widths, strict=True)
                    )
                    lines.append("  ".join([first.strip().ljust(widths[0]), *rest]))
        return "\n".join(lines)


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

    @property
    def games(self) -> int:
        """How many games there are."""
        return len(self.winner)

    @property
    def title(self) -> str:
        """One line that tells the rules or the position they began from, policies and seed."""
        begun = told_start(self.start)
        cut = "" if self.max_moves is None else f", cut after {self.max_moves:,} moves"
        first = f", from game {self.first_game:,}" if self.first_game else ""
        return (
            f"{self.games:,} games {begun}, {self.policy[0]} against {self.policy[1]}{cut}, "
            f"seed {self.seed}{first}"
        )

    def __repr__(self) -> str:
        return f"<Simulation: {self.title}>"

    def summary(self) -> Summary:
        """Win rates with 95 % intervals, lengths, laps, captures, endings, mean final stores.

        >>> from relaysow import giuthi, simulate
        >>> summary = simulate(giuthi(pits=5, seeds=4), games=1000, seed=1).summary()
        >>> summary.south.count + summary.north.count + summary.draws.count
        1000
        """
        import numpy as np

        games = self.games

        def rate(winner: int) -> Rate:
            return Rate.of(int(np.count_nonzero(self.winner == winner)), games)

        def mean(column: npt.NDArray[Any]) -> float:
            return int(column.sum(dtype=np.int64)) / games if games else nan

        def spread(column: npt.NDArray[Any]) -> Spread:
            if games == 0:
                return Spread(nan, nan, 0)
            return Spread(mean(column), float(np.median(column)), int(column.max()))

        ended = np.zeros(len(ENDS), np.int64)
        for i in range(0, games, 1 << 20):  # bincount widens its input to 8 bytes a game
            ended += np.bincount(self.end[i : i + (1 << 20)], minlength=len(ENDS))
        return Summary(
            title=self.title,
            games=games,
            south=rate(0),
            north=rate(1),
            draws=rate(-1),
            cut=rate(-2),
            moves=spread(self.moves),
            turns=spread(self.turns),
            laps=spread(self.laps),
            captures=spread(self.captures),
            longest=spread(self.longest),
            ends=dict(zip(ENDS, ended.tolist(), strict=True)),
            scores=(mean(self.scores[:, 0]), mean(self.scores[:, 1])),
            simulation=self,
        )

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
        from relaysow import plots

        return plots.plot(self)

    def save_plot(self, path: str | os.PathLike[str]) -> None:
        """Write the figure of `plot` to `path`, which ends in `.pdf`, `.png` or `.svg`.

        The file appears whole or not at all.  Raises `ValueError` for another suffix, `OSError` as
        writing does, `ImportError` as `plot` does.
        """
        from relaysow import plots

        suffix = plots.format_of(path)
        with _written(path) as file:
            self.plot().savefig(file, format=suffix, dpi=150)

    @property
    def metadata(self) -> dict[str, Any]:
        """What the files say of the games beside the columns; it takes JSON as it is."""
        from relaysow import __version__
        from relaysow.notation import rules_to_text

        return {
            "relaysow": __version__,
            "rules": rules_to_text(self.start.rules),
            "start": self.start.to_text(),
            "policy": list(self.policy),
            "seed": self.seed,
            "first_game": self.first_game,
            "games": self.games,
            "max_moves": self.max_moves,
            "ends": list(ENDS),
        }

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

        pa = _pyarrow()
        game = np.arange(self.games, dtype=np.uint64)
        game += np.uint64(self.first_game)
        arrays = {"game": pa.array(game)}
        for name, column in self._flat().items():
            arrays[name] = pa.array(column)
        arrays["end"] = pa.DictionaryArray.from_arrays(arrays["end"], pa.array(ENDS))
        return pa.table(arrays, metadata={"relaysow": json.dumps(self.metadata)})

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write the Arrow table of `to_arrow` as a Parquet file (needs the extra `arrow`)."""
        parquet = _pyarrow("pyarrow.parquet")
        with _written(path) as file:
            parquet.write_table(self.to_arrow(), file)

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write a CSV file: a header and a line a game, `end` as a word, all numbers exact."""
        columns = self._flat()
        with _written(path) as file:
            file.write(f"game,{','.join(columns)}\n".encode())
            for i in range(0, self.games, 1 << 14):
                lists = {
                    name: column[i : i + (1 << 14)].tolist() for name, column in columns.items()
                }
                lists["end"] = [ENDS[code] for code in lists["end"]]
                rows = enumerate(zip(*lists.values(), strict=True), self.first_game + i)
                lines = [f"{game},{','.join(map(str, row))}\n" for game, row in rows]
                file.write("".join(lines).encode())

    def to_npz(self, path: str | os.PathLike[str]) -> None:
        """Write a NumPy archive: the columns by name, and `metadata` as a string of JSON."""
        import numpy as np

        columns = {name: getattr(self, name) for name in COLUMNS}
        with _written(path) as file:
            np.savez(file, metadata=np.array(json.dumps(self.metadata)), **columns)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `path` in the format its suffix names: `.csv`, `.npz` or `.parquet`.

        A file appears whole or not at all: it is written under another name beside it first.
        Raises `ValueError` for another suffix, `ImportError` naming the extra where one is
        missing, `OSError` as writing does.
        """
        getattr(self, writer_for(path))(path)


def writer_for(path: str | os.PathLike[str]) -> str:
    """The method of `Simulation` that writes `path`, by its suffix; raises as `save` does."""
    suffix = Path(path).suffix.lower()
    if suffix not in (".csv", ".npz", ".parquet"):
        raise ValueError(f"{os.fspath(path)!r}: must end in '.csv', '.npz' or '.parquet'")
    if suffix == ".parquet":
        _pyarrow()
    return f"to_{suffix[1:]}"


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
) -> Simulation:
    """Play `games` games from the opening of some rules, or from any position.

    Game number g depends on the rules, the start, the policies, `seed` and g alone: not on
    `threads` (all cores by default), on the machine, or on how a run is split by `first_game`.
    `engine="reference"` plays the same games in plain Python, on one thread.

    `policy` is `"random"` (every legal move alike), `"greedy"` (a largest capture; ties, and no
    capture, at random) or a pair of them, South's and North's.  A game of more than `max_moves`
    moves is cut and counts as neither won nor drawn.  `progress=True` shows a bar on a terminal.

    games 1…10¹²; seed and first_game 0…2⁶⁴−1, and so is every game number; threads None or
    1…1,024; max_moves None or 1…2³¹−1, not None with `repetition="off"`, where games need not end.
    Raises `ValueError` or `TypeError` naming the argument and what is allowed, `MemoryError` if
    the columns (42 bytes a game) find no room, and on Ctrl-C `SimulationInterrupted`, a
    `KeyboardInterrupt` whose `result` holds the games done.

    >>> from relaysow import giuthi, simulate
    >>> result = simulate(giuthi(pits=5, seeds=4), games=1000, seed=7)
    >>> result.scores.shape, int(result.moves.min()) > 0
    ((1000, 2), True)
    >>> again = simulate(giuthi(pits=5, seeds=4), games=100, seed=7, first_game=900, threads=2)
    >>> bool((again.scores == result.scores[900:]).all())
    True
    """
    games = within("games", games, 1, MAX_GAMES)
    seed = within("seed", seed, 0, WORD - 1)
    first_game = within("first_game", first_game, 0, WORD - 1)
    if first_game + games > WORD:
        raise ValueError(f"first_game={first_game}, games={games}: game numbers end at {WORD - 1}")
    threads = cores() if threads is None else within("threads", threads, 1, MAX_THREADS)
    if max_moves is not None:
        max_moves = within("max_moves", max_moves, 1, MAX_MOVES)
    south, north = policies_of(policy)
    if not isinstance(progress, bool):
        raise TypeError(f"progress must be True or False, not {progress!r}")
    start = start_of(rules_or_position, engine)
    if start.rules.repetition == "off" and max_moves is None:
        raise ValueError("repetition='off': games need not end, so max_moves must be given")

    with progress_bar(games, "games", progress) as poll:
        try:
            if engine == "native":
                from relaysow import _core

                columns, done, error = _core.simulate(
                    start, games, seed, first_game, threads, south, north, max_moves, poll
                )
            else:
                columns, done, error = _play_reference(
                    start, games, seed, first_game, south, north, max_moves, poll
                )
        except MemoryError:
            raise MemoryError(f"games={games}: no room for 42 bytes a game") from None
    for name, column in columns.items():
        columns[name] = column if done == games else column[:done].copy()
        columns[name].flags.writeable = False
    result = Simulation(
        **columns,
        start=start,
        policy=(south, north),
        seed=seed,
        first_game=first_game,
        max_moves=max_moves,
    )
    if isinstance(error, KeyboardInterrupt):
        raise SimulationInterrupted(result, games) from error
    if error is not None:
        raise error
    return result


def _play_reference(
    start: Any,
    games: int,
    seed: int,
    first_game: int,
    south: str,
    north: str,
    max_moves: int | None,
    poll: Callable[[int], None] | None,
) -> tuple[dict[str, npt.NDArray[Any]], int, BaseException | None]:
    """As `_core.simulate`, a game at a time, so that Ctrl-C leaves the games done."""
    import numpy as np

    from relaysow import reference

    columns: dict[str, npt.NDArray[Any]] = {
        name: np.empty((games, 2) if name == "scores" else games, dtype)
        for name, dtype in COLUMNS.items()
    }
    done = 0
    try:
        while done < games:
            game = reference.simulate(start, 1, seed, first_game + done, south, north, max_moves)
            for name, column in columns.items():
                column[done] = game[name][0]
            done += 1
            if poll is not None:
                poll(done)
    except BaseException as error:  # noqa: BLE001 - handed back beside the games done
        return columns, done, error
    return columns, done, None


def start_of(rules_or_position: object, engine: str) -> Any:
    """The position to start from, as one of the named engine's own; raises as `simulate` does."""
    if not isinstance(engine, str):
        raise TypeError(f"engine must be 'native' or 'reference', not {engine!r}")
    if engine not in ENGINES:
        raise ValueError(f"engine={engine!r}: must be 'native' or 'reference'")
    module = "relaysow._core" if engine == "native" else "relaysow.reference"
    position: Any = import_module(module).Position
    if isinstance(rules_or_position, Rules):
        return position.start(rules_or_position)
    given: Any = rules_or_position
    if isinstance(given, position):
        return given
    if type(given).__name__ != "Position" or not type(given).__module__.startswith("relaysow."):
        raise TypeError(f"rules_or_position must be Rules or a Position, not {given!r}")
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


def cores() -> int:
    """How many cores this process may use."""
    if sys.version_info >= (3, 13):
        return os.process_cpu_count() or 1
    with suppress(AttributeError):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def within(name: str, value: object, low: int, high: int) -> int:
    number = whole_number(name, value)
    if not low <= number <= high:
        raise ValueError(f"{name}={number}: must be {low}…{high}")
    return number


def policies_of(policy: object) -> tuple[str, str]:
    names = (policy, policy) if isinstance(policy, str) else policy
    if not isinstance(names, (tuple, list)) or not all(isinstance(name, str) for name in names):
        raise TypeError(f"policy must be a name or a pair of names, not {policy!r}")
    if len(names) != 2:
        raise ValueError(f"policy={policy!r}: must be one name or two, South's and North's")
    for name in names:
        if name not in POLICIES:
            allowed = " or ".join(map(repr, POLICIES))
            raise ValueError(f"policy={name!r}: must be {allowed}")
    return names[0], names[1]


@contextmanager
def progress_bar(total: int, unit: str, wanted: bool) -> Iterator[Callable[[int], None] | None]:
    """A function that shows how many are done, with rate and time left; None off a terminal."""
    if not (wanted and sys.stderr is not None and sys.stderr.isatty()):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        BarColumn(),
        TextColumn("{task.percentage:.1f} %  {task.completed:,.0f} of {task.total:,.0f} " + unit),
        TextColumn("{task.fields[rate]} left:"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        auto_refresh=False,
        transient=True,
    )
    task = bar.add_task("", total=total, rate="")

    def poll(done: int) -> None:
        speed = bar.tasks[task].speed
        rate = "" if speed is None else f"{speed:,.0f} {unit}/s"
        bar.update(task, completed=done, rate=rate, refresh=True)

    with bar:
        yield poll


def _pyarrow(module: str = "pyarrow") -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{module} is not installed; pip install 'relaysow[arrow]' brings it"
        ) from error


@contextmanager
def _written(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A file to write that takes the name `path` when all is written, and is removed if not."""
    target = Path(path)
    if target.exists() and not target.is_file():  # a pipe or a device has no name to take
        with target.open("wb") as file:
            yield file
        return
    target = Path(os.path.realpath(target))
    part = target.with_name(f".{target.name}.{os.getpid()}-{os.urandom(4).hex()}.part")
    try:
        with part.open("xb") as file:
            yield file
        part.replace(target)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
