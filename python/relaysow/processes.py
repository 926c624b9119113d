"""Processes that do what they are sent, and can be stopped whatever they do."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from typing import Any


class Worker:
    """A process that calls each (function, arguments) sent by its `connection` and sends back what
    it returns; the function must not raise."""

    def __init__(self) -> None:
        context = get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def is_alive(self) -> bool:
        """Whether it has not ended."""
        return self._process.is_alive()

    def stop(self) -> None:
        """End it now."""
        self._process.kill()
        self._process.join()


@contextmanager
def undisturbed() -> Iterator[None]:
    """Signals that Python answers, Ctrl-C among them, are answered at the end, and processes
    started meanwhile do not hear of Ctrl-C."""
    came: list[int] = []
    kept: dict[int, Any] = {}
    # Blocking Ctrl-C does for the processes, but not here: other threads may get it for the main
    # one.
    if threading.current_thread() is threading.main_thread():
        for number in signal.valid_signals():
            if callable(signal.getsignal(number)):
                kept[number] = signal.signal(number, lambda number, _: came.append(number))
    if sys.platform != "win32":
        resource_tracker.ensure_running()  # the first process would start it, which unblocks Ctrl-C
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if sys.platform != "win32":
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for answered, handler in kept.items():
            signal.signal(answered, handler)
        for late in came:
            signal.raise_signal(late)


def _work(connection: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for those who wait for the work
    while True:
        try:
            function, arguments = connection.recv()
        except (EOFError, OSError):
            return
        connection.send(function(*arguments))
