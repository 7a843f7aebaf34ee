"""How everything stands, gathered for one screen: store, agents, lag, brain, scope, what is left out, what is kept."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from .agents.codex.trust import Trust
from .agents.registry import AGENT_NAMES
from .agentstates import AgentState
from .brainstate import BrainState
from .config import NUMBERS, Config, ScopeSetting, SetBy, whole_number
from .core.times import from_micros, render_time
from .errors import StoreUnusable
from .follow import FollowerState
from .health.findings import Finding, needs_attention
from .paths import Paths
from .reach import Reach
from .store.database import free_bytes, open_store
from .store.listing import last_event_at, oldest_and_latest, store_counts
from .store.schema import NEWEST


@dataclass(frozen=True, slots=True)
class StoreState:
    """The store. schema None: there is none, or it cannot be read. counts: projects, sessions, events, records."""

    path: Path
    size_bytes: int
    schema: int | None
    counts: Mapping[str, int]
    oldest_at: datetime | None
    latest_at: datetime | None
    last_events: Mapping[str, datetime | None]


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting, what it is now, and which one won."""

    name: str
    value: int
    set_by: SetBy


@dataclass(frozen=True, slots=True)
class Status:
    """All of it. home_bytes: everything in our home. free_bytes: left on its disk. project: the folder's, by name."""

    paths: Paths
    store: StoreState
    states: tuple[AgentState, ...]
    reaches: Mapping[str, Reach]
    scope: ScopeSetting
    project: str | None
    settings: tuple[Setting, ...]
    brain: BrainState
    foreign_markers: int
    excluded: Mapping[str, tuple[str, ...]]
    follower: FollowerState | None
    home_bytes: int
    free_bytes: int
    findings: tuple[Finding, ...]

    @property
    def is_well(self) -> bool:
        """Whether nothing needs attention."""
        return not needs_attention(self.findings)

    def value(self) -> dict[str, object]:
        """As JSON."""
        return {
            "ok": self.is_well,
            "findings": [finding.value() for finding in self.findings],
            "home": str(self.paths.home),
            "store": {
                "path": str(self.store.path),
                "bytes": self.store.size_bytes,
                "schema": self.store.schema,
                **self.store.counts,
                "oldest_at": render_time(self.store.oldest_at),
                "latest_at": render_time(self.store.latest_at),
            },
            "agents": [self._agent(state) for state in self.states],
            "lag": {
                "unread_transcripts": sum(len(reach.unread) for reach in self.reaches.values()),
                "unread_bytes": sum(reach.unread_bytes for reach in self.reaches.values()),
                "unread_since": render_time(self.unread_since),
            },
            "watch": self.follower.value() if self.follower else None,
            "brain": {**self.brain.value(), "agentihooks_outbox": self.foreign_markers},
            "scope": {
                "effective": self.scope.effective.value,
                "set_by": self.scope.set_by.value,
                "global": self.scope.everywhere.value if self.scope.everywhere else None,
                "project": self.scope.project.value if self.scope.project else None,
            },
            "settings": [{"name": one.name, "value": one.value, "set_by": one.set_by.value} for one in self.settings],
            "excluded": {name: list(values) for name, values in self.excluded.items()},
            "disk": {"home_bytes": self.home_bytes, "free_bytes": self.free_bytes},
        }

    def _agent(self, state: AgentState) -> dict[str, object]:
        reach = self.reaches.get(state.agent)
        return {
            "agent": state.agent,
            "is_here": state.is_here,
            "hook_file": str(state.hook_file),
            "hooks": {"installed": state.installed, "wanted": state.wanted},
            "state": state.word,
            "trusted": None if state.trust is None else all(one is Trust.TRUSTED for one in state.trust.values()),
            "skill": state.skill,
            "folder": str(reach.folder) if reach else None,
            "sessions": {"on_disk": reach.on_disk, "stored": reach.stored, "deleted_by_agent": reach.deleted}
            if reach
            else None,
            "last_event_at": render_time(self.store.last_events.get(state.agent)),
            "last_hook_at": render_time(state.called_at),
        }

    @property
    def unread_since(self) -> datetime | None:
        """Since when the transcript waits that waits for longest."""
        waiting = [reach.oldest_unread_at for reach in self.reaches.values() if reach.oldest_unread_at]
        return min(waiting, default=None)


def read_store_state(paths: Paths) -> StoreState:
    """What is in the store; nothing where it cannot be read, which a finding tells."""
    size = _size(paths.brain_db) + _size(paths.brain_db.with_name("brain.db-wal"))
    try:
        if not paths.brain_db.exists():
            raise StoreUnusable("there is none")
        db = open_store(paths.brain_db, write=False)
        try:
            oldest, latest = oldest_and_latest(db)
            last = {agent: from_micros(last_event_at(db, agent)) for agent in AGENT_NAMES}
            counts = store_counts(db)
            return StoreState(paths.brain_db, size, NEWEST, counts, from_micros(oldest), from_micros(latest), last)
        finally:
            db.close()
    except (StoreUnusable, sqlite3.Error):
        counts = dict.fromkeys(("projects", "sessions", "events", "records"), 0)
        return StoreState(paths.brain_db, size, None, counts, None, None, {})


def list_settings(config: Config, environment: Mapping[str, str]) -> tuple[Setting, ...]:
    """The numbers of the settings, each with who set it."""
    settings = []
    for name in NUMBERS:
        spoken = environment.get("BRAIN_" + name.upper(), "").strip()
        value = whole_number(config, environment, name, [])
        by = SetBy.CONFIG if name in config.numbers else SetBy.DEFAULT
        settings.append(Setting(name, value, SetBy.ENVIRONMENT if spoken and str(value) == spoken else by))
    return tuple(settings)


def measure_home(paths: Paths) -> tuple[int, int]:
    """(bytes of our home, bytes that are free on its disk)."""
    if not paths.home.is_dir():
        return 0, free_bytes(paths.home)
    return sum(_size(path) for path in paths.home.rglob("*")), free_bytes(paths.home)


def _size(path: Path) -> int:
    try:
        seen = path.lstat()
    except OSError:
        return 0
    return seen.st_size if path.is_file() else 0
