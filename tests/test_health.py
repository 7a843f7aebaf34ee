"""`doctor` and `status`: what is broken is found, each with a remedy that can be pasted, and nothing else is said."""

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from brainproj.health import around, hookruns
from brainproj.health import home as health_home
from brainproj.health.home import file_system_of
from brainproj.paths import Paths, find_paths
from brainproj.store import schema
from brainproj.store.schema import NEWEST

from .cli import Cli, Done
from .hooks.conftest import fleet as fleet  # the fixture
from .hooks.sessions import Fleet
from .repositories import make_repository
from .test_mcp import TOOLS
from .transcripts import prompt, session_id, write_claude


class TextSnapshot(SingleFileSnapshotExtension):
    """One `.txt` file a snapshot."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


@pytest.fixture
def well(fleet: Fleet, cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Fleet:
    """A machine on which nothing is wrong: both agents here, everything put in, trusted and read."""
    monkeypatch.setattr(hookruns, "SLOW_MS", 60_000)  # other tests run beside this one
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "brainproj").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setenv("SHELL", "/bin/sh")
    for agent in ("codex", "cursor"):
        (fleet.home / f".{agent}").mkdir()
    monkeypatch.chdir(fleet.folder("alpha"))
    cli.ok("install", "--yes")
    trust_all(find_paths({}, fleet.home))
    return fleet


def trust_all(paths: Paths) -> None:
    from .agents.test_codex_trust import trust

    own = (paths.codex_home / "config.toml").read_text().partition("[hooks.state]")[0]
    (paths.codex_home / "config.toml").write_text(own + trust(paths))


def ids(done: Done) -> list[str]:
    return [finding["id"] for finding in done.json["findings"]]


def test_where_nothing_is_wrong_nothing_is_said(well: Fleet, cli: Cli) -> None:
    found = cli.ok("doctor", "--json").json
    assert found["findings"] == [] and found["ok"]
    assert len(found["hooks"]) == 9 + 8 + 9 + 1 and found["hooks"][-1]["says"] == ", ".join(TOOLS)
    assert all(run["ok"] for run in found["hooks"])
    starts = [run for run in found["hooks"] if run["event"] in ("SessionStart", "sessionStart")]
    assert len(starts) == 3 and all(run["says"].startswith('<project-memory project="alpha"') for run in starts)
    assert cli.ok("doctor").out == "✓ Nothing was found that needs attention.\n"
    with contextlib.closing(well.ready()) as db:
        assert not [row for row in db.execute("SELECT session_id FROM seen") if "doctor" in row[0]]


def test_status_of_a_machine_where_all_is_well(well: Fleet, cli: Cli, snapshot: SnapshotAssertion) -> None:
    value = cli.ok("status", "--json").json
    assert value["ok"] and value["store"]["sessions"] == 2 and value["scope"]["effective"] == "strict"
    agents = {one["agent"]: one for one in value["agents"]}
    assert agents["claude"]["state"] == "9 of 9" and agents["codex"]["state"] == "8 of 8"
    assert agents["claude"]["sessions"] == {"on_disk": 2, "stored": 2, "deleted_by_agent": 0}
    assert agents["codex"]["trusted"] is True and agents["claude"]["trusted"] is None
    assert value["lag"] == {"unread_transcripts": 0, "unread_bytes": 0, "unread_since": None}
    assert cli.ok().out.partition("Disk")[0] == cli.ok("status").out.partition("Disk")[0]


def test_reach_counts_what_the_agent_deleted_and_what_waits(well: Fleet, cli: Cli) -> None:
    one, other = sorted((well.home / ".claude/projects").rglob("*.jsonl"))
    one.unlink()
    with other.open("a") as file:
        file.write("{}\n")
    value = cli.ok("status", "--json").json
    assert value["agents"][0]["sessions"] == {"on_disk": 1, "stored": 2, "deleted_by_agent": 1}
    assert value["lag"]["unread_transcripts"] == 1 and value["lag"]["unread_bytes"] == other.stat().st_size
    said = cli.ok("status").out
    assert "1 transcript" in said and "1 session that the agents have deleted" in said


def test_an_installation_for_one_checkout_is_seen_in_it(well: Fleet, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.ok("uninstall", "--yes")
    cli.ok("install", "claude", "--project", "--yes")
    assert ids(cli.ok("doctor", "--json")) == ["not-installed", "not-installed"]
    state = cli.ok("status", "--json").json["agents"][0]
    assert state["state"] == "9 of 9 here" and state["hook_file"].endswith("alpha/.claude/settings.local.json")
    monkeypatch.chdir(well.folder("beta"))
    assert cli.ok("status", "--json").json["agents"][0]["state"] == "not installed"


# every kind of broken setting --------------------------------------------------------------------------------------


def write(place: str, text: str) -> Callable[[Fleet], None]:
    def change(fleet: Fleet) -> None:
        path = fleet.home / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    return change


def edit(place: str, old: str, new: str) -> Callable[[Fleet], None]:
    def change(fleet: Fleet) -> None:
        path = fleet.home / place
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

    return change


def doubled(fleet: Fleet) -> None:
    path = fleet.home / ".claude/settings.json"
    value = json.loads(path.read_text())
    value["hooks"]["Stop"] *= 2
    path.write_text(json.dumps(value))


def damage(fleet: Fleet) -> None:
    path = fleet.base / "brain.db"
    with path.open("r+b") as file:
        file.seek(9 * 8192)
        file.write(b"\xff" * 8192 * 4)


def newer(fleet: Fleet) -> None:
    db = sqlite3.connect(fleet.base / "brain.db")
    db.execute("PRAGMA user_version=99")
    db.close()


def old_transcript(fleet: Fleet) -> None:
    sid = session_id(40)
    write_claude(fleet.home, sid, [prompt(sid, fleet.folder("alpha"), "Old work", 0)], "-old")
    path = next((fleet.home / ".claude/projects/-old").iterdir())
    at = (datetime.now(UTC) - timedelta(days=27)).timestamp()
    os.utime(path, (at, at))


def lost_index(fleet: Fleet) -> None:
    db = sqlite3.connect(fleet.base / "brain.db")
    db.execute("DELETE FROM words_docsize WHERE id = (SELECT min(id) FROM words_docsize)")
    db.commit()
    db.close()


def brain_feed(fleet: Fleet) -> None:
    message = {"id": "a", "message": "x", "source": "brain-adapter", "channel": "brain"}
    write(".agentihooks/broadcast.json", json.dumps([message]))(fleet)


def untrusted(fleet: Fleet) -> None:
    path = fleet.home / ".codex/config.toml"
    path.write_text(path.read_text().partition("[hooks.state]")[0])


def gone(place: str) -> Callable[[Fleet], None]:
    return lambda fleet: (fleet.home / place).unlink()


def alias(fleet: Fleet) -> None:
    write(".ssh/config", "Host gh work-*\n  HostName github.com\n")(fleet)
    folder = make_repository(fleet.place / "gamma", "gh:acme/gamma.git")
    fleet.write(7, folder, ["Feed the gecko"])
    fleet.read()


BROKEN: dict[str, tuple[Callable[[Fleet], None], str]] = {
    "settings-broken": (edit(".claude/settings.json", "{", '{\n  "model": "x"'), "error"),
    "settings-passed-by": (edit(".claude/settings.json", "{", "{ // mine\n"), "error"),
    "hooks-off": (edit(".claude/settings.json", "{", '{\n  "disableAllHooks": true,'), "error"),
    "hooks-missing": (edit(".claude/settings.json", '"Stop"', '"Stopp"'), "warning"),
    "hooks-doubled": (doubled, "warning"),
    "not-installed": (gone(".cursor/hooks.json"), "note"),
    "skill-missing": (gone(".claude/skills/brainproj/SKILL.md"), "warning"),
    "skill-changed": (write(".claude/skills/brainproj/SKILL.md", "mine"), "note"),
    "codex-untrusted": (untrusted, "warning"),
    "server-missing": (write(".claude.json", "{}"), "warning"),
    "codex-modified": (edit(".codex/config.toml", "sha256:", "sha256:0"), "warning"),
    "codex-disabled": (edit(".codex/config.toml", "trusted_hash", "enabled = false\ntrusted_hash"), "warning"),
    "codex-hooks-off": (
        edit(".codex/config.toml", "[hooks.state]", "[features]\nhooks = false\n[hooks.state]"),
        "error",
    ),
    "launcher-gone": (gone(".brainproj/hook"), "error"),
    "home-open": (lambda fleet: fleet.base.chmod(0o755), "warning"),
    "ready-unusable": (write(".brainproj/ready.db", "x" * 9000), "error"),
    "store-damaged": (damage, "error"),
    "store-index": (lost_index, "error"),
    "store-newer": (newer, "error"),
    "store-foreign": (write(".brainproj/brain.db", "x" * 9000), "error"),
    "setting-left-out": (write(".brainproj/config.toml", 'scope = "wide"\n'), "warning"),
    "transcripts-vanish": (old_transcript, "warning"),
    "agentihooks-unscoped": (brain_feed, "warning"),
    "agentihooks-scopes": (write(".agentihooks/brain/project-sessions.jsonl", ""), "note"),
    "native-memory-claude": (write(".claude/projects/-x/memory/MEMORY.md", "- a"), "note"),
    "native-memory-codex": (
        edit(".codex/config.toml", "[hooks.state]", "[features]\nmemories = true\n[hooks.state]"),
        "note",
    ),
    "host-alias": (alias, "note"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_found_with_a_remedy(well: Fleet, cli: Cli, snapshot: SnapshotAssertion, name: str) -> None:
    change, severity = BROKEN[name]
    change(well)
    done = cli("doctor", "--json")
    worst = done.json["findings"][-1]
    assert worst["severity"] == severity, done.json["findings"]
    assert done.code == (0 if severity == "note" else 1) and done.json["ok"] == (severity == "note")
    shown = cli("doctor").out.replace(str(well.home), "HOME").replace(str(well.place), "CODE")
    for day in range(-1, 2):
        shown = shown.replace(f"{datetime.now(UTC) + timedelta(days=3 + day):%Y-%m-%d}", "DAY")
    assert shown == snapshot(extension_class=TextSnapshot)


@pytest.mark.parametrize("name", ["launcher-gone", "home-open", "ready-unusable"])
def test_what_is_ours_is_mended(well: Fleet, cli: Cli, name: str) -> None:
    BROKEN[name][0](well)
    found = cli.ok("doctor", "--fix", "--json").json
    assert [one["id"] for one in found["fixed"]] == [name] and found["findings"] == []
    assert well.hook("start", "s9", well.folder("alpha")).context.startswith('<project-memory project="alpha"')


REMEDIES = [
    "server-missing",
    "hooks-missing",
    "hooks-doubled",
    "not-installed",
    "skill-missing",
    "store-damaged",
    "store-foreign",
    "store-index",
    "transcripts-vanish",
    "home-open",
]


@pytest.mark.parametrize("name", REMEDIES)
def test_a_remedy_can_be_pasted(well: Fleet, cli: Cli, name: str) -> None:
    BROKEN[name][0](well)
    worst = cli("doctor", "--json").json["findings"][-1]
    command = (
        worst["remedy"]
        .replace("brainproj", f"{sys.executable} -m brainproj")
        .replace(f".{sys.executable} -m brainproj", ".brainproj")
    )
    answered = command.replace("install claude", "install claude --yes").replace(
        "install cursor", "install cursor --yes"
    )
    subprocess.run(["sh", "-c", answered], check=True, capture_output=True)
    trust_all(find_paths({}, well.home))
    assert ids(cli("doctor", "--json")) == []


def test_the_remedy_for_a_host_makes_it_one(well: Fleet, cli: Cli) -> None:
    alias(well)
    remedy = cli.ok("doctor", "--json").json["findings"][0]["remedy"]
    subprocess.run(["sh", "-c", remedy], check=True)
    assert 'gh = "github.com"' in (well.base / "config.toml").read_text().replace('"gh"', "gh")
    assert cli.ok("resolve", well.place / "gamma", "--json").json["project"]["key"] == "github.com/acme/gamma"


@pytest.mark.parametrize(
    "command",
    ["status", "search x", "preview", "sessions --all", "arcs", "records", "projects", "resolve", "export", "backup b"],
)
def test_no_command_fails_without_a_word_on_a_damaged_store(well: Fleet, cli: Cli, command: str) -> None:
    with (well.base / "brain.db").open("r+b") as file:
        file.seek(2 * 8192)
        file.write(b"\xff" * 8192 * 25)
    done = cli(*command.split())
    assert done.code in (0, 4) and "failed:" not in done.err
    assert done.code == 0 or "damaged" in done.err
    assert command != "status" or (done.code == 0 and "cannot be read" in done.out)


def test_a_setting_with_a_slip_in_its_name(well: Fleet, cli: Cli) -> None:
    write(".brainproj/config.toml", 'scoop = "strict"\n[capture.exclude]\nfolder = []\n[projects.a]\nalias = []\n')(
        well
    )
    found = cli("doctor", "--json").json["findings"]
    assert [one["what"].partition(": ")[2] for one in found] == [
        "scoop is no setting; is scope meant?", "capture.exclude.folder is no setting; is capture.exclude.folders meant?",
        "projects.a.alias is no setting; is projects.a.aliases meant?",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ('[brain]\ntoken = "SECRET"\n', "brain.token is no setting; is brain.token_file meant?"),
        ('[brain]\nBRAIN_HTTP_TOKEN = "SECRET"\n', "brain.BRAIN_HTTP_TOKEN is no setting"),
        ('token = "SECRET"\n', "token is no setting"),
        ('[redaction]\nhide = ["(SECRET"]\n', "redaction.hide holds what is no regular expression (missing ), unterminated subpattern"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("command", ["status", "doctor", "sessions", "sessions --all", "brain", "preview"])
def test_what_is_wrong_in_the_settings_is_said_once_and_without_its_value(
    well: Fleet, cli: Cli, config: str, said: str, command: str
) -> None:
    secret = "tok" + "-4711-axolotl"
    write(".brainproj/config.toml", config.replace("SECRET", secret))(well)
    done = cli(*command.split())
    told = done.out + done.err
    assert secret not in told and " ".join(told.split()).count(said) == 1


# the rest of the checks --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/home/ana/.brainproj", "nfs4"), ("/home/bo", "ext4"), ("/mnt/my disk/x", "cifs"), ("/nfsx", "ext4")],
)
def test_the_file_system_of_a_folder(path: str, kind: str) -> None:
    mounts = "/dev/a / ext4 rw 0 0\nserver:/ana /home/ana nfs4 rw 0 0\n//s/d /mnt/my\\040disk cifs rw 0 0\nbad\nserver:/n /nfs nfs rw 0 0\n"
    assert file_system_of(Path(path), mounts) == kind


def test_a_network_file_system(well: Fleet, cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"server:/x {well.home} nfs4 rw 0 0\n")
    monkeypatch.setattr(health_home, "MOUNTS", mounts)
    done = cli("doctor", "--json")
    assert (
        done.code == 1
        and ids(done) == ["network-file-system"]
        and "BRAINPROJ_HOME" in done.json["findings"][0]["remedy"]
    )


def test_little_space(well: Fleet, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**12, 10**12, 10**6))
    assert ids(cli("doctor", "--json")) == ["little-space"]


def test_log_entries_and_an_old_spool(well: Fleet, cli: Cli) -> None:
    logs = well.base / "logs"
    logs.mkdir(exist_ok=True)
    now = datetime.now(UTC)
    (logs / "hook.log").write_text(
        f"{now - timedelta(days=30):%Y-%m-%dT%H:%M:%SZ} old\n{now:%Y-%m-%dT%H:%M:%SZ} claude prompt: x\n"
    )
    (well.base / "spool.jsonl").write_text("")
    os.utime(well.base / "spool.jsonl", (0, 0))
    found = cli("doctor", "--json").json["findings"]
    assert [one["id"] for one in found] == ["log-entries", "spool-waits"]
    assert found[0]["what"].startswith("1 entry ") and found[0]["what"].endswith("claude prompt: x")
    assert [one["id"] for one in cli.ok("doctor", "--fix", "--json").json["fixed"]] == ["spool-waits"]
    assert not (well.base / "spool.jsonl").exists()


def test_a_shell_that_prints(well: Fleet, cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shell = tmp_path / "noisy"
    shell.write_text('#!/bin/sh\necho "Welcome back"\nexec /bin/sh "$@"\n')
    shell.chmod(0o755)
    monkeypatch.setenv("SHELL", str(shell))
    found = cli("doctor", "--json").json["findings"]
    assert {one["id"] for one in found} == {"shell-prints"} and "Welcome back" in found[0]["what"]


def test_a_hook_that_fails_and_one_that_is_slow(well: Fleet, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hookruns, "SLOW_MS", 0)
    assert set(ids(cli("doctor", "--json"))) == {"hook-slow"}


def test_a_command_that_is_not_on_the_path(well: Fleet, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    if not shutil.which("brainproj", path="/usr/bin:/bin"):
        assert ids(cli("doctor", "--json")) == ["not-on-path"]


def test_without_full_text_search(well: Fleet, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from brainproj.health import store

    class Without:
        sqlite_version = "3.0"
        OperationalError = sqlite3.OperationalError

        @staticmethod
        def connect(_: str) -> "Without":
            return Without()

        def execute(self, _: str) -> None:
            raise sqlite3.OperationalError("no such module: fts5")

        def close(self) -> None:
            pass

    monkeypatch.setattr(store, "sqlite3", Without)
    found = cli("doctor", "--json").json["findings"]
    assert [one["id"] for one in found] == ["no-fts5"] and "--python" in found[0]["remedy"]


def test_rehearsal_on_a_copy(well: Fleet, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (well.base / "brain.db").read_bytes()
    found = cli.ok("doctor", "--rehearse", "--json").json
    assert (
        found["ok"]
        and found["schema"] == {"before": NEWEST, "after": NEWEST}
        and found["rows"]["sessions"] == {"before": 2, "after": 2}
    )
    assert "no migration is due" in cli.ok("doctor", "--rehearse").out
    assert (well.base / "brain.db").read_bytes() == before
    assert cli("doctor", "--rehearse", "--fix").code == 2


def test_a_migration_that_loses_a_row_is_told_before_it_happens(
    well: Fleet, cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    migrations = tmp_path / "migrations"
    shutil.copytree(schema.MIGRATIONS, migrations)
    (migrations / "0006_bad.sql").write_text("DELETE FROM sessions WHERE id = 1;\n")
    monkeypatch.setattr(schema, "MIGRATIONS", migrations)
    monkeypatch.setattr(schema, "NEWEST", NEWEST + 1)
    done = cli("doctor", "--rehearse", "--json")
    assert done.code == 1 and not done.json["ok"] and done.json["schema"] == {"before": NEWEST, "after": NEWEST + 1}
    assert done.json["rows"]["sessions"] == {"before": 2, "after": 1}
    assert sqlite3.connect(well.base / "brain.db").execute("PRAGMA user_version").fetchone()[0] == NEWEST


def test_on_an_empty_machine(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion, home: Path
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.chdir(home)
    assert cli.ok("doctor").out == "✓ Nothing was found that needs attention.\n"
    assert cli.ok("status", "--json").json["store"]["sessions"] == 0
    done = cli("doctor", "--rehearse")
    assert done.code in (0, 4)


@pytest.mark.parametrize("first", ["", "sessions --all", "search axolotl", "map", "backfill", "brain"])
def test_what_was_run_first_in_an_empty_home_leaves_nothing_wrong(cli: Cli, home: Path, first: str) -> None:
    if first:
        cli(*first.split())
    done = cli.ok("status")
    assert "✗" not in done.out and "!" not in done.out
    assert "No transcripts of Claude Code, Codex or Cursor were found. See how it works: brainproj demo" in done.err


def test_config_that_is_not_toml_is_an_error_of_its_own(well: Fleet, cli: Cli) -> None:
    (well.base / "config.toml").write_text("scope = [")
    for command in ("status", "doctor", "install"):
        assert cli(command).code == 3


@pytest.mark.parametrize("config", ["", "[hosts]\n", "[hosts]\nx = 'y'\n", "scope = 'strict'\n\n[hosts]\n# mine\n"])
def test_the_remedy_for_a_host_leaves_the_settings_whole(well: Fleet, cli: Cli, config: str) -> None:
    alias(well)
    (well.base / "config.toml").write_text(config)
    remedy = cli.ok("doctor", "--json").json["findings"][0]["remedy"]
    subprocess.run(["sh", "-c", remedy], check=True)
    assert ids(cli.ok("doctor", "--json")) == []
    assert cli.ok("resolve", well.place / "gamma", "--json").json["project"]["key"] == "github.com/acme/gamma"
    assert all(line in (well.base / "config.toml").read_text() for line in config.splitlines())


def test_settings_of_hosts_in_another_form_are_opened(well: Fleet, cli: Cli) -> None:
    alias(well)
    (well.base / "config.toml").write_text('hosts = {x = "y"}\n')
    assert cli.ok("doctor", "--json").json["findings"][0]["remedy"].startswith("${EDITOR:-vi} ")


@pytest.mark.parametrize("at", [253_000_000_000, -99_999_999_999, 999_999_999_999])
def test_a_transcript_from_no_time_at_all(well: Fleet, cli: Cli, at: int) -> None:
    path = next((well.home / ".claude/projects").rglob("*.jsonl"))
    try:
        os.utime(path, (at, at))
    except OSError:
        pytest.skip("this file system has no such time")
    assert cli("status").code == 0 and cli("doctor").code in (0, 1)


def test_doctor_leaves_nothing_behind(well: Fleet, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    for make in (
        lambda: None,
        lambda: (well.base / "ready.db").unlink(),
        lambda: (well.base / "ready.db").write_text("x"),
    ):
        make()
        cli("doctor")
        cli("doctor", "--fix")
    time.sleep(1)
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_store_that_lacks_a_table(well: Fleet, cli: Cli) -> None:
    db = sqlite3.connect(well.base / "brain.db")
    db.execute("DROP TABLE sessions")
    db.close()
    found = cli("doctor", "--json").json["findings"][-1]
    assert found["id"] == "store-damaged" and "it lacks the table sessions" in found["what"]
    assert cli("export").code == 4


def test_ssh_aliases(tmp_path: Path) -> None:
    (tmp_path / "config").write_text(
        'Host a B *.x\n HostName Example.com\nHost *\n  User x\nhost c\nHostName=d\nHost="e"\n HostName "f.org"\nHost g\n HostName %h.x\n'
    )
    assert around.read_ssh_aliases(tmp_path / "config") == {
        "a": "example.com",
        "b": "example.com",
        "c": "d",
        "e": "f.org",
    }
    assert around.read_ssh_aliases(tmp_path / "none") == {}


# agentihooks beside us ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{}, {"env": {"AGENTIHOOKS_BASE_CHANNELS": "brain, amygdala"}, "model": "x"}])
def test_the_brain_channel_is_taken_over_and_given_back(well: Fleet, cli: Cli, settings: dict[str, object]) -> None:
    cli.ok("uninstall", "--yes")
    path = well.home / ".claude/settings.json"
    path.write_text(before := json.dumps(settings, indent=2))
    if not settings:
        write(".agentihooks/.env", 'export AGENTIHOOKS_BASE_CHANNELS="brain,amygdala" # both\n')(well)
    brain_feed(well)
    write(
        ".agentihooks/brain-feed/signals.md", "---\nid: signals\ntitle: Active Signals\n---\nThe deploy is frozen.\n"
    )(well)
    cli.ok("install", "claude", "--take-brain", "--yes")
    value = json.loads(path.read_text())
    assert value["env"] == {"AGENTIHOOKS_BASE_CHANNELS": "amygdala"}
    assert "agentihooks-unscoped" not in ids(cli("doctor", "--json"))
    assert "The deploy is frozen." in well.hook("start", "s5", well.folder("alpha")).context
    for content in (path.read_text(), json.dumps(value, indent=2)):  # as we left it, and as Claude Code writes it anew
        path.write_text(content)
        cli.ok("uninstall", "--yes")
        assert json.loads(path.read_text()) == json.loads(before)
        assert content != path.read_text() == before or content == path.read_text()
        cli.ok("install", "claude", "--take-brain", "--yes")


def test_where_the_feed_cannot_be_read_it_is_not_offered(well: Fleet, cli: Cli) -> None:
    brain_feed(well)
    finding = cli("doctor", "--json").json["findings"][-1]
    assert finding["id"] == "agentihooks-unscoped" and "not told from where" in finding["what"]
