"""Figures of simulations: what their lines and points say, and the files they are written to."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relaysow as rs
from relaysow import cli
from relaysow.simulation import plots
from relaysow.simulation.columns import COLUMNS
from relaysow.simulation.summary import Rate

FIVE = rs.giuthi(pits=5, seeds=4)
OVER = rs.Position(FIVE, (0,) * 10, stores=(3, 1))
pytest.importorskip("matplotlib", exc_type=ImportError)


def test_lengths_and_stores() -> None:
    result = rs.simulate(FIVE, games=2_000, seed=1)
    lengths, stores, _, _ = result.plot().axes
    for axes, columns in (
        (lengths, [result.moves, result.turns]),
        (stores, [result.scores[:, 0], result.scores[:, 1]]),
    ):
        for steps, column in zip(axes.patches, columns, strict=True):
            counts, edges, _ = steps.get_data()
            assert counts.sum() == result.games
            assert len(counts) <= 61
            middles = edges[:-1] + 0.5
            assert np.unique(np.diff(middles)).size == 1
            for count, first, after in zip(counts, middles, middles[1:], strict=False):
                assert count == np.count_nonzero((first <= column) & (column < after))
    assert [text.get_text() for text in lengths.get_legend().get_texts()] == ["moves", "turns"]


def test_laps() -> None:
    result = rs.simulate(FIVE, games=500, seed=1)
    laps = result.summary().plot().axes[2]
    for line, column in zip(laps.lines, (result.laps, result.longest), strict=True):
        for number, share in zip(*line.get_data(), strict=True):
            assert share == pytest.approx(np.mean(column >= number))
    assert {line.get_linestyle() for line in laps.lines} == {"-", "--"}


def test_results_by_first_move() -> None:
    start = rs.Position(FIVE, FIVE.setup, mover=1)
    result = rs.simulate(start, games=500, seed=1)
    first = result.plot().axes[3]
    assert first.get_title() == "Results by North's first move"
    names = [label.get_text() for label in first.get_xticklabels()]
    assert names == [start.move_to_text(move) for move in start.legal_moves]
    for bars, winner in zip(first.containers, (1, -1), strict=True):
        line, _, (intervals,) = bars
        for i, share in enumerate(line.get_ydata()):
            began = result.first_move == i
            rate = Rate.of(int(np.sum(began & (result.winner == winner))), int(began.sum()))
            assert share == rate.rate
            ends = intervals.get_segments()[i][:, 1]
            assert ends == pytest.approx([rate.low, rate.high])


def test_first_moves_that_were_not_played_or_are_too_many() -> None:
    result = rs.simulate(FIVE, games=1, seed=1)
    first = result.plot().axes[3]
    assert [len(bars[0].get_ydata()) for bars in first.containers] == [1, 1]
    many = rs.simulate(rs.kiothi(), games=3, seed=1).plot().axes[3]
    assert [text.get_text() for text in many.texts] == ["300,450,150 first moves: too many to draw"]
    none = rs.simulate(OVER, games=3).plot().axes[3]
    assert [text.get_text() for text in none.texts] == ["no first move"]
    labels = rs.simulate(rs.engehe(), games=3).plot().axes[3].get_xticklabels()
    assert [label.get_text() for label in labels][:3] == ["1", "3", "5"]


def test_no_games_and_long_titles() -> None:
    start = rs.Position(rs.engehe(endless="draw", max_laps=7), (4,) * 100, stores=(1, 0))
    result = rs.simulate(start, games=2)
    title = result.plot().get_suptitle()
    assert "".join(title.split()) == "".join(result.title.split())
    assert max(map(len, title.split("\n"))) <= 110
    columns = {name: getattr(result, name)[:0] for name in COLUMNS}
    none = type(result)(
        **columns, start=start, policy=("random",) * 2, seed=1, first_game=0, max_moves=None
    )
    assert [axes.texts[0].get_text() for axes in none.plot().axes] == ["no games"] * 4


@pytest.mark.parametrize(
    ("suffix", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_files(suffix: str, magic: bytes, tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / f"games.{suffix}"
    assert cli.main(["simulate", "giuthi", "--games", "50", "--plot", str(path)]) == 0
    assert f"drew 50 games in {path}" in capsys.readouterr().err
    assert path.read_bytes().startswith(magic)
    assert list(tmp_path.iterdir()) == [path]


def test_refusals(tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    result = rs.simulate(FIVE, games=1)
    with pytest.raises(ValueError, match=r"'a.gif': must end in '.pdf', '.png' or '.svg'"):
        result.save_plot("a.gif")
    # Before a million games are played:
    words = ["simulate", "engehe", "--games", "1_000_000_000", "--plot"]
    assert cli.main([*words, "games.gif"]) == 2
    assert "must end in '.pdf', '.png' or '.svg'" in capsys.readouterr().err
    assert cli.main([*words, str(tmp_path / "none" / "games.png")]) == 2
    assert "there is no folder" in capsys.readouterr().err
    for name in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"pip install 'relaysow\[plot\]'"):
        result.plot()
    assert cli.main([*words, "games.png"]) == 2
    assert "pip install 'relaysow[plot]' brings it" in capsys.readouterr().err
    assert plots.MAX_FIRST_MOVES >= 50
