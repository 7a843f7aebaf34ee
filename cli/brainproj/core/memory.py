"""What is recalled for one project, from whatever source, ready to be rendered."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """A decision or lesson. `address` opens its source; `at` is None where the time is not known."""

    address: str
    text: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class MemoryArc:
    """A thread of work, as it is shown: heat has done its work by putting them in order."""

    address: str
    title: str
    status: str
    last_active_at: datetime | None


@dataclass(frozen=True, slots=True)
class ProjectMemory:
    """All that may enter a block. Decisions are the current ones, newest first; so are lessons; arcs hottest first.

    `origin` says where it comes from; `proposed` counts decisions that no person has confirmed.
    """

    project: str
    origin: str
    focus: MemoryArc | None = None
    decisions: tuple[MemoryItem, ...] = ()
    lessons: tuple[MemoryItem, ...] = ()
    arcs: tuple[MemoryArc, ...] = ()
    proposed: int = 0
    open_tasks: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to recall."""
        return not (self.focus or self.decisions or self.lessons or self.arcs or self.proposed or self.open_tasks)

    @property
    def newest_at(self) -> datetime | None:
        """The time of its newest item."""
        moments = [item.at for item in (*self.decisions, *self.lessons)]
        moments += [arc.last_active_at for arc in (*self.arcs, *((self.focus,) if self.focus else ()))]
        return max((moment for moment in moments if moment), default=None)
