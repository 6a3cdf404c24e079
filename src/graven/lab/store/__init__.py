"""The store of played games: one SQLite file."""
