"""Score bounds: what the tree proves about every player's score at a node (the solver).

A node has a lower and an upper bound of each player's score. They are exact at terminal nodes and
travel up in the backup (Cazenave and Saffidine 2010, "Score Bounded Monte-Carlo Tree Search", here
for any number of players). Where player p moves:

* p's lower bound is the greatest lower bound of the children. The edge to that child is the node's
  `proof_edge`. A child that is not in the tree has the bounds 0 and 1.
* p's upper bound is the greatest upper bound of the children.
* Another player's lower bound is the least of the children: it holds whatever p plays.
* Another player's upper bound is the greatest of the children. If the scores of all players have
  the same sum in every simulation so far, it is less: with two players it is the least upper bound
  of the children, because p then has no reason to let the opponent have more; with more players
  it is at most what the lower bounds of the others leave of the sum.

A lower bound is thus a score that the player can reach against any play of the others. If two
simulations have different sums, all bounds are cleared and computed again without that rule.

Selection skips an edge if its upper bound is not above the node's lower bound, that is if another
edge is proven to be at least as good; the last edge is never skipped, nor is the proof edge.
If the proof edge leads to a proven score while other moves may be better, as after a proven draw,
further visits of it prove nothing: it rests, that is it can be selected at every REST-th visit of
the node only. Skipped edges keep their statistics, so means and AMAF tables are those of the
simulations made.

Nodes with simultaneous moves have a table of their children: see `joint_bounds`. Nodes at which
chance decides have no bounds, and pass none on. Games whose keys are not exact (Go with superko)
have no bounds, because a proof would hold for one history only; nor have games that list a part of
the legal moves in the tree.
With transpositions a bound reaches a parent when a simulation passes through that parent.
"""

from __future__ import annotations

from graven.core.compile import compiled, inlined
from graven.core.contract import SIMULTANEOUS, TERMINAL, Rules
from graven.search import amaf
from graven.search.plan import SearchState, call_node_choice, call_node_step, state_at
from graven.search.select.selection import call_select, log_of
from graven.search.tree import DEPTH, NONE, ROOT, SCORE_SUM, TABLE, Tree
from graven.search.tree_nodes import number_of_moves

LOWEST, HIGHEST = 0.0, 1.0  # the bounds of a node without any
EQUAL = 1e-9  # sums of scores that differ by less are equal

# Values of meta[SCORE_SUM]: no simulation yet; all had the sum `score_sum`; the sum varies.
UNKNOWN, CONSTANT, VARYING = range(3)


# Values of `tree.skipped`: an edge may be selected; another edge is at least as good; it rests.
OPEN, WORSE, RESTING = range(3)
# Values of `tree.bounded`: the node has bounds; it has none, but edges that are skipped. For nodes
# with neither, only this array is read: one byte a node.
BOUNDED, SKIPPING = 1, 2
REST = 4  # a resting edge can be selected at every so many visits


# Selection.


def select_open(state: int, node: int, mover: int) -> int:
    """Return the edge that the tree policy selects among those that are not skipped."""
    search = state_at(state)
    rules, tree, plan, record = search.rules, search.tree, search.plan, search.record
    first = tree.first[node * rules.players + mover]
    wakes = tree.visits[node] % REST == 0
    count, most = 0, tree.degree[node * rules.players + mover]
    if search.steps.width:
        most = call_node_choice(search.steps.width, (state, node))
    for edge in range(first, first + tree.degree[node * rules.players + mover]):
        if count == most:
            break
        record.open_edges[count] = edge
        record.open_moves[count] = tree.moves[edge]
        record.open_counts[count] = tree.counts[edge]
        record.open_sums[count] = tree.sums[edge]
        if rules.squares:
            record.open_squares[count] = tree.squares[edge]
        if rules.prior:
            record.open_priors[count] = tree.priors[edge]
        if rules.permutations:
            record.open_permuted[2 * count] = tree.permuted[2 * edge]
            record.open_permuted[2 * count + 1] = tree.permuted[2 * edge + 1]
        if rules.implicit:
            record.open_implicit[count] = tree.implicit[edge]
        count += may_select(tree.skipped[edge], wakes)
    chosen = call_select(
        plan.select_muted if record.muted[0] else plan.select,
        (
            plan.open_edges,
            tree.visits[node],
            log_of(plan.logs, tree.visits[node]),
            0,
            count,
            amaf.player_base(rules, max(record.shape[TABLE], 0), mover),
        ),
    )
    return record.open_edges[chosen]


@inlined
def may_select(skipped: int, wakes: bool) -> bool:
    """Return whether an edge may be selected; `wakes` is whether resting ones may."""
    return skipped == OPEN or (skipped == RESTING and wakes)


# Backup.


@inlined
def may_change(search: SearchState) -> bool:
    """Return whether a finished simulation may change bounds: a node on its path has any."""
    tree, record = search.tree, search.record
    depth = record.shape[DEPTH] - 1
    if tree.turns[record.path[depth]] == TERMINAL or tree.meta[SCORE_SUM] == UNKNOWN:
        return True
    known = 0
    for i in range(depth + 1):
        known |= tree.bounded[record.path[i]]
    total = 0.0
    for player in range(search.rules.players):
        total += record.scores[player]
    varies = tree.meta[SCORE_SUM] == CONSTANT and abs(total - tree.score_sum[0]) > EQUAL
    return known != 0 or varies


def update(state: int) -> None:
    """Update the bounds of the nodes on the path of a finished simulation."""
    search = state_at(state)
    rules, tree, record = search.rules, search.tree, search.record
    players = rules.players
    check_sum(search)
    depth = record.shape[DEPTH] - 1
    last = record.path[depth]
    if tree.turns[last] == TERMINAL and not tree.bounded[last]:
        tree.bounded[last] = BOUNDED
        tree.plies_left[last] = 0
        for player in range(players):
            tree.lower[last * players + player] = record.scores[player]
            tree.upper[last * players + player] = record.scores[player]
    while depth > 0:
        depth -= 1
        node = record.path[depth]
        if tree.bounded[record.path[depth + 1]] != BOUNDED:
            continue
        if tree.turns[node] >= 0:
            edge = record.edges[depth * players + tree.turns[node]]
            combine(state, node, edge)
        elif tree.turns[node] == SIMULTANEOUS:
            call_node_step(search.steps.combine_joint, (state, depth))


@inlined
def check_sum(search: SearchState) -> None:
    """Compare the sum of the players' scores with that of the simulations before."""
    tree, scores = search.tree, search.record.scores
    total = 0.0
    for player in range(search.rules.players):
        total += scores[player]
    if tree.meta[SCORE_SUM] == CONSTANT:
        if abs(total - tree.score_sum[0]) > EQUAL:
            clear(tree)
            tree.meta[SCORE_SUM] = VARYING
    elif tree.meta[SCORE_SUM] == UNKNOWN:
        tree.score_sum[0] = total
        tree.meta[SCORE_SUM] = CONSTANT


@compiled
def clear(tree: Tree) -> None:
    """Remove all bounds."""
    for node in range(len(tree.bounded)):
        tree.bounded[node] = 0
        tree.skips[node] = 0
        tree.proof_edge[node] = NONE
    for edge in range(len(tree.skipped)):
        tree.skipped[edge] = OPEN


@inlined
def rest_proof_edge(rules: Rules, tree: Tree, node: int) -> None:
    """Let the proof edge rest if its score is proven and other edges are open.

    Its child may have been recycled, so that it has no bounds now.
    """
    players, proof, mover = rules.players, tree.proof_edge[node], tree.turns[node]
    if proof == NONE or tree.skipped[proof] != OPEN:
        return
    child = tree.children[proof]
    if child == NONE or not tree.bounded[child]:
        return
    place = child * players + mover
    others = tree.skips[node] + 1 < number_of_moves(rules, tree, node)
    if others and tree.lower[place] >= tree.upper[place]:
        tree.skipped[proof] = RESTING
        tree.skips[node] += 1


@compiled
def combine(state: int, node: int, edge: int) -> None:
    """Update a node's bounds after a simulation through an edge whose child has bounds."""
    search = state_at(state)
    rules, tree, players = search.rules, search.tree, search.rules.players
    mover = tree.turns[node]
    own, below = node * players, tree.children[edge] * players
    was_proven = is_decided(players, tree, node)
    lowest = tree.lower[own + mover] if tree.bounded[node] else LOWEST
    if tree.lower[below + mover] > lowest:
        lowest = tree.lower[below + mover]
        tighten(players, tree, node, mover, low=lowest, high=HIGHEST)
        tree.proof_edge[node] = edge
        skip_worse(rules, tree, node, lowest)
    elif (
        tree.upper[below + mover] <= lowest
        and edge != tree.proof_edge[node]
        and not tree.skipped[edge]
        and tree.skips[node] + 1 < number_of_moves(rules, tree, node)
    ):
        if not tree.bounded[node]:
            note(players, tree, node, SKIPPING)
        tree.skipped[edge] = WORSE
        tree.skips[node] += 1
    rest_proof_edge(rules, tree, node)
    constant = tree.meta[SCORE_SUM] == CONSTANT
    if players == 2 and constant:
        tighten(players, tree, node, 1 - mover, low=LOWEST, high=tree.upper[below + 1 - mover])
    if has_bounded_children(rules, tree, node):
        for player in range(players):
            low, high = envelope(players, tree, node, player)
            tighten(players, tree, node, player, low=low if player != mover else LOWEST, high=high)
    if players > 2 and constant and tree.bounded[node] == BOUNDED:
        share_sum(players, tree, node)
    if is_decided(players, tree, node) and not was_proven:
        tree.plies_left[node] = 1 + plies_below(players, tree, node)


@inlined
def tighten(players: int, tree: Tree, node: int, player: int, low: float, high: float) -> None:
    """Raise a lower bound and reduce an upper bound of a node if the new ones are better."""
    if low <= LOWEST and high >= HIGHEST:
        return
    if not tree.bounded[node]:
        note(players, tree, node, BOUNDED)
    tree.bounded[node] = BOUNDED
    place = node * players + player
    tree.lower[place] = max(tree.lower[place], low)
    tree.upper[place] = min(tree.upper[place], high)


@inlined
def note(players: int, tree: Tree, node: int, kind: int) -> None:
    """Let a node without bounds have those of any score."""
    tree.bounded[node] = kind
    tree.plies_left[node] = 0
    for place in range(node * players, (node + 1) * players):
        tree.lower[place] = LOWEST
        tree.upper[place] = HIGHEST


@inlined
def skip_worse(rules: Rules, tree: Tree, node: int, lowest: float) -> None:
    """Skip all edges but the proof edge whose upper bound is not above the mover's lower bound."""
    players, mover = rules.players, tree.turns[node]
    first = tree.first[node * players + mover]
    for edge in range(first, first + tree.degree[node * players + mover]):
        child, highest = tree.children[edge], HIGHEST
        if child != NONE and tree.bounded[child]:
            highest = tree.upper[child * players + mover]
        if highest <= lowest and edge != tree.proof_edge[node] and tree.skipped[edge] != WORSE:
            tree.skips[node] += tree.skipped[edge] == OPEN
            tree.skipped[edge] = WORSE
    if lowest >= HIGHEST:  # moves without edges are worse, too
        place = node * players + mover
        tree.skips[node] += number_of_moves(rules, tree, node) - tree.degree[place]


@inlined
def has_bounded_children(rules: Rules, tree: Tree, node: int) -> bool:
    """Return whether every move leads to a child with bounds."""
    place = node * rules.players + tree.turns[node]
    if tree.degree[place] < number_of_moves(rules, tree, node):
        return False
    for edge in range(tree.first[place], tree.first[place] + tree.degree[place]):
        if tree.children[edge] == NONE or tree.bounded[tree.children[edge]] != BOUNDED:
            return False
    return True


@inlined
def envelope(players: int, tree: Tree, node: int, player: int) -> tuple[float, float]:
    """Return a player's least lower and greatest upper bound over all children."""
    place = node * players + tree.turns[node]
    low, high = HIGHEST, LOWEST
    for edge in range(tree.first[place], tree.first[place] + tree.degree[place]):
        child = tree.children[edge] * players + player
        low = min(low, tree.lower[child])
        high = max(high, tree.upper[child])
    return low, high


@inlined
def share_sum(players: int, tree: Tree, node: int) -> None:
    """Reduce each upper bound to what the lower bounds of the others leave of the constant sum."""
    total = 0.0
    for place in range(node * players, (node + 1) * players):
        total += tree.lower[place]
    for place in range(node * players, (node + 1) * players):
        left = tree.score_sum[0] - (total - tree.lower[place])
        tree.upper[place] = max(tree.lower[place], min(tree.upper[place], left))


@inlined
def is_decided(players: int, tree: Tree, node: int) -> bool:
    """Return whether the score of the player to move is proven.

    At simultaneous moves, those of all players who have a choice; of all if none has.
    """
    mover = int(tree.turns[node])
    if not tree.bounded[node] or (mover < 0 and mover != SIMULTANEOUS):
        return False
    if mover >= 0:
        place = node * players + mover
        return tree.lower[place] >= tree.upper[place]
    choosers, open_choosers, open_scores = 0, 0, 0
    for place in range(node * players, (node + 1) * players):
        is_open = tree.lower[place] < tree.upper[place]
        choosers += tree.degree[place] > 1
        open_choosers += is_open and tree.degree[place] > 1
        open_scores += is_open
    return open_choosers == 0 if choosers else open_scores == 0


@inlined
def plies_below(players: int, tree: Tree, node: int) -> int:
    """Return the plies to the end after the best move of a proven node.

    It is the proof edge, or, where no score above 0 can be reached, the move that lasts longest.
    """
    if tree.proof_edge[node] != NONE:
        return plies_after(tree, tree.proof_edge[node])
    place = node * players + tree.turns[node]
    plies = 0
    for edge in range(tree.first[place], tree.first[place] + tree.degree[place]):
        plies = max(plies, plies_after(tree, edge))
    return plies


@inlined
def plies_after(tree: Tree, edge: int) -> int:
    """Return the plies to the end after an edge; 0 if its child has been recycled."""
    child = tree.children[edge]
    return tree.plies_left[child] if child != NONE and tree.bounded[child] else 0


@compiled
def root_is_decided(state: int) -> bool:
    """Return whether the score of the player to move at the root is proven."""
    search = state_at(state)
    return is_decided(search.rules.players, search.tree, search.tree.meta[ROOT])
