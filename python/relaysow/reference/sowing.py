"""Sowing: laps, relays, and the proof that a sowing never ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from relaysow._support.reloading import once
from relaysow.moves import PATH_LAPS, Lap
from relaysow.reference.board import Pits, next_pit, owner, reverse
from relaysow.rules import Rules

once(__name__)


class Lift(NamedTuple):
    """The state in which a lap begins: these seeds of this pit are about to be sown this way."""

    pits: Pits
    pit: int
    seeds: int
    direction: str


def sow_lap(rules: Rules, lift: Lift) -> tuple[Pits, list[int]]:
    """One lap: the ring after it, and the pits into which a seed fell, in order.

    "The seeds are sown one a pit onward from that pit.  With `origin="sown"` the lifted pit
    receives its seed when sowing comes round to it; with `"skipped"` it is passed over" (Pratt's
    reading).

    >>> from relaysow.rules import engehe
    >>> sow_lap(engehe(pits=3), Lift((6, 0, 0, 0, 0, 0), 0, 6, "ccw"))
    ((1, 1, 1, 1, 1, 1), [1, 2, 3, 4, 5, 0])
    >>> sow_lap(engehe(pits=3, origin="skipped"), Lift((6, 0, 0, 0, 0, 0), 0, 6, "ccw"))
    ((0, 2, 1, 1, 1, 1), [1, 2, 3, 4, 5, 1])
    """
    pits = list(lift.pits)
    pits[lift.pit] -= lift.seeds
    fell: list[int] = []
    pit = lift.pit
    for _ in range(lift.seeds):
        pit = next_pit(pit, lift.direction, rules.pits)
        if pit == lift.pit and rules.origin == "skipped":
            pit = next_pit(pit, lift.direction, rules.pits)
        pits[pit] += 1
        fell.append(pit)
    return tuple(pits), fell


def lap_by_lap(rules: Rules, lift: Lift) -> Iterator[tuple[Lift, Pits, list[int]]]:
    """The laps of a sowing that begins with this lift: the lift, and what `sow_lap` says of it.

    "If the last seed falls into an occupied pit of either side, that pit is lifted whole (the new
    seed too) and sown in the same direction (`relay="onward"`: Kiothi, En Gehé) or the opposite one
    (`"reversed"`: Giuthi, where the direction alternates lap by lap).  If it falls into an empty
    pit, the sowing is over."
    """
    while True:
        pits, fell = sow_lap(rules, lift)
        yield lift, pits, fell
        last = fell[-1]
        if pits[last] == 1:
            return
        direction = reverse(lift.direction) if rules.relay == "reversed" else lift.direction
        lift = Lift(pits, last, pits[last], direction)


class CycleTest:
    """Says when a sowing has come back to where it was before: then it never ends.

    With `origin="sown"` a lap can be undone in one way only, so a sowing is endless *exactly when*
    it returns to the state in which its first whole-pit lap began.  That state is kept, and every
    later one compared with it.  With `"skipped"` a sowing may run into a cycle that its beginning
    is not part of, so the state kept is replaced by the present one after 1, 2, 4, 8, … laps
    (Brent's cycle test): sooner or later it lies on the cycle, and is come back to in time.
    Nothing is ruled by a lap count: finite sowings of hundreds of laps occur on real boards.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._kept: Lift | None = None
        self._since = 0  # laps from the state kept to the one looked at
        self._wait = 1

    def period(self, lift: Lift) -> int | None:
        """The length of the cycle in laps, if this next lift of the sowing closes it."""
        self._since += 1
        if lift == self._kept:
            return self._since
        whole = lift.seeds == lift.pits[lift.pit]
        if self._kept is None:
            replace = whole or self._rules.origin == "skipped"
        else:
            replace = self._rules.origin == "skipped" and self._since == self._wait
        if replace:
            self._kept, self._since, self._wait = lift, 0, 2 * self._wait
        return None


def laps_before_cycle(rules: Rules, first: Lift, period: int) -> int:
    """How many laps an endless sowing makes before the first one that it will make again.

    Of two walkers a period apart the one behind first meets the other's state there.
    """
    behind, ahead = lap_by_lap(rules, first), islice(lap_by_lap(rules, first), period, None)
    before = 0
    for (lift, _, _), (later, _, _) in zip(behind, ahead, strict=False):
        if lift == later:
            break
        before += 1
    return before


@dataclass(frozen=True)
class Laps:
    """All laps of one move, before any capture.

    `pits` is the ring after the last of the `number` laps, `last` the pit in which that lap ended
    and `direction` its direction; `lifted` are the pits lifted from.  `forbidden`: the first lap
    ends where `first_lap` forbids it, and is the only one sown.  `period`: the sowing never ends,
    and has been sown until it was back where it had been before.  `capped`: it would go on past
    `max_laps`.
    """

    pits: Pits
    last: int
    direction: str
    number: int
    path: tuple[Lap, ...]
    crossed: bool
    lifted: frozenset[int]
    forbidden: bool
    period: int | None
    capped: bool

    def objection(self, rules: Rules) -> str | None:
        """Why the move is not legal, if it is not."""
        if self.forbidden:
            return "its first lap ends in an occupied pit of the mover's own row"
        if rules.endless == "illegal" and self.capped:
            return f"its sowing goes on past max_laps={rules.max_laps} laps"
        if rules.endless == "illegal" and self.period is not None:
            return f"its sowing never ends (period {self.period} laps)"
        return None


@lru_cache(maxsize=128)  # a move is sown when it is found to be legal, and again when played
def sow_laps(rules: Rules, mover: int, first: Lift) -> Laps:
    """Sow the first lift of a move, and lap after lap as long as the laps end in occupied pits.

    The trace of the ten, on 2×10 with nine seeds a pit:

    >>> from relaysow.rules import engehe, giuthi
    >>> rules = giuthi(pits=10, seeds=9)
    >>> for lap in sow_laps(rules, 0, Lift(rules.setup, 0, 9, "ccw")).path:
    ...     print(lap.seeds, lap.direction, lap.last)
    9 ccw 9
    10 cw 19
    10 ccw 9

    A sowing that never ends:

    >>> sow_laps(engehe(pits=5), 0, Lift((2, 0, 1, 0, 1, 0, 1, 0, 2, 1), 0, 2, "ccw")).period
    50
    """
    path: list[Lap] = []
    lifted: set[int] = set()
    number = 0
    crossed = forbidden = capped = False
    period: int | None = None
    test = CycleTest(rules)
    for lift, after, fell in lap_by_lap(rules, first):
        period = test.period(lift) if period is None else period
        if period is not None and rules.max_laps is None:
            break
        pits, last, direction = after, fell[-1], lift.direction
        number += 1
        lifted.add(lift.pit)
        crossed = crossed or any(owner(pit, rules.pits) != mover for pit in fell)
        if number <= PATH_LAPS:
            path.append(Lap(lift.pit, lift.seeds, direction, last))
        # "A move whose *first* lap ends in an occupied pit of the mover's own row is illegal (a pit
        # lifted in part is still occupied).  This is judged before anything about later laps."
        own = owner(last, rules.pits) == mover
        if rules.first_lap == "not_into_own_occupied" and number == 1 and own and pits[last] > 1:
            forbidden = True
            break
        # "A sowing that would lift for lap k+1 is treated as `endless` says, and reported as
        # capped, not as endless."  One proven endless is sure to go on so far.
        proven = period is not None and number >= PATH_LAPS
        if rules.max_laps is not None and pits[last] > 1 and (number == rules.max_laps or proven):
            number, period, capped = rules.max_laps, None, True
            break
    if period is not None and rules.origin == "skipped":
        # The test saw the cycle late: the path ends where the sowing first was back.
        number = laps_before_cycle(rules, first, period) + period
        del path[number:]
    return Laps(
        pits=pits,
        last=last,
        direction=direction,
        number=number,
        path=tuple(path),
        crossed=crossed,
        lifted=frozenset(lifted),
        forbidden=forbidden,
        period=period,
        capped=capped,
    )
