"""Pictures: to the letter, as trees of XML, and rendered.

`python tests/test_pictures.py` writes the pictures that are compared to the letter.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest
import resvg_py
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

import relaysow as rs
from relaysow import reference
from relaysow.reference.sowing import Lift, sow_lap
from relaysow.text import board as display
from relaysow.text import svg as pictures
from strategies import random_rules, rules_and_positions

FILES = Path(__file__).with_name("pictures")
TEN = rs.Sow(0, direction="ccw")
PROTECTED = rs.Position(
    rs.kiothi(),
    (0, 0, 1, 0, 5, 5, 5, 10, 5, 5, 4, 0, 0, 13, 0, 5, 5, 5, 5, 5),
    stores=(3, 0),
    protected=(2, 4, 7, 13, 19),
)
ENDLESS = rs.Position(rs.giuthi(5, 4), (9, 2, 0, 3, 0, 0, 0, 0, 0, 2))
REDISTRIBUTION = rs.Redistribute(
    (4, 5), (0, 0, 1, 2, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0)
)
OVER = rs.Position(rs.giuthi(3, 4), (1, 0, 0, 0, 1, 1), stores=(10, 11))

PICTURES: dict[str, Callable[[], pictures.Picture]] = {
    "2x5": lambda: rs.svg(rs.giuthi(5, 4).start(), TEN),
    "2x8": lambda: rs.svg(rs.giuthi().start(), labels="ring"),
    "2x10": lambda: rs.svg(PROTECTED, rs.Sow(2, lift=1)),
    "2x10-redistribution": lambda: rs.svg(rs.kiothi().start(), REDISTRIBUTION),
    "2x50": lambda: rs.svg(rs.engehe().start(), rs.Sow(0)),
    "endless": lambda: rs.svg(ENDLESS, TEN),
    "over": lambda: rs.svg(OVER, labels="none"),
    "animated": lambda: rs.animate(rs.giuthi(5, 4).start(), TEN),
    "animated-redistribution": lambda: rs.animate(rs.kiothi().start(), REDISTRIBUTION),
}

Node = ElementTree.Element


@pytest.mark.parametrize("name", PICTURES)
def test_to_the_letter(name: str) -> None:
    assert PICTURES[name]() == (FILES / f"{name}.svg").read_text("utf-8").removesuffix("\n")


def test_a_notebook_shows_them(engine: Any) -> None:
    position = engine.Position.start(rs.giuthi(5, 4))
    assert position._repr_svg_() == rs.svg(position) == rs.svg(position)._repr_svg_()
    assert type(rs.svg(position)._repr_svg_()) is str


@pytest.mark.parametrize("picture", [rs.svg, rs.animate])
def test_refusals(picture: Any, engine: Any) -> None:
    start = engine.Position.start(rs.giuthi(5, 4))
    with pytest.raises(ValueError, match=r"^labels='all': must be 'own', 'ring' or 'none'$"):
        picture(start, TEN, labels="all")
    with pytest.raises(TypeError, match=r"^labels must be 'own', 'ring' or 'none', not None$"):
        picture(start, TEN, labels=None)
    with pytest.raises(rs.IllegalMove, match="pit 7 is not the mover's"):
        picture(start, rs.Sow(7, direction="ccw"))
    with pytest.raises(TypeError, match="a move must be Sow or Redistribute, not '1\\+'"):
        picture(start, "1+")


# ------------------------------------------------------------------------------- as trees of XML


def parsed(picture: str) -> Node:
    return ElementTree.fromstring(re.sub(r' xmlns="[^"]*"', "", picture))


def kind(node: Node) -> set[str]:
    return set(node.get("class", "").split())


def centres(tree: Node) -> list[tuple[float, float]]:
    """The pits in ring order."""
    return [
        (float(node.get("cx", "")), float(node.get("cy", "")))
        for node in tree.findall("circle")
        if "pit" in kind(node)
    ]


def places(node: Node) -> list[tuple[float, float]]:
    """Where an element is, or each of the seeds of a pit."""
    if node.tag == "text":
        return [(float(node.get("x", "")), float(node.get("y", "")) - 6)]
    return [(float(x), float(y)) for x, y in re.findall(r"M([-.\d]+) ([-.\d]+)", node.get("d", ""))]


def held(centres: list[tuple[float, float]], nodes: Iterator[Node]) -> list[int]:
    """How many seeds these elements show in each pit; each pit is shown once."""
    counts: dict[int, int] = {}
    for node in nodes:
        if not kind(node) & {"seed", "count"} or kind(node) & {"store", "minus"}:
            continue
        spots = places(node)
        ((pit,),) = {
            tuple(p for p, (cx, cy) in enumerate(centres) if (x - cx) ** 2 + (y - cy) ** 2 < 18**2)
            for x, y in spots
        }
        assert pit not in counts
        counts[pit] = len(spots) if node.tag == "path" else int(node.text or "")
    return [counts.get(pit, 0) for pit in range(len(centres))]


def still(tree: Node) -> Node:
    (group,) = (node for node in tree.findall("g") if kind(node) == {"still"})
    return group


@pytest.mark.slow
@given(rules_and_positions())
def test_every_seed_is_shown(drawn: Any) -> None:
    rules, setup = drawn
    position = setup(rs)
    picture = rs.svg(position)
    assert picture == rs.svg(setup(reference))
    tree = parsed(picture)
    assert held(centres(tree), still(tree).iter()) == list(position.pits)
    stores = [node.text for node in still(tree) if "store" in kind(node)]
    assert stores == [str(store) for store in position.stores]
    guards = [node for node in still(tree) if "guard" in kind(node)]
    assert len(guards) == len(position.protected)
    for pit, guard in zip(position.protected, guards, strict=True):
        x, y = centres(tree)[pit]
        assert places(guard) == [(x - 17, y - 17), (x + 17, y - 17)]
    words = " ".join(t.text or "" for t in still(tree).iter("text") if "left" in kind(t))
    assert words == display.state(position)
    arrows = [node for node in still(tree) if kind(node) == {"text"} and node.tag == "path"]
    assert len(arrows) == (0 if position.is_over else -(-rules.pits // pictures.MAX_COLUMNS))


@pytest.mark.slow
@given(rules_and_positions(), st.randoms(use_true_random=False))
def test_the_move_is_marked(drawn: Any, random: Any) -> None:
    position = drawn[1](rs)
    if not position.legal_moves:
        return
    move = position.legal_moves[random.randrange(min(position.legal_moves.count, 10**6))]
    told = position.sow(move)
    tree = parsed(rs.svg(position, move))
    pits = centres(tree)

    def marked(name: str) -> list[int]:
        return [
            pits.index((float(node.get("cx", "")), float(node.get("cy", ""))))
            for node in still(tree).iter("circle")
            if kind(node) == {name} and node.get("r") == "21"
        ]

    if isinstance(move, rs.Redistribute):
        assert marked("first") == list(move.emptied)
        more = [node.text for node in still(tree) if "more" in kind(node)]
        assert more == [f"+{count}" for count in move.placed if count]
        return
    assert marked("first") == [move.pit]
    assert set(marked("later")) == {lap.origin for lap in told.path} - {move.pit}
    ended = told.laps is not None and not told.path_truncated
    assert marked("last") == [told.path[-1].last] * ended
    minus = [
        int((node.text or "").replace("−", "")) for node in still(tree) if "minus" in kind(node)
    ]
    if not told.path_truncated:
        assert sum(minus) == told.captured
        assert len(minus) == len(told.captured_pits)


def test_a_sowing_without_end_has_no_last_seed() -> None:
    for endless in ("illegal", "draw", "ends_turn"):
        position = rs.Position(rs.giuthi(5, 4, endless=endless), ENDLESS.pits)
        picture = rs.svg(position, TEN)
        assert 'class="last"' not in picture
        assert 'class="first"' in picture
        assert "The sowing never ends: it comes round again every 100 laps." in picture


@pytest.mark.parametrize("name", PICTURES)
def test_nothing_lies_over_another(name: str) -> None:
    """No text over another, over a pit that is not its own, or out of the picture."""
    tree = parsed(PICTURES[name]())
    width, height = (float(tree.get(side, "")) for side in ("width", "height"))
    boxes: list[tuple[float, float, float, float]] = []
    for node in [*tree.findall("text"), *still(tree).iter("text")]:
        size = next(
            (
                s
                for k, s in {"more": 11, "long": 13, "count": 17, "left": 14}.items()
                if k in kind(node)
            ),
            13,
        )
        # A wide font: DejaVu Sans, whose letters are 0.61 of their height on average.
        wide = 0.62 * size * len(node.text or "")
        x, y = float(node.get("x", "")), float(node.get("y", ""))
        x -= 0 if "left" in kind(node) else wide if "name" in kind(node) else wide / 2
        boxes.append((x, y - 0.75 * size, x + wide, y + 0.22 * size))
    for i, (left, top, right, bottom) in enumerate(boxes):
        assert left >= 0
        assert top >= 0
        assert right <= width
        assert bottom <= height
        for other in boxes[:i]:
            apart = right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
            assert apart


def shown(node: Node) -> tuple[float, float]:
    """When a part of a film is visible: from and until, as shares of its time."""
    (change,) = (a for a in node.findall("animate") if a.get("attributeName") == "visibility")
    times = [*map(float, change.get("keyTimes", "").split(";")), 1.0]
    values = change.get("values", "").split(";")
    assert times == sorted(times)
    assert times[0] == 0
    assert len(times) == len(values) + 1
    assert values.count("visible") == 1
    return times[values.index("visible")], times[values.index("visible") + 1]


MOVES: list[tuple[Any, Any]] = [
    (rs.giuthi(5, 4).start(), TEN),
    (rs.giuthi(10, 9).start(), TEN),
    (PROTECTED, rs.Sow(2, lift=1)),
    (PROTECTED, rs.Sow(7, lift=3)),
    (rs.engehe().start(), rs.Sow(0)),
    (rs.giuthi(origin="skipped").start(), rs.Sow(3, direction="cw")),
    (ENDLESS, TEN),
]


@pytest.mark.parametrize(("position", "move"), MOVES)
def test_a_film_sows_lap_by_lap(position: Any, move: Any) -> None:
    """Just before each lap the picture holds what the reference's laps leave; then one pit less."""
    tree = parsed(rs.animate(position, move))
    (film,) = (node for node in tree.findall("g") if kind(node) == {"film"})
    parts = [(shown(node), node) for node in film]
    laps = [
        when[0]
        for when, node in parts
        if when[1] < 1 and any((text.text or "").startswith("Lap ") for text in node.iter("text"))
    ]
    told = position.sow(move)
    count = min(len(told.path), pictures.MAX_LAPS)
    assert len(laps) == count
    ring = position.pits
    for start, lap in zip(laps, told.path, strict=False):
        lifted = list(ring)
        lifted[lap.origin] -= lap.seeds
        for instant, pits in ((start - 1e-4, list(ring)), (start + 1e-4, lifted)):
            nodes = (n for when, part in parts if when[0] <= instant < when[1] for n in part.iter())
            assert held(centres(tree), nodes) == pits
        ring, _ = sow_lap(position.rules, Lift(ring, lap.origin, lap.seeds, lap.direction))
    # It ends in the still picture.
    final = [part for when, part in parts if when[1] == 1]
    assert len(final) == 1
    for change in final[0].findall("animate"):
        final[0].remove(change)
    alone = still(parsed(rs.svg(position, move)))
    assert [ElementTree.tostring(n) for n in final[0]] == [ElementTree.tostring(n) for n in alone]
    assert [ElementTree.tostring(n) for n in still(tree)] == [
        ElementTree.tostring(n) for n in alone
    ]


def test_the_hand_goes_from_pit_to_pit() -> None:
    tree = parsed(rs.animate(rs.giuthi(10, 9).start(), TEN))
    hand = next(node for node in tree.iter("circle") if kind(node) == {"hand"})
    across, down = (
        [float(place) for place in (change.get("values") or "").split(";")]
        for change in hand.findall("animate")
    )
    pits = centres(tree)
    visited = [pits.index(place) for place in zip(across, down, strict=True)]
    assert visited == [
        *range(10), 9, *range(8, -1, -1), 19, 19, *range(10)
    ]  # fmt: skip
    for change in hand.findall("animate"):
        times = [float(time) for time in (change.get("keyTimes") or "").split(";")]
        assert all(a < b for a, b in pairwise(times))


def test_the_longest_are_bounded() -> None:
    """However long a sowing and large a board: under 2 MB."""
    random = Random(141)
    start = rs.engehe(pits=64, setup=[random.randrange(7, 9) for _ in range(128)]).start()
    longest = max(start.legal_moves, key=lambda move: len(start.sow(move).path))
    assert len(start.sow(longest).path) > pictures.MAX_LAPS
    film = rs.animate(start, longest)
    assert len(film) < 2_000_000
    assert "… and 43 more laps" in film
    parsed(film)


@given(random_rules())
def test_every_start_has_a_picture(rules: Any) -> None:
    start = rules.start()
    parsed(rs.svg(start, labels="ring"))
    if start.legal_moves:
        parsed(rs.animate(start, start.legal_moves[0], labels="none"))


# -------------------------------------------------------------------------------------- rendered


def by_night(picture: str) -> str:
    """The picture as a device in the dark has it; the renderer knows no such thing."""
    return re.sub(
        r"@media \(prefers-color-scheme:dark\)\{((?:[^{}]*\{[^{}]*\})*)\}", r"\1", picture
    )


def rendered(picture: str) -> Image.Image:
    return Image.open(io.BytesIO(bytes(resvg_py.svg_to_bytes(svg_string=picture)))).convert("RGB")


def colours(night: bool) -> dict[str, tuple[int, ...]]:
    return {
        name.strip("."): tuple(bytes.fromhex((dark if night else day).strip("#")))
        for name, _, day, dark in pictures._COLOURS
    }


@pytest.mark.parametrize("night", [False, True], ids=["day", "night"])
@pytest.mark.parametrize("name", PICTURES)
def test_rendered(name: str, night: bool) -> None:
    """Size, ground, and what is in the middle of every pit that is empty or holds an odd few."""
    picture = PICTURES[name]()
    tree, colour = parsed(picture), colours(night)
    image = rendered(by_night(picture) if night else picture)
    assert image.size == (int(float(tree.get("width", ""))), int(float(tree.get("height", ""))))
    assert image.getpixel((image.width // 2, 3)) == colour["card"]
    struck = {places(n)[0] for n in still(tree) if "minus" in kind(n)}
    pits = centres(tree)
    counts = held(pits, still(tree).iter())
    for (x, y), count in zip(pits, counts, strict=True):
        if count in (1, 5, 7, 9) or (count == 0 and (x, y) not in struck):
            assert image.getpixel((int(x), int(y))) == colour["seed" if count else "pit"], (x, y)
        assert image.getpixel((int(x) - 23, int(y) - 23)) == colour["panel"]


def test_seeds_can_be_counted_in_the_rendering() -> None:
    """Every seed is a spot of its own: as many spots as seeds, for 1 to 12."""
    rules = rs.engehe(pits=6, setup=tuple(range(1, 13)))
    picture = rs.svg(rules.start())
    image, colour = rendered(picture), colours(False)
    for pit, (x, y) in enumerate(centres(parsed(picture))):
        dark = {
            (i, j)
            for i in range(int(x) - 20, int(x) + 21)
            for j in range(int(y) - 20, int(y) + 21)
            if (i - x) ** 2 + (j - y) ** 2 < 20**2
            and sum(image.getpixel((i, j))) < sum(colour["seed"]) + 130  # type: ignore[arg-type]
        }
        spots = 0
        while dark:
            spots += 1
            edge = [dark.pop()]
            while edge:
                i, j = edge.pop()
                for near in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
                    if near in dark:
                        dark.remove(near)
                        edge.append(near)
        assert spots == pit + 1


@pytest.mark.parametrize("night", [False, True], ids=["day", "night"])
def test_contrast(night: bool) -> None:
    """Words at least 4.5 to 1 against their ground, seeds and marks 3 to 1 (WCAG 2.2, AA)."""

    def light(name: str) -> float:
        channels = [c / 255 for c in colours(night)[name]]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast(one: str, other: str) -> float:
        low, high = sorted((light(one), light(other)))
        return (high + 0.05) / (low + 0.05)

    words = ["text card", "label card", "count pit", "count panel", "minus pit", "text panel"]
    lines = ["seed pit", "guard panel", "edge card"]
    lines += [f"{mark} pit" for mark in ("first", "later", "last", "taken", "hand")]
    assert [pair for pair in words if contrast(*pair.split()) < 4.5] == []
    assert [pair for pair in lines if contrast(*pair.split()) < 3] == []


if __name__ == "__main__":
    for name, picture in PICTURES.items():
        (FILES / f"{name}.svg").write_text(picture() + "\n", "utf-8")
