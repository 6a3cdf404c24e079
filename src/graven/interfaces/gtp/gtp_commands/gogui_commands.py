"""GoGui's commands about the rules, for games other than Go."""

from __future__ import annotations

from graven.interfaces.gtp.gtp_arguments import format_vertex
from graven.interfaces.gtp.gtp_commands.registration import gtp_command
from graven.interfaces.gtp.gtp_session import GtpSession


class GoguiCommands:
    """Commands that describe the game and its current position."""

    def __init__(self, session: GtpSession) -> None:
        self.board = session.board

    @gtp_command("gogui-rules_game_id")
    def game_id(self) -> str:
        """Return the game's name."""
        return self.board.game.name.capitalize()

    @gtp_command("gogui-rules_board_size")
    def board_size(self) -> str:
        """Return the board's size."""
        return str(self.board.game.options.get("size", "")).split("x")[0]

    @gtp_command("gogui-rules_board")
    def board_text(self) -> str:
        """Return the board as text."""
        return "\n" + str(self.board.position)

    @gtp_command("gogui-rules_side_to_move")
    def side_to_move(self) -> str:
        """Return the player to move, or "none" after the end of the game."""
        position = self.board.position
        if position.is_over:
            return "none"
        return self.board.game.player_names[position.current_player].lower()

    @gtp_command("gogui-rules_legal_moves")
    def legal_moves(self) -> str:
        """Return all legal moves."""
        return " ".join(format_vertex(move) for move in self.board.position.legal_moves)

    @gtp_command("gogui-rules_final_result")
    def final_result(self) -> str:
        """Return the winner."""
        scores = self.board.position.scores
        if scores is None:
            return "The game is not over"
        if scores[0] == scores[1]:
            return "Draw"
        return f"{self.board.game.player_names[int(scores[1] > scores[0])]} wins"
