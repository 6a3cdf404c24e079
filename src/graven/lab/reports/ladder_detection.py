"""Find the tournaments behind the pairings of a store, and rate their agents.

The store contains pairings, not the tournaments that they belong to. A ladder rates exactly the
games of one tournament: agents that all met each other under the same conditions, and of each pair
the same number of games. `graven tournament` with these agents and this number of games gives the
same ratings. Games outside of it, such as a sweep against one of its agents, do not count.
"""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from graven.lab.experiments.pairing import ROTATE, Pairing, spec_with_budget
from graven.lab.stats.match_statistics import MatchStatistics
from graven.lab.stats.ratings import Ladder, rate_agents
from graven.lab.store.store import Store
from graven.lab.store.summaries import Summary
from graven.search.budget import Budget

MIN_AGENTS = 3
MAX_AGENTS = 60


class Entrant(NamedTuple):
    """An agent of a tournament with its budget."""

    spec: str
    budget: Budget


# The first agent of a pairing, and the second.
Meeting = tuple[Entrant, Entrant]


@dataclass(frozen=True)
class RatedGroup:
    """A tournament with its ratings: `games` games between every two of its agents, in all `total`.

    `pairing` is one of its pairings, and `agents` are in the order of the tournament.
    """

    pairing: Pairing
    agents: tuple[str, ...]
    games: int
    total: int
    ladder: Ladder

    @property
    def command(self) -> str:
        """The command that plays this tournament and prints these ratings."""
        words = self.pairing.command(self.games)
        return shlex.join(["graven", "tournament", words[2], *self.agents, *words[5:]])


def find_ladders(store: Store, summaries: Iterable[Summary]) -> list[RatedGroup]:
    """Return the tournaments in a store, rated; those with the most agents first."""
    groups: dict[object, dict[Meeting, Summary]] = defaultdict(dict)
    for summary in summaries:
        pairing = summary.pairing
        if pairing.seating != ROTATE or not summary.games:
            continue
        conditions = pairing.game, pairing.seed, pairing.opening_plies
        first, second = map(Entrant, pairing.agents, pairing.budgets)
        meetings = groups[conditions]
        known = meetings.get((first, second))
        if first != second and (known is None or known.games <= summary.games):
            meetings[first, second] = summary
    ladders = [rated for meetings in groups.values() for rated in _tournaments(store, meetings)]
    return sorted(ladders, key=lambda rated: -len(rated.agents))


def _tournaments(store: Store, meetings: dict[Meeting, Summary]) -> Iterator[RatedGroup]:
    """Yield tournaments, the one with the most games first, until no three agents are left."""
    left = dict(meetings)
    while (agents := _largest_tournament(left)) is not None:
        pairs = list(combinations(agents, 2))
        rated = _rate(store, agents, [left[pair] for pair in pairs])
        if rated is not None:
            yield rated
        for pair in pairs:
            del left[pair]


def _largest_tournament(meetings: dict[Meeting, Summary]) -> list[Entrant] | None:
    """Return the agents of the tournament with the most games, in their order."""
    best: list[Entrant] | None = None
    most = 0
    for games in sorted({summary.games for summary in meetings.values()}):
        enough = {meeting for meeting, summary in meetings.items() if summary.games >= games}
        for agents in _round_robins(enough):
            total = games * len(agents) * (len(agents) - 1) // 2
            if total > most:
                best, most = agents, total
    return best


def _round_robins(meetings: set[Meeting]) -> Iterator[list[Entrant]]:
    """Yield round robins of three agents or more, grown from every agent.

    The agents are in an order in which each is the first agent against all that follow.
    """
    followers: dict[Entrant, set[Entrant]] = defaultdict(set)
    for first, second in meetings:
        followers[first].add(second)
    for start in sorted(followers, key=str):
        agents, candidates = [start], followers[start]
        while candidates and len(agents) < MAX_AGENTS:
            # The candidate that leaves the most candidates; of equal ones, the first by name.
            chosen = min(
                candidates,
                key=lambda entrant: (-len(followers[entrant] & candidates), str(entrant)),
            )
            agents.append(chosen)
            candidates = candidates & followers[chosen]
        if len(agents) >= MIN_AGENTS:
            yield agents


def _rate(
    store: Store, agents: Sequence[Entrant], summaries: Sequence[Summary]
) -> RatedGroup | None:
    """Rate the games that all pairs of a tournament have played; None if there are none."""
    games = min(_consecutive(store, summary) for summary in summaries)
    if not games:
        return None
    shared = len({entrant.budget for entrant in agents}) == 1
    pairing = summaries[0].pairing
    names = [entrant.spec for entrant in agents]
    if not shared:
        names = [_with_budget(entrant) for entrant in agents]
    matches: dict[tuple[int, int], MatchStatistics] = {
        pair: store.summary(summary.pairing, games).statistics
        for pair, summary in zip(combinations(range(len(agents)), 2), summaries, strict=True)
    }
    return RatedGroup(
        pairing=pairing,
        agents=tuple(names),
        games=games,
        total=games * len(summaries),
        ladder=rate_agents(names, matches),
    )


def _consecutive(store: Store, summary: Summary) -> int:
    """Return how many games of a pairing were played without a gap, from the first one on."""
    played = store.recorded_games(summary.pairing, summary.games)
    return next(index for index in range(summary.games + 1) if index not in played)


def _with_budget(entrant: Entrant) -> str:
    return spec_with_budget(entrant.spec, entrant.budget)
