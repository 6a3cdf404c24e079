"""Analysis of a position in the formats of Leela Zero (`lz-`) and KataGo (`kata-`)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from graven.agents import MoveClock, MoveStat, SearchPlayer, SearchResult
from graven.core.position import Position
from graven.interfaces.gtp.gtp_arguments import parse_number
from graven.interfaces.gtp.gtp_board import GtpBoard
from graven.interfaces.gtp.gtp_clock import MAX_TIME_SECONDS
from graven.interfaces.gtp.gtp_protocol import CommandError
from graven.interfaces.gtp.gtp_session import GtpSession
from graven.search.budget import Budget
from graven.search.result import principal_variation

CENTISECONDS = 100
DEFAULT_INTERVAL = 1.0
MIN_INTERVAL = 0.05
MAX_MOVES = 20  # in a report
MAX_PV_MOVES = 12

LEELA_ZERO, KATAGO = "lz", "kata"


@dataclass(frozen=True)
class AnalysisRequest:
    """What to analyse and how to report it: `interval` is the time between reports in seconds."""

    player: int
    interval: float
    style: str


def parse_request(arguments: tuple[str, ...], board: GtpBoard, style: str) -> AnalysisRequest:
    """Parse `[colour] [interval]` or `interval N`; skip KataGo's options that select output."""
    player, interval = max(0, int(board.position.current_player)), DEFAULT_INTERVAL
    words = list(arguments)
    while words:
        word = words.pop(0)
        if word.lower() in ("b", "w", "black", "white"):
            player = board.player(word)
        elif word == "interval" or word.replace(".", "", 1).isdigit():
            number = words.pop(0) if word == "interval" and words else word
            interval = parse_number(number, "interval", 1, 1e6) / CENTISECONDS
        elif word in ("avoid", "allow") and len(words) >= 3:
            raise CommandError(f"{word} is not supported")
        elif word in ("minmoves", "maxmoves", "ownership", "pvVisits", "rootInfo") and words:
            words.pop(0)
        else:
            raise CommandError("syntax error")
    return AnalysisRequest(player, max(MIN_INTERVAL, interval), style)


def reports(
    session: GtpSession, position: Position, request: AnalysisRequest, play: bool
) -> Iterator[tuple[SearchResult, str]]:
    """Search in one tree and yield each result with its report line.

    Ends when the next input line arrives; with `play`, when the budget of a move is spent.
    """
    player = session.agent.with_options(reuse_tree=True).player(position.game, session.seed)
    stop = None if play else session.next_line
    budget = Budget(seconds=MAX_TIME_SECONDS)
    if play:
        budget = session.move_budget(request.player, position)
    began, playouts_done = time.monotonic(), 0
    while True:
        seconds = request.interval
        if budget.seconds is not None:
            seconds = min(seconds, budget.seconds - (time.monotonic() - began))
        playouts_left = None if budget.playouts is None else budget.playouts - playouts_done
        if seconds <= 0 or (playouts_left is not None and playouts_left <= 0):
            return
        result = player.ponder(position, MoveClock(Budget(playouts_left, seconds), stop))
        playouts_done += result.playouts
        yield result, report_line(result, player, request)
        if result.proven:  # searching on would do nothing
            while stop is not None and not stop.is_set():
                time.sleep(MIN_INTERVAL)
            return
        if stop is not None and stop.is_set():
            return


def report_line(result: SearchResult, searcher: SearchPlayer, request: AnalysisRequest) -> str:
    """Return the report: moves by visits, then by AMAF value; "" if none has been visited."""
    player = request.player
    ordered = sorted(
        (stat for stat in result.by_player[player] if stat.visits),
        key=lambda stat: (-stat.visits, -(stat.amaf or 0.0)),
    )
    return " ".join(
        f"info move {stat.move.upper()} visits {stat.visits} {_values(stat, request.style)} "
        f"order {order} {_proof(stat)}pv {_variation(searcher, player, stat.move)}"
        for order, stat in enumerate(ordered[:MAX_MOVES])
    )


def _values(stat: MoveStat, style: str) -> str:
    """Return a move's value: its proven score, which GUIs show as 100 % or 0 %, or its mean."""
    mean = stat.lower if stat.lower >= stat.upper else stat.mean
    if style == KATAGO:
        return f"utility {2 * mean - 1:.4f} winrate {mean:.4f} prior 0 lcb {mean:.4f}"
    return f"winrate {round(10_000 * mean)} prior 0 lcb {round(10_000 * mean)}"


def _proof(stat: MoveStat) -> str:
    """Return what is proven about a move as one key with one value, which GUIs skip; or ""."""
    return f"proof {stat.proof_text.replace(' ', '-')} " if stat.proof_text else ""


def _variation(searcher: SearchPlayer, player: int, move: str) -> str:
    """Return the principal variation that begins with a move."""
    game, search = searcher.game, searcher.search
    code = game.move_code(player, move)
    line = principal_variation(search.rules, search.tree, code, MAX_PV_MOVES)
    return " ".join(game.format_move(mover, played).upper() for mover, played in line)
