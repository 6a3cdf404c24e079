"""SameGame: take groups of equal colour off a board; large groups are worth far more than small.

A group is two blocks or more of one colour that touch along edges. Taking a group of n is worth
(n - 2)^2 points, and the blocks above fall down; an empty column closes up to the left. The game
is over when no group is left. An empty board is worth 1,000 points more. Nothing is taken away for
blocks that stay (some versions do).

A move's code is (colour, the group's lowest block in its leftmost column). Blocks fall and groups
merge, so the same code can mean another group later on: as good a code as a group can have that
is unique in every position and small enough to index tables by, but a poor one to learn from. The
game's `feature` tells groups apart by all their blocks: a hash of colour and cells, of 16 bits,
which the NRPA solver learns from.

Cells count column by column, each from the bottom up. State: points, blocks left, groups, then for
each cell its block (0: none, else 1 + colour), then what `play` worked out from those: the group
of each cell (named by its lowest cell in count, or -1), the groups, their hashes, and a stack.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from graven.core.compile import inlined
from graven.core.contract import TERMINAL, Constants, Moves, Scores, State, hash_words
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.core.game_parts import Bounds, Display, RuleFunctions
from graven.core.rng import derive
from graven.games.boards import SQUARE_LETTERS, SizeRange
from graven.games.option_values import read_text, whole_number
from graven.games.registry import Family, Option
from graven.games.samegame_drawing import as_svg, as_text

ROWS, COLUMNS, CELLS, MOST, BOARD = range(5)  # `tables`; then the blocks, then Zobrist keys
POINTS, LEFT, GROUPS, BLOCKS = range(4)

COLOURS = 10
CLEARED = 1000
FEATURE_BITS = 16
ZOBRIST_SEED = 1985


def build_constants(rows: int, columns: int, blocks: list[int]) -> NDArray[np.int64]:
    """Tables for a board whose blocks are listed column by column (0: none, else 1 + colour)."""
    cells = rows * columns
    most = max(0, sum(block > 0 for block in blocks) - 2) ** 2 + CLEARED
    keys = [derive(ZOBRIST_SEED, i) for i in range(cells * (COLOURS + 1))]
    return np.concatenate(
        [
            np.array([rows, columns, cells, most, *blocks], dtype=np.int64),
            np.array(keys, dtype=np.uint64).view(np.int64),
        ]
    )


@inlined
def _group(constants: Constants, state: State, first: int) -> int:
    """Mark the group of a cell whose group is not known yet; how many blocks it has."""
    rows, cells = constants[ROWS], constants[CELLS]
    group_of, hashes, stack = BLOCKS + cells, BLOCKS + 3 * cells, BLOCKS + 4 * cells
    keys = BOARD + cells
    block = state[BLOCKS + first]
    state[stack] = first
    state[group_of + first] = first
    waiting, size, mixed = 1, 0, np.int64(0)
    while waiting:
        waiting -= 1
        cell = state[stack + waiting]
        size += 1
        mixed ^= constants[keys + cell * (COLOURS + 1) + block]
        row = cell % rows
        for side in range(4):
            if side == 0:
                near = cell - 1 if row > 0 else -1
            elif side == 1:
                near = cell + 1 if row < rows - 1 else -1
            elif side == 2:
                near = cell - rows
            else:
                near = cell + rows if cell + rows < cells else -1
            if near >= 0 and state[BLOCKS + near] == block and state[group_of + near] < 0:
                state[group_of + near] = first
                state[stack + waiting] = near
                waiting += 1
    state[hashes + first] = mixed
    return size


@inlined
def _find_groups(constants: Constants, state: State) -> None:
    """Find all groups; the list holds those that can be taken, by cell."""
    cells = constants[CELLS]
    group_of, groups = BLOCKS + cells, BLOCKS + 2 * cells
    for cell in range(cells):
        state[group_of + cell] = -1
    count = 0
    for cell in range(cells):
        if (
            state[BLOCKS + cell]
            and state[group_of + cell] < 0
            and _group(constants, state, cell) > 1
        ):
            state[groups + count] = cell
            count += 1
    state[GROUPS] = count


def start(constants: Constants, state: State) -> None:
    """The board of the tables."""
    state[:] = 0
    for cell in range(constants[CELLS]):
        state[BLOCKS + cell] = constants[BOARD + cell]
        state[LEFT] += constants[BOARD + cell] > 0
    _find_groups(constants, state)


def turn(constants: Constants, state: State) -> int:
    """The player, while there is a group to take."""
    return 0 if state[GROUPS] else TERMINAL


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """From left to right."""
    cells = constants[CELLS]
    for i in range(state[GROUPS]):
        cell = state[BLOCKS + 2 * cells + i]
        moves[i] = (state[BLOCKS + cell] - 1) * cells + cell
    return state[GROUPS]


def play(constants: Constants, state: State, joint: Moves) -> None:
    """Take the group off, let the rest fall down and close up, and look for groups again."""
    rows, columns, cells = constants[ROWS], constants[COLUMNS], constants[CELLS]
    group_of = BLOCKS + cells
    group = int(joint[0]) % cells
    taken, to_column = 0, 0
    for column in range(columns):
        to = to_column * rows
        base = to
        for cell in range(column * rows, (column + 1) * rows):
            block = state[BLOCKS + cell]
            if block and state[group_of + cell] == group:
                taken += 1
            elif block:
                state[BLOCKS + to] = block
                to += 1
        if to > base:
            for cell in range(to, base + rows):
                state[BLOCKS + cell] = 0
            to_column += 1
    for cell in range(to_column * rows, cells):
        state[BLOCKS + cell] = 0
    state[LEFT] -= taken
    state[POINTS] += (taken - 2) * (taken - 2)
    if state[LEFT] == 0:
        state[POINTS] += CLEARED
    _find_groups(constants, state)


def scores(constants: Constants, state: State, out: Scores) -> None:
    """Points, of those that one group of all blocks would bring."""
    out[0] = state[POINTS] / constants[MOST]


def key(constants: Constants, state: State) -> int:
    """A hash of the points and the blocks."""
    return hash_words(state, BLOCKS + constants[CELLS])


def feature(constants: Constants, state: State, player: int, move: int) -> int:
    """A hash of the group's colour and cells."""
    cells = constants[CELLS]
    mixed = state[BLOCKS + 3 * cells + move % cells]
    return (mixed ^ (mixed >> 32)) & ((1 << FEATURE_BITS) - 1)


SIZES = SizeRange(rows=(1, 26), columns=(1, 26))
LONGEST_BOARD = 2000


def read_board(text: str, what: str) -> tuple[int, int, list[int]]:
    """Rows, columns and blocks (column by column) of a board: rows of digits, the top one first.

    Rows are lines, or stand between strokes; a dot is an empty cell, and blanks do not count.
    """
    if len(text) > LONGEST_BOARD:
        raise UsageError(f"{what} has more than {LONGEST_BOARD:,} characters.")
    lines = [re.sub(r"[ \t\r]", "", line) for line in re.split(r"[/\n]", text.strip())]
    if not all(re.fullmatch(r"[0-9.]+", line) for line in lines):
        raise UsageError(f"{what} is made of rows of digits, a digit for each colour.")
    rows, columns = len(lines), len(lines[0])
    if any(len(line) != columns for line in lines):
        raise UsageError(f"{what} has rows of different lengths.")
    SIZES.parse(f"{rows}x{columns}")
    blocks: list[int] = []
    for column in range(columns):
        stack = [int(line[column]) + 1 for line in reversed(lines) if line[column] != "."]
        if stack:  # blocks fall down, and empty columns close up
            blocks += stack + [0] * (rows - len(stack))
    return rows, columns, blocks + [0] * (rows * columns - len(blocks))


def random_board(rows: int, columns: int, colours: int, seed: int) -> list[int]:
    """A full board of blocks with the colours 1, 2, 3 and so on, equally likely."""
    return [2 + derive(seed, cell) % colours for cell in range(rows * columns)]


def board_text(rows: int, columns: int, blocks: list[int]) -> str:
    """A board as `read_board` reads it, in one line."""
    cells = [
        [blocks[column * rows + row] for column in range(columns)] for row in reversed(range(rows))
    ]
    return "/".join("".join(str(block - 1) if block else "." for block in line) for line in cells)


def make(
    size: int | str | None = None,
    colours: int | str | None = None,
    seed: int | str | None = None,
    board: str = "",
    file: str = "",
) -> Game:
    """SameGame on a board of its own, or on a random one of a size, with so many colours."""
    if bool(board) + bool(file) + any(given is not None for given in (size, colours, seed)) > 1:
        raise UsageError(
            "samegame takes a board, or a file, or size, colours and seed of a random board: "
            "not several of these."
        )
    options: dict[str, int | str]
    if board or file:
        text = str(board) if board else read_text(file, "the board of samegame")
        rows, columns, blocks = read_board(text, "the board of samegame")
        options = {"board": board_text(rows, columns, blocks)}
    else:
        rows, columns = SIZES.parse(15 if size is None else size)
        count = whole_number("colours", 5 if colours is None else colours, 1, COLOURS - 1)
        chosen = whole_number("seed", 0 if seed is None else seed, 0, 2**63 - 1)
        blocks = random_board(rows, columns, count, chosen)
        options = {"size": f"{rows}x{columns}", "colours": count, "seed": chosen}
    cells = rows * columns

    def move_text(player: int, code: int) -> str:
        colour, cell = divmod(code, cells)
        return f"{SQUARE_LETTERS[cell // rows]}{cell % rows + 1}:{colour}"

    def grid(state: State) -> NDArray[np.int64]:
        return state[BLOCKS : BLOCKS + cells].reshape(columns, rows).T - 1

    def groups(state: State) -> NDArray[np.int64]:
        return state[BLOCKS + cells : BLOCKS + 2 * cells].reshape(columns, rows).T

    def title(state: State) -> str:
        return f"{state[POINTS]} points, {state[LEFT]} blocks left"

    return Game(
        name="samegame",
        players=1,
        functions=RuleFunctions(
            start=start, turn=turn, legal=legal, play=play, scores=scores, key=key, feature=feature
        ),
        bounds=Bounds(
            state_words=BLOCKS + 5 * cells,
            num_codes=COLOURS * cells,
            max_moves=max(1, cells // 2),
            max_plies=max(1, cells // 2),
            num_features=1 << FEATURE_BITS,
        ),
        constants=build_constants(rows, columns, blocks),
        display=Display(
            player_names=("Player",),
            format_move=move_text,
            render=lambda state, colour: as_text(grid(state), title(state), colour),
            svg=lambda state: as_svg(grid(state), title(state), groups(state)),
            points=lambda state: int(state[POINTS]),
        ),
        options=options,
    )


FAMILY = Family(
    name="samegame",
    summary="SameGame: take groups of equal colour off the board, large ones if you can",
    options={
        "size": Option("15x15", str(SIZES)),
        "colours": Option(5, f"1 to {COLOURS - 1}"),
        "seed": Option(0, "which random board"),
        "board": Option("", "a board of your own: rows of digits, the top one first, 112/221"),
        "file": Option("", "a file with such a board, one row a line"),
    },
    make=make,
)
