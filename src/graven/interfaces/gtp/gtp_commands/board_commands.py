"""The board: size, komi, handicap, moves."""

from __future__ import annotations

from graven.core.errors import GravenError
from graven.games import go
from graven.interfaces.gtp import handicap
from graven.interfaces.gtp.gtp_arguments import parse_integer, parse_number
from graven.interfaces.gtp.gtp_commands.registration import gtp_command
from graven.interfaces.gtp.gtp_protocol import CommandError
from graven.interfaces.gtp.gtp_session import GtpSession
from graven.sources.load import load_game


class BoardCommands:
    """Commands that set up the board and play moves on it."""

    def __init__(self, session: GtpSession) -> None:
        self.session = session
        self.board = session.board

    @gtp_command("boardsize")
    def boardsize(self, *size: str) -> str:
        """Start a new game on a board of that size."""
        if len(size) not in (1, 2):
            raise CommandError("syntax error")
        text = size[0] if len(set(size)) == 1 else "x".join(reversed(size))
        game = self.board.game
        try:
            self.board.reset(load_game(game.name, **{**game.options, "size": text}))
        except GravenError:
            raise CommandError("unacceptable size") from None
        self.session.clocks.restart()
        self.session.prepare_clock()
        return ""

    @gtp_command("rectangular_boardsize")
    def rectangular_boardsize(self, columns: str, rows: str) -> str:
        """Start a new game on a rectangular board: the command of Sabaki and KataGo."""
        return self.boardsize(columns, rows)

    @gtp_command("clear_board")
    def clear_board(self) -> str:
        """Start a new game on the same board."""
        self.board.reset(self.board.game)
        self.session.clocks.restart()
        self.session.prepare_clock()
        return ""

    @gtp_command("komi", go_only=True)
    def komi(self, komi: str) -> str:
        """Set White's komi."""
        self.board.set_komi(parse_number(komi, "komi", -go.MAX_KOMI, go.MAX_KOMI))
        self.session.prepare_clock()
        return ""

    @gtp_command("fixed_handicap", go_only=True)
    def fixed_handicap(self, stones: str) -> str:
        """Place handicap stones on the fixed points."""
        self._require_untouched_board()
        points = handicap.fixed_points(self.board.side_length, parse_integer(stones))
        self.board.place_handicap(points)
        return " ".join(points)

    @gtp_command("place_free_handicap", go_only=True)
    def place_free_handicap(self, stones: str) -> str:
        """Place handicap stones at the engine's choice: on the fixed points."""
        self._require_untouched_board()
        points = handicap.free_points(self.board.side_length, parse_integer(stones))
        self.board.place_handicap(points)
        return " ".join(points)

    @gtp_command("set_free_handicap", go_only=True)
    def set_free_handicap(self, *points: str) -> str:
        """Place handicap stones at the controller's choice."""
        self._require_untouched_board()
        if len(points) < 2 or len({point.lower() for point in points}) < len(points):
            raise CommandError("bad vertex list")
        self.board.place_handicap(list(points))
        return ""

    def _require_untouched_board(self) -> None:
        if not self.board.is_untouched:
            raise CommandError("board not empty")

    @gtp_command("play")
    def play(self, colour: str, vertex: str) -> str:
        """Play a move."""
        self.board.play(self.board.player(colour), vertex)
        return ""

    @gtp_command("undo")
    def undo(self) -> str:
        """Take the last move back."""
        self.board.undo()
        return ""

    @gtp_command("showboard")
    def showboard(self) -> str:
        """Return the board as text."""
        return "\n" + str(self.board.position)
