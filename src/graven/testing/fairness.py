"""Test whether `sample` draws every playout move equally often: Pearson's chi-squared test."""

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
    """Add 1 to `counts[move]` for every move drawn; invalid codes count in the last entry."""
    for _ in range(draws):
        move = contract.sample(rules, state, player, moves, rng=rng)
        if 0 <= move < rules.num_codes:
            counts[move] += 1
        else:
            counts[rules.num_codes] += 1


def uniformity_p_value(
    rules: Rules, state: State, player: int, moves: Moves, *, draws: int, seed: int
) -> float:
    """Return the p-value of the draws of `sample` under the uniform distribution on `moves`.

    Zero if a move outside `moves` was drawn.
    """
    counts = np.zeros(rules.num_codes + 1, dtype=np.int64)
    scratch = contract.new_moves(rules)
    tally(rules, state.copy(), player, scratch, rng=generator(seed), draws=draws, counts=counts)
    drawn = counts[moves]
    if drawn.sum() != draws:
        return 0.0
    return 1.0 if drawn.size == 1 else float(chisquare(drawn).pvalue)
