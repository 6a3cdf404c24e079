"""The prover agrees with the naive prover and with the traces of another program."""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graven as gv
from graven.core.callbacks import Callback
from graven.core.errors import ContractError, UsageError
from graven.gdl.grounding.numbered_rules import TooLargeError
from graven.gdl.language.kif_reader import read
from graven.gdl.language.kif_terms import Compound, Term
from graven.gdl.move_text import after, moves_of
from graven.gdl.proof import prover as limits
from graven.gdl.proof.argument_domains import UNBOUNDED, ArgumentDomain, RelationDomains
from graven.gdl.proof.proof_clauses import clauses_of
from graven.gdl.proof.prover import Prover
from graven.gdl.proof.recursion_limit import RecursionLimitGuard
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


def test_a_query_leaves_the_recursion_limit_unchanged() -> None:
    before = sys.getrecursionlimit()
    prover = Prover(read(chain_sheet(1500)))
    assert sys.getrecursionlimit() == before
    assert is_terminal_at_the_start(prover)
    assert sys.getrecursionlimit() == before
    with prover.batch():
        assert is_terminal_at_the_start(prover)
        assert sys.getrecursionlimit() > before
    assert sys.getrecursionlimit() == before
    prover.at(frozenset())
    assert is_terminal_at_the_start(prover)  # raises the limit again


def test_a_query_that_recurses_too_deep_is_reported(monkeypatch) -> None:
    before = sys.getrecursionlimit()
    prover = Prover(read(chain_sheet(1500)))
    with monkeypatch.context() as patch:
        patch.setattr(limits, "_deep_recursion", RecursionLimitGuard(before))
        with pytest.raises(UsageError, match="recurse too deep to evaluate 'terminal'"):
            is_terminal_at_the_start(prover)
    assert sys.getrecursionlimit() == before
    assert is_terminal_at_the_start(prover)


def test_two_threads_evaluate_deep_queries_at_the_same_time() -> None:
    before = sys.getrecursionlimit()
    both_inside = threading.Barrier(2, timeout=60)
    short_is_over = threading.Event()

    class PausingProver(Prover):
        """Calls `pause` once, inside the next query."""

        pause: Callable[[], object] | None = None

        def check_limits(self) -> None:
            super().check_limits()
            pause, self.pause = self.pause, None
            if pause:
                pause()

    def wait_for_the_end_of_the_short_query() -> None:
        both_inside.wait()
        assert short_is_over.wait(60)

    def evaluate_short() -> bool:
        terminal = is_terminal_at_the_start(short)
        short_is_over.set()
        return terminal

    # The long query recurses after the short one has ended: the limit must still be raised.
    short, long = (PausingProver(read(chain_sheet(length))) for length in (2, 1500))
    short.pause, long.pause = both_inside.wait, wait_for_the_end_of_the_short_query
    with ThreadPoolExecutor(2) as pool:
        results = [pool.submit(evaluate_short), pool.submit(is_terminal_at_the_start, long)]
        assert [result.result() for result in results] == [True, True]
    assert sys.getrecursionlimit() == before


def test_nested_guards_restore_the_recursion_limit_at_the_last_exit() -> None:
    before = sys.getrecursionlimit()
    guard = RecursionLimitGuard(before + 1000)
    with guard:
        with guard:
            assert sys.getrecursionlimit() == before + 1000
        assert sys.getrecursionlimit() == before + 1000
    assert sys.getrecursionlimit() == before
    with RecursionLimitGuard(before - 1):
        assert sys.getrecursionlimit() == before


def test_a_guard_keeps_a_limit_that_other_code_sets() -> None:
    before = sys.getrecursionlimit()
    try:
        with RecursionLimitGuard(before + 1000):
            sys.setrecursionlimit(before + 500)
        assert sys.getrecursionlimit() == before + 500
    finally:
        sys.setrecursionlimit(before)


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
