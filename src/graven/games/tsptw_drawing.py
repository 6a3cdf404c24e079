"""Draw a tour with time windows as text and as a chart of the cities' windows."""

from __future__ import annotations

from typing import NamedTuple

from graven.drawing.svg_document import cells_group
from graven.games.tsptw_instances import TsptwInstance

WIDTH, ROW, LEFT, TOP, REST = 640, 14, 40, 34, 14
CARD, INK, OPEN, SOON, ON_TIME, LATE = (
    "#faf9f6",
    "#5b646b",
    "#9db8cc",
    "#dfe4e6",
    "#1f5f99",
    "#c0392b",
)


class TourStop(NamedTuple):
    """A city with its arrival time and whether the arrival was late."""

    city: int
    arrived: int
    late: bool


def tour_stops(instance: TsptwInstance, tour: list[int]) -> tuple[list[TourStop], int, int]:
    """Return the stops of a tour, its length and final time; a complete tour ends at the depot."""
    cities = tour if len(tour) < len(instance.opens) - 1 else [*tour, 0]
    stops, current, time, length = [], 0, int(instance.opens[0]), 0
    for city in cities:
        distance = int(instance.distances[current, city])
        time, length, current = time + distance, length + distance, city
        stops.append(TourStop(city, time, time > int(instance.closes[city])))
        time = max(time, int(instance.opens[city]))
    return stops, length, time


def _format_units(units: int, scale: int) -> str:
    return f"{units / scale:g}" if scale > 1 else str(units)


def as_text(instance: TsptwInstance, tour: list[int]) -> str:
    """Return the tour so far, with an exclamation mark after late arrivals."""
    stops, length, time = tour_stops(instance, tour)
    late = sum(stop.late for stop in stops)
    names = " ".join(f"{stop.city}{'!' * stop.late}" for stop in stops)
    return (
        f"{len(tour)} of {len(instance.opens) - 1} cities visited, {late} late; length "
        f"{_format_units(length, instance.scale)}, time {_format_units(time, instance.scale)}\n"
        f"tour: 0 {names}".rstrip()
    )


def as_svg(instance: TsptwInstance, tour: list[int]) -> str:
    """Return an SVG chart: one row per city, visited ones first, with window and arrival."""
    stops, _, time = tour_stops(instance, tour)
    rest = [city for city in range(1, len(instance.opens)) if city not in set(tour)]
    rest.sort(key=lambda city: (instance.closes[city], city))
    rows = [*stops, *(TourStop(city, -1, False) for city in rest)]
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
