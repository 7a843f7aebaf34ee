"""Forgetting: rows go, tombstones stay, and no byte of the text is left in any file of the home.

SQLite leaves deleted text in free pages and in the WAL, FTS5 in its older segments; `erase_traces` clears all three.
"""

import sqlite3
from collections.abc import Iterable

from ..core.events import NOT_A_PROMPT, Kind, Outcome, Speaker
from ..core.titles import clean_title
from . import codes, texts
from .records import delete_records, detach_records


def erase_traces(db: sqlite3.Connection) -> None:
    """Write the file anew without anything that was deleted. Call it outside a transaction."""
    db.execute("INSERT INTO words(words) VALUES('optimize')")
    db.execute("PRAGMA secure_delete=on")
    db.execute("VACUUM")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def forget_events(db: sqlite3.Connection, events: Iterable[int], now: int) -> int:
    """Take out these events (by row number) with their texts and the records made of them; how many there were."""
    numbers = list(events)
    for number in numbers:
        row = db.execute("SELECT code FROM events WHERE id = ?", (number,)).fetchone()
        if row is not None:
            _tombstone(db, "event", str(row[0]), now)
            texts.drop_unused(db, delete_records(db, "event = ?", (number,)))
    return remove_events(db, numbers)


def remove_events(db: sqlite3.Connection, events: Iterable[int]) -> int:
    """Take out events with their texts and records, without a tombstone: they may come again; how many there were.

    A record that a person ruled on waits for that.
    """
    bodies: list[int] = []
    sessions: set[int] = set()
    count = 0
    for number in events:
        row = db.execute("SELECT code, session, body FROM events WHERE id = ?", (number,)).fetchone()
        if row is None:
            continue
        count += 1
        bodies += detach_records(db, number)
        bodies += [body for (body,) in db.execute("SELECT body FROM revisions WHERE event = ?", (number,)) if body]
        db.execute("DELETE FROM revisions WHERE event = ?", (number,))
        db.execute("DELETE FROM events WHERE id = ?", (number,))
        sessions.add(row[1])
        if row[2] is not None:
            bodies.append(row[2])
    for session in sessions:
        _describe_again(db, session)
    texts.drop_unused(db, bodies)
    return count


def _describe_again(db: sqlite3.Connection, session: int) -> None:
    """Count what is left of a session, and take its title from what is left, unless the agent gave it one."""
    prompts = [
        (text, agent_id)
        for text, agent_id, flags in db.execute(
            "SELECT b.text, e.agent_id, e.flags FROM events e JOIN bodies b ON b.id = e.body"
            " WHERE e.session = ? AND e.kind = ? AND e.speaker = ? ORDER BY e.source, e.place, e.id",
            (session, codes.KINDS[Kind.PROMPT], codes.SPEAKERS[Speaker.PERSON]),
        )
        if agent_id is None and not flags & NOT_A_PROMPT
    ]
    title = clean_title(texts.unpack(prompts[0][0])) if prompts else None
    db.execute("UPDATE sessions SET title = ? WHERE id = ? AND NOT has_own_title", (title, session))
    counted = "SELECT count(*) FROM events WHERE session = :session"
    values = {
        "session": session,
        "prompts": len(prompts),
        "call": codes.KINDS[Kind.TOOL_CALL],
        "result": codes.KINDS[Kind.TOOL_RESULT],
        "failed": codes.OUTCOMES[Outcome.FAILED],
    }
    db.execute(
        f"UPDATE sessions SET prompts = :prompts, events = ({counted}), tool_calls = ({counted} AND kind = :call),"
        f" tool_failures = ({counted} AND kind = :result AND outcome = :failed) WHERE id = :session",
        values,
    )


def forget_sessions(db: sqlite3.Connection, sessions: Iterable[int], now: int) -> int:
    """Take out whole sessions; how many there were."""
    count = 0
    for number in sessions:
        row = db.execute("SELECT agent, session_id FROM sessions WHERE id = ?", (number,)).fetchone()
        if row is None:
            continue
        count += 1
        bodies = [
            body for (body,) in db.execute("SELECT body FROM events WHERE session = ? AND body IS NOT NULL", (number,))
        ]
        bodies += delete_records(db, "session = ?", (number,))
        # another session may hold copies of its lines
        db.execute(
            "INSERT OR IGNORE INTO tombstones SELECT 'event', code, ? FROM events WHERE session = ?", (now, number)
        )
        mine = "event IN (SELECT id FROM events WHERE session = ?)"
        bodies += [body for (body,) in db.execute(f"SELECT body FROM revisions WHERE {mine}", (number,)) if body]
        db.execute(f"DELETE FROM revisions WHERE {mine}", (number,))
        db.execute("DELETE FROM events WHERE session = ?", (number,))
        db.execute("DELETE FROM session_folders WHERE session = ?", (number,))
        db.execute("DELETE FROM task_sessions WHERE agent = ? AND session_id = ?", row)
        db.execute("DELETE FROM gaps WHERE source IN (SELECT id FROM transcripts WHERE session = ?)", (number,))
        db.execute("UPDATE transcripts SET state = NULL WHERE session = ?", (number,))
        db.execute("DELETE FROM sessions WHERE id = ?", (number,))
        _tombstone(db, "session", f"{row[0]} {row[1]}", now)
        texts.drop_unused(db, bodies)
    return count


def forget_records(db: sqlite3.Connection, records: Iterable[int], now: int) -> int:
    """Take out records; the replies that hold their markers stay, without the record coming back."""
    count = 0
    for number in records:
        row = db.execute("SELECT code FROM records WHERE id = ?", (number,)).fetchone()
        if row:
            count += 1
            _tombstone(db, "record", str(row[0]), now)
            texts.drop_unused(db, delete_records(db, "id = ?", (number,)))
    return count


def forget_arcs(db: sqlite3.Connection, projects: Iterable[int]) -> None:
    """Drop the derived threads of work of these projects; they are made anew from what is left."""
    for project in projects:
        bodies = [body for (body,) in db.execute("SELECT body FROM arcs WHERE project = ?", (project,)) if body]
        db.execute("DELETE FROM arcs WHERE project = ?", (project,))
        texts.drop_unused(db, bodies)


def _tombstone(db: sqlite3.Connection, what: str, value: str, now: int) -> None:
    db.execute("INSERT OR IGNORE INTO tombstones VALUES(?,?,?)", (what, value, now))


def write_tombstone(db: sqlite3.Connection, what: str, value: str, now: int) -> None:
    """Keep something from coming back: a project, everything before a time."""
    _tombstone(db, what, value, now)
