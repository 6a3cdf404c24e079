"""Find likely typing mistakes: roles, moves and propositions that match nothing else in a sheet.

Terms are compared as written, with variables that match any term, so that a mismatch is certain:
the condition can never hold.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from graven.gdl.language.kif_terms import Atom, Compound, Rule, Sheet, Variable, atoms, show
from graven.gdl.language.normal_form import may_match

MOST_COMPARED = 500_000
"""The maximum number of pairs of atoms that are matched."""
MOST_ROLES_SHOWN = 8


class Unmatched(NamedTuple):
    """A rule with a part that matches nothing, and what is wrong with it."""

    rule: Rule
    sentence: str


def unmatched(sheet: Sheet) -> Iterator[Unmatched]:
    """Yield the rules that name unknown roles, moves that are never legal, and unmatched states."""
    yield from _roles(sheet)
    yield from _moves(sheet)
    yield from _never_true(sheet)
    yield from _never_read(sheet)


def _roles(sheet: Sheet) -> Iterator[Unmatched]:
    """Find roles in `legal`, `does` and `goal` that no role fact names."""
    known = ", ".join(sheet.roles[:MOST_ROLES_SHOWN])
    known += ", ..." if len(sheet.roles) > MOST_ROLES_SHOWN else ""
    reported: set[str] = set()
    for rule in sheet.rules:
        for atom in atoms(rule):
            if atom.name not in ("legal", "does", "goal") or len(atom.args) != 2:
                continue
            if _names_no_role(atom, sheet) and (role := show(atom.args[0])) not in reported:
                reported.add(role)
                yield Unmatched(rule, f"there is no role '{role}' (roles: {known})")


def _names_no_role(atom: Atom, sheet: Sheet) -> bool:
    role = atom.args[0]
    return not isinstance(role, Variable) and role not in sheet.roles


def _moves(sheet: Sheet) -> Iterator[Unmatched]:
    """Find conditions on moves that no rule makes legal."""
    legal = _Heads(rule.head for rule in sheet.rules if rule.head.name == "legal")
    reported: set[str] = set()
    for rule in sheet.rules:
        for atom in atoms(rule):
            if atom.name != "does" or len(atom.args) != 2 or _names_no_role(atom, sheet):
                continue
            if not legal.match(Atom("legal", atom.args)) and (text := show(atom)) not in reported:
                reported.add(text)
                yield Unmatched(rule, f"no rule makes this move legal, so {text} never holds")


def _never_true(sheet: Sheet) -> Iterator[Unmatched]:
    """Find propositions that are read, but that neither `init` nor `next` ever makes true."""
    heads = _reachable(sheet)
    reported: set[str] = set()
    for rule in sheet.rules:
        for atom in atoms(rule):
            if atom.name != "true" or len(atom.args) != 1 or heads.match(atom):
                continue
            # One warning for each name that is never true, else one for each term.
            name, text = _name(atom.args[0]), show(atom)
            key = text if heads.has_name(name) or name is None else name[0]
            if key not in reported:
                reported.add(key)
                yield Unmatched(
                    rule, f"neither 'init' nor 'next' makes it true, so {text} never holds"
                )


def _reachable(sheet: Sheet) -> _Heads:
    """Return the heads of `init`, and those of `next` whose positive conditions can become true."""
    heads = _Heads(Atom("true", rule.head.args) for rule in sheet.rules if rule.head.name == "init")
    waiting = [rule for rule in sheet.rules if rule.head.name == "next"]
    while waiting:
        later = []
        for rule in waiting:
            needed = (part for part in rule.body if isinstance(part, Atom) and part.name == "true")
            if all(heads.match(atom) for atom in needed if atom.args):
                heads.add(Atom("true", rule.head.args))
            else:
                later.append(rule)
        if len(later) == len(waiting):
            break
        waiting = later
    return heads


def _never_read(sheet: Sheet) -> Iterator[Unmatched]:
    """Find names of propositions that no rule reads."""
    read = {
        _name(atom.args[0])
        for rule in sheet.rules
        for atom in atoms(rule)
        if atom.name == "true" and len(atom.args) == 1
    }
    if None in read:  # a variable, which matches every name
        return
    for rule in sheet.rules:
        if rule.head.name not in ("init", "next") or len(rule.head.args) != 1:
            continue
        name = _name(rule.head.args[0])
        if name is not None and name not in read:
            read.add(name)
            yield Unmatched(
                rule, f"no rule reads '{name[0]}', as in (true {show(rule.head.args[0])})"
            )


def _name(term: object) -> tuple[str, int] | None:
    """Return name and number of arguments of a proposition; None for a variable."""
    if isinstance(term, Variable):
        return None
    if isinstance(term, Compound):
        return term.name, len(term.args)
    return str(term), 0


class _Heads:
    """Heads of rules by the name of their last argument, to compare an atom with a few of them."""

    def __init__(self, heads: Iterable[Atom]) -> None:
        self._by_name: dict[tuple[str, int] | None, dict[Atom, None]] = defaultdict(dict)
        self._compared = 0
        for head in heads:
            self.add(head)

    def add(self, head: Atom) -> None:
        """Add a head."""
        self._by_name[_name(head.args[-1]) if head.args else None][head] = None

    def has_name(self, name: tuple[str, int] | None) -> bool:
        """Return whether a head has this name."""
        return name in self._by_name

    def match(self, atom: Atom) -> bool:
        """Return whether an atom may match a head; True once there were too many comparisons."""
        name = _name(atom.args[-1])
        if name is None:
            return True
        candidates = [*self._by_name.get(None, ()), *self._by_name.get(name, ())]
        self._compared += len(candidates)
        if self._compared > MOST_COMPARED:
            return True
        return any(may_match(atom, head) for head in candidates)
