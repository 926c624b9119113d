"""The same games in the core and in the reference, compared move by move."""

from relaysow._support.reloading import once
from relaysow.check.checking import check
from relaysow.check.drawn_rules import random_rules
from relaysow.check.report import CheckInterrupted, Difference, Report

once(__name__)

__all__ = ["CheckInterrupted", "Difference", "Report", "check", "random_rules"]
