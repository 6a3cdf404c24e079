"""Reports of a search under way, in the words that boards know from Leela Zero and KataGo."""

from __future__ import annotations

from dataclasses import dataclass

from graven.agents import SearchResult
from graven.core.game import Game
from graven.interfaces.gtp.gtp_board import Table, parse_number
from graven.interfaces.gtp.gtp_protocol import CommandError
from graven.search.engine import Search
from graven.search.result import principal_variation

CENTISECONDS = 100
DEFAULT_INTERVAL = 1.0
SHOWN = 20  # moves in a report
LINE = 12  # moves of a variation


@dataclass(frozen=True)
class Request:
    """Whose move is analysed, and how many seconds lie between reports."""

    player: int
    interval: float


def parse_request(arguments: tuple[str, ...], table: Table) -> Request:
    """`[colour] [interval]`, `interval N`, and further words of KataGo's that change nothing."""
    player, interval = max(0, int(table.position.current_player)), DEFAULT_INTERVAL
    words = list(arguments)
    while words:
        word = words.pop(0)
        if word.lower() in ("b", "w", "black", "white"):
            player = table.player(word)
        elif word == "interval" or word.replace(".", "", 1).isdigit():
            number = words.pop(0) if word == "interval" and words else word
            interval = parse_number(number, "interval", 1, 1e6) / CENTISECONDS
        elif word in ("avoid", "allow") and len(words) >= 3:
            raise CommandError(f"{word} is not supported")
        elif word in ("minmoves", "maxmoves", "ownership", "pvVisits", "rootInfo") and words:
            words.pop(0)
        else:
            raise CommandError("syntax error")
    return Request(player, max(0.05, interval))


def info_lines(found: SearchResult, search: Search, game: Game, player: int, style: str) -> str:
    """One line about the moves: by playouts, and among equals by their AMAF value."""
    ordered = sorted(
        (stat for stat in found.by_player[player] if stat.visits),
        key=lambda stat: (-stat.visits, -(stat.amaf or 0.0)),
    )
    return " ".join(
        f"info move {stat.move.upper()} visits {stat.visits} {_values(stat.mean, style)} "
        f"order {order} pv {_variation(search, game, player, stat.move)}"
        for order, stat in enumerate(ordered[:SHOWN])
    )


def _values(mean: float, style: str) -> str:
    if style == "kata":
        return f"utility {2 * mean - 1:.4f} winrate {mean:.4f} prior 0 lcb {mean:.4f}"
    return f"winrate {round(10_000 * mean)} prior 0 lcb {round(10_000 * mean)}"


def _variation(search: Search, game: Game, player: int, move: str) -> str:
    """The most played line that begins with a move."""
    code = game.move_code(player, move)
    line = principal_variation(search.rules, search.tree, code, LINE)
    return " ".join(game.format_move(mover, played).upper() for mover, played in line)
