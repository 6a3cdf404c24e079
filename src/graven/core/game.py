"""`Game`, a game as people hold it, and `Position`, one moment of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from html import escape
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from graven.core import contract
from graven.core.callbacks import Callback, raise_fault
from graven.core.calls import DIGEST, format_call
from graven.core.compile import ONCE, address
from graven.core.compile_cache import is_own, stamp_of
from graven.core.contract import SIMULTANEOUS, TERMINAL, Constants, Rules, Scores, State
from graven.core.errors import ContractError, UsageError, listed, unknown

Option = int | float | str
MISERE = "misere-"
MOST = {
    "players": 100,
    "state_words": 1 << 26,
    "num_codes": 1 << 24,
    "max_moves": 1 << 24,
    "max_plies": 1 << 24,
}
REQUIRED = ("start", "turn", "legal", "play", "scores")
Function = Callable[..., Any] | Callback


class Outline(NamedTuple):
    """What experiments must know of a game before they play it: making it may take long."""

    spec: str
    players: int


def spec_of(name: str, options: Mapping[str, Option]) -> str:
    """Return a game in one line, with all its options: the text that records store."""
    return format_call(name, {option: str(value) for option, value in options.items()})


def _code_as_text(player: int, code: int) -> str:
    return str(code)


class Game:
    """The rules of a game (see `graven.core.contract`) and its display functions.

    `max_moves` and `max_plies` are upper bounds: legal moves of one player in a position, and plies
    of a whole game. `format_move(player, code)` returns a move's text, `render(state, colour)` the
    board as text (with ANSI colours if asked), `svg(state)` the board as an SVG picture.
    `shared_points` means that a code is a point, the same for all players, which several of them
    may occupy one after another (as in Go): AMAF then credits the player who occupies it first.
    `batch_scratch` is the number of words of scratch memory that `batch_playouts` needs.
    `playouts` names additional playout policies of this game, each with the signature of `sample`.
    `points(state)` returns the first player's result in the game's usual unit, where that differs
    from the score; more points must mean a higher score.
    `parse_move(player, text)` returns the code of a move's text, or None; it is needed only if
    `format_move` cannot list the texts of all codes in advance. `source` is the text that loads the
    game again, if that differs from its name with its options (a file, for example).
    `history_dependent` means that equal states reached by different moves are different positions.
    `source_functions` are further functions that define the game, such as those of a class.
    """

    def __init__(
        self,
        *,
        name: str,
        players: int,
        state_words: int,
        num_codes: int,
        max_moves: int,
        max_plies: int,
        constants: Sequence[int] | Constants,
        start: Function,
        turn: Function,
        legal: Function,
        play: Function,
        scores: Function,
        tree_moves: Function | None = None,
        playout_moves: Function | None = None,
        sample: Function | None = None,
        key: Function | None = None,
        feature: Function | None = None,
        is_playout_move: Function | None = None,
        playout_moves_with_features: Function | None = None,
        batch_playouts: Function | None = None,
        batch_scratch: int = 1,
        shared_points: bool = False,
        num_features: int = 0,
        playouts: Mapping[str, Function] | None = None,
        options: Mapping[str, Option] | None = None,
        player_names: Sequence[str] = (),
        format_move: Callable[[int, int], str] = _code_as_text,
        render: Callable[[State, bool], str] | None = None,
        svg: Callable[[State], str] | None = None,
        points: Callable[[State], float] | None = None,
        parse_move: Callable[[int, str], int | None] | None = None,
        misere: bool = False,
        source: str = "",
        history_dependent: bool = False,
        source_functions: Sequence[Callable[..., Any]] = (),
    ) -> None:
        sizes = {
            "players": players,
            "state_words": state_words,
            "num_codes": num_codes,
            "max_moves": max_moves,
            "max_plies": max_plies,
        }
        for bound, value in sizes.items():
            if isinstance(value, bool) or not isinstance(value, int | np.integer):
                raise ContractError(f"game {name!r}: `{bound}` is a whole number, not {value!r}.")
            if value < 1:
                raise ContractError(f"game {name!r}: `{bound}` must be at least 1, not {value}.")
            if value > MOST[bound]:
                raise ContractError(
                    f"game {name!r}: `{bound}` is at most {MOST[bound]:,}, not {value:,}."
                )
        if player_names and len(player_names) != players:
            raise ContractError(
                f"game {name!r}: `player_names` has {len(player_names)} names for {players} "
                "players."
            )
        self.name = name
        self.players = players
        self.state_words = state_words
        self.num_codes = num_codes
        self.max_moves = max_moves
        self.max_plies = max_plies
        self.constants = _constants(name, constants)
        self.functions: dict[str, Function | None] = {
            "start": start,
            "turn": turn,
            "legal": legal,
            "play": play,
            "scores": scores,
            "tree_moves": tree_moves,
            "playout_moves": playout_moves,
            "sample": sample,
            "key": key,
            "feature": feature,
            "is_playout_move": is_playout_move,
            "playout_moves_with_features": playout_moves_with_features,
            "batch_playouts": batch_playouts,
        }
        for part, function in self.functions.items():
            if function is not None or part in REQUIRED:
                self.functions[part] = _function(name, part, function)
        self.batch_scratch = batch_scratch
        self.shared_points = shared_points
        self.num_features = num_features if feature else num_codes
        self.playouts = dict(playouts or {})
        self.options = dict(options or {})
        self.player_names = tuple(player_names) or tuple(f"player {p + 1}" for p in range(players))
        self.format_move = format_move
        self.render = render
        self.svg = svg
        self.points = points
        self.parse_move = parse_move
        self.misere = misere
        self.source = source
        self.history_dependent = history_dependent
        self.source_functions = tuple(source_functions)

    @property
    def spec(self) -> str:
        """The game in one line, with all its options."""
        return self.source or spec_of(self.name, self.options)

    @property
    def fingerprint(self) -> str:
        """The same as records store it: rules of one's own that no file has say what they are made
        of, so that games by other rules of the same name are not counted with them."""
        functions = [*self.functions.values(), *self.playouts.values(), *self.source_functions]
        own = [each for each in functions if isinstance(each, FunctionType) and is_own(each)]
        if self.source or not own:
            return self.spec
        sizes = [
            self.players,
            self.state_words,
            self.num_codes,
            self.max_moves,
            self.max_plies,
            self.misere,
        ]
        digest = stamp_of([*own, self.constants, *sizes])[:12]
        return spec_of(self.name, {**self.options, DIGEST: digest})

    @cached_property
    def rules(self) -> Rules:
        """The compiled rules, as kernels receive them."""
        return self._compiled()

    @cached_property
    def careful_rules(self) -> Rules:
        """The same, but somebody's own rules raise where they reach beyond an array: for tests."""
        return self._compiled(careful=True)

    def _compiled(self, careful: bool = False) -> Rules:
        code = {}
        for name, signature in contract.signatures().items():
            function = self.functions[name]
            body = contract.FEATURE_BODY if name == "feature" else ONCE
            # The loop of `feature` calls the function with four arguments.
            arguments = 4 if name == "feature" else None
            code[name] = (
                address(function, signature, body, careful, arguments=arguments) if function else 0
            )
        return Rules(
            constants=self.constants,
            players=self.players,
            state_words=self.state_words,
            num_codes=self.num_codes,
            num_features=self.num_features,
            max_moves=self.max_moves,
            max_plies=self.max_plies,
            batch_scratch=self.batch_scratch,
            shared_points=int(self.shared_points and self.players > 1),
            misere=int(self.misere),
            **code,
        )

    def rules_with(self, playout: str) -> Rules:
        """The rules with one of the game's own playouts in place of `sample`."""
        if playout not in self.playouts:
            raise unknown(f"playout of {self.name}", playout, self.playouts)
        return self.rules._replace(sample=address(self.playouts[playout], contract.SAMPLE))

    def as_misere(self) -> Game:
        """The same game with the results turned round."""
        name = self.name.removeprefix(MISERE) if self.misere else MISERE + self.name
        source = self.source
        if source:
            source = source.removeprefix(MISERE) if self.misere else MISERE + source
        return self.changed(name=name, misere=not self.misere, source=source)

    def changed(self, **changes: Any) -> Game:
        """A copy with some of the constructor's arguments changed."""
        parts = {name: value for name, value in vars(self).items() if name in _ARGUMENTS}
        return Game(**{**parts, **self.functions, **changes})

    def start(self) -> Position:
        """The initial position."""
        state = contract.new_state(self.rules)
        contract.start(self.rules, state)
        raise_fault()
        return Position(self, state)

    @cached_property
    def _codes_by_text(self) -> list[dict[str, int]]:
        return [
            {
                self.format_move(player, code).lower(): code
                for code in reversed(range(self.num_codes))
            }
            for player in range(self.players)
        ]

    def move_code(self, player: int, text: str) -> int | None:
        """The code of a move's text, or None if no move of the game is written so."""
        if self.parse_move is not None:
            return self.parse_move(player, text.strip())
        return self._codes_by_text[player].get(text.strip().lower())


def _function(game: str, part: str, given: Any) -> Function:
    """A rule function, or a sentence about what was given instead."""
    inner = getattr(given, "py_func", given)  # of a function that is marked for Numba
    if isinstance(inner, FunctionType | Callback):
        return inner
    what = "nothing" if given is None else f"a {type(given).__name__}"
    raise ContractError(
        f"game {game!r}: `{part}` is to be a function of one's own, written with `def`, and "
        f"{what} was given."
    )


def _constants(game: str, given: Any) -> Constants:
    try:
        numbers = np.asarray(given)
        if numbers.size and numbers.dtype.kind not in "iub":
            raise TypeError
        constants: Constants = np.array(numbers, dtype=np.int64).reshape(-1)
    except (TypeError, ValueError, OverflowError):
        raise ContractError(
            f"game {game!r}: `constants` are whole numbers of 64 bits, in a list or an array."
        ) from None
    constants.setflags(write=False)
    return constants


_ARGUMENTS = frozenset(inspect.signature(Game).parameters)


class Position:
    """One moment of a game. Immutable: `play` gives a new position."""

    def __init__(self, game: Game, state: State, history: tuple[tuple[int, ...], ...] = ()) -> None:
        self.game = game
        self.state = state
        self.history = history
        state.setflags(write=False)

    @cached_property
    def current_player(self) -> int:
        """Who moves: a player's number from 0, or TERMINAL (-1), or SIMULTANEOUS (-2) at once."""
        turn = int(contract.turn(self.game.rules, self._copy()))
        raise_fault()
        return turn

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.current_player == TERMINAL

    @property
    def players_to_move(self) -> tuple[int, ...]:
        """The players who choose a move now."""
        if self.current_player == TERMINAL:
            return ()
        return (
            tuple(range(self.game.players))
            if self.current_player == SIMULTANEOUS
            else (self.current_player,)
        )

    @property
    def legal_moves(self) -> tuple[str, ...]:
        """The legal moves as text, sorted by code; empty when the game is over.

        Where everybody moves at once these are the first player's: see `legal_moves_of`.
        """
        return self.legal_moves_of(self.players_to_move[0]) if self.players_to_move else ()

    def legal_moves_of(self, player: int) -> tuple[str, ...]:
        """The legal moves of one player as text, sorted by code."""
        return tuple(self.game.format_move(player, code) for code in self.legal_codes_of(player))

    def legal_codes_of(self, player: int) -> tuple[int, ...]:
        """The codes of one player's legal moves, sorted."""
        if player not in self.players_to_move:
            return ()
        rules = self.game.rules
        buffer = contract.new_moves(rules)
        count = contract.legal(rules, self._copy(), player, buffer)
        raise_fault()
        if not 0 <= count <= self.game.max_moves:
            raise ContractError(
                f"the rules of {self.game.name} break the game contract: `legal` gave {count} "
                f"moves, and `legal_moves` says that there are at most {self.game.max_moves}."
            )
        return tuple(sorted(int(code) for code in buffer[:count]))

    @property
    def scores(self) -> tuple[float, ...] | None:
        """Each player's result from 0 to 1, or None while the game goes on."""
        if not self.is_over:
            return None
        out: Scores = np.zeros(self.game.players)
        contract.scores(self.game.rules, self._copy(), out)
        raise_fault()
        return tuple(float(score) for score in out)

    @property
    def points(self) -> float | None:
        """The result so far as people count it, where the game has points; see `Game`."""
        return self.game.points(self.state) if self.game.points else None

    @property
    def key(self) -> int:
        """A 64-bit key, equal for equal positions."""
        key = int(contract.key(self.game.rules, self._copy()))
        raise_fault()
        return key

    @property
    def ply(self) -> int:
        """How many moves have been played since the start."""
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
        choosers = self.players_to_move
        if len(moves) != len(choosers):
            raise UsageError(
                f"{len(choosers)} moves are needed here, one for each of "
                f"{', '.join(self.game.player_names[p] for p in choosers)}; got {len(moves)}."
            )
        joint = contract.new_joint(self.game.rules)
        for player, move in zip(choosers, moves, strict=True):
            joint[player] = self._legal_code(player, move)
        state = self._copy()
        contract.play(self.game.rules, state, joint)
        raise_fault()
        return Position(self.game, state, (*self.history, tuple(int(code) for code in joint)))

    def play_moves(self, moves: Sequence[str]) -> Position:
        """The position after several moves; commas join the moves that are made at once."""
        position = self
        for number, move in enumerate(moves, 1):
            try:
                together = len(position.players_to_move) > 1
                position = position.play_joint(move.split(",") if together else [move])
            except UsageError as error:
                raise UsageError(f"move {number}: {error}") from None
        return position

    def _legal_code(self, player: int, move: str | int) -> int:
        if not isinstance(move, str | int | np.integer):
            raise UsageError(
                f"a move is its text or its code, not {move!r}. "
                f"Legal: {listed(self.legal_moves_of(player))}."
            )
        code = self.game.move_code(player, move) if isinstance(move, str) else int(move)
        codes = self.legal_codes_of(player)
        if code in codes:
            return code
        name = self.game.player_names[player]
        if code is None or not 0 <= code < self.game.num_codes:
            raise unknown(f"move of {name}", str(move), self.legal_moves_of(player))
        shown = listed(self.legal_moves_of(player))
        text = move if isinstance(move, str) else self.game.format_move(player, code)
        raise UsageError(f"{text} is not legal for {name} here. Legal: {shown}.")

    def _copy(self) -> State:
        """Rule functions may rearrange what a state remembers, so they get a copy."""
        return self.state.copy()

    def text(self, colour: bool = False) -> str:
        """The board as text, with ANSI colours if asked."""
        if self.game.render is None:
            return f"{self.game.name}: {self.state.tolist()}"
        return self.game.render(self.state, colour)

    def svg(self) -> str:
        """The board as an SVG picture."""
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
