"""Processes that work for the server: each can be stopped, whatever it does."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Lock
from time import monotonic
from typing import Any, TypeVar

from relaysow._support.processes import Worker, undisturbed

T = TypeVar("T")

PULSE = 0.05
"""How long a stop may take to be noticed, in seconds."""


class Stopped(Exception):
    """The work was given up: it took too long, nobody waits for it, or its process has ended."""


class Workers:
    """Processes that are started as they are needed, and kept."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._idle: list[Worker] = []
        self._all: set[Worker] = set()
        self._closed = False

    def run(
        self, function: Callable[..., T], *arguments: Any, seconds: float, unwanted: Event
    ) -> T:
        """What the function returns in a process of its own, called by a thread that waits for it.

        Raises `Stopped`, saying why, after so many seconds, as soon as `unwanted` is set, if the
        process ends by itself, and if none can be had.
        """
        worker = self._taken()
        try:
            worker.connection.send((function, arguments))
            end = monotonic() + seconds
            while not worker.connection.poll(PULSE):
                if unwanted.is_set():
                    raise Stopped("nobody waits for it")
                if monotonic() > end:
                    raise Stopped(f"given up after {seconds:g} seconds of thinking")
            result: T = worker.connection.recv()
        except BaseException as error:
            with self._lock:
                self._all.discard(worker)
            worker.stop()
            if isinstance(error, (EOFError, OSError)):
                raise Stopped("the process at work on it has ended") from error
            raise
        with self._lock:
            self._idle.append(worker)
        return result

    def _taken(self) -> Worker:
        """An idle process that has not ended, or a new one."""
        with self._lock:
            if self._closed:
                raise Stopped("the server ends")
            while self._idle:
                worker = self._idle.pop()
                if worker.is_alive():
                    return worker
                self._all.discard(worker)
            try:
                with undisturbed():
                    worker = Worker()
            except OSError as error:
                raise Stopped(f"no process can be had for it: {error.strerror}") from error
            self._all.add(worker)
            return worker

    def close(self) -> None:
        """Stop all of them."""
        with self._lock:
            self._closed, stopped = True, list(self._all)
        for worker in stopped:
            worker.stop()
