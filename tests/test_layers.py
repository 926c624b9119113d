"""The layers of the core: a folder of cpp/ includes only itself and folders below it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CPP = Path(__file__).parents[1] / "cpp"
# From the bottom to the top.
LAYERS = ("support", "rules", "play", "exact", "search", "lanes", "games", "python")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def includes(folder: Path) -> dict[str, list[str]]:
    """What each C++ file under `folder` includes of the project, by the file's path."""
    return {
        file.relative_to(folder).as_posix(): INCLUDE.findall(file.read_text(encoding="utf-8"))
        for file in sorted(folder.rglob("*.?pp"))
    }


def upward(included: dict[str, list[str]]) -> list[str]:
    """The includes that name a folder above the file's own, or a folder without a layer."""
    wrong = []
    for file, names in included.items():
        for name in names:
            own, other = file.split("/")[0], name.split("/")[0]
            known = own in LAYERS and other in LAYERS
            if not known or LAYERS.index(other) > LAYERS.index(own):
                wrong.append(f"{file} includes {name}")
    return wrong


def circles(included: dict[str, list[str]]) -> list[str]:
    """The files that include themselves by way of others."""

    def reached(file: str) -> set[str]:
        found: set[str] = set()
        todo = list(included.get(file, []))
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                todo += included.get(name, [])
        return found

    return [file for file in included if file in reached(file)]


def test_includes_point_downward() -> None:
    included = includes(CPP)
    assert len(included) > 50
    assert {file.split("/")[0] for file in included} == set(LAYERS)
    assert not upward(included)
    assert not circles(included)


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("play/board.hpp", "games/simulate.hpp"),
        ("rules/rules.hpp", "play/board.hpp"),
        ("search/search.hpp", "lanes/lanes.hpp"),
        ("play/board.hpp", "board.hpp"),
    ],
)
def test_planted_include_is_found(file: str, name: str) -> None:
    included = includes(CPP)
    included[file].append(name)
    assert upward(included) == [f"{file} includes {name}"]


def test_planted_circle_is_found() -> None:
    assert circles({"play/a.hpp": ["play/b.hpp"], "play/b.hpp": ["play/a.hpp"]})
