"""The outbox: markers that a brain is to have, as rows of brain.db. Everything that writes is called in a transaction.

A row names its record, which holds the text: what was forgotten, or hidden by a later rule, is not sent.
"""

import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..core.markers import WORDS
from . import texts

WAITING, DELIVERED, REFUSED, WITHHELD = "waiting", "delivered", "refused", "withheld"


WITH_RECORD = "outbox o JOIN records r ON r.code = o.code JOIN sessions s ON s.id = r.session"


SINCE = "outbox_since"
"""The row of `meta` that says since when a brain is known here, in microseconds."""


def read_since(db: sqlite3.Connection) -> int | None:
    """Since when a brain is known here."""
    row = db.execute("SELECT value FROM meta WHERE name = ?", (SINCE,)).fetchone()
    return int(row[0]) if row else None


def write_since(db: sqlite3.Connection, since: int) -> None:
    """Note since when a brain is known here."""
    db.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", (SINCE, str(since)))


class Unqueued(NamedTuple):
    """A marker that is in no outbox yet."""

    code: int
    kind: str
    session_id: str
    agent: str
    attributes: str
    text: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """A marker that waits, with all that is known of where it was said. Moments in microseconds."""

    id: int
    code: int
    key: str
    tries: int
    kind: str
    status: str
    attributes: str
    at: int | None
    text: str
    session_id: str
    agent: str
    agent_id: str | None
    project: int | None
    cwd: str | None
    worktree: str | None
    branch: str | None
    why: str | None = None


def list_since(db: sqlite3.Connection, since: int) -> set[tuple[str, str]]:
    """The sessions (agent, id) read on this machine in which something was said since a moment (microseconds)."""
    sql = "SELECT agent, session_id FROM sessions WHERE last_at >= ? AND transcript IS NOT NULL"
    return set(db.execute(sql, (since,)).fetchall())


def list_unqueued(db: sqlite3.Connection, sessions: Collection[tuple[str, str]]) -> list[Unqueued]:
    """The markers of these sessions (agent, id) that are in no outbox, in the order in which they were said."""
    rows = db.execute(
        "SELECT r.code, r.kind, s.session_id, s.agent, r.attributes, r.body FROM records r"
        " JOIN sessions s ON s.id = r.session"
        f" WHERE r.event IS NOT NULL AND r.kind IN ({','.join('?' * len(WORDS))})"
        " AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.code = r.code) ORDER BY r.at, r.id",
        sorted(WORDS),
    ).fetchall()
    rows = [row for row in rows if (row[3], row[2]) in sessions]
    said = texts.read_texts(db, (row[5] for row in rows))
    return [Unqueued(*(*row[:5], said.get(row[5], ""))) for row in rows]


def has_key(db: sqlite3.Connection, key: str) -> bool:
    """Whether a marker with this key is on its way already, or there."""
    return db.execute("SELECT 1 FROM outbox WHERE key = ?", (key,)).fetchone() is not None


def add(db: sqlite3.Connection, code: int, key: str, state: str, now: int, why: str | None = None) -> None:
    """Put a marker into the outbox."""
    done_at = None if state == WAITING else now
    db.execute(
        "INSERT OR IGNORE INTO outbox(code, key, state, queued_at, done_at, why) VALUES(?,?,?,?,?,?)",
        (code, key, state, now, done_at, why),
    )


def next_waiting(db: sqlite3.Connection, after: int = 0) -> Waiting | None:
    """The first that waits, behind the one with this number."""
    found = db.execute(
        "SELECT o.id, o.code, o.key, o.tries, r.kind, r.status, r.attributes, r.at, b.text, s.session_id, s.agent,"
        f" e.agent_id, r.project, s.cwd, s.worktree, s.branch FROM {WITH_RECORD} JOIN bodies b ON b.id = r.body"
        " LEFT JOIN events e ON e.id = r.event WHERE o.state = ? AND o.id > ? ORDER BY o.id LIMIT 1",
        (WAITING, after),
    ).fetchone()
    return Waiting(*(*found[:8], texts.unpack(found[8]), *found[9:])) if found else None


def drop_orphans(db: sqlite3.Connection) -> None:
    """Take out those whose record is gone: it was forgotten, or is queued again when its reply is read again."""
    db.execute(f"DELETE FROM outbox WHERE state = ? AND id NOT IN (SELECT o.id FROM {WITH_RECORD})", (WAITING,))


def finish(db: sqlite3.Connection, row: int, state: str, now: int, brain: str, why: str | None, path: str) -> None:
    """Write down what became of one."""
    db.execute(
        "UPDATE outbox SET state = ?, tries = tries + 1, done_at = ?, brain = ?, why = ?, path = ? WHERE id = ?",
        (state, now, brain, why, path, row),
    )


def count_try(db: sqlite3.Connection, row: int, why: str) -> None:
    """Write down that one was tried in vain."""
    db.execute("UPDATE outbox SET tries = tries + 1, why = ? WHERE id = ?", (why, row))


class Counts(NamedTuple):
    """How the outbox stands. oldest_at: since when the first waits, in microseconds."""

    waiting: int
    delivered: int
    refused: int
    withheld: int
    oldest_at: int | None


def count(db: sqlite3.Connection) -> Counts:
    """How the outbox stands."""
    states = dict(db.execute("SELECT state, count(*) FROM outbox GROUP BY state").fetchall())
    oldest = db.execute("SELECT min(queued_at) FROM outbox WHERE state = ?", (WAITING,)).fetchone()[0]
    waiting, delivered, refused, withheld = (states.get(one, 0) for one in (WAITING, DELIVERED, REFUSED, WITHHELD))
    return Counts(waiting, delivered, refused, withheld, oldest)


class SetAside(NamedTuple):
    """A marker that was not delivered and will not be. record: its number. at: since when, in microseconds."""

    record: int
    kind: str
    text: str
    state: str
    why: str
    at: int | None
    brain: str | None


def list_set_aside(db: sqlite3.Connection, projects: Sequence[int] | None) -> list[SetAside]:
    """Those of these projects (None: of all), the newest last."""
    rows = db.execute(
        "SELECT r.id, r.kind, r.body, o.state, coalesce(o.why, ''), o.done_at, o.brain, r.project FROM outbox o"
        " JOIN records r ON r.code = o.code WHERE o.state IN (?, ?) ORDER BY o.id",
        (REFUSED, WITHHELD),
    ).fetchall()
    rows = [row for row in rows if projects is None or row[7] in projects]
    said = texts.read_texts(db, (row[2] for row in rows))
    return [SetAside(*(*row[:2], said.get(row[2], ""), *row[3:7])) for row in rows]


def try_again(db: sqlite3.Connection) -> int:
    """Have those that were refused sent once more; how many there are."""
    again = "UPDATE outbox SET state = ?, tries = 0, done_at = NULL WHERE state = ?"
    return db.execute(again, (WAITING, REFUSED)).rowcount


def list_done(db: sqlite3.Connection) -> list[tuple[object, ...]]:
    """What became of markers, for a store that takes this one's place."""
    columns = "code, key, state, queued_at, tries, done_at, why, brain, path"
    return db.execute(f"SELECT {columns} FROM outbox WHERE state <> ?", (WAITING,)).fetchall()


def take_done(db: sqlite3.Connection, done: Sequence[tuple[object, ...]]) -> None:
    """Write down what became of markers after this store was copied."""
    db.executemany(
        "INSERT OR REPLACE INTO outbox(code, key, state, queued_at, tries, done_at, why, brain, path)"
        " VALUES(?,?,?,?,?,?,?,?,?)",
        done,
    )
