"""Benchmarks of random playouts through the game contract."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from graven.bench import playout_rates, random_playouts
from graven.bench.ratio_rows import RatioRow, measure_ratio
from graven.bench.search_benchmarks import UCT, search_rate
from graven.core.contract import Rules
from graven.core.game import Game
from graven.sources.load import load_game

RANDOM_GAMES = 20_000
RANDOM_GO_GAMES = 5_000
BATCH = 256
BATCH_SECONDS = 0.1
# The games of the package with batched playouts, and the target of playouts at once / in turn.
BATCHED_GAMES = (
    ("atarigo", 4.0),
    ("domineering", 2.0),
    ("hex", 4.0),
    ("nogo", 5.0),
    ("othello", 4.0),
)
GO_GAMES_PER_SECOND = 60_000.0
OWN_GAME = Path(__file__).parents[3] / "examples" / "bitboard_breakthrough.py"


def sampled_moves() -> Iterator[RatioRow]:
    """Compare playouts with the game's `sample` with a loop that lists moves, rules inlined."""
    game = load_game("breakthrough")
    what = "random games with `sample` v a loop that lists moves, rules inlined"
    yield _against_inlined(RatioRow("sample", what, "games/s", 1.0), game, game.rules)


def listed_moves() -> Iterator[RatioRow]:
    """Compare playouts that list moves with the same loop, rules inlined."""
    game = load_game("breakthrough")
    what = "random games that list moves v the same loop, rules inlined"
    rules = game.rules._replace(sample=0)
    yield _against_inlined(RatioRow("listing", what, "games/s", 0.6), game, rules)


def own_game() -> Iterator[RatioRow]:
    """Compare a user-defined game with the same game of the package, both without `rollout`."""
    native = load_game("breakthrough")
    for what, rate, count in (
        ("random games", playout_rates.rollout_rate, RANDOM_GAMES),
        (f"{UCT}, 10,000 playouts", partial(search_rate, UCT), 10_000),
    ):
        row = RatioRow(
            "own", f"{what}, {OWN_GAME.name} v the rules of the package", "games/s", target=0.8
        )
        if not OWN_GAME.exists():
            yield replace(row, skipped=f"there is no {OWN_GAME.name}: it is part of the sources")
            continue
        yield measure_ratio(
            row,
            partial(rate, load_game(f"{OWN_GAME}:game"), count),
            partial(rate, native.changed(rollout=None), count),
        )


def batched_playouts() -> Iterator[RatioRow]:
    """Compare batches of uniform playouts with the same playouts one after another."""
    for name, target in BATCHED_GAMES:
        game = load_game(name)
        what = f"random games in batches of {BATCH} v one after another, {game.spec}"
        yield measure_ratio(
            RatioRow("batches", what, "games/s", target),
            partial(playout_rates.batched_rate, game, BATCH_SECONDS, BATCH),
            partial(playout_rates.rollout_rate, game, RANDOM_GAMES),
        )


def go_playouts() -> Iterator[RatioRow]:
    """Compare Go's uniform playouts with a fixed rate, and pattern playouts with uniform ones."""
    game = load_game("go")
    pattern_rules = game.rules_with("mogo")
    aim = f"uniform random games v an aim of {GO_GAMES_PER_SECOND:,.0f}, {game.spec}"
    yield measure_ratio(
        RatioRow("go", aim, "games/s", 1.0),
        lambda: random_playouts.contract_rate(game.rules, RANDOM_GO_GAMES),
        lambda: GO_GAMES_PER_SECOND,
    )
    yield measure_ratio(
        RatioRow(
            "go", f"plies of mogo games v plies of uniform ones, {game.spec}", "plies/s", 0.25
        ),
        lambda: random_playouts.contract_ply_rate(pattern_rules, RANDOM_GO_GAMES),
        lambda: random_playouts.contract_ply_rate(game.rules, RANDOM_GO_GAMES),
    )


def _against_inlined(row: RatioRow, game: Game, rules: Rules) -> RatioRow:
    return measure_ratio(
        row,
        lambda: random_playouts.contract_rate(rules, RANDOM_GAMES),
        lambda: random_playouts.inlined_rate(game, RANDOM_GAMES),
    )
