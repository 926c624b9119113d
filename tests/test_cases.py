"""The case files in the lanes of every instruction set, and a row for every value of an option."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import relaysow as rs
from relaysow import Sow
from relaysow.options import CHOICES
from relaysow.simulation.summary import ENDS
from test_batch import LEVELS, batch_at
from test_rules import CASES, rules_of

FEWEST_ROWS = 9  # of a batch that moves in lanes


def rows(*names: str) -> list[dict[str, Any]]:
    """The rows of some case files."""
    return [
        json.loads(line)
        for name in names
        for line in (CASES / f"{name}.jsonl").read_text().splitlines()
    ]


MOVES = rows("moves", "capturing_seed")
OPTIONS = rows("options", "combinations")


def moves_in_cases() -> Iterator[tuple[rs.Position, list[Any], Any]]:
    """Positions, moves of them with what comes after, and, where no moves are listed, the end."""
    for case in MOVES:
        moves = [(entry["move"], entry["after"]) for entry in case["moves"]]
        yield rs.Position(rules_of(case), **case["position"]), moves, case["over"]
    for case in OPTIONS:
        for changed, result in (({}, "default"), (case["option"], "with_option")):
            position = rs.Position(rules_of(case, **changed), **case["position"])
            moves = [(case["move"], case[result])] if "move" in case else []
            yield position, moves, None if moves else case[result]["over"]


def told(batch: rs.Batch, row: int) -> dict[str, Any]:
    """What a batch tells of a row after a step, in the words of the case files."""
    if batch.illegal[row]:
        return {"illegal": True}
    rules, n = batch.rules, batch.rules.pits
    seen = {name: batch.observations[row, part].tolist() for name, part in batch.features.items()}
    (mover,) = seen["mover"]
    ring = range(-n * mover, n * (2 - mover))  # in the order of the observation: its own row first
    pits, stores = seen["pits"], seen["stores"]
    board: dict[str, Any] = {
        "pits": [pits[k] for k in ring],
        "stores": stores[::-1] if mover else stores,
        "mover": mover,
    }
    if rules.protection != "none":
        board["protected"] = [pit for pit, k in enumerate(ring) if seen["protected"][k]]
    if rules.extra_direction == "opposite" and seen["direction"] != [0]:
        board["direction"] = (None, "ccw", "cw")[seen["direction"][0]]
    if rules.extra_pit == "not_origin" and seen["barred"] != [0]:
        board["barred"] = n * mover + seen["barred"][0] - 1
    if batch.terminated[row]:
        end = "drawn" if ENDS[batch.ends[row]] == "endless" else "over"
        board[end] = batch.scores[row].tolist() if end == "over" else True
    return board


def in_a_batch(level: str, position: rs.Position, moves: list[Any]) -> list[dict[str, Any]]:
    """What a batch tells of these moves, each made in a row of its own, and of their legality."""
    n = max(FEWEST_ROWS, len(moves))
    batch = batch_at(level, position.rules, n, mask="exact", illegal="report", autoreset="Disabled")
    batch.reset(start=position)
    actions = np.zeros(n, np.int64)
    actions[: len(moves)] = [position.action(Sow(**move)) for move, _ in moves]
    legal = [bool(batch.mask[row, actions[row]]) for row in range(len(moves))]
    batch.step(actions)
    answers = [told(batch, row) for row in range(len(moves))]
    assert legal == ["illegal" not in answer for answer in answers]
    return answers


@pytest.mark.parametrize("level", LEVELS)
def test_a_batch_moves_as_the_case_files_say(level: str) -> None:
    compared = 0
    for position, moves, over in moves_in_cases():
        if over is not None:
            with pytest.raises(ValueError, match=r"^nothing is left to play in the start Position"):
                in_a_batch(level, position, moves)
            continue
        candidates = [(move, after) for move, after in moves if is_candidate(position, Sow(**move))]
        for (_, after), answer in zip(
            candidates, in_a_batch(level, position, candidates), strict=True
        ):
            wanted = {"illegal": True} if after == "illegal" else {**after}
            for not_told in ("laps", "captured", "moves_again", "endless", "period"):
                wanted.pop(not_told, None)
            assert answer == wanted, (position, after)
            compared += 1
    assert compared > 2_000


def is_candidate(position: rs.Position, move: Sow) -> bool:
    """Whether a move has an action number: not, if an option forbids what it names."""
    try:
        position.action(move)
    except rs.IllegalMove:
        return False
    return True


# --------------------------------------------------------------- a row or a game for every value


def by_lift(engine: Any, lift: str) -> Any:
    """How many seeds of South's two a move may begin with."""
    game = engine.Game(engine.Position(rs.engehe(3, lift=lift), (2, 0, 0, 0, 3, 0)))
    lifts = [move.lift for move in game.legal_moves]
    game.push(game.legal_moves[0])
    return lifts, game.position.pits


def by_redistribution(engine: Any, redistribution: str) -> Any:
    """How many pits a player may empty, two of theirs holding seeds; sowings empty none."""
    game = engine.Game(rs.kiothi(1, 2, 3, redistribution=redistribution, protection="none"))
    first = [len(move.emptied) for move in game.legal_moves if isinstance(move, rs.Redistribute)]
    game.push(game.legal_moves[-1])
    return set(first), game.position.redistributions


def by_repetition(engine: Any, repetition: str) -> Any:
    """A seed of South's and one of North's go to the next pit and back; South is ahead by two."""
    rules = rs.engehe(4, direction="either", end="both_stuck", repetition=repetition)
    game = engine.Game(engine.Position(rules, (1, 0, 0, 0, 1, 0, 0, 0), (3, 1)))
    for text in ("1+", "1+", "2-", "2-"):
        game.push(game.position.move_from_text(text))
    return game.outcome


def by_max_laps(engine: Any, max_laps: int | None) -> Any:
    """The pits that South may sow: the first two sow two laps, the third one."""
    rules = rs.engehe(3, max_laps=max_laps)
    game = engine.Game(engine.Position(rules, (1, 1, 1, 0, 0, 2)))
    return [move.pit for move in game.legal_moves]


BY_GAMES: dict[str, tuple[Any, dict[Any, Any]]] = {
    "lift": (by_lift, {"all": ([None], (0, 1, 1, 0, 3, 0)), "any": ([1, 2], (1, 0, 0, 0, 0, 0))}),
    "redistribution": (
        by_redistribution,
        {"none": (set(), 2), "one": ({1}, 1), "two": ({2}, 1), "up_to_two": ({0, 1, 2}, 1)},
    ),
    "repetition": (
        by_repetition,
        {
            "draw": rs.Outcome(-1, (3, 1), "repetition"),
            "stores": rs.Outcome(0, (3, 1), "repetition"),
            "score": rs.Outcome(0, (4, 2), "repetition"),
            "off": None,
        },
    ),
    "max_laps": (by_max_laps, {None: [0, 1, 2], 1: [2]}),
}


@pytest.mark.parametrize("option", BY_GAMES)
def test_a_game_parts_the_values(engine: Any, option: str) -> None:
    play, expected = BY_GAMES[option]
    assert {value: play(engine, value) for value in expected} == expected
    results = list(expected.values())
    assert all(results.count(result) == 1 for result in results)


def values_with_a_row() -> set[tuple[str, Any]]:
    """The values of options that a row shows against another: its results part."""
    found = set()
    for case in OPTIONS:
        if len(case["option"]) == 1 and case["default"] != case["with_option"]:
            (option,) = case["option"]
            for rules in (rules_of(case), rules_of(case, **case["option"])):
                found.add((option, getattr(rules, option)))
    return found


def test_every_value_has_a_row_or_a_game() -> None:
    words = {(option, value) for option, values in CHOICES.items() for value in values}
    numbers = {("minimum_lift", 1), ("minimum_lift", 2), ("max_laps", None), ("max_laps", 1)}
    by_games = {(option, value) for option, (_, told) in BY_GAMES.items() for value in told}
    lacking = (words | numbers) - values_with_a_row() - by_games
    assert not lacking, f"no row of the case files and no game shows {lacking}"
