"""Playout policies, one file each."""
