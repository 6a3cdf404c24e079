"""Results, agents, games and positions as Python objects: pickled, printed, streamed, inspected."""

from __future__ import annotations

import copy
import json
import multiprocessing
import pickle
import threading
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
import pytest

import graven as gv
from graven.core.contract import SIMULTANEOUS, TERMINAL
from graven.core.errors import UsageError

HEX = gv.game("hex(size=3)")


def test_details_of_a_result_are_listed():
    result = gv.agent("uct").search(gv.game("nogo(size=3)").start(), playouts=20)
    assert {"pv", "root_stats", "tree", "best_move", "text"} <= {*dir(result)}


def test_singular_and_plural():
    shown = gv.agent("grave").search(gv.game("nogo(size=3)").start(), playouts=1).text()
    assert "spent      1 playout in" in shown
    assert "1 AMAF table," in shown


class TwoHeaps:
    """Take one or two stones from a heap; whoever takes the last stone wins."""

    max_plies = 8

    def __init__(self):
        self.heaps, self.turn = [2, 3], 0

    def moves(self):
        return [(h, n) for h, size in enumerate(self.heaps) for n in (1, 2) if n <= size]

    def play(self, move):
        self.heaps[move[0]] -= move[1]
        self.turn = 1 - self.turn

    def over(self):
        return not any(self.heaps)

    def scores(self):
        return [self.turn, 1 - self.turn]


def start(constants, state):
    state[:] = 0


def turn(constants, state):
    return SIMULTANEOUS if state[0] == 0 else TERMINAL


def legal(constants, state, player, moves):
    moves[0], moves[1] = 0, 1
    return 2


def play(constants, state, joint):
    state[0], state[1] = 1, joint[0] == joint[1]


def scores(constants, state, out):
    out[0], out[1] = state[1], 1 - state[1]


def format_pennies_move(player, code):
    return ("heads", "tails")[code]


PENNIES = gv.Game(
    name="pennies",
    players=2,
    functions=gv.RuleFunctions(start=start, turn=turn, legal=legal, play=play, scores=scores),
    bounds=gv.Bounds(state_words=2, num_codes=2, max_moves=2, max_plies=1),
    display=gv.Display(format_move=format_pennies_move),
)


def roundtrip(value):
    return pickle.loads(pickle.dumps(value))


GAMES = ["hex(size=5)", "misere-nogo(size=4)", "go(size=5)", "gdl(sheet=tictactoe_3d_2player)"]


@pytest.mark.parametrize("spec", GAMES)
def test_games_and_positions_survive_pickle(spec):
    game = gv.game(spec)
    position = game.start()
    for _ in range(2):
        position = position.play_joint(
            [position.legal_moves_of(player)[-1] for player in position.players_to_move]
        )
    again = roundtrip(position)
    assert again == position
    assert hash(again) == hash(position)
    assert again.history == position.history
    assert str(again) == str(position)
    assert again.legal_moves == position.legal_moves
    assert roundtrip(game) == game
    assert roundtrip(game).spec == game.spec
    # Many unpickled positions share one game, so that its rules are compiled once.
    assert roundtrip(position).game is again.game
    assert copy.deepcopy(position) == copy.copy(position) == position


def test_a_game_of_a_class_is_pickled_as_the_class_and_its_moves():
    game = gv.from_class(TwoHeaps)
    # Codes are given in the order in which moves appear, which differs between processes.
    game.start().play("(1,2)").play("(0,1)")
    position = game.start().play("(0,2)").play("(1,1)")
    again = roundtrip(position)
    assert str(again.legal_moves) == str(position.legal_moves)
    assert [again.game.format_move(0, max(joint)) for joint in again.history] == ["(0,2)", "(1,1)"]


def test_a_game_of_functions_is_pickled_by_their_names():
    again = roundtrip(PENNIES.start().play_joint(["heads", "tails"]))
    assert again.scores == (0.0, 1.0)
    assert again.game == PENNIES
    assert again.history == ((0, 1),)


def test_a_game_that_cannot_be_pickled_says_what_to_do():
    game = gv.game("hex(size=3)").changed(format_move=lambda player, code: f"cell{code}")
    with pytest.raises(pickle.PicklingError, match=r"`format_move` is a lambda.*def"):
        pickle.dumps(game)


def test_positions_are_searched_in_a_pool_of_processes():
    agent = gv.agent("grave(ref=10,bias=1e-3)+mast")
    assert roundtrip(agent) == agent
    game = gv.game("hex(size=3)")
    positions = [game.start(), game.start().play_moves(["a1", "b1", "a2", "b2"])]
    expected = [agent.search(position, playouts=200) for position in positions]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        results = list(pool.map(partial(agent.search, playouts=200), positions))
    assert [result.root_stats for result in results] == [e.root_stats for e in expected]
    assert results[1].best_move == "a3"
    assert results[1].tree.root.children[0].move == "a3"


def test_a_result_prints_as_the_command_does(capsys):
    from graven.interfaces.cli.app import run

    game = gv.game("hex(size=3)")
    result = gv.agent("grave").search(game.start(), playouts=300)
    assert run(["search", "hex", "--size", "3", "--agent", "grave", "--playouts", "300"]) == 0
    printed = capsys.readouterr().out
    for line in str(result).splitlines():
        if not line.startswith("spent"):  # the time differs
            assert line in printed
    assert "\n" not in repr(result)
    assert result.best_move in repr(result)
    assert str(game) in {f"{game.spec}: {game.describe()}"}
    assert "2 players (Black, White), 9 move codes" in str(game)
    assert repr(game) == "<Game hex(size=3x3)>"


def test_a_result_as_plain_values():
    result = gv.agent("rave").search(gv.game("hex(size=3)").start(), playouts=100)
    values = json.loads(result.to_json())
    assert values == result.to_dict()
    assert values["best_move"] == result.best_move
    assert values["root_stats"][0]["visits"] == result.root_stats[0].visits


def test_the_best_move_is_text_also_where_all_players_move():
    position = PENNIES.start()
    result = gv.agent("uct").search(position, playouts=20)
    assert isinstance(result.best_move, str)
    assert result.best_move == ",".join(result.best_joint)
    assert {*result.best_joint} <= {"heads", "tails"}
    assert len(result.best_joint) == 2
    assert "player 2:" in str(result)
    assert position.play_joint(result.best_joint) == position.play_moves([result.best_move])
    single = gv.game("hex(size=3)").start()
    result = gv.agent("uct").search(single, playouts=20)
    assert result.best_joint == (result.best_move,)


def test_a_wrapped_class_gets_its_own_move_back():
    result = gv.agent("uct").search(gv.from_class(TwoHeaps).start(), playouts=2000)
    heap, taken = result.best_object
    assert result.best_move == f"({heap},{taken})"
    heaps = TwoHeaps()
    heaps.play(result.best_object)
    first, second = heaps.heaps
    assert first % 3 == second % 3  # won for the player who has moved


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: gv.agent("uct").search(HEX.start(), playouts="10"),
            "playouts must be an integer, got '10'",
        ),
        (
            lambda: gv.agent("uct").search(HEX.start(), playouts=2.5),
            "playouts must be an integer, got 2.5",
        ),
        (
            lambda: gv.agent("uct").search(HEX.start(), seconds="1"),
            "seconds must be a number, got '1'",
        ),
        (lambda: gv.solve("samegame", playouts="10"), "playouts must be an integer, got '10'"),
        (lambda: gv.prove("hex(size=2)", seconds="3"), "seconds must be a number, got '3'"),
    ],
)
def test_a_budget_that_is_no_number_is_refused(call, message):
    with pytest.raises(UsageError, match=message):
        call()


def test_a_budget_may_be_a_float_or_a_number_of_numpy():
    agent = gv.agent("uct")
    assert agent.search(HEX.start(), playouts=2e2).playouts == 200
    assert agent.search(HEX.start(), playouts=np.int64(30), seconds=np.float64(60)).playouts == 30


def test_an_analysis_streams_results_and_ends_with_the_result_of_a_search():
    agent = gv.agent("grave(ref=10,bias=1e-3)")
    position = gv.game("hex(size=7)").start()
    results = list(agent.analyze(position, playouts=5000, every=0.005, seed=3))
    assert results[-1].root_stats == agent.search(position, playouts=5000, seed=3).root_stats
    assert results[-1].tree is not None
    assert results[-1].playouts == 5000
    stop = threading.Event()
    results = []
    for result in agent.analyze(position, seconds=600, every=0.005, stop=stop):
        results.append(result)
        if len(results) == 3:
            stop.set()
    playouts = [result.playouts for result in results]
    assert playouts == sorted(playouts)
    assert 0 < playouts[0] < playouts[-1]
    for result in results[:-1]:
        assert result.best_move in position.legal_moves
        assert all(0 <= stat.mean <= 1 for stat in result.root_stats)


def test_leaving_an_analysis_ends_its_search():
    agent = gv.agent("uct")
    position = gv.game("hex(size=7)").start()
    for result in agent.analyze(position, seconds=600, every=0.01):
        assert result.playouts
        break
    with pytest.raises(UsageError, match="every must be more than 0"):
        agent.analyze(position, seconds=1, every=0)


def check_tree(node, depth=0):
    """Check that the playouts of a node are those of its moves, but for the one that added it."""
    total = sum(child.visits for child in node.children)
    assert total <= node.visits
    for child in node.children:
        assert 0 <= child.mean <= 1
        assert child.amaf is None or 0 <= child.amaf <= 1
        if depth < 3:
            check_tree(child, depth + 1)


def test_the_tree_of_a_search():
    position = gv.game("hex(size=4)").start()
    result = gv.agent("grave(ref=10,bias=1e-3,transpositions=false)").search(position, 2000)
    root = result.tree.root
    assert root.move is None
    assert root.visits == 2000
    assert len(result.tree) == result.nodes
    visited = {stat.move: stat for stat in result.root_stats if stat.visits}
    assert {child.move for child in root.children} == visited.keys()
    for child in root.children:
        stat = visited[child.move]
        assert (child.visits, child.mean) == (stat.visits, pytest.approx(stat.mean))
        assert child.amaf == pytest.approx(stat.amaf)
        assert child.player == 0
    assert root.pv[: len(result.pv)] == result.pv
    check_tree(root)
    # The moves along the tree are legal, and the players alternate.
    node, at = root, position
    while node.children:
        assert node.children[0].player == at.current_player
        node = node.children[0]
        at = at.play(node.move)


def test_the_tree_of_simultaneous_moves_and_of_no_amaf():
    position = PENNIES.start()
    tree = gv.agent("uct").search(position, playouts=50).tree
    assert {child.player for child in tree.root.children} == {0, 1}
    assert tree.root.pv == ()
    assert all(child.amaf is None for child in tree.root.children)


def test_the_tree_as_json_graphviz_and_svg(tmp_path):
    tree = gv.agent("grave").search(gv.game("hex(size=4)").start(), playouts=500).tree
    values = tree.to_dict(limit=20)
    assert json.loads(tree.to_json()) == tree.to_dict()
    counted, pending = 0, [values["root"]]
    while pending:
        node = pending.pop()
        counted += 1
        pending += node["children"]
    assert counted == 20
    svg = ElementTree.fromstring(tree.to_svg(limit=20))
    boxes = svg.findall("{http://www.w3.org/2000/svg}g")
    assert len(boxes) == 20
    dot = tree.to_dot(limit=20)
    assert dot.count("->") == 19
    assert dot.startswith("digraph")
    for name in ("tree.svg", "tree.dot", "tree.json"):
        tree.save(tmp_path / name)
        assert (tmp_path / name).read_text()
    with pytest.raises(UsageError, match=r"\.svg"):
        tree.save(tmp_path / "tree.png")


def test_the_command_writes_the_tree(tmp_path, monkeypatch, capsys):
    from graven.interfaces.cli.app import run

    monkeypatch.chdir(tmp_path)
    command = ["search", "hex", "--size", "3", "--playouts", "100", "--tree"]
    assert run([*command, "out.svg", "--tree-nodes", "5"]) == 0
    assert (tmp_path / "out.svg").read_text().count("<g>") == 5
    assert run([*command, "out.png"]) == 2
    assert "a tree is written as .svg" in capsys.readouterr().err


def test_a_result_tells_when_amaf_misleads():
    from graven.agents.search_result import SearchResult

    def warns(**values):
        return "AMAF values order" in str(SearchResult("m0", **values))

    assert warns(amaf_agreement=0.1, amaf_rank=0.5)
    assert not warns(amaf_agreement=0.5, amaf_rank=0.5)
    assert not warns(amaf_agreement=0.1, amaf_rank=0.8)
    assert not warns(amaf_agreement=0.1)
    assert "AMAF values order" not in str(SearchResult("m0"))
