"""A referee for matches between GGP players.

The rules are those of GGP-Base's server: START may take the start clock, PLAY the play clock and
one second, STOP the play clock, ABORT one second; a move that is late, illegal or missing is
replaced by a random legal one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from graven.core.errors import UsageError
from graven.core.game import Game
from graven.core.position import Position
from graven.core.rng import derive
from graven.gdl.move_text import after, moves_of
from graven.interfaces.ggp.ggp_messages import JointMove
from graven.interfaces.ggp.match_report import ILLEGAL, LATE, MISSING, MatchReport, SeatReport
from graven.interfaces.ggp.match_seats import LateError, MissingError, Seat

MAX_QUOTED_CHARACTERS = 80


@dataclass(frozen=True)
class MatchTerms:
    """Rules and clocks of a match, and the seed of its replacement moves."""

    rules: str
    start_clock: float
    play_clock: float
    seed: int = 0


class Referee:
    """Runs one match."""

    def __init__(self, game: Game, terms: MatchTerms, seats: list[Seat], match: str) -> None:
        check_seats(game, seats)
        self.game = game
        self.terms = terms
        self.seats = seats
        self.match = match
        self.report = MatchReport(
            match,
            [
                SeatReport(role, seat.name)
                for role, seat in zip(game.player_names, seats, strict=True)
            ],
        )

    def run(self, is_cancelled: Callable[[], bool] = lambda: False) -> MatchReport:
        """Play the match to its end, or until it is cancelled."""
        began = time.monotonic()
        report = self.report
        position, joint = self.game.start(), None
        roles = range(len(self.seats))
        with ThreadPoolExecutor(len(self.seats)) as threads:
            list(threads.map(self._start, roles))
            while not position.is_over and not is_cancelled():
                legal = [moves_of(position, role) for role in roles]
                answers = list(threads.map(partial(self._request_move, position, joint), roles))
                joint = tuple(
                    self._legal_or_random(role, answers[role], legal[role], position.ply)
                    for role in roles
                )
                position = after(position, joint)
                sorted_legal = [sorted(moves) for moves in legal]
                report.steps.append({"legal": sorted_legal, "joint": list(joint)})
            report.terminal = position.is_over
            list(threads.map(partial(self._stop, joint), roles))
        if position.scores is not None:
            for seat, score in zip(report.seats, position.scores, strict=True):
                seat.goal = round(100 * score)
        report.seconds = time.monotonic() - began
        return report

    def _start(self, role: int) -> None:
        seat, terms = self.report.seats[role], self.terms
        clocks = terms.start_clock, terms.play_clock
        try:
            self.seats[role].start(self.match, seat.role, terms.rules, clocks)
        except LateError:
            seat.note("START was not answered in time")
        except MissingError as error:
            seat.note(f"START was not answered: {error}")

    def _request_move(self, position: Position, joint: JointMove, role: int) -> str | None:
        seat = self.report.seats[role]
        try:
            return self.seats[role].play(self.match, joint, position, role)
        except LateError:
            seat.count_fault(LATE, f"no answer in time at step {position.ply + 1}")
        except MissingError as error:
            seat.count_fault(MISSING, f"no answer at step {position.ply + 1}: {error}")
        return None

    def _legal_or_random(self, role: int, move: str | None, legal: list[str], step: int) -> str:
        if move in legal:
            return str(move)
        if move is not None:
            quoted = repr(move[:MAX_QUOTED_CHARACTERS])
            seat = self.report.seats[role]
            seat.count_fault(ILLEGAL, f"{quoted} is not legal at step {step + 1}")
        return legal[derive(self.terms.seed, step, role) % len(legal)]

    def _stop(self, joint: JointMove, role: int) -> None:
        try:
            self.seats[role].stop(self.match, joint, aborted=not self.report.terminal)
        except (LateError, MissingError) as error:
            self.report.seats[role].note(f"STOP was not answered: {error or 'late'}")


def check_seats(game: Game, seats: list[Seat]) -> None:
    """Raise `UsageError` unless there is one player for each role."""
    roles = game.player_names
    if len(seats) != len(roles):
        raise UsageError(
            f"this game needs {len(roles)} players, one for each of {', '.join(roles)}; "
            f"got {len(seats)}."
        )
