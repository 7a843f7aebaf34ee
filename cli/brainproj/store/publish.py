"""ready.db for commands and the worker: opening it, its settings, its places. Hooks use `ready`.

ready.db holds nothing that cannot be made again, so a damaged or foreign one is replaced without asking, and where it
cannot be written everything goes on without it.
"""

import contextlib
import os
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from . import ready

WAIT_S = 2.0
"""How long a command waits for another writer of ready.db before it goes on without."""
NUMBERS = {"refresh_tool_calls": ("tool_calls", 20), "project_memory_ttl": ("memory_ttl_s", 600)}
"""Settings that hooks read: their name in config.toml, in `meta`, and the default."""


class PlaceRow(NamedTuple):
    """A row of `places`."""

    path: str
    kind: str
    project: str
    stamp: str


def open_ready(path: Path) -> sqlite3.Connection | None:
    """ready.db, made or made anew if need be; None where that is not possible."""
    for _ in range(2):
        try:
            return ready.connect(str(path), WAIT_S)
        except ready.ReadyUnusable:
            if not _make_anew(path):
                return None
        except sqlite3.Error:
            return None
    return None


def open_in_memory() -> sqlite3.Connection:
    """An empty ready.db of one's own, for where none can be written."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    ready.make(db)
    return db


def _make_anew(path: Path) -> bool:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
        os.close(descriptor)
        made = Path(name)
        try:
            db = sqlite3.connect(made, isolation_level=None)
            try:
                db.execute("PRAGMA journal_mode=wal")
                ready.make(db)
            finally:
                db.close()
            for left in ("-wal", "-shm"):
                path.with_name(path.name + left).unlink(missing_ok=True)
            made.replace(path)
        finally:
            for left in ("", "-wal", "-shm"):
                Path(name + left).unlink(missing_ok=True)
    except (OSError, sqlite3.Error):
        return False
    return True


@contextlib.contextmanager
def writing(db: sqlite3.Connection) -> Iterator[None]:
    """One write transaction. Raises sqlite3.OperationalError where it is locked or full, DatabaseError if damaged."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


@contextlib.contextmanager
def unless_refused(path: Path) -> Iterator[None]:
    """Go on without what was to be written; a damaged ready.db is taken away, since the next to come makes it anew."""
    try:
        yield
    except sqlite3.OperationalError:
        return
    except sqlite3.DatabaseError:
        discard(path)


def discard(path: Path) -> None:
    """Take ready.db away."""
    for part in ("", "-wal", "-shm"):
        with contextlib.suppress(OSError):
            path.with_name(path.name + part).unlink(missing_ok=True)


def numbers(settings: Mapping[str, int]) -> dict[str, str]:
    """The settings that hooks read, for `meta`."""
    return {name: str(settings.get(setting, default)) for setting, (name, default) in NUMBERS.items()}


# places ------------------------------------------------------------------------------------------------------------


def read_meta(db: sqlite3.Connection) -> dict[str, str]:
    """All of `meta`."""
    return dict(db.execute("SELECT name, value FROM meta"))


def write_meta(db: sqlite3.Connection, values: Mapping[str, str]) -> None:
    """Set some of `meta`."""
    with writing(db):
        db.executemany("INSERT OR REPLACE INTO meta VALUES(?,?)", values.items())


def begin(db: sqlite3.Connection, rows: Iterable[PlaceRow], meta: Mapping[str, str]) -> None:
    """Replace all places."""
    with writing(db):
        db.execute("DELETE FROM places")
        db.executemany("INSERT OR REPLACE INTO places VALUES(?,?,?,?)", rows)
        db.executemany("INSERT OR REPLACE INTO meta VALUES(?,?)", meta.items())


def list_places(db: sqlite3.Connection) -> list[PlaceRow]:
    """Every place."""
    return [PlaceRow(*row) for row in db.execute("SELECT path, kind, project, stamp FROM places")]


def project_at(db: sqlite3.Connection, path: str) -> str | None:
    """The project of the row for this path; None where there is none."""
    row = db.execute("SELECT project FROM places WHERE path = ?", (path,)).fetchone()
    return str(row[0]) if row else None


def swarms_of(db: sqlite3.Connection, project: str) -> list[str]:
    """The swarms that work on a project, as the rules of identity found them."""
    rows = db.execute("SELECT path FROM places WHERE kind = 'swarm' AND project = ? ORDER BY path", (project,))
    return [row[0].removeprefix("swarm:") for row in rows]


def write_places(db: sqlite3.Connection, rows: Sequence[PlaceRow]) -> None:
    """Write those rows that are not there just so."""
    fresh = [
        row
        for row in rows
        if db.execute("SELECT 1 FROM places WHERE path = ? AND kind = ? AND project = ? AND stamp = ?", row)
        .fetchone() is None
    ]  # fmt: skip
    if fresh:
        with writing(db):
            db.executemany("INSERT OR REPLACE INTO places VALUES(?,?,?,?)", fresh)


def place_keys(db: sqlite3.Connection) -> list[str]:
    """The keys that places have."""
    return [row[0] for row in db.execute("SELECT DISTINCT project FROM places WHERE project <> ''")]


def rename_places(db: sqlite3.Connection, canonical: Mapping[str, str]) -> None:
    """Give the places of projects that have other keys by now those."""
    changed = [(new, old) for old, new in canonical.items() if old != new]
    if changed:
        with writing(db):
            db.executemany("UPDATE places SET project = ? WHERE project = ?", changed)


def drop_places(db: sqlite3.Connection, kinds: Sequence[str]) -> None:
    """Take out the rows of these kinds."""
    with writing(db):
        db.execute(f"DELETE FROM places WHERE kind IN ({','.join('?' * len(kinds))})", tuple(kinds))


def seen_projects(db: sqlite3.Connection) -> list[str]:
    """The keys that sessions and ready projects have."""
    rows = db.execute("SELECT project FROM seen WHERE project <> '' UNION SELECT key FROM projects")
    return [row[0] for row in rows]


def has_grown(db: sqlite3.Connection) -> bool:
    """Whether hooks saw transcripts grow that nobody has read since."""
    return db.execute("SELECT 1 FROM wanted WHERE what = 'transcript' LIMIT 1").fetchone() is not None
