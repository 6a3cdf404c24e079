"""One game on the page: its seats, its moves, and the actions of the page on it.

Nothing here uses the network or threads: `web_session` calls one action after another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from secrets import randbits

from graven.agents import default_spec
from graven.core.callbacks import Callback
from graven.core.errors import UsageError
from graven.core.game import Game
from graven.core.position import Position
from graven.core.rng import derive
from graven.gdl.network.propositional import Network
from graven.interfaces.saved_games import PERSON
from graven.interfaces.web.agent_limits import limited_budget, parse_page_agent
from graven.interfaces.web.board_cells import cell_names, cells_of_move
from graven.interfaces.web.web_games import GDL, game_from_rules, page_game
from graven.interfaces.web.web_limits import PageLimits
from graven.lab.experiments.game_records import forfeit_scores
from graven.search.budget import Budget
from graven.search.specs import Spec

DEFAULT_PLAYOUTS = 10_000

_ids = count()


@dataclass(frozen=True)
class MoveEvaluation:
    """An agent's estimate for the move it made: its expected score, after so many playouts."""

    player: int
    value: float
    playouts: int


@dataclass(frozen=True)
class PlayedPly:
    """A move (simultaneous moves are joined by commas), and the agent's estimate, if any."""

    move: str
    evaluation: MoveEvaluation | None = None


class LiveGame:
    """The state of a game in progress and the actions on it.

    `spec` is the game's spec, or the title of its `rules` if it was made from GDL text. `shown_ply`
    is the ply that the page shows; agents move only at the last ply. A seat is None for a person.
    """

    def __init__(
        self,
        game: Game,
        spec: str,
        limits: PageLimits,
        *,
        rules: str | None = None,
        seed: int | None = None,
    ) -> None:
        self.game = game
        self.spec = spec
        self.rules = rules
        self.limits = limits
        self.seed = randbits(32) if seed is None else seed
        self.id = next(_ids)  # unique in this process
        self.positions: list[Position] = [game.start()]
        self.plies: list[PlayedPly] = []
        self.shown_ply = 0
        self.seats: list[Spec | None] = [None] * game.players
        self.budget = Budget()
        # Simultaneous moves that wait for the moves of the other players.
        self.pending_moves: dict[int, PlayedPly] = {}
        self.resigned: int | None = None  # the player who resigned
        self.paused = False
        self.steps = 0  # moves that agents may make although the game is paused
        self.one_click = _first_cells_differ(self.positions[0])
        self.roll_dice()

    @classmethod
    def create(
        cls,
        spec: str,
        limits: PageLimits,
        *,
        rules: str | None = None,
        network: Network | None = None,
        seed: int | None = None,
    ) -> LiveGame:
        """Create a game by its spec, or one from `rules` as GDL text and their network."""
        if rules is not None:
            game = game_from_rules(rules, spec, network)
        else:
            game = page_game(spec, limits)
        return cls(game, spec, limits, rules=rules, seed=seed)

    @property
    def runs_python(self) -> bool:
        """Whether the rules are proved in Python, which may take long."""
        return isinstance(self.game.functions.play, Callback)

    # Seats and budgets.

    def assign_seats(self, seats: Sequence[str] | None, budget: Budget) -> None:
        """Assign the seats to persons ("person") and agents (specs).

        The last entry fills all remaining seats. The default is a person in the first seat and
        agents in the others.
        """
        seats = list(seats or (PERSON, default_spec(self.game)))
        players = self.game.players
        # The page sends two seats for a GDL file: it cannot count the players before reading it.
        if len(seats) > max(2 if players == 1 or self.game.name == GDL else 0, players):
            raise UsageError(f"{self.game.name} has {players} seats, got {len(seats)}.")
        seats = [*seats, *[seats[-1]] * (players - len(seats))][:players]
        specs = [
            None if seat.strip().lower() == PERSON else parse_page_agent(seat, self.limits)
            for seat in seats
        ]
        default = Budget(min(DEFAULT_PLAYOUTS, self.limits.playouts))
        self.budget = limited_budget(budget if budget.is_limited else default, self.limits)
        self.seats = specs
        self.pending_moves.clear()

    def rotate_seats(self) -> None:
        """Move every occupant to the next seat."""
        self.seats = [*self.seats[1:], self.seats[0]]
        self.pending_moves.clear()

    def budget_of(self, spec: Spec) -> Budget:
        """Return the budget of an agent's spec, or else the budget of the game."""
        return limited_budget(spec.budget, self.limits) if spec.budget.is_limited else self.budget

    def seed_of(self, player: int) -> int:
        """Return the seed of a player; those of its moves are derived from it and the ply."""
        return derive(self.seed, player)

    @property
    def person_seats(self) -> list[int]:
        """The players whose seats are occupied by persons."""
        return [player for player, spec in enumerate(self.seats) if spec is None]

    # State.

    @property
    def position(self) -> Position:
        """The position that is shown."""
        return self.positions[self.shown_ply]

    @property
    def shows_last_ply(self) -> bool:
        """Whether the last position is shown."""
        return self.shown_ply == len(self.plies)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, by its rules or by resignation."""
        return self.resigned is not None or self.positions[-1].is_over

    @property
    def scores(self) -> tuple[float, ...] | None:
        """The score of each player, once the game has ended."""
        if self.resigned is not None:
            return forfeit_scores(self.resigned, self.game.players)
        return self.positions[-1].scores

    def agent_to_move(self) -> int | None:
        """Return the player whose agent has to search now, None if there is none."""
        if self.is_over or not self.shows_last_ply or (self.paused and not self.steps):
            return None
        for player in self.position.players_to_move:
            if self.seats[player] is not None and player not in self.pending_moves:
                return player
        return None

    def persons_to_move(self) -> list[int]:
        """Return the players whose moves the page may send now."""
        if self.resigned is not None:
            return []
        return [
            player
            for player in self.position.players_to_move
            if self.seats[player] is None and player not in self.pending_moves
        ]

    # Moves.

    def replay(self, moves: Sequence[str]) -> None:
        """Play the moves of a link or of a saved game."""
        self._truncate(0)  # the dice of the start were rolled already
        for number, move in enumerate(moves, 1):
            try:
                simultaneous = len(self.position.players_to_move) > 1
                self._advance(PlayedPly(move), move.split(",") if simultaneous else [move])
            except UsageError as error:
                raise UsageError(f"move {number}: {error}") from None
        self.roll_dice()

    def roll_dice(self) -> None:
        """Let chance decide, by the seed of the game, until a player has to move."""
        while self.position.is_chance and self.shows_last_ply:
            seed = derive(self.seed, self.game.chance_index, self.position.ply)
            outcome = self.position.roll(seed).last_move
            self._advance(PlayedPly(outcome), [outcome])

    def play_person_move(self, player: int, move: str, ply: int) -> None:
        """Play a person's move at `ply`; moves played after that ply are removed."""
        if ply != self.shown_ply:
            raise UsageError("the position has changed meanwhile: look again.")
        if self.resigned is not None:
            raise UsageError("the game is over: a player has resigned.")
        if player not in self.person_seats:
            raise UsageError("an agent has this seat: it will move by itself.")
        self._check_legal(player, move)
        self._truncate(self.shown_ply)
        self._submit(player, PlayedPly(move))

    def play_agent_move(self, player: int, move: str, evaluation: MoveEvaluation | None) -> None:
        """Play an agent's move."""
        self._submit(player, PlayedPly(move, evaluation))

    def _check_legal(self, player: int, move: str) -> None:
        """Raise the game's own error if a move is not legal."""
        position = self.position
        if player not in position.players_to_move:
            raise UsageError("it is not that player's turn.")
        if self.game.move_code(player, move) not in position.legal_codes_of(player):
            joint_move = {
                mover: position.legal_moves_of(mover)[0] for mover in position.players_to_move
            }
            position.play_joint(list((joint_move | {player: move}).values()))

    def _submit(self, player: int, ply: PlayedPly) -> None:
        """Take one player's move, and play it once all players to move have moved."""
        self.pending_moves[player] = ply
        movers = self.position.players_to_move
        if any(mover not in self.pending_moves for mover in movers):
            return
        submitted = [self.pending_moves[mover] for mover in movers]
        self.pending_moves.clear()
        moves = [entry.move for entry in submitted]
        evaluation = next((entry.evaluation for entry in submitted if entry.evaluation), None)
        self._advance(PlayedPly(",".join(moves), evaluation), moves)
        self.roll_dice()
        if any(self.seats[mover] is not None for mover in movers):
            self.steps = max(0, self.steps - 1)

    def _advance(self, ply: PlayedPly, moves: Sequence[str]) -> None:
        position = self.position.play_joint(moves)
        # Moves are recorded as the game writes them, whatever case they came in.
        self.plies.append(replace(ply, move=position.last_move))
        self.positions.append(position)
        self.shown_ply += 1

    def _truncate(self, ply: int) -> None:
        """Remove all moves from `ply` on."""
        del self.plies[ply:], self.positions[ply + 1 :]
        self.shown_ply = min(self.shown_ply, ply)

    def undo(self) -> None:
        """Take back moves up to the last move of a person.

        Without persons, take back one move and pause. After a resignation, take back that; at an
        earlier ply, remove the moves after it.
        """
        if self.resigned is not None:
            self.resigned = None
            self.paused = not self.person_seats
            return
        if not self.plies:
            raise UsageError("there is no move to take back.")
        self.pending_moves.clear()
        if not self.shows_last_ply:
            self._truncate(self.shown_ply)
            return
        ply = len(self.plies) - 1
        persons = set(self.person_seats)
        while persons and ply > 0 and not persons & set(self.positions[ply].players_to_move):
            ply -= 1
        while self.positions[ply].is_chance and ply > 0:
            ply -= 1
        self._truncate(ply)
        self.roll_dice()
        self.paused = self.paused or not persons

    def resign(self) -> None:
        """Resign for the person to move, or else for the person in the first seat."""
        if self.game.players < 2:
            raise UsageError("a game for one player cannot be resigned.")
        if self.is_over:
            raise UsageError("the game is over already.")
        persons = self.person_seats
        if not persons:
            raise UsageError("no person has a seat here.")
        movers = [player for player in self.positions[-1].players_to_move if player in persons]
        self.resigned = (movers or persons)[0]
        self.shown_ply = len(self.plies)

    # Navigation and pace.

    def go_to_ply(self, ply: int) -> None:
        """Show another ply of the game; later moves are kept."""
        if ply > len(self.plies):
            raise UsageError(f"the game has {len(self.plies)} moves so far.")
        self.pending_moves.clear()
        self.shown_ply = ply

    def set_paused(self, paused: bool) -> None:
        """Pause the agents, or let them continue from the position that is shown."""
        self.paused = paused
        self.steps = 0
        if not paused:
            self._truncate(self.shown_ply)

    def step(self) -> None:
        """Let one agent move, then pause."""
        if not self.shows_last_ply:
            self._truncate(self.shown_ply)
        self.paused = True
        self.steps = 1


def _first_cells_differ(start: Position) -> bool:
    """Return whether the first cell of a move identifies it, so that one click is enough.

    This is so in Domineering, for example. The start position decides for the whole game.
    """
    names = cell_names(start.svg()) if start.game.svg else frozenset()
    first_cells = [cells[0] for move in start.legal_moves if (cells := cells_of_move(move, names))]
    return len(first_cells) == len(set(first_cells))
