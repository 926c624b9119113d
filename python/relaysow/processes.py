"""Processes that do what they are sent, and can be stopped whatever they do."""

from __future__ import annotations

import signal
from multiprocessing import get_context
from multiprocessing.connection import Connection


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


def _work(connection: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for those who wait for the work
    while True:
        try:
            function, arguments = connection.recv()
        except (EOFError, OSError):
            return
        connection.send(function(*arguments))
