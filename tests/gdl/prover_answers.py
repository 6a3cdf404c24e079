"""Answers of a prover in the form of recorded traces."""

from __future__ import annotations

from graven.gdl.proof.prover import Prover


def legal_of(prover: Prover) -> list[dict[str, int]]:
    return [{prover.terms.text(move): move for move in prover.legal(r)} for r in prover.roles]


def goals_of(prover: Prover) -> list[list[int]]:
    return [sorted(int(prover.terms.text(goal)) for goal in prover.goals(r)) for r in prover.roles]
