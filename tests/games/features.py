"""The feature code of one move."""

from __future__ import annotations

import numpy as np

from graven.core import contract
from graven.core.position import Position


def feature_code(position: Position, player: int, move: int) -> int:
    codes = np.zeros(1, np.uint32)
    moves = np.array([move], np.int32)
    contract.features(position.game.rules, position.state.copy(), player, moves, 1, codes)
    return int(codes[0])
