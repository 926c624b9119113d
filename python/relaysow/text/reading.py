"""Text from elsewhere: line ends and byte-order marks of any system, and bytes that are no text."""

from __future__ import annotations

import os
from codecs import BOM_UTF8, getincrementaldecoder
from collections.abc import Iterable, Iterator
from io import IncrementalNewlineDecoder
from typing import IO, Any, TypeAlias

from relaysow._support.checks import shown
from relaysow.moves import NotationError

Source: TypeAlias = str | os.PathLike[str] | IO[str] | IO[bytes] | Iterable[str] | Iterable[bytes]
"""A path, an open file or lines."""

MARK = BOM_UTF8.decode()
"""The byte-order mark, which editors on Windows write before UTF-8."""

LONGEST = 1 << 22
"""The longest record of a file, and so the longest line, in characters."""

_CHUNK = 1 << 13


def bare(text: str) -> str:
    """A one-line text without what files and terminals put around it: a byte-order mark before it,
    white space and line ends."""
    return text.removeprefix(MARK).strip()


def other_encoding(head: bytes) -> str | None:
    """What a file is that begins with these bytes, if it is plainly not UTF-8: its first characters
    are of ASCII, so zeros among their bytes tell."""
    if head.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return "UTF-32"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "UTF-16"
    zeros = tuple(byte == 0 for byte in head[:4])
    if zeros in ((False, True, True, True), (True, True, True, False)):
        return "UTF-32"
    if zeros in ((False, True, False, True), (True, False, True, False)):
        return "UTF-16"
    return None


def name_of(source: Source) -> str | None:
    """The name of a file, if it has one."""
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else None


def lines_of(source: Source) -> Iterator[str]:
    """The lines of a file one by one, without their ends (LF, CR LF or CR), in constant memory.

    A byte that is not UTF-8 comes as the lone surrogate U+DC00 + byte; of a line longer than
    `LONGEST` the first `LONGEST` + 1 characters come.  Raises `NotationError` for a file in another
    encoding, naming it.
    """
    line: list[str] = []
    length = 0
    for text in _texts(source):
        for number, piece in enumerate(text.split("\n")):
            if number:
                yield "".join(line)
                line, length = [], 0
            if length <= LONGEST:
                line.append(piece[: LONGEST + 1 - length])
                length += len(piece)
    yield "".join(line)


def _texts(source: Source) -> Iterator[str]:
    """The text of a file bit by bit, every line end as `\\n`."""
    if isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            yield from _texts(file)
        return
    ends = IncrementalNewlineDecoder(None, translate=True)
    utf8 = getincrementaldecoder("utf-8")("surrogateescape")
    head = b""
    for chunk in _chunks(source):
        if len(head) < 4:  # of a pipe the first bytes may come one by one
            head += chunk if isinstance(chunk, bytes) else chunk[:4].encode("utf-8", "replace")
            if len(head) >= 4 and (found := other_encoding(head)):
                raise _refusal(source, f"is {found}")
        yield ends.decode(chunk if isinstance(chunk, str) else utf8.decode(chunk))
    yield ends.decode(utf8.decode(b"", final=True), final=True)


def _chunks(source: Any) -> Iterator[str | bytes]:
    """What there is to read, no more than has come: who writes to a pipe may be slow."""
    try:
        if not hasattr(source, "read"):
            for line in source:
                if not isinstance(line, (str, bytes)):
                    raise TypeError(f"a line must be a string or bytes, not {shown(line)}")
                yield line
                # Of its own kind: a character cut off by the end of its line ends there too.
                ends: Any = ("\n", "\r") if isinstance(line, str) else (b"\n", b"\r")
                if not line.endswith(ends):
                    yield ends[0]
            return
        binary = isinstance(source.read(0), bytes)
        read = getattr(source, "read1", source.read) if binary else source.readline
        while chunk := read(_CHUNK):
            yield chunk
    except UnicodeDecodeError as error:  # of a file that was opened as text
        raise undecodable(source, error) from error


def undecodable(source: Source, error: UnicodeDecodeError) -> NotationError:
    """The refusal of bytes that are not in the encoding in which a file was opened."""
    found = other_encoding(error.object[:4])
    byte = f"byte 0x{error.object[error.start]:02x} is not {error.encoding}"
    return _refusal(source, f"is {found}" if found else byte)


def _refusal(source: Source, what: str) -> NotationError:
    name = name_of(source)
    return NotationError(f"{name or 'the file'}: {what}: save it as UTF-8", file=name)
