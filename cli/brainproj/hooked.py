"""Sessions as hooks saw them, for the list of those that run.

A hook tells when a session started, what it last did and, where the agent says so, that it ended. Which of them still
runs is told by the process that the hook was started by: it lives, and began when it did then.
"""

import sqlite3
from datetime import datetime, timedelta

from .core.live import LiveSession, State, is_fresh
from .core.times import from_micros
from .paths import Paths
from .processes import list_starts
from .store import ready
from .store.seen import SeenSession, list_seen

RESTING = frozenset({"start", "resume", "clear", "stop", "subagent_stop"})
"""Moments after which an agent waits for somebody."""
LISTED = timedelta(days=1)
"""An ended session is told of for so long, as agentihooks does."""


def find_hooked(paths: Paths, now: datetime) -> list[LiveSession]:
    """The sessions that run by what hooks saw, and those that ended lately; none where there is no ready.db."""
    try:
        db = ready.connect(str(paths.ready_db))
    except (ready.ReadyUnusable, sqlite3.Error):
        return []
    try:
        rows = list_seen(db)
    except sqlite3.Error:
        return []
    finally:
        db.close()
    starts = list_starts([row.pid for row in rows if row.ended_at is None and row.pid is not None])
    return [session for row in rows if (session := _session(row, starts, now)) is not None]


def _session(row: SeenSession, starts: dict[int, str | None], now: datetime) -> LiveSession | None:
    last = from_micros(row.last_at)
    if row.ended_at is not None:
        if last is None or now - last > LISTED:
            return None
        state = State.ENDED
    elif row.pid is not None and starts.get(row.pid) == row.pid_start:
        state = State.BUSY if row.moment not in RESTING and is_fresh(last, now) else State.IDLE
    elif row.pid is None and is_fresh(last, now):
        state = State.BUSY if row.moment not in RESTING else State.IDLE
    else:
        return None
    return LiveSession(
        session_id=row.session_id,
        agent_id=row.agent_id or None,
        agent=row.agent,
        cwd=row.cwd,
        title=None,
        state=state,
        seen_by=("hook",),
        started_at=from_micros(row.started_at),
        last_seen_at=last,
        transcript=row.transcript,
        pid=row.pid if state is not State.ENDED else None,
        swarm=row.swarm,
        task=row.task,
        lane=row.lane,
        agent_name=row.agent_name,
        project_key=row.project or None,
        scope=row.scope,
    )
