"""`Position`: one position of a game, with the moves that led to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from graven.core import contract
from graven.core.callbacks import raise_fault
from graven.core.contract import SIMULTANEOUS, TERMINAL, Scores, State
from graven.core.errors import ContractError, UsageError, listed, unknown
from graven.core.status import check_scores

if TYPE_CHECKING:
    from graven.core.game import Game


class Position:
    """A position of a game. Immutable: `play` returns a new position."""

    def __init__(self, game: Game, state: State, history: tuple[tuple[int, ...], ...] = ()) -> None:
        self.game = game
        self.state = state
        self.history = history
        state.setflags(write=False)

    @cached_property
    def current_player(self) -> int:
        """The player to move, from 0; or TERMINAL (-1), or SIMULTANEOUS (-2)."""
        turn = int(contract.turn(self.game.rules, self._copy()))
        raise_fault()
        return turn

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.current_player == TERMINAL

    @property
    def players_to_move(self) -> tuple[int, ...]:
        """The players who choose a move in this position."""
        if self.current_player == TERMINAL:
            return ()
        if self.current_player == SIMULTANEOUS:
            return tuple(range(self.game.players))
        return (self.current_player,)

    @property
    def legal_moves(self) -> tuple[str, ...]:
        """The legal moves as text, sorted by code; empty when the game is over.

        With simultaneous moves these are the first player's: see `legal_moves_of`.
        """
        return self.legal_moves_of(self.players_to_move[0]) if self.players_to_move else ()

    def legal_moves_of(self, player: int) -> tuple[str, ...]:
        """Return the legal moves of one player as text, sorted by code."""
        return tuple(self.game.format_move(player, code) for code in self.legal_codes_of(player))

    def legal_codes_of(self, player: int) -> tuple[int, ...]:
        """Return the codes of one player's legal moves, sorted."""
        if player not in self.players_to_move:
            return ()
        rules = self.game.rules
        buffer = contract.new_moves(rules)
        count = contract.legal(rules, self._copy(), player, buffer)
        raise_fault()
        if not 0 <= count <= self.game.max_moves:
            raise ContractError(
                f"the rules of {self.game.name} break the game contract: `legal` returned "
                f"{count} moves, and `max_moves` is {self.game.max_moves}."
            )
        return tuple(sorted(int(code) for code in buffer[:count]))

    @property
    def scores(self) -> tuple[float, ...] | None:
        """Each player's score from 0 to 1, or None before the end of the game."""
        if not self.is_over:
            return None
        out: Scores = np.zeros(self.game.players)
        contract.scores(self.game.rules, self._copy(), out)
        raise_fault()
        check_scores(self.game.name, out.tolist())
        return tuple(float(score) for score in out)

    @property
    def points(self) -> float | None:
        """The points so far, or None if the game has no points; see `Display`."""
        return self.game.points(self.state) if self.game.points else None

    @property
    def key(self) -> int:
        """A 64-bit key, equal for equal positions."""
        key = int(contract.key(self.game.rules, self._copy()))
        raise_fault()
        return key

    @property
    def ply(self) -> int:
        """The number of plies since the start of the game."""
        return len(self.history)

    def play(self, move: str | int) -> Position:
        """Return the position after a move, given as text or code.

        Where players move simultaneously, use `play_joint`.
        """
        return self.play_joint((move,))

    def play_joint(self, moves: Sequence[str | int]) -> Position:
        """Return the position after a joint move: one move for each of `players_to_move`."""
        if self.is_over:
            raise UsageError(f"the game of {self.game.name} is over: no move can be played.")
        players = self.players_to_move
        if len(moves) != len(players):
            raise UsageError(
                f"{len(players)} moves are needed here, one for each of "
                f"{', '.join(self.game.player_names[p] for p in players)}; got {len(moves)}."
            )
        joint = contract.new_joint(self.game.rules)
        for player, move in zip(players, moves, strict=True):
            joint[player] = self._legal_code(player, move)
        state = self._copy()
        contract.play(self.game.rules, state, joint)
        raise_fault()
        return Position(self.game, state, (*self.history, tuple(int(code) for code in joint)))

    def play_moves(self, moves: Sequence[str]) -> Position:
        """Return the position after several moves; commas separate simultaneous moves."""
        position = self
        for number, move in enumerate(moves, 1):
            try:
                simultaneous = len(position.players_to_move) > 1
                position = position.play_joint(move.split(",") if simultaneous else [move])
            except UsageError as error:
                raise UsageError(f"move {number}: {error}") from None
        return position

    def _legal_code(self, player: int, move: str | int) -> int:
        if not isinstance(move, str | int | np.integer):
            raise UsageError(
                f"a move must be its text or its code, got {move!r}. "
                f"Legal: {listed(self.legal_moves_of(player))}."
            )
        code = self.game.move_code(player, move) if isinstance(move, str) else int(move)
        codes = self.legal_codes_of(player)
        if code in codes:
            return code
        name = self.game.player_names[player]
        if code is None or not 0 <= code < self.game.num_codes:
            raise unknown(f"move of {name}", str(move), self.legal_moves_of(player))
        legal = listed(self.legal_moves_of(player))
        text = move if isinstance(move, str) else self.game.format_move(player, code)
        raise UsageError(f"{text} is not legal for {name} here. Legal: {legal}.")

    def _copy(self) -> State:
        """Return a copy for a rule function, which may reorder lists in the state."""
        return self.state.copy()

    def text(self, colour: bool = False) -> str:
        """Return the board as text, with ANSI colours if `colour`."""
        if self.game.render is None:
            return f"{self.game.name}: {self.state.tolist()}"
        return self.game.render(self.state, colour)

    def svg(self) -> str:
        """Return the board as an SVG picture."""
        if self.game.svg is None:
            raise UsageError(f"{self.game.name} has no picture.")
        return self.game.svg(self.state)

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str | None:
        return None if self.game.svg else f"<pre>{escape(self.text())}</pre>"

    def _repr_svg_(self) -> str | None:
        return self.game.svg(self.state) if self.game.svg else None

    def __repr__(self) -> str:
        return f"<Position of {self.game.spec} after {self.ply} moves>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self.game.spec == other.game.spec and self.key == other.key

    def __hash__(self) -> int:
        return hash((self.game.spec, self.key))

    def __copy__(self) -> Position:
        return self

    def __deepcopy__(self, memo: object) -> Position:
        return self

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Pickle the game and the state; where rules run in Python, the game and its moves."""
        if not self.game.in_python:
            return Position, (self.game, self.state, self.history)
        moves = [
            [self.game.format_move(player, code) for player, code in enumerate(joint) if code >= 0]
            for joint in self.history
        ]
        return _replayed, (self.game, moves)


def _replayed(game: Game, moves: Sequence[Sequence[str]]) -> Position:
    position = game.start()
    for joint in moves:
        position = position.play_joint(joint)
    return position
