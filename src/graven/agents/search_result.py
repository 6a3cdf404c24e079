"""The result of a search: the move to play and the statistics of the root."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from graven.agents.move_clock import MoveClock
from graven.agents.result_html import search_table
from graven.agents.result_text import MOVES_SHOWN, result_lines
from graven.agents.search_tree import SearchTree, copy_tree
from graven.core.contract import Rules
from graven.core.errors import UsageError, listed
from graven.core.game import Game
from graven.core.plain_values import PlainValues
from graven.core.position import Position
from graven.core.rng import derive
from graven.search.amaf_order import AmafOrder, amaf_order
from graven.search.result import (
    RootProof,
    principal_variation,
    root_proof,
)
from graven.search.root_rows import RootRows, RootStatistics
from graven.search.runner import Search
from graven.search.score_bounds import HIGHEST, LOWEST
from graven.search.tree import Tree
from graven.search.tree_arena import TreeArena

MIB = 1 << 20
UNKNOWN_VALUE = 0.5
# Fields of a result that are computed when they are first read.
DETAILS = ("root_stats", "by_player", "pv", "tree", "amaf_agreement", "amaf_rank")


@dataclass(frozen=True)
class MoveStat:
    """The statistics of one root move. `amaf` is None where the move has no AMAF value.

    `lower` and `upper` are proven bounds of the score after the move; where they are equal,
    `plies_left` are the plies after the move to the end of the game, -1 if unknown. `probability`
    is that of the move in the average strategy of regret matching; None where moves are not drawn
    by it.
    """

    move: str
    visits: int
    mean: float
    amaf: float | None
    amaf_visits: int
    lower: float = LOWEST
    upper: float = HIGHEST
    plies_left: int = 0
    probability: float | None = None

    @property
    def proof_text(self) -> str:
        """What is proven about the move: "win in 7 plies"; empty if nothing is."""
        return bounds_text(self.lower, self.upper, self.plies_left + 1)

    def to_dict(self) -> dict[str, Any]:
        """Return the statistics as plain values; `plies_left` is None unless a score is proven."""
        values = asdict(self)
        return values if self.lower >= self.upper else {**values, "plies_left": None}


@dataclass(frozen=True, repr=False)
class SearchResult(PlainValues):
    """The result of a search. `print(result)` shows it as `graven search` does.

    `best_move` is the move to play and `best_joint` the same as a tuple for `Position.play_joint`:
    where players move simultaneously it has one move for each, and `best_move` joins them with
    commas. `best_object` is the best move as the rules' own value, where they are a Python class
    or OpenSpiel's. `value` is the mean score of the player to move, `root_stats` the root's moves
    in the order of their visits, `by_player` the same for every player to move, `pv` the principal
    variation, `tree` the search tree (None for agents that hide it). `plies` counts the plies of
    all playouts; `memory_full` is true if the tree was closed at its limit.

    `proven` is true if the score of the player to move is proven, at simultaneous moves those of
    all players who have a choice: the search then ended early, `best_move` reaches that score,
    `value` is the score, and `plies_left` are the plies to the end of the game with the proven
    moves. `bounds` are a proven lower and upper bound of every player's score, (0, 1) where nothing
    is known; empty for agents that prove nothing.

    `amaf_agreement`, from -1 to 1, and `amaf_rank`, from 0 to 1, say how well AMAF orders the moves
    of the tree: see `search.amaf_order`. They are None if too little is known, and in results
    without a tree.
    """

    best_move: str
    value: float = 0.0
    root_stats: tuple[MoveStat, ...] = field(default_factory=tuple)
    by_player: dict[int, tuple[MoveStat, ...]] = field(default_factory=dict)
    pv: tuple[str, ...] = field(default_factory=tuple)
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
    proven: bool = False
    bounds: tuple[tuple[float, float], ...] = ()  # of every player
    plies_left: int = 0
    tree: SearchTree | None = field(default_factory=lambda: None, compare=False)
    amaf_agreement: float | None = field(default_factory=lambda: None)
    amaf_rank: float | None = field(default_factory=lambda: None)

    def __post_init__(self) -> None:
        if not self.best_joint:
            object.__setattr__(self, "best_joint", (self.best_move,))

    @classmethod
    def with_details(cls, details: RootDetails, **values: Any) -> SearchResult:
        """Return a result whose DETAILS are computed when they are first read.

        `values` are all other fields. They are set at once: a frozen dataclass sets each by itself,
        which takes longer than ten playouts.
        """
        result = cls.__new__(cls)
        result.__dict__.update(values, _details=details)
        return result

    def __getattr__(self, name: str) -> Any:
        """Compute a detail. Python calls this for attributes that the object does not have."""
        details = self.__dict__.get("_details")
        if details is None or name not in DETAILS:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        value = self.__dict__[name] = getattr(details, name)()
        return value

    def __dir__(self) -> list[str]:
        """List the details, too, which Python does not find before they are computed."""
        return sorted({*super().__dir__(), *DETAILS})

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def move_of(self, player: int) -> str:
        """Return the best move of one player, with or without simultaneous moves."""
        return self.best_joint[player if len(self.best_joint) > 1 else 0]

    def value_of(self, player: int) -> float | None:
        """Return the expected score of one player's best move; None if it was not tried."""
        chosen: RootStatistics | MoveStat | None
        if "_details" in self.__dict__:
            chosen = self.__dict__["_details"].choices[player]
        else:
            best = self.move_of(player)
            chosen = next((stat for stat in self.by_player[player] if stat.move == best), None)
        if chosen is None or not chosen.visits:
            return None
        return chosen.lower if chosen.lower >= chosen.upper else chosen.mean

    @property
    def playouts_per_second(self) -> float:
        """The speed of the search."""
        return self.playouts / self.seconds if self.seconds else 0.0

    @property
    def proof_text(self) -> str:
        """What is proven about the best move: "win in 7 plies", "score at least 0.5"; or empty.

        At simultaneous moves, about that of each player.
        """
        if len(self.best_joint) == 1:
            return proof_of_move(self.root_stats, self.best_joint[0])
        by_player = zip(self.best_joint, self.by_player.values(), strict=False)
        texts = [proof_of_move(stats, move) for move, stats in by_player]
        named = zip(self.player_names, texts, strict=False)
        return "; ".join(f"{name}: {text}" for name, text in named if text)

    @property
    def amaf_misleads(self) -> bool:
        """Whether AMAF orders the moves of the tree hardly better than chance."""
        return AmafOrder(self.amaf_agreement, self.amaf_rank).misleads

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values, under the names of `SearchResult` and `MoveStat`.

        Where players move simultaneously, `by_player` has the moves of each.
        """
        values: dict[str, Any] = {
            "best_move": self.best_move,
            "best_joint": list(self.best_joint),
            "value": self.value,
            "pv": list(self.pv),
            "root_stats": [stat.to_dict() for stat in self.root_stats],
            "playouts": self.playouts,
            "seconds": self.seconds,
            "playouts_per_second": self.playouts_per_second,
            "nodes": self.nodes,
            "amaf_tables": self.amaf_tables,
            "amaf_agreement": self.amaf_agreement,
            "amaf_rank": self.amaf_rank,
            "memory_mib": self.memory_mib,
            "memory_full": self.memory_full,
            "proven": self.proven,
            "bounds": [list(pair) for pair in self.bounds],
            "plies_left": self.plies_left if self.proven else None,
        }
        if len(self.by_player) > 1:
            values["by_player"] = [
                [stat.to_dict() for stat in stats] for stats in self.by_player.values()
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

    With `keep_tree` the result has a copy of the tree, made when it is read, and until then refers
    to the tree itself: `search` must be renewed before it runs again.
    """
    check_searchable(position)
    stop = clock.stop_of(search)
    run = search.run(position.state, position.history, clock.limits, derive(seed, 0), stop=stop)
    rule, moves, choices = search.spec.options.final_move, {}, {}
    for player in position.players_to_move:
        moves[player] = search.root_rows(player)
        if search.spec.options.reuse_tree:
            # A reused tree may contain moves that are no longer legal: Go's superko.
            moves[player] = legal_only(position, player, moves[player])
        choices[player] = choose_move(
            position, player, moves[player], rule, seed=derive(seed, 1, player)
        )
    details = RootDetails(search, position, moves, choices)
    if not keep_tree:
        details.leave_tree()
    return make_result(
        position,
        choices,
        root_proof(search.rules, run.tree),
        details=details,
        playouts=run.playouts,
        plies=run.plies,
        seconds=run.seconds,
        nodes=run.nodes,
        amaf_tables=run.tables,
        memory_mib=search.nbytes / MIB,
        memory_full=run.full,
    )


def check_searchable(position: Position) -> None:
    """Raise UsageError unless a player has to move."""
    if position.is_over:
        raise UsageError(f"the game of {position.game.name} is over: there is nothing to search.")
    if position.is_chance:
        outcomes = listed(list(position.outcomes))
        raise UsageError(
            f"chance decides here ({outcomes}): play an outcome first, as in position.roll()."
        )


class RootDetails:
    """What a result shows beside the best move: computed from the root's statistics and the tree.

    Texts of all moves and a copy of the tree take longer than a search of 100 playouts.
    """

    def __init__(
        self,
        search: Search,
        position: Position,
        moves: dict[int, RootRows],
        choices: dict[int, RootStatistics],
    ) -> None:
        self.choices = choices
        self._position = position
        self._moves = moves
        self._source: tuple[Rules, Tree] | None = (search.rules, search.tree)
        # Keeps the tree's buffers for later searches when both the search and the tree are gone.
        self._arena: TreeArena | None = search.arena
        self._variation: tuple[str, ...] = ()
        self._copy: SearchTree | None = None
        self._amaf_order: AmafOrder | None = None

    def settle(self) -> None:
        """Read all that is needed of the tree, so that it may change."""
        self.tree()
        self._order()
        self.leave_tree()

    def leave_tree(self) -> None:
        """Read the principal variation; the tree will not be available any more."""
        self._variation = self.pv()
        self._source = self._arena = None

    def __del__(self) -> None:
        self._source = None  # before the arena: it keeps only buffers that nothing refers to

    def root_stats(self) -> tuple[MoveStat, ...]:
        """Return the statistics of the first player's moves."""
        return self.by_player()[self._position.players_to_move[0]]

    def by_player(self) -> dict[int, tuple[MoveStat, ...]]:
        """Return the statistics of every player's moves."""
        return {
            player: sorted_stats(self._position.game, player, moves.statistics())
            for player, moves in self._moves.items()
        }

    def pv(self) -> tuple[str, ...]:
        """Return the principal variation."""
        if self._source is not None:
            chosen = self.choices[self._position.players_to_move[0]]
            best = chosen.code if chosen.visits else None
            format_move = self._position.game.format_move
            variation = principal_variation(*self._source, best)
            self._variation = tuple(format_move(player, code) for player, code in variation)
        return self._variation

    def tree(self) -> SearchTree | None:
        """Return a copy of the tree, if it was available."""
        if self._copy is None and self._source is not None:
            self._copy = copy_tree(*self._source, self._position)
        return self._copy

    def amaf_agreement(self) -> float | None:
        """Return how AMAF agrees with the means of the tree's moves, if it was available."""
        return self._order().agreement

    def amaf_rank(self) -> float | None:
        """Return the rank of the most visited moves by AMAF, if the tree was available."""
        return self._order().rank

    def _order(self) -> AmafOrder:
        if self._amaf_order is None:
            self._amaf_order = AmafOrder() if self._source is None else amaf_order(*self._source)
        return self._amaf_order


def legal_only(position: Position, player: int, moves: RootRows) -> RootRows:
    """Return those of the moves that are legal."""
    return moves.only(position.legal_codes_of(player))


def choose_move(
    position: Position, player: int, moves: RootRows, rule: str, seed: int
) -> RootStatistics:
    """Return a player's best move."""
    if chosen := moves.final_move(rule, seed):
        return chosen
    # With fewer than two playouts no root move was tried: take the first legal one.
    return RootStatistics(position.legal_codes_of(player)[0], 0, 0.0, 0, amaf_total=0.0)


def sorted_stats(game: Game, player: int, moves: list[RootStatistics]) -> tuple[MoveStat, ...]:
    """Return the statistics of a player's moves by visits."""
    moves = sorted(moves, key=lambda move: (-move.visits, -move.mean, move.code))
    weights = sum(move.weight for move in moves)
    return tuple(_move_stat(game, player, move, weights) for move in moves)


def make_result(
    position: Position,
    choices: dict[int, RootStatistics],
    proof: RootProof,
    *,
    details: RootDetails | None = None,
    **rest: Any,
) -> SearchResult:
    """Make a result from the best move of each player to move; DETAILS are in `rest` or later."""
    game, first = position.game, position.players_to_move[0]
    joint = tuple(game.format_move(player, chosen.code) for player, chosen in choices.items())
    move_object = game.display.move_object
    if proof.proven and proof.bounds[first][0] >= proof.bounds[first][1]:
        value = proof.bounds[first][0]
    else:
        value = choices[first].mean if choices[first].visits else UNKNOWN_VALUE
    values: dict[str, Any] = {
        "best_move": ",".join(joint),
        "best_joint": joint,
        "best_object": move_object(first, choices[first].code) if move_object else None,
        "value": value,
        "player_names": tuple(game.player_names[player] for player in choices),
        **proof._asdict(),
        **rest,
    }
    return SearchResult.with_details(details, **values) if details else SearchResult(**values)


def _move_stat(game: Game, player: int, move: RootStatistics, weights: float) -> MoveStat:
    return MoveStat(
        move=game.format_move(player, move.code),
        visits=move.visits,
        mean=move.mean,
        amaf=move.amaf_total / move.amaf_visits if move.amaf_visits else None,
        amaf_visits=move.amaf_visits,
        lower=move.lower,
        upper=move.upper,
        plies_left=move.plies_left,
        probability=move.weight / weights if weights else None,
    )


def proof_of_move(stats: Sequence[MoveStat], move: str) -> str:
    """Return what is proven about one of a player's moves; empty if nothing is."""
    return next((stat.proof_text for stat in stats if stat.move == move), "")


def bounds_text(lower: float, upper: float, plies: int) -> str:
    """Return proven bounds of a score in words; `plies` are those to the end of the game, or 0."""
    if lower < upper:
        parts = [f"at least {lower:g}"] if lower > LOWEST else []
        parts += [f"at most {upper:g}"] if upper < HIGHEST else []
        return f"score {' and '.join(parts)}" if parts else ""
    if lower in (LOWEST, HIGHEST):
        outcome = "win" if lower else "loss"
        return f"{outcome} in {plies} {'ply' if plies == 1 else 'plies'}" if plies else outcome
    return f"score {lower:g}"
