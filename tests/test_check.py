"""`check`: it compares all it says, and finds faults planted in the reference."""

from __future__ import annotations

import multiprocessing
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import relaysow as rs
from relaysow import cli, reference
from relaysow._support.threads import cores
from relaysow.check import CheckInterrupted, Report, check, random_rules
from relaysow.check.playing import Task
from relaysow.check.sharing import played
from relaysow.options import CHOICES
from relaysow.reference import moves as plain_moves
from relaysow.reference import players as plain_players
from relaysow.reference import position as plain_position

SMALL = rs.giuthi(pits=5, seeds=4)
GAMES = {"engehe": 1, "kiothi_wikipedia": 1, "giuthi": 8}


@pytest.mark.slow
@pytest.mark.parametrize("name", rs.RULE_SETS)
def test_core_and_reference_agree(name: str) -> None:
    rules, games = rs.RULE_SETS[name](), GAMES.get(name, 4)
    report = check(rules, games=games, seed=77, first_game=5)
    assert report.difference is None
    assert report.games == games
    # The counts say what was compared: every position a game came to, a list where one is due.
    moves = int(rs.simulate(rules, games=games, seed=77, first_game=5).moves.sum())
    assert report.positions == moves + games
    assert report.lists == moves
    assert report.traces > 4 * moves


@pytest.mark.slow
def test_core_and_reference_agree_under_random_rules() -> None:
    report = check(None, games=40, seed=2**63, policy=("greedy", "random"))
    assert report.difference is None
    assert report.games == 40
    assert report.title.startswith(
        "under random rules, greedy against random, seed 9223372036854775808"
    )


def test_full_games_are_counted_apart() -> None:
    whole = check(SMALL, games=9, seed=3)
    part = check(SMALL, games=9, seed=3, full=2)
    none = check(SMALL, games=9, seed=3, full=0)
    assert whole.positions == part.positions == none.positions
    assert 0 < none.lists < part.lists < whole.lists / 2
    assert 0 < none.traces < part.traces < whole.traces / 2
    assert whole.positions - 9 < none.traces  # every move played


def test_processes_share_the_games() -> None:
    alone = check(SMALL, games=7, seed=3, first_game=10)
    assert check(SMALL, games=7, seed=3, first_game=10, processes=2) == alone
    assert str(alone).endswith("sowings compared: no difference")
    position = rs.Position(SMALL, (0, 3, 0, 0, 2, 1, 0, 2, 0, 5), stores=(9, 18), mover=1)
    assert check(position, games=6, processes=2) == check(position, games=6)


def test_games_start_after_a_pass() -> None:
    position = rs.Position(SMALL, (0, 0, 0, 0, 1, 3, 0, 0, 0, 0))
    assert position.passed
    rules = rs.giuthi(pits=3, setup=(0, 0, 0, 4, 2, 2))
    assert rules.start().passed
    for start in (position, rules, reference.Position.start(rules)):
        assert check(start, games=20).difference is None


@pytest.mark.campaign
@pytest.mark.parametrize("name", rs.RULE_SETS)
def test_campaign_ten_thousand_games(name: str) -> None:
    report = check(rs.RULE_SETS[name](), games=10_000, seed=10, full=200, processes=cores())
    print(report)
    assert report.difference is None


@pytest.mark.campaign
def test_campaign_twenty_thousand_games_under_random_rules() -> None:
    report = check(None, games=20_000, seed=20, full=2_000, processes=cores())
    print(report)
    assert report.difference is None


# ---------------------------------------------------------------------------- planted faults

Patch = Callable[[pytest.MonkeyPatch], None]


def chain_falls_short(patch: pytest.MonkeyPatch) -> None:
    """A chain of captures leaves its last pit."""
    right = plain_position.captured_pits

    def wrong(*arguments: Any) -> tuple[int, ...]:
        taken = right(*arguments)
        return taken[:-1] if len(taken) > 2 else taken

    patch.setattr(plain_position, "captured_pits", wrong)


def big_pits_stay(patch: pytest.MonkeyPatch) -> None:
    """A pit of nine or more cannot be lifted clockwise."""
    right = plain_moves.candidates

    def wrong(rules: Any, mover: int, pits: Any, *duties: Any) -> Any:
        for move in right(rules, mover, pits, *duties):
            if pits[move.pit] < 9 or move.direction == "ccw":
                yield move

    for room in (plain_moves, plain_players):
        patch.setattr(room, "candidates", wrong)


def nobody_passes(patch: pytest.MonkeyPatch) -> None:
    """The game ends when the player to move cannot, though the other could."""
    right = plain_position.judge

    def wrong(*arguments: Any) -> Any:
        judged = right(*arguments)
        return (1 - judged[0], None, None, False, "both_stuck") if judged[3] else judged

    patch.setattr(plain_position, "judge", wrong)


@pytest.mark.parametrize(
    ("fault", "what", "seeds", "pits"),
    [
        (chain_falls_short, "captured", 4, 3),
        (big_pits_stay, "number of legal moves", 9, 3),
        (nobody_passes, "mover", 2, 3),
    ],
)
def test_a_fault_in_a_rule_is_brought_down_to_a_small_position(
    fault: Patch, what: str, seeds: int, pits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault(monkeypatch)
    report = check(rs.giuthi(pits=7, seeds=6), games=300, full=50)
    difference = report.difference
    assert difference is not None
    assert report.games == difference.game < 300
    smallest = difference.smallest
    assert smallest is not None
    position = rs.Position.from_text(smallest.position)
    assert position.rules.pits == pits
    assert sum(position.pits) == seeds
    assert position.stores == (0, 0)
    assert smallest.core != smallest.reference
    twin = reference.Position.from_text(smallest.position)
    if smallest.move is not None:
        told = position.sow(position.move_from_text(smallest.move))
        assert repr(getattr(told, smallest.what)) == smallest.core
        other = twin.sow(twin.move_from_text(smallest.move))
        assert repr(getattr(other, smallest.what)) == smallest.reference
    assert what in (smallest.what, difference.what)
    for words in (smallest.position, smallest.core, smallest.reference, difference.position):
        assert words in str(report)


def deaf_to_repetition(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(reference.Game, "_repeats", lambda *_: False)


def other_chance(patch: pytest.MonkeyPatch) -> None:
    right = reference.Chance.below
    patch.setattr(
        reference.Chance, "below", lambda chance, count: min(right(chance, count) + 1, count - 1)
    )


@pytest.mark.parametrize(
    ("fault", "what"),
    [
        (deaf_to_repetition, "is_over of the game"),
        (other_chance, "scores of the simulated game"),
    ],
)
def test_a_fault_of_the_game_is_found_where_no_position_shows_it(
    fault: Patch, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault(monkeypatch)
    difference = check(SMALL, games=100).difference
    assert difference is not None
    assert difference.what == what
    assert difference.smallest is None
    assert "it takes the game's history" in str(difference)


def test_a_fault_on_a_rare_option_falls_to_random_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    right = plain_position.sow_laps

    def wrong(rules: rs.Rules, *arguments: Any) -> Any:
        if rules.origin == "skipped" and rules.relay == "onward" and rules.bonus == "up_to_three":
            rules = rs.Rules(pits=rules.pits, setup=rules.setup, relay="onward", endless="draw")
        return right(rules, *arguments)

    for room in (plain_position, plain_moves):
        monkeypatch.setattr(room, "sow_laps", wrong)
    report = check(None, games=2_000, full=0)
    difference = report.difference
    assert difference is not None
    assert difference.smallest is not None
    rules = rs.Position.from_text(difference.smallest.position).rules
    assert (rules.origin, rules.bonus, rules.pits) == ("skipped", "up_to_three", 3)


def test_the_command_exits_with_1_and_shows_the_position(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    chain_falls_short(monkeypatch)
    code = cli.main(["check", "giuthi", "--pits", "5", "--seeds", "4", "--processes", "1"])
    printed = capsys.readouterr()
    assert code == 1
    assert "DIFFERENCE in game" in printed.out
    text = printed.out.split("The smallest position found that shows it")[1]
    line = next(line for line in text.splitlines() if line.startswith("  position   "))
    assert sum(rs.Position.from_text(line.removeprefix("  position   ")).pits) == 4


# -------------------------------------------------------------------------------------- drawing


def test_random_rules_hold_every_value_of_every_option() -> None:
    drawn = [random_rules(random.Random(number)) for number in range(600)]
    assert [random_rules(random.Random(number)) for number in range(600)] == drawn
    for name, values in CHOICES.items():
        counts = Counter(getattr(rules, name) for rules in drawn)
        assert set(counts) == set(values)
        assert min(counts.values()) > 30
    assert {rules.minimum_lift for rules in drawn} == {1, 2}
    assert sum(rules.max_laps is None for rules in drawn) > 300
    assert {3, 4, 5, 6, 8} < {rules.pits for rules in drawn}
    assert max(rules.pits for rules in drawn) > 15
    assert any(len(set(rules.setup)) > 1 for rules in drawn)


# ------------------------------------------------------------------------------------ arguments


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"games": 0}, ValueError, r"games=0: must be 1…"),
        ({"games": 1.5}, TypeError, r"games must be an integer, not 1.5"),
        ({"seed": -1}, ValueError, r"seed=-1: must be 0…"),
        ({"first_game": 2**64 - 1}, ValueError, r"first_game=18446744073709551615: must be 0…"),
        ({"full": -1}, ValueError, r"full=-1: must be 0…"),
        ({"processes": 0}, ValueError, r"processes=0: must be 1…1024"),
        ({"policy": "best"}, ValueError, r"policy='best': must be 'random', 'greedy', 'search:"),
        ({"max_moves": 0}, ValueError, r"max_moves=0: must be 1…"),
        ({"rules_or_position": 3}, TypeError, r"must be Rules or a Position, not 3"),
        ({"rules_or_position": rs.giuthi(repetition="off")}, ValueError, r"max_moves"),
    ],
)
def test_bad_arguments_are_refused(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        check(**{"rules_or_position": SMALL, "games": 2, **arguments})


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
def test_ctrl_c_leaves_what_was_compared(processes: int) -> None:
    pressed: list[float] = []

    def press() -> None:
        pressed.append(time.perf_counter())
        signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(3.0, press)
    timer.start()
    with pytest.raises(CheckInterrupted) as caught:
        check(SMALL, games=1_000_000, full=0, processes=processes)
    assert time.perf_counter() - pressed[0] < 0.5
    timer.join()
    report = caught.value.report
    assert isinstance(report, Report)
    assert report.difference is None
    assert report.games > 0
    assert report.positions > 10 * report.games
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("after", [0.001, 0.003, 0.01, 0.03, 0.1, 0.3])
def test_ctrl_c_while_processes_start(after: float) -> None:
    # In another thread, which gets the signal though the main one may block it.
    timer = threading.Timer(after, signal.raise_signal, [signal.SIGINT])

    def pressed() -> None:
        timer.start()
        check(SMALL, games=1_000_000, full=0, processes=2)

    with pytest.raises(KeyboardInterrupt):
        pressed()
    timer.join()
    assert multiprocessing.active_children() == []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.slow
def test_a_process_that_is_killed_ends_the_check() -> None:
    def kill() -> None:
        multiprocessing.active_children()[0].kill()

    timer = threading.Timer(2.0, kill)
    timer.start()
    with pytest.raises(ChildProcessError, match="a process that compared games was ended"):
        check(SMALL, games=1_000_000, full=0, processes=2)
    timer.join()
    assert multiprocessing.active_children() == []


def test_processes_are_given_tasks_as_they_go_and_answer_in_order() -> None:
    given, start = 0, rs.giuthi(pits=3, seeds=2).start()

    def tasks() -> Iterator[Task]:
        nonlocal given
        for given in range(1, 41):
            games = 50 if given % 9 == 1 else 1
            yield Task(start, 3, 100 * given, games, 0, ("random", "random"), None)

    alone = list(played(tasks(), 1))
    ahead = []
    for told, part in enumerate(played(tasks(), 2)):
        assert part == alone[told]
        ahead.append(given - told)
    assert len(ahead) == 40
    assert max(ahead) <= 8


def test_an_error_in_a_process_is_raised_here() -> None:
    task = Task(SMALL.start(), 3, 0, 1, 0, ("random", "clever"), None)
    with pytest.raises(ValueError, match="clever") as caught:
        list(played(iter([task]), 2))
    assert "in play" in caught.value.__notes__[0]  # where it was, over there
    assert multiprocessing.active_children() == []


def test_a_game_ended_by_its_history_leaves_the_position_as_it_is() -> None:
    """In scope "turn" a game may end where its position would go on: game 37 of this seed does."""
    report = check(None, games=1, seed=77, first_game=37)
    assert report.difference is None
    assert report.games == 1
