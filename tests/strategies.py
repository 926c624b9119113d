"""Hypothesis strategies: random rules over all options, and random positions under them.

A fault planted in a rare option passes every named rule set, so the differential tests draw rules
as well as positions.  Boards are small mostly, some as large as can be.  The reference has to sow
out whatever is drawn, and an endless sowing of many seeds can take millions of laps; so the more
seeds, the lower the `max_laps`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from relaysow.options import CHOICES, NEEDS
from relaysow.rules import Rules

PITS = (3, 3, 3, 4, 4, 4, 5, 5, 6, 6, 8, 10, 21, 33, 64)
HEAPS = (1, 2, 3, 3, 4, 4, 6, 6, 10, 30, 300, 1_000)

# Rings of 2×3 from whose pit 0 counter-clockwise a sowing never ends, for they are rare; the first
# two of skipped, onward sowing do not come back to where they began.
ENDLESS: dict[tuple[str, str], tuple[tuple[int, ...], ...]] = {
    ("sown", "onward"): ((7, 1, 4, 3, 2, 1), (3, 1, 4, 3, 2, 1), (2, 5, 2, 1, 0, 3)),
    ("sown", "reversed"): ((4, 1, 1, 3, 1, 1), (2, 1, 6, 0, 2, 0), (2, 4, 2, 2, 0, 1)),
    ("skipped", "onward"): ((5, 1, 2, 5, 1, 3), (2, 3, 1, 2, 4, 5), (4, 4, 1, 2, 2, 0)),
    ("skipped", "reversed"): ((2, 3, 2, 1, 0, 1), (3, 4, 0, 1, 0, 1), (2, 1, 5, 0, 1, 0)),
}


def seeds_allowed(rules: Rules) -> int:
    """The most seeds on the ring with which the reference still answers soon."""
    most = 20 if rules.max_laps is None else 60 if rules.max_laps > 30 else 1_000
    return min(most, 200) if rules.lift == "any" else most


@st.composite
def counts(draw: st.DrawFn, length: int, most: int, least: int = 0) -> tuple[int, ...]:
    """So many counts, `least` to `most` seeds in all."""
    heap = min(draw(st.sampled_from(HEAPS)), most)
    drawn = draw(st.lists(st.integers(0, heap), min_size=length, max_size=length))
    left = most
    for i, count in enumerate(drawn):
        drawn[i] = min(count, left)
        left -= drawn[i]
    if sum(drawn) < least:
        drawn[draw(st.integers(0, length - 1))] = least
    return tuple(drawn)


@st.composite
def random_rules(draw: st.DrawFn, **fixed: Any) -> Rules:
    """Rules with every option free, but for those `fixed` and those that would contradict."""
    options: dict[str, Any] = {name: draw(st.sampled_from(v)) for name, v in CHOICES.items()}
    options["minimum_lift"] = draw(st.sampled_from((1, 2)))
    options["max_laps"] = draw(
        st.one_of(st.none(), st.none(), st.integers(1, 30), st.integers(31, 300))
    )
    options |= fixed
    for name, value, other, needed in NEEDS:
        if options[name] == value and options[other] != needed:
            options[name] = next(able for able in CHOICES[name] if able != value)
    if "setup" in options:
        return Rules(**options)
    pits = options.setdefault("pits", draw(st.sampled_from(PITS)))
    most = seeds_allowed(Rules(**options, setup=(1,) * (2 * pits)))
    return Rules(**options, setup=draw(counts(2 * pits, most, least=1)))


@dataclass(frozen=True)
class Setup:
    """A position still to be made: `setup(engine)` makes it as that engine's `Position`."""

    rules: Rules
    arguments: dict[str, Any]

    def __call__(self, engine: Any) -> Any:
        return engine.Position(self.rules, **self.arguments)


def subset(things: Sequence[int]) -> st.SearchStrategy[list[int]]:
    """Some of these, in any order, none of them twice."""
    return st.lists(st.sampled_from(things), unique=True, max_size=len(things))


@st.composite
def positions(draw: st.DrawFn, rules: Rules) -> Setup:
    """Any position the rules allow: ring, stores, protection, duties, redistributions."""
    n = rules.pits
    mover = draw(st.integers(0, 1))
    if n == 3 and draw(st.booleans()):
        ring = draw(st.sampled_from(ENDLESS[rules.origin, rules.relay]))
        pit = mover * n + draw(st.integers(0, n - 1))
        ring = ring[-pit:] + ring[:-pit] if pit else ring
    else:
        ring = draw(counts(2 * n, seeds_allowed(rules)))
    stores = draw(counts(2, min(1_000 - sum(ring), 40)))
    arguments: dict[str, Any] = {"pits": ring, "stores": stores, "mover": mover}
    made = 2
    if rules.redistribution != "none":
        made = arguments["redistributions"] = draw(st.sampled_from((0, 1, 2, 2, 2, 2)))
    if rules.protection != "until_lifted" or made == 2:
        arguments["protected"] = draw(st.one_of(st.just([]), subset(range(2 * n))))
    if made == 2 and rules.extra_direction == "opposite":
        arguments["direction"] = draw(st.sampled_from((None, "ccw", "cw")))
    if made == 2 and rules.extra_pit == "not_origin":
        arguments["barred"] = draw(st.none() | st.integers(mover * n, mover * n + n - 1))
    if rules.endless == "draw" and draw(st.integers(0, 9)) == 9:
        arguments["drawn"] = True
    return Setup(rules, arguments)


@st.composite
def rules_and_positions(draw: st.DrawFn, **fixed: Any) -> tuple[Rules, Setup]:
    """Random rules, some options `fixed`, and a random position under them."""
    rules = draw(random_rules(**fixed))
    return rules, draw(positions(rules))
