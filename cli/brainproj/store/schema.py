"""The schema of brain.db: numbered migrations, run in one transaction, after one backup and with the rows counted.

They are run by whoever opens an older store to work with it, never by a hook. A store that holds something is copied
first, where twice its size is free; only the newest such copy is kept, beside the store, and forgetting drops it.
"""

import contextlib
import os
import re
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ..errors import StoreUnusable

MIGRATIONS = Path(__file__).parent / "migrations"
NEWEST = 5
"""The number of the last migration; a test holds it against the files (reading a folder costs each command time)."""
APPLICATION_ID = 0x42526E50
"""`BRnP`, in the file's header: another program's SQLite file is not taken for ours."""
COPIES = "before-schema-"
"""How the copies begin that are made before a migration: `before-schema-2.db` holds schema 1."""
KEPT = (
    "projects",
    "sessions",
    "events",
    "bodies",
    "records",
    "transcripts",
    "gaps",
    "arcs",
    "persons",
    "tasks",
    "task_sessions",
    "record_numbers",
    "record_links",
    "record_revisions",
    "record_acts",
    "documents",
    "document_revisions",
    "outbox",
    "tombstones",
    "words_docsize",
)
"""Tables that no migration may lose a row of."""


def migrations() -> list[tuple[int, Path]]:
    """The numbered SQL files, oldest first."""
    return sorted((int(file.name[:4]), file) for file in MIGRATIONS.glob("[0-9][0-9][0-9][0-9]_*.sql"))


def schema_of(connection: sqlite3.Connection) -> int:
    """The number of the last migration that a store has been through; 0 for an empty file."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection, path: Path | None = None, *, is_rehearsal: bool = False) -> None:
    """Bring the schema up to date in one transaction, under the write lock. `path`: where the store lies, to copy it.

    Raises StoreUnusable where a row was lost, unless it is only a rehearsal; nothing is changed then.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = schema_of(connection)
        if path is not None and 0 < version < NEWEST:
            _copy_before(path)
        counts = count_rows(connection) if version else {}
        for number, file in migrations():
            if number > version:
                for statement in _statements(file.read_text("utf-8")):
                    connection.execute(statement)
        if not is_rehearsal:
            _check(counts, count_rows(connection))
        connection.execute(f"PRAGMA user_version={NEWEST}")
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def count_rows(connection: sqlite3.Connection) -> dict[str, int]:
    """How many rows the tables have that may lose none."""
    there = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    counts = (f"SELECT count(*) FROM {table}" for table in KEPT if table in there)
    tables = [table for table in KEPT if table in there]
    return {table: connection.execute(sql).fetchone()[0] for table, sql in zip(tables, counts, strict=True)}


def _check(before: dict[str, int], after: dict[str, int]) -> None:
    for table, rows in before.items():
        if after.get(table, 0) != rows:
            raise StoreUnusable(
                f"the new schema would lose rows of {table}: {rows:,} before, {after.get(table, 0):,} after",
                detail="The store was left as it is.",
                hint="go back to the brainproj that wrote it, and tell us",
            )


def _copy_before(path: Path) -> None:
    """Copy the store as it is, where there is room for twice its size; what a killed copy left behind is taken away.

    The caller holds the write lock, so nobody else copies, migrates or forgets meanwhile.
    """
    for left in list_copies(path.parent):
        if left.suffix != ".db":
            left.unlink(missing_ok=True)
    stat = os.statvfs(path.parent)
    if stat.f_bavail * stat.f_frsize < 2 * path.stat().st_size:
        return
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f"{COPIES}{NEWEST}.")
    os.close(descriptor)
    made = Path(name)
    try:
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as reader:
            reader.execute("VACUUM INTO ?", (name,))
        for older in list_copies(path.parent):
            if older != made:
                older.unlink(missing_ok=True)
        made.replace(path.parent / f"{COPIES}{NEWEST}.db")
    finally:
        made.unlink(missing_ok=True)


def schema_of_file(path: Path) -> int:
    """The schema of a store that lies there and that nobody writes."""
    with contextlib.closing(sqlite3.connect(path.absolute().as_uri() + "?mode=ro&immutable=1", uri=True)) as db:
        return schema_of(db)


def list_copies(folder: Path) -> list[Path]:
    """The copies that were made before a migration, and what is left of one that was stopped."""
    return sorted(folder.glob(f"{COPIES}*"))


def _statements(sql: str) -> Iterator[str]:
    """The statements of a migration; `executescript` would commit the transaction we hold."""
    statement = ""
    for line in re.sub(r"^\s*--.*$", "", sql, flags=re.MULTILINE).splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
