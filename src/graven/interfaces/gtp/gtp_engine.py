"""The GTP engine: reads lines, calls commands, writes replies.

Every line with a command gets a reply, whatever happens; the session continues after any error.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import TextIO

from graven import __version__
from graven.core.errors import GravenError
from graven.interfaces.gtp import gtp_protocol
from graven.interfaces.gtp.gtp_board import GtpBoard
from graven.interfaces.gtp.gtp_commands.board_commands import BoardCommands
from graven.interfaces.gtp.gtp_commands.gogui_commands import GoguiCommands
from graven.interfaces.gtp.gtp_commands.move_commands import MoveCommands
from graven.interfaces.gtp.gtp_commands.registration import (
    Handler,
    Reply,
    gtp_command,
    handlers_of,
)
from graven.interfaces.gtp.gtp_commands.scoring_commands import ScoringCommands
from graven.interfaces.gtp.gtp_commands.settings_commands import SettingsCommands
from graven.interfaces.gtp.gtp_commands.sgf_commands import SgfCommands
from graven.interfaces.gtp.gtp_commands.time_commands import TimeCommands
from graven.interfaces.gtp.gtp_protocol import CommandError, GtpCommand
from graven.interfaces.gtp.gtp_session import GtpSession
from graven.interfaces.gtp.input_lines import InputLines
from graven.search.budget import Budget

GROUPS = (
    SettingsCommands,
    BoardCommands,
    TimeCommands,
    MoveCommands,
    ScoringCommands,
    SgfCommands,
    GoguiCommands,
)


class GtpEngine:
    """An engine that plays the game of a board with an agent."""

    def __init__(
        self, board: GtpBoard, spec: str, budget: Budget, seed: int = 0, pondering: bool = False
    ) -> None:
        self.session = GtpSession(board, spec, budget, seed, pondering=pondering)
        self.handlers: dict[str, Handler] = {}
        for group in (self, *(make_group(self.session) for make_group in GROUPS)):
            self.handlers.update(handlers_of(group, board.is_go))
        self._quitting = False

    def run(self, lines: InputLines, out: TextIO) -> None:
        """Reply to lines until the end of the input or `quit`."""
        self.session.next_line = lines
        while not self._quitting:
            line = lines.next()
            if line is None:
                break
            for text in self.replies(line):
                out.write(text)
                out.flush()
            self.session.ponder()

    def answer(self, line: str) -> str:
        """Return the whole reply to a line; "" for a line without a command."""
        return "".join(self.replies(line))

    def replies(self, line: str) -> Iterator[str]:
        """Yield the reply to a line in pieces, each as soon as it is known."""
        command = gtp_protocol.parse(line)
        if command is None:
            return
        try:
            reply = self._call(command)
            if isinstance(reply, str):
                yield gtp_protocol.success(command, reply)
                return
            head = f"={command.id}\n"
            for text in reply:
                yield f"{head}{text}\n"
                head = ""
            yield f"{head}\n"
        except CommandError as error:
            yield gtp_protocol.failure(command, str(error))
        except GravenError as error:
            yield gtp_protocol.failure(command, _one_line(error))
        except (OSError, ValueError, OverflowError) as error:
            yield gtp_protocol.failure(command, _one_line(error) or "cannot be done")
        except TypeError as error:
            yield gtp_protocol.failure(command, f"internal error: {error}")

    def _call(self, command: GtpCommand) -> Reply:
        handler = self.handlers.get(command.name)
        if handler is None:
            # The arguments of a malformed line are its error message.
            message = "" if command.name else " ".join(command.arguments)
            raise CommandError(message or "unknown command")
        try:
            inspect.signature(handler).bind(*command.arguments)
        except TypeError:
            raise CommandError("syntax error") from None
        return handler(*command.arguments)

    @gtp_command("protocol_version")
    def protocol_version(self) -> str:
        """Return GTP's version."""
        return "2"

    @gtp_command("name")
    def name(self) -> str:
        """Return the engine's name."""
        return "graven"

    @gtp_command("version")
    def version(self) -> str:
        """Return the engine's version and its agent."""
        return f"{__version__} {self.session.agent.spec}"

    @gtp_command("known_command")
    def known_command(self, name: str) -> str:
        """Return whether there is a command of that name."""
        return "true" if name in self.handlers else "false"

    @gtp_command("list_commands")
    def list_commands(self) -> str:
        """Return the names of all commands."""
        return "\n".join(sorted(self.handlers))

    @gtp_command("quit")
    def quit(self) -> str:
        """End the session after this reply."""
        self._quitting = True
        return ""


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
