"""One Monte Carlo tree search for all games, all tree policies and all playouts.

Read it in the order of one simulation: `simulate` (the loop), `descend` (from the root to a leaf),
`playout/uniform` (to the end of the game), `backup` (what the record of both is spent on), over
the arrays of `tree`. `engine` runs simulations within a budget; `choose` reads the result.
"""
