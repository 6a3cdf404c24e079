"""The search loop: each simulation is a descent (selection, expansion), a playout and a backup."""

from __future__ import annotations

from graven.core import contract
from graven.core.compile import compiled, inlined
from graven.core.status import Status
from graven.search.backup import backup
from graven.search.descend import descend
from graven.search.joint_bounds import has_joint_space, joint_nodes
from graven.search.plan import (
    SearchState,
    call_learn,
    call_node_choice,
    call_playout,
    call_state_step,
    state_at,
)
from graven.search.playout.loop import play_uniformly
from graven.search.record_log import append
from graven.search.score_bounds import root_is_decided
from graven.search.stored_traces import stored_size
from graven.search.tree import (
    BEGUN,
    BLOCK,
    CLOSED,
    LENGTH,
    LINKS,
    MOST_PACKED,
    NODES,
    NONE,
    PACKED,
    RECORDED,
    ROOT,
    SIMULATIONS,
    TRACED,
    trace_bytes,
)
from graven.search.tree_nodes import new_node

# Entries of `control`. STOP: set from any thread, or when the root is
# proven, to end the search after the simulation under way;
# DONE: simulations done; PLIES: the plies of all of them.
STOP, DONE, PLIES, CONTROL = range(4)


@compiled
def simulate(state: int, until: int) -> int:
    """Run simulations until `control[DONE]` reaches `until`, or STOP, or a status but OK.

    `state` is the address of the search's state.
    """
    search = state_at(state)
    rng, control = search.record.rng, search.control
    while control[DONE] < until and control[STOP] == 0:
        before = rng[0]
        status = reserve(search, 1)
        if status == Status.OK:
            status = descend(search)
        if status == Status.OK and not has_joint_space(search, joint_nodes(search)):
            status = Status.NEED_JOINTS
        if status == Status.OK:
            status = play_out(search)
        if status != Status.OK:
            rng[0] = before
            return status
    return Status.OK


@inlined
def play_out(search: SearchState) -> int:
    """Play from the leaf that a descent has reached to the end, learn from it, and back it up."""
    rules, plan, record = search.rules, search.plan, search.record
    record.shape[BEGUN] = record.shape[LENGTH]
    if plan.rollout:
        status = play_uniformly(rules, record)
    else:
        status = call_playout(plan.playout, (plan.state,))
    if status != Status.OK:
        return status
    if not contract.are_scores(record.scores, rules.players):
        return Status.BAD_SCORE
    if rules.amaf == PACKED and not can_be_packed(search):
        return Status.NEED_WIDE
    if plan.learn:
        call_learn(plan.learn, (plan.state,))
    finish(search)
    return Status.OK


@inlined
def can_be_packed(search: SearchState) -> bool:
    """Return whether packed AMAF tables can count the finished simulation exactly."""
    record = search.record
    return (
        contract.are_half_points(record.scores, search.rules.players)
        and search.tree.visits[record.path[0]] < MOST_PACKED
    )


@inlined
def finish(search: SearchState) -> None:
    """Back up a finished record and count it; end the search if the root is proven."""
    backup(search)
    search.control[DONE] += 1
    search.control[PLIES] += search.record.shape[LENGTH]
    tree = search.tree
    if search.plan.solver and tree.bounded[tree.meta[ROOT]] and root_is_decided(search.plan.state):
        search.control[STOP] = 1
    if search.log.active:
        call_state_step(search.steps.log_simulation, (search.plan.state,))


def log_simulation(state: int) -> None:
    """Log a finished simulation for other threads."""
    search = state_at(state)
    append(search.rules, search.tree, search.record, search.log)


@inlined
def reserve(search: SearchState, playouts: int) -> int:
    """Return OK if the traces of so many more simulations fit, whatever their length."""
    tree, record = search.tree, search.record
    if search.plan.store_traces and not tree.meta[CLOSED]:
        if tree.meta[LINKS] + playouts * len(record.path) > len(tree.link_next):
            return Status.NEED_LINKS
        if tree.meta[SIMULATIONS] + playouts + 1 > len(tree.trace_start):
            return Status.NEED_SIMULATIONS
        size = playouts * stored_size(search.rules, len(record.trace))
        if trace_bytes(search.rules) * (tree.meta[TRACED] + size) > len(tree.traces):
            return Status.NEED_TRACES
    players, recorded = search.rules.players, tree.meta[RECORDED] + playouts
    if (
        search.rules.permutations
        and not tree.meta[CLOSED]
        and recorded // BLOCK * players >= len(tree.won_in)
    ):
        return Status.NEED_BLOCKS
    return Status.OK


@compiled
def set_root(state: int) -> int:
    """Make the record's root state the root of the tree, which may be empty."""
    search = state_at(state)
    rules, tree, record = search.rules, search.tree, search.record
    if tree.meta[NODES] == 0:
        turn = contract.turn(rules, record.root)
        key = contract.key(rules, record.root)
        tree.meta[ROOT] = new_node(tree, rules.players, key, turn)
    root = tree.meta[ROOT]
    if rules.few_edges and tree.listed_at[root] != NONE:
        status = call_node_choice(search.steps.list_all, (state, root))
        if status != Status.OK:
            return status
    missing = search.plan.amaf != 0 and tree.table[root] == NONE
    if missing and call_node_choice(search.steps.build_table, (state, root)) == NONE:
        return Status.NEED_TABLES
    if search.plan.solver and root_is_decided(search.plan.state):
        search.control[STOP] = 1  # proven by an earlier search in the same tree
    return Status.OK
