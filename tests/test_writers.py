"""Writers: however many go on with one table or directory at once, one whole file comes of it, the
others are told who writes it, and nothing is left beside it."""

from __future__ import annotations

import errno
import importlib.util
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from subprocess import PIPE
from types import FrameType, SimpleNamespace
from typing import Any

import pytest

import relaysow as rs
from relaysow import cli, simulation
from relaysow._support import files
from relaysow.exact import tablebase
from relaysow.simulation import shards

RULES = rs.giuthi(pits=4, seeds=1)
SEEDS = 6
LINUX = sys.platform == "linux"
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
posix = pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be renamed")

# Waits for a moment, then writes; tells what came of it, and when, since the moment.
RACER = """
import json, os, sys, time
import relaysow as rs
from relaysow.simulation import shards
from relaysow.simulation import simulate

shards.GAMES = 20

def build(path):
    rs.Tablebase.build(rs.giuthi(pits=4, seeds=1), 6, path, threads=1).close()

def fill(path):
    small = rs.giuthi(pits=5, seeds=4)
    simulate(small, games=130, seed=3, threads=1, keep="summary", out=path)

print(json.dumps(["ready", os.getpid()]), flush=True)
for line in sys.stdin:
    what, folder, path, start = json.loads(line)
    os.chdir(folder)
    while time.monotonic() < start:
        pass
    try:
        {"table": build, "directory": fill}[what](path)
        told = ["whole", ""]
    except (ValueError, OSError) as error:
        told = [type(error).__name__, str(error)]
    print(json.dumps([*told, time.monotonic() - start]), flush=True)
"""


def table(path: Path | str, **arguments: Any) -> None:
    rs.Tablebase.build(RULES, SEEDS, path, threads=1, **arguments).close()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The table that comes of it."""
    path = tmp_path_factory.mktemp("whole") / "t.rsow"
    table(path)
    with rs.Tablebase.open(path) as built:
        built.verify()
    return path.read_bytes()


def tree(folder: Path) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in folder.iterdir() if entry.is_file()}


# ------------------------------------------------------------------------------------------ races


class Racers:
    """Processes that are started once and race many times."""

    def __init__(self) -> None:
        self.processes = [
            subprocess.Popen([sys.executable, "-c", RACER], stdin=PIPE, stdout=PIPE, text=True)
            for _ in range(3)
        ]
        self.ids = [self._answer(process)[1] for process in self.processes]

    @staticmethod
    def _answer(process: subprocess.Popen[str]) -> Any:
        assert process.stdout is not None
        return json.loads(process.stdout.readline())

    def race(self, what: str, folder: Path, paths: list[str], lags: list[float]) -> list[Any]:
        """What came of it for each of as many as there are paths."""
        start = time.monotonic() + 0.01
        racers = self.processes[: len(paths)]
        for process, path, lag in zip(racers, paths, lags, strict=True):
            assert process.stdin is not None
            process.stdin.write(f"{json.dumps([what, str(folder), path, start + lag])}\n")
            process.stdin.flush()
        return [self._answer(process) for process in racers]


@pytest.fixture(scope="module")
def racers() -> Iterator[Racers]:
    racers = Racers()
    yield racers
    for process in racers.processes:
        process.communicate()


def spellings(folder: Path, name: str, chance: random.Random) -> list[str]:
    """Names of one file, as one may call it; it need not be there."""
    linked = folder.with_name(f"{folder.name}-link")
    linked.symlink_to(folder, target_is_directory=True)
    alias = folder.with_name(f"{folder.name}-alias")
    alias.symlink_to(folder / name)
    names = [str(folder / name), name, f"./../{folder.name}/{name}", str(linked / name)]
    return chance.sample([*names, str(alias)], 5)


@pytest.mark.parametrize("count", [2, 3])
def test_races_for_a_table(count: int, racers: Racers, whole: bytes, tmp_path: Path) -> None:
    chance = random.Random(count)
    refused = late = 0
    takes = 0.01
    for number in range(20):
        folder = tmp_path / f"race{number}"
        folder.mkdir()
        paths = ["t.rsow"] * count
        if sys.platform != "win32" and number % 2:
            paths = spellings(folder, "t.rsow", chance)[:count]
        # At once, or about when the first one ends.
        lags = [0.0, *(chance.choice([0, 0, chance.uniform(0.5, 1.2) * takes]) for _ in paths[1:])]
        told = racers.race("table", folder, paths, lags)
        assert tree(folder) == {"t.rsow": whole}, told
        assert [kind for kind, *_ in told].count("whole") == 1, told
        takes = next(seconds for kind, _, seconds in told if kind == "whole")
        for path, (kind, text, _) in zip(paths, told, strict=True):
            if kind == "FileExistsError":
                assert text == f"{path} exists: remove it to build it again"
                late += 1
            elif kind != "whole":
                writer = re.fullmatch(
                    rf"{re.escape(path)}: is being written by (?:process (\d+)|another process)",
                    text,
                )
                assert writer is not None, told
                assert writer[1] is None or int(writer[1]) in racers.ids
                refused += 1
    assert refused + late == 20 * (count - 1)
    assert refused >= 1


@pytest.mark.parametrize("count", [2, 3])
def test_races_for_a_directory(count: int, racers: Racers, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", exc_type=ImportError)
    chance = random.Random(count)
    first: dict[str, bytes] = {}
    refused = 0
    takes = 0.01
    for number in range(20):
        folder = tmp_path / f"race{number}"
        folder.mkdir()
        paths = ["run"] * count
        if sys.platform != "win32" and number % 2:
            paths = spellings(folder, "run", chance)[:4]
            paths = [path for path in paths if not path.endswith("-alias")][:count]
        lags = [0.0, *(chance.choice([0, 0, chance.uniform(0.5, 1.2) * takes]) for _ in paths[1:])]
        told = racers.race("directory", folder, paths, lags)
        there = tree(folder / "run")
        first = first or there
        assert there == first, told
        assert list(folder.iterdir()) == [folder / "run"]
        takes = next(seconds for kind, _, seconds in told if kind == "whole")
        for path, (kind, text, _) in zip(paths, told, strict=True):
            if kind != "whole":  # who comes after the others finds it whole, and is told so
                assert (kind, text.partition(" by ")[0]) == (
                    "Busy",
                    f"{Path(path)}: is being written",
                )
                refused += 1
    assert refused >= 1
    assert sorted(first) == ["_manifest.jsonl", *(f"games-{n:07}.parquet" for n in range(7))]


# -------------------------------------------------------------------------- every order of events


def test_who_is_writing_is_said(tmp_path: Path) -> None:
    path, alias = tmp_path / "t.rsow", tmp_path / "alias"
    if sys.platform != "win32":
        alias.symlink_to(path)
    told = []

    def again(*_: Any) -> None:
        for name in (path, alias)[: 1 + alias.is_symlink()]:
            with pytest.raises(ValueError, match=f"^{name}: is being written by ") as caught:
                table(name)
            told.append(str(caught.value).partition(" by ")[2])
        command = ["tablebase", "build", str(path), "giuthi", "--pits", "4"]
        command = [sys.executable, "-m", "relaysow", *command]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        assert done.returncode == 2
        told.append(done.stderr.splitlines()[-1].partition(" by ")[2])

    with rs.Tablebase.build(RULES, 0, alias if alias.is_symlink() else path, report=again):
        assert path.is_file()
    *here, there = told
    assert set(here) == {"thread 'MainThread' of this process"}
    assert there == (f"process {os.getpid()}" if LINUX else "another process")


@posix
@pytest.mark.parametrize("ends", ["before the lock is asked for", "when it is refused"])
def test_one_that_waits_with_the_old_file_does_not_touch_the_finished_one(
    ends: str, whole: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, part = tmp_path / "t.rsow", tmp_path / "t.rsow.part"
    part.write_bytes(whole)
    real = files._flock

    def late(file: Any, told: Any) -> None:
        if not path.exists():
            part.rename(path)
        if ends == "when it is refused":
            raise files.Busy("somebody")
        real(file, told)

    monkeypatch.setattr(files, "_flock", late)
    before = part.stat()
    with pytest.raises(FileExistsError, match="exists: remove it to build it again"):
        table(path)
    assert tree(tmp_path) == {"t.rsow": whole}
    assert path.stat().st_mtime_ns == before.st_mtime_ns


@posix
def test_one_that_waits_with_a_part_that_is_removed_begins_anew(
    whole: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, part = tmp_path / "t.rsow", tmp_path / "t.rsow.part"
    real = files._flock
    parts = []

    def late(file: Any, told: Any) -> None:
        parts.append(os.fstat(file.fileno()).st_ino)
        if len(parts) == 1:  # it held nothing, and who had made it was refused
            part.rename(tmp_path / "gone")
        real(file, told)

    monkeypatch.setattr(files, "_flock", late)
    table(path)
    assert len(parts) == len(set(parts)) == 2
    assert tree(tmp_path) == {"t.rsow": whole, "gone": b""}


@posix
def test_a_file_that_appears_during_the_work_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "t.rsow"

    def appears(total: int, *_: Any) -> None:
        if total == SEEDS:
            path.write_text("mine")

    with pytest.raises(FileExistsError, match=rf"'{path}'$"):
        table(path, report=appears)
    assert path.read_text() == "mine"
    path.unlink()
    table(path)  # from the part


def test_errors_of_the_work_are_not_those_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Any:
        raise OSError(errno.EAGAIN, "the system starts no thread")

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "t.rsow"
    with pytest.raises(OSError, match=r"the system starts no thread$"):
        table(path, report=fail)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match=rf"'{path}'$"):
            table(path)
    table(path)


@posix
def test_a_part_that_is_removed_meanwhile_ends_in_no_file(tmp_path: Path) -> None:
    path, part = tmp_path / "t.rsow", tmp_path / "t.rsow.part"

    def remove(total: int, *_: Any) -> None:
        if total == 2:
            part.unlink()
            part.write_text("another's")

    with pytest.raises(FileNotFoundError, match=rf"its part was removed meanwhile: '{path}'$"):
        table(path, report=remove)
    assert tree(tmp_path) == {"t.rsow.part": b"another's"}


def test_what_is_no_part_is_refused(whole: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.rsow.part").mkdir()
    with pytest.raises(ValueError, match=r"a\.rsow\.part: must be a file$"):
        table(tmp_path / "a.rsow")
    if sys.platform != "win32":
        os.mkfifo(tmp_path / "b.rsow.part")
        with pytest.raises(ValueError, match=r"b\.rsow\.part: must be a file$"):
            table(tmp_path / "b.rsow")
        (tmp_path / "other").write_bytes(whole)
        (tmp_path / "c.rsow.part").symlink_to(tmp_path / "other")
        with pytest.raises(ValueError, match=r"c\.rsow\.part: is a link: must be a file$"):
            table(tmp_path / "c.rsow")
        assert tree(tmp_path) == {"other": whole, "c.rsow.part": whole}


@posix
def test_a_file_system_without_locks_is_said(
    whole: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    def none(*_: Any) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", none)
    path = tmp_path / "t.rsow"
    with pytest.warns(RuntimeWarning, match=f"^{path}: there are no locks in its file system") as w:
        table(path)
    assert w[0].filename == __file__
    assert tree(tmp_path) == {"t.rsow": whole}
    pytest.importorskip("pyarrow", exc_type=ImportError)
    with pytest.warns(RuntimeWarning, match="there are no locks in its file system") as w:
        rs.simulate(RULES, games=3, threads=1, keep="summary", out=tmp_path / "run")
    assert w[0].filename == __file__


@posix
def test_the_lock_of_windows_by_a_stand_in(
    whole: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What `O_TEMPORARY` does, removing a file with its handle, is done here when it is closed."""
    spec = importlib.util.spec_from_file_location("relaysow.files_of_windows", files.__file__)
    assert spec is not None
    assert spec.loader is not None
    windows: Any = importlib.util.module_from_spec(spec)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "platform", "win32")
        spec.loader.exec_module(windows)
    monkeypatch.setattr(windows, "sys", SimpleNamespace(platform="win32"))
    monkeypatch.setattr(os, "O_TEMPORARY", 0, raising=False)
    close = windows._close

    def close_and_remove(opened: list[Any]) -> None:
        names = [file.name for file in opened]
        close(opened)
        for name in names:
            os.unlink(name)

    monkeypatch.setattr(windows, "_close", close_and_remove)
    monkeypatch.setattr(tablebase, "resumed", windows.resumed)
    path, lock = tmp_path / "t.rsow", tmp_path / ".t.rsow.part.lock"

    def again(*_: Any) -> None:
        assert tree(tmp_path).keys() == {"t.rsow.part", lock.name}
        with pytest.raises(ValueError, match=f"^{path}: is being written by thread 'MainThread'"):
            table(path)

    with rs.Tablebase.build(RULES, 0, path, report=again):
        assert tree(tmp_path).keys() == {"t.rsow"}
    with pytest.raises(FileExistsError, match="exists: remove it to build it again"):
        table(path)
    path.unlink()
    lock.touch()
    with pytest.raises(ValueError, match=rf"by another process, or {lock} is of one that a power"):
        table(path)
    lock.unlink()
    table(path)
    assert tree(tmp_path) == {"t.rsow": whole}


@posix
def test_a_directory_is_rid_of_shards_cut_off_and_not_of_its_lock(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", exc_type=ImportError)
    folder = tmp_path / "run"
    folder.mkdir()
    kept = [
        files.lock_beside(folder / shards.MANIFEST),
        folder / ".games-0000000.parquet.mine.part",
    ]
    shard = folder / "games-0000001.parquet"
    with files.written(shard):
        (part,) = folder.iterdir()
    shard.unlink()
    kept[0].touch()  # as on Windows when another process begins, and when this one has
    part.touch()
    rs.simulate(RULES, games=3, threads=1, keep="summary", out=folder)
    assert kept[0].exists()
    assert not part.exists()
    part.touch()
    kept[1].touch()
    rs.simulate(RULES, games=3, threads=1, keep="summary", out=folder)
    assert [entry in folder.iterdir() for entry in (*kept, part)] == [True, True, False]


def test_other_threads_lock_while_the_locks_are_gone_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locks = type(files._locks)()
    monkeypatch.setattr(files, "_locks", locks)
    opened = [BytesIO() for _ in range(3)]
    locks.update(dict.fromkeys(opened, "another"))

    def trace(*_: Any) -> Any:
        opened.append(BytesIO())
        locks[opened[-1]] = "one more"
        return trace

    before = sys.gettrace()
    for work in (lambda: files._holder(file), files._let_go):
        with (tmp_path / "file").open("wb") as file:
            sys.settrace(trace)
            try:
                work()
            finally:
                sys.settrace(before)
    assert len(opened) > 10


# ------------------------------------------------------------------------ killed, and interrupted


KILLED = """
import os, signal, sys, threading
import relaysow as rs
from relaysow._support import files

path, moment = sys.argv[1:]

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

def report(total, *_):
    if total == 3 and moment == "work":
        die()
    if total == 3 and moment == "forked":
        if os.fork() == 0:
            print(os.getpid(), flush=True)
            signal.pause()
        die()

if moment == "link":
    real = os.link
    os.link = lambda *a, **k: (real(*a, **k), die())
rs.Tablebase.build(rs.giuthi(pits=4, seeds=1), 6, path, report=report)
"""


@needs_fork
@pytest.mark.parametrize("moment", ["work", "link", "forked"])
def test_a_killed_builder_leaves_a_part_to_go_on_with(
    moment: str, whole: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "t.rsow"
    command = [sys.executable, "-c", KILLED, str(path), moment]
    child = None
    with subprocess.Popen(command, stdout=PIPE, text=True) as process:
        assert process.stdout is not None
        if moment == "forked":  # it lives on, but without the lock
            child = int(process.stdout.readline())
        assert process.wait() == -signal.SIGKILL
        try:
            names = ["t.rsow", "t.rsow.part"] if moment == "link" else ["t.rsow.part"]
            assert sorted(tree(tmp_path)) == names
            if moment == "link":
                assert path.read_bytes() == whole
                with pytest.raises(FileExistsError):
                    table(path)
            else:
                totals: list[int] = []
                table(path, report=lambda total, *_: totals.append(total))
                assert totals == [4, 5, 6]
            assert tree(tmp_path) == {"t.rsow": whole}
        finally:
            if child is not None:
                os.kill(child, signal.SIGKILL)


def interrupted_at(line: int, work: Callable[[], object], modules: list[Any]) -> bool:
    """Whether the work was interrupted, at the line-th line of these modules that it runs."""
    seen = 0
    names = {module.__file__ for module in modules}

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal seen
        if frame.f_code.co_filename not in names:
            return None
        if event == "line":
            seen += 1
            if seen == line:
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


@pytest.mark.filterwarnings("ignore:unclosed file")
def test_a_build_interrupted_at_any_line(whole: bytes, tmp_path: Path) -> None:
    path, part = tmp_path / "t.rsow", tmp_path / "t.rsow.part"
    line = 0
    going = True
    while going:
        line += 1
        going = interrupted_at(line, lambda: table(path), [files, tablebase])
        if path.exists():
            assert tree(tmp_path) == {"t.rsow": whole}, line
        else:
            assert tree(tmp_path).keys() <= {"t.rsow.part"}, line
            if part.exists():
                assert part.stat().st_size > 0, line
            table(path)  # nothing locks it any more
            assert tree(tmp_path) == {"t.rsow": whole}, line
        path.unlink()
    assert line > 100


@pytest.mark.filterwarnings("ignore:unclosed file")
def test_a_save_interrupted_at_any_line(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    few, many = rs.simulate(RULES, games=3), rs.simulate(RULES, games=4)
    many.save(path)
    new = path.read_bytes()
    few.save(path)
    old = path.read_bytes()
    line = 0
    going = True
    while going:
        line += 1
        going = interrupted_at(line, lambda: many.save(path), [files, simulation])
        assert tree(tmp_path) in ({"g.csv": old}, {"g.csv": new}), line
        few.save(path)
    assert line > 40


@pytest.mark.filterwarnings("ignore:unclosed file")
def test_a_directory_interrupted_at_any_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow", exc_type=ImportError)
    monkeypatch.setattr(shards, "GAMES", 20)

    def fill(folder: Path) -> None:
        rs.simulate(RULES, games=30, threads=1, keep="summary", out=folder)

    fill(tmp_path / "whole")
    whole = tree(tmp_path / "whole")
    line = 0
    going = True
    while going:
        line += 1
        folder = tmp_path / f"run{line}"
        going = interrupted_at(line, lambda folder=folder: fill(folder), [files, shards])
        if folder.exists():
            assert tree(folder).keys() <= whole.keys(), line
        fill(folder)
        assert tree(folder) == whole, line
    assert line > 100


def test_refusals_and_errors_leave_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    class Unbuilt:
        totals = 0

        def __init__(self, *_: Any) -> None: ...

        def build(self, *_: Any) -> bytes:
            raise MemoryError

        add = build

    with monkeypatch.context() as patch:
        patch.setattr(tablebase._core, "Table", Unbuilt)
        with pytest.raises(MemoryError):
            table(tmp_path / "t.rsow")
    assert tree(tmp_path) == {}
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match=rf"No space left on device: '{tmp_path / 'g.csv'}'"):
            rs.simulate(RULES, games=3).save(tmp_path / "g.csv")
    assert tree(tmp_path) == {}
    assert cli.main(["tablebase", "build", str(tmp_path / "t.rsow"), "giuthi", "--pits", "99"]) == 2
    assert tree(tmp_path) == {}
