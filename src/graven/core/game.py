"""`Game`: rules, bounds and display of a game."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from pickle import PicklingError
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from graven.core import contract
from graven.core.callbacks import Callback, raise_fault
from graven.core.calls import DIGEST, format_call
from graven.core.compile import ONCE, address
from graven.core.compile_cache import is_user_defined, stamp_of
from graven.core.contract import Constants, Rules
from graven.core.contract.rule_signatures import EACH_MOVE_BODY, OF_EACH_MOVE, SAMPLE, signatures
from graven.core.errors import ContractError, UsageError, unknown
from graven.core.game_parts import (
    Bounds,
    Display,
    RuleFunction,
    RuleFunctions,
    check_bounds,
    check_functions,
    constant_vector,
)
from graven.core.position import Position
from graven.core.rollout import rollout_address

Option = int | float | str
Origin = tuple[Callable[..., Any], tuple[Any, ...]]
MISERE = "misere-"


class GameOutline(NamedTuple):
    """A game's spec and number of players, which are available without building the game."""

    spec: str
    players: int


def spec_of(name: str, options: Mapping[str, Option]) -> str:
    """Return a game in one line, with all its options, as result files store it."""
    return format_call(name, {option: str(value) for option, value in options.items()})


class Game:
    """A game: its rule functions, bounds, constants and display functions.

    `constants` is the read-only vector that every rule function receives. `playouts` are additional
    playout policies of this game by name, each with the signature of `sample`. `shared_points`
    means that a code is a point, the same for all players, which several of them may occupy one
    after another (as in Go): AMAF then credits the player who occupies it first.
    `history_dependent` means that equal states reached by different moves are different positions.
    `exact_key=False` means that positions with equal keys may differ in what follows (as in Go with
    superko): such positions share statistics, but no proofs.
    `fuse_playouts` means that learning playouts are compiled together with the game's functions:
    faster, but a few seconds of compilation for each playout policy.
    `source` is the text that loads the game, if that differs from its name with its options (a
    file, for example). `source_functions` are further functions that define the game, such as the
    methods of a class. The fields of `bounds` and `display` are attributes of the game, too.
    """

    def __init__(
        self,
        *,
        name: str,
        players: int,
        functions: RuleFunctions,
        bounds: Bounds,
        constants: Sequence[int] | Constants = (),
        display: Display | None = None,
        playouts: Mapping[str, RuleFunction] | None = None,
        options: Mapping[str, Option] | None = None,
        shared_points: bool = False,
        history_dependent: bool = False,
        exact_key: bool = True,
        fuse_playouts: bool = False,
        misere: bool = False,
        source: str = "",
        source_functions: Sequence[Callable[..., Any]] = (),
    ) -> None:
        check_bounds(name, players, bounds)
        display = display or Display()
        if display.player_names and len(display.player_names) != players:
            raise ContractError(
                f"game {name!r}: `player_names` has {len(display.player_names)} names for "
                f"{players} players."
            )
        self.name = name
        self.players = players
        self.functions = check_functions(name, functions)
        self.bounds = bounds
        self.constants = constant_vector(name, constants)
        self.display = display
        self.playouts = dict(playouts or {})
        self.options = dict(options or {})
        self.shared_points = shared_points
        self.history_dependent = history_dependent
        self.exact_key = exact_key
        self.fuse_playouts = fuse_playouts
        self.misere = misere
        self.source = source
        self.source_functions = tuple(source_functions)
        self._playout_rules: dict[str, Rules] = {}
        self._careful = False  # whether user-defined functions are compiled with bounds checks
        # The function that makes this game, and its arguments, for `pickle`. Set by that function.
        self.origin: Origin | None = None

        self.state_words = bounds.state_words
        self.num_codes = bounds.num_codes
        self.max_moves = bounds.max_moves
        self.max_plies = bounds.max_plies
        self.num_features = (functions.feature and bounds.num_features) or bounds.num_codes
        self.batch_scratch = bounds.batch_scratch

        self.player_names = tuple(display.player_names) or tuple(
            f"player {player + 1}" for player in range(players)
        )
        format_move = self._format_any if functions.chance else display.format_move
        self.format_move = self._returning_text("format_move", format_move)
        self.parse_move = display.parse_move
        self.render = display.render and self._returning_text("render", display.render)
        self.svg = display.svg
        self.points = display.points

    @property
    def spec(self) -> str:
        """The game in one line, with all its options: the text that loads it."""
        return self.source or spec_of(self.name, self.options)

    @property
    def fingerprint(self) -> str:
        """The game as result files store it.

        For user-defined rules that no file holds this is the spec with a digest of the rules, so
        that results of different rules under the same name are not merged.
        """
        user_defined = [*self.compiled_user_functions, *_user_defined(self.source_functions)]
        if self.source or not user_defined:
            return self.spec
        sizes = [
            self.players,
            self.state_words,
            self.num_codes,
            self.max_moves,
            self.max_plies,
            self.misere,
        ]
        digest = stamp_of([*user_defined, self.constants, *sizes])[:12]
        return spec_of(self.name, {**self.options, DIGEST: digest})

    @property
    def compiled_user_functions(self) -> list[FunctionType]:
        """The user-defined functions of the game that are compiled, which can crash the process."""
        return _user_defined([*self.functions.by_name().values(), *self.playouts.values()])

    def with_bounds_checks(self) -> Game:
        """Return a copy whose user-defined functions raise where they index beyond an array."""
        copy = self.changed()
        copy._careful = True
        return copy

    @cached_property
    def rules(self) -> Rules:
        """The compiled rules, as kernels receive them, without the functions that play batches."""
        return self._compiled(self._careful)

    @cached_property
    def batch_rules(self) -> Rules:
        """The compiled rules with the functions that play batches, where the game has them."""
        return self.with_batches(self.rules)

    def with_batches(self, rules: Rules, names: Iterable[str] = contract.BATCH_FUNCTIONS) -> Rules:
        """Return compiled rules of this game with some of BATCH_FUNCTIONS, where it has them.

        They take longer to compile than the rest, and most searches need none or one of them.
        """
        code: dict[str, Any] = {name: self._address(name, self._careful) for name in names}
        return rules._replace(**code)

    @cached_property
    def careful_rules(self) -> Rules:
        """The compiled rules with bounds checks in user-defined functions: for tests."""
        return self._compiled(careful=True)

    def _compiled(self, careful: bool = False) -> Rules:
        # Otherwise compiled when a search needs them: see `playout_rules` and `with_batches`.
        checked = careful and self.functions.rollout is not None
        code = {
            name: self._address(name, careful)
            if careful or name not in contract.BATCH_FUNCTIONS
            else 0
            for name in signatures()
        }
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
            score_bounds=int(self.exact_key and self.functions.tree_moves is None),
            squares=0,
            permutations=0,
            regrets=0,
            last_use=0,
            implicit=0,
            amaf=0,
            few_edges=0,
            criticality=0,
            cutoff=contract.NO_CUTOFF,
            rollout=rollout_address(self.functions, careful=True) if checked else 0,
            **code,
        )

    def _address(self, name: str, careful: bool) -> int:
        """Return the address of a compiled function of the game; 0 if it has none."""
        function = self.functions.by_name()[name]
        looped = name in OF_EACH_MOVE
        return (
            address(
                function,
                signatures()[name],
                EACH_MOVE_BODY if looped else ONCE,
                careful,
                arguments=4 if looped else None,  # with which the loop calls the function
            )
            if function
            else 0
        )

    def rules_with(self, playout: str) -> Rules:
        """Return the compiled rules with one of the game's `playouts` in place of `sample`."""
        if playout not in self.playouts:
            raise unknown(f"playout of {self.name}", playout, self.playouts)
        return self.rules._replace(
            sample=address(self.playouts[playout], SAMPLE, careful=self._careful)
        )

    def playout_rules(self, playout: str = "") -> Rules:
        """Return the compiled rules with a `rollout` for uniform playouts.

        `playout` names one of the game's `playouts` that replaces the uniformly random move.
        """
        if playout not in self._playout_rules:
            rules = self.rules_with(playout) if playout else self.rules
            if not self._careful:
                rollout = rollout_address(self.functions, self.playouts.get(playout))
            else:  # the loop has no bounds checks
                rollout = 0 if playout else rules.rollout
            self._playout_rules[playout] = rules._replace(rollout=rollout)
        return self._playout_rules[playout]

    def playout_functions(self, playout: str = "") -> dict[str, Callable[..., Any]] | None:
        """Return the functions that playouts call, to be compiled together with a playout policy.

        None without `fuse_playouts`, or if one of them runs in Python. `playout` is that of
        `playout_rules`.
        """
        functions = {
            name: function
            for name, function in self.functions.by_name().items()
            if name in contract.PLAYOUT_FUNCTIONS and function is not None
        }
        if playout:
            functions["sample"] = self.playouts[playout]
        if not self.fuse_playouts or any(isinstance(f, Callback) for f in functions.values()):
            return None
        return functions  # type: ignore[return-value]

    def as_misere(self) -> Game:
        """Return the game with inverted scores; of a misère game, the original one."""
        name = self.name.removeprefix(MISERE) if self.misere else MISERE + self.name
        source = self.source
        if source:
            source = source.removeprefix(MISERE) if self.misere else MISERE + source
        game = self.changed(name=name, misere=not self.misere, source=source)
        game.origin = (Game.as_misere, (self,))
        return game

    def changed(self, **changes: Any) -> Game:
        """Return a copy with some arguments of the constructor, or fields of its records, changed.

        For example `game.changed(name="mine", legal=other_legal, max_moves=9)`.
        """
        arguments: dict[str, Any] = {name: getattr(self, name) for name in _ARGUMENTS}
        for record, names in _RECORD_FIELDS.items():
            parts = {name: changes.pop(name) for name in names & changes.keys()}
            arguments[record] = replace(changes.pop(record, arguments[record]), **parts)
        return Game(**{**arguments, **changes})

    def describe(self) -> str:
        """Return players and bounds as one sentence."""
        noun = "player" if self.players == 1 else "players"
        return (
            f"{self.players} {noun} ({', '.join(self.player_names)}), {self.num_codes:,} move "
            f"codes, at most {self.max_moves:,} moves in a position and {self.max_plies:,} plies "
            "in a game"
        )

    def __str__(self) -> str:
        return f"{self.spec}: {self.describe()}"

    def __repr__(self) -> str:
        return f"<Game {self.spec}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return self is other or self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.spec)

    def __copy__(self) -> Game:
        return self  # games and positions are immutable

    def __deepcopy__(self, memo: object) -> Game:
        return self

    def __reduce__(self) -> Origin:
        """Pickle a game as the text or the class that it was made of, else as its parts."""
        if self.origin is not None:
            return self.origin
        arguments = {name: getattr(self, name) for name in _ARGUMENTS}
        for record in ("functions", "display"):
            for field in fields(arguments[record]):
                _check_picklable(self.name, field.name, getattr(arguments[record], field.name))
        return _game_of_parts, (arguments,)

    def _returning_text(self, member: str, function: Callable[..., str]) -> Callable[..., str]:
        """Return a function of the display that raises ContractError if it returns no text."""
        name, rule_name = self.name, self.display.rule_names.get(member, member)

        def checked(*arguments: Any) -> str:
            text = function(*arguments)
            if not isinstance(text, str):
                raise ContractError(f"`{rule_name}` of {name} returned {text!r}, which is no text.")
            return text

        return checked

    def _format_any(self, player: int, code: int) -> str:
        """Return the text of a move, or of an outcome if `player` is `chance_index`."""
        if player == self.chance_index:
            return self.display.format_outcome(code)
        return self.display.format_move(player, code)

    @property
    def has_chance(self) -> bool:
        """Whether the game has chance events, such as dice."""
        return self.functions.chance is not None

    @property
    def chance_index(self) -> int:
        """What stands for a player where chance decides: in histories and in trees."""
        return self.players

    @property
    def in_python(self) -> bool:
        """Whether rules run in Python: states then refer to objects of this process."""
        return any(isinstance(each, Callback) for each in self.functions.by_name().values())

    def start(self) -> Position:
        """Return the initial position."""
        state = contract.new_state(self.rules)
        contract.start(self.rules, state)
        raise_fault()
        return Position(self, state)

    def parse(self, text: str) -> Position:
        """Return the position that a text shows, written as `print(position)` writes it.

        Breakthrough and Knightthrough also read a line like chess's FEN, Othello one of 64 squares.
        """
        if self.display.parse_position is None:
            raise UsageError(
                f"{self.name} cannot read positions: play its moves, as in "
                "game.start().play_moves([...])."
            )
        if not isinstance(text, str):
            raise UsageError(f"a position is read from a text, got {text!r}.")
        position: Position = self.display.parse_position(self, text)
        return position

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
        """Return the code of a move's text, or None if the game has no move with this text."""
        if self.has_chance and player == self.chance_index:
            text = text.strip().lower()
            outcome = self.display.format_outcome
            return next((c for c in range(self.num_codes) if outcome(c).lower() == text), None)
        if self.parse_move is not None:
            return self.parse_move(player, text.strip())
        return self._codes_by_text[player].get(text.strip().lower())

    def code_of(self, player: int, move: Any) -> int | None:
        """Return the code of a move given as text, code or the rules' own value; None if unknown.

        The rules' own values come first: in a game of a Python class whose moves are numbers, an
        integer is one of these numbers and never a code.
        """
        code = self.value_code(player, move)
        return self.move_code(player, move) if code is None and isinstance(move, str) else code

    def value_code(self, player: int, value: Any) -> int | None:
        """Return the code of a move given as code or the rules' own value: `code_of` but texts."""
        if self.display.object_code is not None:
            return self.display.object_code(player, value)
        return int(value) if isinstance(value, int | np.integer) else None


def _user_defined(functions: Iterable[Any]) -> list[FunctionType]:
    return [
        function
        for function in functions
        if isinstance(function, FunctionType) and is_user_defined(function)
    ]


_ARGUMENTS = tuple(inspect.signature(Game).parameters)
_RECORD_FIELDS = {
    "functions": frozenset(field.name for field in fields(RuleFunctions)),
    "bounds": frozenset(field.name for field in fields(Bounds)),
    "display": frozenset(field.name for field in fields(Display)),
}


def _game_of_parts(arguments: dict[str, Any]) -> Game:
    return Game(**arguments)


def _check_picklable(game: str, name: str, value: object) -> None:
    """Raise PicklingError, which says what to do, for a function that pickle cannot name."""
    local = isinstance(value, FunctionType) and "<" in value.__qualname__  # <locals>, <lambda>
    if local or isinstance(value, Callback):
        raise PicklingError(
            f"the game {game} cannot be pickled: its `{name}` is a lambda or is defined inside a "
            "function. Define it with `def` at the top of a module, or load the game from its "
            "file, as in gv.game('./mygame.py:game')."
        )
