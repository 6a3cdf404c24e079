"""Everything a store knows as one HTML page that needs nothing else, or as plots alone."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from graven.core.calls import format_value
from graven.core.errors import UsageError
from graven.lab.experiments.reproduce import Entry, Results
from graven.lab.published import Figure as Published
from graven.lab.published import Table, papers
from graven.lab.reports import plots
from graven.lab.reports.patterns import Curve, Field, Rated, ladders, plain, sweeps
from graven.lab.stats.intervals import Score
from graven.lab.store.provenance import version
from graven.lab.store.store import Store, Summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_PLOTS = 40
MOST_ROWS = 2000
MOST_LENGTHS = 12

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


@dataclass(frozen=True)
class Plot:
    """A plot that can be drawn: its file name, what to say below it, the commands behind it."""

    name: str
    caption: str
    commands: tuple[str, ...]
    draw: Callable[[], Figure]


class Findings:
    """All that a report shows, asked of the store once."""

    def __init__(self, store: Store) -> None:
        self.summaries = [each for each in store.summaries() if each.games]
        self.lengths = store.lengths()
        self.curves, self.fields = sweeps(self.summaries)
        self.ladders = ladders(self.summaries)
        self._store = store
        self._published = _published_by_cell()

    @property
    def games(self) -> int:
        """How many games the store has."""
        return sum(summary.games for summary in self.summaries)

    def tables(self) -> Iterator[tuple[Table, int, list[Entry]]]:
        """Published tables of which anything has been run with a seed: those cells."""
        run: dict[tuple[int, int], dict[int, Entry]] = defaultdict(dict)
        named: dict[int, Table] = {}
        for summary in self.summaries:
            for place in self._published.get(replace(summary.pairing, seed=0).key, ()):
                table, figure = place.table, place.figure
                named[place.table_number] = table
                run[summary.pairing.seed, place.table_number][place.number] = Entry(
                    table.paper, table.name, figure, summary.pairing, summary
                )
        for seed, number in sorted(run):
            entries = run[seed, number]
            yield named[number], seed, [entries[place] for place in sorted(entries)]

    def plots(self) -> list[Plot]:
        """The plots, at most so many of each kind as a person would look at."""
        found = [self._curve(number, each) for number, each in enumerate(self.curves, 1)]
        found += [self._field(number, each) for number, each in enumerate(self.fields, 1)]
        found += [_ladder(number, each) for number, each in enumerate(self.ladders, 1)]
        found = found[:MOST_PLOTS]
        # No one experiment is behind these: the command draws them again.
        drawn = (shlex.join(["graven", "report", "--png", "plots", "--db", self._store.path]),)
        rates = _rates(self.summaries)
        if rates:
            caption = "Playouts a second of searching, by game and budget, over all matches below."
            found.append(Plot("speeds", caption, drawn, lambda: plots.speeds(rates[:20])))
        if self.lengths:
            most = sorted(self.lengths.items(), key=lambda each: -sum(each[1].values()))
            shown = dict(most[:MOST_LENGTHS])
            caption = "Lengths of games in plies, over all matches below."
            found.append(Plot("lengths", caption, drawn, lambda: plots.lengths(shown)))
        return found

    def _curve(self, number: int, curve: Curve) -> Plot:
        theirs = {}
        for value, summary in zip(curve.values, curve.summaries, strict=True):
            for place in self._published.get(replace(summary.pairing, seed=0).key, ()):
                if place.figure.interval is not None:
                    theirs[value] = (place.figure.value, *place.figure.interval)
        games = sum(each.games for each in curve.summaries)
        name, budget = plain(curve.name), curve.pairing.budget
        caption = f"Win rate over {name}, {budget} a move, {games:,} games in all."
        command = _sweep_command(curve.summaries, {curve.name: curve.values})
        return Plot(
            f"sweep-{number}-{_slug(curve.pairing.game)}-{_slug(curve.name)}",
            caption,
            (command,),
            lambda: plots.win_rate_curve(curve, theirs),
        )

    def _field(self, number: int, field: Field) -> Plot:
        cells = [each for row in field.rows for each in row if each is not None]
        games = sum(each.games for each in cells)
        names = " and ".join(map(plain, field.names))
        caption = f"Win rate over {names}, {field.pairing.budget} a move, {games:,} games in all."
        axes = {field.names[0]: field.down, field.names[1]: field.across}
        return Plot(
            f"grid-{number}-{_slug(field.pairing.game)}",
            caption,
            (_sweep_command(cells, axes),),
            lambda: plots.heat_map(field),
        )


class Place(NamedTuple):
    """Where a figure stands among all published ones."""

    table_number: int
    number: int
    table: Table
    figure: Published


def _published_by_cell() -> dict[str, list[Place]]:
    """All published figures that can be played, by the key of their cell with seed 0."""
    results = Results(())
    found: dict[str, list[Place]] = defaultdict(list)
    tables = [table for paper in papers() for table in paper.tables.values() if not table.measure]
    for table_number, table in enumerate(tables):
        for number, entry in enumerate(results.entries(table)):
            if entry.pairing is not None:
                place = Place(table_number, number, table, entry.figure)
                found[entry.pairing.key].append(place)
    return found


def _ladder(number: int, rated: Rated) -> Plot:
    agents = [rating.agent for rating in rated.ladder.ratings]
    caption = f"Ratings by Bradley and Terry, {rated.pairing.budget} a move."
    pairs = len(agents) * (len(agents) - 1) // 2
    words = rated.pairing.command(max(1, rated.games // pairs))
    command = ["graven", "tournament", words[2], *agents, *words[5:]]
    return Plot(
        f"ladder-{number}-{_slug(rated.pairing.game)}",
        caption,
        (shlex.join(command),),
        lambda: plots.rating_ladder(rated),
    )


def _sweep_command(cells: Sequence[Summary], axes: dict[str, tuple[float, ...]]) -> str:
    """The `graven sweep` that plays these cells: their first spec with lists in it."""
    first = cells[0]
    spec = first.pairing.agents[0]
    tree, plus, playout = spec.partition("+")
    for name, values in axes.items():
        listed = ",".join(format_value(value) for value in values)
        wanted = rf"\b{plain(name)}=[^,()\[\]]+"
        if name.startswith("+"):
            playout = re.sub(wanted, f"{plain(name)}=[{listed}]", playout, count=1)
        else:
            tree = re.sub(wanted, f"{name}=[{listed}]", tree, count=1)
    spec = f"{tree}{plus}{playout}"
    words = first.pairing.command(max(each.games for each in cells))
    if first.pairing.budgets[0] != first.pairing.budgets[1]:
        # Each agent's own budget is inside its spec.
        playouts = first.pairing.budgets[0].playouts
        seconds = first.pairing.budgets[0].seconds
        own = f"playouts={playouts}" if playouts else f"seconds={format_value(seconds or 0.0)}"
        spec = re.sub(r"\)", f",{own})", spec, count=1) if "(" in spec else f"{spec}({own})"
    return shlex.join(["graven", "sweep", words[2], spec, "--against", words[4], *words[5:]])


def _rates(summaries: Sequence[Summary]) -> list[tuple[str, float]]:
    spent: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for summary in summaries:
        name = f"{summary.pairing.game}, {summary.pairing.budget}"
        spent[name][0] += summary.playouts
        spent[name][1] += summary.seconds
    rates = [(name, playouts / seconds) for name, (playouts, seconds) in spent.items() if seconds]
    return sorted(rates, key=lambda each: -each[1])


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:60]


def write_plots(found: Findings, folder: Path, kind: str) -> list[Path]:
    """Write every plot to a file of its own: png, pdf or svg."""
    written = []
    for plot in found.plots():
        path = folder / f"{plot.name}.{kind}"
        path.write_bytes(plots.write(plot.draw(), kind))
        written.append(path)
    return written


def html(store: Store) -> str:
    """The whole report as one page."""
    found = Findings(store)
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width'>",
        f"<title>graven: results</title><style>{CSS}</style></head><body>",
        "<h1>graven: results</h1>",
        f"<p>{found.games:,} games in {len(found.summaries):,} matches, from "
        f"<code>{escape(store.path)}</code>, by graven {escape(version())}. Win rates are the "
        "first agent's, a draw counting half, with 95 % intervals.</p>",
    ]
    parts += _published(found)
    parts += _plots(found)
    parts += _matches(found)
    parts.append("</body></html>\n")
    return "\n".join(parts)


def _published(found: Findings) -> Iterator[str]:
    tables = list(found.tables())
    if not tables:
        return
    yield "<h2>Published tables</h2>"
    yield (
        "<p>A cell agrees if the published interval and ours overlap. Only what has been run is "
        "shown.</p>"
    )
    for table, seed, entries in tables:
        yield f"<h3>{escape(f'{table.paper}, table {table.name}: {table.caption}')}</h3>"
        yield _table(
            ("cell", "first", "second", "!published", "!ours", "!games", "verdict"),
            (_entry_row(entry) for entry in entries),
        )
        words = ["graven", "reproduce", table.paper, table.name, "--games"]
        words.append(str(max(entry.score.games for entry in entries)))
        words += ["--seed", str(seed)] if seed else []
        yield f"<pre>{escape(shlex.join(words))}</pre>"


def _entry_row(entry: Entry) -> tuple[str, ...]:
    assert entry.pairing is not None
    theirs = entry.figure.interval
    shown = f"{entry.figure.value:.1f}" + (f" ({theirs[0]:.1f}–{theirs[1]:.1f})" if theirs else "")
    return (
        escape(entry.figure.place),
        f"<code>{escape(entry.pairing.agents[0])}</code>",
        f"<code>{escape(entry.pairing.agents[1])}</code>",
        shown,
        _rate(entry.score),
        f"{entry.score.games:,}",
        f"<span class='{entry.verdict}'>{entry.verdict}</span>",
    )


def _plots(found: Findings) -> Iterator[str]:
    yield "<h2>Plots</h2>"
    for plot in found.plots():
        svg = plots.write(plot.draw(), "svg").decode()
        # What comes before the picture itself is for files, not for pages.
        svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
        yield f"<figure>{svg}"
        yield f"<figcaption>{escape(plot.caption)}</figcaption></figure>"
        for command in plot.commands:
            yield f"<pre>{escape(command)}</pre>"
    left = len(found.curves) + len(found.fields) + len(found.ladders) - MOST_PLOTS
    if left > 0:
        yield f"<p class='quiet'>{left} more sweeps and ladders are not drawn.</p>"
    for rated in found.ladders[:MOST_PLOTS]:
        game, budget = escape(rated.pairing.game), escape(rated.pairing.budget)
        yield f"<h3>Ratings at {game}, {budget} a move</h3>"
        yield _table(
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


def _matches(found: Findings) -> Iterator[str]:
    yield "<h2>All matches</h2>"
    shown = sorted(found.summaries, key=lambda each: (each.pairing.game, each.pairing.key))
    columns = ("game", "first", "second", "budget", "!win rate", "!games", "!plies", "command")
    yield _table(columns, (_match_row(summary) for summary in shown[:MOST_ROWS]))
    if len(shown) > MOST_ROWS:
        left = len(shown) - MOST_ROWS
        yield f"<p class='quiet'>{left:,} more are in <code>graven export</code> only.</p>"
    versions = sorted({version for each in shown for version in each.versions})
    machines = sorted({machine for each in shown for machine in each.machines})
    yield f"<p class='quiet'>Played by graven {escape(', '.join(versions))} on:</p><ul>"
    yield from (f"<li class='quiet'>{escape(machine)}</li>" for machine in machines[:50])
    yield "</ul>"


def _match_row(summary: Summary) -> tuple[str, ...]:
    pairing = summary.pairing
    return (
        escape(pairing.game),
        f"<code>{escape(pairing.agents[0])}</code>",
        f"<code>{escape(pairing.agents[1])}</code>",
        escape(pairing.budget),
        _rate(summary.score),
        f"{summary.games:,}",
        f"{summary.mean_plies:.1f}",
        f"<details><summary>show</summary><code>{escape(_command(summary))}</code></details>",
    )


def _command(summary: Summary) -> str:
    try:
        return shlex.join(summary.pairing.command(summary.games))
    except UsageError:
        return "the agents of this match are not known to this version of graven"


def _rate(score: Score) -> str:
    if score.win_rate is None:
        return ""
    low, high = score.ci95
    return f"{100 * score.win_rate:.1f} ({100 * low:.1f}–{100 * high:.1f})"


def _table(columns: Sequence[str], rows: Iterator[tuple[str, ...]]) -> str:
    """A table; a column whose name begins with "!" holds numbers."""
    marks = [" class='n'" if column.startswith("!") else "" for column in columns]
    head = "".join(f"<th{m}>{c.lstrip('!')}</th>" for m, c in zip(marks, columns, strict=True))
    body = "\n".join(
        "<tr>" + "".join(f"<td{m}>{v}</td>" for m, v in zip(marks, row, strict=True)) + "</tr>"
        for row in rows
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f"<div class='wide'>{table}</div>"
