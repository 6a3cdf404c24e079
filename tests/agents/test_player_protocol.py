"""Players of our search: seeds, budgets, warm-up and pondering."""

from __future__ import annotations

import threading

import pytest

from graven.agents import MoveClock, agent
from graven.core.errors import UsageError
from graven.core.rng import derive
from graven.games.registry import make_game
from graven.lab.experiments.match import match
from graven.search.budget import Budget

GAME = make_game("nogo(size=4)")
CLOCK = MoveClock(Budget(playouts=60))


def visits(result):
    return {stat.move: stat.visits for stat in result.root_stats}


def test_the_seed_of_a_move_comes_from_the_player_and_the_ply():
    position = GAME.start().play("A1")
    chosen = agent("uct").player(GAME, seed=5).choose(position, CLOCK)
    searched = agent("uct").search(position, playouts=60, seed=derive(5, position.ply))
    assert visits(chosen) == visits(searched)
    assert chosen.best_move == searched.best_move


@pytest.mark.parametrize(("spec", "playouts"), [("uct(playouts=40)", 40), ("uct", 1000)])
def test_without_a_clock_the_budget_of_the_spec_counts(spec, playouts):
    assert agent(spec).player(GAME).choose(GAME.start()).playouts == playouts


def test_a_clock_replaces_the_budget_of_the_spec():
    assert agent("uct(playouts=40)").player(GAME).choose(GAME.start(), CLOCK).playouts == 60


def test_a_stopped_clock_ends_the_search_early():
    stop = threading.Event()
    stop.set()
    clock = MoveClock(Budget(playouts=10**9), stop)
    assert clock.stopped
    assert agent("uct").player(GAME).choose(GAME.start(), clock).playouts < 10**9


def test_the_first_move_does_not_depend_on_the_warm_up():
    spec = "grave(ref=7,reuse_tree=true)+mast"
    cold = agent(spec).player(GAME, seed=2).choose(GAME.start(), CLOCK)
    player = agent(spec).player(GAME, seed=2)
    player.warm_up()
    assert visits(player.choose(GAME.start(), CLOCK)) == visits(cold)


def test_pondering_continues_with_other_random_numbers():
    player = agent("uct(reuse_tree=true)").player(GAME, seed=3)
    first = player.ponder(GAME.start(), CLOCK)
    second = player.ponder(GAME.start(), CLOCK)
    assert sum(visits(second).values()) == 60 + sum(visits(first).values())
    fresh = agent("uct").player(GAME, seed=3)
    assert visits(fresh.ponder(GAME.start(), CLOCK)) == visits(first)
    assert visits(fresh.ponder(GAME.start(), CLOCK)) != visits(first)


def test_a_player_keeps_to_its_game():
    player = agent("uct").player(GAME)
    with pytest.raises(UsageError, match="make a player for each game"):
        player.choose(make_game("nogo(size=3)").start(), CLOCK)


def test_a_closed_player_starts_with_a_new_tree():
    player = agent("uct(reuse_tree=true)").player(GAME, seed=3)
    first = player.choose(GAME.start(), CLOCK)
    player.close()
    assert visits(player.choose(GAME.start(), CLOCK)) == visits(first)


def test_a_player_of_every_step_also_searches_where_it_has_no_move():
    every = "uct(c=0.7,reuse_tree=true,every_step=true,solver=off)"
    played = match("nogo(size=3)", every, every, games=1, playouts=50)
    (game,) = played.results
    # Both players in every step, and once before the first.
    assert game.playouts == 2 * 50 * (len(game.moves) + 1)
    agents = "uct(reuse_tree=true,solver=off)", "uct(solver=off)"
    usual = match("nogo(size=3)", *agents, games=1, playouts=50)
    assert usual.results[0].playouts == 50 * len(usual.results[0].moves)


def test_searching_in_every_step_needs_a_kept_tree():
    with pytest.raises(UsageError, match="every_step=true searches for the tree that reuse_tree"):
        agent("uct(every_step=true)")
