"""Everything about the arrays of a tree follows from their declarations."""

from __future__ import annotations

import numpy as np
import pytest
from numba import typeof

from graven.games.registry import make_game
from graven.search.layout import arrays_of, numba_type
from graven.search.tree import RECORD, TREE, Record, Tree, new_record
from graven.search.tree_arena import GROUPS, TreeArena

RULES = make_game("breakthrough(size=5)").rules


def test_declared_types_are_those_of_the_arrays():
    assert typeof(TreeArena(RULES, 1 << 24).tree) == TREE == numba_type(Tree)
    assert typeof(new_record(RULES)) == RECORD == numba_type(Record)


def test_every_group_named_in_a_declaration_exists():
    for array in arrays_of(Tree):
        assert array.size.group in {"", *GROUPS}
        assert array.size.refers in {"", *GROUPS}
        if array.size.refers:
            assert array.dtype == np.int32


@pytest.mark.parametrize("name", GROUPS)
def test_a_group_doubles_and_keeps_its_content(name):
    arena = TreeArena(RULES, 1 << 26)
    before = arena.tree
    copies = [array.copy() for array in before]
    for array in before:
        array[:] = 1
    before.meta[:] = 0  # no nodes: the transposition table stays empty
    arena.grow(GROUPS[name])
    for array, old, new in zip(arrays_of(Tree), copies, arena.tree, strict=True):
        grown = array.size.group == name
        assert len(new) == (2 if grown else 1) * len(old)
        if grown and array.name != "slots":
            assert (new[: len(old)] == 1).all()


def test_a_full_arena_is_closed_instead_of_growing():
    arena = TreeArena(RULES, 1 << 20)
    for _ in range(20):
        arena.grow(GROUPS["edges"])
    assert arena.full
    assert arena.nbytes <= arena.limit
    arena.clear()
    assert not arena.full
