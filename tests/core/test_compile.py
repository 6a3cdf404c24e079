from __future__ import annotations

from pathlib import Path

import numba
import numpy as np
import pytest

from graven.core import compile as compiling
from graven.core.compile import address, caller, compiled
from graven.core.contract.rule_signatures import TURN
from graven.core.errors import RuleCompileError

TIMES = numba.types.int64(numba.types.int64, numba.types.int64)


def product(one, other):
    return one * other


def total(one, other):
    return one + other


_call = caller(TIMES)


@compiled
def call(code, one, other):
    return _call(code, (one, other))


def test_a_kernel_calls_whichever_function_it_is_given():
    assert call(address(product, TIMES), 6, 7) == 42
    assert call(address(total, TIMES), 6, 7) == 13


def test_a_function_keeps_its_address():
    assert address(product, TIMES) == address(product, TIMES)


def test_different_bodies_and_names_give_different_code():
    for _ in range(2):  # the second time from memory
        for body, names, expected in (
            ("return inner({0}, {1}) + 1", {}, 43),
            ("return inner({0}, helper({0}, {1}))", {"helper": total}, 78),
            ("return inner({0}, helper({0}, {1}))", {"helper": product}, 252),
        ):
            assert call(address(product, TIMES, body, names=names), 6, 7) == expected
        compiling._code.clear()  # and then from the cache on disk


def last_but(state, place):
    return state[-place]


LAST_BUT = numba.types.int64(numba.types.Array(numba.types.int64, 1, "C"), numba.types.int64)


_call_last_but = caller(LAST_BUT)


@compiled
def call_last_but(code, state, place):
    return _call_last_but(code, (state, place))


def test_a_negative_index_counts_from_the_end_in_user_defined_rules():
    assert call_last_but(address(last_but, LAST_BUT), np.array([4, 5, 6]), 2) == 5


def rule_with_a_dictionary_of_anything(constants, state):
    return {"a": 1, 2: "b"}


def rule_with_an_unknown_name(constants, state):
    return undefined_name  # noqa: F821


@pytest.mark.parametrize("rule", [rule_with_a_dictionary_of_anything, rule_with_an_unknown_name])
def test_a_rule_that_cannot_be_compiled_is_named(rule):
    with pytest.raises(RuleCompileError) as caught:
        address(rule, TURN)
    message = str(caught.value)
    assert repr(rule.__name__) in message
    assert Path(__file__).name in message
    assert f"line {rule.__code__.co_firstlineno + 1}, `return" in message


def test_the_message_says_what_is_wrong_with_the_rule():
    with pytest.raises(RuleCompileError, match="undefined_name"):
        address(rule_with_an_unknown_name, TURN)


def test_two_functions_of_one_name_in_one_file_are_not_confused():
    def maker(shift):
        def rule(constants, state):
            return state[0] + shift

        return rule

    call_turn = caller(TURN)

    @numba.njit
    def ask(code, constants, state):
        return call_turn(code, (constants, state))

    tables = np.zeros(1, dtype=np.int64)
    tables.setflags(write=False)
    state = np.array([5])
    assert [ask(address(maker(shift), TURN), tables, state) for shift in (1, 10)] == [6, 15]


def rule_without_tables(state):
    return state[0]


def test_a_rule_with_the_wrong_arguments_is_named():
    with pytest.raises(RuleCompileError, match="rule_without_tables"):
        address(rule_without_tables, TURN)
