"""The commands of the engine. Each is a method named after it, with its arguments as texts.

A command returns the text of its reply, or raises `CommandError`. What goes wrong in another way is
answered as well: a session goes on after any line.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

from graven import __version__
from graven.agents import Agent, SearchResult
from graven.agents.agent import find_move
from graven.agents.spec import parse
from graven.core.errors import GravenError
from graven.core.game import Game, Position
from graven.core.rng import derive
from graven.games import go, sgf
from graven.interfaces.gtp import gtp_protocol, handicap
from graven.interfaces.gtp.analysis import info_lines, parse_request
from graven.interfaces.gtp.gtp_board import Table, parse_number
from graven.interfaces.gtp.gtp_clock import Clocks
from graven.interfaces.gtp.gtp_protocol import Command, CommandError
from graven.interfaces.gtp.input_lines import Lines
from graven.search.budget import Budget
from graven.search.engine import Search
from graven.search.specs import Spec
from graven.sources.load import make_game

LONGEST_TIME = 1e7  # seconds
# After the other side's pass: how often a pass must have been tried, and what it may cost.
PASS_VISITS, PASS_COST = 50, 0.01
FREE_PLAYOUTS = 10_000  # for a move where neither a budget nor a clock says anything else


class Engine:
    """A GTP session: a table, an agent, and how long it may think."""

    def __init__(self, table: Table, spec: str, budget: Budget, seed: int = 0) -> None:
        self.table = table
        self.budget = budget
        self.seed = seed
        self.resign = 0.0
        self.lag = 0.15
        self.clocks = Clocks()
        self.quitting = False
        self._out: TextIO = sys.stdout
        self._lines: Lines | None = None
        self._id = ""
        self._use(parse(spec, files=True))
        self.commands: dict[str, Callable[..., str]] = {
            name.removeprefix("do_").replace("__", "-"): getattr(self, name)
            for name in dir(self)
            if name.startswith("do_")
        }
        if not table.is_go:
            for name in GO_ONLY:
                del self.commands[name]

    def _use(self, spec: Spec) -> None:
        """Play with another agent from now on; its code is compiled before any clock runs."""
        self.agent = Agent(spec)
        self._search: Search | None = None
        self._search_game: Game | None = None
        find_move(self._bound(), self.table.game.start(), Budget(playouts=500), 0, None)

    def _bound(self) -> Search:
        if self._search is None or self._search_game is not self.table.game:
            self._search = self.agent.bind(self.table.game)
            self._search_game = self.table.game
        return self._search

    def run(self, lines: Lines, out: TextIO) -> None:
        """Answer lines until there are none, or `quit`."""
        self._out, self._lines = out, lines
        while not self.quitting:
            line = lines.next()
            if line is None:
                break
            out.write(self.answer(line))
            out.flush()

    def answer(self, line: str) -> str:
        """The whole reply to a line; "" for an empty one."""
        command = gtp_protocol.parse(line)
        if command is None:
            return ""
        try:
            action = self.commands.get(command.name)
            if action is None:
                # Without a name, the arguments say what is wrong with the line, if anything does.
                said = "" if command.name else " ".join(command.arguments)
                raise CommandError(said or "unknown command")
            self._id = command.id
            text = self._call(action, command)
            if text.startswith(MID_REPLY):
                return text.removeprefix(MID_REPLY) + "\n"
            return gtp_protocol.reply(command, text)
        except CommandError as error:
            return gtp_protocol.refusal(command, str(error))
        except GravenError as error:
            return gtp_protocol.refusal(command, " ".join(str(error).split()))
        except (OSError, ValueError, OverflowError) as error:
            return gtp_protocol.refusal(command, " ".join(str(error).split()) or "cannot be done")

    def _call(self, action: Callable[..., str], command: Command) -> str:
        try:
            return action(*command.arguments)
        except TypeError as error:
            # A wrong number of arguments; anything else is a mistake of ours, and answered too.
            if "positional argument" in str(error):
                raise CommandError("syntax error") from None
            raise CommandError(f"internal error: {error}") from None

    # Administration.

    def do_protocol_version(self) -> str:
        """GTP's version."""
        return "2"

    def do_name(self) -> str:
        """Our name."""
        return "graven"

    def do_version(self) -> str:
        """Our version, and the agent that plays."""
        return f"{__version__} {self.agent.spec}"

    def do_known_command(self, name: str) -> str:
        """Whether a command is known."""
        return "true" if name in self.commands else "false"

    def do_list_commands(self) -> str:
        """All commands."""
        return "\n".join(sorted(self.commands))

    def do_quit(self) -> str:
        """End the session after this reply."""
        self.quitting = True
        return ""

    def do_graven__params(self, name: str = "", *value: str) -> str:
        """List the parameters, or set one."""
        if not name:
            shown = {
                "agent": self.agent.spec,
                "lag": f"{self.lag:g}",
                "playouts": str(self.budget.playouts or 0),
                "resign": f"{self.resign:g}",
                "seconds": f"{self.budget.seconds or 0:g}",
                "seed": str(self.seed),
            }
            return "\n".join(f"{key} {text}" for key, text in shown.items())
        text = " ".join(value)
        if not text:
            raise CommandError("syntax error")
        if name == "agent":
            self._use(parse(text))  # no files: who knows where a command comes from
        elif name == "lag":
            self.lag = parse_number(text, "lag", 0, 10)
        elif name == "playouts":
            playouts = int(parse_number(text, "playouts", 0, 2e9))
            self.budget = Budget(playouts or None, self.budget.seconds)
        elif name == "resign":
            self.resign = parse_number(text, "resign", 0, 1)
        elif name == "seconds":
            seconds = parse_number(text, "seconds", 0, LONGEST_TIME)
            self.budget = Budget(self.budget.playouts, seconds or None)
        elif name == "seed":
            self.seed = int(parse_number(text, "seed", 0, 2**53))
        else:
            raise CommandError(f"unknown parameter {name}")
        return ""

    # The board.

    def do_boardsize(self, *size: str) -> str:
        """A new empty board of that size."""
        if len(size) not in (1, 2):
            raise CommandError("syntax error")
        text = size[0] if len(set(size)) == 1 else "x".join(reversed(size))
        try:
            self._new_game(size=text)
        except GravenError:
            raise CommandError("unacceptable size") from None
        return ""

    def do_rectangular_boardsize(self, columns: str, rows: str) -> str:
        """The same for a board that is not square, as Sabaki and KataGo say it."""
        return self.do_boardsize(columns, rows)

    def _new_game(self, **changes: str | float) -> None:
        game = self.table.game
        self.table.reset(make_game(game.name, **{**game.options, **changes}))
        self.clocks.restart()

    def do_clear_board(self) -> str:
        """An empty board."""
        self.table.reset(self.table.game)
        self.clocks.restart()
        return ""

    def do_komi(self, komi: str) -> str:
        """White's komi."""
        self.table.set_komi(parse_number(komi, "komi", -go.MAX_KOMI, go.MAX_KOMI))
        return ""

    def do_fixed_handicap(self, number: str) -> str:
        """Handicap stones on the usual points."""
        self._empty_board()
        points = handicap.fixed(self._side(), _whole(number))
        self.table.place(points)
        return " ".join(points)

    def do_place_free_handicap(self, number: str) -> str:
        """Handicap stones where we like them: on the usual points, as many as there are."""
        self._empty_board()
        points = handicap.free(self._side(), _whole(number))
        self.table.place(points)
        return " ".join(points)

    def do_set_free_handicap(self, *points: str) -> str:
        """Handicap stones where somebody else likes them."""
        self._empty_board()
        if len(points) < 2 or len({point.lower() for point in points}) < len(points):
            raise CommandError("bad vertex list")
        self.table.place(list(points))
        return ""

    def _empty_board(self) -> None:
        if self.table.moves or self.table.setup:
            raise CommandError("board not empty")

    def _side(self) -> int:
        rows, columns = str(self.table.game.options["size"]).split("x")
        if rows != columns:
            raise CommandError("the board is not square")
        return int(rows)

    def do_play(self, colour: str, vertex: str) -> str:
        """Play a move."""
        self.table.play(self.table.player(colour), vertex)
        return ""

    def do_undo(self) -> str:
        """Take the last move back."""
        self.table.undo()
        return ""

    def do_showboard(self) -> str:
        """The board as text."""
        return "\n" + str(self.table.position)

    def do_time_settings(self, main: str, overtime: str, stones: str) -> str:
        """Main time, overtime, and how many stones it is for."""
        self.clocks.set(
            parse_number(main, "main time", 0, LONGEST_TIME),
            parse_number(overtime, "byo yomi time", 0, LONGEST_TIME),
            _whole(stones),
        )
        return ""

    def do_kgs__time_settings(self, kind: str, *values: str) -> str:
        """KGS's way to say it: none, absolute, byoyomi or canadian."""
        numbers = [parse_number(value, "time", 0, LONGEST_TIME) for value in values]
        wanted = {"none": 0, "absolute": 1, "byoyomi": 3, "canadian": 3}
        if len(numbers) != wanted.get(kind, -1):
            raise CommandError("syntax error")
        if kind == "none":
            self.clocks = Clocks(unlimited=True)
        elif kind == "absolute":
            self.clocks.set(numbers[0], 0, 0)
        elif kind == "byoyomi":
            self.clocks.set(numbers[0], numbers[1], 1)
        else:
            self.clocks.set(numbers[0], numbers[1], int(numbers[2]))
        return ""

    def do_time_left(self, colour: str, left: str, stones: str) -> str:
        """What is left on a player's clock."""
        clock = self.clocks.of(self.table.player(colour))
        seconds, to_play = parse_number(left, "time", -LONGEST_TIME, LONGEST_TIME), _whole(stones)
        if clock is None and not self.clocks.unlimited:
            self.clocks.set(seconds, 0, 0)
            clock = self.clocks.of(self.table.player(colour))
        if clock is not None:
            clock.set(seconds, to_play)
        return ""

    # Playing.

    def do_genmove(self, colour: str) -> str:
        """Think, and play a move."""
        player = self.table.player(colour)
        began = time.monotonic()
        return self._played(player, self._think(player), began)

    def _played(self, player: int, found: SearchResult | None, began: float) -> str:
        """Play what was found by a search that began then, or give up; what to say."""
        move = self._chosen(found, player)
        if found is not None and found.value < self.resign:
            return "resign"
        self.table.play(player, move, _comment(found))
        clock = self.clocks.of(player)
        if clock is not None:
            clock.spend(time.monotonic() - began, played=True)
        return _vertex(move)

    def do_reg_genmove(self, colour: str) -> str:
        """Think, and say what we would play."""
        player = self.table.player(colour)
        return _vertex(self._chosen(self._think(player), player))

    def _think(self, player: int) -> SearchResult | None:
        """What a search finds for that player; None where there is only the pass."""
        try:
            position = self.table.to_search(player)
        except CommandError:
            if self.table.is_go:
                return None
            raise
        seed = derive(self.seed, position.ply)
        return find_move(self._bound(), position, self._allowance(player, position), seed, None)

    def _chosen(self, found: SearchResult | None, player: int) -> str:
        """The best move; in Go a pass as well where the other side has passed and nothing is lost
        by it."""
        if found is None:
            return "pass"
        if self.table.is_go and self.table.moves and self.table.moves[-1][1] == "pass":
            for stat in found.by_player[player]:
                enough = stat.visits >= PASS_VISITS and stat.mean >= found.value - PASS_COST
                if stat.move == "pass" and enough:
                    return "pass"
        return found.move_of(player)

    def _allowance(self, player: int, position: Position) -> Budget:
        """The budget of one move: the session's own, and what the clock allows."""
        own = self.agent.budget_or(self.budget) if self.agent.budget.is_limited else self.budget
        clock = self.clocks.of(player)
        if clock is None:
            return own if own.is_limited else Budget(FREE_PLAYOUTS)
        allowed = clock.seconds(len(position.legal_codes_of(player)) // 4, self.lag)
        seconds = allowed if own.seconds is None else min(own.seconds, allowed)
        return Budget(own.playouts, seconds)

    # Analysis.

    def do_lz__analyze(self, *arguments: str) -> str:
        """Search and report until the next line comes, as Leela Zero does."""
        return self._analyse("lz", arguments, play=False)

    def do_kata__analyze(self, *arguments: str) -> str:
        """The same, as KataGo does."""
        return self._analyse("kata", arguments, play=False)

    def do_lz__genmove_analyze(self, *arguments: str) -> str:
        """Search with reports, then play."""
        return self._analyse("lz", arguments, play=True)

    def do_kata__genmove_analyze(self, *arguments: str) -> str:
        """The same, as KataGo does."""
        return self._analyse("kata", arguments, play=True)

    def _analyse(self, style: str, arguments: tuple[str, ...], play: bool) -> str:
        request = parse_request(arguments, self.table)
        began = time.monotonic()
        position = self.table.to_search(request.player)
        self._out.write(f"={self._id}\n")
        last: SearchResult | None = None
        for found, lines in self._reports(position, request.player, request.interval, style, play):
            last = found
            if lines:  # an empty line would end the reply
                self._out.write(lines + "\n")
                self._out.flush()
        if not play:
            return MID_REPLY
        return MID_REPLY + f"play {self._played(request.player, last, began)}\n"

    def _reports(
        self, position: Position, player: int, interval: float, style: str, play: bool
    ) -> Iterator[tuple[SearchResult, str]]:
        """Search on and on in one tree; for a move to play, only as long as that may take."""
        search = self.agent.with_options(reuse_tree=True).bind(position.game)
        allowance = self._allowance(player, position) if play else Budget(seconds=LONGEST_TIME)
        began, done, number = time.monotonic(), 0, 0
        while True:
            spent = time.monotonic() - began
            seconds = interval
            if allowance.seconds is not None:
                seconds = min(interval, allowance.seconds - spent)
            left = None if allowance.playouts is None else allowance.playouts - done
            if seconds <= 0 or (left is not None and left <= 0):
                return
            stop = self._lines if not play else None
            budget, seed = Budget(left, seconds), derive(self.seed, number)
            found = find_move(search, position, budget, seed, stop)
            done, number = done + found.playouts, number + 1
            yield found, info_lines(found, search, position.game, player, style)
            if stop is not None and stop.is_set():
                return

    # The end.

    def do_final_score(self) -> str:
        """Who is ahead and by how much, with dead stones taken off."""
        return self.table.score(self.table.dead())

    def do_final_status_list(self, status: str) -> str:
        """The stones of a status, a line for each colour."""
        if status not in ("alive", "dead", "seki"):
            raise CommandError("invalid status")
        owners = self.table.owners()
        dead = set(self.table.dead()) if status != "seki" else set()
        wanted = {"alive": set(owners) - dead, "dead": dead, "seki": set()}[status]
        lines = (
            " ".join(point for point in owners if owners[point] == player and point in wanted)
            for player in range(2)
        )
        return "\n".join(line for line in lines if line)

    def do_loadsgf(self, name: str, number: str = "") -> str:
        """Load a game, up to before a move if one is named; who is to move then."""
        before = _whole(number) - 1 if number else None
        if not Path(name).is_file():
            raise CommandError("cannot load file")
        with Path(name).open("rb") as file:
            data = file.read(sgf.MAX_FILE_BYTES + 1)
        self.table.load(sgf.read(data, before))
        return str(self.table.game.player_names[self.table.position.state[0]].lower())

    def do_printsgf(self, name: str = "") -> str:
        """The game as SGF, here or into a file."""
        text = sgf.write(self.table.record())
        if not name:
            return text
        Path(name).write_text(text, encoding="utf-8")
        return ""

    # GoGui's questions about the rules, for games that are not Go.

    def do_gogui__rules_game_id(self) -> str:
        """The game's name."""
        return self.table.game.name.capitalize()

    def do_gogui__rules_board_size(self) -> str:
        """The board's size."""
        return str(self.table.game.options.get("size", "")).split("x")[0]

    def do_gogui__rules_board(self) -> str:
        """The board as text."""
        return "\n" + str(self.table.position)

    def do_gogui__rules_side_to_move(self) -> str:
        """Who is to move."""
        position = self.table.position
        return (
            "none"
            if position.is_over
            else self.table.game.player_names[position.current_player].lower()
        )

    def do_gogui__rules_legal_moves(self) -> str:
        """All legal moves."""
        return " ".join(_vertex(move) for move in self.table.position.legal_moves)

    def do_gogui__rules_final_result(self) -> str:
        """Who has won."""
        scores = self.table.position.scores
        if scores is None:
            return "The game is not over"
        if scores[0] == scores[1]:
            return "Draw"
        return f"{self.table.game.player_names[int(scores[1] > scores[0])]} wins"


# A reply that has begun before the command was done: what is left of it.
MID_REPLY = "\x00"

GO_ONLY = (
    "komi",
    "fixed_handicap",
    "place_free_handicap",
    "set_free_handicap",
    "final_score",
    "final_status_list",
    "loadsgf",
    "printsgf",
)


def _vertex(move: str) -> str:
    return "PASS" if move == go.PASS else move.upper()


def _comment(found: SearchResult | None) -> str:
    if found is None:
        return ""
    return f"{found.playouts} playouts, win rate {100 * found.value:.1f} %"


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise CommandError("syntax error")
    return int(text)
