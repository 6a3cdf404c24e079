"""Parameters that tune themselves: the bandits choose what their slow twins choose."""

from __future__ import annotations

import math

import numpy as np
import pytest

from graven.agents import SearchAgent
from graven.core.errors import UsageError
from graven.core.rng import derive
from graven.games.registry import make_game
from graven.search.budget import Budget
from graven.search.plan import NEVER
from graven.search.policy import playout_policies, tree_policies
from tests.naive import formulas as naive
from tests.naive import tiny
from tests.naive.playouts import Mast, Uniform
from tests.naive.search import NaiveSearch
from tests.naive.tuning import NaiveTuning
from tests.search.helpers import assert_same_tree, every_node
from tests.search.round_twins import EVERY_KIND, assert_same_trees, twin_of


def tried(policy, name):
    (parameter,) = [each for each in policy.parameters if each.name == name]
    return parameter.auto


GRAVE = tree_policies()["grave"]
REF, BIAS, K, C = (tried(GRAVE, name) for name in ("ref", "bias", "k", "c"))
EPSILON = tried(playout_policies()["mast"], "epsilon")


def use_grave(search, setting):
    search.ref = setting["ref"]
    search.formula = naive.bias(setting["bias"])


def use_rave(search, setting):
    search.formula = naive.hand_k(setting["k"], setting["c"])


def use_uct(search, setting):
    search.formula = naive.uct(0.4)
    search.playout.epsilon = setting["epsilon"]


# The default of each parameter.
USUAL = {"ref": 50, "bias": 1e-4, "k": 250, "c": 0.2, "epsilon": 0.4}

# The spec, the values of its parameters, how the twin uses a setting, its ref and its playouts.
CASES = {
    "grave": ("grave(ref=auto,bias=auto)", {"ref": REF, "bias": BIAS}, use_grave, 10, Uniform),
    "rave": ("rave(k=auto,c=auto)", {"c": C, "k": K}, use_rave, 0, Uniform),
    "mast": (
        "uct(c=0.4)+mast(epsilon=auto)",
        {"epsilon": EPSILON},
        use_uct,
        None,
        lambda: Mast(epsilon=0.4),
    ),
}


def usual(values):
    return {name: USUAL[name] for name in values}


def both(game, case, tuner, playouts):
    spec, values, use, ref, playout = CASES[case]
    tree, plus, rest = spec.partition("+")
    search = SearchAgent(f"{tree[:-1]},tuner={tuner}){plus}{rest}").bind(game)
    search.run(game.start().state, (), Budget(playouts=playouts), 1)
    tuning = NaiveTuning(game.players, values, usual(values), use, tuner)
    twin = NaiveSearch(game, None, ref, playout=playout(), tuning=tuning)
    twin.set_root(game.start().state)
    twin.run(1, playouts)
    return search, twin


@pytest.mark.parametrize("tuner", ["naive", "ntuple"])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ["breakthrough(size=5x4)", "hex(size=4)", "all at once"])
def test_every_simulation_has_the_values_that_its_twin_chooses(name, case, tuner):
    game = tiny.rock_paper_scissors(4) if name == "all at once" else make_game(name)
    search, twin = both(game, case, tuner, 500)
    assert_same_tree(search, twin)
    values = list(twin.tuning.values.values())
    for player, rewards in enumerate(twin.tuning.rewards):
        assert sum(len(r) for part, r in rewards.items() if len(part) == len(values)) > 100
        for place, (parameter, own) in enumerate(twin.tuning.values.items()):
            counts = [len(rewards[((parameter, value),)]) for value in own]
            first = player * search.tuning.entries + int(search.tuning.starts[place])
            kept = search.tuning.statistics[2 * first : 2 * (first + len(own)) : 2]
            assert kept.tolist() == counts
            assert sum(count > 0 for count in counts) > 1


def test_three_parameters_have_statistics_of_pairs():
    game = make_game("hex(size=4)")
    search = SearchAgent("grave(ref=auto,k=auto,c=auto,tuner=ntuple)").bind(game)
    tuning = search.tuning
    sizes = [len(REF), len(C), len(K)]
    pairs = sizes[0] * sizes[1] + sizes[0] * sizes[2] + sizes[1] * sizes[2]
    assert tuning.entries == sum(sizes) + pairs + math.prod(sizes)
    search.run(game.start().state, (), Budget(playouts=300), 1)
    counts = tuning.statistics[::2].reshape(2, -1)
    ends = [*tuning.starts.tolist()[1:], tuning.entries]
    for start, end in zip(tuning.starts.tolist(), ends, strict=True):  # each has every simulation
        assert counts[:, start:end].sum(axis=1).tolist() == [300.0, 300.0]


def test_statistics_are_kept_from_move_to_move_and_forgotten_with_the_game():
    game = make_game("breakthrough(size=5x4)")
    spec, values, use, ref, _ = CASES["grave"]
    search = SearchAgent(spec).bind(game)
    tuning = NaiveTuning(2, values, usual(values), use)
    twin = NaiveSearch(game, None, ref, tuning=tuning)
    position = game.start()
    for move in range(3):
        search.run(position.state, position.history, Budget(playouts=200), derive(5, move))
        tuning.new_search()
        twin.nodes.clear()
        twin.set_root(position.state)
        twin.run(derive(5, move), 200)
        assert_same_tree(search, twin)
        position = position.play(position.legal_moves[0])
    search.renew()
    assert not search.tuning.statistics.any()
    assert every_node(twin.root)


@pytest.mark.parametrize("tuner", ["naive", "ntuple"])
def test_the_best_values_are_tried_most_often(tuner):
    """The bandit without a search: scores are drawn, and two values make them better."""
    rng = np.random.default_rng(1)
    values = {"a": (0, 1, 2), "b": (0, 1, 2, 3)}
    twin = NaiveTuning(1, values, {"a": 1, "b": 0}, None, tuner)
    stream = np.array([7], np.uint64)
    for _ in range(3000):
        twin.choose(stream)
        good = 0.3 + 0.2 * (twin.chosen[0]["a"] == 2) + 0.2 * (twin.chosen[0]["b"] == 1)
        twin.reward([float(rng.random() < good)])
    counts = {part: len(r) for part, r in twin.rewards[0].items() if len(part) == 2}
    assert max(counts, key=counts.get) == (("a", 2), ("b", 1))
    assert max(counts.values()) > 1000


def test_the_same_seed_gives_the_same_result():
    game = make_game("hex(size=5)")
    agent = SearchAgent("grave(ref=auto,bias=auto)+mast(epsilon=auto)")
    one, two = (agent.search(game.start(), playouts=500, seed=3) for _ in range(2))
    assert one.root_stats == two.root_stats
    assert agent.search(game.start(), playouts=500, seed=4).root_stats != one.root_stats


def test_auto_is_part_of_the_canonical_text():
    agent = SearchAgent("grave(bias=auto, ref=auto)+mast(epsilon=auto)")
    assert agent.spec == "grave(ref=auto,bias=auto)+mast(epsilon=auto)"
    assert SearchAgent("uct(c=auto,tuner=ntuple)").spec == "uct(c=auto,tuner=ntuple)"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("grave(alpha=auto)", "alpha cannot be auto"),
        ("uct(fpu=auto)", "fpu cannot be auto"),
        ("uct+mast(k=auto)", "k cannot be auto"),
        ("uct(batch_leaves=4)+mast(epsilon=auto)", "epsilon = auto: .* not in batches"),
        ("uct(learn_after=batch)+mast(epsilon=auto)", "not in batches"),
    ],
)
def test_where_parameters_cannot_tune_themselves_a_sentence_says_so(spec, message):
    with pytest.raises(UsageError, match=message):
        SearchAgent(spec)


def test_a_finished_search_shows_the_values_tried_most_often():
    game = make_game("hex(size=4)")
    search = SearchAgent("grave(ref=auto,bias=auto)").bind(game)
    search.run(game.start().state, (), Budget(playouts=400), 1)
    values = search.tuned_values(0)
    assert values["ref"] in {min(value, NEVER) for value in REF}
    assert values["bias"] in BIAS
    assert values["bias"] in search.plan.params.tolist()
    first = int(search.tuning.starts[-1])  # the table of combinations, of the first player
    assert max(search.tuning.statistics[2 * first : 2 * search.tuning.entries : 2]) > 20


@pytest.mark.parametrize("parallel", ["tree", "root"])
def test_each_thread_tunes_its_own_parameters(parallel):
    game = make_game("hex(size=4)")
    agent = SearchAgent(f"grave(ref=auto,bias=auto,threads=2,parallel={parallel})")
    search = agent.bind(game)
    assert search.run(game.start().state, (), Budget(playouts=4000), 1).playouts == 4000
    # The playouts of each setting of the first player. One thread may be too late for any.
    first = int(search.tuning.starts[-1])
    settings = slice(2 * first, 2 * search.tuning.entries, 2)
    tried = [member.tuning.statistics[settings].sum() for member in search.members]
    assert max(tried) > 100
    assert min(tried) > 100 or parallel == "tree"


@pytest.mark.usefixtures("rounds")
@EVERY_KIND
@pytest.mark.parametrize("tuner", ["naive", "ntuple"])
@pytest.mark.parametrize("case", CASES)
def test_threads_in_rounds_tune_what_their_twins_tune(case, tuner, rounds):
    """Every thread learns from its own simulations which values win."""
    game = make_game("breakthrough(size=5x4)")
    spec, values, use, ref, playout = CASES[case]
    tree, plus, rest = spec.partition("+")
    search = SearchAgent(f"{tree[:-1]},tuner={tuner},threads=3,solver=off){plus}{rest}").bind(game)
    twin = twin_of(
        search,
        game,
        None,
        ref,
        playout,
        tuning=lambda: NaiveTuning(2, values, usual(values), use, tuner),
    )
    search.run(game.start().state, (), Budget(playouts=600), 1)
    twin.set_root(game.start().state)
    twin.run(1, 600)
    assert_same_trees(search, twin)
