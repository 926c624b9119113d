"""A game in a terminal: the command `relaysow play`."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from copy import copy, deepcopy
from itertools import islice
from pathlib import Path
from random import Random
from shutil import get_terminal_size
from textwrap import fill
from time import monotonic, sleep
from typing import TYPE_CHECKING

from relaysow._support.checks import shown
from relaysow._support.files import named, written
from relaysow.exact.analysis import analyse
from relaysow.game import Game
from relaysow.moves import IllegalMove, Move, NotationError, Redistribute, Sow, Sowing
from relaysow.players.computer import choose
from relaysow.players.policies import POLICIES, policies_of
from relaysow.records import iter_records
from relaysow.rules import Rules
from relaysow.text import board as display
from relaysow.text import slips as typed
from relaysow.text.notation import PLAYERS, line_to_text
from relaysow.text.reading import bare, undecodable

if TYPE_CHECKING:
    from relaysow._core import Position

SEATS = ("human", *POLICIES)
"""Who may play a side."""

MAX_FRAMES = 40
"""The most laps of a sowing that are shown one after the other."""

HINT_NODES, MAX_HINT = 100_000, 8
"""How far a hint looks, in moves sown, and how many moves of its line are told."""

HELP = {
    "explain MOVE": "tell what a move would do, lap by lap, or why it is illegal",
    "explain": "tell which of your pits cannot be played, and why",
    "hint": "propose a move",
    "moves": "list the legal moves",
    "go": "let two computers play on to the end (Enter: one move)",
    "undo": "take back your last move, and what followed it",
    "board": "draw the board again (so does Enter)",
    "text": "print the position as text, for --from",
    "save FILE": "write the game as a record",
    "load FILE": "go on with the game of a record",
    "new": "begin again",
    "south WHO": f"let South be played by WHO: {', '.join(SEATS)}; so too north WHO",
    "pace SECONDS": "show every lap so long; 0 shows none; any key skips the laps that are left",
    "help": "tell all this",
    "quit": "leave (so does Ctrl-D)",
}

_CARET = re.compile(r"^column \d+: ")
_PLACED = re.compile(r"(?:([sn])?([0-9]{1,4})):([0-9]{1,4})")


class TerminalGame:
    """A game, who plays it, and a terminal to play it in.

    `seats` are South's and North's player, each one of `SEATS`; `pace` is how long a lap is shown,
    in seconds; `unicode=False` draws in ASCII.  Raises `ValueError` for another player or a
    negative pace.
    """

    def __init__(
        self,
        start: Rules | Position,
        seats: tuple[str, str] = ("human", "greedy"),
        *,
        seed: int | None = None,
        pace: float = 0.6,
        unicode: bool = True,
    ) -> None:
        self._game = Game(start)
        self._seats = [_seat(who) for who in seats]
        self._chance = Random(seed)
        self._pace = _seconds(pace)
        self._unicode = unicode
        self._runs = False  # two computers play on without being asked

    def __copy__(self) -> TerminalGame:
        return deepcopy(self)

    def run(self) -> None:
        """Play until the user leaves."""
        self._say('Type a move, or "help".')
        self._show()
        while True:
            if self._computer_is_due():
                self._make(self._choice())
                continue
            self._runs = False
            try:
                line = input(self._prompt())
            except EOFError:
                print()
                return
            except UnicodeDecodeError as error:
                raise undecodable(sys.stdin, error) from error
            command, _, rest = bare(line).partition(" ")
            if command.lower() in ("quit", "exit", "q"):
                return
            try:
                self._obey(command, rest.strip())
            except IllegalMove as error:
                self._say(f"Illegal: {self._reason(error)}. (explain tells more.)")
            except (ValueError, OSError) as error:
                self._say(_CARET.sub("", f"{error}", count=1))

    def load(self, path: str) -> None:
        """Go on with the game of a record, the only one of a file; raises as `iter_records`, and
        what that finds wrong."""
        record, *others = islice(iter_records(Path(path).expanduser()), 2)
        if isinstance(record, NotationError):
            raise record
        if others:
            raise ValueError(f"{path}: holds more than one record")
        if (kind := type(record.play).__name__.lower()) != "game":
            raise ValueError(f"{path}: the record is of a {kind}: only games are played here")
        assert isinstance(record.play, Game)
        self._game = record.play

    # -- whose turn it is

    def _computer_is_due(self) -> bool:
        if self._game.is_over or self._seats[self._game.position.mover] == "human":
            return False
        return self._runs or "human" in self._seats

    def _prompt(self) -> str:
        if self._game.is_over:
            return "over> "
        name = PLAYERS[self._game.position.mover]
        if "human" in self._seats:
            return f"{name}> "
        return f"{name} (Enter: the next move, go: all moves)> "

    def _choice(self) -> Move:
        """The move of the computer that is to move."""
        return choose(self._game, self._seats[self._game.position.mover], self._chance)

    # -- commands

    def _obey(self, command: str, rest: str) -> None:
        name = command.lower()
        wants, takes = name in ("save", "load", "south", "north", "pace"), name in ("explain", "?")
        if name in _COMMANDS:
            if wants and not rest:
                raise ValueError(f"{name}: what? See help.")
            if rest and not wants and not takes:
                raise ValueError(f"{name} takes nothing: {shown(rest)} is not understood")
            _COMMANDS[name](self, rest)
        elif not name and not self._game.is_over and "human" not in self._seats:
            self._make(self._choice())
        elif not name:
            self._show()
        elif name[0].isdigit() or name[0] == "=":
            self._make(self._move(f"{command}{rest}"))
        else:
            near = typed.did_you_mean(name, _COMMANDS)
            raise ValueError(f"{shown(command)} is neither a move nor a command: see help{near}")

    def _help(self, _: str) -> None:
        rules, position = self._game.position.rules, self._game.position
        signs = ("+", "-") if rules.direction == "either" else ("", "")
        lift, said = ("x2", "2 seeds of ") if rules.lift == "any" else ("", "")
        move = f"3{lift}{signs[0]}"
        if rules.direction == "either":
            self._say(f"{move} sows {said}your pit 3 counter-clockwise, 3{lift}- clockwise.")
        else:
            self._say(f"{move} sows {said}your pit 3, counter-clockwise.")
        if position.redistributions < 2:
            self._say(
                "5,6=3:4,n2:6 empties your pits 5 and 6 and places their seeds again, 4 in your "
                "pit 3 and 6 in North's pit 2 (s2 is South's)."
            )
        self._say("Your pits are numbered from your left, as the board shows.")
        for usage, meaning in HELP.items():
            self._say(f"{usage:13} {meaning}", 14)

    def _explain(self, text: str) -> None:
        if self._game.is_over:
            return self._tell_outcome()
        if not text:
            return self._explain_pits()
        position, move = self._game.position, self._move(text)
        try:
            told = position.sow(move)
        except IllegalMove as error:
            return self._say(f"Illegal: {self._reason(error)}.")
        laps = display.sowing(
            position, told, width=self._width(), unicode=self._unicode, boards=False
        )
        for lap in islice(laps, min(len(told.path), MAX_FRAMES)):
            print(lap)
        if len(told.path) > MAX_FRAMES:
            self._say(f"… and so on: {len(told.path) - MAX_FRAMES:,} more laps.")
        for sentence in display.ending(position.rules, told, display.sown(position, told)):
            self._say(sentence)
        if told.after is None:
            return None
        try:
            later = self._tried(move)
        except IllegalMove as error:
            self._say(f"The move is illegal: {self._reason(error)}.")
            return None
        if later.outcome is not None:
            self._say(f"It ends the game. {display.result(later.outcome)}")
        elif later.position.passed:
            self._say(f"{PLAYERS[1 - later.position.mover]} then has to pass.")
        return None

    def _explain_pits(self) -> None:
        position = self._game.position
        self._say(display.state(position))
        if position.redistributions < 2:
            return
        n, legal = position.rules.pits, list(self._game.legal_moves)
        playable = {move.pit for move in legal if isinstance(move, Sow)}
        for pit in range(position.mover * n, position.mover * n + n):
            if pit in playable:
                continue
            lift = position.pits[pit] or 1 if position.rules.lift == "any" else None
            way = position.direction or "ccw" if position.rules.direction == "either" else None
            try:
                self._tried(Sow(pit, lift, way))
            except IllegalMove as error:
                reason = self._reason(error)
                named = "" if f"pit {pit % n + 1} " in reason else f"pit {pit % n + 1}: "
                self._say(f"Not playable: {named}{reason}.", 4)

    def _hint(self, _: str) -> None:
        game = self._game
        if game.is_over:
            return self._tell_outcome()
        position = game.position
        if position.redistributions < 2:
            count = position.legal_moves.count
            move = position.legal_moves[self._chance.randrange(count)]
            return self._say(f"Hint: any of {count:,} will do, such as {self._written(move)}")
        found = analyse(game, nodes=HINT_NODES)
        line, score = found.lines[0], found.score
        told = line_to_text(position, line.moves[:MAX_HINT])
        more = " …" if len(line.moves) > MAX_HINT else ""
        if line.exact:
            what = ("draws", f"wins by {score}", f"loses by {-score}")[(score > 0) - (score < 0)]
        else:
            lead = ("level", f"{score} ahead", f"{-score} behind")[(score > 0) - (score < 0)]
            what = f"has you {lead} after {line.depth} moves"
        return self._say(f"Hint: {self._written(line.move)} {what}: {told}{more}")

    def _tried(self, move: Move) -> Game:
        """The game as it would be after a move."""
        later = copy(self._game)
        later.push(move)
        return later

    def _moves(self, _: str) -> None:
        moves = self._game.legal_moves
        listed = " ".join(self._written(move) for move in moves[:100])
        more = f" … and {moves.count - 100:,} more" if moves.count > 100 else ""
        self._say(f"Legal moves, {moves.count:,} in all: {listed}{more}", 2)

    def _undo(self, _: str) -> None:
        if not self._game.moves:
            raise ValueError("there is no move to undo")
        earlier = copy(self._game)
        while earlier.moves:
            earlier.undo()
            if "human" not in self._seats or self._seats[earlier.position.mover] == "human":
                break
        self._game = earlier
        self._show()

    def _save(self, name: str) -> None:
        path = Path(name).expanduser()
        if path.exists() and not _is_record(path):
            raise ValueError(f"{name} is there already, and is no record of a game")
        with written(path) as file, named(path):
            file.write(self._game.record().encode())
        self._say(f"Saved in {name}.")

    def _load(self, name: str) -> None:
        self.load(name)
        self._show()

    def _new(self, _: str) -> None:
        self._game = Game(self._game.start)
        self._show()

    def _board(self, _: str) -> None:
        self._show()

    def _text(self, _: str) -> None:
        print(self._game.position.to_text())

    def _go(self, _: str) -> None:
        if "human" in self._seats:
            raise ValueError("go is for a game of two computers")
        self._runs = True

    def _south(self, who: str) -> None:
        self._seats[0] = _seat(who)

    def _north(self, who: str) -> None:
        self._seats[1] = _seat(who)

    def _set_pace(self, seconds: str) -> None:
        self._pace = _seconds(seconds)

    # -- moves

    def _move(self, text: str) -> Move:
        """The move of a text; a redistribution may name the pits that are filled."""
        position, text = self._game.position, typed.move(text)
        emptied, equals, placed = text.partition("=")
        if not equals or ":" not in placed:
            return position.move_from_text(text)
        n, ring = position.rules.pits, [0] * (2 * position.rules.pits)
        for piece in placed.split(","):
            match = _PLACED.fullmatch(piece)
            if match is None:
                wanted = "must be a pit and its seeds, such as 3:4 or n2:6"
                raise NotationError(f"{shown(piece)}: {wanted}")
            side, pit, count = match.groups()
            if not 1 <= int(pit) <= n:
                raise NotationError(f"pit {shown(pit)}: must be 1…{n}")
            player = position.mover if side is None else "sn".index(side)
            ring[player * n + int(pit) - 1] += int(count)
        return position.move_from_text(f"{emptied}={','.join(map(str, ring))}")

    def _written(self, move: Move) -> str:
        """A move as `_move` reads it, in the shorter way."""
        text = self._game.position.move_to_text(move)
        if not isinstance(move, Redistribute):
            return text
        n, own = self._game.position.rules.pits, self._game.position.mover
        placed = (
            f"{'' if pit // n == own else 'sn'[pit // n]}{pit % n + 1}:{count}"
            for pit, count in enumerate(move.placed)
            if count
        )
        return f"{text.partition('=')[0]}={','.join(placed)}" if any(move.placed) else text

    def _make(self, move: Move) -> None:
        """Play a move and show how."""
        before = self._game.position
        text = self._written(move)
        self._game.push(move)
        told = before.sow(move)
        self._animate(before, told)
        laps = "" if not told.laps else ", 1 lap" if told.laps == 1 else f", {told.laps:,} laps"
        self._say(f"{PLAYERS[before.mover]}: {text}{laps}.")
        for sentence in display.ending(before.rules, told, display.sown(before, told)):
            self._say(sentence)
        self._show()

    def _animate(self, before: Position, told: Sowing[Position]) -> None:
        """Show the laps of a move, each in the place of the one before, until a key is pressed."""
        if self._pace == 0 or not (sys.stdin.isatty() and sys.stdout.isatty()):
            return
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        width, height = get_terminal_size()
        # As dense as it must be to leave room for the lap in words.
        drawn = self._drawn(before, height - 3)
        dense = 0 if drawn == self._drawn(before) else 1 if "\n\n" in drawn else 2
        frames = display.sowing(
            before,
            told,
            width=self._width(),
            unicode=self._unicode,
            boards=drawn.count("\n") + 3 < height and width >= display.MIN_WIDTH,
            dense=dense,
        )
        console = Console(highlight=False)
        with _keys() as pressed, Live(console=console, auto_refresh=False, transient=True) as live:
            for frame in islice(frames, min(len(told.path), MAX_FRAMES)):
                live.update(Text(frame, no_wrap=True, overflow="crop"), refresh=True)
                if pressed(self._pace):
                    break

    # -- what is shown

    def _show(self) -> None:
        position = self._game.position
        print(self._drawn(position, get_terminal_size((100, 40)).lines - 1))
        if self._game.is_over and not position.is_over:
            self._tell_outcome()

    def _drawn(self, position: Position, height: int | None = None) -> str:
        return display.board(position, width=self._width(), height=height, unicode=self._unicode)

    def _tell_outcome(self) -> None:
        outcome = self._game.outcome
        assert outcome is not None
        self._say(display.result(outcome))

    def _reason(self, error: IllegalMove) -> str:
        return display.reason(self._game.position, error)

    def _width(self) -> int:
        return max(get_terminal_size((100, 40)).columns, display.MIN_WIDTH)

    def _say(self, text: str, hanging: int = 0) -> None:
        print(fill(text, min(self._width(), 100), subsequent_indent=" " * hanging))


_COMMANDS: dict[str, Callable[[TerminalGame, str], None]] = {
    "help": TerminalGame._help,
    "explain": TerminalGame._explain,
    "?": TerminalGame._explain,
    "hint": TerminalGame._hint,
    "moves": TerminalGame._moves,
    "undo": TerminalGame._undo,
    "save": TerminalGame._save,
    "load": TerminalGame._load,
    "new": TerminalGame._new,
    "board": TerminalGame._board,
    "text": TerminalGame._text,
    "go": TerminalGame._go,
    "south": TerminalGame._south,
    "north": TerminalGame._north,
    "pace": TerminalGame._set_pace,
}


def _is_record(path: Path) -> bool:
    """Whether it is a file that begins as a record does; a pipe or a device is not read."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(14) == b"relaysow game "


def _seat(who: str) -> str:
    seat = typed.policy(who)
    if seat != "human":
        try:
            policies_of(seat)
        except ValueError:
            allowed = f"{', '.join(SEATS[:-1])} or {SEATS[-1]}"
            near = typed.did_you_mean(who, SEATS)
            raise ValueError(f"{shown(who)} cannot play: must be {allowed}{near}") from None
    return seat


def _seconds(text: str | float) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 60:
        raise ValueError(f"pace {text}: must be 0…60 seconds")
    return seconds


@contextmanager
def _keys() -> Iterator[Callable[[float], bool]]:
    """A function that waits so many seconds, or until a key is pressed, and says whether one was;
    meanwhile the terminal hands over every key at once and echoes none."""
    if sys.platform == "win32":
        import msvcrt

        def pressed(seconds: float) -> bool:
            end = monotonic() + seconds
            while monotonic() < end:
                if msvcrt.kbhit():
                    msvcrt.getwch()
                    return True
                sleep(0.02)
            return False

        yield pressed
    else:
        import select
        import termios
        import tty

        terminal = sys.stdin.fileno()
        kept = termios.tcgetattr(terminal)

        def pressed(seconds: float) -> bool:
            left, end = seconds, monotonic() + seconds
            # Bit by bit: of a Ctrl-C that comes just before such a wait Python hears after it.
            while not select.select([terminal], [], [], min(left, 0.1))[0]:
                left = end - monotonic()
                if left <= 0:
                    return False
            os.read(terminal, 64)  # an arrow key sends several characters
            return True

        try:
            tty.setcbreak(terminal)
            yield pressed
        finally:
            with suppress(termios.error):  # it may be gone
                termios.tcsetattr(terminal, termios.TCSADRAIN, kept)
