"""Breakthrough with bitboards: a user-defined game as fast as those of the package.

    graven play ./examples/bitboard_breakthrough.py:game

Bit `8 * row + column` of a word is a cell. A direction is 0 (forward left, as White sees it),
1 (forward) or 2 (forward right). A move's code is `3 * target + direction`.
"""

import graven as gv
from graven import bitboards

TERMINAL = -1
TURN, WINNER, BOARDS = 0, 1, 2  # words of a state: White's and Black's board are the last two
FILE_A = bitboards.word_of(range(0, 64, 8))
FILE_H = bitboards.word_of(range(7, 64, 8))
# Where a pawn may move from, by direction; and the row that each player wants to reach.
ORIGINS = (~FILE_A, -1, ~FILE_H)
GOALS = (bitboards.word_of(range(56, 64)), bitboards.word_of(range(8)))


def start(constants, state):
    state[TURN], state[WINNER] = 0, TERMINAL
    state[BOARDS], state[BOARDS + 1] = 0xFFFF, -1 << 48


def turn(constants, state):
    return state[TURN] if state[WINNER] == TERMINAL else TERMINAL


def targets(state, player, direction):
    """Return the cells that a player's pawns can move to in one direction."""
    own, enemy = state[BOARDS + player], state[BOARDS + 1 - player]
    pawns = own & ORIGINS[direction]
    reached = pawns << (7 + direction) if player == 0 else bitboards.down(pawns, 9 - direction)
    blocked = own | enemy if direction == 1 else own
    return reached & ~blocked


def legal(constants, state, player, moves):
    count = 0
    for direction in range(3):
        cells = targets(state, player, direction)
        count = bitboards.append(moves, count, cells, 3, direction)
    return count


def sample(constants, state, player, rng):
    cells = targets(state, player, 0), targets(state, player, 1), targets(state, player, 2)
    direction, target = bitboards.draw(cells, rng)
    return 3 * target + direction


def play(constants, state, joint):
    player = state[TURN]
    target, direction = joint[player] // 3, joint[player] % 3
    origin = target - 7 - direction if player == 0 else target + 9 - direction
    state[BOARDS + player] ^= bitboards.bit(origin) | bitboards.bit(target)
    state[BOARDS + 1 - player] &= ~bitboards.bit(target)
    if bitboards.bit(target) & GOALS[player] or state[BOARDS + 1 - player] == 0:
        state[WINNER] = player
    state[TURN] = 1 - player


def scores(constants, state, out):
    out[0] = 1.0 if state[WINNER] == 0 else 0.0
    out[1] = 1.0 - out[0]


def format_move(player, code):
    target, direction = divmod(code, 3)
    origin = target - 7 - direction if player == 0 else target + 9 - direction
    return cell_name(origin) + cell_name(target)


def cell_name(cell):
    return f"{'abcdefgh'[cell % 8]}{cell // 8 + 1}"


def render(state, colour):
    white, black = (int(state[BOARDS + player]) for player in range(2))
    cells = ["o" if white >> i & 1 else "x" if black >> i & 1 else "." for i in range(64)]
    return "\n".join(" ".join(cells[8 * row : 8 * row + 8]) for row in range(7, -1, -1))


game = gv.Game(
    name="bitboard-breakthrough",
    players=2,
    functions=gv.RuleFunctions(
        start=start, turn=turn, legal=legal, play=play, scores=scores, sample=sample
    ),
    bounds=gv.Bounds(state_words=4, num_codes=3 * 64, max_moves=48, max_plies=208),
    display=gv.Display(player_names=("White", "Black"), format_move=format_move, render=render),
)
