"""Playouts that learn agree with their slow twins in `tests/naive/playouts.py`: every weight after
a search, and every visit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare

from graven.agents import SearchAgent
from graven.core import contract
from graven.core.compile import compiled
from graven.core.errors import ContractError, UsageError
from graven.core.rng import generator
from graven.core.status import Status
from graven.games.registry import make_game
from graven.search import tree as arrays
from graven.search.budget import Budget
from graven.search.plan import call_playout
from graven.search.playout import lgrf, npa
from graven.search.simulate import DONE
from tests.naive import formulas as twins
from tests.naive import playouts as naive
from tests.naive import tiny
from tests.naive.search import NaiveSearch
from tests.search.helpers import assert_same_tree, every_node
from tests.search.three_player_heap import heap

GAMES = ["breakthrough(size=5x4)", "nogo(size=3)", "misere-domineering(size=4)", "atarigo(size=3)"]
MAST = [
    ("mast(k=4)", {"k": 4.0}),
    ("mast(k=40,unseen=0.5)", {"k": 40.0, "unseen": 0.5}),
    ("mast(k=4,batch=50,batch_decay=0.25)", {"k": 4.0, "batch": 50, "batch_decay": 0.25}),
    ("mastf(k=8)", {"k": 8.0, "features": True}),
    ("mast(epsilon=0.4)", {"epsilon": 0.4}),
    ("mastf(epsilon=0.1)", {"epsilon": 0.1, "features": True}),
]


def run_both(game, spec, formula, ref, playout, playouts=400, seed=1):
    """The kernel's and the twin's search with the same playouts and random numbers."""
    start = game.start()
    search = SearchAgent(spec).bind(game)
    search.run(start.state, (), Budget(playouts=playouts), seed)
    twin = NaiveSearch(game, formula, ref, playout=playout)
    twin.set_root(start.state)
    twin.run(seed, playouts)
    assert_same_tree(search, twin)
    # Nodes below simultaneous moves are found by joint move: their numbers must agree as well.
    mine = sorted(search.tree.visits[: int(search.tree.meta[arrays.NODES])])
    assert mine == sorted(node.visits for node in every_node(twin.root))
    return search


def by_code(search, table, default):
    """A twin's table as the kernel keeps it: by player * features + code."""
    features = search.rules.num_features
    values = np.full(search.rules.players * features, default)
    for (player, code), value in table.items():
        values[player * features + code] = value
    return values


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(("spec", "arguments"), MAST, ids=[spec for spec, _ in MAST])
def test_mast_learns_what_its_twin_learns(name, spec, arguments):
    twin = naive.Mast(**arguments)
    search = run_both(make_game(name), f"uct(c=0.4)+{spec}", twins.uct(0.4), None, twin)
    assert twin.policy
    size = search.rules.players * search.rules.num_features
    memory = search.playout_memory.record
    played, totals = memory.statistics[: 2 * size : 2], memory.statistics[1 : 2 * size : 2]
    np.testing.assert_array_equal(played, by_code(search, twin.games, 0.0))
    np.testing.assert_array_equal(totals, by_code(search, twin.wins, 0.0))
    means = by_code(search, twin.policy, twin.unseen)
    if twin.k is None:
        np.testing.assert_array_equal(memory.means[:size], means)
    else:
        np.testing.assert_array_equal(memory.logits[:size], twin.k * means)


def assert_same_logits(search, expected):
    # Compiled code and the interpreter may have different exponential functions: the last bit.
    logits = search.playout_memory.record.logits[: len(expected)]
    np.testing.assert_allclose(logits, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("alpha", [0.08, 1.0])
@pytest.mark.parametrize("policy", ["ppa", "ppaf"])
def test_ppa_learns_what_its_twin_learns(name, policy, alpha):
    twin = naive.Ppa(alpha, features=policy == "ppaf")
    spec = f"uct(c=0.4)+{policy}(alpha={alpha})"
    search = run_both(make_game(name), spec, twins.uct(0.4), None, twin)
    assert any(twin.policy.values())
    assert_same_logits(search, by_code(search, twin.policy, 0.0))


@pytest.mark.parametrize("policy", ["ppa", "ppaf"])
def test_players_can_share_the_policy_of_ppa(policy):
    twin = naive.Ppa(0.5, features=policy == "ppaf", shared=True)
    spec = f"uct(c=0.4)+{policy}(alpha=0.5,policy=shared)"
    search = run_both(make_game("domineering(size=4)"), spec, twins.uct(0.4), None, twin)
    assert any(twin.policy.values())
    assert_same_logits(search, by_code(search, twin.policy, 0.0))


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(
    ("spec", "arguments"),
    [
        ("nst", {"epsilon": 0.4}),
        ("nst(epsilon=0.1,min=2)", {"epsilon": 0.1, "least": 2}),
        ("nst(n=2,min=1,epsilon=0.2)", {"n": 2, "epsilon": 0.2, "least": 1}),
        ("nst(n=1,epsilon=0.2)", {"n": 1, "epsilon": 0.2}),
        ("nst(k=5,unseen=0.5,min=3)", {"k": 5.0, "unseen": 0.5, "least": 3}),
    ],
)
def test_nst_learns_what_its_twin_learns(name, spec, arguments):
    twin = naive.Nst(**arguments)
    search = run_both(make_game(name), f"uct(c=0.4)+{spec}", twins.uct(0.4), None, twin)
    codes, memory = search.rules.num_codes, search.playout_memory.record
    for (history, player, move), games in twin.games.items():
        if not history:
            at = 2 * (player * codes + move)
            assert tuple(memory.singles[at : at + 2]) == (games, twin.wins[(), player, move])
    longer = {gram: games for gram, games in twin.games.items() if gram[0]}
    kept = memory.sequences[::2]
    assert sorted(kept[kept > 0]) == sorted(longer.values())
    assert memory.used[0] == len(longer)


NPA = [
    ("npa(alpha=0.5)", {"alpha": 0.5}),
    ("npa(alpha=1,min=1)", {"alpha": 1.0, "least": 1}),
    ("npa(alpha=0.5,n=2,min=2,discount=0.9)", {"alpha": 0.5, "n": 2, "least": 2, "discount": 0.9}),
    ("npa(alpha=0.3,n=1)", {"alpha": 0.3, "n": 1}),
]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(("spec", "arguments"), NPA, ids=[spec for spec, _ in NPA])
def test_npa_learns_what_its_twin_learns(name, spec, arguments):
    twin = naive.Npa(**arguments)
    search = run_both(make_game(name), f"uct(c=0.4)+{spec}", twins.uct(0.4), None, twin)
    assert_same_sequences(search, twin)


def assert_same_sequences(search, twin):
    """The logits of all sequences; those of longer ones are compared as sorted lists."""
    codes, memory = search.rules.num_codes, search.playout_memory.record
    entries = memory.entries.reshape(-1, npa.ENTRY_WORDS)
    longer = {gram: updates for gram, updates in twin.updates.items() if gram[0]}
    for (history, player, move), updates in twin.updates.items():
        if not history:
            entry = entries[player * codes + move]
            assert entry[npa.UPDATES] == updates
            assert entry[npa.LOGIT] == pytest.approx(twin.policy[(), player, move], rel=1e-9)
    slots = entries[memory.singles :]
    assert memory.used[0] == len(longer) == np.count_nonzero(slots[:, npa.UPDATES])
    assert bool(longer) == (twin.n > 1)
    assert sorted(slots[slots[:, npa.UPDATES] > 0, npa.UPDATES]) == sorted(longer.values())
    logits = sorted(twin.policy[gram] for gram in longer)
    np.testing.assert_allclose(
        sorted(slots[slots[:, npa.UPDATES] > 0, npa.LOGIT]), logits, rtol=1e-9, atol=1e-12
    )


def test_npa_learns_from_the_payoffs_of_three_players():
    twin = naive.Npa(0.5, least=2)
    search = run_both(heap(9), "uct(c=0.4)+npa(alpha=0.5,min=2)", twins.uct(0.4), None, twin)
    assert_same_sequences(search, twin)


def test_npa_learns_from_draws_as_well():
    drawn = tiny.rock_paper_scissors(2).changed(scores=all_equal)
    twin = naive.Npa(0.5)
    search = run_both(drawn, "uct(c=0.4)+npa(alpha=0.5)", twins.uct(0.4), None, twin)
    assert any(twin.policy.values())
    assert_same_sequences(search, twin)


def test_npa_grows_without_forgetting_and_decays():
    game = make_game("breakthrough(size=6)")
    search = SearchAgent("uct+npa(decay=0.5)").bind(game)
    slots = len(search.playout_memory.record.keys)
    search.run(game.start().state, (), Budget(playouts=3000), 1)
    memory = search.playout_memory.record
    assert len(memory.keys) > slots
    entries = memory.entries.reshape(-1, npa.ENTRY_WORDS).copy()
    counts = entries[memory.singles :, npa.UPDATES]
    assert np.count_nonzero(counts) == memory.used[0]
    # Learning is zero-sum: what the chosen move gains the legal ones lose.
    np.testing.assert_allclose(entries[: memory.singles, npa.LOGIT].sum(), 0.0, atol=1e-6)
    search.spec.playout.variant.on_new_search(memory)
    kept = memory.entries.reshape(-1, npa.ENTRY_WORDS)
    np.testing.assert_allclose(kept[: memory.singles], 0.5 * entries[: memory.singles])
    assert memory.used[0] == np.count_nonzero(counts > 1)
    assert kept[memory.singles :, npa.UPDATES].sum() == 0.5 * counts[counts > 1].sum()


@pytest.mark.parametrize("name", [*GAMES, "havannah(size=3)"])
@pytest.mark.parametrize("order", [1, 2])
def test_lgrf_learns_what_its_twin_learns(name, order):
    twin = naive.Lgrf(order)
    spec = f"uct(c=0.4)+lgrf(order={order})"
    search = run_both(make_game(name), spec, twins.uct(0.4), None, twin)
    assert_same_replies(search, twin)


def assert_same_replies(search, twin):
    rules, memory = search.rules, search.playout_memory.record
    replies = {key: move for key, move in twin.replies.items() if len(key[0]) == 1}
    assert np.count_nonzero(memory.first >= 0) == len(replies) > 0
    for (((player, move),), mover), reply in replies.items():
        entry = player * rules.num_codes + move
        assert memory.first[entry * rules.players + mover] == reply
    assert np.count_nonzero(memory.second >= 0) == len(twin.replies) - len(replies)


def test_lgrf_with_three_players_and_with_replies_that_share_places(monkeypatch):
    twin = naive.Lgrf()
    assert_same_replies(run_both(heap(9), "uct(c=0.4)+lgrf", twins.uct(0.4), None, twin), twin)
    # Few places: replies replace each other, and a reply to other moves is never played.
    monkeypatch.setattr(lgrf, "MOST_REPLIES", 64)
    game = make_game("breakthrough(size=5x4)")
    search = SearchAgent("uct+lgrf").bind(game)
    search.run(game.start().state, (), Budget(playouts=300), 1)
    memory = search.playout_memory.record
    assert len(memory.second) == len(memory.keys) == 64
    assert np.all((memory.keys >= 0) | (memory.second < 0))


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(
    ("tree", "formula", "ref"),
    [
        ("uct(c=0.4)", twins.uct(0.4), None),
        ("rave(bias=1e-4)", twins.bias(1e-4), 0),
        ("grave(ref=60,bias=1e-4)", twins.bias(1e-4), 60),
        ("grave(ref=5,bias=1e-4)", twins.bias(1e-4), 5),
        ("hrave(bias=1e-3)", twins.bias(1e-3), float("inf")),
    ],
)
@pytest.mark.parametrize(("p", "size", "least"), [(0.5, 3, 20), (1.0, 10, 50)])
def test_poolrave_plays_what_its_twin_plays(name, tree, formula, ref, p, size, least):
    twin = naive.PoolRave(p, size, least)
    spec = f"{tree}+poolrave(p={p},size={size},min={least})"
    run_both(make_game(name), spec, formula, ref, twin)


@pytest.mark.parametrize(
    "name", ["hex(size=4x4)", "go(size=4x4,colors=3)", "breakthrough(size=5x4)"]
)
def test_poolrave_with_the_pool_of_a_node_plays_what_its_twin_plays(name):
    twin = naive.PoolRave(0.6, 4, 20, shared=True)
    spec = "grave(ref=30,bias=1e-4)+poolrave(p=0.6,size=4,min=20,pool=node)"
    run_both(make_game(name), spec, twins.bias(1e-4), 30, twin)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(("p", "size", "context"), [(0.5, 3, 10.0), (1.0, 10, 0.5)])
def test_a_pool_with_context_tries_the_better_reply_of_two(name, p, size, context):
    twin = naive.ContextPoolRave(p, size, 20, context)
    spec = f"rave(bias=1e-4)+poolrave(p={p},size={size},min=20,context={context})"
    search = run_both(make_game(name), spec, twins.bias(1e-4), 0, twin)
    memory, codes = search.playout_memory.record, search.rules.num_codes
    assert len(memory.replies) == search.rules.players * codes * codes
    for ((player, before), move), (count, total) in twin.replies.items():
        at = (player * codes + before) * codes + move
        assert (memory.replies[at], memory.reply_sums[at]) == (count, total)
    assert memory.replies.sum() == sum(count for count, _ in twin.replies.values())


def test_a_new_search_knows_no_replies():
    game = make_game("hex(size=4)")
    search = SearchAgent("rave+poolrave(context=5)").bind(game)
    for _ in range(2):
        search.run(game.start().state, (), Budget(playouts=200), 1)
        counted = search.playout_memory.record.replies.sum()
        assert 200 < counted <= 200 * 16


@pytest.mark.parametrize("tree", [("grave(ref=10)", twins.bias(1e-4), 10)])
@pytest.mark.parametrize(
    ("spec", "make"),
    [
        ("mast(k=4)", lambda: naive.Mast(k=4.0)),
        ("mast(epsilon=0.4)", lambda: naive.Mast(epsilon=0.4)),
        ("mast(epsilon=0.4,joint=true)", lambda: naive.Mast(epsilon=0.4, joint=True)),
        ("nst(min=2)", lambda: naive.Nst(epsilon=0.4, least=2)),
        ("ppa(alpha=0.3)", lambda: naive.Ppa(0.3)),
        ("npa(alpha=0.3,min=2)", lambda: naive.Npa(0.3, least=2)),
        ("poolrave(min=20)", lambda: naive.PoolRave(0.5, 10, 20)),
        ("poolrave(min=20,pool=node)", lambda: naive.PoolRave(0.5, 10, 20, shared=True)),
        ("poolrave(min=20,context=3)", lambda: naive.ContextPoolRave(0.5, 10, 20, 3.0)),
    ],
)
def test_players_of_simultaneous_moves_learn_separately(tree, spec, make):
    text, formula, ref = tree
    run_both(tiny.rock_paper_scissors(4), f"{text}+{spec}", formula, ref, make(), playouts=600)


def test_three_players_learn_from_the_best_of_them():
    twin = naive.Ppa(0.5)
    search = run_both(heap(7), "uct(c=0.4)+ppa(alpha=0.5)", twins.uct(0.4), None, twin)
    assert_same_logits(search, by_code(search, twin.policy, 0.0))


def test_a_drawn_game_teaches_nothing():
    drawn = tiny.rock_paper_scissors(2).changed(scores=all_equal)
    search = SearchAgent("uct+ppa(alpha=1)").bind(drawn)
    search.run(drawn.start().state, (), Budget(playouts=200), 1)
    assert not search.playout_memory.record.logits.any()


def all_equal(tables, state, out):
    out[0] = 0.5
    out[1] = 0.5


# Where the weights overflow or vanish.


@pytest.mark.parametrize(
    "playout",
    ["ppa(alpha=10.24)", "ppaf(alpha=10.24)", "ppa(alpha=1e6)", "mast(k=2048)", "mastf(k=2048)"],
)
@pytest.mark.parametrize("name", ["misere-knightthrough(size=6)", "nogo(size=5)"])
def test_extreme_parameters_stay_finite(name, playout):
    game = make_game(name)
    search = SearchAgent(f"uct(c=0.4)+{playout}").bind(game)
    run = search.run(game.start().state, (), Budget(playouts=5000), 3)
    assert run.playouts == 5000
    assert np.isfinite(search.playout_memory.record.logits).all()
    assert np.isfinite(search.playout_memory.record.weights).all()


def test_weights_are_the_exponentials_of_the_logits_after_a_shift():
    game = make_game("misere-knightthrough(size=6)")
    search = SearchAgent("uct(c=0.4)+ppa(alpha=1000)").bind(game)
    search.run(game.start().state, (), Budget(playouts=5000), 3)
    memory, features = search.playout_memory.record, search.rules.num_features
    shifts = memory.shifts
    assert shifts.max() > 0, "nothing had to be shifted: this test shows nothing"
    for player in range(2):
        mine = slice(player * features, (player + 1) * features)
        np.testing.assert_allclose(
            memory.weights[mine], np.exp(memory.logits[mine] - shifts[player]), rtol=1e-12
        )


# How often a move is drawn.


def frequencies(spec, logits, draws=40_000):
    """How often each first move of a game of one move is drawn in a playout, the tree apart."""
    game = tiny.lottery(len(logits), players=2)
    search = SearchAgent(spec).bind(game)
    memory, rng = search.playout_memory.record, generator(5)
    memory.logits[: len(logits)] = logits
    memory.weights[: len(logits)] = np.exp(np.minimum(logits - max(0.0, logits.max() - 500), 500))
    counts = np.zeros(len(logits))
    draw_many(search, rng, draws, counts)
    return counts


def draw_many(search, rng, draws, counts):
    rules, record = search.rules, search.record
    record.rng[:] = rng
    for _ in range(draws):
        contract.start(rules, record.state)
        record.shape[:] = 0
        assert one_playout(search.plan.playout, search.state) == Status.OK
        counts[int(record.trace[0])] += 1


@compiled
def one_playout(playout, state):
    return call_playout(playout, (state,))


@pytest.mark.parametrize("spec", ["uct+mast(k=3)", "uct+ppa(alpha=1)"])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 11])
def test_moves_are_drawn_by_the_exponentials_of_their_logits(spec, count):
    logits = np.linspace(-1.0, 2.0, count)
    assert_distribution(frequencies(spec, logits), np.exp(logits))


@pytest.mark.parametrize("spec", ["uct+mast(k=3)", "uct+ppa(alpha=1)"])
def test_moves_are_drawn_by_logits_where_all_weights_vanish(spec):
    logits = np.array([-3000.0, -3001.0, -2999.0, -5000.0])
    assert_distribution(frequencies(spec, logits), np.exp(logits + 2999.0))


def test_greedy_playouts_take_the_best_mean_but_for_epsilon():
    game = tiny.lottery(5)
    search = SearchAgent("uct+mast(epsilon=0.3)").bind(game)
    search.playout_memory.record.means[:5] = [0.2, 0.7, 0.1, 0.7, 0.3]
    counts = np.zeros(5)
    draw_many(search, generator(7), 40_000, counts)
    assert_distribution(counts, np.array([0.06, 0.41, 0.06, 0.41, 0.06]))


def assert_distribution(counts, weights):
    """A chi-square test; what is expected less than five times must be rare."""
    expected = counts.sum() * weights / weights.sum()
    common = expected >= 5
    assert counts[~common].sum() <= 10
    if common.sum() > 1:
        scaled = expected[common] * counts[common].sum() / expected[common].sum()
        assert chisquare(counts[common], scaled).pvalue > 1e-3
    else:
        assert counts[common][0] >= counts.sum() - 10


# Between the moves of a game.


@pytest.mark.parametrize(("spec", "kept"), [("mast(k=4)", 0.0), ("mast(epsilon=0.4)", 0.2)])
def test_mast_keeps_the_part_of_its_statistics_that_decay_says(spec, kept):
    game = make_game("nogo(size=4)")
    start = game.start()
    search = SearchAgent(f"uct+{spec}").bind(game)
    search.run(start.state, (), Budget(playouts=300), 1)
    memory = search.playout_memory.record
    before = memory.statistics.copy()
    assert before.any()
    search.spec.playout.variant.on_new_search(memory)
    np.testing.assert_allclose(memory.statistics, kept * before)


def test_a_second_search_forgets_or_goes_on_as_decay_says():
    game = make_game("nogo(size=4)")
    start = game.start()
    games = {}
    for decay in (0, 0.5, 1):
        search = SearchAgent(f"uct+mast(k=4,decay={decay})").bind(game)
        for seed in (1, 2):
            search.run(start.state, (), Budget(playouts=300), seed)
        games[decay] = search.playout_memory.record.statistics[::2].sum()
    assert games[0] < games[0.5] < games[1]


def test_ppa_keeps_the_part_of_its_logits_that_decay_says():
    game = make_game("nogo(size=4)")
    search = SearchAgent("uct+ppa(alpha=1,decay=0.5)").bind(game)
    search.run(game.start().state, (), Budget(playouts=300), 1)
    memory = search.playout_memory.record
    before = memory.logits.copy()
    search.spec.playout.variant.on_new_search(memory)
    size = 2 * search.rules.num_features
    np.testing.assert_allclose(memory.logits, 0.5 * before)
    np.testing.assert_allclose(memory.weights[:size], np.exp(0.5 * before[:size]))


def test_ppam_goes_on_with_the_policy_of_the_search_before():
    game = make_game("nogo(size=4)")
    position, twin_playouts = game.start(), naive.Ppa(0.5)
    search = SearchAgent("uct(c=0.4)+ppam(alpha=0.5)").bind(game)
    for seed in (1, 2):
        search.run(position.state, position.history, Budget(playouts=300), seed)
        twin = NaiveSearch(game, twins.uct(0.4), playout=twin_playouts)
        twin.set_root(position.state)
        twin.run(seed, 300)
        assert_same_tree(search, twin)
        position = position.play(position.legal_codes_of(0 if seed == 1 else 1)[0])


PLAYOUTS = 20_000


def test_nst_grows_without_forgetting():
    game = make_game("breakthrough(size=6)")
    search = SearchAgent("uct+nst").bind(game)
    slots = len(search.playout_memory.record.keys)
    run = search.run(game.start().state, (), Budget(playouts=PLAYOUTS), 1)
    assert run.playouts == PLAYOUTS
    memory = search.playout_memory.record
    assert len(memory.keys) > slots
    kept = memory.sequences[::2]
    assert (kept > 0).sum() == memory.used[0]
    # Every ply but the first two of a simulation ends a sequence of two and one of three moves.
    assert kept.sum() == 2 * memory.singles[::2].sum() - 3 * PLAYOUTS


# What a game may get wrong.


def too_high(tables, state, player, move):
    return 1 << 30


def too_high_late(tables, state, player, move):
    return 2 if state[0] + state[1] > 3 else 1 << 30


@pytest.mark.parametrize("playout", ["mastf(epsilon=1)", "mastf(k=4)", "ppaf(alpha=1)"])
def test_a_feature_code_out_of_range_in_playouts_is_refused(playout):
    game = tiny.heaps(6).changed(feature=too_high_late, num_features=3)
    with pytest.raises(ContractError, match="feature"):
        SearchAgent(f"uct(expand=1000)+{playout}").search(game.start(), playouts=500)


def unknown_player(tables, state):
    return 7 if state[0] + state[1] < 3 else state[2]


def far_too_many(tables, state, player, moves):
    if state[0] + state[1] < 3:
        return 2_000_000_000
    count = 0
    for move in range(4):
        if state[move // 2] > move % 2:
            moves[count] = move
            count += 1
    return count


@pytest.mark.parametrize("spec", ["uct", "grave", "uct+mast", "uct+nst", "uct+ppa", "uct+poolrave"])
@pytest.mark.parametrize(
    ("broken", "said"),
    [({"turn": unknown_player}, "named a player outside"), ({"legal": far_too_many}, "more than")],
)
@pytest.mark.parametrize("expand", [1, 1000])
def test_rules_that_break_below_the_tree_end_the_search_with_a_message(spec, broken, said, expand):
    tree, plus, playout = spec.partition("+")
    with pytest.raises(ContractError, match=said):
        SearchAgent(f"{tree}(expand={expand}){plus}{playout}").search(
            tiny.heaps(6).changed(**broken).start(), playouts=2000
        )


@pytest.mark.parametrize("playout", ["ppa", "ppaf"])
def test_ppa_refuses_games_of_one_player(playout):
    with pytest.raises(UsageError, match="nrpa"):
        SearchAgent(f"uct+{playout}").search(tiny.lottery(3).start(), playouts=10)


def test_nst_forgets_sequences_that_decay_makes_rare():
    game = make_game("breakthrough(size=5)")
    search = SearchAgent("uct+nst").bind(game)
    start = game.start()
    search.run(start.state, (), Budget(playouts=2000), 1)
    memory = search.playout_memory.record
    before = memory.sequences[::2].copy()
    search.spec.playout.variant.on_new_search(memory)
    after = memory.sequences[::2]
    assert sorted(after[after > 0]) == sorted(0.2 * count for count in before if 0.2 * count > 0.5)
    assert memory.used[0] == (after > 0).sum() < (before > 0).sum()


@pytest.mark.parametrize("playout", ["mast(k=4)", "mast(epsilon=0.4)", "nst", "ppaf", "poolrave"])
def test_a_reused_tree_works_with_playouts_that_learn(playout):
    game = make_game("nogo(size=4)")
    agent = SearchAgent(f"grave(ref=10,reuse_tree=true,playouts=300)+{playout}")
    player = agent.player(game, seed=3)
    position = game.start()
    while not position.is_over:
        position = position.play(player.choose(position).best_move)
    assert sum(position.scores) == 1.0


@pytest.mark.parametrize("playout", ["mast(k=4)", "mast(epsilon=0.4)", "mastf(k=4)", "nst", "ppaf"])
def test_an_interrupted_search_does_not_shorten_the_next(playout):
    game = make_game("nogo(size=4)")
    search = SearchAgent(f"uct+{playout}").bind(game)
    state = game.start().state

    class Broken:
        def is_set(self):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search.run(state, (), Budget(playouts=50), 1, Broken())
    search.control[DONE] = 30  # as if it had been interrupted later
    assert search.run(state, (), Budget(playouts=50), 1).playouts == 50
    assert search.tree.visits[0] == 50


@pytest.mark.parametrize("playout", ["mastf(k=4)", "mastf(epsilon=0.4)", "ppaf"])
def test_a_feature_code_out_of_range_is_refused(playout):
    game = make_game("nogo(size=3)").changed(feature=too_high, playout_moves_with_features=None)
    with pytest.raises(ContractError, match="feature"):
        SearchAgent(f"uct+{playout}").search(game.start(), playouts=200)
