"""GRAVE and HRAVE: RAVE with the AMAF table of another node.

GRAVE reads the table of the closest ancestor with more than `ref` playouts, the node itself
included (Cazenave 2015, algorithm 1); with ref = 0 it is RAVE. HRAVE always reads the root's: ref
is infinite (Sironi and Winands 2016, section III C). The descent decides which table is read; the
formulas are RAVE's.
"""

from __future__ import annotations

import math

from graven.search.plan import NEVER
from graven.search.policy import Parameter, TreePolicy
from graven.search.select.rave import FORMULAS

REF = Parameter(
    "ref",
    50,
    "a node reads its own AMAF table once it has more than ref playouts, before that the "
    "closest ancestor's (Cazenave 2015, algorithm 1); 0 is RAVE, inf is HRAVE",
    low=0,
    infinite=True,
    auto=(10, 50, 250, math.inf),
)

POLICIES = (
    TreePolicy(
        "grave",
        "RAVE with the AMAF values of the closest ancestor with more than ref playouts.",
        FORMULAS,
        ref=REF,
    ),
    TreePolicy("hrave", "RAVE with the AMAF values of the root.", FORMULAS, ref=NEVER),
)
