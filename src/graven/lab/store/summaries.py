"""Queries that aggregate or list all games of a result file."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from graven.core.bounded_json import read_json
from graven.lab.experiments.pairing import ROTATE, SINGLE, STORED_SEATINGS, Pairing
from graven.lab.stats.intervals import Sample, Score
from graven.lab.stats.match_statistics import MatchStatistics, SeatScore
from graven.lab.store.stored_texts import read_list

# The columns of a pairing in tables that are exported; `exported_pairing` completes them.
PAIRING_COLUMNS = "cell.key AS pairing"


@dataclass(frozen=True)
class Summary:
    """The totals of a pairing's games, from the first agent's point of view.

    `versions` and `machines` are those that played the games.
    """

    pairing: Pairing
    statistics: MatchStatistics
    plies: int = 0
    playouts: int = 0
    seconds: float = 0.0
    versions: tuple[str, ...] = ()
    machines: tuple[str, ...] = ()

    @property
    def score(self) -> Score:
        """The games won, lost and drawn."""
        return self.statistics.score

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
    totals = db.execute(
        "SELECT cell.id, key, SUM(plies), SUM(playouts), SUM(game.seconds), "
        "GROUP_CONCAT(DISTINCT version), JSON_GROUP_ARRAY(DISTINCT machine) "
        f"FROM game JOIN cell ON cell.id = game.cell {where} GROUP BY cell.id",
        values,
    ).fetchall()
    # Later queries may see more games than earlier ones, but never fewer.
    results = _select_results(db, where, values)
    groups = _select_groups(db, where, values)
    for cell, key, plies, playouts, seconds, versions, machines in totals:
        pairing = Pairing.from_key(key)
        yield Summary(
            pairing=pairing,
            statistics=_statistics(pairing, results[cell], groups.get(cell, ())),
            plies=plies,
            playouts=playouts,
            seconds=seconds,
            versions=tuple(versions.split(",")),
            machines=tuple(read_json(machines)),
        )


class _ResultCount(NamedTuple):
    """How many games of a pairing had the same seats and scores."""

    seats: tuple[int, ...]
    scores: tuple[float, ...]
    outcome: float
    games: int


class _GroupCount(NamedTuple):
    """How many complete groups of `size` games from the same opening had the same points.

    `first_seat` are the points of the first seat, over both agents.
    """

    points: float
    first_seat: float
    size: int
    groups: int


def _select_results(
    db: sqlite3.Connection, where: str, values: Sequence[Any]
) -> dict[int, list[_ResultCount]]:
    rows = db.execute(
        "SELECT cell.id, seats, scores, outcome, COUNT(*) "
        f"FROM game JOIN cell ON cell.id = game.cell {where} "
        "GROUP BY cell.id, seats, scores, outcome",
        values,
    )
    results: dict[int, list[_ResultCount]] = defaultdict(list)
    for cell, seats, scores, outcome, games in rows:
        counted = _ResultCount(tuple(read_list(seats)), tuple(read_list(scores)), outcome, games)
        results[cell].append(counted)
    return results


def _select_groups(
    db: sqlite3.Connection, where: str, values: Sequence[Any]
) -> dict[int, list[_GroupCount]]:
    rows = db.execute(
        "SELECT id, points, first_seat, size, COUNT(*) FROM ("
        "SELECT cell.id AS id, SUM(outcome) AS points, "
        "SUM(IIF(JSON_EXTRACT(seats, '$[0]') = 0, outcome, 1 - outcome)) AS first_seat, "
        f"IIF(seating = '{STORED_SEATINGS[SINGLE]}', JSON_ARRAY_LENGTH(seats), 2) AS size "
        f"FROM game JOIN cell ON cell.id = game.cell {f'{where} AND' if where else 'WHERE'} "
        "openings > 0 GROUP BY cell.id, number / size HAVING COUNT(*) = size"
        ") GROUP BY id, points, first_seat, size",
        values,
    )
    groups: dict[int, list[_GroupCount]] = defaultdict(list)
    for cell, *counted in rows:
        groups[cell].append(_GroupCount(*counted))
    return groups


def _statistics(
    pairing: Pairing, results: Sequence[_ResultCount], groups: Sequence[_GroupCount]
) -> MatchStatistics:
    """Return the statistics of a pairing from its counted results."""
    by_seats: dict[tuple[int, ...], Score] = defaultdict(Score)
    total, players = Score(), len(results[0].seats)
    points = [0.0] * players
    for result in results:
        score = Score(
            *(result.games if result.outcome == outcome else 0 for outcome in (1.0, 0.0, 0.5))
        )
        by_seats[result.seats] += score
        total += score
        for player, player_score in enumerate(result.scores[:players]):
            points[player] += player_score * result.games
    return MatchStatistics(
        score=total,
        seat_scores=tuple(SeatScore(seats, by_seats[seats]) for seats in sorted(by_seats)),
        seat_points=tuple(sum_ / total.games for sum_ in points),
        groups=_group_sample(groups, "points") if groups else None,
        first_seat_groups=_group_sample(groups, "first_seat") if groups else None,
        equal_seats=pairing.seating == ROTATE or players == 2,
    )


def _group_sample(groups: Sequence[_GroupCount], points: str) -> Sample:
    """Return the mean results of groups, of the first agent or of the first seat."""
    counts: dict[float, int] = defaultdict(int)
    for group in groups:
        counts[getattr(group, points) / group.size] += group.groups
    return Sample(tuple(sorted(counts.items())), groups[0].size)


def exported_pairing(key: str, index: int) -> dict[str, Any]:
    """Return the first columns of an exported row: which game it is, and its pairing."""
    values = pairing_values(key)
    return {"pairing": values["pairing"], "index": index, **values}


@lru_cache(maxsize=1 << 12)
def pairing_values(key: str) -> dict[str, Any]:
    """Return the exported columns of the pairing with a stored key.

    A clock for the whole game is in the agent's spec, not in the seconds of a move.
    """
    pairing = Pairing.from_key(key)
    first, second = (limits.move for limits in pairing.limits)
    return {
        "pairing": pairing.id,
        "fingerprint": pairing.search_fingerprint,
        "game": pairing.game,
        "first": pairing.agents[0],
        "second": pairing.agents[1],
        "first_playouts": first.playouts,
        "first_seconds": first.seconds,
        "second_playouts": second.playouts,
        "second_seconds": second.seconds,
        "match_seed": str(pairing.seed),
        "opening_plies": pairing.opening_plies,
        "seating": pairing.seating,
    }


def select_rows(db: sqlite3.Connection) -> Iterator[dict[str, Any]]:
    """Yield every game with its pairing as plain values; seats, scores and moves are lists."""
    rows = db.execute(
        f'SELECT {PAIRING_COLUMNS}, number AS "index", outcome, '
        "seats, scores, plies, playouts, game.seconds, game.seed, ended, version, machine, "
        "moves FROM game JOIN cell ON cell.id = game.cell ORDER BY cell.id, number"
    )
    names = [column[0] for column in rows.description]
    for values in rows:
        row = dict(zip(names, values, strict=True))
        row |= {name: read_list(row[name]) for name in ("seats", "scores", "moves")}
        yield {**exported_pairing(row.pop("pairing"), row.pop("index")), **row}


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
