"""Counts and rows for the lists that people see: projects, sessions."""

import sqlite3
from collections.abc import Iterator


def project_counts(db: sqlite3.Connection) -> dict[int, tuple[int, int, int | None]]:
    """Sessions, events and the time of the last event (microseconds), by the number of the project row."""
    rows = db.execute(
        "SELECT project, count(*), sum(events), max(last_at) FROM sessions"
        " WHERE listed AND project IS NOT NULL GROUP BY 1"
    )
    return {row[0]: (row[1], row[2] or 0, row[3]) for row in rows}


def record_counts(db: sqlite3.Connection) -> dict[int, int]:
    """Records by the number of the project row."""
    return dict(db.execute("SELECT project, count(*) FROM records WHERE project IS NOT NULL GROUP BY 1"))


SESSION_COLUMNS = (
    "id, agent, session_id, project, rule, why, cwd, worktree, branch, title, started_at, last_at, transcript,"
    " prompts, tool_calls, tool_failures, events, person"
)


def iter_sessions(
    db: sqlite3.Connection, project_ids: tuple[int, ...] | None, *, listed: bool = True
) -> Iterator[sqlite3.Row]:
    """Listed sessions (else all), oldest first; of these projects, or of all with None."""
    where = "listed" if listed else "1"
    if project_ids is not None:
        where += f" AND project IN ({','.join('?' * len(project_ids))})"
    cursor = db.cursor()
    cursor.row_factory = sqlite3.Row
    yield from cursor.execute(
        f"SELECT {SESSION_COLUMNS} FROM sessions WHERE {where} ORDER BY last_at IS NOT NULL, last_at, session_id",
        project_ids or (),
    )


def retitle(db: sqlite3.Connection, agent: str, session_id: str, title: str) -> None:
    """Give a session the agent's own title for it, where it differs; its project's arcs are then stale."""
    found = "SELECT id, project FROM sessions WHERE agent = ? AND session_id = ? AND title IS NOT ?"
    row = db.execute(found, (agent, session_id, title)).fetchone()
    if row:
        db.execute("UPDATE sessions SET title = ?, has_own_title = 1 WHERE id = ?", (title, row[0]))
        db.execute("UPDATE projects SET arcs_are_stale = 1 WHERE id = ?", (row[1],))


def stale_projects(db: sqlite3.Connection) -> list[int]:
    """The projects with a session that changed since their arcs were made."""
    return [row[0] for row in db.execute("SELECT id FROM projects WHERE arcs_are_stale ORDER BY id")]


def has_projects(db: sqlite3.Connection) -> bool:
    """Whether any project is known."""
    return db.execute("SELECT 1 FROM projects LIMIT 1").fetchone() is not None


def list_agent_folders(db: sqlite3.Connection, agent: str) -> list[str]:
    """The folders in which sessions of an agent began."""
    return [row[0] for row in db.execute("SELECT DISTINCT cwd FROM sessions WHERE agent = ? AND cwd > ''", (agent,))]


def latest_project(db: sqlite3.Connection) -> str | None:
    """The key of the project that was worked in last."""
    row = db.execute(
        "SELECT p.key FROM sessions s JOIN projects p ON p.id = s.project WHERE s.listed"
        " ORDER BY s.last_at DESC LIMIT 1"
    ).fetchone()
    return row[0] if row else None


def list_session_transcripts(db: sqlite3.Connection, agent: str) -> list[str]:
    """The transcript of each stored session of an agent."""
    rows = db.execute("SELECT transcript FROM sessions WHERE agent = ? AND listed AND transcript > ''", (agent,))
    return [row[0] for row in rows]


def list_project_keys(db: sqlite3.Connection) -> list[str]:
    """The keys of the projects that have a session, but of those that were merged into another."""
    rows = db.execute(
        "SELECT key FROM projects WHERE merged_into IS NULL AND id IN (SELECT project FROM sessions WHERE listed)"
    )
    return [row[0] for row in rows]


def store_counts(db: sqlite3.Connection) -> dict[str, int]:
    """How much is stored: projects with a session, sessions, events, records."""
    return {
        "projects": len(list_project_keys(db)),
        "sessions": db.execute("SELECT count(*) FROM sessions WHERE listed").fetchone()[0],
        "events": db.execute("SELECT coalesce(sum(events), 0) FROM sessions").fetchone()[0],
        "records": db.execute("SELECT count(*) FROM records").fetchone()[0],
    }


def list_tombstones(db: sqlite3.Connection) -> list[tuple[str, str, int]]:
    """(what, value, when) of all that was forgotten."""
    return db.execute("SELECT what, value, made_at FROM tombstones").fetchall()


def oldest_and_latest(db: sqlite3.Connection) -> tuple[int | None, int | None]:
    """When the first and the last of what is stored happened; microseconds."""
    row = db.execute("SELECT min(started_at), max(last_at) FROM sessions WHERE listed").fetchone()
    return row[0], row[1]


def last_event_at(db: sqlite3.Connection, agent: str) -> int | None:
    """When the last stored event of an agent happened; microseconds."""
    row = db.execute("SELECT max(last_at) FROM sessions WHERE agent = ?", (agent,)).fetchone()
    return row[0] if row else None


def project_totals(db: sqlite3.Connection, project_ids: tuple[int, ...]) -> dict[str, int]:
    """How much is stored of a project: sessions, events, failed calls of tools, records."""
    marks = ",".join("?" * len(project_ids))
    sessions, events, failures = db.execute(
        "SELECT count(*), coalesce(sum(events), 0), coalesce(sum(tool_failures), 0) FROM sessions"
        f" WHERE listed AND project IN ({marks})",
        project_ids,
    ).fetchone()
    records = db.execute(f"SELECT count(*) FROM records WHERE project IN ({marks})", project_ids).fetchone()[0]
    return {"sessions": sessions, "events": events, "failures": failures, "records": records}
