"""The travelling salesman with time windows: visit every city while it is open, travel little.

From the depot, city 0, visit every other city once and come back. A city opens and closes at set
times: who comes early waits, who comes late is late. Fewer late arrivals always come first, then
the length of the tour, waiting not counted (as in Cazenave and Teytaud 2012). Points are minus the
length, and minus a million (or as many zeros more as exceed every tour) for each late arrival.

A move is the next city, and so is its code. What makes a city a good next one is where one comes
from: the game's `feature` is the pair (from, to), which the NRPA solver learns from.

With `prune=true` only those cities are legal next that make no other city late which could still
be reached in time from here; if there are none, all are (in the manner of Cazenave and Teytaud).
Where a tour without late arrivals exists and no way round is shorter than the direct one, that
loses no such tour, and it is found much sooner. It is no part of the problem, so it has to be asked
for.

Instances are files (see `tsptw_files`) or made from a seed. Distances and times are whole numbers
here, of the smallest decimal place that the file has.

State: the city, the time, the length and the late arrivals so far, how many cities are left, these
as bits; then, for people only, the tour so far.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graven.core import bits
from graven.core.compile import inlined
from graven.core.contract import TERMINAL, Constants, Moves, Scores, State, hash_words
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.core.game_parts import Bounds, Display, RuleFunctions
from graven.core.rng import Rng, below
from graven.games.option_values import read_text, whole_number
from graven.games.registry import Family, Option
from graven.games.tsptw_drawing import as_svg, as_text
from graven.games.tsptw_instances import MOST_CITIES, Instance, invented, read_instance

# `tables`: how many cities, what a late arrival costs, what the score is a fraction of, whether
# to prune; then distances row by row, then when each city opens, then when each closes.
CITIES, PENALTY, RANGE, PRUNE, DISTANCES = range(5)
CITY, TIME, LENGTH, LATE, COUNT, LEFT = range(6)
SET_WORDS = bits.words_for(MOST_CITIES)
TOUR = LEFT + SET_WORDS

MILLION = 10**6
FINEST = 1 << 50  # differences of 1 / FINEST are exact in a score


def build_constants(instance: Instance, prune: bool) -> NDArray[np.int64]:
    """Tables for an instance, or an error if its numbers are too large for an exact score."""
    cities = len(instance.opens)
    penalty = MILLION * instance.scale
    while penalty <= cities * int(instance.distances.max()):
        penalty *= 10
    if penalty * (cities + 1) > FINEST:
        raise UsageError("the distances of this TSPTW instance are too large, or too finely given.")
    head = np.array([cities, penalty, penalty * (cities + 1), prune], dtype=np.int64)
    return np.concatenate([head, instance.distances.reshape(-1), instance.opens, instance.closes])


def start(constants: Constants, state: State) -> None:
    """At the depot, when it opens."""
    cities = constants[CITIES]
    state[:] = 0
    state[TIME] = constants[DISTANCES + cities * cities]
    state[COUNT] = cities - 1
    for city in range(1, cities):
        state[LEFT + (city >> 6)] |= np.int64(1) << (city & 63)


def turn(constants: Constants, state: State) -> int:
    """The salesman, until he is back."""
    return 0 if state[COUNT] else TERMINAL


@inlined
def _harmless(constants: Constants, state: State, city: int) -> bool:
    """Whether to go to a city makes no other city late that need not be."""
    cities, here, now = constants[CITIES], state[CITY], state[TIME]
    opens = DISTANCES + cities * cities
    then = max(now + constants[DISTANCES + here * cities + city], constants[opens + city])
    for word in range(SET_WORDS):
        left = state[LEFT + word]
        while left:
            other = 64 * word + bits.lowest(left)
            left &= left - 1
            closes = constants[opens + cities + other]
            if (
                other != city
                and then + constants[DISTANCES + city * cities + other] > closes
                and now + constants[DISTANCES + here * cities + other] <= closes
            ):
                return False
    return True


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """The cities left; if we are to prune, the harmless ones among them, if there are any."""
    count = 0
    for word in range(SET_WORDS):
        left = state[LEFT + word]
        while left:
            moves[count] = 64 * word + bits.lowest(left)
            count += 1
            left &= left - 1
    if constants[PRUNE] == 0:
        return count
    harmless = 0
    for i in range(count):
        if _harmless(constants, state, moves[i]):
            moves[harmless] = moves[i]
            harmless += 1
    return harmless if harmless else count


def sample(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Draw a number, and find the city it stands for."""
    if state[COUNT] == 0:
        return -1
    skip = below(rng, state[COUNT])
    for word in range(SET_WORDS):
        here = bits.count(state[LEFT + word])
        if skip < here:
            return 64 * word + bits.nth(state[LEFT + word], skip)
        skip -= here
    return -1


@inlined
def _travel(constants: Constants, state: State, city: int) -> None:
    """Go there, and wait or be late."""
    cities = constants[CITIES]
    windows = DISTANCES + cities * cities
    distance = constants[DISTANCES + state[CITY] * cities + city]
    time = state[TIME] + distance
    state[LATE] += time > constants[windows + cities + city]
    state[TIME] = max(time, constants[windows + city])
    state[LENGTH] += distance
    state[CITY] = city


def play(constants: Constants, state: State, joint: Moves) -> None:
    """Visit a city; after the last one go home."""
    city = int(joint[0])
    state[LEFT + (city >> 6)] &= ~(np.int64(1) << (city & 63))
    state[TOUR + constants[CITIES] - 1 - state[COUNT]] = city
    state[COUNT] -= 1
    _travel(constants, state, city)
    if state[COUNT] == 0:
        _travel(constants, state, 0)


def scores(constants: Constants, state: State, out: Scores) -> None:
    """What is left of 1: a late arrival costs more than the longest tour."""
    cost = state[LATE] * constants[PENALTY] + state[LENGTH]
    out[0] = (constants[RANGE] - cost) / constants[RANGE]


def key(constants: Constants, state: State) -> int:
    """A hash of everything but the order of the tour."""
    return hash_words(state, TOUR)


def feature(constants: Constants, state: State, player: int, move: int) -> int:
    """From where to where."""
    return state[CITY] * constants[CITIES] + move


def make(
    file: str = "",
    cities: int | str | None = None,
    width: int | str | None = None,
    seed: int | str | None = None,
    prune: str | bool = False,
) -> Game:
    """The instance in a file, or a random one with so many cities and windows so wide."""
    options: dict[str, int | str]
    if file:
        if any(given is not None for given in (cities, width, seed)):
            raise UsageError(
                "tsptw takes a file, or cities, width and seed of a random instance: not both."
            )
        instance = read_instance(read_text(file, "a TSPTW instance"), str(file))
        options = {"file": str(file)}
    else:
        count = whole_number("cities", 20 if cities is None else cities, 1, MOST_CITIES - 1)
        wide = whole_number("width", 40 if width is None else width, 0, 10_000)
        chosen = whole_number("seed", 0 if seed is None else seed, 0, 2**63 - 1)
        instance = invented(count, wide, chosen)
        options = {"cities": count, "width": wide, "seed": chosen}
    pruned = str(prune).strip().lower()
    if pruned not in ("true", "false"):
        raise UsageError(f"prune is true or false, not {prune}.")
    if pruned == "true":
        options["prune"] = pruned
    tables = build_constants(instance, pruned == "true")
    total, scale = len(instance.opens), instance.scale

    def tour(state: State) -> list[int]:
        return [int(city) for city in state[TOUR : TOUR + total - 1 - int(state[COUNT])]]

    def points(state: State) -> float:
        cost = int(state[LATE] * tables[PENALTY] + state[LENGTH])
        return -cost if scale == 1 else -cost / scale

    return Game(
        name="tsptw",
        players=1,
        functions=RuleFunctions(
            start=start,
            turn=turn,
            legal=legal,
            play=play,
            scores=scores,
            sample=sample if pruned == "false" else None,
            key=key,
            feature=feature,
        ),
        bounds=Bounds(
            state_words=TOUR + total - 1,
            num_codes=total,
            max_moves=total - 1,
            max_plies=total - 1,
            num_features=total * total,
        ),
        constants=tables,
        display=Display(
            player_names=("Salesman",),
            format_move=lambda player, code: str(code),
            render=lambda state, colour: as_text(instance, tour(state)),
            svg=lambda state: as_svg(instance, tour(state)),
            points=points,
        ),
        options=options,
    )


FAMILY = Family(
    name="tsptw",
    summary="the travelling salesman with time windows, from a file or made up",
    options={
        "file": Option("", "an instance: a matrix of distances and windows, or coordinates"),
        "cities": Option(20, f"of a made-up instance: 1 to {MOST_CITIES - 1}"),
        "width": Option(40, "the most that its windows stay open"),
        "seed": Option(0, "which made-up instance"),
        "prune": Option("false", "true: go nowhere that makes another city late, if possible"),
    },
    make=make,
)
