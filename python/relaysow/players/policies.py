"""The policies by which a computer plays, and the grammar of their names."""

from __future__ import annotations

import re

from relaysow._support.checks import shown

POLICIES = ("random", "greedy", "search:depth=N", "search:nodes=N")
"""The policies by name: any legal move alike; a largest capture, ties and no capture at random; a
best move by minimax of N moves (1…200), ties at random; the best that a search of N moves sown
(1…10⁹) finds."""

_SEARCH = r"search:(depth=([1-9][0-9]?|1[0-9][0-9]|200)|nodes=([1-9][0-9]{0,8}|1000000000))"


def policies_of(policy: object, engine: object = "native", name: str = "policy") -> tuple[str, str]:
    """The two policies that `policy` names, an argument of this name; raises as `simulate` does."""
    names = (policy, policy) if isinstance(policy, str) else policy
    if not isinstance(names, (tuple, list)) or not all(isinstance(name, str) for name in names):
        raise TypeError(f"{name} must be a name or a pair of names, not {shown(policy)}")
    if len(names) != 2:
        raise ValueError(f"{name}={shown(policy)}: must be one name or two, South's and North's")
    for one in names:
        if one not in POLICIES[:2] and not re.fullmatch(_SEARCH, one):
            raise ValueError(
                f"{name}={shown(one)}: must be 'random', 'greedy', 'search:depth=N' (N 1…200) or "
                "'search:nodes=N' (N 1…10⁹)"
            )
        if engine == "reference" and "nodes" in one:
            raise ValueError(f"{name}={one!r}: the reference has no such search, only depth=N")
    return str.__str__(names[0]), str.__str__(names[1])  # plain strings
