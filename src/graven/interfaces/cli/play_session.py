"""A game between the user and an agent, in a terminal or through a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from secrets import randbelow
from typing import TYPE_CHECKING

from graven.agents import MoveClock, SearchAgent
from graven.agents.result_text import move_lines, pv_text
from graven.core.errors import GravenError, UsageError
from graven.core.file_replacement import replace_text
from graven.core.rng import derive
from graven.interfaces.cli.arguments import user_code_watched
from graven.interfaces.cli.console import (
    format_duration,
    print_board,
    print_lines,
    run_with_progress,
)
from graven.interfaces.saved_games import PERSON, SavedGame, saved_text

if TYPE_CHECKING:
    from graven.agents import Agent, Player, SearchResult
    from graven.core.game import Game
    from graven.core.position import Position
    from graven.search.budget import Budget

SEATS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
TOP = 5  # moves in a table
DEFAULT_FILE = "game.json"
HELP = """\
A move, written as the board names it, or:
  moves     list your legal moves
  hint      show the agent's move for you
  opinion   show the agent's evaluation and the line it expects
  undo      take your last move back, and the answer to it
  board     show the board
  resign    end the game: the others win
  save      save the game: save FILE (game.json by default)
  open      continue a saved game: open FILE
  help      show this help
  quit      leave (as does the end of input)"""


@dataclass(frozen=True, kw_only=True)
class PlaySetup:
    """A game between the user, in seat `seat`, and an agent in all other seats.

    `moves` have been played already. `rules` is the GDL text of a game that has no spec.
    """

    game: Game
    agent: Agent
    budget: Budget
    seat: int
    seed: int
    moves: Sequence[str] = ()
    rules: str | None = None
    title: str = ""

    def saved(self, position: Position) -> SavedGame:
        """Return the game as a game record to save."""
        seats = [self.agent.spec] * self.game.players
        seats[self.seat] = PERSON
        return SavedGame(
            game=self.title if self.rules is not None else self.game.spec,
            rules=self.rules,
            seats=seats,
            moves=position.move_texts,
            playouts=self.budget.playouts,
            seconds=self.budget.seconds,
            seed=self.seed,
        )


def fresh_seed() -> int:
    """Return a new seed, short enough to be typed."""
    return randbelow(10**6)


class PlaySession:
    """Games between the user and an agent, one after another.

    `open_game(path)` returns the setup of a saved game.
    """

    def __init__(self, setup: PlaySetup, open_game: Callable[[str], PlaySetup]) -> None:
        self._open_game = open_game
        self._begin(setup)

    def _begin(self, setup: PlaySetup) -> None:
        """Begin or continue a game."""
        start = setup.game.start()
        position, undo_positions = start, []
        for number, move in enumerate(setup.moves, 1):
            if setup.seat in position.players_to_move:
                undo_positions.append(position)
            try:
                position = position.play_moves([move])
            except UsageError as error:
                text = str(error).removeprefix("move 1: ")
                raise UsageError(f"move {number}: {text}") from None
        self.setup = setup
        self.game, self.agent, self.budget = setup.game, setup.agent, setup.budget
        self.seat, self.seed = setup.seat, setup.seed
        self.position = position
        self._undo_positions: list[Position] = undo_positions  # before each of the user's moves
        self._last_search: tuple[SearchResult, int] | None = None  # the agent's, and its seat
        self._has_resigned = False
        self._new_players()

    def run(self) -> None:
        """Play games until the user leaves."""
        if sys.stdin is None:
            raise UsageError("standard input is closed: there is no input to read moves from.")
        if sys.stdin.isatty():
            with suppress(ImportError):
                import readline  # noqa: F401  arrow keys and history for `input`
        while True:
            self._introduce()
            if not self._play_to_the_end() or not self._wants_another():
                self._print("Goodbye.")
                return
            self._begin(replace(self.setup, seed=fresh_seed(), moves=()))

    def _introduce(self) -> None:
        if self.game.players == 1:
            role = f"alone, with hints by {self.agent.spec},"
        else:
            role = f"{self.game.player_names[self.seat]} against {self.agent.spec}"
        self._print(f"You are {role} at {self.game.spec}. Type 'help' for help.")
        self._print(f"Seed {self.seed} (--seed {self.seed} repeats the agent's choices).")
        self._show_board()

    def _play_to_the_end(self) -> bool:
        """Play a game; return whether it came to its end before the user left."""
        while not self.position.is_over:
            if self.position.is_chance:
                self._roll()
                continue
            joint: dict[int, str] = {}
            if self.seat in self.position.players_to_move:
                asked_position = self.position
                move = self._read_move()
                if move is None:
                    return False
                if self._has_resigned:
                    self._print("You resigned: you lose.")
                    return True
                if self.position is not asked_position:
                    continue  # the user took a move back, or opened another game
                joint[self.seat] = move
            for player in self.position.players_to_move:
                if player != self.seat:
                    joint[player] = self._agent_move(player)
            self._play(joint)
        self._print(self._verdict())
        return True

    def _wants_another(self) -> bool:
        try:
            return input("Another game? [y/N] ").strip().lower() in ("y", "yes")
        except EOFError:
            self._print("")
            return False

    def _save(self, path: str) -> None:
        try:
            text = saved_text(self.setup.saved(self.position).as_dict())
            replace_text(path, text)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "invalid file name"
            self._print(f"Cannot write {path!r}: {reason}.")
        else:
            self._print(f"Saved in {path}; 'open {path}' or graven play --open continues it.")

    def _open(self, path: str) -> bool:
        """Continue a saved game; return whether it could be opened."""
        try:
            self._begin(self._open_game(path))
        except GravenError as error:
            self._print(str(error))
            return False
        self._introduce()
        return True

    def _read_move(self) -> str | None:
        """Return the user's move; None to leave.

        `undo`, `open` and `resign` change the game and return "".
        """
        commands: dict[str, Callable[[], None]] = {
            "moves": self._list_moves,
            "hint": self._hint,
            "opinion": self._opinion,
            "board": self._show_board,
            "help": lambda: self._print(HELP),
        }
        while True:
            try:
                line = input("your move> ").strip()
            except EOFError:
                self._print("")
                return None
            word = line.lower()
            if word in ("quit", "exit"):
                return None
            command, _, file = line.partition(" ")
            if word == "undo":
                if self._undo():
                    return ""
            elif word == "resign" and self.game.players > 1:
                self._has_resigned = True
                return ""
            elif command.lower() == "save":
                self._save(file.strip() or DEFAULT_FILE)
            elif command.lower() == "open":
                if self._open(file.strip() or DEFAULT_FILE):
                    return ""
            elif word in commands:
                commands[word]()
            elif line and self._is_legal(line):
                return line

    def _is_legal(self, move: str) -> bool:
        """Whether the user can play a move; print the reason if not."""
        if self.game.move_code(self.seat, move) in self.position.legal_codes_of(self.seat):
            return True
        try:
            # With legal moves for all other players, the error is about this move.
            self.position.play_joint(
                [
                    move if player == self.seat else self.position.legal_moves_of(player)[0]
                    for player in self.position.players_to_move
                ]
            )
        except UsageError as error:
            self._print(f"{error} ('help' lists the other commands.)")
        return False

    def _agent_move(self, player: int) -> str:
        """Return the agent's move for one of its seats."""
        result = self._search(self._players[player])
        self._last_search = result, player
        return result.move_of(player)

    def _play(self, joint: dict[int, str]) -> None:
        before = self.position
        self.position = before.play_joint([joint[player] for player in before.players_to_move])
        if self.seat in joint:
            self._undo_positions.append(before)
        for player, move in joint.items():
            if player != self.seat:
                self._print(f"{self.game.player_names[player]} plays {move}.")
        self._show_board()

    def _roll(self) -> None:
        """Let chance decide, by the seed of the game."""
        seed = derive(self.seed, self.game.chance_index, self.position.ply)
        self.position = self.position.roll(seed)
        self._print(f"Chance: {self.position.last_move}.")
        self._show_board()

    def _undo(self) -> bool:
        if not self._undo_positions:
            self._print("There is no move of yours to take back.")
            return False
        self.position = self._undo_positions.pop()
        self._last_search = None
        self._new_players()
        self._show_board()
        return True

    def _new_players(self) -> None:
        """Create players with empty trees, without statistics of moves taken back.

        They keep their tree between their moves.
        """
        agent = self.agent
        if isinstance(agent, SearchAgent):
            agent = agent.with_options(reuse_tree=True)
        self._players = {
            player: agent.player(self.game, derive(self.seed, player))
            for player in range(self.game.players)
            if player != self.seat
        }

    def _search(self, player: Player) -> SearchResult:
        position = self.position
        with user_code_watched(self.game, self.agent):
            result, _ = run_with_progress(
                lambda stop: player.choose(position, MoveClock(self.budget, stop)),
                lambda elapsed: f"thinking for {format_duration(elapsed)}",
            )
        return result

    def _search_for_user(self) -> SearchResult:
        """Search the current position, in which the user is to move."""
        seed = derive(self.seed, self.game.players)
        return self._search(self.agent.player(self.game, seed))

    def _hint(self) -> None:
        result = self._search_for_user()
        self._print(f"The agent would play {result.move_of(self.seat)}.")
        stats = result.by_player.get(self.seat, result.root_stats)
        print_lines(move_lines(stats, TOP))

    def _opinion(self) -> None:
        """Show the agent's last search; before its first move, a search of the position."""
        if self._last_search is None:
            result, player = self._search_for_user(), self.seat
            self._print(f"The agent gives you {_value_text(result, player)} of 1 here.")
        else:
            result, player = self._last_search
            value = _value_text(result, player)
            self._print(f"The agent gave itself {value} of 1 before its last move.")
        if result.pv:
            self._print(f"It expects {pv_text(result)}.")
        print_lines(move_lines(result.by_player[player], TOP))

    def _list_moves(self) -> None:
        self._print(" ".join(self.position.legal_moves_of(self.seat)))

    def _show_board(self) -> None:
        print_board(self.position)

    def _verdict(self) -> str:
        scores = self.position.scores or ()
        if self.game.players == 1:
            points = self.position.points
            result = f"{scores[0]:.3f} of 1" if points is None else f"{points:,} points"
            return f"The game is over: {result}."
        users = scores[self.seat]
        best_other = max(score for player, score in enumerate(scores) if player != self.seat)
        if users == best_other:
            return "The game is drawn."
        return "You win. Well played." if users > best_other else "The agent wins."

    def _print(self, text: str) -> None:
        print(text, flush=True)


def _value_text(result: SearchResult, player: int) -> str:
    value = result.value_of(player)
    return "an unknown part" if value is None else f"{value:.3f}"
