"""Open and create result files; reject files that are damaged, newer or not result files.

A rejected file is not modified. Files are in WAL mode: any number of processes can read while one
writes, and several can write in turn. WAL needs a local disk; it does not work over a network.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from urllib.parse import quote

from graven.core.errors import GravenError, UsageError
from graven.lab.store import schema
from graven.lab.store.checksums import DamagedRowError

DEFAULT_PATH = "graven.db"
PATH_VARIABLE = "GRAVEN_DB"
IN_MEMORY = ":memory:"
BUSY_SECONDS = 60.0


class StoreError(GravenError):
    """A result file that cannot be opened, read or written."""


def default_path() -> str:
    """Return the path of the result file that is used if the user names none."""
    return os.environ.get(PATH_VARIABLE) or DEFAULT_PATH


def open_database(path: str, write: bool) -> sqlite3.Connection:
    """Open a validated result file; create a missing one if it is to be written."""
    if path == IN_MEMORY:
        db = _connect(IN_MEMORY)
        schema.create_tables(db)
        return db
    if not Path(path).exists():
        if not write:
            raise UsageError(
                f"there is no store {path!r} yet: play something first, or name another file with "
                f"--db or {PATH_VARIABLE}."
            )
        _create(Path(path))
    if Path(path).is_dir():
        raise StoreError(f"the store {path!r} cannot be read: it is a folder.")
    with store_errors(path):
        # Open read-only first, so that validation cannot modify the file.
        reader = _connect_reader(path)
        try:
            _check_version(reader, path)
            schema.check_integrity(reader)
        except BaseException:
            reader.close()
            raise
        if not write:
            return reader
        reader.close()
        return _connect_writer(path)


@contextmanager
def store_errors(path: str) -> Iterator[None]:
    """Turn errors of SQLite and of invalid rows into `StoreError`."""
    try:
        yield
    except DamagedRowError as error:
        raise StoreError(
            f"the store {path!r} is damaged: the row with id {error} does not match its "
            "checksum; the file was not modified. Restore a copy, or remove the game (DELETE FROM "
            f"game WHERE id = {error}): the command that played it plays it again."
        ) from None
    except sqlite3.Error as error:
        raise StoreError(f"the store {path!r} {_describe(str(error))}") from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise StoreError(f"the store {path!r} contains an invalid row: {error}.") from None


def _describe(message: str) -> str:
    """Return the predicate of an error message from SQLite's message."""
    recorded = "All games recorded before are safe."
    if "full" in message or "disk I/O" in message:
        return f"cannot be written: the disk is full or failing ({message}). {recorded}"
    if "readonly" in message or "unable to open" in message:
        return f"cannot be written or opened here ({message})."
    if "locked" in message or "busy" in message:
        return f"has been locked by another program for {BUSY_SECONDS:g} s. {recorded}"
    if "malformed" in message or "not a database" in message or "corrupt" in message:
        return "is damaged; it was not modified. Name another file with --db."
    return f"cannot be used: {message}."


def _connect(address: str) -> sqlite3.Connection:
    # Experiments run in a thread beside the one that watches the terminal, one call at a time.
    return sqlite3.connect(
        address,
        uri=address != IN_MEMORY,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )


def _uri(path: str, mode: str) -> str:
    return f"file:{quote(str(Path(path).absolute()))}?mode={mode}"


def _connect_reader(path: str) -> sqlite3.Connection:
    # WAL needs a file beside the store. In a folder without write permission and without that
    # file no process can be writing, so the file can be opened as immutable.
    if not os.access(Path(path).absolute().parent, os.W_OK) and not Path(f"{path}-wal").exists():
        return _connect(_uri(path, "ro") + "&immutable=1")
    return _connect(_uri(path, "ro"))


def _connect_writer(path: str) -> sqlite3.Connection:
    writer = _connect(_uri(path, "rw"))
    try:
        writer.execute("PRAGMA journal_mode = WAL")
        # A crash of the program loses nothing; a power cut may lose the last whole games.
        writer.execute("PRAGMA synchronous = NORMAL")
        schema.add_missing_tables(writer)
    except BaseException:
        writer.close()
        raise
    return writer


def _create(path: Path) -> None:
    """Create a result file under a temporary name and link it to its path in one step."""
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder {str(path.parent)!r} to create a store in.")
    draft = path.with_name(f".{path.name}.{token_hex(8)}")
    with store_errors(str(path)):
        try:
            db = sqlite3.connect(draft, isolation_level=None)
            schema.create_tables(db)
            db.execute("PRAGMA journal_mode = WAL")
            db.close()
            # Unlike a rename, a link does not replace a file that another process just created.
            with suppress(FileExistsError):
                os.link(draft, path)
        except OSError as error:
            raise StoreError(f"cannot create a store at {str(path)!r}: {error.strerror}.") from None
        finally:
            with suppress(OSError):
                draft.unlink(missing_ok=True)


def _check_version(reader: sqlite3.Connection, path: str) -> None:
    """Raise `StoreError` unless the database is a result file of a known version.

    SQLite reads the header, not we: a process that closes any descriptor of a file loses all its
    locks on that file, those of its open stores included. Another process could then remove the
    write-ahead log that they use (https://www.sqlite.org/howtocorrupt.html, section 2.2).
    """
    try:
        (application,) = reader.execute("PRAGMA application_id").fetchone()
    except sqlite3.DatabaseError as error:
        if "not a database" not in str(error):
            raise
        application = None
    if application != schema.APPLICATION_ID:
        raise StoreError(
            f"{path!r} is not a graven store, or it is damaged; it was not modified. Name another "
            "file with --db."
        )
    (version,) = reader.execute("PRAGMA user_version").fetchone()
    if version > schema.SCHEMA_VERSION:
        raise StoreError(
            f"{path!r} was written by a newer graven (store version {version}; this graven reads "
            f"up to {schema.SCHEMA_VERSION}); it was not modified. Update graven, or name another "
            "file with --db."
        )
