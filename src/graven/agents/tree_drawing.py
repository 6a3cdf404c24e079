"""A part of a search tree as SVG and in the language of Graphviz."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import log2
from typing import NamedTuple

ROW, COLUMN, BOX_WIDTH, BOX_HEIGHT, MARGIN = 30, 210, 170, 24, 20
LOW, MIDDLE, HIGH = (200, 80, 60), (245, 245, 245), (60, 130, 190)
INK, LINE = "#222", "#8a8f94"


class DrawnNode(NamedTuple):
    """One node: the number of its parent (-1 for the root), and its label's parts."""

    parent: int
    move: str
    player: str | None
    visits: int
    mean: float | None
    amaf: float | None


def label(node: DrawnNode) -> str:
    """Return the text in a node's box: move, playouts, mean."""
    mean = "" if node.mean is None else f"  {node.mean:.3f}"
    return f"{node.move}  {node.visits:,}{mean}"


def tooltip(node: DrawnNode) -> str:
    """Return everything about a node in one sentence."""
    who = f"{node.player} plays {node.move}" if node.player else "the root"
    amaf = "" if node.amaf is None else f", AMAF {node.amaf:.3f}"
    mean = "" if node.mean is None else f", mean {node.mean:.3f}"
    return f"{who}: {node.visits:,} playouts{mean}{amaf}"


def colour(mean: float | None) -> str:
    """Return the fill of a node: red for 0, white for 1/2, blue for 1."""
    share = 0.5 if mean is None else min(1.0, max(0.0, mean))
    end, weight = (HIGH, 2 * share - 1) if share >= 0.5 else (LOW, 1 - 2 * share)
    parts = (round(a + (b - a) * weight) for a, b in zip(MIDDLE, end, strict=True))
    return "#" + "".join(f"{part:02x}" for part in parts)


def as_dot(nodes: Sequence[DrawnNode], title: str) -> str:
    """Return a digraph for Graphviz."""
    lines = [
        "digraph tree {",
        f"  label={_quoted(title)}; rankdir=LR;",
        '  node [shape=box, style="filled,rounded", fontname="Helvetica"];',
    ]
    for number, node in enumerate(nodes):
        lines.append(
            f"  n{number} [label={_quoted(label(node))}, fillcolor={_quoted(colour(node.mean))}, "
            f"tooltip={_quoted(tooltip(node))}];"
        )
        if node.parent >= 0:
            lines.append(f"  n{node.parent} -> n{number} [penwidth={_width(nodes, node):.1f}];")
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _width(nodes: Sequence[DrawnNode], node: DrawnNode) -> float:
    """Return the width of the line to a node, by its share of the root's playouts."""
    return max(1.0, 6.0 + log2(max(1, node.visits) / max(1, nodes[0].visits)))


def as_svg(nodes: Sequence[DrawnNode], title: str) -> str:
    """Return the tree from left to right, siblings below each other, as an SVG picture."""
    rows, depths = _layout(nodes)
    width = 2 * MARGIN + max(depths) * COLUMN + BOX_WIDTH
    height = 2 * MARGIN + (max(rows) + 1) * ROW + ROW
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width:g} {height:g}' "
        f"width='{width:g}' height='{height:g}' role='img' font-size='13' "
        "font-family='Helvetica Neue, Helvetica, Arial, sans-serif'>",
        f"<title>Search tree of {escape(title)}</title>",
        f"<rect width='{width:g}' height='{height:g}' fill='#fff'/>",
        f"<text x='{MARGIN}' y='{MARGIN}' fill='{INK}' font-weight='bold'>{escape(title)}</text>",
    ]
    boxes = []
    for node, row, depth in zip(nodes, rows, depths, strict=True):
        x, y = MARGIN + depth * COLUMN, MARGIN + ROW * (row + 1)
        middle = y + BOX_HEIGHT / 2
        if node.parent >= 0:
            left = x - COLUMN + BOX_WIDTH
            above = MARGIN + ROW * (rows[node.parent] + 1) + BOX_HEIGHT / 2
            bend = (left + x) / 2
            parts.append(
                f"<path d='M{left:g} {above:g}C{bend:g} {above:g} {bend:g} {middle:g} "
                f"{x:g} {middle:g}' fill='none' stroke='{LINE}' "
                f"stroke-width='{_width(nodes, node):.1f}'/>"
            )
        boxes.append(
            f"<g><title>{escape(tooltip(node))}</title><rect x='{x:g}' y='{y:g}' "
            f"width='{BOX_WIDTH}' height='{BOX_HEIGHT}' rx='6' fill='{colour(node.mean)}' "
            f"stroke='{LINE}'/><text x='{x + 8:g}' y='{y + 16:g}' fill='{INK}'>"
            f"{escape(label(node))}</text></g>"
        )
    return "\n".join([*parts, *boxes, "</svg>"]) + "\n"


def _layout(nodes: Sequence[DrawnNode]) -> tuple[list[float], list[int]]:
    """Return the row and the depth of each node: leaves one below the other, parents centred."""
    children: list[list[int]] = [[] for _ in nodes]
    depths = [0] * len(nodes)
    for number, node in enumerate(nodes):  # a parent stands before its children
        if node.parent >= 0:
            children[node.parent].append(number)
            depths[number] = depths[node.parent] + 1
    rows = [0.0] * len(nodes)
    next_row = 0
    pending = [(0, False)]
    while pending:
        number, placed = pending.pop()
        if not children[number]:
            rows[number], next_row = float(next_row), next_row + 1
        elif placed:
            rows[number] = (rows[children[number][0]] + rows[children[number][-1]]) / 2
        else:
            pending.append((number, True))
            pending += [(child, False) for child in reversed(children[number])]
    return rows, depths
