"""A report of everything in a store, as one HTML page that loads nothing else."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from graven.core.errors import UsageError
from graven.lab.experiments.reproduce import Entry
from graven.lab.reports import plots
from graven.lab.reports.report_data import MAX_PLOTS, ReportData
from graven.lab.reports.sweep_detection import RatedGroup
from graven.lab.stats.intervals import Score
from graven.lab.store.provenance import version
from graven.lab.store.store import Store
from graven.lab.store.summaries import Summary

MAX_MATCHES = 2000
MAX_MACHINES = 50

CSS = """
:root { color-scheme: light; }
body { font: 16px/1.5 Georgia, 'Times New Roman', serif; color: #222; margin: 2rem auto;
  max-width: 62rem; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.25; font-weight: 600; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid #ccc; }
table { border-collapse: collapse; margin: 1rem 0; font-size: 0.86rem; }
th, td { padding: 0.2rem 0.7rem 0.2rem 0; text-align: left; vertical-align: top; }
thead th { border-bottom: 1px solid #888; }
tbody tr:nth-child(even) { background: #f6f6f6; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.agrees { color: #17692a; } .differs { color: #a82315; } .quiet { color: #777; }
code, pre { font: 0.8rem/1.45 Menlo, Consolas, monospace; }
pre { background: #f4f4f4; padding: 0.5rem 0.8rem; overflow-x: auto; white-space: pre-wrap; }
figure { margin: 1.5rem 0; } figure svg { max-width: 100%; height: auto; }
figcaption { font-size: 0.86rem; color: #555; }
.wide { overflow-x: auto; }
"""


def html(store: Store) -> str:
    """Return the report of a store as one HTML page."""
    data = ReportData(store)
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width'>",
        f"<title>graven: results</title><style>{CSS}</style></head><body>",
        "<h1>graven: results</h1>",
        f"<p>{data.games:,} games in {len(data.summaries):,} matches, from "
        f"<code>{escape(store.path)}</code>, by graven {escape(version())}. Win rates are the "
        "first agent's; a draw counts half. Intervals are 95 % confidence intervals.</p>",
    ]
    parts += _published_section(data)
    parts += _plots_section(data)
    parts += _matches_section(data)
    parts.append("</body></html>\n")
    return "\n".join(parts)


def _published_section(data: ReportData) -> Iterator[str]:
    tables = list(data.tables())
    if not tables:
        return
    yield "<h2>Published tables</h2>"
    yield (
        "<p>A figure agrees if the published confidence interval and ours overlap. Only figures "
        "that have been played are shown.</p>"
    )
    for table, seed, entries in tables:
        yield f"<h3>{escape(f'{table.paper}, table {table.name}: {table.caption}')}</h3>"
        yield _html_table(
            ("figure", "first", "second", "!published", "!ours", "!games", "verdict"),
            (_entry_row(entry) for entry in entries),
        )
        words = ["graven", "reproduce", table.paper, table.name, "--games"]
        words.append(str(max(entry.score.games for entry in entries)))
        words += ["--seed", str(seed)] if seed else []
        yield f"<pre>{escape(shlex.join(words))}</pre>"


def _entry_row(entry: Entry) -> tuple[str, ...]:
    assert entry.pairing is not None
    published, interval = f"{entry.figure.value:.1f}", entry.figure.interval
    if interval is not None:
        published += f" ({interval[0]:.1f}–{interval[1]:.1f})"
    return (
        escape(entry.figure.place),
        f"<code>{escape(entry.pairing.agents[0])}</code>",
        f"<code>{escape(entry.pairing.agents[1])}</code>",
        published,
        _percent(entry.score),
        f"{entry.score.games:,}",
        f"<span class='{entry.verdict}'>{entry.verdict}</span>",
    )


def _plots_section(data: ReportData) -> Iterator[str]:
    yield "<h2>Plots</h2>"
    for plot in data.plots():
        svg = plots.to_bytes(plot.draw(), "svg").decode()
        # Inside a page an SVG has no XML declaration, document type or metadata.
        svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
        yield f"<figure>{svg}"
        yield f"<figcaption>{escape(plot.caption)}</figcaption></figure>"
        for command in plot.commands:
            yield f"<pre>{escape(command)}</pre>"
    omitted = len(data.curves) + len(data.grids) + len(data.ladders) - MAX_PLOTS
    if omitted > 0:
        yield f"<p class='quiet'>{omitted} more sweeps and ladders are not drawn.</p>"
    for rated in data.ladders[:MAX_PLOTS]:
        yield from _ratings(rated)


def _ratings(rated: RatedGroup) -> Iterator[str]:
    game, budget = escape(rated.pairing.game), escape(rated.pairing.budget)
    yield f"<h3>Ratings at {game}, {budget} a move</h3>"
    yield _html_table(
        ("agent", "!Elo", "!95 %", "!points", "!games"),
        (
            (
                f"<code>{escape(rating.agent)}</code>",
                f"{rating.elo:+.0f}",
                f"{rating.low:+.0f} to {rating.high:+.0f}",
                f"{100 * rating.points:.1f}",
                f"{rating.games:,}",
            )
            for rating in rated.ladder.ratings
        ),
    )


def _matches_section(data: ReportData) -> Iterator[str]:
    yield "<h2>All matches</h2>"
    matches = sorted(
        data.summaries, key=lambda summary: (summary.pairing.game, summary.pairing.key)
    )
    columns = ("game", "first", "second", "budget", "!win rate", "!games", "!plies", "command")
    yield _html_table(columns, (_match_row(summary) for summary in matches[:MAX_MATCHES]))
    if len(matches) > MAX_MATCHES:
        omitted = len(matches) - MAX_MATCHES
        yield f"<p class='quiet'>{omitted:,} more are in <code>graven export</code> only.</p>"
    versions = sorted({version for summary in matches for version in summary.versions})
    machines = sorted({machine for summary in matches for machine in summary.machines})
    yield f"<p class='quiet'>Played by graven {escape(', '.join(versions))} on:</p><ul>"
    yield from (f"<li class='quiet'>{escape(machine)}</li>" for machine in machines[:MAX_MACHINES])
    yield "</ul>"


def _match_row(summary: Summary) -> tuple[str, ...]:
    pairing = summary.pairing
    command = escape(_match_command(summary))
    return (
        escape(pairing.game),
        f"<code>{escape(pairing.agents[0])}</code>",
        f"<code>{escape(pairing.agents[1])}</code>",
        escape(pairing.budget),
        _percent(summary.score),
        f"{summary.games:,}",
        f"{summary.mean_plies:.1f}",
        f"<details><summary>show</summary><code>{command}</code></details>",
    )


def _match_command(summary: Summary) -> str:
    try:
        return shlex.join(summary.pairing.command(summary.games))
    except UsageError:
        return "this version of graven does not have the agents of this match"


def _percent(score: Score) -> str:
    """Format a win rate with its confidence interval; empty without games."""
    if score.win_rate is None:
        return ""
    low, high = score.ci95
    return f"{100 * score.win_rate:.1f} ({100 * low:.1f}–{100 * high:.1f})"


def _html_table(columns: Sequence[str], rows: Iterable[tuple[str, ...]]) -> str:
    """Return a table; columns whose names begin with "!" contain numbers."""
    classes = [" class='n'" if column.startswith("!") else "" for column in columns]
    head = "".join(
        f"<th{css_class}>{column.lstrip('!')}</th>"
        for css_class, column in zip(classes, columns, strict=True)
    )
    body = "\n".join(
        "<tr>"
        + "".join(f"<td{css_class}>{v}</td>" for css_class, v in zip(classes, row, strict=True))
        + "</tr>"
        for row in rows
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f"<div class='wide'>{table}</div>"
