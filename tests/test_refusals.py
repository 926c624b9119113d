"""Every public callable, called with odd values at every argument, refuses them as documented.

Callables and their arguments are found by introspection: one without a sample here fails.  A value
is accepted where `MEANINGS` says that it has one; else one of the errors that the documentation
names comes out, its message names the argument and the value, and nothing has changed.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import operator
import os
import platform
import re
import signal
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from dataclasses import replace
from decimal import Decimal
from enum import IntEnum, StrEnum
from fractions import Fraction
from itertools import count, islice
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import relaysow as rs
import relaysow.check
import relaysow.envs.pettingzoo
from relaysow import _core, reference
from relaysow._support.checks import is_integer, shown
from relaysow.options import CHOICES
from relaysow.simulation.columns import empty_columns
from relaysow.simulation.summary import Tally
from relaysow.text import board as display
from relaysow.text import notation


class Deliberate(Exception):
    """What an object passed in raises of itself; it comes out as it is."""


class OwnIndex:
    def __index__(self) -> int:
        raise Deliberate


class OwnLength:
    def __len__(self) -> int:
        raise Deliberate

    def __iter__(self) -> Iterator[int]:
        raise Deliberate


class OwnEqual:
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        raise Deliberate


class OwnRepr:
    def __init__(self, *_: Any) -> None:
        pass

    def __repr__(self) -> str:
        raise Deliberate


class NoPath:
    def __fspath__(self) -> int:
        return 1


class Text(str):
    __slots__ = ()


class Number(int):
    pass


class Choice(IntEnum):
    ONE = 1


class Word(StrEnum):
    X = "x"


@pytest.fixture(scope="module", autouse=True)
def _within_4_gb() -> Iterator[None]:
    """A value that takes more than it should fails here, and does not bring the machine down."""
    sizes = Path("/proc/self/statm")
    if "asan" in os.environ.get("LD_PRELOAD", "") or not sizes.exists():
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = int(sizes.read_text().split()[0]) * resource.getpagesize() + 2**32
    unlimited = resource.RLIM_INFINITY
    fits = all(one == unlimited or limit <= one for one in (soft, hard))
    resource.setrlimit(resource.RLIMIT_AS, (limit if fits else soft, hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def recursive() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


def read_only() -> Any:
    array = np.arange(16)
    array.flags.writeable = False
    return array


LARGE = {"long text": "x" * 1_000_000, "million": [8] * 1_000_000, "nested": nested(100_000)}

# Made anew for each call: iterators are used up.
ODD: dict[str, Callable[[], Any]] = {
    **{
        shown(value)[:20].translate(str.maketrans("=:", "  ")): lambda value=value: value
        for value in (
            *(None, True, False, 1.0, 1.5, float("nan"), float("inf"), 10**100, -1, -(10**30)),
            *(2**31, 2**63, 2**64, "", "x", "0", "\ud800", "a\0b", b"x", (), 1j, ...),
            *(Decimal(1), Fraction(1), Choice.ONE, Word.X, ValueError, OwnRepr),
        )
    },
    "10**5000": lambda: 10**5000,
    "digits": lambda: "9" * 5_000,
    "bytearray": lambda: bytearray(b"x"),
    "[]": list,
    "[None]": lambda: [None],
    "{}": dict,
    "{0 4}": lambda: dict.fromkeys(range(6), 4),
    "set": lambda: {0, 1, 2},
    "generator": lambda: (i for i in range(3)),
    "endless": count,
    **{name: lambda value=value: value for name, value in LARGE.items()},
    "recursive": recursive,
    "index": OwnIndex,
    "length": OwnLength,
    "equal": OwnEqual,
    "repr": OwnRepr,
    "object": object,
    "no path": NoPath,
    "Text": lambda: Text("x"),
    "Number": lambda: Number(1),
    "int64": lambda: np.int64(1),
    "float32": lambda: np.float32(1),
    "bool_": lambda: np.bool_(True),
    "0-d": lambda: np.array(1),
    "text array": lambda: np.array(["x"]),
    "foreign array": lambda: np.zeros((2, 2), complex),
    "big-endian": lambda: np.arange(6, dtype=">i8"),
    "strided": lambda: np.arange(12)[::2],
    "read-only": read_only,
    "times": lambda: np.array(["2001-01-01"], "datetime64[D]"),
}


# ------------------------------------------------------------------------- what has a meaning

Meaning = Callable[[Any], bool]


def numbers(value: Any) -> bool:
    """Counts in some order."""
    if isinstance(value, (str, bytes, bytearray, dict, set)):
        return False
    with suppress(Deliberate, TypeError):
        return all(whole()(item) for item in islice(value, 1_001))
    return False


def whole(low: int = 0, high: int = 2**64 - 1) -> Meaning:
    """Integers of any type, no bools."""

    def meant(value: Any) -> bool:
        with suppress(Deliberate, TypeError):
            return is_integer(value) and low <= operator.index(value) <= high
        return False

    return meant


def instance(*kinds: type) -> Meaning:
    return lambda value: isinstance(value, kinds)


def none(value: Any) -> bool:
    return value is None


def either(*meanings: Meaning) -> Meaning:
    return lambda value: any(meaning(value) for meaning in meanings)


def empty(value: Any) -> bool:
    return isinstance(value, (tuple, list, dict)) and not value


def anything(_: Any) -> bool:
    return True


PATH = either(instance(bytes, os.PathLike), lambda value: isinstance(value, str) and value != "")
FLAG, FUNCTION = instance(bool), callable
RESETS = ("AEC.reset", "Batch.reset", "Env.reset", "VectorEnv.reset")
UNFIT = (type, bytes, bytearray, dict, set)

MEANINGS: dict[str, Meaning] = {
    # of an argument by its name …
    **dict.fromkeys(
        ("drawn", "in_memory", "lenient", "progress", "shorten", "twice", "unicode"), FLAG
    ),
    **dict.fromkeys(("poll", "report"), either(none, FUNCTION)),
    **dict.fromkeys(("best_of", "max_cycles", "max_moves", "nodes"), either(none, whole(1))),
    **dict.fromkeys(("games", "lines", "matches", "max_positions", "max_rounds", "n"), whole(1)),
    **dict.fromkeys(("num_envs", "one_warrior", "processes"), whole(1)),
    **dict.fromkeys(("action", "first_game", "first_match", "game", "max_seeds"), whole()),
    **dict.fromkeys(("memory", "pit", "seed", "seeds"), whole()),
    **dict.fromkeys(("depth", "full", "threads"), either(none, whole(1, 200))),
    **dict.fromkeys(("mover", "first", "player"), either(none, whole(0, 1))),
    **dict.fromkeys(("barred", "lift", "redistributions"), either(none, whole(0, 3))),
    **dict.fromkeys(("chance", "executor", "direction", "render_mode", "start", "tablebase"), none),
    **dict.fromkeys(("emptied", "protected"), either(numbers, instance(set))),
    **dict.fromkeys(("pits", "placed", "setup"), either(numbers, whole(1, 64))),
    "faced": either(none, numbers),
    "filled": whole(1),
    "layout": FUNCTION,
    "opponent": either(none, FUNCTION),
    "out": either(none, PATH),
    "reset_mask": none,
    "rows": either(none, empty),
    "count": whole(1),
    "height": either(none, whole(-(10**31), 10**5001)),
    "max_laps": either(none, whole(1, 10**12)),
    "minimum_lift": whole(1, 2),
    "options": either(none, instance(dict)),
    "other": anything,
    "overlooked": empty,
    "path": PATH,
    "seconds": either(none, instance(Real)),
    **dict.fromkeys(("comments", "tags"), empty),
    # … and of an argument of a callable.
    "LayOut.row": numbers,
    "LegalMoves.sowings": either(none, empty),
    "Tablebase.open.rules": none,
    "iter_records.source": lambda value: (
        isinstance(value, str) or (hasattr(value, "__iter__") and not isinstance(value, UNFIT))
    ),
    **dict.fromkeys(("Sow.pit", "Sow.lift"), either(none, whole(0, 10**6_000))),
    **{f"{name}.seed": either(none, whole(0, 10**6_000)) for name in RESETS},
    **dict.fromkeys(
        ("line_to_text.moves", "Batch.step.out", "Batch.reset.out"), either(none, empty)
    ),
    "Chance.below_any.count": whole(1, 10**6_000),
    "Position.illegal.reason": instance(str),
    "board.width": whole(40, 10**6_000),
    "check.rules_or_position": none,
    "Tablebase.build.memory": whole(0, 10**6_000),
    "puzzles.moves": either(none, whole(1, 100)),
    "svg.move": none,
    "LayOuts.reason.row": numbers,
    "Batch.position.row": whole(0, 1),
    **dict.fromkeys(("LayOuts.__getitem__.number", "LegalMoves.__getitem__.number"), whole(-6, 5)),
    "LegalMoves.__getitem__.which": whole(-6, 5),
    **dict.fromkeys(("LayOuts.__contains__.row", "LegalMoves.__contains__.move"), anything),
}
"""What is taken, where it is not only what has the one right type."""


# ------------------------------------------------------------------------------- what is called


class Target(NamedTuple):
    """Something to call: by its name here, of a class or not, in the core's or another module."""

    name: str
    owner: type | None
    function: Any
    parameters: tuple[str, ...]

    @property
    def key(self) -> str:
        """What the samples go by: the same for core and reference."""
        return self.name.removeprefix("reference.").removeprefix("envs.")

    @property
    def engine(self) -> Any:
        return reference if self.name.startswith("reference.") else rs


SPECIAL: dict[str, Callable[..., Any]] = {
    "__getitem__": operator.getitem,
    "__contains__": operator.contains,
    "__eq__": operator.eq,
}
PACKAGES: list[tuple[str, Any, tuple[str, ...]]] = [
    ("", rs, tuple(rs.__all__)),
    ("reference.", reference, tuple(reference.__all__)),
    ("envs.", relaysow.envs, tuple(relaysow.envs.__all__)),
    # What else the documentation tells of.
    ("envs.", relaysow.envs.pettingzoo, ("make",)),
    ("", relaysow.check, ("check",)),
    ("", display, ("board",)),
    ("", notation, ("canonical", "line_to_text", "rules_from_text", "rules_to_text")),
]


def stub() -> dict[str, tuple[str, ...]]:
    """The parameters of what is written in C++, as `_core.pyi` has them."""
    found: dict[str, tuple[str, ...]] = {}
    text = (Path(rs.__file__).parent / "_core.pyi").read_text("utf-8")
    for node in ast.parse(text).body:
        for inner in [node] if isinstance(node, ast.FunctionDef) else getattr(node, "body", ()):
            if isinstance(inner, ast.FunctionDef):
                owner = "" if inner is node else f"{node.name}."  # type: ignore[attr-defined]
                names = [argument.arg for argument in (*inner.args.args, *inner.args.kwonlyargs)]
                found[owner + inner.name] = tuple(name for name in names if name != "self")
    return found


STUB = stub()
OPTIONS = ("setup", "minimum_lift", "max_laps", *CHOICES)


def parameters_of(function: Any, key: str) -> tuple[str, ...]:
    try:
        given = inspect.signature(function).parameters.values()
    except ValueError:
        return STUB[key]
    names: list[str] = []
    for parameter in given:
        if parameter.kind is parameter.VAR_KEYWORD:
            names += ("pits", "seeds", *OPTIONS) if "rules" in names else OPTIONS
        elif parameter.kind is not parameter.VAR_POSITIONAL and parameter.name != "self":
            names.append(parameter.name)
    return tuple(names)


def holds_anything(thing: type) -> bool:
    """Results and errors: what makes them knows what it gives them."""
    return issubclass(thing, BaseException) or "holds what it is given" in (thing.__doc__ or "")


def targets() -> Iterator[Target]:
    for prefix, package, names in PACKAGES:
        for name in names:
            thing = getattr(package, name)
            if not inspect.isclass(thing):
                if callable(thing):
                    yield Target(prefix + name, None, thing, parameters_of(thing, name))
                continue
            written = not hasattr(_core, name) or f"{name}.__init__" in STUB
            if not holds_anything(thing) and written:
                made = parameters_of(thing.__init__, f"{name}.__init__")
                yield Target(prefix + name, None, thing, made)
            seen: set[str] = set()
            for kind in thing.__mro__:
                for member, value in vars(kind).items():
                    mine = kind.__module__.startswith("relaysow") and member not in seen
                    seen.add(member)
                    function = value.fset if isinstance(value, property) else getattr(thing, member)
                    public = member in SPECIAL or not member.startswith("_")
                    if (
                        getattr(function, "__code__", None)
                        and function.__code__.co_filename == "<string>"
                    ):
                        continue  # `dataclass` makes it
                    if mine and public and callable(function):
                        made = parameters_of(function, f"{name}.{member}")
                        yield Target(f"{prefix}{name}.{member}", thing, function, made)


TARGETS = {target.name: target for target in targets()}

# -------------------------------------------------------------------------------------- samples

RULES = rs.giuthi(pits=3, seeds=2)
DUTIES: dict[str, Any] = {"extra_pit": "not_origin", "endless": "draw"}
DUTIES |= {"protection": "until_owner_lifts", "redistribution": "one"}
SOW = rs.Sow(0, direction="ccw")
FIVE = rs.giuthi(pits=5, seeds=4)
FEW = rs.Position(RULES, (1, 0, 0, 1, 0, 0))
GAME = rs.Game(RULES)
GAME.push(SOW)


def match_at_lay_out() -> rs.Match:
    match = rs.Match(rs.giuthi(pits=3, seeds=3), first=0)
    while match.game is not None:
        match.push(match.game.legal_moves[0])
    return match


def begun(env: Any) -> Any:
    env.reset(seed=1)
    return env


CALLER: dict[str, Any] = {"opponent": None, "illegal": "raise"}
SUBJECTS: dict[str, Callable[[Any], Any]] = {
    "AEC": lambda _: begun(relaysow.envs.AEC(RULES, render_mode="ansi")),
    "Batch": lambda _: rs.Batch(RULES, 2),
    "Chance": lambda e: e.Chance(1, 2),
    "Env": lambda _: begun(relaysow.envs.Env(RULES, render_mode="ansi", **CALLER)),
    "Game": lambda e: e.Game(RULES),
    "LayOuts": lambda _: rs.LayOuts(0, 4, 3),
    "LegalMoves": lambda e: e.Position.start(RULES).legal_moves,
    "Match": lambda _: rs.Match(RULES, first=0),
    "Match.lay_out": lambda _: match_at_lay_out(),
    "Match.shorten": lambda _: match_at_lay_out(),
    "Position": lambda e: e.Position.start(RULES),
    "Puzzle": lambda _: rs.Puzzle(RULES.start(), "win", (SOW,)),
    "Record": lambda _: rs.Record(GAME),
    "Rules": lambda _: RULES,
    "Series": lambda _: rs.Series(RULES),
    "Simulation": lambda _: SIMULATION,
    "Summary": lambda _: SIMULATION.summary(),
    "MatchSimulation": lambda _: rs.simulate_match(RULES, matches=1),
    "VectorEnv": lambda _: begun(relaysow.envs.VectorEnv(RULES, 2, **CALLER)),
}
SIMULATION = rs.simulate(RULES, 3)

ARRAYS = ("observations", "mask", "rewards", "terminated", "truncated", "illegal", "lengths")


def state_of_batch(batch: Any) -> Any:
    return *(batch.position(row) for row in range(2)), *(
        getattr(batch, n).tobytes() for n in ARRAYS
    )


STATES: dict[str, Callable[[Any], Any]] = {
    "AEC": lambda env: (env.position, env.agent_selection, env.rewards, env.terminations),
    "Batch": state_of_batch,
    "Chance": lambda chance: tuple(chance._s),
    "Env": lambda env: (env.position, env.side, env.np_random.bit_generator.state),
    "Game": lambda game: (game.moves, game.position, game.outcome),
    "Match": lambda match: (match.steps, match.due, match.totals),
    "Series": lambda series: (series.steps, series.points),
    "VectorEnv": lambda env: (*state_of_batch(env.batch), env.np_random.bit_generator.state),
}
"""What a refusal must leave as it was: of what can change at all."""

MOVE = {"move": SOW}
NUMBER = count()
SEEN = ("observations", "mask", "rewards", "terminated", "truncated")
OUT = {f"out.{name}": getattr(rs.Batch(RULES, 2), name) for name in SEEN}
ARGUMENTS: dict[str, Callable[[Any, Path], dict[str, Any]]] = {
    "AEC": lambda *_: {"rules": "giuthi", "pits": 3, "seeds": 2},
    "AEC.reset": lambda *_: {"seed": 1, "options.start": RULES.start()},
    "AEC.step": lambda *_: {"action": 0},
    "Batch": lambda *_: {"rules": RULES, "n": 2},
    "Batch.position": lambda *_: {"row": 1},
    "Batch.reset": lambda *_: (
        {"rows": [0, 1], "seed": 1, "start": RULES.start()}
        | {name: OUT[name] for name in ("out.observations", "out.mask")}
    ),
    "Batch.step": lambda *_: {"actions": np.zeros(2, np.int64), **OUT},
    "Chance": lambda *_: {"seed": 1, "game": 0},
    "Env": lambda *_: {"rules": "giuthi", "pits": 3, "seeds": 2},
    "Env.reset": lambda *_: {"seed": 1, "options.start": RULES.start()},
    "Env.step": lambda *_: {"action": 0},
    "Game": lambda *_: {"start": RULES},
    "Game.from_record": lambda *_: {"text": GAME.record()},
    "LayOut": lambda *_: {"row": (1, 2, 0)},
    "LayOuts": lambda *_: {"player": 0, "seeds": 4, "pits": 3},
    "LegalMoves": lambda e, _: {"position": e.Position.start(RULES), "sowings": [SOW]},
    "Match": lambda *_: {"rules": RULES},
    "Match.lay_out": lambda *_: {"row": (2, 2, 2)},
    "Match.push": lambda *_: {"step": SOW},
    "Position": lambda *_: {
        "rules": rs.giuthi_leakey(3, 2, **DUTIES),
        "pits": (2,) * 6,
    },
    "Position.__setstate__": lambda *_: {"state": RULES.start().__getstate__()},
    "Position.from_text": lambda *_: {"text": RULES.start().to_text()},
    "Position.illegal": lambda *_: {**MOVE, "reason": "so it is"},
    "Position.move": lambda *_: {"action": 0},
    "Position.move_from_text": lambda *_: {"text": "1+"},
    "Record": lambda *_: {"play": GAME},
    "Record.from_text": lambda *_: {"text": rs.Record(GAME).to_text()},
    "Redistribute": lambda *_: {"emptied": (0,), "placed": (2, 0, 0, 0, 0, 0)},
    "Rules": lambda *_: {"pits": 3, "setup": (2,) * 6},
    "Series": lambda *_: {"rules": RULES},
    "Sow": lambda *_: {"pit": 0},
    "Tablebase": lambda _, path: {"path": path / "table", "data": (path / "table").read_bytes()},
    "Tablebase.build": lambda _, path: {
        "rules": RULES,
        "max_seeds": 2,
        "path": path / f"new{next(NUMBER)}",
    },
    "Tablebase.memory": lambda *_: {"rules": RULES, "max_seeds": 2},
    "Tablebase.open": lambda _, path: {"path": path / "table"},
    **{
        f"Simulation.{name}": lambda _, path, suffix=suffix: {"path": path / f"games.{suffix}"}
        for name, suffix in (
            *(("save", "npz"), ("save_plot", "svg"), ("to_csv", "csv"), ("to_npz", "npz")),
            ("to_parquet", "parquet"),
        )
    },
    "Tablebase.moves": lambda *_: {"position": FEW},
    "Tablebase.probe": lambda *_: {"position": FEW},
    "VectorEnv": lambda *_: {"rules": "giuthi", "num_envs": 2, "pits": 3, "seeds": 2},
    "VectorEnv.reset": lambda *_: {
        "seed": 1,
        "options.start": RULES.start(),
        "options.reset_mask": np.array([True, False]),
    },
    "VectorEnv.step": lambda *_: {"actions": np.zeros(2, np.int64)},
    "analyse": lambda *_: {"position": RULES.start(), "depth": 1, "nodes": 9, "memory": 0},
    "canonical": lambda *_: {"position": RULES.start(), **MOVE},
    "check": lambda *_: {"rules_or_position": RULES, "games": 1, "max_moves": 1, "full": 0},
    "iter_records": lambda *_: {"source": ["relaysow game 1"]},
    "line_to_text": lambda *_: {"position": RULES.start(), "moves": [SOW]},
    "perft": lambda e, _: {"position": e.Position.start(RULES), "depth": 1},
    "read_records": lambda *_: {"text": rs.Record(GAME).to_text()},
    "reference.simulate": lambda e, _: {
        "start": e.Position.start(RULES),
        "games": 1,
        "seed": 1,
        "first_game": 0,
        "south": "random",
        "north": "greedy",
        "max_moves": 5,
    },
    "rules_from_text": lambda *_: {"text": "giuthi(pits=3)"},
    "simulate": lambda *_: {"rules_or_position": RULES, "games": 2, "keep": "summary"},
    "simulate_match": lambda *_: {"rules": RULES, "matches": 2, "max_rounds": 1},
    **dict.fromkeys(("svg", "animate"), lambda *_: {"position": RULES.start(), **MOVE}),
    **dict.fromkeys(("solve", "board"), lambda *_: {"position": RULES.start()}),
    "puzzles": lambda *_: {"rules": RULES, "seeds": 5},
    **{name: lambda *_: {"pits": 3, "seeds": 2} for name in rs.RULE_SETS if "kiothi" not in name},
    **{
        name: lambda *_: {"seeds": 1, "filled": 2, "pits": 3}
        for name in rs.RULE_SETS
        if "kiothi" in name
    },
}
COSTLY = {
    **dict.fromkeys(("games", "matches"), (9, 2**80)),
    **dict.fromkeys(("n", "num_envs"), (9, 2**30)),
    "max_positions": (2**20, 2**31 - 1),
    "memory": (2**20, 2**80),
}
"""From which numbers to which the meaning takes too long, or too much room, to be told."""

OWN = ("index", "length", "equal")
"""Odd values that raise errors of their own where they are asked."""

GOOD: dict[str, Any] = {
    "rules": RULES,
    "move": SOW,
    "step": SOW,
    "other": 1,
    "number": 0,
    "which": 0,
    "at": 0,
    "row": (0, 2, 2),
    "agent": "player_0",
    "count": 3,
    "position": RULES.start(),
}
"""What is good of an argument of any callable that has no sample of its own."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("refusals")
    rs.Tablebase.build(RULES, 2, path / "table").close()
    return path


class Sample(NamedTuple):
    subject: Any
    function: Callable[..., Any]
    arguments: dict[str, Any]

    def call(self, name: str | None = None, value: Any = None) -> Any:
        arguments = dict(self.arguments)
        if name is not None:
            arguments[name] = value
        for dotted in [name for name in arguments if "." in name]:
            outer, inner = dotted.split(".")
            arguments.setdefault(outer, {})
            given = arguments.pop(dotted)
            if name in (None, dotted):
                arguments[outer] = {inner: given}
        return self.function(**arguments)


def sample_of(target: Target, path: Path) -> Sample:
    key, owner = target.key, target.key.partition(".")[0]
    make = ARGUMENTS.get(target.name) or ARGUMENTS.get(key)
    if make is not None:
        arguments = make(target.engine, path)
    else:
        arguments = {name: GOOD[name] for name in target.parameters if name in GOOD}
        if target.engine is not rs and "position" in arguments:
            arguments["position"] = target.engine.Position.start(RULES)
    member = target.name.rpartition(".")[2]
    written = inspect.getattr_static(target.owner, member, None)
    bound = inspect.ismethod(target.function) or isinstance(written, staticmethod)
    if target.owner is None or "." not in key or bound:
        return Sample(None, target.function, arguments)
    subject = (
        rs.Tablebase.open(path / "table")
        if owner == "Tablebase"
        else (SUBJECTS.get(key) or SUBJECTS[owner])(target.engine)
    )
    if isinstance(written, property):
        return Sample(subject, lambda **given: setattr(subject, member, *given.values()), arguments)
    if member == "undo":
        subject.push(SOW)
    if member in SPECIAL:
        special = SPECIAL[member]
        return Sample(subject, lambda **given: special(subject, *given.values()), arguments)
    return Sample(subject, getattr(subject, member), arguments)


# ------------------------------------------------------------------------ what is documented

ERRORS: dict[str, type[BaseException]] = {
    name: thing
    for package in (builtins, rs, relaysow.check)
    for name, thing in ((name, getattr(package, name)) for name in dir(package))
    if inspect.isclass(thing) and issubclass(thing, BaseException)
}
NEVER = (Exception, AssertionError, AttributeError, RecursionError, RuntimeError, SystemError)


def prose(thing: Any) -> list[str]:
    """The sentences of a docstring, without its examples."""
    lines = (inspect.getdoc(thing) or "").splitlines()
    text = " ".join(line for line in lines if not line.startswith((">>>", "...")))
    return re.split(r"(?<=\.)\s+", text)


def documented(target: Target, seen: frozenset[str] = frozenset()) -> set[type[BaseException]]:
    """The errors that its documentation, or its class's, names or leaves to another's to name."""
    found: set[type[BaseException]] = set()
    made = target.function.__init__ if inspect.isclass(target.function) else None
    for sentence in [*prose(target.function), *prose(target.owner), *prose(made)]:
        for name in re.findall(r"`([\w.]+)`", sentence):
            if name in ERRORS:
                found.add(ERRORS[name])
            elif "raise" in sentence.lower():
                owner = target.name.rpartition(".")[0]
                for other in (f"{owner}.{name}", name, f"{target.name.partition('.')[0]}.{name}"):
                    if other in TARGETS and other not in seen:
                        found |= documented(TARGETS[other], seen | {other, target.name})
    return found


def is_documented(error: BaseException, names: set[type[BaseException]]) -> bool:
    kind = type(error)
    own = kind.__module__.startswith("relaysow")
    return kind not in NEVER and any(
        kind is name or (issubclass(kind, name) and (own or name is OSError)) for name in names
    )


ALIASES: dict[str, tuple[str, ...]] = {
    "data": ("it is no table",),
    "at": ("a move's number", "no move number"),
    "move": ("a move must be", "illegal move", "not a legal move", "no action number"),
    "moves": ("a move must be",),
    "number": ("a move's number", "no move number"),
    "options": ("start",),
    "out": ("observations", "mask", "rewards", "terminated", "truncated"),
    "rows": ("row",),
    "rules": ("a Batch starts from",),
    "start": ("a game starts from",),
    "state": ("the pickled state of",),
    "step": ("a step must be",),
    "text": ("column",),
    "which": ("a move's number", "no move number"),
}


def marks_of(value: Any) -> Iterator[str]:
    """What tells a value by itself: it, its type, or how large it is."""
    yield shown(value)
    yield type(value).__name__
    if isinstance(value, np.ndarray):
        yield from (shown(value.dtype), str(value.dtype), str(value.shape))
    if isinstance(value, (str, bytes)):
        with suppress(UnicodeError):
            yield from (shown(os.fsdecode(value)), f"{os.fsdecode(value)} exists")
    if isinstance(value, str):
        yield from (
            shown(value[:20])[:-1],
            f"{len(value)} characters",
            *[value[:50]][len(value) < 50 :],
        )
    elif isinstance(value, (list, bytearray)):
        yield f"({len(value)},)"
    if is_integer(value):
        with suppress(Deliberate, TypeError):
            yield shown(operator.index(value))


def told(message: str, make: Callable[[], Any]) -> bool:
    """Whether a message tells the value, or what is wrong of what it holds."""
    marks = [*marks_of(make())]
    with suppress(Deliberate, TypeError):
        inner = list(islice(make(), 1_001))
        marks += [shown(tuple(inner)), f"has {len(inner)} ", f": {len(inner)} pits"]
        marks += ["has more than "] if len(inner) > 2 else []
        marks += [mark for item in inner[:16] for mark in marks_of(item)]
    return any(mark in message for mark in marks)


class Hang(BaseException):
    pass


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """A call that takes longer is stopped, where the system can."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: object) -> None:
        raise Hang

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)  # type: ignore[func-returns-value]
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)  # type: ignore[func-returns-value]
        signal.signal(signal.SIGALRM, before)


def complaint(target: Target, path: Path, name: str, odd: str) -> str | None:
    """What is wrong with how an odd value is taken, if anything is."""
    short = name.rpartition(".")[2]
    meaning = MEANINGS.get(f"{target.key}.{name}", MEANINGS.get(short, lambda _: False))
    may = meaning(ODD[odd]())
    if may and whole(*COSTLY.get(name, (2**70, 2**80)))(ODD[odd]()):
        return None
    value = ODD[odd]()
    sample = sample_of(target, path)
    kind = target.key.partition(".")[0] if sample.subject is not None else ""
    state = STATES.get(kind, lambda _: None)
    before = state(sample.subject)
    try:
        with alarm(20):
            sample.call(name, value)
    except Deliberate:
        return None if odd in OWN else f"{name}={odd}: what should not be asked was"
    except Hang:
        return f"{name}={odd}: hangs"
    except Exception as error:  # noqa: BLE001 - whatever it is, it is told
        message = f"{error}"
        where = f"{name}={odd}: {type(error).__name__}: {message[:300]}"
        if not is_documented(error, documented(target)):
            return f"{where}: not documented"
        names = (short, *ALIASES.get(short, ()))
        if not isinstance(error, OSError) and not any(word in message for word in names):
            return f"{where}: the argument is not named"
        if not told(message, ODD[odd]) and "it is no table" not in message:
            return f"{where}: the value is not told"
        if len(message) > 10_000:
            return f"{name}={odd}: {len(message)} characters"
        if state(sample.subject) != before:
            return f"{where}: changed {target.owner}"
    else:
        return None if may else f"{name}={odd}: accepted"
    return None


def test_every_argument_is_known() -> None:
    assert len(TARGETS) > 100


@pytest.mark.parametrize("name", TARGETS)
def test_odd_values(
    name: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    target = TARGETS[name]
    sample = sample_of(target, folder)
    if target.parameters:
        sample.call()
    arguments = dict.fromkeys((*target.parameters, *(a for a in sample.arguments if "." in a)))
    found = [complaint(target, folder, argument, odd) for argument in arguments for odd in ODD]
    assert not (wrong := [each for each in found if each]), "\n" + "\n".join(wrong)


def refusal(target: Target, path: Path, name: str, odd: str) -> tuple[str, str] | None:
    sample = sample_of(target, path)
    try:
        sample.call(name, ODD[odd]())
    except Exception as error:  # noqa: BLE001 - whatever it is, it is compared
        return type(error).__name__, re.sub(r" at 0x\w+", "", f"{error}")
    return None


ALIKE = ("Game.", "LegalMoves.", "Position", "perft")


@pytest.mark.parametrize(
    "name", [name for name in TARGETS if name.startswith(ALIKE) and f"reference.{name}" in TARGETS]
)
def test_core_and_reference_refuse_alike(name: str, folder: Path) -> None:
    one, other = TARGETS[f"reference.{name}"], TARGETS[name]
    arguments = dict(zip(one.parameters, other.parameters, strict=True))
    for mine, its in arguments.items():
        for odd in ODD:
            assert refusal(one, folder, mine, odd) == refusal(other, folder, its, odd), (mine, odd)


# ------------------------------------------------------------------------------ known instances


class Liar(Executor):
    """Its workers play, and then return something else."""

    def __init__(self, lie: Callable[[Any], Any]) -> None:
        self.lie = lie

    def submit(self, function: Any, /, *arguments: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(self.lie(function(*arguments)))
        return future


def fewer(told: Any) -> Any:
    version, columns = told
    return version, {name: column[:-1] for name, column in columns.items()}


def without_one(told: Any) -> Any:
    version, columns = told
    return version, {name: column for name, column in columns.items() if name != "laps"}


def wider(told: Any) -> Any:
    version, columns = told
    return version, {name: column.astype("int64") for name, column in columns.items()}


def shorter_column(told: Any) -> Any:
    version, columns = told
    return version, columns | {"moves": columns["moves"][1:]}


LIES: list[tuple[Callable[[Any], Any], str]] = [
    (fewer, "returned 4 games: "),
    (without_one, "returned no games: "),
    (wider, "returned no games: "),
    (shorter_column, "returned no games: "),
    (lambda told: (told[0], None), "returned no games: None"),
    (lambda _: None, "returned no games: None"),
    (lambda told: ("0.0.9", told[1]), "a worker has relaysow '0.0.9'"),
]


@pytest.mark.parametrize(("lie", "text"), LIES, ids=range(len(LIES)))
def test_what_a_worker_returns_is_looked_at(lie: Callable[[Any], Any], text: str) -> None:
    with pytest.raises(RuntimeError, match=re.escape(text)):
        rs.simulate(RULES, 5, executor=Liar(lie))


def test_a_worker_that_counts_fewer_games_is_refused(tmp_path: Path) -> None:
    def lie(told: Any) -> Any:
        version, made = told
        less = Tally.of(empty_columns(0))
        return version, replace(made, tally=less) if hasattr(made, "tally") else less

    for out in (None, tmp_path / "games"):
        with pytest.raises(RuntimeError, match="games 3…7: a worker returned 0 games"):
            rs.simulate(RULES, 5, first_game=3, keep="summary", out=out, executor=Liar(lie))


LIMITED = """
import resource, sys
import relaysow as rs
rules = rs.giuthi(pits=5, seeds=4)
batch, alone = rs.Batch(rules, 4_000, threads=8), rs.Batch(rules, 4_000)
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + {room},) * 2)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="it is told how large threads are")
def test_where_the_system_allows_few_threads_few_are_used() -> None:
    script = (
        LIMITED.format(room="(1 << 30)")
        + """
result = rs.simulate(rules, 20_000, threads=1_000)
found = rs.analyse(rules.start(), nodes=2_000, threads=1_000)
batch.step(batch.sample())
alone.step(alone.sample())
same = (batch.observations == alone.observations).all()
print(int(result.laps.sum()), found.depth > 0, same)
"""
    )
    assert run(script) == f"{int(rs.simulate(FIVE, 20_000).laps.sum())} True True"


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="it is told how large threads are")
def test_where_the_system_allows_no_thread_it_is_said() -> None:
    script = (
        LIMITED.format(room="(1 << 27)")
        + """
try:
    rs.simulate(rules, 10, threads=2)
except OSError as error:
    print(error.errno, error.strerror)
batch.step(batch.sample())
alone.step(alone.sample())
same = (batch.observations == alone.observations).all()
print(rs.analyse(rules.start(), nodes=2_000, threads=9).depth > 0, same)
print(sum(rs.simulate(rules, 9, engine="reference", keep="summary").ends.values()))
"""
    )
    refused, rest, games = run(script).splitlines()
    assert re.fullmatch(r"\d+ the system starts no thread: .+", refused)
    assert (rest, games) == ("True True", "9")


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="it is told how large threads are")
def test_what_finds_no_room_is_named() -> None:
    script = (
        LIMITED.format(room="(1 << 28)")
        + """
from relaysow.envs import VectorEnv
start = rs.giuthi().start()
for call in (
    lambda: rs.Batch(rules, 2**30),
    lambda: VectorEnv(rules, 2**30),
    lambda: rs.simulate(rules, 10**12),
    lambda: rs.simulate(rules, 10**10, engine="reference"),
    lambda: rs.simulate_match(rules, matches=10**9),
    lambda: rs.analyse(start, depth=1, memory=2**40),
    lambda: rs.solve(start, max_positions=2**31 - 1),
):
    try:
        call()
    except MemoryError as error:
        print(error)
"""
    )
    assert re.sub(r": no room for .+", "", run(script)).split() == [
        *("n=1073741824", "num_envs=1073741824", "games=1000000000000", "games=10000000000"),
        *("matches=1000000000", "memory=1099511627776", "max_positions=2147483647"),
    ]


def run(script: str) -> str:
    """What a script of its own process prints, in which a thread takes 256 MB of addresses."""
    done = subprocess.run(
        ["sh", "-c", 'ulimit -s 262144 && exec "$@"', "sh", sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("line", [b"[" * 100_000, b'{"games": ' + b"9" * 5_000 + b"}", b"\xff"])
def test_a_manifest_that_no_one_can_read_is_named(line: bytes, tmp_path: Path) -> None:
    (tmp_path / "_manifest.jsonl").write_bytes(line + b"\n")
    with pytest.raises(ValueError, match=r"_manifest\.jsonl: line 1 is damaged$"):
        rs.simulate(RULES, 2, keep="summary", out=tmp_path)


def test_a_batch_writes_to_no_array_twice() -> None:
    batch = rs.Batch(FIVE, 3)
    own = [name for name in dir(rs.Batch) if isinstance(getattr(batch, name), np.ndarray)]
    assert len(own) == 11
    drawn = batch.sample()
    before = batch.position(1)
    for name in (*own, "sample"):
        array = drawn if name == "sample" else getattr(batch, name)
        for into, kind in (("observations", np.int16), ("rewards", np.float32), ("mask", np.int8)):
            shape = getattr(batch, into).shape
            size = int(np.prod(shape)) * kind(0).itemsize
            if into == name or array.nbytes < size:
                continue
            part = array.reshape(-1).view(np.uint8)[:size].view(kind).reshape(shape)
            with pytest.raises(ValueError, match=f"{into} shares memory with .* own {name}: it"):
                batch.step(drawn, {into: part})
            if into != "rewards":
                with pytest.raises(
                    ValueError, match=f"{into} shares memory with .* own {name}: it"
                ):
                    batch.reset(out={into: part})
    flags = np.zeros(24, np.bool_)
    actions = flags.view(np.int64)
    actions[:] = drawn
    for out in ({"terminated": flags[5:8]}, {"truncated": flags[21:24]}):
        with pytest.raises(ValueError, match=r"actions and t.* share memory"):
            batch.step(actions, out)
    last = batch.final_observations.reshape(-1)[:12].view(np.int64)
    with pytest.raises(ValueError, match=r"out shares memory with .* own final_observations: it"):
        batch.sample(last)
    assert batch.position(1) == before
    gaps = np.zeros((3, 4), np.int64)
    gaps[:, 0] = drawn
    batch.step(
        gaps[:, 0], {"observations": batch.observations, "terminated": gaps.view(np.bool_)[1, 8:11]}
    )
    assert batch.position(1) != before


def test_an_opponent_is_told_what_it_may_not_do() -> None:
    for answer, error, text in (
        (None, TypeError, "the opponent's action must be an integer, not None"),
        (99, rs.IllegalMove, "the opponent's action 99: must be 0…5"),
    ):
        env = relaysow.envs.Env(RULES, opponent=lambda *_, answer=answer: answer, player=1)
        with pytest.raises(error, match=re.escape(text)):
            env.reset(seed=1)
    for answers, text in (
        ([0.5, 1], "the opponent's actions must be 2 integers, not [0.5, 1]"),
        ([0], "the opponent's actions has the shape (1,): must be (2,)"),
    ):
        envs = relaysow.envs.VectorEnv(RULES, 2, opponent=lambda *_, a=answers: a, player=1)
        with pytest.raises((TypeError, ValueError), match=re.escape(text)):
            envs.reset(seed=1)


def test_values_are_shown_at_a_bearable_length() -> None:
    for make in ODD.values():
        assert len(shown(make())) <= 1_000
        shown(make()).encode()
    assert len(shown([Text("x" * 5_000)] * 20)) == 1_000
    assert (
        shown({1: [2] * 30})
        == "{1: [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, …]}"
    )
    assert shown(OwnRepr()).startswith("<OwnRepr instance at 0x")
    assert (shown(b"x" * 100), shown(np.str_("x"))) == (repr(b"x" * 100), repr(np.str_("x")))
    assert shown(10**119) == str(10**119)


@pytest.mark.parametrize("base", [str, bytes, bytearray, memoryview, list, tuple, dict])
def test_showing_a_value_takes_no_room_for_all_of_it(base: Any) -> None:
    """Nor of a subclass, nor within another."""
    own = base if base is memoryview else type("Own", (base,), {})
    given = {str: "\0" * 10**6, dict: dict.fromkeys(range(10**5))}.get(base, bytes(10**6))
    for value in (base(given), own(given), [own(given)]):
        tracemalloc.start()
        try:
            assert len(shown(value)) <= 1_000
            assert tracemalloc.get_traced_memory()[1] < (2**20 if base is dict else 2**16)
        finally:
            tracemalloc.stop()


def test_an_array_past_any_use_is_refused_unread() -> None:
    tracemalloc.start()
    try:
        with pytest.raises(rs.PositionError, match=r"^pits has more than 1000 numbers: "):
            rs.Position(FIVE, np.broadcast_to(np.int64(1), 10**7))
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


def test_a_refused_reset_draws_nothing() -> None:
    for env in (relaysow.envs.Env(RULES), relaysow.envs.VectorEnv(RULES, 2)):
        env.reset(seed=1)
        state = env.np_random.bit_generator.state
        with pytest.raises(TypeError, match="start must be a Position"):
            env.reset(options={"start": 1})
        assert env.np_random.bit_generator.state == state


@pytest.mark.openspiel
def test_odd_values_in_openspiel() -> None:
    import pyspiel

    import relaysow.envs.openspiel

    game = pyspiel.load_game("giuthi(pits=3,seeds=2)")
    state, observer = game.new_initial_state(), game.make_py_observer()
    state.apply_action(0)
    calls: list[tuple[str, Callable[[Any], Any]]] = [
        ("parameters", type(game)),
        *(
            (name, lambda value, name=name: type(game)({name: value}))
            for name in ("rules", "max_game_length", *relaysow.envs.openspiel.PARAMETERS)
        ),
        ("text", game.new_initial_state),
        ("iig_obs_type", game.make_py_observer),
        ("params", lambda value: game.make_py_observer(None, value)),
        ("player", lambda value: state.undo_action(value, 0)),
        ("action", lambda value: state.undo_action(state.current_player(), value)),
        ("state", lambda value: observer.set_from(value, 0)),
        ("player", lambda value: observer.set_from(state, value)),
        ("player", lambda value: observer.string_from(state, value)),
    ]
    refused = 0
    for name, call in calls:
        for odd, make in ODD.items():
            try:
                with alarm(20):
                    call(make())
            except Deliberate:
                assert odd in OWN
            except (TypeError, ValueError) as error:
                refused += 1
                message = f"{error}"
                assert not isinstance(error, UnicodeError)
                assert name in message or "column" in message, (name, odd, message)
                assert told(message, make) or "is not an option" in message, (name, odd, message)
    assert refused > 1_000
    assert state.move_number() == 1


def test_what_is_refused_is_not_made_first() -> None:
    envs = pytest.importorskip("relaysow.envs.gymnasium", exc_type=ImportError)
    many = envs.VectorEnv(num_envs=2)
    with pytest.raises(TypeError, match=r"^actions must be 2 integers, not range\(0, 10+\)$"):
        many.step(range(10**18))
    with pytest.raises(TypeError, match=r"^options beside Rules: ") as refused:
        envs.Env(rs.giuthi(), **{"k" * 10**6: 1})
    assert len(f"{refused.value}") < 10_000
    with pytest.raises(TypeError, match=r"^seconds must be a number, not "):
        rs.analyse(rs.giuthi().start(), seconds=np.timedelta64(1, "s"))


UNCHECKED: dict[str, Callable[[rs.Batch], object]] = {
    "no rows": lambda _: begun(n=0),
    "rows past memory": lambda _: begun(n=2**62),
    "a negative number": lambda _: begun(n=-1),
    "seeds for other rows": lambda _: begun(seed=[1, 2, 3]),
    "a seed past 64 bits": lambda _: unchecked(seed=2**64),
    "no threads": lambda _: unchecked(threads=0),
    "no moves": lambda _: unchecked(max_moves=0),
    "a finished start": lambda _: unchecked(start=rs.Position(RULES, [0] * 6)),
    "no start": lambda _: unchecked(start=None),
    "a row that is not there": lambda batch: batch._position(2),
    "a reset of it": lambda batch: batch._reset([0, 2], None, [], None),
    "seeds for more rows": lambda batch: batch._reset([0], [1, 2], [], None),
    "starts for fewer rows": lambda batch: batch._reset(None, None, [FEW] * 3, None),
    "a start of other rules": lambda batch: batch._reset(None, None, [FIVE.start()], None),
    "a start that is none": lambda batch: batch._reset(None, None, [1], None),  # type: ignore[list-item]
    "out that is no dict": lambda batch: batch._reset(None, None, [], 1),  # type: ignore[arg-type]
}


def unchecked(**given: Any) -> rs.Batch:
    batch = rs.Batch.__new__(rs.Batch)
    plain = {"start": RULES.start(), "n": 2, "seed": 0, "max_moves": None, "exact_mask": False}
    plain |= {"autoreset": "NextStep", "raises": True, "threads": 1}
    batch._begin(**plain | given)
    return batch


@pytest.mark.parametrize("name", UNCHECKED)
def test_the_core_refuses_what_python_has_not_checked(name: str) -> None:
    batch = unchecked()
    before = batch.observations.copy()
    with pytest.raises((ValueError, TypeError, RuntimeError, MemoryError)):
        UNCHECKED[name](batch)
    assert (batch.observations == before).all()
    batch.step(batch.sample())
