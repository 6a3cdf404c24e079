"""How long games last and stay undecided, compared with playouts: what plans of a clock need.

Playouts end when the rules say so. Games between players that search end earlier, at Hex when two
edges are connected. The winner may be known long before the end: at Go half of the moves are played
after that, and time spent on them is wasted. Therefore a few games with short searches are played
before a clock runs, and the plies to their ends, and until they were decided, are compared with the
length of the playouts.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from graven.agents.move_clock import MoveClock
from graven.agents.search_result import SearchResult, find_move
from graven.agents.time_plan import GameLength
from graven.core.game import Game
from graven.core.position import Position
from graven.core.rng import derive
from graven.search.budget import Budget

if TYPE_CHECKING:
    from graven.agents.agent import SearchAgent

UNKNOWN_LENGTH = GameLength()  # if no short game could be finished
LEAST_SHARE, MOST_SHARE = 0.1, 2.0
GAMES, PLAYOUTS = 16, 300
MOST_SECONDS = 1.0  # of CPU time
# A game is decided when the winner expects this score from then on. docs/search-options.md compares
# it with 0.7 and 0.9.
DECIDED = 0.8

_lengths: dict[tuple[str, str], GameLength] = {}  # by game and agent


def known_length(agent: SearchAgent, game: Game) -> GameLength:
    """Return the measured length of games, or what is assumed of it."""
    return _lengths.get((game.spec, agent.spec), UNKNOWN_LENGTH)


def measure_length(agent: SearchAgent, game: Game) -> GameLength:
    """Play short games for about a second, once in a process; return the length of games."""
    key = game.spec, agent.spec
    if key not in _lengths:
        _lengths[key] = _play_games(agent, game)
    return _lengths[key]


def decided_ply(end: Position, results: Sequence[tuple[Position, SearchResult]]) -> int:
    """Return the ply from which on the winner of a game expected to win; the end without a winner.

    `results` are the searches of the game in order. A search knows the expected score of the player
    to move: only positions in which the winner is to move are considered.
    """
    scores, ply = end.scores or (), end.ply
    winners = [player for player, score in enumerate(scores) if score == max(scores)]
    if len(winners) != 1:
        return ply
    (winner,) = winners
    for position, result in reversed(results):
        if winner in position.players_to_move:
            expected = result.value_of(winner)
            if expected is None or expected < DECIDED:
                break
            ply = position.ply
    return ply


def _play_games(agent: SearchAgent, game: Game) -> GameLength:
    # Plies to the end and plies of the playouts, from all positions; the same until the decision.
    whole, undecided = np.zeros(2), np.zeros(2)
    search = agent.with_options(reuse_tree=False, threads=1).bind(game)
    # The time to compile or load the kernels does not count.
    find_move(search, game.start().rolled(0), MoveClock(Budget(1)), seed=0)
    deadline = time.thread_time() + MOST_SECONDS
    for number in range(GAMES):
        position, results = game.start().rolled(number), []
        while not position.is_over:
            if time.thread_time() >= deadline:
                break
            seed = derive(number, position.ply)
            result = find_move(search, position, MoveClock(Budget(PLAYOUTS)), seed)
            results.append((position, result))
            position = position.play_joint(result.best_joint).rolled(number)
        else:
            decided = decided_ply(position, results)
            for earlier, result in results:
                playout = result.plies / max(1, result.playouts)
                whole += position.ply - earlier.ply, playout
                if earlier.ply < decided:
                    undecided += decided - earlier.ply, playout
    if not whole[1]:
        return UNKNOWN_LENGTH
    return GameLength(_share(*whole), _share(*undecided))


def _share(plies: float, playout_plies: float) -> float:
    return float(min(MOST_SHARE, max(LEAST_SHARE, plies / max(1.0, playout_plies))))
