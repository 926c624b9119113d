"""The commands that find the best moves: solve, analyse, puzzle."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from relaysow.cli.arguments import (
    Filled,
    From,
    Name,
    Pits,
    Seed,
    Seeds,
    Set,
    number,
    start_from,
    word,
)
from relaysow.cli.exact import LookUp, opened, print_values
from relaysow.cli.printing import drawing, paragraph
from relaysow.cli.terminal import note
from relaysow.rules import Rules

if TYPE_CHECKING:
    from relaysow.exact.analysis import Analysis


def solve(
    name: Name = None,
    pits: Pits = None,
    seeds: Seeds = None,
    filled: Filled = None,
    options: Set = None,
    start: From = None,
    tablebase: LookUp = None,
    max_positions: Annotated[
        int | None, number("Give up past so many positions; 25,000,000 by default.")
    ] = None,
) -> None:
    """Solve a position exactly: its result, the leads needed, every move, a line of play."""
    from relaysow.exact.solving import MAX_POSITIONS
    from relaysow.exact.solving import solve as solved_of
    from relaysow.simulation.setting import start_of
    from relaysow.text.notation import line_to_text

    begin = perf_counter()
    position: Any = start_of(start_from(name, pits, seeds, filled, options, start), "native")
    with opened(tablebase) as table:
        solved = solved_of(
            position,
            tablebase=table,
            max_positions=MAX_POSITIONS if max_positions is None else max_positions,
        )
    print(position.to_text())
    print_values(position, solved, solved.moves)
    if solved.line:
        paragraph(f"line: {line_to_text(position, solved.line)}", 0, 2)
    note(f"{perf_counter() - begin:.2f} s: {solved.positions:,} positions")


def analyse(
    name: Name = None,
    pits: Pits = None,
    seeds: Seeds = None,
    filled: Filled = None,
    options: Set = None,
    start: From = None,
    seconds: Annotated[
        float | None, typer.Option(help="Search so long; 5 without another limit.")
    ] = None,
    depth: Annotated[int | None, number("Search so many moves ahead, 1…200.")] = None,
    nodes: Annotated[int | None, number("Search so many moves sown.")] = None,
    lines: Annotated[int, number("How many of the best moves to tell.")] = 3,
    threads: Annotated[int, number("Threads; with more than one results vary.")] = 1,
    tablebase: LookUp = None,
) -> None:
    """Search a position: its best moves, the lead to expect after each, and how play goes on.

    A score is the final lead of the player to move; = marks what is proved.  Ctrl-C ends the
    search with what was found.
    """
    from relaysow.exact.analysis import AnalysisInterrupted
    from relaysow.exact.analysis import analyse as analysis_of
    from relaysow.simulation.setting import start_of
    from relaysow.text.notation import line_to_text

    position: Any = start_of(start_from(name, pits, seeds, filled, options, start), "native")
    if (seconds, depth, nodes) == (None, None, None):
        seconds = 5
    interrupted = None
    with opened(tablebase) as table:
        try:
            found = analysis_of(
                position,
                seconds=seconds,
                depth=depth,
                nodes=nodes,
                lines=lines,
                threads=threads,
                tablebase=table,
                report=_progress if sys.stderr.isatty() else None,
            )
        except AnalysisInterrupted as error:
            interrupted, found = error, error.result
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    print(position.to_text())
    for line in found.lines:
        sign = "=" if line.exact else " "
        paragraph(f"{sign}{line.score:+5}  {line_to_text(position, line.moves)}", 0, 8)
    sure = ", exact" if found.exact else ""
    print(f"depth {found.depth}{sure}")
    rate = found.nodes / max(found.seconds, 1e-9)
    note(f"{found.seconds:.2f} s: {found.nodes:,} nodes, {rate:,.0f} nodes/s")
    if interrupted is not None:
        note(f"{interrupted}")
        raise typer.Exit(130)


def _progress(found: Analysis) -> None:
    """What was found so far, in a line that the next one takes the place of."""
    move = found.position.move_to_text(found.best_move)
    told = f"depth {found.depth}: {move} {found.score:+}, {found.nodes:,} nodes"
    print(f"\r\033[K{told}", end="", file=sys.stderr, flush=True)


def puzzle(
    name: Name = None,
    pits: Pits = None,
    options: Set = None,
    seeds: Annotated[int, number("Seeds on the ring.")] = 8,
    to: Annotated[str, word("win", "draw", help="win or draw.")] = "win",
    moves: Annotated[
        int | None, number("How many moves the solver makes; any number by default.")
    ] = None,
    seed: Seed = 1,
    count: Annotated[int, number("How many puzzles.")] = 1,
    tablebase: Annotated[
        str | None, typer.Option(help="Draw positions from this file; else a table is built.")
    ] = None,
    laps: Annotated[
        bool, typer.Option("--laps/--no-laps", help="Tell the solution lap by lap.")
    ] = True,
) -> None:
    """Compose positions in which one move alone keeps a win or a draw, with the solution."""
    from relaysow.exact.puzzle import puzzles
    from relaysow.text import board as display
    from relaysow.text.notation import PLAYERS

    rules = start_from(name, pits, None, None, options, None)
    assert isinstance(rules, Rules)
    drawn = drawing()
    with opened(tablebase) as table:
        found = puzzles(rules, seeds, to, moves=moves, count=count, seed=seed, tablebase=table)
        for number, one in enumerate(found):
            here = one.position
            print(f"{chr(10) if number else ''}{display.board(here, **drawn)}")
            print(f"{one.task}\n{one.to_text()}", flush=True)
            for move in one.solution if laps else ():
                print(f"\n{PLAYERS[here.mover]}: {here.move_to_text(move)}")
                told = here.sow(move)
                print(
                    *display.sowing(here, told, **drawn, boards=False),
                    sep="\n",
                )
                here = here.play(move)
