"""Options that mean the same in every command."""

from collections.abc import Collection, Iterable
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from ..core.times import parse_time
from ..errors import UsageProblem
from .complete import agent_names, project_names, scope_names, session_ids

JSON = Annotated[bool, typer.Option("--json", help="One JSON document.")]
PROJECT = Annotated[
    str | None, typer.Option("--project", help="A project by key, name or alias.", autocompletion=project_names)
]
AGENT = Annotated[str | None, typer.Option("--agent", help="claude, codex or cursor.", autocompletion=agent_names)]
SCOPE = Annotated[str | None, typer.Option("--scope", help="strict, rank or off.", autocompletion=scope_names)]
SINCE = Annotated[str | None, typer.Option("--since", help="A time (2026-11-30) or an age (12h, 7d, 3w).")]
SESSION = Annotated[
    str | None, typer.Option("--session", help="A session, by the beginning of its id.", autocompletion=session_ids)
]
YES = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]

AGES = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def parse_since(text: str | None, now: datetime, flag: str = "--since") -> datetime | None:
    """The moment that `--since` (or another flag for a time or an age) means. Raises UsageProblem."""
    if text is None:
        return None
    if text[-1:] in AGES and text[:-1].isdigit() and len(text) < 8:
        return now - timedelta(**{AGES[text[-1]]: int(text[:-1])})
    moment = parse_time(text)
    if moment is None:
        raise UsageProblem(f"{flag} {text} is no time", hint="write 2026-11-30, 2026-11-30T12:00, 12h, 7d or 3w")
    return moment.astimezone(UTC)


def check_agents(*agents: str | None) -> None:
    """Raises UsageProblem for a name that is no agent's; the adapters are imported only where one is named."""
    if any(agent is not None for agent in agents):
        from ..agents.registry import AGENT_NAMES

        check_among(agents, AGENT_NAMES, "agent")


def check_among(asked: Iterable[str | None], known: Collection[str], what: str) -> None:
    """Raises UsageProblem for a word that is none of the known ones; None is not asked."""
    for one in asked:
        if one is not None and one not in known:
            raise UsageProblem(f"there is no {what} {one}", hint=f"one of {', '.join(known)}")
