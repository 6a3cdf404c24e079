"""Stones on hexagonal cells, and the chains they form: what Hex and Havannah share.

Cells lie on a padded grid of rows, each half a cell further to the right than the row above it: a
cell touches the two beside it, the one above and the one to the right of that, the one below and
the one to the left of that. A move is a cell; the grid's point of a code is
`tables[POINT_OF + code]`.

State: whose turn it is, the position's key, how many cells are empty, the winner (or TERMINAL); the
codes of the empty cells, and for each code its place among them; then one word a point:

    bits 0-1    colour: the player whose stone it is, EMPTY or EDGE
    bits 2-15   the next point on the way to the chain's root; a root leads to itself
    bits 16-    of a root: what the chain touches, one bit for each thing that the game knows
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from graven.core.bits import index
from graven.core.compile import inlined
from graven.core.contract import TERMINAL, Constants, Moves, Scores, State
from graven.core.game import Game
from graven.core.game_parts import Bounds, Display, RuleFunction, RuleFunctions
from graven.core.rng import Rng, below, derive

TURN, KEY, COUNT, WINNER, LISTS = range(5)
EMPTY, EDGE = 2, 3
COLOUR, LINK, TOUCH = 3, 2, 16  # the mask of the colour, and where the other parts begin
LINK_MASK = (1 << (TOUCH - LINK)) - 1

# Constants: number of cells, distance between rows, first point in a state, random word of the
# turn; then for each code its point, what a stone there touches, and the random words of
# the two players' stones. Last, the initial words of all points.
CELLS, WIDTH, POINTS, TURN_KEY, POINT_OF = range(5)

ZOBRIST_SEED = 1942


def build_constants(width: int, points: Sequence[int], touches: Sequence[int]) -> NDArray[np.int64]:
    """Tables for cells at these points of a grid, and what a stone on each of them touches."""
    cells, size = len(points), grid_size(width, points)
    assert size <= LINK_MASK
    seeds = [derive(ZOBRIST_SEED, i) for i in range(2 * cells + 1)]
    *keys, turn_key = np.array(seeds, dtype=np.uint64).view(np.int64)
    grid = np.full(size, EDGE, dtype=np.int64)
    grid[np.array(points)] = EMPTY
    head = [cells, width, LISTS + 2 * cells, turn_key]
    return np.concatenate([np.array(head), points, touches, keys, grid])


def grid_size(width: int, points: Sequence[int]) -> int:
    """How many points there are, with a row of border below the last cell."""
    return max(points) + width + 1


def start(constants: Constants, state: State) -> None:
    """An empty board."""
    cells = constants[CELLS]
    state[TURN], state[KEY], state[COUNT], state[WINNER] = 0, 0, cells, TERMINAL
    for code in range(cells):
        state[LISTS + code] = code
        state[LISTS + cells + code] = code
    grid = POINT_OF + 4 * cells
    for point in range(len(constants) - grid):
        state[constants[POINTS] + point] = constants[grid + point]


def turn(constants: Constants, state: State) -> int:
    """The player to move; nobody once somebody has won or the board is full."""
    return TERMINAL if (state[WINNER] != TERMINAL) | (state[COUNT] == 0) else state[TURN]


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """The empty cells."""
    for i in range(state[COUNT]):
        moves[i] = state[index(LISTS + i)]
    return state[COUNT]


def sample(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Any empty cell."""
    return state[index(LISTS + below(rng, state[COUNT]))] if state[COUNT] else -1


def allowed(constants: Constants, state: State, player: int, move: int) -> bool:
    """Whether the cell is empty."""
    return state[index(constants[POINTS] + constants[index(POINT_OF + move)])] == EMPTY


def scores(constants: Constants, state: State, out: Scores) -> None:
    """A point for the winner; half a point each where nobody has won."""
    winner = state[WINNER]
    out[0] = 0.5 if winner == TERMINAL else 1.0 - winner
    out[1] = 1.0 - out[0]


def key(constants: Constants, state: State) -> int:
    """The Zobrist key, kept up to date by `take`."""
    return state[KEY]


@inlined
def take(constants: Constants, state: State, player: int, code: int) -> int:
    """Take an empty cell off the list, and give the turn to the other player; the cell's point."""
    cells = constants[CELLS]
    places, last = LISTS + cells, state[COUNT] - 1
    moved, at = state[index(LISTS + last)], state[index(places + code)]
    state[index(LISTS + at)], state[index(places + moved)] = moved, at
    state[COUNT] = last
    state[KEY] ^= constants[index(POINT_OF + 2 * cells + 2 * code + player)] ^ constants[TURN_KEY]
    state[TURN] = 1 - player
    return constants[index(POINT_OF + code)]


@inlined
def root_of(state: State, points: int, point: int) -> int:
    """The root of a stone's chain; on the way, every other link is made shorter."""
    while True:
        word = state[index(points + point)]
        link = (word >> LINK) & LINK_MASK
        if link == point:
            return point
        further = (state[index(points + link)] >> LINK) & LINK_MASK
        state[index(points + point)] = (further << LINK) | (word & COLOUR)
        point = further


@inlined
def join(constants: Constants, state: State, player: int, code: int, point: int) -> int:
    """Put a stone on a point, join it with the chains beside it, and say what all that touches."""
    points, width = constants[POINTS], constants[WIDTH]
    touched, root = constants[index(POINT_OF + constants[CELLS] + code)], point
    state[index(points + point)] = (point << LINK) | player
    for near in (
        point - 1,
        point - width,
        point - width + 1,
        point + 1,
        point + width,
        point + width - 1,
    ):
        if state[index(points + near)] & COLOUR == player:
            other = root_of(state, points, near)
            touched |= state[index(points + other)] >> TOUCH
            # The chain that was there stays the root: the new stone is the short end.
            state[index(points + root)] = (other << LINK) | player
            root = other
    state[index(points + root)] = (touched << TOUCH) | (root << LINK) | player
    return touched


def game(
    name: str,
    size: int | str,
    width: int,
    *,
    points: Sequence[int],
    touches: Sequence[int],
    play: RuleFunction,
    display: Display,
) -> Game:
    """Return a game of chains on the given cells; its `play` tests for a win."""
    cells = len(points)
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
            is_playout_move=allowed,
        ),
        bounds=Bounds(
            state_words=LISTS + 2 * cells + grid_size(width, points),
            num_codes=cells,
            max_moves=cells,
            max_plies=cells,
        ),
        constants=build_constants(width, points, touches),
        display=display,
        options={"size": size},
    )


def owners(constants: Constants, state: State) -> list[int]:
    """For each code whose stone is there, or -1."""
    points = constants[POINTS] + constants[POINT_OF : POINT_OF + constants[CELLS]]
    return [int(colour) if colour < EMPTY else -1 for colour in state[points] & COLOUR]
