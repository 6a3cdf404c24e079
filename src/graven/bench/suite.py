"""Speed as ratios, each measured in one run: us against a peer, or against a limit.

Two rates are taken in turn for several rounds, in processor time of one thread, so that whatever
else the machine does disturbs neither much and both alike; a row gives the medians of the rates
and of the rounds' ratios.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import count
from tempfile import TemporaryDirectory
from typing import Any

from graven.agents import agent
from graven.bench import random_playouts
from graven.bench.ratio_rows import Rate, Row, in_turn
from graven.core.errors import unknown
from graven.core.extras import is_installed
from graven.core.game import Game
from graven.games import registry
from graven.lab.experiments.job import GameJob
from graven.lab.experiments.pairing import make_pairing
from graven.lab.experiments.play_game import play_game
from graven.lab.experiments.processes import play_in_workers
from graven.lab.experiments.run import PlannedGames, play_missing
from graven.lab.experiments.run_config import RunConfig
from graven.lab.store.provenance import cores
from graven.lab.store.store import Store
from graven.search.budget import Budget
from graven.sources.load import load_game

ROUNDS = 5
LONG_ROUNDS = 3
SLICE_SECONDS = 0.3
RANDOM_GAMES = 20_000
LAB_GAMES = 60
WORKER_GAMES = 12
REPORT_GAMES = 100_000
REPORT_SECONDS = 10.0
RANDOM_GO_GAMES = 5_000
GRAVE, RAVE, UCT = "grave(ref=50)", "rave", "uct"
Measurements = Mapping[str, Callable[[], Iterator[Row]]]
# Playouts that learn, and how fast they should be, as part of uniform ones.
LEARNING = {"mast": 0.5, "mastf": 0.5, "ppa": 0.35, "ppaf": 0.35, "poolrave": 0.6}


def search_rate(spec: str, game: Game, count: int) -> float:
    """Playouts a second of whole searches from the start, repeated for a slice of time."""
    searcher, position = agent(spec), game.start()
    began, done, seed = time.thread_time(), 0, 0
    while not done or time.thread_time() - began < SLICE_SECONDS:
        done += searcher.search(position, playouts=count, seed=seed).playouts
        seed += 1
    return done / (time.thread_time() - began)


def ply_rate(spec: str, game: Game, count: int) -> float:
    """The same in plies of playouts: some playouts are shorter than others."""
    searcher, position = agent(spec), game.start()
    began, plies, seed = time.thread_time(), 0, 0
    while not plies or time.thread_time() - began < SLICE_SECONDS:
        plies += searcher.search(position, playouts=count, seed=seed).plies
        seed += 1
    return plies / (time.thread_time() - began)


# Our game, OpenSpiel's name for it, and how many times faster we mean to be.
PEERS = (
    ("breakthrough", "breakthrough", 10.0),
    ("go(size=9)", "go(board_size=9)", 10.0),
    ("havannah(size=8)", "havannah(board_size=8)", 5.0),
    ("hex(size=11)", "hex(board_size=11)", 5.0),
    ("othello", "othello", 20.0),
)


def against_openspiel() -> Iterator[Row]:
    """Our UCT and OpenSpiel's C++ MCTS, one thread each."""
    for ours, theirs, target in PEERS:
        game = load_game(ours)
        what = f"UCT v OpenSpiel's C++ MCTSBot, 1,000 playouts, {game.spec}"
        row = Row("openspiel", what, "playouts/s", target)
        if not is_installed("openspiel"):
            yield replace(row, skipped="the package open_spiel is not installed")
            continue
        import pyspiel

        peer = pyspiel.load_game(theirs)
        yield measured(
            row,
            lambda game=game: search_rate(UCT, game, 1000),  # type: ignore[misc]
            lambda peer=peer: openspiel_rate(pyspiel, peer, 1000),  # type: ignore[misc]
        )


def openspiel_rate(pyspiel: Any, game: Any, count: int) -> float:
    """Playouts a second of OpenSpiel's searches from the start, repeated for a slice of time."""
    state = game.new_initial_state()
    began, done = time.thread_time(), 0
    while not done or time.thread_time() - began < SLICE_SECONDS:
        evaluator = pyspiel.RandomRolloutEvaluator(1, done)
        bot = pyspiel.MCTSBot(game, evaluator, 0.4, count, 1000, False, done, False)
        bot.mcts_search(state)
        done += count
    return done / (time.thread_time() - began)


def go_playouts() -> Iterator[Row]:
    """Go's uniform playouts against a number that we aim at, and pattern playouts against those."""
    game = load_game("go")
    patterns = game.rules_with("mogo")
    yield measured(
        Row("go", f"uniform random games v an aim of 60,000, {game.spec}", "games/s", 1.0),
        lambda: random_playouts.contract_rate(game.rules, RANDOM_GO_GAMES),
        lambda: 60_000.0,
    )
    yield measured(
        Row("go", f"plies of mogo games v plies of uniform ones, {game.spec}", "plies/s", 0.25),
        lambda: random_playouts.ply_rate(patterns, RANDOM_GO_GAMES),
        lambda: random_playouts.ply_rate(game.rules, RANDOM_GO_GAMES),
    )


def random_games(name: str, what: str, target: float, with_sample: bool) -> Iterator[Row]:
    """Random games through the contract, against the rules inlined into one function."""
    game = load_game("breakthrough")
    rules = game.rules if with_sample else game.rules._replace(sample=0)
    yield measured(
        Row(name, what, "games/s", target),
        lambda: random_playouts.contract_rate(rules, RANDOM_GAMES),
        lambda: random_playouts.inlined_rate(game, RANDOM_GAMES),
    )


def contests() -> Iterator[Game]:
    """The games in which players meet: AMAF is about telling their moves apart."""
    for family in registry.families():
        game = family.make()
        if game.players > 1:
            yield game


def grave_against_uct() -> Iterator[Row]:
    """What AMAF costs, game by game."""
    for game in contests():
        yield measured(
            Row("grave", f"GRAVE v UCT, 10,000 playouts, {game.spec}", "playouts/s", 0.75),
            lambda game=game: search_rate(GRAVE, game, 10_000),  # type: ignore[misc]
            lambda game=game: search_rate(UCT, game, 10_000),  # type: ignore[misc]
        )


def learning_playouts() -> Iterator[Row]:
    """What playouts that learn cost a ply, against uniform ones in the same game."""
    for name in ("breakthrough", "knightthrough", "nogo"):
        game = load_game(name)
        for playout, target in LEARNING.items():
            spec = f"{UCT}+{playout}"
            yield measured(
                Row(
                    "playouts", f"{spec} v {UCT}, a ply, 10,000 playouts, {name}", "plies/s", target
                ),
                lambda game=game, spec=spec: ply_rate(spec, game, 10_000),  # type: ignore[misc]
                lambda game=game: ply_rate(UCT, game, 10_000),  # type: ignore[misc]
            )


def tables_per_node() -> Iterator[Row]:
    """How many AMAF tables a node has, game by game: a count, so once is enough."""
    for game in contests():
        per_node = []
        for spec in (GRAVE, RAVE):
            found = agent(spec).search(game.start(), playouts=10_000)
            per_node.append(found.amaf_tables / found.nodes)
        ours, other = per_node
        yield Row(
            "tables",
            f"AMAF tables a node, GRAVE v RAVE, 10,000 playouts, {game.spec}",
            "tables",
            1.0,
            below=True,
            ours=ours,
            other=other,
            ratio=ours / other,
        )


def long_against_short() -> Iterator[Row]:
    """Whether a search keeps its pace as its tree grows."""
    game = load_game("breakthrough")
    for spec in (UCT, GRAVE):
        yield measured(
            Row("long", f"1,000,000 v 10,000 playouts, {spec}, {game.spec}", "playouts/s", 0.5),
            lambda spec=spec: search_rate(spec, game, 1_000_000),  # type: ignore[misc]
            lambda spec=spec: search_rate(spec, game, 10_000),  # type: ignore[misc]
            LONG_ROUNDS,
        )


def laboratory_overhead() -> Iterator[Row]:
    """Games with jobs, store and progress, against the same games played in a bare loop."""
    pairing = make_pairing("knightthrough", GRAVE, UCT, Budget(100))
    game = load_game(pairing.game)

    def recorded() -> float:
        with TemporaryDirectory() as folder, Store(f"{folder}/graven.db") as store:
            began = time.perf_counter()
            seen: list[int] = []
            play_missing(
                [PlannedGames(pairing, LAB_GAMES)],
                RunConfig(workers=1, store=store),
                on_game=lambda _, result: seen.append(result.index),
            )
            return len(seen) / (time.perf_counter() - began)

    def bare() -> float:
        began = time.perf_counter()
        for index in range(LAB_GAMES):
            play_game(GameJob(pairing, index), game)
        return LAB_GAMES / (time.perf_counter() - began)

    what = f"games with jobs, store and progress v bare, 100 playouts, {pairing.game}"
    yield measured(Row("overhead", what, "games/s", 0.9), recorded, bare)


def two_workers() -> Iterator[Row]:
    """Two worker processes against one, once they run."""
    pairing = make_pairing("knightthrough", GRAVE, UCT, Budget(1000))

    def rate(workers: int) -> float:
        endless = (GameJob(pairing, index) for index in count())
        with closing(play_in_workers(endless, workers)) as playing:
            for _ in range(2 * workers):  # by then every worker has loaded its code
                next(playing)
            began = time.perf_counter()
            for _ in range(WORKER_GAMES * workers):
                next(playing)
            return WORKER_GAMES * workers / (time.perf_counter() - began)

    row = Row("workers", f"two workers v one, 1,000 playouts, {pairing.game}", "games/s", 1.8)
    if cores() < 2:
        yield replace(row, skipped="this machine has one core")
        return
    yield measured(row, lambda: rate(2), lambda: rate(1), LONG_ROUNDS)


def report_of_many() -> Iterator[Row]:
    """A report from a store of 100,000 games: seconds, of the ten that it may take."""
    from graven.bench.synthetic_store import fill
    from graven.lab.reports.html_report import html

    row = Row(
        "report",
        f"a report from a store of {REPORT_GAMES:,} games v ten seconds",
        "s",
        1.0,
        below=True,
    )
    if not is_installed("plots"):
        yield replace(row, skipped="the package matplotlib is not installed")
        return
    with TemporaryDirectory() as folder:
        path = f"{folder}/graven.db"
        fill(path, REPORT_GAMES)
        began = time.perf_counter()
        with Store(path, write=False) as store:
            html(store)
        spent = time.perf_counter() - began
    yield replace(row, ours=spent, other=REPORT_SECONDS, ratio=spent / REPORT_SECONDS)


def gdl_games() -> Iterator[Row]:
    """GDL games against other propositional networks."""
    from graven.bench.gdl_networks import against_networks

    yield from against_networks()


def callbacks() -> Iterator[Row]:
    """What calling Python costs."""
    from graven.bench.python_callbacks import python_against_compiled

    yield from python_against_compiled()


MEASUREMENTS: Measurements = {
    "openspiel": against_openspiel,
    "sample": lambda: random_games(
        "sample", "random games with `sample` v a loop that lists moves, rules inlined", 1.0, True
    ),
    "listing": lambda: random_games(
        "listing", "random games that list moves v the same loop, rules inlined", 0.6, False
    ),
    "go": go_playouts,
    "grave": grave_against_uct,
    "playouts": learning_playouts,
    "tables": tables_per_node,
    "long": long_against_short,
    "overhead": laboratory_overhead,
    "workers": two_workers,
    "report": report_of_many,
    "gdl": gdl_games,
    "callbacks": callbacks,
}


def bench(names: Sequence[str] = (), more: Measurements | None = None) -> Iterator[Row]:
    """Take the named measurements, by default all, and give each row when it is known.

    `more` are measurements of rooms that stand on this one.
    """
    known = {**MEASUREMENTS, **(more or {})}
    for name in names:
        if name not in known:
            raise unknown("measurement", name, known)
    for name in names or known:
        yield from known[name]()


def measured(row: Row, ours: Rate, other: Rate, rounds: int = ROUNDS) -> Row:
    """The row with both rates and their ratio, taken in turn."""
    medians = in_turn(ours, other, rounds)
    return replace(row, ours=medians.ours, other=medians.other, ratio=medians.ratio)
