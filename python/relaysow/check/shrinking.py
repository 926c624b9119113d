"""A difference made as small as it can be shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from itertools import combinations_with_replacement, count, islice
from typing import Any

from relaysow import _core, reference
from relaysow._support.reloading import once
from relaysow.check.comparing import Differs, compare_lists, compare_position, compare_sowings
from relaysow.check.report import Difference
from relaysow.moves import Move, PositionError
from relaysow.options import MIN_PITS
from relaysow.rules import Rules

once(__name__)


def told(differs: Differs, game: int, ply: int, position: reference.Position) -> Difference:
    """The difference in words, with the smallest position found that shows one."""
    return replace(_worded(differs, position, game, ply), smallest=_smallest(position, game, ply))


def _worded(differs: Differs, position: reference.Position, game: int, ply: int) -> Difference:
    return Difference(
        game=game,
        ply=ply,
        position=position.to_text(),
        move=None if differs.move is None else _move_text(position, differs.move),
        what=differs.what,
        core=_short(differs.core),
        reference=_short(differs.reference),
    )


def _move_text(position: reference.Position, move: Move) -> str:
    try:
        return position.move_to_text(move)
    except ValueError:  # a move that the position's rules cannot name
        return repr(move)


def _short(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 2_000 else f"{text[:2_000]}… ({len(text):,} characters)"


def _smallest(position: reference.Position, game: int, ply: int) -> Difference | None:
    """A difference at the position of fewest seeds on the smallest board, or if that takes too
    long at what is left of this position when no single step makes it smaller; None if not even
    this position shows one."""
    here = SetUp.of(position)
    differs = here.difference()
    if differs is None:
        return None
    for small in islice(_small(here.rules), 4_000):
        found = small.difference()
        if found is not None:
            return _worded(found, small.position(), game, ply)
    tries, shrunk = 0, True
    while shrunk and tries < 4_000:
        shrunk = False
        for smaller in here.smaller():
            tries += 1
            found = smaller.difference()
            if found is not None:
                here, differs, shrunk = smaller, found, True
                break
    return _worded(differs, here.position(), game, ply)


def _small(rules: Rules) -> Iterator[SetUp]:
    """Positions of the smallest board under these rules, those of fewest seeds first."""
    n = 2 * MIN_PITS
    rules = replace(rules, pits=MIN_PITS, setup=(1,) * n)
    for seeds in count(1):
        for chosen in combinations_with_replacement(range(n), seeds):
            pits = tuple(chosen.count(pit) for pit in range(n))
            occupied = tuple(sorted(set(chosen)))
            for mover in (0, 1):
                for protected in ((),) if rules.protection == "none" else ((), occupied):
                    yield SetUp(rules, pits, (0, 0), mover, protected, None, None, 2, False)


@dataclass(frozen=True, slots=True)
class SetUp:
    """The arguments of a position."""

    rules: Rules
    pits: tuple[int, ...]
    stores: tuple[int, int]
    mover: int
    protected: tuple[int, ...]
    direction: str | None
    barred: int | None
    redistributions: int
    drawn: bool

    @classmethod
    def of(cls, position: Any) -> SetUp:
        return cls(*(getattr(position, field.name) for field in fields(cls)))

    def values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, field.name) for field in fields(self))

    def position(self) -> reference.Position:
        return reference.Position(*self.values())

    def difference(self) -> Differs | None:
        """How core and reference differ at this position, if they do; None if it cannot be."""
        try:
            ref = reference.Position(*self.values())
            core = _core.Position(*self.values())
        except PositionError:
            return None
        try:
            compare_position(core, ref)
            compare_lists(core.legal_moves, ref.legal_moves)
            if not ref.is_over:
                compare_sowings(core, ref)
        except Differs as differs:
            return differs
        return None

    def smaller(self) -> Iterator[SetUp]:
        """Positions one step smaller, the large steps first."""
        if self.rules.pits > MIN_PITS:
            for column in range(self.rules.pits):
                yield self._without(column)
        if any(self.stores):
            yield replace(self, stores=(0, 0))
        if self.protected:
            yield replace(self, protected=())
        if self.direction is not None or self.barred is not None:
            yield replace(self, direction=None, barred=None)
        for least, left in ((1, lambda _: 0), (4, lambda held: held // 2), (2, lambda h: h - 1)):
            for pit, held in enumerate(self.pits):
                if held >= least:
                    pits = (*self.pits[:pit], left(held), *self.pits[pit + 1 :])
                    yield replace(self, pits=pits)
        for pit in self.protected:
            yield replace(self, protected=tuple(p for p in self.protected if p != pit))

    def _without(self, column: int) -> SetUp:
        """The board less one of South's pits and the pit that faces it."""
        n = self.rules.pits
        gone = (column, 2 * n - 1 - column)
        place = {pit: i for i, pit in enumerate(p for p in range(2 * n) if p not in gone)}
        setup = tuple(self.rules.setup[pit] for pit in place)
        rules = replace(self.rules, pits=n - 1, setup=setup if any(setup) else (1,) * len(setup))
        return replace(
            self,
            rules=rules,
            pits=tuple(self.pits[pit] for pit in place),
            protected=tuple(place[pit] for pit in self.protected if pit in place),
            barred=None if self.barred is None else place.get(self.barred),
        )
