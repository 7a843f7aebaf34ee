"""Threads of work: made from the sessions of a project whenever one of them changes, kept to be searched and shown."""

import json
import sqlite3
from collections.abc import Iterable
from datetime import datetime

from ..core.arcs import Arc, SessionSpan, group_arcs
from ..core.times import from_micros, to_micros
from . import codes, texts


def read_spans(db: sqlite3.Connection, projects: Iterable[int]) -> list[SessionSpan]:
    """The sessions of these projects as spans of time."""
    numbers = tuple(projects)
    marks = ",".join("?" * len(numbers))
    rows = db.execute(
        "SELECT session_id, agent, started_at, last_at, title, tool_calls, tool_failures, prompts, compacted, branch"
        f" FROM sessions WHERE listed AND project IN ({marks})",
        numbers,
    )
    return [
        SessionSpan(
            session_id=row[0], agent=row[1], started_at=from_micros(row[2]), last_at=from_micros(row[3]), title=row[4],
            tool_calls=row[5], tool_failures=row[6], prompts=row[7], compacted=bool(row[8]), branch=row[9],
        )
        for row in rows
    ]  # fmt: skip


def rebuild_arcs(db: sqlite3.Connection, project: int, now: datetime) -> list[Arc]:
    """Make the arcs of one project row anew. Call it inside a write transaction."""
    arcs = group_arcs(read_spans(db, [project]), now)
    old = [body for (body,) in db.execute("SELECT body FROM arcs WHERE project = ?", (project,)) if body is not None]
    db.execute("DELETE FROM arcs WHERE project = ?", (project,))
    db.execute("UPDATE projects SET arcs_are_stale = 0 WHERE id = ?", (project,))
    number = codes.body_class(codes.ARC_KIND, 1, failed=False, hidden=False)
    for arc in arcs:
        body = texts.ensure_body(db, project, number, arc.title) if arc.title else None
        db.execute(
            "INSERT OR REPLACE INTO arcs VALUES(?,?,?,?,?,?,?,?)",
            (
                arc.arc_id, project, arc.title, to_micros(arc.started_at), to_micros(arc.last_active_at),
                arc.tool_calls, json.dumps(arc.session_ids), body,
            ),
        )  # fmt: skip
    texts.drop_unused(db, old)
    return arcs
