"""Mutated rulesheets, and rules whose terms grow without end: played, or refused."""

from __future__ import annotations

import random
import time
from contextlib import suppress
from unittest.mock import patch

from graven.core.cancellation import Deadline, SearchCancelled, cancelled_by
from graven.core.errors import GravenError
from graven.gdl.grounding.grounder import GroundingLimits
from graven.gdl.grounding.numbered_rules import TooLargeError
from graven.gdl.language.kif_reader import located_rules
from graven.gdl.language.quick_reader import NotPlainError, quick_rules
from graven.gdl.proof import prover
from graven.gdl.sheet_loader import (
    SheetOptions,
    checked_sheet,
    network_game_of,
    proof_game_of,
)
from tests.gdl import tiny
from tests.stress.seeds import mutated

WORDS = [
    b"(", b")", b"?x", b"(not ", b"(or ", b"(distinct ", b"(<= ", b"true", b"does", b"next",
    b"init", b"legal", b"role", b"goal", b"terminal", b"|a b|", b'"', b";", b"'", b"\0", b"\x1b",
    b"\xe2\x80\xae", b"(" * 200, b"(f (f (f ?x)))", b"100", b"x" * 3000,
]  # fmt: skip
LIMITS = GroundingLimits(seconds=0.2, atoms=20_000, instances=50_000, literals=200_000)
PROOF_SECONDS = 0.5
PLIES = 5


def growing(rng: random.Random) -> bytes:
    """Return rules whose terms grow as chains, trees or both, in one relation or another."""
    shapes = ["(s ?x)", "(pair ?x ?x)", "(pair ?x (s ?x))", "(t ?x ?y z)", "(pair ?y ?x)", "(s ?y)"]
    rules = ["(role white)", "(init (on z))", "(legal white go)", "(goal white 50)", "(tree z)"]
    for _ in range(rng.randint(1, 4)):
        head = rng.choice(
            ["(tree {})", "(next (on {}))", "(legal white (m {}))", "(init {})", "(goal white {})"]
        )
        source = rng.choice(["(tree ?x) (tree ?y)", "(true (on ?x)) (true (on ?y))"])
        if "init" in head:
            source = "(tree ?x) (tree ?y)"
        negated = rng.choice(["", "", f"(not (tree {rng.choice(shapes)}))", "(distinct ?x ?y)"])
        rules.append(f"(<= {head.format(rng.choice(shapes))} {source} {negated})")
    rng.shuffle(rules)
    return " ".join(rules).encode()


def receive(data: bytes, rng: random.Random) -> None:
    """Read, check, ground and prove a sheet, and play some plies of both games."""
    text = data.decode("utf-8", "replace")
    try:
        rules = quick_rules(text)
    except NotPlainError:
        pass
    else:
        assert rules == located_rules(text), "the two readers differ"
    sheet = checked_sheet(text, "the sheet")
    games = []
    with suppress(TooLargeError):
        games.append(network_game_of(sheet, SheetOptions(limits=LIMITS)))
    with cancelled_by(Deadline(PROOF_SECONDS)):
        games.append(proof_game_of(sheet, "the sheet", SheetOptions()))
        for game in games:
            position = game.start()
            for _ in range(PLIES):
                if position.is_over:
                    break
                moves = [
                    rng.choice(position.legal_moves_of(player))
                    for player in position.players_to_move
                ]
                position = position.play_joint(moves) if len(moves) > 1 else position.play(moves[0])


def run(seed: int, seconds: float) -> tuple[int, list[str]]:
    """Try mutated and growing rules."""
    rng, tried, failures = random.Random(seed), 0, []
    examples = [text.encode() for text in tiny.ALL.values()]
    deadline = time.monotonic() + seconds
    with patch.object(prover, "MAX_QUERY_SECONDS", PROOF_SECONDS):
        while time.monotonic() < deadline and len(failures) < 20:
            data = growing(rng) if rng.random() < 0.4 else mutated(rng.choice(examples), rng, WORDS)
            tried += 1
            try:
                receive(data, rng)
            except (GravenError, SearchCancelled):
                pass
            except Exception as error:
                failures.append(f"{type(error).__name__}: {error} for {data[:300]!r}")
    return tried, failures
