"""Changes that an exception interrupts, at any line or opcode: each has been made, or has not."""

from __future__ import annotations

import platform
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import relaysow as rs
from relaysow import _core, reference
from relaysow._core import LegalMoves
from relaysow.match import LayOuts, Round

PACKAGE = str(Path(rs.__file__).parent)


PURE = ("Position.", "sow_lap", "lap_by_lap", "CycleTest.", "legal_sowings", "candidates", "_judge")
"""What of the reference changes nothing, and takes most of its time."""


class Stop(BaseException):
    """An interruption, as Ctrl-C is one."""


def interrupt(change: Callable[[Any], object], play: Any, at: int, opcodes: bool = False) -> bool:
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
    if isinstance(value, (LegalMoves, reference.LegalMoves)):  # which may be too many
        return value.count, list(value) if value.count < 100 else [value[0], value[-1]]
    if isinstance(value, (rs.Game, reference.Game, rs.Match, rs.Series, Round)):
        names = [name for name in dir(value) if not name.startswith("_")]
        found = {name: getattr(value, name) for name in names}
        return repr(value).partition(" object at ")[0], {
            name: picture(each) for name, each in found.items() if not callable(each)
        }
    return value


def decided(play: Any) -> Any:
    """All that decisions tell of themselves."""
    return (
        (play.past, play.partial, play.position, play.mover, play.over, play.legal_actions()),
        (play.observation(0), play.observation(1), picture(play.game)),
    )


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
    "within a turn": lambda m: m.Game(
        m.Position(
            rs.engehe(
                4,
                direction="either",
                end="both_stuck",
                uncrossed="moves_again",
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


@pytest.mark.parametrize("kind", ["by score", "by position", "redistributions"])
def test_a_game_of_the_reference(kind: str) -> None:
    steps = random_steps(lambda: GAMES[kind](reference), 2, 4)
    check(lambda: GAMES[kind](reference), steps, opcodes=False)


@pytest.mark.parametrize("draw", ["word", "below", "below_any"])
def test_the_generator_of_the_reference(draw: str) -> None:
    """Interrupted at every opcode, it has given the number or has not."""

    def change(chance: reference.Chance) -> int:
        drawn: int = chance.word() if draw == "word" else getattr(chance, draw)(2**31)
        return drawn

    one, other = reference.Chance(1, 2), reference.Chance(1, 2)
    change(other)
    ways = [[chance.word() for _ in range(4)] for chance in (one, other)]
    counts = [0, 0]
    while interrupt(change, chance := reference.Chance(1, 2), sum(counts), opcodes=True):
        counts[ways.index([chance.word() for _ in range(4)])] += 1
    assert min(counts) > 0


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
    """The first steps that begin, end or follow a round at every opcode, some others by lines."""
    make = MATCHES[kind]
    steps = random_steps(make, 5, 24)
    play, parts = make(), []
    for step in steps:
        play.push(step)
        parts.append((len(getattr(play, "rounds", ())) or len(play.games), play.is_over, play.game))
    begun = [n for n in range(1, len(steps)) if parts[n - 1] != parts[n - 2]]
    for number in {1, 2, *begun[1:6], len(steps)}:
        check(make, steps[:number], opcodes=number in begun[1:3])


@pytest.mark.parametrize("redistribution", ["two", "up_to_two", "none"])
def test_decisions(redistribution: str) -> None:
    """Those of OpenSpiel's states: pushed or taken back, at every line."""
    from relaysow.envs.decisions import Decisions

    rules = rs.kiothi(pits=4, seeds=1, filled=2, redistribution=redistribution)
    chance, play, actions = random.Random(4), Decisions(rules.start()), []
    while not play.over and len(actions) < 9:
        actions.append(chance.choice(play.legal_actions()))
        play.push(actions[-1])

    def to_the_start(play: Any) -> list[Any]:
        return [(play.undo(), decided(play)) for _ in play.past]

    for number in (1, 4, len(actions)):
        past = tuple(actions[: number - 1])
        changes: list[tuple[tuple[int, ...], Callable[[Any], object]]] = [
            (past, lambda play: play.push(actions[number - 1])),  # noqa: B023
            ((*past, actions[number - 1]), lambda play: play.undo()),
        ]
        for first, change in changes:
            one, other = (Decisions(rules.start(), actions=first) for _ in range(2))
            change(other)
            states = [decided(one), decided(other)]
            ways = [to_the_start(one), to_the_start(other)]
            counts = [0, 0]
            while interrupt(change, play := Decisions(rules.start(), actions=first), sum(counts)):
                made = states.index(decided(play))
                assert to_the_start(play) == ways[made]
                counts[made] += 1
            assert min(counts) > 0


# ----------------------------------------------------------------------------------------- batches

BATCHES: dict[str, Callable[[], rs.Batch]] = {
    "in lanes": lambda: rs.Batch(rs.giuthi(5, 6), 70, 1),
    "in lanes, exact": lambda: rs.Batch(rs.giuthi(8, 8), 20, 2, mask="exact"),
    "guarded lanes": lambda: rs.Batch(rs.giuthi(16, 10), 70, 3, autoreset="SameStep"),
    "few": lambda: rs.Batch(rs.giuthi(4, 8), 5, 4, mask="exact", autoreset="SameStep", max_moves=9),
    "redistributions": lambda: rs.Batch(rs.kiothi(pits=5, seeds=2, filled=3), 70, 6),
    "kept over": lambda: rs.Batch(rs.giuthi(4, 4), 70, 7, autoreset="Disabled", illegal="report"),
    "threads": lambda: rs.Batch(rs.giuthi(5, 6), 448, 8, threads=2),
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
    drawn = batch.sample()  # always the same array
    twin.sample()

    def change(what: str, *given: Any) -> Any:
        changes, made = batch._changes + batch._samples, 0
        try:
            getattr(batch, what)(*given)
        except KeyboardInterrupt:
            stops(chance.choice((-1, 0, 5)))  # what is left may be stopped as well
            with suppress(KeyboardInterrupt):
                batch.position(0)
            stops(-1)
            made = batch._changes + batch._samples - changes
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
                assert (drawn == actions).all()
            elif what == "step":
                if kind == "kept over":
                    actions[::5] = -1
                change("step", actions)
            else:
                change("reset", [chance.randrange(len(batch))])
        if number % 10 == 9:
            assert shown(batch) == shown(twin)
    assert min(counts) > 20, counts


NO_MORE_THREADS = """
import resource
import numpy as np
import relaysow as rs
from relaysow import _core

batch, twin = (rs.Batch(rs.giuthi(5, 6), 448, 8, threads=2) for _ in range(2))
actions, limits = np.zeros(448, np.int64), resource.getrlimit(resource.RLIMIT_AS)
for number in range(40):
    _core._interrupt_at(number % 4)
    try:
        batch.sample(actions)
    except KeyboardInterrupt:
        _core._interrupt_at(-1)
        size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + (1 << 27), limits[1]))
        batch.position(0)
        resource.setrlimit(resource.RLIMIT_AS, limits)
    _core._interrupt_at(-1)
    assert (twin.sample() == actions).all(), number
    assert (batch.step(actions)[0] == twin.step(actions)[0]).all(), number
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="it is told how large threads are")
def test_one_thread_finishes_what_two_began() -> None:
    """A batch finishes a sample on its own where the system allows no thread any more, though the
    groups of rows that go together are others then."""
    limited = ["sh", "-c", 'ulimit -s 262144 && exec "$@"', "sh"]
    subprocess.run([*limited, sys.executable, "-c", NO_MORE_THREADS], check=True, timeout=60)


# ------------------------------------------------------------------------------------ environments


class Script:
    """What an environment is told, one call after the other, and what it says to each."""

    def __init__(self, make: Callable[[], Any], calls: int) -> None:
        self.make, self.told, self.said = make, [], []
        env, chance = make(), random.Random(3)
        told: Any = ("reset", 11)
        for _ in range(calls):
            self.told.append(told)
            self.said.append(tell(env, told))
            told = following(env, self.said[-1], chance)

    def played(self, calls: int) -> Any:
        """An environment after so many calls."""
        env = self.make()
        for told in self.told[:calls]:
            tell(env, told)
        return env

    def goes_on(self, env: Any, calls: int, further: int) -> bool:
        """Whether an environment says what it should after so many calls."""
        try:
            return all(
                tell(env, told) == said
                for told, said in zip(
                    self.told[calls : calls + further],
                    self.said[calls : calls + further],
                    strict=True,
                )
            )
        except (rs.IllegalMove, ValueError, KeyError):  # an action for another position
            return False

    def check(self, calls: int, interrupt: Callable[..., bool], further: int = 50) -> list[int]:
        """Interrupt the call after so many wherever it can be; how often it was not made, or was."""
        counts = [0, 0]
        met: list[Any] = []  # what an environment keeps, and whether the call had been made

        def change(env: Any) -> None:
            tell(env, self.told[calls])

        while True:
            event = sum(counts)
            env = self.played(calls)
            if not interrupt(change, env, event):
                return counts
            keeps = kept(env)
            made = next((made for known, made in met if known == keeps), None)
            if made is None:
                made = self.goes_on(env, calls + 1, further)
                if not made:
                    env = self.played(calls)
                    interrupt(change, env, event)
                    assert self.goes_on(env, calls, further), f"call {calls}, event {event}"
                met.append((keeps, made))
            counts[made] += 1


def plain(value: Any) -> Any:
    """A value whose equality is that of all it holds."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value.tolist() if hasattr(value, "tolist") else value


def kept(env: Any) -> Any:
    """What an environment keeps, and how often its batch was changed: what it does depends on
    nothing else."""
    if hasattr(env, "agent_selection"):
        return object()  # and on the generators of its spaces

    def of(value: Any) -> Any:
        if isinstance(value, np.random.Generator):
            return value.bit_generator.state
        if isinstance(value, random.Random):
            return value.getstate()
        if isinstance(value, tuple) and len(value) == 5 and isinstance(value[0], rs.Batch):
            return value[1:3]  # what is noted for the next change
        return plain(contents(value))

    held = {name: of(value) for name, value in vars(env).items() if name not in ("batch", "_game")}
    batch = env.batch if hasattr(env, "batch") else env._game.batch
    return batch._changes, batch._samples, held


def tell(env: Any, told: tuple[str, Any]) -> Any:
    """Tell an environment to reset or to step; what it then says."""
    what, given = told
    said = env.reset(seed=given) if what == "reset" else env.step(given)
    if said is None:  # PettingZoo's
        seen = [env.observe(agent) for agent in env.agents]
        said = (env.agent_selection, env.rewards, env._cumulative_rewards, env.terminations)
        said = (*said, env.truncations, env.infos, env.agents, seen)
    return plain(said)


def following(env: Any, said: Any, chance: random.Random) -> tuple[str, Any]:
    """What may be told next."""
    if hasattr(env, "agent_selection"):
        if not env.agents:
            return "reset", None
        agent = env.agent_selection
        if env.terminations[agent] or env.truncations[agent]:
            return "step", None
        masks = [env.observe(agent)["action_mask"].tolist()]
    else:
        masks = said[-1]["action_mask"]
        masks = masks if hasattr(env, "num_envs") else [masks]
        if (len(masks) == 1 and not any(masks[0])) or chance.random() < 0.03:
            return "reset", None
    actions = [
        chance.choice([a for a, may in enumerate(mask) if may]) if any(mask) else 0
        for mask in masks
    ]
    return "step", np.array(actions) if hasattr(env, "num_envs") else actions[0]


def first_legal(_: Any, mask: Any) -> Any:
    """An opponent: the first legal action, in one game or in each of many."""
    return mask.argmax(axis=-1)


def env(**arguments: Any) -> Any:
    from relaysow.envs import Env

    return Env(**{"rules": "giuthi", "pits": 4, "seeds": 2, **arguments})


def envs(**arguments: Any) -> Any:
    from relaysow.envs import VectorEnv

    return VectorEnv(**{"rules": "giuthi", "pits": 4, "seeds": 2, "num_envs": 4, **arguments})


def aec(**arguments: Any) -> Any:
    from relaysow.envs import AEC

    return AEC(**arguments)


KIOTHI: dict[str, Any] = {"rules": "kiothi", "pits": 5, "seeds": 2, "filled": 3}

ENVS: dict[str, Callable[[], Any]] = {
    "random": lambda: env(player=None),
    "greedy": lambda: env(opponent="greedy", player=1),
    "search": lambda: env(opponent="search:depth=1", player=None),
    "function": lambda: env(opponent=first_legal, player=1),
    "both": lambda: env(opponent=None),
    "redistributions": lambda: env(**KIOTHI, player=None),
    "many, both": lambda: envs(opponent=None),
    "many, both, anew": lambda: envs(opponent=None, autoreset_mode="SameStep"),
    "many": lambda: envs(player=None),
    "many, anew": lambda: envs(player=None, autoreset_mode="SameStep"),
    "many, function": lambda: envs(opponent=first_legal, illegal="report", mask="candidates"),
    "agents": lambda: aec(rules="giuthi", pits=4, seeds=2),
    "agents, cut": lambda: aec(**KIOTHI, max_cycles=12),
}


@pytest.mark.parametrize("kind", ENVS)
def test_an_environment(kind: str, stops: Callable[[int], None]) -> None:
    """A step, the last one of a game and a reset, at every line and wherever the core asks: 50 calls
    later all is as if the call had been made, or as if not."""

    def in_core(change: Callable[[Any], object], env: Any, ask: int) -> bool:
        stops(ask)
        try:
            change(env)
        except KeyboardInterrupt:
            return True
        finally:
            stops(-1)
        return False

    script = Script(ENVS[kind], 110)
    reset = next(at for at, (what, _) in enumerate(script.told) if at > 3 and what == "reset")
    assert reset < 60
    counts = [0, 0]
    for calls in (3, reset - 1, reset):
        for way in (interrupt, in_core):
            counts = [a + b for a, b in zip(counts, script.check(calls, way), strict=True)]
    assert min(counts) > 10, counts
