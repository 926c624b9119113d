"""Capture: what the last seed takes."""

from __future__ import annotations

from collections.abc import Iterable

from relaysow._support.reloading import once
from relaysow.reference.board import Pits, next_pit, opposite, owner, row
from relaysow.rules import Rules

once(__name__)


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
