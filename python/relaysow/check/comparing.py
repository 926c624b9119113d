"""What of a position and a sowing is compared, and where core and reference part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from relaysow import reference
from relaysow._support.reloading import once
from relaysow.moves import IllegalMove, Move, Sow

once(__name__)

STATE = [
    "pits",
    "stores",
    "mover",
    "protected",
    "direction",
    "barred",
    "redistributions",
    "drawn",
    "passed",
    "is_over",
    "end",
    "final_stores",
    "winner",
]
"""What is compared of a position."""

TRACE = [
    "laps",
    "path",
    "path_truncated",
    "crossed",
    "captured",
    "captured_pits",
    "moves_again",
    "endless",
    "period",
    "capped",
    "reason",
]
"""What is compared of a sowing, beside the position after it."""


class Differs(Exception):
    """Core and reference part here."""

    def __init__(self, what: str, core: object, ref: object, move: Move | None = None) -> None:
        super().__init__(what)
        self.what, self.core, self.reference, self.move = what, core, ref, move


def equal(what: str, core: object, ref: object, move: Move | None = None) -> None:
    if core != ref or type(core) is not type(ref):
        raise Differs(what, core, ref, move)


def compare_position(core: Any, ref: reference.Position, names: Sequence[str] = STATE) -> None:
    for name in names:
        equal(name, getattr(core, name), getattr(ref, name))


def compare_lists(core: Any, ref: Any) -> None:
    """Legal moves: all of them if they are sowings, the count and a sample of redistributions."""
    equal("number of legal moves", core.count, ref.count)
    if core.count and not isinstance(core[0], Sow):
        step = core.count // 3 + 1
        for i in {0, core.count - 1, *range(step // 2, core.count, step)}:
            equal(f"legal move {i}", core[i], ref[i])
            equal("number of a legal move", core.index(ref[i]), i, ref[i])
            equal("number of a legal move", ref.index(ref[i]), i, ref[i])
    else:
        equal("legal moves", list(core), list(ref))


def compare_sowings(core: Any, ref: reference.Position) -> int:
    """Every sowing from the mover's row, possible or refused, or a sample of redistributions;
    the number compared."""
    moves: list[Move] = []
    rules = ref.rules
    if ref.redistributions < 2:
        legal = ref.legal_moves
        step = legal.count // 3 + 1
        moves = [legal[i] for i in range(step // 2, legal.count, step)]
    else:
        for pit in range(ref.mover * rules.pits, (ref.mover + 1) * rules.pits):
            lifts = range(1, ref.pits[pit] + 1) if rules.lift == "any" else (None,)
            ways = ("ccw", "cw") if rules.direction == "either" else (None,)
            moves += [Sow(pit, lift, way) for lift in lifts for way in ways]
    for move in moves:
        compare_traces(_tried(core.sow, move), _tried(ref.sow, move), move)
    return len(moves)


def _tried(sow: Callable[[Move], Any], move: Move) -> Any:
    """What a move does, or the text that refuses it."""
    try:
        return sow(move)
    except IllegalMove as error:
        return str(error)


def compare_traces(core: Any, ref: Any, move: Move) -> None:
    if isinstance(core, str) or isinstance(ref, str):
        equal("refusal of the move", core, ref, move)
        return
    for name in TRACE:
        equal(name, getattr(core, name), getattr(ref, name), move)
    if core.after is None or ref.after is None:
        equal("legality of the move", core.after is not None, ref.after is not None, move)
        return
    for name in STATE:
        equal(f"{name} after the move", getattr(core.after, name), getattr(ref.after, name), move)
