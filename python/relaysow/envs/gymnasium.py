"""The games as environments of Gymnasium: one game against an opponent, and many over `Batch`."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from relaysow import IllegalMove, Position, Rules
from relaysow._support.checks import one_of, room, shown, within
from relaysow._support.extras import optional_import
from relaysow._support.public import public
from relaysow._support.reloading import once
from relaysow.batch import Batch
from relaysow.envs import options_of, player_of, rules_of, seed_of
from relaysow.envs.one_game import MOST, Copied, InStep, OneGame, chance_kept, no_copy, turned
from relaysow.game import Game
from relaysow.players.computer import choose
from relaysow.players.policies import policies_of

once(__name__)

gymnasium: Any = optional_import("gymnasium", "gymnasium")

Opponent = str | Callable[[NDArray[np.int16], NDArray[Any]], Any] | None


@public
class Env(InStep, Copied, gymnasium.Env):  # type: ignore[misc]
    """One game against an opponent: `gymnasium.make("relaysow/Giuthi-v0")`, Kiothi or EnGehe.

    `rules` and what follows by keyword are as said in `relaysow.envs`.  `opponent` is a policy of
    `simulate` ("random", "greedy", "search:depth=N", "search:nodes=N"), a callable that takes an
    observation and its mask and returns an action, or None: then every action is the caller's, who
    plays both sides in turn.  `player` is the caller's side, 0 (South) or 1, or None: drawn anew
    for every game.

    Observations, actions and redistributions are those of `relaysow.Batch`; `info["action_mask"]`
    (int8) tells exactly which actions are legal, and suits `action_space.sample`.  The reward is
    that of the player who acted: +1, 0 or −1 at the end, else 0; then `info` has the game's
    `scores`, `winner` and `end`.  `max_moves` truncates a game after so many moves of both.
    `reset(options={"start": position})` begins from a Position of the same rules.

    Gymnasium lets every action of the action space be tried, so by default `illegal="lose"`: an
    illegal action loses the game, and `info["illegal"]` says why it is one.  `illegal="raise"`
    raises `IllegalMove` instead, and the game stands as it stood.

    A step that is interrupted, by Ctrl-C or by what an opponent raises, has been made or has not;
    if it has, the next call asks the opponent again before it makes its own action.  `action_masks`
    ends such a step too, and tells what may be done then.

    Raises `ValueError` naming the value and what is allowed, `TypeError` for wrong types.

    >>> import gymnasium, relaysow.envs
    >>> env = gymnasium.make("relaysow/Giuthi-v0", pits=5, seeds=4, opponent="greedy")
    >>> observation, info = env.reset(seed=1)
    >>> over = False
    >>> while not over:
    ...     action = int(info["action_mask"].argmax())
    ...     observation, reward, terminated, truncated, info = env.step(action)
    ...     over = terminated or truncated
    >>> reward, info["scores"], info["end"]
    (-1.0, (9, 31), 'both_stuck')
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 2}

    def __init__(
        self,
        rules: Rules | str = "giuthi",
        *,
        opponent: Opponent = "random",
        player: int | None = 0,
        illegal: str = "lose",
        max_moves: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.render_mode = one_of(
            "render_mode", render_mode, (*self.metadata["render_modes"], None)
        )
        self._illegal = one_of("illegal", illegal, ("lose", "raise"))
        self._player = player_of(player)
        if opponent is not None and not callable(opponent):
            opponent = _policy(opponent)
        self._opponent = opponent
        self._game = OneGame(rules_of(rules, options), max_moves)
        self._side = self._player or 0
        self._history: Game | None = None
        self._line: list[tuple[int, Position, Any]] = []
        self._chance = Random()
        self._drawn = np.zeros(1, np.int64)
        self._draws = (-1, -1)
        self._answer_due = False
        spaces = gymnasium.spaces
        self.action_space = spaces.Discrete(self._game.actions)
        shape = self._game.batch.observations.shape[1:]
        self.observation_space = spaces.Box(0, MOST, shape, np.int16)

    @property
    def rules(self) -> Rules:
        """The rules of the games."""
        return self._game.rules

    @property
    def position(self) -> Position:
        """The position; during a redistribution the one before it."""
        return self._game.position

    @property
    def side(self) -> int:
        """The player whose decision is the caller's: 0 (South) or 1."""
        return self._game.mover if self._opponent is None else self._side

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int16], dict[str, Any]]:
        """Begin a game, and let the opponent move if it is their turn.

        Raises `ValueError` for a negative seed and for a start of other rules or that is over,
        `TypeError` for wrong types.
        """
        seed, options = seed_of(seed), options_of(options)
        self._settle()
        now: dict[str, Any] = {"_history": None, "_line": [], "_answer_due": True}
        self._note(self._game.batch, lambda: now, chance_kept(self))
        try:
            super().reset(seed=seed)
            seeds = self.np_random.integers(2**63, size=2)
            now["_chance"] = Random(int(seeds[0]))
            if self._player is None:
                now["_side"] = int(self.np_random.integers(2))
            self._game.reset(int(seeds[1]), options)
        finally:
            self._settle()
        self._answer()
        return self._game.observation(self.side), self._info()

    def step(self, action: Any) -> tuple[NDArray[np.int16], float, bool, bool, dict[str, Any]]:
        """Make a decision, and let the opponent move until the next is the caller's.

        Raises `TypeError` for an action that is no integer, `IllegalMove` for an illegal one under
        `illegal="raise"`, after the end of the game, and for one that an opponent chose.
        """
        self._go_on()
        side, batch = self.side, self._game.batch
        self._answer_due = True
        try:
            self._make(action)
        except IllegalMove as error:
            if self._illegal == "raise" or self._game.over:
                raise
            info = {**self._info(), "illegal": f"{error}"}
            return self._game.observation(side), -1.0, True, False, info
        self._answer()
        return (
            self._game.observation(self.side),
            float(batch.rewards[0, side]),
            bool(batch.terminated[0]),
            bool(batch.truncated[0]),
            self._info(),
        )

    def action_masks(self) -> NDArray[np.int8]:
        """The mask, by the name that MaskablePPO of sb3-contrib calls it; a step or reset that was
        interrupted is ended first."""
        self._go_on()
        return self._game.mask()

    def render(self) -> Any:
        """The board: text for "ansi", an array for "rgb_array"."""
        return self._game.picture(self.render_mode, "gymnasium")

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"action_mask": self._game.mask()}
        return info | self._game.result() if self._game.over else info

    def _go_on(self) -> None:
        """End a step or reset that was interrupted."""
        self._settle()
        if self._answer_due:
            self._answer()

    def _make(self, action: Any) -> None:
        """Make a decision."""
        if self._history is not None:
            self._follow()
            now = self._game.batch._changes
            self._line.append((now + 1, self._game.position, action))
        self._game.step(action)

    def _follow(self) -> Game:
        """The history, with the decisions that have been made."""
        batch, history = self._game.batch, self._history
        if history is None:
            # It remembers what may not be repeated, which goes no further back than this.
            history = self._history = Game(self._game.position)
        if self._line and self._line[-1][0] > batch._changes:
            self._line.pop()
        for _, position, action in self._line[len(history.moves) :]:
            history.push(position.move(int(action)))
        return history

    def _answer(self) -> None:
        """Let the opponent decide until it is the caller's turn."""
        game, opponent = self._game, self._opponent
        while opponent is not None and game.mover != self._side and not game.over:
            if callable(opponent):
                action = opponent(game.observation(game.mover), game.mask())
            elif opponent == "random" or game.position.redistributions < 2:
                action = self._draw()
            else:
                chance, state = self._chance, self._chance.getstate()
                self._note(game.batch, dict, lambda: chance.setstate(state))  # noqa: B023
                action = game.position.action(choose(self._follow(), opponent, chance))
            try:
                self._make(action)
            except (IllegalMove, TypeError) as error:
                raise type(error)(f"the opponent's {error}") from None
            self._settle()
        self._answer_due = False

    def _draw(self) -> Any:
        """An action at random, the same one until something has been decided."""
        batch = self._game.batch
        samples, changes = self._draws
        if batch._samples == samples or batch._changes != changes:
            self._draws = batch._samples, batch._changes
            batch.sample(self._drawn)
        return self._drawn[0]


def _policy(opponent: object) -> str:
    """The policy of `simulate` that an opponent is named by; raises as `Env` does."""
    if not isinstance(opponent, str):
        raise TypeError(f"opponent must be a policy, a function or None, not {shown(opponent)}")
    return policies_of(opponent, name="opponent")[0]


def _array(name: str, given: object, kinds: str, rows: int) -> NDArray[Any]:
    """An array with a number, or a bool, for each row; a `TypeError` or `ValueError` naming it."""
    try:
        array = np.asarray(given)
    except (ValueError, TypeError, OverflowError, MemoryError):
        array = np.empty((), object)
    if array.dtype.kind not in kinds or array.ndim == 0:
        wanted = "bools" if kinds == "b" else "integers"
        raise TypeError(f"{name} must be {rows} {wanted}, not {shown(given)}")
    if array.shape != (rows,):
        raise ValueError(f"{name} has the shape {array.shape}: must be ({rows},)")
    return array


@public
class VectorEnv(InStep, Copied, gymnasium.vector.VectorEnv):  # type: ignore[misc]
    """Many games side by side, straight over `relaysow.Batch`.

    `gymnasium.make_vec("relaysow/Giuthi-v0", num_envs=4096)`: the games of `Env`, whose arguments
    these are too, with arrays for single values; an `opponent` by name is "random", and a callable
    gets the observations and masks of all games and returns an action for each.  With
    `opponent=None`, self-play, a step is one of `Batch`, and nothing else is done for a game.

    `infos["action_mask"]` is bool (num_envs, actions).  Where games have ended, `infos` has their
    `scores` and `winner`, and `_scores` and `_winner` say in which rows.  `autoreset_mode` is one
    of Gymnasium's: with "SameStep" the last observations are in `infos["final_obs"]`, in the rows
    of `infos["_final_obs"]`.  `mask`, `illegal`, `max_moves` and `threads` are those of `Batch`,
    but for the exact mask: `mask="candidates", illegal="report"` is faster, leaves in the mask the
    rare sowings that never end, and tells in `infos["illegal"]` where an action has changed
    nothing.  With an opponent `illegal="raise"` needs the exact mask.

    Raises `ValueError` naming the value and what is allowed, `TypeError` for wrong types.

    >>> import gymnasium, relaysow.envs
    >>> envs = gymnasium.make_vec("relaysow/Kiothi-v0", num_envs=64, opponent=None)
    >>> observations, infos = envs.reset(seed=1)
    >>> actions = infos["action_mask"].argmax(axis=1)
    >>> observations, rewards, terminations, truncations, infos = envs.step(actions)
    >>> observations.shape, rewards.shape
    ((64, 48), (64,))
    """

    def __init__(
        self,
        rules: Rules | str = "giuthi",
        num_envs: int = 1,
        *,
        opponent: Opponent = "random",
        player: int | None = 0,
        autoreset_mode: Any = "NextStep",
        mask: str = "exact",
        illegal: str = "raise",
        max_moves: int | None = None,
        threads: int = 1,
        **options: Any,
    ) -> None:
        num_envs = within("num_envs", num_envs, 1, 2**30)
        self._player = player_of(player)
        if not callable(opponent):
            opponent = one_of("opponent", opponent, ("random", None))
        modes = gymnasium.vector.AutoresetMode
        if not isinstance(autoreset_mode, modes):
            words = [mode.value for mode in modes]
            autoreset_mode = modes(one_of("autoreset_mode", autoreset_mode, words))
        self._mode = autoreset_mode
        self.metadata = {"render_modes": [], "autoreset_mode": self._mode}
        self._opponent = opponent
        illegal = one_of("illegal", illegal, ("raise", "report"))
        mask = one_of("mask", mask, ("candidates", "exact"))
        self._raises = illegal == "raise"
        alone = opponent is None
        if self._raises and mask != "exact" and not alone:
            raise ValueError(f"mask={mask!r}: illegal='raise' with an opponent needs 'exact'")
        self._arguments: dict[str, Any] = {
            "rules": rules_of(rules, options),
            "n": num_envs,
            "mask": mask,
            "autoreset": self._mode if alone else modes.DISABLED,
            "illegal": illegal if alone else "report",
            "max_moves": max_moves,
            "threads": threads,
        }
        with room(f"num_envs={num_envs}: no room for so many games"):
            self.batch = Batch(**self._arguments)
        self._begun = False
        self.num_envs = self.batch.n
        self._mover = self.batch.features["mover"].start
        self._turned = turned(self.batch)
        self._sides = np.full(self.num_envs, self._player or 0, np.int16)
        self._over = np.zeros(self.num_envs, np.bool_)
        self._movers = self._sides
        self._drawn = np.zeros(self.num_envs, np.int64)
        self._has_drawn = False  # and not yet played
        self._todo: tuple[NDArray[np.bool_], NDArray[Any]] | str = ""
        shape = self.batch.observations.shape
        spaces, batched = gymnasium.spaces, gymnasium.vector.utils.batch_space
        self.single_action_space = spaces.Discrete(self.batch.actions)
        self.single_observation_space = spaces.Box(0, MOST, shape[1:], np.int16)
        self.action_space = batched(self.single_action_space, self.num_envs)
        self.observation_space = batched(self.single_observation_space, self.num_envs)

    @property
    def rules(self) -> Rules:
        """The rules of the games."""
        return self.batch.rules

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int16], dict[str, Any]]:
        """Begin a game in each row, or in those of the bool array `options["reset_mask"]`.

        `options["start"]` may be a Position of the same rules, or one for each such row.  Raises
        `ValueError` and `TypeError` as `Env.reset` does.
        """
        seed, options = seed_of(seed), options_of(options)
        rows = np.ones(self.num_envs, np.bool_)
        if (given := options.get("reset_mask")) is not None:
            rows = _array("options['reset_mask']", given, "b", self.num_envs)
        self._settle()
        try:
            self._go_on()
        # An opponent that cannot answer must not be in the way of a new beginning.
        except Exception:
            if not rows.all():
                raise
        self._begun = True
        put_back = chance_kept(self)
        self._note(self.batch, dict, put_back)
        try:
            super().reset(seed=seed)
            number = int(self.np_random.integers(2**63))
            if rows.any():
                self._begin(rows, put_back, seed=number, start=options.get("start"))
            else:
                self._noted = None
        finally:
            self._settle()
        self._answer()
        self._todo = ""
        return self._observations(), {"action_mask": self.batch.mask.copy()}

    def step(
        self, actions: Any
    ) -> tuple[
        NDArray[np.int16], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
    ]:
        """Make a decision in each row; what is said of a row that begins anew is ignored.

        Raises `IllegalMove` naming the first row whose action is illegal, `TypeError` or
        `ValueError` for anything but an integer for each row; no game has moved then.
        """
        self._begun = True
        self._settle()
        self._go_on()
        step: Any = self._step_both if self._opponent is None else self._step_one
        return step(_array("actions", actions, "iu", self.num_envs))  # type: ignore[no-any-return]

    def __getstate__(self) -> dict[str, Any]:
        if self._begun:
            raise no_copy("one position for each row")
        return {name: value for name, value in self.__dict__.items() if name != "batch"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        self.batch = Batch(**self._arguments)

    def _step_both(self, actions: NDArray[Any]) -> Any:
        batch = self.batch
        arrays: dict[str, NDArray[Any]] = {
            "observations": np.empty_like(batch.observations),
            "mask": np.empty_like(batch.mask),
            "terminated": np.empty_like(batch.terminated),
            "truncated": np.empty_like(batch.truncated),
        }
        movers, later = self._movers, arrays["observations"][:, self._mover]
        self._note(batch, lambda: {"_movers": later})
        observations, mask, both, terminated, truncated = batch.step(actions, arrays)
        self._settle()
        rewards = np.where(movers, both[:, 1], both[:, 0])
        infos = {"action_mask": mask}
        if not self._raises:
            infos["illegal"] = batch.illegal.copy()
        ended = terminated | truncated
        if ended.any():
            self._tell(infos, ended, batch.final_observations)
        return observations, rewards, terminated, truncated, infos

    def _step_one(self, actions: NDArray[Any]) -> Any:
        batch, before = self.batch, self._over
        if self._raises:
            legal = (actions >= 0) & (actions < batch.actions)
            legal &= batch.mask[np.arange(self.num_envs), np.where(legal, actions, 0)]
            self._refuse(~legal & ~before, actions, "action")
        if self._mode is gymnasium.vector.AutoresetMode.NEXT_STEP and before.any():
            self._begin(before, todo=(~before, actions.copy()))
        infos: dict[str, Any] = {}
        self._decide(~before, actions, _todo="answer")
        if not self._raises:
            infos["illegal"] = batch.illegal & ~before
        self._answer()
        ended = self._over
        if self._mode is gymnasium.vector.AutoresetMode.DISABLED:
            ended = ended & ~before
        won = np.where(batch.winners == self._sides, 1, -1)
        rewards = np.where(ended & (batch.winners >= 0), won, 0).astype(np.float32)
        terminated, truncated = batch.terminated.copy(), batch.truncated.copy()
        if ended.any():
            self._tell(infos, ended, self._observations())
        self._begin_anew()
        infos["action_mask"] = batch.mask.copy()
        return self._observations(), rewards, terminated, truncated, infos

    def _tell(self, infos: dict[str, Any], ended: NDArray[np.bool_], last: NDArray[Any]) -> None:
        """Put the results of the games that have ended into `infos`."""
        results = {
            "scores": self.batch.scores.copy(),
            "_scores": ended,
            "winner": self.batch.winners.copy(),
            "_winner": ended,
        }
        if self._mode is gymnasium.vector.AutoresetMode.SAME_STEP:
            infos |= {"final_obs": last.copy(), "_final_obs": ended}
            infos |= {"final_info": results, "_final_info": ended}
        else:
            infos |= results

    # The rest lets an opponent move.

    def _go_on(self) -> None:
        """End a step or reset that was interrupted."""
        if isinstance(self._todo, tuple):
            self._decide(*self._todo, _todo="answer")
        if self._todo:
            self._answer()
            self._begin_anew()

    def _begin_anew(self) -> None:
        """Begin the games that a step has still to begin; with that it ends."""
        same_step = self._mode is gymnasium.vector.AutoresetMode.SAME_STEP
        if same_step and self._todo == "answer" and self._over.any():
            self._begin(self._over)
            self._answer()
        self._todo = ""

    def _begin(
        self,
        rows: NDArray[np.bool_],
        put_back: Callable[[], object] | None = None,
        todo: Any = "last answer",
        **arguments: Any,
    ) -> None:
        """Begin games in some rows; with that comes what is then to be done."""
        now: dict[str, Any] = {"_over": self._over & ~rows, "_todo": todo, "_has_drawn": False}
        draws = self._player is None
        self._note(
            self.batch,
            lambda: {**now, "_movers": self._movers_now()},
            put_back or (chance_kept(self) if draws else lambda: None),
        )
        if draws:
            now["_sides"] = self._sides.copy()
            now["_sides"][rows] = self.np_random.integers(2, size=int(rows.sum()))
        self.batch.reset(rows, **arguments)
        self._settle()

    def _movers_now(self) -> NDArray[np.int16]:
        return self.batch.observations[:, self._mover].copy()

    def _decide(self, rows: NDArray[np.bool_], actions: NDArray[Any], **after: Any) -> None:
        """Make decisions in some rows, and change attributes with it; −1 is no action, and leaves
        the others as they are."""
        batch = self.batch
        self._note(batch, lambda: {**after, "_over": batch.terminated | batch.truncated})
        batch.step(np.where(rows, actions, -1))
        self._settle()

    def _answer(self) -> None:
        """Let the opponent decide until each row is over or the caller's turn."""
        batch = self.batch
        while self._opponent is not None:
            rows = ~self._over & (batch.observations[:, self._mover] != self._sides)
            if not rows.any():
                return
            if callable(self._opponent):
                chosen = self._opponent(batch.observations, batch.mask)
                actions = _array("the opponent's actions", chosen, "iu", self.num_envs)
            else:
                if not self._has_drawn:
                    self._note(batch, lambda: {"_has_drawn": True}, what="_samples")
                    batch.sample(self._drawn)
                    self._settle()
                actions = self._drawn
            self._decide(rows, actions, _has_drawn=False)
            self._refuse(batch.illegal & rows, actions, "the opponent's action")

    def _observations(self) -> NDArray[np.int16]:
        """As the caller sees the boards: a new array."""
        seen = self.batch.observations.copy()
        if self._opponent is not None:
            other = seen[:, self._mover] != self._sides
            seen[other] = seen[other][:, self._turned]
        return seen

    @staticmethod
    def _refuse(illegal: NDArray[np.bool_], actions: NDArray[Any], what: str) -> None:
        if illegal.any():
            row = int(illegal.argmax())
            raise IllegalMove(f"row {row}, {what} {actions[row]}: not one of action_mask")
