"""The modules of the package: how large they are, what they say they are, what they import when."""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import relaysow

PACKAGE = Path(relaysow.__file__).parent
FILES = {
    ".".join(("relaysow", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(
        ".__init__"
    ): path
    for path in sorted(PACKAGE.rglob("*.py"))
}

COMMANDS = "`relaysow --help` shows every command, and is to be quick"
DEFERRED = {
    "relaysow.__main__": ({"relaysow.cli"}, "Ctrl-C while it is loaded is answered here"),
    "relaysow.cli.commands.compare": ({"relaysow.check", "relaysow.simulation.setting"}, COMMANDS),
    "relaysow.cli.commands.play": ({"relaysow.cli.terminal_game", "relaysow.web"}, COMMANDS),
    "relaysow.cli.commands.show": (
        {
            "relaysow.records",
            "relaysow.records.plays",
            "relaysow.text.board",
            "relaysow.text.notation",
        },
        COMMANDS,
    ),
    "relaysow.cli.commands.simulate": (
        {
            "relaysow._support.files",
            "relaysow.simulation",
            "relaysow.simulation.plots",
            "relaysow.simulation.writers",
        },
        COMMANDS,
    ),
    "relaysow.cli.commands.solve": (
        {
            "relaysow.exact.analysis",
            "relaysow.exact.puzzle",
            "relaysow.exact.solving",
            "relaysow.simulation.setting",
            "relaysow.text.board",
            "relaysow.text.notation",
        },
        COMMANDS,
    ),
    "relaysow.cli.commands.tablebase": ({"relaysow.exact.tablebase"}, COMMANDS),
    "relaysow.cli.exact": ({"relaysow.exact.tablebase"}, COMMANDS),
    "relaysow.cli.printing": ({"relaysow._support.files", "relaysow.text.board"}, COMMANDS),
    "relaysow.match": ({"relaysow.match.simulating"}, "records and matches need no simulation"),
    "relaysow.simulation.run": ({"relaysow.reference"}, "few simulations are the reference's"),
    "relaysow.simulation.simulating": ({"relaysow.simulation.shards"}, "few are kept in shards"),
}
"""What a module of ours imports in a function, and why: whoever adds to it says so here."""


def imports(tree: ast.AST, deferred: bool = False) -> Iterator[tuple[str, bool]]:
    """What of ours a file imports when it runs, and whether that is in a function."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        within = deferred or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        names = []
        if isinstance(node, ast.Import):
            names = [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            inside = [f"{node.module}.{one.name}" for one in node.names]
            names = [name if name in FILES else str(node.module) for name in inside]
        for name in names:
            if name.partition(".")[0] == "relaysow":
                yield name, deferred
        yield from imports(node, within)


@pytest.mark.parametrize("name", FILES)
def test_module(name: str) -> None:
    text = FILES[name].read_text("utf-8")
    assert text.count("\n") <= 600
    tree = ast.parse(text)
    subject = (ast.get_docstring(tree) or "").partition("\n\n")[0]
    assert subject.endswith((".", ":")), f"{name} does not say what it is about"
    later = {found for found, deferred in imports(tree) if deferred}
    assert later == DEFERRED.get(name, (set(), ""))[0]


def declared() -> Iterator[tuple[str, Any]]:
    """The methods that a room above that of their class provides."""
    for name in FILES:
        if name == "relaysow.__main__":
            continue
        try:
            module = importlib.import_module(name)
        except ImportError as error:
            assert "relaysow[" in str(error), error  # an optional library
            continue
        for kind in filter(inspect.isclass, vars(module).values()):
            for method in vars(kind).values():
                method = getattr(method, "__func__", method)
                if hasattr(method, "provided_by"):
                    yield f"{kind.__module__}.{method.__qualname__}", method


def test_every_method_that_is_declared_is_provided() -> None:
    """By a function of the room that it names, which takes what the method does."""
    found = dict(declared())
    for name in ("Position.to_text", "Rules.start", "Game.record", "reference.Game.from_record"):
        assert f"relaysow.{name}" in found
    for name, method in found.items():
        room, function = method.provided_by
        provider = getattr(importlib.import_module(room), function, None)
        assert callable(provider), f"{name}: {room} has no {function}"
        taken = inspect.signature(method).parameters.values()
        inspect.signature(provider).bind(*(one for one in taken if one.kind < one.KEYWORD_ONLY))
        assert method.__doc__, name


def test_no_reason_is_left_over() -> None:
    assert {*DEFERRED} <= {*FILES}


def test_rooms_import_downwards() -> None:
    pytest.importorskip("importlinter")
    root = Path(__file__).parents[1]
    if PACKAGE.parents[1] != root:
        pytest.skip("the package that is tested is installed elsewhere")
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    ran = subprocess.run(
        [sys.executable, "-c", code, "--no-cache"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
