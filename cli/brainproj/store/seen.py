"""Sessions as hooks saw them, what they were given, and what hooks left to be done: rows of ready.db."""

import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import astuple, dataclass

from .publish import writing


@dataclass(frozen=True, slots=True)
class WantedRow:
    """Something the worker is to do (ready.py says what)."""

    what: str
    agent: str
    value: str
    at: int


def list_wanted(db: sqlite3.Connection, what: str) -> list[WantedRow]:
    """What is to be done of one kind, the oldest first."""
    rows = db.execute("SELECT what, agent, value, at FROM wanted WHERE what = ? ORDER BY at", (what,))
    return [WantedRow(*row) for row in rows]


def list_all_wanted(db: sqlite3.Connection) -> list[WantedRow]:
    """All that is to be done."""
    return [WantedRow(*row) for row in db.execute("SELECT what, agent, value, at FROM wanted ORDER BY 1, 2, 3")]


def drop_wanted(db: sqlite3.Connection, rows: Iterable[WantedRow]) -> None:
    """What was done; what was asked for again meanwhile stays."""
    with writing(db):
        db.executemany("DELETE FROM wanted WHERE what = ? AND agent = ? AND value = ? AND at = ?", map(astuple, rows))


@dataclass(frozen=True, slots=True)
class SeenSession:
    """A session as hooks saw it. project: None not known, '' none. Moments in microseconds."""

    agent: str
    session_id: str
    agent_id: str
    project: str | None
    cwd: str | None
    transcript: str | None
    scope: str | None
    moment: str
    epoch: int
    told_at: int | None
    told: str | None
    started_at: int
    last_at: int
    ended_at: int | None
    pid: int | None
    pid_start: str | None
    swarm: str | None
    task: str | None
    lane: str | None
    agent_name: str | None
    named: str | None


SEEN_COLUMNS = ", ".join(SeenSession.__dataclass_fields__)


def list_seen(db: sqlite3.Connection) -> list[SeenSession]:
    """Sessions that hooks saw, the one seen last at the end."""
    rows = db.execute(f"SELECT {SEEN_COLUMNS} FROM seen ORDER BY last_at, session_id, agent_id")
    return [SeenSession(*row) for row in rows]


def list_in_swarm(db: sqlite3.Connection) -> list[SeenSession]:
    """The sessions that hooks saw in a swarm, with a task of it; sub-agents are part of theirs."""
    where = "swarm > '' AND task > '' AND project > '' AND agent_id = ''"
    rows = db.execute(f"SELECT {SEEN_COLUMNS} FROM seen WHERE {where} ORDER BY started_at, session_id")
    return [SeenSession(*row) for row in rows]


def write_seen_project(db: sqlite3.Connection, session: SeenSession, project: str) -> None:
    """The project of a session that had none yet."""
    with writing(db):
        db.execute(
            "UPDATE seen SET project = ? WHERE agent = ? AND session_id = ? AND agent_id = ? AND project IS NULL",
            (project, session.agent, session.session_id, session.agent_id),
        )


@dataclass(frozen=True, slots=True)
class Delivery:
    """Something a session was given, when, and what it is, if that is still ready."""

    agent_id: str
    moment: str
    at: int
    id: str | None
    title: str | None


def list_delivered(db: sqlite3.Connection, agent: str, session_id: str) -> list[Delivery]:
    """What a session was given, in order."""
    rows = db.execute(
        "SELECT d.agent_id, d.moment, d.at, i.id, i.title FROM delivered d LEFT JOIN items i ON i.hash = d.hash"
        " WHERE d.agent = ? AND d.session_id = ? ORDER BY d.at, i.kind, i.place",
        (agent, session_id),
    )
    return [Delivery(*row) for row in rows]


def claim(db: sqlite3.Connection, name: str, now: int) -> None:
    """Say that this process is still at work."""
    with writing(db):
        db.execute("INSERT OR REPLACE INTO claims VALUES(?,?)", (name, now))


def release_if_idle(db: sqlite3.Connection, name: str, is_final: bool) -> bool:
    """Let go of a claim when nothing is wanted any more (or at once, `is_final`); False while something is."""
    with writing(db):
        if not is_final and db.execute("SELECT 1 FROM wanted LIMIT 1").fetchone():
            return False
        db.execute("DELETE FROM claims WHERE name = ?", (name,))
        return True
    return False


def prune(db: sqlite3.Connection, before: int) -> None:
    """Forget sessions that were seen last before a moment, and what they were given."""
    with writing(db):
        db.execute(
            "DELETE FROM delivered WHERE (agent, session_id, agent_id) IN"
            " (SELECT agent, session_id, agent_id FROM seen WHERE last_at < ?)",
            (before,),
        )
        db.execute("DELETE FROM seen WHERE last_at < ?", (before,))
        db.execute("DELETE FROM recaps WHERE at < ?", (before,))


def take_spooled(db: sqlite3.Connection, change: Callable[[], None]) -> None:
    """Write down what a hook could not, in one transaction."""
    with writing(db):
        change()
