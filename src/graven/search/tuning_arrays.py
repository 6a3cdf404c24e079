"""What a search knows of the parameters that tune themselves: see `self_tuning`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import prod
from typing import NamedTuple

import numpy as np
from numba import types

from graven.search.layout import Float64, Int64


class TuningArrays(NamedTuple):
    """The values that are tried, and the statistics of the values; empty without such parameters.

    A combination is a place in the list of values for each of d parameters. A table has statistics
    of all combinations of some parameters: its entry for a combination is
    starts[table] + sum over i of strides[table * d + i] * place[i]. The tables are those of the
    single parameters, in order; of pairs, with the n-tuple bandit; and, last, that of all.
    """

    ntuple: int  # whether it is the n-tuple bandit, not the naive one
    entries: int  # of all tables of a player
    usual_entry: int  # of the usual combination, in the table of all
    values: Float64  # the values of the first parameter, then those of the second, ...
    firsts: Int64  # [parameter]: where its values begin
    sizes: Int64  # [parameter]: how many there are
    usual: Int64  # [parameter]: the place of the usual value
    # [parameter]: the address that the policy reads the value at, and 1 if there is a word for each
    # player, 0 if one word serves the player to move.
    targets: Int64
    by_player: Int64
    starts: Int64  # [table]
    strides: Int64  # [table * d + parameter]; 0 for a parameter that the table does not have
    statistics: Float64  # [2 * (player * entries + entry)]: simulations; after it, sum of rewards
    baselines: Float64  # [2 * player]: simulations of this search; after it, sum of the scores
    chosen: Int64  # [player * d + parameter]: the combination of the simulation under way
    current: Int64  # [player * d + parameter]: that of the simulation before
    candidate: Int64  # [parameter]: scratch


_INTS, _FLOATS = types.Array(types.int64, 1, "C"), types.Array(types.float64, 1, "C")
TUNING_ARRAYS = types.NamedTuple(
    [types.int64] * 3 + [_FLOATS] + [_INTS] * 7 + [_FLOATS] * 2 + [_INTS] * 3, TuningArrays
)


def tuning_tables(sizes: Sequence[int], ntuple: bool) -> list[tuple[int, ...]]:
    """Return the parameters of each table, for parameters with so many values."""
    number = len(sizes)
    tables: list[tuple[int, ...]] = [(i,) for i in range(number)]
    if ntuple:
        tables += combinations(range(number), 2)
    tables.append(tuple(range(number)))
    return list(dict.fromkeys(tables))


def new_tuning(
    players: int, values: Sequence[Sequence[float]], usual: Sequence[int], ntuple: bool
) -> TuningArrays:
    """Return empty statistics of parameters with these values; `usual` are places of some."""
    sizes = [len(tried) for tried in values]
    tables = tuning_tables(sizes, ntuple) if values else []
    lengths = [prod(sizes[i] for i in table) for table in tables]
    number, entries = len(values), sum(lengths)
    strides = np.zeros((len(tables), number), np.int64)
    for row, table in zip(strides, tables, strict=True):
        for place, parameter in enumerate(table):
            row[parameter] = prod(sizes[i] for i in table[place + 1 :])
    return TuningArrays(
        ntuple=int(ntuple),
        entries=entries,
        usual_entry=int(strides[-1] @ np.array(usual, np.int64)) if tables else 0,
        values=np.array([value for tried in values for value in tried], np.float64),
        firsts=np.array([sum(sizes[:i]) for i in range(number)], np.int64),
        sizes=np.array(sizes, np.int64),
        usual=np.array(usual, np.int64),
        targets=np.zeros(number, np.int64),
        by_player=np.zeros(number, np.int64),
        starts=np.array([sum(lengths[:i]) for i in range(len(tables))], np.int64),
        strides=strides.reshape(-1),
        statistics=np.zeros(2 * players * entries),
        baselines=np.zeros(2 * players),
        chosen=np.array([*usual] * players, np.int64),
        current=np.array([*usual] * players, np.int64),
        candidate=np.zeros(number, np.int64),
    )


def forget_tuning(tuning: TuningArrays) -> None:
    """Reset the statistics to those of a new search."""
    for array in (tuning.statistics, tuning.baselines):
        array[:] = 0.0
    players = len(tuning.baselines) // 2
    for combination in (tuning.chosen, tuning.current):
        combination[:] = np.tile(tuning.usual, players)


def most_tried(tuning: TuningArrays, player: int) -> list[float]:
    """Return the values of the combination that a player has tried in the most simulations."""
    first = player * tuning.entries + int(tuning.starts[-1])
    end = (player + 1) * tuning.entries
    tried = int(np.argmax(tuning.statistics[2 * first : 2 * end : 2]))
    places = np.unravel_index(tried, tuple(tuning.sizes))
    return [float(tuning.values[f + p]) for f, p in zip(tuning.firsts, places, strict=True)]
