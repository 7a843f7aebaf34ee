"""Filling ready.db: places, items, verdicts. The side of ready.db that commands and the worker use; hooks use `ready`.

ready.db holds nothing that cannot be made again, so a damaged or foreign one is replaced without asking, and where it
cannot be written everything goes on without it.
"""

import contextlib
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

from . import ready

WAIT_S = 2.0
"""How long a command waits for another writer of ready.db before it goes on without."""
NUMBERS = {"refresh_tool_calls": ("tool_calls", 20), "project_memory_ttl": ("memory_ttl_s", 600)}
"""Settings that hooks read: their name in config.toml, in `meta`, and the default."""


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """A row of `places`."""

    path: str
    kind: str
    project: str
    stamp: str


@dataclass(frozen=True, slots=True)
class Item:
    """A row of `items`: one thing that a session may be given. Verdicts: None nobody, '*' all, else a project's key."""

    hash: str
    id: str
    kind: str
    project: str | None
    title: str
    text: str
    heading: str = ""
    source: str = ""
    severity: str = "info"
    is_memory: bool = False
    is_alert: bool = False
    records: str = ""
    origin: str = ""
    strict: str | None = None
    ranked: str | None = None
    off: str | None = None
    place: int = 0
    at: int = 0
    expires_at: int | None = None
    why: str = ""


def open_ready(path: Path) -> sqlite3.Connection | None:
    """ready.db, made or made anew if need be; None where that is not possible."""
    for _ in range(2):
        try:
            return ready.connect(str(path), WAIT_S)
        except ready.ReadyUnusable:
            if not _make_anew(path):
                return None
        except sqlite3.Error:
            return None
    return None


def open_in_memory() -> sqlite3.Connection:
    """An empty ready.db of one's own, for where none can be written."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    ready.make(db)
    return db


def _make_anew(path: Path) -> bool:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
        os.close(descriptor)
        made = Path(name)
        try:
            db = sqlite3.connect(made, isolation_level=None)
            try:
                db.execute("PRAGMA journal_mode=wal")
                ready.make(db)
            finally:
                db.close()
            for left in ("-wal", "-shm"):
                path.with_name(path.name + left).unlink(missing_ok=True)
            made.replace(path)
        finally:
            for left in ("", "-wal", "-shm"):
                Path(name + left).unlink(missing_ok=True)
    except (OSError, sqlite3.Error):
        return False
    return True


@contextlib.contextmanager
def _writing(db: sqlite3.Connection) -> Iterator[None]:
    """One write transaction; a locked or full ready.db costs what was to be written, nothing else."""
    try:
        db.execute("BEGIN IMMEDIATE")
        try:
            yield
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise
    except sqlite3.OperationalError:
        return


def numbers(settings: Mapping[str, int]) -> dict[str, str]:
    """The settings that hooks read, for `meta`."""
    return {name: str(settings.get(setting, default)) for setting, (name, default) in NUMBERS.items()}


# places ------------------------------------------------------------------------------------------------------------


def read_meta(db: sqlite3.Connection) -> dict[str, str]:
    """All of `meta`."""
    return dict(db.execute("SELECT name, value FROM meta"))


def write_meta(db: sqlite3.Connection, values: Mapping[str, str]) -> None:
    """Set some of `meta`."""
    with _writing(db):
        db.executemany("INSERT OR REPLACE INTO meta VALUES(?,?)", values.items())


def begin(db: sqlite3.Connection, rows: Iterable[PlaceRow], meta: Mapping[str, str]) -> None:
    """Replace all places."""
    with _writing(db):
        db.execute("DELETE FROM places")
        db.executemany("INSERT OR REPLACE INTO places VALUES(?,?,?,?)", map(astuple, rows))
        db.executemany("INSERT OR REPLACE INTO meta VALUES(?,?)", meta.items())


def list_places(db: sqlite3.Connection) -> list[PlaceRow]:
    """Every place."""
    return [PlaceRow(*row) for row in db.execute("SELECT path, kind, project, stamp FROM places")]


def write_places(db: sqlite3.Connection, rows: Sequence[PlaceRow]) -> None:
    """Write those rows that are not there just so."""
    fresh = [
        row
        for row in rows
        if db.execute("SELECT 1 FROM places WHERE path = ? AND kind = ? AND project = ? AND stamp = ?", astuple(row))
        .fetchone() is None
    ]  # fmt: skip
    if fresh:
        with _writing(db):
            db.executemany("INSERT OR REPLACE INTO places VALUES(?,?,?,?)", map(astuple, fresh))


def drop_places(db: sqlite3.Connection, kinds: Sequence[str]) -> None:
    """Take out the rows of these kinds."""
    with _writing(db):
        db.execute(f"DELETE FROM places WHERE kind IN ({','.join('?' * len(kinds))})", tuple(kinds))


# items -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReadyProject:
    """A row of `projects`. scope: None where that for all counts."""

    key: str
    shown: str
    scope: str | None
    rendered_at: int


ITEM_COLUMNS = (
    "hash, id, kind, project, title, text, heading, source, severity, is_memory, is_alert, records, origin, strict,"
    " ranked, off, place, at, expires_at, why"
)


def write_project(db: sqlite3.Connection, project: ReadyProject, items: Sequence[Item]) -> None:
    """Replace what is ready for a project."""
    with _writing(db):
        db.execute("INSERT OR REPLACE INTO projects VALUES(?,?,?,?)", astuple(project))
        db.execute("DELETE FROM items WHERE project = ?", (project.key,))
        _insert(db, items)


def write_scopes(db: sqlite3.Connection, scopes: Mapping[str, str | None]) -> None:
    """Set the scopes of projects that are ready."""
    with _writing(db):
        db.executemany("UPDATE projects SET scope = ? WHERE key = ?", ((scope, key) for key, scope in scopes.items()))


def write_fleet(db: sqlite3.Connection, items: Sequence[Item]) -> None:
    """Replace what is ready for the fleet: the items of no project."""
    with _writing(db):
        db.execute("DELETE FROM items WHERE project IS NULL")
        _insert(db, items)


def _insert(db: sqlite3.Connection, items: Sequence[Item]) -> None:
    marks = ",".join("?" * len(ITEM_COLUMNS.split(",")))
    db.executemany(f"INSERT OR REPLACE INTO items({ITEM_COLUMNS}) VALUES({marks})", map(astuple, items))


def list_items(db: sqlite3.Connection, project: str) -> list[Item]:
    """What is ready for the fleet and for a project, the most important first."""
    rows = db.execute(
        f"SELECT {ITEM_COLUMNS} FROM items WHERE project IS NULL OR project = ? ORDER BY place, id", (project,)
    )
    return [Item(*row) for row in rows]


def rename_projects(db: sqlite3.Connection, canonical: Mapping[str, str]) -> None:
    """Let what was seen under a project's earlier keys be its own."""
    changed = [(new, old) for old, new in canonical.items() if old != new]
    if changed:
        with _writing(db):
            db.executemany("UPDATE seen SET project = ? WHERE project = ?", changed)
            db.executemany("DELETE FROM items WHERE project = ?", ((old,) for _, old in changed))
            db.executemany("DELETE FROM projects WHERE key = ?", ((old,) for _, old in changed))


def seen_projects(db: sqlite3.Connection) -> list[str]:
    """The keys that sessions and ready projects have."""
    rows = db.execute("SELECT project FROM seen WHERE project <> '' UNION SELECT key FROM projects")
    return [row[0] for row in rows]


# sessions and work -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WantedRow:
    """Something the worker is to do (ready.py says what)."""

    what: str
    agent: str
    value: str
    at: int


def list_wanted(db: sqlite3.Connection, what: str) -> list[WantedRow]:
    """What is to be done of one kind, the oldest first."""
    rows = db.execute("SELECT what, agent, value, at FROM wanted WHERE what = ? ORDER BY at", (what,))
    return [WantedRow(*row) for row in rows]


def drop_wanted(db: sqlite3.Connection, rows: Iterable[WantedRow]) -> None:
    """What was done; what was asked for again meanwhile stays."""
    with _writing(db):
        db.executemany("DELETE FROM wanted WHERE what = ? AND agent = ? AND value = ? AND at = ?", map(astuple, rows))


@dataclass(frozen=True, slots=True)
class SeenSession:
    """A session as hooks saw it. project: None not known, '' none. Moments in microseconds."""

    agent: str
    session_id: str
    agent_id: str
    project: str | None
    cwd: str | None
    transcript: str | None
    scope: str | None
    moment: str
    epoch: int
    told_at: int | None
    told: str | None
    started_at: int
    last_at: int
    ended_at: int | None
    pid: int | None
    pid_start: str | None
    swarm: str | None
    task: str | None
    lane: str | None
    agent_name: str | None
    named: str | None


SEEN_COLUMNS = ", ".join(SeenSession.__dataclass_fields__)


def list_seen(db: sqlite3.Connection, session_id: str | None = None, agent: str | None = None) -> list[SeenSession]:
    """Sessions that hooks saw, the one seen last at the end."""
    rows = db.execute(
        f"SELECT {SEEN_COLUMNS} FROM seen WHERE (?1 IS NULL OR session_id = ?1) AND (?2 IS NULL OR agent = ?2)"
        " ORDER BY last_at, session_id, agent_id",
        (session_id, agent),
    )
    return [SeenSession(*row) for row in rows]


def write_seen_project(db: sqlite3.Connection, session: SeenSession, project: str) -> None:
    """The project of a session that had none yet."""
    with _writing(db):
        db.execute(
            "UPDATE seen SET project = ? WHERE agent = ? AND session_id = ? AND agent_id = ? AND project IS NULL",
            (project, session.agent, session.session_id, session.agent_id),
        )


@dataclass(frozen=True, slots=True)
class Delivery:
    """Something a session was given, when, and what it is, if that is still ready."""

    agent_id: str
    moment: str
    at: int
    id: str | None
    title: str | None


def list_delivered(db: sqlite3.Connection, agent: str, session_id: str) -> list[Delivery]:
    """What a session was given, in order."""
    rows = db.execute(
        "SELECT d.agent_id, d.moment, d.at, i.id, i.title FROM delivered d LEFT JOIN items i ON i.hash = d.hash"
        " WHERE d.agent = ? AND d.session_id = ? ORDER BY d.at, i.kind, i.place",
        (agent, session_id),
    )
    return [Delivery(*row) for row in rows]


def claim(db: sqlite3.Connection, name: str, now: int) -> None:
    """Say that this process is still at work."""
    with _writing(db):
        db.execute("INSERT OR REPLACE INTO claims VALUES(?,?)", (name, now))


def release_if_idle(db: sqlite3.Connection, name: str, is_final: bool) -> bool:
    """Let go of a claim when nothing is wanted any more (or at once, `is_final`); False while something is."""
    with _writing(db):
        if not is_final and db.execute("SELECT 1 FROM wanted LIMIT 1").fetchone():
            return False
        db.execute("DELETE FROM claims WHERE name = ?", (name,))
        return True
    return False


def prune(db: sqlite3.Connection, before: int) -> None:
    """Forget sessions that were seen last before a moment, and what they were given."""
    with _writing(db):
        db.execute(
            "DELETE FROM delivered WHERE (agent, session_id, agent_id) IN"
            " (SELECT agent, session_id, agent_id FROM seen WHERE last_at < ?)",
            (before,),
        )
        db.execute("DELETE FROM seen WHERE last_at < ?", (before,))


def take_spooled(db: sqlite3.Connection, change: Callable[[], None]) -> None:
    """Write down what a hook could not, in one transaction."""
    with _writing(db):
        change()
