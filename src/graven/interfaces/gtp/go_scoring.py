"""Scoring of a Go position: owners of stones, dead stones by playouts, area score."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from graven.core.position import Position
from graven.games import go, sgf
from graven.games.go_board import POINT_OF
from graven.games.go_ownership import count_owners
from graven.games.stone_groups import CELL, CELLS, COLOUR_MASK, EMPTY, STRIDE
from graven.sources.load import load_game

PLAYOUTS = 400
SEED = 1
# A chain is dead if it changes owner in more than this share of playouts. In 100 finished games
# GNU Go's dead chains do so in 50 % and more, its living ones in 30 % and less.
DEAD_SHARE = 0.4


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
    """Return the stones of the chains that the opponent owns after most playouts.

    All stones of a chain have the same status: that of the chain's mean.
    """
    constants = position.game.constants
    grid = CELL + STRIDE * constants[POINT_OF : POINT_OF + constants[CELLS]]
    cells = position.state[grid]  # of a stone: the head of its chain, and its colour
    owned = count_owners(position, PLAYOUTS, SEED)
    lost = np.where(cells & COLOUR_MASK == 0, owned[1], owned[0]) / PLAYOUTS
    _, chains = np.unique(cells, return_inverse=True)
    lost_by_chain = np.bincount(chains, weights=lost) / np.bincount(chains)
    return [
        point
        for point in stone_owners(position)
        if lost_by_chain[chains[point_code(position, point)]] > DEAD_SHARE
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
            rebuilt = ready.play_code(code)
    return rebuilt
