"""Exact play in plain Python, to compare the core's with: what each player can force at each lead,
by backward induction over the reference's positions, without thresholds."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from itertools import combinations, pairwise
from typing import Any, NamedTuple

from relaysow import reference
from relaysow.rules import Rules

Key = tuple[Hashable, ...]


class End(NamedTuple):
    """A game that is over: what South gained, None where it is drawn whatever the stores."""

    gain: int | None


class Next(NamedTuple):
    """A position that follows, and what South gained."""

    key: Key
    gain: int


def rings(pits: int, most: int, least: int = 0) -> Iterator[tuple[int, ...]]:
    """All rings of so many seeds, fewest first."""
    for seeds in range(least, most + 1):
        for bars in combinations(range(seeds + 2 * pits - 1), 2 * pits - 1):
            edges = (-1, *bars, seeds + 2 * pits - 1)
            yield tuple(b - a - 1 for a, b in pairwise(edges))


def key_of(position: Any) -> Key:
    """What a position is apart from its stores."""
    return (
        position.pits,
        position.mover,
        position.protected,
        position.direction,
        position.barred,
        position.redistributions,
    )


class GameGraph:
    """The positions that can be reached from some, and their results at any lead of South's."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.moves: dict[Key, list[End | Next]] = {}
        self._results: dict[tuple[int, int], dict[Key, int]] = {}
        self._of_total: dict[int, list[Key]] = {}

    def add(self, root: Any) -> None:
        """Adds a position of the reference, with both stores empty, and all it can become."""
        waiting = [root]
        while waiting:
            position = waiting.pop()
            key = key_of(position)
            if position.is_over or key in self.moves:
                continue
            self.moves[key] = []
            self._of_total.setdefault(sum(position.pits), []).append(key)
            for move in position.legal_moves:
                after = position.play(move)
                if after.is_over:
                    final = after.final_stores
                    gain = None if after.drawn else final[0] - final[1]
                    self.moves[key].append(End(gain))
                    continue
                self.moves[key].append(Next(key_of(after), after.stores[0] - after.stores[1]))
                pits, *rest = key_of(after)
                waiting.append(reference.Position(self.rules, pits, (0, 0), *rest))

    def result(self, key: Key, lead: int) -> int:
        """+1, 0 or −1 for South when South leads by so much."""
        total = sum(key[0])  # type: ignore[call-overload]
        lead = max(-total - 2, min(total + 2, lead))  # a lead past all seeds left is no other
        if (total, lead) not in self._results:
            self._results[total, lead] = self._solve(self._of_total[total], lead)
        return self._results[total, lead][key]

    def thresholds(self, key: Key) -> tuple[float, float]:
        """The least leads of the player to move with which he wins, and at least draws."""
        sign = 1 if key[1] == 0 else -1
        total = sum(key[0])  # type: ignore[call-overload]
        leads = range(-total - 2, total + 3)
        found = []
        for least in (1, 0):
            enough = [lead for lead in leads if sign * self.result(key, sign * lead) >= least]
            assert enough == list(leads)[len(leads) - len(enough) :]
            everywhere, nowhere = len(enough) == len(leads), not enough
            found.append(-math.inf if everywhere else math.inf if nowhere else enough[0])
        return found[0], found[1]

    def _solve(self, keys: list[Key], lead: int) -> dict[Key, int]:
        here = set(keys)

        def outcome(move: End | Next) -> int | None:
            """For South; None while nothing is captured."""
            if isinstance(move, End):
                return 0 if move.gain is None else _sign(lead + move.gain)
            return None if move.key in here else self.result(move.key, lead + move.gain)

        moves = {key: [(outcome(move), move) for move in self.moves[key]] for key in keys}

        def forced(player: int, least: int) -> set[Key]:
            """Where the player can force his result to be at least so much, in finite time."""
            sign = 1 - 2 * player
            found: set[Key] = set()
            while True:
                more = {
                    key
                    for key in keys
                    if key not in found
                    and (any if key[1] == player else all)(
                        move.key in found if result is None else sign * result >= least
                        for result, move in moves[key]
                    )
                }
                if not more:
                    return found
                found |= more

        endless = _sign(lead) if self.rules.repetition == "stores" else 0
        results = dict.fromkeys(keys, endless)
        for player, sign in ((0, 1), (1, -1)):
            for least in range(sign * endless + 1, 2):
                results |= dict.fromkeys(forced(player, least), sign * least)
        return results

    def result_with_history(self, key: Key, lead: int, budget: int) -> int | None:
        """The result for South by looking at every game in full, the repetition rule applied to
        the positions it has been through; None if that takes more than so many moves."""
        left = budget

        def value(key: Key, lead: int, seen: frozenset[Key]) -> int:
            nonlocal left
            left -= 1
            if left < 0:
                raise TimeoutError
            if key in seen:
                return _sign(lead) if self.rules.repetition == "stores" else 0
            sign = 1 if key[1] == 0 else -1
            best = -1
            for move in self.moves[key]:
                if isinstance(move, End):
                    result = 0 if move.gain is None else _sign(lead + move.gain)
                else:
                    result = value(move.key, lead + move.gain, seen | {key})
                best = max(best, sign * result)
                if best == 1:
                    break
            return sign * best

        try:
            return value(key, lead, frozenset())
        except TimeoutError:
            return None


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
