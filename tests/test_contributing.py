"""What CONTRIBUTING says of the tree is so: its map, the places of an addition, the commands of CI."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from test_layers import LAYERS

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PACKAGE = ROOT / "python" / "relaysow"
CODE = re.compile(r"`([^`]+)`")


def named_in_map(folder: str) -> list[str]:
    """What the first column of a folder's table names, in its order."""
    table = TEXT.split(f"| `{folder}` | holds |\n| --- | --- |\n")[1].split("\n\n")[0]
    return [name for row in table.splitlines() for name in CODE.findall(row.split(" | ")[0])]


def places() -> list[str]:
    """The files and folders that "To add …" names."""
    told = TEXT.split("## To add …")[1].split("**Who checks.**")[0]
    codes = dict.fromkeys(CODE.findall(told))
    return [code for code in codes if re.fullmatch(r"[\w./]+(\.\w+|/)", code)]


def test_every_folder_of_the_core_is_in_the_map() -> None:
    assert named_in_map("cpp/") == list(LAYERS)
    assert {path.name for path in (ROOT / "cpp").iterdir()} == set(LAYERS)


def test_every_module_and_package_is_in_the_map() -> None:
    named = named_in_map("python/relaysow/")
    found = {path.name for path in PACKAGE.glob("*.py") if not path.name.startswith("__")}
    found |= {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert sorted(name.strip("/") for name in named) == sorted(found)


def test_the_map_is_in_the_order_of_the_layers() -> None:
    order = [name.removesuffix(".py").strip("/") for name in named_in_map("python/relaysow/")]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    level = {name: -i for i, layer in enumerate(layers) for name in layer.split(" | ")}
    for at, name in enumerate(order):
        above = [other for other in order[:at] if level[other] > level[name]]
        assert not above, f"{name} stands below {above}, and may not import them"


@pytest.mark.parametrize("place", places())
def test_places_of_additions_are_there(place: str) -> None:
    found = [path for folder in ("cpp", "python", "tests") for path in (ROOT / folder).rglob("*")]
    found += [path for path in ROOT.iterdir() if path.is_file()]
    assert any(f"{path.as_posix()}{'/' * path.is_dir()}".endswith(f"/{place}") for path in found)


def test_places_are_found() -> None:
    assert {"cpp/rules/options.def", "result.py", "cli/commands/"} <= {
        *places(),
        *(place.rpartition("/")[2] for place in places()),
    }


def test_commands_of_ci_are_rows() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    rows = re.findall(r'^ +(?:\w+=\S+ )?follow ("[^"]+"|\w+)', script, re.MULTILINE)
    assert len(rows) > 5
    for row in rows:
        row = re.escape(row.strip('"'))
        (told,) = re.findall(rf"^\| {row} \| (.+) \|$", TEXT, re.MULTILINE)
        assert CODE.search(told)
