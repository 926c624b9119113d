"""A position: what may be played in it and what comes of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from relaysow._support.checks import (
    POSITIONS,
    flag,
    instance,
    one_of,
    shown,
    whole_number,
    whole_numbers,
    within,
)
from relaysow._support.public import public
from relaysow._support.reloading import once
from relaysow.moves import (
    PATH_LAPS,
    WAYS,
    IllegalMove,
    Move,
    PositionError,
    Redistribute,
    Sow,
    Sowing,
)
from relaysow.options import MAX_SEEDS
from relaysow.position_texts import PositionTexts
from relaysow.reference.board import Pits, counts, occupied, owner, reverse, row
from relaysow.reference.capture import captured_pits
from relaysow.reference.ending import final_stores, higher, judge
from relaysow.reference.legal_moves import LegalMoves
from relaysow.reference.moves import (
    first_lift,
    legal_sowings,
    objection_to_redistribution,
    objection_to_sowing,
)
from relaysow.reference.sowing import sow_laps
from relaysow.rules import Rules

once(__name__)


@public
@dataclass(frozen=True, init=False, repr=False, slots=True)
class Position(PositionTexts):
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
        ring = counts("pits", pits, 2 * n, f" for pits={n}")
        south, north = counts("stores", stores, 2, ", South's and North's")
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
            mover, direction, barred, passed, end = judge(rules, ring, mover, direction, barred)
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
            protected = occupied(rules.setup)
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
        return None if self.end is None else final_stores(self, self.end)

    @property
    def winner(self) -> int | None:
        """0 South, 1 North, -1 for a draw; None while running.

        "Higher store wins; equal is a draw" — and an endless sowing that draws the game draws it
        whatever the stores.
        """
        if self.end is None:
            return None
        return -1 if self.drawn else higher(final_stores(self, self.end))

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
            protected = occupied(pits)
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
        why = objection_to_redistribution(self.rules, self.mover, self.pits, move)
        if why is not None:
            raise self.illegal(move, why)
        return move

    def _canonical_sowing(self, move: Sow) -> Sow:
        if not isinstance(move, Sow):
            raise TypeError(f"a move must be Sow or Redistribute, not {shown(move)}")
        if self.is_over:
            raise self.illegal(move, "the game is over")
        if self.redistributions < 2:
            raise self.illegal(move, "a redistribution is due, not a sowing")
        why = objection_to_sowing(
            self.rules, self.mover, self.pits, self.direction, self.barred, move
        )
        if why is not None:
            raise self.illegal(move, why)
        lift = direction = None
        if self.rules.lift == "any":
            lift = self.pits[move.pit] if move.lift is None else move.lift
        if self.rules.direction == "either":
            direction = move.direction
        return Sow(move.pit, lift, direction)

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


POSITIONS.add(Position)
