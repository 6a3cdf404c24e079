"""From ground rules to a network."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from graven.core.cancellation import raise_if_cancelled
from graven.core.errors import UsageError
from graven.gdl import reach
from graven.gdl.check import goal_value
from graven.gdl.gates import NO, YES, Gates
from graven.gdl.ground import Ground, Limits, ground
from graven.gdl.network import BASE, MOVE, NEVER, Network
from graven.gdl.normal import normal
from graven.gdl.output import Flat, Output, cone, flatten
from graven.gdl.program import TooLargeError, program
from graven.gdl.read import Sheet, read

MOST_GATES = 3_000_000
HOUR = 3600.0
SMALLEST = """
(role p) (init (s a)) (f (g a))
(<= (legal p (m ?x)) (true (s ?x)) (f (g ?x)))
(<= (next (t ?x)) (does p (m ?x)) (not (true (t ?x))))
(<= terminal (true (t ?x)))
"""


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
    """The network of a sheet; TooLargeError where it would go beyond the limits.

    Kernels are compiled, or loaded, before the clock starts.
    """
    warm()
    return _network(sheet, limits, report or Report())


@cache
def warm() -> None:
    """Compile or load the kernels."""
    _network(read(SMALLEST), Limits(seconds=HOUR), Report())


def _network(sheet: Sheet, limits: Limits | None, report: Report) -> Network:
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
        began = self.report.add("what matters", len(self.order), self._literals(), began)
        self._gates()
        count, inputs = self._size()
        began = self.report.add("equal gates once, common parts factored", count, inputs, began)
        self._absorb()
        count, inputs = self._size()
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
        self.goal: list[dict[str, int]] = [{} for _ in self.roles]
        """By text: 50 and 050 are two goals of the same worth."""
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
                    # What may hold is more than what ever does: a score that is counted beyond
                    # 100 by rules that nobody gets to is no goal, and no reason to refuse a game.
                    if role in numbers and goal_value(text := g.value(value)) is not None:
                        self.goal[numbers[role]][text] = atom
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
        ends, literals = kept[g.ends], g.literals[keep]
        lengths = np.diff(ends, prepend=0)
        own = np.repeat(2 * g.heads, lengths)
        self._refuse(g.heads, np.flatnonzero(literals == own + 1), lengths)
        # A rule that needs what it gives gives nothing.
        idle = np.zeros(len(g.heads), np.bool_)
        idle[np.repeat(np.arange(len(g.heads)), lengths)[literals == own]] = True
        left = np.cumsum(lengths[~idle])
        literals = literals[~np.repeat(idle, lengths)]
        self.rules = reach.by_head(count, g.heads[~idle], left, literals)
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

    def _refuse(
        self, heads: NDArray[np.int32], wrong: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> None:
        """Literals that deny what their own rule gives leave the game without meaning."""
        if len(wrong):
            head = heads[np.repeat(np.arange(len(heads)), lengths)[wrong[0]]]
            raise UsageError(f"{self._named(int(head))} depends on its own denial.")

    def _named(self, atom: int) -> str:
        """An atom as text."""
        relation = self.names[self.ground.relation[atom]]
        first = self.ground.first[atom]
        values = self.ground.values[first : first + relation.columns].tolist()
        return f"({' '.join([str(relation), *map(self.ground.value, values)])})"

    def _literals(self) -> int:
        """How many literals the rules of all atoms that matter have."""
        ends = self.rules.start[self.rules.first]
        return int((ends[self.order + 1] - ends[self.order]).sum())

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
        self.lists = tuple(each.tolist() for each in self.rules)
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
                if self.literal[self.legal[role][move]] == NO:
                    self.literal[atom] = NO
                elif known[atom] == reach.EITHER:
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
            if members:
                self._look_at_limits(members[0])

    def _look_at_limits(self, atom: int) -> None:
        raise_if_cancelled()
        many = len(self.gates.inputs) > MOST_GATES
        if many or time.monotonic() > self.ground.deadline:
            why = f"the rules make more than {MOST_GATES:,} gates"
            why = why if many else "making gates takes too long"
            raise TooLargeError(f"{why}, at {self.names[self.ground.relation[atom]]}.")

    def _value(self, atom: int) -> int:
        literal, (first, start, literals) = self.literal, self.lists
        return self.gates.any_of(
            [literal[each >> 1] ^ (each & 1) for each in literals[start[rule] : start[rule + 1]]]
            for rule in range(first[atom], first[atom + 1])
        )

    def _unroll(self, members: list[int]) -> None:
        """Atoms that depend on each other: what follows from nothing, step by step."""
        inside = set(members)
        first, start, literals = self.lists
        for atom in members:
            self.literal[atom] = NO
            for each in literals[start[first[atom]] : start[first[atom + 1]]]:
                if each & 1 and each >> 1 in inside:
                    raise UsageError(f"{self._named(atom)} depends on its own denial.")
        for _ in range(len(members)):
            before = [self.literal[atom] for atom in members]
            for atom in members:
                self.literal[atom] = self._value(atom)
            if before == [self.literal[atom] for atom in members]:
                break
            self._look_at_limits(members[0])

    def _live(self) -> tuple[Flat, NDArray[np.int8], list[int]]:
        """The gates as arrays, which of them matter, and the literals that make them matter.

        Legal moves, goals and the end matter, and what becomes of bases that matter.
        """
        literal = self.literal
        flat = flatten(self.gates.inputs)
        needed = np.zeros(len(self.gates.inputs), np.int8)
        roots = [literal[atom] for table in self.legal for atom in table.values()]
        roots += [literal[atom] for table in self.goal for atom in table.values()]
        roots += [literal[self.terminal]] if self.terminal >= 0 else []
        bases = {literal[base] >> 1: base for base in self.true.values() if base in literal}
        new = roots
        while new:
            needed[np.array(new, np.int64) >> 1] = 1
            cone(flat, needed, 1)
            live = [gate for gate in bases if needed[gate]]
            new = [
                literal[self.next[bases.pop(gate)]] for gate in live if self._changes(bases[gate])
            ]
            roots = roots + new
        return flat, needed, roots

    def _changes(self, base: int) -> bool:
        """Whether a base may hold in a next state at all."""
        return base in self.next and self.literal[base] > YES

    def _absorb(self) -> None:
        """Put gates that only one gate of the same kind reads into it.

        Then larger sets of moves may come together, of which few are missing.
        """
        inputs = self.gates.inputs
        flat, needed, roots = self._live()
        literals = flat.literals[np.repeat(needed == 1, np.diff(flat.start))]
        reads = np.bincount(literals >> 1, minlength=len(inputs))
        reads += np.bincount(literals[literals & 1 == 1] >> 1, minlength=len(inputs))
        reads[np.array(roots, np.int64) >> 1] += 2
        alone = ((reads == 1) & (np.diff(flat.start) > 0)).tolist()
        fresh, new = Gates(), [NO] * len(inputs)
        for role, known in self.gates.moves.items():
            for move in known:
                new[move >> 1] = fresh.leaf()
                fresh.role[new[move >> 1]] = role
            fresh.moves[role] = frozenset(new[move >> 1] for move in known)
        joined: dict[int, list[int]] = {}
        for gate in np.flatnonzero(needed).tolist():
            parts: list[int] = []
            for each in inputs[gate]:
                if alone[each >> 1]:
                    parts += joined.pop(each >> 1)
                else:
                    parts.append(new[each >> 1] ^ (each & 1))
            if alone[gate]:
                joined[gate] = parts
            elif parts:
                new[gate] = fresh.any(each ^ 1 for each in parts) ^ 1
            elif gate and new[gate] == NO:
                new[gate] = fresh.leaf()
        self.literal = {
            atom: new[literal >> 1] ^ (literal & 1) for atom, literal in self.literal.items()
        }
        self.gates = fresh

    def _size(self) -> tuple[int, int]:
        """How many gates and inputs there are in what the roots depend on."""
        flat, needed, _ = self._live()
        return int(needed.sum()), int(np.diff(flat.start)[needed == 1].sum())

    def _emit(self) -> Network:
        """Choose AND, OR and NOT, and number everything."""
        literal = self.literal
        _, needed, _ = self._live()
        read = set((2 * np.flatnonzero(needed)).tolist())
        bases = sorted(
            (
                atom
                for atom in self.true.values()
                if literal.get(atom, NO) > YES and needed[literal[atom] >> 1]
            ),
            key=lambda atom: (self.ground.relation[atom], atom),
        )
        out = Output(self.gates.inputs)
        for atom in bases:
            out.leaf(literal[atom], BASE)
        moves, does, legals = [], [], []
        for role in range(len(self.roles)):
            kept = sorted(text for text, atom in self.legal[role].items() if literal[atom] != NO)
            moves.append(tuple(kept))
            made = [literal[self.does[role][text]] for text in kept]
            numbers = [out.leaf(each, MOVE) if each in read else NEVER for each in made]
            does.append(np.array(numbers, np.int32))
            legals.append([literal[self.legal[role][text]] for text in kept])
        terminal = literal[self.terminal] if self.terminal >= 0 else NO
        ends = np.cumsum([len(each) for each in legals])
        *legal, end = np.split(out.write([x for each in legals for x in each] + [terminal]), ends)
        following = out.write([literal[self.next[a]] if a in self.next else NO for a in bases])
        goals = []
        for table in self.goal:
            texts = [text for text in table if literal[table[text]] != NO]
            texts.sort(key=int, reverse=True)
            numbers = out.write([literal[table[text]] for text in texts]).tolist()
            goals.append(tuple(zip(map(int, texts), numbers, strict=True)))
        kinds, starts, inputs = out.arrays()
        always = tuple(
            self.ground.compound(atom, 0)
            for atom in self.true.values()
            if literal.get(atom, NO) == YES
        )
        return Network(
            roles=self.roles,
            kinds=kinds,
            starts=starts,
            inputs=inputs,
            bases=tuple(self.ground.compound(atom, 0) for atom in bases),
            next=following,
            init=np.array([atom in self.initial for atom in bases], np.bool_),
            moves=tuple(moves),
            does=tuple(does),
            legal=tuple(legal),
            terminal=int(end[0]),
            goals=tuple(goals),
            always=always,
        )
