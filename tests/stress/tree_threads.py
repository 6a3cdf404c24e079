"""Threads search one tree: after millions of playouts none is lost, and sums fit their counts."""

from __future__ import annotations

import itertools
import random
import time

from graven.agents import SearchAgent
from graven.games.registry import make_game
from graven.search.budget import Budget
from tests.search.delays import with_threads
from tests.search.shared_trees import check_tree
from tests.stress.seeds import shuffled

WEIGHT = 2.0
PLAYOUTS = 10_000_000
GAMES = ("knightthrough(size=6)", "breakthrough", "nogo(size=5)", "hex(size=5)")
SPECS = ("uct", "grave", "rave+mast", "uct(memory_mib=32)")


def run(seed: int, seconds: float) -> tuple[int, list[str]]:
    """Search with 2 to 8 threads, at first briefly, towards ten million playouts as time allows."""
    rng, tried, failures = random.Random(seed), 0, []
    deadline, playouts = time.monotonic() + seconds, 20_000
    largest = 0
    for spec, text in itertools.cycle(shuffled(itertools.product(SPECS, GAMES), seed)):
        if tried and time.monotonic() > deadline:
            break
        game, threads = make_game(text), rng.choice((2, 3, 4, 8))
        agent = SearchAgent(with_threads(spec, threads, parallel="tree"))
        begin = time.monotonic()
        search = agent.bind(game)
        done = search.run(game.start().state, (), Budget(playouts), rng.randrange(1000)).playouts
        tried += 1
        try:
            assert done == playouts
            check_tree(search, playouts)
        except AssertionError as error:
            failures.append(f"{agent.spec} at {text}, {playouts:,} playouts: {error}")
        largest = max(largest, playouts)
        rate = playouts / (time.monotonic() - begin)
        left = deadline - time.monotonic()
        playouts = int(min(PLAYOUTS, max(playouts, rate * left / 2)))
    print(f"    tree_threads: up to {largest:,} playouts")
    return tried, failures
