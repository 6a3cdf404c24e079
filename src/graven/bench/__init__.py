"""Benchmarks: speed as ratios. Only the command line and the tests import this package."""
