"""Mutated texts of agents, games, methods and grids: parsed, or refused with a sentence."""

from __future__ import annotations

from graven.agents import parse
from graven.core.errors import GravenError
from graven.games import registry
from graven.lab.experiments.pairing import Pairing
from graven.solving.method_registry import parse_method
from tests.stress.seeds import fuzz

EXAMPLES = [
    b"grave(ref=50,bias=1e-4)",
    b"uct(c=0.4,playouts=1000,seconds=0.5)+mast(tau=1)",
    b"rave(bias=0.001,expand=5,reuse_tree=true,memory_mib=64,final_move=mean)+nst",
    b"hrave(bias=1e-4)+ppa(alpha=1)",
    b"breakthrough(size=6x5)",
    b"misere-nogo(size=3)",
    b"go(size=9,komi=7.5,colors=2)",
    b"nrpa(level=3,iterations=100,alpha=1)",
    b"nmcs(level=2)",
    b'{"agents":["uct","rave"],"budgets":[[20,null],[20,null]],"game":"nogo(size=3x3)",'
    b'"openings":0,"seating":"mixed","seed":0}',
]
WORDS = [
    b"(",
    b")",
    b",",
    b"=",
    b"+",
    b"nan",
    b"inf",
    b"-1",
    b"1e999",
    b"0",
    b"9" * 400,
    b"true",
    b"size=",
    b"\xc3\xa9",
    b"\xe2\x80\xae",
    b"\x00",
    b"(" * 2000,
    b"+uct" * 500,
    b"misere-",
    b"[[",
    b"null",
]


def receive(data: bytes) -> None:
    """Parse a text as everything that it could be; a canonical text must parse to itself."""
    text = data.decode("utf-8", "replace")
    refusals = []
    for read in (_agent, _game, parse_method, _pairing):
        try:
            read(text)
        except GravenError as error:
            if not str(error) or len(str(error)) > 5000 + 2 * len(text):
                raise AssertionError(f"the message has {len(str(error))} letters") from None
            refusals.append(error)
    if len(refusals) == 4:
        raise refusals[0]


def _agent(text: str) -> None:
    canonical = parse(text).text
    if parse(canonical).text != canonical:
        raise AssertionError(f"{text!r} is {canonical!r}, which is {parse(canonical).text!r}")


def _game(text: str) -> None:
    registry.parse(text)


def _pairing(text: str) -> None:
    try:
        Pairing.from_key(text)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise GravenError("an invalid key") from None


def run(seed: int, seconds: float) -> tuple[int, list[str]]:
    """Parse mutated texts."""
    return fuzz(EXAMPLES, WORDS, receive, GravenError, seed, seconds)
