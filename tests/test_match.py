"""Matches and series: rounds worked by hand, lay-outs against a plain listing, every refusal."""

from __future__ import annotations

import random
import subprocess
import sys
from itertools import product
from typing import Any

import numpy as np
import pytest

import relaysow as rs
from relaysow.match import HALF_OF, TWICE
from relaysow.match.layouts import even
from relaysow.match.round import leakey_pits
from relaysow.reference import Chance


def play(match: rs.Match | rs.Series, text: str) -> rs.Position:
    """Makes a move of the game; the position it leads to, which may be the end of a round."""
    game = match.game
    assert game is not None
    match.push(game.position.move_from_text(text))
    return game.position


def state(match: rs.Match | rs.Series) -> tuple[Any, ...]:
    """All of a match that moves can change."""
    if isinstance(match, rs.Series):
        return match.points, match.is_over, match.winner, match.steps, match.position
    here = match.round
    return (
        (here.number, here.totals, here.starter, here.weaker, here.pits, here.asked, *here.rows),
        (match.position, match.totals, match.due, match.to_act, match.may_shorten, match.winner),
        match.steps,
        repr(match.layouts),
    )


# -------------------------------------------------------------------------------- worked by hand


def test_a_match_of_the_wikipedia_scheme() -> None:
    """8 seeds each on 2×6; rows shorten to 4, then, by one, to 3."""
    row = (0, 2, 3, 2, 1, 0)
    match = rs.Match(rs.giuthi_wikipedia(6, setup=row + row), "wikipedia", first=0)
    assert (match.original, match.round.weaker, match.due) == ((8, 8), None, "move")

    # The laps: 2 clockwise from pit 3 to pit 1 (3 then), 3 back to 4 (2), 2 to 2 (6), 6 to 8 (4), 4 to
    # 4 (2), 2 to 6 (3), 3 to 3 (4), 4 to 7 (5), 5 clockwise to 2, empty.  Facing it pit 9 holds 2:
    # 2 and the seed; the chain finds pit 1 empty facing 1, pit 0 empty facing none, and stops.
    after = play(match, "4-")
    assert (after.pits, after.stores) == ((0, 0, 0, 1, 3, 6, 2, 0, 0, 0, 0, 0), (4, 0))
    # 2 clockwise from pit 6 to 4 (4), 4 back to 8, empty: the 1 in pit 3 and the seed.
    after = play(match, "1-")
    assert (after.pits, after.stores) == ((0, 0, 0, 0, 0, 8, 1, 1, 0, 0, 0, 0), (4, 2))
    # 8 from pit 5 to pit 1, empty: the 1 in pit 10 and the seed; then pits 2, 3, 4, 5 are empty and
    # face 1, 1, 2, 2: eight in all.
    after = play(match, "6+")
    assert (after.pits, after.stores) == ((1, *(0,) * 10, 1), (12, 2))
    # Neither can lift a single seed, so each adds his own: 13-3.  South has won and begins.
    assert match.rounds[0].result == (13, 3)
    here = match.round
    assert (here.number, here.totals, here.starter, here.weaker) == (2, (13, 3), 0, 1)
    assert (match.due, match.to_act, match.pits) == ("lay_out", 1, 6)

    # North has fewer than half of 8, so he may ask: from six pits to four.
    assert match.may_shorten
    match.shorten()
    assert (match.pits, match.may_shorten, match.due) == (4, False, "lay_out")
    # His third and fourth pits face South's second and first: at least 4 there, at least 2 here.
    match.lay_out((0, 0, 2, 1))
    assert match.to_act == 0
    assert match.layouts is not None
    assert list(match.layouts) == [(n, 13 - n, 0, 0) for n in range(2, 10)]
    match.lay_out((8, 5, 0, 0))
    assert match.position is not None
    assert (match.position.pits, match.position.mover) == ((8, 5, 0, 0, 0, 0, 2, 1), 0)
    assert match.position.rules.pits == 4

    # 8 clockwise come round to pit 0 itself, empty: the 2 in pit 7 and the seed; no chain, for the
    # next pit clockwise is not South's.
    after = play(match, "1-")
    assert (after.pits, after.stores) == ((0, 6, 1, 1, 1, 1, 3, 0), (3, 0))
    # 3 clockwise from pit 6 to 3 (2), 2 to 5 (3), 3 to 2 (2), 2 to 4 (5), 5 clockwise to 7, empty:
    # the 1 in pit 0 and the seed; pits 6, 5, 4 are empty and face 7, 1, 3: thirteen in all.
    after = play(match, "3-")
    assert (after.pits, after.stores) == ((0,) * 8, (3, 13))
    assert match.rounds[1].result == (3, 13)

    # North won and begins; South is weaker now and asks: from four pits to three, by one.
    here = match.round
    assert (here.starter, here.weaker, here.pits) == (1, 0, 4)
    match.shorten()
    assert match.pits == 3
    match.lay_out((1, 0, 2))
    match.lay_out((10, 0, 3))
    # 3 from pit 5 to 2 (3), 3 back to 5, empty: the 3 in pit 0 and the seed; pit 4 is empty and
    # faces 2: six.
    after = play(match, "3+")
    assert (after.pits, after.stores) == ((0, 0, 0, 10, 0, 0), (0, 6))
    # South, to move, has an empty row: North adds the ten.  South has fewer than two seeds.
    assert (match.totals, match.winner, match.due, match.to_act) == ((0, 16), 1, None, None)
    assert [here.pits for here in match.rounds] == [6, 4, 3]
    with pytest.raises(rs.IllegalMove, match="in round 3: the match is over"):
        match.lay_out((1, 1, 1))


def test_a_match_of_leakeys_scheme() -> None:
    """8 seeds each on 2×6; rows go down to five and back to six."""
    row = (3, 0, 1, 1, 2, 1)
    match = rs.Match(rs.giuthi_leakey(6, setup=row + row), "leakey", first=0)
    # 3 clockwise from pit 0 to 9 (2), 2 to 11 (3), 3 to 8 (2), 2 to 10 (6), 6 to 4 (3), 3 to 7 (2),
    # 2 to 5 (4), 4 to 9 (4), 4 clockwise to 5, empty: the 8 in pit 6 and the seed; the next pit, 4,
    # is empty and faces 2; no further: eleven.
    after = play(match, "1-")
    assert (after.pits, after.stores) == ((0, 0, 1, 1, 0, 0, 0, 0, 3, 0, 0, 0), (11, 0))
    # 3 into empty pits of the own row: North would move again, but nobody can lift single seeds.
    after = play(match, "3+")
    assert (after.pits, after.is_over) == ((0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1), True)
    assert match.rounds[0].result == (13, 3)

    # 3 is under a half of 8, not under a quarter: one pit shorter, without asking.
    here = match.round
    assert (here.totals, here.starter, here.weaker, here.pits) == ((13, 3), 0, 1, 5)
    assert not match.may_shorten
    with pytest.raises(rs.IllegalMove, match="rows shorten of themselves under scheme='leakey'"):
        match.shorten()
    match.lay_out((2, 0, 0, 0, 1))
    # South's last pit faces North's first; the surplus of ten is in his store.
    assert match.position is not None
    assert match.position.pits == (1, 0, 0, 0, 2, 2, 0, 0, 0, 1)
    assert (match.position.stores, match.position.mover) == ((10, 0), 0)
    # 2 into the own row: South would move again and cannot, so he passes.
    after = play(match, "5-")
    assert (after.pits, after.mover, after.passed) == ((1, 0, 1, 1, 0, 2, 0, 0, 0, 1), 1, True)
    # 2 clockwise from pit 5 to 3 (2), 2 back to 5, empty: the 2 in pit 4 and the seed.
    after = play(match, "1-")
    assert (after.pits, after.stores) == ((1, 0, 1, 0, 0, 0, 0, 0, 0, 1), (10, 3))
    assert match.rounds[1].result == (12, 4)

    # 4 is not under a half of 8: the rows grow back.
    assert (match.pits, match.round.starter) == (6, 0)
    match.lay_out((0, 0, 2, 0, 1, 1))
    assert match.position.pits == (1, 1, 0, 2, 0, 0, 0, 0, 2, 0, 1, 1)
    assert match.position.stores == (8, 0)
    play(match, "4+")
    after = play(match, "3-")
    assert after.pits == (1, 1, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1)
    assert match.rounds[2].result == (12, 4)

    match.lay_out((0, 0, 1, 0, 1, 2))
    # 2 clockwise from pit 0 to 10 (2), 2 back to 0, empty: the 4 in pit 11 and the seed.
    after = play(match, "1-")
    assert (after.pits, after.stores) == ((0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0), (13, 0))
    assert (match.totals, match.winner) == ((15, 1), 0)
    assert [here.pits for here in match.rounds] == [6, 5, 6, 6]


# ------------------------------------------------------------------------------------ the scheme


@pytest.mark.parametrize(
    ("seeds", "pits"),
    [(24, 8), (23, 7), (12, 7), (11, 6), (6, 6), (5, 5), (2, 5)],
)
def test_leakeys_rows_are_shorter_under_a_half_a_quarter_an_eighth(seeds: int, pits: int) -> None:
    totals = (96 - seeds, seeds)
    assert leakey_pits(8, 1, totals, (48, 48)) == pits
    assert leakey_pits(8, 0, totals[::-1], (48, 48)) == pits
    assert leakey_pits(5, 1, totals, (48, 48)) == max(3, pits - 3)
    assert leakey_pits(8, None, (48, 48), (97, 97)) == 8


def ended(match: rs.Match, south: int) -> rs.Match:
    """The match at the start of its second round, South having so many seeds.

    The game of the first is replaced by one that is over with each player's seeds in his store but
    for two, which nobody can lift.
    """
    seeds = sum(match.totals)
    n = match.rules.pits
    ring = tuple(int(pit in (0, n)) for pit in range(2 * n))
    position = rs.Position(match.rules, ring, (south - 1, seeds - south - 1))
    match.round.game = rs.Game(position)
    match._go_on()
    return match


def test_asking_for_shorter_rows() -> None:
    match = ended(rs.Match(rs.giuthi_wikipedia(8, 6), first=1), 72)
    with pytest.raises(rs.IllegalMove, match="the weaker has 24 seeds: must be fewer than half of"):
        match.shorten()
    match = ended(rs.Match(rs.giuthi_wikipedia(8, 6), first=1), 73)
    match.lay_out((23, *(0,) * 7))
    with pytest.raises(rs.IllegalMove, match="only the weaker may ask, before he lays out"):
        match.shorten()
    match.undo()
    match.shorten()
    with pytest.raises(rs.IllegalMove, match="it was asked in this round already"):
        match.shorten()
    assert match.pits == 6
    with pytest.raises(rs.IllegalMove, match=r"illegal LayOut.* in round 2: 8 pits: must be 6"):
        match.lay_out((23, *(0,) * 7))
    match.lay_out((0, 2, 0, 3, 0, 18))
    with pytest.raises(rs.IllegalMove, match="pit 1 facing 18 holds 35: must be 36 or more"):
        match.lay_out((35, 0, 34, 0, 4, 0))
    with pytest.raises(rs.IllegalMove, match="pit 2 faces none: it must stay empty"):
        match.lay_out((36, 1, 32, 0, 4, 0))
    with pytest.raises(rs.IllegalMove, match="72 seeds: must be all 73"):
        match.lay_out((36, 0, 32, 0, 4, 0))
    with pytest.raises(rs.IllegalMove, match="a lay-out is due, not a move"):
        match.push(rs.Sow(0, direction="ccw"))
    match.lay_out((36, 0, 33, 0, 4, 0))
    with pytest.raises(rs.IllegalMove, match="a move is due, not a lay-out"):
        match.lay_out((36, 0, 33, 0, 4, 0))

    match = ended(rs.Match(rs.giuthi_wikipedia(3, 6), first=1), 30)
    with pytest.raises(rs.IllegalMove, match="rows are never shorter than 3 pits"):
        match.shorten()
    # 40 seeds to 8: 19 are fewer than half of 40, but 29 cannot face 19 twofold.
    uneven = rs.giuthi_wikipedia(4, setup=(10,) * 4 + (2,) * 4)
    match = ended(rs.Match(uneven, first=0), 19)
    with pytest.raises(rs.IllegalMove, match="the stronger has 29 seeds: must be 38"):
        match.shorten()


def test_half_of_what() -> None:
    """Of 48 seeds at first the weaker has 22, then 12, then 8: fewer than half of the match from
    the first of these on, of the last round never after it."""
    rules = rs.giuthi_wikipedia(8, 6)
    for half_of, told in (("match", [True] * 3), ("round", [True, False, False])):
        match = rs.Match(rules, first=0, half_of=half_of)
        found = []
        for weaker in (22, 12, 8):
            match = ended(match, weaker)
            found.append(match.may_shorten)
            match.round.rows = [even(match.totals[0], 8), even(match.totals[1], 8)]
        assert found == told, half_of
        record = rs.Record(rs.Match(rules, first=0, half_of=half_of)).to_text()
        assert record.count("HalfOf") == (half_of == "round")
        assert rs.Record.from_text(record).play.half_of == half_of
    for call in (rs.Match, rs.simulate_match):
        with pytest.raises(ValueError, match="half_of='round' contradicts scheme='leakey'"):
            call(rs.giuthi_leakey(), scheme="leakey", half_of="round")
    played = [rs.simulate_match(rules, matches=300, half_of=half_of) for half_of in HALF_OF]
    assert (played[0].pits != played[1].pits).any()


def test_a_one_warrior_win_counts_twice_by_default() -> None:
    series = rs.Series(rs.kiothi())
    won(series, (31, 29), 0)
    assert series.points == (2, 0)
    old = rs.Record(rs.Series(rs.kiothi(), one_warrior=1)).to_text()
    assert "OneWarrior" not in old
    assert rs.Record.from_text(old).play.one_warrior == 1


@pytest.mark.parametrize("twice", TWICE)
def test_the_twofold_answer_of_later_rounds(twice: str) -> None:
    """In the round after the one for which rows were shortened, it is a matter of `twice`."""
    match = ended(rs.Match(rs.giuthi_wikipedia(8, 6), first=1, twice=twice), 80)
    match.shorten()
    match.round.rows = [even(80, 6), even(16, 6)]
    match = ended(match, 79)
    assert match.pits == 6
    match.lay_out((7, 2, 2, 2, 2, 2))
    layouts = match.layouts
    assert layouts is not None
    assert layouts.twice == (twice == "short")
    assert ((69, 2, 2, 2, 2, 2) in layouts) == (twice == "asked")


def test_equal_totals_start_from_the_even_setup() -> None:
    match = ended(rs.Match(rs.giuthi_wikipedia(8, 6), first=1), 48)
    assert (match.round.number, match.due, match.position) == (
        2,
        "move",
        rs.Position(match.rules, (6,) * 16, mover=1),
    )
    match = ended(ended(rs.Match(rs.giuthi_wikipedia(8, 6), first=0), 80), 80)
    match.shorten()
    match.round.rows = [even(80, 6), even(16, 6)]
    match = ended(match, 48)
    assert match.position == rs.Position(match.position.rules, (8,) * 12)  # type: ignore[union-attr]
    match = rs.Match(rs.giuthi_leakey(8, setup=(7,) * 16), "leakey", first=0)
    assert ended(match, 56).position == match.rules.start()


def test_the_winner_of_a_round_begins_the_next() -> None:
    for first in (0, 1):
        for south, starter in ((60, 0), (30, 1), (48, first)):
            match = ended(rs.Match(rs.giuthi_wikipedia(8, 6), first=first), south)
            assert match.round.starter == starter
    begins = {rs.Match(rs.giuthi()).first for _ in range(60)}
    assert begins == {0, 1}


@pytest.mark.parametrize(
    ("repetition", "starter"), [("draw", 1), ("stores", 1), ("score", 0), ("draw", 0)]
)
def test_seeds_left_on_the_ring_count_for_their_owner(repetition: str, starter: int) -> None:
    """A pair of seeds goes round the ring, six moves of one seed a pit, and then is where it was."""
    rules = rs.giuthi(3, setup=(2, 1, 1) * 2, repetition=repetition)
    match = rs.Match(rules, first=starter)
    match.round.game = rs.Game(rs.Position(rules, (2, 1, 0, 0, 0, 0), (2, 3)))
    for pit in range(6):
        match.push(rs.Sow(pit, direction="ccw"))
    game = match.rounds[0].game
    assert game is not None
    assert game.outcome is not None
    assert (game.outcome.end, game.outcome.winner) == (
        "repetition",
        {"draw": -1, "stores": 1, "score": 0}[repetition],
    )
    assert (match.rounds[0].result, match.round.totals) == ((5, 3), (5, 3))
    assert match.round.starter == starter


def test_a_match_that_cannot_go_on_is_drawn() -> None:
    match = rs.Match(rs.giuthi(4, seeds=1), first=0)
    assert (match.winner, match.due, match.to_act, match.layouts) == (-1, None, None, None)
    assert (match.is_over, match.steps, match.totals) == (True, (), (4, 4))
    with pytest.raises(IndexError, match="no step to undo"):
        match.undo()


# --------------------------------------------------------------------------------------- lay-outs


@pytest.mark.parametrize(
    ("seeds", "pits", "faced", "twice"),
    [
        *((seeds, pits, None, False) for pits in (3, 4) for seeds in range(2, 9)),
        (7, 3, (2, 0, 1), False),
        (7, 3, (2, 0, 1), True),
        (9, 4, (1, 1, 2, 0), True),
        (3, 3, (0, 2, 0), False),
        (8, 4, (2, 1, 1, 0), True),
    ],
)
def test_layouts_are_those_of_a_plain_listing(
    seeds: int, pits: int, faced: tuple[int, ...] | None, twice: bool
) -> None:
    def legal(row: tuple[int, ...]) -> bool:
        if sum(row) != seeds:
            return False
        if faced is None:
            return max(row) >= 2
        return all(
            own >= (2 * its if twice else 1) if its else own == 0
            for own, its in zip(row, faced, strict=True)
        )

    rows = list(product(range(seeds + 1), repeat=pits))
    expected = [row for row in rows if legal(row)]
    layouts = rs.LayOuts(0, seeds, pits, faced, twice)
    assert list(layouts) == expected
    assert (layouts.count, len(layouts), bool(layouts)) == (len(expected), len(expected), True)
    assert [layouts.index(row) for row in expected] == list(range(len(expected)))
    assert [row for row in rows if row in layouts] == expected
    assert (layouts[-1], layouts[1:9:2]) == (expected[-1], expected[1:9:2])
    assert layouts.even() in expected
    assert {layouts.draw(random.Random(n)) for n in range(40 * len(expected))} == set(expected)


def test_many_layouts() -> None:
    layouts = rs.LayOuts(1, 999, 64)
    assert layouts.count > 10**80
    with pytest.raises(OverflowError):
        len(layouts)
    row = layouts.draw(random.Random(1))
    assert layouts[layouts.index(row)] == row


def test_even_layouts() -> None:
    assert rs.LayOuts(0, 50, 8).even() == (7, 7, 6, 6, 6, 6, 6, 6)
    assert rs.LayOuts(0, 8, 8).even() == (2, 1, 1, 1, 1, 1, 1, 0)
    assert rs.LayOuts(0, 2, 3).even() == (2, 0, 0)
    assert rs.LayOuts(0, 14, 4, (3, 0, 1, 2)).even() == (5, 0, 5, 4)
    assert rs.LayOuts(0, 14, 4, (3, 0, 1, 2), twice=True).even() == (7, 0, 3, 4)


def test_wrong_layouts_are_refused() -> None:
    layouts = rs.LayOuts(0, 3, 3)
    for row, reason in (
        ((1, 1, 1), "no pit holds two seeds or more"),
        ((3, 0), "2 pits: must be 3"),
        ((4, -1, 0), "pit 2 holds -1: must be 0 or more"),
        ((2, 0, 0), "2 seeds: must be all 3"),
    ):
        assert row not in layouts
        assert reason in (layouts.reason(row) or "")
        with pytest.raises(ValueError, match=reason):
            layouts.index(row)
    assert "3" not in layouts
    assert (3.0, 0, 0) not in layouts
    with pytest.raises(TypeError, match=r"row\[0\] must be an integer, not 3.0"):
        layouts.index((3.0, 0, 0))  # type: ignore[arg-type]
    for number in (9, -10):
        with pytest.raises(IndexError, match=f"no lay-out number {number}: there are 9"):
            layouts[number]
    with pytest.raises(ValueError, match=r"row\[1\]=-1: must be 0 or more"):
        rs.LayOut((4, -1))
    empty = rs.LayOuts(0, 2, 3, (2, 1, 0), twice=True)
    assert not empty
    for refused in (empty.even, empty.draw):
        with pytest.raises(ValueError, match="there is no legal lay-out"):
            refused()


# ------------------------------------------------------------------------------- played at random


def random_step(match: rs.Match, chance: random.Random) -> Any:
    """Any step that is legal now."""
    if match.due == "move":
        assert match.game is not None
        return match.game.legal_moves[chance.randrange(match.game.legal_moves.count)]
    if match.may_shorten and chance.random() < 0.5:
        return rs.Shorten()
    assert match.layouts is not None
    return rs.LayOut(match.layouts.draw(chance))


def played(rules: rs.Rules, seed: int, steps: int = 400) -> rs.Match:
    """A match of random steps, to its end or so many steps."""
    chance = random.Random(seed)
    scheme, twice = chance.choice((("wikipedia", "asked"), ("wikipedia", "short"), ("leakey",) * 2))
    half_of = "match" if scheme == "leakey" else chance.choice(HALF_OF)
    match = rs.Match(rules, scheme, chance.randrange(2), twice.replace("leakey", "asked"), half_of)
    while not match.is_over and len(match.steps) < steps:
        match.push(random_step(match, chance))
        assert sum(match.totals) == rules.seeds
    return match


@pytest.mark.parametrize("seed", range(6))
def test_steps_replay_and_are_undone(seed: int) -> None:
    rules = (rs.giuthi_wikipedia(4, 3), rs.giuthi_leakey(5, 3), rs.giuthi(4, 2))[seed % 3]
    match = played(rules, seed, steps=150)
    again = rs.Match(rules, match.scheme, match.first, match.twice, match.half_of)
    states = []
    for step in match.steps:
        states.append(state(again))
        again.push(step)
    assert state(again) == state(match)
    for step in reversed(match.steps):
        assert again.undo() == step
        assert state(again) == states.pop()
    with pytest.raises(IndexError, match="no step to undo"):
        again.undo()


# ---------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("giuthi",), TypeError, "rules must be Rules, not 'giuthi'"),
        ((rs.kiothi(),), ValueError, "redistribution='two': a match needs redistribution='none'"),
        ((rs.giuthi(protection="until_lifted"),), ValueError, "a match needs protection='none'"),
        ((rs.giuthi(3, setup=(1, 0, 0, 2, 2, 2)),), ValueError, "setup gives South 1 seeds"),
        ((rs.giuthi(), "russ"), ValueError, "scheme='russ': must be 'wikipedia' or 'leakey'"),
        ((rs.giuthi(), None), TypeError, "scheme must be 'wikipedia' or 'leakey', not None"),
        ((rs.giuthi(), "leakey", 2), ValueError, r"first=2: must be 0 \(South\), 1 \(North\)"),
        ((rs.giuthi(), "leakey", "S"), TypeError, "first must be an integer, not 'S'"),
        ((rs.giuthi(), "wikipedia", 0, "x"), ValueError, "twice='x': must be 'asked' or 'short'"),
    ],
)
def test_impossible_matches_are_refused(
    arguments: tuple[Any, ...], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        rs.Match(*arguments)


def test_foreign_steps_are_refused() -> None:
    match = rs.Match(rs.giuthi(), first=0)
    with pytest.raises(TypeError, match="a step must be Sow, LayOut or Shorten, not 3"):
        match.push(3)  # type: ignore[arg-type]
    with pytest.raises(rs.IllegalMove, match="pit 9 is not the mover's"):
        match.push(rs.Sow(9, direction="cw"))
    assert repr(match) == "<Match of giuthi(pits=8, seeds=8): round 1, 64-64, South to move>"


# ------------------------------------------------------------------------------------------ series


def won(series: rs.Series, stores: tuple[int, int], winner: int | None = None) -> None:
    """Ends the present game with these stores: the seeds of one last row are swept."""
    over = rs.Position(series.rules, (0,) * (2 * series.rules.pits), stores)
    series._games[len(series.games) - 1] = rs.Game(over)
    assert over.winner == winner


@pytest.mark.parametrize(("weight", "points"), [(1, (2, 2)), (2, (3, 2)), (10, (11, 2))])
def test_a_one_warrior_win_weighs_more(weight: int, points: tuple[int, int]) -> None:
    """A margin of exactly two; neither of one, three nor any other."""
    series = rs.Series(rs.kiothi(), one_warrior=weight)
    for stores, winner in (((31, 29), 0), ((29, 30), 1), ((28, 31), 1), ((40, 20), 0)):
        won(series, stores, winner)
    won(series, (30, 30), -1)
    assert (series.points, series.winner, series.is_over) == (points, None, False)


def test_best_of() -> None:
    series = rs.Series(rs.engehe(3), best_of=3)
    won(series, (14, 10), 0)
    won(series, (12, 12), -1)
    assert (series.points, series.is_over, series.winner) == ((1, 0), False, None)
    won(series, (10, 14), 1)
    assert (series.points, series.is_over, series.winner) == ((1, 1), True, -1)
    with pytest.raises(rs.IllegalMove, match="the game is over"):
        series.push(rs.Sow(0))
    series = rs.Series(rs.engehe(3), best_of=4)
    for _ in range(2):
        won(series, (10, 14), 1)
    assert not series.is_over
    won(series, (10, 14), 1)
    assert (series.points, series.winner, len(series.games)) == ((0, 3), 1, 3)
    series = rs.Series(rs.kiothi(), best_of=5, one_warrior=10)
    won(series, (29, 31), 1)
    assert (series.points, series.winner) == ((0, 10), 1)


@pytest.mark.parametrize("rules", [rs.kiothi(filled=2, seeds=2, pits=4), rs.giuthi(3, 3)])
def test_series_are_played_in_turn_and_undone(rules: rs.Rules) -> None:
    series, chance = rs.Series(rules, best_of=3, first=1), random.Random(1)
    states = []
    while not series.is_over:
        states.append(state(series))
        series.push(series.game.legal_moves[chance.randrange(series.game.legal_moves.count)])
    assert [game.start.mover for game in series.games] == [1, 0, 1][: len(series.games)]
    for game in series.games:
        assert game.start.pits == rules.setup
        assert game.start.redistributions == rules.start().redistributions
    while series.steps:
        last = series.steps[-1]
        assert series.undo() == last
        assert state(series) == states.pop()
    with pytest.raises(IndexError, match="no move to undo"):
        series.undo()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"rules": "kiothi"}, TypeError, "rules must be Rules"),
        ({"best_of": 0}, ValueError, "best_of=0: must be 1…999999"),
        ({"best_of": 2.0}, TypeError, "best_of must be an integer, not 2.0"),
        ({"one_warrior": 0}, ValueError, "one_warrior=0: must be 1…"),
        ({"one_warrior": None}, TypeError, "one_warrior must be an integer, not None"),
        ({"first": 2}, ValueError, "first=2: must be 0"),
        ({"rules": rs.giuthi(3, 1)}, ValueError, "the opening allows no move"),
    ],
)
def test_impossible_series_are_refused(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        rs.Series(**({"rules": rs.kiothi()} | arguments))


# -------------------------------------------------------------------------------- simulated matches


def drawn_row(layouts: rs.LayOuts, chance: Chance) -> tuple[int, ...]:
    """The lay-out that `simulate_match` draws, from what its docstring says."""
    least = [0] * layouts.pits
    for pit, faced in enumerate(layouts.faced or ()):
        least[pit] = faced * 2 if layouts.twice else int(faced > 0)
    opened = [pit for pit in range(layouts.pits) if not layouts.faced or layouts.faced[pit]]
    spare = layouts.seeds - sum(least)
    while True:
        row, bars = list(least), len(opened) - 1
        at = 0
        for places in range(spare + len(opened) - 1, 0, -1):
            if bars == places:
                break
            if bars and chance.below(places) < bars:
                bars, at = bars - 1, at + 1
            else:
                row[opened[at]] += 1
        if max(row) >= 2:
            return tuple(row)


def plain_match(number: int, seed: int, **arguments: Any) -> tuple[Any, ...]:
    """A match played by `Match`, its games by the reference: the row of `simulate_match`."""
    rules, scheme = arguments["rules"], arguments["scheme"]
    layout, policy = arguments["layout"], arguments["policy"]
    first = arguments.get("first")
    if first is None:
        first = Chance(2**64 - 1 - seed, number << 16).below(2)
    twice, half_of = arguments.get("twice", "asked"), arguments.get("half_of", "match")
    match = rs.Match(rules, scheme, first, twice, half_of)
    moves = 0
    while not match.is_over and match.round.number <= arguments["max_rounds"]:
        here = number << 16 | match.round.number
        chance = Chance(2**64 - 1 - seed, here)
        while match.due == "lay_out":
            if arguments.get("shorten", True) and match.may_shorten:
                match.shorten()
            assert match.layouts is not None
            way = layout[match.layouts.player]
            match.lay_out(
                match.layouts.even() if way == "even" else drawn_row(match.layouts, chance)
            )
            if match.due != "lay_out" and match.round.number != here & 0xFFFF:
                break  # the round was over at once
        if match.is_over or match.round.number != here & 0xFFFF:
            continue
        assert match.game is not None
        start = match.game.start
        plain = rs.reference.Position(start.rules, start.pits, start.stores, match.round.starter)
        game = rs.reference.simulate(plain, 1, seed, here, *policy, None)
        moves += game["moves"][0]
        # The same game again, move by move, for where it left the seeds on the ring.
        again = random_game(start, seed, here, policy)
        assert (again.outcome.winner, again.outcome.stores) == (
            game["winner"][0],
            tuple(game["scores"][0]),
        )
        match.round.game = again
        match._go_on()
    cut = not match.is_over
    rounds = match.rounds[:-1] if cut else match.rounds
    shortest = min(here.pits for here in rounds)
    winner = -2 if cut else match.winner
    return (*match.totals, winner, len(rounds), moves, first, shortest)


def random_game(start: rs.Position, seed: int, number: int, policy: tuple[str, str]) -> Any:
    """Game `number` of a simulation as a `Game`."""
    game, chance = rs.Game(start), Chance(seed, number)
    while not game.is_over:
        moves = list(game.legal_moves)
        position = game.position
        if policy[position.mover] == "greedy":
            captured = [position.sow(move).captured for move in moves]
            moves = [move for move, c in zip(moves, captured, strict=True) if c == max(captured)]
            game.push(moves[chance.below(len(moves))])
            continue
        left = candidates(position)
        while (move := left.pop(chance.below(len(left)))) not in moves:
            pass
        game.push(move)
    return game


def candidates(position: rs.Position) -> list[rs.Sow]:
    """Giuthi's candidate moves in order: own pits of two or more, counter-clockwise first."""
    own = position.mover * position.rules.pits
    return [
        rs.Sow(pit, direction=direction)
        for pit in range(own, own + position.rules.pits)
        if position.pits[pit] >= 2
        for direction in ("ccw", "cw")
        if position.direction in (None, direction)
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        {"rules": rs.giuthi_wikipedia(4, 3), "scheme": "wikipedia"},
        {"rules": rs.giuthi_wikipedia(6, 3), "scheme": "wikipedia", "twice": "short", "first": 1},
        {"rules": rs.giuthi_wikipedia(5, 3), "scheme": "wikipedia", "shorten": False},
        {"rules": rs.giuthi_wikipedia(6, 3), "scheme": "wikipedia", "half_of": "round"},
        {"rules": rs.giuthi_leakey(6, 3), "scheme": "leakey", "policy": ("greedy", "random")},
        {"rules": rs.giuthi(4, 2, repetition="stores"), "scheme": "wikipedia", "max_rounds": 5},
        {"rules": rs.giuthi(3, setup=(4, 1, 1, 2, 1, 1)), "scheme": "leakey", "first": 0},
        {"rules": rs.giuthi(4, 1), "scheme": "wikipedia"},
    ],
)
@pytest.mark.parametrize("layout", [("even", "even"), ("random", "random"), ("even", "random")])
def test_simulated_matches_are_those_of_match(arguments: Any, layout: tuple[str, str]) -> None:
    """Every lay-out and every game, by the plain rules and the plain generator."""
    arguments = {"policy": ("random", "random"), "max_rounds": 25, "layout": layout} | arguments
    result = rs.simulate_match(**arguments, matches=5, seed=7, first_match=3)
    for i in range(5):
        row = (*result.totals[i], result.winner[i], result.rounds[i], result.moves[i])
        row += (result.first[i], result.pits[i])
        assert tuple(map(int, row)) == plain_match(3 + i, 7, **arguments)


def test_simulated_matches_do_not_depend_on_how_they_are_run() -> None:
    rules = rs.giuthi_wikipedia(6, 6)
    whole = rs.simulate_match(rules, matches=100, seed=5, layout="random", threads=1)
    parts = [
        rs.simulate_match(rules, matches=50, seed=5, layout="random", threads=3, first_match=first)
        for first in (0, 50)
    ]
    for name in ("totals", "winner", "rounds", "moves", "first", "pits"):
        column = getattr(whole, name)
        assert (np.concatenate([getattr(part, name) for part in parts]) == column).all()
        assert not column.flags.writeable
    assert (rs.simulate_match(rules, matches=100, seed=6).winner != whole.winner).any()


def test_layouts_of_a_function() -> None:
    rules = rs.giuthi_leakey(6, 4)
    seen: list[tuple[Any, ...]] = []

    def mine(layouts: rs.LayOuts) -> tuple[int, ...]:
        seen.append((layouts.player, layouts.faced))
        return layouts.even()

    by_function = rs.simulate_match(rules, "leakey", matches=60, layout=mine)
    by_name = rs.simulate_match(rules, "leakey", matches=60, layout="even")
    assert (by_function.totals == by_name.totals).all()
    assert (by_function.moves == by_name.moves).all()
    assert {faced for _, faced in seen} == {None}  # Leakey's stronger has no choice
    assert {player for player, _ in seen} == {0, 1}
    seen.clear()
    rs.simulate_match(rs.giuthi_wikipedia(6, 4), matches=20, layout=("even", mine))
    assert {player for player, _ in seen} == {1}
    assert any(faced for _, faced in seen)


def test_errors_of_a_function_are_told() -> None:
    def simulate(layout: Any) -> rs.MatchSimulation:
        return rs.simulate_match(rs.giuthi_wikipedia(6, 4), matches=20, layout=layout)

    with pytest.raises(ValueError, match=r"lay-out \(1, 1, 1, 1, 1, 1\) of (South|North): 6 seeds"):
        simulate(lambda layouts: (1,) * layouts.pits)
    with pytest.raises(TypeError, match="row must be a sequence of integers, not None"):
        simulate(lambda _: None)
    with pytest.raises(ZeroDivisionError):
        simulate(lambda _: 1 // 0)


def test_the_summary_of_simulated_matches() -> None:
    result = rs.simulate_match(rs.giuthi_wikipedia(6, 6), matches=400, max_rounds=20)
    summary = result.summary()
    counts = (summary.south.count, summary.north.count, summary.draws.count, summary.cut.count)
    assert counts == tuple(int((result.winner == winner).sum()) for winner in (0, 1, -1, -2))
    assert summary.rounds.max == 20
    assert summary.shortened.count == int((result.pits < 6).sum())
    text = str(summary)
    assert text.startswith(
        "400 matches of giuthi_wikipedia(pits=6), wikipedia, random against random, "
        "lay-outs even against even, seed 1\n"
    )
    assert f"cut{'':13}  {summary.cut.count:>12,}" in text


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"rules": rs.kiothi()}, ValueError, "a match needs redistribution='none'"),
        ({"rules": rs.giuthi(repetition="off")}, ValueError, "repetition='off': games need not"),
        ({"scheme": "x"}, ValueError, "scheme='x': must be"),
        ({"matches": 0}, ValueError, "matches=0: must be 1…1000000000"),
        ({"matches": 1.0}, TypeError, "matches must be an integer, not 1.0"),
        ({"seed": 2**64}, ValueError, "seed=18446744073709551616: must be 0…"),
        ({"first_match": 2**48}, ValueError, "first_match=281474976710656: must be 0…"),
        ({"max_rounds": 65_536}, ValueError, "max_rounds=65536: must be 1…65535"),
        ({"threads": 0}, ValueError, "threads=0: must be 1…1024"),
        ({"shorten": 1}, TypeError, "shorten must be True or False, not 1"),
        ({"layout": "all"}, ValueError, "layout='all': must be 'even', 'random' or a function"),
        ({"layout": 3}, TypeError, "layout must be a name or a function, not 3"),
        ({"layout": ("even",)}, ValueError, "must be one or two, South's and North's"),
        ({"policy": "best"}, ValueError, "policy='best': must be"),
        ({"first": 2}, ValueError, "first=2: must be 0"),
    ],
)
def test_impossible_simulations_are_refused(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        rs.simulate_match(**({"rules": rs.giuthi(), "matches": 10} | arguments))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT to itself")
def test_ctrl_c_ends_simulated_matches() -> None:
    code = (
        "import os, signal, threading, time, relaysow as rs\n"
        "rs.simulate_match(rs.giuthi(), matches=1)\n"  # all is imported before the signal
        "threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "begin = time.perf_counter()\n"
        "try: rs.simulate_match(rs.giuthi(), matches=10**7)\n"
        "except rs.SimulationInterrupted as stop:\n"
        "    stop_result = stop.result\n"
        "    print(time.perf_counter() - begin, stop.args[1])\n"
        "same = rs.simulate_match(rs.giuthi(), matches=max(1, stop_at := stop_result.matches))\n"
        "assert (stop_result.totals == same.totals[:stop_at]).all(), stop_result\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60
    )
    seconds, wanted = run.stdout.split()
    assert float(seconds) < 5  # a loaded machine is slow to start threads
    assert wanted == "10000000"
