"""Who: from a person to their sessions, files and records, and from a file to the sessions and persons that touched it.

The owner of a session is whose it is. What its assistant said and did is never said to be theirs, so a file is *touched
in sessions of* somebody. Links stay within the project.
"""

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from .core.attempts import edited_files_of, files_of, is_same_file
from .core.catalogue import KnownProject
from .core.citations import render_event
from .core.people import People, Person
from .core.times import from_micros, render_time, to_micros
from .errors import NotFound
from .store import codes, touches
from .store import people as rows
from .store.people import OwnedSession
from .store.records import StoredRecord, list_records

RECENT = timedelta(days=90)
"""Whoever worked on a project longer ago is not said to own it."""
FILES = 20
SESSIONS = 20
TOUCHES = 1000
"""Calls of tools, the newest, that are looked through."""


@dataclass(frozen=True, slots=True)
class Ownership:
    """How much of a project's work is a person's. person None: nobody is named (imported, or not told)."""

    person: Person | None
    sessions: int
    prompts: int
    first_at: datetime | None
    last_at: datetime | None

    def value(self) -> dict[str, object]:
        """As JSON."""
        return {
            "person": self.person.value() if self.person else None,
            "sessions": self.sessions,
            "prompts": self.prompts,
            "first_active_at": render_time(self.first_at),
            "last_active_at": render_time(self.last_at),
        }


@dataclass(frozen=True, slots=True)
class FileTouched:
    """A file, and how often tools touched it in a person's sessions."""

    path: str
    calls: int
    last_at: datetime | None

    def value(self) -> dict[str, object]:
        """As JSON."""
        return {"path": self.path, "calls": self.calls, "last_at": render_time(self.last_at)}


@dataclass(frozen=True, slots=True)
class PersonFacts:
    """A person in a project."""

    person: Person
    ownership: Ownership
    sessions: tuple[OwnedSession, ...]
    files: tuple[FileTouched, ...]
    records: tuple[StoredRecord, ...]
    is_cut: bool
    """Whether there are more sessions or files than these."""

    def value(self) -> dict[str, object]:
        """The document of `who PERSON --json`."""
        return {
            "what": "person",
            **self.ownership.value(),
            "identities": list(self.person.keys),
            "latest": [session_value(one) for one in self.sessions],
            "files": [file.value() for file in self.files],
            "records": [_record_value(record) for record in self.records],
            "is_cut": self.is_cut,
        }


@dataclass(frozen=True, slots=True)
class FileSession:
    """A session in which tools touched a file."""

    session: OwnedSession
    person: Person | None
    calls: int
    citation: str

    def value(self) -> dict[str, object]:
        """As JSON."""
        person = self.person.value() if self.person else None
        return {**session_value(self.session), "person": person, "calls": self.calls, "citation": self.citation}


@dataclass(frozen=True, slots=True)
class FileFacts:
    """A file in a project: the sessions that touched it, the latest first."""

    path: str
    sessions: tuple[FileSession, ...]
    is_cut: bool

    def value(self) -> dict[str, object]:
        """The document of `who FILE --json`."""
        sessions = [one.value() for one in self.sessions]
        return {"what": "file", "path": self.path, "sessions": sessions, "is_cut": self.is_cut}


def list_owners(
    db: sqlite3.Connection, people: People, project: KnownProject, since: datetime | None = None
) -> list[Ownership]:
    """Whose sessions a project's are, who owns most of them first; of those active since a time, where one is given."""
    limit = to_micros(since) or 0
    owned: dict[Person | None, list[OwnedSession]] = {}
    for session in rows.list_owned(db, project.ids):
        if since is None or (session.last_at or 0) >= limit:
            owned.setdefault(people.by_number(session.person), []).append(session)
    found = [_ownership(person, sessions) for person, sessions in owned.items()]
    return sorted(found, key=lambda one: (one.person is None, -one.sessions, one.person.label if one.person else ""))


def _ownership(person: Person | None, sessions: Sequence[OwnedSession]) -> Ownership:
    return Ownership(
        person,
        len(sessions),
        sum(one.prompts for one in sessions),
        from_micros(min((one.started_at for one in sessions if one.started_at is not None), default=None)),
        from_micros(max((one.last_at for one in sessions if one.last_at is not None), default=None)),
    )


def describe_person(db: sqlite3.Connection, project: KnownProject, person: Person) -> PersonFacts:
    """A person's part in a project. Raises NotFound where there is none."""
    sessions = rows.list_owned(db, project.ids, person.numbers)
    if not sessions:
        raise NotFound(f"{person.label} has no session in {project.name}", hint="`brainproj who` lists who has")
    own = {session.session_id for session in sessions}
    records = [
        record
        for record in list_records(db, project.ids)
        if record.author in person.numbers or (record.author is None and record.session_id in own)
    ]
    files = [one for one in list_edited(db, sessions, project.root, TOUCHES) if not _is_outside(one.path)]
    own_sessions, own_files = tuple(sessions[:SESSIONS]), tuple(files[:FILES])
    is_cut = len(sessions) > SESSIONS or len(files) > FILES
    return PersonFacts(person, _ownership(person, sessions), own_sessions, own_files, tuple(records), is_cut)


def list_edited(
    db: sqlite3.Connection, sessions: Sequence[OwnedSession], root: str | None, limit: int
) -> list[FileTouched]:
    """The files that the newest calls of these sessions are about, the last touched first; limit: of calls.

    root: the project's folder. A file in it, or in the session's, is named from there; any other as the call did.
    """
    folders = {session.number: (session.cwd, root) for session in sessions}
    counts: Counter[str] = Counter()
    last: dict[str, int | None] = {}
    for call in touches.iter_calls(db, list(folders), limit):
        for path in edited_files_of(call.text):
            named = _within(path, folders[call.session])
            counts[named] += 1
            last.setdefault(named, call.at)
    return [FileTouched(path, counts[path], from_micros(at)) for path, at in last.items()]


def _within(path: str, folders: Iterable[str | None]) -> str:
    """A file's path within the first of these folders that holds it, or as it is."""
    inside = (path[len(folder) + 1 :] for folder in folders if folder and path.startswith(folder + "/"))
    return next(inside, path.removeprefix("./"))


def _is_outside(path: str) -> bool:
    return path.startswith(("/", "../", "~"))


def describe_file(db: sqlite3.Connection, people: People, project: KnownProject, path: str) -> FileFacts:
    """The sessions of a project in which tools touched a file. Raises NotFound for what is no path either."""
    path = path.rstrip("/")
    calls: dict[int, list[touches.Call]] = {}
    found = touches.list_calls_naming(db, project.ids, path, TOUCHES)
    for call in found:
        if any(is_same_file(path, one) for one in files_of(call.text)):
            calls.setdefault(call.session, []).append(call)
    if not calls and "/" not in path and not re.search(r"\w\.\w", path.rpartition("@")[0] or path):
        raise NotFound(
            f"no person, and no file that a tool touched in {project.name}, is called {path}",
            hint="`brainproj who` lists the persons",
        )
    sessions = [
        FileSession(session, people.by_number(session.person), len(own), _citation(session, own[0]))
        for session in rows.list_owned(db, project.ids)
        if (own := calls.get(session.number))
    ]
    return FileFacts(path, tuple(sessions), len(found) >= TOUCHES)


def _citation(session: OwnedSession, call: touches.Call) -> str:
    return render_event(session.session_id, codes.id_letters(call.code), call.revision)


def session_value(session: OwnedSession) -> dict[str, object]:
    """A session as JSON."""
    return {
        "session_id": session.session_id,
        "agent": session.agent,
        "title": session.title,
        "started_at": render_time(from_micros(session.started_at)),
        "last_seen_at": render_time(from_micros(session.last_at)),
        "prompts": session.prompts,
    }


def _record_value(record: StoredRecord) -> dict[str, object]:
    return {"citation": f"rec:{record.id}", "kind": record.kind, "status": record.status, "text": record.text}
