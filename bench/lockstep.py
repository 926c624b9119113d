"""What the lockstep kernel does for which board and which rules: `python bench/lockstep.py`.

Two tables in Markdown: what a random move costs as the board grows, and for every rule set and
every value of every option the share of laps that the kernel sows itself rather than leaving them
to the scalar path.  `--plot FILE` draws the first.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

import relaysow as rs
from relaysow import _core
from relaysow.rules import CHOICES, RULE_SETS

SIZES = (5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 56, 64)
GAMES = ("giuthi", "kiothi", "engehe")
MAX_MOVES = 1_000  # for rules under which a game need not end


def cost(rules: rs.Rules, games: int, repetitions: int) -> tuple[float, float]:
    """Nanoseconds of the processor a move and a lap of random play on one thread, medians."""
    moves, laps = [], []
    for repetition in range(repetitions):
        began = time.process_time()
        result = rs.simulate(rules, games, seed=1, threads=1, first_game=repetition * games)
        spent = (time.process_time() - began) * 1e9
        moves.append(spent / float(result.moves.sum()))
        laps.append(spent / float(result.laps.sum()))
    return statistics.median(moves), statistics.median(laps)


def share(rules: rs.Rules, games: int) -> str:
    """The share of laps sown in lockstep, in percent."""
    max_moves = MAX_MOVES if rules.repetition == "off" else None
    laps, apart = _core._lap_counts(rules.start(), games, 1, max_moves)
    return f"{100 * (1 - apart / laps):.1f} %"


def sizes(repetitions: int) -> list[tuple[int, float, float]]:
    """Prints the first table; its rows."""
    print(
        "| pits in a row | ns a move | ns a move and pit | ns a lap |\n| ---: | ---: | ---: | ---: |"
    )
    rows = []
    for pits in SIZES:
        move, lap = cost(rs.giuthi(pits=pits, seeds=4), 60_000 // pits, repetitions)
        rows.append((pits, move, lap))
        print(f"| {pits} | {move:.1f} | {move / (2 * pits):.2f} | {lap:.2f} |", flush=True)
    return rows


def shares(games: int) -> None:
    """Prints the second table."""
    print("\n| rule set | laps in lockstep |\n| --- | ---: |")
    for name in RULE_SETS:
        rules = getattr(rs, name)()
        print(f"| `{name}` | {share(rules, games)} |", flush=True)
    print("\n| option | Giuthi | Kiothi | En Gehé |\n| --- | ---: | ---: | ---: |")
    values = {**CHOICES, "minimum_lift": (1, 2), "max_laps": (20,)}
    for option, allowed in values.items():
        for value in allowed:
            cells = []
            for name in GAMES:
                try:
                    cells.append(share(getattr(rs, name)(**{option: value}), games))
                except rs.RulesError:
                    cells.append("refused")
            print(f"| `{option}={value!r}` | " + " | ".join(cells) + " |", flush=True)


def plot(rows: list[tuple[int, float, float]], file: Path) -> None:
    """Draws nanoseconds a move over pits."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "relaysow"
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    axes.plot([2 * pits for pits, _, _ in rows], [move for _, move, _ in rows], marker="o")
    axes.set(xlabel="pits of both rows", ylabel="ns a move", xlim=0, ylim=0)
    axes.set_title("Random Giuthi, four seeds a pit, one thread")
    figure.savefig(file)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Tables of the lockstep kernel.")
    parser.add_argument("--games", type=int, default=300, help="games for each share")
    parser.add_argument("--repetitions", type=int, default=5, help="for each cost")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the costs (matplotlib)")
    arguments = parser.parse_args()
    print(f"{rs.build_info()['instruction_set']}\n")
    rows = sizes(arguments.repetitions)
    if arguments.plot is not None:
        plot(rows, arguments.plot)
    shares(arguments.games)


if __name__ == "__main__":
    main()
