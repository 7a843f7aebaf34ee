"""What agentihooks knows of sessions, read only: its registry of live ones and, of later versions, its index of all.

Both generations keep `active-sessions.json` beside broadcast.json: an object keyed by session id. Its `status` is not
to be trusted: parents become `superseded` by their sub-agents, and in 1.x the pid is that of a hook's dead shell, so
that the living look `dead`. What a row is taken for: `judge_entries`. A file that is missing, damaged, too large or of
another shape is empty, as it is for agentihooks itself; so is a row, and a field. No lock is taken, nothing is written.

Format: formats/agentihooks.md 1.1, 1.4, 9 and Appendix B.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from stat import S_ISREG
from typing import Any

from ..core.live import LiveSession, State, text_or_none
from ..core.times import parse_time
from ..processes import is_pid, list_starts, parse_start

FILE_LIMIT = 4 << 20
"""Bytes; a registry of a thousand sessions has a tenth of it."""
KEPT = timedelta(hours=24)
"""How long agentihooks keeps a row after it was seen last; an older one is waiting to be swept away."""
STARTED_LATE = timedelta(minutes=1)
"""A process that began this much after its session was seen last has inherited the number; clocks are set by less."""
AGENTS = frozenset({"claude", "codex", "copilot"})
SUB_AGENT_ID = re.compile(r"(agent-)?a?[0-9a-f]{7,17}", re.ASCII)


@dataclass(frozen=True, slots=True)
class RegistryEntry:
    """One row of the registry. None in any field: not there, or not of its type.

    agent: where the row names one. has_own_pid: the pid is the agent's own (2.15 and later), not a hook's shell.
    agent_name: the name a fleet gave to the worker. summary: a line of the agent pool (1.x).
    """

    session_id: str
    agent: str | None
    status: str | None
    pid: int | None
    has_own_pid: bool
    cwd: str | None
    summary: str | None
    started_at: datetime | None
    last_seen_at: datetime | None
    swarm: str | None
    task: str | None
    lane: str | None
    agent_name: str | None


@dataclass(frozen=True, slots=True)
class SessionRow:
    """The last row of one session in `brain/project-sessions.jsonl`: the project agentihooks resolved it to."""

    session_id: str
    project: str | None
    repo: str | None
    worktree: str | None
    cwd: str | None
    remote: str | None
    project_id: str | None
    started_at: datetime | None


def find_live(broadcast_path: Path, agentihooks_home: Path, now: datetime) -> list[LiveSession]:
    """The sessions that the registry gives reason to take for live or ended, as `judge_entries` has it."""
    rows = read_session_rows(agentihooks_home)
    return judge_entries(read_registry(broadcast_path), rows, now)


def read_registry(broadcast_path: Path) -> list[RegistryEntry]:
    """The rows of the registry; it lies beside broadcast.json, wherever the agentihooks home is."""
    try:
        rows = json.loads(_read_end(broadcast_path.parent / "active-sessions.json", whole=True))
    except (ValueError, RecursionError):
        return []
    if not isinstance(rows, dict):
        return []
    return [_parse_entry(key, row) for key, row in rows.items() if text_or_none(key) and isinstance(row, dict)]


def read_session_rows(agentihooks_home: Path) -> dict[str, SessionRow]:
    """The rows by session id, the last one of each. The file grows for ever: of more than 4 MB the end is read."""
    rows: dict[str, SessionRow] = {}
    for line in _read_end(agentihooks_home / "brain" / "project-sessions.jsonl", whole=False).splitlines():
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        session_id = text_or_none(row.get("session_id")) if isinstance(row, dict) else None
        if session_id:
            rows[session_id] = _parse_row(session_id, row)
    return rows


def judge_entries(entries: Iterable[RegistryEntry], rows: dict[str, SessionRow], now: datetime) -> list[LiveSession]:
    """The sessions among `entries` that run, each idle (the registry does not know more), and those that ended.

    `closed` is an end. `alive` with a living process that began before the session was seen last is live. Any other
    `alive` or `superseded` is live for 24 hours after it was seen last, because a hook's shell that died proves
    nothing; its `pid` is None, and a better source may rule it out. Dead is the session whose pid is the agent's own
    and gone. Left out: `dead`, which 1.x says of the living too; sub-agents, whose end nobody writes down.
    """
    known = [entry for entry in entries if not SUB_AGENT_ID.fullmatch(entry.session_id)]
    starts = list_starts(entry.pid for entry in known)
    judged: list[LiveSession] = []
    for entry in known:
        pid = entry.pid if entry.pid in starts and not _is_reused(entry, starts[entry.pid]) else None
        is_recent = entry.last_seen_at is not None and abs(now - entry.last_seen_at) <= KEPT
        is_gone = entry.has_own_pid and entry.pid is not None and pid is None
        if entry.status == "closed":
            judged.append(_session(entry, rows.get(entry.session_id), State.ENDED, None))
        elif entry.status == "alive" and pid is not None:
            judged.append(_session(entry, rows.get(entry.session_id), State.IDLE, pid))
        elif entry.status in ("alive", "superseded") and is_recent and not is_gone:
            judged.append(_session(entry, rows.get(entry.session_id), State.IDLE, None))
    return judged


def _is_reused(entry: RegistryEntry, start: str | None) -> bool:
    began_at = parse_start(start)
    return began_at is not None and entry.last_seen_at is not None and began_at - entry.last_seen_at > STARTED_LATE


def _session(entry: RegistryEntry, row: SessionRow | None, state: State, pid: int | None) -> LiveSession:
    return LiveSession(
        session_id=entry.session_id,
        agent_id=None,
        agent=entry.agent or "claude",
        cwd=entry.cwd or (row.cwd if row else None),
        title=entry.summary,
        state=state,
        seen_by=("agentihooks",),
        started_at=entry.started_at or (row.started_at if row else None),
        last_seen_at=entry.last_seen_at,
        transcript=None,
        pid=pid,
        swarm=entry.swarm,
        task=entry.task,
        lane=entry.lane,
        agent_name=entry.agent_name,
    )


def _parse_entry(session_id: str, row: dict[str, Any]) -> RegistryEntry:
    agents = [name for name in (row.get("agent"), row.get("target")) if isinstance(name, str) and name in AGENTS]
    pid = row.get("pid")
    started_at = parse_time(row.get("started_at"))
    return RegistryEntry(
        session_id=text_or_none(session_id) or "",
        agent=agents[0] if agents else None,
        status=text_or_none(row.get("status")),
        pid=pid if is_pid(pid) else None,
        has_own_pid="account" in row,
        cwd=text_or_none(row.get("cwd")),
        summary=text_or_none(row.get("summary")),
        started_at=started_at,
        last_seen_at=parse_time(row.get("last_seen")) or started_at,
        swarm=text_or_none(row.get("swarm")),
        task=text_or_none(row.get("task")),
        lane=text_or_none(row.get("lane")),
        agent_name=text_or_none(row.get("name")),
    )


def _parse_row(session_id: str, row: dict[str, Any]) -> SessionRow:
    return SessionRow(
        session_id=session_id,
        project=text_or_none(row.get("project")),
        repo=text_or_none(row.get("repo")),
        worktree=text_or_none(row.get("worktree")),
        cwd=text_or_none(row.get("cwd")),
        remote=text_or_none(row.get("remote")),
        project_id=text_or_none(row.get("project_id")),
        started_at=parse_time(row.get("started_at")),
    )


def _read_end(path: Path, *, whole: bool) -> bytes:
    """The last 4 MB of a file from the start of a line; nothing of a larger one if `whole` is wanted."""
    try:
        stat = path.stat()
        if not S_ISREG(stat.st_mode):
            return b""
        with path.open("rb") as file:
            skipped = max(stat.st_size - FILE_LIMIT, 0)
            file.seek(skipped)
            end = file.read(FILE_LIMIT)
    except OSError:
        return b""
    if not skipped:
        return end
    return b"" if whole else end.partition(b"\n")[2]


def publishes_feed(broadcast_path: Path) -> bool:
    """Whether agentihooks holds a brain's feed, which it gives to every session (formats/agentihooks.md 2.3)."""
    try:
        if broadcast_path.stat().st_size > BROADCAST_LIMIT:
            return False
        messages = json.loads(broadcast_path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(messages, list) and any(
        isinstance(message, dict) and message.get("source") == "brain-adapter" for message in messages
    )


BROADCAST_LIMIT = 16 << 20
