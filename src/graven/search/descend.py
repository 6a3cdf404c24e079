"""Selection and expansion: select edges from the root to a leaf, add one node."""

from __future__ import annotations

from graven.core import contract
from graven.core.bits import mix
from graven.core.compile import compiled, inlined
from graven.core.contract import CHANCE, SIMULTANEOUS, TERMINAL
from graven.core.status import Status
from graven.search import amaf
from graven.search.joint_bounds import DEVIATE
from graven.search.plan import (
    SearchState,
    call_depth_choice,
    call_node_choice,
    call_node_step,
    call_place_choice,
    call_place_step,
    call_range_step,
    call_state_step,
    state_at,
)
from graven.search.record_log import AHEAD, may_pass, threads_ahead
from graven.search.select.selection import call_select, log_of
from graven.search.tree import (
    CLOSED,
    DEPTH,
    EDGES,
    LENGTH,
    LEVEL_KEY,
    NO_SUCH,
    NODES,
    NONE,
    ROOT,
    STEPS,
    TABLE,
    Record,
)
from graven.search.tree_nodes import choosers, clear_edges, find, new_node, note_joint_moves

_ODD = -7046029254386353131


@inlined
def descend(search: SearchState) -> int:
    """Fill the record's path and the first part of its trace; `state` is then where they lead.

    Changes no statistics: a descent that runs out of memory can be repeated after growth.
    """
    tree, plan, record = search.tree, search.plan, search.record
    for i in range(search.rules.state_words):
        record.state[i] = record.root[i]
    record.path[0] = tree.meta[ROOT]
    amaf.start_reading(tree, record)
    if plan.tuned:
        call_state_step(search.steps.choose_parameters, (plan.state,))
    if search.log.active:
        search.log.position[AHEAD] = threads_ahead(search.log)
    return descend_from(search, tree.meta[ROOT], 0, 0)


@inlined
def descend_from(search: SearchState, node: int, depth: int, length: int) -> int:
    """The same from a node, whose position is `state`, below a path of that depth and length."""
    rules, tree, plan, record = search.rules, search.tree, search.plan, search.record
    steps = search.steps
    state, shape, players = record.state, record.shape, rules.players
    while True:
        record.path[depth] = node
        record.at[depth] = length
        depth += 1
        shape[DEPTH], shape[STEPS], shape[LENGTH] = depth, depth - 1, length
        player = tree.turns[node]
        if player == NO_SUCH:
            return Status.BAD_TURN
        stopped = 0
        if player == TERMINAL or (tree.visits[node] == 0 and plan.credit_creation):
            if player == TERMINAL or not may_pass(search.log):
                return Status.OK
            stopped = 1  # a thread ahead is assumed to add the node, and to play from it
            if plan.levels and plan.store_traces:
                status = amaf.make_table(search, node)
                if status != Status.OK:
                    return status
        if depth > rules.max_plies:
            return Status.TOO_LONG
        low, high = choosers(player, players)
        # At few visits, so that it costs nothing at the others: see `shared_tree.LEAST`.
        if plan.shared and tree.visits[node] % 64 == 0:
            call_node_step(steps.exchange, (plan.state, node))
        if plan.tuned:
            call_node_step(steps.set_parameters, (plan.state, low))
        if plan.amaf:
            status = amaf.read_table(search, node)
            if status != Status.OK:
                return status
        few = (
            rules.few_edges
            and player >= 0
            and depth > 1
            and (tree.listed_at[node] != NONE or tree.first[node * players + low] == NONE)
        )
        if tree.first[node * players + low] < 0 and not few:
            if player == CHANCE:
                status = Status.BAD_TURN
                if steps.list_outcomes:
                    status = call_node_choice(steps.list_outcomes, (plan.state, node))
            else:
                status = list_moves(plan.state, node, low, high)
                if status == Status.OK and rules.implicit:
                    status = call_node_choice(steps.evaluate_moves, (plan.state, node))
            if status != Status.OK:
                tree.first[node * players + low] = NONE
                return Status.OK if status == Status.NEED_EDGES and tree.meta[CLOSED] else status
        if player == CHANCE:
            call_place_step(steps.draw_edge, (plan.state, node, depth))
            high = low
            if search.log.active:
                search.log.position[AHEAD] = 0  # other threads draw other outcomes
        if rules.permutations:
            call_range_step(steps.count_permutations, (plan.state, node, low, high))
        select = plan.select
        if plan.select_muted and player != CHANCE:
            call_state_step(steps.mute_amaf, (plan.state,))
            if record.muted[0]:
                select = plan.select_muted
        tree.visits[node] += stopped
        for mover in range(low, high):
            first = tree.first[node * players + mover]
            end = first + tree.degree[node * players + mover]
            if steps.width:
                end = min(end, first + call_node_choice(steps.width, (plan.state, node)))
            if plan.tuned and mover > low:
                call_node_step(steps.set_parameters, (plan.state, mover))
            if rules.criticality:
                call_node_step(steps.read_totals, (plan.state, mover))
            drawn = rules.regrets and player == SIMULTANEOUS
            if plan.halving and depth == 1 and player >= 0:
                edge = call_node_choice(steps.select_arm, (plan.state, player))
            elif drawn and call_depth_choice(steps.draws, (plan.state, node, mover, depth - 1)):
                edge = call_depth_choice(steps.draw_by_regret, (plan.state, node, mover, depth - 1))
            elif few:
                edge = call_place_choice(steps.select_few, (plan.state, node, mover))
            elif plan.solver and tree.bounded[node] and tree.skips[node]:
                edge = call_place_choice(steps.select_open, (plan.state, node, mover))
            else:
                edge = call_select(
                    select,
                    (
                        plan.listed_edges,
                        tree.visits[node],
                        log_of(plan.logs, tree.visits[node]),
                        first,
                        end,
                        amaf.player_base(rules, max(shape[TABLE], 0), mover),
                    ),
                )
            if search.log.active and search.log.position[AHEAD] and edge >= 0:
                edge = call_depth_choice(steps.select_apart, (plan.state, node, mover, edge))
            if edge < 0:
                tree.visits[node] -= stopped
                return -1 - edge
            record.edges[(depth - 1) * players + mover] = edge
            record.joint[mover] = tree.moves[edge]
            record.trace[length] = mover * rules.num_codes + tree.moves[edge]
            length += 1
        tree.visits[node] -= stopped
        if player == SIMULTANEOUS and plan.solver and tree.visits[node] % DEVIATE == 0:
            call_node_step(steps.deviate, (plan.state, depth - 1))
        contract.play(rules, state, record.joint)
        shape[STEPS], shape[LENGTH] = depth, length
        edge = record.edges[(depth - 1) * players + low]
        if player != SIMULTANEOUS:
            child = tree.children[edge]
            if child == NONE and tree.counts[edge] + 1 < record.expand[0]:
                return Status.OK
        else:
            child = NONE
        if child == NONE:
            nodes = tree.meta[NODES]
            child = reach_child(plan.state, node, player)
            if child == NONE:
                return Status.OK if tree.meta[CLOSED] else Status.NEED_NODES
            if player != SIMULTANEOUS:
                tree.children[edge] = child
            if tree.meta[NODES] > nodes and not plan.credit_creation:
                return Status.OK  # the new node is not on the path
        node = child


@compiled
def reach_child(state: int, node: int, player: int) -> int:
    """Return the node of the position just reached, found by its key or new; NONE if full."""
    search = state_at(state)
    rules, tree, plan, record = search.rules, search.tree, search.plan, search.record
    if plan.transpositions:
        key = contract.key(rules, record.state) ^ tree.meta[LEVEL_KEY]
    else:
        # Nodes have different numbers in the trees of different threads.
        parent = tree.keys[node] if plan.shared else node
        key = path_key(rules.players, record, parent, player)
    if plan.transpositions or player == SIMULTANEOUS:
        child = find(tree, key)
        if child != NONE:
            return child
    return new_node(tree, rules.players, key, contract.turn(rules, record.state))


@inlined
def path_key(players: int, record: Record, node: int, player: int) -> int:
    """Return the key of a child without transpositions: a hash of its parent and the joint move."""
    key = (node + 1) * _ODD
    for mover in range(players):
        if player == SIMULTANEOUS or mover == max(player, 0):
            key = mix(key, record.joint[mover] + 1)
    return key


@compiled
def list_moves(state: int, node: int, low: int, high: int) -> int:
    """Give a node its edges: what players low..high-1 may play here in `tree_moves`."""
    search = state_at(state)
    rules, tree, record = search.rules, search.tree, search.record
    edges = tree.meta[EDGES]
    if edges + (high - low) * rules.max_moves > len(tree.moves):
        return Status.NEED_EDGES
    first = edges
    for mover in range(low, high):
        count = contract.tree_moves(rules, record.state, mover, record.moves)
        if count < 1:
            return Status.NO_MOVE
        if count > rules.max_moves:
            return Status.TOO_MANY
        if search.steps.order_moves:
            call_place_step(search.steps.order_moves, (state, mover, count))
        if mover > low:
            tree.first[node * rules.players + mover] = edges
        tree.degree[node * rules.players + mover] = count
        if rules.feature:
            codes = tree.codes[edges : edges + count]
            contract.features(rules, record.state, mover, record.moves, count=count, codes=codes)
            for i in range(count):
                if codes[i] >= rules.num_features:
                    return Status.BAD_FEATURE
        if rules.prior:
            priors = tree.priors[edges : edges + count]
            contract.priors(rules, record.state, mover, record.moves, count=count, out=priors)
            if not contract.are_scores(priors, count):
                return Status.BAD_PRIOR
        # One loop for each array, over slices: vector instructions fill them.
        moves = tree.moves[edges : edges + count]
        children = tree.children[edges : edges + count]
        wrong = 0
        for i in range(count):
            move = record.moves[i]
            wrong += (move < 0) | (move >= rules.num_codes)
            moves[i] = move
        if wrong:
            return Status.BAD_CODE
        for i in range(count):
            children[i] = NONE
        clear_edges(tree, edges, count)
        edges += count
    tree.meta[EDGES] = edges
    tree.first[node * rules.players + low] = first
    if rules.score_bounds and tree.turns[node] == SIMULTANEOUS:
        note_joint_moves(rules.players, tree, node)
    return Status.OK
