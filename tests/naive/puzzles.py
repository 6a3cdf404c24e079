"""One-player games of the tests and their naive rules.

Like `tests.naive.games`, but a game is identified by its whole spec and has `points_now`, the
points so far.
"""

from __future__ import annotations

import re
from typing import Any

from graven.games.tsptw_instances import random_instance
from tests.naive.morpion import Morpion
from tests.naive.samegame import SameGame
from tests.naive.tsptw import Tsptw

BOARDS = {
    "tiny": "12/21/11",
    "small": "1122/2121/3311",
    "gaps": "..1./2.12/2312/1122",
    "colours": "0919/9010/0109/1190",
    "column": "1/1/2/2/1",
    "row": "112221",
}

# From the smallest to the largest of each game.
PUZZLES: dict[str, list[str]] = {
    "morpion": [f"morpion(variant={variant})" for variant in ("4D", "4T", "5D", "5T")],
    "samegame": [
        *(f"samegame(board={board})" for board in BOARDS.values()),
        "samegame(board=1122/2121/3311,tabu=true)",
        "samegame(size=6x9,colours=3,seed=1,tabu=true)",
        "samegame(size=6x9,colours=3,seed=1)",
        "samegame(size=15x15,colours=5,seed=0)",
        "samegame(size=26x26,colours=9,seed=2)",
    ],
    "tsptw": [
        "tsptw(cities=1,width=40,seed=0)",
        "tsptw(cities=6,width=30,seed=3)",
        "tsptw(cities=6,width=90,seed=3,prune=true)",
        "tsptw(cities=70,width=100,seed=1,prune=true)",
        "tsptw(cities=255,width=60,seed=0)",
    ],
}


def naive_puzzle(spec: str) -> Any:
    name, _, inside = spec.partition("(")
    options = dict(part.split("=") for part in inside.rstrip(")").split(","))
    if name == "morpion":
        return Morpion(options["variant"])
    if name == "samegame":
        board = options["board"] if "board" in options else random_board(spec)
        return SameGame(board, options.get("tabu") == "true")
    # The generated instance is data, so it is shared with graven; the rules are not.
    instance = random_instance(*(int(options[key]) for key in ("cities", "width", "seed")))
    windows = list(zip(instance.opens.tolist(), instance.closes.tolist(), strict=True))
    return Tsptw(instance.distances.tolist(), windows, options.get("prune") == "true")


def random_board(spec: str) -> str:
    """Return the random board of a spec, read from its text."""
    from graven.games.registry import make_game

    rows = [row.lstrip() for row in make_game(spec).start().text().splitlines()[1:-1]]
    return "/".join("".join(re.findall(r"[0-9.]", row.partition(" ")[2])) for row in rows)
