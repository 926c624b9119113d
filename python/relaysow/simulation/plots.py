"""What a simulation found, as a figure: lengths, final stores, laps, results by first move."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from textwrap import fill
from typing import IO, TYPE_CHECKING, Any

from relaysow._support import checks
from relaysow._support.extras import optional_import
from relaysow.simulation.summary import Rate
from relaysow.text.notation import PLAYERS

if TYPE_CHECKING:
    import numpy.typing as npt

    from relaysow.simulation.result import Simulation

FORMATS = (".pdf", ".png", ".svg")

MAX_FIRST_MOVES = 64
"""The most first moves whose results are drawn."""

_BLUE, _ORANGE = "#0b4f8a", "#c2590f"
_STYLES = (
    {"color": _BLUE, "linestyle": "-", "linewidth": 1.6},
    {"color": _ORANGE, "linestyle": "--", "linewidth": 1.6},
)


def plot(result: Simulation) -> Any:
    """The `matplotlib.figure.Figure` of `Simulation.plot`, which see."""
    figure = optional_import("matplotlib.figure", "plot").Figure(
        figsize=(11, 7.5), layout="constrained"
    )
    figure.suptitle(fill(result.title, 110), fontsize=11)
    lengths, stores, laps, first = figure.subplots(2, 2).flat
    if result.games == 0:
        for axes in (lengths, stores, laps, first):
            axes.text(0.5, 0.5, "no games", ha="center", transform=axes.transAxes)
        return figure
    _histogram(lengths, {"moves": result.moves, "turns": result.turns})
    lengths.set(title="Length of a game", xlabel="moves, turns", ylabel="games")
    _histogram(stores, {name: result.scores[:, player] for player, name in enumerate(PLAYERS)})
    stores.set(title="Final stores", xlabel="seeds", ylabel="games")
    _at_least(laps, {"all laps": result.laps, "longest sowing": result.longest})
    laps.set(title="Laps of a game", xlabel="laps", ylabel="share of games with at least so many")
    _first_moves(first, result)
    return figure


def writer_for(path: str | os.PathLike[str]) -> Callable[[Simulation, IO[bytes]], None]:
    """What draws a result to a file of that suffix; `ValueError` if nothing does, `ImportError`
    without matplotlib."""
    suffix = Path(name := checks.path("path", path)).suffix.lower()
    if suffix not in FORMATS:
        allowed = ", ".join(map(repr, FORMATS[:-1]))
        raise ValueError(f"path={checks.shown(name)}: must end in {allowed} or {FORMATS[-1]!r}")
    optional_import("matplotlib.figure", "plot")
    return lambda result, file: plot(result).savefig(file, format=suffix[1:], dpi=150)


def _histogram(axes: Any, columns: dict[str, npt.NDArray[Any]]) -> None:
    """Two columns of counts over the same bins, told apart by their lines too."""
    import numpy as np

    low = min(int(column.min()) for column in columns.values())
    high = max(int(column.max()) for column in columns.values())
    step = -(-(high + 1 - low) // 60)  # every bin holds as many whole numbers
    edges = np.arange(low, high + step + 1, step) - 0.5
    for (name, column), style in zip(columns.items(), _STYLES, strict=True):
        counts, _ = np.histogram(column, edges)
        axes.stairs(counts, edges, **style, label=name)
    axes.legend()


def _at_least(axes: Any, columns: dict[str, npt.NDArray[Any]]) -> None:
    """The share of games that have so much or more: what has a long tail is seen whole so."""
    import numpy as np

    high = max(int(column.max()) for column in columns.values())
    numbers = np.unique(np.rint(np.geomspace(1, high + 1, 400))).astype(np.int64)
    for (name, column), style in zip(columns.items(), _STYLES, strict=True):
        fewer = np.searchsorted(np.sort(column), numbers)
        axes.plot(numbers, 1 - fewer / len(column), **style, label=name)
    axes.set(xscale="log", ylim=(0, 1.02))
    ticks = optional_import("matplotlib.ticker", "plot")
    subs = (1, 2, 5) if high < 1_000 else (1,)
    axes.xaxis.set_major_locator(ticks.LogLocator(subs=subs))
    axes.xaxis.set_major_formatter(ticks.StrMethodFormatter("{x:,.0f}"))
    axes.xaxis.set_minor_formatter(ticks.NullFormatter())
    axes.legend(loc="lower left")


def _first_moves(axes: Any, result: Simulation) -> None:
    """How games went that began with each of the moves of the start."""
    import numpy as np

    start, player = result.start, PLAYERS[result.start.mover]
    count = start.legal_moves.count
    axes.set(title=f"Results by {player}'s first move", ylabel="share of games", ylim=(0, 1))
    if not 0 < count <= MAX_FIRST_MOVES:
        text = f"{count:,} first moves: too many to draw" if count else "no first move"
        axes.text(0.5, 0.5, text, ha="center", transform=axes.transAxes)
        axes.set(xticks=[], yticks=[])
        return
    games = np.bincount(result.first_move, minlength=count)
    for winner, name, colour, mark, shift in (
        (start.mover, f"{player} wins", _BLUE, "o", -0.12),
        (-1, "draws", _ORANGE, "s", 0.12),
    ):
        had = np.bincount(result.first_move[result.winner == winner], minlength=count)
        rates = [Rate.of(int(h), int(g)) for h, g in zip(had, games, strict=True)]
        drawn = [i for i, g in enumerate(games) if g]
        y = np.array([rates[i].rate for i in drawn])
        around = np.array(
            [(rates[i].rate - rates[i].low, rates[i].high - rates[i].rate) for i in drawn]
        )
        axes.errorbar(
            np.array(drawn) + shift,
            y,
            np.maximum(around.T, 0.0),
            fmt=mark,
            color=colour,
            markersize=4,
            capsize=2,
            label=name,
        )
    named = range(0, count, 1 + count // 33)
    names = [start.move_to_text(start.legal_moves[i]) for i in named]
    axes.set_xticks(named, names, rotation=90 if count > 16 else 0, fontsize=8)
    axes.set_xlabel("first move (bars: 95 % intervals)")
    axes.legend()
