"""Odd input of every kind: it works, or it raises the error that the documentation names.

`attempt` makes one such input and uses it.  It draws its choices from a seeded generator here and
from the bytes of a coverage-guided fuzzer in fuzz.py, so both walk the same ground.
"""

from __future__ import annotations

import copy
import math
import pickle
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from typing import Any, Protocol, TypeVar

import numpy as np
import pytest

import relaysow as rs
from relaysow._support.checks import is_integer
from relaysow.options import CHOICES

T = TypeVar("T")

DOCUMENTED = (rs.RulesError, rs.PositionError, rs.NotationError, rs.IllegalMove)
PATIENCE = 0.5  # seconds of the processor; a longer call gets a signal, and must end soon after


class Source(Protocol):
    """Where choices come from."""

    def below(self, n: int) -> int:
        """A number in 0…n−1."""


class Seeded:
    """Choices of a seeded generator."""

    def __init__(self, seed: int) -> None:
        self.below = random.Random(seed).randrange


class Given:
    """Choices spelt out by bytes; when those run out, always the first."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def below(self, n: int) -> int:
        size = ((n - 1).bit_length() + 7) // 8
        taken = self.data[self.at : self.at + size]
        self.at += size
        return int.from_bytes(taken) % n


class UserError(Exception):
    """Raised by an object passed in; it must come out again as it is."""


class Raising:
    def __index__(self) -> int:
        raise UserError

    def __iter__(self) -> Iterator[int]:
        raise UserError


class Shrinking(list[Any]):
    """A list that empties itself when one of its numbers is read."""

    def __init__(self, length: int) -> None:
        super().__init__()
        outer = self

        class Emptying:
            def __index__(self) -> int:
                outer.clear()
                return 1

        self.extend(Emptying() for _ in range(length))


class LyingLength(list[int]):
    def __len__(self) -> int:
        return 3


class Text(str):
    pass


# fmt: off
ODD: tuple[Any, ...] = (
    -(2**63) - 1, -(2**63), -(2**31), -129, -2, -1, 0, 1, 2, 3, 7, 9, 64, 65, 127, 128, 255, 256,
    1000, 1001, 32767, 65535, 65536, 2**31 - 1, 2**31, 2**32, 2**63 - 1, 2**63, 2**64, 10**30,
    -(10**30), 2**20000, None, True, False, ..., NotImplemented, 0.0, 1.0, -1.5, math.nan, math.inf,
    1j, Decimal(1), Decimal("1.5"), Fraction(3, 1), np.int8(-3), np.uint64(2**63), np.float32(1.5),
    np.bool_(True), np.array(3), np.array([1, 2, 3]), np.zeros((2, 2)), np.array(["1"]),
    "", "1", "ccw", "cw", "none", "all", "\0", "\ud800", "²", "3+", Text("ccw"), "9" * 5000, b"", b"1",
    bytearray(b"ccw"), (), [], {}, set(), range(3), range(10**9), slice(1), int, threading, [1, 2],
    [None], [[1]], [1.0], ["1"], {1: 2}, [2**64], [-1], {0}, frozenset((0, 1)), object(), len,
    Raising(), UserError(), LyingLength([1] * 16), [8] * 100_000, rs.Sow(0), rs.giuthi(),
    rs.giuthi().start(), rs.giuthi().start().legal_moves,
)
# fmt: on
FRESH: tuple[Callable[[], Any], ...] = (
    lambda: iter([1, 2]),
    lambda: (i for i in range(16)),
    lambda: Shrinking(16),
    lambda: Shrinking(10),
)


def pick(source: Source, values: Sequence[T]) -> T:
    return values[source.below(len(values))]


def odd(source: Source) -> Any:
    return pick(source, FRESH)() if source.below(20) == 1 else pick(source, ODD)


def seldom_odd(source: Source, value: T, one_in: int = 24) -> T:
    """`value`, or once in a while something odd in its place."""
    return odd(source) if source.below(one_in) == 1 else value


def some_rules(source: Source) -> rs.Rules:
    """Rules that are in order."""
    name = pick(source, tuple(rs.RULE_SETS))
    options: dict[str, Any] = {}
    for _ in range(source.below(4)):
        option = pick(source, tuple(CHOICES))
        options[option] = pick(source, CHOICES[option])
    if source.below(8) == 1:
        options["max_laps"] = 1 + source.below(40)
    pits = 3 + source.below(62) if source.below(16) == 1 else 3 + source.below(7)
    if name.startswith("kiothi"):
        size = {"pits": pits, "seeds": 1 + source.below(6), "filled": 1 + source.below(pits)}
    else:
        size = {"pits": pits, "seeds": 1 + source.below(7)}
    try:
        return rs.RULE_SETS[name](**size, **options)
    except rs.RulesError as error:
        assert "contradicts" in str(error)
        return rs.giuthi(pits=pits, seeds=size["seeds"])


def some_pits(source: Source, rules: rs.Rules) -> list[Any]:
    ring = [source.below(4) * source.below(6) for _ in range(2 * rules.pits)]
    if source.below(2):
        ring = [seeds if source.below(3) == 0 else 0 for seeds in ring]
    if source.below(24) == 1:
        ring = ring * source.below(40) if source.below(2) else ring[: source.below(len(ring))]
    if ring and source.below(6) == 1:
        ring[source.below(len(ring))] = source.below(1001)
    if ring and source.below(12) == 1:
        ring[source.below(len(ring))] = odd(source)
    return ring


def some_position(source: Source) -> rs.Position:
    """A set-up; one in several is out of order."""
    rules = some_rules(source)
    if source.below(4) == 0:
        return rs.Position.start(rules)
    further: dict[str, Any] = {}
    if rules.protection != "none" and source.below(2):
        further["protected"] = [source.below(2 * rules.pits) for _ in range(source.below(4))]
    if rules.extra_direction == "opposite" and source.below(2):
        further["direction"] = pick(source, ("ccw", "cw", None))
    if rules.extra_pit == "not_origin" and source.below(2):
        further["barred"] = source.below(2 * rules.pits)
    if rules.redistribution != "none" and source.below(2):
        further["redistributions"] = source.below(3)
        further["protected"] = ()
    if rules.endless == "draw" and source.below(16) == 1:
        further["drawn"] = True
    for name in ("protected", "direction", "barred", "redistributions", "drawn", "nonsense"):
        if source.below(60) == 1:
            further[name] = odd(source)
    return rs.Position(
        seldom_odd(source, rules, 60),
        seldom_odd(source, some_pits(source, rules), 60),
        seldom_odd(source, (source.below(30), source.below(30)), 60),
        seldom_odd(source, source.below(2), 60),
        **further,
    )


def some_move(source: Source, position: rs.Position) -> Any:
    """A legal move, something near to one, or nothing of the kind."""
    moves = position.legal_moves
    kind = source.below(8)
    if kind == 0:
        return odd(source)
    if kind == 1 or not moves:
        return rs.Sow(
            seldom_odd(source, source.below(2 * position.rules.pits + 2), 8),
            seldom_odd(source, pick(source, (None, 1, 2, 3, 1000)), 8),
            seldom_odd(source, pick(source, (None, "ccw", "cw")), 8),
        )
    if kind == 2:
        placed = [source.below(12) for _ in range(2 * position.rules.pits)]
        emptied = [source.below(2 * position.rules.pits) for _ in range(source.below(4))]
        return rs.Redistribute(seldom_odd(source, emptied, 8), seldom_odd(source, placed, 8))
    return moves[source.below(min(moves.count, 2**40))]


GRAMMAR = "0123456789,;/=+-x:|()[]#' \n\tabcdefghijklmnopqrstuvwxyzNS"
STRANGE = ("", "\0", "−", "²", "٣", "３", "\u202e", "\ud800", "∞", "é", "\r\n", "-1", "1e3", "0x1")
LONG = ("9" * 19, "9" * 20, "1" * 400, "9" * 5000, "(" * 2000, "," * 300, "0," * 200, "x" * 50)


def spoilt(source: Source, text: str, other: str) -> str:
    """`text` after a few slips of the pen, with pieces of `other`."""
    for _ in range(source.below(5)):
        at = source.below(len(text) + 1)
        to = min(len(text), at + source.below(6))
        kind = source.below(8)
        if kind == 7:
            middle = pick(source, LONG)
        elif kind == 6:
            middle = pick(source, STRANGE)
        elif kind == 5:
            start = source.below(len(other) + 1)
            middle = other[start : start + source.below(30)]
        elif kind == 4:
            middle = text[at:to] * 2
        elif kind >= 2:
            middle = pick(source, GRAMMAR)
        else:
            middle = ""
        text = text[:at] + middle + text[to if kind else at + 1 :]
    return text


def use(position: rs.Position) -> None:
    """Everything that must hold of any position."""
    assert rs.Position.from_text(position.to_text()) == position
    assert pickle.loads(pickle.dumps(position)) == position
    assert sum(position.pits) + sum(position.stores) <= 1000
    moves = position.legal_moves
    assert bool(moves) == (moves.count > 0) == (not position.is_over)
    if position.is_over:
        assert position.final_stores is not None
        assert sum(position.final_stores) <= sum(position.pits) + sum(position.stores)


def try_rules(source: Source) -> None:
    make = pick(source, (rs.Rules, *rs.RULE_SETS.values()))
    options: dict[str, Any] = {}
    for _ in range(source.below(4)):
        name = pick(source, (*CHOICES, "pits", "seeds", "setup", "filled", "max_laps", "nonsense"))
        options[name] = pick(source, CHOICES[name]) if name in CHOICES else odd(source)
        options[name] = seldom_odd(source, options[name], 6)
    rules = make(**options)
    assert eval(repr(rules), vars(rs)) == rules == pickle.loads(pickle.dumps(rules))
    use(rules.start())


def try_position(source: Source) -> None:
    position = some_position(source)
    use(position)
    if source.below(4) == 0:
        assert eval(repr(position), vars(rs)) == position
        assert str(position)
        assert hash(rs.Position.from_text(position.to_text())) == hash(position)


def try_moves(source: Source) -> None:
    """Some moves in a row, each a chance to be wrong."""
    position = some_position(source)
    for _ in range(1 + source.below(12)):
        move = some_move(source, position)
        total = sum(position.pits) + sum(position.stores)
        told = position.sow(move)
        if told.after is None:
            assert told.reason
            with pytest.raises(rs.IllegalMove):
                position.play(move)
            continue
        assert position.play(move) == told.after
        position = told.after
        assert sum(position.pits) + sum(position.stores) == total
    use(position)


def try_legal_moves(source: Source) -> None:
    position = some_position(source)
    moves = position.legal_moves
    kind = source.below(6)
    if kind == 0:
        key = odd(source)
        if isinstance(key, slice) and moves.count > 10_000:
            return
        moves[key]
    elif kind == 1:
        assert len(moves) == moves.count
    elif kind == 2:
        move = some_move(source, position)
        assert (move in moves) == (moves.count > 0 and _plays(position, move))
        moves.index(move)
    elif kind == 3 and moves:
        i = source.below(moves.count)
        assert moves.index(moves[i]) == i
        assert moves[i] == moves[i - moves.count]
    elif kind == 4:
        bounds = [seldom_odd(source, source.below(9) - 4, 8) for _ in range(3)]
        deprecated = any(isinstance(bound, np.bool_) for bound in bounds)  # before NumPy 2.3
        if moves.count < 1000 and not deprecated:
            assert list(moves[slice(*bounds)]) == list(moves)[slice(*bounds)]
    else:
        assert repr(moves)
        assert (moves == odd(source)) in (True, False)


def _plays(position: rs.Position, move: Any) -> bool:
    try:
        position.play(move)
    except (rs.IllegalMove, TypeError):
        return False
    return True


def try_actions(source: Source) -> None:
    position = some_position(source)
    number = seldom_odd(source, source.below(position.rules.actions + 2), 3)
    assert position.action(position.move(number)) == number
    position.action(some_move(source, position))


def try_perft(source: Source) -> None:
    position = some_position(source)
    if position.legal_moves.count < 40 and position.rules.pits < 9:
        rs.perft(position, seldom_odd(source, source.below(3), 4))
    else:
        rs.perft(seldom_odd(source, position, 4), source.below(2) - source.below(2))


def try_position_text(source: Source) -> None:
    text = spoilt(source, some_position(source).to_text(), some_position(source).to_text())
    use(rs.Position.from_text(seldom_odd(source, text)))


def try_move_text(source: Source) -> None:
    position = some_position(source)
    texts = ["3+", "4x2", "7", "1,4=0,0,2,1"]
    if position.legal_moves:
        move = position.legal_moves[source.below(min(position.legal_moves.count, 2**40))]
        texts.append(position.move_to_text(move))
        assert position.move_from_text(texts[-1]) == move
    text = spoilt(source, texts[-1], pick(source, texts))
    move = position.move_from_text(seldom_odd(source, text))
    position.move_to_text(seldom_odd(source, move))
    position.sow(move)


def some_game(source: Source) -> rs.Game:
    start: Any = some_rules(source) if source.below(2) else some_position(source)
    game = rs.Game(seldom_odd(source, start, 60))
    for _ in range(source.below(10)):
        if source.below(8) == 1:
            game.undo()
        elif game.legal_moves:
            game.push(game.legal_moves[source.below(min(game.legal_moves.count, 2**40))])
        else:
            game.push(some_move(source, game.position))
    return game


def try_game(source: Source) -> None:
    game = some_game(source)
    record = game.record()
    assert rs.Game.from_record(record).record() == record
    other = rs.Game.from_record(seldom_odd(source, spoilt(source, record, record)))
    use(other.position)


def try_simulate(source: Source) -> None:
    start: Any = some_position(source) if source.below(2) else some_rules(source)
    options: dict[str, Any] = {"games": 1 + source.below(3), "threads": 1, "max_moves": 50}
    for name in ("games", "seed", "threads", "policy", "max_moves", "first_game", "engine"):
        if source.below(12) == 1:
            options[name] = odd(source)
    for name in ("games", "threads"):
        options[name] = bounded(options[name], 8)
    result = rs.simulate(seldom_odd(source, start, 30), **options)
    assert len(result.scores) == options["games"]


def try_objects(source: Source) -> None:
    """What Python lets anyone do to an object."""
    kind = source.below(6)
    position = rs.Position.__new__(rs.Position) if kind == 0 else some_position(source)
    if kind <= 1:
        name = pick(source, [name for name in dir(rs.Position) if not name.startswith("__")])
        value = getattr(position, name)
        if callable(value):
            value(odd(source))
    elif kind == 2:
        state = list(position.__reduce_ex__(2)[2])
        if source.below(2):
            state[0] = list(state[0])
            state[0][source.below(len(state[0]))] = odd(source)
            state[0] = tuple(state[0])
        else:
            state[source.below(len(state))] = odd(source)
        rs.Position.__new__(rs.Position).__setstate__(seldom_odd(source, tuple(state), 4))
    elif kind == 3:
        use(copy.deepcopy(position))
        assert (position == odd(source)) in (True, False)
    elif kind == 4:
        with pytest.raises((AttributeError, TypeError)):
            setattr(position, pick(source, ("pits", "mover", "rules", "nonsense")), odd(source))
    else:
        rs.Position.start(odd(source))


def bounded(value: Any, most: int) -> Any:
    """`value`, or `most` for a number that is in order but takes more time or memory than it is worth."""
    is_number = is_integer(value) and not isinstance(value, Raising)
    return most if is_number and value.__index__() > most else value


def some_actions(source: Source, batch: rs.Batch) -> Any:
    kind = source.below(24)
    if kind > 2:
        return batch.sample()
    actions = np.array([source.below(batch.actions + 2) - 1 for _ in range(len(batch))])
    return odd(source) if kind else actions.astype(pick(source, ("i1", "i2", ">i4", "i8", "f8")))


def try_batch(source: Source) -> None:
    start: Any = some_position(source) if source.below(2) else some_rules(source)
    options: dict[str, Any] = {"illegal": pick(source, ("raise", "report"))}
    for name in ("seed", "max_moves", "mask", "autoreset", "illegal", "threads"):
        if source.below(30) == 1:
            options[name] = bounded(odd(source), 100 if name == "threads" else 10**30)
    batch = rs.Batch(
        seldom_odd(source, start, 30),
        bounded(seldom_odd(source, 1 + source.below(9)), 70),
        **options,
    )
    for _ in range(source.below(8)):
        kind = source.below(24)
        if kind == 0:
            rows = seldom_odd(source, None, 2)
            batch.reset(rows, seed=seldom_odd(source, None, 2), start=seldom_odd(source, None, 2))
        elif kind == 1:
            use(batch.position(seldom_odd(source, source.below(len(batch)), 4)))
        elif kind == 2:
            batch.sample(odd(source))
        elif kind == 3:
            name = pick(source, ("observations", "mask", "rewards", "terminated", "nonsense"))
            batch.step(batch.sample(), out={name: odd(source)})
        else:
            batch.step(some_actions(source, batch))


def try_analysis(source: Source) -> None:
    position = some_position(source)
    options: dict[str, Any] = {}
    if source.below(2):
        for name in ("max_positions", "tablebase"):
            if source.below(4) == 1:
                options[name] = odd(source)
        options["max_positions"] = bounded(options.get("max_positions", 2_000), 2_000)
        rs.solve(seldom_odd(source, position), **options)
        return
    for name in ("seconds", "depth", "lines", "threads", "memory", "tablebase", "report"):
        if source.below(10) == 1:
            options[name] = odd(source)
    most = {"threads": 4, "memory": 2**24}
    options = {name: bounded(value, most.get(name, 200)) for name, value in options.items()}
    nodes = bounded(seldom_odd(source, 1 + source.below(500)), 10_000)
    rs.analyse(seldom_odd(source, position), nodes=nodes, **options)


ATTEMPTS: tuple[Callable[[Source], None], ...] = (
    *(try_rules, try_position, try_position, try_moves, try_moves, try_moves),
    *(try_legal_moves, try_legal_moves, try_actions, try_perft, try_position_text),
    *(try_position_text, try_move_text, try_move_text, try_game, try_simulate, try_objects),
    *(try_batch, try_analysis),
)


def attempt(source: Source) -> str:
    """One input: how it ended, "fine" or the name of the documented error."""
    action = pick(source, ATTEMPTS)
    try:
        action(source)
    except DOCUMENTED as error:
        assert str(error)
        return type(error).__name__
    except (TypeError, UserError) as error:
        return type(error).__name__
    except IndexError:
        assert action in (try_legal_moves, try_game, try_batch)
        return "IndexError"
    except OverflowError:
        assert action is try_legal_moves
        return "OverflowError"
    except ValueError as error:
        # A move that cannot be at all, and what is not in a sequence.
        assert type(error) is ValueError, repr(error)
        assert str(error)
        return "ValueError"
    return "fine"


class Interrupted(BaseException):
    pass


@contextmanager
def watched() -> Iterator[Callable[[], None]]:
    """Yields a function that starts the clock anew; when time is up, the call gets a signal."""
    if not hasattr(signal, "setitimer"):
        yield lambda: None
        return

    def interrupt(*_: object) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGVTALRM, interrupt)
    try:
        yield lambda: signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE, PATIENCE)  # type: ignore[func-returns-value]
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def attempts(first: int, count: int) -> dict[str, int]:
    """The ends of the inputs number `first` and following, counted."""
    ends: dict[str, int] = {}
    with watched() as restart:
        for seed in range(first, first + count):
            restart()
            began = time.process_time()
            try:
                end = attempt(Seeded(seed))
            except Interrupted:
                # A sowing may take longer than anyone can wait, but it answers to a signal.
                assert time.process_time() - began < 2 * PATIENCE, f"input {seed} hangs"
                end = "interrupted"
            except Exception as error:
                raise AssertionError(f"input {seed}: {error!r}") from error
            ends[end] = ends.get(end, 0) + 1
    return ends


@pytest.mark.parametrize("first", range(0, 20_000, 5_000))
def test_odd_input(first: int) -> None:
    ends = attempts(first, 5_000)
    assert ends["fine"] > 1_000
    assert all(ends[error.__name__] > 10 for error in DOCUMENTED), ends


@pytest.mark.campaign
def test_a_million_odd_inputs(record_property: Callable[[str, object], None]) -> None:
    ends = attempts(0, 1_000_000)
    print(ends)
    record_property("ends", ends)
    assert sum(ends.values()) == 1_000_000


def test_numpy_does_not_list_the_moves() -> None:
    moves = rs.kiothi().start().legal_moves
    with watched() as start:
        start()
        assert [moves == value for value in (np.int8(3), np.array([1, 2]))] == [False, False]
