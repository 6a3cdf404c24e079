"""The builder of and-inverter graphs: each gate exists once, and few gates suffice.

A node is the constant false (node 0), a leaf (a base proposition or a move) or an AND gate. The
input of a gate is a literal: 2 * node, + 1 where it is inverted. An OR is the inverted AND of
inverted inputs, so that functions that are written differently become the same gate, which a hash
table finds (hash consing).

A gate has any number of inputs from two on. Both kernels pay for each gate as well as for each
input, and gates of two inputs would be 1.1 to 5.6 times as many in the shipped sheets (2.2 times in
the median), with 1.6 times as many memory accesses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heapreplace
from itertools import chain

FALSE, TRUE = 0, 1
"""The constants as literals: node 0, and its inversion."""
MAX_INPUTS = 16_000
"""The most inputs of one gate: the kernels count them in 16 bits. Wider gates become trees."""
MAX_REMEMBERED_MOVES = 5000
"""Larger alternatives of moves are not remembered."""
MAX_IMPLYING_INPUTS = 64
"""Implications of an OR with more inputs are not searched for."""

Gate = tuple[int, ...]
"""The inputs of a gate as sorted literals; empty for the constant and for leaves."""


@dataclass
class MoveFacts:
    """What is known about moves: each role makes exactly one, and it is legal."""

    role: dict[int, int] = field(default_factory=dict)
    """The role of each move, which is a literal."""
    moves: dict[int, frozenset[int]] = field(default_factory=dict)
    """All moves of each role."""
    implied: dict[int, frozenset[int]] = field(default_factory=dict)
    """Literals that are true whenever a move is made, because it was legal."""


class GateBuilder:
    """An and-inverter graph under construction."""

    def __init__(self, leaves: int = 0) -> None:
        self.inputs: list[Gate] = [()] * (1 + leaves)
        """The inputs of each node, whose nodes all have smaller numbers."""
        self.facts = MoveFacts()
        self._table: dict[Gate, int] = {}
        self._one_of: dict[int, dict[int, set[int]]] = {}
        """Literals that are true if and only if one of some moves (by role) is made."""
        self._implied: dict[tuple[int, int], frozenset[int]] = {}

    @classmethod
    def resume(cls, inputs: Sequence[Gate]) -> GateBuilder:
        """Continue with the nodes of a finished graph."""
        builder = cls()
        builder.inputs = list(inputs)
        builder._table = {gate: 2 * node for node, gate in enumerate(inputs) if gate}
        return builder

    def leaf(self) -> int:
        """Add a base proposition or a move; return its literal."""
        self.inputs.append(())
        return 2 * (len(self.inputs) - 1)

    def conjunction(self, literals: Iterable[int]) -> int:
        """Return the literal that is true where all of `literals` are."""
        factors = self._reduced(literals)
        if factors is None:
            return FALSE
        inputs = sorted(factors)
        if len(inputs) < 2:
            return inputs[0] if inputs else TRUE
        while len(inputs) > MAX_INPUTS:
            parts = range(0, len(inputs), MAX_INPUTS)
            inputs = [self._gate(tuple(inputs[i : i + MAX_INPUTS])) for i in parts]
        return self._gate(tuple(inputs))

    def _gate(self, inputs: Gate) -> int:
        if len(inputs) == 1:
            return inputs[0]
        literal = self._table.get(inputs)
        if literal is None:
            self.inputs.append(inputs)
            literal = self._table[inputs] = 2 * (len(self.inputs) - 1)
        return literal

    def disjunction(self, literals: Iterable[int]) -> int:
        """Return the literal that is true where at least one of `literals` is."""
        terms = set(literals)
        moves: dict[int, set[int]] = {}
        if self.facts.role and len(terms) > 1:
            moves = self._complement_moves(terms)
        result = self.conjunction(term ^ 1 for term in terms) ^ 1
        if moves and sum(map(len, moves.values())) <= MAX_REMEMBERED_MOVES and result > TRUE:
            self._one_of[result] = moves
        return result

    def _complement_moves(self, terms: set[int]) -> dict[int, set[int]]:
        """Replace "one of these many moves" by "none of the role's few other moves".

        Return the moves by role if `terms` are alternatives of moves and nothing else.
        """
        facts = self.facts
        if facts.role.keys().isdisjoint(terms) and self._one_of.keys().isdisjoint(terms):
            return {}
        parts = {term for term in terms if term in facts.role or term in self._one_of}
        only_moves = len(parts) == len(terms)
        named: dict[int, set[int]] = {}
        for part in parts:
            if part in facts.role:
                named.setdefault(facts.role[part], set()).add(part)
            else:
                for role, moves in self._one_of[part].items():
                    named.setdefault(role, set()).update(moves)
        others = {role: len(facts.moves[role]) - len(moves) for role, moves in named.items()}
        if sum(min(len(moves), others[role]) for role, moves in named.items()) < len(parts):
            terms -= parts
            for role, moves in named.items():
                if others[role] < len(moves):
                    terms.add(self.conjunction(move ^ 1 for move in facts.moves[role] - moves))
                else:
                    terms |= moves
        return named if only_moves else {}

    def _reduced(self, literals: Iterable[int]) -> set[int] | None:
        """Drop factors that other factors imply; None if they contradict each other."""
        factors = set(literals)
        if FALSE in factors:
            return None
        factors.discard(TRUE)
        if len(factors) < 2:
            return factors
        facts = self.facts
        if facts.role and not facts.role.keys().isdisjoint(factors):
            made = [factor for factor in factors if factor in facts.role]
            if len({facts.role[move] for move in made}) < len(made):
                return None  # two moves of one role
            for move in made:
                implied = facts.implied.get(move, frozenset())
                if any(literal ^ 1 in factors for literal in implied):
                    return None
                factors -= implied
                factors.add(move)
                # The role makes no other move: drop the inversions of its other moves.
                others = facts.moves[facts.role[move]]
                redundant = [f for f in factors if f & 1 and f ^ 1 != move and f ^ 1 in others]
                factors.difference_update(redundant)
        # A contradiction is a literal and its inversion, which are of the same node.
        if len({factor >> 1 for factor in factors}) < len(factors):
            return None
        return factors

    def sum_of_products(self, products: Sequence[Sequence[int]]) -> int:
        """Return the literal that is true where all literals of at least one product are."""
        if len(products) == 1:
            return self.conjunction(products[0])
        single: set[int] = set()
        larger: set[frozenset[int]] = set()
        for product in products:
            factors = self._reduced(product) if len(product) > 1 else product
            if factors is None:
                continue
            if not factors:
                return TRUE
            if len(factors) == 1:
                single.update(factors)
            else:
                larger.add(frozenset(factors))
        return self._factored(single, larger)

    def _factored(self, single: set[int], larger: set[frozenset[int]]) -> int:
        """Factor out what products have in common: ab or ac is a(b or c).

        `single` holds products of one literal, `larger` those of several.
        """
        single, larger = _absorbed(single, larger)
        for common, inside in _common_factors(larger):
            rest = {product - {common} for product in inside}
            alone = {next(iter(product)) for product in rest if len(product) == 1}
            inner = self._factored(alone, {product for product in rest if len(product) > 1})
            single.add(self.conjunction((common, inner)))
        single.update(self.conjunction(product) for product in larger)
        return self.disjunction(single)

    def implications(self, literal: int, depth: int = 4) -> frozenset[int]:
        """Return literals that are true wherever `literal` is: those that are cheap to find."""
        implied = self._implied.get((literal, depth))
        if implied is None:
            implied = self._implied[literal, depth] = self._find_implications(literal, depth)
        return implied

    def _find_implications(self, literal: int, depth: int) -> frozenset[int]:
        inputs = self.inputs[literal >> 1]
        implied = {literal}
        if not inputs or not depth:
            return frozenset(implied)
        if literal & 1:  # an OR: what all of its inputs imply
            if len(inputs) <= MAX_IMPLYING_INPUTS:
                shared = self.implications(inputs[0] ^ 1, depth - 1)
                for other in inputs[1:]:
                    if not shared:
                        break
                    shared &= self.implications(other ^ 1, depth - 1)
                implied |= shared
        else:
            implied.update(inputs)
            for other in inputs:
                if self.inputs[other >> 1] and depth > 1:
                    implied |= self.implications(other, depth - 1)
        return frozenset(implied)


def _common_factors(
    products: set[frozenset[int]],
) -> Iterator[tuple[int, list[frozenset[int]]]]:
    """Remove and yield the products that have a factor in common, the most frequent one first.

    The products that remain have no factor in common.
    """
    if len(products) < 2:
        return
    counts = Counter(chain.from_iterable(products))
    frequent = {literal for literal, count in counts.items() if count > 1}
    holders: dict[int, list[frozenset[int]]] = {literal: [] for literal in frequent}
    for product in products:
        for literal in product & frequent:
            holders[literal].append(product)
    # A heap of (-count, -literal). Counts only decrease, and are corrected at the top.
    heap = [(-counts[literal], -literal) for literal in frequent]
    heapify(heap)
    while heap:
        count, literal = -heap[0][0], -heap[0][1]
        if count == counts[literal]:
            inside = [product for product in holders[literal] if product in products]
            products.difference_update(inside)
            counts.subtract(chain.from_iterable(inside))
            yield literal, inside
        if counts[literal] > 1:
            heapreplace(heap, (-counts[literal], -literal))
        else:
            heappop(heap)


def _absorbed(
    single: set[int], larger: set[frozenset[int]]
) -> tuple[set[int], set[frozenset[int]]]:
    """Apply the absorption laws: x or xy is x; x or (not x)y is x or y."""
    while single and larger:
        inverted = {literal ^ 1 for literal in single}
        remaining: set[frozenset[int]] = set()
        shortened: set[int] = set()
        for product in larger:
            if product.isdisjoint(single):
                product -= inverted
                if len(product) > 1:
                    remaining.add(product)
                elif product:
                    shortened.update(product)
                else:
                    return {TRUE}, set()
        larger = remaining
        if shortened <= single:
            break
        single = single | shortened
    return single, larger
