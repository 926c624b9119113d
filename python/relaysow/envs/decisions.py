"""A game as single decisions that can be taken back and copied; numbered and seen as in `Batch`."""

from __future__ import annotations

from copy import copy
from typing import Any, NamedTuple

from relaysow import Position, Redistribute
from relaysow._support.reloading import once
from relaysow.game import Game

once(__name__)

_NAMED = {"one": 1, "two": 2, "up_to_two": 2}


class Decision(NamedTuple):
    """An action, and whose it was."""

    player: int
    action: int


class Partial(NamedTuple):
    """A redistribution of which some decisions are made."""

    pits: tuple[int, ...]
    emptied: tuple[int, ...] = ()
    hand: int = 0
    placing: bool = False


class _Made(NamedTuple):
    """Where a decision has led."""

    decision: Decision | None
    partial: Partial | None
    since: int
    """Moves since the last capture."""
    position: Position


class Decisions:
    """A `Game` whose opening redistributions are made decision by decision.

    After `max_length` decisions it is over, and nobody has won.  A decision that an exception
    interrupts, or its undoing, has been made or has not.

    >>> from relaysow import kiothi
    >>> play = Decisions(kiothi().start())
    >>> play.push(play.legal_actions()[-1])
    >>> play.partial.emptied, play.partial.hand, play.mover
    ((9,), 5, 0)
    >>> play.undo()
    609
    """

    def __init__(
        self, start: Position, max_length: int | None = None, actions: tuple[int, ...] = ()
    ) -> None:
        self._game = Game(start)
        self.max_length = max_length
        partial = self._begin(self._game)
        # What has been made: a decision is one append here, an undo one pop.
        self._made = [_Made(None, partial, 0, self._game.position)]
        self._legal: tuple[_Made, list[int]] | None = None
        for action in actions:
            self.push(action)

    @property
    def game(self) -> Game:
        """The game, less the moves of decisions that are taken back or were interrupted."""
        while self._game.position is not self._made[-1].position:
            self._game.undo()
        return self._game

    @property
    def past(self) -> list[Decision]:
        """The decisions made."""
        return [made.decision for made in self._made if made.decision]

    @property
    def partial(self) -> Partial | None:
        """The redistribution that is being made."""
        return self._made[-1].partial

    @property
    def position(self) -> Position:
        """The position; during a redistribution the one before it."""
        return self._made[-1].position

    @property
    def mover(self) -> int:
        """Who is to decide: 0 (South) or 1."""
        return self.position.mover

    @property
    def over(self) -> bool:
        """Whether the game has ended, or has reached `max_length`."""
        return self.game.is_over or len(self._made) - 1 == self.max_length

    def legal_actions(self) -> list[int]:
        """What may be decided, ascending."""
        made = self._made[-1]
        if self._legal is None or self._legal[0] is not made:
            self._legal = made, self._all_legal()
        return self._legal[1]

    def push(self, action: int) -> None:
        """Make a decision; `ValueError` if it is not among `legal_actions()`."""
        if action not in self.legal_actions():
            raise ValueError(f"action {action}: must be one of {self.legal_actions()}")
        _, partial, since, position = self._made[-1]
        game = self.game
        if partial is None:
            game.push(position.move(action))
            since = 0 if game.position.stores != position.stores else since + 1
            partial = self._begin(game)
        else:
            partial = self._decided(partial, action - position.rules.actions)
            if partial.placing and partial.hand == 0:
                old = (0 if i in partial.emptied else c for i, c in enumerate(position.pits))
                placed = tuple(now - was for now, was in zip(partial.pits, old, strict=True))
                game.push(Redistribute(tuple(sorted(partial.emptied)), placed))
                partial = self._begin(game)
        decision = Decision(position.mover, action)
        self._made.append(_Made(decision, partial, since, game.position))

    def undo(self) -> int:
        """Take the last decision back and return it; `IndexError` if there is none."""
        decision = self._made[-1].decision
        if decision is None:
            raise IndexError("no decision to undo")
        self._made.pop()
        return decision.action

    def observation(self, player: int) -> list[int]:
        """What `Batch` shows, as a player sees the board."""
        p, partial = self.position, self.partial
        rules, n = p.rules, p.rules.pits

        def turned(values: Any) -> tuple[int, ...]:
            return (*values[player * n :], *values[: player * n])

        seen = [*turned(partial.pits if partial else p.pits)]
        seen += (p.stores[player], p.stores[1 - player], p.mover, self._made[-1].since)
        if rules.protection != "none":
            seen += turned([int(i in p.protected) for i in range(2 * n)])
        if rules.extra_direction == "opposite":
            seen.append((None, "ccw", "cw").index(p.direction))
        if rules.extra_pit == "not_origin":
            seen.append(0 if p.barred is None else p.barred % n + 1)
        if rules.redistribution != "none":
            now = partial or Partial(())
            seen += (p.redistributions, len(now.emptied), now.hand, int(now.placing))
        return seen

    def __deepcopy__(self, memo: object) -> Decisions:
        other = object.__new__(Decisions)
        other.__dict__ |= self.__dict__
        other._game, other._made = copy(self.game), self._made.copy()
        other._legal = None
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        return Decisions, (
            self.game.start,
            self.max_length,
            tuple(decision.action for decision in self.past),
        )

    @staticmethod
    def _begin(game: Game) -> Partial | None:
        """The redistribution that is due, but for one of nothing, which is made at once."""
        while game.position.redistributions < 2 and not game.is_over:
            pits, n, mover = game.position.pits, game.position.rules.pits, game.position.mover
            if any(pits[mover * n : mover * n + n]):
                return Partial(pits)
            game.push(Redistribute((), (0,) * len(pits)))
        return None

    def _own(self) -> range:
        n = self.position.rules.pits
        return range(self.mover * n, self.mover * n + n)

    def _all_legal(self) -> list[int]:
        if self.over:
            return []
        position, partial = self.position, self.partial
        if partial is None:
            return [position.action(move) for move in self.game.legal_moves]
        rules = position.rules
        if partial.placing:
            return [rules.actions + k for k in range(2 * rules.pits)]
        may = [rules.actions + k for k, i in enumerate(self._own()) if partial.pits[i]]
        return (
            [*may, rules.actions + 2 * rules.pits] if rules.redistribution == "up_to_two" else may
        )

    def _decided(self, partial: Partial, k: int) -> Partial:
        """A redistribution after one more decision, on pit k as the mover counts the ring."""
        rules, ring = self.position.rules, len(partial.pits)
        if k == ring:
            return partial._replace(placing=True)
        pits, pit = list(partial.pits), (self.mover * rules.pits + k) % ring
        if partial.placing:
            pits[pit] += 1
            return partial._replace(pits=tuple(pits), hand=partial.hand - 1)
        hand, pits[pit] = partial.hand + pits[pit], 0
        emptied = (*partial.emptied, pit)
        occupied = sum(self.position.pits[i] > 0 for i in self._own())
        enough = len(emptied) == min(_NAMED[rules.redistribution], occupied)
        return Partial(tuple(pits), emptied, hand, enough)
