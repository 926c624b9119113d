"""Many matches played: `simulate_match`, and what they come to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from relaysow import _core
from relaysow._support.checks import WORD, flag, room, shown, whole_numbers, within
from relaysow._support.progress import progress_bar
from relaysow._support.public import public
from relaysow._support.reloading import once
from relaysow._support.threads import thread_count
from relaysow.match.layouts import LayOuts
from relaysow.match.round import check_match, match_rules
from relaysow.options import MIN_PITS
from relaysow.players.policies import policies_of
from relaysow.rules import Rules
from relaysow.simulation.result import SimulationInterrupted, copied_read_only
from relaysow.simulation.summary import Rate, Spread
from relaysow.text.notation import PLAYERS

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

once(__name__)

LAYOUTS = ("even", "random")
"""The lay-out policies by name: `LayOuts.even`, or every legal lay-out alike."""

Policy = str | Callable[[LayOuts], Sequence[int]]


@dataclass(frozen=True, slots=True)
class MatchSummary:
    """What `simulate_match` found: `str` gives it as plain text.

    `south`, `north`, `draws`, `cut` are the `Rate` of all matches that South won, North won, that
    could not go on, or were cut by `max_rounds`; `starter` of those won by who began the first
    round, `shortened` of those with a round on shorter rows; `rounds` and `moves` the `Spread`.
    """

    title: str
    south: Rate
    north: Rate
    draws: Rate
    cut: Rate
    starter: Rate
    shortened: Rate
    rounds: Spread
    moves: Spread

    def __str__(self) -> str:
        rates = {
            "South wins": self.south,
            "North wins": self.north,
            "draws": self.draws,
            "cut": self.cut,
            "won by who began": self.starter,
            "on shorter rows": self.shortened,
        }
        lines = [self.title, ""]
        for name, rate in rates.items():
            interval = f"{rate.low:.2%} … {rate.high:.2%}"
            lines.append(f"{name:16}  {rate.count:>12,}  {rate.rate:>7.2%}  ({interval})")
        for name, spread in (("rounds", self.rounds), ("moves", self.moves)):
            lines.append(
                f"{name:16}  mean {spread.mean:,.2f}, median {spread.median:,.1f}, "
                f"largest {spread.max:,}"
            )
        return "\n".join(lines)


@public
@copied_read_only
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MatchSimulation:
    """The matches `simulate_match` played: read-only NumPy columns, one row a match.

    * `totals`: int16, shape (matches, 2): seeds of South and North at the end;
    * `winner`: int8: 0 South, 1 North, −1 could not go on, −2 cut by `max_rounds`;
    * `rounds`: int32; `moves`: int64, of all rounds;
    * `first`: int8: who began the first round; `pits`: int8: pits of a row in the shortest round.

    Row i is match number `first_match` + i.

    Made by `simulate_match`; it holds what it is given.
    """

    totals: npt.NDArray[np.int16]
    winner: npt.NDArray[np.int8]
    rounds: npt.NDArray[np.int32]
    moves: npt.NDArray[np.int64]
    first: npt.NDArray[np.int8]
    pits: npt.NDArray[np.int8]
    rules: Rules
    scheme: str
    policy: tuple[str, str]
    layout: tuple[str, str]
    seed: int
    first_match: int

    @property
    def matches(self) -> int:
        """How many matches there are."""
        return len(self.winner)

    def __repr__(self) -> str:
        return (
            f"<MatchSimulation: {self.matches:,} matches of {self.rules!r}, {self.scheme}, "
            f"{' against '.join(self.policy)}, lay-outs {' against '.join(self.layout)}, "
            f"seed {self.seed}>"
        )

    def summary(self) -> MatchSummary:
        """Win rates with 95 % intervals, rounds and moves.

        >>> from relaysow import giuthi_wikipedia, simulate_match
        >>> summary = simulate_match(giuthi_wikipedia(5, 4), matches=100).summary()
        >>> summary.south.count + summary.north.count
        100
        """
        import numpy as np

        def rate(chosen: npt.NDArray[Any]) -> Rate:
            return Rate.of(int(np.count_nonzero(chosen)), self.matches)

        def spread(column: npt.NDArray[Any]) -> Spread:
            return Spread(float(column.mean()), float(np.median(column)), int(column.max()))

        return MatchSummary(
            title=repr(self)[len("<MatchSimulation: ") : -1],
            south=rate(self.winner == 0),
            north=rate(self.winner == 1),
            draws=rate(self.winner == -1),
            cut=rate(self.winner == -2),
            starter=rate(self.winner == self.first),
            shortened=rate(self.pits < self.rules.pits),
            rounds=spread(self.rounds),
            moves=spread(self.moves),
        )


@public
def simulate_match(
    rules: Rules,
    scheme: str = "wikipedia",
    matches: int = 10_000,
    seed: int = 1,
    *,
    layout: Policy | tuple[Policy, Policy] = "even",
    policy: str | tuple[str, str] = "random",
    shorten: bool = True,
    twice: str = "asked",
    half_of: str = "match",
    first: int | None = None,
    max_rounds: int = 1_000,
    first_match: int = 0,
    threads: int | None = None,
    progress: bool = False,
) -> MatchSimulation:
    """Play many matches of Giuthi in the core.

    `scheme`, `first`, `twice` and `half_of` are those of `Match`; `policy` is that of `simulate`.  `layout` is
    `"even"`, `"random"` or a function that is given the `LayOuts` to choose from and returns a row;
    or a pair of them, South's and North's.  A weaker player who may ask for shorter rows always
    does, or with `shorten=False` never.  A match of more than `max_rounds` rounds is cut.

    Match number m depends on the arguments, `seed` and m alone.  Its round r, from 1, is game
    number 65,536·m + r that `simulate` plays from the start of that round with the same seed.
    Random lay-outs and the coin (r = 0) draw from the generator of the same number under seed
    2⁶⁴−1−`seed`: the coin as one of two; a lay-out by going over the places of the seeds beyond
    what each pit must hold and of the bars between the pits it may fill, where a place is a bar if
    a draw among the places left is below the number of bars left (none is drawn once no bar, or
    only bars, are left); again if no pit holds two.  With a function the matches run on one thread.

    matches 1…10⁹, seed 0…2⁶⁴−1, match numbers below 2⁴⁸, max_rounds 1…65,535, threads None or
    1…1,024; `progress` shows a bar on a terminal.  Raises what `Match` does, `ValueError` for
    `repetition="off"` (a game need not end) and for a row of a function that is not legal,
    `MemoryError` and `OSError` as `simulate` does; Ctrl-C raises `SimulationInterrupted`, a
    `KeyboardInterrupt` whose `result` holds the matches done.

    >>> from relaysow import giuthi_leakey, simulate_match
    >>> result = simulate_match(giuthi_leakey(), "leakey", matches=200, seed=3, layout="random")
    >>> result.totals.shape, bool((result.totals.sum(axis=1) == 72).all())
    ((200, 2), True)
    >>> mine = lambda layouts: layouts[layouts.count // 2]
    >>> result = simulate_match(giuthi_leakey(), "leakey", matches=20, layout=(mine, "even"))
    >>> result.matches
    20
    """
    scheme, first, twice, half_of = check_match(rules, scheme, first, twice, half_of)
    if rules.repetition == "off":
        raise ValueError("repetition='off': games need not end")
    matches = within("matches", matches, 1, 10**9)
    seed = within("seed", seed, 0, WORD - 1)
    first_match = within("first_match", first_match, 0, 2**48 - matches)
    max_rounds = within("max_rounds", max_rounds, 1, 2**16 - 1)
    threads = thread_count(threads)
    shorten, progress = flag("shorten", shorten), flag("progress", progress)
    layouts = layout if isinstance(layout, (tuple, list)) else (layout, layout)
    if len(layouts) != 2:
        raise ValueError(f"layout={shown(layout)}: must be one or two, South's and North's")
    for one in layouts:
        if isinstance(one, str) and one not in LAYOUTS:
            raise ValueError(f"layout={shown(one)}: must be 'even', 'random' or a function")
        if not isinstance(one, str) and not callable(one):
            raise TypeError(f"layout must be a name or a function, not {shown(one)}")
    policies = policies_of(policy)

    def ask(
        player: int, seeds: int, pits: int, faced: tuple[int, ...] | None, twice: bool
    ) -> tuple[int, ...]:
        choices, chosen = LayOuts(player, seeds, pits, faced, twice), layouts[player]
        assert not isinstance(chosen, str)
        row = whole_numbers("row", chosen(choices), ValueError)
        if reason := choices.reason(row):
            raise ValueError(f"lay-out {shown(row)} of {PLAYERS[player]}: {reason}")
        return row

    names = tuple(one if isinstance(one, str) else "a function" for one in layouts)
    no_room = f"matches={matches}: no room for 19 bytes a match"
    with progress_bar(matches, "matches", progress) as poll, room(no_room):
        columns, done, error = _core.simulate_matches(
            [match_rules(rules, pits) for pits in range(MIN_PITS, rules.pits + 1)],
            scheme,
            twice == "short",
            half_of == "round",
            shorten,
            -1 if first is None else first,
            names,
            ask,
            policies,
            matches,
            seed,
            first_match,
            max_rounds,
            1 if "a function" in names else threads,
            poll,
        )
    for name, column in columns.items():
        if done < matches:
            columns[name] = column = column[:done].copy()
        column.flags.writeable = False
    result = MatchSimulation(
        **columns,
        rules=rules,
        scheme=scheme,
        policy=policies,
        layout=(names[0], names[1]),
        seed=seed,
        first_match=first_match,
    )
    if isinstance(error, KeyboardInterrupt):
        raise SimulationInterrupted(result, matches) from error
    if error is not None:
        raise error
    return result
