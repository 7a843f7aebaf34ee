"""Claude Code's sessions that run now, from the register it keeps: `sessions/<pid>.json`, one file a process.

A session lives when the process of that number does and began when the record says (`procStart`); the record itself
may outlive its process. Where the system cannot tell starts at all, a living number must do. `busy` and `shell` (the
turn is over, a shell it started still runs) are busy, `idle` and `waiting` (for the person) are idle. SDK sessions have
no status: they are busy while record or transcript changes. A record is not touched during a turn, so the transcript's
time counts as a sign of life too. `pid-<n>.json` are left-overs of older versions; `*.key` files are never opened.

Format: formats/transcripts.md 1.11, versions 2.1.139 to 2.1.284; on macOS `procStart` is what `LC_ALL=C TZ=UTC ps -o
lstart=` prints (realiti4/claude-swap#299).
"""

import re
from collections.abc import Collection, Iterator
from datetime import datetime
from pathlib import Path
from stat import S_ISREG
from typing import Any

from ...core.live import LiveSession, State, is_fresh, latest, text_or_none
from ...core.times import parse_time
from ...processes import is_start, list_starts
from ..lines import parse_objects

RECORD_NAME = re.compile(r"([1-9][0-9]{0,9})\.json", re.ASCII)
RECORD_LIMIT = 4 << 20
"""Bytes; a record has under a thousand. A file over this is cut, and then no JSON."""
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
STATES = {"busy": State.BUSY, "shell": State.BUSY, "idle": State.IDLE, "waiting": State.IDLE}


def find_live(claude_home: Path, now: datetime) -> list[LiveSession]:
    """The sessions whose process lives, one for each process; a session open in two terminals comes twice."""
    records = dict(_iter_records(claude_home))
    starts = list_starts(records)
    alive = {
        pid: record
        for pid, record in records.items()
        if pid in starts
        and is_start(record.get("procStart"), starts[pid]) is not False
        and text_or_none(record.get("sessionId"))
    }
    transcripts = find_transcripts(claude_home, {str(record["sessionId"]) for record in alive.values()})
    return [_session(pid, record, transcripts.get(record["sessionId"]), now) for pid, record in alive.items()]


def keeps_register(claude_home: Path) -> bool:
    """Whether this Claude Code writes down its processes, so that a session it does not list does not run."""
    return any(True for _ in _iter_record_files(claude_home))


def find_transcripts(claude_home: Path, session_ids: Collection[str]) -> dict[str, tuple[Path, datetime | None]]:
    """The transcripts of these sessions with the time of their last change; ids that are no UUID have none.

    All project folders are looked at, because a session's transcript moves with `/cd` and the encoding of a folder's
    name is lossy. Of several the one changed last counts.
    """
    wanted = [session_id for session_id in session_ids if UUID.fullmatch(session_id)]
    newest: dict[str, tuple[float, Path]] = {}
    if wanted:
        for folder in _list_folder(claude_home / "projects"):
            for session_id in wanted:
                path = folder / f"{session_id}.jsonl"
                try:
                    changed_at = path.stat().st_mtime
                except OSError:
                    continue
                if session_id not in newest or newest[session_id][0] < changed_at:
                    newest[session_id] = changed_at, path
    return {session_id: (path, parse_time(changed_at)) for session_id, (changed_at, path) in newest.items()}


def _session(
    pid: int, record: dict[str, Any], transcript: tuple[Path, datetime | None] | None, now: datetime
) -> LiveSession:
    path, changed_at = transcript or (None, None)
    last_seen_at = latest(parse_time(record.get("updatedAt")), parse_time(record.get("statusUpdatedAt")), changed_at)
    status = record.get("status")
    unsaid = State.BUSY if is_fresh(last_seen_at, now) else State.IDLE
    return LiveSession(
        session_id=text_or_none(record["sessionId"]) or "",
        agent_id=None,
        agent="claude",
        cwd=text_or_none(record.get("cwd")),
        # a derived name is only the folder's with a number
        title=None if record.get("nameSource") == "derived" else text_or_none(record.get("name")),
        state=STATES.get(status, unsaid) if isinstance(status, str) else unsaid,
        seen_by=("claude",),
        started_at=parse_time(record.get("startedAt")),
        last_seen_at=last_seen_at,
        transcript=str(path) if path else None,
        pid=pid,
    )


def _iter_records(claude_home: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for pid, path in _iter_record_files(claude_home):
        try:
            with path.open("rb") as file:
                objects = parse_objects(file.read(RECORD_LIMIT))
        except OSError:
            continue
        # a record of another number is a copy
        if len(objects) == 1 and objects[0].get("pid", pid) == pid:
            yield pid, objects[0]


def _iter_record_files(claude_home: Path) -> Iterator[tuple[int, Path]]:
    for path in _list_folder(claude_home / "sessions"):
        name = RECORD_NAME.fullmatch(path.name)
        if name and _is_plain_file(path):
            yield int(name[1]), path


def _is_plain_file(path: Path) -> bool:
    """Neither a link, which may lead to a key, nor a pipe, which may never end."""
    try:
        return S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _list_folder(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []
