"""Many games at once: `simulate` and its results game by game."""

from relaysow._support.reloading import once
from relaysow.simulation.result import Simulation, SimulationInterrupted
from relaysow.simulation.simulating import simulate
from relaysow.simulation.summary import Summary

once(__name__)

__all__ = ["Simulation", "SimulationInterrupted", "Summary", "simulate"]
