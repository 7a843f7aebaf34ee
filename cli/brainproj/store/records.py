"""Records as rows of brain.db: what is kept on purpose, its links, its earlier texts, and what persons did to it.

A record's number is given out once and stays with its code, so `rec:12` never becomes another record. Everything that
writes is to be called inside a write transaction.
"""

import json
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..core.events import Speaker
from ..core.records import Act, Deed, LinkKind, Links, Status
from . import codes, texts
from .gathering import in_pieces


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record with its text and where it was said. `at`, `decided_at` in microseconds."""

    id: int
    kind: str
    status: str
    project: int | None
    session_id: str | None
    agent: str | None
    event_code: int | None
    span_start: int | None
    span_end: int | None
    at: int | None
    title: str | None
    attributes: str
    revision: int
    confirmed_by: str | None
    code: int
    person: int | None
    """Who owns the session it was said in."""
    author: int | None
    """Who typed it at a terminal; None: an agent said it."""
    task: int | None
    decided_at: int | None
    text: str

    @property
    def citation(self) -> str:
        """Its address."""
        return f"rec:{self.id}"

    @property
    def since(self) -> int | None:
        """Since when it is what it is: by a person's act, else since it was said."""
        return self.decided_at if self.decided_at is not None else self.at


COLUMNS = (
    "r.id, r.kind, r.status, r.project, s.session_id, s.agent, e.code, r.span_start, r.span_end, r.at, r.title,"
    " r.attributes, r.revision, r.confirmed_by, r.code, s.person, r.person, r.task, r.decided_at, r.body"
)


def list_records(
    db: sqlite3.Connection, projects: tuple[int, ...] | None, number: int | None = None
) -> list[StoredRecord]:
    """Records of these projects (None: all), newest first; or the one with this number."""
    where, values = ["1"], []
    if projects is not None:
        where.append(f"r.project IN ({','.join('?' * len(projects))})")
        values += list(projects)
    if number is not None:
        where.append("r.id = ?")
        values.append(number)
    rows = db.execute(
        f"SELECT {COLUMNS} FROM records r LEFT JOIN sessions s ON s.id = r.session"
        f" LEFT JOIN events e ON e.id = r.event WHERE {' AND '.join(where)}"
        " ORDER BY coalesce(r.decided_at, r.at) DESC, r.id DESC",
        values,
    ).fetchall()
    found = texts.read_texts(db, (row[-1] for row in rows))
    return [StoredRecord(*(*row[:-1], found.get(row[-1], ""))) for row in rows]


def shared_codes(db: sqlite3.Connection) -> set[int]:
    """The codes of the records that a person addressed to every session on this machine."""
    return {row[0] for row in db.execute("SELECT code FROM shares")}


def number_of(db: sqlite3.Connection, code: int) -> int:
    """The number of a code, given out if need be."""
    db.execute("INSERT OR IGNORE INTO record_numbers(code) VALUES(?)", (code,))
    return int(db.execute("SELECT id FROM record_numbers WHERE code = ?", (code,)).fetchone()[0])


def find_by_code(db: sqlite3.Connection, code: int) -> int | None:
    """The number of the record with this code; None where there is none (any more)."""
    row = db.execute("SELECT id FROM records WHERE code = ?", (code,)).fetchone()
    return int(row[0]) if row else None


def is_forgotten(db: sqlite3.Connection, code: int) -> bool:
    """Whether the record with this code was forgotten."""
    found = "SELECT 1 FROM tombstones WHERE what = 'record' AND value = ?"
    return db.execute(found, (str(code),)).fetchone() is not None


@dataclass(frozen=True, slots=True)
class NewRecord:
    """What a record that no reply holds is made of; texts redacted. author: the person who typed it, else an agent."""

    code: int
    kind: str
    status: Status
    project: int
    text: str
    at: int | None
    author: int | None = None
    task: int | None = None
    title: str | None = None
    attributes: dict[str, object] = field(default_factory=dict)
    links: Links = field(default_factory=Links)


def add_record(db: sqlite3.Connection, new: NewRecord) -> int:
    """Write a record; its number."""
    speaker = Speaker.ASSISTANT if new.author is None else Speaker.PERSON
    kind = codes.RECORD_KINDS[new.kind]
    body_class = codes.body_class(kind, codes.SPEAKERS[speaker], failed=False, hidden=False)
    body = texts.ensure_body(db, new.project, body_class, new.text)
    number = number_of(db, new.code)
    attributes = json.dumps(new.attributes, ensure_ascii=False)
    db.execute(
        "INSERT INTO records(id, code, kind, status, project, at, title, attributes, body, person, task)"
        " VALUES(?,?,?,?,?,?,?,?,?,?,?)",
        (
            number, new.code, new.kind, new.status.value, new.project, new.at, new.title, attributes, body, new.author,
            new.task,
        ),
    )  # fmt: skip
    add_links(db, number, new.links)
    return number


MARKED = "code, kind, status, project, session, event, span_start, span_end, at, title, attributes, body"
"""The columns of a record that a reply holds."""


def write_marked(db: sqlite3.Connection, rows: Sequence[tuple[object, ...]]) -> None:
    """Write the records that replies hold, by their `MARKED` columns.

    One that is there stays as it is; one whose reply was taken out, and which a person ruled on, gets its place again.
    What an import told of one gives way.
    """
    for row in rows:
        told = "code = ? AND event IS NULL AND id NOT IN (SELECT record FROM record_acts)"
        texts.drop_unused(db, delete_records(db, told, (row[0],)))
    db.executemany("INSERT OR IGNORE INTO record_numbers(code) VALUES(?)", ((row[0],) for row in rows))
    db.executemany(
        f"INSERT INTO records(id, {MARKED}) VALUES((SELECT id FROM record_numbers WHERE code = ?1),"
        " ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) ON CONFLICT(code) DO UPDATE SET"
        " session = excluded.session, event = excluded.event, span_start = excluded.span_start,"
        " span_end = excluded.span_end WHERE event IS NULL AND (body = excluded.body OR revision > 1)",
        rows,
    )


# links -------------------------------------------------------------------------------------------------------------


def add_links(db: sqlite3.Connection, number: int, links: Links) -> None:
    """Tie a record to these."""
    rows = ((number, what.value, target) for what, target in links.targets())
    db.executemany("INSERT OR IGNORE INTO record_links VALUES(?,?,?)", rows)


def drop_links(db: sqlite3.Connection, number: int, what: LinkKind) -> None:
    """Untie a record from all of one kind."""
    db.execute("DELETE FROM record_links WHERE record = ? AND what = ?", (number, what.value))


def read_links(db: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, Links]:
    """What each of these records is tied to."""
    rows: dict[int, dict[str, list[str]]] = {number: {} for number in numbers}
    for number, what, target in in_pieces(db, "SELECT record, what, target FROM record_links WHERE record IN", numbers):
        rows[number].setdefault(what, []).append(target)
    return {
        number: Links(
            tuple(of.get(LinkKind.APPLIES_TO, ())),
            tuple(of.get(LinkKind.CITES, ())),
            tuple(int(one) for one in of.get(LinkKind.REPLACES, ())),
        )
        for number, of in rows.items()
    }


# what persons do ---------------------------------------------------------------------------------------------------


class StoredAct(NamedTuple):
    """What a person did to a record. at: microseconds. parents: a JSON list. other: what took its place."""

    at: int
    what: str
    status: str
    who: str
    terminal: str
    parents: str
    other: int | None


def set_status(
    db: sqlite3.Connection, number: int, status: Status, deed: Deed, act: Act, at: int, other: int | None = None
) -> None:
    """Give a record another status by a person's act, which is kept."""
    confirmed_by = act.who if status is Status.CURRENT else None
    db.execute(
        "UPDATE records SET status = ?, decided_at = ?, confirmed_by = coalesce(?, confirmed_by) WHERE id = ?",
        (status.value, at, confirmed_by, number),
    )
    keep_act(db, number, status, deed, act, at, other)


def keep_act(
    db: sqlite3.Connection, number: int, status: Status, deed: Deed, act: Act, at: int, other: int | None = None
) -> None:
    """Keep what a person did to a record."""
    parents = json.dumps(act.parents, ensure_ascii=False)
    db.execute(
        "INSERT INTO record_acts(record, at, what, status, who, terminal, parents, other) VALUES(?,?,?,?,?,?,?,?)",
        (number, at, deed.value, status.value, act.who, act.terminal, parents, other),
    )


def list_acts(db: sqlite3.Connection, number: int) -> list[StoredAct]:
    """What persons did to a record, in that order."""
    sql = "SELECT at, what, status, who, terminal, parents, other FROM record_acts WHERE record = ? ORDER BY id"
    return [StoredAct(*row) for row in db.execute(sql, (number,))]


def set_text(db: sqlite3.Connection, number: int, text: str, now: int, why: str) -> None:
    """Give a record another text; the earlier one is kept."""
    row = db.execute(
        "SELECT r.body, r.revision, b.project, b.class, b.text FROM records r JOIN bodies b ON b.id = r.body"
        " WHERE r.id = ?",
        (number,),
    ).fetchone()
    body, revision, project, body_class, old = row
    db.execute("INSERT INTO record_revisions VALUES(?,?,?,?,?)", (number, revision, old, now, why))
    new = texts.ensure_body(db, project, body_class, text)
    db.execute("UPDATE records SET body = ?, revision = revision + 1 WHERE id = ?", (new, number))
    texts.drop_unused(db, [body])


def set_task(db: sqlite3.Connection, number: int, task: int) -> None:
    """Say of which task a record is."""
    db.execute("UPDATE records SET task = ? WHERE id = ?", (task, number))


def list_earlier(db: sqlite3.Connection, number: int) -> list[tuple[int, str, int, str]]:
    """(revision, text, until when, why) of the texts that a record had before."""
    sql = "SELECT revision, text, until_at, why FROM record_revisions WHERE record = ? ORDER BY revision"
    return [(row[0], texts.unpack(row[1]), row[2], row[3]) for row in db.execute(sql, (number,))]


# forgetting and redacting again --------------------------------------------------------------------------------------


def list_with_earlier(db: sqlite3.Connection, text: str) -> list[int]:
    """Records that said a text before, or are tied to it."""
    earlier = db.execute("SELECT record, text FROM record_revisions").fetchall()
    found = [record for record, stored in earlier if text in texts.unpack(stored)]
    found += [row[0] for row in db.execute("SELECT record FROM record_links WHERE instr(target, ?)", (text,))]
    return list(dict.fromkeys(found))


def redact_records(db: sqlite3.Connection, redact: Callable[[str], str]) -> int:
    """Put the earlier texts and the links of all records through the rules as they are now; how many changed."""
    changed = 0
    for number, revision, stored in db.execute("SELECT record, revision, text FROM record_revisions").fetchall():
        old = texts.unpack(stored)
        if (new := redact(old)) != old:
            changed += 1
            packed = (texts.pack(new.encode("utf-8"), new), number, revision)
            db.execute("UPDATE record_revisions SET text = ? WHERE record = ? AND revision = ?", packed)
    for number, what, target in db.execute("SELECT record, what, target FROM record_links").fetchall():
        if (new := redact(target)) != target:
            changed += 1
            link = (number, what)
            db.execute("DELETE FROM record_links WHERE record = ? AND what = ? AND target = ?", (*link, target))
            db.execute("INSERT OR IGNORE INTO record_links VALUES(?,?,?)", (*link, new))
    return changed


def delete_records(db: sqlite3.Connection, where: str, values: Sequence[object]) -> list[int]:
    """Take out records with all that is kept of them; their texts, which may be unused by now."""
    rows = db.execute(f"SELECT id, body FROM records WHERE {where}", values).fetchall()
    for number, _ in rows:
        for table in ("record_links", "record_revisions", "record_acts"):
            db.execute(f"DELETE FROM {table} WHERE record = ?", (number,))
        db.execute("DELETE FROM record_links WHERE what = ? AND target = ?", (LinkKind.REPLACES.value, str(number)))
        db.execute("DELETE FROM records WHERE id = ?", (number,))
    return [body for _, body in rows]


def detach_records(db: sqlite3.Connection, event: int) -> list[int]:
    """Take out the records made of an event; one that a person ruled on stays, until it is made again.

    Their texts come back, which may be unused by now.
    """
    ruled = "id IN (SELECT record FROM record_acts)"
    db.execute(f"UPDATE records SET event = NULL, session = NULL WHERE event = ? AND {ruled}", (event,))
    return delete_records(db, "event = ?", (event,))
