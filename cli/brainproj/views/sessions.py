"""Sessions for people: the live ones by project, and the index."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ..core.ages import render_age
from .tables import MISSING, Column, cell_text, render_table

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

    from ..sessions import SessionInfo

ID_LETTERS = 8


def render_live(sessions: "Sequence[SessionInfo]", now: datetime) -> "Group":
    """The live sessions, a heading for each project; those without one last."""
    from rich.console import Group
    from rich.text import Text

    by_project: dict[str, list[SessionInfo]] = {}
    for session in sorted(sessions, key=lambda session: (session.project_key is None, session.project_key or "")):
        by_project.setdefault(_heading(session), []).append(session)
    parts: list[Table | Text] = []
    for heading, own in by_project.items():
        parts += [Text(heading, style="bold"), _live_table(own, now)]
    return Group(*parts)


def _heading(session: "SessionInfo") -> str:
    if session.project_key is None:
        return "no project"
    return cell_text(f"{session.project_name} ({session.project_key})")


def _live_table(sessions: "Sequence[SessionInfo]", now: datetime) -> "Table":
    columns = (
        Column("AGENT"),
        Column("SESSION", style="cyan"),
        Column("STATE"),
        Column("AGE", right=True),
        Column("SCOPE"),
        Column("BLOCK", right=True),
        Column("WORKTREE"),
        Column("DOING", clips=True),
    )
    return render_table(
        columns,
        (
            (
                session.agent,
                _short(session),
                session.state,
                render_age(session.last_seen_at, now),
                session.scope,
                _block(session, now),
                session.worktree,
                session.title,
            )
            for session in sessions
        ),
    )


def render_index(sessions: "Sequence[SessionInfo]", now: datetime, *, unattributed: bool) -> "Table":
    """All sessions, the latest at the end; the unattributed with the reason in place of the project."""
    columns: tuple[Column, ...] = (
        Column("AGENT"),
        Column("SESSION", style="cyan"),
        Column("LAST", right=True),
        Column("PROMPTS", right=True),
    )
    columns += (Column("WHY NOT", clips=True),) if unattributed else (Column("PROJECT"), Column("TITLE", clips=True))
    return render_table(
        columns,
        (
            (
                session.agent,
                _short(session),
                render_age(session.last_seen_at, now),
                session.prompts,
                *((_why_not(session),) if unattributed else (session.project_name or MISSING, session.title)),
            )
            for session in sessions
        ),
    )


def _why_not(session: "SessionInfo") -> str | None:
    """The reason, then the folder: on a narrow screen the folder is what gives way."""
    return f"{session.why}: {session.cwd}" if session.why and session.cwd else session.why


def _block(session: "SessionInfo", now: datetime) -> str | None:
    """The size and the age of the block that is ready."""
    if session.block_bytes is None:
        return None
    return f"{session.block_bytes / 1000:.1f} KB {render_age(session.block_at, now) or MISSING:>4}"


def _short(session: "SessionInfo") -> str:
    letters = session.session_id[:ID_LETTERS]
    return letters if session.agent_id is None else f"{letters} › {session.agent_id[:ID_LETTERS]}"
