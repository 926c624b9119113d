"""Exact values as the command prints them, and the table that it looks them up in."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from relaysow.options import MAX_SEEDS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager

    from relaysow.exact.tablebase import Tablebase
    from relaysow.exact.values import Value
    from relaysow.moves import Move
    from relaysow.text.notation import AnyPosition

LookUp = Annotated[str | None, typer.Option(help="Look positions of fewer seeds up in this file.")]


def opened(path: str | None) -> AbstractContextManager[Tablebase | None]:
    from relaysow.exact.tablebase import Tablebase

    return nullcontext() if path is None else Tablebase.open(path)


def print_values(position: AnyPosition, worth: Value, moves: Mapping[Move, Value]) -> None:
    """What a position and its moves are worth; those that keep the result are marked."""
    print(_worth(worth))
    for move, value in moves.items():
        mark = "*" if value.result == worth.result else " "
        print(f"{mark} {position.move_to_text(move)}\t{_worth(value)}")


def _worth(value: Value) -> str:
    """A value in words, of the player to move."""
    result = {1: "win", 0: "draw", -1: "loss"}[value.result]
    win, draw = _lead(value.lead_to_win), _lead(value.lead_to_draw)
    return f"{result} (least lead to win {win}, to draw {draw})"


def _lead(lead: float) -> str:
    return "any" if lead < -MAX_SEEDS else "none" if lead > MAX_SEEDS else f"{lead:+}"
