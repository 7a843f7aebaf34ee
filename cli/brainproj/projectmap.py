"""The map: a small index of what a project's memory holds, and what opens it. Never the memory itself."""

import sqlite3
from dataclasses import dataclass
from datetime import datetime

from .core.block import render_item, safe_text
from .core.catalogue import KnownProject
from .core.memory import ProjectMemory
from .core.people import People
from .core.tasks import Status, Task
from .core.text import clip, counted, one_line
from .core.tokens import estimate_tokens
from .recall import recall_memory, told_memory
from .store.brain import list_pieces
from .store.documents import list_documents
from .store.listing import project_totals
from .store.tasks import list_tasks
from .who import RECENT, Ownership, list_owners

LINES_AT_MOST = 200
TOKENS_AT_MOST = 1000
"""By the estimate of `core/tokens`; an agent reads it before it knows whether it needs any of it."""
ITEM_LETTERS = 160
ARCS = 8
OWNERS, NAME_LETTERS = 5, 40
LESSONS = 8
TASKS = 10
DECISIONS = 12


@dataclass(frozen=True, slots=True)
class ProjectMap:
    """The map of a project. `text` is what is shown; the rest is what it counts."""

    project: KnownProject
    text: str
    totals: dict[str, int]
    owners: tuple[Ownership, ...]

    def value(self) -> dict[str, object]:
        """As JSON."""
        return {
            "project": {"key": self.project.key, "name": self.project.name, "remote": self.project.remote},
            "text": self.text,
            "tokens": estimate_tokens(self.text),
            **self.totals,
            "owners": [one.value() for one in self.owners],
        }


def draw_map(
    db: sqlite3.Connection, people: People, project: KnownProject, now: datetime, brain: str | None = None
) -> ProjectMap:
    """The map as the store has it now; what does not fit is left out from the end of each list, and counted.

    brain: the one in use, whose memory of the project counts too.
    """
    told = told_memory(brain, project, list_pieces(db, brain, project.ids)) if brain else None
    memory = recall_memory(db, project, told, 0, now)
    totals = project_totals(db, project.ids)
    owners = [one for one in list_owners(db, people, project, now - RECENT) if one.person]
    tasks = [task for task in list_tasks(db, project.ids) if task.status is Status.OPEN]
    documents = len(list_documents(db, project.ids))
    sizes = [ARCS, LESSONS, TASKS, DECISIONS]
    while True:
        text = _render(project, memory, totals, owners, tasks, documents, *sizes)
        fits = estimate_tokens(text) <= TOKENS_AT_MOST and text.count("\n") < LINES_AT_MOST
        if fits or not any(sizes):
            return ProjectMap(project, text, totals, tuple(owners))
        largest = sizes.index(max(sizes))
        sizes[largest] -= 1


def _render(
    project: KnownProject,
    memory: ProjectMemory,
    totals: dict[str, int],
    owners: list[Ownership],
    tasks: list[Task],
    documents: int,
    arcs: int,
    lessons: int,
    shown_tasks: int,
    decisions: int,
) -> str:
    name = one_line(project.name)
    kept = f"{counted(totals['sessions'], 'session')}, {counted(totals['events'], 'event')}, "
    kept += f"{counted(totals['failures'], 'failed call')}, {counted(totals['records'], 'record')}"
    lines = [f"Map of {name} ({one_line(project.key)}): {kept}."]
    if memory.newest_at:
        lines.append(f"Last active {memory.newest_at:%Y-%m-%d}.")
    if owners:
        lines.append(_owned(owners))
    named = [f"- {clip(safe_text(task.title), ITEM_LETTERS)} [{task.citation}]" for task in tasks[:shown_tasks]]
    lines += _part("Open tasks", named, len(tasks), "task list")
    shown = [_short(render_item(item)) for item in memory.decisions[:decisions]]
    lines += _part("Decisions in force", shown, len(memory.decisions), "records --kind decision")
    if memory.proposed:
        lines.append(f"{counted(memory.proposed, 'decision')} only proposed, by agents: records --status proposed")
    shown = [_short(render_item(item)) for item in memory.lessons[:lessons]]
    lines += _part("Lessons that agents noted", shown, len(memory.lessons), "records --kind lesson")
    titles = [
        f"- {clip(safe_text(arc.title), ITEM_LETTERS)} · {arc.status} [{arc.address}]" for arc in memory.arcs[:arcs]
    ]
    lines += _part("Threads of work, the hottest first", titles, len(memory.arcs), "arcs")
    if documents:
        lines.append(f"{counted(documents, 'document')} kept: brainproj documents")
    lines += [
        "Deeper: `resume` goes on with a task or thread of work, `search` finds what was said and done, `attempts` what"
        " failed and what helped, `expand` (in a shell `brainproj show`) opens any address in [brackets].",
    ]
    return "\n".join(lines)


def _owned(owners: list[Ownership]) -> str:
    """Whose the sessions of late are, in one line."""
    named = [f"{_name(one)} ({counted(one.sessions, 'session')})" for one in owners[:OWNERS]]
    more = f" and {len(owners) - OWNERS} more" if len(owners) > OWNERS else ""
    return f"In the last {RECENT.days} days the sessions were those of {', '.join(named)}{more}: brainproj who"


def _name(one: Ownership) -> str:
    return clip(safe_text(one.person.label), NAME_LETTERS) if one.person else ""


def _part(heading: str, items: list[str], total: int, command: str) -> list[str]:
    if not total:
        return []
    left = total - len(items)
    return [f"{heading}:", *items, *([f"  {left:,} more: brainproj {command}"] if left else [])]


def _short(line: str) -> str:
    """An item on one line, its address kept."""
    text, bracket, address = line.rpartition(" [")
    return clip(text, ITEM_LETTERS) + bracket + address
