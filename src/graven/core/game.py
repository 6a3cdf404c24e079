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
from graven.core.compile import ONCE, address, is_own, stamp_of
from graven.core.contract import EVERYBODY, NOBODY, Rules, Scores, State, Tables
from graven.core.errors import ContractError, UsageError, listed, unknown

Option = int | float | str
MISERE = "misere-"
MOST = {"players": 100, "words": 1 << 26, "codes": 1 << 24, "moves": 1 << 24, "plies": 1 << 24}
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
    """The rules of a game (see `graven.core.contract`), and how to show it to people.

    `moves` and `plies` are upper bounds: legal moves of one player in a position, and plies
    of a whole game. `show_move(player, code)` is a move's text, `show(state, colour)` the
    board as text (with ANSI colours if asked), `svg(state)` the board as a picture.
    `places` says that a code is a place, the same for all players, which several of them may take
    one after another (Go's points): AMAF then counts it for whoever takes it first.
    `scratch` is how many words of memory its `many` needs to work in.
    `playouts` names further ways to pick a playout's next move, each like `sample`.
    `points(state)` is the first player's result as people count it, where that is not the
    score itself: more points, a higher score, and the other way round.
    `read_move(player, text)` is the code of a move's text, or None: only where `show_move` does
    not know the texts of all codes from the beginning. `source` is the text that finds the game
    again, where that is not its name with its options: a file, say. With `by_history` positions
    that look alike are different ones if other moves led to them. `made_of` are further functions
    that make it what it is, such as a class's.
    """

    def __init__(
        self,
        *,
        name: str,
        players: int,
        words: int,
        codes: int,
        moves: int,
        plies: int,
        tables: Sequence[int] | Tables,
        start: Function,
        turn: Function,
        legal: Function,
        play: Function,
        scores: Function,
        candidates: Function | None = None,
        sensible: Function | None = None,
        sample: Function | None = None,
        key: Function | None = None,
        feature: Function | None = None,
        allowed: Function | None = None,
        coded: Function | None = None,
        many: Function | None = None,
        scratch: int = 1,
        places: bool = False,
        features: int = 0,
        playouts: Mapping[str, Function] | None = None,
        options: Mapping[str, Option] | None = None,
        player_names: Sequence[str] = (),
        show_move: Callable[[int, int], str] = _code_as_text,
        show: Callable[[State, bool], str] | None = None,
        svg: Callable[[State], str] | None = None,
        points: Callable[[State], float] | None = None,
        read_move: Callable[[int, str], int | None] | None = None,
        misere: bool = False,
        source: str = "",
        by_history: bool = False,
        made_of: Sequence[Callable[..., Any]] = (),
    ) -> None:
        sizes = {"players": players, "words": words, "codes": codes, "moves": moves, "plies": plies}
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
        self.words = words
        self.codes = codes
        self.moves = moves
        self.plies = plies
        self.tables = _tables(name, tables)
        self.functions: dict[str, Function | None] = {
            "start": start,
            "turn": turn,
            "legal": legal,
            "play": play,
            "scores": scores,
            "candidates": candidates,
            "sensible": sensible,
            "sample": sample,
            "key": key,
            "feature": feature,
            "allowed": allowed,
            "coded": coded,
            "many": many,
        }
        for part, function in self.functions.items():
            if function is not None or part in REQUIRED:
                self.functions[part] = _function(name, part, function)
        self.scratch = scratch
        self.places = places
        self.features = features if feature else codes
        self.playouts = dict(playouts or {})
        self.options = dict(options or {})
        self.player_names = tuple(player_names) or tuple(f"player {p + 1}" for p in range(players))
        self.show_move = show_move
        self.show = show
        self.svg = svg
        self.points = points
        self.read_move = read_move
        self.misere = misere
        self.source = source
        self.by_history = by_history
        self.made_of = tuple(made_of)

    @property
    def spec(self) -> str:
        """The game in one line, with all its options."""
        return self.source or spec_of(self.name, self.options)

    @property
    def recorded(self) -> str:
        """The same as records store it: rules of one's own that no file has say what they are made
        of, so that games by other rules of the same name are not counted with them."""
        functions = [*self.functions.values(), *self.playouts.values(), *self.made_of]
        own = [each for each in functions if isinstance(each, FunctionType) and is_own(each)]
        if self.source or not own:
            return self.spec
        sizes = [self.players, self.words, self.codes, self.moves, self.plies, self.misere]
        digest = stamp_of([*own, self.tables, *sizes])[:12]
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
            tables=self.tables,
            players=self.players,
            words=self.words,
            codes=self.codes,
            features=self.features,
            moves=self.moves,
            plies=self.plies,
            scratch=self.scratch,
            places=int(self.places and self.players > 1),
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
            {self.show_move(player, code).lower(): code for code in reversed(range(self.codes))}
            for player in range(self.players)
        ]

    def move_code(self, player: int, text: str) -> int | None:
        """The code of a move's text, or None if no move of the game is written so."""
        if self.read_move is not None:
            return self.read_move(player, text.strip())
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


def _tables(game: str, given: Any) -> Tables:
    try:
        numbers = np.asarray(given)
        if numbers.size and numbers.dtype.kind not in "iub":
            raise TypeError
        tables: Tables = np.array(numbers, dtype=np.int64).reshape(-1)
    except (TypeError, ValueError, OverflowError):
        raise ContractError(
            f"game {game!r}: `tables` are whole numbers of 64 bits, in a list or an array."
        ) from None
    tables.setflags(write=False)
    return tables


_ARGUMENTS = frozenset(inspect.signature(Game).parameters)


class Position:
    """One moment of a game. Immutable: `play` gives a new position."""

    def __init__(self, game: Game, state: State, history: tuple[tuple[int, ...], ...] = ()) -> None:
        self.game = game
        self.state = state
        self.history = history
        state.setflags(write=False)

    @cached_property
    def turn(self) -> int:
        """Who moves: a player's number from 0, or NOBODY (-1), or EVERYBODY (-2) at once."""
        turn = int(contract.turn(self.game.rules, self._copy()))
        raise_fault()
        return turn

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.turn == NOBODY

    @property
    def choosers(self) -> tuple[int, ...]:
        """The players who choose a move now."""
        if self.turn == NOBODY:
            return ()
        return tuple(range(self.game.players)) if self.turn == EVERYBODY else (self.turn,)

    @property
    def moves(self) -> tuple[str, ...]:
        """The legal moves as text, sorted by code; empty when the game is over.

        Where everybody moves at once these are the first player's: see `moves_of`.
        """
        return self.moves_of(self.choosers[0]) if self.choosers else ()

    def moves_of(self, player: int) -> tuple[str, ...]:
        """The legal moves of one player as text, sorted by code."""
        return tuple(self.game.show_move(player, code) for code in self.codes_of(player))

    def codes_of(self, player: int) -> tuple[int, ...]:
        """The codes of one player's legal moves, sorted."""
        if player not in self.choosers:
            return ()
        rules = self.game.rules
        buffer = contract.new_moves(rules)
        count = contract.legal(rules, self._copy(), player, buffer)
        raise_fault()
        if not 0 <= count <= self.game.moves:
            raise ContractError(
                f"the rules of {self.game.name} break the game contract: `legal` gave {count} "
                f"moves, and `moves` says that there are at most {self.game.moves}."
            )
        return tuple(sorted(int(code) for code in buffer[:count]))

    @property
    def scores(self) -> tuple[float, ...] | None:
        """Each player's result from 0 to 1, or None while the game goes on."""
        if not self.over:
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

    def play(self, *moves: str | int) -> Position:
        """The position after a move (text or code); one for each player where all move at once."""
        if self.over:
            raise UsageError(f"the game of {self.game.name} is over: no move can be played.")
        choosers = self.choosers
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

    def play_all(self, moves: Sequence[str]) -> Position:
        """The position after several moves; commas join the moves that are made at once."""
        position = self
        for number, move in enumerate(moves, 1):
            try:
                together = len(position.choosers) > 1
                position = position.play(*(move.split(",") if together else [move]))
            except UsageError as error:
                raise UsageError(f"move {number}: {error}") from None
        return position

    def _legal_code(self, player: int, move: str | int) -> int:
        if not isinstance(move, str | int | np.integer):
            raise UsageError(
                f"a move is its text or its code, not {move!r}. "
                f"Legal: {listed(self.moves_of(player))}."
            )
        code = self.game.move_code(player, move) if isinstance(move, str) else int(move)
        codes = self.codes_of(player)
        if code in codes:
            return code
        name = self.game.player_names[player]
        if code is None or not 0 <= code < self.game.codes:
            raise unknown(f"move of {name}", str(move), self.moves_of(player))
        shown = listed(self.moves_of(player))
        text = move if isinstance(move, str) else self.game.show_move(player, code)
        raise UsageError(f"{text} is not legal for {name} here. Legal: {shown}.")

    def _copy(self) -> State:
        """Rule functions may rearrange what a state remembers, so they get a copy."""
        return self.state.copy()

    def text(self, colour: bool = False) -> str:
        """The board as text, with ANSI colours if asked."""
        if self.game.show is None:
            return f"{self.game.name}: {self.state.tolist()}"
        return self.game.show(self.state, colour)

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
