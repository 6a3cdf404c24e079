"""Settings of the session: `graven-params`."""

from __future__ import annotations

from graven.agents.spec_parser import parse
from graven.interfaces.gtp.gtp_arguments import parse_number
from graven.interfaces.gtp.gtp_clock import MAX_TIME_SECONDS
from graven.interfaces.gtp.gtp_commands.registration import gtp_command
from graven.interfaces.gtp.gtp_protocol import CommandError
from graven.interfaces.gtp.gtp_session import GtpSession
from graven.search.budget import MOST_PLAYOUTS, Budget

MAX_LAG_SECONDS = 10
MAX_SEED = 2**53


class SettingsCommands:
    """Commands that show and change the settings."""

    def __init__(self, session: GtpSession) -> None:
        self.session = session

    @gtp_command("graven-params")
    def params(self, name: str = "", *value: str) -> str:
        """List the parameters, or set one."""
        if not name:
            return "\n".join(f"{key} {text}" for key, text in self._values().items())
        text = " ".join(value)
        if not text:
            raise CommandError("syntax error")
        if name not in self._values():
            raise CommandError(f"unknown parameter {name}")
        self._set(name, text)
        return ""

    def _values(self) -> dict[str, str]:
        session = self.session
        return {
            "agent": session.agent.spec,
            "lag": f"{session.lag:g}",
            "playouts": str(session.budget.playouts or 0),
            "resign": f"{session.resign_below:g}",
            "seconds": f"{session.budget.seconds or 0:g}",
            "seed": str(session.seed),
        }

    def _set(self, name: str, text: str) -> None:
        session = self.session
        if name == "agent":
            # Without `files`: the controller may be remote and must not run a Python file here.
            session.use_agent(parse(text))
        elif name == "lag":
            session.lag = parse_number(text, "lag", 0, MAX_LAG_SECONDS)
        elif name == "playouts":
            playouts = int(parse_number(text, "playouts", 0, MOST_PLAYOUTS))
            session.budget = Budget(playouts or None, session.budget.seconds)
        elif name == "resign":
            session.resign_below = parse_number(text, "resign", 0, 1)
        elif name == "seconds":
            seconds = parse_number(text, "seconds", 0, MAX_TIME_SECONDS)
            session.budget = Budget(session.budget.playouts, seconds or None)
        elif name == "seed":
            session.seed = int(parse_number(text, "seed", 0, MAX_SEED))
