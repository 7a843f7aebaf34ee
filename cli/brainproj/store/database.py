"""Opening brain.db: its locks, and what SQLite's errors mean to a person.

Readers and writers wait `BUSY_S` for each other. The schema is made and changed (`schema`) only by `open_store`, under
a write lock, so that the first use by many at once is safe; a store of a newer brainproj is refused unchanged.
"""

import contextlib
import errno
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from ..errors import DiskFull, StoreCorrupt, StoreLocked, StoreNewer, StoreUnusable
from . import schema

BUSY_S = 5.0
"""How long a command waits for another writer before it says so."""
PAGE_BYTES = 8192
"""Texts of some kilobytes fill pages of this size better: 98.5% of the size of a store with 4096."""
DAMAGED = "damaged"
"""The folder in our home into which a damaged store is moved."""


def open_store(path: Path, *, write: bool = True) -> sqlite3.Connection:
    """A connection to the store at `path`, made if need be, its schema the newest.

    With `write=False` a missing store is an empty one in memory, and nothing on disk changes.
    Raises StoreUnusable or one of its kinds.
    """
    with explained(path):
        if not write and not path.exists():
            return _prepared(sqlite3.connect(":memory:", isolation_level=None))
        if write:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not path.exists():
                _make_store(path)
        return _open_file(path, write)


def _open_file(path: Path, write: bool) -> sqlite3.Connection:
    if path.is_dir():
        raise StoreCorrupt(f"{path} is a folder, not a store", hint="move it away, or set BRAINPROJ_HOME elsewhere")
    mode = "rw" if write or os.access(path.parent, os.W_OK) else "ro&immutable=1"
    uri = path.absolute().as_uri() + f"?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=BUSY_S)
    try:
        if mode == "rw":
            _check_owner(connection, path)
            if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                connection.execute("PRAGMA journal_mode=wal")
            connection.execute("PRAGMA synchronous=normal")
        elif _refuse_newer(connection, path) < schema.NEWEST:
            return _prepared(_in_memory(connection))
        return _prepared(connection, path)
    except BaseException:
        connection.close()
        raise


def _in_memory(connection: sqlite3.Connection) -> sqlite3.Connection:
    """A copy of an older store that cannot be written: it is brought up to date where it harms nobody."""
    with contextlib.closing(connection):
        copy = sqlite3.connect(":memory:", isolation_level=None)
        connection.backup(copy)
        return copy


def _check_owner(connection: sqlite3.Connection, path: Path) -> None:
    owner = connection.execute("PRAGMA application_id").fetchone()[0]
    if owner not in (0, schema.APPLICATION_ID) or (
        owner == 0 and connection.execute("PRAGMA page_count").fetchone()[0] > 0
    ):
        if owner == 0 and not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            return
        raise StoreCorrupt(f"{path} is not a brainproj store", hint="move it away, or set BRAINPROJ_HOME elsewhere")


def _prepared(connection: sqlite3.Connection, path: Path | None = None) -> sqlite3.Connection:
    if _refuse_newer(connection, path) < schema.NEWEST:
        schema.migrate(connection, path)
    return connection


def _refuse_newer(connection: sqlite3.Connection, path: Path | None) -> int:
    """The schema of a store. Raises StoreNewer for one that we do not know."""
    version = schema.schema_of(connection)
    if version > schema.NEWEST:
        connection.close()
        raise StoreNewer(
            f"the store was written by a newer brainproj (schema {version}, this one knows {schema.NEWEST})",
            detail=f"{path} was not changed.",
            hint="upgrade with `uv tool upgrade brainproj`, or set BRAINPROJ_HOME elsewhere",
        )
    return version


def _make_store(path: Path) -> None:
    """Make an empty store, whole, under another name, and put it in its place unless another process was quicker.

    Made in place, those who open it meanwhile would find neither schema nor WAL, and SQLite does not wait when two
    switch to WAL at once. The temporary file, and so the store, is readable by its owner alone.
    """
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
    os.close(descriptor)
    made = Path(name)
    try:
        connection = sqlite3.connect(made, isolation_level=None)
        try:
            connection.execute(f"PRAGMA page_size={PAGE_BYTES}")
            connection.execute("PRAGMA journal_mode=wal")
            schema.migrate(connection)
        finally:
            connection.close()
        with contextlib.suppress(FileExistsError):
            path.hardlink_to(made)
    finally:
        for left in (made, Path(name + "-wal"), Path(name + "-shm")):
            left.unlink(missing_ok=True)


@contextlib.contextmanager
def explained(path: Path | str) -> Iterator[None]:
    """Turn SQLite's and the system's errors into ours."""
    try:
        yield
    except sqlite3.Error as error:
        raise _explain(error, path) from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _disk_full(path) from error
        raise StoreUnusable(
            f"cannot use {path}",
            detail=f"{error.strerror or error}.",
            hint="set BRAINPROJ_HOME to a folder you can write",
        ) from error


def _disk_full(path: Path | str) -> DiskFull:
    return DiskFull(
        f"no room left to write {path}",
        detail="What was stored before is still there.",
        hint="free some space and run it again",
    )


def _explain(error: sqlite3.Error, path: Path | str) -> StoreUnusable:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreLocked(
            f"the store is locked by another process: {path}",
            detail=f"It was still locked after {BUSY_S:.0f} seconds; nothing was changed.",
            hint="run it again when the other one is done",
        )
    if code == sqlite3.SQLITE_FULL:
        return _disk_full(path)
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return StoreCorrupt(
            f"the store is damaged: {path}",
            detail="It was left as it is.",
            hint=f"move it away and run `brainproj backfill`: {move_away(Path(path))}",
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR):
        return StoreUnusable(
            f"cannot use {path}", detail=f"{error}.", hint="set BRAINPROJ_HOME to a folder you can write"
        )
    return StoreUnusable(f"the store refused: {error}", detail=str(path))


def open_backup(path: Path) -> sqlite3.Connection:
    """A store that is not ours to change, read as it lies there. Raises StoreUnusable for what is no store of ours."""
    connection = sqlite3.connect(path.absolute().as_uri() + "?mode=ro&immutable=1", uri=True, isolation_level=None)
    try:
        if connection.execute("PRAGMA application_id").fetchone()[0] != schema.APPLICATION_ID:
            raise StoreCorrupt(f"{path} is not a brainproj store", detail="Nothing was changed.")
        _refuse_newer(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def write_copy(connection: sqlite3.Connection, source: Path, target: Path) -> None:
    """Write the whole store to a new file, readable by its owner alone; half a file is taken away again.

    Raises StoreUnusable, of whichever of the two files it is.
    """
    with explained(target):
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        try:
            connection.execute("VACUUM INTO ?", (str(target),))
        except sqlite3.DatabaseError as error:
            target.unlink(missing_ok=True)
            known = _explain(error, source)
            raise known if isinstance(known, StoreCorrupt) else error from error
        except BaseException:
            target.unlink(missing_ok=True)
            raise


def move_away(path: Path) -> str:
    """The command that moves a store away with its log: a log left behind would be taken for the next store's."""
    damaged = quote(str(path.parent / DAMAGED))
    return f"mkdir -p {damaged} && mv {quote(str(path))}* {damaged}/"


def prepare_for_writing(connection: sqlite3.Connection) -> None:
    """Give a connection the room that large batches want: fewer pages are written twice."""
    connection.execute("PRAGMA cache_size=-65536")
    connection.execute("PRAGMA wal_autocheckpoint=16000")


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """One write transaction: all of the block or none of it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextlib.contextmanager
def short_transaction(path: Path | str, connection: sqlite3.Connection) -> Iterator[None]:
    """One short write transaction, beside whoever reads transcripts; path: the store's. Raises StoreUnusable."""
    with explained(path), transaction(connection):
        yield


def free_bytes(path: Path) -> int:
    """Free space where the store is."""
    folder = path
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free
