"""Items of ready.db: what sessions may be given, with who may have it in which scope."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace

from .publish import writing


@dataclass(frozen=True, slots=True)
class Item:
    """A row of `items`: one thing that a session may be given. Verdicts: None nobody, '*' all, else a project's key."""

    hash: str
    id: str
    kind: str
    project: str | None
    title: str
    text: str
    heading: str = ""
    source: str = ""
    severity: str = "info"
    is_memory: bool = False
    is_alert: bool = False
    records: str = ""
    origin: str = ""
    strict: str | None = None
    ranked: str | None = None
    off: str | None = None
    place: int = 0
    at: int = 0
    expires_at: int | None = None
    why: str = ""
    ready_at: int = 0


@dataclass(frozen=True, slots=True)
class ReadyProject:
    """A row of `projects`. scope: None where that for all counts."""

    key: str
    shown: str
    scope: str | None
    rendered_at: int


ITEM_COLUMNS = (
    "hash, id, kind, project, title, text, heading, source, severity, is_memory, is_alert, records, origin, strict,"
    " ranked, off, place, at, expires_at, why, ready_at"
)


def write_project(db: sqlite3.Connection, project: ReadyProject, items: Sequence[Item]) -> None:
    """Replace what is ready for a project."""
    with writing(db):
        db.execute("INSERT OR REPLACE INTO projects VALUES(?,?,?,?)", astuple(project))
        since = dict(db.execute("SELECT hash, ready_at FROM items WHERE project = ?", (project.key,)))
        db.execute("DELETE FROM items WHERE project = ?", (project.key,))
        _insert(db, [replace(item, ready_at=since.get(item.hash, item.ready_at)) for item in items])


def write_scopes(db: sqlite3.Connection, scopes: Mapping[str, str | None]) -> None:
    """Set the scopes of projects that are ready."""
    with writing(db):
        db.executemany("UPDATE projects SET scope = ? WHERE key = ?", ((scope, key) for key, scope in scopes.items()))


def write_fleet(db: sqlite3.Connection, items: Sequence[Item]) -> None:
    """Replace what is ready for the fleet: the items of no project."""
    with writing(db):
        db.execute("DELETE FROM items WHERE project IS NULL")
        _insert(db, items)


def _insert(db: sqlite3.Connection, items: Sequence[Item]) -> None:
    marks = ",".join("?" * len(ITEM_COLUMNS.split(",")))
    db.executemany(f"INSERT OR REPLACE INTO items({ITEM_COLUMNS}) VALUES({marks})", map(astuple, items))


@dataclass(frozen=True, slots=True)
class Recap:
    """A row of `recaps`: what a session itself had. at: microseconds."""

    agent: str
    session_id: str
    hash: str
    text: str
    at: int


def write_recap(db: sqlite3.Connection, recap: Recap) -> None:
    """Replace what is ready for a session after its compaction."""
    with writing(db):
        db.execute("INSERT OR REPLACE INTO recaps VALUES(?,?,?,?,?)", astuple(recap))


def list_items(db: sqlite3.Connection, project: str) -> list[Item]:
    """What is ready for the fleet and for a project, the most important first."""
    rows = db.execute(
        f"SELECT {ITEM_COLUMNS} FROM items WHERE project IS NULL OR project = ? ORDER BY place, id", (project,)
    )
    return [Item(*row) for row in rows]


def list_blocks(db: sqlite3.Connection) -> dict[str, tuple[int, int]]:
    """Key → (bytes of the block that is ready, when it was made, in microseconds)."""
    rows = db.execute(
        "SELECT i.project, length(CAST(i.text AS BLOB)), p.rendered_at FROM items i"
        " JOIN projects p ON p.key = i.project WHERE i.kind = 'block' AND i.heading = ''"
    )
    return {key: (size, at) for key, size, at in rows}


def rename_projects(db: sqlite3.Connection, canonical: Mapping[str, str]) -> None:
    """Let what was seen under a project's earlier keys be its own."""
    changed = [(new, old) for old, new in canonical.items() if old != new]
    if changed:
        with writing(db):
            db.executemany("UPDATE seen SET project = ? WHERE project = ?", changed)
            db.executemany("DELETE FROM items WHERE project = ?", ((old,) for _, old in changed))
            db.executemany("DELETE FROM projects WHERE key = ?", ((old,) for _, old in changed))


def erase_items(db: sqlite3.Connection) -> None:
    """Leave no byte of any item or recap in the file; items are made anew by the next refresh. Outside a transaction.

    Raises sqlite3.Error where the file cannot be written: it is then to be deleted.
    """
    db.execute("PRAGMA secure_delete=on")
    db.execute("DELETE FROM items")
    db.execute("DELETE FROM recaps")
    db.execute("UPDATE projects SET rendered_at = 0")
    db.execute("VACUUM")
    if db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
        raise sqlite3.OperationalError("the write-ahead log could not be emptied")
