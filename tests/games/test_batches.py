"""Batched playouts of the package's games: legal, independent of each other, and as single ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from graven.bench.playout_rates import new_buffers
from graven.core import contract
from graven.core.rng import generator
from graven.core.rollout import roll_out
from graven.core.status import Status
from graven.games.registry import make_game

SMALLEST_P_VALUE = 1e-6  # the seeds are fixed

BATCHED = [
    "atarigo(size=6x8)",
    "domineering(size=7x6)",
    "hex(size=6x7)",
    "nogo(size=5x6)",
    "othello(size=6x8)",
]
WITHOUT = [
    "atarigo(size=9)",
    "atarigo(suicide=forbidden)",
    "domineering(size=9)",
    "hex(size=5)",
    "hex(size=3x16)",
    "nogo(size=9)",
    "othello(size=6)",
]


def positions(game, number: int):
    """Return positions of random games, from the first to a terminal one."""
    chance, found = np.random.default_rng(3), []
    while len(found) < number:
        position = game.start()
        found.append(position)
        while not position.is_over:
            position = position.play(chance.choice(position.legal_moves))
            found.append(position)
    chosen = np.linspace(0, len(found) - 1, number).astype(int)
    return [found[i] for i in chosen]


def play_batch(game, leaves, playouts_per_leaf: int, seed: int):
    """Return the traces and the first player's scores of a batch."""
    rules, count = game.batch_rules, len(leaves) * playouts_per_leaf
    stride = rules.max_plies
    traces, lengths = np.zeros(count * stride, np.uint32), np.zeros(count, np.int64)
    out = np.zeros(2 * count)
    status = contract.batch_playouts(
        rules,
        np.concatenate([leaf.state for leaf in leaves]),
        len(leaves),
        playouts_per_leaf,
        scratch=np.full(rules.batch_scratch, -1),  # what was there before does not matter
        traces=traces,
        lengths=lengths,
        out=out,
        rng=generator(seed),
    )
    assert status == Status.OK
    rows = [traces[i * stride : i * stride + length].tolist() for i, length in enumerate(lengths)]
    assert (out[::2] + out[1::2] == 1).all()
    return rows, out[::2].tolist()


@pytest.mark.parametrize("spec", BATCHED)
def test_every_playout_of_a_batch_is_a_game(spec):
    game = make_game(spec)
    leaves = positions(game, 50)
    for leaf, moves, score in zip(leaves, *play_batch(game, leaves, 1, 5), strict=True):
        position = leaf
        for entry in moves:
            player, code = divmod(entry, game.num_codes)
            assert player == position.current_player
            assert game.format_move(player, code) in position.legal_moves
            position = position.play(game.format_move(player, code))
        assert position.is_over
        assert position.scores[0] == score


@pytest.mark.parametrize("spec", BATCHED)
def test_playouts_do_not_depend_on_the_rest_of_the_batch(spec):
    game = make_game(spec)
    leaves = [leaf for leaf in positions(game, 50) if not leaf.is_over]
    traces, scores = play_batch(game, leaves, 1, 7)
    assert play_batch(game, leaves, 1, 7) == (traces, scores)
    for some in (1, 5, 17):
        assert play_batch(game, leaves[:some], 1, 7) == (traces[:some], scores[:some])


@pytest.mark.parametrize("spec", BATCHED)
def test_batches_end_as_single_playouts_do(spec):
    game, count = make_game(spec), 4000
    traces, scores = play_batch(game, [game.start()], count, 11)
    rules, first = game.playout_rules(), game.start().state
    buffers, trace = new_buffers(rules), np.zeros(rules.max_plies, np.uint32)
    out, singles = np.zeros(2), []
    for _ in range(count):
        buffers.state[:] = first
        length = roll_out(
            rules,
            buffers.state,
            trace,
            out,
            rng=buffers.rng,
            moves=buffers.moves,
            joint=buffers.joint,
            plies=rules.max_plies,
        )
        singles.append((length, out[0]))
    ends = [list(zip(map(len, traces), scores, strict=True)), singles]
    # Lengths at which few games end are counted together, at both ends.
    lengths = sorted(length for length, _ in ends[0] + ends[1])
    low, high = lengths[count // 25], lengths[-count // 25]
    kinds = [[(min(max(n, low), high), score) for n, score in side] for side in ends]
    table = [[side.count(kind) for kind in sorted({*kinds[0], *kinds[1]})] for side in kinds]
    kept = [column for column in zip(*table, strict=True) if sum(column) >= 10]
    assert chi2_contingency(np.array(kept).T).pvalue > SMALLEST_P_VALUE


@pytest.mark.parametrize("spec", WITHOUT)
def test_boards_without_batches(spec):
    assert make_game(spec).functions.batch_playouts is None
