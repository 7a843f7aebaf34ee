"""What was said in sessions, for a pack: prompts and replies; and how far their transcripts were read."""

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ..core.events import NOT_A_PROMPT, Flag, Kind, Speaker
from . import codes, texts

PROMPT, REPLY = codes.KINDS[Kind.PROMPT], codes.KINDS[Kind.REPLY]
NO_ECHO = f"e.body IS NOT NULL AND e.agent_id IS NULL AND NOT e.flags & {int(Flag.ECHO)}"
ASKED = (
    f"(e.kind = {PROMPT} AND (e.flags & {int(Flag.PROGRAM)}"
    f" OR (e.speaker = {codes.SPEAKERS[Speaker.PERSON]} AND NOT e.flags & {int(NOT_A_PROMPT)})))"
)
"""What a person asked for, or a program that runs the agent."""
ANSWERED = f"(e.kind = {REPLY} AND e.speaker = {codes.SPEAKERS[Speaker.ASSISTANT]})"
COLUMNS = "s.session_id, e.code, e.revision, e.at, e.kind, e.flags, e.body"


class Message(NamedTuple):
    """A prompt or a reply. at: microseconds. by: person, program, or assistant."""

    session_id: str
    code: int
    revision: int
    at: int | None
    by: str
    text: str


def list_messages(db: sqlite3.Connection, session: int, limit: int) -> list[Message]:
    """The newest prompts and replies of a session, the newest first."""
    rows = db.execute(
        f"SELECT {COLUMNS} FROM events e JOIN sessions s ON s.id = e.session WHERE e.session = ?"
        f" AND {NO_ECHO} AND ({ASKED} OR {ANSWERED}) ORDER BY e.source DESC, e.place DESC, e.id DESC LIMIT ?",
        (session, limit),
    )
    return _messages(db, rows.fetchall())


def first_prompt(db: sqlite3.Connection, session: int) -> Message | None:
    """What a session began with; None where nothing was asked."""
    rows = db.execute(
        f"SELECT {COLUMNS} FROM events e JOIN sessions s ON s.id = e.session WHERE e.session = ?"
        f" AND {NO_ECHO} AND {ASKED} ORDER BY e.source, e.place, e.id LIMIT 1",
        (session,),
    )
    return next(iter(_messages(db, rows.fetchall())), None)


def _messages(db: sqlite3.Connection, rows: Sequence[tuple[Any, ...]]) -> list[Message]:
    found = texts.read_texts(db, (row[6] for row in rows))
    return [Message(*(*row[:4], _speaker(row[4], row[5]), found.get(row[6], ""))) for row in rows]


def _speaker(kind: int, flags: int) -> str:
    if kind == REPLY:
        return "assistant"
    return "program" if flags & Flag.PROGRAM else "person"


def list_written_to(db: sqlite3.Connection, transcripts: Iterable[tuple[str, str]]) -> dict[int, list[int]]:
    """The sessions that these transcripts, (agent, path), are of: their numbers by that of their project."""
    sql = "SELECT DISTINCT s.project, s.id FROM transcripts t JOIN sessions s ON s.id = t.session"
    found: dict[int, list[int]] = {}
    for one in transcripts:
        for project, session in db.execute(f"{sql} WHERE t.agent = ? AND t.path = ? AND s.project IS NOT NULL", one):
            found.setdefault(project, []).append(session)
    return found


def list_positions(db: sqlite3.Connection, sessions: Sequence[int]) -> list[tuple[str, int]]:
    """(path, bytes that were read) of the transcripts of these sessions."""
    marks = ",".join("?" * len(sessions))
    rows = db.execute(f"SELECT path, offset FROM transcripts WHERE session IN ({marks})", tuple(sessions))
    return rows.fetchall()
