"""What to look at again: decisions that may contradict or repeat each other, proposals that stand alone, records that
time has passed by. It only lists: what becomes of each a person says, with the command beside it.
"""

import heapq
import os
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from .core.catalogue import Catalogue, KnownProject
from .core.neighbours import Neighbours
from .core.records import Links, Status
from .core.tasks import Status as TaskStatus
from .core.text import counted
from .core.times import from_micros
from .evidence import look_up
from .store import tasks as task_rows
from .store.records import StoredRecord, list_records, read_links

WAITED = timedelta(days=30)
"""A proposal that waits longer than this was forgotten."""
PAIRS_AT_MOST = 100
ELSEWHERE = re.compile(r"[\s*?\[]|://|\A[/~]|\A\.\.")
FILE_ENDING = re.compile(r"\.[A-Za-z]\w*\Z")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to look at again. kind: alike, same place, unlinked, stale. commands: what a person may say of it."""

    kind: str
    records: tuple[StoredRecord, ...]
    why: str
    commands: tuple[str, ...]

    def value(self) -> dict[str, object]:
        """One entry of `sleep --json`."""
        return {
            "kind": self.kind,
            "records": [
                {"citation": one.citation, "kind": one.kind, "status": one.status, "text": one.text}
                for one in self.records
            ],
            "why": self.why,
            "commands": list(self.commands),
        }


def list_findings(
    db: sqlite3.Connection, catalogue: Catalogue, project: KnownProject, folder: str | None, now: datetime
) -> list[Finding]:
    """All there is to look at again in a project, what contradicts first. folder: a checkout of it."""
    records = list_records(db, project.ids)
    links = read_links(db, [record.id for record in records])
    waiting = [one for one in records if one.status == Status.PROPOSED and one.kind in ("decision", "handoff")]
    closed = {task.number for task in task_rows.list_tasks(db, project.ids) if task.status is TaskStatus.CLOSED}
    found = list(_pairs(records, links))
    found += [one for record in waiting if (one := _unlinked(record, links[record.id])) is not None]
    found += [_waiting_long(record, now) for record in waiting if _age(record, now) > WAITED]
    for record in records:
        if record.status == Status.CURRENT and record.confirmed_by:
            found += _passed_by(db, catalogue, project, record, links[record.id], folder, closed)
    return found


def _pairs(records: list[StoredRecord], links: dict[int, Links]) -> Iterator[Finding]:
    """Decisions in force, or proposed, that are about the same."""
    decisions = [one for one in records if one.kind == "decision" and one.status in (Status.CURRENT, Status.PROPOSED)]
    places = {one.id: place for place, one in enumerate(decisions)}
    neighbours = Neighbours((one.id, one.text, links[one.id].applies_to) for one in decisions)
    pairs: list[tuple[float, int, int, list[str]]] = []
    for place, newer in enumerate(decisions):
        for number, (share, shared) in neighbours.find(newer.id, newer.text, links[newer.id].applies_to).items():
            if places[number] > place and Status.CURRENT in (newer.status, decisions[places[number]].status):
                pairs.append((share, place, places[number], shared))
    for share, one, other, shared in heapq.nlargest(PAIRS_AT_MOST, pairs, key=lambda pair: pair[0]):
        newer, older = decisions[one], decisions[other]
        why = [f"{share:.0%} of the words of one are in the other"] if share else []
        why += [f"both apply to {', '.join(shared)}"] if shared else []
        commands = (_replaces(newer, older), _replaces(older, newer))
        yield Finding("alike" if share else "same place", (newer, older), " and ".join(why), commands)


def _replaces(one: StoredRecord, other: StoredRecord) -> str:
    return f"brainproj decide {one.citation} --replace {other.citation}"


def _unlinked(record: StoredRecord, links: Links) -> Finding | None:
    if links.applies_to or links.cites or record.task is not None:
        return None
    why = "it names no evidence, no place and no task" + (
        ", only the reply it was said in" if record.session_id else ""
    )
    return Finding("unlinked", (record,), why, (f"brainproj review {record.citation}",))


def _waiting_long(record: StoredRecord, now: datetime) -> Finding:
    why = f"it has waited for {counted(_age(record, now).days, 'day')}"
    return Finding("stale", (record,), why, (f"brainproj review {record.citation}",))


def _passed_by(
    db: sqlite3.Connection,
    catalogue: Catalogue,
    project: KnownProject,
    record: StoredRecord,
    links: Links,
    folder: str | None,
    closed: set[int],
) -> Iterator[Finding]:
    """Why a record in force may be out of date."""
    command = (f"brainproj review {record.citation}",)
    gone = [place for place in links.applies_to if folder and _is_gone(place, Path(folder))]
    if gone:
        are = "are" if len(gone) > 1 else "is"
        yield Finding("stale", (record,), f"{', '.join(gone)} {are} not in the checkout", command)
    lost = [one.citation for one in look_up(db, catalogue, project, links.cites, folder) if one.is_gone]
    if lost:
        yield Finding("stale", (record,), f"its evidence {', '.join(lost)} opens nothing any more", command)
    if record.kind == "handoff" and record.task in closed:
        yield Finding("stale", (record,), "its task is closed", command)


def _is_gone(place: str, folder: Path) -> bool:
    """Whether a place is a path that is not in the checkout: it ends as a file does, or begins with a folder there.

    Of what may be a subject, a link, a pattern or a path elsewhere, that is never said.
    """
    if ELSEWHERE.search(place) or os.path.lexists(folder / place):
        return False
    top, slash, _ = place.partition("/")
    return FILE_ENDING.search(place) is not None or (bool(slash) and os.path.lexists(folder / top))


def _age(record: StoredRecord, now: datetime) -> timedelta:
    at = from_micros(record.at)
    return now - at if at else timedelta()
