"""A person and an agent at one board, in a terminal or through a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from graven.agents import Player
from graven.core.errors import UsageError
from graven.core.rng import derive
from graven.interfaces.cli import result_tables
from graven.interfaces.cli.console import duration, out, print_board, watched

if TYPE_CHECKING:
    from graven.agents import Agent, SearchResult
    from graven.core.game import Game, Position
    from graven.search.budget import Budget

SEATS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
TOP = 5
HELP = """\
A move as the board names it, or:
  moves     all your legal moves
  hint      what the agent would play in your place
  opinion   what the agent believes, and the line it expects
  undo      take your last move back, and the answer to it
  board     the board again
  help      this
  quit      leave (so does the end of input)"""


class Session:
    """One game between a person, who sits at `seat`, and an agent, who has all other seats."""

    def __init__(self, game: Game, agent: Agent, budget: Budget, seat: int, seed: int) -> None:
        self.game = game
        self.agent = agent
        self.budget = budget
        self.seat = seat
        self.seed = seed
        self.position = game.start()
        self._choices: list[Position] = []  # the positions in which the person has chosen
        self._believed: tuple[SearchResult, int] | None = (
            None  # the agent's last search, and its seat
        )
        self._seat_players()

    def run(self) -> None:
        """Play until the game ends or the person leaves."""
        if sys.stdin is None:
            raise UsageError("there is nobody to ask: standard input is closed.")
        if sys.stdin.isatty():
            with suppress(ImportError):
                import readline  # noqa: F401  arrow keys and history for `input`
        name = self.game.player_names[self.seat]
        alone = self.game.players == 1
        role = (
            f"alone, with hints by {self.agent.spec},"
            if alone
            else (f"{name} against {self.agent.spec}")
        )
        self._say(f"You are {role} at {self.game.spec}; 'help' helps.")
        self._show_board()
        while not self.position.is_over:
            joint: dict[int, str] = {}
            if self.seat in self.position.players_to_move:
                here = self.position
                move = self._ask()
                if move is None:
                    self._say("Goodbye.")
                    return
                if self.position is not here:
                    continue  # undone
                joint[self.seat] = move
            for player in self.position.players_to_move:
                if player != self.seat:
                    joint[player] = self._answer(player)
            self._play(joint)
        self._say(self._verdict())

    def _ask(self) -> str | None:
        """The person's move; None if they leave. After `undo` the position is another one."""
        commands: dict[str, Callable[[], None]] = {
            "moves": self._list_moves,
            "hint": self._hint,
            "opinion": self._opinion,
            "board": self._show_board,
            "help": lambda: self._say(HELP),
        }
        while True:
            try:
                said = input("your move> ").strip()
            except EOFError:
                self._say("")
                return None
            word = said.lower()
            if word in ("quit", "exit"):
                return None
            if word == "undo":
                if self._undo():
                    return ""
            elif word in commands:
                commands[word]()
            elif said and self._is_legal(said):
                return said

    def _is_legal(self, move: str) -> bool:
        """Whether the person can play it; if not, say why."""
        if self.game.move_code(self.seat, move) in self.position.legal_codes_of(self.seat):
            return True
        try:
            # With one legal move for everybody else, the error can only be about this one.
            self.position.play(
                *(
                    move if player == self.seat else self.position.legal_moves_of(player)[0]
                    for player in self.position.players_to_move
                )
            )
        except UsageError as error:
            self._say(f"{error} ('help' lists what else you can type.)")
        return False

    def _answer(self, player: int) -> str:
        """The agent's move for one of its seats."""
        position = self.position
        found, _ = watched(
            lambda stop: self._players[player].choose(position, stop),
            lambda elapsed: f"thinking for {duration(elapsed)}",
        )
        self._believed = found, player
        return found.move_of(player)

    def _play(self, joint: dict[int, str]) -> None:
        before = self.position
        self.position = before.play_joint([joint[player] for player in before.players_to_move])
        if self.seat in joint:
            self._choices.append(before)
        for player, move in joint.items():
            if player != self.seat:
                self._say(f"{self.game.player_names[player]} plays {move}.")
        self._show_board()

    def _undo(self) -> bool:
        if not self._choices:
            self._say("There is no move of yours to take back.")
            return False
        self.position = self._choices.pop()
        self._believed = None
        self._seat_players()
        self._show_board()
        return True

    def _seat_players(self) -> None:
        """Fresh players, who remember nothing of moves taken back."""
        self._players = {
            player: Player(self.agent, derive(self.seed, player), self.budget)
            for player in range(self.game.players)
            if player != self.seat
        }

    def _think(self) -> SearchResult:
        """What the agent thinks of the position before the person."""
        position = self.position
        thinker = Player(self.agent, derive(self.seed, self.game.players), self.budget)
        found, _ = watched(
            lambda stop: thinker.choose(position, stop),
            lambda elapsed: f"thinking for {duration(elapsed)}",
        )
        return found

    def _hint(self) -> None:
        found = self._think()
        best = found.move_of(self.seat)
        self._say(f"The agent would play {best}.")
        out().print(result_tables.move_table(found.by_player.get(self.seat, found.root_stats), TOP))

    def _opinion(self) -> None:
        """What it thought before its last move; before its first one, what it thinks now."""
        if self._believed is None:
            found, player = self._think(), self.seat
            self._say(f"The agent gives you {_value(found, player)} of 1 here.")
        else:
            found, player = self._believed
            self._say(f"The agent gave itself {_value(found, player)} of 1 before its last move.")
        if found.pv:
            self._say(f"It expects {result_tables.line_text(found)}.")
        out().print(result_tables.move_table(found.by_player[player], TOP))

    def _list_moves(self) -> None:
        self._say(" ".join(self.position.legal_moves_of(self.seat)))

    def _show_board(self) -> None:
        print_board(self.position)

    def _verdict(self) -> str:
        scores = self.position.scores or ()
        if self.game.players == 1:
            points = self.position.points
            result = f"{scores[0]:.3f} of 1" if points is None else f"{points:,} points"
            return f"The game is over: {result}."
        mine = scores[self.seat]
        others = max(score for player, score in enumerate(scores) if player != self.seat)
        if mine == others:
            return "The game is drawn."
        return "You win. Well played." if mine > others else "The agent wins."

    def _say(self, text: str) -> None:
        print(text, flush=True)


def _value(found: SearchResult, player: int) -> str:
    value = found.value_of(player)
    return "an unknown part" if value is None else f"{value:.3f}"
