"""Fixtures shared by the tests: the two engines and the command, and how hard Hypothesis tries."""

from __future__ import annotations

import os
import signal
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# A job in the background of a shell starts with Ctrl-C ignored, one of nohup with SIGHUP, and so
# would its children.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

settings.register_profile(
    "ci", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("long", settings.get_profile("ci"), derandomize=False, max_examples=5_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

ENGINES = {"reference": "relaysow.reference", "core": "relaysow"}


@pytest.fixture(scope="session", params=list(ENGINES.values()), ids=list(ENGINES))
def engine(request: pytest.FixtureRequest) -> ModuleType:
    """A module with `Position`, `Game` and `perft`: the plain-Python reference, then the core."""
    return import_module(request.param)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    """The command with these words: (exit code, standard output, standard error)."""

    def run(*words: str) -> tuple[int, str, str]:
        code = import_module("relaysow.cli").main(list(words))
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says so where sources have changed since the core that was tested was built from them."""
    root, package = Path(__file__).parents[1], find_spec("relaysow")
    if package is None or not Path(str(package.origin)).is_relative_to(root / "python"):
        return
    built = Path(import_module("relaysow._core").__file__ or "").stat().st_mtime
    newer = [file.name for file in root.glob("cpp/**/*.[ch]pp") if file.stat().st_mtime > built]
    if newer:
        names = ", ".join(sorted(newer))
        terminalreporter.write_line(f"The core is older than {names}: build again", yellow=True)
