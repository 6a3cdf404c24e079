"""Memoised queries, and tabling for those that are recursive.

A query is a relation with some of its arguments bound. Its answers for each tuple of bound values
are memoised until what they depend on changes.

The queries of a strongly connected component of relations are tabled, as in SLG resolution: a goal
that is already being evaluated returns its answers so far, and the leader, the first goal of its
component, is evaluated in rounds until a fixpoint. Negation is stratified, so it never occurs
within a component, and answers are only ever added.
"""

from __future__ import annotations

from typing import NamedTuple

from graven.gdl.proof.clause_chain import Chain, Key, QuerySource, make_chain
from graven.gdl.proof.proof_clauses import ProofClause, Relation

PROVED: list[Key] = [()]
"""The answers of a goal without free arguments that was proved."""
NO_ANSWERS: list[Key] = []


class QueryForm(NamedTuple):
    """A relation, and which of its arguments are bound."""

    relation: Relation
    bound: tuple[int, ...]


class AnswerLifetime:
    """The queries whose answers are forgotten together, and how much they have memoised."""

    def __init__(self) -> None:
        self.queries: list[MemoisedQuery] = []
        self.memoised = 0

    def forget(self) -> None:
        """Forget all answers."""
        for query in self.queries:
            query.answers.clear()
        self.memoised = 0


class MemoisedQuery:
    """Evaluates a query form and memoises its answers."""

    def __init__(
        self,
        source: QuerySource,
        form: QueryForm,
        clauses: list[ProofClause],
        lifetime: AnswerLifetime,
    ) -> None:
        self.source = source
        self.form = form
        self.clauses = clauses
        self.lifetime = lifetime
        self.no_free = len(form.bound) == form.relation[1]  # one proof is enough
        self.answers: dict[Key, list[Key]] = {}
        self._chains: list[Chain] | None = None
        lifetime.queries.append(self)

    @property
    def chains(self) -> list[Chain]:
        """The compiled clauses; compiled at the first use, because a query may be recursive."""
        if self._chains is None:
            self._chains = [
                make_chain(self.source, clause, self.form.bound) for clause in self.clauses
            ]
        return self._chains

    def ask(self, key: Key) -> list[Key]:
        """Return the answers for these values of the bound arguments."""
        answers = self.answers.get(key)
        if answers is None:
            answers = self._prove(key)
            self._memoise(key, answers)
        return answers

    def _prove(self, key: Key) -> list[Key]:
        if self.no_free:
            for chain in self.chains:
                if chain(key, _stop_at_first):
                    return PROVED
            return NO_ANSWERS
        answers: dict[Key, None] = {}
        for chain in self.chains:
            chain(key, answers.setdefault)
        return list(answers)

    def _memoise(self, key: Key, answers: list[Key]) -> None:
        self.answers[key] = answers
        self.lifetime.memoised += len(answers) + 1


def _stop_at_first(answer: Key) -> bool:
    return True


class GoalTable:
    """The answers so far to a goal under evaluation, and the round of its last evaluation."""

    __slots__ = ("answers", "round")

    def __init__(self) -> None:
        self.answers: dict[Key, None] = {}
        self.round = 0


class RecursionGroup:
    """A strongly connected component of relations, and its goals under evaluation.

    `new_answers` counts the answers of all tables. `used_incomplete` is True if an incomplete table
    was read since the last reset: the reader's answers may be incomplete as well.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Drop all tables: no goal is under evaluation."""
        self.tables: dict[tuple[TabledQuery, Key], GoalTable] = {}
        self.round = 0
        self.new_answers = 0
        self.used_incomplete = False


class TabledQuery(MemoisedQuery):
    """A query of a relation that depends on itself, directly or through other relations."""

    def __init__(
        self,
        source: QuerySource,
        form: QueryForm,
        clauses: list[ProofClause],
        lifetime: AnswerLifetime,
        *,
        group: RecursionGroup,
    ) -> None:
        super().__init__(source, form, clauses, lifetime)
        self.group = group

    def ask(self, key: Key) -> list[Key]:
        """Return the answers for these values; those so far if the goal is under evaluation."""
        answers = self.answers.get(key)
        if answers is not None:
            return answers
        group = self.group
        table = group.tables.get((self, key))
        if table is None:
            is_leader = not group.tables
            table = group.tables[self, key] = GoalTable()
            return self._lead(key, table) if is_leader else self._follow(key, table)
        if table.round < group.round:
            return self._follow(key, table)
        group.used_incomplete = True
        return list(table.answers)

    def _lead(self, key: Key, table: GoalTable) -> list[Key]:
        """Evaluate the leader in rounds until a fixpoint, which completes all tables."""
        group = self.group
        while True:
            group.round += 1
            group.used_incomplete = False
            table.round, before = group.round, group.new_answers
            self._evaluate(key, table)
            if self.no_free and table.answers:
                # The leader is proved. The other tables may be incomplete: they are dropped.
                self._memoise(key, PROVED)
                break
            if not group.used_incomplete or group.new_answers == before:
                for (query, query_key), complete in group.tables.items():
                    query._memoise(query_key, list(complete.answers))
                break
        group.clear()
        return self.answers[key]

    def _follow(self, key: Key, table: GoalTable) -> list[Key]:
        """Evaluate a follower, once a round; complete if it read no incomplete table."""
        group = self.group
        table.round = group.round
        before, group.used_incomplete = group.used_incomplete, False
        self._evaluate(key, table)
        answers = list(table.answers)
        if not group.used_incomplete or (self.no_free and answers):
            self._memoise(key, answers)
            del group.tables[self, key]
            group.used_incomplete = before
        else:
            group.used_incomplete = True
        return answers

    def _evaluate(self, key: Key, table: GoalTable) -> None:
        answers, group, no_free = table.answers, self.group, self.no_free

        def report(answer: Key) -> bool:
            if answer not in answers:
                answers[answer] = None
                group.new_answers += 1
            return no_free

        for chain in self.chains:
            if chain(key, report):
                return
