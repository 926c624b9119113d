"""Standard streams that are closed, None, full or left by their reader: no command minds."""

from __future__ import annotations

import io
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
import typer

import relaysow as rs
from relaysow import cli
from relaysow.cli import app

shell = pytest.mark.skipif(sys.platform == "win32", reason="needs a shell of POSIX")

COMMAND = [sys.executable, "-m", "relaysow"]
CLOSED = ("<&-", ">&-", "2>&-", "<&- >&- 2>&-")
SMALL = "giuthi --pits 3 --seeds 2"

SAMPLES = {
    "simulate": f"simulate {SMALL} --games 100 --out {{folder}}/games.csv",
    "check": f"check {SMALL} --games 2 --processes 2",
    "perft": f"perft {SMALL} --depth 2 --divide",
    "show": "show giuthi --move 1+",
    "play": f"play {SMALL}",
    "serve": "serve --no-browser --port {port}",
    "replay": "replay -",
    "rules": "rules giuthi",
    "solve": f"solve {SMALL}",
    "analyse": f"analyse {SMALL} --nodes 100",
    "puzzle": "puzzle giuthi --pits 4 --seeds 6",
    "tablebase build": "tablebase build {folder}/table giuthi --pits 3 --max-seeds 5",
    "tablebase verify": "tablebase verify {folder}/3.rsow",
    "tablebase probe": "tablebase probe {folder}/3.rsow {position}",
}
PRINTING = ("rules", "--help", f"perft {SMALL} --divide", f"simulate {SMALL} --games 9 --out -")
OTHERS = (
    "",
    "--help",
    "simulate --help",
    "--version",
    "bogus",
    "simulate oware",
    "show nonsense",
    PRINTING[-1],
)


def commands(app: typer.Typer, above: str = "") -> Iterator[str]:
    """All that the command can be told to do."""
    for command in app.registered_commands:
        assert command.callback is not None
        yield above + (command.name or command.callback.__name__)
    for group in app.registered_groups:
        assert group.typer_instance is not None
        yield from commands(group.typer_instance, f"{above}{group.name} ")


def test_every_command_has_a_sample() -> None:
    assert sorted(SAMPLES) == sorted(commands(app.app))


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


def words_of(line: str, folder: Path) -> list[str]:
    """The words of a sample, in a folder of its own that has what it needs."""
    folder.mkdir()
    position = rs.Position(rs.giuthi(pits=3, seeds=1), [1, 0, 1, 0, 1, 1])
    if "3.rsow" in line:
        rs.Tablebase.build(position.rules, 5, folder / "3.rsow").close()
    values = {"folder": folder, "port": free_port(), "position": position.to_text()}
    return [word.format(**values) for word in line.split()]


def start(words: list[str], redirected: str = "", **more: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        ["sh", "-c", f'exec "$@" {redirected}', "sh", *COMMAND, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **more,
    )


def finish(process: subprocess.Popen[str], words: list[str]) -> tuple[int, str, str]:
    """The exit code and what was printed but for times; the server is stopped when it serves."""
    if words[:1] == ["serve"]:
        end = monotonic() + 20
        while monotonic() < end and process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", int(words[-1]))).close()
                break
            except ConnectionRefusedError:
                sleep(0.02)
        process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    varying = re.compile(r"[\d.,]+ (s\b|\w+/s)|:\d+/|/\d+/games.csv")
    return process.returncode, varying.sub("", out), varying.sub("", err)


@shell
@pytest.mark.parametrize("line", [*SAMPLES.values(), *OTHERS], ids=[*SAMPLES, *OTHERS])
def test_closed_streams_change_no_exit_code_and_nothing_else(line: str, tmp_path: Path) -> None:
    every = ("", *(CLOSED[-1:] if line in OTHERS else CLOSED))
    words = {redirected: words_of(line, tmp_path / f"{i}") for i, redirected in enumerate(every)}
    running = {redirected: start(words[redirected], redirected) for redirected in every}
    ended = {redirected: finish(running[redirected], words[redirected]) for redirected in every}
    code, out, err = ended[""]
    assert code == 130 if "serve" in line else code in (0, 2)
    assert "Traceback" not in err
    for i, redirected in enumerate(every):
        assert ended[redirected] == (
            code,
            "" if ">&-" in redirected.split() else out,
            "" if "2>&-" in redirected.split() else err,
        )
        for name in ("games.csv", "table"):  # nothing else was printed into it
            whole = tmp_path / "0" / name
            if whole.exists():
                assert (tmp_path / f"{i}" / name).read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("closed", [False, True])
def test_streams_that_are_none_or_closed_in_python(closed: bool, monkeypatch: Any) -> None:
    """As where there is no console (pythonw), and put back afterwards."""
    streams: dict[str, Any] = {}
    for name in ("stdin", "stdout", "stderr"):
        streams[name] = io.StringIO() if closed else None
        if closed:
            streams[name].close()
        monkeypatch.setattr(sys, name, streams[name])
    codes = [cli.main(words.split()) for words in ("play giuthi", "replay -", "bogus", "--help")]
    kept = {name: getattr(sys, name) for name in streams}
    monkeypatch.undo()
    assert codes == [0, 2, 2, 0]
    assert kept == streams


@shell
def test_no_file_takes_the_place_of_a_stream() -> None:
    """What is opened later gets no descriptor that others print to."""
    script = (
        "import os, sys; from relaysow import cli; assert cli.main(['--version']) == 0\n"
        "sys.exit(open(os.devnull).fileno())"
    )
    for redirected in CLOSED:
        words = ["sh", "-c", f'exec "$@" {redirected}', "sh", sys.executable, "-c", script]
        assert subprocess.run(words, check=False, stdout=subprocess.DEVNULL).returncode > 2


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("line", [*PRINTING, "bogus"])
def test_a_full_standard_output_is_an_error(line: str, unbuffered: str) -> None:
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    out = start(line.split(), ">/dev/full", env=environment)
    err = start(line.split(), "2>/dev/full", env=environment)
    code, _, told = finish(out, [])
    assert code == 2
    (told,) = [said for said in told.splitlines() if said.startswith("relaysow: ")]  # once
    assert re.fullmatch(r"relaysow: (.*No space left on device|No such command .*)", told)
    code, printed, _ = finish(err, [])
    assert code == (2 if line == "bogus" else 0)
    assert bool(printed) == (line != "bogus")


@shell
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("line", ["rules", "--help", "bogus"])
def test_readers_that_have_gone_are_141(line: str, unbuffered: str) -> None:
    process = start(line.split(), ">&2", env=os.environ | {"PYTHONUNBUFFERED": unbuffered})
    assert process.stderr is not None
    process.stderr.close()
    process.communicate(timeout=20)
    assert process.returncode == 141
