"""The setting of a run: where its games start, and how it is told."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from relaysow import __version__
from relaysow._support import checks
from relaysow._support.checks import one_of, shown
from relaysow.rules import Rules
from relaysow.simulation.summary import ENDS
from relaysow.text.notation import rules_to_text

if TYPE_CHECKING:
    from relaysow.simulation.result import Simulation
    from relaysow.simulation.run import Run
    from relaysow.text.notation import AnyPosition

ENGINES = ("native", "reference")
"""What can play the games: the core, or the plain-Python reference (the same games, slowly)."""


def start_of(rules_or_position: object, engine: str) -> Any:
    """The position to start from, as one of the named engine's own; raises as `simulate` does."""
    engine = one_of("engine", engine, ENGINES)
    module = "relaysow._core" if engine == "native" else "relaysow.reference"
    position: Any = import_module(module).Position
    if isinstance(rules_or_position, Rules):
        return position.start(rules_or_position)
    given: Any = rules_or_position
    if isinstance(given, position):
        return given
    if not checks.is_position(given):
        raise TypeError(f"rules_or_position must be Rules or a Position, not {shown(given)}")
    return position(
        given.rules,
        given.pits,
        given.stores,
        given.mover,
        given.protected,
        given.direction,
        given.barred,
        given.redistributions,
        given.drawn,
    )


def told_start(start: AnyPosition) -> str:
    """The rules if games begin as they say, else the position as text."""
    rules = start.rules
    return f"of {rules!r}" if start == type(start).start(rules) else f"from {start.to_text()}"


def title_of(run: Run | Simulation, first_game: int, games: int) -> str:
    """One line that tells some games of a run."""
    cut = "" if run.max_moves is None else f", cut after {run.max_moves:,} moves"
    first = f", from game {first_game:,}" if first_game else ""
    return (
        f"{games:,} games {told_start(run.start)}, {run.policy[0]} against {run.policy[1]}{cut}, "
        f"seed {run.seed}{first}"
    )


def metadata_of(run: Run | Simulation, first_game: int, games: int) -> dict[str, Any]:
    """What the files say of some games of a run."""
    return {
        "relaysow": __version__,
        "rules": rules_to_text(run.start.rules),
        "start": run.start.to_text(),
        "policy": list(run.policy),
        "seed": run.seed,
        "first_game": first_game,
        "games": games,
        "max_moves": run.max_moves,
        "ends": list(ENDS),
    }
