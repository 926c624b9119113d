"""Processes that do what they are sent, and can be stopped whatever they do."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from types import FrameType
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
    waiting = False

    def wait(now: bool) -> None:
        nonlocal waiting
        waiting = now

    def answer(number: int, frame: FrameType | None) -> None:
        if waiting:
            came.append(number)
        else:  # one that still stands, for a handler that raised kept it from being put back
            kept[number](number, frame)

    def answer_now() -> None:
        for number in came:
            signal.raise_signal(number)

    with ExitStack() as stack:
        stack.callback(answer_now)
        # Blocking Ctrl-C does for the processes, but not here: other threads may get it for the
        # main one.
        if threading.current_thread() is threading.main_thread():
            for number in signal.valid_signals():
                if callable(handler := signal.getsignal(number)):
                    kept[number] = handler
                    stack.callback(signal.signal, number, handler)
                    signal.signal(number, answer)
        stack.callback(wait, False)
        wait(True)
        if sys.platform != "win32":
            # The first process would start it, which unblocks Ctrl-C.
            resource_tracker.ensure_running()
            mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            stack.callback(signal.pthread_sigmask, signal.SIG_SETMASK, mask)
        yield


def _work(connection: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for those who wait for the work
    while True:
        try:
            function, arguments = connection.recv()
        except (EOFError, OSError):
            return
        connection.send(function(*arguments))
