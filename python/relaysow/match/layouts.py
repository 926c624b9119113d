"""Lay-outs: the rows that the players of a match may start a round with."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from math import comb
from typing import Any, overload

from relaysow._support.checks import flag, instance, shown, whole_number, whole_numbers, within
from relaysow._support.public import public
from relaysow._support.reloading import once
from relaysow.moves import Redistribute, Sow
from relaysow.options import MAX_PITS, MAX_SEEDS
from relaysow.text.notation import PLAYERS

once(__name__)


@public
@dataclass(frozen=True, slots=True)
class LayOut:
    """A step of a match: a player's pits are filled with `row`, from their owner's left.

    Raises `TypeError` for anything but integers, `ValueError` for a negative count.
    """

    row: tuple[int, ...]

    def __post_init__(self) -> None:
        row = whole_numbers("row", self.row, ValueError)
        for i, seeds in enumerate(row):
            if seeds < 0:
                raise ValueError(f"row[{i}]={shown(seeds)}: must be 0 or more")
        object.__setattr__(self, "row", row)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.row,)


@public
@dataclass(frozen=True, slots=True)
class Shorten:
    """A step of a match: the weaker player asks for shorter rows."""


Step = Sow | Redistribute | LayOut | Shorten


@public
class LayOuts:
    """The rows with which a player may start a round: numbered, never listed unless asked for.

    A sequence like `Position.legal_moves`: `len` (`OverflowError` past `sys.maxsize`), `count`
    (any size), `[]`, `in`, `index`, iteration; in lexicographic order.  A row holds the counts of
    the player's pits from his own left.

    `player` (0 South, 1 North) lays out `seeds` in `pits` pits.  For the weaker player `faced` is
    None: all his seeds, as he likes, but for one pit of two or more.  For the stronger `faced` is
    what each of his pits faces, from his own left: he fills those facing seeds, each with at least
    one, or with at least twice what it faces (`twice`), and no others.  seeds 0…1,000, pits 1…64.

    Raises `ValueError` for a number out of range, `TypeError` for wrong types, `IndexError` for
    the number of a lay-out past the end.

    >>> weak = LayOuts(player=1, seeds=3, pits=3)
    >>> weak.count, weak[0], weak.index((1, 0, 2)), (1, 1, 1) in weak
    (9, (0, 0, 3), 4, False)
    >>> list(LayOuts(player=0, seeds=9, pits=3, faced=(2, 0, 1), twice=True))
    [(4, 0, 5), (5, 0, 4), (6, 0, 3), (7, 0, 2)]
    """

    __slots__ = ("_least", "_spare", "faced", "pits", "player", "seeds", "twice")

    def __init__(
        self,
        player: int,
        seeds: int,
        pits: int,
        faced: tuple[int, ...] | None = None,
        twice: bool = False,
    ) -> None:
        self.player = within("player", player, 0, 1, "0 (South) or 1 (North)")
        self.seeds = within("seeds", seeds, 0, MAX_SEEDS)
        self.pits = pits = within("pits", pits, 1, MAX_PITS)
        self.twice = flag("twice", twice)
        self.faced: tuple[int, ...] | None = None
        # The least each open pit must hold, None where a pit must stay empty.
        self._least: tuple[int | None, ...] = (0,) * pits
        if faced is not None:
            self.faced = faced = whole_numbers("faced", faced, ValueError)
            if len(faced) != pits:
                raise ValueError(f"faced has {len(faced)} counts: must be {pits} for pits={pits}")
            for i, facing in enumerate(faced):
                within(f"faced[{i}]", facing, 0, MAX_SEEDS)
            self._least = tuple((2 * f if twice else 1) if f else None for f in faced)
        self._spare = self.seeds - sum(least or 0 for least in self._least)

    @property
    def count(self) -> int:
        """How many there are.

        >>> LayOuts(player=0, seeds=40, pits=8).count
        62891499
        """
        return self._ways(0, self._spare, False)

    def __len__(self) -> int:
        return self.count

    def __bool__(self) -> bool:
        return self.count > 0

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return (self[number] for number in range(self.count))

    @overload
    def __getitem__(self, number: int) -> tuple[int, ...]: ...
    @overload
    def __getitem__(self, number: slice) -> list[tuple[int, ...]]: ...
    def __getitem__(self, number: int | slice) -> tuple[int, ...] | list[tuple[int, ...]]:
        if isinstance(number, slice):
            return [self[i] for i in range(self.count)[number]]
        number = whole_number("number", number)
        left = number + self.count if number < 0 else number
        if not 0 <= left < self.count:
            raise IndexError(f"no lay-out number {shown(number)}: there are {self.count}")
        row, spare, big = [], self._spare, False
        for i, least in enumerate(self._least):
            more = 0
            while least is not None and left >= (
                ways := self._ways(i + 1, spare - more, big or least + more >= 2)
            ):
                left -= ways
                more += 1
            row.append(0 if least is None else least + more)
            spare, big = spare - more, big or row[-1] >= 2
        return tuple(row)

    def index(self, row: tuple[int, ...]) -> int:
        """The number of a row.

        Raises `ValueError` telling why if it is not among these, `TypeError` for anything but
        integers.
        """
        row = whole_numbers("row", row, ValueError)
        if reason := self.reason(row):
            raise ValueError(f"row={shown(row)}: {reason}")
        number, spare, big = 0, self._spare, False
        for i, (least, seeds) in enumerate(zip(self._least, row, strict=True)):
            if least is not None:
                for more in range(seeds - least):
                    number += self._ways(i + 1, spare - more, big or least + more >= 2)
                spare, big = spare - (seeds - least), big or seeds >= 2
        return number

    def __contains__(self, row: object) -> bool:
        if not isinstance(row, (tuple, list)):
            return False
        try:
            return self.reason(tuple(row)) is None
        except (TypeError, ValueError):
            return False

    def reason(self, row: tuple[int, ...]) -> str | None:
        """Why a row is not among these, None if it is.

        Raises `TypeError` for anything but integers, `ValueError` for more than 1,000.

        >>> LayOuts(player=0, seeds=9, pits=3, faced=(2, 0, 1)).reason((8, 1, 0))
        'pit 2 faces none: it must stay empty'
        """
        row = whole_numbers("row", row, ValueError)
        if len(row) != self.pits:
            return f"{len(row)} pits: must be {self.pits}"
        for i, (seeds, least) in enumerate(zip(row, self._least, strict=True)):
            if least is None and seeds:
                return f"pit {i + 1} faces none: it must stay empty"
            if seeds < (least or 0):
                facing = f" facing {self.faced[i]}" if self.faced else ""
                return f"pit {i + 1}{facing} holds {shown(seeds)}: must be {least} or more"
        if sum(row) != self.seeds:
            return f"{shown(sum(row))} seeds: must be all {self.seeds}"
        if self.faced is None and max(row) < 2:
            return "no pit holds two seeds or more: one must"
        return None

    def even(self) -> tuple[int, ...]:
        """The most even of them; of pits that cannot be equal the leftmost hold one more.

        The weaker fill all their pits, or so many from the left that one of them can hold two; the
        stronger put in each pit what they must and share out the rest.  Raises `ValueError` if
        there is none.

        >>> LayOuts(player=0, seeds=20, pits=8).even(), LayOuts(player=0, seeds=4, pits=8).even()
        ((3, 3, 3, 3, 2, 2, 2, 2), (2, 1, 1, 0, 0, 0, 0, 0))
        """
        if not self:
            raise ValueError(f"{self!r}: there is no legal lay-out")
        if self.faced is None:
            return even(self.seeds, self.pits)
        each, over = divmod(self._spare, sum(least is not None for least in self._least) or 1)
        row = []
        for least in self._least:
            row.append(0 if least is None else least + each + (over > 0))
            over -= least is not None
        return tuple(row)

    def draw(self, chance: random.Random | None = None) -> tuple[int, ...]:
        """One of them at random, each as likely, by `chance` (Python's own by default).

        Raises `ValueError` if there is none, `TypeError` for anything but a `random.Random`.

        >>> import random
        >>> row = LayOuts(player=0, seeds=20, pits=8).draw(random.Random(1))
        >>> len(row), sum(row)
        (8, 20)
        """
        if chance is not None:
            instance("chance", chance, random.Random, "a random.Random")
        if not self:
            raise ValueError(f"{self!r}: there is no legal lay-out")
        return self[(chance or random).randrange(self.count)]

    def __reduce__(self) -> tuple[Any, ...]:
        return LayOuts, (self.player, self.seeds, self.pits, self.faced, self.twice)

    def __repr__(self) -> str:
        facing = "" if self.faced is None else f" facing {self.faced}"
        return (
            f"<{self.count} lay-outs of {PLAYERS[self.player]}'s {self.seeds} seeds in "
            f"{self.pits} pits{facing}{', twice' if self.twice else ''}>"
        )

    def _ways(self, first: int, spare: int, big: bool) -> int:
        """In how many ways the pits from `first` on take so many spare seeds; `big` says whether
        a pit before them holds two or more."""
        pits = self.pits - first - self._least[first:].count(None)
        if spare < 0 or pits == 0:
            return int(spare == 0 and (big or self.faced is not None))
        ways = comb(spare + pits - 1, pits - 1)
        return ways if big or self.faced is not None else ways - comb(pits, spare)


def even(seeds: int, pits: int) -> tuple[int, ...]:
    """`seeds` spread over a row, one pit of two or more among them (2 seeds at least)."""
    filled = min(pits, seeds - 1)
    each, over = divmod(seeds, filled)
    return (each + 1,) * over + (each,) * (filled - over) + (0,) * (pits - filled)
