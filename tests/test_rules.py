"""The rules: the case files, the facts any correct engine reproduces, and positions worked by hand.

Everything here holds for both engines alike; `engine` is the module under test.
"""

from __future__ import annotations

import json
import pickle
import re
from collections import Counter
from itertools import combinations, islice, product
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relaysow as rs
from relaysow import Lap, Redistribute, Sow, reference
from relaysow.moves import PATH_LAPS
from relaysow.reference.players import split_mix
from strategies import ENDLESS as ENDLESS_RINGS

# ---------------------------------------------------------------------------------- the case files

CASES = Path(__file__).parent / "cases"
DIRECTIONS = (None, "ccw", "cw")


def cases(*names: str) -> Any:
    """The lines of case files as parameters, named by their number."""
    named_lines = [
        pytest.param(json.loads(line), id=f"{name}-{number}")
        for name in names
        for number, line in enumerate((CASES / f"{name}.jsonl").read_text().splitlines(), 1)
    ]
    return pytest.mark.parametrize("case", named_lines)


def rules_of(case: dict[str, Any], **changed: Any) -> rs.Rules:
    """The rules of a case, with some options changed."""
    sizes = dict(case["rules"])
    make, options = rs.RULE_SETS[sizes.pop("game")], sizes.pop("options", {})
    return make(**sizes, **{**options, **changed})


def told(position: Any, move: dict[str, Any]) -> Any:
    """What a move does, in the words of the case files."""
    try:
        sowing = position.sow(Sow(**move))
    except rs.IllegalMove:
        return "illegal"
    after = sowing.after
    if after is None:
        assert sowing.reason
        return "illegal"
    assert position.play(Sow(**move)) == after
    result = {
        "pits": list(after.pits),
        "stores": list(after.stores),
        "mover": after.mover,
        "captured": sowing.captured,
        "moves_again": sowing.moves_again,
    }
    result |= {"period": sowing.period} if sowing.endless else {"laps": sowing.laps}
    result |= {"protected": list(after.protected)} if after.rules.protection != "none" else {}
    result |= {name: True for name in ("endless",) if sowing.endless}
    result |= {name: True for name in ("drawn",) if after.drawn}
    result |= {"over": list(after.final_stores)} if after.is_over and not after.drawn else {}
    result |= {"direction": after.direction} if after.direction else {}
    result |= {"barred": after.barred} if after.barred is not None else {}
    return result


@cases("moves", "capturing_seed")
def test_moves_case(engine: Any, case: dict[str, Any]) -> None:
    rules = rules_of(case)
    position = engine.Position(rules, **case["position"])
    moves = {Sow(**entry["move"]): entry["after"] for entry in case["moves"]}
    legal = [move for move, after in moves.items() if after != "illegal"]
    assert position.is_over == (case["over"] is not None)
    assert position.final_stores == (tuple(case["over"]) if case["over"] else None)
    assert position.legal_moves.count == case["legal"]
    assert list(position.legal_moves) == legal
    for entry in case["moves"]:
        assert told(position, entry["move"]) == entry["after"]
        if entry["after"] == "illegal":
            with pytest.raises(rs.IllegalMove):
                position.play(Sow(**entry["move"]))

    # Nothing but the moves listed is a candidate.
    lifts = range(1, max(position.pits) + 2) if rules.lift == "any" else [None]
    ways = DIRECTIONS if rules.direction == "either" else DIRECTIONS[:1]
    for move in (Sow(*choice) for choice in product(range(2 * rules.pits), lifts, ways)):
        if move not in moves:
            with pytest.raises(rs.IllegalMove):
                position.sow(move)


@cases("options", "combinations")
def test_options_case(engine: Any, case: dict[str, Any]) -> None:
    for changed, expected in (({}, "default"), (case["option"], "with_option")):
        position = engine.Position(rules_of(case, **changed), **case["position"])
        if "move" in case:
            assert told(position, case["move"]) == case[expected]
        else:
            over = list(position.final_stores) if position.is_over else None
            assert {"over": over, "to_move": position.mover} == case[expected]


# ------------------------------------------------------------------------------------------- facts


def named(rules: rs.Rules) -> str:
    return repr(rules).replace(" ", "")


OPENINGS = [
    (rs.giuthi(5, 4), {5: 2}, 0),
    (rs.giuthi(6, 4), {5: 2}, 2),
    (rs.giuthi(6, 6), {}, 0),
    (rs.giuthi(7, 6), {7: 2}, 0),
    (rs.giuthi(8, 4), {5: 2}, 6),
    (rs.giuthi(8, 6), {7: 2}, 2),
    (rs.giuthi(8, 8), {}, 0),
    (rs.giuthi(10, 8), {9: 2}, 2),
    (rs.giuthi(10, 9), {10: 2}, 0),
]


@pytest.mark.parametrize(
    ("rules", "captures", "again"), OPENINGS, ids=[named(opening[0]) for opening in OPENINGS]
)
def test_giuthi_openings(
    engine: Any, rules: rs.Rules, captures: dict[int, int], again: int
) -> None:
    start = engine.Position.start(rules)
    sowings = [start.sow(move) for move in start.legal_moves]
    assert len(sowings) == 2 * rules.pits
    assert Counter(s.captured for s in sowings if s.captured) == captures
    assert sum(s.moves_again for s in sowings) == again
    assert all((s.after.mover == 0) == s.moves_again for s in sowings)


@pytest.mark.parametrize(
    ("pits", "six", "nothing", "other_row"), [(40, 29, 7, 4), (45, 33, 8, 4), (50, 37, 9, 4)]
)
def test_engehe_openings(engine: Any, pits: int, six: int, nothing: int, other_row: int) -> None:
    start = engine.Position.start(rs.engehe(pits))
    sowings = [start.sow(move) for move in start.legal_moves]
    own = [s for s in sowings if s.path[-1].last < pits]
    assert Counter(s.captured for s in own) == {6: six, 0: nothing}
    assert [s.captured for s in sowings if s not in own] == [0] * other_row


def test_trace_of_the_ten(engine: Any) -> None:
    start = engine.Position.start(rs.giuthi(10, 9))
    sowing = start.sow(Sow(0, direction="ccw"))
    assert sowing.path == (Lap(0, 9, "ccw", 9), Lap(9, 10, "cw", 19), Lap(19, 10, "ccw", 9))
    assert (sowing.captured, sowing.captured_pits, sowing.crossed) == (10, (10, 9), True)
    assert sowing.after.stores == (10, 0)
    assert start.sow(Sow(9, direction="cw")).captured == 10


PATHS = [
    (rs.giuthi(5, 4), (10, 76, 508)),
    (rs.giuthi(6, 4), (12, 112, 840, 5856)),
    (rs.giuthi(6, 6), (12, 116, 1000)),
    (rs.giuthi(7, 6), (14, 164, 1720)),
    (rs.giuthi(8, 4), (16, 208, 2280)),
    (rs.giuthi(8, 8), (16, 220, 2736, 32016)),
    (rs.giuthi(10, 9), (20, 356, 5588)),
    (rs.giuthi_literal(6, 4), (12, 108, 812, 5672)),
    (rs.giuthi_literal(8, 8), (16, 220, 2736, 31924)),
    (rs.engehe(5), (5, 23, 90, 374)),
    (rs.engehe(8), (8, 58, 366, 2372)),
    (rs.engehe(40), (40, 1255)),
    (rs.engehe(50), (50, 1967)),
]


@pytest.mark.parametrize(("rules", "paths"), PATHS, ids=[named(rules) for rules, _ in PATHS])
def test_perft(engine: Any, rules: rs.Rules, paths: tuple[int, ...]) -> None:
    start = engine.Position.start(rules)
    assert [engine.perft(start, depth) for depth in range(len(paths) + 1)] == [1, *paths]


def test_play_takes_one_move_in_its_place_or_by_its_name(engine: Any) -> None:
    start, move = engine.Position.start(LEAKEY), rs.Sow(0, direction="ccw")
    assert start.play(move=move) == start.play(move) != start
    for words, named in (
        ((), {}),
        ((move, move), {}),
        ((move,), {"move": move}),
        ((), {"to": move}),
    ):
        with pytest.raises(TypeError, match=r"play\(\) "):
            start.play(*words, **named)


def test_perft_of_a_finished_game_and_after_a_pass(engine: Any) -> None:
    """South has one seed and must pass; North's only two moves end the game or not."""
    over = engine.Position(rs.giuthi(3, 4), (1, 0, 0, 0, 1, 0))
    assert [engine.perft(over, depth) for depth in range(3)] == [1, 0, 0]
    passed = engine.Position(rs.giuthi(3, 4), (1, 0, 0, 0, 2, 0))
    assert passed.passed
    # 4 counter-clockwise: (2,0,0,0,0,1), South moves on; 4 clockwise: (1,0,1,1,0,0), both stuck.
    assert [engine.perft(passed, depth) for depth in range(3)] == [1, 2, 2]


@pytest.mark.parametrize(
    ("rules", "count"),
    [
        (rs.kiothi(), 300_450_150),
        (rs.kiothi(filled=5), 200_300_100),
        (rs.kiothi(redistribution="one"), 255_024),
        (rs.kiothi(redistribution="up_to_two"), 300_705_175),
    ],
    ids=["two", "filled5", "one", "up_to_two"],
)
def test_first_redistributions(engine: Any, rules: rs.Rules, count: int) -> None:
    moves = engine.Position.start(rules).legal_moves
    assert (moves.count, len(moves), engine.perft(engine.Position.start(rules), 1)) == (count,) * 3


# ------------------------------------------------------------- long and endless sowings, and caps


def orbit(
    ring: tuple[int, ...], pit: int, way: int, rules: rs.Rules
) -> tuple[bool, int, int, tuple[int, ...]]:
    """Whole-pit laps from `pit`, kept all in memory: a third, naive way to sow.

    True, laps before the cycle, its length and the ring there; or False, laps, last pit and ring.
    """
    size, state, seen = len(ring), (ring, pit, way), {}
    while state not in seen:
        seen[state] = len(seen)
        before, origin, step = state
        others = [(origin + step * k) % size for k in range(1, size)]
        order = others if rules.origin == "skipped" else [*others, origin]
        rounds, rest = divmod(before[origin], len(order))
        after = list(before)
        after[origin] = 0
        for place, target in enumerate(order):
            after[target] += rounds + (place < rest)
        last = order[rest - 1]
        if after[last] == 1:
            return False, len(seen), last, tuple(after)
        state = (tuple(after), last, -step if rules.relay == "reversed" else step)
    return True, seen[state], len(seen) - seen[state], state[0]


def family(size: int) -> tuple[int, ...]:
    """En Gehé's endless ring of so many pits: (2,0,1,0,1,0,…,1,0,2,1)."""
    return (2, 0, *(1, 0) * ((size - 4) // 2), 2, 1)


ENDLESS = [
    ("N=6", rs.engehe(3), family(6), 0, 18),
    ("N=10", rs.engehe(5), family(10), 0, 50),
    ("N=80", rs.engehe(40), family(80), 0, 3_200),
    ("N=100", rs.engehe(50), family(100), 0, 5_000),
    ("giuthi", rs.giuthi(5, 4), (9, 2, 0, 3, 0, 0, 0, 0, 0, 2), 0, 100),
    ("past_the_path", rs.engehe(4), (6, 2, 4, 3, 5, 4, 5, 4), 3, 10_152),
    # As En Gehé 2×2 (1,1,1,3) with the lifted pit skipped: the cycle does not hold the first lap.
    ("skipped", rs.engehe(3, origin="skipped"), (5, 1, 2, 5, 1, 3), 0, 32),
    ("skipped_back", rs.engehe(3, origin="skipped", relay="reversed"), (2, 1, 1, 3, 1, 1), 2, 10),
]


def test_the_smallest_sowing_that_does_not_come_back() -> None:
    """En Gehé 2×2 (1,1,1,3), pit 0, below the smallest board: a lap, then a cycle without it."""
    endless, before, period, _ = orbit((1, 1, 1, 3), 0, 1, rs.engehe(3, origin="skipped"))
    assert (endless, before > 0, period) == (True, True, 8)


@pytest.mark.parametrize(
    ("rules", "ring", "pit", "period"),
    [case[1:] for case in ENDLESS],
    ids=[case[0] for case in ENDLESS],
)
def test_endless(
    engine: Any, rules: rs.Rules, ring: tuple[int, ...], pit: int, period: int
) -> None:
    endless, before, length, _ = orbit(ring, pit, 1, rules)
    assert (endless, length, before > 0) == (True, period, rules.origin == "skipped")
    move = Sow(pit, direction="ccw")
    for value in ("illegal", "draw", "ends_turn"):
        given = rs.Rules(**{**options(rules), "endless": value, "protection": "until_lifted"})
        position = engine.Position(given, ring, (7, 5), protected=(pit, 5))
        sowing = position.sow(move)
        assert (sowing.endless, sowing.period, sowing.laps, sowing.capped) == (
            (True, period, None, False)
        )
        assert (sowing.captured, sowing.captured_pits, sowing.moves_again) == (0, (), False)
        assert sowing.crossed
        assert len(sowing.path) == min(before + period, PATH_LAPS)
        assert sowing.path_truncated == (before + period > PATH_LAPS)
        if value == "illegal":
            assert sowing.after is None
            assert sowing.reason == f"its sowing never ends (period {period} laps)"
            assert move not in position.legal_moves
            with pytest.raises(rs.IllegalMove, match=f"never ends \\(period {period} laps"):
                position.play(move)
            continue
        after = sowing.after
        assert move in position.legal_moves
        assert sowing.reason is None
        assert (after.pits, after.stores, after.protected) == ((ring, (7, 5), position.protected))
        if value == "draw":
            assert (after.drawn, after.end, after.winner) == (True, "endless", -1)
            assert (after.mover, after.final_stores) == (0, (7, 5))
            assert (after.legal_moves.count, engine.perft(after, 1)) == (0, 0)
        else:
            assert (after.drawn, after.mover, after.is_over) == (False, 1, False)


# Rings whose pit 0 is sown for more than 64 laps, in as many; 0: it never ends.
LONG: list[tuple[tuple[int, ...], int]] = [
    ((3, 1, 2, 1, 2, 5, 1, 3, 4, 1, 0, 1), 69),
    ((2, 2, 1, 2, 2, 1, 3, 2, 1, 3, 2, 3), 77),
    ((4, 4, 1, 0, 2, 3, 2, 1, 3, 2, 1, 2, 1, 5, 6, 3), 72),
    ((2, 2, 1, 5, 3, 5, 2, 0, 2, 3, 2, 3, 2, 3, 2, 3), 141),
    # Told by residues.
    ((4, 2, 1, 0, 3, 2, 1, 2, 1, 5, 2, 1), 0),
    ((3, 1, 3, 2, 3, 2, 1, 0, 2, 1, 2, 4), 0),
    ((2, 0, 4, 1, 2, 5, 4, 3, 2, 1, 2, 1, 2, 1, 4, 6), 0),
    # Only told by coming round.
    ((2, 0, 3, 0, 1, 2, 3, 1, 2, 5, 2, 3), 0),
    ((2, 2, 3, 4, 3, 1, 6, 3, 2, 1, 2, 3, 4, 3, 0, 1), 0),
]


@pytest.mark.parametrize("direction", ["ccw", "cw"])
@pytest.mark.parametrize(("ring", "laps"), LONG)
def test_what_is_told_of_long_sowings_is_what_they_do(
    engine: Any, ring: tuple[int, ...], laps: int, direction: str
) -> None:
    if direction == "cw":
        ring = ring[:1] + ring[:0:-1]
    move = Sow(0, direction=direction)
    for max_laps in (None, 66, 80, 1_000):
        for endless in ("illegal", "ends_turn", "draw"):
            rules = rs.engehe(
                len(ring) // 2, direction="either", endless=endless, max_laps=max_laps
            )
            position = engine.Position(rules, ring)
            sowing = position.sow(move)
            ends = laps > 0 and (max_laps is None or laps <= max_laps)
            assert (sowing.endless, sowing.capped) == (
                (not ends and max_laps is None, not ends and max_laps is not None)
            )
            assert sowing.laps == (laps if ends else max_laps)
            assert (move in position.legal_moves) == (ends or endless != "illegal")
            if ends or endless != "illegal":
                assert position.play(move) == sowing.after
            else:
                with pytest.raises(rs.IllegalMove, match=re.escape(sowing.reason)):
                    position.play(move)


@pytest.mark.parametrize(
    ("ring", "laps"),
    [
        ((3, 1, 2, 1, 2, 1, 2, 1, 2, 1), 301),
        ((2, 0, 4, 1, 0, 1, 2, 1, 2, 3), 133),
        ((2, 2, 1, 0, 2, 3, 0, 1, 4, 1), 127),
    ],
)
def test_residues_tell_nothing_where_origins_are_skipped(
    engine: Any, ring: tuple[int, ...], laps: int
) -> None:
    position = engine.Position(rs.engehe(5, origin="skipped"), ring)
    assert position.sow(Sow(0, direction="ccw")).laps == laps
    assert Sow(0, direction="ccw") in position.legal_moves


def test_a_sowing_too_long_to_follow_is_told_at_once() -> None:
    ring = [*map(int, "4614765652343052501470565276501057606743")]
    move = Sow(0, direction="ccw")
    position = rs.Position(rs.engehe(20), ring)
    assert move not in position.legal_moves
    more = re.escape("its sowing never ends (a period of more than 10000000 laps)")
    with pytest.raises(rs.IllegalMove, match=more):
        position.play(move)
    with pytest.raises(rs.IllegalMove, match=f"row 0, action 0: .*{more}"):
        rs.Batch(position, n=1, seed=1).step(np.array([0]))
    assert rs.Position(rs.engehe(20, endless="draw"), ring).play(move).drawn


@pytest.mark.parametrize("lift", ["all", "any"])
@pytest.mark.parametrize(("origin", "relay"), ENDLESS_RINGS)
def test_perft_counts_no_endless_and_no_capped_sowing(
    engine: Any, origin: str, relay: str, lift: str
) -> None:
    begun = counted = 0
    for max_laps in (None, 3, 64, 65):
        changed = {"origin": origin, "relay": relay, "lift": lift, "max_laps": max_laps}
        rules = rs.Rules(**{**options(rs.giuthi(3, 2)), **changed})
        for ring in (*ENDLESS_RINGS[origin, relay], (5, 6, 9, 1, 5, 4), (3, 0, 12, 0, 1, 5)):
            for mover in (0, 1):
                position = engine.Position(
                    rules, ring[3 * mover :] + ring[: 3 * mover], mover=mover
                )
                legal = len(position.legal_moves)
                assert engine.perft(position, 1) == legal
                own = [seeds for seeds in position.pits[3 * mover :][:3] if seeds > 1]
                begun += 2 * (sum(own) if lift == "any" else len(own))
                counted += legal
    assert 0 < counted < begun


def options(rules: rs.Rules) -> dict[str, Any]:
    """The fields of some rules."""
    return {name: getattr(rules, name) for name in rs.Rules.__dataclass_fields__}


FINITE = [
    ("onward", rs.engehe(5), (2, 3, 2, 5, 2, 0, 2, 5, 4, 1), 4, 356),
    ("skipped", rs.engehe(5, origin="skipped"), (3, 1, 2, 1, 2, 1, 2, 1, 2, 1), 0, 301),
    ("small", rs.engehe(3), (5, 6, 9, 1, 5, 4), 0, 233),
]


@pytest.mark.parametrize(
    ("rules", "ring", "pit", "laps"), [case[1:] for case in FINITE], ids=[c[0] for c in FINITE]
)
def test_a_long_sowing_that_ends(
    engine: Any, rules: rs.Rules, ring: tuple[int, ...], pit: int, laps: int
) -> None:
    """Hundreds of laps are no proof: it ends where laps sown naively end."""
    endless, number, last, sown = orbit(ring, pit, 1, rules)
    assert (endless, number) == (False, laps)
    sowing = engine.Position(rules, ring).sow(Sow(pit))
    assert (sowing.laps, sowing.endless, len(sowing.path)) == (laps, False, laps)
    assert sowing.path[-1].last == last
    expected = list(sown)
    for taken in sowing.captured_pits:
        expected[taken] = 0
    assert sowing.after.pits == tuple(expected)
    facing = 2 * rules.pits - 1 - last
    captures = last < rules.pits and sown[facing] > 0
    assert sowing.captured_pits == ((facing, last) if captures else ())
    assert sowing.captured == (sown[facing] + 1 if captures else 0)

    # A cap of exactly so many laps changes nothing; one less stops it, whatever `endless` says.
    uncapped = engine.Position(rs.Rules(**{**options(rules), "max_laps": laps}), ring)
    assert uncapped.sow(Sow(pit)).after.pits == sowing.after.pits
    for value in ("illegal", "draw", "ends_turn"):
        given = rs.Rules(**{**options(rules), "max_laps": laps - 1, "endless": value})
        position = engine.Position(given, ring)
        capped = position.sow(Sow(pit))
        assert (capped.laps, capped.capped, capped.endless, capped.period) == (
            (laps - 1, True, False, None)
        )
        assert capped.path == sowing.path[:-1]
        assert (capped.captured, capped.moves_again) == (0, False)
        if value == "illegal":
            assert capped.after is None
            assert capped.reason == f"its sowing goes on past max_laps={laps - 1} laps"
            assert Sow(pit) not in position.legal_moves
        else:
            assert capped.after.pits == ring
            assert capped.after.drawn == (value == "draw")
            assert capped.after.mover == (value == "ends_turn")


@pytest.mark.parametrize("cap", [1, 49, 50, 51, 10_000, 12_345, 10**12])
def test_an_endless_sowing_under_a_cap_is_capped(engine: Any, cap: int) -> None:
    """Also one of a cap that no one could wait for."""
    rules = rs.engehe(5, max_laps=cap, endless="ends_turn")
    sowing = engine.Position(rules, family(10)).sow(Sow(0))
    assert (sowing.laps, sowing.capped, sowing.endless, sowing.period) == (cap, True, False, None)
    assert (len(sowing.path), sowing.path_truncated) == (min(cap, 10_000), cap > 10_000)
    assert (sowing.after.pits, sowing.after.mover) == (family(10), 1)
    first = islice(sowing.path, 50)
    assert all(lap == sowing.path[50 + k] for k, lap in enumerate(first) if 50 + k < cap)
    # Two seeds from pit 0 end in pit 2, which passes 2 on to pit 4: no seed has crossed by then.
    assert sowing.crossed == (cap > 1)


def test_the_first_lap_is_judged_before_the_cap(engine: Any) -> None:
    """South's pit 0 into his pit 1, and his pit 2 into North's pit 3, both occupied."""
    rules = rs.engehe(3, first_lap="not_into_own_occupied", max_laps=1, endless="draw")
    position = engine.Position(rules, (1, 1, 1, 1, 0, 0))
    blocked, capped = position.sow(Sow(0)), position.sow(Sow(2))
    assert (blocked.laps, blocked.capped, blocked.crossed) == (1, False, False)
    assert blocked.reason == "its first lap ends in an occupied pit of the mover's own row"
    assert list(position.legal_moves) == [Sow(2)]
    assert (capped.laps, capped.capped, capped.crossed) == (1, True, True)
    assert capped.after.drawn


def test_a_pit_lifted_in_part_is_still_occupied(engine: Any) -> None:
    """Six of seven seeds come round to the pit they were lifted from; six of six find it empty."""
    rules = rs.engehe(3, lift="any", first_lap="not_into_own_occupied")
    part = engine.Position(rules, (7, 0, 0, 0, 0, 0)).sow(Sow(0, 6))
    assert (part.after, part.path) == (None, (Lap(0, 6, "ccw", 0),))
    whole = engine.Position(rules, (6, 0, 0, 0, 0, 0)).sow(Sow(0, 6))
    assert (whole.laps, whole.captured, whole.after.pits) == (1, 2, (0, 1, 1, 1, 1, 0))


# ------------------------------------------------------------------- turn, passing, end, by hand

STUCK = {"minimum_lift": 2, "direction": "ccw"}  # a pit of one seed cannot be lifted
ENDINGS = [
    ("both_stuck", (1, 0, 0, 0, 1, 1), 0, "both_stuck", (6, 9), 0, False),
    ("both_stuck", (1, 0, 0, 2, 1, 0), 0, None, None, 1, True),
    ("both_stuck", (0, 0, 0, 2, 1, 0), 0, None, None, 1, True),
    ("row_empty", (0, 0, 0, 2, 1, 0), 0, "row_empty", (5, 10), 0, False),
    ("row_empty", (0, 2, 0, 0, 0, 0), 1, "row_empty", (7, 7), 1, False),
    ("row_empty", (0, 2, 0, 0, 0, 0), 0, None, None, 0, False),
    ("row_empty", (1, 0, 0, 0, 0, 0), 0, "row_empty", (6, 7), 1, True),
    ("row_empty", (1, 0, 0, 0, 1, 1), 0, "both_stuck", (6, 9), 0, False),
    ("row_empty", (1, 0, 0, 2, 1, 0), 0, None, None, 1, True),
    ("row_empty", (0, 0, 0, 0, 0, 0), 0, "row_empty", (5, 7), 0, False),
    ("able_player_sweeps", (1, 0, 0, 2, 1, 0), 0, "swept", (5, 11), 0, False),
    ("able_player_sweeps", (0, 3, 0, 1, 1, 0), 1, "swept", (10, 7), 1, False),
    ("able_player_sweeps", (1, 0, 0, 1, 1, 0), 0, "both_stuck", (6, 9), 0, False),
    ("able_player_sweeps", (2, 0, 0, 0, 0, 0), 0, None, None, 0, False),
    ("last_mover_sweeps", (1, 0, 0, 1, 1, 0), 0, "swept", (5, 10), 0, False),
    ("last_mover_sweeps", (1, 0, 0, 1, 1, 0), 1, "swept", (8, 7), 1, False),
    ("last_mover_sweeps", (2, 0, 0, 0, 0, 0), 0, None, None, 0, False),
]


@pytest.mark.parametrize(
    ("rule", "ring", "mover", "end", "final", "to_move", "passed"),
    ENDINGS,
    ids=[f"{case[0]}-{number}" for number, case in enumerate(ENDINGS)],
)
def test_endings(
    engine: Any,
    rule: str,
    ring: tuple[int, ...],
    mover: int,
    end: str | None,
    final: tuple[int, int] | None,
    to_move: int,
    passed: bool,
) -> None:
    position = engine.Position(rs.engehe(3, end=rule, **STUCK), ring, (5, 7), mover)
    assert (position.end, position.final_stores) == (end, final)
    assert (position.mover, position.passed) == (to_move, passed)
    assert (position.pits, position.stores) == (ring, (5, 7))
    assert position.is_over == (end is not None) == (not position.legal_moves)
    if final is None:
        assert position.winner is None
    else:
        south, north = final
        assert position.winner == (0 if south > north else 1 if north > south else -1)
        assert list(position.legal_moves) == []
        with pytest.raises(rs.IllegalMove, match="the game is over"):
            position.play(Sow(position.mover * 3))


def test_a_pass_after_a_move_and_the_turn_comes_back(engine: Any) -> None:
    """South sows 2,0,0 to 0,1,1: North cannot lift his one seed, and neither can South."""
    rules = rs.engehe(3, end="both_stuck", **STUCK)
    after = engine.Position(rules, (2, 0, 0, 0, 0, 1)).play(Sow(0))
    assert (after.pits, after.end, after.mover) == ((0, 1, 1, 0, 0, 1), "both_stuck", 1)
    assert (after.final_stores, after.winner) == ((2, 1), 0)
    # Here South relays from North's pit 3 to pits 4 and 5, and can go on with his pit 0.
    after = engine.Position(rules, (2, 2, 0, 1, 0, 0)).play(Sow(1))
    assert after.pits == (2, 0, 1, 0, 1, 1)
    assert (after.mover, after.passed, after.is_over) == (0, True, False)


def test_passed_takes_no_part_in_equality(engine: Any) -> None:
    rules = rs.engehe(3, end="both_stuck", **STUCK)
    handed = engine.Position(rules, (1, 0, 0, 2, 0, 0))
    given = engine.Position(rules, (1, 0, 0, 2, 0, 0), mover=1)
    assert (handed.passed, given.passed) == (True, False)
    assert (handed, hash(handed)) == (given, hash(given))
    assert pickle.loads(pickle.dumps(handed)) == handed
    other = engine.Position(rules, (1, 0, 0, 2, 0, 0), (1, 0), mover=1)
    assert handed != other


def test_a_drawn_position(engine: Any) -> None:
    rules = rs.engehe(3, endless="draw")
    position = engine.Position(rules, family(6), (9, 2), drawn=True)
    assert (position.end, position.final_stores, position.winner) == ("endless", (9, 2), -1)
    assert position != engine.Position(rules, family(6), (9, 2))
    assert repr(position).endswith("mover=0, drawn=True)")


DUTIES = rs.giuthi(4, 2, extra_direction="opposite", extra_pit="not_origin")


def test_duties_of_an_extra_move(engine: Any) -> None:
    """South's pits 0 and 3; each move ends uncrossed in an empty own pit and earns another."""
    first = engine.Position(DUTIES, (2, 0, 0, 2, 2, 0, 0, 0)).sow(Sow(0, direction="ccw"))
    assert (first.moves_again, first.crossed) == (True, False)
    after = first.after
    assert (after.pits, after.mover) == ((0, 1, 1, 2, 2, 0, 0, 0), 0)
    assert (after.direction, after.barred) == ("cw", 0)
    assert list(after.legal_moves) == [Sow(3, direction="cw")]
    with pytest.raises(rs.IllegalMove, match="direction 'ccw': must be 'cw'"):
        after.play(Sow(3, direction="ccw"))
    # 3 clockwise: to 2 and 1, which holds 2 then; they go back counter-clockwise to 2 and 3.
    second = after.sow(Sow(3, direction="cw"))
    assert second.path == (Lap(3, 2, "cw", 1), Lap(1, 2, "ccw", 3))
    assert (second.after.pits, second.after.mover) == ((0, 0, 3, 1, 2, 0, 0, 0), 0)
    assert (second.after.direction, second.after.barred) == ("ccw", 3)  # as the move began


def test_a_barred_pit(engine: Any) -> None:
    position = engine.Position(DUTIES, (2, 2, 0, 0, 2, 0, 0, 0), direction="ccw", barred=0)
    assert list(position.legal_moves) == [Sow(1, direction="ccw")]
    with pytest.raises(rs.IllegalMove, match="pit 0 is barred"):
        position.play(Sow(0, direction="ccw"))


@pytest.mark.parametrize(
    ("end", "ring", "expected"),
    [
        # Passed over, the other moves; duties lapse.
        ("both_stuck", (2, 0, 0, 0, 2, 0, 0, 0), (1, None, None, True, None)),
        # The other has no move either: the mover's own second pass has freed him.
        ("both_stuck", (2, 0, 0, 0, 1, 0, 0, 0), (0, None, None, True, None)),
        ("both_stuck", (1, 0, 0, 0, 1, 0, 0, 0), (0, "cw", 0, False, "both_stuck")),
        ("row_empty", (2, 0, 0, 0, 0, 0, 0, 0), (1, None, None, True, "row_empty")),
        ("able_player_sweeps", (2, 0, 0, 0, 2, 0, 0, 0), (0, "cw", 0, False, "swept")),
        ("able_player_sweeps", (2, 0, 0, 0, 1, 0, 0, 0), (0, "cw", 0, False, "both_stuck")),
        ("last_mover_sweeps", (2, 0, 0, 0, 1, 0, 0, 0), (0, "cw", 0, False, "swept")),
    ],
    ids=lambda value: value if isinstance(value, str) else "".join(map(str, value)),
)
def test_stuck_by_duties(
    engine: Any, end: str, ring: tuple[int, ...], expected: tuple[Any, ...]
) -> None:
    """South's only pit is barred."""
    rules = rs.Rules(**{**options(DUTIES), "end": end})
    p = engine.Position(rules, ring, direction="cw", barred=0)
    assert (p.mover, p.direction, p.barred, p.passed, p.end) == expected


# ------------------------------------------------------------------------- protection, by hand


def test_where_protection_begins(engine: Any) -> None:
    def protected(rule: str, redistribution: str) -> tuple[int, ...]:
        rules = rs.kiothi(2, 2, 3, protection=rule, redistribution=redistribution)
        return engine.Position.start(rules).protected

    assert protected("until_lifted", "none") == (1, 2, 4, 5)
    assert protected("until_lifted", "two") == ()
    assert protected("until_owner_lifts", "none") == (0, 1, 2, 3, 4, 5)
    assert protected("until_owner_lifts", "two") == (0, 1, 2, 3, 4, 5)
    assert protected("none", "none") == ()
    assert engine.Position(rs.engehe(3), (4,) * 6, protected=(1, 2)).protected == ()


@pytest.mark.parametrize(
    ("protection", "left"), [("until_lifted", (2,)), ("until_owner_lifts", (2, 4))]
)
def test_a_relay_lifts_protection(engine: Any, protection: str, left: tuple[int, ...]) -> None:
    """South's pit 3 to North's pit 4, which is lifted: only its owner can end a protection that
    lasts until the owner lifts.  South's own pit 3 loses it either way."""
    rules = rs.engehe(4, protection=protection, end="both_stuck")
    position = engine.Position(rules, (0, 0, 2, 1, 1, 0, 0, 3), protected=(4, 3, 2))
    assert position.protected == (2, 3, 4)
    assert position.play(Sow(3)).protected == left


def test_a_lift_in_part_ends_protection(engine: Any) -> None:
    for protection in ("until_lifted", "until_owner_lifts"):
        rules = rs.engehe(4, lift="any", protection=protection)
        position = engine.Position(rules, (3, 0, 0, 0, 0, 0, 0, 3), protected=(0, 7))
        assert position.play(Sow(0, 1)).protected == (7,)


def test_protection_keeps_seeds_from_capture_but_not_the_lone_seed(engine: Any) -> None:
    """South's pit 0 to the empty pit 1, which faces pit 6 with three seeds."""
    for lone, protected, taken in (
        ("stays", (), (6, 1)),
        ("stays", (6,), ()),
        ("taken", (6, 1), (1,)),
    ):
        rules = rs.engehe(4, lone_seed=lone, protection="until_lifted")
        position = engine.Position(rules, (1, 0, 0, 0, 0, 0, 3, 2), protected=protected)
        assert position.sow(Sow(0)).captured_pits == taken


def test_lifts_count_before_the_capture_is_judged(engine: Any) -> None:
    """2 from pit 2, 3 from 4, 2 from 1, 4 from 3, the last into pit 1, empty.  Facing it is pit 4,
    lifted on the way and sown into since."""
    ring = (0, 1, 2, 2, 2, 1)
    for protection, taken, left in (
        ("until_lifted", (4, 1), (5,)),
        ("until_owner_lifts", (), (3, 4, 5)),
    ):
        rules = rs.engehe(3, protection=protection)
        sowing = engine.Position(rules, ring, protected=(3, 4, 5)).sow(Sow(2))
        assert [(lap.origin, lap.last) for lap in sowing.path] == [(2, 4), (4, 1), (1, 3), (3, 1)]
        assert (sowing.captured_pits, sowing.after.protected) == (taken, left)


# ------------------------------------------------------------------- chain and bonus, by hand

CHAINS = [
    ("none", "none", "stays", (), (9, 0)),
    ("next", "none", "stays", (), (9, 0, 8)),
    ("run", "none", "stays", (), (9, 0, 8, 7, 6, 5)),
    ("run", "none", "stays", (7,), (9, 0, 8)),
    ("run_over_gaps", "none", "stays", (7,), (9, 0, 8, 6, 5)),
    ("none", "three", "stays", (), (9, 0, 8, 7, 6)),
    ("none", "three", "stays", (6,), (9, 0)),
    ("none", "up_to_three", "stays", (), (9, 0, 8, 7, 6)),
    ("none", "up_to_three", "stays", (6,), (9, 0, 8, 7)),
    ("none", "run", "stays", (), (9, 0, 8, 7, 6, 5)),
    ("none", "run", "stays", (5,), (9, 0, 8, 7, 6)),
    ("next", "run", "stays", (), (9, 0, 8)),  # the chain comes first, and leaves a gap
    ("run_over_gaps", "run", "stays", (8,), (9, 0, 7, 6, 5)),
    ("run_over_gaps", "run", "stays", (9,), ()),
    ("run", "run", "taken", (9,), (0,)),  # neither goes on from a seed that faced no capture,
    ("run_over_gaps", "run", "taken", (9, 7), (0, 8, 6, 5)),  # but this chain
]


@pytest.mark.parametrize("mover", [0, 1])
@pytest.mark.parametrize(
    ("chain", "bonus", "lone_seed", "protected", "taken"),
    CHAINS,
    ids=[f"{case[0]}-{case[1]}-{number}" for number, case in enumerate(CHAINS)],
)
def test_chain_and_bonus(
    engine: Any,
    mover: int,
    chain: str,
    bonus: str,
    lone_seed: str,
    protected: tuple[int, ...],
    taken: tuple[int, ...],
) -> None:
    """South's six seeds go round North's row into his leftmost pit: 1,0,0,0,0 faces 1,1,1,1,1.
    Then the same for North, five pits further on."""
    turn = 5 * mover
    rules = rs.engehe(
        5, chain=chain, bonus=bonus, lone_seed=lone_seed, protection="until_owner_lifts"
    )
    ring = tuple(6 if pit == 4 + turn else 0 for pit in range(10))
    guarded = [(pit + turn) % 10 for pit in protected]
    sowing = engine.Position(rules, ring, mover=mover, protected=guarded).sow(Sow(4 + turn))
    assert sowing.captured_pits == tuple((pit + turn) % 10 for pit in taken)
    assert sowing.captured == len(taken) == sowing.after.stores[mover]
    assert [pit for pit, seeds in enumerate(sowing.after.pits) if seeds] == sorted(
        {(pit + turn) % 10 for pit in (0, 5, 6, 7, 8, 9)} - set(sowing.captured_pits)
    )


# ----------------------------------------------------------------------- redistribution, by hand


def placements(seeds: int, pits: int) -> list[tuple[int, ...]]:
    """All ways to put seeds into pits, by brute force."""
    return [p for p in product(range(seeds + 1), repeat=pits) if sum(p) == seeds]


@pytest.mark.parametrize("redistribution", ["one", "two", "up_to_two"])
@pytest.mark.parametrize("mover", [0, 1])
@pytest.mark.parametrize("own", [(1, 2, 1), (0, 2, 1), (0, 2, 0), (0, 0, 0)], ids=str)
def test_all_redistributions(
    engine: Any, redistribution: str, mover: int, own: tuple[int, ...]
) -> None:
    """Each by its number, in order: fewer pits emptied first, then which, then what is placed."""
    rules = rs.kiothi(2, 2, 3, redistribution=redistribution)
    ring = (*own, 2, 0, 3) if mover == 0 else (2, 0, 3, *own)
    position = engine.Position(rules, ring, (1, 1), mover, redistributions=mover)
    occupied = [pit for pit in range(3 * mover, 3 * mover + 3) if ring[pit]]
    sizes = {"one": [1], "two": [2], "up_to_two": [0, 1, 2]}[redistribution]
    sizes = sorted({min(size, len(occupied)) for size in sizes})
    expected = [
        Redistribute(emptied, placed)
        for size in sizes
        for emptied in combinations(occupied, size)
        for placed in placements(sum(ring[pit] for pit in emptied), 6)
    ]
    moves = position.legal_moves
    assert (moves.count, len(moves), bool(moves)) == (len(expected), len(expected), True)
    assert list(moves) == expected
    assert moves == expected
    assert moves == tuple(expected)
    assert moves != expected[1:]
    assert moves == engine.Position(rules, ring, (1, 1), mover, redistributions=mover).legal_moves
    for number, move in enumerate(expected):
        assert moves[number] == moves[number - len(expected)] == move
        assert moves.index(move) == number
        assert move in moves
    assert moves[2:9:3] == expected[2:9:3]
    assert moves[::-1] == expected[::-1]

    for move in expected[:: max(1, len(expected) // 30)]:
        sowing = position.sow(move)
        after = sowing.after
        assert after.pits == tuple(
            (0 if pit in move.emptied else seeds) + move.placed[pit]
            for pit, seeds in enumerate(ring)
        )
        assert (after.redistributions, after.stores) == (mover + 1, (1, 1))
        assert (sowing.laps, sowing.path, sowing.captured, sowing.crossed) == (0, (), 0, False)
        if mover == 0:
            assert (after.mover, after.protected, after.is_over) == (1, (), False)
        else:
            assert after.protected == tuple(p for p, seeds in enumerate(after.pits) if seeds)


def test_redistributions_too_many_to_list(engine: Any) -> None:
    moves = engine.Position.start(rs.kiothi(83)).legal_moves
    count = 15 * comb(166 + 19, 19)
    assert moves.count == count > 2**63
    with pytest.raises(OverflowError, match="more than len"):
        len(moves)
    assert moves[0] == moves[-count] == Redistribute((4, 5), (0,) * 19 + (166,))
    assert moves[-1] == Redistribute((8, 9), (166,) + (0,) * 19)
    for number in (1, 2**31, 2**63, 2**64 + 1, count // 3, count // 2, count - 2):
        assert moves.index(moves[number]) == number
        assert moves[number] in moves
    assert moves[2**70 : 2**70 + 2] == [moves[2**70], moves[2**70 + 1]]
    for outside in (count, -count - 1):
        with pytest.raises(IndexError):
            moves[outside]


def test_no_end_before_the_last_redistribution(engine: Any) -> None:
    """South has nothing, and nothing to redistribute; then North hands him seeds."""
    rules = rs.kiothi(2, 2, 3, end="last_mover_sweeps")
    position = engine.Position(rules, (0, 0, 0, 2, 2, 0), redistributions=0)
    assert not position.is_over
    assert list(position.legal_moves) == [Redistribute((), (0,) * 6)]
    position = position.play(Redistribute((), (0,) * 6))
    assert (position.mover, position.redistributions, position.is_over) == (1, 1, False)
    given = position.play(Redistribute((3, 4), (3, 0, 0, 0, 0, 1)))
    assert (given.mover, given.pits, given.protected) == (0, (3, 0, 0, 0, 0, 1), (0, 5))
    kept = position.play(Redistribute((3, 4), (0, 0, 0, 3, 0, 1)))
    assert (kept.end, kept.final_stores) == ("swept", (0, 4))


def test_emptying_is_no_lift(engine: Any) -> None:
    rules = rs.kiothi_wikipedia(2, 2, 3)
    position = engine.Position.start(rules)
    for emptied, placed in (((1,), (2, 0, 0, 0, 0, 0)), ((4,), (0, 0, 0, 2, 0, 0))):
        position = position.play(Redistribute(emptied, placed))
    assert position.protected == (0, 1, 2, 3, 4, 5)


# -------------------------------------------------------------------------------------- refusals

SOWING = {"pits": (0, 1, 3, 2, 2, 2)}
FIRST = {"pits": (2, 1, 1, 0, 2, 2), "redistributions": 0}
PARTS = rs.kiothi(2, 2, 3)
REASONS = [
    (rs.giuthi(3, 2), {"pits": (1, 0, 0, 0, 0, 1)}, Sow(0), "the game is over"),
    (PARTS, FIRST, Sow(0), "a redistribution is due, not a sowing"),
    (PARTS, SOWING, Redistribute((), ()), "a sowing is due, not a redistribution"),
    (PARTS, SOWING, Sow(3), "pit 3 is not the mover's: must be 0…2"),
    (PARTS, {**SOWING, "mover": 1}, Sow(2**70), f"pit {2**70} is not the mover's: must be 3…5"),
    (PARTS, SOWING, Sow(0), "pit 0 holds 0 seeds: at least 1 must be lifted"),
    (rs.giuthi(3, 2), SOWING, Sow(1), "pit 1 holds 1 seed: at least 2 must be lifted"),
    (PARTS, SOWING, Sow(2, 4), "lift 4 of pit 2: it holds 3"),
    (rs.giuthi(3, 2), SOWING, Sow(2, 2, "cw"), "lift 2 of pit 2: all 3 must be lifted"),
    (rs.giuthi(3, 2), SOWING, Sow(2), "direction None: must be 'ccw' or 'cw'"),
    (PARTS, SOWING, Sow(2, 2, "cw"), "direction 'cw': must be 'ccw'"),
    (
        PARTS,
        {"pits": (2, 0, 1, 1, 0, 0)},
        Sow(0, 2),
        "its first lap ends in an occupied pit of the mover's own row",
    ),
    (
        PARTS,
        FIRST,
        Redistribute((0,), (2, 0, 0, 0, 0, 0)),
        "emptied (0,): must be exactly 2 of the mover's occupied pits",
    ),
    (
        PARTS,
        FIRST,
        Redistribute((0, 1, 2), (4, 0, 0, 0, 0, 0)),
        "emptied (0, 1, 2): must be exactly 2 of the mover's occupied pits",
    ),
    (
        PARTS,
        FIRST,
        Redistribute((2, 4), (3, 0, 0, 0, 0, 0)),
        "emptied (2, 4): must be exactly 2 of the mover's occupied pits",
    ),
    (
        PARTS,
        {**FIRST, "mover": 1},
        Redistribute((3, 4), (2, 0, 0, 0, 0, 0)),
        "emptied (3, 4): must be exactly 2 of the mover's occupied pits",
    ),
    (
        rs.kiothi(2, 2, 3, redistribution="one"),
        FIRST,
        Redistribute((), (0,) * 6),
        "emptied (): must be exactly 1 of the mover's occupied pits",
    ),
    (
        rs.kiothi(2, 2, 3, redistribution="up_to_two"),
        FIRST,
        Redistribute((0, 1, 2), (4, 0, 0, 0, 0, 0)),
        "emptied (0, 1, 2): must be at most 2 of the mover's occupied pits",
    ),
    (PARTS, FIRST, Redistribute((0, 1), (3,)), "placed has 1 counts: must be 6"),
    (
        PARTS,
        FIRST,
        Redistribute((0, 1), (4, 0, 0, 0, 0, 0)),
        "placed holds 4 seeds: the emptied pits hold 3",
    ),
]


@pytest.mark.parametrize(
    ("rules", "arguments", "move", "reason"), REASONS, ids=[f"{k}" for k in range(len(REASONS))]
)
def test_illegal_moves(
    engine: Any, rules: rs.Rules, arguments: dict[str, Any], move: rs.moves.Move, reason: str
) -> None:
    position = engine.Position(rules, **arguments)
    with pytest.raises(rs.IllegalMove) as refused:
        position.play(move)
    assert str(refused.value) == f"illegal move {move!r} in {position.to_text()}: {reason}"
    assert move not in position.legal_moves
    with pytest.raises(ValueError, match="is not a legal move in"):
        position.legal_moves.index(move)


def test_what_is_no_move(engine: Any) -> None:
    position = engine.Position.start(rs.giuthi(3, 2))
    for wrong in (3, None, "1+", (0, "ccw")):
        with pytest.raises(TypeError, match="a move must be Sow or Redistribute, not "):
            position.play(wrong)
        assert wrong not in position.legal_moves


def test_other_spellings_of_a_move(engine: Any) -> None:
    """Any that can be understood is taken for the canonical one."""
    for rules, spellings in (
        (rs.giuthi(3, 2), [Sow(0, None, "cw"), Sow(0, 2, "cw")]),
        (rs.engehe(3, 2), [Sow(0), Sow(0, 2), Sow(0, None, "ccw"), Sow(0, 2, "ccw")]),
        (rs.engehe(3, 2, lift="any"), [Sow(0, 2), Sow(0), Sow(0, None, "ccw")]),
    ):
        position = engine.Position.start(rules)
        moves = position.legal_moves
        number = moves.index(spellings[0])
        assert moves[number] == spellings[0]
        for move in spellings:
            assert (move in moves, moves.index(move)) == (True, number)
            assert position.play(move) == position.play(spellings[0])
            assert position.action(move) == position.action(spellings[0])


LEAKEY = rs.giuthi_leakey(3, 2, extra_pit="not_origin")
TWOS = (2,) * 6
POSITIONS = [
    (PARTS, {"pits": (1, 2)}, "pits has 2 counts: must be 6 for pits=3"),
    (PARTS, {"pits": (2, 2, 2, 2, 2, -1)}, "pits[5]=-1: must be 0…1000 seeds"),
    (PARTS, {"pits": (2**80, 0, 0, 0, 0, 0)}, f"pits[0]={2**80}: must be 0…1000 seeds"),
    (PARTS, {"stores": (1,)}, "stores has 1 counts: must be 2, South's and North's"),
    (PARTS, {"stores": (1, -1)}, "stores[1]=-1: must be 0…1000 seeds"),
    (PARTS, {"stores": (900, 89)}, "pits and stores hold 1001 seeds: must be at most 1000"),
    (PARTS, {"mover": 2}, "mover=2: must be 0 (South) or 1 (North)"),
    (PARTS, {"protected": (6,)}, "protected pit=6: must be a ring index, 0…5"),
    (PARTS, {"protected": (-1,)}, "protected pit=-1: must be a ring index, 0…5"),
    (PARTS, {"protected": (4, 1, 4)}, "protected pit 4 is named twice"),
    (
        PARTS,
        {"direction": "cw"},
        "direction='cw': there is such a duty only under extra_direction='opposite'",
    ),
    (LEAKEY, {"direction": "up"}, "direction='up': must be 'ccw', 'cw' or None"),
    (PARTS, {"barred": 1}, "barred=1: there is such a duty only under extra_pit='not_origin'"),
    (LEAKEY, {"barred": 3}, "barred=3: must be None or a pit of the mover, 0…2"),
    (LEAKEY, {"barred": 1, "mover": 1}, "barred=1: must be None or a pit of the mover, 3…5"),
    (PARTS, {"redistributions": 3}, "redistributions=3: must be the number made, 0…2"),
    (
        LEAKEY,
        {"redistributions": 1},
        "redistributions=1: must be None or 2 with redistribution='none'",
    ),
    (
        PARTS,
        {"redistributions": 1, "protected": (4, 1)},
        "protected=(1, 4): nothing is protected before the last redistribution",
    ),
    (
        rs.giuthi_leakey(3, 2, redistribution="one"),
        {"redistributions": 1, "direction": "cw"},
        "direction='cw', barred=None: there are no duties before the last redistribution",
    ),
    (PARTS, {"drawn": True}, "drawn=True: a sowing draws the game only under endless='draw'"),
]


@pytest.mark.parametrize(
    ("rules", "changed", "message"), POSITIONS, ids=[f"{k}" for k in range(len(POSITIONS))]
)
def test_positions_that_cannot_be(
    engine: Any, rules: rs.Rules, changed: dict[str, Any], message: str
) -> None:
    with pytest.raises(rs.PositionError) as refused:
        engine.Position(rules, **{"pits": TWOS, **changed})
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rules", "giuthi"),
        ("pits", "222222"),
        ("pits", (2, 2, 2, 2, 2, 2.0)),
        ("pits", (2, 2, 2, 2, 2, True)),
        ("stores", 3),
        ("mover", "S"),
        ("mover", True),
        ("protected", 1),
        ("protected", (1.0,)),
        ("direction", 1),
        ("barred", 1.0),
        ("redistributions", 1.0),
        ("drawn", 1),
    ],
    ids=lambda value: value if isinstance(value, str) else repr(value),
)
def test_wrong_types(engine: Any, name: str, value: Any) -> None:
    with pytest.raises(TypeError, match=name):
        engine.Position(**{"rules": LEAKEY, "pits": TWOS, name: value})


# --------------------------------------------------------------------------------------- actions


@pytest.mark.parametrize(
    "rules",
    [rs.giuthi(3, 2), rs.engehe(3, 2), PARTS, rs.giuthi(3, 2, lift="any", redistribution="one")],
    ids=named,
)
def test_actions(engine: Any, rules: rs.Rules) -> None:
    """`((own pit - 1)·L + lift - 1)·D + (1 if clockwise)`, for every number and both players."""
    lifts = range(1, rules.seeds + 1) if rules.lift == "any" else [None]
    ways = ["ccw", "cw"] if rules.direction == "either" else [None]
    for mover in (0, 1):
        position = engine.Position(rules, TWOS, mover=mover)
        own = range(3 * mover, 3 * mover + 3)
        expected = [Sow(*choice) for choice in product(own, lifts, ways)]
        assert [position.move(action) for action in range(rules.actions)] == expected
        for move in position.legal_moves:
            assert expected[position.action(move)] == move
        for outside in (-1, rules.actions):
            with pytest.raises(ValueError, match=f"action={outside}"):
                position.move(outside)
        with pytest.raises(rs.IllegalMove, match="is not the mover's"):
            position.action(Sow(3 - 3 * mover, direction="ccw"))
        with pytest.raises(TypeError):
            position.move(1.0)


def test_what_has_no_action_number(engine: Any) -> None:
    start = engine.Position.start(PARTS)
    with pytest.raises(ValueError, match="a redistribution has no action number"):
        start.action(start.legal_moves[0])
    many = engine.Position(rs.kiothi(1, 1, 3), (3, 0, 0, 1, 1, 1))
    assert many.action(Sow(0, 2)) == 1
    with pytest.raises(ValueError, match="lift 3 has no action number"):
        many.action(Sow(0, 3))


# ---------------------------------------------------------------------------------------- chance


def test_the_generators() -> None:
    """The published first numbers of SplitMix64 and xoshiro128++."""
    state, numbers = 1477776061723855037, []
    for _ in range(3):
        state, number = split_mix(state)
        numbers.append(number)
    assert numbers == [1985237415132408290, 2979275885539914483, 13511426838097143398]
    chance = reference.Chance(0, 0)
    chance._s = [1, 2, 3, 4]
    assert [chance.word() for _ in range(6)] == [
        641,
        1573767,
        3222811527,
        3517856514,
        836907274,
        4247214768,
    ]


# ---------------------------------------------------------------------------------- odd objects


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("pits", 65, "pits=65: must be 3…64"),
        ("pits", 200, "pits=200: must be 3…64"),
        ("pits", -1, "pits=-1: must be 3…64"),
        ("pits", 10**30, "must be 3…64"),
        ("setup", (4,) * 400, "counts in setup=400: must be 10…10"),
        ("setup", (), "counts in setup=0: must be 10…10"),
        ("setup", (1000,) * 10, "seeds in setup=10000: must be 1…1000"),
        ("setup", (10**9,) * 10, "seeds in a pit of setup=1000000000: must be 0…1000"),
        ("minimum_lift", -3, "minimum_lift=-3: must be 1…2"),
        ("chain", "loop", "chain='loop': must be one of none, next, run, run_over_gaps"),
        ("chain", "none, next", "chain='none, next': must be one of none, next, "),
        ("chain", "", "chain='': must be one of none, next, run, run_over_gaps"),
        ("endless", None, "endless=None: must be one of illegal, draw, ends_turn"),
        ("max_laps", 0, "max_laps=0: must be None or 1…1000000000000"),
        ("max_laps", 2**64 - 1, "max_laps=18446744073709551615: must be None or 1…"),
    ],
)
def test_rules_that_evade_their_checks(name: str, value: Any, said: str) -> None:
    """A subclass without the checks of `Rules` reaches no memory that is not the core's."""

    class Unchecked(rs.Rules):
        def __post_init__(self) -> None:
            pass

    rules = Unchecked(**{"pits": 5, "setup": (4,) * 10, name: value})
    for use in (rs.Position.start, lambda its: rs.Batch(its, 1), rs.Game, rs.simulate):
        with pytest.raises(ValueError, match=re.escape(said)):
            use(rules)


def test_strings_of_numpy() -> None:
    rules = rs.giuthi(chain=np.str_("next"))
    assert type(rules.chain) is str
    assert "str_" not in repr(rules)
    assert repr(Sow(1, direction=np.str_("cw"))) == repr(Sow(1, direction="cw"))


@pytest.mark.parametrize("odd", [None, "start", reference.Position(rs.giuthi(), [8] * 16)])
def test_perft_of_no_position(odd: Any) -> None:
    with pytest.raises(TypeError, match=r"^position must be a Position, not "):
        rs.perft(odd, 1)
