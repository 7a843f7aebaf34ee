"""Claude Code: what `agents/adapter.py` asks of an agent."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..adapter import Found, Reader, find_one
from .finding import CHILD, SUFFIX, find_transcripts


@dataclass(frozen=True, slots=True)
class ClaudeAdapter:
    """All we know of one agent's transcripts; see `agents/adapter.py`."""

    name: str = "claude"
    version: int = 1

    def find_transcripts(self, agent_home: Path) -> Iterator[Found]:
        """Every transcript below the agent's home, in no order."""
        return find_transcripts(agent_home)

    def watched_folders(self, agent_home: Path) -> tuple[Path, ...]:
        """Where transcripts are written."""
        return (agent_home / "projects",)

    def find_transcript(self, path: str) -> tuple[Path, Found] | None:
        """The agent's home, and the transcript at `path`."""
        if not path.endswith(SUFFIX):
            return None
        return find_one(("projects",), path, is_child=path.rpartition("/")[2].startswith(CHILD))

    def read_titles(self, agent_home: Path) -> dict[str, str]:
        """None: titles stand in the transcripts."""
        return {}

    def open_reader(self, path: str, agent_home: Path, state: Mapping[str, Any] | None) -> Reader:
        """A reader of one transcript, from its start or from where `state` was taken."""
        from .transcript import ClaudeReader

        return ClaudeReader(path, state)


ADAPTER = ClaudeAdapter()
