"""Parameters that tune themselves while a search runs: a bandit chooses values per simulation.

The idea is that of Sironi and Winands 2017 ("On-line parameter tuning for Monte-Carlo tree search
in general game playing") and of Sironi, Liu and Winands 2020 ("Self-adaptive Monte Carlo tree
search in general game playing"): before each simulation a combination of parameter values is
chosen, after it the combination is rewarded with the result. Their texts were not at hand; what
follows is our own, and docs/policies/auto.md derives it.

Each player has a bandit and a combination of its own: the values are read when that player moves,
in the tree and in the playout, so that a value is good if it lets its player win against the
others' values. With one combination for all players, those values would win that make the opponent
of the player at the root play badly.

The reward is the player's score minus the mean of the player's scores in this search so far. This
removes what the position is worth, so that statistics can be kept from one move of a game to the
next: otherwise values that were tried more in good positions would seem to be good.

Both explore by upper confidence bounds, UCB = mean + C * sqrt(log(N) / n), of N simulations:

- naive (after the naive sampling of Ontanon 2013 for combinatorial bandits): with probability
  EXPLORE each parameter gets the value with the greatest UCB in a bandit of its own, the first
  untried one if there is any; otherwise the combination with the greatest lower bound,
  mean - CAUTION * sqrt(log(N) / n), among the usual one and those that were tried. The usual one
  has PRIOR simulations with reward 0 beside its own: others replace it when they are surely better.
- ntuple (after the n-tuple bandit evolutionary algorithm of Lucas, Liu and Perez-Liebana 2018): the
  value of a combination is the mean of the UCBs of its single values, of its pairs of values and of
  itself, with n + 1/2 for n. NEIGHBOURS variants of the last combination are drawn: one parameter
  gets another value, each other parameter does with probability 1/d. The best of them is chosen, or
  the last combination if none is better.

The policies read their parameters from memory (`plan.params`, or an array by player in the memory
of a playout policy); `set_parameters` writes the chosen values there.
"""

from __future__ import annotations

from math import log, sqrt

from graven.core.compile import inlined
from graven.core.handles import set_float_at
from graven.core.rng import Rng, below, uniform
from graven.search.layout import Float64
from graven.search.plan import state_at
from graven.search.tuning_arrays import TuningArrays

EXPLORE = 0.1
C = 0.2
CAUTION = 0.2
PRIOR = 100.0
NEIGHBOURS = 5


def choose_parameters(state: int) -> None:
    """Choose the combination of each player for the next simulation."""
    search = state_at(state)
    tuning, rng = search.tuning, search.record.rng
    number = len(tuning.sizes)
    for player in range(search.rules.players):
        if tuning.ntuple:
            choose_ntuple(tuning, player, rng)
        else:
            choose_naive(tuning, player, rng)
        for i in range(number):
            if tuning.by_player[i]:
                place = tuning.firsts[i] + tuning.chosen[player * number + i]
                set_float_at(tuning.targets[i], player, tuning.values[place])


def set_parameters(state: int, player: int) -> None:
    """Write the values that a player has chosen to where the tree policy reads them."""
    tuning = state_at(state).tuning
    number = len(tuning.sizes)
    for i in range(number):
        if not tuning.by_player[i]:
            place = tuning.firsts[i] + tuning.chosen[player * number + i]
            set_float_at(tuning.targets[i], 0, tuning.values[place])


def reward_parameters(state: int) -> None:
    """Reward the combination of each player with the result of the simulation."""
    search = state_at(state)
    tuning, scores = search.tuning, search.record.scores
    statistics, baselines = tuning.statistics, tuning.baselines
    number = len(tuning.sizes)
    for player in range(search.rules.players):
        score, simulations = scores[player], baselines[2 * player]
        baseline = baselines[2 * player + 1] / simulations if simulations > 0.0 else 0.5
        baselines[2 * player] += 1.0
        baselines[2 * player + 1] += score
        for i in range(number):
            place = tuning.chosen[player * number + i]
            tuning.current[player * number + i] = place
            tuning.candidate[i] = place
        for table in range(len(tuning.starts)):
            entry = entry_of(tuning, player, table)
            statistics[2 * entry] += 1.0
            statistics[2 * entry + 1] += score - baseline


@inlined
def entry_of(tuning: TuningArrays, player: int, table: int) -> int:
    """Return the entry of the combination `candidate` in a table of a player."""
    entry = player * tuning.entries + tuning.starts[table]
    number = len(tuning.sizes)
    for i in range(number):
        entry += tuning.strides[table * number + i] * tuning.candidate[i]
    return entry


@inlined
def simulations_of(tuning: TuningArrays, player: int) -> float:
    """Return how many simulations a player's statistics have: those of the first parameter."""
    total = 0.0
    for i in range(tuning.sizes[0]):
        total += tuning.statistics[2 * (player * tuning.entries + i)]
    return total


@inlined
def choose_naive(tuning: TuningArrays, player: int, rng: Rng) -> None:
    """Choose a player's combination with the naive bandit."""
    statistics, number = tuning.statistics, len(tuning.sizes)
    base, total = player * tuning.entries, simulations_of(tuning, player)
    log_total = log(total) if total > 0.0 else 0.0
    chosen = tuning.chosen[player * number : (player + 1) * number]
    if uniform(rng) < EXPLORE:
        for i in range(number):
            first = base + tuning.starts[i]
            chosen[i] = best_entry(statistics, first, first + tuning.sizes[i], log_total)
        return
    first = base + tuning.starts[len(tuning.starts) - 1]
    best = surest_entry(statistics, first, base + tuning.entries, log_total, tuning.usual_entry)
    for i in range(number):
        stride = tuning.strides[(len(tuning.starts) - 1) * number + i]
        chosen[i] = best // stride
        best %= stride


@inlined
def best_entry(statistics: Float64, first: int, end: int, log_total: float) -> int:
    """Return the place from `first` of the entry with the greatest UCB, an untried one first."""
    best, most = 0, -1.0
    for entry in range(first, end):
        visits = statistics[2 * entry]
        if visits == 0.0:
            return entry - first
        value = statistics[2 * entry + 1] / visits + C * sqrt(log_total / visits)
        if value > most:
            best, most = entry - first, value
    return best


@inlined
def surest_entry(statistics: Float64, first: int, end: int, log_total: float, usual: int) -> int:
    """Return the place from `first` of the entry with the greatest lower bound."""
    visits = statistics[2 * (first + usual)] + PRIOR
    best = usual
    most = statistics[2 * (first + usual) + 1] / visits - CAUTION * sqrt(log_total / visits)
    for entry in range(first, end):
        visits = statistics[2 * entry]
        if visits > 0.0 and entry != first + usual:
            value = statistics[2 * entry + 1] / visits - CAUTION * sqrt(log_total / visits)
            if value > most:
                best, most = entry - first, value
    return best


@inlined
def choose_ntuple(tuning: TuningArrays, player: int, rng: Rng) -> None:
    """Choose a player's combination with the n-tuple bandit."""
    number, candidate = len(tuning.sizes), tuning.candidate
    total = simulations_of(tuning, player)
    log_total = log(total) if total > 0.0 else 0.0
    current = tuning.current[player * number : (player + 1) * number]
    chosen = tuning.chosen[player * number : (player + 1) * number]
    for i in range(number):
        candidate[i] = chosen[i] = current[i]
    most = ntuple_value(tuning, player, log_total)
    for _ in range(NEIGHBOURS):
        moved = below(rng, number)
        for i in range(number):
            candidate[i] = current[i]
            if i == moved or uniform(rng) * number < 1.0:
                other = below(rng, tuning.sizes[i] - 1)
                candidate[i] = other + (other >= current[i])
        value = ntuple_value(tuning, player, log_total)
        if value > most:
            most = value
            for i in range(number):
                chosen[i] = candidate[i]


@inlined
def ntuple_value(tuning: TuningArrays, player: int, log_total: float) -> float:
    """Return the mean of the UCBs of `candidate` in all tables."""
    total = 0.0
    for table in range(len(tuning.starts)):
        entry = entry_of(tuning, player, table)
        visits = tuning.statistics[2 * entry]
        mean = tuning.statistics[2 * entry + 1] / visits if visits > 0.0 else 0.0
        total += mean + C * sqrt(log_total / (visits + 0.5))
    return total / len(tuning.starts)
