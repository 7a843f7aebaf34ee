"""Claude Code's register of processes, with real processes: who lives, who is gone, and whose number was used again."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brainproj.agents.claude.live import find_live, keeps_register
from brainproj.core.live import State
from brainproj.processes import list_starts

NOW = datetime(2026, 10, 5, 12, tzinfo=UTC)
ID = "5f0c9a54-2b7e-4f1d-9a65-0d3a4b1c7e10"
LONG_BEFORE = NOW - timedelta(hours=3)
Sleeper = Callable[[], "subprocess.Popen[bytes]"]


@pytest.fixture
def sleeper() -> Iterator[Sleeper]:
    """Starts a process that does nothing until the test ends."""
    children: list[subprocess.Popen[bytes]] = []

    def start() -> "subprocess.Popen[bytes]":
        children.append(subprocess.Popen(["sleep", "60"]))
        return children[-1]

    yield start
    for child in children:
        child.kill()
        child.wait()


def millis(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def record_of(pid: int, **changes: Any) -> dict[str, Any]:
    record = {
        "pid": pid,
        "sessionId": ID,
        "cwd": "/home/op/dev/alpha",
        "startedAt": millis(LONG_BEFORE),
        "procStart": list_starts([pid]).get(pid),
        "version": "2.1.284",
        "kind": "interactive",
        "status": "idle",
        "updatedAt": millis(NOW),
        "name": "Fix the parser",
    }
    record |= changes
    return {name: value for name, value in record.items() if value is not ...}


def write_record(home: Path, pid: int, **changes: Any) -> Path:
    path = home / "sessions" / f"{pid}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record_of(pid, **changes)))
    return path


def write_transcript(home: Path, folder: str, changed_at: datetime, name: str = ID) -> Path:
    path = home / "projects" / folder / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}\n")
    os.utime(path, (changed_at.timestamp(), changed_at.timestamp()))
    return path


def test_a_living_process_is_a_session(home: Path, sleeper: Sleeper) -> None:
    pid = sleeper().pid
    write_record(home, pid)

    [session] = find_live(home, NOW)

    assert (session.session_id, session.agent_id, session.agent, session.pid) == (ID, None, "claude", pid)
    assert (session.cwd, session.title, session.state) == ("/home/op/dev/alpha", "Fix the parser", State.IDLE)
    assert (session.started_at, session.last_seen_at) == (LONG_BEFORE, NOW)
    assert (session.seen_by, session.transcript) == (("claude",), None)


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("busy", State.BUSY),
        ("shell", State.BUSY),
        ("idle", State.IDLE),
        ("waiting", State.IDLE),
        (..., State.IDLE),
        ("something new", State.IDLE),
        (["busy"], State.IDLE),
    ],
)
def test_state_of_a_quiet_record(home: Path, sleeper: Sleeper, status: object, state: State) -> None:
    write_record(home, sleeper().pid, status=status, updatedAt=millis(LONG_BEFORE))
    assert [session.state for session in find_live(home, NOW)] == [state]


def test_without_a_status_a_record_just_touched_is_busy(home: Path, sleeper: Sleeper) -> None:
    write_record(home, sleeper().pid, status=..., updatedAt=millis(NOW - timedelta(seconds=119)))
    assert [session.state for session in find_live(home, NOW)] == [State.BUSY]


def test_without_a_status_a_growing_transcript_is_busy(home: Path, sleeper: Sleeper) -> None:
    write_record(home, sleeper().pid, status=..., updatedAt=millis(LONG_BEFORE))
    path = write_transcript(home, "-home-op-dev-alpha", NOW - timedelta(seconds=5))

    [session] = find_live(home, NOW)

    assert (session.state, session.transcript) == (State.BUSY, str(path))
    assert session.last_seen_at == NOW - timedelta(seconds=5)


def test_of_two_transcripts_the_one_changed_last_counts(home: Path, sleeper: Sleeper) -> None:
    write_record(home, sleeper().pid)
    write_transcript(home, "-old", LONG_BEFORE)
    moved = write_transcript(home, "-after-cd", NOW)
    write_transcript(home, "-zzz", LONG_BEFORE)
    assert [session.transcript for session in find_live(home, NOW)] == [str(moved)]


def test_a_derived_name_is_no_title(home: Path, sleeper: Sleeper) -> None:
    write_record(home, sleeper().pid, name="alpha-92", nameSource="derived")
    assert [session.title for session in find_live(home, NOW)] == [None]


def test_a_session_open_twice_comes_twice(home: Path, sleeper: Sleeper) -> None:
    pids = {sleeper().pid, sleeper().pid}
    for pid in pids:
        write_record(home, pid)
    assert {session.pid for session in find_live(home, NOW)} == pids


def test_a_dead_process_leaves_its_record(home: Path) -> None:
    child = subprocess.Popen(["sleep", "60"])
    write_record(home, child.pid)
    child.kill()
    child.wait()
    assert find_live(home, NOW) == []
    assert keeps_register(home)


@pytest.mark.skipif(not hasattr(os, "waitid"), reason="no way to wait for a zombie")
def test_a_zombie_does_not_live(home: Path) -> None:
    child = subprocess.Popen(["sleep", "60"])
    write_record(home, child.pid)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert find_live(home, NOW) == []
    child.wait()


@pytest.mark.parametrize("start", ["1", 1, "Wed Jul  8 10:56:27 2020", ..., None, True, [], 1e400, ""])
def test_a_number_used_again_is_another_session(home: Path, sleeper: Sleeper, start: object) -> None:
    write_record(home, sleeper().pid, procStart=start)
    assert find_live(home, NOW) == []


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("kind", [str, int, float])
def test_on_linux_the_start_is_field_22(home: Path, kind: Callable[[str], object], tmp_path: Path) -> None:
    # a name that looks like the rest of the line: fields must be counted behind its last parenthesis
    program = tmp_path / "x) S 1 (y z"
    program.symlink_to("/bin/sleep")
    child = subprocess.Popen([program, "60"], executable=program)
    try:
        start = Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()[22 - 3]
        write_record(home, child.pid, procStart=kind(start))
        assert [session.pid for session in find_live(home, NOW)] == [child.pid]
    finally:
        child.kill()
        child.wait()


def test_left_overs_keys_links_and_pipes_are_not_opened(home: Path, sleeper: Sleeper) -> None:
    pid = sleeper().pid
    folder = write_record(home, pid).parent
    record = json.dumps(record_of(pid))
    (folder / f"pid-{pid}.json").write_text(json.dumps({"session_id": "old", "cwd": "/"}))
    (folder / f"0{pid}.json").write_text(record)
    (folder / f"{pid}.json.tmp").write_text(record)
    (folder / "77.json").mkdir()
    (folder / "78.json").symlink_to("gone")
    # to open a pipe that nobody writes would wait for ever
    os.mkfifo(folder / f"{pid}.key")
    os.mkfifo(folder / "79.json")
    assert [session.session_id for session in find_live(home, NOW)] == [ID]


def test_left_overs_alone_are_no_register(home: Path) -> None:
    assert not keeps_register(home)
    (home / "sessions").mkdir()
    (home / "sessions" / "pid-7.json").write_text("{}")
    assert not keeps_register(home)


def test_a_record_under_another_number_is_a_copy(home: Path, sleeper: Sleeper) -> None:
    path = write_record(home, sleeper().pid)
    path.rename(path.with_name(f"{sleeper().pid}.json"))
    assert find_live(home, NOW) == []


def test_a_record_over_4_mb_is_ignored(home: Path, sleeper: Sleeper) -> None:
    write_record(home, sleeper().pid, padding="x" * (4 << 20))
    assert find_live(home, NOW) == []


@pytest.mark.parametrize("id_", ["../../secret", "/etc/passwd", "a\0b", "x" * 10_000, f"../-p/{ID}", f"{ID}\n"])
def test_an_id_is_never_a_path(home: Path, sleeper: Sleeper, id_: str) -> None:
    (home / "secret.jsonl").write_text("{}")
    write_transcript(home, "-p", NOW)
    write_record(home, sleeper().pid, sessionId=id_)

    [session] = find_live(home, NOW)

    assert (session.session_id, session.transcript) == (id_, None)


@pytest.mark.parametrize("id_", ["", None, 7, ["x"], {"a": 1}])
def test_without_an_id_there_is_no_session(home: Path, sleeper: Sleeper, id_: object) -> None:
    write_record(home, sleeper().pid, sessionId=id_)
    assert find_live(home, NOW) == []


def test_a_home_that_is_no_folder_holds_no_sessions(home: Path) -> None:
    (home / "file").write_text("")
    for place in (home / "nowhere", home / "file"):
        assert find_live(place, NOW) == []
        assert not keeps_register(place)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=4,
)


@settings(max_examples=50, deadline=None)
@given(
    st.fixed_dictionaries(
        {"sessionId": st.just(ID) | anything},
        optional=dict.fromkeys(
            ("cwd", "startedAt", "status", "updatedAt", "statusUpdatedAt", "name", "nameSource"), anything
        ),
    )
)
def test_no_record_makes_it_raise(members: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_record(Path(folder), os.getpid(), **members)
        assert all(session.session_id for session in find_live(Path(folder), NOW))


@settings(max_examples=50, deadline=None)
@given(st.binary() | st.sampled_from([b"[" * 100_000, b'{"pid":' + b"9" * 5_000 + b"}", b"\xff\xfe{}", b"{}{}"]))
def test_no_file_makes_it_raise(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_record(Path(folder), os.getpid()).write_bytes(content)
        assert find_live(Path(folder), NOW) == []
