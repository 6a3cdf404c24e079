"""Rules as numbers, for joins.

Terms become integers, and a relation whose argument is a function is split by it: `true` of
`(cell 1 1 b)` is the relation `true cell` of three columns, so that each column can be indexed. A
variable in such a place, as in `(true ?fact)`, stands for every function that may occur there: the
rule is repeated for each of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from graven.core.errors import UsageError
from graven.gdl.language.kif_terms import Atom, Compound, Rule, Term, Variable, show
from graven.gdl.language.normal_form import NormalClause, replaced

SPLIT_ARGUMENT = {"true": 0, "init": 0, "next": 0, "base": 0, "does": 1, "legal": 1, "input": 1}
"""Relations that are split, and by which argument."""
FLOWS = (("init", "true"), ("next", "true"), ("legal", "does"))
"""Arguments of the first relation may be arguments of the second."""
MAX_RULES = 20_000

CONSTANT = ("", -1)
"""The shape of a constant; that of a function is its name and number of arguments."""
Shape = tuple[str, int]
CONSTANT_PREFIX = "?constant "
"""The prefix of variables whose values are constants."""


class TooLargeError(UsageError):
    """The rules cannot be grounded within the limits; the game can still be played by proof."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation: a name, and the function in its argument if it is split by it."""

    name: str
    function: Shape | None
    columns: int

    def __str__(self) -> str:
        function = f" {self.function[0]}" if self.function and self.function != CONSTANT else ""
        return f"{self.name}{function}"


Operand = int
"""A variable's number, or ~c for the constant c."""


NO_RULE = Rule(Atom("role"))
"""In place of a rule of the sheet: there is none."""


@dataclass(frozen=True, slots=True)
class AtomPattern:
    """A relation or a function with operands."""

    relation: int
    operands: tuple[Operand, ...]


@dataclass(slots=True)
class NumberedRule:
    """A rule as numbers."""

    head: AtomPattern
    positive: tuple[AtomPattern, ...]
    negative: tuple[AtomPattern, ...] = ()
    distinct: tuple[tuple[Operand, Operand], ...] = ()
    """Operands that must differ."""
    functions: tuple[tuple[int, AtomPattern], ...] = ()
    """Variables whose values are functions of operands."""
    variables: int = 0
    """The number of variables."""
    origin: Rule = NO_RULE
    """The rule of the sheet."""
    constants: tuple[int, ...] = ()
    """Variables whose values are constants, not functions."""
    silent: bool = False
    """Makes atoms possible, but is not a rule of the game: `true` of what may come `next`."""


@dataclass
class NumberedProgram:
    """All rules of a sheet as numbers."""

    constants: list[str] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    rules: list[NumberedRule] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    known: dict[Relation, int] = field(default_factory=dict)

    def constant(self, name: str) -> int:
        """Return the number of a constant."""
        number = self.numbers.setdefault(name, len(self.constants))
        if number == len(self.constants):
            self.constants.append(name)
        return number

    def relation(self, relation: Relation) -> int:
        """Return the number of a relation or function."""
        number = self.known.setdefault(relation, len(self.relations))
        if number == len(self.relations):
            self.relations.append(relation)
        return number

    def family(self, name: str) -> list[int]:
        """Return all relations of one name, however they are split."""
        return [i for i, relation in enumerate(self.relations) if relation.name == name]


def number_rules(clauses: Iterable[NormalClause]) -> NumberedProgram:
    """Number the rules of a sheet."""
    clauses = list(clauses)
    shapes = _Shapes(clauses)
    program = NumberedProgram()
    for clause in clauses:
        for specialised in _specialised(clause, shapes):
            program.rules.append(_Numbering(program, specialised).rule())
            if len(program.rules) > MAX_RULES:
                raise TooLargeError(f"the sheet has more than {MAX_RULES:,} rules.")
    _add_flows(program)
    return program


def _add_flows(program: NumberedProgram) -> None:
    """Add rules for possible atoms: `true` of `init` and `next`, `does` of `legal`."""
    for source, target in FLOWS:
        for number in program.family(source):
            relation = program.relations[number]
            same = program.relation(Relation(target, relation.function, relation.columns))
            operands = tuple(range(relation.columns))
            program.rules.append(
                NumberedRule(
                    head=AtomPattern(same, operands),
                    positive=(AtomPattern(number, operands),),
                    variables=relation.columns,
                    silent=True,
                )
            )


class _Shapes:
    """Which functions may be arguments of relations."""

    def __init__(self, clauses: list[NormalClause]) -> None:
        self.places: dict[tuple[str, int], set[Shape]] = {}
        self.all: set[Shape] = {CONSTANT}
        for clause in clauses:
            for atom in (clause.head, *clause.holds, *clause.fails):
                for arg in atom.args:
                    self._note(arg)
        # Examine a clause again only if one of the relations that it reads has changed.
        readers: dict[str, list[NormalClause]] = defaultdict(list)
        for clause in clauses:
            for name in {atom.name for atom in clause.holds}:
                readers[name].append(clause)
        waiting = dict.fromkeys(map(id, reversed(clauses)))
        by_id = {id(clause): clause for clause in clauses}
        while waiting:
            clause = by_id[waiting.popitem()[0]]
            for name in self._changed_by(clause):
                waiting.update(dict.fromkeys(map(id, readers[name])))

    def _changed_by(self, clause: NormalClause) -> set[str]:
        """Return the relations whose shapes grow by a clause."""
        head, changed = clause.head, set()
        for i, arg in enumerate(head.args):
            shapes = self.of(arg, clause)
            for name in (head.name, *(target for source, target in FLOWS if source == head.name)):
                if self._add((name, i), shapes):
                    changed.add(name)
        return changed

    def _note(self, term: Term) -> None:
        if isinstance(term, Compound):
            self.all.add((term.name, len(term.args)))
            for arg in term.args:
                self._note(arg)

    def _add(self, place: tuple[str, int], shapes: set[Shape]) -> bool:
        known = self.places.setdefault(place, set())
        before = len(known)
        known |= shapes
        return len(known) > before

    def of(self, term: Term, clause: NormalClause) -> set[Shape]:
        """Return the shapes that a term of a clause may have."""
        if isinstance(term, Compound):
            return {(term.name, len(term.args))}
        if not isinstance(term, Variable):
            return {CONSTANT}
        shapes = set(self.all)
        for atom in clause.holds:
            for i, arg in enumerate(atom.args):
                if arg == term:
                    shapes &= self.places.get((atom.name, i), set())
        return shapes


def _specialised(clause: NormalClause, shapes: _Shapes) -> Iterator[NormalClause]:
    """Yield the clause once for each function that its variables may stand for in split places."""
    for atom in (clause.head, *clause.holds, *clause.fails):
        place = SPLIT_ARGUMENT.get(atom.name, len(atom.args))
        if place < len(atom.args) and isinstance(variable := atom.args[place], Variable):
            if variable.name.startswith(CONSTANT_PREFIX):
                continue
            for name, arity in sorted(shapes.of(variable, clause)):
                if (name, arity) == CONSTANT:
                    value: Term = Variable(f"{CONSTANT_PREFIX}{variable.name}")
                else:
                    fresh = (Variable(f"{variable.name} {i}") for i in range(arity))
                    value = Compound(name, tuple(fresh))
                yield from _specialised(replaced(clause, {variable.name: value}), shapes)
            return
    yield clause


class _Numbering:
    """Numbers one clause."""

    def __init__(self, program: NumberedProgram, clause: NormalClause) -> None:
        self.program = program
        self.clause = clause
        self.numbers: dict[str, int] = {}
        self.compounds: dict[Compound, int] = {}
        self.functions: list[tuple[int, AtomPattern]] = []
        self.count = 0

    def rule(self) -> NumberedRule:
        clause = self.clause
        head = self._pattern(clause.head)
        positive = tuple(self._pattern(atom) for atom in clause.holds)
        negative = tuple(self._pattern(atom) for atom in clause.fails)
        distinct = tuple((self._operand(a), self._operand(b)) for a, b in clause.differ)
        named = self.numbers.items()
        return NumberedRule(
            head=head,
            positive=positive,
            negative=negative,
            distinct=distinct,
            functions=tuple(self.functions),
            variables=self.count,
            origin=clause.origin,
            constants=tuple(i for name, i in named if name.startswith(CONSTANT_PREFIX)),
        )

    def _pattern(self, atom: Atom) -> AtomPattern:
        place = SPLIT_ARGUMENT.get(atom.name, len(atom.args))
        if place >= len(atom.args):
            relation = Relation(atom.name, None, len(atom.args))
            args = atom.args
        elif isinstance(inner := atom.args[place], Compound):
            args = atom.args[:place] + inner.args + atom.args[place + 1 :]
            relation = Relation(atom.name, (inner.name, len(inner.args)), len(args))
        else:
            args = atom.args
            relation = Relation(atom.name, CONSTANT, len(args))
        return AtomPattern(
            self.program.relation(relation), tuple(self._operand(arg) for arg in args)
        )

    def _operand(self, term: Term) -> Operand:
        if isinstance(term, Variable):
            if term.name not in self.numbers:
                self.numbers[term.name] = self._new()
            return self.numbers[term.name]
        if isinstance(term, Compound):
            if term not in self.compounds:
                operands = tuple(self._operand(arg) for arg in term.args)
                shape = (term.name, len(term.args))
                function = self.program.relation(Relation("function", shape, len(operands)))
                self.compounds[term] = self._new()
                self.functions.append((self.compounds[term], AtomPattern(function, operands)))
            return self.compounds[term]
        return ~self.program.constant(term)

    def _new(self) -> int:
        self.count += 1
        return self.count - 1


def rule_text(rule: NumberedRule) -> str:
    """Return the rule of the sheet that a rule comes from, and its line."""
    return f"line {rule.origin.line}: {show(rule.origin)}"
