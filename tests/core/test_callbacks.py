"""Rule functions that run in Python play like compiled ones, and raise their exceptions."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import graven as gv
from graven.core import contract
from graven.core.callbacks import BROKEN, Callback, raise_fault
from graven.core.compile import address
from graven.core.contract.rule_signatures import TURN
from tests.naive import tiny

NAMES = ("start", "turn", "legal", "play", "scores")


def called_back(game: gv.Game, **replaced: object) -> gv.Game:
    """Return the game with every function in Python, some of them replaced."""
    functions = {
        name: Callback(name, replaced.get(name, function), game.name, lambda state: "somewhere")
        for name, function in game.functions.by_name().items()
        if name in NAMES
    }
    return game.changed(**functions, sample=None, key=None)


@pytest.mark.parametrize("agent", ["uct", "grave(ref=10)+mast", "rave+ppa"])
def test_a_search_through_callbacks_finds_what_the_compiled_one_finds(agent):
    game = tiny.heaps(7)
    slow = called_back(game)
    for seed in range(3):
        fast = gv.agent(agent).search(game.start(), playouts=300, seed=seed)
        same = gv.agent(agent).search(slow.start(), playouts=300, seed=seed)
        assert same.root_stats == fast.root_stats
        assert same.best_move == fast.best_move


def test_the_contract_suite_passes_through_callbacks():
    gv.check_game(called_back(tiny.heaps(7)))


@pytest.mark.parametrize("name", NAMES)
def test_an_exception_names_the_function_the_error_and_the_line(name):
    def fails(*arguments):
        raise ValueError("no such heap.")

    game = called_back(tiny.heaps(7), **{name: fails})
    with pytest.raises(gv.ContractError) as caught:
        gv.agent("uct").search(game.start(), playouts=50)
    message = str(caught.value)
    assert f"`{name}` of {game.name} raised ValueError: no such heap" in message
    assert __file__ in message
    assert f"line {fails.__code__.co_firstlineno + 1}" in message
    assert message.endswith("(somewhere).")
    assert isinstance(caught.value.__cause__, ValueError)


def test_after_an_exception_the_next_search_is_sound():
    game = tiny.heaps(7)
    broken = [True]

    def play(constants, state, joint):
        if broken[0]:
            raise ZeroDivisionError
        game.functions.play(constants, state, joint)

    slow = called_back(game, play=play)
    start = slow.start()
    with pytest.raises(gv.ContractError, match="ZeroDivisionError"):
        gv.agent("uct").search(start, playouts=50)
    broken[0] = False
    result = gv.agent("uct").search(start, playouts=50)
    assert result.root_stats == gv.agent("uct").search(game.start(), playouts=50).root_stats


def test_a_keyboard_interrupt_passes_through_unchanged():
    def interrupted(constants, state):
        raise KeyboardInterrupt

    game = called_back(tiny.heaps(7), turn=interrupted)
    with pytest.raises(KeyboardInterrupt):
        _ = game.start().current_player
    raise_fault()  # nothing is left


def test_a_thread_does_not_raise_the_exceptions_of_another():
    game = tiny.heaps(7)

    def fails(constants, state):
        raise ValueError

    broken, sound = called_back(game, turn=fails), called_back(game)
    outcomes: list[str] = []

    def search(game: gv.Game) -> None:
        for _ in range(5):
            try:
                gv.agent("uct").search(game.start(), playouts=200)
                outcomes.append("fine")
            except gv.ContractError:
                outcomes.append("broken")

    threads = [threading.Thread(target=search, args=(game,)) for game in (broken, sound, sound)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["broken"] * 5 + ["fine"] * 10


def test_a_value_that_is_not_a_number_is_an_error():
    game = called_back(tiny.heaps(7), turn=lambda constants, state: "left")
    with pytest.raises(gv.ContractError, match=r"`turn` of .* raised ValueError"):
        _ = game.start().current_player


def test_constants_cannot_be_written():
    def start(constants, state):
        constants[0] = 1

    with pytest.raises(gv.ContractError, match="read-only"):
        called_back(tiny.heaps(7), start=start).start()


def test_one_callback_serves_many_arrays():
    seen: list[int] = []
    code = address(Callback("turn", lambda constants, state: seen.append(len(state)) or 0),
                   TURN)  # fmt: skip
    rules = tiny.heaps(7).rules._replace(turn=code)
    for size in range(1, 600):
        assert contract.turn(rules, np.zeros(size, np.int64)) == 0
    assert seen == list(range(1, 600))


def test_broken_is_neither_a_player_nor_a_number_of_moves():
    assert BROKEN not in (contract.TERMINAL, contract.SIMULTANEOUS)
    assert BROKEN < 0
