"""What a simulation gives: its games, row by row."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar

from relaysow._support.extras import optional_import
from relaysow._support.files import named, written
from relaysow._support.public import public
from relaysow._support.reloading import once
from relaysow.simulation import plots, writers
from relaysow.simulation.columns import COLUMNS, compare_with_core
from relaysow.simulation.setting import metadata_of, title_of
from relaysow.simulation.summary import ENDS, Summary, Tally

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from relaysow.match import MatchSimulation
    from relaysow.text.notation import AnyPosition

once(__name__)

R = TypeVar("R", bound=type)


@public
class SimulationInterrupted(KeyboardInterrupt):
    """Ctrl-C stopped a simulation; `result` holds the games, or matches, played until then."""

    def __init__(self, result: Simulation | Summary | MatchSimulation, wanted: int) -> None:
        super().__init__(result, wanted)
        self.result = result

    def __str__(self) -> str:
        unit = "matches" if hasattr(self.result, "matches") else "games"
        return f"interrupted after {getattr(self.result, unit):,} of {self.args[1]:,} {unit}"


def copied_read_only(result: R) -> R:
    """Decorates, above `dataclass`, a class of results: a copy's columns are as read-only.

    Python before 3.11.4 overwrites the `__setstate__` that stands in a frozen class with slots.
    """

    def restore(copy: Any, state: Iterable[Any]) -> None:
        for field, value in zip(fields(copy), state, strict=True):
            if hasattr(value, "flags"):  # NumPy makes its copies writeable
                value.flags.writeable = False
            object.__setattr__(copy, field.name, value)

    result.__setstate__ = restore  # type: ignore[attr-defined]
    return result


@public
@copied_read_only
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
        return plots.plot(self)

    def save_plot(self, path: str | os.PathLike[str]) -> None:
        """Write the figure of `plot` to `path`, which ends in `.pdf`, `.png` or `.svg`.

        The file appears whole or not at all, and replaces at once one that is there, as by `save`.
        Raises `TypeError` for what is no path, `ValueError` for another suffix, `OSError` as
        writing does, `ImportError` as `plot` does.
        """
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
            writers.write_parquet(self, file)

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write a CSV file: a header and a line a game, `end` as a word, all numbers exact.

        It replaces a file that is there as `save` does.  Raises `TypeError` or `ValueError` for
        what is no path, `OSError` as writing does.
        """
        with written(path) as file, named(path):
            writers.write_csv(self, file)

    def to_npz(self, path: str | os.PathLike[str]) -> None:
        """Write a NumPy archive: the columns by name, and `metadata` as a string of JSON.

        It replaces a file that is there as `save` does.  Raises `TypeError` or `ValueError` for
        what is no path, `OSError` as writing does.
        """
        with written(path) as file, named(path):
            writers.write_npz(self, file)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `path` in the format its suffix names: `.csv`, `.npz` or `.parquet`.

        A file appears whole or not at all: it is written under another name beside it first, then
        renamed, which replaces at once a file that is there.  Raises `TypeError` for what is no
        path, `ValueError` for another suffix, `ImportError` naming the extra where one is missing,
        `OSError` as writing does.
        """
        write = writers.writer_for(path)
        with written(path) as file, named(path):
            write(self, file)


compare_with_core(Simulation)
