"""SGF files."""

from __future__ import annotations

from pathlib import Path

from graven.core.file_replacement import replace_text
from graven.games import sgf
from graven.interfaces.gtp.gtp_arguments import parse_integer
from graven.interfaces.gtp.gtp_commands.registration import gtp_command
from graven.interfaces.gtp.gtp_protocol import CommandError
from graven.interfaces.gtp.gtp_session import GtpSession


class SgfCommands:
    """Commands that read and write SGF."""

    def __init__(self, session: GtpSession) -> None:
        self.session = session

    @gtp_command("loadsgf", go_only=True)
    def loadsgf(self, name: str, number: str = "") -> str:
        """Load a game, up to the position before move `number`; return the player to move."""
        moves = parse_integer(number) - 1 if number else None
        if not Path(name).is_file():
            raise CommandError("cannot load file")
        with Path(name).open("rb") as file:
            data = file.read(sgf.MAX_FILE_BYTES + 1)
        board = self.session.board
        board.load_sgf(sgf.read(data, moves))
        return str(board.game.player_names[board.position.state[0]].lower())

    @gtp_command("printsgf", go_only=True)
    def printsgf(self, name: str = "") -> str:
        """Return the game as SGF, or write it to a file."""
        text = sgf.write(self.session.board.to_sgf())
        if not name:
            return text
        replace_text(name, text)
        return ""
