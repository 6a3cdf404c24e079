"""Measure candidates for the default agent and print the table of docs/default-agent.md.

    python benchmarks/default_agent.py --playouts 1000 --games 40 --db default_agent.db
    python benchmarks/default_agent.py --playouts 10000 --games 40 --db default_agent.db
    python benchmarks/default_agent.py --seconds 1 --games 40 --db default_agent.db
    python benchmarks/default_agent.py --playouts 1000 --db default_agent.db --table

Every candidate plays `--opponent` (UCT) at every game: the native games of two players or more, the
shipped GDL sheets, the template of `graven new game`, Connect Four, and five games of OpenSpiel.
Games are recorded: after an interruption the same command resumes. Rounds of few games go first, so
that an interrupted run has figures for every game; `--first` names those that go first in a round.
`--head-to-head` lets two candidates play each other.

With `--seconds` run nothing else meanwhile. Several processes may work on one database, each with
other games (`--only native`, `--only gdl`, ...).
"""

from __future__ import annotations

import argparse
import sys
import time
from importlib.resources import files
from pathlib import Path

import graven as gv
from graven.games.registry import families
from graven.gdl import sheets
from graven.lab.experiments.pairing import make_pairing
from graven.lab.experiments.search_fingerprint import with_fingerprint
from graven.search.budget import Budget

CANDIDATES = (
    "grave(ref=50,bias=1e-4)",
    "grave(ref=50,bias=1e-4,c=0.2)",
    "grave(ref=50,k=250,c=0.2)",
    "grave(ref=50,k=250,c=0.2)+mast(epsilon=0.4,decay=0.2)",
    "uct+mast(epsilon=0.4,decay=0.2)",
)
OPPONENT = "uct"
ONE_PLAYER = ("morpion", "samegame", "tsptw")
OPENSPIEL = ("connect_four", "clobber", "dots_and_boxes", "mancala", "ultimate_tic_tac_toe")
TEMPLATE = "template"
CONNECT_FOUR = Path(__file__).with_name("connect_four.py")
ROUNDS = (4, 10, 20, 40, 100, 200, 500)


def game_texts(group: str, folder: Path) -> list[str]:
    """Return the games of a group; the template is written into `folder`."""
    if group == "native":
        return [family.name for family in families() if family.name not in ONE_PLAYER]
    if group == "gdl":
        return [f"gdl(sheet={name})" for name in sheets.names()]
    if group == "openspiel":
        return [f'spiel("{name}")' for name in OPENSPIEL]
    file = folder / f"{TEMPLATE}.py"
    if not file.exists():
        template = files("graven.interfaces.cli").joinpath("templates", "game.txt")
        file.write_text(template.read_text(encoding="utf-8").replace("NAME", TEMPLATE))
    return [f"{file}:game", f"{CONNECT_FOUR}:game"]


GROUPS = ("template", "native", "openspiel", "gdl")


def play(options: argparse.Namespace, games: list[str], pairs: list[tuple[str, str]]) -> None:
    """Play all pairs at all games, in rounds of more and more games."""
    rounds = [count for count in ROUNDS if count < options.games] + [options.games]
    for count in rounds:
        for text in games:
            game = gv.game(text)
            for first, second in pairs:
                began = time.monotonic()
                result = gv.match(
                    game,
                    first,
                    second,
                    games=count,
                    playouts=options.playouts,
                    seconds=options.seconds,
                    workers=1,
                    store=options.db,
                )
                if result.new:
                    print(
                        f"{text} {first} v {second}: {result.wins}-{result.losses}-{result.draws}"
                        f" ({result.new} new in {time.monotonic() - began:.0f} s)",
                        file=sys.stderr,
                        flush=True,
                    )


def print_table(options: argparse.Namespace, games: list[str]) -> None:
    """Print each candidate's win rate against the opponent at each game, and its worst one."""
    store = gv.Store(options.db)
    budget = Budget(options.playouts, options.seconds)
    worst = dict.fromkeys(options.candidates, 1.0)
    sums = dict.fromkeys(options.candidates, 0.0)
    rows = 0
    print("| game | " + " | ".join(f"`{name}`" for name in options.candidates) + " | games |")
    print("| --- |" + " --- |" * (len(options.candidates) + 1))
    for text in games:
        scores = []
        for candidate in options.candidates:
            game = gv.game(text)
            pairing = make_pairing(game, candidate, options.opponent, budget)
            pairing = with_fingerprint(pairing, game)
            scores.append(store.summary(pairing, options.games).score)
        least = min(score.games for score in scores)
        if not least:
            continue
        rows += 1
        cells = []
        for candidate, score in zip(options.candidates, scores, strict=True):
            rate = score.win_rate or 0.0
            low, high = score.ci95
            worst[candidate] = min(worst[candidate], rate)
            sums[candidate] += rate
            cells.append(f"{100 * rate:.0f} ({100 * low:.0f}–{100 * high:.0f})")
        title = Path(text).stem if text.endswith(":game") else text
        print(f"| {title} | " + " | ".join(cells) + f" | {least} |")
    if rows:
        print(
            "| **worst** | " + " | ".join(f"{100 * rate:.0f}" for rate in worst.values()) + " | |"
        )
        means = [f"{100 * total / rows:.0f}" for total in sums.values()]
        print("| **mean** | " + " | ".join(means) + " | |")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--playouts", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--opponent", default=OPPONENT)
    parser.add_argument("--candidates", nargs="+", default=CANDIDATES, metavar="SPEC")
    parser.add_argument("--head-to-head", nargs=2, metavar="SPEC")
    parser.add_argument("--only", nargs="+", choices=GROUPS, default=GROUPS)
    parser.add_argument("--skip", nargs="+", default=(), help="games to leave out")
    parser.add_argument("--first", nargs="+", default=(), help="games to play before the others")
    parser.add_argument("--db", default="default_agent.db")
    parser.add_argument("--table", action="store_true", help="print the table, play nothing")
    options = parser.parse_args()
    if (options.playouts is None) == (options.seconds is None):
        parser.error("give either --playouts or --seconds")
    folder = Path(options.db).absolute().parent
    games = [text for group in options.only for text in game_texts(group, folder)]
    games = [text for text in games if not any(name in text for name in options.skip)]
    games.sort(key=lambda text: next(
        (at for at, name in enumerate(options.first) if name in text), len(options.first)
    ))  # fmt: skip
    pairs = (
        [tuple(options.head_to_head)]
        if options.head_to_head
        else [(candidate, options.opponent) for candidate in options.candidates]
    )
    if not options.table:
        play(options, games, pairs)
    if not options.head_to_head:
        print_table(options, games)


if __name__ == "__main__":
    main()
