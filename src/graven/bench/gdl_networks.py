"""GDL games against the figures of two other propositional networks, scaled to this machine.

Both peers were measured on one core of an AMD EPYC, in random playouts a second of processor time:
ggplib, the C++ network of galvanise, and the Java network behind Sironi and Winands 2016. The same
core ran our loop of random Breakthrough games with the rules built in (`playouts.inlined_rate`) at
297,000 a second, beside 350,000 of such a loop in C++. So that loop says how this machine
compares, and is run in turn with every rate: a peer's figure times (the loop's rate here / 297,000)
is what the peer would reach here.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median

from graven.bench import random_playouts
from graven.bench.playout_rates import many_rate, one_rate
from graven.bench.ratio_rows import Rate, Row, in_turn
from graven.core.game import Game
from graven.gdl import sheets
from graven.gdl.sheet_loader import sheet_game
from graven.sources.load import load_game

LOOP_RATE = 297_000.0
LOOP_GAMES = 20_000
SECONDS = 0.3
ROUNDS = 3

# Each sheet (as the base repository calls the version that was measured): ggplib's playouts a
# second, None where it did not build a network in nine minutes, and Sironi's.
PEERS: dict[str, tuple[int | None, int]] = {
    "tictactoe_3d_2player": (74_100, 8_500),
    "breakthrough": (23_500, 2_850),
    "knightThrough": (39_800, 4_550),
    "skirmish": (1_650, 170),
    "battle": (17_500, 4_900),
    "chinook": (8_900, 3_800),
    "chineseCheckers3-v1": (27_800, 9_700),
    "checkers-v1": (6_600, 700),
    "connect5-v1": (3_900, 2_000),
    "othello-comp2007": (None, 68),
    "quad_7x7": (8_400, 4_200),
    "sheepAndWolf": (7_000, 4_750),
    "ttcc4_2player": (15_900, 2_550),
    "zhadu": (4_700, 800),
    "ttcc4": (None, 2_650),
}

MANY_GGPLIB = "many at once v ggplib"
MANY_SIRONI = "many at once v Sironi's network"
ONE_GGPLIB = "one at a time v ggplib"
EACH = {MANY_GGPLIB: 2.0, MANY_SIRONI: 10.0, ONE_GGPLIB: 0.5}
MEDIAN = {MANY_GGPLIB: 4.0, MANY_SIRONI: 25.0}
READY_ALL, READY_MOST, MOST = 20.0, 5.0, 13
OWN = 0.4


def text_of(name: str) -> str:
    """A sheet's text: the base repository's where `GRAVEN_GDL` says it is, else our own."""
    if folder := os.environ.get("GRAVEN_GDL"):
        real = Path(folder, "sheets", f"{name}.kif")
        if real.is_file():
            return real.read_bytes().decode("utf-8-sig")
    return sheets.text_of(name.removesuffix("-v1"))


def ready(name: str) -> tuple[Game, float]:
    """The game of a sheet, and the seconds from its text to the end of the first playouts."""
    text, began = text_of(name), time.perf_counter()
    game = sheet_game(text, name)
    many_rate(game, 0.0, batch=1)
    one_rate(game, 0.0)
    return game, time.perf_counter() - began


def scaled(figure: float) -> Rate:
    """What a peer with such a figure would reach here and now."""
    game = load_game("breakthrough")
    return lambda: figure * random_playouts.inlined_rate(game, LOOP_GAMES) / LOOP_RATE


def against_networks() -> Iterator[Row]:
    """All sheets, then what is asked of all of them together."""
    ready("breakthrough")  # whatever has to be compiled is compiled now
    ratios: dict[str, list[float]] = {what: [] for what in MEDIAN}
    seconds = []
    for name, (ggplib, sironi) in PEERS.items():
        game, spent = ready(name)
        seconds.append(spent)
        yield _limit(
            f"{name}: from text to the first playout v {READY_ALL:.0f} s", spent, READY_ALL
        )
        for what, figure, rate in (
            (MANY_GGPLIB, ggplib, many_rate),
            (MANY_SIRONI, sironi, many_rate),
            (ONE_GGPLIB, ggplib, one_rate),
        ):
            row = Row("gdl", f"{name}: {what}", "playouts/s", EACH[what])
            if figure is None:
                yield replace(row, skipped="ggplib did not build this network")
                continue
            row = _measured(row, lambda game=game, rate=rate: rate(game, SECONDS), scaled(figure))  # type: ignore[misc]
            if what in ratios and row.ratio is not None:
                ratios[what].append(row.ratio)
            yield row
    for what, found in ratios.items():
        row = Row("gdl", f"the median game: {what}", "times", MEDIAN[what])
        yield replace(row, ours=median(found), other=1.0, ratio=median(found))
    most = sorted(seconds)[MOST - 1]
    yield _limit(
        f"{MOST} of {len(PEERS)} games: from text to the first playout v {READY_MOST:.0f} s",
        most,
        READY_MOST,
    )
    yield own_breakthrough()


def own_breakthrough() -> Row:
    """Breakthrough from GDL against the game written by hand."""
    game, _ = ready("breakthrough")
    own = load_game("breakthrough")
    return _measured(
        Row("gdl", "breakthrough: many at once v our own Breakthrough", "playouts/s", OWN),
        lambda: many_rate(game, SECONDS),
        lambda: one_rate(own, SECONDS),
    )


def _limit(what: str, seconds: float, limit: float) -> Row:
    row = Row("gdl", what, "s", 1.0, below=True)
    return replace(row, ours=seconds, other=limit, ratio=seconds / limit)


def _measured(row: Row, ours: Callable[[], float], other: Callable[[], float]) -> Row:
    medians = in_turn(ours, other, ROUNDS)
    return replace(row, ours=medians.ours, other=medians.other, ratio=medians.ratio)
