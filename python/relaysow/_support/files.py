"""What writes files: whole or not at all, and one writer at a time; nothing else locks or renames.

`written` makes a file under a temporary name beside it, `resumed` makes one in pieces, which the
next process goes on with, and `locked` keeps all others away while what is there is gone on with.
The system takes a lock away with the process, however that ends:

* Linux, macOS and other POSIX systems: `flock` of the file itself.
* Windows, where no open file can be renamed: a hidden file beside it, `.NAME.lock`, that only one
  can make (`O_EXCL`) and that the system removes with its handle (`O_TEMPORARY`).
* A file system that has no locks, as some in networks: a `RuntimeWarning` says so, and it is for
  the user to let one process write at a time.

A name that must not be taken over is given by a hard link, on Windows by `rename`, which refuses it
there; where a file system has no hard links, by a look and `rename`.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import (
    EACCES,
    EAGAIN,
    EEXIST,
    EINVAL,
    EISDIR,
    EMLINK,
    ENOENT,
    ENOLCK,
    ENOSYS,
    ENOTSUP,
    EOPNOTSUPP,
    EPERM,
)
from io import BufferedWriter
from pathlib import Path
from threading import current_thread
from typing import IO

from relaysow._support import checks
from relaysow._support.reloading import once

if sys.platform != "win32":
    import fcntl

once(__name__)

_BUSY = (EAGAIN, EACCES)
_UNKNOWN = (EINVAL, ENOLCK, ENOSYS, ENOTSUP, EOPNOTSUPP)  # what a file system cannot do

_locks: dict[IO[bytes], str | None] = {}
"""The files open to be locked, with the names of the threads that have done so.  Other threads add
to it at any time: what goes through it takes a copy."""


class Busy(ValueError):
    """Another process, or another thread, is writing the file."""


class Taken(FileExistsError):
    """There is a file of the name to be written."""

    def __init__(self, path: str) -> None:
        super().__init__(EEXIST, os.strerror(EEXIST), path)


@contextmanager
def written(path: str | os.PathLike[str], *, overwrite: bool = True) -> Iterator[IO[bytes]]:
    """A file to write that takes the name `path` when all is written, and is removed if not.

    What cannot be written is refused now: an error of the system names `path`, or the folder if
    that is what is missing; without `overwrite`, `Taken`, also when the name is taken in the
    meantime.  What the block raises is not changed: it puts its writing in `named`.  A file that is
    replaced leaves its mode to the new one, which is never more open than that.
    """
    path = checks.path("path", path)
    target = Path(path)
    if target.exists() and not target.is_file():  # a pipe or a device has no name to take
        with named(path) as passed, target.open("wb") as file, _passing(passed):
            yield file
        return
    target = Path(os.path.realpath(target))
    part = target.with_name(_temporary(target.name))
    # Twice, for Ctrl-C while it is removed.
    with _removed_unless_named(part), _removed_unless_named(part), named(path, part) as passed:
        if target.exists() and not overwrite:
            raise Taken(path)
        mode = _mode(target)
        try:
            file = _made(part, 0o666 if mode is None else mode)
        except (FileNotFoundError, NotADirectoryError) as error:
            folder = Path(path).parent
            error.filename = os.fspath(target.parent if folder.is_dir() else folder)
            raise
        with file:
            with _passing(passed):
                yield file
            if mode is not None:
                with suppress(OSError):  # a file system without modes
                    part.chmod(mode)
            sync(file)
        if overwrite:
            part.replace(target)
        else:
            try:
                _name(part, target)
            except FileExistsError:
                raise Taken(path) from None
        sync_folder(target.parent)


def _temporary(name: str) -> str:
    """A new name to write a file under, which is not too long where its own is not."""
    start = os.fsencode(name)[:100].decode(sys.getfilesystemencoding(), "ignore")
    return f".{start}.{os.getpid()}-{os.urandom(4).hex()}.part"


def is_temporary(name: str, of: str) -> bool:
    """Whether it is such a name of a file whose own, of up to 100 bytes, is as the pattern `of`."""
    return re.fullmatch(rf"\.(?:{of})\.\d+-[0-9a-f]{{8}}\.part", name) is not None


def _made(part: Path, mode: int) -> BufferedWriter:
    return open(part, "xb", opener=lambda name, flags: os.open(name, flags, mode))


def _mode(target: Path) -> int | None:
    """The mode of a file to be replaced, if there is one; on Windows it has none to hand on."""
    with suppress(FileNotFoundError, NotADirectoryError):
        if sys.platform != "win32":
            return target.stat().st_mode & 0o777
    return None


@contextmanager
def _removed_unless_named(part: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


class _Enough(Exception):
    """Ends a trial."""


def try_to_write(path: str | os.PathLike[str]) -> None:
    """Raises what `written` would at once."""
    with suppress(_Enough), written(path):
        raise _Enough


@contextmanager
def resumed(path: str) -> Iterator[IO[bytes]]:
    """The part of a file, `path` + `.part`, to read and append to, and nobody else's meanwhile.

    It takes the name `path` when the block ends, and stays if that fails, but for an empty one.
    Raises `FileExistsError` if there is such a file, `Busy` if another writes it.  What the block
    raises is not changed.
    """
    target = Path(os.path.realpath(path))  # one part, however the file is called
    part = target.with_name(f"{target.name}.part")
    with named(path, part) as passed:
        if part.is_symlink():
            raise ValueError(f"{part}: is a link: must be a file")
        try:
            _refuse(path, target)
            with locked(part, path):
                _refuse(path, target)  # the one before may have ended since
                with part.open("a+b") as file:
                    with _passing(passed):
                        yield file
                    sync(file)
                    ours = os.fstat(file.fileno())
                if not _is_at(ours, part):
                    raise FileNotFoundError(ENOENT, "its part was removed meanwhile")
                _name(part, target)
            sync_folder(target.parent)
        except Busy:
            _refuse(path, target)
            raise
        finally:
            _tidy(part, target)


def _tidy(part: Path, target: Path) -> None:
    """Removes a part that holds nothing, or is the file by now; whoever has locked it will do so."""

    def is_left() -> bool:
        return part.stat().st_size == 0 or part.samefile(target)

    with suppress(OSError, ValueError):
        if is_left():
            with locked(part, part):
                if is_left():
                    part.unlink()


def _refuse(path: str, target: Path) -> None:
    """Raises if there is such a file."""
    if target.is_dir():
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), path)
    if os.path.lexists(target):
        raise FileExistsError(f"{path} exists: remove it to build it again")


def _name(part: Path, target: Path) -> None:
    """Renames a file; `FileExistsError` if the name is taken."""
    try:
        if sys.platform == "win32":
            part.rename(target)
        else:
            try:
                target.hardlink_to(part)
            except OSError as error:
                if error.errno not in (EPERM, EMLINK, *_UNKNOWN):
                    raise
                if os.path.lexists(target):
                    raise FileExistsError(EEXIST, os.strerror(EEXIST)) from None
                part.rename(target)
            else:
                part.unlink()
    except OSError as error:  # it names both, or the other one
        raise OSError(error.errno, error.strerror) from None


@contextmanager
def locked(path: Path, told: str | os.PathLike[str]) -> Iterator[None]:
    """The file, made if need be, is locked by no other process or thread until the block ends.

    Raises `Busy`, which names `told` and who has locked it.
    """
    opened: list[IO[bytes]] = []
    try:
        try:
            while not _is_locked(path, told, opened):
                _close(opened)
            yield
        finally:
            _close(opened)
    finally:
        _close(opened)  # after Ctrl-C while it was closed, or the lock would stay


def _is_locked(path: Path, told: str | os.PathLike[str], opened: list[IO[bytes]]) -> bool:
    """Locks a file; false if who had it before has renamed or removed what was opened."""
    if path.exists() and not path.is_file():
        raise ValueError(f"{path}: must be a file")
    if sys.platform == "win32":
        opened.append(file := _made_beside(path, told))
    else:
        opened.append(file := path.open("ab", buffering=0))
        _locks[file] = None
        _flock(file, told)
        if not _is_at(os.fstat(file.fileno()), path):
            return False
    _locks[file] = current_thread().name
    return True


def _close(opened: list[IO[bytes]]) -> None:
    for file in opened:
        _locks.pop(file, None)
        file.close()
    opened.clear()


def lock_beside(path: Path) -> Path:
    """The file that locks this one on Windows, where it is there meanwhile."""
    return path.with_name(f".{path.name}.lock")


if sys.platform == "win32":

    def _made_beside(path: Path, told: str | os.PathLike[str]) -> IO[bytes]:
        """A file that only one can make, and that ends with its handle."""
        name = os.fspath(lock_beside(path))

        def opener(name: str, flags: int) -> int:
            return os.open(name, flags | os.O_TEMPORARY, 0o666)

        try:
            return open(name, "xb", buffering=0, opener=opener)
        except (FileExistsError, PermissionError):
            if not os.path.lexists(name):
                raise
            threads = (thread for file, thread in _locks.copy().items() if file.name == name)
            who = next((f"thread {thread!r} of this process" for thread in threads), None)
            who = who or f"another process, or {name} is of one that a power cut ended: remove it"
            raise Busy(f"{told}: is being written by {who}") from None

else:

    def _flock(file: IO[bytes], told: str | os.PathLike[str]) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _BUSY:
                raise Busy(f"{told}: is being written by {_holder(file)}") from None
            if error.errno not in _UNKNOWN:
                raise
            warnings.warn(
                f"{told}: there are no locks in its file system: let one process write it at a time",
                RuntimeWarning,
                stacklevel=_callers_level(),
            )

    def _callers_level() -> int:
        """The level, seen from who asks, of the first caller outside of relaysow."""
        level, frame = 1, sys._getframe(1)
        while frame.f_back is not None:
            module = str(frame.f_globals.get("__name__"))
            if module.partition(".")[0] not in ("relaysow", "contextlib"):
                break
            level, frame = level + 1, frame.f_back
        return level


def _is_at(found: os.stat_result, path: Path) -> bool:
    try:
        return os.path.samestat(found, path.stat())
    except FileNotFoundError:
        return False


def _holder(file: IO[bytes]) -> str:
    """Who has locked what this file is, as well as it can be told."""
    here = os.fstat(file.fileno())
    for other, thread in _locks.copy().items():
        with suppress(OSError, ValueError):  # closed since
            if thread is not None and os.path.samestat(here, os.fstat(other.fileno())):
                return f"thread {thread!r} of this process"
    if sys.platform == "linux":
        with suppress(OSError, ValueError), open("/proc/locks", encoding="ascii") as locks:
            for line in locks:  # 1: FLOCK  ADVISORY  WRITE 4711 fe:00:1234 0 EOF
                _, kind, _, _, process, where, *_ = line.split()
                if kind != "FLOCK":
                    continue
                major, minor, inode = where.split(":")
                if int(inode) == here.st_ino and int(process) > 0:
                    device = os.makedev(int(major, 16), int(minor, 16))
                    # Where a device has no number of its own, as on Btrfs, the two differ.
                    if device == here.st_dev or os.major(here.st_dev) == 0:
                        return f"process {process}"
    return "another process"


def _let_go() -> None:
    """In a forked process, which would hold the locks of the first one when that has ended."""
    for file in _locks.copy():
        with suppress(OSError, ValueError), open(os.devnull, "wb") as nothing:
            os.dup2(nothing.fileno(), file.fileno(), inheritable=False)
    _locks.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)


@contextmanager
def regular(path: str) -> Iterator[IO[bytes]]:
    """A file to read; `ValueError` for a pipe, a socket or a device, which may never answer."""
    _refuse_special(path, os.stat(path))
    flags = getattr(os, "O_NONBLOCK", 0)
    with open(path, "rb", opener=lambda name, wanted: os.open(name, wanted | flags)) as file:
        _refuse_special(path, os.fstat(file.fileno()))  # it may be another by now
        yield file


def _refuse_special(path: str, found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), path)
    if not stat.S_ISREG(found.st_mode):
        kinds = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
        kind = kinds.get(stat.S_IFMT(found.st_mode), "a device")
        raise ValueError(f"it is {kind}: must be a file")


def sync(file: IO[bytes]) -> None:
    """Puts a file on the disk."""
    file.flush()
    _fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Puts the names in a folder on the disk, where it can be opened for that."""
    if sys.platform != "win32":
        try:
            file = os.open(folder, os.O_RDONLY)
        except PermissionError:
            return
        try:
            _fsync(file)
        finally:
            os.close(file)


def _fsync(file: int) -> None:
    try:
        os.fsync(file)
    except OSError as error:
        if error.errno not in _UNKNOWN:
            raise


@contextmanager
def named(path: str | os.PathLike[str], other: Path | None = None) -> Iterator[list[int]]:
    """An error of the system that names no file, or the other one, names this one; one whose `id`
    is entered in the list passes."""
    passed: list[int] = []
    try:
        yield passed
    except OSError as error:
        if id(error) in passed or error.errno is None:
            raise
        if error.filename not in (None, other and os.fspath(other)):
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None


@contextmanager
def _passing(passed: list[int]) -> Iterator[None]:
    """Enters an error of the caller's work, which is not one of the file around it."""
    try:
        yield
    except OSError as error:
        passed.append(id(error))
        raise
