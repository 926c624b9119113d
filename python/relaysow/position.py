"""The core's Position as Python has it: its texts and pictures, and the opening of rules."""

from relaysow._core import Position
from relaysow._support.attached import attach
from relaysow._support.reloading import once
from relaysow.position_texts import PositionTexts
from relaysow.rules import Rules

once(__name__)

attach(PositionTexts, Position)


def start(rules: Rules) -> Position:
    """What `Rules.start` returns."""
    return Position.start(rules)
