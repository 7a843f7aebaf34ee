"""Texts that change after they were stored: new revisions, a session that gets another project, rules that changed.

Identity, order and speaker of an event stay; its text has numbered revisions, and the text of an old one is gone for
good, since what is written anew is written anew because the old text should not be there.
"""

import sqlite3
from collections.abc import Callable

from ..core.ids import event_number
from ..core.markers import find_markers
from . import texts
from .brain import redact_told
from .documents import redact_documents
from .records import redact_records
from .tasks import rename_tasks


def add_revision(db: sqlite3.Connection, event: int, text: str, number: int, now: int, why: str) -> None:
    """Give an event a new text. Call it inside a write transaction."""
    row = db.execute(
        "SELECT e.body, e.revision, s.project, e.code FROM events e JOIN sessions s ON s.id = e.session WHERE e.id = ?",
        (event,),
    ).fetchone()
    if row is None:
        return
    body = texts.ensure_body(db, row[2] or 0, number, text) if text else None
    db.execute("UPDATE events SET body = ?, revision = revision + 1 WHERE id = ?", (body, event))
    db.execute("INSERT OR REPLACE INTO revisions VALUES(?,?,NULL,?,?)", (event, row[1], now, why))
    if "<!--" in text:
        for place, marker in enumerate(find_markers(text)):
            span = (marker.start, marker.end, event_number("record", row[3], place))
            db.execute("UPDATE records SET span_start = ?, span_end = ? WHERE code = ?", span)
    if row[0] is not None:
        texts.drop_unused(db, [row[0]])


def move_session(db: sqlite3.Connection, session: int, project: int | None, rule: str, why: str) -> None:
    """Give a session another project: its texts and records go with it. Call it inside a write transaction."""
    db.execute("UPDATE sessions SET project = ?, rule = ?, why = ? WHERE id = ?", (project, rule, why, session))
    left: list[int] = []
    for table in ("events", "records"):
        rows = db.execute(f"SELECT id, body FROM {table} WHERE session = ? AND body IS NOT NULL", (session,)).fetchall()
        for number, body in rows:
            left.append(body)
            stored = db.execute("SELECT class, text FROM bodies WHERE id = ?", (body,)).fetchone()
            moved = texts.ensure_body(db, project or 0, stored[0], texts.unpack(stored[1]))
            db.execute(f"UPDATE {table} SET body = ? WHERE id = ?", (moved, number))
    db.execute("UPDATE records SET project = ? WHERE session = ?", (project, session))
    db.execute("UPDATE projects SET arcs_are_stale = 1 WHERE id = ?", (project,))
    texts.drop_unused(db, left)


def redact_again(db: sqlite3.Connection, redact: Callable[[str], str], now: int) -> int:
    """Put every stored text through the rules as they are now; how many texts changed.

    Call it inside a write transaction, and `erase.erase_traces` after it.
    """
    changed = 0
    highest = db.execute("SELECT max(id) FROM bodies").fetchone()[0] or 0
    for body in range(1, highest + 1):
        row = db.execute("SELECT class, text FROM bodies WHERE id = ?", (body,)).fetchone()
        if row is None:
            continue
        old = texts.unpack(row[1])
        new = redact(old)
        if new != old:
            changed += 1
            _replace_everywhere(db, body, new, row[0], now)
    for table, column in (
        ("sessions", "title"),
        ("sessions", "branch"),
        ("sessions", "model"),
        ("events", "tool"),
        ("records", "title"),
        ("records", "attributes"),
        ("arcs", "title"),
        ("tasks", "branch"),
        ("tasks", "swarm"),
        ("tasks", "swarm_task"),
        ("persons", "name"),
    ):
        key = "arc_id" if table == "arcs" else "id"
        for number, old in db.execute(f"SELECT {key}, {column} FROM {table} WHERE {column} IS NOT NULL").fetchall():
            if (new := redact(old)) != old:
                changed += 1
                db.execute(f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (new, number))
    for source, generation, place, stored in db.execute("SELECT source, generation, place, text FROM gaps").fetchall():
        old = texts.unpack(stored) if stored and stored[:4] == ZSTD_MAGIC else (stored or b"").decode("utf-8")
        if (new := redact(old)) != old:
            changed += 1
            values = (new.encode("utf-8"), source, generation, place)
            db.execute("UPDATE gaps SET text = ? WHERE source = ? AND generation = ? AND place = ?", values)
    return changed + redact_records(db, redact) + redact_documents(db, redact) + redact_told(db, redact)


ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


def _replace_everywhere(db: sqlite3.Connection, body: int, text: str, number: int, now: int) -> None:
    for (event,) in db.execute("SELECT id FROM events WHERE body = ?", (body,)).fetchall():
        add_revision(db, event, text, number, now, "a redaction rule hides more")
    project = db.execute("SELECT project FROM bodies WHERE id = ?", (body,)).fetchone()
    if project:
        new = texts.ensure_body(db, project[0], number, text)
        db.execute("UPDATE records SET body = ?, revision = revision + 1 WHERE body = ?", (new, body))
        db.execute("UPDATE arcs SET body = ? WHERE body = ?", (new, body))
        db.execute("UPDATE documents SET body = ? WHERE body = ?", (new, body))
        rename_tasks(db, body, new, text)
        texts.drop_unused(db, [body, new])
