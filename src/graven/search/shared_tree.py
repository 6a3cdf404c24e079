"""One tree that several threads search without locks (`parallel=tree`): the kernels.

The threads share the nodes, their moves and the edges between them. Nodes and edges are taken by
atomic counters; a node is entered into the transposition table by an atomic exchange, and the first
thread that needs a node's moves lists them, while others treat it as a leaf.

Statistics are a thread's own. A line of memory that two cores write in turn costs more than a
playout of a fast game, and every simulation passes through the root. Therefore each thread counts
its own simulations in arrays that the others only read, and now and then adds up those of all
threads: the sums are what its tree policy reads, together with what it has counted since. It looks
at a node again when its own playouts there have grown by a part of all playouts of the node, at
once where these are few. At the end of a search all are added up: no playout is lost.

AMAF tables, score bounds and what playouts learn are a thread's own, from its own simulations.

Which simulations a thread knows of depends on timing: a search is not repeatable.
"""

from __future__ import annotations

from graven.core.atomics import LINE_WORDS, fetch_add, load_acquire, replace_if, store_release
from graven.core.compile import compiled, inlined
from graven.core.contract import SIMULTANEOUS, Rules
from graven.search.plan import state_at
from graven.search.shared_arrays import KNOWN_EDGES, KNOWN_NODE, UNKNOWN_NODE, SharedArrays
from graven.search.tree import (
    DEPTH,
    NODES,
    NONE,
    STEPS,
    Tree,
    clear_edges,
    clear_node,
    describe_node,
)

# A thread looks at a node again after own playouts there of all its playouts / 2**PART.
PART = 5
_ODD = -7046029254386353131


# The structure of the tree.


def find_or_add(state: int, key: int, turn: int) -> int:
    """Return the node with this key, or a new one; NONE if there is no space."""
    search = state_at(state)
    tree, shared, players = search.tree, search.shared, search.rules.players
    mask = len(tree.slots) - 1
    slot, node = key & mask, NONE
    while True:
        found = load_acquire(tree.slots, slot)
        if found == NONE:
            if node == NONE:
                node = fetch_add(shared.allocated, 0, 1)
                if node >= shared.nodes:
                    return NONE
                describe_node(tree, players, node, key, turn=turn)
                tree.meta[NODES] = node + 1
            if replace_if(tree.slots, slot, NONE, node):
                return node
            found = load_acquire(tree.slots, slot)
        if tree.keys[found] == key:
            if node != NONE:
                tree.keys[node] = (node + 1) * _ODD  # unused: another thread was faster
            return found
        slot = (slot + 1) & mask


def take_edges(state: int, count: int) -> int:
    """Return the first of so many new edges, or NONE if there is no space."""
    search = state_at(state)
    first = fetch_add(search.shared.allocated, LINE_WORDS, count)
    return NONE if first + count > search.shared.edges else first


# Statistics.


def look_at(state: int, node: int) -> None:
    """Add up the playouts of all threads at a node if that is due."""
    search = state_at(state)
    shared = search.shared
    place = shared.first_node + node
    if shared.known[place] == UNKNOWN_NODE:
        clear_node(search.tree, node)
        shared.visits[place] = 0
        shared.due[node] = 0
        store_release(shared.known, place, KNOWN_NODE)
    # Virtual losses are not counted, and would be lost.
    if shared.visits[place] >= shared.due[node] and shared.waiting[0] == 0:
        add_up(state, node)


def know_edges(state: int, node: int) -> None:
    """Have statistics of the edges of a node, whose moves have been listed."""
    search = state_at(state)
    if search.shared.known[search.shared.first_node + node] != KNOWN_EDGES:
        clear_own_edges(state, node)
        if search.shared.waiting[0] == 0:
            add_up(state, node)


@inlined
def lists_of(rules: Rules, tree: Tree, node: int) -> int:
    """Return how many players have edges at a node; those of chance are player 0's."""
    return rules.players if tree.turns[node] == SIMULTANEOUS else 1


@compiled
def clear_own_edges(state: int, node: int) -> None:
    """Write the statistics of a node's edges without playouts."""
    search = state_at(state)
    rules, tree, shared = search.rules, search.tree, search.shared
    low = max(tree.turns[node], 0)
    for player in range(low, low + lists_of(rules, tree, node)):
        first = tree.first[node * rules.players + player]
        count = tree.degree[node * rules.players + player]
        clear_edges(tree, first, count)
        for edge in range(shared.first_edge + first, shared.first_edge + first + count):
            shared.counts[edge] = 0
            shared.sums[edge] = 0.0
            if rules.squares:
                shared.squares[edge] = 0.0
    store_release(shared.known, shared.first_node + node, KNOWN_EDGES)


@compiled
def add_up(state: int, node: int) -> None:
    """Let the tree have the playouts of all threads at a node and its edges."""
    search = state_at(state)
    rules, tree, shared = search.rules, search.tree, search.shared
    place = shared.first_node + node
    visits = 0
    for thread in range(shared.threads):
        if load_acquire(shared.known, thread * shared.nodes + node) != UNKNOWN_NODE:
            visits += shared.visits[thread * shared.nodes + node]
    tree.visits[node] = visits
    low = max(tree.turns[node], 0)
    if load_acquire(tree.first, node * rules.players + low) >= 0:
        if shared.known[place] != KNOWN_EDGES:
            clear_own_edges(state, node)
        for player in range(low, low + lists_of(rules, tree, node)):
            add_up_edges(rules, tree, shared, node, player=player)
    shared.due[node] = shared.visits[place] + 1 + (visits >> PART)


@inlined
def add_up_edges(rules: Rules, tree: Tree, shared: SharedArrays, node: int, player: int) -> None:
    """Let the tree have the playouts of all threads at a player's edges of a node."""
    first = tree.first[node * rules.players + player]
    end = first + tree.degree[node * rules.players + player]
    for edge in range(first, end):
        tree.counts[edge] = 0
        tree.sums[edge] = 0.0
        if rules.squares:
            tree.squares[edge] = 0.0
    for thread in range(shared.threads):
        if load_acquire(shared.known, thread * shared.nodes + node) == KNOWN_EDGES:
            start = thread * shared.edges
            for edge in range(first, end):
                tree.counts[edge] += shared.counts[start + edge]
                tree.sums[edge] += shared.sums[start + edge]
                if rules.squares:
                    tree.squares[edge] += shared.squares[start + edge]


def count_own(state: int) -> None:
    """Count a finished simulation as one of this thread at every node and edge of its path."""
    search = state_at(state)
    rules, tree, record, shared = search.rules, search.tree, search.record, search.shared
    scores = record.scores
    for depth in range(record.shape[DEPTH]):
        shared.visits[shared.first_node + record.path[depth]] += 1
    for depth in range(record.shape[STEPS]):
        node = record.path[depth]
        low = max(tree.turns[node], 0)
        for player in range(low, low + lists_of(rules, tree, node)):
            edge = shared.first_edge + record.edges[depth * rules.players + player]
            shared.counts[edge] += 1
            shared.sums[edge] += scores[player]
            if rules.squares:
                shared.squares[edge] += scores[player] * scores[player]


@compiled
def add_up_all(state: int) -> None:
    """Let the tree have the playouts of all threads at all nodes, after they have ended."""
    search = state_at(state)
    tree, shared = search.tree, search.shared
    for node in range(tree.meta[NODES]):
        place = shared.first_node + node
        if shared.known[place] == UNKNOWN_NODE:
            clear_node(tree, node)
            shared.visits[place] = 0
            shared.known[place] = KNOWN_NODE
        add_up(state, node)
