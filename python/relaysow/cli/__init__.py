"""The command `relaysow`: simulate, check, play, serve, solve, analyse, rules and others."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import fields
from importlib import import_module
from inspect import signature
from time import perf_counter
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from relaysow._support.checks import one_of, shown
from relaysow._support.extras import optional_import
from relaysow._support.terminal import (
    BROKEN_PIPE,
    can_flush,
    can_print,
    finishing,
    flushed,
    note,
    plain,
    signals,
    standard_streams,
)
from relaysow.options import CHOICES, MAX_SEEDS, OPTIONS
from relaysow.players.policies import POLICIES, policies_of
from relaysow.rules import READINGS, RULE_SETS, Rules
from relaysow.text import slips as typed
from relaysow.text.words import GAMES, SOURCES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from contextlib import AbstractContextManager

    from relaysow.exact.analysis import Analysis, Value
    from relaysow.exact.tablebase import Tablebase
    from relaysow.moves import Move
    from relaysow.simulation.summary import Summary
    from relaysow.text.notation import AnyPosition
    from relaysow.text.records import Record


class Commands(TyperGroup):
    """Commands that are found in any case; of an unknown one it is told which may be meant."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        args = [typed.name(args[0], self.commands), *args[1:]]
        if args[0] not in self.commands:
            known = typed.did_you_mean(args[0], self.commands)
            raise ValueError(f"No such command {shown(args[0])}{known}")
        return super().resolve_command(ctx, args)


app = typer.Typer(
    add_completion=False,
    cls=Commands,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "token_normalize_func": lambda option: option.lower().replace("_", "-"),
    },
    rich_markup_mode="markdown",
    help="Play, check and explain the relay-sowing games Giuthi, Kiothi and En Gehé.",
)


def _integer(text: str | int) -> int:
    """An integer of an argument, or its default."""
    try:
        return text if isinstance(text, int) else typed.count(text)
    except ValueError as error:
        raise typer.BadParameter(f"{error}") from None


def _number(help: str) -> Any:
    return typer.Option(parser=_integer, metavar="INTEGER", help=help)


def _word(*words: str, help: str) -> Any:
    """An option that is one of these words."""

    def parsed(text: str) -> str:
        word = typed.name(text, words)
        if word not in words:
            near = typed.did_you_mean(text, words)
            raise typer.BadParameter(f"{shown(text)} must be {' or '.join(words)}{near}")
        return word

    return typer.Option(parser=parsed, metavar="WORD", help=help)


def _rule_set(text: str) -> str:
    return typed.name(text, RULE_SETS)


Name = Annotated[
    str | None,
    typer.Argument(metavar="NAME", parser=_rule_set, help="A rule set: see `rules`."),
]
Pits = Annotated[int | None, _number("Pits in each row.")]
Seeds = Annotated[int | None, _number("Seeds in each filled pit.")]
Filled = Annotated[int | None, _number("Kiothi: the filled pits of a row.")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="OPTION=VALUE", help="A rules option; may be repeated."),
]
From = Annotated[
    str | None,
    typer.Option("--from", metavar="POSITION", help="Start from this position text instead."),
]
Games = Annotated[int, _number("How many games.")]
Seed = Annotated[int, _number("Seed of the games' chance, 0…2⁶⁴−1.")]
FirstGame = Annotated[int, _number("Number of the first game.")]
MaxMoves = Annotated[int | None, _number("Cut games after so many moves.")]
Policy = Annotated[
    str,
    typer.Option(
        help="random, greedy, search:depth=N, search:nodes=N, or two of them: South's,North's."
    ),
]
LookUp = Annotated[str | None, typer.Option(help="Look positions of fewer seeds up in this file.")]
Engine = Annotated[str, _word("native", "reference", help="native, or reference (plain Python).")]


@app.callback(invoke_without_command=True)
def _top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> None:
    if version:
        from relaysow import __version__

        print(f"relaysow {__version__}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


@app.command()
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
        int | None, _number("Threads; all cores by default, one a part with --dask.")
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
    from relaysow.simulation import plots

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
        write = simulation.writer_for("-.csv" if out == "-" else out)
    if plot is not None:
        draw = plots.writer_for(plot)
    columns = to_file or plot is not None
    if columns and out is not None and not to_file:
        raise ValueError(f"--plot {plot}: needs all games in memory, so no directory as --out")
    where = _start(name, pits, seeds, filled, options, start)
    arguments: dict[str, Any] = {
        "games": games,
        "seed": seed,
        "threads": threads,
        "policy": _pair(policy),
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
        with ExitStack() as ending, _output("--plot", plot, overwrite) as drawing:
            with _output("--out", out if to_file else None, overwrite) as file:
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


@contextmanager
def _output(option: str, path: str | None, overwrite: bool) -> Iterator[IO[bytes] | None]:
    """The file of an option, opened before the work and named when it is whole; None without."""
    from relaysow._support.files import Taken, named, written

    if path is None:
        yield None
    elif path == "-":
        yield sys.stdout.buffer
        with named("standard output"):
            sys.stdout.flush()
    else:
        try:
            with written(path, overwrite=overwrite) as file:
                yield file
        except Taken:
            told = f"{option} {path}: is there already: --overwrite replaces it"
            raise FileExistsError(told) from None


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


@app.command()
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
        _number(
            "Compare the legal moves and the traces of all candidates at every position of this "
            "many games only (all games by default), and at one in 16 of the rest."
        ),
    ] = None,
    seed: Seed = 1,
    first_game: FirstGame = 0,
    policy: Policy = "random",
    max_moves: MaxMoves = None,
    processes: Annotated[int | None, _number("Processes; all cores by default.")] = None,
) -> None:
    """Play the same games in the core and in the plain-Python reference and compare them.

    Every position, the trace of every move played, every legal-move list, and the result of every
    game.  On a difference: exit code 1 and the smallest position found that shows it.
    """
    from relaysow import check as checking
    from relaysow._support.threads import cores

    what: Any = None
    if not random:
        what = _start(name, pits, seeds, filled, options, start)
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
            policy=_pair(policy),
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


@app.command()
def perft(
    name: Name = None,
    pits: Pits = None,
    seeds: Seeds = None,
    filled: Filled = None,
    options: Set = None,
    start: From = None,
    depth: Annotated[int, _number("Length of the paths, in moves.")] = 5,
    divide: Annotated[bool, typer.Option("--divide", help="Count move by move.")] = False,
    engine: Engine = "native",
) -> None:
    """Count the paths of so many moves from a position: a forced pass costs no depth, nothing
    continues below a finished game, repetition is not applied."""
    from relaysow.simulation import start_of

    if depth < 0:
        raise ValueError(f"--depth {depth}: must be 0 or more")
    position: Any = start_of(_start(name, pits, seeds, filled, options, start), engine)
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


@app.command()
def show(
    position: Annotated[
        str, typer.Argument(metavar="POSITION", help="The text of a position, or of rules.")
    ],
    move: Annotated[
        str | None, typer.Option(help="Tell this move lap by lap, such as 3+, 7 or 4x2.")
    ] = None,
    boards: Annotated[
        bool, typer.Option("--boards/--no-boards", help="Draw the board after every lap.")
    ] = True,
) -> None:
    """Draw a position and list its legal moves, or tell a move lap by lap."""
    from shutil import get_terminal_size

    from relaysow import Position
    from relaysow.text import board as display
    from relaysow.text.notation import rules_from_text

    position = typed.rules_first(position)
    is_rules = " " not in position
    here = rules_from_text(position).start() if is_rules else Position.from_text(position)
    played = None if move is None else here.move_from_text(typed.move(move))
    told = None if played is None else here.sow(played)
    width = max(get_terminal_size((100, 24)).columns, display.MIN_WIDTH)
    unicode = can_print("▶·┌─")
    print(display.board(here, width=width, unicode=unicode))
    if told is not None:
        for part in display.sowing(here, told, width=width, unicode=unicode, boards=boards):
            print(f"\n{part}")
        if told.after is not None:
            print(f"\n{told.after.to_text()}")
        return
    print(f"\n{here.to_text()}")
    moves = here.legal_moves
    if moves:
        listed = " ".join(here.move_to_text(one) for one in moves[:100])
        more = f" … and {moves.count - 100:,} more" if moves.count > 100 else ""
        _paragraph(f"{moves.count:,} legal moves: {listed}{more}", 0, 2)


@app.command()
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
        int | None, _number("Seed of the computer's moves; another each time by default.")
    ] = None,
) -> None:
    """Play a game in the terminal."""
    from relaysow.cli.play import Table

    begin: Any = RULE_SETS["giuthi"]()
    if load is None:
        begin = _start(name, pits, seeds, filled, options, start)
    elif (name, pits, seeds, filled, options, start) != (None,) * 6:
        raise ValueError("--load names its own rules: give no rule set, sizes, options or position")
    table = Table(begin, (south, north), seed=seed, pace=pace, unicode=can_print("▶·┌─"))
    if load is not None:
        table.load(load)
    if sys.stdin.isatty():
        with suppress(ImportError):  # not everywhere: then lines have no history
            import readline  # noqa: F401
    table.run()


@app.command()
def serve(
    host: Annotated[
        str, typer.Option(help="The address to be reached at; by default from this machine alone.")
    ] = "127.0.0.1",
    port: Annotated[int, _number("The port; 0 takes any that is free.")] = 8765,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.")] = True,
) -> None:
    """Play in a browser: serve a page with a board, and open it (extra `web`)."""
    from relaysow.web import serve as run

    run(host, port, browser=browser)


@app.command()
def replay(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file of records; - is stdin.")],
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Forgive how it is written, and say what.")
    ] = False,
    laps: Annotated[
        bool, typer.Option("--laps/--no-laps", help="Tell every move lap by lap.")
    ] = False,
) -> None:
    """Step through recorded games, matches and series.

    On a terminal Enter shows the next step, b the one before, a number that step (0 is the start),
    q ends; elsewhere all steps are printed.  A record that cannot be read is told, the others are
    shown, and the exit code is 2.
    """
    from relaysow.moves import NotationError
    from relaysow.text.records import iter_records

    source = getattr(sys.stdin, "buffer", sys.stdin) if file == "-" else file
    bad = 0

    def told() -> Iterator[str]:
        nonlocal bad
        for found in iter_records(source, lenient):
            if isinstance(found, NotationError):
                bad += 1
                where = f"{found}".removeprefix(f"{found.file}: ")
                note(f"relaysow: {file}: {where}")
                continue
            for line in found.overlooked:
                note(f"{file}: {line}")
            yield from _frames(found, laps)

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        for number, frame in enumerate(told()):
            print(f"\n{frame}" if number else frame)
        frames = []
    else:
        frames = list(told())
    at = 0
    while frames:
        print(f"\n{frames[at]}\n\n{at}/{len(frames) - 1}> ", end="", flush=True)
        word = sys.stdin.readline()
        if not word or word.strip().lower() == "q":
            break
        word = word.strip().lower()
        following = -1
        if word in ("", "b"):
            following = at + (1 if not word else -1)
        else:
            with suppress(ValueError):
                following = typed.count(word)
        if 0 <= following < len(frames):
            at = following
        elif not word:
            break
        else:
            print(f"Enter: next · b: back · 0…{len(frames) - 1}: that step · q: end")
    if bad:
        raise typer.Exit(2)


def _frames(record: Record, laps: bool) -> Iterator[str]:
    """What there is to see at every step of a record, the beginning first."""
    from shutil import get_terminal_size

    from relaysow import Redistribute, Sow
    from relaysow.text import board as display
    from relaysow.text.notation import PLAYERS, rules_to_text
    from relaysow.text.records import fresh, part_of, step_to_text, steps_of

    width = max(get_terminal_size((100, 24)).columns, display.MIN_WIDTH)
    unicode = can_print("▶·┌─")
    play: Any = fresh(record.play)
    kind = type(play).__name__
    heads = {"Match": "Round", "Series": "Game"}

    def standing() -> str:
        """The board as it stands, or what is due instead."""
        if play.position is None:
            told = f"{PLAYERS[play.to_act]} is to lay out {play.layouts.seeds} seeds"
            return f"{told} in {play.pits} pits."
        return display.board(play.position, width=width, unicode=unicode)

    def part() -> list[str]:
        number, (south, north) = part_of(play)
        return [f"{heads[kind]} {number}: {south}-{north}"] if kind in heads else []

    def frame(lines: list[str], number: int) -> str:
        comment = record.comments.get(number)
        return "\n".join([*lines, *([f"{{{comment}}}"] if comment else [])])

    rules = rules_to_text(play.start.rules if kind == "Game" else play.rules)
    lines = [f"{kind}: {rules}", *(f"{name}: {text}" for name, text in record.tags.items())]
    yield frame([*lines, *part(), standing()], 0)
    for number, step in enumerate(steps_of(record.play), start=1):
        before, at = play.position, part_of(play)
        text = step_to_text(play, step)
        mover = PLAYERS[play.to_act if kind == "Match" else before.mover]
        lines = [f"{number}. {mover}: {text}"]
        play.push(step)
        if isinstance(step, (Sow, Redistribute)):
            told = display.sowing(
                before, before.sow(step), width=width, unicode=unicode, boards=False
            )
            lines += list(told) if laps else [list(told)[-1]]
        else:
            lines.append(standing())
        if part_of(play) != at:
            lines += [*part(), standing()]
        if play.is_over:
            winner = play.outcome.winner if kind == "Game" else play.winner
            stores = {"Game": "outcome", "Match": "totals", "Series": "points"}[kind]
            south, north = getattr(play, stores).stores if kind == "Game" else getattr(play, stores)
            how = f" ({play.outcome.end.replace('_', ' ')})" if kind == "Game" else ""
            result = "A draw" if winner == -1 else f"{PLAYERS[winner]} has won"
            lines.append(f"{result}, {south}-{north}{how}.")
        yield frame(lines, number)


def _start(
    name: str | None,
    pits: int | None,
    seeds: int | None,
    filled: int | None,
    options: list[str] | None,
    start: str | None,
) -> Rules | AnyPosition:
    """What the arguments name: a rule set with its sizes and options, or a position text."""
    if start is not None:
        if (name, pits, seeds, filled, options) != (None,) * 5:
            raise ValueError("--from names its own rules: give no rule set, sizes or options")
        from relaysow import Position

        return Position.from_text(typed.rules_first(start))
    if name is None:
        raise ValueError(f"a rule set is needed: {', '.join(RULE_SETS)}; or --from POSITION")
    if name not in RULE_SETS:
        near = typed.did_you_mean(name, RULE_SETS)
        known = ", ".join(RULE_SETS)
        raise ValueError(f"{shown(name)} is not a rule set: must be one of {known}{near}")
    function = RULE_SETS[name]
    sizes = {"pits": pits, "seeds": seeds, "filled": filled}
    sizes = {size: number for size, number in sizes.items() if number is not None}
    for size, number in sizes.items():
        if size not in signature(function).parameters:
            raise ValueError(f"--{size} {number}: {name} has no such size")
    chosen: dict[str, Any] = {}
    for text in options or ():
        option, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"--set {text}: must be OPTION=VALUE")
        option = typed.name(option, _OPTIONS)
        chosen[option] = _option(option, value.strip())
    if "setup" in chosen and sizes.keys() - {"pits"}:
        raise ValueError("--set setup=… gives every pit: give no --seeds or --filled beside it")
    return function(**sizes, **chosen)


_OPTIONS = [field.name for field in fields(Rules) if field.name != "pits"]


def _option(option: str, text: str) -> Any:
    """The value of a rules option from its text."""
    if option in CHOICES:
        try:
            return one_of(option, typed.name(text, CHOICES[option]), CHOICES[option])
        except ValueError as error:
            raise ValueError(f"{error}{typed.did_you_mean(text, CHOICES[option])}") from None
    try:
        if option == "setup":
            return tuple(typed.count(count) for count in text.split(","))
        if option in ("minimum_lift", "max_laps"):
            unlimited = (option, text.lower()) == ("max_laps", "none")
            return None if unlimited else typed.count(text)
    except ValueError as error:
        kind = "integers with commas between them" if option == "setup" else "an integer"
        raise ValueError(f"--set {option}={text}: must be {kind}: {error}") from None
    near = typed.did_you_mean(option, ["--pits", "--seeds", "--filled", *_OPTIONS])
    allowed = ", ".join(_OPTIONS)
    raise ValueError(
        f"--set {option}={text}: {option!r} is not an option: must be one of {allowed}{near}"
    )


def _pair(policy: str) -> str | tuple[str, str]:
    names = typed.policies(policy)
    if len(names) > 2:
        raise ValueError(f"--policy {policy}: must be one name or two, South's,North's")
    for name in names:
        try:
            policies_of(name)
        except ValueError as error:
            raise ValueError(f"{error}{typed.did_you_mean(name, POLICIES)}") from None
    return (names[0], names[1]) if len(names) == 2 else names[0]


@app.command()
def solve(
    name: Name = None,
    pits: Pits = None,
    seeds: Seeds = None,
    filled: Filled = None,
    options: Set = None,
    start: From = None,
    tablebase: LookUp = None,
    max_positions: Annotated[
        int | None, _number("Give up past so many positions; 25,000,000 by default.")
    ] = None,
) -> None:
    """Solve a position exactly: its result, the leads needed, every move, a line of play."""
    from relaysow.exact.analysis import MAX_POSITIONS
    from relaysow.exact.analysis import solve as solved_of
    from relaysow.simulation import start_of
    from relaysow.text.notation import line_to_text

    begin = perf_counter()
    position: Any = start_of(_start(name, pits, seeds, filled, options, start), "native")
    with _table(tablebase) as table:
        solved = solved_of(
            position,
            tablebase=table,
            max_positions=MAX_POSITIONS if max_positions is None else max_positions,
        )
    print(position.to_text())
    _print_values(position, solved, solved.moves)
    if solved.line:
        _paragraph(f"line: {line_to_text(position, solved.line)}", 0, 2)
    note(f"{perf_counter() - begin:.2f} s: {solved.positions:,} positions")


@app.command()
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
    depth: Annotated[int | None, _number("Search so many moves ahead, 1…200.")] = None,
    nodes: Annotated[int | None, _number("Search so many moves sown.")] = None,
    lines: Annotated[int, _number("How many of the best moves to tell.")] = 3,
    threads: Annotated[int, _number("Threads; with more than one results vary.")] = 1,
    tablebase: LookUp = None,
) -> None:
    """Search a position: its best moves, the lead to expect after each, and how play goes on.

    A score is the final lead of the player to move; = marks what is proved.  Ctrl-C ends the
    search with what was found.
    """
    from relaysow.exact.analysis import AnalysisInterrupted
    from relaysow.exact.analysis import analyse as analysis_of
    from relaysow.simulation import start_of
    from relaysow.text.notation import line_to_text

    position: Any = start_of(_start(name, pits, seeds, filled, options, start), "native")
    if (seconds, depth, nodes) == (None, None, None):
        seconds = 5
    interrupted = None
    with _table(tablebase) as table:
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
        _paragraph(f"{sign}{line.score:+5}  {line_to_text(position, line.moves)}", 0, 8)
    sure = ", exact" if found.exact else ""
    print(f"depth {found.depth}{sure}")
    rate = found.nodes / max(found.seconds, 1e-9)
    note(f"{found.seconds:.2f} s: {found.nodes:,} nodes, {rate:,.0f} nodes/s")
    if interrupted is not None:
        note(f"{interrupted}")
        raise typer.Exit(130)


def _table(path: str | None) -> AbstractContextManager[Tablebase | None]:
    from relaysow.exact.tablebase import Tablebase

    return nullcontext() if path is None else Tablebase.open(path)


def _progress(found: Analysis) -> None:
    """What was found so far, in a line that the next one takes the place of."""
    move = found.position.move_to_text(found.best_move)
    told = f"depth {found.depth}: {move} {found.score:+}, {found.nodes:,} nodes"
    print(f"\r\033[K{told}", end="", file=sys.stderr, flush=True)


@app.command()
def puzzle(
    name: Name = None,
    pits: Pits = None,
    options: Set = None,
    seeds: Annotated[int, _number("Seeds on the ring.")] = 8,
    to: Annotated[str, _word("win", "draw", help="win or draw.")] = "win",
    moves: Annotated[
        int | None, _number("How many moves the solver makes; any number by default.")
    ] = None,
    seed: Seed = 1,
    count: Annotated[int, _number("How many puzzles.")] = 1,
    tablebase: Annotated[
        str | None, typer.Option(help="Draw positions from this file; else a table is built.")
    ] = None,
    laps: Annotated[
        bool, typer.Option("--laps/--no-laps", help="Tell the solution lap by lap.")
    ] = True,
) -> None:
    """Compose positions in which one move alone keeps a win or a draw, with the solution."""
    from shutil import get_terminal_size

    from relaysow.exact.puzzle import puzzles
    from relaysow.text import board as display
    from relaysow.text.notation import PLAYERS

    rules = _start(name, pits, None, None, options, None)
    assert isinstance(rules, Rules)
    width = max(get_terminal_size((100, 24)).columns, display.MIN_WIDTH)
    unicode = can_print("▶·┌─")
    with _table(tablebase) as table:
        found = puzzles(rules, seeds, to, moves=moves, count=count, seed=seed, tablebase=table)
        for number, one in enumerate(found):
            here = one.position
            print(f"{chr(10) if number else ''}{display.board(here, width=width, unicode=unicode)}")
            print(f"{one.task}\n{one.to_text()}", flush=True)
            for move in one.solution if laps else ():
                print(f"\n{PLAYERS[here.mover]}: {here.move_to_text(move)}")
                told = here.sow(move)
                print(
                    *display.sowing(here, told, width=width, unicode=unicode, boards=False),
                    sep="\n",
                )
                here = here.play(move)


def _print_values(position: AnyPosition, worth: Value, moves: Mapping[Move, Value]) -> None:
    """What a position and its moves are worth; those that keep the result are marked."""
    print(_worth(worth))
    for move, value in moves.items():
        mark = "*" if value.result == worth.result else " "
        print(f"{mark} {position.move_to_text(move)}\t{_worth(value)}")


def _worth(value: Value) -> str:
    """A value in words, of the player to move."""
    result = {1: "win", 0: "draw", -1: "loss"}[value.result]
    win, draw = _lead(value.lead_to_win), _lead(value.lead_to_draw)
    return f"{result} (least lead to win {win}, to draw {draw})"


def _lead(lead: float) -> str:
    return "any" if lead < -MAX_SEEDS else "none" if lead > MAX_SEEDS else f"{lead:+}"


tablebases = typer.Typer(cls=Commands, help="Build, check and look up tables of exact values.")
app.add_typer(tablebases, name="tablebase")

TableFile = Annotated[str, typer.Argument(metavar="FILE", help="The file of the table.")]
Threads = Annotated[int | None, _number("Threads; all cores by default.")]


@tablebases.command("build")
def tablebase_build(
    path: TableFile,
    name: Name = None,
    pits: Pits = None,
    options: Set = None,
    max_seeds: Annotated[int, _number("The most seeds on the ring.")] = 8,
    threads: Threads = None,
    memory: Annotated[int, _number("Refuse to take more bytes.")] = 4 * 2**30,
) -> None:
    """Build the table of all positions with so many seeds, or go on with a build cut off."""
    from relaysow.exact.tablebase import Tablebase

    rules = _start(name, pits, None, None, options, None)
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


@tablebases.command("verify")
def tablebase_verify(path: TableFile, threads: Threads = None) -> None:
    """Check every entry of a table against what its moves lead to."""
    from relaysow.exact.tablebase import Tablebase

    with Tablebase.open(path) as table:
        table.verify(threads=threads, report=_total)
        print(f"{len(table):,} positions of {table.rules!r} are as they must be")


@tablebases.command("probe")
def tablebase_probe(
    path: TableFile,
    position: Annotated[str, typer.Argument(metavar="POSITION", help="The text of a position.")],
) -> None:
    """Look a position and its moves up."""
    from relaysow import Position
    from relaysow.exact.tablebase import Tablebase

    with Tablebase.open(path) as table:
        looked_up = Position.from_text(typed.rules_first(position))
        _print_values(looked_up, table.probe(looked_up), table.moves(looked_up))


def _total(total: int, positions: int, seconds: float) -> None:
    note(f"{total} seeds: {positions:,} positions, {seconds:.2f} s")


@app.command()
def rules(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", parser=_rule_set, help="A rule set.")
    ] = None,
) -> None:
    """List the rule sets and all options; of one rule set its values, source and reading."""
    if name is None:
        _paragraph("Rule sets (`relaysow rules NAME` tells all of one):")
        for known in RULE_SETS:
            _paragraph(f"{known:18} {_sizes(known)}: {READINGS[known]}", 2, 21)
        _paragraph("\nOptions (`--set OPTION=VALUE`; pits by `--pits`, 3…64 in each row):")
        for option, (meaning, values) in OPTIONS.items():
            _paragraph(f"{option:18} {meaning}", 2, 21)
            for value, effect in values.items():
                _paragraph(f"{value:22} {effect}", 4, 27)
        _paragraph(
            "\nRefused together: extra_direction=opposite or extra_pit=not_origin without "
            "uncrossed=moves_again; extra_direction=opposite without direction=either."
        )
        return
    chosen = _start(name, None, None, None, None, None)
    game = name.partition("_")[0]
    ordinary = RULE_SETS[game]()
    _paragraph(f"{name}: {_sizes(name)}\n\n{READINGS[name]}\n\n{GAMES[game]}\n\nSources:")
    for source in SOURCES[game]:
        _paragraph(source, 2, 4)
    print()
    for option, (meaning, values) in OPTIONS.items():
        if option != "setup":
            value, other = getattr(chosen, option), getattr(ordinary, option)
            differs = f" ({game}: {other})" if value != other else ""
            effect = values.get(str(value), "")
            _paragraph(f"{option} = {value}{differs}", 2, 4)
            _paragraph(f"{meaning}: {effect}".rstrip(": "), 4, 4)


def _sizes(name: str) -> str:
    """The board of a rule set as it is by default."""
    if name.startswith("kiothi"):
        defaults = {p.name: p.default for p in signature(RULE_SETS[name]).parameters.values()}
        return "2×{pits}, {seeds} seeds in each of the {filled} rightmost pits".format(**defaults)
    rules = RULE_SETS[name]()
    return f"2×{rules.pits}, {rules.setup[0]} seeds in every pit"


def _paragraph(text: str, indent: int = 0, hanging: int = 0) -> None:
    """Print text wrapped to the terminal's width, all lines but the first indented by `hanging`."""
    from shutil import get_terminal_size
    from textwrap import fill

    width = min(get_terminal_size((100, 24)).columns, 100)
    for line in text.split("\n"):
        print(fill(line, width, initial_indent=" " * indent, subsequent_indent=" " * hanging))


def main(arguments: list[str] | None = None) -> int:
    """Run the command with these arguments (of the process by default); returns its exit code.

    A mistake of the user's is one line on standard error and exit code 2, Ctrl-C is 130, a signal
    that asks to end 128 and its number, and a reader of a pipe that has gone away ends the command
    silently.
    """
    came: list[int] = []
    try:
        with standard_streams(), signals() as came:
            try:
                code = _run(list(sys.argv[1:] if arguments is None else arguments))
            except BrokenPipeError:
                code = BROKEN_PIPE
            code = flushed(code)
    except KeyboardInterrupt:  # a second one
        code = 130
    # CPython ends itself by SIGINT if KeyboardInterrupt has left code that was run from text, as
    # modules do while they are imported, unless such code has ended well since.
    exec("")  # noqa: S102
    return 128 + came[0] if came and code == 130 else code


def _run(words: list[str]) -> int:
    try:
        # Not `app()`, which answers to Ctrl-C and broken pipes in a way of its own.
        command = typer.main.get_command(app)
        _show_plainly(command)
        with command.make_context("relaysow", list(words)) as context:
            command.invoke(context)
        return 0
    except typer.Exit as done:
        return done.exit_code
    except SystemExit as done:  # of Rich, whose help found no reader
        if isinstance(done.__context__, BrokenPipeError):
            return BROKEN_PIPE
        raise
    except BrokenPipeError:
        raise
    except KeyboardInterrupt:
        note("relaysow: interrupted")
        return 130
    except OSError as error:
        if error.filename is None and not can_flush():  # `flushed` tells it
            return 0
        named = "" if error.filename is None else f"{error.filename}: "
        note(f"relaysow: {named}{error.strerror or error}")
        return 2
    except (ValueError, ImportError, MemoryError, OverflowError) as error:
        note(f"relaysow: {error}")
        return 2
    except Exception as error:
        # Typer's errors, whatever they derive from.
        told: Any = error
        if hasattr(error, "option_name") and hasattr(error, "possibilities"):
            known = told.ctx.command.get_params(told.ctx)
            options = [option for one in known for option in (*one.opts, *one.secondary_opts)]
            near = typed.did_you_mean(told.option_name, options)
            note(f"relaysow: No such option: {told.option_name}{near}")
        elif hasattr(error, "format_message"):
            note(f"relaysow: {told.format_message()}{typed.dashes(words)}")
        else:
            raise
        return 2


def _show_plainly(command: Any) -> None:
    """Have the help of a command laid out as it will be shown."""
    for told in (command, *command.params):
        if getattr(told, "help", None):
            told.help = plain(told.help)
    for below in getattr(command, "commands", {}).values():
        _show_plainly(below)
