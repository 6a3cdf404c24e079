"""A cell: one line of an experiment, two agents at one game, and which games it consists of.

A cell says everything that decides its games. Game number `index` has its seed, its seats and its
opening from the cell and the index alone, so that the games of a cell can be played in any order,
by anybody, in any number of sittings: it is always the same cell.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from graven.agents import Agent, agent
from graven.agents.gtp_program import is_program
from graven.agents.spec import migrate_spec, with_budget
from graven.core.bounded_json import read_json
from graven.core.calls import format_value
from graven.core.errors import UsageError, unknown
from graven.core.game import Game, Outline
from graven.core.rng import derive
from graven.search.budget import Budget
from graven.sources.load import outline

MIXED, ALONE = "mixed", "alone"
MOST_OPENING_MOVES = 1000
# Apart from the seeds of games, which are derive(seed, index).
OPENING = 0x6F70656E


@dataclass(frozen=True)
class Cell:
    """Two agents at one game.

    `game` and `agents` are in canonical form, without budgets: `budgets` has each side's.
    `openings` random moves begin each game, the same ones for all games of a pair. `seating` is
    "mixed" (every way of giving the seats to the two sides, as Sironi and Winands) or "alone" (the
    first agent takes one seat in turn, the second all others, as Cazenave at Three Color Go).
    """

    game: str
    agents: tuple[str, str]
    budgets: tuple[Budget, Budget]
    seed: int = 0
    openings: int = 0
    seating: str = MIXED
    players: int = field(default=2, compare=False)

    @property
    def key(self) -> str:
        """The cell as text, the same for the same cell: its name in the store."""
        said = {
            "game": self.game,
            "agents": self.agents,
            "budgets": [[budget.playouts, budget.seconds] for budget in self.budgets],
            "seed": self.seed,
            "openings": self.openings,
            "seating": self.seating,
        }
        return json.dumps(said, separators=(",", ":"), sort_keys=True)

    @classmethod
    def from_key(cls, key: str) -> Cell:
        """Return the cell of a stored key, of which `players` is not a part."""
        said = read_json(key)
        first, second = (migrate_spec(str(text)) for text in said["agents"])
        budgets = [Budget(playouts, seconds) for playouts, seconds in said["budgets"]]
        return cls(
            str(said["game"]),
            (first, second),
            (budgets[0], budgets[1]),
            int(said["seed"]),
            int(said["openings"]),
            str(said["seating"]),
        )

    @property
    def size(self) -> int:
        """How many games show every seating once."""
        if self.seating == ALONE:
            return self.players
        return 2 if self.players == 2 else int(2**self.players) - 2

    def seats(self, index: int) -> tuple[int, ...]:
        """Which side, 0 or 1, takes each seat in game number `index`."""
        return SEATINGS[self.seating](index, self.players)

    def game_seed(self, index: int) -> int:
        """The seed of a game, from which those of its players follow."""
        return derive(self.seed, index)

    @property
    def together(self) -> int:
        """How many games after each other begin with the same opening."""
        return self.players if self.seating == ALONE else 2

    def opening_seed(self, index: int) -> int:
        """The seed of a game's opening: the same for all games that belong together."""
        return derive(self.seed, OPENING, index // self.together)

    @property
    def title(self) -> str:
        """Who plays whom, with budgets where they are not the same."""
        same = self.budgets[0] == self.budgets[1]
        return " v ".join(self.agents if same else self.sides())

    @property
    def budget(self) -> str:
        """What a move may cost, in words."""
        first, second = (describe_budget(budget) for budget in self.budgets)
        return first if first == second else f"{first} v {second}"

    def sides(self) -> tuple[str, str]:
        """Both agents with their budgets, as a command line would name them."""
        first, second = (
            _with_budget(spec, budget)
            for spec, budget in zip(self.agents, self.budgets, strict=True)
        )
        return first, second

    def command(self, games: int) -> list[str]:
        """The command that plays this cell."""
        words = ["graven", "match", self.game]
        shared = self.budgets[0] if self.budgets[0] == self.budgets[1] else None
        words += self.agents if shared else self.sides()
        words += ["--games", str(games)]
        if shared and shared.playouts is not None:
            words += ["--playouts", str(shared.playouts)]
        if shared and shared.seconds is not None:
            words += ["--seconds", format_value(shared.seconds)]
        if self.seed:
            words += ["--seed", str(self.seed)]
        if self.openings:
            words += ["--openings", str(self.openings)]
        if self.seating != MIXED:
            words += ["--seating", self.seating]
        return words


def make_cell(
    game: Game | Outline | str,
    first: str | Agent,
    second: str | Agent,
    given: Budget | None = None,
    seed: int = 0,
    openings: int = 0,
    seating: str = MIXED,
) -> Cell:
    """A cell from what people say. A budget inside an agent's spec beats the one given for both."""
    if isinstance(game, str):
        game = outline(game)
    if not isinstance(game, Game | Outline):
        raise UsageError(f"{game!r} is no game: gv.from_class makes one of a class.")
    if game.players < 2:
        raise UsageError("a match needs a game of two players or more.")
    if seating not in SEATINGS:
        raise unknown("seating", seating, SEATINGS)
    if not 0 <= openings <= MOST_OPENING_MOVES:
        raise UsageError(
            f"an opening has from 0 to {MOST_OPENING_MOVES} random moves, not {openings}."
        )
    sides = [agent(each) if isinstance(each, str) else each for each in (first, second)]
    for side in sides:
        if side.policies:
            raise UsageError(
                f"{side.spec}: a match takes policies of one's own from a file, which workers can "
                "read and records can name, as in ./mine.py:tree."
            )
        if is_program(side.spec) and game.players != 2:
            raise UsageError(f"{side.spec} plays games of two, and {game.spec} is none.")
    budgets = [side.budget_or(given or Budget()) for side in sides]
    specs = [without_budget(side.spec) for side in sides]
    return Cell(
        game.fingerprint if isinstance(game, Game) else game.spec,
        (specs[0], specs[1]),
        (budgets[0], budgets[1]),
        seed,
        openings,
        seating,
        game.players,
    )


def migrate_key(key: str) -> str:
    """Return a stored key as this version writes it."""
    return Cell.from_key(key).key


def without_budget(text: str) -> str:
    """A spec in canonical form without the budget inside it."""
    return _with_budget(text, Budget())


def _with_budget(text: str, budget: Budget) -> str:
    return text if is_program(text) else with_budget(text, budget)


def mixed_seats(index: int, players: int) -> tuple[int, ...]:
    """Every odd game swaps the sides of the game before it.

    With two players that is all; with more, the games go in turn through all 2^n - 2 seatings in
    which both sides take part (Sironi and Winands), each followed by its opposite.
    """
    pair, swapped = divmod(index, 2)
    # Bit `player` of the mask: the first side sits there. Player n - 1's bit stays clear, since
    # the opposite seating, which comes next, sets it.
    mask = 1 + pair % (2 ** (players - 1) - 1)
    return tuple((1 - (mask >> player & 1)) ^ swapped for player in range(players))


def alone_seats(index: int, players: int) -> tuple[int, ...]:
    """The first side takes one seat, the next one in the next game; the second side the others."""
    return tuple(0 if player == index % players else 1 for player in range(players))


SEATINGS: dict[str, Callable[[int, int], tuple[int, ...]]] = {
    MIXED: mixed_seats,
    ALONE: alone_seats,
}


def describe_budget(budget: Budget) -> str:
    """A budget in words: 1,000 playouts, 0.5 s."""
    parts = []
    if budget.playouts is not None:
        parts.append(f"{budget.playouts:,} playouts")
    if budget.seconds is not None:
        parts.append(f"{budget.seconds:g} s")
    return " or ".join(parts)
