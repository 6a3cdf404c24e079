"""How long games last, compared with playouts: what plans of a clock for the whole game need.

Playouts end when the rules say so, games between players that search often much earlier: at Hex
when two edges are connected. Therefore a few games with short searches are played before a clock
runs, and the plies that were left in them are compared with the length of the playouts.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from graven.agents.move_clock import MoveClock
from graven.agents.search_result import find_move
from graven.core.game import Game
from graven.core.rng import derive
from graven.search.budget import Budget

if TYPE_CHECKING:
    from graven.agents.agent import SearchAgent

# The expected length of games in lengths of playouts if no short game could be finished.
UNKNOWN_SHARE = 1.0
LEAST_SHARE, MOST_SHARE = 0.1, 2.0
GAMES, PLAYOUTS = 16, 300
MOST_SECONDS = 1.0  # of CPU time

_shares: dict[tuple[str, str], float] = {}  # by game and agent


def known_share(agent: SearchAgent, game: Game) -> float:
    """Return the measured length of games in lengths of playouts, or what is assumed of it."""
    return _shares.get((game.spec, agent.spec), UNKNOWN_SHARE)


def measure_share(agent: SearchAgent, game: Game) -> float:
    """Play short games for about a second, once in a process; return their length in playouts."""
    key = game.spec, agent.spec
    if key not in _shares:
        _shares[key] = _play_games(agent, game, time.thread_time() + MOST_SECONDS)
    return _shares[key]


def _play_games(agent: SearchAgent, game: Game, deadline: float) -> float:
    left = playouts = 0.0
    search = agent.with_options(reuse_tree=False, threads=1).bind(game)
    for number in range(GAMES):
        position, expected = game.start().rolled(number), []
        while not position.is_over:
            if time.thread_time() >= deadline:
                break
            seed = derive(number, position.ply)
            result = find_move(search, position, MoveClock(Budget(PLAYOUTS)), seed)
            expected.append((position.ply, result.plies / max(1, result.playouts)))
            position = position.play_joint(result.best_joint).rolled(number)
        else:
            left += sum(position.ply - ply for ply, _ in expected)
            playouts += sum(plies for _, plies in expected)
    return min(MOST_SHARE, max(LEAST_SHARE, left / playouts)) if playouts else UNKNOWN_SHARE
