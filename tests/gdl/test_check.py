"""Each thing that GDL demands, and a sheet that does not have it."""

from __future__ import annotations

import pytest

from graven.core.errors import UsageError
from graven.gdl import sheets
from graven.gdl.language.kif_reader import read
from graven.gdl.language.sheet_checks import check, findings
from graven.gdl.language.unmatched_names import unmatched
from graven.sources.gdl_text import sheet_text
from tests.gdl import tiny

GAME = """
(role white)
(init (on a))
(<= (legal white (press ?x)) (true (on ?x)))
(<= (next (on ?x)) (does white (press ?x)))
(<= terminal (not (true (on a))))
(goal white 50)
"""


def sentences(text: str, fatal: bool = True) -> list[str]:
    return [str(each) for each in findings(read(text)) if each.fatal == fatal]


@pytest.mark.parametrize("text", [GAME, *tiny.ALL.values()])
def test_games_pass(text: str) -> None:
    assert sentences(text) == []


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ("(<= (p ?x) (true (on a)))", "?x in the head is not bound by the body"),
        ("(p ?x)", "?x in the head is not bound by the body"),
        ("(<= (p ?x) (or (q ?x) (q ?y)))", "?x in the head is not bound by the body"),
        ("(<= p (distinct ?x a))", "?x is not bound outside 'distinct'"),
        ("(<= p (or (q ?x) (distinct ?x a)))", "?x is not bound outside 'distinct'"),
        ("(<= p (not p))", "'p' depends on its own negation"),
        ("(<= (p ?x) (q ?x) (not (r ?x))) (<= (r ?x) (p ?x))", "own negation"),
        ("(goal white 101)", "a goal must be an integer from 0 to 100, not 101"),
        ("(goal white -1)", "not -1"),
        ("(goal white lots)", "not lots"),
        ("(<= (sees white ?x) (true (on ?x)))", "hidden information (GDL-II) are not supported"),
        ("(role random)", "hidden information (GDL-II) are not supported: the role 'random'"),
        ("(<= (true (on b)) (q b))", "'true' cannot be the head of a rule"),
        ("(<= (role ?x) (q ?x))", "roles are facts"),
        ("(role (player 1))", "a role is a word, not a function"),
        ("(legal white)", "'legal' takes 2 arguments, here it has 1"),
        ("(<= (next (on b)) (true on b))", "'true' takes 1 argument, here it has 2"),
        ("(<= (legal white b) (does white b))", "'legal' depends on 'does'"),
        ("(<= terminal hurry) (<= hurry (does white ?m))", "'terminal' depends on 'does'"),
        ("(<= (init (on b)) (true (on a)))", "'init' depends on 'true'"),
    ],
)
def test_violations_are_sentences_with_the_rule(more: str, sentence: str) -> None:
    text = GAME + more + "(q a)"
    found = sentences(text)
    assert any(sentence in each for each in found), found
    assert all(each.startswith("line ") and each.endswith(".") for each in found)
    with pytest.raises(UsageError, match=r"sheet\.kif, line"):
        check(read(text), "sheet.kif")


MISTYPED = [
    (
        "(<= (next (on b)) (does white (pres a)))",
        "no rule makes this move legal, so (does",
    ),
    ("(<= (next (on b)) (does white push))", "so (does white push) never holds"),
    ("(<= (next (on b)) (or (does white wait) (true (on a))))", "so (does white wait) never holds"),
    ("(goal wite 0)", "there is no role 'wite' (roles: white)"),
    ("(<= (legal whit wait) (true (on a)))", "there is no role 'whit'"),
    ("(<= (next (on b)) (not (does wihte (press a))))", "there is no role 'wihte'"),
    ("(<= (goal white 9) (true (onn a)))", "so (true (onn a)) never holds"),
    ("(<= (goal white 9) (true (onn ?x)) (q ?x)) (q a)", "so (true (onn ?x)) never holds"),
    ("(<= (next (at ?y)) (true (at ?x)) (q ?x ?y)) (q 1 2)", "so (true (at ?x)) never holds"),
    ("(init (oon b))", "no rule reads 'oon', as in (true (oon b))"),
    ("(<= (next (oon ?x)) (true (on ?x)))", "no rule reads 'oon', as in (true (oon ?x))"),
    ("(<= (goal white 9) (not (true (on c))))", ""),
    ("(<= (next (on b)) (does ?r (press b)))", ""),
    ("(<= (next ?p) (kept ?p)) (kept (old 1)) (<= (goal white 9) (true (old 1)))", ""),
    ("(init (step 1)) (<= (legal ?r wait) (role ?r)) (<= (next ?p) (true ?p) (does ?r wait))", ""),
]


@pytest.mark.parametrize(("more", "sentence"), MISTYPED)
def test_names_that_match_nothing_are_warnings(more: str, sentence: str) -> None:
    found = sentences(GAME + more, fatal=False)
    if sentence:
        assert len(found) == 1, found
        assert sentence in found[0]
        assert found[0].startswith("line 8: ")
    else:
        assert found == []


@pytest.mark.parametrize("name", sheets.names())
def test_shipped_sheets_have_no_names_that_match_nothing(name: str) -> None:
    assert list(unmatched(read(sheet_text(name), name))) == []


@pytest.mark.parametrize("name", ["role", "legal"])
def test_what_every_game_needs(name: str) -> None:
    lines = [line for line in GAME.splitlines() if name not in line]
    assert any(f"'{name}'" in each for each in sentences("\n".join(lines)))


@pytest.mark.parametrize("name", ["init", "next", "goal", "terminal"])
def test_what_a_game_can_do_without_is_a_warning(name: str) -> None:
    lines = [
        line for line in GAME.splitlines() if f"({name}" not in line and f" {name}" not in line
    ]
    text = "\n".join(lines)
    assert sentences(text) == []
    assert any(f"'{name}'" in each for each in sentences(text, fatal=False))


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ("(q a) (q a b)", "the relation 'q' has 2 arguments here and 1 elsewhere"),
        ("(init (on a b))", "the function 'on' has 2 arguments here and 1 elsewhere"),
        ("(<= p (missing ?x))", "no rule or fact defines 'missing'"),
        ("(<= p (not (true (on ?x))))", "?x is not bound outside 'not'"),
        ("(<= (goal white 0) (not (goal white 50)))", "own negation"),
        ("(<= (p ?x) (next (on ?x)))", "'next' occurs in a body"),
        ("(p z) (<= (p (s ?y)) (p ?x) (p ?y))", "may never end"),
        ("(base on (val a b))", "'base' takes 1 argument, here it has 2"),
        ("(base (on a)) (base on a)", "'base' takes 1 argument, here it has 2"),
    ],
)
def test_what_is_played_all_the_same_is_a_warning(more: str, sentence: str) -> None:
    assert sentences(GAME + more) == []
    assert any(sentence in each for each in sentences(GAME + more, fatal=False))
    assert check(read(GAME + more))


ELEVEN = " ".join(f"(or (q a{i}) (q b{i}))" for i in range(11))


@pytest.mark.parametrize(
    ("body", "rules"),
    [
        (ELEVEN, 20),
        (f"(not (and {ELEVEN}))", 20),
        (f"(or (and (q c) {ELEVEN}) (and (q d) {ELEVEN}) (and (q e) {ELEVEN}))", 1),
    ],
)
def test_alternatives_are_not_multiplied_without_end(body: str, rules: int) -> None:
    text = GAME + "".join(f"(<= (p {i}) {body})" for i in range(rules))
    with pytest.raises(UsageError, match="gives more than"):
        check(read(text))


def test_long_chains_of_denials_are_not_looked_into_for_minutes() -> None:
    def chain(length: int) -> str:
        return GAME + "".join(f"(<= (p {i}) (not (p {i + 1})))" for i in range(length))

    assert sentences(chain(20)) == []
    assert any("own negation" in each for each in sentences(chain(2000)))


def test_every_fact_with_another_number_of_arguments_is_reported() -> None:
    text = GAME + "(succ 1 2)\n(succ 2 3)\n(succ 3)\n(succ 4)\n(sees white a)\n(sees white b)\n"
    warnings = sentences(text, fatal=False)
    assert [each for each in warnings if "'succ' has 1 argument here" in each] == warnings
    assert len(warnings) == 2
    assert len([each for each in sentences(text) if "hidden information" in each]) == 2


def test_as_many_roles_as_a_game_has_players() -> None:
    roles = " ".join(f"(role r{i}) (legal r{i} go)" for i in range(101))
    assert any("roles; at most 100" in each for each in sentences(GAME + roles))
