"""Play the matches behind tables of the documentation, and write these tables.

    python benchmarks/doc_matches.py play --db doc_matches.db
    python benchmarks/doc_matches.py play ref nst --db doc_matches.db
    python benchmarks/doc_matches.py write docs --db doc_matches.db

Run it in the root folder of the repository. Games are recorded: `play` goes on where it stopped,
and several processes may work on one store if they play different tables. `write` replaces what a
page has between `<!-- matches: NAME -->` and `<!-- end of matches -->` by the table of that name.
Columns and rows without games are left out; a cell with fewer games than planned says how many.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import graven as gv
from graven.lab.experiments.pairing import make_pairing
from graven.lab.store.summaries import one_search_each
from graven.search.budget import Budget

CONNECT_FOUR = "benchmarks/connect_four.py:game"
NAMES = {
    "knightthrough": "Knightthrough",
    "breakthrough": "Breakthrough",
    "domineering": "Domineering",
    "othello": "Othello",
    "nogo(size=7)": "NoGo 7x7",
    "hex(size=7)": "Hex 7x7",
    "havannah(size=4)": "Havannah, size 4",
    CONNECT_FOUR: "Connect Four",
}
_PART = re.compile(
    r"(?P<begin><!-- matches: (?P<name>\S+) -->\n).*?(?P<end><!-- end of matches -->\n)", re.S
)


@dataclass(frozen=True)
class MatchCell:
    """A match whose result is one cell of a table."""

    game: str
    first: str
    second: str
    playouts: int
    games: int


@dataclass(frozen=True)
class MatchTable:
    """A table: the headings, and rows of texts and matches."""

    head: tuple[str, ...]
    rows: tuple[tuple[str | MatchCell, ...], ...]

    @property
    def cells(self) -> list[MatchCell]:
        """The matches in the order in which they are played."""
        return [cell for row in self.rows for cell in row if isinstance(cell, MatchCell)]

    def markdown(self, figure: Callable[[MatchCell], str]) -> str:
        """Return the table without the columns and rows that have no figures."""
        rows = [[cell if isinstance(cell, str) else figure(cell) for cell in r] for r in self.rows]
        kept = [
            (texts, row)
            for texts, row in zip(rows, self.rows, strict=True)
            if any(text for text, cell in zip(texts, row, strict=True) if cell != text)
        ]
        columns = [at for at in range(len(self.head)) if any(texts[at] for texts, _ in kept)]
        lines = [[self.head[at] for at in columns], ["---"] * len(columns)]
        lines += [[texts[at] for at in columns] for texts, _ in kept]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines) if kept else "Not played yet."


def ours(spec: str) -> str:
    """Return a spec that plays without the solver, which none of the papers has."""
    tree, plus, playout = spec.partition("+")
    return tree[:-1] + ",solver=off)" + plus + playout


def question(game: str, first: str, second: str) -> MatchCell:
    """Return a match of docs/questions.md."""
    return MatchCell(game, ours(first), ours(second), playouts=1000, games=300)


def by_game(pairs: list[tuple[str, str]], games: tuple[str, ...]) -> MatchTable:
    """Return a table with a row for each pair of agents and a column for each game."""
    rows = [
        (f"`{first}`", f"`{second}`", *(question(game, first, second) for game in games))
        for first, second in pairs
    ]
    return MatchTable(("first", "second", *(NAMES[game] for game in games)), tuple(rows))


def _ppa() -> MatchTable:
    alphas = {
        "knightthrough": 0.64,
        "breakthrough": 0.32,
        "domineering": 0.16,
        "nogo(size=7)": 0.16,
    }
    grave = "grave(ref=50,bias=1e-4)"
    rows = [
        (
            NAMES[game],
            str(alpha),
            question(game, f"{grave}+ppaf(alpha={alpha})", grave),
            question(game, f"{grave}+ppaf(alpha={alpha})", f"uct(c=0.4)+ppaf(alpha={alpha})"),
        )
        for game, alpha in alphas.items()
    ]
    head = ("game", "alpha", f"against `{grave}`", "against `uct(c=0.4)+ppaf(alpha)`")
    return MatchTable(head, tuple(rows))


def _nst() -> MatchTable:
    grave = "grave(ref=50,k=250,c=0.2)"
    variants = ("rave(k=250,c=0.2)", grave, "hrave(k=50,c=0.2)")
    pairs = [(f"{variant}+nst", "uct(c=0.7)+nst") for variant in variants]
    pairs.append((f"{grave}+nst", f"{grave}+mast(epsilon=0.4,decay=0.2)"))
    return by_game(pairs, ("knightthrough", "breakthrough", "othello"))


def _ref() -> MatchTable:
    games = ("knightthrough", "breakthrough", "othello")
    rows = [
        (
            str(ref),
            *(question(game, f"grave(ref={ref},k=250,c=0.2)", "uct(c=0.7)") for game in games),
        )
        for ref in (10, 25, 50, 100, 250, 1000)
    ]
    return MatchTable(("ref", *(NAMES[game] for game in games)), tuple(rows))


def _beta() -> MatchTable:
    pairs = [
        (f"{variant}bias={bias},c=0.2)", f"{variant}k={k},c=0.2)")
        for variant, k in (("rave(", 250), ("grave(ref=50,", 250), ("hrave(", 50))
        for bias in ("0.04", "0.0004")
    ]
    return by_game(pairs, ("knightthrough", "breakthrough", "othello"))


def _solver() -> MatchTable:
    games = ("knightthrough", "breakthrough", CONNECT_FOUR, "havannah(size=4)")
    rows = [
        (f"`{spec}`", *(MatchCell(game, spec, ours(spec), 10_000, 300) for game in games))
        for spec in ("uct(c=0.4)", "grave(ref=50,bias=1e-4)")
    ]
    return MatchTable(("agent", *(NAMES[game] for game in games)), tuple(rows))


def _threads() -> MatchTable:
    rows = []
    for spec, mode in (
        ("uct(c=0.4,solver=off)", "sync"),
        ("grave(ref=50,bias=1e-4)", "sync"),
        ("uct(c=0.4,solver=off)", "root"),
    ):
        first = f"{spec[:-1]},threads=2,parallel={mode})"
        cells = [
            MatchCell(game, first, spec, n, 500)
            for game, n in (("knightthrough", 1000), ("hex", 2000))
        ]
        rows.append((f"`{spec}`", f"`{mode}`", *cells))
    head = ("agent", "mode", "Knightthrough, 1,000 playouts", "Hex 11x11, 2,000 playouts")
    return MatchTable(head, tuple(rows))


RAVE = "rave(bias=1e-4)"
TABLES = {
    "solver": _solver(),
    "threads": _threads(),
    "ppa": _ppa(),
    "nst": _nst(),
    "ref": _ref(),
    "beta": _beta(),
    "orego": by_game(
        [("rave(beta=orego2)", f"rave(beta={model})") for model in ("orego1", "gelly")],
        ("knightthrough", "hex(size=7)"),
    ),
    "prior": by_game(
        [
            ("grave(ref=50,bias=1e-4,prior_amaf=20)", "grave(ref=50,bias=1e-4)"),
            ("rave(beta=orego2,prior_amaf=20)", "rave(beta=orego2)"),
        ],
        ("breakthrough", "othello"),
    ),
    "context": by_game(
        [(f"{RAVE}+{playout}", f"{RAVE}+poolrave(p=0.5)") for playout in ("lgrf", "nst")],
        ("havannah(size=4)", "hex(size=7)"),
    ),
}


def play(names: list[str], db: str) -> None:
    """Play what is missing of the named tables."""
    with gv.Store(db) as store:
        for cell in [cell for name in names for cell in TABLES[name].cells]:
            began = time.monotonic()
            result = gv.match(
                gv.game(cell.game),
                cell.first,
                cell.second,
                games=cell.games,
                playouts=cell.playouts,
                workers=1,
                store=store,
            )
            if result.new:
                score = f"{result.wins}-{result.draws}-{result.losses}"
                seconds = time.monotonic() - began
                print(f"{cell}: {score} ({result.new} new in {seconds:.0f} s)", flush=True)


def write(folder: str, db: str) -> None:
    """Write the tables of all pages of a folder, and name the pages that changed."""
    with gv.Store(db) as store:
        summaries = one_search_each(store.summaries())

    def figure(cell: MatchCell) -> str:
        pairing = make_pairing(cell.game, cell.first, cell.second, Budget(cell.playouts))
        summary = summaries.get(pairing.key)
        if summary is None:
            return ""
        low, high = summary.statistics.ci95
        score = summary.statistics.score
        rate = f"{100 * (score.win_rate or 0):.1f} ({100 * low:.1f} to {100 * high:.1f})"
        return rate if score.games >= cell.games else f"{rate}, {score.games} games"

    for page in sorted(Path(folder).rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        new = _PART.sub(
            lambda part: (
                f"{part['begin']}\n{TABLES[part['name']].markdown(figure)}\n\n{part['end']}"
            ),
            text,
        )
        if new != text:
            page.write_text(new, encoding="utf-8")
            print(f"updated {page}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    playing = commands.add_parser("play", help="play what is missing")
    playing.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(TABLES))
    writing = commands.add_parser("write", help="write the tables of all pages")
    writing.add_argument("folder")
    for command in (playing, writing):
        command.add_argument("--db", default="doc_matches.db")
    options = parser.parse_args()
    if options.command == "play":
        if unknown := set(options.tables) - set(TABLES):
            parser.error(f"no such table: {', '.join(sorted(unknown))}; known: {', '.join(TABLES)}")
        play(options.tables or list(TABLES), options.db)
    else:
        write(options.folder, options.db)


if __name__ == "__main__":
    main()
