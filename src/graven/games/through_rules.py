"""Rules shared by Breakthrough and Knightthrough: two armies that only move forward.

Two rows of pieces a side; whoever first reaches the far row, or takes the last enemy piece, wins.
A piece moves along one of a few directions, which `tables` spells out, so that the rules below
know neither the board's size nor how a piece moves.

State: whose turn, the winner (or TERMINAL), the position key, then each side's bitboard. Bit
`row * columns + column` of a bitboard is a square; boards of more than 64 squares take several
words. A move's code is four times the square it leaves, plus the direction: there are at most
four, and a game with fewer leaves some without squares to go from.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graven.core import bits
from graven.core.compile import inlined
from graven.core.contract import TERMINAL, Codes, Constants, Moves, Scores, State
from graven.core.rng import Rng, below, derive

WAYS = 4
# The head of `tables`; then for each player and direction how far a move goes, a mask that is 0
# if it may not capture (else -1), and the squares it may leave, as far as one word holds them.
# At `SOURCES`: these squares in full, `BOARD` words for each player and direction. At `KEYS`:
# Zobrist keys of each player's squares, and of the turn.
CELLS, COLUMNS, BOARD, SOURCES, KEYS, HEAD = range(6)
STEP, CAPTURES, SOURCE, WAY = range(4)
# The state's words before the bitboards.
TURN, WINNER, KEY, BOARDS = 0, 1, 2, 3

ZOBRIST_SEED = 2015


def build_constants(
    rows: int, columns: int, directions: list[tuple[int, int, bool]]
) -> NDArray[np.int64]:
    """Tables for a board and its directions: (rows forward, columns right, may it capture)."""
    cells, board = rows * columns, bits.words_for(rows * columns)
    ways = np.zeros((2, WAYS, WAY), dtype=np.int64)
    sources = np.zeros((2, WAYS, board), dtype=np.int64)
    for player, forward in enumerate((1, -1)):
        for way, (ahead, aside, captures) in enumerate(directions):
            ways[player, way, STEP] = ahead * columns + forward * aside
            ways[player, way, CAPTURES] = -1 if captures else 0
            for cell in range(cells):
                row, column = divmod(cell, columns)
                if 0 <= row + forward * ahead < rows and 0 <= column + aside < columns:
                    sources[player, way, cell // 64] |= np.int64(1) << np.int64(cell % 64)
    ways[:, :, SOURCE] = sources[:, :, 0]
    keys = np.array([derive(ZOBRIST_SEED, i) for i in range(2 * cells + 1)], dtype=np.uint64)
    head = np.zeros(HEAD, dtype=np.int64)
    head[CELLS], head[COLUMNS], head[BOARD] = cells, columns, board
    head[SOURCES] = HEAD + ways.size
    head[KEYS] = head[SOURCES] + sources.size
    return np.concatenate([head, ways.reshape(-1), sources.reshape(-1), keys.view(np.int64)])


def words(rows: int, columns: int) -> int:
    """How many words a state has."""
    return BOARDS + 2 * bits.words_for(rows * columns)


def start(constants: Constants, state: State) -> None:
    """Two full rows a side; player 0, at the bottom, moves first."""
    cells, board = constants[CELLS], constants[BOARD]
    state[:] = 0
    state[WINNER] = TERMINAL
    for i in range(2 * constants[COLUMNS]):
        for player in range(2):
            square = i if player == 0 else cells - 1 - i
            state[BOARDS + player * board + (square >> 6)] |= np.int64(1) << (square & 63)
            state[KEY] ^= constants[constants[KEYS] + player * cells + square]


def turn(constants: Constants, state: State) -> int:
    """The player to move; nobody once there is a winner."""
    return state[TURN] if state[WINNER] == TERMINAL else TERMINAL


@inlined
def way_of(player: int, way: int) -> int:
    """Where `tables` speaks of a player's direction."""
    return HEAD + WAY * (WAYS * player + way)


@inlined
def destination(constants: Constants, player: int, move: int) -> int:
    """The square that a move leads to."""
    step = constants[way_of(player, move % WAYS) + STEP]
    return move // WAYS + (step if player == 0 else -step)


@inlined
def _targets(constants: Constants, state: State, player: int, way: int, word: int) -> int:
    """The squares in one word of the board that a player's pieces can go to in one direction."""
    board = constants[BOARD]
    mine, theirs = BOARDS + player * board + word, BOARDS + (1 - player) * board + word
    step = constants[way_of(player, way) + STEP]
    sources = constants[SOURCES] + (WAYS * player + way) * board + word
    leaving = state[mine] & constants[sources]
    if player == 0:
        reached = leaving << step
        if word > 0 and step > 0:
            reached |= bits.down(state[mine - 1] & constants[sources - 1], 64 - step)
    else:
        reached = bits.down(leaving, step)
        if word + 1 < board and step > 0:
            reached |= (state[mine + 1] & constants[sources + 1]) << (64 - step)
    return reached & ~state[mine] & (constants[way_of(player, way) + CAPTURES] | ~state[theirs])


@inlined
def _code(constants: Constants, player: int, way: int, target: int) -> int:
    """The move in a direction that ends on a square."""
    step = constants[way_of(player, way) + STEP]
    return (target - (step if player == 0 else -step)) * WAYS + way


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """Direction by direction, from the lowest target square up."""
    count = 0
    for word in range(constants[BOARD]):
        for way in range(WAYS):
            left = _targets(constants, state, player, way, word)
            while left:
                moves[count] = _code(constants, player, way, 64 * word + bits.lowest(left))
                count += 1
                left &= left - 1
    return count


def sample(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Count the targets, draw a number, and find the move it stands for."""
    total = 0
    for word in range(constants[BOARD]):
        for way in range(WAYS):
            total += bits.count(_targets(constants, state, player, way, word))
    if total == 0:
        return -1
    skip = below(rng, total)
    for word in range(constants[BOARD]):
        for way in range(WAYS):
            targets = _targets(constants, state, player, way, word)
            here = bits.count(targets)
            if skip < here:
                return _code(constants, player, way, 64 * word + bits.nth(targets, skip))
            skip -= here
    return -1


def play(constants: Constants, state: State, joint: Moves) -> None:
    """Move the piece, take what stands there, and see whether that wins."""
    player = state[TURN]
    enemy = 1 - player
    cells, columns, board = constants[CELLS], constants[COLUMNS], constants[BOARD]
    move = int(joint[player])
    origin, target = move // WAYS, destination(constants, player, move)
    mine, theirs = BOARDS + player * board, BOARDS + enemy * board
    keys = constants[KEYS] + player * cells
    change = (
        constants[keys + origin] ^ constants[keys + target] ^ constants[constants[KEYS] + 2 * cells]
    )
    square = np.int64(1) << (target & 63)
    state[mine + (origin >> 6)] ^= np.int64(1) << (origin & 63)
    state[mine + (target >> 6)] |= square
    if state[theirs + (target >> 6)] & square:
        state[theirs + (target >> 6)] ^= square
        change ^= constants[constants[KEYS] + enemy * cells + target]
        left = np.int64(0)
        for word in range(board):
            left |= state[theirs + word]
        if left == 0:
            state[WINNER] = player
    if target < columns or target >= cells - columns:
        state[WINNER] = player
    state[KEY] ^= change
    state[TURN] = enemy


def allowed(constants: Constants, state: State, player: int, move: int) -> bool:
    """Whether the piece is there, stays on the board, and finds the target free or may take it."""
    board, origin, way = constants[BOARD], move // WAYS, move % WAYS
    sources = constants[SOURCES] + (WAYS * player + way) * board
    word = origin >> 6
    own = state[BOARDS + player * board + word] & constants[sources + word]
    if bits.down(own, origin & 63) & 1 == 0:
        return False
    target = destination(constants, player, move)
    targets = _targets(constants, state, player, way, target >> 6)
    return (bits.down(targets, target & 63) & 1) != 0


def scores(constants: Constants, state: State, out: Scores) -> None:
    """One point for the winner."""
    out[0] = 1.0 if state[WINNER] == 0 else 0.0
    out[1] = 1.0 - out[0]


def key(constants: Constants, state: State) -> int:
    """The Zobrist key, kept up to date by `play`."""
    return state[KEY]


def coded(constants: Constants, state: State, player: int, moves: Moves, codes: Codes) -> int:
    """`legal`, and for each move its `feature`."""
    count = 0
    for word in range(constants[BOARD]):
        enemies = state[BOARDS + (1 - player) * constants[BOARD] + word]
        for way in range(WAYS):
            left = _targets(constants, state, player, way, word)
            while left:
                target = bits.lowest(left)
                move = _code(constants, player, way, 64 * word + target)
                moves[count] = move
                codes[count] = 2 * move + (bits.down(enemies, target) & 1)
                count += 1
                left &= left - 1
    return count


def feature(constants: Constants, state: State, player: int, move: int) -> int:
    """The move, and whether it captures (Cazenave 2016, section 3)."""
    target = destination(constants, player, move)
    enemies = state[BOARDS + (1 - player) * constants[BOARD] + (target >> 6)]
    return 2 * move + (bits.down(enemies, target & 63) & 1)
