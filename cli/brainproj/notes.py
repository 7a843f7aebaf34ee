"""Notes: what an agent, or a person, keeps on purpose without saying it in a session. Never a decision."""

import json
import sqlite3
from datetime import datetime

from .core.catalogue import KnownProject
from .core.events import Speaker
from .core.ids import event_number
from .core.text import encodable
from .core.times import to_micros
from .errors import Refused
from .locks import locked
from .paths import Paths
from .store import codes, database, texts

NOTE_LIMIT = 4096
"""Characters, as of a marker's text."""


def add_note(
    paths: Paths, db: sqlite3.Connection, project: KnownProject, text: str, by: str, now: datetime
) -> tuple[int, bool]:
    """(its number, whether it is new): a note said twice is one; `text` is redacted. Raises Refused, StoreLocked."""
    content = encodable(text).strip()
    if not content:
        raise Refused("a note needs words")
    if len(content) > NOTE_LIMIT:
        raise Refused(f"a note has {NOTE_LIMIT:,} characters at most", detail="Nothing was kept.")
    code = event_number("note", project.key, content)
    speaker = codes.SPEAKERS[Speaker.ASSISTANT]
    body_class = codes.body_class(codes.RECORD_KINDS["note"], speaker, failed=False, hidden=False)
    with locked(paths.ingest_lock, doing="writing"), database.explained(paths.brain_db), database.transaction(db):
        if db.execute("SELECT 1 FROM tombstones WHERE what = 'record' AND value = ?", (str(code),)).fetchone():
            raise Refused("this note was forgotten, and stays so")
        row = db.execute("SELECT id FROM records WHERE code = ?", (code,)).fetchone()
        if row is not None:
            return int(row[0]), False
        body = texts.ensure_body(db, project.ids[0], body_class, content)
        added = db.execute(
            "INSERT INTO records(code, kind, status, project, at, attributes, body) VALUES(?,?,?,?,?,?,?)",
            (code, "note", "current", project.ids[0], to_micros(now), json.dumps({"by": by}), body),
        )
        return int(added.lastrowid or 0), True
