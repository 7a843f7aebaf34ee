"""The worker: what hooks leave to be done, done apart from the agent. One at a time, started by a hook, gone when idle.

It finds out the projects of folders that nobody asked about before, refreshes projects that are stale, and reads the
transcripts that grew. It runs with low priority, takes no lock that a person would have to wait for longer than one
transcript takes, and writes its troubles to the log.
"""

import contextlib
import fcntl
import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from .brains import find_brain
from .brainwork import BrainWork
from .config import Config, read_config
from .core.redact import Redactor
from .cursor_folders import keep_rule
from .errors import BrainError, ConfigMalformed, StoreLocked
from .identity import Resolver
from .ingest import Ingest, Wanted
from .intake import is_excluded
from .launcher import write_launcher
from .locks import locked
from .log import write_log, write_traceback
from .owners import read_people
from .paths import Paths, find_paths, user_home
from .places import Places, environment_of
from .recall import read_recall_settings
from .recap import make_recaps
from .refresh import Refresh
from .spool import take_spool
from .store import publish
from .store import seen as rows
from .store.activity import list_written_to
from .store.database import open_store
from .tasks import TaskBook
from .toolresults import store_result

NICE = 10
RESULT_WAIT_S = 60.0
"""How long a tool's result waits for whoever else writes."""
QUIET_S = 0.3
"""A transcript is read when it was left alone for so long: agents write a message in several lines."""
QUIET_AT_MOST_S = 3.0
KEPT_DAYS = 30
"""Sessions that were seen last before are forgotten here; what happened in them stands in the store."""


def work(home: str) -> None:
    """Do what is wanted, until nothing is. Raises nothing."""
    environment = dict(os.environ) | {"BRAINPROJ_HOME": home}
    paths = find_paths(environment, user_home(environment))
    try:
        os.nice(NICE)
        with _alone(paths.worker_lock) as is_alone:
            if is_alone:
                _work(paths)
    except BrainError as error:
        write_log(paths.log_path, f"worker: {error.message}")
    except Exception as error:
        write_traceback(paths.log_path, error)


def take_tool_result(home: str, raw: bytes) -> None:
    """Store the result of a tool of Cursor's. Raises nothing."""
    environment = dict(os.environ) | {"BRAINPROJ_HOME": home}
    paths = find_paths(environment, user_home(environment))
    try:
        os.nice(NICE)
        payload = json.loads(raw)
        config = _settings(paths)
        if "cursor" in config.exclude_agents or not isinstance(payload, dict):
            return
        now = datetime.now(UTC)
        with locked(paths.ingest_lock, RESULT_WAIT_S), contextlib.closing(open_store(paths.brain_db)) as db:
            roots = payload.get("workspace_roots")
            cwd = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""
            if not is_excluded(config, Resolver(paths, config, db, now), cwd):
                store_result(db, Redactor(config.hide, config.keep).redact, payload, now)
    except BrainError as error:
        write_log(paths.log_path, f"a tool's result was not stored: {error.message}")
    except Exception as error:
        write_traceback(paths.log_path, error)


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[bool]:
    """Whether this is the only worker; the system frees the lock of one that was killed."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
            return
        yield True
    finally:
        os.close(descriptor)


def _work(paths: Paths) -> None:
    try:
        _work_on(paths)
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:  # damaged: made anew, which costs each session one repeated block
        publish.discard(paths.ready_db)
        _work_on(paths)


def _work_on(paths: Paths) -> None:
    if not paths.home.is_dir():
        return
    ready = publish.open_ready(paths.ready_db)
    if ready is None:
        return
    with contextlib.closing(ready), contextlib.closing(open_store(paths.brain_db)) as db:
        write_launcher(paths)
        paths.home.joinpath("worker.claim").unlink(missing_ok=True)
        turn = Turn(paths, _settings(paths), db, ready)
        try:
            _turn_until_idle(turn)
            rows.prune(ready, turn.micros() - KEPT_DAYS * 86_400_000_000)
        finally:
            if paths.home.is_dir():
                rows.release_if_idle(ready, "worker", is_final=True)


def _turn_until_idle(turn: "Turn") -> None:
    """Work until nothing is wanted, or until a turn has changed nothing of what is."""
    before: list[rows.WantedRow] | None = None
    while True:
        rows.claim(turn.ready, "worker", turn.micros())
        has_left = turn.run()
        wanted = rows.list_all_wanted(turn.ready)
        if has_left or wanted == before or rows.release_if_idle(turn.ready, "worker", is_final=False):
            return
        before = wanted


def _settings(paths: Paths) -> Config:
    """The person's settings; the defaults where config.toml is malformed, which the next command says."""
    try:
        return read_config(paths.config_path)
    except ConfigMalformed:
        return Config()


@dataclass(slots=True)
class Turn:
    """One round of work; a new one begins when something was wanted meanwhile."""

    paths: Paths
    config: Config
    db: sqlite3.Connection
    ready: sqlite3.Connection
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    def micros(self) -> int:
        return time.time_ns() // 1000

    def run(self) -> bool:
        """Do everything that is wanted now; True where something has to be left for the next hook to ask for."""
        now = self.clock()
        resolver = Resolver(self.paths, self.config, self.db, now, places=Places(self.paths, self.config))
        settings = read_recall_settings(self.config, {})
        refresh = Refresh(self.paths, self.config, self.db, self.ready, resolver, settings, now)
        take_spool(self.paths.spool_path, self.ready, self.micros())
        refresh.rename()
        wanted = [row for what in ("folder", "project", "fleet") for row in rows.list_wanted(self.ready, what)]
        self._find_projects(resolver, refresh, [row for row in wanted if row.what == "folder"])
        for row in wanted:
            project = resolver.catalogue.by_key(row.value) if row.what == "project" else None
            if project is not None:
                refresh.project(project)
        if wanted:
            refresh.fleet()
        rows.drop_wanted(self.ready, wanted)
        is_read = self._read(resolver, now)
        self._write_rules(resolver)
        self._turn_to_brain(refresh)
        return not is_read

    def _turn_to_brain(self, refresh: Refresh) -> None:
        """Last, since it may take long: markers to the brain, then what it tells of the projects that are worked in."""
        try:
            BrainWork(find_brain(self.config, self.environment, for_sessions=True), refresh).turn()
        except (BrainError, sqlite3.Error) as error:
            write_log(self.paths.log_path, f"the brain was not turned to: {error}")

    def _find_projects(self, resolver: Resolver, refresh: Refresh, wanted: list[rows.WantedRow]) -> None:
        """The projects of folders that hooks did not know, and of the sessions that began there."""
        for row in wanted:
            cwd, named, swarm = json.loads(row.value)
            with contextlib.suppress(BrainError):  # a name that means nothing, or two things
                identity = resolver.resolve(cwd or "", environment_of(named, swarm)).identity
                project = resolver.catalogue.by_key(identity.key) if identity else None
                if project is not None:
                    refresh.project(project)
        for session in rows.list_seen(self.ready) if wanted else []:
            if session.project is None:
                key = ""
                with contextlib.suppress(BrainError):
                    environment = environment_of(session.named, session.swarm)
                    identity = resolver.resolve(session.cwd or "", environment).identity
                    key = identity.key if identity else ""
                rows.write_seen_project(self.ready, session, key)

    def _write_rules(self, resolver: Resolver) -> None:
        """Cursor's rule files, in the checkouts it works in."""
        wanted = rows.list_wanted(self.ready, "rule")
        for row in wanted:
            keep_rule(row.value, self.db, self.config, resolver)
        rows.drop_wanted(self.ready, wanted)

    def _read(self, resolver: Resolver, now: datetime) -> bool:
        """Read the transcripts that grew; False while somebody else reads, who will read these too."""
        grown = rows.list_wanted(self.ready, "transcript")
        if not grown:
            return True
        _wait_until_quiet([row.value for row in grown])
        if not self.paths.launcher.exists():  # somebody has taken the home away meanwhile
            return False
        wanted = Wanted(transcripts=tuple((row.agent, row.value) for row in grown))
        try:
            Ingest(self.paths, self.config, self.db, resolver, now, lock_wait_s=0.0).run(wanted)
        except StoreLocked:
            return False
        rows.drop_wanted(self.ready, grown)
        self._make_recaps(resolver, wanted.transcripts or (), now)
        return True

    def _make_recaps(self, resolver: Resolver, transcripts: Iterable[tuple[str, str]], now: datetime) -> None:
        """What the sessions that grew had themselves, for when they are compacted."""
        people = read_people(self.db, self.config)
        for number, sessions in list_written_to(self.db, transcripts).items():
            project = resolver.catalogue.by_id(number)
            if project is not None:
                book = TaskBook(self.paths, self.db, project, people, now)
                make_recaps(book, resolver.catalogue, self.ready, sessions)


def _wait_until_quiet(paths: list[str]) -> None:
    """Wait until these files were left alone for a moment, not for ever."""
    deadline = time.monotonic() + QUIET_AT_MOST_S
    before: list[tuple[int, int] | None] = []
    while True:
        sizes = [_size(path) for path in paths]
        if sizes == before or time.monotonic() >= deadline:
            return
        before = sizes
        time.sleep(QUIET_S)


def _size(path: str) -> tuple[int, int] | None:
    try:
        seen = os.stat(path)  # noqa: PTH116
    except (OSError, ValueError):
        return None
    return seen.st_size, seen.st_mtime_ns
