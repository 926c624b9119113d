"""The lockstep kernel plays the games of the scalar path and the reference, on every instruction set.

A scalar path of the same core is forced by RELAYSOW_ISA, which is read at every call.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import relaysow as rs
from relaysow import _core
from relaysow.check import random_rules
from relaysow.simulation import simulate
from relaysow.simulation.columns import COLUMNS
from strategies import rules_and_positions

SETS = _core.build_info()["instruction_sets"]
KERNELS = [name for name in SETS if name != "scalar"]


@pytest.fixture(autouse=True)
def any_instruction_set() -> Iterator[None]:
    before = os.environ.pop("RELAYSOW_ISA", None)
    yield
    os.environ.pop("RELAYSOW_ISA", None)
    if before is not None:
        os.environ["RELAYSOW_ISA"] = before


def played(name: str, start: Any, games: int, seed: int, **more: Any) -> dict[str, Any]:
    os.environ["RELAYSOW_ISA"] = name
    arguments = {"first_game": 0, "threads": 1, "max_moves": None} | more
    columns, done, error = _core.simulate(
        start=start, games=games, seed=seed, south="random", north="random", poll=None, **arguments
    )
    assert (done, error) == (games, None)
    return columns


def assert_same_everywhere(start: Any, games: int, seed: int, **more: Any) -> None:
    scalar = played("scalar", start, games, seed, **more)
    for name in KERNELS:
        columns = played(name, start, games, seed, **more)
        for column in COLUMNS:
            where = f"{column} of {name} under {start.rules!r}, {seed=}, {more}"
            np.testing.assert_array_equal(columns[column], scalar[column], err_msg=where)


@pytest.mark.parametrize("name", rs.RULE_SETS)
def test_named_rule_sets(name: str) -> None:
    games = 100 if name == "kiothi_wikipedia" else 333
    assert_same_everywhere(rs.RULE_SETS[name]().start(), games, 2**63 + 5, first_game=2**63)


@pytest.mark.parametrize("rules", [rs.giuthi(pits=6, seeds=4), rs.engehe(pits=8), rs.kiothi()])
def test_the_reference_plays_these_games(rules: rs.Rules) -> None:
    reference = simulate(rules, games=30, seed=8, engine="reference")
    for name in SETS:
        columns = played(name, rules.start(), 30, 8)
        for column in COLUMNS:
            np.testing.assert_array_equal(columns[column], getattr(reference, column))


def random_plans(seed: int, count: int) -> Iterator[tuple[rs.Rules, int, dict[str, Any]]]:
    """Rules with every option drawn, most of them with the scope that the kernel plays."""
    chance = random.Random(seed)
    for _ in range(count):
        rules = random_rules(chance)
        cut = chance.choice((None, None, 1, 2, 7, 100, 300))
        if rules.repetition == "off" and cut is None:
            cut = 200
        yield rules, chance.choice((1, 17, 64, 65, 130)), {"max_moves": cut}


def test_random_rules() -> None:
    for number, (rules, games, more) in enumerate(random_plans(1, 60)):
        assert_same_everywhere(rules.start(), games, number, **more)


@pytest.mark.campaign
def test_random_rules_at_length() -> None:
    for number, (rules, games, more) in enumerate(random_plans(2, 3_000)):
        assert_same_everywhere(rules.start(), games, number, **more)


@pytest.mark.slow
@given(rules_and_positions(), st.integers(0, 2**64 - 1), st.integers(1, 70))
def test_random_positions(drawn: tuple[rs.Rules, Any], seed: int, games: int) -> None:
    assert_same_everywhere(drawn[1](rs), games, seed, max_moves=40)


FULL = rs.engehe(pits=40, seeds=8)  # 640 seeds: counts past a byte are watched for


@pytest.mark.parametrize(
    "start",
    [
        FULL.start(),
        rs.Position(FULL, pits=[300, 126, 127, 128, *[2] * 20, *[0] * 56], mover=0),
        rs.Position(FULL, pits=[*[120] * 4, *[0] * 36, *[1] * 40], mover=1),
        rs.Position(FULL, pits=[254, *[2] * 39, *[4] * 40]),
        rs.engehe(pits=64, seeds=5).start(),
        rs.Position(
            rs.giuthi(pits=40, seeds=4, chain="none", protection="until_owner_lifts"),
            pits=[63, 64, *[4] * 39, 90, *[0] * 38],
            protected=[0, 40, 79],
        ),
        rs.giuthi(pits=20, seeds=8, lone_seed="taken").start(),
        rs.giuthi(protection="until_lifted").start(),  # 128 seeds: seven bits for 127 in a pit
        rs.Position(rs.giuthi(protection="until_lifted"), pits=[126, 2, *[0] * 14]),
        rs.Position(rs.giuthi(protection="until_lifted"), pits=[128, *[0] * 15]),
        rs.Position(rs.giuthi(protection="until_lifted", minimum_lift=1), pits=[127, 1, *[0] * 14]),
        rs.Position(
            rs.giuthi(protection="until_owner_lifts", chain="none"),
            pits=[60, 1, 0, 2, 0, 1, 0, 1, 60, 0, 1, 0, 1, 0, 1, 0],
            protected=[8],
        ),
        rs.giuthi(pits=16, seeds=8, origin="skipped").start(),
        rs.Position(rs.engehe(pits=17), pits=[34, *[0] * 16, *[1] * 17]),
        rs.Position(rs.engehe(pits=20, origin="skipped"), pits=[39, *[0] * 19, *[1] * 20]),
    ],
    ids=[
        *("640 seeds", "300 in a pit", "120 in pits", "254 in a pit", "2x64", "protected"),
        *("8 a pit", "8 a pit, protected", "126 protected", "128 protected", "127 and 1"),
        *("60 in pits, protected", "256 seeds"),
        *("once around", "once around, origin skipped"),
    ],
)
def test_full_pits(start: rs.Position) -> None:
    assert_same_everywhere(start, 70, 3)
    for max_moves in (1, 9):
        assert_same_everywhere(start, 70, 4, max_moves=max_moves)


@pytest.mark.parametrize("pits", [17, 24, 31, 40, 47, 64])
def test_long_rings(pits: int) -> None:
    """Laps that end or go over the end of the ring, of as many seeds as are sown at once, or more."""
    chance = random.Random(pits)
    for seeds in (31, 32, 33, 63, 64, 65, 2 * pits - 1, 2 * pits, 2 * pits + 1):
        ring = [chance.choice((0, 1, 1, 2, 3)) for _ in range(2 * pits)]
        for pit in (pits - 1, 2 * pits - 1, chance.randrange(pits)):
            ring[pit] = seeds
        assert_same_everywhere(rs.Position(rs.engehe(pits), ring), games=65, seed=seeds)


def test_few_seeds_on_a_long_ring() -> None:
    """Positions whose fingerprints are equal, and that are not."""
    chance = random.Random(1)
    for seed in range(20):
        pits = chance.choice((24, 31))
        ring = [0] * 2 * pits
        for _ in range(chance.choice((4, 6, 8, 10, 14))):
            ring[chance.randrange(2 * pits)] += 1
        assert_same_everywhere(rs.Position(rs.engehe(pits), ring), games=1_000, seed=seed)


def test_captures_past_a_byte() -> None:
    """A byte has room for each of the pits that one sowing captures, not for all of them."""
    for options, own, most in (
        ({"chain": "run"}, [1, *[0] * 7], 701),
        ({"chain": "run_over_gaps"}, [1, *[0] * 7], 701),
        ({"bonus": "run", "direction": "either"}, [0, 1, *[0] * 6], 801),
    ):
        start = rs.Position(rs.engehe(pits=8, **options), [*own, *[100] * 8])
        assert max(start.sow(move).captured for move in start.legal_moves) == most
        assert_same_everywhere(start, 20, 3, max_moves=6)


def test_captures_and_candidates_past_a_byte_in_lanes() -> None:
    """These are seen when they come, in games that lanes play but for such moves."""
    wide, crowd = rs.engehe(pits=40, chain="run_over_gaps"), [1, *[0] * 39, *[9] * 40]
    for rules, ring, most in (
        (wide, crowd, 352),
        (wide, [1, *[0] * 39, *[6] * 39, 26], 255),
        (wide, [1, *[0] * 39, *[6] * 39, 25], 254),
        (replace(wide, protection="until_lifted"), crowd, 352),
        (rs.engehe(pits=40, bonus="run", direction="either"), [0, 1, *[0] * 38, *[9] * 40], 361),
    ):
        start = rs.Position(rules, ring)
        assert_same_everywhere(start, 70, 3)
        assert most - 26 <= max(start.sow(move).captured for move in start.legal_moves) <= most
    for rules, ring in (
        (rs.giuthi(lift="any"), [16] * 8 + [0] * 8),
        (rs.giuthi(lift="any"), [15] * 8 + [1] * 8),
        (rs.giuthi(lift="any", direction="ccw", pits=20), [6] * 40),
        (rs.engehe(lift="any"), [8] * 50 + [0] * 50),
        (rs.engehe(lift="any", direction="either", pits=40), [4] * 80),
    ):
        assert_same_everywhere(rs.Position(rules, ring), 70, 5)
        assert_same_everywhere(rs.Position(rules, ring), 70, 6, max_moves=1)


def test_endless_sowings_and_long_ones() -> None:
    endless = [2, 0, *[1, 0] * 8, 2, 1]  # of period 200 from pit 0 (rules.md)
    for options in ({}, {"endless": "draw"}, {"endless": "ends_turn"}, {"max_laps": 150}):
        for origin in ("sown", "skipped"):
            rules = rs.engehe(pits=10, origin=origin, **options)
            assert_same_everywhere(rs.Position(rules, pits=endless), 130, 4)
    rules = rs.kiothi(endless="draw")
    assert_same_everywhere(rules.start(), 400, 5)


def test_repetition_far_back() -> None:
    """Games longer than any log of positions that the kernel keeps, and shorter ones among them."""
    rules = rs.kiothi_wikipedia(pits=16, seeds=2)
    assert played("scalar", rules.start(), 70, 6)["moves"].max() > 80_000
    assert_same_everywhere(rules.start(), 70, 6)
    assert_same_everywhere(replace(rules, repetition="off").start(), 70, 6, max_moves=3_000)
    assert_same_everywhere(rs.giuthi(pits=40, seeds=4).start(), 70, 6)
    # Four seeds that go round and round come back to what the log held long ago.
    rules = rs.giuthi(
        40, seeds=1, minimum_lift=1, direction="ccw", relay="onward", uncrossed="ends_turn"
    )
    ring = [0] * 80
    for pit in (5, 12, 45, 54):
        ring[pit] = 1
    assert played("scalar", rs.Position(rules, ring), 70, 6)["moves"].max() > 7_000
    assert_same_everywhere(rs.Position(rules, ring), 200, 6)


@pytest.mark.parametrize("games", [1, 63, 64, 65, 1_001])
def test_threads_and_numbers_of_games(games: int) -> None:
    start = rs.giuthi().start()
    whole = played("scalar", start, 1_001, 7)
    for name in KERNELS:
        for threads in (1, 2, 5):
            part = played(name, start, games, 7, threads=threads)
            for column in COLUMNS:
                np.testing.assert_array_equal(part[column], whole[column][:games])


@pytest.mark.parametrize(
    "rules",
    [
        *(function() for function in rs.RULE_SETS.values()),
        rs.giuthi(lift="any"),
        rs.giuthi(pits=40, seeds=4),
        rs.giuthi(protection="until_lifted"),
        rs.engehe(lift="any"),
        rs.engehe(chain="run_over_gaps", bonus="run"),
    ],
    ids=repr,
)
def test_nearly_all_laps_are_sown_in_lockstep(rules: rs.Rules) -> None:
    for kernel in KERNELS:
        os.environ["RELAYSOW_ISA"] = kernel
        laps, apart = _core._lap_counts(rules.start(), 200, 1)
        assert laps > 0
        assert apart <= 0.05 * laps


def test_the_scalar_path_is_counted_apart() -> None:
    os.environ["RELAYSOW_ISA"] = "scalar"
    laps, apart = _core._lap_counts(rs.giuthi().start(), 20, 1)
    assert laps == apart == played("scalar", rs.giuthi().start(), 20, 1)["laps"].sum()


@pytest.mark.parametrize("name", SETS)
def test_interrupted(name: str) -> None:
    """Ctrl-C stops at once, and what is told to be done is done."""
    os.environ["RELAYSOW_ISA"] = name
    start = rs.giuthi().start()

    def poll(done: int) -> None:
        if done > 0:
            signal.raise_signal(signal.SIGINT)

    columns, done, error = _core.simulate(start, 4_000_000, 9, 0, 2, "random", "random", None, poll)
    assert isinstance(error, KeyboardInterrupt)
    assert 0 < done < 4_000_000
    checked = min(done, 500)
    same = played("scalar", start, checked, 9, first_game=done - checked)
    for column in COLUMNS:
        np.testing.assert_array_equal(columns[column][done - checked : done], same[column])


def test_build_info_and_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    assert rs.build_info()["instruction_set"] == SETS[0]
    assert SETS[-1] == "scalar"
    for name in SETS:
        monkeypatch.setenv("RELAYSOW_ISA", name)
        info = rs.build_info()
        assert info["instruction_set"] == name
        assert info["lanes"] == {"avx512": 64, "avx2": 32, "baseline": 16, "scalar": 1}[name]
    monkeypatch.setenv("RELAYSOW_ISA", "mmx")
    match = f"RELAYSOW_ISA='mmx': this machine has {', '.join(SETS)}"
    with pytest.raises(ValueError, match=match):
        rs.build_info()
    with pytest.raises(ValueError, match=match):
        rs.simulate(rs.giuthi(), games=1, seed=1)


ENTRIES = ("run", "by_lane", "width", "stages")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "flags"),
    [("avx2", ["-mavx2"]), ("avx512", ["-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq"])],
)
def test_each_kernel_keeps_to_itself(name: str, flags: list[str], tmp_path: Path) -> None:
    """What a kernel shared with other code, the linker could hand to machines that lack its
    instructions: it defines its entries and its number of lanes, and nothing weak."""
    source = Path(__file__).parent.parent / "cpp" / "lanes" / "kernel.cpp"
    built = tmp_path / "kernel.o"
    named = f"-DRELAYSOW_INSTRUCTION_SET={name}"
    options = ["-std=c++20", "-O2", f"-I{source.parents[1]}", named, *flags]
    subprocess.run(["c++", *options, "-c", source, "-o", built], check=True)
    listed = subprocess.run(["nm", "-C", built], capture_output=True, text=True, check=True)
    symbols = [line.split(maxsplit=2) for line in listed.stdout.splitlines() if line[0] != " "]
    shared = {name.split("(")[0] for _, kind, name in symbols if kind.isupper()}
    assert shared == {f"relaysow::lanes::{name}::{entry}" for entry in ENTRIES}
