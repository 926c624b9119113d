"""The games of OpenSpiel pass its own tests, and play as `Game`.  Run by their mark."""

from __future__ import annotations

import copy
import pickle
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import relaysow as rs
from test_batch import Row
from test_envs import GAMES_OF_A_CAMPAIGN, PLAYED, result_of, reward_of, rules_of, seen_by

pytestmark = pytest.mark.openspiel


@pytest.fixture(scope="module")
def pyspiel() -> Any:
    import_module("relaysow.envs.openspiel")
    return import_module("pyspiel")


def load(pyspiel: Any, name: str, **parameters: Any) -> Any:
    return pyspiel.load_game(name.partition("_")[0], {"rules": name, **parameters})


@pytest.mark.parametrize("name", rs.RULE_SETS)
def test_random_simulations(pyspiel: Any, name: str) -> None:
    game = load(pyspiel, name)
    assert game.rules == rs.RULE_SETS[name]()
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


def play(pyspiel: Any, name: str, options: dict[str, Any], games: int) -> None:
    rules, chance = rules_of(name, options), np.random.default_rng(7)
    game = load(pyspiel, name, **options)
    batch = rs.Batch(rules, 1)
    assert game.num_distinct_actions() == batch.actions
    assert game.observation_tensor_shape() == [batch.observations.shape[1] + 2]
    for _ in range(games):
        row, state = Row(rules.start(), None), game.new_initial_state()
        while not state.is_terminal():
            mover = row.position.mover
            assert state.current_player() == mover
            assert state.play.position == row.position
            assert state.play.position.passed == row.position.passed
            assert set(state.legal_actions()) == row.legal(exact=True)
            assert state.legal_actions(1 - mover) == []
            for player in (0, 1):
                tensor = state.observation_tensor(player)
                assert tensor == [1 - player, player, *seen_by(player, row)]
            assert state.returns() == [0, 0]
            action = int(chance.choice(state.legal_actions()))
            row.push(action)
            state.apply_action(action)
        assert row.over
        assert state.returns() == [reward_of(0, row), reward_of(1, row)]
        outcome = state.play.game.outcome
        assert (outcome.stores, outcome.winner, outcome.end) == result_of(row)


@pytest.mark.parametrize(("name", "options"), PLAYED)
def test_plays_as_game(pyspiel: Any, name: str, options: dict[str, Any]) -> None:
    play(pyspiel, name, options, 2)


@pytest.mark.campaign
@pytest.mark.parametrize(("name", "options"), PLAYED)
def test_plays_as_game_at_length(pyspiel: Any, name: str, options: dict[str, Any]) -> None:
    play(pyspiel, name, options, GAMES_OF_A_CAMPAIGN)


def same(one: Any, other: Any) -> None:
    assert one.history() == other.history()
    assert one.full_history() == other.full_history()
    assert one.move_number() == other.move_number()
    assert str(one) == str(other)
    assert one.current_player() == other.current_player()
    assert one.legal_actions() == other.legal_actions()
    assert one.observation_tensor(0) == other.observation_tensor(0)
    assert one.observation_string(1) == other.observation_string(1)
    assert one.returns() == other.returns()


@pytest.mark.parametrize(("name", "options"), PLAYED)
def test_copies_and_undo(pyspiel: Any, name: str, options: dict[str, Any]) -> None:
    """What is cloned, serialised, or taken back and made again is the same, the turn included."""
    game, chance = load(pyspiel, name, **options), np.random.default_rng(8)
    state, earlier = game.new_initial_state(), []
    while not state.is_terminal() and len(earlier) < 120:
        earlier.append(state.clone())
        state.apply_action(int(chance.choice(state.legal_actions())))
        if len(earlier) % 8 == 0:
            _, again = pyspiel.deserialize_game_and_state(
                pyspiel.serialize_game_and_state(game, state)
            )
            same(again, state)
            same(pickle.loads(pickle.dumps(state)), state)
            same(copy.deepcopy(state), state)
            same(again.clone(), state)
    last = state.clone()
    with pytest.raises(ValueError, match=r"player 0's action 10000 is not the last"):
        state.undo_action(0, 10_000)
    past = state.full_history()
    for before, made in zip(reversed(earlier), reversed(past), strict=True):
        state.undo_action(made.player, made.action)
        same(state, before)
    assert state.is_initial_state()
    for made in past:
        state.apply_action(made.action)
    same(state, last)


def test_a_copy_keeps_what_may_not_be_repeated(pyspiel: Any) -> None:
    game, chance, repeated = load(pyspiel, "giuthi", pits=4), np.random.default_rng(9), 0
    for _ in range(12):
        state = game.new_initial_state()
        while not state.is_terminal():
            before = state.clone()
            state.apply_action(int(chance.choice(state.legal_actions())))
        repeated += state.play.game.outcome.end == "repetition"
        before.apply_action(state.history()[-1])
        same(before, state)
        assert before.play.game.outcome == state.play.game.outcome
    assert repeated > 0


def test_algorithms_of_openspiel(pyspiel: Any) -> None:
    """Its MCTS beats random players in its evaluation loop; its alpha-beta search is right."""
    mcts = import_module("open_spiel.python.algorithms.mcts")
    evaluate_bots = import_module("open_spiel.python.algorithms.evaluate_bots")
    uniform = import_module("open_spiel.python.bots.uniform_random")
    game, won = load(pyspiel, "giuthi", pits=3, seeds=3), 0.0
    for seed in range(6):
        chance = np.random.RandomState(seed)
        evaluator = mcts.RandomRolloutEvaluator(1, chance)
        bot = mcts.MCTSBot(game, 1.4, 40, evaluator, random_state=chance)
        bots = [bot, uniform.UniformRandomBot(1, chance)]
        won += evaluate_bots.evaluate_bots(game.new_initial_state(), bots, chance)[0]
    assert won > 2

    minimax = import_module("open_spiel.python.algorithms.minimax")
    short = load(pyspiel, "engehe", pits=3, seeds=1)
    value, _ = minimax.alpha_beta_search(short)
    assert value == rs.solve(rs.engehe(pits=3, seeds=1).start()).result


def test_parameters(pyspiel: Any) -> None:
    game = pyspiel.load_game("giuthi(pits=3,setup=1 2 3 4 5 6,chain=run,max_laps=7)")
    assert game.rules == rs.giuthi(pits=3, setup=(1, 2, 3, 4, 5, 6), chain="run", max_laps=7)
    short = pyspiel.load_game("giuthi(max_game_length=3)")
    assert short.max_game_length() == 3
    state = short.new_initial_state()
    for _ in range(3):
        assert not state.is_terminal()
        state.apply_action(state.legal_actions()[0])
    assert state.is_terminal()
    assert state.returns() == [0, 0]
    assert state.legal_actions() == []
    text = rs.Position(game.rules, [2, 0, 1, 3, 0, 0], mover=1).to_text()
    assert game.new_initial_state(text).current_player() == 1
    for parameters, text in (
        ({"chain": "loop"}, "chain='loop': must be"),
        ({"rules": "oware"}, "rules='oware': must be 'giuthi'"),
        ({"max_game_length": -1}, "max_game_length=-1: must be 1…"),
    ):
        with pytest.raises(ValueError, match=text):
            pyspiel.load_game("giuthi", parameters)
    state = pyspiel.load_game("kiothi(redistribution=up_to_two)").new_initial_state()
    names = [state.action_to_string(action) for action in state.legal_actions()]
    assert names == [*(f"empty {k}" for k in range(5, 11)), "empty no more"]
    state = pyspiel.load_game("giuthi").new_initial_state()
    assert state.action_to_string(state.legal_actions()[1]) == "1-"
