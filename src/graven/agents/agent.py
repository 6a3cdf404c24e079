"""Agents: ways to play, each written as a spec, that make players for any game."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

from graven.agents.move_clock import DEFAULT_BUDGET, MoveClock
from graven.agents.player import Player, SearchPlayer
from graven.agents.search_result import RootDetails, SearchResult, find_move
from graven.agents.spec_parser import Policies, parse
from graven.agents.streaming import stream_results
from graven.agents.user_policies import given_policies
from graven.core.errors import UsageError
from graven.core.game import Game, GameOutline
from graven.core.number_checks import whole_value
from graven.core.position import Position
from graven.search.budget import Budget
from graven.search.new_search import new_search
from graven.search.policy import Policy
from graven.search.runner import Search, Stop
from graven.search.specs import Spec


class Agent(Protocol):
    """A way to play: our search, a GTP program or an OpenSpiel bot."""

    @property
    def spec(self) -> str:
        """The spec in canonical form."""

    @property
    def budget(self) -> Budget:
        """The budget inside the spec; empty if the spec has none."""

    def budget_or(self, default: Budget) -> Budget:
        """Return the budget of a move in an experiment whose budget is `default`."""

    def check_match(self, game: Game | GameOutline) -> None:
        """Raise a UsageError if the agent cannot play recorded matches of this game."""

    def player(self, game: Game, seed: int = 0) -> Player:
        """Make a player for one seat of one game."""

    def search(
        self,
        position: Position,
        playouts: int | None = None,
        seconds: float | None = None,
        *,
        seed: int = 0,
        stop: Stop | None = None,
        memory: int | None = None,
    ) -> SearchResult:
        """Search a position; agents that only play games raise a UsageError."""

    def analyze(
        self,
        position: Position,
        playouts: int | None = None,
        seconds: float | None = None,
        *,
        every: float = 0.5,
        seed: int = 0,
        stop: Stop | None = None,
        memory: int | None = None,
    ) -> Iterator[SearchResult]:
        """Search a position and yield results meanwhile; as `search` otherwise."""


def spec_budget_or(own: Budget, default: Budget) -> Budget:
    """Return the budget of a spec if it has one, else `default`, else 1,000 playouts."""
    if own.is_limited:
        return own
    return default if default.is_limited else DEFAULT_BUDGET


class IdleSearch(NamedTuple):
    """A finished search of a game, whose memory and compiled code the next one can use."""

    game: Game
    memory: int | None
    search: Search
    details: weakref.ref[RootDetails]  # of its result, which may refer to the search's tree


class SearchAgent:
    """Our Monte Carlo tree search, made from a spec such as `grave(ref=50,bias=1e-4)`.

    The spec may name policies in Python files and, as in a notebook, those in `policies`.
    """

    policies: tuple[Policy, ...] = ()

    def __init__(self, spec: str | Spec, policies: Policies = ()) -> None:
        self.policies = given_policies(policies)
        self._spec = spec if isinstance(spec, Spec) else parse(spec, True, self.policies)
        self._idle: list[IdleSearch] = []

    @property
    def spec(self) -> str:
        """The spec in canonical form."""
        return self._spec.text

    @property
    def budget(self) -> Budget:
        """The budget inside the spec; empty if the spec has none."""
        return self._spec.budget

    def __repr__(self) -> str:
        return f"<SearchAgent {self.spec}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SearchAgent):
            return NotImplemented
        return self.spec == other.spec and self.policies == other.policies

    def __hash__(self) -> int:
        return hash(self.spec)

    def __reduce__(self) -> tuple[Any, ...]:
        return SearchAgent, (self.spec, self.policies)

    @property
    def search_spec(self) -> Spec:
        """The parsed spec: policies, values of their parameters, and options."""
        return self._spec

    def with_options(self, **changes: Any) -> SearchAgent:
        """Return the same agent with other search options (see `SearchOptions`)."""
        changed = SearchAgent(self._spec.with_options(**changes))
        changed.policies = self.policies
        return changed

    def bind(self, game: Game, memory: int | None = None) -> Search:
        """Make a search of this game with a new tree of at most `memory` MiB."""
        spec = self._spec
        if memory is not None:
            memory = whole_value("memory", memory)
            if memory < 1:
                raise UsageError(f"memory must be at least 1 MiB, got {memory}.")
            spec = spec.with_options(memory_mib=memory)
        if spec.options.threads > 1 and game.in_python:
            raise UsageError(
                f"threads={spec.options.threads}: the rules of {game.name} run in Python, which "
                "only one thread at a time can do; leave threads out."
            )
        playout = spec.playout.game_playout
        batches = spec.batch_functions
        if batches and game.functions.by_name()[batches[0]]:
            return new_search(game.name, game.with_batches(game.rules, batches), spec)
        if spec.calls_rollout:
            return new_search(game.name, game.playout_rules(playout), spec)
        rules = game.rules_with(playout) if playout else game.rules
        functions = game.playout_functions(playout)
        if functions and not spec.playout.policy.features:
            functions.pop("playout_moves_with_features", None)
        return new_search(game.name, rules, spec, functions)

    def search(
        self,
        position: Position,
        playouts: int | None = None,
        seconds: float | None = None,
        *,
        seed: int = 0,
        stop: Stop | None = None,
        memory: int | None = None,
        cluster: str | None = None,
    ) -> SearchResult:
        """Search a position until the playouts or seconds are spent or `stop` is set.

        The budget inside the spec, if it has one, replaces the given one; without any budget the
        search has 1,000 playouts. With `cluster`, the address of a Dask scheduler, all its workers
        search, each with its own tree: see `cluster_search`.
        """
        clock = self._clock(position, playouts, seconds, stop)
        if cluster is not None:
            from graven.agents.cluster_search import search_on_cluster

            agent = self if memory is None else self.with_options(memory_mib=memory)
            return search_on_cluster(agent, position, clock, seed, address=cluster)
        search = self._new_search(position.game, memory)
        result = find_move(search, position, clock, seed, keep_tree=True)
        if not self._has_user_policies:
            details = weakref.ref(result.__dict__["_details"])
            self._idle[:] = [IdleSearch(position.game, memory, search, details)]
        return result

    def analyze(
        self,
        position: Position,
        playouts: int | None = None,
        seconds: float | None = None,
        *,
        every: float = 0.5,
        seed: int = 0,
        stop: Stop | None = None,
        memory: int | None = None,
    ) -> Iterator[SearchResult]:
        """Search as `search` does, and yield a result every `every` seconds meanwhile.

        The last result is the one that `search` returns, with the tree. Leaving the loop ends the
        search.
        """
        clock = self._clock(position, playouts, seconds, stop)
        return stream_results(self.bind(position.game, memory), position, clock, seed, every=every)

    def _clock(
        self, position: Position, playouts: int | None, seconds: float | None, stop: Stop | None
    ) -> MoveClock:
        if not isinstance(position, Position):
            raise UsageError(
                f"{position!r} is not a position: a game's first position is game.start()."
            )
        return MoveClock(self.budget_or(Budget(playouts, seconds)), stop)

    def _new_search(self, game: Game, memory: int | None) -> Search:
        """Return a search with a new tree: the last one, if it was of the same game, or another."""
        try:
            idle = self._idle.pop()  # of several threads only one gets it
        except IndexError:
            return self.bind(game, memory)
        if (details := idle.details()) is not None:
            details.settle()
        if idle.game is not game or idle.memory != memory:
            return self.bind(game, memory)
        idle.search.renew()
        return idle.search

    @property
    def _has_user_policies(self) -> bool:
        """Whether a policy is user-defined: it may name values that have changed since."""
        spec = self._spec
        return bool(self.policies or spec.tree.digest or spec.playout.policy.digest)

    def player(self, game: Game, seed: int = 0) -> SearchPlayer:
        """Make a player that keeps its tree between moves if the spec has reuse_tree=true."""
        return SearchPlayer(self, game, seed)

    @property
    def code_key(self) -> object:
        """A key of the compiled code that its searches need, equal where the code is the same."""
        spec = self._spec
        ways = spec.ref is None, bool(spec.tuned), bool(spec.inner)
        return spec.formula, spec.playout.variant, *ways

    def budget_or(self, default: Budget) -> Budget:
        """Return the spec's budget, else `default`, else 1,000 playouts."""
        return spec_budget_or(self.budget, default)

    def check_match(self, game: Game | GameOutline) -> None:
        """Refuse policies that workers cannot read and stores cannot name."""
        if not all(policy.digest for policy in self.policies):
            raise UsageError(
                f"{self.spec}: an experiment needs user-defined policies in a file, as in "
                "./mine.py:tree; gv.match with workers=1 also takes policies=[...]."
            )
