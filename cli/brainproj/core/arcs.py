"""Arcs: the threads of work of one project, made from its sessions alone, without a model.

`group_arcs` is handed the sessions of one project, whichever agents they ran in, and the moment that counts as now; it
hands on arcs with title, status and heat. Rules and numbers are the kernel's as far as they need no model
(formats/kernel.md 6 and 7, `cluster.py` and the keeper). A newcomer's mistake: taking an arc for something stored.
It is derived: status and heat differ from hour to hour, only its id stays. The kernel counts from the day it read the
transcripts; we count from the sessions' own times, so that a backfill does not make old work hot.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from .ids import make_event_id
from .times import to_micros

GAP = timedelta(minutes=120)
"""A longer pause begins a new arc (kernel: grouping). Half of it would cut at lunch, the double joins two evenings."""
ACTIVE_FOR = timedelta(hours=6)
"""Active: last active less than this ago (kernel: status at extraction)."""
STALLED_AFTER = timedelta(hours=48)
"""Stalled: nothing for longer than this (kernel: status at extraction)."""
GRADUATED_AFTER = timedelta(days=14)
"""Graduated: nothing for longer than this, and cold (kernel: BRAIN_GRADUATE_AGE_DAYS)."""
GRADUATED_HEAT = 1
"""Cold is this heat at most (kernel: BRAIN_GRADUATE_HEAT)."""

HEAT_MOST = 10
"""The end of the scale (kernel: heat); the highest sum of the points below is 12."""
FRESH_POINTS = ((timedelta(hours=24), 3), (timedelta(hours=72), 1))
"""Points for an arc that started so short a time ago, the first row that holds (kernel: heat)."""
ACTIVE_POINTS = 2
"""Points of an active arc (kernel: heat)."""
SESSION_POINTS_MOST = 3
"""A point for each session, so many at most (kernel: heat)."""
TOOL_CALLS_A_POINT = 500
"""The kernel's tools/1000 x 2; rounded down, so that heat is a whole number."""
TOOL_POINTS_MOST = 4
"""The most that tool calls add (kernel: heat)."""
COOLING_AFTER = timedelta(days=7)
"""Idle time that costs nothing (kernel: BRAIN_DECAY_START_DAYS)."""
COOLING_STEP = timedelta(days=4)
"""Each of these after COOLING_AFTER, when it is over, takes a point (kernel: BRAIN_DECAY_INTERVAL_DAYS)."""


class ArcStatus(StrEnum):
    """Where a thread of work stands. The kernel's others (resolved, merged, abandoned) are set by hand there."""

    ACTIVE = "active"
    COMPLETE = "complete"
    STALLED = "stalled"
    GRADUATED = "graduated"


@dataclass(frozen=True, slots=True)
class SessionSpan:
    """A session as far as it makes an arc. `agent` and `session_id` together are unique.

    started_at, last_at: None where the transcript has no time. title: the agent's own, else the first thing a person
    typed, cleaned (`core/titles.py`); None where nobody typed anything. compacted: its context was compacted.
    """

    session_id: str
    agent: str
    started_at: datetime | None
    last_at: datetime | None
    title: str | None
    tool_calls: int
    tool_failures: int
    prompts: int
    compacted: bool
    branch: str | None


@dataclass(frozen=True, slots=True)
class Arc:
    """A thread of work: neighbouring sessions, oldest first.

    arc_id: 12 lower-case base32 letters made from its first session. title: of its newest session that has one.
    heat: 0 to 10. started_at, last_active_at: None where its one session has no time.
    """

    arc_id: str
    title: str | None
    status: ArcStatus
    heat: int
    started_at: datetime | None
    last_active_at: datetime | None
    session_ids: tuple[str, ...]
    tool_calls: int


def group_arcs(sessions: Iterable[SessionSpan], now: datetime) -> list[Arc]:
    """The arcs of one project's `sessions`, which may come in any order: hottest first, then last active, then id.

    A gap of more than GAP, or a compaction in the session before, begins a new arc. A session without any time is an
    arc of its own, cold and last.
    """
    timed: list[tuple[datetime, datetime, SessionSpan]] = []
    arcs: list[Arc] = []
    for session in sessions:
        start = session.started_at or session.last_at
        if start is None:
            arcs.append(_make_timeless_arc(session))
        else:
            timed.append((start, max(start, session.last_at or start), session))
    timed.sort(key=lambda span: (span[0], span[2].session_id, span[2].agent))
    group: list[SessionSpan] = []
    first = last = now
    for start, end, session in timed:
        if group and (start - last > GAP or group[-1].compacted):
            arcs.append(_make_arc(group, first, last, now))
            group = []
        first, last = (first, max(last, end)) if group else (start, end)
        group.append(session)
    if group:
        arcs.append(_make_arc(group, first, last, now))
    return sorted(arcs, key=_rank)


def focus_of(arcs: Sequence[Arc]) -> Arc | None:
    """What the project is about now: the first of `arcs`, which are in the order of `group_arcs`; None without any."""
    return arcs[0] if arcs else None


def _make_arc(group: Sequence[SessionSpan], started_at: datetime, last_at: datetime, now: datetime) -> Arc:
    age = max(now - started_at, timedelta())  # a clock that was ahead: what lies in the future is now
    idle = max(now - last_at, timedelta())
    tool_calls = sum(session.tool_calls for session in group)
    heat = _rate(age, idle, sessions=len(group), tool_calls=tool_calls)
    return Arc(
        arc_id=make_event_id("arc", group[0].agent, group[0].session_id),
        title=next((session.title for session in reversed(group) if session.title), None),
        status=_judge(idle, heat),
        heat=heat,
        started_at=started_at,
        last_active_at=last_at,
        session_ids=tuple(session.session_id for session in group),
        tool_calls=tool_calls,
    )


def _make_timeless_arc(session: SessionSpan) -> Arc:
    """As cold and as old as can be: nothing says that anyone works on it."""
    return Arc(
        arc_id=make_event_id("arc", session.agent, session.session_id),
        title=session.title,
        status=ArcStatus.GRADUATED,
        heat=0,
        started_at=None,
        last_active_at=None,
        session_ids=(session.session_id,),
        tool_calls=session.tool_calls,
    )


def _rate(age: timedelta, idle: timedelta, *, sessions: int, tool_calls: int) -> int:
    """The heat: whole points added and taken, each rounded down, then kept between 0 and HEAT_MOST."""
    heat = next((points for limit, points in FRESH_POINTS if age <= limit), 0)
    heat += min(tool_calls // TOOL_CALLS_A_POINT, TOOL_POINTS_MOST)
    heat += min(sessions, SESSION_POINTS_MOST)
    heat += ACTIVE_POINTS if idle < ACTIVE_FOR else 0
    heat -= max(idle - COOLING_AFTER, timedelta()) // COOLING_STEP
    return min(max(heat, 0), HEAT_MOST)


def _judge(idle: timedelta, heat: int) -> ArcStatus:
    if idle < ACTIVE_FOR:
        return ArcStatus.ACTIVE
    if heat <= GRADUATED_HEAT and idle > GRADUATED_AFTER:
        return ArcStatus.GRADUATED
    return ArcStatus.STALLED if idle > STALLED_AFTER else ArcStatus.COMPLETE


def _rank(arc: Arc) -> tuple[int, bool, int, str]:
    last_active = to_micros(arc.last_active_at)
    return -arc.heat, last_active is None, -(last_active or 0), arc.arc_id
