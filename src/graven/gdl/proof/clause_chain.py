"""A clause as a chain of steps, for one choice of known arguments.

A step is a small function that gets the clause's values in a list, `slots`, and calls the next step
once for each way to go on. It returns True to say that nobody needs further answers. Constants
stand in the list too, so that what is known of a goal is always some places of it, which one
`itemgetter` takes out. Values that are found together get places side by side: one slice sets
them. One value stands for itself, several are a tuple.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, Protocol

from graven.core.errors import UsageError
from graven.gdl.language.kif_reader import Atom, Compound, Distinct, Term, Variable, show
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

Slots = list[int]
Step = Callable[[Slots], Any]
Key = Any
"""One number, or a tuple of several or none."""
Ask = Callable[[Key], list[Key]]
"""From the known arguments of a relation to the others, for each answer."""
Chain = Callable[[Key, Callable[[Key], Any]], Any]
"""`chain(known arguments, found)` calls `found` with each answer, until that returns True."""


class Source(Protocol):
    """Who answers for relations."""

    terms: TermTable
    ticks: list[int]

    def pause(self) -> None:
        """Called when `ticks[0]` falls below 0: sets it, or raises if all takes too long."""

    def ask(self, relation: Relation, known: tuple[int, ...]) -> Ask:
        """A relation with these places known."""

    def ask_true(self, function: tuple[int, int] | None, known: tuple[int, ...]) -> Ask:
        """The arguments of the state's terms with this function; None: the terms themselves."""

    def size(self, goal: Atom, known: Sequence[int]) -> float:
        """How many answers a goal with these places known may have, roughly."""

    def needs(self, goal: Atom) -> frozenset[int]:
        """Which arguments must be known before it can be asked."""


def picker(places: Sequence[int]) -> Callable[[Sequence[int]], Key]:
    """The function that takes these places out of a row."""
    return itemgetter(*places) if places else lambda row: ()


def make_chain(source: Source, clause: ProofClause, known: tuple[int, ...]) -> Chain:
    """The chain for a clause whose head has these arguments known."""
    return _Maker(source, clause, known).chain()


class _Maker:
    """Lays out the slots of a clause while its goals are put in order."""

    def __init__(self, source: Source, clause: ProofClause, known: tuple[int, ...]) -> None:
        self.source = source
        self.clause = clause
        self.known = known
        self.first: list[int] = []  # the slots as every call finds them: constants filled in
        self.places: dict[Term, int] = {}  # where a known term stands
        self.links: list[Callable[[Step], Step]] = []  # each makes a step from the next one

    def chain(self) -> Chain:
        """The whole chain."""
        args = self.clause.head.args
        given = [args[place] for place in self.known]
        self._receive(given)
        self._in_order(list(self.clause.body))
        left = [self._place(args[i]) for i in range(len(args)) if i not in self.known]
        answer = picker(left)
        links, first, count = self.links, self.first, len(given)

        # The last step hands the answer to whoever asked, who stands in the last slot.
        def last(slots: Slots) -> Any:
            return slots[-1](answer(slots))  # type: ignore[operator]

        step: Step = last
        for link in reversed(links):
            step = link(step)

        if count == 1:

            def run_one(key: Key, found: Callable[[Key], Any]) -> Any:
                slots: list[Any] = [*first, found]
                slots[0] = key
                return step(slots)

            return run_one

        def run(key: Key, found: Callable[[Key], Any]) -> Any:
            slots: list[Any] = [*first, found]
            slots[:count] = key
            return step(slots)

        return run

    # Goals in a good order.

    def _in_order(self, waiting: list[Goal]) -> None:
        """Always the goal with the fewest answers next; tests as soon as they can be made."""
        while waiting:
            costs = [self._cost(goal, waiting) for goal in waiting]
            best = min(range(len(waiting)), key=costs.__getitem__)
            if costs[best] == float("inf"):
                raise UsageError(
                    f"the rule for {show(self.clause.head)} is not safe: nothing gives a value to "
                    f"the variables of {_shown(waiting[best])}."
                )
            self._add(waiting.pop(best))

    def _cost(self, goal: Goal, waiting: list[Goal]) -> float:
        if not isinstance(goal, Atom):
            if isinstance(goal, Negation):
                # A variable of its own: no value of it may make the atom true.
                others = (other for other in waiting if other is not goal)
                outside = {name for other in others for name in variables(other)}
                outside |= {*variables(self.clause.head)}
                free = [name for name in self._unknown(goal) if name in outside]
                return float("inf") if free else 0.5
            if isinstance(goal, Equal):
                sides = self._unknown(goal.left), self._unknown(goal.right)
                return 0.0 if not all(sides) else float("inf")
            return 0.0 if not self._unknown(goal) else float("inf")
        if any(self._unknown(goal.args[place]) for place in self.source.needs(goal)):
            return float("inf")
        inner = goal.args[0] if goal.name == "true" and len(goal.args) == 1 else None
        parts = inner.args if isinstance(inner, Compound) else goal.args
        known = [place for place, part in enumerate(parts) if not self._unknown(part)]
        return self.source.size(goal, known)

    def _unknown(self, part: Term | Goal) -> list[str]:
        return [name for name in variables(part) if Variable(name) not in self.places]

    # Slots.

    def _slot(self, value: int = 0) -> int:
        self.first.append(value)
        return len(self.first) - 1

    def _place(self, term: Term) -> int:
        """Where a known term stands, built first if it is a function of known terms."""
        place = self.places.get(term)
        if place is not None:
            return place
        if not self._unknown(term) and not [*variables(term)]:
            place = self._slot(self.source.terms.number(term))
        elif isinstance(term, Compound) and not self._unknown(term):
            name = self._place(term.name)
            place = self._build([name, *map(self._place, term.args)])
        else:
            raise UsageError(
                f"the rule for {show(self.clause.head)} is not safe: nothing gives a value to "
                f"{show(term)}."
            )
        self.places[term] = place
        return place

    def _build(self, parts: list[int]) -> int:
        take, compound = picker(parts), self.source.terms.compound
        one = len(parts) == 1
        place = self._slot()

        def link(then: Step) -> Step:
            def build(slots: Slots) -> Any:
                slots[place] = compound((take(slots),) if one else take(slots))
                return then(slots)

            return build

        self.links.append(link)
        return place

    def _receive(self, found: list[Term]) -> tuple[int, int]:
        """Places side by side for values of these terms; then what the terms demand of them."""
        begin = len(self.first)
        self.first += [0] * len(found)
        for place, term in enumerate(found, begin):
            self._match(term, place)
        return begin, begin + len(found)

    def _match(self, term: Term, place: int) -> None:
        if isinstance(term, Variable) and term not in self.places:
            self.places[term] = place
        elif isinstance(term, Compound) and self._unknown(term):
            self._take_apart(term, place)
        else:
            self._compare(self._place(term), place, same=True)

    def _compare(self, left: int, right: int, same: bool) -> None:
        def link(then: Step) -> Step:
            if same:
                return lambda slots: then(slots) if slots[left] == slots[right] else None
            return lambda slots: then(slots) if slots[left] != slots[right] else None

        self.links.append(link)

    def _take_apart(self, term: Compound, place: int) -> None:
        terms = self.source.terms
        parts, name, size = terms.parts, terms.constant(term.name), len(term.args) + 1
        begin = len(self.first)
        end = begin + len(term.args)

        def link(then: Step) -> Step:
            def take_apart(slots: Slots) -> Any:
                row = parts[slots[place]]
                if len(row) != size or row[0] != name:
                    return None
                slots[begin:end] = row[1:]
                return then(slots)

            return take_apart

        self.links.append(link)
        self._receive(list(term.args))

    # Steps.

    def _add(self, goal: Goal) -> None:
        if isinstance(goal, Distinct):
            self._compare(self._place(goal.left), self._place(goal.right), same=False)
        elif isinstance(goal, Equal):
            known, other = goal.left, goal.right
            if self._unknown(known):
                known, other = other, known
            self._match(other, self._place(known))
        elif isinstance(goal, Negation):
            ask, key, _ = self._asking(goal.atom)
            self.links.append(_unless(ask, key))
        else:
            ask, key, found = self._asking(goal)
            if not found:
                self.links.append(_if(ask, key))
                return
            at = len(self.links)
            begin, end = self._receive(found)
            self.links.insert(at, _each(self.source, ask, key, begin, end))

    def _asking(self, atom: Atom) -> tuple[Ask, Callable[[Sequence[int]], Key], list[Term]]:
        """Who answers for the atom, what it is asked with, and what it finds."""
        args, inner = atom.args, atom.args[0] if atom.args else None
        is_true = atom.name == "true" and len(args) == 1
        function = None
        if is_true and isinstance(inner, Compound) and inner.args:
            function = self.source.terms.constant(inner.name), len(inner.args)
            args = inner.args
        known = tuple(i for i, term in enumerate(args) if not self._unknown(term))
        key = picker([self._place(args[i]) for i in known])
        if is_true:
            ask = self.source.ask_true(function, known)
        else:
            ask = self.source.ask(relation_of(atom), known)
        return ask, key, [term for i, term in enumerate(args) if i not in known]


def _if(ask: Ask, key: Callable[[Sequence[int]], Key]) -> Callable[[Step], Step]:
    return lambda then: lambda slots: then(slots) if ask(key(slots)) else None


def _unless(ask: Ask, key: Callable[[Sequence[int]], Key]) -> Callable[[Step], Step]:
    return lambda then: lambda slots: None if ask(key(slots)) else then(slots)


def _each(
    source: Source, ask: Ask, key: Callable[[Sequence[int]], Key], begin: int, end: int
) -> Callable[[Step], Step]:
    ticks, pause = source.ticks, source.pause

    def link(then: Step) -> Step:
        def one(slots: Slots) -> Any:
            ticks[0] -= 1
            if ticks[0] < 0:
                pause()
            answers = ask(key(slots))
            for slots[begin] in answers:
                if then(slots):
                    return True
            return None

        def several(slots: Slots) -> Any:
            ticks[0] -= 1
            if ticks[0] < 0:
                pause()
            answers = ask(key(slots))
            for slots[begin:end] in answers:
                if then(slots):
                    return True
            return None

        return one if end - begin == 1 else several

    return link


def _shown(goal: Goal) -> str:
    if isinstance(goal, Negation):
        return f"(not {show(goal.atom)})"
    if isinstance(goal, Equal):
        return f"(not (distinct {show(goal.left)} {show(goal.right)}))"
    return show(goal)
