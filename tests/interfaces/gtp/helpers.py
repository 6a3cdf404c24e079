"""Shared helpers: engines, and assertions about their replies."""

from __future__ import annotations

from graven.games.registry import make_game
from graven.interfaces.gtp.gtp_board import GtpBoard
from graven.interfaces.gtp.gtp_engine import GtpEngine
from graven.search.budget import Budget

AGENT = "grave(ref=50,bias=1e-4)"

COMMANDS = [
    "protocol_version",
    "name",
    "version",
    "known_command",
    "list_commands",
    "quit",
    "boardsize",
    "clear_board",
    "komi",
    "fixed_handicap",
    "place_free_handicap",
    "set_free_handicap",
    "play",
    "genmove",
    "undo",
    "showboard",
    "time_settings",
    "time_left",
    "final_score",
    "final_status_list",
    "loadsgf",
    "printsgf",
    "reg_genmove",
    "lz-analyze",
    "kata-analyze",
    "lz-genmove_analyze",
    "graven-params",
]


def new_engine(game: str = "go(size=9)", playouts: int = 50, agent: str = AGENT) -> GtpEngine:
    """Return an engine for a game."""
    return GtpEngine(GtpBoard(make_game(game)), agent, Budget(playouts))


def ok(engine: GtpEngine, line: str) -> str:
    """Send a line that must succeed; return the text of the reply."""
    reply = engine.answer(line)
    assert reply.startswith("="), reply
    assert reply.endswith("\n\n")
    return reply[1:].strip()


def refused(engine: GtpEngine, line: str) -> str:
    """Send a line that must fail; return the text of the reply."""
    reply = engine.answer(line)
    assert reply.startswith("?"), reply
    assert reply.endswith("\n\n")
    return reply[1:].strip()
