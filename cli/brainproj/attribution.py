"""Whose a thing from elsewhere is: by the sessions that it names, by a key or remote, last by a name (design 5).

A brain's own word for a project is the last part of a path, so it is believed last, and only while it means one known
project. What cannot be told is nobody's: it is left out, and counted.
"""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from .core.catalogue import KnownProject
from .core.ids import ProjectKey
from .core.remote import Piece
from .core.remotes import Remote, parse_remote
from .core.times import from_micros
from .foreign.agentihooks import SessionRow, read_session_rows
from .identity import Resolver
from .store.seen import SeenSession, list_seen
from .store.whose import names_of_places, projects_of_sessions

UNKNOWN_NAMES = frozenset({"", "unknown", "none", "null"})


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a session. project None: it is stored, and has none. last_at None: not stored."""

    project: KnownProject | None
    last_at: datetime | None


@dataclass(slots=True)
class Attribution:
    """Finds projects for sessions and names. ready: what hooks saw; None where that cannot be read."""

    db: sqlite3.Connection
    ready: sqlite3.Connection | None
    resolver: Resolver
    _sessions: dict[str, Known | None] = field(default_factory=dict)
    _seen: dict[str, list[SeenSession]] | None = None
    _foreign: dict[str, SessionRow] | None = None
    _places: dict[str, set[ProjectKey]] | None = None

    def learn(self, session_ids: Iterable[str]) -> None:
        """Look these up at once; `of_session` then knows them."""
        new = [one for one in dict.fromkeys(session_ids) if one and one not in self._sessions]
        stored: dict[str, list[tuple[int | None, int | None]]] = {}
        for session_id, project, last_at in projects_of_sessions(self.db, new):
            stored.setdefault(session_id, []).append((project, last_at))
        for one in new:
            self._sessions[one] = self._find(one, stored.get(one, []))

    def of_session(self, session_id: str) -> Known | None:
        """What is known of a session, or of the one that a sub-agent was part of; None for nothing."""
        self.learn([session_id])
        return self._sessions.get(session_id)

    def of_name(self, name: str) -> KnownProject | None:
        """The one known project of this key, name or alias, or whose worktree or scratch folder is called so."""
        keys = self._keys_of(name)
        return self.resolver.catalogue.by_key(next(iter(keys))) if len(keys) == 1 else None

    def is_ambiguous(self, name: str) -> bool:
        """Whether several known projects are called so, or have a worktree or scratch folder that is."""
        return len(self._keys_of(name)) > 1

    def _keys_of(self, name: str) -> set[ProjectKey]:
        name = name.strip()
        if name.lower() in UNKNOWN_NAMES:
            return set()
        keys = {project.key for project in self.resolver.catalogue.find(name)}
        return keys | self._of_places().get(name, set())

    def of_label(self, name: str, key: str = "", remote: str = "") -> KnownProject | None:
        """The project of a label: its key counts first, then its remote, then its name.

        A key that is not known here is another project's, whatever its name is.
        """
        if key:
            return self.resolver.catalogue.by_key(key) or self.resolver.catalogue.by_key(key.lower())
        found = parse_remote(remote, self.resolver.config.hosts) if remote else None
        if isinstance(found, Remote):
            return self.resolver.catalogue.by_key(found.key)
        return self.of_name(name)

    def is_still_of(self, piece: Piece, project: KnownProject) -> bool:
        """Whether a piece that was a project's still is: projects are told apart, and names given twice, later too."""
        named = [one for one in (piece.session_id, *piece.sessions) if one]
        self.learn(named)
        found = {known.project.key for one in named if (known := self._sessions.get(one)) and known.project}
        if found:
            return found == {project.key}
        owner = self.of_name(piece.named) if piece.named else project
        return owner is not None and owner.key == project.key

    def _find(self, session_id: str, stored: list[tuple[int | None, int | None]]) -> Known | None:
        """A hook's row first, then the store's, then agentihooks' index; two that differ are none."""
        catalogue = self.resolver.catalogue
        last_at = from_micros(max((at for _, at in stored if at is not None), default=None))
        seen = {one.project for one in self._hooked().get(session_id, []) if one.project is not None}
        if len(seen) == 1:
            return Known(catalogue.by_key(next(iter(seen))), last_at)
        if stored:
            found = {project.key if (project := catalogue.by_id(number)) else "" for number, _ in stored}
            return Known(catalogue.by_key(next(iter(found))) if len(found) == 1 else None, last_at)
        row = self._rows().get(session_id)
        if row is None:
            return None
        project = self.of_label("", remote=row.remote or "") if row.remote else None
        if project is None and row.cwd:
            identity = self.resolver.resolve(row.cwd).identity
            project = catalogue.by_key(identity.key) if identity else None
        return Known(project, None)

    def _hooked(self) -> dict[str, list[SeenSession]]:
        """What hooks saw, by session id and by a sub-agent's own."""
        if self._seen is None:
            self._seen = {}
            for one in list_seen(self.ready) if self.ready is not None else []:
                self._seen.setdefault(one.agent_id or one.session_id, []).append(one)
        return self._seen

    def _rows(self) -> dict[str, SessionRow]:
        if self._foreign is None:
            self._foreign = read_session_rows(self.resolver.paths.agentihooks_home)
        return self._foreign

    def _of_places(self) -> dict[str, set[ProjectKey]]:
        if self._places is None:
            self._places = {}
            for name, number in names_of_places(self.db):
                if project := self.resolver.catalogue.by_id(number):
                    self._places.setdefault(name, set()).add(project.key)
        return self._places
