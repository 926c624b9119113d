"""The commands that check the engine against the reference, and count: check, perft."""

from __future__ import annotations

from importlib import import_module
from time import perf_counter
from typing import Annotated, Any

import typer

from relaysow._support.threads import cores
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
from relaysow.cli.terminal import note


def check(
    name: Name = None,
    pits: Pits = None,
    seeds: Seeds = None,
    filled: Filled = None,
    options: Set = None,
    start: From = None,
    random: Annotated[
        bool, typer.Option("--random", help="New random rules for every game instead of NAME.")
    ] = False,
    games: Games = 1_000,
    full: Annotated[
        int | None,
        number(
            "Compare the legal moves and the traces of all candidates at every position of this "
            "many games only (all games by default), and at one in 16 of the rest."
        ),
    ] = None,
    seed: Seed = 1,
    first_game: FirstGame = 0,
    policy: Policy = "random",
    max_moves: MaxMoves = None,
    processes: Annotated[int | None, number("Processes; all cores by default.")] = None,
) -> None:
    """Play the same games in the core and in the plain-Python reference and compare them.

    Every position, the trace of every move played, every legal-move list, and the result of every
    game.  On a difference: exit code 1 and the smallest position found that shows it.
    """
    from relaysow import check as checking

    what: Any = None
    if not random:
        what = start_from(name, pits, seeds, filled, options, start)
    elif (name, pits, seeds, filled, options, start) != (None,) * 6:
        raise ValueError("--random draws the rules: give no rule set, sizes, options or position")
    begin = perf_counter()
    interrupted = None
    try:
        report = checking.check(
            what,
            games=games,
            seed=seed,
            first_game=first_game,
            policy=policies_from(policy),
            max_moves=max_moves,
            full=full,
            processes=cores() if processes is None else processes,
            progress=True,
        )
    except checking.CheckInterrupted as error:
        interrupted, report = error, error.report
    print(report)
    note(f"{perf_counter() - begin:.1f} s")
    if interrupted is not None:
        note("interrupted: the counts are of what was compared until then")
        raise typer.Exit(130)
    if report.difference is not None:
        raise typer.Exit(1)


def perft(
    name: Name = None,
    pits: Pits = None,
    seeds: Seeds = None,
    filled: Filled = None,
    options: Set = None,
    start: From = None,
    depth: Annotated[int, number("Length of the paths, in moves.")] = 5,
    divide: Annotated[bool, typer.Option("--divide", help="Count move by move.")] = False,
    engine: Engine = "native",
) -> None:
    """Count the paths of so many moves from a position: a forced pass costs no depth, nothing
    continues below a finished game, repetition is not applied."""
    from relaysow.simulation.setting import start_of

    if depth < 0:
        raise ValueError(f"--depth {depth}: must be 0 or more")
    position: Any = start_of(start_from(name, pits, seeds, filled, options, start), engine)
    count = import_module("relaysow" if engine == "native" else "relaysow.reference").perft
    if divide and depth and position.legal_moves.count > 10_000:
        raise ValueError(f"--divide: {position.legal_moves.count:,} moves are too many to list")
    begin = perf_counter()
    if divide and depth:
        nodes = 0
        for move in position.legal_moves:
            below = count(position.play(move), depth - 1)
            print(f"{position.move_to_text(move)}\t{below:,}", flush=True)
            nodes += below
    else:
        nodes = count(position, depth)
    seconds = perf_counter() - begin
    print(f"{nodes:,} paths of {depth} moves")
    note(f"{seconds:.2f} s: {nodes / max(seconds, 1e-9):,.0f} nodes/s")
