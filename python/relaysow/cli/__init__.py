"""The command `relaysow`: simulate, check, play, serve, solve, analyse, rules and others."""

from relaysow.cli.app import main

__all__ = ["main"]
