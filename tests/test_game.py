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
ONE_OF_SOUTH = (1, 0, 0, 0, 0, 0, 0, 0)


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


@pytest.mark.parametrize("scope", ["position", "turn"])
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
    scope: str,
    repetition: str,
    stores: tuple[int, int],
    winner: int,
    final: tuple[int, int],
) -> None:
    rules = walk(repetition=repetition, repetition_scope=scope)
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
    for rules in (walk(repetition="off"), walk(repetition="off", repetition_scope="turn")):
        game = start(engine, rules, ONE_EACH)
        play(game, *("1+", "1+", "2-", "2-") * 3)
        assert game.position == game.start
        assert not game.is_over
        assert texts(game) == ["1+", "1-"]
    game = start(engine, again(repetition="off", repetition_scope="turn"), ONE_EACH)
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


def test_repeating_within_the_turn_is_illegal(engine: Any) -> None:
    rules = walk(uncrossed="moves_again", repetition_scope="turn")
    game = start(engine, rules, ONE_EACH)
    play(game, "1+")
    assert texts(game) == ["2+"]
    assert [engine.Game(game.position).legal_moves.count, game.position.legal_moves.count] == [2, 2]
    move = rs.Sow(1, direction="cw")
    assert (move in game.legal_moves, move in game.position.legal_moves) == (False, True)
    with pytest.raises(ValueError, match=r"Sow\(pit=1, lift=None, direction='cw'\)"):
        game.legal_moves.index(move)
    with pytest.raises(rs.IllegalMove) as refused:
        game.push(move)
    assert str(refused.value) == (
        f"illegal move {move!r} in {game.position.to_text()}: it repeats a position of this turn"
    )
    play(game, "2+")
    assert texts(game) == ["3+"]
    play(game, "3+", "4+")  # into North's seed, on to North's pits 2 and 3: the turn is over
    assert game.position.pits == (0, 0, 0, 0, 0, 1, 1, 0)
    assert (game.position.mover, texts(game)) == (1, ["2+", "2-", "3+", "3-"])


def test_no_move_left_within_the_turn(engine: Any) -> None:
    """The second move leaves South with one, which would bring back the position after the first:
    he passes.  North does the same, and a turn of South begins as the game began."""
    game = start(engine, again(repetition_scope="turn"), ONE_EACH)
    play(game, "1+", "2-")
    assert (game.position.mover, game.position.direction, game.position.pits) == (1, None, ONE_EACH)
    assert not game.is_over
    play(game, "1+", "2-")
    assert game.outcome == rs.Outcome(-1, (3, 1), "repetition")
    assert game.undo() == rs.Sow(5, direction="cw")
    assert (game.position.mover, game.position.direction, game.is_over) == (1, "cw", False)


def test_no_move_left_and_the_other_is_stuck(engine: Any) -> None:
    """North has no seeds: South, whose only move would bring the start of his turn back, passes,
    North passes, and South begins a new turn without duties."""
    rules = again(repetition_scope="turn")
    game = start(engine, rules, ONE_OF_SOUTH, direction="ccw")
    play(game, "1+")
    assert (game.position.mover, game.position.direction) == (0, None)
    assert (game.position.passed, game.is_over) == (True, False)
    assert texts(game) == ["2+", "2-"]
    play(game, "2-")  # this position began the turn before; now it comes inside a turn
    assert (game.position, game.is_over) == (game.start, False)
    play(game, "1+")
    assert game.position.pits == (0, 1, 0, 0, 0, 0, 0, 0)
    assert game.outcome == rs.Outcome(-1, (3, 1), "repetition")


@pytest.mark.parametrize(
    ("end", "pits", "outcome"),
    [
        ("row_empty", ONE_OF_SOUTH, rs.Outcome(0, (4, 1), "row_empty")),
        ("able_player_sweeps", ONE_EACH, rs.Outcome(-1, (3, 3), "swept")),
        ("able_player_sweeps", ONE_OF_SOUTH, rs.Outcome(0, (4, 1), "both_stuck")),
        ("last_mover_sweeps", ONE_EACH, rs.Outcome(-1, (3, 3), "swept")),
        ("last_mover_sweeps", ONE_OF_SOUTH, rs.Outcome(0, (3, 2), "swept")),
    ],
)
def test_no_move_left_ends_the_game(
    engine: Any, end: str, pits: tuple[int, ...], outcome: rs.Outcome
) -> None:
    game = start(engine, again(repetition_scope="turn", end=end), pits)
    play(game, "1+", "2-")
    assert game.outcome == outcome
    assert list(game.legal_moves) == []
    game.undo()
    assert (game.is_over, texts(game)) == (False, ["2-"])


def test_no_move_left_under_row_empty_passes(engine: Any) -> None:
    game = start(engine, again(repetition_scope="turn", end="row_empty"), ONE_EACH)
    play(game, "1+", "2-")
    assert (game.position.mover, game.is_over) == (1, False)


def test_redistributions_are_not_compared(engine: Any) -> None:
    """Twice nothing is emptied; `up_to_two` allows it."""
    game = engine.Game(rs.kiothi(redistribution="up_to_two", repetition_scope="turn"))
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


def test_spelling_does_not_matter_within_a_turn(engine: Any) -> None:
    rules = rs.engehe(4, uncrossed="moves_again", repetition_scope="turn")
    game = start(engine, rules, ONE_EACH)
    play(game, "1")
    moves = game.legal_moves
    assert rs.Sow(1, lift=1, direction="ccw") in moves
    assert moves.index(rs.Sow(1, direction="ccw")) == 0
    assert moves[0] == moves[-1] == rs.Sow(1)
    assert list(moves) == moves[:] == [rs.Sow(1)]
    assert moves == [rs.Sow(1)]
    assert moves == type(game)(game.position).legal_moves
    for other in (
        [rs.Sow(2)],
        [],
        [rs.Sow(1), None],
        engine.Position.start(rs.kiothi()).legal_moves,
    ):
        assert moves != other
    assert rs.Sow(0) not in moves
    assert "1" not in moves
    assert len(moves) == moves.count == 1


def test_refusals(engine: Any) -> None:
    for wrong in (None, "giuthi", 3, rs.Sow(0), [8] * 16):
        with pytest.raises(TypeError, match="a game starts from Rules or a Position"):
            engine.Game(wrong)
    game = engine.Game(rs.giuthi(5, 4))
    for wrong in (None, "1+", 0, (0, "ccw")):
        with pytest.raises(TypeError, match="a move must be Sow or Redistribute"):
            game.push(wrong)
    with pytest.raises(IndexError, match="no move to undo"):
        game.undo()
    with pytest.raises(rs.IllegalMove) as refused:
        game.push(rs.Sow(7, direction="ccw"))
    assert str(refused.value) == (
        "illegal move Sow(pit=7, lift=None, direction='ccw') in giuthi(pits=5,seeds=4) "
        "4,4,4,4,4;4,4,4,4,4 0,0 S - - 2: pit 7 is not the mover's: must be 0…4"
    )
    assert (game.moves, game.position) == ((), game.start)


def test_a_finished_start(engine: Any) -> None:
    game = engine.Game(engine.Position(rs.giuthi(3, 4), (1, 0, 0, 0, 1, 1), stores=(10, 11)))
    assert game.outcome == rs.Outcome(1, (11, 13), "both_stuck")
    with pytest.raises(rs.IllegalMove, match="the game is over"):
        game.push(rs.Sow(0, direction="ccw"))
    assert type(game).from_record(game.record()).outcome == game.outcome


def test_drawn_by_an_endless_sowing(engine: Any) -> None:
    rules = rs.giuthi(5, 4, endless="draw")
    game = start(engine, rules, (9, 2, 0, 3, 0, 0, 0, 0, 0, 2))
    play(game, "1+")
    assert game.outcome == rs.Outcome(-1, (3, 1), "endless")
    assert type(game).from_record(game.record()).position == game.position


def test_repr() -> None:
    game = rs.Game(rs.giuthi(5, 4))
    assert repr(game) == "<Game of giuthi(pits=5, seeds=4): 0 moves, South to move>"
    game.push(rs.Sow(0, direction="ccw"))
    assert repr(game) == "<Game of giuthi(pits=5, seeds=4): 1 move, North to move>"
    over = rs.Game(rs.Position(rs.giuthi(3, 4), (0, 0, 0, 0, 1, 1)))
    assert "0 moves, Outcome(winner=1, stores=(0, 2), end='both_stuck')" in repr(over)


def test_copies_and_pickles() -> None:
    game = rs.Game(rs.Position(walk(uncrossed="moves_again", repetition_scope="turn"), ONE_EACH))
    play(game, "1+")
    assert repr(game.legal_moves) == "<1 legal moves: Sow(pit=1, lift=None, direction='ccw')>"
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


@pytest.mark.parametrize("scope", ["position", "turn"])
@pytest.mark.parametrize("rule_set", rs.RULE_SETS)
def test_undo_restores_everything_and_records_replay(rule_set: str, scope: str) -> None:
    sizes: dict[str, Any] = {} if "kiothi" in rule_set else {"pits": 5, "seeds": 3}
    rules = rs.RULE_SETS[rule_set](**sizes, repetition_scope=scope)
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


@pytest.mark.parametrize(
    "fixed", [{}, {"pits": 3, "uncrossed": "moves_again", "repetition_scope": "turn"}]
)
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
