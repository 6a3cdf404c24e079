"""Every option of a search, in one record.

The spec language, `graven agents`, the form of the web page and the documentation are generated
from the fields of `SearchOptions`. To add an option, add a field here and the code that reads it.
"""

from __future__ import annotations

import math
from dataclasses import Field, dataclass, field, fields
from typing import Any

from graven.core.calls import format_value
from graven.search.budget import MOST_PLAYOUTS
from graven.search.policy import Parameter

MOST_THREADS = 256


def option(default: Any, doc: str, *, paper: str = "", **values: Any) -> Any:
    """Return a field with a default, a description, the paper it comes from and valid values.

    `values` are the keyword arguments of `Parameter` that describe valid values: `low`, `high`,
    `choices`, `infinite` and `whole`.
    """
    return field(default=default, metadata={"doc": doc, "paper": paper, "values": values})


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """The options of a search, besides its policies and their parameters.

    In specs they are written among the parameters of the tree policy, in this order.
    """

    fpu: float = option(
        math.inf,
        "first-play urgency: the value of a move that has no playouts; inf tries it first",
        paper="inf in the five papers of 'graven reproduce'",
        infinite=True,
    )
    ties: str = option(
        "random",
        "among equal values: one at random, or the first by move code",
        paper="first: Cazenave 2015, algorithm 1",
        choices=("random", "first"),
    )
    offset: float = option(
        0.0,
        "values that are at most this much below the best count as equal to it",
        paper="0.01 in the program of Sironi and Winands",
        low=0.0,
        high=1.0,
    )
    untried: str = option(
        "fpu",
        "the value of a move that has no playouts: fpu (in the RAVE family its AMAF value if c = "
        "0), or amaf, its AMAF value plus 1, where AMAF knows it",
        paper="amaf with fpu=1 in the program of Sironi and Winands",
        choices=("fpu", "amaf"),
    )
    amaf_count: str = option(
        "first",
        "what AMAF counts of a simulation: each move once and a point for the player who takes it "
        "first, each move of each player once, or all occurrences of a move",
        paper="first: Cazenave; player: Rimmel et al.; all: the program of Sironi and Winands",
        choices=("first", "player", "all"),
    )
    amaf_moves: str = option(
        "simulation",
        "AMAF counts the moves of the whole simulation, or of its playout only",
        paper="playout: Rimmel et al. 2010, algorithm 1",
        choices=("simulation", "playout"),
    )
    amaf_weight: str = option(
        "equal",
        "all moves of a simulation count the same in an AMAF table, or the weight of a move "
        "decreases linearly with its distance from the node, from 2 to 0 at the end of the game",
        paper="distance: the program Fuego",
        choices=("equal", "distance"),
    )
    amaf_off: float = option(
        0.0,
        "selection at a node ignores AMAF with this probability",
        paper="0.05 in the program Fuego, 0.033 in MoHex",
        low=0.0,
        high=1.0,
    )
    criticality: float = option(
        0.0,
        "a move whose AMAF value is better than the player's mean gets extra AMAF playouts, all "
        "counted as won: criticality * covariance * its AMAF playouts; the covariance is that of "
        "playing the move and of the score",
        paper="after Coulom 2009",
        low=0.0,
        high=1e6,
    )
    expand: int = option(
        1,
        "a position enters the tree with its n-th playout; with simultaneous moves, always with "
        "its first",
        paper="Rimmel et al. 2010: 1 for Havannah, 5 for Go",
        low=1,
        high=1_000_000,
    )
    credit_creation: bool = option(
        True,
        "the simulation that adds a node to the tree counts in it",
        paper="true: Cazenave 2015, algorithm 1; false: the program of Sironi and Winands",
    )
    final_move: str = option(
        "visits",
        "the move played is the one with the most playouts or with the best mean",
        paper="visits: Cazenave; mean: Sironi and Winands",
        choices=("visits", "mean"),
    )
    root: str = option(
        "policy",
        "the root's moves are selected by the tree policy; by sequential halving, in the anytime "
        "form where the playouts are not limited; or always in the anytime form",
        paper="sh: Karnin, Koren and Somekh 2013; anytime: Sagers, Winands and Soemers 2024",
        choices=("policy", "sh", "anytime"),
    )
    root_amaf: float = option(
        0.0,
        "sequential halving keeps the moves with the best mean + root_amaf * AMAF / n",
        paper="after SHUSS, Fabiano and Cazenave 2021",
        low=0.0,
    )
    reuse_tree: bool = option(
        False,
        "keep the tree between the moves of a game",
        paper="false: Cazenave; true: Sironi and Winands",
    )
    every_step: bool = option(
        False,
        "in matches, search as long in the positions in which the player has no move, and once "
        "more before the first move; needs reuse_tree",
        paper="true: Sironi and Winands",
    )
    simultaneous: str = option(
        "decoupled",
        "at simultaneous moves each player follows the tree policy, or draws a move by regret "
        "matching, which converges to an equilibrium of two players' zero-sum games; the move "
        "played is then drawn from the average strategy",
        paper="decoupled: Sironi and Winands; regret: Tak, Lanctot and Winands 2014",
        choices=("decoupled", "regret"),
    )
    gamma: float = option(
        0.3,
        "with simultaneous=regret: a move of m is drawn at random, instead of by regrets, with "
        "probability gamma * (m / (N + 1)) ** 0.25",
        low=0.001,
        high=1.0,
    )
    regret_min: int = option(
        50,
        "with simultaneous=regret: moves are drawn by regrets where a node has so many playouts "
        "for each of the player's moves; before, the tree policy selects them",
        low=0,
        high=1_000_000,
    )
    transpositions: bool = option(True, "equal positions share one node, however they are reached")
    solver: str = option(
        "on",
        "keep proven bounds of the players' scores at every node, skip what is proven worse, and "
        "stop when the root is proven",
        paper="off in the five papers of 'graven reproduce': they have no solver",
        choices=("on", "off"),
    )
    prior_amaf: float = option(
        0.0,
        "each move begins with so many AMAF playouts whose mean is what the game's `prior` says",
        paper="future work of Javins, Drake and Chen; after Gelly and Silver 2007",
        low=0.0,
    )
    prior_bias: float = option(
        0.0,
        "adds prior_bias * prior / (n + 1) to the value of a move with n playouts: progressive "
        "bias",
        paper="Chaslot et al. 2008",
        low=0.0,
    )
    decisive: str = option(
        "off",
        "playouts play a move that wins at once, if there is one (win), else one that prevents "
        "the opponent's winning move (defend), with any playout policy; for games with a "
        "`winning_move`",
        paper="Teytaud and Teytaud 2010: decisive and anti-decisive moves",
        choices=("off", "win", "defend"),
    )
    widen: float = option(
        0.0,
        "progressive widening: a node's moves are selected in the order of the game's `prior`, "
        "another one after widen playouts, the next after widen * widen_growth more, and so on",
        paper="40: Coulom 2007; progressive unpruning: Chaslot et al. 2008",
        low=0.0,
    )
    widen_growth: float = option(
        1.4, "with widen: the growth of the steps", paper="Coulom 2007", low=1.0, high=100.0
    )
    widen_first: int = option(
        1,
        "with widen: the moves that can be selected from the start",
        paper="1: Coulom 2007; 5: Chaslot et al. 2008",
        low=1,
        high=1_000_000,
    )
    implicit: float = option(
        0.0,
        "implicit minimax: the weight, in the mean of a move, of the game's `evaluate` backed up "
        "by minimax in the tree",
        paper="Lanctot et al. 2014",
        low=0.0,
        high=1.0,
    )
    cutoff: float = option(
        math.inf,
        "playouts end after n plies below the tree, and the game's `evaluate` gives the scores; "
        "inf plays to the end of the game",
        low=0,
        infinite=True,
        whole=True,
    )
    batch_leaves: int = option(
        1,
        "leaves collected before their playouts start, each descent with a virtual loss: for games "
        "with batched playouts",
        low=1,
        high=4096,
    )
    playouts_per_leaf: int = option(1, "playouts from each leaf", low=1, high=4096)
    batch_growth: int = option(
        0,
        "for small trees: a batch has at most (root playouts / n) playouts; 0: batches are never "
        "reduced",
        low=0,
        high=1_000_000,
    )
    learn_after: str = option(
        "playout",
        "learning playouts learn after each playout, or after each batch, whose playouts are then "
        "played at once where the game can",
        choices=("playout", "batch"),
    )
    threads: int = option(
        1,
        "threads that share the search of a move; games of Python objects have only one",
        low=1,
        high=MOST_THREADS,
    )
    parallel: str = option(
        "sync",
        "how threads share a search: they exchange their simulations after each round (sync), "
        "search one tree (tree), or have a tree each, whose roots are added up at the end (root)",
        choices=("sync", "tree", "root"),
    )
    memory_mib: int = option(
        1024, "the most memory that the tree may take, in MiB", low=1, high=1 << 20
    )
    max_nodes: int = option(0, "the most nodes that the tree may have", low=2, high=1 << 30)
    full: str = option(
        "close",
        "when the tree has reached memory_mib or max_nodes, nothing more enters it, or the nodes "
        "with the fewest playouts are removed",
        paper="recycle: after GRAVER, Rautureau, Cazenave and Piette 2026",
        choices=("close", "recycle"),
    )
    edges: str = option(
        "tried",
        "memory only: store edges of tried moves, while a node has few of them and the search "
        "allows it, or of all moves; results do not change",
        choices=("tried", "all"),
    )
    tuner: str = option(
        "naive",
        "the bandit that chooses the values of parameters set to auto: naive sampling of single "
        "values and combinations, or n-tuples of values",
        paper="after Sironi and Winands 2017; Sironi, Liu and Winands 2020",
        choices=("naive", "ntuple"),
    )
    playouts: int = option(0, "the agent's own budget: playouts a move", low=1, high=MOST_PLAYOUTS)
    seconds: float = option(0.0, "the agent's own budget: seconds a move", low=0.0, high=1e6)
    time: float = option(
        0.0, "the agent's own budget: seconds for all its moves of a game", low=0.0, high=1e6
    )
    increment: float = option(
        0.0, "with time: seconds that each move adds to the clock", low=0.0, high=1e6
    )


def _parameter(option_field: Field[Any]) -> Parameter:
    doc, paper = option_field.metadata["doc"], option_field.metadata["paper"]
    text = f"{doc} ({paper})" if paper else doc
    values = option_field.metadata["values"]
    default: Any = option_field.default
    return Parameter(option_field.name, default, text, **values)


OPTIONS: tuple[Parameter, ...] = tuple(_parameter(each) for each in fields(SearchOptions))


def options_table() -> str:
    """Return all options as a Markdown table: the one in docs/search-options.md."""
    lines = ["| option | default | meaning |", "| --- | --- | --- |"]
    for each in OPTIONS:
        unset = each.default == 0 and not isinstance(each.default, bool)
        default = "none" if unset else f"`{format_value(each.default)}`"
        choices = (
            f": {' or '.join(f'`{choice}`' for choice in each.choices)}" if each.choices else ""
        )
        lines.append(f"| `{each.name}`{choices} | {default} | {each.doc} |")
    return "\n".join(lines) + "\n"
