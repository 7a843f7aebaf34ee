"""Which sessions run now: what the agents' own registers say, completed by our hooks and by agentihooks' registry.

The agents know best. A session that only the registry knows, and only by its time, is believed where the agent keeps no
register of its own: where it keeps one, it would list the session.
"""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Protocol

from .agents.claude import live as claude
from .agents.codex import live as codex
from .agents.cursor import live as cursor
from .core.live import LONG_AGO, LiveSession, State, merge_sessions
from .foreign import agentihooks
from .hooked import find_hooked
from .paths import Paths


class LiveAdapter(Protocol):
    """How one agent's live sessions are found: the module `agents/<agent>/live.py`."""

    def find_live(self, agent_home: Path, now: datetime, /) -> list[LiveSession]:
        """The sessions that run. Never raises for what a file may hold."""

    def keeps_register(self, agent_home: Path, /) -> bool:
        """Whether a session that `find_live` does not list does not run."""


def find_live_sessions(paths: Paths, now: datetime) -> list[LiveSession]:
    """The sessions that run, and those that agentihooks saw end lately; by agent, the one seen last at the end.

    Only reads, takes no lock, and raises for nothing that a file may hold.
    """
    adapters: tuple[tuple[str, LiveAdapter, Path], ...] = (
        ("claude", claude, paths.claude_home),
        ("codex", codex, paths.codex_home),
        ("cursor", cursor, paths.cursor_home),
    )
    own = [session for _, adapter, home in adapters for session in adapter.find_live(home, now)]
    registers = {agent for agent, adapter, home in adapters if adapter.keeps_register(home)}
    told = find_hooked(paths, now)
    told += [
        _with_agent(session, own, paths)
        for session in agentihooks.find_live(paths.broadcast_path, paths.agentihooks_home, now)
    ]
    merged = merge_sessions([*own, *(session for session in told if _is_believed(session, own, registers))])
    return sorted(merged, key=_order)


def _with_agent(session: LiveSession, own: Collection[LiveSession], paths: Paths) -> LiveSession:
    """The session under the agent that has it: agentihooks serves several, and its rows seldom tell which."""
    for each in own:
        if each.session_id == session.session_id and each.agent_id is None:
            return replace(session, agent=each.agent)
    return replace(session, agent="codex") if codex.find_rollout(paths.codex_home, session.session_id) else session


def _is_believed(session: LiveSession, own: Collection[LiveSession], registers: Collection[str]) -> bool:
    if session.state is State.ENDED or session.agent not in registers:
        return True
    if any((each.agent, each.session_id) == (session.agent, session.session_id) for each in own):
        return True
    # a living process that the register does not know runs under another home; one it knows has gone on to another
    return session.pid is not None and all(each.pid != session.pid for each in own)


def _order(session: LiveSession) -> tuple[str, datetime, str, str]:
    return session.agent, session.last_seen_at or LONG_AGO, session.session_id, session.agent_id or ""
