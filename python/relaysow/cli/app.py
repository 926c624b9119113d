"""The command `relaysow`: its commands, and how it ends."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from relaysow import __version__
from relaysow.cli.commands.compare import check, perft
from relaysow.cli.commands.play import play, serve
from relaysow.cli.commands.rules import rules
from relaysow.cli.commands.show import replay, show
from relaysow.cli.commands.simulate import simulate
from relaysow.cli.commands.solve import analyse, puzzle, solve
from relaysow.cli.commands.tablebase import tablebase
from relaysow.cli.group import Commands
from relaysow.cli.terminal import (
    BROKEN_PIPE,
    can_flush,
    flushed,
    note,
    plain,
    signals,
    standard_streams,
)
from relaysow.text import slips as typed

COMMANDS = (
    simulate,
    check,
    perft,
    show,
    play,
    serve,
    replay,
    solve,
    analyse,
    puzzle,
    rules,
    tablebase,
)
"""All commands, as the help lists them: functions, and groups of them."""

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


for command in COMMANDS:
    if isinstance(command, typer.Typer):
        app.add_typer(command, name=command.info.name)
    else:
        app.command()(command)


@app.callback(invoke_without_command=True)
def _top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> None:
    if version:
        print(f"relaysow {__version__}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


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
