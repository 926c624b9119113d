"""The commands with which people play: play, serve."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Annotated, Any

import typer

from relaysow.cli.arguments import Filled, From, Name, Pits, Seeds, Set, number, start_from
from relaysow.cli.terminal import can_print
from relaysow.rules import RULE_SETS


def play(
    name: Name = None,
    pits: Pits = None,
    seeds: Seeds = None,
    filled: Filled = None,
    options: Set = None,
    start: From = None,
    south: Annotated[
        str,
        typer.Option(
            help="Who plays South: human, random, greedy, search:depth=N or search:nodes=N."
        ),
    ] = "human",
    north: Annotated[str, typer.Option(help="Who plays North.")] = "greedy",
    load: Annotated[
        str | None, typer.Option(metavar="FILE", help="Go on with the game of a record.")
    ] = None,
    pace: Annotated[float, typer.Option(help="Seconds a lap is shown, 0…60; 0 shows none.")] = 0.6,
    seed: Annotated[
        int | None, number("Seed of the computer's moves; another each time by default.")
    ] = None,
) -> None:
    """Play a game in the terminal."""
    from relaysow.cli.terminal_game import TerminalGame

    begin: Any = RULE_SETS["giuthi"]()
    if load is None:
        begin = start_from(name, pits, seeds, filled, options, start)
    elif (name, pits, seeds, filled, options, start) != (None,) * 6:
        raise ValueError("--load names its own rules: give no rule set, sizes, options or position")
    game = TerminalGame(begin, (south, north), seed=seed, pace=pace, unicode=can_print("▶·┌─"))
    if load is not None:
        game.load(load)
    if sys.stdin.isatty():
        with suppress(ImportError):  # not everywhere: then lines have no history
            import readline  # noqa: F401
    game.run()


def serve(
    host: Annotated[
        str, typer.Option(help="The address to be reached at; by default from this machine alone.")
    ] = "127.0.0.1",
    port: Annotated[int, number("The port; 0 takes any that is free.")] = 8765,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.")] = True,
) -> None:
    """Play in a browser: serve a page with a board, and open it (extra `web`)."""
    from relaysow.web import serve as run

    run(host, port, browser=browser)
