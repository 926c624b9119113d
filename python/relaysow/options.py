"""The options of the rules: their values, what they mean, and what they need of each other."""

from typing import TYPE_CHECKING, Any

from relaysow._support.reloading import once

if TYPE_CHECKING:
    from typing import TypedDict
else:  # Checking every type in it would take a hundredth of the time of the package's import.

    class TypedDict(dict):
        def __init_subclass__(cls, total: bool = True) -> None: ...


once(__name__)

MIN_PITS, MAX_PITS = 3, 64
MAX_SEEDS = 1_000
MAX_LAPS = 10**12  # laps are summed in 64 bits

OPTIONS: dict[str, tuple[str, dict[str, str]]] = {
    "setup": ("the opening counts in ring order, 2·pits of them, with commas between", {}),
    "minimum_lift": ("a pit holding fewer seeds than this, 1 or 2, cannot be lifted", {}),
    "lift": (
        "what is lifted for the first lap",
        {"all": "the whole pit", "any": "any number of its seeds"},
    ),
    "direction": (
        "of the first lap",
        {"ccw": "always counter-clockwise", "either": "the mover chooses"},
    ),
    "relay": (
        "a lap that ends in an occupied pit is followed by another",
        {"onward": "in the same direction", "reversed": "in the opposite one"},
    ),
    "origin": (
        "when a lap comes round to the pit it was lifted from",
        {"sown": "that pit gets its seed", "skipped": "it is passed over"},
    ),
    "first_lap": (
        "where the first lap may end",
        {
            "free": "anywhere",
            "not_into_own_occupied": "not in an occupied pit of the mover's own row",
        },
    ),
    "uncrossed": (
        "a sowing that ends in an empty own pit and dropped no seed into the opponent's row",
        {
            "captures": "captures as any other",
            "moves_again": "captures nothing and earns another move",
            "ends_turn": "captures nothing and ends the turn",
        },
    ),
    "extra_direction": (
        "of an extra move",
        {"free": "as of any move", "opposite": "against that of the move which earned it"},
    ),
    "extra_pit": (
        "of an extra move",
        {"any": "any", "not_origin": "not the pit of the move which earned it"},
    ),
    "lone_seed": (
        "the last seed, facing an empty or protected pit",
        {"stays": "stays where it is", "taken": "is captured"},
    ),
    "capturing_seed": (
        "the last seed, which captured what faces it",
        {"taken": "is captured too", "stays": "stays where it is"},
    ),
    "chain": (
        "after a capture, the empty own pits that follow in the direction of the last lap",
        {
            "none": "capture nothing",
            "next": "the first of them captures what faces it",
            "run": "each captures what faces it, until one faces nothing to capture",
            "run_over_gaps": "each captures what faces it",
        },
    ),
    "bonus": (
        "after a capture by the mover's leftmost pit, the pits beside the one captured",
        {
            "none": "stay",
            "three": "the next three, if each is occupied and unprotected",
            "up_to_three": "as many of the next three as are so without a gap",
            "run": "all that are so without a gap",
        },
    ),
    "protection": (
        "pits that cannot be captured from (nki)",
        {
            "none": "none",
            "until_lifted": "those occupied when play begins, until anyone lifts from them",
            "until_owner_lifts": "every pit, until a move of its owner lifts from it",
        },
    ),
    "redistribution": (
        "each player's first turn empties own pits and places their seeds anywhere",
        {
            "none": "no such turn",
            "one": "one pit",
            "two": "two pits",
            "up_to_two": "none, one or two pits",
        },
    ),
    "end": (
        "how the game ends",
        {
            "both_stuck": "when neither can move (who cannot passes); each adds his own row",
            "row_empty": "likewise, or when the row of the player to move is empty: the opponent "
            "adds all that is left",
            "able_player_sweeps": "when the player to move cannot; the opponent adds all that is "
            "left if he could move, else each his own row",
            "last_mover_sweeps": "when the player to move cannot; the opponent adds all",
        },
    ),
    "repetition": (
        "a position that comes again ends the game",
        {
            "draw": "drawn, whatever the stores",
            "stores": "the higher store wins",
            "score": "each adds his own row, the higher store wins",
            "off": "it does not (simulate then needs --max-moves)",
        },
    ),
    "endless": (
        "a sowing that never ends (or is capped)",
        {
            "illegal": "is no legal move",
            "draw": "draws the game",
            "ends_turn": "changes nothing and ends the turn",
        },
    ),
    "max_laps": (
        "a cap of your own, None or 1…: a sowing of more laps counts as an endless one",
        {},
    ),
}
"""The options of `Rules`: what each is about, and what each of its values means."""

CHOICES: dict[str, tuple[str, ...]] = {
    name: tuple(values) for name, (_, values) in OPTIONS.items() if values
}
"""Every option that is a word, with all its values."""

NEEDS: tuple[tuple[str, str, str, str], ...] = (
    ("extra_direction", "opposite", "uncrossed", "moves_again"),
    ("extra_pit", "not_origin", "uncrossed", "moves_again"),
    ("extra_direction", "opposite", "direction", "either"),
    ("capturing_seed", "stays", "lone_seed", "stays"),
)
"""Each value of an option that needs a value of another: with any other of that it is refused."""

ADDED: dict[str, Any] = {"capturing_seed": "taken"}
"""The options that pickles of earlier versions lack, each with the value by which games are played
as they were before there was such an option."""

GONE: dict[str, str] = {"repetition_scope": "position"}
"""The options that earlier versions had, each with the only value by which games are still played:
texts and pickles that say so are read as if they did not."""


class Options(TypedDict, total=False):
    """The options every rule-set function takes by keyword, beside its own size arguments."""

    setup: tuple[int, ...]
    minimum_lift: int
    lift: str
    direction: str
    relay: str
    origin: str
    first_lap: str
    uncrossed: str
    extra_direction: str
    extra_pit: str
    lone_seed: str
    capturing_seed: str
    chain: str
    bonus: str
    protection: str
    redistribution: str
    end: str
    repetition: str
    endless: str
    max_laps: int | None
