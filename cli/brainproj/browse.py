"""Listing and showing: what the store holds, as plain values for views and JSON."""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, replace

from .config import Config
from .core.catalogue import Catalogue, KnownProject
from .core.citations import EventCitation, OtherCitation, SessionCitation, parse_citation, render_event
from .core.events import Flag
from .core.tasks import Task
from .core.text import encodable
from .core.times import from_micros, render_time
from .errors import Ambiguous, BrainError, NotFound
from .gitlog import Commit, Git
from .library import document_value
from .piecetext import PieceText, open_piece
from .recordtext import RecordText, read_record_text, task_citations
from .store import reading
from .store import tasks as task_rows
from .store.documents import Document, list_documents, list_earlier, text_of
from .store.records import list_records

HASH_LETTERS = 12
"""Of a commit in its address."""
SURROUNDINGS = 3
"""Events before and after one that are shown with it."""


@dataclass(frozen=True, slots=True)
class Passage:
    """An event at its exact range, with what stands around it."""

    citation: str
    event: reading.StoredEvent
    text: str
    project: KnownProject | None
    before: tuple[reading.StoredEvent, ...]
    after: tuple[reading.StoredEvent, ...]

    def value(self) -> dict[str, object]:
        """The document of `show CITATION --json`."""
        return {
            "citation": self.citation,
            "kind": self.event.kind,
            "project": self.project.value() if self.project else None,
            "text": self.text,
            "revision": self.event.revision,
            "session_id": self.event.session_id,
            "agent_id": self.event.agent_id,
            "at": render_time(from_micros(self.event.at)),
            "speaker": self.event.speaker,
            "tool": self.event.tool,
            "outcome": self.event.outcome,
            "flags": flag_names(self.event.flags),
            "before": [event_value(event) for event in self.before],
            "after": [event_value(event) for event in self.after],
        }


@dataclass(frozen=True, slots=True)
class SessionText:
    """A whole session. `events` are read as they are shown, so a long one costs no memory."""

    session_id: str
    agent: str
    project: KnownProject | None
    events: Iterator[reading.StoredEvent]

    def value(self) -> dict[str, object]:
        """The document of `show SESSION --json`."""
        return {
            "session": self.session_id,
            "project": self.project.value() if self.project else None,
            "events": [event_value(event) for event in self.events],
        }


@dataclass(frozen=True, slots=True)
class ArcText:
    """A thread of work with its sessions."""

    arc: reading.StoredArc
    project: KnownProject | None

    def value(self) -> dict[str, object]:
        """The document of `show arc:ID --json`."""
        arc = self.arc
        return {
            "citation": f"arc:{arc.arc_id}",
            "kind": "arc",
            "project": self.project.value() if self.project else None,
            "text": arc.title,
            "revision": 1,
            "started_at": render_time(from_micros(arc.started_at)),
            "last_active_at": render_time(from_micros(arc.last_at)),
            "tool_calls": arc.tool_calls,
            "sessions": json.loads(arc.sessions),
            "before": [],
            "after": [],
        }


@dataclass(frozen=True, slots=True)
class TaskText:
    """A task, and the sessions that belong to it, the latest first."""

    task: Task
    project: KnownProject | None
    sessions: tuple[str, ...]

    def value(self) -> dict[str, object]:
        """The document of `show task:ID --json`."""
        task = self.task
        return {
            "citation": task.citation,
            "kind": "task",
            "project": self.project.value() if self.project else None,
            "text": task.title + (f"\n{task.goal}" if task.goal else ""),
            "revision": 1,
            "status": task.status.value,
            "opened_at": render_time(from_micros(task.opened_at)),
            "closed_at": render_time(from_micros(task.closed_at)),
            "sessions": list(self.sessions),
            "before": [],
            "after": [],
        }


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A document with its earlier texts: (revision, text, until when in microseconds)."""

    document: Document
    text: str
    project: KnownProject | None
    task: str | None
    earlier: tuple[tuple[int, str, int], ...]

    def value(self) -> dict[str, object]:
        """The document of `show doc:N --json`."""
        return {
            **document_value(self.document, self.task),
            "project": self.project.value() if self.project else None,
            "text": self.text,
            "earlier": [
                {"revision": revision, "text": text, "until": render_time(from_micros(until))}
                for revision, text, until in self.earlier
            ],
            "before": [],
            "after": [],
        }


@dataclass(frozen=True, slots=True)
class CommitText:
    """A commit of a project's repository, as git tells it now."""

    commit: Commit
    project: KnownProject

    @property
    def citation(self) -> str:
        """Its address."""
        return f"commit:{self.commit.hash[:HASH_LETTERS]}"

    def value(self) -> dict[str, object]:
        """The document of `show commit:HASH --json`."""
        return {
            "citation": self.citation,
            "kind": "commit",
            "project": self.project.value(),
            "text": self.commit.subject,
            "revision": 1,
            "hash": self.commit.hash,
            "at": render_time(self.commit.at),
            "author": self.commit.author,
            "files": list(self.commit.files),
            "before": [],
            "after": [],
        }


Shown = Passage | SessionText | RecordText | ArcText | TaskText | DocumentText | CommitText | PieceText


def open_address(
    db: sqlite3.Connection,
    catalogue: Catalogue,
    address: str,
    own: KnownProject | None = None,
    folder: str | None = None,
    config: Config | None = None,
) -> Shown:
    """What stands at an address. own: whose task is meant where several projects have one of that id. folder: a
    folder of that project, in whose checkout its commits are. config: whose
    rules hide what git says, which was never stored.

    Raises NotFound, Ambiguous.
    """
    citation = parse_citation(encodable(address))
    match citation:
        case OtherCitation("rec", number):
            return _record(db, catalogue, number)
        case OtherCitation("arc", letters):
            return _arc(db, catalogue, letters)
        case OtherCitation("task", slug):
            return _task(db, catalogue, slug, own)
        case OtherCitation("doc", number):
            return _document(db, catalogue, number)
        case OtherCitation("commit", name):
            return _commit(name, own, folder, config)
        case OtherCitation("brain", letters):
            return open_piece(db, catalogue, letters, own)
        case OtherCitation(what, number):
            raise NotFound(f"there is no {what}:{number}", hint="addresses are shown by `brainproj search`")
        case EventCitation():
            return _passage(db, catalogue, citation)
        case SessionCitation(beginning):
            return _session(db, catalogue, beginning)


def _record(db: sqlite3.Connection, catalogue: Catalogue, number: str) -> RecordText:
    found = list_records(db, None, int(number)) if number.isascii() and number.isdigit() and len(number) < 19 else []
    if not found:
        raise NotFound(f"there is no rec:{number}", hint="list them with `brainproj records`")
    return read_record_text(db, catalogue, found[0])


def _document(db: sqlite3.Connection, catalogue: Catalogue, number: str) -> DocumentText:
    number, _, revision = number.partition("@")
    is_number = number.isascii() and number.isdigit() and len(number) < 19
    found = list_documents(db, None, int(number)) if is_number else []
    if not found:
        raise NotFound(f"there is no doc:{number}", hint="list them with `brainproj documents`")
    project = catalogue.by_id(found[0].project)
    task = task_citations(db, project).get(found[0].task or 0)
    earlier = tuple(list_earlier(db, found[0].number))
    if not revision or revision == str(found[0].revision):
        return DocumentText(found[0], text_of(db, found[0]), project, task, earlier)
    before = next((text for one, text, _ in earlier if str(one) == revision), None)
    if before is None:
        raise NotFound(f"doc:{number} has no revision {revision}", hint=f"the current one is {found[0].revision}")
    return DocumentText(replace(found[0], revision=int(revision)), before, project, task, ())


def _commit(name: str, own: KnownProject | None, folder: str | None, config: Config | None) -> CommitText:
    """A commit of the project one is in; its repository is asked with an environment of nothing."""
    commit = Git(folder, {}).find_commit(name.lower()) if own is not None and folder else None
    if own is None or commit is None:
        raise NotFound(f"there is no commit {name} here", hint="ask in a folder of its project, by 7 letters or more")
    from .core.redact import Redactor  # dear to import, and for a commit alone

    redact = Redactor(config.hide, config.keep).redact if config else Redactor().redact
    clean = replace(
        commit,
        author=redact(commit.author),
        subject=redact(commit.subject),
        files=tuple(map(redact, commit.files)),
    )
    return CommitText(clean, own)


def _arc(db: sqlite3.Connection, catalogue: Catalogue, letters: str) -> ArcText:
    found = reading.find_arcs(db, letters)
    if len(found) != 1:
        raise _none_or_many("arc", letters, [f"arc:{arc.arc_id}" for arc in found])
    return ArcText(found[0], catalogue.by_id(found[0].project))


def _task(db: sqlite3.Connection, catalogue: Catalogue, slug: str, own: KnownProject | None) -> TaskText:
    families = [own.ids] if own is not None and own.ids else []
    families += [project.ids for project in catalogue.projects if project.ids and project.ids not in families]
    lists = [[task for task in task_rows.list_tasks(db, ids) if task.slug == slug] for ids in families]
    mine = lists[0] if own is not None and lists else []
    found = mine or [task for tasks in lists for task in tasks]
    if len(found) > 1:
        names = ", ".join(project.key for task in found if (project := catalogue.by_id(task.project)))
        raise Ambiguous(f"task:{slug} is a task of {names}", hint="ask in the folder of one of them")
    if not found:
        raise NotFound(f"there is no task:{slug}", hint="list them with `brainproj task list --all`")
    project = catalogue.by_id(found[0].project)
    joined = task_rows.list_joined(db, found[0], project.ids if project else (found[0].project,))
    return TaskText(found[0], project, tuple(one.session_id for one in joined))


def _session(db: sqlite3.Connection, catalogue: Catalogue, beginning: str) -> SessionText:
    found = reading.find_sessions(db, beginning) if beginning else []
    if len(found) != 1:
        raise _none_or_many("session", beginning, [row[1] for row in found])
    number, session_id, agent, project = found[0]
    return SessionText(session_id, agent, catalogue.by_id(project), reading.iter_events(db, number))


def _passage(db: sqlite3.Connection, catalogue: Catalogue, citation: EventCitation) -> Passage:
    found = reading.find_events(db, citation.event, citation.session)
    if len(found) != 1:
        addresses = [render_event(event.session_id, event.event_id) for event in found]
        raise _none_or_many("event", f"{citation.session or ''}/{citation.event}", addresses)
    event = found[0]
    if citation.revision is not None and citation.revision != event.revision:
        why = reading.revision_gone(db, event, citation.revision)
        current = render_event(event.session_id, event.event_id, event.revision)
        if why is None:
            raise NotFound(
                f"this event has no revision {citation.revision}", hint=f"the current one is {event.revision}"
            )
        raise NotFound(
            f"revision {citation.revision} of this event is gone",
            detail=f"Its text was replaced because {why}.",
            hint=f"open the current one: `brainproj show {current}`",
        )
    text = event.text
    if citation.span:
        start, end = citation.span
        if not 0 <= start <= end <= len(text):
            raise NotFound(
                f"the range {start}-{end} lies outside this event", detail=f"It has {len(text):,} characters."
            )
        text = text[start:end]
    before, after = reading.neighbours(db, event, SURROUNDINGS)
    address = render_event(event.session_id, event.event_id, event.revision, citation.span)
    return Passage(address, event, text, catalogue.by_id(event.project), tuple(before), tuple(after))


def _none_or_many(what: str, beginning: str, found: list[str]) -> BrainError:
    if found:
        return Ambiguous(f"more than one {what} begins with {beginning}", hint=f"one of them is {found[0]}")
    return NotFound(f"no {what} begins with {beginning}", hint="see `brainproj sessions --all` or `brainproj search`")


def event_value(event: reading.StoredEvent) -> dict[str, object]:
    """One event of `show --json`."""
    return {
        "citation": render_event(event.session_id, event.event_id, event.revision),
        "at": render_time(from_micros(event.at)),
        "speaker": event.speaker,
        "kind": event.kind,
        "tool": event.tool,
        "outcome": event.outcome,
        "text": event.text,
        "flags": flag_names(event.flags),
        "agent_id": event.agent_id,
    }


def flag_names(flags: int) -> list[str]:
    """The names of an event's flags."""
    return [flag.name.lower() for flag in Flag if flag & flags and flag.name]
