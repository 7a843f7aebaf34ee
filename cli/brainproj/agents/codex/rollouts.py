"""Where a Codex home keeps its rollouts (formats/transcripts.md 2.1).

`sessions/` was flat until July 2025 and has a folder per day since; `archived_sessions/` is flat. A home may hold ten
thousand of them, and each scan looks at all, hence plain strings and no sorting.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from ..adapter import Found

FOLDERS = ("sessions", "archived_sessions")
PACKED = ".zst"
INDEX_NAME = "session_index.jsonl"
"""Beside those folders: the threads' names."""


def find_rollouts(codex_home: Path) -> Iterator[Found]:
    """Yield every rollout. Of one that lies in a folder both plain and packed, the plain one counts.

    Whether one is a sub-agent's stands inside of it only, so `is_child` is False. Unreadable folders are passed by.
    """
    folders = [str(codex_home / folder) for folder in FOLDERS]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                rollouts = list(_sift(entries, folders))
        except OSError:
            continue
        plain = {entry.name for entry in rollouts}
        for entry in rollouts:
            if entry.name.endswith(PACKED) and entry.name[: -len(PACKED)] in plain:
                continue
            try:
                seen = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            yield Found(entry.path, seen.st_size, seen.st_mtime_ns, seen.st_ino, False)


def _sift(entries: Iterator[os.DirEntry[str]], folders: list[str]) -> Iterator[os.DirEntry[str]]:
    """The rollouts among the entries of one folder; its subfolders are added to `folders`."""
    for entry in entries:
        if entry.name.startswith("rollout-") and entry.name.endswith((".jsonl", ".jsonl.zst")):
            if entry.is_file(follow_symlinks=False):
                yield entry
        elif entry.is_dir(follow_symlinks=False):
            folders.append(entry.path)
