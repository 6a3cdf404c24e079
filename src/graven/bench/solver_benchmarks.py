"""What the solver costs: searches with it against searches without it, in CPU time."""

from __future__ import annotations

import time
from collections.abc import Iterator

from graven.agents import SearchAgent
from graven.bench.ratio_rows import RatioRow
from graven.core.game import Game
from graven.core.position import Position
from graven.core.rng import derive
from graven.search.budget import Budget
from graven.search.runner import Search
from graven.sources.load import load_game

PLAYOUTS = 10_000
ROUNDS = 12  # each with a seed of its own
TARGET = 0.95
SPECS = ("uct", "grave")
# The games, and after how many plies of quick searches the position in the middle is taken.
GAMES = (
    ("breakthrough", 24),
    ("knightthrough", 8),
    ("havannah(size=8)", 40),
    ("hex(size=11)", 20),
    ("othello", 30),
)
QUICK_PLAYOUTS = 1000


def middle_position(game: Game, plies: int) -> Position:
    """Return a position of a game between quick searches, before anything is proven."""
    position, player = game.start(), SearchAgent("uct(solver=off)")
    for ply in range(plies):
        found = player.search(position, playouts=QUICK_PLAYOUTS, seed=ply)
        position = position.play(found.best_move)
    return position


def rates(search: Search, position: Position, seed: int) -> tuple[float, float]:
    """Return the playouts and the plies that a search makes in a second of CPU time."""
    search.renew()
    began = time.thread_time()
    run = search.run(position.state, position.history, Budget(PLAYOUTS), seed)
    seconds = time.thread_time() - began
    return run.playouts / seconds, run.plies / seconds


def solver_cost() -> Iterator[RatioRow]:
    """Compare searches with and without the solver, alternately, with the same seeds."""
    for name, plies in GAMES:
        game = load_game(name)
        positions = {"initial": game.start(), f"after {plies} plies": middle_position(game, plies)}
        for spec in SPECS:
            for where, position in positions.items():
                searches = [SearchAgent(f"{spec}{end}").bind(game) for end in ("", "(solver=off)")]
                for search in searches:
                    rates(search, position, seed=0)
                rounds = []
                for number in range(ROUNDS):
                    order = searches if number % 2 else searches[::-1]
                    pair = [rates(search, position, derive(number, 1)) for search in order]
                    rounds.append(pair if number % 2 else pair[::-1])
                for place, unit in enumerate(("playouts/s", "plies/s")):
                    what = f"{spec} v {spec}(solver=off), {game.spec}, {where}"
                    row = RatioRow("solver", what, unit, TARGET)
                    yield row.with_rounds([(ours[place], other[place]) for ours, other in rounds])
