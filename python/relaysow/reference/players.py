"""Players: the stream of chance of a game, and how each policy chooses."""

from __future__ import annotations

from copy import copy, deepcopy

from relaysow._support.checks import shown, whole_number, within
from relaysow._support.public import public
from relaysow._support.reloading import once
from relaysow.moves import Move
from relaysow.reference.game import Game
from relaysow.reference.moves import candidates

once(__name__)


WORD = 2**64 - 1


def split_mix(state: int) -> tuple[int, int]:
    """SplitMix64: the next state and the number it gives."""
    state = (state + 0x9E3779B97F4A7C15) & WORD
    z = state
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
    return state, z ^ (z >> 31)


@public
class Chance:
    """The generator of one game: xoshiro128++, seeded by SplitMix64 from the seed and the game.

    Both are 0…2⁶⁴−1; raises `ValueError` or `TypeError` if not.  The first number SplitMix64 gives
    from the seed, exclusive or the game's index, is the state from which two more numbers are the
    words of the generator, low half first.

    >>> chance = Chance(seed=1, game=0)
    >>> 0 <= chance.word() < 2**32
    True
    """

    def __init__(self, seed: int, game: int) -> None:
        seed, game = within("seed", seed, 0, WORD), within("game", game, 0, WORD)
        _, base = split_mix(seed)
        state, first = split_mix(base ^ game)
        _, second = split_mix(state)
        self._s = [first & 0xFFFFFFFF, first >> 32, second & 0xFFFFFFFF, second >> 32]

    def __copy__(self) -> Chance:
        return deepcopy(self)

    def word(self) -> int:
        """The next 32-bit word."""

        def rotated(x: int, k: int) -> int:
            return ((x << k) | (x >> (32 - k))) & 0xFFFFFFFF

        s = self._s.copy()
        result = (rotated((s[0] + s[3]) & 0xFFFFFFFF, 7) + s[0]) & 0xFFFFFFFF
        shifted = (s[1] << 9) & 0xFFFFFFFF
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = rotated(s[3], 11)
        self._s = s
        return result

    def below(self, count: int) -> int:
        """A number below `count` (of sowings, 1…2³²) by multiply-shift of one word.

        Raises `ValueError` or `TypeError` for any other count.
        """
        count = within("count", count, 1, 2**32)
        return (self.word() * count) >> 32

    def below_any(self, count: int) -> int:
        """A number below `count` (of redistributions, of any size): ⌈bits/32⌉+1 words taken as one
        integer, high word first, so that the bias is below 2⁻³².

        Raises `ValueError` or `TypeError` for a count below 1 or that is no integer.
        """
        if (count := whole_number("count", count)) < 1:
            raise ValueError(f"count={shown(count)}: must be 1 or more")
        words = -(-count.bit_length() // 32) + 1
        drawn, later = 0, copy(self)
        for _ in range(words):
            drawn = (drawn << 32) | later.word()
        self._s = later._s
        return (drawn * count) >> (32 * words)


def worth_of_moves(game: Game, depth: int) -> dict[Move, int]:
    """What the player to move gets by each legal move, by minimax of `depth` moves, this one among
    them: the lead where the game still goes on, at its end the final lead, 0 if it is drawn.

    >>> from relaysow.rules import giuthi
    >>> max(worth_of_moves(Game(giuthi(pits=5, seeds=4)), 2).values())
    5
    """
    mover, worth = game.position.mover, {}
    for move in game.legal_moves:
        later = copy(game)
        later.push(move)
        score = worth_of_game(later, depth - 1)
        worth[move] = score if later.position.mover == mover else -score
    return worth


def worth_of_game(game: Game, depth: int) -> int:
    """What the player to move gets by minimax of `depth` moves."""
    outcome, mover = game.outcome, game.position.mover
    if outcome is None and depth > 0:
        return max(worth_of_moves(game, depth).values())
    if outcome is not None and outcome.winner == -1:
        return 0
    stores = game.position.stores if outcome is None else outcome.stores
    return stores[mover] - stores[1 - mover]


def choose(game: Game, policy: str, chance: Chance) -> Move:
    """A move for the player to move, who has one.

    A redistribution is drawn by its number.  `"random"`: a sowing is drawn from the candidates in
    canonical order; one that proves illegal is removed and another drawn, so that the legal ones
    are equally likely.  `"greedy"`: drawn once among the legal moves that capture most.
    `"search:depth=N"`: drawn once among those best by minimax of N moves.
    """
    position = game.position
    if position.redistributions < 2:
        legal = position.legal_moves
        return legal[chance.below_any(legal.count)]
    if policy == "greedy":
        legal = game.legal_moves
        captures = [position.sow(move).captured for move in legal]
        best = [move for move, c in zip(legal, captures, strict=True) if c == max(captures)]
        return best[chance.below(len(best))]
    if policy.startswith("search:depth="):
        worth = worth_of_moves(game, int(policy.removeprefix("search:depth=")))
        most = [move for move, score in worth.items() if score == max(worth.values())]
        return most[chance.below(len(most))]
    left: list[Move] = list(
        candidates(
            position.rules, position.mover, position.pits, position.direction, position.barred
        )
    )
    while True:
        move = left.pop(chance.below(len(left)))
        if game.is_legal(move):
            return move
