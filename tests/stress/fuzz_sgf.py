"""Mutated SGF files: read, or refused with a sentence."""

from __future__ import annotations

from graven.core.errors import GravenError
from graven.games import sgf

EXAMPLES = [
    b"(;GM[1]FF[4]SZ[9]KM[7.5]RU[Chinese]PB[black]PW[white]RE[B+3.5];B[ee];W[cc]C[a \\] b];B[])",
    b"(;GM[1]FF[4]CA[UTF-8]SZ[19]HA[2]AB[dd][pp]PL[W];W[qd];B[dq](;W[cc])(;W[cd];B[tt]))",
    b"(;SZ[5]AW[aa][bb]AE[cc]KM[-3];B[aa];W[bb];B[cc];W[dd];B[ee])",
    b"(;SZ[9:9];B[aa]\n;W[ab]\r\n;B[ac];W[ad];B[ae];W[af])",
]
WORDS = [
    b"(",
    b")",
    b";",
    b"[",
    b"]",
    b"\\",
    b"SZ[",
    b"KM[nan]",
    b"SZ[-1]",
    b"SZ[1000000]",
    b"KM[1e999]",
    b"AB[aa:ss]",
    b"HA[99]",
    b";B[zz]",
    b"CA[utf-16]",
    b"\xff\xfe",
    b"(;" * 300,
    b"[" * 500,
]


def receive(data: bytes) -> None:
    """Read a file, and write what was read."""
    game = sgf.read(data)
    again = sgf.read(sgf.write(game).encode())
    if (again.size, list(again.moves)) != (game.size, list(game.moves)):
        raise AssertionError(f"{game} became {again}")


def run(seed: int, seconds: float) -> tuple[int, list[str]]:
    """Read mutated files."""
    from tests.stress.seeds import fuzz

    return fuzz(EXAMPLES, WORDS, receive, GravenError, seed, seconds)
