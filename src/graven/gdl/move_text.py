"""Parse and list moves of GDL games as text, and play joint moves: one move of every role."""

from __future__ import annotations

from collections.abc import Sequence

from graven.core import contract
from graven.core.errors import GravenError, UsageError
from graven.core.position import Position
from graven.gdl.language.kif_reader import expressions, term_of
from graven.gdl.language.kif_terms import Term


def move_term(text: str) -> Term | None:
    """Parse a move: `(move 1 2)` with any spaces, or `move 1 2`; None if it is malformed."""
    try:
        parts = expressions(text, "the move")
        if len(parts) > 1:
            parts = expressions(f"({text})", "the move")
        return term_of(parts[0]) if parts else None
    except GravenError:
        return None


def moves_of(position: Position, role: int) -> list[str]:
    """Return a role's legal moves, also where it has no choice; none when the game is over."""
    if position.is_over:
        return []
    rules = position.game.rules
    buffer = contract.new_moves(rules)
    count = contract.legal(rules, position.state.copy(), role, buffer)
    return [position.game.format_move(role, int(code)) for code in buffer[:count]]


def after(position: Position, joint: Sequence[str]) -> Position:
    """Return the position after a joint move; raise UsageError if a move is not legal."""
    for role, move in enumerate(joint):
        if role not in position.players_to_move and move not in moves_of(position, role):
            name = position.game.player_names[role]
            raise UsageError(f"{move} is not legal for {name} here.")
    return position.play_joint([joint[role] for role in position.players_to_move])
