"""The games as environments of PettingZoo, in which the agents act one after the other (AEC)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from relaysow import Position, Rules
from relaysow._support.checks import one_of, within
from relaysow._support.extras import optional_import
from relaysow._support.public import public
from relaysow._support.reloading import once
from relaysow.envs import rules_of, seed_of
from relaysow.envs.one_game import MOST, Copied, InStep, OneGame

once(__name__)

pettingzoo: Any = optional_import("pettingzoo", "pettingzoo")
wrappers: Any = optional_import("pettingzoo.utils.wrappers", "pettingzoo")
gymnasium: Any = optional_import("gymnasium", "pettingzoo")

AGENTS = ("player_0", "player_1")
"""South and North."""

CHANGING = ("rewards", "_cumulative_rewards", "terminations", "truncations", "infos")
"""What is kept for each agent."""


def make(*, illegal: str = "raise", **arguments: Any) -> Any:
    """An `AEC` in PettingZoo's wrappers: what `pettingzoo.make("aec", "relaysow/Giuthi-v0")` makes.

    `illegal="raise"`: an illegal action raises `IllegalMove`, and the game stands as it stood;
    `illegal="lose"`: PettingZoo's `TerminateIllegalWrapper` ends the game, with −1 for who made it.
    Raises what `AEC` does.
    """
    illegal = one_of("illegal", illegal, ("raise", "lose"))
    env = AEC(**arguments)
    if illegal == "lose":
        env = wrappers.TerminateIllegalWrapper(env, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(env)


@public
class AEC(InStep, Copied, pettingzoo.AECEnv):  # type: ignore[misc]
    """A game of the agents "player_0" (South) and "player_1" (North).

    `rules` and what follows by keyword are as said in `relaysow.envs`.  An agent that moves again,
    or makes a redistribution by single decisions, is selected again; who must pass is not.
    Observations, actions and redistributions are those of `relaysow.Batch`: `"observation"` shows
    the board as the agent sees it, and `"action_mask"` (int8) tells exactly what is legal, nothing
    for the agent that is not to act.  Rewards are +1, 0 or −1, at the end; `infos` then have the
    game's `scores`, `winner` and `end`.  `max_cycles` truncates a game after so many actions.

    `reset(seed=…)` also seeds the action spaces, all the chance there is; `options["start"]` may be
    a Position of the same rules.  `render_mode` is "ansi", "rgb_array", or "human", which prints.

    Raises `ValueError` naming the value and what is allowed, `TypeError` for wrong types.

    >>> import pettingzoo, relaysow.envs
    >>> env = pettingzoo.make("aec", "relaysow/Giuthi-v0", rules="giuthi_leakey", seeds=4)
    >>> env.reset(seed=1)
    >>> for agent in env.agent_iter():
    ...     observation, reward, terminated, truncated, info = env.last()
    ...     if terminated or truncated:
    ...         break
    ...     env.step(env.action_space(agent).sample(observation["action_mask"]))
    >>> env.infos[agent]["end"], sorted(env.rewards.values())
    ('both_stuck', [-1.0, 1.0])
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["ansi", "human", "rgb_array"],
        "name": "relaysow_v0",
        "is_parallelizable": True,
        "render_fps": 2,
    }

    def __init__(
        self,
        rules: Rules | str = "giuthi",
        *,
        max_cycles: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self.render_mode = one_of(
            "render_mode", render_mode, (*self.metadata["render_modes"], None)
        )
        if max_cycles is not None:
            max_cycles = within("max_cycles", max_cycles, 1, 2**63 - 1, "1…2⁶³−1, or None")
        self._max_cycles = max_cycles
        self._game = OneGame(rules_of(rules, options))
        self.possible_agents = list(AGENTS)
        shape, actions = self._game.batch.observations.shape[1:], self._game.actions
        spaces = gymnasium.spaces
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in AGENTS}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, MOST, shape, np.int16),
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in AGENTS
        }

    @property
    def agent_selection(self) -> str:
        """Who is to decide."""
        self._settle()
        return self._selected

    @agent_selection.setter
    def agent_selection(self, agent: str) -> None:
        self._selected: str = one_of("agent", agent, AGENTS)

    @property
    def rules(self) -> Rules:
        """The rules of the games."""
        return self._game.rules

    @property
    def position(self) -> Position:
        """The position; during a redistribution the one before it."""
        return self._game.position

    def observation_space(self, agent: str) -> Any:
        """The space of an agent's observations; raises as `observe` does."""
        return self.observation_spaces[one_of("agent", agent, AGENTS)]

    def action_space(self, agent: str) -> Any:
        """The space of an agent's actions; raises as `observe` does."""
        return self.action_spaces[one_of("agent", agent, AGENTS)]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game.

        Raises `ValueError` for a negative seed or one of more than 64 bits and for a start of
        other rules or that is over, `TypeError` for wrong types.
        """
        seed = seed_of(seed)

        def then() -> dict[str, Any]:
            if seed is not None:
                for agent in AGENTS:
                    self.action_spaces[agent].seed(seed + AGENTS.index(agent))
            return {
                "_cycles": 0,
                "agents": list(AGENTS),
                "rewards": dict.fromkeys(AGENTS, 0.0),
                "_cumulative_rewards": dict.fromkeys(AGENTS, 0.0),
                "terminations": dict.fromkeys(AGENTS, False),
                "truncations": dict.fromkeys(AGENTS, False),
                "infos": {agent: {} for agent in AGENTS},
                "_selected": AGENTS[self._game.mover],
            }

        self._note(self._game.batch, then)
        self._game.reset(seed, options)
        self._settle()
        self._show()

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """What an agent sees.

        Raises `ValueError` for an agent that is not there, `TypeError` for what is no string.
        """
        game, player = self._game, AGENTS.index(one_of("agent", agent, AGENTS))
        mask = game.mask()
        if agent != self.agent_selection:
            mask[:] = 0
        return {"observation": game.observation(player), "action_mask": mask}

    def step(self, action: Any) -> None:
        """Make the selected agent's decision; None for an agent whose game is over.

        Raises `IllegalMove` for an illegal action, `TypeError` for one that is no integer,
        `ValueError` for any but None once the game is over.
        """
        agent, game = self.agent_selection, self._game
        if self.terminations[agent] or self.truncations[agent]:
            later = object.__new__(type(self))  # it changes one after the other
            later.__dict__ |= self.__dict__
            for name in ("agents", *CHANGING):
                later.__dict__[name] = getattr(self, name).copy()
            later._was_dead_step(action)
            self.__dict__ |= later.__dict__
            return

        self._note(game.batch, self._after_step)
        game.step(action)
        self._settle()
        self._show()

    def _after_step(self) -> dict[str, Any]:
        """What attributes are once the selected agent's decision is made."""
        game, rewards = self._game, dict.fromkeys(AGENTS, 0.0)
        cumulative = {**self._cumulative_rewards, self._selected: 0.0}
        after = {
            "_cycles": self._cycles + 1,
            "rewards": rewards,
            "_cumulative_rewards": cumulative,
            "_selected": AGENTS[game.mover],
        }
        if game.over:
            for reward, agent in zip(game.batch.rewards[0], AGENTS, strict=True):
                rewards[agent] = float(reward)
                cumulative[agent] += float(reward)
            after["infos"] = {agent: game.result() for agent in AGENTS}
            after["terminations"] = dict.fromkeys(AGENTS, True)
        elif self._cycles + 1 == self._max_cycles:
            after["truncations"] = dict.fromkeys(AGENTS, True)
        return after

    def render(self) -> Any:
        """The board: text for "ansi", an array for "rgb_array"; printed for "human"."""
        if self.render_mode == "human":
            print(self._game.picture("ansi", "pettingzoo"))
            return None
        return self._game.picture(self.render_mode, "pettingzoo")

    def close(self) -> None:
        """Nothing is left to be closed."""

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()
