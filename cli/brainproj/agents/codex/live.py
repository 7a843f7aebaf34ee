"""Codex's threads that run now. The strongest proof there is decides:

1. `codex-lock`: a process holds the lock `thread-writer-locks/<thread id>.lock`. Codex takes it (flock) for as long as
   it has the thread open, so also for an idle one, and the kernel drops it when Codex dies. The file alone proves
   nothing: a killed Codex leaves it for weeks. Where locks can be seen, an unlocked thread does not run.
2. `codex-rollout`: a Codex process has the thread's rollout open for writing.
3. `codex-rollout` too, but only where locks cannot be seen (older versions; macOS): the rollout changed within two
   minutes while a Codex process runs in its folder. A process that hides its folder counts for every folder, and where
   no process can be seen at all the change must do. An idle thread is not found this way.

The state database (`codex-state`) only adds title, folder and rollout. A thread is busy while its rollout changes.

Format: formats/transcripts.md 2.1 and 2.3; that the lock is held for life and outlives a kill as a bare file was
observed by others with 0.147 (public notes). Besides thread locks the folder holds `.coordination.lock` and the like.
"""

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from os.path import realpath
from pathlib import Path
from stat import S_ISREG
from typing import Any
from urllib.parse import quote

from ...core.live import LiveSession, State, is_fresh, latest, text_or_none
from ...core.times import parse_time
from ...processes import Process, list_locked, list_processes
from ..lines import parse_objects

UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
LOCK_NAME = re.compile(rf"({UUID})\.lock")
ROLLOUT_NAME = re.compile(rf"rollout-\d{{4}}-\d\d-\d\dT\d\d-\d\d-\d\d-({UUID})(?:_{UUID})?\.jsonl", re.ASCII)
LOCKS_MAX = 10_000
META_LIMIT = 1 << 20
"""Bytes of the first line; with its base instructions it has 20 KB, and a longer one is not read."""
COLUMNS = ("id", "title", "name", "cwd", "rollout_path", "created_at")
IDS_MAX = 500
"""Threads asked of the state database at once; SQLite's older limit for parameters is 999."""
DAYS_AROUND = (timedelta(days=-1), timedelta(0), timedelta(days=1))
"""Folders carry the local day, ids and clocks are in UTC."""


@dataclass(slots=True)
class _Sighting:
    seen_by: set[str] = field(default_factory=set)
    pid: int | None = None
    lock: Path | None = None
    rollout: Path | None = None


def find_live(codex_home: Path, now: datetime) -> list[LiveSession]:
    """The threads that run now, a root thread as a session, one below it with its own id as `agent_id`."""
    sightings: dict[str, _Sighting] = {}
    locked = _list_held(codex_home)
    for thread_id, (lock, pid) in (locked or {}).items():
        sightings[thread_id] = _Sighting({"codex-lock"}, pid, lock)
    processes = list_processes("codex", ".jsonl")
    for thread_id, rollout, pid in _iter_written(codex_home, processes or []):
        sighting = sightings.setdefault(thread_id, _Sighting(pid=pid))
        sighting.seen_by.add("codex-rollout")
        sighting.rollout = rollout
    if locked is None:
        for thread_id, rollout in _iter_growing(codex_home, processes, now):
            sightings.setdefault(thread_id, _Sighting({"codex-rollout"}, rollout=rollout))
    rows = _read_state(codex_home, list(sightings))
    return [_session(codex_home, thread_id, seen, rows.get(thread_id), now) for thread_id, seen in sightings.items()]


def keeps_register(codex_home: Path) -> bool:
    """Whether this Codex locks its threads and the locks can be seen, so that a thread without one does not run."""
    return _list_held(codex_home) is not None


def find_rollout(codex_home: Path, thread_id: str) -> Path | None:
    """The plain rollout of a thread, from the day that its id (UUID v7) names; the newest if it has several."""
    found = [path for id_, path in _iter_rollouts(codex_home, _began_at(thread_id)) if id_ == thread_id]
    return max(found, default=None, key=lambda path: path.name)


def _began_at(thread_id: str) -> datetime | None:
    """When a thread began, which the first 48 bits of a UUID v7 tell in milliseconds."""
    if not re.fullmatch(UUID, thread_id) or thread_id[14] != "7":
        return None
    return parse_time(int(thread_id[:8] + thread_id[9:13], 16))


def _session(
    codex_home: Path, thread_id: str, seen: _Sighting, row: dict[str, Any] | None, now: datetime
) -> LiveSession:
    stated = row or {}
    rollout = (
        seen.rollout
        or _own_rollout(codex_home, thread_id, stated.get("rollout_path"))
        or find_rollout(codex_home, thread_id)
    )
    meta = _read_meta(rollout) if rollout else {}
    changed_at = _changed_at(rollout)
    root_id = _root_id(meta) or thread_id
    return LiveSession(
        session_id=root_id,
        agent_id=None if root_id == thread_id else thread_id,
        agent="codex",
        cwd=text_or_none(meta.get("cwd")) or text_or_none(stated.get("cwd")),
        title=text_or_none(stated.get("name")) or text_or_none(stated.get("title")),
        state=State.BUSY if is_fresh(changed_at, now) else State.IDLE,
        seen_by=tuple(sorted(seen.seen_by | ({"codex-state"} if row else set()))),
        started_at=parse_time(meta.get("timestamp")) or parse_time(stated.get("created_at")),
        last_seen_at=latest(changed_at, _changed_at(seen.lock)),
        transcript=str(rollout) if rollout else None,
        pid=seen.pid,
    )


def _list_held(codex_home: Path) -> dict[str, tuple[Path, int | None]] | None:
    """The locks that a process holds, by thread; None where there is no folder of locks or nothing tells who holds."""
    folder = codex_home / "thread-writer-locks"
    try:
        files = {path: name[1] for path in folder.iterdir() if (name := LOCK_NAME.fullmatch(path.name))}
    except OSError:
        return None
    locked = list_locked(islice(files, LOCKS_MAX), "codex")
    return None if locked is None else {files[path]: (path, pid) for path, pid in locked.items()}


def _iter_written(codex_home: Path, processes: list[Process]) -> Iterator[tuple[str, Path, int]]:
    for process in processes:
        for target in process.written:
            rollout = _own_rollout(codex_home, None, target)
            if rollout and (name := ROLLOUT_NAME.fullmatch(rollout.name)):
                yield name[1], rollout, process.pid


def _iter_growing(codex_home: Path, processes: list[Process] | None, now: datetime) -> Iterator[tuple[str, Path]]:
    folders = None if processes is None else {process.cwd and realpath(process.cwd) for process in processes}
    days = {now.date(): now}
    try:
        names = [LOCK_NAME.fullmatch(path.name) for path in (codex_home / "thread-writer-locks").iterdir()]
    except OSError:
        names = []
    # a thread begun long ago and resumed grows in the folder of its first day, which its lock's name tells
    for began_at in (_began_at(name[1]) for name in islice(filter(None, names), LOCKS_MAX)):
        if began_at:
            days[began_at.date()] = began_at
    candidates = {thread_id: path for day in days.values() for thread_id, path in _iter_rollouts(codex_home, day)}
    for thread_id, rollout in candidates.items():
        if is_fresh(_changed_at(rollout), now) and (
            folders is None or None in folders or _real_cwd(rollout) in folders
        ):
            yield thread_id, rollout


def _iter_rollouts(codex_home: Path, moment: datetime | None) -> Iterator[tuple[str, Path]]:
    """The rollouts of the days around a moment, by thread, oldest first."""
    if moment is None or not date.min < moment.astimezone(UTC).date() < date.max:
        return
    for days in DAYS_AROUND:
        try:
            paths = sorted((codex_home / "sessions" / f"{moment + days:%Y/%m/%d}").iterdir())
        except OSError:
            continue
        for path in paths:
            if name := ROLLOUT_NAME.fullmatch(path.name):
                yield name[1], path


def _own_rollout(codex_home: Path, thread_id: str | None, stated: object) -> Path | None:
    """A path that a database or a process names, if it is a rollout (of that thread) in this Codex home."""
    if not isinstance(stated, str):
        return None
    path = Path(stated)
    name = ROLLOUT_NAME.fullmatch(path.name)
    homes = (codex_home, realpath(codex_home))
    if not name or ".." in path.parts or not any(path.is_relative_to(home) for home in homes):
        return None
    return path if thread_id in (None, name[1]) and _changed_at(path) else None


def _changed_at(path: Path | None) -> datetime | None:
    """When a plain file changed last; None where there is none."""
    try:
        stat = path.stat() if path else None
    except (OSError, ValueError):
        return None
    return parse_time(stat.st_mtime) if stat and S_ISREG(stat.st_mode) else None


def _read_meta(rollout: Path) -> dict[str, Any]:
    """What the first line of a rollout says of its thread."""
    if _changed_at(rollout) is None:
        return {}
    try:
        with rollout.open("rb") as file:
            objects = parse_objects(file.readline(META_LIMIT))
    except OSError:
        return {}
    meta = objects[0].get("payload") if objects and objects[0].get("type") == "session_meta" else None
    return meta if isinstance(meta, dict) else {}


def _real_cwd(rollout: Path) -> str | None:
    cwd = text_or_none(_read_meta(rollout).get("cwd"))
    return realpath(cwd) if cwd and "\0" not in cwd else None


def _root_id(meta: dict[str, Any]) -> str | None:
    """The root thread's id; before `session_id` was written (0.118), the parent's is the nearest there is."""
    source: Any = meta.get("source")
    for name in ("subagent", "thread_spawn", "parent_thread_id"):
        source = source.get(name) if isinstance(source, dict) else None
    return text_or_none(meta.get("session_id")) or text_or_none(meta.get("parent_thread_id")) or text_or_none(source)


def _read_state(codex_home: Path, thread_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What the newest state database says of these threads; nothing where it is missing, damaged or another's."""
    database = _find_state(codex_home)
    if database is None or not thread_ids:
        return {}
    wanted = thread_ids[:IDS_MAX]
    # without a journal nobody writes; opened otherwise, SQLite would make the journal's files in Codex's home
    mode = "mode=ro" if Path(f"{database}-wal").exists() else "immutable=1"
    try:
        with closing(sqlite3.connect(f"file:{quote(bytes(database))}?{mode}", uri=True, timeout=0.1)) as connection:
            connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
            present = {row[1] for row in connection.execute("PRAGMA table_info(threads)")}
            columns = [name for name in COLUMNS if name in present]
            if "id" not in columns:
                return {}
            query = f"SELECT {', '.join(columns)} FROM threads WHERE id IN ({', '.join('?' * len(wanted))})"  # noqa: S608
            rows = [dict(zip(columns, row, strict=True)) for row in connection.execute(query, wanted)]
    except sqlite3.Error:
        return {}
    return {str(row["id"]): row for row in rows}


def _find_state(codex_home: Path) -> Path | None:
    try:
        names = [re.fullmatch(r"state_([0-9]{1,9})\.sqlite", path.name) for path in codex_home.iterdir()]
    except OSError:
        return None
    newest = max(filter(None, names), default=None, key=lambda name: int(name[1]))
    path = codex_home / newest[0] if newest else None
    return path if _changed_at(path) else None
