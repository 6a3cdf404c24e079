"""Benchmarks of searches: against OpenSpiel, and policies against each other.

Two rates are measured alternately for several rounds, in processor time of one thread, so that
other load on the machine disturbs both alike and neither much.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from graven.agents import agent
from graven.bench.ratio_rows import LONG_ROUNDS, RatioRow, measure_ratio
from graven.core.extras import is_installed
from graven.core.game import Game
from graven.games import registry
from graven.sources.load import load_game

SLICE_SECONDS = 0.3
GRAVE, RAVE, UCT = "grave(ref=50)", "rave", "uct"

# Our game, OpenSpiel's name for it, and the target ratio.
OPENSPIEL_GAMES = (
    ("breakthrough", "breakthrough", 10.0),
    ("go(size=9)", "go(board_size=9)", 15.0),
    ("havannah(size=8)", "havannah(board_size=8)", 10.0),
    ("hex(size=11)", "hex(board_size=11)", 12.0),
    ("othello", "othello", 20.0),
)
OPENSPIEL_MEMORY_MIB = 1000

# Learning playout policies, and their target speed relative to uniform playouts.
LEARNING_TARGETS = {"mast": 0.5, "mastf": 0.5, "ppa": 0.35, "ppaf": 0.35, "poolrave": 0.6}


def search_rate(
    spec: str, game: Game, playouts: int, unit: Literal["playouts", "plies"] = "playouts"
) -> float:
    """Return the units per second of searches of the initial position, for a slice of time."""
    searcher, position = agent(spec), game.start()
    started, done, seed = time.thread_time(), 0, 0
    while not done or time.thread_time() - started < SLICE_SECONDS:
        done += getattr(searcher.search(position, playouts=playouts, seed=seed), unit)
        seed += 1
    return done / (time.thread_time() - started)


def search_ply_rate(spec: str, game: Game, playouts: int) -> float:
    """Return the same in plies of playouts, whose lengths differ between policies."""
    return search_rate(spec, game, playouts, unit="plies")


def openspiel_rate(pyspiel: Any, game: Any, playouts: int) -> float:
    """Return the playouts per second of OpenSpiel's searches of the initial position."""
    state = game.new_initial_state()
    started, done = time.thread_time(), 0
    while not done or time.thread_time() - started < SLICE_SECONDS:
        bot = pyspiel.MCTSBot(
            game,
            pyspiel.RandomRolloutEvaluator(1, done),
            uct_c=0.4,
            max_simulations=playouts,
            max_memory_mb=OPENSPIEL_MEMORY_MIB,
            solve=False,
            seed=done,
            verbose=False,
        )
        bot.mcts_search(state)
        done += playouts
    return done / (time.thread_time() - started)


def uct_against_openspiel() -> Iterator[RatioRow]:
    """Compare our UCT with OpenSpiel's C++ MCTS, one thread each."""
    for ours, theirs, target in OPENSPIEL_GAMES:
        game = load_game(ours)
        what = f"UCT v OpenSpiel's C++ MCTSBot, 1,000 playouts, {game.spec}"
        row = RatioRow("openspiel", what, "playouts/s", target)
        if not is_installed("openspiel"):
            yield replace(row, skipped="the package open_spiel is not installed")
            continue
        import pyspiel

        yield measure_ratio(
            row,
            partial(search_rate, UCT, game, 1000),
            partial(openspiel_rate, pyspiel, pyspiel.load_game(theirs), 1000),
        )


def games_of_several_players() -> Iterator[Game]:
    """Yield one game of every family for two players or more, in which AMAF is used."""
    for family in registry.families():
        game = family.make()
        if game.players > 1:
            yield game


def grave_against_uct() -> Iterator[RatioRow]:
    """Measure the cost of AMAF, by game."""
    for game in games_of_several_players():
        yield measure_ratio(
            RatioRow("grave", f"GRAVE v UCT, 10,000 playouts, {game.spec}", "playouts/s", 0.75),
            partial(search_rate, GRAVE, game, 10_000),
            partial(search_rate, UCT, game, 10_000),
        )


def learning_playouts() -> Iterator[RatioRow]:
    """Measure the cost per ply of learning playouts, against uniform ones in the same game."""
    for name in ("breakthrough", "knightthrough", "nogo"):
        game = load_game(name)
        for playout, target in LEARNING_TARGETS.items():
            spec = f"{UCT}+{playout}"
            what = f"{spec} v {UCT}, per ply, 10,000 playouts, {name}"
            yield measure_ratio(
                RatioRow("playouts", what, "plies/s", target),
                partial(search_ply_rate, spec, game, 10_000),
                partial(search_ply_rate, UCT, game, 10_000),
            )


def tables_per_node() -> Iterator[RatioRow]:
    """Count the AMAF tables per node, by game; a count needs one round."""
    for game in games_of_several_players():
        per_node = []
        for spec in (GRAVE, RAVE):
            result = agent(spec).search(game.start(), playouts=10_000)
            per_node.append(result.amaf_tables / result.nodes)
        what = f"AMAF tables per node, GRAVE v RAVE, 10,000 playouts, {game.spec}"
        row = RatioRow("tables", what, "tables", 1.0, below=True)
        yield row.with_value(per_node[0], per_node[1])


def long_against_short() -> Iterator[RatioRow]:
    """Measure how much slower a search gets as its tree grows."""
    game = load_game("breakthrough")
    for spec in (UCT, GRAVE):
        what = f"1,000,000 v 10,000 playouts, {spec}, {game.spec}"
        yield measure_ratio(
            RatioRow("long", what, "playouts/s", 0.5),
            partial(search_rate, spec, game, 1_000_000),
            partial(search_rate, spec, game, 10_000),
            LONG_ROUNDS,
        )
