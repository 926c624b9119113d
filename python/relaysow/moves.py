"""Moves, what a move did, and the errors: plain values shared by the core and the reference."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from relaysow._support.checks import one_of, shown, whole_number, whole_numbers
from relaysow._support.public import public
from relaysow._support.reloading import once

once(__name__)

PATH_LAPS = 10_000
"""The longest path a `Sowing` keeps, in laps."""

WAYS = ("ccw", "cw")
"""The directions: counter-clockwise, clockwise."""

P = TypeVar("P")


@public
class IllegalMove(ValueError):
    """A move that may not be played; the message names the move, the position and the reason."""


@public
class PositionError(ValueError):
    """A position that cannot be; the message names the value and what is allowed."""


@public
class NotationError(ValueError):
    """Text that is not a move, a position or a record; the message says where and why.

    So do `file`, the name of the file, and `line` and `column`, counted from 1; each is None where
    there is nothing to tell.
    """

    def __init__(
        self,
        message: str = "",
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(message)
        self.file, self.line, self.column = file, line, column


class Told:
    """What a dataclass would compile for each class anew, at every import."""

    __slots__ = ()

    def __repr__(self) -> str:
        names: tuple[str, ...] = self.__match_args__  # type: ignore[attr-defined]
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({values})"


@public
@dataclass(frozen=True, slots=True, repr=False)
class Sow(Told):
    """A sowing: lift from `pit` (a ring index) and sow.

    `lift` is the number of seeds lifted; None means the whole pit.  `direction` is `"ccw"` or
    `"cw"`; None means counter-clockwise where the rules give no choice.  Moves listed by
    `legal_moves` carry a `lift` only under `lift="any"` and a `direction` only under
    `direction="either"`; other spellings are understood wherever a move is taken.

    Raises `TypeError` if `pit` or `lift` is not an integer or `direction` not a string,
    `ValueError` for any other direction, a negative pit or a lift below 1.

    >>> from relaysow import Sow, giuthi
    >>> giuthi(pits=5, seeds=4).start().play(Sow(0, direction="ccw")).pits
    (2, 7, 7, 7, 0, 0, 4, 4, 4, 0)
    """

    pit: int
    lift: int | None = None
    direction: str | None = None

    def __post_init__(self) -> None:
        pit = whole_number("pit", self.pit)
        object.__setattr__(self, "pit", pit)
        if pit < 0:
            raise ValueError(f"pit={shown(pit)}: must be a ring index, 0 or more")
        if self.lift is not None:
            lift = whole_number("lift", self.lift)
            object.__setattr__(self, "lift", lift)
            if lift < 1:
                raise ValueError(f"lift={shown(lift)}: must be at least 1 seed")
        way = self.direction
        if way is not None and (type(way) is not str or way not in WAYS):
            object.__setattr__(self, "direction", one_of("direction", way, (*WAYS, None)))

    def __reduce__(self) -> tuple[Any, ...]:  # by a call, which checks: a pickle may be foreign
        return type(self), (self.pit, self.lift, self.direction)


@public
@dataclass(frozen=True, slots=True, repr=False)
class Redistribute(Told):
    """An opening redistribution: empty the own pits `emptied` (ring indices, rising) and place
    their seeds as `placed` says (2n counts in ring order, adding up to the seeds emptied).

    Raises `TypeError` for anything but integers, `ValueError` for a negative number or a pit
    emptied twice.

    >>> from relaysow import Redistribute
    >>> Redistribute((5, 4), (10,) + (0,) * 19).emptied
    (4, 5)
    """

    emptied: tuple[int, ...]
    placed: tuple[int, ...]

    def __post_init__(self) -> None:
        for name in ("emptied", "placed"):
            values = whole_numbers(name, getattr(self, name), ValueError, ordered=name == "placed")
            for i, value in enumerate(values):
                if value < 0:
                    raise ValueError(f"{name}[{i}]={shown(value)}: must be 0 or more")
            object.__setattr__(self, name, values)
        if len(set(self.emptied)) != len(self.emptied):
            raise ValueError(f"emptied={shown(self.emptied)}: a pit can be emptied once only")
        object.__setattr__(self, "emptied", tuple(sorted(self.emptied)))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.emptied, self.placed)


Move = Sow | Redistribute


@public
@dataclass(frozen=True, slots=True, repr=False)
class Lap(Told):
    """One lap: `seeds` lifted from `origin` and sown in `direction`, the last falling into `last`.

    Both pits are ring indices.

    Made by `Position.sow`; it holds what it is given.
    """

    origin: int
    seeds: int
    direction: str
    last: int


@public
@dataclass(frozen=True, slots=True, repr=False)
class Sowing(Told, Generic[P]):
    """What a move did, as `Position.sow` tells it.

    `laps` is the number of laps sown (0 for a redistribution), None for an endless sowing, which
    has a `period` in laps instead; a sowing `capped` by `max_laps=k` has k.  `path` holds the laps
    in order, the first 10,000 of them (`path_truncated` says that there were more): for an endless
    sowing those until it is back where it was before, for a move that the first-lap rule forbids
    that first lap.  `crossed`: a seed of this move fell into the opponent's row.
    `captured` counts the seeds captured from `captured_pits` (ring indices, in the order taken: the
    pit facing the last seed, that last seed's own pit, the chain, the bonus).  `after` is the
    position after the move, None if the move is illegal; then `reason` says why.

    Made by `Position.sow`; it holds what it is given.
    """

    laps: int | None
    path: tuple[Lap, ...]
    path_truncated: bool
    crossed: bool
    captured: int
    captured_pits: tuple[int, ...]
    moves_again: bool
    endless: bool
    period: int | None
    capped: bool
    after: P | None
    reason: str | None


@public
@dataclass(frozen=True, slots=True, repr=False)
class Outcome(Told):
    """How a game ended: `winner` (0 South, 1 North, -1 a draw), the final `stores` (South's,
    North's), and `end`, one of `both_stuck`, `row_empty`, `swept`, `repetition`, `endless`.

    Made by a game; it holds what it is given.
    """

    winner: int
    stores: tuple[int, int]
    end: str
