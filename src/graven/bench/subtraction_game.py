"""A small game written twice, as a Python class and compiled: the benchmark of callbacks.

A subtraction game: two heaps of stones; a move takes one or two stones from one heap, and the
player who takes the last stone wins.
"""

from __future__ import annotations

from graven.core.contract import TERMINAL, Constants, Moves, Scores, State
from graven.core.game import Game
from graven.core.game_parts import Bounds, RuleFunctions

SIZE = 20


class SubtractionGame:
    """The game as a plain Python class."""

    num_codes, max_plies = 4, 2 * SIZE

    def __init__(self) -> None:
        self.left, self.right, self.turn = SIZE, SIZE, 0

    def moves(self) -> list[int]:
        """Return the legal moves, each 2 * heap + stones - 1."""
        left = [code for code in (0, 1) if self.left > code]
        return left + [code + 2 for code in (0, 1) if self.right > code]

    def play(self, move: int) -> None:
        """Take stones."""
        if move < 2:
            self.left -= move + 1
        else:
            self.right -= move - 1
        self.turn = 1 - self.turn

    @property
    def over(self) -> bool:
        """Whether both heaps are empty."""
        return self.left + self.right == 0

    @property
    def scores(self) -> tuple[float, float]:
        """The player who moved last has won."""
        return (float(self.turn), 1.0 - self.turn)

    def copy(self) -> SubtractionGame:
        """Return an independent copy."""
        copied = SubtractionGame.__new__(SubtractionGame)
        copied.left, copied.right, copied.turn = self.left, self.right, self.turn
        return copied


def start(constants: Constants, state: State) -> None:
    """Set up two full heaps."""
    state[0], state[1], state[2], state[3] = SIZE, SIZE, 0, 0


def turn(constants: Constants, state: State) -> int:
    """Return the player to move."""
    return state[2] if state[0] + state[1] > 0 else TERMINAL


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """List the legal moves."""
    count = 0
    for heap in range(2):
        for code in range(2):
            if state[heap] > code:
                moves[count] = 2 * heap + code
                count += 1
    return count


def play(constants: Constants, state: State, joint: Moves) -> None:
    """Take stones. The last word distinguishes histories, as in a class without a key."""
    move = joint[state[2]]
    state[move // 2] -= move % 2 + 1
    state[2] = 1 - state[2]
    state[3] = state[3] * 5 + move + 1


def scores(constants: Constants, state: State, out: Scores) -> None:
    """The player who moved last has won."""
    out[0] = state[2]
    out[1] = 1.0 - state[2]


def compiled_subtraction_game() -> Game:
    """Return the game with compiled rules."""
    return Game(
        name="subtraction",
        players=2,
        functions=RuleFunctions(start=start, turn=turn, legal=legal, play=play, scores=scores),
        bounds=Bounds(state_words=4, num_codes=4, max_moves=4, max_plies=2 * SIZE),
        history_dependent=True,
    )
