"""The board as a GTP session has it: positions so far, handicap, and whose stones are dead."""

from __future__ import annotations

import numpy as np

from graven.core import contract
from graven.core.game import Game, Position
from graven.core.rng import generator
from graven.games import go, sgf
from graven.games.go_board import CELL, COLOUR_MASK, EMPTY, POINT_OF, STRIDE
from graven.interfaces.gtp.gtp_protocol import CommandError
from graven.sources.load import make_game

DEAD_PLAYOUTS = 200
DEAD_SHARE = 0.7  # of the playouts that must end with the point in other hands


class Table:
    """One game under way, of any kind; Go knows more: either player may move, komi, handicap."""

    def __init__(self, game: Game) -> None:
        self.is_go = game.name == "go"
        self.reset(game)

    def reset(self, game: Game) -> None:
        """A new game on an empty board."""
        self.game = game
        self.positions = [game.start()]
        self.moves: list[tuple[int, str, str]] = []
        self.setup: tuple[str, ...] = ()

    @property
    def position(self) -> Position:
        """The position now."""
        return self.positions[-1]

    def player(self, colour: str) -> int:
        """The player of a colour: b, w, black or white."""
        names = [name.lower() for name in self.game.player_names]
        for player, name in enumerate(names):
            if colour.lower() in (name, name[0]):
                return player
        raise CommandError("invalid color")

    def set_komi(self, komi: float) -> None:
        """Another komi; the stones stay."""
        options = {**self.game.options, "komi": komi}
        self.game = make_game("go", **options)
        self.positions = [Position(self.game, p.state.copy(), p.history) for p in self.positions]

    def ready(self, player: int) -> Position:
        """The position with that player to move, or an error."""
        position = self.position
        if self.is_go:
            if position.current_player != player:
                position = go.with_player_to_move(position, player)
            if position.is_over:
                raise CommandError("the game is too long")
            return position
        if position.is_over:
            raise CommandError("the game is over")
        if position.current_player != player:
            raise CommandError(f"it is {self.game.player_names[position.current_player]}'s turn")
        return position

    def to_search(self, player: int) -> Position:
        """The same for a search. In Go no passes are counted: a search shall not end the game by a
        second pass and have stones counted that everybody knows are dead, but see what comes of
        them."""
        position = self.ready(player)
        return go.with_player_to_move(position, player) if self.is_go else position

    def play(self, player: int, move: str, comment: str = "") -> None:
        """Play a move, or refuse it."""
        position = self.ready(player)
        code = self.game.move_code(player, move)
        if code is None or code not in position.legal_codes_of(player):
            raise CommandError("illegal move")
        self.positions.append(position.play(code))
        self.moves.append((player, self.game.format_move(player, code), comment))

    def undo(self) -> None:
        """Take the last move back."""
        if not self.moves:
            raise CommandError("cannot undo")
        self.positions.pop()
        self.moves.pop()

    def place(self, points: list[str]) -> None:
        """Handicap stones for Black on an empty board; White moves next."""
        position = self.position
        for point in points:
            ready = go.with_player_to_move(position, 0)
            code = self.game.move_code(0, point)
            if code is None or point.lower() == go.PASS or code not in ready.legal_codes_of(0):
                raise CommandError("bad vertex list")
            position = ready.play(code)
        self.positions = [go.with_player_to_move(position, 1)]
        self.setup = tuple(self.game.format_move(0, self._code(point)) for point in points)

    def _code(self, point: str) -> int:
        code = self.game.move_code(0, point)
        return -1 if code is None else code

    def record(self) -> sgf.SgfGame:
        """The game as SGF has it."""
        if not self.is_go or len({*str(self.game.options["size"]).split("x")}) > 1:
            raise CommandError("only games of Go on square boards are written as SGF")
        size = int(str(self.game.options["size"]).split("x")[0])
        result = self.score(self.dead()) if self.position.is_over else ""
        komi, first = float(self.game.options["komi"]), 1 if self.setup else None
        setup = (self.setup, ())
        return sgf.SgfGame(size, komi, setup, tuple(self.moves), result=result, first=first)

    def load(self, record: sgf.SgfGame) -> None:
        """Take over a game; nothing changes if it cannot be played."""
        fresh = Table(make_game("go", size=record.size, komi=record.komi))
        black, white = record.setup
        position = fresh.position
        for player, points in enumerate((black, white)):
            for point in points:
                code = fresh.game.move_code(player, point)
                position = go.with_player_to_move(position, player).play(
                    -1 if code is None else code
                )
        first = record.first if record.first is not None else int(bool(black and not white))
        fresh.positions = [go.with_player_to_move(position, first)]
        fresh.setup = black if not white else ()
        for player, move, comment in record.moves:
            fresh.play(player, move, comment)
        self.game, self.positions = fresh.game, fresh.positions
        self.moves, self.setup = fresh.moves, fresh.setup

    def owners(self) -> dict[str, int]:
        """Whose stone is on each occupied point."""
        tables, state = self.game.constants, self.position.state
        cells = self.game.num_codes - 1
        colours = state[CELL + STRIDE * tables[POINT_OF : POINT_OF + cells]] & COLOUR_MASK
        return {
            self.game.format_move(0, code): int(colour)
            for code, colour in enumerate(colours)
            if colour < EMPTY
        }

    def dead(self) -> list[str]:
        """Stones whose points mostly end in other hands when the game is played out at random."""
        rules = self.game.rules_with("mogo")
        cells = self.game.num_codes - 1
        grid = CELL + STRIDE * rules.constants[POINT_OF : POINT_OF + cells]
        lost = np.zeros(cells, dtype=np.int64)
        rng, moves = generator(1), contract.new_moves(rules)
        joint, state = contract.new_joint(rules), contract.new_state(rules)
        first = self.position.state[grid] & COLOUR_MASK
        for number in range(DEAD_PLAYOUTS):
            state[:] = go.with_player_to_move(self.position, number % 2).state
            while (player := contract.turn(rules, state)) >= 0:
                joint[player] = contract.sample(rules, state, player, moves, rng)
                contract.play(rules, state, joint)
            last = state[grid] & COLOUR_MASK
            # An empty point at the end is an eye of whoever has the neighbours.
            beside = state[grid - STRIDE] & COLOUR_MASK
            last = np.where(last >= EMPTY, np.where(beside < EMPTY, beside, last), last)
            lost += (last < EMPTY) & (last != first)
        return [
            point for point in self.owners() if lost[self._code(point)] > DEAD_SHARE * DEAD_PLAYOUTS
        ]

    def score(self, dead: list[str] | None = None) -> str:
        """The result, with the dead stones given to those who surround them: B+3.5."""
        position = self.position
        if dead:
            bare = make_game("go", size=self.game.options["size"], komi=self.game.options["komi"])
            cleared = bare.start()
            for point, player in self.owners().items():
                if point in dead:
                    continue
                ready = go.with_player_to_move(cleared, player)
                code = self._code(point)
                if code in ready.legal_codes_of(player):
                    cleared = ready.play(code)
            position = cleared
        return sgf.result_text(self.game, go.areas(position))


def parse_number(text: str, what: str, low: float, high: float) -> float:
    """A finite number within bounds."""
    try:
        value = float(text)
    except ValueError:
        raise CommandError(f"{what} not a number") from None
    if not low <= value <= high:
        raise CommandError(f"{what} must be from {low:g} to {high:g}")
    return value
