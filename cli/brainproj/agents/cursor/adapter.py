"""Cursor: what `agents/adapter.py` asks of an agent."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..adapter import Found, Reader, find_one
from .finding import SUBAGENTS, find_transcripts


@dataclass(frozen=True, slots=True)
class CursorAdapter:
    """All we know of one agent's transcripts; see `agents/adapter.py`."""

    name: str = "cursor"
    version: int = 1

    def find_transcripts(self, agent_home: Path) -> Iterator[Found]:
        """Every transcript below the agent's home, in no order."""
        return find_transcripts(agent_home)

    def watched_folders(self, agent_home: Path) -> tuple[Path, ...]:
        """Where transcripts are written."""
        return (agent_home / "projects",)

    def find_transcript(self, path: str) -> tuple[Path, Found] | None:
        """The agent's home, and the transcript at `path`."""
        if not path.endswith(".jsonl") or "/agent-transcripts/" not in path:
            return None
        return find_one(("projects",), path, is_child=f"/{SUBAGENTS}/" in path)

    def read_titles(self, agent_home: Path) -> dict[str, str]:
        """None: the editor keeps them in a database of its own, gigabytes large and locked (formats 3.4)."""
        return {}

    def open_reader(self, path: str, agent_home: Path, state: Mapping[str, Any] | None) -> Reader:
        """A reader of one transcript, from its start or from where `state` was taken."""
        from .transcript import CursorReader

        return CursorReader(path, state)


ADAPTER = CursorAdapter()
