from __future__ import annotations

from graven.core.errors import GravenError, UsageError, unknown


def test_an_unknown_name_is_answered_with_the_valid_ones():
    error = unknown("game", "chess", ["nogo", "atarigo"])
    assert isinstance(error, UsageError)
    assert isinstance(error, GravenError)
    assert str(error) == "unknown game 'chess'. Valid: atarigo, nogo."


def test_a_near_miss_is_suggested():
    assert "Did you mean 'atarigo'?" in str(unknown("game", "atari-go", ["nogo", "atarigo"]))


def test_a_single_letter_is_near_to_nothing():
    assert "Did you mean" not in str(unknown("move", "i", ["i9", "a1"]))


def test_no_choice_at_all():
    assert "none to choose from" in str(unknown("playout of nogo", "mogo", []))
