"""Games whose positions are Python objects, searched by the same kernel through callbacks.

The kernel copies a state's words as it likes, so an object cannot live in them. A state is the
history of the game, the codes of the moves so far, and what can be seen of the position: who moves,
the legal moves, the results. Any object can be made again by replaying the history. Seldom does it
come to that: a simulation starts at the same root as the one before, whose object is kept and
copied once, and from there each `play` continues with the object of the `play` before it.

So Python is called once a ply: `turn`, `legal`, `sample`, `scores` and `key` only read what `play`
has written, and are compiled. Memory is bounded: each thread keeps a few objects, nothing grows
with the search.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from graven.core.callbacks import BROKEN, Callback
from graven.core.contract import TERMINAL, Constants, Moves, Scores, State
from graven.core.errors import ContractError
from graven.core.game import Game, Option
from graven.core.game_parts import Bounds, Display, RuleFunctions
from graven.core.rng import Rng, below

# The words of a state: how long the history is, a hash of it, the position's key, who moves, how
# many legal moves there are; then each player's result, the legal moves, the history. A result is
# kept in units of 1 / ONE, which is exact for whatever people use.
LENGTH, PATH, KEY, TURN, COUNT, HEAD = range(6)
ONE = 1 << 62
# Where `tables` says that these parts begin.
LEGAL_AT, HISTORY_AT, TABLE_WORDS = range(3)
KEPT_OBJECTS = 16
TOLD_MOVES = 100  # in an error
MASK = (1 << 63) - 1


# The view of a position: the player to move or TERMINAL, the codes of the legal moves, each
# player's score at the end, and a key of 63 bits, or None where only the history tells positions
# apart.
Look = tuple[int, Sequence[int], Sequence[float], int | None]


class Objects(Protocol):
    """How objects are played with. `play` may change the object or return another one."""

    def start(self) -> Any:
        """The object of the initial position."""

    def copy(self, thing: Any) -> Any:
        """An object that goes its own way from here."""

    def play(self, thing: Any, code: int) -> Any:
        """The object after a move; the given one may be spent."""

    def look(self, thing: Any, length: int) -> Look:
        """What the position shows after `length` moves."""

    def text(self, code: int) -> str:
        """A move's text."""


# What is compiled: reading what `play` has written.


def turn(constants: Constants, state: State) -> int:
    """Who moves."""
    return state[TURN]


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """The legal moves."""
    first = constants[LEGAL_AT]
    for i in range(state[COUNT]):
        moves[i] = state[first + i]
    return state[COUNT]


def sample(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """One of them."""
    if state[COUNT] < 1:
        return -1
    return state[constants[LEGAL_AT] + below(rng, state[COUNT])]


def scores(constants: Constants, state: State, out: Scores) -> None:
    """The results."""
    for player in range(len(out)):
        out[player] = state[HEAD + player] / ONE


def key(constants: Constants, state: State) -> int:
    """The position's key."""
    return state[KEY]


class Theatre:
    """Where the objects of one game live: makes the words of a state from them, and the other way
    round. Each thread has its own objects."""

    def __init__(
        self, name: str, objects: Objects, players: int, moves: int, plies: int, hint: str
    ) -> None:
        self.name = name
        self.objects = objects
        self.players = players
        self.moves = moves
        self.plies = plies
        self.hint = hint
        self.legal_at = HEAD + players
        self.history_at = self.legal_at + moves
        self.words = self.history_at + plies
        self._nothing = [0] * players
        self._mine = threading.local()

    def start(self, constants: Constants, state: State) -> None:
        """Write the initial position."""
        state[:] = 0
        state[TURN] = BROKEN
        self._write(state, self.objects.start(), 0, 0)

    def play(self, constants: Constants, state: State, joint: Moves) -> None:
        """Write the position after a move."""
        length, path, _, mover = state[:COUNT].tolist()
        if length >= self.plies:
            raise ContractError(
                f"a game of {self.name} goes on after {self.plies} moves: it must end, or "
                f"{self.hint} a larger `plies`."
            )
        code = int(joint[mover])
        state[TURN] = BROKEN  # until all is well
        thing = self._object(state, length, path)
        state[self.history_at + length] = code
        state[LENGTH] = length + 1
        thing = self.objects.play(thing, code)
        self._write(state, thing, length + 1, hash((path, code)) & MASK)

    def _write(self, state: State, thing: Any, length: int, path: int) -> None:
        turn, codes, results, known = self.objects.look(thing, length)
        count = len(codes)
        if count > self.moves:
            raise ContractError(
                f"a position of {self.name} has {count} legal moves, and `moves` is "
                f"{self.moves}: {self.hint} a larger `moves`."
            )
        worth = self._nothing if turn != TERMINAL else [round(score * ONE) for score in results]
        key = path if known is None else known
        # All at once: each assignment to an array costs as much as a few objects do.
        state[: self.legal_at + count] = [length, path, key, turn, count, *worth, *codes]
        self._mine.live = (path, length, thing)

    def _object(self, state: State, length: int, path: int) -> Any:
        """An object of the position that nobody else holds."""
        live = getattr(self._mine, "live", None)
        if live is not None and live[0] == path and live[1] == length:
            # The position that was just written: it goes on from there. Should somebody come back
            # to it, a copy is made from what is kept, or it is replayed.
            self._mine.live = None
            return live[2]
        return self.objects.copy(self.kept(state, length, path))

    def kept(self, state: State, length: int, path: int) -> Any:
        """The object of a position, not to be changed: kept from before, or replayed."""
        if not hasattr(self._mine, "objects"):
            self._mine.objects = OrderedDict()
        kept: OrderedDict[tuple[int, int], Any] = self._mine.objects
        thing = kept.get((path, length))
        if thing is None:
            thing = self.objects.start()
            for code in state[self.history_at : self.history_at + length].tolist():
                thing = self.objects.play(thing, code)
            self._same_again(state, thing, length)
            kept[path, length] = thing
            if len(kept) > KEPT_OBJECTS:
                kept.popitem(last=False)
        else:
            kept.move_to_end((path, length))
        return thing

    def _same_again(self, state: State, thing: Any, length: int) -> None:
        """A replayed game must be as it was: there is no chance in it, and nothing outside."""
        turn, codes, *_ = self.objects.look(thing, length)
        count = int(state[COUNT])
        before = state[self.legal_at : self.legal_at + count].tolist()
        if turn != TERMINAL and sorted(codes) != sorted(before):
            raise ContractError(
                f"{self.name} played again goes another way: a copy shares something with its "
                "original, or the rules throw dice."
            )

    def shown(self, state: State) -> Any:
        """The object of a state, to look at."""
        return self.kept(state, int(state[LENGTH]), int(state[PATH]))

    def where(self, state: State) -> str:
        """The moves that led to a state, in words."""
        length = int(state[LENGTH])
        history = state[self.history_at : self.history_at + length].tolist()
        texts = [self.objects.text(code) for code in history]
        if not texts:
            return "at the start"
        last = f"{length} moves, the last ones" if length > TOLD_MOVES else "the moves"
        return f"after {last} {' '.join(texts[-TOLD_MOVES:])}"


def object_game(
    *,
    name: str,
    objects: Objects,
    players: int,
    codes: int,
    moves: int,
    plies: int,
    read_move: Callable[[int, str], int | None],
    hint: str,
    show: Callable[[Any], str] | None = None,
    show_move: Callable[[int, int], str] | None = None,
    options: Mapping[str, Option] | None = None,
    player_names: Sequence[str] = (),
    source: str = "",
    by_history: bool = True,
    made_of: Sequence[Callable[..., Any]] = (),
) -> Game:
    """A game from objects. `hint` begins the advice to give larger bounds; `show` draws an object
    as text; `made_of` are the functions of one's own behind it."""
    theatre = Theatre(name, objects, players, moves, plies, hint)
    return Game(
        name=name,
        players=players,
        functions=RuleFunctions(
            start=Callback("start", theatre.start, name, theatre.where),
            turn=turn,
            legal=legal,
            play=Callback("play", theatre.play, name, theatre.where),
            scores=scores,
            sample=sample,
            key=key,
        ),
        bounds=Bounds(
            state_words=theatre.words,
            num_codes=codes,
            max_moves=moves,
            # One more, so that `Theatre.play` is the first to report a game that is too long.
            max_plies=plies + 1,
        ),
        constants=[theatre.legal_at, theatre.history_at],
        display=Display(
            player_names=player_names,
            format_move=show_move or (lambda player, code: objects.text(code)),
            parse_move=read_move,
            render=(lambda state, colour: show(theatre.shown(state))) if show else None,
        ),
        options=options,
        source=source,
        history_dependent=by_history,
        source_functions=made_of,
    )
