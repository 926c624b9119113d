"""Games: history, undo, repetition in both scopes, and records.

The repetition cases are worked by hand on 2×4 with one seed in each row.  Where a seed moves
between its owner's pits 1 and 2 it lands in an empty pit facing an empty one, so nothing is ever
captured and the rules that matter can be followed at a glance.
"""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import relaysow as rs
from relaysow import reference
from strategies import rules_and_positions

ONE_EACH = (1, 0, 0, 0, 1, 0, 0, 0)


def walk(**options: Any) -> rs.Rules:
    """2×4, a single seed may be lifted and goes either way; a move hands over the turn."""
    given = {"direction": "either", "end": "both_stuck", **options}
    return rs.engehe(4, **given)


def again(**options: Any) -> rs.Rules:
    """The same, but a move within the own row earns another, against its direction."""
    return walk(uncrossed="moves_again", extra_direction="opposite", **options)


def start(engine: Any, rules: rs.Rules, pits: tuple[int, ...], **more: Any) -> Any:
    return engine.Game(engine.Position(rules, pits, **{"stores": (3, 1), **more}))


def play(game: Any, *texts: str) -> None:
    for text in texts:
        assert not game.is_over
        game.push(game.position.move_from_text(text))


def texts(game: Any) -> list[str]:
    return [game.position.move_to_text(move) for move in game.legal_moves]


@pytest.mark.parametrize(
    ("repetition", "stores", "winner", "final"),
    [
        ("draw", (3, 1), -1, (3, 1)),
        ("stores", (3, 1), 0, (3, 1)),
        ("stores", (1, 3), 1, (1, 3)),
        ("stores", (2, 2), -1, (2, 2)),
        ("score", (3, 1), 0, (4, 2)),
        ("score", (1, 2), 1, (2, 3)),
    ],
)
def test_position_comes_again(
    engine: Any,
    repetition: str,
    stores: tuple[int, int],
    winner: int,
    final: tuple[int, int],
) -> None:
    rules = walk(repetition=repetition)
    game = start(engine, rules, ONE_EACH, stores=stores)
    play(game, "1+", "1+", "2-", "2-")
    assert game.position == game.start
    assert game.outcome == rs.Outcome(winner, final, "repetition")
    assert not game.position.is_over
    assert (game.legal_moves.count, list(game.legal_moves), bool(game.legal_moves)) == (
        0,
        [],
        False,
    )
    with pytest.raises(rs.IllegalMove, match="the game is over"):
        game.push(rs.Sow(0, direction="ccw"))


def test_repetition_off(engine: Any) -> None:
    game = start(engine, walk(repetition="off"), ONE_EACH)
    play(game, *("1+", "1+", "2-", "2-") * 3)
    assert game.position == game.start
    assert not game.is_over
    assert texts(game) == ["1+", "1-"]
    game = start(engine, again(repetition="off"), ONE_EACH)
    play(game, *("1+", "2-") * 5)
    assert (texts(game), game.position.mover) == (["1+"], 0)


def test_only_equal_stores_can_come_again(engine: Any) -> None:
    """A capture leaves fewer seeds on the ring: nothing from before it counts any more."""
    game = start(engine, walk(), (1, 0, 0, 0, 1, 0, 0, 1))
    play(game, "1+", "4-")  # North's seed comes to face South's, on an empty pit, and takes it
    assert game.position.stores == (3, 3)
    assert game.position.pits == (0, 0, 0, 0, 1, 0, 0, 0)
    assert (game.position.mover, game.position.passed) == (1, True)
    play(game, "1+", "2-")
    assert game.outcome == rs.Outcome(-1, (3, 3), "repetition")


def test_protection_counts(engine: Any) -> None:
    """Lifting from South's pit 1 ends its protection: the opening never comes again, but the
    position after the first move does."""
    game = start(engine, walk(protection="until_lifted"), ONE_EACH, protected=(0,))
    play(game, "1+", "1+", "2-", "2-")
    assert game.position.pits == game.start.pits
    assert not game.is_over
    play(game, "1+")
    assert game.outcome == rs.Outcome(-1, (3, 1), "repetition")


def test_duties_count(engine: Any) -> None:
    """South's seed goes to and fro in one turn.  The opening ring comes back after two moves, but
    bound to go counter-clockwise; the third move brings back what the first one left."""
    game = start(engine, again(), ONE_EACH)
    play(game, "1+")
    assert (game.position.mover, game.position.direction) == (0, "cw")
    play(game, "2-")
    assert (game.position.pits, game.position.direction) == (ONE_EACH, "ccw")
    play(game, "1+")
    assert game.outcome == rs.Outcome(-1, (3, 1), "repetition")


def test_barred_pits_count(engine: Any) -> None:
    """Without a duty the opening comes back after two moves.  With the pit barred from which the
    move before began, that is another position, and the third move brings one back."""
    game = start(engine, walk(uncrossed="moves_again"), ONE_EACH)
    play(game, "1+", "2-")
    assert game.outcome == rs.Outcome(-1, (3, 1), "repetition")
    game = start(engine, walk(uncrossed="moves_again", extra_pit="not_origin"), ONE_EACH)
    play(game, "1+")
    assert game.position.barred == 0
    play(game, "2-")
    assert (game.position.pits, game.position.barred) == (ONE_EACH, 1)
    play(game, "1+")
    assert game.outcome == rs.Outcome(-1, (3, 1), "repetition")


def test_redistributions_are_not_compared(engine: Any) -> None:
    """Twice nothing is emptied; `up_to_two` allows it."""
    game = engine.Game(rs.kiothi(redistribution="up_to_two"))
    for _ in range(2):
        assert game.legal_moves.count == 300_705_175
        game.push(rs.Redistribute((), (0,) * 20))
    assert game.position.pits == game.start.pits
    assert (game.position.redistributions, game.is_over) == (2, False)


def test_moves_are_kept_in_canonical_spelling(engine: Any) -> None:
    game = engine.Game(rs.engehe(5))
    game.push(rs.Sow(1, lift=4, direction="ccw"))
    assert game.moves == (rs.Sow(1),)
    game = engine.Game(engine.Position(rs.kiothi(), (3, 0, 0, 0, 0) * 4))
    game.push(rs.Sow(5))
    assert game.moves == (rs.Sow(5, lift=3),)


def test_repr() -> None:
    game = rs.Game(rs.giuthi(5, 4))
    assert repr(game) == "<Game of giuthi(pits=5, seeds=4): 0 moves, South to move>"
    game.push(rs.Sow(0, direction="ccw"))
    assert repr(game) == "<Game of giuthi(pits=5, seeds=4): 1 move, North to move>"
    over = rs.Game(rs.Position(rs.giuthi(3, 4), (0, 0, 0, 0, 1, 1)))
    assert "0 moves, Outcome(winner=1, stores=(0, 2), end='both_stuck')" in repr(over)


def test_copies_and_pickles() -> None:
    game = rs.Game(rs.Position(walk(uncrossed="moves_again"), ONE_EACH))
    play(game, "1+")
    for again in (copy.deepcopy(game), pickle.loads(pickle.dumps(game))):
        assert state(again) == state(game)
        play(again, "2+")
        again.undo()
        assert state(again) == state(game)


def state(game: Any) -> tuple[Any, ...]:
    position = game.position
    moves = game.legal_moves
    return (
        position,
        position.passed,
        game.outcome,
        game.moves,
        list(moves) if moves.count < 1_000 else moves.count,
    )


def random_game(engine: Any, start: Any, seed: int, most: int) -> Any:
    """A game of at most so many moves drawn at random."""
    chance = random.Random(seed)
    game = engine.Game(start)
    while not game.is_over and len(game.moves) < most:
        moves = game.legal_moves
        game.push(moves[chance.randrange(moves.count)])
    return game


@pytest.mark.parametrize("rule_set", rs.RULE_SETS)
def test_undo_restores_everything_and_records_replay(rule_set: str) -> None:
    sizes: dict[str, Any] = {} if "kiothi" in rule_set else {"pits": 5, "seeds": 3}
    rules = rs.RULE_SETS[rule_set](**sizes)
    for seed in range(5):
        game = random_game(rs, rules, seed, 300)
        replayed = rs.Game.from_record(game.record())
        assert state(replayed) == state(game)
        assert replayed.record() == game.record()
        fresh, states = rs.Game(rules), []
        for move in game.moves:
            states.append(state(fresh))
            fresh.push(move)
        for move, before in zip(reversed(game.moves), reversed(states), strict=True):
            assert game.undo() == move
            assert state(game) == before
        for move in fresh.moves:
            game.push(move)
        assert state(game) == state(fresh)


@pytest.mark.parametrize("fixed", [{}, {"pits": 3, "uncrossed": "moves_again"}])
@given(data=st.data())
def test_games_agree_with_the_reference(fixed: dict[str, Any], data: st.DataObject) -> None:
    """Random rules and positions: move by move the same game, forth and back, and one record."""
    _, position = data.draw(rules_and_positions(**fixed))
    core, plain = rs.Game(position(rs)), reference.Game(position(reference))

    def compare() -> None:
        assert core.outcome == plain.outcome
        assert core.position.to_text() == plain.position.to_text()
        assert core.legal_moves.count == plain.legal_moves.count
        if core.legal_moves.count <= 1_000:
            assert list(core.legal_moves) == list(plain.legal_moves)

    compare()
    while not core.is_over and len(core.moves) < 40:
        move = core.legal_moves[data.draw(st.integers(0, core.legal_moves.count - 1))]
        core.push(move)
        plain.push(move)
        compare()
    assert core.record() == plain.record()
    for _ in range(min(len(core.moves), 5)):
        assert core.undo() == plain.undo()
        compare()
