"""The games of a check shared among processes."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Generator, Iterator
from itertools import islice
from multiprocessing.connection import Connection, wait
from typing import Any

from relaysow._support.processes import Worker, undisturbed
from relaysow.check.playing import Task, play
from relaysow.check.report import Report


def played(tasks: Iterator[Task], processes: int) -> Generator[Report]:
    """What the tasks found, in order: played here, or by several processes."""
    if processes == 1:
        yield from map(play, tasks)
        return
    if sys.platform == "win32":
        processes = min(processes, 60)  # it waits for 63 pipes at most
    workers: dict[Connection, Worker] = {}
    try:
        for _ in range(processes):
            with undisturbed():
                worker = Worker()
                workers[worker.connection] = worker
        idle, sent, told = list(workers), 0, 0
        done: dict[int, Report | Exception] = {}
        while True:
            try:
                # Behind a slow task only so many results pile up.
                for task in islice(tasks, min(len(idle), told + 4 * processes - sent)):
                    idle.pop().send((_numbered, (sent, task)))
                    sent += 1
                if sent == told:
                    return
                ready: list[Any] = wait(workers, 0.1)
                for pipe in ready:
                    number, part = pipe.recv()
                    done[number] = part
                    idle.append(pipe)
                # One that was killed as it started leaves its pipe open on Windows.
                if not ready and not all(worker.is_alive() for worker in workers.values()):
                    raise EOFError
            except (EOFError, OSError) as error:
                raise ChildProcessError(
                    "a process that compared games was ended from outside"
                ) from error
            while told in done:
                part = done.pop(told)
                if isinstance(part, Exception):
                    raise part
                yield part
                told += 1
    finally:
        for worker in workers.values():  # whatever they are doing
            worker.stop()


def _numbered(number: int, task: Task) -> tuple[int, Report | Exception]:
    """What a task found, or the error, to be raised where the tasks come from."""
    try:
        return number, play(task)
    except Exception as error:  # noqa: BLE001 - none may end the process
        error.add_note(traceback.format_exc())
        return number, error
