"""Projects, their repositories and their folders, as rows of brain.db."""

import json
import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from ..core.catalogue import ProjectRow
from .database import transaction


class Place(NamedTuple):
    """A folder that was resolved once."""

    path: str
    project: int
    kind: str
    worktree: str | None


def list_projects(db: sqlite3.Connection) -> list[ProjectRow]:
    """Every project row, merged ones too, oldest first."""
    return [
        ProjectRow(*row)
        for row in db.execute("SELECT id, key, name, remote, root, merged_into FROM projects ORDER BY id")
    ]


def ensure_project(db: sqlite3.Connection, key: str, name: str, remote: str | None, root: str | None, now: int) -> int:
    """The number of the project with this key, its name, remote and root brought up to date."""
    row = db.execute("SELECT id, name, remote, root FROM projects WHERE key = ?", (key,)).fetchone()
    if row is None:
        cursor = db.execute(
            "INSERT INTO projects(key, name, remote, root, first_seen_at) VALUES(?,?,?,?,?)",
            (key, name, remote, root, now),
        )
        return int(cursor.lastrowid or 0)
    root = root or row[3]
    if (name, remote, root) != row[1:]:
        db.execute("UPDATE projects SET name = ?, remote = ?, root = ? WHERE id = ?", (name, remote, root, row[0]))
    return int(row[0])


def bound_project(db: sqlite3.Connection, common_dir: str) -> ProjectRow | None:
    """The project that a repository is bound to now."""
    row = db.execute(
        "SELECT p.id, p.key, p.name, p.remote, p.root, p.merged_into FROM bindings b"
        " JOIN projects p ON p.id = b.project WHERE b.common_dir = ? AND b.until_at IS NULL",
        (common_dir,),
    ).fetchone()
    return ProjectRow(*row) if row else None


def birth_then(db: sqlite3.Connection, common_dir: str) -> str | None:
    """The birth mark of the repository that is bound at this place."""
    row = db.execute("SELECT birth FROM bindings WHERE common_dir = ? AND until_at IS NULL", (common_dir,)).fetchone()
    return row[0] if row else None


def key_is_spent(db: sqlite3.Connection, key: str, common_dir: str) -> bool:
    """Whether this key is another repository's that lay here before, or by now means another project."""
    row = db.execute(
        "SELECT 1 FROM projects p WHERE p.key = ? AND (p.merged_into IS NOT NULL OR EXISTS"
        " (SELECT 1 FROM bindings b WHERE b.project = p.id AND b.common_dir = ?))",
        (key, common_dir),
    )
    return row.fetchone() is not None


def bindings_by_birth(db: sqlite3.Connection, birth: str) -> list[tuple[str, bool, ProjectRow]]:
    """Common dirs that had this birth mark, whether they still have, and their projects; the latest first."""
    rows = db.execute(
        "SELECT b.common_dir, b.until_at IS NULL, p.id, p.key, p.name, p.remote, p.root, p.merged_into FROM bindings b"
        " JOIN projects p ON p.id = b.project WHERE b.birth = ? ORDER BY b.rowid DESC",
        (birth,),
    )
    return [(row[0], bool(row[1]), ProjectRow(*row[2:])) for row in rows]


def bind(db: sqlite3.Connection, common_dir: str, project: int, birth: str | None, now: int) -> None:
    """Bind a repository to a project; what it was bound to before is kept with the time it ended."""
    current = db.execute(
        "SELECT project, birth FROM bindings WHERE common_dir = ? AND until_at IS NULL", (common_dir,)
    ).fetchone()
    if current == (project, birth):
        return
    if current and current[0] == project:
        db.execute("UPDATE bindings SET birth = ? WHERE common_dir = ? AND until_at IS NULL", (birth, common_dir))
        return
    db.execute("UPDATE bindings SET until_at = ? WHERE common_dir = ? AND until_at IS NULL", (now, common_dir))
    db.execute(
        "INSERT INTO bindings(common_dir, project, birth, bound_at) VALUES(?,?,?,?)", (common_dir, project, birth, now)
    )


def unbind(db: sqlite3.Connection, common_dir: str, now: int) -> None:
    """End the binding of a common dir that has moved away."""
    db.execute("UPDATE bindings SET until_at = ? WHERE common_dir = ? AND until_at IS NULL", (now, common_dir))


def former_projects(db: sqlite3.Connection) -> Iterator[tuple[int, int]]:
    """(project now, project before) of each repository that changed its project by losing or changing its remote."""
    yield from db.execute(
        "SELECT DISTINCT n.project, o.project FROM bindings n JOIN bindings o ON o.common_dir = n.common_dir"
        " WHERE n.until_at IS NULL AND o.until_at IS NOT NULL AND o.project <> n.project"
    )


def merge_project(db: sqlite3.Connection, project: int, into: int) -> None:
    """Let `project` be read as part of `into`, unless it already is part of one: what happened there stays there."""
    db.execute(
        "UPDATE projects SET merged_into = ? WHERE id = ? AND id <> ? AND merged_into IS NULL", (into, project, into)
    )


def place_at(db: sqlite3.Connection, path: str) -> Place | None:
    """The place stored for exactly this folder."""
    row = db.execute("SELECT path, project, kind, worktree FROM places WHERE path = ?", (path,)).fetchone()
    return Place(*row) if row else None


def place_is_known(db: sqlite3.Connection, path: str, project: int, kind: str, worktree: str | None) -> bool:
    """Whether the place stands in the store just so."""
    return place_at(db, path) == Place(path, project, kind, worktree)


def write_place(db: sqlite3.Connection, path: str, project: int, kind: str, worktree: str | None, now: int) -> None:
    """Remember the project of a folder, for the time when it is gone."""
    db.execute(
        "INSERT INTO places(path, project, kind, worktree, seen_at) VALUES(?,?,?,?,?) ON CONFLICT(path) DO UPDATE SET"
        " project = excluded.project, kind = excluded.kind, worktree = excluded.worktree, seen_at = excluded.seen_at",
        (path, project, kind, worktree, now),
    )


def count_projects(db: sqlite3.Connection) -> tuple[int, int]:
    """How many projects there are, and how many of them are read as others."""
    row = db.execute("SELECT count(*), count(merged_into) FROM projects").fetchone()
    return row[0], row[1]


def list_places(db: sqlite3.Connection) -> list[Place]:
    """Every folder that was resolved once, with its project."""
    return [Place(*row) for row in db.execute("SELECT path, project, kind, worktree FROM places")]


def list_place_paths(db: sqlite3.Connection) -> list[str]:
    """Every folder that was resolved once."""
    return [row[0] for row in db.execute("SELECT path FROM places")]


# what a person changed -------------------------------------------------------------------------------------------


class Act(NamedTuple):
    """A change of one `[projects]` table in config.toml: the table before and after, as plain values."""

    id: int
    what: str
    key: str
    before: dict[str, object]
    after: dict[str, object]


def write_act(db: sqlite3.Connection, what: str, key: str, before: object, after: object, now: int) -> None:
    """Remember a change so that it can be undone."""
    with transaction(db):
        db.execute(
            "INSERT INTO acts(at, what, key, before, after) VALUES(?,?,?,?,?)",
            (now, what, key, json.dumps(before), json.dumps(after)),
        )


def last_act(db: sqlite3.Connection) -> Act | None:
    """The newest change that was not undone."""
    row = db.execute(
        "SELECT id, what, key, before, after FROM acts WHERE undone_at IS NULL ORDER BY id DESC LIMIT 1"
    ).fetchone()
    return Act(row[0], row[1], row[2], json.loads(row[3]), json.loads(row[4])) if row else None


def mark_undone(db: sqlite3.Connection, act: Act, now: int) -> None:
    """Note that a change was taken back."""
    with transaction(db):
        db.execute("UPDATE acts SET undone_at = ? WHERE id = ?", (now, act.id))
