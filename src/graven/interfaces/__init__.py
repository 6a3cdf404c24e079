"""Ways to reach graven: the command line."""
