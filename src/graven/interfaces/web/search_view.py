"""A search as messages for the page: its root while it runs, and any node of its tree."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from graven.agents.search_result import bounds_text
from graven.core.contract import CHANCE, TERMINAL
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.interfaces.web.board_cells import cells_of_move
from graven.interfaces.web.search_pool import COMPILING, WAITING, PageSearch
from graven.search import snapshot
from graven.search.amaf_order import amaf_order
from graven.search.plan import NEVER

MAX_PV_PLIES = 12
DEFAULT_REF = 50


def search_message(page_search: PageSearch) -> dict[str, Any]:
    """Return the status of a search and the statistics of all root moves, by visits."""
    result = page_search.result
    message: dict[str, Any] = {
        "type": "search",
        "slot": page_search.slot,
        "player": page_search.player,
        "agent": page_search.spec.text,
        "ply": page_search.position.ply,
        "status": page_search.status,
        "error": page_search.error,
        "budget_playouts": page_search.budget.playouts,
        "playouts": 0,
        "playouts_per_second": 0.0,
        "seconds": round(page_search.seconds, 3),
    }
    search = page_search.retained.search
    # Until a search runs, its tree may be in use by a search of another position.
    if search is None or page_search.status in (WAITING, COMPILING):
        return message
    playouts = result.playouts if result else snapshot.playouts_done(search)
    if not playouts and not (result and result.proven):
        return message
    game, player = page_search.position.game, page_search.player
    try:
        root = snapshot.take_snapshot(search, snapshot.root_path(search), player)
        order = amaf_order(search.rules, search.tree)
    except (IndexError, ValueError):  # the tree grew during the read: wait for the next update
        return message
    first_mean = root.moves[0].mean if root.moves else None
    value = result.value_of(player) if result else first_mean
    return message | {
        "playouts": playouts,
        "playouts_per_second": round(playouts / max(page_search.seconds, 1e-3)),
        "nodes": snapshot.nodes_in_use(search),
        "amaf_misleads": order.misleads,
        "value": _round(value),
        "best_move": result.move_of(player) if result else None,
        "proof": result.proof_text if result else "",
        "pv": [
            [mover, move, cells_of_move(move, page_search.cells)]
            for mover, code in snapshot.live_variation(search, MAX_PV_PLIES)
            for move in (game.format_move(mover, code),)
        ],
        **_move_columns(game, player, root.moves),
    }


def tree_node_message(
    page_search: PageSearch, path: Sequence[str], ref: int | None, max_moves: int
) -> dict[str, Any]:
    """Return a node of a tree, given by the moves that lead to it from the root.

    The message has the most visited moves of the node, and for each policy the depth on the path of
    the node whose AMAF table it would read. `ref` is the ref of GRAVE for that; None takes the
    agent's own.
    """
    search = page_search.retained.search
    if (
        search is None
        or page_search.status in (WAITING, COMPILING)
        or not (page_search.result or snapshot.playouts_done(search))
    ):
        raise UsageError("there is no tree to show yet.")
    game = page_search.position.game
    nodes = snapshot.nodes_along(search, path, game.move_code)
    if len(nodes) != len(path) + 1:
        raise UsageError("this node is not in the tree.")
    visits = snapshot.node_visits(search, nodes)
    player = None if path else page_search.player
    node = snapshot.take_snapshot(search, nodes, player)
    if ref is None:
        agent_ref = page_search.spec.ref
        ref = agent_ref if agent_ref is not None and 0 < agent_ref < NEVER else DEFAULT_REF
    mover = node.turn if player is None else player
    shown = node.moves[:max_moves]
    return {
        "type": "tree_node",
        "slot": page_search.slot,
        "path": list(path),
        "player": mover if 0 <= mover < game.players else None,
        "is_over": node.turn == TERMINAL,
        "path_visits": visits,
        "amaf_depth": node.amaf_depth,
        "ref": ref,
        "amaf_depth_by_policy": snapshot.amaf_readers(visits, ref),
        "num_moves": len(node.moves),
        "expanded": [move.expanded for move in shown],
        **_move_columns(game, game.chance_index if mover == CHANCE else max(0, mover), shown),
    }


def _move_columns(
    game: Game, player: int, moves: Sequence[snapshot.MoveSnapshot]
) -> dict[str, Any]:
    """Return the statistics of moves as columns: a third of the size of rows in JSON."""
    return {
        "moves": [game.format_move(player, move.code) for move in moves],
        "visits": [move.visits for move in moves],
        "means": [_round(move.mean) for move in moves],
        "amaf_visits": [move.amaf_visits for move in moves],
        "amaf_means": [_round(move.amaf) for move in moves],
        "betas": [_round(move.beta) for move in moves],
        "values": [_round(move.value) for move in moves],
        "proofs": [bounds_text(move.lower, move.upper, move.plies_left + 1) for move in moves],
    }


def _round(value: float | None) -> float | None:
    return None if value is None or not isfinite(value) else round(value, 4)
