"""Changes that an exception interrupts, at any line or opcode: each has been made, or has not."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import relaysow as rs
from relaysow import _core, reference
from relaysow._core import LegalMoves
from relaysow.game import RemainingMoves
from relaysow.match import LayOuts, Round

PACKAGE = str(Path(rs.__file__).parent)


PURE = ("Position.", "sow_lap", "lap_by_lap", "CycleTest.", "legal_sowings", "candidates", "_judge")
"""What of the reference changes nothing, and takes most of its time."""


class Stop(BaseException):
    """An interruption, as Ctrl-C is one."""


def interrupt(change: Callable[[Any], object], play: Any, at: int, opcodes: bool) -> bool:
    """Make a change, stopped at event number `at` within the package; whether it came so far.

    An event is a call, a line, a return, and with `opcodes` an opcode that is about to run.
    """
    left = at

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal left
        code = frame.f_code
        if not code.co_filename.startswith(PACKAGE) or code.co_qualname.startswith(PURE):
            return None
        frame.f_trace_opcodes = opcodes
        if event != "exception":
            left -= 1
            if left < 0:
                raise Stop
        return trace

    before, hook = sys.gettrace(), sys.unraisablehook
    sys.unraisablehook = lambda _: None  # what interrupts the end of a generator is lost
    sys.settrace(trace)
    try:
        change(play)
    except Stop:
        pass
    finally:
        sys.settrace(before)
        sys.unraisablehook = hook
    return left < 0


def picture(value: Any) -> Any:
    """All that a value tells of itself: every public attribute, and so on down to plain values."""
    if isinstance(value, (list, tuple)):
        return type(value), [picture(each) for each in value]
    if isinstance(value, LayOuts):
        return repr(value)
    if isinstance(
        value, (LegalMoves, RemainingMoves, reference.LegalMoves)
    ):  # legal moves, which may be too many
        return value.count, list(value) if value.count < 100 else [value[0], value[-1]]
    if isinstance(value, (rs.Game, reference.Game, rs.Match, rs.Series, Round)):
        names = [name for name in dir(value) if not name.startswith("_")]
        found = {name: getattr(value, name) for name in names}
        return repr(value).partition(" object at ")[0], {
            name: picture(each) for name, each in found.items() if not callable(each)
        }
    return value


def contents(value: Any) -> Any:
    """All that a value holds, private or not: what it does depends on nothing else."""
    if isinstance(value, dict):
        return {key: contents(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [contents(each) for each in value]
    if isinstance(value, (rs.Game, reference.Game, rs.Match, rs.Series, Round)):
        return contents(vars(value))
    return value


def any_step(play: Any, chance: random.Random) -> Any:
    """A legal step of a game, match or series."""
    if getattr(play, "due", "") == "lay_out":
        if play.may_shorten and chance.random() < 0.7:
            return rs.match.Shorten()
        return rs.match.LayOut(play.layouts.draw(chance))
    game = getattr(play, "game", play)
    return game.legal_moves[chance.randrange(game.legal_moves.count)]


def later(play: Any) -> list[Any]:
    """What a game, match or series goes on to do: some steps, and all of them taken back."""
    chance, seen = random.Random(1), []
    for _ in range(4):
        if play.is_over:
            break
        play.push(any_step(play, chance))
        seen.append(picture(play))
    if not isinstance(play, reference.Game):
        seen.append(rs.Record(play).to_text())
    steps = len(play.steps if hasattr(play, "steps") else play.moves)
    for number in range(steps):
        seen.append(play.undo())
        if steps - number < 3 or number < 6 or number % 8 == 0:
            seen.append(picture(play))
    with pytest.raises(IndexError):
        play.undo()
    return seen


def interrupt_everywhere(
    make: Callable[[], Any], change: Callable[[Any], object], opcodes: bool
) -> tuple[int, int]:
    """Interrupt a change at all its events; at how many it had not been made, and had been."""
    one, other = make(), make()
    change(other)
    pictures = [picture(one), picture(other)]
    behaviour = [later(one), later(other)]
    met: list[Any] = []  # what a play holds, and whether the change had been made
    counts = [0, 0]
    play = make()
    while interrupt(change, play, sum(counts), opcodes):
        holds = contents(play)
        made = next((made for known, made in met if known == holds), None)
        if made is None:
            now = picture(play)
            assert now in pictures, f"event {sum(counts)}"
            made = pictures.index(now)
            assert later(play) == behaviour[made], f"event {sum(counts)}"
            met.append((holds, made))
        counts[made] += 1
        play = make()
    return counts[0], counts[1]


def played(make: Callable[[], Any], steps: list[Any]) -> Any:
    play = make()
    for step in steps:
        play.push(step)
    return play


def random_steps(make: Callable[[], Any], seed: int, most: int) -> list[Any]:
    play, chance, steps = make(), random.Random(seed), []
    while not play.is_over and len(steps) < most:
        steps.append(any_step(play, chance))
        play.push(steps[-1])
    return steps


def check(make: Callable[[], Any], steps: list[Any], opcodes: bool) -> tuple[int, int]:
    """Interrupt the last of these steps, and its undoing."""
    *past, last = steps
    pushed = interrupt_everywhere(lambda: played(make, past), lambda play: play.push(last), opcodes)
    undone = interrupt_everywhere(lambda: played(make, steps), lambda play: play.undo(), opcodes)
    assert min(*pushed, *undone) > 0
    return pushed[0] + undone[0], pushed[1] + undone[1]


PAIR = (2, 1, 0, 0, 0, 0)
"""On 2×3 a pair of seeds that goes round the ring for ever, one pit a move."""


def going_round(module: Any = rs, **options: Any) -> Any:
    return module.Position(rs.giuthi(3, setup=(2, 1, 1) * 2, **options), PAIR, (2, 3))


GAMES: dict[str, Callable[[Any], Any]] = {
    "no history": lambda m: m.Game(rs.giuthi(3, 2, repetition="off")),
    "by position": lambda m: m.Game(going_round(m, repetition="draw")),
    "by score": lambda m: m.Game(going_round(m, repetition="score")),
    "by turn": lambda m: m.Game(rs.giuthi(4, 3, repetition_scope="turn")),
    "within a turn": lambda m: m.Game(
        m.Position(
            rs.engehe(
                4,
                direction="either",
                end="both_stuck",
                uncrossed="moves_again",
                repetition_scope="turn",
            ),
            (1, 0, 0, 0, 1, 0, 0, 0),
            stores=(3, 1),
        )
    ),
    "row empty": lambda m: m.Game(rs.giuthi_wikipedia(3, 2)),
    "redistributions": lambda m: m.Game(rs.kiothi(pits=5, seeds=2, filled=3)),
    "protected": lambda m: m.Game(
        rs.kiothi(pits=3, seeds=1, filled=3, protection="until_owner_lifts", redistribution="none")
    ),
    "endless is a draw": lambda m: m.Game(rs.engehe(3, endless="draw", max_laps=9)),
}


@pytest.mark.parametrize("kind", GAMES)
def test_a_game(kind: str) -> None:
    """Its first move, one amid and the last at every opcode, the others by lines."""
    steps = random_steps(lambda: GAMES[kind](rs), 2, 9)
    some = {1, len(steps) // 2, len(steps)}
    for number in range(1, len(steps) + 1):
        check(lambda: GAMES[kind](rs), steps[:number], number in some)


@pytest.mark.parametrize("kind", ["by score", "by turn", "redistributions"])
def test_a_game_of_the_reference(kind: str) -> None:
    steps = random_steps(lambda: GAMES[kind](reference), 2, 4)
    check(lambda: GAMES[kind](reference), steps, opcodes=False)


MATCHES: dict[str, Callable[[], Any]] = {
    "wikipedia": lambda: rs.Match(rs.giuthi_wikipedia(5, 2), first=0),
    "short": lambda: rs.Match(rs.giuthi_wikipedia(4, 3), first=1, twice="short"),
    "leakey": lambda: rs.Match(rs.giuthi_leakey(4, 2), "leakey", first=0),
    "drawn": lambda: rs.Match(rs.giuthi(3, setup=(2, 1, 1) * 2, repetition="stores"), first=0),
    "series": lambda: rs.Series(rs.giuthi(3, 2), best_of=3),
    "one warrior": lambda: rs.Series(rs.kiothi(pits=4, filled=2, seeds=2), 2, 2),
    "without end": lambda: rs.Series(rs.engehe(3, 2)),
}


@pytest.mark.parametrize("kind", MATCHES)
def test_a_match(kind: str) -> None:
    """Steps that begin a round, end one or come after one at every opcode, some others by lines."""
    make = MATCHES[kind]
    steps = random_steps(make, 5, 40)
    play, parts = make(), []
    for step in steps:
        play.push(step)
        parts.append((len(getattr(play, "rounds", ())) or len(play.games), play.is_over, play.game))
    for number in range(1, len(steps) + 1):
        changes = parts[number - 1] != parts[number - 2]
        if changes or number % 5 == 1:
            check(make, steps[:number], opcodes=changes and number < 20)


# ----------------------------------------------------------------------------------------- batches

BATCHES: dict[str, Callable[[], rs.Batch]] = {
    "in lanes": lambda: rs.Batch(rs.giuthi(5, 6), 70, 1),
    "in lanes, exact": lambda: rs.Batch(rs.giuthi(8, 8), 20, 2, mask="exact"),
    "guarded lanes": lambda: rs.Batch(rs.giuthi(16, 10), 70, 3, autoreset="SameStep"),
    "few": lambda: rs.Batch(rs.giuthi(4, 8), 5, 4, mask="exact", autoreset="SameStep", max_moves=9),
    "by turn": lambda: rs.Batch(rs.giuthi(4, 3, repetition_scope="turn"), 20, 5, mask="exact"),
    "redistributions": lambda: rs.Batch(rs.kiothi(pits=5, seeds=2, filled=3), 70, 6),
    "kept over": lambda: rs.Batch(rs.giuthi(4, 4), 70, 7, autoreset="Disabled", illegal="report"),
}


def shown(batch: rs.Batch) -> list[Any]:
    """All that a batch shows."""
    names = (
        "observations mask rewards terminated truncated illegal final_observations scores winners "
        "ends lengths"
    )
    arrays = [getattr(batch, name).tolist() for name in names.split()]
    return [*arrays, [batch.position(row) for row in range(len(batch))]]


@pytest.fixture
def stops() -> Iterator[Callable[[int], None]]:
    """Stops the core where it asks for the so many-th time; it asks in every row."""
    yield _core._interrupt_at
    _core._interrupt_at(-1)


@pytest.mark.parametrize("kind", BATCHES)
def test_a_batch(kind: str, stops: Callable[[int], None]) -> None:
    """Steps, samples and resets that are stopped wherever the core asks for it have been made or
    have not, and 50 steps later all is as in a batch that was told the same in peace."""
    batch, twin, chance = BATCHES[kind](), BATCHES[kind](), random.Random(1)
    counts = [0, 0]

    def change(what: str, *given: Any) -> Any:
        changes, made = batch._changes, 0
        try:
            getattr(batch, what)(*given)
        except KeyboardInterrupt:
            stops(chance.choice((-1, 0, 5)))  # what is left may be stopped as well
            with suppress(KeyboardInterrupt):
                batch.position(0)
            stops(-1)
            made = batch._changes - changes
            counts[made] += 1
            if not made:
                getattr(batch, what)(*given)
        stops(-1)
        return getattr(twin, what)(*given)

    for number in range(550):
        for what in ("sample", "step", "reset")[: 3 if number % 9 == 5 else 2]:
            if number < 500:
                stops(int(10 ** chance.uniform(0, 3)) - 1)
            if what == "sample":
                actions = change("sample").copy()
            elif what == "step":
                if kind == "kept over":
                    actions[::5] = -1
                change("step", actions)
            else:
                change("reset", [chance.randrange(len(batch))])
        if number % 10 == 9:
            assert shown(batch) == shown(twin)
    assert min(counts) > 20, counts
