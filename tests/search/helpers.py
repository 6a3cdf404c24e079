"""Searches by the kernel and by the slow twin of `tests/naive/search.py`, and their comparison."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from graven.agents import SearchAgent
from graven.core.contract import CHANCE, SIMULTANEOUS
from graven.search import tree as arrays
from graven.search.amaf import statistics_of
from graven.search.budget import Budget
from graven.search.score_bounds import OPEN, RESTING, WORSE
from graven.search.tree_arena import GROUPS
from tests.naive import formulas as naive
from tests.naive.search import NaiveSearch

INFINITY = math.inf
POLICIES = [
    ("uct(c=0.4)", naive.uct(0.4), None),
    ("uct(c=0)", naive.uct(0.0), None),
    ("rave(bias=1e-4)", naive.bias(1e-4), 0),
    ("rave(bias=0.1,c=0.1)", naive.bias(0.1, 0.1), 0),
    ("rave(k=250,c=0.2)", naive.hand_k(250.0, 0.2), 0),
    ("rave(beta=gelly,b=0.1)", naive.gelly(0.1), 0),
    ("rave(beta=orego1)", naive.gelly(0.0), 0),
    ("rave(beta=orego2)", naive.orego2(), 0),
    ("rave(alpha=1,k=100,c=0)", naive.additive(1.0, 100.0, 0.0), 0),
    ("rave(alpha=0.5,k=100,c=0.3)", naive.additive(0.5, 100.0, 0.3), 0),
    ("grave(ref=20,bias=1e-4)", naive.bias(1e-4), 20),
    ("grave(ref=5,k=250,c=0.2)", naive.hand_k(250.0, 0.2), 5),
    ("grave(ref=10,beta=gelly)", naive.gelly(0.1), 10),
    ("hrave(bias=1e-3)", naive.bias(1e-3), INFINITY),
    ("hrave(k=50,c=0.2)", naive.hand_k(50.0, 0.2), INFINITY),
    ("history(c=0.4,w=5)", naive.history(0.4, 5.0), INFINITY),
    ("history(c=0,w=1)", naive.history(0.0, 1.0), INFINITY),
    ("ucb1-tuned(c=1)", naive.ucb1_tuned(1.0), None),
    ("puct(c=1)", naive.puct(1.0), None),
    ("mcps(ref=20)", naive.mcps(), 20),
]


def run_both(game, spec, formula, ref, playouts, seed=1, **options):
    """The kernel's and the twin's search of the start position with the same random numbers."""
    text = ",".join(f"{name}={str(value).lower()}" for name, value in options.items())
    agent = SearchAgent(spec.replace(")", f",{text})") if options else spec)
    start = game.start()
    search = agent.bind(game)
    search.run(start.state, (), Budget(playouts=playouts), seed)
    options.pop("edges", None)  # how the tree is stored
    twin = NaiveSearch(game, formula, ref, **options)
    twin.set_root(start.state)
    twin.run(seed, playouts)
    return search, twin


def assert_same_tree(search, twin):
    """Every node that the twin has: playouts, moves, their playouts and scores, AMAF if kept."""
    rules, tree = search.rules, search.tree
    assert tree.meta[arrays.NODES] <= len(tree.keys)
    compared, tables = 0, 0
    stack = [(int(tree.meta[arrays.ROOT]), twin.root)]
    done = set()
    while stack:
        node, other = stack.pop()
        if node in done:
            continue
        done.add(node)
        compared += 1
        assert tree.visits[node] == other.visits
        assert tree.turns[node] == other.turn
        assert_same_bounds(rules, tree, node, other)
        if rules.amaf and tree.table[node] != arrays.NONE:
            tables += 1
            assert_same_table(rules, tree, tree.table[node], other)
        if other.moves is None:
            continue
        for player, moves in other.moves.items():
            slot = node * rules.players + max(player, 0)  # outcomes are listed as those of player 0
            tried = {move for mover, move in other.count if mover == player}
            assert_listed(rules, tree, node, slot, moves, tried)
            first = int(tree.first[slot])
            for edge in range(first, first + int(tree.degree[slot])):
                move = int(tree.moves[edge])
                assert tree.counts[edge] == other.count.get((player, move), 0)
                assert tree.sums[edge] == other.total.get((player, move), 0.0)
                if rules.squares:
                    assert tree.squares[edge] == other.squares.get((player, move), 0.0)
                if rules.permutations and other.counted:
                    assert tree.permuted[2 * edge] == other.permuted_count.get((player, move), 0)
                    total = other.permuted_total.get((player, move), 0.0)
                    assert tree.permuted[2 * edge + 1] == total
                if rules.implicit and other.implicit:
                    assert tree.implicit[edge] == other.implicit[player, move]
                if rules.regrets and other.turn == SIMULTANEOUS:
                    assert tree.regrets[edge] == other.regret.get((player, move), 0.0)
                    assert tree.strategies[edge] == other.strategies.get((player, move), 0.0)
                if player == CHANCE:
                    assert tree.chances[edge] == moves[move]
                if other.turn != SIMULTANEOUS and (move,) in other.children:
                    stack.append((int(tree.children[edge]), other.children[(move,)]))
    return compared, tables


def assert_listed(rules, tree, node, slot, moves, tried):
    """All moves have edges, in order; or those that were tried, if these are few."""
    first, degree = int(tree.first[slot]), int(tree.degree[slot])
    listed = tree.moves[first : first + degree].tolist()
    if not rules.few_edges or tree.listed_at[node] == arrays.NONE:
        assert listed == list(moves)
        return
    at = int(tree.listed_at[node])
    assert tree.lists[at] == len(moves) > arrays.FEW >= degree
    assert tree.lists[at + 1 : at + 1 + len(moves)].tolist() == list(moves)
    assert len(set(listed)) == degree
    assert tried <= set(listed) <= set(moves)


def assert_same_bounds(rules, tree, node, other):
    if not rules.score_bounds:
        assert other.bounds is None
        return
    bounds = [[0.0, 1.0] for _ in range(rules.players)]
    if tree.bounded[node]:
        places = slice(node * rules.players, (node + 1) * rules.players)
        bounds = [list(pair) for pair in zip(tree.lower[places], tree.upper[places], strict=True)]
    assert bounds == (other.bounds or [[0.0, 1.0]] * rules.players)
    if other.moves is None or other.turn == CHANCE:
        return
    if other.turn == SIMULTANEOUS:
        assert_same_table_of_joint_moves(rules, tree, node, other)
        return
    place = node * rules.players + other.turn
    first = int(tree.first[place])
    untried = WORSE if tree.bounded[node] and tree.lower[place] >= 1.0 else OPEN
    skipped = dict.fromkeys(other.moves[other.turn], untried)
    for edge in range(first, first + int(tree.degree[place])):
        skipped[int(tree.moves[edge])] = int(tree.skipped[edge])
    assert {move for move, how in skipped.items() if how == WORSE} == other.skipped
    assert [move for move, how in skipped.items() if how == RESTING] == (
        [] if other.resting is None else [other.resting]
    )
    assert tree.skips[node] == sum(how != OPEN for how in skipped.values())


def assert_same_table_of_joint_moves(rules, tree, node, other):
    """The same moves are skipped, and the same joint moves have a child with bounds."""
    skipped = set()
    for player, moves in other.moves.items():
        first = int(tree.first[node * rules.players + player])
        skipped |= {(player, m) for i, m in enumerate(moves) if tree.skipped[first + i] == WORSE}
    assert skipped == other.dominated
    assert tree.skips[node] == len(skipped)
    at = int(tree.joint_at[node])
    if at == arrays.NONE:
        assert not other.table
        return
    for number, joint in enumerate(product(*other.moves.values())):
        child = int(tree.joint_children[at + number])
        assert (child == arrays.NONE) == (joint not in other.table)
        if child != arrays.NONE:
            assert tree.visits[child] == other.table[joint].visits
            assert_same_bounds(rules, tree, child, other.table[joint])


def assert_same_table(rules, tree, table, other):
    mine = amaf_table(rules, tree, table)
    theirs = np.zeros_like(mine)
    for (player, move), count in other.amaf_count.items():
        theirs[player * rules.num_codes + move] = count, other.amaf_total[(player, move)]
    np.testing.assert_array_equal(mine, theirs)


def amaf_table(rules, tree, table):
    """The playouts and sums of scores of a table, in rows."""
    size = rules.players * rules.num_codes
    entries = np.arange(table * size, (table + 1) * size)
    return np.stack(statistics_of(rules, tree, entries), axis=1)


def assert_consistent(search):
    """Check the numbers by which the units of a tree refer to each other."""
    tree = search.tree
    for group in GROUPS.values():
        for array in group.arrays:
            if array.size.refers:
                units = int(tree.meta[group.count]) * array.size.entries(search.rules)
                limit = int(tree.meta[GROUPS[array.size.refers].count])
                assert (getattr(tree, array.name)[:units] < limit).all()
    nodes = int(tree.meta[arrays.NODES])
    assert sorted(tree.slots[tree.slots >= 0]) == list(range(nodes))


def root_counts(search):
    """The playouts of the root's moves, and the AMAF table of the root."""
    tree, table = search.tree, amaf_table(search.rules, search.tree, 0)
    return tree.counts[: search.rules.max_moves].tolist(), table.tolist()


def every_node(root):
    found, stack = {id(root): root}, [root]
    while stack:
        for child in stack.pop().children.values():
            if id(child) not in found:
                found[id(child)] = child
                stack.append(child)
    return found.values()
