"""Learn Giuthi 2×5·4 by self-play, with relaysow and NumPy alone: `python examples/self_play.py`.

A small network learns the value of a position for the player to move, from −1 (lost) to +1 (won).
It plays many games against itself side by side in a `Batch`; each move is the one that leads to the
best position by the network's own judgement, a random one now and then.  The value of a position is
drawn towards that of the best position a move away, or to the result where the game ends: TD(0).

Prints a learning curve and, at the end, the score of 1,000 games against random and greedy players.
The same seed gives the same figures on the same machine.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import IO, Any

# The matrices are small: more threads would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import numpy.typing as npt

import relaysow as rs
from relaysow._support.files import written

Array = npt.NDArray[Any]

RULES = rs.giuthi(pits=5, seeds=4)
PITS = 2 * RULES.pits
MOST = 11  # more seeds in a pit than this are told apart no longer
HIDDEN = 96


class Ahead:
    """What every action in every game of a batch leads to."""

    def __init__(self, n: int) -> None:
        self.n = n
        self._trials = rs.Batch(RULES, n * RULES.actions, autoreset="Disabled", illegal="report")
        self._actions = np.tile(np.arange(RULES.actions), n)

    def look(self, games: rs.Batch) -> None:
        """Try all actions; games that are over count as games at their start."""
        features, shape = games.features, (self.n, RULES.actions)
        over = ~games.mask.any(axis=1)
        starts = [RULES.start() if over[r] else games.position(r) for r in range(self.n)]
        self._trials.reset(start=[start for start in starts for _ in range(RULES.actions)])
        seen, _, rewards, ended, _ = self._trials.step(self._actions)
        movers = np.where(over, 0, games.observations[:, features["mover"]][:, 0])[:, None]
        again = seen[:, features["mover"]].reshape(shape) == movers
        stores = seen[:, features["stores"]].reshape(*shape, 2)
        self.observations = seen
        self.legal = ~self._trials.illegal.reshape(shape)
        self.sign = np.where(again, 1, -1)  # whether what is good there is good for the mover
        self.ended = ended.reshape(shape)
        self.results = rewards[:, 0].reshape(shape) * (1 - 2 * movers)
        own = np.where(again, stores[:, :, 0], stores[:, :, 1])
        self.captured = np.where(self.legal, own - own.min(axis=1, keepdims=True), -1)


class Network:
    """A value from an observation: one hidden layer, trained by Adam."""

    def __init__(self, chance: np.random.Generator) -> None:
        inputs = PITS * (MOST + 1) + 2
        self.weights = [
            chance.normal(0, inputs**-0.5, (inputs, HIDDEN)).astype(np.float32),
            np.zeros(HIDDEN, np.float32),
            chance.normal(0, HIDDEN**-0.5, HIDDEN).astype(np.float32),
            np.zeros(1, np.float32),
        ]
        self._means = [np.zeros_like(w) for w in self.weights]
        self._squares = [np.zeros_like(w) for w in self.weights]
        self._steps = 0

    @staticmethod
    def features(observations: Array) -> Array:
        """How many seeds each pit holds, one of `MOST` + 1 inputs a pit; the lead; what is left."""
        counts = np.minimum(observations[:, :PITS], MOST)
        inputs = np.zeros((len(counts), PITS * (MOST + 1) + 2), np.float32)
        rows = np.arange(len(counts))[:, None]
        inputs[rows, np.arange(PITS) * (MOST + 1) + counts] = 1
        stores = observations[:, PITS : PITS + 2]
        inputs[:, -2] = (stores[:, 0] - stores[:, 1]) / 10
        inputs[:, -1] = 1 - stores.sum(axis=1) / RULES.seeds
        return inputs

    def values(self, observations: Array) -> Array:
        """A value for each row."""
        first, bias, second, shift = self.weights
        hidden = np.tanh(self.features(observations) @ first + bias)
        return np.tanh(hidden @ second + shift)

    def learn(self, observations: Array, targets: Array, rate: float) -> None:
        """Draw the values of some rows towards targets."""
        first, bias, second, shift = self.weights
        inputs = self.features(observations)
        hidden = np.tanh(inputs @ first + bias)
        values = np.tanh(hidden @ second + shift)
        error = (values - targets) * (1 - values**2) / len(values)
        back = np.outer(error, second) * (1 - hidden**2)
        gradients = [inputs.T @ back, back.sum(axis=0), hidden.T @ error, error.sum(keepdims=True)]
        self._steps += 1
        scale = rate * (1 - 0.999**self._steps) ** 0.5 / (1 - 0.9**self._steps)
        for w, g, m, s in zip(self.weights, gradients, self._means, self._squares, strict=True):
            m += 0.1 * (g - m)
            s += 0.001 * (g * g - s)
            w -= scale * m / (np.sqrt(s) + 1e-8)


def judged(network: Network, ahead: Ahead) -> Array:
    """The value of every action for who makes it; −2 for illegal ones."""
    values = network.values(ahead.observations).reshape(ahead.sign.shape) * ahead.sign
    return np.where(ahead.legal, np.where(ahead.ended, ahead.results, values), -2)


def best(worth: Array, chance: np.random.Generator) -> Array:
    """For each row an action of those worth most, at random."""
    most = worth == worth.max(axis=1, keepdims=True)
    actions: Array = np.where(most, chance.random(worth.shape), -1).argmax(axis=1)
    return actions


def train(
    network: Network,
    chance: np.random.Generator,
    *,
    games: int = 128,
    steps: int = 8_000,
    explore: float = 0.1,
    each_step: Callable[[int], None],
) -> None:
    """Self-play of so many games side by side, for so many moves in each."""
    batch, ahead = rs.Batch(RULES, games, seed=int(chance.integers(2**63))), Ahead(games)
    for step in range(steps):
        ahead.look(batch)
        worth = judged(network, ahead)
        going = batch.mask.any(axis=1)
        rate = 0.002 * (1 - step / steps)
        network.learn(batch.observations[going], worth.max(axis=1)[going], rate)
        actions = best(worth, chance)
        exploring = chance.random(games) < explore
        actions[exploring] = best(ahead.legal.astype(float), chance)[exploring]
        batch.step(actions)
        each_step(step + 1)


def score(
    network: Network, rival: str, games: int, chance: np.random.Generator
) -> tuple[int, int, int]:
    """Wins, draws and losses of the network, South in half of the games."""
    batch = rs.Batch(RULES, games, autoreset="Disabled")
    ahead, sides = Ahead(games), np.arange(games) % 2
    while batch.mask.any():
        ahead.look(batch)
        worth = judged(network, ahead)
        others = ahead.captured if rival == "greedy" else ahead.legal.astype(float)
        own = batch.observations[:, batch.features["mover"]][:, 0] == sides
        batch.step(np.where(own, best(worth, chance), best(others, chance)))
    won, drawn = int((batch.winners == sides).sum()), int((batch.winners < 0).sum())
    return won, drawn, games - won - drawn


def draw(curve: dict[str, list[float]], file: IO[bytes], suffix: str) -> None:
    """The shares of games won by the steps learned."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.add_subplot(
        xlabel=f"steps in each of 128 games of {RULES!r}", ylabel="% won of decided games"
    )
    for rival in ("random", "greedy"):
        axes.plot(curve["step"], curve[rival][: len(curve["step"])], label=f"against {rival}")
    axes.legend()
    figure.savefig(file, format=suffix[1:] or "png")


def learn(steps: int, seed: int) -> dict[str, list[float]]:
    """The shares of games won after each eighth of so many steps, which are printed."""
    chance, began = np.random.default_rng(seed), time.monotonic()
    network = Network(chance)
    curve: dict[str, list[float]] = {"step": [], "random": [], "greedy": []}
    every = max(1, steps // 8)

    def won(rival: str, games: int) -> str:
        wins, draws, losses = score(network, rival, games, np.random.default_rng(seed))
        share = 100 * wins / max(1, wins + losses)
        curve[rival].append(share)
        return f"{wins:4} won {draws:4} drawn {losses:4} lost ({share:5.1f} % of the decided)"

    def report(step: int) -> None:
        if step % every == 0:
            curve["step"].append(step)
            told = "   ".join(f"{rival} {won(rival, 200)}" for rival in ("random", "greedy"))
            print(f"{step:6} steps {time.monotonic() - began:4.0f} s   {told}", flush=True)

    train(network, chance, steps=steps, each_step=report)
    shares = {rival: won(rival, 1_000) for rival in ("random", "greedy")}
    for rival, told in shares.items():
        print(f"1,000 games against {rival}: {told}")
    return curve


def main() -> None:
    parser = argparse.ArgumentParser(description="Learn Giuthi 2×5·4 by self-play.")
    parser.add_argument("--steps", type=int, default=8_000, help="moves in each of 128 games")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="write the learning curve there (matplotlib)"
    )
    arguments = parser.parse_args()
    with nullcontext() if arguments.plot is None else written(arguments.plot) as file:
        curve = learn(arguments.steps, arguments.seed)
        if file is not None:
            draw(curve, file, arguments.plot.suffix)


if __name__ == "__main__":
    main()
