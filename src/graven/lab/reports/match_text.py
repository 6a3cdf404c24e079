"""A match as text: the lines that `graven match` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graven.agents.result_text import TextLine
from graven.lab.stats.intervals import Score, elo_from_rate

if TYPE_CHECKING:
    from graven.lab.experiments.match import MatchResult


def rate_text(score: Score, interval: tuple[float, float]) -> str:
    """Format a win rate with its confidence interval."""
    if score.win_rate is None:
        return "no game finished"
    low, high = interval
    return f"{100 * score.win_rate:.1f} % (95 %: {100 * low:.1f} to {100 * high:.1f})"


def text_row(name: str, text: str, style: str = "") -> TextLine:
    """Return a line with a name at its beginning."""
    return TextLine(f"{name:<11}{text}", style)


def match_lines(result: MatchResult) -> list[TextLine]:
    """Return the agents, the game, the score and the win rate of a match."""
    score = result.score
    lines = [
        TextLine(result.pairing.title, "bold"),
        text_row("game", f"{result.game}, {result.games} games, {result.plies:.1f} plies each"),
        text_row("budget", f"{result.pairing.budget} a move"),
    ]
    if result.new < result.games:
        lines.append(text_row("new", f"{result.new} games; the others were in the store"))
    lines += [
        text_row("score", f"{score.wins} won, {score.losses} lost, {score.draws} drawn"),
        text_row("speed", f"{result.playouts_per_second:,.0f} playouts/s on each worker"),
        text_row("win rate", rate_text(score, result.ci95), "bold"),
    ]
    if result.win_rate is not None:
        ends = " to ".join(f"{elo_from_rate(end):+.0f}" for end in result.ci95)
        lines.append(text_row("Elo", ends))
    if result.verdict is not None:
        lines.append(text_row("test", str(result.verdict)))
    return lines
