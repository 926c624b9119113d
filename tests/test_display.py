"""Drawings, held to the letter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

import relaysow as rs
from relaysow.text import board as display


def drawn(text: str) -> str:
    """A drawing as it stands in this file."""
    return text.strip("\n")


def test_small_board() -> None:
    position = rs.Position(rs.giuthi(5, 4), (4, 0, 12, 1, 0, 0, 2, 3, 4, 5), stores=(7, 2), mover=1)
    assert str(position) == display.board(position)
    assert display.board(position) == drawn("""
             5   4   3   2   1
          ┌────────────────────┐
▶ North 2 │  5   4   3   2   · │
  South   │  4   ·  12   1   · │ 7
          └────────────────────┘
             1   2   3   4   5
North to move.
""")
    assert display.board(position, unicode=False) == drawn("""
             5   4   3   2   1
          +--------------------+
> North 2 |  5   4   3   2   . |
  South   |  4   .  12   1   . | 7
          +--------------------+
             1   2   3   4   5
North to move.
""")


def test_recorded_board_and_a_finished_game() -> None:
    over = rs.Position(rs.giuthi(), (1, 0, 0, 0, 0, 0, 0, 0) + (1,) * 8, stores=(100, 19), mover=1)
    assert display.board(over) == drawn("""
              8  7  6  5  4  3  2  1
            ┌────────────────────────┐
  North  19 │ 1  1  1  1  1  1  1  1 │
  South     │ 1  ·  ·  ·  ·  ·  ·  · │ 100
            └────────────────────────┘
              1  2  3  4  5  6  7  8
The game is over (both_stuck): South 101, North 27: South wins.
""")


def test_protection() -> None:
    position = rs.Position(
        rs.kiothi(),
        (0, 0, 1, 0, 5, 5, 5, 10, 5, 5, 4, 0, 0, 0, 0, 5, 5, 5, 5, 5),
        protected=(2, 4, 7, 19, 10),
    )
    assert display.board(position) == drawn("""
            10   9   8   7   6   5   4   3   2   1
          ┌────────────────────────────────────────┐
  North 0 │ [5]  5   5   5   5   ·   ·   ·   ·  [4]│
▶ South   │  ·   ·  [1]  ·  [5]  5   5 [10]  5   5 │ 0
          └────────────────────────────────────────┘
             1   2   3   4   5   6   7   8   9  10
South to move. Pits in [ ] are protected.
""")
    start = rs.kiothi_wikipedia(pits=3, filled=2).start()
    assert display.board(start, unicode=False) == drawn("""
            3  2  1
          +---------+
  North 0 |[6][6][.]|
> South   |[.][6][6]| 0
          +---------+
            1  2  3
South to redistribute the seeds of one pit. Pits in [ ] are protected.
""")


def test_wide_board() -> None:
    assert display.board(rs.engehe().start(), width=100) == drawn("""
            50  49  48  47  46  45  44  43  42  41  40  39  38  37  36  35
          ┌────────────────────────────────────────────────────────────────
  North 0 │  4   4   4   4   4   4   4   4   4   4   4   4   4   4   4   4
▶ South   │  4   4   4   4   4   4   4   4   4   4   4   4   4   4   4   4
          └────────────────────────────────────────────────────────────────
             1   2   3   4   5   6   7   8   9  10  11  12  13  14  15  16

            34  33  32  31  30  29  28  27  26  25  24  23  22  21  20  19  18
           ────────────────────────────────────────────────────────────────────
  North      4   4   4   4   4   4   4   4   4   4   4   4   4   4   4   4   4
▶ South      4   4   4   4   4   4   4   4   4   4   4   4   4   4   4   4   4
           ────────────────────────────────────────────────────────────────────
            17  18  19  20  21  22  23  24  25  26  27  28  29  30  31  32  33

            17  16  15  14  13  12  11  10   9   8   7   6   5   4   3   2   1
           ────────────────────────────────────────────────────────────────────┐
  North      4   4   4   4   4   4   4   4   4   4   4   4   4   4   4   4   4 │
▶ South      4   4   4   4   4   4   4   4   4   4   4   4   4   4   4   4   4 │ 0
           ────────────────────────────────────────────────────────────────────┘
            34  35  36  37  38  39  40  41  42  43  44  45  46  47  48  49  50
South to move.
""")


@pytest.mark.parametrize(
    ("position", "line"),
    [
        (
            rs.Position(rs.giuthi_leakey(), (4,) * 12, direction="cw"),
            "South to move, clockwise only.",
        ),
        (
            rs.Position(
                rs.giuthi_leakey(extra_pit="not_origin"), (4,) * 12, (0, 0), 1, (), "ccw", 8
            ),
            "North to move, counter-clockwise only, not from pit 3.",
        ),
        (
            rs.Position(rs.giuthi(3, 4), (0, 1, 0, 4, 0, 0)),
            "North to move, after a pass.",
        ),
        (
            rs.kiothi(redistribution="up_to_two").start(),
            "South to redistribute the seeds of up to two pits.",
        ),
        (
            rs.Position(rs.kiothi(), rs.kiothi().setup, mover=1, redistributions=1),
            "North to redistribute the seeds of two pits.",
        ),
        (
            rs.Position(rs.giuthi(endless="draw"), (8,) * 16, (3, 5), drawn=True),
            "The game is over (endless): South 3, North 5: a draw.",
        ),
    ],
)
def test_last_line(position: rs.Position, line: str) -> None:
    assert display.board(position).splitlines()[-1] == line
    assert ("▶" in str(position)) is not position.is_over


@pytest.mark.parametrize("pits", [3, 13, 17, 50, 64])
@pytest.mark.parametrize("width", [40, 57, 80, 120])
def test_no_line_is_too_long(pits: int, width: int) -> None:
    """And every pit is drawn once, with its number, whatever the width."""
    setup = [0] * (2 * pits)
    setup[0], setup[-1] = 900, 3
    shields = {"protection": "until_owner_lifts"}
    position = rs.Position(
        rs.engehe(pits, 1, **shields), setup, stores=(97, 0), protected=range(2 * pits)
    )
    lines = display.board(position, width=width).splitlines()
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    assert text.count("[·]") == 2 * pits - 2
    assert (text.count("[900]"), text.count("[3]")) == (1, 1)
    numbers = [int(word) for line in lines for word in line.split() if word.isdigit()]
    assert sorted(numbers) == sorted([*range(1, pits + 1), *range(1, pits + 1), 97, 0])


def test_refusals() -> None:
    start = rs.giuthi().start()
    with pytest.raises(ValueError, match="width=39: must be at least 40"):
        display.board(start, width=39)
    with pytest.raises(TypeError, match="width must be an integer"):
        display.board(start, width=80.0)  # type: ignore[arg-type]


def told(position: Any, move: Any, **more: Any) -> Iterator[str]:
    return display.sowing(position, position.sow(move), **more)


def test_sowing_with_a_capture() -> None:
    """The trace of the ten, on 2×10 with nine seeds a pit."""
    texts = list(told(rs.giuthi(10, 9).start(), rs.Sow(0, direction="ccw"), width=90))
    assert [text.split("\n", 1)[0] for text in texts] == [
        "Lap 1: South's pit 1, 9 seeds counter-clockwise, to South's pit 10 (now 10).",
        "Lap 2: South's pit 10, 10 seeds clockwise, to North's pit 10 (now 10).",
        "Lap 3: North's pit 10, 10 seeds counter-clockwise, to South's pit 10 (was empty).",
        "The sowing is over: 10 seeds captured: 9 of North's pit 1, 1 of South's pit 10.",
    ]
    assert texts[0].split("\n", 1)[1] == drawn("""
            10   9   8   7   6   5   4   3   2   1
          ┌────────────────────────────────────────┐
  North 0 │  9   9   9   9   9   9   9   9   9   9 │
  South   │  ·  10  10  10  10  10  10  10  10 >10 │ 0
          └────────────────────────────────────────┘
             1   2   3   4   5   6   7   8   9  10
""")
    assert texts[-1].split("\n", 1)[1] == str(
        rs.giuthi(10, 9).start().play(rs.Sow(0, direction="ccw"))
    )


def test_sowing_skips_and_earns_another_move() -> None:
    position = rs.Position(rs.giuthi_pratt(3), (2, 0, 0, 0, 7, 0))
    assert list(told(position, rs.Sow(0, direction="ccw"), boards=False)) == [
        "Lap 1: South's pit 1, 2 seeds counter-clockwise, to South's pit 3 (was empty).",
        "The sowing is over: nothing is captured.\n"
        "It has not crossed into the other row and earns another move.\n"
        + str(position.play(rs.Sow(0, direction="ccw"))),
    ]
    position = rs.Position(rs.giuthi_pratt(3), (0, 0, 0, 1, 7, 0), mover=1)
    assert next(told(position, rs.Sow(4, direction="ccw"))) == drawn("""
Lap 1: North's pit 2, 7 seeds counter-clockwise, to South's pit 1 (now 2).
            3  2  1
          ┌─────────┐
  North 0 │ 2  ·  2 │
  South   │>2  1  1 │ 0
          └─────────┘
            1  2  3
""")


def test_sowing_shows_protection_lost() -> None:
    """What was lifted from is no longer protected, in the first lap as in the relay."""
    rules = rs.engehe(3, 4, protection="until_lifted")
    position = rs.Position(rules, (1, 1, 0, 0, 3, 0), protected=(0, 1, 4))
    texts = list(told(position, rs.Sow(0), unicode=False))
    assert [text.splitlines()[3:5] for text in texts[:2]] == [
        ["  North 0 | . [3] . |", "  South   | . >2] . | 0"],
        ["  North 0 | . [3]>1 |", "  South   | .  .  1 | 0"],
    ]


def test_sowings_that_are_not_legal() -> None:
    position = rs.Position(rs.giuthi(5, 4), (9, 2, 0, 3, 0, 0, 0, 0, 0, 2))
    *laps, last = told(position, rs.Sow(0, direction="ccw"), boards=False)
    assert len(laps) == len(position.sow(rs.Sow(0, direction="ccw")).path)
    assert last == (
        "The sowing never ends: it comes round again every 100 laps.\n"
        "The move is illegal: its sowing never ends (period 100 laps)."
    )
    capped = rs.Position(rs.giuthi(5, 4, max_laps=5), position.pits)
    *laps, last = told(capped, rs.Sow(0, direction="ccw"), boards=False)
    assert len(laps) == 5
    assert last == (
        "The sowing goes on past max_laps=5 laps.\n"
        "The move is illegal: its sowing goes on past max_laps=5 laps."
    )
    first_lap = rs.Position(rs.kiothi(), (5,) * 20)
    lap, last = told(first_lap, rs.Sow(0, lift=2), boards=False)
    assert lap == "Lap 1: South's pit 1, 2 seeds counter-clockwise, to South's pit 3 (now 6)."
    assert last == (
        "The move is illegal: its first lap ends in an occupied pit of the mover's own\nrow."
    )


def test_endless_sowing_that_ends_the_turn() -> None:
    position = rs.Position(rs.giuthi(5, 4, endless="ends_turn"), (9, 2, 0, 3, 0, 0, 0, 0, 0, 2))
    *_, last = told(position, rs.Sow(0, direction="ccw"))
    assert last == "The sowing never ends: it comes round again every 100 laps.\n" + str(
        position.play(rs.Sow(0, direction="ccw"))
    )


def test_long_sowing() -> None:
    """The path kept is not the whole of it: what the pits held at the end is not known."""
    start = rs.giuthi(10, 9).start()
    sowing = start.sow(rs.Sow(0, direction="ccw"))
    sowing = replace(sowing, laps=12_345, path=sowing.path[:2], path_truncated=True)
    *_, cut, last = display.sowing(start, sowing, boards=False)
    assert cut == "… and so on: only the first 2 laps are shown."
    assert last.splitlines()[0] == (
        "The sowing is over after 12,345 laps: 10 seeds captured: North's pit 1, South's"
    )


def test_no_line_of_a_sowing_is_too_long() -> None:
    start = rs.engehe().start()
    for move in start.legal_moves:
        for text in told(start, move, width=40):
            assert max(map(len, text.splitlines())) <= 40


def test_redistribution() -> None:
    start = rs.kiothi().start()
    move = rs.Redistribute((4, 5), (10, *(0,) * 19))
    assert list(told(start, move)) == ["The seeds are redistributed.\n" + str(start.play(move))]


def test_a_board_too_high_is_drawn_more_densely() -> None:
    start = rs.engehe(pits=24).start()
    whole = display.board(start, width=64)
    assert whole == display.board(start, width=64, height=14)
    dense = drawn("""
            24  23  22  21  20  19  18  17  16  15  14  13
  North 0 │  4   4   4   4   4   4   4   4   4   4   4   4
▶ South   │  4   4   4   4   4   4   4   4   4   4   4   4
             1   2   3   4   5   6   7   8   9  10  11  12

            12  11  10   9   8   7   6   5   4   3   2   1
  North      4   4   4   4   4   4   4   4   4   4   4   4 │
▶ South      4   4   4   4   4   4   4   4   4   4   4   4 │ 0
            13  14  15  16  17  18  19  20  21  22  23  24
South to move.
""")
    assert {display.board(start, width=64, height=height) for height in (10, 13)} == {dense}
    denser = dense.replace("\n\n", "\n")
    assert {display.board(start, width=64, height=height) for height in (1, 9)} == {denser}
    told = start.sow(rs.Sow(0))
    for level, lines in ((0, 13), (1, 9), (2, 8)):
        lap, *_ = display.sowing(start, told, width=80, dense=level)
        words, *board = lap.split("\n")
        assert words == "Lap 1: South's pit 1, 4 seeds counter-clockwise, to South's pit 5 (now 5)."
        assert len(board) == lines
