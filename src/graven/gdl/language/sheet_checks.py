"""Check GDL's restrictions on a sheet (Love et al. 2008, section 4).

An error makes a sheet meaningless. A warning is a violation, or a likely mistake, that still has a
meaning: real sheets have many and are played.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from graven.core.errors import UsageError
from graven.gdl.language.kif_terms import (
    And,
    Atom,
    Compound,
    Distinct,
    Literal,
    Not,
    Or,
    Rule,
    Sheet,
    Term,
    Variable,
    atoms,
    show,
)
from graven.gdl.language.normal_form import NormalClause, may_match, normal, variables
from graven.gdl.language.unmatched_names import unmatched
from graven.gdl.strong_components import components

ARITIES = {
    "role": 1,
    "init": 1,
    "true": 1,
    "next": 1,
    "legal": 2,
    "does": 2,
    "goal": 2,
    "terminal": 0,
    "base": 1,
    "input": 2,
}
HINTS = ("base", "input")
"""Hints for grounding; old sheets use them differently, and nothing depends on them."""
NEEDED = ("role", "init", "legal", "next", "goal", "terminal")
MOST_ROLES = 100
MOST_SHOWN = 300
"""The maximum number of characters of a rule in a message."""
MOST_COMPARED = 500_000
"""The maximum number of pairs of an atom and a rule that are matched."""


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A problem of a sheet; line 0 if it concerns the whole sheet."""

    line: int
    fatal: bool
    sentence: str

    def __str__(self) -> str:
        where = f"line {self.line}: " if self.line else ""
        return f"{where}{self.sentence}"


def check(sheet: Sheet, name: str = "the sheet") -> list[Finding]:
    """Return the warnings about a sheet; raise UsageError if it has errors."""
    problems = findings(sheet)
    fatal = [str(problem) for problem in problems if problem.fatal]
    if fatal:
        more = f" ({len(fatal) - 1} more errors: see 'graven gdl check')" if fatal[1:] else ""
        raise UsageError(f"{name}, {fatal[0]}{more}")
    return [problem for problem in problems if not problem.fatal]


def findings(sheet: Sheet) -> list[Finding]:
    """Return all errors and warnings in the order of their lines."""
    sheet = _without_plain_facts(sheet)
    problems = [
        *_presence(sheet),
        *_hidden_information(sheet),
        *_arities(sheet),
        *_places(sheet),
        *_safety(sheet),
        *_goals(sheet),
        *_unknown(sheet),
        *_unmatched(sheet),
    ]
    if not any(problem.fatal for problem in problems):
        clauses = normal(sheet)
        problems += [*_dependencies(clauses), *_recursion(clauses)]
    return sorted(dict.fromkeys(problems))


def _without_plain_facts(sheet: Sheet) -> Sheet:
    """Return the sheet with one fact for each relation that has nothing but plain facts.

    A plain fact has only constants. Large sheets consist mostly of them, and the only thing that
    can be wrong with those of a relation that is no keyword is their number of arguments. All are
    kept if that number varies.
    """
    arities: dict[str, int] = {}
    needed: set[str] = set()
    for rule in sheet.rules:
        head = rule.head
        number = len(head.args)
        if arities.setdefault(head.name, number) != number or head.name.lower() == "sees":
            needed.add(head.name)
    kept: list[Rule] = []
    represented: set[str] = set()
    for rule in sheet.rules:
        head = rule.head
        if not rule.body and head.name not in ARITIES and head.name not in needed:
            if head.name in represented:
                if set(map(type, head.args)) <= {str}:
                    continue
            else:
                represented.add(head.name)
        kept.append(rule)
    return Sheet(tuple(kept))


def _quoted(rule: Rule) -> str:
    text = show(rule)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]} ..."


def _presence(sheet: Sheet) -> Iterator[Finding]:
    heads = {rule.head.name for rule in sheet.rules}
    for name in NEEDED:
        if name not in heads:
            # A game of one step needs no `next`, and one that never ends no `terminal`.
            fatal = name in ("role", "legal")
            yield Finding(0, fatal, f"no rule defines '{name}', which every game needs.")
    if "role" in heads and not sheet.roles:
        yield Finding(0, True, "there is no role fact, such as (role white).")
    if len(sheet.roles) > MOST_ROLES:
        yield Finding(
            0, True, f"there are {len(sheet.roles):,} roles; at most {MOST_ROLES} are allowed."
        )


def _hidden_information(sheet: Sheet) -> Iterator[Finding]:
    for rule in sheet.rules:
        sentence = "games of hidden information (GDL-II) are not supported: "
        if rule.head.name.lower() == "sees" and len(rule.head.args) == 2:
            yield Finding(rule.line, True, f"{sentence}'sees' in {_quoted(rule)}.")
        if rule.head.name == "role" and str(show(rule.head)).lower() == "(role random)":
            yield Finding(rule.line, True, f"{sentence}the role 'random'.")


def _arities(sheet: Sheet) -> Iterator[Finding]:
    relations: dict[str, int] = {}
    functions: dict[str, int] = {}
    for rule in sheet.rules:
        for atom in atoms(rule):
            number = len(atom.args)
            expected = ARITIES.get(atom.name)
            if expected is not None and number != expected:
                yield Finding(
                    rule.line,
                    atom.name not in HINTS,
                    f"'{atom.name}' takes {_arguments(expected)}, here it has {number}: "
                    f"{_quoted(rule)}.",
                )
            elif relations.setdefault(atom.name, number) != number:
                yield Finding(
                    rule.line,
                    False,
                    f"the relation '{atom.name}' has {_arguments(number)} here and "
                    f"{relations[atom.name]} elsewhere: {_quoted(rule)}.",
                )
            for compound in _compounds(atom):
                number = len(compound.args)
                if functions.setdefault(compound.name, number) != number:
                    yield Finding(
                        rule.line,
                        False,
                        f"the function '{compound.name}' has {_arguments(number)} here and "
                        f"{functions[compound.name]} elsewhere: {_quoted(rule)}.",
                    )


def _arguments(number: int) -> str:
    return "no arguments" if not number else f"{number} argument{'s' if number > 1 else ''}"


def _places(sheet: Sheet) -> Iterator[Finding]:
    """Find keywords in places where they are not allowed."""
    for rule in sheet.rules:
        name = rule.head.name
        if name in ("true", "does"):
            yield Finding(
                rule.line, True, f"'{name}' cannot be the head of a rule: {_quoted(rule)}."
            )
        if name == "role" and any(isinstance(arg, Compound) for arg in rule.head.args):
            yield Finding(rule.line, True, f"a role is a word, not a function: {_quoted(rule)}.")
        if name == "role" and rule.body:
            yield Finding(
                rule.line, True, f"roles are facts, not the heads of rules: {_quoted(rule)}."
            )
        for atom in atoms(rule):
            if atom is not rule.head and atom.name in ("init", "next"):
                yield Finding(rule.line, False, f"'{atom.name}' occurs in a body: {_quoted(rule)}.")


def _safety(sheet: Sheet) -> Iterator[Finding]:
    """Find unsafe variables: each must be bound by a positive condition."""
    for rule in sheet.rules:
        body = And(rule.body)
        bound = _bound(body)
        for name in dict.fromkeys(variables(rule.head)):
            if name not in bound:
                yield Finding(
                    rule.line,
                    True,
                    f"{name} in the head is not bound by the body: {_quoted(rule)}.",
                )
        for name, fatal in dict.fromkeys(_loose(body, bound)):
            what = "'distinct'" if fatal else "'not'"
            yield Finding(
                rule.line,
                fatal,
                f"{name} is not bound outside {what}: {_quoted(rule)}.",
            )


def _bound(literal: Literal) -> frozenset[str]:
    """Return the variables that a condition binds."""
    match literal:
        case Atom():
            return frozenset(variables(literal))
        case And(parts):
            return frozenset().union(
                *(variables(part) if isinstance(part, Atom) else _bound(part) for part in parts)
            )
        case Or(parts):
            return frozenset.intersection(*map(_bound, parts)) if parts else frozenset()
        case Not(Not(body)):
            return _bound(body)
        case Not(Distinct(left, right)):
            # Equal terms bind each other's variables if one of them is ground.
            ground = not (set(variables(left)) and set(variables(right)))
            return frozenset(variables(literal.body)) if ground else frozenset()
        case _:
            return frozenset()


def _loose(literal: Literal, bound: frozenset[str]) -> Iterator[tuple[str, bool]]:
    """Yield unbound variables, and whether each makes the rule meaningless."""
    match literal:
        case Distinct():
            for name in variables(literal):
                if name not in bound:
                    yield name, True
        case Not(Atom() as atom):
            for name in variables(atom):
                if name not in bound:
                    yield name, False
        case Not(Distinct()):
            return
        case Not(body):
            yield from _loose(body, bound | _bound(body))
        case Or(parts):
            for part in parts:
                yield from _loose(part, bound | _bound(part))
        case And(parts):
            inside = bound | _bound(literal)
            for part in parts:
                if not isinstance(part, Atom):
                    yield from _loose(part, inside)


def _goals(sheet: Sheet) -> Iterator[Finding]:
    for rule in sheet.rules:
        if rule.head.name == "goal" and len(rule.head.args) == 2:
            value = rule.head.args[1]
            if not isinstance(value, Variable) and goal_value(show(value)) is None:
                yield Finding(
                    rule.line,
                    True,
                    f"a goal must be an integer from 0 to 100, not {show(value)}: {_quoted(rule)}.",
                )


def goal_value(text: str) -> int | None:
    """Return the number of a goal's text, or None unless it is from 0 to 100."""
    if text.isascii() and text.isdigit() and len(text) < 10 and int(text) <= 100:
        return int(text)
    return None


def _unknown(sheet: Sheet) -> Iterator[Finding]:
    """Find relations that occur in bodies but in no head: most likely misspelt."""
    heads = {rule.head.name for rule in sheet.rules} | {"true", "does"}
    reported: set[str] = set()
    for rule in sheet.rules:
        for atom in atoms(rule):
            if atom.name not in heads and atom.name not in reported:
                reported.add(atom.name)
                yield Finding(
                    rule.line,
                    False,
                    f"no rule or fact defines '{atom.name}', so it never holds: {_quoted(rule)}.",
                )


def _unmatched(sheet: Sheet) -> Iterator[Finding]:
    for rule, sentence in unmatched(sheet):
        yield Finding(rule.line, False, f"{sentence}: {_quoted(rule)}.")


def _dependencies(clauses: list[NormalClause]) -> Iterator[Finding]:
    """Find dependencies on a relation's own negation, and of `legal` etc. on `does`."""
    for clause, atom, fatal in _own_negations(clauses):
        yield Finding(
            clause.origin.line,
            fatal,
            f"'{_name(clause)}' depends on its own negation, through (not {show(atom)}): "
            f"{_quoted(clause.origin)}.",
        )
    needs: dict[str, set[str]] = defaultdict(set)
    for clause in clauses:
        needs[clause.head.name].update(atom.name for atom in (*clause.holds, *clause.fails))
    for name, forbidden in (
        ("legal", ("does",)),
        ("goal", ("does",)),
        ("terminal", ("does",)),
        ("init", ("true", "does", "next")),
    ):
        reached = {name}
        waiting = [name]
        while waiting:
            new = needs[waiting.pop()] - reached
            reached |= new
            waiting += new
        for each in forbidden:
            if each in reached:
                lines = [c.origin.line for c in clauses if c.head.name == name]
                yield Finding(
                    min(lines, default=0),
                    name != "goal",
                    f"'{name}' depends on '{each}', which GDL forbids.",
                )


def _own_negations(clauses: list[NormalClause]) -> Iterator[tuple[NormalClause, Atom, bool]]:
    """Yield negations inside a recursion, and whether they make it meaningless.

    `(goal robot 100)` if not `(goal robot 0)` negates its own relation, which GDL forbids, but no
    rule depends on itself, so that it has a meaning.
    """
    numbers, groups = _groups(clauses)

    def group(atom: Atom) -> int:
        return groups[numbers[atom.name]]

    wrong = {group(c.head) for c in clauses for atom in c.fails if group(atom) == group(c.head)}
    for number in sorted(wrong):
        inside = [clause for clause in clauses if group(clause.head) == number]
        if len(inside) * sum(len(c.holds) + len(c.fails) for c in inside) > MOST_COMPARED:
            # Too many pairs to determine whether a rule depends on itself.
            yield from (
                (c, atom, True) for c in inside for atom in c.fails if group(atom) == number
            )
            continue
        needs = [
            {each for atom in (*c.holds, *c.fails) for each in _matching_clauses(atom, inside)}
            for c in inside
        ]
        found = {i: k for k, component in enumerate(components(needs)) for i in component}
        for i, clause in enumerate(inside):
            for atom in clause.fails:
                if group(atom) == number:
                    yield (
                        clause,
                        atom,
                        any(found[each] == found[i] for each in _matching_clauses(atom, inside)),
                    )


def _matching_clauses(atom: Atom, clauses: list[NormalClause]) -> Iterator[int]:
    """Return the indices of the clauses whose heads may match an atom."""
    return (i for i, clause in enumerate(clauses) if may_match(atom, clause.head))


def _name(clause: NormalClause) -> str:
    return clause.origin.head.name if " " in clause.head.name else clause.head.name


def _groups(clauses: list[NormalClause]) -> tuple[dict[str, int], dict[int, int]]:
    """Return the number of each relation, and of each number its component."""
    numbers: dict[str, int] = {}
    needs: list[set[int]] = []
    for clause in clauses:
        for atom in (clause.head, *clause.holds, *clause.fails):
            if numbers.setdefault(atom.name, len(numbers)) == len(needs):
                needs.append(set())
        needs[numbers[clause.head.name]].update(
            numbers[atom.name] for atom in (*clause.holds, *clause.fails)
        )
    groups = {member: i for i, component in enumerate(components(needs)) for member in component}
    return numbers, groups


def _recursion(clauses: list[NormalClause]) -> Iterator[Finding]:
    """Check the recursion restriction (Love et al. 2008, definition 15).

    The arguments of a recursive relation come from the head or from outside the recursion, which
    keeps all sets of atoms finite.
    """
    numbers, groups = _groups(clauses)
    for clause in clauses:
        group = groups[numbers[clause.head.name]]
        inside = [a for a in clause.holds if groups[numbers[a.name]] == group]
        outside = {
            name
            for atom in clause.holds
            if groups[numbers[atom.name]] != group
            for name in variables(atom)
        }
        for atom in inside:
            for arg in atom.args:
                names = set(variables(arg))
                if names and arg not in clause.head.args and not names <= outside:
                    yield Finding(
                        clause.origin.line,
                        False,
                        f"the recursion of '{_name(clause)}' may never end: {show(arg)} is neither "
                        f"in the head nor bound outside the recursion: {_quoted(clause.origin)}.",
                    )


def _compounds(part: Atom | Term) -> Iterator[Compound]:
    if isinstance(part, Atom | Compound):
        for arg in part.args:
            if isinstance(arg, Compound):
                yield arg
                yield from _compounds(arg)
