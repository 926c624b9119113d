"""Outputs before work: what cannot be written is refused before the first game, what is there is
kept unless `--overwrite` says otherwise, and a file appears whole or not at all."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from errno import EACCES, EAGAIN, EEXIST, EIO, ENOSPC, EPERM, EROFS
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import relaysow as rs
from relaysow import cli
from relaysow.cli import terminal
from relaysow.exact import tablebase
from relaysow.simulation import writers
from relaysow.simulation.run import Run

SMALL = rs.giuthi(pits=5, seeds=4)
COMMAND = [sys.executable, "-c", "import sys; from relaysow.cli import main; sys.exit(main())"]
KINDS = ("--out g.csv", "--out g.npz", "--out g.parquet", "--plot g.png", "--plot g.svg")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Runs `relaysow simulate` in an empty folder: exit code, output, errors."""
    pytest.importorskip("pyarrow", exc_type=ImportError)
    pytest.importorskip("matplotlib", exc_type=ImportError)
    monkeypatch.chdir(tmp_path)

    def call(*words: str, games: int = 40) -> tuple[int, str, str]:
        code = cli.main(["simulate", "giuthi", "--pits", "5", "--games", str(games), *words])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return call


@pytest.fixture
def no_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever plays has not been refused."""

    def play(*_: Any) -> Any:
        raise AssertionError("games are played")

    monkeypatch.setattr(Run, "play", play)


def tree(folder: Path) -> dict[str, bytes | None]:
    """All that is in a folder."""
    return {
        os.fspath(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


# ---------------------------------------------------------------------- refused before the games


@pytest.mark.usefixtures("no_games")
@pytest.mark.parametrize("words", [*KINDS, "--out run"])
def test_no_folder_a_file_as_folder_and_a_folder_as_file(words: str, run: Any) -> None:
    option, name = words.split()
    Path("file").write_text("mine")
    Path("folder", name).mkdir(parents=True)
    Path("folder", name, "mine").write_text("mine")
    before = tree(Path())
    for path in (f"none/{name}", f"file/{name}", f"folder/{name}"):
        code, out, err = run(option, path)
        assert (code, out) == (2, ""), path
        assert path in err
        assert err.count("\n") == 1
    assert tree(Path()) == before


def refuse(monkeypatch: pytest.MonkeyPatch, folder: Path, number: int) -> None:
    """No file can be made in the folder, as in one that is read-only; root, too, is refused."""
    real_open, real_os_open, real_mkdir = io.open, os.open, os.mkdir

    def check(path: Any, making: bool) -> None:
        if making and not isinstance(path, int):
            name = os.path.abspath(os.fspath(path))
            if os.path.dirname(name) == str(folder) and not os.path.exists(name):
                raise OSError(number, os.strerror(number), os.fspath(path))

    def opened(file: Any, mode: str = "r", *rest: Any, **named: Any) -> Any:
        check(file, "r" not in mode)
        return real_open(file, mode, *rest, **named)

    def os_opened(path: Any, flags: int, *rest: Any, **named: Any) -> int:
        check(path, bool(flags & os.O_CREAT))
        return real_os_open(path, flags, *rest, **named)

    def made(path: Any, *rest: Any, **named: Any) -> None:
        check(path, True)
        real_mkdir(path, *rest, **named)

    monkeypatch.setattr(io, "open", opened)
    monkeypatch.setattr("builtins.open", opened)
    monkeypatch.setattr(os, "open", os_opened)
    monkeypatch.setattr(os, "mkdir", made)


@pytest.mark.usefixtures("no_games")
@pytest.mark.parametrize("number", [EACCES, EROFS])
@pytest.mark.parametrize("words", [*KINDS, "--out run", "--out g.csv --plot q.png"])
def test_a_read_only_folder(
    words: str, number: int, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        refuse(patch, tmp_path, number)
        code, out, err = run(*words.split())
    assert (code, out) == (2, "")
    assert err == f"relaysow: {words.split()[-1]}: {os.strerror(number)}\n"
    assert tree(tmp_path) == {}


@pytest.mark.usefixtures("no_games")
def test_an_empty_name(run: Any, tmp_path: Path) -> None:
    for option in ("--out", "--plot"):
        assert run(option, "") == (2, "", f"relaysow: {option} '': must name a file\n")
    with pytest.raises(ValueError, match=r"^out='': must name a file$"):
        rs.simulate(SMALL, games=10, keep="summary", out="")
    assert tree(tmp_path) == {}


@pytest.mark.parametrize("name", ["save", "to_csv", "to_npz", "to_parquet", "save_plot"])
def test_an_empty_name_in_python(name: str) -> None:
    pytest.importorskip("pyarrow", exc_type=ImportError)
    pytest.importorskip("matplotlib", exc_type=ImportError)
    with pytest.raises(ValueError, match=r"^(path='': must name a file|'': must end in .*)$"):
        getattr(rs.simulate(SMALL, games=1), name)("")


@pytest.mark.usefixtures("no_games")
def test_simulate_tries_its_directory_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow", exc_type=ImportError)

    def fill(folder: Path) -> None:
        rs.simulate(SMALL, games=10, keep="summary", out=folder)

    (tmp_path / "file").write_text("mine")
    with pytest.raises(NotADirectoryError, match="file"):
        fill(tmp_path / "file")
    with pytest.raises(FileNotFoundError, match="none"):
        fill(tmp_path / "none" / "run")
    with pytest.raises(AssertionError, match="games are played"):
        fill(tmp_path / "run")
    before = tree(tmp_path)
    with monkeypatch.context() as patch:  # its manifest can be written to, but no file be made
        refuse(patch, tmp_path / "run", EACCES)
        with pytest.raises(PermissionError, match=r"games-0000000\.parquet"):
            fill(tmp_path / "run")
    assert tree(tmp_path) == before
    assert list(before) == ["file", "run", "run/_manifest.jsonl"]


@pytest.mark.usefixtures("no_games")
def test_a_table_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def build(*_: Any) -> Any:
        raise AssertionError("it is built")

    monkeypatch.chdir(tmp_path)
    Path("file").write_text("mine")
    Path("folder").mkdir()
    real = tablebase._core.Table

    class Unbuilt:
        def __init__(self, *arguments: Any) -> None:
            self.totals, self.add, self.build = 0, real(*arguments).add, build

    monkeypatch.setattr(tablebase._core, "Table", Unbuilt)
    for path, why in (
        ("none/t.rsow", "No such file"),
        ("file/t.rsow", "Not a directory"),
        ("folder", "Is a directory"),
        ("file", "file exists: remove it to build it again"),
        ("", "path='': must name a file"),
    ):
        code = cli.main(["tablebase", "build", path, "giuthi", "--pits", "3", "--max-seeds", "3"])
        printed = capsys.readouterr()
        assert (code, printed.out) == (2, ""), path
        assert path in printed.err
        assert why in printed.err
    with monkeypatch.context() as patch:
        refuse(patch, tmp_path, EROFS)
        with pytest.raises(OSError, match=r"Read-only file system: 't\.rsow'"):
            rs.Tablebase.build(rs.giuthi(pits=3), 3, "t.rsow")
    assert tree(tmp_path) == {"file": b"mine", "folder": None}


# --------------------------------------------------------------------------- files that are there


@pytest.mark.parametrize("words", KINDS)
def test_a_file_that_is_there_needs_overwrite(
    words: str, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    option, name = words.split()
    assert run(option, name)[0] == 0
    before = tree(Path())
    assert list(before) == [name]
    with monkeypatch.context() as patch:
        patch.setattr(Run, "play", None)
        told = f"relaysow: {option} {name}: is there already: --overwrite replaces it\n"
        assert run(option, name) == (2, "", told)
    assert tree(Path()) == before
    code, _, err = run(option, name, "--overwrite", games=50)
    assert code == 0
    assert f"50 games {'in' if option == '--plot' else 'to'} {name}" in err
    after = tree(Path())
    assert list(after) == [name]
    assert after != before


def test_the_option_whose_file_is_there_is_the_one_that_is_told(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("old.csv").touch()
    told = "relaysow: --out old.csv: is there already: --overwrite replaces it\n"
    assert run("--out", "old.csv", "--plot", "new.png") == (2, "", told)

    def play(*_: Any) -> Any:
        raise FileExistsError(EEXIST, os.strerror(EEXIST), "another")

    monkeypatch.setattr(Run, "play", play)
    code, _, err = run("--out", "g.csv", "--plot", "new.png")
    assert (code, err) == (2, f"relaysow: another: {os.strerror(EEXIST)}\n")
    assert list(tree(Path())) == ["old.csv"]


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("words", KINDS)
def test_a_file_that_appears_meanwhile_is_kept(
    words: str, links: bool, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    option, name = words.split()
    play = Run.play

    def appears(*arguments: Any) -> Any:
        Path(name).write_text("mine")
        return play(*arguments)

    def link(*_: Any, **__: Any) -> None:
        raise PermissionError(EPERM, "Operation not permitted")

    if not links:  # as on a memory stick
        monkeypatch.setattr(os, "link", link)
    monkeypatch.setattr(Run, "play", appears)
    code, out, err = run(option, name)
    assert code == 2
    assert "South wins" in out
    assert err.endswith(f"\nrelaysow: {option} {name}: is there already: --overwrite replaces it\n")
    assert tree(Path()) == {name: b"mine"}
    code, _, _ = run(option, name, "--overwrite")
    assert code == 0
    assert list(tree(Path())) == [name]
    assert Path(name).read_bytes() != b"mine"


def test_where_there_are_no_hard_links_a_file_is_named_all_the_same(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def link(*_: Any, **__: Any) -> None:
        raise PermissionError(EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    assert run("--out", "g.csv")[0] == 0
    rs.Tablebase.build(rs.giuthi(pits=3), 3, "t.rsow").close()
    assert sorted(tree(Path())) == ["g.csv", "t.rsow"]


def test_a_directory_is_gone_on_with_without_overwrite(run: Any) -> None:
    code, out, _ = run("--out", "run")
    assert code == 0
    before = tree(Path())
    assert run("--out", "run")[:2] == (0, out)
    assert tree(Path()) == before


def test_a_drawing_that_fails_keeps_the_games(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise OSError("no ink")

    monkeypatch.setattr("relaysow.simulation.plots.plot", fail)
    code, _, err = run("--out", "g.csv", "--plot", "g.png")
    assert (code, list(tree(Path()))) == (2, ["g.csv"])
    assert "wrote 40 games to g.csv\n" in err


@pytest.mark.parametrize("words", [*KINDS, "--out -"])
def test_errors_of_the_games_are_not_those_of_a_file(
    words: str, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def play(*_: Any) -> Any:
        raise OSError(EAGAIN, "the system starts no thread")

    monkeypatch.setattr(Run, "play", play)
    assert run(*words.split()) == (2, "", "relaysow: the system starts no thread\n")
    assert tree(Path()) == {}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_named_while_it_is_written_to(run: Any, tmp_path: Path) -> None:
    (tmp_path / "g.csv").symlink_to("/dev/full")
    for games in (1, 5000):  # when it is closed, and before
        code, _, err = run("--out", "g.csv", "--overwrite", games=games)
        assert (code, err.splitlines()[-1]) == (2, f"relaysow: g.csv: {os.strerror(ENOSPC)}")
        with pytest.raises(OSError, match=rf"'{tmp_path / 'g.csv'}'$"):
            rs.simulate(SMALL, games=games).save(tmp_path / "g.csv")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
@pytest.mark.parametrize("again", [False, True])
def test_a_signal_while_games_are_written_waits_until_they_are(
    name: str, code: int, again: bool, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another one, later, does not."""
    number = getattr(signal, name)
    write = writers.writer_for("g.csv")
    monkeypatch.setattr(terminal, "PATIENCE", 0.0)

    def interrupted(*arguments: Any) -> None:
        for _ in range(1 + again):
            signal.raise_signal(number)
        write(*arguments)

    monkeypatch.setattr(writers, "writer_for", lambda _: interrupted)
    found, out, err = run("--out", "g.csv")
    assert (found, list(tree(Path()))) == (code, [] if again else ["g.csv"])
    assert "South wins" in out
    assert ("wrote 40 games to g.csv" in err) is not again


def test_a_file_has_one_option(run: Any, tmp_path: Path) -> None:
    (tmp_path / "link.svg").symlink_to("g.csv")
    code, _, err = run("--out", "g.csv", "--plot", "link.svg")
    assert (code, err) == (2, "relaysow: --plot link.svg: is the file of --out\n")


def test_errors_of_writing_are_named(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise OSError(EIO, os.strerror(EIO))

    result, path = rs.simulate(SMALL, games=3), tmp_path / "g.csv"
    with monkeypatch.context() as patch:
        for writer in ("csv", "npz", "parquet"):
            patch.setattr(writers, f"write_{writer}", fail)
        for method in ("to_csv", "to_npz", "to_parquet"):
            with pytest.raises(OSError, match=r"g\.csv'$"):
                getattr(result, method)(path)
    monkeypatch.setattr(writers, "writer_for", lambda _: fail)
    monkeypatch.setattr("relaysow.simulation.plots.writer_for", lambda _: fail)
    for method in ("save", "save_plot"):
        with pytest.raises(OSError, match=r"g\.csv'$"):
            getattr(result, method)(path)
    for words, name in (
        ("--out g.csv --plot g.png", "g.csv"),
        ("--plot g.png", "g.png"),
        ("--out -", "standard output"),
    ):
        code, _, err = run(*words.split())
        assert (code, err.splitlines()[-1]) == (2, f"relaysow: {name}: {os.strerror(EIO)}")
    assert tree(tmp_path) == {}


# -------------------------------------------------------------------------------- standard output


def test_files_are_whole_though_the_summary_cannot_be_printed(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Any) -> None:
        raise OSError(ENOSPC, os.strerror(ENOSPC))

    monkeypatch.setattr(import_module("relaysow.cli.commands.simulate"), "_print_summary", fail)
    assert run("--out", "g.csv", "--plot", "g.svg")[0] == 2
    assert sorted(tree(Path())) == ["g.csv", "g.svg"]


def test_csv_on_standard_output(tmp_path: Path) -> None:
    words = ["simulate", "giuthi", "--games", "300", "--seed", "5", "--out", "-"]
    done = subprocess.run([*COMMAND, *words], cwd=tmp_path, capture_output=True, check=True)
    result = rs.simulate(rs.giuthi(), games=300, seed=5)
    result.save(tmp_path / "same.csv")
    assert done.stdout == (tmp_path / "same.csv").read_bytes()
    err = done.stderr.decode().replace("\r\n", "\n")
    assert err.startswith(f"{result.summary()}\n")
    assert err.endswith("wrote 300 games to standard output\n")
    assert list(tree(tmp_path)) == ["same.csv"]


def test_csv_on_standard_output_after_ctrl_c(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    play = Run.play

    def press(run: Any, first: int, games: int, poll: Any) -> Any:
        columns, done, _ = play(run, first, games, poll)
        return columns, done // 2, KeyboardInterrupt()

    monkeypatch.setattr(Run, "play", press)
    assert cli.main(["simulate", "giuthi", "--games", "40", "--out", "-"]) == 130
    out, err = capfdbinary.readouterr()
    assert out.count(b"\n") == 21
    assert b"interrupted after 20 of 40 games" in err
    assert tree(tmp_path) == {}


@pytest.mark.parametrize("words", [*KINDS[:3], "--plot g.png"])
def test_ctrl_c_writes_what_there_is(words: str, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    play = Run.play

    def press(run: Any, first: int, games: int, poll: Any) -> Any:
        columns, done, _ = play(run, first, games, poll)
        return columns, done // 2, KeyboardInterrupt()

    monkeypatch.setattr(Run, "play", press)
    code, out, err = run(*words.split())
    assert code == 130
    assert out.startswith("20 games of ")
    assert "20 games" in err
    assert list(tree(Path())) == [words.split()[1]]


# --------------------------------------------------------------------------------------- in Python


WRITERS = [
    ("save", "g.csv"),
    ("save", "g.npz"),
    ("save", "g.parquet"),
    ("to_csv", "any"),
    ("to_npz", "any"),
    ("to_parquet", "any"),
    ("save_plot", "g.svg"),
]


@pytest.mark.parametrize(("method", "name"), WRITERS)
def test_python_replaces_a_file_at_once(method: str, name: str, tmp_path: Path) -> None:
    """Whoever has the old file open still reads the old one, and nobody sees half of the new."""
    pytest.importorskip("pyarrow", exc_type=ImportError)
    pytest.importorskip("matplotlib", exc_type=ImportError)
    few, many = rs.simulate(SMALL, games=5), rs.simulate(SMALL, games=500)
    path = tmp_path / name
    getattr(few, method)(path)
    old = path.read_bytes()
    with path.open("rb") as reader:
        if sys.platform != "win32":  # where a file that is open cannot be replaced
            getattr(many, method)(path)
            assert reader.read() == old
    getattr(many, method)(path)
    assert path.read_bytes() != old
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


@pytest.mark.skipif(sys.platform == "win32", reason="files have no modes")
@pytest.mark.parametrize("mode", [0o600, 0o664, 0o444, 0o000])
def test_the_mode_of_a_file_that_is_replaced_is_kept(
    mode: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, modes = tmp_path / "g.csv", []
    real = writers.write_csv

    def look(result: Any, file: Any) -> None:
        (part,) = [entry for entry in tmp_path.iterdir() if entry != path]
        modes.append(part.stat().st_mode & 0o777)
        real(result, file)

    monkeypatch.setattr(writers, "write_csv", look)
    result = rs.simulate(SMALL, games=3)
    umask = os.umask(0o022)
    try:
        result.to_csv(path)
        path.chmod(mode)
        old = path.stat().st_ino
        result.to_csv(path)
    finally:
        os.umask(umask)
    assert path.stat().st_mode & 0o777 == mode
    assert path.stat().st_ino != old
    assert modes == [0o644, mode & 0o755]


@pytest.mark.skipif(sys.platform == "win32", reason="the whole path may be too long")
@pytest.mark.parametrize("name", ["a" * 240 + ".csv", "é" * 120 + ".csv", "a" + "é" * 122 + ".npz"])
def test_a_name_as_long_as_the_system_takes(name: str, tmp_path: Path) -> None:
    for games in (3, 4):
        rs.simulate(SMALL, games=games).save(tmp_path / name)
    assert os.listdir(tmp_path) == [name]
    with pytest.raises(OSError, match=rf"'{tmp_path}/{name * 2}'$"):
        rs.simulate(SMALL, games=3).save(tmp_path / (name * 2))


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("function", ["fsync", "replace"])
@pytest.mark.parametrize(("method", "name"), WRITERS)
def test_an_interruption_leaves_the_old_file_or_the_new(
    *, method: str, name: str, function: str, after: bool, tmp_path: Path, monkeypatch: Any
) -> None:
    pytest.importorskip("pyarrow", exc_type=ImportError)
    pytest.importorskip("matplotlib", exc_type=ImportError)
    path = tmp_path / name
    path.write_bytes(b"old")
    real = getattr(os, function)

    def pressed(*arguments: Any) -> None:
        if after:
            real(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, function, pressed)
        with pytest.raises(KeyboardInterrupt):
            getattr(rs.simulate(SMALL, games=5), method)(path)
    assert [entry.name for entry in tmp_path.iterdir()] == [name]
    assert (path.read_bytes() == b"old") == ((function, after) != ("replace", True))


# ------------------------------------------------------------------------------- the board's `save`


def test_play_saves_at_once_and_replaces_records_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.txt"
    path.write_text(old := rs.Game(SMALL).record())
    (tmp_path / "thesis.txt").write_text("mine")

    def save(*names: str) -> str:
        words = "".join(f"save {name}\n" for name in names)
        monkeypatch.setattr(sys, "stdin", io.StringIO(f"1+\n{words}quit\n"))
        cli.main(["play", "giuthi", "--pits", "5", "--seeds", "4", "--pace", "0"])
        return capsys.readouterr().out

    def full(*_: Any) -> None:
        raise OSError(ENOSPC, os.strerror(ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        assert "No space left on device" in " ".join(save(str(path)).split())
    assert path.read_text() == old
    out = save(str(path), str(tmp_path / "thesis.txt"), str(tmp_path), os.devnull)
    assert f"Savedin{path}." in "".join(out.split())  # in lines of 100 columns
    assert " ".join(out.split()).count("is there already, and is no record of a game") == 3
    assert tree(tmp_path)["thesis.txt"] == b"mine"
    assert sorted(tree(tmp_path)) == ["game.txt", "thesis.txt"]
    assert path.read_text() != old
