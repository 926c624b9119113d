"""What a record asks of a game, a match and a series, which is a play each."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from relaysow.match import Match, Series
from relaysow.moves import Move, Outcome, Redistribute, Sow
from relaysow.text.notation import PLAYERS, move_to_text


class GameLike(Protocol):
    """What `record` and `replay` need of a game; its class is called with rules or a position."""

    @property
    def start(self) -> Any: ...
    @property
    def position(self) -> Any: ...
    @property
    def moves(self) -> tuple[Move, ...]: ...
    @property
    def is_over(self) -> bool: ...
    @property
    def outcome(self) -> Outcome | None: ...
    def push(self, move: Move) -> None: ...


G = TypeVar("G", bound=GameLike)
Play = Any  # a GameLike, Match or Series


def steps_of(play: Play) -> tuple[Any, ...]:
    """The steps of a game, match or series."""
    steps: tuple[Any, ...] = play.moves if kind_of(play) == "game" else play.steps
    return steps


def fresh(play: Play) -> Play:
    """The same game, match or series before its first step."""
    kind = kind_of(play)
    if kind == "game":
        return type(play)(play.start)
    if kind == "match":
        return type(play)(play.rules, play.scheme, play.first, play.twice, play.half_of)
    return type(play)(play.rules, play.best_of, play.one_warrior, play.first)


def part_of(play: Play) -> tuple[int, tuple[int, int]]:
    """The number of the present round or game and the totals or points at its start; (0, …) for a
    game by itself."""
    kind = kind_of(play)
    if kind == "match":
        return play.round.number, play.round.totals
    return (len(play.games), play.points) if kind == "series" else (0, (0, 0))


def step_to_text(play: Play, step: Any) -> str:
    """A step of a game, match or series as a record has it, in the present position of `play`."""
    if isinstance(step, (Sow, Redistribute)):
        return move_to_text(play.position, step)
    return ",".join(map(str, step.row)) if hasattr(step, "row") else "shorten"


def kind_of(play: Play) -> str:
    return "match" if isinstance(play, Match) else "series" if isinstance(play, Series) else "game"


def setting_of(play: Play) -> tuple[Any, ...]:
    """What `fresh` makes a play from."""
    kind = kind_of(play)
    if kind == "game":
        return kind, play.start
    if kind == "match":
        return kind, play.rules, play.scheme, play.first, play.twice, play.half_of
    return kind, play.rules, play.best_of, play.one_warrior, play.first


def to_act(play: Play) -> int | None:
    if play.is_over:
        return None
    mover: int | None = play.to_act if kind_of(play) == "match" else play.position.mover
    return mover


def push(play: Play, step: Any) -> bool:
    """Makes a step; whether the same turn goes on."""
    before, part = play.position, part_of(play)[0]
    play.push(step)
    after = play.position
    if before is None or after is None or part_of(play)[0] != part:
        return False
    same: bool = after.mover == before.mover and not after.passed
    return same


def result_of(play: Play) -> dict[str, str]:
    """The tags that tell how a play has ended."""
    kind = kind_of(play)
    if kind == "game":
        outcome = play.outcome
        if outcome is None:
            return {"Result": "*"}
        return {
            "Result": (*PLAYERS, "draw")[outcome.winner],
            "Stores": f"{outcome.stores[0]}-{outcome.stores[1]}",
            "End": outcome.end,
        }
    if play.winner is None:
        return {"Result": "*"}
    south, north = play.totals if kind == "match" else play.points
    return {
        "Result": (*PLAYERS, "draw")[play.winner],
        "Totals" if kind == "match" else "Points": f"{south}-{north}",
    }
