"""Relations as decision diagrams, for relations that have too many tuples to be listed.

A diagram describes a set of tuples over variables in a fixed order, the levels. A node tests the
variable of its level: it has a child for each value from which TRUE can be reached. A path skips
levels whose values do not matter. Equal nodes are one node. The permutations of nine numbers take
512 nodes; as a relation they are 362,880 tuples.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from graven.core.cancellation import raise_if_cancelled

FALSE, TRUE = 0, 1
MAX_NODES = 200_000
NODES_PER_CHECK = 10_000

Children = tuple[tuple[int, int], ...]
"""(value, child) in ascending order of values."""


class DiagramTooLargeError(Exception):
    """The diagrams have more than MAX_NODES nodes."""


class Diagrams:
    """Diagrams over variables with these domains; a diagram is the number of its root."""

    def __init__(self, domains: Sequence[Sequence[int]]) -> None:
        self.domains = [tuple(sorted(domain)) for domain in domains]
        end = len(self.domains)
        self._nodes: list[tuple[int, Children]] = [(end, ()), (end, ())]
        self._numbers: dict[tuple[int, Children], int] = {}
        self._both: dict[tuple[int, int], int] = {}
        self._complements: dict[int, int] = {FALSE: TRUE, TRUE: FALSE}

    def level(self, diagram: int) -> int:
        """Return the level of a diagram's root; the number of levels for FALSE and TRUE."""
        return self._nodes[diagram][0]

    def node(self, level: int, children: Mapping[int, int]) -> int:
        """Return the node that has these children of its values."""
        kept = tuple((v, child) for v, child in sorted(children.items()) if child != FALSE)
        if not kept:
            return FALSE
        if len(kept) == len(self.domains[level]) and len({child for _, child in kept}) == 1:
            return kept[0][1]
        key = level, kept
        number = self._numbers.setdefault(key, len(self._nodes))
        if number == len(self._nodes):
            self._nodes.append(key)
            if number % NODES_PER_CHECK == 0:
                raise_if_cancelled()
            if number > MAX_NODES:
                raise DiagramTooLargeError
        return number

    def of_tuples(self, levels: Sequence[int], tuples: Iterable[tuple[int, ...]]) -> int:
        """Return the diagram of a list of tuples over some levels, which ascend."""
        if not levels:
            return TRUE if any(True for _ in tuples) else FALSE
        rest: dict[int, list[tuple[int, ...]]] = {}
        domain = set(self.domains[levels[0]])
        for values in tuples:
            if values[0] in domain:
                rest.setdefault(values[0], []).append(values[1:])
        return self.node(
            levels[0], {value: self.of_tuples(levels[1:], group) for value, group in rest.items()}
        )

    def equal(self, one: int, other: int) -> int:
        """Return the diagram of equality between the variables of two levels."""
        shared = set(self.domains[one]) & set(self.domains[other])
        return self.of_tuples(sorted((one, other)), ((value, value) for value in shared))

    def both(self, one: int, other: int) -> int:
        """Return the intersection of two diagrams."""
        if one == other or other == TRUE:
            return one
        if one == TRUE:
            return other
        if FALSE in (one, other):
            return FALSE
        key = (one, other) if one < other else (other, one)
        if key not in self._both:
            level = min(self.level(one), self.level(other))
            first, second = self.children(one, level), self.children(other, level)
            self._both[key] = self.node(
                level,
                {value: self.both(first[value], second[value]) for value in first.keys() & second},
            )
        return self._both[key]

    def complement(self, diagram: int) -> int:
        """Return the diagram of all other tuples."""
        if diagram not in self._complements:
            level = self.level(diagram)
            children = self.children(diagram, level)
            result = self.node(
                level,
                {v: self.complement(children.get(v, FALSE)) for v in self.domains[level]},
            )
            self._complements[diagram] = result
            self._complements[result] = diagram
        return self._complements[diagram]

    def either(self, one: int, other: int) -> int:
        """Return the union of two diagrams."""
        return self.complement(self.both(self.complement(one), self.complement(other)))

    def children(self, diagram: int, level: int) -> dict[int, int]:
        """Return the child of each value of a level that is not after the diagram's own."""
        if diagram == FALSE:
            return {}
        at, children = self._nodes[diagram]
        return dict(children) if at == level else dict.fromkeys(self.domains[level], diagram)

    def steps(self, diagram: int) -> list[tuple[int, list[tuple[int, int, int]]]]:
        """Return the paths from a diagram's root to TRUE, level by level.

        For each level that matters: (level, [(node, value, next node)]).
        """
        reached, waiting = {diagram}, [diagram]
        while waiting:
            for _, child in self._nodes[waiting.pop()][1]:
                if child not in reached:
                    reached.add(child)
                    waiting.append(child)
        front, result = {diagram}, []
        for level in sorted({self.level(node) for node in reached} - {len(self.domains)}):
            edges = [
                (node, value, child)
                for node in sorted(front)
                for value, child in sorted(self.children(node, level).items())
            ]
            result.append((level, edges))
            front = {child for _, _, child in edges}
        return result
