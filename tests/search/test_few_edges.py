"""Nodes with edges for tried moves only select what nodes with all edges select."""

from __future__ import annotations

import pytest

from graven.agents import SearchAgent
from graven.core.contract import TERMINAL
from graven.core.game import Game
from graven.core.game_parts import Bounds, RuleFunctions
from graven.games.registry import make_game
from graven.search import snapshot
from graven.search import tree as arrays
from graven.search.budget import Budget

SPECS = ["uct", "rave(solver=off)", "grave(ref=5,bias=1e-4)", "grave(c=0.2)+mast", "hrave+poolrave"]
GAMES = ["breakthrough", "hex(size=5)", "go(size=5)", "othello", "morpion(variant=5D)"]


def few(search):
    """The nodes that have edges for some of their moves only."""
    tree = search.tree
    return (tree.listed_at[: int(tree.meta[arrays.NODES])] != arrays.NONE).nonzero()[0]


def run(game, spec, playouts, seed=7, **options):
    search = SearchAgent(spec).with_options(**options).bind(game)
    search.run(game.start().state, (), Budget(playouts=playouts), seed)
    return search


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("spec", SPECS)
def test_the_same_moves_are_selected_in_less_memory(name, spec):
    game = make_game(name)
    tried, full = (run(game, spec, 1500, edges=edges) for edges in ("tried", "all"))
    assert len(few(tried)) > 50
    for player in range(game.players):
        assert tried.root_statistics(player) == full.root_statistics(player)
    nodes = int(full.tree.meta[arrays.NODES])
    assert nodes == tried.tree.meta[arrays.NODES]
    assert tried.tree.visits[:nodes].tolist() == full.tree.visits[:nodes].tolist()
    assert int(tried.tree.meta[arrays.EDGES]) < int(full.tree.meta[arrays.EDGES])


@pytest.mark.usefixtures("rounds")
@pytest.mark.parametrize("name", ["hex(size=5)", "breakthrough", "go(size=5)"])
@pytest.mark.parametrize("spec", ["rave+mast", "grave(ref=5,bias=1e-4)"])
def test_threads_exchange_the_moves_that_they_try(name, spec):
    """In complete and in brief rounds, with proofs at Hex."""
    game = make_game(name)
    tried, full = (run(game, spec, 1500, threads=3, edges=edges) for edges in ("tried", "all"))
    for mine, other in zip(tried.members, full.members, strict=True):
        nodes = int(other.tree.meta[arrays.NODES])
        assert len(few(mine)) > 50
        assert nodes == mine.tree.meta[arrays.NODES]
        assert mine.tree.visits[:nodes].tolist() == other.tree.visits[:nodes].tolist()
        assert mine.root_statistics(0) == other.root_statistics(0)
        assert int(mine.tree.meta[arrays.EDGES]) < int(other.tree.meta[arrays.EDGES])


@pytest.mark.parametrize("prune", [False, True])
@pytest.mark.parametrize("spec", SPECS)
def test_a_reused_tree_is_that_of_a_search_with_all_edges(spec, prune):
    """Also if its new root has edges for some of its moves only, and if the tree is pruned."""
    game = make_game("breakthrough(size=6x6)")
    agents = [SearchAgent(spec).with_options(reuse_tree=True, edges=e) for e in ("tried", "all")]
    searches = [agent.bind(game) for agent in agents]
    position, roots_with_few = game.start(), 0
    for ply in range(12):
        for search in searches:
            if prune:
                search.prune_above = 0
            search.run(position.state, position.history, Budget(playouts=150), ply)
        mover = position.current_player
        tried, full = (search.root_statistics(mover) for search in searches)
        assert tried == full
        # The least visited move that has playouts: its node has tried few moves.
        move = min((each for each in full if each.visits), key=lambda each: each.visits)
        position = position.play(move.code)
        roots_with_few += len(few(searches[0])) > 0
    assert roots_with_few == 12


# One heap: take 1 to 9 stones; taking the last stone wins. State: stones, turn. Constants: the
# size of the heap, and what is added to the number of stones for the code of a move.


def heap_start(constants, state):
    state[0], state[1] = constants[0], 0


def heap_turn(constants, state):
    return state[1] if state[0] > 0 else TERMINAL


def heap_legal(constants, state, player, moves):
    count = min(9, state[0])
    for i in range(count):
        moves[i] = constants[1] + i + 1
    return count


def heap_play(constants, state, joint):
    state[0] -= joint[state[1]] - constants[1]
    state[1] = 1 - state[1]


def heap_scores(constants, state, out):
    out[0], out[1] = float(state[1]), 1.0 - state[1]


def heap(stones, offset):
    return Game(
        name="heap",
        players=2,
        functions=RuleFunctions(
            start=heap_start,
            turn=heap_turn,
            legal=heap_legal,
            play=heap_play,
            scores=heap_scores,
        ),
        bounds=Bounds(state_words=2, num_codes=offset + 10, max_moves=9, max_plies=stones),
        constants=[stones, offset],
    )


@pytest.mark.parametrize("spec", ["uct(solver=off)", "grave(ref=20,bias=1e-4,solver=off)"])
def test_codes_of_more_than_16_bits_are_searched_like_small_ones(spec):
    """They take twice the memory in lists of moves, and in the traces that GRAVE stores."""
    options = {"transpositions": False, "reuse_tree": True}
    small, large = heap(60, 0), heap(60, 70_000)
    searches = [run(game, spec, 2000, **options) for game in (small, large)]
    assert [search.rules.few_edges for search in searches] == [1, 2]
    for game, search in zip((small, large), searches, strict=True):
        assert len(few(search)) > 50
        search.prune_above = 0  # moves lists and traces
        position = game.start().play(5 + int(game.constants[1]))
        search.run(position.state, position.history, Budget(playouts=500), 3)
    mover = 1
    first, second = (search.root_statistics(mover) for search in searches)
    assert [each._replace(code=each.code + 70_000) for each in first] == second


@pytest.mark.parametrize("spec", SPECS)
def test_a_full_tree_is_searched_on(spec):
    game = make_game("breakthrough(size=5x4)")
    options = {"max_nodes": 60, "solver": "off"}
    tried, full = (run(game, spec, 900, edges=edges, **options) for edges in ("tried", "all"))
    assert tried.tree.meta[arrays.CLOSED]
    assert tried.root_visits == 900
    assert tried.root_statistics(0) == full.root_statistics(0)


def test_a_snapshot_shows_all_moves_of_a_node_with_few_edges():
    game = make_game("breakthrough")
    searches = [run(game, "grave(ref=5,bias=1e-4)", 1500, edges=e) for e in ("tried", "all")]
    compared = 0
    for node in few(searches[0])[:200].tolist():
        path = [int(searches[0].tree.meta[arrays.ROOT]), node]
        tried, full = (snapshot.take_snapshot(search, path) for search in searches)
        assert tried == full
        compared += len(tried.moves) > arrays.FEW
    assert compared > 50
