"""A game: positions one after the other, and what repeats."""

from __future__ import annotations

from typing import NamedTuple, Self

from relaysow._support.attached import provided
from relaysow._support.checks import shown
from relaysow._support.public import public
from relaysow._support.reloading import once
from relaysow.moves import Move, Outcome, Redistribute, Sow
from relaysow.reference.ending import drawn_out, final_stores, higher
from relaysow.reference.legal_moves import LegalMoves
from relaysow.reference.position import Position
from relaysow.rules import Rules

once(__name__)


def same_for_repetition(one: Position, other: Position) -> bool:
    """Whether two positions of a game repeat each other.

    "The same ring, player to move, protection and duties."  The stores need no comparison: they
    change by captures alone, and then the ring does too.
    """
    return (
        one.pits == other.pits
        and one.mover == other.mover
        and one.protected == other.protected
        and one.direction == other.direction
        and one.barred == other.barred
    )


class _Step(NamedTuple):
    """A position reached in a game, by which move, whether a turn begins there, and the outcome if
    it ended."""

    position: Position
    move: Move | None
    begins_turn: bool
    outcome: Outcome | None


@public
class Game:
    """A game from the opening of some rules, or from any position: moves, undo, repetition.

    A turn is "a move plus the moves it earns"; it ends when the other player is to move, or by a
    pass.
    "`repetition`: a position in which a move is to be chosen that has the same ring, player to
    move, protection and duties as an earlier one of this game ends it.  All such positions are
    compared, also inside a turn."  `repetition="off"` compares nothing.

    A move is one step added to a list, so that it has been made or not whatever interrupts it.

    >>> from relaysow import Sow, giuthi
    >>> game = Game(giuthi(pits=5, seeds=4))
    >>> game.push(Sow(0, direction="ccw"))
    >>> game.position.stores, game.position.mover, game.is_over
    ((5, 0), 1, False)
    >>> game.undo()
    Sow(pit=0, lift=None, direction='ccw')

    Raises `TypeError` for anything but `Rules` or a `Position`.
    """

    def __init__(self, start: Rules | Position) -> None:
        if isinstance(start, Rules):
            start = Position.start(start)
        if not isinstance(start, Position):
            raise TypeError(f"a game starts from Rules or a Position, not {shown(start)}")
        self._start = start
        self._steps: list[_Step] = []
        self._arrive(start, None, begins_turn=True)

    @property
    def start(self) -> Position:
        """The position the game began with."""
        return self._start

    @property
    def position(self) -> Position:
        """The present position."""
        return self._steps[-1].position

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves played, in order."""
        return tuple([step.move for step in self._steps if step.move is not None])

    @property
    def begins_turn(self) -> bool:
        """Whether the present position is the start of a turn."""
        return self._steps[-1].begins_turn

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None."""
        return self._steps[-1].outcome

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, by the position or by repetition."""
        return self.outcome is not None

    @property
    def legal_moves(self) -> LegalMoves:
        """As `Position.legal_moves`; none when the game is over."""
        if self.is_over:
            return LegalMoves(self.position, [])
        return self.position.legal_moves

    def is_legal(self, move: Move) -> bool:
        """Whether a candidate move is legal, in the position and in this game.

        Raises what `Position.sow` does.
        """
        return self.position.sow(move).after is not None and not self.is_over

    def push(self, move: Move) -> None:
        """Play a legal move.

        Raises `IllegalMove` if it is not, with the reason, `TypeError` for what is no move.
        """
        position = self.position
        if not isinstance(move, (Sow, Redistribute)):
            raise TypeError(f"a move must be Sow or Redistribute, not {shown(move)}")
        if self.is_over:
            raise position.illegal(move, "the game is over")
        after = position.play(move)
        begins_turn = after.mover != position.mover or after.passed
        self._arrive(after, position.canonical(move), begins_turn)

    def undo(self) -> Move:
        """Take back the last move and return it; `IndexError` if there is none."""
        move = self._steps[-1].move
        if move is None:
            raise IndexError("no move to undo")
        self._steps.pop()
        return move

    @provided("relaysow.records")
    def record(self) -> str:  # type: ignore[empty-body]
        """The game as text that `from_record` plays again."""

    @classmethod
    @provided("relaysow.records", "replay")
    def from_record(cls, text: str) -> Self:  # type: ignore[empty-body]
        """The game of a record.

        Raises `NotationError` if the text is none or does not play, `RulesError` for rules that
        cannot be, `TypeError` for anything but a string.
        """

    def __copy__(self) -> Game:
        other = object.__new__(type(self))
        other._start, other._steps = self._start, self._steps.copy()
        return other

    def __repr__(self) -> str:
        return f"<Game of {len(self._steps) - 1} moves: {self.position!r}>"

    def _arrive(self, position: Position, move: Move | None, begins_turn: bool) -> None:
        """Add the position after a move and judge it."""
        outcome = None
        if position.end is not None:
            stores = final_stores(position, position.end)
            winner = -1 if position.drawn else higher(stores)
            outcome = Outcome(winner, stores, position.end)
        elif self._repeats(position):
            outcome = drawn_out(position)
        self._steps.append(_Step(position, move, begins_turn, outcome))

    def _repeats(self, position: Position) -> bool:
        """Whether the position, in which a move is to be chosen, repeats an earlier one.

        "Positions before the last redistribution never count.  A capture makes all earlier
        positions unreachable, so only positions since the last capture matter."
        """
        rules = position.rules
        if rules.repetition == "off" or position.redistributions < 2:
            return False
        for step in reversed(self._steps):
            earlier = step.position
            if earlier.stores != position.stores or earlier.redistributions < 2:
                return False
            if same_for_repetition(position, earlier):
                return True
        return False
