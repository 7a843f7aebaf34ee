"""From the name of a transcript's folder back to a folder, where that is possible at all.

Claude Code and Cursor turn every character but letters and digits into `-`, so the name is lossy: `/a-b` and `/a/b`
share one. It counts only where exactly one existing or known folder encodes to it (cases/08).
"""

import os
import re
import sqlite3
from dataclasses import dataclass, field

from .store.projects import list_place_paths

NOT_PLAIN = re.compile(r"[^A-Za-z0-9]")
MOST_FOUND = 2
"""Two folders are as good as many: none of them is taken."""


def encode_folder(path: str) -> str:
    """The name that Claude Code gives the transcripts' folder of a path (formats/transcripts.md 1.1)."""
    return NOT_PLAIN.sub("-", path)


@dataclass(slots=True)
class FolderNames:
    """Finds folders by encoded name; remembers what it found."""

    db: sqlite3.Connection
    _found: dict[str, str | None] = field(default_factory=dict)

    def find(self, agent: str, transcript: str) -> str | None:
        """The one folder that the name of this transcript's folder can mean, or None."""
        name = self._name(agent, transcript)
        if name is None:
            return None
        if name not in self._found:
            existing = set(_existing("/", name))
            known = {path for path in list_place_paths(self.db) if encode_folder(path) == name}
            both = existing | known
            self._found[name] = both.pop() if len(both) == 1 else None
        return self._found[name]

    def _name(self, agent: str, transcript: str) -> str | None:
        parts = transcript.split("/")
        if "projects" not in parts:
            return None
        place = len(parts) - 1 - parts[::-1].index("projects")
        if place + 2 >= len(parts):
            return None
        name = parts[place + 1]
        if agent == "cursor":
            return None if name == "empty-window" or name.isdigit() else "-" + name
        return name if name.startswith("-") else None


def _existing(folder: str, name: str) -> list[str]:
    """The existing folders below `folder` that encode to `name`; two at most."""
    found: list[str] = []
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.is_dir()]
    except OSError:
        return found
    for entry in names:
        path = folder.rstrip("/") + "/" + entry
        encoded = encode_folder(path)
        if encoded == name:
            found.append(path)
        elif name.startswith(encoded + "-"):
            found += _existing(path, name)
        if len(found) >= MOST_FOUND:
            break
    return found
