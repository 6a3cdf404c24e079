"""Commands that search: moves and analysis."""

from __future__ import annotations

import time
from collections.abc import Iterator

from graven.agents import SearchResult
from graven.interfaces.gtp.analysis import KATAGO, LEELA_ZERO, parse_request, reports
from graven.interfaces.gtp.gtp_arguments import format_vertex
from graven.interfaces.gtp.gtp_commands.registration import gtp_command
from graven.interfaces.gtp.gtp_session import GtpSession


class MoveCommands:
    """Commands that search the current position."""

    def __init__(self, session: GtpSession) -> None:
        self.session = session

    @gtp_command("genmove")
    def genmove(self, colour: str) -> str:
        """Search, and play the best move."""
        player = self.session.board.player(colour)
        began = time.monotonic()
        return self.session.play_best_move(player, self.session.search(player), began)

    @gtp_command("reg_genmove")
    def reg_genmove(self, colour: str) -> str:
        """Search, and return the best move without playing it."""
        player = self.session.board.player(colour)
        return format_vertex(self.session.best_move(self.session.search(player), player))

    @gtp_command("lz-analyze")
    def lz_analyze(self, *arguments: str) -> Iterator[str]:
        """Search and report in Leela Zero's format until the next line arrives."""
        return self._analyze(LEELA_ZERO, arguments, play=False)

    @gtp_command("kata-analyze")
    def kata_analyze(self, *arguments: str) -> Iterator[str]:
        """Search and report in KataGo's format until the next line arrives."""
        return self._analyze(KATAGO, arguments, play=False)

    @gtp_command("lz-genmove_analyze")
    def lz_genmove_analyze(self, *arguments: str) -> Iterator[str]:
        """Search with reports in Leela Zero's format, then play."""
        return self._analyze(LEELA_ZERO, arguments, play=True)

    @gtp_command("kata-genmove_analyze")
    def kata_genmove_analyze(self, *arguments: str) -> Iterator[str]:
        """Search with reports in KataGo's format, then play."""
        return self._analyze(KATAGO, arguments, play=True)

    def _analyze(self, style: str, arguments: tuple[str, ...], play: bool) -> Iterator[str]:
        # Not a generator itself: arguments are checked before the reply begins.
        session = self.session
        request = parse_request(arguments, session.board, style)
        began = time.monotonic()
        position = session.board.position_to_search(request.player)

        def lines() -> Iterator[str]:
            result: SearchResult | None = None
            for result, line in reports(session, position, request, play):  # noqa: B007
                if line:  # an empty line would end the reply
                    yield line
            if play:
                yield f"play {session.play_best_move(request.player, result, began)}"

        return lines()
