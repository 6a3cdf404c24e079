"""Gates while a network is being built: every gate once, and as few as possible.

There is one kind of gate, AND, and a literal is a gate or its negation: 2 * gate, + 1 where
negated. OR is the negated AND of negations. So equal things look equal, whatever they are called
in the rules, and a table of all gates finds them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

NO, YES = 0, 1
"""The constants: gate 0, and its negation."""
MOST_MOVES = 5000
"""Larger sets of moves are not remembered."""


class Gates:
    """All gates made so far. A gate without inputs is a proposition or a move."""

    def __init__(self) -> None:
        self.inputs: list[tuple[int, ...]] = [()]
        self.table: dict[tuple[int, ...], int] = {}
        self.role: dict[int, int] = {}
        """Of a move's literal: whose it is."""
        self.moves: dict[int, frozenset[int]] = {}
        """All move literals of a role: exactly one of them is true."""
        self.implied: dict[int, frozenset[int]] = {}
        """What holds wherever a move is made, since it was legal."""
        self.one_of: dict[int, dict[int, set[int]]] = {}
        """Literals that say that one of some moves was made, by role, and nothing else."""

    def leaf(self) -> int:
        """A new proposition or move."""
        self.inputs.append(())
        return 2 * (len(self.inputs) - 1)

    def all(self, literals: Iterable[int]) -> int:
        """The literal that is true where all of these are."""
        wanted = self._reduced(literals)
        if wanted is None:
            return NO
        if len(wanted) < 2:
            return next(iter(wanted), YES)
        key = tuple(sorted(wanted))
        known = self.table.get(key)
        if known is None:
            self.inputs.append(key)
            known = self.table[key] = 2 * (len(self.inputs) - 1)
        return known

    def any(self, literals: Iterable[int]) -> int:
        """The literal that is true where at least one of these is."""
        wanted = set(literals)
        made: dict[int, set[int]] = {}
        if self.role and len(wanted) > 1:
            made = self._turn_round(wanted)
        found = self.all(each ^ 1 for each in wanted) ^ 1
        if made and sum(map(len, made.values())) <= MOST_MOVES and found > YES:
            self.one_of[found] = made
        return found

    def _turn_round(self, wanted: set[int]) -> dict[int, set[int]]:
        """One of these many moves of a role: none of its few others.

        Returns all moves of which one was made, by role, if the literals say nothing else.
        """
        parts = {each for each in wanted if each in self.role or each in self.one_of}
        pure = len(parts) == len(wanted)
        made: dict[int, set[int]] = {}
        for each in parts:
            if each in self.role:
                made.setdefault(self.role[each], set()).add(each)
            else:
                for role, moves in self.one_of[each].items():
                    made.setdefault(role, set()).update(moves)
        others = {role: len(self.moves[role]) - len(moves) for role, moves in made.items()}
        if sum(min(len(moves), others[role]) for role, moves in made.items()) < len(parts):
            wanted -= parts
            for role, moves in made.items():
                if others[role] < len(moves):
                    wanted.add(self.all(each ^ 1 for each in self.moves[role] - moves))
                else:
                    wanted |= moves
        return made if pure else {}

    def _reduced(self, literals: Iterable[int]) -> set[int] | None:
        """A set of literals without those that others imply; None where they contradict."""
        wanted = set(literals)
        if NO in wanted:
            return None
        wanted.discard(YES)
        if len(wanted) < 2:
            return wanted
        if not self.role.keys().isdisjoint(wanted):
            made = [each for each in wanted if each in self.role]
            if len({self.role[each] for each in made}) < len(made):
                return None  # two moves of one role
            for move in made:
                for each in self.implied.get(move, ()):
                    if each ^ 1 in wanted:
                        return None
                wanted -= self.implied.get(move, frozenset())
                wanted.add(move)
                # That no other move was made is known as well.
                others = self.moves[self.role[move]]
                denied = [e for e in wanted if e & 1 and e ^ 1 != move and e ^ 1 in others]
                wanted.difference_update(denied)
        for each in wanted:
            if each ^ 1 in wanted:
                return None
        return wanted

    def any_of(self, terms: Iterable[Sequence[int]]) -> int:
        """The literal that is true where all literals of at least one term are."""
        single: set[int] = set()
        larger: set[frozenset[int]] = set()
        for term in terms:
            wanted = self._reduced(term) if len(term) > 1 else term
            if wanted is None:
                continue
            if not wanted:
                return YES
            if len(wanted) == 1:
                single.update(wanted)
            else:
                larger.add(frozenset(wanted))
        return self._factored(single, larger)

    def _factored(self, single: set[int], larger: set[frozenset[int]]) -> int:
        """Take out what terms have in common: (a and b) or (a and c) is a and (b or c).

        `single` are terms of one literal, `larger` those of more.
        """
        single, larger = _merged(single, larger)
        while larger:
            counts = Counter(chain.from_iterable(larger))
            common, count = max(counts.items(), key=_by_count)
            if count < 2:
                single.update(self.all(term) for term in larger)
                break
            inside = {term for term in larger if common in term}
            larger -= inside
            rest = {term - {common} for term in inside}
            alone = {next(iter(term)) for term in rest if len(term) == 1}
            inner = self._factored(alone, {term for term in rest if len(term) > 1})
            single.add(self.all((common, inner)))
        return self.any(single)

    def implications(self, literal: int, depth: int = 4) -> frozenset[int]:
        """Literals that are true wherever this one is: some of them, cheaply found."""
        inputs = self.inputs[literal >> 1]
        found = {literal}
        if not inputs or not depth:
            return frozenset(found)
        if literal & 1:
            # An OR: what all of its parts imply.
            if len(inputs) <= 64:
                shared = self.implications(inputs[0] ^ 1, depth - 1)
                for each in inputs[1:]:
                    if not shared:
                        break
                    shared &= self.implications(each ^ 1, depth - 1)
                found |= shared
        else:
            found.update(inputs)
            for each in inputs:
                if self.inputs[each >> 1] and depth > 1:
                    found |= self.implications(each, depth - 1)
        return frozenset(found)


def _by_count(item: tuple[int, int]) -> tuple[int, int]:
    return item[1], item[0]


def _merged(single: set[int], larger: set[frozenset[int]]) -> tuple[set[int], set[frozenset[int]]]:
    """Fewer terms that say the same: x or (x and y) is x, x or (not x and y) is x or y."""
    while single and larger:
        denied = {each ^ 1 for each in single}
        fewer: set[frozenset[int]] = set()
        found: set[int] = set()
        for term in larger:
            if term.isdisjoint(single):
                term -= denied
                if len(term) > 1:
                    fewer.add(term)
                elif term:
                    found.update(term)
                else:
                    return {YES}, set()
        larger = fewer
        if found <= single:
            break
        single = single | found
    return single, larger
