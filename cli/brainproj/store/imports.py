"""What an import told gives way to what a transcript tells: anybody can write a line of an export.

Imported events have a source of their own (`import:…` in place of a transcript's path). When a transcript of the same
session is read, or a line with the same id, the imported ones go first; the transcript's are then stored as ever.
"""

import sqlite3
from collections.abc import Iterable

from ..core.people import IMPORTED
from .erase import remove_events

DISOWN = "UPDATE sessions SET person = NULL WHERE id = ? AND person IN (SELECT id FROM persons WHERE key LIKE ?)"
"""A session whose own transcript is read here belongs to whom that says."""


class Imports:
    """The imported events of a store, for a writer that reads transcripts. `is_import`: for one that imports, none."""

    def __init__(self, db: sqlite3.Connection, *, is_import: bool) -> None:
        self.db = db
        found = "SELECT id FROM transcripts WHERE path >= 'import:' AND path < 'import;'"
        self._sources = set() if is_import else {row[0] for row in db.execute(found)}
        self._sessions: set[int] = set()

    def holds(self, source: int) -> bool:
        """Whether events of this source were imported."""
        return source in self._sources

    def outrank(self, session: int) -> None:
        """Note that a transcript of this session is read."""
        if self._sources:
            self._sessions.add(session)

    def give_way(self, event_codes: Iterable[int]) -> None:
        """Take out what was imported of these events and of the sessions noted. Inside a write transaction."""
        if not self._sources:
            return
        rows = [
            self.db.execute("SELECT id, source FROM events WHERE code = ?", (code,)).fetchone() for code in event_codes
        ]
        for session in self._sessions:
            rows += self.db.execute("SELECT id, source FROM events WHERE session = ?", (session,)).fetchall()
            self.db.execute(DISOWN, (session, f"{IMPORTED}%"))
        remove_events(self.db, [row[0] for row in rows if row and row[1] in self._sources])
        self._sessions.clear()
