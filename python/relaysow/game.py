"""A game: a position with its history, so that moves can be taken back and repetition judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Any, NamedTuple, overload

from relaysow._core import LegalMoves, Position
from relaysow._support.checks import number_of_move, shown
from relaysow._support.reloading import once
from relaysow.moves import IllegalMove, Move, Outcome, Redistribute, Sow
from relaysow.rules import Rules
from relaysow.text import notation, records

once(__name__)


class RemainingMoves:
    """The legal moves of a position less those that a game's history forbids.

    Has all that `Position.legal_moves` has.  Raises `IndexError` for a number past the end, and
    `TypeError` for what is no number, and no move.

    Made by `Game.legal_moves`; it holds what it is given.
    """

    __slots__ = ("_moves", "_position")
    __array_ufunc__ = None  # NumPy would compare its own numbers with each move

    def __init__(self, position: Position, moves: Iterable[Move]) -> None:
        self._position = position
        self._moves = tuple(moves)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._moves)

    def __len__(self) -> int:
        return len(self._moves)

    def __iter__(self) -> Iterator[Move]:
        return iter(self._moves)

    @overload
    def __getitem__(self, at: int) -> Move: ...
    @overload
    def __getitem__(self, at: slice) -> list[Move]: ...
    def __getitem__(self, at: int | slice) -> Move | list[Move]:
        if isinstance(at, slice):
            return list(self._moves[at])
        number = number_of_move(at)
        if not -len(self) <= number < len(self):
            raise IndexError(f"no move number {shown(number)}: there are {len(self)} legal moves")
        return self._moves[number]

    def __contains__(self, move: object) -> bool:
        if not isinstance(move, (Sow, Redistribute)):
            return False
        try:
            self.index(move)
        except ValueError:
            return False
        return True

    def index(self, move: Move) -> int:
        """The number of a move, however it is spelt.

        Raises `ValueError` if it is not among these, `TypeError` for what is no move.
        """
        every = self._position.legal_moves
        number = every.index(move)
        if every[number] not in self._moves:
            raise ValueError(f"{shown(move)} repeats a position of its turn")
        return self._moves.index(every[number])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (RemainingMoves, LegalMoves, list, tuple)):
            return NotImplemented
        return all(own == its for own, its in zip_longest(self, other, fillvalue=self._position))

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return RemainingMoves, (self._position, self._moves)

    def __repr__(self) -> str:
        first = ", ".join(map(repr, self._moves[:4])) + (", …" if len(self) > 4 else "")
        return f"<{len(self)} legal moves: {first}>"


class _Ply(NamedTuple):
    """The game after so many moves."""

    position: Position
    turn: int
    """How many moves had been made when the present turn began."""
    outcome: Outcome | None
    compared: bool
    """Whether later positions are compared with this one."""


class Game:
    """A game played from the opening of some rules, or from any position.

    >>> from relaysow import Sow, giuthi
    >>> game = Game(giuthi(pits=5, seeds=4))
    >>> game.push(Sow(0, direction="ccw"))
    >>> game.position.mover, game.is_over, len(game.moves)
    (1, False, 1)
    >>> game.undo()
    Sow(pit=0, lift=None, direction='ccw')

    A game ends where its position does, and by `repetition`: under `repetition_scope="position"`
    when a position in which a move is to be chosen comes again, under `"turn"` when one does in
    which a turn begins.  In the latter scope a move that brings back an earlier position of the
    same turn is illegal, and a player left without a legal move by that cannot move: he passes or
    the game ends, as the rules' `end` says.  Redistributions are not compared.

    A `push` or `undo` that an exception interrupts, Ctrl-C for instance, has been made or has not.
    Threads that share a game need a lock of their own around whatever they do with it.

    Raises `TypeError` for anything but `Rules` or a `Position`.
    """

    def __init__(self, start: Rules | Position) -> None:
        position = start.start() if isinstance(start, Rules) else start
        if not isinstance(position, Position):
            raise TypeError(f"a game starts from Rules or a Position, not {shown(start)}")
        rules = position.rules
        self._compares_turns = rules.repetition_scope == "turn" and rules.repetition != "off"
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
        self._legal: tuple[_Ply, RemainingMoves] | None = None
        self._enter(self._judged(position, 0))

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
    def legal_moves(self) -> LegalMoves | RemainingMoves:
        """The moves that may be made: those of the position, none when the game is over, and
        under `repetition_scope="turn"` without those that repeat within the turn."""
        ply = self._plies[-1]
        within_turn = self._compares_turns and ply.turn < len(self._plies) - 1
        if ply.outcome is None and not within_turn:
            return ply.position.legal_moves
        if self._legal is None or self._legal[0] is not ply:
            left = () if ply.outcome else _remaining(ply.position, self._turn(ply.turn))
            self._legal = ply, RemainingMoves(ply.position, left)
        return self._legal[1]

    def push(self, move: Move) -> None:
        """Make a move.

        Raises `IllegalMove`, naming the move, the position and the reason, `TypeError` for
        anything but a `Sow` or a `Redistribute`.
        """
        if not isinstance(move, (Sow, Redistribute)):
            raise TypeError(f"a move must be Sow or Redistribute, not {shown(move)}")
        before, turn, outcome, _ = self._plies[-1]
        if outcome is not None:
            raise self._illegal(move, "the game is over")
        after = before.play(move)
        if not _same_turn(before, after):
            turn = len(self._plies)
        elif self._compares_turns and after in self._turn(turn):
            raise self._illegal(move, "it repeats a position of this turn")
        ply = self._judged(after, turn)
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

    def repeatable(self) -> tuple[list[Position], list[Position], bool]:
        """The positions before this one that may come again and end the game by it, those of the
        present turn, this one last, and whether this one would end the game by coming again."""
        ply, position = self._plies[-1], self.position
        seeds = sum(position.pits)
        compared = [
            earlier.position
            for earlier in self._plies[:-1]
            if earlier.compared and sum(earlier.position.pits) == seeds
        ]
        return compared, self._turn(ply.turn), ply.compared

    def __copy__(self) -> Game:
        """A game with the same history, which then goes its own way."""
        other = object.__new__(type(self))
        other.__dict__ |= self.__dict__
        other._moves, other._plies = self._moves.copy(), self._plies.copy()
        other._compared = self._compared.copy()
        return other

    def __getstate__(self) -> dict[str, Any]:
        return records.state_of(self, Game, self.start)

    def __setstate__(self, state: object) -> None:
        records.restore(self, Game, state)

    def record(self) -> str:
        """The game as text (the grammar is that of `relaysow.text.records`); `from_record` gives it
        back."""
        return records.record(self)

    @classmethod
    def from_record(cls, text: str) -> Game:
        """The game of a record, played again.

        Raises `NotationError`, naming line and column, for text that is no record, an illegal
        move, or a result that the moves do not give; `TypeError` for anything but a string.

        >>> from relaysow import Sow, giuthi
        >>> game = Game(giuthi(pits=5, seeds=4))
        >>> game.push(Sow(0, direction="ccw"))
        >>> Game.from_record(game.record()).position == game.position
        True
        """
        return records.replay(text, cls)

    def __repr__(self) -> str:
        mover = notation.PLAYERS[self.position.mover]
        state = f"{self.outcome}" if self.is_over else f"{mover} to move"
        moves = len(self._plies) - 1
        count = "1 move" if moves == 1 else f"{moves} moves"
        return f"<Game of {self.start.rules!r}: {count}, {state}>"

    def _illegal(self, move: Move, reason: str) -> IllegalMove:
        return IllegalMove(f"illegal move {shown(move)} in {self.position.to_text()}: {reason}")

    def _turn(self, since: int) -> list[Position]:
        """The positions of a turn that began after so many moves."""
        return [ply.position for ply in self._plies[since:]]

    def _judged(self, position: Position, turn: int) -> _Ply:
        """The next ply, from the position a move leads to and the beginning of its turn."""
        rules, at = position.rules, len(self._plies)
        outcome: Outcome | None = None
        # A turn's first move repeats nothing: a sowing inside one row never leaves it as it was.
        if (
            self._compares_turns
            and turn < at
            and not position.is_over
            and not any(True for _ in _remaining(position, self._turn(turn)))
        ):
            # He cannot move: the game ends, or a new turn begins, his opponent's or his own.
            judged = position._judged_stuck()
            if judged.is_over and judged.mover == position.mover:
                # By the game's history: the position by itself would go on.
                outcome = _outcome(judged)
            else:
                position, turn = judged, at
        outcome = outcome or _outcome(position)
        compared = (
            outcome is None
            and rules.repetition != "off"
            and (turn == at or rules.repetition_scope == "position")
        )
        if compared and self._is_compared(position):
            outcome, compared = _repetition(position), False
        return _Ply(position, turn, outcome, compared)

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


def _same_turn(before: Position, after: Position) -> bool:
    return after.mover == before.mover and not after.passed


def _remaining(position: Position, turn: list[Position]) -> Iterator[Move]:
    """The legal moves that do not bring back a position of the turn."""
    for move in position.legal_moves:
        after = position.play(move)
        if not _same_turn(position, after) or after not in turn:
            yield move


def _outcome(position: Position) -> Outcome | None:
    """The outcome of a position that is over."""
    winner, stores, end = position.winner, position.final_stores, position.end
    if winner is None or stores is None or end is None:
        return None
    return Outcome(winner, stores, end)


def _repetition(position: Position) -> Outcome:
    """The outcome where a position has come again."""
    rules, stores = position.rules, position.stores
    if rules.repetition == "score":
        n = rules.pits
        stores = (stores[0] + sum(position.pits[:n]), stores[1] + sum(position.pits[n:]))
    drawn = rules.repetition == "draw" or stores[0] == stores[1]
    return Outcome(-1 if drawn else int(stores[1] > stores[0]), stores, "repetition")
