"""Sessions that run now, and how what several sources say of one session becomes one value.

An adapter (`agents/<agent>/live.py`) or a reader of foreign files hands on `LiveSession`s; `merge_sessions` makes one
of those that mean the same session. A newcomer's mistake: taking "seen lately" for "alive". A source must have a reason
to say that a session lives; its docstring says which.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from .text import encodable


class State(StrEnum):
    """What a session is doing. `ended` is said only where a source knows the end, not where nobody sees it any more."""

    BUSY = "busy"
    IDLE = "idle"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class LiveSession:
    """One session as one or several sources see it. None in any field: no source says.

    session_id: the root session's, as data from outside: of any length, with any characters, never a path.
    agent_id: of a sub-agent or a Codex thread below the root; None for the root itself.
    title: the agent's own, or the one a person gave. transcript: the path of a file that was there.
    pid: of a process that lived when it was looked for. seen_by: the sources, sorted, each once.
    swarm, task, lane, agent_name: the names of a fleet's tool for the work and the worker.
    project_key, scope: what counted when a hook of ours saw it.
    """

    session_id: str
    agent_id: str | None
    agent: str
    cwd: str | None
    title: str | None
    state: State
    seen_by: tuple[str, ...]
    started_at: datetime | None
    last_seen_at: datetime | None
    transcript: str | None
    pid: int | None
    swarm: str | None = None
    task: str | None = None
    lane: str | None = None
    agent_name: str | None = None
    project_key: str | None = None
    scope: str | None = None


SECOND_HAND = frozenset({"agentihooks", "hook"})
"""Sources that were told of a session by a hook and may have missed its end; all others are the agent's own."""
FILLED = ("cwd", "title", "transcript", "pid", "swarm", "task", "lane", "agent_name", "project_key", "scope")
"""Fields that the best source with a value decides."""
FRESH = timedelta(minutes=2)
"""What changed within this time is being worked on. At less, a session that thinks for a minute looks idle."""
LONG_AGO = datetime.min.replace(tzinfo=UTC)


def is_fresh(moment: datetime | None, now: datetime) -> bool:
    """Whether `moment` is so near to `now` that work is going on; also a little ahead of it, as clocks differ."""
    return moment is not None and abs(now - moment) <= FRESH


def latest(*moments: datetime | None) -> datetime | None:
    """The latest of the known moments, None where none is known."""
    return max((moment for moment in moments if moment is not None), default=None)


def text_or_none(value: object) -> str | None:
    """A member of a foreign record as text that can be encoded; None where it is no text or empty."""
    return encodable(value) if isinstance(value, str) and value else None


def merge_sessions(found: Iterable[LiveSession]) -> list[LiveSession]:
    """One value for each (agent, session_id, agent_id), in the order of these; the order of `found` does not matter.

    The state is that of the best source: an agent's own before a second-hand one, then the one that saw the session
    last. A field it lacks comes from the next best. `started_at` is the earliest and `last_seen_at` the latest that any
    source says, because each saw only a part.
    """
    groups: dict[tuple[str, str, bool, str], list[LiveSession]] = {}
    for session in found:
        key = (session.agent, session.session_id, session.agent_id is not None, session.agent_id or "")
        groups.setdefault(key, []).append(session)
    return [_merge_group(groups[key]) for key in sorted(groups)]


def _merge_group(group: list[LiveSession]) -> LiveSession:
    best_first = sorted(group, key=_weight, reverse=True)
    filled: dict[str, Any] = {
        name: next((value for each in best_first if (value := getattr(each, name)) is not None), None)
        for name in FILLED
    }
    return replace(
        best_first[0],
        seen_by=tuple(sorted({source for each in group for source in each.seen_by})),
        started_at=min((each.started_at for each in group if each.started_at is not None), default=None),
        last_seen_at=latest(*(each.last_seen_at for each in group)),
        **filled,
    )


def _weight(session: LiveSession) -> tuple[bool, datetime, str]:
    """How far a source decides. The last part only makes the order total, so that input order cannot show."""
    return not SECOND_HAND.issuperset(session.seen_by), session.last_seen_at or LONG_AGO, repr(session)
