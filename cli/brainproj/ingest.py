"""Transcripts → store: find what is new, have it read, and bring what is derived up to date.

One writer at a time (`ingest.lock`). Every batch is one transaction of events and positions, so whatever is killed, the
next run goes on from where the store says, and ends with the store an undisturbed run would have made. A look that
finds nothing new imports neither readers nor rules of redaction: it takes little more than looking at names and times.
"""

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from .agents.registry import ADAPTERS, agent_home
from .config import Config
from .core.rules import rules_version
from .core.times import to_micros
from .errors import StoreLocked
from .launcher import write_launcher
from .locks import LOCK_WAIT_S, locked, need_room
from .paths import Paths
from .reports import Progress, Report, Task, Wanted
from .store import database, publish
from .store.listing import has_projects, stale_projects
from .store.transcripts import is_stamped, read_stamps

if TYPE_CHECKING:
    from .identity import Resolver

__all__ = ["Ingest", "Progress", "Report", "Wanted"]
RESTART_ALL = "UPDATE transcripts SET size_bytes = -1, adapter = -1"
"""Every transcript is read again from its start, as if by another adapter. How far it was read stays, so that one that
did not change keeps its generation, and the same lines are the same events."""
HOMELESS = "FROM sessions WHERE project IS NULL AND listed"
"""The sessions that have no project."""

OWNERLESS = "FROM sessions WHERE person IS NULL AND listed AND transcript IS NOT NULL"
"""The sessions read on this machine of which nobody was named the owner."""


@dataclass(slots=True)
class Ingest:
    """One reading of everything that is new."""

    paths: Paths
    config: Config
    db: sqlite3.Connection
    resolver: "Resolver | None"
    """Who tells projects; None: made when the first is asked for, and a look that finds nothing new asks for none."""
    now: datetime
    progress: Progress | None = None
    lock_wait_s: float = LOCK_WAIT_S
    report: Report = field(default_factory=Report)
    _is_unready: bool = False
    _ready: sqlite3.Connection | None = None
    _rules: Callable[[str], str] | None = None

    def run(self, wanted: Wanted) -> Report:
        """Read everything new. Raises StoreUnusable and its kinds; a transcript that fails costs only itself."""
        began = time.monotonic()
        if wanted.dry_run:
            tasks = self._tasks(wanted)
            self.report.read = len(tasks)
            self.report.bytes = sum(task.found.size_bytes for task in tasks)
        else:
            with locked(self.paths.ingest_lock, self.lock_wait_s), database.explained(self.paths.brain_db):
                self._prepare(wanted)
                self._read(self._tasks(wanted), wanted.first)
                self._finish()
                self._read_grown()
                self._make_ready()
            self._read_what_grew_since()
        self.report.seconds = time.monotonic() - began
        return self.report

    def _asked(self) -> "Resolver":
        if self.resolver is None:
            from .identity import Resolver
            from .places import Places

            places = Places(self.paths, self.config)
            self.resolver = Resolver(self.paths, self.config, self.db, self.now, places=places)
        return self.resolver

    def _open_ready(self) -> sqlite3.Connection | None:
        """ready.db; None where it cannot be used, or where whoever asked writes nothing there."""
        if self.resolver is not None:
            return self.resolver.places.open() if self.resolver.places else None
        if self._ready is None:
            self._ready = publish.open_ready(self.paths.ready_db)
        return self._ready

    def _tasks(self, wanted: Wanted) -> list[Task]:
        """The transcripts that are new or changed, in no order."""
        if wanted.transcripts is not None:
            return self._named_tasks(wanted.transcripts)
        tasks: list[Task] = []
        since_ns = int(wanted.since.timestamp() * 1e9) if wanted.since else None
        for adapter in ADAPTERS:
            if (wanted.agents and adapter.name not in wanted.agents) or adapter.name in self.config.exclude_agents:
                continue
            home = wanted.root or agent_home(self.paths, adapter.name)
            stamps = read_stamps(self.db, adapter.name)
            version = adapter.version
            found_all = list(adapter.find_transcripts(home))
            fresh = [one for one in found_all if (one.path, one.size_bytes, one.mtime_ns, version) not in stamps]
            self.report.found += len(found_all)
            self.report.unchanged += len(found_all) - len(fresh)
            tasks += [Task(adapter, home, one) for one in fresh if since_ns is None or one.mtime_ns >= since_ns]
        return tasks

    def _named_tasks(self, transcripts: Iterable[tuple[str, str]]) -> list[Task]:
        """Those of some transcripts that are there and have changed."""
        tasks = []
        adapters = {adapter.name: adapter for adapter in ADAPTERS if adapter.name not in self.config.exclude_agents}
        for agent, path in dict.fromkeys(transcripts):
            adapter = adapters.get(agent)
            home_and_transcript = adapter.find_transcript(path) if adapter else None
            if adapter is None or home_and_transcript is None:
                continue
            home, found = home_and_transcript
            self.report.found += 1
            if is_stamped(self.db, found.path, (found.size_bytes, found.mtime_ns, adapter.version)):
                self.report.unchanged += 1
            else:
                tasks.append(Task(adapter, home, found))
        return tasks

    def _read_grown(self) -> None:
        """What hooks saw grow while this process alone could read: nobody else will."""
        with publish.unless_refused(self.paths.ready_db):
            self._read_wanted()

    def _read_wanted(self) -> None:
        ready = self._open_ready()
        while ready is not None and publish.has_grown(ready):
            from .store.seen import drop_wanted, list_wanted

            grown = list_wanted(ready, "transcript")
            self._read(self._named_tasks((row.agent, row.value) for row in grown), None)
            self._finish()
            drop_wanted(ready, grown)

    def _read_what_grew_since(self) -> None:
        """What hooks saw grow in the last moments before the lock was free again: who came for it has left."""
        ready = self._open_ready()
        with contextlib.suppress(StoreLocked, sqlite3.Error):
            while ready is not None and publish.has_grown(ready):
                with locked(self.paths.ingest_lock, 0.0), database.explained(self.paths.brain_db):
                    self._read_grown()
                    self._make_ready()

    def _make_ready(self) -> None:
        """What hooks look up, as it is after this reading; without it where ready.db is locked or damaged."""
        with publish.unless_refused(self.paths.ready_db):
            self._refresh()

    def _refresh(self) -> None:
        """The blocks of the projects in which something happened; of all, where hooks have none yet."""
        ready = self._open_ready()
        if ready is None:
            return
        write_launcher(self.paths)
        is_first = self._is_unready or (not publish.seen_projects(ready) and has_projects(self.db))
        if not is_first and not self.report.projects:
            return
        from .recall import read_recall_settings
        from .refresh import Refresh

        settings = read_recall_settings(self.config, {})
        refresh = Refresh(self.paths, self.config, self.db, ready, self._asked(), settings, self.now)
        if is_first:
            refresh.everything()
            return
        refresh.rename()
        numbers = sorted(self.report.projects)
        found = {known.key: known for number in numbers if (known := self._asked().catalogue.by_id(number))}
        for known in found.values():
            refresh.project(known)
        refresh.fleet()

    def _read(self, tasks: list[Task], first: str | None) -> None:
        """Have the tasks read; the transcripts of the project of `first` before the others."""
        if not tasks:
            return
        from .intake import Intake, make_writer, sort_tasks

        need_room(self.paths.home)
        writer = make_writer(self.db, self._redact(), self.now)
        writer.family_of = self._family_of
        intake = Intake(self.db, self.config, self._asked(), self.report, writer, self.paths.home, self.progress)
        intake.read_all(sort_tasks(tasks, self._asked(), first))

    # before and after -----------------------------------------------------------------------------------------------

    def _redact(self) -> Callable[[str], str]:
        """The rules of redaction, made when the first text comes."""
        if self._rules is None:
            from .core.redact import Redactor

            self._rules = Redactor(self.config.hide, self.config.keep).redact
        return self._rules

    def _prepare(self, wanted: Wanted) -> None:
        """Let rules that changed work on what is stored; have everything read again where that was asked for."""
        before = self.db.execute("SELECT value FROM meta WHERE name = 'redaction'").fetchone()
        rules = rules_version(self.config.hide, self.config.keep)
        is_changed = before is not None and before[0] != rules
        if before is not None and not is_changed and not wanted.rebuild:
            return
        with database.transaction(self.db):
            self.db.execute("INSERT OR REPLACE INTO meta VALUES('redaction', ?)", (rules,))
            if is_changed:
                from .store.revise import redact_again

                redact_again(self.db, self._redact(), self._micros())
            if is_changed or wanted.rebuild:
                self.db.execute(RESTART_ALL)
        if is_changed:
            from .store.erase import erase_traces
            from .unready import erase_ready

            erase_traces(self.db)
            if self._open_ready() is not None:
                erase_ready(self.paths, self.config)
                self._is_unready = True

    def _finish(self) -> None:
        """What is derived: projects of sessions that had none, titles kept elsewhere, arcs, counts."""
        self._attribute_again()
        self._name_owners()
        self._join_swarm_tasks()
        self._take_titles()
        stale = stale_projects(self.db)
        self.report.projects.update(stale)
        if stale:
            from .store.arcs import rebuild_arcs

            with database.transaction(self.db):
                for project in stale:
                    rebuild_arcs(self.db, project, self.now)
        self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _attribute_again(self) -> None:
        """Sessions without a project get one where their folder has one by now (declared, cloned, seen).

        A folder that is gone has what the store's places say of it, so it is asked again only when they changed.
        """
        if self.resolver is not None:
            self.resolver.look_again()
        places = repr(self.db.execute("SELECT count(*), max(seen_at) FROM places").fetchone())
        asked = self.db.execute("SELECT value FROM meta WHERE name = 'attributed'").fetchone()
        is_known = asked is not None and asked[0] == places
        for cwd, sessions in self.db.execute(f"SELECT cwd, count(*) {HOMELESS} GROUP BY cwd").fetchall():
            is_gone = cwd is not None and not os.path.isdir(cwd)  # noqa: PTH112  (Path takes ten times as long)
            moved = 0 if cwd is None or (is_known and is_gone) else self._attribute(cwd)
            self.report.unattributed += sessions - moved
        if not is_known:
            with database.transaction(self.db):
                self.db.execute("INSERT OR REPLACE INTO meta VALUES('attributed', ?)", (places,))

    def _attribute(self, cwd: str) -> int:
        """How many sessions of this folder, which had no project, got one now."""
        resolver = self._asked()
        resolution = resolver.resolve(cwd)
        if resolution.identity is None:
            return 0
        from .store.revise import move_session

        with database.transaction(self.db):
            project = resolver.project_number(resolution.identity)
            moved = self.db.execute(f"SELECT id {HOMELESS} AND cwd = ?", (cwd,)).fetchall()
            for (session,) in moved:
                move_session(self.db, session, project, resolution.rule.value, resolution.why)
        return len(moved)

    def _name_owners(self) -> None:
        """Sessions that are new get the person who owns them."""
        if self.db.execute(f"SELECT 1 {OWNERLESS} LIMIT 1").fetchone():
            from .owners import name_owners

            name_owners(self.db, self.paths, self._redact(), self.now)

    def _join_swarm_tasks(self) -> None:
        """Sessions that a swarm gave a task join that task."""
        ready = self._open_ready() if self.report.read else None
        if ready is None:
            return
        from .store.seen import list_in_swarm

        with publish.unless_refused(self.paths.ready_db):
            in_swarm = list_in_swarm(ready)
            if not in_swarm:
                return
            from .tasks import SwarmSession, join_swarm_tasks

            catalogue = self._asked().catalogue
            seen = [
                SwarmSession(one.agent, one.session_id, known.ids, one.swarm or "", one.task or "")
                for one in in_swarm
                if (known := catalogue.by_key(one.project or "")) and known.ids
            ]
            with database.transaction(self.db):
                join_swarm_tasks(self.db, seen, self._redact(), self._micros())

    def _family_of(self, project: int) -> tuple[int, ...]:
        """All numbers of a project, by one of them."""
        known = self._asked().catalogue.by_id(project)
        return known.ids if known else (project,)

    def _take_titles(self) -> None:
        """Titles that an agent keeps beside its transcripts; a thread may be renamed without a new line."""
        titles = [
            (adapter.name, session_id, name)
            for adapter in ADAPTERS
            for session_id, name in adapter.read_titles(agent_home(self.paths, adapter.name)).items()
        ]
        if not titles:
            return
        from .core.text import encodable
        from .core.titles import clean_title
        from .store.listing import retitle

        with database.transaction(self.db):
            for agent, session_id, name in titles:
                title = clean_title(self._redact()(encodable(name)))
                if title:
                    retitle(self.db, agent, session_id, title)

    def _micros(self) -> int:
        return to_micros(self.now) or 0
