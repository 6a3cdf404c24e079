"""Solving games of one player: NMCS and NRPA, from any position, for as long as one likes."""

from __future__ import annotations

from graven.solving.method import Method
from graven.solving.method_registry import methods, parse_method
from graven.solving.solve_run import Limits, Solution, Solving, solve

__all__ = ["Limits", "Method", "Solution", "Solving", "methods", "parse_method", "solve"]
