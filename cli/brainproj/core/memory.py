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
    """A thread of work. heat only orders it; sessions: the ids of those it is of, by which two sources tell it is one.

    is_said: as a focus, somebody's words on what is being done, of no thread alone.
    """

    address: str
    title: str
    status: str
    last_active_at: datetime | None
    heat: int = 0
    sessions: tuple[str, ...] = ()
    is_said: bool = False


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
    overview: str | None = None
    """What the session's swarm is about, by its ledger."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to recall."""
        counted = self.proposed or self.open_tasks
        return not (self.focus or self.decisions or self.lessons or self.arcs or counted or self.overview)

    @property
    def is_told(self) -> bool:
        """Whether something of it is from a brain, and so in no list of this store."""
        addresses = [*(item.address for item in self.lessons), *(arc.address for arc in self.arcs)]
        return any(address.startswith("brain:") for address in addresses)

    @property
    def newest_at(self) -> datetime | None:
        """The time of its newest item."""
        moments = [item.at for item in (*self.decisions, *self.lessons)]
        moments += [arc.last_active_at for arc in (*self.arcs, *((self.focus,) if self.focus else ()))]
        return max((moment for moment in moments if moment), default=None)
