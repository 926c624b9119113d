"""What a check found."""

from __future__ import annotations

from dataclasses import dataclass

from relaysow._support.public import public
from relaysow._support.reloading import once

once(__name__)


@public
@dataclass(frozen=True, slots=True)
class Difference:
    """Where core and reference part: at a `position` (its text), by a `move` (its text) if any.

    `what` differs is named, with what the core and the reference have.  `game` is the game's
    number, `ply` the moves made before.  `smallest` is a difference at the smallest position that
    was found to show one, None if no set-up position shows any (then it takes the game's history).
    """

    game: int
    ply: int
    position: str
    move: str | None
    what: str
    core: str
    reference: str
    smallest: Difference | None = None

    def __str__(self) -> str:
        lines = [f"game {self.game:,}, after {self.ply} moves, {self._where()}"]
        if self.smallest is None:
            lines.append(
                "No position set up by itself shows it: it takes the game's history "
                f"(first_game={self.game}, games=1 plays that game alone)."
            )
        else:
            lines.append(f"The smallest position found that shows it, {self.smallest._where()}")
        return "\n".join(lines)

    def _where(self) -> str:
        move = "" if self.move is None else f"\n  move       {self.move}"
        return (
            f"{self.what} differs:\n  position   {self.position}{move}"
            f"\n  core       {self.core}\n  reference  {self.reference}"
        )


@public
@dataclass(frozen=True, slots=True)
class Report:
    """What `check` compared, and the first difference it found, if any.

    `positions` counts the positions compared, `lists` the legal-move lists, `traces` the sowings
    (those played, and every other that could be thought of where a list was compared).
    """

    title: str
    games: int = 0
    positions: int = 0
    lists: int = 0
    traces: int = 0
    difference: Difference | None = None

    def __str__(self) -> str:
        text = (
            f"{self.games:,} games {self.title}\n{self.positions:,} positions, {self.lists:,} "
            f"legal-move lists, {self.traces:,} sowings compared: "
        )
        return text + (
            "no difference" if self.difference is None else f"DIFFERENCE in {self.difference}"
        )


@public
class CheckInterrupted(KeyboardInterrupt):
    """Ctrl-C stopped a check; `report` tells what had been compared."""

    def __init__(self, report: Report) -> None:
        super().__init__(report)
        self.report = report
