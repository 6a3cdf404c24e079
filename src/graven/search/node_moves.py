"""All moves of a node, those without edges included: see `few_edges`."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from graven.core.contract import Rules
from graven.search.layout import Int32, Int64
from graven.search.tree import NONE, Tree
from graven.search.tree_nodes import listed_moves

N = TypeVar("N", np.int32, np.float64)


class NodeMoves(NamedTuple):
    """The moves of a node in the order in which they were listed, and the edge of each or NONE."""

    codes: Int32
    edges: Int64

    def of(self, values: NDArray[N], missing: int) -> NDArray[N]:
        """Return the values that edges have in an array of the tree, `missing` without an edge."""
        read = values[self.edges]
        read[self.edges == NONE] = missing
        return read


def moves_of(rules: Rules, tree: Tree, node: int, edges: slice) -> NodeMoves:
    """Return the moves of a node that has these edges."""
    numbers = np.arange(edges.start, edges.stop)
    codes = tree.moves[edges].copy()
    if not rules.few_edges or tree.listed_at[node] == NONE:
        return NodeMoves(codes, numbers)
    listed = listed_moves(rules, tree, node).astype(np.int32)
    edge_of = dict(zip(codes.tolist(), numbers.tolist(), strict=True))
    return NodeMoves(listed, np.array([edge_of.get(move, NONE) for move in listed.tolist()]))
