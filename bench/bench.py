"""How fast relaysow is, beside what a user could write by hand: `python bench/bench.py`.

One run prints moves, laps and games a second of `simulate`, of a plain C++ loop and of a Numba loop
that play the same games under the same rules, what single calls cost, and a signature: a hash of
the results of fixed games of every rule set.  All the results it times are compared; it exits with
status 1 if any differ.  Speed targets are printed, not judged.

Every figure is a median over repetitions in which the contenders take turns.  All are timed by the
processor time they take, but for two threads and the one beside them, which play for a second by
the clock: that tells something where two processors are idle.  Each repetition plays other games,
so that one endless sowing of hundreds of millions of laps, which the plain loop sows to the end,
does not decide a median; how many times as fast the games of all repetitions were played is printed
beside it.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import dataclasses
import functools
import hashlib
import importlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import timeit
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import numpy.typing as npt

import relaysow as rs
from relaysow._support.files import written
from relaysow.simulation.columns import COLUMNS

HERE = Path(__file__).resolve().parent

Columns = dict[str, npt.NDArray[Any]]
Player = Callable[[int, int], Columns]  # (first game, games) -> the columns of those games

ONE, PLAIN = "simulate, 1 thread", "plain C++"
PLAIN_OFF, NUMBA = "plain C++, repetition off", "numba"
BEST: str = rs.build_info()["instruction_set"]
OTHERS = {f"simulate, {name}": name for name in rs.build_info()["instruction_sets"] if name != BEST}
SEED = 1
NO_REPETITION_LIMIT = 10_000  # moves, after which a game without the repetition rule is cut
# Each with its share of --games, and how many times the plain loop's speed is wanted.
ROWS: dict[str, tuple[rs.Rules, float, float]] = {
    "Giuthi 2×8·8": (rs.giuthi(), 1.0, 8.0),
    "Giuthi 2×6·4": (rs.giuthi(pits=6, seeds=4), 2.0, 8.0),
    "Giuthi 2×10·9": (rs.giuthi(pits=10, seeds=9), 0.5, 8.0),
    "En Gehé 2×40": (rs.engehe(pits=40), 0.25, 6.0),
    "En Gehé 2×50": (rs.engehe(), 0.2, 6.0),
    # The plain loop meets an endless sowing of seconds every 10,000 games or so, and one of many
    # minutes in the first 40,000.
    "Kiothi": (rs.kiothi(), 0.06, 5.0),
}
PERFT = {5: 369_684, 6: 4_133_904}  # of Giuthi 2×8·8, by the reference (in minutes)
SEARCH = {8: 234_624, 11: 7_159_755}  # moves that `analyse` of Giuthi 2×8·8 sows
TWO_THREADS = ("Giuthi 2×8·8", "En Gehé 2×50")  # rows
SIGNATURE_GAMES = 1_000
SIGNATURE = "dc1a62a225da"
SIGNED = ("scores", "winner", "moves", "turns", "laps", "captures", "longest", "end", "first_move")
"""The columns of the signature, which the peers have too."""
SIGNATURES_OF_LATER_SETS = {"giuthi_literal": "fc81264412e7"}
"""Rule sets that were not there when the signature was first recorded are signed by themselves."""


class Mismatch(Exception):
    """Two contenders did not play the same games."""


def compare(
    name: str,
    games: Columns,
    other_name: str,
    others: Columns,
    columns: Iterable[str] = SIGNED,
) -> None:
    """Raises `Mismatch` naming the first column and game in which the two differ."""
    for column in columns:
        ours, theirs = games[column], others[column]
        if len(ours) != len(theirs):
            raise Mismatch(f"{name} played {len(ours)} games, {other_name} {len(theirs)}")
        unlike = np.flatnonzero((ours != theirs).reshape(len(ours), -1).any(axis=1))
        if len(unlike):
            game = unlike[0]
            raise Mismatch(
                f"{column} of game {game}: {ours[game]} by {name}, {theirs[game]} by {other_name}"
            )


# The contenders


def native(
    rules: rs.Rules,
    threads: int = 1,
    max_moves: int | None = None,
    instruction_set: str | None = None,
) -> Player:
    """The package's own `simulate`, by this instruction set or the best."""

    def play(first: int, games: int) -> Columns:
        os.environ["RELAYSOW_ISA"] = instruction_set or BEST
        result = rs.simulate(
            rules, games, SEED, threads=threads, first_game=first, max_moves=max_moves
        )
        return {column: getattr(result, column) for column in COLUMNS}

    return play


def reference(rules: rs.Rules, max_moves: int | None = None) -> Player:
    """The plain-Python reference."""

    def play(first: int, games: int) -> Columns:
        result = rs.simulate(
            rules, games, SEED, first_game=first, max_moves=max_moves, engine="reference"
        )
        return {column: getattr(result, column) for column in COLUMNS}

    return play


def compiler() -> str | None:
    """The C++ compiler: $CXX, else the system's."""
    return shutil.which(os.environ.get("CXX", "c++"))


PLAIN_RESULT = np.dtype(
    [
        *((name, np.int64) for name in ("laps", "longest", "first_move")),
        *((name, np.int32) for name in ("moves", "turns", "captures")),
        ("scores", np.int16, 2),
        ("winner", np.int8),
        ("end", np.uint8),
    ],
    align=True,
)


@functools.cache
def plain_library() -> ctypes.CDLL:
    """plain.cpp, compiled without any flag for this very processor."""
    cxx = compiler()
    if cxx is None:
        raise FileNotFoundError("the plain loop needs a C++ compiler, as c++ or in $CXX")
    with tempfile.TemporaryDirectory() as directory:
        library = os.path.join(directory, "plain.so")
        flags = ["-std=c++20", "-O3", "-fPIC", "-shared"]
        subprocess.run([cxx, *flags, str(HERE / "plain.cpp"), "-o", library], check=True)
        loaded = ctypes.CDLL(library)
    loaded.play.restype = ctypes.c_bool
    word, pointer = ctypes.c_uint64, ctypes.c_void_p
    loaded.play.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_bool, pointer, word, word]
    loaded.play.argtypes += [ctypes.c_int64, ctypes.c_int64, pointer]
    return loaded


def plain(rules: rs.Rules, repetition: bool = True, max_moves: int | None = None) -> Player:
    """The plain C++ loop; it knows the rows of this bench, not all rules."""
    kind = [rs.giuthi, rs.engehe, rs.kiothi].index(rule_set(rules))
    setup = np.array(rules.setup, np.int16)
    library = plain_library()

    def play(first: int, games: int) -> Columns:
        results = np.zeros(games, PLAIN_RESULT)
        limit = -1 if max_moves is None else max_moves
        arguments = (setup.ctypes.data, SEED, first, games, limit, results.ctypes.data)
        if not library.play(kind, rules.pits, repetition, *arguments):
            raise ValueError(f"the plain loop does not play {rules!r}")
        return {column: results[column] for column in SIGNED}

    return play


def rule_set(rules: rs.Rules) -> Callable[..., rs.Rules]:
    """Which of the three games with default options this is."""
    for function in (rs.giuthi, rs.engehe, rs.kiothi):
        if dataclasses.replace(function(), pits=rules.pits, setup=rules.setup) == rules:
            return function
    raise ValueError(f"the loops of this bench do not play {rules!r}")


def numba(rules: rs.Rules) -> Player | None:
    """The Numba loop; None where Numba is not installed or the loop does not play this game."""
    function = rule_set(rules)
    if function is rs.kiothi or importlib.util.find_spec("numba") is None:
        return None
    numba_loop = importlib.import_module("numba_loop")

    def play(first: int, games: int) -> Columns:
        table = numba_loop.play(function is rs.giuthi, rules.setup, SEED, first, games)
        by_name = dict(zip(numba_loop.COLUMNS, table.T, strict=True))
        return {"scores": table[:, :2]} | by_name

    return play


# Timing


@dataclasses.dataclass
class Timed:
    """What a contender did in each repetition."""

    seconds: list[float] = dataclasses.field(default_factory=list)
    games: list[int] = dataclasses.field(default_factory=list)
    moves: list[int] = dataclasses.field(default_factory=list)
    laps: list[int] = dataclasses.field(default_factory=list)

    def play(self, player: Player, first: int, games: int) -> Columns:
        """Play some games, timed."""
        started = time.process_time()
        columns = player(first, games)
        self.seconds.append(time.process_time() - started)
        self.games.append(games)
        self.moves.append(int(columns["moves"].sum()))
        self.laps.append(int(columns["laps"].sum()))
        return columns

    def rates(self, what: str) -> list[float]:
        """Moves, laps or games a second, of each repetition."""
        counts: list[int] = getattr(self, what)
        return [n / s for n, s in zip(counts, self.seconds, strict=True)]

    def rate(self, what: str) -> float:
        """Their median."""
        return statistics.median(self.rates(what))

    def over(self, other: Timed) -> float:
        """How many times as many moves a second as `other`."""
        pairs = zip(self.rates("moves"), other.rates("moves"), strict=True)
        return statistics.median(ours / theirs for ours, theirs in pairs)

    def over_in_all(self, other: Timed) -> float:
        """The same of all repetitions together."""
        return self.moves_in_all() / other.moves_in_all()

    def moves_in_all(self) -> float:
        """Moves a second of all repetitions together."""
        return sum(self.moves) / sum(self.seconds)


def time_row(rules: rs.Rules, games: int, repetitions: int) -> dict[str, Timed]:
    """All contenders of a row in turns, their games compared."""
    unlimited = dataclasses.replace(rules, repetition="off")
    players: dict[str, Player | None] = {
        ONE: native(rules),
        PLAIN: plain(rules),
        PLAIN_OFF: plain(rules, False, NO_REPETITION_LIMIT),
        NUMBA: numba(rules),
        **{name: native(rules, instruction_set=each) for name, each in OTHERS.items()},
    }
    timed = {name: Timed() for name, player in players.items() if player}
    for repetition in range(-1, repetitions):  # the first one warms up and compiles
        first = (repetition + 1) * games
        played: dict[str, Columns] = {}
        for name, player in players.items():
            if player is None:
                continue
            if repetition < 0:
                played[name] = player(first, games)
            else:
                played[name] = timed[name].play(player, first, games)
        for name, columns in played.items():
            if name != PLAIN_OFF:
                compare(PLAIN, played[PLAIN], name, columns)
    some = max(1, games // 10)
    for limit in (NO_REPETITION_LIMIT, 30):
        played_off = plain(rules, False, limit)(0, some)
        compare(PLAIN_OFF, played_off, ONE, native(unlimited, max_moves=limit)(0, some))
    return timed


def two_threads(rules: rs.Rules, games: int, repetitions: int) -> tuple[float, float]:
    """How many times as fast by the clock as one thread, which plays the same games; and on how many
    processors, for a busy machine lends no two."""
    ratios, processors = [], []
    for repetition in range(-1, repetitions):  # the first one warms up
        seconds, spent, played = [0.0, 0.0], [0.0, 0.0], [Columns(), Columns()]
        for thread in (0, 1) if repetition % 2 == 0 else (1, 0):
            begun, cpu = time.perf_counter(), time.process_time()
            played[thread] = native(rules, thread + 1)((repetition + 1) * games, games)
            seconds[thread] = time.perf_counter() - begun
            spent[thread] = time.process_time() - cpu
        compare("one thread", played[0], "two threads", played[1])
        if repetition >= 0:
            ratios.append(seconds[0] / seconds[1])
            processors.append(spent[1] / seconds[1])
    return statistics.median(ratios), statistics.median(processors)


def sample(count: int) -> list[tuple[rs.Position, rs.Sow]]:
    """Positions of random games of Giuthi 2×8·8 with a move each, every one checked against the
    reference: its legal moves, and what the move leads to."""
    rules, chance = rs.giuthi(), random.Random(SEED)
    pairs: list[tuple[rs.Position, rs.Sow]] = []
    position = rules.start()
    while len(pairs) < count:
        moves = list(position.legal_moves)
        move = chance.choice(moves)
        after = position.play(move)
        pairs.append((position, cast("rs.Sow", move)))
        by_rules = rs.reference.Position(rules, position.pits, position.stores, position.mover)
        there = by_rules.play(move)
        if moves != list(by_rules.legal_moves) or any(
            getattr(after, name) != getattr(there, name)
            for name in ("pits", "stores", "mover", "passed", "is_over", "final_stores")
        ):
            raise Mismatch(f"the reference does not agree on {position.to_text()} and {move}")
        position = rules.start() if after.is_over else after
    return pairs


CALLS = {
    "play(move)": "p.play(m)",
    "list(legal_moves)": "list(p.legal_moves)",
    "legal_moves.count": "p.legal_moves.count",
    "sow(move), with its path": "p.sow(m)",
    "pits": "p.pits",
    "stores": "p.stores",
    "mover": "p.mover",
    "is_over": "p.is_over",
    "hash": "hash(p)",
    "Sow(pit, direction=…)": "Sow(m.pit, direction=m.direction)",
}


def call_costs(repetitions: int) -> dict[str, float]:
    """The median time of one call in seconds, the loop around it included."""
    names = {"pairs": sample(300), "Sow": rs.Sow}
    timers = {
        name: timeit.Timer(f"for p, m in pairs: {call}", timer=time.process_time, globals=names)
        for name, call in CALLS.items()
    }
    seconds: dict[str, list[float]] = {name: [] for name in timers}
    for _ in range(repetitions):
        for name, timer in timers.items():
            seconds[name].append(timer.timeit(1) / 300)
    return {name: statistics.median(values) for name, values in seconds.items()}


def probe_cost(repetitions: int) -> float:
    """The median time of one `Tablebase.probe` in seconds, the loop around it included."""
    rules, chance = rs.giuthi(), random.Random(SEED)
    positions = []
    for _ in range(300):
        pits = [0] * 16
        for _ in range(8):
            pits[chance.randrange(16)] += 1
        positions.append(rs.Position(rules, pits))
    with (
        tempfile.TemporaryDirectory() as folder,
        rs.Tablebase.build(rules, 8, Path(folder) / "table") as table,
    ):
        names = {"positions": positions, "table": table}
        timer = timeit.Timer(
            "for p in positions: table.probe(p)", timer=time.process_time, globals=names
        )
        return statistics.median(timer.repeat(repetitions, 1)) / len(positions)


def step_rates(n: int, steps: int, repetitions: int) -> dict[str, float]:
    """Steps a second of n games of Giuthi 2×8·8 each, actions drawn, observations, masks, rewards
    and ends written; `Batch` by the default rules, Numba's without the repetition rule."""
    rules = rs.giuthi()
    contenders: dict[str, Any] = {"Batch": rs.Batch(rules, n, SEED, autoreset="SameStep")}
    if importlib.util.find_spec("numba") is not None:
        stepper = importlib.import_module("numba_loop").Stepper
        contenders["numba"] = stepper(rules.setup, n, SEED)
        # Without the repetition rule both do the same.
        unlimited = dataclasses.replace(rules, repetition="off")
        by_rules = rs.Batch(unlimited, 64, SEED, autoreset="SameStep", max_moves=300)
        by_numba = stepper(rules.setup, 64, SEED, 300)
        for step in range(400):
            ours, theirs = by_rules.step(by_rules.sample()), by_numba.step(by_numba.sample())
            if not all((one == other).all() for one, other in zip(ours, theirs, strict=True)):
                raise Mismatch(f"Batch and Numba differ in step {step}")
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for repetition in range(-1, repetitions):  # the first one warms up and leaves the opening
        for name, batch in contenders.items():
            started = time.process_time()
            for _ in range(steps):
                batch.step(batch.sample())
            if repetition >= 0:
                seconds[name].append(time.process_time() - started)
    return {name: n * steps / statistics.median(times) for name, times in seconds.items()}


def perft_rate(depth: int, repetitions: int) -> float:
    """Nodes a second of `perft` of Giuthi 2×8·8."""
    start, seconds = rs.giuthi().start(), []
    for _ in range(repetitions):
        started = time.process_time()
        nodes = rs.perft(start, depth)
        seconds.append(time.process_time() - started)
        if nodes != PERFT[depth]:
            raise Mismatch(f"perft to depth {depth}: {nodes}, not {PERFT[depth]}")
    return PERFT[depth] / statistics.median(seconds)


def search_rate(depth: int, repetitions: int) -> float:
    """Nodes a second of `analyse` of Giuthi 2×8·8: a node is a move sown."""
    start, seconds = rs.giuthi().start(), []
    for _ in range(repetitions):
        started = time.process_time()
        nodes = rs.analyse(start, depth=depth).nodes
        seconds.append(time.process_time() - started)
        if nodes != SEARCH[depth]:
            raise Mismatch(f"search to depth {depth}: {nodes} nodes, not {SEARCH[depth]}")
    return SEARCH[depth] / statistics.median(seconds)


MEMORY = """
import re, relaysow
def peak():  # of this process, where ru_maxrss begins with that of its parent
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
relaysow.simulate(relaysow.giuthi(), 1000, threads=1)
base, games = peak(), {games}
result = relaysow.simulate(relaysow.giuthi(), games, threads=1)
print((peak() - base) * 1024 / games)
"""


def memory(games: int) -> float | None:
    """Bytes a game that a simulation adds to the peak of a fresh process; None if unknown here."""
    if sys.platform != "linux":
        return None
    run = [sys.executable, "-c", MEMORY.format(games=games)]
    return float(subprocess.run(run, check=True, capture_output=True, text=True).stdout)


def open_spiel(repetitions: int) -> tuple[float, float] | None:
    """Moves and games a second of OpenSpiel's C++ rollouts of its mancala (another game: Kalah,
    no relays); None where it is not installed."""
    if importlib.util.find_spec("pyspiel") is None:
        return None
    pyspiel = importlib.import_module("pyspiel")
    game, chance, rollouts = pyspiel.load_game("mancala"), random.Random(SEED), 5_000
    moves = 0
    for _ in range(rollouts):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(chance.choice(state.legal_actions()))
            moves += 1
    # A search of one simulation: all it does is its rollouts.
    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=rollouts, seed=SEED)
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, 1, 10, False, SEED, False)
    seconds = []
    for _ in range(repetitions):
        started = time.process_time()
        bot.step(game.new_initial_state())
        seconds.append(time.process_time() - started)
    games_a_second = rollouts / statistics.median(seconds)
    return games_a_second * moves / rollouts, games_a_second


# The signature


def digest(runs: Iterable[Columns]) -> str:
    """A hash of all results."""
    found = hashlib.sha256()
    for columns in runs:
        for name in SIGNED:
            column = columns[name].astype(np.dtype(COLUMNS[name]).newbyteorder("<"))
            found.update(np.ascontiguousarray(column).tobytes())
    return found.hexdigest()[:12]


def signature(player: Callable[[rs.Rules], Player], games: int, later: str | None = None) -> str:
    """A hash of all results of the first `games` games of every named rule set, or of one that
    came later."""
    names = [later] if later else [n for n in rs.RULE_SETS if n not in SIGNATURES_OF_LATER_SETS]
    return digest(player(rs.RULE_SETS[name]())(0, games) for name in names)


def check_signature(few: int) -> str:
    """The signature, found equal on one thread and two, and over `few` games in the reference."""
    for later, recorded in ((None, SIGNATURE), *SIGNATURES_OF_LATER_SETS.items()):
        what = f"signature of {later}" if later else "signature"
        found = signature(native, SIGNATURE_GAMES, later)
        twice = signature(lambda rules: native(rules, threads=2), SIGNATURE_GAMES, later)
        if (found, twice) != (recorded, recorded):
            raise Mismatch(f"{what} {found}, on two threads {twice}: must be {recorded}")
        small, by_reference = signature(native, few, later), signature(reference, few, later)
        if small != by_reference:
            raise Mismatch(f"{what} of {few} games {small}, in the reference {by_reference}")
    return SIGNATURE


# The report


def machine() -> dict[str, str]:
    """What the figures were measured on."""
    processor = platform.processor() or platform.machine()
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                processor = line.partition(":")[2].strip()
    cxx = compiler()
    version = ["none"]
    if cxx is not None:
        run = subprocess.run([cxx, "--version"], capture_output=True, text=True, check=False)
        version = run.stdout.splitlines() or [cxx]
    found = {
        "processor": f"{processor}, {os.cpu_count()} cores",
        "system": platform.platform(),
        "compiler of the plain loop": f"{version[0]}, -O3 without -march",
        "Python": platform.python_version(),
        "relaysow": rs.__version__,
    }
    for package in ("numpy", "numba", "open_spiel"):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "not installed"
    if hasattr(os, "getloadavg"):
        found["load before"] = f"{os.getloadavg()[0]:.1f}"
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Compare relaysow's speed with its peers'.")
    parser.add_argument("--quick", action="store_true", help="a few seconds: figures are rough")
    parser.add_argument("--games", type=int, help="games of Giuthi 2×8·8 in each repetition")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    options = parser.parse_args(arguments)
    games = options.games or (1_000 if options.quick else 40_000)
    if games < 1:
        parser.error(f"--games {games}: must be 1 or more")
    repetitions = 3 if options.quick else 9
    try:
        with contextlib.nullcontext() if options.json is None else written(options.json) as file:
            report(games, repetitions, options.quick, file)
    except Mismatch as mismatch:
        print(f"\nFAILED: {mismatch}")
        return 1
    return 0


def report(games: int, repetitions: int, quick: bool, json_file: IO[bytes] | None) -> None:
    """Measure, check and print everything."""
    figures: dict[str, Any] = {"machine": machine()}
    for name, value in figures["machine"].items():
        print(f"{name:<27}{value}")
    print(f"\nRandom play, medians of {repetitions} repetitions in turns; all the same games")
    heads = ("M moves/s", "M laps/s", "k games/s", "× plain C++", "in all")
    print(f"{'':<42}" + "".join(f"{head:>13}" for head in heads))
    rows: dict[str, dict[str, Timed]] = {}
    for row, (rules, share, _) in ROWS.items():
        rows[row] = timed = time_row(rules, max(1, round(games * share)), repetitions)
        for name, times in timed.items():
            rates = {what: times.rate(what) for what in ("moves", "laps", "games")}
            ratio, in_all = times.over(timed[PLAIN]), times.over_in_all(timed[PLAIN])
            figures.setdefault("rows", {}).setdefault(row, {})[name] = {
                **{f"{what} a second": rate for what, rate in rates.items()},
                "times plain": ratio,
                "times plain in all": in_all,
            }
            cells = (rates["moves"] / 1e6, rates["laps"] / 1e6, rates["games"] / 1e3, ratio, in_all)
            numbers = "".join(f"{cell:>13.2f}" for cell in cells)
            print(f"{row:<15}{name:<27}{numbers}", flush=True)
        if NUMBA not in timed:
            why = "not written" if rule_set(rules) is rs.kiothi else "not installed"
            print(f"{row:<15}numba: {why}")

    doubled: dict[str, float] = {}
    for row in TWO_THREADS:
        if row in rows:
            long = round(rows[row][ONE].rate("games") * (0.05 if quick else 1.0))
            doubled[row], processors = two_threads(ROWS[row][0], max(1, long), repetitions)
            print(
                f"{row:<15}two threads are {doubled[row]:.2f} times as fast as one by the clock, "
                f"on {processors:.2f} processors"
            )
    figures["two threads times one"] = doubled

    rollouts = open_spiel(repetitions)
    if rollouts is None:
        print("OpenSpiel mancala, C++ rollouts: not installed")
    else:
        figures["open_spiel moves a second"] = rollouts[0]
        numbers = f"{rollouts[0] / 1e6:>13.2f}{'':>13}{rollouts[1] / 1e3:>13.2f}"
        print(f"{'OpenSpiel':<15}{'mancala, C++ rollouts':<27}{numbers}")

    print("\nOne call on positions of random Giuthi 2×8·8 games, median")
    figures["calls"] = costs = call_costs(5 * repetitions)
    for name, seconds in costs.items():
        print(f"  {name:<26}{seconds * 1e9:>9,.0f} ns")
    figures["probe"] = probed = probe_cost(5 * repetitions)
    print(f"  {'Tablebase.probe':<26}{probed * 1e9:>9,.0f} ns")
    print("\nGiuthi 2×8·8 in steps: actions drawn, observations, masks, rewards, ends written")
    stepped: dict[int, dict[str, float]] = {}
    for n, steps in ((1, 2_000 if quick else 20_000), (4096, 100 if quick else 500)):
        figures[f"steps a second, n={n}"] = stepped[n] = step_rates(n, steps, repetitions)
        for name, rate in stepped[n].items():
            print(f"  {f'n = {n}, {name}':<26}{rate / 1e6:>9.2f} M steps/s")
    depth = 5 if quick else 6
    figures["perft nodes a second"] = nodes = perft_rate(depth, repetitions)
    print(f"  {f'perft to depth {depth}':<26}{nodes / 1e6:>9.1f} M nodes/s")
    depth = 8 if quick else 11
    figures["search nodes a second"] = searched = search_rate(depth, repetitions)
    print(f"  {f'analyse to depth {depth}':<26}{searched / 1e6:>9.1f} M nodes/s")
    figures["bytes a game"] = held = memory(50_000 if quick else 1_000_000)
    if held is not None:
        print(f"  {'memory of simulate':<26}{held:>9.0f} bytes a game")
    figures["signature"] = check_signature(2 if quick else 10)
    print(f"\nsignature {figures['signature']}: equal on 1 and 2 threads, and in the reference")

    print("\nTargets")
    for row, timed in rows.items():
        one, alone = timed[ONE], timed[PLAIN]
        target(f"{row}: simulate / plain C++", one.over(alone), "≥", ROWS[row][2])
        for wanted in (1.8, 1.9) if row in doubled else ():
            target(f"{row}: two threads / one", doubled[row], "≥", wanted)
        if row.startswith("Giuthi") and "avx2" in OTHERS.values():
            target(f"{row}: AVX2 / plain C++", timed["simulate, avx2"].over(alone), "≥", 3.0)
        if "baseline" in OTHERS.values():
            baseline, scalar = timed["simulate, baseline"], timed["simulate, scalar"]
            target(f"{row}: baseline / scalar", baseline.over(scalar), "≥", 1.0)
        off = timed[PLAIN_OFF]
        target(f"{row}: plain C++ / itself, repetition off", alone.over(off), "≥", 0.9)
        if NUMBA in timed:
            target(f"{row}: plain C++ / numba", alone.over(timed[NUMBA]), "≥", 1.0)
            target(f"{row}: simulate / numba", one.over(timed[NUMBA]), "≥", 8.0)
    target("Batch at n = 1: µs to draw and step", 1e6 / stepped[1]["Batch"], "≤", 2.0)
    if "numba" in stepped[4096]:
        ratio = stepped[4096]["Batch"] / stepped[4096]["numba"]
        target("Batch / numba's steps at n = 4096", ratio, "≥", 4.0)
    target("play, µs", costs["play(move)"] * 1e6, "≤", 0.5)
    target("list(legal_moves), µs", costs["list(legal_moves)"] * 1e6, "≤", 3.0)
    target("Tablebase.probe, µs", probed * 1e6, "≤", 1.0)
    target("perft, M nodes/s", nodes / 1e6, "≥", 10.0)
    target("analyse, M nodes/s", searched / 1e6, "≥", 6.0)
    if held is not None:
        target("memory, bytes a game", held, "≤", 200.0)
    if json_file is not None:
        json_file.write(f"{json.dumps(figures, indent=2, ensure_ascii=False)}\n".encode())


def target(name: str, figure: float, relation: str, wanted: float) -> None:
    """Print a figure beside what it should be."""
    met = figure <= wanted if relation == "≤" else figure >= wanted
    print(f"  {name:<54}{figure:>8.2f}  {relation} {wanted:g}  {'met' if met else 'MISSED'}")


if __name__ == "__main__":
    sys.exit(main())
