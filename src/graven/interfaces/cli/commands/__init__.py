"""The commands of `graven`, one file each.

All of them are imported at start-up, so that `graven --help` can list them. To keep that fast, they
import Numba, NumPy and Rich only inside functions.
"""
