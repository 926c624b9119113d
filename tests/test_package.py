"""The package as installed: what is in it, what importing it costs, and what crosses processes."""

from __future__ import annotations

import importlib.metadata
import importlib.resources
import json
import multiprocessing
import os
import pickle
import re
import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

import relaysow as rs
from relaysow import _core

SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")


def run(code: str, *options: str) -> str:
    """What a fresh interpreter prints that runs `code`."""
    command = [sys.executable, *options, "-c", code]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


def test_version_is_told_once() -> None:
    assert rs.__version__ == importlib.metadata.version("relaysow")
    assert re.fullmatch(r"\d+\.\d+\.\d+", rs.__version__)


@pytest.mark.parametrize("name", ["py.typed", "_core.pyi"])
def test_types_are_shipped(name: str) -> None:
    assert importlib.resources.files(rs).joinpath(name).is_file()


def test_public_names() -> None:
    assert [name for name in rs.__all__ if not hasattr(rs, name)] == []
    assert [name for name in dir(rs) if not name.startswith("__")] == sorted(rs.__all__)


@pytest.mark.parametrize("name", ["relaysow", "relaysow.check", "relaysow.reference"])
def test_public_classes_and_functions_say_where_they_are_public(name: str) -> None:
    module = importlib.import_module(name)
    found = {each: getattr(module, each) for each in module.__all__}
    where = {each: one.__module__ for each, one in found.items() if callable(one)}
    assert len(where) > 4
    assert where == dict.fromkeys(where, name)
    for each in where:  # and are found there, by a pickle for instance
        assert pickle.loads(pickle.dumps(found[each])) is found[each]


def test_command_is_installed() -> None:
    (command,) = importlib.metadata.entry_points(group="console_scripts", name="relaysow")
    assert callable(command.load())


def test_import_is_light() -> None:
    """Neither NumPy nor the command's packages are loaded before they are needed."""
    heavy = ("numpy", "typer", "rich", "pyarrow", "matplotlib")
    code = (
        f"import relaysow, sys, json; print(json.dumps([m for m in {heavy} if m in sys.modules]))"
    )
    assert json.loads(run(code)) == []


@pytest.mark.skipif(SANITIZED, reason="a sanitizer build is slower")
def test_import_is_quick() -> None:
    """At most 150 ms of the processor's time, start of the interpreter not counted."""
    code = "from time import *; t = process_time(); import relaysow; print(process_time() - t)"
    assert min(float(run(code)) for _ in range(5)) <= 0.150


def test_no_lock_of_the_interpreter_is_needed() -> None:
    """On a free-threaded Python importing the core does not switch the lock back on."""
    locked = "getattr(sys, '_is_gil_enabled', lambda: True)()"
    code = f"import sys; before = {locked}; import relaysow._core; print(before == {locked})"
    assert run(code) == "True\n"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads an ELF file")
@pytest.mark.skipif(SANITIZED, reason="a sanitizer build exports more")
def test_core_exports_nothing_of_its_own() -> None:
    """No C++ symbol can clash with another extension's."""
    nm = shutil.which("nm")
    if nm is None:
        pytest.skip("no nm here")
    command = [nm, "-D", "--defined-only", str(_core.__file__)]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    names = {line.split()[-1] for line in listed.splitlines()}
    assert names == {"PyInit__core"}


def play_on(pickled: bytes) -> bytes:
    """Plays the first legal move of a pickled position; for another process."""
    position = pickle.loads(pickled)
    return pickle.dumps((position, position.legal_moves[0], position.play(position.legal_moves[0])))


def test_values_cross_processes() -> None:
    """Positions, moves and rules arrive in a spawned process, and their like come back."""
    starts = [make().start() for make in rs.RULE_SETS.values()]
    starts += [start.play(start.legal_moves[0]) for start in starts]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        for start, answer in zip(starts, pool.map(play_on, map(pickle.dumps, starts)), strict=True):
            position, move, after = pickle.loads(answer)
            assert position == start
            assert hash(position) == hash(start)
            assert position.rules == start.rules
            assert move == start.legal_moves[0]
            assert after == start.play(move)


def test_files_have_no_machine_in_them() -> None:
    """The core holds no path of the machine that built it."""
    core = Path(str(_core.__file__)).read_bytes()
    assert SANITIZED or b"/cpp/" not in core


def test_the_core_imports_plain_values_and_refusals_alone() -> None:
    """No text, picture, table or player: what those give the core's classes is given in Python."""
    sources = Path(__file__).parents[1] / "cpp"
    named = {
        module
        for source in sources.rglob("*.[ch]pp")
        for module in re.findall(r'"(relaysow\.[\w.]+)"', source.read_text("utf-8"))
    }
    assert named == {"relaysow.rules", "relaysow.moves", "relaysow._support.checks"}
