"""One game, decision by decision: what the environments of Gymnasium and PettingZoo share."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from copy import deepcopy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from relaysow import IllegalMove, Position, Rules
from relaysow._support.checks import instance, shown, whole_number
from relaysow._support.extras import optional_import
from relaysow._support.reloading import once
from relaysow.batch import Batch
from relaysow.envs import options_of
from relaysow.simulation.summary import ENDS
from relaysow.text.svg import svg

once(__name__)

MOST = np.iinfo(np.int16).max
"""No number of an observation is larger, and none is negative."""


def turned(batch: Batch) -> NDArray[np.intp]:
    """Which entries of an observation show the board as the player not to move sees it."""
    order = np.arange(batch.observations.shape[1])
    for name in ("pits", "protected"):
        if name in batch.features:
            at = batch.features[name]
            order[at] = np.roll(order[at], batch.rules.pits)
    stores = batch.features["stores"]
    order[stores] = order[stores][::-1]
    return order


def no_copy(start: str) -> TypeError:
    """Why an environment is not copied, and what tells another one where the games stand."""
    return TypeError(
        "an environment whose games have begun cannot be copied or pickled: make another like it, "
        f"and reset it with options={{'start': {start}}}"
    )


class Copied:
    """An environment of which `copy.copy`, too, shares nothing that changes."""

    def __copy__(self) -> Self:
        return deepcopy(self)


class InStep:
    """An environment that changes in step with a `Batch`, whatever interrupts it.

    What a change of the batch will lead to is noted before the batch is told to change, and taken
    over at once afterwards: by what comes next, if that much was not done.
    """

    _noted: tuple[Batch, str, int, Callable[[], dict[str, Any]], Callable[[], object]] | None = None

    def _note(
        self,
        batch: Batch,
        then: Callable[[], dict[str, Any]],
        otherwise: Callable[[], object] = lambda: None,
        what: str = "_changes",
    ) -> None:
        """Note what attributes will be once the batch has changed, or with `"_samples"` drawn, and
        what is to be taken back if it does not."""
        self._noted = batch, what, getattr(batch, what), then, otherwise

    def _settle(self) -> None:
        """Take over what was noted if the batch has changed since."""
        if self._noted is None:
            return
        batch, what, count, then, otherwise = self._noted
        if getattr(batch, what) > count:
            vars(self).update(then(), _noted=None)
        else:
            otherwise()
            self._noted = None


def chance_kept(env: Any) -> Callable[[], object]:
    """What puts an environment's generator of chance back to where it is now."""
    generator, seed = env._np_random, env._np_random_seed
    state = generator and generator.bit_generator.state

    def put_back() -> None:
        env._np_random, env._np_random_seed = generator, seed
        if generator:
            generator.bit_generator.state = state

    return put_back


class OneGame:
    """A `Batch` of one row that stays over when its game is.

    `max_moves` is that of `Batch`; masks tell exactly which actions are legal.
    """

    def __init__(self, rules: Rules, max_moves: int | None = None) -> None:
        self.batch = Batch(rules, 1, mask="exact", autoreset="Disabled", max_moves=max_moves)
        self.rules = rules
        self.actions = self.batch.actions
        self.features = self.batch.features
        self._begun = False
        self._action = np.zeros(1, np.int64)
        self._mover = self.features["mover"].start
        self._turned = turned(self.batch)

    def reset(self, seed: int | None, options: dict[str, Any] | None) -> None:
        """Begin a game; `options["start"]` may be a Position of the same rules."""
        start = options_of(options).get("start")
        if start is not None:
            instance("start", start, Position, "a Position")
        self._begun = True
        self.batch.reset(seed=None if seed is None else [seed], start=start)

    def step(self, action: object) -> None:
        """Make a decision; `IllegalMove` if it is illegal, `TypeError` if it is no integer."""
        number = whole_number("action", action)
        if not 0 <= number < self.actions:
            raise IllegalMove(f"action {shown(number)}: must be 0…{self.actions - 1}")
        self._begun = True
        self._action[0] = number
        try:
            self.batch.step(self._action)
        except IllegalMove as error:
            raise IllegalMove(f"{error}".removeprefix("row 0, ")) from None

    def __reduce__(self) -> tuple[Any, ...]:
        if self._begun:
            raise no_copy("position")
        return OneGame, (self.rules, self.batch.max_moves)

    @property
    def over(self) -> bool:
        """Whether the game has ended, or been cut by `max_moves`: then no action is left."""
        return 1 not in self.batch.mask.tobytes()

    @property
    def mover(self) -> int:
        """Who is to decide: 0 (South) or 1."""
        return int(self.batch.observations[0, self._mover])

    @property
    def position(self) -> Position:
        """The position; during a redistribution the one before it."""
        return self.batch.position(0)

    def observation(self, player: int) -> NDArray[np.int16]:
        """The board as a player sees it, his own row first: a new array."""
        row = self.batch.observations[0]
        seen: NDArray[np.int16] = row.copy() if self.mover == player else row[self._turned]
        return seen

    def mask(self) -> NDArray[np.int8]:
        """1 for each action that the player to move may choose: a new array."""
        mask: NDArray[np.int8] = self.batch.mask[0].astype(np.int8)
        return mask

    def result(self) -> dict[str, Any]:
        """How a game that is over has ended."""
        scores, winner = self.batch.scores[0], self.batch.winners[0]
        return {
            "scores": (int(scores[0]), int(scores[1])),
            "winner": int(winner),
            "end": ENDS[self.batch.ends[0]],
        }

    def picture(self, mode: str | None, extra: str) -> str | NDArray[np.uint8] | None:
        """The board as text ("ansi") or as an array (height, width, 3) ("rgb_array")."""
        if mode is None:
            warnings.warn("render_mode is None: nothing is drawn", stacklevel=3)
            return None
        if mode == "ansi":
            return str(self.position)
        png = optional_import("resvg_py", extra).svg_to_bytes(svg_string=svg(self.position))
        image = optional_import("PIL.Image", extra).open(io.BytesIO(bytes(png)))
        pixels: NDArray[np.uint8] = np.asarray(image.convert("RGB"))
        return pixels
