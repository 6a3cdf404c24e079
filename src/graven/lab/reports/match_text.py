"""A match as text: the lines that `graven match` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graven.agents.result_text import TextLine
from graven.core.plural import counted
from graven.lab.stats.intervals import Score
from graven.lab.stats.match_statistics import MatchStatistics

if TYPE_CHECKING:
    from graven.lab.experiments.match import MatchResult


def rate_text(score: Score, interval: tuple[float, float]) -> str:
    """Format a win rate with its confidence interval."""
    if score.win_rate is None:
        return "no game finished"
    low, high = interval
    return f"{100 * score.win_rate:.1f} % (95 %: {100 * low:.1f} to {100 * high:.1f})"


def p_text(p_value: float | None) -> str:
    """Format a p-value: p 0.043, p < 0.001."""
    if p_value is None:
        return "p -"
    return f"p {p_value:.3f}" if p_value >= 0.001 else "p < 0.001"


def text_row(name: str, text: str, style: str = "") -> TextLine:
    """Return a line with a name at its beginning."""
    return TextLine(f"{name:<11}{text}", style)


def match_lines(result: MatchResult) -> list[TextLine]:
    """Return the agents, the game and the statistics of a match."""
    lines = [
        TextLine(result.pairing.title, "bold"),
        text_row("game", f"{result.game}, {result.games} games, {result.plies:.1f} plies each"),
        text_row("budget", result.pairing.budget),
        text_row("pairing", result.pairing.id),
    ]
    if result.new < result.games:
        lines.append(text_row("new", f"{result.new} games; the others were in the store"))
    if result.failures:
        count = len(result.failures)
        lines.append(text_row("failed", f"{counted(count, 'game')}; {result.failures[0]}"))
    score, statistics = result.score, result.statistics
    lines += [
        text_row("score", f"{score.wins} won, {score.draws} drawn, {score.losses} lost"),
        text_row("speed", f"{result.playouts_per_second:,.0f} playouts/s on each worker"),
        text_row("win rate", rate_text(score, result.ci95), "bold"),
    ]
    if statistics.elo is not None and statistics.elo_ci95 is not None:
        low, high = statistics.elo_ci95
        superiority = f"{100 * (statistics.superiority or 0.0):.1f} %"
        lines += [
            text_row("Elo", f"{statistics.elo:+.0f} (95 %: {low:+.0f} to {high:+.0f})"),
            text_row("superior", f"{superiority}, {p_text(statistics.p_value)}"),
        ]
    if statistics.seat_scores:
        lines.append(text_row("seats", _seats(statistics)))
    if statistics.pentanomial is not None:
        counts = "-".join(map(str, statistics.pentanomial))
        points = "with 0, 1/2, 1, 3/2, 2 points"
        lines.append(text_row("pairs", f"{statistics.sample.size}: {counts} {points}"))
    if result.verdict is not None:
        lines.append(text_row("test", str(result.verdict)))
    return lines


def _seats(statistics: MatchStatistics) -> str:
    """Format the first agent's score in each seat, and the advantage of the first of two seats."""
    first_seat = statistics.first_seat
    if first_seat is None:
        return "; ".join(
            f"seats {','.join(str(p + 1) for p, side in enumerate(seat.seats) if side == 0)}: "
            f"{_wdl(seat.score)}"
            for seat in statistics.seat_scores
        )
    scores = {seat.seats[0]: seat.score for seat in statistics.seat_scores}
    parts = [f"as player {side + 1} {_wdl(scores[side])}" for side in (0, 1) if side in scores]
    advantage = f"player 1 wins {rate_text(first_seat.score, first_seat.ci95)}"
    return "; ".join([*parts, advantage])


def _wdl(score: Score) -> str:
    return f"{score.wins}-{score.draws}-{score.losses}"
