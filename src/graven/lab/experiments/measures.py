"""Published figures that are no win rates: what an agent does while it plays against itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import fmean, median

from graven.agents import SearchResult, agent
from graven.agents.agent import find_move
from graven.core.errors import UsageError
from graven.core.rng import derive
from graven.lab.experiments.play_game import warm_up
from graven.lab.published import Figure, Setup, Table
from graven.search.budget import Budget
from graven.search.engine import Search, Stop
from graven.search.entries import AmafEntries, count_entries
from graven.sources.load import make_game

Measure = Callable[[Setup, int, int, Stop], float | None]


def simulations_per_second(setup: Setup, games: int, seed: int, stop: Stop) -> float | None:
    """The median over the moves of a game, and the mean of that over games, as Sironi and Winands
    have it."""
    medians = []
    for index in range(games):
        rates = [found.playouts_per_second for _, found in _moves(setup, index, seed, stop)]
        if stop.is_set():
            return None
        medians.append(median(rates))
    return fmean(medians)


def statistics_per_node(setup: Setup, games: int, seed: int, stop: Stop) -> float | None:
    """AMAF statistics that a node keeps at the end of a search, over all searches of the games.

    RAVE needs those of the moves that are legal in the node, GRAVE those of all moves played from
    there on, since nodes below may read them.
    """
    total = AmafEntries(0, 0, 0)
    for index in range(games):
        for search, _ in _moves(setup, index, seed, stop):
            total += count_entries(search)
    if stop.is_set():
        return None
    own_moves_only = agent(setup.first).search_spec.ref == 0
    return (total.legal if own_moves_only else total.all) / total.nodes


MEASURES: dict[str, Measure] = {
    "simulations/s": simulations_per_second,
    "statistics/node": statistics_per_node,
}


def _moves(
    setup: Setup, index: int, seed: int, stop: Stop
) -> Iterator[tuple[Search, SearchResult]]:
    """Every search of a game that the agent plays against itself, until told to stop."""
    game, plays = make_game(setup.game), agent(setup.first)
    warm_up(game, [plays])
    search, budget = plays.bind(game), Budget(setup.playouts[0])
    position = game.start()
    while not position.is_over and not stop.is_set():
        found = find_move(search, position, budget, derive(seed, index, position.ply), stop)
        yield search, found
        position = position.play_joint(
            (found.best_move,) if isinstance(found.best_move, str) else found.best_move
        )


def measured(
    table: Table, games: int, seed: int, stop: Stop, taken: Callable[[], None]
) -> dict[Figure, float]:
    """Our figures for those of a table, each from so many games; those taken before a stop."""
    if games < 1:
        raise UsageError(f"something can be measured in at least 1 game, not {games}.")
    if table.measure not in MEASURES:
        raise UsageError(f"{table.measure} of table {table.name} cannot be measured.")
    take = MEASURES[table.measure]
    found: dict[Figure, float] = {}
    for figure in table.figures:
        if figure.setup is None:
            continue
        value = take(figure.setup, games, seed, stop)
        if value is None:
            break
        found[figure] = value
        taken()
    return found
