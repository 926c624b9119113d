"""Puzzles: each is checked move by move with `solve`, which composing does not use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import relaysow as rs
from relaysow import cli
from relaysow.exact.puzzle import RESULTS
from relaysow.rules import Rules

FIVE = rs.giuthi(pits=5, seeds=4)


def check(puzzle: rs.Puzzle, seeds: int) -> None:
    """Every move of South's is the only one that keeps the result, and no reply throws it away."""
    start = here = puzzle.position
    assert start.mover == 0
    assert len(start.legal_moves) >= 4
    assert sum(start.pits) == seeds
    assert sum(start.pits) + sum(start.stores) == sum(start.rules.setup)
    result, laps, own = RESULTS[puzzle.to], 0, 0
    for move in puzzle.solution:
        solved = rs.solve(here)
        assert solved.result * (1 if here.mover == 0 else -1) == result
        if here.mover == 0:
            assert solved.best_moves == (move,)
            laps = max(laps, here.sow(move).laps or 0)
            own += 1
        else:
            assert move in solved.best_moves
        last, here = here, here.play(move)
    assert last.mover == 0
    assert laps >= 3
    assert own == puzzle.moves >= 1


@pytest.mark.parametrize("to", ["win", "draw"])
@pytest.mark.parametrize(
    "rules",
    [FIVE, rs.engehe(pits=5, seeds=4), rs.giuthi(pits=5, seeds=4, repetition="stores")],
    ids=["giuthi", "engehe", "stores"],
)
def test_puzzles_are_sound(rules: Rules, to: str) -> None:
    found = list(rs.puzzles(rules, 7, to, count=8))
    assert len({puzzle.position for puzzle in found}) == 8
    for puzzle in found:
        check(puzzle, 7)
    assert len({puzzle.moves for puzzle in found}) > 1


@pytest.mark.parametrize("moves", [1, 2, 4])
def test_of_chosen_length(moves: int) -> None:
    for puzzle in rs.puzzles(FIVE, 8, moves=moves, count=3, seed=9):
        assert puzzle.moves == moves
        check(puzzle, 8)


def test_the_same_seed_gives_the_same_puzzles(tmp_path: Path) -> None:
    first = list(rs.puzzles(FIVE, 6, count=4, seed=2**64 - 1))
    assert first == list(rs.puzzles(FIVE, 6, count=4, seed=2**64 - 1))
    assert first[0] != next(rs.puzzles(FIVE, 6, seed=3))
    with rs.Tablebase.build(FIVE, 8, tmp_path / "table") as table:
        assert first == list(rs.puzzles(FIVE, 6, count=4, seed=2**64 - 1, tablebase=table))
        with pytest.raises(ValueError, match="seeds=9: the table holds 8 at most"):
            rs.puzzles(FIVE, 9, tablebase=table)
        with pytest.raises(ValueError, match="no value of engehe"):
            next(rs.puzzles(rs.engehe(pits=5, seeds=4), 6, tablebase=table))


def test_as_text() -> None:
    puzzle = next(rs.puzzles(FIVE, 8, "draw"))
    text, _, moves = puzzle.to_text().partition(" draw: ")
    here = rs.Position.from_text(text)
    assert here == puzzle.position
    for word, move in zip(moves.split(), puzzle.solution, strict=True):
        assert here.move_from_text(word) == move
        here = here.play(move)
    assert puzzle.task.startswith("South is to move and hold the draw: ")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((FIVE, 8, "lose"), ValueError, "to='lose': must be 'win' or 'draw'"),
        ((FIVE, 8, 1), TypeError, "to must be 'win' or 'draw', not 1"),
        ((FIVE, 1), ValueError, "seeds=1: must be 2…125"),
        ((FIVE, 8.0), TypeError, "seeds must be an integer"),
        ((FIVE, 41), ValueError, "seeds=41: the game has 40"),
        ((rs.giuthi(), 60), ValueError, r"seeds=60: there are [\d,]+ positions: build a table"),
        ((FIVE.start(), 8), TypeError, "rules must be Rules"),
        ((rs.giuthi(pits=3, seeds=1), 2), ValueError, "none of 200,000 positions of 2 seeds"),
        ((rs.giuthi(pits=4, seeds=3, repetition="off"), 5), ValueError, "repetition='off'"),
        ((rs.giuthi_leakey(pits=4, seeds=3), 5), ValueError, "extra_direction='opposite'"),
    ],
)
def test_bad_arguments(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        next(rs.puzzles(*arguments))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"moves": 0}, "moves=0: must be 1…100"),
        ({"count": 0}, "count=0"),
        ({"seed": -1}, "seed=-1"),
        ({"seed": 2**64}, "seed=18446744073709551616"),
    ],
)
def test_numbers_out_of_range(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rs.puzzles(FIVE, 8, **arguments)


def test_on_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = [
        "puzzle",
        "giuthi",
        "--pits",
        "5",
        "--seeds",
        "7",
        "--to",
        "win",
        "--moves",
        "2",
        "--seed",
        "4",
    ]
    assert cli.main(words) == 0
    out = capsys.readouterr().out
    puzzle = next(rs.puzzles(rs.giuthi(pits=5), 7, moves=2, seed=4))
    assert puzzle.to_text() in out.splitlines()
    assert puzzle.task in out.splitlines()
    assert out.count("Lap 1: ") == len(puzzle.solution)
    assert "Lap 3: " in out
    file = str(tmp_path / "table")
    rs.Tablebase.build(rs.giuthi(pits=5), 7, file).close()
    assert cli.main([*words, "--tablebase", file, "--no-laps", "--count", "2"]) == 0
    out = capsys.readouterr().out
    assert out.count("each the only one") == 2
    assert "Lap 1" not in out
    assert cli.main(["puzzle", "giuthi", "--to", "lose"]) == 2
    assert capsys.readouterr().err.endswith("'lose' must be win or draw\n")
