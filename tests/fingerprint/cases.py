"""The cases: what is searched, played and solved, under ids that no rename changes.

The id of a case is `game/tree/playout[/variation]`, `match/...`, `tournament/...`, `sweep/...` or
`solve/...`. `groups` maps the name of a group, the part of the id before the first slash, to its
cases.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.fingerprint import adapter
from tests.fingerprint.adapter import Outcome, Part, Played

FORMULAS: dict[str, dict[str, Any]] = {
    "bias": {"bias": 1e-3},
    "bias-c": {"bias": 1e-4, "c": 0.3},
    "additive": {"alpha": 0.8, "k": 100},
    "k": {"k": 100},
    "gelly": {"b": 0.2},
    "orego1": {"formula": "orego1"},
    "orego2": {"formula": "orego2", "c": 0.1},
}
TREES = {
    "uct": Part("uct", {}),
    "history": Part("history", {"w": 3}),
    **{f"rave-{name}": Part("rave", values) for name, values in FORMULAS.items()},
    **{f"grave-{name}": Part("grave", {"ref": 20, **v}) for name, v in FORMULAS.items()},
    **{f"hrave-{name}": Part("hrave", values) for name, values in FORMULAS.items()},
}
PLAYOUTS = {
    "uniform": Part("uniform", {}),
    "mast": Part("mast", {}),
    "mast-epsilon": Part("mast", {"epsilon": 0.3}),
    "mast-batch": Part("mast", {"k": 6, "unseen": 0.5, "batch": 25, "batch_decay": 0.6}),
    "mastf": Part("mastf", {}),
    "mastf-epsilon": Part("mastf", {"epsilon": 0.2, "batch": 30}),
    "nst": Part("nst", {"min": 3}),
    "nst-k": Part("nst", {"k": 5, "n": 2, "min": 2, "batch": 40}),
    "poolrave": Part("poolrave", {"p": 0.8, "size": 5, "pool-min": 10}),
    "ppa": Part("ppa", {}),
    "ppaf": Part("ppaf", {}),
}
MOGO = {
    "mogo": Part("mogo", {}),
    "poolrave-mogo": Part("poolrave", {"p": 0.7, "pool-min": 10, "base": "mogo"}),
}
DECAYING = {
    "mast-decay": Part("mast", {"decay": 0.5}),
    "ppa-decay": Part("ppa", {"decay": 0.3}),
}
ALL_PLAYOUTS = {**PLAYOUTS, **MOGO, **DECAYING}
FEW_TREES = ("uct", "history", "rave-bias", "grave-k", "hrave-additive")
COVERED_FULLY = ("hex-5", "breakthrough-5", "go-5")
COVERED = (
    "atarigo-5",
    "domineering-5",
    "go-5-three",
    "havannah-4",
    "knightthrough-6",
    "morpion-5d",
    "nogo-5",
    "othello-6",
    "samegame-6",
    "tsptw-10",
    "misere-breakthrough-5",
    "misere-nogo-5",
    "battle-sheet",
    "breakthrough-sheet",
    "ttcc4-sheet",
    "connect5-sheet",
    adapter.PYTHON_CLASS,
)
ONE_PLAYER = ("morpion-5d", "samegame-6", "tsptw-10")
NEED_OPPONENTS = ("ppa", "ppaf")  # policies that learn from the winner's moves
# Each option away from its default, for searches of single positions.
VARIATIONS: dict[str, dict[str, Any]] = {
    "expand-5": {"expand": 5},
    "first-of-ties": {"tie": "first"},
    "final-mean": {"final": "mean"},
    "no-sharing": {"share": False},
    "unvisited-0.6": {"unvisited": 0.6},
    "unvisited-0": {"unvisited": 0, "tie": "first"},
    "expand-no-sharing": {"expand": 3, "share": False, "final": "mean"},
}
BATCHES: dict[str, dict[str, Any]] = {
    "batch-8x1": {"leaves": 8},
    "batch-1x8": {"per-leaf": 8},
    "batch-4x4": {"leaves": 4, "per-leaf": 4},
    "batch-16x16": {"leaves": 16, "per-leaf": 16},
    "batch-4x4-mixed": {"leaves": 4, "per-leaf": 4, "expand": 4, "tie": "first", "unvisited": 0.7},
}

OPTIONS: dict[str, dict[str, Any]] = {
    "": {},
    "long": {},
    "limit-1": {"limit": 1},
    **VARIATIONS,
    **BATCHES,
}

# Of a short search a text, see `_summary`; else plain values by name.
Line = str | dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A case's id, and the function that computes its line of the stored file."""

    id: str
    compute: Callable[[], Line]

    @property
    def group(self) -> str:
        return self.id.partition("/")[0]


def groups() -> dict[str, list[Case]]:
    """All cases by group, both sorted by name."""
    by_group: dict[str, list[Case]] = {}
    seen: set[str] = set()
    for case in sorted((*_searches(), *_experiments()), key=lambda case: case.id):
        if case.id in seen:
            raise ValueError(f"duplicate case id {case.id!r}")
        seen.add(case.id)
        by_group.setdefault(case.group, []).append(case)
    return by_group


def digest(value: Any) -> str:
    """Ten hexadecimal digits of plain values; floats count with all their digits."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def _seed(name: str) -> int:
    """A different seed for each case, which only its id decides."""
    return zlib.crc32(name.encode())


def _searches() -> Iterable[Case]:
    for game in COVERED_FULLY:
        for tree in TREES:
            for playout in (*PLAYOUTS, *(MOGO if game == "go-5" else ())):
                yield _search(game, tree, playout, 80)
    for game in COVERED:
        for tree in FEW_TREES:
            for playout in PLAYOUTS:
                if game not in ONE_PLAYER or playout not in NEED_OPPONENTS:
                    yield _search(game, tree, playout, 60)
        for tree in TREES:
            if tree not in FEW_TREES:
                yield _search(game, tree, "uniform", 100)
    yield from _varied()
    yield from _in_batches()
    yield from _sequences()
    yield from _closed_trees()
    yield from _long_searches()


def _varied() -> Iterable[Case]:
    """Every option in several games, from positions in the middle of a game."""
    for game in (*COVERED_FULLY, "go-5-three", "othello-6", "battle-sheet", "ttcc4-sheet"):
        for variation in VARIATIONS:
            for tree in ("uct", "rave-bias", "grave-bias-c", "hrave-k"):
                yield _search(game, tree, "uniform", 150, variation=variation, start=4)
            yield _search(game, "grave-gelly", "mast", 150, variation=variation, start=4)
    for tree in FEW_TREES:
        for playout in MOGO:
            yield _search("go-7", tree, playout, 150, variation="expand-5", start=10)
        yield _search("misere-go-5", tree, "uniform", 150, start=8)
        yield _search("misere-connect5-sheet", tree, "uniform", 150)
    yield _search("sheep-sheet-proof", "rave-bias", "uniform", 60)
    yield _search("sheep-sheet-proof", "uct", "mast", 60)


def _in_batches() -> Iterable[Case]:
    """Batches in games with and without batched playouts; only `uniform` can use those."""
    batched = ("battle-sheet", "connect5-sheet", "misere-connect5-sheet", "ttcc4-sheet")
    for game in (*batched, "breakthrough-sheet", "hex-5", "go-5-three", adapter.PYTHON_CLASS):
        for variation in BATCHES:
            for tree in ("uct", "history", "rave-bias", "grave-k"):
                yield _search(game, tree, "uniform", 300, variation=variation)
            for playout in ("mast-batch", "nst", "poolrave", "ppaf"):
                yield _search(game, "grave-bias", playout, 200, variation=variation)


def _sequences() -> Iterable[Case]:
    """The first moves of a game, with and without the tree of the move before."""
    games = ("hex-5", "breakthrough-5", "go-5", "battle-sheet", "ttcc4-sheet", "othello-6")
    for game in (*games, adapter.PYTHON_CLASS):
        for keep in (False, True):
            for tree in ("uct", "rave-bias", "grave-bias-c", "hrave-k"):
                yield _sequence(game, tree, "uniform", keep=keep)
            for playout in ("mast-decay", "nst", "ppa-decay", "poolrave"):
                yield _sequence(game, "grave-bias", playout, keep=keep)
        yield _sequence(game, "grave-bias", "uniform", keep=True, variation="batch-4x4")
        yield _sequence(game, "rave-k", "uniform", keep=True, variation="no-sharing")


def _closed_trees() -> Iterable[Case]:
    """A limit of 1 MiB, at which the tree stops growing; these depend on the arrays' layout."""
    for game in ("hex-5", "breakthrough-8"):
        for tree in ("uct", "rave-bias", "grave-bias", "hrave-bias"):
            yield _search(game, tree, "uniform", 8000, variation="limit-1", full=True)
        for tree in ("uct", "grave-bias"):
            yield _sequence(game, tree, "uniform", keep=True, variation="limit-1", playouts=4000)


def _long_searches() -> Iterable[Case]:
    for game in ("hex-5", "breakthrough-5", "go-5", "go-5-three", "connect5-sheet", "battle-sheet"):
        for tree in ("uct", "rave-bias", "grave-gelly", "hrave-additive"):
            yield _search(game, tree, "uniform", 3000, variation="long", full=True)
        yield _search(game, "grave-k", "nst", 3000, variation="long", full=True)


def _search(
    game: str,
    tree: str,
    playout: str,
    playouts: int,
    *,
    variation: str = "",
    start: int = 0,
    full: bool = False,
) -> Case:
    """A search of one position, `start` plies after the beginning of the game.

    With `full` the line also has the visits of the most visited root moves.
    """
    name = _join(game, tree, playout, variation)

    def compute() -> Line:
        agent = _agent(tree, playout, OPTIONS[variation])
        position = adapter.position_after(game, start)
        outcome = adapter.search(agent, position, playouts, _seed(name))
        if not full:
            return _summary(outcome)
        visits = [{move.text: move.visits for move in root[:12]} for root in outcome.roots]
        return {"search": _summary(outcome), "full": outcome.full, "visits": visits}

    return Case(name, compute)


def _sequence(
    game: str, tree: str, playout: str, *, keep: bool, variation: str = "", playouts: int = 100
) -> Case:
    """Six moves of a game, all chosen by one player."""
    name = _join(game, tree, playout, "kept-tree" if keep else "new-trees", variation)

    def compute() -> Line:
        agent = _agent(tree, playout, {**OPTIONS[variation], "keep": keep})
        start = adapter.position_after(game, 0)
        outcomes = list(
            adapter.self_play(agent, start, playouts=playouts, seed=_seed(name), plies=6)
        )
        return {
            "best": [outcome.best for outcome in outcomes],
            "playouts": sum(outcome.playouts for outcome in outcomes),
            "nodes": [outcome.nodes for outcome in outcomes],
            "roots": digest([_roots(outcome) for outcome in outcomes]),
        }

    return Case(name, compute)


def _join(*parts: str) -> str:
    return "/".join(part for part in parts if part)


def _summary(outcome: Outcome) -> str:
    """The best move, the most visits of a move / all playouts, counts, the digest of `_roots`.

    For example `B4 29/100 plies=1617 nodes=100 tables=2 639455b22a`. `plies` are those of all
    playouts, `tables` are AMAF tables.
    """
    return (
        f"{outcome.best} {outcome.roots[0][0].visits}/{outcome.playouts} plies={outcome.plies} "
        f"nodes={outcome.nodes} tables={outcome.tables} {digest(_roots(outcome))}"
    )


def _roots(outcome: Outcome) -> list[Any]:
    """Visits, means and AMAF of all root moves, in the order of the result, and the line."""
    return [outcome.best, outcome.value, outcome.roots, outcome.line]


def _experiments() -> Iterable[Case]:
    grave = _agent("grave-bias")
    uct = _agent("uct")
    mast = _agent("rave-k", "mast")
    yield _match("hex-5", "opening-2", (grave, uct), opening=2)
    yield _match("breakthrough-5", "learning", (_agent("grave-k", "ppaf"), mast))
    kept = {"keep": True, "own-budget": 80, "final": "mean"}
    yield _match("go-5", "kept-trees", (_agent("grave-bias", "mogo", kept), uct))
    yield _match("go-5-three", "three-players", (grave, mast))
    yield _match("battle-sheet", "simultaneous", (grave, uct), games=2)
    yield _match("ttcc4-sheet", "batches", (_agent("uct", options=BATCHES["batch-4x4"]), mast))
    yield _match("misere-nogo-5", "misere", (grave, mast))
    yield _tournament("breakthrough-5", (grave, uct, mast))
    yield _tournament("ttcc4-sheet", (grave, uct, mast))
    yield _sweep("hex-4")
    methods = {
        "nmcs-1": Part("nmcs", {"level": 1}),
        "nmcs-2": Part("nmcs", {"level": 2}),
        "nrpa-2": Part("nrpa", {"level": 2, "iterations": 20}),
        "nrpa-3": Part("nrpa", {"level": 3, "iterations": 10, "alpha": 0.5}),
        "nrpa-moves": Part("nrpa", {"level": 2, "iterations": 20, "code": "move"}),
    }
    for game in ("morpion-5d", "morpion-5t", "samegame-6", "tsptw-10"):
        for label, method in methods.items():
            yield _solve(game, label, method)


def _agent(tree: str, playout: str = "uniform", options: Mapping[str, Any] | None = None) -> str:
    return adapter.spec(TREES[tree], ALL_PLAYOUTS[playout], options or {})


def _match(
    game: str, label: str, agents: tuple[str, str], games: int = 6, opening: int = 0
) -> Case:
    name = f"match/{game}/{label}"
    return Case(
        name,
        lambda: _games(
            adapter.match(game, agents, games=games, playouts=40, seed=_seed(name), opening=opening)
        ),
    )


def _games(games: list[Played]) -> Line:
    return {
        "seeds": [game.seed for game in games],
        "seats": ["".join(map(str, game.seats)) for game in games],
        "scores": [list(game.scores) for game in games],
        "lengths": [len(game.moves) for game in games],
        "playouts": [game.playouts for game in games],
        "moves": [digest(game.moves) for game in games],
        "values": digest([game.values for game in games]),
    }


def _tournament(game: str, agents: tuple[str, ...]) -> Case:
    name = f"tournament/{game}"

    def compute() -> Line:
        scores, pairs = adapter.tournament(game, agents, games=6, playouts=40, seed=_seed(name))
        return {"scores": scores, "games": [digest(_games(games)) for games in pairs]}

    return Case(name, compute)


def _sweep(game: str) -> Case:
    name = f"sweep/{game}"
    grids = ("rave(bias=[1e-1..1e-3])", "uct(c=[0.2,0.6])")

    def compute() -> Line:
        points = adapter.sweep(game, grids, "uct", games=4, playouts=30, seed=_seed(name))
        return {"points": points}

    return Case(name, compute)


def _solve(game: str, label: str, method: Part) -> Case:
    name = f"solve/{game}/{label}"

    def compute() -> Line:
        points, score, moves, playouts, runs = adapter.solve(
            game, method, playouts=1500, runs=2, seed=_seed(name)
        )
        return {
            "points": points,
            "score": score,
            "playouts": playouts,
            "runs": runs,
            "length": len(moves),
            "moves": digest(moves),
        }

    return Case(name, compute)
