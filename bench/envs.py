"""Steps a second of the environments, beside `Batch` and their peers: `python bench/envs.py`.

Giuthi 2×8·8 by PettingZoo, Gymnasium and OpenSpiel, one game by random actions drawn from its mask;
`Batch` and the VectorEnv with 4,096 games by `Batch.sample`; PettingZoo's connect_four (if pygame is
there), and pgx's with 4,096 games, compiled by JAX.  Medians of repetitions in which all take turns,
by the processor time they take, of all threads.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pettingzoo

import relaysow as rs
import relaysow.envs

GAMES = 4_096
Contender = Callable[[int], Any]  # plays on for so many steps of one game, or of all


def aec(env: Any) -> Contender:
    env.reset(seed=1)

    def play(steps: int) -> None:
        for _ in range(steps):
            if not env.agents or env.terminations[env.agent_selection]:
                env.reset()
            observation, *_ = env.last()
            space = env.action_space(env.agent_selection)
            env.step(space.sample(observation["action_mask"]))

    return play


def one_game(env: Any) -> Contender:
    info = env.reset(seed=1)[1]

    def play(steps: int) -> None:
        nonlocal info
        for _ in range(steps):
            *_, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
            if terminated or truncated:
                info = env.reset()[1]

    return play


def vector(batch: rs.Batch, step: Callable[[Any], Any]) -> Contender:
    def play(steps: int) -> None:
        for _ in range(steps):
            step(batch.sample())

    return play


def spiel() -> Contender:
    pyspiel = __import__("pyspiel")
    __import__("relaysow.envs.openspiel")
    game, chance = pyspiel.load_game("giuthi"), np.random.default_rng(1)
    state = game.new_initial_state()

    def play(steps: int) -> None:
        nonlocal state
        for _ in range(steps):
            if state.is_terminal():
                state = game.new_initial_state()
            legal = state.legal_actions()
            state.observation_tensor(state.current_player())
            state.apply_action(legal[int(chance.random() * len(legal))])

    return play


def pgx_connect_four() -> Contender:
    jax, pgx = __import__("jax"), __import__("pgx")
    env = pgx.make("connect_four")
    auto_reset = __import__("pgx.experimental", fromlist=["auto_reset"]).auto_reset

    @jax.jit
    def run(state: Any, key: Any) -> Any:
        logits = jax.numpy.where(state.legal_action_mask, 0.0, -1e9)
        action = jax.random.categorical(key, logits, axis=1)
        return jax.vmap(auto_reset(env.step, env.init))(state, action, jax.random.split(key, GAMES))

    key = jax.random.PRNGKey(1)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(key, GAMES))

    def play(steps: int) -> None:
        nonlocal state, key
        for _ in range(steps):
            key, one = jax.random.split(key)
            state = run(state, one)
        jax.block_until_ready(state.observation)

    return play


def connect_four() -> Contender:
    import pygame  # noqa: F401  # PettingZoo's own error is no ImportError

    return aec(pettingzoo.make("aec", "classic/connect_four-v3"))


def contenders() -> dict[str, tuple[Contender, int]]:
    """By name, and with the steps that one of its steps counts for."""
    batch = rs.Batch(rs.giuthi(), GAMES, 1, autoreset="SameStep")
    envs = relaysow.envs.VectorEnv(
        num_envs=GAMES, opponent=None, autoreset_mode="SameStep", mask="candidates"
    )
    envs.reset(seed=1)
    id = "relaysow/Giuthi-v0"
    found = {
        f"Batch, n={GAMES}": (vector(batch, batch.step), GAMES),
        f"Gymnasium VectorEnv, n={GAMES}": (vector(envs.batch, envs.step), GAMES),
        "Gymnasium, self-play": (one_game(gymnasium.make(id, opponent=None)), 1),
        "Gymnasium, a random opponent": (one_game(gymnasium.make(id)), 1),
        "PettingZoo": (aec(pettingzoo.make("aec", id)), 1),
    }
    peers: dict[str, tuple[Callable[[], Contender], int]] = {
        "OpenSpiel": (spiel, 1),
        "PettingZoo's connect_four": (connect_four, 1),
        f"pgx's connect_four, n={GAMES}": (pgx_connect_four, GAMES),
    }
    for name, (make, games) in peers.items():
        try:
            found[name] = make(), games
        except ImportError as error:
            print(f"{name}: not measured ({error})")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Steps a second of the environments.")
    parser.add_argument("--repetitions", type=int, default=9)
    parser.add_argument("--steps", type=int, default=2_000, help="of one game; a fiftieth of all")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", DeprecationWarning)
    playing = contenders()
    seconds: dict[str, list[float]] = {name: [] for name in playing}
    for repetition in range(-1, arguments.repetitions):  # the first one warms up
        for name, (play, games) in playing.items():
            steps = arguments.steps if games == 1 else max(1, arguments.steps // 50)
            started = time.process_time()
            play(steps)
            if repetition >= 0:
                seconds[name].append((time.process_time() - started) / (steps * games))
    rates = {name: 1 / statistics.median(times) for name, times in seconds.items()}
    bare = next(iter(rates.values()))
    for name, rate in rates.items():
        print(f"{name:32} {rate:14,.0f} steps/s  {rate / bare:8.2%} of Batch's")


if __name__ == "__main__":
    main()
