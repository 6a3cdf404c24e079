"""Solve one-player games with NMCS and NRPA; prove two-player positions by proof-number search."""

from __future__ import annotations

from graven.solving.method import SolveMethod
from graven.solving.method_registry import methods, parse_method
from graven.solving.prove_run import ProofResult, ProofSession, ProveLimits, prove
from graven.solving.solve_run import Solution, SolveLimits, SolveSession, solve

__all__ = [
    "ProofResult",
    "ProofSession",
    "ProveLimits",
    "Solution",
    "SolveLimits",
    "SolveMethod",
    "SolveSession",
    "methods",
    "parse_method",
    "prove",
    "solve",
]
