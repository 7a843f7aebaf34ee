"""Which sessions run, from all sources at once, and the facts about processes that they rest on."""

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

from brainproj.core.live import State
from brainproj.core.times import render_time
from brainproj.live import find_live_sessions
from brainproj.paths import Paths, find_paths
from brainproj.processes import (
    is_pid,
    is_start,
    list_locked,
    list_processes,
    list_starts,
    list_starts_by_ps,
    parse_start,
)

NOW = (datetime.now(UTC) + timedelta(hours=1)).replace(microsecond=0)
"""After any process a test starts, however long the suite takes to come to it."""
"""Processes really start, so the clock of these tests is the real one."""
ID = "5f0c9a54-2b7e-4f1d-9a65-0d3a4b1c7e10"
OTHER = "6f0c9a54-2b7e-4f1d-9a65-0d3a4b1c7e11"
Sleeper = Callable[[], int]
needs_proc = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture
def paths(home: Path) -> Paths:
    return find_paths({}, home)


@pytest.fixture
def sleeper() -> Iterator[Sleeper]:
    """Starts a process that does nothing until the test ends, and gives its pid."""
    children: list[subprocess.Popen[bytes]] = []

    def start() -> int:
        children.append(subprocess.Popen(["sleep", "60"]))
        return children[-1].pid

    yield start
    for child in children:
        child.kill()
        child.wait()


def claude_lists(paths: Paths, pid: int, session_id: str = ID, **members: Any) -> None:
    record = {"pid": pid, "sessionId": session_id, "cwd": "/own", "procStart": list_starts([pid]).get(pid), **members}
    path = paths.claude_home / "sessions" / f"{pid}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record))


def registry_lists(paths: Paths, **changes: dict[str, Any]) -> None:
    """One row for each session id (dashes written as underscores), changed from that of a session just seen."""
    usual = {"status": "alive", "pid": None, "cwd": "/told", "last_seen": render_time(NOW)}
    rows = {session_id.replace("_", "-"): usual | row for session_id, row in changes.items()}
    paths.broadcast_path.parent.mkdir(parents=True, exist_ok=True)
    (paths.broadcast_path.parent / "active-sessions.json").write_text(json.dumps(rows))


def seen(paths: Paths) -> list[tuple[str, str, State, tuple[str, ...]]]:
    return [(each.agent, each.session_id, each.state, each.seen_by) for each in find_live_sessions(paths, NOW)]


def row_name(session_id: str) -> str:
    return session_id.replace("-", "_")


def test_where_nothing_is_nothing_runs(paths: Paths) -> None:
    assert find_live_sessions(paths, NOW) == []


@pytest.mark.parametrize("status", ["alive", "superseded", "closed"])
def test_what_claude_lists_outranks_the_registry(paths: Paths, sleeper: Sleeper, status: str) -> None:
    claude_lists(paths, pid := sleeper(), status="busy")
    registry_lists(paths, **{row_name(ID): {"status": status, "name": "engineer@a1b2c3-0001"}})

    [session] = find_live_sessions(paths, NOW)

    assert (session.session_id, session.state, session.seen_by) == (ID, State.BUSY, ("agentihooks", "claude"))
    assert (session.pid, session.cwd, session.agent_name) == (pid, "/own", "engineer@a1b2c3-0001")


def test_the_registry_alone_is_believed_where_claude_keeps_none(paths: Paths) -> None:
    registry_lists(paths, **{row_name(ID): {}})
    assert seen(paths) == [("claude", ID, State.IDLE, ("agentihooks",))]


def test_it_is_not_where_claude_keeps_its_own(paths: Paths, sleeper: Sleeper) -> None:
    claude_lists(paths, sleeper(), OTHER, status="idle")
    registry_lists(paths, **{row_name(ID): {}})
    assert seen(paths) == [("claude", OTHER, State.IDLE, ("claude",))]


def test_a_session_that_crashed_is_not_kept_up_by_the_registry(paths: Paths) -> None:
    with subprocess.Popen(["sleep", "60"]) as child:
        claude_lists(paths, child.pid)
        child.kill()
    registry_lists(paths, **{row_name(ID): {"pid": child.pid}})
    assert seen(paths) == []


def test_a_living_process_that_claude_does_not_list_runs_under_another_home(paths: Paths, sleeper: Sleeper) -> None:
    claude_lists(paths, sleeper(), OTHER, status="idle")
    registry_lists(paths, **{row_name(ID): {"pid": sleeper()}})
    assert {session_id for _, session_id, _, _ in seen(paths)} == {ID, OTHER}


def test_a_process_that_went_on_to_another_session_left_the_first(paths: Paths, sleeper: Sleeper) -> None:
    claude_lists(paths, pid := sleeper(), OTHER, status="idle")
    registry_lists(paths, **{row_name(ID): {"pid": pid}})
    assert [session_id for _, session_id, _, _ in seen(paths)] == [OTHER]


def test_an_end_is_told(paths: Paths, sleeper: Sleeper) -> None:
    claude_lists(paths, sleeper(), OTHER, status="idle")
    registry_lists(paths, **{row_name(ID): {"status": "closed"}})
    assert ("claude", ID, State.ENDED, ("agentihooks",)) in seen(paths)


def test_a_thread_of_codex_in_the_registry_is_no_session_of_claude(paths: Paths) -> None:
    thread_id = "01a01d20-5a00-7c31-8d11-0b2c4d6e8f10"
    rollout = paths.codex_home / "sessions/2026/08/20" / f"rollout-2026-08-20T10-15-00-{thread_id}.jsonl"
    rollout.parent.mkdir(parents=True)
    rollout.write_text("{}\n")
    registry_lists(paths, **{row_name(thread_id): {}})
    assert seen(paths) == [("codex", thread_id, State.IDLE, ("agentihooks",))]
    # a folder of locks is Codex's register: a thread without a lock has ended
    (paths.codex_home / "thread-writer-locks").mkdir()
    assert seen(paths) == ([] if sys.platform == "linux" else [("codex", thread_id, State.IDLE, ("agentihooks",))])


def test_a_transcript_of_cursor_that_grows(paths: Paths) -> None:
    folder = paths.cursor_home / "projects" / "home-dev-app" / "agent-transcripts"
    turn = '{"role":"user","message":{"content":[]}}\n'
    ended = turn + '{"type":"turn_ended","status":"success"}\n'
    for name, text, age in (
        ("a/a.jsonl", turn, 0),
        ("a/subagents/b.jsonl", ended, 10),
        ("c.jsonl", ended, 20),
        ("d/d.jsonl", turn, 200),
        ("e/e.txt", turn, 0),
    ):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        os.utime(path, (NOW.timestamp() - age,) * 2)

    sessions = find_live_sessions(paths, NOW)

    assert [(each.session_id, each.agent_id, each.state) for each in sessions] == [
        ("c", None, State.IDLE),
        ("a", "b", State.IDLE),
        ("a", None, State.BUSY),
    ]
    assert {(each.agent, each.seen_by, each.cwd) for each in sessions} == {("cursor", ("cursor-transcript",), None)}
    assert sessions[0].last_seen_at == NOW - timedelta(seconds=20)


def test_sorted_by_agent_and_the_one_seen_last_at_the_end(paths: Paths) -> None:
    registry_lists(
        paths,
        s1={"last_seen": render_time(NOW - timedelta(minutes=1))},
        s2={"last_seen": render_time(NOW - timedelta(minutes=3)), "agent": "codex"},
        s3={"last_seen": render_time(NOW - timedelta(minutes=2))},
        s4={"last_seen": None, "status": "closed"},
    )
    assert [session_id for _, session_id, _, _ in seen(paths)] == ["s4", "s3", "s1", "s2"]


def test_homes_that_are_files_hold_nothing(paths: Paths) -> None:
    for place in (paths.claude_home, paths.codex_home, paths.cursor_home, paths.agentihooks_home):
        place.write_text("")
    assert find_live_sessions(paths, NOW) == []


def test_looking_writes_nothing(paths: Paths, home: Path, sleeper: Sleeper) -> None:
    claude_lists(paths, sleeper())
    registry_lists(paths, **{row_name(ID): {}})
    before = sorted(home.rglob("*"))
    find_live_sessions(paths, NOW)
    assert sorted(home.rglob("*")) == before


@pytest.mark.parametrize("start_of", [list_starts, list_starts_by_ps])
def test_starts_of_the_living(start_of: Callable[[list[int]], dict[int, str] | None], sleeper: Sleeper) -> None:
    pid = sleeper()
    with subprocess.Popen(["true"]) as gone:
        pass
    with subprocess.Popen(["true"]) as zombie:
        os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT)
        starts = start_of([pid, gone.pid, zombie.pid])
    assert starts is not None and set(starts) == {pid}
    began_at = parse_start(starts[pid])
    # both systems count from a moment of boot that is known to a second or two
    assert began_at is not None and abs(datetime.now(UTC) - began_at) < timedelta(seconds=10)


def test_what_is_no_pid_is_left_out() -> None:
    assert list_starts([None, True, "7", 0, -1, 1 << 70, 7.0]) == {}
    assert is_pid(1 << 22) and not is_pid((1 << 22) + 1)


@pytest.mark.parametrize(
    ("recorded", "start", "same"),
    [
        ("123", "123", True),
        (123, "123", True),
        (123.0, "123", True),
        (123.5, "123", False),
        ("124", "123", False),
        ("Wed Jul  8 10:56:27 2026", "Wed Jul 8 10:56:27 2026", True),
        ("Wed Jul  8 10:56:28 2026", "Wed Jul  8 10:56:27 2026", False),
        ("123", None, None),
        (None, None, False),
        (True, "1", False),
    ],
)
def test_the_start_of_a_record(recorded: object, start: str | None, same: bool | None) -> None:
    assert is_start(recorded, start) is same


@pytest.mark.parametrize(
    ("start", "moment"),
    [
        ("Wed Jul  8 10:56:27 2026", datetime(2026, 7, 8, 10, 56, 27, tzinfo=UTC)),
        ("Mi 8. Jul 10:56:27 2026", None),
        ("9" * 30, None),
        ("", None),
        (None, None),
    ],
)
def test_the_moment_of_a_start(start: str | None, moment: datetime | None) -> None:
    assert parse_start(start) == moment


@needs_proc
def test_only_the_holder_of_a_lock_counts(tmp_path: Path) -> None:
    held, leased, free = tmp_path / "held", tmp_path / "leased", tmp_path / "free"
    for path in (held, leased, free):
        path.touch()
    code = (
        "import fcntl, sys; f = open(sys.argv[1]); fcntl.flock(f, fcntl.LOCK_EX); print(flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(held)]
    with leased.open() as file, subprocess.Popen(command, stdin=PIPE, stdout=PIPE) as holder:
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        assert holder.stdout and holder.stdout.readline()
        with subprocess.Popen(command, stdin=PIPE, stdout=PIPE) as waiter:
            while f"-> FLOCK  ADVISORY  WRITE {waiter.pid} " not in Path("/proc/locks").read_text():
                assert waiter.poll() is None
            assert list_locked([held, leased, free, tmp_path / "gone", Path("\0")], "codex") == {held: holder.pid}
            waiter.kill()
    assert list_locked([held], "codex") == {}


@needs_proc
@pytest.mark.skipif(os.getuid() != 0, reason="only root can start a process of another user")
def test_a_process_of_another_user_is_not_ours() -> None:
    for user, count in ((None, 1), (65534, 0)):
        command = ["codex", "-c", "echo; read line"]
        with subprocess.Popen(command, executable="/bin/sh", stdin=PIPE, stdout=PIPE, user=user) as child:
            assert child.stdout and child.stdout.readline()
            ours = [process.pid for process in list_processes("codex", ".jsonl") or []]
        assert ours.count(child.pid) == count


@needs_proc
def test_a_process_is_known_by_its_executable_or_by_the_name_it_was_called(tmp_path: Path) -> None:
    written = tmp_path / "a.jsonl"
    code = "import sys; f = open(sys.argv[1], 'a'); g = open(sys.argv[1]); print(flush=True); sys.stdin.read()"
    program = tmp_path / "codex-next"
    program.symlink_to(sys.executable)
    with subprocess.Popen([program, "-c", code, written], stdin=PIPE, stdout=PIPE, cwd=tmp_path) as child:
        assert child.stdout and child.stdout.readline()
        found = {process.pid: process for process in list_processes("codex", ".jsonl") or []}
        assert (found[child.pid].cwd, found[child.pid].written) == (str(tmp_path), (str(written),))
        assert child.pid not in {process.pid for process in list_processes("code", ".jsonl") or []}
    executable = Path(sys.executable).resolve().name
    assert os.getpid() in {process.pid for process in list_processes(executable, ".jsonl") or []}
