"""The tables of a result file, their version, and the checks that a file has them.

The tables keep the words of the first version: a `cell` is a pairing, `openings` are opening plies,
`number` is the index of a game in its pairing.
"""

from __future__ import annotations

import sqlite3

from graven.lab.store.checksums import CHECKSUM_TABLE, GameChecksums

APPLICATION_ID = 0x67726176  # "grav"
SCHEMA_VERSION = 1
SQLITE_MAGIC = b"SQLite format 3\0"

# A table apart from `game`, so that versions without it can read and continue the file.
EVALUATION_TABLE = """
CREATE TABLE IF NOT EXISTS evaluation (
    game INTEGER PRIMARY KEY REFERENCES game (id),
    scores TEXT NOT NULL            -- expected score at each ply, or null, as JSON
) STRICT;
"""
MOVE_SEARCH_TABLE = """
CREATE TABLE IF NOT EXISTS move_search (
    game INTEGER PRIMARY KEY REFERENCES game (id),
    players TEXT NOT NULL,          -- who moved at each ply, null with simultaneous moves, as JSON
    playouts TEXT NOT NULL,         -- of the search at each ply, or null, as JSON
    seconds TEXT NOT NULL           -- of the search at each ply, or null, as JSON
) STRICT;
"""
SCHEMA = f"""
CREATE TABLE cell (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,       -- everything that determines the games, as JSON
    game TEXT NOT NULL,
    first TEXT NOT NULL,
    second TEXT NOT NULL,
    first_playouts INTEGER,         -- budgets per move
    first_seconds REAL,
    second_playouts INTEGER,
    second_seconds REAL,
    seed TEXT NOT NULL,             -- in decimal: seeds need not fit into 63 bits
    openings INTEGER NOT NULL,
    seating TEXT NOT NULL
) STRICT;
CREATE TABLE game (
    id INTEGER PRIMARY KEY,
    cell INTEGER NOT NULL REFERENCES cell (id),
    number INTEGER NOT NULL CHECK (number >= 0),
    outcome REAL NOT NULL CHECK (outcome IN (0, 0.5, 1)),  -- for the first agent
    plies INTEGER NOT NULL,
    playouts INTEGER NOT NULL,
    seconds REAL NOT NULL,          -- spent searching
    ended TEXT NOT NULL,            -- when, in UTC
    version TEXT NOT NULL,
    machine TEXT NOT NULL,
    seed TEXT NOT NULL,
    seats TEXT NOT NULL,            -- the side, 0 or 1, in each seat, as JSON
    scores TEXT NOT NULL,           -- of each seat, as JSON
    moves TEXT NOT NULL,            -- as JSON
    UNIQUE (cell, number)
) STRICT;
{EVALUATION_TABLE}
{MOVE_SEARCH_TABLE}
{CHECKSUM_TABLE}
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
"""
REQUIRED_TABLES = {"cell", "game"}


def create_tables(db: sqlite3.Connection) -> None:
    """Create all tables in an empty database, in one transaction."""
    db.executescript(f"BEGIN; {SCHEMA} COMMIT;")


def add_missing_tables(db: sqlite3.Connection) -> None:
    """Add the tables that the first files of this schema version do not have, and checksums."""
    db.execute(EVALUATION_TABLE)
    db.execute(MOVE_SEARCH_TABLE)
    db.execute(CHECKSUM_TABLE)
    GameChecksums(db).seal_others()


def has_evaluations(db: sqlite3.Connection) -> bool:
    """Return whether the file has the table of evaluations; one opened read-only may lack it."""
    return has_table(db, "evaluation")


def has_table(db: sqlite3.Connection, name: str) -> bool:
    """Return whether the file has a table; one opened read-only may lack the later ones."""
    find = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    return db.execute(find, (name,)).fetchone() is not None


def check_integrity(db: sqlite3.Connection) -> None:
    """Raise `sqlite3.DatabaseError` if SQLite finds damage, or a table or a checksum is wrong.

    `integrity_check` compares the indices with the tables, which `quick_check` does not.
    """
    if db.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
        raise sqlite3.DatabaseError("malformed")
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables >= REQUIRED_TABLES:
        raise sqlite3.DatabaseError("malformed")
    # SQL ignores the case of names; the code that reads rows does not.
    columns = db.execute("SELECT c.name FROM sqlite_master AS t, pragma_table_info(t.name) AS c")
    if any(not name.islower() for (name,) in columns):
        raise sqlite3.DatabaseError("malformed")
    GameChecksums(db).check()
