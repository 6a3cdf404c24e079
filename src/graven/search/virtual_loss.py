"""Selection that keeps the threads of a round apart (`parallel=sync`).

When a complete round begins, all threads have the same tree. Where selection leaves nothing to
chance, as with AMAF values, all of them would select the same leaf. So thread t assumes that the
threads before it descend first, each leaving a virtual loss on its path, that is a playout with
score 0, as the descents of a batch do. It need not descend for them: at each node of its own path
it selects once for every thread that is ahead of it and has come so far, and then for itself. Those
that have selected the same edge are ahead of it at the next node. At a new node the first of them
stops, and plays from there; the others, and this thread, go on.
"""

from __future__ import annotations

from graven.core.compile import inlined
from graven.search import amaf
from graven.search.few_edges import edge_of
from graven.search.plan import call_node_choice, call_place_choice, state_at
from graven.search.record_log import AHEAD
from graven.search.select.selection import call_select, log_of
from graven.search.tree import NONE, ROOT, TABLE


def select_apart(state: int, node: int, mover: int, edge: int) -> int:
    """Return the edge that this thread takes where the first thread before it takes `edge`."""
    search = state_at(state)
    rules, tree, plan, record = search.rules, search.tree, search.plan, search.record
    position = search.log.position
    if tree.turns[node] < 0 or (plan.halving and node == tree.meta[ROOT]):
        position[AHEAD] = 0
        return edge
    if rules.few_edges and tree.listed_at[node] != NONE:
        return select_few_apart(state, node, mover, edge)
    place = node * rules.players + mover
    first = tree.first[place]
    end = first + tree.degree[place]
    if search.steps.width:
        end = min(end, first + call_node_choice(search.steps.width, (state, node)))
    select = plan.select_muted if plan.select_muted and record.muted[0] else plan.select
    before = min(position[AHEAD], len(record.moves))
    taken = record.moves
    for i in range(before):
        taken[i] = edge
        tree.counts[edge] += 1
        tree.visits[node] += 1
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
    position[AHEAD] = 0
    for i in range(before):
        tree.counts[taken[i]] -= 1
        tree.visits[node] -= 1
        position[AHEAD] += taken[i] == edge
    return edge


@inlined
def select_few_apart(state: int, node: int, mover: int, edge: int) -> int:
    """The same at a node with edges for some of its moves only; -1 - status as `select_few`.

    Selection may give it all edges, which changes their numbers.
    """
    search = state_at(state)
    tree, position, taken = search.tree, search.log.position, search.record.moves
    place = node * search.rules.players + mover
    before, made = min(position[AHEAD], len(taken)), 0
    while made < before and edge >= 0:
        taken[made] = tree.moves[edge]
        tree.counts[edge] += 1
        tree.visits[node] += 1
        made += 1
        edge = call_place_choice(search.steps.select_few, (state, node, mover))
    position[AHEAD] = 0
    for i in range(made):
        passed = edge_of(tree, place, taken[i])
        tree.counts[passed] -= 1
        tree.visits[node] -= 1
        position[AHEAD] += passed == edge
    return edge
