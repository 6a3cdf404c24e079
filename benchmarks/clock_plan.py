"""The plan of a clock for the whole game against a fixed share of it, by a sequential test.

    python benchmarks/clock_plan.py breakthrough --time 1 --out clock_breakthrough.jsonl

Both sides are the same agent and have the same clock for all their moves of a game. One uses
`graven.agents.time_plan`. The other spends a fixed part of what is left on every move: the clock
divided by 25 or by a quarter of the legal moves, whichever is more, as the GTP engine does with a
main time before overtime. Clocks count the CPU time of the thread that searches, so that other load
on the machine does not matter much. A player whose clock is below 0 after its move loses.

Games are played in pairs, one with each seat assignment, until the test of 0 against 30 Elo has
decided, and 100 at least: after a few pairs their variance is not known. Each game is a line of the
output file: a run that was interrupted goes on after the last.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import graven as gv
from graven.agents import SearchAgent, time_plan
from graven.agents.default_agent import default_spec
from graven.agents.search_result import choose_move
from graven.agents.short_games import measure_length
from graven.agents.time_plan import GameLength, PlannedStop, TimePlan
from graven.core.rng import derive
from graven.interfaces.gtp.gtp_clock import PlayerClock
from graven.lab.stats.proportions import Proportion
from graven.lab.stats.sprt import SequentialTest, Sprt
from graven.search import runner
from graven.search.budget import Budget


class FixedStop:
    """Ends a search after so many seconds of CPU time."""

    def __init__(self, seconds):
        self._deadline = time.thread_time() + seconds

    def is_set(self):
        return time.thread_time() >= self._deadline


def planned(search, position, left, length):
    """Return what ends a search by the plan."""
    return PlannedStop(TimePlan(left, length=length), search, now=time.thread_time)


def fixed(search, position, left, length):
    """Return what ends a search by the fixed share."""
    moves = len(position.legal_codes_of(position.current_player))
    return FixedStop(PlayerClock(left=left).seconds(moves // 4, lag=0.0))


def choose(search, position, stop, seed):
    """Search a position and return the move to play."""
    search.run(position.state, position.history, Budget(), derive(seed, 0), stop=stop)
    player = position.current_player
    legal = position.legal_codes_of(player)
    rows = search.root_rows(player).only(legal)
    rule = search.spec.options.final_move
    return choose_move(position, player, rows, rule, derive(seed, 1, player)).code


def play(game, searches, rules, seconds, length, seed):
    """Play a game; return the first player's score, its plies and what is left of the clocks."""
    position, left = game.start(), [seconds, seconds]
    for search in searches:
        search.renew()
    while not position.is_over:
        player = position.current_player
        began = time.thread_time()
        stop = rules[player](searches[player], position, left[player], length)
        move = choose(searches[player], position, stop, derive(seed, position.ply))
        left[player] -= time.thread_time() - began
        if left[player] < 0:
            return float(player), position.ply, left
        position = position.play(move)
    return float(position.scores[0]), position.ply, left


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game")
    parser.add_argument("--agent", help="the spec of both sides (the game's default agent)")
    parser.add_argument("--time", type=float, default=1.0, help="seconds for all moves of a side")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--games", type=int, default=4000, help="play no more than so many")
    parser.add_argument("--least", type=int, default=100, help="play no fewer than so many")
    parser.add_argument("--sprt", type=float, nargs=2, default=(0.0, 30.0))
    parser.add_argument("--set", nargs="*", default=[], help="constants of the plan: NAME=VALUE")
    parser.add_argument(
        "--length",
        type=float,
        nargs=2,
        metavar=("WHOLE", "UNDECIDED"),
        help="the length of games in lengths of playouts, instead of what short games measure",
    )
    parser.add_argument("--out", type=Path, required=True, help="a file with a line for each game")
    options = parser.parse_args()
    game = gv.game(options.game)
    spec = options.agent or default_spec(game)
    settings = {"game": game.spec, "agent": spec, "time": options.time, "seed": options.seed}
    settings["set"] = sorted(options.set)
    agent = SearchAgent(spec).with_options(reuse_tree=True)
    searches = [agent.bind(game) for _ in range(2)]
    runner.CHUNK_SECONDS = 0.001  # a stop is tested so often
    for change in options.set:
        name, value = change.split("=")
        setattr(time_plan, name, type(getattr(time_plan, name))(value))
    length = GameLength(*options.length) if options.length else measure_length(agent, game)
    play(game, searches, (planned, fixed), 0.3, length, seed=0)  # compile
    test, points, late, number = SequentialTest(Sprt(*options.sprt)), 0.0, 0, 0
    if options.out.exists():
        for line in options.out.read_text().splitlines():
            played = json.loads(line)
            length = GameLength(*played["length"])
            if {name: played[name] for name in settings} != settings:
                sys.exit(f"{options.out} has other games: {line}")
            if options.length and played["length"] != options.length:
                sys.exit(f"{options.out} has games of another length: {line}")
            test.add(played["number"], played["score"])
            points, late, number = points + played["score"], late + played["late"], number + 1
    with options.out.open("a") as out:
        while number < (options.least if test.decided else options.games):
            seats = (planned, fixed) if number % 2 == 0 else (fixed, planned)
            score, plies, left = play(
                game, searches, seats, options.time, length, seed=derive(options.seed, number)
            )
            score = score if number % 2 == 0 else 1.0 - score
            left = left if number % 2 == 0 else left[::-1]
            played = settings | {
                "length": [length.whole, length.undecided],
                "number": number,
                "score": score,
                "plies": plies,
                "left": [round(seconds, 3) for seconds in left],
                "late": int(min(left) < 0),
            }
            out.write(json.dumps(played) + "\n")
            out.flush()
            test.add(number, score)
            points, late, number = points + score, late + played["late"], number + 1
    low, high = Proportion(points / number, number).interval()
    print(
        f"{game.spec}, {spec}, {options.time:g} s, games of {length.whole:.2f} playouts, "
        f"undecided for {length.undecided:.2f}: the plan won "
        f"{100 * points / number:.1f} % of {number} games ({100 * low:.1f} to {100 * high:.1f}), "
        f"{late} lost on time; {test.verdict}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
