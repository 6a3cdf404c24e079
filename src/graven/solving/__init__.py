"""Solve one-player games with NMCS and NRPA, from any position and within any limits."""

from __future__ import annotations

from graven.solving.method import SolveMethod
from graven.solving.method_registry import methods, parse_method
from graven.solving.solve_run import Solution, SolveLimits, SolveSession, solve

__all__ = [
    "Solution",
    "SolveLimits",
    "SolveMethod",
    "SolveSession",
    "methods",
    "parse_method",
    "solve",
]
