"""Rules that cannot be compiled: the error names the user's line and the reason."""

from __future__ import annotations

import os
import subprocess
import sys
from enum import IntEnum
from types import ModuleType

import numpy as np
import pytest

from graven.core import contract
from graven.core.compile import address
from graven.core.contract.rule_signatures import TURN
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


def calls_helpers(constants, state):
    return helped(state[0])


def test_plain_helpers_are_compiled_with_the_rule():
    rules = tiny.heaps(3).rules._replace(turn=address(calls_helpers, TURN))
    assert contract.turn(rules, np.array([4, 0, 0])) == 25


def test_helpers_in_an_enclosing_function_are_compiled_too():
    def twice(n):
        return 2 * n

    def turn(constants, state):
        return twice(state[0])

    rules = tiny.heaps(3).rules._replace(turn=address(turn, TURN))
    assert contract.turn(rules, np.array([4, 0, 0])) == 8


def test_a_helper_in_a_comprehension_is_compiled_too():
    def turn(constants, state):
        return sum([factorial(n) for n in range(state[0])])

    rules = tiny.heaps(3).rules._replace(turn=address(turn, TURN))
    assert contract.turn(rules, np.array([4, 0, 0])) == 1 + 1 + 2 + 6


def test_a_helper_is_found_in_its_module(monkeypatch):
    module = ModuleType("tools")
    exec(
        "STEP = 3\ndef stepped(n): return further(n) + STEP\ndef further(n): return 10 * n",
        vars(module),
    )
    space = {"tools": module}
    exec("def turn(constants, state): return tools.stepped(state[0])", space)
    rules = tiny.heaps(3).rules
    assert (
        contract.turn(rules._replace(turn=address(space["turn"], TURN)), np.array([4, 0, 0])) == 43
    )
    module.STEP = 5
    assert (
        contract.turn(rules._replace(turn=address(space["turn"], TURN)), np.array([4, 0, 0])) == 45
    )


class Blue(IntEnum):
    A = 2


class Red(IntEnum):
    A = 5


@pytest.mark.parametrize(
    ("body", "before", "after"),
    [
        ("return N", 2, 5),
        ("return helper(1)", "def helper(n): return n + 1", "def helper(n): return n + 4"),
        ("return N.A", Blue, Red),
        ("return int(N.real)", 2 + 0j, 5 + 0j),
        ("return N[1][1500]", (1, np.full(3000, 2)), (1, np.full(3000, 5))),
    ],
    ids=["number", "helper", "enum", "complex", "arrays in a tuple"],
)
def test_a_rule_is_compiled_again_when_a_value_it_uses_changes(body, before, after):
    space = {}
    exec(f"def turn(constants, state): {body}", space)
    values = []
    for value in (before, after):
        if isinstance(value, str):
            exec(value, space)
        else:
            space["N"] = value
        rules = tiny.heaps(3).rules._replace(turn=address(space["turn"], TURN))
        values.append(contract.turn(rules, np.array([4, 0, 0])))
    assert values == [2, 5]


def makes_an_array(n):
    return np.array([n, n + 1])


def test_a_rule_may_make_arrays():
    def turn(constants, state):
        seen = np.zeros(3, np.int64)
        seen[:2] = makes_an_array(state[0])
        return seen.sum() + np.arange(3)[2]

    rules = tiny.heaps(3).rules._replace(turn=address(turn, TURN))
    assert contract.turn(rules, np.array([4, 0, 0])) == 4 + 5 + 2


def test_a_rule_may_use_a_dict_of_its_own():
    def turn(constants, state):
        worth = {1: 10, 2: 20}
        return worth[state[0]]

    rules = tiny.heaps(3).rules._replace(turn=address(turn, TURN))
    assert contract.turn(rules, np.array([2, 0, 0])) == 20


LIST = [1, 2, 3]


def uses_list(constants, state):
    return LIST[0]  # here


def adds_to_a_list(constants, state):
    return len([1, 2] + 3)  # here


def uses_dict(constants, state):
    return NAMES["a"]  # here


def uses_object(constants, state):
    return PIECE.value  # here


def uses_unknown(constants, state):
    player = state[0]
    return player + number_of_players  # noqa: F821  here


def mixes_kinds(constants, state):
    player = 1
    if state[0] > 0:
        player = "white"
    return player  # here


def adds_text(constants, state):
    return state[0] + "white"  # here


def asks_array(constants, state):
    return state.count(3)  # here


def imports(constants, state):
    import math  # here

    return int(math.pi)


def has_class(constants, state):
    class Board:  # here
        pass

    return 1


def yields(constants, state):  # here
    yield 1


def wrong_arguments(state):  # here
    return 1


def calls_broken(constants, state):
    return broken_helper(state)


def broken_helper(words):
    return words.nothing  # here


def calls_wrongly(constants, state):
    return helped(state[0], 3)  # here


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (uses_dict, "`NAMES` is a dict, and compiled rules take"),
        (uses_list, "`LIST` is a list, and compiled rules take"),
        (adds_to_a_list, "`+` does not work with a list and an integer"),
        (uses_object, "`PIECE` is a Piece"),
        (uses_unknown, "the name `number_of_players` is not defined"),
        (mixes_kinds, "`player` is an integer in one branch and a string in another"),
        (adds_text, "`+` does not work with an integer and a string"),
        (asks_array, "an array has no `count`"),
        (imports, "`import` inside a function"),
        (has_class, "a class inside a function"),
        (yields, "cannot have `yield`"),
        (wrong_arguments, "it takes state, and the contract calls it with 2 arguments"),
        (calls_broken, "an array has no `nothing`"),
        (calls_wrongly, "a function that takes n is called with different arguments"),
    ],
)
def test_the_error_names_the_line_and_the_reason(rule, reason):
    with pytest.raises(RuleCompileError) as caught:
        address(rule, TURN)
    message = str(caught.value)
    assert reason in message
    assert repr(rule.__name__) in message
    line, _, text = message.partition(", line ")[2].partition("`) cannot")[0].partition(", `")
    assert __file__ in message
    assert "here" in text, f"line {line} is not the one that is wrong"
    assert "numba" not in message.lower()


CELLS = """
import tempfile
import numpy as np
from graven.core import compile as compiling, contract
from graven.core.contract.rule_signatures import TURN
from graven.core.compile import address
from tests.naive import tiny

space = {}
source = "def turn(constants, state): return helper(state[0])\\ndef helper(n): return n + %d\\n"
name = tempfile.gettempdir() + "/ipykernel_%d/1.py"
exec(compile(source, name, "exec"), space)
rules = tiny.heaps(3).rules._replace(turn=address(space["turn"], TURN))
(code,) = [code for key, code in compiling._code.items() if key[0] is space["turn"]]
hits = int(code._cache_hits > 0)
print(contract.turn(rules, np.array([1, 0, 0])), hits)
"""


def test_a_notebook_cell_is_cached_by_its_content(tmp_path):
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
