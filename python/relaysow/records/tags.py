"""The tags of a record, heads, and text as it stands in them and in comments."""

from __future__ import annotations

import re
from datetime import date

from relaysow.text.notation import MAX_TEXT

INFO = ("Event", "Place", "Date", "South", "North")
"""The tags that a user gives."""

TAGS = {
    "game": ("Rules", "Start", "Result", "Stores", "End"),
    "match": ("Rules", "Scheme", "Twice", "HalfOf", "First", "Result", "Totals"),
    "series": ("Rules", "BestOf", "OneWarrior", "First", "Result", "Points"),
}
HEADS = {"game": "", "match": "round", "series": "game"}


def why_not(name: str, text: str) -> str | None:
    """Why a tag of the user's cannot have this text."""
    if len(escaped(text, '"')) > MAX_TEXT:
        return f"must be at most {MAX_TEXT} characters"
    if name == "Date":
        try:
            if not re.fullmatch(r"[0-9]{4}(-[0-9]{2}){0,2}", text):
                raise ValueError
            date.fromisoformat(text + "-01-01"[len(text) - 4 :])
        except ValueError:
            return "must be a date such as 1972, 1972-05 or 1972-05-31"
    return None


def escaped(text: str, marks: str) -> str:
    """Text for a tag or comment, which ends at one of the marks."""

    def escape(found: re.Match[str]) -> str:
        c = found[0]
        return "\\n" if c == "\n" else f"\\{c}" if c in marks + "\\" else f"\\u{ord(c):04x}"

    return re.sub(rf"[{re.escape(marks)}\\\x00-\x1f\x7f\ud800-\udfff]", escape, text)
