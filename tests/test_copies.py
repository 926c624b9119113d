"""Copies: a copied or pickled object plays on as the original would and shares nothing with it, or
refuses and says why."""

from __future__ import annotations

import copy
import inspect
import math
import pickle
import pkgutil
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relaysow as rs
from relaysow import check, match, reference
from relaysow import rules as rules_module
from relaysow.envs.decisions import Decisions
from relaysow.reference import sowing
from relaysow.reference.simulate import GameRow
from relaysow.simulation import summary
from relaysow.text import svg as pictures


def pickled(protocol: int, given: Any) -> Any:
    return pickle.loads(pickle.dumps(given, protocol))


WAYS: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{
        f"pickle {protocol}": partial(pickled, protocol)
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
    },
}
LAST = pickle.HIGHEST_PROTOCOL

SMALL = rs.Position(rs.giuthi(pits=3, seeds=2), [2, 0, 1, 0, 1, 2])
CASES = {
    "giuthi": rs.giuthi(pits=5, seeds=4),
    "turns": rs.giuthi(pits=3, seeds=2, chain="none"),
    "duties": rs.giuthi(4, 3, extra_direction="opposite", extra_pit="not_origin"),
    "kiothi": rs.kiothi(seeds=2, filled=2, pits=3),
    "engehe": rs.engehe(pits=5, seeds=3),
}


# -- what an object is, as far as one can see, and how it is played on


def told(given: Any) -> Any:
    """All that the public attributes of an object tell, in numbers and words."""
    if isinstance(given, np.ndarray):
        return given.dtype.str, given.flags.writeable, given.tolist()
    if isinstance(given, float) and math.isnan(given):
        return "nan"
    if given is None or isinstance(given, (str, int, float)) or callable(given):
        return given
    if isinstance(given, dict):
        return [(told(key), told(value)) for key, value in given.items()]
    if isinstance(given, (list, tuple)):
        return [told(one) for one in given]
    if isinstance(given, (rs.LegalMoves, reference.LegalMoves, rs.LayOuts)):
        few = [told(given[i]) for i in range(min(given.count, 5))]
        return type(given), given.count, few, repr(given)
    shown = "" if " object at 0x" in repr(given) else (repr(given), str(given))
    if isinstance(given, (rs.Position, reference.Position)):
        seen = (given.passed, given.end, given.winner, given.final_stores, given.legal_moves.count)
        return type(given), shown, seen
    names = [name for name in dir(given) if not name.startswith("_")]
    if isinstance(given, reference.Chance):
        names = [*vars(given)]
    values = {name: getattr(given, name, None) for name in names}
    return type(given), shown, {k: told(v) for k, v in values.items() if not callable(v)}


def step(given: Any, chance: random.Random) -> None:
    """Play on by one step, of those that there are."""
    if isinstance(given, reference.Chance):
        given.word()
    elif isinstance(given, Decisions):
        if given.legal_actions():
            given.push(chance.choice(given.legal_actions()))
    elif isinstance(given, rs.Match) and given.due == "lay_out":
        assert given.layouts is not None
        given.push(rs.Shorten() if given.may_shorten else rs.LayOut(given.layouts.draw(chance)))
    elif not given.is_over:
        moves = given.game.legal_moves if hasattr(given, "game") else given.legal_moves
        given.push(moves[chance.randrange(moves.count)])


def played(given: Any, steps: int, seed: int = 1) -> Any:
    chance = random.Random(seed)
    for _ in range(steps):
        step(given, chance)
    return given


# -- samples of every class


def games(module: Any) -> Iterator[Any]:
    for rules in CASES.values():
        for steps in (0, 30):
            yield played(module.Game(rules), steps)


def matches() -> Iterator[rs.Match]:
    for scheme in ("wikipedia", "leakey"):
        for steps in (0, 40):
            yield played(
                rs.Match(rs.giuthi(pits=4, seeds=3), scheme, first=1, twice="short"), steps
            )


def series() -> Iterator[rs.Series]:
    for steps in (0, 50):
        yield played(rs.Series(rs.giuthi_pratt(), best_of=5, one_warrior=2, first=1), steps)


def records() -> Iterator[rs.Record]:
    tags, comments = {"South": "greedy", "Date": "1972"}, {0: "begun", 3: "there"}
    for made in (*games(rs), *matches(), *series()):
        steps = getattr(made, "steps", None) or getattr(made, "moves", ())
        yield rs.Record(made, tags, comments if len(steps) >= 3 else {}, ("line 1",))


def positions(module: Any) -> Iterator[Any]:
    for game in games(module):
        yield game.position
    rules = rs.giuthi(pits=3, seeds=2, endless="draw")
    yield module.Position(rules, [0, 2, 0, 1, 0, 0], drawn=True)
    yield module.Position(rs.giuthi(pits=5, seeds=4), (0, 1, 0, 1, 0, 0, 2, 0, 0, 1))  # a pass


def sowings(module: Any) -> Iterator[Any]:
    for game in games(module):
        if not game.is_over:
            yield game.position.sow(game.legal_moves[-1])


def legal_moves(module: Any) -> Iterator[Any]:
    yield module.Position.start(rs.kiothi()).legal_moves
    for position in positions(module):
        yield position.legal_moves


def layouts() -> Iterator[rs.LayOuts]:
    yield rs.LayOuts(player=1, seeds=9, pits=5)
    yield rs.LayOuts(player=0, seeds=9, pits=3, faced=(2, 0, 1), twice=True)


def simulations() -> Iterator[rs.Simulation]:
    yield rs.simulate(CASES["giuthi"], 20, seed=3, policy=("random", "greedy"))
    yield rs.simulate(SMALL, 5, engine="reference", max_moves=9)


TABLES: list[rs.Tablebase] = []


@pytest.fixture(scope="module", autouse=True)
def _table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    path = tmp_path_factory.mktemp("tables") / "small"
    with rs.Tablebase.build(rs.giuthi(pits=3, seeds=1), 3, path) as table:
        TABLES[:] = [table]
        yield


SIMULATED = rs.simulate_match(rs.giuthi(pits=4, seeds=3), matches=4)
SEARCHED = rs.analyse(SMALL, depth=4, lines=2)
SAMPLES: dict[type, Callable[[], Any]] = {
    rs.Rules: lambda: [*CASES.values(), *(make() for make in rs.RULE_SETS.values())],
    rs.Position: partial(positions, rs),
    rs.LegalMoves: partial(legal_moves, rs),
    rs.Sow: lambda: [rs.Sow(1), rs.Sow(2, 3, "cw")],
    rs.Redistribute: lambda: [CASES["kiothi"].start().legal_moves[7]],
    rs.Sowing: partial(sowings, rs),
    rs.Lap: lambda: [SMALL.sow(SMALL.legal_moves[0]).path[0]],
    rs.Outcome: lambda: [rs.Outcome(0, (6, 2), "swept")],
    rs.Game: partial(games, rs),
    rs.Match: matches,
    match.Round: lambda: [one for made in matches() for one in made.rounds],
    rs.Series: series,
    rs.Record: records,
    rs.LayOut: lambda: [rs.LayOut((1, 0, 3))],
    rs.LayOuts: layouts,
    rs.Shorten: lambda: [rs.Shorten()],
    rs.Simulation: simulations,
    rs.Summary: lambda: [one.summary() for one in simulations()],
    summary.Rate: lambda: [summary.Rate.of(3, 10)],
    summary.Spread: lambda: [summary.Spread(1.5, 1.0, 4)],
    rs.MatchSimulation: lambda: [SIMULATED],
    match.MatchSummary: lambda: [SIMULATED.summary()],
    rs.Value: lambda: [rs.Value(1, -math.inf, -8)],
    rs.Solution: lambda: [rs.solve(SMALL)],
    rs.Analysis: lambda: [SEARCHED],
    rs.Line: lambda: SEARCHED.lines,
    rs.Puzzle: lambda: [rs.Puzzle(SMALL, "win", (SMALL.legal_moves[0],))],
    rs.Tablebase: lambda: TABLES,
    rs.IllegalMove: lambda: [rs.IllegalMove("illegal move")],
    rs.NotationError: lambda: [rs.NotationError("line 1, column 2: move")],
    rs.PositionError: lambda: [rs.PositionError("pits")],
    rs.RulesError: lambda: [rs.RulesError("lift")],
    rs.TablebaseError: lambda: [rs.TablebaseError("it is empty")],
    rs.AnalysisInterrupted: lambda: [rs.AnalysisInterrupted(SEARCHED)],
    rs.SimulationInterrupted: lambda: [rs.SimulationInterrupted(next(simulations()), 99)],
    check.Report: lambda: [check.check(SMALL, games=1)],
    check.CheckInterrupted: lambda: [check.CheckInterrupted(check.Report("giuthi"))],
    pictures.Picture: lambda: [rs.svg(SMALL)],
    Decisions: lambda: [played(Decisions(rules.start()), 25) for rules in CASES.values()],
    reference.Position: partial(positions, reference),
    reference.LegalMoves: partial(legal_moves, reference),
    reference.Game: partial(games, reference),
    reference.Chance: lambda: [reference.Chance(1, 2)],
    GameRow: lambda: [GameRow(1, 2, 3, 4)],
    sowing.CycleTest: lambda: [sowing.CycleTest(CASES["giuthi"])],
    sowing.Lift: lambda: [sowing.Lift((1, 2), 0, 1, "cw")],
    sowing.Laps: lambda: [sowing.sow_laps(CASES["giuthi"], 0, sowing.Lift((4,) * 10, 0, 4, "cw"))],
}
PLAYED = (rs.Game, rs.Match, rs.Series, reference.Game, reference.Chance, Decisions)
REFUSED = (rs.Batch,)
"""They refuse, as told below."""


def test_no_class_is_forgotten() -> None:
    files = [
        import_module(f"relaysow.reference.{file.name}")
        for file in pkgutil.iter_modules(reference.__path__)
    ]
    classes = {
        one
        for module, names in [(rs, rs.__all__), *((file, vars(file)) for file in files)]
        for name in names
        if inspect.isclass(one := getattr(module, name))
        and not name.startswith("_")
        and (module is rs or one.__module__.startswith("relaysow.reference"))
    }
    assert classes - {*SAMPLES, *REFUSED} == set()


@pytest.mark.parametrize("kind", SAMPLES, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_a_copy_is_like_the_original(kind: type) -> None:
    for sample in SAMPLES[kind]():
        assert type(sample) is kind
        seen = told(sample)
        for name, way in WAYS.items():
            again = way(sample)
            assert (name, type(again)) == (name, kind)
            assert told(again) == seen, name
            if kind not in (match.Round, sowing.CycleTest, *PLAYED) and kind.__eq__ not in (
                object.__eq__,
                BaseException.__eq__,
            ):
                assert again == sample, name
            if isinstance(sample, (rs.Rules, rs.Position, reference.Position, rs.Sow)):
                assert hash(again) == hash(sample), name


@pytest.mark.parametrize("kind", PLAYED, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_a_copy_plays_on_by_itself(kind: type) -> None:
    """50 steps on a copy do not show in the original; the same steps there come to the same."""
    for sample in SAMPLES[kind]():
        for name in ("copy", "deepcopy", f"pickle {LAST}"):
            way, original = WAYS[name], copy.deepcopy(sample)
            seen, again = told(original), way(original)
            later = told(played(again, 50, seed=2))
            played(way(original), 20, seed=3)
            assert (told(original), told(again)) == (seen, later), name
            assert told(played(original, 50, seed=2)) == later, name
            if hasattr(again, "undo"):
                steps = [
                    *(getattr(again, "past", None) or getattr(again, "steps", None) or again.moves)
                ]
                taken = [again.undo() for _ in steps]
                assert told(original) == later, name
                assert [original.undo() for _ in steps] == taken, name
                assert told(original) == told(again), name


class MyGame(rs.Game):
    """A subclass with something of its own."""

    def __init__(self) -> None:
        super().__init__(CASES["giuthi"])
        self.seen: list[int] = []


class MyMatch(rs.Match):
    def __init__(self) -> None:
        super().__init__(CASES["giuthi"], first=0)
        self.seen: list[int] = []


@pytest.mark.parametrize("make", [MyGame, MyMatch])
def test_a_copy_keeps_what_a_subclass_has(make: type) -> None:
    for name in ("deepcopy", "pickle 2", f"pickle {LAST}"):
        sample = played(make(), 30)
        sample.seen.append(1)
        again = WAYS[name](sample)
        assert (type(again), again.seen, told(again)) == (make, [1], told(sample))
        again.seen.append(2)
        assert sample.seen == [1]


def test_a_long_game_is_copied_at_once() -> None:
    game, chance = rs.Game(rs.giuthi(repetition="off")), random.Random(1)
    while len(game.moves) < 1_000:
        here = game.position
        quiet = [move for move in here.legal_moves if here.play(move).stores == here.stores]
        game.push(chance.choice(quiet or [*here.legal_moves]))

    def seconds(make: Callable[[], rs.Game]) -> float:
        begun = time.perf_counter()
        assert make().moves == game.moves
        return time.perf_counter() - begun

    def played_again() -> rs.Game:
        again = rs.Game(game.start)
        for move in game.moves:
            again.push(move)
        return again

    once = min(seconds(played_again) for _ in range(5))
    for name, way in WAYS.items():  # at most twice as long as the moves take
        assert min(seconds(partial(way, game)) for _ in range(5)) < 20 * once, name


def test_what_holds_others_shares_nothing_that_changes() -> None:
    """A play in a record, the games in a round and the dicts of results go their own way."""
    for name, way in WAYS.items():
        for record in records():
            again = way(record)
            seen = record.to_text()
            played(again.play, 20)
            assert record.to_text() == seen, name
            with pytest.raises(TypeError):
                again.tags["South"] = "random"
        one = played(rs.Match(CASES["giuthi"], first=0), 3).round
        again = way(one)
        again.game.undo()
        again.rows[0] = None
        assert (len(one.game.moves), one.rows[0]) == (3, (4,) * 5), name
        result = next(simulations())
        for found, inside in ((rs.solve(SMALL), "moves"), (result.summary(), "ends")):
            seen = told(found)
            getattr(way(found), inside).clear()
            assert told(found) == seen, name
    table = import_module("relaysow.cli.terminal_game").TerminalGame(CASES["giuthi"], seed=1)
    for way in (copy.copy, copy.deepcopy):
        played(way(table)._game, 3)
        assert table._game.moves == ()


def test_columns_stay_read_only() -> None:
    for result in (*simulations(), SIMULATED):
        for name, way in WAYS.items():
            again = way(result)
            for column in (field for field in again.__slots__ if field != "start"):
                values = getattr(again, column)
                if isinstance(values, np.ndarray):
                    assert not values.flags.writeable, (name, column)
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(SIMULATED, 5, buffer_callback=buffers.append)
    again = pickle.loads(data, buffers=[bytearray(buffer.raw()) for buffer in buffers])
    assert len(buffers) == 6
    assert not again.winner.flags.writeable
    assert told(again) == told(SIMULATED)


# -- tables of values


def test_a_copied_table_is_open_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy opens the same file, wherever the process has gone, and is closed by itself."""
    rules = rs.giuthi(pits=3, seeds=1)
    position = rs.Position(rules, [2, 0, 1, 0, 0, 0])
    rs.Tablebase.build(rules, 3, tmp_path / "table").close()
    monkeypatch.chdir(tmp_path)
    for way, in_memory in product(WAYS.values(), (False, True)):
        with rs.Tablebase.open("table", in_memory=in_memory) as table:
            value = table.probe(position)
            monkeypatch.chdir("/")
            again = way(table)
            monkeypatch.chdir(tmp_path)
            assert again.probe(position) == value
        assert (again.probe(position), again.in_memory) == (value, in_memory)
        again.close()
        for closed in (table, again):
            with pytest.raises(TypeError, match="a closed table cannot be copied or pickled: open"):
                way(closed)


def test_a_pickled_table_must_be_what_it_was(tmp_path: Path) -> None:
    rules, path = rs.giuthi(pits=3, seeds=1), tmp_path / "table"
    with rs.Tablebase.build(rules, 3, path) as table:
        data = pickle.dumps(table)
    for other, most in ((rules, 2), (rs.engehe(pits=3, seeds=1), 3)):
        path.unlink()
        rs.Tablebase.build(other, most, path).close()
        with pytest.raises(rs.TablebaseError, match=r"it is of .* seeds, and was of giuthi\("):
            pickle.loads(data)
    path.unlink()
    with pytest.raises(FileNotFoundError, match="table"):
        pickle.loads(data)


# -- pickles of other versions, and of other origin


def reduced(rules: rs.Rules) -> tuple[Any, dict[str, Any]]:
    make, (options,) = rules.__reduce__()
    return make, dict(options)


def test_rules_are_pickled_by_names(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = rs.kiothi(chain="next")
    make, options = reduced(rules)
    assert make(dict(reversed(options.items()))) == rules
    with pytest.raises(rs.RulesError, match=r"^pickled rules have 'sound', which is no option"):
        make(options | {"sound": "loud"})
    for name in options:
        fewer = {other: value for other, value in options.items() if other != name}
        if name in rules_module.ADDED:  # as in pickles made before there was such an option
            assert make(fewer) == rules == replace(rules, **{name: rules_module.ADDED[name]})
            continue
        with pytest.raises(rs.RulesError, match=f"^pickled rules lack '{name}': what they meant"):
            make(fewer)
    del options["chain"]
    monkeypatch.setitem(rules_module.ADDED, "chain", "none")
    assert make(reduced(rules)[1]) == rules
    assert make(options) == rs.kiothi(chain="none")
    with pytest.raises(TypeError, match="must be a dict of options, not"):
        make(())


# Of the first rules that were pickled; an option that came later has to be in ADDED.
FIRST_OPTIONS = (
    *("pits", "setup", "minimum_lift", "lift", "direction", "relay", "origin", "first_lap"),
    *("uncrossed", "extra_direction", "extra_pit", "lone_seed", "chain", "bonus", "protection"),
    *("redistribution", "end", "repetition", "endless", "max_laps"),
)


@pytest.mark.parametrize("name", rs.RULE_SETS)
def test_rules_that_were_pickled_first_are_read(name: str) -> None:
    """Whatever rules an option has been added to since are those without it."""
    rules = rs.RULE_SETS[name]()
    make, options = reduced(rules)
    assert make({option: options[option] for option in FIRST_OPTIONS}) == rules
    assert {*options} - {*FIRST_OPTIONS} <= {*rules_module.ADDED}


class Crafted:
    """A pickle that calls what it likes with what it likes."""

    def __init__(self, *reduction: Any) -> None:
        self.reduction = reduction

    def __reduce__(self) -> Any:
        return self.reduction


def unmade(kind: type) -> Any:
    return kind.__new__(kind)


ODD: tuple[Any, ...] = (
    *(None, True, -1, 2**70, 1.5, math.nan, "ccw", b"x", (), [], {}, {"pits": 3}),
    *((1,), (None,) * 3, ((), True), ((None,) * 9, True), (SMALL,), (SMALL, False), [3, 4]),
)


def test_crafted_pickles_are_refused_or_harmless() -> None:
    """No pickle makes an object of ours that crashes, nor rules, moves or positions that cannot be."""
    make = rs.Sow.__reduce__(rs.Sow(0))[0]
    game = rs.Game(CASES["giuthi"])
    unlike = [{}, {"begun": (), "steps": (), "rest": {}, "more": 0}]
    unlike += [
        {"begun": (game.start,), "steps": steps, "rest": {}} for steps in (None, [0], [rs.Sow(9)])
    ]
    for state in (None, [], *unlike):
        for kind in (rs.Game, rs.Match, rs.Series):
            with pytest.raises((TypeError, ValueError)):
                pickle.loads(pickle.dumps(Crafted(unmade, (kind,), state or 0)))
    harmless = 0
    for odd in ODD:
        calls = [(kind, odd) for kind in (rs.Sow, rs.Redistribute, rs.LayOut, make)]
        calls += [(rs.Rules, ()), (reduced(SMALL.rules)[0], (odd,))]
        states = (rs.Position, rs.LegalMoves, rs.Game, rs.Match, rs.Series)
        crafted = [
            Crafted(kind, args if isinstance(args, tuple) else (args,)) for kind, args in calls
        ]
        crafted += [Crafted(unmade, (kind,), odd) for kind in states]
        for one in crafted:
            try:
                given = pickle.loads(pickle.dumps(one))
            except (TypeError, ValueError, AttributeError, pickle.UnpicklingError):
                continue
            harmless += 1
            for use in (repr, told, hash, SMALL.play, rs.Game, copy.copy):
                try:
                    use(given)
                except (TypeError, ValueError, AttributeError, IndexError):
                    continue
    assert harmless > 10


@pytest.mark.parametrize("make", [MyGame, MyMatch, partial(rs.Series, SMALL.rules)])
def test_a_crafted_pickle_sets_nothing_that_a_play_has_itself(make: Any) -> None:
    play = played(make(), 3)
    state = play.__getstate__()
    inner = vars(play).keys() - state["rest"]
    assert inner
    for name in inner:
        rest = {**state["rest"], name: None}
        crafted = pickle.dumps(Crafted(unmade, (type(play),), {**state, "rest": rest}))
        with pytest.raises(TypeError, match=f"sets what is its own: '{name}'$"):
            pickle.loads(crafted)


# -- what refuses


def test_a_batch_refuses() -> None:
    batch = rs.Batch(CASES["giuthi"], 2)
    for _ in range(2):
        for way in WAYS.values():
            with pytest.raises(TypeError, match=r"a Batch cannot be pickled or copied: keep the"):
                way(batch)
        batch.step(batch.sample())


def test_generators_refuse() -> None:
    for way in WAYS.values():
        with pytest.raises(TypeError, match="generator"):
            way(rs.puzzles(rs.giuthi(pits=4, seeds=4), 8))


def test_iterators_of_moves_go_on_by_themselves() -> None:
    for position in (SMALL, rs.kiothi().start()):
        for name, way in WAYS.items():
            moves = iter(position.legal_moves)
            first, again = next(moves), way(moves)
            if name != "copy":  # of Python's own `map` that has the same range inside
                assert next(again) == next(moves) != first


# -- environments


def make_environments() -> dict[str, Callable[[], Any]]:
    gymnasium, pettingzoo = pytest.importorskip("gymnasium"), pytest.importorskip("pettingzoo")
    envs: Any = import_module("relaysow.envs")
    giuthi = "relaysow/Giuthi-v0"
    return {
        "Env": lambda: envs.Env("giuthi", pits=5, seeds=4, opponent="greedy", max_moves=9),
        "AEC": lambda: envs.AEC(rs.kiothi(), max_cycles=50),
        "VectorEnv": lambda: envs.VectorEnv("giuthi", 3, opponent=None, illegal="report"),
        "VectorEnv against": lambda: envs.VectorEnv("giuthi", 3, player=None),
        "make": lambda: gymnasium.make(giuthi, pits=5, seeds=4),
        "make_vec": lambda: gymnasium.make_vec(giuthi, num_envs=2),
        "aec": lambda: pettingzoo.make("aec", giuthi, pits=5),
        "aec, lose": lambda: pettingzoo.make("aec", giuthi, illegal="lose"),
    }


def run(env: Any, steps: int) -> list[Any]:
    """What some steps of an environment tell, the same every time."""
    if hasattr(env, "agent_iter"):
        env.reset(seed=4)
        seen = []
        for agent in env.agent_iter(steps):
            observation, *rest = env.last()
            over = rest[1] or rest[2]
            sample = env.action_space(agent).sample(observation["action_mask"])
            env.step(None if over else sample)
            seen.append([agent, told(observation), told(rest), over or sample])
        return seen
    observation, info = env.reset(seed=4)
    seen = [told(observation), told(info)]
    for _ in range(steps):
        mask = info["action_mask"]
        action = mask.argmax(axis=-1)
        observation, reward, terminated, truncated, info = env.step(action)
        seen += [told(observation), told(reward), told(terminated), told(info)]
        if np.ndim(terminated) == 0 and (terminated or truncated):
            break
    return seen


NAMES = ["Env", "AEC", "VectorEnv", "VectorEnv against", "make", "make_vec", "aec", "aec, lose"]


@pytest.mark.parametrize("name", NAMES)
def test_an_environment_is_copied_before_its_first_game(name: str) -> None:
    made = make_environments()[name]()
    spaces = [made.action_space("player_0")] if "gent" in f"{dir(made)}" else [made.action_space]
    for space in spaces:
        space.seed(5)
    copies = [way(made) for way in WAYS.values()]
    assert [type(one) for one in copies] == [type(made)] * len(copies)
    assert [one.unwrapped.rules for one in copies] == [made.unwrapped.rules] * len(copies)
    if name in ("make", "aec", "aec, lose"):
        copies = copies[1:]  # a shallow copy of a wrapper that is not ours has the same inside
    first = run(copies[0], 30)
    assert [run(one, 30) for one in copies[1:]] == [first] * (len(copies) - 1)
    assert run(made, 30) == first


@pytest.mark.parametrize("name", NAMES)
def test_an_environment_refuses_once_its_games_have_begun(name: str) -> None:
    env = make_environments()[name]()
    for steps in (0, 1, 60):
        run(env, steps)
        ways = dict(WAYS)
        if env is not env.unwrapped:
            del ways["copy"]  # the wrapper is not ours
        for way in ways.values():
            with pytest.raises(TypeError, match=r"begun cannot be copied or pickled: make another"):
                way(env)


def test_an_environment_stepped_before_a_reset_refuses() -> None:
    for name in ("Env", "VectorEnv"):
        env = make_environments()[name]()
        env.step(np.zeros(3, int) if name == "VectorEnv" else 0)
        with pytest.raises(TypeError, match="cannot be copied"):
            copy.deepcopy(env)


@pytest.mark.openspiel
def test_openspiel_games_states_and_observers() -> None:
    pyspiel: Any = pytest.importorskip("pyspiel")
    import_module("relaysow.envs.openspiel")
    chance = random.Random(3)
    for text in (
        "giuthi(pits=5,seeds=4)",
        "kiothi(pits=4,filled=2)",
        "engehe(setup=2 2 3 1 2 2 2 2 2 2 2 1 2 2 2 2,pits=8)",
    ):
        game = pyspiel.load_game(text)
        begun = game.new_initial_state(game.rules.start().to_text())
        for _ in range(15):
            begun.apply_action(chance.choice(begun.legal_actions()))
        observer = game.make_py_observer()
        observer.set_from(begun, 0)
        for way in WAYS.values():
            again = way(game)
            assert (str(again), again.rules, again.features) == (
                str(game),
                game.rules,
                game.features,
            )
            state = way(begun)
            assert (str(state), state.history()) == (str(begun), begun.history())
            seen = way(observer)
            assert told(seen.dict) == told(observer.dict)
            for _ in range(20):
                if not state.is_terminal():
                    state.apply_action(chance.choice(state.legal_actions()))
            seen.set_from(state, 1)
            assert [*seen.dict["player"], *seen.dict["pits"]] == [*seen.tensor][
                : 2 + 2 * game.rules.pits
            ]
            assert observer.tensor[0] == 1
            assert len(begun.history()) == 15
            fresh = again.new_initial_state()
            fresh.apply_action(fresh.legal_actions()[0])


# -- across processes


def test_pickles_are_read_in_another_process() -> None:
    """Where nothing of relaysow has been imported yet."""
    objects = [
        *(sample for kind in (rs.Game, rs.Match, rs.Record) for sample in SAMPLES[kind]()),
        rs.kiothi().start().legal_moves,
        SEARCHED,
    ]
    code = (
        "import pickle, sys; found = pickle.load(sys.stdin.buffer);"
        "sys.stdout.write('\\n'.join(map(repr, found)))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(objects), capture_output=True, check=True
    )
    assert ran.stdout.decode().splitlines() == [repr(one) for one in objects]


def test_pickles_that_name_the_core_are_read() -> None:
    """As they were made before its classes said that they are of `relaysow`."""
    for given in (SMALL, SMALL.legal_moves):
        written = pickle.dumps(given, 2)
        assert b"crelaysow\n" in written
        again = pickle.loads(written.replace(b"crelaysow\n", b"crelaysow._core\n"))
        assert (type(again), again) == (type(given), given)
