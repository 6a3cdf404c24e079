"""A tree whose top several threads share without locks (`parallel=tree`): the kernels.

A line of memory that two cores write in turn takes longer than a playout of a fast game. Therefore
each thread has nodes, edges and statistics of its own, and searches them as a search without
threads does. What the threads share are totals of the nodes with many playouts: every thread adds
its new playouts to them and reads those of all others, at the root after 64 playouts of its own,
and then whenever these have grown by a part of the node's playouts. A node is shared as soon as one
thread has HOT playouts there, and later ones with more if the shared memory fills.

The first thread to share a node takes space for it by an atomic counter, and enters it into a table
by an atomic exchange. One thread at a time reads and writes the totals of a node, so that counts
and sums always belong together. It never waits: if another thread is at work there, it goes on with
what it knows and tries again later. At the end of a search all totals are exchanged: no playout is
lost.

AMAF tables, score bounds and what playouts learn are a thread's own, from its own simulations.

Which simulations a thread knows of depends on timing: a search is not repeatable.
"""

from __future__ import annotations

from graven.core.atomics import fetch_add, load_acquire, replace_if, store_release
from graven.core.compile import compiled, inlined
from graven.core.contract import SIMULTANEOUS
from graven.core.status import Status
from graven.search.few_edges import add_edges
from graven.search.plan import state_at
from graven.search.shared_arrays import (
    BUSY,
    DUE,
    EDGES,
    HEAD,
    KEY,
    MATCHED,
    NODE_WORDS,
    SHARED_NODES,
    START,
    USED,
    VISITS,
    SharedArrays,
)
from graven.search.tree import CLOSED, LEVEL_KEY, NONE, ROOT
from graven.search.tree_nodes import choosers, find

# A thread shares a node that has so many playouts: twice as many for each eighth of the shared
# memory that is in use.
HOT = 128
# It looks at the totals of a node again after so many own playouts there, or after all playouts of
# the node / 2**PART if these are more. See also `descend`.
LEAST = 64
PART = 4


def exchange(state: int, node: int) -> None:
    """Exchange the playouts of a node with the other threads if that is due."""
    search = state_at(state)
    tree, shared = search.tree, search.shared
    # Virtual losses are not counted; the nodes of a second level are removed after it.
    if shared.waiting[0] or tree.meta[LEVEL_KEY]:
        return
    visits = tree.visits[node]
    number = find_shared(shared, tree.keys[node])
    if number == NONE:
        eighths = max(
            8 * shared.allocated[USED] // shared.capacity,
            16 * shared.allocated[SHARED_NODES] // len(shared.slots),
        )
        if visits < HOT << min(eighths, 16) and node != tree.meta[ROOT]:
            return
        number = share_node(state, node)
        if number == NONE:
            return
    start = shared.nodes[number * NODE_WORDS + START]
    if visits >= shared.known[shared.thread * shared.capacity + start + DUE]:
        swap(state, node, number)


@inlined
def find_shared(shared: SharedArrays, key: int) -> int:
    """Return the shared node with this key, or NONE."""
    mask = len(shared.slots) - 1
    slot = key & mask
    while True:
        number = load_acquire(shared.slots, slot)
        if number == NONE or shared.nodes[number * NODE_WORDS + KEY] == key:
            return number
        slot = (slot + 1) & mask


@compiled
def has_all_edges(state: int, node: int) -> bool:
    """Let a node have edges for all moves; return False if it has none, or there is no space."""
    search = state_at(state)
    rules, tree = search.rules, search.tree
    if tree.first[node * rules.players + max(tree.turns[node], 0)] < 0:
        return False
    if rules.few_edges and tree.listed_at[node] != NONE:
        return add_edges(state, node) == Status.OK
    return True


@compiled
def share_node(state: int, node: int) -> int:
    """Return a new shared node without playouts, or NONE if that is impossible."""
    search = state_at(state)
    rules, tree, shared = search.rules, search.tree, search.shared
    if not has_all_edges(state, node):
        return NONE
    low, high = choosers(tree.turns[node], rules.players)
    edges = 0
    for player in range(low, high):
        edges += tree.degree[node * rules.players + player]
    size = HEAD + (shared.width + 1) * edges
    if shared.allocated[USED] + size > shared.capacity:
        return NONE
    start = fetch_add(shared.allocated, USED, size)
    if start + size > shared.capacity:
        return NONE
    number = fetch_add(shared.allocated, SHARED_NODES, 1)
    # Half of the slots stay empty, so that a search for a key ends.
    if 2 * number >= len(shared.slots):
        return NONE
    for place in range(start, start + size):
        shared.totals[place] = 0.0
    for thread in range(shared.threads):
        own = thread * shared.capacity + start
        for place in range(own, own + size):
            shared.known[place] = 0.0
    place = start + HEAD + shared.width * edges
    for player in range(low, high):
        first = tree.first[node * rules.players + player]
        for edge in range(first, first + tree.degree[node * rules.players + player]):
            shared.totals[place] = player * rules.num_codes + tree.moves[edge]
            place += 1
    line = number * NODE_WORDS
    shared.nodes[line + KEY], shared.nodes[line + START] = tree.keys[node], start
    shared.nodes[line + EDGES], shared.nodes[line + BUSY] = edges, 0
    mask = len(shared.slots) - 1
    slot = tree.keys[node] & mask
    while not replace_if(shared.slots, slot, NONE, number):
        other = load_acquire(shared.slots, slot)
        if shared.nodes[other * NODE_WORDS + KEY] == tree.keys[node]:
            return other  # another thread was faster
        slot = (slot + 1) & mask
    return number


@compiled
def swap(state: int, node: int, number: int) -> int:
    """Add a thread's new playouts of a node to the totals, and read those of all threads.

    Return NEED_EDGES if there is no space for edges of all moves; nothing is exchanged then.
    """
    search = state_at(state)
    rules, tree, shared = search.rules, search.tree, search.shared
    line = number * NODE_WORDS
    first = tree.first[node * rules.players + max(tree.turns[node], 0)]
    if first >= 0 and not has_all_edges(state, node):
        return Status.NEED_EDGES
    if not replace_if(shared.nodes, line + BUSY, 0, 1):
        return Status.OK
    start, edges, width = shared.nodes[line + START], shared.nodes[line + EDGES], shared.width
    own = shared.thread * shared.capacity + start
    total = shared.totals[start + VISITS] + tree.visits[node] - shared.known[own + VISITS]
    shared.totals[start + VISITS] = shared.known[own + VISITS] = total
    tree.visits[node] = int(total)
    if first >= 0:
        first = tree.first[node * rules.players + max(tree.turns[node], 0)]
        if shared.known[own + MATCHED] == 0.0 or tree.turns[node] == SIMULTANEOUS:
            match_edges(state, node, number)
            shared.known[own + MATCHED] = 1.0
        matches = own + HEAD + width * edges
        for i in range(edges):
            # A position that was reached in another way may have other legal moves.
            if shared.known[matches + i] < 0.0:
                continue
            edge = first + int(shared.known[matches + i])
            at, mine = start + HEAD + width * i, own + HEAD + width * i
            count = shared.totals[at] + tree.counts[edge] - shared.known[mine]
            shared.totals[at] = shared.known[mine] = count
            tree.counts[edge] = int(count)
            score = shared.totals[at + 1] + (tree.sums[edge] - shared.known[mine + 1])
            shared.totals[at + 1] = shared.known[mine + 1] = tree.sums[edge] = score
            if rules.squares:
                square = shared.totals[at + 2] + (tree.squares[edge] - shared.known[mine + 2])
                shared.totals[at + 2] = shared.known[mine + 2] = tree.squares[edge] = square
        shared.known[own + DUE] = total + max(LEAST, int(total) >> PART)
    store_release(shared.nodes, line + BUSY, 0)
    return Status.OK


@compiled
def match_edges(state: int, node: int, number: int) -> None:
    """Find a thread's edges of the moves of a shared node: after the first edge, or -1."""
    search = state_at(state)
    rules, tree, shared = search.rules, search.tree, search.shared
    start = shared.nodes[number * NODE_WORDS + START]
    edges = shared.nodes[number * NODE_WORDS + EDGES]
    moves = start + HEAD + shared.width * edges
    matches = shared.thread * shared.capacity + moves
    low, high = choosers(tree.turns[node], rules.players)
    base = tree.first[node * rules.players + low]
    for i in range(edges):
        shared.known[matches + i] = -1.0
    i = 0
    for player in range(low, high):
        first = tree.first[node * rules.players + player]
        for edge in range(first, first + tree.degree[node * rules.players + player]):
            # Usually the moves are in the same order.
            move = float(player * rules.num_codes + tree.moves[edge])
            for _ in range(edges):
                i = i if i < edges else 0
                found = shared.totals[moves + i] == move
                if found:
                    shared.known[matches + i] = edge - base
                i += 1
                if found:
                    break


@compiled
def swap_all(state: int) -> int:
    """Exchange the playouts of the root and of all shared nodes: between searches."""
    search = state_at(state)
    tree, shared = search.tree, search.shared
    root = tree.meta[ROOT]
    if find_shared(shared, tree.keys[root]) == NONE:
        share_node(state, root)
    for number in range(shared_nodes(shared)):
        key = shared.nodes[number * NODE_WORDS + KEY]
        node = find(tree, key)
        # Two threads may have shared a node at the same time: one of these is not used.
        if node != NONE and find_shared(shared, key) == number:
            status = swap(state, node, number)
            if status != Status.OK and not tree.meta[CLOSED]:
                return status
    return Status.OK


@compiled
def forget_removed(state: int) -> None:
    """Let a thread know nothing of nodes that have been removed from its tree."""
    search = state_at(state)
    shared = search.shared
    for number in range(shared_nodes(shared)):
        line = number * NODE_WORDS
        if find(search.tree, shared.nodes[line + KEY]) == NONE:
            start = shared.thread * shared.capacity + shared.nodes[line + START]
            size = HEAD + (shared.width + 1) * shared.nodes[line + EDGES]
            for place in range(start, start + size):
                shared.known[place] = 0.0


@inlined
def shared_nodes(shared: SharedArrays) -> int:
    """Return how many shared nodes have been written."""
    return min(shared.allocated[SHARED_NODES], len(shared.slots) // 2)
