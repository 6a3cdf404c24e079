"""The state of a GTP session, and the searches that choose its moves."""

from __future__ import annotations

import time

from graven.agents import MoveClock, SearchAgent, SearchPlayer, SearchResult
from graven.agents.short_games import known_length, measure_length
from graven.agents.spec_parser import parse
from graven.agents.time_plan import TimePlan
from graven.core.position import Position
from graven.games import go
from graven.interfaces.gtp.go_scoring import dead_stones
from graven.interfaces.gtp.gtp_arguments import format_vertex
from graven.interfaces.gtp.gtp_board import GtpBoard
from graven.interfaces.gtp.gtp_clock import MAX_TIME_SECONDS, GameClocks
from graven.interfaces.gtp.gtp_protocol import CommandError
from graven.search.budget import Budget
from graven.search.runner import Stop
from graven.search.specs import Spec

DEFAULT_LAG = 0.15  # seconds of each move that are reserved for the network
DEFAULT_PLAYOUTS = 10_000  # for a move, if neither a budget nor a clock is set
# Answer a pass with a pass if it was tried this often and loses at most this much.
MIN_PASS_VISITS, MAX_PASS_LOSS = 50, 0.01


class GtpSession:
    """Board, agent, clocks and settings of a session."""

    def __init__(
        self, board: GtpBoard, spec: str, budget: Budget, seed: int = 0, pondering: bool = False
    ) -> None:
        self.board = board
        self.pondering = pondering
        self._ponder_for: int | None = None  # who is to move after the move just played
        self.budget = budget
        self.seed = seed
        self.resign_below = 0.0  # resign if the expected score is lower
        self.lag = DEFAULT_LAG
        self.clocks = GameClocks()
        self.next_line: Stop | None = None  # set while an input line is waiting
        self.use_agent(parse(spec, files=True))

    def use_agent(self, spec: Spec) -> None:
        """Change the agent, and compile its code before any clock runs."""
        self.agent = SearchAgent(spec)
        self._player: SearchPlayer | None = None
        self.agent.player(self.board.game).warm_up()
        if self.board.is_go:
            dead_stones(self.board.game.start())

    def _current_player(self) -> SearchPlayer:
        """Return the player of the current game, with the current seed."""
        if self._player is None or self._player.game is not self.board.game:
            # The tree is kept between the moves of a game.
            self._player = self.agent.with_options(reuse_tree=True).player(self.board.game)
        self._player.seed = self.seed
        return self._player

    def search(self, player: int) -> SearchResult | None:
        """Search for a player's move; return None in Go if only a pass is possible."""
        try:
            position = self.board.position_to_search(player)
        except CommandError:
            if self.board.is_go:
                return None
            raise
        plan = self._time_plan(player)
        if plan is not None:
            clock = MoveClock(self._own_budget(), plan=plan)
        else:
            clock = MoveClock(self.move_budget(player, position))
        return self._current_player().choose(position, clock)

    def ponder(self) -> None:
        """After a move of the engine, search on in its tree until the next line arrives."""
        player, self._ponder_for = self._ponder_for, None
        if not self.pondering or player is None or self.next_line is None:
            return
        try:
            position = self.board.position_to_search(player)
        except CommandError:
            return
        if not position.is_over:
            clock = MoveClock(Budget(seconds=MAX_TIME_SECONDS), self.next_line)
            self._current_player().ponder(position, clock)

    def _own_budget(self) -> Budget:
        """Return the budget of the agent's spec, or else that of the session."""
        return self.agent.budget if self.agent.budget.is_limited else self.budget

    def move_budget(self, player: int, position: Position) -> Budget:
        """Return the budget of one move: the agent's or the session's, limited by the clock."""
        budget = self._own_budget()
        clock = self.clocks.of(player)
        if clock is None:
            return budget if budget.is_limited else Budget(DEFAULT_PLAYOUTS)
        allowed = clock.seconds(len(position.legal_codes_of(player)) // 4, self.lag)
        seconds = allowed if budget.seconds is None else min(budget.seconds, allowed)
        return Budget(budget.playouts, seconds)

    def _time_plan(self, player: int) -> TimePlan | None:
        """Return the plan for a main time without overtime; None for other clocks."""
        clock = self.clocks.of(player)
        if clock is None or clock.overtime > 0 or clock.stones_left:
            return None
        length = known_length(self.agent, self.board.game)
        return TimePlan(clock.left, lag=self.lag, length=length)

    def prepare_clock(self) -> None:
        """Measure what a plan of main time needs, before a clock runs."""
        if self.clocks.settings is not None and self._time_plan(0) is not None:
            measure_length(self.agent, self.board.game)

    def best_move(self, result: SearchResult | None, player: int) -> str:
        """Return the move to play; in Go a pass if the opponent passed and it loses nothing."""
        if result is None:
            return go.PASS
        if self.board.is_go and self.board.moves and self.board.moves[-1][1] == go.PASS:
            for stat in result.by_player[player]:
                is_safe = stat.mean >= result.value - MAX_PASS_LOSS
                if stat.move == go.PASS and stat.visits >= MIN_PASS_VISITS and is_safe:
                    return go.PASS
        return result.move_of(player)

    def play_best_move(self, player: int, result: SearchResult | None, began: float) -> str:
        """Play the move of a search that began then, or resign; return the vertex or "resign"."""
        move = self.best_move(result, player)
        if result is not None and result.value < self.resign_below:
            return "resign"
        self.board.play(player, move, _comment(result))
        self._ponder_for = 1 - player
        clock = self.clocks.of(player)
        if clock is not None:
            clock.spend(time.monotonic() - began, played=True)
        return format_vertex(move)


def _comment(result: SearchResult | None) -> str:
    if result is None:
        return ""
    proof = f", {result.proof_text} proven" if result.proven else ""
    return f"{result.playouts} playouts, win rate {100 * result.value:.1f} %{proof}"
