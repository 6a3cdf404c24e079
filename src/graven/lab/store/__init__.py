"""The store of played games: one SQLite file, its schema, queries and export."""
