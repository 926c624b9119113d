"""Boards as pictures: SVG text, still or sowing lap by lap, for notebooks, pages and files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from relaysow._support import checks
from relaysow._support.checks import instance, one_of
from relaysow._support.public import public
from relaysow._support.reloading import once
from relaysow.moves import Move, Redistribute, Sow, Sowing
from relaysow.rules import Rules
from relaysow.text import board as display
from relaysow.text.notation import PLAYERS

if TYPE_CHECKING:
    from relaysow.text.notation import AnyPosition

once(__name__)

MAX_COLUMNS = 20
"""The most pits drawn side by side: a longer board is drawn in blocks."""

MAX_DOTS = 12
"""The most seeds of a pit drawn as seeds; more are a number."""

MAX_DROPS, MAX_LAPS = 400, 60
"""An animation of more seeds goes lap by lap, and of more laps shows the first of them."""

LABELS = ("own", "ring", "none")


class Picture(str):
    """The text of an SVG picture, which a notebook shows as the picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


@public
def svg(position: AnyPosition, move: Move | None = None, *, labels: str = "own") -> Picture:
    """A picture of the position, or with a `move` of the position after it and of the move.

    South's row is below and runs from left to right; a store is at the right end of its owner's
    row, as he sees it.  Up to 12 seeds of a pit are drawn as seeds, more as a number.  A
    protected pit stands in square brackets.  Of the move, the pit it starts from has a broken ring,
    those of its later laps a dotted one, and the pit of the last seed a heavy one; a captured pit
    is crossed and shows the number of its seeds; a pit filled by a redistribution says how much
    it got.  A board of more than 20 pits a row is drawn in blocks, from South's left to South's
    right.  The words below tell whose move it is and what the move did, or why it is illegal.

    `labels` numbers the pits: `"own"` as each player counts them, `"ring"` by ring index, `"none"`
    not at all.  Light or dark is left to the reader's device (`prefers-color-scheme`).

    Raises `IllegalMove` for a move that `position.sow` cannot tell, `ValueError` for other
    `labels`, `TypeError` for wrong types.

    >>> from relaysow import Sow, giuthi
    >>> picture = svg(giuthi(pits=5, seeds=4).start(), Sow(0, direction="ccw"))
    >>> picture.startswith("<svg xmlns="), "South: 5 seeds captured" in picture
    (True, True)
    """
    return _Drawing(position, move, labels).document()


@public
def animate(position: AnyPosition, move: Move, *, labels: str = "own") -> Picture:
    """A picture that makes the move before the reader's eyes, over and over.

    Seed by seed if there are at most 400 of them, else lap by lap, the first 60 laps.  It ends
    in the picture of `svg(position, move)`, which is all that is seen on paper, in a program that
    does not animate, or by a reader who asks their device for less motion.  Arguments are those of
    `svg`, but that there must be a move; raises what `svg` does.

    >>> from relaysow import Sow, giuthi
    >>> animate(giuthi(pits=5, seeds=4).start(), Sow(0, direction="ccw")).count("Lap ")
    3
    """
    instance("a move", move, (Sow, Redistribute), "Sow or Redistribute")
    drawing = _Drawing(position, move, labels)
    return drawing.document(drawing.film())


# The measures of a picture, in pixels.
_PITCH, _RADIUS, _NAME, _STORE, _MARGIN, _LABEL, _LINE = 50, 21, 74, 58, 12, 20, 20

# Class, property, colour by day and by night.
_COLOURS = (
    (".card", "fill", "#fbf8f2", "#191613"),
    (".panel", "fill", "#ead9b8", "#3b2e20"),
    (".edge", "stroke", "#8a6a3c", "#a98c62"),
    (".pit", "fill", "#d6be93", "#241b12"),
    (".seed", "stroke", "#47290f", "#f0dcb4"),
    (".count", "fill", "#3a210b", "#f7e7c8"),
    (".text", "fill", "#2b2118", "#f1e8da"),
    (".label", "fill", "#6b5a44", "#b8a88e"),
    (".first", "stroke", "#0b4f8a", "#8cc4ff"),
    (".later", "stroke", "#0b4f8a", "#8cc4ff"),
    (".last", "stroke", "#0b4f8a", "#8cc4ff"),
    (".taken", "stroke", "#9c1c12", "#ffb0a3"),
    (".minus", "fill", "#8a1209", "#ffb0a3"),
    (".guard", "stroke", "#2b2118", "#f1e8da"),
    (".hand", "stroke", "#9c1c12", "#ffb0a3"),
)

_STYLE = (
    "".join(f".relaysow {name}{{{what}:{day}}}" for name, what, day, _ in _COLOURS)
    + ".relaysow text{font-family:system-ui,'DejaVu Sans',sans-serif;text-anchor:middle;"
    "font-size:13px}.relaysow .count,.relaysow .store{font-size:17px;font-weight:600}"
    ".relaysow .left{text-anchor:start;font-size:14px}.relaysow .name{text-anchor:end;"
    "font-size:14px;font-weight:600}.relaysow .long{font-size:13px}.relaysow .more{font-size:11px}"
    ".relaysow .seed{stroke-width:7.4;stroke-linecap:round;fill:none}"
    ".relaysow .edge{stroke-width:1.5}.relaysow .guard,.relaysow .taken{stroke-width:3;fill:none}"
    ".relaysow .first{stroke-width:4;stroke-dasharray:7 4;fill:none}"
    ".relaysow .later{stroke-width:3;stroke-dasharray:.1 5.4;stroke-linecap:round;fill:none}"
    ".relaysow .last,.relaysow .hand{stroke-width:4;fill:none}"
    ".relaysow .film{display:none}"
    "@media (prefers-color-scheme:dark){"
    + "".join(f".relaysow {name}{{{what}:{night}}}" for name, what, _, night in _COLOURS)
    + "}@media (prefers-reduced-motion:no-preference){"
    ".relaysow .film{display:inline}.relaysow .film~.still{display:none}}"
)

# Seeds are laid in rows, so that they can be counted at a glance.
_ROWS = {
    1: (1,),
    2: (2,),
    3: (1, 2),
    4: (2, 2),
    5: (2, 1, 2),
    6: (3, 3),
    7: (2, 3, 2),
    8: (3, 2, 3),
    9: (3, 3, 3),
    10: (3, 4, 3),
    11: (4, 3, 4),
    12: (4, 4, 4),
}


_MARKS = {
    "first": "lifted",
    "later": "lifted in later laps",
    "last": "last seed",
    "taken": "captured",
}


@dataclass
class _Film:
    """What changes while the move is made: at which second, and to what."""

    now: float = 0.0
    pits: dict[int, list[tuple[float, int]]] = field(default_factory=dict)
    hand: list[tuple[float, int]] = field(default_factory=list)
    words: list[tuple[float, str]] = field(default_factory=list)

    def put(self, pit: int, count: int) -> None:
        self.pits.setdefault(pit, []).append((self.now, count))


class _Drawing:
    """A board with its measures, and the parts of its picture."""

    def __init__(self, position: Any, move: Move | None, labels: str) -> None:
        checks.position("position", position)
        self.labels = one_of("labels", labels, LABELS)
        self.before: AnyPosition = position
        self.told: Sowing[Any] | None = None if move is None else position.sow(move)
        self.move = move
        self.after: AnyPosition = position
        if self.told is not None and self.told.after is not None:
            self.after = self.told.after
        self.rules: Rules = self.before.rules
        n = self.rules.pits
        self.blocks = -(-n // MAX_COLUMNS)
        self.columns = -(-n // self.blocks)
        self.left = _MARGIN + _NAME + _STORE
        self.height_of_block = 2 * _PITCH + 2 * _LABEL + 6
        self.width = self.left + self.columns * _PITCH + _STORE + _MARGIN
        self.below = self.blocks * self.height_of_block + _MARGIN

    # -- where things are

    def at(self, pit: int) -> tuple[float, float]:
        """The middle of a pit."""
        n = self.rules.pits
        north = pit >= n
        column = 2 * n - 1 - pit if north else pit
        block = next(b for b in range(self.blocks) if column < n * (b + 1) // self.blocks)
        x = self.left + (column - n * block // self.blocks + 0.5) * _PITCH
        y = self.height_of_block * block + _MARGIN + _LABEL + (0.5 if north else 1.5) * _PITCH
        return x, y

    def spans(self) -> Iterator[tuple[int, int, int]]:
        """The blocks: number, first column, the column after the last."""
        n = self.rules.pits
        for block in range(self.blocks):
            yield block, n * block // self.blocks, n * (block + 1) // self.blocks

    # -- the parts

    def board(self) -> Iterator[str]:
        """All that never changes."""
        n, low, high = self.rules.pits, -0.5 * _PITCH, 0.5 * _PITCH
        for block, first, end in self.spans():
            x0, y0 = self.at(2 * n - 1 - first)
            x1, y1 = self.at(end - 1)
            x0, y0, x1, y1 = x0 + low, y0 + low, x1 + high, y1 + high
            yield _tag("path", "panel", d=f"M{x0:g} {y0:g}H{x1:g}V{y1:g}H{x0:g}Z")
            # A block that goes on beside another has no edge there.
            edge = f"M{x0:g} {y0:g}H{x1:g}M{x0:g} {y1:g}H{x1:g}"
            edge += f"M{x0:g} {y0:g}V{y1:g}" if block == 0 else ""
            edge += f"M{x1:g} {y0:g}V{y1:g}" if end == n else ""
            yield _tag("path", "edge", d=edge, fill="none")
        for pit in range(2 * n):
            x, y = self.at(pit)
            title = display.pit_name(self.rules, pit)
            yield (
                f'<circle class="pit edge" cx="{x:g}" cy="{y:g}" r="{_RADIUS}">'
                f"<title>{escape(title)}</title></circle>"
            )
            if self.labels != "none":
                away = -_PITCH / 2 - 6 if pit >= n else _PITCH / 2 + 15
                yield _text("label", x, y + away, pit if self.labels == "ring" else pit % n + 1)

    def names(self, position: AnyPosition) -> Iterator[str]:
        """The players' names, with an arrow at the one to move, and their stores."""
        n = self.rules.pits
        for player, name in enumerate(PLAYERS):
            moves = player == position.mover and not position.is_over
            for _, first, end in self.spans():
                _, y = self.at(2 * n - 1 - first if player else end - 1)
                yield _text("text name", _MARGIN + _NAME - 6, y + 5, name)
                if moves:
                    yield _tag("path", "text", d=f"M{_MARGIN} {y - 7:g}v14l12 -7z")
            x, y = self.at(2 * n - 1 if player else n - 1)
            x += -_PITCH / 2 - _STORE if player else _PITCH / 2
            yield _tag(
                "rect",
                "panel edge",
                x=f"{x + 5:g}",
                y=f"{y - 18:g}",
                width=_STORE - 10,
                height=36,
                rx=9,
            )
            yield _text("count store", x + _STORE / 2, y + 6, position.stores[player])

    def content(self, pit: int, count: int) -> str:
        """The seeds in a pit; nothing for an empty one."""
        x, y = self.at(pit)
        if count == 0:
            return ""
        if count > MAX_DOTS:
            return _text("count" if count < 1000 else "count long", x, y + 6, count)
        rows, dots = _ROWS[count], ""
        for i, row in enumerate(rows):
            for j in range(row):
                dot_x, dot_y = x + 9 * (j - (row - 1) / 2), y + 9.5 * (i - (len(rows) - 1) / 2)
                dots += f"M{dot_x:g} {dot_y:g}h.01"
        return _tag("path", "seed", d=dots)

    def guards(self, position: AnyPosition) -> Iterator[str]:
        """The brackets around protected pits."""
        for pit in position.protected:
            x, y = self.at(pit)
            yield _tag("path", "guard", d=_bracket(x, y))

    def marks(self) -> Iterator[str]:
        """What the move did, marked on the pits."""
        told, move = self.told, self.move
        if told is None:
            return
        if isinstance(move, Redistribute):
            for pit in move.emptied:
                yield self.ring("first", pit)
            for pit, count in enumerate(move.placed):
                if count:
                    x, y = self.at(pit)
                    x, y = x + 17, y + 16
                    yield _tag("circle", "panel edge", cx=f"{x:g}", cy=f"{y:g}", r=10)
                    yield _text("text more", x, y + 4, f"+{count}")
            return
        first, *later = dict.fromkeys(lap.origin for lap in told.path)
        for pit in later:
            yield self.ring("later", pit)
        yield self.ring("first", first)
        if told.after is not None and not told.path_truncated and told.laps is not None:
            yield self.ring("last", told.path[-1].last)
        pits = display.sown(self.before, told)
        for pit in told.captured_pits:
            x, y = self.at(pit)
            yield _tag("path", "taken", d=_cross(x, y, 13, 23))
            if not told.path_truncated:
                minus = f"−{pits[pit]}"
                yield _text(f"minus count{' long' * (len(minus) > 3)}", x, y + 6, minus)

    def ring(self, name: str, pit: int) -> str:
        x, y = self.at(pit)
        return _tag("circle", name, cx=f"{x:g}", cy=f"{y:g}", r=_RADIUS)

    def sown(self) -> list[int]:
        """The ring after the last lap of the path, before any capture."""
        pits = list(self.before.pits)
        for lap in self.told.path if self.told else ():
            pits[lap.origin] -= lap.seeds
            for pit in display.drops(self.rules, lap):
                pits[pit] += 1
        return pits

    def sentences(self) -> Iterator[str]:
        told, move = self.told, self.move
        if told is not None:
            player = PLAYERS[self.before.mover]
            if isinstance(move, Redistribute):
                emptied = ", ".join(str(pit % self.rules.pits + 1) for pit in move.emptied)
                yield f"{player} has redistributed the seeds of pits {emptied or '(none)'}."
            else:
                first = told.path[0]
                laps = "1 lap" if told.laps == 1 else f"{told.laps:,} laps" if told.laps else ""
                yield (
                    f"{display.pit_name(self.rules, first.origin)}, {display.seeds(first.seeds)} "
                    f"{display.WAY[first.direction]}" + (f", {laps}." if laps else ".")
                )
                if told.captured:
                    yield f"{player}: {display.seeds(told.captured)} captured."
                    if told.moves_again:
                        yield "Another move is earned."
                else:
                    yield from display.ending(self.rules, told, display.sown(self.before, told))
        yield display.state(self.after)

    def caption(self) -> tuple[float, str]:
        """The words below the board and what its marks mean; first the height of the picture."""
        room = self.width - 2 * _MARGIN
        y, shown = float(self.below), ""
        # No line is too long in a wide font, of 8.6 pixels a letter.
        for line in wrap(" ".join(self.sentences()), int(room / 8.6)):
            y += _LINE
            shown += _text("text left", _MARGIN, y, line)
        marks, x = "".join(self.marks()), room + _MARGIN
        for name, meaning in _MARKS.items():
            if f'class="{name}"' not in marks:
                continue
            width = 42 + 8.6 * len(meaning)
            if x + width > room + _MARGIN:
                x, y = float(_MARGIN), y + _LINE + 4
            if name == "taken":
                shown += _tag("path", name, d=_cross(x + 10, y - 5, 4, 9))
            else:
                shown += _tag("circle", name, cx=f"{x + 10:g}", cy=f"{y - 5:g}", r=8)
            shown += _text("text left", x + 26, y, meaning)
            x += width
        return y + _MARGIN, shown

    def still(self) -> Iterator[str]:
        yield from self.names(self.after)
        yield from (self.content(pit, count) for pit, count in enumerate(self.after.pits))
        yield from self.guards(self.after)
        yield from self.marks()
        yield self.caption()[1]

    def document(self, film: str = "") -> Picture:
        height = self.caption()[0]
        size = f'width="{self.width:g}" height="{height:g}"'
        told = " ".join(self.sentences())
        return Picture(
            f'<svg xmlns="http://www.w3.org/2000/svg" class="relaysow" role="img" {size} '
            f'viewBox="0 0 {self.width:g} {height:g}" style="max-width:100%;height:auto">'
            f"<title>{escape(told)}</title><desc>{escape(self.text())}</desc>"
            f"<style>{_STYLE}</style>"
            f'<rect class="card" width="{self.width:g}" height="{height:g}" rx="10"/>'
            f"{''.join(self.board())}{film}"
            f'<g class="still">{"".join(self.still())}</g></svg>'
        )

    def text(self) -> str:
        """The position for those who cannot see the picture."""
        n, after = self.rules.pits, self.after
        rows = (after.pits[:n], after.pits[n:])
        return " ".join(
            f"{PLAYERS[player]}: pits 1…{n} hold {', '.join(map(str, rows[player]))}; "
            f"store {after.stores[player]}."
            for player in (0, 1)
        )

    # -- the film

    def film(self) -> str:
        """The group of all that changes, each state visible in its time."""
        film, told, move = _Film(), self.told, self.move
        assert told is not None
        pits = list(self.before.pits)
        for pit, count in enumerate(pits):
            film.put(pit, count)
        film.now = 1.0
        if isinstance(move, Redistribute):
            self._redistribute(film, move, pits)
        else:
            self._sow(film, told, pits)
        end = film.now
        total = end + 4.0
        shown: list[str] = []
        for pit, states in film.pits.items():
            # Of changes at one moment the last one counts.
            kept = [
                s for i, s in enumerate(states) if i + 1 == len(states) or states[i + 1][0] > s[0]
            ]
            ends = [*(time for time, _ in kept[1:]), end]
            for (time, count), until in zip(kept, ends, strict=True):
                if count:
                    shown.append(_timed(self.content(pit, count), time, until, total))
        starts = [time for time, _ in film.words]
        for (time, line), until in zip(film.words, [*starts[1:], end], strict=True):
            words = _text("text left", _MARGIN, self.below + _LINE, line)
            shown.append(_timed(words, time, until, total))
        if film.hand:
            ring = self.ring("hand", film.hand[0][1])
            places = [self.at(pit) for _, pit in film.hand]
            times = ";".join(_share(time, total) for time in (0.0, *(t for t, _ in film.hand[1:])))
            moves = "".join(
                f'<animate attributeName="{name}" dur="{total:g}s" repeatCount="indefinite" '
                f'calcMode="discrete" keyTimes="{times}" '
                f'values="{";".join(f"{place[axis]:g}" for place in places)}"/>'
                for axis, name in enumerate(("cx", "cy"))
            )
            ring = ring.replace("/>", f">{moves}</circle>")
            shown.append(_timed(ring, film.hand[0][0], end, total))
        before = "".join((*self.names(self.before), *self.guards(self.before)))
        shown.append(_timed(before, 0.0, end, total))
        shown.append(_timed("".join(self.still()), end, total, total))
        return f'<g class="film">{"".join(shown)}</g>'

    def _redistribute(self, film: _Film, move: Redistribute, pits: list[int]) -> None:
        film.words.append((film.now, "The seeds are lifted."))
        for pit in move.emptied:
            film.hand.append((film.now, pit))
            film.put(pit, 0)
            pits[pit] = 0
            film.now += 0.6
        film.words.append((film.now, "They are placed again."))
        for pit, count in enumerate(move.placed):
            if count:
                pits[pit] += count
                film.hand.append((film.now, pit))
                film.put(pit, pits[pit])
                film.now += 0.6

    def _sow(self, film: _Film, told: Sowing[Any], pits: list[int]) -> None:
        slowly = sum(lap.seeds for lap in told.path[: MAX_LAPS + 1]) <= MAX_DROPS
        slowly = slowly and len(told.path) <= MAX_LAPS
        for number, lap in enumerate(told.path[:MAX_LAPS], start=1):
            line = (
                f"Lap {number}: {display.seeds(lap.seeds)} of "
                f"{display.pit_name(self.rules, lap.origin)}, {display.WAY[lap.direction]}"
            )
            film.words.append((film.now, line))
            film.hand.append((film.now, lap.origin))
            pits[lap.origin] -= lap.seeds
            film.put(lap.origin, pits[lap.origin])
            film.now += 0.5
            for pit in display.drops(self.rules, lap):
                pits[pit] += 1
                film.put(pit, pits[pit])
                if slowly:
                    film.hand.append((film.now, pit))
                    film.now += 0.18
            if not slowly:
                film.hand.append((film.now, lap.last))
            film.now += 0.5
        if len(told.path) > MAX_LAPS or told.path_truncated:
            more = "more laps" if told.laps is None else f"{told.laps - MAX_LAPS:,} more laps"
            film.words.append((film.now, f"… and {more}"))
            film.now += 1.5


def _share(time: float, total: float) -> str:
    return f"{time / total:.5f}".rstrip("0").rstrip(".")


def _timed(what: str, start: float, end: float, total: float) -> str:
    """`what`, visible from start to end of a film of `total` seconds."""
    values, times = ["hidden", "visible", "hidden"], ["0", _share(start, total), _share(end, total)]
    if start == 0:
        values, times = values[1:], ["0", times[2]]
    if end == total:
        values, times = values[:-1], times[:-1]
    return (
        f'<g visibility="hidden">{what}<animate attributeName="visibility" '
        f'dur="{total:g}s" repeatCount="indefinite" calcMode="discrete" '
        f'values="{";".join(values)}" keyTimes="{";".join(times)}"/></g>'
    )


def _bracket(x: float, y: float) -> str:
    """Square brackets around a pit."""
    return "".join(f"M{x + s * 17:g} {y - 17:g}h{s * 6}v34h{s * -6}" for s in (-1, 1))


def _cross(x: float, y: float, inner: float, outer: float) -> str:
    """A cross that leaves room in its middle."""
    a, b = inner * 0.7, outer * 0.7
    return "".join(
        f"M{x + s * a:g} {y + t * a:g}L{x + s * b:g} {y + t * b:g}"
        for s in (-1, 1)
        for t in (-1, 1)
    )


def _tag(name: str, kind: str, **attributes: object) -> str:
    return f'<{name} class="{kind}"' + "".join(f' {k}="{v}"' for k, v in attributes.items()) + "/>"


def _text(kind: str, x: float, y: float, words: object) -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}">{escape(str(words))}</text>'
