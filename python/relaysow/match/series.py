"""A series of games from the opening of the same rules."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from relaysow._core import Position
from relaysow._support import replayed
from relaysow._support.checks import instance, within
from relaysow._support.public import public
from relaysow._support.reloading import once
from relaysow.game import Game
from relaysow.moves import Move
from relaysow.rules import Rules

once(__name__)


@public
class Series:
    """A series of games from the opening of the same rules: Kiothi with its one-warrior wins, or
    any game best of n.

    A win counts one point, a win by a margin of exactly two seeds `one_warrior` points (two in the
    sources, ten in some clubs, one if it is a win like any other); a draw counts none.  With
    `best_of=n` the series ends when a player has more than n/2 points, or after n games, drawn ones
    included; more points win.  Without it a series goes on as long as one likes.  `first` (0 South)
    begins the first game; then, the sources being silent, the players take turns.

    `push` makes a move in the present game; when it ends the next begins.  Threads that share a
    series need a lock of their own, as with a `Game`.

    Raises `TypeError` and `ValueError`, naming the argument, for anything but rules, integers of
    1…999,999, and a first of 0 or 1, or for rules whose opening allows no move.

    >>> from relaysow import Series, giuthi
    >>> series = Series(giuthi(pits=3, seeds=2), best_of=3)
    >>> while not series.is_over:
    ...     series.push(series.game.legal_moves[0])
    >>> [game.outcome.stores for game in series.games], series.points, series.winner
    ([(10, 2), (2, 10), (10, 2)], (2, 1), 0)
    """

    def __init__(
        self, rules: Rules, best_of: int | None = None, one_warrior: int = 2, first: int = 0
    ) -> None:
        instance("rules", rules, Rules, "Rules")
        self.rules = rules
        self.best_of = None if best_of is None else within("best_of", best_of, 1, 999_999)
        self.one_warrior = within("one_warrior", one_warrior, 1, 999_999)
        self.first = within("first", first, 0, 1, "0 (South) or 1 (North)")
        if any(self._start(mover).is_over for mover in (0, 1)):
            raise ValueError(f"rules={rules!r}: the opening allows no move")
        self._games = [Game(self._start(self.first))]

    @property
    def games(self) -> tuple[Game, ...]:
        """All games begun; the last is `game`."""
        self._go_on()
        return tuple(self._games)

    @property
    def game(self) -> Game:
        """The present game, or the last one of a series that is over."""
        self._go_on()
        return self._games[-1]

    @property
    def position(self) -> Position:
        """The position of the present game."""
        return self.game.position

    @property
    def points(self) -> tuple[int, int]:
        """South's and North's."""
        points = [0, 0]
        for game in self._games:
            if game.outcome is not None and game.outcome.winner >= 0:
                south, north = game.outcome.stores
                margin = abs(south - north)
                points[game.outcome.winner] += self.one_warrior if margin == 2 else 1
        return points[0], points[1]

    @property
    def is_over(self) -> bool:
        """Whether the series has ended."""
        if self.best_of is None:
            return False
        all_played = len(self._games) == self.best_of and self._games[-1].is_over
        return all_played or 2 * max(self.points) > self.best_of

    @property
    def winner(self) -> int | None:
        """0, 1, or -1 for a draw; None for a series that has not ended."""
        if not self.is_over:
            return None
        south, north = self.points
        return -1 if south == north else int(north > south)

    @property
    def steps(self) -> tuple[Move, ...]:
        """The moves of all games in order."""
        return tuple(move for game in self.games for move in game.moves)

    def push(self, move: Move) -> None:
        """Make a move; raises as `Game.push` does, and `IllegalMove` when the series is over."""
        self.game.push(move)
        self._go_on()

    def undo(self) -> Move:
        """Take the last move back and return it; `IndexError` if there is none."""
        games = self.games
        if games[-1].moves or len(games) == 1:
            return games[-1].undo()
        del self._games[-1]  # it began of itself, and does so again while the one before is over
        return games[-2].undo()

    def __getstate__(self) -> dict[str, Any]:
        begun = (self.rules, self.best_of, self.one_warrior, self.first)
        return replayed.state_of(self, Series, self.steps, *begun)

    def __setstate__(self, state: object) -> None:
        replayed.restore(self, Series, state)

    def __copy__(self) -> Series:
        """A series with the same history, which then goes its own way."""
        return deepcopy(self)

    def __repr__(self) -> str:
        south, north = self.points
        return f"<Series of {self.rules!r}: game {len(self.games)}, {south}-{north}>"

    def _go_on(self) -> None:
        """Begin the next game if the last one has ended and the series has not.

        It is asked whenever a game is, so that nothing is lost if it is interrupted.
        """
        if self._games[-1].is_over and not self.is_over:
            self._games.append(Game(self._start((self.first + len(self._games)) % 2)))

    def _start(self, mover: int) -> Position:
        opening = Position.start(self.rules)
        return Position(
            self.rules,
            opening.pits,
            mover=mover,
            protected=opening.protected,
            redistributions=opening.redistributions,
        )
