"""What hooks print, against the schemas of the three agents, for every payload they send."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator  # type: ignore[import-untyped]

from ..conftest import DATA
from .sessions import Fleet

HOOKS = DATA / "hooks"
PAYLOADS = [
    path
    for agent in ("claude", "codex", "cursor")
    for path in sorted((HOOKS / agent).glob("*.json"))
    if ".out." not in path.name
]
INVALID = sorted(HOOKS.glob("*/invalid/*.out.json"))


def schema_of(path: Path, agent: str, direction: str) -> Any:
    event = path.name.removeprefix("claude-import.").partition(".")[0]
    file = HOOKS / agent / "schemas" / f"{event}.{direction}.schema.json"
    return json.loads(file.read_text()) if file.exists() else None


@pytest.mark.parametrize("path", PAYLOADS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_payload_gets_a_valid_answer(fleet: Fleet, path: Path) -> None:
    agent = path.parent.name
    payload = json.loads(path.read_text())
    entering = schema_of(path, agent, "in")
    if entering:
        Draft7Validator(entering).validate(payload)
    if "cwd" in payload:
        payload["cwd"] = str(fleet.folder("alpha"))
    if "workspace_roots" in payload:
        payload["workspace_roots"] = [str(fleet.folder("alpha"))]
    imported = path.name.startswith("claude-import")
    event = "SessionStart" if imported else payload["hook_event_name"]
    answer = fleet.send(json.dumps(payload).encode(), "claude" if imported else agent, event)
    assert (answer.code, answer.err) == (0, "")
    leaving = (
        json.loads((HOOKS / "claude/schemas/SessionStart.out.schema.json").read_text())
        if imported
        else schema_of(path, agent, "out")
    )
    if leaving is None:
        assert answer.out == b""
    elif answer.out:
        Draft7Validator(leaving).validate(answer.value)
    starts = payload["hook_event_name"] in ("SessionStart", "sessionStart", "SubagentStart", "UserPromptSubmit")
    takes = starts and payload.get("source") not in ("fork",)
    assert ("axolotl" in answer.context) == takes


@pytest.mark.parametrize("path", INVALID, ids=lambda path: f"{path.parent.parent.name}-{path.stem}")
def test_the_schemas_refuse_what_the_agents_refuse(path: Path) -> None:
    agent = path.parent.parent.name
    schema = schema_of(path, agent, "out")
    assert list(Draft7Validator(schema).iter_errors(json.loads(path.read_text())))


def test_cursors_two_ways_give_the_block_once(fleet: Fleet) -> None:
    """Cursor runs the hooks of Claude Code's settings too."""
    payload = json.loads((HOOKS / "cursor/sessionStart.json").read_text()) | {
        "workspace_roots": [str(fleet.folder("alpha"))]
    }
    native = fleet.send(json.dumps(payload).encode(), "cursor", "sessionStart")
    imported = fleet.send(json.dumps(payload).encode(), "claude", "SessionStart")
    assert "axolotl" in native.value["additional_context"]
    assert imported.out == b""
