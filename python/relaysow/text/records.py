"""Records: games, matches, series and commented positions as text, read strictly or leniently.

A record is lines of text; its numbers, rules, moves and positions are those of `relaysow.text.notation`:

    record       = "relaysow " kind " 1" newline { tag newline } [ newline body ]
    kind         = "game" | "match" | "series"
    tag          = "[" name ' "' text '"]'
    body         = [ comment newline ] ( { turn newline } | part { newline part } )    (game | else)
    part         = head newline { layout newline } { turn newline }
    head         = ( "round " | "game " ) number ": " number "-" number       (match | series)
    layout       = player " " ( "shorten" | row ) [ " " comment ]
    turn         = number ". " player " " said { " " said }
    said         = move [ " " comment ]
    comment      = "{" text "}"
    row          = number { "," number }

* The tags stand in any order, once each.  Any record has `Rules` and `Result`: `South`, `North`,
  `draw`, or `*` if it has not ended; and it may have `Event`, `Place`, `Date` (`1972`, `1972-05` or
  `1972-05-31`), and the names of the players, `South` and `North`.
* A game has `Start`, a position, unless it began at the opening of the rules; and once it has ended
  `Stores`, South's and North's, such as `40-24`, and `End`, a name of an ending.  A position with a
  comment is a game without moves.
* A match has `Scheme`, `First` (`South` or `North`), `Twice` unless it is `asked`, and `Totals`
  once it has ended; a series `First`, `BestOf` and `OneWarrior` unless they are none and 1, and
  `Points`.
* A turn stands on its own line: its number in the game, who plays, the moves (the extra moves it
  earned included).  A head tells the number of the round or game and the totals or points at its
  start.  A lay-out is the player's row from his own left.
* A comment is on the position that the step before it led to, or on the first.  In comments and
  tags `\\n` is a new line, `\\uXXXX` the character of that hexadecimal number; a backslash also
  stands before a backslash, quotation mark or brace that is meant as such.

Nothing else is allowed when a record is read strictly; only its lines may end as on any system (LF,
CR LF, CR), a byte-order mark may stand before the first, and the last one may be followed by empty
ones or lack its own end.  Of several records in a text each begins at its line `relaysow …`, with
an empty line before it, whatever is wrong with the one before.  A lenient reader forgives how it is
written, never what was played: spaces, empty lines and line breaks anywhere, typographic minus
signs, small letters, heads, numbers of turns and players left out, numbers, results and heads that
are wrong, tags unknown, doubled or in disorder, two comments on a position.  It keeps a list of
what it overlooked, each with line and column.  Either reader plays the record again, and refuses
illegal steps.
"""

from __future__ import annotations

import os
import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from datetime import date
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from relaysow._support.checks import flag, instance, listed, path, shown, whole_number
from relaysow._support.public import public
from relaysow._support.reloading import once
from relaysow.moves import Move, NotationError, Outcome, Redistribute, Sow
from relaysow.rules import Rules
from relaysow.text.notation import (
    MAX_TEXT,
    PLAYERS,
    Piece,
    move_of,
    move_to_text,
    position_of,
    rules_of,
    rules_to_text,
    to_text,
)
from relaysow.text.reading import LONGEST, MARK, Source, lines_of, name_of

if TYPE_CHECKING:
    from relaysow.game import Game
    from relaysow.match import Match, Series
    from relaysow.text.notation import AnyPosition

once(__name__)

INFO = ("Event", "Place", "Date", "South", "North")
"""The tags that a user gives."""

_TAGS = {
    "game": ("Rules", "Start", "Result", "Stores", "End"),
    "match": ("Rules", "Scheme", "Twice", "First", "Result", "Totals"),
    "series": ("Rules", "BestOf", "OneWarrior", "First", "Result", "Points"),
}
_HEADS = {"game": "", "match": "round", "series": "game"}

_TEXT = r"(?:[^{}\\\x00-\x1f\x7f]|\\[^\x00-\x1f\x7f])*"
_VERSION = re.compile(r"relaysow (game|match|series) 1")
_BEGIN = re.compile(rf"{MARK}?\s*relaysow\b")  # what is wrong with it is told where it is read
_LOOSE_BEGIN = re.compile(rf"{MARK}?\s*relaysow (game|match|series) [0-9]+\s*$")
_TAG = re.compile(r'\[([A-Za-z]+) "((?:[^"\\\x00-\x1f\x7f]|\\[^\x00-\x1f\x7f])*)"\]')
_HEAD = re.compile(r"(round|game) ([0-9]+): ([0-9]+-[0-9]+)")
_TURN = re.compile(rf"([0-9]+)\. ([SN])((?: [^ {{}}]+(?: \{{{_TEXT}\}})?)+)")
_LAYOUT = re.compile(rf"([SN])( (?:shorten|[0-9,]+)(?: \{{{_TEXT}\}})?)")
_COMMENT = re.compile(rf"\{{{_TEXT}\}}")
_SAID = re.compile(rf" (\{{{_TEXT}\}}|[^ {{}}]+)")

_LOOSE_TAG = re.compile(r'\s*\[\s*([A-Za-z]+)\s*"((?:[^"\\]|\\.)*)"\s*\]\s*')
_LOOSE_WORD = re.compile(r"\{(?:[^{}\\]|\\.)*\}|[^\s{}]+|[{}]", re.DOTALL)
_LOOSE_LABEL = re.compile(r"[0-9]+\.+")
_NOT_UTF8 = re.compile(r"[\udc80-\udcff]")
_MINUS = str.maketrans("−–", "--")


class GameLike(Protocol):
    """What `record` and `replay` need of a game; its class is called with rules or a position."""

    @property
    def start(self) -> Any: ...
    @property
    def position(self) -> Any: ...
    @property
    def moves(self) -> tuple[Move, ...]: ...
    @property
    def is_over(self) -> bool: ...
    @property
    def outcome(self) -> Outcome | None: ...
    def push(self, move: Move) -> None: ...


G = TypeVar("G", bound=GameLike)
Play = Any  # a GameLike, Match or Series


@public
@dataclass(frozen=True, slots=True)
class Record:
    """A game, match or series with what is told of it.

    `play` is a `Game` (without moves: a position), a `Match` or a `Series`; `tags` may hold
    `Event`, `Place`, `Date` (`"1972"`, `"1972-05"` or `"1972-05-31"`) and the players' names,
    `South` and `North`; `comments` what is said of the position after so many steps, 0 the first.
    `overlooked` tells what a lenient reader forgave; it takes no part in equality.

    Raises `TypeError` or `ValueError`, naming what is wrong, for anything else.

    >>> from relaysow import Game, Record, Sow, giuthi
    >>> game = Game(giuthi(pits=5, seeds=4))
    >>> game.push(Sow(0, direction="ccw"))
    >>> record = Record(game, {"South": "greedy", "Date": "1972-05"}, {1: "five {at once}"})
    >>> print(record.to_text(), end="")
    relaysow game 1
    [Date "1972-05"]
    [South "greedy"]
    [Rules "giuthi(pits=5,seeds=4)"]
    [Result "*"]
    <BLANKLINE>
    1. S 1+ {five \\{at once\\}}
    >>> Record.from_text(record.to_text()) == record
    True
    """

    play: Game | Match | Series
    tags: Mapping[str, str] = field(default_factory=dict)
    comments: Mapping[int, str] = field(default_factory=dict)
    overlooked: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        from relaysow.game import Game
        from relaysow.match import Match, Series

        instance("play", self.play, (Game, Match, Series), "a Game, Match or Series")
        for name, value in (("tags", self.tags), ("comments", self.comments)):
            instance(name, value, Mapping, "a mapping")
            for key, text in value.items():
                instance(f"{name}[{shown(key)}]", text, str, "a string")
        for name, text in self.tags.items():
            if name not in INFO:
                raise ValueError(f"tags[{shown(name)}]: must be one of {', '.join(INFO)}")
            if reason := _why_not(name, text):
                raise ValueError(f"tags[{name!r}]={shown(text)}: {reason}")
        steps = len(steps_of(self.play))
        for number, text in self.comments.items():
            if not 0 <= whole_number("comments", number) <= steps:
                raise ValueError(f"comments[{shown(number)}]: must be 0…{steps}, a number of steps")
            if not text:
                raise ValueError(f"comments[{number}] is empty: it must say something")
        instance("overlooked", self.overlooked, (tuple, list), "a tuple of strings")
        for told in self.overlooked:
            instance("overlooked", told, str, "a tuple of strings")
        object.__setattr__(self, "overlooked", tuple(self.overlooked))
        object.__setattr__(self, "tags", MappingProxyType(dict(self.tags)))
        comments = {whole_number("comments", at): self.comments[at] for at in sorted(self.comments)}
        object.__setattr__(self, "comments", MappingProxyType(comments))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Record):
            return NotImplemented
        return (
            _setting(self.play) == _setting(other.play)
            and steps_of(self.play) == steps_of(other.play)
            and (self.tags, self.comments) == (other.tags, other.comments)
        )

    __hash__ = None  # type: ignore[assignment]  # what was played goes on

    def __copy__(self) -> Record:
        """A record of a copy of the play, which then goes its own way."""
        return Record(copy(self.play), self.tags, self.comments, self.overlooked)

    def __reduce__(self) -> tuple[Any, ...]:
        return Record, (self.play, dict(self.tags), dict(self.comments), self.overlooked)

    def to_text(self) -> str:
        """The record as text; `from_text` gives it back."""
        return _write(self.play, self.tags, self.comments)

    @classmethod
    def from_text(cls, text: str, lenient: bool = False) -> Record:
        """The record of a text, played again.

        Raises `NotationError`, saying at which line and column, for text that breaks the grammar
        (or, `lenient`, that cannot be understood), for illegal steps and impossible rules, and
        for more than one record; `TypeError` for anything but a string and a flag.

        >>> from relaysow import Record
        >>> text = 'relaysow game 1\\n[Rules "engehe"] \\n[Result "*"]\\n\\n1. 3  40'
        >>> for line in Record.from_text(text, lenient=True).overlooked:
        ...     print(line)
        line 2, column 1: tag '[Rules "engehe"] ': must be a name and a text, such as [Rules "giuthi"]
        line 5, column 7: move '40': the turn is over: the next one must have its own line
        """
        records = read_records(text, lenient)
        if len(records) > 1:
            _, (before, (line, *_)) = islice(_parts(_lines(text), lenient), 2)
            raise Piece(line, 1, before + 1).error("record", "must be the only one")
        return records[0]


@public
def read_records(text: str, lenient: bool = False) -> list[Record]:
    """All records of a text, one or more, parted by empty lines.  Raises like `Record.from_text`.

    >>> from relaysow import read_records
    >>> text = 'relaysow game 1\\n[Rules "kiothi()"]\\n[Result "*"]\\n'
    >>> len(read_records(text + "\\n" + text))
    2
    """
    lenient = flag("lenient", lenient)
    return [_read(before, lines, lenient) for before, lines in _parts(_lines(text), lenient)]


@public
def iter_records(source: Source, lenient: bool = False) -> Iterator[Record | NotationError]:
    """The records of a file one by one, in the memory of one; for one that cannot be read, why.

    `source` is a path, an open file (of text or bytes) or its lines.  A record that breaks the
    grammar, or has bytes that are not UTF-8 or more than 4,194,304 characters, comes as the
    `NotationError` that `read_records` raises, with the name of the file before it, and the next
    one is read as ever.

    Raises `OSError` for a file that cannot be read, `NotationError` for one in UTF-16 or UTF-32,
    `ValueError` for text in place of a path, `TypeError` for any other source and for what is no
    flag.

    >>> from relaysow import NotationError, iter_records
    >>> text = 'relaysow game 1\\n[Rules "kiothi"]\\n[Result "*"]\\n'
    >>> for found in iter_records([text.replace("kiothi", "kiothi(pits=2)"), "", text]):
    ...     print(found if isinstance(found, NotationError) else found.play)
    line 2, column 9: pits=2: must be 3…64 pits in each row
    <Game of kiothi(): 0 moves, South to move>
    """
    lenient = flag("lenient", lenient)
    if isinstance(source, str) and re.search(r"[\n\r]", source):
        raise ValueError("source has more than one line: must be a path; read_records reads text")
    if isinstance(source, (str, os.PathLike)):
        path("source", source)
    elif not hasattr(source, "read"):
        source = listed("source", source, "a path, an open file or lines")
    return _found(source, lenient)


def _found(source: Source, lenient: bool) -> Iterator[Record | NotationError]:
    name = name_of(source)
    for before, lines in _parts(lines_of(source), lenient, LONGEST):
        try:
            for number, line in enumerate(lines, start=before + 1):
                if foreign := _NOT_UTF8.search(line):
                    piece = Piece(line, 1, number).part(*foreign.span())
                    raise piece.refusal(f"byte 0x{ord(foreign[0]) - 0xDC00:02x}: must be UTF-8")
            yield _read(before, lines, lenient, LONGEST)
        except NotationError as error:
            # Without its traceback, which would keep the record in memory.
            told = f"{error}" if name is None else f"{name}: {error}"
            yield NotationError(told, file=name, line=error.line, column=error.column)


def _read(before: int, lines: list[str], lenient: bool, longest: int = sys.maxsize) -> Record:
    """The record of these lines, with so many before them in the text."""
    from relaysow.game import Game

    if _size(lines) > longest:
        last = Piece(lines[-1], 1, before + len(lines))
        raise last.error("record", f"must have at most {longest:,} characters")
    reader = _Reader(lines, before, lenient)
    play = reader.read(Game)
    return Record(play, reader.info, reader.comments, tuple(reader.overlooked))


def _parts(
    lines: Iterable[str], lenient: bool, longest: int = sys.maxsize
) -> Iterator[tuple[int, list[str]]]:
    """The lines of each record, with the number of lines before them; of a longer one as many as
    show it."""
    before, size = 0, 0
    part: list[str] = []
    for number, line in enumerate(lines):
        if part and (_LOOSE_BEGIN if lenient else _BEGIN).match(line):
            blank = lenient and not "".join(part).strip(f"{MARK} \t")
            if not blank:
                if not lenient and part[-1] and size <= longest:
                    part.append(line)  # amid what came before: refused there too
                yield before, part
                before, part, size = number, [], 0
        if size <= longest:
            part.append(line)
            size += len(line) + 1
    yield before, part


def _size(lines: list[str]) -> int:
    return sum(map(len, lines)) + len(lines)


def _lines(text: str) -> list[str]:
    instance("text", text, str, "a string")
    return re.split(r"\r\n|\n|\r", text)


def record(game: GameLike) -> str:
    """A game as text that `replay` plays again.

    >>> from relaysow import Game, Sow, giuthi
    >>> game = Game(giuthi(pits=5, seeds=4))
    >>> game.push(Sow(0, direction="ccw"))
    >>> print(record(game), end="")
    relaysow game 1
    [Rules "giuthi(pits=5,seeds=4)"]
    [Result "*"]
    <BLANKLINE>
    1. S 1+
    """
    return _write(game, {}, {})


def replay(text: str, game: Callable[[Any], G]) -> G:
    """The game of a record, read strictly and played again by `game`, a class such as `Game`.

    Raises `NotationError`, saying at which line and column, for text that breaks the grammar, an
    illegal move, a turn of the wrong player, moves on after the end, a result or start that the
    moves or rules do not give, or a record of anything but one game; `TypeError` for anything but a
    string.

    >>> from relaysow import Game
    >>> replay('relaysow game 1\\n[Rules "engehe"]\\n[Result "*"]\\n\\n1. N 3\\n', Game)
    Traceback (most recent call last):
    ...
    relaysow.NotationError: line 5, column 4: player 'N': South is to move
    """
    played: G = _Reader(_lines(text), 0, lenient=False).read(game, kinds=("game",))
    return played


def steps_of(play: Play) -> tuple[Any, ...]:
    """The steps of a game, match or series."""
    steps: tuple[Any, ...] = play.moves if _kind(play) == "game" else play.steps
    return steps


def fresh(play: Play) -> Play:
    """The same game, match or series before its first step."""
    kind = _kind(play)
    if kind == "game":
        return type(play)(play.start)
    if kind == "match":
        return type(play)(play.rules, play.scheme, play.first, play.twice)
    return type(play)(play.rules, play.best_of, play.one_warrior, play.first)


def state_of(play: Play, base: Any, *begun: Any) -> dict[str, Any]:
    """What a play is pickled as: what its class began it with, its steps, and what else a subclass
    has."""
    own = vars(base(*begun))
    rest = {name: value for name, value in vars(play).items() if name not in own}
    return {"begun": begun, "steps": steps_of(play), "rest": rest}


def restore(play: Play, base: Any, state: Any) -> None:
    """Play again what was pickled, all of it checked: a pickle may be foreign."""
    if not isinstance(state, dict) or state.keys() != {"begun", "steps", "rest"}:
        raise TypeError(f"this is not the pickled state of a {base.__name__}: {shown(state)}")
    base.__init__(play, *state["begun"])
    rest = dict(state["rest"])
    if own := vars(play).keys() & rest:
        names = ", ".join(map(shown, sorted(own)))
        raise TypeError(f"the pickled state of a {base.__name__} sets what is its own: {names}")
    for step in state["steps"]:
        base.push(play, step)
    play.__dict__ |= rest


def part_of(play: Play) -> tuple[int, tuple[int, int]]:
    """The number of the present round or game and the totals or points at its start; (0, …) for a
    game by itself."""
    kind = _kind(play)
    if kind == "match":
        return play.round.number, play.round.totals
    return (len(play.games), play.points) if kind == "series" else (0, (0, 0))


def step_to_text(play: Play, step: Any) -> str:
    """A step of a game, match or series as a record has it, in the present position of `play`."""
    if isinstance(step, (Sow, Redistribute)):
        return move_to_text(play.position, step)
    return ",".join(map(str, step.row)) if hasattr(step, "row") else "shorten"


def _kind(play: Play) -> str:
    names = {one.__name__ for one in type(play).__mro__}
    return "match" if "Match" in names else "series" if "Series" in names else "game"


def _setting(play: Play) -> tuple[Any, ...]:
    """What `fresh` makes a play from."""
    kind = _kind(play)
    if kind == "game":
        return kind, play.start
    if kind == "match":
        return kind, play.rules, play.scheme, play.first, play.twice
    return kind, play.rules, play.best_of, play.one_warrior, play.first


def _to_act(play: Play) -> int | None:
    if play.is_over:
        return None
    mover: int | None = play.to_act if _kind(play) == "match" else play.position.mover
    return mover


def _write(play: Play, info: Mapping[str, str], comments: Mapping[int, str]) -> str:
    kind = _kind(play)
    again = fresh(play)
    tags = {name: _escaped(info[name], '"') for name in INFO if name in info}
    rules: Rules = play.start.rules if kind == "game" else play.rules
    tags["Rules"] = rules_to_text(rules)
    if kind == "game" and play.start != type(play.start).start(rules):
        tags["Start"] = to_text(play.start)
    if kind == "match":
        tags |= {"Scheme": play.scheme} | ({"Twice": play.twice} if play.twice != "asked" else {})
    if kind == "series":
        tags |= {"BestOf": str(play.best_of)} if play.best_of is not None else {}
        tags |= {"OneWarrior": str(play.one_warrior)} if play.one_warrior != 1 else {}
    if kind != "game":
        tags["First"] = PLAYERS[play.first]
    tags |= _result(play)

    def said(number: int) -> str:
        return f" {{{_escaped(comments[number], '{}')}}}" if number in comments else ""

    lines = [f"relaysow {kind} 1", *(f'[{name} "{value}"]' for name, value in tags.items())]
    if opening := said(0):
        lines += ["", opening[1:]]
    part, turn, goes_on = -1, 0, False
    for number, step in enumerate(steps_of(play), start=1):
        at, (south, north) = part_of(again)
        if at != part:
            if part != -1 or not opening:
                lines.append("")
            if kind != "game":
                lines.append(f"{_HEADS[kind]} {at}: {south}-{north}")
            part, turn, goes_on = at, 0, False
        player = PLAYERS[_to_act(again) or 0][0]
        text = step_to_text(again, step) + said(number)
        if not isinstance(step, (Sow, Redistribute)):
            lines.append(f"{player} {text}")
        elif goes_on:
            lines[-1] += f" {text}"
        else:
            turn += 1
            lines.append(f"{turn}. {player} {text}")
        goes_on = _push(again, step)
    return "\n".join(lines) + "\n"


def _push(play: Play, step: Any) -> bool:
    """Makes a step; whether the same turn goes on."""
    before, part = play.position, part_of(play)[0]
    play.push(step)
    after = play.position
    if before is None or after is None or part_of(play)[0] != part:
        return False
    same: bool = after.mover == before.mover and not after.passed
    return same


def _result(play: Play) -> dict[str, str]:
    """The tags that tell how a play has ended."""
    kind = _kind(play)
    if kind == "game":
        outcome = play.outcome
        if outcome is None:
            return {"Result": "*"}
        return {
            "Result": (*PLAYERS, "draw")[outcome.winner],
            "Stores": f"{outcome.stores[0]}-{outcome.stores[1]}",
            "End": outcome.end,
        }
    if play.winner is None:
        return {"Result": "*"}
    south, north = play.totals if kind == "match" else play.points
    return {
        "Result": (*PLAYERS, "draw")[play.winner],
        "Totals" if kind == "match" else "Points": f"{south}-{north}",
    }


def _why_not(name: str, text: str) -> str | None:
    """Why a tag of the user's cannot have this text."""
    if len(_escaped(text, '"')) > MAX_TEXT:
        return f"must be at most {MAX_TEXT} characters"
    if name == "Date":
        try:
            if not re.fullmatch(r"[0-9]{4}(-[0-9]{2}){0,2}", text):
                raise ValueError
            date.fromisoformat(text + "-01-01"[len(text) - 4 :])
        except ValueError:
            return "must be a date such as 1972, 1972-05 or 1972-05-31"
    return None


def _escaped(text: str, marks: str) -> str:
    """Text for a tag or comment, which ends at one of the marks."""

    def escape(found: re.Match[str]) -> str:
        c = found[0]
        return "\\n" if c == "\n" else f"\\{c}" if c in marks + "\\" else f"\\u{ord(c):04x}"

    return re.sub(rf"[{re.escape(marks)}\\\x00-\x1f\x7f\ud800-\udfff]", escape, text)


class _Reader:
    """Reads one record; what a lenient reader forgives goes to `overlooked`."""

    def __init__(self, lines: list[str], first_line: int, lenient: bool) -> None:
        self.lenient = lenient
        self.overlooked: list[str] = []
        self.info: dict[str, str] = {}
        self.comments: dict[int, str] = {}
        self.lines = [
            Piece(line.removeprefix(MARK) if number == 1 else line, 1, first_line + number)
            for number, line in enumerate(lines, start=1)
        ]
        self.steps = self.turn = 0
        self.goes_on = self.labelled = self.headed = False

    def forgive(self, piece: Piece, name: str, wanted: str) -> None:
        """Refuses the piece, or overlooks it if the reader is lenient."""
        error = piece.error(name, wanted)
        if not self.lenient:
            raise error
        self.overlooked.append(str(error))

    def read(self, game: Callable[[Any], GameLike], kinds: tuple[str, ...] = tuple(_TAGS)) -> Play:
        at = self.read_version(kinds)
        empty = self.read_tags(at)
        self.play = self.make(game)
        self.at = part_of(self.play)[0]
        for piece, what in self.loose(empty) if self.lenient else self.strict(empty + 1):
            getattr(self, f"take_{what}")(piece)
        result = _result(self.play)
        for name in ("Result", "Stores", "End", "Totals", "Points"):
            if name in self.tags and self.tags[name].text != result.get(name):
                shown = repr(result[name]) if name in result else "none, it has not ended"
                self.forgive(self.tags[name], name, f"the moves give {shown}")
            if name in result and name not in self.tags and name != "Result":  # told already
                self.forgive(self.last_tag, "tags end with", f"the tag {name} is missing")
        return self.play

    def read_version(self, kinds: tuple[str, ...]) -> int:
        """Sets the kind of the record; the number of its first line of tags."""
        at = 0
        if self.lenient:
            while at < len(self.lines) and not self.lines[at].text.strip(f"{MARK} \t"):
                at += 1
            if at == len(self.lines):
                raise self.lines[0].error("record", "must not be empty")
        first = self.lines[at]
        text = first.text.strip(f"{MARK} \t") if self.lenient else first.text
        wanted = " or ".join(f"'relaysow {kind} 1'" for kind in kinds)
        if (match := _VERSION.fullmatch(text)) and match[1] in kinds:
            self.kind = match[1]
            if text != first.text:
                self.forgive(first, "version", f"must be '{text}'")
            return at + 1
        if not self.lenient or text.startswith("relaysow"):
            raise first.error("version", f"must be {wanted}")
        self.kind = "game"
        for line in self.lines[at:]:
            tag = _LOOSE_TAG.fullmatch(line.text)
            if tag and tag[1] in ("Scheme", "BestOf", "OneWarrior"):
                self.kind = "match" if tag[1] == "Scheme" else "series"
        self.forgive(first, "version", f"must be 'relaysow {self.kind} 1'")
        return at

    def read_tags(self, at: int) -> int:
        """Reads the tags from this line on; the number of the line after them."""
        known = (*_TAGS[self.kind], *INFO)
        while len(self.lines) > 1 and not self.lines[-1].text:
            self.lines.pop()
        self.tags: dict[str, Piece] = {}
        self.last_tag = self.lines[at - 1 if at else 0]
        while at < len(self.lines):
            line = self.lines[at]
            if self.lenient and not line.text.strip():
                at += 1
                continue
            if not line.text or (self.lenient and not line.text.lstrip().startswith("[")):
                break
            at += 1
            match = _TAG.fullmatch(line.text)
            if not match:
                wanted = """must be a name and a text, such as [Rules "giuthi"]"""
                self.forgive(line, "tag", wanted)
                match = _LOOSE_TAG.fullmatch(line.text)
                if not match:
                    continue
            self.last_tag = line
            key, value = line.part(*match.span(1)), line.part(*match.span(2))
            if key.text not in known:
                self.forgive(key, "tag", f"must be one of {', '.join(known)}")
            elif key.text in self.tags:
                self.forgive(key, "tag", "is given twice")
            else:
                self.tags[key.text] = value
                if len(value.text) > MAX_TEXT:
                    raise value.error(key.text, f"must be at most {MAX_TEXT} characters")
        for name in INFO:
            if name in self.tags:
                text = self.unescaped(self.tags[name])
                if reason := _why_not(name, text):
                    self.forgive(self.tags[name], name, reason)
                else:
                    self.info[name] = text
        needed = {"match": ("Rules", "Scheme", "First"), "series": ("Rules", "First")}
        for name in needed.get(self.kind, ("Rules",)):
            if name not in self.tags:
                raise self.last_tag.error("tags end with", f"the tag {name} is missing")
        if "Result" not in self.tags:
            self.forgive(self.last_tag, "tags end with", "the tag Result is missing")
        return at

    def make(self, game: Callable[[Any], GameLike]) -> Play:
        """The game, match or series that the tags name."""
        tag = self.tags["Rules"]
        if self.lenient and re.search(r"\s", tag.text):
            self.forgive(tag, "Rules", "must be without spaces")
            tag = Piece(re.sub(r"\s", "", tag.text), tag.column, tag.line)
        with _at(tag):
            rules = rules_of(tag)
            if self.kind == "game":
                play = game(rules)
        if self.kind == "game":
            if "Start" in self.tags:
                with _at(self.tags["Start"]):
                    start = position_of(self.tags["Start"], type(play.start))
                    if start.rules != play.start.rules:
                        raise self.tags["Start"].error(
                            "Start", "has rules other than the tag Rules"
                        )
                    play = game(start)
            return play
        from relaysow.match import SCHEMES, TWICE, Match, Series

        first = PLAYERS.index(self.word("First", PLAYERS))
        if self.kind == "match":
            scheme = self.word("Scheme", SCHEMES)
            twice = self.word("Twice", TWICE) if "Twice" in self.tags else "asked"
            with _at(tag):
                return Match(rules, scheme, first, twice)
        best_of, weight = self.number("BestOf"), self.number("OneWarrior")
        for name in ("BestOf", "OneWarrior"):
            if self.number(name) == 0:
                raise self.tags[name].error(name, "must be at least 1")
        with _at(tag):
            return Series(rules, best_of, 1 if weight is None else weight, first)

    def word(self, name: str, words: tuple[str, ...]) -> str:
        if self.tags[name].text not in words:
            raise self.tags[name].error(name, f"must be {' or '.join(words)}")
        return self.tags[name].text

    def number(self, name: str) -> int | None:
        return self.tags[name].number(name, digits=6) if name in self.tags else None

    def strict(self, at: int) -> Iterator[tuple[Piece, str]]:
        """The pieces of the body from this line on, as the grammar has them."""
        head = _HEADS[self.kind]
        first = at
        while at < len(self.lines):
            line = self.lines[at]
            at += 1
            turn, layout = _TURN.fullmatch(line.text), _LAYOUT.fullmatch(line.text)
            if at == first + 1 and _COMMENT.fullmatch(line.text):
                yield line, "comment"
            elif head and (match := _HEAD.fullmatch(line.text)) and match[1] == head:
                if self.steps and self.lines[at - 2].text:
                    raise line.error(head, "must come after an empty line")
                for group, what in ((1, "head"), (2, "part"), (3, "score")):
                    yield line.part(*match.span(group)), what
            elif head and not line.text and at < len(self.lines) and self.steps:
                if not self.lines[at].text.startswith(head):
                    raise self.lines[at].error(head, f"must be such as '{head} 2: 40-24'")
            elif turn or (layout and self.kind == "match"):
                found = turn or layout
                assert found is not None
                if turn:
                    yield line.part(*turn.span(1)), "label"
                groups = (2, 3) if turn else (1, 2)
                yield line.part(*found.span(groups[0])), "player"
                start = found.start(groups[1])
                for said in _SAID.finditer(line.text, start):
                    yield (
                        line.part(*said.span(1)),
                        "comment" if said[1].startswith("{") else "move" if turn else "layout",
                    )
            else:
                wanted = "must be a number, a player and moves, such as '1. S 3+ 4-'"
                raise line.error("turn", wanted)

    def loose(self, at: int) -> Iterator[tuple[Piece, str]]:
        """The pieces of the body as far as they can be told."""
        lines = self.lines[at:]
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line.text) + 1)
        in_head = 0
        for word in _LOOSE_WORD.finditer("\n".join(line.text for line in lines)):
            number = bisect_right(starts, word.start()) - 1
            piece = Piece(word[0], word.start() - starts[number] + 1, lines[number].line)
            lower = word[0].lower()
            if word[0] in ("{", "}"):
                raise piece.error("comment", "has a brace without its other")
            if word[0].startswith("{"):
                yield piece, "comment"
                continue
            if _HEADS[self.kind] and lower == _HEADS[self.kind]:
                in_head = 2
                yield piece, "head"
                continue
            if in_head and re.fullmatch(r"[0-9]+:?", lower):
                in_head = 1
                yield piece.part(0, len(lower.rstrip(":"))), "part"
                continue
            if in_head and re.fullmatch(r"[0-9]+-[0-9]+", lower.translate(_MINUS)):
                in_head = 0
                yield piece, "score"
                continue
            in_head = 0
            if label := _LOOSE_LABEL.match(lower):
                yield piece.part(0, len(label[0].rstrip("."))), "label"
                piece = piece.part(label.end(), len(lower))
                lower = piece.text.lower()
                if not lower:
                    continue
            if lower.rstrip(":") in ("s", "n", "south", "north"):
                player = Piece(lower[0].upper(), piece.column, piece.line)
                if piece.text != player.text:
                    self.forgive(piece, "player", f"must be {player.text}")
                yield player, "player"
                continue
            if lower != lower.translate(_MINUS):
                self.forgive(piece, "move", f"must be {lower.translate(_MINUS)!r}")
                piece = Piece(lower.translate(_MINUS), piece.column, piece.line)
            if getattr(self.play, "due", "move") == "lay_out":
                yield Piece(piece.text.lower(), piece.column, piece.line), "layout"
            else:
                yield piece, "move"

    def take_head(self, piece: Piece) -> None:
        if self.headed:
            self.forgive(piece, "head", f"the {piece.text} before goes on")
        self.headed = True

    def take_part(self, piece: Piece) -> None:
        if piece.number(self.kind, digits=19) != part_of(self.play)[0]:
            self.forgive(piece, _HEADS[self.kind], f"must be {part_of(self.play)[0]}")

    def take_score(self, piece: Piece) -> None:
        south, north = part_of(self.play)[1]
        if piece.text != f"{south}-{north}":
            self.forgive(piece, "head", f"the moves give {south}-{north}")

    def take_label(self, piece: Piece) -> None:
        self.labelled = True
        if piece.number("turn", digits=19) != self.turn + 1:
            self.forgive(piece, "turn", f"must be {self.turn + 1}")

    def take_player(self, piece: Piece) -> None:
        if self.goes_on and self.labelled:
            wanted = "the turn before goes on: its extra move must follow it"
            self.forgive(piece, "player", wanted)
        player = _to_act(self.play)
        if player is not None and piece.text != PLAYERS[player][0]:
            act = "lay out" if getattr(self.play, "due", "") == "lay_out" else "move"
            raise piece.error("player", f"{PLAYERS[player]} is to {act}")

    def take_layout(self, piece: Piece) -> None:
        from relaysow.match import LayOut, Shorten

        if self.play.due != "lay_out":
            raise piece.error("lay-out", "no lay-out is due")
        self.check_head(piece)
        with _at(piece):
            step: Any = Shorten()
            if piece.text != "shorten":
                step = LayOut(piece.numbers("lay-out", self.play.pits))
            self.play.push(step)
        self.after_step(False)

    def take_move(self, piece: Piece) -> None:
        position: AnyPosition | None = self.play.position
        if position is None:
            raise piece.error("move", "a lay-out is due")
        self.check_head(piece)
        if not self.goes_on and not self.labelled:
            wanted = "the turn is over: the next one must have its own line"
            self.forgive(piece, "move", wanted)
        if not self.goes_on:
            self.turn += 1
        with _at(piece):
            goes_on = _push(self.play, move_of(piece, position))
        self.after_step(goes_on)

    def check_head(self, piece: Piece) -> None:
        if not self.headed and _HEADS[self.kind]:
            head, at = _HEADS[self.kind], part_of(self.play)[0]
            self.forgive(piece, "move", f"must come after a line '{head} {at}: …'")
            self.headed = True

    def after_step(self, goes_on: bool) -> None:
        self.steps += 1
        self.goes_on, self.labelled = goes_on, False
        at = part_of(self.play)[0]
        if at != self.at:
            self.headed, self.turn = False, 0
        self.at = at

    def take_comment(self, piece: Piece) -> None:
        inside = piece.part(1, len(piece.text) - 1)
        text = self.unescaped(inside)
        if not text:
            self.forgive(piece, "comment", "must not be empty")
        elif self.steps in self.comments:
            self.forgive(piece, "comment", "must be the only one on this position")
            self.comments[self.steps] += f" {text}"
        else:
            self.comments[self.steps] = text

    def unescaped(self, piece: Piece) -> str:
        """The text that stands in a tag or comment."""

        def character(found: re.Match[str]) -> str:
            if found[2]:
                return chr(int(found[2], 16))
            if found[1] in '\\"{}':
                return found[1]
            if found[1] == "n":
                return "\n"
            wanted = r"must be one of \n, \\, \", \{, \}, \uXXXX"
            self.forgive(piece.part(*found.span()), "escape", wanted)
            return found[0]

        return re.sub(r"\\(u([0-9a-fA-F]{4})|.)", character, piece.text, flags=re.DOTALL)


@contextmanager
def _at(piece: Piece) -> Iterator[None]:
    """Gives refusals that do not say where they come from the place of `piece`."""
    try:
        yield
    except NotationError:
        raise
    except ValueError as error:
        raise piece.refusal(f"{error}") from error
