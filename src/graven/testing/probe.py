"""A game's compiled functions, called one at a time and fenced in.

Rule functions are machine code without bounds checks: one that writes where it should not, or that
raises, goes on as if nothing had happened. `Probe` takes code that looks at bounds where the rules
are somebody's own, puts stamped words around every array it hands over and looks at them after the
call, and asks for the exceptions that machine code drops.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from graven.core import contract
from graven.core.callbacks import Callback, described, raise_fault
from graven.core.contract import SIMULTANEOUS, TERMINAL, Moves, Rules, Scores, State
from graven.core.errors import ContractError
from graven.core.game import Game
from graven.core.rng import generator

ROOM = 64
FAR = 1 << 16
STAMP = 2_147_481_234  # fits an int32, and is no player, code or count of any game we expect

# The same few positions are looked at again and again, and drawing a large board takes its time.
VIEWS_KEPT = 32


class Fence:
    """An array (`inside`) between two stretches of stamped words."""

    def __init__(self, size: int, kind: type, room: int = ROOM) -> None:
        whole: NDArray[Any] = np.full(room + size + room, STAMP, dtype=kind)
        self.inside = whole[room : room + size]
        self._zones = {"before the first": whole[:room], "beyond the last": whole[room + size :]}
        self._untouched = whole[:room].tobytes()

    def breach(self) -> str | None:
        """Where somebody wrote outside the array, or None; the stamps are then set afresh."""
        for where, zone in self._zones.items():
            if zone.tobytes() != self._untouched:
                zone[:] = STAMP
                return where
        return None


@dataclass
class Moment:
    """A position, and the moves that led to it as text."""

    state: State
    path: tuple[str, ...] = ()

    def copy(self) -> Moment:
        """The same moment in words of its own."""
        return Moment(self.state.copy(), self.path)


class View(NamedTuple):
    """What anybody can see of a position.

    `moves` has the sorted legal codes of each player who moves, `scores` the results once the game
    is over; `board` is the position's text, or "" where the game has none.
    """

    turn: int
    moves: tuple[tuple[int, ...], ...]
    scores: tuple[float, ...]
    board: str

    def plays_like(self, other: View) -> bool:
        """Whether the same player, or all, have the same moves, or the game ended alike."""
        return self[:3] == other[:3]

    def unlike(self, other: View) -> str:
        """The first thing in which this view differs from the other."""
        if self.turn != other.turn:
            return f"the turn is {self.turn} instead of {other.turn}"
        if self.moves != other.moves:
            return f"the legal moves are {self.moves} instead of {other.moves}"
        if self.scores != other.scores:
            return f"the results are {self.scores} instead of {other.scores}"
        return f"the board is\n{self.board}\ninstead of\n{other.board}\n"


def moves_so_far(path: tuple[str, ...]) -> str:
    """Where in a game something happened."""
    return f"after {' '.join(path)}" if path else "at the start"


class Probe:
    """Calls a game's functions on copies of a position.

    `after` holds the state's words as the latest call left them.
    """

    def __init__(self, game: Game, seed: int = 0) -> None:
        self.game = game
        self.rules = game.careful_rules
        self.after = contract.new_state(self.rules)
        self._views: dict[bytes, View] = {}
        self._fences = {
            "state": Fence(game.state_words, np.int64),
            # More room here: a bound on the legal moves is the easiest thing to get wrong.
            "moves": Fence(game.max_moves, np.int32, game.num_codes + ROOM),
            "joint": Fence(game.players, np.int32),
            "out": Fence(game.players, np.float64),
            "rng": Fence(1, np.uint64),
        }
        self._fences["rng"].inside[:] = generator(seed)

    def fail(self, function: str, did: str, path: tuple[str, ...]) -> NoReturn:
        """Raise a ContractError that says which function did what, and after which moves."""
        self.report(f"`{function}` {did}", path)

    def report(self, fault: str, path: tuple[str, ...]) -> NoReturn:
        """Raise a ContractError that says what is wrong, and after which moves."""
        raise ContractError(f"{self.game.spec}: {fault} ({moves_so_far(path)}).")

    def start(self, garbage: int = 0) -> Moment:
        """The initial position, set in words that held `garbage`."""
        blank = Moment(np.full(self.game.state_words, garbage, dtype=np.int64))
        self._run("start", contract.start, blank)
        return Moment(self.after)

    def turn(self, moment: Moment) -> int:
        """Whatever `turn` returns."""
        return int(self._run("turn", contract.turn, moment))

    def legal(self, moment: Moment, player: int) -> tuple[int, Moves]:
        """Whatever `legal` returns, and the buffer it wrote, STAMP where it wrote nothing."""
        return self._listed("legal", contract.legal, moment, player)

    def sensible(self, moment: Moment, player: int) -> tuple[int, Moves]:
        """The same for `sensible`."""
        return self._listed("playout_moves", contract.playout_moves, moment, player)

    def candidates(self, moment: Moment, player: int) -> tuple[int, Moves]:
        """The same for `candidates`."""
        return self._listed("tree_moves", contract.tree_moves, moment, player)

    def _listed(
        self, name: str, function: Callable[..., Any], moment: Moment, player: int
    ) -> tuple[int, Moves]:
        buffer = self._fences["moves"].inside
        buffer[:] = STAMP
        count = int(self._run(name, function, moment, player, buffer))
        return count, buffer.copy()

    def play(self, moment: Moment, joint: dict[int, int], idle: int = -1) -> Moment:
        """The position after a move of each player who moves; the others' entries say `idle`."""
        given = self._fences["joint"].inside
        given[:] = [joint.get(player, idle) for player in range(self.game.players)]
        before = given.copy()
        self._run("play", contract.play, moment, given)
        if (given != before).any():
            self.fail("play", "wrote into `joint`, the moves it was given", moment.path)
        return Moment(self.after, (*moment.path, self.joint_text(joint)))

    def scores(self, moment: Moment) -> Scores:
        """Whatever `scores` wrote, NaN where it wrote nothing."""
        out = self._fences["out"].inside
        out[:] = np.nan
        self._run("scores", contract.scores, moment, out)
        return out.copy()

    def sample(self, moment: Moment, player: int, playout: str | None = None) -> int:
        """Whatever `sample`, or one of the game's own playouts, returns."""
        rules = self.game.rules_with(playout) if playout else self.rules
        scratch, rng = contract.new_moves(self.rules), self._fences["rng"].inside
        return int(
            self._run(
                playout or "sample", contract.sample, moment, player, scratch, rng, rules=rules
            )
        )

    def key(self, moment: Moment) -> int:
        """The position's key."""
        return int(self._run("key", contract.key, moment))

    def feature(self, moment: Moment, player: int, move: int) -> int:
        """Whatever `feature` returns."""
        moves, codes = np.array([move], dtype=np.int32), np.zeros(1, dtype=np.uint32)
        self._run("feature", contract.features, moment, player, moves, 1, codes)
        return int(codes.view(np.int32)[0])

    def coded(self, moment: Moment, player: int) -> tuple[list[int], list[int]]:
        """The moves and the codes that `coded` writes."""
        moves, codes = self._fences["moves"].inside, np.zeros(self.rules.max_moves, np.uint32)
        count = int(
            self._run(
                "playout_moves_with_features",
                contract.playout_moves_with_features,
                moment,
                player,
                moves,
                codes,
            )
        )
        if not 0 <= count <= self.rules.max_moves:
            self.fail("coded", f"returned {count}", moment.path)
        return moves[:count].tolist(), codes[:count].tolist()

    def allowed(self, moment: Moment, player: int, move: int) -> bool:
        """Whatever `allowed` returns."""
        scratch = contract.new_moves(self.rules)
        return bool(
            self._run("is_playout_move", contract.is_playout_move, moment, player, move, scratch)
        )

    def choosers(self, turn: int) -> tuple[int, ...]:
        """The players who move when `turn` returns this; none if it is no player."""
        if turn == SIMULTANEOUS:
            return tuple(range(self.game.players))
        return (turn,) if 0 <= turn < self.game.players else ()

    def moves(self, moment: Moment, player: int) -> tuple[int, ...]:
        """The sorted codes of a player's legal moves."""
        count, buffer = self.legal(moment, player)
        return tuple(sorted(int(code) for code in buffer[: max(0, count)]))

    def sensible_moves(self, moment: Moment, player: int) -> tuple[int, ...]:
        """The sorted codes of the moves that playouts choose from."""
        count, buffer = self.sensible(moment, player)
        return tuple(sorted(int(code) for code in buffer[: max(0, count)]))

    def view(self, moment: Moment) -> View:
        """What can be seen of a position."""
        words = moment.state.tobytes()
        if words not in self._views:
            turn = self.turn(moment)
            moves = tuple(self.moves(moment, player) for player in self.choosers(turn))
            if len(self._views) >= VIEWS_KEPT:
                self._views.clear()
            scores = tuple(self.scores(moment).tolist()) if turn == TERMINAL else ()
            self._views[words] = View(turn, moves, scores, self.board(moment))
        return self._views[words]

    def board(self, moment: Moment) -> str:
        """The position's text."""
        if self.game.render is None:
            return ""
        try:
            board = self.game.render(moment.state.copy(), False)
        except Exception as error:
            self.fail("show", f"raised {error!r}", moment.path)
        if not isinstance(board, str):
            self.fail("show", f"gave {board!r}, which is no text", moment.path)
        return board

    def text(self, player: int, code: int, path: tuple[str, ...]) -> str:
        """A move's text."""
        try:
            return self.game.format_move(player, code)
        except Exception as error:
            self.fail("show_move", f"raised {error!r} for move {code}", path)

    def joint_text(self, joint: dict[int, int]) -> str:
        """One move, or the moves of all who move at once with strokes between them."""
        return "/".join(self.text(player, code, ()) for player, code in sorted(joint.items()))

    def raised(self, error: BaseException | None) -> str:
        """What a compiled function did that raised."""
        if isinstance(error, IndexError):
            return "reads or writes beyond the elements of an array"
        return f"raised {described(error)}" if error else "raised"

    def _overrun(self, call: Callable[..., Any], rules: Rules, *given: Any) -> str | None:
        """Which array a function reaches beyond: the one with which, made larger, it goes on."""
        arrays = {name: fence.inside for name, fence in self._fences.items()}
        for name, array in {**arrays, "tables": rules.constants}.items():
            larger = np.concatenate([array, np.zeros(FAR, array.dtype)])
            tables = larger if name == "tables" else rules.constants
            call(rules._replace(constants=tables), *(larger if x is array else x for x in given))
            try:
                raise_fault()
            except ContractError:
                continue
            return f"reads or writes beyond the {array.size} elements of `{name}`"
        return None

    def _run(
        self,
        name: str,
        function: Callable[..., Any],
        moment: Moment,
        *arguments: Any,
        rules: Rules | None = None,
    ) -> Any:
        state = self._fences["state"].inside
        state[:] = moment.state
        result = function(rules or self.rules, state, *arguments)
        self.after = state.copy()
        try:
            raise_fault()
        except ContractError as fault:
            error = fault.__cause__
            if not isinstance(getattr(self.game.functions, name, None), Callback):
                did = None
                if isinstance(error, IndexError):
                    state[:] = moment.state
                    did = self._overrun(function, rules or self.rules, state, *arguments)
                self.fail(name, did or self.raised(error), moment.path)
            if moves_so_far(()) in str(fault) or "(after " in str(fault):
                raise
            self.report(str(fault).removesuffix("."), moment.path)
        for array, fence in self._fences.items():
            if where := fence.breach():
                self.fail(
                    name,
                    f"wrote {where} of the {fence.inside.size} elements of `{array}`",
                    moment.path,
                )
        return result
