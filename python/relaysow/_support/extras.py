"""Optional libraries: each comes with an extra of the package."""

from importlib import import_module
from typing import Any


def optional_import(name: str, extra: str) -> Any:
    """An optional module; `ImportError` naming the extra if what it needs is not installed."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        missing = (error.name or name).partition(".")[0]
        if missing == "relaysow":
            raise
        raise ImportError(
            f"{missing} is not installed; pip install 'relaysow[{extra}]' brings it"
        ) from error
