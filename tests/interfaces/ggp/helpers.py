"""A small game and a fast agent, for the tests of the GGP protocol."""

from tests.gdl import tiny

RULES = tiny.TIC_TAC_TOE
ONE_LINE = " ".join(line for line in RULES.splitlines() if not line.startswith(";"))
SPEC = "uct(c=0.7,playouts=50)"
