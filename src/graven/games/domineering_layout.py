"""Layout of Domineering's constants and states."""

# Layout of `constants`: HEAD words; for each player the step from a domino's first to its second
# cell, and the bitboard of possible first cells; Zobrist keys; for each player and code the
# cells around the domino.
CELLS, BOARD_WORDS, KEYS, AROUND, HEAD = range(5)
STEP, INSIDE = 0, 1
# Layout of a state.
TURN, OVER, KEY, FREE = range(4)
