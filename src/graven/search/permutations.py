"""Permutation statistics: playouts that contain all moves of a node's path, in any order.

Monte Carlo Permutation Search (Cazenave 2025, arXiv 2510.06381) has, beside the mean and AMAF, a
third estimate of a move at a node: all playouts of the search that contain every move on the path
from the root to the node and the move itself, each by the same player, in any order.

Which simulations contain which move is recorded as bits: 64 simulations are a block, and each move
of each player has one word of it. The simulations of a block that contain the path are the
conjunction of the path's words, and those that contain a candidate as well are one conjunction
more; counting bits gives playouts and wins. Scores between 0 and 1 are added one by one.

An edge's statistics are brought up to date only when its node is read: `tree.counted` is how many
simulations they include. With transpositions a node may be reached by several paths; the
simulations since the last visit are then matched with the path of this one. In games whose players
share points a point counts for the player who took it first, as in `amaf`.
"""

from __future__ import annotations

from graven.core import bits
from graven.core.compile import inlined
from graven.search.amaf import player_of
from graven.search.plan import SearchState, state_at
from graven.search.tree import BLOCK, BLOCKS, LENGTH, RECORDED, STAMP, Tree


def forget_simulations(tree: Tree) -> None:
    """Drop all recorded simulations; edges keep the statistics that they have.

    For a tree that is reused: the paths of earlier simulations began at another root.
    """
    tree.counted[:] = 0
    tree.meta[BLOCKS] = tree.meta[RECORDED] = 0


def record_simulation(state: int) -> None:
    """Record which moves a finished simulation contains; nothing if there is no space left."""
    search = state_at(state)
    rules, tree, record = search.rules, search.tree, search.record
    codes, size = rules.num_codes, rules.players * rules.num_codes
    simulation = tree.meta[RECORDED]
    block, bit = simulation // BLOCK, simulation % BLOCK
    if (block + 1) * rules.players > len(tree.won_in):
        return
    words, first = block * size, block * rules.players
    if bit == 0:
        tree.meta[BLOCKS] = block + 1
        tree.played_in[words : words + size] = 0
        tree.won_in[first : first + rules.players] = 0
        tree.shared_in[first : first + rules.players] = 0
    tree.meta[STAMP] += 1
    stamp = tree.meta[STAMP]
    for place in range(record.shape[LENGTH]):
        played = record.trace[place]
        if rules.shared_points:
            point = played - player_of(played, codes) * codes
            if tree.seen[point] == stamp:
                continue
            tree.seen[point] = stamp
        tree.played_in[words + played] |= 1 << bit
    for player in range(rules.players):
        score = record.scores[player]
        tree.won_in[first + player] |= int(score == 1.0) << bit
        tree.shared_in[first + player] |= int(0.0 < score < 1.0) << bit
        tree.block_scores[simulation * rules.players + player] = score
    tree.meta[RECORDED] = simulation + 1


def count_permutations(state: int, node: int, low: int, high: int) -> None:
    """Bring the statistics of a node's edges up to date, those of players low..high-1.

    The node is where the record's trace has led to so far.
    """
    search = state_at(state)
    tree, matching, places = search.tree, search.record.matching, search.record.matching_blocks
    block, end = tree.counted[node] // BLOCK, tree.meta[BLOCKS]
    mask = -1 << (tree.counted[node] % BLOCK)
    tree.counted[node] = tree.meta[RECORDED]
    while block < end:
        found = 0
        while block < end and found < len(matching):
            word = mask & block_with_path(search, block)
            if word:
                matching[found] = word
                places[found] = block
                found += 1
            mask = -1
            block += 1
        for player in range(low, high):
            add_matching(search, node, player, found)


@inlined
def block_with_path(search: SearchState, block: int) -> int:
    """Return which simulations of a block contain all moves of the path."""
    rules, tree, record = search.rules, search.tree, search.record
    words = block * rules.players * rules.num_codes
    word, place = -1, 0
    while word and place < record.shape[LENGTH]:
        word &= tree.played_in[words + record.trace[place]]
        place += 1
    return word


@inlined
def add_matching(search: SearchState, node: int, player: int, found: int) -> None:
    """Add the simulations in `record.matching` to those edges of a player whose move they have."""
    rules, tree, record = search.rules, search.tree, search.record
    size = rules.players * rules.num_codes
    first = tree.first[node * rules.players + player]
    for edge in range(first, first + tree.degree[node * rules.players + player]):
        played = player * rules.num_codes + tree.moves[edge]
        visits, wins, parts = 0, 0, 0.0
        for i in range(found):
            block = record.matching_blocks[i]
            word = record.matching[i] & tree.played_in[block * size + played]
            visits += bits.count(word)
            wins += bits.count(word & tree.won_in[block * rules.players + player])
            word &= tree.shared_in[block * rules.players + player]
            while word:
                simulation = block * BLOCK + bits.lowest(word)
                parts += tree.block_scores[simulation * rules.players + player]
                word &= word - 1
        tree.permuted[2 * edge] += visits
        tree.permuted[2 * edge + 1] += wins + parts
