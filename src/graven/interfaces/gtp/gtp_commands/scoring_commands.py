"""The end of a game of Go: score and status of stones."""

from __future__ import annotations

from graven.interfaces.gtp.go_scoring import dead_stones, score_text, stone_owners
from graven.interfaces.gtp.gtp_commands.registration import gtp_command
from graven.interfaces.gtp.gtp_protocol import CommandError
from graven.interfaces.gtp.gtp_session import GtpSession


class ScoringCommands:
    """Commands that score the current position."""

    def __init__(self, session: GtpSession) -> None:
        self.session = session

    @gtp_command("final_score", go_only=True)
    def final_score(self) -> str:
        """Return the score after the removal of dead stones."""
        position = self.session.board.position
        return score_text(position, dead_stones(position))

    @gtp_command("final_status_list", go_only=True)
    def final_status_list(self, status: str) -> str:
        """Return the stones that are alive, dead or in seki, one line for each colour."""
        if status not in ("alive", "dead", "seki"):
            raise CommandError("invalid status")
        position = self.session.board.position
        owners = stone_owners(position)
        # Seki is not detected: stones in seki count as alive.
        dead = set() if status == "seki" else set(dead_stones(position))
        stones = {"alive": set(owners) - dead, "dead": dead, "seki": set()}[status]
        lines = (
            " ".join(point for point in owners if owners[point] == player and point in stones)
            for player in range(2)
        )
        return "\n".join(line for line in lines if line)
