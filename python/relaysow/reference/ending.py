"""The end: who moves, who passes, who gets what is left, who has won."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relaysow._support.reloading import once
from relaysow.moves import Outcome
from relaysow.reference.board import Pits, row
from relaysow.reference.moves import can_move
from relaysow.rules import Rules

if TYPE_CHECKING:
    from relaysow.reference.position import Position

once(__name__)


ENDS = ("both_stuck", "row_empty", "swept", "repetition", "endless", "cut")
"""How a game may end; `simulate` reports the place in this list."""


def judge(
    rules: Rules, pits: Pits, mover: int, direction: str | None, barred: int | None
) -> tuple[int, str | None, int | None, bool, str | None]:
    """Who moves, with which duties, whether after a pass, and how the game ends if it does.

    "Judged for the player to move, after every move and every pass (a pass drops duties)":
    `"both_stuck"` (Giuthi): "a player without a legal move passes, and must move again as soon as
    he can.  When neither can move the game ends."  `"row_empty"` (the Italian Giuthi): "as
    `both_stuck`; but when the player to move has an empty row the game ends".
    `"able_player_sweeps"` (Kiothi), `"last_mover_sweeps"` (En Gehé): "the game ends when the player
    to move has no legal move".  Passing is never a choice.
    """
    other = 1 - mover

    def row_is_empty(player: int) -> bool:
        return not any(pits[pit] for pit in row(player, rules.pits))

    if rules.end == "row_empty" and row_is_empty(mover):
        return mover, direction, barred, False, "row_empty"
    if can_move(rules, mover, pits, direction, barred):
        return mover, direction, barred, False, None
    if rules.end == "last_mover_sweeps":
        return mover, direction, barred, False, "swept"
    if rules.end == "able_player_sweeps":
        end = "swept" if can_move(rules, other, pits) else "both_stuck"
        return mover, direction, barred, False, end
    if rules.end == "row_empty" and row_is_empty(other):
        return other, None, None, True, "row_empty"
    if can_move(rules, other, pits):
        return other, None, None, True, None
    if can_move(rules, mover, pits):  # he was stuck by his duties alone, and they have lapsed
        return mover, None, None, True, None
    return mover, direction, barred, False, "both_stuck"


def final_stores(position: Position, end: str) -> tuple[int, int]:
    """The stores when the game ends so with this position's mover to move.

    Both stuck: "each adds the seeds in his own row to his store".  Row empty or swept: the opponent
    of the player to move "adds everything left on the ring".  After an endless sowing "ring and
    stores stay as they were, the seeds on the ring belong to no one".
    """
    stores = list(position.stores)
    if end == "both_stuck":
        for player in (0, 1):
            stores[player] += sum(position.pits[pit] for pit in row(player, position.rules.pits))
    elif end in ("row_empty", "swept"):
        stores[1 - position.mover] += sum(position.pits)
    return stores[0], stores[1]


def higher(stores: tuple[int, int]) -> int:
    """Who has more: 0 South, 1 North, -1 neither."""
    south, north = stores
    return 0 if south > north else 1 if north > south else -1


def drawn_out(position: Position) -> Outcome:
    """The outcome of a game ended by repetition.

    "`draw`: drawn whatever the stores, which stay as they are; `stores`: the higher store wins, the
    seeds on the ring belong to no one; `score`: each adds his own row, higher wins."
    """
    repetition = position.rules.repetition
    stores = position.stores
    if repetition == "score":
        stores = final_stores(position, "both_stuck")
    return Outcome(-1 if repetition == "draw" else higher(stores), stores, "repetition")
