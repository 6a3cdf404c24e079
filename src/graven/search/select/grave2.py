"""GRAVE2: GRAVE in two levels, for little memory.

The first-level tree has GRAVE's nodes and reads AMAF tables as GRAVE does. A new node of it is
evaluated by a GRAVE search of `inner` playouts below it, whose nodes are then removed. The form of
two levels is that of Rautureau, Cazenave and Piette 2026 ("Generalized rapid action value
estimation in memory-constrained environments", arXiv 2602.23318). The paper's text was not at hand,
and how the second level is credited is our own: see `two_levels` and docs/policies/grave2.md. The
formulas are RAVE's.
"""

from __future__ import annotations

from dataclasses import replace

from graven.search.policy import Parameter, TreePolicy
from graven.search.select.grave import REF
from graven.search.select.rave import FORMULAS

INNER = Parameter(
    "inner",
    50,
    "playouts of the second-level search of a new node, whose nodes are then removed; 1 is GRAVE",
    low=1,
    high=1_000_000_000,
)

POLICIES = (
    TreePolicy(
        "grave2",
        "GRAVE in little memory: new nodes are evaluated by a search whose nodes are removed.",
        FORMULAS,
        ref=replace(REF, auto=()),
        inner=INNER,
    ),
)
