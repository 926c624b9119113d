"""What the command is run in: standard streams, what they can print, signals that end it."""

from __future__ import annotations

import codecs
import os
import signal
import stat
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from time import monotonic
from typing import Any, TextIO

BROKEN_PIPE = 141
"""The exit code of a command whose reader has gone: the shell's, where SIGPIPE ended it."""

PATIENCE = 1.0
"""How long a signal that comes again is the same one, in seconds."""

_STAND_INS = dict(zip("×−–—·▶─│┌┐└┘", "x---.>-|++++", strict=True)) | {"≤": "<=", "≥": ">="}
"""What is printed where a stream lacks a character that has no plain letters or digits in it."""


# -------------------------------------------------------------------------------- standard streams


@contextmanager
def standard_streams() -> Iterator[None]:
    """All three can be used: those that are closed or None lead nowhere meanwhile, and none refuses
    a character."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:  # else the next file that is opened takes its place, and what is printed
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    kept = {name: getattr(sys, name) for name in ("stdin", "stdout", "stderr")}
    with ExitStack() as opened:
        for name, stream in kept.items():
            if stream is None or stream.closed:
                mode = "r" if name == "stdin" else "w"
                nowhere = opened.enter_context(open(os.devnull, mode, encoding="utf-8"))
                setattr(sys, name, nowhere)
            elif name != "stdin" and hasattr(stream, "reconfigure"):
                stream.reconfigure(errors=_ERRORS)
        try:
            yield
        finally:
            for name, stream in kept.items():
                setattr(sys, name, stream)


def note(text: str) -> None:
    """A line beside the output proper: to standard error, if that can be written."""
    try:
        print(text, file=sys.stderr, flush=True)
    except BrokenPipeError:
        raise
    except OSError:
        pass


def flushed(code: int) -> int:
    """The exit code, when all that was printed has been written, or told that it cannot be."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            code = BROKEN_PIPE
            _abandon(stream)
        except OSError as error:
            _abandon(stream)
            if stream is sys.stdout and code != 2:  # else an error has been told
                with suppress(OSError):
                    note(f"relaysow: standard output: {error.strerror or error}")
                code = code or 2
    return code


def can_flush() -> bool:
    """Whether standard output takes what has been printed."""
    try:
        sys.stdout.flush()
    except OSError:
        return False
    return True


def _abandon(stream: TextIO) -> None:
    """What is left in a stream that cannot be written goes nowhere, and unsaid."""
    with suppress(OSError, ValueError):
        _lead_nowhere(stream.fileno())


def _lead_nowhere(descriptor: int) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


# ----------------------------------------------------------------------------------------- signals


@contextmanager
def signals() -> Iterator[list[int]]:
    """SIGTERM, SIGHUP (the terminal was closed) and Ctrl-Break do what Ctrl-C does meanwhile;
    yields those that came.

    Only in the main thread, and only where they would end the process: what is ignored (`nohup`) or
    answered by someone else stays so.  `timeout` sends its signal twice, and so may a terminal:
    that is one request; a later one ends what was begun to answer the first.
    """
    came: list[int] = []
    last = -PATIENCE

    def answer(number: int, _: object) -> None:
        nonlocal last
        again = monotonic() - last < PATIENCE
        last = monotonic()
        if again:
            return
        came.append(number)
        _leave_lost_terminal()
        raise KeyboardInterrupt

    kept = {}
    try:
        with suppress(ValueError):  # in another thread
            for name in ("SIGTERM", "SIGHUP", "SIGBREAK"):
                number = getattr(signal, name, None)
                if number is not None and signal.getsignal(number) == signal.SIG_DFL:
                    kept[number] = signal.signal(number, answer)
        yield came
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)


@contextmanager
def finishing() -> Iterator[None]:
    """A signal that asks to end, Ctrl-C too, is answered when what is done is kept; a later one at
    once."""
    came: list[tuple[int, float]] = []
    kept: dict[int, Any] = {}

    def answer(number: int, frame: object) -> None:
        if came and monotonic() - came[0][1] >= PATIENCE:
            kept[number](number, frame)
        came.append((number, monotonic()))

    try:
        with suppress(ValueError):  # in another thread
            for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"):
                number = getattr(signal, name, None)
                if number is not None and callable(handler := signal.getsignal(number)):
                    kept[number] = handler
                    signal.signal(number, answer)
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0][0])


def _leave_lost_terminal() -> None:
    """What would be printed on a terminal that has gone goes nowhere: that is no reason to fail."""
    for descriptor in range(3):
        with suppress(OSError):
            is_device = stat.S_ISCHR(os.fstat(descriptor).st_mode)
            if is_device and not os.isatty(descriptor):
                _lead_nowhere(descriptor)


# -------------------------------------------------------------------------------------- characters


def can_print(characters: str) -> bool:
    """Whether standard output has these characters."""
    return plain(characters) == characters


def plain(text: str) -> str:
    """The text as standard output will show it."""
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    return text.encode(encoding, _ERRORS).decode(encoding)


def _stand_in(error: UnicodeError) -> tuple[str, int]:
    """What is printed for characters that a stream does not have, such as `x` for `×`, `2^64`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text, raised, shown = error.object, False, ""
    for i in range(error.start, error.end):
        was, raised = raised, unicodedata.decomposition(text[i]).startswith("<super>")
        shown += "^" if raised and not was else ""
        for part in unicodedata.normalize("NFKD", text[i]):
            if not (unicodedata.combining(part) or unicodedata.category(part) == "Cf"):
                shown += part if part.isascii() else _STAND_INS.get(part, "?")
    return shown, error.end


_ERRORS = "relaysow.stand_in"
codecs.register_error(_ERRORS, _stand_in)
