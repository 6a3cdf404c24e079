"""How a tour with time windows looks: as text, and as a chart of when each city is open."""

from __future__ import annotations

from typing import NamedTuple

from graven.games.svg_boards import cells_group
from graven.games.tsptw_instances import Instance

WIDTH, ROW, LEFT, TOP, REST = 640, 14, 40, 34, 14
CARD, INK, OPEN, SOON, ON_TIME, LATE = (
    "#faf9f6",
    "#5b646b",
    "#9db8cc",
    "#dfe4e6",
    "#1f5f99",
    "#c0392b",
)


class Visit(NamedTuple):
    """A city, when one came there, and whether that was too late."""

    city: int
    arrived: int
    late: bool


def visits(instance: Instance, tour: list[int]) -> tuple[list[Visit], int, int]:
    """The visits of a tour, its length and the time at its end; a whole tour ends at the depot."""
    stops = tour if len(tour) < len(instance.opens) - 1 else [*tour, 0]
    found, here, time, length = [], 0, int(instance.opens[0]), 0
    for city in stops:
        distance = int(instance.distances[here, city])
        time, length, here = time + distance, length + distance, city
        found.append(Visit(city, time, time > int(instance.closes[city])))
        time = max(time, int(instance.opens[city]))
    return found, length, time


def _shown(units: int, scale: int) -> str:
    return f"{units / scale:g}" if scale > 1 else str(units)


def as_text(instance: Instance, tour: list[int]) -> str:
    """The tour so far, an exclamation mark where one came late."""
    found, length, time = visits(instance, tour)
    late = sum(visit.late for visit in found)
    stops = " ".join(f"{visit.city}{'!' * visit.late}" for visit in found)
    return (
        f"{len(tour)} of {len(instance.opens) - 1} cities visited, {late} late; length "
        f"{_shown(length, instance.scale)}, time {_shown(time, instance.scale)}\n"
        f"tour: 0 {stops}".rstrip()
    )


def as_svg(instance: Instance, tour: list[int]) -> str:
    """A row for each city, visited ones first: when it is open, and when one came there."""
    found, _, time = visits(instance, tour)
    rest = [city for city in range(1, len(instance.opens)) if city not in set(tour)]
    rest.sort(key=lambda city: (instance.closes[city], city))
    rows = [*found, *(Visit(city, -1, False) for city in rest)]
    last = max(1, time, *(int(instance.closes[row.city]) for row in rows if row.city), 1)
    height = TOP + ROW * len(rows) + REST

    def x(moment: int) -> float:
        return LEFT + (WIDTH - LEFT - REST) * min(moment, last) / last

    title = as_text(instance, tour).splitlines()[0]
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {height}' "
        f"width='{WIDTH}' height='{height}' role='img'>",
        f"<title>A tour with time windows: {title}</title>",
        f"<rect width='{WIDTH}' height='{height}' rx='12' fill='{CARD}'/>",
        f"<g font-family='Helvetica Neue, Helvetica, Arial, sans-serif' font-size='11' "
        f"fill='{INK}'><text x='{LEFT}' y='20'>{title}</text>",
    ]
    cells = []
    for number, (city, arrived, late) in enumerate(rows):
        y = TOP + number * ROW
        cells.append(f"<rect data-cell='{city}' x='0' y='{y - 2}' width='{WIDTH}' height='{ROW}'/>")
        opens, closes = x(int(instance.opens[city])), x(int(instance.closes[city]))
        parts.append(
            f"<text x='{LEFT - 8}' y='{y + 9}' text-anchor='end'>{city}</text>"
            f"<rect x='{opens:.1f}' y='{y + 1}' width='{max(1.5, closes - opens):.1f}' "
            f"height='{ROW - 4}' rx='3' fill='{OPEN if arrived >= 0 else SOON}'/>"
        )
        if arrived >= 0:
            fill = LATE if late else ON_TIME
            parts.append(
                f"<circle cx='{x(arrived):.1f}' cy='{y + ROW // 2 - 1}' r='4' fill='{fill}'/>"
            )
    return "\n".join([*parts, "</g>", cells_group(cells), "</svg>"])
