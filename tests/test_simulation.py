"""`simulate`: the games of the reference, whatever the threads and splits; results and files."""

from __future__ import annotations

import csv
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relaysow as rs
from relaysow import reference
from relaysow.simulation import Simulation, SimulationInterrupted, simulate
from relaysow.simulation.columns import COLUMNS, compare_with_core
from relaysow.simulation.summary import ENDS, Rate, Spread
from relaysow.text.notation import rules_from_text

SMALL = rs.giuthi(pits=5, seeds=4)
ENDLESS_PLAY = rs.giuthi(pits=4, setup=(1,) * 8, minimum_lift=1, repetition="off")
GAMES = {"kiothi": 20, "kiothi_wikipedia": 4, "engehe": 4}


def assert_same(one: Simulation, other: Simulation, rows: slice = slice(None)) -> None:
    """All columns of `one` equal those rows of `other`."""
    for name, dtype in COLUMNS.items():
        mine = getattr(one, name)
        assert mine.dtype == dtype
        np.testing.assert_array_equal(mine, getattr(other, name)[rows], err_msg=name)


@pytest.mark.parametrize("policy", ["random", "greedy", ("greedy", "random")])
@pytest.mark.parametrize("name", rs.RULE_SETS)
def test_core_and_reference_play_the_same_games(name: str, policy: Any) -> None:
    rules = rs.RULE_SETS[name]()
    games = GAMES.get(name, 30) // (1 if policy == "random" else 2)
    arguments = {"games": games, "seed": 2**64 - 3, "first_game": 2**40, "policy": policy}
    core = simulate(rules, **arguments)
    assert_same(core, simulate(rules, engine="reference", **arguments))
    assert (core.moves > 0).all()
    assert len(set(core.first_move.tolist())) > 1


@pytest.mark.parametrize(
    "options",
    [
        {"repetition": "stores"},
        {"repetition": "score", "end": "row_empty"},
        {"endless": "draw", "max_laps": 6},
        {"endless": "ends_turn", "max_laps": 3, "extra_pit": "not_origin"},
        {"redistribution": "up_to_two", "protection": "until_owner_lifts"},
    ],
)
def test_options_reach_the_games(options: dict[str, Any]) -> None:
    rules = rs.giuthi(pits=5, seeds=3, **options)
    core = simulate(rules, games=100, seed=5, policy=("random", "greedy"))
    assert_same(core, simulate(rules, 100, 5, policy=("random", "greedy"), engine="reference"))
    plain = simulate(rs.giuthi(pits=5, seeds=3), games=100, seed=5, policy=("random", "greedy"))
    assert not (
        np.array_equal(core.scores, plain.scores) and np.array_equal(core.winner, plain.winner)
    )


def test_threads_and_splits_do_not_change_the_games() -> None:
    whole = simulate(rs.giuthi(), games=3_000, seed=11, threads=1)
    for threads in (2, 3, 7):
        assert_same(simulate(rs.giuthi(), games=3_000, seed=11, threads=threads), whole)
    for first, games in ((0, 1), (1, 998), (999, 1), (1_000, 2_000)):
        part = simulate(rs.giuthi(), games=games, seed=11, first_game=first, threads=2)
        assert_same(part, whole, slice(first, first + games))
    other = simulate(rs.giuthi(), games=3_000, seed=12)
    assert not np.array_equal(other.scores, whole.scores)


def test_the_last_game_number_is_played() -> None:
    last = simulate(SMALL, games=2, seed=2**64 - 1, first_game=2**64 - 2)
    assert_same(last, simulate(SMALL, 2, seed=2**64 - 1, first_game=2**64 - 2, engine="reference"))


def test_a_pair_of_policies_is_south_s_and_north_s() -> None:
    south = simulate(rs.giuthi(), games=2_000, policy=("greedy", "random")).summary()
    north = simulate(rs.giuthi(), games=2_000, policy=("random", "greedy")).summary()
    assert south.south.rate > 2 * south.north.rate
    assert north.north.rate > 2 * north.south.rate


def test_columns_hold_together() -> None:
    rules = rs.giuthi(repetition="stores")
    result = simulate(rules, games=4_000, seed=3)
    assert result.games == 4_000
    totals = result.scores.sum(axis=1)
    whole = np.isin(result.end, [ENDS.index("both_stuck")])
    assert 0 < whole.sum() < 4_000
    assert (totals[whole] == rules.seeds).all()
    assert (totals[~whole] <= rules.seeds).all()
    lead = np.sign(result.scores[:, 0].astype(int) - result.scores[:, 1])
    np.testing.assert_array_equal(np.choose(lead + 1, [1, -1, 0]), result.winner)
    assert (result.turns <= result.moves).all()
    assert (result.turns < result.moves).any()
    assert (result.captures <= result.moves).all()
    assert (result.longest <= result.laps).all()
    assert (result.laps >= result.moves).all()
    assert set(result.first_move.tolist()) == set(range(16))
    with pytest.raises(ValueError, match="read-only"):
        result.moves[0] = 1


def test_cut_games_are_neither_won_nor_drawn() -> None:
    result = simulate(rs.giuthi(), games=100, seed=2, max_moves=60)
    cut = result.winner == -2
    assert 0 < cut.sum() < 100
    assert (result.moves[cut] == 60).all()
    assert (result.moves <= 60).all()
    np.testing.assert_array_equal(result.end == ENDS.index("cut"), cut)
    full = simulate(rs.giuthi(), games=100, seed=2)
    np.testing.assert_array_equal(full.moves > 60, cut)
    assert_same(result, simulate(rs.giuthi(), 100, 2, max_moves=60, engine="reference"))
    summary = result.summary()
    assert summary.cut.count == summary.ends["cut"] == cut.sum()
    off = simulate(ENDLESS_PLAY, games=50, max_moves=30)
    assert_same(off, simulate(ENDLESS_PLAY, games=50, max_moves=30, engine="reference"))


def test_games_start_from_any_position() -> None:
    position = rs.Position(SMALL, (0, 3, 0, 0, 2, 1, 0, 2, 0, 5), stores=(9, 18), mover=1)
    result = simulate(position, games=200, seed=4)
    assert result.start is position
    assert (result.scores >= (9, 18)).all()
    twin = reference.Position(SMALL, (0, 3, 0, 0, 2, 1, 0, 2, 0, 5), stores=(9, 18), mover=1)
    assert_same(simulate(twin, games=200, seed=4), result)
    assert_same(simulate(position, games=200, seed=4, engine="reference"), result)
    assert result.start.to_text() == simulate(twin, games=1).start.to_text()


def test_a_start_that_is_over_makes_no_moves() -> None:
    over = rs.Position(SMALL, (0,) * 10, stores=(15, 25))
    result = simulate(over, games=3)
    assert result.scores.tolist() == [[15, 25]] * 3
    assert result.winner.tolist() == [1] * 3
    assert result.end.tolist() == [ENDS.index("both_stuck")] * 3
    assert result.first_move.tolist() == [-1] * 3
    assert not result.moves.any()
    assert_same(simulate(over, games=3, engine="reference"), result)


def test_a_first_move_past_63_bits_is_minus_one() -> None:
    rules = rs.kiothi(pits=64, seeds=15, filled=30)
    assert rules.start().legal_moves.count > 2**63
    result = simulate(rules, games=2, max_moves=3)
    assert result.first_move.tolist() == [-1, -1]
    assert_same(simulate(rules, games=2, max_moves=3, engine="reference"), result)


# ------------------------------------------------------------------------------------ arguments


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"games": 0}, ValueError, r"games=0: must be 1…1000000000000"),
        ({"games": -5}, ValueError, r"games=-5: must be 1…"),
        ({"games": 10**13}, ValueError, r"games=10000000000000: must be 1…"),
        ({"games": 1e6}, TypeError, r"games must be an integer, not 1000000.0"),
        ({"games": True}, TypeError, r"games must be an integer, not True"),
        ({"seed": -1}, ValueError, r"seed=-1: must be 0…18446744073709551615"),
        ({"seed": 2**64}, ValueError, r"seed=18446744073709551616: must be 0…"),
        ({"seed": None}, TypeError, r"seed must be an integer, not None"),
        ({"first_game": -1}, ValueError, r"first_game=-1: must be 0…"),
        ({"first_game": 2**64 - 5}, ValueError, r"game numbers end at 18446744073709551615"),
        ({"threads": 0}, ValueError, r"threads=0: must be 1…1024"),
        ({"threads": 2000}, ValueError, r"threads=2000: must be 1…1024"),
        ({"threads": "2"}, TypeError, r"threads must be an integer, not '2'"),
        ({"max_moves": 0}, ValueError, r"max_moves=0: must be 1…2147483647"),
        ({"max_moves": 2**31}, ValueError, r"max_moves=2147483648: must be 1…"),
        ({"policy": "best"}, ValueError, r"policy='best': must be 'random', 'greedy', 'search:"),
        (
            {"policy": ("random", "x")},
            ValueError,
            r"policy='x': must be 'random', 'greedy', 'search:",
        ),
        ({"policy": ("random",)}, ValueError, r"policy=\('random',\): must be one name or two"),
        ({"policy": 3}, TypeError, r"policy must be a name or a pair of names, not 3"),
        ({"policy": ("random", 3)}, TypeError, r"policy must be a name or a pair of names"),
        ({"progress": 1}, TypeError, r"progress must be True or False, not 1"),
        ({"engine": "fast"}, ValueError, r"engine='fast': must be 'native' or 'reference'"),
        ({"engine": 1}, TypeError, r"engine must be 'native' or 'reference', not 1"),
        ({"rules_or_position": "giuthi"}, TypeError, r"must be Rules or a Position, not 'giuthi'"),
        ({"rules_or_position": None}, TypeError, r"must be Rules or a Position, not None"),
        ({"rules_or_position": ENDLESS_PLAY}, ValueError, r"repetition='off'.*max_moves"),
    ],
)
def test_bad_arguments_are_refused(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        simulate(**{"rules_or_position": SMALL, "games": 10, **arguments})


def test_columns_that_find_no_room_are_refused() -> None:
    with pytest.raises(MemoryError, match=r"games=1000000000000: no room for 42 bytes a game"):
        simulate(SMALL, games=10**12)


# -------------------------------------------------------------------------------------- summary


def crafted() -> Simulation:
    """Five games whose summary can be worked out by hand."""
    return Simulation(
        scores=np.array([[30, 10], [12, 28], [20, 20], [25, 15], [7, 6]], np.int16),
        winner=np.array([0, 1, -1, 0, -2], np.int8),
        moves=np.array([10, 20, 30, 40, 60], np.int32),
        turns=np.array([8, 15, 30, 39, 55], np.int32),
        laps=np.array([15, 25, 2**40, 40, 60], np.int64),
        captures=np.array([1, 2, 3, 4, 5], np.int32),
        longest=np.array([3, 4, 2**40 - 31, 5, 6], np.int64),
        end=np.array([0, 0, 3, 2, 5], np.uint8),
        first_move=np.array([0, 1, 2, 3, 4], np.int64),
        start=SMALL.start(),
        policy=("random", "greedy"),
        seed=1,
        first_game=7,
        max_moves=60,
    )


def test_summary_by_hand() -> None:
    summary = crafted().summary()
    assert (summary.games, summary.south.count, summary.north.count) == (5, 2, 1)
    assert (summary.draws.count, summary.cut.count) == (1, 1)
    assert summary.south.rate == 0.4
    assert summary.moves == Spread(32.0, 30.0, 60)
    assert summary.turns == Spread(29.4, 30.0, 55)
    assert summary.laps == Spread((2**40 + 140) / 5, 40.0, 2**40)
    assert summary.longest.max == 2**40 - 31
    assert summary.captures == Spread(3.0, 3.0, 5)
    assert summary.scores == (18.8, 15.8)
    assert summary.ends == {
        "both_stuck": 2,
        "row_empty": 0,
        "swept": 1,
        "repetition": 1,
        "endless": 0,
        "cut": 1,
    }
    text = str(summary)
    assert text.startswith("5 games of giuthi(pits=5, seeds=4), random against greedy")
    assert "cut after 60 moves, seed 1, from game 7" in text
    assert "South wins      2  40.00%  11.76% … 76.93%" in text
    assert "moves                              32.00    30.0                 60" in text
    assert "mean          18.80  15.80" in text
    assert "row_empty" not in text


def test_wilson_intervals_are_the_published_ones() -> None:
    # Newcombe (1998), Statistics in Medicine 17, table I, method 3 (score, no correction).
    for count, games, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        rate = Rate.of(count, games)
        assert (round(rate.low, 4), round(rate.high, 4)) == (low, high)
        mirrored = Rate.of(games - count, games)
        assert mirrored.low == pytest.approx(1 - rate.high)
        assert mirrored.high == pytest.approx(1 - rate.low)


def test_intervals_cover_the_long_run() -> None:
    long_run = simulate(SMALL, games=200_000, seed=1).summary()
    parts = [simulate(SMALL, games=500, seed=seed).summary() for seed in range(2, 202)]
    for name in ("south", "north", "draws"):
        true = getattr(long_run, name).rate
        covered = sum(getattr(p, name).low <= true <= getattr(p, name).high for p in parts)
        assert 180 <= covered <= 200


# ---------------------------------------------------------------------------------------- files


def test_csv_round_trip(tmp_path: Path) -> None:
    result = simulate(SMALL, games=20_000, seed=8, first_game=2**63, max_moves=20)
    result.save(tmp_path / "games.csv")
    with open(tmp_path / "games.csv", newline="", encoding="ascii") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 20_000
    assert [int(row["game"]) for row in rows] == list(range(2**63, 2**63 + 20_000))
    assert [[int(row["south"]), int(row["north"])] for row in rows] == result.scores.tolist()
    assert [row["end"] for row in rows] == [ENDS[code] for code in result.end]
    for name in set(COLUMNS) - {"scores", "end"}:
        assert [int(row[name]) for row in rows] == getattr(result, name).tolist()
    crafted().to_csv(tmp_path / "five.csv")
    assert (tmp_path / "five.csv").read_text().splitlines()[:2] == [
        "game,south,north,winner,moves,turns,laps,captures,longest,end,first_move",
        "7,30,10,0,10,8,15,1,3,both_stuck,0",
    ]


def test_npz_round_trip(tmp_path: Path) -> None:
    result = simulate(SMALL, games=500, seed=8)
    result.save(tmp_path / "games.npz")
    with np.load(tmp_path / "games.npz", allow_pickle=False) as file:
        assert set(file) == {*COLUMNS, "metadata"}
        for name, dtype in COLUMNS.items():
            assert file[name].dtype == dtype
            np.testing.assert_array_equal(file[name], getattr(result, name))
        metadata = json.loads(str(file["metadata"]))
    assert metadata == result.metadata
    assert rules_from_text(metadata["rules"]) == SMALL
    assert rs.Position.from_text(metadata["start"]) == result.start
    assert (metadata["seed"], metadata["games"]) == (8, 500)
    assert metadata["relaysow"] == rs.__version__


def test_parquet_round_trip(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", exc_type=ImportError)
    result = simulate(SMALL, games=500, seed=8, first_game=2**63, max_moves=20)
    result.save(tmp_path / "games.PARQUET")
    table = parquet.read_table(tmp_path / "games.PARQUET")
    # PyArrow 16 reads the numbers behind the words of `end` with more bits than they had.
    assert table.drop_columns("end").equals(result.to_arrow().drop_columns("end"))
    assert table["game"].to_pylist() == list(range(2**63, 2**63 + 500))
    assert table["end"].to_pylist() == [ENDS[code] for code in result.end]
    np.testing.assert_array_equal(table["south"], result.scores[:, 0])
    np.testing.assert_array_equal(table["north"], result.scores[:, 1])
    for name in set(COLUMNS) - {"scores", "end"}:
        assert table[name].type == COLUMNS[name]
        np.testing.assert_array_equal(table[name], getattr(result, name))
    assert json.loads(table.schema.metadata[b"relaysow"]) == result.metadata


def test_without_pyarrow_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    for call in (
        lambda: crafted().to_arrow(),
        lambda: crafted().to_parquet(tmp_path / "a.parquet"),
        lambda: crafted().save(tmp_path / "a.parquet"),
    ):
        with pytest.raises(ImportError, match=r"pip install 'relaysow\[arrow\]'"):
            call()
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_suffix_is_refused(tmp_path: Path) -> None:
    for name in ("games.xlsx", "games", ".csv"):
        with pytest.raises(ValueError, match=r"must end in '.csv', '.npz' or '.parquet'"):
            crafted().save(tmp_path / name)


def test_a_file_appears_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "games.npz"
    crafted().save(target)
    before = target.read_bytes()
    if os.name == "posix":
        umask = os.umask(0)
        os.umask(umask)
        assert target.stat().st_mode & 0o777 == 0o666 & ~umask

    def half(file: Any, **_: Any) -> None:
        file.write(b"half")
        raise OSError("No space left on device")

    monkeypatch.setattr(np, "savez", half)
    with pytest.raises(OSError, match="No space left"):
        crafted().save(target)
    assert target.read_bytes() == before
    assert list(tmp_path.iterdir()) == [target]


def test_a_link_stays_and_its_target_is_written(tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    (tmp_path / "real.csv").write_text("old")
    crafted().save(tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text().startswith("game,")


def test_results_pickle() -> None:
    result = simulate(SMALL, games=50)
    again = pickle.loads(pickle.dumps(result))
    assert_same(again, result)
    assert again.summary() == result.summary()
    error = pickle.loads(pickle.dumps(SimulationInterrupted(result, 99)))
    assert str(error) == "interrupted after 50 of 99 games"
    assert repr(result) == f"<Simulation: {result.title}>"


# ------------------------------------------------------------------------------ Ctrl-C, memory


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_ctrl_c_leaves_the_games_done(engine: str) -> None:
    pressed: list[float] = []

    def press() -> None:
        pressed.append(time.perf_counter())
        signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(0.3, press)
    timer.start()
    with pytest.raises(KeyboardInterrupt) as caught:
        simulate(rs.giuthi(), games=50_000_000, seed=9, engine=engine)
    assert time.perf_counter() - pressed[0] < 0.5
    timer.join()
    error = caught.value
    assert isinstance(error, SimulationInterrupted)
    done = error.result.games
    assert 0 < done < 50_000_000
    assert str(error) == f"interrupted after {done:,} of 50,000,000 games"
    assert error.result.scores.base is None  # the room for the games not played is given back
    assert_same(error.result, simulate(rs.giuthi(), games=done, seed=9))
    assert error.result.summary().games == done


def test_the_summary_of_no_games() -> None:
    result = simulate(SMALL, games=1)
    columns = {name: getattr(result, name)[:0] for name in COLUMNS}
    empty = Simulation(
        **columns,
        start=result.start,
        policy=result.policy,
        seed=1,
        first_game=0,
        max_moves=None,
    ).summary()
    assert isnan(empty.south.rate)
    assert (empty.south.low, empty.south.high) == (0.0, 1.0)
    assert isnan(empty.moves.mean)
    assert str(empty).startswith("0 games of")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc/self/status")
def test_memory_a_game() -> None:
    code = """
import relaysow as rs

def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))

rs.simulate(rs.giuthi(), games=10_000, max_moves=1, threads=2).summary()
before = peak()
result = rs.simulate(rs.giuthi(), games=2_000_000, max_moves=1, threads=2)
str(result.summary())
print(1024 * (peak() - before) / 2_000_000)
"""
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert 40 < float(run.stdout) <= 100


def test_numpy_and_rich_are_not_imported_before_they_are_needed() -> None:
    code = (
        "import sys, relaysow.simulation; "
        "print([name for name in ('numpy', 'rich', 'pyarrow') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("columns['odd'] = 'int8'", "the column 'odd' is missing in relaysow.simulation and int8 "),
        (
            "columns['laps'] = 'int32'",
            "the column 'laps' is int64 in relaysow.simulation and int32 ",
        ),
        ("del columns['end']", "the column 'end' is uint8 in relaysow.simulation and missing "),
        ("columns['moves'] = columns.pop('moves')", "the order of columns is scores, winner, "),
        ("_core.end_names = _core.end_names[::-1]", "the list of ends is both_stuck, row_empty, "),
    ],
)
def test_a_column_that_the_extension_has_otherwise_is_named(change: str, told: str) -> None:
    code = (
        "from relaysow import _core\ncolumns = _core.result_columns()\n"
        f"{change}\n_core.result_columns = lambda: columns\nimport relaysow.simulation"
    )
    run = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert run.stderr.splitlines()[-1].startswith(f"ImportError: {told}")


@pytest.mark.parametrize(
    ("theirs", "said"),
    [
        (dict(COLUMNS) | {"passes": "int32"}, "the column 'passes' is missing in .* and int32 in"),
        (dict(COLUMNS) | {"laps": "int32"}, "the column 'laps' is int64 in .* and int32 in"),
        (dict(list(COLUMNS.items())[:-1]), "the column 'first_move' is int64 in .* and missing in"),
        (dict(reversed(COLUMNS.items())), "the order of columns is scores, .* and first_move, "),
    ],
)
def test_columns_that_the_extension_has_otherwise_are_refused(
    monkeypatch: pytest.MonkeyPatch, theirs: dict[str, str], said: str
) -> None:
    compare_with_core(Simulation)
    monkeypatch.setattr("relaysow.simulation.columns.COLUMNS", theirs)
    with pytest.raises(ImportError, match=said):
        compare_with_core(Simulation)
