"""Search: against `solve`, against plain minimax of games with their history, and its limits."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import relaysow as rs
from game_graph import rings
from relaysow import reference
from relaysow.check import check
from relaysow.exact.analysis import Analysis
from relaysow.players.computer import choose
from relaysow.rules import Rules
from relaysow.simulation.columns import COLUMNS
from strategies import Setup, rules_and_positions
from test_solve import ENGEHE, KIOTHI, OPTION_SETS, name, protections

DUTIES = {"extra_direction": "opposite", "extra_pit": "not_origin"}


def lead(position: Any) -> int:
    stores: tuple[int, int] = position.stores
    return stores[position.mover] - stores[1 - position.mover]


def score_of(solved: rs.Value, at: int) -> float:
    """The score that solved thresholds mean at a lead."""
    if at >= solved.lead_to_win:
        return at - solved.lead_to_win + 1
    return 0 if at >= solved.lead_to_draw else at - solved.lead_to_draw


def minimax(game: Any, depth: int) -> int:
    """What the player to move gets, in leads, by looking so many moves ahead at a game with its
    history; a game drawn whatever the stores counts 0."""
    if game.is_over:
        outcome = game.outcome
        if outcome.winner == -1:
            return 0
        south = outcome.stores[0] - outcome.stores[1]
        return south if game.position.mover == 0 else -south
    if depth == 0:
        return lead(game.position)
    mover, best = game.position.mover, -10_000
    for move in list(game.legal_moves):
        game.push(move)
        score = minimax(game, depth - 1)
        best = max(best, score if game.position.mover == mover else -score)
        game.undo()
    return best


def after(game: Any, move: Any, depth: int) -> int:
    """What a move is worth by `minimax` to the player who makes it."""
    mover = game.position.mover
    game.push(move)
    score = minimax(game, depth - 1)
    same = game.position.mover == mover
    game.undo()
    return score if same else -score


def played(start: Any, moves: int, chance: random.Random) -> rs.Game:
    """A game of so many random moves, fewer if it ends before."""
    game = rs.Game(start)
    for _ in range(moves):
        if game.is_over or game.position.redistributions < 2:
            break
        game.push(chance.choice(list(game.legal_moves)))
    if game.is_over and game.moves:
        game.undo()
    return game


def position_of(rules: Rules, seeds: int, chance: random.Random) -> rs.Position:
    """A random position that is not over."""
    while True:
        ring = [0] * (2 * rules.pits)
        for _ in range(seeds):
            ring[chance.randrange(2 * rules.pits)] += 1
        protected = chance.choice(protections(rules, tuple(ring)))
        stores = chance.randint(0, 4), chance.randint(0, 4)
        position = rs.Position(rules, ring, stores, chance.randint(0, 1), protected)
        if not position.is_over:
            return position


@pytest.mark.parametrize("options", OPTION_SETS, ids=name)
def test_what_is_proved_is_what_solve_finds(options: dict[str, Any]) -> None:
    chance = random.Random(3)
    proved = 0
    for number in range(40):
        pits = 4 if number % 4 == 3 else 3
        rules = Rules(pits=pits, setup=(1,) * (2 * pits), **options)
        position = position_of(rules, chance.randint(2, 6), chance)
        score = score_of(rs.solve(position), lead(position))

        def check(found: Analysis, score: float = score, position: Any = position) -> None:
            assert not found.exact or found.score == score, position
            assert not found.lines[0].exact or found.score <= score, position

        found = rs.analyse(position, depth=60, memory=2**20, report=check)
        assert found.score == score, position
        proved += found.exact
    assert proved >= 3  # often it would take all ways round long cycles


@pytest.mark.campaign
@pytest.mark.parametrize("options", OPTION_SETS, ids=name)
def test_every_small_position(options: dict[str, Any]) -> None:
    rules = Rules(pits=3, setup=(1,) * 6, **options)
    for ring in rings(3, 5, least=1):
        for protected in protections(rules, ring):
            position = rs.Position(rules, ring, protected=protected)
            if not position.is_over:
                found = rs.analyse(position, depth=100, memory=2**22)
                assert found.score == score_of(rs.solve(position), 0), position


@given(rules_and_positions(max_laps=20), st.integers(0, 6), st.integers(0, 2**32))
def test_scores_are_those_of_minimax(drawn: tuple[Rules, Setup], moves: int, seed: int) -> None:
    start = drawn[1](rs)
    game = played(start, moves, random.Random(seed))
    if game.is_over or game.position.redistributions < 2 or len(game.legal_moves) > 12:
        return
    found = rs.analyse(game, depth=2, memory=0, lines=1_000)
    assert {line.move for line in found.lines} == {*game.legal_moves}
    for line in found.lines:
        assert line.score == after(game, line.move, 2)
    assert [line.score for line in found.lines] == sorted(
        (line.score for line in found.lines), reverse=True
    )


@pytest.mark.parametrize("repetition", ["draw", "stores", "score", "off"])
@pytest.mark.parametrize("options", [{}, ENGEHE, KIOTHI, DUTIES], ids=["g", "e", "k", "duties"])
def test_scores_in_games_with_repetition(options: dict[str, Any], repetition: str) -> None:
    chance = random.Random(5)
    changed = proved = 0
    for _ in range(25):
        rules = Rules(pits=3, setup=(1,) * 6, **options, repetition=repetition)
        game = played(position_of(rules, chance.randint(3, 5), chance), 6, chance)
        if game.is_over or len(game.legal_moves) > 6:
            continue
        found = rs.analyse(game, depth=4, memory=0, lines=1_000)
        for line in found.lines:
            assert line.score == after(game, line.move, 4), game.record()
            if line.exact:
                assert line.score == after(game, line.move, 5), game.record()
        shared = rs.analyse(game, depth=30, nodes=20_000, memory=2**20, lines=1_000)
        alone = rs.analyse(game, depth=30, nodes=20_000, memory=0, lines=1_000)
        scores = {line.move: line.score for line in alone.lines if line.exact}
        for line in shared.lines:
            if line.exact and line.move in scores:
                proved += 1
                assert line.score == scores[line.move], game.record()
        changed += found.score != rs.analyse(game.position, depth=4, memory=0).score
    assert proved > 10
    assert changed or repetition in ("off", "stores") or options != {}


def test_what_a_path_proves_is_not_believed_on_another() -> None:
    # One proof in hundreds is wrong where a position that comes again is worth the same anywhere.
    rules = Rules(pits=3, setup=(1,) * 6, **ENGEHE)
    chance = random.Random(7)
    proved = 0
    for _ in range(2_000):
        position = position_of(rules, chance.randint(5, 11), chance)
        found = rs.analyse(position, depth=100, nodes=30_000, memory=2**20)
        if found.exact:
            proved += 1
            assert found.score == score_of(rs.solve(position), lead(position)), position
    assert proved > 1_000


def test_positions_met_before_change_no_score() -> None:
    # Without extra moves none was met before at another depth, but for rare cycles.
    rules = rs.engehe(pits=6, seeds=1)
    chance = random.Random(9)
    for _ in range(500):
        position = position_of(rules, chance.randint(20, 40), chance)
        for depth in (5, 7):
            remembering = rs.analyse(position, depth=depth, memory=2**20)
            assert remembering.score == rs.analyse(position, depth=depth, memory=0).score, position


def test_a_line_is_play_to_its_score() -> None:
    chance = random.Random(1)
    whole = 0
    for number in range(60):
        rules = rs.giuthi(pits=3, seeds=2, repetition=("draw", "stores")[number % 2])
        position = position_of(rules, chance.randint(4, 9), chance)
        found = rs.analyse(position, depth=12, lines=2)
        assert found.depth <= 12
        for line in found.lines:
            game = rs.Game(position)
            for move in line.moves:
                game.push(move)
            last = game.position
            sign = 1 if last.mover == position.mover else -1
            if game.outcome is not None:
                whole += line.exact
                assert line.score == sign * minimax(game, 0), position
            elif not line.exact:
                assert len(line.moves) <= line.depth
            else:
                assert line.score == sign * score_of(rs.solve(last), lead(last))
    assert whole > 30


def test_node_counts_are_reproducible() -> None:
    for rules, depth, nodes in ((rs.giuthi(), 7, 63_522), (rs.engehe(pits=40), 4, 9_091)):
        found = rs.analyse(rules.start(), depth=depth)
        again = rs.analyse(rules.start(), depth=depth)
        assert found == again
        limited = rs.analyse(rules.start(), nodes=found.nodes // 2)
        assert limited == rs.analyse(rules.start(), nodes=found.nodes // 2)
        assert limited.nodes <= found.nodes // 2 + 1
        assert found.nodes == nodes


def test_the_first_depth_is_always_finished() -> None:
    found = rs.analyse(rs.giuthi().start(), nodes=1)
    assert found.depth == 1
    assert found.nodes == 16
    found = rs.analyse(rs.giuthi().start(), seconds=1e-9)
    assert found.depth >= 1
    begin = time.perf_counter()
    found = rs.analyse(rs.giuthi().start(), seconds=0.2)
    assert 0.15 < time.perf_counter() - begin < 5
    assert found.depth > 3


def test_threads_prove_the_same() -> None:
    chance = random.Random(8)
    for _ in range(12):
        position = position_of(rs.giuthi(pits=3, seeds=1), 6, chance)
        found = rs.analyse(position, depth=60, seconds=20, threads=3, memory=2**20)
        assert found.exact
        assert found.score == score_of(rs.solve(position), lead(position))
    deep = rs.analyse(rs.giuthi().start(), depth=6, threads=4, lines=3)
    assert len(deep.lines) == 3


def test_history_counts() -> None:
    # Back and forth in the own rows: to go on with it would be a draw.
    rules = rs.giuthi(pits=3, seeds=1)
    chance = random.Random(2)
    differ = 0
    for _ in range(200):
        game = played(position_of(rules, 4, chance), 8, chance)
        if game.is_over:
            continue
        for line in rs.analyse(game, depth=1, lines=100).lines:
            game.push(line.move)
            if game.outcome is not None and game.outcome.end == "repetition":
                differ += 1
                assert line.exact
                assert line.score == 0
            game.undo()
    assert differ > 5


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("search") / "giuthi.rsow"
    with rs.Tablebase.build(rs.giuthi(pits=4, seeds=1), 8, path) as built:
        yield built


def test_a_tablebase_is_believed(table: rs.Tablebase) -> None:
    chance = random.Random(4)
    rules = rs.giuthi(pits=4, seeds=2)
    proved = 0
    for _ in range(60):
        position = position_of(rules, chance.randint(4, 9), chance)
        score = score_of(rs.solve(position), lead(position))
        found = rs.analyse(position, depth=6, tablebase=table)
        assert not found.exact or found.score == score
        proved += found.exact
        if sum(position.pits) <= 8:
            assert found.score == score, position
            value = table.probe(position)
            assert (found.score > 0) - (found.score < 0) == value.result
    assert proved > 20


def test_no_result_that_a_tablebase_sees_is_thrown_away(table: rs.Tablebase) -> None:
    chance = random.Random(6)
    rules = rs.giuthi(pits=4, seeds=1)
    results = {1: 0, 0: 0, -1: 0}
    for _ in range(60):
        game = rs.Game(position_of(rules, chance.randint(5, 8), chance))
        player = game.position.mover
        result = table.probe(game.position).result
        while not game.is_over:
            if game.position.mover == player:
                game.push(rs.analyse(game, depth=6, tablebase=table).best_move)
            else:
                game.push(chance.choice(list(game.legal_moves)))
        assert game.outcome is not None
        ended = {player: 1, -1: 0}.get(game.outcome.winner, -1)
        assert ended >= result, game.record()
        results[result] += 1
    assert min(results.values()) > 3


def test_endless_sowings_are_illegal_in_a_search_too() -> None:
    start = [2, 0, 1, 0, 1, 0, 1, 0, 2, 1]
    position = rs.Position(rs.engehe(pits=5, seeds=1), start)
    assert position.sow(rs.Sow(0)).endless
    found = rs.analyse(position, depth=5, lines=10, memory=0)
    assert rs.Sow(0) not in {line.move for line in found.lines}
    for line in found.lines:
        assert line.score == after(rs.Game(position), line.move, 5)


def test_ctrl_c(tmp_path: Path) -> None:
    program = tmp_path / "endless.py"
    program.write_text(
        "import signal, sys, time, relaysow as rs\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def told(found):\n"
        "    if found.depth == 5: print('deep', flush=True)\n"
        "try:\n"
        "    rs.analyse(rs.giuthi().start(), depth=200, threads=2, report=told)\n"
        "except rs.AnalysisInterrupted as error:\n"
        "    assert error.result.depth >= 5 and error.result.lines[0].moves\n"
        "    print(error, flush=True)\n"
    )
    with subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "deep\n"
        begin = time.perf_counter()
        process.send_signal(signal.SIGINT)
        said = process.stdout.readline()
        seconds = time.perf_counter() - begin
        assert process.wait() == 0
    assert said.startswith("interrupted after depth ")
    assert seconds < 3  # half a second, on a machine that is not busy


def test_numbers_and_functions_of_other_types() -> None:
    for seconds in (np.float32(5), np.int64(5), Fraction(9, 2), 10**400):
        assert rs.analyse(START, seconds=seconds, depth=1).depth == 1  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^report must be a function, not 5$"):
        rs.analyse(START, depth=1, report=5)  # type: ignore[arg-type]


def test_a_report_may_stop_it() -> None:
    def stop(found: Analysis) -> None:
        if found.depth == 3:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        rs.analyse(rs.giuthi().start(), depth=9, report=stop)
    depths: list[int] = []
    rs.analyse(rs.giuthi().start(), depth=4, report=lambda found: depths.append(found.depth))
    assert depths == [1, 2, 3, 4]


START = rs.giuthi(pits=5, seeds=4).start()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({}, ValueError, "a limit is needed: seconds, depth or nodes"),
        ({"seconds": 0}, ValueError, "seconds=0: must be more than 0"),
        ({"seconds": float("nan")}, ValueError, "seconds=nan"),
        ({"seconds": "1"}, TypeError, "seconds must be a number, not '1'"),
        ({"seconds": True}, TypeError, "seconds must be a number"),
        ({"depth": 0}, ValueError, "depth=0: must be 1…200"),
        ({"depth": 201}, ValueError, "depth=201"),
        ({"depth": 1.5}, TypeError, "depth must be an integer"),
        ({"nodes": 0}, ValueError, "nodes=0"),
        ({"nodes": 2**63}, ValueError, "nodes=9223372036854775808"),
        ({"depth": 1, "lines": 0}, ValueError, "lines=0: must be 1…1000"),
        ({"depth": 1, "lines": 10**30}, ValueError, "lines=1000"),
        ({"depth": 1, "threads": 0}, ValueError, "threads=0"),
        ({"depth": 1, "memory": -1}, ValueError, "memory=-1"),
        ({"depth": 1, "memory": 2**40 + 1}, ValueError, "memory=1099511627777"),
        ({"depth": 1, "tablebase": "a.rsow"}, TypeError, "tablebase must be a Tablebase"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        rs.analyse(START, **arguments)


def test_positions_that_cannot_be_searched(table: rs.Tablebase) -> None:
    with pytest.raises(TypeError, match="position must be a Position or a Game, not giuthi"):
        rs.analyse(rs.giuthi(), depth=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a redistribution is due, one of 300,450,150"):
        rs.analyse(rs.kiothi().start(), depth=1)
    over = rs.Position(rs.giuthi(pits=3, seeds=1), [1, 0, 0, 0, 0, 1])
    for game in (over, rs.Game(over)):
        with pytest.raises(ValueError, match="the game is over: giuthi"):
            rs.analyse(game, depth=1)
    with pytest.raises(ValueError, match="the table is of giuthi"):
        rs.analyse(rs.engehe(pits=4, seeds=1).start(), depth=1, tablebase=table)
    assert rs.analyse(START, seconds=1e300, depth=1).depth == 1


# ------------------------------------------------------------------------------------- policies


def results(games: rs.Simulation) -> list[Any]:
    return [getattr(games, column).tolist() for column in COLUMNS]


@settings(max_examples=25)
@given(
    rules_and_positions(max_laps=12, lift="all", pits=3),
    st.integers(1, 2),
    st.integers(0, 2**64 - 1),
)
def test_the_reference_plays_the_same_games_by_depth(
    drawn: tuple[Rules, Setup], depth: int, seed: int
) -> None:
    start = drawn[1](rs)
    policy = (f"search:depth={depth}", "random")
    games = [
        rs.simulate(start, 2, seed, policy=policy, max_moves=12, engine=engine)
        for engine in ("native", "reference")
    ]
    assert results(games[0]) == results(games[1])


@pytest.mark.parametrize("function", [*rs.RULE_SETS])
def test_named_rules_by_depth(function: str) -> None:
    filled = {"filled": 3} if function.startswith("kiothi") else {}
    rules: Rules = rs.RULE_SETS[function](pits=4, **filled)
    core = rs.simulate(rules, 6, policy="search:depth=2", max_moves=16)
    plain = rs.simulate(rules, 6, policy="search:depth=2", max_moves=16, engine="reference")
    assert results(core) == results(plain)


@pytest.mark.parametrize("policy", ["search:depth=3", "search:nodes=300"])
def test_policies_play_the_same_games_on_any_number_of_threads(policy: str) -> None:
    for rules in (rs.giuthi(pits=6, seeds=4), rs.giuthi_leakey(), rs.engehe(pits=10)):
        one = rs.simulate(rules, 200, threads=1, policy=(policy, "random"))
        assert results(one) == results(
            rs.simulate(rules, 200, threads=3, policy=(policy, "random"))
        )
        late = rs.simulate(rules, 20, first_game=180, policy=(policy, "random"))
        assert late.moves.tolist() == one.moves[180:].tolist()
    games = rs.simulate(rs.giuthi(), 30, policy=policy)
    assert len({*games.laps.tolist()}) > 10  # chance decides among equal moves


def test_matches_by_search() -> None:
    matches = rs.simulate_match(
        rs.giuthi(pits=4, seeds=3), matches=10, policy=("search:nodes=200", "random"), max_rounds=5
    )
    assert (matches.winner == 0).sum() > 5


def strength(policy: str, other: str, games: int) -> float:
    """The share of points, a draw being half a one, that a policy scores from both sides."""
    points = 0.0
    for player, pair in enumerate(((policy, other), (other, policy))):
        winner = rs.simulate(rs.giuthi(), games // 2, seed=11, policy=pair).winner
        points += (winner == player).sum() + (winner == -1).sum() / 2
    return float(points) / (games // 2 * 2)


def test_strength() -> None:
    assert strength("search:nodes=2000", "random", 60) > 0.95
    assert strength("search:nodes=2000", "greedy", 60) > 0.8
    assert strength("search:depth=3", "greedy", 60) > 0.7


@pytest.mark.campaign
def test_strength_of_ten_thousand_nodes() -> None:
    assert strength("search:nodes=10000", "random", 1_000) >= 0.99
    assert strength("search:nodes=10000", "greedy", 1_000) >= 0.90


@pytest.mark.parametrize(
    "policy",
    [
        "search", "search:", "search:depth", "search:depth=", "search:depth=0", "search:depth=201",
        "search:depth=1.5", "search:depth=+2", "search:depth=02", "search:nodes=0",
        "search:nodes=1000000001", "search:nodes=" + "9" * 40, "search:depth=٣", "Search:depth=3",
        "search:depth=3 ", "search:time=3",
    ],
)  # fmt: skip
def test_bad_policies(policy: str) -> None:
    with pytest.raises(ValueError, match="must be 'random', 'greedy', 'search:depth=N'"):
        rs.simulate(rs.giuthi(), 1, policy=policy)


def test_the_reference_refuses_what_it_does_not_know() -> None:
    message = "policy='search:nodes=9': the reference has no such search"
    with pytest.raises(ValueError, match=message):
        rs.simulate(rs.giuthi(), 1, policy="search:nodes=9", engine="reference")
    with pytest.raises(ValueError, match=message):
        check(rs.giuthi(), games=1, policy=("random", "search:nodes=9"))
    start = reference.Position.start(rs.giuthi())
    with pytest.raises(ValueError, match="south='search:nodes=9': must be"):
        reference.simulate(start, 1, 1, 0, "search:nodes=9", "random", None)
    report = check(rs.giuthi(pits=4, seeds=2), games=3, policy="search:depth=2", processes=1)
    assert report.difference is None


def test_who_plays_in_a_terminal_may_search() -> None:
    chance = random.Random(3)
    for _ in range(20):
        game = played(rs.giuthi(pits=4, seeds=2), chance.randint(0, 8), chance)
        worth = {move: after(game, move, 2) for move in game.legal_moves}
        move = choose(game, "search:depth=2", chance)
        assert worth[move] == max(worth.values())
        assert choose(game, "search:nodes=500", chance) == rs.analyse(game, nodes=500).best_move
