"""The result of a search: the move to play and the statistics of the root."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from graven.agents.amaf_agreement import amaf_agreement, amaf_misleads
from graven.agents.move_clock import MoveClock
from graven.agents.result_html import search_table
from graven.agents.result_text import MOVES_SHOWN, result_lines
from graven.agents.search_tree import SearchTree, copy_tree
from graven.core.errors import UsageError
from graven.core.game import Game, Position
from graven.core.plain_values import PlainValues
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


@dataclass(frozen=True, repr=False)
class SearchResult(PlainValues):
    """The result of a search. `print(result)` shows it as `graven search` does.

    `best_move` is the move to play and `best_joint` the same as a tuple for `Position.play_joint`:
    where players move simultaneously it has one move for each, and `best_move` joins them with
    commas. `best_object` is the best move as the rules' own value, where they are a Python class
    or OpenSpiel's. `value` is the mean score of the player to move, `root_stats` the root's moves
    in the order of their visits, `by_player` the same for every player to move, `pv` the principal
    variation, `tree` the search tree (None for agents that hide it). `plies` counts the plies of
    all playouts; `memory_full` is true if the tree reached its memory limit.
    """

    best_move: str
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
    best_joint: tuple[str, ...] = ()
    best_object: Any = None
    player_names: tuple[str, ...] = ()  # of the players to move
    tree: SearchTree | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not self.best_joint:
            object.__setattr__(self, "best_joint", (self.best_move,))

    def move_of(self, player: int) -> str:
        """Return the best move of one player, with or without simultaneous moves."""
        return self.best_joint[player if len(self.best_joint) > 1 else 0]

    def value_of(self, player: int) -> float | None:
        """Return the expected score of one player's best move; None if it was not tried."""
        best = self.move_of(player)
        return next((s.mean for s in self.by_player[player] if s.move == best and s.visits), None)

    @property
    def playouts_per_second(self) -> float:
        """The speed of the search."""
        return self.playouts / self.seconds if self.seconds else 0.0

    @property
    def amaf_agreement(self) -> float | None:
        """How well AMAF orders the root's moves: see `agents.amaf_agreement`; None if unknown."""
        return amaf_agreement(self.root_stats)

    @property
    def amaf_misleads(self) -> bool:
        """Whether AMAF orders the root's moves strongly against their means."""
        return amaf_misleads(self.root_stats)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values, under the names of `SearchResult` and `MoveStat`.

        Where players move simultaneously, `by_player` has the moves of each.
        """
        values: dict[str, Any] = {
            "best_move": self.best_move,
            "best_joint": list(self.best_joint),
            "value": self.value,
            "pv": list(self.pv),
            "root_stats": [asdict(stat) for stat in self.root_stats],
            "playouts": self.playouts,
            "seconds": self.seconds,
            "playouts_per_second": self.playouts_per_second,
            "nodes": self.nodes,
            "amaf_tables": self.amaf_tables,
            "amaf_agreement": self.amaf_agreement,
            "memory_mib": self.memory_mib,
            "memory_full": self.memory_full,
        }
        if len(self.by_player) > 1:
            values["by_player"] = [
                [asdict(stat) for stat in stats] for stats in self.by_player.values()
            ]
        return values

    def text(self, top: int = MOVES_SHOWN) -> str:
        """Return the table that `graven search` prints, with so many moves."""
        return "\n".join(line.text for line in result_lines(self, top))

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<SearchResult {self.best_move}, value {self.value:.3f}, {self.playouts} playouts>"

    def _repr_html_(self) -> str:
        """Return an HTML table, for notebooks."""
        return search_table(self)


def find_move(
    search: Search, position: Position, clock: MoveClock, seed: int, keep_tree: bool = False
) -> SearchResult:
    """Search a position in `search`'s tree and choose a move for every player to move.

    With `keep_tree` the result has a copy of the tree.
    """
    if position.is_over:
        raise UsageError(f"the game of {position.game.name} is over: there is nothing to search.")
    run = search.run(
        position.state, position.history, clock.budget, derive(seed, 0), stop=clock.stop
    )
    choices, by_player = {}, {}
    for player in position.players_to_move:
        moves = root_statistics(search.rules, run.tree, player)
        choices[player], by_player[player] = choose_move(
            position, player, moves, search.spec.options.final_move, derive(seed, 1, player)
        )
    chosen = choices[position.players_to_move[0]]
    variation = principal_variation(search.rules, run.tree, chosen.code if chosen.visits else None)
    return make_result(
        position,
        choices,
        by_player,
        pv=tuple(position.game.format_move(player, code) for player, code in variation),
        playouts=run.playouts,
        plies=run.plies,
        seconds=run.seconds,
        nodes=run.nodes,
        amaf_tables=run.tables,
        memory_mib=search.arena.nbytes / MIB,
        memory_full=run.full,
        tree=copy_tree(search, position) if keep_tree else None,
    )


def choose_move(
    position: Position, player: int, moves: list[RootStatistics], rule: str, seed: int
) -> tuple[RootStatistics, tuple[MoveStat, ...]]:
    """Return a player's best move, and the statistics of all its moves by visits."""
    # A reused tree may contain moves that are no longer legal: Go's superko.
    codes = position.legal_codes_of(player)
    legal = frozenset(codes)
    moves = [move for move in moves if move.code in legal]
    # With fewer than two playouts no root move was tried: take the first legal one.
    chosen = final_move(moves, rule, seed) or RootStatistics(codes[0], 0, 0.0, 0, 0.0)
    moves.sort(key=lambda move: (-move.visits, -move.mean, move.code))
    return chosen, tuple(_move_stat(position.game, player, move) for move in moves)


def make_result(
    position: Position,
    choices: dict[int, RootStatistics],
    by_player: dict[int, tuple[MoveStat, ...]],
    **rest: Any,
) -> SearchResult:
    """Make a result from the best move and the statistics of each player to move."""
    game, first = position.game, position.players_to_move[0]
    joint = tuple(game.format_move(player, chosen.code) for player, chosen in choices.items())
    move_object = game.display.move_object
    return SearchResult(
        best_move=",".join(joint),
        best_joint=joint,
        best_object=move_object(first, choices[first].code) if move_object else None,
        value=choices[first].mean if choices[first].visits else UNKNOWN_VALUE,
        root_stats=by_player[first],
        by_player=by_player,
        player_names=tuple(game.player_names[player] for player in choices),
        **rest,
    )


def _move_stat(game: Game, player: int, move: RootStatistics) -> MoveStat:
    return MoveStat(
        move=game.format_move(player, move.code),
        visits=move.visits,
        mean=move.mean,
        amaf=move.amaf_total / move.amaf_visits if move.amaf_visits else None,
        amaf_visits=move.amaf_visits,
    )
