"""The memory of a tree: groups of arrays that grow together, up to a limit in bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from graven.core.contract import Rules
from graven.core.status import Status
from graven.search.layout import SPARE, ArrayLayout, arrays_of, new_arrays
from graven.search.tree import (
    BLOCKS,
    CLOSED,
    EDGES,
    JOINTS,
    LINKS,
    LISTS,
    NODES,
    NONE,
    PLAYOUTS_MASK,
    POINTS_SHIFT,
    SIMULATIONS,
    TABLES,
    TRACED,
    Tree,
    all_codes,
    depth_capacity,
    trace_capacity,
)
from graven.search.tree_memory import return_buffer, take_buffer
from graven.search.tree_nodes import rehash


@dataclass(frozen=True)
class Group:
    """Arrays that grow together: their units in use are meta[count].

    `least` is how many units the group has at first, unless `first_bytes` is more. Pages that are
    never touched cost nothing, while growing step by step took a seventh of a search of 10,000
    playouts.
    """

    name: str
    count: int
    need: Status  # how a kernel asks for more units
    least: Callable[[Rules], int]
    first_bytes: int = 8 << 20

    @cached_property
    def arrays(self) -> list[ArrayLayout]:
        """The group's arrays."""
        return [array for array in arrays_of(Tree) if array.size.group == self.name]

    def capacity(self, rules: Rules, tree: Tree) -> int:
        """Return how many units the arrays of a tree have space for; 0 if there are no arrays."""
        return min(
            (
                len(getattr(tree, array.name)) // array.size.entries(rules)
                for array in self.arrays
                if array.name != SLOTS and array.size.entries(rules)
            ),
            default=0,
        )

    def unit_bytes(self, rules: Rules) -> int:
        """Return the memory of one unit, without the transposition table."""
        return sum(
            array.size.entries(rules) * array.dtype.itemsize
            for array in self.arrays
            if array.name != SLOTS
        )


SLOTS = "slots"  # rebuilt, not copied, when its group grows or is pruned

GROUPS = {
    group.name: group
    for group in (
        # Few bytes at first: the transposition table has to be cleared for every search.
        Group("nodes", NODES, Status.NEED_NODES, lambda rules: 512, first_bytes=1 << 19),
        Group("edges", EDGES, Status.NEED_EDGES, lambda rules: 2 * rules.players * rules.max_moves),
        Group("lists", LISTS, Status.NEED_LISTS, lambda rules: 2 * rules.max_moves + 2),
        Group("joints", JOINTS, Status.NEED_JOINTS, lambda rules: 1 << 12, first_bytes=0),
        Group("tables", TABLES, Status.NEED_TABLES, lambda rules: 2),
        Group("links", LINKS, Status.NEED_LINKS, lambda rules: 2 * depth_capacity(rules)),
        Group("simulations", SIMULATIONS, Status.NEED_SIMULATIONS, lambda rules: 512),
        Group("blocks", BLOCKS, Status.NEED_BLOCKS, lambda rules: 4),
        Group("traces", TRACED, Status.NEED_TRACES, lambda rules: 2 * trace_capacity(rules)),
    )
}
NEEDED = {group.need: group for group in GROUPS.values()}


def _power_of_two(n: int) -> int:
    """The smallest power of two that is at least n."""
    return 1 << (n - 1).bit_length()


class TreeArena:
    """The memory of a tree, which grows, group by group, up to a limit in bytes.

    If `max_nodes` is not 0, it has no more nodes than that.

    The arrays of groups are the beginnings of buffers that may be longer: memory of an earlier
    search. How a tree grows does not depend on that.
    """

    def __init__(self, rules: Rules, limit: int, max_nodes: int = 0) -> None:
        self.limit = limit
        self.max_nodes = max_nodes
        self._rules = rules
        self.full = False  # whether the limit has stopped the tree from growing
        self._more_bytes = 0
        self.grown = False
        self._buffers: dict[str, Any] = {}
        arrays: dict[str, Any] = new_arrays(Tree, rules)
        for group in GROUPS.values():
            # A search with bounds begins with as many nodes as one without: growth takes time.
            unit_bytes = group.unit_bytes(rules._replace(score_bounds=0))
            first = min(group.first_bytes, limit // 16) // max(1, unit_bytes)
            units = self._within_limit(group, _power_of_two(max(group.least(rules), first)))
            for array in group.arrays:
                length = self._length(array, units)
                buffer = take_buffer(array.name, array.dtype, length)
                self._buffers[array.name] = buffer
                arrays[array.name] = buffer[:length]
        arrays[SLOTS][:] = NONE
        self.tree = Tree(**arrays)
        self.nbytes = self._count_bytes()

    def __del__(self) -> None:
        buffers = self.__dict__.pop("_buffers", {})
        self.__dict__.pop("tree", None)
        while buffers and callable(return_buffer):  # None while the interpreter ends
            return_buffer(*buffers.popitem())

    def _within_limit(self, group: Group, units: int) -> int:
        """Return how many units a group may have if it is to have so many."""
        most = self.max_nodes if group.count == NODES else 0
        return min(units, most) if most else units

    def _length(self, array: ArrayLayout, units: int) -> int:
        """Return the length of an array of so many units."""
        if array.name == SLOTS:
            units = _power_of_two(units)
        return units * array.size.entries(self._rules)

    def _count_bytes(self) -> int:
        """Return how much memory the arrays take."""
        return self._more_bytes + sum(array.nbytes for array in self.tree)

    def use(self, arrays: dict[str, Any], more_bytes: int) -> None:
        """Replace arrays of the tree by others, which the arena does not own.

        `more_bytes` is the memory of what belongs to them without being part of the tree.
        """
        self.tree = self.tree._replace(**arrays)
        self._more_bytes = more_bytes
        self.nbytes = self._count_bytes()

    def clear(self) -> None:
        """Remove everything from the tree."""
        self.full = False
        self.tree.meta[:] = 0
        self.tree.slots[:] = NONE
        self.tree.seen[:] = 0

    def close(self) -> None:
        """Let nothing more enter the tree: searches go on in the tree as it is."""
        self.tree.meta[CLOSED] = 1

    def reopen(self) -> None:
        """Let a closed tree grow again: units of it have been removed."""
        self.full = False
        self.tree.meta[CLOSED] = 0

    def group_bytes(self, group: Group) -> int:
        """How much memory a group takes; doubling it takes as much again."""
        return sum(getattr(self.tree, array.name).nbytes for array in group.arrays)

    def grow(self, group: Group) -> None:
        """Double one group; where the limit forbids it, the tree is closed."""
        present = group.capacity(self._rules, self.tree)
        units = self._within_limit(group, 2 * present)
        if units == present or self.nbytes + self.group_bytes(group) > self.limit:
            self.full = True
            self.close()
            return
        self.grown = True
        larger: dict[str, Any] = {}
        for array in group.arrays:
            old = getattr(self.tree, array.name)
            buffer, length = self._buffers[array.name], self._length(array, units)
            if len(buffer) < length + SPARE:
                buffer = take_buffer(array.name, array.dtype, length)
                if array.name != SLOTS:
                    buffer[: len(old)] = old
                self._buffers[array.name] = buffer
            larger[array.name] = buffer[:length]
        self.tree = self.tree._replace(**larger)
        self.nbytes = self._count_bytes()
        if SLOTS in larger:
            rehash(self.tree)

    def widened_bytes(self, rules: Rules) -> int:
        """Return how much memory the tree would take with the AMAF tables of other rules."""
        units = {name: group.capacity(self._rules, self.tree) for name, group in GROUPS.items()}
        return self.nbytes + sum(
            units[name] * (GROUPS[name].unit_bytes(rules) - GROUPS[name].unit_bytes(self._rules))
            for name in ("tables", "simulations")
        )

    def widen(self, rules: Rules) -> None:
        """Replace packed AMAF tables by wide ones, which `rules` have; the content stays."""
        old, capacity = self.tree, {}
        for name in ("tables", "simulations"):
            capacity[name] = GROUPS[name].capacity(self._rules, old)
        self._rules = rules
        changed: dict[str, Any] = {}
        for name, units in capacity.items():
            for array in GROUPS[name].arrays:
                length = self._length(array, units)
                if length != len(getattr(old, array.name)):
                    buffer = take_buffer(array.name, array.dtype, length)
                    self._buffers[array.name] = buffer
                    changed[array.name] = buffer[:length]
        used = int(old.meta[TABLES]) * all_codes(rules)
        words = old.packed_amaf[:used]
        changed["amaf"][: 2 * used : 2] = words & PLAYOUTS_MASK
        changed["amaf"][1 : 2 * used : 2] = (words >> POINTS_SHIFT) / 2
        used = int(old.meta[SIMULATIONS]) * rules.players
        changed["trace_scores"][:used] = old.trace_points[:used] / 2
        self.tree = old._replace(**changed)
        self.nbytes = self._count_bytes()
        if self.nbytes > self.limit:
            self.full = True
            self.close()
