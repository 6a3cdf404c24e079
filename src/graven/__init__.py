"""General game playing by Monte Carlo tree search with the whole RAVE family."""
