"""A history as the files that Claude Code and Codex would have left, in a home folder of their own.

Shapes: formats/transcripts.md 1 and 2; the same as `brainproj demo` writes.
"""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

from brainproj.core.times import render_time

from ...repositories import make_repository
from .histories import NAMES, History, Session

Line = dict[str, Any]


def write_history(home: Path, history: History) -> dict[str, list[Path]]:
    """The transcripts of each project; its repositories lie in `home/dev`."""
    folders = {name: make_repository(home / "dev" / name, f"https://git.example.com/acme/{name}.git") for name in NAMES}
    written: dict[str, list[Path]] = {name: [] for name in NAMES}
    for session in history.sessions:
        write = _write_claude if session.agent == "claude" else _write_codex
        written[session.project].append(write(home, session, folders[session.project]))
    return written


def _write_claude(home: Path, session: Session, folder: Path) -> Path:
    lines: list[Line] = []
    for number, turn in enumerate(session.turns):
        common = {
            "sessionId": session.session_id,
            "cwd": str(folder),
            "gitBranch": "main",
            "version": "2.1.232",
            "timestamp": render_time(session.start + timedelta(minutes=number)),
        }
        key = f"{session.session_id[:8]}-{number}"
        if turn.who == "person":
            lines.append(common | _claude_line("user", f"{key}-u", turn.text))
        elif turn.who == "assistant":
            lines.append(common | _claude_line("assistant", f"{key}-a", [{"type": "text", "text": turn.text}]))
        else:
            tool, arguments = _tool(turn.who, turn.call, "Bash", "command")
            use = {"type": "tool_use", "id": f"toolu_{key}", "name": tool, "input": arguments}
            is_error = turn.who == "failed"
            text = f"Exit code 1\n{turn.text}" if is_error else turn.text
            result = {"type": "tool_result", "tool_use_id": f"toolu_{key}", "content": text, "is_error": is_error}
            lines.append(common | _claude_line("assistant", f"{key}-c", [use]))
            lines.append(common | _claude_line("user", f"{key}-r", [result]))
    encoded = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in str(folder))
    return _write(home / ".claude" / "projects" / encoded / f"{session.session_id}.jsonl", lines)


def _claude_line(role: str, uuid: str, content: object) -> Line:
    return {"type": role, "uuid": uuid, "message": {"role": role, "id": f"msg_{uuid}", "content": content}}


def _write_codex(home: Path, session: Session, folder: Path) -> Path:
    meta = {"id": session.session_id, "cwd": str(folder), "cli_version": "0.159.3", "source": "cli"}
    lines: list[Line] = [{"timestamp": render_time(session.start), "type": "session_meta", "payload": meta}]
    for number, turn in enumerate(session.turns):
        if turn.who in ("person", "assistant"):
            role, block = ("user", "input_text") if turn.who == "person" else ("assistant", "output_text")
            items: list[Line] = [{"type": "message", "role": role, "content": [{"type": block, "text": turn.text}]}]
        else:
            tool, arguments = _tool(turn.who, turn.call, "exec_command", "cmd")
            code = 1 if turn.who == "failed" else 0
            header = f"Chunk ID: 4fa1d2\nWall time: 0.5170 seconds\nProcess exited with code {code}\nOutput:\n"
            output = turn.text if turn.who == "echo" else header + turn.text
            call = {"type": "function_call", "name": tool, "arguments": json.dumps(arguments), "call_id": f"c{number}"}
            items = [call, {"type": "function_call_output", "call_id": f"c{number}", "output": output}]
        at = render_time(session.start + timedelta(minutes=number))
        lines += [{"timestamp": at, "type": "response_item", "payload": item} for item in items]
    name = f"rollout-{session.start:%Y-%m-%dT%H-%M-%S}-{session.session_id}.jsonl"
    return _write(home / ".codex" / "sessions" / f"{session.start:%Y/%m/%d}" / name, lines)


def _tool(who: str, call: str, shell: str, argument: str) -> tuple[str, Line]:
    return ("mcp__brainproj__search", {"query": call}) if who == "echo" else (shell, {argument: call})


def _write(path: Path, lines: list[Line]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path
