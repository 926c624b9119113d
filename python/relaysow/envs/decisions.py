"""A game as single decisions that can be taken back and copied; numbered and seen as in `Batch`."""

from __future__ import annotations

from copy import copy
from typing import Any, NamedTuple

from relaysow import Position, Redistribute
from relaysow.game import Game
from relaysow.once import once

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


class Decisions:
    """A `Game` whose opening redistributions are made decision by decision.

    After `max_length` decisions it is over, and nobody has won.

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
        self.game = Game(start)
        self.max_length = max_length
        self.past: list[Decision] = []
        """The decisions made."""
        self._before: list[tuple[Partial | None, int, int]] = []
        self._since = 0
        self.partial = self._begin()
        self._legal: list[int] | None = None
        for action in actions:
            self.push(action)

    @property
    def position(self) -> Position:
        """The position; during a redistribution the one before it."""
        return self.game.position

    @property
    def mover(self) -> int:
        """Who is to decide: 0 (South) or 1."""
        return self.game.position.mover

    @property
    def over(self) -> bool:
        """Whether the game has ended, or has reached `max_length`."""
        return self.game.is_over or len(self.past) == self.max_length

    def legal_actions(self) -> list[int]:
        """What may be decided, ascending."""
        if self._legal is None:
            self._legal = self._all_legal()
        return self._legal

    def push(self, action: int) -> None:
        """Make a decision; `ValueError` if it is not among `legal_actions()`."""
        if action not in self.legal_actions():
            raise ValueError(f"action {action}: must be one of {self.legal_actions()}")
        game, before, since = self.game, self.partial, self._since
        moves, mover = len(game.moves), self.mover
        if before is None:
            stores = game.position.stores
            game.push(game.position.move(action))
            self._since = 0 if game.position.stores != stores else since + 1
            self.partial = self._begin()
        else:
            after = self._decided(before, action - game.position.rules.actions)
            if after.placing and after.hand == 0:
                old = (0 if i in after.emptied else c for i, c in enumerate(game.position.pits))
                placed = tuple(now - was for now, was in zip(after.pits, old, strict=True))
                game.push(Redistribute(tuple(sorted(after.emptied)), placed))
                self.partial = self._begin()
            else:
                self.partial = after
        self._before.append((before, since, len(game.moves) - moves))
        self.past.append(Decision(mover, action))
        self._legal = None

    def undo(self) -> int:
        """Take the last decision back and return it; `IndexError` if there is none."""
        if not self.past:
            raise IndexError("no decision to undo")
        self.partial, self._since, moves = self._before.pop()
        for _ in range(moves):
            self.game.undo()
        self._legal = None
        return self.past.pop().action

    def observation(self, player: int) -> list[int]:
        """What `Batch` shows, as a player sees the board."""
        p, partial = self.position, self.partial
        rules, n = p.rules, p.rules.pits

        def turned(values: Any) -> tuple[int, ...]:
            return (*values[player * n :], *values[: player * n])

        seen = [*turned(partial.pits if partial else p.pits)]
        seen += (p.stores[player], p.stores[1 - player], p.mover, self._since)
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
        other.game = copy(self.game)
        other.past, other._before = self.past.copy(), self._before.copy()
        other._legal = None if self._legal is None else self._legal.copy()
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        return Decisions, (
            self.game.start,
            self.max_length,
            tuple(decision.action for decision in self.past),
        )

    def _begin(self) -> Partial | None:
        """The redistribution that is due, but for one of nothing, which is made at once."""
        position = self.position
        while position.redistributions < 2 and not self.game.is_over:
            if any(position.pits[i] for i in self._own()):
                return Partial(position.pits)
            self.game.push(Redistribute((), (0,) * len(position.pits)))
            position = self.position
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
