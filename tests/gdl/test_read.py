"""Parse KIF: real rulesheets, and malformed input."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graven.core.errors import UsageError
from graven.gdl import sheets
from graven.gdl.language.kif_reader import (
    MOST_TEXT,
    KifList,
    Word,
    expressions,
    located_rules,
    read,
    term_of,
)
from graven.gdl.language.kif_terms import (
    MOST_DEPTH,
    OPERATORS,
    Atom,
    Compound,
    Distinct,
    Not,
    Or,
    Rule,
    Variable,
    show,
    spaced,
)
from graven.gdl.language.quick_reader import NotPlainError, quick_rules


def test_a_rule_is_read_whole() -> None:
    (rule,) = read(
        "(<= (next (cell ?x b)) (true (cell ?x ?y)) (not (or open (p a))) (distinct ?x b))"
    ).rules
    x, y = Variable("?x"), Variable("?y")
    assert rule.head == Atom("next", (Compound("cell", (x, "b")),))
    assert rule.body == (
        Atom("true", (Compound("cell", (x, y)),)),
        Not(Or((Atom("open"), Atom("p", ("a",))))),
        Distinct(x, "b"),
    )


def test_the_world_is_untidy() -> None:
    text = (
        "\ufeff; a comment (with parentheses\r\n(ROLE White)\r\n"
        "\t(<=(LEGAL White(a+ ?X>y))OPEN) ; (more\r(INIT '(höhe 1)) open |Role| (noop)"
    )
    rules = read(text).rules
    assert [show(rule) for rule in rules] == [
        "(role White)",
        "(<= (legal White (a+ ?X>y)) OPEN)",
        "(init (höhe 1))",
        "open",
        "role",
        "noop",
    ]
    assert [rule.line for rule in rules] == [2, 3, 4, 4, 4, 4]


def test_case_counts_but_for_keywords() -> None:
    assert read("(Cell A)").rules != read("(cell a)").rules
    assert read("(<= Terminal (True (x)))").rules == read("(<= terminal (true (x)))").rules


def test_propositions_with_and_without_parentheses_are_the_same() -> None:
    assert read("(<= (terminal) (open))").rules == read("(<= terminal open)").rules


def test_moves_are_printed_as_ggp_base_prints_them() -> None:
    (expression,) = expressions("(move (cell 1 2) b)")
    assert spaced(term_of(expression)) == "( move ( cell 1 2 ) b )"
    assert spaced("noop") == "noop"
    assert spaced(Compound("noop", ())) == "( noop )"


def test_messages_are_expressions() -> None:
    found = expressions("( PLAY m1 (( mark 2 1 ) noop ) )")
    assert found == [
        KifList(
            (
                Word("PLAY", 2),
                Word("m1", 7),
                KifList(
                    (
                        KifList((Word("mark", 13), Word("2", 18), Word("1", 20)), 11),
                        Word("noop", 24),
                    ),
                    10,
                ),
            ),
            0,
        )
    ]


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ("(a (b", 1, 4, "never closed"),
        ("(a))", 1, 4, "closes nothing"),
        ("(role a)\r\n(<= )", 2, 1, "needs a head"),
        ("(<= p\n  (not a b))", 2, 3, "'not' takes one"),
        ("(<= p\r\t(distinct a))", 2, 2, "'distinct' takes two"),
        ("p ()", 1, 3, "nothing between"),
        ("(?x a)", 1, 2, "not the variable"),
        ("((p) a)", 1, 2, "starts with its name"),
        ("(p ((f) a))", 1, 5, "starts with its name"),
        ('(p "a)', 1, 4, "never closed"),
        ("(<= (not p) q)", 1, 6, "cannot be the name"),
    ],
)
def test_errors_say_where(text: str, line: int, column: int, reason: str) -> None:
    with pytest.raises(UsageError, match=reason) as error:
        read(text, "sheet.kif")
    first, shown, caret = str(error.value).split("\n")
    assert first.startswith(f"sheet.kif, line {line}, column {column}: ")
    marked = shown[caret.index("^")] if caret.index("^") < len(shown) else ""
    assert (
        marked == text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[line - 1][column - 1]
    )


def test_a_long_line_is_shown_around_the_place() -> None:
    with pytest.raises(UsageError) as error:
        read("(p " + "a " * 500 + "() " + "b " * 500 + ")")
    _, shown, caret = str(error.value).split("\n")
    assert len(shown) < 90
    assert shown[caret.index("^") :].startswith("() b")


def test_size_and_depth_are_bounded() -> None:
    with pytest.raises(UsageError, match="nested more than"):
        read("(p " + "(f " * MOST_DEPTH)
    with pytest.raises(UsageError, match="at most"):
        read(" " * (MOST_TEXT + 1))
    deep = MOST_DEPTH - 2
    assert read("(p " + "(f " * deep + ")" * deep + ")").rules


PIECES = ["(", ")", " ", "\n", "\r", ";", "|", '"', "'", "<=", "?x", "not", "or", "distinct", "a"]


@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map(" ".join)))
@example("'")
@example("(p '")
@example("|")
@example("(quote)")
@example("(<= (quote p) (quote (not (quote q))))")
@example("(p (quote a b))")
def test_anything_is_rules_or_a_usage_error(text: str) -> None:
    try:
        rules = read(text).rules
    except UsageError:
        return
    assert all(isinstance(rule, Rule) for rule in rules)


@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map(" ".join)))
@example("(<= p (not a b))")
@example("(<= p (distinct a))")
@example("(<= p ((a) b))")
@example("(<= p (?x a))")
@example("(ROLE White) (<= P (NOT (True (q ROLE))))")
@example(';it\'s "here"\r\n(p a)\r(q\n a) r')
@example("(p |a;b|)")
@example('(p "a\n;b")')
@example("(p a\x0b)")
def test_the_quick_reader_agrees_with_the_careful_one(text: str) -> None:
    try:
        rules = quick_rules(text)
    except NotPlainError:
        return
    careful = located_rules(text)
    assert rules == careful
    assert [rule.line for rule in rules] == [rule.line for rule in careful]


@pytest.mark.parametrize("name", sheets.names())
def test_real_sheets_are_read_quickly(name: str) -> None:
    text = sheets.text_of(name)
    assert quick_rules(text) == located_rules(text)


NAMES = st.from_regex(r"[a-z][a-z+>0-9]{0,3}", fullmatch=True).filter(
    lambda name: name not in OPERATORS
)
TERMS = st.recursive(
    st.one_of(NAMES, NAMES.map(lambda name: Variable(f"?{name}"))),
    lambda inner: st.builds(Compound, NAMES, st.lists(inner, max_size=3).map(tuple)),
    max_leaves=6,
)
ATOMS = st.builds(Atom, NAMES, st.lists(TERMS, max_size=3).map(tuple))
LITERALS = st.recursive(
    st.one_of(ATOMS, st.builds(Distinct, TERMS, TERMS)),
    lambda inner: st.one_of(
        st.builds(Not, inner), st.lists(inner, min_size=1, max_size=3).map(tuple).map(Or)
    ),
    max_leaves=5,
)


@given(st.builds(Rule, ATOMS, st.lists(LITERALS, max_size=3).map(tuple)))
def test_what_is_shown_is_read_again(rule: Rule) -> None:
    assert read(show(rule)).rules == (rule,)


@pytest.mark.parametrize("text", ["(role \x1b[31mx)", '(init "\x07")', "(role |a\x9bb|)"])
def test_what_a_terminal_would_obey_is_refused_and_not_shown(text: str) -> None:
    with pytest.raises(UsageError, match="here is a control character") as caught:
        read(text)
    assert not set(str(caught.value)) & set("\x1b\x07\x9b")


def test_a_string_that_never_ends_is_refused() -> None:
    with pytest.raises(UsageError, match="never closed"):
        read('(init "' + "\\" * 1_000_000)
