"""Which atoms of the ground rules the game depends on, and in which order to compute them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graven.core.errors import UsageError
from graven.gdl.grounding.grounded_sheet import GroundedSheet
from graven.gdl.network.game_atoms import GameAtoms
from graven.gdl.strong_components import (
    FINISHED,
    ComponentSearch,
    Dependencies,
    new_search,
    visit,
)

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Flags = NDArray[np.bool_]


class RulesByHead(NamedTuple):
    """Ground rules, sorted by the atom that they derive."""

    first: Int64  # (atoms + 1,) an atom's rules are first[atom] : first[atom + 1]
    start: Int64  # (rules + 1,) a rule's literals are literals[start[rule] : start[rule + 1]]
    literals: Int32  # 2 * atom, + 1 where it is negated

    def dependencies(self) -> Dependencies:
        """Return the graph of atoms: a head needs the atoms of its rules' bodies."""
        return Dependencies(self.start[self.first], self.literals >> 1)


class RelevantAtoms(NamedTuple):
    """Atoms in an order in which each comes after the atoms of its rules' bodies."""

    order: Int32
    component: Int32  # of each atom in `order`; atoms that depend on each other share it


def usable_rules(ground: GroundedSheet) -> RulesByHead:
    """Return the ground rules that can derive something, sorted by head.

    Raise UsageError if a rule negates its own head: the sheet then has no meaning.
    """
    # The negation of an atom that nothing derives is always true: drop it from its rule.
    keep = ~((ground.literals & 1 == 1) & ~ground.derivable[ground.literals >> 1])
    kept = np.concatenate(([0], np.cumsum(keep)))
    ends, literals = kept[ground.ends], ground.literals[keep]
    lengths = np.diff(ends, prepend=0)
    rule_of = np.repeat(np.arange(len(ground.heads)), lengths)
    own = 2 * ground.heads[rule_of]
    negated = np.flatnonzero(literals == own + 1)
    if len(negated):
        raise own_negation(ground, int(ground.heads[rule_of[negated[0]]]))
    # Drop rules whose head also occurs in their body: they derive nothing new.
    idle = np.zeros(len(ground.heads), np.bool_)
    idle[rule_of[literals == own]] = True
    ends = np.cumsum(lengths[~idle])
    return _by_head(len(ground.relation), ground.heads[~idle], ends, literals[~idle[rule_of]])


def own_negation(ground: GroundedSheet, atom: int) -> UsageError:
    """Return the error for an atom that depends on its own negation."""
    return UsageError(f"{ground.atom_text(atom)} depends on its own negation.")


def _by_head(atoms: int, heads: Int32, ends: Int64, literals: Int32) -> RulesByHead:
    starts = np.concatenate(([0], ends[:-1])).astype(np.int64)
    order = np.argsort(heads, kind="stable")
    lengths = (ends - starts)[order]
    start = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    picked = np.arange(start[-1]) + np.repeat(starts[order] - start[:-1], lengths)
    first = np.searchsorted(heads[order], np.arange(atoms + 1)).astype(np.int64)
    return RulesByHead(first, start, literals[picked])


def relevant_atoms(graph: Dependencies, game: GameAtoms) -> RelevantAtoms:
    """Find the atoms that legal moves, goals or the end depend on, through all later states."""
    search = new_search(len(graph.start) - 1)
    roots = game.outputs()
    finished = 0
    while roots:
        visit(graph, np.array(roots, np.int32), search)
        new = search.order[finished : search.counters[FINISHED]]
        finished = int(search.counters[FINISHED])
        roots = [game.next[atom] for atom in new.tolist() if atom in game.next]
    return _finished(search)


def needed_now(graph: Dependencies, roots: Iterable[int]) -> RelevantAtoms:
    """Find the atoms that `roots` depend on in the current state."""
    search = new_search(len(graph.start) - 1)
    visit(graph, np.array(list(roots), np.int32), search)
    return _finished(search)


def _finished(search: ComponentSearch) -> RelevantAtoms:
    count = search.counters[FINISHED]
    return RelevantAtoms(search.order[:count].copy(), search.component[:count].copy())
