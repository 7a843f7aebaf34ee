"""Reading what is stored by its address: sessions, events with their surroundings, arcs."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from . import codes, texts


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event with its text. `at` in microseconds."""

    id: int
    code: int
    session: int
    session_id: str
    agent: str
    project: int | None
    at: int | None
    kind: str
    speaker: str
    outcome: str | None
    flags: int
    tool: str | None
    agent_id: str | None
    revision: int
    text: str
    source: int
    place: int

    @property
    def event_id(self) -> str:
        """Its 12 letters."""
        return codes.id_letters(self.code)


EVENT_COLUMNS = (
    "e.id, e.code, e.session, s.session_id, s.agent, s.project, e.at, e.kind, e.speaker, e.outcome, e.flags, e.tool,"
    " e.agent_id, e.revision, e.body, e.source, e.place"
)
SELECT_EVENT = f"SELECT {EVENT_COLUMNS} FROM events e JOIN sessions s ON s.id = e.session"
IN_ORDER = "e.source, e.place, e.id"
"""Order of what happened: of the transcript, not of the clock, which goes backwards in most long sessions."""


def _event(db: sqlite3.Connection, row: tuple[object, ...], text: str | None) -> StoredEvent:
    values: list[object] = list(row)
    values[7] = codes.KIND_NAMES[row[7]]  # type: ignore[index]
    values[8] = codes.SPEAKER_NAMES[row[8]]  # type: ignore[index]
    values[9] = None if row[9] is None else codes.OUTCOME_NAMES[row[9]]  # type: ignore[index]
    values[14] = text or ""
    return StoredEvent(*values)  # type: ignore[arg-type]


def find_sessions(db: sqlite3.Connection, beginning: str) -> list[tuple[int, str, str, int | None]]:
    """(row, id, agent, project) of the sessions whose id begins so; an exact id is one alone. Three at most."""
    exact = db.execute(
        "SELECT id, session_id, agent, project FROM sessions WHERE session_id = ? AND events > 0", (beginning,)
    ).fetchall()
    if exact:
        return exact
    pattern = beginning.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
    return db.execute(
        "SELECT id, session_id, agent, project FROM sessions"
        " WHERE session_id LIKE ? ESCAPE '\\' AND events > 0 LIMIT 3",
        (pattern,),
    ).fetchall()


def find_events(db: sqlite3.Connection, beginning: str, session: str | None) -> list[StoredEvent]:
    """The events whose id begins so, of sessions whose id begins so; three at most."""
    span = codes.id_range(beginning)
    if span is None:
        return []
    rows = db.execute(
        f"{SELECT_EVENT} WHERE e.code BETWEEN ? AND ? LIMIT 50",
        span,
    ).fetchall()
    fitting = [row for row in rows if session is None or row[3].startswith(session)][:3]
    return [_event(db, row, texts.read_text(db, row[14])) for row in fitting]


def iter_events(db: sqlite3.Connection, session: int) -> Iterator[StoredEvent]:
    """The events of one session in the order in which they happened, root and sub-agents each in one piece."""
    rows = db.execute(
        f"{SELECT_EVENT} WHERE e.session = ? ORDER BY {IN_ORDER}",
        (session,),
    )
    while some := rows.fetchmany(200):
        found = texts.read_texts(db, (row[14] for row in some if row[14] is not None))
        for row in some:
            yield _event(db, row, found.get(row[14]))


def neighbours(db: sqlite3.Connection, event: StoredEvent, count: int) -> tuple[list[StoredEvent], list[StoredEvent]]:
    """The `count` events before and after one, of the same session and transcript."""
    select = f"{SELECT_EVENT} WHERE e.session = ? AND e.source = ?"
    key = (event.session, event.source, event.place, event.id, count)
    before = db.execute(
        select + " AND (e.place, e.id) < (?, ?) ORDER BY e.place DESC, e.id DESC LIMIT ?", key
    ).fetchall()
    after = db.execute(select + " AND (e.place, e.id) > (?, ?) ORDER BY e.place, e.id LIMIT ?", key).fetchall()
    return (
        [_event(db, row, texts.read_text(db, row[14])) for row in reversed(before)],
        [_event(db, row, texts.read_text(db, row[14])) for row in after],
    )


def revision_gone(db: sqlite3.Connection, event: StoredEvent, revision: int) -> str | None:
    """Why an old revision's text is not there any more; None where there was no such revision."""
    row = db.execute("SELECT why FROM revisions WHERE event = ? AND revision = ?", (event.id, revision)).fetchone()
    return row[0] if row else None


@dataclass(frozen=True, slots=True)
class StoredArc:
    """A thread of work as it is kept. `sessions` is a JSON list of ids."""

    arc_id: str
    project: int
    title: str | None
    started_at: int | None
    last_at: int | None
    tool_calls: int
    sessions: str


def find_arcs(db: sqlite3.Connection, beginning: str) -> list[StoredArc]:
    """The arcs whose id begins so; three at most."""
    if codes.id_range(beginning) is None:
        return []
    rows = db.execute(
        "SELECT arc_id, project, title, started_at, last_at, tool_calls, sessions FROM arcs"
        " WHERE arc_id LIKE ? LIMIT 3",
        (beginning + "%",),
    )
    return [StoredArc(*row) for row in rows]
