"""Read or generate instances of the travelling salesman problem with time windows.

There are two file formats. Both may contain comments, which begin with # or !!.

* Matrix (López-Ibáñez and Blum's collection: Dumas, Gendreau, Solomon-Potvin-Bengio and others):
  the number of cities including the depot, the distances row by row, then opening and closing time
  of each city. Service times, if any, are already included in the distances.
* Coordinates (da Silva and Urrutia's collection): one row per city, the depot first: number, x, y,
  demand, opening time, closing time, service time. A row with number 999 ends the list. Distances
  are Euclidean, rounded down, and shortened where a detour through one city is then shorter, as in
  the published matrices. A city's service time is added to the distances from it.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graven.core.errors import UsageError
from graven.core.rng import derive

MAX_CITIES = 256  # with the depot
MAX_DECIMALS = 6
END_ROW = 999  # the number of the row that ends a list of coordinates
SQUARE_SIDE = 50  # the side of the square that contains the cities of random instances

_NUMBER = re.compile(r"-?\d{1,9}(?:\.\d{0,12})?")


@dataclass(frozen=True)
class TsptwInstance:
    """Distances [from, to], opening and closing times, as integers in units of 1 / scale."""

    distances: NDArray[np.int64]
    opens: NDArray[np.int64]
    closes: NDArray[np.int64]
    scale: int


def read_instance(text: str, name: str) -> TsptwInstance:
    """Return the instance in a file's text, or raise UsageError; `name` is the file name."""
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        words = re.sub(r"(#|!!).*", "", line).split()
        if words and not any("CUST" in word.upper() for word in words):
            for word in words:
                if not _NUMBER.fullmatch(word):
                    raise UsageError(
                        f"{name!r} is not a TSPTW instance: line {number} has a word that is not a "
                        "number with at most 9 digits before the decimal point."
                    )
            rows.append(words)
    if not rows:
        raise UsageError(f"{name!r} is not a TSPTW instance: it contains no numbers.")
    if all(len(row) == 7 for row in rows):
        return _from_coordinates(rows, name)
    return _from_matrix([word for row in rows for word in row], name)


def _from_matrix(words: list[str], name: str) -> TsptwInstance:
    cities = _city_count(int(words[0]) if words[0].isdigit() else 0, name)
    expected = 1 + cities * cities + 2 * cities
    if len(words) != expected:
        raise UsageError(
            f"{name!r} is not a TSPTW instance: {cities} cities need {expected} numbers "
            f"(number of cities, distances, windows), got {len(words)}."
        )
    scale = _scale(words)
    numbers = np.array([_units(word, scale) for word in words[1:]], dtype=np.int64)
    distances = numbers[: cities * cities].reshape(cities, cities)
    windows = numbers[cities * cities :].reshape(cities, 2)
    return _checked(
        TsptwInstance(distances, windows[:, 0].copy(), windows[:, 1].copy(), scale), name
    )


def _from_coordinates(rows: list[list[str]], name: str) -> TsptwInstance:
    ends = [i for i, row in enumerate(rows) if float(row[0]) == END_ROW]
    if ends:
        rows = rows[: ends[0]]
    cities = _city_count(len(rows), name)
    places = [(float(row[1]), float(row[2])) for row in rows]
    scale = _scale([word for row in rows for word in row[4:]])
    opens, closes, service = (
        np.array([_units(row[i], scale) for row in rows], dtype=np.int64) for i in (4, 5, 6)
    )
    distances = np.zeros((cities, cities), dtype=np.int64)
    for i, (x, y) in enumerate(places):
        for j, (other_x, other_y) in enumerate(places):
            distances[i, j] = math.floor(math.hypot(x - other_x, y - other_y)) * scale
    # One pass in this order, not a complete shortest-path closure: as in the published matrices.
    for i in range(cities):
        for j in range(cities):
            distances[i, j] = (distances[i] + distances[:, j]).min()
    return _checked(TsptwInstance(distances + service[:, None], opens, closes, scale), name)


def _city_count(cities: int, name: str) -> int:
    if not 2 <= cities <= MAX_CITIES:
        raise UsageError(
            f"{name!r} is not a supported TSPTW instance: the number of cities must be from 2 to "
            f"{MAX_CITIES}, including the depot."
        )
    return cities


def _scale(words: list[str]) -> int:
    """Return 10 to the largest number of significant decimals of any word."""
    decimals = max(len(word.partition(".")[2].rstrip("0")) for word in words)
    if decimals > MAX_DECIMALS:
        raise UsageError(
            f"a number of the TSPTW instance has {decimals} decimals; at most {MAX_DECIMALS} "
            "decimals are allowed."
        )
    return 10**decimals


def _units(word: str, scale: int) -> int:
    whole, _, decimals = word.partition(".")
    places = len(str(scale)) - 1
    units = int(whole.lstrip("-")) * scale + int("0" + decimals[:places].ljust(places, "0"))
    return -units if whole.startswith("-") else units


def _checked(instance: TsptwInstance, name: str) -> TsptwInstance:
    if (instance.distances < 0).any():
        raise UsageError(f"{name!r} is not a TSPTW instance: a distance is less than 0.")
    if (instance.opens < 0).any():
        raise UsageError(f"{name!r} is not a TSPTW instance: a city opens before time 0.")
    if (instance.opens > instance.closes).any():
        city = int(np.argmax(instance.opens > instance.closes))
        raise UsageError(f"{name!r} is not a TSPTW instance: city {city} closes before it opens.")
    np.fill_diagonal(instance.distances, 0)
    return instance


def random_instance(cities: int, width: int, seed: int) -> TsptwInstance:
    """Return a random instance with a tour without late arrivals, similar to Dumas et al. 1995.

    Cities have random coordinates in a square. A nearest-neighbour tour starts at the depot, and
    each window contains the time of the tour's arrival, up to `width` / 2 before and after.
    """

    def draw(largest: int, *labels: int) -> int:
        return derive(seed, *labels) % (largest + 1)

    total = cities + 1
    places = [(draw(SQUARE_SIDE, 0, city), draw(SQUARE_SIDE, 1, city)) for city in range(total)]
    distances = np.array(
        [[math.isqrt((x - u) ** 2 + (y - v) ** 2) for u, v in places] for x, y in places]
    )
    for middle in range(total):
        distances = np.minimum(distances, distances[:, middle, None] + distances[None, middle, :])
    opens, closes = np.zeros(total, dtype=np.int64), np.zeros(total, dtype=np.int64)
    unvisited, current, time = set(range(1, total)), 0, 0
    while unvisited:
        city = min(unvisited, key=lambda city: (distances[current, city], city))
        unvisited.discard(city)
        time += int(distances[current, city])
        opens[city] = max(0, time - draw(width // 2, 2, city))
        closes[city] = time + draw(width // 2, 3, city)
        current = city
    closes[0] = time + int(distances[current, 0]) + width
    return TsptwInstance(distances.astype(np.int64), opens, closes, 1)
