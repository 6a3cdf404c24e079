"""Rules that cannot be compiled: the person's line, and what is wrong with it."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from graven.core import contract
from graven.core.compile import address
from graven.core.errors import RuleCompileError
from tests.naive import tiny

NAMES = {"a": 1}


class Piece:
    value = 3


PIECE = Piece()


def helped(n):
    return deeper(n) + 1


def deeper(n):
    return factorial(n)


def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


def calls_helpers(tables, state):
    return helped(state[0])


def test_plain_helpers_are_compiled_with_the_rule():
    rules = tiny.heaps(3).rules._replace(turn=address(calls_helpers, contract.TURN))
    assert contract.turn(rules, np.array([4, 0, 0])) == 25


def test_helpers_around_the_rule_are_compiled_too():
    def twice(n):
        return 2 * n

    def turn(tables, state):
        return twice(state[0])

    rules = tiny.heaps(3).rules._replace(turn=address(turn, contract.TURN))
    assert contract.turn(rules, np.array([4, 0, 0])) == 8


def test_a_rule_may_use_a_dict_of_its_own():
    def turn(tables, state):
        worth = {1: 10, 2: 20}
        return worth[state[0]]

    rules = tiny.heaps(3).rules._replace(turn=address(turn, contract.TURN))
    assert contract.turn(rules, np.array([2, 0, 0])) == 20


def uses_dict(tables, state):
    return NAMES["a"]  # here


def uses_object(tables, state):
    return PIECE.value  # here


def uses_unknown(tables, state):
    player = state[0]
    return player + number_of_players  # noqa: F821  here


def mixes_kinds(tables, state):
    player = 1
    if state[0] > 0:
        player = "white"
    return player  # here


def adds_text(tables, state):
    return state[0] + "white"  # here


def asks_array(tables, state):
    return state.count(3)  # here


def imports(tables, state):
    import math  # here

    return int(math.pi)


def has_class(tables, state):
    class Board:  # here
        pass

    return 1


def yields(tables, state):  # here
    yield 1


def wrong_arguments(state):  # here
    return 1


def calls_broken(tables, state):
    return broken_helper(state)


def broken_helper(words):
    return words.nothing  # here


def calls_wrongly(tables, state):
    return helped(state[0], 3)  # here


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (uses_dict, "`NAMES` is a dict, and compiled rules take"),
        (uses_object, "`PIECE` is a Piece"),
        (uses_unknown, "the name `number_of_players` is not defined"),
        (mixes_kinds, "`player` is a whole number in one case and a text in another"),
        (adds_text, "`+` does not work with a whole number and a text"),
        (asks_array, "an array has no `count`"),
        (imports, "`import` inside a function"),
        (has_class, "a class inside a function"),
        (yields, "cannot have `yield`"),
        (wrong_arguments, "it takes state, and the contract calls it with 2 arguments"),
        (calls_broken, "an array has no `nothing`"),
        (calls_wrongly, "a function that takes n is called with other arguments"),
    ],
)
def test_the_line_and_the_reason(rule, said):
    with pytest.raises(RuleCompileError) as caught:
        address(rule, contract.TURN)
    message = str(caught.value)
    assert said in message
    assert repr(rule.__name__) in message
    line, _, text = message.partition(", line ")[2].partition("`) cannot")[0].partition(", `")
    assert __file__ in message
    assert "here" in text, f"line {line} is not the one that is wrong"
    assert "numba" not in message.lower()


CELLS = """
import tempfile
import numpy as np
from graven.core import compile as compiling, contract
from graven.core.compile import address
from tests.naive import tiny

space = {}
source = "def turn(tables, state): return helper(state[0])\\ndef helper(n): return n + %d\\n"
name = tempfile.gettempdir() + "/ipykernel_%d/1.py"
exec(compile(source, name, "exec"), space)
rules = tiny.heaps(3).rules._replace(turn=address(space["turn"], contract.TURN))
hits = sum(compiling._code[space["turn"], str(contract.TURN)]._cache_hits > 0 for _ in [0])
print(contract.turn(rules, np.array([1, 0, 0])), hits)
"""


def test_a_cell_is_cached_by_what_it_says(tmp_path):
    environment = {**os.environ, "GRAVEN_CACHE_DIR": str(tmp_path)}

    def run(added, session):
        done = subprocess.run(
            [sys.executable, "-c", CELLS % (added, session)],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return [int(word) for word in done.stdout.split()]

    assert run(5, session=1) == [6, 0]
    assert run(5, session=2) == [6, 1]  # another session, another file name: the same code
    assert run(7, session=3) == [8, 0]  # a helper has changed
