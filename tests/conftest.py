from __future__ import annotations

from hypothesis import settings

# The first call of a kernel compiles it: Hypothesis must not take that for a slow test. And the
# same tests run everywhere: a failure on one machine can be repeated on another.
settings.register_profile("graven", deadline=None, derandomize=True)
settings.load_profile("graven")
