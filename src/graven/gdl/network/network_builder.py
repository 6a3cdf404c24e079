"""From a sheet to its propositional network: all stages in order."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from graven.gdl.grounding.grounder import GroundingLimits, ground
from graven.gdl.grounding.numbered_rules import number_rules
from graven.gdl.language.kif_reader import read
from graven.gdl.language.kif_terms import Sheet
from graven.gdl.language.normal_form import normal
from graven.gdl.network.fixed_values import fixed_values
from graven.gdl.network.game_atoms import game_atoms
from graven.gdl.network.gate_construction import construct_gates
from graven.gdl.network.network_numbering import number_network
from graven.gdl.network.propositional import Network
from graven.gdl.network.relevance import relevant_atoms, usable_rules

HOUR = 3600.0
SMALLEST = """
(role p) (init (s a)) (f (g a))
(<= (legal p (m ?x)) (true (s ?x)) (f (g ?x)))
(<= (next (t ?x)) (does p (m ?x)) (not (true (t ?x))))
(<= terminal (true (t ?x)))
"""
"""A sheet that uses every kernel of grounding and of building a network."""


@dataclass
class BuildReport:
    """The stages of building a network: (stage, gates, inputs of gates, seconds) in order."""

    stages: list[tuple[str, int, int, float]] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, stage: str, gates: int, inputs: int, since: float) -> float:
        """Add a stage that began at `since`; return the time now."""
        now = time.perf_counter()
        self.stages.append((stage, gates, inputs, now - since))
        self.seconds += now - since
        return now


def build_network(
    sheet: Sheet, limits: GroundingLimits | None = None, report: BuildReport | None = None
) -> Network:
    """Build the network of a sheet; raise TooLargeError beyond the limits.

    Kernels are compiled, or loaded, before the time limit starts to count.
    """
    warm_up()
    return _build(sheet, limits, report or BuildReport())


@cache
def warm_up() -> None:
    """Compile or load the kernels."""
    _build(read(SMALLEST), GroundingLimits(seconds=HOUR), BuildReport())


def _build(sheet: Sheet, limits: GroundingLimits | None, report: BuildReport) -> Network:
    began = time.perf_counter()
    grounded = ground(number_rules(normal(sheet)), limits)
    count = len(grounded.heads)
    heads = int(np.count_nonzero(np.bincount(grounded.heads)))
    negative = grounded.literals[grounded.literals & 1 == 1]
    negated = int(np.count_nonzero(np.bincount(negative)))
    literals = len(grounded.literals) + count
    began = report.add("ground rules", count + heads + negated, literals, began)

    game = game_atoms(grounded, sheet.roles)
    rules = usable_rules(grounded)
    relevant = relevant_atoms(rules.dependencies(), game)
    values = fixed_values(grounded, game, rules, relevant)
    ends = rules.start[rules.first]
    literals = int((ends[relevant.order + 1] - ends[relevant.order]).sum())
    began = report.add("relevant atoms", len(relevant.order), literals, began)

    atoms = construct_gates(grounded, game, rules, relevant=relevant, values=values)
    began = report.add("equal gates shared, common factors out", *atoms.size(), began)
    atoms = atoms.merged()
    began = report.add("gates with one reader merged", *atoms.size(), began)
    network = number_network(grounded, sheet.roles, atoms)
    report.add("network", len(network.gates), network.input_count, began)
    return network
