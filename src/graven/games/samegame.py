"""SameGame: remove groups of equal colour; large groups score far more than small ones.

A group is two or more orthogonally connected blocks of one colour. Removing a group of n blocks
scores (n - 2)^2 points. Blocks above fall down, and empty columns close up to the left. The game
ends when no group is left. An empty board scores a bonus of 1,000 points. There is no penalty for
remaining blocks (some versions have one).

A move's code is (colour, lowest block in the group's leftmost column). It is unique in a position
and small enough to index tables, but blocks fall and groups merge, so the same code can later be
another group: it is a poor code to learn from. The game's `feature` therefore identifies a group
by all its blocks, as a 16-bit hash of colour and cells. The NRPA solver learns from it.

Cells are numbered column by column, each from the bottom. State: points, number of blocks, number
of groups, then for each cell its block (0: none, else 1 + colour). `play` derives the rest from
these: the group of each cell (its lowest cell number, or -1), the list of groups, their hashes, and
a stack.

The game's `prior` prefers all other colours to that with the most blocks at the start, the "tabu
colour": left alone, its blocks join into the largest groups of all. With `tabu=true` its groups are
legal only where there are no others (after the playouts of Schadd et al. 2008).
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from graven.core.compile import inlined
from graven.core.contract import TERMINAL, Constants, Moves, Scores, State
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.core.game_parts import Bounds, Display, RuleFunctions
from graven.core.hash_tables import hash_words
from graven.core.rng import derive
from graven.games.boards import SQUARE_LETTERS, SizeRange
from graven.games.option_values import read_text, whole_number
from graven.games.registry import Family, GameOption
from graven.games.samegame_drawing import as_svg, as_text

# Layout of `constants`: the first words, then the blocks, then Zobrist keys. TABU is 1 + the colour
# with the most blocks at the start, SPARES_TABU whether its groups are legal only at the end.
ROWS, COLUMNS, CELLS, MAX_POINTS, TABU, SPARES_TABU, BOARD = range(7)
# Layout of a state.
POINTS, BLOCKS_LEFT, GROUPS, BLOCKS = range(4)

MAX_COLOURS = 10
CLEAR_BONUS = 1000
FEATURE_BITS = 16
ZOBRIST_SEED = 1985


def build_constants(
    rows: int, columns: int, blocks: list[int], spares_tabu: bool
) -> NDArray[np.int64]:
    """Return the constants of a board; `blocks` is ordered column by column (0: none)."""
    cells = rows * columns
    max_points = max(0, sum(block > 0 for block in blocks) - 2) ** 2 + CLEAR_BONUS
    tabu = max(range(1, MAX_COLOURS + 1), key=blocks.count)
    keys = [derive(ZOBRIST_SEED, i) for i in range(cells * (MAX_COLOURS + 1))]
    return np.concatenate(
        [
            np.array(
                [rows, columns, cells, max_points, tabu, spares_tabu, *blocks], dtype=np.int64
            ),
            np.array(keys, dtype=np.uint64).view(np.int64),
        ]
    )


@inlined
def _mark_group(constants: Constants, state: State, first: int) -> int:
    """Mark all cells of the group of an unmarked cell and return its number of blocks."""
    rows, cells = constants[ROWS], constants[CELLS]
    group_of, hashes, stack = BLOCKS + cells, BLOCKS + 3 * cells, BLOCKS + 4 * cells
    keys = BOARD + cells
    block = state[BLOCKS + first]
    state[stack] = first
    state[group_of + first] = first
    stack_size, size, hashed = 1, 0, np.int64(0)
    while stack_size:
        stack_size -= 1
        cell = state[stack + stack_size]
        size += 1
        hashed ^= constants[keys + cell * (MAX_COLOURS + 1) + block]
        row = cell % rows
        for side in range(4):
            if side == 0:
                adjacent = cell - 1 if row > 0 else -1
            elif side == 1:
                adjacent = cell + 1 if row < rows - 1 else -1
            elif side == 2:
                adjacent = cell - rows
            else:
                adjacent = cell + rows if cell + rows < cells else -1
            if (
                adjacent >= 0
                and state[BLOCKS + adjacent] == block
                and state[group_of + adjacent] < 0
            ):
                state[group_of + adjacent] = first
                state[stack + stack_size] = adjacent
                stack_size += 1
    state[hashes + first] = hashed
    return size


@inlined
def _find_groups(constants: Constants, state: State) -> None:
    """Find all groups; list those of two or more blocks, ordered by cell."""
    cells = constants[CELLS]
    group_of, groups = BLOCKS + cells, BLOCKS + 2 * cells
    for cell in range(cells):
        state[group_of + cell] = -1
    count = 0
    for cell in range(cells):
        if (
            state[BLOCKS + cell]
            and state[group_of + cell] < 0
            and _mark_group(constants, state, cell) > 1
        ):
            state[groups + count] = cell
            count += 1
    state[GROUPS] = count


def start(constants: Constants, state: State) -> None:
    """Set the initial board."""
    state[:] = 0
    for cell in range(constants[CELLS]):
        state[BLOCKS + cell] = constants[BOARD + cell]
        state[BLOCKS_LEFT] += constants[BOARD + cell] > 0
    _find_groups(constants, state)


def turn(constants: Constants, state: State) -> int:
    """Return the player while there is a group to remove, else TERMINAL."""
    return 0 if state[GROUPS] else TERMINAL


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """List the groups from left to right; with tabu=true, those of other colours, if any."""
    cells = constants[CELLS]
    for i in range(state[GROUPS]):
        cell = state[BLOCKS + 2 * cells + i]
        moves[i] = (state[BLOCKS + cell] - 1) * cells + cell
    if constants[SPARES_TABU] == 0:
        return state[GROUPS]
    count = 0
    for i in range(state[GROUPS]):
        if moves[i] // cells + 1 != constants[TABU]:
            moves[count] = moves[i]
            count += 1
    return count if count else state[GROUPS]


def play(constants: Constants, state: State, joint: Moves) -> None:
    """Remove the group, let blocks fall and columns close up, and find the groups."""
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
    state[BLOCKS_LEFT] -= taken
    state[POINTS] += (taken - 2) * (taken - 2)
    if state[BLOCKS_LEFT] == 0:
        state[POINTS] += CLEAR_BONUS
    _find_groups(constants, state)


def scores(constants: Constants, state: State, out: Scores) -> None:
    """Write the points as a fraction of the score for a single group of all blocks."""
    out[0] = state[POINTS] / constants[MAX_POINTS]


def key(constants: Constants, state: State) -> int:
    """Return a hash of the points and the blocks."""
    return hash_words(state, BLOCKS + constants[CELLS])


def feature(constants: Constants, state: State, player: int, move: int) -> int:
    """Return a hash of the group's colour and cells."""
    cells = constants[CELLS]
    hashed = state[BLOCKS + 3 * cells + move % cells]
    return (hashed ^ (hashed >> 32)) & ((1 << FEATURE_BITS) - 1)


def prior(constants: Constants, state: State, player: int, move: int) -> float:
    """Return 0 for groups of the tabu colour and 1 for all others."""
    return 0.0 if move // constants[CELLS] + 1 == constants[TABU] else 1.0


SIZES = SizeRange(rows=(1, 26), columns=(1, 26))
MAX_BOARD_CHARACTERS = 2000


def read_board(text: str, what: str) -> tuple[int, int, list[int]]:
    """Return rows, columns and blocks (column by column) of a board: rows of digits, top row first.

    Rows are separated by newlines or slashes; a dot is an empty cell; blanks are ignored. `what`
    names the board in error messages.
    """
    if len(text) > MAX_BOARD_CHARACTERS:
        raise UsageError(
            f"{what} has {len(text):,} characters; at most {MAX_BOARD_CHARACTERS:,} are allowed."
        )
    lines = [re.sub(r"[ \t\r]", "", line) for line in re.split(r"[/\n]", text.strip())]
    if not all(re.fullmatch(r"[0-9.]+", line) for line in lines):
        raise UsageError(f"{what} must be rows of digits, one digit for each colour.")
    rows, columns = len(lines), len(lines[0])
    if any(len(line) != columns for line in lines):
        raise UsageError(f"{what} has rows of different lengths.")
    SIZES.parse(f"{rows}x{columns}")
    blocks: list[int] = []
    for column in range(columns):
        stack = [int(line[column]) + 1 for line in reversed(lines) if line[column] != "."]
        if stack:  # blocks fall and empty columns close up
            blocks += stack + [0] * (rows - len(stack))
    return rows, columns, blocks + [0] * (rows * columns - len(blocks))


def random_board(rows: int, columns: int, colours: int, seed: int) -> list[int]:
    """Return a full board of blocks with uniformly random colours from 1 to `colours`."""
    return [2 + derive(seed, cell) % colours for cell in range(rows * columns)]


def board_text(rows: int, columns: int, blocks: list[int]) -> str:
    """Return a board in one line, in the format of `read_board`."""
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
    tabu: str | bool = False,
) -> Game:
    """Return SameGame on a custom board, or on a random board with a size and colours."""
    if bool(board) + bool(file) + any(value is not None for value in (size, colours, seed)) > 1:
        raise UsageError(
            "samegame: give either a board, or a file, or size, colours and seed of a random board."
        )
    options: dict[str, int | str]
    if board or file:
        text = str(board) if board else read_text(file, "the board of samegame")
        rows, columns, blocks = read_board(text, "the board of samegame")
        options = {"board": board_text(rows, columns, blocks)}
    else:
        rows, columns = SIZES.parse(15 if size is None else size)
        count = whole_number("colours", 5 if colours is None else colours, 1, MAX_COLOURS - 1)
        seed_number = whole_number("seed", 0 if seed is None else seed, 0, 2**63 - 1)
        blocks = random_board(rows, columns, count, seed_number)
        options = {"size": f"{rows}x{columns}", "colours": count, "seed": seed_number}
    cells = rows * columns
    spared = str(tabu).strip().lower()
    if spared not in ("true", "false"):
        raise UsageError(f"samegame: tabu must be true or false, got {tabu}.")
    if spared == "true":
        options["tabu"] = spared

    def format_move(player: int, code: int) -> str:
        colour, cell = divmod(code, cells)
        return f"{SQUARE_LETTERS[cell // rows]}{cell % rows + 1}:{colour}"

    def grid(state: State) -> NDArray[np.int64]:
        return state[BLOCKS : BLOCKS + cells].reshape(columns, rows).T - 1

    def groups(state: State) -> NDArray[np.int64]:
        return state[BLOCKS + cells : BLOCKS + 2 * cells].reshape(columns, rows).T

    def title(state: State) -> str:
        return f"{state[POINTS]} points, {state[BLOCKS_LEFT]} blocks left"

    return Game(
        name="samegame",
        players=1,
        functions=RuleFunctions(
            start=start,
            turn=turn,
            legal=legal,
            play=play,
            scores=scores,
            key=key,
            feature=feature,
            prior=prior,
        ),
        bounds=Bounds(
            state_words=BLOCKS + 5 * cells,
            num_codes=MAX_COLOURS * cells,
            max_moves=max(1, cells // 2),
            max_plies=max(1, cells // 2),
            num_features=1 << FEATURE_BITS,
        ),
        constants=build_constants(rows, columns, blocks, spared == "true"),
        display=Display(
            player_names=("Player",),
            format_move=format_move,
            render=lambda state, colour: as_text(grid(state), title(state), colour),
            svg=lambda state: as_svg(grid(state), title(state), groups(state)),
            points=lambda state: int(state[POINTS]),
        ),
        options=options,
    )


FAMILY = Family(
    name="samegame",
    summary="SameGame: remove groups of equal colour, large ones if possible",
    options={
        "size": GameOption("15x15", str(SIZES)),
        "colours": GameOption(5, f"1 to {MAX_COLOURS - 1}"),
        "seed": GameOption(0, "which random board"),
        "board": GameOption("", "a custom board: rows of digits, top row first, such as 112/221"),
        "file": GameOption("", "a file with a custom board, one row per line"),
        "tabu": GameOption(
            "false", "true: leave the most frequent colour alone while there are other groups"
        ),
    },
    make=make,
)
