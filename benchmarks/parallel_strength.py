"""The strength of searches by several threads, at equal playouts, measured in one thread.

    python benchmarks/parallel_strength.py threads knightthrough 1000 --games 500
    python benchmarks/parallel_strength.py threads hex 2000 --agent "grave(ref=50)" --threads 4
    python benchmarks/parallel_strength.py flight hex 2000 --games 200 --in-flight 16
    python benchmarks/parallel_strength.py time knightthrough 0.5 --games 300 --out games.jsonl

`threads` plays an agent with several threads against the same agent with one. The rounds of a
synchronous search do not depend on timing, so that one thread can make them, one tree after
another: the moves are those of the threads. `flight` plays a search that selects n leaves, each
with a virtual loss, before it backs up any of them, against one that selects one at a time. That is
what n threads of one shared tree know of each other. `time` plays real threads against one thread
with so many seconds a move: nothing else may use the machine meanwhile. With --out, each game is a
line of JSON, and the same command resumes.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from pathlib import Path

import graven as gv
from graven.agents import SearchAgent
from graven.agents.search_result import choose_move
from graven.core.rng import derive
from graven.lab.stats.proportions import Proportion
from graven.search.budget import Budget
from graven.search.sync_search import SyncSearch


def choose(search, position, budget, seed):
    """Search a position and return the move to play."""
    if isinstance(search, SyncSearch) and budget.seconds is None:
        search.run_in_turn(position.state, position.history, budget, derive(seed, 0))
    else:
        search.run(position.state, position.history, budget, derive(seed, 0))
    player = position.current_player
    moves = search.root_rows(player)
    rule = search.spec.options.final_move
    return choose_move(position, player, moves, rule, derive(seed, 1, player)).code


def play(game, searches, budget, seed):
    """Return the score of the first player."""
    position, ply = game.start(), 0
    while not position.is_over:
        search = searches[position.current_player]
        search.renew()
        position = position.play(choose(search, position, budget, derive(seed, ply)))
        ply += 1
    return position.scores[0]


def recorded(file, match):
    """Return the scores of the games of a match that a file has, by their numbers."""
    if file is None or not file.exists():
        return {}
    games = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return {each["number"]: each["score"] for each in games if each["match"] == match}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["threads", "flight", "time"])
    parser.add_argument("game")
    parser.add_argument("budget", type=float, help="playouts a move; with `time`, seconds")
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--in-flight", type=int, default=16)
    parser.add_argument("--agent", default="grave")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after so long")
    parser.add_argument("--out", type=Path, help="record games in this file, and go on from it")
    options = parser.parse_args()
    game = gv.game(options.game)
    if options.what == "time":
        budget, limit = Budget(seconds=options.budget), f"{options.budget:g} s"
    else:
        budget, limit = Budget(int(options.budget)), f"{options.budget:g} playouts"
    more = f"threads={options.threads}"
    if options.what == "flight":
        more = f"batch_leaves={options.in_flight}"
    begin = options.agent[:-1] + "," if options.agent.endswith(")") else options.agent + "("
    ours = f"{begin}{more})"
    match = f"{ours} v {options.agent}, {game.spec}, {limit}, seed {options.seed}"
    first, second = (SearchAgent(spec).bind(game) for spec in (ours, options.agent))
    scores, began = recorded(options.out, match), time.monotonic()
    for number in range(options.games):
        if number in scores:
            continue
        seats = (first, second) if number % 2 == 0 else (second, first)
        score = play(game, seats, budget, derive(options.seed, number))
        scores[number] = score if number % 2 == 0 else 1.0 - score
        if options.out:
            with options.out.open("a", encoding="utf-8") as lines:
                line = {"match": match, "number": number, "score": scores[number]}
                lines.write(json.dumps(line) + "\n")
        if time.monotonic() - began > options.seconds:
            break
    games, rate = len(scores), sum(scores.values()) / len(scores)
    low, high = Proportion(rate, games).interval()
    print(f"{match}: {100 * rate:.1f} % of {games} games ({100 * low:.1f} to {100 * high:.1f})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
