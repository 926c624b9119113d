"""The games and their sources in words: for `relaysow rules` and the page of `relaysow serve`."""

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
