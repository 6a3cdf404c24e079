"""Perft counts agree with those of the naive rules; see `tests/naive/perft.py`."""

from __future__ import annotations

from pathlib import Path

import pyspiel
import pytest

from graven.core.errors import UsageError
from graven.games.registry import make_game
from graven.testing.perft import perft
from tests.naive.tiny import heaps, rock_paper_scissors

FOLDER = Path(__file__).parent / "perft"


def stored() -> list[tuple[str, int, int]]:
    """The lines (spec, depth, count) of all perft files."""
    counts = []
    for path in sorted(FOLDER.glob("*.txt")):
        for line in path.read_text().splitlines():
            if line and not line.startswith("#"):
                spec, depth, count = line.split()
                counts.append((spec, int(depth), int(count)))
    return counts


@pytest.mark.parametrize(("spec", "depth", "count"), stored())
def test_perft(spec, depth, count):
    assert perft(make_game(spec).start(), depth) == count


def openspiel_perft(state: pyspiel.State, depth: int) -> int:
    if depth == 1 or state.is_terminal():
        return len(state.legal_actions())
    return sum(openspiel_perft(state.child(action), depth - 1) for action in state.legal_actions())


@pytest.mark.parametrize("size", [(6, 5), (7, 10), (8, 8)])
def test_openspiel_counts_the_same_at_breakthrough(size):
    rows, columns = size
    peer = pyspiel.load_game("breakthrough", {"rows": rows, "columns": columns})
    spec = f"breakthrough(size={rows}x{columns})"
    counts = {depth: count for name, depth, count in stored() if name == spec}
    for depth in (1, 2, 3):
        assert openspiel_perft(peer.new_initial_state(), depth) == counts[depth]


def test_every_sequence_of_a_game_small_enough_to_count_by_hand():
    # Two heaps of one stone: take either, then the other.
    start = heaps(1).start()
    assert [perft(start, depth) for depth in range(4)] == [1, 2, 2, 0]


def test_perft_rejects_what_it_cannot_count():
    with pytest.raises(UsageError, match="simultaneous moves"):
        perft(rock_paper_scissors().start(), 1)
    with pytest.raises(UsageError, match="at least 0"):
        perft(heaps(1).start(), -1)


# Published in many places, for instance at http://www.aartbik.com/strategy.php.
OTHELLO = [4, 12, 56, 244, 1396, 8200, 55_092, 390_216, 3_005_288]


@pytest.mark.parametrize(("depth", "count"), list(enumerate(OTHELLO, 1)))
def test_othello_has_the_published_counts(depth, count):
    assert perft(make_game("othello").start(), depth) == count
