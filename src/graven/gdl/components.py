"""What depends on itself, and in which order the rest can be worked out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def components(needs: Sequence[Iterable[int]]) -> list[set[int]]:
    """Strongly connected components (Tarjan 1972), each after all that it needs."""
    number = [0] * len(needs)
    low = [0] * len(needs)
    found: list[set[int]] = []
    stack: list[int] = []
    seen = 0
    for root in range(len(needs)):
        if number[root]:
            continue
        path = [(root, iter(needs[root]))]
        seen += 1
        number[root] = low[root] = seen
        stack.append(root)
        while path:
            node, rest = path[-1]
            for need in rest:
                if not number[need]:
                    seen += 1
                    number[need] = low[need] = seen
                    stack.append(need)
                    path.append((need, iter(needs[need])))
                    break
                if low[need] >= 0:
                    low[node] = min(low[node], number[need])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == number[node]:
                    group = set()
                    while True:
                        member = stack.pop()
                        low[member] = -1  # done: no longer on the stack
                        group.add(member)
                        if member == node:
                            break
                    found.append(group)
    return found
