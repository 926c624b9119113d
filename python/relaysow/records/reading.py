"""How a record is read and played again, strictly or leniently."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from relaysow.match import HALF_OF, SCHEMES, TWICE, LayOut, Match, Series, Shorten
from relaysow.moves import NotationError
from relaysow.records.plays import GameLike, Play, part_of, push, result_of, to_act
from relaysow.records.tags import HEADS, INFO, TAGS, why_not
from relaysow.text.notation import MAX_TEXT, PLAYERS, Piece, move_of, position_of, rules_of
from relaysow.text.reading import MARK

if TYPE_CHECKING:
    from relaysow.text.notation import AnyPosition

_TEXT = r"(?:[^{}\\\x00-\x1f\x7f]|\\[^\x00-\x1f\x7f])*"
_VERSION = re.compile(r"relaysow (game|match|series) 1")
_TAG = re.compile(r'\[([A-Za-z]+) "((?:[^"\\\x00-\x1f\x7f]|\\[^\x00-\x1f\x7f])*)"\]')
_HEAD = re.compile(r"(round|game) ([0-9]+): ([0-9]+-[0-9]+)")
_TURN = re.compile(rf"([0-9]+)\. ([SN])((?: [^ {{}}]+(?: \{{{_TEXT}\}})?)+)")
_LAYOUT = re.compile(rf"([SN])( (?:shorten|[0-9,]+)(?: \{{{_TEXT}\}})?)")
_COMMENT = re.compile(rf"\{{{_TEXT}\}}")
_SAID = re.compile(rf" (\{{{_TEXT}\}}|[^ {{}}]+)")

_LOOSE_TAG = re.compile(r'\s*\[\s*([A-Za-z]+)\s*"((?:[^"\\]|\\.)*)"\s*\]\s*')
_LOOSE_WORD = re.compile(r"\{(?:[^{}\\]|\\.)*\}|[^\s{}]+|[{}]", re.DOTALL)
_LOOSE_LABEL = re.compile(r"[0-9]+\.+")
_MINUS = str.maketrans("−–", "--")


class Reader:
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

    def read(self, game: Callable[[Any], GameLike], kinds: tuple[str, ...] = tuple(TAGS)) -> Play:
        at = self.read_version(kinds)
        empty = self.read_tags(at)
        self.play = self.make(game)
        self.at = part_of(self.play)[0]
        for piece, what in self.loose(empty) if self.lenient else self.strict(empty + 1):
            getattr(self, f"take_{what}")(piece)
        result = result_of(self.play)
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
        known = (*TAGS[self.kind], *INFO)
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
                if reason := why_not(name, text):
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
        first = PLAYERS.index(self.word("First", PLAYERS))
        if self.kind == "match":
            scheme = self.word("Scheme", SCHEMES)
            twice = self.word("Twice", TWICE) if "Twice" in self.tags else "asked"
            half_of = self.word("HalfOf", HALF_OF) if "HalfOf" in self.tags else "match"
            with _at(tag):
                return Match(rules, scheme, first, twice, half_of)
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
        head = HEADS[self.kind]
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
            if HEADS[self.kind] and lower == HEADS[self.kind]:
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
            self.forgive(piece, HEADS[self.kind], f"must be {part_of(self.play)[0]}")

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
        player = to_act(self.play)
        if player is not None and piece.text != PLAYERS[player][0]:
            act = "lay out" if getattr(self.play, "due", "") == "lay_out" else "move"
            raise piece.error("player", f"{PLAYERS[player]} is to {act}")

    def take_layout(self, piece: Piece) -> None:
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
            goes_on = push(self.play, move_of(piece, position))
        self.after_step(goes_on)

    def check_head(self, piece: Piece) -> None:
        if not self.headed and HEADS[self.kind]:
            head, at = HEADS[self.kind], part_of(self.play)[0]
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
