"""The product in twenty seconds: two made-up repositories, a worktree and a few transcripts, in a temporary home.

Nothing here is a shortcut: the files have the shapes the agents and git write, and the commands that are shown are run
as a person would run them. git itself is not needed.
"""

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from .core.times import render_time

HARBOR = "https://git.example.com/acme/harbor.git"
LANTERN = "git@git.example.com:acme/lantern.git"


def build_demo(home: Path, now: datetime) -> None:
    """Fill an empty home folder: `dev/harbor` with the worktree `dev/worktrees/tides`, `dev/lantern`, transcripts."""
    harbor = _repository(home / "dev" / "harbor", HARBOR)
    lantern = _repository(home / "dev" / "lantern", LANTERN)
    tides = _worktree(harbor, home / "dev" / "worktrees" / "tides")
    _claude(home, "a3f2e1c8-0000-4000-8000-000000000001", harbor, now - timedelta(hours=30), HARBOR_SESSION)
    _codex(home, "01a0b3da-c522-7af2-8a6d-2e1aed53b269", tides, now - timedelta(hours=2), TIDES_SESSION)
    _claude(home, "5c77f019-0000-4000-8000-000000000002", lantern, now - timedelta(hours=5), LANTERN_SESSION)


def _repository(folder: Path, remote: str) -> Path:
    """A repository as `git init` and `git remote add origin` leave it."""
    git = folder / ".git"
    for name in ("objects", "refs/heads"):
        (git / name).mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "description").write_text("made by brainproj demo\n")
    user = "[user]\n\tname = Ada\n\temail = ada@example.com\n"
    (git / "config").write_text(f'[core]\n\tbare = false\n[remote "origin"]\n\turl = {remote}\n{user}')
    return folder


def _worktree(repository: Path, folder: Path) -> Path:
    """A linked worktree as `git worktree add` leaves it."""
    folder.mkdir(parents=True)
    own = repository / ".git" / "worktrees" / folder.name
    own.mkdir(parents=True)
    (own / "HEAD").write_text(f"ref: refs/heads/{folder.name}\n")
    (own / "commondir").write_text("../..\n")
    (own / "gitdir").write_text(f"{folder}/.git\n")
    (folder / ".git").write_text(f"gitdir: {own}\n")
    return folder


Turn = tuple[str, str]
"""Who speaks (`person`, `assistant`, `tool`, `failed`) and what."""

HARBOR_SESSION: tuple[Turn, ...] = (
    ("person", "The ferry timetable is an hour off after the clock change. Find out why."),
    ("assistant", "I'll run the timetable tests first."),
    ("failed", "Exit code 1\nFAILED test_timetable.py::test_last_ferry - expected 23:10, got 00:10"),
    (
        "assistant",
        "Departure times were stored without a zone and read as local time.\n"
        "<!-- @lesson -->Store departure times in UTC; apply the zone when they are shown.<!-- @/lesson -->\n"
        "<!-- @decision -->The timetable keeps one table for all seasons.<!-- @/decision -->",
    ),
)
TIDES_SESSION: tuple[Turn, ...] = (
    ("person", "Add tide levels to the timetable"),
    ("tool", "tides.py: 14 stations read"),
    (
        "assistant",
        "The levels are in.\n"
        "<!-- @lesson -->The tide service rounds to whole minutes; allow 60 seconds.<!-- @/lesson -->",
    ),
)
LANTERN_SESSION: tuple[Turn, ...] = (
    ("person", "Make the lantern blink slower when the battery is low"),
    ("tool", "3 passed in 0.12s"),
    (
        "assistant",
        "It blinks every four seconds below 20 percent.\n"
        "<!-- @lesson -->Read the battery through the filter; raw readings jump by ten percent.<!-- @/lesson -->",
    ),
)


def _claude(home: Path, session: str, cwd: Path, start: datetime, turns: tuple[Turn, ...]) -> None:
    lines: list[dict[str, Any]] = []
    for number, (who, text) in enumerate(turns):
        at = start + timedelta(minutes=number)
        line = {
            "sessionId": session,
            "cwd": str(cwd),
            "gitBranch": "main",
            "version": "2.1.232",
            "timestamp": render_time(at),
        }
        if who == "person":
            lines.append(line | _said("user", f"{session[:8]}-u{number}", text))
        elif who == "assistant":
            lines.append(line | _said("assistant", f"{session[:8]}-a{number}", [{"type": "text", "text": text}]))
        else:
            tool = f"toolu_{session[:8]}_{number}"
            use = {"type": "tool_use", "id": tool, "name": "Bash", "input": {"command": "pytest -q"}}
            result = {"type": "tool_result", "tool_use_id": tool, "content": text, "is_error": who == "failed"}
            lines.append(line | _said("assistant", f"{session[:8]}-c{number}", [use]))
            lines.append(line | _said("user", f"{session[:8]}-r{number}", [result]))
    folder = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in str(cwd))
    _write(home / ".claude" / "projects" / folder / f"{session}.jsonl", lines)


def _said(role: str, uuid: str, content: object) -> dict[str, Any]:
    return {"type": role, "uuid": uuid, "message": {"role": role, "id": f"msg_{uuid}", "content": content}}


def _codex(home: Path, thread: str, cwd: Path, start: datetime, turns: tuple[Turn, ...]) -> None:
    meta = {"id": thread, "cwd": str(cwd), "cli_version": "0.159.3", "source": "cli", "git": {"branch": cwd.name}}
    lines: list[dict[str, Any]] = [{"timestamp": render_time(start), "type": "session_meta", "payload": meta}]
    for number, (who, text) in enumerate(turns, 1):
        at = render_time(start + timedelta(minutes=number))
        if who in ("person", "assistant"):
            role, block = ("user", "input_text") if who == "person" else ("assistant", "output_text")
            content = [{"type": block, "text": text}]
            items: list[dict[str, Any]] = [{"type": "message", "role": role, "content": content}]
        else:
            call = {
                "type": "function_call",
                "name": "exec_command",
                "arguments": '{"cmd": "python tides.py"}',
                "call_id": f"c{number}",
            }
            output = f"Chunk ID: 4fa1d2\nWall time: 0.5170 seconds\nProcess exited with code 0\nOutput:\n{text}"
            items = [call, {"type": "function_call_output", "call_id": f"c{number}", "output": output}]
        lines += [{"timestamp": at, "type": "response_item", "payload": item} for item in items]
    day = start.strftime("%Y/%m/%d")
    name = f"rollout-{start.strftime('%Y-%m-%dT%H-%M-%S')}-{thread}.jsonl"
    _write(home / ".codex" / "sessions" / day / name, lines)


def _write(path: Path, lines: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
