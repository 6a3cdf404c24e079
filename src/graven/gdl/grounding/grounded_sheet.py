"""The result of grounding: atoms and ground rules as arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graven.gdl.grounding.numbered_rules import NumberedProgram


@dataclass
class GroundedSheet:
    """All atoms that may be true and all ground rules of a sheet."""

    program: NumberedProgram
    relation: NDArray[np.int32]
    """(atoms,) the relation of each atom."""
    first: NDArray[np.int32]
    values: NDArray[np.int32]
    """An atom's values start at its `first`."""
    derivable: NDArray[np.bool_]
    """(atoms,) whether it may be true: some atoms only occur negated."""
    state: frozenset[int]
    """Relations that depend on the state."""
    heads: NDArray[np.int32]
    """(rules,) the atom that each ground rule derives."""
    ends: NDArray[np.int64]
    """(rules,) where its literals end."""
    literals: NDArray[np.int32]
    """2 * atom, + 1 where it is negated; only atoms that depend on the state."""
    steps: int
    """The steps of all joins."""
    deadline: float
    """The end of the time limit, by `clock`."""
    clock: Callable[[], float]

    def rows(self, relation: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the atoms of a relation that may be true, and their values, one row each."""
        atoms = np.flatnonzero((self.relation == relation) & self.derivable)
        width = self.program.relations[relation].columns
        return atoms, self.values[self.first[atoms][:, None] + np.arange(width)]

    def value(self, value: int) -> str:
        """Return a constant or function as text."""
        if value < len(self.program.constants):
            return self.program.constants[value]
        atom = value - len(self.program.constants)
        return self.compound(atom, 0)

    def compound(self, atom: int, skip: int) -> str:
        """Return the function in an atom as text; `skip` columns before it are other arguments."""
        relation = self.program.relations[self.relation[atom]]
        first = int(self.first[atom])
        values = [self.value(int(v)) for v in self.values[first + skip : first + relation.columns]]
        if relation.function is None or relation.function[1] < 0:
            return values[0]
        return f"( {' '.join([relation.function[0], *values])} )"

    def compounds(self, relation: int, skip: int) -> list[str]:
        """Return the function in each atom that may be true of a relation, in their order."""
        atoms, rows = self.rows(relation)
        function = self.program.relations[relation].function
        constants = self.program.constants
        if function is None or function[1] < 0 or (rows >= len(constants)).any():
            return [self.compound(atom, skip) for atom in atoms.tolist()]
        name, words = function[0], constants.__getitem__
        return [f"( {' '.join([name, *map(words, row[skip:])])} )" for row in rows.tolist()]

    def atom_text(self, atom: int) -> str:
        """Return an atom as text."""
        relation = self.program.relations[self.relation[atom]]
        first = self.first[atom]
        values = self.values[first : first + relation.columns].tolist()
        return f"({' '.join([str(relation), *map(self.value, values)])})"
