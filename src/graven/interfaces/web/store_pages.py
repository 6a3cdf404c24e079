"""The store as the page shows it: matches, published tables, plots, and games to replay.

Everything is read; nothing is written. A store that grows meanwhile is read again when its file
has changed.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from graven.core.errors import UsageError, unknown
from graven.core.game import Position
from graven.interfaces.web.web_games import cell_names, cells_of, named_game
from graven.lab.experiments.job import GameResult
from graven.lab.experiments.pairing import Pairing
from graven.lab.experiments.reproduce import AGREES, Entry, Results
from graven.lab.published import papers
from graven.lab.reports import plots
from graven.lab.reports.report_data import Plot, ReportData
from graven.lab.store.store import Store
from graven.lab.store.summaries import Summary

MOST_MATCHES = 2000
GAMES_A_PAGE = 100
REPLAYS = 8  # games whose positions are kept
PLOTS = 64

T = TypeVar("T")


class Laboratory:
    """A store, read for the page by one thread at a time."""

    def __init__(self, path: str, folder: Path | None) -> None:
        self.path = path
        self._folder = folder
        self._lock = threading.RLock()
        self._store: Store | None = None
        self._inode = 0
        self._known: dict[str, tuple[str, Any]] = {}
        self._busy: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._replays: OrderedDict[tuple[str, int], tuple[GameResult, list[Position]]] = (
            OrderedDict()
        )
        self._drawn: OrderedDict[tuple[str, str], bytes] = OrderedDict()

    def stamp(self) -> str:
        """Another text whenever the store may have changed; empty where there is none."""
        stamps = []
        for name in (self.path, f"{self.path}-wal"):
            try:
                found = Path(name).stat()
            except OSError:
                continue
            stamps.append(f"{found.st_mtime_ns}-{found.st_size}")
        return "-".join(stamps)

    def _open(self) -> Store:
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

    def _once(self, name: str, make: Callable[[], T]) -> T:
        """What `make` says of the store as it is now: asked once for each state of the file.

        Whoever asks for the same waits; who asks for something else does not.
        """
        with self._busy[name]:
            stamp = self.stamp()
            known = self._known.get(name)
            if known is None or known[0] != stamp:
                known = self._known[name] = (stamp, make())
            found: T = known[1]
            return found

    def _summaries(self) -> list[Summary]:
        def make() -> list[Summary]:
            with self._lock:
                return [each for each in self._open().summaries() if each.games]

        return self._once("summaries", make)

    def matches(self) -> dict[str, Any]:
        """All matches of the store with their scores."""
        summaries = self._summaries()
        return {
            "stamp": self.stamp(),
            "path": self.path,
            "games": sum(each.games for each in summaries),
            "matches": [_match(each) for each in summaries[-MOST_MATCHES:]],
            "left": max(0, len(summaries) - MOST_MATCHES),
        }

    def papers(self) -> list[dict[str, Any]]:
        """The papers with their tables, and how much of each has been run."""
        return self._once("papers", lambda: _papers(self._summaries()))

    def table(self, paper: str, name: str) -> dict[str, Any]:
        """A published table, ours beside theirs."""
        found = next((each for each in papers() if each.name == paper), None)
        if found is None:
            raise unknown("paper", paper, (each.name for each in papers()))
        table = found.table(name)
        return self._once(
            f"table {paper} {name}",
            lambda: {
                "paper": found.name,
                "title": found.title,
                "authors": found.authors,
                "where": found.where,
                "name": table.name,
                "caption": table.caption,
                "odd": table.odd,
                "measure": table.measure,
                "entries": [_entry(each) for each in Results(self._summaries()).entries(table)],
            },
        )

    def plots(self) -> list[dict[str, Any]]:
        """The plots of the report."""
        return [
            {"name": plot.name, "caption": plot.caption, "commands": list(plot.commands)}
            for plot in self._plots().values()
        ]

    def _plots(self) -> Mapping[str, Plot]:
        def make() -> dict[str, Plot]:
            # With a connection of its own, since it takes a while and others want to read.
            with Store(self.path, write=False) as store:
                return {plot.name: plot for plot in ReportData(store).plots()}

        return self._once("plots", make)

    def plot(self, name: str) -> bytes:
        """One of them as an SVG picture."""
        known = self._plots()
        if name not in known:
            raise unknown("plot", name, known)
        key = name, self.stamp()
        # Matplotlib's settings are the process's: one at a time.
        with self._busy["drawing"]:
            if key not in self._drawn:
                self._drawn[key] = plots.to_bytes(known[name].draw(), "svg")
                while len(self._drawn) > PLOTS:
                    self._drawn.popitem(last=False)
            return self._drawn[key]

    def games(self, match: str, start: int) -> dict[str, Any]:
        """A page of a match's games."""
        pairing = self._pairing(match)
        with self._lock:
            found = list(self._open().results(pairing, start + GAMES_A_PAGE, start))
        return {
            "match": match,
            "start": start,
            "games": [
                {
                    "number": each.index,
                    "seats": [pairing.agents[side] for side in each.seats],
                    "scores": list(each.scores),
                    "outcome": each.outcome,
                    "plies": each.plies,
                }
                for each in found
            ],
        }

    def game(self, match: str, number: int) -> dict[str, Any]:
        """A game to replay: its moves, with what was believed where that was recorded."""
        pairing = self._pairing(match)
        result, positions = self._replay(match, number)
        return {
            "match": match,
            "number": number,
            "game": pairing.game,
            "players": list(positions[0].game.player_names),
            "seats": [pairing.agents[side] for side in result.seats],
            "budget": pairing.budget,
            "scores": list(result.scores),
            "moves": list(result.moves),
            "movers": [list(each.players_to_move) for each in positions[:-1]],
            "values": list(result.values),
        }

    def position(self, match: str, number: int, ply: int) -> dict[str, Any]:
        """The board of a recorded game after so many moves."""
        result, positions = self._replay(match, number)
        if not 0 <= ply < len(positions):
            raise UsageError(f"this game has {len(positions) - 1} moves.")
        position = positions[ply]
        svg = position.svg() if position.game.svg else None
        last = result.moves[ply - 1] if ply else ""
        return {
            "ply": ply,
            "svg": svg,
            "text": None if svg else position.text(),
            "cells": cells_of(last, cell_names(svg)) if svg else [],
        }

    def _replay(self, match: str, number: int) -> tuple[GameResult, list[Position]]:
        pairing = self._pairing(match)
        key = pairing.key, number
        with self._lock:
            if key not in self._replays:
                found = list(self._open().results(pairing, number + 1, number))
                if not found:
                    raise UsageError(f"game {number} of this match is not in the store.")
                position = named_game(pairing.game, self._folder).start()
                positions = [position]
                for move in found[0].moves:
                    position = position.play_moves([move])
                    positions.append(position)
                self._replays[key] = found[0], positions
                while len(self._replays) > REPLAYS:
                    self._replays.popitem(last=False)
            return self._replays[key]

    def _pairing(self, match: str) -> Pairing:
        cells = self._once(
            "cells", lambda: {name_of(each.pairing): each.pairing for each in self._summaries()}
        )
        if match not in cells:
            raise UsageError("there is no such match in the store.")
        return cells[match]


def name_of(pairing: Pairing) -> str:
    """A short name for a pairing, the same for the same pairing."""
    return hashlib.blake2s(pairing.key.encode(), digest_size=9).hexdigest()


def _match(summary: Summary) -> dict[str, Any]:
    pairing = summary.pairing
    low, high = summary.score.ci95
    return {
        "match": name_of(pairing),
        "game": pairing.game,
        "first": pairing.agents[0],
        "second": pairing.agents[1],
        "budget": pairing.budget,
        "games": summary.games,
        "rate": summary.score.win_rate,
        "low": low,
        "high": high,
        "plies": round(summary.mean_plies, 1),
        "speed": round(summary.playouts_per_second),
    }


def _papers(summaries: Sequence[Summary]) -> list[dict[str, Any]]:
    results = Results(summaries)
    found = []
    for paper in papers():
        tables = []
        for table in paper.tables.values():
            verdicts = [each.verdict for each in results.entries(table) if each.score.games]
            tables.append(
                {
                    "name": table.name,
                    "caption": table.caption,
                    "figures": len(table.figures),
                    "run": len(verdicts),
                    "agrees": verdicts.count(AGREES),
                }
            )
        found.append(
            {
                "name": paper.name,
                "title": paper.title,
                "authors": paper.authors,
                "where": paper.where,
                "tables": tables,
            }
        )
    return found


def _entry(entry: Entry) -> dict[str, Any]:
    return entry.as_json() | {
        "best": entry.figure.best,
        "match": name_of(entry.pairing)
        if entry.pairing is not None and entry.score.games
        else None,
    }
