"""Notes: what an agent, or a person, keeps on purpose without saying it in a session. Never a decision."""

import sqlite3
from datetime import datetime

from .core.catalogue import KnownProject
from .core.ids import event_number
from .core.records import TEXT_LETTERS, Status
from .core.text import encodable
from .core.times import to_micros
from .errors import Refused
from .locks import writing
from .paths import Paths
from .store import records as rows


def add_note(
    paths: Paths, db: sqlite3.Connection, project: KnownProject, text: str, by: str, now: datetime
) -> tuple[int, bool]:
    """(its number, whether it is new): a note said twice is one; `text` is redacted. Raises Refused, StoreLocked."""
    content = encodable(text).strip()
    if not content:
        raise Refused("a note needs words")
    if len(content) > TEXT_LETTERS:
        raise Refused(f"a note has {TEXT_LETTERS:,} characters at most", detail="Nothing was kept.")
    code = event_number("note", project.key, content)
    with writing(paths, db):
        if rows.is_forgotten(db, code):
            raise Refused("this note was forgotten, and stays so")
        if (known := rows.find_by_code(db, code)) is not None:
            return known, False
        new = rows.NewRecord(
            code, "note", Status.CURRENT, project.ids[0], content, to_micros(now), attributes={"by": by}
        )
        return rows.add_record(db, new), True
