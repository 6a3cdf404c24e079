"""Threads of one search are delayed at random: their trees are those of threads that are not."""

from __future__ import annotations

import itertools
import random
import time

import numpy as np

from graven.agents import SearchAgent
from graven.games.registry import make_game
from tests.search.delays import delay_at_random, trees_of, with_threads
from tests.stress.seeds import shuffled

GAMES = ("breakthrough(size=5x4)", "nogo(size=4)")
SPECS = ("uct", "grave(ref=10)", "rave(bias=0.01)+mast", "grave(ref=10)+ppa", "uct+nst")
PARALLEL = ("sync", "root")
PLAYOUTS, SEEDS = 400, 5


def run(seed: int, seconds: float) -> tuple[int, list[str]]:
    """Repeat searches with delays: other games, agents, threads and random seeds in turn."""
    rng, tried, failures = random.Random(seed), 0, []
    deadline = time.monotonic() + seconds
    # Both kinds of parallel search first: compiling for another agent takes seconds.
    cases = [
        (parallel, spec, game)
        for spec, game in shuffled(itertools.product(SPECS, GAMES), seed)
        for parallel in PARALLEL
    ]
    for parallel, spec, text in itertools.cycle(cases):
        if tried >= len(PARALLEL) * SEEDS and time.monotonic() > deadline:
            return tried, failures
        game, threads = make_game(text), rng.choice((2, 2, 3, 4))
        agent = SearchAgent(with_threads(spec, threads, parallel=parallel))
        seeds = [rng.randrange(1000) for _ in range(SEEDS)]
        start = game.start().state
        search = agent.bind(game)
        calm = [trees_of(search, start, PLAYOUTS, number) for number in seeds]
        delay_at_random(search, rng)
        for number, expected in zip(seeds, calm, strict=True):
            tried += 1
            found = trees_of(search, start, PLAYOUTS, number)
            if not all(map(np.array_equal, expected, found)):
                failures.append(f"{agent.spec} at {text}, seed {number}: another tree")
    raise AssertionError("cycle does not end")
