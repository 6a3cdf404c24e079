"""The tree of a search: `result.tree.root.children`, and as JSON, Graphviz and SVG."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from graven.agents.tree_drawing import DrawnNode, as_dot, as_svg
from graven.core.contract import Rules
from graven.core.errors import UsageError
from graven.core.file_replacement import replace_text
from graven.core.number_checks import whole_value
from graven.core.plain_values import PlainValues
from graven.core.position import Position
from graven.search.tree import Tree
from graven.search.tree_copy import TreeCopy, copy_visited

NODES_SHOWN = 50
MAX_PV_MOVES = 30
CHANCE_NAME = "chance"
SUFFIXES = (".svg", ".dot", ".gv", ".json")


@dataclass(frozen=True, eq=False)
class TreeNode:
    """A move in the tree and the position after it; the root has no move.

    `visits` are the playouts of the move, `mean` is their mean score for the player who made it
    (at the root: for the player to move), `amaf` the move's mean in the AMAF table of the position
    before it, None if that position had no table of its own.
    """

    tree: SearchTree = field(repr=False)
    node: int  # index of the position, -1 if it is not in the tree
    edge: int  # index of the move, -1 at the root

    @property
    def move(self) -> str | None:
        """The move that leads here; None at the root."""
        return self.tree.texts[self.tree.text_of[self.edge]] if self.edge >= 0 else None

    @property
    def player(self) -> int | None:
        """The player who made the move; None at the root.

        For an outcome of chance it is the number of players, and `mean` that of the first player.
        """
        return int(self.tree.arrays.players[self.edge]) if self.edge >= 0 else None

    @property
    def visits(self) -> int:
        """The playouts of the move; at the root, of the search."""
        arrays = self.tree.arrays
        return int(arrays.counts[self.edge] if self.edge >= 0 else arrays.visits[self.node])

    @property
    def mean(self) -> float | None:
        """The mean score of the move's player; at the root, of the player to move."""
        arrays = self.tree.arrays
        if self.edge >= 0:
            return float(arrays.sums[self.edge] / arrays.counts[self.edge])
        edges = [e for e in self._edges if arrays.players[e] == max(0, arrays.turns[self.node])]
        count = int(arrays.counts[edges].sum())
        return float(arrays.sums[edges].sum() / count) if count else None

    @property
    def amaf_visits(self) -> int:
        """The playouts of the move in the AMAF table of the position before it."""
        return int(self.tree.arrays.amaf_visits[self.edge]) if self.edge >= 0 else 0

    @property
    def amaf(self) -> float | None:
        """The AMAF value of the move; None if it has none."""
        count = self.amaf_visits
        return float(self.tree.arrays.amaf_sums[self.edge]) / count if count else None

    @property
    def _edges(self) -> range:
        first = self.tree.arrays.first
        return (
            range(int(first[self.node]), int(first[self.node + 1])) if self.node >= 0 else range(0)
        )

    @cached_property
    def children(self) -> tuple[TreeNode, ...]:
        """The moves here that have playouts, the most visited first.

        Where players move simultaneously these are the moves of all of them: see `player`.
        """
        arrays = self.tree.arrays
        edges = sorted(self._edges, key=lambda edge: -int(arrays.counts[edge]))
        return tuple(TreeNode(self.tree, int(arrays.children[edge]), edge) for edge in edges)

    @property
    def pv(self) -> tuple[str, ...]:
        """The most visited moves from here on."""
        moves: list[str] = []
        node = self
        while node.children and len(moves) < MAX_PV_MOVES:
            if len({child.player for child in node.children}) > 1:
                break  # simultaneous moves
            node = node.children[0]
            moves.append(node.move or "")
        return tuple(moves)

    def to_dict(self) -> dict[str, Any]:
        """Return the statistics of this node, without its children."""
        return {
            "move": self.move,
            "player": self.player,
            "visits": self.visits,
            "mean": self.mean,
            "amaf": self.amaf,
            "amaf_visits": self.amaf_visits,
        }

    def __repr__(self) -> str:
        mean = "no mean" if self.mean is None else f"mean {self.mean:.3f}"
        return f"<TreeNode {self.move or 'root'}, {self.visits} visits, {mean}>"


@dataclass(frozen=True, eq=False, repr=False)
class SearchTree(PlainValues):
    """The tree of a finished search: all moves that have playouts.

    It is a copy, about 50 bytes for each playout. Positions that are reached by different moves
    may share one node, whose children then appear below each of these moves.
    """

    game: str
    player_names: tuple[str, ...]
    arrays: TreeCopy
    texts: tuple[str, ...]
    text_of: Any  # [edge]: index into `texts`

    @property
    def root(self) -> TreeNode:
        """The root: the position that was searched."""
        return TreeNode(self, self.arrays.root, -1)

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.arrays.visits)

    def __repr__(self) -> str:
        return f"<SearchTree of {self.game}, {len(self):,} nodes>"

    def _most_visited(self, limit: int) -> Iterator[tuple[int, TreeNode]]:
        """Yield the most visited nodes, each with the number of its parent in this order."""
        limit = whole_value("limit", limit)
        if limit < 1:
            raise UsageError(f"a tree is written with at least 1 node, got {limit}.")
        heap: list[tuple[int, int, int, TreeNode]] = [(0, 0, -1, self.root)]
        pushed = 1
        for number in range(limit):
            if not heap:
                return
            *_, parent, node = heapq.heappop(heap)
            yield parent, node
            for child in node.children[: limit - number]:
                heapq.heappush(heap, (-child.visits, pushed, number, child))
                pushed += 1

    def to_dict(self, limit: int = NODES_SHOWN) -> dict[str, Any]:
        """Return the `limit` most visited nodes as nested dictionaries."""
        entries: list[dict[str, Any]] = []
        for parent, node in self._most_visited(limit):
            entries.append({**node.to_dict(), "children": []})
            if parent >= 0:
                entries[parent]["children"].append(entries[-1])
        return {"game": self.game, "players": list(self.player_names), "root": entries[0]}

    def _drawn(self, limit: int) -> list[DrawnNode]:
        drawn = []
        for parent, node in self._most_visited(limit):
            names = (*self.player_names, CHANCE_NAME)
            player = None if node.player is None else names[node.player]
            drawn.append(
                DrawnNode(
                    parent, node.move or "root", player, node.visits, mean=node.mean, amaf=node.amaf
                )
            )
        return drawn

    def to_dot(self, limit: int = NODES_SHOWN) -> str:
        """Return the `limit` most visited nodes in the language of Graphviz."""
        return as_dot(self._drawn(limit), self.game)

    def to_svg(self, limit: int = NODES_SHOWN) -> str:
        """Return the `limit` most visited nodes as an SVG picture."""
        return as_svg(self._drawn(limit), self.game)

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def save(self, file: str | Path, limit: int = NODES_SHOWN) -> None:
        """Write the most visited nodes to a file: .svg, .dot (or .gv) or .json."""
        check_tree_file(file)
        suffix = Path(file).suffix.lower()
        if suffix == ".svg":
            text = self.to_svg(limit)
        elif suffix == ".json":
            text = json.dumps(self.to_dict(limit), indent=1)
        else:
            text = self.to_dot(limit)
        replace_text(file, text)


def check_tree_file(file: str | Path) -> None:
    """Raise a UsageError if a tree cannot be written in the format of this file name."""
    if Path(file).suffix.lower() not in SUFFIXES:
        raise UsageError(f"a tree is written as {', '.join(SUFFIXES)}; got {str(file)!r}.")


def copy_tree(rules: Rules, tree: Tree, position: Position) -> SearchTree:
    """Copy the tree of a search of a position that has ended."""
    game, arrays = position.game, copy_visited(rules, tree)
    pairs = arrays.players.astype(np.int64) * game.num_codes + arrays.moves
    distinct, text_of = np.unique(pairs, return_inverse=True)
    texts = [game.format_move(*divmod(pair, game.num_codes)) for pair in distinct.tolist()]
    return SearchTree(
        game.spec, game.player_names, arrays, tuple(texts), text_of=text_of.reshape(-1)
    )
