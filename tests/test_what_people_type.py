"""What people type on the command line, and what they read where their terminal lacks characters."""

from __future__ import annotations

import ast
import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import relaysow
from relaysow import cli, terminal

PACKAGE = Path(relaysow.__file__).parent
CORE = Path(__file__).parent.parent / "cpp"


# ------------------------------------------------------------------- terminals that lack characters


def printable() -> Iterator[tuple[str, str]]:
    """All texts of the package that may be printed: docstrings only where they are help."""
    for path in [*PACKAGE.rglob("*.py"), *CORE.rglob("*.?pp")]:
        text = path.read_text("utf-8")
        if path.suffix != ".py":
            yield from ((path.name, found) for found in re.findall(r'"(?:\\.|[^"\\\n])*"', text))
            continue
        tree = ast.parse(text)
        said = {
            id(node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Expr) and path.name != "cli.py"
        }
        for node in ast.walk(tree):
            told = isinstance(node, ast.Constant) and id(node) not in said
            if told and isinstance(node.value, str):
                yield path.name, node.value


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "cp437", "cp932"])
def test_every_character_has_a_stand_in(encoding: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    foreign = {(file, text) for file, text in printable() if not text.isascii()}
    assert {"cli.py", "descriptions.py", "display.py", "rules.py"} <= {file for file, _ in foreign}
    for file, text in foreign:
        assert terminal.plain(text).count("?") == text.count("?"), f"{file}: {text}"


def test_stand_ins_can_be_read() -> None:
    def shown(text: str) -> str:
        return text.encode("ascii", "relaysow.stand_in").decode()

    assert shown("En Gehé, 2×8, 18.02 % – 25.11 % …") == "En Gehe, 2x8, 18.02 % - 25.11 % ..."
    assert shown("0…2⁶⁴−1, 10⁹, 2⁻³²") == "0...2^64-1, 10^9, 2^-32"
    assert shown("a = 日本\udcff, e\u0301") == "a = ???, e"


def printed(encoding: str, monkeypatch: Any, *words: str) -> str:
    """Standard output and error of the command on a terminal of this encoding."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2)]
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", streams[0])
        patch.setattr(sys, "stderr", streams[1])
        cli.main(list(words))
    return "".join(stream.buffer.getvalue().decode(encoding) for stream in streams)


@pytest.mark.parametrize(
    ("words", "stands"),
    [
        ("--help", "En Gehe."),
        ("simulate --help", "0...2^64-1."),
        ("simulate giuthi --games 10 --threads 1", " ... "),
        ("simulate giuthi --seed -1", "0...18446744073709551615"),
        ("simulate giuthi --policy x", "(N 1...10^9)"),
        ("rules", "2x8, 8 seeds"),
        ("rules engehe", "2x50"),
        ("show giuthi", "> South   | 8  8"),
    ],
)
def test_an_ascii_terminal_shows_no_question_marks(
    words: str, stands: str, monkeypatch: Any
) -> None:
    text = printed("ascii", monkeypatch, *words.split())
    assert stands in text
    assert "?" not in text
    boxed = (
        [line for line in text.splitlines() if line.startswith(("+", "|"))]
        if "--help" in words
        else []
    )
    assert len({len(line) for line in boxed}) <= 1  # the borders of the help stand straight
    if words != "simulate giuthi --games 10 --threads 1":
        whole = printed("utf-8", monkeypatch, *words.split())
        assert not whole.isascii()
