"""Rules of Go in small positions, published counts, and more than two colours."""

from __future__ import annotations

import random

import numba
import pytest

from graven.agents import SearchAgent
from graven.core import contract
from graven.core.errors import UsageError
from graven.core.rng import generator
from graven.games import go, stone_groups
from graven.games.go_captures import PLY
from graven.games.registry import make_game
from graven.testing import check_game
from graven.testing.perft import perft
from tests.naive.go import Go


def board(position) -> str:
    """The stones, from the top row down, without the names of rows and columns."""
    return "/".join("".join(line.split()[1:]) for line in str(position).splitlines()[:-2])


def after(size: int | str, moves: str, **options):
    return make_game("go", size=size, **options).start().play_moves(moves.split())


def playout_moves(position) -> set[str]:
    rules = position.game.rules
    moves = contract.new_moves(rules)
    count = contract.playout_moves(rules, position.state.copy(), position.current_player, moves)
    return {position.game.format_move(position.current_player, code) for code in moves[:count]}


def test_a_captured_stone_leaves_the_board():
    assert board(after(3, "A1 A2 C3 B1")) == "..X/O../.O."


def test_a_capture_may_fill_the_last_own_liberty():
    assert board(after(2, "A1 A2 B1 pass B2")) == ".X/XX"


def test_suicide_is_not_allowed():
    assert "A1" not in after(3, "A2 pass B1").legal_moves
    assert "A1" not in after(3, "B1 pass A3 A2 B2").legal_moves, "nor of two stones at once"


def test_ko():
    position = after(4, "B1 C1 A2 D2 B3 C3 pass B2 C2")
    assert board(position) == "..../.XO./X.XO/.XO."
    assert "B2" not in position.legal_moves, "it would repeat the previous position"
    assert "B2" in position.play_moves(["D4", "A4"]).legal_moves, (
        "there is another stone on the board now"
    )


def test_passes_do_not_lift_a_ko():
    position = after(4, "B1 C1 A2 D2 B3 C3 pass B2 C2 pass pass")
    assert position.is_over
    position = after(4, "B1 C1 A2 D2 B3 C3 pass B2 C2 pass D4")
    assert "B2" in position.play("pass").play("A4").legal_moves


def test_no_position_is_repeated():
    chance, forbidden = random.Random(3), 0
    for _ in range(200):
        position, seen = make_game("go", size="2x3").start(), set()
        while not position.is_over:
            seen.add(board(position))
            points = [move for move in position.legal_moves if move != "pass"]
            for move in points:
                assert board(position.play(move)) not in seen
            forbidden += not points
            position = position.play(chance.choice(points or ["pass"]))
    assert forbidden > 100


def test_two_passes_end_the_game_and_areas_count():
    position = after(3, "B2 A1 C1 pass pass", komi=2)
    assert position.is_over
    assert go.areas(position) == (2.0, 1.0), "the empty region touches both colours"
    assert position.scores == (0.0, 1.0)
    assert after(3, "B2 pass pass", komi=9).scores == (0.5, 0.5), "nine points, and komi nine"
    assert after(3, "B2 pass pass", komi=8.5).scores == (1.0, 0.0)
    assert go.areas(make_game("go", size=3).start()) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("size", "moves", "point", "is_eye"),
    [
        (3, "A2 pass B1 pass B2 pass", "A1", True),
        (3, "A2 B2 B1 pass", "A1", False),  # a diagonal at the edge is White's
        (5, "C2 B2 B3 pass C4 pass D3 pass", "C3", True),  # one of four diagonals is White's
        (5, "C2 B2 B3 D4 C4 pass D3 pass", "C3", False),  # two are
        (3, "A2 pass", "A1", False),
    ],
)
def test_playouts_do_not_fill_eyes(size, moves, point, is_eye):
    position = after(size, moves)
    assert point in position.legal_moves
    assert (point not in playout_moves(position)) == is_eye


def test_playouts_pass_when_only_eyes_are_left():
    position = after("2x3", "A2 pass B2 pass C2 pass B1 pass")
    assert set(position.legal_moves) == {"A1", "C1", "pass"}
    assert playout_moves(position) == {"pass"}


@pytest.mark.parametrize("playout", ["sample", "mogo"])
def test_playouts_end_long_before_the_cap(playout):
    game = make_game("go", size=9)
    rules = game.rules if playout == "sample" else game.rules_with(playout)
    rng, moves, joint = generator(1), contract.new_moves(rules), contract.new_joint(rules)
    state = contract.new_state(rules)
    for _ in range(100):
        contract.start(rules, state)
        while (player := contract.turn(rules, state)) >= 0:
            joint[player] = contract.sample(rules, state, player, moves, rng)
            contract.play(rules, state, joint)
        assert state[PLY] < game.max_plies


# Published counts.

compiled_legal = numba.njit(go.legal)


def legal_without_pass(constants, state, player, moves):
    return compiled_legal(constants, state, player, moves) - 1


@pytest.mark.parametrize(("depth", "count"), [(1, 81), (2, 6480), (3, 511_920), (4, 39_929_136)])
def test_perft_without_passes(depth, count):
    """Counts by Peter McKenzie on the computer-go mailing list ("Testing move generation and
    tree traversal")."""
    game = make_game("go", size=9)
    assert perft(game.changed(legal=legal_without_pass).start(), depth) == count


@pytest.mark.parametrize(("size", "count"), [("2x2", 57), ("3x3", 12675)])
def test_all_legal_boards_can_be_reached(size, count):
    """Tromp and Farnebäck, "Combinatorics of Go": the number of legal positions."""
    game = make_game("go", size=size)
    rules, moves, joint = game.rules, contract.new_moves(game.rules), contract.new_joint(game.rules)
    start = contract.new_state(rules)
    contract.start(rules, start)
    reached, frontier = {int(start[stone_groups.KEY])}, [start]
    while frontier:
        state = frontier.pop()
        for player in (0, 1):
            # Any board may come about with either player to move, and without a history.
            state[stone_groups.TURN], state[PLY] = player, 0
            for code in moves[: contract.legal(rules, state, player, moves) - 1].tolist():
                after = state.copy()
                joint[player] = code
                contract.play(rules, after, joint)
                if int(after[stone_groups.KEY]) not in reached:
                    reached.add(int(after[stone_groups.KEY]))
                    frontier.append(after)
    assert len(reached) == count


# More colours.


@pytest.mark.parametrize("colours", [2, 3, 4])
@pytest.mark.parametrize("size", [(2, 2), (3, 4), (5, 5)])
def test_any_number_of_colours_agrees_with_the_naive_rules(size, colours):
    game = make_game("go", size=f"{size[0]}x{size[1]}", colors=colours)
    chance = random.Random(colours)
    captures = 0
    for _ in range(12):
        ours, theirs = game.start(), Go(*size, colours)
        while not theirs.over:
            assert ours.current_player == theirs.turn
            moves = theirs.moves()
            assert set(ours.legal_moves) == moves
            move = chance.choice(sorted(moves - {"pass"}) or ["pass"])
            before = len(theirs.board)
            ours = ours.play(move)
            theirs.play(move)
            captures += len(theirs.board) < before
            assert [int(area) for area in go.areas(ours)] == theirs.areas()
        assert ours.is_over
        assert ours.scores == pytest.approx(theirs.scores)
    assert captures > 10


@pytest.mark.parametrize("colours", [3, 4])
def test_more_colours_keep_the_contract(colours):
    check_game(make_game("go", size=4, colors=colours), games=4, constant_sum=1.0)
    check_game(make_game("go", size="2x3", colors=colours), games=10, constant_sum=1.0)


def test_three_colours_end_when_all_have_passed():
    position = after(3, "A1 B2 C3 pass pass", colors=3)
    assert not position.is_over
    position = position.play("pass")
    assert position.scores == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert position.game.player_names == ("Black", "White", "Red")


def test_a_stone_of_a_third_colour_takes_the_last_liberty():
    # White holds A2, Red plays B1: Black's A1 has no liberty left.
    assert board(after(3, "A1 A2 B1", colors=3)) == ".../O../.R."


# Options and helper functions.


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ({"size": 1}, "2 to 19 rows"),
        ({"size": 20}, "2 to 19 rows"),
        ({"komi": "much"}, "komi must be a number"),
        ({"komi": "nan"}, "komi must be a number"),
        ({"komi": "inf"}, "komi must be a number"),
        ({"colors": 5}, "2, 3 or 4"),
        ({"colors": 1}, "2, 3 or 4"),
        ({"colors": 3, "komi": 7}, "only for two colours"),
    ],
)
def test_wrong_options_are_explained(options, hint):
    with pytest.raises(UsageError, match=hint):
        make_game("go", **options)


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("go", "go(size=9x9,komi=7.5,colors=2)"),
        ("go(size=19,komi=7)", "go(size=19x19,komi=7,colors=2)"),
        ("go(komi=-0.5)", "go(size=9x9,komi=-0.5,colors=2)"),
        ("go(colors=3)", "go(size=9x9,komi=0,colors=3)"),
    ],
)
def test_the_canonical_form_can_be_read_back(text, spec):
    assert make_game(text).spec == spec
    assert make_game(spec).spec == spec


def test_the_player_to_move_can_be_changed():
    position = after(3, "A1 pass")
    changed = go.with_player_to_move(position, 1)
    assert changed.current_player == 1
    assert "White to move" in str(changed)
    assert changed.play("C3").current_player == 0
    assert not changed.play("pass").is_over
    assert position.current_player == 0


def test_searches_leave_eyes_alone_and_may_always_pass():
    # White has eyes at A1 and C1.
    game = make_game("go(size=9)")
    position = game.start()
    for move in ("a9 a2", "b9 b1", "c9 b2", "d9 c2", "e9 d2", "f9 d1"):
        for point in move.split():
            position = position.play(point)
    position = position.play("pass")
    assert position.current_player == 1
    assert {"A1", "C1", "pass"} <= set(position.legal_moves)
    moves = contract.new_moves(game.rules)
    count = contract.tree_moves(game.rules, position.state, 1, moves)
    listed = {game.format_move(1, int(code)) for code in moves[:count]}
    assert set(position.legal_moves) - listed == {"A1", "C1"}
    result = SearchAgent("uct").search(position, playouts=500)
    assert {stat.move for stat in result.root_stats} == listed
