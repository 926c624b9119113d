"""`keep="summary"` in constant memory, and `executor=`: threads, processes, a Dask cluster."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import relaysow as rs
from relaysow import cli
from relaysow.simulation import (
    Simulation,
    SimulationInterrupted,
    shards,
    simulate,
    simulating,
    streaming,
)
from relaysow.simulation.columns import COLUMNS, empty_columns
from relaysow.simulation.summary import ENDS, SPREADS, Histogram, Spread, Tally

SMALL = rs.giuthi(pits=5, seeds=4)


def same(one: Simulation, other: Simulation) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in COLUMNS)


# ---------------------------------------------------------------------------------- the summary


@given(
    st.lists(
        st.lists(st.integers(0, 3) | st.integers(2**16 - 2, 2**16 + 2) | st.integers(0, 2**40))
    )
)
def test_histograms_are_exact(parts: list[list[int]]) -> None:
    """Joined from parts, against NumPy on the whole."""
    whole = np.array([value for part in parts for value in part], np.int64)
    total = Histogram.of(np.zeros(0, np.int64))
    for part in parts:
        total = total + Histogram.of(np.array(part, np.int64))
    values, counts = np.unique(whole, return_counts=True)
    dense = np.flatnonzero(total.counts)
    assert [*dense.tolist(), *total.rare.tolist()] == values.tolist()
    assert [*total.counts[dense].tolist(), *total.rare_counts.tolist()] == counts.tolist()
    if len(whole):
        mean = sum(whole.tolist()) / len(whole)
        assert total.spread() == Spread(mean, float(np.median(whole)), int(whole.max()))


def test_counts_and_sums_do_not_end_at_32_or_64_bits() -> None:
    one = Tally.of({name: column[:0] for name, column in empty_columns(0).items()})
    for _ in range(3):
        columns = empty_columns(2)
        for name, column in columns.items():
            column[...] = 1 if name in ("winner", "end") else np.iinfo(column.dtype).max
        one = one + Tally.of(columns)
    for _ in range(40):  # 6·2^40 games
        one = one + one
    summary = one.summary("")
    games = 6 * 2**40
    assert summary.games == summary.north.count == summary.ends["row_empty"] == games
    assert summary.scores == (2**15 - 1, 2**15 - 1)
    assert summary.moves == Spread(2**31 - 1, 2**31 - 1, 2**31 - 1)
    assert summary.laps == Spread(float(2**63 - 1), float(2**63 - 1), 2**63 - 1)


@pytest.mark.parametrize("games", [1, 2, 999, 1_000])
def test_the_summary_is_the_same_without_the_columns(
    games: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "CHUNK", 100)
    arguments: dict[str, Any] = {"games": games, "seed": 5, "first_game": 7, "max_moves": 45}
    result = simulate(SMALL, **arguments)
    streamed = simulate(SMALL, **arguments, keep="summary", threads=2)
    assert streamed == result.summary()
    assert repr(streamed) == repr(result.summary())
    for name in SPREADS:  # and of the columns as NumPy sees them
        column = getattr(result, name)
        expected = Spread(sum(column.tolist()) / games, float(np.median(column)), column.max())
        assert getattr(streamed, name) == expected
    for code, end in enumerate(ENDS):
        assert streamed.ends[end] == (result.end == code).sum()
    for winner, rate in ((0, "south"), (1, "north"), (-1, "draws"), (-2, "cut")):
        assert getattr(streamed, rate).count == (result.winner == winner).sum()
    assert streamed.scores == tuple(result.scores.sum(axis=0) / games)
    if games < 999:
        assert simulate(SMALL, **arguments, keep="summary", engine="reference") == streamed


def test_ctrl_c_leaves_the_summary_of_the_games_done() -> None:
    threading.Timer(0.5, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(SimulationInterrupted) as caught:
        simulate(SMALL, games=10**12, keep="summary")
    done = caught.value.result
    assert 0 < done.games < 10**12
    assert done == simulate(SMALL, games=done.games, keep="summary")


needs_status = pytest.mark.skipif(
    not Path("/proc/self/status").exists() or "libasan" in os.environ.get("LD_PRELOAD", ""),
    reason="needs /proc/self/status, and memory without a sanitizer's",
)
PEAK = """
import sys
import relaysow as rs

def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) // 1024

games, out = int(sys.argv[1]), sys.argv[2] or None
rs.simulate(rs.giuthi(pits=3, seeds=2), games, keep="summary", out=out, threads=2)
print(peak())
"""


def peak(games: int, out: Path | str = "") -> int:
    """The most memory that such a run has at any time, MB."""
    command = [sys.executable, "-c", PEAK, str(games), str(out)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.slow
@needs_status
def test_memory_does_not_grow_with_the_games(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", exc_type=ImportError)
    few, many = peak(1_000_000), peak(6_000_000)
    assert many < 200
    assert many - few < 8
    few, many = peak(600_000, tmp_path / "few"), peak(2_400_000, tmp_path / "many")
    assert many < 300
    assert many - few < 25


@pytest.mark.campaign
@needs_status
def test_memory_of_10_to_the_9_games() -> None:
    assert peak(10**9) < 200


# ------------------------------------------------------------------------------------ executors


def test_threads_play_the_same_games() -> None:
    whole = simulate(SMALL, games=5_500, seed=2, first_game=3)
    with ThreadPoolExecutor(3) as pool:
        assert same(simulate(SMALL, 5_500, 2, first_game=3, executor=pool), whole)
        summary = simulate(SMALL, 5_500, 2, first_game=3, executor=pool, keep="summary")
    assert summary == whole.summary()
    cut = streaming.cut(3, 2_500, 1_000)
    assert list(cut) == [(3, 1_000), (1_003, 1_000), (2_003, 500)]


def test_processes_play_the_same_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow", exc_type=ImportError)
    monkeypatch.setattr(shards, "GAMES", 700)
    whole = simulate(SMALL, games=3_000, seed=2, policy=("greedy", "random"), max_moves=50)
    arguments: dict[str, Any] = {"games": 3_000, "seed": 2, "max_moves": 50}
    arguments["policy"] = ("greedy", "random")
    simulate(SMALL, **arguments, keep="summary", out=tmp_path / "one")
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert same(simulate(SMALL, **arguments, executor=pool), whole)
        reference = simulate(SMALL, 30, 2, executor=pool, engine="reference")
        assert same(reference, simulate(SMALL, 30, 2))
        out = tmp_path / "many"
        summary = simulate(SMALL, **arguments, executor=pool, keep="summary", out=out)
    assert summary == whole.summary()
    for path in (tmp_path / "one").iterdir():
        assert (tmp_path / "many" / path.name).read_bytes() == path.read_bytes()


class Flaky(Executor):
    """Runs every call at once; fails those whose first game is listed, so many times each."""

    def __init__(self, failures: dict[int, int], error: BaseException) -> None:
        self.failures, self.error, self.calls = failures, error, 0

    def submit(self, function: Any, /, *arguments: Any, **_: Any) -> Future[Any]:
        self.calls += 1
        future: Future[Any] = Future()
        first_game = arguments[2]
        if self.failures.get(first_game, 0) > 0:
            self.failures[first_game] -= 1
            future.set_exception(self.error)
        else:
            future.set_result(function(*arguments))
        return future


def test_a_part_that_fails_is_sent_again() -> None:
    whole = simulate(SMALL, games=4_000, seed=2)
    flaky = Flaky({0: 3, 2_000: 1}, OSError("lost"))
    assert same(simulate(SMALL, games=4_000, seed=2, executor=flaky), whole)
    assert flaky.calls == 4 + 3 + 1
    flaky = Flaky({2_000: 4}, OSError("lost"))
    with pytest.raises(RuntimeError, match=r"games 2000…2999 failed 4 times: OSError\('lost'\)"):
        simulate(SMALL, games=4_000, seed=2, executor=flaky, keep="summary")
    assert flaky.calls == 4 + 3


def test_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def work(*_: Any) -> tuple[str, Any]:
        return "0.0.1", None

    monkeypatch.setattr(streaming, "work", work)
    with (
        ThreadPoolExecutor(1) as pool,
        pytest.raises(RuntimeError, match=r"a worker has relaysow '0\.0\.1', which may play other"),
    ):
        simulate(SMALL, games=10, executor=pool)


@pytest.mark.slow
def test_progress_counts_the_games_of_every_kind_of_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow", exc_type=ImportError)
    monkeypatch.setattr(shards, "GAMES", 500)
    told: list[int] = []

    @contextmanager
    def bar(total: int, unit: str, wanted: bool) -> Iterator[Any]:
        assert (total, unit, wanted) == (3_000, "games", True)
        told.clear()
        yield told.append

    monkeypatch.setattr(simulating, "progress_bar", bar)
    arguments: dict[str, Any] = {"games": 3_000, "keep": "summary", "progress": True}
    simulate(SMALL, **arguments, out=tmp_path / "run")
    simulate(SMALL, **arguments, out=tmp_path / "run")
    assert told == [500, 1_000, 1_500, 2_000, 2_500, 3_000]  # as they are verified
    with ThreadPoolExecutor(2) as pool:
        for out in (None, tmp_path / "other"):
            simulate(SMALL, **arguments, out=out, executor=pool)
            assert told == sorted(told)
            assert told[-1] == 3_000
    monkeypatch.setattr(streaming, "CHUNK", 1_000)
    simulate(SMALL, **arguments, engine="reference")  # which tells of every game
    assert told == list(range(1, 3_001))


def test_ctrl_c_ends_the_threads() -> None:
    threading.Timer(0.6, signal.raise_signal, [signal.SIGINT]).start()
    with ThreadPoolExecutor(2) as pool:
        with pytest.raises(SimulationInterrupted) as caught:
            simulate(SMALL, games=10**12, executor=pool, keep="summary")
        pressed = time.perf_counter()
    assert time.perf_counter() - pressed < 0.5  # no part is played to its end
    done = caught.value.result
    assert done.games < 10**12
    if done.games:
        assert done == simulate(SMALL, games=done.games, keep="summary")


def kill_one_when(pids: Any, arrived: Any) -> threading.Thread:
    """SIGKILL for one of these processes when something has arrived."""

    def kill() -> None:
        arrived.wait(60)
        os.kill(pids()[0], signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


@pytest.fixture
def arrived(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Set when the tenth part of a run has come back."""
    event, parts, add = threading.Event(), [], Tally.__add__

    def counted(one: Tally, other: Tally) -> Tally:
        parts.append(other)
        if len(parts) == 10:
            event.set()
        return add(one, other)

    monkeypatch.setattr(Tally, "__add__", counted)
    return event


class Breaking(ProcessPoolExecutor):
    """Its tenth part ends the worker that plays it."""

    sent = 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        self.sent += 1
        if self.sent == 10:
            return super().submit(os._exit, 1)
        return super().submit(fn, *args, **kwargs)


def test_a_broken_pool_is_given_up() -> None:
    whole = simulate(rs.giuthi(), games=60_000, seed=2).summary()
    with (
        Breaking(2, mp_context=get_context("spawn")) as pool,
        pytest.warns(RuntimeWarning, match="the executor broke .*: the rest is played here"),
    ):
        summary = simulate(rs.giuthi(), 60_000, 2, executor=pool, keep="summary")
    assert summary == whole


@pytest.mark.parametrize("executor", [3, "tcp://localhost:8786", ThreadPoolExecutor])
def test_what_is_no_executor_is_refused(executor: Any) -> None:
    with pytest.raises(
        TypeError, match=r"executor must be a concurrent.futures.Executor or a dask"
    ):
        simulate(SMALL, games=10, executor=executor)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"keep": "all"}, ValueError, r"keep='all': must be 'columns' or 'summary'"),
        ({"keep": None}, TypeError, r"keep must be 'columns' or 'summary', not None"),
        ({"keep": "summary", "games": 0}, ValueError, r"games=0: must be 1…"),
    ],
)
def test_bad_arguments_are_refused(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        simulate(**{"rules_or_position": SMALL, "games": 10, **arguments})


# ----------------------------------------------------------------------------------------- Dask


@pytest.fixture(scope="module")
def cluster() -> Any:
    """Two worker processes."""
    distributed = pytest.importorskip("distributed", exc_type=ImportError)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as cluster:
        yield cluster


@pytest.fixture
def client(cluster: Any) -> Any:
    import distributed

    with distributed.Client(cluster) as client:
        yield client


def test_dask_plays_the_same_games(client: Any, tmp_path: Path) -> None:
    whole = simulate(SMALL, games=5_500, seed=2)
    assert same(simulate(SMALL, games=5_500, seed=2, executor=client), whole)
    out = tmp_path / "run"
    summary = simulate(SMALL, 5_500, 2, executor=client, keep="summary", out=out)
    assert summary == whole.summary()
    simulate(SMALL, 5_500, 2, keep="summary", out=tmp_path / "one")
    for path in (tmp_path / "one").iterdir():
        assert (out / path.name).read_bytes() == path.read_bytes()


@pytest.mark.slow
def test_a_dask_worker_is_killed(client: Any, arrived: threading.Event) -> None:
    whole = simulate(rs.giuthi(), games=100_000, seed=2).summary()
    arrived.clear()
    client.wait_for_workers(2)
    pids = list(client.run(os.getpid).values())
    killer = kill_one_when(lambda: pids, arrived)
    hung = threading.Timer(60, signal.raise_signal, [signal.SIGINT])
    hung.start()
    summary = simulate(rs.giuthi(), 100_000, 2, executor=client, keep="summary")
    hung.cancel()
    killer.join()
    assert summary == whole
    with pytest.raises(ProcessLookupError):  # it is gone
        os.kill(pids[0], 0)


def test_the_command_on_a_dask_scheduler(cluster: Any, capsys: pytest.CaptureFixture[str]) -> None:
    words = f"simulate giuthi --games 2_000 --dask {cluster.scheduler_address}"
    assert cli.main(words.split()) == 0
    assert capsys.readouterr().out == f"{simulate(rs.giuthi(), 2_000).summary()}\n"


def test_without_dask_the_extra_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert cli.main(["simulate", "giuthi", "--dask", "tcp://localhost:1"]) == 2
    assert "pip install 'relaysow[dask]' brings it" in capsys.readouterr().err
