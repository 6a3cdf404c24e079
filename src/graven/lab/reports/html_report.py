"""A report of everything in a store, as one HTML page that loads nothing else."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from html import escape
from math import isfinite

from graven.core.errors import UsageError
from graven.lab.experiments.reproduce import Entry, judge_entries, judgement_text
from graven.lab.published import PublishedTable
from graven.lab.reports import plots
from graven.lab.reports.ladder_detection import RatedGroup
from graven.lab.reports.report_data import (
    MAX_PLOTS,
    SPEEDS,
    SWEEPS,
    TOURNAMENTS,
    TUNINGS,
    Plot,
    ReportData,
)
from graven.lab.reports.report_page import (
    code,
    commands_html,
    contents,
    heading,
    html_table,
    page,
    unbroken,
)
from graven.lab.stats.match_statistics import MatchStatistics
from graven.lab.store.provenance import version
from graven.lab.store.store import Store
from graven.lab.store.summaries import Summary

TITLE = "graven: results"
TABLES, MATCHES, METHODS = "Published tables", "All matches", "How the figures are computed"
MATCH_COLUMNS = (
    "game",
    "first",
    "second",
    "budget",
    "!won–drawn–lost",
    "!win rate",
    "!Elo",
    "!superior",
    "!p",
    "!plies",
    "more",
)
MAX_MATCHES = 2000
MAX_MACHINES = 50


def html(store: Store) -> str:
    """Return the report of a store as one HTML page."""
    data = ReportData(store)
    drawn: dict[str, list[Plot]] = {SWEEPS: [], TOURNAMENTS: [], TUNINGS: [], SPEEDS: []}
    for plot in data.plots():
        drawn[plot.section].append(plot)
    tables = list(data.tables())
    sections: list[tuple[str, list[str], list[str]]] = [
        (TABLES, [_table_title(table) for table in tables], list(_published_section(tables)))
    ]
    for name, section_plots in drawn.items():
        parts = list(_plots_section(section_plots))
        if name == TOURNAMENTS:
            for rated in data.ladders[:MAX_PLOTS]:
                parts += _ratings(rated)
        sections.append((name, [], parts))
    sections.append((MATCHES, [], list(_matches_section(data))))
    sections.append((METHODS, [], list(_methods())))
    shown = [section for section in sections if section[2]]
    body = [f"<h1>{TITLE}</h1>", *_summary(data)]
    body.append(contents([(name, below) for name, below, _ in shown]))
    for name, _, parts in shown:
        body += [heading(2, name), *parts]
    return page(TITLE, body)


def _summary(data: ReportData) -> Iterator[str]:
    written = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    played = ""
    if data.first_ended:
        first, last = data.first_ended[:10], data.last_ended[:10]
        played = f", played {'on ' + first if first == last else f'from {first} to {last}'}"
    yield (
        f"<p>{data.games:,} games in {len(data.summaries):,} matches{escape(played)}, from "
        f"{code(data.path)}. Written on {written} by graven {escape(version())}.</p>"
    )
    omitted = len(data.curves) + len(data.grids) + len(data.ladders) - MAX_PLOTS
    if omitted > 0:
        yield f"<p class='quiet'>{omitted} more sweeps and tournaments are not drawn.</p>"


PlayedTable = tuple[PublishedTable, int, list[Entry]]


def _table_title(played: PlayedTable) -> str:
    table, seed, _ = played
    title = f"{table.paper}, table {table.name}"
    return f"{title}, seed {seed}" if seed else title


def _published_section(tables: Sequence[PlayedTable]) -> Iterator[str]:
    for played in tables:
        table, seed, entries = played
        judged = judge_entries(entries)
        yield heading(3, _table_title(played))
        yield f"<p>{escape(table.caption)}. {escape(judgement_text(judged))}</p>"
        columns = ("figure", "first", "second", "!published", "!ours", "!games", "!difference")
        yield html_table((*columns, "!p", "verdict"), map(_entry_row, judged))
        words = ["graven", "reproduce", table.paper, table.name, "--games"]
        words.append(str(max(entry.score.games for entry in entries)))
        words += ["--seed", str(seed)] if seed else []
        yield "<p class='quiet'>To play what is missing of this table:</p>"
        yield commands_html([shlex.join(words)])


def _entry_row(entry: Entry) -> tuple[str, ...]:
    assert entry.pairing is not None
    published, interval = f"{entry.figure.value:.1f}", entry.figure.interval
    if interval is not None:
        published += " " + unbroken(f"({interval[0]:.1f}–{interval[1]:.1f})")
    comparison = entry.comparison
    assert comparison is not None
    low, high = comparison.ci95
    verdict = entry.verdict_text
    if entry.judged is not None and entry.judged.verdict != entry.verdict:
        verdict += f"; with Holm's correction {entry.judged.verdict}"
    return (
        escape(entry.figure.place),
        *map(code, entry.agents),
        published,
        _percent(entry.statistics),
        f"{entry.score.games:,}",
        f"{100 * comparison.difference:+.1f} "
        + unbroken(f"({100 * low:+.1f} to {100 * high:+.1f})"),
        _p_text(comparison.p_value),
        f"<span class='{entry.verdict}'>{escape(verdict)}</span>",
    )


def _plots_section(section_plots: Sequence[Plot]) -> Iterator[str]:
    for plot in section_plots:
        svg = plots.to_bytes(plot.draw(), "svg").decode()
        # Inside a page an SVG has no XML declaration, document type or metadata.
        svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
        svg = svg.replace("<svg ", f"<svg role='img' aria-label='{escape(plot.caption)}' ", 1)
        yield f"<figure>{svg}"
        yield f"<figcaption>{escape(plot.caption)}</figcaption></figure>"
        yield commands_html(plot.commands)


def _ratings(rated: RatedGroup) -> Iterator[str]:
    pairing = rated.pairing
    yield heading(3, f"Ratings at {pairing.game}, {pairing.budget}, seed {pairing.seed}")
    openings = f", {pairing.opening_plies} random opening plies" if pairing.opening_plies else ""
    regularised = (
        " An agent lost or won all its games: each pair got half a point for both sides."
        if rated.ladder.regularised
        else ""
    )
    yield (
        f"<p>One tournament: {rated.games:,} games of every pair{openings}. Bradley-Terry ratings "
        f"by maximum likelihood, with mean 0. Other games do not count.{regularised}</p>"
    )
    ratings = rated.ladder.ratings
    yield html_table(
        ("agent", "!Elo", "!95 %", "!points", "!games", "!beats next"),
        (
            (
                code(rating.agent),
                f"{rating.elo:+.0f}",
                f"{rating.low:+.0f} to {rating.high:+.0f}",
                f"{100 * rating.points:.1f} %",
                f"{rating.games:,}",
                f"{100 * rated.ladder.superiority[number][number + 1]:.1f} %"
                if number + 1 < len(ratings)
                else "",
            )
            for number, rating in enumerate(ratings)
        ),
    )


def _matches_section(data: ReportData) -> Iterator[str]:
    matches = sorted(
        data.summaries, key=lambda summary: (summary.pairing.game, summary.pairing.key)
    )
    if not matches:
        return
    yield html_table(MATCH_COLUMNS, map(_match_row, matches[:MAX_MATCHES]))
    if len(matches) > MAX_MATCHES:
        omitted = len(matches) - MAX_MATCHES
        yield f"<p class='quiet'>{omitted:,} more are in {code('graven export')} only.</p>"
    versions = sorted({version for summary in matches for version in summary.versions})
    machines = sorted({machine for summary in matches for machine in summary.machines})
    yield f"<p class='quiet'>Played by graven {escape(', '.join(versions))} on:</p><ul>"
    yield from (f"<li class='quiet'>{escape(machine)}</li>" for machine in machines[:MAX_MACHINES])
    yield "</ul>"


def _match_row(summary: Summary) -> tuple[str, ...]:
    pairing, statistics = summary.pairing, summary.statistics
    score = statistics.score
    more = "<br>".join(_more_statistics(statistics))
    command = f"<pre>{escape(_match_command(summary))}</pre>"
    superiority = statistics.superiority
    return (
        escape(pairing.game),
        *map(code, pairing.agents),
        escape(pairing.budget),
        f"{score.wins}–{score.draws}–{score.losses}",
        _percent(statistics),
        _elo(statistics),
        "" if superiority is None else f"{100 * superiority:.1f} %",
        "" if statistics.p_value is None else _p_text(statistics.p_value),
        f"{summary.mean_plies:.1f}",
        f"<details><summary>show</summary>{more}{command}</details>",
    )


def _more_statistics(statistics: MatchStatistics) -> Iterator[str]:
    """Yield the results by seat and by pair, as HTML."""
    for seat in statistics.seat_scores:
        players = ", ".join(str(player + 1) for player, side in enumerate(seat.seats) if not side)
        score = seat.score
        yield f"first agent as player {players}: {score.wins}–{score.draws}–{score.losses}"
    first_seat = statistics.first_seat
    if first_seat is not None:
        yield f"player 1, either agent: {_percent(first_seat)}"
    if statistics.pentanomial is not None:
        counts = "–".join(map(str, statistics.pentanomial))
        yield f"pairs with 0, ½, 1, 1½, 2 points: {counts}"


def _match_command(summary: Summary) -> str:
    try:
        return shlex.join(summary.pairing.command(summary.games))
    except UsageError:
        return "this version of graven does not have the agents of this match"


def _methods() -> Iterator[str]:
    yield (
        "<p>Win rates are the first agent's; a draw is half a win. Intervals are 95 % score "
        "intervals (Wilson's without draws). With random openings the independent results are "
        "pairs of games, not games. <em>Superior</em> is the likelihood that the first agent is "
        "the stronger one, <em>p</em> in a list of matches the p-value of a win rate of 50 %.</p>"
    )
    yield (
        "<p>A published figure is compared by a score test of the difference of two proportions. "
        "<em>Equivalent</em>: two one-sided tests show that the difference is smaller than 5 "
        "points. <em>Differs</em>: the difference is significant at 5 %. <em>Undecided</em>: "
        "neither; given the games so far, the number of further games decides with probability "
        "80 %. If the published sample is too small for that, the verdict has the probability "
        "that any number of our games decides. Verdicts on whole tables use Holm's correction.</p>"
    )


def _p_text(p_value: float) -> str:
    return f"{p_value:.3f}" if p_value >= 0.001 else "&lt;\u00a00.001"


def _elo(statistics: MatchStatistics) -> str:
    """Format an Elo difference with its confidence interval; empty if there is none."""
    if statistics.elo is None or statistics.elo_ci95 is None:
        return ""
    values = [
        f"{value:+.0f}" if isfinite(value) else ("+∞" if value > 0 else "−∞")
        for value in (statistics.elo, *statistics.elo_ci95)
    ]
    return f"{values[0]} {unbroken(f'({values[1]} to {values[2]})')}"


def _percent(statistics: MatchStatistics) -> str:
    """Format a win rate with its confidence interval; empty without games."""
    if statistics.win_rate is None:
        return ""
    low, high = statistics.ci95
    return f"{100 * statistics.win_rate:.1f} {unbroken(f'({100 * low:.1f}–{100 * high:.1f})')}"
