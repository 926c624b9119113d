"""Batches move as `Game` does, and whatever arrays they are given, nothing worse than an error."""

from __future__ import annotations

import copy
import pickle
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import relaysow as rs
from relaysow.simulation.summary import ENDS
from strategies import rules_and_positions

LEVELS = rs.build_info()["instruction_sets"]  # "scalar" among them: rows move one by one
NAMED = {"one": 1, "two": 2, "up_to_two": 2}
Array = npt.NDArray[Any]


def candidates(position: rs.Position) -> set[int]:
    """The actions of the sowings that may be begun and whose first lap is not forbidden."""
    rules, found = position.rules, set()
    most = rules.seeds if rules.lift == "any" else 1
    ways = 2 if rules.direction == "either" else 1
    for k in range(rules.pits):
        content = position.pits[position.mover * rules.pits + k]
        for number in range(min(content, most) * ways):
            action = k * most * ways + number
            try:
                sowing = position.sow(position.move(action))
            except rs.IllegalMove:
                continue
            if sowing.reason is None or "first lap" not in sowing.reason:
                found.add(action)
    return found


def batch_at(level: str, *arguments: Any, **options: Any) -> rs.Batch:
    """A batch whose lanes are those of an instruction set."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RELAYSOW_ISA", level)
        return rs.Batch(*arguments, **options)


class Row:
    """What a row of a batch has to do, told by `Game`."""

    def __init__(self, start: rs.Position, max_moves: int | None) -> None:
        self.game, self.max_moves = rs.Game(start), max_moves
        self.since = 0
        self._begin()

    @property
    def position(self) -> rs.Position:
        return self.game.position

    @property
    def truncated(self) -> bool:
        return not self.game.is_over and len(self.game.moves) == self.max_moves

    @property
    def over(self) -> bool:
        return self.game.is_over or self.truncated

    @property
    def redistributes(self) -> bool:
        return not self.over and self.position.redistributions < 2

    def _begin(self) -> None:
        """A redistribution, but for one of nothing."""
        self.emptied: list[int] = []
        self.placing = False
        self.hand = 0
        self.pits = list(self.position.pits)
        if not self.redistributes:
            return
        n, mover = self.position.rules.pits, self.position.mover
        own = self.pits[mover * n : mover * n + n]
        self.most = min(NAMED[self.position.rules.redistribution], n - own.count(0))
        if self.most == 0:
            self.game.push(rs.Redistribute((), (0,) * (2 * n)))
            self._begin()

    def pit(self, k: int) -> int:
        n = self.position.rules.pits
        return (self.position.mover * n + k) % (2 * n)

    def legal(self, exact: bool) -> set[int]:
        rules, n = self.position.rules, self.position.rules.pits
        if self.over:
            return set()
        if self.redistributes:
            if self.placing:
                return {rules.actions + k for k in range(2 * n)}
            some = {rules.actions + k for k in range(n) if self.pits[self.pit(k)]}
            return some | (
                {rules.actions + 2 * n} if rules.redistribution == "up_to_two" else set()
            )
        if exact:
            return {self.position.action(move) for move in self.game.legal_moves}
        return candidates(self.position)

    def push(self, action: int) -> None:
        rules, before = self.position.rules, self.position
        if not self.redistributes:
            self.game.push(before.move(action))
            captured = sum(self.position.stores) > sum(before.stores)
            self.since = 0 if captured else self.since + 1
            self._begin()
            return
        k = action - rules.actions
        if k == 2 * rules.pits:
            self.placing = True
        elif self.placing:
            self.pits[self.pit(k)] += 1
            self.hand -= 1
        else:
            self.emptied.append(self.pit(k))
            self.hand += self.pits[self.pit(k)]
            self.pits[self.pit(k)] = 0
            self.placing = len(self.emptied) == self.most
        if self.placing and self.hand == 0:
            old = [0 if i in self.emptied else c for i, c in enumerate(before.pits)]
            placed = tuple(now - was for now, was in zip(self.pits, old, strict=True))
            self.game.push(rs.Redistribute(tuple(sorted(self.emptied)), placed))
            self._begin()

    def observation(self) -> list[int]:
        p, n = self.position, self.position.rules.pits
        turned = [self.pit(k) for k in range(2 * n)]
        seen = [self.pits[i] for i in turned] + [p.stores[p.mover], p.stores[1 - p.mover]]
        seen += [p.mover, self.since]
        if p.rules.protection != "none":
            seen += [i in p.protected for i in turned]
        if p.rules.extra_direction == "opposite":
            seen.append((None, "ccw", "cw").index(p.direction))
        if p.rules.extra_pit == "not_origin":
            seen.append(0 if p.barred is None else p.barred % n + 1)
        if p.rules.redistribution != "none":
            seen += [p.redistributions, len(self.emptied), self.hand, self.placing]
        return seen


def actions_of(mask: Array) -> set[int]:
    return set(np.flatnonzero(mask).tolist())


def follow(
    batch: rs.Batch, exact: bool, autoreset: str, steps: int, chooser: np.random.Generator | None
) -> Iterator[rs.Game]:
    """Steps a batch and its games side by side, and compares all; the games that ended."""
    start, limit = batch.start, batch.max_moves
    rows = [Row(start, limit) for _ in range(batch.n)]

    def same(r: int, observation: Array, mask: Array | None) -> None:
        row = rows[r]
        assert observation.tolist() == row.observation()
        if mask is not None:
            assert actions_of(mask) == row.legal(exact)
            assert batch.position(r) == row.position
            assert batch.position(r).passed == row.position.passed

    for r in range(batch.n):
        same(r, batch.observations[r], batch.mask[r])
    for _ in range(steps):
        if chooser is None:
            actions = batch.sample()
        else:
            actions = chooser.integers(-1, batch.actions + 1, batch.n)
            for r in np.flatnonzero(batch.mask.any(axis=1) & (chooser.random(batch.n) < 0.9)):
                actions[r] = chooser.choice(np.flatnonzero(batch.mask[r]))
        expected = [row.legal(True) for row in rows]
        observations, mask, rewards, terminated, truncated = batch.step(actions)
        for r, row in enumerate(rows):
            action, reward = int(actions[r]), [0, 0]
            if row.over:
                if autoreset == "NextStep":
                    rows[r] = row = Row(start, limit)
            elif action not in expected[r]:
                assert chooser is not None
                assert batch.illegal[r]
                assert not terminated[r]
                same(r, observations[r], mask[r])
                continue
            else:
                row.push(action)
                if row.game.outcome and row.game.outcome.winner >= 0:
                    reward = [1, -1] if row.game.outcome.winner == 0 else [-1, 1]
                if row.over:
                    outcome = row.game.outcome or rs.Outcome(-2, row.position.stores, "cut")
                    assert tuple(batch.scores[r]) == outcome.stores
                    assert batch.winners[r] == outcome.winner
                    assert ENDS[batch.ends[r]] == outcome.end
                    assert batch.lengths[r] == len(row.game.moves)
                    same(r, batch.final_observations[r], None)
                    yield row.game
            assert not batch.illegal[r]
            assert rewards[r].tolist() == reward
            assert (terminated[r], truncated[r]) == (row.game.is_over, row.truncated)
            if row.over and autoreset == "SameStep":
                rows[r] = Row(start, limit)
            same(r, observations[r], mask[r])


MODES = ("NextStep", "SameStep", "Disabled")
GAMES = st.tuples(
    rules_and_positions(),
    st.integers(0, 2**64 - 1),
    st.booleans(),
    st.sampled_from(MODES),
    st.sampled_from((None, None, 1, 2, 7)),
    st.booleans(),
    st.sampled_from(LEVELS),
    st.sampled_from((2, 9, 19)),
)


@pytest.mark.slow
@given(GAMES)
@settings(max_examples=90)
def test_random_rules(drawn: tuple[Any, ...]) -> None:
    play_random_rules(*drawn)


@pytest.mark.campaign
@given(GAMES)
@settings(max_examples=3_000)
def test_random_rules_at_length(drawn: tuple[Any, ...]) -> None:
    play_random_rules(*drawn)


def play_random_rules(
    drawn: tuple[rs.Rules, Any],
    seed: int,
    exact: bool,
    autoreset: str,
    max_moves: int | None,
    samples: bool,
    level: str,
    n: int,
) -> None:
    rules, setup = drawn
    if rules.lift == "any":  # every lift of the position has a number
        seeds = max(1, sum(setup.arguments["pits"]))
        rules = replace(rules, setup=(seeds,) + (0,) * (2 * rules.pits - 1))
    start = rs.Position(rules, **setup.arguments)
    options: dict[str, Any] = {
        "mask": "exact" if exact else "candidates",
        "autoreset": autoreset,
        "max_moves": max_moves,
        "illegal": "report",
    }
    if Row(start, max_moves).over:
        with pytest.raises(ValueError, match="nothing is left to play"):
            rs.Batch(start, n, seed, **options)
        return
    batch = batch_at(level, start, n, seed, **options)
    chooser = None if samples else np.random.default_rng(seed)
    for _ in follow(batch, exact, autoreset, 25, chooser):
        pass


@pytest.mark.parametrize("n", [9, 1])
@pytest.mark.parametrize("name", rs.RULE_SETS)
def test_named_rule_sets(name: str, n: int) -> None:
    small: dict[str, Any] = {"giuthi": {"pits": 5, "seeds": 3}, "engehe": {"pits": 6, "seeds": 3}}
    rules = rs.RULE_SETS[name](**small.get(name, {}))
    batch = rs.Batch(rules, n, 5, autoreset="SameStep", illegal="report")
    games = list(follow(batch, False, "SameStep", 150, np.random.default_rng(1)))
    assert games or "kiothi" in name


def test_drawn_anew_in_the_lanes() -> None:
    """A third of the draws are first forbidden by their first lap."""
    batch = rs.Batch(rs.kiothi(redistribution="none"), 9, 5, autoreset="SameStep")
    assert list(follow(batch, False, "SameStep", 250, None))


REPEATING = {
    "position": rs.giuthi(pits=4, seeds=2),
    "barred": rs.giuthi(pits=4, seeds=2, extra_pit="not_origin"),
    "own row": rs.giuthi(pits=5, seeds=2, repetition="score"),
    "off": rs.giuthi(pits=4, seeds=2, repetition="off"),
}


@pytest.mark.parametrize("name", REPEATING)
def test_repetition(name: str) -> None:
    rules = REPEATING[name]
    batch = rs.Batch(rules, 4, 2, mask="exact", autoreset="SameStep", max_moves=150)
    ends = {game.outcome.end for game in follow(batch, True, "SameStep", 400, None) if game.outcome}
    assert ("repetition" in ends) == (name != "off")


SIMULATED = {
    "giuthi": rs.giuthi(),
    "small": rs.giuthi(pits=4, seeds=3),
    "leakey": rs.giuthi_leakey(),
    "pratt": rs.giuthi_pratt(),
    "engehe": rs.engehe(pits=12),
    "past a byte": rs.engehe(pits=40),
    "full pits": replace(rs.engehe(), setup=(140, *(2,) * 48, 70, 120, *(2,) * 49)),
    "nearly full pits": replace(rs.engehe(), setup=(126, 126, 126, *(1,) * 97)),
    "full marked pits": rs.Rules(
        pits=30, setup=(70, *(3,) * 28, 20, 40, *(3,) * 29), protection="until_lifted"
    ),
    "many seeds": rs.engehe(pits=10, seeds=20),
    "lifts": rs.Rules(pits=6, setup=(3,) * 12, lift="any", first_lap="not_into_own_occupied"),
    "kiothi": rs.kiothi(redistribution="none"),
    "owner": rs.kiothi_wikipedia(redistribution="none"),
    "draw": rs.giuthi(pits=4, seeds=4, endless="draw", max_laps=9),
    "long": rs.giuthi(pits=6, seeds=5, endless="draw", max_laps=400),
    "capped": rs.giuthi(pits=5, seeds=4, endless="ends_turn", max_laps=5),
}


def finished(batch: rs.Batch, games: int, into: dict[str, Array] | None = None) -> dict[str, Array]:
    """The results of the first so many games, drawn by `sample`; row r plays games r, r + n, …"""
    columns = {
        name: np.full((games, *getattr(batch, name).shape[1:]), -9, np.int64)
        for name in ("scores", "winners", "ends", "lengths")
    }
    number = np.arange(batch.n)
    left = games
    while left:
        _, _, _, terminated, truncated = batch.step(batch.sample(), into)
        for r in np.flatnonzero(terminated | truncated):
            if number[r] < games:
                left -= 1
                for name, column in columns.items():
                    column[number[r]] = getattr(batch, name)[r]
            number[r] += batch.n
    return columns


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("limit", [None, 9])
@pytest.mark.parametrize("name", SIMULATED)
def test_sampled_games_are_those_of_simulate(name: str, limit: int | None, level: str) -> None:
    rules, games = SIMULATED[name], 100
    for autoreset, n in (("SameStep", 70), ("NextStep", 30)):
        batch = batch_at(level, rules, n, 4, autoreset=autoreset, max_moves=limit)
        played = finished(batch, games)
        result = rs.simulate(rules, games, 4, max_moves=limit, threads=1)
        assert (played["scores"] == result.scores).all()
        assert (played["winners"] == result.winner).all()
        assert (played["ends"] == result.end).all()
        assert (played["lengths"] == result.moves).all()


@pytest.mark.parametrize("rules", [rs.giuthi(), rs.kiothi()], ids=["giuthi", "kiothi"])
def test_threads_make_no_difference(rules: rs.Rules) -> None:
    batches = [rs.Batch(rules, 1100, 7, threads=threads) for threads in (1, 2, 5)]
    for _ in range(60):
        samples = [batch.sample() for batch in batches]
        results = [
            [*batch.step(actions), batch.final_observations, batch.scores]
            for batch, actions in zip(batches, samples, strict=True)
        ]
        for others in (
            [actions, *arrays] for actions, arrays in zip(samples, results, strict=True)
        ):
            for one, other in zip([samples[0], *results[0]], others, strict=True):
                assert (one == other).all()


def test_seeds() -> None:
    rules = rs.giuthi(pits=4, seeds=2)

    def drawn(batch: rs.Batch) -> list[list[int]]:
        found = []
        for _ in range(40):
            found.append(batch.sample().tolist())
            batch.step(batch.sample())
        return np.array(found).T.tolist()  # type: ignore[no-any-return]

    alone = [drawn(rs.Batch(rules, 1, [seed]))[0] for seed in (5, 2**64 - 1)]
    for n in (3, 30):
        batch = rs.Batch(rules, n, [5, 2**64 - 1, 5] * (n // 3))
        assert drawn(batch) == [alone[0], alone[1], alone[0]] * (n // 3)
    whole = drawn(rs.Batch(rules, n, 8))
    batch = rs.Batch(rules, n, 8)
    drawn(batch)
    batch.reset(seed=8)
    assert drawn(batch) == whole
    batch.reset([2, 0], seed=[5, 2**64 - 1])
    assert drawn(batch)[:3:2] == alone[::-1]


@pytest.mark.parametrize("n", [4, 40])
def test_reset(n: int) -> None:
    rules = rs.giuthi(pits=5, seeds=2)
    batch = rs.Batch(rules, n, autoreset="Disabled")
    for _ in range(5):
        batch.step(batch.sample())
    before = [batch.position(r) for r in range(4)]
    starts = [rules.start().play(rs.Sow(0, direction=d)) for d in ("ccw", "cw")]
    observations, mask = batch.reset([3, 1], start=starts)
    assert [batch.position(r) for r in range(4)] == [before[0], starts[1], before[2], starts[0]]
    assert observations is batch.observations
    assert mask is batch.mask
    batch.reset(np.arange(n) == 0)
    assert [batch.position(r) for r in (0, 1, 2)] == [rules.start(), starts[1], before[2]]
    batch.reset([])
    batch.reset(start=starts[0])
    assert [batch.position(r) for r in range(n)] == [starts[0]] * n
    out = np.empty_like(batch.observations)
    assert batch.reset(out={"observations": out})[0] is out
    assert (out[:, :10] == 2).all()
    for rows, error, text in (
        ([n], IndexError, f"row={n}: must be 0…{n - 1}"),
        ([1, 1], ValueError, "row 1 is named twice"),
        ([1.0], TypeError, "row must be an integer"),
        ("3", TypeError, "rows must be"),
        (np.array([True]), ValueError, r"rows has the shape \(1,\): must be"),
    ):
        with pytest.raises(error, match=text):
            batch.reset(rows)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="of other rules"):
        batch.reset(start=rs.giuthi().start())
    with pytest.raises(ValueError, match="start has 1 items: must be"):
        batch.reset(start=[starts[0]])
    with pytest.raises(ValueError, match=f"more than {n} items"):
        batch.reset(seed=iter(range(10**9)))
    with pytest.raises(ValueError, match="nothing is left to play"):
        batch.reset(start=rs.Position(rules, [1, 0, 0, 0, 0, 1, 0, 0, 0, 0]))


ENDLESS = rs.Position(rs.giuthi(pits=5, seeds=4), [9, 2, 0, 3, 0, 0, 0, 0, 0, 2])


def test_an_illegal_action_raises_and_no_game_moves() -> None:
    batch = rs.Batch(ENDLESS, 600, threads=2)
    legal = ENDLESS.action(ENDLESS.legal_moves[0])
    actions = np.full(600, legal)
    for r, action, why in (
        (7, 0, r"row 7, action 0: illegal move Sow.*never ends \(period 100 laps\)"),
        (599, 4, "row 599, action 4: .*holds 0 seeds: at least 2"),
        (0, 10, "row 0, action 10: must be 0…9"),
        (3, -1, "row 3, action -1: must be 0…9"),
    ):
        bad = actions.copy()
        bad[r] = action
        bad[599] = 4
        with pytest.raises(rs.IllegalMove, match=why):
            batch.step(bad)
        assert all(batch.position(r) == ENDLESS for r in (0, 1, 300, 599))
    assert batch.mask[0, 0]  # a candidate; the exact mask knows better
    assert not rs.Batch(ENDLESS, 1, mask="exact").mask[0, 0]
    batch.step(actions)
    assert batch.position(0) == ENDLESS.play(ENDLESS.legal_moves[0])


@pytest.mark.parametrize("n", [1, 20])
def test_a_forbidden_first_lap_raises(n: int) -> None:
    start = rs.kiothi(redistribution="none").start()
    batch = rs.Batch(start, n)
    forbidden = set(range(batch.actions)) - actions_of(batch.mask[0])
    action = next(
        a for a in forbidden if (start.move(a).lift or 0) <= start.pits[start.move(a).pit]
    )
    with pytest.raises(rs.IllegalMove, match="first lap ends in an occupied pit of the mover"):
        batch.step(np.full(n, action))
    assert batch.position(n - 1) == start


def test_sample_draws_no_endless_sowing() -> None:
    batch = rs.Batch(ENDLESS, 2000)
    drawn = set(batch.sample().tolist())
    assert drawn == {ENDLESS.action(move) for move in ENDLESS.legal_moves}


def test_decisions_of_a_redistribution_are_told_apart() -> None:
    batch = rs.Batch(rs.kiothi(redistribution="up_to_two"), 1)
    first = batch.rules.actions
    assert batch.actions == first + 21
    for action, why in (
        (0, "a redistribution is due, not a sowing"),
        (first, "no such decision"),
    ):
        with pytest.raises(rs.IllegalMove, match=f"row 0, action {action}: {why}"):
            batch.step(np.array([action]))
    for _ in range(2):
        batch.step(np.array([first + 20]))
    assert batch.position(0).redistributions == 2
    with pytest.raises(rs.IllegalMove, match="a sowing is due, not a redistribution"):
        batch.step(np.array([first]))


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_actions_of_any_integers(dtype: str) -> None:
    batch, other = rs.Batch(rs.giuthi(), 3, 4), rs.Batch(rs.giuthi(), 3, 4)
    wide = np.zeros((3, 5), dtype)
    for _ in range(20):
        wide[:, 2] = batch.sample()
        batch.step(wide[:, 2])
        other.step(other.sample())
        assert (batch.observations == other.observations).all()
    if dtype == "u8":
        with pytest.raises(rs.IllegalMove, match="row 1"):
            batch.step(np.array([batch.sample()[0], 2**64 - 1, 0], dtype))


def test_arrays_of_the_caller() -> None:
    plain, batch = rs.Batch(rs.kiothi(), 5, 1), rs.Batch(rs.kiothi(), 5, 1)
    names = ("observations", "mask", "rewards", "terminated", "truncated")
    out = {name: np.ones_like(getattr(batch, name)) for name in names}
    out["mask"] = out["mask"].astype(np.int8)
    actions = np.empty(5, np.int64)
    for _ in range(100):
        assert batch.sample(actions) is actions
        returned = batch.step(actions, out)
        expected = plain.step(plain.sample())
        for name, array, wanted in zip(names, returned, expected, strict=True):
            assert array is out[name]
            assert (array == wanted).all()


def test_arrays_that_do_not_fit() -> None:
    batch = rs.Batch(rs.giuthi(), 4)
    good = batch.sample()
    before = batch.position(2)
    read_only = np.zeros((4, 20), np.int16)
    shared = np.zeros(112, np.int16)
    read_only.flags.writeable = False
    shifted = np.frombuffer(bytearray(4 * 20 * 2 + 1), np.int8)[1:].view(np.int16).reshape(4, 20)
    cases: list[tuple[Any, type[Exception], str]] = [
        (
            {"observations": np.zeros((4, 19), np.int16)},
            ValueError,
            r"\(4, 19\): must be \(4, 20\)",
        ),
        ({"observations": np.zeros(80, np.int16)}, ValueError, r"shape \(80,\)"),
        ({"observations": np.zeros((4, 20), np.int32)}, TypeError, "of int32: must be int16"),
        ({"observations": np.zeros((4, 20), ">i2")}, TypeError, "byte order"),
        ({"observations": np.zeros((4, 40), np.int16)[:, ::2]}, ValueError, "C-contiguous"),
        ({"observations": np.zeros((20, 4), np.int16).T}, ValueError, "C-contiguous"),
        ({"observations": read_only}, ValueError, "read-only"),
        ({"observations": shifted}, ValueError, "aligned"),
        ({"observations": [[0] * 20] * 4}, TypeError, "must be a NumPy array of int16, not list"),
        ({"observations": None}, TypeError, "not NoneType"),
        ({"mask": np.zeros((4, 16), np.float32)}, TypeError, "must be bool"),
        ({"rewards": np.zeros((4, 2))}, TypeError, "must be float32"),
        ({"terminated": np.zeros(4, np.int8)}, TypeError, "must be bool"),
        ({"truncated": np.zeros((4, 1), np.bool_)}, ValueError, r"must be \(4,\)"),
        ({"reward": np.zeros((4, 2), np.float32)}, ValueError, "out has 'reward'"),
        ({3: 4}, ValueError, "out has 3"),
        (
            dict.fromkeys(("terminated", "truncated"), np.zeros(4, np.bool_)),
            ValueError,
            "terminated and truncated share memory",
        ),
        (
            {
                "observations": shared[:80].reshape(4, 20),
                "mask": shared.view(np.bool_)[156:220].reshape(4, 16),
            },
            ValueError,
            "observations and mask share memory",
        ),
        (
            {"terminated": batch.truncated},
            ValueError,
            "terminated shares memory with .* own truncated",
        ),
        ([], TypeError, "out must be a dict"),
    ]
    for out, error, text in cases:
        with pytest.raises(error, match=text):
            batch.step(good, out)
    bad_actions: list[tuple[Any, type[Exception], str]] = [
        ([0] * 4, TypeError, "must be a NumPy array of integers, not list"),
        (np.zeros(4), TypeError, "float64"),
        (np.zeros(4, np.bool_), TypeError, "bool"),
        (np.zeros(4, ">i8"), TypeError, "byte order"),
        (np.zeros(4, object), TypeError, "must be of integers"),
        (np.zeros(3, np.int64), ValueError, r"shape \(3,\): must be \(4,\)"),
        (np.zeros((4, 1), np.int64), ValueError, "shape"),
        (np.array(0), ValueError, "shape"),
        (None, TypeError, "NoneType"),
    ]
    for actions, error, text in bad_actions:
        with pytest.raises(error, match=text):
            batch.step(actions)
    with pytest.raises(TypeError, match="must be int64"):
        batch.sample(np.zeros(4, np.int32))  # type: ignore[arg-type]
    assert batch.position(2) == before
    # Its own arrays cannot be taken away from under it, and outlive it.
    with pytest.raises(ValueError, match="own"):
        batch.observations.resize((1, 1), refcheck=False)
    observations = batch.observations
    del batch
    assert (observations[:, :16] == 8).all()


def test_arguments_that_do_not_fit() -> None:
    rules = rs.giuthi()
    cases: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"n": 0}, ValueError, "n=0: must be 1…"),
        ({"n": -1}, ValueError, "n=-1"),
        ({"n": 10**30}, ValueError, "n=10{30}"),
        ({"n": 2.0}, TypeError, "n must be an integer, not 2.0"),
        ({"seed": -1}, ValueError, "seed=-1: must be 0…2⁶⁴−1"),
        ({"seed": 2**64}, ValueError, "seed=18446744073709551616"),
        ({"seed": 1.5}, TypeError, "seed must be an integer"),
        ({"seed": "1"}, TypeError, "seed must be an integer"),
        ({"seed": [1]}, ValueError, "seed has 1 items: must be 2"),
        ({"seed": [1, True]}, TypeError, "seed must be an integer, not True"),
        ({"max_moves": 0}, ValueError, "max_moves=0"),
        ({"mask": "all"}, ValueError, "mask='all': must be 'candidates' or 'exact'"),
        ({"autoreset": "next_step"}, ValueError, "must be 'NextStep', 'SameStep' or 'Dis"),
        ({"autoreset": 3}, TypeError, "autoreset must be 'NextStep'"),
        ({"illegal": None}, TypeError, "illegal must be 'raise' or"),
        ({"threads": 0}, ValueError, "threads=0: must be 1…1024"),
        ({"rules": "giuthi"}, TypeError, "starts from Rules or a Position, not 'giuthi'"),
    ]
    for arguments, error, text in cases:
        with pytest.raises(error, match=text):
            rs.Batch(**{"rules": rules, "n": 2, **arguments})
    full = rs.Position(rs.kiothi(), [300] + [1] * 19)
    with pytest.raises(ValueError, match="holds 319 seeds, the set-up 60"):
        rs.Batch(full, 1)
    batch = rs.Batch(rs.giuthi(), 1)
    with pytest.raises(ValueError, match="more seeds than this Batch has room for"):
        batch.reset(start=rs.Position(rs.giuthi(), [20] * 16))
    for row, error in ((1, IndexError), (-1, IndexError), (0.0, TypeError)):
        with pytest.raises(error):
            batch.position(row)  # type: ignore[arg-type]
    for copied in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="cannot be pickled"):
            copied(batch)
    with pytest.raises(TypeError, match="without __init__"):
        len(rs.Batch.__new__(rs.Batch))


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_amid_a_step(threads: int) -> None:
    """What is left of the step is done by the next call, or for who asks for an array."""
    rules, n = rs.giuthi(pits=64, seeds=7), 40_000
    batch, twin = (rs.Batch(rules, n, threads=threads, mask="exact") for _ in range(2))
    actions, seen = batch.sample(), batch.observations
    twin.sample()
    begun = time.monotonic()
    twin.step(actions)
    half = (time.monotonic() - begun) / 2
    for _ in range(10):  # it may come too soon or too late to find rows half written
        batch.reset(seed=0)
        batch.sample()
        seen[:] = -1
        timer = threading.Timer(half, signal.raise_signal, [signal.SIGINT])
        with suppress(KeyboardInterrupt):
            timer.start()
            batch.step(actions)
            timer.join()
        written = int((seen[:, 0] >= 0).sum())
        if 0 < written < n:
            break
    else:
        pytest.fail("every row was written before the step ended")
    assert (batch.observations == twin.observations).all()
    assert (batch.mask == twin.mask).all()
    assert (batch.step(batch.sample())[0] == twin.step(twin.sample())[0]).all()


def test_one_thread_at_a_time() -> None:
    """Many threads on one batch: some are turned away, and it stays whole."""
    batch = rs.Batch(rs.giuthi(), 3000, autoreset="SameStep", threads=2)
    errors: list[Exception] = []

    def work() -> None:
        for _ in range(30):
            try:
                batch.step(batch.sample())
            except (RuntimeError, rs.IllegalMove) as error:
                errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("another thread" in str(e) or "illegal" in str(e) for e in errors)
    batch.step(batch.sample())
    n = len(batch)
    assert (batch.observations[:, :18].sum(axis=1) == 128).sum() == n
