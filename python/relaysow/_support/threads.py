"""How many threads do the work."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from relaysow._support.checks import within

MAX_THREADS = 1_024


def cores() -> int:
    """How many cores this process may use."""
    if sys.version_info >= (3, 13):
        return os.process_cpu_count() or 1
    with suppress(AttributeError):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def thread_count(threads: object) -> int:
    """The threads that were asked for, checked; by default all cores."""
    return cores() if threads is None else within("threads", threads, 1, MAX_THREADS)
