"""Rules, moves and positions as text: one grammar, read strictly.

    rules        = name [ "(" [ option "=" value { "," option "=" value } ] ")" ]
    value        = number | word | "None" | number { "." number }
    move         = pit [ "x" number ] [ "+" | "-" ]                      a sowing
                 | [ pit { "," pit } ] "=" number { "," number }         a redistribution
    position     = rules " " row ";" row " " stores " " player " " protected " " duties
                   " " made [ " drawn" ]
    row          = number { "," number }
    stores       = number "," number
    player       = "S" | "N"
    protected    = "-" | own ";" own
    own          = "-" | pit { "," pit }
    duties       = "-" | "ccw" | "cw" | [ ( "ccw" | "cw" ) "," ] "not" pit
    made         = "0" | "1" | "2"

* `name` is a rule-set function, `option` one of its arguments or any option of `Rules`; a `setup`
  is written `8.8.0.…`, South's row then North's.  Written rules are the shortest such call.
* A pit is numbered 1…n from its owner's left.  A sowing has `x2` (seeds lifted) exactly where the
  rules have `lift="any"`, and `+` (counter-clockwise) or `-` (clockwise) exactly where they have
  `direction="either"`.  A redistribution names the own pits emptied, rising, then what is placed
  in every pit: South's row, then North's, each from its owner's left (ring order).
* In a position the first row, store and list of protected pits are South's, the second North's;
  both rows run from their owner's left.  `duties` bind an extra move: the one direction allowed,
  the own pit it may not start from.  `made` counts the opening redistributions made; `drawn` says
  that an endless sowing drew the game.

Numbers are written in the digits 0-9 without leading zeros.  What files put around a line is passed
over: a byte-order mark before it, white space and line ends on either side.  Nothing else is
allowed anywhere: no further spaces, no other order.  Records of games and matches are the business
of `relaysow.records`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, TypeVar

from relaysow._support import checks
from relaysow._support.checks import shown
from relaysow.moves import IllegalMove, Move, NotationError, Redistribute, Sow
from relaysow.options import CHOICES, GONE, Options
from relaysow.rules import RULE_SETS, Rules, _shortest_call, refuse_gone
from relaysow.text.reading import MARK, bare

if TYPE_CHECKING:
    from relaysow import reference
    from relaysow._core import Position

    AnyPosition: TypeAlias = Position | reference.Position

MAX_TEXT = 4_096
"""The longest rules, move, or position text read, in characters."""

PLAYERS = ("South", "North")

_NUMBER = re.compile(r"0|[1-9][0-9]*")
_SOWING = re.compile(r"([0-9]+)(?:x([0-9]+))?([+-])?")
_SIGNS = {None: "", "ccw": "+", "cw": "-"}


P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a text that knows where it stands, so that every refusal can say it."""

    text: str
    column: int = 1
    line: int | None = None

    def split(self, separator: str) -> list[Piece]:
        pieces, column = [], self.column
        for part in self.text.split(separator):
            pieces.append(Piece(part, column, self.line))
            column += len(part) + len(separator)
        return pieces

    def part(self, start: int, stop: int) -> Piece:
        return Piece(self.text[start:stop], self.column + start, self.line)

    def error(self, field: str, wanted: str) -> NotationError:
        text = self.text if len(self.text) <= 40 else self.text[:39] + "…"
        return self.refusal(f"{field} {text!r}: {wanted}")

    def refusal(self, reason: str) -> NotationError:
        return NotationError(f"{self.where}: {reason}", line=self.line, column=self.column)

    @property
    def where(self) -> str:
        return ("" if self.line is None else f"line {self.line}, ") + f"column {self.column}"

    def number(self, field: str, digits: int = 4) -> int:
        """Its value; so few digits are read that no number is long, and none but 0-9."""
        if not _NUMBER.fullmatch(self.text):
            raise self.error(field, "must be a whole number in digits 0-9 without leading zeros")
        if len(self.text) > digits:
            raise self.error(field, f"must have at most {digits} digits")
        return int(self.text)

    def numbers(self, field: str, count: int, separator: str = ",") -> tuple[int, ...]:
        pieces = self.split(separator)
        if len(pieces) != count:
            raise self.error(field, f"must be {count} numbers, not {len(pieces)}")
        return tuple(piece.number(field) for piece in pieces)

    def pit(self, field: str, pits: int) -> int:
        """A player's own pit number, less one."""
        number = self.number(field)
        if not 1 <= number <= pits:
            raise self.error(field, f"must be 1…{pits}")
        return number - 1

    def own_pits(self, field: str, pits: int) -> list[int]:
        found: list[int] = []
        for piece in self.split(","):
            pit = piece.pit(field, pits)
            if found and pit <= found[-1]:
                raise piece.error(field, "pits must be named once each, rising")
            found.append(pit)
        return found


def _whole(text: str) -> Piece:
    if not isinstance(text, str):
        raise TypeError(f"text must be a string, not {shown(text)}")
    inner = bare(text)
    # Counted from the beginning of the line, as editors do.
    text = text.removeprefix(MARK)
    before = text[: len(text) - len(text.lstrip())]
    piece = Piece(inner, len(before) - before.rfind("\n"))
    if len(inner) > MAX_TEXT:
        raise piece.error("text", f"has {len(inner)} characters: must be at most {MAX_TEXT}")
    return piece


def rules_to_text(rules: Rules) -> str:
    """Rules as text without spaces: the shortest call that makes them.

    Raises `TypeError` for anything but `Rules`.

    >>> from relaysow import giuthi
    >>> rules_to_text(giuthi(pits=5, seeds=4, end="row_empty"))
    'giuthi(pits=5,seeds=4,end=row_empty)'
    """
    if not isinstance(rules, Rules):
        raise TypeError(f"rules must be Rules, not {shown(rules)}")
    return _rules_to_text(rules)


@lru_cache(maxsize=64)
def _rules_to_text(rules: Rules) -> str:
    name, arguments = _shortest_call(rules)
    values = (
        f"{option}={'.'.join(map(str, value)) if isinstance(value, tuple) else value}"
        for option, value in arguments.items()
    )
    return f"{name}({','.join(values)})"


def rules_from_text(text: str) -> Rules:
    """The rules a text names: `giuthi`, `giuthi(pits=5,seeds=4)`, `engehe(setup=2.0.1.…,pits=3)`.

    Raises `NotationError` for anything but a rule-set function and its options with values they
    can have, `RulesError` for options that are impossible together or out of range, `TypeError`
    for anything but a string.

    >>> rules_from_text("giuthi(pits=5,seeds=4)")
    giuthi(pits=5, seeds=4)
    >>> rules_from_text("giuthi(pits=5,relay=backward)")
    Traceback (most recent call last):
    ...
    relaysow.NotationError: column 21: relay 'backward': must be one of onward, reversed
    """
    return rules_of(_whole(text))


def rules_of(piece: Piece) -> Rules:
    name = piece.text.partition("(")[0]
    if name not in RULE_SETS:
        raise piece.part(0, len(name)).error("rules", f"must be one of {', '.join(RULE_SETS)}")
    function = RULE_SETS[name]
    sizes = [
        parameter.name
        for parameter in signature(function).parameters.values()
        if parameter.kind is not Parameter.VAR_KEYWORD
    ]
    arguments: dict[str, Any] = {}
    inside = piece.part(len(name) + 1, len(piece.text) - 1)
    if len(piece.text) > len(name) and not piece.text.endswith(")"):
        raise piece.error("rules", "must end with ')'")
    for argument in inside.split(",") if inside.text else ():
        option, equals, value = argument.text.partition("=")
        key = argument.part(0, len(option))
        if option in GONE and equals:
            refuse_gone(option, value)
            continue
        if option not in sizes and option not in Options.__annotations__:
            known = ", ".join((*sizes, *Options.__annotations__))
            raise key.error("option", f"must be an option of {name}: {known}")
        if option in arguments:
            raise key.error("option", "is given twice")
        if not equals:
            raise key.error("option", "must be followed by '=' and a value")
        arguments[option] = _value(option, argument.part(len(option) + 1, len(argument.text)))
        if "setup" in arguments and not {"seeds", "filled"}.isdisjoint(arguments):
            raise key.error("option", "a setup is given instead of seeds and filled, not with them")
    return function(**arguments)


def _value(option: str, piece: Piece) -> int | str | tuple[int, ...] | None:
    if option == "setup":
        return tuple(count.number(option) for count in piece.split("."))
    if option in CHOICES:
        if piece.text not in CHOICES[option]:
            raise piece.error(option, f"must be one of {', '.join(CHOICES[option])}")
        return piece.text
    if option == "max_laps":
        return None if piece.text == "None" else piece.number(option, digits=19)
    return piece.number(option)


def canonical(position: AnyPosition, move: Move) -> Move:
    """`move` spelt as `legal_moves` spells it: with its lift and direction exactly where the rules
    let the mover choose them.  Whether it is legal is not asked.

    Raises `IllegalMove` for a move with no such spelling: from a pit that is not the mover's, a
    part of a pit or a direction that the rules do not allow, a direction missing, a redistribution
    for another board; `TypeError` for anything but a Position and a move.

    >>> from relaysow import Sow, engehe, kiothi
    >>> canonical(engehe().start(), Sow(3, lift=4, direction="ccw"))
    Sow(pit=3, lift=None, direction=None)
    """
    checks.position("position", position)
    n, own = position.rules.pits, position.mover * position.rules.pits

    def refuse(reason: str) -> NoReturn:
        raise IllegalMove(f"illegal move {shown(move)} in {to_text(position)}: {reason}")

    if not isinstance(move, (Sow, Redistribute)):
        raise TypeError(f"a move must be Sow or Redistribute, not {shown(move)}")
    for pit in (move.pit,) if isinstance(move, Sow) else move.emptied:
        if not own <= pit < own + n:
            refuse(f"pit {shown(pit)} is not the mover's: must be {own}…{own + n - 1}")
    if isinstance(move, Redistribute):
        if len(move.placed) != 2 * n:
            refuse(f"placed has {len(move.placed)} counts: must be {2 * n}")
        return move
    lift, direction, held = move.lift, move.direction, position.pits[move.pit]
    if position.rules.lift == "any":
        if lift is None and held == 0:
            refuse(f"pit {move.pit} holds 0 seeds: at least 1 must be lifted")
        lift = held if lift is None else lift
    elif lift is not None:
        if lift != held:
            refuse(f"lift {shown(lift)} of pit {move.pit}: all {held} must be lifted")
        lift = None
    if position.rules.direction == "either":
        if direction is None:
            refuse("direction None: must be 'ccw' or 'cw'")
    elif direction is not None:
        if direction != "ccw":
            refuse(f"direction {direction!r}: must be 'ccw'")
        direction = None
    return Sow(move.pit, lift, direction)


def move_to_text(position: AnyPosition, move: Move) -> str:
    """A move in the own pit numbers of the player to move in `position`.

    Raises what `canonical` raises; a move may be written without being legal.

    >>> from relaysow import Sow, giuthi
    >>> move_to_text(giuthi().start(), Sow(2, direction="cw"))
    '3-'
    """
    move = canonical(position, move)
    own = position.mover * position.rules.pits
    if isinstance(move, Redistribute):
        emptied = ",".join(str(pit - own + 1) for pit in move.emptied)
        return f"{emptied}={','.join(map(str, move.placed))}"
    lift = "" if move.lift is None else f"x{move.lift}"
    return f"{move.pit - own + 1}{lift}{_SIGNS[move.direction]}"


def line_to_text(position: AnyPosition, moves: Iterable[Move]) -> str:
    """Moves played one after the other from `position`, with spaces between.

    Raises what `canonical` and `Position.play` raise.

    >>> from relaysow import Sow, giuthi
    >>> line_to_text(giuthi().start(), [Sow(2, direction="cw"), Sow(8, direction="ccw")])
    '3- 1+'
    """
    told, here = [], position
    for move in checks.listed("moves", moves, "moves in their order"):
        told.append(move_to_text(here, move))
        here = here.play(move)
    return " ".join(told)


def move_from_text(position: AnyPosition, text: str) -> Move:
    """The move a text names for the player to move in `position`.

    Whether it is legal is for `play` or `in position.legal_moves` to say.  Raises `NotationError`
    for text that is no move under these rules: a direction where they give no choice, a pit that
    is not on the board, …; `TypeError` for anything but a Position and a string.

    >>> from relaysow import engehe, giuthi
    >>> move_from_text(giuthi().start(), "3-")
    Sow(pit=2, lift=None, direction='cw')
    >>> move_from_text(engehe().start(), "3+")
    Traceback (most recent call last):
    ...
    relaysow.NotationError: column 2: direction '+': must be left out under direction='ccw'
    """
    checks.position("position", position)
    return move_of(_whole(text), position)


def move_of(piece: Piece, position: AnyPosition) -> Move:
    rules, own = position.rules, position.mover * position.rules.pits
    if "=" in piece.text:
        if rules.redistribution == "none":
            raise piece.error("move", "these rules have redistribution='none'")
        emptied = piece.text.partition("=")[0]
        pits = piece.part(0, len(emptied)).own_pits("pit", rules.pits) if emptied else []
        counts = piece.part(len(emptied) + 1, len(piece.text))
        return Redistribute(
            tuple(own + pit for pit in pits), counts.numbers("placed", 2 * rules.pits)
        )
    match = _SOWING.fullmatch(piece.text)
    if not match:
        raise piece.error("move", "must be a pit, seeds lifted, a direction, such as 3, 3+ or 4x2")
    pit, lift, sign = (
        None if match[group] is None else piece.part(*match.span(group)) for group in (1, 2, 3)
    )
    assert pit is not None
    number = pit.pit("pit", rules.pits)
    if lift is None and rules.lift == "any":
        raise piece.error("move", "must say how many seeds are lifted, as in 4x2 (lift='any')")
    if lift is not None and rules.lift == "all":
        raise lift.error("lift", "must be left out under lift='all'")
    lifted = None if lift is None else lift.number("lift")
    if lift is not None and lifted == 0:
        raise lift.error("lift", "must be at least 1")
    if sign is None and rules.direction == "either":
        raise piece.error("move", "must end with a direction, + or - (direction='either')")
    if sign is not None and rules.direction == "ccw":
        raise sign.error("direction", "must be left out under direction='ccw'")
    direction = None if sign is None else "ccw" if sign.text == "+" else "cw"
    return Sow(own + number, lifted, direction)


def to_text(position: AnyPosition) -> str:
    """A position in one line; `from_text` gives it back.

    Raises `TypeError` for anything but a Position.

    >>> from relaysow import giuthi
    >>> to_text(giuthi(pits=5, seeds=4).start())
    'giuthi(pits=5,seeds=4) 4,4,4,4,4;4,4,4,4,4 0,0 S - - 2'
    """
    checks.position("position", position)
    n, own = position.rules.pits, position.mover * position.rules.pits
    rows = (position.pits[:n], position.pits[n:])
    shielded = [
        ",".join(str(pit - first + 1) for pit in position.protected if first <= pit < first + n)
        for first in (0, n)
    ]
    duties = [position.direction] if position.direction is not None else []
    if position.barred is not None:
        duties.append(f"not{position.barred - own + 1}")
    fields = [
        rules_to_text(position.rules),
        ";".join(",".join(map(str, row)) for row in rows),
        ",".join(map(str, position.stores)),
        PLAYERS[position.mover][0],
        ";".join(pits or "-" for pits in shielded) if position.protected else "-",
        ",".join(duties) or "-",
        str(position.redistributions),
    ]
    return " ".join(fields + ["drawn"] * position.drawn)


def from_text(make: Callable[..., P], text: str) -> P:
    """The position a text names, made by calling `make` as the class `Position` is called.

    Forced passes are taken, as by the class.  Raises `NotationError` for text that breaks the
    grammar, saying at which column, `RulesError` for impossible rules, `PositionError` for an
    impossible position and `TypeError` for anything but a string.

    >>> from relaysow import Position
    >>> from_text(Position, "giuthi(pits=3,seeds=4) 0,2,1;3,0,0 4,2 N - - 2").mover
    1
    """
    return position_of(_whole(text), make)


def position_of(piece: Piece, make: Callable[..., P]) -> P:
    fields = piece.split(" ")
    names = "rules, rows, stores, player, protected pits, duties, redistributions made"
    for field in fields:
        if not field.text:
            raise field.error("field", "is empty: single spaces part the fields")
    if not 7 <= len(fields) <= 8:
        raise piece.error(
            "position", f"has {len(fields)} fields: must be 7 ({names}), or 8 if drawn"
        )
    rules = rules_of(fields[0])
    n = rules.pits
    rows = fields[1].split(";")
    if len(rows) != 2:
        raise fields[1].error("rows", "must be two rows parted by ';'")
    pits = rows[0].numbers("South's row", n) + rows[1].numbers("North's row", n)
    stores = fields[2].numbers("stores", 2)
    if fields[3].text not in ("S", "N"):
        raise fields[3].error("player", "must be S or N")
    mover = "SN".index(fields[3].text)
    protected: list[int] = []
    if fields[4].text != "-":
        halves = fields[4].split(";")
        if len(halves) != 2 or halves[0].text == halves[1].text == "-":
            raise fields[4].error("protected pits", "must be -, or South's;North's pit numbers")
        for first, half in zip((0, n), halves, strict=True):
            if half.text != "-":
                protected += [first + pit for pit in half.own_pits("protected pit", n)]
    direction = barred = None
    if fields[5].text != "-":
        duties = fields[5].split(",")
        if duties[0].text in ("ccw", "cw"):
            direction = duties.pop(0).text
        if len(duties) == 1 and duties[0].text.startswith("not"):
            barred = mover * n + duties.pop().part(3, MAX_TEXT).pit("barred pit", n)
        if duties:
            raise fields[5].error("duties", "must be -, or ccw or cw, not and a pit, or both")
    if fields[6].text not in ("0", "1", "2"):
        raise fields[6].error("redistributions made", "must be 0, 1 or 2")
    if len(fields) == 8 and fields[7].text != "drawn":
        raise fields[7].error("last field", "must be drawn or left out")
    return make(
        rules,
        pits,
        stores,
        mover,
        protected,
        direction,
        barred,
        int(fields[6].text),
        len(fields) == 8,
    )
