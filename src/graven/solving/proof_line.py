"""Read a line of best play from the transposition table of a proof search."""

from __future__ import annotations

from graven.core.position import Position
from graven.solving.proof_number import (
    GOAL,
    ProofGame,
    ProofStack,
    ProofTable,
    child_key,
    find_entry,
)

MAX_LINE = 200


def proof_line(
    position: Position, game: ProofGame, stack: ProofStack, table: ProofTable, first: int
) -> tuple[str, ...]:
    """Return the moves of an answered question from the root, beginning with the move `first`.

    The side that reaches its aim plays moves that are proved; the other side plays the move that
    took most work to refute. The line ends where the table has lost its entries.
    """
    goal, reached = float(stack.question[GOAL]), None
    key = int(stack.keys[0])
    moves: list[str] = []
    code: int | None = first
    while code is not None and len(moves) < MAX_LINE:
        moves.append(position.game.format_move(position.current_player, code))
        position = position.play_code(code)
        key = int(child_key(game, key, code, position.state.copy()))
        if position.is_over:
            break
        if reached is None:
            entry = find_entry(table, key)
            if entry < 0:
                break
            reached = table.proof[entry] == 0
        winner_moves = (position.current_player == game.prover) == reached
        code = _next_move(
            position, game, table, key, goal=goal, winner_moves=winner_moves, reached=bool(reached)
        )
    return tuple(moves)


def _next_move(
    position: Position,
    game: ProofGame,
    table: ProofTable,
    key: int,
    goal: float,
    winner_moves: bool,
    reached: bool,
) -> int | None:
    """Return the decided move with the least work for the winner, the most for the other side."""
    best, best_rank = None, -1.0
    for code in position.legal_codes_of(position.current_player):
        child = position.play_code(code)
        if child.scores is not None:
            decided, work = (child.scores[game.prover] >= goal) == reached, 0
        else:
            entry = find_entry(table, int(child_key(game, key, code, child.state.copy())))
            if entry < 0:
                continue
            numbers = table.proof if reached else table.disproof
            decided, work = numbers[entry] == 0, int(table.work[entry])
        rank = 1.0 / (1 + work) if winner_moves else float(work)
        if decided and rank > best_rank:
            best, best_rank = code, rank
    return best
