"""A run: all that decides its games, and how they are played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from relaysow import _core
from relaysow._support.reloading import once
from relaysow.simulation.columns import empty_columns
from relaysow.simulation.result import Simulation

if TYPE_CHECKING:
    from relaysow.simulation.columns import Columns, Played, Poll
    from relaysow.text.notation import AnyPosition

once(__name__)


@dataclass(eq=False)
class Run:
    """All that decides the games of a simulation but their numbers, and how they are played.

    It crosses processes; a piece of it that is played in another thread ends soon after `stopped`.
    """

    start: AnyPosition
    policy: tuple[str, str]
    seed: int
    max_moves: int | None
    engine: str
    threads: int
    stopped: bool = False

    def play(self, first_game: int, games: int, poll: Poll | None) -> Played:
        """The columns of these games, how many were played, and what stopped them if not all."""
        if self.engine == "native":
            south, north = self.policy
            return _core.simulate(
                *(self.start, games, self.seed, first_game, self.threads, south, north),  # type: ignore[arg-type]
                *(self.max_moves, poll),
            )
        return self._play_reference(first_game, games, poll)

    def _play_reference(self, first_game: int, games: int, poll: Poll | None) -> Played:
        """A game at a time, so that Ctrl-C leaves the games done."""
        from relaysow import reference

        start: Any = self.start
        columns, done = empty_columns(games), 0
        try:
            while done < games:
                game = reference.simulate(
                    start, 1, self.seed, first_game + done, *self.policy, self.max_moves
                )
                for name, column in columns.items():
                    column[done] = game[name][0]
                done += 1
                if poll is not None:
                    poll(done)
        except BaseException as error:  # noqa: BLE001 - handed back beside the games done
            return columns, done, error
        return columns, done, None

    def result(self, first_game: int, columns: Columns) -> Simulation:
        for column in columns.values():
            column.flags.writeable = False
        return Simulation(
            **columns,
            start=self.start,
            policy=self.policy,
            seed=self.seed,
            first_game=first_game,
            max_moves=self.max_moves,
        )
