"""Streaming analysis: results of a search while it runs.

The search runs in a thread; its tree is read without stopping it (see `search.snapshot`), so the
last result is the one that `SearchAgent.search` returns for the same budget and seed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, wait
from dataclasses import replace

from graven.agents.move_clock import MoveClock
from graven.agents.search_result import (
    MIB,
    MoveStat,
    SearchResult,
    check_searchable,
    choose_move,
    find_move,
    legal_only,
    make_result,
    sorted_stats,
)
from graven.core.errors import UsageError
from graven.core.number_checks import check_number
from graven.core.position import Position
from graven.search import snapshot
from graven.search.result import root_proof
from graven.search.root_rows import RootRows, RootStatistics
from graven.search.runner import Search, Stop


class _EitherStop:
    """Set when the reader of the stream leaves, or when the caller's own event is set."""

    def __init__(self, stop: Stop | None) -> None:
        self.left = threading.Event()
        self._stop = stop

    def is_set(self) -> bool:
        return self.left.is_set() or (self._stop is not None and self._stop.is_set())


def stream_results(
    search: Search, position: Position, clock: MoveClock, seed: int, every: float
) -> Iterator[SearchResult]:
    """Yield a result every `every` seconds, and the final one with its tree at the end."""
    check_number("every", every)
    if not every > 0:
        raise UsageError(f"every must be more than 0 seconds, got {every:g}.")
    check_searchable(position)
    return _results(search, position, clock, seed, every=every)


def _results(
    search: Search, position: Position, clock: MoveClock, seed: int, every: float
) -> Iterator[SearchResult]:
    stop = _EitherStop(clock.stop)
    future: Future[SearchResult] = Future()

    def run() -> None:
        try:
            limited = replace(clock, stop=stop)
            future.set_result(find_move(search, position, limited, seed, keep_tree=True))
        except BaseException as error:
            future.set_exception(error)

    began = time.perf_counter()
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        while not wait([future], timeout=every).done:
            result = live_result(search, position, time.perf_counter() - began)
            if result is not None:
                yield result
        yield future.result()
    finally:
        stop.left.set()
        thread.join()


def live_result(search: Search, position: Position, seconds: float) -> SearchResult | None:
    """Return the result of a running search so far; None if it cannot be read just now."""
    playouts = snapshot.playouts_done(search)
    if not playouts:
        return None
    choices: dict[int, RootStatistics] = {}
    by_player: dict[int, tuple[MoveStat, ...]] = {}
    try:
        for player in position.players_to_move:
            root = snapshot.take_snapshot(search, snapshot.root_path(search), player)
            rows = legal_only(position, player, RootRows.of(map(_statistics, root.moves)))
            rule = search.spec.options.final_move
            choices[player] = choose_move(position, player, rows, rule, seed=0)
            by_player[player] = sorted_stats(position.game, player, rows.statistics())
        proof = root_proof(search.rules, search.tree)
    except (IndexError, ValueError):  # the tree grew during the read
        return None
    return make_result(
        position,
        choices,
        proof,
        root_stats=by_player[position.players_to_move[0]],
        by_player=by_player,
        pv=tuple(
            position.game.format_move(player, code)
            for player, code in snapshot.live_variation(search)
        ),
        playouts=playouts,
        seconds=seconds,
        nodes=snapshot.nodes_in_use(search),
        memory_mib=search.nbytes / MIB,
    )


def _statistics(move: snapshot.MoveSnapshot) -> RootStatistics:
    return RootStatistics(
        code=move.code,
        visits=move.visits,
        total=(move.mean or 0.0) * move.visits,
        amaf_visits=move.amaf_visits,
        amaf_total=(move.amaf or 0.0) * move.amaf_visits,
        lower=move.lower,
        upper=move.upper,
        plies_left=move.plies_left,
        dominated=move.dominated,
    )
