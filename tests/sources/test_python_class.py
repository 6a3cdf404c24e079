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
        (
            {"scores": (1, -1)},
            r"from 0 .lost. to 1 .won.*; turn scores from -1 to 1 into .score \+",
        ),
        (
            {"players": 3, "turn": property(lambda self: 3, lambda self, value: None)},
            r"`turn` of changed is 3: .* from 0 to 2\. .* set `players = 4` in the class",
        ),
        (
            {"moves": lambda self: ["left-1"] * 3, "over": False},
            "`moves` of changed lists left-1 3 times: list each legal move once",
        ),
        ({"turn": property(lambda self: "left", lambda self, value: None)}, "`turn` .* is 'left'"),
        (
            {"turn": property(lambda self: None, lambda self, value: None)},
            "`turn` of changed is None: .* One player moves at a time in a game of a class",
        ),
        (
            {"over": lambda self: None, "moves": lambda self: []},
            r"`over` .`over` returned None: is its `return` missing\?., but `moves` is empty",
        ),
        ({"over": lambda self: "no"}, "not at the start of the game: `over` is true"),
        ({"over": lambda self: -1}, "not at the start of the game: `over` is true"),
        ({"copy": lambda self: self}, "`copy` of changed returned the object itself"),
        ({"moves": lambda self: [object()]}, "whose text is only its address: .* `__eq__`"),
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
        (
            {"cls": type("Sized", (Heaps,), {"__init__": lambda self, size: None})},
            r"gv\.from_class\(lambda: Sized\(5\)\); .* \./file\.py:Sized\(size=5\)",
        ),
        ({"cls": Heaps, "max_plies": 0}, "`max_plies` must be from 1 to 65,536, got 0"),
        ({"cls": Heaps, "players": "two"}, "`players` must be an integer, got 'two'"),
        ({"cls": Heaps, "num_codes": 1 << 40}, "`num_codes` must be from 1 to"),
    ],
)
def test_invalid_classes_and_bounds_are_rejected(arguments, message):
    with pytest.raises(gv.UsageError, match=message):
        gv.from_class(**arguments)


class Take:
    """Take 5, 3 or 1 of the stones, or as many as `choices` says; taking the last stone wins."""

    choices = (5, 3, 1)

    def __init__(self):
        self.left, self.turn = 12, 0

    def moves(self):
        return [move for move in self.choices if int(move) <= self.left]

    def play(self, move):
        self.left, self.turn = self.left - int(move), 1 - self.turn

    @property
    def over(self):
        return self.left == 0

    @property
    def scores(self):
        return [self.turn, 1 - self.turn]

    def __str__(self):
        return f"{self.left} left"


@pytest.mark.parametrize("choices", [(5, 3, 1), tuple(np.array([5, 3, 1])), ("5", "3", "1")])
def test_a_number_is_the_move_that_the_class_lists_and_not_its_code(choices):
    start = gv.from_class(type("Take", (Take,), {"choices": choices})).start()
    for move in (1, 3, 5, np.int64(3)):
        assert str(start.play(move)) == str(start.play(str(move))) == f"{12 - move} left"
    assert str(start.play_moves([5, "3", 1])) == "3 left"
    with pytest.raises(gv.UsageError, match=r"unknown move of player 1 '2'\. Valid: 1, 3, 5"):
        start.play(2)  # the code of 1
    with pytest.raises(gv.UsageError, match=r"^5 is not legal for player 2 here\. Legal: 3, 1"):
        start.play_moves([3, 3, 3]).play(5)
    assert str(start.play_code(2)) == "11 left"
    with pytest.raises(gv.UsageError, match="the code 5000 is not legal for player 1 here"):
        start.play_code(5000)


def test_the_best_move_of_a_search_can_be_played_as_the_class_lists_it():
    for cls in (Take, Frozen):
        position = gv.from_class(cls).start()
        result = gv.agent("uct").search(position, playouts=200)
        assert position.play(result.best_object) == position.play(result.best_move)


def test_moves_may_be_tuples_lists_or_none():
    start = gv.from_class(Frozen).start()
    assert start.play((1, 2)) == start.play("(1,2)") == start.play(start.legal_codes_of(0)[3])
    with pytest.raises(gv.UsageError, match=r"unknown move of player 1 '\(1, 3\)'\. Did you mean"):
        start.play((1, 3))
    odd = type("Odd", (Take,), {"moves": lambda self: [None, [1, 2]], "play": lambda self, move: 0})
    game = gv.from_class(odd)
    assert game.start().play([1, 2]).last_move == "[1,2]"
    assert game.start().play(None).last_move == "None"


def test_outcomes_of_dice_are_played_as_the_class_lists_them():
    class Roll:
        """Player 1 wins with a six."""

        players = 2

        def __init__(self):
            self.rolled, self.turn = 0, 0

        def chances(self):
            return [] if self.over else [(6, 0.5), (1, 0.5)]

        def moves(self):
            return []

        def play(self, outcome):
            self.rolled = outcome

        @property
        def over(self):
            return self.rolled > 0

        @property
        def scores(self):
            return [float(self.rolled == 6), float(self.rolled != 6)]

    start = gv.from_class(Roll).start()
    assert start.play(6).scores == start.play("6").scores == start.play_code(0).scores == (1, 0)
    assert start.play(1).scores == (0, 1)
    assert {start.roll(seed).last_move for seed in range(20)} == {"1", "6"}
    with pytest.raises(gv.UsageError, match="one of 6, 1 is needed; got 0"):
        start.play(0)


def test_solutions_and_proofs_of_a_class_whose_moves_are_numbers():
    class Climb:
        """The score is the sum of three moves, out of 15."""

        players = 1

        def __init__(self):
            self.steps = []

        def moves(self):
            return [3, 5, 1]

        def play(self, move):
            self.steps.append(move)

        @property
        def over(self):
            return len(self.steps) == 3

        @property
        def scores(self):
            return [sum(self.steps) / 15]

    assert gv.solve(gv.from_class(Climb), playouts=300).moves == ("5", "5", "5")
    assert gv.prove(gv.from_class(Take), moves=[5, 5]).pv == ("1", "1")


class Dots:
    """Players draw one of many edges in turn; a class attribute holds the edges."""

    def __init__(self):
        self.turn = 0

    edges = [False] * 12
    names = ["a", "b"]  # noqa: RUF012

    def moves(self):
        return [edge for edge, drawn in enumerate(self.edges) if not drawn]

    def play(self, move):
        self.edges[move] = True
        self.turn = 1 - self.turn

    @property
    def over(self):
        return all(self.edges)

    @property
    def scores(self):
        return [self.turn, 1 - self.turn]


@pytest.mark.parametrize("use", [gv.check_game, lambda game: gv.agent("uct").search(game.start())])
def test_a_list_that_all_objects_share_is_reported(use):
    class Board(Dots):
        edges = [False] * 12

    message = "a new object of board is not at the start of the game: "
    with pytest.raises(gv.ContractError, match=message + r"all objects share `edges` of the class"):
        use(gv.from_class(Board))
    # Its edges are all drawn by now.
    with pytest.raises(gv.ContractError, match=message + "`over` is true.* a list shared"):
        use(gv.from_class(Board))


def test_a_default_argument_that_all_objects_share_is_reported():
    class Board(Dots):
        def __init__(self, edges=[False] * 12):
            self.edges, self.turn = edges, 0

    with pytest.raises(gv.ContractError, match="as a class attribute or a default argument"):
        gv.check_game(gv.from_class(Board))


def test_a_function_may_make_a_finished_game():
    assert gv.from_class(lambda: Heaps(0), name="heaps").start().is_over


def test_a_position_without_a_text_shows_its_moves_and_short_attributes():
    class Dab(Dots):
        def __init__(self):
            self.edges, self.turn, self.board = [False] * 12, 0, [0] * 1000
            self.owner, self._cache = None, {}

    position = gv.from_class(Dab).start()
    assert str(position).startswith("dab at the start\nedges=[False, ")
    assert str(position.play(7).play(3)).startswith("dab after 7 3\nedges=[")
    assert str(position).endswith("], turn=0, owner=None")

    class Long(Dab):
        max_plies, steps = 500, 0

        @property
        def over(self):
            return self.steps == 300

        def moves(self):
            return ["x" * 20]

        def play(self, move):
            self.steps += 1

    long = gv.from_class(Long).start().play_moves(["x" * 20] * 300)
    assert len(str(long)) < 1500


def test_arguments_that_a_class_does_not_take_are_named(tmp_path):
    file = tmp_path / "small.py"
    file.write_text(
        "class Take:\n"
        "    def __init__(self, left=3):\n"
        "        self.left, self.turn = int(left), 0\n"
        "    def moves(self):\n"
        "        return [1]\n"
        "    def play(self, move):\n"
        "        self.left, self.turn = self.left - move, 1 - self.turn\n"
        "    def over(self):\n"
        "        return self.left == 0\n"
        "    def scores(self):\n"
        "        return [self.turn, 1 - self.turn]\n"
    )
    assert gv.game(f"{file}:Take(left=2)").start().play("1").play("1").is_over
    with pytest.raises(gv.UsageError) as caught:
        gv.game(f"{file}:Take(lef=2)").start()
    assert "without arguments" not in str(caught.value)
    assert "unexpected keyword argument 'lef'" in str(caught.value)


def test_an_outcome_that_is_listed_twice_is_reported():
    class Coin:
        max_plies = 1

        def __init__(self):
            self.turn, self.fallen = 0, False

        def moves(self):
            return []

        def chances(self):
            return [("heads", 0.5), ("heads", 0.5)]

        def play(self, move):
            self.fallen = True

        def over(self):
            return self.fallen

        def scores(self):
            return [1, 0]

    with pytest.raises(gv.ContractError, match=r"`chances` of coin .* list each outcome once"):
        print(gv.from_class(Coin).start().outcomes)
