"""Go for two to four colours: area scoring, positional superko, no suicide.

A move is a point or a pass (the last code). The game ends when all players pass in succession, or
after `max_plies_of` plies, which no reasonable game reaches. A player's area is the number of
stones plus the empty regions that touch no other colour. The largest area wins; with two colours
White receives komi. Cazenave 2015, section 4.8, scores "stones plus eyes": at the end of a playout
the empty regions are eyes.

Playouts choose among the legal moves that do not fill the player's own eyes, and pass if there is
none. State: see `go_captures`.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from graven.core.bits import index, lowest
from graven.core.compile import compiled, inlined
from graven.core.contract import TERMINAL, Constants, Moves, Scores, State
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.core.game_parts import Bounds, Display, RuleFunctions
from graven.core.position import Position
from graven.core.rng import Rng
from graven.core.rollout import rollout_on
from graven.games import go_board, go_captures, go_text, mogo_playouts, stone_groups
from graven.games.boards import POINT_LETTERS, SizeRange, as_text, cell_name
from graven.games.go_board import CODE_OF, COLOURS, POINT_OF
from graven.games.go_captures import (
    COUNT,
    KOMI,
    KOMI_IS_INTEGER,
    LAST_MOVE,
    MAX_PLIES,
    NO_MOVE,
    PASSES,
    PLY,
    is_legal_point,
    is_playout_point,
)
from graven.games.go_text import NAMES
from graven.games.registry import Family, GameOption
from graven.games.stone_groups import (
    CELL,
    CELLS,
    COLOUR_MASK,
    EMPTY,
    INITIAL_STATE,
    KEY,
    LIBERTIES,
    LISTS,
    MAX_SIDE,
    NEXT,
    STRIDE,
    TURN,
    TURN_KEY,
    WIDTH,
    points,
)
from graven.games.svg_boards import as_svg

PASS = "pass"
MAX_KOMI = 1000.0
AREA_BITS = 12  # of the number of a colour's stones
_ODD = -7046029254386353131


def max_plies_of(cells: int) -> int:
    """Return the maximum number of plies. (With superko the longest game on 2x2 has 48.)"""
    return 3 * cells + 50


@inlined
def is_over(constants: Constants, state: State) -> bool:
    """Whether all players have passed in succession, or the maximum number of plies is reached."""
    return (state[PASSES] >= constants[COLOURS]) | (state[PLY] >= constants[MAX_PLIES])


def turn(constants: Constants, state: State) -> int:
    """Return the player to move, or TERMINAL."""
    return TERMINAL if is_over(constants, state) else state[TURN]


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """List the legal points and the pass."""
    count = 0
    for i in range(state[COUNT]):
        point = state[index(constants[LISTS] + i)]
        moves[count] = constants[index(constants[CODE_OF] + point)]
        count += is_legal_point(constants, state, player, point)
    moves[count] = constants[CELLS]
    return count + 1


@inlined
def list_non_eye_points(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """List the legal points that are not eyes of the player; possibly none."""
    count = 0
    for i in range(state[COUNT]):
        point = state[index(constants[LISTS] + i)]
        moves[count] = constants[index(constants[CODE_OF] + point)]
        count += is_playout_point(constants, state, player, point)
    return count


def tree_moves(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """List the legal points that are not eyes of the player, and the pass.

    Playouts never fill eyes, so these moves would have no AMAF statistics, and a search would try
    them first at every new node.
    """
    count = list_non_eye_points(constants, state, player, moves)
    moves[count] = constants[CELLS]
    return count + 1


def playout_moves(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """List the legal points that are not eyes of the player; if there are none, the pass."""
    count = list_non_eye_points(constants, state, player, moves)
    if count == 0:
        moves[0] = constants[CELLS]
        count = 1
    return count


def sample(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Return a random playout move."""
    return go_captures.sample_move(constants, state, player, rng)


def is_playout_move(constants: Constants, state: State, player: int, move: int) -> bool:
    """Whether the move is a playout move; the pass is one if no point is."""
    if move < constants[CELLS]:
        point = constants[index(POINT_OF + move)]
        empty = state[index(CELL + STRIDE * point)] == EMPTY
        return empty and is_playout_point(constants, state, player, point)
    for i in range(state[COUNT]):
        if is_playout_point(constants, state, player, state[index(constants[LISTS] + i)]):
            return False
    return True


def play(constants: Constants, state: State, joint: Moves) -> None:
    """Place the stone and capture, or pass."""
    player = state[TURN]
    code = int(joint[player])
    if code == constants[CELLS]:
        state[PASSES] += 1
    else:
        state[PASSES] = 0
        point = constants[index(POINT_OF + code)]
        go_captures.remove_from_list(constants, state, point)
        if go_board.place_stone(constants, state, player, code):
            go_captures.capture_groups(constants, state, player, point)
    state[LAST_MOVE] = code
    go_captures.record_position(constants, state)
    state[TURN] = player + 1 if player + 1 < constants[COLOURS] else 0


def scores(constants: Constants, state: State, out: Scores) -> None:
    """Give 1 to the player with the largest area; players with equal areas share it."""
    colours = constants[COLOURS]
    count_areas(constants, state, out)
    if colours == 2:
        ahead = int(out[0] - out[1]) - constants[KOMI]
        out[0] = 1.0 if ahead > 0 else 0.0
        if ahead == 0 and constants[KOMI_IS_INTEGER]:
            out[0] = 0.5
        out[1] = 1.0 - out[0]
        return
    best, winners = 0.0, 0
    for player in range(colours):
        if out[player] > best:
            best, winners = out[player], 0
        winners += out[player] == best
    for player in range(colours):
        out[player] = 1.0 / winners if out[player] == best else 0.0


@compiled
def count_areas(constants: Constants, state: State, out: Scores) -> None:
    """Write each player's area: stones plus the empty regions that touch only this player.

    A region is explored breadth-first. The words NEXT and LIBERTIES of empty points are free: NEXT
    links the queue, LIBERTIES marks visited points.
    """
    width, cells = constants[WIDTH], constants[CELLS]
    counts = np.int64(0)  # of each colour's stones, and of the empty points
    for code in range(cells):
        point = constants[index(POINT_OF + code)]
        colour = state[index(CELL + STRIDE * point)] & COLOUR_MASK
        counts += np.int64(1) << (AREA_BITS * colour)
    for player in range(constants[COLOURS]):
        out[player] = (counts >> (AREA_BITS * player)) & ((1 << AREA_BITS) - 1)
    for i in range(state[COUNT]):
        state[index(LIBERTIES + STRIDE * state[index(constants[LISTS] + i)])] = 0
    for i in range(state[COUNT]):
        first = state[index(constants[LISTS] + i)]
        if state[index(LIBERTIES + STRIDE * first)]:
            continue
        state[index(LIBERTIES + STRIDE * first)] = 1
        at, last, size, touched = first, first, 0, np.int64(0)
        while True:
            size += 1
            for adjacent in (at - width, at - 1, at + 1, at + width):
                colour = state[index(CELL + STRIDE * adjacent)] & COLOUR_MASK
                if colour < EMPTY:
                    touched |= np.int64(1) << colour
                elif colour == EMPTY and state[index(LIBERTIES + STRIDE * adjacent)] == 0:
                    state[index(LIBERTIES + STRIDE * adjacent)] = 1
                    state[index(NEXT + STRIDE * last)] = adjacent
                    last = adjacent
            if at == last:
                break
            at = state[index(NEXT + STRIDE * at)]
        if touched & (touched - 1) == 0 and touched:
            out[lowest(touched)] += size


def key(constants: Constants, state: State) -> int:
    """Return a key of stones, player to move, passes, ply and the moves that superko forbids now.

    For a finished game: of the stones and the ply. The ply excludes cycles in the tree. Moves that
    superko may forbid later are not part of the key: see docs/decisions.md.
    """
    mixed = state[KEY] + (state[PLY] + 1) * _ODD
    if is_over(constants, state):
        return mixed
    mixed ^= (state[TURN] + 4 * state[PASSES] + 1) * constants[TURN_KEY]
    for i in range(state[COUNT]):
        point = state[index(constants[LISTS] + i)]
        if go_captures.was_captured(constants, state, point) and go_captures.repeats_position(
            constants, state, state[TURN], point
        ):
            mixed += point * constants[TURN_KEY]
    return mixed


def feature(constants: Constants, state: State, player: int, move: int) -> int:
    """Return the move and its four neighbours as by `go_board.feature`; a pass has none."""
    if move == constants[CELLS]:
        return 256 * move
    return go_board.feature(constants, state, player, move)


def board_of(constants: Constants) -> bytes:
    """Return the constants that playouts read: without komi, initial state and patterns."""
    board = constants[: constants[INITIAL_STATE]].copy()
    board[[KOMI, KOMI_IS_INTEGER]] = 0
    return board.tobytes()


def areas(position: Position) -> tuple[float, ...]:
    """Return each player's area in a position, without komi."""
    out = np.zeros(position.game.players)
    count_areas(position.game.constants, position.state.copy(), out)
    return tuple(float(area) for area in out)


def with_player_to_move(position: Position, player: int) -> Position:
    """Return the position with this player to move and no passes counted."""
    state = position.state.copy()
    state[TURN], state[PASSES] = player, 0
    return Position(position.game, state, position.history)


SIZES = SizeRange(rows=(2, MAX_SIDE), columns=(2, MAX_SIDE))
OMITTED, LISTED = "omitted", "listed"
MOGO_PLAYOUTS = {
    "mogo": mogo_playouts.mogo,
    "mogo-tactics": mogo_playouts.mogo_tactics,
    "fillboard": mogo_playouts.fillboard,
}


def make(
    size: int | str = 9,
    komi: float | str | None = None,
    colors: int | str = 2,
    own_eyes: str = OMITTED,
) -> Game:
    """Return Go on a board of this size, for this number of colours."""
    if own_eyes not in (OMITTED, LISTED):
        raise UsageError(f"go: own_eyes must be {OMITTED} or {LISTED}, got {own_eyes}.")
    rows, columns = SIZES.parse(size)
    colours = _parse_colours(colors)
    komi = _parse_komi(komi, colours)
    cells, plies = rows * columns, max_plies_of(rows * columns)
    lists = go_captures.build_lists(points(rows, columns), plies)
    constants = go_board.build_constants(
        rows,
        columns,
        game_words=(cells, 0, 0, NO_MOVE),
        lists=lists,
        colours=colours,
        game_constants=(
            plies,
            math.floor(komi),
            int(komi == math.floor(komi)),
            stone_groups.words(rows, columns) + lists.size - plies - 1,
        ),
        patterns=mogo_playouts.patterns(),
    )
    return Game(
        name="go",
        players=colours,
        functions=RuleFunctions(
            start=stone_groups.start,
            turn=turn,
            legal=legal,
            play=play,
            scores=scores,
            tree_moves=tree_moves if own_eyes == OMITTED else legal,
            playout_moves=playout_moves,
            sample=sample,
            key=key,
            feature=feature,
            is_playout_move=is_playout_move,
            rollout=rollout_on(board_of(constants), cells + 1, turn, sample, play, scores),
        ),
        bounds=Bounds(
            state_words=stone_groups.words(rows, columns) + lists.size,
            num_codes=cells + 1,
            max_moves=cells + 1,
            max_plies=plies,
            num_features=256 * cells + 1,
        ),
        constants=constants,
        display=Display(
            player_names=NAMES[:colours],
            format_move=lambda player, code: (
                PASS if code == cells else cell_name(code, columns, POINT_LETTERS)
            ),
            render=lambda state, colour: (
                as_text(stone_groups.board("go", rows, columns, state), colour)
                + "\n"
                + go_text.footer(state, colours, plies)
            ),
            svg=lambda state: as_svg(stone_groups.board("go", rows, columns, state)),
            parse_position=partial(go_text.parse_position, size=(rows, columns)),
        ),
        shared_points=True,
        exact_key=False,
        playouts=MOGO_PLAYOUTS if colours == 2 else {},
        options={
            "size": f"{rows}x{columns}",
            "komi": _komi_option(komi),
            "colors": colours,
            **({"own_eyes": own_eyes} if own_eyes != OMITTED else {}),
        },
    )


def _parse_colours(colors: int | str) -> int:
    text = str(colors).strip()
    if text not in ("2", "3", "4"):
        raise UsageError(f"colors must be 2, 3 or 4, got {colors}.")
    return int(text)


def _parse_komi(komi: float | str | None, colours: int) -> float:
    """Return komi as a number: by default 7.5 with two colours, 0 with three or four."""
    if komi is None:
        return 7.5 if colours == 2 else 0.0
    try:
        value = float(komi)
    except ValueError:
        value = math.nan
    if not abs(value) <= MAX_KOMI:
        raise UsageError(f"komi must be a number from -{MAX_KOMI:g} to {MAX_KOMI:g}, got {komi}.")
    if colours > 2 and value:
        raise UsageError(f"komi is only for two colours; with {colours} it must be 0, got {komi}.")
    return value


def _komi_option(komi: float) -> int | float:
    """Return an integral komi as an int, so that specs have `komi=7` and not `komi=7.0`."""
    return int(komi) if komi == int(komi) else komi


FAMILY = Family(
    name="go",
    summary="surround area and stones, with two to four colours",
    options={
        "size": GameOption("9x9", str(SIZES)),
        "komi": GameOption(7.5, "points for White, with two colours"),
        "colors": GameOption(2, "2 to 4 players, one colour each"),
        "own_eyes": GameOption(OMITTED, "moves that fill own eyes: omitted in the tree, or listed"),
    },
    make=make,
)
