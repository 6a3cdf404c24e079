"""The dependency graph of a sheet's relations, as DOT or SVG.

Relations are drawn in columns, each to the right of its dependencies; mutually recursive relations
share a column. A dashed line is a negative dependency.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from html import escape

from graven.gdl.language.kif_terms import Sheet
from graven.gdl.language.normal_form import normal
from graven.gdl.strong_components import components

GAME = ("legal", "next", "terminal", "goal", "init")
STATE = ("true", "does")
COLOURS = {"game": "#f6c177", "state": "#9ccfd8", "dynamic": "#e8e3f2", "fixed": "#f2f0eb"}
MEANING = {
    "game": "keyword of the game",
    "state": "the state and the moves",
    "dynamic": "depends on the state",
    "fixed": "never changes",
}
LETTER, ROW, GAP, MARGIN = 7.2, 30, 90, 24


@dataclass(frozen=True, slots=True)
class Graph:
    """Relations and their dependencies."""

    kinds: dict[str, str]
    """The kind of each relation: game, state, dynamic or fixed."""
    needs: dict[tuple[str, str], bool]
    """(relation, dependency): whether it is only negative."""
    layers: list[list[str]]
    """Columns from left to right, each a list of relations from top to bottom."""


def rule_graph(sheet: Sheet) -> Graph:
    """Build the graph of a sheet, without auxiliary relations of the normal form."""
    needs: dict[tuple[str, str], bool] = {}
    hidden: dict[str, str] = {}
    names: dict[str, None] = {}
    for clause in normal(sheet):
        head = clause.head.name
        if " " in head:  # an auxiliary relation for a negation
            hidden[head] = head = clause.origin.head.name
        names.setdefault(head)
        for atom in clause.holds:
            needs[head, atom.name] = False
        for atom in clause.fails:
            needs.setdefault((head, atom.name), True)
    needs = {
        (head, need): denied or head in hidden
        for (head, need), denied in needs.items()
        if need not in hidden
    }
    for _, need in needs:
        names.setdefault(need)
    return Graph(_kinds(list(names), needs), needs, _layers(list(names), needs))


def _kinds(names: list[str], needs: dict[tuple[str, str], bool]) -> dict[str, str]:
    users = defaultdict(set)
    for head, need in needs:
        users[need].add(head)
    dynamic = set(STATE)
    waiting = list(STATE)
    while waiting:
        new = users[waiting.pop()] - dynamic
        dynamic |= new
        waiting += new
    kinds = {}
    for name in names:
        if name in GAME:
            kinds[name] = "game"
        elif name in STATE:
            kinds[name] = "state"
        else:
            kinds[name] = "dynamic" if name in dynamic else "fixed"
    return kinds


def _layers(names: list[str], needs: dict[tuple[str, str], bool]) -> list[list[str]]:
    numbers = {name: i for i, name in enumerate(names)}
    below: list[set[int]] = [set() for _ in names]
    for head, need in needs:
        below[numbers[head]].add(numbers[need])
    depth = [0] * len(names)
    for group in components(below):
        level = max((depth[n] + 1 for m in group for n in below[m] - group), default=0)
        for member in group:
            depth[member] = level
    layers: list[list[str]] = [[] for _ in range(max(depth, default=0) + 1)]
    for name in names:
        layers[depth[numbers[name]]].append(name)
    return _reduce_crossings(layers, needs)


def _reduce_crossings(
    layers: list[list[str]], needs: dict[tuple[str, str], bool]
) -> list[list[str]]:
    """Order each layer by the mean position of the neighbours, to reduce crossings."""
    around = defaultdict(set)
    for head, need in needs:
        around[head].add(need)
        around[need].add(head)
    for _ in range(8):
        height = {name: (i + 0.5) / len(layer) for layer in layers for i, name in enumerate(layer)}
        for layer in layers:
            centre = {
                name: sum(height[n] for n in around[name]) / len(around[name])
                if around[name]
                else height[name]
                for name in layer
            }
            layer.sort(key=lambda name: (centre[name], name))
            height.update({name: (i + 0.5) / len(layer) for i, name in enumerate(layer)})
    return layers


def dot(graph: Graph) -> str:
    """Format the graph for Graphviz."""
    lines = ["digraph rules {", "  rankdir=LR;", "  node [shape=box, style=filled];"]
    for name, kind in graph.kinds.items():
        lines.append(f'  {_quoted(name)} [fillcolor="{COLOURS[kind]}"];')
    for (head, need), denied in graph.needs.items():
        style = " [style=dashed]" if denied else ""
        lines.append(f"  {_quoted(need)} -> {_quoted(head)}{style};")
    return "\n".join([*lines, "}", ""])


def _quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def svg(graph: Graph, title: str = "") -> str:
    """Draw the graph as SVG."""
    widths = [max(len(name) for name in layer) * LETTER + 20 for layer in graph.layers]
    tallest = max(len(layer) for layer in graph.layers)
    height = 2 * MARGIN + tallest * ROW + 46
    boxes: dict[str, tuple[float, float, float]] = {}
    x = float(MARGIN)
    for layer, width in zip(graph.layers, widths, strict=True):
        top = MARGIN + 26 + (tallest - len(layer)) * ROW / 2
        for i, name in enumerate(layer):
            boxes[name] = (x, top + i * ROW, width)
        x += width + GAP
    parts = [
        _edge(boxes[need], boxes[head], denied) for (head, need), denied in graph.needs.items()
    ]
    for name, (left, top, width) in boxes.items():
        parts.append(
            f'<rect x="{left:.0f}" y="{top:.0f}" width="{width:.0f}" height="{ROW - 8}" rx="4" '
            f'fill="{COLOURS[graph.kinds[name]]}" stroke="#555"/>'
            f'<text x="{left + width / 2:.0f}" y="{top + 15:.0f}">{escape(name)}</text>'
        )
    at = float(MARGIN)
    for kind, meaning in MEANING.items():
        parts.append(
            f'<rect x="{at:.0f}" y="{height - 26}" width="12" height="12" '
            f'fill="{COLOURS[kind]}" stroke="#555"/>'
            f'<text x="{at + 18:.0f}" y="{height - 16}" style="text-anchor:start">{meaning}</text>'
        )
        at += 30 + len(meaning) * LETTER
    wide = max(x - GAP, at) + MARGIN
    name = f'<text x="{MARGIN}" y="20" style="text-anchor:start">{escape(title)}</text>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:.0f}" height="{height}" '
        f'viewBox="0 0 {wide:.0f} {height}" font-family="monospace" font-size="12" '
        f'text-anchor="middle"><rect width="100%" height="100%" fill="white"/>'
        f"{name}{''.join(parts)}</svg>\n"
    )


def _edge(
    source: tuple[float, float, float], target: tuple[float, float, float], denied: bool
) -> str:
    half = (ROW - 8) / 2
    x1, y1 = source[0] + source[2], source[1] + half
    x2, y2 = target[0], target[1] + half
    if x2 > x1:
        bend = (x2 - x1) / 2
        path = (
            f"M{x1:.0f},{y1:.0f} C{x1 + bend:.0f},{y1:.0f} {x2 - bend:.0f},{y2:.0f} {x2},{y2:.0f}"
        )
    else:
        # An edge within a layer leaves and enters on the right.
        x2 = target[0] + target[2]
        out = f"{x1 + 40:.0f},{y1:.0f} {x2 + 40:.0f},{y2 + 6:.0f}"
        path = f"M{x1:.0f},{y1:.0f} C{out} {x2:.0f},{y2 + 4:.0f}"
    dashes = ' stroke-dasharray="5 3"' if denied else ""
    return f'<path d="{path}" fill="none" stroke="#6e6a86" stroke-opacity="0.6"{dashes}/>'
