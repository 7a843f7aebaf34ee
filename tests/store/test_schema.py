"""Migrations of a store that holds something: copied first, counted, all or nothing, by one of many at once."""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from brainproj.errors import StoreUnusable
from brainproj.store import schema
from brainproj.store.database import open_store

from ..cli import Cli
from ..repositories import make_repository
from ..transcripts import prompt, reply, session_id, write_claude


@pytest.fixture
def old(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of schema 1 with two sessions, as its brainproj left it."""
    folder = make_repository(tmp_path / "shop", "https://git.example.com/acme/shop")
    for number in (1, 2):
        sid = session_id(number)
        write_claude(home, sid, [prompt(sid, folder, f"the heron {number}"), reply(sid, folder, "done")])
    with monkeypatch.context() as patch:
        patch.setattr(schema, "NEWEST", 1)
        first = tmp_path / "migrations"
        first.mkdir()
        shutil.copy(schema.MIGRATIONS / "0001_first.sql", first)
        patch.setattr(schema, "MIGRATIONS", first)
        open_store(home / ".brainproj" / "brain.db").close()
    store = home / ".brainproj" / "brain.db"
    with contextlib.closing(sqlite3.connect(store)) as db:
        assert schema.schema_of(db) == 1
    fill(home, store)
    return store


def fill(home: Path, store: Path) -> None:
    """Put into an old store what its own brainproj would have: read into a new one, then copied but for what is new."""
    other = home / "other.db"
    os.environ["BRAINPROJ_HOME"] = str(home / "elsewhere")
    try:
        subprocess.run([sys.executable, "-m", "brainproj", "backfill", "--quiet"], check=True, capture_output=True)
    finally:
        del os.environ["BRAINPROJ_HOME"]
    shutil.copy(home / "elsewhere" / "brain.db", other)
    with contextlib.closing(sqlite3.connect(store, isolation_level=None)) as db:
        db.execute("ATTACH ? AS new", (str(other),))
        tables = [row[0] for row in db.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'")]
        for table in tables:
            if not table.startswith(("sqlite_", "words")):
                columns = ", ".join(row[1] for row in db.execute(f"PRAGMA main.table_info({table})"))
                db.execute(f"INSERT OR REPLACE INTO main.{table}({columns}) SELECT {columns} FROM new.{table}")
        for row in db.execute("SELECT b.id, b.text, b.project FROM bodies b").fetchall():
            db.execute("INSERT INTO words(rowid, text, tags) VALUES(?, ?, ?)", (row[0], row[1], f"p{row[2]} k0 s0"))


LATER = (
    "persons",
    "tasks",
    "task_sessions",
    "record_numbers",
    "record_links",
    "record_revisions",
    "record_acts",
    "documents",
    "document_revisions",
    "outbox",
)


def rows(path: Path) -> dict[str, int]:
    """Of the tables of the first schema."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        counts = schema.count_rows(db)
    return {table: count for table, count in counts.items() if table not in LATER}


def test_an_older_store_is_brought_up_to_date_and_copied_first(old: Path, home: Path, cli: Cli) -> None:
    before = rows(old)
    assert before["sessions"] == 2 and before["events"] == 4
    assert len(cli.ok("sessions", "--all", "--json").json) == 2
    assert rows(old) == before and schema.schema_of_file(old) == schema.NEWEST
    (copy,) = schema.list_copies(old.parent)
    assert (
        copy.name == f"before-schema-{schema.NEWEST}.db" and schema.schema_of_file(copy) == 1 and rows(copy) == before
    )
    assert copy.stat().st_mode & 0o077 == 0
    assert [path for path in old.parent.iterdir() if path.name.startswith("before-")] == [copy]
    cli.ok("backfill", "--quiet")
    owners = cli.ok("who", "--project", "shop", "--json").json
    assert owners[0]["sessions"] == 2 and owners[0]["person"], "what was read before gets its owner too"


def test_forgetting_drops_the_copy(old: Path, cli: Cli) -> None:
    cli.ok("forget", session_id(1), "--yes")
    assert schema.list_copies(old.parent) == []


def test_a_migration_that_would_lose_a_row_changes_nothing(
    old: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bad = tmp_path / "bad"
    shutil.copytree(schema.MIGRATIONS, bad)
    (bad / "0006_bad.sql").write_text("ALTER TABLE sessions ADD COLUMN x;\nDELETE FROM sessions WHERE id = 1;\n")
    monkeypatch.setattr(schema, "MIGRATIONS", bad)
    monkeypatch.setattr(schema, "NEWEST", schema.NEWEST + 1)
    before = rows(old)
    with pytest.raises(StoreUnusable, match="would lose rows of sessions: 2 before, 1 after"):
        open_store(old)
    assert rows(old) == before and schema.schema_of_file(old) == 1
    done = cli("sessions", "--all")
    assert done.code == 4 and "would lose rows" in done.err


def test_without_room_there_is_no_copy(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.statvfs
    monkeypatch.setattr(os, "statvfs", lambda path: os.statvfs_result((1, 1, *real(path)[2:4], 0, *real(path)[5:10])))
    open_store(old).close()
    assert schema.schema_of_file(old) == schema.NEWEST and schema.list_copies(old.parent) == []


def test_many_at_once_migrate_once(old: Path) -> None:
    before = rows(old)
    command = [sys.executable, "-m", "brainproj", "sessions", "--all", "--json"]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(12)]
    ended = [(process.communicate(), process.returncode) for process in running]
    assert [code for _, code in ended] == [0] * 12, ended
    assert rows(old) == before and schema.schema_of_file(old) == schema.NEWEST
    (copy,) = schema.list_copies(old.parent)
    assert schema.schema_of_file(copy) == 1


def test_a_stop_in_the_middle_leaves_the_store_as_it_was(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(schema, "_check", stop)
        with pytest.raises(KeyboardInterrupt):
            open_store(old)
    assert schema.schema_of_file(old) == 1
    open_store(old).close()
    assert schema.schema_of_file(old) == schema.NEWEST


def test_what_a_killed_copy_left_behind_goes(old: Path, cli: Cli) -> None:
    left = [
        old.parent / name for name in ("before-schema-2.x1y2z3", "before-schema-3.abc", "before-schema-3.abc-journal")
    ]
    for path in left:
        path.write_bytes(b"heron" * 100)
    open_store(old).close()
    assert [path.name for path in schema.list_copies(old.parent)] == [f"before-schema-{schema.NEWEST}.db"]
    for path in (*left, old.with_name("brain.db.new")):
        path.write_bytes(b"heron" * 100)
    cli.ok("forget", session_id(1), "--yes")
    cli.ok("forget", session_id(2), "--yes")
    assert all(b"the heron" not in path.read_bytes() for path in old.parent.iterdir() if path.is_file())
    assert schema.list_copies(old.parent) == [] and not old.with_name("brain.db.new").exists()


def test_a_killed_migration_is_done_by_the_next(old: Path) -> None:
    import time

    before = rows(old)
    command = [sys.executable, "-m", "brainproj", "sessions", "--all", "--json"]
    for wait_ms in (80, 120, 150, 180, 210, 240):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(wait_ms / 1000)
        process.kill()
        process.wait()
        assert rows(old) == before
    open_store(old).close()
    assert schema.schema_of_file(old) == schema.NEWEST and rows(old) == before
    assert all(path.suffix == ".db" for path in schema.list_copies(old.parent))


def test_an_older_store_that_cannot_be_written_is_read(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = old.read_bytes()
    monkeypatch.setattr(os, "access", lambda *_: False)
    with contextlib.closing(open_store(old, write=False)) as db:
        assert schema.schema_of(db) == schema.NEWEST
        assert db.execute("SELECT count(*) FROM sessions").fetchone()[0] == 2
    assert old.read_bytes() == before and schema.list_copies(old.parent) == []


def test_records_keep_their_numbers(old: Path, cli: Cli) -> None:
    """Numbers of records that are gone by now, below and above those that are there, are given out to nobody again."""
    with contextlib.closing(sqlite3.connect(old, isolation_level=None)) as db:
        body = db.execute("SELECT id FROM bodies").fetchone()[0]
        for number in (5, 9):
            values = (number, 1000 + number, "lesson", "current", 1, body, "{}")
            db.execute(
                "INSERT INTO records(id, code, kind, status, project, body, attributes) VALUES(?,?,?,?,?,?,?)", values
            )
    listed = cli.ok("records", "--project", "shop", "--json").json
    assert {one["citation"] for one in listed} == {"rec:5", "rec:9"}
    with contextlib.closing(sqlite3.connect(old)) as db:
        assert db.execute("SELECT id, code FROM record_numbers ORDER BY id").fetchall() == [(5, 1005), (9, 1009)]
        db.execute("INSERT INTO record_numbers(code) VALUES(1)")
        assert db.execute("SELECT max(id) FROM record_numbers").fetchone()[0] == 10
