"""GDL the slow, obvious way: all that follows from a state, by trying every rule on every fact.

Shares nothing with the grounder but the reader.
"""

from __future__ import annotations

from collections.abc import Iterator

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
    spaced,
)
from graven.gdl.network.propositional import Network

Binding = dict[str, Term]
Model = dict[str, set[tuple[Term, ...]]]


class Prover:
    def __init__(self, sheet: Sheet) -> None:
        self.roles = sheet.roles
        self.levels = _levels(sheet)

    def model(self, true: set[Term], does: dict[str, Term] | None = None) -> Model:
        """Everything that holds in a state, after the moves made."""
        facts: Model = {"true": {(fact,) for fact in true}}
        facts["does"] = {(role, move) for role, move in (does or {}).items()}
        for rules in self.levels:
            growing = True
            while growing:
                growing = False
                for rule in rules:
                    for binding in list(_solve(list(rule.body), {}, facts)):
                        args = tuple(_fill(arg, binding) for arg in rule.head.args)
                        known = facts.setdefault(rule.head.name, set())
                        if args not in known:
                            known.add(args)
                            growing = True
        return facts

    def start(self) -> set[Term]:
        return {fact for (fact,) in self.model(set()).get("init", set())}

    def legal(self, state: set[Term]) -> list[list[str]]:
        legal = self.model(state).get("legal", set())
        return [sorted(spaced(move) for r, move in legal if r == role) for role in self.roles]

    def terminal(self, state: set[Term]) -> bool:
        return bool(self.model(state).get("terminal"))

    def goals(self, state: set[Term]) -> list[list[int]]:
        goals = self.model(state).get("goal", set())
        return [sorted(int(spaced(v)) for r, v in goals if r == role) for role in self.roles]

    def next(self, state: set[Term], joint: list[str]) -> set[Term]:
        legal = self.model(state)["legal"]
        made = {
            role: next(move for r, move in legal if r == role and spaced(move) == text)
            for role, text in zip(self.roles, joint, strict=True)
        }
        return {fact for (fact,) in self.model(state, made).get("next", set())}


def _levels(sheet: Sheet) -> list[list[Rule]]:
    """Rules in groups, each group after all that it denies."""
    level = {rule.head.name: 0 for rule in sheet.rules}
    for _ in range(len(level) + 1):
        changed = False
        for rule in sheet.rules:
            for name, denied in _names(And(rule.body), False):
                least = level.get(name, 0) + denied
                if level[rule.head.name] < least:
                    level[rule.head.name] = least
                    changed = True
        if not changed:
            break
    else:
        raise ValueError("not stratified")
    return [
        [rule for rule in sheet.rules if level[rule.head.name] == number]
        for number in range(max(level.values()) + 1)
    ]


def _names(literal: Literal, denied: bool) -> Iterator[tuple[str, bool]]:
    match literal:
        case Atom(name):
            yield name, denied
        case Not(body):
            yield from _names(body, True)
        case Or(parts) | And(parts):
            for part in parts:
                yield from _names(part, denied)


def _solve(literals: list[Literal], binding: Binding, facts: Model) -> Iterator[Binding]:
    """All bindings that satisfy the literals: what needs values waits for those that give them."""
    if not literals:
        yield binding
        return
    ready = [i for i, each in enumerate(literals) if isinstance(each, Atom | Or | And)]
    i = ready[0] if ready else 0
    first, rest = literals[i], literals[:i] + literals[i + 1 :]
    match first:
        case Atom(name, args):
            for values in list(facts.get(name, ())):
                found = _match(args, values, binding)
                if found is not None:
                    yield from _solve(rest, found, facts)
        case Or(parts):
            for part in parts:
                yield from _solve([part, *rest], binding, facts)
        case And(parts):
            yield from _solve([*parts, *rest], binding, facts)
        case Distinct(left, right):
            if _fill(left, binding) != _fill(right, binding):
                yield from _solve(rest, binding, facts)
        case Not(body):
            if next(_solve([body], binding, facts), None) is None:
                yield from _solve(rest, binding, facts)


def _match(
    patterns: tuple[Term, ...], values: tuple[Term, ...], binding: Binding
) -> Binding | None:
    if len(patterns) != len(values):
        return None
    for pattern, value in zip(patterns, values, strict=True):
        if isinstance(pattern, Variable):
            if pattern.name not in binding:
                binding = {**binding, pattern.name: value}
            elif binding[pattern.name] != value:
                return None
        elif isinstance(pattern, Compound):
            if not isinstance(value, Compound) or value.name != pattern.name:
                return None
            found = _match(pattern.args, value.args, binding)
            if found is None:
                return None
            binding = found
        elif pattern != value:
            return None
    return binding


def _fill(term: Term, binding: Binding) -> Term:
    if isinstance(term, Variable):
        return binding[term.name]
    if isinstance(term, Compound):
        return Compound(term.name, tuple(_fill(arg, binding) for arg in term.args))
    return term


class Machine:
    """A network the slow, obvious way: every gate, one after another."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.state = [bool(value) for value in network.init]

    def values(self, joint: list[str] | None = None) -> list[bool]:
        network = self.network
        made = set()
        for role, move in enumerate(joint or []):
            made.add(network.does[role][network.moves[role].index(move)])
        values = [False, *self.state]
        for node in range(len(values), len(network.inputs)):
            inputs = network.inputs[node]
            assert all(literal >> 1 < node for literal in inputs)
            if node < network.first_gate:
                values.append(node in made)
            else:
                assert len(inputs) > 1
                values.append(all(held(values, literal) for literal in inputs))
        return values

    def legal(self) -> list[list[str]]:
        values = self.values()
        return [
            sorted(m for m, x in zip(moves, literals, strict=True) if held(values, x))
            for moves, literals in zip(self.network.moves, self.network.legal, strict=True)
        ]

    def terminal(self) -> bool:
        return held(self.values(), self.network.terminal)

    def goals(self) -> list[list[int]]:
        values = self.values()
        return [sorted(v for v, x in goals if held(values, x)) for goals in self.network.goals]

    def play(self, joint: list[str]) -> None:
        values = self.values(joint)
        self.state = [held(values, literal) for literal in self.network.next]


def held(values: list[bool], literal: int) -> bool:
    return not values[literal >> 1] if literal & 1 else values[literal >> 1]
