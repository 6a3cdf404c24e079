"""Queries that aggregate or list all games of a result file."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from graven.core.bounded_json import read_json
from graven.lab.experiments.pairing import Pairing
from graven.lab.stats.intervals import Score
from graven.lab.store.stored_texts import read_list, read_spec


@dataclass(frozen=True)
class Summary:
    """The totals of a pairing's games, from the first agent's point of view.

    `versions` and `machines` are those that played the games.
    """

    pairing: Pairing
    score: Score
    plies: int = 0
    playouts: int = 0
    seconds: float = 0.0
    versions: tuple[str, ...] = ()
    machines: tuple[str, ...] = ()

    @property
    def games(self) -> int:
        """The number of games."""
        return self.score.games

    @property
    def mean_plies(self) -> float:
        """The mean length of a game."""
        return self.plies / max(1, self.games)

    @property
    def playouts_per_second(self) -> float:
        """Playouts per second of search: the rate of one worker, not the sum of all workers."""
        return self.playouts / self.seconds if self.seconds else 0.0


def one_search_each(
    summaries: Iterable[Summary], preferred: Collection[Pairing] = ()
) -> dict[str, Summary]:
    """Return one summary for each pairing, by the key of the pairing without its fingerprint.

    Games of different searches are not counted together: where a pairing has been played by
    several, the result is the summary of a pairing in `preferred`, else the one with the most
    games, else the latest.
    """
    chosen: dict[str, Summary] = {}
    for summary in summaries:
        key = summary.pairing.settings.key
        if key not in chosen or _rank(summary, preferred) >= _rank(chosen[key], preferred):
            chosen[key] = summary
    return chosen


def _rank(summary: Summary, preferred: Collection[Pairing]) -> tuple[bool, int]:
    return summary.pairing in preferred, summary.games


def select_summaries(
    db: sqlite3.Connection, where: str = "", values: Sequence[Any] = ()
) -> Iterator[Summary]:
    """Yield the totals of every pairing with games, in the order in which pairings were added.

    `where` is an SQL clause that selects games, and `values` are its parameters.
    """
    rows = db.execute(
        "SELECT key, SUM(outcome = 1), SUM(outcome = 0), SUM(outcome = 0.5), SUM(plies), "
        "SUM(playouts), SUM(game.seconds), GROUP_CONCAT(DISTINCT version), "
        "JSON_GROUP_ARRAY(DISTINCT machine) "
        f"FROM game JOIN cell ON cell.id = game.cell {where} GROUP BY cell.id",
        values,
    )
    for key, wins, losses, draws, plies, playouts, seconds, versions, machines in rows:
        yield Summary(
            pairing=Pairing.from_key(key),
            score=Score(wins, losses, draws),
            plies=plies,
            playouts=playouts,
            seconds=seconds,
            versions=tuple(versions.split(",")),
            machines=tuple(read_json(machines)),
        )


def select_rows(db: sqlite3.Connection) -> Iterator[dict[str, Any]]:
    """Yield every game with its pairing as plain values; seats, scores and moves are lists."""
    rows = db.execute(
        "SELECT cell.game, first, second, first_playouts, first_seconds, second_playouts, "
        "second_seconds, cell.seed AS cell_seed, openings, seating, number, outcome, "
        "seats, scores, plies, playouts, game.seconds, game.seed, ended, version, machine, "
        "moves FROM game JOIN cell ON cell.id = game.cell ORDER BY cell.id, number"
    )
    names = [column[0] for column in rows.description]
    for values in rows:
        row = dict(zip(names, values, strict=True))
        row |= {name: read_spec(row[name]) for name in ("first", "second")}
        row |= {name: read_list(row[name]) for name in ("seats", "scores", "moves")}
        yield row


def count_lengths(db: sqlite3.Connection) -> dict[str, dict[int, int]]:
    """Return, for the name of every game, how many recorded games had how many plies."""
    rows = db.execute(
        "SELECT cell.game, plies, COUNT(*) FROM game JOIN cell ON cell.id = game.cell "
        "GROUP BY cell.game, plies ORDER BY cell.game, plies"
    )
    counts: dict[str, dict[int, int]] = {}
    for game, plies, count in rows:
        counts.setdefault(str(game), {})[int(plies)] = int(count)
    return counts
