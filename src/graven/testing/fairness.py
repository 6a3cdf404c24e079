"""Whether `sample` draws every sensible move equally often: Pearson's chi-square test."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chisquare

from graven.core import contract
from graven.core.compile import compiled
from graven.core.contract import Moves, Rules, State
from graven.core.rng import Rng, generator


@compiled
def tally(
    rules: Rules,
    state: State,
    player: int,
    moves: Moves,
    rng: Rng,
    draws: int,
    counts: NDArray[np.int64],
) -> None:
    """Add to `counts[move]` for every move drawn; codes that do not exist go to the last entry."""
    for _ in range(draws):
        move = contract.sample(rules, state, player, moves, rng)
        if 0 <= move < rules.num_codes:
            counts[move] += 1
        else:
            counts[rules.num_codes] += 1


def surprise(rules: Rules, state: State, player: int, legal: Moves, draws: int, seed: int) -> float:
    """How likely a fair `sample` is to stray at least this far from uniform (a p-value).

    Zero if anything but a move of `legal` was drawn.
    """
    counts = np.zeros(rules.num_codes + 1, dtype=np.int64)
    scratch = contract.new_moves(rules)
    tally(rules, state.copy(), player, scratch, generator(seed), draws, counts)
    drawn = counts[legal]
    if drawn.sum() != draws:
        return 0.0
    return 1.0 if drawn.size == 1 else float(chisquare(drawn).pvalue)
