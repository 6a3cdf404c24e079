"""A live game as the state message of the page, as a JSON file and as an SGF file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graven.core.errors import UsageError
from graven.drawing import COLOURS, player_colour
from graven.games import go, sgf
from graven.interfaces.saved_games import PERSON, SavedGame
from graven.interfaces.web.board_cells import cell_names, cells_of_move
from graven.interfaces.web.game_titles import game_title
from graven.interfaces.web.live_game import LiveGame, MoveEvaluation


def state_message(live: LiveGame) -> dict[str, Any]:
    """Return everything that the page shows of the game, as plain values."""
    position, game = live.position, live.game
    svg = position.svg() if game.svg else None
    names = cell_names(svg) if svg else frozenset()
    return {
        "type": "state",
        "game": {
            "id": live.id,
            "spec": live.spec,
            "name": game.name,
            "title": live.spec if live.rules is not None else game_title(game),
            "players": list(game.player_names),
            "colours": player_colours(game.player_names),
            "one_click": live.one_click,
            "from_rules": live.rules is not None,
            "has_sgf": _has_sgf(live),
            "playouts": sorted(game.playouts),
            "misere": game.misere,
        },
        "svg": svg,
        "text": None if svg else position.text(),
        "shown_ply": live.shown_ply,
        "plies": [
            {
                "move": ply.move,
                "players": list(before.players_to_move),
                "cells": cells_of_move(ply.move, names),
                "evaluation": _evaluation(ply.evaluation, digits=4),
            }
            for ply, before in zip(live.plies, live.positions, strict=False)
        ],
        "players_to_move": list(position.players_to_move),
        "persons_to_move": live.persons_to_move(),
        "legal_moves": {
            player: [[move, cells_of_move(move, names)] for move in position.legal_moves_of(player)]
            for player in position.players_to_move
        },
        "is_over": live.is_over,
        "scores": list(live.scores) if live.scores else None,
        "points": position.points,
        "resigned": live.resigned,
        "seats": _seats(live),
        "playouts": live.budget.playouts,
        "seconds": live.budget.seconds if live.budget.playouts is None else None,
        "paused": live.paused,
        "seed": live.seed,
    }


def player_colours(names: Sequence[str]) -> list[dict[str, str]]:
    """Return the fill colour and the text colour of each player's pieces."""
    colours = [COLOURS[player_colour(names, player)] for player in range(len(names))]
    return [{"fill": colour.fill, "ink": colour.ink} for colour in colours]


def saved_game(live: LiveGame) -> dict[str, Any]:
    """Return the game as a game record to save; the page opens such a file again."""
    saved = SavedGame(
        game=live.spec,
        rules=live.rules,
        seats=_seats(live),
        playouts=live.budget.playouts,
        seconds=live.budget.seconds,
        seed=live.seed,
        moves=[ply.move for ply in live.plies],
    )
    return saved.as_dict() | {
        "evaluations": [_evaluation(ply.evaluation) for ply in live.plies],
        "scores": list(live.scores) if live.scores else None,
        "resigned": live.resigned,
    }


def sgf_text(live: LiveGame) -> str:
    """Return the game as SGF, with the agents' evaluations as comments."""
    if not _has_sgf(live):
        raise UsageError("SGF is for Go with two colours on a square board: save it as JSON.")
    game, last = live.game, live.positions[-1]
    result = ""
    if live.resigned is not None:
        result = "W+R" if live.resigned == 0 else "B+R"
    elif last.is_over:
        result = sgf.result_text(game, go.areas(last))
    names = [spec.text if spec else "a person" for spec in live.seats]
    return sgf.write(
        sgf.SgfGame(
            size=int(str(game.options["size"]).partition("x")[0]),
            komi=float(game.options["komi"]),
            moves=[
                (number % 2, ply.move, _comment(ply.evaluation))
                for number, ply in enumerate(live.plies)
            ],
            names=(names[0], names[1]),
            result=result,
        )
    )


def _has_sgf(live: LiveGame) -> bool:
    rows, _, columns = str(live.game.options.get("size", "")).partition("x")
    return live.game.name == "go" and rows == columns and live.game.players == 2


def _seats(live: LiveGame) -> list[str]:
    return [spec.text if spec else PERSON for spec in live.seats]


def _evaluation(
    evaluation: MoveEvaluation | None, digits: int | None = None
) -> dict[str, Any] | None:
    if evaluation is None:
        return None
    value = evaluation.value if digits is None else round(evaluation.value, digits)
    return {"player": evaluation.player, "value": value, "playouts": evaluation.playouts}


def _comment(evaluation: MoveEvaluation | None) -> str:
    if evaluation is None:
        return ""
    return f"{evaluation.playouts} playouts, win rate {100 * evaluation.value:.1f} %"
