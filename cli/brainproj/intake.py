"""Reading the transcripts that `ingest` found new or changed, one after the other, into the writer.

Imported only when there is something to read. A transcript that cannot be read costs itself alone.
"""

import contextlib
import os
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO

from .agents.adapter import Found
from .agents.lines import open_transcript
from .capture import TranscriptReading
from .config import Config
from .core.events import SessionFacts
from .core.project import Rule
from .core.text import encodable
from .edges import edges, first_cwd, is_packed, last_time
from .errors import TranscriptUnreadable
from .folders import FolderNames
from .identity import Resolver
from .locks import need_room
from .reports import Progress, Report, Task
from .store import database
from .store.gathering import SessionRow
from .store.seen import SeenSession, list_seen
from .store.transcripts import Position, positions_of_inode, read_position
from .store.writer import Writer


@dataclass(slots=True)
class Intake:
    """Reads tasks in order. `redact` is applied to every text; `home` is where room must be left."""

    db: sqlite3.Connection
    config: Config
    resolver: Resolver
    report: Report
    writer: Writer
    home: Path
    progress: Progress | None = None
    _names: FolderNames | None = field(default=None)
    _seen: dict[tuple[str, str], SeenSession] | None = None
    _done_bytes: int = 0
    _all_bytes: int = 0

    def read_all(self, tasks: Sequence[Task]) -> None:
        """Read every task; what was read is kept, also when the person stops the run."""
        self._all_bytes = sum(max(task.found.size_bytes, 0) for task in tasks)
        try:
            for task in tasks:
                self._read_task(task)
                self._done_bytes += task.found.size_bytes
                if self.progress:
                    self.progress(self._done_bytes, self._all_bytes)
        finally:
            self.writer.flush()
            self._take_over()

    def _read_task(self, task: Task) -> None:
        report, agent = self.report, task.adapter.name
        try:
            self._read(task)
        except TranscriptUnreadable as error:
            report.failed += 1
            report.problems.append(error.message + (f": {error.detail}" if error.detail else ""))
        else:
            report.read += 1
            report.by_agent[agent] = report.by_agent.get(agent, 0) + 1

    def _take_over(self) -> None:
        tally, report = self.writer.tally, self.report
        report.events, report.gaps, report.bad_lines = tally.events, tally.gaps, tally.bad_lines
        report.sessions_added, report.sessions_updated = len(tally.sessions_added), len(tally.sessions_updated)
        report.events_by_agent = tally.events_by_agent

    def _read(self, task: Task) -> None:
        """Read what is new of one transcript."""
        found = task.found
        with contextlib.closing(open_transcript(found.path)) as file:
            if self._is_excluded(found.path):
                return
            position = self._position(task, file)
            reader = task.adapter.open_reader(found.path, task.home, position.state if position.offset else None)
            reading = TranscriptReading(self, found, reader, position, self.writer)
            reading.run(file)
        self.report.bytes += reading.read_bytes

    def _position(self, task: Task, file: IO[bytes]) -> Position:
        """Where to go on; from the start where the transcript is new, was replaced, or is read by a newer adapter."""
        found = task.found
        position = read_position(self.db, found.path) or self._moved(task, file)
        if position is None:
            position = self.writer.new_position(task.adapter.name, found.path)
        elif is_packed(found.path):
            position.restart()
        elif not _fits(position, file, found):
            position.generation += 1
            position.restart()
        elif position.adapter != task.adapter.version:
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
        return is_excluded(self.config, self.resolver, first_cwd(path) or "")

    # what a reading asks --------------------------------------------------------------------------------------------

    def note_problem(self, text: str) -> None:
        """A line was lost."""
        self.report.problems.append(text)

    def make_room(self, read_bytes: int) -> None:
        """A batch is about to be written. Raises DiskFull."""
        if self.progress:
            self.progress(self._done_bytes + read_bytes, self._all_bytes)
        need_room(self.home)

    def attribute(self, row: SessionRow, facts: SessionFacts, found: Found) -> None:
        """Find the project of a session by its first folder, else by the name of the transcript's folder."""
        writer = self.writer
        hooked = self._hooked(row)
        if hooked is not None and hooked.project and (known := self.resolver.catalogue.by_key(hooked.project)):
            why = f"a hook saw it start in {hooked.cwd}, in {known.name}"
            identity = self.resolver.resolve(hooked.cwd or "").identity
            worktree = identity.worktree if identity and identity.key == known.key else None
            if known.ids:
                writer.attribute(row, known.ids[0], Rule.KNOWN.value, why, worktree, hooked.cwd)
                return
        cwd = facts.cwd
        if cwd is None:
            self._names = self._names or FolderNames(self.db)
            cwd = self._names.find(row.agent, found.path)
        if cwd is None:
            why = "no line names a folder, and the name of the transcript's own fits none or several"
            writer.attribute(row, None, "none", why, None, None)
            return
        resolution = self.resolver.resolve(cwd)
        identity = resolution.identity
        if identity is None:
            writer.attribute(row, None, resolution.rule.value, resolution.why, None, cwd)
            return
        with database.transaction(self.db):
            project = self.resolver.project_number(identity)
        writer.attribute(row, project, resolution.rule.value, resolution.why, identity.worktree, cwd)

    def _hooked(self, row: SessionRow) -> SeenSession | None:
        """The session as a hook saw it start: that outranks what a transcript tells later."""
        if self._seen is None:
            ready = self.resolver.places.open() if self.resolver.places else None
            rows = list_seen(ready) if ready is not None else []
            self._seen = {(one.agent, one.session_id): one for one in rows if not one.agent_id}
        return self._seen.get((row.agent, row.session_id))


def is_excluded(config: Config, resolver: Resolver, cwd: str) -> bool:
    """Whether a person said that what happens in this folder is not to be captured."""
    if not cwd:
        return False
    for folder in config.exclude_folders:
        real = os.path.realpath(os.path.expanduser(folder))  # noqa: PTH111
        if (os.path.realpath(cwd) + "/").startswith(real.rstrip("/") + "/"):
            return True
    identity = resolver.resolve(cwd).identity if config.exclude_projects else None
    known = resolver.catalogue.by_key(identity.key) if identity else None
    return known is not None and any(known.answers_to(text) for text in config.exclude_projects)


def _fits(position: Position, file: IO[bytes], found: Found) -> bool:
    """Whether a transcript still begins and goes on as when it was read."""
    if found.size_bytes < position.offset:
        return False
    start, tail = edges(file, found.path, position.offset)
    return (start, tail) == (position.start, position.tail)


def sort_tasks(tasks: list[Task], resolver: Resolver, first: str | None) -> list[Task]:
    """Parents before their sub-agents, older before newer, and the asked folder's project before the others."""
    if len(tasks) < 2:
        return tasks
    for task in tasks:
        task.order = last_time(task.found)
    tasks = sorted(tasks, key=lambda task: (task.found.is_child, task.order, task.found.path))
    asked = resolver.resolve(first).identity if first is not None else None
    if asked is None:
        return tasks
    mine = set()
    for task in tasks:
        cwd = first_cwd(task.found.path)
        identity = resolver.resolve(cwd).identity if cwd else None
        if identity is not None and identity.key == asked.key:
            mine.add(task.found.path)
    return sorted(tasks, key=lambda task: (task.found.is_child, task.found.path not in mine))


def make_writer(
    db: sqlite3.Connection, redact: Callable[[str], str], now: datetime, *, is_import: bool = False
) -> Writer:
    """A writer whose every text is encodable and redacted."""
    database.prepare_for_writing(db)
    return Writer(db, lambda text: redact(encodable(text)), now, is_import=is_import)
