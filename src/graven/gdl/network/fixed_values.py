"""Which atoms have the same value in all reachable states: three-valued simulation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graven.core.compile import compiled
from graven.gdl.grounding.grounded_sheet import GroundedSheet
from graven.gdl.network.game_atoms import GameAtoms
from graven.gdl.network.gate_builder import FALSE, TRUE
from graven.gdl.network.relevance import RelevantAtoms, RulesByHead

Int8 = NDArray[np.int8]

EITHER = 2
"""The value of an atom that may be false (FALSE) or true (TRUE)."""


def fixed_values(
    ground: GroundedSheet, game: GameAtoms, rules: RulesByHead, relevant: RelevantAtoms
) -> Int8:
    """Return the value of each relevant atom over all reachable states.

    Simulate the game from its initial state on. Where a base gets another value in the next state,
    it may have either; repeat until nothing changes (a fixpoint).
    """
    values = np.zeros(len(ground.relation), np.int8)
    given = np.zeros(len(ground.relation), np.int8)
    static = ~np.isin(ground.relation, list(ground.state))
    values[static & ground.derivable] = TRUE
    given[static] = 1
    bases = np.array(list(game.true.values()), np.int64)
    nexts = np.array([game.next.get(base, -1) for base in bases.tolist()], np.int64)
    values[list(game.initial)] = TRUE
    given[bases] = 1
    moves = [
        (np.array(list(does.values()), np.int64), np.array([legal[m] for m in does], np.int64))
        for does, legal in zip(game.does, game.legal, strict=True)
    ]
    for does, _ in moves:
        given[does] = 1
    while True:
        _propagate(rules, relevant, values, given)
        changed = False
        for does, legal in moves:
            possible = values[legal] != FALSE
            value = TRUE if np.count_nonzero(possible) == 1 else EITHER
            made = np.where(possible, value, FALSE)
            changed |= bool((values[does] != made).any())
            values[does] = made
        if changed:
            _propagate(rules, relevant, values, given)
        following = np.where(nexts >= 0, values[nexts], FALSE)
        different = (following != values[bases]) & (values[bases] != EITHER)
        if not different.any():
            return values
        values[bases[different]] = EITHER


@compiled
def _propagate(rules: RulesByHead, relevant: RelevantAtoms, values: Int8, given: Int8) -> None:
    """Compute the values of all relevant atoms from those that are `given` (1).

    Atoms that depend on each other may have either value, unless no rule can derive them.
    """
    order, component = relevant
    for i in range(len(order)):
        atom = order[i]
        if given[atom]:
            continue
        together = (i > 0 and component[i - 1] == component[i]) or (
            i + 1 < len(order) and component[i + 1] == component[i]
        )
        if together:
            values[atom] = EITHER
    for i in range(len(order)):
        atom = order[i]
        if given[atom]:
            continue
        head = FALSE
        for rule in range(rules.first[atom], rules.first[atom + 1]):
            body = TRUE
            for place in range(rules.start[rule], rules.start[rule + 1]):
                literal = rules.literals[place]
                value = values[literal >> 1]
                if literal & 1 and value != EITHER:
                    value = TRUE - value
                if value == FALSE:
                    body = FALSE
                    break
                if value == EITHER:
                    body = EITHER
            if body == TRUE or (body == EITHER and head == FALSE):
                head = body
        values[atom] = head
