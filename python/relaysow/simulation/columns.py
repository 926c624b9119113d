"""The columns of games, one row a game, as the extension fills them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from relaysow import _core
from relaysow.simulation.summary import ENDS

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Columns = dict[str, npt.NDArray[Any]]
    Poll = Callable[[int], None]
    Played = tuple[Columns, int, BaseException | None]

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


def empty_columns(games: int) -> Columns:
    """Columns for so many games, not filled in."""
    import numpy as np

    return {
        name: np.empty((games, 2) if name == "scores" else games, dtype)
        for name, dtype in COLUMNS.items()
    }
