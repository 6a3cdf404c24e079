"""Rounds of a deterministic parallel search (`parallel=sync`): the kernels.

Every thread has a tree of its own. In a round each thread makes some simulations in it, and logs
them (`record_log`). At the end of the round it adds the simulations of the other threads, in the
order of the threads.

While the tree is small, rounds are complete: a thread follows the moves of the others down its own
tree, adds the nodes and lists the moves that they added and listed, and learns from them and backs
them up like its own. So all trees have the same nodes and the same statistics when a round begins.
Such a round has one simulation of each thread, and `virtual_loss` keeps the threads apart.

Later, rounds are brief and longer: a thread follows the moves of the others as far as its tree has
nodes, counts them there, and learns from them. Nodes are made by a thread's own simulations, except
for finished games, which prove something. Of the AMAF tables only the root's counts the simulations
of others. That takes a small part of a simulation.

How long a round is depends on the playouts of the root alone: the same seed and the same number of
threads give the same trees, however fast each thread runs.

A thread waits for the others once a round, for the end of their simulations. It need not wait until
they have read its log: by the time it writes the same half again, they have. A thread that has to
wait for long advances the tree of another that has no processor: what is done does not depend on
who does it.
"""

from __future__ import annotations

from typing import NamedTuple

from numba import types

from graven.core.atomics import (
    LINE_WORDS,
    call_yield,
    load_acquire,
    replace_if,
    store_release,
)
from graven.core.compile import caller, compiled, inlined
from graven.core.contract import CHANCE, SIMULTANEOUS, TERMINAL
from graven.core.status import Status
from graven.core.struct_memory import ADDRESS, stored
from graven.search.amaf import add_to_entry, amaf_playouts, amaf_scores, make_table, table_base
from graven.search.backup import back_up, count_path
from graven.search.batch import simulate_batches
from graven.search.descend import path_key
from graven.search.joint_bounds import has_joint_space, joint_nodes
from graven.search.layout import Float64, Int64
from graven.search.plan import (
    SearchState,
    call_learn,
    call_place_choice,
    call_settle,
    call_state_step,
    state_at,
)
from graven.search.record_log import (
    ADDED,
    BRIEF,
    ENDED,
    HELD,
    KEYED,
    LISTED,
    LOGGED,
    READ,
    ROUND,
    SIMULATED,
    SOURCE,
    UNLISTED,
    UNLISTED_MOVES,
    UNTIL,
    VALUED,
    WRITTEN,
    choice_of,
    copy_list,
    has_list,
    has_trace,
    place_of,
    shape_of,
    size_of,
    skip_list,
    stream_start,
    use_memory_of,
)
from graven.search.score_bounds import root_is_decided
from graven.search.simulate import DONE, PLIES, STOP, can_be_packed, reserve, simulate
from graven.search.tree import (
    BEGUN,
    CLOSED,
    DEPTH,
    EDGES,
    FEW,
    LENGTH,
    LISTS,
    NODES,
    NONE,
    PACKED,
    ROOT,
    STEPS,
    Tree,
)
from graven.search.tree_nodes import choosers, find, new_node
from graven.search.two_levels import end_level, simulate_levels

# So often the end of another thread's round is tested, for some 100 microseconds, before this
# thread advances its tree. With 2,000, threads took trees from each other that only needed longer.
SPINS = 100_000
# Entries of `turn` in `take_turns`.
THREAD, ADDS, TURN = range(3)
# In `logged`: a thread that makes no more simulations.
LEFT = 1 << 62


class Rounds(NamedTuple):
    """The rounds of a search, as one of its threads sees them."""

    # Addresses: `advance`; how to simulate, and with which batch, or second level; how to end that
    # at the end of the simulations of a round, or 0; how to learn from a simulation of another
    # thread, and after all of them; the system's function of `core.atomics.yield_address`; what to
    # call with the thread's number before each simulation, or 0.
    advance: int
    simulate: int
    batch: int
    end_level: int
    learn: int
    settle: int
    yield_thread: int
    delay: int
    base: int  # the playouts of the root when the search began
    goal: int  # the playouts of the search
    # See `share`.
    alone: int
    growth: int
    least: int
    inner: int
    batch_growth: int
    most: int
    complete: int  # rounds are complete while the root has fewer playouts than this
    # [thread * LINE_WORDS]: the rounds whose simulations a thread has logged; in even and in odd
    # rounds, twice their number, and one more if the thread has proven the root.
    logged: Int64
    even: Int64
    odd: Int64
    # [thread]: the addresses of each thread's state and rounds; [thread * LINE_WORDS]: who may
    # advance a tree, see below.
    states: Int64
    places: Int64
    claims: Int64
    failed: Int64  # [0]: whether a thread has failed, so that the others must not wait for it
    # The root's AMAF table in the form of a wide one, if there are AMAF tables: this thread's when
    # a brief round began, and what each added, [((round & 1) * threads + thread) * size + word].
    root_before: Float64
    root_added: Float64


_INTS, _REALS = types.Array(types.int64, 1, "C"), types.Array(types.float64, 1, "C")
ROUNDS = types.NamedTuple([types.int64] * 17 + [_INTS] * 7 + [_REALS] * 2, Rounds)
rounds_at = stored(ROUNDS)

# In `claims`: no thread advances the tree now; one does; only its own thread may, which has to let
# it grow first.
FREE, TAKEN, NEEDS_OWNER = range(3)

# Advancing a tree: the addresses of its state and its rounds. Ending a second level: those of the
# state and of the level.
ADVANCE = types.int64(ADDRESS, ADDRESS)
call_advance = caller(ADVANCE)

# Simulating until a part of a round is done: the addresses of the search's state and of its batch,
# how many simulations of the search are done then, and how many at the end of the round.
SIMULATE = types.int64(ADDRESS, ADDRESS, types.int64, types.int64)
call_simulate = caller(SIMULATE)


def simulate_singly(state: int, batch: int, part: int, until: int) -> int:
    """Simulate one by one."""
    return simulate(state, part)


def simulate_in_batches(state: int, batch: int, part: int, until: int) -> int:
    """Simulate in batches."""
    return simulate_batches(state, batch, part, until)


def simulate_in_levels(state: int, batch: int, part: int, until: int) -> int:
    """Simulate in two levels; instead of a batch there is a second level."""
    return simulate_levels(state, batch, part, until)


def end_last_level(state: int, level: int) -> int:
    """Remove the nodes of the second level, if there is one."""
    return end_level(state, level)


@inlined
def share(rounds: Rounds, threads: int, thread: int, visits: int, playouts: int) -> int:
    """Return how many simulations a thread makes in the next round.

    `visits` are the playouts of the root, `playouts` is how many may follow. A complete round has
    `least` simulations of each thread: one, a batch, or a second level. A brief round has one
    simulation for each `growth` playouts of the root, but at least `least` and at most `most` of
    each thread. Until the root has `alone` playouts for each thread, the first thread works alone.
    In searches of two levels a thread makes fewer if the next second level might not fit.
    """
    if visits < rounds.alone * threads:
        alone = min(rounds.alone * threads - visits, rounds.most)
        return min(max(alone, rounds.inner), playouts) if thread == 0 else 0
    least = rounds.least
    if rounds.batch_growth:
        least = max(1, min(least, visits // rounds.batch_growth))
    total = least * threads
    if visits >= rounds.complete:
        total = min(max(visits // rounds.growth, total), rounds.most * threads)
    total = min(total, playouts)
    return total // threads + int(thread < total % threads)


@compiled
def make_rounds(at: int, thread: int, position: Int64) -> int:
    """Make rounds until the search has reached its goal or is stopped.

    `at` is the address of the `Rounds`, `position` that of the thread in its log. If the tree needs
    more memory, it is to be called again, and goes on where it was.
    """
    rounds, place = rounds_at(at), thread * LINE_WORDS
    spins = 0
    while load_acquire(rounds.failed, 0) == 0:
        if position[HELD] == 0 and not claim(rounds, thread, own=True):
            spins += 1
            if spins > SPINS:
                call_yield(rounds.yield_thread, (0,))
            continue
        spins = position[HELD] = 0
        status = call_advance(rounds.advance, (rounds.states[thread], rounds.places[thread]))
        if status != Status.OK:
            position[HELD] = 1
            return status
        ended, waits, this_round = position[ENDED], position[SIMULATED], position[ROUND]
        store_release(rounds.claims, place, FREE)
        if ended:
            break
        if waits:
            wait_for_others(rounds, thread, this_round + 1)
    return Status.OK


@inlined
def claim(rounds: Rounds, thread: int, own: bool) -> bool:
    """Return whether this thread may advance a tree from now on, its own one or another."""
    place = thread * LINE_WORDS
    if replace_if(rounds.claims, place, FREE, TAKEN):
        return True
    return own and replace_if(rounds.claims, place, NEEDS_OWNER, TAKEN)


@inlined
def wait_for_others(rounds: Rounds, thread: int, ended: int) -> None:
    """Wait until all threads have logged so many rounds, or one has failed.

    If that takes long, the other thread may have no processor: then advance its tree. So a search
    with more threads than processors takes no longer than one by a single thread, about.
    """
    for source in range(len(rounds.states)):
        spins = 0
        while load_acquire(rounds.logged, source * LINE_WORDS) < ended:
            if load_acquire(rounds.failed, 0):
                return
            spins += 1
            if spins <= SPINS:
                continue
            if claim(rounds, source, own=False):
                status = Status.OK
                if load_acquire(rounds.logged, source * LINE_WORDS) < ended:
                    states, places = rounds.states, rounds.places
                    status = call_advance(rounds.advance, (states[source], places[source]))
                after = FREE if status == Status.OK else NEEDS_OWNER
                store_release(rounds.claims, source * LINE_WORDS, after)
            else:
                call_yield(rounds.yield_thread, (0,))


def advance(state: int, at: int) -> int:
    """Make the next step of a tree: simulate, or add what the others have simulated, or nothing.

    Kernels call it by its address, so that it always reads the present arrays of the tree.
    """
    search, rounds = state_at(state), rounds_at(at)
    position, threads = search.log.position, search.log.threads
    if position[SIMULATED] == 0:
        status = simulate_round(state, at)
        if status != Status.OK:
            return status
        if position[SIMULATED]:
            publish(state, at)
        else:
            leave(at, search.log.thread, position[ROUND])
            position[ENDED] = 1
        return Status.OK
    for source in range(threads):
        if load_acquire(rounds.logged, source * LINE_WORDS) <= position[ROUND]:
            return Status.OK
    return add_others(state, at)


@compiled
def take_turns(states: Int64, at: Int64, turn: Int64) -> int:
    """Make the rounds of all threads in one thread, one after another.

    `states` and `at` are the addresses for each of them. `turn` has the thread whose turn it is,
    and whether all have simulated and now add what the others did. If a thread needs more memory,
    it is to be called again, and goes on where it was.
    """
    while True:
        ended = False
        for thread in range(len(states)):
            if turn[ADDS]:
                break
            turn[THREAD] = thread
            status = simulate_round(states[thread], at[thread])
            if status != Status.OK:
                return status
            log = state_at(states[thread]).log
            if log.position[SIMULATED]:
                publish(states[thread], at[thread])
            else:
                ended = True
        if ended:
            return Status.OK
        turn[ADDS] = 1
        for thread in range(len(states)):
            turn[THREAD] = thread
            if state_at(states[thread]).log.position[SIMULATED]:
                status = add_others(states[thread], at[thread])
                if status != Status.OK:
                    return status
        turn[ADDS] = 0


@compiled
def simulate_round(state: int, at: int) -> int:
    """Make the thread's simulations of a round, unless it has; SIMULATED says then that it has.

    At the end of the search it makes none.
    """
    search, rounds = state_at(state), rounds_at(at)
    log, position, control = search.log, search.log.position, search.control
    if position[SIMULATED]:
        return Status.OK
    if position[UNTIL] == 0:
        done = control[DONE]
        if done >= rounds.goal or control[STOP]:
            return Status.OK
        visits = rounds.base + done
        position[UNTIL] = done + share(rounds, log.threads, log.thread, visits, rounds.goal - done)
        position[BRIEF] = int(visits >= rounds.complete)
        position[UNLISTED] = search.tree.meta[EDGES]
        position[UNLISTED_MOVES] = search.tree.meta[LISTS]
        if position[BRIEF]:
            rules, tree, root = search.rules, search.tree, root_table(search)
            for code in range(len(rounds.root_before) // 2):
                rounds.root_before[2 * code] = amaf_playouts(rules, tree, root, code)
                rounds.root_before[2 * code + 1] = amaf_scores(rules, tree, root, code)
    while control[DONE] < position[UNTIL] and control[STOP] == 0:
        until = part = position[UNTIL]
        if rounds.delay:
            call_yield(rounds.delay, (log.thread,))
            part = control[DONE] + 1
        status = call_simulate(rounds.simulate, (state, rounds.batch, part, until))
        if status != Status.OK:
            return status
    if rounds.end_level:
        status = call_advance(rounds.end_level, (state, rounds.batch))
        if status != Status.OK:
            return status
    position[SIMULATED] = 1
    return Status.OK


@inlined
def root_table(search: SearchState) -> int:
    """Return where the root's AMAF table begins; 0 if there is none."""
    tree = search.tree
    return table_base(search.rules, tree.table[tree.meta[ROOT]]) if search.plan.amaf else 0


@compiled
def publish(state: int, at: int) -> None:
    """Let the others read the thread's simulations of a round, unless they may already."""
    search, rounds = state_at(state), rounds_at(at)
    log, tree = search.log, search.tree
    this_round, place = log.position[ROUND], log.thread * LINE_WORDS
    if rounds.logged[place] > this_round:
        return
    if log.position[BRIEF]:
        # What the thread has added to the root's AMAF table since the round began.
        rules, size, root = search.rules, len(rounds.root_before), root_table(search)
        mine = ((this_round & 1) * log.threads + log.thread) * size
        for code in range(size // 2):
            playouts = amaf_playouts(rules, tree, root, code) - rounds.root_before[2 * code]
            scores = amaf_scores(rules, tree, root, code) - rounds.root_before[2 * code + 1]
            rounds.root_added[mine + 2 * code] = playouts
            rounds.root_added[mine + 2 * code + 1] = scores
    counts = rounds.odd if this_round & 1 else rounds.even
    decided = search.plan.solver != 0 and root_is_decided(state)
    counts[place] = 2 * log.position[LOGGED] + int(decided)
    store_release(rounds.logged, place, this_round + 1)


@compiled
def add_others(state: int, at: int) -> int:
    """Add the simulations of all other threads in a round, which they have logged, to the tree.

    If that needs more memory, it is to be called again, and goes on where it was.
    """
    search, rounds = state_at(state), rounds_at(at)
    log, position, tree = search.log, search.log.position, search.tree
    this_round = position[ROUND]
    counts = rounds.odd if this_round & 1 else rounds.even
    size, root = len(rounds.root_before), root_table(search)
    while position[SOURCE] < log.threads:
        source = position[SOURCE]
        if source != log.thread:
            count = counts[source * LINE_WORDS] >> 1
            if counts[source * LINE_WORDS] & 1 or rounds.logged[source * LINE_WORDS] == LEFT:
                search.control[STOP] = 1  # the other thread has proven the root, or is stopped
            while position[ADDED] < count:
                status = add_simulation(search, rounds, source)
                if status != Status.OK:
                    return status
            if count and position[BRIEF]:
                theirs = ((this_round & 1) * log.threads + source) * size
                for code in range(size // 2):
                    added = theirs + 2 * code
                    playouts, scores = rounds.root_added[added], rounds.root_added[added + 1]
                    add_to_entry(search.rules, tree, root, code, playouts, scores)
            if count and rounds.settle:
                call_settle(rounds.settle, (search.rules, search.plan.memory))
        position[ADDED] = position[READ] = 0
        position[SOURCE] += 1
    position[ROUND] = this_round + 1
    position[UNTIL] = position[SIMULATED] = 0
    position[LOGGED] = position[WRITTEN] = position[SOURCE] = 0
    use_memory_of(log, place_of(log, log.thread, 0))
    return Status.OK


@compiled
def leave(at: int, thread: int, this_round: int) -> None:
    """Let the others know that the thread makes no more simulations, from this round on."""
    rounds = rounds_at(at)
    counts = rounds.odd if this_round & 1 else rounds.even
    counts[thread * LINE_WORDS] = 0
    store_release(rounds.logged, thread * LINE_WORDS, LEFT)


@inlined
def add_simulation(search: SearchState, rounds: Rounds, source: int) -> int:
    """Add the next simulation of a thread to the tree, learn from it, and back it up."""
    rules, record, log = search.rules, search.record, search.log
    position, words = log.position, log.words
    status = Status.OK if position[BRIEF] else reserve(search, 1)
    if status != Status.OK:
        return status
    start = stream_start(log, source) + position[READ]
    steps, depth, length = shape_of(words[start])
    size, begun = size_of(words[start + 1])
    end = start + size
    for player in range(rules.players):
        record.scores[player] = log.reals[start + 2 + player]
    status = follow(search, start + 2 + rules.players, steps, depth)
    if status != Status.OK:
        return status
    if rules.amaf == PACKED and not can_be_packed(search):
        return Status.NEED_WIDE
    if not has_joint_space(search, joint_nodes(search)):
        return Status.NEED_JOINTS
    record.shape[LENGTH], record.shape[BEGUN] = length, begun
    if has_trace(log):
        codes = log.codes[2 * end : 2 * end + length]
        for i in range(length):
            record.trace[i] = codes[i]
        end += (length + 1) // 2
    if rounds.learn:
        use_memory_of(log, place_of(log, source, position[ADDED]))
        call_learn(rounds.learn, (search.plan.state,))
    if position[BRIEF] == 0:
        back_up(search)
    else:
        count_path(search)
        if rules.last_use:
            call_state_step(search.steps.note_use, (search.plan.state,))
        last = record.path[record.shape[DEPTH] - 1]
        if search.plan.solver and search.tree.turns[last] == TERMINAL:
            call_state_step(search.steps.update_bounds, (search.plan.state,))
    search.control[DONE] += 1
    search.control[PLIES] += length
    position[READ] += end - start
    position[ADDED] += 1
    return Status.OK


@inlined
def follow(search: SearchState, at: int, steps: int, depth: int) -> int:
    """Fill the record's path with the edges of a logged simulation; add what its thread has added.

    `at` is where its edges begin in the log. The path ends early where the tree lacks a node or a
    move that it cannot add: it is full, or superko allows other moves after other moves. A tree
    that is recycled gets one node at most, because the next one may take the place of the first.
    """
    rules, tree, record, log = search.rules, search.tree, search.record, search.log
    players, words = rules.players, log.words
    node, length, nodes = tree.meta[ROOT], 0, tree.meta[NODES]
    record.path[0] = node
    record.at[0] = 0
    record.shape[DEPTH], record.shape[STEPS] = 1, 0
    for step in range(steps):
        turn, first_word = tree.turns[node], words[at]
        if turn == TERMINAL:
            break  # two positions have the same key
        low, high = choosers(turn, players)
        choice, odds = at, at + high - low
        at = odds
        if rules.regrets and turn == SIMULTANEOUS:
            at += players
        if tree.first[node * players + low] == NONE:
            if not first_word & LISTED:
                break
            if rules.few_edges and turn >= 0 and step > 0 and words[at] > FEW:
                state = search.plan.state
                status = call_place_choice(search.steps.copy_moves, (state, node, at))
            else:
                status = copy_list(rules, tree, log, node, low=low, high=high, at=at)
            if status != Status.OK:
                if tree.meta[CLOSED]:
                    break
                return status
        if first_word & LISTED:
            at = skip_list(rules, log, high - low, at)
        edge, listed = 0, True
        for mover in range(low, high):
            owner = node * players + mover
            number, move = choice_of(words[choice + mover - low])
            edge = tree.first[owner] + number
            if number >= tree.degree[owner] or tree.moves[edge] != move:
                edge = find_edge(tree, owner, move)
                if edge == NONE and has_list(rules, tree, node):
                    state = search.plan.state
                    edge = call_place_choice(search.steps.try_move, (state, node, move))
                    if edge < NONE:
                        return -1 - edge
                listed &= edge != NONE
            record.edges[step * players + mover] = edge
            record.joint[mover] = move
            if rules.regrets and turn == SIMULTANEOUS:
                record.odds[step * players + mover] = log.reals[odds + mover]
        if not listed:
            break
        if turn != CHANCE:
            length += high - low
        record.shape[STEPS] = step + 1
        child = tree.children[edge] if turn != SIMULTANEOUS else NONE
        may_add = not rules.last_use or tree.meta[NODES] == nodes
        if child == NONE and first_word & KEYED and may_add:
            child = node_at(search, node, turn, words[at], words[at + 1])
            if child == NONE and not tree.meta[CLOSED]:
                return Status.NEED_NODES
            if turn != SIMULTANEOUS:
                tree.children[edge] = child
        if first_word & KEYED:
            at += 2
        if first_word & VALUED:
            tree.implicit[edge] = log.reals[at]
        if step + 1 == depth or child == NONE:
            break
        node = child
        record.path[step + 1] = node
        record.at[step + 1] = length
        record.shape[DEPTH] = step + 2
        if search.plan.levels and search.plan.store_traces and tree.turns[node] != TERMINAL:
            # Traces are removed with the second level: see `two_levels`.
            status = make_table(search, node)
            if status != Status.OK:
                return status
    return Status.OK


@inlined
def find_edge(tree: Tree, owner: int, move: int) -> int:
    """Return a player's edge with a move at a node, or NONE.

    For lists in another order: a game may list the moves of a position in the order in which it was
    reached.
    """
    for edge in range(tree.first[owner], tree.first[owner] + tree.degree[owner]):
        if tree.moves[edge] == move:
            return edge
    return NONE


@inlined
def node_at(search: SearchState, parent: int, turn: int, key: int, child_turn: int) -> int:
    """Return the node that another thread has reached, found by its key or new; NONE if full."""
    tree, players = search.tree, search.rules.players
    if not search.plan.transpositions:
        key = path_key(players, search.record, parent, turn)
    if search.plan.transpositions or turn == SIMULTANEOUS:
        child = find(tree, key)
        if child != NONE:
            return child
    return new_node(tree, players, key, child_turn)
