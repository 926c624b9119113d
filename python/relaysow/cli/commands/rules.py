"""The command that tells the rules: rules."""

from __future__ import annotations

from inspect import signature
from typing import Annotated

import typer

from relaysow.cli.arguments import rule_set, start_from
from relaysow.cli.printing import paragraph
from relaysow.options import NEEDS, OPTIONS
from relaysow.rules import READINGS, RULE_SETS
from relaysow.text.words import GAMES, SOURCES


def rules(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", parser=rule_set, help="A rule set.")
    ] = None,
) -> None:
    """List the rule sets and all options; of one rule set its values, source and reading."""
    if name is None:
        paragraph("Rule sets (`relaysow rules NAME` tells all of one):")
        for known in RULE_SETS:
            paragraph(f"{known:18} {_sizes(known)}: {READINGS[known]}", 2, 21)
        paragraph("\nOptions (`--set OPTION=VALUE`; pits by `--pits`, 3…64 in each row):")
        for option, (meaning, values) in OPTIONS.items():
            paragraph(f"{option:18} {meaning}", 2, 21)
            for value, effect in values.items():
                paragraph(f"{value:22} {effect}", 4, 27)
        refused = (f"{option}={value} without {other}={it}" for option, value, other, it in NEEDS)
        paragraph(f"\nRefused: {'; '.join(refused)}.")
        return
    chosen = start_from(name, None, None, None, None, None)
    game = name.partition("_")[0]
    ordinary = RULE_SETS[game]()
    paragraph(f"{name}: {_sizes(name)}\n\n{READINGS[name]}\n\n{GAMES[game]}\n\nSources:")
    for source in SOURCES[game]:
        paragraph(source, 2, 4)
    print()
    for option, (meaning, values) in OPTIONS.items():
        if option != "setup":
            value, other = getattr(chosen, option), getattr(ordinary, option)
            differs = f" ({game}: {other})" if value != other else ""
            effect = values.get(str(value), "")
            paragraph(f"{option} = {value}{differs}", 2, 4)
            paragraph(f"{meaning}: {effect}".rstrip(": "), 4, 4)


def _sizes(name: str) -> str:
    """The board of a rule set as it is by default."""
    if name.startswith("kiothi"):
        defaults = {p.name: p.default for p in signature(RULE_SETS[name]).parameters.values()}
        return "2×{pits}, {seeds} seeds in each of the {filled} rightmost pits".format(**defaults)
    rules = RULE_SETS[name]()
    return f"2×{rules.pits}, {rules.setup[0]} seeds in every pit"
