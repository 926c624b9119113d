"""Tables mapped and in memory: what a file that is changed, cut, replaced or removed under them
does, and what is no file is refused at once."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import relaysow as rs
from game_graph import rings
from relaysow import cli
from relaysow.exact import tablebase

RULES = rs.giuthi(pits=4, seeds=1)
SEEDS = 8
posix = pytest.mark.skipif(sys.platform == "win32", reason="a mapped file cannot be cut there")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "t.rsow"
    rs.Tablebase.build(RULES, SEEDS, path).close()
    return path


def values(table: rs.Tablebase) -> list[rs.Value]:
    return [table.probe(rs.Position(RULES, ring)) for ring in rings(4, SEEDS, least=SEEDS)]


def test_in_memory_it_holds_the_same(path: Path) -> None:
    with rs.Tablebase.open(path) as mapped, rs.Tablebase.open(path, RULES, in_memory=True) as read:
        assert (mapped.in_memory, read.in_memory) == (False, True)
        assert mapped.path == read.path == str(path)
        assert values(mapped) == values(read)
        assert len(mapped) == len(read)
        read.verify()
        position = rs.Position(RULES, [1, 2, 0, 3, 0, 0, 1, 1])
        assert rs.solve(position, tablebase=read) == rs.solve(position, tablebase=mapped)
    with pytest.raises(ValueError, match="the table is closed"):
        read.probe(position)
    with pytest.raises(TypeError, match="in_memory must be True or False, not 1"):
        rs.Tablebase.open(path, in_memory=1)  # type: ignore[arg-type]
    with pytest.raises(rs.TablebaseError, match=r"it is of giuthi\(pits=4, seeds=1\), not gi"):
        rs.Tablebase.open(path, rs.giuthi(pits=3), in_memory=True)


CUT = """
import os, sys
import relaysow as rs

path, in_memory = sys.argv[1:]
table = rs.Tablebase.open(path, in_memory=in_memory == "yes")
os.truncate(path, 4096)
print(table.probe(rs.Position(table.rules, [0, 0, 0, 1, 0, 0, 0, 7])))
"""


@posix
def test_a_file_that_is_cut_under_a_table(path: Path) -> None:
    position = rs.Position(RULES, [0, 0, 0, 1, 0, 0, 0, 7])
    with rs.Tablebase.open(path) as table:
        value = f"{table.probe(position)}\n"
    for in_memory, code, out in (("yes", 0, value), ("no", -signal.SIGBUS, "")):
        copy = path.with_name(in_memory)
        copy.write_bytes(path.read_bytes())
        done = subprocess.run(
            [sys.executable, "-c", CUT, copy, in_memory], check=False, stdout=-1, text=True
        )
        assert (done.returncode, done.stdout) == (code, out)


@posix
@pytest.mark.parametrize("in_memory", [True, False])
def test_a_file_that_is_replaced_or_removed_does_no_harm(path: Path, in_memory: bool) -> None:
    with rs.Tablebase.open(path, in_memory=in_memory) as table:
        path.unlink()
        rs.Tablebase.build(rs.engehe(pits=3, seeds=1), 2, path).close()
        os.truncate(path, 100)
        assert len(values(table)) == 6_435
        table.verify()


@pytest.mark.parametrize("at", [30, 0.3, 0.9])
def test_in_memory_damage_is_found_when_it_is_opened(path: Path, at: float) -> None:
    data = bytearray(path.read_bytes())
    data[at if isinstance(at, int) else int(at * len(data))] ^= 1
    path.write_bytes(data)
    with pytest.raises(rs.TablebaseError, match=rf"^{path}: "):
        rs.Tablebase.open(path, in_memory=True)


@pytest.mark.parametrize("change", ["overwritten", "cut", "longer"])
def test_a_file_that_is_changed_while_it_is_read(
    change: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first half is read as it was, the second as it is after the change."""
    whole = path.read_bytes()
    other = path.with_name("other")
    rs.Tablebase.build(rs.giuthi(pits=4, seeds=1, repetition="stores"), SEEDS, other).close()
    new = {"overwritten": other.read_bytes(), "cut": whole[:-1], "longer": whole + bytes(8)}[change]
    half = len(whole) // 2
    regular = tablebase.regular

    class Changing:
        def __init__(self, path: str) -> None:
            self.opened = regular(path)

        def __enter__(self) -> Any:
            self.file = self.opened.__enter__()
            return self

        def __exit__(self, *error: object) -> Any:
            return self.opened.__exit__(*error)

        def fileno(self) -> int:
            return self.file.fileno()

        def read(self) -> bytes:
            first = self.file.read(half)
            with path.open("r+b") as writer:
                writer.write(new)
                writer.truncate()
            self.file.seek(half)
            return first + self.file.read()

    monkeypatch.setattr(tablebase, "regular", Changing)
    with pytest.raises(rs.TablebaseError, match=rf"^{path}: "):
        rs.Tablebase.open(path, in_memory=True)


# -------------------------------------------------------------------------------- what is no file


def pipe(path: Path) -> None:
    os.mkfifo(path)


def plug(path: Path) -> None:
    os.chdir(path.parent)  # a socket's name is short
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(path.name)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def directory(path: Path) -> None:
    path.mkdir()


@posix
@pytest.mark.parametrize("in_memory", [True, False])
@pytest.mark.parametrize(
    ("make", "error", "why"),
    [
        (pipe, rs.TablebaseError, "{}: it is a pipe: must be a file"),
        (plug, rs.TablebaseError, "{}: it is a socket: must be a file"),
        (device, rs.TablebaseError, "{}: it is a device: must be a file"),
        (directory, IsADirectoryError, "Is a directory: '{}'"),
    ],
)
def test_no_file(
    make: Callable[[Path], None],
    error: type[Exception],
    why: str,
    in_memory: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "odd"
    make(path)
    with pytest.raises(error, match=why.format(path)):
        rs.Tablebase.open(path, in_memory=in_memory)
    for words in ("tablebase verify odd", "solve giuthi --pits 3 --tablebase odd"):
        assert cli.main(words.split()) == 2
        printed = capsys.readouterr()
        assert (printed.out, printed.err[:14]) == ("", "relaysow: odd:")


@posix
def test_a_pipe_that_takes_the_place_of_a_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the look at the name and the opening."""
    looked = os.stat(path)
    path.unlink()
    os.mkfifo(path)
    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", lambda *_, **__: looked)
        with pytest.raises(rs.TablebaseError, match="it is a pipe: must be a file"):
            rs.Tablebase.open(path)


def test_no_name(capsys: pytest.CaptureFixture[str]) -> None:
    for call in (rs.Tablebase.open, lambda path: rs.Tablebase.build(RULES, 2, path)):
        for path in ("", b""):
            with pytest.raises(ValueError, match=rf"^path={path!r}: must name a file$"):
                call(path)
    assert cli.main(["tablebase", "verify", ""]) == 2
    assert capsys.readouterr().err == "relaysow: path='': must name a file\n"
