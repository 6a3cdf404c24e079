"""User-defined policies: in a file, or passed to an agent."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace

import pytest

import graven as gv
from graven.agents import parse
from graven.agents.spec_parser import with_budget
from graven.core.errors import ContractError, UsageError
from graven.lab.store.store import Store
from graven.policies import Formula, Parameter, PlayoutPolicy, PlayoutVariant, TreePolicy
from graven.search.budget import Budget

MINE = """
from math import log, sqrt
from typing import NamedTuple
import numpy as np
from graven.policies import LENGTH, Formula, Parameter, PlayoutPolicy, PlayoutVariant, Status
from graven.policies import TreePolicy, play_with, random_move, uniform
from upper import bound

def value(p, node, edge):
    return edge.total / edge.visits + p.c * bound(node.visits, edge.visits)

def wrong(p, node, edge):
    return edge.total + "one"

def short(p, node):
    return p.c

def optimistic(p, node, edge):
    return p.start

def any_move(rules, record, memory, player):
    return random_move(rules, record, player)

def no_move(rules, record, memory, player):
    return 1_000_000

def play_out(rules, tree, record, memory):
    return play_with(any_move, rules, record, memory)

class Counts(NamedTuple):
    p: float
    step: int
    even: bool
    by_player: np.ndarray  # [player, move]: how often it was played
    begun: np.ndarray  # [1]: playouts; full at its length - 1
    mask: np.uint64

def begin(rules, tree, record, memory):
    if memory.begun[0] + 1 >= len(memory.begun):
        return Status.NEED_MEMORY
    memory.begun[0] += 1
    return Status.OK

def counted_move(rules, record, memory, player):
    if memory.even and uniform(record.rng) < memory.p:
        return -1
    return random_move(rules, record, player)

def count(rules, tree, record, memory):
    for i in range(record.shape[LENGTH]):
        player, move = record.trace[i] // rules.num_codes, record.trace[i] % rules.num_codes
        memory.by_player[player, move & memory.mask] += memory.step

def counts(rules, values):
    return Counts(
        p=values["p"],
        step=2,
        even=True,
        by_player=np.zeros((rules.players, rules.num_codes), np.float32),
        begun=np.zeros(8, np.int64),
        mask=np.uint64(0xFFFF),
    )

def larger(memory):
    begun = np.zeros(4 * len(memory.begun), np.int64)
    begun[0] = memory.begun[0]
    return memory._replace(begun=begun)

C = Parameter("c", 0.4, "exploration", low=0.0)
tree = TreePolicy("tree", "UCT, once more.", (Formula("tree", value, (C,)),))
START = Parameter("start", 9.0, "the value of an edge without playouts")
eager = TreePolicy("eager", "", (Formula("eager", value, (C, START), optimistic),))
odd = TreePolicy("odd", "Cannot be compiled.", (Formula("odd", wrong, ()),))
few = TreePolicy("few", "Takes two arguments.", (Formula("few", short, (C,)),))
bare = TreePolicy("bare", "Without any formula.", ())
loud = TreePolicy("loud", "", (Formula("loud", value, (Parameter("C", 0.4, ""),)),))
seed = TreePolicy("seed", "", (Formula("seed", value, (Parameter("memory_mib", 0.4, ""),)),))
plain = TreePolicy("plain", "", (Formula("plain", value, ("c",)),))
empty = TreePolicy("empty", "", (Formula("empty", None, ()),))
named = TreePolicy("named", "", tree.formulas, ref=Parameter("refs", 50, ""))
over = PlayoutPolicy("over", "", (PlayoutVariant(any_move),), pool_min_visits="size")
playout = PlayoutPolicy("playout", "Uniform, once more.", (PlayoutVariant(any_move),))
whole = PlayoutPolicy("whole", "Uniform, once more.", (PlayoutVariant(play_out=play_out),))
none = PlayoutPolicy("none", "No move at all.", (PlayoutVariant(no_move),))
P = Parameter("p", 0.0, "how often it returns no move", low=0.0, high=1.0)
keeper = PlayoutVariant(
    counted_move, (P,), learn=count, memory=counts, begin=begin, grow=larger,
    on_new_search=lambda memory: memory.by_player.fill(0),
)
counting = PlayoutPolicy("counting", "Uniform, and counts moves.", (keeper,))
listed = PlayoutVariant(any_move, memory=lambda rules, values: [1, 2])
texts = PlayoutVariant(any_move, memory=lambda rules, values: keeper.memory(rules, {"p": "x"}))
fixed = PlayoutVariant(counted_move, (P,), begin=begin, memory=counts)
odd_memory = PlayoutPolicy("odd_memory", "", (listed,))
odd_field = PlayoutPolicy("odd_field", "", (texts,))
small = PlayoutPolicy("small", "Never grows.", (fixed,))
number = 7
"""
UPPER = """
from math import log, sqrt
def bound(visits, n):
    return sqrt(log(visits) / n)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "upper.py").write_text(UPPER)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(spec, policies=()):
    search = gv.agent(spec, policies).search(gv.game("nogo", size=4).start(), playouts=400, seed=3)
    return search.root_stats, search.value, search.plies


def test_the_same_formulas_search_the_same_tree(folder):
    shipped = found("uct(c=0.3)")
    assert found("./mine.py:tree(c=0.3)") == shipped
    assert found("uct(c=0.3)+mine.py:playout") == shipped
    assert found("uct(c=0.3)+mine.py:whole") == shipped
    assert found("mine.py:tree(c=0.3)+mine.py:playout") == shipped
    assert found("mine.py:tree(c=0.9)") != shipped
    assert found("mine.py:eager(c=0.3)") == shipped
    assert found("mine.py:eager(c=0.3,start=0.5)") == found("uct(c=0.3,fpu=0.5)")
    assert found("mine.py:tree(c=0.3)+mast(k=4)") == found("uct(c=0.3)+mast(k=4)")


def test_a_playout_policy_has_a_memory_of_its_own_type(folder):
    game = gv.game("nogo", size=4)
    start = game.start()
    search = gv.agent("uct+mine.py:counting").bind(game)
    run = search.run(start.state, (), Budget(playouts=300), 3)
    memory = search.playout_memory.record
    assert type(memory).__name__ == "Counts"
    assert memory.begun[0] == 300  # it has grown on the way
    assert memory.by_player.sum() == 2 * run.plies
    run = search.run(start.state, (), Budget(playouts=100), 3)
    assert search.playout_memory.record.by_player.sum() == 2 * run.plies


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("uct+mine.py:odd_memory", r"a NamedTuple with fields, not \[1, 2\]"),
        ("uct+mine.py:odd_field", "Counts.p is a str: the fields of a policy's memory are NumPy"),
    ],
)
def test_a_memory_that_cannot_be_compiled_is_refused(folder, spec, message):
    with pytest.raises(UsageError, match=message):
        found(spec)


def digest_with_neighbour(mine):
    return hashlib.sha256(f"{mine}upper.py{UPPER}".encode()).hexdigest()[:12]


def test_they_are_recorded_with_the_digest_of_their_file(folder):
    digest = digest_with_neighbour(MINE)
    spec = gv.agent("./mine.py:tree(reuse_tree=true,playouts=50)+mine.py:playout").spec
    assert spec == (
        f"mine.py:tree(c=0.4,reuse_tree=true,playouts=50,digest={digest})"
        f"+mine.py:playout(digest={digest})"
    )
    assert gv.agent(spec).spec == spec
    for workers in (1, 2):
        result = gv.match(
            "nogo(size=4)", "mine.py:tree", "uct+mine.py:playout", games=4, playouts=20,
            seed=workers, workers=workers,
        )  # fmt: skip
        assert result.games == 4
        assert not result.failures
        assert result.first == f"mine.py:tree(c=0.4,digest={digest})"
    (folder / "mine.py").write_text(MINE + "\n")
    with pytest.raises(UsageError, match=r"mine\.py has changed"):
        gv.agent(spec)
    assert gv.agent("mine.py:tree").spec != spec


def test_a_digest_that_looks_like_a_number_is_none(folder):
    for n in range(100_000):
        text = f"{MINE}# {n}\n"
        digest = digest_with_neighbour(text)
        if re.fullmatch(r"\d+e\d+", digest):
            break
    (folder / "mine.py").write_text(text)
    spec = gv.agent("mine.py:tree+mine.py:playout").spec
    assert spec.count(f"digest={digest}") == 2
    assert gv.agent(spec).spec == spec
    assert f"digest={digest}" in with_budget(spec, Budget(30))
    (folder / "game.py").write_text(text + "import graven as gv\ngame = gv.game('nogo')\n")
    assert gv.game(gv.game("game.py:game").spec)


def test_a_store_of_somebody_elses_runs_nothing(folder):
    gv.match("nogo(size=4)", "mine.py:tree(seconds=1,playouts=20)", "uct", games=2, store="x.db")
    (folder / "mine.py").write_text("raise SystemExit('run')")
    with Store("x.db") as store:
        (summary,) = store.summaries()
    assert summary.pairing.sides()[0].startswith("mine.py:tree(c=0.4,playouts=20,seconds=1,digest=")
    assert "mine.py:tree" in summary.pairing.title
    with pytest.raises(UsageError, match="on your own machine"):
        parse("mine.py:tree")
    with pytest.raises(UsageError, match="on your own machine"):
        parse("uct+mine.py:playout")


def test_policies_can_be_given_to_an_agent(folder):
    from graven.sources.python_file import find_user_module

    module = find_user_module("mine.py").module
    assert found("tree(c=0.3)+playout", [module.tree, module.playout]) == found("uct(c=0.3)")
    agent = gv.agent("tree", [module.tree])
    assert agent.spec == "tree(c=0.4)"
    with pytest.raises(UsageError, match="in a file"):
        gv.tournament("nogo(size=4)", [agent, "uct"], games=2)
    with pytest.raises(UsageError, match="unknown tree policy 'tree'"):
        gv.agent("tree(c=0.3)")
    with pytest.raises(UsageError, match="Did you mean 'tree'"):
        gv.agent("tre", [module.tree])
    with pytest.raises(UsageError, match="Did you mean 'playout'"):
        gv.agent("uct+playuot", [module.playout])
    with pytest.raises(UsageError, match="there is a policy called 'uct'"):
        gv.agent("uct", [replace(module.tree, name="uct")])
    with pytest.raises(UsageError, match="lower-case letters and digits, not 'Tree'"):
        gv.agent("uct", [replace(module.tree, name="Tree")])
    with pytest.raises(UsageError, match="neither a TreePolicy"):
        gv.agent("uct", [module.value])


def test_a_match_takes_policies_of_this_process(folder, tmp_path):
    from graven.sources.python_file import find_user_module

    module = find_user_module("mine.py").module
    store = tmp_path / "results.db"
    quick = {"games": 4, "playouts": 30, "store": store}
    game = "nogo(size=4)"
    result = gv.match(game, "tree(c=0.3)", "uct", policies=[module.tree], workers=1, **quick)
    assert result.games == 4
    assert result.first.startswith("tree(c=0.3,digest=")
    # The same formula under the package's name plays the same games.
    twin = gv.match(game, "uct(c=0.3)", "uct", workers=1, **quick)
    assert [each.moves for each in result.results] == [each.moves for each in twin.results]
    # An agent brings its policies along; recorded games are found again.
    given = gv.agent("tree(c=0.3)", [module.tree])
    assert gv.match(game, given, "uct", **quick).new == 0
    # Another function under the same name is another agent.
    (formula,) = module.tree.formulas
    other = replace(module.tree, formulas=(replace(formula, value=other_value),))
    changed = gv.match(game, "tree(c=0.3)", "uct", policies=[other], workers=1, **quick)
    assert changed.new == 4
    with pytest.raises(UsageError, match="in this process only: play with workers=1"):
        gv.match(game, given, "uct", workers=2, games=2)
    with pytest.raises(UsageError, match="two different policies are called 'tree'"):
        gv.match(game, given, "uct", policies=[other], games=2)


def other_value(p, node, edge):
    return edge.total / edge.visits


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("mine.py:tre", "Did you mean 'tree'"),
        ("mine.py:number", "mine.py:number is a int: neither a TreePolicy nor a PlayoutPolicy"),
        ("mine.py:playout", "stands after the plus sign"),
        ("uct+mine.py:tree", "stands before the plus sign"),
        (
            "mine.py:tree(d=3)",
            "unknown parameter of mine.py:tree .d.. Valid: amaf_count, amaf_moves, amaf_off",
        ),
        ("mine.py:tree(c=-1)", "mine.py:tree: c must be at least 0"),
        ("mine.py:bare", "a tuple of Formula, at least one"),
        ("mine.py:loud", "must be in lower case, not 'C'"),
        ("mine.py:seed", "every spec has a parameter 'memory_mib'"),
        ("mine.py:plain", "a tuple of Parameter"),
        ("mine.py:empty", "None is not a function"),
        ("mine.py:named", "must be named 'ref'"),
        ("uct+mine.py:over", "`pool_min_visits` and `base` must be names of its parameters"),
        ("nowhere.py:tree", "cannot be read: No such file"),
    ],
)
def test_what_is_wrong_is_told(folder, spec, said):
    with pytest.raises(UsageError, match=said):
        gv.agent(spec)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("uct+mine.py:none", "or the playout policy's 'no_move' did so"),
        ("uct+mine.py:counting(p=0.5)", "or the playout policy's 'counted_move' did so"),
        ("uct+mine.py:small", "asked for more memory, but has no `grow`"),
    ],
)
def test_a_policy_that_breaks_its_contract_ends_the_search_with_a_sentence(folder, spec, said):
    with pytest.raises(ContractError, match=said):
        found(spec)


def test_a_policy_that_cannot_be_compiled_names_its_line(folder):
    line = 1 + MINE[: MINE.index('edge.total + "one"')].count("\n")
    place = rf"mine\.py, line {line}, `return edge\.total \+ \"one\"`"
    with pytest.raises(gv.GravenError, match=place):
        found("mine.py:odd")
    with pytest.raises(gv.GravenError, match="takes p, node, and the contract calls it with 3"):
        found("mine.py:few")


def misspelt_edge(p, node, edge):
    return edge.total / edge.visit


def misspelt_node(p, node, edge):
    return node.log_visit / edge.visits


def undeclared_parameter(p, node, edge):
    return p.d * edge.visits


def key_of_an_edge(p, node, edge):
    return edge["total"]


def two_types(p, node, edge):
    return edge.total if edge.visits > 2 else "none"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (misspelt_edge, "`edge` has no field `visit`; did you mean `visits`?"),
        (misspelt_node, "`node` has no field `log_visit`; did you mean `log_visits`?"),
        (undeclared_parameter, "`p` has no parameter `d`; the policy declares c."),
        (key_of_an_edge, "`[...]` does not work with `edge` and a string in compiled rules."),
        (two_types, "a value is a string in one branch and a float in another: use one type."),
    ],
)
def test_errors_of_a_formula_use_the_names_of_its_arguments(value, reason):
    formula = Formula("mine", value, (Parameter("c", 0.1, "exploration"),))
    agent = gv.agent("mine", policies=[TreePolicy("mine", "A policy.", (formula,))])
    with pytest.raises(gv.GravenError) as caught:
        agent.search(gv.game("hex(size=3)").start(), playouts=50)
    line = value.__code__.co_firstlineno + 1
    assert f"the function {value.__name__!r} ({__file__}, line {line}, `return" in str(caught.value)
    assert str(caught.value).endswith(f"cannot be compiled: {reason}")


def without_return(p, node, edge):
    edge.total / edge.visits


def returning_sometimes(p, node, edge):  # noqa: RET503
    if edge.visits > 3:
        return edge.total / edge.visits


@pytest.mark.parametrize("value", [without_return, returning_sometimes])
def test_a_formula_that_returns_none_is_explained(value):
    agent = gv.agent("mine", policies=[TreePolicy("mine", "A policy.", (Formula("mine", value),))])
    message = "policies raised TypeError: a function returned None instead of a number: end each"
    with pytest.raises(gv.ContractError, match=message):
        agent.search(gv.game("hex(size=3)").start(), playouts=50)


def test_errors_of_a_playout_use_the_names_of_its_arguments():
    def choose(rules, record, memory, player):
        return record.stat

    policy = PlayoutPolicy("mine", "A policy.", (PlayoutVariant(choose),))
    with pytest.raises(gv.GravenError, match=r"`record` has no field `stat`; did you mean `state`"):
        gv.agent("uct+mine", policies=[policy]).search(gv.game("nogo").start(), playouts=50)
