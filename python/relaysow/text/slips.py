"""What people type on the command line: numbers and names as they write them, and their slips."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

from relaysow._support.checks import shown
from relaysow.options import CHOICES
from relaysow.rules import RULE_SETS
from relaysow.text.reading import bare

MAX_DIGITS = 100
"""The longest number read: past any limit, and short enough to be shown."""

_NUMBER = re.compile(
    r"([+-]?)(\d+(?:_\d+)*|\d{1,3}(?:,\d{3})+)(?:(?:\.(\d+))?e\+?(\d+))?", re.IGNORECASE
)
_KEYS = (*CHOICES, "pits", "seeds", "filled", "setup", "minimum_lift", "max_laps")
_RULES = re.compile(r"\s*([^\s(]+)(?:\s*(\([^)]*\)))?")


def count(text: str) -> int:
    """The whole number of a text: `1000000`, `1_000_000`, `1,000,000`, `1e6` or `2.5e6`.

    Raises `ValueError` naming the text for anything that is none, or not exactly.

    >>> count("2.5e6"), count("-1_000"), count("1,000")
    (2500000, -1000, 1000)
    """
    match = _NUMBER.fullmatch(text.strip().replace("−", "-"))
    if match is None:
        wanted = "an integer, such as 1000000, 1_000_000, 1,000,000 or 1e6"
        raise ValueError(f"{shown(text)} must be {wanted}")
    sign, whole, decimals, power = match.groups(default="")
    decimals = decimals.rstrip("0")
    digits = (re.sub("[_,]", "", whole) + decimals).lstrip("0")
    power = power.lstrip("0")
    if digits and (len(power) > 3 or len(digits) + int(power or 0) > MAX_DIGITS):
        raise ValueError(f"{shown(text)} is too large a number")
    zeros = int(power or 0) - len(decimals) if digits else 0
    if zeros < 0:
        raise ValueError(f"{shown(text)} must be an integer")
    return int(f"{sign}{digits or 0}{'0' * zeros}")


def name(text: str, known: Iterable[str]) -> str:
    """The one of the known names that is meant, in any case and with `-` for `_`; else the text.

    >>> name("Run-Over_GAPS ", ["run", "run_over_gaps"])
    'run_over_gaps'
    """
    wanted = re.sub(r"[\s_-]+", "_", text.strip().lower())
    return next((one for one in known if one.lower() == wanted), text)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a refusal: which of the known words may be meant, if any.

    >>> did_you_mean("simulat", ["simulate", "solve"]), did_you_mean("x", ["simulate", "solve"])
    ('; did you mean simulate?', '')
    """
    known, word = list(known), word.strip().lower()
    near = [one for one in known if len(word) > 2 and one.startswith(word)]
    near = near or get_close_matches(word, known)
    return f"; did you mean {' or '.join(near[:3])}?" if near else ""


def dashes(words: Iterable[str]) -> str:
    """The end of a refusal if an option begins with a dash of print, as word processors make it."""
    found = [word.lstrip("–—−") for word in words if word.startswith(("–", "—", "−"))]
    found = [word for word in found if word[:1].isalpha()]
    return f"; options begin with two hyphens: --{found[0]}" if found else ""


def policies(text: str) -> list[str]:
    """The policies of a list, each as it is named in Python; a comma may stand in a number too.

    >>> policies("Greedy, search:nodes=1,000")
    ['greedy', 'search:nodes=1000']
    """
    return [policy(one) for one in re.split(r",(?!\d{3}(?!\d))", text)]


def policy(text: str) -> str:
    """A policy as it is named in Python, if it is one."""
    named, equals, number = re.sub(r"\s", "", text).lower().partition("=")
    if not equals:
        return named
    try:
        return f"{named}={count(number)}"
    except ValueError:
        return f"{named}={number}"


def move(text: str) -> str:
    """A move as it is written: in any case, with spaces, with a minus or dash of print."""
    return re.sub("[−–]", "-", re.sub(r"\s", "", text)).lower()


def rules_first(text: str) -> str:
    """The text of rules or of a position, which begins with rules: these in any case, with spaces.

    >>> rules_first("Giuthi (pits=10, seeds=9)")
    'giuthi(pits=10,seeds=9)'
    """
    text = bare(text)
    match = _RULES.match(text)
    if match is None:
        return text
    rule_set = name(match[1], RULE_SETS)
    if rule_set not in RULE_SETS:
        _meant(match[1], RULE_SETS, "a rule set")
        return text
    options = "".join((match[2] or "").split()).lower().replace("max_laps=none", "max_laps=None")
    for option in options[1:-1].split(","):
        key, _, value = option.partition("=")
        _meant(key, _KEYS, "an option")
        _meant(value, CHOICES.get(key, (value,)), f"a value of {key}")
    return f"{rule_set}{options}{text[match.end() :]}"


def _meant(word: str, known: Iterable[str], what: str) -> None:
    """Raises `ValueError` for a slip of a known word; what is no such slip is refused elsewhere."""
    if word not in known and (near := did_you_mean(word, known)):
        raise ValueError(f"{shown(word)} is not {what}{near}")
