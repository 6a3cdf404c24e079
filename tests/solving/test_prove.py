"""Proof search against exhaustive search, published results, and its files."""

from __future__ import annotations

import json
import random
import subprocess
import sys

import numpy as np
import pytest

import graven as gv
from graven.core.errors import UsageError
from graven.core.position import Position
from graven.solving import ProofSession, ProveLimits
from graven.solving.proof_file import load_proof, save_proof
from tests.gdl import tiny
from tests.naive.exhaustive import TooLargeError, guaranteed_score


def exhaustive_scores(position: Position, most: int = 20_000_000) -> tuple[float, ...]:
    """Return each player's score with best play, by plain alpha-beta search."""
    first = guaranteed_score(position, 0, most)
    return first, 1.0 - first


def random_position(game: gv.Game, plies: int, rng: random.Random) -> Position:
    while True:
        position = game.start()
        for _ in range(plies):
            if not position.is_over:
                position = position.play(rng.choice(position.legal_moves))
        if not position.is_over:
            return position


# Games, random plies before a position, and positions.
BOARDS = [
    ("atarigo(size=3x3)", 4, 40),
    ("breakthrough(size=4x3)", 4, 40),
    ("breakthrough(size=5x4)", 14, 40),
    ("domineering(size=4x4)", 3, 40),
    ("domineering(size=5x5)", 5, 40),
    ("go(size=2x2,komi=0.5)", 5, 20),
    ("go(size=2x2,komi=1)", 6, 20),
    ("havannah(size=3)", 10, 40),
    ("hex(size=3)", 2, 40),
    ("hex(size=4)", 4, 40),
    ("knightthrough(size=4x4)", 3, 40),
    ("nogo(size=3x3)", 3, 40),
    ("othello(size=4)", 5, 40),
    ("misere-breakthrough(size=4x2)", 2, 20),
    ("misere-domineering(size=4x4)", 3, 20),
    ("misere-hex(size=3)", 2, 20),
    ("misere-othello(size=4)", 6, 20),
]


@pytest.mark.parametrize(("spec", "plies", "count"), BOARDS, ids=[board[0] for board in BOARDS])
def test_agrees_with_exhaustive_search(spec: str, plies: int, count: int) -> None:
    game, rng, checked = gv.game(spec), random.Random(7), 0
    for _ in range(count):
        position = random_position(game, plies, rng)
        try:
            scores = exhaustive_scores(position, most=3_000_000)
        except TooLargeError:
            continue
        checked += 1
        result = gv.prove(position, memory_mib=1)
        assert result.proven
        assert result.scores == scores, position
        best = position.play(result.best_move)
        assert (best.scores or exhaustive_scores(best)) == result.scores
        assert result.pv[0] == result.best_move
    assert checked > count / 2


def test_a_game_in_gdl(tmp_path) -> None:
    file = tmp_path / "noughts.kif"
    file.write_text(tiny.TIC_TAC_TOE)
    result = gv.prove(gv.game(str(file)))
    assert result.scores == (0.5, 0.5)  # tic-tac-toe is a draw


class Auction:
    """Take one or two of seven coins; whoever takes two moves again. Scores are shares of coins."""

    players = 2
    max_plies, num_codes, max_moves = 8, 2, 2

    def __init__(self, coins=7, turn=0, taken=(0, 0)):
        self.coins, self.player, self.taken = coins, turn, taken

    def turn(self):
        return self.player

    def moves(self):
        return [1, 2] if self.coins > 1 else [1]

    def play(self, count):
        taken = list(self.taken)
        taken[self.player] += count if self.coins % 2 else 1
        after = self.player if count == 2 else 1 - self.player
        return Auction(self.coins - count, after, tuple(taken))

    def over(self):
        return self.coins == 0

    def scores(self):
        total = sum(self.taken)
        return [share / total for share in self.taken]

    def key(self):
        return (self.coins, self.player, self.taken)


def auction_scores(state: Auction) -> list[float]:
    if state.over():
        return state.scores()
    results = [auction_scores(state.play(move)) for move in state.moves()]
    return max(results, key=lambda scores: scores[state.player])


class KeylessAuction(Auction):
    """The same game without a key: positions are identified by the moves that led to them."""

    key = None

    def play(self, count):
        after = super().play(count)
        return KeylessAuction(after.coins, after.player, after.taken)


@pytest.mark.parametrize("rules", [Auction, KeylessAuction])
def test_graded_scores_and_players_who_move_twice(rules) -> None:
    game = gv.from_class(rules)
    assert game.history_dependent == (rules is KeylessAuction)
    result = gv.prove(game)
    assert result.proven
    assert result.scores == pytest.approx(auction_scores(Auction()))


# The first player wins Hex by strategy stealing. Domineering: Breuker, Uiterwijk and van den Herik
# 2000, "Solving 8x8 Domineering": of the square boards from 2x2 to 8x8 only 5x5 is a win of the
# second player. Othello 4x4 is a well-known second-player win.
@pytest.mark.parametrize(
    ("spec", "first_player_wins"),
    [
        ("domineering(size=2x2)", True),
        ("domineering(size=3x3)", True),
        ("domineering(size=4x4)", True),
        ("domineering(size=5x5)", False),
        ("domineering(size=6x6)", True),
        ("domineering(size=7x7)", True),
        ("hex(size=3)", True),
        ("hex(size=4)", True),
        ("hex(size=5)", True),
        ("hex(size=6)", True),
        ("othello(size=4)", False),
    ],
)
def test_published_results(spec: str, first_player_wins: bool) -> None:
    result = gv.prove(spec)
    assert result.scores == ((1.0, 0.0) if first_player_wins else (0.0, 1.0))


def rotated(move: str, size: int) -> str:
    """Return the cell of a Hex board turned by half a turn."""
    return f"{chr(ord('a') + size - 1 - (ord(move[0]) - ord('a')))}{size + 1 - int(move[1:])}"


@pytest.mark.parametrize("size", [4, 5])
def test_hex_openings_agree_with_their_rotations_and_the_centre_wins(size: int) -> None:
    start = gv.game(f"hex(size={size})").start()
    black_wins = {move: gv.prove(start, moves=[move]).scores[0] for move in start.legal_moves}
    for move, score in black_wins.items():
        assert score == black_wins[rotated(move, size)], move
    assert 1.0 in black_wins.values()  # the first player wins
    if size == 5:
        assert black_wins["c3"] == 1.0
        assert black_wins["a1"] == black_wins["b1"] == 0.0


def test_hex_openings_without_connections_have_the_same_results() -> None:
    game = gv.game("hex(size=4)")
    plain = game.changed(proof_moves=None)
    for move in game.start().legal_moves:
        small, large = (gv.prove(each, moves=[move], memory_mib=16) for each in (game, plain))
        assert small.scores == large.scores
        assert small.nodes < large.nodes / 10


@pytest.mark.parametrize(("empty", "count"), [(10, 6), (12, 3)])
def test_othello_endgames(empty: int, count: int) -> None:
    game, rng = gv.game("othello"), random.Random(empty)
    while count:
        position = random_position(game, 60 - empty, rng)
        try:
            scores = exhaustive_scores(position)
        except TooLargeError:
            continue
        count -= 1
        assert gv.prove(position, memory_mib=4).scores == scores


def test_drawn_othello_endgames() -> None:
    game, rng = gv.game("othello(size=4)"), random.Random(1)
    draws = 0
    while draws < 3:
        position = random_position(game, 6, rng)
        if exhaustive_scores(position) == (0.5, 0.5):
            result = gv.prove(position, memory_mib=1)
            assert result.scores == (0.5, 0.5)
            assert result.bounds == ((0.5, 0.5), (0.5, 0.5))
            draws += 1


def test_moves_lead_to_the_position() -> None:
    game = gv.game("hex(size=3)")
    centre = gv.prove(game, moves=["b2"])
    assert centre.scores == (1.0, 0.0)  # the centre wins on every board of odd size
    corner = gv.prove(game, moves=["a1"])
    assert corner.scores == exhaustive_scores(game.start().play("a1"))


def test_limits_leave_bounds_and_a_move() -> None:
    result = gv.prove("breakthrough(size=6x6)", nodes=500, memory_mib=1)
    assert not result.proven
    assert result.scores is None
    assert result.bounds == ((0.0, 1.0), (0.0, 1.0))
    assert result.nodes == 500
    assert result.best_move in gv.game("breakthrough(size=6x6)").start().legal_moves


def test_a_table_of_one_mebibyte_is_enough_for_a_larger_proof() -> None:
    # The proof has more positions than the table has entries.
    position = gv.game("atarigo(size=4x4)").start()
    small = gv.prove(position, memory_mib=1)
    assert small.nodes > 1 << 15
    assert small.scores == gv.prove(position, memory_mib=64).scores


def test_equal_seeds_give_equal_searches() -> None:
    results = [gv.prove("atarigo(size=4x4)", nodes=5_000, seed=3) for _ in range(2)]
    assert results[0].nodes == results[1].nodes
    assert results[0].proof_number == results[1].proof_number
    assert results[0].best_move == results[1].best_move


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        ("samegame", "graven solve"),
        ("go(size=5,colors=3)", r"colors=3\) has 3.*'graven search'"),
        ("gdl(sheet=battle)", r"sheet=battle.* has simultaneous moves.*'graven search'"),
        ("breakthrough(size=5x4)", "nodes must be from 1"),
    ],
)
def test_refusals(game: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        gv.prove(game, nodes=0 if "break" in game else 10)


def test_general_sum_scores_are_refused() -> None:
    class BothWin(Auction):
        def scores(self):
            return [1.0, 1.0]

        def play(self, count):
            return BothWin(self.coins - 1, 1 - self.player)

    with pytest.raises(UsageError, match="zero-sum"):
        gv.prove(gv.from_class(BothWin))


def test_resumes_from_its_file(tmp_path) -> None:
    position = gv.game("atarigo(size=4x4)").start()
    file = tmp_path / "search.proof"
    first = gv.prove(position, nodes=3_000, save=file, memory_mib=8)
    assert not first.proven
    second = gv.prove(position, resume=file)
    assert second.proven
    assert second.scores == gv.prove(position, memory_mib=8).scores
    assert second.nodes > 3_000
    again = gv.prove(position, resume=file)
    assert again.proven
    assert again.nodes == second.nodes
    assert again.pv == second.pv != ()


def test_a_table_that_does_not_fit_into_memory_is_refused() -> None:
    with pytest.raises(UsageError, match=r"memory_mib=1000000: .* give less"):
        gv.prove("hex(size=3)", memory_mib=1_000_000)


def test_a_resumed_search_has_the_table() -> None:
    position = gv.game("atarigo(size=4x4)").start()
    session = ProofSession(position, 8)
    session.advance(ProveLimits(nodes=4_000))
    assert (session.table.work > 0).sum() > 1_000


def test_damaged_files_are_refused(tmp_path) -> None:
    position = gv.game("atarigo(size=4x4)").start()
    session = ProofSession(position, 1)
    session.advance(ProveLimits(nodes=300))
    file = tmp_path / "search.proof"
    save_proof(session, file)
    good = file.read_bytes()
    rng = random.Random(1)
    for cut in (0, 10, len(good) // 2, len(good) - 1):
        file.write_bytes(good[:cut])
        with pytest.raises(UsageError, match="damaged"):
            load_proof(file, position)
    refused = 0
    for _ in range(60):
        spoiled = bytearray(good)
        spoiled[rng.randrange(len(good))] ^= 1 << rng.randrange(8)
        file.write_bytes(bytes(spoiled))
        try:
            loaded = load_proof(file, position)
        except UsageError:
            refused += 1
        else:  # a bit that the archive does not use
            assert np.array_equal(np.sort(loaded.table.keys), np.sort(session.table.keys))
    assert refused > 40
    file.write_bytes(good)
    with pytest.raises(UsageError, match="another game"):
        load_proof(file, position.play("a1"))
    with pytest.raises(UsageError, match="exists already"):
        gv.prove(position, save=file)


def test_the_command_prints_json_and_sentences() -> None:
    command = [sys.executable, "-m", "graven", "prove", "hex", "--size", "3"]
    printed = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True)
    values = json.loads(printed.stdout)
    assert values["proven"] is True
    assert values["scores"] == [1.0, 0.0]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "proven  Black wins" in text
    board = "  a b c\n1 X O .\n 2 X . .\n  3 O . ."
    given = subprocess.run([*command, "--board", board, "--json"], capture_output=True, check=True)
    assert json.loads(given.stdout)["scores"] == list(
        exhaustive_scores(gv.game("hex(size=3)").parse(board))
    )
    wrong = subprocess.run([*command, "--memory", "0"], capture_output=True, text=True)
    assert wrong.returncode == 2
    assert "memory_mib must be from 1" in wrong.stderr
