"""Stones on hexagonal cells and the chains they form: shared by Hex and Havannah.

Cells lie on a padded grid whose rows are each half a cell further to the right than the row above.
A cell is adjacent to those at its left and right, the one above and the one to the right of that,
the one below and the one to the left of that. A move is a cell; the point of a code is
`constants[POINT_OF + code]`.

Chains are the sets of a union-find structure with path halving.

State: player to move, Zobrist key, number of empty cells, winner (or TERMINAL); the codes of the
empty cells, and for each code its index in this list; then one word per point:

    bits 0-1    colour: the player of the stone, EMPTY or EDGE
    bits 2-15   the parent point in the union-find tree; a root is its own parent
    bits 16-    for a root: the contacts of the chain (board sides and corners), one bit each
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from graven.core.bits import index, lowest
from graven.core.compile import inlined
from graven.core.contract import TERMINAL, Constants, Moves, Scores, State
from graven.core.game import Game
from graven.core.game_parts import Bounds, Display, RuleFunction, RuleFunctions
from graven.core.position import Position
from graven.core.rng import Rng, below, derive
from graven.core.rollout import rollout_on
from graven.games import position_text
from graven.games.hex_boards import LETTERS

TURN, KEY, COUNT, WINNER, LISTS = range(5)
EMPTY, EDGE = 2, 3
ALL_AROUND = 63  # the bits of all six neighbours
COLOUR_MASK, PARENT_SHIFT, CONTACT_SHIFT = 3, 2, 16  # the parts of a point's word
PARENT_MASK = (1 << (CONTACT_SHIFT - PARENT_SHIFT)) - 1

# Layout of `constants`: number of cells, distance between rows, index of point 0 in a state,
# Zobrist key of the player to move; then for each code its point, its contacts and the Zobrist keys
# of the two players' stones; last, the initial words of all points.
CELLS, WIDTH, POINTS, TURN_KEY, POINT_OF = range(5)

ZOBRIST_SEED = 1942


def build_constants(
    width: int, points: Sequence[int], contacts: Sequence[int]
) -> NDArray[np.int64]:
    """Return the constants for cells at these points of a grid, with the contacts of each."""
    cells, size = len(points), grid_size(width, points)
    assert size <= PARENT_MASK
    seeds = [derive(ZOBRIST_SEED, i) for i in range(2 * cells + 1)]
    *keys, turn_key = np.array(seeds, dtype=np.uint64).view(np.int64)
    grid = np.full(size, EDGE, dtype=np.int64)
    grid[np.array(points)] = EMPTY
    head = [cells, width, LISTS + 2 * cells, turn_key]
    return np.concatenate([np.array(head), points, contacts, keys, grid])


def grid_size(width: int, points: Sequence[int]) -> int:
    """Return the number of points, with a border row below the last cell."""
    return max(points) + width + 1


def start(constants: Constants, state: State) -> None:
    """Set an empty board."""
    cells = constants[CELLS]
    state[TURN], state[KEY], state[COUNT], state[WINNER] = 0, 0, cells, TERMINAL
    for code in range(cells):
        state[LISTS + code] = code
        state[LISTS + cells + code] = code
    grid = POINT_OF + 4 * cells
    for point in range(len(constants) - grid):
        state[constants[POINTS] + point] = constants[grid + point]


def turn(constants: Constants, state: State) -> int:
    """Return the player to move, or TERMINAL after a win or on a full board."""
    return TERMINAL if (state[WINNER] != TERMINAL) | (state[COUNT] == 0) else state[TURN]


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """List the empty cells."""
    for i in range(state[COUNT]):
        moves[i] = state[index(LISTS + i)]
    return state[COUNT]


def sample(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Return a random empty cell."""
    return state[index(LISTS + below(rng, state[COUNT]))] if state[COUNT] else -1


def is_playout_move(constants: Constants, state: State, player: int, move: int) -> bool:
    """Whether the cell is empty."""
    return state[index(constants[POINTS] + constants[index(POINT_OF + move)])] == EMPTY


def scores(constants: Constants, state: State, out: Scores) -> None:
    """Give the winner 1 and the loser 0; a draw gives 0.5 each."""
    winner = state[WINNER]
    out[0] = 0.5 if winner == TERMINAL else 1.0 - winner
    out[1] = 1.0 - out[0]


def key(constants: Constants, state: State) -> int:
    """Return the Zobrist key, which `occupy` updates."""
    return state[KEY]


@inlined
def occupy(constants: Constants, state: State, player: int, code: int) -> int:
    """Remove a cell from the list of empty cells, pass the turn, and return the cell's point."""
    cells = constants[CELLS]
    indices, last = LISTS + cells, state[COUNT] - 1
    moved, at = state[index(LISTS + last)], state[index(indices + code)]
    state[index(LISTS + at)], state[index(indices + moved)] = moved, at
    state[COUNT] = last
    state[KEY] ^= constants[index(POINT_OF + 2 * cells + 2 * code + player)] ^ constants[TURN_KEY]
    state[TURN] = 1 - player
    return constants[index(POINT_OF + code)]


@inlined
def find_root(state: State, points: int, point: int) -> int:
    """Return the root of a stone's chain (union-find with path halving)."""
    while True:
        word = state[index(points + point)]
        parent = (word >> PARENT_SHIFT) & PARENT_MASK
        if parent == point:
            return point
        grandparent = (state[index(points + parent)] >> PARENT_SHIFT) & PARENT_MASK
        state[index(points + point)] = (grandparent << PARENT_SHIFT) | (word & COLOUR_MASK)
        point = grandparent


@inlined
def neighbour(point: int, width: int, direction: int) -> int:
    """Return the neighbour in a direction from 0 to 5: left, above, and so on clockwise."""
    step = width - 1 if direction % 3 == 2 else width if direction % 3 == 1 else 1
    return point - step if direction < 3 else point + step


@inlined
def own_neighbours(state: State, points: int, point: int, width: int, player: int) -> int:
    """Return which of the six neighbours are the player's, as bits in the order of `neighbour`."""
    at, own, bit = points + point, 0, 1
    for adjacent in (at - 1, at - width, at - width + 1, at + 1, at + width, at + width - 1):
        own |= bit * (state[index(adjacent)] & COLOUR_MASK == player)
        bit <<= 1
    return own


@inlined
def rotated_left(around: int) -> int:
    """Rotate six bits to the left by one."""
    return ((around << 1) | (around >> 5)) & ALL_AROUND


@inlined
def connect(
    constants: Constants, state: State, player: int, code: int, point: int, around: int
) -> tuple[int, bool]:
    """Place a stone and union it with adjacent own chains.

    `around` are the own neighbours. Return the contacts of the resulting chain, and whether two
    runs of neighbours belonged to the same chain. The stones of a run are adjacent to each other:
    one of them stands for all.
    """
    points, width = constants[POINTS], constants[WIDTH]
    contact, root, again = constants[index(POINT_OF + constants[CELLS] + code)], point, False
    state[index(points + point)] = (point << PARENT_SHIFT) | player
    runs = 1 if around == ALL_AROUND else around & ~rotated_left(around)
    while runs:
        adjacent = neighbour(point, width, lowest(runs))
        runs &= runs - 1
        adjacent_root = find_root(state, points, adjacent)
        again |= adjacent_root == root
        contact |= state[index(points + adjacent_root)] >> CONTACT_SHIFT
        # The adjacent chain's root becomes the parent, because it is usually the larger tree.
        state[index(points + root)] = (adjacent_root << PARENT_SHIFT) | player
        root = adjacent_root
    state[index(points + root)] = (contact << CONTACT_SHIFT) | (root << PARENT_SHIFT) | player
    return contact, again


def game(
    name: str,
    size: int | str,
    width: int,
    *,
    points: Sequence[int],
    contacts: Sequence[int],
    play: RuleFunction,
    display: Display,
    proof_moves: RuleFunction | None = None,
    proof_scratch: int = 1,
    batch_playouts: RuleFunction | None = None,
    batch_scratch: int = 1,
    fixed_board: bool = False,
) -> Game:
    """Return a game on cells at these points; its `play` tests for a win.

    With `fixed_board` its playouts are compiled for this board.
    """
    cells, constants = len(points), build_constants(width, points, contacts)
    rollout = None
    if fixed_board:
        rollout = rollout_on(constants.tobytes(), cells, turn, sample, play, scores)
    return Game(
        name=name,
        players=2,
        functions=RuleFunctions(
            start=start,
            turn=turn,
            legal=legal,
            play=play,
            scores=scores,
            sample=sample,
            key=key,
            is_playout_move=is_playout_move,
            proof_moves=proof_moves,
            rollout=rollout,
            batch_playouts=batch_playouts,
        ),
        bounds=Bounds(
            state_words=LISTS + 2 * cells + grid_size(width, points),
            num_codes=cells,
            max_moves=cells,
            max_plies=cells,
            batch_scratch=batch_scratch,
            proof_scratch=proof_scratch,
        ),
        constants=constants,
        display=display,
        options={"size": size},
    )


def owners(constants: Constants, state: State) -> list[int]:
    """Return for each code the player whose stone is there, or -1."""
    points = constants[POINTS] + constants[POINT_OF : POINT_OF + constants[CELLS]]
    return [int(colour) if colour < EMPTY else -1 for colour in state[points] & COLOUR_MASK]


def parse_position(game: Game, text: str, lengths: Sequence[int]) -> Position:
    """Read a position from a drawn board; `lengths` are the cells of each row."""
    rows = position_text.read_rows(text, lengths, LETTERS)
    owners = position_text.owners_of(rows, LETTERS)
    return position_text.placed(game, position_text.by_player(owners, 2))
