"""AMAF tables: layout, lookup, update after a simulation, and construction from stored traces.

A table belongs to a node. For each player and move it holds in how many playouts the player played
the move at the node or later, and the sum of the player's scores in these playouts. All tables lie
in `tree.amaf`, one after another; an entry is two floats, playouts and sum of scores:

    tree.amaf[table_base(rules, table) + 2 * (player * codes + move)]      playouts
    tree.amaf[table_base(rules, table) + 2 * (player * codes + move) + 1]  sum of scores

Tables exist only where they are read: at the root, and at nodes with more than `plan.tables`
playouts. Before that, a node only remembers which simulations visited it: a chain of links into the
stored traces, from which `build_table` makes exactly the table that GRAVE would have kept.

Which table a descent reads (the ref rule): that of the last node on the path, the current node
included, with more than `ref` playouts; if there is none, the root's (Cazenave 2015, algorithm 1).
With ref = 0 that is RAVE, with an infinite ref HRAVE.

Indices are unsigned: for signed ones Numba tests whether they are negative, which would take a
large part of the time of an update.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graven.core.compile import inlined
from graven.core.contract import CHANCE, SIMULTANEOUS, TERMINAL, Rules
from graven.core.rng import uniform
from graven.core.status import Status
from graven.search.layout import Float64, UInt16, UInt32
from graven.search.plan import Plan, SearchState, call_node_choice, state_at
from graven.search.select.selection import REF
from graven.search.tree import (
    CLOSED,
    DEPTH,
    LENGTH,
    LINKS,
    LOST,
    NONE,
    POOL,
    SIMULATIONS,
    STAMP,
    STEPS,
    TABLE,
    TABLES,
    TRACED,
    Record,
    Tree,
    in_words,
)

ONE = np.uint64(1)  # from an entry's playouts to its sum of scores
NEXT = np.uint64(2)  # from one entry to the next


# Layout and lookup.


@inlined
def table_base(rules: Rules, table: int) -> int:
    """Return the index of a table's first entry."""
    return 2 * table * rules.players * rules.num_codes


@inlined
def player_base(rules: Rules, table: int, player: int) -> int:
    """Return the index of the first entry of a player in a table."""
    return 2 * (table * rules.players + player) * rules.num_codes


@inlined
def entry_at(base: int, code: int) -> np.uint64:
    """Return the index of an entry: a move after `player_base`, or a trace entry, player * codes +
    move, after `table_base`."""
    return np.uint64(base + 2 * code)


@inlined
def player_of(played: int, codes: int) -> int:
    """Return the player of a trace entry, player * codes + move; a division would be slower."""
    player = 0
    while played >= codes:
        played -= codes
        player += 1
    return player


def statistics(rules: Rules, tree: Tree, table: int, player: int) -> tuple[Float64, Float64]:
    """Return views of a player's playouts and sums of scores in a table, by move.

    They may be shorter than the number of moves while a search lets the tree grow.
    """
    base = int(player_base.py_func(rules, table, player))  # type: ignore[attr-defined]
    entries = tree.amaf[base : base + 2 * rules.num_codes]
    return entries[::2], entries[1::2]


# Which table is read.


@inlined
def start_reading(tree: Tree, record: Record) -> None:
    """Set the tables that are read at the root: its own, and none by the playout."""
    record.shape[TABLE] = tree.table[record.path[0]] if len(tree.table) else NONE
    record.shape[POOL] = NONE


@inlined
def read_table(search: SearchState, node: int) -> int:
    """Apply the ref rule at the next node of a descent; build the node's table if it is due.

    Afterwards the descent reads the table shape[TABLE], and a playout that begins here may read
    the table shape[POOL].
    """
    tree, plan, record = search.tree, search.plan, search.record
    visits = tree.visits[node]
    if tree.table[node] == NONE:
        if visits <= plan.tables or tree.newest_link[node] == LOST:
            return Status.OK
        if call_node_choice(search.steps.build_table, (plan.state, node)) == NONE:
            if not tree.meta[CLOSED]:
                return Status.NEED_TABLES
            tree.newest_link[node] = LOST
            return Status.OK
    if visits > plan.params[REF]:
        record.shape[TABLE] = tree.table[node]
    if visits > plan.pool:
        record.shape[POOL] = tree.table[node]
    return Status.OK


def place_read(plan: Plan, tree: Tree, nodes: Sequence[int]) -> int | None:
    """Return the place, on a path from the root, of the node whose table its last node reads.

    None without AMAF tables.
    """
    if not plan.amaf or tree.table[nodes[0]] == NONE:
        return None
    place = 0
    for index, node in enumerate(nodes):
        if tree.table[node] != NONE and tree.visits[node] > plan.params[REF]:
            place = index
    return place


def mute(state: int) -> None:
    """Draw whether the selection at a node ignores AMAF (the option amaf_off)."""
    search = state_at(state)
    search.record.muted[0] = uniform(search.record.rng) < search.plan.amaf_off


# Update after a simulation.


def update(state: int) -> None:
    """Add a finished simulation to the tables on its path; store its trace for the other nodes."""
    search = state_at(state)
    rules, tree, plan, record = search.rules, search.tree, search.plan, search.record
    start = playout_start(rules, tree, record) if plan.amaf_playout else 0
    if plan.amaf_all or plan.amaf_playout or plan.amaf_distance:
        update_each_table(search, start)
    elif rules.shared_points:
        update_by_point(rules, tree, record)
    else:
        update_by_move(rules, tree, record)
    if plan.store_traces:
        store_trace(rules, tree, record, start)


@inlined
def playout_start(rules: Rules, tree: Tree, record: Record) -> int:
    """Return the place in the trace of the first move of the playout."""
    last = record.shape[DEPTH] - 1
    start = record.at[last]
    turn = tree.turns[record.path[last]]
    if record.shape[STEPS] > last and turn != CHANCE:
        start += rules.players if turn == SIMULTANEOUS else 1
    return start


@inlined
def update_each_table(search: SearchState, start: int) -> None:
    """Add the simulation, from place `start` of its trace on, to every table on its path.

    For the options amaf_count=all, amaf_moves=playout and amaf_weight=distance, one table after
    another.
    """
    tree, record = search.tree, search.record
    for depth in range(record.shape[DEPTH]):
        table = tree.table[record.path[depth]]
        if table != NONE:
            first, end = max(record.at[depth], start), record.shape[LENGTH]
            add_trace(search, table, record.trace[first:end], record.scores)


@inlined
def add_trace(search: SearchState, table: int, trace: UInt16 | UInt32, scores: Float64) -> None:
    """Add moves of a simulation to a table, each once or, with amaf_count=all, each time."""
    rules, tree, every = search.rules, search.tree, search.plan.amaf_all
    weight = 1.0
    codes, base = rules.num_codes, table_base(rules, table)
    tree.meta[STAMP] += 1
    stamp = tree.meta[STAMP]
    for place in range(len(trace)):
        played = trace[place]
        counted = played
        if rules.shared_points:
            counted = played - player_of(played, codes) * codes
        if every or tree.seen[counted] != stamp:
            tree.seen[counted] = stamp
            if search.plan.amaf_distance:
                weight = distance_weight(place, len(trace))
            at = entry_at(base, played)
            tree.amaf[at] += weight
            tree.amaf[at + ONE] += weight * scores[player_of(played, codes)]


@inlined
def distance_weight(distance: int, length: int) -> float:
    """Return the weight of a move with amaf_weight=distance: from 2 at the node to 0 at the end.

    `length` is the number of moves after the node. The weight 2 * (1 - distance / length) is
    rounded down to a multiple of 1/128, so that sums of weights are exact in any order.
    """
    return (256 * (length - distance) // length) / 128.0


@inlined
def update_by_move(rules: Rules, tree: Tree, record: Record) -> None:
    """Add the simulation to every table on its path.

    A node's table counts each move played at or after the node once, however often it was played
    ("the number of playouts containing move m", Cazenave 2015). From the last node up to the root
    the set of such moves only grows, so one pass over the trace, backwards, serves all.
    """
    tree.meta[STAMP] += 1
    stamp, codes = tree.meta[STAMP], rules.num_codes
    root = table_base(rules, tree.table[record.path[0]])
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
                # The root's table counts every move of the trace: add it at once.
                entry = entry_at(root, played)
                tree.amaf[entry] += 1.0
                tree.amaf[entry + ONE] += score
        if depth > 0:
            base = table_base(rules, table)
            for i in range(moves):
                entry = entry_at(base, tree.distinct[i])
                tree.amaf[entry] += 1.0
                tree.amaf[entry + ONE] += tree.worth[i]


@inlined
def update_by_point(rules: Rules, tree: Tree, record: Record) -> None:
    """The same for games whose players share points: each point counts once.

    It is credited to the player who occupied it first.

    Backwards through the trace the last one met is the first to take a point, so a point's entry in
    the list of distinct moves is overwritten; its index is in `tree.distinct_at`.
    """
    tree.meta[STAMP] += 1
    stamp, codes = tree.meta[STAMP], rules.num_codes
    place, moves = record.shape[LENGTH], 0
    for depth in range(record.shape[DEPTH] - 1, -1, -1):
        table = tree.table[record.path[depth]]
        if table == NONE:
            continue
        while place > record.at[depth]:
            place -= 1
            played = record.trace[place]
            player = player_of(played, codes)
            point = played - player * codes
            if tree.seen[point] != stamp:
                tree.seen[point] = stamp
                tree.distinct_at[point] = moves
                moves += 1
            index = tree.distinct_at[point]
            tree.distinct[index] = played
            tree.worth[index] = record.scores[player]
        base = table_base(rules, table)
        for i in range(moves):
            entry = entry_at(base, tree.distinct[i])
            tree.amaf[entry] += 1.0
            tree.amaf[entry + ONE] += tree.worth[i]


# Stored traces, and tables made of them.


@inlined
def narrow_traces(rules: Rules) -> bool:
    """Return whether a number in the stored traces takes one word."""
    return rules.players * rules.num_codes <= 1 << 16


@inlined
def traced(rules: Rules, tree: Tree, place: int) -> int:
    """Return a number in the stored traces."""
    return int(tree.traces[place] if narrow_traces(rules) else in_words(tree.traces)[place])


@inlined
def store_trace(rules: Rules, tree: Tree, record: Record, start: int) -> None:
    """Store the trace, and a link at every node of the path that has no table yet.

    Tables count the trace from place `start` on.
    """
    if tree.meta[CLOSED]:
        # The arrays may be full, and a table built from a part of a node's simulations is wrong.
        for depth in range(record.shape[DEPTH]):
            if tree.table[record.path[depth]] == NONE:
                tree.newest_link[record.path[depth]] = LOST
        return
    simulation = tree.meta[SIMULATIONS]
    stored = False
    for depth in range(record.shape[DEPTH]):
        node = record.path[depth]
        if (
            tree.table[node] != NONE
            or tree.newest_link[node] == LOST
            or tree.turns[node] == TERMINAL
        ):
            continue
        stored = True
        entry = tree.meta[LINKS]
        tree.meta[LINKS] = entry + 1
        tree.link_simulation[entry] = simulation
        tree.link_at[entry] = max(record.at[depth], start)
        tree.link_next[entry] = tree.newest_link[node]
        tree.newest_link[node] = entry
    if stored:
        traced = tree.meta[TRACED]
        if narrow_traces(rules):
            for place in range(record.shape[LENGTH]):
                tree.traces[traced + place] = record.trace[place]
        else:
            traces = in_words(tree.traces)
            for place in range(record.shape[LENGTH]):
                traces[traced + place] = record.trace[place]
        tree.trace_start[simulation] = traced
        tree.trace_start[simulation + 1] = traced + record.shape[LENGTH]
        for player in range(rules.players):
            tree.trace_scores[simulation * rules.players + player] = record.scores[player]
        tree.meta[TRACED] = traced + record.shape[LENGTH]
        tree.meta[SIMULATIONS] = simulation + 1


def build_table(state: int, node: int) -> int:
    """Make a node's table from the simulations that visited it; NONE if there is no space."""
    search = state_at(state)
    rules, tree, players = search.rules, search.tree, search.rules.players
    table = tree.meta[TABLES]
    base, end = table_base(rules, table), table_base(rules, table + 1)
    if end > len(tree.amaf):
        return NONE
    tree.meta[TABLES] = table + 1
    for i in range(base, end):
        tree.amaf[i] = 0.0
    if rules.criticality:
        for i in range(table * (players + 1), (table + 1) * (players + 1)):
            tree.table_totals[i] = 0.0
    entry = tree.newest_link[node]
    while entry != NONE:
        simulation = tree.link_simulation[entry]
        start = tree.trace_start[simulation] + tree.link_at[entry]
        end = tree.trace_start[simulation + 1]
        scores = tree.trace_scores[simulation * players : (simulation + 1) * players]
        if narrow_traces(rules):
            add_trace(search, table, tree.traces[start:end], scores)
        else:
            add_trace(search, table, in_words(tree.traces)[start:end], scores)
        if rules.criticality:
            add_totals(tree, table, scores)
        entry = tree.link_next[entry]
    tree.newest_link[node] = NONE
    tree.table[node] = table
    return table


@inlined
def add_totals(tree: Tree, table: int, scores: Float64) -> None:
    """Add a simulation to the totals of a table, which `criticality` reads."""
    base = table * (len(scores) + 1)
    tree.table_totals[base] += 1.0
    for player in range(len(scores)):
        tree.table_totals[base + 1 + player] += scores[player]
