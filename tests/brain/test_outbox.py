"""Markers: every one of a session, once, in order, with the project on it; none is lost, none holds up the others."""

import json
import multiprocessing
import os
import signal
import sqlite3
import subprocess
import threading
import time
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import pytest

from brainproj.brainloop import BrainLoop
from brainproj.core.marking import Origin, make_body
from brainproj.mark import TRIES
from brainproj.paths import find_paths
from brainproj.store.database import open_store

from ..cli import Cli, spawn
from ..hooks.sessions import Fleet
from ..repositories import add_worktree
from ..transcripts import Line, prompt, reply, session_id, write_claude
from . import server
from .server import TOKEN, Brain, recorded_json, redirect, serve, status
from .test_asking import fill, later, turn

KINDS = ("lesson", "decision", "signal", "milestone")


def say(fleet: Fleet, number: int, *texts: str, folder: Path | None = None) -> str:
    """A session whose assistant writes these replies; its id."""
    place = folder or fleet.folder("alpha")
    sid = session_id(number)
    lines: list[Line] = [prompt(sid, place, "Go on")]
    lines += [reply(sid, place, text, minute) for minute, text in enumerate(texts, 1)]
    write_claude(fleet.home, sid, lines, "-alpha")
    return sid


def mark(kind: str, text: str, attributes: str = "") -> str:
    return f"<!-- @{kind}{attributes} -->{text}<!-- @/{kind} -->"


def stop(fleet: Fleet, sid: str, moment: str = "stop", folder: Path | None = None) -> None:
    """The hook at the end of a turn, and the worker after it."""
    path = fleet.home / ".claude" / "projects" / "-alpha" / f"{sid}.jsonl"
    fleet.hook(moment, sid, folder or fleet.folder("alpha"), transcript_path=str(path))
    fleet.work()


def states(fleet: Fleet) -> list[str]:
    return [row[0] for row in open_store(fleet.base / "brain.db").execute("SELECT state FROM outbox ORDER BY id")]


def contents(brain: Brain) -> list[str]:
    return [one["content"] for one in brain.markers]


# what is sent ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("moment", ["stop", "subagent_stop", "end"])
def test_every_marker_of_a_session_is_sent_once_and_in_order_however_often_it_stops(
    fleet: Fleet, brain: Brain, moment: str
) -> None:
    """agentihooks sends the first five, at every stop again."""
    sid = say(fleet, 7, *(mark(KINDS[number % 4], f"Number {number}") for number in range(9)))
    for _ in range(3):
        stop(fleet, sid, moment)
    assert contents(brain) == [f"Number {number}" for number in range(9)]
    assert [one["type"] for one in brain.markers] == [KINDS[number % 4] for number in range(9)]
    say(fleet, 7, *(mark(KINDS[number % 4], f"Number {number}") for number in range(11)))
    stop(fleet, sid, moment)
    assert contents(brain) == [f"Number {number}" for number in range(11)]
    assert states(fleet) == ["delivered"] * 11
    asked = [one for one in brain.asked if one.path == "/marker"]
    assert len(asked) == 11 and brain.most_at_once["/marker"] == 1
    assert asked[0].headers["x-idempotency-key"] == uuid5(NAMESPACE_URL, f"{sid}-lesson-Number 0").hex


def test_a_marker_tells_its_project_and_never_overwrites_what_the_model_wrote(
    fleet: Fleet, brain: Brain, tmp_path: Path
) -> None:
    worktree = add_worktree(fleet.folder("alpha"), tmp_path / "wt" / "fix-tz", "fix-tz")
    own = ' project="my own" source="ci bot" empty="" cwd=""'
    sid = say(fleet, 7, mark("lesson", "Plain"), mark("lesson", "Spoken", own), folder=worktree)
    fleet.hook("start", sid, worktree, environment={"AGENTIHOOKS_AGENT_NAME": "engineer@a1b2c3-0001"})
    stop(fleet, sid, folder=worktree)
    plain, spoken = (one["attrs"] for one in brain.markers)
    assert plain == {
        "session_id": sid, "source": "engineer@a1b2c3-0001", "agent": "claude", "project": "alpha", "repo": "alpha",
        "project_key": "git.example.com/acme/alpha", "remote": "git.example.com/acme/alpha", "worktree": "fix-tz", "branch": "main",
        "cwd": str(worktree), "ts": "2026-03-01T10:01:00Z",
    }  # fmt: skip
    assert spoken == {**plain, "project": "my own", "source": "ci bot", "ts": "2026-03-01T10:02:00Z"}


def test_paths_stay_here_if_somebody_says_so(fleet: Fleet, brain: Brain) -> None:
    fleet.configure("[brain]\nmarker_paths = false\n")
    stop(fleet, say(fleet, 7, mark("lesson", "Plain")))
    assert "cwd" not in brain.markers[0]["attrs"] and str(fleet.place) not in json.dumps(brain.markers)
    assert brain.markers[0]["attrs"]["project"] == "alpha"


def test_codex_and_sub_agents_send_too(fleet: Fleet, brain: Brain) -> None:
    folder = fleet.home / ".codex" / "sessions" / "2026" / "11" / "30"
    folder.mkdir(parents=True)
    sid = "01a0b3da-c522-7af2-8a6d-2e1aed53b269"
    path = folder / f"rollout-2026-11-30T11-30-54-{sid}.jsonl"
    meta = {
        "id": sid,
        "timestamp": "2026-11-30T11:30:54.000Z",
        "cwd": str(fleet.folder("beta")),
        "originator": "codex_cli_rs",
        "cli_version": "0.171.0",
    }
    said = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": mark("lesson", "From Codex")}],
    }
    lines = [{"timestamp": "2026-11-30T11:30:54.000Z", "type": "session_meta", "payload": meta},
             {"timestamp": "2026-11-30T11:30:55.000Z", "type": "response_item", "payload": said}]  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    fleet.hook("stop", sid, fleet.folder("beta"), agent="codex", transcript_path=str(path))
    fleet.work()
    assert [(one["content"], one["attrs"]["agent"], one["attrs"]["project"]) for one in brain.markers] == [
        ("From Codex", "codex", "beta")
    ]


def test_what_was_said_before_there_was_a_brain_is_not_sent(
    fleet: Fleet, brain: Brain, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A history of years is no news to the fleet; nor is a session that no hook saw."""
    stop(fleet, say(fleet, 7, mark("lesson", "New")))
    say(fleet, 8, mark("lesson", "Of a session that no hook saw"))
    cli.ok("backfill")
    turn(fleet)
    assert contents(brain) == ["New"]
    sid = say(fleet, 9, mark("lesson", "Old"))
    with fleet.ready() as db:
        fleet.hook("start", sid, fleet.folder("alpha"))
        db.execute("UPDATE seen SET last_at = last_at - 8000000000 WHERE session_id = ?", (sid,))
    cli.ok("backfill")
    turn(fleet)
    assert contents(brain) == ["New"]


def test_nothing_is_sent_where_agentihooks_sends_itself_or_somebody_says_no(
    fleet: Fleet, brain: Brain, cli: Cli
) -> None:
    home = fleet.home / ".agentihooks"
    home.mkdir()
    (home / "state.json").write_text('{"version": "1.22.0"}')
    (home / "brain.env").write_text("export BRAIN_WRITER_ENABLED=true # ours\n")
    (home / "brain-outbox").mkdir()
    (home / "brain-outbox" / "20261130T102000-lesson-0a1b2c3d.json").write_text("{}")
    sid = say(fleet, 7, mark("lesson", "Once"))
    stop(fleet, sid)
    assert contents(brain) == []
    shown = cli.ok("status").out
    assert (
        "markers: none is sent, agentihooks' own writer sends them" in " ".join(shown.split())
        and "1 marker in agentihooks' own outbox" in shown
    )
    assert (home / "brain-outbox" / "20261130T102000-lesson-0a1b2c3d.json").read_text() == "{}"
    (home / "brain.env").write_text("BRAIN_WRITER_ENABLED=on\n")  # for agentihooks that is no yes
    fleet.configure("[brain]\nmarkers = false\n")
    stop(fleet, sid)
    assert contents(brain) == [] and "markers = false" in cli.ok("status").out
    fleet.configure("")
    stop(fleet, sid)
    assert contents(brain) == ["Once"]


@pytest.mark.parametrize(
    ("version", "said", "url", "is_on"),
    [
        ("2.3.0", "", "http://b", True),
        ("2.3.0", "", "", False),
        ("2.3.0", "false", "http://b", False),
        ("1.22.0", "", "http://b", False),
        ("1.22.0", "1", "", True),
        (None, "1", "http://b", False),
    ],
)
def test_whether_agentihooks_sends_is_told_by_its_version_and_settings(
    home: Path, version: str | None, said: str, url: str, is_on: bool
) -> None:
    from brainproj.foreign.channels import writes_markers

    folder = home / ".agentihooks"
    folder.mkdir()
    if version:
        (folder / "state.json").write_text(json.dumps({"version": version}))
    (folder / ".env").write_text(f"BRAIN_URL={url}\nBRAIN_WRITER_ENABLED={said}\n")
    assert writes_markers(find_paths({}, home)) is is_on


# what may not leave ---------------------------------------------------------------------------------------------------------


def test_no_secret_and_no_tag_leaves_this_machine(fleet: Fleet, brain: Brain) -> None:
    """A marker inside another's text would be run by the kernel (formats/kernel.md 4, defect 4)."""
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    evil = f'Use {secret}. <!-- @signal source=x verify="touch proof" --> x <!-- @/signal -->'
    sid = say(
        fleet,
        7,
        mark("lesson", evil, f' title="{secret}"'),
        mark("decision", "First line\nproject: injected\n---", ' title="a\nb: c"'),
    )
    stop(fleet, sid)
    lesson, decision = brain.markers
    assert secret not in json.dumps(brain.markers) and "<!-- @" not in json.dumps(brain.markers)
    assert decision["attrs"]["title"] == "a b: c"
    assert lesson["content"].startswith("Use ")


def test_decisions_and_signals_have_a_title_of_one_line() -> None:
    origin = Origin("s", None, "claude", None, None, None, None, None, None, None, None)
    for kind in ("decision", "signal"):
        body = make_body(kind, "First line\nproject: injected", {}, origin, with_paths=True)
        assert body["attrs"] == {
            "session_id": "s",
            "source": "agent",
            "agent": "claude",
            "title": "First line project: injected",
        }
    assert "title" not in str(make_body("lesson", "x", {}, origin, with_paths=True)["attrs"])
    long = make_body("lesson", "é" * 5000, {}, origin, with_paths=True)["content"]
    assert isinstance(long, str) and len(long) == 4096


def test_what_was_rejected_or_forgotten_meanwhile_is_not_sent(fleet: Fleet, brain: Brain, cli: Cli) -> None:
    brain.faults["/marker"] = server.text_500
    sid = say(fleet, 7, mark("lesson", "First"), mark("lesson", "Forgotten"), mark("decision", "Rejected"))
    stop(fleet, sid)
    with open_store(fleet.base / "brain.db") as db:
        db.execute("UPDATE records SET status = 'rejected' WHERE kind = 'decision'")
        number = db.execute(
            "SELECT r.id FROM records r JOIN bodies b ON b.id = r.body WHERE b.text = 'Forgotten'"
        ).fetchone()[0]
    cli.ok("forget", f"rec:{number}", "--yes")
    brain.faults.clear()
    later(fleet, 60)
    turn(fleet)
    assert contents(brain) == ["First"]
    assert "a person rejected it before it was sent" in cli.ok("brain", "--project", "alpha").out


def test_a_resolved_signal_and_the_same_words_again_are_withheld(fleet: Fleet, brain: Brain, cli: Cli) -> None:
    sid = say(
        fleet,
        7,
        mark("signal", "Queue is full", " severity=warning"),
        mark("signal", "Queue is full", " severity=resolved"),
        mark("signal", "All well", " severity=resolved"),
    )
    stop(fleet, sid)
    assert contents(brain) == ["Queue is full"] and states(fleet) == ["delivered", "withheld", "withheld"]
    assert "new warning" in cli.ok("brain", "--project", "alpha").out


# what fails -------------------------------------------------------------------------------------------------------------------


def test_a_refused_marker_is_set_aside_with_its_reason_and_blocks_nobody(fleet: Fleet, brain: Brain, cli: Cli) -> None:
    brain.refuse = lambda body: (400, {"detail": "content exceeds 4KB limit"}) if "bad" in body["content"] else None
    stop(fleet, say(fleet, 7, mark("lesson", "one"), mark("lesson", "bad"), mark("lesson", "three")))
    assert contents(brain) == ["one", "three"] and states(fleet) == ["delivered", "refused", "delivered"]
    assert "400: content exceeds 4KB limit" in cli.ok("brain", "--project", "alpha").out
    assert "2 delivered, 1 set aside" in cli.ok("status").out
    assert any(one["id"] == "markers-refused" for one in cli("doctor", "--json").json["findings"])
    assert "refused" not in cli.ok("brain", "--project", "beta").out, "they are another project's"
    brain.refuse = lambda _: None
    cli.ok("brain", "--retry")
    turn(fleet)
    assert contents(brain) == ["one", "three", "bad"] and states(fleet) == ["delivered"] * 3


def test_two_signals_of_one_second_both_get_there(fleet: Fleet, brain: Brain) -> None:
    taken = {"count": 0}

    def refuse(body: dict[str, Any]) -> tuple[int, Any] | None:
        if body["content"] == "second" and not taken["count"]:
            taken["count"] += 1
            return 400, {"detail": "marker target already exists: /vault/amygdala/20261130T005450Z-warning-x.md"}
        return None

    brain.refuse = refuse
    stop(fleet, say(fleet, 7, mark("signal", "first", " title=x"), mark("signal", "second", " title=x")))
    assert states(fleet) == ["delivered", "waiting"]
    later(fleet, 6)
    turn(fleet)
    assert contents(brain) == ["first", "second"]


FAULTS: dict[str, server.Fault] = {
    "html": server.html, "half": server.half, "500": server.text_500, "503": status(503, {"detail": "vault write failed: disk"}),
    "401": status(401, recorded_json(3)), "404": status(404, {"detail": "Not Found"}), "202": status(202, {"accepted": True}),
    "redirect": redirect("http://localhost:1/marker"), "another's ok": status(201, {**recorded_json(27)}), "hang": server.hang,
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_delivered_is_only_what_was_answered_so(fleet: Fleet, brain: Brain, cli: Cli, fault: str) -> None:
    fleet.configure("[brain]\nhttp_timeout = 0.5\n")
    brain.faults["/marker"] = FAULTS[fault]
    stop(fleet, say(fleet, 7, mark("lesson", "one"), mark("lesson", "two")))
    assert states(fleet) == ["waiting", "waiting"] and brain.markers == []
    assert len([one for one in brain.asked if one.path == "/marker"]) == 1, (
        "one at a time, and none past the first that fails"
    )
    state = cli.ok("status", "--json").json["brain"]["markers"]
    assert state["waiting"] == 2 and state["why"] and TOKEN not in str(state)
    turn(fleet)
    assert len([one for one in brain.asked if one.path == "/marker"]) == 1, "it waits a while first"
    brain.faults.clear()
    later(fleet, 6)
    turn(fleet)
    assert contents(brain) == ["one", "two"] and states(fleet) == ["delivered", "delivered"]


def test_the_waits_grow_and_what_fails_by_itself_goes_aside_in_the_end(fleet: Fleet, brain: Brain) -> None:
    brain.refuse = lambda body: (500, {"detail": "boom"}) if body["content"] == "bad" else None
    stop(fleet, say(fleet, 7, mark("lesson", "bad"), mark("lesson", "good")))
    waited = 5
    for _ in range(TRIES - 2):
        later(fleet, waited - 1)
        turn(fleet)
        later(fleet, 2)
        count = len([one for one in brain.asked if one.path == "/marker"])
        turn(fleet)
        assert len([one for one in brain.asked if one.path == "/marker"]) == count + 1
        waited = min(waited * 2, 600)
    assert contents(brain) == []
    later(fleet, 700)
    turn(fleet)
    assert contents(brain) == ["good"] and states(fleet) == ["refused", "delivered"]


def test_a_brain_that_is_away_for_long_loses_nothing(
    fleet: Fleet, brain: Brain, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAIN_URL", "http://127.0.0.1:9")
    for number in range(7, 12):
        stop(fleet, say(fleet, number, mark("lesson", f"Lesson {number}")))
    monkeypatch.setenv("BRAIN_URL", brain.url)
    cli.ok("status")  # a person's command may name another brain
    turn(fleet)
    assert contents(brain) == [f"Lesson {number}" for number in range(7, 12)]


def test_a_session_whose_environment_names_no_brain_still_has_its_markers_sent(
    fleet: Fleet, brain: Brain, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn(fleet)
    monkeypatch.delenv("BRAIN_URL")
    stop(fleet, say(fleet, 7, mark("lesson", "Said without")))
    assert contents(brain) == [] and states(fleet) == ["waiting"]
    monkeypatch.setenv("BRAIN_URL", brain.url)
    turn(fleet)
    assert contents(brain) == ["Said without"]


def run_worker(fleet: Fleet) -> None:
    fleet.work()


def test_killed_anywhere_every_marker_gets_there_once(fleet: Fleet, brain: Brain) -> None:
    """The kernel knows a marker again by its key, so one whose answer was lost is not written twice."""
    answer = brain.answer
    brain.answer = lambda one: (time.sleep(0.02), answer(one))[1]  # type: ignore[method-assign, assignment, func-returns-value]
    sid = say(fleet, 7, *(mark("lesson", f"Lesson {number}") for number in range(40)))
    fleet.hook(
        "stop", sid, fleet.folder("alpha"), transcript_path=str(fleet.home / ".claude/projects/-alpha" / f"{sid}.jsonl")
    )
    context = multiprocessing.get_context("fork")
    for delay in (0.45, 0.6, 0.75, 0.9, 1.1, 1.3):
        process = context.Process(target=run_worker, args=(fleet,))
        process.start()
        time.sleep(delay)
        if process.is_alive() and process.pid:
            os.kill(process.pid, signal.SIGKILL)
        process.join()
    later(fleet, 700)
    turn(fleet)
    assert contents(brain) == [f"Lesson {number}" for number in range(40)]
    assert states(fleet) == ["delivered"] * 40


def test_two_senders_at_once_send_each_marker_once(fleet: Fleet, brain: Brain) -> None:
    turn(fleet)
    brain.faults["/marker"] = server.text_500
    stop(fleet, say(fleet, 7, *(mark("lesson", f"Lesson {number}") for number in range(20))))
    brain.faults.clear()
    later(fleet, 60)
    brain.asked.clear()
    paths, never = find_paths({}, fleet.home), threading.Event()
    loops = [BrainLoop(paths, never, lambda _: None, dict(os.environ)) for _ in range(4)]
    threads = [threading.Thread(target=one.turn) for one in loops]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert contents(brain) == [f"Lesson {number}" for number in range(20)]
    assert len([one for one in brain.asked if one.path == "/marker"]) == 20


def test_watch_sends_what_waits_every_few_seconds(fleet: Fleet, brain: Brain) -> None:
    turn(fleet)
    brain.faults["/marker"] = server.text_500
    stop(fleet, say(fleet, 7, mark("lesson", "Late")))
    brain.faults.clear()
    later(fleet, 60)
    ended, said = threading.Event(), list[str]()
    BrainLoop(find_paths({}, fleet.home), ended, said.append, dict(os.environ), every_s=0.1).start()
    deadline = time.monotonic() + 10
    while not brain.markers and time.monotonic() < deadline:
        time.sleep(0.05)
    ended.set()
    assert contents(brain) == ["Late"] and said == []


def test_the_token_and_the_texts_go_nowhere_else(fleet: Fleet, brain: Brain) -> None:
    """Case 32, a POST: 307 would send the body again."""
    with serve(Brain(token=None)) as other:
        brain.faults["/marker"] = redirect(f"http://localhost:{other.url.rpartition(':')[2]}/marker", 307)
        stop(fleet, say(fleet, 7, mark("lesson", "Stays here")))
        assert other.asked == [] and states(fleet) == ["waiting"]


def test_a_full_disk_costs_no_marker(fleet: Fleet, brain: Brain, monkeypatch: pytest.MonkeyPatch) -> None:
    from brainproj.store import outbox

    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(outbox, "finish", full)
        stop(fleet, say(fleet, 7, mark("lesson", "one"), mark("lesson", "two")))
    assert states(fleet) == ["waiting", "waiting"]
    turn(fleet)
    assert contents(brain) == ["one", "two"] and states(fleet) == ["delivered", "delivered"]


def test_through_the_launcher_and_its_own_worker(fleet: Fleet, brain: Brain) -> None:
    """As it runs: the hook starts the worker, which sends the marker and asks the brain, and goes away."""
    fill(brain)
    sid = say(fleet, 7, mark("lesson", "Cool the water."))
    path = fleet.home / ".claude" / "projects" / "-alpha" / f"{sid}.jsonl"
    payload = json.dumps(fleet.payload("stop", sid, fleet.folder("alpha"), transcript_path=str(path))).encode()
    began = time.monotonic()
    subprocess.run([fleet.base / "hook", "claude", "Stop"], input=payload, check=True, env=dict(os.environ))
    assert time.monotonic() - began < 2
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and not (brain.markers and "/vault/search" in brain.paths_asked()):
        time.sleep(0.05)
    assert contents(brain) == ["Cool the water."]
    while time.monotonic() < deadline and fleet.ready().execute("SELECT count(*) FROM claims").fetchone() != (0,):
        time.sleep(0.05)
    assert "Clean the axolotl tank" in fleet.hook("start", "next", fleet.folder("alpha")).context
    assert not (fleet.base / "logs").exists()


def test_the_command_watch_turns_to_the_brain(fleet: Fleet, brain: Brain) -> None:
    """As a process of its own, with nothing else running."""
    turn(fleet)
    brain.faults["/marker"] = server.text_500
    stop(fleet, say(fleet, 7, mark("lesson", "Late")))
    brain.faults.clear()
    later(fleet, 60)
    running = spawn("watch", "--quiet")
    deadline = time.monotonic() + 30
    while not brain.markers and time.monotonic() < deadline:
        time.sleep(0.1)
    running.terminate()
    out, err = running.communicate(timeout=30)
    assert contents(brain) == ["Late"] and (out, err) == (b"", b"")
