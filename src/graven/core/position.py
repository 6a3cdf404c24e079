"""`Position`: one position of a game, with the moves that led to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from html import escape
from secrets import randbits
from typing import TYPE_CHECKING, Any

import numpy as np

from graven.core import contract
from graven.core.callbacks import raise_fault
from graven.core.contract import CHANCE, SIMULTANEOUS, TERMINAL, Scores, State
from graven.core.errors import ContractError, UsageError, listed, unknown
from graven.core.number_checks import whole_value
from graven.core.rng import derive, generator
from graven.core.status import Status, check_scores, contract_fault

if TYPE_CHECKING:
    from graven.core.game import Game

# How much a game without `render` shows of a position.
MAX_MOVES_SHOWN = 40
MAX_WORDS_SHOWN = 100


class Position:
    """A position of a game. Immutable: `play` returns a new position."""

    def __init__(self, game: Game, state: State, history: tuple[tuple[int, ...], ...] = ()) -> None:
        self.game = game
        self.state = state
        self.history = history
        state.setflags(write=False)

    @cached_property
    def current_player(self) -> int:
        """The player to move, from 0; or TERMINAL (-1), SIMULTANEOUS (-2) or CHANCE (-3)."""
        turn = int(contract.turn(self.game.rules, self._copy()))
        raise_fault()
        return turn

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.current_player == TERMINAL

    @property
    def is_chance(self) -> bool:
        """Whether chance decides how the game goes on: see `outcomes` and `roll`."""
        return self.current_player == CHANCE

    @property
    def outcomes(self) -> dict[str, float]:
        """The outcomes of the chance event here as text, with their probabilities."""
        format_move, chance = self.game.format_move, self.game.chance_index
        return {format_move(chance, code): p for code, p in self.outcome_codes.items()}

    @cached_property
    def outcome_codes(self) -> dict[int, float]:
        """The same by code; empty unless chance decides."""
        if not self.is_chance:
            return {}
        rules = self.game.rules
        buffer, probabilities = contract.new_moves(rules), np.zeros(rules.max_moves)
        if not rules.chance:
            raise ContractError(
                f"the rules of {self.game.name} break the game contract: `turn` returned CHANCE, "
                "and there is no `chance`."
            )
        count = contract.outcomes(rules, self._copy(), buffer, probabilities)
        raise_fault()
        if count < 1:
            raise contract_fault(Status.BAD_CHANCE, self.game.name, rules)
        return dict(zip(buffer[:count].tolist(), probabilities[:count].tolist(), strict=True))

    def roll(self, seed: int | None = None) -> Position:
        """Return the position after a random outcome; without a seed, of any randomness."""
        if not self.is_chance:
            raise UsageError("no dice are rolled here: a player has to move, or the game is over.")
        number = randbits(64) if seed is None else seed
        probabilities = np.array(list(self.outcome_codes.values()))
        place = contract.draw_place(probabilities, len(probabilities), generator(number))
        return self.play_code(list(self.outcome_codes)[place])

    def rolled(self, seed: int) -> Position:
        """Return this position, or where chance decides, the next one where it does not."""
        position = self
        while position.is_chance:
            position = position.roll(derive(seed, position.ply))
        return position

    @property
    def players_to_move(self) -> tuple[int, ...]:
        """The players who choose a move in this position; none where chance decides."""
        if self.current_player in (TERMINAL, CHANCE):
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
            whole_value("player", player, 0, self.game.players - 1)
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
    def move_texts(self) -> list[str]:
        """The moves and outcomes that led here; simultaneous moves are joined by commas."""
        return [self._joint_text(joint) for joint in self.history]

    @property
    def last_move(self) -> str:
        """The last of `move_texts`."""
        return self._joint_text(self.history[-1])

    def _joint_text(self, joint: tuple[int, ...]) -> str:
        format_move = self.game.format_move
        return ",".join(format_move(p, code) for p, code in enumerate(joint) if code >= 0)

    @property
    def ply(self) -> int:
        """The number of plies since the start of the game."""
        return len(self.history)

    def play(self, move: Any) -> Position:
        """Return the position after a move: its text, its code, or the rules' own value for it.

        In a game of a Python class an integer that is such a value means that value: see
        `Game.code_of`. Where players move simultaneously, use `play_joint`.
        """
        return self.play_joint((move,))

    def play_joint(self, moves: Sequence[Any]) -> Position:
        """Return the position after a joint move: one move for each of `players_to_move`."""
        players = self._players_of(moves)
        if self.is_chance:
            return self._after_outcome(moves)
        return self._after(
            [self._legal_code(player, move) for player, move in zip(players, moves, strict=True)]
        )

    def play_code(self, code: int) -> Position:
        """Return the position after the move, or the outcome of chance, with this code."""
        return self.play_codes((whole_value("code", code),))

    def play_codes(self, codes: Sequence[int]) -> Position:
        """Return the position after a joint move: a code for each of `players_to_move`."""
        players = self._players_of(codes)
        if self.is_chance:
            if codes[0] not in self.outcome_codes:
                raise self._needs_outcome(codes)
            return self._after(codes)
        for player, code in zip(players, codes, strict=True):
            self._check_legal(player, code)
        return self._after(codes)

    def _players_of(self, moves: Sequence[Any]) -> tuple[int, ...]:
        """Return the players who move; raise UsageError for another number of moves."""
        if self.is_over:
            raise UsageError(f"the game of {self.game.name} is over: no move can be played.")
        players = self.players_to_move
        if self.is_chance:
            if len(moves) != 1:
                raise self._needs_outcome(moves)
        elif len(moves) != len(players):
            raise UsageError(
                f"{len(players)} moves are needed here, one for each of "
                f"{', '.join(self.game.player_names[p] for p in players)}; got {len(moves)}."
            )
        return players

    def _after(self, codes: Sequence[int]) -> Position:
        """Return the position after legal moves of `players_to_move`, or after an outcome."""
        game, chance = self.game, self.is_chance
        joint = contract.new_joint(game.rules)
        for player, code in zip((0,) if chance else self.players_to_move, codes, strict=True):
            joint[player] = code
        state = self._copy()
        contract.play(game.rules, state, joint)
        raise_fault()
        played = tuple(int(code) for code in joint)
        if chance:
            played = (*[-1] * game.players, played[0])
        return Position(game, state, (*self.history, played))

    def _after_outcome(self, moves: Sequence[Any]) -> Position:
        codes, move = self.outcome_codes, moves[0]
        code = self.game.value_code(self.game.chance_index, move)
        if code is None and isinstance(move, str):
            texts = {text.lower(): code for text, code in zip(self.outcomes, codes, strict=True)}
            code = texts.get(move.strip().lower())
        if code not in codes:
            raise self._needs_outcome(moves)
        return self._after((code,))

    def _needs_outcome(self, moves: Sequence[Any]) -> UsageError:
        given = "nothing" if not len(moves) else ", ".join(str(each) for each in moves)
        needed = listed(list(self.outcomes))
        return UsageError(f"chance decides here, so one of {needed} is needed; got {given}.")

    def play_moves(self, moves: Sequence[Any]) -> Position:
        """Return the position after several moves; commas separate simultaneous moves.

        Outcomes of chance events are written like moves.
        """
        if isinstance(moves, str) or not isinstance(moves, Iterable):
            example = moves.split() if isinstance(moves, str) else list(self.legal_moves[:2])
            raise UsageError(f"moves must be a list such as {example}, got {moves!r}.")
        position = self
        for number, move in enumerate(moves, 1):
            try:
                simultaneous = len(position.players_to_move) > 1 and isinstance(move, str)
                position = position.play_joint(move.split(",") if simultaneous else [move])
            except UsageError as error:
                raise UsageError(f"move {number}: {error}") from None
        return position

    def _legal_code(self, player: int, move: Any) -> int:
        """Return the code of a legal move; raise UsageError for any other value."""
        code = self.game.code_of(player, move)
        if code is None or not 0 <= code < self.game.num_codes:
            legal = self.legal_moves_of(player)
            if code is None and not isinstance(move, str) and not self.game.display.object_code:
                raise UsageError(
                    f"a move must be its text or its code, got {move!r}. Legal: {listed(legal)}."
                )
            raise unknown(f"move of {self.game.player_names[player]}", str(move), legal)
        self._check_legal(player, code, move if isinstance(move, str) else "")
        return code

    def _check_legal(self, player: int, code: int, text: str = "") -> None:
        if code in self.legal_codes_of(player):
            return
        game = self.game
        if not text:
            known = 0 <= code < game.num_codes
            text = game.format_move(player, int(code)) if known else f"the code {code}"
        legal, name = listed(self.legal_moves_of(player)), game.player_names[player]
        raise UsageError(f"{text} is not legal for {name} here. Legal: {legal}.")

    def _copy(self) -> State:
        """Return a copy for a rule function, which may reorder lists in the state."""
        return self.state.copy()

    def text(self, colour: bool = False) -> str:
        """Return the board as text, with ANSI colours if `colour`."""
        if self.game.render is not None:
            return self.game.render(self.state, colour)
        if not self.game.in_python:
            words = listed([str(word) for word in self.state.tolist()], MAX_WORDS_SHOWN)
            return f"{self.game.name}: [{words}]"
        moves = self.move_texts
        earlier = "... " if len(moves) > MAX_MOVES_SHOWN else ""
        where = f"after {earlier}{' '.join(moves[-MAX_MOVES_SHOWN:])}" if moves else "at the start"
        summary = self.game.display.summary(self.state) if self.game.display.summary else ""
        return f"{self.game.name} {where}" + (f"\n{summary}" if summary else "")

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
