"""Small transcripts for tests, line by line, in the shapes of the real ones."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Line = dict[str, Any]


def stamp(minute: int, day: int = 1) -> str:
    """A time on a day of March 2026."""
    return f"2026-03-{day:02d}T{10 + minute // 60:02d}:{minute % 60:02d}:00.000Z"


def claude_line(kind: str, session: str, cwd: str | Path | None, minute: int, uuid: str, **members: Any) -> Line:
    """One chain record of Claude Code."""
    line = {
        "parentUuid": None,
        "isSidechain": False,
        "userType": "external",
        "sessionId": session,
        "version": "2.1.200",
    }
    line |= {"gitBranch": "main", "type": kind, "uuid": f"{session}-{uuid}", "timestamp": stamp(minute)}
    if cwd is not None:
        line["cwd"] = str(cwd)
    return line | members


def prompt(session: str, cwd: str | Path | None, text: str, minute: int = 0, uuid: str = "p", **members: Any) -> Line:
    """What a person typed."""
    message = {"role": "user", "content": text}
    return claude_line("user", session, cwd, minute, f"{uuid}{minute}", **({"message": message} | members))


def reply(session: str, cwd: str | Path | None, text: str, minute: int = 1, **members: Any) -> Line:
    """What the assistant answered."""
    message = {
        "id": f"msg-{session}-{minute}",
        "role": "assistant",
        "model": "claude-x",
        "content": [{"type": "text", "text": text}],
    }
    return claude_line("assistant", session, cwd, minute, f"r{minute}", **({"message": message} | members))


def call(
    session: str, cwd: str | Path, tool: str, arguments: Line, output: str, minute: int = 2, error: bool = False
) -> list[Line]:
    """A tool call and its result."""
    number = f"toolu-{session}-{minute}"
    use = {
        "id": f"msgc-{session}-{minute}",
        "role": "assistant",
        "model": "claude-x",
        "content": [{"type": "tool_use", "id": number, "name": tool, "input": arguments}],
    }
    result = {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": number, "content": output, "is_error": error}],
    }
    return [
        claude_line("assistant", session, cwd, minute, f"c{minute}", message=use),
        claude_line("user", session, cwd, minute, f"t{minute}", message=result),
    ]


def to_bytes(lines: Iterable[Line]) -> bytes:
    """Lines as a transcript holds them."""
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def write_claude(home: Path, session: str, lines: Iterable[Line], folder: str = "-work") -> Path:
    """A session's transcript in a home's `.claude/projects`."""
    path = home / ".claude" / "projects" / folder / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(to_bytes(lines))
    return path


def session_id(number: int) -> str:
    """A session id in the agents' form."""
    return f"5f0c0000-0000-4000-8000-{number:012d}"
