"""Play the matches behind tables of the documentation, and write these tables.

    python benchmarks/doc_matches.py play --db doc_matches.db
    python benchmarks/doc_matches.py play ref nst --db doc_matches.db
    python benchmarks/doc_matches.py write --db doc_matches.db

Run it in the root folder of the repository. Games are recorded: `play` goes on where it stopped,
and several processes may work on one store if they play different tables. `write` replaces what a
page has between `<!-- matches: NAME -->` and `<!-- end of matches -->` by the table of that name.
Columns and rows without games are left out; a cell with fewer games than planned says how many.

`results/matches` has the games of the tables, in the form of `results/games`: `play` and `write`
read them first, and `write` adds those of the store. Figures that were played before these files
existed stay on their pages, and `play` leaves their matches out.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import graven as gv
from graven.agents.default_agent import FEW_PLAYOUTS_SPEC
from graven.lab.experiments.frontier import gdl_games
from graven.lab.experiments.pairing import Pairing, make_pairing
from graven.lab.stats.intervals import Score
from graven.lab.stats.match_statistics import MatchStatistics
from graven.lab.stats.ratings import rate_agents
from graven.lab.store.game_files import import_games, write_games
from graven.lab.store.summaries import one_search_each
from graven.search.budget import Budget

PAGES = Path("docs")
GAMES = Path("results/matches")
CONNECT_FOUR = "benchmarks/connect_four.py:game"
NAMES = {
    "knightthrough": "Knightthrough",
    "breakthrough": "Breakthrough",
    "domineering": "Domineering",
    "othello": "Othello",
    "nogo(size=7)": "NoGo 7x7",
    "hex(size=7)": "Hex 7x7",
    "havannah(size=4)": "Havannah, size 4",
    "atarigo(size=7)": "Atarigo 7x7",
    "go(size=7)": "Go 7x7",
    "breakthrough(size=6)": "Breakthrough 6x6",
    "knightthrough(size=6)": "Knightthrough 6x6",
    "othello(size=6)": "Othello 6x6",
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
    playouts: int | None
    games: int
    seconds: float | None = None

    @property
    def budget(self) -> Budget:
        """The budget of a move."""
        return Budget(self.playouts, self.seconds)

    @property
    def pairing(self) -> Pairing:
        """The pairing of the match in a store."""
        return make_pairing(self.game, self.first, self.second, self.budget)


# The statistics of a match in the store; without games if there are none.
Statistics = Callable[[MatchCell], MatchStatistics]


@dataclass(frozen=True)
class MatchTable:
    """A table: the headings, and rows of texts and matches."""

    head: tuple[str, ...]
    rows: tuple[tuple[str | MatchCell, ...], ...]

    @property
    def cells(self) -> list[MatchCell]:
        """The matches in the order in which they are played."""
        return [cell for row in self.rows for cell in row if isinstance(cell, MatchCell)]

    def figures(self, markdown: str) -> dict[MatchCell, str]:
        """Return the figures that a table of a page has, by their matches."""
        lines = [line for line in markdown.splitlines() if line.startswith("| ")]
        rows = [[text.strip() for text in line.strip("| ").split(" | ")] for line in lines]
        found = {}
        for row in self.rows:
            texts = [cell for cell in row if isinstance(cell, str)]
            for written in [each for each in rows[2:] if each[: len(texts)] == texts]:
                there = dict(zip(rows[0], written, strict=False))
                for title, cell in zip(self.head, row, strict=True):
                    if isinstance(cell, MatchCell) and there.get(title):
                        found[cell] = there[title]
        return found

    def markdown(self, statistics: Statistics, written: str) -> str:
        """Return the table without the columns and rows that have no figures.

        Figures of the table on the page, `written`, stay if they have more games.
        """
        before = self.figures(written)

        def figure(cell: MatchCell) -> str:
            match, old = statistics(cell), before.get(cell, "")
            games = match.score.games
            if not games or (old and games < games_of(cell, old)):
                return old
            text = percent(match.score.win_rate or 0, *match.ci95)
            return text if games >= cell.games else f"{text}, {games} games"

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


def games_of(cell: MatchCell, figure: str) -> int:
    """Return how many games a figure of a page has."""
    _, comma, games = figure.partition(", ")
    return int(games.removesuffix(" games").replace(",", "")) if comma else cell.games


def percent(rate: float, low: float, high: float) -> str:
    """Return a rate and its interval in per cent."""
    return f"{100 * rate:.1f} ({100 * low:.1f} to {100 * high:.1f})"


@dataclass(frozen=True)
class FrontierTable:
    """Agents in tournaments of many games: points over all games and by kind of game.

    A game is in the table once every pair has finished a game.
    """

    agents: tuple[str, ...]
    kinds: dict[str, tuple[str, ...]]
    budget: Budget
    games: int

    @property
    def cells(self) -> list[MatchCell]:
        """The matches in the order in which they are played."""
        return [cell for games in self.kinds.values() for game in games for cell in self.of(game)]

    def of(self, game: str) -> list[MatchCell]:
        """Return the matches at one game."""
        return [
            MatchCell(game, *pair, self.budget.playouts, self.games, self.budget.seconds)
            for pair in combinations(self.agents, 2)
        ]

    def markdown(self, statistics: Statistics, written: str) -> str:
        """Return points and ratings of the agents, and the best ones of each game.

        What is `written` stays if it has more games.
        """
        matches = {
            game: {
                pair: statistics(cell)
                for pair, cell in zip(
                    combinations(range(len(self.agents)), 2), self.of(game), strict=True
                )
            }
            for games in self.kinds.values()
            for game in games
        }
        matches = {
            game: played
            for game, played in matches.items()
            if all(match.games for match in played.values())
        }
        total = sum(match.games for played in matches.values() for match in played.values())
        before = _GAMES.search(written)
        if before and total < int(before[1].replace(",", "")):
            return written.partition("-->")[2].rpartition("<!--")[0].strip()
        if not total:
            return "Not played yet."
        kinds = {
            kind: [matches[game] for game in games if game in matches]
            for kind, games in self.kinds.items()
        }
        parts = [_points_table(self.agents, kinds), _best_table(self.agents, matches)]
        return "\n\n".join([*parts, f"{total:,} games."])


_GAMES = re.compile(r"^([\d,]+) games\.$", re.M)
Played = dict[tuple[int, int], MatchStatistics]


def _pooled(several: list[Played]) -> Played:
    """Return the matches of several games added up."""
    scores: dict[tuple[int, int], Score] = {}
    for played in several:
        for pair, match in played.items():
            scores[pair] = scores.get(pair, Score()) + match.score
    return {pair: MatchStatistics(score) for pair, score in scores.items()}


def _points(played: Played, agent: int) -> Score:
    """Return an agent's score against all others."""
    total = Score()
    for (first, second), match in played.items():
        if agent in (first, second):
            total += match.score if agent == first else match.score.reversed
    return total


def _points_table(agents: tuple[str, ...], kinds: dict[str, list[Played]]) -> str:
    """Return the ratings and points of all agents, the best first."""
    kinds = {kind: several for kind, several in kinds.items() if several}
    pooled = {kind: _pooled(several) for kind, several in kinds.items()}
    everything = _pooled([played for several in kinds.values() for played in several])
    lines = [
        f"| agent | Elo | points in per cent | {' | '.join(pooled)} |",
        "| --- | --- | --- |" + " --- |" * len(pooled),
    ]
    for rating in rate_agents(agents, everything).ratings:
        agent = agents.index(rating.agent)
        elo = f"{rating.elo:+.0f} ({rating.low:+.0f} to {rating.high:+.0f})"
        scores = [_points(played, agent) for played in (everything, *pooled.values())]
        points = [percent(score.win_rate or 0, *score.ci95) for score in scores]
        lines.append(f"| `{rating.agent}` | {elo} | {' | '.join(points)} |")
    return "\n".join(lines)


def _best_table(agents: tuple[str, ...], matches: dict[str, Played]) -> str:
    """Return the three best agents of each game by rating."""
    lines = ["| game | games of an agent | best | second | third |", "| --- |" + " --- |" * 4]
    for game, played in matches.items():
        games = _points(played, 0).games
        ratings = rate_agents(agents, played).ratings[:3]
        best = [f"`{r.agent}` {r.elo:+.0f} ({r.low:+.0f} to {r.high:+.0f})" for r in ratings]
        lines.append(f"| {NAMES.get(game, game)} | {games} | {' | '.join(best)} |")
    return "\n".join(lines)


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


def of_policy(pairs: list[tuple[str, str]], games: tuple[str, ...], number: int) -> MatchTable:
    """Return a table of a policy's page: so many games of each pair at each game."""
    rows = [
        (f"`{first}`", f"`{second}`", *(MatchCell(g, first, second, 500, number) for g in games))
        for first, second in pairs
    ]
    return MatchTable(("agent", "opponent", *(NAMES[game] for game in games)), tuple(rows))


def _solver() -> MatchTable:
    games = ("knightthrough", "breakthrough", CONNECT_FOUR, "havannah(size=4)")
    rows = [
        (f"`{spec}`", *(MatchCell(game, spec, ours(spec), 10_000, 300) for game in games))
        for spec in ("uct(c=0.4)", "grave(ref=50,bias=1e-4)")
    ]
    return MatchTable(("agent", *(NAMES[game] for game in games)), tuple(rows))


FRONTIER_AGENTS = (
    "uct",
    "ucb1-tuned",
    "rave",
    "grave",
    "hrave",
    "mcps",
    "uct(root=sh)",
    "grave(ref=auto,bias=auto)",
    "uct+mast",
    "uct+nst",
    "uct+ppa",
    "uct+lgrf",
    "grave+mast",
    "grave+ppa",
    "grave+poolrave",
    FEW_PLAYOUTS_SPEC,
)
FRONTIER_AGENTS_BY_TIME = (
    "uct",
    "rave",
    "grave",
    "mcps",
    "grave(ref=auto,bias=auto)",
    "uct+mast",
    "grave+mast",
    FEW_PLAYOUTS_SPEC,
)
SMALL_GAMES = {
    "connection": ("hex(size=7)", "havannah(size=4)"),
    "stones that stay": ("nogo(size=7)", "domineering"),
    "captures": ("atarigo(size=7)", "go(size=7)"),
    "pieces that move": ("breakthrough(size=6)", "knightthrough(size=6)"),
    "flipping": ("othello(size=6)",),
}

PLAIN_GAMES = ("hex(size=7)", "breakthrough(size=6)", "atarigo(size=7)")
RAVE = "rave(bias=1e-4)"
TABLES: dict[str, MatchTable | FrontierTable] = {
    "frontier-playouts": FrontierTable(FRONTIER_AGENTS, SMALL_GAMES, Budget(500), 10),
    "frontier-time": FrontierTable(
        FRONTIER_AGENTS_BY_TIME, SMALL_GAMES, Budget(None, seconds=0.03), 6
    ),
    "frontier-gdl": FrontierTable(FRONTIER_AGENTS_BY_TIME, {"GDL": gdl_games()}, Budget(200), 2),
    "lgrf": of_policy([("uct+lgrf", "uct"), ("grave+lgrf", "grave")], PLAIN_GAMES, 100),
    "ucb1-tuned": of_policy([("ucb1-tuned", "uct")], (*PLAIN_GAMES, "othello(size=6)"), 100),
    "anytime": of_policy(
        [("uct(root=anytime)", "uct"), ("uct(root=anytime)", "uct(root=sh)")], PLAIN_GAMES, 100
    ),
    "mcps": of_policy(
        [("mcps", "grave")], ("go(size=7)", "havannah(size=4)", "othello(size=6)"), 200
    ),
    "solver": _solver(),
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
        [
            (f"{RAVE}+{playout}", f"{RAVE}+poolrave(p=0.5)")
            for playout in ("lgrf", "nst", "poolrave(context=10)")
        ],
        ("havannah(size=4)", "hex(size=7)"),
    ),
}


def open_store(db: str) -> gv.Store:
    """Open a store, and add the games that are kept as files."""
    store = gv.Store(db)
    if GAMES.is_dir():
        import_games(GAMES, store)
    return store


def shown_on_pages() -> set[MatchCell]:
    """Return the matches whose figures on the pages have all their games."""
    shown = set()
    for page in PAGES.rglob("*.md"):
        for part in _PART.finditer(page.read_text(encoding="utf-8")):
            table = TABLES[part["name"]]
            if isinstance(table, MatchTable):
                figures = table.figures(part[0])
                shown |= {c for c, text in figures.items() if games_of(c, text) >= c.games}
    return shown


def play(names: list[str], db: str) -> None:
    """Play what is missing of the named tables."""
    shown = shown_on_pages()
    with open_store(db) as store:
        for cell in [cell for name in names for cell in TABLES[name].cells]:
            if cell in shown:
                continue
            began = time.monotonic()
            result = gv.match(
                gv.game(cell.game),
                cell.first,
                cell.second,
                games=cell.games,
                playouts=cell.playouts,
                seconds=cell.seconds,
                workers=1,
                store=store,
            )
            if result.new:
                score = f"{result.wins}-{result.draws}-{result.losses}"
                seconds = time.monotonic() - began
                print(f"{cell}: {score} ({result.new} new in {seconds:.0f} s)", flush=True)


def write(db: str) -> None:
    """Write the tables of all pages and the files of games, and name what changed."""
    names = {cell.pairing.key: name for name, table in TABLES.items() for cell in table.cells}
    with open_store(db) as store:
        summaries = one_search_each(store.summaries())
        count = write_games(store, GAMES, lambda pairing: names.get(pairing.settings.key))
    print(f"{GAMES}: {count.new} new games of {count.games}")

    def statistics(cell: MatchCell) -> MatchStatistics:
        summary = summaries.get(cell.pairing.key)
        return summary.statistics if summary is not None else MatchStatistics(Score())

    def table(part: re.Match[str]) -> str:
        text = TABLES[part["name"]].markdown(statistics, part[0])
        return f"{part['begin']}\n{text}\n\n{part['end']}"

    for page in sorted(PAGES.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        new = _PART.sub(table, text)
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
    for command in (playing, writing):
        command.add_argument("--db", default="doc_matches.db")
    options = parser.parse_args()
    if options.command == "play":
        if unknown := set(options.tables) - set(TABLES):
            parser.error(f"no such table: {', '.join(sorted(unknown))}; known: {', '.join(TABLES)}")
        play(options.tables or list(TABLES), options.db)
    else:
        write(options.db)


if __name__ == "__main__":
    main()
