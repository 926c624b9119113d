"""How often a draw can be held whatever the stores: `python bench/draws.py`.

For each number of seeds on the ring, the share of all positions of Giuthi in which one side or the
other can hold a draw at any lead, since the literal repetition rule draws endless play.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator
from pathlib import Path

import relaysow as rs


def rings(pits: int, seeds: int) -> Iterator[tuple[int, ...]]:
    """All ways to place the seeds in so many pits."""
    if pits == 1:
        yield (seeds,)
        return
    for first in range(seeds + 1):
        for rest in rings(pits - 1, seeds - first):
            yield (first, *rest)


def share(table: rs.Tablebase, seeds: int) -> float:
    """Of the positions with so many seeds and South to move, as many as of North's."""
    held = count = 0
    for ring in rings(2 * table.rules.pits, seeds):
        position = rs.Position(table.rules, ring)
        if position.mover == 1:  # South is passed over
            position = rs.Position(table.rules, ring, mover=1)
        value = table.probe(position)
        count += 1
        held += math.isinf(value.lead_to_draw) or math.isinf(value.lead_to_win)
    return held / count


def main() -> None:
    """Command line."""
    for repetition in ("draw", "stores"):
        for pits, most in ((3, 10), (4, 8)):
            rules = rs.giuthi(pits=pits, seeds=1, repetition=repetition)
            with tempfile.TemporaryDirectory() as folder:
                table = rs.Tablebase.build(rules, most, Path(folder) / "draws.rsow")
                for seeds in range(4, most + 1, 2):
                    print(f"{repetition:6} 2×{pits} {seeds:2} seeds {share(table, seeds):7.1%}")
                table.close()


if __name__ == "__main__":
    main()
