"""The ground atoms that a game consists of: bases, moves, legality, goals and the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from graven.gdl.grounding.grounded_sheet import GroundedSheet
from graven.gdl.language.sheet_checks import goal_value


@dataclass
class GameAtoms:
    """Atoms by their number among the ground atoms."""

    true: dict[tuple[object, ...], int] = field(default_factory=dict)
    """Atoms of `true`, by function and arguments."""
    next: dict[int, int] = field(default_factory=dict)
    """For an atom of `true`, the atom of `next` with the same argument."""
    initial: set[int] = field(default_factory=set)
    """Atoms of `true` that hold in the initial state."""
    legal: list[dict[str, int]] = field(default_factory=list)
    """For each role, atoms of `legal` by the text of the move."""
    does: list[dict[str, int]] = field(default_factory=list)
    """For each role, atoms of `does` by the text of the move."""
    goal: list[dict[str, int]] = field(default_factory=list)
    """For each role, atoms of `goal` by text: 50 and 050 are two goals of the same value."""
    terminal: int | None = None

    def outputs(self) -> list[int]:
        """Return the atoms that a player of the game sees: legal moves, goals and the end."""
        atoms = [atom for table in self.legal for atom in table.values()]
        atoms += [atom for table in self.goal for atom in table.values()]
        return atoms + ([] if self.terminal is None else [self.terminal])

    def legal_atoms(self) -> list[int]:
        """Return the atoms of `legal` of all roles."""
        return [atom for table in self.legal for atom in table.values()]


def game_atoms(ground: GroundedSheet, roles: Sequence[str]) -> GameAtoms:
    """Sort the ground atoms that have a meaning in the game."""
    game = GameAtoms()
    for table in (game.legal, game.does, game.goal):
        table += [{} for _ in roles]
    _add_bases(ground, game)
    numbers = {ground.program.numbers[role]: i for i, role in enumerate(roles)}
    for number, relation in enumerate(ground.program.relations):
        if relation.name in ("legal", "does"):
            atoms, rows = ground.rows(number)
            tables = game.legal if relation.name == "legal" else game.does
            texts, roles_of = ground.compounds(number, 1), rows[:, 0].tolist()
            for atom, role, text in zip(atoms.tolist(), roles_of, texts, strict=True):
                if role in numbers:
                    tables[numbers[role]][text] = atom
        elif relation.name == "goal":
            atoms, rows = ground.rows(number)
            for atom, (role, value) in zip(atoms.tolist(), rows.tolist(), strict=True):
                # Grounding finds more than what is reachable: ignore goals out of range, such as
                # a score above 100 that no match reaches.
                if role in numbers and goal_value(text := ground.value(value)) is not None:
                    game.goal[numbers[role]][text] = atom
        elif relation.name == "terminal":
            atoms, _ = ground.rows(number)
            if len(atoms):
                game.terminal = int(atoms[0])
    return game


def _add_bases(ground: GroundedSheet, game: GameAtoms) -> None:
    """Add the atoms of `true`, `next` and `init`."""
    relations = list(enumerate(ground.program.relations))
    for number, relation in relations:
        if relation.name == "true":
            atoms, rows = ground.rows(number)
            for atom, row in zip(atoms.tolist(), rows.tolist(), strict=True):
                game.true[relation.function, *row] = atom
    for number, relation in relations:
        if relation.name in ("next", "init"):
            atoms, rows = ground.rows(number)
            for atom, row in zip(atoms.tolist(), rows.tolist(), strict=True):
                base = game.true[relation.function, *row]
                if relation.name == "next":
                    game.next[base] = atom
                else:
                    game.initial.add(base)
