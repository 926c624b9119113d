"""The games as Python games of OpenSpiel: importing this registers `giuthi`, `kiothi`, `engehe`.

`pyspiel.load_game("giuthi(pits=5,seeds=4,chain=run)")`: `rules` names a rule set, and what it takes
follows by the same names; `setup` is the counts with spaces between.  Actions, redistributions as
single decisions and observations are those of `relaysow.Batch`.  A game ends after
`max_game_length` decisions at the latest, and then nobody has won.

An observation tensor is a row of `Batch`'s observation as the player sees the board, own row first,
after two entries that tell who the player is; its entry `mover` tells who is to move.

`State.undo_action` takes a decision back in Python.  OpenSpiel gives Python games no hook for it in
C++; `history` and what else tells of the past is right in Python after it.

>>> import pyspiel, relaysow.envs.openspiel
>>> game = pyspiel.load_game("kiothi(rules=kiothi_wikipedia)")
>>> state = game.new_initial_state()
>>> state.apply_action(state.legal_actions()[0])
>>> state.current_player(), state.action_to_string(state.legal_actions()[3])
(0, 'place 4')
"""

from __future__ import annotations

import re
from typing import Any, ClassVar, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from relaysow import Position, Rules
from relaysow._support.checks import instance, is_integer, shown, whole_number, within
from relaysow._support.extras import optional_import
from relaysow._support.reloading import once
from relaysow.batch import Batch
from relaysow.envs import GAMES, rules_of
from relaysow.envs.decisions import Decision, Decisions
from relaysow.options import CHOICES

pyspiel: Any = optional_import("pyspiel", "openspiel")
observation: Any = optional_import("open_spiel.python.observation", "openspiel")

MAX_GAME_LENGTH = 10_000
"""The longest of 20,000 random games of each named rule set took 5,631 moves."""

PARAMETERS: dict[str, Any] = {
    "pits": 0,
    "seeds": 0,
    "filled": 0,
    "setup": "",
    "minimum_lift": 0,
    "max_laps": 0,
    **dict.fromkeys(CHOICES, ""),
}
"""Those of rules; 0 or nothing: as the rule set has it."""


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game of OpenSpiel with certain rules.

    Raises `ValueError` naming the parameter and what is allowed, `TypeError` for wrong types.
    """

    game_type: ClassVar[Any]

    def __init__(self, parameters: dict[str, Any]) -> None:
        instance("parameters", parameters, dict, "a dict")
        for name in parameters:
            instance("a name in parameters", name, str, "a string")
        given = {
            name: value
            for name, value in parameters.items()
            if not (isinstance(value, (str, int)) and value in ("", 0))
        }
        length = given.pop("max_game_length", MAX_GAME_LENGTH)
        length = within("max_game_length", length, 1, 2**31 - 1)
        if "setup" in given:
            setup = given["setup"]
            instance("setup", setup, str, "a string")
            counts = setup.split()
            if not all(re.fullmatch("[0-9]{1,4}", count) for count in counts):
                raise ValueError(f"setup={shown(setup)}: must be counts with spaces between")
            given["setup"] = tuple(map(int, counts))
        self.rules: Rules = rules_of(given.pop("rules", self.game_type.short_name), given)
        batch = Batch(self.rules, 1)
        self.features: dict[str, slice] = batch.features
        self.observed: int = batch.observations.shape[1]
        info = pyspiel.GameInfo(
            num_distinct_actions=batch.actions,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=length,
        )
        plain = {  # OpenSpiel's integers have 32 bits
            name: within(name, value, 0, 2**31 - 1) if is_integer(value) else value
            for name, value in parameters.items()
        }
        super().__init__(self.game_type, info, plain)

    def __reduce__(self) -> tuple[Any, ...]:
        return _game, (self.game_type.short_name, self.get_parameters())

    def new_initial_state(self, text: str | None = None) -> SpielState:
        """The opening, or the position of a text of `Position.to_text`; raises what
        `Position.from_text` does."""
        return SpielState(self, self.rules.start() if text is None else Position.from_text(text))

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """What shows states to players; raises `ValueError` and `TypeError` for what is no type of
        observations, and for any parameter."""
        if iig_obs_type is not None:
            kind = pyspiel.IIGObservationType
            instance("iig_obs_type", iig_obs_type, kind, "an IIGObservationType")
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return Observer(self, params)
        return observation.IIGObserverForPublicInfoGame(iig_obs_type, params)


def _game(name: str, parameters: dict[str, Any]) -> SpielGame:
    game: SpielGame = pyspiel.load_game(name, parameters)
    return game


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A state of OpenSpiel; `play` is the game so far."""

    def __init__(self, game: SpielGame, start: Position) -> None:
        super().__init__(game)
        self.play = Decisions(start, game.max_game_length())

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        # As for a Position: pybind11 ends the process in protocols 0 and 1.
        return super().__reduce_ex__(max(int(protocol), 2))

    def current_player(self) -> int:
        """Who is to decide: 0 (South), 1, or that the game is over."""
        return int(pyspiel.PlayerId.TERMINAL) if self.play.over else self.play.mover

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.play.over

    def returns(self) -> list[float]:
        """The result for each: +1, −1, or 0."""
        outcome = self.play.game.outcome
        if outcome is None or outcome.winner < 0:
            return [0.0, 0.0]
        return [1.0, -1.0] if outcome.winner == 0 else [-1.0, 1.0]

    def undo_action(self, player: int, action: int) -> None:
        """Take back the last decision, which must be this one.

        Raises `ValueError` if it is not, `TypeError` for what is no integer.
        """
        player, action = whole_number("player", player), whole_number("action", action)
        if self.play.past[-1:] != [(player, action)]:
            raise ValueError(
                f"player {shown(player)}'s action {shown(action)} is not the last: "
                f"{self.play.past[-1:]}"
            )
        self.play.undo()

    def history(self) -> list[int]:
        """The actions so far."""
        return [decision.action for decision in self.play.past]

    def full_history(self) -> list[Decision]:
        """The actions so far, with their players."""
        return self.play.past.copy()

    def history_str(self) -> str:
        """The actions so far, as text."""
        return ", ".join(map(str, self.history()))

    def move_number(self) -> int:
        """How many decisions have been made."""
        return len(self.play.past)

    def is_initial_state(self) -> bool:
        """Whether none has been made."""
        return not self.play.past

    def __str__(self) -> str:
        play = self.play
        if play.partial is None:
            return str(play.position)
        return f"{play.position}{play.partial.pits}, {play.partial.hand} in hand\n"

    def _legal_actions(self, player: int) -> list[int]:  # noqa: ARG002
        return self.play.legal_actions()

    def _apply_action(self, action: int) -> None:
        self.play.push(action)

    def _action_to_string(self, player: int, action: int) -> str:  # noqa: ARG002
        rules, made = self.play.position.rules, self.play.partial
        k = action - rules.actions
        if k == 2 * rules.pits:
            return "empty no more"
        if k >= 0:
            return f"{'place' if made and made.placing else 'empty'} {k + 1}"
        position = self.play.position
        return position.move_to_text(position.move(action))


class Observer:
    """What a player sees, as OpenSpiel wants it.

    Raises `ValueError` for parameters and for a player that is not there, `TypeError` for what is
    no state.
    """

    def __init__(self, game: SpielGame, params: Any) -> None:
        if not (params is None or (isinstance(params, dict) and not params)):
            raise ValueError(f"params={shown(params)}: an observation takes none")
        parts = {name: slice(at.start + 2, at.stop + 2) for name, at in game.features.items()}
        self._parts = {"player": slice(0, 2), **parts}
        self._see(np.zeros(2 + game.observed, np.float32))

    def _see(self, tensor: NDArray[np.float32]) -> None:
        self.tensor = tensor
        self.dict = {name: tensor[at] for name, at in self._parts.items()}

    def __getstate__(self) -> dict[str, Any]:
        return {"parts": self._parts, "tensor": self.tensor.copy()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._parts = state["parts"]
        self._see(state["tensor"])  # the parts are views of it

    def set_from(self, state: SpielState, player: int) -> None:
        """Show a state to a player."""
        player = _shown_to(state, player)
        self.tensor[:2] = (player == 0, player == 1)
        self.tensor[2:] = state.play.observation(player)

    def string_from(self, state: SpielState, player: int) -> str:
        """A state as text, with all that a tensor tells."""
        player = _shown_to(state, player)
        play = state.play
        return f"{play.position.to_text()} {play.observation(player)}"


def _shown_to(state: object, player: object) -> int:
    instance("state", state, SpielState, "a state of these games")
    return within("player", player, 0, 1)


def _register() -> None:
    kinds = pyspiel.GameType
    for name, rules in GAMES.items():
        game_type = kinds(
            short_name=rules,
            long_name=name,
            dynamics=kinds.Dynamics.SEQUENTIAL,
            chance_mode=kinds.ChanceMode.DETERMINISTIC,
            information=kinds.Information.PERFECT_INFORMATION,
            utility=kinds.Utility.ZERO_SUM,
            reward_model=kinds.RewardModel.TERMINAL,
            max_num_players=2,
            min_num_players=2,
            provides_information_state_string=True,
            provides_information_state_tensor=False,
            provides_observation_string=True,
            provides_observation_tensor=True,
            parameter_specification={
                "rules": rules,
                "max_game_length": MAX_GAME_LENGTH,
                **PARAMETERS,
            },
        )
        # OpenSpiel drops what it has registered when Python is gone: it must be a class.
        pyspiel.register_game(game_type, type(name, (SpielGame,), {"game_type": game_type}))


if once(__name__):
    _register()
