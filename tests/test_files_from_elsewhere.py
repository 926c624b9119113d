"""Files from elsewhere: line ends, byte-order marks, encodings, and one bad record among many."""

from __future__ import annotations

import gzip
import io
import os
import re
import sys
import threading
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

import relaysow as rs
import relaysow.reference
from relaysow import NotationError, Record, cli, iter_records, read_records
from relaysow.text import notation, reading
from relaysow.text.reading import LONGEST
from relaysow.web.api import answer
from test_records import MATCH, SERIES, STUDY

START = rs.giuthi(pits=5, seeds=4).start()
POSITION = START.to_text()
GAME = """\
relaysow game 1
[South "Wanjikũ"]
[Rules "giuthi(pits=5,seeds=4)"]
[Result "*"]

1. S 1+ {five}
2. N 2-
"""
AROUND = (
    "{}\n",
    "{}\r\n",
    "{}\r",
    "\ufeff{}",
    "\ufeff{}\r\n",
    "  {}\t",
    "\n{}\n\n",
    "\ufeff\n {} ",
)
WIDE = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be")

ONE_LINE: dict[str, tuple[Callable[[str], Any], str]] = {
    "rules": (notation.rules_from_text, "giuthi(pits=5,seeds=4)"),
    "position": (rs.Position.from_text, POSITION),
    "reference position": (relaysow.reference.Position.from_text, POSITION),
    "move": (START.move_from_text, "3+"),
    "reference move": (relaysow.reference.Position.from_text(POSITION).move_from_text, "3+"),
}


def texts_of(found: Iterable[Record | NotationError]) -> list[str]:
    """Of each a record's text or, for one that cannot be read, why."""
    return [one.to_text() if isinstance(one, Record) else str(one) for one in found]


# -------------------------------------------------------------------------------- one-line texts


@pytest.mark.parametrize("around", AROUND, ids=ascii)
@pytest.mark.parametrize("name", ONE_LINE)
def test_what_files_put_around_a_line_is_passed_over(name: str, around: str) -> None:
    read, text = ONE_LINE[name]
    assert read(around.format(text)) == read(text)


@pytest.mark.parametrize("name", ONE_LINE)
def test_inside_a_line_all_is_as_strict_as_ever(name: str) -> None:
    read, text = ONE_LINE[name]
    for at in range(1, len(text)):
        for bit in ("\n", "\r", "\t", "\ufeff", "\xa0", "  "):
            with pytest.raises(ValueError, match="column"):
                read(text[:at] + bit + text[at:])
    for bad in (
        f" \ufeff{text}",
        f"\ufeff\ufeff{text}",
        f"{text}\ufeff",
        f"{text}\0",
        f"\u200b{text}",
    ):
        with pytest.raises(NotationError):
            read(bad)


def test_columns_are_those_of_the_line() -> None:
    for before, column in (("", 1), ("\ufeff", 1), ("  ", 3), ("\r\n ", 2), ("\ufeff\n\n", 1)):
        with pytest.raises(NotationError, match=f"^column {column}: rules 'oware'") as refused:
            notation.rules_from_text(f"{before}oware \r\n")
        error = refused.value
        assert (error.file, error.line, error.column) == (None, None, column)


def test_positions_of_a_file_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "positions.txt"
    path.write_bytes(f"\ufeff{POSITION}\r\n{POSITION}\r\n".encode())
    with path.open(encoding="utf-8", newline="") as file:
        assert [rs.Position.from_text(line) for line in file] == [START] * 2


def test_the_longest_text_may_have_a_line_end() -> None:
    with pytest.raises(NotationError, match="must be one of"):
        notation.rules_from_text("x" * notation.MAX_TEXT + "\r\n")
    with pytest.raises(NotationError, match="has 4097 characters"):
        notation.rules_from_text("x" * (notation.MAX_TEXT + 1) + "\r\n")


@pytest.mark.parametrize("around", AROUND, ids=ascii)
def test_positions_on_the_command_line(around: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", around.format(POSITION)]) == 0
    assert cli.main(["perft", "--depth", "1", "--from", around.format(POSITION)]) == 0
    assert cli.main(["show", around.format("giuthi(pits=5,seeds=4)"), "--move", "3+\r"]) == 0
    assert POSITION in capsys.readouterr().out


@pytest.mark.parametrize("around", AROUND, ids=ascii)
def test_what_is_pasted_in_the_page(around: str) -> None:
    for text in (POSITION, "giuthi(pits=5,seeds=4)", GAME):
        status, told = answer({"text": around.format(text)})
        assert (status, b"overlooked" in told) == (200, False)


# --------------------------------------------------------------------------------------- records


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=ascii)
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=ascii)
@pytest.mark.parametrize("lenient", [False, True])
def test_records_with_any_line_ends(end: str, mark: str, lenient: bool, tmp_path: Path) -> None:
    texts = [GAME, MATCH, SERIES, STUDY]
    # As `copy a+b` makes it of files that each have a mark.
    text = (mark + f"\n{mark}".join(texts)).replace("\n", end)
    path = tmp_path / "records.txt"
    path.write_bytes(text.encode())
    assert texts_of(iter_records(path, lenient)) == texts
    records = read_records(text, lenient)
    assert texts_of(records) == texts
    assert not any(record.overlooked for record in records)
    one = mark + GAME.replace("\n", end)
    assert Record.from_text(one, lenient).to_text() == GAME
    for game in (rs.Game, relaysow.reference.Game):
        assert len(game.from_record(one).moves) == 2


def test_lines_are_counted_alike_whatever_ends_them() -> None:
    bad = f"{STUDY}\n{GAME}".replace("N 2-", "N 9-")
    for end in ("\n", "\r\n", "\r"):
        with pytest.raises(NotationError, match=r"^line 14, column 6: pit '9'") as refused:
            read_records("\ufeff" + bad.replace("\n", end))
        assert (refused.value.line, refused.value.column) == (14, 6)


@pytest.mark.parametrize("line", ["relaysow game 1", '[Result "*"]', "1. S 1+ {five}", "2. N 2-"])
def test_white_space_in_a_strict_record_is_refused_still(line: str) -> None:
    for changed in (f"{line} ", f" {line}", f"{line}\t", f"{line}\ufeff", f"{line}\x0c"):
        with pytest.raises(NotationError):
            Record.from_text(GAME.replace(line, changed))
    with pytest.raises(NotationError):  # two line ends where there was one
        Record.from_text(GAME.replace("\n", "\r\r\n"))


# ------------------------------------------------------------------------------------- encodings


def readers(path: Path) -> Iterator[Any]:
    yield path
    yield str(path)
    yield path.open("rb")
    yield path.open("rb", buffering=0)
    yield io.BytesIO(path.read_bytes())
    yield Dribble(path.read_bytes())


class Dribble(io.RawIOBase):
    """A file that comes byte by byte, as from a slow writer to a pipe."""

    def __init__(self, content: bytes) -> None:
        self._rest = io.BytesIO(content)

    def read(self, size: int = -1) -> bytes:
        return self._rest.read(1 if size else 0)


@pytest.mark.parametrize("encoding", WIDE)
def test_wide_encodings_are_named(
    encoding: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.txt"
    path.write_bytes(GAME.encode(encoding))
    wanted = f"is {encoding[:6].upper()}: save it as UTF-8"
    for source in readers(path):
        with pytest.raises(NotationError, match=wanted) as refused:
            list(iter_records(source))
        if not isinstance(source, io.BytesIO | Dribble):
            assert str(refused.value) == f"{path}: {wanted}"
            assert refused.value.file == str(path)
        if hasattr(source, "close"):
            source.close()
    with (
        path.open(encoding="utf-8") as file,
        pytest.raises(NotationError, match="save it as UTF-8"),
    ):
        list(iter_records(file))
    for command in (["replay", str(path)], ["play", "--load", str(path)]):
        assert cli.main(command) == 2
        printed = capsys.readouterr()
        assert (printed.out, printed.err) == ("", f"relaysow: {path}: {wanted}\n")


def test_a_byte_that_is_not_utf_8_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With file, line and column; the records around it are read."""
    path = tmp_path / "games.txt"
    latin = GAME.replace("ũ", "ü").encode("latin-1")
    path.write_bytes(b"\n".join([GAME.encode(), latin, GAME.encode()]))
    wanted = f"{path}: line 10, column 15: byte 0xfc: must be UTF-8"
    for lenient in (False, True):
        for source in readers(path):
            first, error, last = iter_records(source, lenient)
            assert isinstance(error, NotationError)
            assert str(error).endswith("line 10, column 15: byte 0xfc: must be UTF-8")
            assert (error.line, error.column) == (10, 15)
            assert texts_of([first, last]) == [GAME, GAME]
            if hasattr(source, "close"):
                source.close()
    with (
        path.open(encoding="utf-8") as file,
        pytest.raises(NotationError, match="byte 0xfc is not"),
    ):
        list(iter_records(file))
    assert cli.main(["replay", str(path)]) == 2
    printed = capsys.readouterr()
    assert printed.err == f"relaysow: {wanted}\n"
    assert printed.out.count("Game: ") == 2
    path.write_bytes(latin)
    assert cli.main(["play", "--load", str(path)]) == 2
    assert "line 2, column 15: byte 0xfc: must be UTF-8" in capsys.readouterr().err


def test_a_game_to_go_on_with(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    """`play --load` takes any line ends, and so do the lines typed from a file."""
    path = tmp_path / "game.txt"
    for text in (GAME, f"\ufeff{GAME}".replace("\n", "\r\n"), GAME.replace("\n", "\r")):
        path.write_bytes(text.encode())
        monkeypatch.setattr(sys, "stdin", io.StringIO("\ufefftext\r\nquit\r\n"))
        assert cli.main(["play", "--load", str(path), "--north", "human"]) == 0
        assert rs.Game.from_record(GAME).position.to_text() in capsys.readouterr().out
    for text, message in (
        (MATCH, "the record is of a match: only games are played here"),
        (f"{GAME}\n{GAME}", "holds more than one record"),
        ("", "line 1, column 1: version '': must be"),
    ):
        path.write_text(text, "utf-8")
        assert cli.main(["play", "--load", str(path)]) == 2
        assert capsys.readouterr().err.startswith(f"relaysow: {path}: {message}")


def test_moves_in_another_encoding_are_named(monkeypatch: Any, capsys: Any) -> None:
    for content, told in (
        ("1+\n".encode("utf-16"), "is UTF-16"),
        ("1+\nü\n".encode("latin-1"), "byte 0xfc is not utf-8"),
    ):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), "utf-8"))
        assert cli.main(["play", "giuthi"]) == 2
        assert capsys.readouterr().err == f"relaysow: the file: {told}: save it as UTF-8\n"


def test_the_manifest_of_shards(tmp_path: Path) -> None:
    """Saved by an editor it is read, or refused by name; nothing of it is cut off."""
    pytest.importorskip("pyarrow")
    out = tmp_path / "games"
    rules = rs.giuthi(pits=3, seeds=2)

    def run() -> Any:
        return rs.simulate(rules, 100, keep="summary", out=out, threads=1)

    whole, path = run(), out / "_manifest.jsonl"
    text = path.read_text()
    path.write_bytes(f"\ufeff{text}".replace("\n", "\r\n").encode())
    assert str(run()) == str(whole)
    for changed, message in (
        (text.encode("utf-16"), "is UTF-16: must be UTF-8"),
        (text.encode("utf-16-le"), "is UTF-16: must be UTF-8"),
        (text.encode("utf-32"), "is UTF-32: must be UTF-8"),
        (text.replace("\n", "\r").encode(), "is damaged: must be UTF-8, with LF"),
    ):
        path.write_bytes(changed)
        with pytest.raises(ValueError, match=message):
            run()
        assert path.read_bytes() == changed


# --------------------------------------------------------------------------- records one by one


def test_one_bad_record_of_101(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.txt"
    texts = [GAME.replace("five", str(number)) for number in range(101)]
    texts[50] = texts[50].replace("N 2-", "N 9-")
    path.write_text("\n".join(texts), "utf-8")
    found = list(iter_records(path))
    line = 50 * 8 + 7
    assert [type(one) for one in found] == [Record] * 50 + [NotationError] + [Record] * 50
    assert texts_of(found[:50] + found[51:]) == texts[:50] + texts[51:]
    error = found[50]
    assert isinstance(error, NotationError)
    assert str(error) == f"{path}: line {line}, column 6: pit '9': must be 1…5"
    assert (error.file, error.line, error.column) == (str(path), line, 6)
    assert error.__traceback__ is None
    with pytest.raises(NotationError, match=f"^line {line}, column 6: pit '9'"):
        read_records(path.read_text("utf-8"))
    assert cli.main(["replay", str(path)]) == 2
    printed = capsys.readouterr()
    assert printed.err == f"relaysow: {error}\n"
    assert printed.out.count("Game: giuthi") == 100
    good = [text for text in texts if "N 9-" not in text]
    path.write_text("\n".join(good), "utf-8")
    assert cli.main(["replay", str(path)]) == 0
    assert capsys.readouterr().out == printed.out


@pytest.mark.parametrize(
    "kind", [GAME, MATCH, SERIES, STUDY], ids=["game", "match", "series", "study"]
)
def test_a_damaged_record_does_not_swallow_the_next(kind: str) -> None:
    """Cut off anywhere, by a line end or with an empty line after it."""
    for cut in range(1, len(kind)):
        for rest in ("\n", "\n\n"):
            for lenient in (False, True):
                _, *others = iter_records([GAME, "", kind[:cut] + rest, GAME, "", STUDY], lenient)
                assert texts_of(others[-2:]) == [GAME, STUDY], (cut, rest, lenient)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("relaysow game 1", "relaysow game 2"),
        ("relaysow game 1", "relaysow game 1 "),
        ("relaysow game 1", "\ufeff relaysow game 1"),
        ("relaysow game 1", "relaysow chess 1"),
        ("[Rules", "[Rules \x00"),
        ("{five}", "{five"),
        ("{five}", "{five\nrelaysow the engine}"),
        ("2-", "2- " + "x" * 100_000),
        ("\n\n", "\n\n\n\n"),
        ("Result", "Rules"),
        (GAME, "\n\n"),
    ],
)
def test_each_damage_costs_one_record(old: str, new: str) -> None:
    assert old in GAME
    text = f"{STUDY}\n{GAME.replace(old, new, 1)}\n{SERIES}"
    first, *errors, last = iter_records([text])
    assert texts_of([first, last]) == [STUDY, SERIES]
    assert all(isinstance(one, NotationError) for one in errors)
    assert len(errors) == (0 if old == GAME else 2 if "the engine" in new else 1)


def test_a_file_may_begin_with_what_is_no_text() -> None:
    """As after a power cut: it costs the first record."""
    for torn in (b"\0", b"\0" * 4096, b"re\0laysow", b"\x1f\x8b\x08\x00\xff\xfe"):
        error, good = iter_records(io.BytesIO(torn + f"\n\n{GAME}".encode()))
        assert isinstance(error, NotationError)
        assert texts_of([good]) == [GAME]


def test_a_comment_may_speak_of_records() -> None:
    """Only a line of its own begins a record, in a lenient comment too."""
    text = GAME.replace("five", r"relaysow game 1\nrelaysow game 1")
    for lenient in (False, True):
        assert texts_of(iter_records([text], lenient)) == [text]
    text = GAME.replace("five", "\nrelaysow is an engine\n")
    assert texts_of(iter_records([text], lenient=True)) == [
        text.replace("\nrel", r"\nrel").replace("ne\n", r"ne\n")
    ]


def test_it_finds_what_read_records_finds() -> None:
    """In thousands of spoiled texts: the same records, or the same first error."""
    from random import Random

    from test_records import mutated

    chance = Random(5)
    texts = [GAME, MATCH, SERIES, STUDY, f"{GAME}\n{STUDY}", f"{SERIES}{GAME}"]
    bad = 0
    for _ in range(600):
        text = mutated(texts, chance)
        if re.search("[\ud800-\udfff]", text):
            continue  # no file can hold it
        for lenient in (False, True):
            found = list(iter_records(io.BytesIO(text.encode()), lenient))
            errors = [one for one in found if isinstance(one, NotationError)]
            try:
                records = read_records(text, lenient)
            except NotationError as error:
                assert str(errors[0]) == str(error)
                bad += 1
            else:
                assert not errors
                assert texts_of(found) == texts_of(records)
    assert bad > 200


def test_any_source_will_do(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    text = f"\ufeff{GAME}\n{STUDY}\n{MATCH}".replace("\n", "\r\n")
    path.write_bytes(text.encode())
    sources = [
        *readers(path),
        gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(text.encode()))),
        path.open(encoding="utf-8"),
        path.open(encoding="utf-8", newline=""),
        io.StringIO(text),
        text.split("\r\n"),
        [line.encode() for line in text.split("\r\n")],
        iter(text.splitlines(keepends=True)),
        (line for line in [text]),
    ]
    for source in sources:
        assert texts_of(iter_records(source)) == [GAME, STUDY, MATCH]
        if hasattr(source, "close"):
            source.close()


def test_a_character_cut_off_is_of_its_own_line() -> None:
    """Whether the lines are bytes or a mixture, and have their ends or not."""
    for end in (b"", b"\n", b"\r", b"\r\n"):
        lines = list(reading.lines_of([b"a\xe2" + end, b"b" + end]))
        assert lines == ["a\udce2", "b", ""], end
    assert list(reading.lines_of([b"a\xe2", "b", b"c"])) == ["a\udce2", "b", "c", ""]
    latin = GAME.replace("ũ", "\udce2").encode("utf-8", "surrogateescape").split(b"\n")
    (error,) = iter_records(latin)
    assert isinstance(error, NotationError)
    assert (error.line, error.column) == (2, 15)


@pytest.mark.parametrize("source", [None, 1, 1.5, b"x", bytearray(b"x"), object(), rs.giuthi()])
def test_what_is_no_source_is_refused(source: Any) -> None:
    with pytest.raises(TypeError, match="source must be a path, an open file or lines, not"):
        iter_records(source)


def test_refusals_of_sources(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="must be a path; read_records reads text"):
        iter_records(GAME)
    with pytest.raises(TypeError, match="a line must be a string or bytes, not 3"):
        list(iter_records([GAME, 3]))  # type: ignore[list-item]
    with pytest.raises(FileNotFoundError, match="none"):
        list(iter_records(tmp_path / "none"))
    if sys.platform != "win32":
        with pytest.raises(IsADirectoryError):
            list(iter_records(tmp_path))
    for empty in ("", "\n\n", "\ufeff"):
        (error,) = iter_records(io.StringIO(empty))
        assert isinstance(error, NotationError)


# ---------------------------------------------------------------------------- memory and pipes


def through_a_pipe(write: Callable[[Any], None]) -> Any:
    """The end to read of a pipe that a thread writes to."""
    reader, writer = os.pipe()

    def run() -> None:
        with os.fdopen(writer, "wb") as file:
            write(file)

    threading.Thread(target=run, daemon=True).start()
    return os.fdopen(reader, "rb")


def test_the_memory_of_one_record_for_any_number() -> None:
    """Eight times the records take no more memory; a tenth of them are bad."""

    def peak(count: int) -> int:
        def write(file: Any) -> None:
            for number in range(count):
                text = GAME if number % 10 else GAME.replace("N 2-", "N 9-")
                file.write(f"{text}\n".encode())

        good = bad = 0
        tracemalloc.start()
        try:
            with through_a_pipe(write) as file:
                for found in iter_records(file):
                    good += isinstance(found, Record)
                    bad += isinstance(found, NotationError)
            most = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert (good, bad) == (count * 9 // 10, count // 10)
        return most

    peak(20)  # what is loaded and kept once
    few, many = peak(250), peak(2_000)
    assert many < few + 50_000, (few, many)


@pytest.mark.parametrize("text", [False, True], ids=["bytes", "text"])
def test_a_record_comes_when_the_next_begins(text: bool) -> None:
    """From a pipe that stays open: nothing waits for its end."""
    go_on, waited = threading.Event(), []

    def write(file: Any) -> None:
        file.write(f"{GAME}\n{STUDY}".encode())
        file.flush()
        waited.append(go_on.wait(10))

    pipe = through_a_pipe(write)
    with io.TextIOWrapper(pipe, "utf-8") if text else pipe as file:
        found = iter_records(file)
        first = next(found)
        go_on.set()
        assert texts_of([first, *found]) == [GAME, STUDY]
    assert waited == [True]


@pytest.mark.parametrize(
    ("bit", "times"), [("x", 40), ("é", 20), ("x" * 999 + "\n", 30)], ids=["x", "é", "lines"]
)
def test_a_record_too_long_is_refused_by_name(bit: str, times: int) -> None:
    """In the memory of the longest that is read, and the next one is read."""

    def write(file: Any) -> None:
        file.write(f"{GAME}2. N ".encode())
        for _ in range(times):
            file.write((bit * (LONGEST // len(bit))).encode())
        file.write(f"\n\n{GAME}".encode())

    tracemalloc.start()
    try:
        with through_a_pipe(write) as file:
            error, last = iter_records(file)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 12 * LONGEST, most
    assert isinstance(error, NotationError)
    assert re.match(r"line \d+, column 1: record '.*': must have at most 4,194,304 ch", str(error))
    assert texts_of([last]) == [GAME]


def test_a_long_record_within_the_limit_is_read() -> None:
    long = GAME.replace("five", "é" * (LONGEST - len(GAME) - 100))
    assert texts_of(iter_records(io.BytesIO(long.encode()))) == [long]


def test_replay_of_a_pipe(capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    bad = GAME.replace("N 2-", "N 9-")
    text = f"\ufeff{bad}\n{STUDY}\n{bad}".replace("\n", "\r")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode()), "ascii"))
    assert cli.main(["replay", "-"]) == 2
    printed = capsys.readouterr()
    assert [line.partition("line ")[2] for line in printed.err.splitlines()] == [
        "7, column 6: pit '9': must be 1…5",
        "22, column 6: pit '9': must be 1…5",
    ]
    assert printed.out.count("Game: ") == 1
