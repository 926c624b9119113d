"""The bench: its loops play the package's games, it notices when they do not, and it runs."""

from __future__ import annotations

import dataclasses
import re
import sys
from contextlib import nullcontext
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))
bench = pytest.importorskip("bench", reason="the bench is part of the sources only")
signature = pytest.importorskip("signature", reason="the bench is part of the sources only")

needs_compiler = pytest.mark.skipif(bench.compiler() is None, reason="no C++ compiler")
needs_numba = pytest.mark.skipif(
    find_spec("numba") is None, reason="Numba is not installed: extra bench"
)
each_row = pytest.mark.parametrize("row", bench.ROWS)
FIRST, GAMES = 2**40, 300


@needs_compiler
@each_row
@pytest.mark.parametrize("max_moves", [None, 1, 2, 25])
def test_plain_loop_plays_the_same_games(row: str, max_moves: int | None) -> None:
    rules = bench.ROWS[row][0]
    games = bench.plain(rules, max_moves=max_moves)(FIRST, GAMES)
    bench.compare("plain", games, "core", bench.native(rules, 1, max_moves)(FIRST, GAMES))
    few = {name: column[:2] for name, column in games.items()}
    bench.compare("plain", few, "reference", bench.reference(rules, max_moves)(FIRST, 2))


@needs_compiler
@each_row
def test_plain_loop_without_repetition_plays_the_same_games(row: str) -> None:
    rules = bench.ROWS[row][0]
    games = bench.plain(rules, repetition=False, max_moves=120)(0, GAMES)
    unlimited = dataclasses.replace(rules, repetition="off")
    bench.compare("plain", games, "core", bench.native(unlimited, 1, 120)(0, GAMES))
    few = {name: column[:2] for name, column in games.items()}
    bench.compare("plain", few, "reference", bench.reference(unlimited, 120)(0, 2))


@needs_numba
@each_row
def test_numba_loop_plays_the_same_games(row: str) -> None:
    rules = bench.ROWS[row][0]
    player = bench.numba(rules)
    if player is None:
        assert row == "Kiothi"
        return
    bench.compare("numba", player(FIRST, GAMES), "core", bench.native(rules)(FIRST, GAMES))


@needs_numba
def test_numba_steps_are_those_of_a_batch() -> None:
    """`step_rates` compares them before it times them."""
    rates = bench.step_rates(3, 5, 1)
    assert set(rates) == {"Batch", "numba"}
    assert min(rates.values()) > 0


def test_loops_refuse_rules_they_do_not_know() -> None:
    for rules in (bench.rs.giuthi(chain="run"), bench.rs.giuthi_pratt(), bench.rs.kiothi(pits=9)):
        with pytest.raises(
            ValueError, match=r"do(es)? not play (giuthi_russ|giuthi_pratt|kiothi)\("
        ):
            bench.plain(rules)(0, 1)


def test_games_on_two_threads_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    rules, native = bench.rs.giuthi(), bench.native
    assert all(0 < figure < 100 for figure in bench.two_threads(rules, 500, 2))
    # On two threads, the games from the next one on.
    monkeypatch.setattr(
        bench,
        "native",
        lambda rules, threads: lambda first, games: native(rules)(first + (threads == 2), games),
    )
    with pytest.raises(bench.Mismatch, match=r" by one thread, .* by two threads$"):
        bench.two_threads(rules, 500, 2)


@pytest.mark.parametrize("column", bench.COLUMNS)
def test_one_planted_fault_is_found(column: str) -> None:
    games = bench.native(bench.rs.giuthi())(0, 50)
    spoilt = dict(games)
    bench.compare("a", games, "b", spoilt)
    spoilt[column] = spoilt[column].copy()
    spoilt[column].reshape(50, -1)[37, -1] += 1
    with pytest.raises(bench.Mismatch, match=rf"^{column} of game 37: .* by a, .* by b$"):
        bench.compare("a", games, "b", spoilt)
    short = {name: values[:49] for name, values in games.items()}
    with pytest.raises(bench.Mismatch, match=r"^a played 50 games, b 49$"):
        bench.compare("a", games, "b", short)


@needs_compiler
def test_forgotten_repetition_rule_is_found() -> None:
    rules = bench.rs.giuthi()
    lax = bench.plain(rules, repetition=False, max_moves=10_000)(0, GAMES)
    with pytest.raises(bench.Mismatch):
        bench.compare("plain", lax, "core", bench.native(rules)(0, GAMES))


def test_signature_is_the_recorded_one_and_changes_with_any_game(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert bench.check_signature(1) == bench.SIGNATURE

    def late(rules: Any, threads: int = 1) -> Any:
        play = bench.native(rules, threads)

        def other(first: int, games: int) -> Any:
            columns = play(first, games)
            if rules == bench.rs.giuthi_leakey():
                columns["laps"] = columns["laps"] + (np.arange(games) == games - 1)
            return columns

        return other

    monkeypatch.setattr(bench, "SIGNATURE_GAMES", 20)
    assert bench.signature(late, 20) != bench.signature(bench.native, 20)
    with pytest.raises(bench.Mismatch, match=r"^signature "):
        bench.check_signature(1)


def test_games_are_the_same_in_every_way(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow", exc_type=ImportError)
    monkeypatch.setattr(signature, "CALLS", (1, 3, 70))
    monkeypatch.setattr(signature, "LEVELS", (*signature.LEVELS, "mmx"))
    monkeypatch.setattr(signature, "in_shards", partial(signature.in_shards, kills=1))
    monkeypatch.setattr(signature, "cluster", lambda: nullcontext(None))
    words = ["giuthi_pratt", "--games", "200", "--reference", "2"]
    assert signature.main(words) == 0
    printed = capsys.readouterr().out
    hashes = re.findall(r"(?m) ([0-9a-f]{12}) +\d+\.\d s$", printed)
    assert len(hashes) == len(signature.SETS) + 4
    assert len(set(hashes[:-1])) == 1
    assert re.search(r"mmx +not run: ", printed)
    assert re.search(r"Dask, two workers +not run: ", printed)
    calls = signature.in_calls

    def spoilt(name: str, games: int) -> Any:
        columns = calls(name, games)
        columns["laps"][150] += 1
        return columns

    monkeypatch.setattr(signature, "in_calls", spoilt)
    assert signature.main(words) == 1
    assert re.search(r"FAILED: laps of game 150: \d+ by .*, \d+ by calls", capsys.readouterr().out)


@pytest.mark.campaign
@pytest.mark.parametrize("name", bench.rs.RULE_SETS)
def test_a_million_games_are_the_same_in_every_way(name: str) -> None:
    assert signature.main([name]) == 0


@pytest.mark.slow
@needs_compiler
def test_quick_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "ROWS", {"Giuthi 2×8·8": (bench.rs.giuthi(), 1.0, 8.0)})
    monkeypatch.setattr(
        bench, "call_costs", lambda _: {"play(move)": 1e-6, "list(legal_moves)": 1e-6}
    )
    file = tmp_path / "figures.json"
    assert bench.main(["--quick", "--games", "30", "--json", str(file)]) == 0
    printed = capsys.readouterr().out
    assert f"signature {bench.SIGNATURE}" in printed
    assert '"signature"' in file.read_text()
    assert printed.count("plain C++, repetition off") == 1
    assert printed.count("Giuthi 2×8·8: two threads / one") == 2
    monkeypatch.setattr(bench, "SIGNATURE", "0" * 12)
    assert bench.main(["--quick", "--games", "30"]) == 1
    assert "FAILED: signature" in capsys.readouterr().out
