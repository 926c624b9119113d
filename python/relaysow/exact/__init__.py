"""Exact values: solving, analysing, tablebases and puzzles."""

from relaysow._support.reloading import once

once(__name__)
