"""Games with dice: chance nodes in the tree, in playouts, in matches and in positions."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pytest

import graven as gv
from graven.core.contract import CHANCE
from graven.search import tree as arrays
from tests.naive import dice
from tests.naive import formulas as naive
from tests.search.helpers import INFINITY, assert_same_tree, run_both

GAMES = {"pig": dice.pig, "race": dice.race}
POLICIES = [
    ("uct(c=0.4)", naive.uct(0.4), None),
    ("ucb1-tuned(c=1)", naive.ucb1_tuned(1.0), None),
    ("grave(ref=10,bias=1e-4)", naive.bias(1e-4), 10),
    ("hrave(k=50,c=0.2)", naive.hand_k(50.0, 0.2), INFINITY),
]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(("spec", "formula", "ref"), POLICIES, ids=[p[0] for p in POLICIES])
def test_the_kernel_visits_what_its_twin_visits(name, spec, formula, ref):
    search, twin = run_both(GAMES[name](), spec, formula, ref, playouts=600)
    compared, tables = assert_same_tree(search, twin)
    assert compared > 50
    assert (tables > 0) == (ref is not None)
    turns = search.tree.turns[: int(search.tree.meta[arrays.NODES])]
    assert (turns == CHANCE).any()


@pytest.mark.parametrize("options", [{"transpositions": False}, {"expand": 3}, {"batch_leaves": 4}])
def test_search_options_work_with_chance_nodes(options):
    search, twin = run_both(dice.pig(), *POLICIES[2], playouts=600, **options)
    assert assert_same_tree(search, twin)[0] > 50


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("spec", ["uct(c=0.5)", "grave(k=50,c=0.4)"])
def test_values_and_best_moves_are_those_of_expectiminimax(name, spec):
    position = GAMES[name]().start()
    decided = 0
    for ply in range(6):
        while position.is_chance:
            position = position.roll(ply)
        if position.is_over:
            break
        exact = dice.exact_values(position)
        mover = position.current_player
        of_mover = {move: v if mover == 0 else 1 - v for move, v in exact.items()}
        best = max(of_mover, key=of_mover.get)
        result = gv.agent(spec).search(position, playouts=40_000, seed=ply)
        assert result.value == pytest.approx(of_mover[best], abs=0.03)
        if max(of_mover.values()) - min(of_mover.values()) > 0.03:
            assert result.best_move == best
            decided += 1
        position = position.play(best)
    assert decided >= 2


def test_outcomes_are_drawn_by_their_probabilities():
    search, _ = run_both(dice.race(), *POLICIES[0], playouts=4000)
    tree, players = search.tree, 2
    tested = 0
    for node in np.flatnonzero(tree.turns[: int(tree.meta[arrays.NODES])] == CHANCE):
        first, degree = tree.first[node * players], tree.degree[node * players]
        counts = tree.counts[first : first + degree]
        if degree and counts.sum() > 300:
            shares, expected = counts / counts.sum(), tree.chances[first : first + degree]
            assert shares == pytest.approx(expected, abs=5 * 0.5 / np.sqrt(counts.sum()))
            tested += 1
    assert tested >= 2


def test_learning_playouts_do_not_learn_outcomes():
    game = dice.race()
    for spec in ("uct+mast", "uct+nst", "uct+ppa", "grave+poolrave"):
        result = gv.agent(spec).search(game.start(), playouts=500)
        assert result.playouts == 500


def test_a_reused_tree_goes_on_after_the_dice():
    game = dice.race()
    player = gv.agent("uct(reuse_tree=true)").player(game, 1)
    position = game.start()
    first = player.choose(position, gv.agents.MoveClock(gv.search.budget.Budget(500)))
    position = position.play(first.best_move)
    root = player.search.tree.meta[arrays.ROOT]
    position = position.roll(0)
    while position.is_chance or position.current_player == 1:
        position = position.roll(0) if position.is_chance else position.play("steady")
    player.choose(position, gv.agents.MoveClock(gv.search.budget.Budget(10)))
    tree = player.search.tree
    assert tree.meta[arrays.ROOT] != root
    assert tree.visits[tree.meta[arrays.ROOT]] > 11  # what the first search knew of it


def test_positions_show_and_play_outcomes():
    position = dice.pig().start().play("roll")
    assert position.is_chance
    assert not position.is_over
    assert position.players_to_move == ()
    assert position.legal_moves == ()
    assert position.outcomes == {f"face{face}": pytest.approx(1 / 3) for face in (1, 2, 3)}
    after = position.play("face3")
    assert after.current_player == 0
    assert after.move_texts == ["roll", "face3"]
    assert dice.pig().start().play_moves(after.move_texts) == after
    assert {position.roll(seed).last_move for seed in range(30)} == set(position.outcomes)
    with pytest.raises(gv.GravenError, match="chance decides here, so one of face1, face2, face3"):
        position.play("face9")
    with pytest.raises(gv.GravenError, match="play an outcome first"):
        gv.agent("uct").search(position)
    with pytest.raises(gv.GravenError, match="no dice are rolled here"):
        after.roll()
    assert pickle.loads(pickle.dumps(Roller.game().start().play("roll"))).is_chance


class Roller:
    """Roll a die twice; the higher sum wins."""

    max_plies = 8

    def __init__(self):
        self.sums, self.turn, self.rolling = [0, 0], 0, False

    def moves(self):
        return ["roll"]

    def chances(self):
        return {1: 0.5, 2: 0.25, 3: 0.25} if self.rolling else ()

    def play(self, move):
        if self.rolling:
            self.sums[self.turn] += move
            self.turn = 1 - self.turn
        self.rolling = not self.rolling

    @property
    def over(self):
        return self.turn == 0 and not self.rolling and self.sums[1] > 0

    @property
    def scores(self):
        first = (self.sums[0] > self.sums[1]) + 0.5 * (self.sums[0] == self.sums[1])
        return [first, 1 - first]

    @classmethod
    def game(cls):
        return gv.from_class(cls)


def test_a_class_lists_its_chances():
    game = Roller.game()
    gv.check_game(game)
    result = gv.agent("uct").search(game.start(), playouts=4000)
    assert result.value == pytest.approx(0.5, abs=0.03)
    after = game.start().play_moves(["roll", "3"])
    # The second player wins with nothing and draws with 3.
    result = gv.agent("uct").search(after, playouts=4000)
    assert result.value == pytest.approx(0.125, abs=0.03)


def test_compiled_games_with_dice_pass_the_contract_suite():
    report = gv.check_game(dice.pig())
    assert "chances_are_probabilities" in report.checked
    gv.check_game(dice.race())


def bad_chance(constants, state, outcomes, probabilities):
    outcomes[0], outcomes[1] = 0, 1
    probabilities[0], probabilities[1] = 0.5, 0.4
    return 2


def test_wrong_probabilities_are_reported():
    game = dice.pig().changed(chance=bad_chance)
    with pytest.raises(gv.GravenError, match="positive with the sum 1"):
        gv.agent("uct").search(game.start(), playouts=100)
    with pytest.raises(gv.GravenError, match="`chance` wrote the outcomes"):
        gv.check_game(game)
    with pytest.raises(gv.GravenError, match="`turn`"):
        gv.agent("uct").search(dice.pig().changed(chance=None).start(), playouts=100)


class WrongChances(Roller):
    def chances(self):
        return [(1, 0.7), (2, 0.7)] if self.rolling else ()


def test_wrong_chances_of_a_class_are_reported():
    with pytest.raises(gv.GravenError, match="pairs of an outcome and its probability"):
        gv.agent("uct").search(gv.from_class(WrongChances).start(), playouts=100)


class Secretive(Roller):
    """It draws its random numbers itself."""

    drawn = 0
    chances = staticmethod(tuple)

    def moves(self):
        return ["roll"] if self.sums[0] % 2 else ["roll", "cast"]

    def play(self, move):
        Secretive.drawn += 1
        self.sums[self.turn] += 1 + Secretive.drawn * Secretive.drawn % 7 % 3
        self.turn = 1 - self.turn


class Lottery:
    """The winner is drawn at the end; the moves are always the same."""

    def __init__(self):
        self.plies = 0

    def moves(self):
        return list(range(30))

    def play(self, move):
        self.plies += 1

    @property
    def over(self):
        return self.plies == 8

    @property
    def scores(self):
        return random.choice(([1, 0], [0, 1]))


RANDOM_RULES = r"the rules are random.*`chances`"


@pytest.mark.parametrize("cls", [Secretive, Lottery])
@pytest.mark.parametrize(
    "use",
    [
        gv.check_game,
        lambda game: gv.agent("uct(solver=off)").search(game.start(), playouts=20),
        lambda game: gv.match(game, "uct", "uct(c=1)", games=2, playouts=20, workers=1),
    ],
    ids=["check", "search", "match"],
)
def test_a_class_that_draws_numbers_itself_gets_the_right_sentence(cls, use):
    with pytest.raises(gv.GravenError, match=RANDOM_RULES):
        use(gv.from_class(cls))


def test_matches_roll_dice_and_can_be_replayed():
    game = dice.race()
    match = gv.match(game, "uct(c=0.5)", "uct(c=0)", games=4, playouts=50, workers=1)
    assert match.games == 4


def test_solvers_refuse_dice():
    with pytest.raises(gv.GravenError, match="chance events"):
        gv.prove(dice.race())


def test_batched_learning_refuses_dice():
    with pytest.raises(gv.GravenError, match="batched playouts roll no dice"):
        gv.agent("uct(learn_after=batch)+mast").search(dice.race().start(), playouts=10)
