"""Compile a clause to a chain of steps, for one choice of bound arguments.

A step is a small function that gets the values of the clause's variables in a list, `slots`, and
calls the next step once for each answer of its goal. It returns True if no further answers are
needed. Constants have slots too, so the bound arguments of a goal are always a selection of slots,
which one `itemgetter` reads. Values of one answer get adjacent slots, which one slice assignment
writes. A single value is a number, several are a tuple.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, Protocol

from graven.core.errors import UsageError
from graven.gdl.language.kif_terms import Atom, Compound, Distinct, Term, Variable, show
from graven.gdl.proof.proof_clauses import (
    Equal,
    Goal,
    Negation,
    ProofClause,
    Relation,
    relation_of,
    variables,
)
from graven.gdl.proof.term_table import TermTable

Slots = list[int]
Step = Callable[[Slots], Any]
Link = Callable[[Step], Step]
"""Makes a step from the step after it."""
Key = Any
"""Values of arguments: one number, or a tuple of none or several."""
Picker = Callable[[Sequence[int]], Key]
Query = Callable[[Key], list[Key]]
"""Returns, for values of the bound arguments, the values of the free arguments of each answer."""
Chain = Callable[[Key, Callable[[Key], Any]], Any]
"""`chain(bound values, report)` calls `report` with each answer until that returns True."""


class QuerySource(Protocol):
    """Supplies the queries that the goals of a clause evaluate."""

    terms: TermTable
    countdown: list[int]

    def check_limits(self) -> None:
        """Reset `countdown[0]`, which is below 0; raise if the evaluation exceeds its limits."""

    def query(self, relation: Relation, bound: tuple[int, ...]) -> Query:
        """Return the query of a relation with these arguments bound."""

    def query_true(self, function: tuple[int, int] | None, bound: tuple[int, ...]) -> Query:
        """Return the query of the state's terms with this function; None: of whole terms."""

    def estimated_answers(self, goal: Atom, bound: Sequence[int]) -> float:
        """Estimate the number of answers of a goal with these arguments bound."""

    def must_be_bound(self, goal: Atom) -> frozenset[int]:
        """Return the arguments that must be bound before the goal can be evaluated."""


def picker(places: Sequence[int]) -> Picker:
    """Return the function that selects these places of a row."""
    return itemgetter(*places) if places else lambda row: ()


def make_chain(source: QuerySource, clause: ProofClause, bound: tuple[int, ...]) -> Chain:
    """Compile a clause whose head has these arguments bound."""
    return ClauseCompiler(source, clause, bound).chain()


class ClauseCompiler:
    """Assigns the slots of a clause and orders its goals."""

    def __init__(self, source: QuerySource, clause: ProofClause, bound: tuple[int, ...]) -> None:
        self.source = source
        self.clause = clause
        self.bound = bound
        self.template: list[int] = []  # the slots at the start of a call: constants filled in
        self.slot_of: dict[Term, int] = {}  # bound terms
        self.links: list[Link] = []

    def chain(self) -> Chain:
        """Return the compiled clause."""
        args = self.clause.head.args
        bound_args = [args[place] for place in self.bound]
        self._unpack(bound_args)
        self._order_goals(list(self.clause.body))
        free = [self._slot(args[i]) for i in range(len(args)) if i not in self.bound]
        answer = picker(free)
        links, template, count = self.links, self.template, len(bound_args)

        # The caller's `report` function is in the last slot.
        def last(slots: Slots) -> Any:
            return slots[-1](answer(slots))  # type: ignore[operator]

        step: Step = last
        for link in reversed(links):
            step = link(step)

        if count == 1:

            def run_one(key: Key, report: Callable[[Key], Any]) -> Any:
                slots: list[Any] = [*template, report]
                slots[0] = key
                return step(slots)

            return run_one

        def run(key: Key, report: Callable[[Key], Any]) -> Any:
            slots: list[Any] = [*template, report]
            slots[:count] = key
            return step(slots)

        return run

    # The order of the goals.

    def _order_goals(self, goals: list[Goal]) -> None:
        """Add goals greedily, fewest estimated answers first; tests as soon as they are bound."""
        while goals:
            costs = [self._cost(goal, goals) for goal in goals]
            best = min(range(len(goals)), key=costs.__getitem__)
            if costs[best] == float("inf"):
                raise UsageError(
                    f"the rule for {show(self.clause.head)} is not safe: no goal binds the "
                    f"variables of {_shown(goals[best])}."
                )
            self._add(goals.pop(best))

    def _cost(self, goal: Goal, goals: list[Goal]) -> float:
        if not isinstance(goal, Atom):
            if isinstance(goal, Negation):
                # A variable that occurs nowhere else may stay free: it is quantified inside the
                # negation.
                rest = (sibling for sibling in goals if sibling is not goal)
                outside = {name for sibling in rest for name in variables(sibling)}
                outside |= {*variables(self.clause.head)}
                unbound = [name for name in self._free(goal) if name in outside]
                return float("inf") if unbound else 0.5
            if isinstance(goal, Equal):
                sides = self._free(goal.left), self._free(goal.right)
                return 0.0 if not all(sides) else float("inf")
            return 0.0 if not self._free(goal) else float("inf")
        if any(self._free(goal.args[place]) for place in self.source.must_be_bound(goal)):
            return float("inf")
        inner = goal.args[0] if goal.name == "true" and len(goal.args) == 1 else None
        args = inner.args if isinstance(inner, Compound) else goal.args
        bound = [place for place, arg in enumerate(args) if not self._free(arg)]
        return self.source.estimated_answers(goal, bound)

    def _free(self, part: Term | Goal) -> list[str]:
        """Return the names of the free variables."""
        return [name for name in variables(part) if Variable(name) not in self.slot_of]

    # Slots.

    def _new_slot(self, value: int = 0) -> int:
        self.template.append(value)
        return len(self.template) - 1

    def _slot(self, term: Term) -> int:
        """Return the slot of a bound term; add a step that builds a function if necessary."""
        slot = self.slot_of.get(term)
        if slot is not None:
            return slot
        if not self._free(term) and not [*variables(term)]:
            slot = self._new_slot(self.source.terms.number(term))
        elif isinstance(term, Compound) and not self._free(term):
            name = self._slot(term.name)
            slot = self._build([name, *map(self._slot, term.args)])
        else:
            raise UsageError(
                f"the rule for {show(self.clause.head)} is not safe: no goal binds {show(term)}."
            )
        self.slot_of[term] = slot
        return slot

    def _build(self, parts: list[int]) -> int:
        take, compound = picker(parts), self.source.terms.compound
        single = len(parts) == 1
        slot = self._new_slot()

        def link(then: Step) -> Step:
            def build(slots: Slots) -> Any:
                slots[slot] = compound((take(slots),) if single else take(slots))
                return then(slots)

            return build

        self.links.append(link)
        return slot

    def _unpack(self, terms: list[Term]) -> tuple[int, int]:
        """Reserve adjacent slots for values of these terms, and match the terms with them."""
        begin = len(self.template)
        self.template += [0] * len(terms)
        for slot, term in enumerate(terms, begin):
            self._match(term, slot)
        return begin, begin + len(terms)

    def _match(self, term: Term, slot: int) -> None:
        """Match a term with the value of a slot: bind its free variables, compare the rest."""
        if isinstance(term, Variable) and term not in self.slot_of:
            self.slot_of[term] = slot
        elif isinstance(term, Compound) and self._free(term):
            self._match_function(term, slot)
        else:
            self._compare(self._slot(term), slot, equal=True)

    def _compare(self, left: int, right: int, equal: bool) -> None:
        def link(then: Step) -> Step:
            if equal:
                return lambda slots: then(slots) if slots[left] == slots[right] else None
            return lambda slots: then(slots) if slots[left] != slots[right] else None

        self.links.append(link)

    def _match_function(self, term: Compound, slot: int) -> None:
        terms = self.source.terms
        parts, name, size = terms.parts, terms.constant(term.name), len(term.args) + 1
        begin = len(self.template)
        end = begin + len(term.args)

        def link(then: Step) -> Step:
            def unpack(slots: Slots) -> Any:
                row = parts[slots[slot]]
                if len(row) != size or row[0] != name:
                    return None
                slots[begin:end] = row[1:]
                return then(slots)

            return unpack

        self.links.append(link)
        self._unpack(list(term.args))

    # Steps.

    def _add(self, goal: Goal) -> None:
        if isinstance(goal, Distinct):
            self._compare(self._slot(goal.left), self._slot(goal.right), equal=False)
        elif isinstance(goal, Equal):
            bound, free = goal.left, goal.right
            if self._free(bound):
                bound, free = free, bound
            self._match(free, self._slot(bound))
        elif isinstance(goal, Negation):
            query, key, _ = self._query(goal.atom)
            self.links.append(_unless(query, key))
        else:
            query, key, free_args = self._query(goal)
            if not free_args:
                self.links.append(_if(query, key))
                return
            # The loop over the answers precedes the steps that match them.
            at = len(self.links)
            begin, end = self._unpack(free_args)
            self.links.insert(at, _for_each(self.source, query, key, slice(begin, end)))

    def _query(self, atom: Atom) -> tuple[Query, Picker, list[Term]]:
        """Return an atom's query, the picker of its bound values, and its free arguments."""
        args, inner = atom.args, atom.args[0] if atom.args else None
        is_true = atom.name == "true" and len(args) == 1
        function = None
        if is_true and isinstance(inner, Compound) and inner.args:
            function = self.source.terms.constant(inner.name), len(inner.args)
            args = inner.args
        bound = tuple(i for i, term in enumerate(args) if not self._free(term))
        key = picker([self._slot(args[i]) for i in bound])
        if is_true:
            query = self.source.query_true(function, bound)
        else:
            query = self.source.query(relation_of(atom), bound)
        return query, key, [term for i, term in enumerate(args) if i not in bound]


def _if(query: Query, key: Picker) -> Link:
    return lambda then: lambda slots: then(slots) if query(key(slots)) else None


def _unless(query: Query, key: Picker) -> Link:
    return lambda then: lambda slots: None if query(key(slots)) else then(slots)


def _for_each(source: QuerySource, query: Query, key: Picker, target: slice) -> Link:
    """Return the link that writes each answer to the slots of `target`."""
    countdown, check_limits = source.countdown, source.check_limits
    begin, end = target.start, target.stop

    def link(then: Step) -> Step:
        def one(slots: Slots) -> Any:
            answers = query(key(slots))
            countdown[0] -= 1 + len(answers)
            if countdown[0] < 0:
                check_limits()
            for slots[begin] in answers:
                if then(slots):
                    return True
            return None

        def several(slots: Slots) -> Any:
            answers = query(key(slots))
            countdown[0] -= 1 + len(answers)
            if countdown[0] < 0:
                check_limits()
            for slots[begin:end] in answers:
                if then(slots):
                    return True
            return None

        return one if end - begin == 1 else several

    return link


def _shown(goal: Goal) -> str:
    if isinstance(goal, Negation):
        return f"(not {show(goal.atom)})"
    if isinstance(goal, Equal):
        return f"(not (distinct {show(goal.left)} {show(goal.right)}))"
    return show(goal)
