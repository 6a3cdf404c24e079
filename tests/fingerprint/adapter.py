"""All access of the fingerprint to the package.

Cases use neutral names; only this module translates them. After a rename in the package, edit this
file and leave `cases.py` and `expected.json` as they are. Names of policies and of parameters from
the papers (`bias`, `ref`, `alpha`, ...) pass through unless `NAMES` lists them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import graven as gv
from graven.agents import MoveClock
from graven.search.budget import Budget

# The name in a case: the name in the package.
NAMES = {
    "unvisited": "fpu",
    "tie": "ties",
    "final": "final_move",
    "keep": "reuse_tree",
    "share": "transpositions",
    "limit": "memory_mib",
    "leaves": "batch_leaves",
    "per-leaf": "playouts_per_leaf",
    "own-budget": "playouts",
    "formula": "beta",
    "pool-min": "min",
    "base": "over",
}

GAMES = {
    "atarigo-5": "atarigo(size=5)",
    "breakthrough-5": "breakthrough(size=5x5)",
    "breakthrough-8": "breakthrough(size=8x8)",
    "domineering-5": "domineering(size=5)",
    "go-5": "go(size=5)",
    "go-7": "go(size=7)",
    "go-5-three": "go(size=5,colors=3)",
    "havannah-4": "havannah(size=4)",
    "hex-4": "hex(size=4)",
    "hex-5": "hex(size=5)",
    "knightthrough-6": "knightthrough(size=6x6)",
    "morpion-5d": "morpion(variant=5D)",
    "morpion-5t": "morpion(variant=5T)",
    "nogo-5": "nogo(size=5)",
    "othello-6": "othello(size=6)",
    "samegame-6": "samegame(size=6,colours=4,seed=3)",
    "tsptw-10": "tsptw(cities=10,width=40,seed=2)",
    "misere-breakthrough-5": "misere-breakthrough(size=5x5)",
    "misere-go-5": "misere-go(size=5)",
    "misere-nogo-5": "misere-nogo(size=5)",
    "misere-connect5-sheet": "misere-gdl(sheet=connect5)",
    "battle-sheet": "gdl(sheet=battle)",
    "breakthrough-sheet": "gdl(sheet=breakthrough)",
    "connect5-sheet": "gdl(sheet=connect5)",
    "sheep-sheet": "gdl(sheet=sheepAndWolf)",
    "sheep-sheet-proof": "gdl(sheet=sheepAndWolf,by=proof)",
    "ttcc4-sheet": "gdl(sheet=ttcc4)",
}
PYTHON_CLASS = "python-class"


class Heaps:
    """Two heaps: take one or two stones from one of them; the player who takes the last wins."""

    max_plies, num_codes = 18, 4

    def __init__(self) -> None:
        self.heaps = [9, 8]
        self.turn = 0

    def moves(self) -> list[str]:
        return [
            f"{side}-{stones}"
            for side, left in zip(("left", "right"), self.heaps, strict=True)
            for stones in (1, 2)
            if stones <= left
        ]

    def play(self, move: str) -> None:
        side, stones = move.split("-")
        self.heaps[side == "right"] -= int(stones)
        self.turn = 1 - self.turn

    @property
    def over(self) -> bool:
        return not any(self.heaps)

    @property
    def scores(self) -> tuple[float, float]:
        return (float(self.turn), 1.0 - self.turn)

    @property
    def key(self) -> tuple[int, ...]:
        return (*self.heaps, self.turn)


class Part(NamedTuple):
    """A policy's name and its parameters under neutral names."""

    name: str
    values: Mapping[str, Any]


class Move(NamedTuple):
    """A root move: its text, visits and mean score, and the same of AMAF (None without AMAF)."""

    text: str
    visits: int
    mean: float
    amaf_visits: int
    amaf_mean: float | None


class Outcome(NamedTuple):
    """A search's result. `roots` has one list for each player who moves."""

    best: str
    value: float
    roots: list[list[Move]]
    line: tuple[str, ...]
    playouts: int
    plies: int
    nodes: int
    tables: int
    full: bool


class Played(NamedTuple):
    """A game of a match. `values` are the expected scores of its moves."""

    seed: int
    seats: tuple[int, ...]
    scores: tuple[float, ...]
    moves: tuple[str, ...]
    playouts: int
    values: tuple[float | None, ...]


@cache
def game(label: str) -> Any:
    return gv.from_class(Heaps) if label == PYTHON_CLASS else gv.game(GAMES[label])


def spec(tree: Part, playout: Part, options: Mapping[str, Any]) -> str:
    # The cases are older than the solver.
    values = {**tree.values, **options, "solver": "off"}
    return f"{_call(tree.name, values)}+{_call(playout.name, playout.values)}"


def _call(name: str, values: Mapping[str, Any]) -> str:
    inside = ",".join(f"{NAMES.get(key, key)}={_text(value)}" for key, value in values.items())
    return f"{name}({inside})" if inside else name


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def position_after(label: str, plies: int) -> Any:
    """The position after so many moves, chosen by a rule that draws no random numbers."""
    position = game(label).start()
    for ply in range(plies):
        moves = [
            sorted(position.legal_moves_of(player))[
                (7 * ply + 3) % len(position.legal_moves_of(player))
            ]
            for player in position.players_to_move
        ]
        position = position.play_joint(moves)
    return position


def search(agent: str, position: Any, playouts: int, seed: int) -> Outcome:
    return _outcome(gv.agent(agent).search(position, playouts=playouts, seed=seed), position)


def self_play(
    agent: str, position: Any, *, playouts: int, seed: int, plies: int
) -> Iterator[Outcome]:
    """One player chooses the moves of all sides, as in a game, for at most so many plies."""
    made = gv.agent(agent)
    player = made.player(position.game, seed=seed)
    clock = MoveClock(made.budget_or(Budget(playouts=playouts)))
    for _ in range(plies):
        if position.is_over:
            return
        result = player.choose(position, clock)
        yield _outcome(result, position)
        position = position.play_joint([result.move_of(seat) for seat in position.players_to_move])


def _outcome(result: Any, position: Any) -> Outcome:
    return Outcome(
        best=" & ".join(result.move_of(player) for player in position.players_to_move),
        value=result.value,
        roots=[
            [Move(m.move, m.visits, m.mean, m.amaf_visits, m.amaf) for m in result.by_player[seat]]
            for seat in position.players_to_move
        ],
        line=tuple(result.pv),
        playouts=result.playouts,
        plies=result.plies,
        nodes=result.nodes,
        tables=result.amaf_tables,
        full=result.memory_full,
    )


def match(
    label: str, agents: Sequence[str], *, games: int, playouts: int, seed: int, opening: int
) -> list[Played]:
    result = gv.match(
        game(label),
        *agents,
        games=games,
        playouts=playouts,
        seed=seed,
        workers=1,
        opening_plies=opening,
    )
    return [
        Played(g.seed, g.seats, g.scores, g.moves, g.playouts, g.values) for g in result.results
    ]


def tournament(
    label: str, agents: Sequence[str], *, games: int, playouts: int, seed: int
) -> tuple[list[list[int]], list[list[Played]]]:
    """Wins, losses and draws of each pair, and the games of each pair."""
    with gv.Store() as store:
        result = gv.tournament(
            game(label), agents, games=games, playouts=playouts, seed=seed, workers=1, store=store
        )
        scores = [[s.wins, s.losses, s.draws] for s in result.standings.scores.values()]
        played = [
            [
                Played(g.seed, g.seats, g.scores, g.moves, g.playouts, g.values)
                for g in store.results(pairing, games)
            ]
            for pairing in result.pairings
        ]
    return scores, played


def sweep(
    label: str, grids: tuple[str, str], opponent: str, *, games: int, playouts: int, seed: int
) -> list[list[Any]]:
    """Values, wins, losses and draws of each point of both grids.

    The best agent of the first grid plays all agents of the second one.
    """
    result = gv.sweep(
        game(label),
        grids[0],
        opponent,
        games=games,
        playouts=playouts,
        seed=seed,
        workers=1,
        robustness_against=grids[1],
    )
    return [
        [list(point.values), point.score.wins, point.score.losses, point.score.draws]
        for point in (*result.points, *result.opponents)
    ]


def solve(
    label: str, method: Part, *, playouts: int, runs: int, seed: int
) -> tuple[float, float, tuple[str, ...], int, int]:
    """Points, score, moves, playouts and completed runs."""
    text = _call(method.name, method.values)
    result = gv.solve(game(label), method=text, playouts=playouts, runs=runs, seed=seed)
    return result.points, result.score, result.moves, result.playouts, result.runs
