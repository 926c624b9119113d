"""What commands print and write."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from relaysow.cli.terminal import can_print

if TYPE_CHECKING:
    from collections.abc import Iterator


def paragraph(text: str, indent: int = 0, hanging: int = 0) -> None:
    """Print text wrapped to the terminal's width, all lines but the first indented by `hanging`."""
    from shutil import get_terminal_size
    from textwrap import fill

    width = min(get_terminal_size((100, 24)).columns, 100)
    for line in text.split("\n"):
        print(fill(line, width, initial_indent=" " * indent, subsequent_indent=" " * hanging))


@contextmanager
def output(option: str, path: str | None, overwrite: bool) -> Iterator[IO[bytes] | None]:
    """The file of an option, opened before the work and named when it is whole; None without."""
    from relaysow._support.files import Taken, named, written

    if path is None:
        yield None
    elif path == "-":
        yield sys.stdout.buffer
        with named("standard output"):
            sys.stdout.flush()
    else:
        try:
            with written(path, overwrite=overwrite) as file:
                yield file
        except Taken:
            told = f"{option} {path}: is there already: --overwrite replaces it"
            raise FileExistsError(told) from None


def drawing() -> dict[str, Any]:
    """The `width` and the `unicode` of boards, as standard output can show them."""
    from shutil import get_terminal_size

    from relaysow.text.board import MIN_WIDTH

    width = max(get_terminal_size((100, 24)).columns, MIN_WIDTH)
    return {"width": width, "unicode": can_print("▶·┌─")}
