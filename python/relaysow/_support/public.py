"""Where users find what is public, whichever module it is written in."""

from __future__ import annotations

from typing import TypeVar

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
