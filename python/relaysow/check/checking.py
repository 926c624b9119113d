"""The same games in the core and in the reference: `check`."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from relaysow._support.checks import WORD, flag, within
from relaysow._support.progress import progress_bar
from relaysow._support.public import public
from relaysow.check.playing import Task
from relaysow.check.report import CheckInterrupted, Report
from relaysow.check.sharing import played
from relaysow.players.policies import policies_of
from relaysow.rules import Rules
from relaysow.simulation.setting import start_of, told_start
from relaysow.simulation.simulating import MAX_MOVES

if TYPE_CHECKING:
    from relaysow.text.notation import AnyPosition

MAX_CHECKED = 10_000_000
"""The most games of one check."""

RANDOM_MAX_MOVES = 300
"""Where games under random rules are cut: not all of them would end."""


@public
def check(
    rules_or_position: Rules | AnyPosition | None,
    games: int = 1_000,
    seed: int = 1,
    *,
    first_game: int = 0,
    policy: str | tuple[str, str] = "random",
    max_moves: int | None = None,
    full: int | None = None,
    processes: int = 1,
    progress: bool = False,
) -> Report:
    """Play the same games in the core and in the reference and compare them move by move.

    Compared are: every position with all its attributes, the trace of every move played, whether
    and how the game ends, and the row of results; and at every position the legal moves and the
    trace, or the refusal, of every sowing from the mover's row.  That last part takes most of the
    time: `full` games have it at every position, the rest at one position in 16 (None: all games
    have it).  Redistributions are compared by their count and a sample.

    Without rules (None) every game has rules of its own, drawn by `random_rules` from the seed and
    the game's number, and is cut after 300 moves.

    games 1…10,000,000; the other arguments are those of `simulate`; `processes` share the games
    (from a script, under `if __name__ == "__main__"`).  Stops at the first difference.  Raises
    `ValueError` or `TypeError` as `simulate` does, `CheckInterrupted` on Ctrl-C, and
    `ChildProcessError` when one of the processes is killed.

    >>> from relaysow import giuthi
    >>> from relaysow.check import check
    >>> report = check(giuthi(pits=5, seeds=4), games=2)
    >>> report.games, report.difference, report.positions == report.lists + report.games
    (2, None, True)
    """
    games = within("games", games, 1, MAX_CHECKED)
    seed = within("seed", seed, 0, WORD - 1)
    first_game = within("first_game", first_game, 0, WORD - games)
    full = games if full is None else min(within("full", full, 0, MAX_CHECKED), games)
    processes = within("processes", processes, 1, 1_024)
    names, progress = policies_of(policy, "reference"), flag("progress", progress)
    if max_moves is not None:
        max_moves = within("max_moves", max_moves, 1, MAX_MOVES)
    start: Any = None
    if rules_or_position is None:
        max_moves = min(max_moves or RANDOM_MAX_MOVES, RANDOM_MAX_MOVES)
        shown = "under random rules"
    else:
        start = start_of(rules_or_position, "native")
        shown = told_start(start)
        if start.rules.repetition == "off" and max_moves is None:
            raise ValueError("repetition='off': games need not end, so max_moves must be given")
    first = f", from game {first_game:,}" if first_game else ""
    title = f"{shown}, {names[0]} against {names[1]}, seed {seed}{first}"

    size = max(1, min(8, games // (4 * processes)))
    tasks = (
        Task(start, seed, first_game + i, min(size, games - i), full - i, names, max_moves)
        for i in range(0, games, size)
    )
    report = Report(title)
    with progress_bar(games, "games", progress) as poll:
        try:
            with closing(played(tasks, min(processes, -(-games // size)))) as parts:
                for part in parts:
                    report = _added(report, part)
                    if report.difference is not None:
                        break
                    if poll is not None:
                        poll(report.games)
        except KeyboardInterrupt as error:
            raise CheckInterrupted(report) from error
    return report


def _added(report: Report, part: Report) -> Report:
    return replace(
        report,
        games=report.games + part.games,
        positions=report.positions + part.positions,
        lists=report.lists + part.lists,
        traces=report.traces + part.traces,
        difference=part.difference,
    )
