"""The command that plays many games: simulate."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, nullcontext
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from relaysow._support.extras import optional_import
from relaysow.cli.arguments import (
    Engine,
    Filled,
    FirstGame,
    From,
    Games,
    MaxMoves,
    Name,
    Pits,
    Policy,
    Seed,
    Seeds,
    Set,
    number,
    policies_from,
    start_from,
)
from relaysow.cli.printing import output
from relaysow.cli.terminal import finishing, note

if TYPE_CHECKING:
    from relaysow.simulation.summary import Summary


def simulate(
    name: Name = None,
    pits: Pits = None,
    seeds: Seeds = None,
    filled: Filled = None,
    options: Set = None,
    start: From = None,
    games: Games = 1_000_000,
    seed: Seed = 1,
    first_game: FirstGame = 0,
    threads: Annotated[
        int | None, number("Threads; all cores by default, one a part with --dask.")
    ] = None,
    policy: Policy = "random",
    max_moves: MaxMoves = None,
    engine: Engine = "native",
    out: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Write the games to a .csv, .npz or .parquet file, or, if the name has no such "
            "ending, as Parquet files to a directory; the same command goes on with it after a stop. "
            "- is CSV on standard output; the summary goes to standard error then.",
        ),
    ] = None,
    dask: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Have the workers of this Dask scheduler play."),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(
            help="Draw lengths, final stores, laps and results by first move to a .pdf, .png or "
            ".svg file."
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace files of --out and --plot that are there.")
    ] = False,
) -> None:
    """Play many games and print a summary.

    The summary goes to standard output and depends on the rules, the seed and the policies alone;
    time and speed go to standard error.
    """
    from relaysow import simulation
    from relaysow._support.files import named
    from relaysow.simulation import plots, writers

    for option, path in (("--out", out), ("--plot", plot)):
        if path == "":
            raise ValueError(f"{option} '': must name a file")
        above = os.path.dirname((path or "").rstrip("/" + os.sep))
        if not os.path.isdir(above or "."):
            raise ValueError(f"{option} {path}: there is no folder {above}")
    if out and plot and os.path.realpath(out) == os.path.realpath(plot):
        raise ValueError(f"--plot {plot}: is the file of --out")
    to_file = out is not None and not os.path.isdir(out) and os.path.splitext(out)[1] != ""
    to_file = to_file or out == "-"
    write = draw = None  # refused now, not after the games
    if to_file and out is not None:
        write = writers.writer_for("-.csv" if out == "-" else out)
    if plot is not None:
        draw = plots.writer_for(plot)
    columns = to_file or plot is not None
    if columns and out is not None and not to_file:
        raise ValueError(f"--plot {plot}: needs all games in memory, so no directory as --out")
    where = start_from(name, pits, seeds, filled, options, start)
    arguments: dict[str, Any] = {
        "games": games,
        "seed": seed,
        "threads": threads,
        "policy": policies_from(policy),
        "max_moves": max_moves,
        "first_game": first_game,
        "progress": True,
        "engine": engine,
        **({} if columns else {"keep": "summary", "out": out}),
    }
    result: Any
    summary: Summary | None = None
    interrupted = None
    done: list[str] = []
    try:
        with ExitStack() as ending, output("--plot", plot, overwrite) as drawing:
            with output("--out", out if to_file else None, overwrite) as file:
                with nullcontext() if dask is None else _dask(dask) as client:
                    begin = perf_counter()
                    try:
                        result = simulation.simulate(where, **arguments, executor=client)
                    except simulation.SimulationInterrupted as error:
                        interrupted, result = error, error.result
                    seconds = perf_counter() - begin
                ending.enter_context(finishing())
                summary = result.summary() if columns else result
                where_to = "standard output" if out == "-" else out
                if file is not None and write is not None and where_to is not None:
                    with named(where_to):
                        write(result, file)
            if out is not None:
                told = f"{summary.games:,} games"
                done.append(f"wrote {told} to {where_to}" if to_file else f"{told} are in {out}")
            if drawing is not None and draw is not None and plot is not None:
                with named(plot):
                    draw(result, drawing)
        if plot is not None:
            done.append(f"drew {summary.games:,} games in {plot}")
    finally:  # when the files are whole, whoever reads this, and also if they cannot be written
        if summary is not None:
            _tell(summary, seconds, aside=out == "-")
            for line in done:
                note(line)
    if interrupted is not None:
        more = "; the same command goes on from there" if out is not None and not to_file else ""
        note(f"{interrupted}: the summary is of those{more}")
        raise typer.Exit(130)


def _dask(address: str) -> Any:
    """A client of the scheduler there."""
    return optional_import("distributed", "dask").Client(address)


def _tell(summary: Summary, seconds: float, *, aside: bool) -> None:
    """Print what was played, or note it `aside`, and how fast."""
    if aside:
        note(f"{summary}")
    else:
        _print_summary(summary)
    moves = summary.moves.mean * summary.games if summary.games else 0
    note(f"{seconds:.2f} s: {summary.games / seconds:,.0f} games/s, {moves / seconds:,.0f} moves/s")


def _print_summary(summary: Summary) -> None:
    if not sys.stdout.isatty():
        print(summary)
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    console.print(summary.title, markup=False)
    for (first, *heads), rows in summary.tables():
        table = Table(first, box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
        for head in heads:
            table.add_column(head, justify="right")
        for row in rows:
            table.add_row(*row)
        console.print()
        console.print(table)
