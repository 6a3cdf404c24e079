"""From ground rules to a network."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from graven.core.errors import UsageError
from graven.gdl import reach
from graven.gdl.gates import NO, YES, Gates
from graven.gdl.ground import Ground, Limits, TooLargeError, ground
from graven.gdl.network import ALWAYS, AND, BASE, MOVE, NEVER, NOT, OR, Network
from graven.gdl.normal import normal
from graven.gdl.program import program
from graven.gdl.read import Sheet

MOST_GATES = 3_000_000


@dataclass
class Report:
    """How a network came about: (what was done, gates, inputs of gates, seconds) in order."""

    stages: list[tuple[str, int, int, float]] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, stage: str, gates: int, inputs: int, since: float) -> float:
        """Note a stage that began at `since`; returns the time now."""
        now = time.perf_counter()
        self.stages.append((stage, gates, inputs, now - since))
        self.seconds += now - since
        return now


def network(sheet: Sheet, limits: Limits | None = None, report: Report | None = None) -> Network:
    """The network of a sheet; TooLargeError where it would go beyond the limits."""
    report = report or Report()
    began = time.perf_counter()
    grounded = ground(program(normal(sheet)), limits)
    rules = len(grounded.heads)
    heads = len(np.unique(grounded.heads))
    denied = len(np.unique(grounded.literals[grounded.literals & 1 == 1]))
    report.add("ground rules", rules + heads + denied, len(grounded.literals) + rules, began)
    return _Builder(sheet, grounded, report).network()


class _Builder:
    def __init__(self, sheet: Sheet, grounded: Ground, report: Report) -> None:
        self.sheet = sheet
        self.ground = grounded
        self.report = report
        self.names = grounded.program.relations
        self.roles = sheet.roles

    def network(self) -> Network:
        began = time.perf_counter()
        self._find()
        self._order()
        self._constants()
        used = self.rule_known != reach.FALSE
        matter = int(np.count_nonzero(used[self._rules_of(self.order)])) if len(self.order) else 0
        began = self.report.add("what matters and can change", matter + len(self.order), 0, began)
        self._gates()
        count, inputs = _size(self.gates, self._roots())
        began = self.report.add("equal gates once, common parts factored", count, inputs, began)
        self._absorb()
        count, inputs = _size(self.gates, self._roots())
        began = self.report.add("gates inside gates joined", count, inputs, began)
        made = self._emit()
        self.report.add("network", made.gates, len(made.inputs), began)
        return made

    # -- which atoms are what

    def _find(self) -> None:
        """Sort the atoms that mean something: bases, moves, legals, goals, terminal."""
        g = self.ground
        self.true: dict[tuple[object, ...], int] = {}
        self.next: dict[int, int] = {}
        """The atom `next f` of each atom `true f`."""
        self.initial: set[int] = set()
        for number, relation in enumerate(self.names):
            if relation.name == "true":
                atoms, rows = g.rows(number)
                for atom, row in zip(atoms.tolist(), rows.tolist(), strict=True):
                    self.true[relation.function, *row] = atom
        for number, relation in enumerate(self.names):
            if relation.name in ("next", "init"):
                atoms, rows = g.rows(number)
                for atom, row in zip(atoms.tolist(), rows.tolist(), strict=True):
                    base = self.true[relation.function, *row]
                    if relation.name == "next":
                        self.next[base] = atom
                    else:
                        self.initial.add(base)
        numbers = {g.program.numbers[role]: i for i, role in enumerate(self.roles)}
        self.legal: list[dict[str, int]] = [{} for _ in self.roles]
        self.does: list[dict[str, int]] = [{} for _ in self.roles]
        self.goal: list[dict[int, int]] = [{} for _ in self.roles]
        self.terminal = -1
        for number, relation in enumerate(self.names):
            if relation.name in ("legal", "does"):
                atoms, rows = g.rows(number)
                table = self.legal if relation.name == "legal" else self.does
                for atom, row in zip(atoms.tolist(), rows.tolist(), strict=True):
                    if row[0] in numbers:
                        table[numbers[row[0]]][g.compound(atom, 1)] = atom
            elif relation.name == "goal":
                atoms, rows = g.rows(number)
                for atom, (role, value) in zip(atoms.tolist(), rows.tolist(), strict=True):
                    if role in numbers:
                        self.goal[numbers[role]][_goal(g.value(value))] = atom
            elif relation.name == "terminal":
                atoms, _ = g.rows(number)
                if len(atoms):
                    self.terminal = int(atoms[0])

    def _order(self) -> None:
        """Find the atoms that anything depends on, in order."""
        g = self.ground
        count = len(g.relation)
        keep = ~((g.literals & 1 == 1) & ~g.holds[g.literals >> 1])  # never so: denial holds
        kept = np.concatenate(([0], np.cumsum(keep)))
        self.rules = reach.by_head(count, g.heads, kept[g.ends], g.literals[keep])
        done = reach.new_walk(count)
        roots = [atom for table in self.legal for atom in table.values()]
        roots += [atom for table in self.goal for atom in table.values()]
        roots += [self.terminal] if self.terminal >= 0 else []
        looked = 0
        while roots:
            reach.walk(self.rules, np.array(roots, np.int32), done)
            found = done.found[looked : done.meta[2]]
            looked = int(done.meta[2])
            roots = [self.next[a] for a in found.tolist() if a in self.next]
        self.order = done.found[:looked].copy()
        self.group = done.group[:looked].copy()

    def _rules_of(self, atoms: NDArray[np.int32]) -> NDArray[np.int64]:
        first, last = self.rules.first[atoms], self.rules.first[atoms + 1]
        return np.concatenate(
            [np.arange(a, b) for a, b in zip(first.tolist(), last.tolist(), strict=True)]
        )

    def _constants(self) -> None:
        """Find what is the same in every state that can be reached, from the start on."""
        count = len(self.ground.relation)
        known = np.zeros(count, np.int8)
        fixed = np.zeros(count, np.int8)
        self.rule_known = np.zeros(len(self.rules.start) - 1, np.int8)
        static = ~np.isin(self.ground.relation, list(self.ground.state))
        known[static & self.ground.holds] = reach.TRUE
        fixed[static] = 1
        bases = np.array(list(self.true.values()), np.int64)
        nexts = np.array([self.next.get(base, -1) for base in bases.tolist()], np.int64)
        known[list(self.initial)] = reach.TRUE
        fixed[bases] = 1
        pairs = [
            (np.array(list(does.values()), np.int64), np.array([legal[m] for m in does], np.int64))
            for does, legal in zip(self.does, self.legal, strict=True)
        ]
        for does, _ in pairs:
            fixed[does] = 1
        while True:
            reach.settle(self.rules, self.order, self.group, known, fixed, self.rule_known)
            moved = False
            for does, legal in pairs:
                possible = known[legal] != reach.FALSE
                value = reach.TRUE if np.count_nonzero(possible) == 1 else reach.EITHER
                now = np.where(possible, value, reach.FALSE)
                moved |= bool((known[does] != now).any())
                known[does] = now
            if moved:
                reach.settle(self.rules, self.order, self.group, known, fixed, self.rule_known)
            then = np.where(nexts >= 0, known[nexts], reach.FALSE)
            wrong = (then != known[bases]) & (known[bases] != reach.EITHER)
            if not wrong.any():
                break
            known[bases[wrong]] = reach.EITHER
        self.known = known

    # -- gates

    def _gates(self) -> None:
        """Make gates of all atoms that matter."""
        gates = self.gates = Gates()
        known = self.known
        self.literal: dict[int, int] = {}
        bases = set(self.true.values())
        for atom in self.order.tolist():
            if known[atom] != reach.EITHER:
                self.literal[atom] = YES if known[atom] == reach.TRUE else NO
            elif atom in bases:
                self.literal[atom] = gates.leaf()
        # Legal moves first, so that what they imply is known when moves appear in rules.
        cone = reach.new_walk(len(self.ground.relation))
        roots = [atom for table in self.legal for atom in table.values()]
        reach.walk(self.rules, np.array(roots, np.int32), cone)
        self._define(cone.found[: cone.meta[2]].tolist(), cone.group.tolist())
        for role, table in enumerate(self.does):
            literals = []
            for move, atom in table.items():
                if known[atom] == reach.EITHER:
                    literal = self.literal[atom] = gates.leaf()
                    gates.role[literal] = role
                    implied = gates.implications(self.literal[self.legal[role][move]])
                    gates.implied[literal] = implied - {YES}
                    literals.append(literal)
                else:
                    self.literal[atom] = YES if known[atom] == reach.TRUE else NO
            gates.moves[role] = frozenset(literals)
        self._define(self.order.tolist(), self.group.tolist())

    def _define(self, atoms: list[int], groups: list[int]) -> None:
        """Make gates of atoms that come in order; those of one group depend on each other."""
        i = 0
        while i < len(atoms):
            j = i + 1
            while j < len(atoms) and groups[j] == groups[i]:
                j += 1
            members = [atom for atom in atoms[i:j] if atom not in self.literal]
            if len(members) == 1:
                self.literal[members[0]] = self._value(members[0])
            elif members:
                self._unroll(members)
            i = j
            if len(self.gates.inputs) > MOST_GATES:
                relation = self.names[self.ground.relation[atoms[i - 1]]]
                raise TooLargeError(
                    f"the rules make more than {MOST_GATES:,} gates, at {relation}."
                )

    def _value(self, atom: int) -> int:
        terms = []
        literal, rules = self.literal, self.rules
        for rule in range(int(rules.first[atom]), int(rules.first[atom + 1])):
            if self.rule_known[rule] == reach.FALSE:
                continue
            body = rules.literals[rules.start[rule] : rules.start[rule + 1]].tolist()
            terms.append([literal[each >> 1] ^ (each & 1) for each in body])
        return self.gates.any_of(terms)

    def _unroll(self, members: list[int]) -> None:
        """Atoms that depend on each other: what follows from nothing, step by step."""
        for atom in members:
            self.literal[atom] = NO
        for _ in range(len(members)):
            before = [self.literal[atom] for atom in members]
            for atom in members:
                self.literal[atom] = self._value(atom)
            if before == [self.literal[atom] for atom in members]:
                break
            if len(self.gates.inputs) > MOST_GATES:
                relation = self.names[self.ground.relation[members[0]]]
                raise TooLargeError(f"the recursion of {relation} makes too many gates.")

    def _roots(self) -> list[int]:
        literal = self.literal
        roots = [literal[atom] for table in self.legal for atom in table.values()]
        roots += [literal[atom] for table in self.goal for atom in table.values()]
        roots += [literal[self.terminal]] if self.terminal >= 0 else []
        roots += [
            literal[self.next[base]]
            for base in self.true.values()
            if base in self.next and literal.get(base, NO) > YES
        ]
        return roots

    def _absorb(self) -> None:
        """Put gates that only one gate of the same kind reads into it."""
        gates, roots = self.gates, self._roots()
        reached = _cone(gates, roots)
        uses = [0] * len(gates.inputs)
        for gate in reached:
            for each in gates.inputs[gate]:
                uses[each >> 1] += 1 + (each & 1)  # read negated it is of another kind
        for each in roots:
            uses[each >> 1] += 2
        fresh = Gates()
        new = {0: NO}
        joined: dict[int, list[int]] = {}
        for gate in reached:
            inputs = gates.inputs[gate]
            if not inputs:
                if gate:
                    new[gate] = fresh.leaf()
                continue
            parts: list[int] = []
            for each in inputs:
                if each >> 1 in joined:
                    parts += joined.pop(each >> 1)
                else:
                    parts.append(new[each >> 1] ^ (each & 1))
            if uses[gate] == 1:
                joined[gate] = parts
            else:
                new[gate] = fresh.all(parts)
        self.literal = {
            atom: new[literal >> 1] ^ (literal & 1)
            for atom, literal in self.literal.items()
            if literal >> 1 in new
        }
        self.gates = fresh

    def _emit(self) -> Network:
        """Choose AND, OR and NOT, and number everything."""
        literal = self.literal
        bases = sorted(
            (atom for atom in self.true.values() if literal.get(atom, NO) > YES),
            key=lambda atom: (self.ground.relation[atom], atom),
        )
        out = _Output(self.gates)
        for atom in bases:
            out.leaf(literal[atom] >> 1, BASE)
        moves, does, legals = [], [], []
        for role in range(len(self.roles)):
            kept = sorted(text for text, atom in self.legal[role].items() if literal[atom] != NO)
            moves.append(tuple(kept))
            numbers = []
            for text in kept:
                lit = literal.get(self.does[role][text], -1)
                numbers.append(out.leaf(lit >> 1, MOVE) if lit > YES else NEVER)
            does.append(np.array(numbers, np.int32))
        for role in range(len(self.roles)):
            legals.append([literal[self.legal[role][text]] for text in moves[role]])
        terminal = literal[self.terminal] if self.terminal >= 0 else NO
        out.cone([lit for each in legals for lit in each] + [terminal])
        legal = tuple(np.array([out.number(x) for x in each], np.int32) for each in legals)
        end = out.number(terminal)
        follows = [literal[self.next[a]] if a in self.next else NO for a in bases]
        out.cone(follows)
        following = np.array([out.number(x) for x in follows], np.int32)
        values = [
            sorted(((v, literal[a]) for v, a in table.items() if literal[a] != NO), reverse=True)
            for table in self.goal
        ]
        out.cone([lit for each in values for _, lit in each])
        goals = tuple(tuple((v, out.number(lit)) for v, lit in each) for each in values)
        always = tuple(
            self.ground.compound(atom, 0)
            for atom in self.true.values()
            if literal.get(atom, NO) == YES
        )
        return Network(
            roles=self.roles,
            kinds=np.array(out.kinds, np.int8),
            starts=np.array(out.starts, np.int32),
            inputs=np.array(out.inputs, np.int32),
            bases=tuple(self.ground.compound(atom, 0) for atom in bases),
            next=following,
            init=np.array([atom in self.initial for atom in bases], np.bool_),
            moves=tuple(moves),
            does=tuple(does),
            legal=legal,
            terminal=end,
            goals=goals,
            always=always,
        )


class _Output:
    """Gates as they are numbered in the network."""

    def __init__(self, gates: Gates) -> None:
        self.gates = gates
        self.kinds: list[int] = []
        self.starts = [0]
        self.inputs: list[int] = []
        self.native: dict[int, int] = {}
        """The literal that a gate was made as: itself (AND) or its negation (OR)."""
        self.made: dict[int, int] = {NO: NEVER, YES: ALWAYS}
        """Literals that have a number."""

    def leaf(self, gate: int, kind: int) -> int:
        self.native[gate] = 2 * gate
        return self._new(2 * gate, kind, ())

    def _new(self, literal: int, kind: int, inputs: tuple[int, ...] | list[int]) -> int:
        self.kinds.append(kind)
        self.inputs.extend(inputs)
        self.starts.append(len(self.inputs))
        self.made[literal] = len(self.kinds) - 1
        return len(self.kinds) - 1

    def number(self, literal: int) -> int:
        """The number of a literal whose gate has been made; a NOT if it needs one."""
        if literal not in self.made:
            return self._new(literal, NOT, (self.made[literal ^ 1],))
        return self.made[literal]

    def cone(self, literals: list[int]) -> None:
        """Make all gates that these depend on, and NOTs for those that are read negated."""
        for gate in _cone(self.gates, literals):
            if gate in self.native or gate == 0:
                continue
            inputs = self.gates.inputs[gate]
            if not inputs:
                raise AssertionError("a proposition that was never numbered")
            as_and = sum(each not in self.made for each in inputs)
            as_or = sum(each ^ 1 not in self.made for each in inputs)
            if as_or < as_and:
                numbers = [self.number(each ^ 1) for each in inputs]
                self.native[gate] = 2 * gate + 1
                self._new(2 * gate + 1, OR, sorted(numbers))
            else:
                numbers = [self.number(each) for each in inputs]
                self.native[gate] = 2 * gate
                self._new(2 * gate, AND, sorted(numbers))
        for literal in literals:
            self.number(literal)


def _cone(gates: Gates, literals: list[int]) -> list[int]:
    """All gates that some literals depend on, each after its inputs."""
    inputs = gates.inputs
    needed = bytearray(len(inputs))
    waiting = [each >> 1 for each in literals]
    while waiting:
        gate = waiting.pop()
        if not needed[gate]:
            needed[gate] = 1
            waiting.extend(each >> 1 for each in inputs[gate])
    return [gate for gate in range(len(inputs)) if needed[gate]]


def _size(gates: Gates, roots: list[int]) -> tuple[int, int]:
    reached = _cone(gates, roots)
    return len(reached), sum(len(gates.inputs[gate]) for gate in reached)


def _goal(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= 100):
        raise UsageError(f"a goal is a whole number from 0 to 100, not {text}.")
    return int(text)
