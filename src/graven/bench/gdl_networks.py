"""GDL games against the figures of two other propositional networks, scaled to this machine.

Both peers were measured on one core of an AMD EPYC, in random playouts per second of processor
time: ggplib, the C++ network of galvanise, and the Java network of Sironi and Winands 2016. On the
same core our loop of random Breakthrough games with inlined rules (`random_playouts.inlined_rate`)
reached 297,000 games per second, and such a loop in C++ 350,000. That loop is measured alternately
with every rate here: a peer's figure times (the loop's rate here / 297,000) estimates the rate of
the peer on this machine.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from graven.bench import gdl_searches, random_playouts
from graven.bench.playout_rates import batched_rate, sequential_rate, step_rate
from graven.bench.ratio_rows import LONG_ROUNDS, Rate, RatioRow, measure_ratio
from graven.core.game import Game
from graven.gdl import sheets
from graven.gdl.sheet_loader import sheet_game
from graven.sources.load import load_game

LOOP_RATE = 297_000.0
LOOP_GAMES = 20_000
SECONDS = 0.3

# Rulesheets, by the base repository's name of the version that was measured, with the playouts per
# second of ggplib, None where it built no network within nine minutes, and of Sironi's network.
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

BATCHED_GGPLIB = "batched playouts v ggplib"
BATCHED_SIRONI = "batched playouts v Sironi's network"
SEQUENTIAL_GGPLIB = "sequential playouts v ggplib"
TREE_STEPS = "steps that list all legal moves, as in a tree, v steps of playouts"
# Targets for every game, for the median over all games, and for the native Breakthrough.
GAME_TARGETS = {BATCHED_GGPLIB: 2.0, BATCHED_SIRONI: 10.0, SEQUENTIAL_GGPLIB: 0.5}
MEDIAN_TARGETS = {BATCHED_GGPLIB: 4.0, BATCHED_SIRONI: 25.0}
NATIVE_TARGET = 0.4
STEP_TARGET = 0.5
# Limits of the seconds until the first playout, for all games and for most of them.
READY_SECONDS_ALL, READY_SECONDS_MOST, MOST_GAMES = 20.0, 5.0, 13


def text_of(name: str) -> str:
    """Return a rulesheet: the base repository's in `GRAVEN_GDL`, else the packaged one."""
    if folder := os.environ.get("GRAVEN_GDL"):
        path = Path(folder, "sheets", f"{name}.kif")
        if path.is_file():
            return path.read_bytes().decode("utf-8-sig")
    return sheets.text_of(name.removesuffix("-v1"))


class ReadyGame(NamedTuple):
    """The game of a rulesheet, and the seconds from its text to the network and to playouts."""

    game: Game
    network_seconds: float
    playout_seconds: float


def ready(name: str) -> ReadyGame:
    """Make the game of a rulesheet, and play its first playouts."""
    text, started = text_of(name), time.perf_counter()
    game = sheet_game(text, name)
    network_seconds = time.perf_counter() - started
    batched_rate(game, 0.0, batch=1)
    sequential_rate(game, 0.0)
    return ReadyGame(game, network_seconds, time.perf_counter() - started)


def scaled(figure: float) -> Rate:
    """Return the rate that a peer with this figure would reach on this machine."""
    game = load_game("breakthrough")
    return lambda: figure * random_playouts.inlined_rate(game, LOOP_GAMES) / LOOP_RATE


def against_networks() -> Iterator[RatioRow]:
    """Measure all rulesheets, then what they reach together."""
    ready("breakthrough")  # compiles everything that all games share
    ratios: dict[str, list[float]] = {what: [] for what in MEDIAN_TARGETS}
    seconds, over_single = [], []
    for name, (ggplib, sironi) in PEERS.items():
        game, network_seconds, ready_seconds = ready(name)
        seconds.append(ready_seconds)
        yield _limit_row(f"{name}: text to network", network_seconds, READY_SECONDS_ALL)
        yield _limit_row(f"{name}: text to first playout", ready_seconds, READY_SECONDS_ALL)
        for what, figure, rate in (
            (BATCHED_GGPLIB, ggplib, batched_rate),
            (BATCHED_SIRONI, sironi, batched_rate),
            (SEQUENTIAL_GGPLIB, ggplib, sequential_rate),
        ):
            row = RatioRow("gdl", f"{name}: {what}", "playouts/s", GAME_TARGETS[what])
            if figure is None:
                yield replace(row, skipped="ggplib did not build this network")
                continue
            row = measure_ratio(row, partial(rate, game, SECONDS), scaled(figure), LONG_ROUNDS)
            if what in ratios and row.ratio is not None:
                ratios[what].append(row.ratio)
            yield row
        row = RatioRow("gdl", f"{name}: {TREE_STEPS}", "steps/s", STEP_TARGET)
        listing, drawing = (partial(step_rate, game, SECONDS, listed) for listed in (True, False))
        yield measure_ratio(row, listing, drawing, LONG_ROUNDS)
        for row in gdl_searches.search_rows(name, game):
            if row.what.endswith(gdl_searches.VERSUS_SINGLE) and row.ratio is not None:
                over_single.append(row.ratio)
            yield row
    for what, game_ratios in ratios.items():
        row = RatioRow("gdl", f"the median game: {what}", "times", MEDIAN_TARGETS[what])
        yield row.with_rounds([(ratio, 1.0) for ratio in game_ratios])
    yield gdl_searches.median_row(over_single)
    slowest_of_most = sorted(seconds)[MOST_GAMES - 1]
    most = f"{MOST_GAMES} of {len(PEERS)} games: text to first playout"
    yield _limit_row(most, slowest_of_most, READY_SECONDS_MOST)
    yield against_native_breakthrough()


def against_native_breakthrough() -> RatioRow:
    """Compare Breakthrough from GDL with the hand-written game."""
    game = ready("breakthrough").game
    native = load_game("breakthrough")
    what = "breakthrough: batched playouts v our hand-written Breakthrough"
    return measure_ratio(
        RatioRow("gdl", what, "playouts/s", NATIVE_TARGET),
        partial(batched_rate, game, SECONDS),
        partial(sequential_rate, native, SECONDS),
        LONG_ROUNDS,
    )


def _limit_row(what: str, seconds: float, limit: float) -> RatioRow:
    row = RatioRow("gdl", f"{what} v {limit:.0f} s", "s", 1.0, below=True)
    return row.with_value(seconds, limit)
