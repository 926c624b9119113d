"""The core and the reference agree on random positions under random rules, errors included."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import relaysow as rs
from relaysow import reference
from relaysow.check.comparing import STATE, TRACE
from strategies import Setup, rules_and_positions

MOST_MOVES = 40  # of one position, compared one by one


def outcome(call: Any, *arguments: Any) -> tuple[str, Any]:
    """What a call gives, or the kind and the text of its error."""
    try:
        return "gives", call(*arguments)
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        return type(error).__name__, str(error)


def state(position: Any) -> dict[str, Any] | None:
    return None if position is None else {name: getattr(position, name) for name in STATE}


def played(position: Any, move: Any) -> tuple[str, Any]:
    kind, after = outcome(position.play, move)
    return kind, state(after) if kind == "gives" else after


def both(setup: Setup) -> tuple[rs.Position, reference.Position]:
    core, plain = setup(rs), setup(reference)
    assert state(core) == state(plain)
    return core, plain


def compare_sowings(core: rs.Position, plain: reference.Position, move: rs.Sow) -> None:
    (kind, mine), (plain_kind, theirs) = outcome(core.sow, move), outcome(plain.sow, move)
    assert kind == plain_kind
    if kind != "gives":
        assert mine == theirs
        return
    for name in TRACE:
        assert getattr(mine, name) == getattr(theirs, name), name
    assert state(mine.after) == state(theirs.after)
    if mine.after is not None:
        assert sum(mine.after.pits + mine.after.stores) == sum(core.pits + core.stores)
        assert core.play(move) == mine.after


@given(rules_and_positions())
def test_positions_moves_and_sowings(drawn: tuple[rs.Rules, Setup]) -> None:
    core, plain = both(drawn[1])
    assert core.legal_moves.count == plain.legal_moves.count
    if core.redistributions == 2:
        assert list(core.legal_moves) == list(plain.legal_moves)
    for move in core.legal_moves[:MOST_MOVES]:
        if isinstance(move, rs.Sow):
            compare_sowings(core, plain, move)
            assert core.action(move) == plain.action(move) if move.lift is None else True
        else:
            assert state(core.play(move)) == state(plain.play(move))
    assert core.to_text() == plain.to_text()
    assert rs.Position.from_text(core.to_text()) == core
    assert repr(core) == repr(plain)
    assert pickle.loads(pickle.dumps(core)) == core
    assert hash(pickle.loads(pickle.dumps(core))) == hash(core)


@given(
    rules_and_positions(),
    st.lists(
        st.builds(
            rs.Sow,
            st.integers(0, 12) | st.integers(0, 2**70),
            st.none() | st.integers(1, 12) | st.integers(1, 2**70),
            st.sampled_from((None, "ccw", "cw")),
        ),
        max_size=20,
    ),
)
def test_any_sowing_is_judged_and_refused_alike(
    drawn: tuple[rs.Rules, Setup], moves: list[rs.Sow]
) -> None:
    core, plain = both(drawn[1])
    for move in moves:
        compare_sowings(core, plain, move)
        assert (move in core.legal_moves) == (move in plain.legal_moves)
        assert outcome(core.legal_moves.index, move) == outcome(plain.legal_moves.index, move)
        assert played(core, move) == played(plain, move)


@given(rules_and_positions(redistribution="two") | rules_and_positions(redistribution="up_to_two"),
       st.data())  # fmt: skip
def test_redistributions_are_numbered_alike(
    drawn: tuple[rs.Rules, Setup], data: st.DataObject
) -> None:
    core, plain = both(drawn[1])
    if core.redistributions == 2 or core.is_over:
        return
    count = core.legal_moves.count
    assert count == plain.legal_moves.count
    for number in data.draw(st.lists(st.integers(0, count - 1), max_size=5)):
        move = core.legal_moves[number]
        assert move == plain.legal_moves[number]
        assert core.legal_moves.index(move) == number == plain.legal_moves.index(move)
        assert move in core.legal_moves
        assert played(core, move) == played(plain, move)
        one_more = rs.Redistribute(move.emptied, (move.placed[0] + 1, *move.placed[1:]))
        assert played(core, one_more) == played(plain, one_more)
    emptied = data.draw(
        st.lists(st.integers(0, 2**40) | st.integers(0, 9), unique=True, max_size=3)
    )
    odd = rs.Redistribute(tuple(emptied), (0,) * data.draw(st.sampled_from((len(core.pits), 5))))
    assert played(core, odd) == played(plain, odd)


@given(rules_and_positions(), st.integers(0, 2))
def test_perft(drawn: tuple[rs.Rules, Setup], depth: int) -> None:
    core, plain = both(drawn[1])
    if core.redistributions < 2:
        depth = min(depth, 1)
    assert rs.perft(core, depth) == reference.perft(plain, depth)


ARGUMENTS: dict[str, st.SearchStrategy[Any]] = {
    "pits": st.lists(
        st.integers(-1, 3) | st.sampled_from((1.0, None, "1", True, 10**30)), max_size=8
    )
    | st.sampled_from((None, "111111", 7, (1,) * 6, (400,) * 6)),
    "stores": st.lists(st.integers(-1, 1001), max_size=3) | st.sampled_from((None, "00", (1.5, 0))),
    "mover": st.sampled_from((0, 1, 2, -1, None, "S", 1.0, True, 10**30)),
    "protected": st.lists(st.integers(-1, 6), max_size=3) | st.sampled_from((None, 3, "1", (0.0,))),
    "direction": st.sampled_from((None, "ccw", "cw", "up", 1)),
    "barred": st.sampled_from((None, 0, 3, 5, 6, -1, "0", 2.0)),
    "redistributions": st.sampled_from((None, 0, 1, 2, 3, -1, "2", True)),
    "drawn": st.sampled_from((False, True, 0, 1, None, "no")),
}


@given(rules_and_positions(pits=3), st.data())
def test_odd_constructor_arguments_are_judged_alike(
    drawn: tuple[rs.Rules, Setup], data: st.DataObject
) -> None:
    rules, setup = drawn
    names = data.draw(st.lists(st.sampled_from(sorted(ARGUMENTS)), unique=True, max_size=3))
    arguments = setup.arguments | {name: data.draw(ARGUMENTS[name]) for name in names}
    kind, mine = outcome(lambda: rs.Position(rules, **arguments))
    plain_kind, theirs = outcome(lambda: reference.Position(rules, **arguments))
    if kind == "gives":
        assert plain_kind == "gives"
        assert state(mine) == state(theirs)
    elif len(names) == 1:
        assert (kind, mine) == (plain_kind, theirs)
    else:  # each names one of several faults
        assert plain_kind != "gives"


@pytest.mark.parametrize("odd", [None, 3, "3+", (0, None, "ccw"), 1.5, object, rs.Rules])
def test_what_is_no_move_is_a_type_error(odd: object) -> None:
    for make in (rs.Position.start, reference.Position.start):
        position: Any = make(rs.giuthi())
        for call in (position.play, position.sow, position.legal_moves.index):
            with pytest.raises(TypeError, match="a move must be Sow or Redistribute, not"):
                call(odd)
        assert odd not in position.legal_moves
