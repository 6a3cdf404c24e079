"""A pairing: two agents at one game, and the rule that generates its games.

A pairing contains everything that determines its games. Game number `index` gets its seed, its seat
assignment and its opening from the pairing and the index alone, so the games of a pairing can be
played in any order, on any machine and in any number of runs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from graven.agents import Agent, as_agent, is_external
from graven.agents.spec_parser import (
    clock_of,
    migrate_spec,
    spec_of_stored,
    stored_spec,
    with_budget,
)
from graven.core.bounded_json import read_json
from graven.core.calls import format_value
from graven.core.errors import UsageError, unknown
from graven.core.game import Game, GameOutline
from graven.core.rng import derive
from graven.search.budget import Budget
from graven.sources.load import read_outline

ROTATE, SINGLE = "rotate", "single"
# Result files name seatings and opening plies by the words of their first version.
STORED_SEATINGS = {ROTATE: "mixed", SINGLE: "alone"}
STORED_OPENING_PLIES = "openings"
STORED_FINGERPRINT = "search"
MOST_OPENING_PLIES = 1000
ID_DIGITS = 10
# Separates the seeds of openings from the seeds of games, which are derive(seed, index).
OPENING_STREAM = 0x6F70656E


def _whole(value: Any) -> int:
    """Return a whole number of a stored key; raise ValueError if it is infinite."""
    try:
        return int(value)
    except OverflowError:
        raise ValueError(f"{value} is not a whole number.") from None


@dataclass(frozen=True)
class Pairing:
    """Two agents at one game.

    `game` and `agents` are in canonical form, without budgets: `budgets` has one for each agent.
    Each game begins with `opening_plies` random plies, which are the same for the games of a group
    (see `games_per_opening`). `seating` is "rotate" (all seat assignments in which both agents take
    part, as Sironi and Winands) or "single" (the first agent takes one seat, a different one in
    each game, and the second agent all others, as Cazenave at Three Color Go).
    `search_fingerprint` is a digest of what decides the moves (see `search_fingerprint.py`). It is
    empty in a plan, and in rows of versions without fingerprints.
    """

    game: str
    agents: tuple[str, str]
    budgets: tuple[Budget, Budget]
    seed: int = 0
    opening_plies: int = 0
    seating: str = ROTATE
    players: int = field(default=2, compare=False)
    search_fingerprint: str = ""

    @property
    def key(self) -> str:
        """The identity of the pairing in the store, as JSON text in the store's vocabulary."""
        values: dict[str, Any] = {
            "game": self.game,
            "agents": self.stored_agents,
            "budgets": [[budget.playouts, budget.seconds] for budget in self.budgets],
            "seed": self.seed,
            STORED_OPENING_PLIES: self.opening_plies,
            "seating": self.stored_seating,
        }
        if self.search_fingerprint:
            values[STORED_FINGERPRINT] = self.search_fingerprint
        return json.dumps(values, separators=(",", ":"), sort_keys=True)

    @classmethod
    def from_key(cls, key: str) -> Pairing:
        """Read a pairing from its key, which does not contain `players`."""
        values = read_json(key)
        first, second = (spec_from_store(str(spec)) for spec in values["agents"])
        budget_1, budget_2 = (Budget(playouts, seconds) for playouts, seconds in values["budgets"])
        return cls(
            game=str(values["game"]),
            agents=(first, second),
            budgets=(budget_1, budget_2),
            seed=_whole(values["seed"]),
            opening_plies=_whole(values[STORED_OPENING_PLIES]),
            seating=seating_from_store(str(values["seating"])),
            search_fingerprint=str(values.get(STORED_FINGERPRINT, "")),
        )

    @property
    def id(self) -> str:
        """The id that `graven replay` and game files use: a digest of the settings."""
        return hashlib.sha256(self.settings.key.encode()).hexdigest()[:ID_DIGITS]

    @property
    def settings(self) -> Pairing:
        """The same pairing without a search fingerprint: what was to be played, not by what."""
        return replace(self, search_fingerprint="")

    @property
    def has_user_code(self) -> bool:
        """Whether rules or policies are in a user's file: machine code that can crash."""
        return any(".py:" in text for text in (self.game, *self.agents))

    @property
    def stored_agents(self) -> tuple[str, str]:
        """The agents as result files write them."""
        first, second = (spec if is_external(spec) else stored_spec(spec) for spec in self.agents)
        return first, second

    @property
    def stored_seating(self) -> str:
        """The seating as result files write it."""
        return STORED_SEATINGS[self.seating]

    @property
    def size(self) -> int:
        """The number of games in which every seat assignment occurs once."""
        if self.seating == SINGLE:
            return self.players
        return 2 if self.players == 2 else int(2**self.players) - 2

    def seats(self, index: int) -> tuple[int, ...]:
        """Return the side, 0 or 1, that takes each seat in game number `index`."""
        return SEATINGS[self.seating](index, self.players)

    def game_seed(self, index: int) -> int:
        """Return the seed of a game; the seeds of its players are derived from it."""
        return derive(self.seed, index)

    @property
    def games_per_opening(self) -> int:
        """The number of consecutive games that begin with the same opening."""
        return self.players if self.seating == SINGLE else 2

    def opening_seed(self, index: int) -> int:
        """Return the seed of a game's opening, the same for all games of its group."""
        return derive(self.seed, OPENING_STREAM, index // self.games_per_opening)

    @property
    def title(self) -> str:
        """Both agents, with their budgets if these differ."""
        same = self.budgets[0] == self.budgets[1]
        return " v ".join(self.agents if same else self.sides())

    @property
    def limits(self) -> tuple[Limits, Limits]:
        """What limits each agent's searches: the budget of a move, or a clock for the game."""
        first, second = map(Limits.of, self.agents, self.budgets)
        return first, second

    @property
    def budget(self) -> str:
        """The budgets in words: 1,000 playouts a move; 60 s a game + 0.5 s a move."""
        first, second = self.limits
        if first == second:
            return first.text
        if first.time is None and second.time is None:
            return f"{describe_budget(first.move)} v {describe_budget(second.move)} a move"
        return f"{first.text} v {second.text}"

    def sides(self) -> tuple[str, str]:
        """Return the specs of both agents with their budgets inside."""
        first, second = (
            spec_with_budget(spec, budget)
            for spec, budget in zip(self.agents, self.budgets, strict=True)
        )
        return first, second

    def command(self, games: int) -> list[str]:
        """Return the words of the command that plays this pairing."""
        words = ["graven", "match", self.game]
        same = self.budgets[0] == self.budgets[1]
        clocks = any(limits.time is not None for limits in self.limits)
        shared = self.budgets[0] if same and not clocks else None
        words += self.agents if shared else self.sides()
        words += ["--games", str(games)]
        if shared and shared.playouts is not None:
            words += ["--playouts", str(shared.playouts)]
        if shared and shared.seconds is not None:
            words += ["--seconds", format_value(shared.seconds)]
        if self.seed:
            words += ["--seed", str(self.seed)]
        if self.opening_plies:
            words += ["--opening-plies", str(self.opening_plies)]
        if self.seating != ROTATE:
            words += ["--seating", self.seating]
        return words


def make_pairing(
    game: Game | GameOutline | str,
    first: str | Agent,
    second: str | Agent,
    budget: Budget | None = None,
    *,
    seed: int = 0,
    opening_plies: int = 0,
    seating: str = ROTATE,
) -> Pairing:
    """Check the parts of a pairing and put them in canonical form.

    A budget inside an agent's spec replaces `budget` for that agent.
    """
    if isinstance(game, str):
        game = read_outline(game)
    if not isinstance(game, Game | GameOutline):
        raise UsageError(f"{game!r} is not a game: gv.from_class makes one from a class.")
    if game.players < 2:
        raise UsageError(
            f"{game.spec} has one player, and a match needs two or more: 'graven solve' searches "
            "for its best game."
        )
    if seating not in SEATINGS:
        raise unknown("seating", seating, SEATINGS)
    if not 0 <= opening_plies <= MOST_OPENING_PLIES:
        raise UsageError(
            f"an opening has from 0 to {MOST_OPENING_PLIES} random plies, got {opening_plies}."
        )
    sides = [as_agent(side) for side in (first, second)]
    for side in sides:
        side.check_match(game)
    budgets = [side.budget_or(budget or Budget()) for side in sides]
    specs = [without_budget(side.spec) for side in sides]
    return Pairing(
        game=game.fingerprint if isinstance(game, Game) else game.spec,
        agents=(specs[0], specs[1]),
        budgets=(budgets[0], budgets[1]),
        seed=seed,
        opening_plies=opening_plies,
        seating=seating,
        players=game.players,
    )


def without_budget(spec: str) -> str:
    """Return a canonical spec without the budget inside it."""
    return spec_with_budget(spec, Budget())


def spec_with_budget(spec: str, budget: Budget) -> str:
    """Return a canonical spec with this budget inside; specs of external programs have none."""
    return spec if is_external(spec) else with_budget(spec, Limits.of(spec, budget).move)


def rotated_seats(index: int, players: int) -> tuple[int, ...]:
    """Return the seat assignment of a game when all of them are used in turn.

    Every odd game swaps the sides of the game before it. With two players that is all; with more,
    the pairs of games go through the 2^n - 2 assignments in which both sides take part (Sironi and
    Winands).
    """
    pair, swapped = divmod(index, 2)
    # Bit `player` of the mask: the first side sits there. Player n - 1's bit stays clear, since
    # the swapped assignment, which comes next, sets it.
    mask = 1 + pair % (2 ** (players - 1) - 1)
    return tuple((1 - (mask >> player & 1)) ^ swapped for player in range(players))


def single_seat(index: int, players: int) -> tuple[int, ...]:
    """Return the assignment in which the first side takes seat `index` modulo `players` only."""
    return tuple(0 if player == index % players else 1 for player in range(players))


SEATINGS: dict[str, Callable[[int, int], tuple[int, ...]]] = {
    ROTATE: rotated_seats,
    SINGLE: single_seat,
}


def migrate_key(key: str) -> str:
    """Return a stored key as this version writes it."""
    return Pairing.from_key(key).key


def spec_from_store(text: str) -> str:
    """Translate an agent's spec from the vocabulary of result files."""
    return text if is_external(text) else spec_of_stored(migrate_spec(text))


def seating_from_store(text: str) -> str:
    """Translate a seating from the vocabulary of result files."""
    for seating, stored in STORED_SEATINGS.items():
        if stored == text:
            return seating
    raise ValueError(f"unknown seating {text!r}")


@dataclass(frozen=True)
class Limits:
    """What limits the searches of an agent.

    `time` and `increment` are the clock for all moves of a game, in seconds; without one they are
    None. `move` is the budget of each move. Pairings store the time of a clock as the budget's
    seconds, too, where the spec has no others.
    """

    move: Budget
    time: float | None = None
    increment: float | None = None

    @classmethod
    def of(cls, spec: str, budget: Budget) -> Limits:
        """Return the limits of an agent from its canonical spec and its stored budget."""
        clock = None if is_external(spec) else clock_of(spec)
        if clock is None:
            return cls(budget)
        seconds = None if budget.seconds == clock[0] else budget.seconds
        return cls(Budget(budget.playouts, seconds), *clock)

    @property
    def text(self) -> str:
        """The limits in words: 0.5 s a move; 60 s a game + 0.5 s a move."""
        move = f"{describe_budget(self.move)} a move" if self.move.is_limited else ""
        if self.time is None:
            return move
        clock = f"{self.time:g} s a game"
        if self.increment:
            clock += f" + {self.increment:g} s a move"
        return f"{clock}, at most {move}" if move else clock

    def to_dict(self) -> dict[str, Any]:
        """Return the limits as plain values."""
        return {
            "playouts": self.move.playouts,
            "seconds": self.move.seconds,
            "time": self.time,
            "increment": self.increment,
        }


def describe_budget(budget: Budget) -> str:
    """Format the budget of a move: 1,000 playouts, 0.5 s."""
    parts = []
    if budget.playouts is not None:
        parts.append(f"{budget.playouts:,} playouts")
    if budget.seconds is not None:
        parts.append(f"{budget.seconds:g} s")
    return " or ".join(parts)
