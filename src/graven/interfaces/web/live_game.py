"""One game on the page: who sits where, what has been played, and what may be done about it.

Nothing here knows of the network or of threads: `session` asks, one thing after another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from secrets import randbits
from typing import Any

from graven import __version__
from graven.agents.gtp_program import is_program
from graven.agents.spec import parse
from graven.core.errors import UsageError
from graven.core.game import Game, Position
from graven.core.rng import derive
from graven.games import go, sgf
from graven.interfaces.web.web_games import GDL, cell_names, cells_of, game_of_rules, named_game
from graven.interfaces.web.web_limits import MOST_BATCH, Limits
from graven.lab.experiments.game_records import lost_by
from graven.search.budget import Budget
from graven.search.specs import Spec

_numbers = count()

PERSON = "person"
DEFAULT_AGENT = "grave"
DEFAULT_PLAYOUTS = 10_000


@dataclass(frozen=True)
class Note:
    """What an agent believed when it moved: its own mean score, after so many playouts."""

    player: int
    value: float
    playouts: int


@dataclass(frozen=True)
class Ply:
    """A move, or the moves of all players at once joined by commas, and what was believed."""

    move: str
    note: Note | None = None


def read_agent(text: str, limits: Limits) -> Spec:
    """An agent that a page may use: no program of the server's, no budget beyond the limits, no
    batches that would go on for long after their search was told to end."""
    if is_program(text):
        raise UsageError("programs cannot be started from the page: choose an agent of graven's.")
    spec = parse(text)
    within(spec.budget, limits)
    if spec.options.batch_leaves * spec.options.playouts_per_leaf > MOST_BATCH:
        raise UsageError(f"this server allows batches (leaves x each) of {MOST_BATCH:,} playouts.")
    return spec


def within(budget: Budget, limits: Limits) -> Budget:
    """The budget, if the server allows it; no search goes on beyond the most seconds."""
    if budget.playouts is not None and budget.playouts > limits.playouts:
        raise UsageError(f"this server allows at most {limits.playouts:,} playouts a move.")
    if budget.seconds is not None and budget.seconds > limits.seconds:
        raise UsageError(f"this server allows at most {limits.seconds:g} seconds a move.")
    return Budget(budget.playouts, budget.seconds or limits.seconds)


class Table:
    """A game under way. `at` is the ply that is shown; agents move at the last one only."""

    def __init__(
        self,
        game: Game,
        named: str,
        limits: Limits,
        rules: str | None = None,
        seed: int | None = None,
    ) -> None:
        self.game = game
        self.named = named
        self.rules = rules
        self.limits = limits
        self.seed = randbits(32) if seed is None else seed
        self.number = next(_numbers)  # no two tables have the same
        self.positions: list[Position] = [game.start()]
        self.plies: list[Ply] = []
        self.at = 0
        self.seats: list[Spec | None] = [None] * game.players
        self.budget = Budget()
        self.pending: dict[int, tuple[str, Note | None]] = {}
        self.resigned: int | None = None
        self.paused = False
        self.steps = 0  # moves that agents may make although the game is paused
        # At Domineering the first cell tells the move, so one click is enough: seen at the start.
        start = self.positions[0]
        names = cell_names(start.svg()) if game.svg else frozenset()
        firsts = [cells[0] for move in start.legal_moves if (cells := cells_of(move, names))]
        self.one_click = len(firsts) == len(set(firsts))

    @classmethod
    def begin(
        cls,
        named: str,
        rules: str | None,
        limits: Limits,
        seed: int | None,
    ) -> Table:
        """A table for a game of the package, or for one whose rules have been sent."""
        if rules is not None:
            return cls(game_of_rules(rules, named), named, limits, rules, seed)
        return cls(named_game(named, limits.folder), named, limits, None, seed)

    # Who plays, and with what.

    def seat(self, seats: Sequence[str] | None, budget: Budget) -> None:
        """Give the seats to people ("person") and agents; the last one named has all that are
        left. By default a person sits first, and agents elsewhere."""
        seats = list(seats or (PERSON, DEFAULT_AGENT))
        players = self.game.players
        # Of a game in GDL nobody knows how many seats it has before its rules have been read.
        if len(seats) > max(2 if players == 1 or self.game.name == GDL else 0, players):
            raise UsageError(f"{self.game.name} has {players} seats, and {len(seats)} were given.")
        seats = [*seats, *[seats[-1]] * (players - len(seats))][:players]
        specs = [
            None if each.strip().lower() == PERSON else read_agent(each, self.limits)
            for each in seats
        ]
        usual = Budget(min(DEFAULT_PLAYOUTS, self.limits.playouts))
        self.budget = within(budget if budget.is_limited else usual, self.limits)
        self.seats = specs
        self.pending.clear()

    def swap(self) -> None:
        """Everybody takes the next seat."""
        self.seats = [*self.seats[1:], self.seats[0]]
        self.pending.clear()

    def budget_of(self, spec: Spec) -> Budget:
        """The budget of an agent: its own, or the table's."""
        return within(spec.budget, self.limits) if spec.budget.is_limited else self.budget

    def seed_of(self, player: int) -> int:
        """The seed of a player's next move."""
        return derive(self.seed, player, self.at)

    @property
    def people(self) -> list[int]:
        """The seats that people have."""
        return [player for player, spec in enumerate(self.seats) if spec is None]

    # What has been played.

    @property
    def position(self) -> Position:
        """The position that is shown."""
        return self.positions[self.at]

    @property
    def at_end(self) -> bool:
        """Whether the last position is shown."""
        return self.at == len(self.plies)

    @property
    def over(self) -> bool:
        """Whether the game has ended, by its rules or because somebody gave up."""
        return self.resigned is not None or self.positions[-1].is_over

    @property
    def scores(self) -> tuple[float, ...] | None:
        """Each player's result, once the game has ended."""
        if self.resigned is not None:
            return lost_by(self.resigned, self.game.players)
        return self.positions[-1].scores

    def thinks(self) -> int | None:
        """The player whose agent is to find a move now."""
        if self.over or not self.at_end or (self.paused and not self.steps):
            return None
        for player in self.position.players_to_move:
            if self.seats[player] is not None and player not in self.pending:
                return player
        return None

    def play_all(self, moves: Sequence[str]) -> None:
        """Play moves from a link or a record."""
        for number, move in enumerate(moves, 1):
            try:
                together = len(self.position.players_to_move) > 1
                self._advance(Ply(move), move.split(",") if together else [move])
            except UsageError as error:
                raise UsageError(f"move {number}: {error}") from None

    def person_moves(self, player: int, move: str, ply: int) -> None:
        """A person's move; what had been played after the position shown is forgotten."""
        if ply != self.at:
            raise UsageError("the position has changed meanwhile: look again.")
        if self.resigned is not None:
            raise UsageError("the game is over: somebody gave up.")
        if player not in self.people:
            raise UsageError("an agent sits there: it will move by itself.")
        self._check(player, move)
        self._cut(self.at)
        self._choose(player, move, None)

    def agent_moves(self, player: int, move: str, note: Note | None) -> None:
        """An agent's move."""
        self._choose(player, move, note)

    def _check(self, player: int, move: str) -> None:
        """Refuse a move that is not legal, in the words of the game."""
        if player not in self.position.players_to_move:
            raise UsageError("it is not that player's turn.")
        if self.game.move_code(player, move) not in self.position.legal_codes_of(player):
            others = {p: self.position.legal_moves_of(p)[0] for p in self.position.players_to_move}
            self.position.play_joint(list((others | {player: move}).values()))

    def _choose(self, player: int, move: str, note: Note | None) -> None:
        self.pending[player] = (move, note)
        choosers = self.position.players_to_move
        if any(each not in self.pending for each in choosers):
            return
        moves = [self.pending[each][0] for each in choosers]
        notes = [self.pending[each][1] for each in choosers]
        self.pending.clear()
        self._advance(Ply(",".join(moves), next((n for n in notes if n), None)), moves)
        if any(self.seats[each] is not None for each in choosers):
            self.steps = max(0, self.steps - 1)

    def _advance(self, ply: Ply, moves: Sequence[str]) -> None:
        position = self.position.play_joint(moves)
        # As the game writes it, whatever case it came in.
        mine = position.history[-1]
        written = [self.game.format_move(p, mine[p]) for p in self.position.players_to_move]
        self.plies.append(replace(ply, move=",".join(written)))
        self.positions.append(position)
        self.at += 1

    def _cut(self, ply: int) -> None:
        del self.plies[ply:], self.positions[ply + 1 :]
        self.at = min(self.at, ply)

    def undo(self) -> None:
        """Take back up to the last move of a person's; among agents, one move, and then wait."""
        if self.resigned is not None:
            self.resigned = None
            self.paused = not self.people
            return
        if not self.plies:
            raise UsageError("there is no move to take back.")
        self.pending.clear()
        if not self.at_end:
            self._cut(self.at)
            return
        ply = len(self.plies) - 1
        people = set(self.people)
        while people and ply > 0 and not people & set(self.positions[ply].players_to_move):
            ply -= 1
        self._cut(ply)
        self.paused = self.paused or not people

    def jump(self, ply: int) -> None:
        """Show another moment of the game; nothing is lost by looking."""
        if ply > len(self.plies):
            raise UsageError(f"the game has {len(self.plies)} moves so far.")
        self.pending.clear()
        self.at = ply

    def pause(self, on: bool) -> None:
        """Let agents wait, or go on from the position that is shown."""
        self.paused = on
        self.steps = 0
        if not on:
            self._cut(self.at)

    def step(self) -> None:
        """One move of an agent's, and then a pause."""
        if not self.at_end:
            self._cut(self.at)
        self.paused = True
        self.steps = 1

    def resign(self) -> None:
        """The person whose turn it is, or else who sits first, gives up."""
        if self.game.players < 2:
            raise UsageError("there is nobody to give up to.")
        if self.over:
            raise UsageError("the game is over already.")
        if not self.people:
            raise UsageError("no person has a seat here.")
        here = [player for player in self.positions[-1].players_to_move if player in self.people]
        self.resigned = (here or self.people)[0]
        self.at = len(self.plies)

    # What people see.

    def state(self) -> dict[str, Any]:
        """Everything that a page shows of the game, as plain values."""
        position, game = self.position, self.game
        svg = position.svg() if game.svg else None
        names = cell_names(svg) if svg else frozenset()
        free = self.resigned is None
        return {
            "type": "state",
            "game": {
                "spec": self.named,
                "name": game.name,
                "players": list(game.player_names),
                "oneClick": self.one_click,
                "fromRules": self.rules is not None,
                "sgf": self._goes_into_sgf,
                "playouts": sorted(game.playouts),
                "misere": game.misere,
            },
            "svg": svg,
            "text": None if svg else position.text(),
            "at": self.at,
            "plies": [
                {
                    "move": ply.move,
                    "players": list(before.players_to_move),
                    "cells": cells_of(ply.move, names),
                    "note": [ply.note.player, round(ply.note.value, 4), ply.note.playouts]
                    if ply.note
                    else None,
                }
                for ply, before in zip(self.plies, self.positions, strict=False)
            ],
            "choosers": list(position.players_to_move),
            "moves": {
                player: [[move, cells_of(move, names)] for move in position.legal_moves_of(player)]
                for player in position.players_to_move
            },
            "mayMove": [
                player
                for player in position.players_to_move
                if free and player in self.people and player not in self.pending
            ],
            "over": self.over,
            "scores": list(self.scores) if self.scores else None,
            "points": position.points,
            "resigned": self.resigned,
            "seats": [spec.text if spec else PERSON for spec in self.seats],
            "playouts": self.budget.playouts,
            "seconds": self.budget.seconds if self.budget.playouts is None else None,
            "paused": self.paused,
        }

    @property
    def _goes_into_sgf(self) -> bool:
        rows, _, columns = str(self.game.options.get("size", "")).partition("x")
        return self.game.name == "go" and rows == columns and self.game.players == 2

    def as_json(self) -> dict[str, Any]:
        """The game as a record that can be kept, and dropped on the page again."""
        return {
            "graven": __version__,
            "game": self.named,
            "rules": self.rules,
            "seats": [spec.text if spec else PERSON for spec in self.seats],
            "playouts": self.budget.playouts,
            "seconds": self.budget.seconds,
            "moves": [ply.move for ply in self.plies],
            "evaluations": [
                {"player": ply.note.player, "value": ply.note.value, "playouts": ply.note.playouts}
                if ply.note
                else None
                for ply in self.plies
            ],
            "scores": list(self.scores) if self.scores else None,
            "resigned": self.resigned,
        }

    def as_sgf(self) -> str:
        """The game as SGF, with what agents believed as comments."""
        if not self._goes_into_sgf:
            raise UsageError("SGF is for Go with two colours on a square board: save it as JSON.")
        last = self.positions[-1]
        result = ""
        if self.resigned is not None:
            result = "W+R" if self.resigned == 0 else "B+R"
        elif last.is_over:
            result = sgf.result_text(self.game, go.areas(last))
        names = [spec.text if spec else "a person" for spec in self.seats]
        return sgf.write(
            sgf.SgfGame(
                size=int(str(self.game.options["size"]).partition("x")[0]),
                komi=float(self.game.options["komi"]),
                moves=[
                    (number % 2, ply.move, _comment(ply.note))
                    for number, ply in enumerate(self.plies)
                ],
                names=(names[0], names[1]),
                result=result,
            )
        )


def _comment(note: Note | None) -> str:
    return f"{note.playouts} playouts, win rate {100 * note.value:.1f} %" if note else ""
