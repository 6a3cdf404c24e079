"""Edges for tried moves only (the option edges=tried): memory for nodes with few playouts.

Most nodes with several playouts have tried a few of their moves: edges for all of them took more
than half of a tree's memory. Such a node has a list of its moves, and edges for those that it has
tried, in a block of FEW. For the tree policy they are copied as if all moves had edges, in the
order of the list. When one move more than FEW is to be tried, all moves get edges, and the block
can be used again.

The root has all edges, and so has a node with at most FEW moves.

Threads that exchange their simulations (`parallel=sync`) exchange lists of moves, and each of them
has edges for the moves that any of them has tried.

Not for searches that keep more of an edge than its playouts, scores and proofs, that select several
edges before they count them (batches of playouts), or whose threads exchange simulations without
AMAF tables, which takes up to 9 % more time.
"""

from __future__ import annotations

from graven.core import contract
from graven.core.compile import compiled, inlined
from graven.core.contract import Rules
from graven.core.status import Status
from graven.search import amaf
from graven.search.descend import list_moves
from graven.search.plan import SearchState, state_at
from graven.search.score_bounds import HIGHEST, REST, WORSE, may_select
from graven.search.select.selection import call_select, log_of
from graven.search.tree import CLOSED, DEPTH, EDGES, FEW, FREE_BLOCK, LISTS, NONE, TABLE, Tree
from graven.search.tree_nodes import clear_edges, in_words, read_list


def select_few(state: int, node: int, mover: int) -> int:
    """Return the edge that the tree policy selects at a node that does not have all its edges.

    A value below 0 is -1 - status. The status OK means that the tree is full, so that the playout
    begins at the node.
    """
    search = state_at(state)
    rules, tree, record = search.rules, search.tree, search.record
    place = node * rules.players + mover
    if tree.first[place] == NONE:
        status = list_tried(search, node, mover)
        if status != Status.OK:
            return -1 - unless_full(tree, status)
    if tree.listed_at[node] == NONE:
        count = tree.degree[place]
        copy_edges(search, tree.first[place], count)
    else:
        count = copy_listed(search, node, place)
    if search.plan.solver and tree.bounded[node] and tree.skips[node]:
        count = without_skipped(search, node, mover, count)
    chosen = call_select(
        search.plan.select_muted if record.muted[0] else search.plan.select,
        (
            search.plan.open_edges,
            tree.visits[node],
            log_of(search.plan.logs, tree.visits[node]),
            0,
            count,
            amaf.player_base(rules, max(record.shape[TABLE], 0), mover),
        ),
    )
    move = record.open_moves[chosen]
    edge = edge_of(tree, place, move)
    return edge if edge != NONE else add_edge(state, node, move)


@compiled
def add_edge(state: int, node: int, move: int) -> int:
    """Return a new edge for a move in the list of a node, or -1 - status as `select_few`."""
    search = state_at(state)
    rules, tree = search.rules, search.tree
    place = node * rules.players + tree.turns[node]
    if tree.degree[place] == FEW:
        status = add_edges(state, node)
        if status != Status.OK:
            return -1 - unless_full(tree, status)
        return edge_of(tree, place, move)
    edge = tree.first[place] + tree.degree[place]
    tree.moves[edge] = move
    tree.degree[place] += 1
    if skips_untried(search, node, place):
        tree.skipped[edge] = WORSE
    return edge


def try_move(state: int, node: int, move: int) -> int:
    """Return a new edge for the move of another thread at a node that has a list.

    NONE if the move is not in the list or the tree is full, or else a value below it: -1 - status.
    """
    search = state_at(state)
    rules, tree = search.rules, search.tree
    at = tree.listed_at[node]
    i = read_list(rules, tree, at)
    while i > 0 and read_list(rules, tree, at + i) != move:
        i -= 1
    if i == 0:
        return NONE
    return add_edge(state, node, move)


def copy_moves(state: int, node: int, at: int) -> int:
    """Give a node the list of its moves that begins at word `at` of the log, and a block."""
    search = state_at(state)
    log, count = search.log, search.log.words[at]
    moves = log.signed[2 * at + 2 : 2 * at + 2 + count]
    return list_in_block(search.rules, search.tree, node, search.tree.turns[node], moves)


@inlined
def unless_full(tree: Tree, status: int) -> int:
    """Return a status, or OK if it asks for space that a full tree does not have."""
    asks = status in (Status.NEED_EDGES, Status.NEED_LISTS)
    return Status.OK if asks and tree.meta[CLOSED] else status


@inlined
def list_tried(search: SearchState, node: int, mover: int) -> int:
    """List a node's moves, and give it a block of edges, all of them without a move.

    If it has at most FEW moves, all of them get edges.
    """
    rules, tree, record = search.rules, search.tree, search.record
    count = contract.tree_moves(rules, record.state, mover, record.moves)
    if count < 1:
        return Status.NO_MOVE
    if count > rules.max_moves:
        return Status.TOO_MANY
    if count <= FEW:
        return list_moves(search.plan.state, node, mover, mover + 1)
    wrong = 0
    for i in range(count):
        wrong += (record.moves[i] < 0) | (record.moves[i] >= rules.num_codes)
    if wrong:
        return Status.BAD_CODE
    return list_in_block(rules, tree, node, mover, record.moves[:count])


@inlined
def list_in_block(rules: Rules, tree: Tree, node: int, mover: int, moves: contract.Moves) -> int:
    """Give a node a list of its moves, and a block of edges, all of them without a move."""
    if not write_list(rules, tree, node, moves):
        return Status.NEED_LISTS
    if not take_block(tree, node * rules.players + mover):
        tree.meta[LISTS] = tree.listed_at[node]
        tree.listed_at[node] = NONE
        return Status.NEED_EDGES
    return Status.OK


@inlined
def write_list(rules: Rules, tree: Tree, node: int, moves: contract.Moves) -> bool:
    """Store how many moves a node has, and which; return False if there is no space."""
    at, size = tree.meta[LISTS], len(moves) + 1
    if rules.few_edges * (at + size) > len(tree.lists):
        return False
    tree.meta[LISTS] = at + size
    tree.listed_at[node] = at
    if rules.few_edges == 1:
        tree.lists[at] = len(moves)
        narrow = tree.lists[at + 1 : at + size]
        for i in range(len(moves)):
            narrow[i] = moves[i]
    else:
        wide = in_words(tree.lists)
        wide[at] = len(moves)
        for i in range(len(moves)):
            wide[at + 1 + i] = moves[i]
    return True


@inlined
def take_block(tree: Tree, place: int) -> bool:
    """Give a node a block of edges; return False if there is no space."""
    first = tree.meta[FREE_BLOCK] - 1
    if first >= 0:
        tree.meta[FREE_BLOCK] = tree.counts[first]
    else:
        first = tree.meta[EDGES]
        if first + FEW > len(tree.moves):
            return False
        tree.meta[EDGES] = first + FEW
    for edge in range(first, first + FEW):
        tree.children[edge] = NONE
    clear_edges(tree, first, FEW)
    tree.degree[place] = 0
    tree.first[place] = first
    return True


@inlined
def copy_edges(search: SearchState, first: int, count: int) -> None:
    """Copy the moves and statistics of edges to the record's open edges."""
    tree, record = search.tree, search.record
    for i in range(count):
        record.open_moves[i] = tree.moves[first + i]
        record.open_counts[i] = tree.counts[first + i]
        record.open_sums[i] = tree.sums[first + i]


@inlined
def copy_listed(search: SearchState, node: int, place: int) -> int:
    """Copy a node's list of moves to the record's open edges, with the statistics of tried ones."""
    rules, tree, record = search.rules, search.tree, search.record
    at = tree.listed_at[node]
    count = read_list(rules, tree, at)
    moves, counts = record.open_moves[:count], record.open_counts[:count]
    sums = record.open_sums[:count]
    # One loop for each array, over slices: vector instructions fill them.
    if rules.few_edges == 1:
        listed = tree.lists[at + 1 : at + 1 + count]
        for i in range(count):
            moves[i] = listed[i]
    else:
        for i in range(count):
            moves[i] = read_list(rules, tree, at + 1 + i)
    for i in range(count):
        counts[i] = 0
    for i in range(count):
        sums[i] = 0.0
    first = tree.first[place]
    for edge in range(first, first + tree.degree[place]):
        i, move = 0, tree.moves[edge]
        while moves[i] != move:
            i += 1
        counts[i] = tree.counts[edge]
        sums[i] = tree.sums[edge]
    return count


@inlined
def without_skipped(search: SearchState, node: int, mover: int, count: int) -> int:
    """Remove the moves that selection skips from the record's open edges; return how many stay."""
    tree, record, players = search.tree, search.record, search.rules.players
    place = node * players + mover
    untried = not skips_untried(search, node, place)
    wakes = tree.visits[node] % REST == 0
    kept = 0
    for i in range(count):
        edge = edge_of(tree, place, record.open_moves[i])
        record.open_moves[kept] = record.open_moves[i]
        record.open_counts[kept] = record.open_counts[i]
        record.open_sums[kept] = record.open_sums[i]
        kept += untried if edge == NONE else may_select(tree.skipped[edge], wakes)
    return kept


@inlined
def skips_untried(search: SearchState, node: int, place: int) -> bool:
    """Return whether selection skips the moves of a node that have not been tried."""
    tree = search.tree
    return search.plan.solver != 0 and tree.bounded[node] != 0 and tree.lower[place] >= HIGHEST


@inlined
def edge_of(tree: Tree, place: int, move: int) -> int:
    """Return the edge of a move at a node, or NONE."""
    first = tree.first[place]
    for edge in range(first, first + tree.degree[place]):
        if tree.moves[edge] == move:
            return edge
    return NONE


@compiled
def add_edges(state: int, node: int) -> int:
    """Give a node edges for all moves of its list."""
    search = state_at(state)
    rules, tree = search.rules, search.tree
    place = node * rules.players + tree.turns[node]
    block, tried, at = tree.first[place], tree.degree[place], tree.listed_at[node]
    count, first = read_list(rules, tree, at), tree.meta[EDGES]
    if first + count > len(tree.moves):
        return Status.NEED_EDGES
    tree.meta[EDGES] = first + count
    for i in range(count):
        tree.moves[first + i] = read_list(rules, tree, at + 1 + i)
        tree.children[first + i] = NONE
    clear_edges(tree, first, count)
    if skips_untried(search, node, place):
        for edge in range(first, first + count):
            tree.skipped[edge] = WORSE
    tree.first[place], tree.degree[place], tree.listed_at[node] = first, count, NONE
    for old in range(block, block + tried):
        edge = edge_of(tree, place, tree.moves[old])
        tree.counts[edge] = tree.counts[old]
        tree.sums[edge] = tree.sums[old]
        tree.children[edge] = tree.children[old]
        if search.plan.solver:
            tree.skipped[edge] = tree.skipped[old]
            if tree.proof_edge[node] == old:
                tree.proof_edge[node] = edge
    move_path(search, node, block, tried)
    for edge in range(block, block + tried):
        tree.children[edge] = NONE
    tree.counts[block] = tree.meta[FREE_BLOCK]
    tree.meta[FREE_BLOCK] = block + 1
    return Status.OK


@inlined
def move_path(search: SearchState, node: int, block: int, tried: int) -> None:
    """Replace edges of a block by the new ones on the path, which may visit the node twice."""
    tree, record, players = search.tree, search.record, search.rules.players
    mover = tree.turns[node]
    for depth in range(record.shape[DEPTH]):
        at = depth * players + mover
        if record.path[depth] == node and block <= record.edges[at] < block + tried:
            edge = edge_of(tree, node * players + mover, tree.moves[record.edges[at]])
            record.edges[at] = edge


def list_all(state: int, node: int) -> int:
    """Give the root all edges: the step before a search in a reused tree."""
    return add_edges(state, node)
