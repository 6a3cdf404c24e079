"""The moves of MoGo's playout policy in constructed positions."""

from __future__ import annotations

import numpy as np
import pytest

from graven.core import contract
from graven.core.rng import generator
from graven.games import mogo_playouts
from graven.games.registry import make_game

DRAWS = 60


def moves_of(moves: str, size: int = 9, playout: str = "mogo") -> set[str]:
    """Return all moves that the playout policy plays after these."""
    position = make_game("go", size=size).start().play_moves(moves.split())
    rules = position.game.rules_with(playout)
    rng, scratch = generator(1), contract.new_moves(rules)
    state = position.state.copy()
    codes = {
        contract.sample(rules, state, position.current_player, scratch, rng) for _ in range(DRAWS)
    }
    return {position.game.format_move(position.current_player, code) for code in codes}


def test_stones_in_atari_escape():
    # E5 has one liberty left, F5, after White's D5; from there it has two more.
    assert moves_of("E5 E4 A1 E6 A9 D5") == {"F5"}


def test_stones_in_atari_capture_the_attacker():
    # A1 is in atari by A2: B1 joins it to B2, and A3 takes A2.
    assert moves_of("A1 J9 B2 A2") == {"B1", "A3"}


def test_no_escape_without_liberties():
    # E1 at the edge: D1 is no escape, for C1 and D2 are White's.
    assert "D1" not in moves_of("E1 C1 J9 D2 J8 E2 J7 F1")


def test_a_capture_is_taken_wherever_it_is():
    # White's A1 is in atari at A2; White's last move is far away and matches nothing.
    assert moves_of("B1 A1 J9 F5") == {"A2"}


def test_without_a_tactical_move_any_point_is_played():
    assert len(moves_of("E5")) > 20


def test_without_patterns_only_atari_and_captures_count():
    assert moves_of("E5 E4 A1 E6 A9 D5", playout="mogo-tactics") == {"F5"}
    assert moves_of("B1 A1 J9 F5", playout="mogo-tactics") == {"A2"}
    # A hane at E5 or E7: mogo answers there, mogo-tactics anywhere.
    assert {"E5", "E7"} <= moves_of("D6 E6", playout="mogo")
    assert len(moves_of("D6 E6", playout="mogo")) < 10
    assert len(moves_of("D6 E6", playout="mogo-tactics")) > 20


def test_the_board_is_filled_where_it_is_empty_before_anything_else():
    # On 5x5 with a stone at C3 every point has a neighbour with a stone except on the edge.
    edge = {f"{column}{row}" for column in "ABCDE" for row in (1, 5)}
    edge |= {f"{column}{row}" for column in "AE" for row in (2, 3, 4)}
    assert moves_of("C3", size=5, playout="fillboard") <= edge
    # Without such a point it plays as mogo-tactics does.
    assert moves_of("B2 D4 D2 B4 C3", size=5, playout="fillboard") == moves_of(
        "B2 D4 D2 B4 C3", size=5, playout="mogo-tactics"
    )


TABLE = mogo_playouts.patterns()


def matches(rows: str) -> bool:
    """Whether the point in the middle is a pattern: o own, e enemy, . empty, # off the board."""
    kinds = [".oe#".index(letter) for letter in rows.replace("/", "") if letter != "*"]
    order = (
        mogo_playouts.FREE_POINT,
        mogo_playouts.OWN_STONE,
        mogo_playouts.ENEMY_STONE,
        mogo_playouts.OFF_BOARD,
    )
    code = sum(order[kind] << 2 * place for place, kind in enumerate(kinds))
    return bool(int(TABLE[code >> 6]) >> (code & 63) & 1)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("oeo/.*./...", True),  # an enclosing hane
        ("eoe/.*./ooo", True),
        ("oe./.*./...", True),  # a hane
        ("oe./o*./...", True),  # a magari
        ("oee/.*./...", True),  # a thin hane, for the player's own stone
        ("eoo/.*./...", False),  # not for the enemy's
        ("oe./e*./...", True),  # a cross-cut
        ("oe./e*e/...", False),  # an exception of the cut pattern
        ("oe./e*./.e.", False),
        ("oe./e*o/...", True),
        (".o./e*e/...", True),  # a cut
        (".o./e*e/.e.", False),
        ("o../e*./###", True),  # at the side
        ("..o/.*e/###", True),
        (".o./.*e/###", True),
        (".oe/.*./###", True),
        (".eo/.*./###", True),
        (".../.*./...", False),
        (".../.*./###", False),
        ("ooo/o*o/ooo", False),
        ("#eo/#*./#..", True),  # the side on the left
        ("###/#*e/#o.", False),  # a corner has no patterns
    ],
)
def test_patterns(rows, expected):
    assert matches(rows) is expected


def test_patterns_are_invariant_under_symmetries():
    words = TABLE.view(np.uint64)
    bits = np.unpackbits(words.view(np.uint8), bitorder="little").astype(bool)
    cube = bits.reshape([4] * 8)  # axis 0 is the last of the eight points
    points = [(row, column) for row in range(3) for column in range(3) if (row, column) != (1, 1)]
    symmetries = (
        lambda row, column: (column, row),
        lambda row, column: (row, 2 - column),
        lambda row, column: (2 - column, row),
    )
    for symmetry in symmetries:
        axes = [7 - points.index(symmetry(*point)) for point in reversed(points)]
        assert (cube.transpose(axes) == cube).all()
    assert 0.01 < bits.mean() < 0.5
