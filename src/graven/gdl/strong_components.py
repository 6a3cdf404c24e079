"""Strongly connected components: which nodes of a graph depend on themselves, and in what order
the components can be computed.

One compiled implementation of Tarjan (1972) serves relations of a few rules and millions of ground
rules alike.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graven.core.compile import compiled

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]

NUMBERED, COMPONENTS, FINISHED, COUNTERS = range(4)


class Dependencies(NamedTuple):
    """A directed graph: node n needs edges[start[n] : start[n + 1]]."""

    start: Int64  # (nodes + 1,)
    edges: Int32


class ComponentSearch(NamedTuple):
    """The state of a depth-first search, which can be continued from further roots."""

    counters: Int64  # (COUNTERS,) nodes numbered, components closed, nodes finished
    number: Int32  # (nodes,) when a node was first visited, from 1; 0: not yet
    low: Int32  # (nodes,) the earliest node that it leads back to; -1: finished
    stack: Int32  # (nodes,) visited nodes whose component is open
    path: Int32  # (nodes,) nodes from the root to the current one
    place: Int64  # (nodes,) the next edge of each node on the path
    order: Int32  # (nodes,) finished nodes, each component after those that it needs
    component: Int32  # (nodes,) the component of each node in `order`


def new_search(nodes: int) -> ComponentSearch:
    """Return a search that has visited nothing."""
    number, low, stack, path, order, component = (np.zeros(nodes, np.int32) for _ in range(6))
    return ComponentSearch(
        counters=np.zeros(COUNTERS, np.int64),
        number=number,
        low=low,
        stack=stack,
        path=path,
        place=np.zeros(nodes, np.int64),
        order=order,
        component=component,
    )


@compiled
def visit(graph: Dependencies, roots: Int32, search: ComponentSearch) -> None:
    """Visit all nodes that `roots` need, the roots included."""
    counters, number, low, stack, path, place, order, component = search
    for i in range(len(roots)):
        root = roots[i]
        if number[root] != 0:
            continue
        counters[NUMBERED] += 1
        number[root] = counters[NUMBERED]
        low[root] = counters[NUMBERED]
        stack[0] = root
        stacked = 1
        depth = 0
        path[0] = root
        place[0] = graph.start[root]
        while depth >= 0:
            node = path[depth]
            end = graph.start[node + 1]
            descended = False
            while place[depth] < end:
                need = graph.edges[place[depth]]
                place[depth] += 1
                if number[need] == 0:
                    counters[NUMBERED] += 1
                    number[need] = counters[NUMBERED]
                    low[need] = counters[NUMBERED]
                    stack[stacked] = need
                    stacked += 1
                    depth += 1
                    path[depth] = need
                    place[depth] = graph.start[need]
                    descended = True
                    break
                if low[need] >= 0 and number[need] < low[node]:
                    low[node] = number[need]
            if descended:
                continue
            depth -= 1
            if depth >= 0 and low[node] < low[path[depth]]:
                low[path[depth]] = low[node]
            if low[node] == number[node]:
                while True:
                    stacked -= 1
                    member = stack[stacked]
                    low[member] = -1
                    order[counters[FINISHED]] = member
                    component[counters[FINISHED]] = counters[COMPONENTS]
                    counters[FINISHED] += 1
                    if member == node:
                        break
                counters[COMPONENTS] += 1


def components(needs: Sequence[Collection[int]]) -> list[set[int]]:
    """Return the components of a small graph, each after all that it needs.

    `needs[n]` are the nodes that node n depends on.
    """
    start = np.zeros(len(needs) + 1, np.int64)
    start[1:] = np.cumsum([len(nodes) for nodes in needs])
    edges = np.fromiter(chain.from_iterable(needs), np.int32, int(start[-1]))
    search = new_search(len(needs))
    visit(Dependencies(start, edges), np.arange(len(needs), dtype=np.int32), search)
    result: list[set[int]] = [set() for _ in range(search.counters[COMPONENTS])]
    for node, number in zip(search.order.tolist(), search.component.tolist(), strict=True):
        result[number].add(node)
    return result
