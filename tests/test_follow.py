"""`watch`: what is written is found at once, once, and whatever happens to file or follower."""

import contextlib
import json
import os
import plistlib
import shlex
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from brainproj import follow
from brainproj.follow import Follower, Reading, percentile, read_follower_state
from brainproj.install.unit import unit_part
from brainproj.locks import locked
from brainproj.paths import Paths, find_paths

from .cli import Cli, spawn
from .transcripts import Line, prompt, session_id, write_claude

LIMIT_S = 10.0


@pytest.fixture
def transcript(home: Path) -> Path:
    """A session of Claude Code that has begun."""
    sid = session_id(1)
    write_claude(home, sid, [prompt(sid, "/x", "the first words", 0)], "-x")
    return next((home / ".claude/projects/-x").iterdir())


@contextlib.contextmanager
def running(*arguments: str) -> Iterator["subprocess.Popen[bytes]"]:
    process = spawn("watch", *arguments)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=LIMIT_S)


def line(number: int, text: str, session: int = 1) -> str:
    one: Line = prompt(session_id(session), "/x", text, number % 50)
    one["uuid"] = f"u-{session}-{number}"
    one["timestamp"] = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    return json.dumps(one) + "\n"


def texts(home: Path) -> list[str]:
    """The stored prompts, in order."""
    try:
        db = sqlite3.connect(f"file:{home}/.brainproj/brain.db?mode=ro", uri=True)
        with contextlib.closing(db):
            rows = db.execute(
                "SELECT b.text FROM events e JOIN bodies b ON b.id = e.body ORDER BY e.session, e.place, e.id"
            )
            return [str(row[0]) for row in rows]
    except sqlite3.Error:
        return []


def wait_for(condition: Callable[[], object]) -> float:
    """How long it took until this was so."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < LIMIT_S, "it did not come"
        time.sleep(0.02)
    return time.monotonic() - began


def test_what_is_written_is_found_within_a_second(home: Path, transcript: Path, cli: Cli) -> None:
    with running("--quiet") as process:
        wait_for(lambda: "the first words" in texts(home))
        lags = []
        for number in range(25):
            with transcript.open("a") as file:
                file.write(line(number, f"word {number} of many"))
            lags.append(wait_for(lambda number=number: f"word {number} of many" in texts(home)))  # type: ignore[misc]
            time.sleep(0.05)
        assert sorted(lags)[int(len(lags) * 0.95)] < (1.0 if not os.environ.get("PYTEST_XDIST_WORKER") else 3.0), lags
        wait_for(lambda: (read_follower_state(find_paths({}, home)) or FAR).lag_p95_s)
        state = cli.ok("status", "--json").json["watch"]
        assert state["running"] and state["lag_p50_s"] <= state["lag_p95_s"]
        assert "Watch    running; found " in cli.ok("status").out
        process.terminate()
        assert process.wait(LIMIT_S) == 0
    assert texts(home) == ["the first words", *(f"word {number} of many" for number in range(25))]
    assert cli.ok("status", "--json").json["watch"]["running"] is False


FAR = follow.FollowerState(False, None, 0, None, None)


def test_half_a_line_waits_for_its_other_half(home: Path, transcript: Path) -> None:
    with running():
        wait_for(lambda: texts(home))
        whole = line(1, "a line in two parts")
        with transcript.open("a") as file:
            file.write(whole[:50])
            file.flush()
            time.sleep(0.8)
            assert texts(home) == ["the first words"]
            file.write(whole[50:])
        wait_for(lambda: "a line in two parts" in texts(home))
    db = sqlite3.connect(home / ".brainproj" / "brain.db")
    assert db.execute("SELECT count(*) FROM gaps").fetchone()[0] == 0


def test_cut_short_replaced_renamed_and_moved_away(home: Path, transcript: Path) -> None:
    rollouts = home / ".codex/sessions/2026/11/30"
    rollouts.mkdir(parents=True)
    (home / ".codex/archived_sessions").mkdir()
    meta = {"timestamp": "2026-11-30T10:00:00Z", "type": "session_meta", "payload": {"id": "t1", "cwd": "/x"}}
    said = {
        "timestamp": "2026-11-30T10:00:01Z",
        "type": "response_item",
        "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "in codex"}]},
    }
    with running():
        wait_for(lambda: texts(home))
        with transcript.open("a") as file:
            file.write(line(1, "second"))
        wait_for(lambda: "second" in texts(home))
        first = transcript.read_text().splitlines(keepends=True)[0]
        transcript.write_text(first + line(2, "third"))  # cut short, and grown again
        wait_for(lambda: "third" in texts(home))
        new = transcript.with_name("new")
        new.write_text(first + line(2, "third") + line(3, "fourth"))
        new.replace(transcript)  # another file in its place
        wait_for(lambda: "fourth" in texts(home))
        transcript = transcript.rename(transcript.with_name(f"{session_id(2)}.jsonl"))
        with transcript.open("a") as file:
            file.write(line(4, "fifth"))
        wait_for(lambda: "fifth" in texts(home))
        rollout = rollouts / "rollout-2026-11-30T10-00-00-t1.jsonl"
        rollout.write_text(json.dumps(meta) + "\n" + json.dumps(said) + "\n")
        wait_for(lambda: "in codex" in texts(home))
        archived = rollout.rename(home / ".codex/archived_sessions" / rollout.name)
        with archived.open("a") as file:
            file.write(
                json.dumps(
                    {
                        **said,
                        "payload": {
                            "type": "message",
                            "role": "user",
                            "content": [{"type": "input_text", "text": "and on"}],
                        },
                    }
                )
                + "\n"
            )
        wait_for(lambda: "and on" in texts(home))
    assert sorted(texts(home)) == sorted(
        ["the first words", "second", "third", "fourth", "fifth", "in codex", "and on"]
    )


def test_killed_and_started_again_loses_and_doubles_nothing(home: Path, transcript: Path) -> None:
    written = ["the first words"]
    for turn in range(6):
        with running("--quiet") as process:
            wait_for(lambda: len(texts(home)) >= len(written) - 1)
            for number in range(20):
                with transcript.open("a") as file:
                    file.write(line(turn * 100 + number, f"word {turn} {number}"))
                written.append(f"word {turn} {number}")
                time.sleep(0.013 * turn)
            process.kill()
        with transcript.open("a") as file:
            file.write(line(turn * 100 + 99, f"while nobody looked {turn}"))
        written.append(f"while nobody looked {turn}")
    with running("--quiet"):
        wait_for(lambda: len(texts(home)) >= len(written))
    assert texts(home) == written


def test_one_at_a_time(home: Path, transcript: Path, cli: Cli) -> None:
    with running():
        wait_for(lambda: texts(home))
        done = cli("watch")
        assert done.code == 1 and "another `brainproj watch` runs" in done.err
    with running() as process:
        wait_for(lambda: cli.ok("status", "--json").json["watch"]["running"])
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=LIMIT_S)
        assert process.returncode == 130 and b"Stopped after" in err and b"Traceback" not in err


# in this process ---------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def following(paths: Paths) -> Iterator[tuple[list[Reading], list[str]]]:
    stop, told, warned = threading.Event(), list[Reading](), list[str]()
    follower = Follower(paths, stop, told.append, warned.append)
    thread = threading.Thread(target=follower.run)
    thread.start()
    try:
        yield told, warned
    finally:
        stop.set()
        thread.join(LIMIT_S)
        assert not thread.is_alive()


def test_a_home_that_appears_later_and_what_events_missed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "SWEEP_S", 0.3)
    monkeypatch.setattr(follow, "WAKE_MS", 100)
    with following(find_paths({}, home)):
        time.sleep(0.3)
        sid = session_id(3)
        write_claude(home, sid, [prompt(sid, "/x", "from a new home", 0)], "-x")
        wait_for(lambda: "from a new home" in texts(home))
        write_claude(home, session_id(4), [prompt(session_id(4), "/x", "heard of at once", 0)], "-x")
        wait_for(lambda: "heard of at once" in texts(home))


def test_while_somebody_else_reads_it_waits_its_turn(home: Path, transcript: Path) -> None:
    paths = find_paths({}, home)
    with following(paths) as (told, _):
        for number in range(1, 50):  # until the watch has begun, a look at everything finds what was written
            with transcript.open("a") as file:
                file.write(line(number, f"early {number}"))
            wait_for(lambda number=number: f"early {number}" in texts(home))  # type: ignore[misc]
            if any(one.lag_s is not None for one in told):
                break
        with locked(paths.ingest_lock), transcript.open("a") as file:
            file.write(line(50, "in between"))
            file.flush()
            time.sleep(1.0)
            assert "in between" not in texts(home)
        wait_for(lambda: "in between" in texts(home))
        wait_for(lambda: "in between" in texts(home) and told[-1].lag_s is not None and told[-1].lag_s >= 0.9)


def test_where_files_cannot_be_watched_the_sweep_goes_on(
    home: Path, transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import watchfiles

    def refused(*_: object, **__: object) -> Iterator[set[object]]:
        raise OSError("too many watches")
        yield set()

    monkeypatch.setattr(watchfiles, "watch", refused)
    monkeypatch.setattr(follow, "SWEEP_S", 0.3)
    monkeypatch.setattr(follow, "WAKE_MS", 100)
    with following(find_paths({}, home)) as (_, warned):
        wait_for(lambda: texts(home))
        with transcript.open("a") as file:
            file.write(line(1, "found by looking"))
        wait_for(lambda: "found by looking" in texts(home))
        assert len(warned) == 1 and "too many watches" in warned[0]


def test_a_store_of_a_newer_version_ends_it_with_a_line(home: Path, transcript: Path) -> None:
    with running("--quiet") as process:
        wait_for(lambda: texts(home))
        db = sqlite3.connect(home / ".brainproj" / "brain.db")
        db.execute("PRAGMA user_version=99")
        db.close()
        with transcript.open("a") as file:
            file.write(line(1, "too new"))
        _, err = process.communicate(timeout=LIMIT_S)
        assert process.returncode == 4 and err.startswith(b"error: the store was written by a newer brainproj")


def test_percentiles() -> None:
    assert percentile([], 0.5) is None and percentile([1.0], 0.95) == 1.0
    assert percentile(range(100), 0.95) == 95 and percentile([3, 1, 2], 0.5) == 2


# started by the system ---------------------------------------------------------------------------------------------


def test_the_unit_goes_in_and_out_without_a_trace(home: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEX_HOME", str(home / 'my "codex" 100%'))
    before = sorted(home.rglob("*"))
    said = cli.ok("watch", "--install", "--yes")
    unit = home / ".config/systemd/user/brainproj-watch.service"
    assert unit.exists() and "systemctl --user enable --now brainproj-watch" in said.err
    assert "already" in cli.ok("watch", "--install", "--yes").out
    if verify := subprocess.run(
        ["sh", "-c", "command -v systemd-analyze"], capture_output=True, text=True, check=False
    ).stdout.strip():
        done = subprocess.run([verify, "verify", "--user", str(unit)], capture_output=True, text=True, check=False)
        assert "brainproj-watch.service:" not in done.stderr, done.stderr
    cli.ok("watch", "--uninstall", "--yes")
    assert [path for path in sorted(home.rglob("*")) if ".brainproj" not in str(path)] == before
    cli.ok("watch", "--install", "--yes")
    cli.ok("uninstall", "--yes")
    assert not (home / ".config").exists()


def test_a_unit_of_somebody_else_is_left(home: Path, cli: Cli) -> None:
    unit = home / ".config/systemd/user/brainproj-watch.service"
    unit.parent.mkdir(parents=True)
    unit.write_text("mine")
    assert cli("watch", "--install", "--yes").code == 1 and unit.read_text() == "mine"
    assert cli("watch", "--uninstall", "--yes").code == 1 and unit.read_text() == "mine"
    assert cli("watch", "--install", "--uninstall").code == 2


def test_words_of_a_unit_mean_what_they_say(home: Path) -> None:
    part = unit_part(find_paths({}, home), {"CODEX_HOME": '/a b/"c"/100%/$d'}, "linux")
    settings = next(one for one in part.content.splitlines() if one.startswith("Environment="))
    assert settings == 'Environment="CODEX_HOME=/a b/\\"c\\"/100%%/$$d"'
    start = next(one for one in part.content.splitlines() if one.startswith("ExecStart="))
    assert shlex.split(start.removeprefix("ExecStart="))[1:] == ["-m", "brainproj", "watch", "--quiet"]


def test_the_agent_of_a_mac(home: Path) -> None:
    part = unit_part(find_paths({}, home), {"BRAINPROJ_HOME": "/b"}, "darwin")
    value = plistlib.loads(part.content.encode())
    assert part.path == home / "Library/LaunchAgents/brainproj.watch.plist"
    assert value["ProgramArguments"][1:] == ["-m", "brainproj", "watch", "--quiet"]
    assert value["EnvironmentVariables"] == {"BRAINPROJ_HOME": "/b"} and value["RunAtLoad"]
