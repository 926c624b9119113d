"""What the core's Batch has from Python: its documentation, and the checks of what it is given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, NoReturn, SupportsIndex

from relaysow._core import Batch, Position
from relaysow._support.attached import attach
from relaysow._support.checks import listed, one_of, room, shown, within
from relaysow._support.reloading import once
from relaysow.moves import IllegalMove
from relaysow.rules import Rules

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

once(__name__)

__all__ = ["Batch"]

MAX_SEED = 2**64 - 1


class _Methods(Batch):
    """`n` games side by side, a move at a time in each: for learners and for players of one's own.

    `rules` are Rules, or the Position in which every game begins.  `seed` is one for all rows, or one
    for each: row r then plays games r, r + n, r + 2n, … of `seed`, or games 0, 1, 2, … of its own.  Each
    game has its own stream of chance: where every action is drawn by `sample`, the games are those
    of `simulate` with the same seed and number (but for opening redistributions, which are drawn there
    as a whole).

    Action numbers are those of `rules.actions` and `Position.action`, own pits first to last.  Where the
    rules have an opening redistribution, a player makes it by single decisions, numbered after the
    sowings: with A = `rules.actions`, A + k empties his own pit k (0…n−1 from his left), in any order, until
    as many are emptied as the rules name; then A + k places one of the seeds in hand in pit k of the
    ring counted from his own leftmost, k = 0…2n−1, until none is left.  Under
    `redistribution="up_to_two"` A + 2n empties no more.  `actions` is the number of all.

    An observation is a row of int16, as the player to move sees the board; `features` names its parts:

    * `pits`: the 2n counts, counter-clockwise from his own leftmost pit; `stores`: his, the other's;
    * `mover`: 0 (South) or 1; `since_capture`: moves since the last capture, or since the opening;
    * `protected`, where the rules protect pits: 1 for each such pit of the 2n;
    * `direction`, `barred`, where extra moves have duties: 0 for none; 1 for "ccw", 2 for "cw"; the own
      pit, from 1, that the move may not start from;
    * `redistribution`, where the rules have one: redistributions made (2: all), pits emptied in the
      present one, seeds in hand, and 1 once they are being placed.  `pits` are as decided so far.

    `mask` says which actions may be made: `mask="candidates"` leaves out what the first-lap rule forbids,
    but not the rare sowings that never end; `mask="exact"` proves each legal.  When a game is over no
    action may be made.  `max_moves` (a redistribution counts one) truncates a game; with
    `repetition="off"` and none, a game may go on for ever.  Repetition is judged as in `Game`.

    `autoreset` is as in Gymnasium (the string, or a member of its `AutoresetMode`).  "NextStep": a row
    whose game is over begins the next game in the following step, whatever its action; "SameStep": it
    does at once, and its last observation is in `final_observations`; "Disabled": it stays over, and its
    flags set, until `reset`.

    `illegal="raise"`: an illegal action, one whose sowing never ends included, raises `IllegalMove`
    naming the first such row, and no game has moved.  `illegal="report"`: it changes nothing in its row,
    and `illegal` says so.

    `threads` serve the rows; results do not depend on them.

    A step, `sample` or `reset` that Ctrl-C interrupts has been made or has not: if it has, in part, the
    next call, or who asks for one of the arrays, finishes it first.

    Raises `ValueError` naming the value and what is allowed, `TypeError` for wrong types, `RuntimeError`
    when two threads use one Batch at a time, `MemoryError` where so many rows find no room.
    A Batch cannot be pickled.

    >>> import relaysow as rs
    >>> batch = rs.Batch(rs.giuthi(pits=5, seeds=4), n=256, seed=1)
    >>> batch.observations.shape, batch.mask.shape, batch.actions
    ((256, 14), (256, 10), 10)
    >>> returns = 0
    >>> for _ in range(100):
    ...     movers = batch.observations[:, batch.features["mover"]].copy()
    ...     observations, mask, rewards, terminated, truncated = batch.step(batch.sample())
    ...     returns += rewards
    >>> returns.shape, bool((returns.sum(axis=1) == 0).all())
    ((256, 2), True)
    """

    def __init__(
        self,
        rules: Rules | Position,
        n: SupportsIndex,
        seed: SupportsIndex | Iterable[SupportsIndex] = 0,
        *,
        max_moves: SupportsIndex | None = None,
        mask: str = "candidates",
        autoreset: object = "NextStep",
        illegal: str = "raise",
        threads: SupportsIndex = 1,
    ) -> None:
        if not isinstance(rules, (Rules, Position)):
            raise TypeError(f"a Batch starts from Rules or a Position, not {shown(rules)}")
        start = rules if isinstance(rules, Position) else rules.start()
        rows = within("n", n, 1, 2**30, "1…2³⁰")
        crew = within("threads", threads, 1, 1024)
        raises = _choice("illegal", illegal, "raise", "report") == "raise"
        exact = _choice("mask", mask, "candidates", "exact") == "exact"
        mode = _choice("autoreset", autoreset, "NextStep", "SameStep", "Disabled")
        most = max_moves
        if most is not None:
            most = within("max_moves", most, 1, 2**31 - 1, "1…2³¹−1, or None")
        _refuse_finished(start, most)
        with room(f"n={shown(n)}: no room for so many games"):
            seeds = _seeds(seed, rows)
            seeds_in_all, lifts = sum(start.pits), sum(start.rules.setup)
            if start.rules.lift == "any" and seeds_in_all > lifts:
                raise ValueError(
                    f"the start holds {seeds_in_all} seeds, the set-up {lifts}: "
                    "some lifts have no action number"
                )
            self._begin(start, rows, seeds, most, exact, mode, raises, crew)

    def reset(
        self,
        rows: Iterable[SupportsIndex] | NDArray[np.bool_] | None = None,
        *,
        seed: SupportsIndex | Iterable[SupportsIndex] | None = None,
        start: Position | Iterable[Position] | None = None,
        out: dict[str, Any] | None = None,
    ) -> tuple[NDArray[np.int16], NDArray[np.bool_]]:
        """Begin a new game in some rows: (observations, mask), of all rows.

        `rows` are row numbers or a bool array of n; None: all.  `seed` is as in the constructor, one for each
        of these rows or one for all; None: the next game of each row's own seed.  `start` is a Position of the
        same rules, or one for each of these rows, in which this one game begins; later ones begin as all.

        Raises `IndexError` for a row that is not there, `ValueError` and `TypeError` naming the value.

        >>> import relaysow as rs
        >>> batch = rs.Batch(rs.giuthi(pits=3, seeds=2), n=3)
        >>> start = rs.Position(batch.rules, [3, 0, 1, 0, 2, 2], stores=(4, 0), mover=1)
        >>> observations, mask = batch.reset([2], start=start)
        >>> observations[2].tolist()
        [0, 2, 2, 3, 0, 1, 0, 4, 1, 0]
        """
        chosen = None if rows is None else _rows(rows, self.n)
        count = self.n if chosen is None else len(chosen)
        seeds = None if seed is None else _seeds(seed, count)
        starts = [] if start is None else self._starts(start, count)
        return self._reset(chosen, seeds, starts, out)

    def position(self, row: SupportsIndex) -> Position:
        """The Position of a row; during a redistribution the one before it.

        Raises `IndexError` for a row that is not there, `TypeError` for what is no integer.

        >>> import relaysow as rs
        >>> batch = rs.Batch(rs.engehe(pits=5), n=4)
        >>> batch.position(3) == batch.rules.start()
        True
        """
        return self._position(within("row", row, 0, self.n - 1, refusal=IndexError))

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a Batch cannot be pickled or copied: keep the positions of its rows, and reset "
            "another Batch to them"
        )

    def _starts(self, given: Position | Iterable[Position], count: int) -> list[Position]:
        if isinstance(given, Position):
            starts = [given]
        else:
            starts = _items(
                "start", listed("start", given, "a Position, or one for each row"), count
            )
        for start in starts:
            if not isinstance(start, Position):
                raise TypeError(f"start must be a Position, not {shown(start)}")
            if start.rules != self.rules:
                raise ValueError(f"a start is of other rules: {shown(start)}")
            _refuse_finished(start, self.max_moves)
            if not self._has_room(start):
                raise ValueError(
                    "a start has more seeds than this Batch has room for: make the Batch from it, "
                    "or from a larger set-up"
                )
        return starts

    # The core asks these what does not fit; what returns it takes.

    def _refuse_actions(self, actions: object) -> None:
        import numpy as np

        if not isinstance(actions, np.ndarray):
            raise TypeError(
                f"actions must be a NumPy array of integers, not {type(actions).__name__}"
            )
        if actions.dtype.kind not in "iu" or not actions.dtype.isnative:
            raise TypeError(
                f"actions is an array of {shown(actions.dtype)}: must be of integers in the "
                "machine's byte order"
            )
        if actions.shape != (self.n,):
            raise ValueError(f"actions has the shape {actions.shape}: must be ({self.n},)")

    def _refuse_action(self, row: int, action: int, position: Position) -> None:
        redistributes = position.redistributions < 2
        if not 0 <= action < self.actions:
            why = f"must be 0…{self.actions - 1}"
        elif redistributes != (action >= position.rules.actions):
            why = "a sowing is due, not a redistribution"
            if redistributes:
                why = "a redistribution is due, not a sowing"
        elif redistributes:
            why = "no such decision in this redistribution"
        else:
            try:
                position.play(position.move(action))
                why = "illegal"
            except IllegalMove as error:
                why = str(error)
        raise IllegalMove(f"row {row}, action {action}: {why}")

    def _refuse_sample(self, out: object, own: dict[str, NDArray[Any]]) -> None:
        _refuse_array("out", out, "sample", own)

    def _refuse_out(
        self, out: object, most: int, actions: object, own: dict[str, NDArray[Any]]
    ) -> None:
        import numpy as np

        names = list(own)[:most]
        if not isinstance(out, dict):
            raise TypeError(f"out must be a dict of arrays, not {shown(out)}")
        for name, array in out.items():
            if name not in names:
                allowed = ", ".join(map(repr, names))
                raise ValueError(f"out has {shown(name)}: must be of {allowed}")
            _refuse_array(name, array, name, own)
        written = {name: out.get(name, own[name]) for name in names}
        for i, name in enumerate(names):
            for other in names[:i]:
                if np.may_share_memory(written[name], written[other]):
                    raise _shared(other, name)
        for name in names if isinstance(actions, np.ndarray) else ():
            if np.shares_memory(actions, written[name]):  # they may have gaps
                raise _shared("actions", name)


def _shared(one: str, other: str) -> ValueError:
    return ValueError(f"{one} and {other} share memory: each must have its own")


def _refuse_array(name: str, given: object, place: str, own: dict[str, NDArray[Any]]) -> None:
    """Why an array cannot be written to in the place of one of the batch's own."""
    import numpy as np

    wanted = own[place]
    if not isinstance(given, np.ndarray):
        raise TypeError(
            f"{name} must be a NumPy array of {wanted.dtype}, not {type(given).__name__}"
        )
    byte_of_a_mask = place == "mask" and given.dtype.kind in "iu" and given.itemsize == 1
    kind = (given.dtype.kind, given.itemsize)
    if not byte_of_a_mask and kind != (wanted.dtype.kind, wanted.itemsize):
        raise TypeError(f"{name} is an array of {given.dtype}: must be {wanted.dtype}")
    if not given.dtype.isnative:
        raise TypeError(
            f"{name} is an array of {shown(given.dtype)}: must be in the machine's byte order"
        )
    if given.shape != wanted.shape:
        raise ValueError(f"{name} has the shape {given.shape}: must be {wanted.shape}")
    if not (given.flags.c_contiguous and given.flags.aligned):
        raise ValueError(f"{name} must be C-contiguous and aligned")
    if not given.flags.writeable:
        raise ValueError(f"{name} is read-only")
    for other, array in own.items():
        if np.may_share_memory(given, array):
            if other == place and given.ctypes.data == array.ctypes.data:
                continue
            raise ValueError(
                f"{name} shares memory with the batch's own {other}: it must have its own"
            )


def _choice(name: str, given: object, *words: str) -> str:
    """One of these words: a string, or an enumeration's member that has it as its value."""
    word: str = one_of(name, getattr(given, "value", given), words)
    return word


def _refuse_finished(start: Position, max_moves: int | None) -> None:
    if not Batch._is_playable(start, max_moves):
        raise ValueError(f"nothing is left to play in the start {shown(start)}")


def _seeds(given: SupportsIndex | Iterable[SupportsIndex], count: int) -> int | list[int]:
    """One for all of so many rows, or one for each."""
    import numpy as np

    if isinstance(given, SupportsIndex) and not isinstance(given, np.ndarray):
        return within("seed", given, 0, MAX_SEED, "0…2⁶⁴−1")
    seeds = _items("seed", listed("seed", given, "an integer, or one for each row"), count)
    return [within("seed", seed, 0, MAX_SEED, "0…2⁶⁴−1") for seed in seeds]


def _items(name: str, given: Iterator[Any], count: int) -> list[Any]:
    items = list(islice(given, count + 1))  # an endless iterator must not fill the memory
    if len(items) != count:
        found = f"more than {count}" if len(items) > count else len(items)
        raise ValueError(f"{name} has {found} items: must be {count}")
    return items


def _rows(given: Iterable[SupportsIndex] | NDArray[np.bool_], n: int) -> list[int]:
    """Row numbers, of those or of a bool array of n."""
    import numpy as np

    if isinstance(given, np.ndarray) and given.dtype.kind == "b":
        if given.shape != (n,):
            raise ValueError(f"rows has the shape {given.shape}: must be ({n},)")
        return np.flatnonzero(given).tolist()
    rows: dict[int, None] = {}
    items: Iterable[Any] = given
    if type(given) is not list:
        items = listed("rows", given, "row numbers, a bool array or None")
    for row in items:
        number: int = row
        if type(row) is not int or not 0 <= row < n:
            number = within("row", row, 0, n - 1, refusal=IndexError)
        if number in rows:
            raise ValueError(f"row {number} is named twice")
        rows[number] = None
    return list(rows)


attach(_Methods, Batch)
