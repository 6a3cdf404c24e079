"""Playing one job: a whole game, from the opening to the scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graven.agents import ForfeitError, MoveClock, Player, ResignedError, agent, is_external
from graven.core.errors import ContractError, UsageError
from graven.core.game import Game
from graven.core.position import Position
from graven.core.rng import derive
from graven.core.watchdog import beat
from graven.lab.experiments.game_records import (
    GameRecord,
    forfeit_scores,
    move_comment,
    report_forfeit,
    write_sgf,
)
from graven.lab.experiments.job import GameJob, GameResult, MoveSearch
from graven.lab.store.provenance import machine, version
from graven.search.policy import Policy
from graven.search.runner import Stop

OnPly = Callable[[Sequence[str]], None]

OPENING_TRIES = 100
VALUE_DIGITS = 4
SECONDS_DIGITS = 6


def random_opening(game: Game, plies: int, seed: int) -> tuple[Position, list[str]]:
    """Play random plies that do not end the game; return the position and the moves."""
    for attempt in range(OPENING_TRIES):
        position = game.start()
        moves: list[str] = []
        while len(moves) < plies and not position.is_over:
            joint = []
            if position.is_chance:
                outcome = position.roll(derive(seed, attempt, position.ply))
                joint.append(outcome.last_move)
            for player in position.players_to_move:
                legal = position.legal_moves_of(player)
                joint.append(legal[derive(seed, attempt, position.ply, player) % len(legal)])
            position = position.play_joint(joint)
            moves.append(",".join(joint))
        if not position.is_over:
            return position, moves
    if game.start().is_over:
        raise UsageError(f"the game of {game.spec} is over at its start.")
    raise UsageError(
        f"{OPENING_TRIES} times, {plies} random plies ended the game of {game.spec}: "
        "ask for a shorter opening."
    )


def play_game(
    job: GameJob,
    game: Game,
    stop: Stop | None = None,
    policies: Sequence[Policy] = (),
    on_ply: OnPly | None = None,
) -> GameResult | None:
    """Play a job's game to its end; None if it was stopped before.

    `on_ply` is called with the moves so far, before each ply and before the scores are asked for.
    """
    pairing, seats = job.pairing, job.pairing.seats(job.index)
    players = [
        agent(pairing.agents[side], policies).player(game, derive(job.seed, player))
        for player, side in enumerate(seats)
    ]
    clocks = [MoveClock(pairing.budgets[side], stop) for side in seats]
    try:
        record = GameRecord(
            *random_opening(game, pairing.opening_plies, pairing.opening_seed(job.index))
        )
        everyone = list(range(game.players))
        if not _search_along(record, everyone, players, clocks):  # the start clock
            return None
        while record.forfeit_scores is None:
            beat()
            if on_ply is not None:
                on_ply(record.moves)
            if record.position.is_over:
                break
            _check_length(game, record.position)
            waiting = [p for p in everyone if p not in record.position.players_to_move]
            if not _search_along(record, waiting, players, clocks):
                return None
            if not _play_ply(job, record, players, clocks):
                return None
    finally:
        for player in players:
            player.close()
    if any(map(is_external, pairing.agents)):
        write_sgf(job, game, record)
    return GameResult(
        index=job.index,
        seats=seats,
        seed=job.seed,
        scores=record.scores,
        moves=tuple(record.moves),
        playouts=record.playouts,
        seconds=record.seconds,
        version=version(),
        machine=machine(),
        values=tuple(record.values),
        searches=tuple(record.searches),
    )


def _search_along(
    record: GameRecord, chosen: list[int], players: list[Player], clocks: list[MoveClock]
) -> bool:
    """Let players with every_step=true search the position; False if the game was stopped."""
    for player in chosen:
        idle = record.position.is_over or record.position.is_chance
        if players[player].every_step and not idle:
            result = players[player].ponder(record.position, clocks[player])
            if clocks[player].stopped:
                return False
            if result is not None:
                record.playouts += result.playouts
                record.seconds += result.seconds
    return True


def _play_ply(
    job: GameJob, record: GameRecord, players: list[Player], clocks: list[MoveClock]
) -> bool:
    """Let the players to move choose, and play their moves; False if the game was stopped."""
    position = record.position
    if position.is_chance:
        record.position = position.roll(derive(job.seed, position.game.chance_index, position.ply))
        record.moves.append(record.position.last_move)
        record.comments.append("")
        record.values.append(None)
        record.searches.append(MoveSearch(player=None, playouts=None, seconds=None))
        return True
    joint: list[str] = []
    value: float | None = None
    playouts, seconds = 0, 0.0
    for player in position.players_to_move:
        clock = clocks[player]
        try:
            result = players[player].choose(position, clock)
        except ForfeitError as error:
            if clock.stopped:
                return False
            record.forfeit_scores = forfeit_scores(player, position.game.players)
            record.resigned = isinstance(error, ResignedError)
            report_forfeit(job, error)
            return True
        if clock.stopped:
            return False
        if not joint and result.playouts:
            value = round(result.value, VALUE_DIGITS)
        joint.append(result.move_of(player))
        if result.playouts:  # the time of a program that reports no playouts is not ours
            playouts += result.playouts
            seconds += result.seconds
    record.position = position.play_joint(joint)
    record.moves.append(",".join(joint))
    record.comments.append(move_comment(result))
    record.values.append(value)
    record.playouts += playouts
    record.seconds += seconds
    record.searches.append(
        MoveSearch(
            player=position.players_to_move[0] if len(joint) == 1 else None,
            playouts=playouts or None,
            seconds=round(seconds, SECONDS_DIGITS) if playouts else None,
        )
    )
    return True


def _check_length(game: Game, position: Position) -> None:
    if position.ply >= game.max_plies:
        raise ContractError(
            f"{game.name}: the game goes on after {game.max_plies} plies, more than its "
            "`max_plies`; `turn` must return TERMINAL when the game is over."
        )
