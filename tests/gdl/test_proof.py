"""The prover agrees with the naive prover and with the traces of another program."""

from __future__ import annotations

import random
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graven as gv
from graven.core.callbacks import Callback
from graven.core.contract import TERMINAL
from graven.core.errors import ContractError, UsageError
from graven.gdl.grounding.numbered_rules import TooLargeError
from graven.gdl.language.kif_reader import read
from graven.gdl.language.kif_terms import Compound, Term
from graven.gdl.move_text import after, moves_of
from graven.gdl.proof import proof_game, proof_program, proof_step
from graven.gdl.proof import prover as limits
from graven.gdl.proof.argument_domains import UNBOUNDED, ArgumentDomain, RelationDomains
from graven.gdl.proof.proof_clauses import clauses_of
from graven.gdl.proof.proof_game import ProofRules
from graven.gdl.proof.prover import Prover
from graven.gdl.proof.term_table import TermTable
from graven.gdl.sheet_loader import SheetOptions, sheet_game
from tests.gdl import tiny
from tests.gdl.random_sheets import sheets
from tests.gdl.shared import goals_of, legal_of, sheet_text, traces
from tests.naive import gdl as naive


def contains(domain: ArgumentDomain, term: Term) -> bool:
    """Return whether a domain contains a value."""
    if domain.unrestricted or domain.truncated:
        return True
    if not isinstance(term, Compound):
        return term in domain.constants
    arguments = domain.functions.get((term.name, len(term.args)))
    return arguments is not None and all(map(contains, arguments, term.args))


def compare_with_naive(text: str, seed: int, max_steps: int = 30) -> int:
    """Play a random match with both provers; return its number of steps."""
    sheet = read(text)
    slow, fast = naive.Prover(sheet), Prover(sheet)
    state, draw = slow.start(), random.Random(seed)
    facts = fast.initial
    (true,), (_, move) = fast.domains.of(("true", 1)), fast.domains.of(("legal", 2))
    for step in range(max_steps):
        fast.at(facts)
        assert {fast.terms.term(fact) for fact in facts} == state
        assert all(contains(true, fact) for fact in state)
        assert fast.terminal() == slow.terminal(state)
        assert goals_of(fast) == slow.goals(state)
        legal = slow.legal(state)
        moves = legal_of(fast)
        assert [sorted(of_role) for of_role in moves] == legal
        assert all(
            contains(move, fast.terms.term(m)) for of_role in moves for m in of_role.values()
        )
        if slow.terminal(state) or not all(legal):
            return step
        joint = [draw.choice(of_role) for of_role in legal]
        state = slow.next(state, joint)
        facts = fast.next([moves[role][move] for role, move in enumerate(joint)])
    return max_steps


@pytest.mark.parametrize("name", tiny.ALL)
def test_random_matches_agree(name: str) -> None:
    steps = [compare_with_naive(tiny.ALL[name], seed) for seed in range(8)]
    assert max(steps) > 2


@settings(max_examples=200, deadline=None)
@given(sheets(), st.integers(0, 1000))
def test_random_sheets_agree(text: str, seed: int) -> None:
    compare_with_naive(text, seed, max_steps=6)


# Different features: recursion on the state, counting, simultaneous moves, one player, many
# players, nested functions, a sheet whose network cannot be built in time.
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
def test_traces_of_another_program_agree(name: str) -> None:
    prover = Prover(read(sheet_text(name), name))
    for match in list(traces(name))[:2]:
        assert [prover.terms.text(role) for role in prover.roles] == match["roles"]
        facts = prover.initial
        for step in match["steps"]:
            prover.at(facts)
            assert not prover.terminal()
            moves = legal_of(prover)
            assert [sorted(of_role) for of_role in moves] == step["legal"]
            facts = prover.next([moves[role][move] for role, move in enumerate(step["joint"])])
        prover.at(facts)
        if not match["cut"]:
            assert prover.terminal() == match["terminal"]
            goals = [values[0] if len(values) == 1 else None for values in goals_of(prover)]
            assert goals == match["goals"]


# The same rules as a game.


def test_terms_of_too_many_words_are_rejected():
    """Subterms share memory; as text the 40th term would have 10^12 words."""
    text = """(role x) (init (n z)) (<= (next (n (s ?x ?x))) (true (n ?x))) (legal x go) (goal x 0)
              (<= terminal (true (n ready)))"""
    position = sheet_game(text, "doubling", SheetOptions("proof", steps=60)).start()
    with pytest.raises(gv.GravenError, match="a term of s has more than 10,000 words"):
        position.play_moves(["go"] * 40)


@pytest.mark.parametrize("name", tiny.ALL)
def test_games_by_proof_fulfil_the_contract(name: str) -> None:
    gv.check_game(sheet_game(tiny.ALL[name], name, SheetOptions("proof", steps=60)), games=3)


@pytest.mark.parametrize("name", tiny.ALL)
@pytest.mark.parametrize("seed", range(4))
def test_network_and_proof_play_the_same_game(name: str, seed: int) -> None:
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
    result = gv.agent("uct(c=0.4)").search(position, playouts=200)
    assert result.best_move == "( put 1 3 )"


def test_a_game_ends_after_the_maximum_number_of_steps() -> None:
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


def test_disjunctions_of_negations_do_not_restrict_domains() -> None:
    assert max(compare_with_naive(EITHER_OR, seed) for seed in range(8)) > 2
    start = sheet_game(EITHER_OR, "either", SheetOptions("proof")).start()
    assert set(start.legal_moves) == {"( jump a a )", "( jump b b )", "( jump c c )"}
    assert "( go c c )" in start.play("( jump b b )").legal_moves


def test_unbounded_states_are_detected_and_played() -> None:
    text = "(role p) (init (n zero)) (<= (next (n (s ?n))) (true (n ?n))) (legal p go) (legal p on)"
    text += "(<= terminal (true (n one))) (goal p 0)"
    domain = RelationDomains(clauses_of(read(text))).of(("true", 1))[0]
    assert domain.size() == UNBOUNDED
    position = sheet_game(text, "counting", SheetOptions("proof", steps=30)).start()
    for _ in range(30):
        position = position.play("go")
    assert position.is_over


def test_endless_recursion_is_explained(monkeypatch) -> None:
    text = "(role p) (init x) (goal p 0) (num 0) (<= (num (s ?x)) (num ?x)) (<= terminal (true y))"
    text += "(<= (legal p (say ?x)) (num ?x)) (<= (next y) (true x))"
    game = sheet_game(text, "endless", SheetOptions("proof"))
    monkeypatch.setattr(limits, "MAX_QUERY_SECONDS", 0.1)
    with pytest.raises(ContractError) as caught:
        game.start()
    message = str(caught.value)
    assert message.startswith(("endless: evaluating 'legal' takes", "endless: a term of s has"))
    assert "Do the rules recurse without end? See 'graven gdl check'" in message
    assert message.endswith("(at the start).")


def test_a_query_that_takes_too_long_is_stopped(monkeypatch) -> None:
    digits = " ".join(f"(digit {i})" for i in range(30))
    text = f"(role p) {digits} (init x) (legal p go) (legal p on) (goal p 0) "
    text += "(<= (next (y ?a ?b ?c ?d ?e)) (true x) (pair ?a ?b) (pair ?c ?d) (digit ?e))"
    text += "(<= (pair ?a ?b) (digit ?a) (digit ?b) (true x)) (<= terminal (true over))"
    game = sheet_game(text, "long", SheetOptions("proof", steps=10))
    position = game.start()
    monkeypatch.setattr(limits, "MAX_QUERY_SECONDS", 0.0)
    with pytest.raises(ContractError, match="evaluating 'next' takes more than"):
        position.play("go")
    monkeypatch.setattr(limits, "MAX_QUERY_SECONDS", 60.0)
    assert position.legal_moves == ("go", "on")  # and the game can be continued


def chain_sheet(length: int) -> str:
    """Return a sheet that is terminal at once, by a proof of `length` recursive steps.

    `less` depends on the state, so that it is not listed in advance.
    """
    facts = " ".join(f"(succ {i} {i + 1})" for i in range(length))
    text = f"(role p) (init (n 0)) {facts} (legal p go) (legal p on) (goal p 0) "
    text += "(<= (less ?a ?b) (succ ?a ?b) (true (n 0)))"
    text += "(<= (less ?a ?c) (succ ?a ?b) (less ?b ?c))"
    text += f"(<= terminal (true (n ?x)) (less ?x {length})) (<= (next (n ?x)) (true (n ?x)))"
    return text


def is_terminal_at_the_start(prover: Prover) -> bool:
    prover.at(prover.initial)
    return prover.terminal()


def test_long_static_chains_are_evaluated() -> None:
    assert is_terminal_at_the_start(Prover(read(chain_sheet(1500).replace(" (true (n 0))", ""))))


def test_proofs_of_any_depth_need_no_recursion() -> None:
    before = sys.getrecursionlimit()
    assert is_terminal_at_the_start(Prover(read(chain_sheet(20 * before))))
    assert sys.getrecursionlimit() == before


def test_a_query_that_recurses_too_deep_is_reported(monkeypatch) -> None:
    prover = Prover(read(chain_sheet(1500)))
    with monkeypatch.context() as patch:
        patch.setattr(proof_program, "MAX_FRAMES", 1000)
        with pytest.raises(UsageError, match="more than 1,000 goals depend on each other"):
            is_terminal_at_the_start(prover)
    assert is_terminal_at_the_start(prover)


def test_two_threads_evaluate_deep_queries_at_the_same_time() -> None:
    provers = [Prover(read(chain_sheet(length))) for length in (2000, 3000)]
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(is_terminal_at_the_start, provers)) == [True, True]


@pytest.mark.parametrize("name", tiny.ALL)
def test_answers_are_the_same_with_little_memory(name: str, monkeypatch) -> None:
    monkeypatch.setattr(proof_program, "FIRST_SIZE", 8)
    monkeypatch.setattr(proof_program, "MAX_GOALS_KEPT", 5)
    assert max(compare_with_naive(tiny.ALL[name], seed) for seed in range(3)) > 2
    monkeypatch.setattr(proof_program, "MAX_STATIC_ANSWERS", 3)
    assert max(compare_with_naive(tiny.ALL[name], seed) for seed in range(3)) > 2


def test_goals_of_earlier_states_are_dropped() -> None:
    """A counter without an end: every state has goals of its own."""
    text = "(role p) (init (n z)) (<= (next (n (s ?n))) (true (n ?n))) (legal p go) (goal p 0)"
    text += "(<= (same ?x ?x) (true (n ?x))) (<= terminal (true (n ?x)) (not (same ?x ?x)))"
    prover = Prover(read(text))
    facts, sizes = prover.initial, set()
    for _ in range(300):
        prover.at(facts)
        assert not prover.terminal()
        facts = prover.next([prover.legal(prover.roles[0])[0]])
        sizes.add(len(prover.program.memory.values))
    assert len(sizes) == 1  # answers of earlier states take no memory


@pytest.mark.parametrize("name", tiny.ALL)
def test_memoised_positions_are_those_that_were_proved(name: str, monkeypatch) -> None:
    sheet = read(tiny.ALL[name])
    memoised = ProofRules(sheet, name, steps=12)
    monkeypatch.setattr(proof_game, "MEMO_SLOTS", 4)
    monkeypatch.setattr(proof_game, "MEMO_NUMBERS", 60)
    forgetful = ProofRules(sheet, name, steps=12)
    states = [np.zeros(memoised.state_words, np.int64) for _ in range(2)]
    none, draw = np.zeros(3, np.int64), random.Random(1)
    for _ in range(30):
        for rules, state in zip((memoised, forgetful), states, strict=True):
            rules.start(none, state)
        while states[0][proof_step.TURN] != TERMINAL:
            joint = np.zeros(memoised.players, np.int32)
            for player in range(memoised.players):
                moves = np.zeros(memoised.max_moves, np.int32)
                constants = np.array([memoised.players, memoised.legal_at, 0])
                count = proof_game.legal(constants, states[0], player, moves)
                joint[player] = draw.choice(moves[:count].tolist())
            for rules, state in zip((memoised, forgetful), states, strict=True):
                rules.play(none, state, joint)
            words = slice(proof_game.HEAD + 3 * memoised.players)
            assert states[0][words].tolist() == states[1][words].tolist()
            assert memoised.fact_texts(states[0]) == forgetful.fact_texts(states[1])
    assert memoised.tables.counts[proof_step.ENTRIES] > 4


def test_terms_deeper_than_the_recursion_limit_are_formatted() -> None:
    depth = 2 * sys.getrecursionlimit()
    terms = TermTable()
    number = terms.constant("z")
    for _ in range(depth):
        number = terms.compound((terms.constant("s"), number))
    assert terms.text(number) == "( s " * depth + "z" + " )" * depth


def test_an_unsafe_rule_is_reported_with_its_variable() -> None:
    with pytest.raises(UsageError, match=r"not safe.*\?y"):
        Prover(read("(role p) (q a) (<= (init (f ?y)) (q ?x))"))


def test_goals_do_not_depend_on_the_previous_move() -> None:
    # GDL forbids goals that depend on `does`; here `does` is empty when they are evaluated.
    text = (
        "(role me) (init (s 1)) (legal me x) (legal me y) (<= (next (s 2)) (true (s 1))) "
        "(<= terminal (true (s 2))) (<= (goal me 10) (does me x)) (<= (goal me 90) (not moved)) "
        "(<= moved (does me ?m))"
    )
    for move in ("x", "y"):
        assert sheet_game(text, "done", SheetOptions("proof")).start().play(move).scores == (0.9,)


def test_sheets_with_too_many_rules_to_ground_are_played_by_proof(monkeypatch) -> None:
    monkeypatch.setattr("graven.gdl.grounding.numbered_rules.MAX_RULES", 5)
    with pytest.raises(TooLargeError, match="more than 5 rules"):
        sheet_game(tiny.LAMPS, "lamps", SheetOptions("network"))
    assert isinstance(sheet_game(tiny.LAMPS, "lamps").functions.play, Callback)


def test_roles_with_thousands_of_moves_each() -> None:
    numbers = " ".join(f"(n {i})" for i in range(1500))
    text = f"""
        (role a) (role b) {numbers} (init start)
        (<= (legal ?r (go ?x)) (role ?r) (n ?x))
        (<= (next (gone ?r ?x)) (does ?r (go ?x)))
        (<= terminal (true (gone a ?x)))
        (<= (goal ?r 100) (true (gone ?r 7)))
        (<= (goal ?r 0) (role ?r) (not (true (gone ?r 7))))
    """
    position = sheet_game(text, "numbers", SheetOptions("proof")).start()
    assert [len(position.legal_moves_of(player)) for player in (0, 1)] == [1500, 1500]
    assert position.play_joint(["(go 7)", "(go 8)"]).scores == (1.0, 0.0)
