"""The interpreter agrees with the naive prover and with the traces of a third one."""

from __future__ import annotations

import random
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graven as gv
from graven.core.errors import ContractError, UsageError
from graven.gdl.grounding.numbered_rules import TooLargeError
from graven.gdl.language.kif_reader import Compound, Term, read
from graven.gdl.move_text import after, moves_of
from graven.gdl.proof import prover as limits
from graven.gdl.proof.argument_domains import UNBOUNDED, ArgumentDomain, Domains
from graven.gdl.proof.proof_clauses import clauses_of
from graven.gdl.proof.prover import Prover
from graven.gdl.proof.recursion_limit import MAX_DEPTH, deep_recursion
from graven.gdl.sheet_loader import SheetOptions, sheet_game
from tests.gdl import tiny
from tests.gdl.random_sheets import sheets
from tests.gdl.shared import goals_of, legal_of, sheet_text, traces
from tests.naive import gdl as naive


def among(place: ArgumentDomain, term: Term) -> bool:
    """Whether a place allows for a value."""
    if place.anything or place.deeper:
        return True
    if not isinstance(term, Compound):
        return term in place.constants
    inner = place.functions.get((term.name, len(term.args)))
    return inner is not None and all(map(among, inner, term.args))


def agree(text: str, seed: int, most: int = 30) -> int:
    """Play a random match both ways; how many steps it had."""
    sheet = read(text)
    slow, fast = naive.Prover(sheet), Prover(sheet)
    state, draw = slow.start(), random.Random(seed)
    facts = fast.initial
    (true,), (_, move) = fast.domains.of(("true", 1)), fast.domains.of(("legal", 2))
    for step in range(most):
        fast.at(facts)
        assert {fast.terms.term(fact) for fact in facts} == state
        assert all(among(true, fact) for fact in state)
        assert fast.terminal() == slow.terminal(state)
        assert goals_of(fast) == slow.goals(state)
        legal = slow.legal(state)
        moves = legal_of(fast)
        assert [sorted(each) for each in moves] == legal
        assert all(among(move, fast.terms.term(m)) for each in moves for m in each.values())
        if slow.terminal(state) or not all(legal):
            return step
        joint = [draw.choice(each) for each in legal]
        state = slow.next(state, joint)
        facts = fast.next([moves[role][move] for role, move in enumerate(joint)])
    return most


@pytest.mark.parametrize("name", tiny.ALL)
def test_random_matches_agree(name: str) -> None:
    steps = [agree(tiny.ALL[name], seed) for seed in range(8)]
    assert max(steps) > 2


@settings(max_examples=200, deadline=None)
@given(sheets(), st.integers(0, 1000))
def test_made_up_sheets_agree(text: str, seed: int) -> None:
    agree(text, seed, most=6)


# Each has something of its own: recursion on the state, counting, simultaneous moves, one player,
# many players, functions in functions, a sheet that no network is made of in time.
REAL = [
    "tictactoe_3d_2player",
    "connect5-v1",
    "quad_7x7",
    "sheepAndWolf",
    "chineseCheckers6",
    "hanoi",
    "lightsOnSimultaneous",
    "biddingTicTacToe_10coins",
    "kalaha5x2x3",
    "pentago",
    "racetrackcorridor",
    "firefighter",
]


@pytest.mark.parametrize("name", REAL)
def test_traces_of_another_prover_agree(name: str) -> None:
    prover = Prover(read(sheet_text(name), name))
    for match in list(traces(name))[:2]:
        assert [prover.terms.text(role) for role in prover.roles] == match["roles"]
        facts = prover.initial
        for step in match["steps"]:
            prover.at(facts)
            assert not prover.terminal()
            moves = legal_of(prover)
            assert [sorted(each) for each in moves] == step["legal"]
            facts = prover.next([moves[role][move] for role, move in enumerate(step["joint"])])
        prover.at(facts)
        if not match["cut"]:
            assert prover.terminal() == match["terminal"]
            found = [goals[0] if len(goals) == 1 else None for goals in goals_of(prover)]
            assert found == match["goals"]


# The same rules as a game.


def test_terms_that_double_are_refused_before_they_are_written():
    """As parts of each other they take no room; as text the 40th has a million million words."""
    text = """(role x) (init (n z)) (<= (next (n (s ?x ?x))) (true (n ?x))) (legal x go) (goal x 0)
              (<= terminal (true (n ready)))"""
    position = sheet_game(text, "doubling", SheetOptions("proof", steps=60)).start()
    with pytest.raises(gv.GravenError, match="a term of s has more than 10,000 words"):
        position.play_moves(["go"] * 40)


@pytest.mark.parametrize("name", tiny.ALL)
def test_games_by_proof_keep_the_contract(name: str) -> None:
    gv.check_game(sheet_game(tiny.ALL[name], name, SheetOptions("proof", steps=60)), games=3)


@pytest.mark.parametrize("name", tiny.ALL)
@pytest.mark.parametrize("seed", range(4))
def test_both_ways_to_play_a_sheet_are_the_same_game(name: str, seed: int) -> None:
    games = [
        sheet_game(tiny.ALL[name], name, SheetOptions(by, steps=40)) for by in ("network", "proof")
    ]
    network, proof = (game.start() for game in games)
    draw = random.Random(seed)
    while not network.is_over:
        assert not proof.is_over
        roles = range(games[0].players)
        legal = [sorted(moves_of(network, role)) for role in roles]
        assert [sorted(moves_of(proof, role)) for role in roles] == legal
        joint = [draw.choice(moves) for moves in legal]
        network, proof = after(network, joint), after(proof, joint)
    assert proof.is_over
    assert proof.scores == network.scores


def test_a_search_by_proof_finds_the_win() -> None:
    game = sheet_game(tiny.TIC_TAC_TOE, "noughts", SheetOptions("proof"))
    position = game.start()
    for move in ("(put 1 1)", "( put 2 1 )", "put 1 2", "(put 2 2)"):
        position = position.play(move)
    found = gv.agent("uct(c=0.4)").search(position, playouts=200)
    assert found.best_move == "( put 1 3 )"


def test_a_game_ends_after_its_steps() -> None:
    text = "(role p) (init on) (<= (next on) (true on)) (legal p a) (legal p b) "
    text += "(<= terminal (true off)) (<= (goal p 70) (true on))"
    for by in ("network", "proof"):
        position = sheet_game(text, "endless", SheetOptions(by, steps=5)).start()
        for _ in range(5):
            assert not position.is_over
            position = position.play("a")
        assert position.is_over
        assert position.scores == (0.7,)


EITHER_OR = """
(role p) (init (at a a)) (s a b) (s b c) (s c a)
(<= (legal p (go ?x ?y)) (true (at ?u ?v)) (s ?u ?x) (s ?v ?y) (or (distinct ?x b) (distinct ?y b)))
(<= (legal p (jump ?x ?x)) (s ?x ?u) (or (not (true (at ?x ?x))) (s ?x b)))
(<= (next (at ?x ?y)) (does p (go ?x ?y)))
(<= (next (at ?x ?y)) (does p (jump ?x ?y)) (or (distinct ?x c) (distinct ?y c)))
(<= (next (at c a)) (does p (jump c c)))
(<= terminal (true (at b c))) (goal p 50)
"""


def test_alternatives_that_only_deny_do_not_bound_what_they_are_asked_about() -> None:
    assert max(agree(EITHER_OR, seed) for seed in range(8)) > 2
    start = sheet_game(EITHER_OR, "either", SheetOptions("proof")).start()
    assert set(start.legal_moves) == {"( jump a a )", "( jump b b )", "( jump c c )"}
    assert "( go c c )" in start.play("( jump b b )").legal_moves


def test_states_without_bound_are_told() -> None:
    text = "(role p) (init (n zero)) (<= (next (n (s ?n))) (true (n ?n))) (legal p go) (legal p on)"
    text += "(<= terminal (true (n one))) (goal p 0)"
    place = Domains(clauses_of(read(text))).of(("true", 1))[0]
    assert place.size() == UNBOUNDED
    position = sheet_game(text, "counting", SheetOptions("proof", steps=30)).start()
    for _ in range(30):
        position = position.play("go")
    assert position.is_over


def test_a_question_that_takes_too_long_is_given_up(monkeypatch) -> None:
    digits = " ".join(f"(digit {i})" for i in range(30))
    text = f"(role p) {digits} (init x) (legal p go) (legal p on) (goal p 0) "
    text += "(<= (next (y ?a ?b ?c ?d ?e)) (true x) (pair ?a ?b) (pair ?c ?d) (digit ?e))"
    text += "(<= (pair ?a ?b) (digit ?a) (digit ?b) (true x)) (<= terminal (true over))"
    game = sheet_game(text, "long", SheetOptions("proof", steps=10))
    position = game.start()
    monkeypatch.setattr(limits, "SECONDS", 0.0)
    with pytest.raises(ContractError, match="it takes more than"):
        position.play("go")
    monkeypatch.setattr(limits, "SECONDS", 60.0)
    assert position.legal_moves == ("go", "on")  # and the game can go on


def test_long_chains_are_followed_to_their_end() -> None:
    chain = " ".join(f"(succ {i} {i + 1})" for i in range(1500))
    text = f"(role p) (init (n 0)) {chain} (legal p go) (legal p on) (goal p 0) "
    text += "(<= (less ?a ?b) (succ ?a ?b)) (<= (less ?a ?c) (succ ?a ?b) (less ?b ?c))"
    text += "(<= terminal (true (n ?x)) (less ?x 1500)) (<= (next (n ?x)) (true (n ?x)))"
    prover = Prover(read(text))
    prover.at(prover.initial)
    assert prover.terminal()


def test_a_rule_that_is_not_safe_is_named() -> None:
    with pytest.raises(UsageError, match=r"not safe.*\?y"):
        Prover(read("(role p) (q a) (<= (init (f ?y)) (q ?x))"))


def test_goals_know_nothing_of_the_move_that_led_to_them() -> None:
    # GDL forbids such goals, but they are played: in a position nothing has been done yet.
    text = (
        "(role me) (init (s 1)) (legal me x) (legal me y) (<= (next (s 2)) (true (s 1))) "
        "(<= terminal (true (s 2))) (<= (goal me 10) (does me x)) (<= (goal me 90) (not moved)) "
        "(<= moved (does me ?m))"
    )
    for move in ("x", "y"):
        assert sheet_game(text, "done", SheetOptions("proof")).start().play(move).scores == (0.9,)


def test_more_rules_than_can_be_grounded_are_proved(monkeypatch) -> None:
    monkeypatch.setattr("graven.gdl.grounding.numbered_rules.MAX_RULES", 5)
    with pytest.raises(TooLargeError, match="more than 5 rules"):
        sheet_game(tiny.LAMPS, "lamps", SheetOptions("network"))
    assert str(sheet_game(tiny.LAMPS, "lamps").start()).startswith("after 0 steps")


def test_the_recursion_limit_is_restored() -> None:
    before = sys.getrecursionlimit()
    game = sheet_game(tiny.TIC_TAC_TOE, "noughts", SheetOptions("proof"))
    game.start().play("( put 1 1 )")
    assert sys.getrecursionlimit() == before
    with deep_recursion():
        with deep_recursion():
            assert sys.getrecursionlimit() >= MAX_DEPTH
        assert sys.getrecursionlimit() >= MAX_DEPTH
    assert sys.getrecursionlimit() == before
