"""Plays are pickled as the steps that made them, which are made again."""

from __future__ import annotations

from typing import Any

from relaysow._support.checks import shown


def state_of(play: Any, base: Any, steps: tuple[Any, ...], *begun: Any) -> dict[str, Any]:
    """What a play is pickled as: what its class began it with, its steps, and what else a subclass
    has."""
    own = vars(base(*begun))
    rest = {name: value for name, value in vars(play).items() if name not in own}
    return {"begun": begun, "steps": steps, "rest": rest}


def restore(play: Any, base: Any, state: Any) -> None:
    """Play again what was pickled, all of it checked: a pickle may be foreign."""
    if not isinstance(state, dict) or state.keys() != {"begun", "steps", "rest"}:
        raise TypeError(f"this is not the pickled state of a {base.__name__}: {shown(state)}")
    base.__init__(play, *state["begun"])
    rest = dict(state["rest"])
    if own := vars(play).keys() & rest:
        names = ", ".join(map(shown, sorted(own)))
        raise TypeError(f"the pickled state of a {base.__name__} sets what is its own: {names}")
    for step in state["steps"]:
        base.push(play, step)
    play.__dict__ |= rest
