"""Tables of exact values: every position of so many seeds, on disk, looked up in a microsecond."""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from time import perf_counter
from typing import IO, Any, Self

from relaysow import _core
from relaysow._core import Position, TablebaseError
from relaysow._support import checks
from relaysow._support.checks import flag, function, instance, whole_number, within
from relaysow._support.files import named, regular, resumed, sync
from relaysow._support.public import public
from relaysow._support.reloading import once
from relaysow._support.threads import thread_count
from relaysow.exact.values import Value, at_end, result_at
from relaysow.moves import Move
from relaysow.rules import Rules
from relaysow.text import notation

once(__name__)

MAX_SEEDS = 125
MEMORY = 4 * 2**30

Report = Callable[[int, int, float], None]
"""Called with a total, its positions, and the seconds they took."""


@public
class Tablebase:
    """The exact values of all positions of one set of rules with up to so many seeds on the ring.

    `Tablebase.build` makes one, `Tablebase.open` maps its file into memory.  The rules' set-up
    makes no difference, nor do opening redistributions and protection once they are over: a table
    of Kiothi holds the positions in which nothing is protected.  `rules` are those of the file,
    `max_seeds` the most seeds on the ring, `path` is the file's name, and `in_memory` tells whether
    it was read.  A copy, and what a pickle is read to, opens the file again.

    >>> import os, tempfile, relaysow as rs
    >>> rules = rs.giuthi(pits=3, seeds=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with rs.Tablebase.build(rules, 5, os.path.join(folder, "small.rsow")) as table:
    ...         table.probe(rs.Position(rules, [2, 0, 1, 0, 1, 1], stores=(0, 1)))
    Value(result=1, lead_to_win=-4, lead_to_draw=-5)
    """

    def __init__(self, path: str, data: mmap.mmap | bytes) -> None:
        """Use `open` or `build`; raises what `open` does."""
        self.path = checks.path("path", path)
        self._file = os.path.abspath(self.path)  # the process may go to another folder
        instance("data", data, (mmap.mmap, bytes), "the bytes of a table")
        self.in_memory = isinstance(data, bytes)
        self._data = data
        pits, self.max_seeds, text, at = _core.read_table_head(data)
        self.rules: Rules = notation.rules_from_text(text)
        if self.rules.pits != pits or not 0 <= self.max_seeds <= MAX_SEEDS:
            raise TablebaseError("its head contradicts itself")
        self._table: _core.Table | None = _core.Table(self.rules, self.max_seeds, Value)
        for _ in range(self.max_seeds + 1):
            at = self.table.add(data, at, self.in_memory)
        if at != len(data):
            raise TablebaseError(f"{len(data) - at} bytes follow its end")

    @property
    def table(self) -> _core.Table:
        """What the core looks values up in; `ValueError` once it is closed."""
        if self._table is None:
            raise ValueError(f"{self.path}: the table is closed")
        return self._table

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], rules: Rules | None = None, *, in_memory: bool = False
    ) -> Tablebase:
        """Map the table of a file into memory, read-only, or with `in_memory` read it.

        The heads are checked now, a block of entries when it is first touched, or now too if it is
        read.  While a table is mapped nobody may change or shorten its file in place: a shortened
        one ends the process where it is looked up beyond the new end (SIGBUS; Windows does not let
        it be shortened).  `build` never changes a finished file, and to remove or replace it does
        no harm; a table `in_memory` is safe from all of that.

        Raises `TablebaseError` for a file that is no table, is damaged, cut off, of another version
        or not of the `rules` given, or is changed while it is read, and for a pipe or a device;
        `OSError` as `open` does; `MemoryError` if a file that is read finds no room; `TypeError`
        or `ValueError` for what is no path, no rules or no flag.
        """
        name, in_memory = checks.path("path", path), flag("in_memory", in_memory)
        wanted = None if rules is None else table_rules(rules)
        try:
            with regular(name) as file, named(name):
                if os.fstat(file.fileno()).st_size == 0:
                    raise TablebaseError("it is empty")
                data = file.read() if in_memory else _mapped(file)
            table = cls(name, data)
        except ValueError as error:
            raise TablebaseError(f"{name}: {error}") from None
        if wanted is not None and wanted != table.rules:
            raise TablebaseError(f"{name}: it is of {table.rules!r}, not {wanted!r}")
        return table

    @classmethod
    def build(
        cls,
        rules: Rules,
        max_seeds: int,
        path: str | os.PathLike[str],
        *,
        threads: int | None = None,
        memory: int = MEMORY,
        report: Report | None = None,
    ) -> Tablebase:
        """Build the table of all positions with 0…`max_seeds` seeds (125 at most) on the ring.

        Total by total, each written to `path` + `.part` when it is done: a build that was
        interrupted or killed goes on from there, and ends in the same file.  The part is opened,
        and locked (`relaysow._support.files` tells how), before the work begins; a finished file is never
        changed.  `threads`: all cores by default.  `report` is called after each total.

        Raises `ValueError` where `Tablebase.memory` exceeds `memory` bytes, a total has 2³¹
        positions or more, for rules that `solve` refuses and for duties of extra moves, and naming
        who is writing the part if another is; `FileExistsError` if `path` exists; `TablebaseError`
        if the part is of another build; `OSError` as writing does; `TypeError` for wrong types.
        """
        name = checks.path("path", path)
        needed = cls.memory(rules, max_seeds)
        max_seeds, memory = int(max_seeds), whole_number("memory", memory)
        if memory < needed:
            told = f"{memory:,}" if memory >= 0 else checks.shown(memory)
            raise ValueError(
                f"max_seeds={max_seeds}: building needs {needed:,} bytes, memory={told}"
            )
        count = thread_count(threads)
        if report is not None:
            function("report", report)
        rules = table_rules(rules)
        head = _core.table_head(rules.pits, max_seeds, notation.rules_to_text(rules))
        table = _core.Table(rules, max_seeds, Value)
        with resumed(name) as file:
            with named(name):
                file.seek(0)
                data = file.read()
            end = _resume(f"{name}.part", data, head, table, rules, max_seeds)
            with named(name):
                file.truncate(end)
            for total in range(table.totals, max_seeds + 1):
                begin = perf_counter()
                section = table.build(count, None)
                with named(name):
                    file.write(section if total else head + section)
                    sync(file)
                table.add(section, 0, False)
                if report is not None:
                    report(total, table.count(total), perf_counter() - begin)
        return cls.open(name)

    @staticmethod
    def memory(rules: Rules, max_seeds: int) -> int:
        """The most bytes that building the table will hold, the smaller totals with them.

        Raises `ValueError` and `TypeError` as `build` does.
        """
        most = within("max_seeds", max_seeds, 0, MAX_SEEDS)
        return _core.table_memory(table_rules(rules), most)

    def probe(self, position: Position) -> Value:
        """The value of a position to the player to move.

        Raises `ValueError` for a position of other rules, of more seeds, with protected pits or
        before the last redistribution, or once the table is closed; `TypeError` for anything but
        a `Position`; `TablebaseError` where the file turns out to be damaged.
        """
        instance("position", position, Position, "a Position")
        return self.table.probe(position)

    def moves(self, position: Position) -> dict[Move, Value]:
        """Every legal move, in order, with its value to the player to move; raises as `probe`.

        >>> import os, tempfile, relaysow as rs
        >>> rules = rs.giuthi(pits=3, seeds=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with rs.Tablebase.build(rules, 5, os.path.join(folder, "small.rsow")) as table:
        ...         position = rs.Position(rules, [2, 0, 1, 0, 1, 1], stores=(0, 1))
        ...         for move, value in table.moves(position).items():
        ...             print(position.move_to_text(move), value.result, value.lead_to_win)
        1+ 1 -2
        1- 1 -4
        """
        self.probe(position)
        mover = position.mover
        own, other = position.stores[mover], position.stores[1 - mover]
        moves = {}
        for move in position.legal_moves:
            after = position.play(move)
            win: float
            draw: float
            if after.is_over:
                win, draw = at_end(after, own - other, mover)
            else:
                value = self.probe(after)
                win, draw = value.lead_to_win, value.lead_to_draw
                if after.mover != mover:
                    win, draw = 1 - draw, 1 - win
                captured = after.stores[mover] - own
                win, draw = win - captured, draw - captured
            moves[move] = Value(result_at(own - other, win, draw), win, draw)
        return moves

    def verify(self, *, threads: int | None = None, report: Report | None = None) -> None:
        """Check every block against its checksum and every entry against what its moves lead to.

        Raises `TablebaseError` naming the first that is wrong, `ValueError` or `TypeError` for
        other threads than `build` takes, or once the table is closed.
        """
        count = thread_count(threads)
        if report is not None:
            function("report", report)
        for total in range(self.max_seeds + 1):
            begin = perf_counter()
            wrong = self.table.verify(total, count, None)
            entries = self.table.count(total)
            if wrong != entries:
                raise TablebaseError(
                    f"{self.path}: entry {wrong} of total {total} is not what its moves lead to"
                )
            if report is not None:
                report(total, entries, perf_counter() - begin)

    def __len__(self) -> int:
        """How many positions it holds, every layout of the seeds counted for either player."""
        return sum(self.table.count(total) for total in range(self.max_seeds + 1))

    def close(self) -> None:
        """Unmap or forget the file: it gives no more values.  Closing it again does nothing."""
        self._table = None
        if isinstance(self._data, mmap.mmap):
            with suppress(BufferError):
                self._data.close()
        self._data = b""

    def __reduce__(self) -> tuple[Any, ...]:
        if self._table is None:
            raise TypeError(
                f"{self.path}: a closed table cannot be copied or pickled: open it again"
            )
        return _reopened, (self._file, self.rules, self.max_seeds, self.in_memory)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Tablebase of {self.rules!r} to {self.max_seeds} seeds: {self.path}>"


def table_of(tablebase: Tablebase | None) -> _core.Table | None:
    """What the core looks values up in."""
    if tablebase is None:
        return None
    instance("tablebase", tablebase, Tablebase, "a Tablebase")
    return tablebase.table


def _reopened(path: str, rules: Rules, max_seeds: int, in_memory: bool) -> Tablebase:
    """The table of a file that was open, which must still be what it was."""
    table = Tablebase.open(path, in_memory=in_memory)
    if (table.rules, table.max_seeds) != (rules, max_seeds):
        table.close()
        raise TablebaseError(
            f"{path}: it is of {table.rules!r} to {table.max_seeds} seeds, and was of {rules!r} to "
            f"{max_seeds} when the table was copied or pickled"
        )
    return table


def table_rules(rules: Rules) -> Rules:
    """The rules of the table that holds the positions of some: without what ends with the
    opening."""
    instance("rules", rules, Rules, "Rules")
    return replace(
        rules,
        setup=(1,) * (2 * rules.pits),
        redistribution="none",
        protection="none",
    )


def _mapped(file: IO[bytes]) -> mmap.mmap:
    return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _resume(
    part: str, data: bytes, head: bytes, table: _core.Table, rules: Rules, max_seeds: int
) -> int:
    """Adds the finished totals of a part to the table; where the last of them ends."""
    if head.startswith(data):  # killed before more was written
        return 0
    same = False
    with suppress(ValueError):
        _, its_max_seeds, text, end = _core.read_table_head(data)
        same = (notation.rules_from_text(text), its_max_seeds) == (rules, max_seeds)
    if not same:
        raise TablebaseError(f"{part} is of another build: remove it, or build to another path")
    while table.totals <= max_seeds:
        try:
            end = table.add(data, end, True)
        except TablebaseError:
            break
    return end if table.totals else 0
