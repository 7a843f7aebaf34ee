"""Projects and resolutions for people."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..core.project import Resolution
from ..core.text import one_line
from .tables import Column, render_table

if TYPE_CHECKING:
    from rich.table import Table

    from ..projectlist import ProjectSummary


def render_resolution(resolution: Resolution, home: str) -> str:
    """The project of a folder and the reason, a few lines of plain text."""
    cwd = short_path(one_line(resolution.cwd), home) or "(no folder)"
    if resolution.identity is None:
        return f"{cwd} has no project: {one_line(resolution.why)}."
    identity = resolution.identity
    facts = (
        ("rule", f"{identity.rule}: {identity.why}"),
        ("key", identity.key),
        ("checkout", short_path(identity.root, home) if identity.root else None),
        ("worktree", identity.worktree),
        ("branch", identity.branch),
    )
    lines = [f"{cwd} belongs to {one_line(identity.name)}"]
    lines += [f"  {name:<9} {one_line(value)}" for name, value in facts if value]
    return "\n".join(lines)


def render_projects(projects: "Sequence[ProjectSummary]", home: str) -> "Table":
    """The known projects, the one used last at the end."""
    columns = (
        Column("PROJECT", style="cyan"),
        Column("SESSIONS", right=True),
        Column("EVENTS", right=True),
        Column("RECORDS", right=True),
        Column("LAST ACTIVE"),
        Column("KEY", clips=True),
    )
    return render_table(
        columns,
        (
            (
                project.name,
                project.sessions,
                project.events,
                project.records,
                project.last_active_at.date().isoformat() if project.last_active_at else None,
                project.key,
            )
            for project in projects
        ),
    )


def short_path(path: str, home: str) -> str:
    """A path with the home folder as `~`."""
    return "~" + path[len(home) :] if home and (path == home or path.startswith(home + "/")) else path
