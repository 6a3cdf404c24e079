"""An interpreter of GDL rules: what follows from them in one state, by proof, nothing grounded.

It plays what is too big to be grounded. A relation is asked with some of its arguments known; its
clauses are tried backwards from there (`clause_chain.py`), and every answer is remembered: for
good if it does not depend on the state, else until the state or the joint move changes.

A relation that can ask itself is tabled: a question that is already being answered gets the answers
so far, and the first one of its kind goes on until a whole round has brought nothing new. Negation
never lies on such a circle (GDL's rules are stratified), so answers only ever become more.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

from graven.core.cancellation import raise_if_cancelled
from graven.core.errors import UsageError
from graven.gdl.language.kif_reader import Atom, Compound, Sheet
from graven.gdl.proof.argument_domains import Domains
from graven.gdl.proof.clause_chain import Ask, Chain, Key, make_chain, picker
from graven.gdl.proof.proof_clauses import Relation, clauses_of
from graven.gdl.proof.recursion_limit import deep_recursion
from graven.gdl.proof.term_table import TermTable

STATIC, STATE, MOVE = range(3)
"""What answers depend on: nothing, the state, or the joint move as well."""

SECONDS = 60.0
"""The longest that one question may take."""
MOST_ANSWERS = 4_000_000
"""How many answers that do not depend on the state are remembered."""
MOST_TERMS = 20_000_000
"""How many different terms there may ever be."""
TICKS = 2000
"""Lookups between two looks at the clock."""

STATIC_SECONDS = 1.0
STATIC_ROWS = 200_000
"""What may be spent on listing the relations that do not depend on the state."""
FULL = 0.3
"""The share of the possible rows that a relation has, if nothing else is known."""

QUESTIONS: list[Relation] = [("legal", 2), ("next", 1), ("goal", 2), ("terminal", 0)]
YES: list[Key] = [()]
NO: list[Key] = []


class Prover:
    """What follows from a sheet, in one state at a time.

    States are sets of terms' numbers; roles and moves are such numbers.
    """

    def __init__(self, sheet: Sheet) -> None:
        self.terms = TermTable()
        self.rules = clauses_of(sheet)
        self.deadline = 0.0
        self.question = ""
        self.ticks = [0]
        self.remembered = 0
        self._rows = {
            relation: list(
                dict.fromkeys(tuple(map(self.terms.number, fact.args)) for fact in facts)
            )
            for relation, facts in self.rules.facts.items()
        }
        self._rows_by: dict[tuple[Relation, tuple[int, ...]], dict[Key, list[Key]]] = {}
        self._state: frozenset[int] = frozenset()
        self._joint: tuple[tuple[int, int], ...] = ()
        self._true_by: dict[Any, dict[Any, Any]] = {}
        self._does_by: dict[Any, dict[Any, Any]] = {}
        self._relations: dict[tuple[Relation, tuple[int, ...]], _Relation] = {}
        self._by_level: tuple[list[_Relation], ...] = ([], [], [])
        self._circles: dict[int, _Circle] = {}
        self.domains = Domains(self.rules)
        self._listed: set[Relation] = set()
        self._distinct: dict[Relation, list[int]] = {}
        self.roles = tuple(map(self.terms.number, sheet.roles))
        self._list_static()
        self._questions = {
            "init": self.ask(("init", 1), ()),
            "legal": self.ask(("legal", 2), (0,)),
            "next": self.ask(("next", 1), ()),
            "goal": self.ask(("goal", 2), (0,)),
            "terminal": self.ask(("terminal", 0), ()),
        }
        self.initial = frozenset(self._answers("init", ()))

    def _list_static(self) -> None:
        """Turn relations that do not depend on the state into facts, as far as that is quick.

        Facts are looked up at once, and their numbers tell in which order to ask.
        """
        end = time.perf_counter() + STATIC_SECONDS
        for relation in self.rules.below([("init", 1), *QUESTIONS]):
            if relation in self.rules.dynamic or relation in self.rules.needs:
                continue
            self.deadline = min(end, time.perf_counter() + STATIC_SECONDS / 4)
            self.question = relation[0]
            try:
                with deep_recursion():
                    answers = self.ask(relation, ())(())
            except (UsageError, RecursionError):
                self._start_over()
                continue
            if len(answers) <= STATIC_ROWS:
                rows = [(answer,) for answer in answers] if relation[1] == 1 else answers
                self._rows[relation] = rows if relation[1] else ([()] if answers else [])
                self._listed.add(relation)
        self._forget(STATIC)
        self.remembered = 0

    # Questions about the game.

    def at(self, state: frozenset[int]) -> None:
        """The state that the next questions are about."""
        if state != self._state:
            self._state = state
            self._true_by = {}
            self._forget(STATE)
            self._forget(MOVE)
            if self.remembered > MOST_ANSWERS:
                self._forget(STATIC)
                self.remembered = 0

    def legal(self, role: int) -> list[int]:
        """The moves of a role."""
        self._do(())
        return self._answers("legal", role)

    def goals(self, role: int) -> list[int]:
        """The goals of a role; a well made sheet has one in every terminal state."""
        self._do(())
        return self._answers("goal", role)

    def terminal(self) -> bool:
        """Whether the game is over."""
        self._do(())
        return bool(self._answers("terminal", ()))

    def next(self, joint: Sequence[int]) -> frozenset[int]:
        """The state after a joint move, one term for each role."""
        self._do(tuple(zip(self.roles, joint, strict=True)))
        return frozenset(self._answers("next", ()))

    def _do(self, does: tuple[tuple[int, int], ...]) -> None:
        """What everybody does; nothing while only the position is asked about."""
        if does != self._joint:
            self._joint = does
            self._does_by = {}
            self._forget(MOVE)

    def _answers(self, question: str, key: Key) -> list[Any]:
        raise_if_cancelled()
        self.deadline, self.question = time.perf_counter() + SECONDS, question
        self.ticks[0] = 0
        try:
            with deep_recursion():
                return self._questions[question](key)
        except RecursionError:
            self._start_over()
            raise UsageError(
                f"the rules lead too deep to prove what they say of {question!r}."
            ) from None
        except BaseException:
            self._start_over()
            raise

    def _forget(self, level: int) -> None:
        for relation in self._by_level[level]:
            relation.answers.clear()

    def _start_over(self) -> None:
        """After a question that was given up half way."""
        for level in (STATIC, STATE, MOVE):
            self._forget(level)
        for circle in self._circles.values():
            circle.clear()

    def pause(self) -> None:
        """Complain if the present question takes too long or too much memory, or nobody asks."""
        raise_if_cancelled()
        self.ticks[0] = TICKS
        late = time.perf_counter() > self.deadline
        if late or len(self.terms) > MOST_TERMS:
            what = f"more than {SECONDS:g} s" if late else f"more than {MOST_TERMS:,} terms"
            raise UsageError(f"it takes {what} to prove what the rules say of {self.question!r}.")

    # Who answers for relations: see `chain.Source`.

    def ask(self, relation: Relation, known: tuple[int, ...]) -> Ask:
        """A relation with these places known."""
        if relation == ("does", 2):
            return self._ask_does(known)
        if relation in self._listed or not self._derived(relation):
            return self._ask_facts(relation, known)
        asked = self._relations.get((relation, known))
        if asked is None:
            asked = self._relations[relation, known] = self._make(relation, known)
            self._by_level[asked.level].append(asked)
        return asked.ask

    def _make(self, relation: Relation, known: tuple[int, ...]) -> _Relation:
        level = STATIC
        if relation in self.rules.dynamic:
            level = MOVE if relation in self.rules.moving else STATE
        if relation not in self.rules.group:
            return _Relation(self, relation, known, level)
        circle = self._circles.setdefault(self.rules.group[relation], _Circle())
        return _Recursive(self, relation, known, level, circle)

    def _ask_facts(self, relation: Relation, known: tuple[int, ...]) -> Ask:
        by = self._rows_by.get((relation, known))
        if by is None:
            by = indexed(self._rows.get(relation, []), known, relation[1])
            self._rows_by[relation, known] = by
        get = by.get
        return lambda key: get(key, NO)

    def ask_true(self, function: tuple[int, int] | None, known: tuple[int, ...]) -> Ask:
        """The arguments of the state's terms with this function; None: the terms themselves."""
        name = function, known

        def true(key: Key) -> list[Key]:
            by = self._true_by.get(name)
            if by is None:
                by = self._true_by[name] = self._index_state(function, known)
            return by.get(key, NO)

        return true

    def _index_state(
        self, function: tuple[int, int] | None, known: tuple[int, ...]
    ) -> dict[Key, list[Key]]:
        if function is None:
            return indexed([(fact,) for fact in self._state], known, 1)
        rows = self._true_by.get(None)
        if rows is None:
            rows = self._true_by[None] = {}
            parts = self.terms.parts
            for fact in self._state:
                row = parts[fact]
                if row:
                    rows.setdefault((row[0], len(row) - 1), []).append(row[1:])
        return indexed(rows.get(function, NO), known, function[1])

    def _ask_does(self, known: tuple[int, ...]) -> Ask:
        def does(key: Key) -> list[Key]:
            by = self._does_by.get(known)
            if by is None:
                by = self._does_by[known] = indexed(self._joint, known, 2)
            return by.get(key, NO)

        return does

    def needs(self, goal: Atom) -> frozenset[int]:
        """Which arguments must be known before it can be asked."""
        return self.rules.needs.get((goal.name, len(goal.args)), frozenset())

    def size(self, goal: Atom, known: Sequence[int]) -> float:
        """How many answers a goal with these places known may have, roughly."""
        relation = goal.name, len(goal.args)
        inner = goal.args[0] if goal.args else None
        if relation in self._rows and (relation in self._listed or not self._derived(relation)):
            found = float(len(self._rows[relation]))
            for place in known:
                found /= self._column(relation, place)
            return found if len(known) < relation[1] else 0.3
        if relation == ("does", 2):
            return (1.5, 1.0, 0.3)[len(known)] if 0 in known or not known else 1.2
        places = self.domains.of(relation)
        if relation == ("true", 1) and isinstance(inner, Compound):
            places = places[0].functions.get((inner.name, len(inner.args)), [])
        found = 1.0
        for place, values in enumerate(places):
            if place not in known:
                found *= max(values.size(), 1)
        found = 1 + FULL * (found - 1) if len(known) < len(places) else 0.3
        return found + 0.5 if self._derived(relation) else found

    def _derived(self, relation: Relation) -> bool:
        return relation in self.rules.clauses

    def _column(self, relation: Relation, place: int) -> int:
        """How many different values a place of a listed relation has."""
        counts = self._distinct.get(relation)
        if counts is None:
            counts = [len(set(column)) for column in zip(*self._rows[relation], strict=True)]
            self._distinct[relation] = counts = counts or [1] * relation[1]
        return counts[place]


def indexed(
    rows: Iterable[tuple[int, ...]], known: tuple[int, ...], size: int
) -> dict[Key, list[Key]]:
    """Rows by their known places: the other places of each."""
    key = picker(known)
    rest = picker([place for place in range(size) if place not in known])
    by: dict[Key, list[Key]] = {}
    for row in rows:
        by.setdefault(key(row), []).append(rest(row))
    return by


class _Relation:
    """A relation asked with the same places known, and all that it has answered."""

    def __init__(
        self, prover: Prover, relation: Relation, known: tuple[int, ...], level: int
    ) -> None:
        self.prover = prover
        self.relation = relation
        self.known = known
        self.level = level
        self.test = len(known) == relation[1]  # nothing is left to find: one proof is enough
        self.answers: dict[Key, list[Key]] = {}
        self._chains: list[Chain] | None = None

    @property
    def chains(self) -> list[Chain]:
        """Its clauses, made ready when it is first asked: it may ask itself."""
        if self._chains is None:
            clauses = self.prover.rules.clauses[self.relation]
            self._chains = [make_chain(self.prover, clause, self.known) for clause in clauses]
        return self._chains

    def ask(self, key: Key) -> list[Key]:
        """The answers for these known arguments."""
        answers = self.answers.get(key)
        if answers is None:
            answers = self._prove(key)
            self._keep(key, answers)
        return answers

    def _prove(self, key: Key) -> list[Key]:
        if self.test:
            for chain in self.chains:
                if chain(key, _enough):
                    return YES
            return NO
        answers: dict[Key, None] = {}
        for chain in self.chains:
            chain(key, answers.setdefault)
        return list(answers)

    def _keep(self, key: Key, answers: list[Key]) -> None:
        self.answers[key] = answers
        if self.level == STATIC:
            self.prover.remembered += len(answers) + 1


def _enough(answer: Key) -> bool:
    return True


class _Table:
    """The answers so far to one question of a circle, and the round in which it was last asked."""

    __slots__ = ("answers", "round")

    def __init__(self) -> None:
        self.answers: dict[Key, None] = {}
        self.round = 0


class _Circle:
    """Relations that can ask each other, and the questions among them that are still open.

    `asked_open` says that an open question was asked since it was last set to False.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """No question is open."""
        self.tables: dict[tuple[_Recursive, Key], _Table] = {}
        self.round = 0
        self.found = 0
        self.asked_open = False


class _Recursive(_Relation):
    """A relation that can ask itself, if only through others."""

    def __init__(
        self,
        prover: Prover,
        relation: Relation,
        known: tuple[int, ...],
        level: int,
        circle: _Circle,
    ) -> None:
        super().__init__(prover, relation, known, level)
        self.circle = circle

    def ask(self, key: Key) -> list[Key]:
        """The answers for these known arguments; those so far if the question is still open."""
        answers = self.answers.get(key)
        if answers is not None:
            return answers
        circle = self.circle
        table = circle.tables.get((self, key))
        if table is None:
            first = not circle.tables
            table = circle.tables[self, key] = _Table()
            return self._lead(key, table) if first else self._follow(key, table)
        if table.round < circle.round:
            return self._follow(key, table)
        circle.asked_open = True
        return list(table.answers)

    def _lead(self, key: Key, table: _Table) -> list[Key]:
        """The first question of the circle: again and again until nothing new is found."""
        circle = self.circle
        while True:
            circle.round += 1
            circle.asked_open = False
            table.round, before = circle.round, circle.found
            self._try(key, table)
            if self.test and table.answers:
                # Proved, whatever else is still open.
                self._keep(key, YES)
                break
            if not circle.asked_open or circle.found == before:
                for (relation, each), found in circle.tables.items():
                    relation._keep(each, list(found.answers))
                break
        circle.clear()
        return self.answers[key]

    def _follow(self, key: Key, table: _Table) -> list[Key]:
        """A question on the way: once a round, and final if it asks no open one."""
        circle = self.circle
        table.round = circle.round
        before, circle.asked_open = circle.asked_open, False
        self._try(key, table)
        answers = list(table.answers)
        if not circle.asked_open or (self.test and answers):
            self._keep(key, answers)
            del circle.tables[self, key]
            circle.asked_open = before
        else:
            circle.asked_open = True
        return answers

    def _try(self, key: Key, table: _Table) -> None:
        answers, circle, test = table.answers, self.circle, self.test

        def found(answer: Key) -> bool:
            if answer not in answers:
                answers[answer] = None
                circle.found += 1
            return test

        for chain in self.chains:
            if chain(key, found):
                return
