"""Scoring of a Go position: owners of stones, dead stones by playouts, area score."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from graven.core import contract
from graven.core.game import Position
from graven.core.rng import generator
from graven.games import go, sgf
from graven.games.go_board import CELL, COLOUR_MASK, EMPTY, POINT_OF, STRIDE
from graven.sources.load import load_game

PLAYOUTS = 200
DEAD_SHARE = 0.7  # a stone is dead if its point changes owner in more than this share of playouts


def stone_owners(position: Position) -> dict[str, int]:
    """Return the player whose stone is on each occupied point."""
    game = position.game
    cells = game.num_codes - 1
    grid = CELL + STRIDE * game.constants[POINT_OF : POINT_OF + cells]
    colours = position.state[grid] & COLOUR_MASK
    return {
        game.format_move(0, code): int(colour)
        for code, colour in enumerate(colours)
        if colour < EMPTY
    }


def dead_stones(position: Position) -> list[str]:
    """Return the stones whose points the opponent owns after most random playouts."""
    game = position.game
    rules = game.rules_with("mogo")
    cells = game.num_codes - 1
    grid = CELL + STRIDE * rules.constants[POINT_OF : POINT_OF + cells]
    times_lost = np.zeros(cells, dtype=np.int64)
    rng, moves = generator(1), contract.new_moves(rules)
    joint, state = contract.new_joint(rules), contract.new_state(rules)
    colours_before = position.state[grid] & COLOUR_MASK
    for number in range(PLAYOUTS):
        state[:] = go.with_player_to_move(position, number % 2).state
        while (player := contract.turn(rules, state)) >= 0:
            joint[player] = contract.sample(rules, state, player, moves, rng)
            contract.play(rules, state, joint)
        colours = state[grid] & COLOUR_MASK
        # A point that is empty at the end is an eye of the player who owns its neighbours.
        neighbours = state[grid - STRIDE] & COLOUR_MASK
        eye_owners = np.where(neighbours < EMPTY, neighbours, colours)
        colours = np.where(colours >= EMPTY, eye_owners, colours)
        times_lost += (colours < EMPTY) & (colours != colours_before)
    return [
        point
        for point in stone_owners(position)
        if times_lost[point_code(position, point)] > DEAD_SHARE * PLAYOUTS
    ]


def score_text(position: Position, dead: Collection[str] = ()) -> str:
    """Return the area score after the removal of dead stones, as SGF writes it: B+3.5."""
    counted = _without_stones(position, dead) if dead else position
    return sgf.result_text(position.game, go.areas(counted))


def point_code(position: Position, point: str) -> int:
    """Return the code of a point; -1, which is never legal, if there is none of that name."""
    code = position.game.move_code(0, point)
    return -1 if code is None else code


def _without_stones(position: Position, removed: Collection[str]) -> Position:
    """Return the position that results from placing all other stones on an empty board."""
    options = position.game.options
    rebuilt = load_game("go", size=options["size"], komi=options["komi"]).start()
    for point, player in stone_owners(position).items():
        if point in removed:
            continue
        ready = go.with_player_to_move(rebuilt, player)
        code = point_code(position, point)
        if code in ready.legal_codes_of(player):
            rebuilt = ready.play(code)
    return rebuilt
