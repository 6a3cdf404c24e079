"""A game between the user and an agent, in a terminal or through a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from graven.agents import MoveClock
from graven.agents.result_text import move_lines, pv_text
from graven.core.errors import UsageError
from graven.core.rng import derive
from graven.interfaces.cli.console import (
    format_duration,
    print_board,
    print_lines,
    run_with_progress,
)

if TYPE_CHECKING:
    from graven.agents import Agent, Player, SearchResult
    from graven.core.game import Game, Position
    from graven.search.budget import Budget

SEATS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
TOP = 5  # moves in a table
HELP = """\
A move, written as the board names it, or:
  moves     list your legal moves
  hint      show the agent's move for you
  opinion   show the agent's evaluation and the line it expects
  undo      take your last move back, and the answer to it
  board     show the board
  help      show this help
  quit      leave (as does the end of input)"""


class PlaySession:
    """A game between the user, in seat `seat`, and an agent in all other seats."""

    def __init__(self, game: Game, agent: Agent, budget: Budget, *, seat: int, seed: int) -> None:
        self.game = game
        self.agent = agent
        self.budget = budget
        self.seat = seat
        self.seed = seed
        self.position = game.start()
        self._undo_positions: list[Position] = []  # before each of the user's moves
        self._last_search: tuple[SearchResult, int] | None = None  # the agent's, and its seat
        self._new_players()

    def run(self) -> None:
        """Play until the game ends or the user leaves."""
        if sys.stdin is None:
            raise UsageError("standard input is closed: there is no input to read moves from.")
        if sys.stdin.isatty():
            with suppress(ImportError):
                import readline  # noqa: F401  arrow keys and history for `input`
        self._print_introduction()
        self._show_board()
        while not self.position.is_over:
            joint: dict[int, str] = {}
            if self.seat in self.position.players_to_move:
                asked_position = self.position
                move = self._read_move()
                if move is None:
                    self._print("Goodbye.")
                    return
                if self.position is not asked_position:
                    continue  # the user took a move back
                joint[self.seat] = move
            for player in self.position.players_to_move:
                if player != self.seat:
                    joint[player] = self._agent_move(player)
            self._play(joint)
        self._print(self._verdict())

    def _print_introduction(self) -> None:
        if self.game.players == 1:
            role = f"alone, with hints by {self.agent.spec},"
        else:
            role = f"{self.game.player_names[self.seat]} against {self.agent.spec}"
        self._print(f"You are {role} at {self.game.spec}. Type 'help' for help.")

    def _read_move(self) -> str | None:
        """Return the user's move; None to leave. `undo` changes the position and returns ""."""
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
            if word == "undo":
                if self._undo():
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
        """Create players with empty trees, without statistics of moves taken back."""
        self._players = {
            player: self.agent.player(self.game, derive(self.seed, player))
            for player in range(self.game.players)
            if player != self.seat
        }

    def _search(self, player: Player) -> SearchResult:
        position = self.position
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
