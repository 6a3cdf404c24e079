"""Interpret GDL rules by proof: what follows from them in one state, without grounding.

It plays games that are too large to ground. A query has some of its arguments bound; the clauses of
its relation are compiled (`clause_code.py`) and evaluated top-down from there, and the answers are
memoised (`proof_kernel.py`): permanently if they do not depend on the state, else until the state
or the joint move changes.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

from graven.core.cancellation import raise_if_cancelled
from graven.core.errors import UsageError
from graven.gdl.language.kif_terms import Atom, Compound, Sheet
from graven.gdl.proof import proof_memory as layout
from graven.gdl.proof.argument_domains import RelationDomains
from graven.gdl.proof.clause_code import ClauseCode, compile_clause
from graven.gdl.proof.proof_clauses import Relation, clauses_of
from graven.gdl.proof.proof_program import ProofProgram, QueryForm, Row
from graven.gdl.proof.term_table import TermTable

MAX_QUERY_SECONDS = 60.0
"""The maximum time of one query."""
MAX_TERMS = 20_000_000
"""The maximum number of different terms in all states."""

LISTING_SECONDS = 1.0
"""The maximum time for listing the relations that do not depend on the state."""
MAX_LISTED_ROWS = 200_000
"""The maximum number of rows of a listed relation."""
DENSITY = 0.3
"""The estimated share of the possible rows that a relation has."""
TEST_COST = 0.3
"""The estimated number of answers of a goal without free arguments."""

GAME_RELATIONS: list[Relation] = [("legal", 2), ("next", 1), ("goal", 2), ("terminal", 0)]


class GameForms(NamedTuple):
    """The query forms of what a game consists of; `legal` and `goal` have the role bound."""

    next: int
    terminal: int
    legal: int
    goal: int


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
        self._rows: dict[Relation, list[Row]] = {
            relation: list(
                dict.fromkeys(tuple(map(self.terms.number, fact.args)) for fact in facts)
            )
            for relation, facts in self.rules.facts.items()
        }
        self._state: frozenset[int] = frozenset()
        self._joint: tuple[int, ...] = ()
        self._forms: dict[object, int] = {}
        self._relations: dict[int, Relation] = {}  # of forms with clauses
        groups = max(self.rules.component.values(), default=0) + 1
        self.program = ProofProgram(self.terms, groups, self._compile_form, self.check_limits)
        self.domains = RelationDomains(self.rules)
        self._listed: set[Relation] = set()
        self._distinct_values: dict[Relation, list[int]] = {}
        self.roles = tuple(map(self.terms.number, sheet.roles))
        self._list_static_relations()
        self.game_forms = GameForms(
            next=self.form(("next", 1), ()),
            terminal=self.form(("terminal", 0), ()),
            legal=self.form(("legal", 2), (0,)),
            goal=self.form(("goal", 2), (0,)),
        )
        self.initial = frozenset(self._ask("init", self.form(("init", 1), ())))

    def _list_static_relations(self) -> None:
        """Convert relations that do not depend on the state into facts, where that is fast.

        Facts are indexed, and their number helps to order goals.
        """
        end = time.perf_counter() + LISTING_SECONDS
        for relation in self.rules.dependencies_first([("init", 1), *GAME_RELATIONS]):
            if relation in self.rules.state_dependent or relation in self.rules.must_be_bound:
                continue
            self.deadline = min(end, time.perf_counter() + LISTING_SECONDS / 4)
            self.query_name = relation[0]
            try:
                values = self.program.ask(self.form(relation, ()))
            except UsageError:
                continue
            size = relation[1]
            if len(values) <= MAX_LISTED_ROWS * size:
                rows = [tuple(values[i : i + size]) for i in range(0, len(values), max(size, 1))]
                self._rows[relation] = rows
                self._listed.add(relation)
        self.program.forget()

    # Queries about the game.

    def at(self, state: frozenset[int]) -> None:
        """Set the state of the next queries."""
        if state != self._state:
            self._state = state
            self.program.set_state(state)

    def legal(self, role: int) -> list[int]:
        """Return the legal moves of a role."""
        self._set_joint_move(())
        return self._ask("legal", self.game_forms.legal, role)

    def goals(self, role: int) -> list[int]:
        """Return the goals of a role; a well-formed sheet has one in every terminal state."""
        self._set_joint_move(())
        return self._ask("goal", self.game_forms.goal, role)

    def terminal(self) -> bool:
        """Return whether the state is terminal."""
        self._set_joint_move(())
        return bool(self._ask("terminal", self.game_forms.terminal))

    def next(self, joint: Sequence[int]) -> frozenset[int]:
        """Return the state after a joint move, one term for each role."""
        pairs = zip(self.roles, joint, strict=True)
        self._set_joint_move(tuple(number for pair in pairs for number in pair))
        return frozenset(self._ask("next", self.game_forms.next))

    def _set_joint_move(self, does: tuple[int, ...]) -> None:
        """Set role, move, role, move, ...; nothing for a query about the state alone."""
        if does != self._joint:
            self._joint = does
            self.program.set_joint(does)

    def _ask(self, name: str, form: int, key: int = 0) -> list[int]:
        self.begin_query(name)
        return self.program.ask(form, key)

    def begin_query(self, name: str) -> None:
        """Start the time limit of a query."""
        raise_if_cancelled()
        self.deadline, self.query_name = time.perf_counter() + MAX_QUERY_SECONDS, name

    def check_limits(self) -> None:
        """Raise if the query is cancelled or takes too much time or memory."""
        raise_if_cancelled()
        late = time.perf_counter() > self.deadline
        if late or len(self.terms) > MAX_TERMS:
            limit = f"{MAX_QUERY_SECONDS:g} s" if late else f"{MAX_TERMS:,} terms"
            raise UsageError(
                f"evaluating {self.query_name!r} takes more than {limit}. Do the rules recurse "
                "without end? See 'graven gdl check'."
            )

    # Query forms: see `clause_code.QueryForms`.

    def form(self, relation: Relation, bound: tuple[int, ...]) -> int:
        """Return the query form of a relation with these arguments bound."""
        has_rows_only = self._has_rows_only(relation)
        number = self._forms.get((relation, bound, has_rows_only))
        if number is None:
            number = self.program.add_form(self._new_form(relation, bound))
            self._forms[relation, bound, has_rows_only] = number
            self._relations[number] = relation
        return number

    def _new_form(self, relation: Relation, bound: tuple[int, ...]) -> QueryForm:
        free = tuple(place for place in range(relation[1]) if place not in bound)
        rules = self.rules
        if relation == ("does", 2):
            return QueryForm(layout.DOES, layout.OF_MOVE, bound, free)
        if self._has_rows_only(relation):
            rows = self._rows.get(relation, [])
            return QueryForm(layout.FACTS, layout.STATIC, bound, free, rows=rows)
        lifetime = layout.STATIC
        if relation in rules.state_dependent:
            is_of_move = relation in rules.move_dependent
            lifetime = layout.OF_MOVE if is_of_move else layout.OF_STATE
        group = rules.component.get(relation, -1)
        return QueryForm(layout.CLAUSES, lifetime, bound, free, group)

    def _compile_form(self, number: int) -> list[ClauseCode]:
        """Compile the clauses of a form."""
        clauses = self.rules.clauses[self._relations[number]]
        bound = self.program.forms[number].bound
        return [compile_clause(self, clause, bound) for clause in clauses]

    def form_true(self, function: tuple[int, int] | None, bound: tuple[int, ...]) -> int:
        """Return the form of the state's terms with this function; None: of whole terms."""
        number = self._forms.get((function, bound))
        if number is None:
            size = 1 if function is None else function[1]
            free = tuple(place for place in range(size) if place not in bound)
            form = QueryForm(layout.TRUE, layout.OF_STATE, bound, free, function=function)
            number = self._forms[function, bound] = self.program.add_form(form)
        return number

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
