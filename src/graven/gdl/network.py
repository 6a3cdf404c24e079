"""A game as propositions and gates: what grounding makes and the kernels run.

A gate is a number. Base propositions come first, then the moves, then everything that is worked
out from them, each gate after all of its inputs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BASE, MOVE, AND, OR, NOT = range(5)
"""Kinds of gates. AND and OR have at least two inputs, NOT has one."""
NEVER, ALWAYS = -1, -2
"""Stand for a gate where something is constant: always false, always true."""


@dataclass(frozen=True)
class Network:
    """Propositions and gates of one game."""

    roles: tuple[str, ...]
    kinds: NDArray[np.int8]
    """(gates,) what each gate is."""
    starts: NDArray[np.int32]
    """(gates + 1,) the inputs of gate g are `inputs[starts[g] : starts[g + 1]]`."""
    inputs: NDArray[np.int32]
    """Gates, each of a smaller number than the gate that they are inputs of."""
    bases: tuple[str, ...]
    """The text of each base proposition, as `( cell 1 1 b )`; base i is gate i."""
    next: NDArray[np.int32]
    """(bases,) the gate that says whether the base holds in the next state, or a constant."""
    init: NDArray[np.bool_]
    """(bases,) whether the base holds at the start."""
    moves: tuple[tuple[str, ...], ...]
    """For each role the text of each move that can ever be legal, as `( mark 1 1 )`."""
    does: tuple[NDArray[np.int32], ...]
    """For each role and move its MOVE gate; NEVER where nothing depends on it."""
    legal: tuple[NDArray[np.int32], ...]
    """For each role and move the gate that says that it is legal, or a constant."""
    terminal: int
    """The gate that says that the game is over, or a constant."""
    goals: tuple[tuple[tuple[int, int], ...], ...]
    """For each role (goal value, gate or constant), by descending value."""
    always: tuple[str, ...] = ()
    """Base propositions that hold in every state, left out of `bases`."""

    @property
    def gates(self) -> int:
        """How many gates there are, propositions included."""
        return len(self.kinds)
