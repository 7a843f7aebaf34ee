"""Where Cursor keeps its transcripts (formats/transcripts.md 3.1)."""

import os
from collections.abc import Iterator
from pathlib import Path

from ..adapter import Found

SUBAGENTS = "subagents"


def find_transcripts(agent_home: Path) -> Iterator[Found]:
    """Every transcript, in no order.

    `<id>/<id>.jsonl`, `<id>.jsonl` as the CLI of early 2026 wrote it, and those of sub-agents. The older `.txt` files
    are passed by.
    """
    for project in _list_folder(str(agent_home / "projects")):
        for entry in _list_folder(f"{project.path}/agent-transcripts"):
            if entry.name.endswith(".jsonl"):
                yield from _seen(entry, is_child=False)
                continue
            for inner in _list_folder(entry.path) if not entry.is_symlink() else ():
                if inner.name == f"{entry.name}.jsonl":
                    yield from _seen(inner, is_child=False)
                elif inner.name == SUBAGENTS:
                    for child in _list_folder(inner.path):
                        if child.name.endswith(".jsonl"):
                            yield from _seen(child, is_child=True)


def _list_folder(path: str) -> list["os.DirEntry[str]"]:
    """The entries of a folder; none where it is missing, is no folder or cannot be read."""
    try:
        with os.scandir(path) as entries:
            return list(entries)
    except OSError:
        return []


def _seen(entry: "os.DirEntry[str]", is_child: bool) -> Iterator[Found]:
    try:
        if entry.is_file(follow_symlinks=False):
            seen = entry.stat(follow_symlinks=False)
            yield Found(entry.path, seen.st_size, seen.st_mtime_ns, seen.st_ino, is_child)
    except OSError:
        return
