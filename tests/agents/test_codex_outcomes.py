"""How Codex calls ended, in each encoding of the exit code and by each known sentence (formats/transcripts.md 2.9)."""

import json
from typing import Any

import pytest

from brainproj.agents.codex.outcomes import find_exit_code, read_outcome
from brainproj.core.events import Outcome

from .codex_lines import event_line, item, meta, read

CHUNK = "Chunk ID: 5be2a9\nWall time: 0.1 seconds\nProcess exited with code {}\nOriginal token count: 3\nOutput:\n"
SCRIPT = "Script completed\nWall time 0.1 seconds\nOutput:\n\n"
REJECTED = 'exec_command failed for `/bin/zsh -lc \'rm -rf x\'`: CreateProcess {{ message: "Rejected(\\"{}\\")" }}'
OUTCOMES: dict[str, tuple[str, int | None, Outcome | None]] = {
    "oldest": ('{"output":"ok","metadata":{"exit_code":0,"duration_seconds":0.1}}', 0, Outcome.OK),
    "oldest, failed": ('{"output":"no","metadata":{"exit_code":127,"duration_seconds":0.1}}', 127, Outcome.FAILED),
    "quotes a code": ('{"output":"\\"metadata\\":{\\"exit_code\\":1","metadata":{"exit_code":0}}', 0, Outcome.OK),
    "freeform": ("Exit code: 2\nWall time: 1 seconds\nOutput:\nno", 2, Outcome.FAILED),
    "exec_command": (CHUNK.format(0) + "Process exited with code 1", 0, Outcome.OK),
    "exec_command, failed": (CHUNK.format(101), 101, Outcome.FAILED),
    "0.118": ("Command: /bin/zsh -lc 'a\nOutput:\nb'\n" + CHUNK.format(-1), -1, Outcome.FAILED),
    "no header": ("It printed Process exited with code 1", None, None),
    "code below the output": ("Wall time: 1 seconds\nOutput:\nProcess exited with code 1", None, None),
    "not finished": (
        "Chunk ID: 1\nWall time: 1 seconds\nProcess running with session ID 7\nOutput:\n",
        None,
        Outcome.UNKNOWN,
    ),
    "script": (SCRIPT + "done", None, Outcome.OK),
    "script hides a code": (SCRIPT + '{"chunk_id":"a","exit_code":101,"output":"no"}', 101, Outcome.FAILED),
    "script prints a code": (SCRIPT + '{"output":"\\"exit_code\\":1"}', None, Outcome.OK),
    "script failed": ("Script failed\nWall time 0.1 seconds\nOutput:\nReferenceError", None, Outcome.FAILED),
    "script refused": ('Script failed\nScript error:\nRejected("too risky")', None, Outcome.DENIED),
    "script ended": ("Script terminated\nWall time 1 seconds\nOutput:\n", None, Outcome.CANCELLED),
    "script goes on": ("Script running with cell ID 66\nWall time 11.0 seconds\nOutput:\n", None, Outcome.UNKNOWN),
    "a text about scripts": ("Script kiddies", None, None),
    "sandbox": ("exec_command failed for `x`: CreateProcess { message: Sandbox(Denied {", None, Outcome.FAILED),
    "refused by the person": (REJECTED.format("rejected by user"), None, Outcome.DENIED),
    "refused by policy": (REJECTED.format("approval required by policy"), None, Outcome.DENIED),
    "a command that says Rejected(": ("exec_command failed for `Rejected()`: CreateProcess { x", None, Outcome.FAILED),
    "refused, as of 2025": ("exec command rejected by user", None, Outcome.DENIED),
    "patch refused": ("patch rejected by user", None, Outcome.DENIED),
    "MCP refused": ("Wall time: 0.1 seconds\nOutput:\nuser rejected MCP tool call", None, Outcome.DENIED),
    "a hook refused": ("Command blocked by PreToolUse hook: no. Command: rm", None, Outcome.DENIED),
    "stopped": ("aborted by user after 5.0s", None, Outcome.CANCELLED),
    "shell stopped": ("Wall time: 5.0 seconds\naborted by user", None, Outcome.CANCELLED),
    "patch": ("apply_patch verification failed: Failed to find", None, Outcome.FAILED),
    "stdin": ("write_stdin failed: stdin is closed", None, Outcome.FAILED),
    "arguments": ("failed to parse function arguments: missing field", None, Outcome.FAILED),
    "resources": ("resources/list failed: x", None, Outcome.FAILED),
    "spawn": ("collab spawn failed: agent thread limit reached", None, Outcome.FAILED),
    "timed out": ("command timed out after 1000 milliseconds", None, Outcome.FAILED),
    "unknown tool": ("unsupported call: foo", None, Outcome.FAILED),
    "plain": ("Plan updated", None, None),
    "quotes a failure": ("The log says: aborted by user after 3s", None, None),
    "nothing": ("", None, None),
}


@pytest.mark.parametrize("what", OUTCOMES)
def test_how_a_call_ended(what: str) -> None:
    text, code, outcome = OUTCOMES[what]
    assert find_exit_code(text) == code
    assert read_outcome(text, is_search=False) is outcome


@pytest.mark.parametrize(
    ("command", "outcome"),
    [
        ("rg -n 'a && b' src", Outcome.OK),
        ("/usr/bin/grep -r x .", Outcome.OK),
        ("git grep x", Outcome.OK),
        ("LC_ALL=C grep x", Outcome.OK),
        ('cat a | rg "x|y"', Outcome.OK),
        ("rg x | head", Outcome.FAILED),
        ("rg x && cargo test", Outcome.FAILED),
        ("rg x; cargo test", Outcome.FAILED),
        ("cargo test", Outcome.FAILED),
        ("rgx", Outcome.FAILED),
    ],
)
def test_a_search_that_found_nothing_has_not_failed(command: str, outcome: Outcome) -> None:
    shapes: list[tuple[str, dict[str, Any]]] = [
        ("function_call", {"name": "exec_command", "arguments": json.dumps({"workdir": "/x", "cmd": command})}),
        ("function_call", {"name": "shell", "arguments": json.dumps({"command": ["bash", "-lc", command]})}),
        ("custom_tool_call", {"name": "exec", "input": f"await tools.exec_command({{cmd: {json.dumps(command)}}})"}),
        ("local_shell_call", {"action": {"type": "exec", "command": ["bash", "-lc", command]}}),
    ]
    for kind, members in shapes:
        output = item("function_call_output", call_id="c1", output=CHUNK.format(1))
        _, result = read(meta(), item(kind, call_id="c1", **members), output)
        assert result.outcome is outcome
        assert result.tool == members.get("name", "local_shell")


EXEC_END = ("exec_command_end", {"status": "declined", "exit_code": -1})
MCP_ERROR = ("mcp_tool_call_end", {"result": {"Err": "tool call error: no"}})


@pytest.mark.parametrize(
    ("kind", "members", "output", "outcome"),
    [
        (*EXEC_END, "…", Outcome.DENIED),
        (*EXEC_END, CHUNK.format(0), Outcome.OK),
        ("patch_apply_end", {"success": False}, "…", Outcome.FAILED),
        ("patch_apply_end", {"success": True}, "…", Outcome.OK),
        (*MCP_ERROR, "…", Outcome.FAILED),
        ("mcp_tool_call_end", {"result": {"Err": "user rejected MCP tool call"}}, "…", Outcome.DENIED),
        ("mcp_tool_call_end", {"result": {"Err": "user cancelled MCP tool call"}}, "…", Outcome.CANCELLED),
        ("mcp_tool_call_end", {"result": {"Ok": {"isError": True}}}, "…", Outcome.FAILED),
        ("dynamic_tool_call_response", {"success": False}, "…", Outcome.FAILED),
        (
            "item_completed",
            {"item": {"type": "CommandExecution", "id": "c1", "status": "declined"}},
            "…",
            Outcome.DENIED,
        ),
        ("item_completed", {"item": {"type": "mcpToolCall", "id": "c1", "status": "failed"}}, "…", Outcome.FAILED),
        ("item_completed", {"item": {"type": "FileChange", "id": "c1", "status": "completed"}}, "…", Outcome.OK),
    ],
)
def test_an_event_says_how_a_call_ended_where_its_output_does_not(
    kind: str, members: dict[str, Any], output: str, outcome: Outcome
) -> None:
    call = item("function_call", call_id="c1", name="x", arguments="{}")
    told_by = event_line(kind, call_id="c1", **members)
    events = read(meta(), call, told_by, item("function_call_output", call_id="c1", output=output))
    assert events[-1].outcome is outcome
