"""The arrays of NRPA: policies and games of each level, and scratch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graven.core import contract
from graven.core.calls import Value
from graven.core.contract import Rules, State
from graven.solving.method import NO_SCORE

INITIAL_CODES = 4096  # initial capacity for the codes of the legal moves of a game


class NrpaPolicies(NamedTuple):
    """The policy of each level. Rows are levels (row 0 is unused), columns are codes."""

    weights: NDArray[np.float64]  # [level, code]
    exps: NDArray[np.float64]  # [level, code] the exponentials of `weights`
    new_weights: NDArray[np.float64]  # [code] of the codes in `changed`, during an adaptation
    changed: NDArray[np.int32]  # [code] the codes that an adaptation changes
    is_changed: NDArray[np.uint8]  # [code] whether a code is in `changed`
    done: NDArray[np.int64]  # [level] completed iterations
    playouts: NDArray[np.int64]  # [1] of level 1 since its last adaptation
    repeats: NDArray[np.int64]  # [level] how often the best game has been found again
    alpha: float
    iterations: int
    bias: float  # weight of the game's `prior`
    stabilise: int  # playouts before each adaptation of level 1
    repetitions: int  # a level ends when its best game has been found this often again; 0: never
    use_features: int  # whether codes are the game's features; otherwise they are its moves


class NrpaGames(NamedTuple):
    """One game per slot. The last slot has the best game of all runs, without its codes.

    The codes of the legal moves in the i-th position of a game are codes[ends[i] : ends[i + 1]].
    """

    slot: NDArray[np.int64]  # [level] the slot of a level's best game; slot[0]: of the playout
    moves: NDArray[np.int32]  # [slot, max_plies]
    length: NDArray[np.int64]  # [slot] number of moves
    score: NDArray[np.float64]  # [slot] or NO_SCORE
    codes: NDArray[np.uint32]  # [slot, capacity] codes of the legal moves
    factors: NDArray[np.float64]  # [slot, capacity] exp(bias * prior) of each; without bias empty
    ends: NDArray[np.int64]  # [slot, max_plies + 1] see above
    chosen: NDArray[np.int64]  # [slot, max_plies] index of the played move's code in `codes`


class NrpaScratch(NamedTuple):
    """Scratch for one position: its state, legal moves and their exponentials."""

    state: NDArray[np.int64]
    legal: NDArray[np.int32]
    priors: NDArray[np.float64]
    values: NDArray[np.float64]
    joint: NDArray[np.int32]
    out: NDArray[np.float64]


class NrpaMemory(NamedTuple):
    """All arrays of a search."""

    root: State
    counters: NDArray[np.int64]  # see `method`
    policies: NrpaPolicies
    games: NrpaGames
    scratch: NrpaScratch


def new_policies(
    level: int, num_codes: int, values: Mapping[str, Value], *, use_features: bool
) -> NrpaPolicies:
    """Return uniform policies for each level up to `level`."""
    return NrpaPolicies(
        weights=np.zeros((level + 1, num_codes)),
        exps=np.ones((level + 1, num_codes)),
        new_weights=np.zeros(num_codes),
        changed=np.zeros(num_codes, np.int32),
        is_changed=np.zeros(num_codes, np.uint8),
        done=np.zeros(level + 1, np.int64),
        playouts=np.zeros(1, np.int64),
        repeats=np.zeros(level + 1, np.int64),
        alpha=float(values["alpha"]),
        iterations=int(values["iterations"]),
        bias=float(values["bias"]),
        stabilise=int(values["stabilise"]),
        repetitions=int(values["repetitions"]),
        use_features=int(use_features),
    )


def new_games(rules: Rules, level: int, *, biased: bool) -> NrpaGames:
    """Return slots for the playout, each level's best game and the best game of all runs."""
    slots = level + 2
    return NrpaGames(
        slot=np.arange(level + 1, dtype=np.int64),
        moves=np.zeros((slots, rules.max_plies), np.int32),
        length=np.zeros(slots, np.int64),
        score=np.full(slots, NO_SCORE),
        codes=np.zeros((slots, INITIAL_CODES), np.uint32),
        factors=np.zeros((slots, INITIAL_CODES * biased)),
        ends=np.zeros((slots, rules.max_plies + 1), np.int64),
        chosen=np.zeros((slots, rules.max_plies), np.int64),
    )


def new_scratch(rules: Rules) -> NrpaScratch:
    """Return scratch for one position."""
    return NrpaScratch(
        state=contract.new_state(rules),
        legal=contract.new_moves(rules),
        priors=np.zeros(rules.max_moves),
        values=np.zeros(rules.max_moves),
        joint=contract.new_joint(rules),
        out=np.zeros(rules.players),
    )


def with_doubled_codes(games: NrpaGames) -> NrpaGames:
    """Return the games with twice the capacity for codes."""
    slots, capacity = games.codes.shape
    codes = np.zeros((slots, 2 * capacity), np.uint32)
    codes[:, :capacity] = games.codes
    factors = np.zeros((slots, 2 * games.factors.shape[1]))
    factors[:, : games.factors.shape[1]] = games.factors
    return games._replace(codes=codes, factors=factors)
