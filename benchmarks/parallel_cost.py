"""What threads of one search add to the work of a simulation, in processor time, in one thread.

    python benchmarks/parallel_cost.py --seconds 1
    python benchmarks/parallel_cost.py --game knightthrough --agent grave --playouts 200000

For each game: the time of a simulation by a search without threads; the time of a simulation by one
of two synchronous threads, and the time that each takes to add a simulation of another thread, both
made in turn by one thread, in brief rounds. If adding takes a part b of a simulation, n threads are
at most

    n / (1 + (n - 1) b)

times as fast as one. Waiting for other threads and moving memory between cores is not in it:
`graven bench threads` measures both, by the clock.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time

import graven as gv
from graven.agents import SearchAgent
from graven.core.status import Status
from graven.search.budget import Budget
from graven.search.record_log import BRIEF, SIMULATED
from graven.search.rounds import add_others, publish, simulate_round

GAMES = (
    "go(size=9)",
    "hex(size=11)",
    "havannah(size=8)",
    "othello",
    "breakthrough",
    "knightthrough",
)
AGENTS = ("uct", "grave")


def timed(tree, kernel):
    """Call a kernel of a tree until it has done its work; return its processor time."""
    spent = 0.0
    while True:
        state, rounds = tree.search.state, tree.rounds_address
        began = time.thread_time()
        status = kernel(state, rounds)
        spent += time.thread_time() - began
        if status in (None, Status.OK):
            return spent
        tree.grow(Status(status))


def single(search, position, playouts, seed):
    """Return the processor time of a simulation without threads."""
    search.renew()
    began = time.thread_time()
    run = search.run(position.state, (), Budget(playouts), seed)
    return (time.thread_time() - began) / run.playouts


def in_turn(search, position, playouts, seed):
    """Return the processor times of a simulation by a thread, and of adding one of another."""
    search.renew()
    search.prepare(position.state, (), Budget(playouts), seed)
    simulating = adding = 0.0
    begun = 0
    while True:
        spent = sum(timed(tree, simulate_round) for tree in search.trees)
        if not all(tree.position[SIMULATED] for tree in search.trees):
            break
        spent += sum(timed(tree, publish) for tree in search.trees)
        added = sum(timed(tree, add_others) for tree in search.trees)
        if search.trees[0].position[BRIEF]:
            simulating, adding = simulating + spent, adding + added
        else:
            begun = search.playouts_done
    done = max(1, search.playouts_done - begun)
    search.conclude(0.0)
    return simulating / done, adding / done


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", action="append", help="a game, or several")
    parser.add_argument("--agent", action="append", help="an agent without threads, or several")
    parser.add_argument("--playouts", type=int, default=0, help="of each search")
    parser.add_argument("--seconds", type=float, default=0.4, help="or processor time of each")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print("| game | agent | playouts | simulation, ns | by a thread | adding | b | 2 threads |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in options.game or GAMES:
        game = gv.game(name)
        start = game.start()
        for agent in options.agent or AGENTS:
            begin = agent[:-1] + "," if agent.endswith(")") else agent + "("
            one, two = (SearchAgent(each).bind(game) for each in (agent, f"{begin}threads=2)"))
            warm = single(one, start, 2000, 0)
            in_turn(two, start, 2000, 0)
            playouts = options.playouts or int(options.seconds / warm)
            rows = []
            for seed in range(options.rounds):
                alone = single(one, start, playouts, seed)
                rows.append((alone, *in_turn(two, start, playouts, seed)))
            alone, simulating, adding = map(statistics.median, zip(*rows, strict=True))
            print(
                f"| {game.spec} | `{agent}` | {playouts:,} | {1e9 * alone:,.0f} | "
                f"{1e9 * simulating:,.0f} | {1e9 * adding:,.0f} | {adding / alone:.2f} | "
                f"{2 * alone / (simulating + adding):.2f} |",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
