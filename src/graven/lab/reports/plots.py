"""Plots in the manner of a paper's figures: small, plain, legible in print and without colours.

Each function draws one figure and gives it back; nobody else here knows Matplotlib.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from math import ceil
from typing import TYPE_CHECKING, Any, TypeVar, cast

from graven.core.calls import format_value
from graven.core.extras import require
from graven.lab.experiments.pairing import Pairing
from graven.lab.reports.patterns import Curve, Field, Rated, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OURS, THEIRS, QUIET = "#0b4f8a", "#c8641c", "#8a8a8a"
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
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "svg.hashsalt": "graven",
}
LONGEST_NAME = 48

Draw = TypeVar("Draw", bound=Callable[..., Any])


def _in_style(draw: Draw) -> Draw:
    """Matplotlib looks its settings up while it draws."""

    @wraps(draw)
    def styled(*arguments: Any) -> Any:
        matplotlib = require("plots")
        with matplotlib.rc_context(STYLE):
            return draw(*arguments)

    return cast("Draw", styled)


@_in_style
def win_rate_curve(curve: Curve, published: Mapping[float, tuple[float, float, float]]) -> Figure:
    """Win rate over a parameter, with 95 % intervals; `published` has rate, low and high."""
    figure, axes = _new(WIDTH, 3.1)
    rates = [100 * (each.score.win_rate or 0.0) for each in curve.summaries]
    ends = [each.score.ci95 for each in curve.summaries]
    log_scale = _spreads(curve.values)
    places = list(curve.values) if log_scale else _places(curve.values)
    shift = _shift(places, log_scale)
    if published:
        known = [(x, v) for x, v in zip(places, curve.values, strict=True) if v in published]
        moved = [shift(x, 1) for x, _ in known]
        _bars(axes, moved, [published[v] for _, v in known], THEIRS, "s", "published")
    ours = [(r, 100 * low, 100 * high) for r, (low, high) in zip(rates, ends, strict=True)]
    moved = [shift(x, -1) if published else x for x in places]
    axes.plot(moved, rates, color=OURS, linewidth=0.8, alpha=0.5, zorder=2)
    _bars(axes, moved, ours, OURS, "o", "graven")
    axes.axhline(50, color=QUIET, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    if log_scale:
        axes.set_xscale("log")
    else:
        axes.set_xticks(places, [format_value(value) for value in curve.values])
    axes.set_xlabel(_short(plain(curve.name)))
    axes.set_ylabel("games won (%)")
    everything = [end for _, *both in ours for end in both]
    everything += [end for _, *both in published.values() for end in both]
    low, high = min([*everything, 48]), max([*everything, 52])
    axes.set_ylim(max(0, low - 3), min(100.5, high + 3))
    axes.grid(axis="y")
    axes.set_title(_title(curve.pairing), loc="left")
    if published:
        # Above the plot, where no point can be.
        axes.legend(loc="lower right", bbox_to_anchor=(1.01, 0.99), ncols=2, handletextpad=0.3)
    return figure


def _bars(
    axes: Any,
    places: Sequence[float],
    values: Sequence[tuple[float, float, float]],
    colour: str,
    marker: str,
    label: str,
) -> None:
    rates = [rate for rate, _, _ in values]
    below = [max(0.0, rate - low) for rate, low, _ in values]
    above = [max(0.0, high - rate) for rate, _, high in values]
    axes.errorbar(
        places,
        rates,
        yerr=[below, above],
        fmt=marker,
        color=colour,
        markersize=4,
        elinewidth=0.9,
        capsize=2.2,
        capthick=0.9,
        label=label,
        zorder=3,
    )


def _spreads(values: Sequence[float]) -> bool:
    return min(values) > 0 and max(values) / min(values) >= 30


def _places(values: Sequence[float]) -> list[float]:
    """Evenly beside each other, as a list of settings rather than a scale."""
    return [float(number) for number in range(len(values))]


def _shift(places: Sequence[float], log_scale: bool) -> Any:
    """Ours and theirs a little apart, so that neither hides the other."""
    if log_scale:
        ratio = (max(places) / min(places)) ** (0.008)
        return lambda x, way: x * ratio**way
    step = 0.008 * max(1.0, max(places) - min(places))
    return lambda x, way: x + way * step


@_in_style
def heat_map(field: Field) -> Figure:
    """Win rates over two parameters, each written into its field."""
    from matplotlib.colors import TwoSlopeNorm

    rates = [
        [100 * (each.score.win_rate or 0.0) if each else float("nan") for each in row]
        for row in field.rows
    ]
    known = [rate for row in rates for rate in row if rate == rate]
    reach = max(5.0, *(abs(rate - 50) for rate in known))
    height = 0.9 + 0.36 * len(field.down)
    figure, axes = _new(max(WIDTH, 1.6 + 0.46 * len(field.across)), max(1.9, height))
    norm = TwoSlopeNorm(50, 50 - reach, 50 + reach)
    image = axes.imshow(rates, cmap="RdBu", norm=norm, aspect="auto")
    best = max(known)
    for y, row in enumerate(rates):
        for x, rate in enumerate(row):
            if rate == rate:
                strong = abs(rate - 50) > 0.62 * reach
                axes.text(
                    x,
                    y,
                    f"{rate:.0f}",
                    ha="center",
                    va="center",
                    fontsize=7.5,
                    color="white" if strong else "black",
                    fontweight="bold" if rate == best else "normal",
                )
    axes.set_xticks(range(len(field.across)), [format_value(value) for value in field.across])
    axes.set_yticks(range(len(field.down)), [format_value(value) for value in field.down])
    axes.tick_params(length=0)
    if len(field.across) > 8:
        axes.tick_params(axis="x", rotation=40)
    axes.set_xlabel(plain(field.names[1]))
    axes.set_ylabel(plain(field.names[0]))
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    bar = figure.colorbar(image, ax=axes, pad=0.02, fraction=0.05)
    bar.set_label("games won (%)")
    bar.outline.set_visible(False)
    axes.set_title(_title(field.pairing), loc="left")
    return figure


@_in_style
def rating_ladder(rated: Rated) -> Figure:
    """Ratings with their intervals, the best at the top."""
    ratings = list(reversed(rated.ladder.ratings))
    figure, axes = _new(WIDTH + 0.8, 1.0 + 0.27 * len(ratings))
    places = range(len(ratings))
    axes.errorbar(
        [each.elo for each in ratings],
        list(places),
        xerr=[
            [each.elo - each.low for each in ratings],
            [each.high - each.elo for each in ratings],
        ],
        fmt="o",
        color=OURS,
        markersize=4,
        elinewidth=0.9,
        capsize=2.2,
        capthick=0.9,
    )
    axes.axvline(0, color=QUIET, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    axes.set_yticks(list(places), [_short(each.agent) for each in ratings])
    axes.set_ylim(-0.6, len(ratings) - 0.4)
    axes.set_xlabel("Elo (mean 0, 95 % intervals)")
    axes.grid(axis="x")
    title = f"{_short(rated.pairing.game)}, {rated.pairing.budget} a move, {rated.games:,} games"
    axes.set_title(title, loc="left")
    return figure


@_in_style
def speeds(rates: Sequence[tuple[str, float]]) -> Figure:
    """Playouts a second on one worker, game by game."""
    shown = sorted(rates, key=lambda each: each[1])
    figure, axes = _new(WIDTH, 0.9 + 0.26 * len(shown))
    places = range(len(shown))
    axes.barh(list(places), [rate / 1000 for _, rate in shown], color=OURS, height=0.62)
    most = max(rate for _, rate in shown) / 1000
    for y, (_, rate) in enumerate(shown):
        axes.text(rate / 1000 + 0.012 * most, y, f"{rate / 1000:,.0f}", va="center", fontsize=7.5)
    axes.set_yticks(list(places), [_short(name) for name, _ in shown])
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(0, 1.1 * most)
    axes.set_xlabel("thousand playouts a second on one worker")
    axes.grid(axis="x")
    return figure


@_in_style
def lengths(counts: Mapping[str, Mapping[int, int]]) -> Figure:
    """How long games were: a small histogram for each."""
    columns = 2 if len(counts) in (2, 4) else min(3, len(counts))
    rows = ceil(len(counts) / columns)
    figure, grid = _new(2.15 * columns + 0.3, 1.5 * rows + 0.3, rows, columns)
    flat = [axes for line in grid for axes in line]
    for axes, (name, by_plies) in zip(flat, counts.items(), strict=False):
        edges, heights, width = _binned(by_plies)
        axes.bar(edges, heights, width=width, align="edge", color=OURS, linewidth=0)
        axes.set_title(_short(name, 26), loc="left", fontsize=8.5)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.locator_params(axis="x", nbins=5, integer=True)
    for axes in flat[len(counts) :]:
        axes.set_visible(False)
    figure.supxlabel("plies", fontsize=9)
    return figure


def _binned(by_plies: Mapping[int, int]) -> tuple[list[float], list[int], float]:
    low, high = min(by_plies), max(by_plies)
    width = max(1, ceil((high - low + 1) / 30))
    heights = [0] * ((high - low) // width + 1)
    for plies, count in by_plies.items():
        heights[(plies - low) // width] += count
    edges = [low + number * width - 0.5 for number in range(len(heights))]
    return edges, heights, 0.9 * width


def _new(width: float, height: float, rows: int = 0, columns: int = 0) -> tuple[Figure, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    if rows:
        return figure, figure.subplots(rows, columns, squeeze=False)
    return figure, figure.subplots()


def _title(pairing: Pairing) -> str:
    """Who plays what against whom; the first agent without what the plot varies."""
    name = "+".join(part.partition("(")[0] for part in pairing.agents[0].split("+"))
    opponent = _short(pairing.agents[1], 60)
    return f"{_short(pairing.game)}, {pairing.budget} a move\n{name} against {opponent}"


def _short(name: str, most: int = LONGEST_NAME) -> str:
    """A name that fits; Matplotlib would take dollars for formulas."""
    return (name if len(name) <= most else name[: most - 1] + "…").replace("$", r"\$")


def write(figure: Figure, kind: str) -> bytes:
    """The figure as a file of that kind: svg, png or pdf."""
    matplotlib = require("plots")
    # Nothing of the day or the machine: the same results, the same file.
    dates: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with matplotlib.rc_context(STYLE), io.BytesIO() as file:
        figure.savefig(file, format=kind, dpi=200, metadata=dates.get(kind))
        return file.getvalue()
