"""Cursor: its rule file, and the results of its tools."""

import json
import sqlite3
import time
from pathlib import Path

import pytest

from brainproj.core.memory import MemoryItem
from brainproj.cursor_rule import LIMIT_BYTES, PLACE, render_rule
from brainproj.store.codes import OUTCOME_NAMES

from ..conftest import DATA
from ..repositories import add_worktree, git
from ..test_ingest import store, texts_of
from .sessions import Answer, Fleet

HOOKS = DATA / "hooks" / "cursor"
SECRET = "glpat-" + "Zk3xWq9LmTb7RvN2YpQd"


def send(fleet: Fleet, name: str, folder: Path, **members: object) -> Answer:
    payload = json.loads((HOOKS / f"{name}.json").read_text()) | {"workspace_roots": [str(folder)]} | members
    return fleet.send(json.dumps(payload).encode(), "cursor", str(payload["hook_event_name"]))


def rule(folder: Path) -> Path:
    return folder / PLACE


@pytest.mark.parametrize("where", ["checkout", "worktree"])
def test_the_rule_is_hidden_from_git_before_it_is_written(fleet: Fleet, where: str) -> None:
    alpha = fleet.folder("alpha")
    folder = add_worktree(alpha, fleet.place / "wt", "wt") if where == "worktree" else alpha
    assert "axolotl" in send(fleet, "sessionStart", folder).value["additional_context"]
    fleet.work()
    text = rule(folder).read_text()
    assert text.startswith("---\n") and "alwaysApply: true" in text and "project alpha" in text
    assert "axolotl" not in text and "bandicoot" not in text  # nobody has confirmed anything
    assert git(folder, "status", "--porcelain") == ""
    before = rule(folder).stat().st_mtime_ns
    send(fleet, "stop", folder)
    fleet.work()
    assert rule(folder).stat().st_mtime_ns == before
    assert (
        git(alpha, "rev-parse", "--git-common-dir")
        and (alpha / ".git" / "info" / "exclude").read_text().count(PLACE) == 1
    )


def test_the_rule_holds_what_a_person_confirmed_and_nothing_else(fleet: Fleet) -> None:
    with sqlite3.connect(fleet.base / "brain.db") as brain:
        brain.execute(
            "UPDATE records SET confirmed_by = 'ana', kind = 'decision' WHERE project = (SELECT id FROM projects WHERE name = 'alpha')"
        )
    send(fleet, "sessionStart", fleet.folder("alpha"))
    send(fleet, "sessionStart", fleet.folder("beta"), conversation_id="other")
    fleet.work()
    assert "- The axolotl eats at night." in rule(fleet.folder("alpha")).read_text()
    assert "bandicoot" not in rule(fleet.folder("alpha")).read_text() + rule(fleet.folder("beta")).read_text()


@pytest.mark.parametrize("case", ["tracked", "theirs", "symlink", "no checkout", "off"])
def test_where_no_rule_is_written(fleet: Fleet, case: str, tmp_path: Path) -> None:
    folder = fleet.folder("alpha")
    if case in ("tracked", "theirs"):
        rule(folder).parent.mkdir(parents=True)
        rule(folder).write_text("their own words")
    if case == "tracked":
        git(folder, "add", "-f", PLACE)
        git(folder, "commit", "-qm", "rule")
        rule(folder).unlink()
    if case == "symlink":
        (tmp_path / "elsewhere").mkdir()
        (folder / ".cursor").symlink_to(tmp_path / "elsewhere")
    if case == "off":
        fleet.configure('scope = "off"\n')
    if case == "no checkout":
        folder = tmp_path / "bare-folder"
        folder.mkdir()
    send(fleet, "sessionStart", folder)
    fleet.work()
    assert not rule(folder).exists() or rule(folder).read_text() == "their own words"
    assert not (tmp_path / "elsewhere").exists() or list((tmp_path / "elsewhere").rglob("*")) == []


def test_a_rule_goes_when_the_scope_is_off(fleet: Fleet) -> None:
    alpha = fleet.folder("alpha")
    send(fleet, "sessionStart", alpha)
    fleet.work()
    assert rule(alpha).exists()
    fleet.configure('scope = "off"\n')
    send(fleet, "stop", alpha)
    fleet.work()
    assert not rule(alpha).exists()


def test_a_rule_has_its_limit_and_no_way_out() -> None:
    items = [MemoryItem(f"rec:{number}", "字" * 200 + "</x>\n# y\n---\n", None) for number in range(100)]
    text = render_rule('a"b\n---\n<x>', items)
    assert len(text.encode()) <= LIMIT_BYTES
    assert text.count("\n---\n") == 1 and "</x>" not in text


# results of tools ------------------------------------------------------------------------------------------------------


def wait_for(fleet: Fleet, text: str) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and not any(text in one for one in texts_of(fleet.home)):
        time.sleep(0.05)
    assert any(text in one for one in texts_of(fleet.home))


def test_results_of_tools_are_stored_redacted(fleet: Fleet) -> None:
    alpha = fleet.folder("alpha")
    output = json.dumps({"output": f"the axolotl tests passed with {SECRET}", "exitCode": 0})
    answer = send(fleet, "postToolUse", alpha, tool_output=output, tool_use_id="t-1")
    assert (answer.code, answer.value) == (0, {})
    wait_for(fleet, "the axolotl tests passed")
    send(
        fleet,
        "postToolUse",
        alpha,
        tool_output=json.dumps({"output": "y" * 3_000_000, "exitCode": 2}),
        tool_use_id="t-2",
    )
    wait_for(fleet, "y" * 3_000_000)
    send(fleet, "postToolUseFailure", alpha, tool_use_id="t-3", error_message="it timed out at the pond")
    wait_for(fleet, "it timed out at the pond")
    rows = store(fleet.home).execute(
        "SELECT outcome FROM events e JOIN sessions s ON s.id = e.session WHERE s.agent = 'cursor' ORDER BY e.id"
    )
    assert [OUTCOME_NAMES[row[0]] for row in rows] == ["ok", "failed", "failed"]
