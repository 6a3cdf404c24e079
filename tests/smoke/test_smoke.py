"""The checks for the lowest versions of dependencies (`make lowest`) run every command."""

from __future__ import annotations

from tests.smoke import __main__ as smoke


def test_the_checks_run_every_command():
    smoke.check_help()
