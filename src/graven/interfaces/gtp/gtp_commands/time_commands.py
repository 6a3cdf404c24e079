"""Time settings and clocks."""

from __future__ import annotations

from graven.interfaces.gtp.gtp_arguments import parse_integer, parse_number
from graven.interfaces.gtp.gtp_clock import MAX_TIME_SECONDS, GameClocks
from graven.interfaces.gtp.gtp_commands.registration import gtp_command
from graven.interfaces.gtp.gtp_protocol import CommandError
from graven.interfaces.gtp.gtp_session import GtpSession

KGS_ARGUMENTS = {"none": 0, "absolute": 1, "byoyomi": 3, "canadian": 3}


class TimeCommands:
    """Commands that set the clocks."""

    def __init__(self, session: GtpSession) -> None:
        self.session = session

    @gtp_command("time_settings")
    def time_settings(self, main: str, overtime: str, stones: str) -> str:
        """Set main time, overtime, and the number of stones of an overtime period."""
        self.session.clocks.set(
            parse_number(main, "main time", 0, MAX_TIME_SECONDS),
            parse_number(overtime, "byo yomi time", 0, MAX_TIME_SECONDS),
            parse_integer(stones),
        )
        self.session.prepare_clock()
        return ""

    @gtp_command("kgs-time_settings")
    def kgs_time_settings(self, kind: str, *values: str) -> str:
        """Set the time system of KGS: none, absolute, byoyomi or canadian."""
        numbers = [parse_number(value, "time", 0, MAX_TIME_SECONDS) for value in values]
        if len(numbers) != KGS_ARGUMENTS.get(kind, -1):
            raise CommandError("syntax error")
        session = self.session
        if kind == "none":
            session.clocks = GameClocks(unlimited=True)
        elif kind == "absolute":
            session.clocks.set(numbers[0], 0, 0)
        elif kind == "byoyomi":
            session.clocks.set(numbers[0], numbers[1], 1)
        else:
            session.clocks.set(numbers[0], numbers[1], int(numbers[2]))
        session.prepare_clock()
        return ""

    @gtp_command("time_left")
    def time_left(self, colour: str, left: str, stones: str) -> str:
        """Set the remaining time of a player; start clocks if there are none yet."""
        clocks, player = self.session.clocks, self.session.board.player(colour)
        seconds = parse_number(left, "time", -MAX_TIME_SECONDS, MAX_TIME_SECONDS)
        stones_left = parse_integer(stones)
        if clocks.of(player) is None and not clocks.unlimited:
            clocks.set(seconds, 0, 0)
        clock = clocks.of(player)
        if clock is not None:
            clock.set(seconds, stones_left)
        return ""
