"""Tasks: opened, found again by any name that is theirs alone, joined by hand, agent, branch and swarm, forgotten."""

import json
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brainproj.core.tasks import SLUG_LETTERS, Status, Task, find_task, make_slug
from brainproj.errors import Ambiguous

from .cli import Cli
from .repositories import add_worktree, make_repository
from .test_ingest import ingest
from .transcripts import prompt, reply, session_id, write_claude

TOKEN = "ghp_" + "a1B2" * 9


@pytest.fixture
def shop(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with two sessions, the second on a branch, and another project with one."""
    folder = make_repository(tmp_path / "shop", "https://git.example.com/acme/shop")
    other = make_repository(tmp_path / "other", "https://git.example.com/acme/other")
    for number, (place, branch) in enumerate(((folder, "main"), (folder, "charge-once"), (other, "charge-once")), 1):
        sid = session_id(number)
        lines = [prompt(sid, place, f"work {number}", number), reply(sid, place, "done", number + 20)]
        write_claude(home, sid, [line | {"gitBranch": branch} for line in lines])
    ingest(home)
    monkeypatch.chdir(folder)
    return folder


def task(number: int, slug: str, title: str, status: Status = Status.OPEN, swarm: str | None = None) -> Task:
    farm = "farm" if swarm else None
    return Task(number, 1, slug, status, title, None, None, farm, swarm, None, False, number, None)


TASKS = [
    task(1, "charge-once", "Charge a customer once"),
    task(2, "charge-fees", "Charge the fees", Status.CLOSED),
    task(3, "tide-levels", "Tide levels in the timetable"),
    task(4, "farm-pm1", "pm1 of the swarm farm", swarm="pm1"),
    task(5, "charge", "Everything about charging"),
]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("charge-once", 1),
        ("task:charge-once", 1),
        ("[task:charge-once]", 1),
        ("CHARGE A CUSTOMER ONCE", 1),
        ("charge-o", 1),
        ("customer", 1),
        ("once customer", 1),
        ("charge-fees", 2),
        ("fees", 2),
        ("tide", 3),
        ("pm1", 4),
        ("farm/pm1", 4),
        ("charge", 5),
        ("charging", 5),
        ("lantern", None),
        ("", None),
        ("task:", None),
    ],
)
def test_which_task_a_name_means(name: str, found: int | None) -> None:
    task = find_task(TASKS, name)
    assert (task.number if task else None) == found


@pytest.mark.parametrize("name", ["charge-", "the", "char"])
def test_an_ambiguous_name_is_a_choice(name: str) -> None:
    with pytest.raises(Ambiguous) as raised:
        find_task(TASKS, name)
    assert raised.value.hint and "name one by its id" in raised.value.hint


@given(st.lists(st.text(max_size=80), max_size=12))
def test_slugs_are_unique_short_and_plain(titles: list[str]) -> None:
    taken: set[str] = set()
    for title in titles:
        slug = make_slug(title, taken)
        assert slug not in taken and len(slug) <= SLUG_LETTERS + 3 and slug.isascii() and slug == slug.lower()
        assert slug and all(part.isalnum() for part in slug.split("-")) and make_slug(slug, ()) == slug
        taken.add(slug)


def test_a_task_is_opened_listed_shown_continued_and_closed(shop: Path, cli: Cli) -> None:
    made = cli.ok("task", "new", "Charge a customer once", "--goal", "No double charge", "--json").json
    assert (made["citation"], made["status"], made["goal"]) == (
        "task:charge-a-customer-once",
        "open",
        "No double charge",
    )
    assert made["by"] == "person" and made["person"]["id"].startswith(("git:", "os:")) and made["sessions"] == []
    again = cli("task", "new", "charge a CUSTOMER once")
    assert again.code == 1 and "brainproj task continue charge-a-customer-once" in again.err
    joined = cli.ok("task", "continue", "customer", "--session", session_id(1)[:8] + session_id(1)[8:], "--json").json
    assert [(one["session_id"], one["joined_by"]) for one in joined["sessions"]] == [(session_id(1), "person")]
    assert (
        cli.ok("task", "continue", "customer", "--session", session_id(1), "--json").json["sessions"]
        == joined["sessions"]
    )
    assert [one["id"] for one in cli.ok("task", "list", "--json").json] == ["charge-a-customer-once"]
    out = cli.ok("task", "list").out
    assert "task:charge-a-customer-once" in out and "Charge a customer once" in out
    closed = cli.ok("task", "close", "charge", "--json").json
    assert closed["status"] == "closed" and closed["closed_at"] and len(closed["sessions"]) == 1
    assert cli.ok("task", "list", "--json").json == [] and len(cli.ok("task", "list", "--all", "--json").json) == 1
    assert "No task of shop is open" in cli.ok("task", "list").err
    assert cli.ok("task", "continue", "charge", "--json").json["status"] == "open"
    shown = cli.ok("task", "show", "charge").out
    assert "Goal: No double charge" in shown and "person" in shown and "5f0c0000" in shown
    for wrong in (("show", "lantern"), ("continue", "lantern"), ("close", "lantern")):
        done = cli("task", *wrong)
        assert done.code == 1 and 'brainproj task new "lantern"' in done.err
    assert cli("task", "new", "  ").code == 1 and cli("task", "continue", "charge", "--session", "zzz").code == 1
    assert cli("task", "continue", "charge", "--session", session_id(3)).code == 1, "another project's session"
    assert cli.ok("task", "--json").json == cli.ok("task", "list", "--json").json != []


def test_sessions_on_the_branch_belong_to_it(
    shop: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = cli.ok("task", "new", "Charge once", "--branch", "charge-once", "--json").json
    assert [(one["session_id"], one["joined_by"]) for one in made["sessions"]] == [(session_id(2), "branch")]
    monkeypatch.chdir(add_worktree(shop, tmp_path / "wt", "tides"))
    assert cli.ok("task", "new", "Tide levels", "--json").json["branch"] == "tides"
    monkeypatch.chdir(shop)
    assert cli.ok("task", "new", "On main", "--json").json["branch"] is None


def test_an_agents_call_joins_its_session(shop: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.ok("task", "new", "Charge once")
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", session_id(77))
    joined = cli.ok("task", "continue", "charge", "--json").json
    assert [(one["session_id"], one["joined_by"], one["title"]) for one in joined["sessions"]] == [
        (session_id(77), "agent", None)
    ]
    assert "not read yet" in cli.ok("task", "show", "charge").out
    made = cli.ok("task", "new", "By an agent", "--json").json
    assert made["by"] == "assistant" and made["person"] is None and len(made["sessions"]) == 1
    assert "by an agent" in cli.ok("task", "show", "by-an-agent").out


def grow(home: Path, number: int) -> None:
    """Let a session go on."""
    (path,) = (home / ".claude" / "projects").rglob(f"{session_id(number)}.jsonl")
    with path.open("a") as file:
        file.write(json.dumps(reply(session_id(number), "/x", "more", 50 + number)) + "\n")


def test_a_swarms_task_id_joins(shop: Path, home: Path, cli: Cli) -> None:
    cli.ok("backfill", "--quiet")
    with sqlite3.connect(home / ".brainproj" / "ready.db") as ready:
        for number in (1, 2):
            ready.execute(
                "INSERT INTO seen(agent, session_id, agent_id, project, moment, started_at, last_at, swarm, task)"
                " VALUES('claude', ?, '', 'git.example.com/acme/shop', 'start', 1, 1, 'farm', 'pm1')",
                (session_id(number),),
            )
    grow(home, 1)
    cli.ok("backfill", "--quiet")
    (found,) = cli.ok("task", "list", "--json").json
    assert (found["id"], found["swarm"], found["swarm_task"], found["by"]) == ("farm-pm1", "farm", "pm1", "assistant")
    assert {(one["session_id"], one["joined_by"]) for one in found["sessions"]} == {
        (session_id(1), "swarm"),
        (session_id(2), "swarm"),
    }
    assert cli.ok("task", "show", "pm1", "--json").json["id"] == "farm-pm1"
    cli.ok("forget", "task:farm-pm1", "--yes")
    grow(home, 2)
    cli.ok("backfill", "--quiet")
    assert cli.ok("task", "list", "--all", "--json").json == [], "what was forgotten is not made again"


def test_nothing_of_another_project_is_a_task_here(
    shop: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.ok("task", "new", "Charge once", "--branch", "charge-once")
    monkeypatch.chdir(tmp_path / "other")
    assert cli.ok("task", "list", "--all", "--json").json == []
    for command in ("show", "continue", "close"):
        done = cli("task", command, "charge-once")
        assert done.code == 1 and "no task of other is called charge-once" in done.err
    theirs = cli.ok("task", "new", "Charge once", "--json").json
    assert theirs["citation"] == "task:charge-once" and theirs["sessions"] == []
    assert "(other)" in cli.ok("show", "task:charge-once").out
    monkeypatch.chdir(shop)
    assert "(shop)" in cli.ok("show", "task:charge-once").out
    monkeypatch.chdir(tmp_path)
    done = cli("show", "task:charge-once")
    assert done.code == 1 and "acme/shop" in done.err and "acme/other" in done.err


def test_a_task_is_found_mapped_and_told_of(shop: Path, cli: Cli) -> None:
    cli.ok(
        "task",
        "new",
        "Charge a customer once",
        "--goal",
        "The provider is asked with one key",
        "--branch",
        "charge-once",
    )
    (hit,) = cli.ok("search", "provider key", "--json").json
    assert (hit["citation"], hit["kind"]) == ("task:charge-a-customer-once", "task")
    assert (
        cli.ok("search", "provider", "--kind", "task", "--since", "1d", "--json").json[0]["citation"] == hit["citation"]
    )
    shown = cli.ok("show", hit["citation"], "--json").json
    assert shown["text"].endswith("one key") and shown["sessions"] == [session_id(2)]
    assert "Open tasks:\n- Charge a customer once [task:charge-a-customer-once]" in cli.ok("map").out
    who = cli.ok("who", "task:charge-a-customer-once", "--json").json
    assert who["what"] == "task" and who["sessions"][0]["person"]["name"]
    assert "Charge a customer once" in cli.ok("who", "charge").out
    cli.ok("task", "close", "charge")
    assert "Open tasks" not in cli.ok("map").out


def test_no_secret_is_kept_in_a_task_and_forgetting_leaves_no_byte(
    shop: Path, home: Path, cli: Cli, tmp_path: Path
) -> None:
    made = cli.ok("task", "new", f"Use {TOKEN} once", "--goal", f"so that {TOKEN} is gone", "--branch", TOKEN, "--json")
    assert TOKEN not in made.out

    def holds(text: str) -> bool:
        return any(text.encode() in path.read_bytes() for path in (home / ".brainproj").rglob("*") if path.is_file())

    assert not holds(TOKEN)
    cli.ok("task", "new", "Xylophone lessons", "--goal", "quagmire")
    assert holds("quagmire")
    (tmp_path / "text").write_text("quagmire")
    assert cli.ok("forget", "--text", tmp_path / "text", "--yes", "--json").json["tasks"] == 1
    assert not holds("quagmire") and not holds("Xylophone") and not holds("xylophone")
    cli.ok("task", "new", "Zymurgy")
    cli.ok("forget", "--project", "shop", "--yes")
    assert not holds("Zymurgy")


def test_a_rule_that_hides_more_reaches_tasks(shop: Path, home: Path, cli: Cli) -> None:
    cli.ok("task", "new", "Fix ACME-12345678 soon")
    (home / ".brainproj" / "config.toml").write_text('[redaction]\nhide = ["ACME-[0-9]{8}", "acme-[0-9]{8}"]\n')
    ingest(home)
    assert "12345678" not in cli.ok("task", "list", "--json").out
    with sqlite3.connect(home / ".brainproj" / "brain.db") as db:
        assert not [row for row in db.execute("SELECT slug FROM tasks") if "12345678" in row[0]]


def test_tasks_travel_and_are_made_once(
    shop: Path, home: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.ok("task", "new", "Charge once", "--goal", "one key", "--branch", "charge-once")
    cli.ok("task", "continue", "charge", "--session", session_id(1))
    cli.ok("task", "close", "charge")
    before = cli.ok("task", "list", "--all", "--json").out.replace('"os:', '"imported:os:')
    file = tmp_path / "shop.jsonl"
    lines = cli.ok("export", "shop").out.splitlines()
    odd = (
        {"type": "task", "id": "../x", "title": "bad"},
        {"type": "task", "id": "ok-slug"},
        {"type": "task", "id": "a", "title": 5},
    )
    file.write_text("\n".join([*lines, *map(json.dumps, odd)]) + "\n")
    monkeypatch.setenv("BRAINPROJ_HOME", str(tmp_path / "elsewhere"))
    for _ in range(2):
        assert cli("import", file, "--json").json["bad_lines"] == 3
    assert cli.ok("task", "list", "--all", "--project", "shop", "--json").out == before


def test_many_at_once_make_one_task(shop: Path) -> None:
    import subprocess
    import sys

    command = [sys.executable, "-m", "brainproj", "task", "new", "The same"]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(16)]
    codes = sorted((process.communicate(), process.returncode)[1] for process in running)
    assert codes == [0] + [1] * 15


def test_what_was_forgotten_comes_back_by_no_way_but_a_person(shop: Path, home: Path, tmp_path: Path, cli: Cli) -> None:
    cli.ok("task", "new", "Quagmire secret plan", "--goal", "unique words")
    (tmp_path / "export").write_text(cli.ok("export", "shop").out)
    cli.ok("backup", tmp_path / "before.db")
    cli.ok("forget", "task:quagmire-secret-plan", "--yes")
    assert all(b"uagmire" not in path.read_bytes() for path in (home / ".brainproj").glob("*") if path.is_file())
    cli.ok("import", tmp_path / "export")
    assert cli.ok("task", "list", "--all", "--json").json == []
    cli.ok("restore", tmp_path / "before.db", "--yes")
    assert cli.ok("task", "list", "--all", "--json").json == []
    cli.ok("task", "new", "Quagmire secret plan")
    assert len(cli.ok("task", "list", "--json").json) == 1


def test_projects_that_are_merged_keep_both_of_one_name(
    shop: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.ok("task", "new", "Same slug", "--goal", "shop goal")
    monkeypatch.chdir(tmp_path / "other")
    cli.ok("task", "new", "Same slug", "--goal", "other goal")
    monkeypatch.chdir(shop)
    cli.ok("projects", "merge", "other", "shop")
    ids = [one["id"] for one in cli.ok("task", "list", "--json").json]
    assert sorted(ids) == ["same-slug", "same-slug-2"]
    for slug, goal in (("same-slug", "shop goal"), ("same-slug-2", "other goal")):
        assert cli.ok("task", "show", slug, "--json").json["goal"] == goal
        (hit,) = cli.ok("search", goal.split()[0], "goal", "--kind", "task", "--json").json
        assert (
            hit["citation"] == f"task:{slug}"
            and goal in cli.ok("show", hit["citation"], "--raw", "--json").json["text"]
        )
    (tmp_path / "export").write_text(cli.ok("export", "shop").out)
    monkeypatch.setenv("BRAINPROJ_HOME", str(tmp_path / "elsewhere"))
    cli.ok("import", tmp_path / "export")
    assert sorted(one["goal"] for one in cli.ok("task", "list", "--project", "shop", "--json").json) == [
        "other goal",
        "shop goal",
    ]


@pytest.mark.parametrize("said", [TOKEN, "\udcff", "A" * 100_000, "x\x1b[31m", "5f0c0000"])
def test_only_what_is_a_sessions_id_joins(shop: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    cli.ok("task", "new", "Charge once")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", said)
    assert cli.ok("task", "continue", "charge", "--json").json["sessions"] == []


def test_no_session_of_another_project_is_part_of_a_task(shop: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.ok("task", "new", "Charge once")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", session_id(3))
    assert cli.ok("task", "continue", "charge", "--json").json["sessions"] == []
    assert session_id(3) not in cli.ok("export", "shop").out


def test_forgetting_reaches_everything_a_task_holds(shop: Path, home: Path, tmp_path: Path, cli: Cli) -> None:
    cli.ok("task", "new", "Charge once", "--branch", "feature/zanzibar")
    cli.ok("task", "continue", "charge", "--session", session_id(1))
    cli.ok("forget", session_id(1), "--yes")
    assert cli.ok("task", "show", "charge", "--json").json["sessions"] == []
    cli.ok("forget", "--before", "2021-01-01", "--yes")
    assert len(cli.ok("task", "list", "--json").json) == 1, "an open task is of now"
    (tmp_path / "text").write_text("zanzibar")
    assert cli.ok("forget", "--text", tmp_path / "text", "--yes", "--json").json["tasks"] == 1
    assert all(b"zanzibar" not in path.read_bytes() for path in (home / ".brainproj").glob("*") if path.is_file())
