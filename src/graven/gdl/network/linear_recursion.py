"""Solve recursive relations by elimination instead of unrolling them.

Atoms that depend on each other through at most one condition of each ground rule are a linear
system over truth values, x_i = b_i or (a_ij and x_j) or ..., whose least solution is wanted. Gauss
elimination finds it: a variable is replaced by its equation in all others, and in its own equation
it is dropped, since the least solution of x = b or (a and x) is b.

Unrolling n atoms takes up to n rounds through all rules. Elimination takes one, and equal systems
with different constants share their coefficients: that two of the cells of a board are connected
is one system for each first cell, and all have the same coefficients.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from graven.gdl.network.gate_builder import FALSE, TRUE, GateBuilder

Product = list[int]
"""Literals that are all true."""


class Recursion(NamedTuple):
    """A system of equations: atom i is true if one of its products is."""

    constants: list[list[Product]]
    """For each atom, the products without an atom of the system."""
    coefficients: list[dict[int, list[Product]]]
    """For each atom i and atom j, the products p of the rules `i if p and j`."""

    def key(self) -> tuple[object, ...]:
        """Return a key that equal systems share."""
        constants = (tuple(map(tuple, products)) for products in self.constants)
        rows = (
            tuple((j, tuple(map(tuple, products))) for j, products in row.items())
            for row in self.coefficients
        )
        return (*constants, *rows)


def solve(builder: GateBuilder, recursion: Recursion) -> list[int] | None:
    """Return the literals of all atoms; None if unrolling the rules is expected to be smaller."""
    rows = [
        {j: builder.sum_of_products(products) for j, products in row.items()}
        for row in recursion.coefficients
    ]
    order = _elimination_order(rows)
    if order is None:
        return None
    values = [builder.sum_of_products(products) for products in recursion.constants]
    readers: list[set[int]] = [set() for _ in rows]
    for i, row in enumerate(rows):
        row.pop(i, None)
        for j in row:
            readers[j].add(i)
    for k in order:
        pivot = rows[k]
        for i in sorted(readers[k]):
            row = rows[i]
            factor = row.pop(k)
            values[i] = builder.sum_of_products(_sum(values[i], factor, values[k]))
            for j, coefficient in pivot.items():
                if j != i:
                    row[j] = builder.sum_of_products(_sum(row.get(j, FALSE), factor, coefficient))
                    readers[j].add(i)
        for j in pivot:
            readers[j].discard(k)
    for k in reversed(order):
        terms = [[coefficient, values[j]] for j, coefficient in rows[k].items()]
        values[k] = builder.sum_of_products([[values[k]], *terms])
    return values


def _sum(value: int, factor: int, other: int) -> list[Product]:
    """Return `value or (factor and other)`, without literals that have no effect."""
    if factor == FALSE or other == FALSE:
        return [] if value == FALSE else [[value]]
    product = [literal for literal in (factor, other) if literal != TRUE]
    return [product] if value == FALSE else [[value], product]


def _elimination_order(rows: Sequence[dict[int, int]]) -> list[int] | None:
    """Return the order in which few coefficients are added (Markowitz 1957).

    Of equally good atoms the one with the smallest coefficients comes first, so that systems with
    the same coefficients are solved in the same order. Return None if more coefficients are
    computed than unrolling would compute.
    """
    inputs = [set(row) - {i} for i, row in enumerate(rows)]
    readers: list[set[int]] = [set() for _ in rows]
    for i, row in enumerate(inputs):
        for j in row:
            readers[j].add(i)
    ranking = sorted(range(len(rows)), key=lambda i: sorted(rows[i].values()))
    rank = {i: place for place, i in enumerate(ranking)}
    work, limit = 0, len(rows) * sum(map(len, inputs))
    costs = {i: len(inputs[i]) * len(readers[i]) for i in range(len(rows))}
    order = []
    while costs:
        k = min(costs, key=lambda i: (costs[i], rank[i]))
        work += costs.pop(k)
        if work > limit:
            return None
        order.append(k)
        for i in readers[k]:
            inputs[i] |= inputs[k]
            inputs[i] -= {i, k}
        for j in inputs[k]:
            readers[j] |= readers[k]
            readers[j] -= {j, k}
        for i in readers[k] | inputs[k]:
            costs[i] = len(inputs[i]) * len(readers[i])
    return order
