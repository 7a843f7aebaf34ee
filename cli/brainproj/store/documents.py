"""Documents as rows of brain.db: the newest text is a body like any other, earlier ones are packed beside.

Everything that writes is to be called inside a write transaction.
"""

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..core.events import Speaker
from ..core.ids import event_number
from . import codes, texts

COLUMNS = "id, project, kind, address, title, fetched, revision, task, person, by_agent, added_at, changed_at, body"


@dataclass(frozen=True, slots=True)
class Document:
    """A document as stored. fetched: whether its text is what stands at its address. Times in microseconds.

    body: the number of its newest text, which may be a megabyte.
    """

    number: int
    project: int
    kind: str
    address: str
    title: str
    fetched: bool
    revision: int
    task: int | None
    person: int | None
    by_agent: bool
    added_at: int
    changed_at: int
    body: int

    @property
    def citation(self) -> str:
        """Its address here."""
        return f"doc:{self.number}"


class NewDocument(NamedTuple):
    """What a document is made of; texts redacted."""

    kind: str
    address: str
    title: str
    text: str
    fetched: bool
    task: int | None
    person: int | None
    by_agent: bool


def list_documents(db: sqlite3.Connection, projects: Sequence[int] | None, number: int | None = None) -> list[Document]:
    """The documents of these projects (None: all), the one that changed last first; or the one with this number."""
    where, values = ["1"], list[int]()
    if projects is not None:
        where.append(f"project IN ({','.join('?' * len(projects))})")
        values += projects
    if number is not None:
        where.append("id = ?")
        values.append(number)
    sql = f"SELECT {COLUMNS} FROM documents WHERE {' AND '.join(where)} ORDER BY changed_at DESC, id DESC"
    rows = db.execute(sql, values).fetchall()
    return [Document(*(*row[:5], bool(row[5]), *row[6:9], bool(row[9]), *row[10:])) for row in rows]


def text_of(db: sqlite3.Connection, document: Document) -> str:
    """A document's newest text."""
    return texts.read_text(db, document.body) or ""


def find_document(db: sqlite3.Connection, projects: Sequence[int], kind: str, address: str) -> Document | None:
    """The document of this kind at this address; None where there is none."""
    return next((one for one in list_documents(db, projects) if (one.kind, one.address) == (kind, address)), None)


def add_document(db: sqlite3.Connection, project: int, new: NewDocument, now: int) -> int:
    """Write a document; its number."""
    body = texts.ensure_body(db, project, _class(new.by_agent), new.text)
    added = db.execute(
        "INSERT INTO documents(project, kind, address, title, fetched, body, task, person, by_agent, added_at,"
        " changed_at) VALUES(?,?,?,?,?,?,?,?,?,?,?)",
        (
            project, new.kind, new.address, new.title, int(new.fetched), body, new.task, new.person, int(new.by_agent),
            now, now,
        ),
    )  # fmt: skip
    return int(added.lastrowid or 0)


def revise_document(db: sqlite3.Connection, document: Document, new: NewDocument, now: int) -> None:
    """Give a document another text; the earlier one is kept."""
    body, stored = db.execute(
        "SELECT d.body, b.text FROM documents d JOIN bodies b ON b.id = d.body WHERE d.id = ?", (document.number,)
    ).fetchone()
    row = (document.number, document.revision, stored, now)
    db.execute("INSERT INTO document_revisions VALUES(?,?,?,?)", row)
    made = texts.ensure_body(db, document.project, _class(new.by_agent), new.text)
    db.execute(
        "UPDATE documents SET body = ?, revision = revision + 1, title = ?, fetched = ?, changed_at = ?,"
        " task = coalesce(?, task), person = ?, by_agent = ? WHERE id = ?",
        (made, new.title, int(new.fetched), now, new.task, new.person, int(new.by_agent), document.number),
    )
    texts.drop_unused(db, [body])


def set_task(db: sqlite3.Connection, number: int, task: int | None) -> None:
    """Say of which task a document is."""
    db.execute("UPDATE documents SET task = ? WHERE id = ?", (task, number))


def _class(by_agent: bool) -> int:
    speaker = codes.SPEAKERS[Speaker.ASSISTANT if by_agent else Speaker.PERSON]
    return codes.body_class(codes.DOCUMENT_KIND, speaker, failed=False, hidden=False)


def list_earlier(db: sqlite3.Connection, number: int) -> list[tuple[int, str, int]]:
    """(revision, text, until when) of the texts that a document had before."""
    sql = "SELECT revision, text, until_at FROM document_revisions WHERE document = ? ORDER BY revision"
    return [(row[0], texts.unpack(row[1]), row[2]) for row in db.execute(sql, (number,))]


def list_holding(db: sqlite3.Connection, text: str) -> list[int]:
    """Documents whose text, earlier texts, address or title hold a text."""
    found = [
        row[0] for row in db.execute("SELECT id FROM documents WHERE instr(address, ?1) OR instr(title, ?1)", (text,))
    ]
    found += [one.number for one in list_documents(db, None) if text in text_of(db, one)]
    rows = db.execute("SELECT document, text FROM document_revisions").fetchall()
    found += [document for document, stored in rows if text in texts.unpack(stored)]
    return list(dict.fromkeys(found))


def remove_documents(db: sqlite3.Connection, numbers: Sequence[int], now: int) -> int:
    """Take out documents with all their texts; how many there were."""
    count = 0
    for number in numbers:
        row = db.execute("SELECT body, project, kind, address FROM documents WHERE id = ?", (number,)).fetchone()
        if row is not None:
            count += 1
            db.execute("INSERT OR REPLACE INTO tombstones VALUES('document', ?, ?)", (_stone(db, *row[1:]), now))
            db.execute("DELETE FROM document_revisions WHERE document = ?", (number,))
            db.execute("DELETE FROM documents WHERE id = ?", (number,))
            texts.drop_unused(db, [row[0]])
    return count


def _stone(db: sqlite3.Connection, project: int, kind: str, address: str) -> str:
    """What stands for a document that was forgotten: a digest, since an address holds words."""
    (key,) = db.execute("SELECT key FROM projects WHERE id = ?", (project,)).fetchone()
    return str(event_number("document", key, kind, address))


def is_forgotten(db: sqlite3.Connection, project: int, kind: str, address: str) -> bool:
    """Whether the document at this address was forgotten: no import and no restore brings it back, only `add`."""
    found = "SELECT 1 FROM tombstones WHERE what = 'document' AND value = ?"
    return db.execute(found, (_stone(db, project, kind, address),)).fetchone() is not None


def drop_stone(db: sqlite3.Connection, project: int, kind: str, address: str) -> None:
    """Let a document be there again: somebody added it."""
    stone = _stone(db, project, kind, address)
    db.execute("DELETE FROM tombstones WHERE what = 'document' AND value = ?", (stone,))


def list_forgotten(db: sqlite3.Connection) -> list[int]:
    """Documents that were forgotten after they changed, and are there: those of a store that is older."""
    stones = dict(db.execute("SELECT value, made_at FROM tombstones WHERE what = 'document'").fetchall())
    rows = db.execute("SELECT id, project, kind, address, changed_at FROM documents").fetchall() if stones else []
    return [row[0] for row in rows if stones.get(_stone(db, *row[1:4]), -1) >= row[4]]


def redact_documents(db: sqlite3.Connection, redact: Callable[[str], str]) -> int:
    """Put addresses, titles and earlier texts through the rules as they are now; how many changed."""
    changed = 0
    for number, address, title in db.execute("SELECT id, address, title FROM documents").fetchall():
        new = (redact(address), redact(title))
        if new != (address, title):
            changed += 1
            done = db.execute("UPDATE OR IGNORE documents SET address = ?, title = ? WHERE id = ?", (*new, number))
            if not done.rowcount:  # two addresses that are one by now
                apart = (f"{new[0]} ({number})", new[1], number)
                db.execute("UPDATE documents SET address = ?, title = ? WHERE id = ?", apart)
    for number, revision, stored in db.execute("SELECT document, revision, text FROM document_revisions").fetchall():
        old = texts.unpack(stored)
        if (text := redact(old)) != old:
            changed += 1
            packed = (texts.pack(text.encode("utf-8"), text), number, revision)
            db.execute("UPDATE document_revisions SET text = ? WHERE document = ? AND revision = ?", packed)
    return changed
