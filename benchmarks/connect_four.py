"""Connect Four as compiled rules, for `default_agent.py`: AMAF is known to mislead there.

A move's code is the cell in which its stone ends.
"""

import graven as gv

TERMINAL = -1
ROWS, COLUMNS, LINE = 6, 7, 4
CELLS = ROWS * COLUMNS
LETTERS = "abcdefghijklmnopqrstuvwxyz"
# A state: the cells (0 empty, 1 Black, 2 White), the player to move, and how the game ended (0 not
# yet, 1 or 2 for the winner, 3 for a draw).
TURN, ENDED = CELLS, CELLS + 1


def start(constants, state):
    state[:] = 0


def turn(constants, state):
    return TERMINAL if state[ENDED] else state[TURN]


def legal(constants, state, player, moves):
    count = 0
    for column in range(COLUMNS):
        cell = column
        while cell < CELLS and state[cell] != 0:
            cell += COLUMNS
        if cell < CELLS:  # the lowest empty cell of the column
            moves[count] = cell
            count += 1
    return count


def play(constants, state, joint):
    player = state[TURN]
    cell = joint[player]
    state[cell] = player + 1
    state[TURN] = 1 - player
    if longest_line(state, cell) >= LINE:
        state[ENDED] = player + 1
    elif state[CELLS - COLUMNS : CELLS].all():
        state[ENDED] = 3


def longest_line(state, cell):
    """Return the length of the longest line of one colour through a cell."""
    longest = 1
    for rows, columns in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = 1
        for way in (-1, 1):
            row, column = cell // COLUMNS + way * rows, cell % COLUMNS + way * columns
            while 0 <= row < ROWS and 0 <= column < COLUMNS:
                if state[row * COLUMNS + column] != state[cell]:
                    break
                length += 1
                row, column = row + way * rows, column + way * columns
        longest = max(longest, length)
    return longest


def scores(constants, state, out):
    out[0] = 0.5
    if state[ENDED] < 3:
        out[0] = 2.0 - state[ENDED]  # 1 if the first player has won
    out[1] = 1.0 - out[0]


def render(state, colour):
    rows = [state[row * COLUMNS : (row + 1) * COLUMNS] for row in reversed(range(ROWS))]
    lines = [" ".join(".XO"[stone] for stone in row) for row in rows]
    return "\n".join([*lines, " ".join(LETTERS[:COLUMNS])])


def format_move(player, code):
    return f"{LETTERS[code % COLUMNS]}{code // COLUMNS + 1}"


game = gv.Game(
    name="connect_four",
    players=2,
    functions=gv.RuleFunctions(start=start, turn=turn, legal=legal, play=play, scores=scores),
    bounds=gv.Bounds(
        state_words=CELLS + 2,
        num_codes=CELLS,  # moves have codes from 0 to num_codes - 1
        max_moves=COLUMNS,  # legal moves of one position
        max_plies=CELLS,  # moves of one game
    ),
    display=gv.Display(
        format_move=format_move,
        render=render,
        player_names=("Black", "White"),
    ),
)
