"""Matches of Giuthi, whose rounds start from what the last one left, and series of any game."""

from typing import TYPE_CHECKING, Any

from relaysow._support.reloading import once
from relaysow.match.layouts import LayOut, LayOuts, Shorten
from relaysow.match.match import Match
from relaysow.match.round import HALF_OF, SCHEMES, TWICE, Round
from relaysow.match.series import Series

if TYPE_CHECKING:
    from relaysow.match.simulating import MatchSimulation, MatchSummary, simulate_match

once(__name__)

__all__ = [
    "HALF_OF",
    "SCHEMES",
    "TWICE",
    "LayOut",
    "LayOuts",
    "Match",
    "MatchSimulation",
    "MatchSummary",
    "Round",
    "Series",
    "Shorten",
    "simulate_match",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'relaysow.match' has no attribute {name!r}")
    from relaysow.match import simulating

    return getattr(simulating, name)
