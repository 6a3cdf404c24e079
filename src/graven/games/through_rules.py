"""Rules shared by Breakthrough and Knightthrough, on bitboards of any number of words.

Each player starts with two rows of pieces, which only move forward. The first player to reach the
opposite row, or to capture the last enemy piece, wins. `constants` holds the directions in which a
piece moves and the board size, so the rule functions depend on neither.

State: player to move, winner (or TERMINAL), Zobrist key, then each player's bitboard. Bit
`row * columns + column` of a bitboard is a square; boards of more than 64 squares take several
words. A move's code is `NUM_DIRECTIONS * origin + direction`. Unused directions have no origin
squares.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graven.core import bits
from graven.core.compile import inlined
from graven.core.contract import TERMINAL, Codes, Constants, Moves, Scores, State
from graven.core.rng import Rng, below, derive

NUM_DIRECTIONS = 4
# Layout of `constants`: HEAD words, then for each player and direction the distance of a move, a
# mask (-1 if the move may capture, else 0), and the first word of the possible origin squares. At
# index constants[SOURCES]: all words of the origin squares by player and direction. At index
# constants[KEYS]: Zobrist keys of each player's squares, and of the player to move.
CELLS, COLUMNS, BOARD_WORDS, SOURCES, KEYS, HEAD = range(6)
STEP, CAPTURES, SOURCE, DIRECTION_WORDS = range(4)
# Layout of a state.
TURN, WINNER, KEY, BITBOARDS = 0, 1, 2, 3

ZOBRIST_SEED = 2015


class Direction(NamedTuple):
    """A direction of movement: rows forward, columns to the right, and whether it may capture."""

    ahead: int
    aside: int
    captures: bool


def build_constants(rows: int, columns: int, directions: Sequence[Direction]) -> NDArray[np.int64]:
    """Return the constants for a board size and the directions of movement."""
    cells, board_words = rows * columns, bits.words_for(rows * columns)
    steps = np.zeros((2, NUM_DIRECTIONS, DIRECTION_WORDS), dtype=np.int64)
    sources = np.zeros((2, NUM_DIRECTIONS, board_words), dtype=np.int64)
    for player, forward in enumerate((1, -1)):
        for direction, (ahead, aside, captures) in enumerate(directions):
            steps[player, direction, STEP] = ahead * columns + forward * aside
            steps[player, direction, CAPTURES] = -1 if captures else 0
            for cell in range(cells):
                row, column = divmod(cell, columns)
                if 0 <= row + forward * ahead < rows and 0 <= column + aside < columns:
                    sources[player, direction, cell // 64] |= np.int64(1) << np.int64(cell % 64)
    steps[:, :, SOURCE] = sources[:, :, 0]
    keys = np.array([derive(ZOBRIST_SEED, i) for i in range(2 * cells + 1)], dtype=np.uint64)
    head = np.zeros(HEAD, dtype=np.int64)
    head[CELLS], head[COLUMNS], head[BOARD_WORDS] = cells, columns, board_words
    head[SOURCES] = HEAD + steps.size
    head[KEYS] = head[SOURCES] + sources.size
    return np.concatenate([head, steps.reshape(-1), sources.reshape(-1), keys.view(np.int64)])


def words(rows: int, columns: int) -> int:
    """Return the number of words of a state."""
    return BITBOARDS + 2 * bits.words_for(rows * columns)


def start(constants: Constants, state: State) -> None:
    """Set two full rows per player; player 0, at the bottom, moves first."""
    cells, board_words = constants[CELLS], constants[BOARD_WORDS]
    state[:] = 0
    state[WINNER] = TERMINAL
    for i in range(2 * constants[COLUMNS]):
        for player in range(2):
            square = i if player == 0 else cells - 1 - i
            state[BITBOARDS + player * board_words + (square >> 6)] |= np.int64(1) << (square & 63)
            state[KEY] ^= constants[constants[KEYS] + player * cells + square]


def turn(constants: Constants, state: State) -> int:
    """Return the player to move, or TERMINAL once there is a winner."""
    return state[TURN] if state[WINNER] == TERMINAL else TERMINAL


@inlined
def direction_offset(player: int, direction: int) -> int:
    """Return the index of a player's direction in `constants`."""
    return HEAD + DIRECTION_WORDS * (NUM_DIRECTIONS * player + direction)


@inlined
def destination(constants: Constants, player: int, move: int) -> int:
    """Return the target square of a move."""
    step = constants[direction_offset(player, move % NUM_DIRECTIONS) + STEP]
    return move // NUM_DIRECTIONS + (step if player == 0 else -step)


@inlined
def _targets(constants: Constants, state: State, player: int, direction: int, word: int) -> int:
    """Return the target squares of a player's moves in one direction, in one bitboard word."""
    board_words = constants[BOARD_WORDS]
    own_board = BITBOARDS + player * board_words + word
    enemy_board = BITBOARDS + (1 - player) * board_words + word
    step = constants[direction_offset(player, direction) + STEP]
    sources = constants[SOURCES] + (NUM_DIRECTIONS * player + direction) * board_words + word
    leaving = state[own_board] & constants[sources]
    if player == 0:
        reached = leaving << step
        if word > 0 and step > 0:
            reached |= bits.down(state[own_board - 1] & constants[sources - 1], 64 - step)
    else:
        reached = bits.down(leaving, step)
        if word + 1 < board_words and step > 0:
            reached |= (state[own_board + 1] & constants[sources + 1]) << (64 - step)
    captures = constants[direction_offset(player, direction) + CAPTURES]
    return reached & ~state[own_board] & (captures | ~state[enemy_board])


@inlined
def _code(constants: Constants, player: int, direction: int, target: int) -> int:
    """Return the code of the move in a direction that ends on a square."""
    step = constants[direction_offset(player, direction) + STEP]
    return (target - (step if player == 0 else -step)) * NUM_DIRECTIONS + direction


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """List the moves by word, direction and target square."""
    count = 0
    for word in range(constants[BOARD_WORDS]):
        for direction in range(NUM_DIRECTIONS):
            remaining = _targets(constants, state, player, direction, word=word)
            while remaining:
                moves[count] = _code(
                    constants, player, direction, 64 * word + bits.lowest(remaining)
                )
                count += 1
                remaining &= remaining - 1
    return count


def sample(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Count the targets, draw an index, and return the move with this index."""
    total = 0
    for word in range(constants[BOARD_WORDS]):
        for direction in range(NUM_DIRECTIONS):
            total += bits.count(_targets(constants, state, player, direction, word=word))
    if total == 0:
        return -1
    skip = below(rng, total)
    for word in range(constants[BOARD_WORDS]):
        for direction in range(NUM_DIRECTIONS):
            targets = _targets(constants, state, player, direction, word=word)
            count = bits.count(targets)
            if skip < count:
                return _code(constants, player, direction, 64 * word + bits.nth(targets, skip))
            skip -= count
    return -1


def play(constants: Constants, state: State, joint: Moves) -> None:
    """Move the piece, capture, and test for a win."""
    player = state[TURN]
    enemy = 1 - player
    cells, columns, board_words = constants[CELLS], constants[COLUMNS], constants[BOARD_WORDS]
    move = int(joint[player])
    origin, target = move // NUM_DIRECTIONS, destination(constants, player, move)
    own_board, enemy_board = BITBOARDS + player * board_words, BITBOARDS + enemy * board_words
    keys = constants[KEYS] + player * cells
    change = (
        constants[keys + origin] ^ constants[keys + target] ^ constants[constants[KEYS] + 2 * cells]
    )
    square = np.int64(1) << (target & 63)
    state[own_board + (origin >> 6)] ^= np.int64(1) << (origin & 63)
    state[own_board + (target >> 6)] |= square
    if state[enemy_board + (target >> 6)] & square:
        state[enemy_board + (target >> 6)] ^= square
        change ^= constants[constants[KEYS] + enemy * cells + target]
        remaining = np.int64(0)
        for word in range(board_words):
            remaining |= state[enemy_board + word]
        if remaining == 0:
            state[WINNER] = player
    if target < columns or target >= cells - columns:
        state[WINNER] = player
    state[KEY] ^= change
    state[TURN] = enemy


def is_playout_move(constants: Constants, state: State, player: int, move: int) -> bool:
    """Whether the move is legal: own piece at the origin, target on the board and available."""
    board_words, origin, direction = (
        constants[BOARD_WORDS],
        move // NUM_DIRECTIONS,
        move % NUM_DIRECTIONS,
    )
    sources = constants[SOURCES] + (NUM_DIRECTIONS * player + direction) * board_words
    word = origin >> 6
    own = state[BITBOARDS + player * board_words + word] & constants[sources + word]
    if bits.down(own, origin & 63) & 1 == 0:
        return False
    target = destination(constants, player, move)
    targets = _targets(constants, state, player, direction, word=target >> 6)
    return (bits.down(targets, target & 63) & 1) != 0


def winning_move(constants: Constants, state: State, player: int) -> int:
    """Return a move to the far row, or one that captures the last enemy piece; -1 if none."""
    cells, columns, board_words = constants[CELLS], constants[COLUMNS], constants[BOARD_WORDS]
    enemies = 0
    for word in range(board_words):
        enemies += bits.count(state[BITBOARDS + (1 - player) * board_words + word])
    first = cells - columns if player == 0 else 0
    for word in range(board_words):
        goal = np.int64(0)
        for square in range(max(first, 64 * word), min(first + columns, 64 * word + 64)):
            goal |= np.int64(1) << (square & 63)
        if enemies == 1:
            goal |= state[BITBOARDS + (1 - player) * board_words + word]
        for direction in range(NUM_DIRECTIONS):
            targets = _targets(constants, state, player, direction, word=word) & goal
            if targets:
                return _code(constants, player, direction, 64 * word + bits.lowest(targets))
    return -1


def defence(constants: Constants, state: State, player: int, threat: int, rng: Rng) -> int:
    """Return a random move that captures the piece of the opponent's winning move; -1 if none."""
    origin = threat // NUM_DIRECTIONS
    chosen, found = -1, 0
    for direction in range(NUM_DIRECTIONS):
        targets = _targets(constants, state, player, direction, word=origin >> 6)
        if bits.down(targets, origin & 63) & 1:
            found += 1
            if found == 1 or below(rng, found) == 0:
                chosen = _code(constants, player, direction, origin)
    return chosen


def scores(constants: Constants, state: State, out: Scores) -> None:
    """Give the winner 1 and the loser 0."""
    out[0] = 1.0 if state[WINNER] == 0 else 0.0
    out[1] = 1.0 - out[0]


def key(constants: Constants, state: State) -> int:
    """Return the Zobrist key, which `play` updates."""
    return state[KEY]


def playout_moves_with_features(
    constants: Constants, state: State, player: int, moves: Moves, codes: Codes
) -> int:
    """List the legal moves and the feature of each."""
    count = 0
    for word in range(constants[BOARD_WORDS]):
        enemies = state[BITBOARDS + (1 - player) * constants[BOARD_WORDS] + word]
        for direction in range(NUM_DIRECTIONS):
            remaining = _targets(constants, state, player, direction, word=word)
            while remaining:
                target = bits.lowest(remaining)
                move = _code(constants, player, direction, 64 * word + target)
                moves[count] = move
                codes[count] = 2 * move + (bits.down(enemies, target) & 1)
                count += 1
                remaining &= remaining - 1
    return count


def feature(constants: Constants, state: State, player: int, move: int) -> int:
    """Return 2 * move + 1 for a capture, else 2 * move (Cazenave 2016, section 3)."""
    target = destination(constants, player, move)
    enemies = state[BITBOARDS + (1 - player) * constants[BOARD_WORDS] + (target >> 6)]
    return 2 * move + (bits.down(enemies, target & 63) & 1)
