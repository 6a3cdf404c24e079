"""One search by several machines: independent trees on a Dask cluster, added up at the root.

This is `parallel=root` with processes of other machines instead of threads. Every thread of every
worker gets an equal share of the playouts, or the same time, and a seed derived from the search's.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graven.agents.dask_cluster import connect, quiet_logs
from graven.agents.move_clock import MoveClock
from graven.agents.search_result import SearchResult, choose_move, make_result, sorted_stats
from graven.core.compile_cache import sources_digest
from graven.core.errors import GravenError, UsageError
from graven.core.position import Position
from graven.core.rng import derive
from graven.search.budget import Budget
from graven.search.result import RootProof, root_proof
from graven.search.root_rows import RootRows, RootStatistics

if TYPE_CHECKING:
    from graven.agents.agent import SearchAgent

POLL_SECONDS = 0.02
MIB = 1 << 20


@dataclass(frozen=True)
class TreeShare:
    """What one tree of the cluster has found: the root's moves by player, and its size."""

    moves: dict[int, list[RootStatistics]]
    playouts: int
    plies: int
    nodes: int
    tables: int
    nbytes: int
    full: bool
    proof: RootProof
    digest: str  # of the sources of the package


def search_share(agent: SearchAgent, position: Position, budget: Budget, seed: int) -> TreeShare:
    """Search a position with a new tree; called on a worker."""
    search = agent.bind(position.game)
    run = search.run(position.state, position.history, budget, seed)
    return TreeShare(
        moves={player: search.root_statistics(player) for player in position.players_to_move},
        playouts=run.playouts,
        plies=run.plies,
        nodes=run.nodes,
        tables=run.tables,
        nbytes=search.nbytes,
        full=run.full,
        proof=root_proof(search.rules, run.tree),
        digest=sources_digest(),
    )


def search_on_cluster(
    agent: SearchAgent, position: Position, clock: MoveClock, seed: int, address: str
) -> SearchResult:
    """Search a position on all workers of the cluster whose scheduler is at `address`.

    If the clock's `stop` is set, what has been found until then is lost: the search raises.
    """
    if position.is_over:
        raise UsageError(f"the game of {position.game.name} is over: there is nothing to search.")
    began = time.perf_counter()
    with quiet_logs():
        client = connect(address)
        try:
            shares = _shares(client, agent, position, clock, seed=seed)
        except OSError:
            raise GravenError(
                f"the connection to the Dask scheduler at {address} is lost."
            ) from None
        finally:
            with suppress(OSError):
                client.close()
    if any(share.digest != sources_digest() for share in shares):
        raise UsageError(
            "a worker of the cluster has another version of graven: install the same everywhere."
        )
    return merged(agent, position, shares, seed, seconds=time.perf_counter() - began)


def _shares(
    client: Any, agent: SearchAgent, position: Position, clock: MoveClock, seed: int
) -> list[TreeShare]:
    trees = sum(client.nthreads().values())
    if not trees:
        raise UsageError("the cluster has no workers: start some with 'dask worker'.")
    playouts, seconds = clock.budget.playouts, clock.budget.seconds
    futures = []
    for number in range(min(trees, playouts or trees)):
        share = None if playouts is None else playouts // trees + (number < playouts % trees)
        arguments = agent, position, Budget(share, seconds), derive(seed, number)
        futures.append(client.submit(search_share, *arguments, pure=False))
    while not all(future.done() for future in futures):
        if clock.stop is not None and clock.stop.is_set():
            client.cancel(futures)
            raise GravenError("the search on the cluster was stopped: it has no result.")
        time.sleep(POLL_SECONDS)
    return [future.result() for future in futures]


def merged(
    agent: SearchAgent,
    position: Position,
    shares: Sequence[TreeShare],
    seed: int,
    seconds: float,
) -> SearchResult:
    """Return the result of several trees: the root's statistics of all of them together."""
    rule = agent.search_spec.options.final_move
    by_player, choices = {}, {}
    for player in position.players_to_move:
        total: dict[int, RootStatistics] = {}
        for share in shares:
            for move in share.moves[player]:
                total[move.code] = total[move.code] + move if move.code in total else move
        moves = list(total.values())
        rows = RootRows.of(moves)
        choices[player] = choose_move(position, player, rows, rule, seed=derive(seed, 1, player))
        by_player[player] = sorted_stats(position.game, player, moves)
    first = position.players_to_move[0]
    proven = [share.proof for share in shares if share.proof.proven]
    return make_result(
        position,
        choices,
        proven[0] if proven else shares[0].proof,
        root_stats=by_player[first],
        by_player=by_player,
        pv=(position.game.format_move(first, choices[first].code),),
        playouts=sum(share.playouts for share in shares),
        plies=sum(share.plies for share in shares),
        seconds=seconds,
        nodes=sum(share.nodes for share in shares),
        amaf_tables=sum(share.tables for share in shares),
        memory_mib=sum(share.nbytes for share in shares) / MIB,
        memory_full=any(share.full for share in shares),
    )
