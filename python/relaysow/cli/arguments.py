"""The arguments that several commands take, and what they name."""

from __future__ import annotations

from dataclasses import fields
from inspect import signature
from typing import TYPE_CHECKING, Annotated, Any

import typer

from relaysow._core import Position
from relaysow._support.checks import one_of, shown
from relaysow.options import CHOICES
from relaysow.players.policies import POLICIES, policies_of
from relaysow.rules import RULE_SETS, Rules
from relaysow.text import slips as typed

if TYPE_CHECKING:
    from relaysow.text.notation import AnyPosition


def integer(text: str | int) -> int:
    """An integer of an argument, or its default."""
    try:
        return text if isinstance(text, int) else typed.count(text)
    except ValueError as error:
        raise typer.BadParameter(f"{error}") from None


def number(help: str) -> Any:
    return typer.Option(parser=integer, metavar="INTEGER", help=help)


def word(*words: str, help: str) -> Any:
    """An option that is one of these words."""

    def parsed(text: str) -> str:
        word = typed.name(text, words)
        if word not in words:
            near = typed.did_you_mean(text, words)
            raise typer.BadParameter(f"{shown(text)} must be {' or '.join(words)}{near}")
        return word

    return typer.Option(parser=parsed, metavar="WORD", help=help)


def rule_set(text: str) -> str:
    return typed.name(text, RULE_SETS)


Name = Annotated[
    str | None,
    typer.Argument(metavar="NAME", parser=rule_set, help="A rule set: see `rules`."),
]
Pits = Annotated[int | None, number("Pits in each row.")]
Seeds = Annotated[int | None, number("Seeds in each filled pit.")]
Filled = Annotated[int | None, number("Kiothi: the filled pits of a row.")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="OPTION=VALUE", help="A rules option; may be repeated."),
]
From = Annotated[
    str | None,
    typer.Option("--from", metavar="POSITION", help="Start from this position text instead."),
]
Games = Annotated[int, number("How many games.")]
Seed = Annotated[int, number("Seed of the games' chance, 0…2⁶⁴−1.")]
FirstGame = Annotated[int, number("Number of the first game.")]
MaxMoves = Annotated[int | None, number("Cut games after so many moves.")]
Policy = Annotated[
    str,
    typer.Option(
        help="random, greedy, search:depth=N, search:nodes=N, or two of them: South's,North's."
    ),
]
Engine = Annotated[str, word("native", "reference", help="native, or reference (plain Python).")]


def start_from(
    name: str | None,
    pits: int | None,
    seeds: int | None,
    filled: int | None,
    options: list[str] | None,
    start: str | None,
) -> Rules | AnyPosition:
    """What the arguments name: a rule set with its sizes and options, or a position text."""
    if start is not None:
        if (name, pits, seeds, filled, options) != (None,) * 5:
            raise ValueError("--from names its own rules: give no rule set, sizes or options")
        return Position.from_text(typed.rules_first(start))
    if name is None:
        raise ValueError(f"a rule set is needed: {', '.join(RULE_SETS)}; or --from POSITION")
    if name not in RULE_SETS:
        near = typed.did_you_mean(name, RULE_SETS)
        known = ", ".join(RULE_SETS)
        raise ValueError(f"{shown(name)} is not a rule set: must be one of {known}{near}")
    function = RULE_SETS[name]
    sizes = {"pits": pits, "seeds": seeds, "filled": filled}
    sizes = {size: number for size, number in sizes.items() if number is not None}
    for size, number in sizes.items():
        if size not in signature(function).parameters:
            raise ValueError(f"--{size} {number}: {name} has no such size")
    chosen: dict[str, Any] = {}
    for text in options or ():
        option, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"--set {text}: must be OPTION=VALUE")
        option = typed.name(option, _OPTIONS)
        chosen[option] = _option(option, value.strip())
    if "setup" in chosen and sizes.keys() - {"pits"}:
        raise ValueError("--set setup=… gives every pit: give no --seeds or --filled beside it")
    return function(**sizes, **chosen)


_OPTIONS = [field.name for field in fields(Rules) if field.name != "pits"]


def _option(option: str, text: str) -> Any:
    """The value of a rules option from its text."""
    if option in CHOICES:
        try:
            return one_of(option, typed.name(text, CHOICES[option]), CHOICES[option])
        except ValueError as error:
            raise ValueError(f"{error}{typed.did_you_mean(text, CHOICES[option])}") from None
    try:
        if option == "setup":
            return tuple(typed.count(count) for count in text.split(","))
        if option in ("minimum_lift", "max_laps"):
            unlimited = (option, text.lower()) == ("max_laps", "none")
            return None if unlimited else typed.count(text)
    except ValueError as error:
        kind = "integers with commas between them" if option == "setup" else "an integer"
        raise ValueError(f"--set {option}={text}: must be {kind}: {error}") from None
    near = typed.did_you_mean(option, ["--pits", "--seeds", "--filled", *_OPTIONS])
    allowed = ", ".join(_OPTIONS)
    raise ValueError(
        f"--set {option}={text}: {option!r} is not an option: must be one of {allowed}{near}"
    )


def policies_from(policy: str) -> str | tuple[str, str]:
    names = typed.policies(policy)
    if len(names) > 2:
        raise ValueError(f"--policy {policy}: must be one name or two, South's,North's")
    for name in names:
        try:
            policies_of(name)
        except ValueError as error:
            raise ValueError(f"{error}{typed.did_you_mean(name, POLICIES)}") from None
    return (names[0], names[1]) if len(names) == 2 else names[0]
