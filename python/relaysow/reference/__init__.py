"""The rules in plain Python, to be read beside the rule book and to check the fast core against.

Nothing here is shared with the core, and nothing is made fast at the price of plainness: a
position is a handful of tuples, a lap is a loop over the seeds, a legal move is one that was tried.
The same names do the same as in `relaysow` itself:

>>> from relaysow.reference import Game, Position, perft
>>> from relaysow.rules import giuthi
>>> start = Position.start(giuthi(pits=5, seeds=4))
>>> [perft(start, depth) for depth in range(4)]
[1, 10, 76, 508]

Words: a *lift* takes seeds out of a pit, a *lap* is one lift sown out, a *sowing* is all laps of
one move, a *turn* is a move plus the moves it earns.  The *ring* is all 2n pits counter-clockwise:
South (player 0) owns 0…n−1, North (player 1) n…2n−1.  Where the sources differ the reading is an
option of `Rules`; the notes below say whose reading is whose.
"""

from relaysow._support.reloading import once
from relaysow.reference.ending import ENDS
from relaysow.reference.game import Game, _Step  # noqa: F401  # as earlier pickles name it
from relaysow.reference.legal_moves import LegalMoves
from relaysow.reference.perft import perft
from relaysow.reference.players import Chance
from relaysow.reference.position import Position
from relaysow.reference.simulate import simulate

once(__name__)

__all__ = ["ENDS", "Chance", "Game", "LegalMoves", "Position", "perft", "simulate"]
