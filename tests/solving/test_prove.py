"""Proof search against exhaustive search, published results, and its files."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from functools import cache

import numpy as np
import pytest

import graven as gv
from graven.core.errors import UsageError
from graven.core.position import Position
from graven.solving import ProofSession, ProveLimits
from graven.solving.proof_file import load_proof, save_proof
from tests.gdl import tiny


def exhaustive_scores(position: Position) -> tuple[float, ...]:
    """Return each player's score with best play, by plain exhaustive search."""

    @cache
    def value(state: bytes) -> float:
        current = Position(position.game, np.frombuffer(state, np.int64).copy())
        if current.scores is not None:
            return current.scores[0]
        mover = current.current_player
        children = (current.play(code) for code in current.legal_codes_of(mover))
        values = [value(child.state.tobytes()) for child in children]
        return max(values) if mover == 0 else min(values)

    first = value(position.state.tobytes())
    return first, 1.0 - first


def random_position(game: gv.Game, plies: int, rng: random.Random) -> Position:
    while True:
        position = game.start()
        for _ in range(plies):
            if not position.is_over:
                position = position.play(rng.choice(position.legal_moves))
        if not position.is_over:
            return position


@pytest.mark.parametrize(
    ("spec", "plies", "count"),
    [
        ("breakthrough(size=4x3)", 4, 6),
        ("knightthrough(size=4x4)", 3, 6),
        ("misere-breakthrough(size=4x2)", 2, 6),
        ("domineering(size=4x4)", 3, 8),
        ("hex(size=3)", 3, 8),
        ("nogo(size=3x3)", 3, 8),
        ("atarigo(size=3x3)", 4, 8),
        ("othello(size=4)", 6, 8),
    ],
)
def test_agrees_with_exhaustive_search(spec: str, plies: int, count: int) -> None:
    game, rng = gv.game(spec), random.Random(7)
    for _ in range(count):
        position = random_position(game, plies, rng)
        result = gv.prove(position, memory_mib=1)
        assert result.proven
        assert result.scores == exhaustive_scores(position), position
        best = position.play(result.best_move)
        assert exhaustive_scores(best) == result.scores
        assert result.pv[0] == result.best_move


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


# The first player wins Hex by strategy stealing. Domineering 4x4 is searched exhaustively above;
# Domineering 5x5 and Othello 4x4 are well-known second-player wins.
@pytest.mark.parametrize(
    ("spec", "first_player_wins"),
    [
        ("domineering(size=4x4)", True),
        ("domineering(size=5x5)", False),
        ("hex(size=3)", True),
        ("hex(size=4)", True),
        ("othello(size=4)", False),
    ],
)
def test_published_results(spec: str, first_player_wins: bool) -> None:
    result = gv.prove(spec)
    assert result.scores == ((1.0, 0.0) if first_player_wins else (0.0, 1.0))


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
    results = [gv.prove("hex(size=4)", nodes=5_000, seed=3) for _ in range(2)]
    assert results[0].nodes == results[1].nodes
    assert results[0].proof_number == results[1].proof_number
    assert results[0].best_move == results[1].best_move


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        ("samegame", "graven solve"),
        ("go(size=5,colors=3)", "go has 3"),
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
    position = gv.game("hex(size=4)").start()
    file = tmp_path / "hex.proof"
    first = gv.prove(position, nodes=3_000, save=file, memory_mib=8)
    assert not first.proven
    second = gv.prove(position, resume=file)
    assert second.proven
    assert second.scores == (1.0, 0.0)
    assert second.nodes > 3_000
    again = gv.prove(position, resume=file)
    assert again.proven
    assert again.nodes == second.nodes


def test_a_resumed_search_has_the_table() -> None:
    position = gv.game("hex(size=4)").start()
    session = ProofSession(position, 8)
    session.advance(ProveLimits(nodes=4_000))
    assert (session.table.work > 0).sum() > 1_000


def test_damaged_files_are_refused(tmp_path) -> None:
    position = gv.game("hex(size=4)").start()
    session = ProofSession(position, 1)
    session.advance(ProveLimits(nodes=300))
    file = tmp_path / "hex.proof"
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
    wrong = subprocess.run([*command, "--memory", "0"], capture_output=True, text=True)
    assert wrong.returncode == 2
    assert "memory_mib must be from 1" in wrong.stderr
