"""The ledger of the options: what is told of them in Python and in the extension is the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import relaysow
from relaysow.options import CHOICES

# Imports the extension beside rules that a line of code has changed.
IMPORT = """
import sys, types
package = types.ModuleType("relaysow")
package.__path__ = [{folder!r}]
sys.modules["relaysow"] = package
import relaysow.rules as rules, relaysow.moves
from relaysow.options import CHOICES, OPTIONS, Options
{change}
import relaysow._core
"""
# The same of options changed before the rules are imported.
BEFORE = IMPORT.replace("import relaysow.rules as rules, relaysow.moves\n", "").replace(
    "import relaysow._core", "import relaysow.rules"
)


def imported_beside(change: str, code: str = IMPORT) -> str:
    """The last line of what the import says of rules so changed; nothing if it does not fail."""
    code = code.format(folder=str(Path(relaysow.__file__).parent), change=change)
    run = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    return (run.stderr.splitlines() or [""])[-1]


def test_the_extension_is_imported_beside_its_own_rules() -> None:
    assert imported_beside("") == ""


@pytest.mark.parametrize(
    ("option", "changed"),
    [(option, (*values, "odd")) for option, values in CHOICES.items()]
    + [("chain", CHOICES["chain"][::-1]), ("chain", CHOICES["chain"][:-1])],
)
def test_an_option_that_the_extension_has_otherwise_is_named(
    option: str, changed: tuple[str, ...]
) -> None:
    assert imported_beside(f"CHOICES[{option!r}] = {changed!r}") == (
        f"ImportError: the option '{option}' is {', '.join(changed)} in relaysow.rules and "
        f"{', '.join(CHOICES[option])} in relaysow._core, which has to be built again"
    )


def test_an_option_that_only_one_of_them_has_is_named() -> None:
    assert imported_beside("CHOICES['sound'] = ('off', 'on')").startswith(
        "ImportError: the option 'sound' is off, on in relaysow.rules and missing in relaysow._core"
    )
    assert imported_beside("del CHOICES['endless']").startswith(
        "ImportError: the option 'endless' is missing in relaysow.rules and illegal, draw"
    )


@pytest.mark.parametrize("limit", ["MIN_PITS", "MAX_PITS", "MAX_SEEDS", "MAX_LAPS"])
def test_a_limit_that_the_extension_has_otherwise_is_named(limit: str) -> None:
    assert imported_beside(f"rules.{limit} += 1").startswith(f"ImportError: the limit {limit} is ")


def test_every_rule_set_is_public() -> None:
    assert set(relaysow.RULE_SETS) <= set(relaysow.__all__)
    for name, function in relaysow.RULE_SETS.items():
        assert getattr(relaysow, name) is function


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ("OPTIONS['sound'] = ('whether it rattles', {{}})", "OPTIONS differ in the option 'sound'"),
        ("OPTIONS['chain'] = OPTIONS.pop('chain')", "OPTIONS differ in the option 'chain'"),
        ("del OPTIONS['endless']", "OPTIONS differ in the option 'endless'"),
        ("Options.__annotations__['sound'] = str", "Options differ in the option 'sound'"),
        ("del Options.__annotations__['endless']", "Options differ in the option 'endless'"),
    ],
)
def test_an_option_that_rules_have_otherwise_is_named(change: str, where: str) -> None:
    assert imported_beside("", BEFORE) == ""
    said = imported_beside(change.format(), BEFORE)
    assert said == f"ImportError: Rules and {where}, or in its place"
