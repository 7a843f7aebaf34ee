"""Where Claude Code's transcripts lie: a file for each session, and sub-agents' files beside or below it.

Layout: formats/transcripts.md 1.1. A file directly in a project's folder is a session's unless it is called `agent-*`,
whatever its name: older versions and other programs do not use UUIDs, and what is no conversation is not stored anyway.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..adapter import Found

SUFFIX = ".jsonl"
CHILD = "agent-"
"""How the name of a sub-agent's transcript begins."""


def find_transcripts(agent_home: Path) -> Iterator[Found]:
    """Every transcript below `projects/`, sub-agents' too. Unreadable folders are passed by."""
    for folder in _folders(str(agent_home / "projects")):
        others: list[os.DirEntry[str]] = []
        yield from _found(_entries(folder.path), others)
        for entry in others:
            if entry.name != "memory" and entry.is_dir(follow_symlinks=False):
                yield from _sub_agents(entry.path + "/subagents")


def _sub_agents(folder: str) -> Iterator[Found]:
    entries = _entries(folder)
    yield from _found((entry for entry in entries if entry.name.startswith(CHILD)), [])
    if any(entry.name == "workflows" for entry in entries):
        for run in _folders(folder + "/workflows"):
            yield from _sub_agents(run.path)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _folders(folder: str) -> list[os.DirEntry[str]]:
    return [entry for entry in _entries(folder) if entry.is_dir()]


def _found(entries: Iterable[os.DirEntry[str]], others: list[os.DirEntry[str]]) -> Iterator[Found]:
    """The transcripts among them, but one that is gone by now; what has another name is added to `others`."""
    for entry in entries:
        name = entry.name
        if not name.endswith(SUFFIX):
            others.append(entry)
            continue
        try:
            seen = entry.stat()
        except OSError:
            continue
        yield Found(entry.path, seen.st_size, seen.st_mtime_ns, seen.st_ino, name.startswith(CHILD))
