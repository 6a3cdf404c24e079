"""The rules of a Python class as `ObjectRules`: read its members, number its moves."""

from __future__ import annotations

import copy
import re
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from inspect import getattr_static
from operator import attrgetter, index, methodcaller
from types import MethodDescriptorType
from typing import Any

import numpy as np

from graven.core.callbacks import describe_exception
from graven.core.contract import CHANCE, CHANCE_TOLERANCE, TERMINAL
from graven.core.errors import ContractError, UsageError
from graven.core.status import SCORE_REMEDY
from graven.sources.key_words import key_word
from graven.sources.object_rules import Observation

REQUIRED_MEMBERS = ("moves", "play", "over", "scores")
# The largest values of the bounds of a game.
LIMITS = {"players": 100, "num_codes": 1 << 20, "max_moves": 1 << 16, "max_plies": 1 << 16}


class ClassRules:
    """The rules of one class as `ObjectRules`, and the codes of its moves."""

    def __init__(
        self, cls: Callable[[], Any], name: str, first: Any, players: int, num_codes: int
    ) -> None:
        self.cls = cls
        self.name = name
        self.players = players
        self.num_codes = num_codes
        # Determined once, because they are read at every ply.
        self._moves, self._over, self._scores = (
            member_reader(first, member) for member in ("moves", "over", "scores")
        )
        self._turn = member_reader(first, "turn") or member_reader(first, "player")
        self._key = member_reader(first, "key")
        self._chances = member_reader(first, "chances")
        self.has_chance = self._chances is not None
        if self.has_chance and self._turn is None:
            raise UsageError(
                f"{name} has `chances`, so it needs `turn`, too: players do not alternate where "
                "chance decides between their moves."
            )
        self.prior = self._prior if callable(getattr(first, "prior", None)) else None
        self.evaluate = self._evaluate if callable(getattr(first, "evaluate", None)) else None
        # The `copy` that a class inherits from `list` returns a plain list.
        method = getattr_static(first, "copy", None)
        self._has_copy = method is not None and not isinstance(method, MethodDescriptorType)
        self.code_of_move: dict[Hashable, int] = {}
        self.code_of_text: dict[str, int] = {}
        self.moves: dict[int, Any] = {}  # by code
        self.texts: dict[int, str] = {}  # by code
        self._moves_are_numbers = False  # whether the text of any of them is an integer
        self._lock = threading.Lock()
        self.mutable = True  # until `play` returns another object

    def start(self) -> Any:
        """Return the initial position."""
        return self.cls()

    def copy(self, position: Any) -> Any:
        """Return a copy; the object itself if `play` modifies nothing."""
        if not self.mutable:
            return position
        if self._has_copy:
            duplicate = position.copy()
            if duplicate is position:
                raise ContractError(
                    f"`copy` of {self.name} returned the object itself: return a new object, or "
                    "leave `copy` out."
                )
            if not isinstance(duplicate, type(position)):
                raise ContractError(
                    f"`copy` of {self.name} returned {duplicate!r}, which is not a copy."
                )
            return duplicate
        try:
            return copy.deepcopy(position)
        except Exception as error:
            raise ContractError(
                f"{self.name} cannot be copied ({describe_exception(error)}): give the class a "
                "method `copy`, or let `play` return a new object."
            ) from error

    def play(self, position: Any, code: int) -> Any:
        """Return the position after a move whose code is known."""
        after = position.play(self.moves[code])
        if after is None or after is position or not self._is_position(after, position):
            return position
        self.mutable = False
        return after

    def _is_position(self, after: Any, position: Any) -> bool:
        """Return whether the value that `play` returned is a position."""
        return isinstance(after, type(position)) or all(
            member_reader(after, member) for member in REQUIRED_MEMBERS
        )

    def observe(self, position: Any, length: int) -> Observation:
        """Return the observable part of a position."""
        key = None
        if self._key:
            key = self._key_word(self._key(position))
        over = self._over(position)
        if over:
            return TERMINAL, (), self._final_scores(position), key
        if self._chances and (chances := self._chances(position)):
            return CHANCE, *self._outcomes(chances, position), key
        turn = self._turn(position) if self._turn else length % self.players
        if not isinstance(turn, int) and hasattr(turn, "__index__"):  # such as a NumPy integer
            turn = index(turn)
        if not (isinstance(turn, int) and 0 <= turn < self.players):
            raise self._wrong_turn(turn)
        moves = _as_sequence(self._moves(position), self.name)
        known = self.code_of_move
        try:
            codes = [known[move] for move in moves]
        except (KeyError, TypeError):
            codes = [self._code(move, position) for move in moves]
        if not codes:
            hint = " (`over` returned None: is its `return` missing?)" if over is None else ""
            raise ContractError(
                f"{self.name} is not `over`{hint}, but `moves` is empty for player {turn}: add a "
                "move for passing, or let the game be over."
            )
        return turn, codes, (), key

    def _wrong_turn(self, turn: Any) -> ContractError:
        """Return the error that `turn` is not the number of a player."""
        remedy = ""
        if isinstance(turn, int) and self.players <= turn < LIMITS["players"]:
            remedy = f" For more players set `players = {int(turn) + 1}` in the class."
        elif not isinstance(turn, int):
            remedy = (
                " One player moves at a time in a game of a class: simultaneous moves need "
                "compiled rules or GDL."
            )
        return ContractError(
            f"`turn` of {self.name} is {turn!r}: players are numbered from 0 to "
            f"{self.players - 1}.{remedy}"
        )

    def _outcomes(self, chances: Any, position: Any) -> tuple[list[int], list[float]]:
        """Return the codes of a chance event's outcomes, and their probabilities."""
        pairs = chances.items() if isinstance(chances, Mapping) else chances
        try:
            outcomes, given = zip(*pairs, strict=True)
            probabilities = [float(probability) for probability in given]
        except (TypeError, ValueError):
            probabilities = []
        if (
            not probabilities
            or not all(probability > 0.0 for probability in probabilities)
            or abs(sum(probabilities) - 1.0) > CHANCE_TOLERANCE
        ):
            raise ContractError(
                f"`chances` of {self.name} returned {chances!r}: expected pairs of an outcome and "
                "its probability, which is positive; their sum is 1."
            )
        codes = [self._code(outcome, position) for outcome in outcomes]
        if len(set(codes)) < len(codes):
            raise ContractError(
                f"`chances` of {self.name} returned {chances!r}: list each outcome once, with its "
                "whole probability."
            )
        return codes, probabilities

    def _prior(self, position: Any, code: int) -> float:
        """Return the class's own `prior` of a move."""
        guess = position.prior(self.moves[code])
        if not (isinstance(guess, int | float) and 0.0 <= guess <= 1.0):
            raise ContractError(
                f"`prior` of {self.name} returned {guess!r} for {self.text(code)}: expected a "
                "number from 0 to 1."
            )
        return float(guess)

    def _evaluate(self, position: Any) -> Sequence[float]:
        """Return the class's own `evaluate`."""
        return self._checked_scores("evaluate", position.evaluate())

    def _final_scores(self, position: Any) -> Sequence[float]:
        return self._checked_scores("scores", self._scores(position))

    def _checked_scores(self, member: str, scores: Any) -> Sequence[float]:
        try:
            if isinstance(scores, Mapping):
                results = [float(scores[player]) for player in range(self.players)]
            else:
                results = [float(score) for score in scores]
        except (TypeError, ValueError, KeyError):
            results = []
        if len(results) != self.players or not all(0.0 <= score <= 1.0 for score in results):
            raise ContractError(
                f"`{member}` of {self.name} returned {scores!r}: expected one score from 0 (lost) "
                f"to 1 (won) for each of {self.players} players; {SCORE_REMEDY}."
            )
        return results

    def _key_word(self, key: Any) -> int:
        """Return a key as a number of 63 bits."""
        try:
            return key_word(key)
        except TypeError:
            raise ContractError(
                f"`key` of {self.name} returned {key!r}, which cannot be hashed: return a number, "
                "a text or a tuple of these."
            ) from None

    def _code(self, move: Any, position: Any) -> int:
        """Return the code of a move; a new move gets a new code."""
        label = _label(move)
        code = self.code_of_move.get(label)
        if code is not None:
            return code
        with self._lock:
            return self._new_code(move, label, position)

    def code_of_value(self, value: Any) -> int | None:
        """Return the code of a move of the class, or None.

        An integer that is no such move is the code of a move only if no move of the class reads as
        an integer: otherwise a wrong move would be played without a word.
        """
        code = self.code_of_move.get(_label(value))
        if code is None and isinstance(value, int | np.integer):
            code = self.code_of_text.get(str(value))
            if code is None and not self._moves_are_numbers:
                return int(value)
        return code

    def _new_code(self, move: Any, label: Hashable, position: Any) -> int:
        if label in self.code_of_move:  # added by another thread
            return self.code_of_move[label]
        if _has_no_text(move):
            raise ContractError(
                f"`moves` of {self.name} lists {move!r}, whose text is only its address: give its "
                "class `__str__`, `__eq__` and `__hash__`, as @dataclass(frozen=True) does, or let "
                "moves be texts, numbers or tuples."
            )
        method = getattr(position, "code", None)
        code = int(method(move)) if callable(method) else len(self.code_of_move)
        if callable(method) and not 0 <= code < self.num_codes:
            raise ContractError(
                f"`code` of {self.name} returned {code} for {move!r}: codes go from 0 to "
                f"{self.num_codes - 1:,}."
            )
        if code >= self.num_codes:
            raise ContractError(
                f"{self.name} has more than {self.num_codes:,} different moves: pass a larger "
                "`num_codes` to gv.from_class."
            )
        text = move_text(move)
        same_text = self.code_of_text.get(text.lower(), code)
        if same_text != code or code in self.moves:
            raise ContractError(
                f"{self.name} has two moves that cannot be distinguished: "
                f"{self.texts.get(same_text)!r} and {text!r}. Different moves need different codes "
                "and different texts (`str`); upper and lower case count as equal. A move that is "
                "listed again must be equal to the first one (`__eq__` and `__hash__`)."
            )
        self._moves_are_numbers |= re.fullmatch(r"[+-]?\d+", text) is not None
        # `code_of_move` last: other threads read it without the lock.
        self.moves[code] = move
        self.texts[code] = text
        self.code_of_text[text.lower()] = code
        self.code_of_move[label] = code
        return code

    def text(self, code: int) -> str:
        """Return a move's text."""
        return self.texts.get(code, f"move-{code}")


def _has_no_text(move: Any) -> bool:
    """Return whether a move is an object whose class defines no text."""
    kind: Any = type(move)
    return kind.__str__ is object.__str__ and kind.__repr__ is object.__repr__


def _label(move: Any) -> Hashable:
    """Return what identifies a move: the move itself, or if it cannot be hashed, its text."""
    try:
        hash(move)
    except TypeError:  # such as a list
        return type(move).__name__, repr(move)
    return move


def move_text(move: Any) -> str:
    """Return a move's text without spaces, so that a line of moves can be parsed."""
    tight = re.sub(r"\s*([()\[\]{},:;])\s*", r"\1", str(move).strip())
    return "_".join(tight.split()) or repr(move)


def member_reader(position: Any, name: str) -> Any:
    """Return a function that reads an attribute or calls a method of such objects, or None."""
    # Without evaluating it: a property may have no value at the start of a game.
    member = getattr_static(position, name, None)
    if member is None and name not in getattr(position, "__dict__", {}):
        return None
    is_method = callable(member) or isinstance(member, staticmethod | classmethod)
    return methodcaller(name) if is_method else attrgetter(name)


def _as_sequence(moves: Any, name: str) -> Sequence[Any]:
    try:
        return moves if isinstance(moves, list | tuple) else list(moves)
    except TypeError:
        raise ContractError(
            f"`moves` of {name} returned {moves!r}, which is not a list of moves."
        ) from None
