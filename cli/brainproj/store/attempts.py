"""Tool calls with their results, for `attempts`: those that failed, later ones of the same command, what stood around.

The same command run again has the same text, and a text is stored once for each project, so repeats are found by the
number of the text; commands that differ only in what cuts their output are found by the index first.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..core.events import Flag, Kind, Outcome
from ..core.query import match_expression
from . import codes, texts

RESULT, CALL = codes.KINDS[Kind.TOOL_RESULT], codes.KINDS[Kind.TOOL_CALL]
MESSAGES = (codes.KINDS[Kind.PROMPT], codes.KINDS[Kind.REPLY])
FAILED = codes.OUTCOMES[Outcome.FAILED]
REFUSED = (codes.OUTCOMES[Outcome.DENIED], codes.OUTCOMES[Outcome.CANCELLED])
"""A person's no, or a stop: nothing failed."""
SAME_TEXTS = 60
"""Texts that hold a command's words and are looked at."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A tool's result, and its call. at: microseconds, 0: not known. call_body None: the call was not seen."""

    id: int
    code: int
    session: int
    session_id: str
    agent: str
    project: int
    at: int
    tool: str | None
    outcome: int | None
    body: int
    source: int
    place: int
    revision: int
    call_body: int | None

    @property
    def event_id(self) -> str:
        """Its 12 letters."""
        return codes.id_letters(self.code)

    @property
    def is_ok(self) -> bool:
        """Whether the agent said that it went well."""
        return self.outcome == codes.OUTCOMES[Outcome.OK]

    @property
    def is_failed(self) -> bool:
        """Whether the agent said that it failed."""
        return self.outcome == FAILED


SELECT = (
    "SELECT e.id, e.code, e.session, s.session_id, s.agent, s.project, coalesce(e.at, s.last_at, 0), e.tool, e.outcome,"
    " e.body, e.source, e.place, e.revision,"
    f" (SELECT c.body FROM events c WHERE c.session = e.session AND c.call = e.call AND c.kind = {CALL} LIMIT 1)"
    " FROM events e JOIN sessions s ON s.id = e.session"
)
COUNTED = f"e.kind = {RESULT} AND e.body IS NOT NULL AND NOT e.flags & {int(Flag.ECHO)}"


def list_failed(db: sqlite3.Connection, projects: Sequence[int], since: int | None, limit: int) -> list[ToolResult]:
    """The results that an agent called failed, the newest first."""
    rows = db.execute(
        f"{SELECT} WHERE s.project IN ({_marks(projects)}) AND {COUNTED} AND e.outcome = {FAILED}"
        " AND (? IS NULL OR e.at >= ?) ORDER BY e.at DESC, e.id DESC LIMIT ?",
        (*projects, since, since, limit),
    )
    return [ToolResult(*row) for row in rows]


def list_results(db: sqlite3.Connection, sessions: Sequence[int], since: int | None, limit: int) -> list[ToolResult]:
    """The results in these sessions that nobody denied or stopped, the newest first."""
    rows = db.execute(
        f"{SELECT} WHERE e.session IN ({_marks(sessions)}) AND {COUNTED}"
        f" AND (e.outcome IS NULL OR e.outcome NOT IN {REFUSED}) AND (? IS NULL OR e.at >= ?)"
        " ORDER BY e.at DESC, e.id DESC LIMIT ?",
        (*sessions, since, since, limit),
    )
    return [ToolResult(*row) for row in rows]


def list_with_words(
    db: sqlite3.Connection, projects: Sequence[int], words: Sequence[str], since: int | None, limit: int
) -> list[ToolResult]:
    """The results that no agent called failed, and that hold one of these words; the newest first."""
    said = " OR ".join(f'"{word}"' for word in words)
    tags = " OR ".join(f"p{number}" for number in projects)
    expression = f"text : ({said}) AND tags : ({tags}) AND tags : k{RESULT} NOT tags : f NOT tags : h"
    bodies = db.execute("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?", (expression, limit))
    found = []
    for (body,) in bodies.fetchall():
        rows = db.execute(
            f"{SELECT} WHERE e.body = ? AND {COUNTED} AND (e.outcome IS NULL OR e.outcome NOT IN {REFUSED})"
            " AND (? IS NULL OR e.at >= ?)",
            (body, since, since),
        )
        found += [ToolResult(*row) for row in rows]
    return found


def find_same_calls(db: sqlite3.Connection, projects: Sequence[int], words: str) -> Iterator[tuple[int, str]]:
    """(number, text) of the calls that hold all these words, the newest first."""
    expression = match_expression(words)
    if expression is None:
        return
    tags = " OR ".join(f"p{number}" for number in projects)
    rows = db.execute(
        "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?",
        (f"text : ({expression}) AND tags : ({tags}) AND tags : k{CALL}", SAME_TEXTS),
    ).fetchall()
    for (body,) in rows:
        text = texts.read_text(db, body)
        if text:
            yield body, text


def list_results_of(db: sqlite3.Connection, call_body: int, after: ToolResult) -> list[ToolResult]:
    """The results of the calls with this text that came later than another, the oldest first.

    In a session that says no times, or the same one twice, later is what was read later.
    """
    calls = db.execute(
        f"SELECT session, call FROM events WHERE body = ? AND kind = {CALL} AND call IS NOT NULL", (call_body,)
    ).fetchall()
    found = []
    for session, call in calls:
        rows = db.execute(
            f"{SELECT} WHERE e.session = ? AND e.call = ? AND {COUNTED}"
            " AND (coalesce(e.at, s.last_at, 0), CASE e.session WHEN ? THEN e.id ELSE 0 END) > (?, ?)",
            (session, call, after.session, after.at, after.id),
        )
        found += [ToolResult(*row) for row in rows]
    return sorted(found, key=lambda result: (result.at, result.id))


@dataclass(frozen=True, slots=True)
class Message:
    """A prompt or a reply beside something."""

    code: int
    session_id: str
    speaker: str
    body: int | None


def messages_around(db: sqlite3.Connection, result: ToolResult, count: int) -> tuple[list[Message], list[Message]]:
    """Up to `count` prompts and replies before and after a result, in its own transcript."""
    select = (
        "SELECT code, speaker, body FROM events WHERE session = ? AND source = ? AND kind IN (?,?) AND body IS NOT NULL"
        f" AND NOT flags & {int(Flag.ECHO)}"
    )
    key = (result.session, result.source, *MESSAGES, result.place, result.id, count)
    before = db.execute(f"{select} AND (place, id) < (?, ?) ORDER BY place DESC, id DESC LIMIT ?", key).fetchall()
    after = db.execute(f"{select} AND (place, id) > (?, ?) ORDER BY place, id LIMIT ?", key).fetchall()
    return (
        [Message(row[0], result.session_id, codes.SPEAKER_NAMES[row[1]], row[2]) for row in reversed(before)],
        [Message(row[0], result.session_id, codes.SPEAKER_NAMES[row[1]], row[2]) for row in after],
    )


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))
