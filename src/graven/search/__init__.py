"""One Monte Carlo tree search for all games, all tree policies and all playouts.

Read it in the order of one simulation: `simulate` (the loop), `descend` (selection and expansion),
`playout/loop` (to the end of the game), `backup` and `amaf` (add the record to the tree), over the
arrays of `tree`. `runner` runs simulations within a budget; `result` reads the root.
"""
