"""Score bounds at simultaneous moves: what a table of a node's joint moves proves.

A node with simultaneous moves keeps a table of its children, one entry for each joint move. It gets
the table when a simulation first comes back from a child with score bounds, and only if it has at
most MOST_JOINT joint moves: then the table takes about as much memory as the node's edges. A child
enters the table when a simulation that passes through it comes back and it has bounds; any other
joint move has the bounds 0 and 1. Edges of one player do not lead to a child, so `children` has
none of these.

With low and high, the bounds of player p after a joint move of p's move a and the others' moves b:

* p's lower bound is max over a of min over b of low(a, b): what one move guarantees against any
  play.
* p's upper bound is the greatest high(a, b). With two players whose scores have a constant sum it
  is min over b of max over a of high(a, b): what one move of the opponent allows at most.

With a constant sum the value of an equilibrium, in pure or mixed strategies, is between the two.
They are equal where the bounds of the joint moves have a saddle point, as in every game that
dominance solves; where an equilibrium needs mixed strategies they stay apart. A simulation updates
only the parts of the table that its joint move belongs to.

Selection skips move a of a player if another move of the player is proven to be at least as good
whatever the others play: low(a', b) >= high(a, b) for all b. The other move is not skipped itself,
so one move always stays; of two moves that are equal it is the one listed first. With two players
and a constant sum b is any move that is not skipped, since skipping dominated moves one after
another does not change the value. The guarantee of a player counts all moves of the others, skipped
or not.

Tree policies of several players that select in step may never try some joint moves. If the joint
move selected has a proven score for every player, further visits of it prove nothing: at every
DEVIATE-th visit of the node one player deviates to a move whose joint move is not proven. This
tests whether the joint move is a saddle point. Moves drawn by regret matching stay, because their
probabilities are counted on.
"""

from __future__ import annotations

from graven.core.compile import inlined
from graven.core.contract import SIMULTANEOUS, TERMINAL, Rules
from graven.search.plan import SearchState, state_at
from graven.search.score_bounds import (
    BOUNDED,
    CONSTANT,
    HIGHEST,
    LOWEST,
    OPEN,
    SKIPPING,
    WORSE,
    is_decided,
    note,
    share_sum,
    tighten,
)
from graven.search.tree import (
    CLOSED,
    DEPTH,
    JOINT_SIZE,
    JOINTS,
    NONE,
    SCORE_SUM,
    Record,
    Tree,
)
from graven.search.tree_nodes import joint_moves

DEVIATE = 4  # so many visits of a node for each deviation
SELECTED = 0.0  # in `odds`: the tree policy selected the move

# Tables.


@inlined
def has_joint_space(search: SearchState, nodes: int) -> bool:
    """Return whether so many nodes on the paths of simulations under way can get tables."""
    tree = search.tree
    needed = nodes * tree.meta[JOINT_SIZE]
    return tree.meta[CLOSED] != 0 or tree.meta[JOINTS] + needed <= len(tree.joint_children)


@inlined
def joint_nodes(search: SearchState) -> int:
    """Return the most nodes on the present path that can get a table."""
    return search.record.shape[DEPTH] if search.plan.solver else 0


@inlined
def new_table(players: int, tree: Tree, node: int) -> bool:
    """Give a node a table without children; return False if that is impossible."""
    size, at = joint_moves(players, tree, node), tree.meta[JOINTS]
    if size == 0 or at + size > len(tree.joint_children):
        return False
    tree.meta[JOINTS] = at + size
    for entry in range(at, at + size):
        tree.joint_children[entry] = NONE
    tree.joint_at[node] = at
    return True


@inlined
def entry_of_path(players: int, tree: Tree, record: Record, depth: int) -> int:
    """Return the entry of the joint move on a path in the table of the node that it left."""
    node, index = record.path[depth], 0
    for player in range(players):
        place = node * players + player
        move = record.edges[depth * players + player] - tree.first[place]
        index = index * tree.degree[place] + move
    return tree.joint_at[node] + index


@inlined
def has_bounds(players: int, tree: Tree, child: int) -> bool:
    """Return whether an entry of a table is a child with bounds.

    A tree that grows while it is read may lack the child.
    """
    return child != NONE and (child + 1) * players <= len(tree.lower) and tree.bounded[child] != 0


@inlined
def later_joint_moves(players: int, tree: Tree, node: int, player: int) -> int:
    """Return the joint moves of the players after one: how far apart its moves are in a table."""
    count = 1
    for place in range(node * players + player + 1, (node + 1) * players):
        count *= tree.degree[place]
    return count


# Bounds.


@inlined
def bounds_after(
    players: int, tree: Tree, node: int, owner: int, move: int, player: int
) -> tuple[float, float]:
    """Return a player's least lower and greatest upper bound over the joint moves with one move.

    It is the move number `move` of the player `owner`.
    """
    apart = later_joint_moves(players, tree, node, owner)
    begin = tree.joint_at[node]
    end = begin + joint_moves(players, tree, node)
    step = tree.degree[node * players + owner] * apart
    low, high = HIGHEST, LOWEST
    for start in range(begin + move * apart, end, step):
        for entry in range(start, start + apart):
            child = tree.joint_children[entry]
            if not has_bounds(players, tree, child):
                return LOWEST, HIGHEST
            low = min(low, tree.lower[child * players + player])
            high = max(high, tree.upper[child * players + player])
    return low, high


@inlined
def greatest_upper(players: int, tree: Tree, node: int, player: int) -> float:
    """Return a player's greatest upper bound over all joint moves."""
    begin, high = tree.joint_at[node], LOWEST
    for entry in range(begin, begin + joint_moves(players, tree, node)):
        child = tree.joint_children[entry]
        if not has_bounds(players, tree, child):
            return HIGHEST
        high = max(high, tree.upper[child * players + player])
    return high


@inlined
def is_as_good(players: int, tree: Tree, node: int, player: int, move: int, other: int) -> bool:
    """Return whether a player's move is proven to be as good as another, whatever others play.

    Of two players with a constant sum, the opponent plays no move that is skipped.
    """
    apart = later_joint_moves(players, tree, node, player)
    begin = tree.joint_at[node]
    end = begin + joint_moves(players, tree, node)
    reply = NONE
    if players == 2 and tree.meta[SCORE_SUM] == CONSTANT:
        reply = tree.first[node * 2 + 1 - player]
    for start in range(begin + other * apart, end, tree.degree[node * players + player] * apart):
        for entry in range(start, start + apart):
            if reply != NONE:
                reply += 1
                if tree.skipped[reply - 1] != OPEN:
                    continue
            child, low = tree.joint_children[entry + (move - other) * apart], LOWEST
            if has_bounds(players, tree, child):
                low = tree.lower[child * players + player]
            child, high = tree.joint_children[entry], HIGHEST
            if has_bounds(players, tree, child):
                high = tree.upper[child * players + player]
            if low < high:
                return False
    return True


# Selection.


def deviate(state: int, depth: int) -> None:
    """Replace one player's move at a node of the path if the joint move proves nothing more."""
    search = state_at(state)
    rules, tree, record, players = search.rules, search.tree, search.record, search.rules.players
    node = record.path[depth]
    if tree.joint_at[node] == NONE or is_decided(players, tree, node):
        return
    entry = entry_of_path(players, tree, record, depth)
    if not is_exact(players, tree, entry):
        return
    drawn = 0.0
    for player in range(players if rules.regrets else 0):
        drawn += record.odds[depth * players + player]
    if drawn != SELECTED:
        return
    turn = tree.visits[node] // DEVIATE
    for number in range(players):
        player = (turn + number) % players
        apart = later_joint_moves(players, tree, node, player)
        place, at = node * players + player, depth * players + player
        first, count = tree.first[place], tree.degree[place]
        played = record.edges[at] - first
        for other in range(count - 1):
            move = (played + 1 + (turn + other) % (count - 1)) % count
            if tree.skipped[first + move] == OPEN and not is_exact(
                players, tree, entry + (move - played) * apart
            ):
                code = tree.moves[first + move]
                record.edges[at], record.joint[player] = first + move, code
                record.trace[record.at[depth] + player] = player * rules.num_codes + code
                return


@inlined
def is_exact(players: int, tree: Tree, entry: int) -> bool:
    """Return whether the scores of all players after a joint move are proven."""
    child = tree.joint_children[entry]
    if not has_bounds(players, tree, child):
        return False
    for place in range(child * players, (child + 1) * players):
        if tree.lower[place] < tree.upper[place]:
            return False
    return True


# Backup.


def combine_joint(state: int, depth: int) -> None:
    """Update the bounds of a node on the path after a joint move to a child with bounds."""
    search = state_at(state)
    tree, record, players = search.tree, search.record, search.rules.players
    node = record.path[depth]
    if tree.joint_at[node] == NONE and not new_table(players, tree, node):
        return
    tree.joint_children[entry_of_path(players, tree, record, depth)] = record.path[depth + 1]
    was_decided = is_decided(players, tree, node)
    bound_scores(search, node, depth)
    for player in range(players):
        edge = record.edges[depth * players + player]
        skip_dominated(players, tree, node, player, edge - tree.first[node * players + player])
    if is_decided(players, tree, node) and not was_decided:
        tree.plies_left[node] = 1 + plies_after_joint(players, tree, node)


@inlined
def bound_scores(search: SearchState, node: int, depth: int) -> None:
    """Tighten the bounds of all players after a simulation with the path's joint move."""
    tree, edges, players = search.tree, search.record.edges, search.rules.players
    constant = tree.meta[SCORE_SUM] == CONSTANT
    for player in range(players):
        move = edges[depth * players + player] - tree.first[node * players + player]
        low, _ = bounds_after(players, tree, node, player, move, player)
        if players == 2 and constant:
            opponent = 1 - player
            reply = edges[depth * 2 + opponent] - tree.first[node * 2 + opponent]
            _, high = bounds_after(players, tree, node, opponent, reply, player)
        else:
            high = greatest_upper(players, tree, node, player)
        tighten(players, tree, node, player, low=low, high=high)
    if players > 2 and constant and tree.bounded[node] == BOUNDED:
        share_sum(players, tree, node)


@inlined
def skip_dominated(players: int, tree: Tree, node: int, player: int, move: int) -> None:
    """Skip moves of a player that the given one dominates, or that one if another dominates it."""
    first = tree.first[node * players + player]
    if tree.skipped[first + move] != OPEN:
        return
    for other in range(tree.degree[node * players + player]):
        if other == move or tree.skipped[first + other] != OPEN:
            continue
        is_better = is_as_good(players, tree, node, player, move, other)
        is_worse = is_as_good(players, tree, node, player, other, move)
        if is_better and (move < other or not is_worse):
            skip(players, tree, node, first + other)
        elif is_worse:
            skip(players, tree, node, first + move)
            return


@inlined
def skip(players: int, tree: Tree, node: int, edge: int) -> None:
    """Let selection skip an edge from now on."""
    if not tree.bounded[node]:
        note(players, tree, node, SKIPPING)
    tree.skipped[edge] = WORSE
    tree.skips[node] += 1


@inlined
def plies_after_joint(players: int, tree: Tree, node: int) -> int:
    """Return the plies to the end after a proven node, for the player with the greatest score.

    It plays the move that guarantees the score in the fewest plies, the others resist; where no
    score above 0 can be reached, the game lasts as long as it can.
    """
    best = 0
    for player in range(1, players):
        if tree.lower[node * players + player] > tree.lower[node * players + best]:
            best = player
    score, fewest, most = tree.lower[node * players + best], NONE, 0
    for move in range(tree.degree[node * players + best]):
        plies = max(0, longest_after(players, tree, node, best, move))
        most = max(most, plies)
        low, _ = bounds_after(players, tree, node, best, move, best)
        if low >= score and (fewest == NONE or plies < fewest):
            fewest = plies
    return fewest if score > LOWEST and fewest != NONE else most


@inlined
def longest_after(players: int, tree: Tree, node: int, player: int, move: int) -> int:
    """Return the most plies left after a player's move, over the known moves of the others.

    NONE if one of them leads to a node where that is unknown, because no score is proven there that
    the player to move could follow.
    """
    apart = later_joint_moves(players, tree, node, player)
    begin, plies = tree.joint_at[node], 0
    end = begin + joint_moves(players, tree, node)
    for start in range(begin + move * apart, end, tree.degree[node * players + player] * apart):
        for entry in range(start, start + apart):
            child = tree.joint_children[entry]
            if has_bounds(players, tree, child):
                if tree.turns[child] != TERMINAL and not is_decided(players, tree, child):
                    return NONE
                plies = max(plies, tree.plies_left[child])
    return plies


# Results.


@inlined
def move_proof(
    rules: Rules, tree: Tree, node: int, player: int, move: int
) -> tuple[float, float, int]:
    """Return the bounds of a player's score after one of its simultaneous moves, and plies left.

    The upper bound is not above that of the node. The plies are those to the end of the game if the
    score is proven, NONE if they are unknown, else 0. A search may run in the tree meanwhile.
    """
    players = rules.players
    if tree.turns[node] != SIMULTANEOUS or not tree.bounded[node]:
        return LOWEST, HIGHEST, 0
    begin, place = tree.joint_at[node], node * players + player
    if begin == NONE or begin + joint_moves(players, tree, node) > len(tree.joint_children):
        return LOWEST, HIGHEST, 0
    low, high = bounds_after(players, tree, node, player, move, player)
    high = max(low, min(high, tree.upper[place]))
    plies = longest_after(players, tree, node, player, move) if low >= high else 0
    return low, high, plies
