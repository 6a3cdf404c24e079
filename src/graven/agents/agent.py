"""An agent: a spec that can search any position of any game, and a player that keeps its tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from graven.agents.result_html import search_table
from graven.agents.spec import Own, parse
from graven.agents.user_policies import given_policies
from graven.core.errors import UsageError
from graven.core.game import Game, Position
from graven.core.rng import derive
from graven.search import result
from graven.search.budget import Budget
from graven.search.engine import Search, Stop
from graven.search.policy import Policy
from graven.search.specs import Spec

DEFAULT_BUDGET = Budget(playouts=1000)


@dataclass(frozen=True)
class MoveStat:
    """What a search found out about one move. `amaf` is None where no AMAF value is known."""

    move: str
    visits: int
    mean: float
    amaf: float | None
    amaf_visits: int


@dataclass(frozen=True)
class SearchResult:
    """The result of a search.

    `best_move` is the move to play (a tuple of moves where all players move at once), `value` the
    mean score of the player to move, `root_stats` its moves by playouts, `pv` what is expected to
    follow. `plies` are those of all playouts, `amaf_tables` is the number of AMAF tables;
    `memory_full` is true if the tree reached its memory limit.
    """

    best_move: str | tuple[str, ...]
    value: float
    root_stats: tuple[MoveStat, ...]
    by_player: dict[int, tuple[MoveStat, ...]]
    pv: tuple[str, ...]
    playouts: int
    plies: int
    seconds: float
    nodes: int
    amaf_tables: int
    memory_mib: float
    memory_full: bool

    def move_of(self, player: int) -> str:
        """The best move of one player, whether others move at the same time or not."""
        return self.best_move if isinstance(self.best_move, str) else self.best_move[player]

    def value_of(self, player: int) -> float | None:
        """What one player can expect of the move to play; None if it has not been tried."""
        best = self.move_of(player)
        return next((s.mean for s in self.by_player[player] if s.move == best and s.visits), None)

    @property
    def playouts_per_second(self) -> float:
        """How fast it was."""
        return self.playouts / self.seconds if self.seconds else 0.0

    def _repr_html_(self) -> str:
        """A table, for notebooks."""
        return search_table(self)


class Agent:
    """A way to play, made from a spec such as `grave(ref=50,bias=1e-4)`.

    The spec may name policies in Python files, and `policies` that are given here, as in a
    notebook.
    """

    policies: tuple[Policy, ...] = ()

    def __init__(self, spec: str | Spec, policies: Own = ()) -> None:
        self.policies = given_policies(policies)
        self._spec = spec if isinstance(spec, Spec) else parse(spec, True, self.policies)

    @property
    def spec(self) -> str:
        """The spec in canonical form."""
        return self._spec.text

    @property
    def budget(self) -> Budget:
        """The budget inside the spec, which may be none."""
        return self._spec.budget

    def __repr__(self) -> str:
        return f"<Agent {self.spec}>"

    @property
    def search_spec(self) -> Spec:
        """The parsed spec: policies, values of their parameters, and options."""
        return self._spec

    def with_options(self, **changes: Any) -> Agent:
        """Return the same agent with other search options (see `SearchOptions`)."""
        return Agent(self._spec.with_options(**changes))

    def bind(self, game: Game, memory: int | None = None) -> Search:
        """Return a search in this game, with its own tree of at most `memory` MiB."""
        spec = self._spec
        if memory is not None:
            if memory < 1:
                raise UsageError(f"memory must be at least 1 MiB, not {memory}.")
            spec = spec.with_options(memory_mib=memory)
        playout = spec.playout.game_playout
        return Search(game.name, game.rules_with(playout) if playout else game.rules, spec)

    def search(
        self,
        position: Position,
        playouts: int | None = None,
        seconds: float | None = None,
        seed: int = 0,
        stop: Stop | None = None,
        memory: int | None = None,
    ) -> SearchResult:
        """Search a position: for so many playouts, or seconds, or until `stop` is set."""
        if not isinstance(position, Position):
            raise UsageError(f"{position!r} is no position: a game's first is game.start().")
        budget = self.budget_or(Budget(playouts, seconds))
        return find_move(self.bind(position.game, memory), position, budget, seed, stop)

    def player(
        self, seed: int = 0, playouts: int | None = None, seconds: float | None = None
    ) -> Player:
        """A player for one game, which keeps its tree between moves with reuse_tree=true."""
        return Player(self, seed, self.budget_or(Budget(playouts, seconds)))

    def budget_or(self, other: Budget) -> Budget:
        """The spec's own budget, else the other, else the usual one."""
        if self.budget.is_limited:
            return self.budget
        return other if other.is_limited else DEFAULT_BUDGET


class Player:
    """An agent in the course of one game."""

    def __init__(self, agent: Agent, seed: int, budget: Budget) -> None:
        self.agent = agent
        self.seed = seed
        self.budget = budget
        self._search: Search | None = None
        self._game: Game | None = None

    def choose(self, position: Position, stop: Stop | None = None) -> SearchResult:
        """The move to play here; its seed is the player's and the ply's."""
        if self._search is None or self._game is not position.game:
            self._search, self._game = self.agent.bind(position.game), position.game
        seed = derive(self.seed, position.ply)
        return find_move(self._search, position, self.budget, seed, stop)


def find_move(
    search: Search, position: Position, budget: Budget, seed: int, stop: Stop | None
) -> SearchResult:
    """Run a search and say in words what it found."""
    game = position.game
    if position.is_over:
        raise UsageError(f"the game of {game.name} is over: there is nothing to search.")
    run = search.run(position.state, position.history, budget, derive(seed, 0), stop)
    best: list[str] = []
    by_player: dict[int, tuple[MoveStat, ...]] = {}
    value = 0.0
    for player in position.players_to_move:
        # A kept tree may know moves that are not legal any more: Go's superko.
        legal = frozenset(position.legal_codes_of(player))
        moves = [
            move
            for move in result.root_statistics(search.rules, run.tree, player)
            if move.code in legal
        ]
        rule = search.spec.options.final_move
        chosen = result.final_move(moves, rule, derive(seed, 1, player))
        if chosen is None:
            # Fewer than two playouts: the root's moves have not been tried. Take the first.
            code, mean = position.legal_codes_of(player)[0], 0.5
        else:
            code, mean = chosen.code, chosen.mean
        best.append(game.format_move(player, code))
        value = mean if player == position.players_to_move[0] else value
        moves.sort(key=lambda move: (-move.visits, -move.mean, move.code))
        by_player[player] = tuple(_stat(game, player, move) for move in moves)
    best_code = chosen.code if chosen else None
    line = result.principal_variation(search.rules, run.tree, best_code)
    return SearchResult(
        best_move=best[0] if len(best) == 1 else tuple(best),
        value=value,
        root_stats=by_player[position.players_to_move[0]],
        by_player=by_player,
        pv=tuple(game.format_move(player, code) for player, code in line),
        playouts=run.playouts,
        plies=run.plies,
        seconds=run.seconds,
        nodes=run.nodes,
        amaf_tables=run.tables,
        memory_mib=search.arena.nbytes / (1 << 20),
        memory_full=run.full,
    )


def _stat(game: Game, player: int, move: result.RootStatistics) -> MoveStat:
    amaf = move.amaf_total / move.amaf_visits if move.amaf_visits else None
    text = game.format_move(player, move.code)
    return MoveStat(text, move.visits, move.mean, amaf, move.amaf_visits)
