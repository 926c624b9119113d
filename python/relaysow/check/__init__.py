"""The same games in the core and in the reference, compared move by move."""

from __future__ import annotations

import random
import sys
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, fields, replace
from itertools import combinations_with_replacement, count, islice
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any

from relaysow import reference
from relaysow._support.checks import WORD, flag, within
from relaysow._support.processes import Worker, undisturbed
from relaysow._support.progress import progress_bar
from relaysow._support.reloading import once
from relaysow.moves import IllegalMove, Move, PositionError, Sow
from relaysow.options import CHOICES, MIN_PITS, NEEDS
from relaysow.players.policies import policies_of
from relaysow.reference import players
from relaysow.rules import Rules
from relaysow.simulation.columns import COLUMNS
from relaysow.simulation.setting import start_of, told_start
from relaysow.simulation.simulating import MAX_MOVES
from relaysow.simulation.summary import ENDS

if TYPE_CHECKING:
    from relaysow._core import Position
    from relaysow.text.notation import AnyPosition

once(__name__)

MAX_CHECKED = 10_000_000
"""The most games of one check."""

SAMPLED = 16
"""After the games compared in full, legal moves are compared at one position in so many."""

RANDOM_MAX_MOVES = 300
"""Where games under random rules are cut: not all of them would end."""

STATE = [
    "pits",
    "stores",
    "mover",
    "protected",
    "direction",
    "barred",
    "redistributions",
    "drawn",
    "passed",
    "is_over",
    "end",
    "final_stores",
    "winner",
]
"""What is compared of a position."""

TRACE = [
    "laps",
    "path",
    "path_truncated",
    "crossed",
    "captured",
    "captured_pits",
    "moves_again",
    "endless",
    "period",
    "capped",
    "reason",
]
"""What is compared of a sowing, beside the position after it."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Where core and reference part: at a `position` (its text), by a `move` (its text) if any.

    `what` differs is named, with what the core and the reference have.  `game` is the game's
    number, `ply` the moves made before.  `smallest` is a difference at the smallest position that
    was found to show one, None if no set-up position shows any (then it takes the game's history).
    """

    game: int
    ply: int
    position: str
    move: str | None
    what: str
    core: str
    reference: str
    smallest: Difference | None = None

    def __str__(self) -> str:
        lines = [f"game {self.game:,}, after {self.ply} moves, {self._where()}"]
        if self.smallest is None:
            lines.append(
                "No position set up by itself shows it: it takes the game's history "
                f"(first_game={self.game}, games=1 plays that game alone)."
            )
        else:
            lines.append(f"The smallest position found that shows it, {self.smallest._where()}")
        return "\n".join(lines)

    def _where(self) -> str:
        move = "" if self.move is None else f"\n  move       {self.move}"
        return (
            f"{self.what} differs:\n  position   {self.position}{move}"
            f"\n  core       {self.core}\n  reference  {self.reference}"
        )


@dataclass(frozen=True, slots=True)
class Report:
    """What `check` compared, and the first difference it found, if any.

    `positions` counts the positions compared, `lists` the legal-move lists, `traces` the sowings
    (those played, and every other that could be thought of where a list was compared).
    """

    title: str
    games: int = 0
    positions: int = 0
    lists: int = 0
    traces: int = 0
    difference: Difference | None = None

    def __str__(self) -> str:
        text = (
            f"{self.games:,} games {self.title}\n{self.positions:,} positions, {self.lists:,} "
            f"legal-move lists, {self.traces:,} sowings compared: "
        )
        return text + (
            "no difference" if self.difference is None else f"DIFFERENCE in {self.difference}"
        )


class CheckInterrupted(KeyboardInterrupt):
    """Ctrl-C stopped a check; `report` tells what had been compared."""

    def __init__(self, report: Report) -> None:
        super().__init__(report)
        self.report = report


def check(
    rules_or_position: Rules | AnyPosition | None,
    games: int = 1_000,
    seed: int = 1,
    *,
    first_game: int = 0,
    policy: str | tuple[str, str] = "random",
    max_moves: int | None = None,
    full: int | None = None,
    processes: int = 1,
    progress: bool = False,
) -> Report:
    """Play the same games in the core and in the reference and compare them move by move.

    Compared are: every position with all its attributes, the trace of every move played, whether
    and how the game ends, and the row of results; and at every position the legal moves and the
    trace, or the refusal, of every sowing from the mover's row.  That last part takes most of the
    time: `full` games have it at every position, the rest at one position in 16 (None: all games
    have it).  Redistributions are compared by their count and a sample.

    Without rules (None) every game has rules of its own, drawn by `random_rules` from the seed and
    the game's number, and is cut after 300 moves.

    games 1…10,000,000; the other arguments are those of `simulate`; `processes` share the games
    (from a script, under `if __name__ == "__main__"`).  Stops at the first difference.  Raises
    `ValueError` or `TypeError` as `simulate` does, `CheckInterrupted` on Ctrl-C, and
    `ChildProcessError` when one of the processes is killed.

    >>> from relaysow import giuthi
    >>> from relaysow.check import check
    >>> report = check(giuthi(pits=5, seeds=4), games=2)
    >>> report.games, report.difference, report.positions == report.lists + report.games
    (2, None, True)
    """
    games = within("games", games, 1, MAX_CHECKED)
    seed = within("seed", seed, 0, WORD - 1)
    first_game = within("first_game", first_game, 0, WORD - games)
    full = games if full is None else min(within("full", full, 0, MAX_CHECKED), games)
    processes = within("processes", processes, 1, 1_024)
    names, progress = policies_of(policy, "reference"), flag("progress", progress)
    if max_moves is not None:
        max_moves = within("max_moves", max_moves, 1, MAX_MOVES)
    start: Any = None
    if rules_or_position is None:
        max_moves = min(max_moves or RANDOM_MAX_MOVES, RANDOM_MAX_MOVES)
        shown = "under random rules"
    else:
        start = start_of(rules_or_position, "native")
        shown = told_start(start)
        if start.rules.repetition == "off" and max_moves is None:
            raise ValueError("repetition='off': games need not end, so max_moves must be given")
    first = f", from game {first_game:,}" if first_game else ""
    title = f"{shown}, {names[0]} against {names[1]}, seed {seed}{first}"

    size = max(1, min(8, games // (4 * processes)))
    tasks = (
        _Task(start, seed, first_game + i, min(size, games - i), full - i, names, max_moves)
        for i in range(0, games, size)
    )
    report = Report(title)
    with progress_bar(games, "games", progress) as poll:
        try:
            with closing(_played(tasks, min(processes, -(-games // size)))) as parts:
                for part in parts:
                    report = _added(report, part)
                    if report.difference is not None:
                        break
                    if poll is not None:
                        poll(report.games)
        except KeyboardInterrupt as error:
            raise CheckInterrupted(report) from error
    return report


def random_rules(chance: random.Random) -> Rules:
    """Rules with every option drawn, on boards small and large, even and uneven; those of more than
    three seeds a pit have a `max_laps`.

    >>> import random
    >>> from relaysow.check import random_rules
    >>> random_rules(random.Random(1)) == random_rules(random.Random(1))
    True
    """
    pits = chance.choice((3, 3, 4, 4, 5, 6, 8, chance.randint(9, 20)))
    most = chance.choice((1, 2, 3, 4, chance.randint(5, 12)))
    if chance.random() < 0.5:
        setup = (most,) * (2 * pits)
    else:
        setup = tuple(chance.randint(0, most) for _ in range(2 * pits))
    options: dict[str, Any] = {name: chance.choice(values) for name, values in CHOICES.items()}
    for name, value, other, needed in NEEDS:
        if options[name] == value:
            options[other] = needed
    options["minimum_lift"] = chance.choice((1, 2))
    # On a crowded board a sowing may go round for billions of laps before it proves endless.
    longest = None if sum(setup) <= 6 * pits else chance.randint(13, 200)
    options["max_laps"] = chance.choice((longest, longest, longest, chance.randint(1, 12)))
    return Rules(pits=pits, setup=setup if any(setup) else (1,) * (2 * pits), **options)


# -------------------------------------------------------------------------------- sharing the work


@dataclass(frozen=True, slots=True)
class _Task:
    """Some games in a row, the first `full` of them to be compared in full."""

    start: Any
    seed: int
    first_game: int
    games: int
    full: int
    policies: tuple[str, str]
    max_moves: int | None


def _played(tasks: Iterator[_Task], processes: int) -> Generator[Report]:
    """What the tasks found, in order: played here, or by several processes."""
    if processes == 1:
        yield from map(_play, tasks)
        return
    if sys.platform == "win32":
        processes = min(processes, 60)  # it waits for 63 pipes at most
    workers: dict[Connection, Worker] = {}
    try:
        for _ in range(processes):
            with undisturbed():
                worker = Worker()
                workers[worker.connection] = worker
        idle, sent, told = list(workers), 0, 0
        done: dict[int, Report | Exception] = {}
        while True:
            try:
                # Behind a slow task only so many results pile up.
                for task in islice(tasks, min(len(idle), told + 4 * processes - sent)):
                    idle.pop().send((_numbered, (sent, task)))
                    sent += 1
                if sent == told:
                    return
                ready: list[Any] = wait(workers, 0.1)
                for pipe in ready:
                    number, part = pipe.recv()
                    done[number] = part
                    idle.append(pipe)
                # One that was killed as it started leaves its pipe open on Windows.
                if not ready and not all(worker.is_alive() for worker in workers.values()):
                    raise EOFError
            except (EOFError, OSError) as error:
                raise ChildProcessError(
                    "a process that compared games was ended from outside"
                ) from error
            while told in done:
                part = done.pop(told)
                if isinstance(part, Exception):
                    raise part
                yield part
                told += 1
    finally:
        for worker in workers.values():  # whatever they are doing
            worker.stop()


def _numbered(number: int, task: _Task) -> tuple[int, Report | Exception]:
    """What a task found, or the error, to be raised where the tasks come from."""
    try:
        return number, _play(task)
    except Exception as error:  # noqa: BLE001 - none may end the process
        error.add_note(traceback.format_exc())
        return number, error


def _added(report: Report, part: Report) -> Report:
    return replace(
        report,
        games=report.games + part.games,
        positions=report.positions + part.positions,
        lists=report.lists + part.lists,
        traces=report.traces + part.traces,
        difference=part.difference,
    )


# ------------------------------------------------------------------------------------ comparing


class _Differs(Exception):
    """Core and reference part here."""

    def __init__(self, what: str, core: object, ref: object, move: Move | None = None) -> None:
        super().__init__(what)
        self.what, self.core, self.reference, self.move = what, core, ref, move


def _equal(what: str, core: object, ref: object, move: Move | None = None) -> None:
    if core != ref or type(core) is not type(ref):
        raise _Differs(what, core, ref, move)


def _play(task: _Task) -> Report:
    """Compare the games of a task, until one differs."""
    from relaysow import _core

    def rows(start: Any, number: int, games: int) -> list[dict[str, Any]]:
        columns, _, error = _core.simulate(
            start, games, task.seed, number, 1, *task.policies, task.max_moves, None
        )
        if error is not None:
            raise error
        values = zip(*(columns[name].tolist() for name in COLUMNS), strict=True)
        return [dict(zip(COLUMNS, row, strict=True)) for row in values]

    counts, start = _Counts(), task.start
    played = [] if start is None else rows(start, task.first_game, task.games)
    for i in range(task.games):
        number = task.first_game + i
        if task.start is None:
            start = random_rules(random.Random(f"{task.seed} {number}")).start()
            played += rows(start, number, 1)
        row = played[i]
        games = _Games(start)
        try:
            counts.compare(games, task, number, row, full=i < task.full)
        except _Differs as differs:
            at = games.reference
            return counts.report(_told(differs, number, len(at.moves), at.position))
        counts.games += 1
    return counts.report(None)


class _Games:
    """One game in both engines."""

    def __init__(self, start: Position) -> None:
        from relaysow.game import Game

        # Both from the rules or both from the same arguments, so that even `passed` must agree.
        what = start.rules if start == start.rules.start() else start
        twin = start_of(what, "reference")
        same = start_of(what if isinstance(what, Rules) else twin, "native")
        self.reference, self.core = reference.Game(twin), Game(same)


class _Counts:
    """How much has been compared, and the comparing of a game."""

    def __init__(self) -> None:
        self.games = self.positions = self.lists = self.traces = 0

    def report(self, difference: Difference | None) -> Report:
        return Report("", self.games, self.positions, self.lists, self.traces, difference)

    def compare(
        self, games: _Games, task: _Task, number: int, row: dict[str, Any], *, full: bool
    ) -> None:
        """Play a game by the reference's choices; raises `_Differs` where the engines part."""
        chance = reference.Chance(task.seed, number)
        ref, core = games.reference, games.core
        mine: dict[str, Any] = dict.fromkeys(COLUMNS, 0) | {"first_move": -1}
        while True:
            self.positions += 1
            _compare_position(core.position, ref.position)
            _equal("is_over of the game", core.is_over, ref.is_over)
            _equal("outcome of the game", core.outcome, ref.outcome)
            if ref.is_over or len(ref.moves) == task.max_moves:
                break
            if full or (number + len(ref.moves)) % SAMPLED == 0:
                self.lists += 1
                _compare_lists(core.legal_moves, ref.legal_moves)
                self.traces += _compare_sowings(core.position, ref.position)
            move = players.choose(ref, task.policies[ref.position.mover], chance)
            if not ref.moves:
                first = ref.legal_moves.index(move)
                mine["first_move"] = first if first < 2**63 else -1
            told = ref.position.sow(move)
            self.traces += 1
            _compare_traces(core.position.sow(move), told, move)
            mine["turns"] += ref.begins_turn
            mine["laps"] += told.laps or 0
            mine["longest"] = max(mine["longest"], told.laps or 0)
            mine["captures"] += told.captured > 0
            try:
                core.push(move)
            except IllegalMove as error:
                raise _Differs("what the game allows", str(error), "a move", move) from None
            ref.push(move)
        outcome = ref.outcome
        mine["scores"] = list(outcome.stores if outcome else ref.position.stores)
        mine["winner"] = outcome.winner if outcome else -2
        mine["end"] = ENDS.index(outcome.end if outcome else "cut")
        mine["moves"] = len(ref.moves)
        for name in COLUMNS:
            _equal(f"{name} of the simulated game", row[name], mine[name])


def _compare_position(core: Any, ref: reference.Position, names: Sequence[str] = STATE) -> None:
    for name in names:
        _equal(name, getattr(core, name), getattr(ref, name))


def _compare_lists(core: Any, ref: Any) -> None:
    """Legal moves: all of them if they are sowings, the count and a sample of redistributions."""
    _equal("number of legal moves", core.count, ref.count)
    if core.count and not isinstance(core[0], Sow):
        step = core.count // 3 + 1
        for i in {0, core.count - 1, *range(step // 2, core.count, step)}:
            _equal(f"legal move {i}", core[i], ref[i])
            _equal("number of a legal move", core.index(ref[i]), i, ref[i])
            _equal("number of a legal move", ref.index(ref[i]), i, ref[i])
    else:
        _equal("legal moves", list(core), list(ref))


def _compare_sowings(core: Any, ref: reference.Position) -> int:
    """Every sowing from the mover's row, possible or refused, or a sample of redistributions;
    the number compared."""
    moves: list[Move] = []
    rules = ref.rules
    if ref.redistributions < 2:
        legal = ref.legal_moves
        step = legal.count // 3 + 1
        moves = [legal[i] for i in range(step // 2, legal.count, step)]
    else:
        for pit in range(ref.mover * rules.pits, (ref.mover + 1) * rules.pits):
            lifts = range(1, ref.pits[pit] + 1) if rules.lift == "any" else (None,)
            ways = ("ccw", "cw") if rules.direction == "either" else (None,)
            moves += [Sow(pit, lift, way) for lift in lifts for way in ways]
    for move in moves:
        _compare_traces(_tried(core.sow, move), _tried(ref.sow, move), move)
    return len(moves)


def _tried(sow: Callable[[Move], Any], move: Move) -> Any:
    """What a move does, or the text that refuses it."""
    try:
        return sow(move)
    except IllegalMove as error:
        return str(error)


def _compare_traces(core: Any, ref: Any, move: Move) -> None:
    if isinstance(core, str) or isinstance(ref, str):
        _equal("refusal of the move", core, ref, move)
        return
    for name in TRACE:
        _equal(name, getattr(core, name), getattr(ref, name), move)
    if core.after is None or ref.after is None:
        _equal("legality of the move", core.after is not None, ref.after is not None, move)
        return
    for name in STATE:
        _equal(f"{name} after the move", getattr(core.after, name), getattr(ref.after, name), move)


# ------------------------------------------------------------------------------------ shrinking


def _told(differs: _Differs, game: int, ply: int, position: reference.Position) -> Difference:
    """The difference in words, with the smallest position found that shows one."""
    return replace(_worded(differs, position, game, ply), smallest=_smallest(position, game, ply))


def _worded(differs: _Differs, position: reference.Position, game: int, ply: int) -> Difference:
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
    here = _SetUp.of(position)
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


def _small(rules: Rules) -> Iterator[_SetUp]:
    """Positions of the smallest board under these rules, those of fewest seeds first."""
    n = 2 * MIN_PITS
    rules = replace(rules, pits=MIN_PITS, setup=(1,) * n)
    for seeds in count(1):
        for chosen in combinations_with_replacement(range(n), seeds):
            pits = tuple(chosen.count(pit) for pit in range(n))
            occupied = tuple(sorted(set(chosen)))
            for mover in (0, 1):
                for protected in ((),) if rules.protection == "none" else ((), occupied):
                    yield _SetUp(rules, pits, (0, 0), mover, protected, None, None, 2, False)


@dataclass(frozen=True, slots=True)
class _SetUp:
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
    def of(cls, position: Any) -> _SetUp:
        return cls(*(getattr(position, field.name) for field in fields(cls)))

    def values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, field.name) for field in fields(self))

    def position(self) -> reference.Position:
        return reference.Position(*self.values())

    def difference(self) -> _Differs | None:
        """How core and reference differ at this position, if they do; None if it cannot be."""
        from relaysow import _core

        try:
            ref = reference.Position(*self.values())
            core = _core.Position(*self.values())
        except PositionError:
            return None
        try:
            _compare_position(core, ref)
            _compare_lists(core.legal_moves, ref.legal_moves)
            if not ref.is_over:
                _compare_sowings(core, ref)
        except _Differs as differs:
            return differs
        return None

    def smaller(self) -> Iterator[_SetUp]:
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

    def _without(self, column: int) -> _SetUp:
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
