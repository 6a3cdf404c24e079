"""A small game and a fast agent, for the tests of the GGP protocol."""

from tests.gdl import tiny

RULES = tiny.TIC_TAC_TOE


def in_one_line(text: str) -> str:
    """The rules of a sheet without its comments."""
    return " ".join(line for line in text.splitlines() if not line.startswith(";"))


ONE_LINE = in_one_line(RULES)
SPEC = "uct(c=0.7,playouts=50)"
