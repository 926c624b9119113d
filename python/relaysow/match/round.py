"""A round of a match, and what the schemes make of the rules for it."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from relaysow._support.checks import instance, one_of, within
from relaysow._support.reloading import once
from relaysow.game import Game
from relaysow.match.layouts import LayOut, Shorten, Step, even
from relaysow.options import MIN_PITS
from relaysow.rules import Rules
from relaysow.text.notation import PLAYERS

once(__name__)

SCHEMES = ("wikipedia", "leakey")
"""How rounds are laid out: the Italian Wikipedia's way (after Driedger), or Leakey's."""

TWICE = ("asked", "short")
"""When the stronger must lay out twice what he faces: in the round for which shorter rows were
asked, or in every round on shortened rows while the weaker may ask."""

HALF_OF = ("match", "round")
"""Of which seeds the weaker must hold fewer than half to ask for shorter rows: of those this player
began the match with, or the last round.  The text's «la partita» can be either."""


@dataclass
class Round:
    """A round of a match: read it, and play it through the match.

    `number` counts from 1; `totals` are the seeds of South and North at its start; `starter` moves
    first; `weaker` lays out first (None: both start from the even set-up); `pits` in each row;
    `asked`: the weaker asked for shorter rows; `rows` are South's and North's lay-outs, each from
    its owner's left, None while they are due; `game` is None until both are there; `stuck`: the
    even set-up allows no move and leaves the totals as they are.
    """

    number: int
    totals: tuple[int, int]
    starter: int
    weaker: int | None
    pits: int
    asked: bool = False
    rows: list[tuple[int, ...] | None] = field(default_factory=lambda: [None, None])
    game: Game | None = None
    stuck: bool = False

    def __copy__(self) -> Round:
        return deepcopy(self)

    @property
    def result(self) -> tuple[int, int] | None:
        """The totals of South and North at its end, None before.

        They are the stores, and where the game ended with seeds on the ring, which belong to no
        one in the game (a repetition, an endless sowing), each player's own row too.
        """
        if self.game is None or self.game.outcome is None:
            return None
        stores, n = self.game.outcome.stores, self.pits
        if sum(stores) == sum(self.totals):
            return stores
        ring = self.game.position.pits
        return stores[0] + sum(ring[:n]), stores[1] + sum(ring[n:])


def change(here: Round, **fields: Any) -> None:
    """Change a round at once: nothing can interrupt it."""
    vars(here).update(fields)


def round_steps(here: Round, scheme: str) -> list[Step]:
    """The steps of a round."""
    steps: list[Step] = [Shorten()] if here.asked else []
    if here.weaker is not None:
        rows = [here.rows[here.weaker]]
        if scheme == "wikipedia":
            rows.append(here.rows[1 - here.weaker])
        steps += [LayOut(row) for row in rows if row is not None]
    return steps + list(here.game.moves if here.game else ())


def match_rules(rules: Rules, pits: int) -> Rules:
    """The rules of a match's round on rows of so many pits."""
    if pits == rules.pits:
        return rules
    n = rules.pits
    rows = (sum(rules.setup[:n]), sum(rules.setup[n:]))
    return replace(rules, pits=pits, setup=even(rows[0], pits) + even(rows[1], pits))


def leakey_pits(
    pits: int, weaker: int | None, totals: tuple[int, int], original: tuple[int, int]
) -> int:
    """The pits of a row in Leakey's scheme."""
    if weaker is None:
        return pits
    seeds, began = totals[weaker], original[weaker]
    return max(MIN_PITS, pits - sum(seeds * parts < began for parts in (2, 4, 8)))


def check_match(
    rules: Rules, scheme: object, first: object, twice: object, half_of: object
) -> tuple[str, int | None, str, str]:
    """The scheme, who begins, when twice and half of what; refuses what `Match` refuses."""
    instance("rules", rules, Rules, "Rules")
    for name in ("redistribution", "protection"):
        if (value := getattr(rules, name)) != "none":
            raise ValueError(f"{name}={value!r}: a match needs {name}='none'")
    for name, seeds in zip(
        PLAYERS, (sum(rules.setup[: rules.pits]), sum(rules.setup[rules.pits :])), strict=True
    ):
        if seeds < 2:
            raise ValueError(f"setup gives {name} {seeds} seeds: must be at least 2")
    begins = None
    if first is not None:
        begins = within("first", first, 0, 1, "0 (South), 1 (North) or None")
    how, when = one_of("scheme", scheme, SCHEMES), one_of("twice", twice, TWICE)
    of = one_of("half_of", half_of, HALF_OF)
    if of == "round" and how == "leakey":
        raise ValueError("half_of='round' contradicts scheme='leakey': it counts from the match")
    return how, begins, when, of
