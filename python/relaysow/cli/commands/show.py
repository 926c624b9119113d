"""The commands that show positions and recorded games: show, replay."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

import typer

from relaysow._core import Position
from relaysow.cli.printing import drawing, paragraph
from relaysow.cli.terminal import note
from relaysow.moves import NotationError, Redistribute, Sow
from relaysow.text import slips as typed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from relaysow.records import Record


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
    from relaysow.text import board as display
    from relaysow.text.notation import rules_from_text

    position = typed.rules_first(position)
    is_rules = " " not in position
    here = rules_from_text(position).start() if is_rules else Position.from_text(position)
    played = None if move is None else here.move_from_text(typed.move(move))
    told = None if played is None else here.sow(played)
    drawn = drawing()
    print(display.board(here, **drawn))
    if told is not None:
        for part in display.sowing(here, told, **drawn, boards=boards):
            print(f"\n{part}")
        if told.after is not None:
            print(f"\n{told.after.to_text()}")
        return
    print(f"\n{here.to_text()}")
    moves = here.legal_moves
    if moves:
        listed = " ".join(here.move_to_text(one) for one in moves[:100])
        more = f" … and {moves.count - 100:,} more" if moves.count > 100 else ""
        paragraph(f"{moves.count:,} legal moves: {listed}{more}", 0, 2)


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
    from relaysow.records import iter_records

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
    from relaysow.records.plays import fresh, part_of, step_to_text, steps_of
    from relaysow.text import board as display
    from relaysow.text.notation import PLAYERS, rules_to_text

    drawn = drawing()
    play: Any = fresh(record.play)
    kind = type(play).__name__
    heads = {"Match": "Round", "Series": "Game"}

    def standing() -> str:
        """The board as it stands, or what is due instead."""
        if play.position is None:
            told = f"{PLAYERS[play.to_act]} is to lay out {play.layouts.seeds} seeds"
            return f"{told} in {play.pits} pits."
        return display.board(play.position, **drawn)

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
            told = display.sowing(before, before.sow(step), **drawn, boards=False)
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
