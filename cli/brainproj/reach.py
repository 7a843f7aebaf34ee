"""How far the store reaches: what the agents have on disk, what of it is stored, what is stored that they deleted."""

import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from .agents.adapter import Found
from .agents.registry import ADAPTERS, agent_home
from .config import Config
from .paths import Paths
from .store.listing import list_session_transcripts
from .store.transcripts import read_stamps

LATEST_S = 4_102_444_800
"""The year 2100."""


@dataclass(frozen=True, slots=True)
class Reach:
    """One agent. Sessions: on_disk (with a transcript of their own), stored, deleted (stored, no longer on disk).

    unread: transcripts that are not, or not wholly, stored; unread_bytes: at most so much.
    """

    agent: str
    folder: Path
    is_there: bool
    is_excluded: bool
    transcripts: int
    on_disk: int
    stored: int
    deleted: int
    unread: tuple[Found, ...]

    @property
    def unread_bytes(self) -> int:
        """Their sizes together."""
        return sum(one.size_bytes for one in self.unread)

    @property
    def oldest_unread_at(self) -> datetime | None:
        """When the one of them was written last that waits for longest."""
        return min((written_at(one) for one in self.unread), default=None)


def written_at(found: Found) -> datetime:
    """When a transcript was written last; a time that no calendar has is the nearest that one has."""
    return datetime.fromtimestamp(min(max(found.mtime_ns / 1e9, 0.0), LATEST_S), UTC)


def measure_reach(paths: Paths, config: Config, db: sqlite3.Connection) -> list[Reach]:
    """The reach for each agent; looks at names and times alone."""
    reaches = []
    for adapter in ADAPTERS:
        home = agent_home(paths, adapter.name)
        found = list(adapter.find_transcripts(home))
        stamps, stored = read_stamps(db, adapter.name), list_session_transcripts(db, adapter.name)
        there = {one.path for one in found}
        is_excluded = adapter.name in config.exclude_agents
        unread = [one for one in found if (one.path, one.size_bytes, one.mtime_ns, adapter.version) not in stamps]
        reaches.append(
            Reach(
                agent=adapter.name,
                folder=home,
                is_there=home.is_dir(),
                is_excluded=is_excluded,
                transcripts=len(found),
                on_disk=sum(not one.is_child for one in found),
                stored=len(stored),
                deleted=sum(path not in there and not Path(path).exists() for path in stored),
                unread=() if is_excluded else tuple(unread),
            )
        )
    return reaches
