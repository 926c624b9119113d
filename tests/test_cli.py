"""The command: what it prints, how it fails, Ctrl-C, pipes and terminals."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from importlib import import_module
from inspect import isfunction
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import numpy as np
import pytest

import relaysow as rs
from relaysow.cli import app
from relaysow.options import CHOICES, NEEDS, OPTIONS

COMMAND = [sys.executable, "-m", "relaysow"]
OVER = "giuthi(pits=5,seeds=4) 0,0,0,0,0;0,0,0,0,0 15,25 S - - 2"


# ------------------------------------------------------------------------------------- simulate


def test_simulate_prints_the_summary(run: Any) -> None:
    words = "simulate giuthi --pits 8 --seeds 6 --games 1_000 --seed 3 --threads 2"
    code, out, err = run(*words.split())
    assert code == 0
    summary = rs.simulate(rs.giuthi(8, 6), games=1000, seed=3).summary()
    assert out == f"{summary}\n"
    assert out.startswith("1,000 games of giuthi(pits=8, seeds=6), random against random, seed 3\n")
    assert re.fullmatch(r"[\d.]+ s: [\d,]+ games/s, [\d,]+ moves/s\n", err)


def test_simulate_takes_rules_policies_and_engine(run: Any) -> None:
    words = (
        "simulate kiothi --seeds 3 --filled 4 --pits 6 --set protection=none --set max_laps=9 "
        "--set minimum_lift=2 --policy greedy,random --max-moves 50 --games 40 --first-game 7"
    )
    code, out, _ = run(*words.split())
    assert code == 0
    rules = rs.kiothi(3, 4, 6, protection="none", max_laps=9, minimum_lift=2)
    result = rs.simulate(rules, 40, policy=("greedy", "random"), max_moves=50, first_game=7)
    assert out == f"{result.summary()}\n"
    assert run(*words.split(), "--engine", "reference")[1] == out
    setup = run("simulate", "engehe", "--pits", "3", "--set", "setup=1,2,3,0,0,5", "--games", "9")
    rules = rs.engehe(pits=3, setup=(1, 2, 3, 0, 0, 5))
    assert setup[1] == f"{rs.simulate(rules, games=9).summary()}\n"
    capped = run("simulate", "giuthi", "--set", "max_laps=None", "--games", "9")
    assert capped[1] == f"{rs.simulate(rs.giuthi(), games=9).summary()}\n"


def test_simulate_starts_from_a_position_text(run: Any) -> None:
    text = "giuthi(pits=5,seeds=4) 0,3,0,0,2;1,0,2,0,5 9,18 N - - 2"
    code, out, _ = run("simulate", "--from", text, "--games", "50")
    assert code == 0
    assert out == f"{rs.simulate(rs.Position.from_text(text), games=50).summary()}\n"


@pytest.mark.parametrize("suffix", ["csv", "npz", "parquet"])
def test_out_writes_the_games(suffix: str, run: Any, tmp_path: Path) -> None:
    path = tmp_path / f"games.{suffix}"
    code, _, err = run("simulate", "giuthi", "--games", "200", "--out", str(path))
    assert code == 0
    assert f"wrote 200 games to {path}" in err
    other = tmp_path / f"other.{suffix}"
    rs.simulate(rs.giuthi(), games=200).save(other)
    if suffix == "npz":  # the archive's dates differ
        with np.load(path) as mine, np.load(other) as same:
            assert all((mine[name] == same[name]).all() for name in same)
    else:
        assert path.read_bytes() == other.read_bytes()


def test_a_terminal_gets_tables_and_progress() -> None:
    out, err = in_terminal("simulate", "giuthi", "--games", "2_000_000")
    assert "South wins" in out
    assert "95 % interval" in out
    assert "───" in out
    assert "games/s left:" in err
    assert "of 2,000,000 games" in err
    assert err.rstrip().endswith("moves/s")


def test_a_pipe_gets_neither() -> None:
    done = subprocess.run(
        [*COMMAND, "simulate", "giuthi", "--games", "20_000"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"FORCE_COLOR": "1"},
    )
    assert "\x1b" not in done.stdout + done.stderr
    assert done.stderr.count("\n") == 1


# --------------------------------------------------------------------------------- the others


def test_check_and_its_exit_code(run: Any) -> None:
    words = "check giuthi_pratt --games 3 --full 1 --processes 1 --policy random,greedy"
    code, out, _ = run(*words.split())
    assert code == 0
    assert re.fullmatch(
        r"3 games of giuthi_pratt\(\), random against greedy, seed 1\n"
        r"\d+ positions, \d+ legal-move lists, [\d,]+ sowings compared: no difference\n",
        out,
    )
    code, out, _ = run("check", "--random", "--games", "5", "--processes", "2")
    assert code == 0
    assert out.startswith("5 games under random rules, random against random, seed 1\n")


def test_perft_counts_the_published_paths(run: Any) -> None:
    for name, depth, nodes in (
        ("giuthi --pits 2 --pits 8", 3, "2,736"),
        ("giuthi --pits 5 --seeds 4", 3, "508"),
        ("engehe --pits 8", 4, "2,372"),
        ("kiothi --filled 5", 1, "200,300,100"),
        ("giuthi --pits 5 --seeds 4 --engine reference", 2, "76"),
        ("engehe", 0, "1"),
    ):
        code, out, err = run("perft", *name.split(), "--depth", str(depth))
        assert (code, out) == (0, f"{nodes} paths of {depth} moves\n")
        assert "nodes/s" in err


def test_perft_divides_by_the_first_move(run: Any) -> None:
    _, out, _ = run("perft", "giuthi", "--pits", "5", "--seeds", "4", "--depth", "3", "--divide")
    *lines, total = out.splitlines()
    assert total == "508 paths of 3 moves"
    start = rs.giuthi(5, 4).start()
    counts = {move: int(count) for move, count in (line.split("\t") for line in lines)}
    assert sum(counts.values()) == 508
    for move in start.legal_moves:
        assert counts[start.move_to_text(move)] == rs.perft(start.play(move), 2)


def test_show_draws_and_lists(run: Any) -> None:
    text = "giuthi(pits=5,seeds=4) 0,3,0,0,2;1,0,2,0,5 9,18 N - - 2"
    code, out, _ = run("show", text)
    position = rs.Position.from_text(text)
    assert code == 0
    assert out.startswith(f"{position}\n\n{text}\n")
    assert "4 legal moves: 3+ 3- 5+ 5-\n" in out
    assert run("show", "giuthi")[1].startswith(f"{rs.giuthi().start()}\n")
    assert "300,450,150 legal moves: 5,6=" in run("show", "kiothi")[1]
    assert "legal moves" not in run("show", OVER)[1]


def test_show_tells_a_move_lap_by_lap(run: Any) -> None:
    start = rs.giuthi(10, 9).start()
    code, out, _ = run("show", start.to_text(), "--move", "1+")
    assert code == 0
    assert run("show", "giuthi(pits=10,seeds=9)", "--move", "1+")[1] == out
    assert [line[:6] for line in out.splitlines() if line.startswith("Lap ")] == [
        "Lap 1:",
        "Lap 2:",
        "Lap 3:",
    ]
    assert "10 seeds captured" in out
    assert out.rstrip().endswith(start.play(rs.Sow(0, direction="ccw")).to_text())
    brief = run("show", start.to_text(), "--move", "1+", "--no-boards")[1]
    assert 0 < brief.count("┌") < out.count("┌")
    endless = "giuthi(pits=5,seeds=4) 9,2,0,3,0;0,0,0,0,2 0,0 S - - 2"
    code, out, _ = run("show", endless, "--move", "1+", "--no-boards")
    assert code == 0
    assert "comes round again every 100 laps" in out


def test_show_draws_in_ascii_where_it_must() -> None:
    done = subprocess.run(
        [*COMMAND, "show", "giuthi"],
        capture_output=True,
        check=True,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
    )
    assert b"> South   | 8  8" in done.stdout
    assert b"?" not in done.stdout


def test_rules_list_everything(run: Any) -> None:
    code, out, _ = run("rules")
    assert code == 0
    flat = " ".join(out.split())
    for name in rs.RULE_SETS:
        assert f"\n  {name} " in out
    assert {name: tuple(values) for name, (_, values) in OPTIONS.items() if values} == CHOICES
    for name, (meaning, values) in OPTIONS.items():
        assert f"{name} {meaning}" in flat
        for value, effect in values.items():
            assert f"{value} {effect}" in flat
    for name, value, other, needed in NEEDS:
        assert f"{name}={value} without {other}={needed}" in flat


@pytest.mark.parametrize("name", rs.RULE_SETS)
def test_rules_of_one_rule_set(name: str, run: Any) -> None:
    code, out, _ = run("rules", name)
    assert code == 0
    rules = rs.RULE_SETS[name]()
    for option in OPTIONS:
        if option != "setup":
            assert re.search(rf"^  {option} = {getattr(rules, option)}\b", out, re.MULTILINE)
    ordinary = rs.RULE_SETS[name.partition("_")[0]]()
    differing = [o for o in OPTIONS if getattr(rules, o) != getattr(ordinary, o)]
    assert len(re.findall(r"^  \w+ = \w+ \(", out, re.MULTILINE)) == len(set(differing) - {"setup"})


def test_every_command_is_listed() -> None:
    """A public function of a file of commands is a command, in the list of `relaysow.cli.app`."""
    folder = import_module("relaysow.cli.commands")
    listed, written = set(), set()
    for command in app.COMMANDS:
        group = getattr(command, "registered_commands", None)
        listed |= {command} if group is None else {one.callback for one in group}
    for file in iter_modules(folder.__path__, f"{folder.__name__}."):
        for name, function in vars(import_module(file.name)).items():
            if isfunction(function) and function.__module__ == file.name and name[0] != "_":
                written.add(function)
    assert listed == written


def test_version_and_help(run: Any) -> None:
    assert run("--version") == (0, f"relaysow {rs.__version__}\n", "")
    code, out, _ = run()
    assert code == 0
    for command in ("simulate", "check", "perft", "show", "rules"):
        assert command in out
        code, words, _ = run(command, "--help")
        assert code == 0
        assert "Usage" in words
    done = subprocess.run([*COMMAND, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"relaysow {rs.__version__}\n"


# ---------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("simulate", "a rule set is needed: giuthi, kiothi, engehe, "),
        ("simulate oware", "'oware' is not a rule set: must be one of giuthi, "),
        ("simulate giuthi --games 0", "games=0: must be 1…1000000000000"),
        ("simulate giuthi --games 1_000_000_000_000 --out g.csv", "no room for 42 bytes a game"),
        ("simulate giuthi --games many", "'many' must be an integer"),
        ("simulate giuthi --games 1.5", "'1.5' must be an integer"),
        ("simulate giuthi --seed -1", "seed=-1: must be 0…18446744073709551615"),
        ("simulate giuthi --threads 0", "threads=0: must be 1…1024"),
        ("simulate giuthi --pits 2", "pits=2: must be 3…64 pits in each row"),
        ("simulate giuthi --pits 65", "pits=65: must be 3…64 pits in each row"),
        ("simulate giuthi --seeds 100", "setup holds 1600 seeds: must be 1…1000 in all"),
        ("simulate giuthi --filled 3", "--filled 3: giuthi has no such size"),
        ("simulate kiothi --filled 11", "filled=11: must be 1…10 for pits=10"),
        ("simulate giuthi --set chain=loop", "chain='loop': must be 'none', 'next', 'run' or "),
        ("simulate giuthi --set chain", "--set chain: must be OPTION=VALUE"),
        ("simulate giuthi --set loop=1", "'loop' is not an option: must be one of setup, "),
        ("simulate giuthi --set max_laps=x", "--set max_laps=x: must be an integer"),
        ("simulate giuthi --set setup=1,x", "--set setup=1,x: must be integers with commas"),
        ("simulate giuthi --seeds 3 --set setup=1,2", "give no --seeds or --filled beside it"),
        ("simulate giuthi --set repetition=off", "repetition='off': games need not end"),
        ("simulate giuthi --policy best", "policy='best': must be 'random', 'greedy', 'search:"),
        ("simulate giuthi --policy a,b,c", "--policy a,b,c: must be one name or two"),
        ("simulate giuthi --engine fast", "'fast' must be native or reference"),
        ("simulate giuthi --out games.xls", "'games.xls': must end in '.csv', '.npz' or '.parq"),
        ("simulate giuthi --out no/where/g.csv", "no/where/g.csv: there is no folder no/where"),
        ("simulate giuthi --from x", "--from names its own rules"),
        ("simulate --from nonsense", "nonsense"),
        ("simulate giuthi --nonsense", "--nonsense"),
        ("simulat giuthi", "'simulat'"),
        ("check --random giuthi", "--random draws the rules"),
        ("check giuthi --processes 0", "processes=0: must be 1…1024"),
        ("perft giuthi --depth -1", "--depth -1: must be 0 or more"),
        ("perft kiothi --depth 2 --divide", "300,450,150 moves are too many to list"),
        ("show nonsense", "nonsense"),
        ("show giuthi --move 9+", "pit '9': must be 1…8"),
        ("rules oware", "'oware' is not a rule set"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(words: str, message: str, run: Any) -> None:
    code, out, err = run(*words.split())
    assert code == 2
    assert out == ""
    assert err.startswith("relaysow: ")
    assert err.count("\n") == 1
    assert message in err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_said_after_the_summary(run: Any, tmp_path: Path) -> None:
    (tmp_path / "full.csv").symlink_to("/dev/full")
    out = str(tmp_path / "full.csv")
    code, printed, err = run("simulate", "giuthi", "--games", "20_000", "--out", out)
    assert code == 2
    assert "South wins" in printed
    assert err.endswith(f"relaysow: {out}: No space left on device\n")
    assert run("simulate", "giuthi", "--games", "20", "--out", "/dev/full") == (
        *(2, "", "relaysow: /dev/full: Not a directory\n"),
    )


# --------------------------------------------------------------------- Ctrl-C, pipes, terminals


ANSWER = (
    1.0  # seconds: half a one to answer, and the rest for the end of a process on a busy machine
)


def interrupted(*words: str, after: float = 1.5) -> tuple[int, str, str, float]:
    """Ctrl-C on a running command: exit code, output, errors, and how long it took to end."""
    process = subprocess.Popen(
        [*COMMAND, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    time.sleep(after)
    pressed = time.perf_counter()
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all processes of the command
    out, err = process.communicate(timeout=20)
    return process.returncode, out, err, time.perf_counter() - pressed


def test_ctrl_c_leaves_a_summary_and_130(tmp_path: Path) -> None:
    path = tmp_path / "part.npz"
    code, out, err, seconds = interrupted(
        *("simulate", "giuthi", "--games", "500_000_000", "--seed", "6", "--threads", "1"),
        *("--out", str(path)),
    )
    assert code == 130
    assert seconds < ANSWER
    games = int(out.split(" games of")[0].replace(",", ""))
    assert 0 < games < 500_000_000
    assert out == f"{rs.simulate(rs.giuthi(), games=games, seed=6).summary()}\n"
    lines = err.splitlines()
    assert lines[-1] == (
        f"interrupted after {games:,} of 500,000,000 games: the summary is of those"
    )
    assert lines[-2] == f"wrote {games:,} games to {path}"
    with np.load(path) as file:
        assert json.loads(str(file["metadata"]))["games"] == len(file["winner"]) == games


def test_ctrl_c_leaves_a_summary_of_the_reference_s_games() -> None:
    code, out, err, seconds = interrupted("simulate", "giuthi", "--engine", "reference")
    assert code == 130
    assert seconds < ANSWER
    assert "South wins" in out
    assert "of 1,000,000 games: the summary is of those" in err


@pytest.mark.slow
@pytest.mark.parametrize("processes", ["1", "2"])
def test_ctrl_c_ends_a_check(processes: str) -> None:
    words = ("check", "giuthi", "--games", "100_000", "--full", "0", "--processes", processes)
    code, out, err, seconds = interrupted(*words, after=3.0)
    assert code == 130
    assert seconds < ANSWER
    assert re.search(r"^[\d,]+ games of .*\n[\d,]+ positions, .* compared: no difference", out)
    assert err.splitlines()[-1].startswith("interrupted: the counts are of what was compared")
    assert "Traceback" not in err


CHECK = """
from relaysow import giuthi
from relaysow.check import check
try:
    print("now", flush=True)
    check(giuthi(), games=100_000, processes=2)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("after", [0.0, 0.003, 0.01, 0.03, 0.1, 0.3])
def test_processes_that_start_do_not_hear_of_ctrl_c(after: float) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", CHECK],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "now\n"
        time.sleep(after)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (0, "interrupted\n", "")


def test_ctrl_c_ends_a_perft() -> None:
    code, out, err, seconds = interrupted("perft", "giuthi", "--depth", "30")
    assert (code, out) == (130, "")
    assert seconds < ANSWER
    assert err == "relaysow: interrupted\n"


@pytest.mark.parametrize("words", [("rules",), ("simulate", "giuthi", "--games", "1000")])
def test_a_broken_pipe_ends_silently(words: tuple[str, ...]) -> None:
    process = subprocess.Popen(
        [*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=20) == 141
    assert [line for line in err.splitlines() if "games/s" not in line] == []


def in_terminal(*words: str, press: float | None = None) -> tuple[str, str]:
    """What a command writes to two pseudo-terminals, its standard output and error."""
    import fcntl
    import pty
    import struct
    import termios
    import threading

    texts: list[bytearray] = [bytearray(), bytearray()]
    masters, slaves, readers = [], [], []
    for text in texts:
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))

        def read(master: int = master, text: bytearray = text) -> None:
            while True:
                try:
                    data = os.read(master, 65536)
                except OSError:  # the other end is closed
                    return
                if not data:
                    return
                text.extend(data)

        masters.append(master)
        slaves.append(slave)
        readers.append(threading.Thread(target=read))
    environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": "120"}
    with subprocess.Popen(
        [*COMMAND, *words], stdout=slaves[0], stderr=slaves[1], env=environment
    ) as process:
        for slave in slaves:
            os.close(slave)
        for reader in readers:
            reader.start()
        if press is not None:
            time.sleep(press)
            process.send_signal(signal.SIGINT)
        code = process.wait(timeout=60)
    for reader in readers:
        reader.join()
    for master in masters:
        os.close(master)
    assert code == (0 if press is None else 130)
    return texts[0].decode(), texts[1].decode()


def test_ctrl_c_on_a_terminal_takes_the_progress_away() -> None:
    out, err = in_terminal("simulate", "giuthi", "--games", "500_000_000", press=2.0)
    assert "South wins" in out
    last = err.rsplit("\x1b[2K", 1)[1]  # what stands after the bar was wiped out
    assert "the summary is of those" in last
    assert "left:" not in last
    assert err.count("\x1b[?25l") == err.count("\x1b[?25h") == 1  # the cursor is back


# ------------------------------------------------------------------------------------ exact play


def test_solve_tells_result_moves_and_a_line(run: Any) -> None:
    code, out, err = run(*["solve", "giuthi", "--pits", "3", "--seeds", "2"])
    start = rs.giuthi(pits=3, seeds=2).start()
    first, worth, *moves, line = out.splitlines()
    assert (code, first) == (0, start.to_text())
    assert worth == "win (least lead to win -7, to draw -8)"
    assert [row.split("\t")[0] for row in moves if row[0] == "*"] == [
        f"* {start.move_to_text(move)}" for move in rs.solve(start).best_moves
    ]
    assert len(moves) == len(start.legal_moves)
    game = rs.Game(start)
    for text in line.removeprefix("line: ").split():
        game.push(game.position.move_from_text(text))
    assert game.outcome is not None
    assert game.outcome.winner == 0
    assert re.fullmatch(r"[\d.]+ s: 6,318 positions\n", err)
    code, out, err = run(
        *["solve", "giuthi", "--pits", "3", "--seeds", "2", "--max-positions", "9"]
    )
    assert (code, out) == (2, "")
    assert err == "relaysow: more than max_positions=9 positions can be reached\n"


def test_tables_on_the_command_line(run: Any, tmp_path: Path) -> None:
    file = str(tmp_path / "table")
    code, out, err = run(*f"tablebase build {file} giuthi --pits 3 --max-seeds 6".split())
    assert code == 0
    assert out.startswith("924 positions of giuthi(pits=3, seeds=1) in 1,")
    assert err.startswith("at most ")
    code, out, _ = run("tablebase", "verify", file)
    assert (code, out) == (0, "924 positions of giuthi(pits=3, seeds=1) are as they must be\n")
    position = rs.Position(rs.giuthi(pits=3, seeds=1), [2, 0, 1, 0, 1, 1], stores=(0, 1))
    code, out, _ = run("tablebase", "probe", file, position.to_text())
    assert code == 0
    assert out.startswith("win (least lead to win -4, to draw -5)\n")
    code, whole, _ = run("solve", "--from", position.to_text())
    assert f"\n{out}" in whole
    code, out, _ = run("solve", "--from", position.to_text(), "--tablebase", file)
    assert code == 0
    assert out.splitlines()[:-1] == whole.splitlines()[:-1]
    Path(file).write_bytes(b"x" * 100)
    code, out, err = run("tablebase", "probe", file, position.to_text())
    assert (code, out) == (2, "")
    assert err == f"relaysow: {file}: it is no table of relaysow\n"


def test_analyse_tells_lines_with_scores(run: Any) -> None:
    code, out, err = run(*["analyse", "giuthi", "--pits", "3", "--seeds", "2", "--depth", "20"])
    assert code == 0
    first, *lines, last = out.splitlines()
    start = rs.giuthi(pits=3, seeds=2).start()
    assert first == start.to_text()
    assert last.endswith(", exact")
    solved = rs.solve(start)
    best = [start.move_to_text(move) for move in solved.best_moves]
    assert [line.split()[:3] for line in lines[:2]] == [["=", "+8", move] for move in best]
    assert "nodes/s" in err
    code, out, _ = run("analyse", "--from", start.to_text(), "--nodes", "50", "--lines", "1")
    assert code == 0
    assert len(out.splitlines()) == 3
    code, _, err = run("analyse", "giuthi", "--depth", "201")
    assert (code, err) == (2, "relaysow: depth=201: must be 1…200\n")
    code, _, err = run("analyse", "kiothi", "--depth", "2")
    assert code == 2
    assert err.startswith("relaysow: a redistribution is due, one of 300,450,150")


@pytest.mark.parametrize(
    "words",
    [
        "solve giuthi --pits 3 --seeds 2",
        "analyse giuthi --pits 3 --seeds 2 --depth 1",
        "puzzle giuthi --pits 3 --seeds 4",
    ],
)
def test_a_table_that_is_missing_or_of_other_rules(run: Any, tmp_path: Path, words: str) -> None:
    file = str(tmp_path / "table")
    code, out, err = run(*words.split(), "--tablebase", file)
    assert (code, out, err) == (2, "", f"relaysow: {file}: No such file or directory\n")
    rs.Tablebase.build(rs.engehe(pits=3, seeds=1), 4, file).close()
    code, out, err = run(*words.split(), "--tablebase", file)
    assert (code, out) == (2, "")
    assert err.endswith("the table is of engehe(pits=3, seeds=1)\n")


def test_analyse_with_a_tablebase(run: Any, tmp_path: Path) -> None:
    file = str(tmp_path / "table")
    rs.Tablebase.build(rs.giuthi(pits=4, seeds=1), 6, file).close()
    position = rs.Position(rs.giuthi(pits=4, seeds=1), [2, 0, 3, 1, 0, 0, 1, 0])
    code, out, _ = run("analyse", "--from", position.to_text(), "--depth", "8", "--tablebase", file)
    assert code == 0
    score = rs.analyse(position, depth=40).score
    assert out.splitlines()[1].split()[1] == f"{score:+}"
