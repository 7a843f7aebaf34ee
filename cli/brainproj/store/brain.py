"""What a brain told, and how asking it went, as rows of brain.db. Everything that writes is called in a transaction."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from typing import Any

from ..core.entries import Entry
from ..core.remote import Piece, PieceKind
from ..core.times import from_micros, parse_time, render_time, to_micros
from . import texts

FEED = "feed"
VAULT = "vault"


@dataclass(frozen=True, slots=True)
class Ask:
    """How asking a brain for one thing went last. Moments in microseconds; left_out: why → how many."""

    brain: str
    what: str
    source: str = ""
    claimed_at: int | None = None
    asked_at: int | None = None
    answered_at: int | None = None
    failures: int = 0
    why: str | None = None
    digest: str = ""
    left_out: Mapping[str, int] | None = None


ASK_COLUMNS = "brain, what, source, claimed_at, asked_at, answered_at, failures, why, digest, left_out"


def read_ask(db: sqlite3.Connection, brain: str, what: str) -> Ask:
    """How it went; an empty one where nobody asked."""
    row = db.execute(f"SELECT {ASK_COLUMNS} FROM brain_asks WHERE brain = ? AND what = ?", (brain, what)).fetchone()
    return _ask(row) if row else Ask(brain, what)


def list_asks(db: sqlite3.Connection) -> list[Ask]:
    """All, the brain asked last first."""
    return [_ask(row) for row in db.execute(f"SELECT {ASK_COLUMNS} FROM brain_asks ORDER BY asked_at DESC")]


def _ask(row: Sequence[Any]) -> Ask:
    return Ask(*(*row[:-1], json.loads(row[-1])))


def write_ask(db: sqlite3.Connection, ask: Ask) -> None:
    """Write down how it went."""
    left_out = json.dumps(ask.left_out or {}, sort_keys=True)
    values = [getattr(ask, name) for name in ASK_COLUMNS.split(", ")[:-1]]
    db.execute(f"INSERT OR REPLACE INTO brain_asks({ASK_COLUMNS}) VALUES(?,?,?,?,?,?,?,?,?,?)", (*values, left_out))


def claim(db: sqlite3.Connection, brain: str, what: str, now: int, free_after_s: int) -> bool:
    """Be the one who asks; False while somebody else does, unless that was so long ago that it was killed."""
    ask = read_ask(db, brain, what)
    if ask.claimed_at is not None and 0 <= now - ask.claimed_at < free_after_s * 1_000_000:
        return False
    write_ask(db, replace(ask, claimed_at=now))
    return True


# pieces ------------------------------------------------------------------------------------------------------------

PIECE_COLUMNS = "kind, letters, title, text, at, path, status, heat, session_id, sessions, named"


def write_pieces(db: sqlite3.Connection, brain: str, project: int, pieces: Iterable[Piece]) -> None:
    """Replace what a brain told of a project."""
    db.execute("DELETE FROM brain_pieces WHERE brain = ? AND project = ?", (brain, project))
    db.executemany(
        f"INSERT OR REPLACE INTO brain_pieces(brain, project, {PIECE_COLUMNS}) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)",
        ((brain, project, *_piece_row(piece)) for piece in pieces),
    )


def _piece_row(piece: Piece) -> tuple[object, ...]:
    packed = texts.pack(piece.text.encode("utf-8"), piece.text)
    return (
        piece.kind.value, piece.letters, piece.title, packed, to_micros(piece.at), piece.path, piece.status, piece.heat,
        piece.session_id, json.dumps(piece.sessions), piece.named,
    )  # fmt: skip


def list_pieces(db: sqlite3.Connection, brain: str, projects: Sequence[int]) -> list[Piece]:
    """What a brain told of a project, by any of its numbers."""
    marks = ",".join("?" * len(projects))
    sql = f"SELECT {PIECE_COLUMNS} FROM brain_pieces WHERE brain = ? AND project IN ({marks}) ORDER BY letters"
    return [_piece(row) for row in db.execute(sql, (brain, *projects))]


def find_pieces(db: sqlite3.Connection, beginning: str) -> list[tuple[str, int, Piece]]:
    """(brain, project, piece) of those whose letters begin so."""
    sql = f"SELECT brain, project, {PIECE_COLUMNS} FROM brain_pieces WHERE substr(letters, 1, ?) = ? ORDER BY letters"
    return [(row[0], row[1], _piece(row[2:])) for row in db.execute(sql, (len(beginning), beginning))]


def _piece(row: Sequence[Any]) -> Piece:
    kind, letters, title, text, at, path, status, heat, session_id, sessions, named = row
    return Piece(
        PieceKind(kind), letters, title, texts.unpack(text), from_micros(at), path, status, heat, session_id,
        tuple(json.loads(sessions)), named,
    )  # fmt: skip


def disown(db: sqlite3.Connection, brain: str, project: int, pieces: Iterable[Piece]) -> None:
    """Keep these of a project alone, and have the brain asked again: whose the others are was told otherwise since."""
    write_pieces(db, brain, project, pieces)
    db.execute("UPDATE brain_asks SET answered_at = NULL WHERE brain = ? AND what = ?", (brain, VAULT))


# entries -----------------------------------------------------------------------------------------------------------


def write_entries(db: sqlite3.Connection, brain: str, what: str, entries: Iterable[Entry]) -> None:
    """Replace the entries of a feed."""
    db.execute("DELETE FROM brain_entries WHERE brain = ? AND what = ?", (brain, what))
    rows = ((brain, what, place, _entry_text(entry)) for place, entry in enumerate(entries))
    db.executemany("INSERT INTO brain_entries VALUES(?,?,?,?)", rows)


def list_entries(db: sqlite3.Connection, brain: str, what: str) -> list[Entry]:
    """The entries of a feed as they were read."""
    sql = "SELECT entry FROM brain_entries WHERE brain = ? AND what = ? ORDER BY place"
    return [_entry(json.loads(row[0])) for row in db.execute(sql, (brain, what))]


def _entry_text(entry: Entry) -> str:
    return json.dumps({**asdict(entry), "expires_at": render_time(entry.expires_at)}, ensure_ascii=False)


def _entry(value: dict[str, Any]) -> Entry:
    return Entry(**{**value, "expires_at": parse_time(value["expires_at"])})


# letting go --------------------------------------------------------------------------------------------------------


def letters_of(db: sqlite3.Connection, projects: Sequence[int]) -> list[str]:
    """The letters of what was told of these projects."""
    marks = ",".join("?" * len(projects))
    return [row[0] for row in db.execute(f"SELECT letters FROM brain_pieces WHERE project IN ({marks})", projects)]


def letters_before(db: sqlite3.Connection, limit: int) -> list[str]:
    """The letters of what was said before a moment (microseconds)."""
    return [row[0] for row in db.execute("SELECT letters FROM brain_pieces WHERE at < ?", (limit,))]


def letters_holding(db: sqlite3.Connection, text: str) -> list[str]:
    """The letters of what holds a text."""
    rows = db.execute("SELECT letters, title, text FROM brain_pieces").fetchall()
    return [letters for letters, title, stored in rows if text in title or text in texts.unpack(stored)]


def forget_told(db: sqlite3.Connection, letters: Iterable[str], text: str | None, now: int) -> None:
    """Take out what a brain told, with tombstones; and the entries that hold a text. A session's goes with it."""
    for one in letters:
        db.execute("DELETE FROM brain_pieces WHERE letters = ?", (one,))
        db.execute("INSERT OR IGNORE INTO tombstones VALUES('piece', ?, ?)", (one, now))
    gone = "SELECT substr(value, instr(value, ' ') + 1) FROM tombstones WHERE what = 'session'"
    many = "EXISTS (SELECT 1 FROM json_each(brain_pieces.sessions) j WHERE j.value IN ({}))"
    db.execute(f"DELETE FROM brain_pieces WHERE session_id IN ({gone}) OR {many.format(gone)}")
    rows = db.execute("SELECT brain, what, place, entry FROM brain_entries").fetchall() if text else []
    for brain, what, place, stored in rows:
        entry = _entry(json.loads(stored))
        if text and any(text in value for value in (entry.id, entry.title, entry.content, *entry.metadata.values())):
            db.execute("DELETE FROM brain_entries WHERE brain = ? AND what = ? AND place = ?", (brain, what, place))
            db.execute("INSERT OR IGNORE INTO tombstones VALUES('entry', ?, ?)", (entry_mark(entry), now))


def entry_mark(entry: Entry) -> str:
    """What tells an entry from every other one, for a tombstone."""
    return blake2b(f"{entry.id}\0{entry.title}\0{entry.content}".encode(), digest_size=12).hexdigest()


def redact_pieces(db: sqlite3.Connection, redact: Callable[[str], str]) -> int:
    """Put what is kept through the rules as they are now; how many changed."""
    changed = 0
    for brain, project in db.execute("SELECT DISTINCT brain, project FROM brain_pieces").fetchall():
        before = list_pieces(db, brain, [project])
        after = [replace(piece, title=redact(piece.title), text=redact(piece.text)) for piece in before]
        if after != before:
            changed += sum(old != new for old, new in zip(before, after, strict=True))
            write_pieces(db, brain, project, after)
    for brain, what in db.execute("SELECT DISTINCT brain, what FROM brain_entries").fetchall():
        entries = list_entries(db, brain, what)
        clean = [replace(one, title=redact(one.title), content=redact(one.content)) for one in entries]
        if clean != entries:
            changed += 1
            write_entries(db, brain, what, clean)
    return changed
