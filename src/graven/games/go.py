"""Go, for two to four colours: area scoring, positional superko, no suicide.

A move is a point or, the last code, a pass; the game ends when everybody has passed in a row, or
after so many plies that no sensible game gets there (`longest`). A player's score is their stones
and the empty areas that touch no other colour; the greatest score wins, and White has komi if there
are two colours. Cazenave 2015, section 4.8, scores "stones plus eyes": in a game played out the
empty areas are eyes.

Playouts draw from the legal moves that do not fill the player's own eyes, and pass when there is
none. State: see `captures`.
"""

from __future__ import annotations

import math

import numpy as np

from graven.core.bits import index, lowest
from graven.core.compile import compiled, inlined
from graven.core.contract import TERMINAL, Constants, Moves, Scores, State
from graven.core.errors import UsageError
from graven.core.game import Game, Position
from graven.core.game_parts import Bounds, Display, RuleFunctions
from graven.core.rng import Rng
from graven.games import go_board, go_captures, mogo_playouts
from graven.games.boards import POINT_LETTERS, SizeRange, as_text, cell_name
from graven.games.go_board import (
    APART,
    CELL,
    CELLS,
    CODE_OF,
    COLOUR,
    COLOURS,
    EMPTY,
    KEY,
    LIBERTIES,
    LISTS,
    NEXT,
    POINT_OF,
    TURN,
    TURN_KEY,
    WIDTH,
)
from graven.games.go_captures import (
    CAP,
    COUNT,
    KOMI,
    LAST_MOVE,
    NO_MOVE,
    PASSES,
    PLY,
    WHOLE,
    allowed,
    wanted,
)
from graven.games.registry import Family, Option
from graven.games.stone_groups import LARGEST, points
from graven.games.svg_boards import as_svg

PASS = "pass"
NAMES = ("Black", "White", "Red", "Blue")
MOST_KOMI = 1000.0
_ODD = -7046029254386353131


def longest(cells: int) -> int:
    """The most plies of a game. (With superko the longest game on 2x2 has 48.)"""
    return 3 * cells + 50


@inlined
def is_over(constants: Constants, state: State) -> bool:
    """Whether all have passed in a row, or the game has gone on for too long."""
    return (state[PASSES] >= constants[COLOURS]) | (state[PLY] >= constants[CAP])


def turn(constants: Constants, state: State) -> int:
    """The player to move, if any."""
    return TERMINAL if is_over(constants, state) else state[TURN]


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """The points that may be played, and the pass."""
    count = 0
    for i in range(state[COUNT]):
        point = state[index(constants[LISTS] + i)]
        moves[count] = constants[index(constants[CODE_OF] + point)]
        count += allowed(constants, state, player, point)
    moves[count] = constants[CELLS]
    return count + 1


@inlined
def but_eyes(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """The points that may be played and are no eyes of the player; there may be none."""
    count = 0
    for i in range(state[COUNT]):
        point = state[index(constants[LISTS] + i)]
        moves[count] = constants[index(constants[CODE_OF] + point)]
        count += wanted(constants, state, player, point)
    return count


def candidates(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """The points that may be played and are no eyes of the player, and the pass.

    Playouts never fill eyes, so that AMAF knows nothing of it: a search would try it first, at
    every new node.
    """
    count = but_eyes(constants, state, player, moves)
    moves[count] = constants[CELLS]
    return count + 1


def sensible(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """The points that may be played and are no eyes of the player; if there are none, the pass."""
    count = but_eyes(constants, state, player, moves)
    if count == 0:
        moves[0] = constants[CELLS]
        count = 1
    return count


def sample(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """One of the sensible moves."""
    return go_captures.draw(constants, state, player, rng)


def allows(constants: Constants, state: State, player: int, move: int) -> bool:
    """Whether the move is sensible: a point that a playout may play, or the pass without any."""
    if move < constants[CELLS]:
        point = constants[index(POINT_OF + move)]
        empty = state[index(CELL + APART * point)] == EMPTY
        return empty and wanted(constants, state, player, point)
    for i in range(state[COUNT]):
        if wanted(constants, state, player, state[index(constants[LISTS] + i)]):
            return False
    return True


def play(constants: Constants, state: State, joint: Moves) -> None:
    """Put the stone and capture, or pass."""
    player = state[TURN]
    code = int(joint[player])
    if code == constants[CELLS]:
        state[PASSES] += 1
    else:
        state[PASSES] = 0
        point = constants[index(POINT_OF + code)]
        go_captures.take_off_list(constants, state, point)
        if go_board.put(constants, state, player, code):
            go_captures.capture(constants, state, player, point)
    state[LAST_MOVE] = code
    go_captures.remember(constants, state)
    state[TURN] = player + 1 if player + 1 < constants[COLOURS] else 0


def scores(constants: Constants, state: State, out: Scores) -> None:
    """One point for the greatest area, shared by those who have it."""
    colours = constants[COLOURS]
    count_areas(constants, state, out)
    if colours == 2:
        ahead = int(out[0] - out[1]) - constants[KOMI]
        out[0] = 1.0 if ahead > 0 else 0.0
        if ahead == 0 and constants[WHOLE]:
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
    """Write each player's stones plus the empty points of areas that only touch that player.

    Empty points have no use for their words NEXT and LIBERTIES: an area is explored as a queue
    linked by NEXT, and LIBERTIES says which points have been in one.
    """
    width, cells = constants[WIDTH], constants[CELLS]
    for player in range(constants[COLOURS]):
        out[player] = 0.0
    for code in range(cells):
        point = constants[index(POINT_OF + code)]
        colour = state[index(CELL + APART * point)] & COLOUR
        if colour < EMPTY:
            out[colour] += 1.0
        else:
            state[index(LIBERTIES + APART * point)] = 0
    for i in range(state[COUNT]):
        first = state[index(constants[LISTS] + i)]
        if state[index(LIBERTIES + APART * first)]:
            continue
        state[index(LIBERTIES + APART * first)] = 1
        at, last, size, touched = first, first, 0, np.int64(0)
        while True:
            size += 1
            for near in (at - width, at - 1, at + 1, at + width):
                colour = state[index(CELL + APART * near)] & COLOUR
                if colour < EMPTY:
                    touched |= np.int64(1) << colour
                elif colour == EMPTY and state[index(LIBERTIES + APART * near)] == 0:
                    state[index(LIBERTIES + APART * near)] = 1
                    state[index(NEXT + APART * last)] = near
                    last = near
            if at == last:
                break
            at = state[index(NEXT + APART * at)]
        if touched & (touched - 1) == 0 and touched:
            out[lowest(touched)] += size


def key(constants: Constants, state: State) -> int:
    """The stones, the turn, how many have passed, the ply, and which moves superko forbids now; of
    a game that is over, the stones and the ply.

    With the ply no way through the tree comes back to where it was. What superko may forbid later
    is left out: see docs/design.md.
    """
    mixed = state[KEY] + (state[PLY] + 1) * _ODD
    if is_over(constants, state):
        return mixed
    mixed ^= (state[TURN] + 4 * state[PASSES] + 1) * constants[TURN_KEY]
    for i in range(state[COUNT]):
        point = state[index(constants[LISTS] + i)]
        if go_captures.was_captured(constants, state, point) and go_captures.comes_back(
            constants, state, state[TURN], point
        ):
            mixed += point * constants[TURN_KEY]
    return mixed


def feature(constants: Constants, state: State, player: int, move: int) -> int:
    """The move and its four neighbours, as in `goban`; a pass has none."""
    if move == constants[CELLS]:
        return 256 * move
    return go_board.feature_of(constants, state, player, move)


def areas(position: Position) -> tuple[float, ...]:
    """Each player's area as the board stands, without komi."""
    out = np.zeros(position.game.players)
    count_areas(position.game.constants, position.state.copy(), out)
    return tuple(float(area) for area in out)


def handed_over(position: Position, player: int) -> Position:
    """The same position with another player to move, and no passes counted."""
    state = position.state.copy()
    state[TURN], state[PASSES] = player, 0
    return Position(position.game, state, position.history)


SIZES = SizeRange(rows=(2, LARGEST), columns=(2, LARGEST))


def make(size: int | str = 9, komi: float | str | None = None, colors: int | str = 2) -> Game:
    """Go on a board of that size, for that many colours."""
    rows, columns = SIZES.parse(size)
    colours = _colours(colors)
    komi = _komi(komi, colours)
    cells, plies = rows * columns, longest(rows * columns)
    lists = go_captures.build_lists(points(rows, columns), plies)
    tables = go_board.build_constants(
        rows,
        columns,
        own=(cells, 0, 0, NO_MOVE),
        lists=lists,
        colours=colours,
        rule=(
            plies,
            math.floor(komi),
            int(komi == math.floor(komi)),
            go_board.words(rows, columns) + lists.size - plies - 1,
        ),
        more=mogo_playouts.patterns(),
    )
    return Game(
        name="go",
        players=colours,
        functions=RuleFunctions(
            start=go_board.start,
            turn=turn,
            legal=legal,
            play=play,
            scores=scores,
            tree_moves=candidates,
            playout_moves=sensible,
            sample=sample,
            key=key,
            feature=feature,
            is_playout_move=allows,
        ),
        bounds=Bounds(
            state_words=go_board.words(rows, columns) + lists.size,
            num_codes=cells + 1,
            max_moves=cells + 1,
            max_plies=plies,
            num_features=256 * cells + 1,
        ),
        constants=tables,
        display=Display(
            player_names=NAMES[:colours],
            format_move=lambda player, code: (
                PASS if code == cells else cell_name(code, columns, POINT_LETTERS)
            ),
            render=lambda state, colour: (
                as_text(go_board.board("go", rows, columns, state), colour)
                + "\n"
                + _footer(state, colours, plies)
            ),
            svg=lambda state: as_svg(go_board.board("go", rows, columns, state)),
        ),
        shared_points=True,
        playouts={"mogo": mogo_playouts.mogo} if colours == 2 else {},
        options={"size": f"{rows}x{columns}", "komi": _shown(komi), "colors": colours},
    )


def _colours(colors: int | str) -> int:
    text = str(colors).strip()
    if text not in ("2", "3", "4"):
        raise UsageError(f"colors must be 2, 3 or 4, not {colors}.")
    return int(text)


def _komi(komi: float | str | None, colours: int) -> float:
    """The komi as a number: 7.5 if nobody says otherwise, and none among three or four."""
    if komi is None:
        return 7.5 if colours == 2 else 0.0
    try:
        value = float(komi)
    except ValueError:
        value = math.nan
    if not abs(value) <= MOST_KOMI:
        raise UsageError(f"komi must be a number from -{MOST_KOMI:g} to {MOST_KOMI:g}, not {komi}.")
    if colours > 2 and value:
        raise UsageError("komi is for two colours: with three or four it can only be 0.")
    return value


def _shown(komi: float) -> int | float:
    return int(komi) if komi == int(komi) else komi


def _footer(state: State, colours: int, plies: int) -> str:
    """The number of the move, whose turn it is, and how many have passed."""
    passed = int(state[PASSES])
    if passed >= colours or state[PLY] >= plies:
        return f"The game is over after {state[PLY]} moves"
    after = f", after {passed} {'pass' if passed == 1 else 'passes'}" if passed else ""
    return f"Move {state[PLY] + 1}: {NAMES[state[TURN]]} to move{after}"


FAMILY = Family(
    name="go",
    summary="surround area and stones, with two to four colours",
    options={
        "size": Option("9x9", str(SIZES)),
        "komi": Option(7.5, "points for White, with two colours"),
        "colors": Option(2, "2 to 4 players, each with a colour"),
    },
    make=make,
)
