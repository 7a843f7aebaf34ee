"""Faults that an attack on hooks and delivery found, each with the right value."""

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

import pytest

from brainproj.core.entries import Entry
from brainproj.core.scope import Named, judge
from brainproj.errors import Refused
from brainproj.launcher import START, launcher_text
from brainproj.paths import Paths
from brainproj.persons import _agent_in, require_person
from brainproj.store import seen as rows

from ..cli import Cli
from ..conftest import CASES
from ..repositories import add_worktree, git, make_repository, subfolder
from .sessions import Fleet
from .test_delivery import feed, refresh
from .test_trouble import start_by_shell

SECRET = "glpat-" + "Zk3xWq9LmTb7RvN2YpQd"
URL = "https://git.example.com/acme/{}.git"


def hold(path: Path) -> "subprocess.Popen[str]":
    command = [sys.executable, str(CASES / "15-database-is-locked" / "hold-lock.py"), str(path), "60"]
    holder = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None and holder.stdout.readline() == "held\n"
    return holder


def release(holder: "subprocess.Popen[str]") -> None:
    holder.kill()
    holder.communicate()


# whose block -------------------------------------------------------------------------------------------------------------


def test_another_clone_where_one_was(fleet: Fleet, cli: Cli) -> None:
    place = fleet.place / "work"
    shutil.copytree(fleet.folder("alpha"), place)
    assert "axolotl" in cli.ok("preview", "--cwd", place).out
    shutil.rmtree(place)
    assert cli.ok("resolve", place, "--json").json["rule"] == "known"
    shutil.copytree(fleet.folder("beta"), place)
    given = fleet.hook("start", "s", place).context
    assert "axolotl" not in given
    fleet.work()
    assert "bandicoot" in fleet.hook("prompt", "s", place).context


def test_a_nested_repository_that_is_gone(fleet: Fleet, cli: Cli) -> None:
    inner = make_repository(fleet.folder("alpha") / "vendor" / "inner", URL.format("inner"))
    cli.ok("resolve", inner)
    shutil.rmtree(inner)
    cli.ok("resolve", inner)
    assert "axolotl" not in fleet.hook("start", "s", inner / "deep" / "er").context


def test_a_nested_repository_known_by_its_worktree(fleet: Fleet, cli: Cli) -> None:
    inner = make_repository(fleet.folder("alpha") / "vendor" / "inner", URL.format("inner"))
    cli.ok("resolve", add_worktree(inner, fleet.place / "wt", "wt"))
    git(inner, "worktree", "remove", "--force", str(fleet.place / "wt"))
    shutil.rmtree(inner)
    assert "axolotl" not in fleet.hook("start", "s", inner / "deep").context


def test_a_folder_that_is_declared_no_more(fleet: Fleet, cli: Cli) -> None:
    package = subfolder(fleet.folder("alpha"), "pkg")
    cli.ok("projects", "add", subfolder(fleet.folder("beta"), "pkg"), "--name", "bpkg")
    cli.ok("projects", "add", package, "--name", "apkg")
    cli.ok("resolve", package)
    cli.ok("projects", "undo")
    assert cli.ok("resolve", package, "--json").json["project"]["name"] == "alpha"
    assert "axolotl" in fleet.hook("start", "s", package).context


def test_a_merge_that_is_taken_back(fleet: Fleet, cli: Cli) -> None:
    cli.ok("projects", "merge", "beta", "alpha")
    assert "bandicoot" in fleet.hook("start", "merged", fleet.folder("alpha")).context
    cli.ok("projects", "undo")
    given = fleet.hook("start", "s", fleet.folder("alpha")).context
    assert "axolotl" in given and "bandicoot" not in given
    assert "bandicoot" in fleet.hook("start", "s2", fleet.folder("beta")).context


def test_a_running_session_follows_its_project_to_another_key(fleet: Fleet, cli: Cli) -> None:
    local = make_repository(fleet.place / "local")
    fleet.write(5, local, ["Feed"], lesson="The capybara swims.")
    fleet.read()
    fleet.hook("start", "s", local)
    git(local, "remote", "add", "origin", URL.format("capybara"))
    fleet.write(6, local, ["More"], lesson="The capybara dives.")
    fleet.read()
    assert "dives" in fleet.hook("prompt", "s", local).context
    with fleet.ready() as db:
        assert db.execute("SELECT project FROM seen").fetchall() == [("git.example.com/acme/capybara",)]


def test_a_swarms_repository_that_appears_later(fleet: Fleet, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = subfolder(fleet.home, ".agentihooks", "swarm", "night") / "snapshot.json"
    snapshot.write_text(json.dumps({"repo": str(fleet.place / "later")}))
    environment = {"AGENTIHOOKS_SWARM": "night"}
    with monkeypatch.context() as patch:
        patch.setenv("AGENTIHOOKS_SWARM", "night")
        cli.ok("resolve", fleet.folder("alpha"))
    assert "axolotl" in fleet.hook("start", "s", fleet.folder("alpha"), environment=environment).context
    shutil.copytree(fleet.folder("beta"), fleet.place / "later")
    assert "axolotl" not in fleet.hook("start", "s2", fleet.folder("alpha"), environment=environment).context


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("alpha is blocked by old/zebra", None), ("alpha waits for zebra-two", None), ("at ~/code/beta and alpha", None),
        ("alpha, see beta/README.md", None), ("only alpha here", "a"), ("in ~/code/alpha/src", "a"), ("alphabet", None),
        ("alpha.py", None), ("pre-alpha", None),
    ],
)  # fmt: skip
def test_which_project_an_intent_names(text: str, named: str | None) -> None:
    projects = [
        Named("a", ("alpha",), "acme/alpha"),
        Named("b", ("beta", "git.example.com/old/zebra", "old/zebra", "zebra-two"), "acme/beta"),
    ]
    assert judge("operator-intent", text, projects).strict == named


@pytest.mark.parametrize("entry_id", ["Hot-Arcs", "hot-arcs-2026", "LESSONS", "Operator-Intent"])
def test_memory_of_the_fleet_is_known_in_any_case(entry_id: str) -> None:
    assert judge(entry_id, "quokka", []).strict is None


def test_no_secret_of_a_feed_reaches_the_disk_or_a_session(fleet: Fleet) -> None:
    (fleet.base / "feed").mkdir()
    feed(fleet, "note", f"the key is {SECRET}", title=f"key {SECRET}")
    refresh(fleet)
    given = fleet.hook("start", "s", fleet.folder("alpha")).context
    assert "the key is" in given and SECRET not in given
    for file in fleet.base.glob("ready.db*"):
        assert SECRET.encode() not in file.read_bytes()


@pytest.mark.parametrize("name", ["year", "title", "spelling"])
def test_odd_feed_files(fleet: Fleet, cli: Cli, name: str) -> None:
    feed(fleet, "odd", "quokka words", **({"title": "t" * 900_000} if name == "title" else {}), ttl=60)
    path = fleet.base / "feed" / "odd.md"
    if name == "year":
        os.utime(path, (253_402_000_000, 253_402_000_000))
    if name == "spelling":
        path.write_text("---\nID : hot-arcs\n---\nquokka words\n")
    assert ("quokka" in cli.ok("preview", "--cwd", fleet.folder("alpha")).out) == (name != "spelling")
    assert len(cli.ok("preview", "--cwd", fleet.folder("alpha")).out) < 3000


def test_a_shared_signal_is_its_own_projects_to_resolve(fleet: Fleet) -> None:
    alpha, beta = fleet.folder("alpha"), fleet.folder("beta")
    fleet.write(5, alpha, ["Look"], **{"signal severity=warning title=pump": "The pump is loud."})
    fleet.read()
    fleet.hook("start", "own", alpha)
    with sqlite3.connect(fleet.base / "brain.db") as brain:
        brain.execute("INSERT INTO shares SELECT code, 1, 'ana', NULL FROM records WHERE kind = 'signal'")
    fleet.write(6, beta, ["Look"], **{"signal severity=resolved title=pump": "Not mine."})
    fleet.read()
    assert "pump is loud" in fleet.hook("start", "b", beta).context
    assert "pump is loud" not in fleet.hook("prompt", "own", alpha).context  # it had it before it was shared


# exactly once, and never lost --------------------------------------------------------------------------------------------


def test_a_compaction_that_was_spooled(fleet: Fleet) -> None:
    alpha = fleet.folder("alpha")
    fleet.hook("start", "s", alpha)
    (fleet.base / "worker.claim").touch()
    payload = json.dumps(fleet.payload("compact", "s", alpha)).encode()
    holder = hold(fleet.base / "ready.db")
    done = subprocess.run(
        [fleet.base / "hook", "claude", "SessionStart"], input=payload, capture_output=True, check=True
    )
    release(holder)
    assert b"axolotl" in done.stdout
    fleet.hook("prompt", "s", alpha)
    fleet.work()
    with fleet.ready() as db:
        db.execute("UPDATE seen SET last_at = last_at - 60000000")
    assert "axolotl" in fleet.hook("compact", "s", alpha).context
    assert fleet.hook("prompt", "s", alpha).context == ""


def test_the_feeds_are_read_once_for_all_that_is_wanted(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []

    def count(paths: Paths, _now: datetime, _told: object) -> list[Entry]:
        read.append(paths.home)
        return []

    monkeypatch.setattr("brainproj.refresh.read_feeds", count)
    with fleet.ready() as db:
        for what, value in (
            ("project", "git.example.com/acme/alpha"),
            ("project", "git.example.com/acme/beta"),
            ("folder", json.dumps([str(fleet.folder("alpha")), None, None])),
            ("fleet", ""),
        ):
            db.execute("INSERT INTO wanted VALUES(?, '', ?, 1)", (what, value))
    fleet.work()
    assert len(read) == 1
    with fleet.ready() as db:
        assert db.execute("SELECT count(*) FROM wanted").fetchone() == (0,)


@pytest.mark.parametrize("is_locked", [False, True])
@pytest.mark.parametrize("is_taken", [False, True])  # by a worker that is at it, or was killed
def test_what_a_spooled_start_gave_is_not_given_again(fleet: Fleet, is_locked: bool, is_taken: bool) -> None:
    alpha = fleet.folder("alpha")
    feed(fleet, "notice", "- the numbat notice")
    refresh(fleet)
    (fleet.base / "worker.claim").touch()
    holder = hold(fleet.base / "ready.db")
    first, other = run_hook(fleet, "start", "s", alpha), run_hook(fleet, "start", "t", alpha)
    if is_taken:
        (fleet.base / "spool.jsonl").replace(fleet.base / "spool.jsonl.taken")
    if is_locked:
        assert run_hook(fleet, "prompt", "s", alpha) == ""
    release(holder)
    for given in (first, other):
        assert "axolotl" in given and "numbat" in given
    assert fleet.hook("prompt", "s", alpha).context == ""
    assert "axolotl" in fleet.hook("prompt", "not yet told", alpha).context
    fleet.work()
    assert fleet.hook("prompt", "s", alpha).context == ""
    given = fleet.hook("compact", "s", alpha).context
    assert "axolotl" in given and "numbat" in given


def run_hook(fleet: Fleet, moment: str, session: str, folder: Path) -> str:
    """What a hook says while ready.db cannot be written."""
    event = "UserPromptSubmit" if moment == "prompt" else "SessionStart"
    payload = json.dumps(fleet.payload(moment, session, folder)).encode()
    done = subprocess.run([fleet.base / "hook", "claude", event], input=payload, capture_output=True, check=True)
    return done.stdout.decode()


def test_a_record_said_before_a_start_and_read_after_it(fleet: Fleet) -> None:
    alpha = fleet.folder("alpha")
    fleet.write(8, alpha, ["Theirs"], lesson="Cool the axolotl's water.")
    time.sleep(0.05)
    fleet.hook("start", "s", alpha)
    fleet.read()
    assert "Cool the axolotl's water." in fleet.hook("prompt", "s", alpha).context


def test_what_grew_while_somebody_else_held_the_lock(fleet: Fleet, cli: Cli) -> None:
    alpha = fleet.folder("alpha")
    sid = fleet.write(8, alpha, ["Theirs"], lesson="Cool the axolotl's water.")
    path = str(fleet.home / ".claude" / "projects" / "-alpha" / f"{sid}.jsonl")
    fleet.hook("stop", sid, alpha, transcript_path=path)
    cli.ok("forget", "--before", "2001-01-01", "--yes")
    with fleet.ready() as db:
        assert db.execute("SELECT count(*) FROM wanted WHERE what = 'transcript'").fetchone() == (0,)
    assert "Cool the axolotl's water." in fleet.hook("start", "s", alpha).context


def test_ones_sessions_environment_decides_for_no_other(fleet: Fleet, tmp_path: Path) -> None:
    """A home of agentihooks' or of Claude Code's own: the worker reads that transcript, and nobody gets that feed."""
    other = tmp_path / "other"
    subfolder(other, "brain-feed").joinpath("note.md").write_text("other's quokka")
    alpha = fleet.folder("alpha")
    sid = fleet.write(8, alpha, ["Theirs"], lesson="Cool the axolotl's water.")
    moved = subfolder(tmp_path, "claude-2", "projects", "-alpha") / f"{sid}.jsonl"
    shutil.move(fleet.home / ".claude" / "projects" / "-alpha" / f"{sid}.jsonl", moved)
    environment = {"AGENTIHOOKS_HOME": str(other), "CLAUDE_CONFIG_DIR": str(tmp_path / "claude-2")}
    payload = json.dumps(fleet.payload("stop", sid, alpha, transcript_path=str(moved))).encode()
    with fleet.ready() as db:
        db.execute("INSERT INTO wanted VALUES('fleet', '', '', 1)")
        db.execute("DELETE FROM claims")
    subprocess.run(
        [fleet.base / "hook", "claude", "Stop"], input=payload, env={**os.environ, **environment}, check=True
    )
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        with fleet.ready() as db:
            if db.execute("SELECT count(*) FROM wanted").fetchone() == (0,) and db.execute(
                "SELECT count(*) FROM claims"
            ).fetchone() == (0,):
                break
        time.sleep(0.05)
    given = fleet.hook("start", "s", alpha).context
    assert "Cool the axolotl's water." in given and "quokka" not in given


def test_an_alert_behind_seventy_others(fleet: Fleet) -> None:
    for number in range(70):
        feed(fleet, f"n-{number:02d}", "words " * 20, priority=9)
    feed(fleet, "alarm", "the vault is on fire", severity="critical", priority=1)
    refresh(fleet)
    assert "on fire" in fleet.hook("start", "s", fleet.folder("alpha")).context


def test_a_block_larger_than_a_moment_has_room(fleet: Fleet, cli: Cli) -> None:
    fleet.configure("[brain]\npayload_max_bytes = 8000\n")
    alpha = fleet.folder("alpha")
    marks = "".join(f"<!-- @lesson -->axolotl lesson {number} {'words ' * 20}<!-- @/lesson -->" for number in range(90))
    fleet.write(5, alpha, ["Much"], lesson="x<!-- @/lesson -->" + marks + "<!-- @lesson -->y")
    fleet.read()
    given = fleet.hook("start", "s", alpha).context
    assert given.startswith("<project-memory ") and 4096 < len(given.encode()) <= 6000


# the agent is not hurt ---------------------------------------------------------------------------------------------------


def test_the_launcher_ends_well_where_its_shell_cannot_go_on(tmp_path: Path) -> None:
    """`trap … EXIT` also where sh itself gives up, as it does when it cannot fork."""
    text = launcher_text(tmp_path, sys.executable, START).replace("[ -x ", "set -e; false; [ -x ", 1)
    launcher = tmp_path / "hook"
    launcher.write_text(text)
    assert subprocess.run(["sh", str(launcher), "claude", "Stop"], stdin=subprocess.DEVNULL).returncode == 0


def test_a_worker_that_cannot_be_started_costs_no_block(fleet: Fleet) -> None:
    """The package's own interpreter is gone between the hook's start and the worker's."""
    with fleet.ready() as db:
        db.execute("UPDATE projects SET rendered_at = 0")
    code = (
        f"import sys; sys.argv = ['start.py', {str(fleet.base)!r}, 'claude', 'SessionStart'];"
        f"sys.executable = '/gone/python'; exec(open({str(START)!r}).read(), {{'__file__': {str(START)!r}}})"
    )
    payload = json.dumps(fleet.payload("start", "s", fleet.folder("alpha"))).encode()
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], input=payload, capture_output=True)
    assert done.returncode == 0 and b"axolotl" in done.stdout
    assert "could not be started" in (fleet.base / "logs" / "hook.log").read_text()


def test_a_worker_that_gets_nothing_done_ends(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "drop_wanted", lambda db, wanted: None)  # as on a disk that is full
    with fleet.ready() as db:
        db.execute("INSERT INTO wanted VALUES('fleet', '', '', 1)")
    began = time.monotonic()
    fleet.work()
    assert time.monotonic() - began < 15


def test_a_damaged_page(fleet: Fleet, cli: Cli) -> None:
    """Every reader goes on, brain.db is not blamed, and the worker makes the file anew."""
    path = fleet.base / "ready.db"
    with contextlib.closing(fleet.ready()) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        page = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'seen'").fetchone()[0]
        size = db.execute("PRAGMA page_size").fetchone()[0]
    data = bytearray(path.read_bytes())
    data[(page - 1) * size : page * size] = b"\xff" * size
    path.write_bytes(data)
    (fleet.base / "worker.claim").touch()
    alpha = fleet.folder("alpha")
    payload = json.dumps(fleet.payload("start", "s", alpha)).encode()
    done = subprocess.run(
        [fleet.base / "hook", "claude", "SessionStart"], input=payload, capture_output=True, check=True
    )
    assert b"being made ready" in done.stdout
    for arguments in (("resolve", alpha), ("sessions",), ("backfill",), ("preview", "--cwd", alpha)):
        cli.ok(*arguments)
    fleet.work()
    assert "axolotl" in fleet.hook("prompt", "s", alpha).context


@pytest.mark.parametrize(
    "arguments",
    [
        ("resolve",),
        ("scope", "rank"),
        ("backfill",),
        ("preview",),
        ("sessions",),
        ("projects", "add", ".", "--name", "x"),
    ],
)
def test_a_locked_ready_db_stops_no_command(
    fleet: Fleet, cli: Cli, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(make_repository(fleet.place / "new", URL.format("new")))
    monkeypatch.setattr("brainproj.store.publish.WAIT_S", 0.1)
    holder = hold(fleet.base / "ready.db")
    try:
        assert cli(*arguments).code == 0
        assert holder.poll() is None  # held to the end
    finally:
        release(holder)


def test_what_cannot_be_written_is_given_all_the_same(fleet: Fleet) -> None:
    done = start_by_shell(fleet, 'trap "" XFSZ; ulimit -f 0; "$0" claude SessionStart | cat')
    assert done.returncode == 0 and "axolotl" in done.stdout


def test_a_broken_config_leaves_the_defaults(fleet: Fleet) -> None:
    (fleet.base / "config.toml").write_text("scope = [\n")
    alpha = fleet.folder("alpha")
    fleet.hook("start", "s", alpha)
    fleet.work()
    assert "axolotl" in fleet.hook("prompt", "s", alpha).context


@pytest.mark.parametrize("base", [".", "relative/home"])
def test_a_home_that_is_no_whole_path(fleet: Fleet, base: str, tmp_path: Path) -> None:
    work = subfolder(tmp_path, "elsewhere")
    payload = json.dumps(fleet.payload("start", "s", fleet.folder("alpha"))).encode()
    done = subprocess.run(
        [fleet.base / "hook", "claude", "SessionStart"],
        input=payload,
        capture_output=True,
        cwd=work,
        env={**os.environ, "BRAINPROJ_HOME": base},
    )
    assert done.returncode == 0
    assert list(work.iterdir()) == []


# persons -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "agent"),
    [
        (["/opt/codex-x86_64-unknown-linux-musl", "codex"], "codex-x86_64-unknown-linux-musl"),
        (["/usr/bin/node", "node", "/lib/node_modules/@anthropic-ai/claude-code/cli.js"], "claude-code"),
        (["/home/ana/.local/share/claude/versions/2.1.240", "claude"], "claude"), (["/usr/bin/codex-linux-sandbox"], "codex-linux-sandbox"),
        (["/usr/bin/bash", "bash"], None), (["/usr/bin/vim", "vim", "notes about codex"], None), (["/usr/bin/vim", "vim", "codex-notes.md"], "codex-notes.md"),
    ],
)  # fmt: skip
def test_which_process_is_an_agent(words: list[str], agent: str | None) -> None:
    assert _agent_in(words) == agent


@pytest.mark.parametrize("variable", ["CODEX_CI", "CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR"])
def test_which_variable_is_an_agents(variable: str) -> None:
    with pytest.raises(Refused, match=variable):
        require_person({variable: "1"}, "sharing")
