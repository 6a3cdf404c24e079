"""Rounds of a deterministic parallel search (`parallel=sync`): the kernels.

Every thread has a tree of its own. In a round each thread makes some simulations in it, and logs
them (`record_log`). At the end of the round it adds the simulations of the other threads, in the
order of the threads: it follows their moves down its own tree as far as that has nodes, counts them
there, and learns from them. Nodes are only made by a thread's own simulations. So every node counts
the simulations of all threads since it was made, and the root counts all. Of the AMAF tables only
the root's counts the simulations of other threads: exchanging whole traces, and adding them to all
tables, would take longer than the simulations.

How long a round is depends on the playouts of the root alone: the same seed and the same number of
threads give the same trees, however fast each thread runs.

A thread waits for the others once a round, for the end of their simulations. It need not wait until
they have read its log: by the time it writes the same half again, they have.
"""

from __future__ import annotations

from typing import NamedTuple

from graven.core.atomics import LINE_WORDS, call_yield, load_acquire, store_release
from graven.core.compile import compiled, inlined
from graven.core.contract import SIMULTANEOUS, TERMINAL
from graven.core.status import Status
from graven.search.amaf import table_base
from graven.search.backup import count_path
from graven.search.descend import path_key
from graven.search.layout import Float64, Int64
from graven.search.plan import SearchState, call_learn, call_settle, state_at
from graven.search.record_log import LOGGED, ROUND, place_of, use_memory_of
from graven.search.score_bounds import root_is_decided
from graven.search.simulate import DONE, PLIES, STOP
from graven.search.tree import DEPTH, LENGTH, NONE, ROOT, STEPS, find

# So often the end of another thread's round is tested before other threads are let run.
SPINS = 2000
# In `logged`: a thread that makes no more simulations.
LEFT = 1 << 62


class Rounds(NamedTuple):
    """The rounds of a search, as one of its threads sees them."""

    learn: int  # addresses: how to learn from a simulation of another thread, and after all of them
    settle: int
    yield_thread: int  # the address of `core.atomics.yield_address`
    # [thread * LINE_WORDS]: the rounds whose simulations a thread has logged; in even and in odd
    # rounds, twice their number, and one more if the thread has proven the root.
    logged: Int64
    even: Int64
    odd: Int64
    failed: Int64  # [0]: whether a thread has failed, so that the others must not wait for it
    # The root's AMAF table, if there are AMAF tables: this thread's when the round began, and what
    # each thread has added to its own, [((round & 1) * threads + thread) * size + entry].
    root_before: Float64
    root_added: Float64


def shares(visits: int, playouts: int, threads: int, growth: int, most: int) -> list[int]:
    """Return how many simulations each thread makes in the next round.

    `visits` are the playouts of the root, `playouts` is how many may follow. A round has one
    simulation for each `growth` playouts of the root, and at most `most` of each thread. While the
    tree is too small to share, the first thread works alone.
    """
    if visits < growth * threads:
        return [min(growth * threads - visits, most, playouts)] + [0] * (threads - 1)
    total = min(visits // growth, most * threads, playouts)
    return [total // threads + (thread < total % threads) for thread in range(threads)]


@compiled
def add_others(state: int, rounds: Rounds) -> int:
    """Let the others read the thread's simulations of a round, and add theirs to its tree."""
    search = state_at(state)
    log, tree = search.log, search.tree
    this_round = log.position[ROUND]
    counts = rounds.odd if this_round & 1 else rounds.even
    # The root's AMAF table: what the thread has added to it since the round began.
    size = len(rounds.root_before)
    root = table_base(search.rules, tree.table[tree.meta[ROOT]]) if size else 0
    half = (this_round & 1) * log.threads
    mine = (half + log.thread) * size
    for i in range(size):
        rounds.root_added[mine + i] = tree.amaf[root + i] - rounds.root_before[i]
    place = log.thread * LINE_WORDS
    if rounds.logged[place] <= this_round:
        decided = search.plan.solver != 0 and root_is_decided(state)
        counts[place] = 2 * log.position[LOGGED] + int(decided)
        store_release(rounds.logged, place, this_round + 1)
    for source in range(log.threads):
        if source == log.thread:
            continue
        if not wait_for(rounds, source, this_round + 1):
            return Status.OK
        count = counts[source * LINE_WORDS] >> 1
        if counts[source * LINE_WORDS] & 1:
            search.control[STOP] = 1  # the other thread has proven the root
        for simulation in range(count):
            add_simulation(search, rounds, place_of(log, source, simulation))
        if count:
            theirs = (half + source) * size
            for i in range(size):
                tree.amaf[root + i] += rounds.root_added[theirs + i]
            if rounds.settle:
                call_settle(rounds.settle, (search.rules, search.plan.memory))
    for i in range(size):
        rounds.root_before[i] = tree.amaf[root + i]
    log.position[ROUND] = this_round + 1
    log.position[LOGGED] = 0
    use_memory_of(log, place_of(log, log.thread, 0))
    return Status.OK


@compiled
def leave(rounds: Rounds, thread: int, this_round: int) -> None:
    """Let the others know that the thread makes no more simulations, from this round on."""
    counts = rounds.odd if this_round & 1 else rounds.even
    counts[thread * LINE_WORDS] = 0
    store_release(rounds.logged, thread * LINE_WORDS, LEFT)


@inlined
def wait_for(rounds: Rounds, thread: int, ended: int) -> bool:
    """Wait until a thread has logged so many rounds; return False if a thread has failed."""
    spins = 0
    while load_acquire(rounds.logged, thread * LINE_WORDS) < ended:
        if load_acquire(rounds.failed, 0):
            return False
        spins += 1
        if spins > SPINS:
            call_yield(rounds.yield_thread, (0,))
    return True


@inlined
def add_simulation(search: SearchState, rounds: Rounds, place: int) -> None:
    """Learn from a logged simulation, and count it as far as the tree has its nodes."""
    rules, record, log = search.rules, search.record, search.log
    start, length = place * len(record.trace), log.lengths[place]
    follow(search, start, start + log.in_tree[place])
    for player in range(rules.players):
        record.scores[player] = log.scores[place * rules.players + player]
    record.shape[LENGTH] = length
    if rounds.learn:
        for i in range(length):
            record.trace[i] = log.traces[start + i]
        use_memory_of(log, place)
        call_learn(rounds.learn, (search.plan.state,))
    count_path(search)
    search.control[DONE] += 1
    search.control[PLIES] += length


@inlined
def follow(search: SearchState, entry: int, end: int) -> None:
    """Fill the record's path with the moves of a logged simulation, as far as the tree has them.

    `entry` and `end` are where its moves in the tree begin and end in the log.
    """
    rules, tree, record, log = search.rules, search.tree, search.record, search.log
    players, begin, depth, steps = rules.players, entry, 0, 0
    node = tree.meta[ROOT]
    while node != NONE:
        record.path[depth] = node
        record.at[depth] = entry - begin
        depth += 1
        turn = tree.turns[node]
        low = 0 if turn == SIMULTANEOUS else turn
        high = players if turn == SIMULTANEOUS else turn + 1
        if entry >= end or turn == TERMINAL or tree.first[node * players + low] == NONE:
            break
        edge, listed = 0, True
        for mover in range(low, high):
            owner = node * players + mover
            number = log.edges[entry]
            move = log.traces[entry] - mover * rules.num_codes
            edge = tree.first[owner] + number
            # A position that was reached by other moves may have other legal ones: Go's superko.
            listed &= number < tree.degree[owner] and tree.moves[edge] == move
            record.edges[(depth - 1) * players + mover] = edge
            record.joint[mover] = move
            if rules.regrets and turn == SIMULTANEOUS:
                record.odds[(depth - 1) * players + mover] = log.odds[entry]
            entry += 1
        if not listed:
            break
        steps = depth
        if turn != SIMULTANEOUS:
            node = tree.children[edge]
        elif search.plan.transpositions:
            node = find(tree, log.keys[entry - 1])
        else:
            node = find(tree, path_key(players, record, node, turn))
    record.shape[DEPTH], record.shape[STEPS] = depth, steps
