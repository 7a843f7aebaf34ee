"""Whatever is sent and whatever is broken: status 0, one JSON object or nothing, one line in the log, the agent goes on."""

import ctypes
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from brainproj.launcher import START, launcher_text

from ..conftest import CASES
from .sessions import EVENTS, Answer, Fleet

CASE_24 = sorted(path for path in (CASES / "24-one-document-on-stdout").iterdir() if path.suffix in (".json", ".txt"))
IDS = json.loads((CASES / "27-session-id-is-a-path" / "ids.json").read_text())


def log_of(fleet: Fleet) -> list[str]:
    path = fleet.base / "logs" / "hook.log"
    return path.read_text().splitlines() if path.exists() else []


def is_one_object(answer: Answer) -> bool:
    return answer.code == 0 and (answer.out == b"" or isinstance(answer.value, dict))


# payloads ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", ["claude", "codex", "cursor"])
@pytest.mark.parametrize("file", CASE_24, ids=[path.name for path in CASE_24])
def test_case_24_one_document_or_nothing(fleet: Fleet, agent: str, file: Path) -> None:
    payload = file.read_bytes()
    event = "Stop" if "stop" in file.name else "SessionStart"
    for options in ({}, {"PYTHONWARNINGS": "always", "PYTHONVERBOSE": "1", "PYTHONDEVMODE": "1"}):
        answer = fleet.send(payload, agent, event, options)
        assert is_one_object(answer)
        if answer.context and agent != "cursor":
            assert answer.value["hookSpecificOutput"]["hookEventName"] == json.loads(payload)["hook_event_name"]
    shutil.rmtree(fleet.base / "logs", ignore_errors=True)
    assert is_one_object(fleet.send(payload, agent, event))
    assert len(log_of(fleet)) <= 1


@pytest.mark.parametrize(
    "payload",
    [
        b"", b"\0", b"[]", b"7", b"null", b"{", b'{"a":', b"\xff\xfe", b"{}", b'{"hook_event_name": "SessionStart"}',
        b'{"hook_event_name": "Nonsense", "session_id": "s"}', b"[" * 200_000, b'{"session_id": "' + b"x" * 3_000_000 + b'"}',
        b'{"session_id": {"a": 1}, "cwd": [1], "hook_event_name": 7, "transcript_path": false}',
        b'{"session_id": "\\ud800", "cwd": "/\\ud800", "hook_event_name": "SessionStart"}',
        b'{"session_id": "a\\u0000b", "cwd": "/a\\u0000b", "hook_event_name": "SessionStart"}',
        b'{"session_id": "s", "cwd": "/gone/for/good", "hook_event_name": "SessionStart"}',
        b'{"session_id": "s", "hook_event_name": "SessionStart"}',
        b'{"cursor_version": "3", "workspace_roots": [], "hook_event_name": "sessionStart", "conversation_id": "c"}',
        b'{"cursor_version": null, "hook_event_name": null}',
    ],
    ids=range(20),
)  # fmt: skip
def test_no_payload_is_an_error(fleet: Fleet, payload: bytes) -> None:
    for agent, event in (("claude", "SessionStart"), ("codex", "Stop"), ("cursor", "sessionStart"), ("vi", "x")):
        answer = fleet.send(payload, agent, event)
        assert is_one_object(answer)
        assert "Traceback" not in answer.err
    assert len(log_of(fleet)) <= 4


def test_a_huge_tool_result_is_no_matter(fleet: Fleet) -> None:
    alpha = fleet.folder("alpha")
    fleet.hook("start", "s", alpha)
    began = time.monotonic()
    answer = fleet.hook("tool", "s", alpha, tool_response={"stdout": "x" * 20_000_000})
    assert (answer.code, answer.out, answer.err) == (0, b"", "")
    assert time.monotonic() - began < 6
    assert is_one_object(fleet.hook("tool", "s", alpha, tool_response={"stdout": "x" * 70_000_000}))


def test_stdin_that_stays_open_ends_in_time(fleet: Fleet) -> None:
    began = time.monotonic()
    with subprocess.Popen(
        [fleet.base / "hook", "claude", "SessionStart"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.wait(timeout=10) == 0
        assert process.stdout is not None and process.stdout.read() == b""
    assert 2 < time.monotonic() - began < 9


def start_by_shell(fleet: Fleet, script: str) -> "subprocess.CompletedProcess[str]":
    """A session's start in alpha, the launcher being `$0` of a shell's script."""
    payload = json.dumps(fleet.payload("start", "s", fleet.folder("alpha")))
    command = ["sh", "-c", script, str(fleet.base / "hook")]
    return subprocess.run(command, input=payload, text=True, capture_output=True, check=False)


@pytest.mark.parametrize("closed", ["1>&-", "2>&-", "0<&-", "1>&- 2>&- 0<&-", ">/dev/full"])
def test_streams_that_are_closed(fleet: Fleet, closed: str) -> None:
    """No file of ours takes the number of a stream, so nothing we print ends up in it."""
    done = start_by_shell(fleet, f'"$0" claude SessionStart {closed}')
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    with fleet.ready() as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    for file in fleet.base.rglob("*"):
        assert not file.is_file() or b"hookSpecificOutput" not in file.read_bytes(), file


@pytest.mark.parametrize("number", range(len(IDS)))
def test_case_27_ids_are_data(fleet: Fleet, number: int) -> None:
    session = IDS[number]
    before = {path for path in fleet.home.parent.rglob("*") if not path.is_relative_to(fleet.base)}
    for moment in EVENTS:
        answer = fleet.hook(moment, session, fleet.folder("alpha"), agent_id=session)
        assert is_one_object(answer)
    after = {path for path in fleet.home.parent.rglob("*") if not path.is_relative_to(fleet.base)}
    assert after == before
    assert {path.name for path in fleet.base.rglob("*")} <= {
        "brain.db", "brain.db-wal", "brain.db-shm", "ready.db", "ready.db-wal", "ready.db-shm", "hook", "ingest.lock", "logs", "hook.log",
    }  # fmt: skip
    with fleet.ready() as db:
        kept = {row[0] for row in db.execute("SELECT DISTINCT session_id FROM seen")}
    if isinstance(session, str) and 0 < len(session) <= 1024:
        assert kept == {session.encode("utf-8", "backslashreplace").decode()}


# what is broken --------------------------------------------------------------------------------------------------------


def break_missing(path: Path) -> None:
    for part in ("", "-wal", "-shm"):
        path.with_name(path.name + part).unlink(missing_ok=True)


def break_garbage(path: Path) -> None:
    break_missing(path)
    path.write_bytes(b"SQLite format 3\0" + os.urandom(5000))


def break_empty(path: Path) -> None:
    break_missing(path)
    path.write_bytes(b"")


def break_newer(path: Path) -> None:
    break_missing(path)
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")


def break_folder(path: Path) -> None:
    break_missing(path)
    path.mkdir()


@pytest.mark.parametrize("kind", ["missing", "garbage", "empty", "newer", "folder"])
def test_a_ready_db_that_cannot_be_used(fleet: Fleet, kind: str) -> None:
    """The line that says so, a line in log and spool; the worker makes it anew, and the next prompt brings the block."""
    globals()[f"break_{kind}"](fleet.base / "ready.db")
    (fleet.base / "worker.claim").touch()  # nobody starts a worker beside the test's own
    alpha = fleet.folder("alpha")
    answer = Answer(*run_raw(fleet, "start", "s", alpha))
    assert answer.context.endswith("is being made ready.</project-memory>")
    assert len(log_of(fleet)) == 1
    if kind == "folder":
        return
    fleet.work()
    assert not (fleet.base / "spool.jsonl").exists()
    with fleet.ready() as db:
        assert db.execute("SELECT session_id, project FROM seen").fetchall() == [("s", "git.example.com/acme/alpha")]
    assert "axolotl" in fleet.hook("prompt", "s", alpha).context


def run_raw(fleet: Fleet, moment: str, session: str, folder: Path) -> tuple[int, bytes, str]:
    payload = json.dumps(fleet.payload(moment, session, folder)).encode()
    done = subprocess.run(
        [str(fleet.base / "hook"), "claude", EVENTS[moment][0]], input=payload, capture_output=True, timeout=20
    )
    return done.returncode, done.stdout, done.stderr.decode()


def test_case_15_a_locked_store_delays_or_spools(fleet: Fleet) -> None:
    """Held for long: the block all the same, in time, and what was to be written is kept for the next time."""
    with subprocess.Popen(
        [sys.executable, CASES / "15-database-is-locked" / "hold-lock.py", fleet.base / "ready.db", "60"],
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        began = time.monotonic()
        code, out, err = run_raw(fleet, "start", "s", fleet.folder("alpha"))
        assert time.monotonic() - began < 6
        assert code == 0 and b"axolotl" in out and "locked" in err
        holder.send_signal(signal.SIGKILL)
    spooled = [json.loads(line) for line in (fleet.base / "spool.jsonl").read_text().splitlines()]
    assert [one["session_id"] for one in spooled] == ["s"]
    assert "axolotl" not in (fleet.base / "spool.jsonl").read_text()
    fleet.work()
    with fleet.ready() as db:
        assert db.execute("SELECT session_id, told_at IS NOT NULL FROM seen").fetchall() == [("s", 1)]
    assert fleet.hook("prompt", "s", fleet.folder("alpha")).context == ""


def test_a_home_that_cannot_be_written(fleet: Fleet) -> None:
    """Read as it is; nothing is written, and nobody waits."""
    launcher = [str(fleet.base / "hook"), "claude", "SessionStart"]
    payload = json.dumps(fleet.payload("start", "s", fleet.folder("alpha"))).encode()
    with fleet.ready() as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for part in ("-wal", "-shm"):
        (fleet.base / f"ready.db{part}").unlink(missing_ok=True)
    before = {path: path.read_bytes() for path in fleet.base.rglob("*") if path.is_file()}
    for path in fleet.base.iterdir():
        path.chmod(path.stat().st_mode & 0o555)
    fleet.base.chmod(0o500)
    try:
        done = subprocess.run(launcher, input=payload, capture_output=True, preexec_fn=drop_privileges, timeout=10)
    finally:
        fleet.base.chmod(0o700)
    assert done.returncode == 0 and b"axolotl" in done.stdout
    assert {path: path.read_bytes() for path in fleet.base.rglob("*") if path.is_file()} == before


SET_SECUREBITS, NO_ROOT = 28, 3
"""Without it, root gets all its capabilities back with the next program it starts."""


def drop_privileges() -> None:
    """Be bound by permissions, also where the tests run as root."""
    ctypes.CDLL(None).prctl(SET_SECUREBITS, NO_ROOT, 0, 0, 0)
    header, none = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    ctypes.CDLL(None).capset(header, none)


@pytest.mark.parametrize("gone", ["interpreter", "file", "home"])
def test_what_was_deleted_under_a_running_session(fleet: Fleet, gone: str, tmp_path: Path) -> None:
    alpha = fleet.folder("alpha")
    launcher = fleet.base / "hook"
    if gone == "home":
        launcher.rename(tmp_path / "hook")
        shutil.rmtree(fleet.base)
        launcher = tmp_path / "hook"
    else:
        file = str(tmp_path / "start.py") if gone == "file" else str(START)
        python = str(tmp_path / "python") if gone == "interpreter" else sys.executable
        launcher.write_text(launcher_text(fleet.base, python, Path(file)))
    payload = json.dumps(fleet.payload("prompt", "s", alpha)).encode()
    done = subprocess.run([launcher, "claude", "UserPromptSubmit"], input=payload, capture_output=True, timeout=10)
    assert (done.returncode, done.stdout) == (0, b"")
    assert gone != "home" or not fleet.base.exists()


@pytest.mark.parametrize("name", ["it's", 'Ana Lee\'s "x" $HOME', "ü n", "a;b", "-n"])
def test_case_23_a_home_of_any_name(fleet: Fleet, name: str) -> None:
    base = fleet.base.rename(fleet.home / name)
    launcher = base / "hook"
    launcher.write_text(launcher_text(base, sys.executable, Path(str(START))))
    payload = json.dumps(fleet.payload("start", "s", fleet.folder("alpha"))).encode()
    done = subprocess.run([launcher, "claude", "SessionStart"], input=payload, capture_output=True, timeout=10)
    assert b"axolotl" in done.stdout


def test_it_can_be_switched_off(fleet: Fleet) -> None:
    answer = fleet.hook("start", "s", fleet.folder("alpha"), environment={"BRAINPROJ_HOOK_DISABLE": "1"})
    assert (answer.code, answer.out, answer.err) == (0, b"", "")
    with fleet.ready() as db:
        assert db.execute("SELECT count(*) FROM seen").fetchone() == (0,)


def test_the_log_has_its_limit(fleet: Fleet) -> None:
    logs = fleet.base / "logs"
    logs.mkdir()
    (logs / "hook.log").write_text("x" * 1_000_001)
    fleet.send(b"no object", "claude", "SessionStart")
    assert (logs / "hook.log.1").stat().st_size == 1_000_001
    assert len((logs / "hook.log").read_text().splitlines()) == 1


def test_the_spool_has_its_limit(fleet: Fleet) -> None:
    (fleet.base / "spool.jsonl").write_text("x" * 8_000_001)
    (fleet.base / "ready.db").unlink()
    (fleet.base / "worker.claim").touch()
    assert run_raw(fleet, "start", "s", fleet.folder("alpha"))[0] == 0
    assert (fleet.base / "spool.jsonl").stat().st_size == 8_000_001


@pytest.mark.parametrize("command", ["resolve", "preview", "sessions", "search", "records", "scope", "backfill"])
def test_commands_in_a_home_that_cannot_be_written(fleet: Fleet, command: str) -> None:
    """An answer, or one error that says what to do; never a traceback."""
    for path in fleet.base.iterdir():
        path.chmod(path.stat().st_mode & 0o555)
    fleet.base.chmod(0o500)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "brainproj", command, *(["axolotl"] if command == "search" else [])],
            cwd=fleet.folder("alpha"), capture_output=True, text=True, preexec_fn=drop_privileges, timeout=30,
        )  # fmt: skip
    finally:
        fleet.base.chmod(0o700)
    assert "Traceback" not in done.stderr and "brainproj failed" not in done.stderr, done.stderr
    assert done.returncode == (4 if command == "backfill" else 0), done.stderr
    if command in ("preview", "search"):
        assert "axolotl" in done.stdout


def test_a_clock_that_jumps(fleet: Fleet) -> None:
    """What was noted in the future neither blocks a refresh nor hides what is new."""
    alpha = fleet.folder("alpha")
    fleet.hook("start", "s", alpha)
    with fleet.ready() as db:
        db.execute("UPDATE projects SET rendered_at = rendered_at + 86400000000")
        db.execute("UPDATE claims SET at = at + 86400000000")
        db.execute("UPDATE seen SET last_at = last_at + 86400000000")
    (fleet.base / "worker.claim").touch()
    assert is_one_object(Answer(*run_raw(fleet, "compact", "s", alpha)))
    with fleet.ready() as db:
        assert db.execute("SELECT at FROM claims WHERE name = 'worker'").fetchone()[0] <= time.time_ns() // 1000


# many at once ----------------------------------------------------------------------------------------------------------


def at_once(fleet: Fleet, calls: list[tuple[str, str]]) -> list[Answer]:
    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(lambda call: Answer(*run_raw(fleet, call[0], call[1], fleet.folder("alpha"))), calls))


def kept_sessions(fleet: Fleet) -> dict[str, bool]:
    """Session id → whether it ended, from ready.db and the spool."""
    deadline = time.monotonic() + 20
    while True:  # a worker that a hook started may be at it, and is the only one then
        fleet.work()
        if not list(fleet.base.glob("spool.jsonl*")) or time.monotonic() > deadline:
            break
        time.sleep(0.05)
    with fleet.ready() as db:
        return {row[0]: bool(row[1]) for row in db.execute("SELECT session_id, ended_at IS NOT NULL FROM seen")}


def test_case_16_none_of_sixty_at_once_is_lost(fleet: Fleet) -> None:
    (fleet.base / "worker.claim").touch()
    starts = [("start", f"s-{number:03d}") for number in range(1, 61)]
    answers = at_once(fleet, starts)
    assert all(answer.code == 0 and "axolotl" in answer.context for answer in answers)
    assert set(kept_sessions(fleet)) == {session for _, session in starts}
    more = [("end", f"s-{number:03d}") for number in range(1, 31)] + [
        ("start", f"s-{number:03d}") for number in range(61, 91)
    ]
    assert all(is_one_object(answer) for answer in at_once(fleet, more))
    kept = kept_sessions(fleet)
    assert {session for session, ended in kept.items() if not ended} == {f"s-{number:03d}" for number in range(31, 91)}


def test_two_hooks_of_one_moment_give_the_block_once(fleet: Fleet) -> None:
    for round_number in range(5):
        answers = at_once(fleet, [("start", f"s-{round_number}")] * 4)
        assert sum("axolotl" in answer.context for answer in answers) == 1


def test_killed_hooks_leave_a_readable_register(fleet: Fleet) -> None:
    payloads = [
        json.dumps(fleet.payload("start", f"s-{number}", fleet.folder("alpha"))).encode() for number in range(20)
    ]
    running = []
    for payload in payloads:
        process = subprocess.Popen(
            [fleet.base / "hook", "claude", "SessionStart"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert process.stdin is not None
        process.stdin.write(payload)
        process.stdin.close()
        running.append(process)
    for number, process in enumerate(running):
        if number % 2:
            time.sleep(0.01)
            os.killpg(process.pid, signal.SIGKILL)
    lived = {f"s-{number}" for number, process in enumerate(running) if process.wait() == 0}
    for process in running:
        assert process.stdout is not None
        process.stdout.close()
    assert lived <= set(kept_sessions(fleet))
