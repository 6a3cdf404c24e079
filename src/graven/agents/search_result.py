"""The result of a search: the move to play and the statistics of the root."""

from __future__ import annotations

from dataclasses import dataclass, field

from graven.agents.move_clock import MoveClock
from graven.agents.result_html import search_table
from graven.core.errors import UsageError
from graven.core.game import Game, Position
from graven.core.rng import derive
from graven.search.result import (
    RootStatistics,
    final_move,
    principal_variation,
    root_statistics,
)
from graven.search.runner import Search

MIB = 1 << 20
UNKNOWN_VALUE = 0.5


@dataclass(frozen=True)
class MoveStat:
    """The statistics of one root move. `amaf` is None where the move has no AMAF value."""

    move: str
    visits: int
    mean: float
    amaf: float | None
    amaf_visits: int


@dataclass(frozen=True)
class SearchResult:
    """The result of a search.

    `best_move` is the move to play (with simultaneous moves, a tuple with one move per player),
    `value` the mean score of the player to move, `root_stats` the root's moves in the order of
    their visits, `by_player` the same for every player to move, `pv` the principal variation.
    `plies` counts the plies of all playouts; `memory_full` is true if the tree reached its memory
    limit.
    """

    best_move: str | tuple[str, ...]
    value: float = 0.0
    root_stats: tuple[MoveStat, ...] = ()
    by_player: dict[int, tuple[MoveStat, ...]] = field(default_factory=dict)
    pv: tuple[str, ...] = ()
    playouts: int = 0
    plies: int = 0
    seconds: float = 0.0
    nodes: int = 0
    amaf_tables: int = 0
    memory_mib: float = 0.0
    memory_full: bool = False

    def move_of(self, player: int) -> str:
        """Return the best move of one player, with or without simultaneous moves."""
        return self.best_move if isinstance(self.best_move, str) else self.best_move[player]

    def value_of(self, player: int) -> float | None:
        """Return the expected score of one player's best move; None if it was not tried."""
        best = self.move_of(player)
        return next((s.mean for s in self.by_player[player] if s.move == best and s.visits), None)

    @property
    def playouts_per_second(self) -> float:
        """The speed of the search."""
        return self.playouts / self.seconds if self.seconds else 0.0

    def _repr_html_(self) -> str:
        """Return an HTML table, for notebooks."""
        return search_table(self)


def find_move(search: Search, position: Position, clock: MoveClock, seed: int) -> SearchResult:
    """Search a position in `search`'s tree and choose a move for every player to move."""
    game = position.game
    if position.is_over:
        raise UsageError(f"the game of {game.name} is over: there is nothing to search.")
    run = search.run(
        position.state, position.history, clock.budget, derive(seed, 0), stop=clock.stop
    )
    best_moves: list[str] = []
    by_player: dict[int, tuple[MoveStat, ...]] = {}
    value = 0.0
    for player in position.players_to_move:
        # A reused tree may contain moves that are no longer legal: Go's superko.
        legal = frozenset(position.legal_codes_of(player))
        moves = [
            move for move in root_statistics(search.rules, run.tree, player) if move.code in legal
        ]
        rule = search.spec.options.final_move
        chosen = final_move(moves, rule, derive(seed, 1, player))
        if chosen is None:
            # Fewer than two playouts: no root move was tried. Take the first legal one.
            code, mean = position.legal_codes_of(player)[0], UNKNOWN_VALUE
        else:
            code, mean = chosen.code, chosen.mean
        best_moves.append(game.format_move(player, code))
        value = mean if player == position.players_to_move[0] else value
        moves.sort(key=lambda move: (-move.visits, -move.mean, move.code))
        by_player[player] = tuple(_move_stat(game, player, move) for move in moves)
    variation = principal_variation(search.rules, run.tree, chosen.code if chosen else None)
    return SearchResult(
        best_move=best_moves[0] if len(best_moves) == 1 else tuple(best_moves),
        value=value,
        root_stats=by_player[position.players_to_move[0]],
        by_player=by_player,
        pv=tuple(game.format_move(player, code) for player, code in variation),
        playouts=run.playouts,
        plies=run.plies,
        seconds=run.seconds,
        nodes=run.nodes,
        amaf_tables=run.tables,
        memory_mib=search.arena.nbytes / MIB,
        memory_full=run.full,
    )


def _move_stat(game: Game, player: int, move: RootStatistics) -> MoveStat:
    return MoveStat(
        move=game.format_move(player, move.code),
        visits=move.visits,
        mean=move.mean,
        amaf=move.amaf_total / move.amaf_visits if move.amaf_visits else None,
        amaf_visits=move.amaf_visits,
    )
