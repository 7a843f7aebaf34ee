"""The store: whether SQLite can do what we need, whether the file is whole, and what a migration would make of it."""

import contextlib
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from ..errors import DiskFull, StoreCorrupt, StoreUnusable
from ..paths import Paths
from ..store import database, schema
from .findings import Finding, Severity

LOST = "A backup brings it back (brainproj restore FILE); else what agents have deleted, or was only here, is lost"


def check_store(paths: Paths, *, deep: bool) -> list[Finding]:
    """Findings about brain.db. `deep`: every page and the index are read, which takes a second for each 200 MB."""
    found = check_sqlite()
    if found or not paths.brain_db.exists():
        return found
    remedy = f"{database.move_away(paths.brain_db)} && brainproj backfill"
    try:
        db = database.open_store(paths.brain_db, write=False)
    except StoreUnusable as error:
        if isinstance(error, StoreCorrupt):
            return [Finding("store-damaged", Severity.ERROR, f"{error.message}. {LOST}", remedy)]
        hint = (error.hint or "").split("`")
        command = hint[1] if len(hint) > 2 else f"ls -l {quote(str(paths.brain_db))}"
        return [Finding("store-unusable", Severity.ERROR, error.message, command)]
    try:
        said = [row[0] for row in db.execute("PRAGMA integrity_check(3)")] if deep else ["ok"]
        if said == ["ok"] and (missing := _missing_tables(db)):
            said = [f"it lacks the table {', '.join(missing)}"]
        if deep and said == ["ok"]:
            said = list(_check_index(db))
    except sqlite3.Error as error:
        said = [str(error)]
    finally:
        db.close()
    if said == ["ok"]:
        return []
    what = f"{paths.brain_db} is damaged: {' '.join('; '.join(said).split())}. {LOST}"
    return [Finding("store-damaged", Severity.ERROR, what, remedy)]


def _missing_tables(db: sqlite3.Connection) -> list[str]:
    """Tables of the schema that are not there."""
    with contextlib.closing(database.open_store(Path("/nowhere/brain.db"), write=False)) as whole:
        names = (
            {row[0] for row in one.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            for one in (whole, db)
        )
        wanted, there = names
        return sorted(wanted - there)


def _check_index(db: sqlite3.Connection) -> Iterator[str]:
    """`ok`, or that the full text index has lost texts that are stored."""
    texts, indexed = (
        db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
        for table in ("bodies", "words_docsize")
    )
    yield "ok" if texts == indexed else f"{texts:,} texts are stored, and the index knows {indexed:,}"


def check_sqlite() -> list[Finding]:
    """Whether this Python's SQLite has full text search."""
    db = sqlite3.connect(":memory:")
    try:
        db.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
    except sqlite3.OperationalError:
        what = f"the SQLite of this Python ({sqlite3.sqlite_version}) has no FTS5, without which nothing can be stored"
        return [Finding("no-fts5", Severity.ERROR, what, "uv tool install --force --python 3.12 brainproj")]
    finally:
        db.close()
    return []


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What migrations did to a copy. `counts`: rows of each table, before and after."""

    before: int
    after: int
    counts: dict[str, tuple[int, int]]
    is_whole: bool

    def value(self) -> dict[str, object]:
        """As JSON."""
        return {
            "schema": {"before": self.before, "after": self.after},
            "rows": {table: {"before": one, "after": other} for table, (one, other) in self.counts.items()},
            "ok": self.is_ok,
        }

    @property
    def is_ok(self) -> bool:
        """Whether the copy is whole and no row was lost."""
        return self.is_whole and all(before == after for before, after in self.counts.values())


def rehearse(paths: Paths) -> Rehearsal:
    """Run the migrations on a copy of the store, which is taken away again. Raises StoreUnusable, DiskFull."""
    with database.explained(paths.brain_db):
        if not paths.brain_db.exists():
            raise StoreUnusable("there is no store yet", hint="run `brainproj backfill` first")
        size = paths.brain_db.stat().st_size
        if shutil.disk_usage(tempfile.gettempdir()).free < 2 * size:
            raise DiskFull(
                f"a copy needs {2 * size / 1e6:,.0f} MB in {tempfile.gettempdir()}",
                hint="set TMPDIR to a folder with room",
            )
        with tempfile.TemporaryDirectory(prefix="brainproj-rehearsal-") as folder:
            copy = Path(folder) / "brain.db"
            with contextlib.closing(_connect_as_it_is(paths.brain_db)) as db:
                database.write_copy(db, paths.brain_db, copy)
            with contextlib.closing(_connect_as_it_is(copy)) as db:
                before, counts = schema.schema_of(db), schema.count_rows(db)
            with contextlib.closing(sqlite3.connect(copy, isolation_level=None)) as db:
                schema.migrate(db, is_rehearsal=True)
                after = schema.count_rows(db)
                whole = db.execute("PRAGMA integrity_check(1)").fetchone()[0] == "ok"
                return Rehearsal(
                    before, schema.schema_of(db), {name: (counts[name], after.get(name, 0)) for name in counts}, whole
                )


def _connect_as_it_is(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path.absolute().as_uri() + "?mode=ro", uri=True, timeout=database.BUSY_S)
