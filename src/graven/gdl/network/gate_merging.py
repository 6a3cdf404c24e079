"""Fewer gates for the same functions: merging, and factoring for the single-position kernel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from graven.gdl.network.gate_arrays import GateArrays
from graven.gdl.network.gate_builder import FALSE, TRUE, Gate, GateBuilder
from graven.gdl.network.propositional import Network

LARGE = 60_000
"""Networks with more gates are simplified only where that saves more than it costs (seconds)."""
MIN_MERGED = 0.05
"""A large graph is merged only if at least this share of its gates can be."""
MIN_FACTORED = 4
"""A literal is factored out if at least this many inputs of a gate contain it."""


@dataclass(frozen=True)
class LiveNodes:
    """The nodes of a graph that some literals, the roots, depend on."""

    arrays: GateArrays
    needed: NDArray[np.bool_]
    """(nodes,)"""
    roots: Sequence[int]

    @cached_property
    def has_one_reader(self) -> NDArray[np.bool_]:
        """(nodes,) Whether a node is a gate that one gate reads, and no root."""
        reads = np.bincount(self.read >> 1, minlength=len(self.needed))
        reads[np.array(self.roots, np.int64) >> 1] += 2
        return (reads == 1) & (np.diff(self.arrays.start) > 0)

    @cached_property
    def read(self) -> NDArray[np.int32]:
        """The inputs of all needed gates."""
        return self.arrays.literals[np.repeat(self.needed, np.diff(self.arrays.start))]

    def is_worth_merging(self) -> bool:
        """Return whether the graph is small, or many gates can be merged into their readers."""
        gates = np.count_nonzero(self.needed & (np.diff(self.arrays.start) > 0))
        plain = self.read[self.read & 1 == 0] >> 1
        merged = np.count_nonzero(self.has_one_reader[plain])
        return bool(gates <= LARGE or merged >= MIN_MERGED * gates)


def merge_single_readers(
    inputs: Sequence[Gate], live: LiveNodes, new: list[int], make: Callable[[list[int]], int]
) -> None:
    """Rebuild the needed gates, and merge a gate into its reader where it has only one.

    `make` builds a gate from the literals of its inputs. `new` has the new literal of each leaf
    and receives that of each gate that is built. A gate that its only reader reads inverted cannot
    be merged, but is built right before the reader: the kernels are faster if they are neighbours.
    """
    has_one_reader = live.has_one_reader.tolist()
    pending: dict[int, list[int]] = {}
    for node in np.flatnonzero(live.needed & (np.diff(live.arrays.start) > 0)).tolist():
        factors: list[int] = []
        for literal in inputs[node]:
            source = literal >> 1
            if not has_one_reader[source]:
                factors.append(new[source] ^ (literal & 1))
            elif literal & 1:
                factors.append(make(pending.pop(source)) ^ 1)
            else:
                factors += pending.pop(source)
        if has_one_reader[node]:
            pending[node] = factors
        else:
            new[node] = make(factors)


def merge_gates(network: Network, factor: bool = False) -> Network:
    """Merge gates into their only readers, and drop gates that nothing reads.

    With `factor`, a literal that many inputs of a gate need is factored out of them, and what
    another input of the same gate already decides is dropped: a node that flips often, such as
    whose turn it is, then reaches few gates.
    """
    builder = GateBuilder(network.first_gate - 1)
    outputs = network.outputs()
    live = LiveNodes(network.arrays, network.cone(outputs), outputs)
    new = [2 * node if node < network.first_gate else FALSE for node in range(len(network.inputs))]

    def make(factors: list[int]) -> int:
        return builder.conjunction(_factored(builder, factors) if factor else factors)

    merge_single_readers(network.inputs, live, new, make)
    return network.rebuilt(builder.inputs, lambda literal: new[literal >> 1] ^ (literal & 1))


def _factored(builder: GateBuilder, literals: list[int]) -> list[int]:
    """Simplify the factors of a gate, and group those that share an alternative.

    Drop factors and alternatives that other factors decide. Then combine: (a or b)(a or c) is
    a or bc, for the `a` that most factors share.
    """
    if FALSE in literals:
        return [FALSE]
    factors = {literal for literal in literals if literal != TRUE}
    kept: set[int] = set()
    for literal in factors:
        # A factor that is an OR has the inversions of its gate's inputs as alternatives.
        inputs = builder.inputs[literal >> 1] if literal & 1 else ()
        if any(other ^ 1 in factors for other in inputs):
            continue
        if any(other in factors for other in inputs):
            literal = builder.conjunction(other for other in inputs if other not in factors) ^ 1
        kept.add(literal)
    kept.discard(TRUE)
    if FALSE in kept:
        return [FALSE]
    counts = Counter(
        other for literal in kept if literal & 1 for other in builder.inputs[literal >> 1]
    )
    if not counts:
        return sorted(kept)
    common, count = max(counts.items(), key=lambda item: (item[1], -item[0]))
    if count < MIN_FACTORED:
        return sorted(kept)
    group = [x for x in kept if x & 1 and common in builder.inputs[x >> 1]]
    rest = kept.difference(group)
    inner = builder.conjunction(
        builder.conjunction(other for other in builder.inputs[x >> 1] if other != common) ^ 1
        for x in group
    )
    return sorted([*rest, builder.conjunction((common, inner ^ 1)) ^ 1])


class Factors:
    """The conjunctive factors of a network's literals."""

    def __init__(self, network: Network) -> None:
        self._inputs = network.inputs
        self._sets: dict[int, frozenset[int]] = {}

    def of(self, literal: int) -> frozenset[int]:
        """Return literals that are true wherever `literal` is, itself among them.

        Only conjunctions, and alternatives of conjunctions, are searched.
        """
        if literal not in self._sets:
            inputs = self._inputs[literal >> 1]
            factors = {literal} if literal > TRUE else set()
            if inputs and not literal & 1:
                factors.update(inputs)
            elif inputs and not any(self._is_disjunction(other ^ 1) for other in inputs):
                factors |= frozenset.intersection(*(self.of(other ^ 1) for other in inputs))
            self._sets[literal] = frozenset(factors)
        return self._sets[literal]

    def _is_disjunction(self, literal: int) -> bool:
        return bool(literal & 1 and self._inputs[literal >> 1])

    def without(self, builder: GateBuilder, literal: int, factor: int) -> int:
        """Return what is left of a literal where its `factor` is true."""
        if literal == factor:
            return TRUE
        inputs = self._inputs[literal >> 1]
        if literal & 1:
            return builder.disjunction(self.without(builder, x ^ 1, factor) for x in inputs)
        return builder.conjunction(x for x in inputs if x != factor)
