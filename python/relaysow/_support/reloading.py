"""Imported again: a module whose classes others know is the first of its name, or says so."""

from __future__ import annotations

import sys
from types import ModuleType


def once(name: str) -> bool:
    """Called by a module before it defines anything: whether it is the first of its name.

    Where it is not, `sys.modules` had been emptied: the first one takes its place there again, and
    it is dropped.  Raises `ImportError` where `importlib.reload` runs it again: what others have
    of it would not be what it then has.
    """
    package, _, own = name.rpartition(".")
    first = vars(sys.modules[package]).get(own)  # set when a module has been loaded to its end
    if not isinstance(first, ModuleType):
        return True
    if first is sys.modules[name]:
        raise ImportError(f"{name} cannot be loaded again in a process: restart Python", name=name)
    sys.modules[name] = first
    return False


def keep_package(core: ModuleType) -> None:
    """Called at the end of `relaysow`: the first package that came so far stays the only one.

    The core is one in a process whatever becomes of `sys.modules`, and remembers it.
    """
    package = sys.modules["relaysow"]
    first: ModuleType | None = vars(core).get("_package")
    if first is None:
        core._read_classes()  # an import that was interrupted may have left it others
        vars(core)["_package"] = package
    elif first is not package:
        _restore(first)


def _restore(package: ModuleType) -> None:
    sys.modules[package.__name__] = package
    for name, module in vars(package).items():
        if isinstance(module, ModuleType) and module.__name__ == f"{package.__name__}.{name}":
            _restore(module)
