"""The result store as the page shows it: matches, published tables, plots, recorded games.

The store is opened read-only. Answers are cached until the store's file changes.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from graven.core.errors import UsageError, unknown
from graven.core.position import Position
from graven.interfaces.web.board_cells import cell_names, cells_of_move
from graven.interfaces.web.game_titles import game_title
from graven.interfaces.web.live_game_formats import player_colours
from graven.interfaces.web.web_games import page_game
from graven.interfaces.web.web_limits import PageLimits
from graven.lab.experiments.job import GameResult
from graven.lab.experiments.pairing import Pairing
from graven.lab.experiments.reproduce import Entry, Results
from graven.lab.published import PublishedTable, papers
from graven.lab.reports import plots
from graven.lab.reports.report_data import Plot, ReportData
from graven.lab.stats.comparison import DIFFERS, EQUIVALENT
from graven.lab.store.game_files import pairing_id
from graven.lab.store.store import Store
from graven.lab.store.summaries import Summary

MAX_MATCHES = 2000
GAMES_PER_PAGE = 100
MAX_CACHED_REPLAYS = 8
MAX_CACHED_PLOTS = 64

T = TypeVar("T")


class StorePages:
    """A result store, read by one thread at a time."""

    def __init__(self, path: str, limits: PageLimits | None = None) -> None:
        self.path = path
        self._limits = limits or PageLimits()
        self._lock = threading.RLock()
        self._store: Store | None = None
        self._inode = 0
        self._cache: dict[str, tuple[str, Any]] = {}  # by key: the stamp and the value
        self._cache_locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._replays: OrderedDict[tuple[str, int], tuple[GameResult, list[Position]]] = (
            OrderedDict()
        )
        self._drawings: OrderedDict[tuple[str, str], bytes] = OrderedDict()

    def stamp(self) -> str:
        """Return a text that changes whenever the store may have changed; empty without a store."""
        stamps = []
        for name in (self.path, f"{self.path}-wal"):
            try:
                status = Path(name).stat()
            except OSError:
                continue
            stamps.append(f"{status.st_mtime_ns}-{status.st_size}")
        return "-".join(stamps)

    def _open(self) -> Store:
        """Return the open store; it is opened again if its file was replaced."""
        try:
            inode = Path(self.path).stat().st_ino
        except OSError:
            inode = 0
        if self._store is not None and inode != self._inode:
            self._store.close()
            self._store = None
        if self._store is None:
            self._store = Store(self.path, write=False)
            self._inode = inode
        return self._store

    def _cached(self, key: str, compute: Callable[[], T]) -> T:
        """Return `compute()`, called once for each state of the store's file.

        Callers of the same key wait for each other; callers of other keys do not.
        """
        with self._cache_locks[key]:
            stamp = self.stamp()
            entry = self._cache.get(key)
            if entry is None or entry[0] != stamp:
                entry = self._cache[key] = (stamp, compute())
            value: T = entry[1]
            return value

    def _summaries(self) -> list[Summary]:
        def read() -> list[Summary]:
            with self._lock:
                return [summary for summary in self._open().summaries() if summary.games]

        return self._cached("summaries", read)

    def matches(self) -> dict[str, Any]:
        """Return the latest matches of the store with their scores."""
        summaries = self._summaries()
        return {
            "stamp": self.stamp(),
            "path": self.path,
            "games": sum(summary.games for summary in summaries),
            "matches": [_match(summary) for summary in summaries[-MAX_MATCHES:]],
            "num_matches": len(summaries),
        }

    def papers(self) -> list[dict[str, Any]]:
        """Return the papers with their tables, and how much of each table has been run."""
        return self._cached("papers", lambda: _papers(self._summaries()))

    def table(self, paper: str, name: str) -> dict[str, Any]:
        """Return a published table with our results beside its figures."""
        by_name = {published.name: published for published in papers()}
        if paper not in by_name:
            raise unknown("paper", paper, by_name)
        published = by_name[paper]
        table = published.table(name)
        return self._cached(
            f"table {paper} {name}",
            lambda: {
                "paper": published.name,
                "title": published.title,
                "authors": published.authors,
                "venue": published.where,
                "name": table.name,
                "caption": table.caption,
                "remark": table.odd,
                "measure": table.measure,
                "entries": [_entry(entry) for entry in Results(self._summaries()).entries(table)],
            },
        )

    def plots(self) -> list[dict[str, Any]]:
        """Return the names, captions and commands of the report's plots."""
        return [
            {"name": plot.name, "caption": plot.caption, "commands": list(plot.commands)}
            for plot in self._plots().values()
        ]

    def _plots(self) -> Mapping[str, Plot]:
        def read() -> dict[str, Plot]:
            # On a separate connection: this takes long, and other requests read meanwhile.
            with Store(self.path, write=False) as store:
                return {plot.name: plot for plot in ReportData(store).plots()}

        return self._cached("plots", read)

    def plot(self, name: str) -> bytes:
        """Return one plot as an SVG drawing."""
        available = self._plots()
        if name not in available:
            raise unknown("plot", name, available)
        key = name, self.stamp()
        # Matplotlib's settings are global to the process: draw one plot at a time.
        with self._cache_locks["drawing"]:
            if key not in self._drawings:
                self._drawings[key] = plots.to_bytes(available[name].draw(), "svg")
                while len(self._drawings) > MAX_CACHED_PLOTS:
                    self._drawings.popitem(last=False)
            return self._drawings[key]

    def games(self, match: str, start: int) -> dict[str, Any]:
        """Return one page of the games of a match."""
        pairing = self._pairing(match)
        with self._lock:
            results = list(self._open().results(pairing, start + GAMES_PER_PAGE, start))
        return {
            "match": match,
            "start": start,
            "page_size": GAMES_PER_PAGE,
            "games": [
                {
                    "number": result.index,
                    "seats": [pairing.agents[side] for side in result.seats],
                    "scores": list(result.scores),
                    "outcome": result.outcome,
                    "plies": result.plies,
                }
                for result in results
            ],
        }

    def game(self, match: str, number: int) -> dict[str, Any]:
        """Return a recorded game: its moves, with evaluations where they were recorded."""
        pairing = self._pairing(match)
        result, positions = self._replay(match, number)
        return {
            "match": match,
            "number": number,
            "game": pairing.game,
            "title": game_title(positions[0].game),
            "players": list(positions[0].game.player_names),
            "colours": player_colours(positions[0].game.player_names),
            "seats": [pairing.agents[side] for side in result.seats],
            "budget": pairing.budget,
            "scores": list(result.scores),
            "moves": list(result.moves),
            "players_to_move": [list(position.players_to_move) for position in positions[:-1]],
            "values": list(result.values),
        }

    def position(self, match: str, number: int, ply: int) -> dict[str, Any]:
        """Return the board of a recorded game after `ply` moves."""
        result, positions = self._replay(match, number)
        if not 0 <= ply < len(positions):
            raise UsageError(f"this game has {len(positions) - 1} moves.")
        position = positions[ply]
        svg = position.svg() if position.game.svg else None
        last_move = result.moves[ply - 1] if ply else ""
        return {
            "ply": ply,
            "svg": svg,
            "text": None if svg else position.text(),
            "cells": cells_of_move(last_move, cell_names(svg)) if svg else [],
        }

    def _replay(self, match: str, number: int) -> tuple[GameResult, list[Position]]:
        pairing = self._pairing(match)
        key = pairing.key, number
        with self._lock:
            if key not in self._replays:
                results = list(self._open().results(pairing, number + 1, number))
                if not results:
                    raise UsageError(f"game {number} of this match is not in the store.")
                if results[0].plies and not results[0].moves:
                    raise UsageError(
                        f"game {number} was imported without its moves: 'graven replay "
                        f"{pairing_id(pairing)} {number}' shows it."
                    )
                position = page_game(pairing.game, self._limits).start()
                positions = [position]
                for move in results[0].moves:
                    position = position.play_moves([move])
                    positions.append(position)
                self._replays[key] = results[0], positions
                while len(self._replays) > MAX_CACHED_REPLAYS:
                    self._replays.popitem(last=False)
            return self._replays[key]

    def _pairing(self, match: str) -> Pairing:
        pairings = self._cached(
            "pairings",
            lambda: {match_id(summary.pairing): summary.pairing for summary in self._summaries()},
        )
        if match not in pairings:
            raise UsageError("there is no match with this id in the store.")
        return pairings[match]


def match_id(pairing: Pairing) -> str:
    """Return a short identifier of a pairing, derived from its key."""
    return hashlib.blake2s(pairing.key.encode(), digest_size=9).hexdigest()


def _match(summary: Summary) -> dict[str, Any]:
    pairing = summary.pairing
    low, high = summary.statistics.ci95
    return {
        "match": match_id(pairing),
        "game": pairing.game,
        "first": pairing.agents[0],
        "second": pairing.agents[1],
        "budget": pairing.budget,
        "games": summary.games,
        "win_rate": summary.score.win_rate,
        "low": low,
        "high": high,
        "mean_plies": round(summary.mean_plies, 1),
        "playouts_per_second": round(summary.playouts_per_second),
    }


def _papers(summaries: Sequence[Summary]) -> list[dict[str, Any]]:
    results = Results(summaries)
    return [
        {
            "name": paper.name,
            "title": paper.title,
            "authors": paper.authors,
            "venue": paper.where,
            "tables": [_table_progress(table, results) for table in paper.tables.values()],
        }
        for paper in papers()
    ]


def _table_progress(table: PublishedTable, results: Results) -> dict[str, Any]:
    verdicts = [entry.verdict for entry in results.entries(table) if entry.score.games]
    return {
        "name": table.name,
        "caption": table.caption,
        "figures": len(table.figures),
        "run": len(verdicts),
        "equivalent": verdicts.count(EQUIVALENT),
        "differs": verdicts.count(DIFFERS),
    }


def _entry(entry: Entry) -> dict[str, Any]:
    return entry.to_dict() | {
        "best": entry.figure.best,
        "match": match_id(entry.summary.pairing) if entry.summary else None,
    }
