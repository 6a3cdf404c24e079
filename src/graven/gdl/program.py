"""Clauses as numbers, for joining.

Terms become integers, and a relation that holds functions is split by them: `true` of `(cell 1 1
b)` is the relation `true cell` of three columns, so that columns can be looked up one by one. A
variable in such a place, `(true ?fact)`, stands for every function that may be there: the clause
is repeated for each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from graven.core.errors import UsageError
from graven.gdl.normal import Clause, replaced
from graven.gdl.read import Atom, Compound, Rule, Term, Variable, show

HOLDERS = {"true": 0, "init": 0, "next": 0, "base": 0, "does": 1, "legal": 1, "input": 1}
"""Relations that are split, and by which argument."""
FLOWS = (("init", "true"), ("next", "true"), ("legal", "does"))
"""What may stand in the left relation may stand in the right one."""
MOST_CLAUSES = 20_000

CONSTANT = ("", -1)
"""The shape of a constant; that of a function is its name and number of arguments."""
Shape = tuple[str, int]
PLAIN = "?constant "
"""How variables begin that stand for constants only."""


class TooLargeError(UsageError):
    """The rules cannot be grounded within the limits; they can still be proved step by step."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation of the program: a name, and the function in it if it is split."""

    name: str
    function: Shape | None
    columns: int

    def __str__(self) -> str:
        inside = f" {self.function[0]}" if self.function and self.function != CONSTANT else ""
        return f"{self.name}{inside}"


Operand = int
"""A variable's number, or ~c for the constant c."""


@dataclass(frozen=True, slots=True)
class Part:
    """A relation or a function with operands."""

    relation: int
    operands: tuple[Operand, ...]


@dataclass(slots=True)
class Line:
    """A clause as numbers.

    `built` says of a variable that it stands for a function of operands.
    """

    head: Part
    holds: tuple[Part, ...]
    fails: tuple[Part, ...]
    differ: tuple[tuple[Operand, Operand], ...]
    built: tuple[tuple[int, Part], ...]
    variables: int
    origin: Rule
    plain: tuple[int, ...] = ()
    """Variables that stand for constants only, not for functions."""
    silent: bool = False
    """Makes atoms possible, but is not a rule of the game: `true` of what may come `next`."""


@dataclass
class Program:
    """All clauses of a sheet as numbers."""

    constants: list[str] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    known: dict[Relation, int] = field(default_factory=dict)

    def constant(self, name: str) -> int:
        """The number of a constant."""
        number = self.numbers.setdefault(name, len(self.constants))
        if number == len(self.constants):
            self.constants.append(name)
        return number

    def relation(self, relation: Relation) -> int:
        """The number of a relation or function."""
        number = self.known.setdefault(relation, len(self.relations))
        if number == len(self.relations):
            self.relations.append(relation)
        return number

    def family(self, name: str) -> list[int]:
        """All relations of one name, however split."""
        return [i for i, each in enumerate(self.relations) if each.name == name]


def program(clauses: Iterable[Clause]) -> Program:
    """Number the clauses of a sheet."""
    clauses = list(clauses)
    shapes = _Shapes(clauses)
    made = Program()
    for clause in clauses:
        for each in _spread(clause, shapes):
            made.lines.append(_Numbering(made, each).line())
            if len(made.lines) > MOST_CLAUSES:
                raise TooLargeError(f"the sheet has more than {MOST_CLAUSES:,} rules.")
    _link(made)
    return made


def _link(made: Program) -> None:
    """What holds at first or next may be true, what is legal may be done."""
    nowhere = Rule(Atom("role"))
    for source, target in FLOWS:
        for number in made.family(source):
            relation = made.relations[number]
            same = made.relation(Relation(target, relation.function, relation.columns))
            operands = tuple(range(relation.columns))
            line = Line(
                Part(same, operands),
                (Part(number, operands),),
                (),
                (),
                (),
                relation.columns,
                nowhere,
            )
            line.silent = True
            made.lines.append(line)


class _Shapes:
    """Which functions may stand in the places of relations."""

    def __init__(self, clauses: list[Clause]) -> None:
        self.places: dict[tuple[str, int], set[Shape]] = {}
        self.all: set[Shape] = {CONSTANT}
        for clause in clauses:
            for atom in (clause.head, *clause.holds, *clause.fails):
                for arg in atom.args:
                    self._note(arg)
        # A clause is looked at again only if one of the relations that it reads has changed.
        readers: dict[str, list[Clause]] = defaultdict(list)
        for clause in clauses:
            for name in {atom.name for atom in clause.holds}:
                readers[name].append(clause)
        waiting = dict.fromkeys(map(id, reversed(clauses)))
        by_id = {id(clause): clause for clause in clauses}
        while waiting:
            clause = by_id[waiting.popitem()[0]]
            for name in self._changed_by(clause):
                waiting.update(dict.fromkeys(map(id, readers[name])))

    def _changed_by(self, clause: Clause) -> set[str]:
        """The relations of which a clause tells something new."""
        head, changed = clause.head, set()
        for i, arg in enumerate(head.args):
            found = self.of(arg, clause)
            for name in (head.name, *(target for source, target in FLOWS if source == head.name)):
                if self._add((name, i), found):
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

    def of(self, term: Term, clause: Clause) -> set[Shape]:
        """What shapes a term of a clause may have."""
        if isinstance(term, Compound):
            return {(term.name, len(term.args))}
        if not isinstance(term, Variable):
            return {CONSTANT}
        found = set(self.all)
        for atom in clause.holds:
            for i, arg in enumerate(atom.args):
                if arg == term:
                    found &= self.places.get((atom.name, i), set())
        return found


def _spread(clause: Clause, shapes: _Shapes) -> Iterator[Clause]:
    """The clause once for each function that its variables may stand for in split places."""
    for atom in (clause.head, *clause.holds, *clause.fails):
        place = HOLDERS.get(atom.name, len(atom.args))
        if place < len(atom.args) and isinstance(variable := atom.args[place], Variable):
            if variable.name.startswith(PLAIN):
                continue
            for name, arity in sorted(shapes.of(variable, clause)):
                if (name, arity) == CONSTANT:
                    value: Term = Variable(f"{PLAIN}{variable.name}")
                else:
                    fresh = (Variable(f"{variable.name} {i}") for i in range(arity))
                    value = Compound(name, tuple(fresh))
                yield from _spread(replaced(clause, {variable.name: value}), shapes)
            return
    yield clause


class _Numbering:
    """Numbers one clause."""

    def __init__(self, made: Program, clause: Clause) -> None:
        self.made = made
        self.clause = clause
        self.numbers: dict[str, int] = {}
        self.compounds: dict[Compound, int] = {}
        self.built: list[tuple[int, Part]] = []
        self.count = 0

    def line(self) -> Line:
        clause = self.clause
        head = self._part(clause.head)
        holds = tuple(self._part(atom) for atom in clause.holds)
        fails = tuple(self._part(atom) for atom in clause.fails)
        differ = tuple((self._operand(a), self._operand(b)) for a, b in clause.differ)
        plain = tuple(i for name, i in self.numbers.items() if name.startswith(PLAIN))
        built = tuple(self.built)
        return Line(head, holds, fails, differ, built, self.count, clause.origin, plain)

    def _part(self, atom: Atom) -> Part:
        place = HOLDERS.get(atom.name, len(atom.args))
        if place >= len(atom.args):
            relation = Relation(atom.name, None, len(atom.args))
            args = atom.args
        elif isinstance(inner := atom.args[place], Compound):
            args = atom.args[:place] + inner.args + atom.args[place + 1 :]
            relation = Relation(atom.name, (inner.name, len(inner.args)), len(args))
        else:
            args = atom.args
            relation = Relation(atom.name, CONSTANT, len(args))
        return Part(self.made.relation(relation), tuple(self._operand(arg) for arg in args))

    def _operand(self, term: Term) -> Operand:
        if isinstance(term, Variable):
            if term.name not in self.numbers:
                self.numbers[term.name] = self._new()
            return self.numbers[term.name]
        if isinstance(term, Compound):
            if term not in self.compounds:
                operands = tuple(self._operand(arg) for arg in term.args)
                shape = (term.name, len(term.args))
                function = self.made.relation(Relation("function", shape, len(operands)))
                self.compounds[term] = self._new()
                self.built.append((self.compounds[term], Part(function, operands)))
            return self.compounds[term]
        return ~self.made.constant(term)

    def _new(self) -> int:
        self.count += 1
        return self.count - 1


def show_line(line: Line) -> str:
    """The rule of the sheet that a clause comes from, and its line."""
    return f"line {line.origin.line}: {show(line.origin)}"
