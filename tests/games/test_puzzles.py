"""Games of one player keep the contract and agree, move by move, with the naive rules."""

from __future__ import annotations

import random
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graven.core.errors import UsageError
from graven.games.registry import make_game
from graven.testing import check_game
from tests.naive.puzzles import PUZZLES, naive_puzzle

SPECS = [spec for specs in PUZZLES.values() for spec in specs]
# About as many positions for every game; the naive rules are slow on large ones.
GAMES = {"morpion": 3, "samegame": 6, "tsptw": 20}
LARGE = {"samegame(size=15x15,colours=5,seed=0)": 2, "samegame(size=26x26,colours=9,seed=2)": 1}
LARGE |= {"tsptw(cities=70,width=100,seed=1,prune=true)": 1, "tsptw(cities=255,width=60,seed=0)": 1}


def games_to_play(spec: str) -> int:
    return LARGE.get(spec, GAMES[spec.partition("(")[0]])


@pytest.mark.parametrize("spec", SPECS)
def test_the_contract(spec):
    check_game(make_game(spec), games=min(4, games_to_play(spec)))


@pytest.mark.parametrize("name", PUZZLES)
def test_misere(name):
    check_game(make_game(f"misere-{PUZZLES[name][0]}"), games=4)


@settings(max_examples=25)
@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 9), st.integers(0, 2**40))
def test_any_board_of_samegame(rows, columns, colours, seed):
    game = make_game("samegame", size=f"{rows}x{columns}", colours=colours, seed=seed)
    check_game(game, games=1, seed=seed)


@pytest.mark.parametrize("spec", SPECS)
def test_games_agree_with_the_naive_rules(spec):
    game = make_game(spec)
    chance = random.Random(spec)
    slow = spec.startswith("tsptw(cities=255") or "prune" in spec
    for _ in range(games_to_play(spec)):
        ours, theirs = game.start(), naive_puzzle(spec)
        while not theirs.over:
            assert not ours.is_over
            moves = theirs.moves() if not slow or chance.random() < 0.2 else set(ours.legal_moves)
            assert set(ours.legal_moves) == moves
            assert len(ours.legal_moves) == len(moves)
            assert ours.points == theirs.points_now
            move = chance.choice(sorted(moves))
            ours = ours.play(move)
            theirs.play(move)
        assert ours.is_over
        assert ours.points == theirs.points_now


@pytest.mark.parametrize("spec", SPECS)
def test_more_points_are_a_higher_score(spec):
    game, chance = make_game(spec), random.Random(spec)
    ends = []
    for _ in range(12):
        position = game.start()
        while not position.is_over:
            position = position.play(chance.choice(position.legal_codes_of(0)))
        ends.append((position.points, position.scores[0]))
    ends.sort()
    for (fewer, lower), (more, higher) in pairwise(ends):
        assert (lower < higher) == (fewer < more)


@pytest.mark.parametrize("spec", [specs[-1] for specs in PUZZLES.values()])
def test_pictures_and_texts(spec):
    position = make_game(spec).start()
    for _ in range(5):
        assert ElementTree.fromstring(position.svg()).tag.endswith("svg")
        assert position.text()
        position = position.play(position.legal_moves[0])


def test_a_known_game_of_morpion_is_drawn():
    position = make_game("morpion(variant=4D)").start().play("s20:e4").play("r17:n2")
    assert position.points == 2
    rows = position.text().splitlines()
    assert rows[0] == "Morpion Solitaire 4D after 2 moves"
    # The first move adds a point right of the top arm and draws a line through its four points.
    assert any(row.split()[:1] == ["20"] and "o-o-o-x" in row for row in rows)
    assert sum(row.count("x") for row in rows[1:-1]) == 2


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("morpion(variant=6D)", "Valid: 4D, 4T, 5D, 5T"),
        ("samegame(size=27)", "1 to 26 rows"),
        ("samegame(colours=0)", "from 1 to 9"),
        ("samegame(colours=ten)", "from 1 to 9"),
        ("samegame(seed=-1)", "seed must be a whole number"),
        ("samegame(board=12/1)", "different lengths"),
        ("samegame(board=12/ab)", "rows of digits"),
        ("samegame(board=12,size=3)", "give either"),
        ("samegame(board=12,tabu=2)", "tabu must be true or false, got 2"),
        ("samegame(file=/nowhere/board.txt)", "there is no file"),
        ("tsptw(cities=0)", "from 1 to 255"),
        ("tsptw(cities=256)", "from 1 to 255"),
        ("tsptw(prune=maybe)", "true or false"),
        ("tsptw(file=/nowhere)", "there is no file"),
        ("tsptw(file=/dev/zero)", "there is no file"),
        ("tsptw(file=x,cities=3)", "give either"),
    ],
)
def test_mistakes_are_explained(text, hint):
    with pytest.raises(UsageError, match=hint) as caught:
        make_game(text)
    assert "\n" not in str(caught.value)


def test_a_board_can_be_read_from_a_file(tmp_path):
    file = tmp_path / "board.txt"
    file.write_text("1 2 2\n3 3 2\n")
    game = make_game("samegame", file=str(file))
    assert game.spec == "samegame(board=122/332)"
    assert make_game(game.spec).start() == game.start()
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="not UTF-8 text"):
        make_game("samegame", file=str(file))
    file.write_bytes(b"1" * (1 << 21))
    with pytest.raises(UsageError, match="too large"):
        make_game("samegame", file=str(file))


def test_clearing_the_board_is_worth_a_thousand():
    # Three 1s (1 point), then two 2s (none), then 1,000 for the empty board.
    position = make_game("samegame(board=22/11/.1)").start()
    assert position.play("a1:1").legal_moves == ("a1:2",)
    assert position.play("a1:1").play("a1:2").points == 1001
