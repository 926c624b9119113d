"""The examples of the README and of every docstring run as written."""

from __future__ import annotations

import doctest
import re
from importlib import import_module
from inspect import isclass
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import pytest

import relaysow
from relaysow import _core

README = Path(__file__).parents[1] / "README.md"
MODULES = [
    # Not every Python has OpenSpiel.
    pytest.param(name, marks=[pytest.mark.openspiel] if name.endswith(".openspiel") else [])
    for name in [
        "relaysow",
        *(module.name for module in walk_packages(relaysow.__path__, "relaysow.")),
    ]
]


def run(test: doctest.DocTest) -> int:
    """Runs the examples, which must hold; how many there are."""
    runner = doctest.DocTestRunner(optionflags=doctest.FAIL_FAST)
    report: list[str] = []
    runner.run(test, out=report.append)
    assert not runner.failures, "".join(report)
    return len(test.examples)


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    for test in doctest.DocTestFinder(exclude_empty=True).find(import_module(name), name):
        run(test)


@pytest.mark.parametrize("package", ["relaysow", "relaysow.check", "relaysow.envs"])
def test_docstrings_of_public_classes(package: str) -> None:
    """They say that they are of the package, so that they are none of their module's to doctest."""
    public = import_module(package)
    found = {name: getattr(public, name) for name in public.__all__}
    for name in filter(lambda name: isclass(found[name]), found):
        for test in doctest.DocTestFinder(exclude_empty=True).find(found[name], name, False, found):  # type: ignore[arg-type]
            run(test)


def test_docstrings_of_the_core() -> None:
    # doctest's finder does not see into extension types.
    documented: dict[str, Any] = {"perft": _core.perft}
    for owner in (_core.Position, _core.LegalMoves, _core.Batch):
        documented[owner.__name__] = owner
        documented |= {f"{owner.__name__}.{name}": getattr(owner, name) for name in dir(owner)}
    parser = doctest.DocTestParser()
    examples = sum(
        run(parser.get_doctest(thing.__doc__ or "", {}, name, None, 0))
        for name, thing in documented.items()
    )
    assert examples > 10


def test_readme() -> None:
    blocks = re.findall(
        r"^```python\n(.*?)^```", README.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    text = "\n".join(blocks)
    assert run(doctest.DocTestParser().get_doctest(text, {}, "README.md", str(README), 0)) > 15


def test_the_readme_names_every_option_value_and_rule_set() -> None:
    text = README.read_text("utf-8")
    for option, values in relaysow.rules.CHOICES.items():
        assert f"`{option}`" in text
        assert not [value for value in values if f"`{value}`" not in text]
    assert not [name for name in relaysow.RULE_SETS if f"`{name}" not in text]
