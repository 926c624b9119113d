"""The move that a computer chooses in a single game."""

from __future__ import annotations

from random import Random

from relaysow.exact.analysis import analyse
from relaysow.game import Game
from relaysow.moves import Move


def choose(game: Game, who: str, chance: Random) -> Move:
    """The move of a computer, by one of `POLICIES`, in a game that is not over.

    >>> from relaysow import engehe
    >>> choose(Game(engehe(pits=5)), "greedy", Random(1))
    Sow(pit=0, lift=None, direction=None)
    """
    legal = game.legal_moves
    if who.startswith("search:") and game.position.redistributions == 2:
        by, _, number = who.removeprefix("search:").partition("=")
        if by == "nodes":
            return analyse(game, nodes=int(number)).best_move
        lines = analyse(game, depth=int(number), memory=0, lines=len(legal)).lines
        return chance.choice([line.move for line in lines if line.score == lines[0].score])
    if who == "greedy" and game.position.redistributions == 2:
        captures = [game.position.sow(move).captured for move in legal]
        best = max(captures)
        return chance.choice([move for move, c in zip(legal, captures, strict=True) if c == best])
    return legal[chance.randrange(legal.count)]
