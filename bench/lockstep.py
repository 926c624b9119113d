"""What the lockstep kernel does for which board and which rules: `python bench/lockstep.py`.

Two tables in Markdown: what a random move costs as the board grows, and for every rule set and
every value of every option the share of laps that the kernel sows itself rather than leaving them
to the scalar path.  `--plot FILE` draws the first.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from contextlib import nullcontext
from pathlib import Path
from typing import IO

import relaysow as rs
from relaysow import _core
from relaysow._support.files import written
from relaysow.options import CHOICES
from relaysow.rules import RULE_SETS

SIZES = (5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 56, 64)
GAMES = {"giuthi": "Giuthi", "kiothi": "Kiothi", "engehe": "En Gehé"}
MAX_MOVES = 10_000  # under some rules games go on for more than anybody will wait

Row = tuple[int, float, float, float]


def cost(rules: rs.Rules, games: int, repetitions: int) -> tuple[float, float]:
    """Nanoseconds of the processor a move and a lap of random play on one thread, medians."""
    moves, laps = [], []
    rs.simulate(rules, games, seed=2, threads=1)  # warms up
    for repetition in range(repetitions):
        began = time.process_time()
        result = rs.simulate(rules, games, seed=1, threads=1, first_game=repetition * games)
        spent = (time.process_time() - began) * 1e9
        moves.append(spent / float(result.moves.sum()))
        laps.append(spent / float(result.laps.sum()))
    return statistics.median(moves), statistics.median(laps)


def share(rules: rs.Rules, games: int) -> float:
    """The percentage of laps sown in lockstep."""
    laps, apart = _core._lap_counts(rules.start(), games, 1, MAX_MOVES)
    return 100 * (1 - apart / laps)


def sizes(name: str, repetitions: int, games: int) -> list[Row]:
    """Prints the first table for a game; its rows: pits in a row, costs, share."""
    print(
        f"\n| {GAMES[name]}: pits in a row | ns a move | ns a move and pit | ns a lap | lockstep |"
    )
    print("| ---: | ---: | ---: | ---: | ---: |")
    rows: list[Row] = []
    for pits in SIZES:
        rules = getattr(rs, name)(pits=pits, seeds=4)
        move, lap = cost(rules, 120_000 // pits, repetitions)
        rows.append((pits, move, lap, share(rules, games)))
        cells = f"{move:.1f} | {move / (2 * pits):.2f} | {lap:.2f} | {rows[-1][3]:.1f} %"
        print(f"| {pits} | {cells} |", flush=True)
    return rows


def shares(games: int) -> None:
    """Prints the second table."""
    print("\n| rule set | laps in lockstep |\n| --- | ---: |")
    for name in RULE_SETS:
        print(f"| `{name}` | {share(getattr(rs, name)(), games):.1f} % |", flush=True)
    print(f"\n| option | {' | '.join(GAMES.values())} |\n| --- | ---: | ---: | ---: |")
    values = {**CHOICES, "minimum_lift": (1, 2), "max_laps": (100,)}
    for option, allowed in values.items():
        for value in allowed:
            cells = []
            for name in GAMES:
                try:
                    rules = getattr(rs, name)(**{option: value})
                    cells.append(f"{share(rules, games):.1f} %")
                except rs.RulesError:
                    cells.append("refused")
            print(f"| `{option}={value!r}` | " + " | ".join(cells) + " |", flush=True)


def plot(costs: dict[str, list[Row]], file: IO[bytes], suffix: str) -> None:
    """Draws nanoseconds a move over pits; a hollow mark is a board of the scalar path."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams |= {"svg.hashsalt": "relaysow", "svg.fonttype": "none"}
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for name, rows in costs.items():
        (line,) = axes.plot(
            [2 * row[0] for row in rows], [row[1] for row in rows], label=GAMES[name]
        )
        for pits, move, _, in_lockstep in rows:
            face = line.get_color() if in_lockstep > 50 else "white"
            axes.plot(2 * pits, move, "o", color=line.get_color(), markerfacecolor=face)
    axes.set(xlabel="pits of both rows", ylabel="ns a move", xlim=0, ylim=0)
    axes.set_title("Random play, four seeds a pit, one thread")
    axes.legend(loc="upper left")
    metadata = {"Date": None} if suffix == ".svg" else None
    figure.savefig(file, format=suffix[1:], metadata=metadata)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Tables of the lockstep kernel.")
    parser.add_argument("--games", type=int, default=300, help="games for each share")
    parser.add_argument("--repetitions", type=int, default=5, help="for each cost")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the costs (matplotlib)")
    arguments = parser.parse_args()
    # NumPy's threads wait for work in a loop at first, which would count as the processor's time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    print(rs.build_info()["instruction_set"])
    repetitions, games = arguments.repetitions, arguments.games
    with nullcontext() if arguments.plot is None else written(arguments.plot) as file:
        costs = {name: sizes(name, repetitions, games) for name in ("giuthi", "engehe")}
        if file is not None:
            plot(costs, file, arguments.plot.suffix)
    shares(games)


if __name__ == "__main__":
    main()
