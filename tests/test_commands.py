"""The commands as a person meets them: first use, odd homes, wrong arguments, closed pipes, Ctrl-C."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from brainproj.__main__ import run
from brainproj.commands.registry import COMMANDS
from brainproj.demo import build_demo

from .cli import Cli, spawn
from .conftest import CASES
from .repositories import make_repository
from .test_identity import NOW
from .test_ingest import ingest, store
from .transcripts import call, prompt, session_id, write_claude

READING = (
    ("resolve",), ("projects",), ("sessions",), ("sessions", "--all"), ("sessions", "--unattributed"), ("search", "x", "--everywhere"),
    ("arcs", "--project", "harbor"), ("records", "--project", "harbor"), ("scope",), ("preview", "--cwd", "/"), ("status",), ("doctor",),
)  # fmt: skip


def test_help_of_every_command_has_two_examples_and_its_own_first_line(cli: Cli) -> None:
    top = cli.ok("--help").out
    for entry in COMMANDS:
        text = cli.ok(entry.name, "--help").out
        assert re.search(rf"(?m)^  {entry.name}\s+{re.escape(entry.help[:20])}", top)
        assert entry.help in re.sub(r"\s+", " ", text), entry.name
        assert text.count(f"  brainproj {entry.name}") >= (1 if entry.name == "demo" else 2), entry.name
    assert cli.ok().out.startswith("Store    ~/.brainproj/brain.db")
    assert cli.ok("--version").out.startswith("brainproj 0.")


ONE = re.compile(r"(?<![\d,.])1 (?:projects|sessions|transcripts|events|records|arcs|hits|items|tool calls|failures)\b")


def test_one_of_anything_is_said_as_one(home: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, sid = make_repository(tmp_path / "shop"), session_id(1)
    monkeypatch.chdir(folder)
    assert "No transcript is stored yet" in cli.ok("attempts").err
    lines = [prompt(sid, folder, "Pay", 0), *call(sid, folder, "Bash", {"command": "x"}, "Error: y", 1, error=True)]
    write_claude(home, sid, lines, "-shop")
    said = ""
    for arguments in (
        ("backfill", "--dry-run"), ("arcs",), ("backfill",), ("projects",), ("sessions", "--all"), ("search", "Pay"),
        ("attempts",), ("map",), ("status",), ("preview",), ("install", "claude", "--yes"),
    ):  # fmt: skip
        done = cli.ok(*arguments)
        said += done.out + done.err
    said += cli.ok("show", re.findall(r"arc:\w+", said)[0]).out
    assert ONE.findall(said) == []
    for words in (
        "1 of 1 transcript would",
        "Read 1 transcript for",
        "1 session,",
        "1 transcript was",
        "1 project.",
        "1 tool call,",
    ):
        assert words in said, words


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("previw",), "Did you mean preview"), (("preview", "--cdw", "."), "no such option: --cdw"), (("search",), "missing argument"),
        (("scope", "wide"), "one of strict, rank, off"), (("preview", "--at", "dawn"), "there is no moment dawn"),
        (("preview", "--scope", "x"), "there is no scope x"), (("sessions", "--agent", "x"), "there is no agent x"),
        (("backfill", "--agent", "x"), "there is no agent x"), (("backfill", "--root", "/x"), "--root needs an agent"),
        (("sessions", "--watch", "--all"), "--watch shows live sessions only"), (("completion", "tcsh"), "there is no script for tcsh"),
        (("install", "copilot"), "there is no agent copilot"), (("doctor", "--fix", "--rehearse"), "exclude each other"),
        (("import",), "missing argument"), (("backup",), "missing argument"),
        (("projects", "ad"), "no such command"), (("forget",), "say one thing to forget"),
    ],
)  # fmt: skip
def test_a_malformed_line_exits_2_and_names_the_right_spelling(cli: Cli, arguments: tuple[str, ...], says: str) -> None:
    done = cli(*arguments)
    assert done.code == 2 and done.out == ""
    assert done.err.startswith("error: ") and says.lower() in done.err.lower()
    assert "hint:" in done.err


def test_the_first_preview_reads_by_itself_this_project_first(
    home: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_demo(home, NOW)
    monkeypatch.chdir(home / "dev" / "harbor")
    done = cli.ok("preview", "--cwd", ".")
    assert "Store departure times in UTC" in done.out and "battery" not in done.out
    assert "Read 3 transcripts for the first time" in done.err
    assert done.out.startswith("<project-memory ") and done.out.endswith("</project-memory>\n")
    assert "Read 3" not in cli.ok("preview").err


def test_this_projects_transcripts_are_read_before_the_others(home: Path) -> None:
    from brainproj.ingest import Wanted

    build_demo(home, NOW)
    for folder, last in (("dev/lantern", "dev/worktrees/tides"), ("dev/worktrees/tides", "dev/lantern")):
        shutil.rmtree(home / ".brainproj", ignore_errors=True)
        ingest(home, wanted=Wanted(first=str(home / folder)))
        read = (
            store(home)
            .execute("SELECT s.cwd FROM transcripts t JOIN sessions s ON s.id = t.session ORDER BY t.id")
            .fetchall()
        )
        assert read[-1][0] == str(home / last)


def test_with_no_transcript_at_all_it_says_so_and_names_the_demo(home: Path, tmp_path: Path, cli: Cli) -> None:
    shop = make_repository(tmp_path / "shop", "https://git.example.com/acme/shop")
    done = cli.ok("preview", "--cwd", shop)
    assert "brainproj demo" in done.err
    assert "Nothing is remembered of this project yet" in done.out
    assert "brainproj demo" in cli.ok("backfill").out
    assert "No session is stored" in cli.ok("sessions", "--all").err
    assert cli.ok("sessions", "--json").json == []
    assert cli.ok("projects", "--json").json[0]["name"] == "shop"


def test_preview_json_is_the_contract(home: Path, cli: Cli) -> None:
    build_demo(home, NOW)
    found = cli.ok("preview", "--cwd", home / "dev/worktrees/tides", "--json").json
    assert set(found) == {
        "project", "scope", "moment", "context", "block", "bytes", "tokens", "delivered", "withheld", "left_out", "sources", "given",
    }  # fmt: skip
    assert found["project"]["worktree"] == "tides" and found["project"]["branch"] == "tides"
    assert (
        found["context"] == found["block"] == cli.ok("preview", "--cwd", home / "dev/worktrees/tides").out.rstrip("\n")
    )
    assert found["bytes"] == len(found["context"].encode())
    assert {item["kind"] for item in found["delivered"]} == {"arc", "lesson"}
    assert found["sources"] == [{"name": "local", "state": "fresh", "age_s": 0}]
    by_session = cli.ok("preview", "--session", "01a0", "--json").json
    assert by_session["context"] == found["context"]
    off = cli.ok("preview", "--cwd", home / "dev/harbor", "--scope", "off", "--json").json
    assert off["context"] == "" and off["block"] is None and off["withheld"][0]["why"].startswith("scope is off")
    later = cli.ok("preview", "--cwd", home / "dev/harbor", "--at", "tool", "--json").json
    assert later["context"] == "" and "when a session starts" in later["withheld"][0]["why"]
    nowhere = cli.ok("preview", "--cwd", home, "--json").json
    assert nowhere["project"] is None and nowhere["context"] == ""
    gone = cli("preview", "--cwd", home / "never" / "was")
    assert gone.code == 1 and gone.out == "" and "does not exist" in gone.err


def test_the_budget_and_malformed_settings(home: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    build_demo(home, NOW)
    monkeypatch.setenv("BRAIN_PAYLOAD_MAX_BYTES", "400")
    assert cli.ok("preview", "--cwd", home / "dev/harbor", "--json").json["bytes"] <= 400
    monkeypatch.setenv("BRAIN_PAYLOAD_MAX_BYTES", "lots")
    monkeypatch.setenv("BRAIN_PROJECT_SCOPE", "wide")
    done = cli.ok("preview", "--cwd", home / "dev/harbor")
    assert "BRAIN_PAYLOAD_MAX_BYTES is 'lots'" in done.err and "BRAIN_PROJECT_SCOPE is 'wide'" in done.err
    assert "Store departure times" in done.out


def test_scope_says_which_setting_wins_and_keeps_comments(
    home: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_demo(home, NOW)
    cli.ok("backfill")
    monkeypatch.chdir(home / "dev" / "harbor")
    assert cli.ok("scope", "--json").json == {
        "effective": "strict",
        "set_by": "default",
        "global": None,
        "project": None,
    }
    config = home / ".brainproj" / "config.toml"
    config.write_text("# mine\nscope = \"off\" # why not\n\n[hosts]\ngh = 'github.com'\n")
    assert cli.ok("scope", "--json").json["set_by"] == "config"
    said = cli.ok("scope", "rank")
    assert "next moment" in said.err and "rank in harbor" in said.out
    assert config.read_text() == "# mine\nscope = \"rank\" # why not\n\n[hosts]\ngh = 'github.com'\n"
    cli.ok("scope", "off", "--project", "harbor")
    assert cli.ok("scope", "--json").json == {
        "effective": "off",
        "set_by": "project",
        "global": "rank",
        "project": "off",
    }
    assert cli.ok("scope", "--project", "lantern", "--json").json["effective"] == "rank"
    assert "# why not" in config.read_text() and "gh = 'github.com'" in config.read_text()
    monkeypatch.setenv("BRAIN_PROJECT_SCOPE", "strict")
    assert cli.ok("scope", "--json").json["set_by"] == "environment"
    before = config.read_bytes()
    cli.ok("scope", "off", "--project", "harbor")
    assert config.read_bytes() == before


def test_projects_are_declared_aliased_merged_and_taken_back(home: Path, tmp_path: Path, cli: Cli) -> None:
    build_demo(home, NOW)
    cli.ok("backfill")
    notes = tmp_path / "my notes"
    notes.mkdir()
    config = home / ".brainproj" / "config.toml"
    config.write_text("# keep me\n")
    cli.ok("projects", "add", notes, "--name", "notes")
    assert cli.ok("resolve", notes, "--json").json["rule"] == "declared"
    cli.ok("projects", "alias", "harbor", "ferries")
    assert cli.ok("resolve", "/", "--project", "ferries", "--json").json["project"]["name"] == "harbor"
    cli.ok("projects", "merge", "lantern", "harbor")
    merged = {one["name"]: one for one in cli.ok("projects", "--json").json}
    assert merged["harbor"]["sessions"] == 3 and "lantern" not in merged
    assert "battery" in cli.ok("preview", "--cwd", home / "dev" / "harbor").out
    for name in ("merge", "alias", "add"):
        assert f"taken back: {name}" in cli.ok("projects", "undo").out
    assert config.read_text() == "# keep me\n"
    assert "battery" not in cli.ok("preview", "--cwd", home / "dev" / "harbor").out
    assert cli("projects", "undo").code == 1
    for wrong in (
        ("merge", "harbor", "harbor"),
        ("merge", "nothing", "harbor"),
        ("alias", "nothing", "x"),
        ("add", tmp_path / "gone"),
    ):
        assert cli("projects", *wrong).code == 1
    cli.ok("projects", "alias", "harbor", "ferries")
    config.write_text("# edited by hand\n")
    refused = cli("projects", "undo")
    assert (
        refused.code == 1 and "edited after that change" in refused.err and config.read_text() == "# edited by hand\n"
    )


@pytest.mark.parametrize("content", [b"scope = ", b"\xff\xfe", b"[projects\n"])
def test_a_config_that_does_not_parse_exits_3_and_stays(home: Path, cli: Cli, content: bytes) -> None:
    config = home / ".brainproj" / "config.toml"
    config.parent.mkdir()
    config.write_bytes(content)
    for command in (("preview",), ("backfill",), ("scope", "rank"), ("projects",)):
        done = cli(*command)
        assert done.code == 3 and "is not TOML" in done.err, command
    assert config.read_bytes() == content


def test_malformed_values_are_named_and_their_defaults_used(home: Path, cli: Cli) -> None:
    config = home / ".brainproj" / "config.toml"
    config.parent.mkdir()
    config.write_text(
        'scope = 3\nhosts = "x"\n[projects]\na = 1\n[projects.b]\npath = 5\naliases = "x"\nscope = "wide"\n[capture]\nexclude = []\n[redaction]\nhide = ["("]\n'
    )
    done = cli.ok("scope", "--json")
    assert done.json["effective"] == "strict"
    for name in (
        "scope is 3",
        "hosts is 'x'",
        "projects.a is 1",
        "projects.b.path",
        "projects.b.aliases",
        "projects.b.scope",
        "exclude is []",
        "redaction.hide holds what is no regular expression",
    ):
        assert name in done.err, name


def test_case_07_the_current_folder_is_gone(home: Path, tmp_path: Path) -> None:
    build_demo(home, NOW)
    folder = tmp_path / "gone"
    script = f"mkdir -p {folder} && cd {folder} && rmdir {folder} && exec {sys.executable} -m brainproj "
    results = {}
    for command in (
        "--help",
        "sessions --all --json",
        "search ferry --project harbor --json",
        "search ferry",
        "resolve",
        "preview",
        "resolve /",
        "projects",
    ):
        done = subprocess.run(["sh", "-c", script + command], capture_output=True, text=True, check=False)
        assert "Traceback" not in done.stderr
        results[command] = done
    for command in ("--help", "sessions --all --json", "search ferry --project harbor --json", "resolve /", "projects"):
        assert results[command].returncode == 0, results[command].stderr
    assert json.loads(results["search ferry --project harbor --json"].stdout)
    for command in ("search ferry", "resolve", "preview"):
        assert results[command].returncode == 1
        assert results[command].stderr.startswith("error: the current folder does not exist any more")


def test_case_26_no_terminal_code_of_stored_text_reaches_the_screen(home: Path, cli: Cli) -> None:
    case = CASES / "26-escape-codes-in-titles"
    folder = home / ".claude" / "projects" / "-x"
    folder.mkdir(parents=True)
    for source in sorted((case / "sessions").glob("*.jsonl")):
        (folder / source.name).write_bytes(source.read_bytes())
    fact = (case / "fact.txt").read_text("utf-8", "surrogateescape").encode("utf-8", "replace").decode()
    sid = session_id(99)
    write_claude(home, sid, [prompt(sid, "/x", fact), *call(sid, "/x", "Bash\x1b[31m", {"command": fact}, fact)])
    cli.ok("backfill")
    ids = [one["session_id"] for one in cli.ok("sessions", "--all", "--json").json]
    assert len(ids) == 11
    rows = cli.ok("sessions", "--all").out.splitlines()
    assert len(rows) == 12, "each title on one line"
    commands = [
        ("sessions", "--all"),
        ("sessions", "--unattributed"),
        ("search", "red", "--everywhere"),
        ("search", "link", "--everywhere", "--hidden"),
    ]
    commands += [("show", one) for one in ids] + [("projects",), ("show", "no\x1b[31msuch")]
    forbidden = re.compile("[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u202a-\u202e\u2066-\u2069]")
    text = ""
    for command in commands:
        done = cli(*command)
        assert not forbidden.search(done.out + done.err), command
        for code in ("[31m", "]8;;", "]52;", "[2J"):
            assert code not in done.out + done.err, command
        text += done.out
        answered = cli(*command, "--json").out
        assert not forbidden.search(answered)
    assert "red RED end" in text and "link click end" in text


@pytest.mark.parametrize("command", READING)
def test_case_33_a_closed_pipe_is_quiet(home: Path, command: tuple[str, ...]) -> None:
    for number in range(150):
        sid = session_id(number)
        write_claude(home, sid, [prompt(sid, "/x", f"x fact {number} " + "y" * 300)])
    build_demo(home, NOW)
    run(["backfill", "--quiet"])
    line = " ".join(f"'{part}'" for part in (sys.executable, "-m", "brainproj", *command))
    for variant in ("", " --json"):
        for reader in ("head -1", "true"):
            script = f"set -o pipefail; PYTHONUNBUFFERED=1 {line}{variant} 2>err | {reader}; echo ${{PIPESTATUS[0]}}"
            done = subprocess.run(["bash", "-c", script], cwd=home, capture_output=True, text=True, check=False)
            assert done.stdout.splitlines()[-1] in ("0", "141"), (done.stdout, (home / "err").read_text())
            assert (
                "Traceback" not in (home / "err").read_text() and "Exception ignored" not in (home / "err").read_text()
            )
    closed = subprocess.run(["bash", "-c", f"{line} >&-"], cwd=home, capture_output=True, text=True, check=False)
    assert "Traceback" not in closed.stderr and "Exception" not in closed.stderr
    closed = subprocess.run(["bash", "-c", f"{line} 2>&-"], cwd=home, capture_output=True, text=True, check=False)
    assert closed.returncode == 0


def test_output_is_utf8_whatever_the_locale(home: Path) -> None:
    sid = session_id(1)
    write_claude(home, sid, [prompt(sid, "/x", "smørrebrød 😀 座席")])
    environment = {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
    }
    for command in (["sessions", "--all"], ["sessions", "--all", "--json"], ["show", sid]):
        done = subprocess.run(
            [sys.executable, "-m", "brainproj", *command], env=environment, capture_output=True, check=True
        )
        assert "smørrebrød 😀 座席" in done.stdout.decode("utf-8")


def test_a_read_only_home_still_answers(home: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root writes everywhere, so the home is one that cannot be made: below a file."""
    shop = make_repository(tmp_path / "shop", "https://git.example.com/acme/shop")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("BRAINPROJ_HOME", str(tmp_path / "file" / "home"))
    done = cli.ok("resolve", shop, "--json")
    assert done.json["project"]["key"] == "git.example.com/acme/shop"
    assert "what is found out now is not kept" in done.err
    assert cli("backfill").code == 4
    assert cli("scope", "rank").code == 1


def test_ctrl_c_ends_with_130_and_keeps_what_was_read(home: Path) -> None:
    script = "import sys, brainproj.store.writer as w, brainproj.capture as c\nw.BATCH_BYTES = c.BATCH_BYTES = 3000\nfrom brainproj.__main__ import run\nsys.exit(run(['backfill']))"
    for number in range(3000):
        sid = session_id(number)
        write_claude(home, sid, [prompt(sid, "/x", f"text {number} " + "z" * 400)])
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while store(home).execute("SELECT count(*) FROM events").fetchone()[0] < 100:
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in err
    report = ingest(home)
    assert 0 < report.unchanged < 3000
    assert store(home).execute("SELECT count(*) FROM events").fetchone()[0] == 3000


def test_watch_writes_each_change_and_ends_on_ctrl_c(home: Path) -> None:
    process = spawn("sessions", "--watch", "--json")
    assert process.stdout is not None
    assert process.stdout.readline().strip() == b"[]"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, b"", b"")


def test_live_sessions_are_listed_with_their_project(home: Path, tmp_path: Path, cli: Cli) -> None:
    shop = make_repository(tmp_path / "shop", "https://git.example.com/acme/shop")
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        stat = Path(f"/proc/{sleeper.pid}/stat").read_text().rpartition(")")[2].split()
        register = home / ".claude" / "sessions"
        register.mkdir(parents=True)
        entry = {
            "pid": sleeper.pid,
            "sessionId": session_id(1),
            "cwd": str(shop),
            "procStart": stat[19],
            "status": "busy",
            "startedAt": 1_772_000_000_000,
        }
        (register / f"{sleeper.pid}.json").write_text(json.dumps(entry))
        write_claude(home, session_id(1), [prompt(session_id(1), shop, "Mend the till")])
        cli.ok("backfill")
        found = cli.ok("sessions", "--json").json
        assert [(one["session_id"], one["state"], one["project"]["name"], one["title"]) for one in found] == [
            (session_id(1), "busy", "shop", "Mend the till")
        ]
        assert found[0]["seen_by"] == ["claude"] and found[0]["prompts"] == 1
        assert set(found[0]) >= {
            "session_id", "agent_id", "agent", "project", "cwd", "title", "state", "seen_by", "started_at", "last_seen_at", "transcript", "scope",
            "prompts", "tool_calls", "tool_failures", "events",
        }  # fmt: skip
        assert "shop (git.example.com/acme/shop)" in cli.ok("sessions").out
        assert cli.ok("sessions", "--all", "--json").json[0]["state"] == "busy"
        assert cli.ok("sessions", "--agent", "codex", "--json").json == []
    finally:
        sleeper.kill()
        sleeper.wait()
    assert cli.ok("sessions", "--json").json == []


def test_debug_shows_the_traceback(home: Path) -> None:
    process = spawn("show", "rec:1", "--debug")
    _, err = process.communicate(timeout=30)
    assert process.returncode == 1 and b"Traceback" in err and b"NotFound" in err


def test_a_command_imports_only_what_it_needs() -> None:
    """`resolve` and `scope` stay near a bare Typer command: neither Rich nor a library of another command is loaded."""
    script = "import sys\nfrom brainproj.__main__ import run\ncode = run(sys.argv[1:])\nprint(' '.join(sorted(sys.modules)), file=sys.stderr)"
    for command in (("resolve", "/"), ("scope",), ("--help",)):
        done = subprocess.run([sys.executable, "-c", script, *command], capture_output=True, text=True, check=True)
        modules = set(done.stderr.split())
        assert not modules & {
            "rich.console",
            "rich.table",
            "httpx",
            "git",
            "tomlkit",
            "zstandard",
            "brainproj.ingest",
            "brainproj.agents.registry",
        }, command


def test_what_cannot_be_meant_is_refused(cli: Cli, tmp_path: Path, home: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    make_repository(tmp_path / "shop", "https://git.example.com/acme/shop.git")
    cli.ok("projects", "add", folder)
    cli.ok("resolve", tmp_path / "shop")
    for arguments, code, said in (
        (("projects", "add", folder, "--name", "other"), 1, "declared already, as notes"),
        (("projects", "alias", "shop", ""), 1, "an alias needs a letter"),
        (("projects", "alias", "shop", "notes"), 1, "notes is a project itself"),
        (("records", "--project", "shop", "--kind", "foo"), 2, "there is no kind of record foo"),
        (("records", "--project", "shop", "--status", "foo"), 2, "there is no status foo"),
        (("backfill", "--agent", "codex", "--root", tmp_path / "gone"), 1, "is not a folder"),
        (("forget", "--before", "bogus"), 2, "--before bogus is no time"),
        (("search", "x", "--everywhere", "--project", "shop"), 2, "exclude each other"),
        (("sessions", "--unattributed", "--project", "shop"), 2, "in no project"),
    ):
        done = cli(*arguments)
        assert (done.code, done.out) == (code, ""), arguments
        assert said in done.err, arguments


def test_a_hint_names_only_what_the_command_has(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "--everywhere" in cli("search", "x").err
    for command in ("arcs", "records"):
        assert "--everywhere" not in cli(command).err


def test_a_folder_whose_name_is_no_text(cli: Cli, tmp_path: Path) -> None:
    """A name that is not UTF-8 cannot be stored; the folder has no project, and says so."""
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/b\xff")
    make_repository(Path(odd))
    for folder in (odd, odd + "gone"):
        done = cli("resolve", folder, "--json")
        assert done.json["project"] is None and "not UTF-8" in done.json["why"]
    assert cli("preview", "--cwd", odd).out == ""
