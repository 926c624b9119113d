"""Boards drawn in plain text, and sowings told lap by lap."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

from relaysow._support import checks
from relaysow._support.checks import flag, instance, shown, whole_number
from relaysow.moves import IllegalMove, Lap, Outcome, Sowing
from relaysow.rules import Rules
from relaysow.text.notation import PLAYERS

if TYPE_CHECKING:
    from relaysow.text.notation import AnyPosition

MIN_WIDTH = 40
"""The narrowest drawing, in characters."""

WAY = {"ccw": "counter-clockwise", "cw": "clockwise"}
_NUMBER_OF_PITS = {"one": "one pit", "two": "two pits", "up_to_two": "up to two pits"}


def board(
    position: AnyPosition, *, width: int = 80, height: int | None = None, unicode: bool = True
) -> str:
    """A drawing of the position, South's row below, no line longer than `width` (40 or more).

    Both rows carry their owners' pit numbers.  A player's store is at the right end of the row, as
    that player sees it.  An arrow points to the player to move, `·` is an empty pit, `[3]` a
    protected one.  A board that is too wide is drawn in blocks, from South's left to South's right;
    one of more than `height` lines is drawn without the lines above and below the rows, and if
    that is not enough without the empty lines between the blocks.
    The last line says whose move it is, under which duties, or how the game has ended.
    `unicode=False` draws in ASCII.

    Raises `ValueError` for a `width` below 40, `TypeError` for wrong types.

    >>> from relaysow import giuthi
    >>> print(board(giuthi(pits=5, seeds=4).start(), unicode=False))
                5  4  3  2  1
              +---------------+
      North 0 | 4  4  4  4  4 |
    > South   | 4  4  4  4  4 | 0
              +---------------+
                1  2  3  4  5
    South to move.
    """
    checks.position("position", position)
    if height is not None:
        height = whole_number("height", height)
    unicode = flag("unicode", unicode)
    mover = None if position.is_over else position.mover
    for dense in range(3):
        drawing = _draw(
            position.rules.pits,
            position.pits,
            position.stores,
            position.protected,
            mover,
            width,
            unicode,
            dense=dense,
        )
        text = f"{drawing}\n{fill(state(position), width)}"
        if height is None or text.count("\n") < height:
            break
    return text


def sowing(
    position: AnyPosition,
    told: Sowing[Any],
    *,
    width: int = 80,
    unicode: bool = True,
    boards: bool = True,
    dense: int = 0,
) -> Iterator[str]:
    """What a move does, told lap by lap: `told` is what `position.sow` says of it.

    Yields a text for every lap, with a drawing of the board after it unless `boards` is off (the
    pit into which the last seed fell has a `>`), and then one for the end of the sowing, with the
    position after it if the move is legal.  `width` and `unicode` are as for `board`; `dense=1`
    draws the laps' boards without the lines above and below the rows, 2 without empty lines too.
    Raises as `board` does.

    >>> from relaysow import Sow, giuthi
    >>> start = giuthi(pits=5, seeds=4).start()
    >>> move = Sow(4, direction="ccw")
    >>> print(*sowing(start, start.sow(move), unicode=False, boards=False), sep="\\n")
    Lap 1: South's pit 5, 4 seeds counter-clockwise, to North's pit 4 (now 5).
    Lap 2: North's pit 4, 5 seeds clockwise, to South's pit 4 (now 5).
    Lap 3: South's pit 4, 5 seeds counter-clockwise, to North's pit 4 (was empty).
    The sowing is over: nothing is captured.
                5  4  3  2  1
              +---------------+
    > North 0 | 4  1  7  7  7 |
      South   | 4  4  4  .  2 | 0
              +---------------+
                1  2  3  4  5
    North to move.
    """
    checks.position("position", position)
    instance("told", told, Sowing, "a Sowing")
    rules, pits, lifted = position.rules, list(position.pits), set[int]()
    for number, lap in enumerate(told.path, start=1):
        pits[lap.origin] -= lap.seeds
        for pit in drops(rules, lap):
            pits[pit] += 1
        held = "was empty" if pits[lap.last] == 1 else f"now {pits[lap.last]}"
        text = fill(
            f"Lap {number}: {pit_name(rules, lap.origin)}, {seeds(lap.seeds)} "
            f"{WAY[lap.direction]}, to {pit_name(rules, lap.last)} ({held}).",
            width,
        )
        if boards:
            lifted.add(lap.origin)
            # A protected pit that has been lifted from may or may not have lost its protection:
            # what comes after the move tells.
            kept = () if told.after is None else told.after.protected
            protected = [p for p in position.protected if p not in lifted or p in kept]
            text += "\n" + _draw(
                rules.pits,
                pits,
                position.stores,
                protected,
                None,
                width,
                unicode,
                lap.last,
                dense,
            )
        yield text
    if told.path_truncated:
        yield fill(f"… and so on: only the first {len(told.path):,} laps are shown.", width)
    end = [fill(sentence, width) for sentence in ending(rules, told, pits)]
    if told.after is not None:
        end.append(board(told.after, width=width, unicode=unicode))
    yield "\n".join(end)


def drops(rules: Rules, lap: Lap) -> Iterator[int]:
    """The pits into which the seeds of a lap fall, in order.

    >>> from relaysow import Lap, giuthi
    >>> list(drops(giuthi(pits=5, seeds=4), Lap(1, 3, "cw", 8)))
    [0, 9, 8]
    """
    step, pit = 1 if lap.direction == "ccw" else -1, lap.origin
    for _ in range(lap.seeds):
        pit = (pit + step) % (2 * rules.pits)
        if pit == lap.origin and rules.origin == "skipped":
            pit = (pit + step) % (2 * rules.pits)
        yield pit


def sown(position: AnyPosition, told: Sowing[Any]) -> list[int]:
    """The ring after the last lap of a sowing's path, before any capture.

    >>> from relaysow import Sow, engehe
    >>> start = engehe(pits=5).start()
    >>> sown(start, start.sow(Sow(0)))
    [1, 6, 6, 6, 1, 5, 5, 5, 5, 0]
    """
    pits = list(position.pits)
    for lap in told.path:
        pits[lap.origin] -= lap.seeds
        for pit in drops(position.rules, lap):
            pits[pit] += 1
    return pits


def ending(rules: Rules, told: Sowing[Any], pits: Sequence[int]) -> Iterator[str]:
    """How a move ends, in sentences; `pits` is the ring after the last lap of its path."""
    if told.endless:
        yield f"The sowing never ends: it comes round again every {told.period:,} laps."
    elif told.capped:
        yield f"The sowing goes on past max_laps={rules.max_laps} laps."
    elif told.laps == 0:
        yield "The seeds are redistributed."
    elif told.after is not None:
        count = f" after {told.laps:,} laps" if told.path_truncated else ""
        result = "nothing is captured"
        if told.captured:
            taken = ", ".join(
                pit_name(rules, pit)
                if told.path_truncated
                else f"{pits[pit]} of {pit_name(rules, pit)}"
                for pit in told.captured_pits
            )
            result = f"{seeds(told.captured)} captured: {taken}"
        yield f"The sowing is over{count}: {result}."
        if told.moves_again:
            yield "It has not crossed into the other row and earns another move."
    if told.after is None:
        yield f"The move is illegal: {told.reason}."


def seeds(count: int) -> str:
    """A number of seeds, in words."""
    return "1 seed" if count == 1 else f"{count} seeds"


def pit_name(rules: Rules, pit: int) -> str:
    """A pit by its owner and his number for it."""
    return f"{PLAYERS[pit // rules.pits]}'s pit {pit % rules.pits + 1}"


def state(position: AnyPosition) -> str:
    """Whose move it is and under which duties, or how the game has ended."""
    name = PLAYERS[position.mover]
    if position.final_stores is not None and position.winner is not None:
        text = result(Outcome(position.winner, position.final_stores, f"{position.end}"))
    elif position.redistributions < 2:
        pits = _NUMBER_OF_PITS[position.rules.redistribution]
        text = f"{name} to redistribute the seeds of {pits}."
    else:
        text = f"{name} to move"
        if position.direction is not None:
            text += f", {WAY[position.direction]} only"
        if position.barred is not None:
            text += f", not from pit {position.barred % position.rules.pits + 1}"
        text += ", after a pass." if position.passed else "."
    return text + (" Pits in [ ] are protected." if position.protected else "")


def result(outcome: Outcome) -> str:
    """How a game has ended, in a sentence."""
    south, north = outcome.stores
    winner = ("South wins", "North wins", "a draw")[outcome.winner]
    return f"The game is over ({outcome.end}): South {south}, North {north}: {winner}."


def reason(position: AnyPosition, error: IllegalMove) -> str:
    """Why a move is illegal in a position, its pits numbered as their owner does.

    >>> from relaysow import IllegalMove, Sow, giuthi
    >>> try:
    ...     giuthi().start().play(Sow(3, lift=2, direction="ccw"))
    ... except IllegalMove as error:
    ...     reason(giuthi().start(), error)
    'lift 2 of pit 4: all 8 must be lifted'
    """
    n = position.rules.pits

    def own(match: re.Match[str]) -> str:
        return re.sub(r"\d+", lambda pit: str(int(pit[0]) % n + 1), match[0])

    told = f"{error}".partition(f" in {position.to_text()}: ")[2]
    return re.sub(r"\bpit \d+|^emptied \([^)]*\)", own, told)


def _draw(
    n: int,
    pits: Sequence[int],
    stores: tuple[int, int],
    protected: Collection[int],
    mover: int | None,
    width: int,
    unicode: bool,
    last: int | None = None,
    dense: int = 0,
) -> str:
    if (width := whole_number("width", width)) < MIN_WIDTH:
        raise ValueError(f"width={shown(width)}: must be at least {MIN_WIDTH}")
    arrow, empty = ("▶", "·") if unicode else (">", ".")
    corners = ("┌┐", "└┘") if unicode else ("++", "++")
    flat, upright = ("─", "│") if unicode else ("-", "|")
    digits = max(len(str(number)) for number in (n, *pits))
    store = max(len(str(number)) for number in stores)
    margin = " " * (len("> South  ") + store)

    def cell(pit: int) -> str:
        left = ">" if pit == last else "[" if pit in protected else " "
        right = "]" if pit in protected else " "
        return f"{left}{pits[pit] or empty}{right}".rjust(digits + 2)

    def numbers(own: Sequence[int]) -> str:
        return f"{margin} {''.join(f'{k:>{digits + 1}} ' for k in own)}".rstrip()

    room = (width - len(margin) - len(f"{upright}{upright} ") - store) // (digits + 2)
    blocks = -(-n // room)
    lines: list[str] = []
    for block in range(blocks):
        # Column k holds South's pit k+1 and the pit that faces it.
        columns = range(n * block // blocks, n * (block + 1) // blocks)
        first, final = block == 0, block == blocks - 1
        rule = flat * (len(columns) * (digits + 2))
        left, right = upright if first else " ", upright if final else ""
        frames = [
            f"{margin}{pair[0] if first else ' '}{rule}{pair[1] if final else ''}"
            for pair in corners
        ]
        rows = []
        for player, ends in ((1, (str(stores[1]) if first else "", "")), (0, ("", str(stores[0])))):
            cells = "".join(cell(2 * n - 1 - k if player else k) for k in columns)
            mark = arrow if player == mover else " "
            line = f"{mark} {PLAYERS[player]} {ends[0]:>{store}} {left}{cells}{right}"
            rows.append(f"{line} {ends[1] if final else ''}".rstrip())
        above, below = numbers([n - k for k in columns]), numbers([k + 1 for k in columns])
        if dense < 2 and block:
            lines.append("")
        lines += [above, *rows, below] if dense else [above, frames[0], *rows, frames[1], below]
    return "\n".join(lines)
