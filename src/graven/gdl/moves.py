"""Moves of GDL games: as people type them, and as the rules see them, one of every role."""

from __future__ import annotations

from collections.abc import Sequence

from graven.core import contract
from graven.core.errors import GravenError, UsageError
from graven.core.game import Position
from graven.gdl.read import Expression, Term, expressions, term_of


def move_term(text: str) -> Term | None:
    """A move as somebody typed it: `(move 1 2)`, spaces wherever they like, `move 1 2`; or None."""
    try:
        found: list[Expression] = expressions(text, "the move")
        if len(found) > 1:
            found = expressions(f"({text})", "the move")
        return term_of(found[0]) if found else None
    except GravenError:
        return None


def moves_of(position: Position, role: int) -> list[str]:
    """A role's legal moves, also where it has no choice; none when the game is over."""
    if position.is_over:
        return []
    rules = position.game.rules
    buffer = contract.new_moves(rules)
    count = contract.legal(rules, position.state.copy(), role, buffer)
    return [position.game.format_move(role, int(code)) for code in buffer[:count]]


def after(position: Position, joint: Sequence[str]) -> Position:
    """The position after a joint move, one of each role; UsageError where it is not legal."""
    for role, move in enumerate(joint):
        if role not in position.players_to_move and move not in moves_of(position, role):
            who = position.game.player_names[role]
            raise UsageError(f"{move} is not legal for {who} here.")
    return position.play_joint([joint[role] for role in position.players_to_move])
