"""relaysow: a fast, exact engine for the relay-sowing mancala games Giuthi, Kiothi and En Gehé.

>>> import relaysow as rs
>>> p = rs.giuthi(pits=10, seeds=9).start()
>>> p.sow(rs.Sow(0, direction="ccw")).captured
10
"""

from relaysow._support import loading

loading.begin()

from importlib import import_module
from typing import TYPE_CHECKING, Any

# The core must find the classes of moves and rules loaded.
from relaysow import moves, rules  # noqa: F401
from relaysow._support import checks, reloading

try:
    from relaysow import _core
    from relaysow._core import LegalMoves, Position, TablebaseError, build_info, perft
except ImportError as error:
    if isinstance(error.__cause__, KeyboardInterrupt):  # which pybind11 makes an ImportError of
        raise error.__cause__ from None
    raise
from relaysow import position  # noqa: F401  # before any other module asks for its methods
from relaysow.moves import (
    IllegalMove,
    Lap,
    NotationError,
    Outcome,
    PositionError,
    Redistribute,
    Sow,
    Sowing,
)
from relaysow.rules import (
    RULE_SETS,
    Rules,
    RulesError,
    engehe,
    giuthi,
    giuthi_leakey,
    giuthi_literal,
    giuthi_pratt,
    giuthi_russ,
    giuthi_wikipedia,
    kiothi,
    kiothi_wikipedia,
)

if TYPE_CHECKING:
    from relaysow import reference
    from relaysow.batch import Batch
    from relaysow.exact.analysis import Analysis, AnalysisInterrupted, Line, analyse
    from relaysow.exact.puzzle import Puzzle, puzzles
    from relaysow.exact.solving import Solution, solve
    from relaysow.exact.tablebase import Tablebase
    from relaysow.exact.values import Value
    from relaysow.game import Game
    from relaysow.match import (
        LayOut,
        LayOuts,
        Match,
        MatchSimulation,
        Series,
        Shorten,
        simulate_match,
    )
    from relaysow.records import Record, iter_records, read_records
    from relaysow.simulation import Simulation, SimulationInterrupted, simulate
    from relaysow.simulation.summary import Summary
    from relaysow.text.svg import animate, svg

checks.POSITIONS.add(Position)

__version__ = "0.1.0"

__all__ = [
    "RULE_SETS",
    "Analysis",
    "AnalysisInterrupted",
    "Batch",
    "Game",
    "IllegalMove",
    "Lap",
    "LayOut",
    "LayOuts",
    "LegalMoves",
    "Line",
    "Match",
    "MatchSimulation",
    "NotationError",
    "Outcome",
    "Position",
    "PositionError",
    "Puzzle",
    "Record",
    "Redistribute",
    "Rules",
    "RulesError",
    "Series",
    "Shorten",
    "Simulation",
    "SimulationInterrupted",
    "Solution",
    "Sow",
    "Sowing",
    "Summary",
    "Tablebase",
    "TablebaseError",
    "Value",
    "analyse",
    "animate",
    "build_info",
    "engehe",
    "giuthi",
    "giuthi_leakey",
    "giuthi_literal",
    "giuthi_pratt",
    "giuthi_russ",
    "giuthi_wikipedia",
    "iter_records",
    "kiothi",
    "kiothi_wikipedia",
    "perft",
    "puzzles",
    "read_records",
    "reference",
    "simulate",
    "simulate_match",
    "solve",
    "svg",
]

# Loaded when first asked for: importing the engine alone stays fast.
_HOMES = {
    "batch": "Batch",
    "exact.analysis": "Analysis AnalysisInterrupted Line analyse",
    "exact.puzzle": "Puzzle puzzles",
    "exact.solving": "Solution solve",
    "exact.tablebase": "Tablebase",
    "exact.values": "Value",
    "game": "Game",
    "match": "LayOut LayOuts Match MatchSimulation Series Shorten simulate_match",
    "records": "Record iter_records read_records",
    "simulation": "Simulation SimulationInterrupted Summary simulate",
    "text.svg": "animate svg",
}
_LATER = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name == "reference":
        return import_module("relaysow.reference")
    if name not in _LATER:
        raise AttributeError(f"module 'relaysow' has no attribute {name!r}")
    value = getattr(import_module(f"relaysow.{_LATER[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


reloading.keep_package(_core)
