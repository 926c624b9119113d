"""Exact play against an independent solver, and against every game played out with its history."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

import relaysow as rs
from game_graph import GameGraph, key_of, rings
from relaysow import reference
from relaysow.options import CHOICES
from relaysow.rules import Rules

GIUTHI: dict[str, Any] = {}
ENGEHE: dict[str, Any] = {
    "minimum_lift": 1, "direction": "ccw", "relay": "onward", "uncrossed": "captures",
    "chain": "none", "end": "last_mover_sweeps",
}  # fmt: skip
KIOTHI: dict[str, Any] = {
    "minimum_lift": 1, "lift": "any", "direction": "ccw", "relay": "onward",
    "first_lap": "not_into_own_occupied", "uncrossed": "captures", "chain": "none",
    "bonus": "three", "protection": "until_lifted", "end": "able_player_sweeps",
}  # fmt: skip
OPTION_SETS: list[dict[str, Any]] = [
    GIUTHI,
    ENGEHE,
    {"end": "row_empty", "chain": "run", "repetition": "stores"},
    {"end": "row_empty", "extra_direction": "opposite", "chain": "next"},
    {"extra_direction": "opposite", "extra_pit": "not_origin", "repetition": "stores"},
    {"extra_pit": "not_origin", "minimum_lift": 1, "end": "able_player_sweeps"},
    {"origin": "skipped", "chain": "run"},
    {"origin": "skipped", "relay": "onward", "endless": "draw", "minimum_lift": 1},
    {"endless": "draw", "repetition": "stores"},
    {"endless": "ends_turn"},
    {"endless": "ends_turn", "repetition": "stores", "max_laps": 3, "minimum_lift": 1},
    {"max_laps": 2, "endless": "illegal", "uncrossed": "ends_turn"},
    {"lift": "any", "direction": "ccw", "lone_seed": "taken"},
    {"lift": "any", "repetition": "stores", "first_lap": "not_into_own_occupied"},
    {"uncrossed": "captures", "bonus": "up_to_three", "lone_seed": "taken"},
    {"uncrossed": "captures", "bonus": "run", "minimum_lift": 1, "end": "last_mover_sweeps"},
    {"uncrossed": "ends_turn", "relay": "onward", "bonus": "three", "repetition": "stores"},
    {"capturing_seed": "stays", "bonus": "three", "uncrossed": "captures", "repetition": "stores"},
    {**ENGEHE, "repetition": "stores"},
    {**ENGEHE, "origin": "skipped", "end": "able_player_sweeps", "repetition": "stores"},
    {**KIOTHI},
    {**KIOTHI, "lift": "all", "first_lap": "free", "protection": "until_owner_lifts"},
    {**KIOTHI, "repetition": "stores", "bonus": "run", "end": "both_stuck"},
]
OPENINGS = [
    {**KIOTHI, "redistribution": redistribution, "repetition": repetition}
    for redistribution, repetition in (("one", "draw"), ("two", "stores"), ("up_to_two", "draw"))
]


def name(options: dict[str, Any]) -> str:
    """An option set as a test's name."""
    kind = {id(GIUTHI): "giuthi", id(ENGEHE): "engehe"}.get(id(options))
    return kind or ",".join(f"{value}" for value in options.values())


def protections(rules: Rules, ring: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Some sets of protected pits of a ring."""
    if rules.protection == "none":
        return [()]
    occupied = tuple(pit for pit, seeds in enumerate(ring) if seeds)
    return [(), occupied, tuple(range(0, len(ring), 2))]


def compare(rules: Rules, most: int, least: int = 0) -> int:
    """Compares the thresholds of all positions of so many seeds; how many there are."""
    graph = GameGraph(rules)
    positions = []
    for ring in rings(rules.pits, most, least):
        for protected in protections(rules, ring):
            graph.add(reference.Position(rules, ring, protected=protected))
            position = rs.Position(rules, ring, protected=protected)
            if not position.is_over:
                positions.append(position)
    for position in positions:
        solved = rs.solve(position)
        thresholds = solved.lead_to_win, solved.lead_to_draw
        assert thresholds == graph.thresholds(key_of(position)), position
        if rules.repetition == "stores" and rules.endless != "draw":
            assert solved.net == -solved.lead_to_draw == 1 - solved.lead_to_win
    return len(positions)


def test_the_option_sets_hold_every_value_that_can_be_solved() -> None:
    sets = [Rules(pits=3, setup=(1,) * 6, **options) for options in OPTION_SETS + OPENINGS]
    for option, values in CHOICES.items():
        left = {*values} - {"score", "off"} - {getattr(rules, option) for rules in sets}
        assert not left, option
    assert {rules.minimum_lift for rules in sets} == {1, 2}
    assert len({*sets}) == len(sets) >= 22


@pytest.mark.parametrize("options", OPTION_SETS, ids=name)
def test_every_small_position_is_worth_what_an_independent_solver_finds(
    options: dict[str, Any],
) -> None:
    rules = Rules(pits=3, setup=(1,) * 6, **options)
    assert compare(rules, most=3 if rules.protection != "none" else 4) > 60


@pytest.mark.campaign
@pytest.mark.parametrize("options", OPTION_SETS, ids=name)
def test_every_position_of_eight_seeds(options: dict[str, Any]) -> None:
    rules = Rules(pits=3, setup=(1,) * 6, **options)
    assert compare(rules, most=5 if rules.protection != "none" else 8) > 800


@pytest.mark.parametrize("options", OPENINGS, ids=name)
def test_openings_with_redistributions(options: dict[str, Any]) -> None:
    rules = Rules(pits=3, setup=(0, 1, 1, 0, 1, 1), **options)
    graph = GameGraph(rules)
    start = reference.Position.start(rules)
    graph.add(start)
    solved = rs.solve(rules.start())
    assert (solved.lead_to_win, solved.lead_to_draw) == graph.thresholds(key_of(start))
    assert len(solved.moves) == start.legal_moves.count


@pytest.mark.parametrize("options", OPTION_SETS, ids=name)
def test_repetition_without_history_is_repetition_with_it(options: dict[str, Any]) -> None:
    rules = Rules(pits=3, setup=(1,) * 6, **options)
    chance = random.Random(1)
    graph = GameGraph(rules)
    compared = 0
    for ring in chance.sample(list(rings(3, 5, least=2)), 120):
        protected = chance.choice(protections(rules, ring))
        root = reference.Position(rules, ring, protected=protected)
        graph.add(root)
        if root.is_over:
            continue
        lead = chance.randint(-3, 3)
        expected = graph.result_with_history(key_of(root), lead, budget=3_000)
        if expected is None:
            continue
        stores = (max(lead, 0), max(-lead, 0))
        position = rs.Position(rules, ring, stores, protected=protected)
        sign = 1 if position.mover == 0 else -1
        solved = rs.solve(position)
        assert sign * solved.result == expected, position
        compared += 1
        replay(solved)
    assert compared > 25


def replay(solved: rs.Solution) -> str:
    """Plays the line of a solution as a game, which must end with the result; how it ends."""
    game = rs.Game(solved.position)
    mover = solved.position.mover
    for move in solved.line:
        assert move in rs.solve(game.position).best_moves
        game.push(move)
    assert game.outcome is not None
    sign = 1 if mover == 0 else -1
    assert {0: 1, 1: -1, -1: 0}[game.outcome.winner] * sign == solved.result
    return game.outcome.end


@pytest.mark.parametrize("repetition", ["draw", "stores"])
def test_lines_are_perfect_play(repetition: str) -> None:
    chance = random.Random(2)
    ends = set()
    for rules in (
        rs.giuthi(pits=3, seeds=1, repetition=repetition),
        rs.engehe(pits=3, seeds=1, repetition=repetition),
        rs.giuthi(pits=4, seeds=1, repetition=repetition, extra_pit="not_origin"),
    ):
        for _ in range(60):
            ring = [0] * (2 * rules.pits)
            for _ in range(chance.randint(2, 8)):
                ring[chance.randrange(2 * rules.pits)] += 1
            stores = chance.randint(0, 5), chance.randint(0, 5)
            position = rs.Position(rules, ring, stores, mover=chance.randint(0, 1))
            if not position.is_over:
                solved = rs.solve(position)
                ends.add((replay(solved), solved.result))
    assert {("repetition", 0), ("both_stuck", 1), ("both_stuck", -1)} <= ends
    assert ("repetition", 1) in ends or repetition == "draw"


def test_a_move_is_worth_what_its_position_is() -> None:
    position = rs.Position(rs.giuthi(pits=4, seeds=1), [2, 0, 3, 1, 0, 2, 2, 0], stores=(1, 2))
    solved = rs.solve(position)
    assert list(solved.moves) == list(position.legal_moves)
    results = set()
    for move, value in solved.moves.items():
        after = position.play(move)
        sign = 1 if after.mover == position.mover else -1
        assert value.result == sign * rs.solve(after).result
        results.add(value.result)
    assert max(results) == solved.result
    assert solved.best_moves == tuple(
        move for move, value in solved.moves.items() if value.result == solved.result
    )


def test_a_game_that_is_over_is_worth_its_stores() -> None:
    rules = rs.giuthi(pits=3, seeds=1)
    solved = rs.solve(rs.Position(rules, [1, 0, 1, 0, 0, 1], stores=(1, 2)))
    assert (solved.result, solved.lead_to_win, solved.lead_to_draw) == (0, 0, -1)
    assert solved.moves == {}
    assert solved.line == ()
    drawn = rs.Position(rs.giuthi(pits=3, seeds=1, endless="draw"), [1] * 6, (9, 0), drawn=True)
    solved = rs.solve(drawn)
    assert (solved.result, solved.lead_to_win, solved.lead_to_draw) == (0, math.inf, -math.inf)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"repetition": "score"}, "repetition='score'"),
        ({"repetition": "off"}, "repetition='off'"),
    ],
)
def test_values_that_hang_on_history_are_refused(options: dict[str, str], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        rs.solve(rs.giuthi(pits=3, seeds=2, **options).start())


def test_too_many_positions_are_refused() -> None:
    start = rs.giuthi(pits=3, seeds=2).start()
    with pytest.raises(ValueError, match="more than max_positions=1000 positions can be reached"):
        rs.solve(start, max_positions=1_000)
    assert rs.solve(start, max_positions=6_318).positions == 6_318
    for wrong in (0, 2**31):
        with pytest.raises(ValueError, match=f"max_positions={wrong}"):
            rs.solve(start, max_positions=wrong)
    with pytest.raises(TypeError, match="position must be a Position"):
        rs.solve(rs.giuthi())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="max_positions must be an integer"):
        rs.solve(start, max_positions=1.5)  # type: ignore[arg-type]


@pytest.mark.parametrize("pits", [8, 16, 35])
def test_wide_boards_are_solved_from_both_sides(pits: int) -> None:
    rules = rs.engehe(pits=pits, seeds=1)
    ring = [0] * (2 * pits)
    ring[pits - 2] = ring[-1] = 1
    solved = rs.solve(rs.Position(rules, ring))
    turned = rs.solve(rs.Position(rules, ring[pits:] + ring[:pits], mover=1))
    assert (solved.lead_to_win, solved.lead_to_draw) == (turned.lead_to_win, turned.lead_to_draw)
    assert solved.positions == turned.positions > pits
