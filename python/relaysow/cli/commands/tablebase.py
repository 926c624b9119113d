"""The commands of tables of exact values: tablebase build, verify, probe."""

from __future__ import annotations

import os
from time import perf_counter
from typing import Annotated

import typer

from relaysow._core import Position
from relaysow.cli.arguments import Name, Pits, Set, number, start_from
from relaysow.cli.exact import print_values
from relaysow.cli.group import Commands
from relaysow.cli.terminal import note
from relaysow.rules import Rules
from relaysow.text import slips as typed

tablebase = typer.Typer(
    name="tablebase", cls=Commands, help="Build, check and look up tables of exact values."
)

TableFile = Annotated[str, typer.Argument(metavar="FILE", help="The file of the table.")]
Threads = Annotated[int | None, number("Threads; all cores by default.")]


@tablebase.command()
def build(
    path: TableFile,
    name: Name = None,
    pits: Pits = None,
    options: Set = None,
    max_seeds: Annotated[int, number("The most seeds on the ring.")] = 8,
    threads: Threads = None,
    memory: Annotated[int, number("Refuse to take more bytes.")] = 4 * 2**30,
) -> None:
    """Build the table of all positions with so many seeds, or go on with a build cut off."""
    from relaysow.exact.tablebase import Tablebase

    rules = start_from(name, pits, None, None, options, None)
    assert isinstance(rules, Rules)
    note(f"at most {Tablebase.memory(rules, max_seeds):,} bytes of memory")
    begin = perf_counter()
    try:
        table = Tablebase.build(
            rules, max_seeds, path, threads=threads, memory=memory, report=_total
        )
    except KeyboardInterrupt:
        note(
            f"interrupted: the totals done are in {path}.part; the same command goes on from there"
        )
        raise typer.Exit(130) from None
    with table:
        seconds = perf_counter() - begin
        print(f"{len(table):,} positions of {table.rules!r} in {os.path.getsize(path):,} bytes")
        note(f"{seconds:.2f} s: {len(table) / seconds:,.0f} positions/s")


@tablebase.command()
def verify(path: TableFile, threads: Threads = None) -> None:
    """Check every entry of a table against what its moves lead to."""
    from relaysow.exact.tablebase import Tablebase

    with Tablebase.open(path) as table:
        table.verify(threads=threads, report=_total)
        print(f"{len(table):,} positions of {table.rules!r} are as they must be")


@tablebase.command()
def probe(
    path: TableFile,
    position: Annotated[str, typer.Argument(metavar="POSITION", help="The text of a position.")],
) -> None:
    """Look a position and its moves up."""
    from relaysow.exact.tablebase import Tablebase

    with Tablebase.open(path) as table:
        looked_up = Position.from_text(typed.rules_first(position))
        print_values(looked_up, table.probe(looked_up), table.moves(looked_up))


def _total(total: int, positions: int, seconds: float) -> None:
    note(f"{total} seeds: {positions:,} positions, {seconds:.2f} s")
