"""Texts: stored once per project and class, packed where that saves room, each with its row in the index.

FTS5 is contentless here, so a row can only be taken out by giving the very text that was put in; `index_text` and
`tags_of` are therefore part of the format. https://sqlite.org/fts5.html#contentless_tables
"""

import sqlite3
from collections.abc import Iterable
from hashlib import blake2b

import zstandard

from ..core.query import index_text
from .codes import tags_of

PACK_FROM = 256
"""Bytes; shorter texts grow when packed, or hardly shrink."""
LEVEL = 3
"""zstd's default: 225 MB/s at 0.52 of the text (bench/peers.md 2)."""
_COMPRESSOR = zstandard.ZstdCompressor(level=LEVEL, write_checksum=False, write_content_size=True)
_DECOMPRESSOR = zstandard.ZstdDecompressor()


def pack(raw: bytes, text: str) -> str | bytes:
    """A text as the store keeps it; `raw` is its UTF-8."""
    if len(raw) < PACK_FROM:
        return text
    packed = _COMPRESSOR.compress(raw)
    return packed if len(packed) < len(raw) else text


def unpack(stored: str | bytes) -> str:
    """The text that was packed."""
    return stored if isinstance(stored, str) else _DECOMPRESSOR.decompress(stored).decode("utf-8")


def digest_of(project: int, number: int, raw: bytes) -> int:
    """What identifies a text within the store: 64 bits over project, class and words."""
    whole = blake2b(raw, digest_size=8, key=b"%d.%d" % (project, number)).digest()
    return int.from_bytes(whole, "big", signed=True)


def read_texts(db: sqlite3.Connection, ids: Iterable[int]) -> dict[int, str]:
    """The texts of these bodies."""
    found: dict[int, str] = {}
    wanted = list(dict.fromkeys(ids))
    for start in range(0, len(wanted), 500):
        some = wanted[start : start + 500]
        marks = ",".join("?" * len(some))
        rows = db.execute(f"SELECT id, text FROM bodies WHERE id IN ({marks})", some)
        found.update((number, unpack(stored)) for number, stored in rows)
    return found


def read_text(db: sqlite3.Connection, body: int | None) -> str | None:
    """The text of one body; None where there is none (any more)."""
    if body is None:
        return None
    row = db.execute("SELECT text FROM bodies WHERE id = ?", (body,)).fetchone()
    return unpack(row[0]) if row else None


def ensure_body(db: sqlite3.Connection, project: int, number: int, text: str) -> int:
    """The body of a text, stored and indexed if it is not there yet. Call it inside a write transaction."""
    raw = text.encode("utf-8", "replace")
    digest = digest_of(project, number, raw)
    row = db.execute("SELECT id FROM bodies WHERE digest = ?", (digest,)).fetchone()
    if row:
        return int(row[0])
    cursor = db.execute(
        "INSERT INTO bodies(digest, project, class, text) VALUES(?,?,?,?)", (digest, project, number, pack(raw, text))
    )
    body = int(cursor.lastrowid or 0)
    db.execute("INSERT INTO words(rowid, text, tags) VALUES(?,?,?)", (body, index_text(text), tags_of(project, number)))
    return body


OWNERS = ("events", "revisions", "records", "arcs", "tasks", "documents")
"""Tables whose `body` points to a text."""


def drop_unused(db: sqlite3.Connection, bodies: Iterable[int]) -> int:
    """Take out those of these texts that nothing points to any more, from the index too; how many they were."""
    dropped = 0
    for body in set(bodies):
        if any(db.execute(f"SELECT 1 FROM {owner} WHERE body = ? LIMIT 1", (body,)).fetchone() for owner in OWNERS):
            continue
        row = db.execute("SELECT project, class, text FROM bodies WHERE id = ?", (body,)).fetchone()
        if row is None:
            continue
        db.execute(
            "INSERT INTO words(words, rowid, text, tags) VALUES('delete',?,?,?)",
            (body, index_text(unpack(row[2])), tags_of(row[0], row[1])),
        )
        db.execute("DELETE FROM bodies WHERE id = ?", (body,))
        dropped += 1
    return dropped
