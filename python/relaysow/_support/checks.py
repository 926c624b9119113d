"""Checks of arguments: refusals that name the argument, the value and what would do, all alike."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from itertools import islice
from operator import index
from reprlib import Repr
from typing import Any

from relaysow._support.reloading import once

once(__name__)

WORD = 2**64
"""Seeds and the numbers of games are words of 64 bits."""

LONGEST = 1_000
"""The numbers read of any sequence, and the characters shown of any value."""

LONGEST_PATH = 32_767
"""No system takes a longer one, in characters."""

POSITIONS: set[type] = set()
"""The classes of positions: the core's and, once it is loaded, the reference's."""


class _Short(Repr):
    """Representations that are cut: a message must not grow with what it refuses."""

    def __init__(self) -> None:
        super().__init__()
        self.fillvalue = "…"
        self.maxlevel, self.maxstring, self.maxother = 4, 100, LONGEST
        for name in ("tuple", "list", "set", "frozenset", "deque", "array", "dict"):
            setattr(self, f"max{name}", 20)
        self.most: dict[Any, int] = dict.fromkeys((str, bytes, bytearray), self.maxstring)
        self.most |= dict.fromkeys((tuple, list, set, frozenset, dict), 20)

    def repr1(self, x: Any, level: int) -> str:
        # By what it is, where `Repr` goes by its name: a subclass may be as long.
        for kind, most in self.most.items():
            if isinstance(x, kind) and kind.__len__(x) > most:
                told: str = getattr(self, f"repr_{kind.__name__}")(x, level)
                return told
        return super().repr1(x, level)

    def repr_bytes(self, x: bytes | bytearray, level: int) -> str:  # noqa: ARG002
        return repr(x) if len(x) <= self.maxstring else repr(x[: self.maxstring]) + self.fillvalue

    repr_bytearray = repr_bytes

    def repr_int(self, x: int, level: int) -> str:  # noqa: ARG002
        # Python itself refuses to write more than some 4,300 digits.
        return repr(x) if x.bit_length() <= 400 else f"an integer of {x.bit_length()} bits"


_SHORT = _Short()


def shown(value: object) -> str:
    """`repr(value)`, cut if it is long; never raises, and never holds what cannot be printed.

    >>> shown([8] * 1_000_000)
    '[8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, …]'
    >>> shown(2**20000)
    'an integer of 20001 bits'
    """
    try:
        text = _SHORT.repr(value)
    except Exception:  # noqa: BLE001  # whatever it raises, it is not what went wrong
        text = f"<{type(value).__name__} object>"
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def is_integer(value: object) -> bool:
    """Can `value` stand for a whole number?  No bool can, nor NumPy's, an index before 2.3."""
    kind = type(value)
    return kind is int or (hasattr(kind, "__index__") and kind.__name__ not in ("bool", "bool_"))


def whole_number(name: str, value: object) -> int:
    """`value` as an int; a `TypeError` naming it if it is a float, a bool, a string, …."""
    if type(value) is int:
        return value
    if is_integer(value):
        try:
            return index(value)  # type: ignore[arg-type]
        except TypeError:  # an array of many
            pass
    raise TypeError(f"{name} must be an integer, not {shown(value)}")


def listed(name: str, values: object, what: str, *, ordered: bool = True) -> Iterator[Any]:
    """The items of a sequence or another iterable that is no text, no mapping and, if they must be
    `ordered`, no set; a `TypeError` naming it if it is none, which is to be `what`."""
    unfit = isinstance(values, (str, bytes, bytearray, Mapping))
    try:
        if not unfit and not (ordered and isinstance(values, AbstractSet)):
            return iter(values)  # type: ignore[call-overload, no-any-return]
    except TypeError:
        pass
    raise TypeError(f"{name} must be {what}, not {shown(values)}")


def whole_numbers(
    name: str, values: object, refusal: type[ValueError], *, ordered: bool = True
) -> tuple[int, ...]:
    """`values` as ints; a `TypeError` naming what is not one, a `refusal` past any use.

    Nothing has more than 1,000 numbers: an endless iterator must not fill the memory.  Where they
    are `ordered`, a set will not do.
    """
    items = islice(listed(name, values, "a sequence of integers", ordered=ordered), LONGEST + 1)
    numbers = tuple(whole_number(f"{name}[{i}]", value) for i, value in enumerate(items))
    if len(numbers) > LONGEST:
        raise refusal(f"{name} has more than {LONGEST} numbers: must be {LONGEST} at most")
    return numbers


def within(
    name: str,
    value: object,
    low: int,
    high: int,
    allowed: str | None = None,
    refusal: type[Exception] = ValueError,
) -> int:
    """`value` as an int of `low`…`high`; a `TypeError`, or a `refusal` saying what is allowed."""
    number = whole_number(name, value)
    if not low <= number <= high:
        raise refusal(f"{name}={shown(number)}: must be {allowed or f'{low}…{high}'}")
    return number


def flag(name: str, value: object) -> bool:
    """`value` if it is True or False, else a `TypeError` naming it."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, not {shown(value)}")
    return value


def one_of(
    name: str, value: object, words: Iterable[str | None], refusal: type[ValueError] = ValueError
) -> Any:
    """The one of `words` (or None) that `value` is; a `TypeError`, or a `refusal`, naming them."""
    words = tuple(words)
    if (isinstance(value, str) or value is None) and value in words:
        return words[words.index(value)]  # a plain string
    *others, last = map(repr, words)
    allowed = f"{', '.join(others)} or {last}" if others else last
    if not isinstance(value, str):
        raise TypeError(f"{name} must be {allowed}, not {shown(value)}")
    raise refusal(f"{name}={shown(value)}: must be {allowed}")


def instance(name: str, value: object, kinds: type | tuple[type, ...], what: str) -> None:
    """A `TypeError` naming `value` if it is no instance of these kinds, which are `what`."""
    if not isinstance(value, kinds):
        raise TypeError(f"{name} must be {what}, not {shown(value)}")


def function(name: str, value: object) -> None:
    """A `TypeError` naming `value` if it cannot be called."""
    if not callable(value):
        raise TypeError(f"{name} must be a function, not {shown(value)}")


def number_of_move(value: object) -> int:
    """`value` as an int; a `TypeError` naming it if it is neither that nor a slice."""
    try:
        return whole_number("number", value)
    except TypeError:
        wanted = "a move's number must be an integer or a slice"
        raise TypeError(f"{wanted}, not {shown(value)}") from None


@contextmanager
def room(told: str) -> Iterator[None]:
    """A `MemoryError` says what found none, and by which argument."""
    try:
        yield
    except MemoryError:
        raise MemoryError(told) from None


def is_position(value: object) -> bool:
    """Whether it is a Position, of the core or of the reference."""
    return type(value) in POSITIONS or isinstance(value, tuple(POSITIONS))


def position(name: str, value: object) -> None:
    """A `TypeError` naming `value` if it is no Position, of the core or of the reference."""
    if type(value) not in POSITIONS and not is_position(value):  # asked at every move
        raise TypeError(f"{name} must be a Position, not {shown(value)}")


def path(name: str, value: object) -> str:
    """`value` as the name of a file; a `TypeError` or `ValueError` naming it if it can be none."""
    try:
        text = os.fsdecode(value)  # type: ignore[arg-type]
        possible = 0 < len(text) <= LONGEST_PATH and b"\0" not in os.fsencode(text)
    except TypeError:
        raise TypeError(f"{name} must be a path, not {shown(value)}") from None
    except UnicodeError:
        text, possible = "", False
    if not possible:
        raise ValueError(f"{name}={shown(value)}: must name a file")
    return text
