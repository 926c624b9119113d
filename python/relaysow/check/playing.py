"""Games played by the choices of the reference in both engines, compared move by move."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from relaysow import _core, reference
from relaysow._support.reloading import once
from relaysow.check.comparing import (
    Differs,
    compare_lists,
    compare_position,
    compare_sowings,
    compare_traces,
    equal,
)
from relaysow.check.drawn_rules import random_rules
from relaysow.check.report import Difference, Report
from relaysow.check.shrinking import told
from relaysow.game import Game
from relaysow.moves import IllegalMove
from relaysow.reference import players
from relaysow.reference.simulate import GameRow
from relaysow.rules import Rules
from relaysow.simulation.columns import COLUMNS
from relaysow.simulation.setting import start_of

if TYPE_CHECKING:
    from relaysow._core import Position

once(__name__)

SAMPLED = 16
"""After the games compared in full, legal moves are compared at one position in so many."""


@dataclass(frozen=True, slots=True)
class Task:
    """Some games in a row, the first `full` of them to be compared in full."""

    start: Any
    seed: int
    first_game: int
    games: int
    full: int
    policies: tuple[str, str]
    max_moves: int | None


def play(task: Task) -> Report:
    """Compare the games of a task, until one differs."""

    def rows(start: Any, number: int, games: int) -> list[dict[str, Any]]:
        columns, _, error = _core.simulate(
            start, games, task.seed, number, 1, *task.policies, task.max_moves, None
        )
        if error is not None:
            raise error
        values = zip(*(columns[name].tolist() for name in COLUMNS), strict=True)
        return [dict(zip(COLUMNS, row, strict=True)) for row in values]

    counts, start = _Counts(), task.start
    played = [] if start is None else rows(start, task.first_game, task.games)
    for i in range(task.games):
        number = task.first_game + i
        if task.start is None:
            start = random_rules(random.Random(f"{task.seed} {number}")).start()
            played += rows(start, number, 1)
        row = played[i]
        games = _Games(start)
        try:
            counts.compare(games, task, number, row, full=i < task.full)
        except Differs as differs:
            at = games.reference
            return counts.report(told(differs, number, len(at.moves), at.position))
        counts.games += 1
    return counts.report(None)


class _Games:
    """One game in both engines."""

    def __init__(self, start: Position) -> None:
        # Both from the rules or both from the same arguments, so that even `passed` must agree.
        what = start.rules if start == start.rules.start() else start
        twin = start_of(what, "reference")
        same = start_of(what if isinstance(what, Rules) else twin, "native")
        self.reference, self.core = reference.Game(twin), Game(same)


class _Counts:
    """How much has been compared, and the comparing of a game."""

    def __init__(self) -> None:
        self.games = self.positions = self.lists = self.traces = 0

    def report(self, difference: Difference | None) -> Report:
        return Report("", self.games, self.positions, self.lists, self.traces, difference)

    def compare(
        self, games: _Games, task: Task, number: int, row: dict[str, Any], *, full: bool
    ) -> None:
        """Play a game by the reference's choices; raises `Differs` where the engines part."""
        chance = reference.Chance(task.seed, number)
        ref, core = games.reference, games.core
        mine = GameRow()
        while True:
            self.positions += 1
            compare_position(core.position, ref.position)
            equal("is_over of the game", core.is_over, ref.is_over)
            equal("outcome of the game", core.outcome, ref.outcome)
            if ref.is_over or len(ref.moves) == task.max_moves:
                break
            if full or (number + len(ref.moves)) % SAMPLED == 0:
                self.lists += 1
                compare_lists(core.legal_moves, ref.legal_moves)
                self.traces += compare_sowings(core.position, ref.position)
            move = players.choose(ref, task.policies[ref.position.mover], chance)
            told = ref.position.sow(move)
            self.traces += 1
            compare_traces(core.position.sow(move), told, move)
            mine.count(ref, told)
            try:
                core.push(move)
            except IllegalMove as error:
                raise Differs("what the game allows", str(error), "a move", move) from None
            ref.push(move)
        for name, value in mine.columns(ref).items():
            ours = list(value) if name == "scores" else value
            equal(f"{name} of the simulated game", row[name], ours)
