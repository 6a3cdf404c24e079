"""What a search believes, as plain values: while it goes on, and of any node of its tree."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from graven.core.contract import TERMINAL
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.interfaces.web.search_pool import WAITING, Thinker
from graven.interfaces.web.web_games import cells_of
from graven.search import snapshot
from graven.search.plan import NEVER

LINE = 12
USUAL_REF = 50


def glimpse(thinker: Thinker) -> dict[str, Any]:
    """A search as it stands: all moves of the root by playouts, column by column."""
    said: dict[str, Any] = {
        "type": "think",
        "lens": thinker.lens,
        "player": thinker.player,
        "agent": thinker.spec.text,
        "ply": thinker.position.ply,
        "status": thinker.status,
        "error": thinker.error,
        "goal": thinker.budget.playouts,
        "playouts": 0,
        "rate": 0.0,
        "seconds": round(thinker.seconds, 3),
    }
    search, found = thinker.held.search, thinker.found
    # One that waits may be waiting for a search of another position, in the same tree.
    if search is None or thinker.status == WAITING:
        return said
    done = found.playouts if found else snapshot.playouts_done(search)
    if not done:
        return said
    game, player = thinker.position.game, thinker.player
    try:
        seen = snapshot.take_snapshot(search, snapshot.root_path(search), player)
    except (IndexError, ValueError):  # the tree grew meanwhile: wait for the next snapshot
        return said
    best = found.move_of(player) if found else None
    top = seen.moves[0] if seen.moves else None
    said |= {
        "playouts": done,
        "rate": round(done / max(thinker.seconds, 1e-3)),
        "nodes": snapshot.nodes_in_use(search),
        "value": _round(found.value_of(player) if found else top.mean if top else None),
        "best": best,
        "line": [
            [mover, move, cells_of(move, thinker.cells)]
            for mover, code in snapshot.live_variation(search, LINE)
            for move in (game.format_move(mover, code),)
        ],
        **columns(game, player, seen.moves),
    }
    return said


def columns(game: Game, player: int, moves: Sequence[snapshot.MoveSnapshot]) -> dict[str, Any]:
    """Moves column by column: a third of the size of row by row."""
    return {
        "moves": [game.format_move(player, each.code) for each in moves],
        "visits": [each.visits for each in moves],
        "means": [_round(each.mean) for each in moves],
        "amafVisits": [each.amaf_visits for each in moves],
        "amafs": [_round(each.amaf) for each in moves],
        "betas": [_round(each.beta) for each in moves],
        "values": [_round(each.value) for each in moves],
    }


def node(thinker: Thinker, path: Sequence[str], ref: int | None, most: int) -> dict[str, Any]:
    """A node of a tree, by the moves that lead to it: its best moves, and whose AMAF table each
    policy would read there."""
    search = thinker.held.search
    if (
        search is None
        or thinker.status == WAITING
        or not (thinker.found or snapshot.playouts_done(search))
    ):
        raise UsageError("there is no tree to look at yet.")
    game = thinker.position.game
    nodes = snapshot.nodes_along(search, path, game.move_code)
    if len(nodes) != len(path) + 1:
        raise UsageError("the tree does not go there.")
    visits = snapshot.node_visits(search, nodes)
    seen = snapshot.take_snapshot(search, nodes, thinker.player if not path else None)
    if ref is None:
        own = thinker.spec.ref
        ref = own if own is not None and 0 < own < NEVER else USUAL_REF
    mover = thinker.player if not path else seen.turn
    shown = seen.moves[:most]
    return {
        "type": "tree",
        "lens": thinker.lens,
        "path": list(path),
        "player": mover if 0 <= mover < game.players else None,
        "over": seen.turn == TERMINAL,
        "wayVisits": visits,
        "readAt": seen.amaf_depth,
        "ref": ref,
        "readers": snapshot.amaf_readers(visits, ref),
        "total": len(seen.moves),
        "inner": [each.expanded for each in shown],
        **columns(game, max(0, mover), shown),
    }


def _round(value: float | None) -> float | None:
    return None if value is None or not isfinite(value) else round(value, 4)
