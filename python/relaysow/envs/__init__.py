"""Environments for learners: PettingZoo, Gymnasium and OpenSpiel (an extra of relaysow each).

Importing this package registers the games with those of Gymnasium and PettingZoo that are
installed; `relaysow.envs.openspiel` registers them with OpenSpiel.  All adapters number actions and
lay out observations as `relaysow.Batch` does, and take rules alike: `rules` is `Rules` or the name
of a rule set, and its arguments and options follow by keyword.  An environment of Gymnasium or
PettingZoo can be copied and pickled until its first game begins.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

from relaysow._support.checks import one_of, shown, whole_number, within
from relaysow._support.reloading import once
from relaysow.rules import RULE_SETS, Rules

if TYPE_CHECKING:
    from relaysow.envs.gymnasium import Env, VectorEnv
    from relaysow.envs.pettingzoo import AEC

__all__ = ["AEC", "Env", "VectorEnv"]

GAMES = {"Giuthi": "giuthi", "Kiothi": "kiothi", "EnGehe": "engehe"}
"""The names of the games in an environment's id, and their default rule sets."""

_HOMES = {"AEC": "pettingzoo", "Env": "gymnasium", "VectorEnv": "gymnasium"}


def rules_of(rules: Rules | str, options: dict[str, Any]) -> Rules:
    """The rules of an environment, from `Rules` or a rule set's name and what it takes.

    Raises `ValueError` for an unknown name and, naming them, for bad values; `TypeError` for
    options beside `Rules`, and for an unknown option.

    >>> rules_of("giuthi_leakey", {"seeds": 4})
    giuthi_leakey(seeds=4)
    """
    if isinstance(rules, Rules):
        if options:
            raise TypeError(f"options beside Rules: {shown(list(options))}")
        return rules
    if not isinstance(rules, str):
        raise TypeError(f"rules must be Rules or the name of a rule set, not {shown(rules)}")
    rule_set: Rules = RULE_SETS[one_of("rules", rules, RULE_SETS)](**options)
    return rule_set


def player_of(player: object) -> int | None:
    """The caller's side; raises as the environments do."""
    return (
        None if player is None else within("player", player, 0, 1, "0 (South), 1 (North) or None")
    )


def seed_of(seed: object) -> int | None:
    """The seed of a reset, 0 or more; raises as the environments do."""
    if seed is None:
        return None
    if (number := whole_number("seed", seed)) < 0:
        raise ValueError(f"seed={shown(number)}: must be 0 or more, or None")
    return number


def options_of(options: object) -> dict[str, Any]:
    """The options of a reset; raises as the environments do.  What they do not know is others'."""
    if options is None:
        return {}
    if not isinstance(options, dict):
        raise TypeError(f"options must be a dict or None, not {shown(options)}")
    return options


def _register() -> None:
    """What an import that was interrupted has registered stays as it is."""
    with suppress(ModuleNotFoundError):
        gymnasium = import_module("gymnasium")
        for name, rules in GAMES.items():
            if f"relaysow/{name}-v0" not in gymnasium.registry:
                gymnasium.register(
                    f"relaysow/{name}-v0",
                    "relaysow.envs.gymnasium:Env",
                    vector_entry_point="relaysow.envs.gymnasium:VectorEnv",
                    kwargs={"rules": rules},
                )
    with suppress(ModuleNotFoundError):
        pettingzoo = import_module("pettingzoo")
        for name, rules in GAMES.items():
            if f"relaysow/{name}-v0" not in pettingzoo.aec_registry:
                pettingzoo.register(
                    "aec",
                    f"relaysow/{name}-v0",
                    "relaysow.envs.pettingzoo:make",
                    kwargs={"rules": rules},
                )


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'relaysow.envs' has no attribute {name!r}")
    return getattr(import_module(f"relaysow.envs.{_HOMES[name]}"), name)


if once(__name__):
    _register()
