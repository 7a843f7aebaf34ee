"""Tasks for people: the list, and one with its sessions."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ..core.ages import render_age
from ..core.text import one_line
from ..core.times import from_micros
from .tables import Column, cell_text, render_table

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

    from ..tasks import TaskFacts

ID_LETTERS = 8


def render_tasks(tasks: "Sequence[TaskFacts]", now: datetime) -> "Table":
    """The tasks, the one worked on last at the end."""
    columns = (
        Column("LAST", right=True),
        Column("STATUS"),
        Column("SESSIONS", right=True),
        Column("TASK", style="cyan"),
        Column("TITLE", clips=True),
    )
    return render_table(
        columns,
        (
            (
                render_age(one.last_active_at, now),
                one.task.status.value,
                len(one.sessions),
                one.task.citation,
                one.task.title,
            )
            for one in reversed(tasks)
        ),
    )


def render_task(facts: "TaskFacts", now: datetime) -> "Group":
    """A task: what it is, and whose sessions belong to it, the latest last."""
    from rich.console import Group
    from rich.text import Text

    task = facts.task
    opened = from_micros(task.opened_at)
    who = "an agent" if task.by_agent else facts.person.label if facts.person else "nobody named"
    said = [f"{task.status.value}, opened {opened:%Y-%m-%d} by {one_line(who)}" if opened else task.status.value]
    said += [f"branch {one_line(task.branch)}"] if task.branch else []
    said += [f"{one_line(task.swarm_task)} of the swarm {one_line(task.swarm or '')}"] if task.swarm_task else []
    parts: list[Table | Text] = [
        Text.assemble((cell_text(task.title), "bold"), "  ", (task.citation, "cyan")),
        Text(", ".join(said)),
    ]
    if task.goal:
        parts.append(Text(f"Goal: {one_line(task.goal)}"))
    if facts.sessions:
        parts.append(_sessions(facts, now))
    else:
        parts.append(Text("No session belongs to it yet.", style="dim"))
    return Group(*parts)


def _sessions(facts: "TaskFacts", now: datetime) -> "Table":
    columns = (
        Column("AGENT"),
        Column("SESSION", style="cyan"),
        Column("LAST", right=True),
        Column("BY"),
        Column("PERSON"),
        Column("TITLE", clips=True),
    )
    return render_table(
        columns,
        (
            (
                one.agent,
                one.session_id[:ID_LETTERS],
                render_age(from_micros(one.session.last_at), now) if one.session else None,
                one.joined_by.value,
                one.person.label if one.person else None,
                one.session.title if one.session else "not read yet",
            )
            for one in reversed(facts.sessions)
        ),
    )
