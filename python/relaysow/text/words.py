"""The games, their sources, the readings and every option, in words: for `relaysow rules` and for
the page of `relaysow serve`."""

from __future__ import annotations

TITLES = {"giuthi": "Giuthi", "kiothi": "Kiothi", "engehe": "En Gehé"}

GAMES = {
    "giuthi": "Giuthi (Ciuthi, Kiuthi, Uthi: to place, to share out) is a game of the Kikuyu and "
    "Embu of central Kenya. Boys and herders played it while the cattle and goats grazed below "
    "Mount Kenya, in holes dug into the ground, with river pebbles, mubuthi seeds (Caesalpinia "
    "volkensii) or yellow sodom apples (Solanum incanum). Who begins is guessed: which fist hides "
    "a counter? No one takes another man's cattle without going onto his land, the Kikuyu say of "
    "the rule that a move must cross to capture. Recorded boards: 2×5 with 4 seeds a pit (for "
    "beginners), 2×6 with 4 or 6, 2×7 with 6, 2×8 with 4, 6 or 8, and 2×10 with 9, on which the "
    "first player can take ten at once.",
    "kiothi": "Kiothi (Kîothi: to place) is a game of the Meru on the north-east slopes of Mount "
    "Kenya, akin to Giuthi and to the Maasai Enkeshui. Its wooden boards, about a yard long, have "
    "two rows of ten homesteads (boma) and a prison at either end; the grey seeds of Caesalpinia "
    "bonduc are warriors (njodthie). The Mugwe, the dignitary of the Meru, whose left hand none "
    "may see, spent his days over it with that hand hidden. A win by exactly two warriors counts "
    "as two wins, in some clubs as ten. Recorded starts: six pits of 5 or five pits of 5 or 6 in "
    "each row.",
    "engehe": "En Gehé (plural 'n gehén) is a game of the Loitha and Kisonga Maasai of northern "
    "Tanzania: a game of warriors, two teams of eight that confer over every move. Tradition has "
    "it invented by Sindillo, son of Maitoumbe, the first man, in his old age. Two rows (el "
    "mátuan) of 40 to 50 pits ('n gurtót) with four pebbles or ol gulangulu seeds (Caesalpinia "
    "bonduc) in each make 320 to 400 counters (es soido): one of the largest traditional board "
    "games.",
}
"""Whose game it is, and what it was played with."""

SOURCES = {
    "giuthi": (
        "Granville Orde Browne, The Vanishing Tribes of Kenya (1925): the first description",
        "L. S. B. Leakey, White African (1936), and The Southern Kikuyu before 1903 (1977)",
        "Walter Driedger (1972): 2×7 with six seeds a pit; Italian Wikipedia, Giuthi, after him",
        "L. Russ, Mancala Games (1984)",
        "John Pratt (2009); Mancala World; Ludii's evidence pages",
        (
            "Mentioned by Elspeth Huxley, Red Strangers (1939), and J. A. Hunter, Tales of the "
            "African Frontier (1954)"
        ),
        (
            "On moves that never end: A. Deledicq and A. Popova (1977); H. Donkers, Zanzibar Bao "
            "Rules for the Computer (2001); T. Kronenburg, H. Donkers and A. de Voogt, ICGA Journal "
            "29(2), 2006, doi 10.3233/ICG-2006-29204"
        ),
    ),
    "kiothi": (
        "Bernardo Bernardi, The Mugwe, a Failing Prophet (1959)",
        "Rodney Needham, The Left Hand of the Mugwe",
        "Andrew Botta (1972): the clubs at Materi in Tharaka",
        "English and Italian Wikipedia, Kiothi",
    ),
    "engehe": (
        "Moritz Merker, Die Masai (1904; second edition 1910)",
        "H. J. R. Murray (1951)",
        (
            "Ralf Gering, an endgame study on 2×50: South makes up for more than 110 moves by exact "
            "sacrifices"
        ),
        "English and Italian Wikipedia, En Gehé; Mancala World",
    ),
}
"""Who described it."""

PLAY = {
    "giuthi": (
        (
            "Lift a pit of yours that holds two seeds or more and sow them one a pit, in the direction "
            "you choose."
        ),
        (
            "If the last seed falls into an occupied pit, on either side, lift that pit whole and sow "
            "on in the other direction: every lap reverses. The sowing is over when a lap ends in an "
            "empty pit."
        ),
        (
            "If that pit is yours and no seed of the move fell into the other row, you move again. If "
            "one did, you capture the seeds of the pit that faces it together with your last seed, and "
            "go on: each empty pit of yours that follows, in the direction of the last lap, captures "
            "what faces it. If nothing faces the last seed it stays, and the turn passes."
        ),
        (
            "A player who cannot move passes. When neither can, each adds the seeds in his own row, "
            "and the higher store wins. A position that comes again is a draw."
        ),
    ),
    "kiothi": (
        (
            "Each player begins by emptying two of his pits and placing their seeds wherever on the "
            "board he likes. Every pit then occupied is nki, protected: nothing can be captured from "
            "it until someone has lifted from it."
        ),
        (
            "Then lift any number of seeds from a pit of yours and sow them counter-clockwise. The "
            "first lap may not end in an occupied pit of your own row."
        ),
        (
            "If the last seed falls into an occupied pit, lift it whole and sow on, in the same "
            "direction, until a lap ends in an empty pit."
        ),
        (
            "If that pit is yours, capture the unprotected seeds of the pit that faces it, together "
            "with your last seed. A capture by your leftmost pit takes the next three pits of your "
            "opponent as well, if all three are occupied and unprotected."
        ),
        (
            "The game ends when the player to move cannot: his opponent adds all seeds left on the "
            "board if he could move himself, else each adds his own row. The higher store wins."
        ),
    ),
    "engehe": (
        "Lift a pit of yours whole and sow its seeds one a pit counter-clockwise.",
        (
            "If the last seed falls into an occupied pit, on either side, lift that pit whole and sow "
            "on, until a lap ends in an empty pit."
        ),
        (
            "If that pit is yours, capture the seeds of the pit that faces it together with your last "
            "seed. If nothing faces it, it stays."
        ),
        (
            "The game ends when the player to move has no seeds to lift: his opponent adds all that "
            "is left on the board. The higher store wins."
        ),
    ),
}
"""How it is played by the rule set of the game's own name."""

SETUPS: dict[str, tuple[dict[str, int], ...]] = {
    "giuthi": tuple(
        {"pits": pits, "seeds": seeds}
        for pits, seeds in ((5, 4), (6, 4), (6, 6), (7, 6), (8, 4), (8, 6), (8, 8), (10, 9))
    ),
    "kiothi": ({"seeds": 5, "filled": 6}, {"seeds": 5, "filled": 5}, {"seeds": 6, "filled": 5}),
    "engehe": tuple({"pits": pits, "seeds": 4} for pits in (40, 45, 50)),
}
"""Recorded boards, as arguments of the rule sets."""

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
    "repetition_scope": (
        "which positions are compared",
        {
            "position": "all in which a move is chosen",
            "turn": "those at the start of a turn; a move that repeats within the turn is illegal",
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

READINGS = {
    "giuthi": "The reading of the French and Romanian descriptions: the pits facing all the "
    "consecutive empty pits are captured, so an empty one among them does not stop the chain; a "
    "repeated position is a draw.",
    "kiothi": "The reading of the French descriptions. Repetition is not in the sources: the draw "
    "is a safety valve.",
    "engehe": "The reading of the French description. Repetition is not in the sources: the draw "
    "is a safety valve.",
    "giuthi_wikipedia": "The Italian Wikipedia's reading, after Driedger.",
    "giuthi_russ": "As Russ's handbook is usually programmed.",
    "giuthi_leakey": "Leakey's reading.",
    "giuthi_pratt": "John Pratt's reading (2009).",
    "giuthi_literal": "The French and Romanian descriptions to the letter: an extra move starts from "
    "another pit, and the last seed is taken whatever faces it.",
    "kiothi_wikipedia": "The reading of the English and Italian Wikipedia.",
}
"""Whose reading a rule set is."""
