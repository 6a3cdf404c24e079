"""The commands of `graven`, one file each.

They are all imported before the first one is asked for, so that `graven --help` can list them:
nothing here imports Numba, NumPy or Rich outside a function.
"""
