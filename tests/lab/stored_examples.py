"""Recorded games for tests of stores, and a file as an earlier version wrote it."""

from __future__ import annotations

from graven.lab.experiments.job import GameResult
from graven.lab.experiments.pairing import Pairing, make_pairing
from graven.lab.store.store import Store
from graven.search.budget import Budget

PAIRING = make_pairing("nogo(size=3)", "uct", "rave", Budget(20))


def result(index, outcome=1.0):
    return GameResult(
        index=index,
        seats=(0, 1),
        seed=2**64 - 1,
        scores=(outcome, 1 - outcome),
        moves=("A1", "B2"),
        playouts=40,
        seconds=0.25,
        version="0.1",
        machine="a machine",
    )


def filled(path, games=5):
    with Store(path) as store:
        number = store.pairing_id(PAIRING)
        for index in range(games):
            store.add(number, result(index, [1.0, 0.0, 0.5][index % 3]))
    return path


def content(path):
    """All that a user can read from a store."""
    with Store(path, write=False) as store:
        return (
            list(store.rows()),
            [str(summary) for summary in store.summaries()],
            list(store.results(PAIRING, 1000)),
            store.lengths(),
        )


# A file as version 0.1 wrote it: former names of search options, no table of evaluations.
OLD_FILE = """
CREATE TABLE cell (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, game TEXT NOT NULL, first TEXT NOT NULL,
    second TEXT NOT NULL, first_playouts INTEGER, first_seconds REAL, second_playouts INTEGER,
    second_seconds REAL, seed TEXT NOT NULL, openings INTEGER NOT NULL, seating TEXT NOT NULL
) STRICT;
CREATE TABLE game (
    id INTEGER PRIMARY KEY, cell INTEGER NOT NULL REFERENCES cell (id),
    number INTEGER NOT NULL CHECK (number >= 0),
    outcome REAL NOT NULL CHECK (outcome IN (0, 0.5, 1)), plies INTEGER NOT NULL,
    playouts INTEGER NOT NULL, seconds REAL NOT NULL, ended TEXT NOT NULL, version TEXT NOT NULL,
    machine TEXT NOT NULL, seed TEXT NOT NULL, seats TEXT NOT NULL, scores TEXT NOT NULL,
    moves TEXT NOT NULL, UNIQUE (cell, number)
) STRICT;
INSERT INTO cell VALUES (
    1,
    '{"agents":["uct(leaves=2,each=3,final=mean,reuse=true,memory=64)+mast","rave"],'
    || '"budgets":[[20,null],[20,null]],"game":"nogo(size=3x3)","openings":2,"seating":"mixed",'
    || '"seed":7}',
    'nogo(size=3x3)', 'uct(leaves=2,each=3,final=mean,reuse=true,memory=64)+mast', 'rave',
    20, NULL, 20, NULL, '7', 2, 'mixed'
);
INSERT INTO cell VALUES (
    2,
    '{"agents":["uct","rave"],"budgets":[[20,null],[20,null]],"game":"nogo(size=3x3)",'
    || '"openings":0,"seating":"mixed","seed":0}',
    'nogo(size=3x3)', 'uct', 'rave', 20, NULL, 20, NULL, '0', 0, 'mixed'
);
INSERT INTO game VALUES (
    1, 1, 0, 1.0, 2, 40, 0.25, '2025-06-01T12:00:00+00:00', '0.1', 'a machine',
    '18446744073709551615', '[0,1]', '[1.0,0.0]', '["A1","B2"]'
);
PRAGMA application_id = 1735549302;
PRAGMA user_version = 1;
"""
OLD_SPECS = (
    "uct(solver=off,batch_leaves=2,playouts_per_leaf=3,final_move=mean,reuse_tree=true,"
    "memory_mib=64)+mast",
    "rave(solver=off)",
)
OLD_PAIRING = Pairing(
    game="nogo(size=3x3)",
    agents=OLD_SPECS,
    budgets=(Budget(20), Budget(20)),
    seed=7,
    opening_plies=2,
)
