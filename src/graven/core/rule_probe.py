"""Call a game's compiled functions one at a time, with guards around their arrays.

Rule functions are machine code without bounds checks: one that writes out of bounds, or raises,
continues silently. `RuleProbe` compiles user-defined rules with bounds checks, puts guard words
around every array, verifies them after each call, and raises the exceptions that machine code
drops.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from graven.core import contract
from graven.core.callbacks import Callback, describe_exception, raise_fault
from graven.core.contract import CHANCE, SIMULTANEOUS, TERMINAL, Moves, Rules, Scores, State
from graven.core.errors import ContractError
from graven.core.game import Game
from graven.core.rng import generator

GUARD_WORDS = 64
FAR = 1 << 16
GUARD = 2_147_481_234  # fits an int32, and is no player, code or count of any expected game

# Checks view the same few positions repeatedly, and rendering a large board is slow.
CACHED_VIEWS = 32


class GuardedArray:
    """An array (`inside`) between two zones of guard words."""

    def __init__(self, size: int, dtype: type, guards: int = GUARD_WORDS) -> None:
        whole: NDArray[Any] = np.full(guards + size + guards, GUARD, dtype=dtype)
        self.inside = whole[guards : guards + size]
        self._zones = {
            "before the first": whole[:guards],
            "beyond the last": whole[guards + size :],
        }
        self._untouched = whole[:guards].tobytes()

    def breach(self) -> str | None:
        """Return where a function wrote outside the array, or None; reset the guard words."""
        for where, zone in self._zones.items():
            if zone.tobytes() != self._untouched:
                zone[:] = GUARD
                return where
        return None


@dataclass
class ProbedPosition:
    """A position, and the moves that led to it as text."""

    state: State
    path: tuple[str, ...] = ()

    def copy(self) -> ProbedPosition:
        """Return a copy."""
        return ProbedPosition(self.state.copy(), self.path)


class PositionView(NamedTuple):
    """The observable part of a position.

    `moves` has the sorted legal codes of each player to move, `scores` the scores of a terminal
    position; `board` is the position's text, or "" if the game has no `render`.
    """

    turn: int
    moves: tuple[tuple[int, ...], ...]
    scores: tuple[float, ...]
    board: str

    def plays_like(self, other: PositionView) -> bool:
        """Return whether turn, legal moves and scores are equal."""
        return self[:3] == other[:3]

    def difference(self, other: PositionView) -> str:
        """Describe the first difference from another view."""
        if self.turn != other.turn:
            return f"the turn is {self.turn} instead of {other.turn}"
        if self.moves != other.moves:
            return f"the legal moves are {self.moves} instead of {other.moves}"
        if self.scores != other.scores:
            return f"the scores are {self.scores} instead of {other.scores}"
        return f"the board is\n{self.board}\ninstead of\n{other.board}\n"


def moves_text(path: tuple[str, ...]) -> str:
    """Return where in a game something happened."""
    return f"after {' '.join(path)}" if path else "at the start"


class RuleProbe:
    """Calls a game's functions on copies of a position.

    `after` is the state as the latest call left it.
    """

    def __init__(self, game: Game, seed: int = 0) -> None:
        self.game = game
        self.rules = game.careful_rules
        self.after = contract.new_state(self.rules)
        self._views: dict[bytes, PositionView] = {}
        self._arrays = {
            "state": GuardedArray(game.state_words, np.int64),
            # More guard words: `max_moves` is the bound that is most easily too low.
            "moves": GuardedArray(game.max_moves, np.int32, game.num_codes + GUARD_WORDS),
            "joint": GuardedArray(game.players, np.int32),
            "out": GuardedArray(game.players, np.float64),
            "rng": GuardedArray(1, np.uint64),
            "chances": GuardedArray(game.max_moves, np.float64),
        }
        self._arrays["rng"].inside[:] = generator(seed)

    def fail(self, function: str, did: str, path: tuple[str, ...]) -> NoReturn:
        """Raise ContractError: what a function did, and after which moves."""
        self.report(f"`{self.rule_name(function)}` {did}", path)

    def rule_name(self, function: str) -> str:
        """Return the name under which the user has written a rule function."""
        return self.game.display.rule_names.get(function, function)

    def report(self, fault: str, path: tuple[str, ...]) -> NoReturn:
        """Raise ContractError: what is wrong, and after which moves."""
        raise ContractError(f"{self.game.spec}: {fault} ({moves_text(path)}).")

    def start(self, garbage: int = 0) -> ProbedPosition:
        """Return the initial position, set in a state that held `garbage`."""
        blank = ProbedPosition(np.full(self.game.state_words, garbage, dtype=np.int64))
        self._run("start", contract.start, blank)
        return ProbedPosition(self.after)

    def turn(self, position: ProbedPosition) -> int:
        """Return the value of `turn`."""
        return int(self._run("turn", contract.turn, position))

    def legal(self, position: ProbedPosition, player: int) -> tuple[int, Moves]:
        """Return the value of `legal` and its buffer, GUARD where nothing was written."""
        return self._list_moves("legal", contract.legal, position, player)

    def playout_moves(self, position: ProbedPosition, player: int) -> tuple[int, Moves]:
        """Return the same for `playout_moves`."""
        return self._list_moves("playout_moves", contract.playout_moves, position, player)

    def tree_moves(self, position: ProbedPosition, player: int) -> tuple[int, Moves]:
        """Return the same for `tree_moves`."""
        return self._list_moves("tree_moves", contract.tree_moves, position, player)

    def _list_moves(
        self, name: str, function: Callable[..., Any], position: ProbedPosition, player: int
    ) -> tuple[int, Moves]:
        buffer = self._arrays["moves"].inside
        buffer[:] = GUARD
        count = int(self._run(name, function, position, player, buffer))
        return count, buffer.copy()

    def play(
        self, position: ProbedPosition, joint: dict[int, int], idle: int = -1
    ) -> ProbedPosition:
        """Return the position after a joint move; the entries of other players are `idle`."""
        moves = self._arrays["joint"].inside
        moves[:] = [joint.get(player, idle) for player in range(self.game.players)]
        moves[0] = joint.get(self.game.chance_index, moves[0])
        before = moves.copy()
        self._run("play", contract.play, position, moves)
        if (moves != before).any():
            self.fail("play", "wrote into its argument `joint`", position.path)
        return ProbedPosition(self.after, (*position.path, self.joint_text(joint)))

    def scores(self, position: ProbedPosition) -> Scores:
        """Return what `scores` wrote, NaN where nothing was written."""
        out = self._arrays["out"].inside
        out[:] = np.nan
        self._run("scores", contract.scores, position, out)
        return out.copy()

    def sample(self, position: ProbedPosition, player: int, playout: str | None = None) -> int:
        """Return the value of `sample`, or of one of the game's `playouts`."""
        rules = self.game.rules_with(playout) if playout else self.rules
        scratch, rng = contract.new_moves(self.rules), self._arrays["rng"].inside
        return int(
            self._run(
                playout or "sample", contract.sample, position, player, scratch, rng, rules=rules
            )
        )

    def key(self, position: ProbedPosition) -> int:
        """Return the position's key."""
        return int(self._run("key", contract.key, position))

    def feature(self, position: ProbedPosition, player: int, move: int) -> int:
        """Return the value of `feature`."""
        moves, codes = np.array([move], dtype=np.int32), np.zeros(1, dtype=np.uint32)
        self._run("feature", contract.features, position, player, moves, 1, codes)
        return int(codes.view(np.int32)[0])

    def playout_moves_with_features(
        self, position: ProbedPosition, player: int
    ) -> tuple[list[int], list[int]]:
        """Return the moves and the codes that `playout_moves_with_features` writes."""
        name = "playout_moves_with_features"
        moves, codes = self._arrays["moves"].inside, np.zeros(self.rules.max_moves, np.uint32)
        count = int(
            self._run(
                name,
                contract.playout_moves_with_features,
                position,
                player,
                moves,
                codes,
            )
        )
        if not 0 <= count <= self.rules.max_moves:
            self.fail(name, f"returned {count}", position.path)
        return moves[:count].tolist(), codes[:count].tolist()

    def is_playout_move(self, position: ProbedPosition, player: int, move: int) -> bool:
        """Return the value of `is_playout_move`."""
        scratch = contract.new_moves(self.rules)
        return bool(
            self._run("is_playout_move", contract.is_playout_move, position, player, move, scratch)
        )

    def prior(self, position: ProbedPosition, player: int, move: int) -> float:
        """Return the value of `prior`."""
        moves, out = np.array([move], dtype=np.int32), np.full(1, np.nan)
        self._run("prior", contract.priors, position, player, moves, 1, out)
        return float(out[0])

    def winning_move(self, position: ProbedPosition, player: int) -> int:
        """Return the value of `winning_move`."""
        return int(self._run("winning_move", contract.winning_move, position, player))

    def defence(self, position: ProbedPosition, player: int, threat: int) -> int:
        """Return the value of `defence`."""
        scratch, rng = contract.new_moves(self.rules), self._arrays["rng"].inside
        return int(self._run("defence", contract.defence, position, player, threat, scratch, rng))

    def evaluate(self, position: ProbedPosition) -> Scores:
        """Return what `evaluate` wrote, NaN where nothing was written."""
        out = self._arrays["out"].inside
        out[:] = np.nan
        self._run("evaluate", contract.evaluate, position, out)
        return out.copy()

    def outcomes(self, position: ProbedPosition) -> dict[int, float]:
        """Return the outcomes that `chance` writes, with their probabilities."""
        if self.game.functions.chance is None:
            self.fail("turn", "returned CHANCE, and there is no `chance`", position.path)
        moves, out = self._arrays["moves"].inside, self._arrays["chances"].inside
        moves[:], out[:] = GUARD, np.nan
        count = int(self._run("chance", contract.outcomes, position, moves, out))
        if count < 1 or len(set(moves[:count].tolist())) < count:
            self.fail(
                "chance",
                f"wrote the outcomes {[code for code in moves.tolist() if code != GUARD]} with the "
                f"probabilities {[p for p in out.tolist() if p == p]}: expected 1 to "
                f"{self.game.max_moves} different codes from 0 to {self.game.num_codes - 1} and "
                "positive probabilities with the sum 1",
                position.path,
            )
        return dict(zip(moves[:count].tolist(), out[:count].tolist(), strict=True))

    def players_to_move(self, turn: int) -> tuple[int, ...]:
        """Return the players who move for this value of `turn`; none if it is invalid."""
        if turn == SIMULTANEOUS:
            return tuple(range(self.game.players))
        return (turn,) if 0 <= turn < self.game.players else ()

    def legal_codes(self, position: ProbedPosition, player: int) -> tuple[int, ...]:
        """Return the sorted codes of a player's legal moves."""
        count, buffer = self.legal(position, player)
        return tuple(sorted(int(code) for code in buffer[: max(0, count)]))

    def playout_codes(self, position: ProbedPosition, player: int) -> tuple[int, ...]:
        """Return the sorted codes of a player's playout moves."""
        count, buffer = self.playout_moves(position, player)
        return tuple(sorted(int(code) for code in buffer[: max(0, count)]))

    def view(self, position: ProbedPosition) -> PositionView:
        """Return the observable part of a position."""
        words = position.state.tobytes()
        if words not in self._views:
            turn = self.turn(position)
            moves = tuple(
                self.legal_codes(position, player) for player in self.players_to_move(turn)
            )
            if turn == CHANCE:
                moves = (tuple(sorted(self.outcomes(position))),)
            if len(self._views) >= CACHED_VIEWS:
                self._views.clear()
            scores = tuple(self.scores(position).tolist()) if turn == TERMINAL else ()
            self._views[words] = PositionView(turn, moves, scores, self.board(position))
        return self._views[words]

    def board(self, position: ProbedPosition) -> str:
        """Return the position's text."""
        if (render := self.game.display.render) is None:
            return ""
        try:
            board = render(position.state.copy(), False)
        except Exception as error:
            self.fail("render", f"raised {error!r}", position.path)
        if not isinstance(board, str):
            self.fail("render", f"returned {board!r}, which is no text", position.path)
        return board

    def text(self, player: int, code: int, path: tuple[str, ...]) -> str:
        """Return a move's text."""
        try:
            return self.game.format_move(player, code)
        except ContractError:
            raise
        except Exception as error:
            self.fail("format_move", f"raised {error!r} for move {code}", path)

    def joint_text(self, joint: dict[int, int]) -> str:
        """Return one move, or simultaneous moves separated by slashes."""
        return "/".join(self.text(player, code, ()) for player, code in sorted(joint.items()))

    def raised(self, error: BaseException | None) -> str:
        """Describe an exception of a compiled function."""
        if isinstance(error, IndexError):
            return "reads or writes beyond the elements of an array"
        return f"raised {describe_exception(error)}" if error else "raised"

    def _overrun(self, call: Callable[..., Any], rules: Rules, *arguments: Any) -> str | None:
        """Describe an access out of bounds: of the array that must be larger for it to succeed."""
        arrays = {name: guarded.inside for name, guarded in self._arrays.items()}
        for name, array in {**arrays, "constants": rules.constants}.items():
            larger = np.concatenate([array, np.zeros(FAR, array.dtype)])
            constants = larger if name == "constants" else rules.constants
            enlarged = (larger if argument is array else argument for argument in arguments)
            call(rules._replace(constants=constants), *enlarged)
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
        position: ProbedPosition,
        *arguments: Any,
        rules: Rules | None = None,
    ) -> Any:
        state = self._arrays["state"].inside
        state[:] = position.state
        result = function(rules or self.rules, state, *arguments)
        self.after = state.copy()
        try:
            raise_fault()
        except ContractError as fault:
            error = fault.__cause__
            if not isinstance(getattr(self.game.functions, name, None), Callback):
                did = None
                if isinstance(error, IndexError):
                    state[:] = position.state
                    did = self._overrun(function, rules or self.rules, state, *arguments)
                self.fail(name, did or self.raised(error), position.path)
            if moves_text(()) in str(fault) or "(after " in str(fault):
                raise
            self.report(str(fault).removesuffix("."), position.path)
        for array, guarded in self._arrays.items():
            if where := guarded.breach():
                size = guarded.inside.size
                access = f"wrote {where} of the {size} elements of `{array}`"
                self.fail(name, access, position.path)
        return result
