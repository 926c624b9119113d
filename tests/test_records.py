"""Records of games, matches, series and commented positions: written, read back, and refused."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import relaysow as rs
import test_notation
from relaysow import Record, cli, read_records
from relaysow.records.plays import steps_of
from test_match import played

MATCH = """\
relaysow match 1
[Event "Herders' cup"]
[Place "Nyeri"]
[Date "1972-05-31"]
[South "greedy"]
[North "robot \\"the second\\""]
[Rules "giuthi_wikipedia(pits=6,setup=0.2.3.2.1.0.0.2.3.2.1.0)"]
[Scheme "wikipedia"]
[First "South"]
[Result "North"]
[Totals "0-16"]

{A short match.\\nThree rounds.}
round 1: 8-8
1. S 4- {nine laps}
2. N 1-
3. S 6+

round 2: 13-3
N shorten
N 0,0,2,1 {in two pits}
S 8,5,0,0
1. S 1-
2. N 3- {thirteen \\{all\\}}

round 3: 3-13
S shorten
S 1,0,2
N 10,0,3
1. N 3+ {over}
"""

SERIES = """\
relaysow series 1
[Rules "giuthi(pits=3,seeds=2)"]
[BestOf "3"]
[OneWarrior "2"]
[First "North"]
[Result "*"]

game 1: 0-0
1. N 1+
2. S 2+
3. N 2+
4. S 1+

game 2: 0-1
1. S 1+ {again from the start}
"""

STUDY = """\
relaysow game 1
[Rules "giuthi(pits=5,seeds=4)"]
[Start "giuthi(pits=5,seeds=4) 9,2,0,3,0;0,0,0,0,2 0,0 S - - 2"]
[Result "*"]

{1+ never ends: the ring is back after 100 laps}
"""


def refusal(text: str, lenient: bool = False) -> str:
    with pytest.raises(rs.NotationError) as refused:
        Record.from_text(text, lenient)
    return str(refused.value)


def same(one: Record, other: Record) -> bool:
    """Equal in all that can be asked of them, and not by the records' own word only."""
    assert type(one.play) is type(other.play)
    for name in ("rules", "start", "scheme", "twice", "half_of", "first", "best_of", "one_warrior"):
        assert getattr(one.play, name, None) == getattr(other.play, name, None)
    for name in ("position", "totals", "points", "winner", "outcome", "is_over", "due"):
        assert getattr(one.play, name, None) == getattr(other.play, name, None)
    assert steps_of(one.play) == steps_of(other.play)
    assert (dict(one.tags), dict(one.comments)) == (dict(other.tags), dict(other.comments))
    return one == other


# ------------------------------------------------------------------------------ written and read


@pytest.mark.parametrize("text", [MATCH, SERIES, STUDY], ids=["match", "series", "study"])
def test_records_are_read_and_written_as_they_stand(text: str) -> None:
    record = Record.from_text(text)
    assert record.to_text() == text
    for changed in (text + "\n\n", text.rstrip("\n"), text.replace("\n", "\r\n")):
        assert same(Record.from_text(changed), record)
    assert same(Record.from_text(text, lenient=True), record)
    assert Record.from_text(text, lenient=True).overlooked == ()


def test_what_a_record_says() -> None:
    record = Record.from_text(MATCH)
    assert isinstance(record.play, rs.Match)
    assert (record.play.winner, record.play.totals) == (1, (0, 16))
    assert [here.pits for here in record.play.rounds] == [6, 4, 3]
    assert record.tags == {
        "Event": "Herders' cup",
        "Place": "Nyeri",
        "Date": "1972-05-31",
        "South": "greedy",
        "North": 'robot "the second"',
    }
    assert record.comments == {
        0: "A short match.\nThree rounds.",
        1: "nine laps",
        5: "in two pits",
        8: "thirteen {all}",
        12: "over",
    }
    assert Record(record.play) != record
    assert record != Record(record.play, record.tags, {**record.comments, 2: "x"})
    assert record != MATCH
    study = Record.from_text(STUDY)
    assert isinstance(study.play, rs.Game)
    assert study.play.position.sow(rs.Sow(0, direction="ccw")).period == 100
    series = Record.from_text(SERIES)
    assert isinstance(series.play, rs.Series)
    assert (series.play.points, len(series.play.games), series.play.first) == ((0, 1), 2, 1)


def test_a_file_may_hold_many() -> None:
    texts = (STUDY, MATCH, SERIES, STUDY)
    for lenient in (False, True):
        records = read_records("\n".join(texts), lenient)
        assert [record.to_text() for record in records] == list(texts)
    # Strictly, an empty line stands between them.
    with pytest.raises(rs.NotationError, match=r"line 7, column 1: turn 'relaysow game 1'"):
        read_records(STUDY * 2)
    assert len(read_records(STUDY * 2, lenient=True)) == 2
    two = f"{STUDY}\n{MATCH}"
    assert refusal(two) == "line 8, column 1: record 'relaysow match 1': must be the only one"
    with pytest.raises(rs.NotationError, match=r"line 16, column 21: pits 'x'"):
        read_records(f"{STUDY}\n" * 2 + STUDY.replace("pits=5", "pits=x"))


TEXTS = ("", " ", "a", "}", "{", "\\", '"', "\n", "\r", "\x00", "\u2028", "\ud800", "é", "n", "[x]")
TEXTS += ("\\n", "\\u0041", "relaysow game 1", "\x7f", "\n\n", "1. S 3+", "😀", "\x85", "  ")


def random_record(seed: int) -> Record:
    """Any record: what was played, tags and comments at random."""
    chance = random.Random(seed)

    def text() -> str:
        return "".join(chance.choices(TEXTS, k=chance.randrange(6)))

    play: Any
    kind = chance.choice(("game", "game", "match", "match", "series"))
    if kind == "match":
        rules: rs.Rules = chance.choice((rs.giuthi_wikipedia(4, 3), rs.giuthi_leakey(5, 3)))
        play = played(rules, seed, steps=chance.randrange(150))
    else:
        rules = chance.choice((rs.kiothi(2, 2, 4), rs.giuthi(4, 3), rs.engehe(3), rs.kiothi()))
        if kind == "series":
            best_of = chance.choice((None, 1, 3))
            play = rs.Series(rules, best_of, chance.choice((1, 2, 10)), chance.randrange(2))
        else:
            play = rs.Game(rules)
        for _ in range(chance.randrange(60)):
            moves = play.position.legal_moves if kind == "game" else play.game.legal_moves
            if play.is_over:
                break
            play.push(moves[chance.randrange(moves.count)])
    steps = len(steps_of(play))
    tags = {name: text() for name in ("Event", "Place", "South", "North") if chance.random() < 0.4}
    if chance.random() < 0.3:
        tags["Date"] = chance.choice(("1972", "0001-12", "2024-02-29"))
    comments = {chance.randint(0, steps): text() for _ in range(chance.randrange(8))}
    return Record(play, tags, {at: comment for at, comment in comments.items() if comment})


def check_random_records(seeds: range) -> None:
    for seed in seeds:
        record = random_record(seed)
        text = record.to_text()
        if not re.search("[\ud800-\udfff]", text):
            assert text.encode().decode() == text
        assert same(Record.from_text(text), record), seed
        lenient = Record.from_text(text, lenient=True)
        assert same(lenient, record), seed
        assert lenient.overlooked == (), seed


def test_every_record_reads_back_equal() -> None:
    check_random_records(range(150))


@pytest.mark.campaign
def test_many_records_read_back_equal() -> None:
    check_random_records(range(1_000, 8_000))


# ---------------------------------------------------------------------------------------- refused


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("match 1", "match 2", "line 1, column 1: version 'relaysow match 2': must be 'relaysow g"),
        ("match 1", "series 1", "line 8, column 2: tag 'Scheme': must be one of Rules, BestOf"),
        ("[Event", "[Venue", "line 2, column 2: tag 'Venue': must be one of Rules, Scheme, Twice"),
        ("1972-05-31", "1972-5-31", "line 4, column 8: Date '1972-5-31': must be a date such as"),
        ("1972-05-31", "1973-02-29", "line 4, column 8: Date '1973-02-29': must be a date"),
        ('\\"the', "\\qthe", "line 6, column 15: escape '\\\\q': must be one of"),
        ('\\"the', '"the', "line 6, column 1: tag"),
        (
            "giuthi_wikipedia(pits=6,setup=0.2.3.2.1.0.0.2.3.2.1.0)",
            "kiothi()",
            "line 7, column 9: redistribution='two': a match needs redistribution='none'",
        ),
        ('"wikipedia"', '"driedger"', "line 8, column 10: Scheme 'driedger': must be wikipedia or"),
        (
            '[First "South"]\n',
            "",
            "line 10, column 1: tags end with '[Totals \"0-16\"]': the tag F",
        ),
        ('"North"]\n[T', '"draw"]\n[T', "line 10, column 10: Result 'draw': the moves give 'North"),
        ("0-16", "1-15", "line 11, column 10: Totals '1-15': the moves give '0-16'"),
        ("{A short", "{A {short", "line 13, column 1: turn '{A {short match."),
        ("{A short", "A short", "line 13, column 1: turn 'A short match."),
        ("round 1: 8-8", "round 2: 8-8", "line 14, column 7: round '2': must be 1"),
        ("round 1: 8-8", "round 1: 9-7", "line 14, column 10: head '9-7': the moves give 8-8"),
        ("round 1: 8-8\n", "", "line 14, column 6: move '4-': must come after a line 'round 1: …'"),
        (
            "2. N 1-",
            "round 1: 8-8\n2. N 1-",
            "line 16, column 1: round 'round 1: 8-8': must come after",
        ),
        ("2. N 1-", "\nround 1: 8-8\n2. N 1-", "line 17, column 1: head 'round': the round before"),
        ("\nround 2", "round 2", "line 18, column 1: round 'round 2: 13-3': must come after an em"),
        ("\nround 2", "", "line 18, column 1: turn ': 13-3'"),
        (
            "round 2: 13-3",
            "2. N 1-",
            "line 19, column 1: round '2. N 1-': must be such as 'round 2",
        ),
        ("\nround 2", "\n\nround 2", "line 19, column 1: round '': must be such as 'round 2: 40-"),
        (
            "N shorten",
            "N shorten\nN shorten",
            "line 21, column 3: illegal Shorten() in round 2: it",
        ),
        ("N shorten", "S shorten", "line 20, column 1: player 'S': North is to lay out"),
        ("N shorten", "1. N shorten", "line 20, column 6: move 'shorten': a lay-out is due"),
        ("0,0,2,1", "0,0,2", "line 21, column 3: lay-out '0,0,2': must be 4 numbers, not 3"),
        (
            "0,0,2,1",
            "0,0,2,2",
            "line 21, column 3: illegal LayOut(row=(0, 0, 2, 2)) in round 2: 4 s",
        ),
        ("S 8,5", "S 10,3", "column 3: illegal LayOut(row=(10, 3, 0, 0)) in round 2: pit 2 facing"),
        ("S 8,5,0,0", "S 8,5,0,0 {a} {b}", "line 22, column 1: turn 'S 8,5,0,0 {a} {b}': must be"),
        ("2. N 1-", "2. N 1- {}", "line 16, column 9: comment '{}': must not be empty"),
        ("2. N 1-", "2. N {x} 1-", "line 16, column 1: turn '2. N {x} 1-': must be a number"),
        ("2. N 1-", "2. N 1- {\\x}", "line 16, column 10: escape '\\\\x': must be one of"),
        ("2. N 1-", "2. N 1-{x}", "line 16, column 1: turn"),
        ("1. N 3+ {over}", "1. N 3+ {over} 3+", "line 30, column 16: move '3+': the turn is over"),
    ],
)
def test_tampered_matches_are_refused(old: str, new: str, message: str) -> None:
    assert old in MATCH
    told = refusal(MATCH.replace(old, new, 1))
    assert message in told


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"3"', '"0"', "line 3, column 10: BestOf '0': must be at least 1"),
        ('"3"', '"1234567"', "line 3, column 10: BestOf '1234567': must have at most 6 digits"),
        ('"2"', '"02"', "line 4, column 14: OneWarrior '02': must be a whole number"),
        (
            "seeds=2",
            "seeds=1",
            "line 2, column 9: rules=giuthi(pits=3, seeds=1): the opening allow",
        ),
        ("game 2: 0-1", "game 2: 1-0", "line 14, column 9: head '1-0': the moves give 0-1"),
        ("game 2: 0-1", "round 2: 0-1", "line 14, column 1: game 'round 2: 0-1': must be such as"),
        ("game 1: 0-0\n1. N 1+", "game 1: 0-0\nN 1,1,4", "line 9, column 1: turn 'N 1,1,4': must"),
    ],
)
def test_tampered_series_are_refused(old: str, new: str, message: str) -> None:
    assert old in SERIES
    assert message in refusal(SERIES.replace(old, new, 1))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("game",), TypeError, "play must be a Game, Match or Series, not 'game'"),
        ((rs.Game(rs.giuthi()), []), TypeError, r"tags must be a mapping, not \[\]"),
        (
            (rs.Game(rs.giuthi()), {"South": 3}),
            TypeError,
            r"tags\['South'\] must be a string, not 3",
        ),
        ((rs.Game(rs.giuthi()), {"Rules": "x"}), ValueError, r"tags\['Rules'\]: must be one of E"),
        ((rs.Game(rs.giuthi()), {"Date": "1972-13"}), ValueError, "must be a date such as 1972"),
        ((rs.Game(rs.giuthi()), {"South": '"' * 2_049}), ValueError, "must be at most 4096 char"),
        ((rs.Game(rs.giuthi()), {}, {1: "x"}), ValueError, r"comments\[1\]: must be 0…0, a number"),
        ((rs.Game(rs.giuthi()), {}, {0.0: "x"}), TypeError, "comments must be an integer, not 0.0"),
        ((rs.Game(rs.giuthi()), {}, {0: ""}), ValueError, r"comments\[0\] is empty"),
    ],
)
def test_impossible_records_are_refused(
    arguments: tuple[Any, ...], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Record(*arguments)
    for read in (Record.from_text, read_records):
        with pytest.raises(TypeError, match="text must be a string, not 3"):
            read(3)


def test_a_record_of_something_else_is_no_game() -> None:
    with pytest.raises(
        rs.NotationError, match="line 1, column 1: version 'relaysow match 1': must"
    ):
        rs.Game.from_record(MATCH)
    text = STUDY.replace("[Rules", '[South "x"]\n[Rules')
    assert rs.Game.from_record(text).position.pits == (9, 2, 0, 3, 0, 0, 0, 0, 0, 2)


# --------------------------------------------------------------------------------- read leniently


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "relaysow match 1\n",
            "",
            "line 1, column 1: version '[Event \"Herders\\' cup\"]': must be",
        ),
        ("relaysow match 1\n", "\ufeff\n relaysow match 1\n", "line 2, column 1: version ' relays"),
        ("[Event", "[Venue", "line 2, column 2: tag 'Venue': must be one of"),
        ("[Event", " [ Event ", "line 2, column 1: tag ' [ Event "),
        ("[Place", "\n\n[Place", None),
        ("[Place", "[Place Nyeri]\n[Place", "line 3, column 1: tag '[Place Nyeri]': must be"),
        ("[Place", '[Place "Embu"]\n[Place', "line 4, column 2: tag 'Place': is given twice"),
        ("1972-05-31", "in May", "line 4, column 8: Date 'in May': must be a date such as 1972"),
        ("pits=6,", "pits=6, ", "line 7, column 9: Rules 'giuthi_wikipedia("),
        (
            '[Result "North"]\n',
            "",
            "line 10, column 1: tags end with '[Totals \"0-16\"]': the tag R",
        ),
        ('"North"]\n[T', '"South"]\n[T', "line 10, column 10: Result 'South': the moves give"),
        ("{A short match.\\n", "{A short match.\n", None),
        ("{A short match.\\nThree rounds.}\nround 1", "round 1", None),
        ("round 1: 8-8\n", "", "line 14, column 6: move '4-': must come after a line 'round 1"),
        ("round 1: 8-8", "Round 1", None),
        ("round 1: 8-8", "round 7: 9-9", "line 14, column 7: round '7': must be 1"),
        ("1. S 4-", "1.S 4-", None),
        ("1. S 4-", "1... South: 4−", "line 15, column 6: player 'South:': must be S"),
        ("1. S 4-", "1... South: 4−", "line 15, column 13: move '4−': must be '4-'"),
        ("1. S 4-", "S 4-", "line 15, column 3: move '4-': the turn is over"),
        ("1. S 4-", "  4-\t", "line 15, column 3: move '4-': the turn is over"),
        ("2. N 1-\n3. S 6+", "2. N 1- 3. S 6+", None),
        ("2. N 1-", "7. n 1-", "line 16, column 1: turn '7': must be 2"),
        ("{nine laps}", "{nine} {laps}", "line 15, column 16: comment '{laps}': must be the only"),
        ("{nine laps}", "{}{nine laps}", "line 15, column 9: comment '{}': must not be empty"),
        ("{nine laps}", "{\\qnine laps}", "line 15, column 10: escape '\\\\q': must be one of"),
        ("N shorten\nN 0,0", "n Shorten 0,0", "line 20, column 1: player 'n': must be N"),
    ],
)
def test_what_a_lenient_reader_forgives(old: str, new: str, told: str | None) -> None:
    assert old in MATCH
    text = MATCH.replace(old, new, 1)
    record = Record.from_text(text, lenient=True)
    strict = Record.from_text(MATCH)
    assert steps_of(record.play) == steps_of(strict.play)
    assert {12: "over", 8: "thirteen {all}"}.items() <= record.comments.items()
    if told is None:
        assert record.overlooked == ()
    else:
        assert any(told in line for line in record.overlooked), record.overlooked
    for line in record.overlooked:
        assert re.match(r"line \d+, column \d+: ", line)
    assert same(Record.from_text(record.to_text()), record)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("match 1", "match 2", "line 1, column 1: version"),
        ('[First "South"]\n', "", "the tag First is missing"),
        ("S 4-", "S 5-", "line 15, column 6: illegal move Sow(pit=4"),
        ("S 4-", "N 4-", "line 15, column 4: player 'N': South is to move"),
        ("S 4-", "S 4- perhaps", "line 15, column 9: move 'perhaps': must be a pit"),
        ("{nine laps}", "{nine laps", "column 9: comment '{': has a brace without its other"),
        ("N 0,0,2,1", "N 0,0,3,1", "line 21, column 3: illegal LayOut"),
        ("N 0,0,2,1", "N 3+", "line 21, column 3: lay-out '3+': must be 4 numbers, not 1"),
    ],
)
def test_what_a_lenient_reader_refuses(old: str, new: str, message: str) -> None:
    assert message in refusal(MATCH.replace(old, new, 1), lenient=True)


@pytest.mark.parametrize("text", ["", "\n \n", "\ufeff", "[", "relaysow", "{", "1. S 3+", "[Rules"])
@pytest.mark.parametrize("lenient", [False, True])
def test_what_is_no_record_is_refused(text: str, lenient: bool) -> None:
    assert re.match(r"line \d+, column \d+: ", refusal(text, lenient))


# --------------------------------------------------------------------------------------- mutated

PARTS = (*'0123456789,;.=()[]{}+-:*SN"\\\n\r\t\0 _x', "9" * 30, "٣", "−", "\ud800", "\u2028", "é")
PARTS += (
    "shorten",
    "round 2: 8-8\n",
    "game 1: 0-0\n",
    "relaysow match 1\n",
    "{x}",
    "[South ",
    "\n\n",
)
PARTS += (
    '[Twice "short"]\n',
    "relaysow series 1\n",
    "\\u0041",
    " N ",
    "1. ",
    "leakey",
    "S 1,1,1\n",
)


def mutated(texts: list[str], chance: random.Random) -> str:
    """One of the texts with a few parts replaced, doubled, cut out, or brought from another."""
    text = chance.choice(texts)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.choice((0, 0, 1, 1, 2, 5, 20)))
        other = chance.choice(texts)
        at = chance.randrange(len(other))
        bits: list[Callable[[], str]] = [
            lambda: chance.choice(PARTS),
            lambda: text[start:end] * 2,  # noqa: B023 - called at once
            str,
            lambda: other[at : at + 30],  # noqa: B023
        ]
        text = text[:start] + chance.choice(bits)() + text[end:]
    return text


def read_mutated(seed: int, count: int) -> tuple[int, int]:
    """Reads so many mutated records both ways; how many each reader took."""
    chance = random.Random(seed)
    texts = [MATCH, SERIES, STUDY, *(random_record(n).to_text() for n in range(40))]
    texts = [text for text in texts if len(text) < 4_000]
    taken = [0, 0]
    for _ in range(count):
        text = mutated(texts, chance)
        for lenient in (False, True):
            try:
                records = read_records(text, lenient)
            except rs.NotationError as error:
                assert re.match(r"line [1-9]\d*, column [1-9]\d*: ", str(error)), text
                line, column = map(int, re.findall(r"\d+", str(error))[:2])
                lines = re.split(r"\r\n|\n|\r", text)
                assert line <= len(lines), text
                assert column <= len(lines[line - 1]) + 1, text
            else:
                taken[lenient] += 1
                assert lenient or not any(record.overlooked for record in records)
                for record in records:
                    assert same(Record.from_text(record.to_text()), record)
    return taken[0], taken[1]


def test_mutated_records_are_read_or_refused() -> None:
    strict, lenient = read_mutated(1, 600)
    assert lenient > strict > 30


@pytest.mark.campaign
def test_ten_thousand_mutated_records_are_read_or_refused() -> None:
    strict, lenient = read_mutated(2, 10_000)
    assert lenient > strict > 500


# -------------------------------------------------------------------------------------- replayed


@pytest.fixture
def replay(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Any:
    """`relaysow replay` of a text: (exit code, standard output, standard error)."""

    def replay(text: str, *words: str) -> tuple[int, str, str]:
        path = tmp_path / "record.txt"
        path.write_bytes(text.encode())
        code = cli.main(["replay", str(path), *words])
        printed = capsys.readouterr()
        return code, printed.out, printed.err.replace(str(path), "FILE")

    return replay


def test_replay_shows_every_step(replay: Any) -> None:
    code, out, err = replay(MATCH)
    assert (code, err) == (0, "")
    frames = re.split(r"\n\n(?=\d+\. )", out)
    assert len(frames) == 13
    assert frames[0].startswith(
        "Match: giuthi_wikipedia(pits=6,setup=0.2.3.2.1.0.0.2.3.2.1.0)\nEve"
    )
    assert "South: greedy" in frames[0]
    assert "\nRound 1: 8-8\n" in frames[0]
    assert frames[0].endswith("{A short match.\nThree rounds.}")
    assert frames[1].startswith("1. South: 4-\nThe sowing is over: 4 seeds captured")
    assert frames[1].endswith("\n{nine laps}")
    assert "Round 2: 13-3\nNorth is to lay out 3 seeds in 6 pits." in frames[3]
    assert frames[4] == "4. North: shorten\nNorth is to lay out 3 seeds in 4 pits."
    assert frames[5].startswith(
        "5. North: 0,0,2,1\nSouth is to lay out 13 seeds in 4 pits.\n{in two"
    )
    assert frames[6].startswith("6. South: 8,5,0,0\n")
    assert "North has won, 0-16." in frames[12]
    for frame, position in ((frames[6], "8,5,0,0;0,0,2,1"), (frames[7], "0,6,1,1;1,1,3,0")):
        text = f"giuthi_wikipedia(pits=4,setup=2.2.2.2.2.2.2.2) {position}"
        stores = "0,0 S" if "8,5" in position else "3,0 N"
        assert str(rs.Position.from_text(f"{text} {stores} - - 2")) in frame


def test_replay_of_games_and_series(replay: Any) -> None:
    code, out, _ = replay(f"{STUDY}\n{SERIES}", "--laps")
    assert code == 0
    assert out.startswith("Game: giuthi(pits=5,seeds=4)\n")
    assert "{1+ never ends: the ring is back after 100 laps}\n\nSeries: giuthi" in out
    assert "1. North: 1+\nLap 1: North's pit 1, 2 seeds counter-clockwise, to" in out
    assert "Game 2: 0-1\n" in out
    code, out, _ = replay(test_notation.GIUTHI)
    assert code == 0
    assert out.endswith("South has won, 17-15 (both stuck).\n")


def test_replay_of_bad_files(replay: Any, capsys: pytest.CaptureFixture[str]) -> None:
    message = "relaysow: FILE: line 16, column 1: turn '7': must be 2\n"
    bad = MATCH.replace("2. N 1-", "7. N 1-")
    assert replay(bad) == (2, "", message)
    code, out, err = replay(bad, "--lenient")
    assert (code, err) == (0, "FILE: line 16, column 1: turn '7': must be 2\n")
    assert out == replay(MATCH)[1]
    assert cli.main(["replay", "/no/such/file"]) == 2
    assert capsys.readouterr().err == "relaysow: /no/such/file: No such file or directory\n"


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_replay_on_a_terminal(tmp_path: Path) -> None:
    """Enter, back, to a number, a word it does not know, past the end."""
    import pty

    path = tmp_path / "record.txt"
    path.write_text(MATCH, encoding="utf-8")
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "relaysow", "replay", str(path)]
    with subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave) as process:
        os.close(slave)

        def read(end: str) -> str:
            found = b""
            while not found.endswith(end.encode()):
                found += os.read(master, 4_096)
            return found.decode()

        assert "Round 1: 8-8" in read("0/12> ")
        for typed, shown, prompt in (
            ("", "1. South: 4-", "1/12> "),
            ("", "2. North: 1-", "2/12> "),
            ("b", "1. South: 4-", "1/12> "),
            ("12", "North has won, 0-16.", "12/12> "),
            ("13", "Enter: next", "12/12> "),
            ("what", "Enter: next", "12/12> "),
        ):
            os.write(master, f"{typed}\n".encode())
            assert shown in read(prompt)
        os.write(master, b"\n")
        assert process.wait(timeout=10) == 0
    os.close(master)
