"""A directory of Parquet files that a run fills shard by shard, and a stopped one goes on with.

Its manifest, `_manifest.jsonl`, is JSON Lines: first the run (`Simulation.metadata` with the games
of a shard), then a line a shard, in their order: file, first game, games, SHA-256.  A shard appears
by renaming when it is on the disk, and its line is added after that, in one write; so whatever
stops the process, all that can be left over is a hidden `.part` file, a shard without its line or
a line without its end, and the next run removes or cuts these off.
"""

from __future__ import annotations

import json
import os
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from errno import ENOTDIR
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relaysow._core import Position
from relaysow._support.checks import shown
from relaysow._support.extras import optional_import
from relaysow._support.files import (
    is_temporary,
    lock_beside,
    locked,
    named,
    sync_folder,
    try_to_write,
    written,
)
from relaysow.simulation import streaming
from relaysow.simulation.columns import COLUMNS
from relaysow.simulation.setting import metadata_of
from relaysow.simulation.summary import ENDS, Tally
from relaysow.simulation.writers import write_parquet
from relaysow.text.notation import rules_from_text
from relaysow.text.reading import other_encoding

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from relaysow.simulation.columns import Columns, Poll
    from relaysow.simulation.run import Run

MANIFEST = "_manifest.jsonl"  # a name that readers of Parquet directories pass over
GAMES = 1 << 18


@dataclass(frozen=True, slots=True)
class Shard:
    """The games of a shard as a file's content, and their counts."""

    parquet: bytes
    tally: Tally


def shard_of(run: Run, first_game: int, columns: Columns) -> Shard:
    file = BytesIO()
    write_parquet(run.result(first_game, columns), file)
    return Shard(file.getvalue(), Tally.of(columns))


def tallies(
    path: Path,
    run: Run,
    first_game: int,
    games: int,
    executor: Executor | None,
    poll: Poll | None,
) -> Generator[Tally]:
    """The counts of these games shard by shard: of those in the directory, then of those added."""
    optional_import("pyarrow.parquet", "arrow")
    header = {**metadata_of(run, first_game, games), "shard": GAMES}
    with _opened(path, header) as manifest:
        done = 0
        for tally in manifest.verified():
            done += tally.games
            yield tally
            if poll is not None:
                poll(done)
        if done < games:
            manifest.try_next()
        pieces = streaming.cut(first_game + done, games - done, GAMES)
        if executor is None:
            shards = streaming.here(run, shard_of, pieces, poll, done=done, whole=True)
        else:
            shards = streaming.on_executor(run, shard_of, pieces, executor, poll, done=done)
        with closing(shards):
            for shard in shards:
                manifest.add(shard)
                yield shard.tally


class Manifest:
    """The open manifest of a directory that holds shards of this run or nothing yet."""

    def __init__(self, folder: Path, file: int, header: dict[str, Any]) -> None:
        self.folder, self.path, self.file = folder, folder / MANIFEST, file
        self.first_game, self.games, self.shard = (
            header[name] for name in ("first_game", "games", "shard")
        )
        with named(self.path):
            content = self.path.read_bytes()
            *lines, rest = content.split(b"\n")
            found = other_encoding(content[:4])
            if found or b"\r" in rest:  # an editor's work: nothing of it is cut off
                raise ValueError(f"{self.path}: is {found or 'damaged'}: must be UTF-8, with LF")
            if rest:  # a line that was not written to its end
                os.ftruncate(file, len(content) - len(rest))
        if not lines:
            self._write(header)
            sync_folder(folder)
        else:
            self._compare(self._read(1, lines[0]), header)
        self.lines = lines[1:]
        self.added = len(self.lines)
        known = {self._entry(number)["file"] for number in range(self.added)}
        for path in sorted(folder.iterdir()):
            if _is_left(path.name) or path.name == self._entry(self.added)["file"]:
                path.unlink()
            elif path.suffix == ".parquet" and path.name not in known:
                raise ValueError(f"{path}: is not in {MANIFEST}, so not of this run")

    def _entry(self, number: int) -> dict[str, Any]:
        """What the manifest says of a shard, but for its checksum."""
        done = number * self.shard
        return {
            "file": f"games-{number:07}.parquet",
            "first_game": self.first_game + done,
            "games": min(self.shard, self.games - done),
        }

    def _read(self, number: int, line: bytes) -> dict[str, Any]:
        with suppress(ValueError, RecursionError):
            read = json.loads(line)
            if isinstance(read, dict):
                return read
        raise ValueError(f"{self.path}: line {number} is damaged")

    def _compare(self, there: dict[str, Any], header: dict[str, Any]) -> None:
        if there.keys() != header.keys():
            raise ValueError(f"{self.path}: is not the manifest of a run of this relaysow")
        for name, value in header.items():
            if _meaning(name, there[name]) != _meaning(name, value):
                raise ValueError(
                    f"{self.folder}: holds another run: its {name} is {shown(there[name])}, "
                    f"not {shown(value)}"
                )

    def verified(self) -> Iterator[Tally]:
        """The counts of the shards that are there; raises `ValueError` naming a damaged one."""
        import numpy as np

        parquet = optional_import("pyarrow.parquet", "arrow")
        for number, line in enumerate(self.lines):
            entry, wanted = self._read(number + 2, line), self._entry(number)
            if not isinstance(digest := entry.pop("sha256", None), str) or entry != wanted:
                raise ValueError(f"{self.path}: line {number + 2} is damaged")
            path = self.folder / wanted["file"]
            if not path.is_file():
                raise ValueError(f"{path}: is in {MANIFEST}, but is not there")
            content = path.read_bytes()
            if sha256(content).hexdigest() != digest:
                raise ValueError(f"{path}: is damaged: its SHA-256 is not that of {MANIFEST}")
            table = parquet.read_table(BytesIO(content))
            if table.num_rows != wanted["games"]:
                raise ValueError(f"{path}: holds {table.num_rows} games, not {wanted['games']}")
            columns = {name: table[name].to_numpy() for name in COLUMNS.keys() - {"scores", "end"}}
            columns["scores"] = np.column_stack([table["south"], table["north"]])
            words = table["end"].combine_chunks()
            codes = np.array([ENDS.index(word) for word in words.dictionary.to_pylist()], np.uint8)
            columns["end"] = codes[words.indices.to_numpy()]
            yield Tally.of(columns)

    def try_next(self) -> None:
        """Raises what would keep the next shard from being written."""
        try_to_write(self.folder / self._entry(self.added)["file"])

    def add(self, shard: Shard) -> None:
        """Puts a shard on the disk, then in the manifest."""
        entry = self._entry(self.added)
        self._stay()
        path = self.folder / entry["file"]
        with written(path, overwrite=False) as file, named(path):
            file.write(shard.parquet)
        self._stay()
        self._write(entry | {"sha256": sha256(shard.parquet).hexdigest()})
        self.added += 1

    def _stay(self) -> None:
        """Raises `ValueError` if the directory was moved or removed, or its relative path leads to
        another one, since it was locked."""
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(self.file), self.path.stat()):
                return
        raise ValueError(f"{self.folder}: is not the directory that it was when the run began")

    def _write(self, line: dict[str, Any]) -> None:
        data = f"{json.dumps(line)}\n".encode()
        with named(self.path):
            while data:
                data = data[os.write(self.file, data) :]
            os.fsync(self.file)


def _meaning(name: str, value: Any) -> Any:
    """What a manifest's value says: rules and positions may be written in several ways."""
    read = {"rules": rules_from_text, "start": Position.from_text}.get(name)
    with suppress(ValueError, TypeError):
        return value if read is None else read(value)
    return value


def _is_left(name: str) -> bool:
    """Whether it is the name of a shard that was being written when its process ended."""
    return is_temporary(name, r"games-\d{7}\.parquet")


@contextmanager
def _opened(folder: Path, header: dict[str, Any]) -> Iterator[Manifest]:
    """The manifest of a directory, made if need be, and no other process's until it is closed."""
    try:
        folder.mkdir(exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(ENOTDIR, os.strerror(ENOTDIR), os.fspath(folder)) from None
    path = folder / MANIFEST
    if not path.exists():
        others = [
            other.name
            for other in sorted(folder.iterdir())
            if not _is_left(other.name) and other != lock_beside(path)
        ]
        if others and not path.exists():  # of a process that has begun meanwhile
            raise ValueError(f"{folder}: holds {others[0]!r} but no {MANIFEST}: must be empty")
    with locked(path, folder):
        file = os.open(
            path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666
        )
        try:
            yield Manifest(folder, file, header)
        finally:
            os.close(file)
