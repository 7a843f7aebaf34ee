"""Persons as rows of brain.db, the sessions they own, and what both did."""

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from ..core.people import PersonRow


class Ownerless(NamedTuple):
    """A session of this machine that nobody owns yet."""

    number: int
    cwd: str | None
    transcript: str


class OwnedSession(NamedTuple):
    """A session and who owns it. number: of its row. Times in microseconds."""

    number: int
    session_id: str
    agent: str
    project: int | None
    person: int | None
    title: str | None
    started_at: int | None
    last_at: int | None
    prompts: int
    cwd: str | None


def list_persons(db: sqlite3.Connection) -> list[PersonRow]:
    """Everybody, the one seen first at the beginning."""
    return [PersonRow(*row) for row in db.execute("SELECT id, key, name FROM persons ORDER BY id")]


def ensure_person(db: sqlite3.Connection, key: str, name: str | None, now: int) -> int:
    """The number of the person with this key; the name is brought up to date."""
    db.execute(
        "INSERT INTO persons(key, name, first_seen_at) VALUES(?,?,?)"
        " ON CONFLICT(key) DO UPDATE SET name = coalesce(excluded.name, name)",
        (key, name, now),
    )
    return int(db.execute("SELECT id FROM persons WHERE key = ?", (key,)).fetchone()[0])


def list_ownerless(db: sqlite3.Connection) -> list[Ownerless]:
    """The sessions read on this machine that have no owner yet."""
    rows = db.execute(
        "SELECT id, cwd, transcript FROM sessions WHERE person IS NULL AND listed AND transcript IS NOT NULL"
    )
    return [Ownerless(*row) for row in rows]


def drop_unknown(db: sqlite3.Connection) -> None:
    """Take out the persons who own nothing any more."""
    used = (
        "SELECT person FROM sessions WHERE person IS NOT NULL UNION SELECT person FROM tasks WHERE person IS NOT NULL"
        " UNION SELECT person FROM records WHERE person IS NOT NULL"
        " UNION SELECT person FROM documents WHERE person IS NOT NULL"
    )
    db.execute(f"DELETE FROM persons WHERE id NOT IN ({used})")


def set_owner(db: sqlite3.Connection, session: int, person: int) -> None:
    """Say who owns a session."""
    db.execute("UPDATE sessions SET person = ? WHERE id = ?", (person, session))


def list_owned(
    db: sqlite3.Connection, projects: Sequence[int], persons: Sequence[int] | None = None
) -> list[OwnedSession]:
    """Sessions of these projects, of these persons (None: of anybody), the latest first."""
    where, values = ["listed", f"project IN ({','.join('?' * len(projects))})"], list(projects)
    if persons is not None:
        where.append(f"person IN ({','.join('?' * len(persons))})")
        values += list(persons)
    rows = db.execute(
        "SELECT id, session_id, agent, project, person, title, started_at, last_at, prompts, cwd FROM sessions"
        f" WHERE {' AND '.join(where)} ORDER BY last_at DESC, session_id",
        values,
    )
    return [OwnedSession(*row) for row in rows]
