"""Selection of a new node that other threads of a round do not select as well (`parallel=sync`).

When a round begins, all threads have the same tree. Where selection leaves nothing to chance, as
with AMAF values, all of them would add the same node and play from it. So thread t assumes that the
threads before it add the best nodes: where it is about to add one, it selects again, t times, each
time with virtual losses on the edge just selected, that is playouts with score 0. They are removed
before it goes on.
"""

from __future__ import annotations

from graven.search import amaf
from graven.search.plan import call_node_choice, call_place_choice, state_at
from graven.search.select.selection import call_select, log_of
from graven.search.tree import ROOT, TABLE


def select_apart(state: int, node: int, mover: int, edge: int) -> int:
    """Return the edge that this thread takes where the first thread takes `edge` to a new node."""
    search = state_at(state)
    rules, tree, plan, record = search.rules, search.tree, search.plan, search.record
    losses = search.log.losses
    if plan.halving and node == tree.meta[ROOT]:
        return edge
    place = node * rules.players + mover
    first = tree.first[place]
    end = first + tree.degree[place]
    if search.steps.width:
        end = min(end, first + call_node_choice(search.steps.width, (state, node)))
    select = plan.select_muted if plan.select_muted and record.muted[0] else plan.select
    before = min(search.log.thread, end - first - 1)
    taken = record.moves
    for i in range(before):
        taken[i] = edge
        tree.counts[edge] += losses
        tree.visits[node] += losses
        if plan.solver and tree.skips[node]:
            edge = call_place_choice(search.steps.select_open, (state, node, mover))
        else:
            edge = call_select(
                select,
                (
                    plan.listed_edges,
                    tree.visits[node],
                    log_of(plan.logs, tree.visits[node]),
                    first,
                    end,
                    amaf.player_base(rules, max(record.shape[TABLE], 0), mover),
                ),
            )
    for i in range(before):
        tree.counts[taken[i]] -= losses
        tree.visits[node] -= losses
    return edge
