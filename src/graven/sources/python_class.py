"""Games written as ordinary Python classes: `gv.from_class(Nim)`.

    class Nim:
        players = 2                      # optional; 2 if it does not say

        def __init__(self): ...          # the initial position
        def moves(self): ...             # the legal moves: any values that can be told apart
        def play(self, move): ...        # change this object, or return a new one
        over: bool                       # whether the game has ended
        scores: Sequence[float]          # when it has: each player's result, from 0 to 1

`moves`, `over` and `scores` may be attributes, properties or methods. Optional, too: `turn` (or
`player`), whose move it is, from 0 (without it players take turns); `copy()` (without it
`copy.deepcopy`, which is slow); `key`, a number or any hashable value that is equal for equal
positions (without it positions reached by different moves are different ones); `__str__` for the
board; `code(move)`, the move's code, from 0 to `codes` - 1 (without it codes are given out in the
order in which moves appear).
"""

from __future__ import annotations

import copy
import re
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from inspect import getattr_static
from operator import attrgetter, index, methodcaller
from types import FunctionType, MethodDescriptorType
from typing import Any

from graven.core.callbacks import described
from graven.core.contract import TERMINAL
from graven.core.errors import ContractError, UsageError
from graven.core.game import Game
from graven.sources.object_rules import Look, object_game

PARTS = ("moves", "play", "over", "scores")
MASK = (1 << 63) - 1
# Bounds for whoever gives none: a state has this many words, and an AMAF table twice the codes.
CODES, MOVES, PLIES = 4096, 512, 1024
MOST = {"players": 100, "codes": 1 << 20, "moves": 1 << 16, "plies": 1 << 16}


def from_class(
    cls: Callable[[], Any],
    *,
    name: str | None = None,
    players: int | None = None,
    codes: int | None = None,
    moves: int | None = None,
    plies: int | None = None,
) -> Game:
    """A game from a class (or a function that makes its objects); see the module.

    `codes`, `moves` and `plies` are upper bounds: different moves in the whole game, legal moves in
    a position, moves in a game. Without them 4,096, 512 and 1,024 must do; a game that goes beyond
    them is told so. All arguments may also be attributes of the class.
    """
    said = getattr(cls, "func", cls)  # a class with some arguments given: functools.partial
    title = name or getattr(said, "name", None) or getattr(said, "__name__", "game").lower()
    if not isinstance(title, str):
        raise UsageError(f"the name of a game is a text, not {title!r}.")
    given = {"players": players, "codes": codes, "moves": moves, "plies": plies}
    usual = {"players": 2, "codes": CODES, "moves": MOVES, "plies": PLIES}
    bounds: dict[str, int] = {}
    for bound, value in given.items():
        if value is None:
            found = getattr(said, bound, None)
            # A class has a method `moves`, or a property, which is no bound.
            value = found if isinstance(found, int) else usual[bound]
        if isinstance(value, bool) or not isinstance(value, int):
            raise UsageError(f"{title}: `{bound}` is a whole number, not {value!r}.")
        if not 1 <= value <= MOST[bound]:
            raise UsageError(f"{title}: `{bound}` is from 1 to {MOST[bound]:,}, not {value:,}.")
        bounds[bound] = value
    try:
        first = cls()
    except Exception as error:
        if isinstance(error, TypeError) and "argument" in str(error):
            raise UsageError(f"{title} cannot be made without arguments: {error}.") from None
        raise UsageError(f"{title} cannot be made: {described(error)}.") from error
    for part in PARTS:
        if _reader(first, part) is None:
            raise UsageError(f"{title} has no `{part}`: a game needs {', '.join(PARTS)}.")
    things = Things(cls, title, first, bounds["players"], bounds["codes"])
    return object_game(
        name=title,
        objects=things,
        players=bounds["players"],
        codes=bounds["codes"],
        moves=bounds["moves"],
        plies=bounds["plies"],
        read_move=lambda player, text: things.by_text.get(_text(text).lower()),
        show=str if getattr_static(first, "__str__") is not object.__str__ else None,
        by_history=_reader(first, "key") is None,
        made_of=_functions(type(first)),
        hint=f"give gv.from_class({getattr(said, '__name__', title)}, ...)",
    )


class Things:
    """The objects of one class, and the codes of their moves."""

    def __init__(
        self, cls: Callable[[], Any], name: str, first: Any, players: int, codes: int
    ) -> None:
        self.cls = cls
        self.name = name
        self.players = players
        self.codes = codes
        # How the class says these, found out once: it is asked at every ply.
        self._moves, self._over, self._scores = (
            _reader(first, part) for part in ("moves", "over", "scores")
        )
        self._turn = _reader(first, "turn") or _reader(first, "player")
        self._key = _reader(first, "key")
        # A class derived from `list` has a `copy` that makes a plain list.
        own = getattr_static(first, "copy", None)
        self._copies = own is not None and not isinstance(own, MethodDescriptorType)
        self.known: dict[Hashable, int] = {}  # move to code
        self.moves: dict[int, Any] = {}  # code to move
        self.texts: dict[int, str] = {}
        self.by_text: dict[str, int] = {}
        self._lock = threading.Lock()
        self.changes_itself = True  # until `play` returns another object

    def start(self) -> Any:
        """The initial position."""
        return self.cls()

    def copy(self, thing: Any) -> Any:
        """A copy; the object itself where `play` changes nothing."""
        if not self.changes_itself:
            return thing
        if self._copies:
            other = thing.copy()
            if not isinstance(other, type(thing)):
                raise ContractError(f"`copy` of {self.name} gave {other!r}, which is no copy.")
            return other
        try:
            return copy.deepcopy(thing)
        except Exception as error:
            raise ContractError(
                f"{self.name} cannot be copied ({described(error)}): give the class a method "
                "`copy`, or let `play` return a new object."
            ) from error

    def play(self, thing: Any, code: int) -> Any:
        """Play a move that has been seen."""
        after = thing.play(self.moves[code])
        if after is None or after is thing or not self._is_position(after, thing):
            return thing
        self.changes_itself = False
        return after

    def _is_position(self, after: Any, thing: Any) -> bool:
        """Whether `play` returned a position, and not something that it has to say."""
        return isinstance(after, type(thing)) or all(_reader(after, part) for part in PARTS)

    def look(self, thing: Any, length: int) -> Look:
        """What the position shows."""
        key = None
        if self._key:
            key = self._word(self._key(thing))
        if self._over(thing):
            return TERMINAL, (), self._results(thing), key
        turn = self._turn(thing) if self._turn else length % self.players
        if not isinstance(turn, int) and hasattr(turn, "__index__"):  # a NumPy integer, say
            turn = index(turn)
        if not (isinstance(turn, int) and 0 <= turn < self.players):
            raise ContractError(
                f"`turn` of {self.name} is {turn!r}: players are numbered from 0 to "
                f"{self.players - 1}."
            )
        moves = _listed(self._moves(thing), self.name)
        known = self.known
        try:
            codes = [known[move] for move in moves]
        except (KeyError, TypeError):
            codes = [self.code(move, thing) for move in moves]
        if not codes:
            raise ContractError(
                f"{self.name} is not `over`, and `moves` gives player {turn} none: whoever cannot "
                "move may pass, by a move for that, or the game is over."
            )
        return turn, codes, (), key

    def _results(self, thing: Any) -> Sequence[float]:
        scores = self._scores(thing)
        try:
            if isinstance(scores, Mapping):
                results = [float(scores[player]) for player in range(self.players)]
            else:
                results = [float(score) for score in scores]
        except (TypeError, ValueError, KeyError):
            results = []
        if len(results) != self.players or not all(0.0 <= score <= 1.0 for score in results):
            raise ContractError(
                f"`scores` of {self.name} gave {scores!r}: not one result from 0 (lost) to 1 (won) "
                f"for each of {self.players} players."
            )
        return results

    def _word(self, key: Any) -> int:
        """A key as the 63 bits that a position has room for."""
        if isinstance(key, int) and 0 <= key <= MASK:
            return key
        try:
            return hash((key,)) & MASK
        except TypeError:
            raise ContractError(
                f"`key` of {self.name} gave {key!r}, which cannot be hashed: give a number, a text "
                "or a tuple of such."
            ) from None

    def code(self, move: Any, thing: Any) -> int:
        """The code of a move, a new one if it was never seen."""
        try:
            known = self.known.get(move)
            label: Hashable = move
        except TypeError:  # a list, say: it goes by its text
            label = (type(move).__name__, repr(move))
            known = self.known.get(label)
        if known is not None:
            return known
        with self._lock:
            return self._new_code(move, label, thing)

    def _new_code(self, move: Any, label: Hashable, thing: Any) -> int:
        if label in self.known:  # another thread was faster
            return self.known[label]
        own = getattr(thing, "code", None)
        code = int(own(move)) if callable(own) else len(self.known)
        if callable(own) and not 0 <= code < self.codes:
            raise ContractError(
                f"`code` of {self.name} gave {code} for {move!r}: codes go from 0 to "
                f"{self.codes - 1:,}."
            )
        if code >= self.codes:
            raise ContractError(
                f"{self.name} has more than {self.codes:,} different moves: call "
                "gv.from_class with a larger `codes`."
            )
        text = _text(move)
        other = self.by_text.get(text.lower(), code)
        if other != code or code in self.moves:
            raise ContractError(
                f"{self.name} has two moves that are not told apart: {self.texts.get(other)!r} "
                f"and {text!r}. Moves have different codes, and different texts (`str`), in which "
                "large and small letters are the same."
            )
        # `known` last: whoever finds a code there finds its move, too.
        self.moves[code] = move
        self.texts[code] = text
        self.by_text[text.lower()] = code
        self.known[label] = code
        return code

    def text(self, code: int) -> str:
        """A move's text."""
        return self.texts.get(code, f"move-{code}")


def _functions(cls: type) -> list[FunctionType]:
    """The functions of a class and of those that it is derived from."""
    found = []
    for each in cls.__mro__:
        for member in vars(each).values():
            inner = getattr(member, "fget", getattr(member, "__func__", member))
            if isinstance(inner, FunctionType):
                found.append(inner)
    return found


def _text(move: Any) -> str:
    """A move's text without spaces, so that a line of moves can be read again."""
    tight = re.sub(r"\s*([()\[\]{},:;])\s*", r"\1", str(move).strip())
    return "_".join(tight.split()) or repr(move)


def _reader(thing: Any, name: str) -> Any:
    """A function that reads an attribute, or calls a method, of objects like this; None if there is
    no such thing."""
    # Without asking: a property may not know its answer at the start.
    found = getattr_static(thing, name, None)
    if found is None and name not in getattr(thing, "__dict__", {}):
        return None
    method = callable(found) or isinstance(found, staticmethod | classmethod)
    return methodcaller(name) if method else attrgetter(name)


def _listed(moves: Any, name: str) -> Sequence[Any]:
    try:
        return moves if isinstance(moves, list | tuple) else list(moves)
    except TypeError:
        raise ContractError(f"`moves` of {name} gave {moves!r}, which cannot be listed.") from None
