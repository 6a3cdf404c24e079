"""The position of a match, and the search that runs in it."""

from __future__ import annotations

import logging
import threading

from graven.agents import SearchResult
from graven.core import contract
from graven.core.errors import GravenError
from graven.core.game import Game
from graven.core.position import Position
from graven.core.rng import derive
from graven.gdl.move_text import after, moves_of
from graven.interfaces.ggp.ggp_messages import JointMove
from graven.interfaces.ggp.pondering import MatchAgent, PonderingSearch

log = logging.getLogger("graven.ggp")


class MatchState:
    """Joint moves, position and search of one match; all methods are thread-safe.

    The game may be replaced during the match by another one with the same rules: first one that
    proves its rules (`slow`), later a propositional network.
    """

    def __init__(self, title: str, agent: MatchAgent, seed: int) -> None:
        self.title = title
        self.closed = threading.Event()
        self._agent = agent
        self._seed = seed
        self._lock = threading.RLock()  # guards what follows
        self._joint_moves: list[tuple[str, ...]] = []
        self._game: Game | None = None
        self._position: Position | None = None
        self._search: PonderingSearch | None = None
        self._slow = True
        self._is_grounding = True
        self._is_playing = False  # whether a move has been requested

    @property
    def position(self) -> Position | None:
        """The current position; None until the rules can be used."""
        with self._lock:
            return self._position

    @property
    def steps(self) -> int:
        """The number of joint moves so far."""
        with self._lock:
            return len(self._joint_moves)

    # The game.

    def use_game(self, game: Game, slow: bool) -> None:
        """Continue with another game of the same rules, from the current position."""
        position = game.start()
        steps = 0
        while True:
            with self._lock:
                missing = self._joint_moves[steps:]
                if not missing:
                    if self._agrees(position):
                        self._switch(game, position, slow)
                    return
            for joint in missing:
                position = after(position, joint)
                steps += 1

    def _agrees(self, position: Position) -> bool:
        """Whether a position has the same moves as the current one, which takes precedence."""
        current = self._position
        if current is None:
            return True
        agrees = current.is_over == position.is_over and all(
            sorted(moves_of(current, role)) == sorted(moves_of(position, role))
            for role in range(current.game.players)
        )
        if not agrees:
            log.error("%s: the network disagrees with the rules; not used", self.title)
        return agrees

    def _switch(self, game: Game, position: Position, slow: bool) -> None:
        if self.closed.is_set():
            return
        previous, self._search = self._search, None
        if previous is not None:
            previous.close()
        self._game, self._position = game, position
        self._slow = slow
        if not slow:
            self.search()

    def end_grounding(self) -> None:
        """Record that no faster game will follow, and search with the current one."""
        with self._lock:
            self._is_grounding = False
            self.search()

    # Moves.

    def advance(self, joint: JointMove) -> bool:
        """Play a joint move; return whether the position changed."""
        with self._lock:
            if joint is None:
                return False
            if self._position is None:
                self._joint_moves.append(joint)
                return False
            if not self.is_legal(joint):
                log.error(
                    "%s: %s is not legal here; keeping the position", self.title, " ".join(joint)
                )
                return False
            self._position = after(self._position, joint)
            self._joint_moves.append(joint)
            return True

    def is_legal(self, joint: tuple[str, ...]) -> bool:
        """Whether a joint move is legal in the current position."""
        with self._lock:
            if self._position is None or len(joint) != self._position.game.players:
                return False
            legal_moves = (moves_of(self._position, role) for role in range(len(joint)))
            return all(move in legal for move, legal in zip(joint, legal_moves, strict=True))

    def legal_moves(self, role: int) -> list[str]:
        """Return a role's legal moves, even if the rules say that the game is over."""
        position = self.position
        if position is None:
            return []
        rules = position.game.rules
        buffer = contract.new_moves(rules)
        count = contract.legal(rules, position.state.copy(), role, buffer)
        return [position.game.format_move(role, int(code)) for code in buffer[:count]]

    # The search.

    def begin_playing(self) -> None:
        """Record that moves are requested: from now on search even while grounding."""
        with self._lock:
            self._is_playing = True

    def search(self) -> None:
        """Search the current position, unless grounding needs the machine and has time left."""
        with self._lock:
            if self._position is None or self._game is None or self.closed.is_set():
                return
            if self._slow and self._is_grounding and not self._is_playing:
                return
            if self._search is None:
                seed = derive(self._seed, len(self._joint_moves))
                try:
                    self._search = PonderingSearch(self._agent, self._game, seed, self._slow)
                except GravenError as error:
                    log.error("%s: cannot search: %s", self.title, error)
                    return
            self._search.search_position(self._position)

    def search_after(self, role: int, move: str) -> None:
        """Search the position after a role's move, if no other role has a choice."""
        with self._lock:
            position, search = self._position, self._search
            if position is None or search is None or position.players_to_move != (role,):
                return
            if not self._slow:
                search.search_position(position.play(move))

    @property
    def is_final(self) -> bool:
        """Whether no better result exists in the current position."""
        with self._lock:
            search, position = self._search, self._position
        return search is not None and position is not None and search.is_final(position)

    def latest_result(self, timeout: float) -> SearchResult | None:
        """Return the result of the search of the current position; wait `timeout` seconds."""
        with self._lock:
            search, position = self._search, self._position
        if search is None or position is None:
            return None
        return search.latest_result(position, timeout)

    def close(self) -> None:
        """End the search, and cancel the preparation of the rules."""
        self.closed.set()
        with self._lock:
            if self._search is not None:
                self._search.close()
