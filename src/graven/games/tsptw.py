"""The travelling salesman problem with time windows (TSPTW) as a game of one player.

From the depot, city 0, visit every other city once and return. Each city has an opening and a
closing time: an early arrival waits, a late arrival violates the window. Tours are compared by the
number of late arrivals first, then by length without waiting time (Cazenave and Teytaud 2012).
Points are minus the length, and minus a million (or a larger power of ten that exceeds every tour)
for each late arrival.

A move is the next city, which is also its code. The value of a move depends on the current city, so
the game's `feature` is the pair (from, to), from which the NRPA solver learns.

With `prune=true` only those cities are legal that make no other city late which is still reachable
in time from the current city; if there are none, all are legal (similar to Cazenave and Teytaud).
If a tour without late arrivals exists and distances satisfy the triangle inequality, pruning keeps
all such tours and finds one much sooner. It is not part of the problem, so it is off by default.

Instances are read from files (see `tsptw_instances`) or generated from a seed. Distances and times
are integers in units of the smallest decimal place of the file.

State: current city, time, length, number of late arrivals, number of unvisited cities, these cities
as a bitboard; then the tour so far, for display only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graven.core import bits
from graven.core.compile import inlined
from graven.core.contract import TERMINAL, Constants, Moves, Scores, State
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.core.game_parts import Bounds, Display, RuleFunctions
from graven.core.hash_tables import hash_words
from graven.core.rng import Rng, below
from graven.games.option_values import read_text, whole_number
from graven.games.registry import Family, GameOption
from graven.games.tsptw_drawing import as_svg, as_text
from graven.games.tsptw_instances import MAX_CITIES, TsptwInstance, random_instance, read_instance

# Layout of `constants`: number of cities, penalty of a late arrival, divisor of the score, whether
# to prune, the longest distance; then the distances row by row, the opening times and the closing
# times.
CITIES, PENALTY, SCORE_RANGE, PRUNE, LONGEST, DISTANCES = range(6)
# Layout of a state.
CURRENT_CITY, TIME, LENGTH, LATE, CITIES_LEFT, UNVISITED = range(6)
CITY_SET_WORDS = bits.words_for(MAX_CITIES)
TOUR = UNVISITED + CITY_SET_WORDS

MILLION = 10**6
SCORE_PRECISION = 1 << 50  # differences of 1 / SCORE_PRECISION are exact in a score


def build_constants(instance: TsptwInstance, prune: bool) -> NDArray[np.int64]:
    """Return the constants of an instance; raise if its numbers are too large for exact scores."""
    cities = len(instance.opens)
    penalty = MILLION * instance.scale
    while penalty <= cities * int(instance.distances.max()):
        penalty *= 10
    if penalty * (cities + 1) > SCORE_PRECISION:
        raise UsageError(
            "the distances of this TSPTW instance are too large, or have too many decimals, for "
            "exact scores."
        )
    longest = max(1, int(instance.distances.max()))
    head = np.array([cities, penalty, penalty * (cities + 1), prune, longest], dtype=np.int64)
    return np.concatenate([head, instance.distances.reshape(-1), instance.opens, instance.closes])


def start(constants: Constants, state: State) -> None:
    """Start at the depot at its opening time."""
    cities = constants[CITIES]
    state[:] = 0
    state[TIME] = constants[DISTANCES + cities * cities]
    state[CITIES_LEFT] = cities - 1
    for city in range(1, cities):
        state[UNVISITED + (city >> 6)] |= np.int64(1) << (city & 63)


def turn(constants: Constants, state: State) -> int:
    """Return the player until all cities are visited, then TERMINAL."""
    return 0 if state[CITIES_LEFT] else TERMINAL


@inlined
def _keeps_others_reachable(constants: Constants, state: State, city: int) -> bool:
    """Whether visiting a city next makes no other city late that is still reachable in time."""
    cities, current, now = constants[CITIES], state[CURRENT_CITY], state[TIME]
    opens = DISTANCES + cities * cities
    then = max(now + constants[DISTANCES + current * cities + city], constants[opens + city])
    for word in range(CITY_SET_WORDS):
        remaining = state[UNVISITED + word]
        while remaining:
            other_city = 64 * word + bits.lowest(remaining)
            remaining &= remaining - 1
            closes = constants[opens + cities + other_city]
            if (
                other_city != city
                and then + constants[DISTANCES + city * cities + other_city] > closes
                and now + constants[DISTANCES + current * cities + other_city] <= closes
            ):
                return False
    return True


def legal(constants: Constants, state: State, player: int, moves: Moves) -> int:
    """List the unvisited cities; with pruning, only those that keep others reachable, if any."""
    count = 0
    for word in range(CITY_SET_WORDS):
        remaining = state[UNVISITED + word]
        while remaining:
            moves[count] = 64 * word + bits.lowest(remaining)
            count += 1
            remaining &= remaining - 1
    if constants[PRUNE] == 0:
        return count
    kept = 0
    for i in range(count):
        if _keeps_others_reachable(constants, state, moves[i]):
            moves[kept] = moves[i]
            kept += 1
    return kept if kept else count


def sample(constants: Constants, state: State, player: int, rng: Rng) -> int:
    """Draw an index and return the unvisited city with this index."""
    if state[CITIES_LEFT] == 0:
        return -1
    skip = below(rng, state[CITIES_LEFT])
    for word in range(CITY_SET_WORDS):
        count = bits.count(state[UNVISITED + word])
        if skip < count:
            return 64 * word + bits.nth(state[UNVISITED + word], skip)
        skip -= count
    return -1


@inlined
def _travel(constants: Constants, state: State, city: int) -> None:
    """Travel to a city: wait if early, count a late arrival."""
    cities = constants[CITIES]
    windows = DISTANCES + cities * cities
    distance = constants[DISTANCES + state[CURRENT_CITY] * cities + city]
    time = state[TIME] + distance
    state[LATE] += time > constants[windows + cities + city]
    state[TIME] = max(time, constants[windows + city])
    state[LENGTH] += distance
    state[CURRENT_CITY] = city


def play(constants: Constants, state: State, joint: Moves) -> None:
    """Visit a city; after the last one return to the depot."""
    city = int(joint[0])
    state[UNVISITED + (city >> 6)] &= ~(np.int64(1) << (city & 63))
    state[TOUR + constants[CITIES] - 1 - state[CITIES_LEFT]] = city
    state[CITIES_LEFT] -= 1
    _travel(constants, state, city)
    if state[CITIES_LEFT] == 0:
        _travel(constants, state, 0)


def scores(constants: Constants, state: State, out: Scores) -> None:
    """Write 1 minus the normalised cost; a late arrival costs more than the longest tour."""
    cost = state[LATE] * constants[PENALTY] + state[LENGTH]
    out[0] = (constants[SCORE_RANGE] - cost) / constants[SCORE_RANGE]


def key(constants: Constants, state: State) -> int:
    """Return a hash of the state without the order of the tour."""
    return hash_words(state, TOUR)


def prior(constants: Constants, state: State, player: int, move: int) -> float:
    """Return 1 - distance / longest distance: prefer near cities."""
    distance = constants[DISTANCES + state[CURRENT_CITY] * constants[CITIES] + move]
    return 1.0 - distance / constants[LONGEST]


def feature(constants: Constants, state: State, player: int, move: int) -> int:
    """Return the pair (from, to) as one code."""
    return state[CURRENT_CITY] * constants[CITIES] + move


def make(
    file: str = "",
    cities: int | str | None = None,
    width: int | str | None = None,
    seed: int | str | None = None,
    prune: str | bool = False,
) -> Game:
    """Return the instance in a file, or a random one with these cities and window widths."""
    options: dict[str, int | str]
    if file:
        if any(value is not None for value in (cities, width, seed)):
            raise UsageError(
                "tsptw: give either a file, or cities, width and seed of a random instance."
            )
        instance = read_instance(read_text(file, "a TSPTW instance"), str(file))
        options = {"file": str(file)}
    else:
        count = whole_number("cities", 20 if cities is None else cities, 1, MAX_CITIES - 1)
        window_width = whole_number("width", 40 if width is None else width, 0, 10_000)
        seed_number = whole_number("seed", 0 if seed is None else seed, 0, 2**63 - 1)
        instance = random_instance(count, window_width, seed_number)
        options = {"cities": count, "width": window_width, "seed": seed_number}
    pruned = str(prune).strip().lower()
    if pruned not in ("true", "false"):
        raise UsageError(f"prune must be true or false, got {prune}.")
    if pruned == "true":
        options["prune"] = pruned
    constants = build_constants(instance, pruned == "true")
    total, scale = len(instance.opens), instance.scale

    def tour(state: State) -> list[int]:
        return [int(city) for city in state[TOUR : TOUR + total - 1 - int(state[CITIES_LEFT])]]

    def points(state: State) -> float:
        cost = int(state[LATE] * constants[PENALTY] + state[LENGTH])
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
            prior=prior,
        ),
        bounds=Bounds(
            state_words=TOUR + total - 1,
            num_codes=total,
            max_moves=total - 1,
            max_plies=total - 1,
            num_features=total * total,
        ),
        constants=constants,
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
    summary="the travelling salesman with time windows, from a file or generated",
    options={
        "file": GameOption("", "an instance: a matrix of distances and windows, or coordinates"),
        "cities": GameOption(20, f"cities of a random instance: 1 to {MAX_CITIES - 1}"),
        "width": GameOption(40, "largest time window of a random instance"),
        "seed": GameOption(0, "seed of a random instance"),
        "prune": GameOption(
            "false", "true: exclude moves that make another city late, if possible"
        ),
    },
    make=make,
)
