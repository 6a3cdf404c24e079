"""Sheets with simultaneous moves: exact solutions, and goals that are not zero-sum."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from graven.agents import SearchAgent
from graven.core.rng import below, generator
from graven.gdl.sheet_loader import sheet_game
from tests.gdl.shared import sheet_text
from tests.naive.matrix_games import exploitability, solve

TREES = ["uct(simultaneous=regret)", "grave(ref=50,k=250,c=0.2,simultaneous=regret)+mast"]


def prisoners(roles: int, rounds: int) -> str:
    """Who confesses gets 2 points more in each round, and takes 3 from each of the others.

    Confessing is better whatever the others do; all would have more if all were silent.
    """
    names = [f"p{i}" for i in range(roles)]
    step, most = 3 * (roles - 1) + 2, (3 * (roles - 1) + 2) * rounds
    assert most <= 100
    rules = [f"(role {name}) (init (points {name} 0))" for name in names]
    rules += [f"(add {i} {j} {i + j})" for i in range(most + 1) for j in range(step + 1)]
    rules += [f"(succ {i} {i + 1})" for i in range(rounds)]
    for name in names:
        others = [other for other in names if other != name]
        for silent in product((True, False), repeat=roles):
            said = dict(zip(names, silent, strict=True))
            gain = 3 * sum(said[other] for other in others) + 2 * (not said[name])
            does = " ".join(
                f"(does {each} {'silent' if said[each] else 'confess'})" for each in names
            )
            rules.append(f"(<= (next (points {name} ?n)) {does} (true (points {name} ?m))")
            rules.append(f"    (add ?m {gain} ?n))")
    return "\n".join(
        [
            *rules,
            "(init (round 0)) (<= (next (round ?n)) (true (round ?m)) (succ ?m ?n))",
            "(<= (legal ?p silent) (role ?p)) (<= (legal ?p confess) (role ?p))",
            f"(<= terminal (true (round {rounds})))",
            "(<= (goal ?p ?n) (true (points ?p ?n)))",
        ]
    )


def by_move(result, player, codes):
    """The average strategy of a player, in the order of the codes."""
    shares = {stat.move: stat.probability for stat in result.by_player[player]}
    return np.array([shares[code] for code in codes])


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize(("roles", "rounds"), [(2, 1), (2, 3), (3, 2), (6, 1)])
def test_prisoners_confess_with_any_number_of_them(tree, roles, rounds):
    game = sheet_game(prisoners(roles, rounds), "prisoners")
    position = game.start()
    assert position.players_to_move == tuple(range(roles))
    result = SearchAgent(tree).search(position, playouts=20_000, seed=1)
    assert result.best_joint == ("confess",) * roles
    for player in range(roles):
        assert by_move(result, player, ["confess"])[0] > 0.8


def last_choice(game, seed):
    """A position in which all choose at once for the last time, reached by random moves."""
    rng, position = generator(seed), game.start()
    while True:
        moves = [position.legal_moves_of(player) for player in range(game.players)]
        joints = list(product(*moves))
        after = [position.play_joint(joint) for joint in joints[:: max(1, len(joints) // 50)]]
        if len(position.players_to_move) == game.players and all(each.is_over for each in after):
            return position, moves
        position = after[below(rng, len(after))]
        assert not position.is_over


@pytest.mark.parametrize(
    "name", ["gt_staghunt", "gt_chicken", "gt_coordination", "gt_two_thirds_2p"]
)
def test_nobody_gains_by_another_move_at_the_end_of_repeated_matrix_games(name):
    game = sheet_game(sheet_text(name), name)
    position, moves = last_choice(game, seed=2)
    scores = np.array([[position.play_joint((a, b)).scores for b in moves[1]] for a in moves[0]])
    result = SearchAgent(TREES[0]).search(position, playouts=50_000)
    row, column = (by_move(result, player, moves[player]) for player in range(2))
    for own, mine, theirs in ((scores[..., 0], row, column), (scores[..., 1].T, column, row)):
        gain = (own @ theirs).max() - mine @ own @ theirs
        assert gain < 0.1 * (own.max() - own.min())


def exact_value(position, known):
    """The first player's value in a zero-sum game, by exhaustive search and linear programming."""
    if position.is_over:
        assert sum(position.scores) == pytest.approx(1.0)
        return position.scores[0]
    if position.key not in known:
        if len(position.players_to_move) == 2:
            known[position.key] = solve(values_after(position, known))[0]
        else:
            mover = position.current_player
            after = [exact_value(position.play(move), known) for move in position.legal_moves]
            known[position.key] = max(after) if mover == 0 else min(after)
    return known[position.key]


def values_after(position, known):
    moves = [position.legal_moves_of(player) for player in range(2)]
    return np.array(
        [[exact_value(position.play_joint((a, b)), known) for b in moves[1]] for a in moves[0]]
    )


def test_bids_converge_to_those_of_the_exact_solution():
    game = sheet_game(sheet_text("biddingTicTacToe_10coins"), "bidding")
    # Six cells are taken, and no line is complete: x o x / o x o above an empty row.
    position = game.start()
    for number, cell in enumerate(("1 1", "1 2", "1 3", "2 1", "2 3", "2 2")):
        winner = number % 2
        bids = [f"( bid {int(player == winner)} no_tiebreaker )" for player in range(2)]
        position = position.play_joint(bids).play(f"( mark {cell} )")
    assert len(position.players_to_move) == 2
    known = {}
    matrix = values_after(position, known)
    assert len(known) > 50
    moves = [position.legal_moves_of(player) for player in range(2)]
    result = SearchAgent("uct(simultaneous=regret,solver=off)").search(position, playouts=200_000)
    found = [by_move(result, player, moves[player]) for player in range(2)]
    assert exploitability(matrix, *found) < 0.08
