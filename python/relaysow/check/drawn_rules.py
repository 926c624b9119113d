"""Rules with every option drawn, to be checked."""

from __future__ import annotations

import random
from typing import Any

from relaysow._support.public import public
from relaysow.options import CHOICES, NEEDS
from relaysow.rules import Rules


@public
def random_rules(chance: random.Random) -> Rules:
    """Rules with every option drawn, on boards small and large, even and uneven; those of more than
    three seeds a pit have a `max_laps`.

    >>> import random
    >>> from relaysow.check import random_rules
    >>> random_rules(random.Random(1)) == random_rules(random.Random(1))
    True
    """
    pits = chance.choice((3, 3, 4, 4, 5, 6, 8, chance.randint(9, 20)))
    most = chance.choice((1, 2, 3, 4, chance.randint(5, 12)))
    if chance.random() < 0.5:
        setup = (most,) * (2 * pits)
    else:
        setup = tuple(chance.randint(0, most) for _ in range(2 * pits))
    options: dict[str, Any] = {name: chance.choice(values) for name, values in CHOICES.items()}
    for name, value, other, needed in NEEDS:
        if options[name] == value:
            options[other] = needed
    options["minimum_lift"] = chance.choice((1, 2))
    # On a crowded board a sowing may go round for billions of laps before it proves endless.
    longest = None if sum(setup) <= 6 * pits else chance.randint(13, 200)
    options["max_laps"] = chance.choice((longest, longest, longest, chance.randint(1, 12)))
    return Rules(pits=pits, setup=setup if any(setup) else (1,) * (2 * pits), **options)
