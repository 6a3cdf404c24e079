"""The board of a GTP session: the positions of the game so far, handicap and SGF game records."""

from __future__ import annotations

from graven.core.game import Game
from graven.core.position import Position
from graven.games import go, sgf
from graven.interfaces.gtp.go_scoring import dead_stones, point_code, score_text
from graven.interfaces.gtp.gtp_protocol import CommandError
from graven.sources.load import load_game


class GtpBoard:
    """A game in progress. In Go either player may move at any time, and komi may change."""

    def __init__(self, game: Game) -> None:
        self.is_go = game.name == "go"
        self.reset(game)

    def reset(self, game: Game) -> None:
        """Start a new game on an empty board."""
        self.game = game
        self.positions = [game.start()]
        self.moves: list[tuple[int, str, str]] = []  # player, move, comment
        self.handicap: tuple[str, ...] = ()

    @property
    def position(self) -> Position:
        """The current position."""
        return self.positions[-1]

    @property
    def is_untouched(self) -> bool:
        """Whether no move has been played and no handicap stone placed."""
        return not self.moves and not self.handicap

    @property
    def side_length(self) -> int:
        """The side of a square board; raise `CommandError` on other boards."""
        rows, columns = str(self.game.options["size"]).split("x")
        if rows != columns:
            raise CommandError("the board is not square")
        return int(rows)

    def player(self, colour: str) -> int:
        """Return the player of a colour: b, w, black or white."""
        for player, name in enumerate(self.game.player_names):
            if colour.lower() in (name.lower(), name[0].lower()):
                return player
        raise CommandError("invalid color")

    def set_komi(self, komi: float) -> None:
        """Change komi; the stones stay."""
        self.game = load_game("go", **{**self.game.options, "komi": komi})
        self.positions = [Position(self.game, p.state.copy(), p.history) for p in self.positions]

    def with_player_to_move(self, player: int) -> Position:
        """Return the position with that player to move, or raise `CommandError`."""
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

    def position_to_search(self, player: int) -> Position:
        """Return the position with that player to move, for a search.

        In Go earlier passes are not counted. Otherwise a search could end the game with a second
        pass and score dead stones as alive.
        """
        position = self.with_player_to_move(player)
        return go.with_player_to_move(position, player) if self.is_go else position

    def play(self, player: int, move: str, comment: str = "") -> None:
        """Play a move; raise `CommandError` if it is illegal."""
        position = self.with_player_to_move(player)
        code = self.game.move_code(player, move)
        if code is None or code not in position.legal_codes_of(player):
            raise CommandError("illegal move")
        self.positions.append(position.play_code(code))
        self.moves.append((player, self.game.format_move(player, code), comment))

    def undo(self) -> None:
        """Take the last move back."""
        if not self.moves:
            raise CommandError("cannot undo")
        self.positions.pop()
        self.moves.pop()

    def place_handicap(self, points: list[str]) -> None:
        """Place handicap stones for Black; White moves next."""
        position = self.position
        for point in points:
            ready = go.with_player_to_move(position, 0)
            code = self.game.move_code(0, point)
            if code is None or point.lower() == go.PASS or code not in ready.legal_codes_of(0):
                raise CommandError("bad vertex list")
            position = ready.play_code(code)
        self.positions = [go.with_player_to_move(position, 1)]
        self.handicap = tuple(
            self.game.format_move(0, point_code(position, point)) for point in points
        )

    def to_sgf(self) -> sgf.SgfGame:
        """Return the game as an SGF game record."""
        if not self.is_go or len({*str(self.game.options["size"]).split("x")}) > 1:
            raise CommandError("only games of Go on square boards are written as SGF")
        position = self.position
        return sgf.SgfGame(
            size=self.side_length,
            komi=float(self.game.options["komi"]),
            setup=(self.handicap, ()),
            moves=tuple(self.moves),
            result=score_text(position, dead_stones(position)) if position.is_over else "",
            first=1 if self.handicap else None,
        )

    def load_sgf(self, loaded_game: sgf.SgfGame) -> None:
        """Replace the game by an SGF game record; the board is unchanged if that is illegal."""
        loaded = GtpBoard(load_game("go", size=loaded_game.size, komi=loaded_game.komi))
        black, white = loaded_game.setup
        position = loaded.position
        for player, points in enumerate((black, white)):
            for point in points:
                code = point_code(position, point)
                position = go.with_player_to_move(position, player).play_code(code)
        first = loaded_game.first
        if first is None:
            first = int(bool(black and not white))
        loaded.positions = [go.with_player_to_move(position, first)]
        loaded.handicap = black if not white else ()
        for player, move, comment in loaded_game.moves:
            loaded.play(player, move, comment)
        self.game, self.positions = loaded.game, loaded.positions
        self.moves, self.handicap = loaded.moves, loaded.handicap
