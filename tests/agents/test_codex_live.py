"""Codex's threads, with real processes that hold locks and write rollouts, and real state databases."""

import contextlib
import ctypes
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brainproj.agents.codex.live import find_live, find_rollout, keeps_register
from brainproj.core.live import LiveSession, State

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="locks and open files are seen in /proc only")

NOW = datetime(2026, 8, 20, 12, tzinfo=UTC)
JUST_NOW = NOW - timedelta(seconds=30)
LONG_AGO = NOW - timedelta(days=20)
THREAD = "01a01d20-5a00-7c31-8d11-0b2c4d6e8f10"
"""Begun on 2026-08-20 at 08:15 UTC, as its first 48 bits say."""
CHILD = "01a01d21-0000-7c31-8d11-0b2c4d6e8f11"
CWD = "/home/dev/src/shop"
STAY = "print('ready', flush=True); sys.stdin.read()"
FLOCK = f"import fcntl, sys; f = open(sys.argv[1]); fcntl.flock(f, fcntl.LOCK_EX); {STAY}"
FCNTL = f"import fcntl, sys; f = open(sys.argv[1], 'r+'); fcntl.lockf(f, fcntl.LOCK_EX); {STAY}"
HANDED_ON = f"import fcntl, os, sys; f = open(sys.argv[1]); fcntl.flock(f, fcntl.LOCK_EX)\nif os.fork() == 0: {STAY}"
OPEN = f"import sys; f = open(sys.argv[1], sys.argv[2]); {STAY}"

Child = subprocess.Popen[str]
Starter = Callable[..., Child]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Starter]:
    """Starts a process that runs some Python, under a name, and waits until it is ready; all end with the test."""
    children: list[Child] = []

    def start_one(code: str, *arguments: str | Path, name: str = "worker", cwd: Path | None = None) -> Child:
        program = tmp_path / name
        if not program.is_symlink():
            program.symlink_to(sys.executable)
        child = subprocess.Popen(
            [program, "-I", "-S", "-c", code, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=cwd,
        )
        children.append(child)
        assert child.stdout and child.stdout.readline() == "ready\n"
        return child

    yield start_one
    for child in children:
        child.kill()
        # closes its input, on which also a process that it left behind ends
        child.communicate()


def without_privileges(look: Callable[[], object]) -> Any:
    """What `look` says in a process that may do no more than any other of its user, also where the tests run as root."""
    version_3 = 0x20080522
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        with contextlib.suppress(BaseException):
            header, no_capabilities = (ctypes.c_uint32 * 2)(version_3, 0), (ctypes.c_uint32 * 6)()
            if ctypes.CDLL(None).capset(header, no_capabilities) == 0:
                os.write(writer, json.dumps(look()).encode())
                status = 0
        os._exit(status)
    os.close(writer)
    with os.fdopen(reader) as answer:
        said = answer.read()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    return json.loads(said)


def make_lock(home: Path, name: str = THREAD) -> Path:
    path = home / "thread-writer-locks" / f"{name}.lock"
    path.parent.mkdir(exist_ok=True)
    path.touch()
    return path


def make_rollout(home: Path, changed_at: datetime = JUST_NOW, thread_id: str = THREAD, **meta: Any) -> Path:
    path = home / "sessions" / "2026" / "08" / "20" / f"rollout-2026-08-20T10-15-00-{thread_id}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    payload = {"id": thread_id, "timestamp": "2026-08-20T08:15:00Z", "cwd": CWD} | meta
    line = {"timestamp": "2026-08-20T08:15:09Z", "type": "session_meta", "payload": payload}
    path.write_text(json.dumps(line) + "\n{}\n")
    os.utime(path, (changed_at.timestamp(), changed_at.timestamp()))
    return path


def make_state(home: Path, rows: list[dict[str, Any]], name: str = "state_5.sqlite", columns: str = "") -> Path:
    columns = columns or "id, title, name, cwd, rollout_path, archived, created_at"
    with closing(sqlite3.connect(home / name)) as connection, connection:
        connection.execute(f"CREATE TABLE threads ({columns})")
        for row in rows:
            marks = ", ".join("?" * len(row))
            connection.execute(f"INSERT INTO threads ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))
    return home / name


def only(sessions: list[LiveSession]) -> LiveSession:
    [session] = sessions
    return session


@pytest.mark.parametrize("how", [FLOCK, FCNTL], ids=["flock", "fcntl"])
def test_a_held_lock_is_a_session(home: Path, start: Starter, how: str) -> None:
    holder = start(how, make_lock(home))
    rollout = make_rollout(home, LONG_AGO)

    session = only(find_live(home, NOW))

    assert (session.session_id, session.agent_id, session.agent) == (THREAD, None, "codex")
    assert (session.pid, session.seen_by, session.state) == (holder.pid, ("codex-lock",), State.IDLE)
    assert (session.cwd, session.transcript) == (CWD, str(rollout))
    assert session.started_at == datetime(2026, 8, 20, 8, 15, tzinfo=UTC)


def test_a_thread_whose_rollout_changes_is_busy(home: Path, start: Starter) -> None:
    lock = make_lock(home)
    os.utime(lock, (LONG_AGO.timestamp(), LONG_AGO.timestamp()))
    start(FLOCK, lock)
    make_rollout(home, JUST_NOW)
    session = only(find_live(home, NOW))
    assert (session.state, session.last_seen_at) == (State.BUSY, JUST_NOW)


def test_before_its_first_turn_a_thread_has_no_rollout(home: Path, start: Starter) -> None:
    start(FLOCK, make_lock(home))
    session = only(find_live(home, NOW))
    assert (session.session_id, session.cwd, session.transcript, session.state) == (THREAD, None, None, State.IDLE)


def test_a_lock_nobody_holds_is_no_session(home: Path) -> None:
    make_lock(home)
    make_rollout(home)
    assert find_live(home, NOW) == []
    assert keeps_register(home)


def test_a_killed_codex_leaves_only_the_file(home: Path, start: Starter) -> None:
    lock = make_lock(home)
    holder = start(FLOCK, lock)
    assert len(find_live(home, NOW)) == 1
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert lock.exists()
    assert find_live(home, NOW) == []


def test_looking_does_not_take_the_lock(home: Path, start: Starter) -> None:
    lock = make_lock(home)
    holder = start(FLOCK, lock)
    before = Path("/proc/locks").read_text().count(f" {holder.pid} ")
    find_live(home, NOW)
    assert Path("/proc/locks").read_text().count(f" {holder.pid} ") == before


def test_a_lock_that_was_handed_on_has_no_pid(home: Path, start: Starter) -> None:
    lock = make_lock(home)
    parent = start(HANDED_ON, lock)
    parent.wait()
    session = only(find_live(home, NOW))
    assert (session.session_id, session.pid) == (THREAD, None)


def test_other_locks_are_no_threads(home: Path, start: Starter) -> None:
    for name in (".coordination", "README", "..", f"{THREAD}x"):
        start(FLOCK, make_lock(home, name))
    assert find_live(home, NOW) == []


def test_a_thread_below_another_belongs_to_its_session(home: Path, start: Starter) -> None:
    start(FLOCK, make_lock(home, CHILD))
    make_rollout(home, thread_id=CHILD, session_id=THREAD, parent_thread_id=THREAD)
    session = only(find_live(home, NOW))
    assert (session.session_id, session.agent_id) == (THREAD, CHILD)


@pytest.mark.parametrize(
    "meta",
    [
        {"parent_thread_id": THREAD, "source": {"subagent": "review"}},
        {"source": {"subagent": {"thread_spawn": {"parent_thread_id": THREAD, "depth": 1}}}},
    ],
)
def test_older_threads_name_only_their_parent(home: Path, start: Starter, meta: dict[str, Any]) -> None:
    start(FLOCK, make_lock(home, CHILD))
    make_rollout(home, thread_id=CHILD, **meta)
    assert only(find_live(home, NOW)).session_id == THREAD


def test_a_rollout_that_codex_writes_is_a_session(home: Path, start: Starter) -> None:
    rollout = make_rollout(home, LONG_AGO)
    writer = start(OPEN, rollout, "a", name="codex")
    session = only(find_live(home, NOW))
    assert (session.session_id, session.pid, session.seen_by) == (THREAD, writer.pid, ("codex-rollout",))
    assert session.transcript == str(rollout)


def test_both_proofs_are_named(home: Path, start: Starter) -> None:
    holder = start(FLOCK, make_lock(home))
    start(OPEN, make_rollout(home), "a", name="codex-x86_64-unknown-linux-musl")
    make_state(home, [{"id": THREAD, "title": "Shop"}])
    session = only(find_live(home, NOW))
    assert (session.pid, session.seen_by) == (holder.pid, ("codex-lock", "codex-rollout", "codex-state"))


@pytest.mark.parametrize(("name", "mode"), [("codex", "r"), ("worker", "a"), ("mycodex", "a")])
def test_a_reader_and_another_program_prove_nothing(home: Path, start: Starter, name: str, mode: str) -> None:
    start(OPEN, make_rollout(home, LONG_AGO), mode, name=name)
    assert find_live(home, NOW) == []


def test_a_rollout_elsewhere_is_not_ours(home: Path, start: Starter, tmp_path: Path) -> None:
    start(OPEN, make_rollout(tmp_path), "a", name="codex")
    assert find_live(home, NOW) == []


def test_a_linked_home_is_the_same_home(home: Path, start: Starter, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    linked.symlink_to(home)
    start(OPEN, make_rollout(home), "a", name="codex")
    assert only(find_live(linked, NOW)).session_id == THREAD


@pytest.mark.parametrize(
    ("changed_at", "same_folder", "locks", "count"),
    [
        (JUST_NOW, True, False, 1),
        (LONG_AGO, True, False, 0),
        (JUST_NOW, False, False, 0),
        # where threads are locked, one without a lock has ended
        (JUST_NOW, True, True, 0),
    ],
)
def test_a_growing_rollout_where_codex_runs(
    home: Path, start: Starter, tmp_path: Path, changed_at: datetime, same_folder: bool, locks: bool, count: int
) -> None:
    start(f"import sys; {STAY}", name="codex", cwd=tmp_path)
    make_rollout(home, changed_at, cwd=str(tmp_path if same_folder else home))
    if locks:
        make_lock(home, CHILD)
    sessions = find_live(home, NOW)
    assert [(session.session_id, session.state) for session in sessions] == [(THREAD, State.BUSY)] * count


def test_a_codex_that_hides_its_folder_may_run_anywhere(home: Path, start: Starter) -> None:
    set_dumpable = 4
    start(f"import ctypes, sys; ctypes.CDLL(None).prctl({set_dumpable}, 0, 0, 0, 0); {STAY}", name="codex")
    make_rollout(home)
    find_live(home, NOW)  # imports what it needs
    assert without_privileges(lambda: [(session.session_id, session.pid) for session in find_live(home, NOW)]) == [
        [THREAD, None]
    ]


@pytest.mark.parametrize("cwd", [None, ["x"], "a\0b", "x" * 10_000])
def test_a_folder_of_another_type_is_no_folder(home: Path, start: Starter, cwd: object) -> None:
    start(f"import sys; {STAY}", name="codex")
    make_rollout(home, cwd=cwd)
    assert find_live(home, NOW) == []


def test_without_any_codex_a_growing_rollout_is_no_session(home: Path) -> None:
    make_rollout(home)
    assert find_live(home, NOW) == []
    assert not keeps_register(home)


def test_the_state_database_adds_what_the_rollout_lacks(home: Path, start: Starter) -> None:
    start(FLOCK, make_lock(home))
    make_state(
        home, [{"id": CHILD, "title": "other"}, {"id": THREAD, "title": "first words", "cwd": CWD, "created_at": 1}]
    )
    session = only(find_live(home, NOW))
    assert (session.title, session.cwd, session.started_at) == ("first words", CWD, datetime.fromtimestamp(1, UTC))
    assert session.seen_by == ("codex-lock", "codex-state")


def test_the_name_a_person_gave_comes_first(home: Path, start: Starter) -> None:
    start(FLOCK, make_lock(home))
    make_state(home, [{"id": THREAD, "title": "first words", "name": "Shop"}])
    assert only(find_live(home, NOW)).title == "Shop"


def test_the_state_database_names_an_archived_rollout(home: Path, start: Starter) -> None:
    start(FLOCK, make_lock(home))
    archive = home / "archived_sessions"
    archive.mkdir()
    path = make_rollout(home).rename(archive / f"rollout-2026-08-20T10-15-00-{THREAD}.jsonl")
    make_state(home, [{"id": THREAD, "rollout_path": str(path)}])
    assert only(find_live(home, NOW)).transcript == str(path)


def test_the_highest_number_is_the_newest_database(home: Path, start: Starter) -> None:
    start(FLOCK, make_lock(home))
    make_state(home, [{"id": THREAD, "title": "old"}], "state_9.sqlite")
    make_state(home, [{"id": THREAD, "title": "new"}], "state_10.sqlite")
    (home / "state_11.sqlite-wal").touch()
    assert only(find_live(home, NOW)).title == "new"


def test_a_database_in_use_is_read_and_one_at_rest_gets_no_files(home: Path, start: Starter) -> None:
    start(FLOCK, make_lock(home))
    database = make_state(home, [])
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("INSERT INTO threads (id, title) VALUES (?, ?)", (THREAD, "in the journal"))
        connection.commit()
        assert only(find_live(home, NOW)).title == "in the journal"
    before = sorted(home.iterdir())
    assert only(find_live(home, NOW)).title == "in the journal"
    assert sorted(home.iterdir()) == before


@pytest.mark.parametrize("columns", ["id", "id, cwd, surprise", "title, cwd", "other"])
def test_missing_columns_cost_only_themselves(home: Path, start: Starter, columns: str) -> None:
    start(FLOCK, make_lock(home))
    make_state(home, [dict.fromkeys(columns.split(", "), THREAD)], columns=columns)
    assert only(find_live(home, NOW)).title is None


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + b"\xff" * 2_000])
def test_a_damaged_database_costs_only_itself(home: Path, start: Starter, content: bytes) -> None:
    start(FLOCK, make_lock(home))
    (home / "state_5.sqlite").write_bytes(content)
    assert only(find_live(home, NOW)).seen_by == ("codex-lock",)


@pytest.mark.parametrize(
    "value",
    [None, 7, 1.5, b"\xff\xfe", "\0", "x" * 10_000, "/etc/passwd", "../" * 9 + "etc/passwd", f"/rollout-{THREAD}"],
)
def test_values_of_the_database_are_data(home: Path, start: Starter, value: object) -> None:
    start(FLOCK, make_lock(home))
    make_state(home, [{"id": THREAD, "title": value, "cwd": value, "rollout_path": value, "created_at": value}])
    session = only(find_live(home, NOW))
    assert session.transcript is None
    assert session.title == (value if isinstance(value, str) else None)


def test_text_that_is_not_utf_8_is_read_all_the_same(home: Path, start: Starter) -> None:
    start(FLOCK, make_lock(home))
    with closing(sqlite3.connect(make_state(home, [{"id": THREAD}]))) as connection, connection:
        connection.execute("UPDATE threads SET title = CAST(x'61ff' AS TEXT)")
    assert only(find_live(home, NOW)).title == "a\ufffd"


@pytest.mark.parametrize("below", ["sessions/../..", "nowhere", "x" * 300])
def test_a_rollout_path_may_not_lead_out(home: Path, start: Starter, tmp_path: Path, below: str) -> None:
    start(FLOCK, make_lock(home))
    name = f"rollout-2026-08-20T10-15-00-{THREAD}.jsonl"
    (tmp_path / name).write_text("{}\n")
    (home / "sessions").mkdir()
    make_state(home, [{"id": THREAD, "rollout_path": f"{home}/{below}/{name}"}])
    assert only(find_live(home, NOW)).transcript is None


def test_the_id_tells_the_day_of_the_rollout(home: Path) -> None:
    rollout = make_rollout(home)
    later = make_rollout(home).rename(rollout.with_name(rollout.name.replace("T10-", "T11-")))
    make_rollout(home)
    assert find_rollout(home, THREAD) == later
    assert find_rollout(home, CHILD) is None


@pytest.mark.parametrize(
    "id_", ["", "../..", "\0", "x" * 10_000, THREAD.replace("-7c31", "-4c31"), "f" * 8 + THREAD[8:]]
)
def test_an_id_of_another_form_has_no_day(home: Path, id_: str) -> None:
    assert find_rollout(home, id_) is None


def test_a_home_that_is_no_folder_holds_no_threads(home: Path) -> None:
    (home / "file").write_text("")
    for place in (home / "nowhere", home / "file"):
        assert find_live(place, NOW) == []
        assert not keeps_register(place)


@pytest.fixture(scope="module")
def locked_home() -> Iterator[Path]:
    """A Codex home with one held lock, for many rollouts."""
    with tempfile.TemporaryDirectory() as folder:
        lock = make_lock(Path(folder))
        with subprocess.Popen(
            [sys.executable, "-c", FLOCK, lock], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as holder:
            assert holder.stdout and holder.stdout.readline() == "ready\n"
            yield Path(folder)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=4,
)
names = ("cwd", "timestamp", "session_id", "parent_thread_id", "source")


@settings(max_examples=50, deadline=None)
@given(st.binary() | anything.map(lambda value: json.dumps(value).encode()))
def test_no_first_line_makes_it_raise(locked_home: Path, line: bytes) -> None:
    make_rollout(locked_home).write_bytes(line + b"\n")
    assert only(find_live(locked_home, NOW)).session_id == THREAD


@settings(max_examples=50, deadline=None)
@given(st.fixed_dictionaries({}, optional=dict.fromkeys(names, anything)))
def test_no_meta_makes_it_raise(locked_home: Path, meta: dict[str, Any]) -> None:
    make_rollout(locked_home, **meta)
    assert only(find_live(locked_home, NOW)).session_id
