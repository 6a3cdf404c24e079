"""Playing one job: the whole of a game, from start to scores."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from graven.agents import Agent, Player, Program, agent
from graven.agents.gtp_program import ProgramError, ProgramPlayer, ResignedError, seated
from graven.core.errors import ContractError, UsageError
from graven.core.game import Game, Position
from graven.core.rng import derive
from graven.lab.experiments.game_records import comment_on, keep_record, lost_by, report
from graven.lab.experiments.job import GameJob, GameResult
from graven.lab.store.provenance import machine, version
from graven.search.budget import Budget
from graven.search.engine import Stop

# Enough for the tree to grow once: growing is compiled code, too.
WARM_UP = Budget(playouts=500)
OPENING_TRIES = 100

_warm: set[Any] = set()


def warm_up(game: Game, agents: Iterable[Agent]) -> None:
    """Compile what agents need, or load it from the cache, before any clock runs."""
    for each in agents:
        if isinstance(each, Program):
            continue
        spec = each.search_spec
        needs = game.spec, spec.formula, spec.playout.variant, spec.ref is None
        if needs not in _warm:
            Player(each, seed=0, budget=WARM_UP).choose(game.start())
            _warm.add(needs)


def opened(game: Game, moves: int, seed: int) -> tuple[Position, list[str]]:
    """A position after so many random moves that do not end the game, and the moves."""
    for attempt in range(OPENING_TRIES):
        position = game.start()
        played: list[str] = []
        while len(played) < moves and not position.is_over:
            joint = []
            for player in position.players_to_move:
                legal = position.legal_moves_of(player)
                joint.append(legal[derive(seed, attempt, position.ply, player) % len(legal)])
            position = position.play_joint(joint)
            played.append(",".join(joint))
        if not position.is_over:
            return position, played
    if game.start().is_over:
        raise UsageError(f"the game of {game.spec} is over before it begins.")
    raise UsageError(
        f"{OPENING_TRIES} times {moves} random moves ended the game of {game.spec}: "
        "ask for a shorter opening."
    )


def play_game(job: GameJob, game: Game, stop: Stop | None = None) -> GameResult | None:
    """Play a job's game to its end; None if told to stop before."""
    cell, seats, seed = job.cell, job.cell.seats(job.index), job.seed
    players = [
        seated(agent(cell.agents[side]), derive(seed, player), cell.budgets[side])
        for player, side in enumerate(seats)
    ]
    try:
        return _played(job, game, players, stop)
    finally:
        for each in players:
            if isinstance(each, ProgramPlayer):
                each.close()


def _played(
    job: GameJob, game: Game, players: list[Player | ProgramPlayer], stop: Stop | None
) -> GameResult | None:
    cell, seats, seed = job.cell, job.cell.seats(job.index), job.seed
    position, moves = opened(game, cell.openings, cell.opening_seed(job.index))
    playouts, seconds = 0, 0.0
    comments = [""] * len(moves)
    values: list[float | None] = [None] * len(moves)
    scores: tuple[float, ...] | None = None
    resigned = False
    while not position.is_over:
        if position.ply >= game.max_plies:
            raise ContractError(
                f"{game.name}: the game goes on after {game.max_plies} plies, more than its "
                "`max_plies`; `turn` must return TERMINAL when the game is over."
            )
        joint: list[str] = []
        believed: float | None = None
        for player in position.players_to_move:
            try:
                found = players[player].choose(position, stop)
            except ProgramError as error:
                if stop is not None and stop.is_set():
                    return None
                scores = lost_by(player, game.players)
                resigned = isinstance(error, ResignedError)
                report(job, error)
                break
            if stop is not None and stop.is_set():
                return None
            if not joint and found.playouts:
                believed = round(found.value, 4)
            joint.append(found.move_of(player))
            if found.playouts:  # of a program's thinking we know only how long it took
                playouts += found.playouts
                seconds += found.seconds
        if scores is not None:
            break
        position = position.play_joint(joint)
        moves.append(",".join(joint))
        comments.append(comment_on(found))
        values.append(believed)
    if scores is None:
        scores = position.scores or ()
    if any(isinstance(each, ProgramPlayer) for each in players):
        keep_record(job, game, position, moves, comments, scores, resigned)
    return GameResult(
        job.index,
        seats,
        seed,
        scores,
        tuple(moves),
        playouts,
        seconds,
        version(),
        machine(),
        tuple(values),
    )
