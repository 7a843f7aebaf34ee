"""Sessions as a person sees them: the live ones, and the index of all that are stored."""

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from .config import Config, Scope, scope_in_force
from .core.catalogue import KnownProject
from .core.live import LONG_AGO, LiveSession, State
from .core.people import People, Person
from .core.times import from_micros, render_time
from .identity import Resolver
from .store import listing


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """One session. `project` is None without one, and `why` says for what reason.

    person: whose session it is.
    block_bytes, block_at: the block that is ready for it and when it was made; None where it gets none, or ended.
    """

    session_id: str
    agent_id: str | None
    agent: str
    project: KnownProject | None
    worktree: str | None
    branch: str | None
    cwd: str | None
    title: str | None
    state: str
    seen_by: tuple[str, ...]
    started_at: datetime | None
    last_seen_at: datetime | None
    transcript: str | None
    scope: str
    prompts: int
    tool_calls: int
    tool_failures: int
    events: int
    why: str | None
    person: Person | None = None
    block_bytes: int | None = None
    block_at: datetime | None = None

    @property
    def project_key(self) -> str | None:
        """The project's key."""
        return self.project.key if self.project else None

    @property
    def project_name(self) -> str | None:
        """The project's name."""
        return self.project.name if self.project else None

    def value(self) -> dict[str, object]:
        """One entry of `sessions --json`."""
        return {
            "session_id": self.session_id,
            "agent_id": self.agent_id,
            "agent": self.agent,
            "project": self.project.value(self.worktree, self.branch) if self.project else None,
            "cwd": self.cwd,
            "title": self.title,
            "state": self.state,
            "seen_by": list(self.seen_by),
            "started_at": render_time(self.started_at),
            "last_seen_at": render_time(self.last_seen_at),
            "transcript": self.transcript,
            "scope": self.scope,
            "prompts": self.prompts,
            "tool_calls": self.tool_calls,
            "tool_failures": self.tool_failures,
            "events": self.events,
            "why": self.why,
            "person": self.person.value() if self.person else None,
            "block_bytes": self.block_bytes,
            "block_at": render_time(self.block_at),
        }


@dataclass(frozen=True, slots=True)
class SessionLists:
    """Makes the lists over a store. `environment` is the caller's: its scope setting counts for the caller only.

    blocks: of projects, by key: the bytes of the block that is ready, and when it was made (microseconds).
    """

    db: sqlite3.Connection
    resolver: Resolver
    config: Config
    environment: Mapping[str, str]
    people: People
    blocks: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def stored(self, project: KnownProject | None, live: Iterable[LiveSession] = ()) -> list[SessionInfo]:
        """The index: every session with a transcript of its own, the latest at the end."""
        states = {(session.agent, session.session_id): session for session in live if session.agent_id is None}
        rows = listing.iter_sessions(self.db, project.ids if project else None)
        found = [self._stored(row, states.get((row["agent"], row["session_id"]))) for row in rows]
        return sorted(found, key=lambda session: session.last_seen_at or session.started_at or LONG_AGO)

    def _stored(self, row: sqlite3.Row, live: LiveSession | None) -> SessionInfo:
        project = self.resolver.catalogue.by_id(row["project"])
        last = from_micros(row["last_at"])
        return SessionInfo(
            session_id=row["session_id"],
            agent_id=None,
            agent=row["agent"],
            project=project,
            worktree=row["worktree"],
            branch=row["branch"],
            cwd=row["cwd"],
            title=row["title"],
            state=live.state.value if live else State.ENDED.value,
            seen_by=(*(live.seen_by if live else ()), "transcript"),
            started_at=from_micros(row["started_at"]),
            last_seen_at=max(
                (moment for moment in (last, live.last_seen_at if live else None) if moment), default=None
            ),
            transcript=row["transcript"],
            scope=self._scope(project),
            prompts=row["prompts"],
            tool_calls=row["tool_calls"],
            tool_failures=row["tool_failures"],
            events=row["events"],
            why=row["why"],
            person=self.people.by_number(row["person"]),
        )

    def live(self, found: Iterable[LiveSession], project: KnownProject | None) -> list[SessionInfo]:
        """The sessions that run now, with what the store knows of them."""
        known = {(row["agent"], row["session_id"]): row for row in listing.iter_sessions(self.db, None)}
        sessions = [self._live(session, known.get((session.agent, session.session_id))) for session in found]
        return [session for session in sessions if project is None or session.project_key == project.key]

    def _live(self, session: LiveSession, row: sqlite3.Row | None) -> SessionInfo:
        cwd = session.cwd or (row["cwd"] if row else None)
        resolution = self.resolver.resolve(cwd) if cwd else None
        identity = resolution.identity if resolution else None
        key = session.project_key or (identity.key if identity else "")
        project = self.resolver.catalogue.by_key(key) or (
            self.resolver.catalogue.by_id(row["project"]) if row and not key else None
        )
        scope = session.scope or self._scope(project)
        block = self.blocks.get(project.key) if project and scope != Scope.OFF else None
        return SessionInfo(
            session_id=session.session_id,
            agent_id=session.agent_id,
            agent=session.agent,
            project=project,
            worktree=identity.worktree if identity else None,
            branch=identity.branch if identity else None,
            cwd=cwd,
            title=session.title or (row["title"] if row else None),
            state=session.state.value,
            seen_by=session.seen_by,
            started_at=session.started_at or (from_micros(row["started_at"]) if row else None),
            last_seen_at=session.last_seen_at or (from_micros(row["last_at"]) if row else None),
            transcript=session.transcript or (row["transcript"] if row else None),
            scope=scope,
            prompts=row["prompts"] if row else 0,
            tool_calls=row["tool_calls"] if row else 0,
            tool_failures=row["tool_failures"] if row else 0,
            events=row["events"] if row else 0,
            why=resolution.why if resolution else "its folder is not known",
            person=self.people.by_number(row["person"]) if row else None,
            block_bytes=block[0] if block else None,
            block_at=from_micros(block[1]) if block else None,
        )

    def _scope(self, project: KnownProject | None) -> str:
        keys = (project.key, *project.aliases) if project else ()
        environment = {name: value for name, value in self.environment.items() if name != "BRAIN_PROJECT_SCOPE"}
        return scope_in_force(self.config, environment, keys).effective.value
