"""Interpret GDL rules by proof: what follows from them in one state, without grounding.

It plays games that are too large to ground. A query has some of its arguments bound; the clauses of
its relation are evaluated top-down from there (`clause_chain.py`) and the answers are memoised
(`tabling.py`): for good if they do not depend on the state, else until the state or the joint move
changes.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from graven.core.cancellation import raise_if_cancelled
from graven.core.errors import UsageError
from graven.gdl.language.kif_terms import Atom, Compound, Sheet
from graven.gdl.proof.argument_domains import RelationDomains
from graven.gdl.proof.clause_chain import Key, Query, picker
from graven.gdl.proof.proof_clauses import Relation, clauses_of
from graven.gdl.proof.recursion_limit import RecursionLimitGuard
from graven.gdl.proof.tabling import (
    NO_ANSWERS,
    AnswerLifetime,
    MemoisedQuery,
    QueryForm,
    RecursionGroup,
    TabledQuery,
)
from graven.gdl.proof.term_table import TermTable

MAX_QUERY_SECONDS = 60.0
"""The maximum time of one query."""
MAX_STATIC_ANSWERS = 4_000_000
"""The maximum number of memoised answers that do not depend on the state."""
MAX_TERMS = 20_000_000
"""The maximum number of different terms in all states."""
STEPS_PER_CHECK = 4000
"""The number of lookups and answers between two checks of the limits."""
RECURSION_LIMIT = 60_000
"""Python's recursion limit within a query: ten calls for each step along facts such as `succ`.

The frames of Python functions are not on the C stack, which therefore cannot overflow.
"""

LISTING_SECONDS = 1.0
"""The maximum time for listing the relations that do not depend on the state."""
MAX_LISTED_ROWS = 200_000
"""The maximum number of rows of a listed relation."""
DENSITY = 0.3
"""The estimated share of the possible rows that a relation has."""
TEST_COST = 0.3
"""The estimated number of answers of a goal without free arguments."""

GAME_RELATIONS: list[Relation] = [("legal", 2), ("next", 1), ("goal", 2), ("terminal", 0)]

_deep_recursion = RecursionLimitGuard(RECURSION_LIMIT)


class Prover:
    """Answers queries about a sheet, in one state at a time.

    A state is a set of term numbers (see `TermTable`); roles and moves are term numbers. A prover
    evaluates one query at a time: it is not thread-safe, but several provers may be used at once.
    """

    def __init__(self, sheet: Sheet) -> None:
        self.terms = TermTable()
        self.rules = clauses_of(sheet)
        self.deadline = 0.0
        self.query_name = ""
        self.countdown = [0]
        self._in_batch = False
        self._rows = {
            relation: list(
                dict.fromkeys(tuple(map(self.terms.number, fact.args)) for fact in facts)
            )
            for relation, facts in self.rules.facts.items()
        }
        self._row_indexes: dict[QueryForm, dict[Key, list[Key]]] = {}
        self._state: frozenset[int] = frozenset()
        self._joint: tuple[tuple[int, int], ...] = ()
        self._true_indexes: dict[Any, dict[Any, Any]] = {}
        self._does_indexes: dict[Any, dict[Any, Any]] = {}
        self._queries: dict[QueryForm, MemoisedQuery] = {}
        # Answers that depend on nothing, on the state, or on the joint move as well.
        self._static, self._of_state, self._of_move = (AnswerLifetime() for _ in range(3))
        self._groups: dict[int, RecursionGroup] = {}
        self.domains = RelationDomains(self.rules)
        self._listed: set[Relation] = set()
        self._distinct_values: dict[Relation, list[int]] = {}
        self.roles = tuple(map(self.terms.number, sheet.roles))
        self._list_static_relations()
        self._game_queries = {
            "init": self.query(("init", 1), ()),
            "legal": self.query(("legal", 2), (0,)),
            "next": self.query(("next", 1), ()),
            "goal": self.query(("goal", 2), (0,)),
            "terminal": self.query(("terminal", 0), ()),
        }
        self.initial = frozenset(self._answers("init", ()))

    def _list_static_relations(self) -> None:
        """Convert relations that do not depend on the state into facts, where that is fast.

        Facts are indexed, and their number helps to order goals.
        """
        end = time.perf_counter() + LISTING_SECONDS
        with _deep_recursion:
            for relation in self.rules.dependencies_first([("init", 1), *GAME_RELATIONS]):
                if relation in self.rules.state_dependent or relation in self.rules.must_be_bound:
                    continue
                self.deadline = min(end, time.perf_counter() + LISTING_SECONDS / 4)
                self.query_name = relation[0]
                try:
                    answers = self.query(relation, ())(())
                except (UsageError, RecursionError):
                    self._reset()
                    continue
                if len(answers) <= MAX_LISTED_ROWS:
                    rows = [(answer,) for answer in answers] if relation[1] == 1 else answers
                    self._rows[relation] = rows if relation[1] else ([()] if answers else [])
                    self._listed.add(relation)
        self._static.forget()

    # Queries about the game.

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Raise the recursion limit once for all queries of a `with` block, which is faster."""
        with _deep_recursion:
            self._in_batch = True
            try:
                yield
            finally:
                self._in_batch = False

    def at(self, state: frozenset[int]) -> None:
        """Set the state of the next queries."""
        if state != self._state:
            self._state = state
            self._true_indexes = {}
            self._of_state.forget()
            self._of_move.forget()
            if self._static.memoised > MAX_STATIC_ANSWERS:
                self._static.forget()

    def legal(self, role: int) -> list[int]:
        """Return the legal moves of a role."""
        self._set_joint_move(())
        return self._answers("legal", role)

    def goals(self, role: int) -> list[int]:
        """Return the goals of a role; a well-formed sheet has one in every terminal state."""
        self._set_joint_move(())
        return self._answers("goal", role)

    def terminal(self) -> bool:
        """Return whether the state is terminal."""
        self._set_joint_move(())
        return bool(self._answers("terminal", ()))

    def next(self, joint: Sequence[int]) -> frozenset[int]:
        """Return the state after a joint move, one term for each role."""
        self._set_joint_move(tuple(zip(self.roles, joint, strict=True)))
        return frozenset(self._answers("next", ()))

    def _set_joint_move(self, does: tuple[tuple[int, int], ...]) -> None:
        """Set the pairs (role, move) of `does`; none for a query about the state alone."""
        if does != self._joint:
            self._joint = does
            self._does_indexes = {}
            self._of_move.forget()

    def _answers(self, name: str, key: Key) -> list[Any]:
        raise_if_cancelled()
        self.deadline, self.query_name = time.perf_counter() + MAX_QUERY_SECONDS, name
        self.countdown[0] = 0
        try:
            if self._in_batch:
                return self._game_queries[name](key)
            with _deep_recursion:
                return self._game_queries[name](key)
        except RecursionError:
            self._reset()
            raise UsageError(f"the rules recurse too deep to evaluate {name!r}.") from None
        except BaseException:
            self._reset()
            raise

    def _reset(self) -> None:
        """Drop all answers and tables after a query that was not finished."""
        for lifetime in (self._static, self._of_state, self._of_move):
            lifetime.forget()
        for group in self._groups.values():
            group.clear()

    def check_limits(self) -> None:
        """Raise if the query is cancelled or takes too much time or memory; reset the countdown."""
        raise_if_cancelled()
        self.countdown[0] = STEPS_PER_CHECK
        late = time.perf_counter() > self.deadline
        if late or len(self.terms) > MAX_TERMS:
            limit = f"{MAX_QUERY_SECONDS:g} s" if late else f"{MAX_TERMS:,} terms"
            raise UsageError(f"evaluating {self.query_name!r} takes more than {limit}.")

    # Queries of clauses: see `clause_chain.QuerySource`.

    def query(self, relation: Relation, bound: tuple[int, ...]) -> Query:
        """Return the query of a relation with these arguments bound."""
        if relation == ("does", 2):
            return self._query_does(bound)
        form = QueryForm(relation, bound)
        if self._has_rows_only(relation):
            return self._query_facts(form)
        query = self._queries.get(form)
        if query is None:
            query = self._queries[form] = self._new_query(form)
        return query.ask

    def _new_query(self, form: QueryForm) -> MemoisedQuery:
        relation, rules = form.relation, self.rules
        lifetime = self._static
        if relation in rules.state_dependent:
            lifetime = self._of_move if relation in rules.move_dependent else self._of_state
        clauses = rules.clauses[relation]
        if relation not in rules.component:
            return MemoisedQuery(self, form, clauses, lifetime)
        group = self._groups.setdefault(rules.component[relation], RecursionGroup())
        return TabledQuery(self, form, clauses, lifetime, group=group)

    def _query_facts(self, form: QueryForm) -> Query:
        index = self._row_indexes.get(form)
        if index is None:
            rows = self._rows.get(form.relation, [])
            index = self._row_indexes[form] = index_rows(rows, form.bound, form.relation[1])
        get = index.get
        return lambda key: get(key, NO_ANSWERS)

    def query_true(self, function: tuple[int, int] | None, bound: tuple[int, ...]) -> Query:
        """Return the query of the state's terms with this function; None: of whole terms."""
        form = function, bound

        def true(key: Key) -> list[Key]:
            index = self._true_indexes.get(form)
            if index is None:
                index = self._true_indexes[form] = self._index_state(function, bound)
            return index.get(key, NO_ANSWERS)

        return true

    def _index_state(
        self, function: tuple[int, int] | None, bound: tuple[int, ...]
    ) -> dict[Key, list[Key]]:
        if function is None:
            return index_rows([(fact,) for fact in self._state], bound, 1)
        rows = self._true_indexes.get(None)
        if rows is None:
            rows = self._true_indexes[None] = {}
            parts = self.terms.parts
            for fact in self._state:
                row = parts[fact]
                if row:
                    rows.setdefault((row[0], len(row) - 1), []).append(row[1:])
        return index_rows(rows.get(function, NO_ANSWERS), bound, function[1])

    def _query_does(self, bound: tuple[int, ...]) -> Query:
        def does(key: Key) -> list[Key]:
            index = self._does_indexes.get(bound)
            if index is None:
                index = self._does_indexes[bound] = index_rows(self._joint, bound, 2)
            return index.get(key, NO_ANSWERS)

        return does

    def must_be_bound(self, goal: Atom) -> frozenset[int]:
        """Return the arguments that must be bound before the goal can be evaluated."""
        return self.rules.must_be_bound.get((goal.name, len(goal.args)), frozenset())

    def estimated_answers(self, goal: Atom, bound: Sequence[int]) -> float:
        """Estimate the number of answers of a goal with these arguments bound."""
        relation = goal.name, len(goal.args)
        inner = goal.args[0] if goal.args else None
        if relation in self._rows and self._has_rows_only(relation):
            rows = float(len(self._rows[relation]))
            for place in bound:
                rows /= self._distinct_count(relation, place)
            return rows if len(bound) < relation[1] else TEST_COST
        if relation == ("does", 2):
            return (1.5, 1.0, TEST_COST)[len(bound)] if 0 in bound or not bound else 1.2
        domains = self.domains.of(relation)
        if relation == ("true", 1) and isinstance(inner, Compound):
            domains = domains[0].functions.get((inner.name, len(inner.args)), [])
        combinations = 1.0
        for place, domain in enumerate(domains):
            if place not in bound:
                combinations *= max(domain.size(), 1)
        answers = 1 + DENSITY * (combinations - 1) if len(bound) < len(domains) else TEST_COST
        return answers + 0.5 if relation in self.rules.clauses else answers

    def _has_rows_only(self, relation: Relation) -> bool:
        return relation in self._listed or relation not in self.rules.clauses

    def _distinct_count(self, relation: Relation, place: int) -> int:
        """Return the number of different values of an argument of a relation with rows."""
        counts = self._distinct_values.get(relation)
        if counts is None:
            counts = [len(set(column)) for column in zip(*self._rows[relation], strict=True)]
            self._distinct_values[relation] = counts = counts or [1] * relation[1]
        return counts[place]


def index_rows(
    rows: Iterable[tuple[int, ...]], bound: tuple[int, ...], size: int
) -> dict[Key, list[Key]]:
    """Index rows by their bound arguments; the values are the free arguments of each row."""
    key = picker(bound)
    free = picker([place for place in range(size) if place not in bound])
    index: dict[Key, list[Key]] = {}
    for row in rows:
        index.setdefault(key(row), []).append(free(row))
    return index
