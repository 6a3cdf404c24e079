"""Sequential halving at the root: selection that finds the best move with little simple regret.

The moves of the root are arms of a bandit. In each round every arm that is left gets the same
number of playouts, and the better half of the arms by

    mean + root_amaf * AMAF / n

stays (Karnin, Koren and Somekh 2013; root_amaf = 0). AMAF values as external knowledge are after
SHUSS (Fabiano and Cazenave 2021); that they fade with a move's playouts n is our choice.

With a budget of B playouts and k arms a round gives each of its arms (B - 1) / (arms * rounds)
playouts, where rounds = ceil(log2 k); the last arm gets the rest, so that it has the most playouts.
Without a budget complete passes follow each other, in which each round gives an arm k / arms
playouts (Sagers, Winands and Soemers 2024, "Anytime Sequential Halving").

Below the root the tree policy selects. Arms that are proven worse than another are skipped. What is
selected depends on the counts of the root's edges alone: a descent can be repeated.
"""

from __future__ import annotations

from graven.core.compile import inlined
from graven.search import amaf
from graven.search.plan import SearchState, state_at
from graven.search.score_bounds import WORSE
from graven.search.select.selection import ROOT_AMAF
from graven.search.tree import ARMS, BUDGET, FIELD, ROOT

FOREVER = 1 << 62


def select_arm(state: int, player: int) -> int:
    """Return the edge of the root that is to have the next playout."""
    search = state_at(state)
    record = search.record
    left = record.halving
    if left[ARMS] == 0:
        start_pass(search, player)
    while True:
        for i in range(left[ARMS]):
            edge = record.arms[i]
            if search.tree.counts[edge] < record.targets[i] and not is_skipped(search, edge):
                return edge
        if left[ARMS] > 2 or (left[ARMS] == 2 and left[BUDGET] > 0):
            halve(search, player)
        else:
            start_pass(search, player)


@inlined
def is_skipped(search: SearchState, edge: int) -> bool:
    """Return whether an edge is proven to be no better than another one."""
    return search.plan.solver != 0 and search.tree.skipped[edge] == WORSE


@inlined
def start_pass(search: SearchState, player: int) -> None:
    """Let all edges of the root be arms."""
    tree, record = search.tree, search.record
    place = tree.meta[ROOT] * search.rules.players + player
    count = 0
    for edge in range(tree.first[place], tree.first[place] + tree.degree[place]):
        if not is_skipped(search, edge):
            record.arms[count] = edge
            count += 1
    record.halving[ARMS] = record.halving[FIELD] = count
    set_targets(search)


@inlined
def set_targets(search: SearchState) -> None:
    """Set how many playouts each arm is to have at the end of the round."""
    record = search.record
    arms, field, budget = record.halving[ARMS], record.halving[FIELD], record.halving[BUDGET]
    rounds = 0
    while 1 << rounds < field:
        rounds += 1
    share = field // arms
    if budget:
        share = max(1, (budget - 1) // (arms * max(1, rounds)))
    last = arms == 1 and (budget > 0 or field == 1)
    for i in range(arms):
        record.targets[i] = FOREVER if last else search.tree.counts[record.arms[i]] + share


@inlined
def halve(search: SearchState, player: int) -> None:
    """Keep the better half of the arms, the best first; equal ones stay in their order."""
    record = search.record
    arms, values = record.arms, record.values
    for i in range(record.halving[ARMS]):
        edge, value, at = arms[i], arm_value(search, player, arms[i]), i
        while at > 0 and values[at - 1] < value:
            values[at], arms[at] = values[at - 1], arms[at - 1]
            at -= 1
        values[at], arms[at] = value, edge
    record.halving[ARMS] = (record.halving[ARMS] + 1) // 2
    set_targets(search)


@inlined
def arm_value(search: SearchState, player: int, edge: int) -> float:
    """Return mean + root_amaf * AMAF / n; 0 without playouts."""
    rules, tree, plan = search.rules, search.tree, search.plan
    visits, value = tree.counts[edge], 0.0
    if visits > 0:
        value = tree.sums[edge] / visits
        if plan.params[ROOT_AMAF] > 0.0:
            base = amaf.player_base(rules, tree.table[tree.meta[ROOT]], player)
            playouts = amaf.amaf_playouts(rules, tree, base, tree.moves[edge])
            if playouts > 0.0:
                mean = amaf.amaf_scores(rules, tree, base, tree.moves[edge]) / playouts
                value += plan.params[ROOT_AMAF] * mean / visits
    return value
