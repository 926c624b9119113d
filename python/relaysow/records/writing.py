"""How a record is written."""

from __future__ import annotations

from collections.abc import Mapping

from relaysow.moves import Redistribute, Sow
from relaysow.records.plays import (
    GameLike,
    Play,
    fresh,
    kind_of,
    part_of,
    push,
    result_of,
    step_to_text,
    steps_of,
    to_act,
)
from relaysow.records.tags import HEADS, INFO, escaped
from relaysow.rules import Rules
from relaysow.text.notation import PLAYERS, rules_to_text, to_text


def write(play: Play, info: Mapping[str, str], comments: Mapping[int, str]) -> str:
    kind = kind_of(play)
    again = fresh(play)
    tags = {name: escaped(info[name], '"') for name in INFO if name in info}
    rules: Rules = play.start.rules if kind == "game" else play.rules
    tags["Rules"] = rules_to_text(rules)
    if kind == "game" and play.start != type(play.start).start(rules):
        tags["Start"] = to_text(play.start)
    if kind == "match":
        tags |= {"Scheme": play.scheme} | ({"Twice": play.twice} if play.twice != "asked" else {})
        tags |= {"HalfOf": play.half_of} if play.half_of != "match" else {}
    if kind == "series":
        tags |= {"BestOf": str(play.best_of)} if play.best_of is not None else {}
        tags |= {"OneWarrior": str(play.one_warrior)} if play.one_warrior != 1 else {}
    if kind != "game":
        tags["First"] = PLAYERS[play.first]
    tags |= result_of(play)

    def said(number: int) -> str:
        return f" {{{escaped(comments[number], '{}')}}}" if number in comments else ""

    lines = [f"relaysow {kind} 1", *(f'[{name} "{value}"]' for name, value in tags.items())]
    if opening := said(0):
        lines += ["", opening[1:]]
    part, turn, goes_on = -1, 0, False
    for number, step in enumerate(steps_of(play), start=1):
        at, (south, north) = part_of(again)
        if at != part:
            if part != -1 or not opening:
                lines.append("")
            if kind != "game":
                lines.append(f"{HEADS[kind]} {at}: {south}-{north}")
            part, turn, goes_on = at, 0, False
        player = PLAYERS[to_act(again) or 0][0]
        text = step_to_text(again, step) + said(number)
        if not isinstance(step, (Sow, Redistribute)):
            lines.append(f"{player} {text}")
        elif goes_on:
            lines[-1] += f" {text}"
        else:
            turn += 1
            lines.append(f"{turn}. {player} {text}")
        goes_on = push(again, step)
    return "\n".join(lines) + "\n"


def record(game: GameLike) -> str:
    """A game as text that `replay` plays again.

    >>> from relaysow import Game, Sow, giuthi
    >>> game = Game(giuthi(pits=5, seeds=4))
    >>> game.push(Sow(0, direction="ccw"))
    >>> print(record(game), end="")
    relaysow game 1
    [Rules "giuthi(pits=5,seeds=4)"]
    [Result "*"]
    <BLANKLINE>
    1. S 1+
    """
    return write(game, {}, {})
