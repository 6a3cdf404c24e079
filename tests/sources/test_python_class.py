"""`from_class`: ordinary Python classes as games."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import graven as gv
from graven.sources import object_rules
from tests.naive import tiny
from tests.sources.heaps import Heaps


class Frozen:
    """The same, by objects that never change: `play` returns another one."""

    def __init__(self, heaps=(7, 7), ply=0):
        self.heaps, self.ply = heaps, ply

    def moves(self):
        return [(heap, n) for heap in (0, 1) for n in (1, 2) if n <= self.heaps[heap]]

    def play(self, move):
        heaps = list(self.heaps)
        heaps[move[0]] -= move[1]
        return Frozen(tuple(heaps), self.ply + 1)

    def over(self):
        return self.heaps == (0, 0)

    def scores(self):
        return [self.ply % 2, (self.ply + 1) % 2]


@pytest.mark.parametrize("cls", [Heaps, Frozen])
def test_a_wrapped_class_passes_the_contract_suite(cls):
    gv.check_game(gv.from_class(cls), games=5, constant_sum=1.0)


@pytest.mark.parametrize("agent", ["uct", "grave(ref=20)", "rave+nst", "uct(reuse_tree=true)"])
def test_the_search_is_the_one_of_the_compiled_game(agent):
    ours, wrapped = tiny.heaps(7), gv.from_class(Heaps)
    # Both have a key for transpositions, the same codes and the same order of moves.
    for seed in range(3):
        first = gv.agent(agent).search(ours.start(), playouts=400, seed=seed)
        second = gv.agent(agent).search(wrapped.start(), playouts=400, seed=seed)
        assert second.root_stats == first.root_stats
        assert second.pv == first.pv


def test_it_plays_like_the_compiled_game_move_by_move():
    ours, wrapped = tiny.heaps(5).start(), gv.from_class(lambda: Heaps(5), name="heaps").start()
    while not ours.is_over:
        assert wrapped.current_player == ours.current_player
        assert wrapped.legal_moves == ours.legal_moves
        assert str(wrapped) == str(ours)
        ours, wrapped = ours.play(ours.legal_moves[-1]), wrapped.play(ours.legal_moves[-1])
    assert wrapped.is_over
    assert wrapped.scores == ours.scores


def test_it_wins_what_can_be_won():
    # A heap is worth its size modulo 3. 7 and 5 are 1 and 2; both moves to equal values win.
    position = gv.from_class(Heaps).start().play("right-2")
    best = gv.agent("uct(c=0.7)").search(position, playouts=4000).best_move
    assert best in ("left-2", "right-1")


def test_positions_in_any_order_are_rebuilt():
    game = gv.from_class(Heaps)
    line = [game.start()]
    while not line[-1].is_over:
        line.append(line[-1].play(line[-1].legal_moves[0]))
    texts = [str(position) for position in line]
    assert len(line) > 7
    for _ in range(3):  # backwards, so that no position follows the one written last
        for position, text in zip(reversed(line), reversed(texts), strict=True):
            assert str(position) == text
            if not position.is_over:
                assert position.play(position.legal_moves[-1]).ply == position.ply + 1


def test_the_cache_of_objects_is_bounded():
    game = gv.from_class(Heaps)
    callbacks = game.functions.play.function.__self__
    gv.agent("uct").search(game.start(), playouts=3000)
    assert 0 < len(callbacks._thread.objects) <= object_rules.CACHED_OBJECTS


def test_threads_search_the_same_game_in_parallel():
    game = gv.from_class(Frozen)
    alone = gv.agent("uct").search(game.start(), playouts=500, seed=3).root_stats
    results = []

    def search():
        results.append(gv.agent("uct").search(game.start(), playouts=500, seed=3).root_stats)

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [alone] * 3


def test_a_match_of_a_wrapped_game():
    result = gv.match(gv.from_class(Heaps), "uct", "grave", games=4, playouts=50, workers=1)
    assert result.games == 4


def changed(**parts):
    return type("Changed", (Heaps,), parts)


def fails(self, *arguments):
    raise RuntimeError("the table is on fire")


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"moves": lambda self: []}, "is not `over`, but `moves` is empty for player 0"),
        ({"moves": lambda self: 7}, "returned 7, which is not a list of moves"),
        ({"turn": property(lambda self: 5, lambda self, value: None)}, "`turn` of changed is 5"),
        ({"scores": (1, -1)}, "expected one score from 0 .lost. to 1 .won."),
        ({"scores": (1,)}, "for each of 2 players"),
        ({"play": fails}, "raised RuntimeError: the table is on fire .*, line [0-9]+, in fails"),
        (
            {"max_plies": 3},
            r"goes on after 3 moves: .* larger `max_plies` to .* \(after the moves \w+-\d",
        ),
        ({"num_codes": 2, "code": None}, "more than 2 different moves"),
        ({"code": lambda self, move: 0}, "two moves that cannot be distinguished"),
        ({"over": fails}, "raised RuntimeError"),
        ({"scores": 1}, "`scores` of changed returned 1: expected one score"),
        ({"key": [1, 2]}, r"`key` of changed returned \[1, 2\], which cannot be hashed"),
        ({"copy": lambda self: None}, "`copy` of changed returned None, which is not a copy"),
        ({"code": lambda self, move: -1}, "`code` of changed returned -1 for 'left-1'"),
    ],
)
def test_errors_name_the_moves_that_lead_there(parts, message):
    with pytest.raises(gv.ContractError, match=message) as caught:
        gv.agent("uct").search(gv.from_class(changed(**parts)).start(), playouts=200)
    assert "(at the start)" in str(caught.value) or "(after the moves" in str(caught.value)


def test_an_object_that_cannot_be_copied_is_reported():
    class Locked(Heaps):
        def __init__(self):
            super().__init__()
            self.lock = threading.Lock()

    with pytest.raises(
        gv.ContractError, match=r"cannot be copied .*: give the class a method `copy`"
    ):
        gv.agent("uct").search(gv.from_class(Locked).start(), playouts=50)


def test_moves_may_be_arrays():
    class Pairs:
        def __init__(self):
            self.played = []

        def moves(self):
            return [np.array([1, 11])] if self.played else [np.array([11, 1])]

        def play(self, move):
            self.played.append(move.tolist())

        @property
        def over(self):
            return len(self.played) == 2

        @property
        def scores(self):
            return {0: 1.0, 1: 0.0} if self.played == [[11, 1], [1, 11]] else {0: 0.0, 1: 0.0}

        def turn(self):
            return np.int64(len(self.played) % 2)

    game = gv.from_class(Pairs)
    gv.check_game(game)
    first = game.start()
    assert first.legal_moves == ("[11_1]",)
    assert first.play(first.legal_moves[0]).legal_moves == ("[1_11]",)
    assert first.play_moves(["[11_1]", "[ 1 11]"]).scores == (1.0, 0.0)


def test_play_may_return_an_object_of_another_class():
    class Second:
        def __init__(self, move):
            self.over, self.scores = True, (float(move), 1.0 - move)

        def moves(self):
            return []

        def play(self, move): ...

    class First:
        over, scores = False, ()

        def moves(self):
            return [0, 1]

        def play(self, move):
            return Second(move)

    game = gv.from_class(First)
    assert game.start().play("1").scores == (1.0, 0.0)
    assert gv.agent("uct").search(game.start(), playouts=50).best_move == "1"


def test_a_class_derived_from_a_list_is_copied_whole():
    class Row(list):
        def moves(self):
            return [0, 1]

        def play(self, move):
            self.append(move)

        @property
        def over(self):
            return len(self) == 4

        @property
        def scores(self):
            return [self[0], 1 - self[0]]

    assert gv.agent("uct").search(gv.from_class(Row).start(), playouts=100).best_move == "1"


def test_a_key_may_be_an_integer_of_any_size():
    class Wide(Heaps):
        @property
        def key(self):
            return self.heaps[0] << 100 | self.heaps[1] << 80 | self.turn

    gv.check_game(gv.from_class(Wide))


def test_too_many_legal_moves_are_reported():
    with pytest.raises(
        gv.ContractError,
        match=r"has 4 legal moves, and `max_moves` is 3: pass a larger .* gv\.from_class",
    ):
        gv.from_class(Frozen, max_moves=3).start()


def test_random_rules_are_reported():
    chance = iter(range(1000))

    class Dice(Heaps):
        code, num_codes, max_plies = None, 1000, 1000

        def moves(self):
            return [f"m{next(chance)}", *super().moves()]

        def play(self, move):
            if not move.startswith("m"):
                super().play(move)

    with pytest.raises(gv.ContractError, match="the rules are random"):
        gv.agent("uct").search(gv.from_class(Dice).start(), playouts=50)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cls": dict}, "dict has no `moves`: a game needs moves, play, over, scores"),
        ({"cls": lambda: Heaps(1, 2)}, "cannot be created without arguments"),
        ({"cls": Heaps, "max_plies": 0}, "`max_plies` must be from 1 to 65,536, got 0"),
        ({"cls": Heaps, "players": "two"}, "`players` must be an integer, got 'two'"),
        ({"cls": Heaps, "num_codes": 1 << 40}, "`num_codes` must be from 1 to"),
    ],
)
def test_invalid_classes_and_bounds_are_rejected(arguments, message):
    with pytest.raises(gv.UsageError, match=message):
        gv.from_class(**arguments)
