"""What a brain told, and how asking it went, as rows of brain.db. Everything that writes is called in a transaction."""

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from ..core.entries import Entry
from ..core.feedanswer import without_rows
from ..core.forgetting import KeptOut, mark_of
from ..core.remote import Piece, PieceKind, piece_letters
from ..core.text import clip
from ..core.times import from_micros, parse_time, render_time, to_micros
from . import texts

FEED, OUTBOX = "feed", "outbox"
VAULT, KERNEL = "vault", "kernel"


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


NAMED = "brain"
"""The row of `meta` that says which brain was named last, and when: its address, a blank, microseconds."""


def read_named(db: sqlite3.Connection) -> tuple[str | None, int | None]:
    """(address, when) of the brain that was named last."""
    row = db.execute("SELECT value FROM meta WHERE name = ?", (NAMED,)).fetchone()
    url, _, at = row[0].rpartition(" ") if row else ("", "", "")
    return (url, int(at)) if url else (None, None)


def write_named(db: sqlite3.Connection, brain: str, now: int) -> None:
    """Note which brain was named."""
    db.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", (NAMED, f"{brain} {now}"))


def drop_brains(db: sqlite3.Connection, before: int) -> None:
    """Take out what those brains told that nobody has asked since a moment, but for the one that was named last."""
    named, _ = read_named(db)
    old = "SELECT brain FROM brain_asks WHERE brain IS NOT ? GROUP BY brain HAVING coalesce(max(asked_at), 0) < ?"
    for (brain,) in db.execute(old, (named, before)).fetchall():
        for table in ("brain_pieces", "brain_entries", "brain_asks"):
            db.execute(f"DELETE FROM {table} WHERE brain = ?", (brain,))


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
    """(brain, project, piece) of those whose letters begin so, those of the brain that was named last first."""
    sql = f"SELECT brain, project, {PIECE_COLUMNS} FROM brain_pieces WHERE substr(letters, 1, ?) = ? ORDER BY letters"
    found = [(row[0], row[1], _piece(row[2:])) for row in db.execute(sql, (len(beginning), beginning))]
    named, _ = read_named(db)
    return sorted(found, key=lambda one: one[0] != named)


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


SAID = (("outbox", "why"), ("outbox", "path"), ("brain_asks", "why"))
"""(table, column) of a brain's words about what was sent or asked."""


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
    rows = db.execute("SELECT letters, text, title, path, session_id, sessions FROM brain_pieces").fetchall()
    return [row[0] for row in rows if text in texts.unpack(row[1]) or any(text in one for one in row[2:])]


def forget_told(db: sqlite3.Connection, letters: Iterable[str], text: str | None, now: int) -> None:
    """Take out what a brain told, so that it is known and left out when it is told again. A session's goes with it."""
    gone = [text] if text else []
    for one in letters:
        for (title,) in db.execute("SELECT title FROM brain_pieces WHERE letters = ?", (one,)).fetchall():
            gone += [title] if len(title) >= TITLE_TELLS else []
        db.execute("DELETE FROM brain_pieces WHERE letters = ?", (one,))
        db.execute("INSERT OR IGNORE INTO tombstones VALUES('piece', ?, ?)", (one, now))
    sessions = "SELECT substr(value, instr(value, ' ') + 1) FROM tombstones WHERE what = 'session'"
    many = f"EXISTS (SELECT 1 FROM json_each(brain_pieces.sessions) j WHERE j.value IN ({sessions}))"
    db.execute(f"DELETE FROM brain_pieces WHERE session_id IN ({sessions}) OR {many}")
    for mark in filter(None, map(mark_of, gone)):
        db.execute("INSERT OR IGNORE INTO tombstones VALUES('told', ?, ?)", (mark, now))
    if text:
        for table, column in SAID:
            db.execute(f"UPDATE {table} SET {column} = NULL WHERE instr({column}, ?)", (text,))
    keep_out(db)


TITLE_TELLS = 16
"""Letters; a shorter title may stand in what was never meant."""


def keep_out(db: sqlite3.Connection) -> None:
    """Take what was forgotten out of the entries and pieces that are kept."""
    forgotten = {row[0] for row in db.execute("SELECT value FROM tombstones WHERE what = 'piece'")}
    told = KeptOut(row[0] for row in db.execute("SELECT value FROM tombstones WHERE what = 'told'"))
    for brain, what in db.execute("SELECT DISTINCT brain, what FROM brain_entries").fetchall():
        before = list_entries(db, brain, what)
        after = [one for entry in before if (one := entry_without(entry, forgotten, told))]
        if after != before:
            write_entries(db, brain, what, after)
    for brain, project in db.execute("SELECT DISTINCT brain, project FROM brain_pieces").fetchall():
        pieces = list_pieces(db, brain, [project])
        kept = [replace(one, text=told.without(one.text)) for one in pieces if not told.holds(one.title)]
        if kept != pieces:
            write_pieces(db, brain, project, kept)


def entry_without(entry: Entry, forgotten: Collection[str], told: KeptOut) -> Entry | None:
    """An entry without the lines that were forgotten; None for one of which nothing is left."""
    content = told.without(without_rows(entry.content, lambda arc_id: piece_letters("arc", arc_id, "") in forgotten))
    if not content.strip() or told.holds(entry.title) or told.holds(entry.id):
        return None
    return replace(entry, content=content) if content != entry.content else entry


def redact_told(db: sqlite3.Connection, redact: Callable[[str], str]) -> int:
    """Put what is kept through the rules as they are now; how many changed."""
    changed = 0
    for brain, project in db.execute("SELECT DISTINCT brain, project FROM brain_pieces").fetchall():
        before = list_pieces(db, brain, [project])
        after = [clean_piece(piece, redact) for piece in before]
        if after != before:
            changed += sum(old != new for old, new in zip(before, after, strict=True))
            write_pieces(db, brain, project, after)
    for brain, what in db.execute("SELECT DISTINCT brain, what FROM brain_entries").fetchall():
        entries = list_entries(db, brain, what)
        clean = [clean_entry(one, redact) for one in entries]
        if clean != entries:
            changed += 1
            write_entries(db, brain, what, clean)
    for table, column in SAID:
        for (said,) in db.execute(f"SELECT DISTINCT {column} FROM {table} WHERE {column} > ''").fetchall():
            if (new := redact(said)) != said:
                changed += 1
                db.execute(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", (new, said))
    return changed


ID_LETTERS, TITLE_LETTERS = 200, 400


def clean_piece(piece: Piece, redact: Callable[[str], str]) -> Piece:
    """A piece without secrets; a session's id that looks like one is none."""
    return replace(
        piece,
        title=clip(redact(piece.title), TITLE_LETTERS),
        text=redact(piece.text),
        path=clip(redact(piece.path), TITLE_LETTERS),
        session_id=piece.session_id if redact(piece.session_id) == piece.session_id else "",
        sessions=tuple(one for one in piece.sessions if redact(one) == one),
        named=redact(piece.named),
    )


def clean_entry(entry: Entry, redact: Callable[[str], str]) -> Entry:
    """An entry without secrets, its title as long as it is shown."""
    return replace(
        entry,
        id=clip(redact(entry.id), ID_LETTERS),
        title=clip(redact(entry.title), TITLE_LETTERS),
        content=redact(entry.content),
        metadata={name: redact(value) for name, value in entry.metadata.items()},
    )
