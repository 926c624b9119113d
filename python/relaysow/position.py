"""What the core's Position has from the rooms above it: texts and pictures."""

from __future__ import annotations

from relaysow._core import Position
from relaysow._support.attached import attach, provided
from relaysow._support.reloading import once
from relaysow.moves import Move

once(__name__)


class _Methods:
    @provided("relaysow.text.notation")
    def to_text(self) -> str:  # type: ignore[empty-body]
        """The position on one line; the grammar is in `relaysow.text.notation`."""

    @staticmethod
    def from_text(text: str) -> Position:
        """The position that `to_text` wrote.

        Raises `NotationError` saying what is wrong and where, `RulesError` or `PositionError` for
        what cannot be, `TypeError` for what is no string.
        """
        from relaysow.text import notation

        return notation.from_text(text, Position)

    @provided("relaysow.text.notation")
    def move_to_text(self, move: Move) -> str:  # type: ignore[empty-body]
        """A move as text: `3+`, `3-`, `7`, `4x2`, `1,4=0,0,2,…`.

        Raises `IllegalMove` for one that cannot be written here, `TypeError` for what is no move.
        """

    @provided("relaysow.text.notation")
    def move_from_text(self, text: str) -> Move:  # type: ignore[empty-body]
        """The move that a text means here.

        Raises `NotationError` saying what is wrong, `TypeError` that it is no string.
        """

    @provided("relaysow.text.board", "board")
    def __str__(self) -> str: ...  # type: ignore[empty-body]

    @provided("relaysow.text.svg", "svg")
    def _repr_svg_(self) -> str:  # type: ignore[empty-body]
        """The board as a notebook shows it."""


attach(_Methods, Position)
