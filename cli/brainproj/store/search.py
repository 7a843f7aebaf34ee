"""Full-text search: the best bodies for a person's words, and every place each of them stands.

Project, kind and the rest are words of the index's second column, so they are part of the match: a limit of N means N
of this project, not what is left of N after another's were removed. bm25 walks every hit, so only the newest `RANKED`
are ranked (bench/peers.md 2: 813 ms against 12 for a word in most of a million rows).
"""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..core.events import Flag, Kind, Speaker
from ..core.query import match_expression
from . import codes

RANKED = 2000
"""Hits that are weighed against each other."""
THINKING = codes.KINDS[Kind.THINKING]
PLACES = 20
"""Places of one text that are listed."""
TURN = 400
"""Events of a turn that are looked through for its last reply."""
WEIGHTS = {
    "decision": 1.6, "lesson": 1.5, "fact": 1.4, "handoff": 1.4, "note": 1.3, "signal": 1.2, "milestone": 1.2,
    "arc": 1.0, "task": 1.2, "document": 1.2, "prompt": 1.1, "reply": 1.1, "compaction": 1.0, "tool_call": 0.9,
    "tool_result": 0.8, "thinking": 0.7,
}  # fmt: skip
"""What was kept on purpose and what people said before what tools printed."""


@dataclass(frozen=True, slots=True)
class Filter:
    """What a hit must be beside holding the words. `projects` None: any; empty: none. thinking: that too.

    persons: numbers of rows; only what these typed themselves, in sessions of their own.
    """

    projects: tuple[int, ...] | None
    kinds: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    failed: bool = False
    hidden: bool = False
    since: int | None = None
    agent: str | None = None
    thinking: bool = False
    persons: tuple[int, ...] = ()


class MalformedQuery(Exception):
    """What was given as a query in FTS5's own language is none; `args[0]` says why."""


@dataclass(frozen=True, slots=True)
class BodyHit:
    """A text that holds all words: its number, project, kind, and how well it fits (higher is better)."""

    body: int
    project: int
    kind: str
    score: float
    start: int = 0
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EventPlace:
    """Where a text stands: an event of a session."""

    body: int
    code: int
    session_id: str
    agent: str
    at: int | None
    speaker: str
    outcome: str | None
    revision: int
    agent_id: str | None
    person: int | None


@dataclass(frozen=True, slots=True)
class RecordPlace:
    """A record with this text."""

    body: int
    id: int
    session_id: str | None
    at: int | None
    status: str
    source: int | None
    """The code of the event that it was made from."""
    author: int | None
    """The person who typed it at a terminal; None: an agent said it."""


@dataclass(frozen=True, slots=True)
class ArcPlace:
    """A thread of work with this title. sessions: a JSON list of ids, the first one's began it."""

    body: int
    arc_id: str
    at: int | None
    sessions: str


def search_bodies(
    db: sqlite3.Connection, words: str, wanted: Filter, *, is_fts: bool = False
) -> tuple[list[BodyHit], bool]:
    """The texts that hold all the words, best first, and whether there were more than could be weighed.

    is_fts: the words are an expression of FTS5; it is matched beside the scope, which no part of it can reach.
    Raises MalformedQuery.
    """
    expression = words if is_fts else match_expression(words)
    if not expression or wanted.projects == ():
        return [], False
    sql = "SELECT rowid, bm25(words, 1.0, 0.0) FROM words WHERE words MATCH ?"
    values: list[object] = [f"text : ({expression})" if is_fts else _scoped(f"text : ({expression})", wanted)]
    if is_fts:
        sql += " AND rowid IN (SELECT rowid FROM words WHERE words MATCH ?)"
        values.append(_scoped(_any_tag(f"k{number}" for number in codes.ALL_KINDS.values()), wanted))
    placed, more = _placed(wanted)
    try:
        rows = db.execute(f"{sql}{placed} ORDER BY rowid DESC LIMIT ?", (*values, *more, RANKED)).fetchall()
    except sqlite3.OperationalError as error:
        if is_fts and error.sqlite_errorcode == sqlite3.SQLITE_ERROR:
            raise MalformedQuery(str(error)) from error
        raise
    newest = rows[0][0] if rows else 0
    details = _classes(db, [row[0] for row in rows])
    hits = []
    for body, rank in rows:
        if body not in details:
            continue
        project, number = details[body]
        kind = codes.KIND_OF_NUMBER.get(number & 31, "?")
        recency = 1.0 + 0.3 * body / newest if newest else 1.0
        hits.append(BodyHit(body, project, kind, -rank * WEIGHTS.get(kind, 1.0) * recency))
    hits.sort(key=lambda hit: (-hit.score, -hit.body))
    return hits, len(rows) == RANKED


def list_newest(db: sqlite3.Connection, wanted: Filter) -> tuple[list[BodyHit], bool]:
    """The texts that fit a filter, whatever their words: those said last first, and whether there may be more."""
    if wanted.projects == ():
        return [], False
    placed, more = _placed(wanted)
    everything = _any_tag(f"k{number}" for number in codes.ALL_KINDS.values())
    rows = db.execute(
        f"SELECT rowid FROM words WHERE words MATCH ?{placed} ORDER BY rowid DESC LIMIT ?",
        (_scoped(everything, wanted), *more, RANKED),
    ).fetchall()
    found = describe_bodies(db, [row[0] for row in rows])
    hits = [BodyHit(body, one.project, one.kind, 1.0) for body, one in found.items()]
    latest = {body: one.at or 0 for body, one in found.items()}
    if wanted.persons or wanted.agent is not None:  # others may have said the same later
        latest |= {body: places[0].at or 0 for body in found if (places := event_places(db, body, wanted))}
    return sorted(hits, key=lambda hit: (-latest[hit.body], -hit.body)), len(rows) == RANKED


def list_holders(db: sqlite3.Connection, expression: str, wanted: Filter, limit: int) -> list[int]:
    """The numbers of the texts that an expression of FTS5 fits within the scope, the newest first."""
    placed, more = _placed(wanted)
    rows = db.execute(
        f"SELECT rowid FROM words WHERE words MATCH ?{placed} ORDER BY rowid DESC LIMIT ?",
        (_scoped(f"text : ({expression})", wanted), *more, limit),
    )
    return [row[0] for row in rows]


class Extent(NamedTuple):
    """How much there is in some projects: their events, and from when to when; whatever the rest of a filter says."""

    events: int
    first_at: int
    last_at: int


def measure_extent(db: sqlite3.Connection, projects: tuple[int, ...] | None) -> Extent:
    """The extent of these projects; of all for None."""
    sql = "SELECT coalesce(sum(events), 0), coalesce(min(started_at), 0), coalesce(max(last_at), 0) FROM sessions"
    if projects is None:
        return Extent(*db.execute(sql).fetchone())
    return Extent(*db.execute(f"{sql} WHERE project IN ({','.join('?' * len(projects))})", projects).fetchone())


class BodyFacts(NamedTuple):
    """Of a text. at: when it was said last; failed: it is the output of a tool that failed."""

    project: int
    kind: str
    failed: bool
    at: int | None


def describe_bodies(db: sqlite3.Connection, bodies: Sequence[int]) -> dict[int, BodyFacts]:
    """What there is to know of each text but its words."""
    latest = (
        "SELECT max(at) FROM (SELECT e.at FROM events e WHERE e.body = b.id UNION ALL SELECT r.at FROM records r"
        " WHERE r.body = b.id UNION ALL SELECT a.last_at FROM arcs a WHERE a.body = b.id"
        " UNION ALL SELECT t.opened_at FROM tasks t WHERE t.body = b.id"
        " UNION ALL SELECT d.changed_at FROM documents d WHERE d.body = b.id)"
    )
    found = {}
    for start in range(0, len(bodies), 500):
        some = bodies[start : start + 500]
        marks = ",".join("?" * len(some))
        for row in db.execute(f"SELECT b.id, b.project, b.class, ({latest}) FROM bodies b WHERE id IN ({marks})", some):
            kind = codes.KIND_OF_NUMBER.get(row[2] & 31, "?")
            found[row[0]] = BodyFacts(row[1], kind, bool(row[2] & codes.FAILED), row[3])
    return found


def may_hold_replies(wanted: Filter) -> bool:
    """Whether a reply of any agent and time can be among what is looked for."""
    is_any = not wanted.kinds and not wanted.speakers and not wanted.failed
    return is_any and wanted.agent is None and wanted.since is None and not wanted.persons


def final_reply(db: sqlite3.Connection, body: int) -> int | None:
    """The text of the last reply before the next prompt, after the newest event with this text; None: there is none."""
    row = db.execute(
        f"SELECT session, source, id FROM events WHERE body = ? AND NOT flags & {int(Flag.ECHO)}"
        " ORDER BY at DESC, id DESC LIMIT 1",
        (body,),
    ).fetchone()
    if row is None:
        return None
    rows = db.execute(
        "SELECT kind, body, flags FROM events WHERE session = ? AND source = ? AND id > ? ORDER BY id LIMIT ?",
        (*row, TURN),
    )
    last = None
    for kind, later, flags in rows:
        if kind == codes.KINDS[Kind.PROMPT]:
            break
        if kind == codes.KINDS[Kind.REPLY] and later is not None and not flags & Flag.ECHO:
            last = int(later)
    return last


def _placed(wanted: Filter) -> tuple[str, list[object]]:
    """The part of a statement that asks for person, agent and time, and its values."""
    times: list[object] = [wanted.since, wanted.since]
    if wanted.persons:
        marks = ",".join("?" * len(wanted.persons))
        placed = [*wanted.persons, wanted.agent, wanted.agent, *times]
        return f" AND {TYPED.format(marks, marks)}", [codes.SPEAKERS[Speaker.PERSON], *placed, *placed]
    if wanted.agent is None and wanted.since is None:
        return "", []
    return f" AND {PLACED}", [wanted.agent, wanted.agent, *times] * 2 + [wanted.agent, *times] * 3


SINCE = "coalesce(r.decided_at, r.at)"
TYPED = (
    "(EXISTS (SELECT 1 FROM events e JOIN sessions s ON s.id = e.session WHERE e.body = words.rowid AND e.speaker = ?"
    " AND s.person IN ({}) AND (? IS NULL OR s.agent = ?) AND (? IS NULL OR e.at >= ?))"
    " OR EXISTS (SELECT 1 FROM records r LEFT JOIN sessions s ON s.id = r.session WHERE r.body = words.rowid"
    f" AND r.person IN ({{}}) AND (? IS NULL OR s.agent = ?) AND (? IS NULL OR {SINCE} >= ?)))"
)
"""Whether a text was typed by the owner of a session, or at a terminal; who speaks is decided by content, so no program
or agent is."""
PLACED = (
    "(EXISTS (SELECT 1 FROM events e JOIN sessions s ON s.id = e.session WHERE e.body = words.rowid"
    " AND (? IS NULL OR s.agent = ?) AND (? IS NULL OR e.at >= ?))"
    " OR EXISTS (SELECT 1 FROM records r LEFT JOIN sessions s ON s.id = r.session WHERE r.body = words.rowid"
    f" AND (? IS NULL OR s.agent = ?) AND (? IS NULL OR {SINCE} >= ?))"
    " OR EXISTS (SELECT 1 FROM arcs a WHERE a.body = words.rowid AND ? IS NULL AND (? IS NULL OR a.last_at >= ?))"
    " OR EXISTS (SELECT 1 FROM tasks t WHERE t.body = words.rowid AND ? IS NULL AND (? IS NULL OR t.opened_at >= ?))"
    " OR EXISTS (SELECT 1 FROM documents d WHERE d.body = words.rowid AND ? IS NULL"
    " AND (? IS NULL OR d.changed_at >= ?)))"
)
"""Whether a text stands anywhere with this agent, since this time: part of the match, not a filter after its limit."""


def _scoped(expression: str, wanted: Filter) -> str:
    """The whole FTS5 expression: this one, and the tags that a text must and must not have."""
    parts = [expression]
    if wanted.projects is not None:
        parts.append(_any_tag(f"p{number}" for number in wanted.projects))
    if wanted.kinds:
        parts.append(_any_tag(f"k{codes.ALL_KINDS[kind]}" for kind in wanted.kinds))
    if wanted.speakers:
        numbers = {speaker.value: number for speaker, number in codes.SPEAKERS.items()}
        parts.append(_any_tag(f"s{numbers[speaker]}" for speaker in wanted.speakers))
    if wanted.failed:
        parts.append("tags : f")
    whole = " AND ".join(parts)
    if wanted.hidden:
        return whole
    return f"({whole}) NOT (tags : h NOT tags : k{THINKING})" if wanted.thinking else f"({whole}) NOT tags : h"


def _any_tag(tags: Iterable[str]) -> str:
    return "tags : (" + " OR ".join(tags) + ")"


def _classes(db: sqlite3.Connection, bodies: Sequence[int]) -> dict[int, tuple[int, int]]:
    found: dict[int, tuple[int, int]] = {}
    for start in range(0, len(bodies), 500):
        some = bodies[start : start + 500]
        rows = db.execute(
            f"SELECT id, project, class FROM bodies WHERE id IN ({','.join('?' * len(some))})",
            some,
        )
        found.update((row[0], (row[1], row[2])) for row in rows)
    return found


def event_places(db: sqlite3.Connection, body: int, wanted: Filter) -> list[EventPlace]:
    """The events with this text that a filter asks for, newest first."""
    typed, values = "", []
    if wanted.persons:
        typed = f" AND e.speaker = ? AND s.person IN ({','.join('?' * len(wanted.persons))})"
        values = [codes.SPEAKERS[Speaker.PERSON], *wanted.persons]
    rows = db.execute(
        "SELECT e.body, e.code, s.session_id, s.agent, e.at, e.speaker, e.outcome, e.revision, e.agent_id, s.person"
        " FROM events e JOIN sessions s ON s.id = e.session WHERE e.body = ? AND (? IS NULL OR e.at >= ?)"
        f" AND (? IS NULL OR s.agent = ?){typed} ORDER BY e.at DESC, e.id DESC LIMIT ?",
        (body, wanted.since, wanted.since, wanted.agent, wanted.agent, *values, PLACES),
    )
    return [
        EventPlace(
            row[0], row[1], row[2], row[3], row[4], codes.SPEAKER_NAMES[row[5]],
            None if row[6] is None else codes.OUTCOME_NAMES[row[6]], row[7], row[8], row[9],
        )
        for row in rows
    ]  # fmt: skip


def record_places(db: sqlite3.Connection, body: int, wanted: Filter) -> list[RecordPlace]:
    """The records with this text that a filter asks for, what is in force first, then the newest."""
    typed = f" AND r.person IN ({','.join('?' * len(wanted.persons))})" if wanted.persons else ""
    rows = db.execute(
        "SELECT r.body, r.id, s.session_id, coalesce(r.decided_at, r.at), r.status, e.code, r.person FROM records r"
        " LEFT JOIN sessions s ON s.id = r.session LEFT JOIN events e ON e.id = r.event"
        f" WHERE r.body = ? AND (? IS NULL OR {SINCE} >= ?) AND (? IS NULL OR s.agent = ?){typed}"
        " ORDER BY r.status = 'current' DESC, 4 DESC, r.id DESC LIMIT ?",
        (body, wanted.since, wanted.since, wanted.agent, wanted.agent, *wanted.persons, PLACES),
    )
    return [RecordPlace(*row) for row in rows]


def records_of(db: sqlite3.Connection, event_codes: Sequence[int]) -> list[tuple[int, str, str]]:
    """(number, kind, status) of the records that were made of these events."""
    sql = "SELECT r.id, r.kind, r.status FROM records r JOIN events e ON e.id = r.event WHERE e.code = ? ORDER BY r.id"
    return [row for code in event_codes for row in db.execute(sql, (code,))]


def read_replacements(db: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, int]:
    """What took the place of those of these records that are superseded."""
    sql = (
        "SELECT a.other FROM record_acts a JOIN records r ON r.id = a.record WHERE r.id = ? AND r.status = 'superseded'"
        " AND a.what = 'superseded' AND a.other IS NOT NULL ORDER BY a.id DESC LIMIT 1"
    )
    found = ((number, db.execute(sql, (number,)).fetchone()) for number in numbers)
    return {number: int(row[0]) for number, row in found if row}


def document_places(db: sqlite3.Connection, body: int, since: int | None) -> list[tuple[int, int]]:
    """(number, when it changed) of the documents with this text."""
    sql = "SELECT id, changed_at FROM documents WHERE body = ? AND (? IS NULL OR changed_at >= ?)"
    return db.execute(sql, (body, since, since)).fetchall()


def arc_places(db: sqlite3.Connection, body: int, since: int | None) -> list[ArcPlace]:
    """The threads of work with this title."""
    rows = db.execute(
        "SELECT body, arc_id, last_at, sessions FROM arcs WHERE body = ? AND (? IS NULL OR last_at >= ?)",
        (body, since, since),
    )
    return [ArcPlace(*row) for row in rows]
