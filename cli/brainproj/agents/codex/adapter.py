"""Codex CLI: what `agents/adapter.py` asks of an agent."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..adapter import Found, Reader, find_one
from .rollouts import FOLDERS, INDEX_NAME, find_rollouts


@dataclass(frozen=True, slots=True)
class CodexAdapter:
    """All we know of one agent's transcripts; see `agents/adapter.py`."""

    name: str = "codex"
    version: int = 1

    def find_transcripts(self, agent_home: Path) -> Iterator[Found]:
        """Every transcript below the agent's home, in no order."""
        return find_rollouts(agent_home)

    def watched_folders(self, agent_home: Path) -> tuple[Path, ...]:
        """Where transcripts are written."""
        return tuple(agent_home / folder for folder in FOLDERS)

    def find_transcript(self, path: str) -> tuple[Path, Found] | None:
        """The agent's home, and the transcript at `path`."""
        return find_one(FOLDERS, path, is_child=False) if path.rpartition("/")[2].startswith("rollout-") else None

    def read_titles(self, agent_home: Path) -> dict[str, str]:
        """The threads' names; few homes have any."""
        if not (agent_home / INDEX_NAME).exists():
            return {}
        from .titles import read_thread_names

        return read_thread_names(agent_home)

    def open_reader(self, path: str, agent_home: Path, state: Mapping[str, Any] | None) -> Reader:
        """A reader of one transcript, from its start or from where `state` was taken."""
        from .transcript import CodexReader

        return CodexReader(path, state)


ADAPTER = CodexAdapter()
