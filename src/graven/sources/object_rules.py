"""Games whose positions are Python objects, searched by the same kernel through callbacks.

Kernels copy the words of a state at will, so an object cannot live in them. A state holds the
history of the game (the codes of the moves so far) and the observable part of the position: the
player to move, the legal moves or the outcomes of chance, the scores. Any object can be rebuilt by
replaying the history. That is rare: a simulation starts at the same root as the previous one, whose
object is cached and copied once, and from there each `play` continues with the object of the
previous `play`.

So Python is called once a ply: `turn`, `legal`, `sample`, `scores` and `key` only read what `play`
has written, and are compiled. Memory is bounded: each thread caches a few objects, independent of
the size of the search.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, NoReturn, Protocol

from graven.core.callbacks import BROKEN, Callback
from graven.core.contract import CHANCE, TERMINAL, Constants, Moves, Scores, State
from graven.core.errors import ContractError
from graven.core.game import Game
from graven.core.game_parts import Bounds, Display, RuleFunctions
from graven.core.rng import Rng, below
from graven.sources.replay_check import looks, random_rules_error

# The words of a state: length of the history, hash of the history, key of the position, player to
# move, number of legal moves; then each player's score, the legal moves, the history, and in games
# with chance the probabilities of the outcomes, which are listed in place of legal moves. Scores
# and probabilities are stored in units of 1 / SCORE_UNIT, which is exact for all usual values.
LENGTH, PATH, KEY, TURN, COUNT, HEAD = range(6)
SCORE_UNIT = 1 << 62
# Indices into the constants: where these parts of a state begin.
LEGAL_AT, HISTORY_AT, CHANCES_AT = range(3)
# In so many plies of a thread it is checked that the same moves lead to the same position; of so
# many positions it is remembered what they looked like.
CHECKED, REMEMBERED = 10_000, 4_096
# So often a game is replayed to find out whether its rules are random.
REPLAYS = 20
CACHED_OBJECTS = 16
MAX_MOVES_IN_ERRORS = 100
KEY_MASK = (1 << 63) - 1


# A position as kernels see it: the player to move, TERMINAL or CHANCE, the codes of the legal moves
# or outcomes, each player's score at the end or the probabilities of the outcomes, and a key of 63
# bits, or None if only the history identifies positions.
# A plain tuple, because one is made at every ply.
Observation = tuple[int, Sequence[int], Sequence[float], int | None]


class ObjectRules(Protocol):
    """The rules of a game of objects. `play` may modify the object or return another one."""

    has_chance: bool  # whether `observe` may return CHANCE

    def start(self) -> Any:
        """Return the object of the initial position."""

    def copy(self, position: Any) -> Any:
        """Return an independent copy."""

    def play(self, position: Any, code: int) -> Any:
        """Return the object after a move; `position` is not used afterwards."""

    def observe(self, position: Any, length: int) -> Observation:
        """Return the observable part of the position after `length` moves."""

    def text(self, code: int) -> str:
        """Return a move's text for error messages."""

    # Functions of a position and a move's code, and of a position, or None: see `prior` and
    # `evaluate` of the contract.
    prior: Any
    evaluate: Any


# The compiled functions: they read what `play` has written.


def turn(constants: Constants, state: State) -> int:
    """Return the player to move."""
    return state[TURN]


def chance(constants: Constants, state: State, outcomes: Moves, probabilities: Scores) -> int:
    """Write the outcomes of a chance event and their probabilities; return their number."""
    first, probability = constants[LEGAL_AT], constants[CHANCES_AT]
    for i in range(state[COUNT]):
        outcomes[i] = state[first + i]
        probabilities[i] = state[probability + i] / SCORE_UNIT
    return state[COUNT]


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """Write the legal moves and return their number."""
    first = constants[LEGAL_AT]
    for i in range(state[COUNT]):
        moves[i] = state[first + i]
    return state[COUNT]


def sample(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Return a uniformly random legal move."""
    if state[COUNT] < 1:
        return -1
    return state[constants[LEGAL_AT] + below(rng, state[COUNT])]


def scores(constants: Constants, state: State, out: Scores) -> None:
    """Write the scores."""
    for player in range(len(out)):
        out[player] = state[HEAD + player] / SCORE_UNIT


def key(constants: Constants, state: State) -> int:
    """Return the position's key."""
    return state[KEY]


class ObjectBounds(NamedTuple):
    """Upper bounds: different moves in the game, legal moves in a position, moves in a game.

    `declared_in` is where they are declared, for error messages: "gv.from_class(Nim, ...)".
    """

    num_codes: int
    max_moves: int
    max_plies: int
    declared_in: str


class ObjectCallbacks:
    """The callbacks `start` and `play` of a game of objects, with a cache of objects per thread."""

    def __init__(
        self,
        name: str,
        rules: ObjectRules,
        players: int,
        bounds: ObjectBounds,
        check_once: Callable[[], None] | None = None,
    ) -> None:
        self.name = name
        self.rules = rules
        self.bounds = bounds
        self.legal_at = HEAD + players
        self.max_moves, self.max_plies = bounds.max_moves, bounds.max_plies
        self.history_at = self.legal_at + bounds.max_moves
        self.chances_at = self.history_at + bounds.max_plies
        self.state_words = self.chances_at + (bounds.max_moves if rules.has_chance else 0)
        self._no_scores = [0] * players
        self._thread = threading.local()
        self._check_once = check_once

    def start(self, constants: Constants, state: State) -> None:
        """Write the initial position."""
        state[:] = 0
        state[TURN] = BROKEN
        if self._check_once is not None:
            self._check_once()
            self._check_once = None
        self._write(state, self.rules.start(), 0, 0)

    def play(self, constants: Constants, state: State, joint: Moves) -> None:
        """Write the position after a move."""
        length, path, _, player = state[:COUNT].tolist()
        if length >= self.max_plies:
            raise ContractError(
                f"a game of {self.name} goes on after {length} moves: it must end, or pass a "
                f"larger `max_plies` to {self.bounds.declared_in}."
            )
        code = int(joint[max(player, 0)])  # the outcome of a chance event is joint[0]
        state[TURN] = BROKEN  # stays if the rules raise
        position = self._take(state, length, path)
        state[self.history_at + length] = code
        state[LENGTH] = length + 1
        position = self.rules.play(position, code)
        self._write(state, position, length + 1, hash((path, code)) & KEY_MASK)

    def _write(self, state: State, position: Any, length: int, path: int) -> None:
        turn, codes, results, key = self.rules.observe(position, length)
        count = len(codes)
        if count > self.max_moves:
            raise ContractError(
                f"a position of {self.name} has {count} legal moves, and `max_moves` is "
                f"{self.max_moves}: pass a larger `max_moves` to {self.bounds.declared_in}."
            )
        checked = getattr(self._thread, "checked", 0)
        if checked < CHECKED:
            self._thread.checked = checked + 1
            if len(set(codes)) < count and turn != CHANCE:
                self._report_repeated(codes)
            self._check_seen(state, (path, length), hash((turn, *codes, *results)))
        scores = self._no_scores
        if turn == TERMINAL:
            scores = [round(score * SCORE_UNIT) for score in results]
        if key is None:
            key = path
        if turn == CHANCE:
            end = self.chances_at + count
            state[self.chances_at : end] = [round(chance * SCORE_UNIT) for chance in results]
        # One assignment: each assignment to an array costs as much as several objects.
        state[: self.legal_at + count] = [length, path, key, turn, count, *scores, *codes]
        self._thread.latest = (path, length, position)

    def _report_repeated(self, codes: Sequence[int]) -> NoReturn:
        """Raise ContractError: a move is listed more than once."""
        code, times = Counter(codes).most_common(1)[0]
        raise ContractError(
            f"`moves` of {self.name} lists {self.rules.text(code)} {times} times: list each legal "
            "move once."
        )

    def _check_seen(self, state: State, place: tuple[int, int], look: int) -> None:
        """Raise ContractError if a position, `place`, looked otherwise when it was reached before.

        `place` is the hash and the length of the history.
        """
        seen = self._thread.__dict__.setdefault("seen", {})
        if len(seen) < REMEMBERED:
            seen.setdefault(place, look)
        if seen.get(place, look) != look:
            self._report_difference(state, place[1])

    def _take(self, state: State, length: int, path: int) -> Any:
        """Return an object of the position that may be modified."""
        latest = getattr(self._thread, "latest", None)
        if latest is not None and latest[0] == path and latest[1] == length:
            # The position written last: continue with its object. If it is needed again, it is
            # copied from the cache, or replayed.
            self._thread.latest = None
            return latest[2]
        return self.rules.copy(self._cached(state, length, path))

    def _cached(self, state: State, length: int, path: int) -> Any:
        """Return the object of a position, not to be modified: from the cache, or replayed."""
        if not hasattr(self._thread, "objects"):
            self._thread.objects = OrderedDict()
        objects: OrderedDict[tuple[int, int], Any] = self._thread.objects
        position = objects.get((path, length))
        if position is None:
            position = self.rules.start()
            for code in state[self.history_at : self.history_at + length].tolist():
                position = self.rules.play(position, code)
            self._check_replayed(state, position, length)
            objects[path, length] = position
            if len(objects) > CACHED_OBJECTS:
                objects.popitem(last=False)
        else:
            objects.move_to_end((path, length))
        return position

    def _check_replayed(self, state: State, position: Any, length: int) -> None:
        """Raise ContractError if a replayed game differs."""
        turn, codes, *_ = self.rules.observe(position, length)
        count = int(state[COUNT])
        expected = state[self.legal_at : self.legal_at + count].tolist()
        if turn != TERMINAL and sorted(codes) != sorted(expected):
            self._report_difference(state, length)

    def _report_difference(self, state: State, length: int) -> NoReturn:
        """Raise ContractError: the moves of a state have led to two different positions."""
        history = state[self.history_at : self.history_at + length].tolist()
        if len({tuple(looks(self.rules, history)) for _ in range(REPLAYS)}) > 1:
            raise random_rules_error(self.name)
        raise ContractError(
            f"the same moves of {self.name}, replayed, lead to a different position: a copy shares "
            "data with its original."
        )

    def position(self, state: State) -> Any:
        """Return the object of a state, not to be modified."""
        return self._cached(state, int(state[LENGTH]), int(state[PATH]))

    def _seen(self, state: State) -> Any:
        """Return the object of a state, not to be modified: the latest, if it is that."""
        length, path = int(state[LENGTH]), int(state[PATH])
        latest = getattr(self._thread, "latest", None)
        if latest is not None and latest[0] == path and latest[1] == length:
            return latest[2]
        return self._cached(state, length, path)

    def prior(
        self, constants: Constants, state: State, player: int, moves: Moves, count: int, out: Scores
    ) -> None:
        """Write the priors of some moves, as the rules' own `prior` returns them."""
        position = self._seen(state)
        out[:count] = [self.rules.prior(position, code) for code in moves[:count].tolist()]

    def evaluate(self, constants: Constants, state: State, out: Scores) -> None:
        """Write each player's expected score, as the rules' own `evaluate` returns it."""
        out[:] = self.rules.evaluate(self._seen(state))

    def where(self, state: State) -> str:
        """Return the moves that led to a state, as text for error messages."""
        length = int(state[LENGTH])
        history = state[self.history_at : self.history_at + length].tolist()
        texts = [self.rules.text(code) for code in history]
        if not texts:
            return "at the start"
        last = f"{length} moves, the last ones" if length > MAX_MOVES_IN_ERRORS else "the moves"
        return f"after {last} {' '.join(texts[-MAX_MOVES_IN_ERRORS:])}"


def _hook(callbacks: ObjectCallbacks, name: str, function: Callable[..., None]) -> Callback | None:
    """Return the callback of an optional method of the rules; None if they do not have it."""
    if getattr(callbacks.rules, name, None) is None:
        return None
    return Callback(name, function, callbacks.name, callbacks.where)


def object_game(
    *,
    name: str,
    players: int,
    rules: ObjectRules,
    bounds: ObjectBounds,
    display: Display,
    position_text: Callable[[Any], str] | None = None,
    position_svg: Callable[[Any], str] | None = None,
    position_summary: Callable[[Any], str] | None = None,
    source: str = "",
    history_dependent: bool = True,
    source_functions: Sequence[Callable[..., Any]] = (),
    check_once: Callable[[], None] | None = None,
) -> Game:
    """Return the game of these objects; `position_text` and `position_svg` draw an object.

    `position_summary` says in one line what is in it, for a game without `position_text`.
    `check_once` is called before the first use, and raises ContractError for rules that cannot be
    searched.
    """
    callbacks = ObjectCallbacks(name, rules, players, bounds, check_once)
    if draw := position_text:
        display = replace(display, render=lambda state, colour: draw(callbacks.position(state)))
    if picture := position_svg:
        display = replace(display, svg=lambda state: picture(callbacks.position(state)))
    if summary := position_summary:
        display = replace(display, summary=lambda state: summary(callbacks.position(state)))
    return Game(
        name=name,
        players=players,
        functions=RuleFunctions(
            start=Callback("start", callbacks.start, name, callbacks.where),
            turn=turn,
            legal=legal,
            play=Callback("play", callbacks.play, name, callbacks.where),
            scores=scores,
            sample=sample,
            key=key,
            chance=chance if rules.has_chance else None,
            prior=_hook(callbacks, "prior", callbacks.prior),
            evaluate=_hook(callbacks, "evaluate", callbacks.evaluate),
        ),
        bounds=Bounds(
            state_words=callbacks.state_words,
            num_codes=bounds.num_codes,
            max_moves=bounds.max_moves,
            # One more, so that `ObjectCallbacks.play` is the first to report a game too long.
            max_plies=bounds.max_plies + 1,
        ),
        constants=[
            callbacks.legal_at,
            callbacks.history_at,
            *([callbacks.chances_at] if rules.has_chance else []),
        ],
        display=display,
        source=source,
        history_dependent=history_dependent,
        source_functions=source_functions,
    )
