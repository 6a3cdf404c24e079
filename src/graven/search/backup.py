"""Backup: count a finished simulation on its path and in AMAF tables; update score bounds."""

from __future__ import annotations

from graven.core.compile import compiled, inlined
from graven.core.contract import SIMULTANEOUS
from graven.search.plan import SearchState, call_node_step, call_state_step, state_at
from graven.search.score_bounds import may_change
from graven.search.tree import DEPTH, STEPS
from graven.search.tree_nodes import choosers


@inlined
def backup(search: SearchState) -> None:
    """Count the simulation at every node and edge of its path, and in their AMAF tables."""
    back_up(search)
    if search.plan.tuned:
        call_state_step(search.steps.reward_parameters, (search.plan.state,))


@inlined
def back_up(search: SearchState) -> None:
    """The same for a simulation of any thread: of its own parameters, each learns alone."""
    count_path(search)
    if search.plan.amaf:
        call_state_step(search.steps.update_tables, (search.plan.state,))
    if search.rules.permutations:
        call_state_step(search.steps.record_simulation, (search.plan.state,))
    if search.plan.solver and may_change(search):
        call_state_step(search.steps.update_bounds, (search.plan.state,))
    if search.rules.implicit:
        call_state_step(search.steps.update_minimax, (search.plan.state,))
    if search.rules.last_use:
        call_state_step(search.steps.note_use, (search.plan.state,))
    if search.rules.criticality:
        call_state_step(search.steps.count_in_tables, (search.plan.state,))


@inlined
def count_path(search: SearchState) -> None:
    """Count the simulation at every node and edge of its path."""
    tree, record = search.tree, search.record
    players, scores = search.rules.players, record.scores
    for depth in range(record.shape[DEPTH]):
        tree.visits[record.path[depth]] += 1
    for depth in range(record.shape[STEPS]):
        turn = tree.turns[record.path[depth]]
        if turn >= 0:
            edge = record.edges[depth * players + turn]
            tree.counts[edge] += 1
            tree.sums[edge] += scores[turn]
        else:
            if search.rules.regrets and turn == SIMULTANEOUS:
                call_node_step(search.steps.add_regrets, (search.plan.state, depth))
            low, high = choosers(turn, players)
            for player in range(low, high):
                edge = record.edges[depth * players + player]
                tree.counts[edge] += 1
                tree.sums[edge] += scores[player]
    if search.rules.squares:
        add_squares(search.plan.state)


@compiled
def add_squares(state: int) -> None:
    """Add the squared scores to the edges of the path."""
    search = state_at(state)
    tree, record = search.tree, search.record
    players, scores = search.rules.players, record.scores
    for depth in range(record.shape[STEPS]):
        low, high = choosers(tree.turns[record.path[depth]], players)
        for player in range(low, high):
            edge = record.edges[depth * players + player]
            tree.squares[edge] += scores[player] * scores[player]
