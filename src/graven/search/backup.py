"""Spending the record of a simulation: playouts and scores of the path, and AMAF."""

from __future__ import annotations

import numpy as np

from graven.core.compile import inlined
from graven.core.contract import SIMULTANEOUS, TERMINAL, Rules
from graven.search.plan import Plan
from graven.search.tree import (
    CLOSED,
    DEPTH,
    LENGTH,
    LOST,
    NONE,
    PASSES,
    SIMULATIONS,
    STAMP,
    STEPS,
    TABLES,
    TRACED,
    Record,
    Tree,
)

# Entries of AMAF tables are numbered by unsigned integers: with signed ones Numba would look
# whether an index is negative, and that is a large part of this file's work.
ONE = np.uint64(1)


@inlined
def backup(rules: Rules, tree: Tree, plan: Plan, record: Record) -> None:
    """Count the simulation at every node and edge of its path, and in their AMAF tables."""
    players, scores = rules.players, record.scores
    for depth in range(record.shape[DEPTH]):
        tree.visits[record.path[depth]] += 1
    for depth in range(record.shape[STEPS]):
        turn = tree.turns[record.path[depth]]
        if turn != SIMULTANEOUS:
            edge = record.edges[depth * players + turn]
            tree.counts[edge] += 1
            tree.sums[edge] += scores[turn]
        else:
            for player in range(players):
                edge = record.edges[depth * players + player]
                tree.counts[edge] += 1
                tree.sums[edge] += scores[player]
    if plan.amaf:
        if rules.shared_points:
            update_tables_by_place(rules, tree, record)
        else:
            update_tables(rules, tree, record)
        if plan.passes:
            keep(rules, tree, record)


@inlined
def player_of(played: int, codes: int) -> int:
    """Who played a trace entry, player * codes + move; a division would be slower."""
    player = 0
    while played >= codes:
        played -= codes
        player += 1
    return player


@inlined
def update_tables(rules: Rules, tree: Tree, record: Record) -> None:
    """Add the simulation to every AMAF table on its path.

    A node's table counts each move played at or after the node once, however often it was
    played ("the number of playouts containing move m", Cazenave 2015). From the last node up to
    the root the set of such moves only grows, so one pass over the trace, backwards, serves all.
    """
    tree.meta[STAMP] += 1
    stamp, codes = tree.meta[STAMP], rules.num_codes
    size = 2 * rules.players * codes
    root = tree.table[record.path[0]] * size
    place, moves = record.shape[LENGTH], 0
    for depth in range(record.shape[DEPTH] - 1, -1, -1):
        table = tree.table[record.path[depth]]
        if table == NONE:
            continue
        while place > record.at[depth]:
            place -= 1
            played = record.trace[place]
            if tree.seen[played] != stamp:
                tree.seen[played] = stamp
                score = record.scores[player_of(played, codes)]
                tree.distinct[moves] = played
                tree.worth[moves] = score
                moves += 1
                # The root has all of them, so it need not wait for its turn.
                entry = np.uint64(root + 2 * played)
                tree.amaf[entry] += 1.0
                tree.amaf[entry + ONE] += score
        if depth > 0:
            base = table * size
            for i in range(moves):
                entry = np.uint64(base + 2 * tree.distinct[i])
                tree.amaf[entry] += 1.0
                tree.amaf[entry + ONE] += tree.worth[i]


@inlined
def update_tables_by_place(rules: Rules, tree: Tree, record: Record) -> None:
    """The same where a code is a place: each counts once, for whoever first took it.

    Backwards through the trace the last one met is the first to take it, so a place's entry in the
    list of distinct moves is overwritten; where it is stands in the second half of `seen`.
    """
    tree.meta[STAMP] += 1
    stamp, codes = tree.meta[STAMP], rules.num_codes
    size = 2 * rules.players * codes
    place, moves = record.shape[LENGTH], 0
    for depth in range(record.shape[DEPTH] - 1, -1, -1):
        table = tree.table[record.path[depth]]
        if table == NONE:
            continue
        while place > record.at[depth]:
            place -= 1
            played = record.trace[place]
            player = player_of(played, codes)
            code = played - player * codes
            if tree.seen[code] != stamp:
                tree.seen[code] = stamp
                tree.seen[codes + code] = moves
                moves += 1
            index = tree.seen[codes + code]
            tree.distinct[index] = played
            tree.worth[index] = record.scores[player]
        base = table * size
        for i in range(moves):
            entry = np.uint64(base + 2 * tree.distinct[i])
            tree.amaf[entry] += 1.0
            tree.amaf[entry + ONE] += tree.worth[i]


@inlined
def keep(rules: Rules, tree: Tree, record: Record) -> None:
    """Let the nodes of the path without a table remember this simulation, and keep its trace."""
    if tree.meta[CLOSED]:
        # There may be no room, and a table built from some of a node's simulations would be wrong.
        for depth in range(record.shape[DEPTH]):
            if tree.table[record.path[depth]] == NONE:
                tree.passed[record.path[depth]] = LOST
        return
    simulation = tree.meta[SIMULATIONS]
    kept = False
    for depth in range(record.shape[DEPTH]):
        node = record.path[depth]
        if tree.table[node] != NONE or tree.passed[node] == LOST or tree.turns[node] == TERMINAL:
            continue
        kept = True
        entry = tree.meta[PASSES]
        tree.meta[PASSES] = entry + 1
        tree.pass_simulation[entry] = simulation
        tree.pass_at[entry] = record.at[depth]
        tree.pass_next[entry] = tree.passed[node]
        tree.passed[node] = entry
    if kept:
        start = tree.meta[TRACED]
        for place in range(record.shape[LENGTH]):
            tree.traces[start + place] = record.trace[place]
        tree.trace_start[simulation] = start
        tree.trace_start[simulation + 1] = start + record.shape[LENGTH]
        for player in range(rules.players):
            tree.trace_scores[simulation * rules.players + player] = record.scores[player]
        tree.meta[TRACED] = start + record.shape[LENGTH]
        tree.meta[SIMULATIONS] = simulation + 1


@inlined
def build_table(rules: Rules, tree: Tree, node: int) -> int:
    """Make a node's AMAF table from the simulations that passed it; NONE without room."""
    codes, players = rules.num_codes, rules.players
    size = 2 * players * codes
    table = tree.meta[TABLES]
    if (table + 1) * size > len(tree.amaf):
        return NONE
    tree.meta[TABLES] = table + 1
    base = table * size
    for i in range(base, base + size):
        tree.amaf[i] = 0.0
    entry = tree.passed[node]
    while entry != NONE:
        tree.meta[STAMP] += 1
        stamp = tree.meta[STAMP]
        simulation = tree.pass_simulation[entry]
        start = tree.trace_start[simulation] + tree.pass_at[entry]
        for place in range(start, tree.trace_start[simulation + 1]):
            played = tree.traces[place]
            known = played
            if rules.shared_points:
                known = played - player_of(played, codes) * codes
            if tree.seen[known] != stamp:
                tree.seen[known] = stamp
                tree.amaf[base + 2 * played] += 1.0
                player = player_of(played, codes)
                tree.amaf[base + 2 * played + 1] += tree.trace_scores[simulation * players + player]
        entry = tree.pass_next[entry]
    tree.passed[node] = NONE
    tree.table[node] = table
    return table
