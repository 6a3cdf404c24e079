"""Playing one job: the whole of a game, from start to scores."""

from __future__ import annotations

from collections.abc import Iterable

from graven.agents import Agent, Player, agent
from graven.core.errors import ContractError
from graven.core.game import Game
from graven.core.rng import derive
from graven.lab.jobs import GameJob, GameResult
from graven.search.engine import Budget, Stop

# Enough for the tree to grow once: growing is compiled code, too.
WARM_UP = Budget(playouts=500)


def warm_up(game: Game, agents: Iterable[Agent]) -> None:
    """Compile what agents need, or load it from the cache, before any clock runs."""
    for each in agents:
        Player(each, seed=0, budget=WARM_UP).choose(game.start())


def play_game(job: GameJob, game: Game, stop: Stop | None = None) -> GameResult | None:
    """Play a job's game to its end; None if told to stop before."""
    players = [
        Player(agent(job.agents[side]), derive(job.seed, player), job.budgets[side])
        for player, side in enumerate(job.seats)
    ]
    position = game.start()
    moves: list[str] = []
    playouts, seconds = 0, 0.0
    while not position.over:
        if position.ply >= game.plies:
            raise ContractError(
                f"{game.name}: the game goes on after {game.plies} plies, which its `plies` says "
                "is the longest game; `turn` must say when it is over."
            )
        joint = []
        for player in position.choosers:
            found = players[player].choose(position, stop)
            if stop is not None and stop.is_set():
                return None
            joint.append(found.move_of(player))
            playouts += found.playouts
            seconds += found.seconds
        position = position.play(*joint)
        moves.append(",".join(joint))
    scores = position.scores or ()
    return GameResult(job.index, job.seats, scores, tuple(moves), playouts, seconds)
