"""Project → its memory → the block: what a session of a project would be told, and where each piece comes from."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from .config import Config, whole_number
from .core.arcs import focus_of, group_arcs
from .core.block import Block, render_project_block
from .core.brain import parse_brain
from .core.catalogue import KnownProject
from .core.memory import MemoryArc, MemoryItem, ProjectMemory
from .core.remote import Piece, make_memory, merge_memories
from .core.tasks import Status
from .core.times import from_micros
from .store.arcs import read_spans
from .store.records import StoredRecord, list_records
from .store.tasks import list_tasks

THIS_MACHINE = "this machine"


class ProjectMemorySource(Protocol):
    """Fetches the memory of a project."""

    @property
    def name(self) -> str:
        """What the source is called where its state is shown."""

    def fetch(self, project: KnownProject, now: datetime) -> ProjectMemory:
        """The project's memory as the source has it now."""


@dataclass(frozen=True, slots=True)
class LocalSource:
    """The store on this machine; the default, and the only one that needs nothing else."""

    db: sqlite3.Connection
    name: str = "local"

    def fetch(self, project: KnownProject, now: datetime) -> ProjectMemory:
        """Decisions in force, lessons and arcs of the project, whichever of its keys they were stored under."""
        records = list_records(self.db, project.ids)
        arcs = group_arcs(read_spans(self.db, project.ids), now)
        titled = [
            MemoryArc(f"arc:{arc.arc_id}", arc.title, arc.status.value, arc.last_active_at, arc.heat, arc.session_ids)
            for arc in arcs
            if arc.title
        ]
        focus = focus_of([arc for arc in arcs if arc.title])
        return ProjectMemory(
            project=project.name,
            origin=THIS_MACHINE,
            focus=next((arc for arc in titled if focus and arc.address == f"arc:{focus.arc_id}"), None),
            decisions=_items(records, "decision"),
            lessons=_items(records, "lesson"),
            arcs=tuple(titled),
            open_tasks=sum(task.status is Status.OPEN for task in list_tasks(self.db, project.ids)),
            proposed=sum(record.kind == "decision" and record.status == "proposed" for record in records),
        )


def _items(records: list[StoredRecord], kind: str) -> tuple[MemoryItem, ...]:
    """The records of one kind that are in force, newest first, a text that was said twice once."""
    found: dict[str, MemoryItem] = {}
    for record in records:
        if record.kind == kind and record.status == "current":
            found.setdefault(record.text, MemoryItem(record.citation, record.text, from_micros(record.since)))
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """How a block is made. `problems` names malformed values of the environment."""

    budget_bytes: int
    arcs_at_most: int
    stale_lesson_days: int
    stale_signal_days: int
    problems: tuple[str, ...]


def read_recall_settings(config: Config, environment: Mapping[str, str]) -> RecallSettings:
    """The settings by their existing names (design 9). What hooks give is made with an empty environment."""
    problems: list[str] = []
    return RecallSettings(
        budget_bytes=whole_number(config, environment, "payload_max_bytes", problems),
        arcs_at_most=whole_number(config, environment, "hot_arcs_top_n", problems),
        stale_lesson_days=whole_number(config, environment, "stale_lesson_days", problems),
        stale_signal_days=whole_number(config, environment, "stale_signal_days", problems),
        problems=tuple(problems),
    )


def told_memory(brain: str | None, project: KnownProject, pieces: Sequence[Piece]) -> ProjectMemory | None:
    """The memory that the pieces of a brain make; None without a brain."""
    return make_memory(project.name, parse_brain(brain).source, pieces) if brain else None


def recall_memory(
    db: sqlite3.Connection, project: KnownProject, told: ProjectMemory | None, arcs_at_most: int, now: datetime
) -> ProjectMemory:
    """The memory of a project: what is stored here, and what a brain told beside it."""
    return merge_memories(LocalSource(db).fetch(project, now), told, arcs_at_most)


def recall_block(memory: ProjectMemory, settings: RecallSettings, now: datetime) -> Block:
    """The block of a memory on the UTC day of `now`."""
    return render_project_block(memory, settings.budget_bytes, now.astimezone(UTC).date(), settings.stale_lesson_days)
