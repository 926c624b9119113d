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

COLUMNS = _core.result_columns()
"""The columns of a `Simulation` with NumPy's names of their types, in all 42 bytes a game."""


def compare_with_core(result: type) -> None:
    """`ImportError` naming a column that the fields of `Simulation` have otherwise, or the ends."""
    fields = {
        name: kind.removeprefix("npt.NDArray[np.").removesuffix("]")
        for name, kind in result.__annotations__.items()
        if kind.startswith("npt.NDArray")
    }
    for name in COLUMNS | fields:
        if COLUMNS.get(name) != fields.get(name):
            here, there = fields.get(name, "missing"), COLUMNS.get(name, "missing")
            _refuse_core(f"the column '{name}'", here, there)
    if tuple(COLUMNS) != tuple(fields):
        _refuse_core("the order of columns", ", ".join(fields), ", ".join(COLUMNS))
    if _core.end_names != ENDS:
        _refuse_core("the list of ends", ", ".join(ENDS), ", ".join(_core.end_names))


def _refuse_core(what: str, here: str, there: str) -> None:
    raise ImportError(
        f"{what} is {here} in relaysow.simulation and {there} in relaysow._core, which has to be "
        "built again"
    )


def empty_columns(games: int) -> Columns:
    """Columns for so many games, not filled in."""
    import numpy as np

    return {
        name: np.empty((games, 2) if name == "scores" else games, dtype)
        for name, dtype in COLUMNS.items()
    }
