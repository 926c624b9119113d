"""Methods that a room above their class provides, given to the class from here.

A class declares such a method, with its signature and documentation and no body, under
`@provided("relaysow.room")`: the function of that name in that room, or of another name that is
given, takes the same arguments, the object or the class first.  To its class, a subclass, `help`
and a pickle the method is one like any other.  A class of the core has its methods, these and
others, from a class of Python that is given to it by `attach`.  A test asks that every room has
what is declared to be there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from types import FunctionType
from typing import Any, TypeVar

from relaysow._support.reloading import once

once(__name__)

F = TypeVar("F", bound=Callable[..., Any])


def provided(module: str, function: str | None = None) -> Callable[[F], F]:
    """Declares a method that `module` has as a `function`, of the same name if none is given.

    The module is loaded at the first call: nobody waits for it who does not need it.
    """

    def declared(method: F) -> F:
        name = function or method.__name__

        @wraps(method)
        def call(*args: Any, **named: Any) -> Any:
            return getattr(import_module(module), name)(*args, **named)

        call.provided_by = module, name  # type: ignore[attr-defined]  # for a test
        return call  # type: ignore[return-value]

    return declared


def attach(methods: type, to: type) -> None:
    """Gives a class of the core the methods that the class `methods` has, and its documentation.

    Where the package is imported again the class keeps what it has: the first package comes back.
    """
    functions = {
        name: getattr(method, "__func__", method)  # of a static method
        for name, method in vars(methods).items()
    }
    functions = {name: f for name, f in functions.items() if isinstance(f, FunctionType)}
    if hasattr(sys.modules["relaysow._core"], "_package") and functions.keys() <= vars(to).keys():
        return
    for name, function in functions.items():
        function.__module__ = to.__module__
        function.__qualname__ = f"{to.__qualname__}.{name}"
        setattr(to, name, vars(methods)[name])
    if methods.__doc__:
        to.__doc__ = methods.__doc__
