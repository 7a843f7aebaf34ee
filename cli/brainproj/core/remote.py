"""Memory from elsewhere: what a brain told of one project, piece by piece, and the memory that it makes.

Each piece has an address, `brain:` and twelve letters, which opens what the brain said, from which file of it. It is no
address of ours: transcript and events stay where they were written.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from .ids import make_event_id
from .memory import MemoryArc, MemoryItem, ProjectMemory
from .text import one_line

LESSONS_AT_MOST, ARCS_AT_MOST = 200, 50
"""Of a project; a block holds some twenty of both."""


class PieceKind(StrEnum):
    """What a brain tells of a project."""

    ARC = "arc"
    LESSON = "lesson"
    FOCUS = "focus"


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece. title: what a block shows; text: all of it. path: the brain's file. session_id: who said it, or ''.

    sessions: those that an arc is of. at: when it was said, or the arc was last active. named: the brain's own word for
    the project, where that alone told whose it is.
    """

    kind: PieceKind
    letters: str
    title: str
    text: str
    at: datetime | None
    path: str
    status: str = ""
    heat: int = 0
    session_id: str = ""
    sessions: tuple[str, ...] = ()
    named: str = ""

    @property
    def citation(self) -> str:
        """Its address."""
        return f"brain:{self.letters}"


def piece_letters(*parts: str) -> str:
    """The letters of a piece, by what it is; the same whenever it is fetched again."""
    return make_event_id("brain", *parts)


def make_memory(project: str, origin: str, pieces: Sequence[Piece]) -> ProjectMemory:
    """The memory that pieces make: arcs hottest first, each thread once; lessons newest first, each text once."""
    threads: list[MemoryArc] = []
    of_session: dict[str, int] = {}
    for arc in (_arc(piece) for piece in sorted(pieces, key=_rank) if piece.kind is PieceKind.ARC):
        same = next((of_session[session] for session in arc.sessions if session in of_session), None)
        if same is None:
            same = len(threads)
            threads.append(arc)
        elif set(arc.sessions) > set(threads[same].sessions):  # what it was merged into
            threads[same] = arc
        of_session |= dict.fromkeys(arc.sessions, same)
    lessons = sorted((one for one in pieces if one.kind is PieceKind.LESSON), key=_age)
    said = next((piece for piece in pieces if piece.kind is PieceKind.FOCUS), None)
    focus = replace(_arc(said), status="", is_said=True) if said else next(iter(threads), None)
    return ProjectMemory(
        project=project,
        origin=origin,
        focus=focus,
        lessons=_once(MemoryItem(one.citation, one.text, one.at) for one in lessons),
        arcs=tuple(threads),
    )


def _arc(piece: Piece) -> MemoryArc:
    return MemoryArc(piece.citation, piece.title, piece.status, piece.at, piece.heat, piece.sessions)


def _rank(piece: Piece) -> tuple[int, bool, float, str]:
    return -piece.heat, piece.at is None, -(piece.at.timestamp() if piece.at else 0), piece.letters


def _age(piece: Piece) -> tuple[bool, float, str]:
    return piece.at is None, -(piece.at.timestamp() if piece.at else 0), piece.letters


def _once(items: Iterable[MemoryItem]) -> tuple[MemoryItem, ...]:
    found: dict[str, MemoryItem] = {}
    for item in items:
        found.setdefault(one_line(item.text), item)
    return tuple(found.values())


def merge_memories(local: ProjectMemory, remote: ProjectMemory | None, arcs_at_most: int) -> ProjectMemory:
    """What is known here, and of what a brain told that which is not: ours has the address that opens its source.

    A brain decides nothing here: its decisions are none of ours. What was said of the focus counts, unless something
    happened here after it.
    """
    if remote is None or remote.is_empty:
        return replace(local, arcs=local.arcs[:arcs_at_most] if arcs_at_most > 0 else local.arcs)
    here = {session for arc in local.arcs for session in arc.sessions}
    told = [arc for arc in remote.arcs if not here & set(arc.sessions)]
    arcs = sorted((*local.arcs, *told), key=_arc_rank)
    known = {one_line(item.text) for item in local.lessons}
    lessons = [*local.lessons, *(item for item in remote.lessons if one_line(item.text) not in known)]
    lessons.sort(key=lambda item: -(item.at.timestamp() if item.at else 0))
    return replace(
        local,
        origin=f"{local.origin} and {remote.origin}",
        focus=_focus(local.focus, remote.focus, arcs),
        lessons=tuple(lessons),
        arcs=tuple(arcs[:arcs_at_most] if arcs_at_most > 0 else arcs),
    )


def _focus(here: MemoryArc | None, there: MemoryArc | None, arcs: Sequence[MemoryArc]) -> MemoryArc | None:
    if there is not None and there.is_said:
        at, last = there.last_active_at, here.last_active_at if here else None
        return there if at is None or last is None or at >= last else here
    return next(iter(arcs), here or there)


def _arc_rank(arc: MemoryArc) -> tuple[int, bool, float, str]:
    at = arc.last_active_at
    return -arc.heat, at is None, -(at.timestamp() if at else 0), arc.address
