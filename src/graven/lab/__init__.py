"""Experiments: games as jobs, matches, statistics, measurements of speed."""
