"""The agents we know, one line each."""

from pathlib import Path

from ..paths import Paths
from .adapter import Adapter
from .claude.adapter import ADAPTER as CLAUDE
from .codex.adapter import ADAPTER as CODEX
from .cursor.adapter import ADAPTER as CURSOR

ADAPTERS: tuple[Adapter, ...] = (CLAUDE, CODEX, CURSOR)
AGENT_NAMES = tuple(adapter.name for adapter in ADAPTERS)


def agent_home(paths: Paths, agent: str) -> Path:
    """Where an agent keeps its files."""
    return {"claude": paths.claude_home, "codex": paths.codex_home, "cursor": paths.cursor_home}[agent]
