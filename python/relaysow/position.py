"""What the core's Position has from the rooms above it: texts and pictures."""

from relaysow._core import Position
from relaysow._support.attached import attach
from relaysow._support.reloading import once
from relaysow.position_texts import PositionTexts

once(__name__)

attach(PositionTexts, Position)
