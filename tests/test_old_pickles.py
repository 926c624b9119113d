"""Pickles made when the package was a flat folder of modules: each is read, and equal, or refused by
name.

`old_pickles.tar.xz` holds, by protocols 2 and 5, the samples of every class that `test_copies` then
had, under the module and name that the class had, and all public classes and functions by reference.
"""

from __future__ import annotations

import pickle
import re
import sys
import tarfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relaysow as rs
from relaysow import reference
from relaysow._support.public import MOVED
from test_copies import SAMPLES, TABLES, told

with tarfile.open(Path(__file__).with_name("old_pickles.tar.xz")) as _archive:
    PICKLES = {
        member.name: file.read()
        for member in _archive
        if (file := _archive.extractfile(member)) is not None
    }

REFUSED = {
    "turns": (rs.RulesError, r"repetition_scope='turn': this option of earlier versions is gone"),
    "relaysow.game.RemainingMoves": (AttributeError, "RemainingMoves"),
    "relaysow.reference.CycleTest": (AttributeError, "CycleTest"),  # these were never public
    "relaysow.reference.Laps": (AttributeError, "Laps"),
    "relaysow.reference.Lift": (AttributeError, "Lift"),
}
BY_REFERENCE = "classes.and.functions"
NAMES = sorted({name.rpartition(".")[0] for name in PICKLES} - {*REFUSED, BY_REFERENCE})


@pytest.fixture(autouse=True)
def _table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The table that is there under the name by which it was pickled.

    The arrays were pickled by NumPy 2, whose names for them NumPy 1 does not have.
    """
    if np.lib.NumpyVersion(np.__version__) < "2.0.0":
        for name in ("", ".multiarray", ".numeric"):
            monkeypatch.setitem(
                sys.modules, f"numpy._core{name}", import_module(f"numpy.core{name}")
            )
    monkeypatch.chdir(tmp_path)
    with rs.Tablebase.build(rs.giuthi(pits=3, seeds=1), 3, "table") as table:
        TABLES[:] = [table]
        yield


def seen(given: Any) -> list[str]:
    """What each of these tells, but for the seconds that it took."""
    return [re.sub(r"(seconds'?[=:] ?)[-+.e\d]+", r"\1…", repr(told(one))) for one in given]


@pytest.mark.parametrize("protocol", [2, 5])
@pytest.mark.parametrize("name", NAMES)
def test_read(name: str, protocol: int) -> None:
    module, _, kind = name.rpartition(".")
    (make,) = (
        make
        for one, make in SAMPLES.items()
        if one.__qualname__ == kind
        and one.__module__.startswith("relaysow.reference") == (module == "relaysow.reference")
    )
    read, made = pickle.loads(PICKLES[f"{name}.{protocol}"]), [*make()]
    assert read
    assert [one for one in seen(read) if one not in seen(made)] == []
    if type(read[0]).__eq__ not in (object.__eq__, BaseException.__eq__):
        for one in read:
            again = pickle.loads(pickle.dumps(one, protocol))
            assert type(again) is type(one)
            assert seen([again]) == seen([one])


@pytest.mark.parametrize("protocol", [2, 5])
@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, protocol: int) -> None:
    kind, told_so = REFUSED[name]
    with pytest.raises(kind, match=told_so):
        pickle.loads(PICKLES[f"{name}.{protocol}"])


@pytest.mark.parametrize("protocol", [2, 5])
def test_classes_and_functions(protocol: int) -> None:
    read = pickle.loads(PICKLES[f"{BY_REFERENCE}.{protocol}"])
    assert len(read) > 50
    for one in read:
        assert one is getattr(reference if "reference" in one.__module__ else rs, one.__name__)


def test_every_module_that_has_moved_is_named() -> None:
    """And no more of them than pickles name."""
    named = {name.rpartition(".")[0].rpartition(".")[0] for name in PICKLES}
    assert {*MOVED} <= named
