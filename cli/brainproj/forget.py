"""Forgetting on request: what would go, then erasing it everywhere, with a tombstone so that it stays away."""

import shutil
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from .browse import CommitText, DocumentText, Passage, SessionText, TaskText, open_address
from .core.catalogue import Catalogue
from .core.text import one_line
from .core.times import from_micros, to_micros
from .errors import NotFound
from .locks import locked
from .paths import Paths
from .piecetext import PieceText
from .recordtext import RecordText
from .store import database, texts
from .store import erase as erasing
from .store.arcs import rebuild_arcs
from .store.brain import forget_told, letters_before, letters_holding, letters_of
from .store.documents import list_documents, remove_documents
from .store.documents import list_forgotten as forgotten_documents
from .store.documents import list_holding as documents_holding
from .store.listing import iter_sessions
from .store.people import drop_unknown
from .store.reading import find_sessions
from .store.records import list_with_earlier
from .store.schema import list_copies
from .store.tasks import list_forgotten, list_holding, list_tasks, remove_tasks

ASIDE = "before-restore-"
"""How the folders in our home begin into which a store was moved that a backup took the place of."""


@dataclass(frozen=True, slots=True)
class Erasure:
    """What goes: row numbers of sessions, events and records; `before` a time after which nothing older comes back."""

    sessions: tuple[int, ...] = ()
    events: tuple[int, ...] = ()
    records: tuple[int, ...] = ()
    tasks: tuple[int, ...] = ()
    documents: tuple[int, ...] = ()
    pieces: tuple[str, ...] = ()
    """What a brain told, by its letters."""
    text: str | None = None
    """A text that no entry of a brain's feed may hold either."""
    before: int | None = None
    inside: int = 0
    """Events of the sessions that go."""
    title: str | None = None
    """What the one session is about, if it is one."""

    def sentence(self) -> str:
        """What goes, in words."""
        counts = (
            ("session", self.sessions),
            ("event", self.events),
            ("record", self.records),
            ("task", self.tasks),
            ("document", self.documents),
            ("piece", self.pieces),
        )
        parts = [f"{len(rows):,} {name}{'' if len(rows) == 1 else 's'}" for name, rows in counts if rows]
        said = " and ".join(parts) or "nothing"
        return f"{said} ({self.title})" if self.title else said

    def value(self) -> dict[str, int]:
        """The document of `forget --json`."""
        events = len(self.events) + self.inside
        kept = {"records": len(self.records), "tasks": len(self.tasks), "documents": len(self.documents)}
        return {"sessions": len(self.sessions), "events": events, **kept, "pieces": len(self.pieces)}


def plan(
    db: sqlite3.Connection,
    catalogue: Catalogue,
    *,
    address: str | None = None,
    project: str | None = None,
    before: datetime | None = None,
    text: str | None = None,
) -> Erasure:
    """What one of these means. Raises NotFound, Ambiguous."""
    if project is not None:
        known = catalogue.get(project)
        tasks = tuple(task.number for task in list_tasks(db, known.ids))
        sessions = tuple(row["id"] for row in iter_sessions(db, known.ids, listed=False))
        records = _loose_records(db, f"project IN ({_marks(known.ids)})", known.ids)
        documents = tuple(one.number for one in list_documents(db, known.ids))
        pieces = tuple(letters_of(db, known.ids))
        return Erasure(sessions, records=records, tasks=tasks, documents=documents, pieces=pieces)
    if before is not None:
        limit = to_micros(before) or 0
        sessions = _numbers(db, "SELECT id FROM sessions WHERE last_at IS NOT NULL AND last_at < ?", (limit,))
        events = _numbers(
            db,
            "SELECT e.id FROM events e JOIN sessions s ON s.id = e.session WHERE e.at < ?"
            " AND (s.last_at IS NULL OR s.last_at >= ?)",
            (limit, limit),
        )
        tasks = _numbers(db, "SELECT id FROM tasks WHERE closed_at < ?", (limit,))  # an open one is of now
        records = _loose_records(db, "at < ?", (limit,))
        documents = _numbers(db, "SELECT id FROM documents WHERE changed_at < ?", (limit,))
        return Erasure(sessions, events, records, tasks, documents, tuple(letters_before(db, limit)), before=limit)
    if text is not None:
        bodies = _bodies_with(db, text)
        kept = [row for body in bodies for row in _loose_records(db, "body = ?", (body,))]
        return Erasure(
            events=_events_with(db, bodies),
            records=tuple(dict.fromkeys((*kept, *list_with_earlier(db, text)))),
            tasks=(*_tasks_with(db, bodies), *list_holding(db, text)),
            documents=tuple(documents_holding(db, text)),
            pieces=tuple(letters_holding(db, text)),
            text=text,
        )
    shown = open_address(db, catalogue, address or "")
    if isinstance(shown, SessionText):
        return Erasure(sessions=(find_sessions(db, shown.session_id)[0][0],))
    if isinstance(shown, RecordText):
        return Erasure(records=(shown.record.id,))
    if isinstance(shown, Passage):
        return Erasure(events=(shown.event.id,))
    if isinstance(shown, TaskText):
        return Erasure(tasks=(shown.task.number,))
    if isinstance(shown, DocumentText):
        return Erasure(documents=(shown.document.number,))
    if isinstance(shown, PieceText):
        return Erasure(pieces=(shown.piece.letters,))
    if isinstance(shown, CommitText):
        raise NotFound("a commit is git's, and is not stored here")
    raise NotFound("an arc is made from its sessions", hint="forget those: `brainproj show` lists them")


def measure(db: sqlite3.Connection, erasure: Erasure) -> Erasure:
    """The same, with how much is inside its sessions and what a single one is about."""
    rows = [
        db.execute("SELECT events, title FROM sessions WHERE id = ?", (number,)).fetchone()
        for number in erasure.sessions
    ]
    title = one_line(rows[0][1]) if len(rows) == 1 and rows[0][1] else None
    return replace(erasure, inside=sum(row[0] for row in rows), title=title)


def _numbers(db: sqlite3.Connection, sql: str, values: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(row[0] for row in db.execute(sql, values))


def _loose_records(db: sqlite3.Connection, where: str, values: tuple[int, ...]) -> tuple[int, ...]:
    """The records that no reply holds: what a person or an agent kept by itself."""
    return _numbers(db, f"SELECT id FROM records WHERE session IS NULL AND {where}", values)  # noqa: S608


def _marks(values: tuple[int, ...]) -> str:
    return ",".join("?" * len(values))


def _bodies_with(db: sqlite3.Connection, text: str) -> list[int]:
    """The texts that hold `text`; every one is looked at, since an index knows words, not passages."""
    return [body for body, stored in db.execute("SELECT id, text FROM bodies") if text in texts.unpack(stored)]


def _events_with(db: sqlite3.Connection, bodies: Iterable[int]) -> tuple[int, ...]:
    """The events with these texts, and those of which a record with one of them was made."""
    found: list[int] = []
    for body in bodies:
        found += _numbers(db, "SELECT id FROM events WHERE body = ?", (body,))
        found += _numbers(db, "SELECT event FROM records WHERE body = ? AND event IS NOT NULL", (body,))
    return tuple(dict.fromkeys(found))


def _tasks_with(db: sqlite3.Connection, bodies: Iterable[int]) -> tuple[int, ...]:
    return tuple(row for body in bodies for row in _numbers(db, "SELECT id FROM tasks WHERE body = ?", (body,)))


def erase(paths: Paths, db: sqlite3.Connection, erasure: Erasure, now: datetime) -> None:
    """Remove it, rewrite the files, and remember what must not come back. Raises StoreLocked, StoreUnusable."""
    moment = to_micros(now) or 0
    with locked(paths.ingest_lock), database.explained(paths.brain_db):
        with database.transaction(db):
            projects = _projects_of(db, erasure)
            erasing.forget_records(db, erasure.records, moment)
            erasing.forget_events(db, erasure.events, moment)
            erasing.forget_sessions(db, erasure.sessions, moment)
            remove_tasks(db, erasure.tasks, moment)
            remove_documents(db, erasure.documents, moment)
            forget_told(db, erasure.pieces, erasure.text, moment)
            if erasure.before is not None:
                erasing.write_tombstone(db, "before", str(erasure.before), moment)
            drop_unknown(db)
            erasing.forget_arcs(db, projects)
            for project in projects:
                rebuild_arcs(db, project, now)
        erasing.erase_traces(db)
    drop_older_stores(paths)
    for log in (paths.log_path, paths.log_path.with_name(paths.log_path.name + ".1")):
        log.unlink(missing_ok=True)


def drop_older_stores(paths: Paths) -> None:
    """Delete the stores that were moved aside or copied in our home: they hold what was forgotten."""
    for folder in (*paths.home.glob(f"{ASIDE}*"), paths.home / database.DAMAGED):
        shutil.rmtree(folder, ignore_errors=True)
    for copy in (*list_copies(paths.home), paths.brain_db.with_name("brain.db.new")):
        copy.unlink(missing_ok=True)


def forget_again(
    paths: Paths, db: sqlite3.Connection, tombstones: Iterable[tuple[str, str, int]], now: datetime
) -> None:
    """Take out of a store what was forgotten after it was written, and keep it out."""
    stones = list(tombstones)
    kinds = ("session", "event", "record", "piece")
    by_kind = {kind: [value for what, value, _ in stones if what == kind] for kind in kinds}
    before = max((int(value) for what, value, _ in stones if what == "before"), default=None)
    older = plan(db, Catalogue((), {}), before=from_micros(before)) if before is not None else Erasure()
    gone = set(by_kind["session"])
    sessions = [row[0] for row in db.execute("SELECT id, agent || ' ' || session_id FROM sessions") if row[1] in gone]
    events = _rows_of(db, "events", by_kind["event"])
    records = _rows_of(db, "records", by_kind["record"])
    erasure = Erasure(
        sessions=(*sessions, *older.sessions),
        events=(*events, *older.events),
        records=tuple(records),
        before=before,
        pieces=tuple(by_kind["piece"]),
    )
    with database.transaction(db):
        for what, value, at in stones:
            erasing.write_tombstone(db, what, value, at)
    erasure = replace(erasure, tasks=tuple(list_forgotten(db)), documents=tuple(forgotten_documents(db)))
    erase(paths, db, erasure, now)


def _rows_of(db: sqlite3.Connection, table: str, codes: Iterable[str]) -> list[int]:
    found = (db.execute(f"SELECT id FROM {table} WHERE code = ?", (int(code),)).fetchone() for code in codes)  # noqa: S608
    return [row[0] for row in found if row]


def _projects_of(db: sqlite3.Connection, erasure: Erasure) -> list[int]:
    sessions = set(erasure.sessions)
    for table, rows in (("events", erasure.events), ("records", erasure.records)):
        for number in rows:
            row = db.execute(f"SELECT session FROM {table} WHERE id = ?", (number,)).fetchone()  # noqa: S608
            sessions.update(row or ())
    found = {db.execute("SELECT project FROM sessions WHERE id = ?", (number,)).fetchone() for number in sessions}
    return sorted(row[0] for row in found if row and row[0] is not None)
