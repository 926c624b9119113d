"""A game: a position with its history, so that moves can be taken back and repetition judged."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

from relaysow._core import LegalMoves, Position
from relaysow._support import replayed
from relaysow._support.attached import provided
from relaysow._support.checks import shown
from relaysow._support.public import public
from relaysow._support.reloading import once
from relaysow.moves import IllegalMove, Move, Outcome, Redistribute, Sow
from relaysow.rules import Rules
from relaysow.text import notation

once(__name__)


class _Ply(NamedTuple):
    """The game after so many moves."""

    position: Position
    judged: Position
    """The same, but over where the game has ended by repetition."""
    outcome: Outcome | None
    compared: bool
    """Whether later positions are compared with this one."""


@public
class Game:
    """A game played from the opening of some rules, or from any position.

    >>> from relaysow import Sow, giuthi
    >>> game = Game(giuthi(pits=5, seeds=4))
    >>> game.push(Sow(0, direction="ccw"))
    >>> game.position.mover, game.is_over, len(game.moves)
    (1, False, 1)
    >>> game.undo()
    Sow(pit=0, lift=None, direction='ccw')

    A game ends where its position does, and by `repetition` when a position in which a move is to
    be chosen comes again, also inside a turn.  Redistributions are not compared.

    A `push` or `undo` that an exception interrupts, Ctrl-C for instance, has been made or has not.
    Threads that share a game need a lock of their own around whatever they do with it.

    Raises `TypeError` for anything but `Rules` or a `Position`.
    """

    def __init__(self, start: Rules | Position) -> None:
        position = start.start() if isinstance(start, Rules) else start
        if not isinstance(position, Position):
            raise TypeError(f"a game starts from Rules or a Position, not {shown(start)}")
        # What the game is: a move is one append here, an undo one pop.  What else tells of plies
        # may tell of some that are not there.
        self._plies: list[_Ply] = []
        self._moves: list[Move] = []
        # At which ply a compared position stands.
        # A capture leaves fewer seeds on the ring for good, so positions from before it may stay
        # here: they never come again.  For the same reason positions of one game with the same
        # ring have the same stores, and are equal exactly when repetition takes them to be so.
        # Nor does one come again from before the last redistribution: their number is part of it.
        self._compared: dict[Position, int] = {}
        self._enter(self._ply(position))

    @property
    def start(self) -> Position:
        """The position in which the game began."""
        return self._plies[0].position

    @property
    def position(self) -> Position:
        """The present position."""
        return self._plies[-1].position

    @property
    def positions(self) -> tuple[Position, ...]:
        """The positions of the game from its start to the present: one more than the moves."""
        return tuple(ply.position for ply in self._plies)

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves made, each as `legal_moves` spells it."""
        return tuple(self._moves[: len(self._plies) - 1])

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.outcome is not None

    @property
    def outcome(self) -> Outcome | None:
        """How the game has ended, None while it goes on.

        >>> from relaysow import Position, giuthi
        >>> Game(Position(giuthi(pits=3, seeds=4), (1, 0, 0, 0, 1, 1), stores=(10, 11))).outcome
        Outcome(winner=1, stores=(11, 13), end='both_stuck')
        """
        return self._plies[-1].outcome

    @property
    def legal_moves(self) -> LegalMoves:
        """The moves that may be made: those of the position, none when the game is over."""
        return self._plies[-1].judged.legal_moves

    def push(self, move: Move) -> None:
        """Make a move.

        Raises `IllegalMove`, naming the move, the position and the reason, `TypeError` for
        anything but a `Sow` or a `Redistribute`.
        """
        if not isinstance(move, (Sow, Redistribute)):
            raise TypeError(f"a move must be Sow or Redistribute, not {shown(move)}")
        before = self.position
        if self.is_over:
            raise IllegalMove(f"illegal move {shown(move)} in {before.to_text()}: the game is over")
        ply = self._ply(before.play(move))
        self._moves[len(self._plies) - 1 :] = (notation.canonical(before, move),)
        self._enter(ply)

    def undo(self) -> Move:
        """Take the last move back and return it; `IndexError` if there is none."""
        if len(self._plies) == 1:
            raise IndexError("no move to undo")
        ply = self._plies.pop()
        if ply.compared:
            del self._compared[ply.position]
        return self._moves[len(self._plies) - 1]

    def repeatable(self) -> list[Position]:
        """The positions before this one that may come again and end the game by it."""
        seeds = sum(self.position.pits)
        return [
            earlier.position
            for earlier in self._plies[:-1]
            if earlier.compared and sum(earlier.position.pits) == seeds
        ]

    def __copy__(self) -> Game:
        """A game with the same history, which then goes its own way."""
        other = object.__new__(type(self))
        other.__dict__ |= self.__dict__
        other._moves, other._plies = self._moves.copy(), self._plies.copy()
        other._compared = self._compared.copy()
        return other

    def __getstate__(self) -> dict[str, Any]:
        return replayed.state_of(self, Game, self.moves, self.start)

    def __setstate__(self, state: object) -> None:
        replayed.restore(self, Game, state)

    @provided("relaysow.records")
    def record(self) -> str:  # type: ignore[empty-body]
        """The game as text (the grammar is that of `relaysow.records`); `from_record` gives it
        back."""

    @classmethod
    @provided("relaysow.records", "replay")
    def from_record(cls, text: str) -> Self:  # type: ignore[empty-body]
        """The game of a record, played again.

        Raises `NotationError`, naming line and column, for text that is no record, an illegal
        move, or a result that the moves do not give; `TypeError` for anything but a string.

        >>> from relaysow import Sow, giuthi
        >>> game = Game(giuthi(pits=5, seeds=4))
        >>> game.push(Sow(0, direction="ccw"))
        >>> Game.from_record(game.record()).position == game.position
        True
        """

    def __repr__(self) -> str:
        mover = notation.PLAYERS[self.position.mover]
        state = f"{self.outcome}" if self.is_over else f"{mover} to move"
        moves = len(self._plies) - 1
        count = "1 move" if moves == 1 else f"{moves} moves"
        return f"<Game of {self.start.rules!r}: {count}, {state}>"

    def _ply(self, position: Position) -> _Ply:
        """The next ply, from the position a move leads to."""
        judged, compared = position, not position.is_over and position.rules.repetition != "off"
        if compared and self._is_compared(position):
            judged, compared = position._ended_by_repetition(), False
        return _Ply(position, judged, _outcome(judged), compared)

    def _is_compared(self, position: Position) -> bool:
        """Whether a position is one of those that later ones are compared with."""
        at = self._compared.get(position, len(self._plies))
        if at >= len(self._plies):
            return False
        ply = self._plies[at]
        return ply.compared and ply.position == position

    def _enter(self, ply: _Ply) -> None:
        # First the note, which says nothing until the ply is there.
        if ply.compared:
            self._compared[ply.position] = len(self._plies)
        self._plies.append(ply)


def _outcome(position: Position) -> Outcome | None:
    """The outcome of a position that is over."""
    winner, stores, end = position.winner, position.final_stores, position.end
    if winner is None or stores is None or end is None:
        return None
    return Outcome(winner, stores, end)
