"""A match of Giuthi, whose rounds start from what the last one left."""

from __future__ import annotations

import random
from copy import deepcopy
from typing import Any

from relaysow._core import Position
from relaysow._support import replayed
from relaysow._support.checks import shown
from relaysow._support.public import public
from relaysow._support.reloading import once
from relaysow.game import Game
from relaysow.match.layouts import LayOut, LayOuts, Shorten, Step, even
from relaysow.match.round import Round, change, check_match, leakey_pits, match_rules, round_steps
from relaysow.moves import IllegalMove, Redistribute, Sow
from relaysow.options import MIN_PITS
from relaysow.rules import Rules
from relaysow.text.notation import PLAYERS

once(__name__)


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
    twice what it faces in each pit.  Under `half_of="round"` it is half of the seeds this player
    began the last round with: the text's «la partita» can be either.

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
        half_of: str = "match",
    ) -> None:
        scheme, first, twice, half_of = check_match(rules, scheme, first, twice, half_of)
        self.rules, self.scheme, self.twice, self.half_of = rules, scheme, twice, half_of
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
            change(here, asked=True, pits=max(MIN_PITS, here.pits - 2))
        else:
            layouts = self.layouts
            assert layouts is not None
            if reason := layouts.reason(step.row):
                raise self._illegal(step, reason)
            rows = here.rows.copy()
            rows[layouts.player] = step.row
            if self.scheme == "leakey":
                rows[1 - layouts.player] = step.row[::-1]
            change(here, rows=rows, game=self._game(here, rows))
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
            change(here, rows=rows, game=None)
        elif any(here.rows):
            change(here, rows=[None, None], game=None)
        else:
            change(here, asked=False, pits=rounds[last - 1].pits)
        return steps[last][-1]

    def __getstate__(self) -> dict[str, Any]:
        return replayed.state_of(
            self,
            Match,
            self.steps,
            *(self.rules, self.scheme, self.first, self.twice, self.half_of),
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
        """Whether the weaker has fewer than half of the seeds that `half_of` tells, and the
        stronger enough to answer twofold."""
        here = self.round
        if here.weaker is None:
            return False
        seeds = here.totals[here.weaker]
        return 2 * seeds < self._half_of() and here.totals[1 - here.weaker] >= 2 * seeds

    def _half_of(self) -> int:
        """The seeds of which the weaker must have fewer than half."""
        here = self.round
        assert here.weaker is not None
        of_the_match = self.half_of == "match" or here.number == 1
        before = self.original if of_the_match else self.rounds[here.number - 2].totals
        return before[here.weaker]

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
            seeds, began = here.totals[here.weaker], self._half_of()
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
