"""Plots like figures of a paper: small, plain, legible in print and without colours.

Each function draws and returns one figure. No other module of the package uses Matplotlib.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from itertools import accumulate
from math import ceil, isnan, nan
from typing import TYPE_CHECKING, Any, TypeVar, cast

from graven.core.calls import format_value
from graven.core.extras import require
from graven.lab.experiments.pairing import Pairing
from graven.lab.reports.ladder_detection import RatedGroup
from graven.lab.reports.sweep_detection import WinRateCurve, WinRateGrid, unmarked
from graven.lab.reports.tuning_history import TuningHistory
from graven.lab.stats.match_statistics import MatchStatistics

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OUR_COLOUR, PUBLISHED_COLOUR, LINE_COLOUR = "#0b4f8a", "#c8641c", "#8a8a8a"
INK_COLOUR, GRID_COLOUR, PRUNED_COLOUR = "#1f2328", "#dddddd", "#9aa4ad"
# An SVG follows the reader's colour scheme: each colour and what it is on a dark background.
DARK_COLOURS = {
    INK_COLOUR: "#e6e6e6",
    OUR_COLOUR: "#6cb0f0",
    PUBLISHED_COLOUR: "#f0a060",
    LINE_COLOUR: "#8b949e",
    GRID_COLOUR: "#3a4048",
    PRUNED_COLOUR: "#6b757f",
}
WIDTH = 5.4
STYLE = {
    "font.family": "serif",
    "font.serif": ["DejaVu Serif"],
    "mathtext.fontset": "dejavuserif",
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.labelsize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "axes.axisbelow": True,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "text.color": INK_COLOUR,
    "axes.labelcolor": INK_COLOUR,
    "axes.edgecolor": INK_COLOUR,
    "xtick.color": INK_COLOUR,
    "ytick.color": INK_COLOUR,
    "grid.color": GRID_COLOUR,
    "grid.linewidth": 0.6,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "svg.hashsalt": "graven",
}
MAX_NAME_LENGTH = 48
LOG_SCALE_RATIO = 30

Draw = TypeVar("Draw", bound=Callable[..., Any])
# A win rate and the ends of its confidence interval, in per cent.
RateInterval = tuple[float, float, float]


def _in_style(draw: Draw) -> Draw:
    """Draw with the settings of `STYLE`, which Matplotlib reads while it draws."""

    @wraps(draw)
    def styled(*arguments: Any) -> Any:
        matplotlib = require("plots")
        with matplotlib.rc_context(STYLE):
            return draw(*arguments)

    return cast("Draw", styled)


@_in_style
def win_rate_curve(curve: WinRateCurve, published: Mapping[float, RateInterval]) -> Figure:
    """Draw the win rate over a parameter, with 95 % confidence intervals.

    `published` has published win rates, in per cent, by the value of the parameter.
    """
    figure, axes = _new_figure(WIDTH, 3.1)
    ours = [_rate_interval(summary.statistics) for summary in curve.summaries]
    log_scale = _needs_log_scale(curve.values)
    # Without a scale, values are evenly spaced, like a list of settings.
    positions = list(curve.values) if log_scale else [float(i) for i in range(len(curve.values))]
    shift = _shift(positions, log_scale)
    if published:
        points = [
            (shift(x, 1), published[value])
            for x, value in zip(positions, curve.values, strict=True)
            if value in published
        ]
        _error_bars(axes, points, color=PUBLISHED_COLOUR, marker="s", label="published")
        positions_of_ours = [shift(x, -1) for x in positions]
    else:
        positions_of_ours = positions
    rates = [rate for rate, _, _ in ours]
    axes.plot(positions_of_ours, rates, color=OUR_COLOUR, linewidth=0.8, alpha=0.5, zorder=2)
    points = list(zip(positions_of_ours, ours, strict=True))
    _error_bars(axes, points, color=OUR_COLOUR, marker="o", label="graven")
    axes.axhline(50, color=LINE_COLOUR, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    if log_scale:
        axes.set_xscale("log")
    else:
        axes.set_xticks(positions, [format_value(value) for value in curve.values])
    axes.set_xlabel(_short(unmarked(curve.name)))
    axes.set_ylabel("games won (%)")
    ends = [end for _, *interval in (*ours, *published.values()) for end in interval]
    low, high = min([*ends, 48]), max([*ends, 52])
    axes.set_ylim(max(0, low - 3), min(100.5, high + 3))
    axes.grid(axis="y")
    axes.set_title(_title(curve.pairing), loc="left")
    if published:
        # Above the axes, where there are no points.
        axes.legend(loc="lower right", bbox_to_anchor=(1.01, 0.99), ncols=2, handletextpad=0.3)
    return figure


def _rate_interval(statistics: MatchStatistics) -> RateInterval:
    low, high = statistics.ci95
    return 100 * (statistics.win_rate or 0.0), 100 * low, 100 * high


def _error_bars(
    axes: Any, points: Sequence[tuple[float, RateInterval]], *, color: str, marker: str, label: str
) -> None:
    rates = [rate for _, (rate, _, _) in points]
    below = [max(0.0, rate - low) for _, (rate, low, _) in points]
    above = [max(0.0, high - rate) for _, (rate, _, high) in points]
    axes.errorbar(
        [x for x, _ in points],
        rates,
        yerr=[below, above],
        fmt=marker,
        color=color,
        markersize=4,
        elinewidth=0.9,
        capsize=2.2,
        capthick=0.9,
        label=label,
        zorder=3,
    )


def _needs_log_scale(values: Sequence[float]) -> bool:
    return min(values) > 0 and max(values) / min(values) >= LOG_SCALE_RATIO


def _shift(positions: Sequence[float], log_scale: bool) -> Callable[[float, int], float]:
    """Return a function that moves points a little, so that ours and published do not overlap."""
    if log_scale:
        ratio = (max(positions) / min(positions)) ** 0.008
        return lambda x, direction: x * float(ratio**direction)
    step = 0.008 * max(1.0, max(positions) - min(positions))
    return lambda x, direction: x + direction * step


@_in_style
def heat_map(grid: WinRateGrid) -> Figure:
    """Draw the win rates over two parameters, with the numbers in the fields."""
    from matplotlib.colors import TwoSlopeNorm

    rates = [
        [100 * (summary.score.win_rate or 0.0) if summary else nan for summary in row]
        for row in grid.rows
    ]
    played = [rate for row in rates for rate in row if not isnan(rate)]
    reach = max(5.0, *(abs(rate - 50) for rate in played))
    height = 0.9 + 0.36 * len(grid.row_values)
    figure, axes = _new_figure(max(WIDTH, 1.6 + 0.46 * len(grid.column_values)), max(1.9, height))
    norm = TwoSlopeNorm(50, 50 - reach, 50 + reach)
    image = axes.imshow(rates, cmap="RdBu", norm=norm, aspect="auto")
    best = max(played)
    for y, row in enumerate(rates):
        for x, rate in enumerate(row):
            if isnan(rate):
                continue
            dark = abs(rate - 50) > 0.62 * reach
            axes.text(
                x,
                y,
                f"{rate:.0f}",
                ha="center",
                va="center",
                fontsize=7.5,
                color="white" if dark else "black",
                fontweight="bold" if rate == best else "normal",
            )
    columns, rows = grid.column_values, grid.row_values
    axes.set_xticks(range(len(columns)), [format_value(value) for value in columns])
    axes.set_yticks(range(len(rows)), [format_value(value) for value in rows])
    axes.tick_params(length=0)
    if len(columns) > 8:
        axes.tick_params(axis="x", rotation=40)
    axes.set_xlabel(unmarked(grid.names[1]))
    axes.set_ylabel(unmarked(grid.names[0]))
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    bar = figure.colorbar(image, ax=axes, pad=0.02, fraction=0.05)
    bar.set_label("games won (%)")
    bar.outline.set_visible(False)
    axes.set_title(_title(grid.pairing), loc="left")
    return figure


@_in_style
def rating_ladder(rated: RatedGroup) -> Figure:
    """Draw ratings with their confidence intervals, the best at the top."""
    ratings = list(reversed(rated.ladder.ratings))
    figure, axes = _new_figure(WIDTH + 0.8, 1.0 + 0.27 * len(ratings))
    positions = list(range(len(ratings)))
    axes.errorbar(
        [rating.elo for rating in ratings],
        positions,
        xerr=[
            [rating.elo - rating.low for rating in ratings],
            [rating.high - rating.elo for rating in ratings],
        ],
        fmt="o",
        color=OUR_COLOUR,
        markersize=4,
        elinewidth=0.9,
        capsize=2.2,
        capthick=0.9,
    )
    axes.axvline(0, color=LINE_COLOUR, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    axes.set_yticks(positions, [_short(rating.agent) for rating in ratings])
    axes.set_ylim(-0.6, len(ratings) - 0.4)
    axes.set_xlabel("Elo (mean 0, 95 % confidence intervals)")
    axes.grid(axis="x")
    title = f"{_short(rated.pairing.game)}, {rated.pairing.budget}, {rated.total:,} games"
    axes.set_title(title, loc="left")
    return figure


@_in_style
def tuning_history(tuning: TuningHistory) -> Figure:
    """Draw the win rates of the trials of a tuning in their order, and the best so far."""
    figure, axes = _new_figure(WIDTH, 3.0)
    for pruned, colour, marker, label in (
        (True, PRUNED_COLOUR, "x", "pruned"),
        (False, OUR_COLOUR, "o", "complete"),
    ):
        points = [
            (float(trial.number), (100 * trial.win_rate, 100 * trial.low, 100 * trial.high))
            for trial in tuning.trials
            if trial.pruned == pruned
        ]
        if points:
            _error_bars(axes, points, color=colour, marker=marker, label=label)
    complete = [trial for trial in tuning.trials if not trial.pruned]
    best = list(accumulate((100 * trial.win_rate for trial in complete), max))
    axes.step(
        [trial.number for trial in complete],
        best,
        where="post",
        color=PUBLISHED_COLOUR,
        linewidth=1.1,
        label="best so far",
    )
    axes.axhline(50, color=LINE_COLOUR, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    axes.set_xlabel("trial")
    axes.set_ylabel("games won (%)")
    axes.locator_params(axis="x", integer=True)
    axes.grid(axis="y")
    axes.set_title(_tuning_title(tuning), loc="left")
    figure.legend(loc="outside lower center", ncols=3, handletextpad=0.3)
    return figure


@_in_style
def parameter_importance(tuning: TuningHistory) -> Figure:
    """Draw the share of each parameter of a tuning in the variation of the win rate."""
    ordered = sorted(tuning.importance.items(), key=lambda item: item[1])
    figure, axes = _new_figure(WIDTH, 0.9 + 0.3 * len(ordered))
    positions = list(range(len(ordered)))
    axes.barh(positions, [share for _, share in ordered], color=OUR_COLOUR, height=0.6)
    axes.set_yticks(positions, [unmarked(name) for name, _ in ordered])
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(0, 1)
    axes.set_xlabel("importance (share of the variation, PED-ANOVA)")
    axes.grid(axis="x")
    axes.set_title(_tuning_title(tuning), loc="left")
    return figure


def _tuning_title(tuning: TuningHistory) -> str:
    pairing = tuning.pairing
    opponent = _short(pairing.agents[1], 60)
    return f"{_short(pairing.game)}, {pairing.budget}\n{_short(tuning.template)} v {opponent}"


@_in_style
def speeds(rates: Sequence[tuple[str, float]]) -> Figure:
    """Draw the playouts per second of one worker, by game."""
    ordered = sorted(rates, key=lambda item: item[1])
    thousands = [rate / 1000 for _, rate in ordered]
    figure, axes = _new_figure(WIDTH, 0.9 + 0.26 * len(ordered))
    positions = list(range(len(ordered)))
    axes.barh(positions, thousands, color=OUR_COLOUR, height=0.62)
    fastest = max(thousands)
    for y, rate in enumerate(thousands):
        axes.text(rate + 0.012 * fastest, y, f"{rate:,.0f}", va="center", fontsize=7.5)
    axes.set_yticks(positions, [_short(name) for name, _ in ordered])
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(0, 1.1 * fastest)
    axes.set_xlabel("thousand playouts per second on one worker")
    axes.grid(axis="x")
    return figure


@_in_style
def lengths(counts: Mapping[str, Mapping[int, int]]) -> Figure:
    """Draw a histogram of the lengths of games for each game: `counts[game][plies]`."""
    columns = 2 if len(counts) in (2, 4) else min(3, len(counts))
    rows = ceil(len(counts) / columns)
    figure, grid = _new_figure(2.15 * columns + 0.3, 1.5 * rows + 0.3, rows, columns)
    flat = [axes for line in grid for axes in line]
    for axes, (name, by_plies) in zip(flat, counts.items(), strict=False):
        edges, heights, width = _histogram(by_plies)
        axes.bar(edges, heights, width=width, align="edge", color=OUR_COLOUR, linewidth=0)
        axes.set_title(_short(name, 26), loc="left", fontsize=8.5)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.locator_params(axis="x", nbins=5, integer=True)
    for axes in flat[len(counts) :]:
        axes.set_visible(False)
    figure.supxlabel("plies", fontsize=9)
    return figure


def _histogram(by_plies: Mapping[int, int]) -> tuple[list[float], list[int], float]:
    """Return the left edges, the heights and the width of at most 30 bars."""
    low, high = min(by_plies), max(by_plies)
    width = max(1, ceil((high - low + 1) / 30))
    heights = [0] * ((high - low) // width + 1)
    for plies, count in by_plies.items():
        heights[(plies - low) // width] += count
    edges = [low + number * width - 0.5 for number in range(len(heights))]
    return edges, heights, 0.9 * width


def _new_figure(width: float, height: float, rows: int = 0, columns: int = 0) -> tuple[Figure, Any]:
    """Return a figure with one plot, or with a grid of plots if `rows` is not 0."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    if rows:
        return figure, figure.subplots(rows, columns, squeeze=False)
    return figure, figure.subplots()


def _title(pairing: Pairing) -> str:
    """Return game, budget and agents; of the first agent only the policies, without parameters."""
    name = "+".join(part.partition("(")[0] for part in pairing.agents[0].split("+"))
    opponent = _short(pairing.agents[1], 60)
    return f"{_short(pairing.game)}, {pairing.budget}\n{name} against {opponent}"


def _short(name: str, length: int = MAX_NAME_LENGTH) -> str:
    """Shorten a name; escape dollar signs, in which Matplotlib encloses formulas."""
    return (name if len(name) <= length else name[: length - 1] + "…").replace("$", r"\$")


def to_bytes(figure: Figure, suffix: str) -> bytes:
    """Return the figure as the content of a file: svg, png or pdf."""
    matplotlib = require("plots")
    # Without dates, the same results give the same file.
    metadata: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with matplotlib.rc_context(STYLE), io.BytesIO() as file:
        figure.savefig(
            file,
            format=suffix,
            dpi=200,
            metadata=metadata.get(suffix),
            transparent=suffix == "svg",
        )
        return _follow_colour_scheme(file.getvalue()) if suffix == "svg" else file.getvalue()


def _follow_colour_scheme(svg: bytes) -> bytes:
    """Replace the colours of an SVG by variables that depend on the reader's colour scheme."""
    text = svg.decode()
    for number, colour in enumerate(DARK_COLOURS):
        text = re.sub(colour, f"var(--plot-{number},{colour})", text, flags=re.IGNORECASE)
    light, dark = (
        "".join(f"--plot-{number}:{colour};" for number, colour in enumerate(colours))
        for colours in (DARK_COLOURS, DARK_COLOURS.values())
    )
    style = f"<style>:root{{{light}}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}</style>"
    begin = text.index(">", text.index("<svg")) + 1
    return (text[:begin] + style + text[begin:]).encode()
