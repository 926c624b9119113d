"""The texts and pictures of a position, which `relaysow.text` makes: of the core's and the plain."""

from __future__ import annotations

from typing import Self

from relaysow._support.attached import provided
from relaysow.moves import Move


class PositionTexts:
    __slots__ = ()

    @provided("relaysow.text.notation")
    def to_text(self) -> str:  # type: ignore[empty-body]
        """The position on one line, which `from_text` gives back; the grammar is in
        `relaysow.text.notation`.

        >>> from relaysow import engehe
        >>> engehe(pits=5).start().to_text()
        'engehe(pits=5,seeds=4) 4,4,4,4,4;4,4,4,4,4 0,0 S - - 2'
        """

    @classmethod
    @provided("relaysow.text.notation", "from_text")
    def from_text(cls, text: str) -> Self:  # type: ignore[empty-body]
        """The position that `to_text` wrote.

        Raises `NotationError` saying what is wrong and where, `RulesError` or `PositionError` for
        what cannot be, `TypeError` for what is no string.
        """

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
    def __str__(self) -> str:  # type: ignore[empty-body]
        """The board, drawn."""

    @provided("relaysow.text.svg", "svg")
    def _repr_svg_(self) -> str:  # type: ignore[empty-body]
        """The board as a notebook shows it."""
