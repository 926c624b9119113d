"""What simulated games come to: the `Summary`, and the exact counts it is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import nan, sqrt
from typing import TYPE_CHECKING, Any

from relaysow._support.public import public
from relaysow._support.reloading import once

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from relaysow.simulation.result import Simulation

    Counts = npt.NDArray[np.int64]

once(__name__)

ENDS = ("both_stuck", "row_empty", "swept", "repetition", "endless", "cut")
"""How a game ended, in the order of the codes in `Simulation.end`."""


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

        >>> from relaysow.simulation.summary import Rate
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


@public
@dataclass(frozen=True, slots=True)
class Summary:
    """What a simulation found: `str` gives it as plain text.

    `south`, `north`, `draws`, `cut` are the `Rate` of all games that South won, North won, were
    drawn, or were cut by `max_moves`; `moves`, `turns`, `laps`, `captures` and `longest` (the
    longest sowing of a game, in laps) the `Spread` over the games; `ends` the number of games by
    how they ended, all of `ENDS`; `scores` the mean final stores of South and North.

    Made by `simulate`; it holds what it is given.
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
    simulation: Simulation | None = field(default=None, repr=False, compare=False)
    """The games themselves, if they were kept."""

    def __copy__(self) -> Summary:
        return replace(self, ends=self.ends.copy())

    def plot(self) -> Any:
        """The figure of `Simulation.plot`; raises `ValueError` if the games were not kept."""
        if self.simulation is None:
            raise ValueError("the games were not kept: only keep='columns' can plot them")
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


SPREADS = ("moves", "turns", "laps", "captures", "longest")
"""The columns whose values a `Tally` counts one by one."""

DENSE = 1 << 16  # values below it are counted by an array, the rare ones above by a list
BLOCK = 1 << 16  # rows counted at once: NumPy widens them to 8 bytes


def _joined(one: Counts, other: Counts) -> Counts:
    """The sum of two arrays, the shorter of them filled up with zeros."""
    if len(one) < len(other):
        one, other = other, one
    total = one.copy()
    total[: len(other)] += other
    return total


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """How often each value of a column of numbers ≥ 0 occurs, in 64-bit counts.

    `counts[v]` for v < 65,536; the values from there on that do occur are in `rare`, ascending,
    and their counts in `rare_counts`.  So it takes at most half a megabyte, and 16 bytes for each
    different number of 65,536 or more.
    """

    counts: Counts
    rare: Counts
    rare_counts: Counts

    @classmethod
    def of(cls, column: npt.NDArray[Any]) -> Histogram:
        import numpy as np

        none = np.zeros(0, np.int64)
        if len(column) == 0 or int(column.max()) < DENSE:
            return cls(np.bincount(column).astype(np.int64, copy=False), none, none)
        small = column < DENSE
        rare, counts = np.unique(column[~small].astype(np.int64), return_counts=True)
        dense = np.bincount(column[small])
        return cls(dense.astype(np.int64, copy=False), rare, counts.astype(np.int64, copy=False))

    def __add__(self, other: Histogram) -> Histogram:
        import numpy as np

        rare, counts = self.rare, self.rare_counts
        if len(other.rare):
            both = np.concatenate((self.rare, other.rare))
            rare, where = np.unique(both, return_inverse=True)
            counts = np.zeros(len(rare), np.int64)
            np.add.at(counts, where, np.concatenate((self.rare_counts, other.rare_counts)))
        return Histogram(_joined(self.counts, other.counts), rare, counts)

    def spread(self) -> Spread:
        """Mean, median and largest value, as exact as floats are."""
        import numpy as np

        values = np.concatenate((np.flatnonzero(self.counts), self.rare))
        counts = np.concatenate((self.counts[self.counts != 0], self.rare_counts))
        if len(values) == 0:
            return Spread(nan, nan, 0)
        up_to = counts.cumsum()
        games = int(up_to[-1])
        # In Python's integers: the sum of rare values need not fit 64 bits.
        total = sum(v * c for v, c in zip(values.tolist(), counts.tolist(), strict=True))
        low, high = values[np.searchsorted(up_to, ((games - 1) // 2, games // 2), side="right")]
        return Spread(total / games, (float(low) + float(high)) / 2, int(values[-1]))


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """The exact counts of some games from which their `Summary` follows; `+` joins those of others.

    `winners` by `Simulation.winner` + 2, `ends` by `Simulation.end`, `stores` the sums of the
    final stores, `histograms` those of `SPREADS`.
    """

    winners: Counts
    ends: Counts
    stores: tuple[int, int]
    histograms: tuple[Histogram, ...]

    @classmethod
    def of(cls, columns: Mapping[str, npt.NDArray[Any]]) -> Tally:
        """The counts of some games from their columns, as `Simulation` has them."""
        import numpy as np

        games = len(columns["winner"])
        if games > BLOCK:
            first, *others = (
                cls.of({name: column[i : i + BLOCK] for name, column in columns.items()})
                for i in range(0, games, BLOCK)
            )
            return sum(others, start=first)
        winners = np.bincount(columns["winner"] + np.int8(2), minlength=4)
        ends = np.bincount(columns["end"], minlength=len(ENDS))
        south, north = (int(columns["scores"][:, player].sum(dtype=np.int64)) for player in (0, 1))
        histograms = tuple(Histogram.of(columns[name]) for name in SPREADS)
        return cls(winners.astype(np.int64), ends.astype(np.int64), (south, north), histograms)

    def __add__(self, other: Tally) -> Tally:
        histograms = zip(self.histograms, other.histograms, strict=True)
        return Tally(
            self.winners + other.winners,
            self.ends + other.ends,
            (self.stores[0] + other.stores[0], self.stores[1] + other.stores[1]),
            tuple(one + another for one, another in histograms),
        )

    @property
    def games(self) -> int:
        return int(self.winners.sum())

    def summary(self, title: str, simulation: Simulation | None = None) -> Summary:
        games = self.games
        cut, draws, south, north = (Rate.of(count, games) for count in self.winners.tolist())
        stores = self.stores
        return Summary(
            title=title,
            games=games,
            south=south,
            north=north,
            draws=draws,
            cut=cut,
            ends=dict(zip(ENDS, self.ends.tolist(), strict=True)),
            scores=(stores[0] / games, stores[1] / games) if games else (nan, nan),
            simulation=simulation,
            **dict(zip(SPREADS, (h.spread() for h in self.histograms), strict=True)),
        )
