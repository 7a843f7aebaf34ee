"""Where Claude Code's transcripts lie: a file for each session, and sub-agents' files beside or below it.

Layout: formats/transcripts.md 1.1. A file directly in a project's folder is a session's unless it is called `agent-*`,
whatever its name: older versions and other programs do not use UUIDs, and what is no conversation is not stored anyway.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from ..adapter import Found


def find_transcripts(agent_home: Path) -> Iterator[Found]:
    """Every transcript below `projects/`, sub-agents' too. Unreadable folders are passed by."""
    for folder in _folders(str(agent_home / "projects")):
        for entry in _entries(folder.path):
            if entry.name.endswith(".jsonl"):
                yield from _found(entry, is_child=entry.name.startswith("agent-"))
            elif entry.is_dir(follow_symlinks=False) and entry.name != "memory":
                yield from _sub_agents(entry.path + "/subagents")


def _sub_agents(folder: str) -> Iterator[Found]:
    for entry in _entries(folder):
        if entry.name.startswith("agent-") and entry.name.endswith(".jsonl"):
            yield from _found(entry, is_child=True)
        elif entry.name == "workflows":
            for run in _folders(entry.path):
                yield from _sub_agents(run.path)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _folders(folder: str) -> list[os.DirEntry[str]]:
    return [entry for entry in _entries(folder) if entry.is_dir()]


def _found(entry: os.DirEntry[str], *, is_child: bool) -> Iterator[Found]:
    try:
        seen = entry.stat()
    except OSError:
        return
    yield Found(entry.path, seen.st_size, seen.st_mtime_ns, seen.st_ino, is_child)
