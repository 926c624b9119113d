"""What a position is worth when both sides play perfectly."""

from __future__ import annotations

import math
from dataclasses import dataclass

from relaysow._core import Position
from relaysow._support.public import public
from relaysow._support.reloading import once

once(__name__)


@public
@dataclass(frozen=True, slots=True)
class Value:
    """What a position or a move is worth to the player to move.

    `result` is +1, 0 or −1 at the present stores.  A lead is the player's store less the other's:
    `lead_to_win` is the least lead with which he can force a win, `lead_to_draw` the least with
    which he can force at least a draw, each an integer or ±`math.inf`.

    Made by `Tablebase.probe`; it holds what it is given.
    """

    result: int
    lead_to_win: int | float
    lead_to_draw: int | float

    @property
    def net(self) -> int | None:
        """The seeds, less the other's, that he still wins: None where the lead alone does not
        decide, as under `repetition="draw"` when a draw can be held at different leads."""
        if math.isinf(self.lead_to_draw) or self.lead_to_win != self.lead_to_draw + 1:
            return None
        return -int(self.lead_to_draw)


def result_at(lead: int, win: float, draw: float) -> int:
    """The result, +1, 0 or −1, at a lead."""
    return 1 if lead >= win else 0 if lead >= draw else -1


def at_end(position: Position, lead: int, player: int) -> tuple[int | float, int | float]:
    """The thresholds, to a player, of a position that is over, before which he had that lead."""
    final = position.final_stores
    assert final is not None
    if position.drawn:
        return math.inf, -math.inf
    gain = final[player] - final[1 - player] - lead
    return 1 - gain, -gain
