"""The rows of one project as plain values, for `export`; the numbers in them are words again."""

import sqlite3
from collections.abc import Iterator
from typing import Any

from ..core.people import IMPORTED, PersonRow
from ..core.times import from_micros, render_time
from . import codes, texts
from .documents import list_documents, text_of
from .people import list_persons
from .records import read_links
from .tasks import list_joined, list_tasks

SESSION_COLUMNS = (
    "agent, session_id, cwd, worktree, branch, model, title, has_own_title, parent_id, forked_from, prompted_by,"
    " started_at, last_at, hidden_thinking, listed"
)
EVENT_COLUMNS = "code, source, place, at, kind, speaker, outcome, flags, tool, agent_id, call, body, revision"


def iter_project(db: sqlite3.Connection, project_ids: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    """A session and then its events, and so on, the oldest session first; its records at the end.

    `source` numbers the transcripts of a session from 0; `place` orders the events in each.
    """
    marks = ",".join("?" * len(project_ids))
    persons = {row.number: row for row in list_persons(db)}
    sessions = db.execute(
        f"SELECT id, person, {SESSION_COLUMNS} FROM sessions WHERE project IN ({marks}) AND events > 0"
        " ORDER BY started_at, session_id",
        project_ids,
    ).fetchall()
    for number, owner, *values in sessions:
        session = dict(zip(SESSION_COLUMNS.split(", "), values, strict=True))
        for name in ("started_at", "last_at"):
            session[name] = _time(session[name])
        for name in ("has_own_title", "listed"):
            session[name] = bool(session[name])
        yield {"type": "session", **session, "person": _person(persons.get(owner))}
        yield from _iter_events(db, number, session)
    yield from _iter_tasks(db, project_ids)
    yield from _iter_documents(db, project_ids)
    yield from _iter_records(db, project_ids)


def _iter_tasks(db: sqlite3.Connection, project_ids: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    """The tasks, each with the sessions that joined it; those on its branch are told by the branch."""
    persons = {row.number: row for row in list_persons(db)}
    for task in list_tasks(db, project_ids):
        joined = [
            {"agent": one.agent, "session_id": one.session_id, "joined_by": one.joined_by.value, "at": _time(one.at)}
            for one in list_joined(db, task, project_ids)
            if one.at is not None
        ]
        yield {
            "type": "task",
            "id": task.slug,
            "title": task.title,
            "goal": task.goal,
            "status": task.status.value,
            "branch": task.branch,
            "swarm": task.swarm,
            "swarm_task": task.swarm_task,
            "by_agent": task.by_agent,
            "person": _person(persons.get(task.person)) if task.person is not None else None,
            "opened_at": _time(task.opened_at),
            "closed_at": _time(task.closed_at),
            "sessions": joined,
        }


def _iter_documents(db: sqlite3.Connection, project_ids: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    """The documents as they are now; their earlier texts stay where they were written."""
    persons = {row.number: row for row in list_persons(db)}
    tasks = {task.number: task.slug for task in list_tasks(db, project_ids)}
    for one in list_documents(db, project_ids):
        yield {
            "type": "document",
            "kind": one.kind,
            "address": one.address,
            "title": one.title,
            "fetched": one.fetched,
            "task": tasks.get(one.task or 0),
            "person": _person(persons.get(one.person)) if one.person is not None else None,
            "by_agent": one.by_agent,
            "changed_at": _time(one.changed_at),
            "text": text_of(db, one),
        }


def _person(row: PersonRow | None) -> dict[str, str | None] | None:
    """Whom an export names; that somebody came by an import is this store's own affair."""
    return {"id": row.key.removeprefix(IMPORTED), "name": row.name} if row else None


def _iter_events(db: sqlite3.Connection, number: int, session: dict[str, Any]) -> Iterator[dict[str, Any]]:
    sources: dict[int, int] = {}
    rows = db.execute(f"SELECT {EVENT_COLUMNS} FROM events WHERE session = ? ORDER BY source, place, id", (number,))
    while some := rows.fetchmany(200):
        found = texts.read_texts(db, (row[11] for row in some if row[11] is not None))
        for code, source, place, at, kind, speaker, outcome, flags, tool, agent_id, call, body, revision in some:
            yield {
                "type": "event",
                "id": codes.id_letters(code),
                "agent": session["agent"],
                "session_id": session["session_id"],
                "agent_id": agent_id,
                "source": sources.setdefault(source, len(sources)),
                "place": place,
                "at": _time(at),
                "kind": codes.KIND_NAMES[kind],
                "speaker": codes.SPEAKER_NAMES[speaker],
                "outcome": None if outcome is None else codes.OUTCOME_NAMES[outcome],
                "flags": flags,
                "tool": tool,
                "call": call,
                "revision": revision,
                "text": found.get(body, "") if body is not None else "",
            }


def _iter_records(db: sqlite3.Connection, project_ids: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    marks = ",".join("?" * len(project_ids))
    rows = db.execute(
        "SELECT r.id, r.code, r.kind, r.status, r.at, r.title, r.attributes, r.revision, r.confirmed_by, r.body,"
        " e.code, r.person, r.task FROM records r LEFT JOIN events e ON e.id = r.event"
        f" WHERE r.project IN ({marks}) ORDER BY r.at, r.id",
        project_ids,
    ).fetchall()
    found = texts.read_texts(db, (row[9] for row in rows))
    links = read_links(db, [row[0] for row in rows])
    letters = {row[0]: codes.id_letters(row[1]) for row in rows}
    persons = {row.number: row for row in list_persons(db)}
    tasks = {task.number: task.slug for task in list_tasks(db, project_ids)}
    for number, code, kind, status, at, title, attributes, revision, confirmed_by, body, event, person, task in rows:
        yield {
            "type": "record",
            "id": codes.id_letters(code),
            "event": None if event is None else codes.id_letters(event),
            "kind": kind,
            "status": status,
            "confirmed_by": confirmed_by,
            "at": _time(at),
            "title": title,
            "attributes": attributes,
            "revision": revision,
            "person": _person(persons.get(person)) if person is not None else None,
            "task": tasks.get(task),
            "applies_to": list(links[number].applies_to),
            "evidence": [one for one in links[number].cites if not one.startswith(NUMBERED)],
            "cites": [letters[one] for one in _records_in(links[number].cites) if one in letters],
            "replaces": [letters[one] for one in links[number].replaces if one in letters],
            "text": found.get(body, ""),
        }


NUMBERED = ("rec:", "doc:")
"""Addresses whose numbers mean another thing in another store."""


def _records_in(cites: tuple[str, ...]) -> list[int]:
    return [int(one.removeprefix("rec:")) for one in cites if one.startswith("rec:") and one[4:].isdecimal()]


def _time(micros: int | None) -> str | None:
    return render_time(from_micros(micros))
