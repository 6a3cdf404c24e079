"""AMAF tables: layout, lookup, update after a simulation, and construction from stored traces.

A table belongs to a node. For each player and move it holds in how many playouts the player played
the move at the node or later, and the sum of the player's scores in these playouts. All tables lie
one after another. While all scores are 0, 1/2 or 1, tables are packed: an entry is one word of
`tree.packed_amaf`, the playouts in its low half, twice the sum of scores in its high half, so that
one addition counts a playout:

    tree.packed_amaf[table_base(rules, table) + player * codes + move]

At the first other score the kernel asks for wide tables (NEED_WIDE). An entry is then two floats of
`tree.amaf`, playouts and sum of scores. Both have exactly the same numbers. `rules.amaf` says which
it is: the words of an entry, PACKED or WIDE.

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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graven.core.compile import inlined
from graven.core.contract import TERMINAL, Rules
from graven.core.rng import uniform
from graven.core.status import Status
from graven.search.layout import Float64, Int64, UInt32
from graven.search.plan import Plan, SearchState, call_node_choice, state_at
from graven.search.select.selection import REF
from graven.search.stored_traces import half_of, read_place, read_trace, write_place, write_trace
from graven.search.tree import (
    BEGUN,
    CLOSED,
    DEPTH,
    LENGTH,
    LINKS,
    LOST,
    NONE,
    PACKED,
    PLAYOUTS_MASK,
    POINTS_SHIFT,
    POOL,
    SIMULATIONS,
    STAMP,
    TABLE,
    TABLES,
    TRACED,
    Record,
    Tree,
)

ONE = np.uint64(1)  # from an entry's playouts to its sum of scores
NEXT = np.uint64(2)  # from one entry to the next


# Layout and lookup.


@inlined
def table_base(rules: Rules, table: int) -> int:
    """Return the index of a table's first entry."""
    return rules.amaf * table * rules.players * rules.num_codes


@inlined
def player_base(rules: Rules, table: int, player: int) -> int:
    """Return the index of the first entry of a player in a table."""
    return rules.amaf * (table * rules.players + player) * rules.num_codes


@inlined
def wide_entry(base: int, code: int) -> np.uint64:
    """Return the index of an entry of a wide table: a move after `player_base`, or a trace entry,
    player * codes + move, after `table_base`."""
    return np.uint64(base + 2 * code)


@inlined
def packed_entry(base: int, code: int) -> np.uint64:
    """Return the same index in a packed table."""
    return np.uint64(base + code)


@inlined
def amaf_playouts(rules: Rules, tree: Tree, base: int, code: int) -> float:
    """Return the playouts of an entry."""
    if rules.amaf == PACKED:
        return float(tree.packed_amaf[packed_entry(base, code)] & PLAYOUTS_MASK)
    return float(tree.amaf[wide_entry(base, code)])


@inlined
def amaf_scores(rules: Rules, tree: Tree, base: int, code: int) -> float:
    """Return the sum of scores of an entry."""
    if rules.amaf == PACKED:
        return (tree.packed_amaf[packed_entry(base, code)] >> POINTS_SHIFT) * 0.5
    return float(tree.amaf[wide_entry(base, code) + ONE])


@inlined
def add_to_entry(
    rules: Rules, tree: Tree, base: int, code: int, playouts: float, scores: float
) -> None:
    """Add playouts and their sum of scores to an entry."""
    if rules.amaf == PACKED:
        points = int(2.0 * scores)
        tree.packed_amaf[packed_entry(base, code)] += int(playouts) + (points << POINTS_SHIFT)
    else:
        at = wide_entry(base, code)
        tree.amaf[at] += playouts
        tree.amaf[at + ONE] += scores


@inlined
def player_of(played: int, codes: int) -> int:
    """Return the player of a trace entry, player * codes + move; a division would be slower."""
    player = 0
    while played >= codes:
        played -= codes
        player += 1
    return player


def statistics(rules: Rules, tree: Tree, table: int, player: int) -> tuple[Float64, Float64]:
    """Return a player's playouts and sums of scores in a table, by move; views if it is wide.

    They may be shorter than the number of moves while a search lets the tree grow.
    """
    base = int(player_base.py_func(rules, table, player))  # type: ignore[attr-defined]
    if rules.amaf == PACKED:
        return unpacked(tree.packed_amaf[base : base + rules.num_codes])
    entries = tree.amaf[base : base + 2 * rules.num_codes]
    return entries[::2], entries[1::2]


def statistics_of(rules: Rules, tree: Tree, entries: NDArray[Any]) -> tuple[Float64, Float64]:
    """Return the playouts and sums of scores of entries: (table * players + player) * codes + move.

    Copies, in the order of the entries.
    """
    if rules.amaf == PACKED:
        return unpacked(tree.packed_amaf[entries])
    return tree.amaf[2 * entries], tree.amaf[2 * entries + 1]


def unpacked(words: Int64) -> tuple[Float64, Float64]:
    """Return the playouts and sums of scores of entries of packed tables."""
    words = words.copy()  # a search may go on meanwhile
    return (words & PLAYOUTS_MASK).astype(np.float64), (words >> POINTS_SHIFT) / 2


def packed_words(amaf: Float64) -> Int64:
    """Return entries of a wide table as those of a packed one."""
    words = amaf[::2].astype(np.int64)
    return words + ((2.0 * amaf[1::2]).astype(np.int64) << POINTS_SHIFT)


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
        status = make_table(search, node) if visits > plan.tables else Status.OK
        if tree.table[node] == NONE:
            return status
    if visits > plan.params[REF]:
        record.shape[TABLE] = tree.table[node]
    if visits > plan.pool:
        record.shape[POOL] = tree.table[node]
    return Status.OK


@inlined
def make_table(search: SearchState, node: int) -> int:
    """Build a node's table unless it has one; return NEED_TABLES if there is no space for it.

    In a closed tree, or where traces are lost, it gets none.
    """
    tree = search.tree
    if tree.table[node] != NONE or tree.newest_link[node] == LOST:
        return Status.OK
    if call_node_choice(search.steps.build_table, (search.plan.state, node)) == NONE:
        if not tree.meta[CLOSED]:
            return Status.NEED_TABLES
        tree.newest_link[node] = LOST
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
    start = record.shape[BEGUN] if plan.amaf_playout else 0
    if rules.amaf == PACKED:
        for player in range(rules.players):
            tree.gain_of[player] = gain(int(2.0 * record.scores[player]))
    if plan.amaf_all or plan.amaf_playout or plan.amaf_distance:
        update_each_table(search, start)
    elif rules.shared_points:
        update_by_point(rules, tree, record)
    else:
        update_by_move(rules, tree, record)
    if plan.store_traces:
        store_trace(rules, tree, record, start)


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
def gain(points: int) -> int:
    """Return what a playout adds to an entry of a packed table, with so many half points."""
    return 1 + (points << POINTS_SHIFT)


@inlined
def add_trace(search: SearchState, table: int, trace: UInt32, scores: Float64) -> None:
    """Add moves of a simulation to a table, each once or, with amaf_count=all, each time.

    `scores` are those of the players; a packed table reads `tree.gain_of` instead.
    """
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
            if rules.amaf == PACKED:
                tree.packed_amaf[packed_entry(base, played)] += tree.gain_of[
                    player_of(played, codes)
                ]
            else:
                at = wide_entry(base, played)
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
                player = player_of(played, codes)
                tree.distinct[moves] = played
                # The root's table counts every move of the trace: add it at once.
                if rules.amaf == PACKED:
                    added = tree.gain_of[player]
                    tree.gains[moves] = added
                    tree.packed_amaf[packed_entry(root, played)] += added
                else:
                    score = record.scores[player]
                    tree.worth[moves] = score
                    entry = wide_entry(root, played)
                    tree.amaf[entry] += 1.0
                    tree.amaf[entry + ONE] += score
                moves += 1
        if depth > 0:
            add_distinct(rules, tree, table, moves)


@inlined
def add_distinct(rules: Rules, tree: Tree, table: int, moves: int) -> None:
    """Add the first so many of the distinct moves to a table."""
    base = table_base(rules, table)
    if rules.amaf == PACKED:
        for i in range(moves):
            tree.packed_amaf[packed_entry(base, tree.distinct[i])] += tree.gains[i]
    else:
        for i in range(moves):
            entry = wide_entry(base, tree.distinct[i])
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
            if rules.amaf == PACKED:
                tree.gains[index] = tree.gain_of[player]
            else:
                tree.worth[index] = record.scores[player]
        add_distinct(rules, tree, table, moves)


# Stored traces, and tables made of them.


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
        write_place(rules, tree, entry, max(record.at[depth], start))
        tree.link_next[entry] = tree.newest_link[node]
        tree.newest_link[node] = entry
    if stored:
        traced = tree.meta[TRACED]
        end = traced + write_trace(rules, tree, record)
        tree.trace_start[simulation] = traced
        tree.trace_start[simulation + 1] = end
        for player in range(rules.players):
            place = simulation * rules.players + player
            if rules.amaf == PACKED:
                tree.trace_points[place] = int(2.0 * record.scores[player])
            else:
                tree.trace_scores[place] = record.scores[player]
        tree.meta[TRACED] = end
        tree.meta[SIMULATIONS] = simulation + 1


@inlined
def read_link(rules: Rules, tree: Tree, link: int, half: int) -> int:
    """Read the trace of a link's simulation, from the link's node on; return its length."""
    place = read_place(rules, tree, link)
    return read_trace(rules, tree, tree.link_simulation[link], place, half_of(tree, half))


def build_table(state: int, node: int) -> int:
    """Make a node's table from the simulations that visited it; NONE if there is no space."""
    search = state_at(state)
    rules, tree, players = search.rules, search.tree, search.rules.players
    table = tree.meta[TABLES]
    base, end = table_base(rules, table), table_base(rules, table + 1)
    if end > (len(tree.packed_amaf) if rules.amaf == PACKED else len(tree.amaf)):
        return NONE
    tree.meta[TABLES] = table + 1
    if rules.amaf == PACKED:
        for i in range(base, end):
            tree.packed_amaf[i] = 0
    else:
        for i in range(base, end):
            tree.amaf[i] = 0.0
    if rules.criticality:
        for i in range(table * (players + 1), (table + 1) * (players + 1)):
            tree.table_totals[i] = 0.0
    scores = tree.score_of
    entry, half = tree.newest_link[node], 0
    length = read_link(rules, tree, entry, half) if entry != NONE else 0
    while entry != NONE:
        simulation, place = tree.link_simulation[entry], read_place(rules, tree, entry)
        trace = half_of(tree, half)[place:length]
        # Read the next trace before this one is counted: the processor would wait where numbers
        # are read that have just been written as a vector.
        entry, half = tree.link_next[entry], 1 - half
        if entry != NONE:
            length = read_link(rules, tree, entry, half)
        for player in range(players):
            if rules.amaf == PACKED:
                points = tree.trace_points[simulation * players + player]
                tree.gain_of[player] = gain(int(points))
                scores[player] = 0.5 * points
            else:
                scores[player] = tree.trace_scores[simulation * players + player]
        add_trace(search, table, trace, scores)
        if rules.criticality:
            add_totals(tree, table, scores)
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
