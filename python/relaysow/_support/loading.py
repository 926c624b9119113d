"""Ctrl-C while the command is loaded: until it can answer by itself, it ends with one line."""

# Not `signal`, whose own loading takes its time.
import _signal as signal  # type: ignore[import-not-found]
import os
import sys


def is_command() -> bool:
    """Whether this process is the command: its script, or `python -m relaysow`, which calls itself
    `-m` while it looks for the package."""
    name = os.path.basename((getattr(sys, "argv", None) or [""])[0])
    return os.path.splitext(name)[0] == "relaysow" or (name == "-m" and "relaysow" in sys.orig_argv)


def begin() -> None:
    """Called before anything else is loaded; in any other process it does nothing."""
    if is_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)


def end() -> None:
    """Called when the command can answer."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(*_: object) -> None:
    try:
        os.write(2, b"relaysow: interrupted\n")
    finally:
        os._exit(130)
