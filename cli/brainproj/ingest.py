"""Transcripts → store: find what is new, read it line by line, write it in batches.

One writer at a time (`ingest.lock`). Every batch is one transaction of events and positions, so whatever is killed, the
next run goes on from where the store says, and ends with the store an undisturbed run would have made.
"""

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO

from .agents.adapter import Adapter, Found
from .agents.lines import open_transcript
from .agents.registry import ADAPTERS, agent_home
from .capture import TranscriptReading
from .config import Config
from .core.events import SessionFacts
from .core.redact import Redactor
from .core.text import encodable
from .core.times import to_micros
from .core.titles import clean_title
from .edges import edges, first_cwd, is_packed, last_time
from .errors import TranscriptUnreadable
from .folders import FolderNames
from .identity import Resolver
from .locks import locked, need_room
from .paths import Paths
from .store import database, revise
from .store.arcs import rebuild_arcs, stale_projects
from .store.erase import erase_traces
from .store.gathering import SessionRow
from .store.listing import retitle
from .store.transcripts import Position, positions_of_inode, read_position, read_stamps
from .store.writer import Writer


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
    """What to read: which agents, from which root, since when; `first` is a folder whose transcripts go first."""

    agents: tuple[str, ...] = ()
    root: Path | None = None
    since: datetime | None = None
    first: str | None = None
    rebuild: bool = False
    dry_run: bool = False


RESTART_ALL = "UPDATE transcripts SET size_bytes = -1, offset = 0, lines = 0, state = NULL"
"""Every transcript is read again from its start; its generation stays, so the same lines are the same events."""
Progress = Callable[[int, int], None]
"""Called with the bytes read so far and in all."""


@dataclass(slots=True)
class Task:
    """One transcript that is to be read."""

    adapter: Adapter
    home: Path
    found: Found
    row: int | None
    order: int = 0


@dataclass(slots=True)
class Ingest:
    """Reads transcripts into the store."""

    paths: Paths
    config: Config
    db: sqlite3.Connection
    resolver: Resolver
    now: datetime
    progress: Progress | None = None
    report: Report = field(default_factory=Report)
    _writer: Writer | None = None
    _names: FolderNames | None = None
    _done_bytes: int = 0
    _all_bytes: int = 0

    def run(self, wanted: Wanted) -> Report:
        """Read everything new. Raises StoreUnusable and its kinds; a transcript that fails costs only itself."""
        began = time.monotonic()
        redactor = Redactor(self.config.hide, self.config.keep)
        if wanted.dry_run:
            tasks = self._tasks(wanted)
            self.report.read = len(tasks)
            self.report.bytes = sum(task.found.size_bytes for task in tasks)
            self.report.seconds = time.monotonic() - began
            return self.report
        with locked(self.paths.ingest_lock), database.explained(self.paths.brain_db):
            self._prepare(wanted, redactor)
            self._read_all(self._tasks(wanted), redactor)
            self._finish(redactor)
        self.report.seconds = time.monotonic() - began
        return self.report

    # before and after -----------------------------------------------------------------------------------------------

    def _prepare(self, wanted: Wanted, redactor: Redactor) -> None:
        """Let rules that changed work on what is stored, and forget positions where everything is to be read again."""
        before = self.db.execute("SELECT value FROM meta WHERE name = 'redaction'").fetchone()
        if before is not None and before[0] != redactor.version:
            with database.transaction(self.db):
                revise.redact_again(self.db, redactor.redact, to_micros(self.now) or 0)
                self.db.execute(RESTART_ALL)
                self._note_rules(redactor)
            erase_traces(self.db)
        elif wanted.rebuild:
            with database.transaction(self.db):
                self.db.execute(RESTART_ALL)
        if before is None:
            with database.transaction(self.db):
                self._note_rules(redactor)

    def _note_rules(self, redactor: Redactor) -> None:
        self.db.execute("INSERT OR REPLACE INTO meta VALUES('redaction', ?)", (redactor.version,))

    def _finish(self, redactor: Redactor) -> None:
        self._attribute_again()
        self._take_titles(redactor)
        with database.transaction(self.db):
            for project in stale_projects(self.db):
                rebuild_arcs(self.db, project, self.now)
        self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        row = self.db.execute("SELECT count(*) FROM sessions WHERE listed AND project IS NULL").fetchone()
        self.report.unattributed = row[0]

    def _take_titles(self, redactor: Redactor) -> None:
        """Titles that an agent keeps beside its transcripts; a thread may be renamed without a new line."""
        with database.transaction(self.db):
            for adapter in ADAPTERS:
                for session_id, name in adapter.read_titles(agent_home(self.paths, adapter.name)).items():
                    title = clean_title(encodable(name))
                    if title:
                        retitle(self.db, adapter.name, session_id, redactor.redact(title))

    def _attribute_again(self) -> None:
        """Sessions without a project get one where their folder has one by now (declared, cloned, seen)."""
        rows = self.db.execute(
            "SELECT id, cwd FROM sessions WHERE project IS NULL AND cwd IS NOT NULL AND listed"
        ).fetchall()
        for session, cwd in rows:
            resolution = self.resolver.resolve(cwd)
            if resolution.identity is not None:
                with database.transaction(self.db):
                    project = self.resolver.project_number(resolution.identity)
                    revise.move_session(self.db, session, project, resolution.rule.value, resolution.why)
                    rebuild_arcs(self.db, project, self.now)

    # finding --------------------------------------------------------------------------------------------------------

    def _tasks(self, wanted: Wanted) -> list[Task]:
        """The transcripts that are new or changed, in the order of reading."""
        tasks: list[Task] = []
        since_ns = int(wanted.since.timestamp() * 1e9) if wanted.since else None
        for adapter in ADAPTERS:
            if (wanted.agents and adapter.name not in wanted.agents) or adapter.name in self.config.exclude_agents:
                continue
            home = wanted.root or agent_home(self.paths, adapter.name)
            stamps = read_stamps(self.db, adapter.name)
            for found in adapter.find_transcripts(home):
                self.report.found += 1
                stamp = stamps.get(found.path)
                if stamp is not None and stamp[:3] == (found.size_bytes, found.mtime_ns, adapter.version):
                    self.report.unchanged += 1
                elif since_ns is None or found.mtime_ns >= since_ns:
                    tasks.append(Task(adapter, home, found, stamp[3] if stamp else None))
        if len(tasks) > 1:
            for task in tasks:
                task.order = last_time(task.found)
        tasks.sort(key=lambda task: (task.found.is_child, task.order, task.found.path))
        return self._first_things_first(tasks, wanted.first)

    def _first_things_first(self, tasks: list[Task], first: str | None) -> list[Task]:
        if first is None or len(tasks) < 2:
            return tasks
        asked = self.resolver.resolve(first).identity
        if asked is None:
            return tasks
        mine = set()
        for task in tasks:
            cwd = first_cwd(task.found.path)
            identity = self.resolver.resolve(cwd).identity if cwd else None
            if identity is not None and identity.key == asked.key:
                mine.add(task.found.path)
        return sorted(tasks, key=lambda task: task.found.path not in mine)

    # reading --------------------------------------------------------------------------------------------------------

    def _read_all(self, tasks: list[Task], redactor: Redactor) -> None:
        self._all_bytes = sum(max(task.found.size_bytes, 0) for task in tasks)
        database.prepare_for_writing(self.db)
        writer = self._writer = Writer(self.db, lambda text: redactor.redact(encodable(text)), self.now)
        try:
            for task in tasks:
                try:
                    self._read(task, writer)
                    self.report.read += 1
                    self.report.by_agent[task.adapter.name] = self.report.by_agent.get(task.adapter.name, 0) + 1
                except TranscriptUnreadable as error:
                    self.report.failed += 1
                    self.report.problems.append(error.message + (f": {error.detail}" if error.detail else ""))
                self._done_bytes += task.found.size_bytes
                if self.progress:
                    self.progress(self._done_bytes, self._all_bytes)
        finally:
            # what was read is kept, also when the person stops the run here
            writer.flush()
            self._take_over(writer)

    def _take_over(self, writer: Writer) -> None:
        tally, report = writer.tally, self.report
        report.events, report.gaps, report.bad_lines = tally.events, tally.gaps, tally.bad_lines
        report.sessions_added, report.sessions_updated = len(tally.sessions_added), len(tally.sessions_updated)
        report.events_by_agent = tally.events_by_agent

    def _read(self, task: Task, writer: Writer) -> None:
        """Read what is new of one transcript."""
        found = task.found
        with contextlib.closing(open_transcript(found.path)) as file:
            if self._is_excluded(found.path):
                return
            position = self._position(task, file, writer)
            reader = task.adapter.open_reader(found.path, task.home, position.state if position.offset else None)
            reading = TranscriptReading(self, found, reader, position, writer)
            reading.run(file)
        self.report.bytes += reading.read_bytes

    def _position(self, task: Task, file: IO[bytes], writer: Writer) -> Position:
        """Where to go on; from the start where the transcript is new, was replaced, or is read by a newer adapter."""
        found = task.found
        position = read_position(self.db, found.path) or self._moved(task, file)
        if position is None:
            position = writer.new_position(task.adapter.name, found.path)
        elif position.adapter != task.adapter.version or is_packed(found.path):
            position.restart()
        elif not _fits(position, file, found):
            position.generation += 1
            position.restart()
        position.path, position.inode = found.path, found.inode
        position.size_bytes, position.mtime_ns, position.adapter = (
            found.size_bytes,
            found.mtime_ns,
            task.adapter.version,
        )
        return position

    def _moved(self, task: Task, file: IO[bytes]) -> Position | None:
        """The position of a transcript that lay elsewhere before: the same file, beginning and going on the same."""
        for position in positions_of_inode(self.db, task.adapter.name, task.found.inode):
            if position.offset and not Path(position.path).exists() and _fits(position, file, task.found):
                return position
        return None

    def _is_excluded(self, path: str) -> bool:
        """Whether a person said that this folder or project is not to be captured; decided before a line is parsed."""
        if not (self.config.exclude_folders or self.config.exclude_projects):
            return False
        cwd = first_cwd(path)
        if cwd is None:
            return False
        for folder in self.config.exclude_folders:
            real = os.path.realpath(os.path.expanduser(folder))  # noqa: PTH111
            if (os.path.realpath(cwd) + "/").startswith(real.rstrip("/") + "/"):
                return True
        identity = self.resolver.resolve(cwd).identity if self.config.exclude_projects else None
        known = self.resolver.catalogue.by_key(identity.key) if identity else None
        return known is not None and any(known.answers_to(text) for text in self.config.exclude_projects)

    # what a reading asks --------------------------------------------------------------------------------------------

    def note_problem(self, text: str) -> None:
        """A line was lost."""
        self.report.problems.append(text)

    def make_room(self, read_bytes: int) -> None:
        """A batch is about to be written. Raises DiskFull."""
        if self.progress:
            self.progress(self._done_bytes + read_bytes, self._all_bytes)
        need_room(self.paths.home)

    def attribute(self, row: SessionRow, facts: SessionFacts, found: Found) -> None:
        """Find the project of a session by its first folder, else by the name of the transcript's folder."""
        writer = self._writer
        assert writer is not None
        cwd = facts.cwd
        if cwd is None:
            self._names = self._names or FolderNames(self.db)
            cwd = self._names.find(row.agent, found.path)
        if cwd is None:
            why = "no line names a folder, and the name of the transcript's own fits none or several"
            writer.attribute(row, None, "none", why, None)
            return
        resolution = self.resolver.resolve(cwd)
        identity = resolution.identity
        if identity is None:
            writer.attribute(row, None, resolution.rule.value, resolution.why, None)
            return
        with database.transaction(self.db):
            project = self.resolver.project_number(identity)
        writer.attribute(row, project, resolution.rule.value, resolution.why, identity.worktree)


def _fits(position: Position, file: IO[bytes], found: Found) -> bool:
    """Whether a transcript still begins and goes on as when it was read."""
    if found.size_bytes < position.offset:
        return False
    start, tail = edges(file, found.path, position.offset)
    return (start, tail) == (position.start, position.tail)
