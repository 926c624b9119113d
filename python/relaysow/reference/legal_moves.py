"""The legal moves of a position: a sequence that lists no redistribution needlessly."""

from __future__ import annotations

from collections.abc import Iterator
from sys import maxsize
from typing import TYPE_CHECKING, overload

from relaysow._support.checks import instance, number_of_move, shown
from relaysow._support.public import public
from relaysow._support.reloading import once
from relaysow.moves import Move, Redistribute, Sow
from relaysow.position_texts import PositionTexts
from relaysow.reference.moves import placement_at, placement_number, placements, sets_to_empty

if TYPE_CHECKING:
    from relaysow.reference.position import Position

once(__name__)


@public
class LegalMoves:
    """The legal moves of a position in canonical order: a sequence that lists nothing needlessly.

    Sowings are kept as a list.  Redistributions are counted and numbered, by the pits emptied and
    then by the placement, and made one by one when asked for.  `count` is their number, of any
    size; `len` raises `OverflowError` past `sys.maxsize`.

    Made by `Position.legal_moves`.  Raises `TypeError` for what is no Position or no list of moves,
    and no move or number; `IndexError` for a number past the end.

    >>> from relaysow.reference import Position
    >>> from relaysow.rules import kiothi
    >>> moves = Position.start(kiothi()).legal_moves
    >>> len(moves), moves[-1].emptied, moves.index(moves[123_456_789])
    (300450150, (8, 9), 123456789)
    """

    __array_ufunc__ = None  # NumPy would compare its own numbers with each move

    def __init__(self, position: Position, sowings: list[Move] | list[Sow] | None) -> None:
        instance("position", position, PositionTexts, "a Position")
        instance("sowings", sowings, (list, type(None)), "a list of moves, or None")
        for move in sowings or ():
            instance("sowings", move, (Sow, Redistribute), "a list of moves, or None")
        self._position = position
        self._sowings: list[Move] | None = None if sowings is None else list(sowings)
        self._sets: list[tuple[tuple[int, ...], int, int]] = []  # emptied, seeds, placements
        if sowings is None:
            pits = position.pits
            for emptied in sets_to_empty(position.rules, position.mover, pits):
                seeds = sum(pits[pit] for pit in emptied)
                self._sets.append((emptied, seeds, placements(seeds, len(pits))))

    @property
    def count(self) -> int:
        """How many there are."""
        if self._sowings is not None:
            return len(self._sowings)
        return sum(ways for _, _, ways in self._sets)

    def __len__(self) -> int:
        if self.count > maxsize:
            raise OverflowError(
                f"there are {self.count} legal moves, more than len() can tell: use .count"
            )
        return self.count

    def __bool__(self) -> bool:
        return self.count > 0

    @overload
    def __getitem__(self, which: int) -> Move: ...
    @overload
    def __getitem__(self, which: slice) -> list[Move]: ...
    def __getitem__(self, which: int | slice) -> Move | list[Move]:
        if isinstance(which, slice):
            return [self[i] for i in range(self.count)[which]]
        number = asked = number_of_move(which)
        if number < 0:
            number += self.count
        if not 0 <= number < self.count:
            raise IndexError(f"no move number {shown(asked)}: there are {self.count} legal moves")
        if self._sowings is not None:
            return self._sowings[number]
        for emptied, seeds, ways in self._sets:
            if number < ways:
                return Redistribute(emptied, placement_at(number, seeds, len(self._position.pits)))
            number -= ways
        raise AssertionError("the placements add up to the count")

    def __iter__(self) -> Iterator[Move]:
        return (self[i] for i in range(self.count))

    def index(self, move: Move) -> int:
        """The number of a move, however it is spelled.

        Raises `ValueError` if it is not legal here, `TypeError` for what is no move.
        """
        try:
            wanted = self._position.canonical(move)
            if self._sowings is not None:
                return self._sowings.index(wanted)
        except ValueError:
            text = self._position.to_text()
            raise ValueError(f"{shown(move)} is not a legal move in {text}") from None
        assert isinstance(wanted, Redistribute)
        before = 0
        for emptied, _, ways in self._sets:
            if emptied == wanted.emptied:
                break
            before += ways
        return before + placement_number(wanted.placed)

    def __contains__(self, move: object) -> bool:
        try:
            self.index(move)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            return False
        return True

    def __eq__(self, other: object) -> bool:
        if isinstance(other, LegalMoves):
            if self._sowings is None and other._sowings is None:
                same_ring = len(self._position.pits) == len(other._position.pits)
                return self._sets == other._sets and (same_ring or not self)
            return self.count == other.count and list(self) == list(other)
        if isinstance(other, (list, tuple)):
            return self.count == len(other) and all(
                a == b for a, b in zip(self, other, strict=True)
            )
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(repr(move) for move in self[:4])
        if not shown:
            return "<0 legal moves>"
        return f"<{self.count} legal moves: {shown}{', …' if self.count > 4 else ''}>"
