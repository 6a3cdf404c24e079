"""Keys of thousands of near positions: equal exactly where the positions are.

Two positions of a random search or match hardly ever differ in a few high bits of two words only,
which is how a weak hash takes positions for each other. So all positions a few plies below one are
compared, with what the rules need of a state read word by word, without the key.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numba import njit

from graven.core import contract
from graven.core.contract import SIMULTANEOUS, TERMINAL
from graven.core.game import MISERE
from graven.core.rng import generator
from graven.games import (
    domineering_layout,
    go_captures,
    hex_chains,
    morpion,
    othello_bitboards,
    samegame,
    stone_groups,
    through_rules,
    tsptw,
)
from graven.gdl.kernels import single
from graven.sources.load import load_game

POSITIONS = 10_000  # below each start
MOST_WORDS = 4_000_000  # of the states of one layer


class Layer(NamedTuple):
    """Positions, and what functions of the rules return there, row by row."""

    states: np.ndarray
    keys: np.ndarray
    rules: np.ndarray  # player to move, scores in thousandths, sum of squares of the legal moves


def look_of_stones(game, states):
    """The owner of each point, and whose turn it is; of Go the passes and the ply, too.

    The ply is part of the key so that a search cannot go round in circles.
    """
    constants = game.constants
    end = constants[stone_groups.LISTS]
    cells = states[:, stone_groups.CELL : end : stone_groups.STRIDE] & stone_groups.COLOUR_MASK
    columns = [cells, states[:, [stone_groups.TURN]]]
    if game.name == "go":
        columns.append(states[:, [go_captures.PASSES, go_captures.PLY]])
    return np.hstack(columns)


def look_of_hexes(game, states):
    start = game.constants[hex_chains.POINTS]
    points = game.constants[hex_chains.POINT_OF :][: game.constants[hex_chains.CELLS]]
    return np.hstack(
        [states[:, start + points] & hex_chains.COLOUR_MASK, states[:, [hex_chains.TURN]]]
    )


def look_of_domineering(game, states):
    words = game.constants[domineering_layout.BOARD_WORDS]
    end = domineering_layout.FREE + words
    columns = [states[:, [domineering_layout.TURN]], states[:, domineering_layout.FREE : end]]
    if game.options.get("key") == "dominoes":
        columns.append(states[:, end + 1 : end + 1 + words])
    return np.hstack(columns)


def look_of_words(*places):
    return lambda game, states: np.hstack([states[:, place] for place in places])


LOOKS = {
    "atarigo": look_of_stones,
    "nogo": look_of_stones,
    "go": look_of_stones,
    "hex": look_of_hexes,
    "havannah": look_of_hexes,
    "domineering": look_of_domineering,
    "breakthrough": look_of_words([through_rules.TURN], slice(through_rules.BITBOARDS, None)),
    "knightthrough": look_of_words([through_rules.TURN], slice(through_rules.BITBOARDS, None)),
    "othello": look_of_words(
        [othello_bitboards.TURN, othello_bitboards.DISCS, othello_bitboards.DISCS + 1]
    ),
    "morpion": look_of_words(slice(morpion.POINT_WORDS, morpion.LINES)),
    "samegame": lambda game, states: np.hstack(
        [
            states[:, [samegame.POINTS]],
            states[:, samegame.BLOCKS : samegame.BLOCKS + game.constants[samegame.CELLS]],
        ]
    ),
    "tsptw": look_of_words(slice(0, tsptw.TOUR)),
    "gdl": lambda game, states: states[
        :, : game.constants[single.BASES] + game.constants[single.COUNTED]
    ],
}


@njit
def random_state(rules, plies, rng, state):
    """Play random moves from the start, fewer if the game ends."""
    contract.start(rules, state)
    before, moves = state.copy(), np.zeros(rules.max_moves + rules.num_codes, np.int32)
    joint = np.zeros(rules.players, np.int32)
    for _ in range(plies):
        turn = contract.turn(rules, state)
        if turn == TERMINAL:
            state[:] = before
            return
        before[:] = state
        for player in range(rules.players):
            if turn in (SIMULTANEOUS, player):
                joint[player] = contract.sample(rules, state, player, moves, rng)
        contract.play(rules, state, joint)


@njit
def children(rules, states, rng, found, keys, seen):
    """Write positions after legal moves, at simultaneous moves after random ones; return how many.

    `seen` is what `Layer.rules` says.
    """
    moves = np.zeros(rules.max_moves + rules.num_codes, np.int32)
    joint, scores = np.zeros(rules.players, np.int32), np.zeros(rules.players)
    count = 0
    for i in range(len(states)):
        turn = contract.turn(rules, states[i])
        if turn == TERMINAL:
            continue
        mover = max(turn, 0)
        for move in range(contract.legal(rules, states[i].copy(), mover, moves)):
            if count == len(found):
                return count
            state = found[count]
            state[:] = states[i]
            contract.legal(rules, states[i].copy(), mover, moves)
            joint[mover] = moves[move]
            for player in range(rules.players):
                if turn == SIMULTANEOUS and player != mover:
                    joint[player] = contract.sample(rules, states[i].copy(), player, moves, rng)
            contract.play(rules, state, joint)
            keys[count] = contract.key(rules, state.copy())
            after = contract.turn(rules, state)
            seen[count, 0], total = after, 0
            if after == TERMINAL:
                contract.scores(rules, state.copy(), scores)
                for player in range(rules.players):
                    total = 1001 * total + round(1000 * scores[player])
            else:
                legal = contract.legal(rules, state.copy(), max(after, 0), moves)
                for k in range(legal):
                    total += (moves[k] + 1) * (moves[k] + 1) * (moves[k] + 1)
            seen[count, 1] = total
            count += 1
    return count


def below(game, states, rng, most):
    rules = game.rules
    found = np.zeros((most, rules.state_words), np.int64)
    keys, seen = np.zeros(most, np.int64), np.zeros((most, 2), np.int64)
    count = children(rules, states, rng, found, keys, seen)
    return Layer(found[:count], keys[:count], seen[:count])


def as_items(*columns):
    """The rows of several arrays, joined, as texts of bytes."""
    table = np.hstack([np.asarray(c, np.int64).reshape(len(columns[0]), -1) for c in columns])
    table = np.ascontiguousarray(table[:, (table != table[0]).any(axis=0)])
    return [row.tobytes() for row in table]


def near_positions(game, plies, seed, positions=POSITIONS):
    """Distinct looks of positions with their keys and what the rules say, breadth first."""
    rng, shuffle = generator(seed), np.random.default_rng(seed)
    most = min(positions, MOST_WORDS // game.rules.state_words)
    layer = np.zeros((1, game.rules.state_words), np.int64)
    random_state(game.rules, plies, rng, layer[0])
    looks, keys, rules = [], [], []
    total = 0
    while len(layer) and total < positions:
        after = below(game, layer, rng, most)
        if not len(after.keys):
            break
        look = LOOKS[game.name.removeprefix(MISERE)](game, after.states)
        looks.append(look)
        keys.append(after.keys)
        rules.append(after.rules)
        total += len(look)
        first = list({item: row for row, item in enumerate(as_items(look))}.values())
        layer = after.states[shuffle.permutation(first)[: max(1, most // 4)]]
    return np.vstack(looks), np.concatenate(keys), np.vstack(rules)


def number_of_kinds(*columns):
    return len(set(as_items(*columns)))


# Games, and how many random plies are played before.
STARTS = [
    ("atarigo(size=5)", (2, 8)),
    ("atarigo(size=4,suicide=forbidden)", (3, 9)),
    ("atarigo(size=9)", (40,)),
    ("nogo(size=5)", (4, 12)),
    ("nogo(size=8)", (30,)),
    ("go(size=3)", (6, 20, 40)),
    ("go(size=5,komi=0.5)", (20, 60)),
    ("go(size=4,colors=3)", (9, 30)),
    ("go(size=9)", (100,)),
    ("hex(size=5)", (2, 14)),
    ("hex(size=8x9)", (50,)),
    ("misere-hex(size=4)", (4,)),
    ("havannah(size=4)", (6, 25)),
    ("havannah(size=8)", (120,)),
    ("domineering(size=8)", (6, 18)),
    ("domineering(size=10x7)", (12,)),
    ("domineering(size=8,key=dominoes)", (6, 18)),
    ("breakthrough(size=8)", (0, 30, 50)),
    ("breakthrough(size=7x10)", (30,)),
    ("knightthrough(size=8)", (0, 20)),
    ("othello(size=8)", (10, 30, 50)),
    ("othello(size=8x6)", (25, 38)),
    ("othello(size=4)", (3,)),
    ("morpion(variant=5T)", (3, 30)),
    ("morpion(variant=4D)", (5,)),
    ("samegame(size=8x8,colours=4)", (0, 12)),
    ("samegame(size=15x15,colours=5)", (40,)),
    ("tsptw(cities=12,width=40)", (0, 5)),
    ("tsptw(cities=70,width=100)", (50,)),
]
SHEETS = [
    *("battle", "breakthrough", "checkers", "chineseCheckers3", "chinook", "connect5"),
    *("knightThrough", "othello-comp2007", "quad_7x7", "sheepAndWolf", "skirmish"),
    *("tictactoe_3d_2player", "ttcc4", "ttcc4_2player", "zhadu"),
]
STARTS += [(f"gdl(sheet={sheet})", (0, 12)) for sheet in SHEETS]


@pytest.mark.parametrize(("spec", "plies"), STARTS, ids=[spec for spec, _ in STARTS])
def test_keys_of_near_positions_are_equal_where_positions_are(spec, plies):
    game = load_game(spec)
    for number in plies:
        looks, keys, rules = near_positions(game, number, seed=number)
        kinds = number_of_kinds(looks)
        assert kinds > 50
        if game.name == "go":  # what superko forbids is part of a position, but not of its look
            looks = np.hstack([looks, rules])
            kinds = number_of_kinds(looks)
        assert number_of_kinds(looks, keys) == kinds, "equal positions have different keys"
        assert len(np.unique(keys)) == kinds, "different positions have equal keys"
        assert number_of_kinds(looks, rules) == kinds, "equal positions have different rules"
