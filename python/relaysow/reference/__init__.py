"""The rules in plain Python, to be read beside the rule book and to check the fast core against.

Nothing here is shared with the core, and nothing is made fast at the price of plainness: a
position is a handful of tuples, a lap is a loop over the seeds, a legal move is one that was tried.
The same names do the same as in `relaysow` itself:

>>> from relaysow.reference import Game, Position, perft
>>> from relaysow.rules import giuthi
>>> start = Position.start(giuthi(pits=5, seeds=4))
>>> [perft(start, depth) for depth in range(4)]
[1, 10, 76, 508]

Words: a *lift* takes seeds out of a pit, a *lap* is one lift sown out, a *sowing* is all laps of
one move, a *turn* is a move plus the moves it earns.  The *ring* is all 2n pits counter-clockwise:
South (player 0) owns 0…n−1, North (player 1) n…2n−1.  Where the sources differ the reading is an
option of `Rules`; the notes below say whose reading is whose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, islice
from math import comb
from sys import maxsize
from time import monotonic
from typing import Any, NamedTuple, overload

from relaysow._support.checks import (
    POSITIONS,
    flag,
    function,
    instance,
    number_of_move,
    one_of,
    shown,
    whole_number,
    whole_numbers,
    within,
)
from relaysow._support.reloading import once
from relaysow.moves import (
    PATH_LAPS,
    WAYS,
    IllegalMove,
    Lap,
    Move,
    Outcome,
    PositionError,
    Redistribute,
    Sow,
    Sowing,
)
from relaysow.options import MAX_SEEDS
from relaysow.rules import Rules

once(__name__)

__all__ = ["ENDS", "Chance", "Game", "LegalMoves", "Position", "perft", "simulate"]

ENDS = ("both_stuck", "row_empty", "swept", "repetition", "endless", "cut")
"""How a game may end; `simulate` reports the place in this list."""

COLUMNS = (
    "scores",
    "winner",
    "moves",
    "turns",
    "laps",
    "captures",
    "longest",
    "end",
    "first_move",
)
"""What `simulate` tells of a game."""

Pits = tuple[int, ...]


# ------------------------------------------------------------------------------------ the board


def owner(pit: int, n: int) -> int:
    """Whose pit it is: South (0) owns 0…n−1, North (1) n…2n−1."""
    return pit // n


def row(player: int, n: int) -> range:
    """A player's own pits, from that player's left to right."""
    return range(player * n, player * n + n)


def opposite(pit: int, n: int) -> int:
    """The pit facing this one across the board: `opposite(i) = 2n−1−i`.

    The source texts contradict themselves here (their numbering and their drawing cannot both hold
    on a physical board).  Their own fact decides: on 2×10 with nine seeds a pit the opening player
    can capture ten at once, which holds with these opposites and with no others.
    """
    return 2 * n - 1 - pit


def next_pit(pit: int, direction: str, n: int) -> int:
    """The neighbour on the ring; counter-clockwise is the way of rising index."""
    return (pit + (1 if direction == "ccw" else -1)) % (2 * n)


def reverse(direction: str) -> str:
    """The other way round the ring."""
    return "cw" if direction == "ccw" else "ccw"


# --------------------------------------------------------------------------------------- sowing


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


# -------------------------------------------------------------------------------------- capture


def captured_pits(
    rules: Rules, mover: int, pits: Pits, protected: Iterable[int], q: int, direction: str
) -> tuple[int, ...]:
    """The pits captured by a sowing whose last seed fell into the empty pit q of the mover's row.

    "Let o = opposite(q).  If o holds seeds and is not protected, the mover captures the seeds of o
    and, with `capturing_seed="taken"`, the seed in q; with `"stays"` that seed stays where it fell.
    If o is empty or protected: `lone_seed="stays"` nothing is captured, the seed stays; `"taken"`
    the mover captures just the seed in q (and a `"run_over_gaps"` chain goes on from q)."

    >>> from relaysow.rules import giuthi
    >>> captured_pits(giuthi(pits=5, seeds=4), 0, (1, 0, 0, 3, 0, 0, 2, 0, 1, 4), (), 0, "ccw")
    (9, 0, 8)
    >>> captured_pits(giuthi(pits=5, seeds=4), 0, (1, 0, 0, 0, 0, 2, 1, 0, 1, 4), (), 0, "ccw")
    (9, 0, 8, 6, 5)
    """
    n = rules.pits
    o = opposite(q, n)

    def can_be_taken(pit: int) -> bool:
        return pits[pit] > 0 and pit not in protected

    if can_be_taken(o):
        taken = [o, q] if rules.capturing_seed == "taken" else [o]
    elif rules.lone_seed == "taken":
        taken = [q]
    else:
        return ()

    # "`chain` (inside the mover's row only): step from q onward in the direction of the *last lap*
    # while the pit stepped on is empty.  At each, if its opposite holds unprotected seeds they are
    # captured too; if not, the chain stops (`run`) or goes on (`run_over_gaps`).  `next`: as `run`,
    # but one step only."  The main sources say "the pits facing all those consecutive empty pits",
    # hence `run_over_gaps`; the Italian text wants each faced pit occupied, hence `run`; Leakey has
    # `next`.
    if rules.chain == "run_over_gaps" or (rules.chain != "none" and o in taken):
        step = next_pit(q, direction, n)
        while owner(step, n) == mover and pits[step] == 0:
            if can_be_taken(opposite(step, n)):
                taken.append(opposite(step, n))
            elif rules.chain != "run_over_gaps":
                break
            if rules.chain == "next":
                break
            step = next_pit(step, direction, n)

    # "`bonus` (after a capture at o, only when q is the mover's leftmost pit; after the chain): the
    # opponent's pits next to o on the mover's right: o−1, o−2, o−3, …"  A right in the sources of
    # Kiothi; here it is taken automatically.
    if o in taken and q == row(mover, n)[0]:
        run: list[int] = []
        for pit in range(o - 1, row(1 - mover, n)[0] - 1, -1):
            if pit in taken or not can_be_taken(pit):
                break
            run.append(pit)
        if rules.bonus == "run":
            taken += run
        elif rules.bonus == "up_to_three" or (rules.bonus == "three" and len(run) >= 3):
            taken += run[:3]
    return tuple(taken)


# -------------------------------------------------------------------------------- legal sowings


def candidates(
    rules: Rules, mover: int, pits: Pits, direction: str | None, barred: int | None
) -> Iterator[Sow]:
    """The candidate sowings in canonical order.

    "Own pits by rising ring index holding at least `minimum_lift`, for each the lifts by rising
    number, for each counter-clockwise before clockwise; less what a duty forbids": `direction` is
    the only direction, and `barred` the pit, that a duty leaves or takes away.
    """
    for pit in row(mover, rules.pits):
        if pits[pit] < rules.minimum_lift or pit == barred:
            continue
        lifts = range(1, pits[pit] + 1) if rules.lift == "any" else [None]
        for lift in lifts:
            if rules.direction == "ccw":
                yield Sow(pit, lift)
            else:
                for way in ("ccw", "cw"):
                    if direction in (None, way):
                        yield Sow(pit, lift, way)


def first_lift(pits: Pits, move: Sow) -> Lift:
    """The lift with which a sowing begins."""
    seeds = pits[move.pit] if move.lift is None else move.lift
    return Lift(pits, move.pit, seeds, "ccw" if move.direction is None else move.direction)


def legal_sowings(
    rules: Rules, mover: int, pits: Pits, direction: str | None = None, barred: int | None = None
) -> Iterator[Sow]:
    """The candidates that are not illegal by their first lap, or as endless, in the same order."""
    for move in candidates(rules, mover, pits, direction, barred):
        if sow_laps(rules, mover, first_lift(pits, move)).objection(rules) is None:
            yield move


def can_move(
    rules: Rules, mover: int, pits: Pits, direction: str | None = None, barred: int | None = None
) -> bool:
    """Whether a player has any legal move."""
    return any(True for _ in legal_sowings(rules, mover, pits, direction, barred))


# ------------------------------------------------------------------------------ redistributions


def placements(seeds: int, pits: int) -> int:
    """In how many ways seeds can be put into pits, as many a pit as wished.

    >>> placements(10, 20) == comb(29, 19)
    True
    """
    if pits == 0:
        return 1 if seeds == 0 else 0
    return comb(seeds + pits - 1, pits - 1)


def placement_at(number: int, seeds: int, pits: int) -> tuple[int, ...]:
    """The placement of this number, counted from 0 in lexicographic order.

    >>> [placement_at(k, 2, 2) for k in range(3)]
    [(0, 2), (1, 1), (2, 0)]
    """
    placed: list[int] = []
    for left in range(pits - 1, -1, -1):
        here = 0
        while number >= placements(seeds - here, left):
            number -= placements(seeds - here, left)
            here += 1
        placed.append(here)
        seeds -= here
    return tuple(placed)


def placement_number(placed: Sequence[int]) -> int:
    """The number of a placement: how many come before it in lexicographic order.

    >>> placement_number((1, 1)), placement_number((0,) * 19 + (10,))
    (1, 0)
    """
    number = 0
    seeds = sum(placed)
    for i, here in enumerate(placed):
        number += sum(placements(seeds - fewer, len(placed) - i - 1) for fewer in range(here))
        seeds -= here
    return number


def sets_to_empty(rules: Rules, mover: int, pits: Pits) -> list[tuple[int, ...]]:
    """The sets of pits a redistribution may empty, fewer pits first, then lexicographic.

    "Empty exactly two occupied own pits (`"two"`; `"one"`; `"up_to_two"`: none, one or two).  A
    player with fewer occupied pits than the rule names empties those he has."  (Kiothi's main
    sources have two, the Wikipedias one.)
    """
    occupied = [pit for pit in row(mover, rules.pits) if pits[pit] > 0]
    most = min(1 if rules.redistribution == "one" else 2, len(occupied))
    least = 0 if rules.redistribution == "up_to_two" else most
    return [chosen for k in range(least, most + 1) for chosen in combinations(occupied, k)]


# ------------------------------------------------------------------------------------ positions


@dataclass(frozen=True, init=False, repr=False, slots=True)
class Position:
    """A position: who has what where, and who is to choose a move.  Immutable, hashable.

    `pits` holds 2n counts in ring order, `stores` South's and North's captured seeds (at most 1,000
    seeds in all), `mover` the player to move (0 South, 1 North), `protected` the ring indices of
    protected pits (dropped where the rules have no protection).  Duties of an extra move:
    `direction`, the only one allowed, and `barred`, the pit it may not start from.
    `redistributions` is how many have been made (None: all, which is 2).  `drawn`: an endless
    sowing has drawn the game.

    Forced passes are taken at once, here too, so `mover` is the one who chooses; `passed` says that
    the other was passed over, and takes no part in equality.

    Raises `PositionError` for a position that cannot be, `TypeError` for wrong types.

    >>> from relaysow.rules import giuthi
    >>> p = Position(giuthi(pits=5, seeds=4), pits=(0, 1, 0, 1, 0, 0, 2, 0, 0, 1), mover=0)
    >>> p.mover, p.passed, p.pits[6]
    (1, True, 2)
    >>> p
    Position(giuthi(pits=5, seeds=4), pits=(0, 1, 0, 1, 0, 0, 2, 0, 0, 1), stores=(0, 0), mover=1)
    """

    rules: Rules
    pits: Pits
    stores: tuple[int, int]
    mover: int
    protected: tuple[int, ...]
    direction: str | None
    barred: int | None
    redistributions: int
    drawn: bool
    passed: bool = field(compare=False)
    end: str | None = field(compare=False)

    def __init__(
        self,
        rules: Rules,
        pits: Iterable[int],
        stores: Iterable[int] = (0, 0),
        mover: int = 0,
        protected: Iterable[int] = (),
        direction: str | None = None,
        barred: int | None = None,
        redistributions: int | None = None,
        drawn: bool = False,
    ) -> None:
        instance("rules", rules, Rules, "Rules")
        n = rules.pits
        ring = _counts("pits", pits, 2 * n, f" for pits={n}")
        south, north = _counts("stores", stores, 2, ", South's and North's")
        total = sum(ring) + south + north
        if total > MAX_SEEDS:
            raise PositionError(f"pits and stores hold {total} seeds: must be at most {MAX_SEEDS}")
        mover = within("mover", mover, 0, 1, "0 (South) or 1 (North)", PositionError)
        made = 2
        if redistributions is not None:
            allowed = "the number made, 0…2"
            made = within("redistributions", redistributions, 0, 2, allowed, PositionError)
        guarded = whole_numbers("protected", protected, PositionError, ordered=False)
        for pit in guarded:
            allowed = f"a ring index, 0…{2 * n - 1}"
            within("protected pit", pit, 0, 2 * n - 1, allowed, PositionError)
        for place, pit in enumerate(guarded):
            if pit in guarded[:place]:
                raise PositionError(f"protected pit {pit} is named twice")
        guarded = () if rules.protection == "none" else tuple(sorted(guarded))
        if direction is not None:
            direction = one_of("direction", direction, (*WAYS, None), PositionError)
            if rules.extra_direction != "opposite":
                raise PositionError(
                    f"direction={direction!r}: there is such a duty only under "
                    f"extra_direction='opposite'"
                )
        if barred is not None:
            barred = whole_number("barred", barred)
            if rules.extra_pit != "not_origin":
                raise PositionError(
                    f"barred={shown(barred)}: there is such a duty only under "
                    f"extra_pit='not_origin'"
                )
            low, high = row(mover, n)[0], row(mover, n)[-1]
            allowed = f"None or a pit of the mover, {low}…{high}"
            within("barred", barred, low, high, allowed, PositionError)
        if made < 2:
            if rules.redistribution == "none":
                raise PositionError(
                    f"redistributions={made}: must be None or 2 with redistribution='none'"
                )
            if guarded and rules.protection == "until_lifted":
                raise PositionError(
                    f"protected={guarded}: nothing is protected before the last redistribution"
                )
            if direction is not None or barred is not None:
                raise PositionError(
                    f"direction={direction!r}, barred={barred}: there are no duties before the "
                    f"last redistribution"
                )
        if flag("drawn", drawn) and rules.endless != "draw":
            raise PositionError("drawn=True: a sowing draws the game only under endless='draw'")

        passed, end = False, None
        if drawn:
            end = "endless"
        elif made == 2:  # "No end rule applies before the last redistribution."
            mover, direction, barred, passed, end = _judge(rules, ring, mover, direction, barred)
        values = {
            "rules": rules,
            "pits": ring,
            "stores": (south, north),
            "mover": mover,
            "protected": guarded,
            "direction": direction,
            "barred": barred,
            "redistributions": made,
            "drawn": drawn,
            "passed": passed,
            "end": end,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @staticmethod
    def start(rules: Rules) -> Position:
        """The opening position, South to move.

        Protection `"until_lifted"` begins here only if no redistribution comes first, and then
        guards "every occupied pit of either row"; `"until_owner_lifts"` guards "every pit, empty or
        not" from here on.

        Raises `TypeError` for anything but `Rules`.

        >>> from relaysow.rules import kiothi
        >>> Position.start(kiothi()).legal_moves.count
        300450150
        """
        instance("rules", rules, Rules, "Rules")
        protected: list[int] = []
        if rules.protection == "until_owner_lifts":
            protected = list(range(2 * rules.pits))
        elif rules.protection == "until_lifted" and rules.redistribution == "none":
            protected = _occupied(rules.setup)
        made = 2 if rules.redistribution == "none" else 0
        return Position(rules, rules.setup, protected=protected, redistributions=made)

    # -- the end

    @property
    def is_over(self) -> bool:
        """Whether the game is over; then `end` names how."""
        return self.end is not None

    @property
    def final_stores(self) -> tuple[int, int] | None:
        """The final score, with the seeds the end rule gives from the ring; None while running.

        >>> from relaysow.rules import engehe
        >>> Position(engehe(pits=5), (1, 0, 0, 0, 3, 0, 0, 0, 0, 0), (4, 6), mover=1).final_stores
        (8, 6)
        """
        return None if self.end is None else _final_stores(self, self.end)

    @property
    def winner(self) -> int | None:
        """0 South, 1 North, -1 for a draw; None while running.

        "Higher store wins; equal is a draw" — and an endless sowing that draws the game draws it
        whatever the stores.
        """
        if self.end is None:
            return None
        return -1 if self.drawn else _higher(_final_stores(self, self.end))

    # -- moves

    @property
    def legal_moves(self) -> LegalMoves:
        """The legal moves in canonical order, a sequence; empty when the game is over.

        >>> from relaysow.rules import engehe
        >>> Position.start(engehe(pits=5)).legal_moves[0]
        Sow(pit=0, lift=None, direction=None)
        """
        if self.is_over:
            return LegalMoves(self, [])
        if self.redistributions < 2:
            return LegalMoves(self, None)
        found = legal_sowings(self.rules, self.mover, self.pits, self.direction, self.barred)
        return LegalMoves(self, list(found))

    def play(self, move: Move) -> Position:
        """The position after a legal move.

        Raises `IllegalMove`, naming the move, the position and the reason; `TypeError` for what is
        no move.

        >>> from relaysow.rules import giuthi
        >>> Position.start(giuthi(pits=5, seeds=4)).play(Sow(0, direction="ccw")).pits
        (2, 7, 7, 7, 0, 0, 4, 4, 4, 0)
        """
        sowing = self.sow(move)
        if sowing.after is None:
            raise self.illegal(move, str(sowing.reason))
        return sowing.after

    def sow(self, move: Move) -> Sowing[Position]:
        """All that a move does, lap by lap.

        Raises `IllegalMove` for a move that is no candidate here, `TypeError` for what is no move;
        a candidate that is illegal by its first lap or as endless gets a `Sowing` without `after`,
        with the `reason`.

        >>> from relaysow.rules import giuthi
        >>> ten = Position.start(giuthi(pits=10, seeds=9)).sow(Sow(0, direction="ccw"))
        >>> ten.laps, ten.captured, ten.captured_pits
        (3, 10, (10, 9))
        """
        move = self.canonical(move)
        if isinstance(move, Redistribute):
            return Sowing(
                laps=0,
                path=(),
                path_truncated=False,
                crossed=False,
                captured=0,
                captured_pits=(),
                moves_again=False,
                endless=False,
                period=None,
                capped=False,
                after=self._redistributed(move),
                reason=None,
            )

        rules, mover = self.rules, self.mover
        laps = sow_laps(rules, mover, first_lift(self.pits, move))
        reason = laps.objection(rules)
        taken: tuple[int, ...] = ()
        moves_again = False
        after: Position | None = None
        if reason is None and (laps.capped or laps.period is not None):
            # "`draw`: the move is legal and draws the game; ring and stores stay as they were.
            # `ends_turn`: legal; ring, stores and protection stay, the turn passes."
            drawn = rules.endless == "draw"
            player = mover if drawn else 1 - mover
            after = Position(rules, self.pits, self.stores, player, self.protected, drawn=drawn)
        elif reason is None:
            protected = self._still_protected(laps.lifted)
            # "If it falls into an empty pit, the sowing is over.  In the opponent's row: nothing
            # happens, the turn passes."
            if owner(laps.last, rules.pits) == mover:
                # "If the move has not crossed: `uncrossed="captures"`: crossing does not matter;
                # `moves_again`: no capture, the mover makes another move; `ends_turn`: no capture."
                if laps.crossed or rules.uncrossed == "captures":
                    taken = captured_pits(
                        rules, mover, laps.pits, protected, laps.last, laps.direction
                    )
                elif rules.uncrossed == "moves_again":
                    moves_again = True
            after = self._sown(move, laps.pits, protected, taken, moves_again)
        return Sowing(
            laps=None if laps.period is not None else laps.number,
            path=laps.path,
            path_truncated=laps.number > PATH_LAPS,
            crossed=laps.crossed,
            captured=sum(laps.pits[pit] for pit in taken),
            captured_pits=taken,
            moves_again=moves_again,
            endless=laps.period is not None,
            period=laps.period,
            capped=laps.capped,
            after=after,
            reason=reason,
        )

    def _still_protected(self, lifted: frozenset[int]) -> list[int]:
        """The protected pits left after a move has lifted from these pits.

        `"until_lifted"`: "a pit loses it for good the first time anyone lifts from it, in a first
        lap (also in part) or in a relay".  `"until_owner_lifts"` (Wikipedia): "only a lift during a
        move of its owner ends it".  "Lifts of a move count before that move's capture is judged."
        """
        anyone = self.rules.protection == "until_lifted"
        own = row(self.mover, self.rules.pits)
        return [pit for pit in self.protected if not (pit in lifted and (anyone or pit in own))]

    def _sown(
        self,
        move: Sow,
        sown: Pits,
        protected: list[int],
        taken: tuple[int, ...],
        moves_again: bool,
    ) -> Position:
        """The position after the captured seeds have gone to the mover's store.

        "The extra move may bring duties: `extra_direction="opposite"` (Leakey): only against the
        direction in which the move that earned it began; `extra_pit="not_origin"`: not from the pit
        from which the move that earned it began."
        """
        pits = tuple(0 if pit in taken else seeds for pit, seeds in enumerate(sown))
        stores = list(self.stores)
        stores[self.mover] += sum(sown[pit] for pit in taken)
        direction = barred = None
        if moves_again and self.rules.extra_direction == "opposite":
            direction = reverse(first_lift(self.pits, move).direction)
        if moves_again and self.rules.extra_pit == "not_origin":
            barred = move.pit
        mover = self.mover if moves_again else 1 - self.mover
        return Position(self.rules, pits, stores, mover, protected, direction, barred)

    def _redistributed(self, move: Redistribute) -> Position:
        """The position after an opening redistribution; the turn passes.

        "When the last opening redistribution is done, every occupied pit of either row becomes
        protected" (`"until_lifted"`).  "Emptying a pit in a redistribution is no lift."
        """
        pits = tuple(
            (0 if pit in move.emptied else seeds) + move.placed[pit]
            for pit, seeds in enumerate(self.pits)
        )
        made = self.redistributions + 1
        protected = list(self.protected)
        if made == 2 and self.rules.protection == "until_lifted":
            protected = _occupied(pits)
        return Position(
            self.rules, pits, self.stores, 1 - self.mover, protected, redistributions=made
        )

    def canonical(self, move: Move) -> Move:
        """The move as `legal_moves` spells it, if it is a candidate here.

        A `lift` is spelled out only under `lift="any"`, a `direction` only under
        `direction="either"`.  Raises `IllegalMove` if it is no candidate, `TypeError` if no move.
        """
        if not isinstance(move, Redistribute):
            return self._canonical_sowing(move)
        if self.is_over:
            raise self.illegal(move, "the game is over")
        if self.redistributions == 2:
            raise self.illegal(move, "a sowing is due, not a redistribution")
        self._check_redistribution(move)
        return move

    def _canonical_sowing(self, move: Sow) -> Sow:
        if not isinstance(move, Sow):
            raise TypeError(f"a move must be Sow or Redistribute, not {shown(move)}")
        if self.is_over:
            raise self.illegal(move, "the game is over")
        if self.redistributions < 2:
            raise self.illegal(move, "a redistribution is due, not a sowing")
        self._check_sowing(move)
        lift = direction = None
        if self.rules.lift == "any":
            lift = self.pits[move.pit] if move.lift is None else move.lift
        if self.rules.direction == "either":
            direction = move.direction
        return Sow(move.pit, lift, direction)

    def _check_sowing(self, move: Sow) -> None:
        rules, pit = self.rules, move.pit
        own = row(self.mover, rules.pits)
        if pit not in own:
            raise self.illegal(
                move, f"pit {shown(pit)} is not the mover's: must be {own[0]}…{own[-1]}"
            )
        held = self.pits[pit]
        if held < rules.minimum_lift:
            raise self.illegal(
                move,
                f"pit {pit} holds {held} seed{'' if held == 1 else 's'}: "
                f"at least {rules.minimum_lift} must be lifted",
            )
        if pit == self.barred:
            raise self.illegal(
                move, f"pit {pit} is barred: the extra move must start from another pit"
            )
        if move.lift is not None and move.lift > held:
            raise self.illegal(move, f"lift {shown(move.lift)} of pit {pit}: it holds {held}")
        if move.lift is not None and move.lift < held and rules.lift == "all":
            raise self.illegal(move, f"lift {move.lift} of pit {pit}: all {held} must be lifted")
        if rules.direction == "either" and move.direction is None:
            raise self.illegal(move, "direction None: must be 'ccw' or 'cw'")
        only = "ccw" if rules.direction == "ccw" else self.direction
        if only is not None and move.direction not in (None, only):
            raise self.illegal(move, f"direction {move.direction!r}: must be {only!r}")

    def _check_redistribution(self, move: Redistribute) -> None:
        n = self.rules.pits
        allowed = sets_to_empty(self.rules, self.mover, self.pits)
        if move.emptied not in allowed:
            most = max(len(emptied) for emptied in allowed)
            how = "at most" if self.rules.redistribution == "up_to_two" else "exactly"
            raise self.illegal(
                move,
                f"emptied {shown(move.emptied)}: must be {how} {most} of the mover's occupied pits",
            )
        if len(move.placed) != 2 * n:
            raise self.illegal(move, f"placed has {len(move.placed)} counts: must be {2 * n}")
        emptied, placed = sum(self.pits[pit] for pit in move.emptied), sum(move.placed)
        if placed != emptied:
            raise self.illegal(
                move, f"placed holds {shown(placed)} seeds: the emptied pits hold {emptied}"
            )

    def illegal(self, move: Move, reason: str) -> IllegalMove:
        """The error that says why a move may not be played here.

        Raises `TypeError` for what is no move, and no text.
        """
        instance("a move", move, (Sow, Redistribute), "Sow or Redistribute")
        instance("reason", reason, str, "a string")
        return IllegalMove(f"illegal move {shown(move)} in {self.to_text()}: {reason}")

    # -- actions, for learning

    def action(self, move: Move) -> int:
        """The number of a candidate sowing: `((own pit − 1)·L + lift − 1)·D + (1 if clockwise)`.

        L = 1 (`lift="all"`) or the seeds of the set-up, D = 1 or 2 directions.  Raises
        `IllegalMove` for a move that is no candidate here, `ValueError` for one that has no number:
        a redistribution, or a lift of more seeds than the set-up has; `TypeError` for what is no
        move.

        >>> from relaysow.rules import giuthi
        >>> p = Position.start(giuthi())
        >>> p.action(Sow(2, direction="cw")), p.move(5)
        (5, Sow(pit=2, lift=None, direction='cw'))
        """
        if isinstance(move, Redistribute):
            raise ValueError(f"a redistribution has no action number: {shown(move)}")  # noqa: TRY004
        rules = self.rules
        move = self._canonical_sowing(move)
        number = move.pit - row(self.mover, rules.pits)[0]
        if rules.lift == "any":
            lift = int(move.lift or 0)
            if lift > rules.seeds:
                raise ValueError(
                    f"lift {lift} has no action number: the set-up holds {rules.seeds} seeds"
                )
            number = number * rules.seeds + lift - 1
        if rules.direction == "either":
            number = number * 2 + (move.direction == "cw")
        return number

    def move(self, action: int) -> Sow:
        """The sowing of this number, legal here or not.

        Raises `ValueError` unless 0 ≤ `action` < `rules.actions`, `TypeError` unless an integer.
        """
        rules = self.rules
        most = rules.actions - 1
        number = within("action", action, 0, most, f"an action number, 0…{most}")
        direction = lift = None
        if rules.direction == "either":
            number, clockwise = divmod(number, 2)
            direction = "cw" if clockwise else "ccw"
        if rules.lift == "any":
            number, fewer = divmod(number, rules.seeds)
            lift = fewer + 1
        return Sow(row(self.mover, rules.pits)[number], lift, direction)

    # -- text

    def __repr__(self) -> str:
        """The call of the constructor that gives this position back."""
        shown = f"pits={self.pits}, stores={self.stores}, mover={self.mover}"
        if self.protected:
            shown += f", protected={self.protected}"
        if self.direction is not None:
            shown += f", direction={self.direction!r}"
        if self.barred is not None:
            shown += f", barred={self.barred}"
        if self.redistributions != 2:
            shown += f", redistributions={self.redistributions}"
        if self.drawn:
            shown += ", drawn=True"
        return f"Position({self.rules!r}, {shown})"

    def __str__(self) -> str:
        """The board, drawn."""
        from relaysow.text import board as display

        return display.board(self)

    def _repr_svg_(self) -> str:
        """The board as a notebook shows it."""
        from relaysow.text import svg as pictures

        return pictures.svg(self)

    def to_text(self) -> str:
        """The position in one line; `from_text` gives it back.

        >>> from relaysow.rules import engehe
        >>> Position.start(engehe(pits=5)).to_text()
        'engehe(pits=5,seeds=4) 4,4,4,4,4;4,4,4,4,4 0,0 S - - 2'
        """
        from relaysow.text import notation

        return notation.to_text(self)

    @staticmethod
    def from_text(text: str) -> Position:
        """The position a text names.

        Raises `NotationError` if it names none, `PositionError` or `RulesError` if it cannot be,
        `TypeError` for anything but a string.
        """
        from relaysow.text import notation

        return notation.from_text(text, Position)

    def move_to_text(self, move: Move) -> str:
        """A candidate move as text, such as `3+`.

        Raises `IllegalMove` for a move that cannot be written here, `TypeError` for what is no
        move.
        """
        from relaysow.text import notation

        return notation.move_to_text(self, move)

    def move_from_text(self, text: str) -> Move:
        """The move a text names here.

        Raises `NotationError` if it names none, `TypeError` for anything but a string.
        """
        from relaysow.text import notation

        return notation.move_from_text(self, text)


POSITIONS.add(Position)


def _counts(name: str, values: Iterable[int], length: int, what: str) -> tuple[int, ...]:
    """Counts of seeds, checked."""
    counts = whole_numbers(name, values, PositionError)
    if len(counts) != length:
        raise PositionError(f"{name} has {len(counts)} counts: must be {length}{what}")
    for i, count in enumerate(counts):
        if not 0 <= count <= MAX_SEEDS:
            raise PositionError(f"{name}[{i}]={shown(count)}: must be 0…{MAX_SEEDS} seeds")
    return counts


def _occupied(pits: Pits) -> list[int]:
    return [pit for pit, seeds in enumerate(pits) if seeds > 0]


def _judge(
    rules: Rules, pits: Pits, mover: int, direction: str | None, barred: int | None
) -> tuple[int, str | None, int | None, bool, str | None]:
    """Who moves, with which duties, whether after a pass, and how the game ends if it does.

    "Judged for the player to move, after every move and every pass (a pass drops duties)":
    `"both_stuck"` (Giuthi): "a player without a legal move passes, and must move again as soon as
    he can.  When neither can move the game ends."  `"row_empty"` (the Italian Giuthi): "as
    `both_stuck`; but when the player to move has an empty row the game ends".
    `"able_player_sweeps"` (Kiothi), `"last_mover_sweeps"` (En Gehé): "the game ends when the player
    to move has no legal move".  Passing is never a choice.
    """
    other = 1 - mover

    def row_is_empty(player: int) -> bool:
        return not any(pits[pit] for pit in row(player, rules.pits))

    if rules.end == "row_empty" and row_is_empty(mover):
        return mover, direction, barred, False, "row_empty"
    if can_move(rules, mover, pits, direction, barred):
        return mover, direction, barred, False, None
    if rules.end == "last_mover_sweeps":
        return mover, direction, barred, False, "swept"
    if rules.end == "able_player_sweeps":
        end = "swept" if can_move(rules, other, pits) else "both_stuck"
        return mover, direction, barred, False, end
    if rules.end == "row_empty" and row_is_empty(other):
        return other, None, None, True, "row_empty"
    if can_move(rules, other, pits):
        return other, None, None, True, None
    if can_move(rules, mover, pits):  # he was stuck by his duties alone, and they have lapsed
        return mover, None, None, True, None
    return mover, direction, barred, False, "both_stuck"


def _final_stores(position: Position, end: str) -> tuple[int, int]:
    """The stores when the game ends so with this position's mover to move.

    Both stuck: "each adds the seeds in his own row to his store".  Row empty or swept: the opponent
    of the player to move "adds everything left on the ring".  After an endless sowing "ring and
    stores stay as they were, the seeds on the ring belong to no one".
    """
    stores = list(position.stores)
    if end == "both_stuck":
        for player in (0, 1):
            stores[player] += sum(position.pits[pit] for pit in row(player, position.rules.pits))
    elif end in ("row_empty", "swept"):
        stores[1 - position.mover] += sum(position.pits)
    return stores[0], stores[1]


def _higher(stores: tuple[int, int]) -> int:
    """Who has more: 0 South, 1 North, -1 neither."""
    south, north = stores
    return 0 if south > north else 1 if north > south else -1


# ---------------------------------------------------------------------------------- legal moves


class LegalMoves:
    """The legal moves of a position in canonical order: a sequence that lists nothing needlessly.

    Sowings are kept as a list.  Redistributions are counted and numbered, by the pits emptied and
    then by the placement, and made one by one when asked for.  `count` is their number, of any
    size; `len` raises `OverflowError` past `sys.maxsize`.

    Made by `Position.legal_moves`.  Raises `TypeError` for what is no Position or no list of moves,
    and no move or number; `IndexError` for a number past the end.

    >>> from relaysow.rules import kiothi
    >>> moves = Position.start(kiothi()).legal_moves
    >>> len(moves), moves[-1].emptied, moves.index(moves[123_456_789])
    (300450150, (8, 9), 123456789)
    """

    __array_ufunc__ = None  # NumPy would compare its own numbers with each move

    def __init__(self, position: Position, sowings: list[Move] | list[Sow] | None) -> None:
        instance("position", position, Position, "a Position")
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


def perft(position: Position, depth: int) -> int:
    """The number of paths of `depth` moves: a check that two implementations agree.

    "A forced pass costs no depth; nothing continues below a finished game; repetition is not
    applied."  Raises `ValueError` for a depth outside 0…200, `TypeError` for wrong types.

    >>> from relaysow.rules import engehe
    >>> [perft(Position.start(engehe(pits=8)), depth) for depth in (1, 2, 3)]
    [8, 58, 366]
    """
    instance("position", position, Position, "a Position")
    depth = within("depth", depth, 0, 200)
    if depth == 0:
        return 1
    moves = position.legal_moves
    if depth == 1:
        return moves.count
    return sum(perft(position.play(move), depth - 1) for move in moves)


# ---------------------------------------------------------------------------------------- games


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


class Game:
    """A game from the opening of some rules, or from any position: moves, undo, repetition.

    A turn is "a move plus the moves it earns"; it ends when the other player is to move, or by a
    pass.
    "`repetition`: a position in which a move is to be chosen that has the same ring, player to
    move, protection and duties as an earlier one of this game ends it.  All such positions are
    compared, also inside a turn."  `repetition="off"` compares nothing.

    A move is one step added to a list, so that it has been made or not whatever interrupts it.

    >>> from relaysow.rules import giuthi
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

    def record(self) -> str:
        """The game as text that `from_record` plays again."""
        from relaysow.text import records

        return records.record(self)

    @classmethod
    def from_record(cls, text: str) -> Game:
        """The game of a record.

        Raises `NotationError` if the text is none or does not play, `RulesError` for rules that
        cannot be, `TypeError` for anything but a string.
        """
        from relaysow.text import records

        return records.replay(text, cls)

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
            stores = _final_stores(position, position.end)
            winner = -1 if position.drawn else _higher(stores)
            outcome = Outcome(winner, stores, position.end)
        elif self._repeats(position):
            outcome = _drawn_out(position)
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


def _drawn_out(position: Position) -> Outcome:
    """The outcome of a game ended by repetition.

    "`draw`: drawn whatever the stores, which stay as they are; `stores`: the higher store wins, the
    seeds on the ring belong to no one; `score`: each adds his own row, higher wins."
    """
    repetition = position.rules.repetition
    stores = position.stores
    if repetition == "score":
        stores = _final_stores(position, "both_stuck")
    return Outcome(-1 if repetition == "draw" else _higher(stores), stores, "repetition")


# --------------------------------------------------------------------------------------- chance

WORD = 2**64 - 1


def split_mix(state: int) -> tuple[int, int]:
    """SplitMix64: the next state and the number it gives."""
    state = (state + 0x9E3779B97F4A7C15) & WORD
    z = state
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
    return state, z ^ (z >> 31)


class Chance:
    """The generator of one game: xoshiro128++, seeded by SplitMix64 from the seed and the game.

    Both are 0…2⁶⁴−1; raises `ValueError` or `TypeError` if not.  The first number SplitMix64 gives
    from the seed, exclusive or the game's index, is the state from which two more numbers are the
    words of the generator, low half first.

    >>> chance = Chance(seed=1, game=0)
    >>> 0 <= chance.word() < 2**32
    True
    """

    def __init__(self, seed: int, game: int) -> None:
        seed, game = within("seed", seed, 0, WORD), within("game", game, 0, WORD)
        _, base = split_mix(seed)
        state, first = split_mix(base ^ game)
        _, second = split_mix(state)
        self._s = [first & 0xFFFFFFFF, first >> 32, second & 0xFFFFFFFF, second >> 32]

    def __copy__(self) -> Chance:
        return deepcopy(self)

    def word(self) -> int:
        """The next 32-bit word."""

        def rotated(x: int, k: int) -> int:
            return ((x << k) | (x >> (32 - k))) & 0xFFFFFFFF

        s = self._s.copy()
        result = (rotated((s[0] + s[3]) & 0xFFFFFFFF, 7) + s[0]) & 0xFFFFFFFF
        shifted = (s[1] << 9) & 0xFFFFFFFF
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = rotated(s[3], 11)
        self._s = s
        return result

    def below(self, count: int) -> int:
        """A number below `count` (of sowings, 1…2³²) by multiply-shift of one word.

        Raises `ValueError` or `TypeError` for any other count.
        """
        count = within("count", count, 1, 2**32)
        return (self.word() * count) >> 32

    def below_any(self, count: int) -> int:
        """A number below `count` (of redistributions, of any size): ⌈bits/32⌉+1 words taken as one
        integer, high word first, so that the bias is below 2⁻³².

        Raises `ValueError` or `TypeError` for a count below 1 or that is no integer.
        """
        if (count := whole_number("count", count)) < 1:
            raise ValueError(f"count={shown(count)}: must be 1 or more")
        words = -(-count.bit_length() // 32) + 1
        drawn, later = 0, copy(self)
        for _ in range(words):
            drawn = (drawn << 32) | later.word()
        self._s = later._s
        return (drawn * count) >> (32 * words)


def worth_of_moves(game: Game, depth: int) -> dict[Move, int]:
    """What the player to move gets by each legal move, by minimax of `depth` moves, this one among
    them: the lead where the game still goes on, at its end the final lead, 0 if it is drawn.

    >>> from relaysow.rules import giuthi
    >>> max(worth_of_moves(Game(giuthi(pits=5, seeds=4)), 2).values())
    5
    """
    mover, worth = game.position.mover, {}
    for move in game.legal_moves:
        later = copy(game)
        later.push(move)
        score = worth_of_game(later, depth - 1)
        worth[move] = score if later.position.mover == mover else -score
    return worth


def worth_of_game(game: Game, depth: int) -> int:
    """What the player to move gets by minimax of `depth` moves."""
    outcome, mover = game.outcome, game.position.mover
    if outcome is None and depth > 0:
        return max(worth_of_moves(game, depth).values())
    if outcome is not None and outcome.winner == -1:
        return 0
    stores = game.position.stores if outcome is None else outcome.stores
    return stores[mover] - stores[1 - mover]


def choose(game: Game, policy: str, chance: Chance) -> Move:
    """A move for the player to move, who has one.

    A redistribution is drawn by its number.  `"random"`: a sowing is drawn from the candidates in
    canonical order; one that proves illegal is removed and another drawn, so that the legal ones
    are equally likely.  `"greedy"`: drawn once among the legal moves that capture most.
    `"search:depth=N"`: drawn once among those best by minimax of N moves.
    """
    position = game.position
    if position.redistributions < 2:
        legal = position.legal_moves
        return legal[chance.below_any(legal.count)]
    if policy == "greedy":
        legal = game.legal_moves
        captures = [position.sow(move).captured for move in legal]
        best = [move for move, c in zip(legal, captures, strict=True) if c == max(captures)]
        return best[chance.below(len(best))]
    if policy.startswith("search:depth="):
        worth = worth_of_moves(game, int(policy.removeprefix("search:depth=")))
        most = [move for move, score in worth.items() if score == max(worth.values())]
        return most[chance.below(len(most))]
    left: list[Move] = list(
        candidates(
            position.rules, position.mover, position.pits, position.direction, position.barred
        )
    )
    while True:
        move = left.pop(chance.below(len(left)))
        if game.is_legal(move):
            return move


def simulate(
    start: Position,
    games: int,
    seed: int,
    first_game: int,
    south: str,
    north: str,
    max_moves: int | None,
    poll: Callable[[int], None] | None = None,
) -> dict[str, list[Any]]:
    """Play games by the policies of `choose`, one row a game in every column.

    `scores` the two final stores (of a cut game the stores as they stand), `winner` 0, 1, −1 for a
    draw or −2 for a cut game, `moves` with the redistributions, `turns` begun by a move, `laps` of
    all sowings, `captures` the moves that captured, `longest` the most laps of one sowing, `end`
    its place in `ENDS`, `first_move` its number among the legal moves of the start (−1 if there was
    none or the number needs more than 63 bits).  After `max_moves` moves a game not ended is cut.
    `poll`, if given, is called with the number of games done about ten times a second.

    Raises `ValueError` for other policies, numbers out of range, or `repetition="off"`, under which
    a game need not end, without `max_moves`; `TypeError` for wrong types.

    >>> from relaysow.rules import giuthi
    >>> start = Position.start(giuthi(pits=5, seeds=4))
    >>> result = simulate(start, 2, 7, 0, "random", "greedy", None)
    >>> [sum(stores) for stores in result["scores"]]
    [40, 40]
    """
    instance("start", start, Position, "a Position")
    games, seed = within("games", games, 0, 10**12), within("seed", seed, 0, WORD)
    first_game = within("first_game", first_game, 0, WORD + 1 - games)
    for name, policy in (("south", south), ("north", north)):
        instance(name, policy, str, "the name of a policy")
        if not re.fullmatch(r"random|greedy|search:depth=[1-9]\d{0,2}", policy, re.ASCII):
            allowed = "must be 'random', 'greedy' or 'search:depth=N'"
            raise ValueError(f"{name}={shown(policy)}: {allowed}")
    if max_moves is not None:
        max_moves = within("max_moves", max_moves, 1, 2**31 - 1)
    if poll is not None:
        function("poll", poll)
    if start.rules.repetition == "off" and max_moves is None:
        raise ValueError("repetition='off': games need not end, so max_moves must be given")
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    polled = monotonic()
    for number in range(games):
        result = _play_out(start, Chance(seed, first_game + number), (south, north), max_moves)
        for name in COLUMNS:
            columns[name].append(result[name])
        if poll is not None and monotonic() - polled >= 0.1:
            poll(number + 1)
            polled = monotonic()
    return columns


def _play_out(
    start: Position, chance: Chance, policies: tuple[str, str], max_moves: int | None
) -> dict[str, Any]:
    """One game of `simulate`."""
    game = Game(start)
    turns = laps = captures = longest = 0
    while not game.is_over and len(game.moves) != max_moves:
        turns += game.begins_turn
        move = choose(game, policies[game.position.mover], chance)
        sowing = game.position.sow(move)
        laps += sowing.laps or 0
        longest = max(longest, sowing.laps or 0)
        captures += sowing.captured > 0
        game.push(move)
    first = -1
    if game.moves:
        first = start.legal_moves.index(game.moves[0])
    outcome = game.outcome or Outcome(-2, game.position.stores, "cut")
    return {
        "scores": outcome.stores,
        "winner": outcome.winner,
        "moves": len(game.moves),
        "turns": turns,
        "laps": laps,
        "captures": captures,
        "longest": longest,
        "end": ENDS.index(outcome.end),
        "first_move": first if first < 2**63 else -1,
    }
