"""`simulate(out=…)`: shards and manifest; resuming after a stop at any moment; refusals."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import Any

import pytest

import relaysow as rs
from relaysow import cli
from relaysow.simulation import SimulationInterrupted, shards, simulate
from relaysow.simulation.run import Run
from relaysow.simulation.summary import Summary

if sys.platform != "win32":
    import resource

parquet = pytest.importorskip("pyarrow.parquet", exc_type=ImportError)
SMALL = rs.giuthi(pits=5, seeds=4)
COMMAND = [
    *(sys.executable, "-c"),
    "import sys; from relaysow import cli; from relaysow.simulation import shards; shards.GAMES = 1_000; sys.exit(cli.main())",
]
RUN: dict[str, Any] = {"games": 1_050, "seed": 3, "first_game": 2**40, "max_moves": 40}


@pytest.fixture(autouse=True)
def _small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "GAMES", 200)


def fill(folder: Path, **arguments: Any) -> Summary:
    return simulate(SMALL, **RUN | arguments, keep="summary", out=folder)


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_shards_and_manifest(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    summary = fill(folder)
    whole = simulate(SMALL, **RUN)
    assert summary == whole.summary()
    header, *entries = map(json.loads, (folder / "_manifest.jsonl").read_text().splitlines())
    assert header == whole.metadata | {"shard": 200}
    assert sorted(content(folder)) == ["_manifest.jsonl", *(entry["file"] for entry in entries)]
    assert [entry["games"] for entry in entries] == [200] * 5 + [50]
    for entry in entries:
        data = (folder / entry["file"]).read_bytes()
        assert sha256(data).hexdigest() == entry["sha256"]
        numbers = {"games": entry["games"], "first_game": entry["first_game"]}
        simulate(SMALL, **RUN | numbers).save(tmp_path / "one.parquet")
        assert data == (tmp_path / "one.parquet").read_bytes()
    table = parquet.read_table(folder)  # as users read it, the manifest beside the files
    expected = whole.to_arrow()
    assert table.replace_schema_metadata().cast(expected.schema).equals(expected)


def test_a_whole_run_is_verified_and_left_alone(tmp_path: Path) -> None:
    summary = fill(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert fill(tmp_path) == summary
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before


def test_ctrl_c_keeps_whole_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path / "whole")
    added, add = [], shards.Manifest.add

    def press(manifest: Any, shard: Any) -> None:
        add(manifest, shard)
        added.append(shard)
        if len(added) == 3:
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(shards.Manifest, "add", press)
        with pytest.raises(SimulationInterrupted) as caught:
            fill(tmp_path / "run")
    assert caught.value.result.games in (400, 600)
    done = simulate(SMALL, **RUN | {"games": caught.value.result.games})
    assert caught.value.result == done.summary()
    assert len(content(tmp_path / "run")) == 4
    fill(tmp_path / "run")
    assert content(tmp_path / "run") == content(tmp_path / "whole")


# A forked child fills the directory and kills itself before the n-th call that changes it, or after,
# or half way through a write; then another goes on.  Prints how many calls there were.
KILLS = """
import os, signal, sys
import pyarrow.parquet
import relaysow as rs
from relaysow.simulation import shards
from relaysow.simulation import streaming
from relaysow.simulation import simulate

def fill(folder):
    arguments = {"games": 250, "seed": 3, "threads": 1}
    return simulate(rs.giuthi(pits=5, seeds=4), **arguments, keep="summary", out=folder)

def in_child(function):
    if (child := os.fork()) == 0:
        try:
            function()
            os._exit(0)
        except BaseException as error:
            print(repr(error), file=sys.stderr)
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def content(folder):
    return {name: open(os.path.join(folder, name), "rb").read() for name in os.listdir(folder)}

def dying(moment, folder):
    calls = 0
    def watched(name):
        real = getattr(os, name)
        def call(*arguments):
            nonlocal calls
            calls += 1
            if calls == moment // 2:
                if moment % 2 and name == "write":
                    real(arguments[0], arguments[1][: len(arguments[1]) // 2])
                elif moment % 2:
                    real(*arguments)
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments)
        setattr(os, name, call)
    for name in ("write", "fsync", "replace", "open", "mkdir"):
        watched(name)
    fill(folder)

shards.GAMES = 200
assert in_child(lambda: fill("whole")) == 0
whole = content("whole")
assert sorted(whole) == ["_manifest.jsonl", *(f"games-000000{n}.parquet" for n in range(2))]
for moment in range(2, 1000):
    code = in_child(lambda: dying(moment, f"run{moment}"))
    if code == 0:
        break
    assert code == -signal.SIGKILL, code
    assert in_child(lambda: fill(f"run{moment}")) == 0
    assert content(f"run{moment}") == whole, (moment, content(f"run{moment}").keys())
print(moment // 2)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_at_every_call_that_changes_the_directory(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLS], cwd=tmp_path, check=True, stdout=PIPE, text=True, timeout=120
    )
    assert int(done.stdout) > 15


def killed_at_random(tmp_path: Path, times: int) -> None:
    """SIGKILL at so many random moments of a run, each gone on with by the next process."""
    command = [*COMMAND, "simulate", "giuthi", "--games", "60_000", "--out"]
    subprocess.run([*command, tmp_path / "whole"], check=True, capture_output=True, timeout=300)
    whole = content(tmp_path / "whole")
    chance = random.Random(5)
    kills = runs = 0
    while kills < times:
        runs += 1
        code, out = None, tmp_path / f"run{runs}"
        while code != 0:
            process = subprocess.Popen([*command, out], stdout=DEVNULL, stderr=DEVNULL)
            shards_before = shards_now = len(list(out.glob("*.parquet")))
            wait_for = chance.randrange(0, 20)  # new shards, and then a part of the time of one
            while (
                kills < times and shards_now - shards_before < wait_for and process.poll() is None
            ):
                time.sleep(0.001)
                shards_now = len(list(out.glob("*.parquet")))
            if kills < times:
                time.sleep(chance.uniform(0, 0.02) if wait_for else chance.uniform(0, 1))
                process.kill()
            code = process.wait(300)
            kills += code == -signal.SIGKILL
            assert code in (0, -signal.SIGKILL)
        assert content(out) == whole


@pytest.mark.slow
def test_killed_at_random_moments(tmp_path: Path) -> None:
    killed_at_random(tmp_path, 3)


@pytest.mark.campaign
def test_killed_at_50_random_moments(tmp_path: Path) -> None:
    killed_at_random(tmp_path, 50)


# ------------------------------------------------------------------------------------- refusals


def test_another_run_is_refused_by_what_differs(tmp_path: Path) -> None:
    fill(tmp_path)
    before = content(tmp_path)
    for arguments, message in (
        ({"seed": 4}, "seed is 3, not 4"),
        ({"games": 2_000}, "games is 1050, not 2000"),
        ({"first_game": 0}, f"first_game is {2**40}, not 0"),
        ({"max_moves": None}, "max_moves is 40, not None"),
        ({"policy": "greedy"}, r"policy is \['random', 'random'\], not \['greedy', 'greedy'\]"),
    ):
        with pytest.raises(ValueError, match=f"{tmp_path}: holds another run: its {message}"):
            fill(tmp_path, **arguments)
    with pytest.raises(ValueError, match="holds another run: its rules is 'giuthi"):
        simulate(rs.giuthi(), **RUN, keep="summary", out=tmp_path)
    assert content(tmp_path) == before


def test_a_run_is_gone_on_with_however_its_rules_are_written(tmp_path: Path) -> None:
    """As by an earlier version, before they had a name of their own."""
    rules = rs.giuthi_literal(5, 4)
    earlier = "giuthi(pits=5,seeds=4,extra_pit=not_origin,lone_seed=taken)"
    arguments: Any = {**RUN, "keep": "summary", "out": tmp_path}
    whole = simulate(rules, **arguments)
    manifest = tmp_path / "_manifest.jsonl"
    text = manifest.read_text()
    assert text.count("giuthi_literal(pits=5,seeds=4)") == 2
    manifest.write_text(text.replace("giuthi_literal(pits=5,seeds=4)", earlier))
    assert simulate(rules, **arguments) == whole
    with pytest.raises(
        ValueError, match=r"holds another run: its rules is 'giuthi\(pits=5,seeds=4,extra"
    ):
        simulate(rs.giuthi(5, 4), **arguments)
    manifest.write_text(text.replace("giuthi_literal(", "giuthi_odd("))
    with pytest.raises(ValueError, match="holds another run: its rules is 'giuthi_odd"):
        simulate(rules, **arguments)


def damage(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda f: damage(f / "games-0000002.parquet"), r"games-0000002.parquet: is damaged: its "),
        (lambda f: (f / "games-0000001.parquet").unlink(), r"0000001.parquet: is in _manifest.jso"),
        (lambda f: (f / "x.parquet").touch(), r"x.parquet: is not in _manifest.jsonl, so not of "),
        (lambda f: (f / "_manifest.jsonl").unlink(), r"holds 'games-0000000.parquet' but no _man"),
        (lambda f: (f / "_manifest.jsonl").write_text("[]\n"), r"_manifest.jsonl: line 1 is dama"),
        (lambda f: (f / "_manifest.jsonl").write_text("{}\n"), r"is not the manifest of a run of"),
        (lambda f: swap_lines(f / "_manifest.jsonl"), r"_manifest.jsonl: line 3 is damaged"),
        (lambda f: (f / "games-0000000.parquet").write_bytes(b""), r"0000000.parquet: is damaged"),
    ],
)
def test_a_damaged_directory_is_refused(spoil: Any, message: str, tmp_path: Path) -> None:
    fill(tmp_path)
    spoil(tmp_path)
    before = content(tmp_path)
    with pytest.raises(ValueError, match=message):
        fill(tmp_path)
    assert content(tmp_path) == before


def swap_lines(path: Path) -> None:
    lines = path.read_text().splitlines(keepends=True)
    lines[2], lines[3] = lines[3], lines[2]
    path.write_text("".join(lines))


def test_a_foreign_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(ValueError, match=r"holds 'thesis.txt' but no _manifest.jsonl: must be em"):
        fill(tmp_path)
    assert content(tmp_path) == {"thesis.txt": b"mine"}
    with pytest.raises(NotADirectoryError, match=r"thesis\.txt"):
        fill(tmp_path / "thesis.txt")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        fill(tmp_path / "nowhere" / "run")


def test_a_directory_that_is_being_filled_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add = shards.Manifest.add

    def second(manifest: Any, shard: Any) -> None:
        add(manifest, shard)
        with pytest.raises(ValueError, match=f"{tmp_path}: is being written by thread '"):
            fill(tmp_path)

    monkeypatch.setattr(shards.Manifest, "add", second)
    fill(tmp_path)
    assert len(content(tmp_path)) == 7


@pytest.mark.parametrize("way", ["removed", "moved", "gone from"])
def test_a_directory_that_is_moved_meanwhile_harms_no_other(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another run has taken the name since, and is whole; or the process has gone to another folder."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    add, moved = shards.Manifest.add, []

    def meddle(manifest: shards.Manifest, shard: shards.Shard) -> None:
        if manifest.added == 1 and not moved:
            moved.append(True)
            if way == "gone from":
                monkeypatch.chdir(tmp_path / "elsewhere")
            elif way == "moved":
                Path("run").rename("old")
            else:
                shutil.rmtree("run")
            fill(Path("run"), seed=99)
        add(manifest, shard)

    monkeypatch.setattr(shards.Manifest, "add", meddle)
    with pytest.raises(ValueError, match=r"^run: is not the directory that it was"):
        fill(Path("run"))
    fill(tmp_path / "same", seed=99)
    other = tmp_path / ("elsewhere" if way == "gone from" else "here") / "run"
    assert content(other) == content(tmp_path / "same")


def test_out_needs_the_summary_and_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"out='x': needs keep='summary'"):
        simulate(SMALL, games=10, out="x")
    with pytest.raises(TypeError):
        simulate(SMALL, games=10, keep="summary", out=3)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ImportError, match=r"pip install 'relaysow\[arrow\]'"):
        fill(tmp_path / "run")
    assert not (tmp_path / "run").exists()


# --------------------------------------------------------------- a full disk, a read-only folder


needs_limits = pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on file sizes")


@needs_limits
@pytest.mark.parametrize("what", ["shard", "manifest"])
def test_a_full_disk_keeps_what_was_written(what: str, tmp_path: Path) -> None:
    """The system refuses to write more, half way through a file; later there is room again."""
    fill(tmp_path / "whole")
    folder = tmp_path / "run"
    sizes = {name: len(data) for name, data in content(tmp_path / "whole").items()}
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    last = sizes["games-0000005.parquet"]  # of fewer games; the rest are larger
    if what == "shard":
        limit = last + 1
        kept = 0
    else:  # the manifest gets longer than any shard: more lines
        shards.GAMES = 20
        fill(tmp_path / "lines")
        sizes = {name: len(data) for name, data in content(tmp_path / "lines").items()}
        limit = sizes["_manifest.jsonl"] - 300
        assert limit > max(size for name, size in sizes.items() if name.startswith("games"))
        kept = 50
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        with pytest.raises(OSError, match=r"File too large: '.*(_manifest.jsonl|games-0000000)"):
            fill(folder)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    there = content(folder)
    assert len(there) - 1 >= kept
    assert not [name for name in there if name.startswith(".")]
    fill(folder)
    assert content(folder) == content(tmp_path / ("whole" if what == "shard" else "lines"))
    assert all(content(folder)[name] == there[name] for name in there if name != "_manifest.jsonl")


@pytest.mark.skipif(sys.platform == "win32", reason="needs permissions")
def test_a_read_only_folder_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fill(Path("run"))
    before = content(tmp_path / "run")
    (tmp_path / "run" / "games-0000005.parquet").unlink()
    path = tmp_path / "run" / "_manifest.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    for folder in (tmp_path, tmp_path / "run"):
        folder.chmod(0o555)
    root = os.geteuid() == 0  # whom no permission stops
    if root:
        os.seteuid(65534)
    try:
        with pytest.raises(PermissionError, match=r"Permission denied: 'new'"):
            fill(Path("new"))
        with pytest.raises(PermissionError, match=r"Permission denied: '.*run"):
            fill(Path("run"))
    finally:
        if root:
            os.seteuid(0)
        for folder in (tmp_path, tmp_path / "run"):
            folder.chmod(0o755)
    fill(Path("run"))
    assert content(tmp_path / "run") == before


@dataclass
class Disk:
    """A file system of its own where one can be mounted, else limits of the process and permissions
    that come to the same."""

    folder: Path
    mounted: bool

    def fill(self, room: int) -> None:
        """Leaves room for so many bytes."""
        if self.mounted:
            free = os.statvfs(self.folder)
            (self.folder / "ballast").write_bytes(bytes(free.f_bavail * free.f_frsize - room))
        else:
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))

    def make_room(self) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        (self.folder / "ballast").unlink(missing_ok=True)

    def forbid(self, writing: bool) -> None:
        """Makes it read-only, or writable again."""
        if self.mounted:
            options = f"remount,{'ro' if writing else 'rw'}"
            subprocess.run(["mount", "-o", options, self.folder], check=True)
        else:
            for path in (self.folder, *self.folder.rglob("*")):
                path.chmod((0o555 if path.is_dir() else 0o444) if writing else 0o755)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]
    mounted = False
    if sys.platform == "linux":
        mounted = subprocess.run(command, check=False, stderr=DEVNULL).returncode == 0
    disk = Disk(folder, mounted)
    try:
        yield disk
    finally:
        disk.make_room()
        if mounted:
            subprocess.run(["umount", "-l", folder], check=True)


FULL = "(No space left on device|File too large)"


@needs_limits
def test_a_disk_gets_full(disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path / "whole")
    whole = content(tmp_path / "whole")
    added, add = [], shards.Manifest.add

    def counted(manifest: Any, shard: Any) -> None:
        if len(added) == 3:
            disk.fill(4_096)  # less than a shard
        add(manifest, shard)
        added.append(shard)

    run = disk.folder / "run"
    with monkeypatch.context() as patch:
        patch.setattr(shards.Manifest, "add", counted)
        with pytest.raises(OSError, match=f"{FULL}: '{run}/games-0000003.parquet'"):
            fill(run)
    names = [f"games-000000{number}.parquet" for number in range(3)]
    assert sorted(content(run)) == ["_manifest.jsonl", *names]
    with pytest.raises(OSError, match=f"{FULL}: '{run}/games-0000003.parquet'"):
        fill(run)
    before = content(run)
    assert all(before[name] == whole[name] for name in names)
    disk.make_room()
    disk.forbid(writing=True)
    with pytest.raises(OSError, match=f"(Read-only file system|Permission denied): '{run}/"):
        fill(run)
    disk.forbid(writing=False)
    assert content(run) == before
    fill(run)
    assert content(run) == whole


@needs_limits
@pytest.mark.filterwarnings("ignore:.*ZipFile.__del__")  # of NumPy 1.26, where a disk is full
@pytest.mark.parametrize("name", ["games.csv", "games.npz", "games.parquet"])
def test_saving_where_it_cannot_be(name: str, disk: Disk, tmp_path: Path) -> None:
    """What was there stays, nothing is left over, and the error names what cannot be written."""
    few, many = simulate(SMALL, games=10), simulate(SMALL, games=10_000)
    path = disk.folder / name
    few.save(path)
    before = path.read_bytes()
    disk.fill(4_096)
    with pytest.raises(OSError, match=f"{FULL}: '{path}'"):
        many.save(path)
    disk.make_room()
    disk.forbid(writing=True)
    with pytest.raises(OSError, match=f"(Read-only file system|Permission denied): '{path}'"):
        many.save(path)
    disk.forbid(writing=False)
    assert content(disk.folder) == {name: before}
    many.save(path)
    assert len(path.read_bytes()) > len(before)
    with pytest.raises(FileNotFoundError, match=f": '{tmp_path / 'none'}'"):
        many.save(tmp_path / "none" / name)
    with pytest.raises(NotADirectoryError, match=f": '{path}'"):
        many.save(path / name)


# ----------------------------------------------------------------------------------- the command


def test_the_command_fills_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = f"{tmp_path / 'run'}{os.sep}"
    words = f"simulate giuthi --games 900 --out {out}".split()
    assert cli.main(words) == 0
    printed = capsys.readouterr()
    assert printed.out == f"{simulate(rs.giuthi(), 900).summary()}\n"
    assert printed.err.splitlines()[-1] == f"900 games are in {out}"
    monkeypatch.delattr(Run, "play")  # nothing is left to play
    assert cli.main(words) == 0
    assert capsys.readouterr().out == printed.out
    assert cli.main([*words, "--seed", "2"]) == 2
    assert "holds another run: its seed is 1, not 2" in capsys.readouterr().err


def test_ctrl_c_on_the_command_says_how_to_go_on(tmp_path: Path) -> None:
    out = tmp_path / "run"
    process = subprocess.Popen(
        [*COMMAND, "simulate", "giuthi", "--games", "500_000_000", "--out", out],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    # The second file is there once the first is in the manifest.
    while len(list(out.glob("*.parquet"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    pressed = time.perf_counter()
    printed, errors = process.communicate(timeout=20)
    assert time.perf_counter() - pressed < 2
    assert process.returncode == 130
    games = int(printed.split(" games of")[0].replace(",", ""))
    assert games > 0
    assert games % 1_000 == 0
    lines = errors.splitlines()
    assert lines[-2] == f"{games:,} games are in {out}"
    assert lines[-1].endswith("the summary is of those; the same command goes on from there")
