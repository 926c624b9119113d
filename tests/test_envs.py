"""Environments of Gymnasium and PettingZoo pass those libraries' own tests, and play as `Game`."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from pettingzoo.utils import BaseWrapper, parallel_to_aec, turn_based_aec_to_parallel

import relaysow as rs
import relaysow.envs
from test_batch import Row

with warnings.catch_warnings():
    # The tests import a game of PettingZoo's own where pygame is installed.
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, max_cycles_test, render_test, seed_test

Array = npt.NDArray[Any]

GAMES = {"giuthi": "Giuthi", "kiothi": "Kiothi", "engehe": "EnGehe"}
IDS = {name: f"relaysow/{GAMES[name.partition('_')[0]]}-v0" for name in rs.RULE_SETS}
# Duties and sizes that no named rule set has.
OTHERS: dict[str, dict[str, Any]] = {
    "giuthi": {"pits": 4, "seeds": 3, "extra_pit": "not_origin"},
    "giuthi_leakey": {"pits": 5, "seeds": 4, "repetition": "stores", "lift": "any"},
    "kiothi": {"pits": 5, "filled": 3, "seeds": 3, "redistribution": "up_to_two"},
    "engehe": {"pits": 8, "endless": "ends_turn"},
}
PLAYED = [*((name, {}) for name in rs.RULE_SETS), *OTHERS.items()]
GAMES_OF_A_CAMPAIGN = -(-10_000 // len(PLAYED))


def rules_of(name: str, options: dict[str, Any]) -> rs.Rules:
    return rs.RULE_SETS[name](**options)


def draw(mask: Array, chance: np.random.Generator) -> int:
    return int(chance.choice(np.flatnonzero(mask)))


def seen_by(player: int, row: Row) -> list[int]:
    """What a player sees, who is to move or not."""
    seen, rules = row.observation(), row.position.rules
    if player == row.position.mover:
        return seen
    n = rules.pits
    seen[: 2 * n] = seen[n : 2 * n] + seen[:n]
    seen[2 * n : 2 * n + 2] = seen[2 * n : 2 * n + 2][::-1]
    if rules.protection != "none":
        at = 2 * n + 4
        seen[at : at + 2 * n] = seen[at + n : at + 2 * n] + seen[at : at + n]
    return seen


def reward_of(player: int, row: Row) -> int:
    outcome = row.game.outcome
    if outcome is None or outcome.winner < 0:
        return 0
    return 1 if outcome.winner == player else -1


def result_of(row: Row) -> tuple[tuple[int, int], int, str]:
    outcome = row.game.outcome or rs.Outcome(-2, row.position.stores, "cut")
    return outcome.stores, outcome.winner, outcome.end


def told(info: dict[str, Any]) -> tuple[Any, ...]:
    return info["scores"], info["winner"], info["end"]


# Gymnasium, one game


def make(name: str, **arguments: Any) -> Any:
    return gymnasium.make(IDS[name], rules=name, **arguments).unwrapped


@pytest.mark.parametrize("name", rs.RULE_SETS)
@pytest.mark.parametrize("opponent", ["random", "greedy", None])
def test_gymnasium_check_env(name: str, opponent: str | None) -> None:
    check_env(make(name, opponent=opponent))


class Told:
    """An opponent that plays at random, and tells `Row` of it."""

    def __init__(self, seed: int) -> None:
        self.chance = np.random.default_rng(seed)
        self.row: Row

    def __call__(self, observation: Array, mask: Array) -> int:
        compare(self.row, self.row.position.mover, observation, mask)
        action = draw(mask, self.chance)
        self.row.push(action)
        return action


def compare(row: Row, player: int, observation: Array, mask: Array) -> None:
    assert observation.tolist() == seen_by(player, row)
    shown = set() if player != row.position.mover else row.legal(exact=True)
    assert set(np.flatnonzero(mask).tolist()) == shown


def play_gymnasium(name: str, options: dict[str, Any], games: int, max_moves: int | None) -> None:
    rules = rules_of(name, options)
    for both in (True, False):
        opponent = Told(1)
        env = make(
            name,
            opponent=None if both else opponent,
            player=None,
            max_moves=max_moves,
            illegal="raise",
            **options,
        )
        chance = np.random.default_rng(2)
        sides = set()
        for game in range(games):
            row = opponent.row = Row(rules.start(), max_moves)
            observation, info = env.reset(seed=game)
            sides.add(env.side)
            over, reward = False, 0
            while not over:
                side = env.side
                compare(row, side, observation, info["action_mask"])
                assert env.position == row.position
                assert env.position.passed == row.position.passed
                assert reward == 0
                action = draw(info["action_mask"], chance)
                row.push(action)
                observation, reward, terminated, truncated, info = env.step(action)
                assert (terminated, truncated) == (row.game.is_over, row.truncated)
                over = terminated or truncated
            assert reward == reward_of(side, row)
            assert told(info) == result_of(row)
            compare(row, env.side, observation, info["action_mask"])
            assert env.position == row.position
        assert both or games < 8 or sides == {0, 1}


@pytest.mark.parametrize(("name", "options"), PLAYED)
@pytest.mark.parametrize("max_moves", [None, 7])
def test_gymnasium_plays_as_game(name: str, options: dict[str, Any], max_moves: int | None) -> None:
    play_gymnasium(name, options, 2, max_moves)


@pytest.mark.campaign
@pytest.mark.parametrize(("name", "options"), PLAYED)
def test_gymnasium_plays_as_game_at_length(name: str, options: dict[str, Any]) -> None:
    play_gymnasium(name, options, GAMES_OF_A_CAMPAIGN, None)


@pytest.mark.parametrize("rules", [rs.engehe(pits=8), rs.kiothi_wikipedia(redistribution="none")])
def test_greedy_opponent(rules: rs.Rules) -> None:
    """Under rules without extra moves each answer of the opponent's is a largest capture."""
    env, chance, answered = relaysow.envs.Env(rules, opponent="greedy"), np.random.default_rng(3), 0
    for game in range(5):
        _, info = env.reset(seed=game)
        over = False
        while not over:
            action, before = draw(info["action_mask"], chance), env.position
            *_, terminated, truncated, info = env.step(action)
            over = terminated or truncated
            after = before.play(before.move(action))
            if after.is_over or after.mover == 0 or info.get("end") == "repetition":
                continue
            captures = {move: after.sow(move).captured for move in after.legal_moves}
            most = max(captures.values())
            best = [after.play(move) for move, captured in captures.items() if captured == most]
            if all(position.is_over or position.mover == 0 for position in best):
                assert env.position in best
                answered += most > 0
    assert answered > 20


def test_an_opponent_that_fails_once_is_asked_again() -> None:
    """The step has been made all the same: the mask is that of the position after the answer."""
    fails: list[bool] = []

    def first(_: Any, mask: Any) -> int:
        return int(mask.argmax())

    def failing(seen: Any, mask: Any) -> int:
        if fails:
            fails.clear()
            raise ConnectionError("no model")
        return first(seen, mask)

    env, twin = (relaysow.envs.Env("giuthi", opponent=one, player=0) for one in (failing, first))
    for each in (env, twin):
        each.reset(seed=1)
        each.step(0)
    failed = 0
    for _ in range(8):
        action = int(twin.action_masks().argmax())
        twin.step(action)
        fails.append(True)
        try:
            env.step(action)
        except ConnectionError:
            failed += 1
        fails.clear()  # where it was not asked
        assert (env.action_masks() == twin.action_masks()).all()
        assert env.position == twin.position
    assert failed > 2


@pytest.mark.parametrize("opponent", ["search:depth=2", "search:nodes=300"])
def test_searching_opponent(opponent: str) -> None:
    """It beats a random player, Kiothi's redistribution at random and all."""
    chance, returned = np.random.default_rng(4), 0.0
    for name, options in (
        ("giuthi", {"pits": 5, "seeds": 4}),
        ("kiothi", {"pits": 5, "filled": 3}),
    ):
        env = make(name, opponent=opponent, **options)
        for game in range(6):
            _, info = env.reset(seed=game)
            over = False
            while not over:
                action = draw(info["action_mask"], chance)
                _, reward, terminated, truncated, info = env.step(action)
                over = terminated or truncated
            returned += reward
    assert returned < -5


@pytest.mark.parametrize("opponent", ["random", "greedy", "search:depth=2"])
def test_gymnasium_games_follow_the_seed(opponent: str) -> None:
    def play(seed: int) -> list[Any]:
        env = make("kiothi", opponent=opponent, player=None, pits=5, filled=3)
        played: list[Any] = []
        for begin in ({"seed": seed}, {}):
            observation, info = env.reset(**begin)
            for _ in range(25):
                played.append(observation.tolist())
                if not info["action_mask"].any():
                    break
                observation, _, _, _, info = env.step(int(info["action_mask"].argmax()))
        return played

    assert play(1) == play(1)
    assert play(1) != play(2)


def test_gymnasium_illegal_actions() -> None:
    env = make("giuthi")
    endless = rs.Position(rs.giuthi(5, 4), [9, 2, 0, 3, 0, 0, 0, 0, 0, 2])
    env = make("giuthi", pits=5, seeds=4)
    env.reset(options={"start": endless})
    observation, reward, terminated, truncated, info = env.step(0)
    assert (reward, terminated, truncated) == (-1, True, False)
    assert "never ends (period 100 laps)" in info["illegal"]
    assert observation[:10].tolist() == [9, 2, 0, 3, 0, 0, 0, 0, 0, 2]

    env = make("giuthi", pits=5, seeds=4, illegal="raise")
    env.reset(options={"start": endless})
    for action, error, text in (
        (0, rs.IllegalMove, r"^action 0: illegal move .*never ends"),
        (10, rs.IllegalMove, "^action 10: must be 0…9$"),
        (-1, rs.IllegalMove, "^action -1: must be 0…9$"),
        (2**70, rs.IllegalMove, f"^action {2**70}: must be"),
        (1.0, TypeError, r"^action must be an integer, not 1\.0$"),
        (None, TypeError, "not None"),
    ):
        with pytest.raises(error, match=text):
            env.step(action)
        assert env.position == endless
    env.step(np.int8(1))

    env = make("giuthi", opponent=lambda *_: 99, player=1)
    with pytest.raises(rs.IllegalMove, match="action 99"):
        env.reset()


@pytest.mark.parametrize("make_one", [make, lambda name, **k: relaysow.envs.Env(name, **k)])
def test_gymnasium_arguments(make_one: Callable[..., Any]) -> None:
    for arguments, error, text in (
        ({"opponent": "minimax"}, ValueError, "opponent='minimax': must be 'random', 'greedy'"),
        ({"opponent": 3}, TypeError, "opponent must be a policy, a function or None, not 3"),
        ({"player": 2}, ValueError, "player=2: must be 0 \\(South\\), 1 \\(North\\) or None"),
        ({"illegal": "ignore"}, ValueError, "illegal='ignore': must be 'lose' or 'raise'"),
        ({"max_moves": 0}, ValueError, "max_moves=0"),
        ({"chain": "loop"}, ValueError, "chain='loop'"),
        ({"chains": "run"}, TypeError, "chains"),
    ):
        with pytest.raises(error, match=text):
            make_one("giuthi", **arguments)
    with pytest.raises(ValueError, match="rules='oware': must be 'giuthi', 'kiothi', "):
        relaysow.envs.Env("oware")
    with pytest.raises(TypeError, match=r"options beside Rules: \['pits'\]"):
        relaysow.envs.Env(rs.giuthi(), pits=4)
    with pytest.raises(TypeError, match="rules must be Rules or the name of a rule set, not 3"):
        relaysow.envs.Env(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="render_mode='human'"):
        relaysow.envs.Env(render_mode="human")
    rules = rs.engehe(pits=7, chain="run")
    assert relaysow.envs.Env(rules).rules is rules
    env = relaysow.envs.Env()
    env.reset()
    with pytest.raises(ValueError, match="of other rules"):
        env.reset(options={"start": rs.giuthi(pits=5).start()})


def test_rendering() -> None:
    env = make("giuthi", render_mode="ansi")
    env.reset()
    assert env.render() == str(rs.giuthi().start())
    env = make("giuthi", render_mode="rgb_array")
    env.reset()
    first = env.render()
    assert first.dtype == np.uint8
    assert first.shape[2] == 3
    assert len(np.unique(first.reshape(-1, 3), axis=0)) > 10
    env.step(0)
    assert (env.render() != first).any()
    with pytest.warns(UserWarning, match="nothing is drawn"):
        make("giuthi").render()


def test_action_masks_of_sb3() -> None:
    env = make("kiothi")
    _, info = env.reset()
    assert (env.action_masks() == info["action_mask"]).all()
    assert env.action_space.contains(env.action_space.sample(info["action_mask"]))


# Gymnasium, many games


class Tally:
    """The games of a `VectorEnv`, a `Row` each; also an opponent that plays at random."""

    def __init__(self, start: rs.Position, n: int, max_moves: int | None, player: int) -> None:
        self.new = lambda: Row(start, max_moves)
        self.rows = [self.new() for _ in range(n)]
        self.ended: dict[int, Row] = {}
        self.player = player
        self.chance = np.random.default_rng(5)

    def draw(self, mask: Array) -> Array:
        return np.array([draw(m, self.chance) if m.any() else 0 for m in mask])

    def begin_anew(self, rows: Iterable[int]) -> None:
        for r in rows:
            if self.rows[r].over:
                self.ended[r], self.rows[r] = self.rows[r], self.new()

    def __call__(self, observations: Array, mask: Array) -> Array:
        actions = self.draw(mask)
        self.begin_anew(np.flatnonzero(mask.any(axis=1)))
        for r, row in enumerate(self.rows):
            if not row.over and row.position.mover != self.player:
                compare(row, row.position.mover, observations[r], mask[r])
                row.push(int(actions[r]))
        return actions


def play_vector(
    name: str,
    options: dict[str, Any],
    mode: AutoresetMode,
    both: bool,
    games: int,
    max_moves: int | None = None,
) -> None:
    n, player = 4, 1
    tally = Tally(rules_of(name, options).start(), n, max_moves, player)
    envs = gymnasium.make_vec(
        IDS[name],
        n,
        rules=name,
        opponent=None if both else tally,
        player=player,
        autoreset_mode=mode,
        max_moves=max_moves,
        **options,
    )
    at_once = mode is AutoresetMode.SAME_STEP
    observations, infos = envs.reset(seed=1)
    while games > 0:
        sides = [row.position.mover if both else player for row in tally.rows]
        for r, row in enumerate(tally.rows):
            compare(row, sides[r], observations[r], infos["action_mask"][r])
            assert envs.batch.position(r) == row.position
            assert envs.batch.position(r).passed == row.position.passed
        actions = tally.draw(infos["action_mask"])
        for r, row in enumerate(tally.rows):
            if row.over:  # under NextStep
                tally.rows[r] = tally.new()
            else:
                row.push(int(actions[r]))
        tally.ended = {}
        observations, rewards, terminations, truncations, infos = envs.step(actions)
        if at_once:
            tally.begin_anew(range(n))
        else:
            tally.ended = {r: row for r, row in enumerate(tally.rows) if row.over}
        ended = np.isin(range(n), list(tally.ended))
        assert (ended == (terminations | truncations)).all()
        assert not rewards[~ended].any()
        assert ("final_obs" in infos) == (at_once and ended.any())
        results = infos.get("final_info", infos)
        for r, row in tally.ended.items():
            games -= 1
            assert (terminations[r], truncations[r]) == (row.game.is_over, row.truncated)
            assert rewards[r] == reward_of(sides[r], row)
            assert (tuple(results["scores"][r]), results["winner"][r]) == result_of(row)[:2]
            assert (results["_scores"] == ended).all()
            assert (results["_winner"] == ended).all()
            if at_once:
                viewer = row.position.mover if both else player
                assert (infos["_final_obs"] == ended).all()
                assert infos["final_obs"][r].tolist() == seen_by(viewer, row)


MODES = [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP]


@pytest.mark.parametrize(("name", "options"), PLAYED)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("both", [True, False])
def test_vector_plays_as_game(
    name: str, options: dict[str, Any], mode: AutoresetMode, both: bool
) -> None:
    play_vector(name, options, mode, both, 2)
    play_vector(name, options, mode, both, 16, 5)


@pytest.mark.campaign
@pytest.mark.parametrize(("name", "options"), PLAYED)
@pytest.mark.parametrize("both", [True, False])
def test_vector_plays_as_game_at_length(name: str, options: dict[str, Any], both: bool) -> None:
    for mode in MODES:
        play_vector(name, options, mode, both, GAMES_OF_A_CAMPAIGN // 2)


@pytest.mark.parametrize("mode", [*MODES, "SameStep"])
def test_self_play_is_batch(mode: AutoresetMode | str) -> None:
    """Every array is that of `Batch`, and none is written anew later."""
    rules = rs.kiothi(pits=5, filled=3)
    envs = relaysow.envs.VectorEnv(rules, 60, opponent=None, autoreset_mode=mode, threads=2)
    observations, infos = envs.reset(seed=4)
    batch = rs.Batch(rules, 60, mask="exact", autoreset=mode)
    batch.reset(seed=int(gymnasium.utils.seeding.np_random(4)[0].integers(2**63)))
    kept: list[tuple[Array, list[Any]]] = []
    for _ in range(80):
        kept += [(array, array.tolist()) for array in (observations, infos["action_mask"])]
        assert (observations == batch.observations).all()
        assert (infos["action_mask"] == batch.mask).all()
        movers = batch.observations[:, batch.features["mover"].start].copy()
        actions = batch.sample()
        observations, rewards, terminations, truncations, infos = envs.step(actions)
        batch.step(actions)
        assert rewards.dtype == np.float32
        assert (rewards == batch.rewards[np.arange(60), movers]).all()
        assert (terminations == batch.terminated).all()
        assert (truncations == batch.truncated).all()
    assert all(array.tolist() == values for array, values in kept)


def test_vector_disabled_autoreset() -> None:
    for opponent in (None, "random"):
        envs = relaysow.envs.VectorEnv(
            num_envs=6, opponent=opponent, autoreset_mode="Disabled", pits=4, seeds=2
        )
        _, infos = envs.reset(seed=1)
        over, returned = np.zeros(6, bool), np.zeros(6)
        for _ in range(200):
            _, rewards, terminations, _, infos = envs.step(infos["action_mask"].argmax(axis=1))
            returned += rewards
            assert not (over & ~terminations).any()
            over = terminations
        assert over.all()
        assert (np.abs(returned) == (envs.batch.winners >= 0)).all()
        two = np.arange(6) < 2
        _, infos = envs.reset(options={"reset_mask": two})
        assert (infos["action_mask"].any(axis=1) == two).all()
        assert envs.step(infos["action_mask"].argmax(axis=1))[2].tolist() == (~two).tolist()


def test_vector_random_opponent() -> None:
    envs = relaysow.envs.VectorEnv(num_envs=400, player=None, pits=5, seeds=4)
    _, infos = envs.reset(seed=2)
    assert 150 < envs._sides.sum() < 250
    games, won = 0, 0
    for _ in range(60):
        assert (envs.batch.observations[:, envs._mover] == envs._sides)[~envs._over].all()
        actions = infos["action_mask"].argmax(axis=1)
        _, rewards, terminations, _, infos = envs.step(actions)
        games, won = games + int(terminations.sum()), won + int((rewards > 0).sum())
    assert games > 400
    assert 0.2 < won / games < 0.7


def test_vector_illegal_actions() -> None:
    start = rs.Position(rs.giuthi(5, 4), [9, 2, 0, 3, 0, 0, 0, 0, 0, 2])
    legal = np.full(4, start.action(start.legal_moves[0]))
    for opponent in (None, "random"):
        envs = relaysow.envs.VectorEnv(num_envs=4, opponent=opponent, pits=5, seeds=4)
        envs.reset(options={"start": start})
        for action in (0, 4, -1, 10):
            with pytest.raises(rs.IllegalMove, match=f"row 2, action {action}: "):
                envs.step(np.where(np.arange(4) == 2, action, legal))
            assert all(envs.batch.position(r) == start for r in range(4))
        envs.step(legal)
        lenient = relaysow.envs.VectorEnv(
            num_envs=4, opponent=opponent, mask="candidates", illegal="report", pits=5, seeds=4
        )
        _, infos = lenient.reset(options={"start": start})
        assert infos["action_mask"][0, 0]
        *_, infos = lenient.step(np.where(np.arange(4) == 2, 0, legal))
        assert infos["illegal"].tolist() == [False, False, True, False]
        assert lenient.batch.position(2) == start
        assert lenient.batch.position(1) != start
    with pytest.raises(ValueError, match="mask='candidates': illegal='raise' with an opponent"):
        relaysow.envs.VectorEnv(mask="candidates")
    with pytest.raises(ValueError, match="opponent='greedy': must be 'random' or None"):
        relaysow.envs.VectorEnv(opponent="greedy")
    with pytest.raises(ValueError, match="autoreset_mode='Sometimes': must be 'NextStep'"):
        relaysow.envs.VectorEnv(autoreset_mode="Sometimes")
    with pytest.raises(TypeError, match="actions must be 1 integers"):
        relaysow.envs.VectorEnv().step(np.zeros(1))
    envs = relaysow.envs.VectorEnv(opponent=lambda *_: [99], player=1)
    with pytest.raises(rs.IllegalMove, match="row 0, the opponent's action 99: not one of"):
        envs.reset()


# PettingZoo


def make_aec(name: str, **arguments: Any) -> Any:
    return pettingzoo.make("aec", IDS[name], rules=name, **arguments)


@contextmanager
def quiet() -> Iterator[None]:
    """Without what `api_test` warns of every game that has masks and is not of PettingZoo."""
    with warnings.catch_warnings():
        for text in (
            "Observation is not a NumPy array",
            "Observation space for each agent probably should be",
            "Action mask numpy array is all zeros",  # of a game that is over
        ):
            warnings.filterwarnings("ignore", message=text)
        yield


class Legal(BaseWrapper):  # type: ignore[misc]
    """Makes any action a legal one, for tests that know no masks."""

    def step(self, action: Any) -> None:
        agent = self.env.agent_selection
        if not (self.env.terminations[agent] or self.env.truncations[agent]):
            legal = np.flatnonzero(self.env.observe(agent)["action_mask"])
            action = legal[action % len(legal)]
        self.env.step(action)


@pytest.mark.parametrize("name", rs.RULE_SETS)
def test_pettingzoo_tests(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with quiet():
        api_test(make_aec(name), num_cycles=300)
    seed_test(lambda: make_aec(name), num_cycles=100)
    render_test(lambda **arguments: make_aec(name, **arguments))

    # It wants both agents to act in every cycle: the parallel form, in which who is not to move is
    # asked as well, and its actions are ignored.
    def parallel(max_cycles: int) -> Any:
        return turn_based_aec_to_parallel(Legal(make_aec(name, max_cycles=max_cycles)))

    max_cycles_test(
        SimpleNamespace(
            parallel_env=parallel, env=lambda max_cycles: parallel_to_aec(parallel(max_cycles))
        )
    )
    assert "Passed API test" in capsys.readouterr().out


def play_pettingzoo(name: str, options: dict[str, Any], games: int) -> None:
    start, chance = rules_of(name, options).start(), np.random.default_rng(6)
    env = make_aec(name, **options)
    for _ in range(games):
        row = Row(start, None)
        env.reset()
        for agent in env.agent_iter():
            player = int(agent[-1])
            observation, reward, terminated, truncated, info = env.last()
            compare(row, player, *observation.values())
            assert not truncated
            assert terminated == row.over
            assert reward == reward_of(player, row)
            if terminated:
                assert told(info) == result_of(row)
                env.step(None)
                continue
            assert player == row.position.mover
            compare(row, 1 - player, *env.observe(f"player_{1 - player}").values())
            assert env.unwrapped.position == row.position
            assert env.unwrapped.position.passed == row.position.passed
            action = draw(observation["action_mask"], chance)
            row.push(action)
            env.step(action)
        assert row.over
        assert env.agents == []


@pytest.mark.parametrize(("name", "options"), PLAYED)
def test_pettingzoo_plays_as_game(name: str, options: dict[str, Any]) -> None:
    play_pettingzoo(name, options, 2)


@pytest.mark.campaign
@pytest.mark.parametrize(("name", "options"), PLAYED)
def test_pettingzoo_plays_as_game_at_length(name: str, options: dict[str, Any]) -> None:
    play_pettingzoo(name, options, GAMES_OF_A_CAMPAIGN)


def test_pettingzoo_seeds() -> None:
    def play(seed: int) -> list[int]:
        env = make_aec("kiothi")
        env.reset(seed=seed)
        actions = []
        for agent in env.agent_iter(60):
            actions.append(int(env.action_space(agent).sample(env.observe(agent)["action_mask"])))
            env.step(actions[-1])
        return actions

    assert play(3) == play(3)
    assert play(3) != play(4)


def test_pettingzoo_illegal_actions() -> None:
    start = rs.Position(rs.giuthi(5, 4), [9, 2, 0, 3, 0, 0, 0, 0, 0, 2])
    env = make_aec("giuthi", pits=5, seeds=4)
    env.reset(options={"start": start})
    for action, error, text in (
        (0, rs.IllegalMove, r"^action 0: illegal move .*never ends \(period 100 laps\)$"),
        (10, rs.IllegalMove, "^action 10: must be 0…9$"),
        (None, TypeError, "action must be an integer, not None"),
    ):
        with pytest.raises(error, match=text):
            env.step(action)
        assert env.unwrapped.position == start
    env = make_aec("giuthi", pits=5, seeds=4, illegal="lose")
    env.reset(options={"start": start})
    env.step(0)
    seen = {}
    for agent in env.agent_iter():
        seen[agent] = env.last()[1:3]
        env.step(None)
    assert seen == {"player_0": (-1.0, True), "player_1": (0, True)}


def test_pettingzoo_arguments() -> None:
    for arguments, text in (
        ({"illegal": "ignore"}, "illegal='ignore': must be 'raise' or 'lose'"),
        ({"render_mode": "svg"}, "render_mode='svg': must be 'ansi', 'human'"),
        ({"max_cycles": 0}, "max_cycles=0: must be 1…2⁶³−1, or None"),
        ({"rules": "oware"}, "rules='oware'"),
    ):
        with pytest.raises(ValueError, match=text):
            pettingzoo.make("aec", "relaysow/Giuthi-v0", **arguments)


def test_pettingzoo_prints_for_humans(capsys: pytest.CaptureFixture[str]) -> None:
    env = make_aec("giuthi", render_mode="human")
    env.reset()
    env.step(0)
    first, second = str(rs.giuthi().start()), str(env.unwrapped.position)
    assert capsys.readouterr().out == f"{first}\n{second}\n"
    env = relaysow.envs.AEC()
    env.reset()
    with pytest.warns(UserWarning, match="nothing is drawn"):
        env.render()


# All


@pytest.mark.parametrize(
    ("missing", "code", "extra"),
    [
        ("gymnasium", "relaysow.envs.Env", "gymnasium"),
        ("pettingzoo", "relaysow.envs.AEC", "pettingzoo"),
        ("pyspiel", "import relaysow.envs.openspiel", "openspiel"),
        ("resvg_py", "relaysow.envs.Env(render_mode='rgb_array').render()", "gymnasium"),
    ],
)
def test_a_missing_library_names_its_extra(missing: str, code: str, extra: str) -> None:
    program = f"""
import sys
sys.modules[{missing!r}] = None
import relaysow.envs
try:
    {code}
except ImportError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == (
        f"{missing} is not installed; pip install 'relaysow[{extra}]' brings it\n"
    )


def test_gymnasium_finds_the_games_by_their_module() -> None:
    program = """
import gymnasium
print(gymnasium.make("relaysow.envs:relaysow/EnGehe-v0", pits=5).unwrapped.rules)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "engehe(pits=5, seeds=4)\n"
