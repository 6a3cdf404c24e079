"""Grounding: from rules with variables to ground rules, by semi-naive joins."""
