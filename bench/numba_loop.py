"""Random play of Giuthi and En Gehé, by whole games and by batched steps, as a user writes it in Numba.

It plays the same games from the same seed as the package and shares no code with it.
"""

# Numba infers the types.
# mypy: ignore-errors

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

BOTH_STUCK, SWEPT, REPETITION, CUT = 0, 2, 3, 5
COLUMNS = (
    *("south", "north", "winner", "moves", "turns"),
    *("laps", "captures", "longest", "end", "first_move"),
)
LOW = 0xFFFFFFFF
ENDLESS_TEST_FROM = 64
SLOTS = 1024


@njit(inline="always")
def split_mix(state):
    z = state
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit
def generator(seed, game, words):
    """xoshiro128++ of one game, its four 32-bit words kept in int64."""
    golden = np.uint64(0x9E3779B97F4A7C15)
    base = split_mix(seed + golden) ^ game
    for i in range(2):
        base += golden
        pair = split_mix(base)
        words[2 * i] = pair & np.uint64(LOW)
        words[2 * i + 1] = pair >> np.uint64(32)


@njit(inline="always")
def below(words, count):
    a, b, c, d = words[0], words[1], words[2], words[3]
    x = (a + d) & LOW
    result = (((x << 7) | (x >> 25)) + a) & LOW
    c ^= a
    d ^= b
    words[0] = a ^ d
    words[1] = b ^ c
    words[2] = c ^ ((b << 9) & LOW)
    words[3] = ((d << 11) | (d >> 21)) & LOW
    return (result * count) >> 32


@njit
def sow(board, home, pits, origin, seeds, step, reverses, mark):
    """Sows a whole pit: (last pit, last direction, crossed, laps); 0 laps if it never ends."""
    ring = 2 * pits
    pit, crossed, laps = origin, False, 0
    mark_pit, mark_step = 0, 0
    board[pit] = 0
    while True:
        crossed |= not 0 <= pit - home + step * seeds < pits
        laps += 1
        for _ in range(seeds):
            pit += step
            if pit == ring:
                pit = 0
            elif pit < 0:
                pit = ring - 1
            board[pit] += 1
        seeds = board[pit]
        if seeds == 1:
            return pit, step, crossed, laps
        if reverses:
            step = -step
        if laps == ENDLESS_TEST_FROM:
            mark[:] = board
            mark_pit, mark_step = pit, step
        elif laps > ENDLESS_TEST_FROM and pit == mark_pit and step == mark_step:
            back = (board == mark).all()
            if back:
                return pit, step, crossed, 0
        board[pit] = 0


@njit
def candidates(board, home, pits, minimum_lift, found):
    count = 0
    for pit in range(home, home + pits):
        found[count] = pit
        count += board[pit] >= minimum_lift
    return count


@njit
def play_all(giuthi, setup, keys, repetition, seed, first, games, limit):
    ring = len(setup)
    pits = ring // 2
    minimum_lift = 2 if giuthi else 1
    directions = 2 if giuthi else 1
    results = np.zeros((games, len(COLUMNS)), np.int64)
    board, before, mark = setup.copy(), setup.copy(), setup.copy()
    found = np.zeros(pits + 1, np.int64)
    struck = np.zeros(2 * pits, np.int64)
    words, words_before = np.zeros(4, np.int64), np.zeros(4, np.int64)
    stores = np.zeros(2, np.int64)

    # Positions since the last capture, chained by hash; serial numbers never fall.
    past = np.zeros((64, ring), setup.dtype)
    past_mover, older = np.zeros(64, np.int64), np.zeros(64, np.int64)
    newest = np.zeros(SLOTS, np.int64)
    serial = 1

    first_number = np.zeros(2 * pits, np.int64)
    legal = 0
    for number in range(directions * candidates(board, 0, pits, minimum_lift, found)):
        first_number[number] = legal
        pit = found[number // directions]
        board[:] = setup
        laps = sow(board, 0, pits, pit, board[pit], 1 - 2 * (number % directions), giuthi, mark)[3]
        legal += laps > 0

    for game in range(games):
        generator(seed, first + np.uint64(game), words)
        board[:] = setup
        stores[:] = 0
        oldest = serial
        mover, new_turn, passed = 0, True, False
        moves = turns = laps_sown = captures = longest = 0
        first_move = -1
        while True:
            home = mover * pits
            if repetition:
                if serial - oldest == len(past_mover):
                    past = np.concatenate((past, past))
                    past_mover = np.concatenate((past_mover, past_mover))
                    older = np.concatenate((older, older))
                now, key = serial - oldest, 0
                for pit in range(ring):
                    past[now, pit] = board[pit]
                    key += board[pit] * keys[pit]
                slot = key & (SLOTS - 1)
                at = newest[slot]
                past_mover[now] = mover
                older[now] = at
                repeated = False
                while at >= oldest and not repeated:
                    then = at - oldest
                    repeated = past_mover[then] == mover and (past[then] == board).all()
                    at = older[then]
                if repeated:
                    end = REPETITION
                    break
                newest[slot] = serial
                serial += 1

            # The sowing drawn proves that the mover can move; an illegal one is struck out.
            for pit in range(ring):
                before[pit] = board[pit]
            words_before[:] = words
            count = directions * candidates(board, home, pits, minimum_lift, found)
            strikes, number, laps = 0, 0, 0
            last, step, crossed = 0, 0, False
            while strikes < count:
                number = below(words, count - strikes)
                at = 0
                while at < strikes and struck[at] <= number:
                    number += 1
                    at += 1
                pit = found[number // directions]
                step = 1 - 2 * (number % directions)
                last, step, crossed, laps = sow(
                    board, home, pits, pit, board[pit], step, giuthi, mark
                )
                if laps > 0:
                    break
                board[:] = before
                for i in range(strikes, at, -1):
                    struck[i] = struck[i - 1]
                struck[at] = number
                strikes += 1
            if laps == 0:
                words[:] = words_before
                if giuthi and not passed:
                    mover = 1 - mover
                    passed = new_turn = True
                    continue
                south, north = board[:pits].sum(), board[pits:].sum()
                if giuthi:
                    stores[0] += south
                    stores[1] += north
                    end = BOTH_STUCK
                else:
                    stores[1 - mover] += south + north
                    end = SWEPT
                break
            if moves == limit:
                end = CUT
                break
            if moves == 0:
                first_move = first_number[number]
            moves += 1
            turns += new_turn
            laps_sown += laps
            longest = max(longest, laps)
            passed = False
            new_turn = crossed or not giuthi
            if not new_turn:
                continue
            facing = ring - 1 - last
            if home <= last < home + pits and board[facing] > 0:
                stores[mover] += board[facing] + 1
                board[facing] = board[last] = 0
                if giuthi:
                    pit = last + step
                    while home <= pit < home + pits and board[pit] == 0:
                        stores[mover] += board[ring - 1 - pit]
                        board[ring - 1 - pit] = 0
                        pit += step
                captures += 1
                oldest = serial
            mover = 1 - mover

        row = results[game]
        row[0], row[1] = stores[0], stores[1]
        if end == CUT:
            row[2] = -2
        elif end == REPETITION or stores[0] == stores[1]:
            row[2] = -1
        else:
            row[2] = stores[0] < stores[1]
        row[3], row[4], row[5], row[6] = moves, turns, laps_sown, captures
        row[7], row[8], row[9] = longest, end, first_move
    return results


def play(
    giuthi: bool, setup: tuple[int, ...], seed: int, first: int, games: int, repetition: bool = True
) -> npt.NDArray[np.int64]:
    """A row of `COLUMNS` for each of `games` games from number `first` on, of Giuthi or En Gehé."""
    counts = np.array(setup, np.int64)
    keys = np.random.default_rng(0).integers(1, 2**31, len(setup))
    limit = -1 if repetition else 10_000
    return play_all(
        giuthi, counts, keys, repetition, np.uint64(seed), np.uint64(first), games, limit
    )


@njit
def step_all(
    setup, seed, limit, actions, boards, movers, stores, games, moves, since, words,
    observations, mask, rewards, terminated, truncated,
):  # fmt: skip
    """A move of Giuthi in each row, by `actions`; rows whose game is over begin the next."""
    rows, ring = boards.shape
    pits = ring // 2
    mark = np.empty(ring, boards.dtype)
    before = np.empty(ring, boards.dtype)
    for row in range(rows):
        board = boards[row]
        mover, action = movers[row], actions[row]
        rewards[row, 0] = rewards[row, 1] = 0
        terminated[row] = truncated[row] = False
        if action >= 0:
            home = mover * pits
            pit = home + action // 2
            before[:] = board
            last, step, crossed, laps = sow(
                board, home, pits, pit, board[pit], 1 - 2 * (action % 2), True, mark
            )
            if laps == 0:
                board[:] = before
                return row
            moves[row] += 1
            since[row] += 1
            own = home <= last < home + pits
            facing = ring - 1 - last
            if crossed and own and board[facing] > 0:
                taken = board[facing] + 1
                board[facing] = board[last] = 0
                pit = last + step
                while home <= pit < home + pits and board[pit] == 0:
                    taken += board[ring - 1 - pit]
                    board[ring - 1 - pit] = 0
                    pit += step
                stores[row, mover] += taken
                since[row] = 0
            if crossed or not own:
                mover = 1 - mover
            able = 0
            for player in (mover, 1 - mover):
                for pit in range(player * pits, player * pits + pits):
                    able += board[pit] >= 2
                if able:
                    mover = player
                    break
            if able == 0:
                south = stores[row, 0] + board[:pits].sum()
                north = stores[row, 1] + board[pits:].sum()
                terminated[row] = True
                if south != north:
                    rewards[row, 0] = 1 if south > north else -1
                    rewards[row, 1] = -rewards[row, 0]
            elif moves[row] == limit:
                truncated[row] = True
        if action < 0 or terminated[row] or truncated[row]:
            if action >= 0:
                games[row] += np.uint64(rows)
            generator(seed, games[row], words[row])
            board[:] = setup
            stores[row] = 0
            moves[row] = since[row] = mover = 0
        movers[row] = mover
        home, other = mover * pits, (1 - mover) * pits
        seen = observations[row]
        for pit in range(pits):
            seen[pit] = board[home + pit]
            seen[pits + pit] = board[other + pit]
            mask[row, 2 * pit] = mask[row, 2 * pit + 1] = board[home + pit] >= 2
        seen[ring], seen[ring + 1] = stores[row, mover], stores[row, 1 - mover]
        seen[ring + 2], seen[ring + 3] = mover, since[row]
    return -1


@njit
def sample_all(mask, words, actions):
    """One of the actions allowed in each row."""
    rows, count = mask.shape
    for row in range(rows):
        allowed = 0
        for action in range(count):
            allowed += mask[row, action]
        number = below(words[row], allowed)
        for action in range(count):
            if mask[row, action]:
                if number == 0:
                    actions[row] = action
                number -= 1


class Stepper:
    """Batched steps of Giuthi as a user would write them: no repetition rule, nothing proved."""

    def __init__(self, setup: tuple[int, ...], n: int, seed: int, limit: int = 10_000) -> None:
        ring = len(setup)
        self.setup, self.seed, self.limit = np.array(setup, np.int16), np.uint64(seed), limit
        self.actions = np.full(n, -1)
        self.state = (
            *(np.zeros((n, ring), np.int16), np.zeros(n, np.int64), np.zeros((n, 2), np.int64)),
            *(np.arange(n, dtype=np.uint64), np.zeros(n, np.int64), np.zeros(n, np.int64)),
            np.zeros((n, 4), np.int64),
        )
        self.outputs = (
            *(np.zeros((n, ring + 4), np.int16), np.zeros((n, ring), np.bool_)),
            np.zeros((n, 2), np.float32),
            *(np.zeros(n, np.bool_), np.zeros(n, np.bool_)),
        )
        self.step(self.actions)

    def sample(self) -> npt.NDArray[np.int64]:
        """An action for each row."""
        sample_all(self.outputs[1], self.state[-1], self.actions)
        return self.actions

    def step(self, actions: npt.NDArray[np.int64]) -> tuple[npt.NDArray, ...]:
        """Observations, mask, rewards, terminated, truncated, as `relaysow.Batch` gives them."""
        row = step_all(self.setup, self.seed, self.limit, actions, *self.state, *self.outputs)
        if row >= 0:
            raise ValueError(f"the sowing of row {row} never ends")
        return self.outputs
