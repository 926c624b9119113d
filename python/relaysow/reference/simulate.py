"""Whole games from a seed, as `relaysow.simulate` plays them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any

from relaysow._support.checks import function, instance, shown, within
from relaysow._support.public import public
from relaysow._support.reloading import once
from relaysow.moves import Outcome, Sowing
from relaysow.reference.ending import ENDS
from relaysow.reference.game import Game
from relaysow.reference.players import WORD, Chance, choose
from relaysow.reference.position import Position

once(__name__)


COLUMNS = (
    "scores",
    "winner",
    "moves",
    "turns",
    "laps",
    "captures",
    "longest",
    "end",
    "first_move",
)
"""What `simulate` tells of a game."""


@public
def simulate(
    start: Position,
    games: int,
    seed: int,
    first_game: int,
    south: str,
    north: str,
    max_moves: int | None,
    poll: Callable[[int], None] | None = None,
) -> dict[str, list[Any]]:
    """Play games by the policies of `choose`, one row a game in every column.

    `scores` the two final stores (of a cut game the stores as they stand), `winner` 0, 1, −1 for a
    draw or −2 for a cut game, `moves` with the redistributions, `turns` begun by a move, `laps` of
    all sowings, `captures` the moves that captured, `longest` the most laps of one sowing, `end`
    its place in `ENDS`, `first_move` its number among the legal moves of the start (−1 if there was
    none or the number needs more than 63 bits).  After `max_moves` moves a game not ended is cut.
    `poll`, if given, is called with the number of games done about ten times a second.

    Raises `ValueError` for other policies, numbers out of range, or `repetition="off"`, under which
    a game need not end, without `max_moves`; `TypeError` for wrong types.

    >>> from relaysow.rules import giuthi
    >>> start = Position.start(giuthi(pits=5, seeds=4))
    >>> result = simulate(start, 2, 7, 0, "random", "greedy", None)
    >>> [sum(stores) for stores in result["scores"]]
    [40, 40]
    """
    instance("start", start, Position, "a Position")
    games, seed = within("games", games, 0, 10**12), within("seed", seed, 0, WORD)
    first_game = within("first_game", first_game, 0, WORD + 1 - games)
    for name, policy in (("south", south), ("north", north)):
        instance(name, policy, str, "the name of a policy")
        if not re.fullmatch(r"random|greedy|search:depth=[1-9]\d{0,2}", policy, re.ASCII):
            allowed = "must be 'random', 'greedy' or 'search:depth=N'"
            raise ValueError(f"{name}={shown(policy)}: {allowed}")
    if max_moves is not None:
        max_moves = within("max_moves", max_moves, 1, 2**31 - 1)
    if poll is not None:
        function("poll", poll)
    if start.rules.repetition == "off" and max_moves is None:
        raise ValueError("repetition='off': games need not end, so max_moves must be given")
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    polled = monotonic()
    for number in range(games):
        result = _play_out(start, Chance(seed, first_game + number), (south, north), max_moves)
        for name in COLUMNS:
            columns[name].append(result[name])
        if poll is not None and monotonic() - polled >= 0.1:
            poll(number + 1)
            polled = monotonic()
    return columns


def _play_out(
    start: Position, chance: Chance, policies: tuple[str, str], max_moves: int | None
) -> dict[str, Any]:
    """One game of `simulate`."""
    game, row = Game(start), GameRow()
    while not game.is_over and len(game.moves) != max_moves:
        move = choose(game, policies[game.position.mover], chance)
        row.count(game, game.position.sow(move))
        game.push(move)
    return row.columns(game)


@dataclass
class GameRow:
    """What `simulate` tells of one game, counted move by move."""

    turns: int = 0
    laps: int = 0
    captures: int = 0
    longest: int = 0

    def count(self, game: Game, sowing: Sowing[Position]) -> None:
        """Count a move that the game is about to make, and its sowing."""
        self.turns += game.begins_turn
        self.laps += sowing.laps or 0
        self.longest = max(self.longest, sowing.laps or 0)
        self.captures += sowing.captured > 0

    def columns(self, game: Game) -> dict[str, Any]:
        """The row of a game that is over or cut."""
        first = game.start.legal_moves.index(game.moves[0]) if game.moves else -1
        outcome = game.outcome or Outcome(-2, game.position.stores, "cut")
        return {
            "scores": outcome.stores,
            "winner": outcome.winner,
            "moves": len(game.moves),
            "turns": self.turns,
            "laps": self.laps,
            "captures": self.captures,
            "longest": self.longest,
            "end": ENDS.index(outcome.end),
            "first_move": first if first < 2**63 else -1,
        }
