"""Whether a sheet is a game: what GDL demands of its rules (Love et al. 2008, section 4).

An error is something that leaves a sheet without meaning. A warning is something that GDL forbids
or that is likely a slip, but that has a meaning all the same: real sheets have many, and are
played.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from graven.core.errors import UsageError
from graven.gdl.language.kif_reader import (
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
    show,
)
from graven.gdl.language.normal_form import NormalClause, may_match, normal, variables
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
"""For whoever grounds the rules: old sheets write them otherwise, and nothing depends on them."""
NEEDED = ("role", "init", "legal", "next", "goal", "terminal")
MOST_ROLES = 100
MOST_SHOWN = 300
"""Characters of a rule that a sentence shows."""
MOST_COMPARED = 500_000
"""Pairs of an atom and a rule that are compared to find out which rule may give which atom."""


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """Something wrong with a sheet; line 0 where it is the whole sheet."""

    line: int
    fatal: bool
    sentence: str

    def __str__(self) -> str:
        where = f"line {self.line}: " if self.line else ""
        return f"{where}{self.sentence}"


def check(sheet: Sheet, name: str = "the sheet") -> list[Finding]:
    """The warnings about a sheet; a UsageError where it is not a game."""
    found = findings(sheet)
    fatal = [str(each) for each in found if each.fatal]
    if fatal:
        more = f" ({len(fatal) - 1} more errors: see 'graven gdl check')" if fatal[1:] else ""
        raise UsageError(f"{name}, {fatal[0]}{more}")
    return [each for each in found if not each.fatal]


def findings(sheet: Sheet) -> list[Finding]:
    """All that is wrong with a sheet, in the order of its lines."""
    found = [
        *_presence(sheet),
        *_hidden_information(sheet),
        *_arities(sheet),
        *_places(sheet),
        *_safety(sheet),
        *_goals(sheet),
        *_unknown(sheet),
    ]
    if not any(each.fatal for each in found):
        clauses = normal(sheet)
        found += [*_dependencies(clauses), *_recursion(clauses)]
    return sorted(dict.fromkeys(found))


def _quoted(rule: Rule) -> str:
    text = show(rule)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]} ..."


def _presence(sheet: Sheet) -> Iterator[Finding]:
    heads = {rule.head.name for rule in sheet.rules}
    for name in NEEDED:
        if name not in heads:
            # A game of one step needs no `next`, and one that never ends no `terminal`.
            fatal = name in ("role", "legal")
            yield Finding(0, fatal, f"no rule says what '{name}' is, and every game needs one.")
    if "role" in heads and not sheet.roles:
        yield Finding(0, True, "no fact names a role: (role white).")
    if len(sheet.roles) > MOST_ROLES:
        yield Finding(0, True, f"there are {len(sheet.roles):,} roles, and at most {MOST_ROLES}.")


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
        for atom in _atoms(rule):
            number = len(atom.args)
            wanted = ARITIES.get(atom.name)
            if wanted is not None and number != wanted:
                yield Finding(
                    rule.line,
                    atom.name not in HINTS,
                    f"'{atom.name}' takes {_arguments(wanted)}, here it has {number}: "
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
    """GDL's own relations where they may not stand."""
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
        for atom in _atoms(rule):
            if atom is not rule.head and atom.name in ("init", "next"):
                yield Finding(rule.line, False, f"'{atom.name}' stands in a body: {_quoted(rule)}.")


def _safety(sheet: Sheet) -> Iterator[Finding]:
    """Each variable has to get its values from something that holds."""
    for rule in sheet.rules:
        body = And(rule.body)
        bound = _bound(body)
        for name in dict.fromkeys(variables(rule.head)):
            if name not in bound:
                yield Finding(
                    rule.line,
                    True,
                    f"nothing in the body gives {name} of the head a value: {_quoted(rule)}.",
                )
        for name, fatal in dict.fromkeys(_loose(body, bound)):
            what = "'distinct'" if fatal else "'not'"
            yield Finding(
                rule.line,
                fatal,
                f"nothing outside {what} gives {name} a value: {_quoted(rule)}.",
            )


def _bound(literal: Literal) -> frozenset[str]:
    """The variables that a condition gives values."""
    match literal:
        case Atom():
            return frozenset(variables(literal))
        case And(parts):
            return frozenset().union(*map(_bound, parts))
        case Or(parts):
            return frozenset.intersection(*map(_bound, parts)) if parts else frozenset()
        case Not(Not(body)):
            return _bound(body)
        case Not(Distinct(left, right)):
            # Equal terms: each gives the other its values, if one of them has some.
            ground = not (set(variables(left)) and set(variables(right)))
            return frozenset(variables(literal.body)) if ground else frozenset()
        case _:
            return frozenset()


def _loose(literal: Literal, bound: frozenset[str]) -> Iterator[tuple[str, bool]]:
    """Variables without values, and whether that leaves the rule without meaning."""
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
            for part in parts:
                yield from _loose(part, bound | _bound(literal))


def _goals(sheet: Sheet) -> Iterator[Finding]:
    for rule in sheet.rules:
        if rule.head.name == "goal" and len(rule.head.args) == 2:
            value = rule.head.args[1]
            if not isinstance(value, Variable) and goal_value(show(value)) is None:
                yield Finding(
                    rule.line,
                    True,
                    f"a goal is a whole number from 0 to 100, not {show(value)}: {_quoted(rule)}.",
                )


def goal_value(text: str) -> int | None:
    """The number that a goal's text is, if it is one from 0 to 100."""
    if text.isascii() and text.isdigit() and len(text) < 10 and int(text) <= 100:
        return int(text)
    return None


def _unknown(sheet: Sheet) -> Iterator[Finding]:
    """Relations that bodies use and no head gives: misspelt, most likely."""
    heads = {rule.head.name for rule in sheet.rules} | {"true", "does"}
    told: set[str] = set()
    for rule in sheet.rules:
        for atom in _atoms(rule):
            if atom.name not in heads and atom.name not in told:
                told.add(atom.name)
                yield Finding(
                    rule.line,
                    False,
                    f"no rule or fact says what '{atom.name}' is, so it never holds: "
                    f"{_quoted(rule)}.",
                )


def _dependencies(clauses: list[NormalClause]) -> Iterator[Finding]:
    """Nothing may depend on its own denial, nor what is legal on what is done."""
    for clause, atom, fatal in _own_denials(clauses):
        yield Finding(
            clause.origin.line,
            fatal,
            f"'{_name(clause)}' depends on its own denial, through (not {show(atom)}): "
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


def _own_denials(clauses: list[NormalClause]) -> Iterator[tuple[NormalClause, Atom, bool]]:
    """Denials inside a recursion, and whether they make it meaningless.

    `(goal robot 100)` if not `(goal robot 0)` denies its own relation, which GDL forbids, but no
    rule comes back to itself: then all is well.
    """
    numbers, groups = _groups(clauses)

    def group(atom: Atom) -> int:
        return groups[numbers[atom.name]]

    wrong = {group(c.head) for c in clauses for atom in c.fails if group(atom) == group(c.head)}
    for number in sorted(wrong):
        inside = [clause for clause in clauses if group(clause.head) == number]
        if len(inside) * sum(len(c.holds) + len(c.fails) for c in inside) > MOST_COMPARED:
            # Whether any rule comes back to itself would take too long to find out.
            yield from (
                (c, atom, True) for c in inside for atom in c.fails if group(atom) == number
            )
            continue
        needs = [
            {each for atom in (*c.holds, *c.fails) for each in _givers(atom, inside)}
            for c in inside
        ]
        found = {i: k for k, component in enumerate(components(needs)) for i in component}
        for i, clause in enumerate(inside):
            for atom in clause.fails:
                if group(atom) == number:
                    yield (
                        clause,
                        atom,
                        any(found[each] == found[i] for each in _givers(atom, inside)),
                    )


def _givers(atom: Atom, clauses: list[NormalClause]) -> Iterator[int]:
    """The clauses whose heads may be this atom."""
    return (i for i, clause in enumerate(clauses) if may_match(atom, clause.head))


def _name(clause: NormalClause) -> str:
    return clause.origin.head.name if " " in clause.head.name else clause.head.name


def _groups(clauses: list[NormalClause]) -> tuple[dict[str, int], dict[int, int]]:
    """Numbers for relations' names, and for each the group that it depends on and that on it."""
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
    """A recursive relation's arguments come from the head or from outside the recursion.

    GDL's restriction (Love et al. 2008, definition 15), which keeps all sets of atoms finite.
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


def _atoms(rule: Rule) -> Iterator[Atom]:
    """All atoms of a rule."""
    yield rule.head
    for literal in rule.body:
        yield from _inside(literal)


def _inside(literal: Literal) -> Iterator[Atom]:
    match literal:
        case Atom():
            yield literal
        case Not(body):
            yield from _inside(body)
        case Or(parts) | And(parts):
            for part in parts:
                yield from _inside(part)


def _compounds(part: Atom | Term) -> Iterator[Compound]:
    if isinstance(part, Atom | Compound):
        for arg in part.args:
            if isinstance(arg, Compound):
                yield arg
                yield from _compounds(arg)
