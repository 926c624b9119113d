"""The rules as data: one frozen dataclass, its refusals, and the named rule sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from relaysow._support.attached import provided
from relaysow._support.checks import one_of, shown, whole_number, whole_numbers, within
from relaysow._support.public import public
from relaysow._support.reloading import once
from relaysow.options import (
    ADDED,
    CHOICES,
    GONE,
    MAX_LAPS,
    MAX_PITS,
    MAX_SEEDS,
    MIN_PITS,
    NEEDS,
    OPTIONS,
    Options,
)

if TYPE_CHECKING:
    from relaysow._core import Position

once(__name__)


@public
class RulesError(ValueError):
    """Rules that cannot be: an unknown value, a size out of range, or options that contradict."""


@public
@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Rules:
    """The rules of a game, as data.  Immutable, hashable, equal by value.

    Usually made by `giuthi`, `kiothi`, `engehe` or one of the sourced readings, each of which
    takes any of these options by keyword.  `pits` is the number of pits in each row, 3…64;
    `setup` holds the 2·`pits` opening counts in ring order (South's row from South's left, then
    North's from North's left), 1…1,000 seeds in all.  The other options and their values are
    described in the README.

    Raises `RulesError` (a `ValueError`) naming the option, its value and what is allowed, or two
    options that contradict each other; `TypeError` for a wrong type.

    >>> from relaysow import Rules, giuthi
    >>> giuthi(pits=5, seeds=4) == Rules(pits=5, setup=(4,) * 10)
    True
    >>> giuthi(lift="some")
    Traceback (most recent call last):
    ...
    relaysow.RulesError: lift='some': must be 'all' or 'any'
    """

    pits: int = 8
    setup: tuple[int, ...] = (8,) * 16
    minimum_lift: int = 2
    lift: str = "all"
    direction: str = "either"
    relay: str = "reversed"
    origin: str = "sown"
    first_lap: str = "free"
    uncrossed: str = "moves_again"
    extra_direction: str = "free"
    extra_pit: str = "any"
    lone_seed: str = "stays"
    capturing_seed: str = "taken"
    chain: str = "run_over_gaps"
    bonus: str = "none"
    protection: str = "none"
    redistribution: str = "none"
    end: str = "both_stuck"
    repetition: str = "draw"
    endless: str = "illegal"
    max_laps: int | None = None

    def __post_init__(self) -> None:
        def put(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        put("pits", pits_in_row(self.pits))
        put("minimum_lift", within("minimum_lift", self.minimum_lift, 1, 2, "1 or 2", RulesError))
        put("setup", setup := whole_numbers("setup", self.setup, RulesError))
        if len(setup) != 2 * self.pits:
            raise RulesError(
                f"setup has {len(setup)} counts: must be {2 * self.pits} for pits={self.pits}"
            )
        for i, seeds in enumerate(setup):
            if seeds < 0:
                raise RulesError(f"setup[{i}]={shown(seeds)}: a pit cannot hold fewer than 0 seeds")
        if not 1 <= sum(setup) <= MAX_SEEDS:
            raise RulesError(f"setup holds {shown(sum(setup))} seeds: must be 1…{MAX_SEEDS} in all")
        if self.max_laps is not None:
            allowed = f"None or 1…{MAX_LAPS}"
            put("max_laps", within("max_laps", self.max_laps, 1, MAX_LAPS, allowed, RulesError))
        for name, values in CHOICES.items():
            put(name, one_of(name, getattr(self, name), values, RulesError))
        for name, value, other, needed in NEEDS:
            if getattr(self, name) == value and getattr(self, other) != needed:
                raise RulesError(
                    f"{name}={value!r} contradicts {other}={getattr(self, other)!r}: "
                    f"it needs {other}={needed!r}"
                )

    @property
    def seeds(self) -> int:
        """All seeds of the set-up."""
        return sum(self.setup)

    @property
    def actions(self) -> int:
        """How many numbers `Position.action` may give a sowing.

        `pits`·L·D, with L the seeds of the set-up where a lift is chosen (`lift="any"`), else 1,
        and D = 2 where the direction is chosen, else 1.

        >>> from relaysow import engehe, giuthi
        >>> giuthi().actions, engehe().actions
        (16, 50)
        """
        lifts = self.seeds if self.lift == "any" else 1
        return self.pits * lifts * (2 if self.direction == "either" else 1)

    @provided("relaysow.position")
    def start(self) -> Position:  # type: ignore[empty-body]
        """The opening position, South to move.

        >>> from relaysow import giuthi
        >>> giuthi(pits=5, seeds=4).start().pits
        (4, 4, 4, 4, 4, 4, 4, 4, 4, 4)
        """

    def __repr__(self) -> str:
        """The shortest call of a rule-set function making these rules; `eval` gives them back."""
        base, arguments = _shortest_call(self)
        return f"{base}({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_names, ({field.name: getattr(self, field.name) for field in fields(self)},)


def _compare_names() -> None:
    """What `Options` and `OPTIONS` tell again, for mypy and for people, is what `Rules` has."""
    told = [field.name for field in fields(Rules) if field.name != "pits"]
    for again, where in ((list(OPTIONS), "OPTIONS"), (list(Options.__annotations__), "Options")):
        if again != told:
            name = next(a or b for a, b in zip_longest(told, again) if a != b)
            raise ImportError(f"Rules and {where} differ in the option {name!r}, or in its place")


_compare_names()


def refuse_gone(option: str, value: object) -> None:
    """Raises `RulesError` for an option of `GONE` with a value by which no game is played now."""
    if value != GONE[option]:
        raise RulesError(
            f"{option}={shown(value)}: this option of earlier versions is gone, "
            f"every game is played as with {option}={GONE[option]!r}"
        )


def _from_names(options: dict[str, Any]) -> Rules:
    """Rules from the values of all fields by name, checked again: a pickle may be foreign."""
    if not isinstance(options, dict):
        raise TypeError(f"pickled rules must be a dict of options, not {shown(options)}")
    known = [field.name for field in fields(Rules)]
    for name, value in options.items():
        if name in GONE:
            refuse_gone(name, value)
        elif name not in known:
            raise RulesError(
                f"pickled rules have {shown(name)}, which is no option of this version"
            )
    options = ADDED | options
    for name in known:
        if name not in options:
            raise RulesError(f"pickled rules lack {name!r}: what they meant by it is not known")
    return Rules(**{name: options[name] for name in known})


RULE_SETS: dict[str, Callable[..., Rules]] = {}
"""The rule-set functions by name."""

READINGS: dict[str, str] = {}
"""Whose reading a rule set is, by the names of the functions."""

_RuleSet = TypeVar("_RuleSet", bound=Callable[..., Rules])


def _reading(told: str) -> Callable[[_RuleSet], _RuleSet]:
    """Makes a function a named rule set."""

    def named(function: _RuleSet) -> _RuleSet:
        RULE_SETS[function.__name__] = public(function)
        READINGS[function.__name__] = told
        return function

    return named


@_reading(
    "The reading of the French and Romanian descriptions: the pits facing all the consecutive "
    "empty pits are captured, so an empty one among them does not stop the chain; a repeated "
    "position is a draw."
)
def giuthi(pits: int = 8, seeds: int = 8, **options: Unpack[Options]) -> Rules:
    """Giuthi of the Kikuyu: every lap reverses, the whole run of faced pits is captured.

    `pits` in each row (3…64) with `seeds` in every pit (recorded: 2×5 with 4, 2×6 with 4 or 6,
    2×7 with 6, 2×8 with 4, 6 or 8, 2×10 with 9).  The defaults follow the French and Romanian
    descriptions of the game; any option of `Rules` may be given by keyword, `setup` instead of
    `seeds`.  Raises what `Rules` does.

    >>> from relaysow import giuthi
    >>> giuthi(pits=5, seeds=4).start().legal_moves.count
    10
    """
    return _make(pits, {"seeds": seeds}, options, lambda n: (seeds_in_pit(seeds),) * (2 * n))


@_reading(
    "The reading of the French descriptions. Repetition is not in the sources: the draw is a "
    "safety valve."
)
def kiothi(seeds: int = 5, filled: int = 6, pits: int = 10, **options: Unpack[Options]) -> Rules:
    """Kiothi of the Meru: opening redistribution, protected pits (nki), partial lifts.

    `seeds` in each of the `filled` rightmost pits of each row (recorded: 6 pits of 5 and 5 of 5).
    The defaults follow the French descriptions; repetition is not in the sources and is a safety
    valve.  Any option of `Rules` may be given by keyword, `setup` instead of seeds.  Raises what
    `Rules` does.

    >>> from relaysow import kiothi
    >>> kiothi().start().legal_moves.count
    300450150
    """

    def rows(n: int) -> tuple[int, ...]:
        full = within("filled", filled, 1, n, f"1…{n} for pits={n}", RulesError)
        return ((0,) * (n - full) + (seeds_in_pit(seeds),) * full) * 2

    defaults: Options = {
        "minimum_lift": 1,
        "lift": "any",
        "direction": "ccw",
        "relay": "onward",
        "first_lap": "not_into_own_occupied",
        "uncrossed": "captures",
        "chain": "none",
        "bonus": "three",
        "protection": "until_lifted",
        "redistribution": "two",
        "end": "able_player_sweeps",
    }
    return _make(pits, {"seeds": seeds, "filled": filled}, {**defaults, **options}, rows)


@_reading(
    "The reading of the French description. Repetition is not in the sources: the draw is a "
    "safety valve."
)
def engehe(pits: int = 50, seeds: int = 4, **options: Unpack[Options]) -> Rules:
    """En Gehé of the Maasai: 2×40 to 2×50 pits, one direction, the last mover sweeps.

    The defaults follow the French description; repetition is not in the sources and is a safety
    valve.  Any option of `Rules` may be given by keyword, `setup` instead of seeds.  Raises what
    `Rules` does.

    >>> from relaysow import engehe
    >>> engehe(pits=40).start().legal_moves.count
    40
    """
    defaults: Options = {
        "minimum_lift": 1,
        "direction": "ccw",
        "relay": "onward",
        "uncrossed": "captures",
        "chain": "none",
        "end": "last_mover_sweeps",
    }
    return _make(
        pits, {"seeds": seeds}, {**defaults, **options}, lambda n: (seeds_in_pit(seeds),) * (2 * n)
    )


@_reading("The Italian Wikipedia's reading, after Driedger.")
def giuthi_wikipedia(pits: int = 8, seeds: int = 6, **options: Unpack[Options]) -> Rules:
    """Giuthi as in the Italian Wikipedia after Driedger: each faced pit of the chain must be
    occupied, and a player to move whose row is empty ends the game.

    Takes and raises what `giuthi` does.

    >>> from relaysow import giuthi_wikipedia
    >>> giuthi_wikipedia().end
    'row_empty'
    """
    merged: Options = {"chain": "run", "end": "row_empty", **options}
    return giuthi(pits, seeds, **merged)


@_reading("As Russ's handbook is usually programmed.")
def giuthi_russ(pits: int = 8, seeds: int = 6, **options: Unpack[Options]) -> Rules:
    """Giuthi as L. Russ's handbook (*Mancala Games*, 1984) is usually programmed.

    Takes and raises what `giuthi` does.

    >>> from relaysow import giuthi_russ
    >>> giuthi_russ().chain
    'run'
    """
    merged: Options = {"chain": "run", **options}
    return giuthi(pits, seeds, **merged)


@_reading("Leakey's reading.")
def giuthi_leakey(pits: int = 6, seeds: int = 6, **options: Unpack[Options]) -> Rules:
    """Giuthi after L. S. B. Leakey (*The Southern Kikuyu before 1903*): the chain takes one more
    pit at most, and an extra move goes against the direction of the move that earned it.

    Takes and raises what `giuthi` does.

    >>> from relaysow import giuthi_leakey
    >>> giuthi_leakey().extra_direction
    'opposite'
    """
    merged: Options = {"chain": "next", "extra_direction": "opposite", **options}
    return giuthi(pits, seeds, **merged)


@_reading("John Pratt's reading (2009).")
def giuthi_pratt(pits: int = 6, seeds: int = 6, **options: Unpack[Options]) -> Rules:
    """Giuthi after John Pratt (2009): the pit lifted is skipped in sowing.

    Takes and raises what `giuthi` does.

    >>> from relaysow import giuthi_pratt
    >>> giuthi_pratt().origin
    'skipped'
    """
    merged: Options = {"origin": "skipped", "chain": "run", **options}
    return giuthi(pits, seeds, **merged)


@_reading(
    "The French and Romanian descriptions to the letter: an extra move starts from another "
    "pit, and the last seed is taken whatever faces it."
)
def giuthi_literal(pits: int = 8, seeds: int = 8, **options: Unpack[Options]) -> Rules:
    """Giuthi as in the French and Romanian descriptions to the letter: an extra move starts from
    another pit, and the last seed is taken whatever faces it.

    Takes and raises what `giuthi` does.

    >>> from relaysow import giuthi_literal
    >>> giuthi_literal().lone_seed
    'taken'
    """
    merged: Options = {"extra_pit": "not_origin", "lone_seed": "taken", **options}
    return giuthi(pits, seeds, **merged)


@_reading("The reading of the English and Italian Wikipedia.")
def kiothi_wikipedia(
    seeds: int = 6, filled: int = 5, pits: int = 10, **options: Unpack[Options]
) -> Rules:
    """Kiothi as in the English and Italian Wikipedia: six seeds in each of the five rightmost pits,
    one pit redistributed, whole lifts, no capture without crossing.

    Takes and raises what `kiothi` does.

    >>> from relaysow import kiothi_wikipedia
    >>> kiothi_wikipedia().protection
    'until_owner_lifts'
    """
    merged: Options = {
        "redistribution": "one",
        "lift": "all",
        "first_lap": "free",
        "uncrossed": "ends_turn",
        "lone_seed": "taken",
        "protection": "until_owner_lifts",
        "bonus": "run",
        **options,
    }
    return kiothi(seeds, filled, pits, **merged)


def seeds_in_pit(seeds: object) -> int:
    """A checked count of seeds for one pit of an even set-up."""
    return within("seeds", seeds, 0, MAX_SEEDS, f"0…{MAX_SEEDS} a pit", RulesError)


def pits_in_row(pits: object) -> int:
    """A checked number of pits."""
    allowed = f"{MIN_PITS}…{MAX_PITS} pits in each row"
    return within("pits", pits, MIN_PITS, MAX_PITS, allowed, RulesError)


def _make(
    pits: object,
    sizes: dict[str, object],
    options: Options,
    even: Callable[[int], tuple[int, ...]],
) -> Rules:
    n = pits_in_row(pits)
    known = {field.name for field in fields(Rules)}
    for name in options:
        if name not in known:
            raise TypeError(
                f"{shown(name)} is not an option: must be one of {', '.join(sorted(known))}"
            )
    if "setup" not in options:
        options = {**options, "setup": even(n)}
    for name, value in sizes.items():  # a set-up takes their place, but not that of a mistake
        whole_number(name, value)
    return Rules(pits=n, **options)


def _size_arguments(name: str, rules: Rules) -> dict[str, int] | None:
    """The size arguments with which rule set `name` gives the set-up of `rules`, if any do."""
    row = rules.setup[: rules.pits]
    if row != rules.setup[rules.pits :] or row[-1] == 0:
        return None
    if name.startswith("kiothi"):
        filled = sum(1 for seeds in row if seeds)
        if row != (0,) * (rules.pits - filled) + (row[-1],) * filled:
            return None
        return {"seeds": row[-1], "filled": filled, "pits": rules.pits}
    return {"pits": rules.pits, "seeds": row[-1]} if len(set(row)) == 1 else None


@cache
def _defaults() -> dict[str, Rules]:
    """Every rule set as it is without arguments."""
    return {name: function() for name, function in RULE_SETS.items()}


def _shortest_call(rules: Rules) -> tuple[str, dict[str, Any]]:
    """The rule-set function that makes `rules` with the fewest options, and its arguments."""
    best: tuple[str, dict[str, Any]] | None = None
    fewest = len(fields(Rules))
    for name, default in _defaults().items():
        arguments: dict[str, Any] = {}
        size = _size_arguments(name, rules)
        if size is None:
            arguments = {"pits": rules.pits, "setup": rules.setup}
        else:
            own = _size_arguments(name, default)
            always = name in ("giuthi", "engehe")
            arguments = {k: v for k, v in size.items() if always or own is None or own[k] != v}
        sizes = len(arguments)
        for field in fields(Rules):
            value = getattr(rules, field.name)
            if field.name not in ("pits", "setup") and value != getattr(default, field.name):
                arguments[field.name] = value
        if len(arguments) - sizes < fewest:
            best, fewest = (name, arguments), len(arguments) - sizes
    assert best is not None
    return best
