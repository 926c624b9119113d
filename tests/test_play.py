"""Games at the table: command by command, and through a terminal."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

import relaysow as rs
from relaysow import cli
from relaysow.cli import terminal_game
from relaysow.cli.terminal_game import _COMMANDS, HELP
from relaysow.text import board as display

FIVE = rs.giuthi(pits=5, seeds=4)
ENDLESS = "giuthi(pits=5,seeds=4) 9,2,0,3,0;0,0,0,0,2 0,0 S - - 2"


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Any:
    """What the command says to these lines, after it has drawn the board: a text a line."""

    def table(words: str, *lines: str) -> list[str]:
        typed = iter(lines)

        def read(prompt: str) -> str:
            print(f"\x00{prompt}", end="")
            try:
                return next(typed)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr("builtins.input", read)
        assert cli.main(["play", *words.split()]) == 0
        assert next(typed, None) is None, "not all lines were read"
        return [said.partition("> ")[2].rstrip() for said in capsys.readouterr().out.split("\0")]

    return table


def random_game(start: rs.Rules | rs.Position, seed: int) -> rs.Game:
    game, chance = rs.Game(start), Random(seed)
    while not game.is_over:
        game.push(game.legal_moves[chance.randrange(game.legal_moves.count)])
    return game


def texts(game: rs.Game) -> Iterator[str]:
    """The moves as the players write them."""
    again = rs.Game(game.start)
    for move in game.moves:
        yield again.position.move_to_text(move)
        again.push(move)


@pytest.mark.parametrize(
    ("words", "start"),
    [
        ("giuthi", rs.giuthi()),
        ("kiothi --seeds 2 --filled 3", rs.kiothi(2, 3)),
        ("engehe --pits 5", rs.engehe(pits=5)),
        ("giuthi_leakey --set extra_pit=not_origin", rs.giuthi_leakey(extra_pit="not_origin")),
    ],
)
def test_two_people_play_whole_games(words: str, start: Any, table: Any, tmp_path: Path) -> None:
    """The record of what was typed is that of the game, and so is every board on the way."""
    game, path = random_game(start, 7), tmp_path / "game.txt"
    said = table(f"{words} --north human", *texts(game), f"save {path}")
    assert path.read_text() == game.record()
    again = rs.Game(start)
    for text, move in zip(said[1:], game.moves, strict=False):
        again.push(move)
        assert display.board(again.position, width=100) in text
    outcome = game.outcome
    assert outcome is not None
    south, north = outcome.stores
    assert f"The game is over ({outcome.end}): South {south}, North {north}: " in said[-3]


@pytest.mark.parametrize("policy", ["greedy", "random"])
def test_a_computer_plays(policy: str, table: Any, tmp_path: Path) -> None:
    """Legal moves, the same from the same seed, and greedy ones capture most."""
    records = []
    for seed in (1, 1, 2):
        path = tmp_path / f"{len(records)}.txt"
        words = f"giuthi --pits 6 --seeds 6 --south {policy} --north {policy} --seed {seed}"
        said = table(words, "go", f"save {path}")
        assert "The game is over" in said[1]
        records.append(path.read_text())
    assert records[0] == records[1] != records[2]
    game = rs.Game.from_record(records[0])
    assert game.is_over
    if policy == "greedy":
        again = rs.Game(game.start)
        for move in game.moves:
            captures = [again.position.sow(one).captured for one in again.legal_moves]
            assert again.position.sow(move).captured == max(captures)
            again.push(move)


def test_enter_makes_one_move_of_two_computers(table: Any) -> None:
    said = table("giuthi --south random --north random --seed 4", "", "", "undo", "moves")
    assert said[1].startswith("South: ")
    assert said[2].startswith(("South: ", "North: "))
    assert said[3].endswith("to move.")
    assert re.match(r"Legal moves, 1?\d in all: \d[+-]", said[4])
    assert "go is for a game of two computers" in table("giuthi", "go")[1]


def test_a_move_is_told_with_its_capture(table: Any) -> None:
    (said,) = table("giuthi --pits 5 --seeds 4 --north human", " 1 + ")[1:2]
    start = FIVE.start()
    assert said == (
        "South: 1+, 3 laps.\n"
        "The sowing is over: 5 seeds captured: 4 of North's pit 1, 1 of South's pit 5.\n"
        f"{display.board(start.play(rs.Sow(0, direction='ccw')), width=100)}"
    )


def test_undo_goes_back_to_the_players_own_move(table: Any) -> None:
    words = "giuthi --pits 5 --seeds 4 --seed 1"
    said = table(words, "undo", "1+", "undo", "text", "1+", "new", "text")
    assert said[1] == "there is no move to undo"
    assert said[3] == display.board(FIVE.start(), width=100)
    assert said[4] == said[7] == FIVE.start().to_text()
    # North begins: his first move is taken back too, and he makes another.
    said = table(f"{words} --south random --north human", "undo", "text")
    assert "North to move" in said[1]
    # Two people: one move at a time.
    said = table(f"{words} --north human", "1+", "2-", "undo", "text")
    assert said[4] == FIVE.start().play(rs.Sow(0, direction="ccw")).to_text()


def test_explain_tells_a_move_without_making_it(table: Any) -> None:
    said = table("giuthi --pits 5 --seeds 4 --north human", "explain 1+", "? 2-", "text")
    start = FIVE.start()
    for text, move in ((said[1], rs.Sow(0, None, "ccw")), (said[2], rs.Sow(1, None, "cw"))):
        *laps, _ = display.sowing(start, start.sow(move), boards=False)
        assert text.startswith("\n".join(laps))
        assert "The sowing is over" in text
    assert said[3] == start.to_text()


@pytest.mark.parametrize(
    ("position", "line", "answer"),
    [
        (ENDLESS, "explain 1+", "The sowing never ends: it comes round again every 100 laps."),
        (ENDLESS, "explain 1+", "… and so on: "),
        (ENDLESS, "1+", "Illegal: its sowing never ends (period 100 laps). (explain tells more.)"),
        (ENDLESS, "explain", "Not playable: pit 3 holds 0 seeds: at least 2 must be lifted."),
        # North's pits are numbered from his own left.
        (
            "giuthi(pits=5,seeds=4) 4,4,4,4,4;1,4,4,4,4 0,0 N - - 2",
            "explain 1+",
            "Illegal: pit 1 holds 1 seed: at least 2 must be lifted.",
        ),
        (
            "giuthi(pits=5,seeds=4) 4,4,4,4,4;1,4,4,4,4 0,0 N - - 2",
            "1+",
            "Illegal: pit 1 holds 1 seed: at least 2 must be lifted. (explain tells more.)",
        ),
        (
            "kiothi 0,0,2,0,5,5,5,5,5,5;0,0,0,0,0,0,0,0,0,0 0,0 S - - 2",
            "explain",
            "Not playable: pit 1 holds 0 seeds: at least 1 must be lifted.",
        ),
        (
            "kiothi 5,5,5,5,5,5,5,5,5,5;0,0,0,0,0,0,0,0,0,0 0,0 S - - 2",
            "explain 1x2",
            "The move is illegal: its first lap ends in an occupied pit of the mover's own row.",
        ),
        (
            "kiothi 5,5,5,5,5,5,5,5,5,5;0,0,0,0,0,0,0,0,0,0 0,0 S - - 2",
            "1x9",
            "Illegal: lift 9 of pit 1: it holds 5.",
        ),
        (
            "kiothi 0,0,0,0,5,5,5,5,5,5;0,0,0,0,5,5,5,5,5,5 0,0 S - - 0",
            "1,2=3:4,n2:6",
            "Illegal: emptied (1, 2): must be exactly 2 of the mover's occupied pits.",
        ),
        (
            "kiothi 0,0,0,0,5,5,5,5,5,5;0,0,0,0,5,5,5,5,5,5 0,0 S - - 0",
            "5,6=3:4,n2:5",
            "Illegal: placed holds 9 seeds: the emptied pits hold 10.",
        ),
        (
            "giuthi(pits=3,seeds=4) 0,2,2;1,1,0 10,8 S - - 2",
            "explain 2-",
            "North then has to pass.",
        ),
    ],
)
def test_why(position: str, line: str, answer: str, table: Any, tmp_path: Path) -> None:
    where = rs.Position.from_text(position)
    path = tmp_path / "game.txt"
    path.write_text(rs.Game(where).record())
    said = table(f"--load {path} --north human", line, "text")
    assert answer in " ".join(said[1].split())
    assert said[2] == where.to_text()


@pytest.mark.parametrize("end", ["both_stuck", "repetition"])
def test_the_move_that_ends_the_game_is_explained(end: str, table: Any, tmp_path: Path) -> None:
    game = next(g for g in (random_game(FIVE, i) for i in range(100)) if g.outcome.end == end)
    south, north = game.outcome.stores  # type: ignore[union-attr]
    *_, last = texts(game)
    game.undo()
    path = tmp_path / "game.txt"
    path.write_text(game.record())
    said = table(f"--load {path} --south human --north human", f"explain {last}", "text")
    assert f"It ends the game. The game is over ({end}): South {south}, North {north}: " in said[1]
    assert said[2] == game.position.to_text()


def test_hints(table: Any) -> None:
    said = table("giuthi --pits 5 --seeds 4 --north human", "hint", "text")
    best = re.match(r"Hint: (\d[+-]) has you (.*) after \d+ moves: \1 ", said[1])
    assert best
    assert said[2] == FIVE.start().to_text()
    found = rs.analyse(FIVE.start(), nodes=100_000)
    assert best[1] == FIVE.start().move_to_text(found.best_move)
    assert str(abs(found.score)) in best[2] or (found.score, best[2]) == (0, "level")
    said = table("giuthi --pits 3 --seeds 2 --north human", "hint")
    assert re.match(r"Hint: (1\+|3-) wins by 8: ", said[1])
    said = table("kiothi --north human", "hint")
    move = re.fullmatch(r"Hint: any of 300,450,150 will do, such as\s(\S+)", said[1])
    assert move
    played = " ".join(table("kiothi --north human", move[1])[1].split())
    assert played.startswith(f"South: {move[1]}. The seeds are")


def test_a_redistribution_in_words_is_the_one_in_full(table: Any) -> None:
    placed = [0] * 20
    placed[2], placed[11], placed[19] = 4, 5, 1
    full = f"5,6={','.join(map(str, placed))}"
    said = table("kiothi --north human", "5,6=3:4,n2:5,n10:1", "undo", full, "5,6=s3:4,n11:2")
    assert said[1] == said[3]
    assert said[1].startswith("South: 5,6=3:4,n2:5,n10:1.\nThe seeds are redistributed.")
    assert said[4] == "pit '11': must be 1…10"
    said = table("kiothi --north human", "5,6=3:4,n2:5,n10:1", "5,6=s3:4,n2:5,1:1", "5,6=x:1")
    assert said[2].startswith("North: 5,6=s3:4,1:1,2:5.")
    assert "these rules" not in said[3]
    assert "a sowing is due" in said[3] or "'x:1': must be a pit and its seeds" in said[3]


def test_save_and_load(table: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, other = tmp_path / "game.txt", tmp_path / "letter.txt"
    other.write_text("Dear aunt,\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    words = "giuthi --pits 5 --seeds 4 --north human"
    said = table(words, "1+", f"save {path}", "2-", "save ~/game.txt", f"load {path}", "undo")
    assert "".join(said[2].split()) == f"Savedin{path}."  # in lines of 100 columns
    assert "2. N 2-" not in said[5]
    assert said[6] == display.board(FIVE.start().play(rs.Sow(0, direction="ccw")), width=100)
    assert rs.Game.from_record(path.read_text()).moves == (
        rs.Sow(0, direction="ccw"),
        rs.Sow(6, direction="cw"),
    )
    said = table(words, f"save {other}", f"load {other}", "load", f"load {tmp_path}/none", "text")
    assert " ".join(said[1].split()) == f"{other} is there already, and is no record of a game"
    assert other.read_text() == "Dear aunt,\n"
    assert " ".join(said[2].split()).startswith(f"{other}: line 1, column 1: ")
    assert said[3] == "load: what? See help."
    assert "No such file" in said[4]
    assert said[5] == FIVE.start().to_text()


def test_loading_names_its_own_rules(capsys: Any, tmp_path: Path) -> None:
    assert cli.main(["play", "kiothi", "--load", "x"]) == 2
    assert "--load names its own rules" in capsys.readouterr().err
    assert cli.main(["play", "--load", str(tmp_path / "x")]) == 2
    assert "No such file" in capsys.readouterr().err


def test_seats_change(table: Any) -> None:
    said = table("giuthi --north human", "north random", "1+", "south ape", "south random", "")
    assert "South to move." in said[2]
    assert "North: " in said[2]
    who = "human, random, greedy, search:depth=N or search:nodes=N"
    assert " ".join(said[3].split()) == f"'ape' cannot play: must be {who}"
    assert said[5].startswith("South: ")


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("foo", "'foo' is neither a move nor a command: see help"),
        ("3", "move '3': must end with a direction, + or - (direction='either')"),
        ("9+", "pit '9': must be 1…8"),
        ("undo 3", "undo takes nothing: '3' is not understood"),
        ("pace x", "pace x: must be 0…60 seconds"),
        ("pace nan", "pace nan: must be 0…60 seconds"),
        ("pace", "pace: what? See help."),
        ("9" * 5000, "must be"),
        ("=", "these rules have redistribution='none'"),
        ("\x00\x1b", "is neither a move nor a command"),
    ],
)
def test_refusals(line: str, answer: str, table: Any) -> None:
    said = table("giuthi", line, "text")
    assert answer in " ".join(said[1].split())
    assert said[2] == rs.giuthi().start().to_text()


@pytest.mark.parametrize("line", ["{}", "undo {}", "1,2=3:{}", "south {}"])
def test_refusals_show_no_more_than_the_beginning(line: str, table: Any) -> None:
    told = table("kiothi", line.format("x" * 5_000))[1]
    assert "xx" in told
    assert len(told) < 1_000


def test_refusals_of_the_command(capsys: Any) -> None:
    for words, answer in (
        ("giuthi --south dog", "'dog' cannot play: must be human, random, greedy, search:"),
        ("giuthi --pace -1", "pace -1.0: must be 0…60 seconds"),
        ("", "a rule set is needed"),
    ):
        assert cli.main(["play", *words.split()]) == 2
        assert answer in capsys.readouterr().err


def test_help_names_every_command(table: Any) -> None:
    said = table("giuthi", "help", "HELP")
    assert said[1] == said[2]
    assert {usage.split()[0] for usage in HELP} | {"?", "north"} == {*_COMMANDS, "quit"}
    assert said[1].startswith("3+ sows your pit 3 counter-clockwise, 3- clockwise.")
    assert all(re.search(rf"^{re.escape(usage)} +", said[1], re.MULTILINE) for usage in HELP)
    assert table("kiothi", "help")[1].startswith(
        "3x2 sows 2 seeds of your pit 3, counter-clockwise.\n5,6=3:4,n2:6 empties"
    )
    assert table("engehe", "help")[1].startswith("3 sows your pit 3, counter-clockwise.\n")


@pytest.mark.parametrize("columns", [40, 64, 80, 132])
@pytest.mark.parametrize("words", ["giuthi --pits 5", "kiothi", "engehe"])
def test_nothing_is_wider_than_the_window(
    words: str, columns: int, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr("builtins.input", lambda _: next(lines))
    name, *_ = words.split()
    start = rs.RULE_SETS[name](**({"pits": 5} if "--pits 5" in words else {}))
    played = [*texts(random_game(start, 3))][:9]
    typed = [line for text in played for line in (f"explain {text}", text)]
    lines = iter(["help", "hint", "explain", "moves", *typed, "quit"])
    assert cli.main(["play", *words.split(), "--north", "human"]) == 0
    out = capsys.readouterr().out
    long = [line for line in out.split("\n") if len(line) > columns and "=" not in line]
    assert [line for line in long if not re.match(r"(giuthi|kiothi|engehe)", line)] == []


# -------------------------------------------------------------------------- through a terminal

pyte = pytest.importorskip("pyte", reason="terminals are for systems that have them")
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")


class Terminal:
    """The command in a window of so many columns and rows."""

    def __init__(self, words: str, columns: int = 80, rows: int = 24) -> None:
        import fcntl
        import pty
        import struct
        import termios

        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.window = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.window)
        self.sent = b""
        self.fresh = 0
        env = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "NO_COLOR")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "relaysow", "play", *words.split()],
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            start_new_session=True,
            env=env | {"TERM": "xterm-256color", "PYTHONUNBUFFERED": "1", "INPUTRC": os.devnull},
        )

    def wait(self, until: str, seconds: float = 30) -> str:
        """Reads until the command has printed this; all it printed since the last `wait`."""
        import select

        end = time.monotonic() + seconds
        while until not in (text := self.sent[self.fresh :].decode("utf-8", "ignore")):
            assert time.monotonic() < end, f"{until!r} is not in {text!r}"
            if select.select([self.master], [], [], 0.1)[0]:
                data = os.read(self.master, 65536)
                self._stream.feed(data)
                self.sent += data
        self.fresh = len(self.sent)
        return text

    def type(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.window.display]

    def close(self) -> int:
        """Its exit code."""
        code = self.process.wait(10)
        os.close(self.slave)
        os.close(self.master)
        return code


@pytest.fixture
def terminal() -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def terminal(*arguments: Any) -> Terminal:
        opened.append(Terminal(*arguments))
        return opened[-1]

    yield terminal
    for one in opened:
        if one.process.poll() is None:
            one.process.kill()
            one.close()


def board_on(screen: list[str], board: str) -> bool:
    """Whether a window shows a board whole, line under line."""
    drawn = board.split("\n")
    return any(screen[i : i + len(drawn)] == drawn for i in range(len(screen)))


@POSIX
def test_laps_are_shown_one_after_the_other(terminal: Any) -> None:
    """Every lap with its board, in one place; afterwards only what the move did is left."""
    here = terminal("giuthi --pits 5 --seeds 4 --north human --pace 0.2")
    here.wait("South> ")
    here.type("1+\r")
    shown = here.wait("North> ")
    start = FIVE.start()
    *laps, _ = display.sowing(start, start.sow(rs.Sow(0, direction="ccw")))
    for lap in laps:
        assert lap.replace("\n", "\r\n") in re.sub(r"\x1b\[[\d;]*[A-Za-z]|\r(?!\n)", "", shown)
    left = here.lines()
    assert "Lap" not in "\n".join(left)
    assert "South: 1+, 3 laps." in left
    assert board_on(left, str(start.play(rs.Sow(0, direction="ccw"))))
    # No colour, so nothing depends on it.
    assert not re.search(rb"\x1b\[[\d;]*(3[0-8]|4[0-8]|9[0-7])[;m]", here.sent)
    here.type("\x04")
    assert here.close() == 0


@POSIX
@pytest.mark.parametrize("key", [" ", "\r", "x", "\x1b[C"])
def test_any_key_skips_the_laps_that_are_left(key: str, terminal: Any) -> None:
    here = terminal("giuthi --pits 5 --seeds 4 --north human --pace 60")
    here.wait("South> ")
    here.type("1+\r")
    here.wait("Lap 1: ")
    here.type(key)
    here.wait("North> ", seconds=30)  # of 180
    # The key is gone, and typed lines are shown again.
    here.type("text\r")
    assert "text" in here.wait("North> ")
    assert f"{FIVE.start().play(rs.Sow(0, direction='ccw')).to_text()}"[:60] in "\n".join(
        here.lines()
    )
    here.type("quit\r")
    assert here.close() == 0


@POSIX
@pytest.mark.parametrize(
    ("words", "start", "columns", "rows"),
    [
        ("giuthi --pits 5 --seeds 4", FIVE.start(), 40, 12),
        ("giuthi", rs.giuthi().start(), 80, 24),
        ("kiothi", rs.kiothi().start(), 80, 24),
        ("engehe", rs.engehe().start(), 80, 24),
        ("engehe", rs.engehe().start(), 132, 24),
        ("engehe", rs.engehe().start(), 220, 24),
    ],
)
def test_the_board_fits_the_window(
    words: str, start: Any, columns: int, rows: int, terminal: Any
) -> None:
    here = terminal(words, columns, rows)
    here.wait("South> ")
    assert board_on(here.lines(), display.board(start, width=columns, height=rows - 1))


@POSIX
def test_a_board_higher_than_the_window_is_not_shown_lap_by_lap(terminal: Any) -> None:
    here = terminal("engehe --north human --pace 0.05", 60, 20)
    here.wait("South> ")
    here.type("1\r")
    shown = here.wait("North> ")
    assert "Lap 21: " in shown
    assert "Lap" not in "\n".join(here.lines())


@POSIX
def test_ctrl_c_leaves_the_terminal_as_it_was(terminal: Any) -> None:
    import termios

    here = terminal("giuthi --pits 5 --seeds 4 --pace 60")
    before = termios.tcgetattr(here.slave)
    here.wait("South> ")
    here.type("1+\r")
    here.wait("Lap 1: ")
    assert not termios.tcgetattr(here.slave)[3] & termios.ICANON
    os.killpg(here.process.pid, signal.SIGINT)
    here.wait("interrupted")
    assert termios.tcgetattr(here.slave) == before
    assert here.close() == 130


@POSIX
def test_ctrl_c_is_heard_between_short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that comes before the system waits ends no wait of its own."""
    import pty
    import select

    master, slave = pty.openpty()
    waits: list[float] = []

    def waited(*given: Any) -> Any:
        waits.append(given[3])
        if len(waits) == 3:
            raise KeyboardInterrupt
        return [], [], []

    monkeypatch.setattr(select, "select", waited)
    with os.fdopen(master), os.fdopen(slave) as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        with pytest.raises(KeyboardInterrupt), terminal_game._keys() as pressed:
            pressed(60.0)
    assert max(waits) <= 0.1


@POSIX
def test_lines_can_be_edited_and_called_up_again(terminal: Any) -> None:
    pytest.importorskip("readline")
    here = terminal("giuthi --pits 5 --seeds 4 --north human --pace 0")
    here.wait("South> ")
    here.type("1-\x7f+\r")
    here.wait("North> ")
    here.type("undo\r")
    here.wait("South> ")
    here.type("\x1b[A\x1b[A\r")
    here.wait("South: 1+")
