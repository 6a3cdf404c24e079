"""Matrix games: both players choose at once, in one stage or two; and their exact solutions.

The constants are the sizes and, in thousandths, the first player's scores and the second player's.
In two stages the joint move of the first decides which matrix is played in the second.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from graven.core.contract import SIMULTANEOUS, TERMINAL
from graven.core.game import Game
from graven.core.game_parts import Bounds, RuleFunctions

# State: stages played, the matrix or in the end the cell. Constants: stages, rows, columns.


def matrix_start(constants, state):
    state[0] = 0
    state[1] = 0


def matrix_turn(constants, state):
    return SIMULTANEOUS if state[0] < constants[0] else TERMINAL


def matrix_legal(constants, state, player, moves):
    count = constants[1 + player]
    for i in range(count):
        moves[i] = i
    return count


def matrix_play(constants, state, joint):
    state[0] += 1
    cells = constants[1] * constants[2]
    state[1] = state[1] * cells + joint[0] * constants[2] + joint[1]


def matrix_scores(constants, state, out):
    total = (constants[1] * constants[2]) ** constants[0]
    out[0] = constants[3 + state[1]] / 1000.0
    out[1] = constants[3 + total + state[1]] / 1000.0


def matrix_game(first, second=None) -> Game:
    """A game of one matrix, [row, column], or of many, [row, column, row, column].

    `first` are the scores of the first player, `second` those of the second: by default what the
    first leaves of 1.
    """
    first = np.asarray(first, float)
    second = 1.0 - first if second is None else np.asarray(second, float)
    rows, columns = first.shape[:2]
    scores = np.concatenate([first.ravel(), second.ravel()])
    stages = first.ndim // 2
    return Game(
        name="matrix",
        players=2,
        functions=RuleFunctions(
            start=matrix_start,
            turn=matrix_turn,
            legal=matrix_legal,
            play=matrix_play,
            scores=matrix_scores,
        ),
        bounds=Bounds(
            state_words=2,
            num_codes=max(rows, columns),
            max_moves=max(rows, columns),
            max_plies=stages,
        ),
        constants=[stages, rows, columns, *np.rint(1000 * scores).astype(int)],
    )


def solve(matrix):
    """The value of a zero-sum matrix game for the row player, and an optimal strategy of both."""
    matrix = np.asarray(matrix, float)

    def strategy(scores):
        """Maximise v where x @ scores >= v for every column, x >= 0 and sum(x) = 1."""
        rows, columns = scores.shape
        result = linprog(
            [*np.zeros(rows), -1.0],
            A_ub=np.hstack([-scores.T, np.ones((columns, 1))]),
            b_ub=np.zeros(columns),
            A_eq=[[*np.ones(rows), 0.0]],
            b_eq=[1.0],
            bounds=[(0.0, 1.0)] * rows + [(None, None)],
        )
        assert result.success
        return -result.fun, result.x[:-1]

    value, row = strategy(matrix)
    _, column = strategy(1.0 - matrix.T)
    return value, row, column


def exploitability(matrix, row, column):
    """What the two players could gain together by answering each other's strategy best."""
    matrix = np.asarray(matrix, float)
    return (matrix @ column).max() - (row @ matrix).min()
