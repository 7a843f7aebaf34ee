"""What is to be read, and what a reading did: the values that `ingest` and `intake` share."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from .agents.adapter import Adapter, Found


@dataclass(slots=True)
class Report:
    """What a reading did; `value` is the document of `backfill --json`."""

    found: int = 0
    read: int = 0
    unchanged: int = 0
    failed: int = 0
    sessions_added: int = 0
    sessions_updated: int = 0
    unattributed: int = 0
    events: int = 0
    gaps: int = 0
    bad_lines: int = 0
    bytes: int = 0
    seconds: float = 0.0
    problems: list[str] = field(default_factory=list)
    by_agent: dict[str, int] = field(default_factory=dict)
    """Transcripts read, by agent; for the view, as `events_by_agent`."""
    events_by_agent: dict[str, int] = field(default_factory=dict)
    projects: set[int] = field(default_factory=set)
    """Numbers of the projects in which something happened; for the refresh."""

    def value(self) -> dict[str, object]:
        return {
            "transcripts": {"found": self.found, "read": self.read, "unchanged": self.unchanged, "failed": self.failed},
            "sessions": {
                "added": self.sessions_added,
                "updated": self.sessions_updated,
                "unattributed": self.unattributed,
            },
            "events": {"added": self.events, "gaps": self.gaps, "bad_lines": self.bad_lines},
            "bytes": self.bytes,
            "seconds": round(self.seconds, 3),
            "problems": list(self.problems),
        }


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to read: which agents, from which root, since when; `first` is a folder whose transcripts go first.

    transcripts: (agent, path) of those that a hook saw grow; None: look for all that are new.
    """

    agents: tuple[str, ...] = ()
    root: Path | None = None
    since: datetime | None = None
    first: str | None = None
    rebuild: bool = False
    dry_run: bool = False
    transcripts: tuple[tuple[str, str], ...] | None = None


Progress = Callable[[int, int], None]
"""Called with the bytes read so far and in all."""


@dataclass(slots=True)
class Task:
    """One transcript that is to be read."""

    adapter: Adapter
    home: Path
    found: Found
    order: int = 0
