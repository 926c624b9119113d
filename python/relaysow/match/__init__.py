"""Matches of Giuthi, whose rounds start from what the last one left, and series of any game."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from math import comb
from typing import TYPE_CHECKING, Any, overload

from relaysow import _core
from relaysow._core import Position
from relaysow._support import replayed
from relaysow._support.checks import (
    WORD,
    flag,
    instance,
    one_of,
    room,
    shown,
    whole_number,
    whole_numbers,
    within,
)
from relaysow._support.progress import progress_bar
from relaysow._support.public import public
from relaysow._support.reloading import once
from relaysow._support.threads import thread_count
from relaysow.game import Game
from relaysow.moves import IllegalMove, Move, Redistribute, Sow
from relaysow.options import MAX_PITS, MAX_SEEDS, MIN_PITS
from relaysow.players.policies import policies_of
from relaysow.rules import Rules
from relaysow.simulation.result import SimulationInterrupted, restore
from relaysow.simulation.summary import Rate, Spread
from relaysow.text.notation import PLAYERS

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

once(__name__)

SCHEMES = ("wikipedia", "leakey")
"""How rounds are laid out: the Italian Wikipedia's way (after Driedger), or Leakey's."""

TWICE = ("asked", "short")
"""When the stronger must lay out twice what he faces: in the round for which shorter rows were
asked, or in every round on shortened rows while the weaker may ask."""


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


@dataclass
class Round:
    """A round of a match: read it, and play it through the match.

    `number` counts from 1; `totals` are the seeds of South and North at its start; `starter` moves
    first; `weaker` lays out first (None: both start from the even set-up); `pits` in each row;
    `asked`: the weaker asked for shorter rows; `rows` are South's and North's lay-outs, each from
    its owner's left, None while they are due; `game` is None until both are there; `stuck`: the
    even set-up allows no move and leaves the totals as they are.
    """

    number: int
    totals: tuple[int, int]
    starter: int
    weaker: int | None
    pits: int
    asked: bool = False
    rows: list[tuple[int, ...] | None] = field(default_factory=lambda: [None, None])
    game: Game | None = None
    stuck: bool = False

    def __copy__(self) -> Round:
        return deepcopy(self)

    @property
    def result(self) -> tuple[int, int] | None:
        """The totals of South and North at its end, None before.

        They are the stores, and where the game ended with seeds on the ring, which belong to no
        one in the game (a repetition, an endless sowing), each player's own row too.
        """
        if self.game is None or self.game.outcome is None:
            return None
        stores, n = self.game.outcome.stores, self.pits
        if sum(stores) == sum(self.totals):
            return stores
        ring = self.game.position.pits
        return stores[0] + sum(ring[:n]), stores[1] + sum(ring[n:])


@public
class Match:
    """A match of Giuthi: rounds, each laid out with what the players had at the end of the last.

    The player with fewer seeds is the weaker, and lays out all of his in his pits as he likes, at
    least one pit with two or more.  With equal totals both start from the even set-up.  The winner
    of a round begins the next, after a drawn one the same player as before; `first` begins the
    first (None: a coin is flipped).  Who has fewer than two seeds has lost the match.

    `scheme="wikipedia"` (Italian Wikipedia, after Driedger): the stronger lays out all his seeds in
    the pits facing the weaker's occupied ones, at least one in each.  A weaker player with fewer
    than half the seeds he began the match with may ask, before he lays out and once a round, for
    rows two pits shorter (never below three), which stay short; the stronger must then put at least
    twice what it faces in each pit.

    `scheme="leakey"` (after L. S. B. Leakey): the stronger copies the weaker's row, pit facing pit,
    and has his surplus in his store from the start.  Rows are one, two or three pits shorter than
    at first (never below three) while the weaker has under a half, a quarter, an eighth of the
    seeds he began with, and grow back.

    Where the sources are silent, this is the reading: the winner of a round is the winner of its
    game, not who gained seeds by it, so a repetition under `repetition="draw"` draws the round
    whatever the totals.  The even set-up on shortened rows is as even as can be, larger pits on
    their owner's left.  "Then" of the twofold answer means the round for which the weaker asked,
    `twice="asked"`; under `twice="short"` it holds in all rounds on shortened rows in which he has
    fewer than half.  He cannot ask where the stronger has less than twice his seeds (it takes an
    uneven set-up).  A match whose even set-up allows no move, and leaves the totals as they are, is
    drawn.

    The steps of a match are moves, lay-outs and requests for shorter rows: `push` takes any of
    them, `undo` takes the last one back.  Threads that share a match need a lock of their own, as
    with a `Game`.

    Raises `TypeError` and `ValueError`, naming the argument, for rules with a redistribution or
    protected pits (a match lays out pits, and those rules begin otherwise), for a set-up that gives
    a player fewer than two seeds, and for any value not named above.

    >>> from relaysow import Match, Sow, giuthi_leakey
    >>> match = Match(giuthi_leakey(), scheme="leakey", first=0)
    >>> match.push(Sow(0, direction="ccw"))
    >>> match.totals, match.pits, match.round.number, match.due
    ((36, 36), 6, 1, 'move')
    """

    def __init__(
        self,
        rules: Rules,
        scheme: str = "wikipedia",
        first: int | None = None,
        twice: str = "asked",
    ) -> None:
        scheme, first, twice = check_match(rules, scheme, first, twice)
        self.rules, self.scheme, self.twice = rules, scheme, twice
        self.first = random.randrange(2) if first is None else first
        n = rules.pits
        self.original = (sum(rules.setup[:n]), sum(rules.setup[n:]))
        self._rounds = [self._opened(1, self.original, self.first, n, opening=True)]

    @property
    def rounds(self) -> tuple[Round, ...]:
        """All rounds begun; the last is `round`."""
        self._go_on()
        return tuple(self._rounds)

    @property
    def round(self) -> Round:
        """The present round, or the last one of a match that is over."""
        self._go_on()
        return self._rounds[-1]

    @property
    def game(self) -> Game | None:
        """The game of the present round, None while a lay-out is due."""
        return self.round.game

    @property
    def position(self) -> Position | None:
        """The position of the game, None while a lay-out is due."""
        return None if self.game is None else self.game.position

    @property
    def totals(self) -> tuple[int, int]:
        """The seeds of South and North at the start of the round, or at the end of the match."""
        return self.round.result or self.round.totals

    @property
    def pits(self) -> int:
        """The pits of a row in this round."""
        return self.round.pits

    @property
    def is_over(self) -> bool:
        """Whether the match has ended."""
        return self.winner is not None

    @property
    def winner(self) -> int | None:
        """0 or 1, -1 for a match that cannot go on, None for one that has not ended."""
        return self._winner(self.round)

    @property
    def due(self) -> str | None:
        """What comes next: `"lay_out"` (before the weaker's, `Shorten` may come), `"move"`, or
        None when the match is over."""
        return None if self.is_over else "lay_out" if self.game is None else "move"

    @property
    def to_act(self) -> int | None:
        """Who has to move or to lay out (0 South, 1 North), None when the match is over."""
        if self.is_over:
            return None
        return self._laying() if self.game is None else self.game.position.mover

    @property
    def layouts(self) -> LayOuts | None:
        """The legal lay-outs of the player who is to lay out, None when none is due.

        >>> from relaysow import Match, giuthi
        >>> match = Match(giuthi(pits=3, seeds=3), first=0)
        >>> while match.due == "move":
        ...     match.push(match.game.legal_moves[0])
        >>> match.totals, match.layouts
        ((12, 6), <28 lay-outs of North's 6 seeds in 3 pits>)
        >>> match.lay_out((2, 2, 2))
        >>> match.lay_out(match.layouts.even())
        >>> match.position.pits
        (4, 4, 4, 2, 2, 2)
        """
        if self.due != "lay_out":
            return None
        here, player = self.round, self._laying()
        row = here.rows[1 - player]
        if row is None:
            return LayOuts(player, here.totals[player], here.pits)
        return LayOuts(player, here.totals[player], here.pits, row[::-1], self._must_double())

    @property
    def may_shorten(self) -> bool:
        """Whether the weaker may ask for shorter rows now."""
        return self._why_not_shorten() is None

    @property
    def steps(self) -> tuple[Step, ...]:
        """All that was pushed, in order."""
        return tuple(step for here in self.rounds for step in round_steps(here, self.scheme))

    def push(self, step: Step) -> None:
        """Make a move, lay out, or ask for shorter rows.

        Raises `IllegalMove`, naming the step and the reason, and `TypeError` for anything else.
        """
        here = self.round
        if not isinstance(step, (Sow, Redistribute, LayOut, Shorten)):
            raise TypeError(f"a step must be Sow, LayOut or Shorten, not {shown(step)}")
        if self.is_over:
            raise self._illegal(step, "the match is over")
        if isinstance(step, (Sow, Redistribute)):
            if here.game is None:
                raise self._illegal(step, "a lay-out is due, not a move")
            here.game.push(step)
        elif here.game is not None:
            raise self._illegal(step, "a move is due, not a lay-out")
        elif isinstance(step, Shorten):
            if reason := self._why_not_shorten():
                raise self._illegal(step, reason)
            _change(here, asked=True, pits=max(MIN_PITS, here.pits - 2))
        else:
            layouts = self.layouts
            assert layouts is not None
            if reason := layouts.reason(step.row):
                raise self._illegal(step, reason)
            rows = here.rows.copy()
            rows[layouts.player] = step.row
            if self.scheme == "leakey":
                rows[1 - layouts.player] = step.row[::-1]
            _change(here, rows=rows, game=self._game(here, rows))
        self._go_on()

    def lay_out(self, row: tuple[int, ...]) -> None:
        """Fill the pits of the player who is to lay out, counts from his own left.

        Raises `IllegalMove` naming the reason, `TypeError` for anything but integers, `ValueError`
        for a negative one.
        """
        self.push(LayOut(row))

    def shorten(self) -> None:
        """Ask for shorter rows; `IllegalMove` if the weaker may not (`may_shorten`)."""
        self.push(Shorten())

    def undo(self) -> Step:
        """Take the last step back and return it; `IndexError` if there is none."""
        rounds = self.rounds
        steps = [round_steps(here, self.scheme) for here in rounds]
        last = next((i for i in reversed(range(len(rounds))) if steps[i]), None)
        if last is None:
            raise IndexError("no step to undo")
        here = rounds[last]
        del self._rounds[last + 1 :]  # they began of themselves, and do so again while this is over
        if here.game is not None and here.game.moves:
            here.game.undo()
        elif here.game is not None and self.scheme == "wikipedia":
            assert here.weaker is not None
            rows = here.rows.copy()
            rows[1 - here.weaker] = None
            _change(here, rows=rows, game=None)
        elif any(here.rows):
            _change(here, rows=[None, None], game=None)
        else:
            _change(here, asked=False, pits=rounds[last - 1].pits)
        return steps[last][-1]

    def __getstate__(self) -> dict[str, Any]:
        return replayed.state_of(
            self, Match, self.steps, self.rules, self.scheme, self.first, self.twice
        )

    def __setstate__(self, state: object) -> None:
        replayed.restore(self, Match, state)

    def __copy__(self) -> Match:
        """A match with the same history, which then goes its own way."""
        return deepcopy(self)

    def __repr__(self) -> str:
        if self.is_over:
            state = "drawn" if self.winner == -1 else f"{PLAYERS[self.winner or 0]} has won"
        else:
            state = f"{PLAYERS[self.to_act or 0]} to {(self.due or '').replace('_', ' ')}"
        south, north = self.totals
        return f"<Match of {self.rules!r}: round {self.round.number}, {south}-{north}, {state}>"

    def _illegal(self, step: Step, reason: str) -> IllegalMove:
        return IllegalMove(f"illegal {shown(step)} in round {self.round.number}: {reason}")

    def _laying(self) -> int:
        weaker = self.round.weaker
        assert weaker is not None
        return weaker if self.round.rows[weaker] is None else 1 - weaker

    def _under_half(self) -> bool:
        """Whether the weaker has fewer than half of the seeds he began the match with, and the
        stronger enough to answer twofold."""
        here = self.round
        if here.weaker is None:
            return False
        seeds = here.totals[here.weaker]
        return 2 * seeds < self.original[here.weaker] and here.totals[1 - here.weaker] >= 2 * seeds

    def _must_double(self) -> bool:
        short = self.twice == "short" and self.pits < self.rules.pits and self._under_half()
        return self.round.asked or short

    def _why_not_shorten(self) -> str | None:
        here = self.round
        if self.scheme != "wikipedia":
            return f"rows shorten of themselves under scheme={self.scheme!r}"
        if self.due != "lay_out" or here.weaker is None or here.rows[here.weaker] is not None:
            return "only the weaker may ask, before he lays out"
        if here.asked:
            return "it was asked in this round already"
        if here.pits <= MIN_PITS:
            return f"rows are never shorter than {MIN_PITS} pits"
        if not self._under_half():
            seeds, began = here.totals[here.weaker], self.original[here.weaker]
            if 2 * seeds >= began:
                return f"the weaker has {seeds} seeds: must be fewer than half of {began}"
            return f"the stronger has {here.totals[1 - here.weaker]} seeds: must be {2 * seeds}"
        return None

    def _winner(self, here: Round) -> int | None:
        """The winner of the match if this is its last round."""
        if here.stuck:
            return -1
        totals = here.result or here.totals
        return next((1 - player for player in (0, 1) if totals[player] < 2), None)

    def _opened(
        self, number: int, totals: tuple[int, int], starter: int, pits: int, opening: bool = False
    ) -> Round:
        """A round as it begins."""
        weaker = None if opening or totals[0] == totals[1] else int(totals[1] < totals[0])
        if self.scheme == "leakey":
            pits = leakey_pits(self.rules.pits, weaker, totals, self.original)
        here = Round(number, totals, starter, weaker, pits)
        if weaker is None:
            setup = match_rules(self.rules, pits).setup
            if totals != self.original:
                setup = even(totals[0], pits) + even(totals[1], pits)
            here.rows = [setup[:pits], setup[pits:]]
            here.game = self._game(here, here.rows)
            here.stuck = here.result == totals
        return here

    def _game(self, here: Round, rows: list[tuple[int, ...] | None]) -> Game | None:
        """The game of a round if both rows are laid out."""
        south, north = rows
        if south is None or north is None:
            return None
        stores = (here.totals[0] - sum(south), here.totals[1] - sum(north))
        rules = match_rules(self.rules, here.pits)
        return Game(Position(rules, south + north, stores, here.starter))

    def _go_on(self) -> None:
        """Begin the rounds that are due: the last one has ended and the match has not.

        It is asked whenever a round is, so that nothing is lost if it is interrupted.
        """
        while True:
            here = self._rounds[-1]
            if here.result is None or self._winner(here) is not None:
                return
            assert here.game is not None
            assert here.game.outcome is not None
            winner = here.game.outcome.winner
            starter = here.starter if winner == -1 else winner
            self._rounds.append(self._opened(here.number + 1, here.result, starter, here.pits))


def _change(here: Round, **fields: Any) -> None:
    """Change a round at once: nothing can interrupt it."""
    vars(here).update(fields)


@public
class Series:
    """A series of games from the opening of the same rules: Kiothi with its one-warrior wins, or
    any game best of n.

    A win counts one point, a win by a margin of exactly two seeds `one_warrior` points (two in the
    sources, ten in some clubs, one if it is a win like any other); a draw counts none.  With
    `best_of=n` the series ends when a player has more than n/2 points, or after n games, drawn ones
    included; more points win.  Without it a series goes on as long as one likes.  `first` (0 South)
    begins the first game; then, the sources being silent, the players take turns.

    `push` makes a move in the present game; when it ends the next begins.  Threads that share a
    series need a lock of their own, as with a `Game`.

    Raises `TypeError` and `ValueError`, naming the argument, for anything but rules, integers of
    1…999,999, and a first of 0 or 1, or for rules whose opening allows no move.

    >>> from relaysow import Series, giuthi
    >>> series = Series(giuthi(pits=3, seeds=2), best_of=3)
    >>> while not series.is_over:
    ...     series.push(series.game.legal_moves[0])
    >>> [game.outcome.stores for game in series.games], series.points, series.winner
    ([(10, 2), (2, 10), (10, 2)], (2, 1), 0)
    """

    def __init__(
        self, rules: Rules, best_of: int | None = None, one_warrior: int = 1, first: int = 0
    ) -> None:
        instance("rules", rules, Rules, "Rules")
        self.rules = rules
        self.best_of = None if best_of is None else within("best_of", best_of, 1, 999_999)
        self.one_warrior = within("one_warrior", one_warrior, 1, 999_999)
        self.first = within("first", first, 0, 1, "0 (South) or 1 (North)")
        if any(self._start(mover).is_over for mover in (0, 1)):
            raise ValueError(f"rules={rules!r}: the opening allows no move")
        self._games = [Game(self._start(self.first))]

    @property
    def games(self) -> tuple[Game, ...]:
        """All games begun; the last is `game`."""
        self._go_on()
        return tuple(self._games)

    @property
    def game(self) -> Game:
        """The present game, or the last one of a series that is over."""
        self._go_on()
        return self._games[-1]

    @property
    def position(self) -> Position:
        """The position of the present game."""
        return self.game.position

    @property
    def points(self) -> tuple[int, int]:
        """South's and North's."""
        points = [0, 0]
        for game in self._games:
            if game.outcome is not None and game.outcome.winner >= 0:
                south, north = game.outcome.stores
                margin = abs(south - north)
                points[game.outcome.winner] += self.one_warrior if margin == 2 else 1
        return points[0], points[1]

    @property
    def is_over(self) -> bool:
        """Whether the series has ended."""
        if self.best_of is None:
            return False
        all_played = len(self._games) == self.best_of and self._games[-1].is_over
        return all_played or 2 * max(self.points) > self.best_of

    @property
    def winner(self) -> int | None:
        """0, 1, or -1 for a draw; None for a series that has not ended."""
        if not self.is_over:
            return None
        south, north = self.points
        return -1 if south == north else int(north > south)

    @property
    def steps(self) -> tuple[Move, ...]:
        """The moves of all games in order."""
        return tuple(move for game in self.games for move in game.moves)

    def push(self, move: Move) -> None:
        """Make a move; raises as `Game.push` does, and `IllegalMove` when the series is over."""
        self.game.push(move)
        self._go_on()

    def undo(self) -> Move:
        """Take the last move back and return it; `IndexError` if there is none."""
        games = self.games
        if games[-1].moves or len(games) == 1:
            return games[-1].undo()
        del self._games[-1]  # it began of itself, and does so again while the one before is over
        return games[-2].undo()

    def __getstate__(self) -> dict[str, Any]:
        begun = (self.rules, self.best_of, self.one_warrior, self.first)
        return replayed.state_of(self, Series, self.steps, *begun)

    def __setstate__(self, state: object) -> None:
        replayed.restore(self, Series, state)

    def __copy__(self) -> Series:
        """A series with the same history, which then goes its own way."""
        return deepcopy(self)

    def __repr__(self) -> str:
        south, north = self.points
        return f"<Series of {self.rules!r}: game {len(self.games)}, {south}-{north}>"

    def _go_on(self) -> None:
        """Begin the next game if the last one has ended and the series has not.

        It is asked whenever a game is, so that nothing is lost if it is interrupted.
        """
        if self._games[-1].is_over and not self.is_over:
            self._games.append(Game(self._start((self.first + len(self._games)) % 2)))

    def _start(self, mover: int) -> Position:
        opening = Position.start(self.rules)
        return Position(
            self.rules,
            opening.pits,
            mover=mover,
            protected=opening.protected,
            redistributions=opening.redistributions,
        )


def round_steps(here: Round, scheme: str) -> list[Step]:
    """The steps of a round."""
    steps: list[Step] = [Shorten()] if here.asked else []
    if here.weaker is not None:
        rows = [here.rows[here.weaker]]
        if scheme == "wikipedia":
            rows.append(here.rows[1 - here.weaker])
        steps += [LayOut(row) for row in rows if row is not None]
    return steps + list(here.game.moves if here.game else ())


def match_rules(rules: Rules, pits: int) -> Rules:
    """The rules of a match's round on rows of so many pits."""
    if pits == rules.pits:
        return rules
    n = rules.pits
    rows = (sum(rules.setup[:n]), sum(rules.setup[n:]))
    return replace(rules, pits=pits, setup=even(rows[0], pits) + even(rows[1], pits))


def leakey_pits(
    pits: int, weaker: int | None, totals: tuple[int, int], original: tuple[int, int]
) -> int:
    """The pits of a row in Leakey's scheme."""
    if weaker is None:
        return pits
    seeds, began = totals[weaker], original[weaker]
    return max(MIN_PITS, pits - sum(seeds * parts < began for parts in (2, 4, 8)))


def check_match(
    rules: Rules, scheme: object, first: object, twice: object
) -> tuple[str, int | None, str]:
    """The scheme, who begins, and when twice; refuses what `Match` refuses."""
    instance("rules", rules, Rules, "Rules")
    for name in ("redistribution", "protection"):
        if (value := getattr(rules, name)) != "none":
            raise ValueError(f"{name}={value!r}: a match needs {name}='none'")
    for name, seeds in zip(
        PLAYERS, (sum(rules.setup[: rules.pits]), sum(rules.setup[rules.pits :])), strict=True
    ):
        if seeds < 2:
            raise ValueError(f"setup gives {name} {seeds} seeds: must be at least 2")
    begins = None
    if first is not None:
        begins = within("first", first, 0, 1, "0 (South), 1 (North) or None")
    return one_of("scheme", scheme, SCHEMES), begins, one_of("twice", twice, TWICE)


# ----------------------------------------------------------------------------- many matches at once

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

    def __setstate__(self, state: Iterable[Any]) -> None:
        restore(self, state)

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
    first: int | None = None,
    max_rounds: int = 1_000,
    first_match: int = 0,
    threads: int | None = None,
    progress: bool = False,
) -> MatchSimulation:
    """Play many matches of Giuthi in the core.

    `scheme`, `first` and `twice` are those of `Match`; `policy` is that of `simulate`.  `layout` is
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
    scheme, first, twice = check_match(rules, scheme, first, twice)
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
