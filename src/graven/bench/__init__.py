"""Benchmarks. Only the command line and the tests import them."""
