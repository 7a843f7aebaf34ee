"""Kill it, run two of it, hold its lock, take its room: the store ends as an undisturbed run would have left it."""

import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from brainproj.config import read_config
from brainproj.errors import DiskFull, StoreLocked, StoreNewer
from brainproj.identity import Resolver
from brainproj.ingest import Ingest, Wanted
from brainproj.paths import find_paths
from brainproj.store.database import open_store
from brainproj.store.schema import NEWEST, migrations

from .cli import Cli, spawn
from .conftest import CASES, TRANSCRIPTS
from .test_identity import NOW
from .test_ingest import bytes_of, dump, ingest, store
from .transcripts import call, prompt, reply, session_id, write_claude

SLOW = """
import sys, random
from brainproj.store import writer
writer.BATCH_BYTES = 20_000
import brainproj.capture
brainproj.capture.BATCH_BYTES = 20_000
from brainproj.__main__ import run
sys.exit(run(["backfill", "--quiet"]))
"""
"""A backfill that writes many small batches, so that a kill meets every step."""


def link_fixtures(home: Path) -> None:
    for agent in ("claude", "codex", "cursor"):
        (home / f".{agent}").symlink_to(TRANSCRIPTS / agent)


def start(home: Path) -> "subprocess.Popen[bytes]":
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-c", SLOW]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def assert_same(home: Path, other: Path) -> None:
    """Both stores mean the same."""
    ours, theirs = dump(home), dump(other)
    for table, rows in theirs.items():
        missing, extra = (
            set(map(repr, rows)) - set(map(repr, ours[table])),
            set(map(repr, ours[table])) - set(map(repr, rows)),
        )
        assert (missing, extra) == (set(), set()), table
        assert len(rows) == len(ours[table]), table


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("undisturbed")
    link_fixtures(home)
    began = time.monotonic()
    process = start(home)
    _, err = process.communicate()
    assert process.returncode == 0, err.decode()
    (home / "took").write_text(str(time.monotonic() - began))
    return home


def duration(undisturbed: Path) -> float:
    """How long the undisturbed run took here: kills come within it, however fast the machine is."""
    return float((undisturbed / "took").read_text())


@pytest.mark.parametrize("seed", range(8))
def test_killed_at_a_random_moment_and_run_again(home: Path, undisturbed: Path, seed: int) -> None:
    link_fixtures(home)
    dice, longest, kills = random.Random(seed), duration(undisturbed), 0
    while kills < 3:
        process = start(home)
        try:
            process.wait(dice.uniform(0.1, 0.9) * longest)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            kills += 1
        else:  # it was done before: from the start again, and kill earlier
            shutil.rmtree(home / ".brainproj")
            longest *= 0.7
        process.communicate()
    process = start(home)
    _, err = process.communicate()
    assert process.returncode == 0, err.decode()
    assert_same(home, undisturbed)
    assert store(home).execute("PRAGMA integrity_check").fetchone()[0] == "ok"


def test_two_at_once_and_a_third(home: Path, undisturbed: Path) -> None:
    link_fixtures(home)
    processes = [start(home) for _ in range(3)]
    errors = [process.communicate()[1] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], errors
    assert_same(home, undisturbed)


@pytest.mark.parametrize("seed", range(4))
def test_two_at_once_of_which_one_is_killed(home: Path, undisturbed: Path, seed: int) -> None:
    link_fixtures(home)
    dice = random.Random(100 + seed)
    first, second = start(home), start(home)
    time.sleep(dice.uniform(0.1, 0.9) * duration(undisturbed))
    victim, other = dice.sample([first, second], 2)
    victim.send_signal(signal.SIGKILL)
    victim.communicate()
    _, err = other.communicate()
    assert other.returncode == 0, err.decode()
    assert_same(home, undisturbed)


def test_forty_commands_from_an_empty_home(home: Path) -> None:
    """Case 15.1: the first use by many at once is safe."""
    processes = [spawn("resolve", str(home.parent), "--json") for _ in range(40)]
    errors = [process.communicate()[1] for process in processes]
    assert {process.returncode for process in processes} == {0}, errors
    assert store(home).execute("PRAGMA user_version").fetchone()[0] == NEWEST


def hold(home: Path, seconds: float) -> "subprocess.Popen[bytes]":
    script = CASES / "15-database-is-locked" / "hold-lock.py"
    database = home / ".brainproj" / "brain.db"
    process = subprocess.Popen([sys.executable, str(script), str(database), str(seconds)], stdout=subprocess.DEVNULL)
    other = sqlite3.connect(database, timeout=0, isolation_level=None)
    for _ in range(500):
        try:
            other.execute("BEGIN IMMEDIATE")
            other.execute("ROLLBACK")
        except sqlite3.OperationalError:
            break
        time.sleep(0.01)
    other.close()
    return process


def test_case_15_a_short_hold_delays_a_long_one_is_said(home: Path, cli: Cli) -> None:
    sid = session_id(1)
    write_claude(home, sid, [prompt(sid, "/x", "words about herons")])
    ingest(home)
    write_claude(home, session_id(2), [prompt(session_id(2), "/x", "more about herons")])
    holder = hold(home, 1.5)
    began = time.monotonic()
    assert len(cli.ok("search", "herons", "--everywhere", "--json").json) == 1
    assert cli.ok("sessions", "--all", "--json").json
    assert time.monotonic() - began < 1.5, "readers do not wait for a writer"
    assert cli.ok("backfill", "--json").json["events"]["added"] == 1
    holder.wait()
    holder = hold(home, 60)
    write_claude(home, session_id(3), [prompt(session_id(3), "/x", "even more")])
    done = cli("backfill")
    holder.kill()
    holder.wait()
    assert done.code == 4
    assert "locked by another process" in done.err


def test_another_reader_holds_ingest_lock(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from brainproj import locks

    with locks.locked(home / ".brainproj" / "ingest.lock"):
        with (
            pytest.raises(StoreLocked, match="another brainproj is reading"),
            locks.locked(home / ".brainproj" / "ingest.lock", 0.1),
        ):
            pass
    with locks.locked(home / ".brainproj" / "ingest.lock", 0.1):
        pass


def test_too_little_room_stops_reading_and_keeps_what_was_read(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from brainproj import capture, locks
    from brainproj.store import writer

    for number in range(4):
        sid = session_id(number)
        write_claude(home, sid, [prompt(sid, "/x", f"text {number} " + "x" * 5000)])
    monkeypatch.setattr(capture, "BATCH_BYTES", 6000)
    monkeypatch.setattr(writer, "BATCH_BYTES", 6000)
    monkeypatch.setattr(locks, "FREE_BYTES_NEEDED", 1 << 60)
    with pytest.raises(DiskFull, match="MB are left"):
        ingest(home)
    monkeypatch.undo()
    monkeypatch.setenv("HOME", str(home))
    ingest(home)
    assert store(home).execute("SELECT count(*) FROM sessions").fetchone()[0] == 4


def test_a_full_disk_under_sqlite_is_said_in_a_line(home: Path) -> None:
    """`max_page_count` makes SQLite meet the same error as a full disk does."""
    sid = session_id(1)
    write_claude(home, sid, [prompt(sid, "/x", "first")])
    ingest(home)
    before = dump(home)
    words = " ".join(f"word{number}" for number in range(200_000))
    write_claude(home, session_id(2), [prompt(session_id(2), "/x", words)])
    paths = find_paths({}, home)
    db = open_store(paths.brain_db)
    db.execute(f"PRAGMA max_page_count={db.execute('PRAGMA page_count').fetchone()[0] + 4}")
    config = read_config(paths.config_path)
    with pytest.raises(DiskFull, match="no room left"):
        Ingest(paths, config, db, Resolver(paths, config, db, NOW), NOW).run(Wanted())
    db.close()
    assert dump(home) == before
    ingest(home)
    assert store(home).execute("SELECT count(*) FROM sessions").fetchone()[0] == 2


STORES = {
    "text": (b"hello, this is no database at all", "damaged"),
    "zeros": (b"\0" * 8192, None),
    "header only": (b"SQLite format 3\0" + b"\xff" * 5000, "damaged"),
}


@pytest.mark.parametrize("name", STORES)
def test_a_damaged_store_is_refused_and_left_alone(home: Path, cli: Cli, name: str) -> None:
    content, said = STORES[name]
    (home / ".brainproj").mkdir()
    database = home / ".brainproj" / "brain.db"
    database.write_bytes(content)
    for command in (
        ("backfill",),
        ("search", "x", "--everywhere"),
        ("sessions", "--all"),
        ("projects",),
        ("show", "rec:1"),
    ):
        done = cli(*command)
        if said is None:
            continue
        assert done.code == 4, done
        assert said in done.err and "hint:" in done.err
    if said:
        assert database.read_bytes() == content


def test_a_store_damaged_in_the_middle(home: Path, cli: Cli) -> None:
    for number in range(5):
        sid = session_id(number)
        write_claude(
            home,
            sid,
            [
                prompt(sid, "/x", f"text {number} " + "y" * 3000),
                *call(sid, "/x", "Bash", {"command": "ls"}, "out" * 999),
            ],
        )
    ingest(home)
    database = home / ".brainproj" / "brain.db"
    content = bytearray(database.read_bytes())
    for place in range(4096, len(content), 4096):
        content[place : place + 64] = b"\xaa" * 64
    database.write_bytes(bytes(content))
    for command in (("sessions", "--all"), ("search", "text", "--everywhere"), ("backfill", "--rebuild")):
        done = cli(*command)
        assert done.code == 4 and "damaged" in done.err, done


def test_a_newer_store_is_refused_unchanged(home: Path, cli: Cli) -> None:
    ingest(home)
    db = sqlite3.connect(home / ".brainproj" / "brain.db")
    db.execute(f"PRAGMA user_version={NEWEST + 2}")
    db.commit()
    db.close()
    before = (home / ".brainproj" / "brain.db").read_bytes()
    for command in (("backfill",), ("resolve", "/"), ("projects",), ("forget", "--before", "1d", "--yes")):
        done = cli(*command)
        assert done.code == 4
        assert f"schema {NEWEST + 2}, this one knows {NEWEST}" in done.err
    assert (home / ".brainproj" / "brain.db").read_bytes() == before
    with pytest.raises(StoreNewer):
        open_store(home / ".brainproj" / "brain.db")


def test_another_programs_database_is_not_taken(home: Path, cli: Cli) -> None:
    (home / ".brainproj").mkdir()
    db = sqlite3.connect(home / ".brainproj" / "brain.db")
    db.execute("CREATE TABLE precious(x)")
    db.commit()
    db.close()
    done = cli("backfill")
    assert done.code == 4 and "is not a brainproj store" in done.err


def test_a_folder_where_the_store_should_be(home: Path, cli: Cli) -> None:
    (home / ".brainproj" / "brain.db").mkdir(parents=True)
    done = cli("backfill")
    assert done.code == 4 and "is a folder" in done.err
    shutil.rmtree(home / ".brainproj")
    (home / ".brainproj").write_text("a file where the home should be")
    done = cli("backfill")
    assert done.code == 4


def test_migrations_are_numbered_and_the_newest_is_known() -> None:
    numbers = [number for number, _ in migrations()]
    assert numbers == list(range(1, NEWEST + 1))


def test_the_home_is_private(home: Path) -> None:
    ingest(home)
    assert (home / ".brainproj").stat().st_mode & 0o777 == 0o700
    for path in (home / ".brainproj").iterdir():
        assert path.stat().st_mode & 0o077 == 0, path


def test_forgotten_text_is_in_no_file_and_stays_away(home: Path, cli: Cli) -> None:
    kept, gone = session_id(1), session_id(2)
    write_claude(
        home, kept, [prompt(kept, "/x", "keep the albatross"), reply(kept, "/x", "the albatross and the quetzal", 2)]
    )
    words = " ".join(f"quetzal{number}" for number in range(300))
    lesson = "<!-- @lesson -->quetzals hide<!-- @/lesson -->"
    write_claude(
        home, gone, [prompt(gone, "/y", f"Where is the quetzal? {words}"), reply(gone, "/y", f"nowhere {lesson}", 2)]
    )
    ingest(home)
    assert b"Where is the quetzal" in bytes_of(home) or cli.ok("search", "quetzal7", "--everywhere", "--json").json
    cli.ok("forget", gone, "--yes")
    left = bytes_of(home)
    for word in (b"Where is", b"quetzal7", b"quetzals hide"):
        assert word not in left, word
    assert cli.ok("search", "quetzal7", "--everywhere", "--json").json == []
    assert len(cli.ok("search", "albatross", "--everywhere", "--json").json) == 2
    for wanted in ((), ("--rebuild",)):
        cli.ok("backfill", *wanted)
        assert cli.ok("search", "quetzal7", "--everywhere", "--json").json == []
        assert [one["session_id"] for one in cli.ok("sessions", "--all", "--json").json] == [kept]
    assert cli("show", gone).code == 1


def test_forgetting_in_all_its_ways(home: Path, tmp_path: Path, cli: Cli) -> None:
    from .repositories import make_repository

    shop = make_repository(tmp_path / "shop", "https://git.example.com/acme/shop")
    for number in range(4):
        sid = session_id(number)
        said = f"note {number} about the marmot"
        lesson = f"<!-- @lesson -->marmots whistle {number}<!-- @/lesson -->"
        write_claude(
            home, sid, [prompt(sid, shop if number < 2 else "/y", said, number), reply(sid, "/y", lesson, number + 1)]
        )
    ingest(home)
    assert cli("forget", session_id(0)).code == 1, "without a terminal it wants --yes"
    assert len(cli.ok("search", "marmot", "--everywhere", "--kind", "prompt", "--json").json) == 4
    cli.ok("forget", "rec:1", "--yes")
    assert cli("show", "rec:1").code == 1
    passage = cli.ok("search", "note 2", "--everywhere", "--kind", "prompt", "--json").json[0]["citation"]
    cli.ok("forget", passage, "--yes")
    (tmp_path / "text").write_text("note 3 about\n")
    cli.ok("forget", "--text", tmp_path / "text", "--yes")
    texts = {hit["excerpt"] for hit in cli.ok("search", "marmot", "--everywhere", "--kind", "prompt", "--json").json}
    assert texts == {"note 0 about the marmot", "note 1 about the marmot"}
    cli.ok("forget", "--project", "shop", "--yes")
    cli.ok("backfill", "--rebuild")
    assert cli.ok("search", "marmot", "--everywhere", "--kind", "prompt", "--json").json == []

    left = bytes_of(home)
    for number in range(4):
        assert f"note {number} about".encode() not in left
    assert cli("forget").code == 2
    assert cli("forget", "nothing-like-it", "--yes").code == 1
