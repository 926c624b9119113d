"""What people type on the command line, and what they read where their terminal lacks characters."""

from __future__ import annotations

import ast
import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_type_hints

import pytest
import typer

import relaysow
from relaysow import cli
from relaysow.cli import app, terminal
from relaysow.text import slips as typed

PACKAGE = Path(relaysow.__file__).parent
CORE = Path(__file__).parent.parent / "cpp"


# ------------------------------------------------------------------- terminals that lack characters


def printable() -> Iterator[tuple[tuple[str, ...], str]]:
    """All texts of the package that may be printed: docstrings only where they are help."""
    for path in [*PACKAGE.rglob("*.py"), *CORE.rglob("*.?pp")]:
        text = path.read_text("utf-8")
        if path.suffix != ".py":
            yield from (
                (path.parts[-2:], found) for found in re.findall(r'"(?:\\.|[^"\\\n])*"', text)
            )
            continue
        tree = ast.parse(text)
        said = {
            id(node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Expr) and path.parts[-2] != "cli"
        }
        for node in ast.walk(tree):
            told = isinstance(node, ast.Constant) and id(node) not in said
            if told and isinstance(node.value, str):
                yield path.parts[-2:], node.value


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "cp437", "cp932"])
def test_every_character_has_a_stand_in(encoding: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    foreign = {(file, text) for file, text in printable() if not text.isascii()}
    assert {"cli", "text", "relaysow"} <= {folder for (folder, *_), _ in foreign}
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


# ---------------------------------------------------------------------------------- what they type


@pytest.mark.parametrize(
    "words",
    ["{}", "show {}", "simulate giuthi --engine {}", "play giuthi --south {}", "serve --host {}"],
)
def test_refusals_show_no_more_than_the_beginning(words: str, run: Any) -> None:
    code, out, err = run(*words.format("x" * 5_000).split())
    assert (code, out) == (2, "")
    assert "xx" in err
    assert len(err) < 1_000


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1000000", 10**6),
        ("1_000_000", 10**6),
        ("1,000,000", 10**6),
        ("1e6", 10**6),
        ("1E+6", 10**6),
        (" 1_000 ", 1000),
        ("2.5e6", 2_500_000),
        ("1.50e1", 15),
        ("1,000e3", 10**6),
        ("9007199254740993e0", 2**53 + 1),
        ("18446744073709551615", 2**64 - 1),
        ("1.8446744073709551615e19", 2**64 - 1),
        ("-1e3", -1000),
        ("−5", -5),
        ("+5", 5),
        ("007", 7),
        ("0e999999999999", 0),
        ("1e99", 10**99),
    ],
)
def test_numbers_are_read_exactly(text: str, number: int) -> None:
    assert typed.count(text) == number


@pytest.mark.parametrize(
    "text",
    [
        *("1.5", "1,00", "1,0000", "1000,000", ",000", "1_", "_1", "1__0", "1,000_000", "1 000"),
        *("1.000.000", "1e-3", "1.25e1", "1e", "e6", "1e1.5", "1e6e6", "0x10", "1k", "inf", "nan"),
        *("", "-", "--5"),
    ],
)
def test_numbers_that_are_refused(text: str, run: Any) -> None:
    with pytest.raises(ValueError, match=re.escape(f"{text!r} must be an integer")):
        typed.count(text)
    code, out, err = run("simulate", "giuthi", "--games", text)
    assert (code, out) == (2, "")
    assert err.startswith(f"relaysow: Invalid value for '--games': {text!r} must be an integer")


@pytest.mark.parametrize(
    "text", ["1e400", "1e999999999", "1e" + "9" * 5000, "9" * 101, "9" * 10**6]
)
def test_numbers_too_large_to_be_any(text: str, run: Any) -> None:
    with pytest.raises(ValueError, match=r"is too large a number$"):
        typed.count(text)
    code, _, err = run("simulate", "giuthi", "--games", text)
    assert code == 2
    assert re.fullmatch(
        r"relaysow: Invalid value for '--games': '.{5,110}' is too large a number\n", err
    )


def test_a_number_out_of_range_names_option_and_value(run: Any) -> None:
    assert run("simulate", "giuthi", "--games", "1e20") == (
        *(2, "", "relaysow: games=100000000000000000000: must be 1…1000000000000\n"),
    )


def options_with_numbers(app: typer.Typer, above: tuple[str, ...] = ()) -> Iterator[list[str]]:
    """The commands with each option that takes a whole number."""
    for command in app.registered_commands:
        function: Any = command.callback
        for name, kind in get_type_hints(function).items():
            if kind in (int, int | None):
                yield [*above, command.name or function.__name__, f"--{name.replace('_', '-')}"]
    for group in app.registered_groups:
        assert group.typer_instance is not None
        yield from options_with_numbers(group.typer_instance, (f"{group.name}",))


def test_every_whole_number_is_read_so(run: Any) -> None:
    found = list(options_with_numbers(app.app))
    assert len(found) > 40
    for words in found:
        code, out, err = run(*words, "1,00")
        assert (code, out) == (2, "")
        assert err.startswith(
            f"relaysow: Invalid value for '{words[-1]}': '1,00' must be an integer, such as"
        )


SMALL = ("--pits", "3", "--seeds", "2")


@pytest.mark.parametrize(
    ("typed_words", "words"),
    [
        (("SIMULATE", "Giuthi", "--Games", "1e2"), ("simulate", "giuthi", "--games", "100")),
        (("Simulate", "Giuthi-Pratt"), ("simulate", "giuthi_pratt")),
        (
            ("simulate", "giuthi", "--set", " Chain = Run_Over-Gaps", "--set", "Max-Laps= 1,000"),
            ("simulate", "giuthi", "--set", "chain=run_over_gaps", "--set", "max_laps=1000"),
        ),
        (
            ("simulate", "engehe", "--pits", "3", "--set", "setup = 4, 4,4 ,4,1e1,4"),
            ("simulate", "engehe", "--pits", "3", "--set", "setup=4,4,4,4,10,4"),
        ),
        (
            ("simulate", "giuthi", "--policy", "GREEDY, Random", "--MAX_MOVES", "1,000"),
            ("simulate", "giuthi", "--policy", "greedy,random", "--max-moves", "1000"),
        ),
        (
            ("simulate", "giuthi", *SMALL, "--policy", "Search:Nodes=1,000 , search:depth=0_2"),
            ("simulate", "giuthi", *SMALL, "--policy", "search:nodes=1000,search:depth=2"),
        ),
        (
            ("perft", "Kiothi", "--depth", "1e0", "--engine", "Reference", "--filled", "3"),
            ("perft", "kiothi", "--depth", "1", "--engine", "reference", "--filled", "3"),
        ),
        (("rules", "EnGehe"), ("rules", "engehe")),
        (
            ("show", "Giuthi ( pits = 5, seeds=4 )", "--move", "1 −"),
            ("show", "giuthi(pits=5,seeds=4)", "--move", "1-"),
        ),
        (
            ("solve", "--from", "GIUTHI(pits=3, max_laps=None) 0,2,1;3,0,0 21,21 N - - 2"),
            ("solve", "--from", "giuthi(pits=3) 0,2,1;3,0,0 21,21 N - - 2"),
        ),
        (
            ("puzzle", "giuthi", "--pits", "4", "--seeds", "6", "--TO", "Win", "--No-Laps"),
            ("puzzle", "giuthi", "--pits", "4", "--seeds", "6", "--to", "win", "--no-laps"),
        ),
        (("TableBase", "Verify", "no-such-file"), ("tablebase", "verify", "no-such-file")),
    ],
)
def test_names_and_lists_as_people_write_them(
    typed_words: tuple[str, ...], words: tuple[str, ...], run: Any
) -> None:
    few = ("--games", "100") if words[0] == "simulate" and "--games" not in words else ()
    code, out, err = run(*typed_words, *few)
    same = run(*words, *few)
    assert (code, out) == same[:2]
    assert code == (2 if words[0] == "tablebase" else 0), err


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("simulat giuthi", "simulate"),
        ("sim giuthi", "simulate"),
        ("tablebase buidl x giuthi", "build"),
        ("simulate giuthi --game 3", "--games"),
        ("simulate giuthi --first 3", "--first-game"),
        ("show giuthi --noboards", "--no-boards"),
        ("tablebase build x giuthi --max-seed 3", "--max-seeds"),
        ("simulate gihuti", "giuthi"),
        ("rules engeh", "engehe"),
        ("simulate giuthi --set chian=run", "chain"),
        ("simulate giuthi --set pits=5", "--pits"),
        ("simulate giuthi --set chain=run_over", "run_over_gaps"),
        ("simulate giuthi --set end=rowempty", "row_empty"),
        ("simulate giuthi --policy gredy", "greedy"),
        ("check giuthi --policy random,gredy", "greedy"),
        ("simulate giuthi --policy search:dept=3", "search:depth=N"),
        ("simulate giuthi --engine nativ", "native"),
        ("perft giuthi --engine ref", "reference"),
        ("puzzle giuthi --to wim", "win"),
        ("play giuthi --south humn", "human"),
        ("play giuthi --north Gredy", "greedy"),
        ("show giuti(pits=5,seeds=4)", "giuthi"),
        ("show giuthi(pits=5,chian=run)", "chain"),
        ("show giuthi(chain=rnu)", "run"),
        ("simulate --from giuthi(pit=3)", "pits"),
    ],
)
def test_slips_are_told_what_may_be_meant(words: str, meant: str, run: Any) -> None:
    code, out, err = run(*words.split())
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert re.search(rf"; did you mean {re.escape(meant)}( or .*)?\?\n$", err)


def test_dashes_of_print_are_told(run: Any) -> None:
    for dash in "–—−":
        code, _, err = run("simulate", "giuthi", f"{dash}games", "3")
        assert code == 2
        assert err.endswith("; options begin with two hyphens: --games\n")


def test_nothing_is_meant_by_nonsense(run: Any) -> None:
    for words in ("qqq", "simulate xyz", "simulate giuthi --zzz", "simulate giuthi --set zzz=1"):
        code, _, err = run(*words.split())
        assert code == 2
        assert "did you mean" not in err


def test_the_python_interface_stays_strict() -> None:
    for attempt in (
        lambda: relaysow.giuthi(chain="Run"),
        lambda: relaysow.simulate(relaysow.giuthi(), games=10, policy="GREEDY"),
        lambda: relaysow.simulate(relaysow.giuthi(), games=10, engine="Native"),
        lambda: relaysow.Position.from_text("Giuthi(pits=3) 0,2,1;3,0,0 21,21 N - - 2"),
    ):
        with pytest.raises(ValueError):
            attempt()


def test_play_takes_what_is_typed(run: Any, monkeypatch: Any) -> None:
    lines = ["1 −", " UNDO", "South  Search: Nodes = 1e2", "explian 1+", "north gredy", "PACE 1"]
    typed_lines = iter(lines)

    def read(_: str) -> str:
        line = next(typed_lines, None)
        if line is None:
            raise EOFError
        print(f"\x00{line}")
        return line

    monkeypatch.setattr("builtins.input", read)
    code, out, _ = run("play", "Giuthi", "--south", "Human", "--north", "HUMAN", "--pits", "5")
    assert code == 0
    said = [" ".join(part.split()) for part in out.split("\x00")[1:]]
    assert "South: 1-" in said[0]
    assert "South to move" in said[1]
    assert "South: " in said[2]  # the computer has played
    assert said[3].endswith("is neither a move nor a command: see help; did you mean explain?")
    assert "; did you mean greedy?" in said[4]


def test_replay_goes_to_a_step_however_it_is_typed(monkeypatch: Any, tmp_path: Path) -> None:
    class Typed(io.StringIO):
        def isatty(self) -> bool:
            return True

    game = relaysow.Game(relaysow.giuthi(pits=3, seeds=2))
    while not game.is_over:
        game.push(game.legal_moves[0])
    (tmp_path / "game.txt").write_text(game.record())
    shown = Typed()
    monkeypatch.setattr(sys, "stdin", Typed("1e0\n 0_2 \n1.5\n" + "9" * 5000 + "\n"))
    monkeypatch.setattr(sys, "stdout", shown)
    assert cli.main(["replay", str(tmp_path / "game.txt")]) == 0
    steps = re.findall(r"\n(\d+)/\d+> ", shown.getvalue())
    assert steps == ["0", "1", "2", "2", "2"]
