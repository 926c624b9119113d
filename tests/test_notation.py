"""Text for rules, moves, positions and game records: what is written, and every refusal."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given

import relaysow as rs
from relaysow import reference
from relaysow.text import notation
from strategies import rules_and_positions

KIOTHI = "1,4=" + ",".join(map(str, (10, *(0,) * 19)))


def refusal(text: str, error: type[ValueError], read: Any = rs.Position.from_text) -> str:
    with pytest.raises(error) as refused:
        read(text)
    assert type(refused.value) is error
    return str(refused.value)


# ---------------------------------------------------------------------------------------- rules


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        (rs.giuthi(), "giuthi(pits=8,seeds=8)"),
        (rs.kiothi(), "kiothi()"),
        (rs.kiothi(filled=5, max_laps=7), "kiothi(filled=5,max_laps=7)"),
        (rs.engehe(), "engehe(pits=50,seeds=4)"),
        (rs.giuthi_leakey(), "giuthi_leakey()"),
        (rs.engehe(3, setup=(2, 0, 1, 1, 0, 10)), "engehe(pits=3,setup=2.0.1.1.0.10)"),
        (
            rs.giuthi(5, 4, repetition="stores", end="row_empty"),
            "giuthi(pits=5,seeds=4,end=row_empty,repetition=stores)",
        ),
    ],
)
def test_rules(rules: rs.Rules, text: str) -> None:
    assert notation.rules_to_text(rules) == text
    assert notation.rules_from_text(text) == rules


def test_an_option_of_earlier_versions() -> None:
    """`repetition_scope` is gone: what it said by default is read, the other value is refused."""
    read = notation.rules_from_text
    assert read("giuthi(pits=5,repetition_scope=position,end=row_empty)") == rs.giuthi(
        5, end="row_empty"
    )
    why = "repetition_scope='turn': this option of earlier versions is gone"
    with pytest.raises(rs.RulesError, match=why):
        read("giuthi(repetition_scope=turn)")
    start = rs.giuthi(pits=5, seeds=4).start()
    old = start.to_text().replace("seeds=4)", "seeds=4,repetition_scope=position)")
    assert rs.Position.from_text(old) == start
    assert reference.Position.from_text(old) == reference.Position.from_text(start.to_text())
    record = rs.Game(start).record().replace("seeds=4)", "seeds=4,repetition_scope=position)")
    assert rs.Record.from_text(record).to_text() == rs.Game(start).record()
    with pytest.raises(ValueError, match=why):
        rs.Record.from_text(record.replace("=position", "=turn"))


def test_rules_as_a_person_may_write_them() -> None:
    read = notation.rules_from_text
    assert read("giuthi") == read("giuthi()") == rs.giuthi()
    assert read("kiothi(lift=any,max_laps=None,pits=10)") == rs.kiothi()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "column 1: rules '': must be one of giuthi, kiothi"),
        ("oware(pits=6)", "column 1: rules 'oware': must be one of giuthi,"),
        ("Giuthi", "column 1: rules 'Giuthi': must be one of"),
        ("giuthi(", "column 1: rules 'giuthi(': must end with ')'"),
        ("giuthi)", "column 1: rules 'giuthi)': must be one of"),
        ("giuthi()x", "must end with ')'"),
        ("giuthi(pits=5", "must end with ')'"),
        ("giuthi(pits=5))", "column 13: pits '5)': must be a whole number"),
        ("giuthi(5,4)", "column 8: option '5': must be an option of giuthi: pits, seeds, setup,"),
        ("giuthi(filled=5)", "column 8: option 'filled': must be an option of giuthi"),
        ("giuthi(options=1)", "column 8: option 'options': must be an option of giuthi"),
        ("giuthi(pits=5, seeds=4)", "column 15: option ' seeds': must be an option"),
        ("giuthi(pits=5,)", "column 15: option '': must be an option"),
        ("giuthi(pits)", "column 8: option 'pits': must be followed by '=' and a value"),
        ("giuthi(pits=5,pits=5)", "column 15: option 'pits': is given twice"),
        ("giuthi(pits=5.0)", "column 13: pits '5.0': must be a whole number in digits 0-9"),
        ("giuthi(pits=-5)", "column 13: pits '-5': must be a whole number"),
        ("giuthi(pits=05)", "column 13: pits '05': must be a whole number"),
        ("giuthi(pits=٥)", "column 13: pits '٥': must be a whole number"),
        ("giuthi(pits=1٥)", "column 13: pits '1٥': must be a whole number"),
        ("giuthi(pits=8²)", "column 13: pits '8²': must be a whole number"),
        ("giuthi(pits=" + "9" * 4000 + ")", "999…': must have at most 4 digits"),
        ("giuthi(pits=" + "9" * 5000 + ")", "text 'giuthi(pits=999"),
        ("giuthi(max_laps=" + "1" * 20 + ")", "must have at most 19 digits"),
        ("giuthi(max_laps=none)", "column 17: max_laps 'none': must be a whole number"),
        ("giuthi(chain=loop)", "column 14: chain 'loop': must be one of none, next, run, run_ov"),
        ("giuthi(chain='run')", "must be one of none, next"),
        ("giuthi(setup=4,4)", "column 16: option '4': must be an option"),
        ("giuthi(setup=4..4)", "column 16: setup '': must be a whole number"),
        ("giuthi(seeds=4,setup=4)", "column 16: option 'setup': a setup is given instead of seeds"),
        ("kiothi(setup=4,filled=4)", "column 16: option 'filled': a setup is given instead of"),
    ],
)
def test_rules_refused(text: str, message: str) -> None:
    assert message in refusal(text, rs.NotationError, notation.rules_from_text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("giuthi(pits=65)", "pits=65: must be 3…64"),
        ("giuthi(seeds=0)", "setup holds 0 seeds"),
        ("giuthi(pits=64,seeds=9)", "setup holds 1152 seeds"),
        ("giuthi(setup=4.4)", "setup has 2 counts: must be 16"),
        ("kiothi(filled=11)", "filled=11: must be 1…10"),
        ("giuthi(minimum_lift=3)", "minimum_lift=3: must be 1 or 2"),
        ("giuthi(max_laps=0)", "max_laps=0: must be None or 1…"),
        ("giuthi(max_laps=9999999999999999999)", "max_laps=9999999999999999999: must be"),
        ("engehe(extra_direction=opposite)", "extra_direction='opposite' contradicts uncrossed="),
    ],
)
def test_impossible_rules_refused(text: str, message: str) -> None:
    assert message in refusal(text, rs.RulesError, notation.rules_from_text)


# ---------------------------------------------------------------------------------------- moves


@pytest.mark.parametrize(
    ("rules", "move", "text"),
    [
        (rs.giuthi(), rs.Sow(2, direction="ccw"), "3+"),
        (rs.giuthi(), rs.Sow(2, lift=8, direction="cw"), "3-"),
        (rs.engehe(), rs.Sow(49), "50"),
        (rs.engehe(), rs.Sow(0, lift=4, direction="ccw"), "1"),
        (rs.kiothi(), rs.Sow(4, lift=2), "5x2"),
        (rs.kiothi(), rs.Sow(4), "5x5"),
        (rs.kiothi(direction="either"), rs.Sow(4, 2, "cw"), "5x2-"),
        (rs.kiothi(), rs.Redistribute((0, 3), (10, *(0,) * 19)), KIOTHI),
        (rs.kiothi(), rs.Redistribute((), (0,) * 20), "=" + ",".join("0" * 20)),
    ],
)
@pytest.mark.parametrize("mover", [0, 1])
def test_moves(rules: rs.Rules, move: Any, text: str, mover: int) -> None:
    """North's own pit numbers are as South's; what is placed is in ring order for both."""
    position = rs.Position(rules, rules.setup[-1:] * (2 * rules.pits), mover=mover)
    if mover and isinstance(move, rs.Sow):
        move = rs.Sow(move.pit + rules.pits, move.lift, move.direction)
    elif mover:
        move = rs.Redistribute([pit + rules.pits for pit in move.emptied], move.placed)
    assert position.move_to_text(move) == text
    read = position.move_from_text(text)
    assert read == notation.canonical(position, move)
    assert position.move_to_text(read) == text
    if isinstance(move, rs.Sow):
        assert read == position.move(position.action(move))


@pytest.mark.parametrize(
    ("rules", "text", "message"),
    [
        (rs.giuthi(), "", "column 1: move '': must be a pit"),
        (rs.giuthi(), "+", "column 1: move '+': must be a pit"),
        (rs.giuthi(), "3 +", "column 1: move '3 +': must be a pit"),
        (rs.giuthi(), "٣+", "column 1: move '٣+': must be a pit"),
        (rs.giuthi(), "3−", "column 1: move '3−': must be a pit"),
        (rs.giuthi(), "0+", "column 1: pit '0': must be 1…8"),
        (rs.giuthi(), "9+", "column 1: pit '9': must be 1…8"),
        (rs.giuthi(), "03+", "column 1: pit '03': must be a whole number"),
        (rs.giuthi(), "9" * 4000 + "+", "must have at most 4 digits"),
        (rs.giuthi(), "9" * 5000 + "+", "has 5001 characters: must be at most 4096"),
        (rs.giuthi(), "3", "column 1: move '3': must end with a direction, + or -"),
        (rs.giuthi(), "3x2+", "column 3: lift '2': must be left out under lift='all'"),
        (rs.giuthi(), "1=0", "column 1: move '1=0': these rules have redistribution='none'"),
        (rs.engehe(), "3+", "column 2: direction '+': must be left out under direction='ccw'"),
        (rs.engehe(), "x3", "column 1: move 'x3': must be a pit"),
        (rs.kiothi(), "3", "column 1: move '3': must say how many seeds are lifted, as in 4x2"),
        (rs.kiothi(), "3x0", "column 3: lift '0': must be at least 1"),
        (rs.kiothi(), "3x", "column 1: move '3x': must be a pit"),
        (rs.kiothi(), "3x99999", "column 3: lift '99999': must have at most 4 digits"),
        (rs.kiothi(), "1,4=0,0", "column 5: placed '0,0': must be 20 numbers, not 2"),
        (rs.kiothi(), "4,1=0", "column 3: pit '1': pits must be named once each, rising"),
        (rs.kiothi(), "4,4=0", "column 3: pit '4': pits must be named once each, rising"),
        (rs.kiothi(), "4,11=0", "column 3: pit '11': must be 1…10"),
        (rs.kiothi(), ",=0", "column 1: pit '': must be a whole number"),
        (rs.kiothi(), KIOTHI[:-1] + "=", "column 44: placed '=': must be a whole number"),
        (rs.kiothi(), KIOTHI[:-1] + "-1", "column 44: placed '-1': must be a whole number"),
    ],
)
def test_moves_refused(rules: rs.Rules, text: str, message: str) -> None:
    assert message in refusal(text, rs.NotationError, rules.start().move_from_text)


def test_legality_is_not_asked_of_text() -> None:
    """Text of the right shape is a move; what is wrong with it is for `play` to say."""
    start = rs.kiothi().start()
    move = start.move_from_text("5x2")
    assert move == rs.Sow(4, lift=2)
    assert move not in start.legal_moves
    with pytest.raises(rs.IllegalMove, match="a redistribution is due, not a sowing"):
        start.play(move)


@pytest.mark.parametrize(
    ("rules", "move", "reason"),
    [
        (rs.giuthi(), rs.Sow(9, direction="cw"), "pit 9 is not the mover's: must be 0…7"),
        (rs.giuthi(), rs.Sow(10**30, direction="cw"), "is not the mover's: must be 0…7"),
        (rs.giuthi(), rs.Sow(3), "direction None: must be 'ccw' or 'cw'"),
        (rs.giuthi(), rs.Sow(3, 2, "cw"), "lift 2 of pit 3: all 8 must be lifted"),
        (rs.engehe(), rs.Sow(3, direction="cw"), "direction 'cw': must be 'ccw'"),
        (rs.kiothi(), rs.Sow(0), "pit 0 holds 0 seeds: at least 1 must be lifted"),
        (rs.kiothi(), rs.Redistribute((4,), (5,)), "placed has 1 counts: must be 20"),
        (rs.kiothi(), rs.Redistribute((4, 19), (5,)), "pit 19 is not the mover's: must be 0…9"),
    ],
)
def test_moves_that_cannot_be_written(rules: rs.Rules, move: Any, reason: str) -> None:
    start = rules.start()
    message = f"illegal move {move!r} in {start.to_text()}: "
    assert refusal(move, rs.IllegalMove, start.move_to_text).startswith(message)
    assert refusal(move, rs.IllegalMove, start.move_to_text).endswith(reason)


# ------------------------------------------------------------------------------------ positions


@pytest.mark.parametrize(
    ("position", "text"),
    [
        (rs.giuthi(5, 4).start(), "giuthi(pits=5,seeds=4) 4,4,4,4,4;4,4,4,4,4 0,0 S - - 2"),
        (
            rs.Position(rs.giuthi(3, 4), (0, 1, 2, 13, 4, 0), stores=(100, 7), mover=1),
            "giuthi(pits=3,seeds=4) 0,1,2;13,4,0 100,7 N - - 2",
        ),
        (
            rs.kiothi(pits=3, filled=2).start(),
            "kiothi(filled=2,pits=3) 0,5,5;0,5,5 0,0 S - - 0",
        ),
        (
            rs.Position(rs.kiothi(pits=3, filled=2), (1, 2, 3, 4, 5, 6), protected=(0, 2, 4)),
            "kiothi(filled=2,pits=3) 1,2,3;4,5,6 0,0 S 1,3;2 - 2",
        ),
        (
            rs.Position(rs.kiothi(pits=3, filled=2), (1, 2, 3, 4, 5, 6), protected=(5,)),
            "kiothi(filled=2,pits=3) 1,2,3;4,5,6 0,0 S -;3 - 2",
        ),
        (
            rs.Position(rs.giuthi_leakey(3, 4), (2, 2, 2, 2, 2, 2), mover=1, direction="cw"),
            "giuthi_leakey(pits=3,seeds=4) 2,2,2;2,2,2 0,0 N - cw 2",
        ),
        (
            rs.Position(
                rs.giuthi_leakey(3, 4, extra_pit="not_origin"),
                (2, 2, 2, 2, 2, 2),
                mover=1,
                direction="ccw",
                barred=4,
            ),
            "giuthi_leakey(pits=3,seeds=4,extra_pit=not_origin) 2,2,2;2,2,2 0,0 N - ccw,not2 2",
        ),
        (
            rs.Position(rs.giuthi(3, 4, extra_pit="not_origin"), (2,) * 6, barred=2),
            "giuthi(pits=3,seeds=4,extra_pit=not_origin) 2,2,2;2,2,2 0,0 S - not3 2",
        ),
        (
            rs.Position(rs.giuthi(3, 4, endless="draw"), (2,) * 6, drawn=True),
            "giuthi(pits=3,seeds=4,endless=draw) 2,2,2;2,2,2 0,0 S - - 2 drawn",
        ),
    ],
)
def test_positions(position: rs.Position, text: str) -> None:
    assert position.to_text() == text
    again = rs.Position.from_text(text)
    assert again == position
    assert again.to_text() == text


def test_forced_passes_are_taken() -> None:
    """North has nothing to lift, so it is South's move."""
    position = rs.Position.from_text("giuthi(pits=3,seeds=4) 0,2,0;1,0,0 4,2 N - - 2")
    assert (position.mover, position.passed) == (0, True)


GOOD = "giuthi(pits=3,seeds=4) 4,4,4;4,4,4 0,0 S - - 2"
SHIELDED = "engehe(pits=3,seeds=4,protection=until_lifted) 4,4,4;4,4,4 0,0 S {} - 2"
DUTY = "giuthi_leakey(pits=3,extra_pit=not_origin) 4,4,4;4,4,4 0,0 S - {} 2"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "column 1: field '': is empty: single spaces part the fields"),
        (GOOD.replace(" S", "  S"), "column 40: field '': is empty"),
        (GOOD.replace(" - 2", "\t- 2"), "has 6 fields: must be 7 (rules, rows, stores, player, "),
        (GOOD[:-2], "has 6 fields: must be 7"),
        (GOOD + " drawn drawn", "has 9 fields: must be 7"),
        (GOOD + " draw", "column 48: last field 'draw': must be drawn or left out"),
        ("x" * 4097, "has 4097 characters: must be at most 4096"),
        (GOOD.replace("giuthi", "guithi"), "column 1: rules 'guithi': must be one of"),
        (GOOD.replace("4,4,4;4", "4,4,4,4"), "column 24: rows '4,4,4,4,4,4': must be two rows"),
        (GOOD.replace("4;4", "4;4;4"), "column 24: rows '4,4,4;4;4,4,4': must be two rows"),
        (
            GOOD.replace("4;4", "4,4;4"),
            "column 24: South's row '4,4,4,4': must be 3 numbers, not 4",
        ),
        (GOOD.replace(";4,4", ";4"), "column 30: North's row '4,4': must be 3 numbers, not 2"),
        (GOOD.replace("4;4", "4;-4"), "column 30: North's row '-4': must be a whole number"),
        (GOOD.replace("4;4", "4;４"), "column 30: North's row '４': must be a whole number"),
        (GOOD.replace("4;4", "4;99999"), "column 30: North's row '99999': must have at most 4 dig"),
        (GOOD.replace("0,0", "0"), "column 36: stores '0': must be 2 numbers, not 1"),
        (GOOD.replace("0,0", "0,+1"), "column 38: stores '+1': must be a whole number"),
        (GOOD.replace("S", "s"), "column 40: player 's': must be S or N"),
        (GOOD.replace("S", "South"), "column 40: player 'South': must be S or N"),
        (GOOD.replace("- 2", "up 2"), "column 44: duties 'up': must be -, or ccw or cw, not and"),
        (GOOD.replace("- 2", "- 3"), "column 46: redistributions made '3': must be 0, 1 or 2"),
        (GOOD.replace("- 2", "- ²"), "column 46: redistributions made '²': must be 0, 1 or 2"),
        (SHIELDED.format("1"), "protected pits '1': must be -, or South's;North's pit numbers"),
        (SHIELDED.format("-;-"), "protected pits '-;-': must be -, or South's;North's pit"),
        (SHIELDED.format("1;2;3"), "protected pits '1;2;3': must be -, or South's;North's"),
        (SHIELDED.format("1,4;-"), "protected pit '4': must be 1…3"),
        (SHIELDED.format("0;-"), "protected pit '0': must be 1…3"),
        (SHIELDED.format("-;2,1"), "protected pit '1': pits must be named once each, rising"),
        (SHIELDED.format(";1"), "protected pit '': must be a whole number"),
        (DUTY.format("cw,ccw"), "duties 'cw,ccw': must be"),
        (DUTY.format("not1,cw"), "duties 'not1,cw': must be"),
        (DUTY.format("not1,not2"), "duties 'not1,not2': must be"),
        (DUTY.format("cw,"), "duties 'cw,': must be"),
        (DUTY.format("not"), "barred pit '': must be a whole number"),
        (DUTY.format("not4"), "barred pit '4': must be 1…3"),
    ],
)
def test_positions_refused(text: str, message: str) -> None:
    assert message in refusal(text, rs.NotationError)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD.replace("0,0", "999,999"), "hold 2022 seeds: must be"),
        (GOOD.replace("- 2", "- 1"), "redistributions=1"),
        (GOOD.replace("- 2", "cw 2"), "direction='cw'"),
        (GOOD.replace("- 2", "not1 2"), "barred=0"),
        (GOOD + " drawn", "drawn"),
    ],
)
def test_impossible_positions_refused(text: str, message: str) -> None:
    assert message in refusal(text, rs.PositionError)


@pytest.mark.parametrize("wrong", [None, 3, b"giuthi()", ["giuthi()"]])
def test_only_strings_are_text(wrong: Any) -> None:
    start = rs.giuthi().start()
    for read in (
        notation.rules_from_text,
        rs.Position.from_text,
        start.move_from_text,
        rs.Game.from_record,
    ):
        with pytest.raises(TypeError):
            read(wrong)
    for write in (notation.rules_to_text, start.move_to_text):
        with pytest.raises(TypeError):
            write(wrong)


@pytest.mark.slow
@given(rules_and_positions())
def test_random_rules_and_positions_come_back(drawn: Any) -> None:
    rules, make = drawn
    assert notation.rules_from_text(notation.rules_to_text(rules)) == rules
    position = make(rs)
    text = position.to_text()
    assert rs.Position.from_text(text) == position
    assert rs.Position.from_text(text).to_text() == text
    assert rs.reference.Position.from_text(text).to_text() == text
    assert text.isascii()
    moves = position.legal_moves
    for number in {0, moves.count // 2, moves.count - 1} if moves else ():
        move = moves[number]
        assert position.move_from_text(position.move_to_text(move)) == move


# -------------------------------------------------------------------------------------- records


GIUTHI = """relaysow game 1
[Rules "giuthi(pits=4,seeds=4)"]
[Start "giuthi(pits=4,seeds=4) 0,2,1,0;0,0,3,2 13,11 S - - 2"]
[Result "South"]
[Stores "17-15"]
[End "both_stuck"]

1. S 2+ 3+
2. N 3+
3. S 4+
4. N 1+ 2+
5. N 3+
6. S 1+
7. S 2+
8. S 3+
9. S 4+
"""

REDISTRIBUTED = """relaysow game 1
[Rules "kiothi(seeds=2,filled=2,pits=3)"]
[Result "draw"]
[Stores "4-4"]
[End "swept"]

1. S 2,3=0,0,2,2,0,0
2. N 2,3=0,1,2,0,0,1
3. S 3x2
4. N 3x1
5. S 3x2
6. N 3x1
7. S 2x2
8. N 3x1
9. S 1x1
10. N 3x2
11. S 2x1
"""


@pytest.mark.parametrize(
    ("text", "moves", "outcome"),
    [
        (GIUTHI, 11, rs.Outcome(0, (17, 15), "both_stuck")),
        (REDISTRIBUTED, 11, rs.Outcome(-1, (4, 4), "swept")),
    ],
)
def test_records(engine: Any, text: str, moves: int, outcome: rs.Outcome) -> None:
    game = engine.Game.from_record(text)
    assert (len(game.moves), game.outcome, game.record()) == (moves, outcome, text)
    again = engine.Game(game.start)
    for move in game.moves:
        again.push(move)
    assert again.record() == text


def test_unfinished_records() -> None:
    game = rs.Game(rs.kiothi())
    text = 'relaysow game 1\n[Rules "kiothi()"]\n[Result "*"]\n'
    assert game.record() == text
    assert rs.Game.from_record(text).moves == ()
    game.push(rs.Redistribute((4, 9), (0,) * 19 + (10,)))
    text += "\n1. S 5,10=" + ",".join("0" * 19) + ",10\n"
    assert game.record() == text
    assert rs.Game.from_record(text).position == game.position


def test_records_as_an_editor_may_leave_them() -> None:
    shuffled = GIUTHI.splitlines()
    shuffled[1:6] = reversed(shuffled[1:6])
    for text in (
        GIUTHI.rstrip("\n"),
        GIUTHI + "\n\n",
        GIUTHI.replace("\n", "\r\n"),
        "\n".join(shuffled),
    ):
        assert rs.Game.from_record(text).record() == GIUTHI


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("relaysow game 1", "relaysow game 2", "line 1, column 1: version 'relaysow game 2': must"),
        (
            "relaysow game 1\n",
            "",
            "line 1, column 1: version '[Rules \"giuthi(pits=4,seeds=4)\"]':",
        ),
        ("[Rules", " [Rules", "line 2, column 1: tag ' [Rules"),
        ('4)"]', '4)" ]', "line 2, column 1: tag"),
        ("[Rules", "[Rule", "line 2, column 2: tag 'Rule': must be one of Rules, Start, Result"),
        ("[Start", "[Rules", "line 3, column 2: tag 'Rules': is given twice"),
        ("seeds=4)", "seeds=4,chain=on)", "line 2, column 37: chain 'on': must be one of"),
        ("seeds=4)", "seeds=0)", "line 2, column 9: setup holds 0 seeds"),
        ('"South"', '"North"', "line 4, column 10: Result 'North': the moves give 'South'"),
        ('"South"', '"*"', "line 4, column 10: Result '*': the moves give 'South'"),
        ("17-15", "15-17", "line 5, column 10: Stores '15-17': the moves give '17-15'"),
        ("both_stuck", "swept", "line 6, column 7: End 'swept': the moves give 'both_stuck'"),
        ('[End "both_stuck"]\n', "", "line 5, column 1: tags end with"),
        ('[End "both_stuck"]\n', "", "the tag End is missing"),
        ('[Result "South"]\n', "", "the tag Result is missing"),
        ('k"]\n\n', 'k"]\n', "line 7, column 1: tag '1. S 2+ 3+': must be a name and a text"),
        ('k"]\n\n', 'k"]\n\n\n', "line 8, column 1: turn '': must be a number"),
        ("13,11 S", "13,11 T", "line 3, column 54: player 'T': must be S or N"),
        ("13,11 S", "999,11 S", "line 3, column 9: pits and stores hold 1018 seeds"),
        ('[Start "giuthi(pits=4,seeds=4)', '[Start "giuthi(pits=4,seeds=5)', "line 3, column 9: S"),
        ("1. S 2+ 3+", "1. S 2+  3+", "line 8, column 1: turn '1. S 2+  3+': must be a number"),
        ("1. S 2+ 3+", "1. S 2+ 3+ ", "line 8, column 1: turn '1. S 2+ 3+ ': must be a number"),
        ("1. S 2+ 3+", "1 S 2+ 3+", "line 8, column 1: turn '1 S 2+ 3+': must be a number"),
        ("1. S 2+ 3+", "1. S", "line 8, column 1: turn '1. S': must be a number"),
        ("1. S 2+ 3+", "1. S 2+", "line 9, column 4: player 'N': the turn before goes on"),
        ("1. S 2+ 3+", "1. N 2+ 3+", "line 8, column 4: player 'N': South is to move"),
        ("1. S 2+ 3+", "1. S 2+ 3", "line 8, column 9: move '3': must end with a direction"),
        ("1. S 2+ 3+", "1. S 2+ 5+", "line 8, column 9: pit '5': must be 1…4"),
        ("1. S 2+ 3+", "1. S 2+ 2+", "line 8, column 9: illegal move Sow(pit=1, lift=None, dire"),
        ("2. N 3+", "2. N 3+ 4+", "line 9, column 9: move '4+': the turn is over"),
        ("2. N 3+", "3. N 3+", "line 9, column 1: turn '3': must be 2"),
        ("2. N 3+", "02. N 3+", "line 9, column 1: turn '02': must be a whole number"),
        ("2. N 3+", "٢. N 3+", "line 9, column 1: turn '٢. N 3+': must be a number"),
        ("2. N 3+", "9" * 5000 + ". N 3+", "must have at most 19 digits"),
        ("9. S 4+\n", "9. S 4+\n10. N 4+\n", "line 17, column 7: illegal move Sow(pit=7, li"),
        ("9. S 4+\n", "9. S 4+\n10. N 4+\n", "the game is over"),
        ("9. S 4+\n", "9. S 4+\n10. S 4+\n", "the game is over"),
        ("both_stuck", "x" * 5000, "line 6, column 7: End 'xxx"),
        ("both_stuck", "x" * 5000, "must be at most 4096 characters"),
        ("9. S 4+\n", "", "line 4, column 10: Result 'South': the moves give '*'"),
    ],
)
def test_tampered_records_refused(old: str, new: str, message: str) -> None:
    assert old in GIUTHI
    text = GIUTHI.replace(old, new, 1)
    assert message in refusal(text, rs.NotationError, rs.Game.from_record)


def test_results_of_unfinished_records_refused() -> None:
    for tag, value in (("Stores", "0-0"), ("End", "swept")):
        text = f'relaysow game 1\n[Rules "giuthi"]\n[Result "*"]\n[{tag} "{value}"]\n'
        message = refusal(text, rs.NotationError, rs.Game.from_record)
        assert message.startswith(f"line 4, column {len(tag) + 4}: {tag} {value!r}: the moves give")


def test_empty_records_refused() -> None:
    for text in ("", "\n", "\ufeffrelaysow game 1\n", "relaysow game 1\n", "relaysow game 1\n\n"):
        assert refusal(text, rs.NotationError, rs.Game.from_record).startswith("line 1, column 1: ")


# --------------------------------------------------------------------------------------- mangled

SEEDS = (
    "giuthi(pits=5,seeds=4)",
    "engehe(pits=3,setup=2.0.1.1.0.10,max_laps=77)",
    "3+",
    "4x2",
    KIOTHI,
    "kiothi(filled=2,pits=3) 1,2,3;4,5,6 0,0 S 1,3;2 - 2",
    "giuthi_leakey(pits=3,seeds=4,extra_pit=not_origin) 2,2,2;2,2,2 0,0 N - ccw,not2 2",
    "giuthi(pits=3,seeds=4,endless=draw) 2,2,2;2,2,2 0,0 S - - 2 drawn",
    GIUTHI,
    REDISTRIBUTED,
)
PARTS = (*'0123456789,;.=()[]+-x _*SN"\\\n\r\t\0', "9" * 30, "٣", "²", "−", "é", "\ud800", "\u2028")
PARTS += ("not", "ccw", "pits=", "chain=", "None", "drawn", " - ", "[Result ")


def mangled(chance: random.Random) -> str:
    """One of the texts above with a few parts replaced, doubled or cut out."""
    text = chance.choice(SEEDS)
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.choice((0, 0, 1, 1, 2, 5, 20)))
        part = chance.choice((chance.choice(PARTS), text[start:end] * 2, "", chance.choice(SEEDS)))
        text = text[:start] + part + text[end:]
    return text


READERS = (
    notation.rules_from_text,
    rs.Position.from_text,
    rs.giuthi().start().move_from_text,
    rs.kiothi().start().move_from_text,
    rs.Game.from_record,
)
REFUSALS = (rs.NotationError, rs.RulesError, rs.PositionError)


def read_mangled(seed: int, texts: int) -> int:
    """Reads so many mangled texts with every reader; how many were read without a refusal."""
    chance, read = random.Random(seed), 0
    for _ in range(texts):
        text = mangled(chance)
        for reader in READERS:
            try:
                value = reader(text)
            except ValueError as error:
                assert type(error) in REFUSALS, (text, reader)
            else:
                read += 1
                if isinstance(value, rs.Position):
                    assert rs.Position.from_text(value.to_text()) == value
                elif isinstance(value, rs.Game):
                    assert rs.Game.from_record(value.record()).position == value.position
                elif isinstance(value, rs.Rules):
                    assert notation.rules_from_text(notation.rules_to_text(value)) == value
    return read


@pytest.mark.slow
def test_mangled_text_is_read_or_refused() -> None:
    assert read_mangled(1, 3_000) > 100


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(2, 6))
def test_much_mangled_text_is_read_or_refused(seed: int) -> None:
    assert read_mangled(seed, 100_000) > 3_000
