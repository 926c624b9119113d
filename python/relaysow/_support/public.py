"""Where what is public is found: by users, whichever module has it, and by pickles made before."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TypeVar

from relaysow._support.reloading import once

T = TypeVar("T")

PACKAGES = ("check", "envs", "reference")
"""What users import from besides `relaysow` itself."""


def public(found: T) -> T:
    """Decorates, above all else, a class or function that the package gives to users.

    It says then that it is of the package from which they import it: in `help`, in tracebacks and
    in pickles, which are read wherever its module moves.
    """
    _, package, *_ = found.__module__.split(".")
    found.__module__ = f"relaysow.{package}" if package in PACKAGES else "relaysow"
    return found


MOVED = {
    "relaysow.analysis": "relaysow",
    "relaysow.pictures": "relaysow.text.svg",
    "relaysow.puzzle": "relaysow.exact.puzzle",
    "relaysow.summary": "relaysow.simulation.summary",
    "relaysow.tablebase": "relaysow.exact.tablebase",
}
"""Where what such a module had is now."""


class Moved:
    """A finder and loader of imports: it is asked for what nothing else has found."""

    @staticmethod
    def find_spec(name: str, *_: object) -> ModuleSpec | None:
        return ModuleSpec(name, Moved) if name in MOVED else None  # type: ignore[arg-type]

    @staticmethod
    def create_module(_: ModuleSpec) -> None: ...

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        sys.modules[module.__name__] = import_module(MOVED[module.__name__])


if once(__name__):
    sys.meta_path.append(Moved)
