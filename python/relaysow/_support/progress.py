"""How far long work has come, shown on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(total: int, unit: str, wanted: bool) -> Iterator[Callable[[int], None] | None]:
    """A function that shows how many are done, with rate and time left; None off a terminal."""
    if not (wanted and sys.stderr is not None and sys.stderr.isatty()):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        BarColumn(),
        TextColumn("{task.percentage:.1f} %  {task.completed:,.0f} of {task.total:,.0f} " + unit),
        TextColumn("{task.fields[rate]} left:"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        auto_refresh=False,
        transient=True,
    )
    task = bar.add_task("", total=total, rate="")

    def poll(done: int) -> None:
        speed = bar.tasks[task].speed
        rate = "" if speed is None else f"{speed:,.0f} {unit}/s"
        bar.update(task, completed=done, rate=rate, refresh=True)

    with bar:
        yield poll
