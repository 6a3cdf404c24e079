"""`from_class`: ordinary Python classes as games."""

from __future__ import annotations

import threading

import pytest

import graven as gv
from graven.sources import object_rules
from tests.naive import tiny
from tests.sources.heaps import Frozen, Heaps


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
