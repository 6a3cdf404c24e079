"""Compare two agents at the shipped GDL sheets, with equal processor time for every move.

    python benchmarks/gdl_agents.py --seconds 1 --games 10 --out games.jsonl --agents SPEC SPEC
    python benchmarks/gdl_agents.py --playouts 10000 --games 10 --out games.jsonl --agents SPEC SPEC
    python benchmarks/gdl_agents.py --seconds 1 --out games.jsonl --agents SPEC SPEC --table

Both keep their trees between moves, as in a GGP match. A move ends when its thread has used so much
processor time, so that other work on the machine does not change the comparison; or, with
--playouts, after so many playouts. Seats are rotated as in `graven match`; every game begins with
`--opening` random plies, the same ones for a pair of games. A SPEC may be `default`: the default
agent of each sheet. --sheets takes names of shipped sheets and files that end in .kif.

One line of JSON is written for each game; the same command resumes after an interruption. Games go
round by round through all sheets, so that an interrupted run has figures for every sheet.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import graven as gv
from graven.agents import MoveClock, SearchAgent, default_spec
from graven.core.game import Game
from graven.core.rng import derive
from graven.gdl import sheets
from graven.lab.experiments.pairing import rotated_seats
from graven.lab.experiments.play_game import random_opening
from graven.lab.stats.intervals import mean_interval
from graven.search.budget import Budget

DEFAULT = "default"
LONGEST = 1e6  # seconds: the processor clock ends a move, not this


class ProcessorClock:
    """Ends a move after so many seconds of this thread's processor time."""

    def __init__(self, seconds: float) -> None:
        self._end = time.thread_time() + seconds

    def is_set(self) -> bool:
        """Return whether the time is over."""
        return time.thread_time() >= self._end


def agent_of(spec: str, game: Game) -> SearchAgent:
    """Return the agent of a spec, or the default agent of the game, with a tree that is kept."""
    text = default_spec(game) if spec == DEFAULT else spec
    return SearchAgent(text).with_options(reuse_tree=True)


class MoveLimit(NamedTuple):
    """When a move ends: after seconds of processor time, or after playouts if they are not 0."""

    seconds: float
    playouts: int

    def clock(self) -> MoveClock:
        """Return the clock of a move that begins now."""
        if self.playouts:
            return MoveClock(Budget(playouts=self.playouts))
        return MoveClock(Budget(seconds=LONGEST), ProcessorClock(self.seconds))


def play(
    game: Game, specs: list[str], limit: MoveLimit, index: int, opening: int
) -> dict[str, Any]:
    """Play game number `index` of a pair of agents; return its record."""
    seats = rotated_seats(index, game.players)
    players = [
        agent_of(specs[side], game).player(game, derive(index, seat))
        for seat, side in enumerate(seats)
    ]
    for player in players:
        player.warm_up()
    position, _ = random_opening(game, opening, derive(index // 2, 7))
    playouts, moves = [0, 0], [0, 0]
    while not position.is_over:
        joint = []
        for seat in position.players_to_move:
            result = players[seat].choose(position, limit.clock())
            joint.append(result.move_of(seat))
            playouts[seats[seat]] += result.playouts
            moves[seats[seat]] += 1
        position = position.play_joint(joint)
    best = [
        max(score for score, side in zip(position.scores or (), seats, strict=True) if side == own)
        for own in (0, 1)
    ]
    return {
        "index": index,
        "scores": position.scores,
        "seats": seats,
        "outcome": 1.0 if best[0] > best[1] else 0.5 if best[0] == best[1] else 0.0,
        "plies": position.ply,
        "playouts_per_move": [n / max(1, m) for n, m in zip(playouts, moves, strict=True)],
    }


def recorded(file: Path, key: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the recorded games of these agents and settings."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    games = [json.loads(line) for line in lines]
    return [game for game in games if all(game.get(name) == value for name, value in key.items())]


def print_table(file: Path, key: dict[str, Any], names: list[str]) -> None:
    """Print the first agent's win rate at every sheet, and over all of them."""
    print("| sheet | games | won, % | playouts a move | those of the other agent |")
    print("| --- | --- | --- | --- | --- |")
    rates = []
    for name in names:
        games = recorded(file, {**key, "sheet": name})
        if not games:
            continue
        outcomes = [game["outcome"] for game in games]
        rate = sum(outcomes) / len(outcomes)
        low, high = mean_interval(outcomes)
        rates.append(rate)
        speeds = [
            sum(game["playouts_per_move"][side] for game in games) / len(games) for side in (0, 1)
        ]
        print(
            f"| {name} | {len(games)} | {100 * rate:.0f} ({100 * low:.0f}–{100 * high:.0f}) "
            f"| {speeds[0]:,.0f} | {speeds[1]:,.0f} |"
        )
    if rates:
        print(
            f"| **mean, lowest** | | {100 * sum(rates) / len(rates):.1f}, {100 * min(rates):.0f}"
            " | | |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--agents", nargs=2, metavar="SPEC", required=True)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--playouts", type=int, default=0, help="instead of --seconds")
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--opening", type=int, default=0, help="random plies at the beginning")
    parser.add_argument("--sheets", nargs="+", default=sheets.names())
    parser.add_argument("--out", type=Path, default=Path("gdl_agents.jsonl"))
    parser.add_argument("--table", action="store_true", help="print the table, play nothing")
    options = parser.parse_args()
    specs = [text if text == DEFAULT else SearchAgent(text).spec for text in options.agents]
    limit = MoveLimit(options.seconds, options.playouts)
    key = {"agents": specs, "seconds": options.seconds, "opening": options.opening}
    if options.playouts:
        key |= {"seconds": None, "playouts": options.playouts}
    games: dict[str, Game] = {}
    if not options.table:
        for index in range(options.games):
            for name in options.sheets:
                done = {game["index"] for game in recorded(options.out, {**key, "sheet": name})}
                if index in done:
                    continue
                if name not in games:
                    games[name] = gv.game(name if name.endswith(".kif") else f"gdl(sheet={name})")
                record = play(games[name], specs, limit, index, options.opening)
                with options.out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({**key, "sheet": name, **record}) + "\n")
                print(f"{name} {index}: {record['outcome']}", file=sys.stderr, flush=True)
    print_table(options.out, key, options.sheets)


if __name__ == "__main__":
    main()
