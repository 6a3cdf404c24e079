"""Experiments: pairings, jobs, executors, matches, tournaments, sweeps and tuning."""
