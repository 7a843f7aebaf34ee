"""agentihooks' registry in both generations and its session rows: what a row is taken for, and that none can hurt."""

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brainproj.core.live import LiveSession, State
from brainproj.core.times import render_time
from brainproj.foreign.agentihooks import find_live, read_registry, read_session_rows

NOW = datetime.now(UTC).replace(microsecond=0)
"""Processes really start, so the clock of these tests is the real one."""
HOUR = timedelta(hours=1)
ID = "5f0c9a54-2b7e-4f1d-9a65-0d3a4b1c7e10"
OTHER = "6f0c9a54-2b7e-4f1d-9a65-0d3a4b1c7e11"


@pytest.fixture(scope="module")
def living() -> Iterator[int]:
    """The pid of a process that lives as long as these tests."""
    with subprocess.Popen(["sleep", "60"]) as child:
        yield child.pid
        child.kill()


@pytest.fixture(scope="module")
def dead() -> int:
    """A pid that had a process."""
    with subprocess.Popen(["true"]) as child:
        pass
    return child.pid


def row_of(**changes: Any) -> dict[str, Any]:
    row = {
        "started_at": render_time(NOW - HOUR),
        "last_seen": render_time(NOW + timedelta(seconds=5)),
        "status": "alive",
        "pid": None,
        "cwd": "/home/op/dev/alpha",
        "model": "",
    } | changes
    return {name: value for name, value in row.items() if value is not ...}


def write_registry(folder: Path, rows: object) -> Path:
    (folder / "active-sessions.json").write_text(json.dumps(rows, indent=2))
    return folder / "broadcast.json"


def live_of(folder: Path, rows: object) -> list[LiveSession]:
    return find_live(write_registry(folder, rows), folder, NOW)


def test_a_row_of_the_first_generation(home: Path, dead: int) -> None:
    [session] = live_of(home, {ID: row_of(pid=dead, summary="task: fix the parser", summary_sticky=True)})

    assert (session.session_id, session.agent_id, session.agent) == (ID, None, "claude")
    assert (session.cwd, session.title) == ("/home/op/dev/alpha", "task: fix the parser")
    assert (session.started_at, session.last_seen_at) == (NOW - HOUR, NOW + timedelta(seconds=5))
    assert (session.state, session.seen_by, session.pid) == (State.IDLE, ("agentihooks",), None)


def test_a_row_of_the_second_generation(home: Path, living: int) -> None:
    row = row_of(pid=living, account="work", name="engineer@a1b2c3-0001", target="codex", project=None, swarm="fleet")
    [session] = live_of(home, {ID: row})

    assert (session.agent, session.pid, session.state) == ("codex", living, State.IDLE)
    assert (session.agent_name, session.swarm, session.task, session.lane) == (
        "engineer@a1b2c3-0001",
        "fleet",
        None,
        None,
    )


@pytest.mark.parametrize("status", ["alive", "superseded", "closed", "dead", "handed_off", None, 7, ["alive"], ...])
@pytest.mark.parametrize("process", ["living", "dead", "none"])
@pytest.mark.parametrize("seen", ["lately", "yesterday"])
@pytest.mark.parametrize("generation", [1, 2])
def test_what_a_row_is_taken_for(
    home: Path, living: int, dead: int, status: object, process: str, seen: str, generation: int
) -> None:
    pid = {"living": living, "dead": dead, "none": None}[process]
    # a process that began after its session was seen last is another one
    last_seen = NOW - timedelta(seconds=5) if seen == "lately" else NOW - 25 * HOUR
    account = {"account": "work"} if generation == 2 else {}
    row = row_of(status=status, pid=pid, last_seen=render_time(last_seen), **account)

    states = [(session.state, session.pid) for session in live_of(home, {ID: row})]

    if status == "closed":
        assert states == [(State.ENDED, None)]
    elif seen == "yesterday" or status not in ("alive", "superseded"):
        assert states == []
    elif process == "living":
        assert states == [(State.IDLE, living if status == "alive" else None)]
    else:
        assert states == ([] if generation == 2 and process == "dead" else [(State.IDLE, None)])


def test_a_process_that_lives_keeps_its_session_for_more_than_a_day(home: Path, living: int) -> None:
    row = row_of(pid=living, last_seen=render_time(NOW - timedelta(seconds=5)))
    broadcast = write_registry(home, {ID: row})
    [session] = find_live(broadcast, home, NOW + 30 * HOUR)
    assert (session.session_id, session.pid) == (ID, living)


@pytest.mark.parametrize("last_seen", [..., None, "", "soon", True, [], 1e308, "0001-01-01T00:00:00+23:00"])
def test_a_row_without_a_time_falls_back_to_its_start(home: Path, last_seen: object) -> None:
    [session] = live_of(home, {ID: row_of(last_seen=last_seen)})
    assert session.last_seen_at == NOW - HOUR
    assert live_of(home, {ID: row_of(last_seen=last_seen, started_at=None)}) == []


def test_a_clock_that_is_days_ahead_keeps_no_session_for_ever(home: Path) -> None:
    assert live_of(home, {ID: row_of(last_seen=render_time(NOW + 25 * HOUR))}) == []


@pytest.mark.parametrize("key", ["a0ad4f44468bdf20d", "ac47f8c", "agent-a0ad4f44468bdf20d", ""])
def test_sub_agents_and_empty_keys_are_no_sessions(home: Path, key: str) -> None:
    assert live_of(home, {key: row_of()}) == []


@pytest.mark.parametrize("key", ["../../.claude/settings", "a\0b", "x" * 10_000, "doctor-probe", "s-001", "/"])
def test_any_other_key_is_an_id_and_no_path(home: Path, key: str) -> None:
    assert [session.session_id for session in live_of(home, {key: row_of()})] == [key]


@pytest.mark.parametrize("agent", ["gpt", "", None, 7, ["codex"], {"name": "codex"}])
def test_an_unknown_agent_is_claude(home: Path, agent: object) -> None:
    assert [session.agent for session in live_of(home, {ID: row_of(agent=agent)})] == ["claude"]


@pytest.mark.parametrize("pid", [True, -1, 0, 1 << 22 | 1, 1 << 80, 1.5, "7", [7]])
def test_what_is_no_pid_has_no_process(home: Path, pid: object) -> None:
    assert [session.pid for session in live_of(home, {ID: row_of(pid=pid)})] == [None]


@pytest.mark.parametrize("rows", [[], None, "x", 7, {ID: None}, {ID: []}, {ID: "alive"}, {"sessions": {ID: {}}}])
def test_another_shape_is_empty(home: Path, rows: object) -> None:
    assert live_of(home, rows) == []


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"a":' + b"9" * 5_000 + b"}"])
def test_a_damaged_file_is_empty(home: Path, content: bytes) -> None:
    broadcast = write_registry(home, {})
    (home / "active-sessions.json").write_bytes(content)
    assert read_registry(broadcast) == []


def test_a_registry_over_4_mb_is_ignored(home: Path) -> None:
    assert live_of(home, {ID: row_of(padding="x" * (4 << 20))}) == []
    path = home / "active-sessions.json"
    path.write_text(" " * (4 << 20) + "\n" + json.dumps({ID: row_of()}))
    assert read_registry(home / "broadcast.json") == []


def test_a_bad_row_costs_only_itself(home: Path) -> None:
    assert [session.session_id for session in live_of(home, {"x": 7, ID: row_of(), "y": row_of(status=7)})] == [ID]


def test_what_is_no_file_is_empty(home: Path) -> None:
    assert find_live(home / "nowhere" / "broadcast.json", home / "nowhere", NOW) == []
    os.mkfifo(home / "active-sessions.json")
    (home / "brain" / "project-sessions.jsonl").mkdir(parents=True)
    assert find_live(home / "broadcast.json", home, NOW) == []


def write_rows(home: Path, *lines: object) -> Path:
    path = home / "brain" / "project-sessions.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines))
    return path


def test_the_last_row_of_a_session_wins(home: Path) -> None:
    first = {"session_id": ID, "project": "alpha", "repo": "alpha", "cwd": "/a", "started_at": "2026-10-05T10:02:11Z"}
    last = first | {"worktree": "pm1", "remote": "github.com/op/alpha", "project_id": "p1", "cwd": "/b"}
    write_rows(home, first, {"session_id": OTHER, "project": "beta"}, last)

    rows = read_session_rows(home)

    assert (rows[ID].project, rows[ID].repo, rows[ID].worktree, rows[ID].cwd) == ("alpha", "alpha", "pm1", "/b")
    assert (rows[ID].remote, rows[ID].project_id) == ("github.com/op/alpha", "p1")
    assert rows[ID].started_at == datetime(2026, 10, 5, 10, 2, 11, tzinfo=UTC)
    assert (rows[OTHER].project, rows[OTHER].cwd, rows[OTHER].started_at) == ("beta", None, None)


def test_a_bad_or_torn_row_costs_only_itself(home: Path) -> None:
    write_rows(home, "not json\n", [], 7, {"session_id": 7}, {"session_id": ID, "project": ["x"]}, '{"session_id": "to')
    rows = read_session_rows(home)
    assert list(rows) == [ID]
    assert rows[ID].project is None


def test_of_a_long_file_the_end_is_read(home: Path) -> None:
    write_rows(home, {"session_id": OTHER, "padding": "x" * (4 << 20)}, {"session_id": ID})
    assert list(read_session_rows(home)) == [ID]


def test_a_session_without_a_folder_takes_that_of_its_row(home: Path) -> None:
    write_rows(home, {"session_id": ID, "cwd": "/from/the/index"})
    assert [session.cwd for session in live_of(home, {ID: row_of(cwd=None)})] == ["/from/the/index"]
    assert [session.cwd for session in live_of(home, {ID: row_of()})] == ["/home/op/dev/alpha"]


def test_nothing_is_written(home: Path) -> None:
    write_rows(home, {"session_id": ID})
    broadcast = write_registry(home, {ID: row_of()})
    before = [(path, path.stat().st_mtime_ns) for path in sorted(home.rglob("*"))]
    find_live(broadcast, home, NOW)
    assert [(path, path.stat().st_mtime_ns) for path in sorted(home.rglob("*"))] == before


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=4,
)
fields = ("status", "pid", "cwd", "last_seen", "started_at", "name", "summary", "agent", "target", "account")
rows = st.fixed_dictionaries({}, optional=dict.fromkeys(fields, anything | st.sampled_from(["alive", "closed"])))


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(st.text(max_size=8), rows | anything, max_size=3), rows)
def test_no_row_makes_it_raise(registry: dict[str, Any], row: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_rows(Path(folder), row | {"session_id": ID})
        sessions = live_of(Path(folder), registry | {ID: row})
        assert all(isinstance(session, LiveSession) and session.session_id for session in sessions)
