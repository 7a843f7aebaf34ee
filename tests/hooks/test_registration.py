"""What hooks write down of sessions: `sessions` lists them, `preview --session` tells what one was given."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from ..cli import Cli
from ..repositories import subfolder
from .sessions import Fleet


def test_sessions_lists_what_hooks_saw(fleet: Fleet, cli: Cli) -> None:
    alpha, beta = fleet.folder("alpha"), fleet.folder("beta")
    environment = {"BRAIN_PROJECT_SCOPE": "rank"}
    fleet.hook("start", "one", alpha, environment=environment)
    fleet.hook("subagent_start", "one", alpha, agent_id="child")
    fleet.hook("prompt", "two", beta, "codex")
    fleet.hook("start", "three", alpha)
    fleet.hook("end", "three", alpha)
    found = {(one["session_id"], one["agent_id"]): one for one in cli.ok("sessions", "--json").json}
    assert set(found) == {("one", None), ("one", "child"), ("two", None)}
    one, two = found["one", None], found["two", None]
    assert (one["agent"], one["project"]["name"], one["scope"], one["seen_by"]) == ("claude", "alpha", "rank", ["hook"])
    assert (two["agent"], two["project"]["name"], two["scope"], two["state"]) == ("codex", "beta", "strict", "busy")
    assert one["state"] == "idle" and one["cwd"] == str(alpha)


def test_a_session_whose_process_is_gone_does_not_run(fleet: Fleet, cli: Cli) -> None:
    """No hook tells of a kill; the process that started the hook does."""
    payload = json.dumps(fleet.payload("start", "killed", fleet.folder("alpha")))
    code = f"import subprocess; subprocess.run([{str(fleet.base / 'hook')!r}, 'claude', 'SessionStart'], input={payload.encode()!r})"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    with fleet.ready() as db:
        assert db.execute("SELECT count(*) FROM seen WHERE session_id = 'killed'").fetchone() == (1,)
    assert cli.ok("sessions", "--json").json == []


def test_a_session_keeps_its_start_through_resumes(fleet: Fleet) -> None:
    alpha = fleet.folder("alpha")
    environment = {"AGENTIHOOKS_SWARM_TASK": "pm1", "AGENTIHOOKS_SWARM_LANE": "eng", "AGENTIHOOKS_AGENT_NAME": "eng-1"}
    fleet.hook("start", "s", alpha, environment=environment)
    fleet.hook("end", "s", alpha)
    fleet.hook("resume", "s", alpha)
    for _ in range(3):
        fleet.hook("tool", "s", alpha)
    with fleet.ready() as db:
        rows = db.execute(
            "SELECT task, lane, agent_name, calls, ended_at, started_at < last_at, moment FROM seen"
        ).fetchall()
    assert rows == [("pm1", "eng", "eng-1", 3, None, 1, "tool")]


def test_preview_tells_what_a_session_was_given_and_gets_next(fleet: Fleet, cli: Cli) -> None:
    alpha = fleet.folder("alpha")
    fleet.hook("start", "open-session", alpha)
    before = cli.ok("preview", "--session", "open", "--json").json
    assert before["moment"] == "prompt" and before["context"] == ""
    assert [(one["moment"], one["what"]) for one in before["given"]] == [("start", "block")]
    fleet.write(8, alpha, ["Theirs"], lesson="Cool the axolotl's water.")
    fleet.read()
    after = cli.ok("preview", "--session", "open")
    assert "Cool the axolotl's water." in after.out and "GIVEN" in after.err
    assert after.out == fleet.hook("prompt", "open-session", alpha).context + "\n"
    assert cli.ok("preview", "--session", "open", "--at", "compact").out.startswith("<project-memory ")


def test_a_hooks_row_outranks_what_a_transcript_tells(fleet: Fleet, cli: Cli, tmp_path: Path) -> None:
    """The session started in alpha; its transcript's first line names another folder."""
    fleet.hook("start", "00000000-0000-4000-8000-000000000009", fleet.folder("alpha"))
    sid = fleet.write(9, fleet.folder("beta"), ["Wandered off"])
    with fleet.ready() as db:
        db.execute("UPDATE seen SET session_id = ?", (sid,))
    fleet.read()
    found = next(one for one in cli.ok("sessions", "--all", "--json").json if one["session_id"] == sid)
    assert found["project"]["name"] == "alpha" and "hook saw it start" in found["why"]


def test_the_worker_is_started_once_and_reads_what_grew(fleet: Fleet) -> None:
    """As it runs: the hook starts it, detached; it reads the session, makes its record ready, and goes away."""
    alpha = fleet.folder("alpha")
    sid = fleet.write(8, alpha, ["Theirs"], lesson="Cool the axolotl's water.")
    path = fleet.home / ".claude" / "projects" / "-alpha" / f"{sid}.jsonl"
    payload = json.dumps(fleet.payload("stop", sid, alpha, transcript_path=str(path))).encode()
    for _ in range(3):
        subprocess.run([fleet.base / "hook", "claude", "Stop"], input=payload, check=True, env=dict(os.environ))
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        with fleet.ready() as db:
            found = db.execute(
                "SELECT 1 FROM items WHERE text LIKE '%Cool the axolotl%' AND kind = 'record'"
            ).fetchone()
            idle = db.execute("SELECT count(*) FROM claims").fetchone() == (0,)
        if found and idle:
            break
        time.sleep(0.05)
    assert found and idle
    assert not (fleet.base / "logs").exists()


def test_a_killed_worker_blocks_nobody(fleet: Fleet) -> None:
    """Its claim is free again after 30 seconds, its lock at once."""
    with fleet.ready() as db:
        db.execute("INSERT INTO claims VALUES('worker', ?)", (time.time_ns() // 1000 - 31_000_000,))
        db.execute("INSERT INTO wanted VALUES('project', '', 'git.example.com/acme/alpha', 1)")
    fleet.work()
    with fleet.ready() as db:
        assert db.execute("SELECT count(*) FROM wanted").fetchone() == (0,)


def test_one_worker_at_a_time(fleet: Fleet) -> None:
    from brainproj.worker import _alone

    with _alone(fleet.base / "worker.lock") as first:
        assert first
        fleet.hook("start", "s", subfolder(fleet.place, "odd"))
        fleet.work()
        with fleet.ready() as db:
            assert db.execute("SELECT project FROM seen").fetchall() == [("",)]


def test_the_list_tells_what_block_is_ready_for_a_session(fleet: Fleet, cli: Cli) -> None:
    fleet.hook("start", "s1", fleet.folder("alpha"))
    fleet.hook("start", "s2", fleet.folder("alpha"), environment={"BRAIN_PROJECT_SCOPE": "off"})
    found = {one["session_id"]: one for one in cli.ok("sessions", "--json").json}
    block = cli.ok("preview", "--cwd", fleet.folder("alpha"), "--json").json["block"]
    assert found["s1"]["block_bytes"] == len(block.encode()) and found["s1"]["block_at"].endswith("Z")
    assert found["s2"]["block_bytes"] is None and found["s2"]["block_at"] is None
    assert " 0.4 KB " in cli.ok("sessions").out
