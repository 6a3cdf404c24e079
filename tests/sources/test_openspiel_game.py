"""OpenSpiel both ways: its games here, our agents there, its search as an opponent."""

from __future__ import annotations

import random

import pytest

import graven as gv
from graven.agents import MoveClock
from graven.agents.openspiel_peers import OpenSpielTranslator
from graven.core.errors import UsageError
from graven.search.budget import Budget
from graven.sources import openspiel_game

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")


@pytest.mark.parametrize(
    ("ours", "games"),
    [("breakthrough(size=6x5)", 5), ("hex(size=4x5)", 5), ("havannah(size=3)", 5), ("othello", 2)],
)
def test_openspiels_game_and_ours_are_the_same_game(ours, games):
    game = gv.game(ours)
    follow = OpenSpielTranslator(game)
    theirs = gv.game(f'spiel("{follow.peer.spiel}")')
    chance = random.Random(ours)
    for _ in range(games):
        here, there = game.start(), theirs.start()
        while not here.is_over:
            state = follow.state(here)
            assert here.current_player == there.current_player
            actions = {
                code: follow.action(state, here.current_player, code)
                for code in here.legal_codes_of(here.current_player)
            }
            assert sorted(actions.values()) == list(there.legal_codes_of(there.current_player))
            code = chance.choice(sorted(actions))
            here, there = here.play(code), there.play(actions[code])
        assert there.is_over
        assert there.scores == here.scores


def test_small_games_of_openspiel_pass_the_contract_suite():
    for name in ("tic_tac_toe", "nim", "clobber(rows=3,columns=4)", "cliff_walking"):
        gv.check_game(gv.game(f'spiel("{name}")'), games=2)


def test_every_sequential_game_of_perfect_information_is_offered():
    kinds = pyspiel.GameType
    wanted = {
        kind.short_name
        for kind in pyspiel.registered_games()
        if kind.dynamics == kinds.Dynamics.SEQUENTIAL
        and kind.chance_mode != kinds.ChanceMode.SAMPLED_STOCHASTIC
        and kind.information == kinds.Information.PERFECT_INFORMATION
        and kind.default_loadable
    }
    assert len(wanted) > 35
    assert {"pig", "backgammon"} <= wanted
    assert set(openspiel_game.playable()) == wanted


def test_all_of_them_start_and_go_on():
    for name in openspiel_game.playable():
        position = gv.game(f"spiel({name})").start()
        state = pyspiel.load_game(name).new_initial_state()
        for _ in range(3):
            assert state.is_terminal() == position.is_over
            if position.is_over:
                break
            if position.is_chance:
                assert dict(state.chance_outcomes()) == pytest.approx(position.outcome_codes), name
                position, action = position.roll(0), state.legal_actions()
                state.apply_action(position.history[-1][-1])
                assert position.history[-1][-1] in action, name
                continue
            assert sorted(state.legal_actions()) == list(
                position.legal_codes_of(position.current_player)
            ), name
            assert len(set(position.legal_moves)) == len(position.legal_moves), name
            position, code = (
                position.play(position.legal_moves[-1]),
                position.legal_codes_of(position.current_player)[-1],
            )
            state.apply_action(code)


@pytest.mark.parametrize(
    ("name", "games"),
    [("pig(winscore=20)", 940), ("backgammon", 20), ("einstein_wurfelt_nicht", 20), ("maedn", 20)],
)
def test_games_with_dice_follow_openspiels_move_generator(name, games):
    game, chance = gv.game(f'spiel("{name}")'), random.Random(name)
    for _ in range(games):
        position, state = game.start(), pyspiel.load_game(name).new_initial_state()
        while not position.is_over:
            assert position.is_chance == state.is_chance_node()
            if position.is_chance:
                assert dict(state.chance_outcomes()) == pytest.approx(position.outcome_codes)
                code = chance.choice(list(position.outcome_codes))
            else:
                assert position.current_player == state.current_player()
                codes = position.legal_codes_of(position.current_player)
                assert sorted(state.legal_actions()) == list(codes)
                code = chance.choice(codes)
            position = position.play(code)
            state.apply_action(code)
        assert state.is_terminal()
        low, high = game_range(name)
        expected = [(value - low) / (high - low) for value in state.returns()]
        assert position.scores == pytest.approx(expected)


def game_range(name):
    game = pyspiel.load_game(name)
    return game.min_utility(), game.max_utility()


def test_a_search_of_pig_rolls_at_first_and_holds_with_enough():
    game = gv.game('spiel("pig(winscore=30)")')
    assert gv.agent("uct").search(game.start(), playouts=300).best_move == "roll"
    position = game.start()
    for _ in range(5):
        position = position.play("roll").play("Roll6")
    assert gv.agent("uct").search(position, playouts=300).best_move == "stop"  # it wins


def test_chess_is_written_from_where_to_where():
    game = gv.game('spiel("chess")')
    white = game.start().current_player  # OpenSpiel's player 1
    mate = game.start().play_moves(["f2f3", "e7e5", "g2g4", "d8h4"])
    assert mate.is_over
    assert mate.scores[white] == 0.0
    assert mate.scores[1 - white] == 1.0


def test_a_search_finds_the_winning_move():
    position = gv.game('spiel("connect_four")').start()
    for move in ("x3", "o0", "x3", "o0", "x3", "o1"):
        position = position.play(move)
    assert gv.agent("uct").search(position, playouts=500).best_move == "x3"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("spiel(kuhn_poker)", "it has hidden information"),
        ("spiel(stones_and_gems)", "without their probabilities"),
        ("spiel(matrix_pd)", "cannot be played"),
        ("spiel(phantom_ttt)", "it has hidden information"),
        ("spiel(ches)", "Did you mean 'chess'"),
        ("spiel(chess(nonsense=1))", "OpenSpiel cannot load"),
        ("spiel(", "is not written spiel"),
        ('spiel("chess)', "is not written spiel"),
    ],
)
def test_unsupported_games_are_rejected_with_the_reason(text, message):
    with pytest.raises(UsageError, match=message):
        gv.game(text)


def test_the_text_of_a_game_finds_it_again():
    game = gv.game("misere-spiel( 'tic_tac_toe' )")
    assert game.spec == 'misere-spiel("tic_tac_toe")'
    assert gv.game(game.spec).spec == game.spec


def test_our_bots_play_in_openspiels_own_tools():
    for name in ("breakthrough(rows=6,columns=6)", "connect_four"):
        game = pyspiel.load_game(name)
        ours = gv.openspiel_bot("grave(ref=20)", game, 0, playouts=200)
        theirs = pyspiel.make_uniform_random_bot(1, 7)
        returns = pyspiel.evaluate_bots(game.new_initial_state(), [ours, theirs], 5)
        assert returns == [1.0, -1.0]


def test_openspiels_search_is_an_opponent():
    for name in ("breakthrough(size=6x5)", "spiel(tic_tac_toe)"):
        result = gv.match(
            name, "grave", "spiel-mcts(simulations=30)", games=2, playouts=100, workers=1
        )
        assert result.games == 2
        assert not result.failures
        assert result.second == "spiel-mcts(simulations=30)"
    assert [budget.playouts for budget in result.pairing.budgets] == [100, 30]


def test_its_seed_determines_its_moves():
    def moves(seed):
        played = gv.match("hex(size=4)", "spiel-mcts", "spiel-mcts(c=1)", games=2, playouts=20,
                          seed=seed, workers=1)  # fmt: skip
        return [game.moves for game in played.results]

    assert moves(1) == moves(1)
    assert moves(1) != moves(2)


def test_its_time_is_limited():
    game = gv.game("hex(size=11)")
    player = gv.agent("spiel-mcts").player(game)
    result = player.choose(game.start(), MoveClock(Budget(seconds=0.05)))
    # A limit far above any scheduling delay, and far below what 100,000,000 simulations take.
    assert result.seconds < 20
    assert result.playouts > 0


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("spiel-mcts(simulation=3)", "Did you mean 'simulations'"),
        ("spiel-mcts(simulations=many)", "is a number"),
        ("spiel-mcts(simulations=1,simulations=2)", "given twice"),
        ("spiel-mcts(c=-1)", "at least 0"),
    ],
)
def test_wrong_parameters_are_refused(spec, message):
    with pytest.raises(UsageError, match=message):
        gv.agent(spec)


def test_games_that_openspiel_does_not_have_are_refused():
    with pytest.raises(UsageError, match="OpenSpiel does not play nogo"):
        OpenSpielTranslator(gv.game("nogo(size=5)"))
    with pytest.raises(UsageError, match="8x8"):
        OpenSpielTranslator(gv.game("othello(size=6x6)"))
