"""The spec language: what it reads, how it writes it back, and what it says of mistakes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graven.agents import parse
from graven.agents.spec_parser import migrate_spec, spec_of_stored, stored_spec
from graven.core.calls import format_value
from graven.core.errors import UsageError
from graven.search.options import OPTIONS, SearchOptions


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("uct", "uct(c=0.4)"),
        ("uct(c=0.7)+uniform", "uct(c=0.7)"),
        (" uct ( c = 0.7 ) ", "uct(c=0.7)"),
        ("rave(bias=1e-7)", "rave(bias=1e-7)"),
        ("rave(bias=0.0000001)", "rave(bias=1e-7)"),
        ("grave(ref=50,bias=1e-4)", "grave(ref=50,bias=0.0001)"),
        ("grave(bias=1e-4,ref=50)", "grave(ref=50,bias=0.0001)"),
        ("rave(k=250,c=0.2)", "rave(k=250,c=0.2)"),
        ("rave(k=250)", "rave(k=250,c=0.2)"),
        ("hrave(k=50,c=0)", "hrave(k=50,c=0)"),
        ("rave(beta=orego1)", "rave(beta=orego1)"),
        ("rave(beta=gelly)", "rave(beta=gelly,b=0.1)"),
        ("rave(b=0.2)", "rave(beta=gelly,b=0.2)"),
        ("rave(alpha=2,k=100)", "rave(beta=additive,alpha=2,k=100,c=0.2)"),
        ("UCT(C=0.7)", "uct(c=0.7)"),
        ("uct(ties=first)", "uct(c=0.4,ties=first)"),
        ("grave(ref=inf)", "grave(ref=inf,bias=0.0001)"),
        ("rave(bias=0.01,playouts=1000)", "rave(bias=0.01,playouts=1000)"),
        ("uct(reuse_tree=true,final_move=mean)", "uct(c=0.4,final_move=mean,reuse_tree=true)"),
        ("uct(fpu=1,transpositions=false)", "uct(c=0.4,fpu=1,transpositions=false)"),
        ("uct(c=1e+2)", "uct(c=100)"),
        ("uct+mast", "uct(c=0.4)+mast(k=4)"),
        ("uct+mast(epsilon=0.4)", "uct(c=0.4)+mast(epsilon=0.4)"),
        ("uct+mast(epsilon=0.4,decay=0.2)", "uct(c=0.4)+mast(epsilon=0.4)"),
        ("uct+mast(k=4,decay=0.2)", "uct(c=0.4)+mast(k=4,decay=0.2)"),
        ("uct+mast(decay=1)", "uct(c=0.4)+mast(k=4,decay=1)"),
        ("hrave+nst", "hrave(bias=0.0001)+nst(epsilon=0.4)"),
        ("uct+nst(k=5,n=2)", "uct(c=0.4)+nst(k=5,n=2)"),
        ("grave(ref=50)+ppaf(alpha=0.32)", "grave(ref=50,bias=0.0001)+ppaf(alpha=0.32)"),
        ("uct+ppa", "uct(c=0.4)+ppa(alpha=0.08)"),
        ("rave+poolrave", "rave(bias=0.0001)+poolrave(p=0.5)"),
        ("rave+poolrave(context=10)", "rave(bias=0.0001)+poolrave(context=10)"),
        ("rave+poolrave(context=3,p=1)", "rave(bias=0.0001)+poolrave(p=1,context=3)"),
        ("rave+poolrave(size=20,p=1)", "rave(bias=0.0001)+poolrave(p=1,size=20)"),
    ],
)
def test_specs_print_back_in_canonical_form(text, canonical):
    assert parse(text).text == canonical
    assert parse(canonical).text == canonical


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "grav",
            "unknown tree policy 'grav'. Did you mean 'grave'? Valid: grave, grave2, history",
        ),
        ("", "tree[+playout]"),
        ("uct+", "tree[+playout]"),
        ("uct+uniform+uniform", "tree[+playout]"),
        ("uniform", "uct+uniform"),
        ("uct+unifrom", "Did you mean 'uniform'?"),
        ("uct(b=3)", "unknown parameter of uct 'b'"),
        ("grave(rref=3)", "Did you mean 'ref'?"),
        ("rave(bias=1,k=3)", "does not belong to the formula"),
        ("rave(beta=oregano)", "Valid: additive, bias, gelly, k, orego1, orego2"),
        ("rave(beta=orego1,b=1)", "does not belong to the formula 'orego1'"),
        ("uct(c=-1)", "c must be at least 0"),
        ("uct(c=nan)", "c is a number"),
        ("uct(c=big)", "c is a number"),
        ("uct(c)", "parameter=value"),
        ("uct(c=)", "parameter=value"),
        ("uct(c=1,c=2)", "given twice"),
        ("uct(c=1", "without its ')'"),
        ("uct)", "without its '('"),
        ("grave(ref=2.5)", "whole number"),
        ("uct(final_move=median)", "one of visits, mean"),
        ("uct(reuse_tree=yes)", "true or false"),
        ("uct(playouts=0)", "playouts must be"),
        ("uct(seconds=0)", "more than 0 seconds"),
        ("uct(c=inf)", "finite"),
        ("rave(bias=inf)", "finite"),
        ("uct(expand=inf)", "finite"),
        ("uct(expand=1e300)", "expand must be from 1 to"),
        ("uct(c=" + "9" * 400 + ")", "at most 40 characters"),
        ("uct(ties=last)", "one of random, first"),
        ("uct(expand=0)", "expand must be from 1 to"),
        ("u" * 2000, "at most 1000 characters"),
        ("uct+mast(k=-1)", "k must be from 0 to"),
        ("uct+mast(epsilon=1.5)", "epsilon must be from 0 to 1"),
        ("uct+mast(k=4,epsilon=0.1)", "epsilon does not go with k"),
        ("uct+mast(alpha=1)", "unknown parameter of mast 'alpha'"),
        ("uct+mast(decay=2)", "decay must be from 0 to 1"),
        ("uct+nst(n=0)", "n must be from 1 to 3"),
        ("uct+nst(n=4)", "n must be from 1 to 3"),
        ("uct+ppa(alpha=-0.1)", "alpha must be from 0 to"),
        ("uct+ppa(alpha=inf)", "finite"),
        ("uct+poolrave(p=1.1)", "p must be from 0 to 1"),
        ("uct+poolrave(p=-0.1)", "p must be from 0 to 1"),
        ("uct+poolrave(size=0)", "size must be from 1 to"),
        ("uct+poolrave(min=0)", "min must be from 1 to"),
        ("uct+poolrave(over=unifrom)", "Did you mean 'uniform'?"),
        ("uct+pooolrave", "Did you mean 'poolrave'?"),
        ("grave(widen_growth=2)", "widen_growth has no effect without widen; add it"),
        ("grave(widen_first=5)", "widen_first has no effect without widen"),
        ("uct(gamma=0.5)", "gamma has no effect without simultaneous=regret"),
        ("uct(regret_min=5)", "regret_min has no effect without simultaneous=regret"),
        ("uct(increment=2)", "increment has no effect without time"),
        ("uct(tuner=ntuple)+mast", "tuner has no effect without a parameter that is auto"),
    ],
)
def test_mistakes_are_named_with_what_would_be_right(text, said):
    with pytest.raises(UsageError) as error:
        parse(text)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("stored", "present"),
    [
        (
            "rave(k=250,c=0.2,final=mean,reuse=true)+mast(epsilon=0.4)",
            "rave(k=250,c=0.2,final_move=mean,reuse_tree=true)+mast(epsilon=0.4)",
        ),
        (
            "uct(c=0.4,leaves=16,each=4,memory=64,playouts=100)",
            "uct(c=0.4,batch_leaves=16,playouts_per_leaf=4,memory_mib=64,playouts=100)",
        ),
        (
            "mine.py:tree(c=0.4,reuse=true,digest=1e5)+mine.py:playout(digest=1e5)",
            "mine.py:tree(c=0.4,reuse_tree=true,digest=1e5)+mine.py:playout(digest=1e5)",
        ),
    ],
)
def test_stored_specs_are_read_with_the_present_names_of_options(stored, present):
    assert migrate_spec(stored) == present
    assert migrate_spec(present) == present
    if "mine.py" not in present:
        assert parse(present).text == present
        with pytest.raises(UsageError, match=r"unknown parameter of .* Did you mean '\w+_\w+'"):
            parse(stored)


@pytest.mark.parametrize(
    "text",
    ["uct", "uct(c=0.4)+mast(k=4)", 'gtp("prog --reuse=true (final=1)")', "spiel-mcts(c=1)",
     "", "uct(", "uct(c", "no spec at all", "uct(c=0.4)+p(memory=3)"],
)  # fmt: skip
def test_other_texts_are_not_migrated(text):
    assert migrate_spec(text) == text


@pytest.mark.parametrize(
    ("canonical", "stored"),
    [
        ("uct(c=0.4,solver=off)", "uct(c=0.4)"),
        ("uct(c=0.4)", "uct(c=0.4,solver=on)"),
        ("rave(k=2,c=0.2,solver=off,batch_leaves=4)+mast(k=4)",
         "rave(k=2,c=0.2,batch_leaves=4)+mast(k=4)"),
        ("uct(c=0.4,ties=first)", "uct(c=0.4,ties=first,solver=on)"),
        ("mine.py:tree(c=0.4)", "mine.py:tree(c=0.4,solver=on)"),
        ("mine.py:tree(solver=off,digest=1e5)", "mine.py:tree(digest=1e5)"),
        ("", ""), ("uct(", "uct("), ("no spec at all", "no spec at all"),
    ],
)  # fmt: skip
def test_records_from_before_the_solver_keep_their_texts(canonical, stored):
    assert stored_spec(canonical) == stored
    assert spec_of_stored(stored) == canonical
    if stored.startswith(("uct(c", "rave")):
        assert parse(canonical).text == canonical


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_options_can_be_set_to_their_defaults(option):
    if option.name not in ("playouts", "seconds", "max_nodes"):  # 0 means that there is no limit
        text = f"uct({option.name}={format_value(option.default)})"
        assert parse(text).options == SearchOptions()
    assert option.doc


def test_untried_moves_have_an_amaf_value_only_where_there_is_one():
    assert parse("rave(untried=amaf)").options.untried == "amaf"
    with pytest.raises(UsageError, match="uct: untried=amaf needs AMAF values, which rave"):
        parse("uct(untried=amaf)")


def test_the_same_formula_in_other_words_is_the_same_agent():
    assert parse("grave(ref=0)").ref == parse("rave").ref == 0
    assert parse("grave(ref=0)").params == parse("rave").params
    assert parse("rave(beta=bias)").text == parse("rave").text


@given(st.text(alphabet="uctrave grh()=,+-.0123456789kbifmsnpol\n\x00é", max_size=60))
def test_any_text_is_a_spec_or_a_usage_error(text):
    try:
        spec = parse(text)
    except UsageError:
        return
    assert parse(spec.text).text == spec.text


@given(
    name=st.sampled_from(["rave", "hrave", "grave"]),
    bias=st.floats(0, 1e6, allow_nan=False),
    c=st.floats(0, 100),
)
def test_numbers_survive_the_round_trip(name, bias, c):
    spec = parse(f"{name}(bias={bias!r},c={c!r})")
    again = parse(spec.text)
    assert (again.values, again.options) == (spec.values, spec.options)
