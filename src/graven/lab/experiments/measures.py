"""Published figures that are not win rates, measured while an agent plays against itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import fmean, median

from graven.agents import MoveClock, SearchAgent, SearchPlayer, SearchResult
from graven.core.errors import UsageError
from graven.core.rng import derive
from graven.lab.experiments.run_config import RunConfig, RunProgress
from graven.lab.published import FigureSetup, PublishedFigure, PublishedTable
from graven.search.budget import Budget
from graven.search.entries import AmafEntries, count_entries
from graven.sources.load import load_game

MeasureConfig = RunConfig[RunProgress]
Measure = Callable[[FigureSetup, int, MeasureConfig], float | None]


def simulations_per_second(setup: FigureSetup, games: int, config: MeasureConfig) -> float | None:
    """Return the mean over games of the median speed of a game's moves (Sironi and Winands)."""
    medians, agent = [], setup.agent(setup.first)
    for index in range(games):
        speeds = [
            result.playouts_per_second for _, result in _searches(setup, agent, index, config)
        ]
        if config.stopped:
            return None
        medians.append(median(speeds))
    return fmean(medians)


def statistics_per_node(setup: FigureSetup, games: int, config: MeasureConfig) -> float | None:
    """Return the AMAF statistics per node at the end of a search, over all searches of the games.

    RAVE needs those of the moves that are legal in the node. GRAVE needs those of all moves played
    below it, since deeper nodes may read them. In GDL a player who does not move plays `noop`,
    which the paper's program counts as a move and graven does not have: one more for each such
    player, and in GRAVE one for the player to move, who waits later.
    """
    total, players = AmafEntries(0, 0, 0, 0), load_game(setup.game).players
    agent = setup.agent(setup.first).with_options(edges="all")  # entries of all legal moves
    for index in range(games):
        for player, _ in _searches(setup, agent, index, config):
            total += count_entries(player.search)
    if config.stopped:
        return None
    if setup.agent(setup.first).search_spec.ref == 0:
        return (total.legal + (players - 1) * total.in_turn) / total.nodes
    return (total.all + players * total.in_turn) / total.nodes


MEASURES: dict[str, Measure] = {
    "simulations/s": simulations_per_second,
    "statistics/node": statistics_per_node,
}


def _searches(
    setup: FigureSetup, agent: SearchAgent, index: int, config: MeasureConfig
) -> Iterator[tuple[SearchPlayer, SearchResult]]:
    """Yield every search of a game in which one player makes all moves, until stopped."""
    game = load_game(setup.game)
    player = agent.player(game, derive(config.seed, index))
    player.warm_up()
    clock = MoveClock(Budget(setup.playouts[0]), config.stop)
    position = game.start()
    while not position.is_over and not config.stopped:
        result = player.choose(position, clock)
        yield player, result
        position = position.play_joint(result.best_joint)


def measured(
    table: PublishedTable, games: int, config: MeasureConfig
) -> dict[PublishedFigure, float]:
    """Measure the figures of a table in `games` games each; return those taken before a stop."""
    if games < 1:
        raise UsageError(f"a measurement needs at least 1 game, got {games}.")
    if table.measure not in MEASURES:
        raise UsageError(f"{table.measure} of table {table.name} cannot be measured.")
    measure = MEASURES[table.measure]
    values: dict[PublishedFigure, float] = {}
    for figure in table.figures:
        if figure.setup is None:
            continue
        value = measure(figure.setup, games, config)
        if value is None:
            break
        values[figure] = value
        config.report(RunProgress(len(values), len(table.figures)))
    return values
