"""Signals that ask the command to end: they do what Ctrl-C does, and the library answers none."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Self

import numpy as np
import pytest

import relaysow as rs
from relaysow import cli
from relaysow._support.processes import undisturbed
from relaysow.check import check
from relaysow.cli import terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

ANSWER = 5.0  # seconds: half a one to answer, ten times that on a busy machine
IN_FRONT = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
    "os.execv(sys.executable, [sys.executable, '-m', 'relaysow', *sys.argv[1:]])"
)


class Terminal:
    """A command that runs in a terminal of its own, which can be read and closed."""

    def __init__(self, *words: str) -> None:
        import pty

        self._said = bytearray()
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", IN_FRONT, *words],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=os.environ | {"TERM": "xterm-256color", "COLUMNS": "100"},
            start_new_session=True,
        )
        os.close(slave)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.close()

    @property
    def said(self) -> str:
        return self._said.decode(errors="ignore")  # the last character may not be all there

    def read(self, pattern: str) -> re.Match[str]:
        """Wait until it has said this."""
        while (found := re.search(pattern, self.said)) is None:
            assert select.select([self._master], [], [], 60)[0]
            self._said += os.read(self._master, 65536)  # an error where it has ended
        return found

    def wait(self) -> None:
        """Until it waits itself: Python answers no signal that comes just before it does."""
        with suppress(FileNotFoundError):  # where there is no /proc, hope for the best
            while Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(") ")[-1][0] != "S":
                sleep(0.001)

    def close(self) -> None:
        if self._master >= 0:
            os.close(self._master)
            self._master = -1

    def settings(self) -> list[Any]:
        import termios

        return termios.tcgetattr(self._master)

    def end(self) -> int:
        """What it exits with; no process of it is left behind, and no traceback was said."""
        begin = monotonic()
        with suppress(OSError):
            while self._master >= 0 and (text := os.read(self._master, 65536)):
                self._said += text
                assert monotonic() - begin < 60, "it does not end"
        code = self.process.wait(timeout=60)
        assert monotonic() - begin < ANSWER
        with suppress(ProcessLookupError):
            while not os.killpg(self.process.pid, 0):
                sleep(0.01)
                assert monotonic() - begin < 60, "a process is left behind"
        assert "Traceback" not in self.said
        assert "Exception" not in self.said
        return code


GIUTHI = ("simulate", "giuthi", "--games", "50_000_000", "--seed", "6", "--threads", "1")
SOME = r"[1-9][\d,]* of [15]\d+,"


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_simulate_keeps_what_is_done(name: str, code: int, tmp_path: Path) -> None:
    path = tmp_path / "part.npz"
    with Terminal(*GIUTHI, "--out", str(path)) as run:
        run.read(SOME)
        run.process.send_signal(getattr(signal, name))
        assert run.end() == code
    *_, last = run.said.split("\x1b[2K")  # what stands after the bar was wiped out
    games = int(last.partition(" games of")[0].rpartition("\n")[2].replace(",", "") or 0)
    assert "South wins" in last
    assert f"interrupted after {games:,} of 50,000,000 games" in last
    assert run.said.count("\x1b[?25l") == run.said.count("\x1b[?25h") == 1  # the cursor is back
    with np.load(path) as file:
        assert json.loads(str(file["metadata"]))["games"] == len(file["winner"]) == games > 0


def test_simulate_keeps_its_directory(tmp_path: Path) -> None:
    with Terminal(*GIUTHI, "--out", str(tmp_path / "games")) as run:
        run.read(r"[1-9]\d\d,\d\d\d of|[1-9],\d\d\d,\d\d\d of")
        run.process.terminate()
        assert run.end() == 143
    assert "the same command goes on from there" in run.said
    _, *shards = (tmp_path / "games" / "_manifest.jsonl").read_text().splitlines()
    games = sum(json.loads(shard)["games"] for shard in shards)
    assert f"{games:,} games are in {tmp_path / 'games'}" in run.said


def test_a_terminal_that_is_closed_loses_no_games(tmp_path: Path) -> None:
    path = tmp_path / "part.npz"
    with Terminal(*GIUTHI, "--out", str(path)) as run:
        run.read(SOME)
        run.close()
        assert run.end() == 129
    with np.load(path) as file:
        assert len(file["winner"]) > 0


def test_a_signal_that_comes_twice_is_one() -> None:
    """As `timeout` sends it: to the command, then to its group."""
    with Terminal(*GIUTHI) as run:
        run.read(SOME)
        run.process.terminate()
        os.killpg(run.process.pid, signal.SIGTERM)
        assert run.end() == 143
    assert "South wins" in run.said


def test_check_tells_what_was_compared() -> None:
    words = ("check", "giuthi", "--games", "100_000", "--full", "0", "--processes", "2")
    with Terminal(*words) as run:
        run.read(SOME)
        os.killpg(run.process.pid, signal.SIGTERM)  # its processes as well
        assert run.end() == 143
    assert re.search(
        r"[\d,]+ games of .*\r\n[\d,]+ positions, .* compared: no difference", run.said
    )
    assert "interrupted: the counts are of what was compared until then" in run.said


def caught(process: subprocess.Popen[Any], number: int) -> bool:
    """Whether a process answers a signal (on Linux)."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    found = re.search(r"SigCgt:\s*(\w+)", status)
    assert found is not None
    return bool(int(found[1], 16) >> (number - 1) & 1)


def answering(run: Terminal) -> Terminal:
    """The command, once it is ready to be asked to end."""
    while not caught(run.process, signal.SIGTERM):
        sleep(0.001)
    return run


linux = pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="asks /proc")


@linux
@pytest.mark.parametrize("after", [0.02, 0.2, 0.3, 0.4])
def test_processes_that_are_starting_are_not_left_behind(after: float) -> None:
    with Terminal("check", "giuthi", "--games", "100_000", "--processes", "3") as run:
        answering(run)
        sleep(after)
        run.process.terminate()
        assert run.end() == 143
    assert "interrupted" in run.said


@linux
def test_solve_ends() -> None:
    with Terminal("solve", "giuthi", "--pits", "6", "--seeds", "5") as run:
        answering(run).process.terminate()
        assert run.end() == 143
    assert run.said == "relaysow: interrupted\r\n"


def test_analyse_tells_what_it_found() -> None:
    with Terminal("analyse", "giuthi", "--seconds", "60") as run:
        run.read(r"depth [3-9]: ")
        run.process.terminate()
        assert run.end() == 143
    assert re.search(r"\ndepth \d+\r\n[\d.]+ s: .*\r\ninterrupted after depth \d+", run.said)


def test_a_table_goes_on_from_its_part(tmp_path: Path) -> None:
    words = ("tablebase", "build", str(tmp_path / "table"), "giuthi", "--pits", "5")
    with Terminal(*words, "--max-seeds", "13", "--threads", "1") as run:
        run.read(r"\n10 seeds: ")
        run.process.terminate()
        assert run.end() == 143
    assert f"the totals done are in {tmp_path / 'table'}.part" in " ".join(run.said.split())
    assert cli.main([*words, "--max-seeds", "13"]) == 0
    rs.Tablebase.build(rs.giuthi(pits=5, seeds=1), 13, tmp_path / "other").close()
    assert (tmp_path / "table").read_bytes() == (tmp_path / "other").read_bytes()


@pytest.mark.parametrize(
    ("words", "begun"),
    [
        ("perft giuthi --pits 5 --seeds 4 --depth 9 --divide", r"\+\t[\d,]+"),
        ("puzzle giuthi --pits 4 --seeds 8 --count 1_000_000", "giuthi.pits=4.* S - - 2"),
        ("play giuthi", "South> "),
        ("play giuthi --south random --north random --pace 60", r"go: all moves\)> "),
    ],
)
def test_the_others_end(words: str, begun: str) -> None:
    with Terminal(*words.split()) as run:
        run.read(begun)
        if words.startswith("play"):
            run.wait()
        run.process.terminate()
        assert run.end() == 143
    assert run.said.endswith("relaysow: interrupted\r\n")


def test_play_leaves_the_terminal_as_it_was() -> None:
    with Terminal("play", "giuthi", "--north", "human", "--pace", "60") as run:
        before = run.settings()
        run.read("South> ")
        os.write(run._master, b"1+\n")
        run.read("Lap 1")
        assert run.settings() != before
        run.wait()
        run.process.terminate()
        run.read("interrupted")
        assert run.settings() == before
        assert run.end() == 143


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_serve_ends(name: str, code: int) -> None:
    with Terminal("serve", "--no-browser", "--port", "0") as run:
        run.read("Serving http.*\n")
        run.process.send_signal(getattr(signal, name))
        assert run.end() == code
    assert run.said.endswith("relaysow: interrupted\r\n")


def test_ctrl_c_in_code_run_from_text_is_no_death_by_signal() -> None:
    """As modules run it while they are imported."""
    script = (
        "import sys; from relaysow import cli; from relaysow.text import board as display\n"
        "display.board = lambda *_, **__: exec('raise KeyboardInterrupt')\n"
        "sys.exit(cli.main(['show', 'giuthi']))"
    )
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True)
    assert (done.returncode, done.stderr) == (130, b"relaysow: interrupted\n")


# --------------------------------------------------------------------------------- in this process


@pytest.fixture
def handlers() -> Iterator[dict[int, Any]]:
    """The handlers of all signals, which must be the same in the end."""
    before = {number: signal.getsignal(number) for number in signal.valid_signals()}
    yield before
    assert {number: signal.getsignal(number) for number in signal.valid_signals()} == before


def test_the_command_puts_the_handlers_back(handlers: dict[int, Any]) -> None:
    assert handlers[signal.SIGTERM] == signal.SIG_DFL
    assert cli.main(["show", "giuthi"]) == 0
    assert cli.main(["bogus"]) == 2
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(cli.main(["--version"])))
    thread.start()
    thread.join()
    assert codes == [0]


@pytest.mark.usefixtures("handlers")
def test_the_library_answers_no_signal() -> None:
    answered: list[Any] = []

    def look(*_: object) -> None:
        answered.append([signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)])

    rs.analyse(rs.giuthi(pits=4, seeds=2).start(), nodes=50_000, report=look)
    check(rs.giuthi(pits=3, seeds=2), games=2, processes=2)
    assert answered
    assert all(one == [signal.SIG_DFL, signal.SIG_DFL] for one in answered)


@pytest.mark.usefixtures("handlers")
def test_signals_that_others_answer_or_ignore_stay_theirs() -> None:
    def mine(*_: object) -> None: ...

    signal.signal(signal.SIGTERM, mine)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with terminal.signals():
            assert signal.getsignal(signal.SIGTERM) is mine
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.mark.usefixtures("handlers")
def test_a_later_signal_ends_what_the_first_began(monkeypatch: Any) -> None:
    now = 0.0
    monkeypatch.setattr(terminal, "monotonic", lambda: now)
    with terminal.signals() as came:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        now += terminal.PATIENCE / 2
        signal.raise_signal(signal.SIGTERM)
        now += terminal.PATIENCE
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGHUP)
    assert came == [signal.SIGTERM, signal.SIGHUP]


@pytest.mark.usefixtures("handlers")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_signals_wait_until_a_process_is_known(name: str) -> None:
    known = False

    def begin() -> None:
        nonlocal known
        with terminal.signals(), undisturbed():
            signal.raise_signal(getattr(signal, name))
            known = True

    with pytest.raises(KeyboardInterrupt):
        begin()
    assert known


@pytest.mark.usefixtures("handlers")
def test_handlers_that_raise_leave_none_replaced(monkeypatch: Any) -> None:
    """Wherever one raises after another has been replaced, or put back."""
    replace, left = signal.signal, -1

    def replacing(number: int, handler: Any) -> Any:
        nonlocal left
        before = replace(number, handler)  # type: ignore[arg-type]
        left -= 1
        if left == -1:
            raise KeyboardInterrupt
        return before

    def mine(*_: object) -> None: ...

    old = replace(signal.SIGTERM, mine)
    interrupted = 0
    try:
        monkeypatch.setattr(signal, "signal", replacing)
        while left < 0:
            left, interrupted = interrupted, interrupted + 1
            with suppress(KeyboardInterrupt), undisturbed():
                pass
            assert signal.getsignal(signal.SIGTERM) is mine
            assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
            assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    finally:
        replace(signal.SIGTERM, old)
    assert interrupted == 5  # two handlers, there and back, and not at all


@pytest.mark.usefixtures("handlers")
def test_a_handler_that_could_not_be_put_back_does_no_harm(monkeypatch: Any) -> None:
    replace = signal.signal
    with monkeypatch.context() as patch:
        patch.setattr(signal, "signal", lambda *given: replace(*given) if not held else None)
        held: list[Any] = []
        with undisturbed():
            held.append(signal.getsignal(signal.SIGINT))
    try:
        assert signal.getsignal(signal.SIGINT) is held[0] is not signal.default_int_handler
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    finally:
        replace(signal.SIGINT, signal.default_int_handler)
