"""A record: a game, match or series with what is told of it, and records in texts and files."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field
from itertools import islice
from types import MappingProxyType
from typing import Any

from relaysow._support.checks import flag, instance, listed, path, shown, whole_number
from relaysow._support.public import public
from relaysow._support.reloading import once
from relaysow.game import Game
from relaysow.match import Match, Series
from relaysow.moves import NotationError
from relaysow.records.plays import G, setting_of, steps_of
from relaysow.records.reading import Reader
from relaysow.records.tags import INFO, why_not
from relaysow.records.writing import write
from relaysow.text.notation import Piece
from relaysow.text.reading import LONGEST, MARK, Source, lines_of, name_of

once(__name__)

_BEGIN = re.compile(rf"{MARK}?\s*relaysow\b")  # what is wrong with it is told where it is read
_LOOSE_BEGIN = re.compile(rf"{MARK}?\s*relaysow (game|match|series) [0-9]+\s*$")
_NOT_UTF8 = re.compile(r"[\udc80-\udcff]")


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
        instance("play", self.play, (Game, Match, Series), "a Game, Match or Series")
        for name, value in (("tags", self.tags), ("comments", self.comments)):
            instance(name, value, Mapping, "a mapping")
            for key, text in value.items():
                instance(f"{name}[{shown(key)}]", text, str, "a string")
        for name, text in self.tags.items():
            if name not in INFO:
                raise ValueError(f"tags[{shown(name)}]: must be one of {', '.join(INFO)}")
            if reason := why_not(name, text):
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
            setting_of(self.play) == setting_of(other.play)
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
        return write(self.play, self.tags, self.comments)

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
    if _size(lines) > longest:
        last = Piece(lines[-1], 1, before + len(lines))
        raise last.error("record", f"must have at most {longest:,} characters")
    reader = Reader(lines, before, lenient)
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


def replay(game: Callable[[Any], G], text: str) -> G:
    """The game of a record, read strictly and played again by `game`, a class such as `Game`.

    Raises `NotationError`, saying at which line and column, for text that breaks the grammar, an
    illegal move, a turn of the wrong player, moves on after the end, a result or start that the
    moves or rules do not give, or a record of anything but one game; `TypeError` for anything but a
    string.

    >>> from relaysow import Game
    >>> replay(Game, 'relaysow game 1\\n[Rules "engehe"]\\n[Result "*"]\\n\\n1. N 3\\n')
    Traceback (most recent call last):
    ...
    relaysow.NotationError: line 5, column 4: player 'N': South is to move
    """
    played: G = Reader(_lines(text), 0, lenient=False).read(game, kinds=("game",))
    return played
