"""Compile a clause to instructions of `proof_kernel`, for one choice of bound arguments.

The variables of a clause are numbers in slots. An operand is a slot, or ~c for the term c, so that
the bound arguments of a goal are a list of operands. The values of one answer get adjacent slots.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from graven.core.errors import UsageError
from graven.gdl.language.kif_terms import Atom, Compound, Distinct, Term, Variable, show
from graven.gdl.proof import proof_memory as layout
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

Operand = int
"""A slot, or ~c for the term c."""
NOWHERE = -1
"""The fail address of an instruction without a loop before it: the clause has no more answers."""


class QueryForms(Protocol):
    """Supplies the query forms of the goals of a clause."""

    terms: TermTable

    def form(self, relation: Relation, bound: tuple[int, ...]) -> int:
        """Return the query form of a relation with these arguments bound."""

    def form_true(self, function: tuple[int, int] | None, bound: tuple[int, ...]) -> int:
        """Return the form of the state's terms with this function; None: of whole terms."""

    def estimated_answers(self, goal: Atom, bound: Sequence[int]) -> float:
        """Estimate the number of answers of a goal with these arguments bound."""

    def must_be_bound(self, goal: Atom) -> frozenset[int]:
        """Return the arguments that must be bound before the goal can be evaluated."""


class ClauseCode(NamedTuple):
    """The instructions of a clause, and how many slots they use.

    The second number of an instruction is its fail address, relative to the clause.
    """

    instructions: list[list[int]]
    slots: int

    def placed(self, at: int) -> list[int]:
        """Return the code for a clause that begins at `at`."""
        code: list[int] = []
        fail = NOWHERE
        for instruction in self.instructions:
            kind, _, *operands = instruction
            code += [kind, fail, *operands]
            if kind == layout.NEXT:
                fail = at + len(code) - len(instruction)
        return code


def compile_clause(forms: QueryForms, clause: ProofClause, bound: tuple[int, ...]) -> ClauseCode:
    """Compile a clause whose head has these arguments bound."""
    return ClauseCompiler(forms, clause, bound).code()


class ClauseCompiler:
    """Assigns the slots of a clause and orders its goals."""

    def __init__(self, forms: QueryForms, clause: ProofClause, bound: tuple[int, ...]) -> None:
        self.forms = forms
        self.clause = clause
        self.bound = bound
        self.slots = 0
        self.operand_of: dict[Term, Operand] = {}  # bound terms
        self.instructions: list[list[int]] = []

    def code(self) -> ClauseCode:
        """Return the compiled clause."""
        args = self.clause.head.args
        self._unpack([args[place] for place in self.bound])
        self._order_goals(list(self.clause.body))
        free = [self._operand(args[i]) for i in range(len(args)) if i not in self.bound]
        self._emit(layout.REPORT, len(free), *free)
        return ClauseCode(self.instructions, self.slots)

    def _emit(self, kind: int, *operands: int) -> None:
        self.instructions.append([kind, NOWHERE, *operands])

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
        if any(self._free(goal.args[place]) for place in self.forms.must_be_bound(goal)):
            return float("inf")
        inner = goal.args[0] if goal.name == "true" and len(goal.args) == 1 else None
        args = inner.args if isinstance(inner, Compound) else goal.args
        bound = [place for place, arg in enumerate(args) if not self._free(arg)]
        return self.forms.estimated_answers(goal, bound)

    def _free(self, part: Term | Goal) -> list[str]:
        """Return the names of the free variables."""
        return [name for name in variables(part) if Variable(name) not in self.operand_of]

    # Operands.

    def _operand(self, term: Term) -> Operand:
        """Return the operand of a bound term; emit the instruction that builds a function."""
        operand = self.operand_of.get(term)
        if operand is not None:
            return operand
        if not [*variables(term)]:
            operand = ~self.forms.terms.number(term)
        elif isinstance(term, Compound) and not self._free(term):
            name = ~self.forms.terms.constant(term.name)
            parts = [name, *map(self._operand, term.args)]
            operand = self._reserve(1)
            self._emit(layout.BUILD, operand, len(parts), *parts)
        else:
            raise UsageError(
                f"the rule for {show(self.clause.head)} is not safe: no goal binds {show(term)}."
            )
        self.operand_of[term] = operand
        return operand

    def _reserve(self, count: int) -> int:
        """Reserve `count` slots; return the first."""
        self.slots += count
        return self.slots - count

    def _unpack(self, terms: list[Term]) -> int:
        """Reserve adjacent slots for values of these terms, and match the terms with them."""
        begin = self._reserve(len(terms))
        for slot, term in enumerate(terms, begin):
            self._match(term, slot)
        return begin

    def _match(self, term: Term, operand: Operand) -> None:
        """Match a term with a value: bind its free variables, compare the rest."""
        if isinstance(term, Variable) and term not in self.operand_of:
            self.operand_of[term] = operand
        elif isinstance(term, Compound) and self._free(term):
            name, target = self.forms.terms.constant(term.name), self.slots
            self._emit(layout.UNPACK, operand, name, len(term.args), target)
            self._unpack(list(term.args))
        else:
            self._emit(layout.EQUAL, self._operand(term), operand)

    # Goals.

    def _add(self, goal: Goal) -> None:
        if isinstance(goal, Distinct):
            self._emit(layout.DIFFER, self._operand(goal.left), self._operand(goal.right))
        elif isinstance(goal, Equal):
            bound, free = goal.left, goal.right
            if self._free(bound):
                bound, free = free, bound
            self._match(free, self._operand(bound))
        elif isinstance(goal, Negation):
            form, key, _ = self._query(goal.atom)
            self._emit(layout.UNLESS, form, 0, *key)
        else:
            form, key, free_args = self._query(goal)
            if not free_args:
                self._emit(layout.IF, form, 0, *key)
                return
            cursor = self._reserve(1)
            self._emit(layout.LOOP, form, cursor, *key)
            self._emit(layout.NEXT, cursor, self.slots, len(free_args))
            self._unpack(free_args)

    def _query(self, atom: Atom) -> tuple[int, list[Operand], list[Term]]:
        """Return an atom's query form, the operands of its bound arguments, and the free ones."""
        args, inner = atom.args, atom.args[0] if atom.args else None
        is_true = atom.name == "true" and len(args) == 1
        function = None
        if is_true and isinstance(inner, Compound) and inner.args:
            function = self.forms.terms.constant(inner.name), len(inner.args)
            args = inner.args
        bound = tuple(i for i, term in enumerate(args) if not self._free(term))
        key = [self._operand(args[i]) for i in bound]
        if is_true:
            form = self.forms.form_true(function, bound)
        else:
            form = self.forms.form(relation_of(atom), bound)
        return form, key, [term for i, term in enumerate(args) if i not in bound]


def _shown(goal: Goal) -> str:
    if isinstance(goal, Negation):
        return f"(not {show(goal.atom)})"
    if isinstance(goal, Equal):
        return f"(not (distinct {show(goal.left)} {show(goal.right)}))"
    return show(goal)
