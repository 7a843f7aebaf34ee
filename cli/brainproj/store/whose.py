"""What tells whose a thing from elsewhere is: the projects of sessions, and the names of places that were seen."""

import sqlite3
from collections.abc import Iterator, Sequence

from .gathering import in_pieces


def projects_of_sessions(
    db: sqlite3.Connection, session_ids: Sequence[str]
) -> list[tuple[str, int | None, int | None]]:
    """(session id, project, time of the last event) of those of these ids that are stored; two agents may have one."""
    return list(in_pieces(db, "SELECT session_id, project, last_at FROM sessions WHERE session_id IN", session_ids))


def names_of_places(db: sqlite3.Connection) -> Iterator[tuple[str, int]]:
    """(name, project) of the worktrees and scratch folders that were seen."""
    yield from db.execute("SELECT DISTINCT worktree, project FROM places WHERE worktree > ''")
    for path, project in db.execute("SELECT path, project FROM places WHERE kind = 'folder'"):
        yield path.rpartition("/")[2], project
