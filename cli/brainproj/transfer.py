"""One project's memory as JSONL, out of a store and into another: ids kept, every text redacted again on both ways.

The first line says what it is and of which project; then a session and its events, and so on. Records come last: those
that a reply holds are for readers, since a store makes them from the replies; the others are taken in. A decision or
handoff that is official elsewhere arrives as proposed, and only a person here makes it official. Importing twice adds
nothing; what was forgotten stays forgotten.
"""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from .agents.registry import AGENT_NAMES
from .core.catalogue import KnownProject
from .core.events import Event, Flag, Kind, Outcome, PromptedBy, SessionFacts, Speaker
from .core.ids import EVENT_ID_LETTERS
from .core.people import IMPORTED, clean_name, is_person_key
from .core.records import LINKS_AT_MOST, TEXT_LETTERS, Links, clean_place
from .core.records import Status as RecordStatus
from .core.tasks import GOAL_LETTERS, TITLE_LETTERS, JoinedBy, Status, make_slug
from .core.text import encodable, one_line
from .core.times import parse_time, render_time, to_micros
from .documents.registry import SOURCES
from .documents.source import TEXT_BYTES
from .errors import BrainError
from .store import codes
from .store.database import transaction
from .store.documents import NewDocument, add_document, find_document
from .store.documents import is_forgotten as is_document_forgotten
from .store.gathering import SessionRow
from .store.people import ensure_person
from .store.records import NewRecord, add_record, find_by_code
from .store.records import is_forgotten as is_record_forgotten
from .store.tasks import NewTask, add_task, is_forgotten, join, list_tasks, set_status
from .store.transcripts import Position, read_position
from .store.transfer import NUMBERED, iter_project
from .store.writer import BATCH_BYTES, Writer

FORMAT = "brainproj-export"
VERSION = 1
LINE_LIMIT = 64 << 20
"""Bytes; a stored text has 32 MiB at most."""
ID_LETTERS = 200
"""Letters of a session's id; the agents' own have 36."""
HIDDEN_TEXTS = ("text", "title", "goal", "branch", "swarm", "swarm_task", "tool", "model", "attributes", "address")
DOCUMENT_KINDS = tuple(source.kind for source in SOURCES)
LINK_LETTERS = 200
"""Letters of a citation; ours have some thirty."""
HIDDEN_LISTS = ("applies_to", "evidence")


class NotAnExport(BrainError):
    """The file is none of our exports, or one of a newer version."""


@dataclass(slots=True)
class Imported:
    """What an import did; `value` is its JSON. known: events that were stored before. bad_lines: named in problems."""

    project: KnownProject
    events_read: int = 0
    events_added: int = 0
    sessions_added: int = 0
    bad_lines: int = 0
    problems: list[str] = field(default_factory=list)

    def value(self) -> dict[str, object]:
        """As JSON."""
        return {
            "project": {"key": self.project.key, "name": self.project.name, "remote": self.project.remote},
            "sessions": {"added": self.sessions_added},
            "events": {"added": self.events_added, "known": self.events_read - self.events_added},
            "bad_lines": self.bad_lines,
            "problems": self.problems,
        }


def export_project(
    db: sqlite3.Connection, project: KnownProject, redact: Callable[[str], str], now: datetime
) -> Iterator[str]:
    """The lines of an export, each a JSON object, without the line's end."""
    head = {
        "type": FORMAT,
        "version": VERSION,
        "exported_at": render_time(now),
        "project": {"key": project.key, "name": project.name, "remote": project.remote},
    }
    yield json.dumps(head, ensure_ascii=False)
    for row in iter_project(db, project.ids):
        hidden: dict[str, Any] = {name: redact(row[name]) for name in HIDDEN_TEXTS if isinstance(row.get(name), str)}
        for name in HIDDEN_LISTS:
            if isinstance(row.get(name), list):
                hidden[name] = [redact(one) for one in row[name]]
        if isinstance(person := row.get("person"), dict) and person["name"]:
            hidden["person"] = {**person, "name": redact(person["name"])}
        yield json.dumps({**row, **hidden}, ensure_ascii=False)


def read_head(line: bytes, name: str, redact: Callable[[str], str]) -> dict[str, str | None]:
    """The project that an export is of: key, name, remote. Raises NotAnExport."""
    head = _object(line)
    project = head.get("project") if head else None
    key = _text(project.get("key")) if isinstance(project, dict) else None
    if head is None or head.get("type") != FORMAT or not isinstance(project, dict) or not key or redact(key) != key:
        raise NotAnExport(f"{name} is no export of brainproj", hint="make one with `brainproj export PROJECT`")
    if head.get("version") != VERSION:
        raise NotAnExport(
            f"{name} was written by a newer brainproj (version {head.get('version')}, this one knows {VERSION})",
            hint="upgrade with `uv tool upgrade brainproj`",
        )
    spoken = redact(_text(project.get("name")) or "")
    return {
        "key": key,
        "name": spoken or key.rpartition("/")[2],
        "remote": key if project.get("remote") == key else None,
    }


class Importer:
    """Takes the lines of an export, one by one, into a writer."""

    def __init__(self, db: sqlite3.Connection, writer: Writer, project: KnownProject, name: str) -> None:
        self.db, self.writer, self.name = db, writer, name
        self.number = project.ids[0]
        self.redact = writer.redact
        self.report = Imported(project)
        self._told: set[tuple[str, str]] = set()
        """Sessions that are new, and that a line of the export told of."""
        self._positions: dict[tuple[str, str, int], Position] = {}

    def take_all(self, lines: Iterable[bytes]) -> Imported:
        """Take every line. What was read before a stop is stored, and a second time completes it."""
        try:
            for number, line in enumerate(lines, 2):
                if line.strip() and not self._take(line):
                    self.report.bad_lines += 1
                    self.report.problems.append(f"{self.name}:{number} was passed over: it is no line of an export")
        finally:
            self._flush()
            self.report.events_added = self.writer.tally.events
            self.report.sessions_added = len(self.writer.tally.sessions_added)
        return self.report

    def _flush(self) -> None:
        self.writer.flush()
        self._positions.clear()

    def _take(self, line: bytes) -> bool:
        row = _object(line)
        if row is None:
            return False
        try:
            if row["type"] == "session":
                self._take_session(row)
            elif row["type"] == "event":
                self._take_event(row)
            elif row["type"] == "task":
                self._take_task(row)
            elif row["type"] == "document":
                self._take_document(row)
            elif row["type"] == "record":
                self._take_record(row)
            else:
                return False
        except (KeyError, TypeError, ValueError, OverflowError):
            return False
        if self.writer.size_bytes >= BATCH_BYTES:
            self._flush()
        return True

    def _take_session(self, row: dict[str, Any]) -> None:
        """A session of the export's project; one that is here already is left as it is."""
        known = self._session(row)
        if known is None or not known.is_new or self.writer.forgotten.holds_session(known):
            return
        cwd = self._text(row.get("cwd"))
        facts = SessionFacts(
            session_id=known.session_id,
            parent_id=self._text(row.get("parent_id")),
            forked_from=self._text(row.get("forked_from")),
            cwd=cwd,
            branch=self._text(row.get("branch")),
            model=self._text(row.get("model")),
            own_title=self._text(row.get("title")) if row.get("has_own_title") else None,
            prompted_by=PromptedBy(row.get("prompted_by") or "person"),
            started_at=parse_time(row.get("started_at")),
            last_at=parse_time(row.get("last_at")),
            hidden_thinking=_number(row.get("hidden_thinking") or 0, 0, 1 << 31),
        )
        position = self._position(known, 0)
        title = self._text(row.get("title"))
        self.writer.describe(known, facts, position, title, is_child=not row.get("listed", True))
        known.columns.pop("transcript", None)  # it stayed where it was written
        why = f"it was imported from {self.name}"
        self.writer.attribute(known, self.number, None, why, self._text(row.get("worktree")), cwd)
        known.columns["person"] = self._person(row.get("person"))
        self._told.add((known.agent, known.session_id))

    def _take_event(self, row: dict[str, Any]) -> None:
        known = self._session(row)
        if known is None or (known.is_new and (known.agent, known.session_id) not in self._told):
            raise ValueError("an event of a session that nobody told of, or of another project")
        event = Event(
            kind=Kind(row["kind"]),
            speaker=Speaker(row["speaker"]),
            text=_needed(row, "text", may_be_empty=True),
            at=parse_time(row.get("at")),
            tool=self._text(row.get("tool")),
            outcome=Outcome(row["outcome"]) if row.get("outcome") else None,
            flags=Flag(_number(row.get("flags") or 0, 0, 1 << 16)),
            agent_id=self._text(row.get("agent_id")),
        )
        letters = _event_letters(row)
        call = None if row.get("call") is None else _number(row["call"], -(1 << 63), 1 << 63)
        place = _number(row["place"], 0, 1 << 62)
        position = self._position(known, _number(row.get("source") or 0, 0, 1 << 31))
        self.report.events_read += 1
        self.writer.add_as(codes.id_number(letters), event, known, position.id, place, call)

    def _take_task(self, row: dict[str, Any]) -> None:
        """A task of the export's project; one that is here already, by its id, is left as it is."""
        title = one_line(self._text(row.get("title")) or "")[:TITLE_LETTERS]
        known = {task.slug for task in list_tasks(self.db, self.report.project.ids)}
        slug = _needed(row, "id")
        if not title or slug != make_slug(slug, ()) or self.redact(slug) != slug:
            raise ValueError(slug)
        if slug in known or is_forgotten(self.db, self.number, slug):
            return
        goal = (self._text(row.get("goal")) or "").strip()[:GOAL_LETTERS]
        branch, swarm, swarm_task = (self._text(row.get(name)) for name in ("branch", "swarm", "swarm_task"))
        text = f"{title}\n{goal}" if goal else title
        person, by_agent = self._person(row.get("person")), row.get("by_agent") is True
        opened = to_micros(parse_time(row.get("opened_at"))) or self.writer.now
        new = NewTask(slug, text, branch, swarm, swarm_task, person, by_agent)
        with transaction(self.db):
            task = add_task(self.db, self.number, new, opened)
            if row.get("status") == Status.CLOSED.value:
                set_status(self.db, task, Status.CLOSED, to_micros(parse_time(row.get("closed_at"))) or opened)
            for one in row.get("sessions") or ():
                agent, session_id = self.redact(_needed(one, "agent")), self.redact(_needed(one, "session_id"))
                at = to_micros(parse_time(one.get("at"))) or opened
                if agent in AGENT_NAMES and len(session_id) <= ID_LETTERS:
                    join(self.db, task, agent, session_id, JoinedBy(one["joined_by"]), at)

    def _take_record(self, row: dict[str, Any]) -> None:
        """A record that no reply holds, since the others come of those; what was official is a proposal here."""
        if row.get("event") is not None:
            return
        kind, text = _needed(row, "kind"), self._text(row.get("text"))
        code = codes.id_number(_event_letters(row))
        if kind not in codes.RECORD_KINDS or text is None or len(text) > TEXT_LETTERS:
            raise ValueError(kind)
        status = RecordStatus(_needed(row, "status"))
        if kind in codes.RULED and status is RecordStatus.CURRENT:
            status = RecordStatus.PROPOSED
        tasks = {task.slug: task.number for task in list_tasks(self.db, self.report.project.ids)}
        others = (find_by_code(self.db, codes.id_number(one)) for one in _texts(row.get("replaces")))
        cited = [find_by_code(self.db, codes.id_number(one)) for one in _texts(row.get("cites"))]
        links = Links(
            tuple(self.redact(clean_place(one)) for one in _texts(row.get("applies_to"))),
            (*self._evidence(row), *(f"rec:{one}" for one in cited if one is not None)),
            tuple(one for one in others if one is not None),
        )
        at, author = to_micros(parse_time(row.get("at"))), self._person(row.get("person"))
        task, title = tasks.get(row.get("task") or ""), self._text(row.get("title"))
        by: dict[str, object] = {"by": "an import"}
        new = NewRecord(code, kind, status, self.number, text, at, author, task, title, by, links)
        with transaction(self.db):
            if find_by_code(self.db, code) is None and not is_record_forgotten(self.db, code):
                add_record(self.db, new)

    def _evidence(self, row: dict[str, Any]) -> list[str]:
        """Citations that mean the same here; numbers of the other store do not."""
        clean = (self.redact(one)[:LINK_LETTERS] for one in _texts(row.get("evidence")))
        return [one for one in clean if not one.strip("[ ").startswith(NUMBERED)]

    def _take_document(self, row: dict[str, Any]) -> None:
        """A document of the export's project; one that is here already, by its address, is left as it is."""
        kind, address = _needed(row, "kind"), self._text(row.get("address"))
        title, text = self._text(row.get("title")), self._text(row.get("text"))
        if kind not in DOCUMENT_KINDS or not (address and title and text) or len(text) > TEXT_BYTES:
            raise ValueError(kind)
        tasks = {task.slug: task.number for task in list_tasks(self.db, self.report.project.ids)}
        new = NewDocument(
            kind, address, title, text, row.get("fetched") is True, tasks.get(row.get("task") or ""),
            self._person(row.get("person")), row.get("by_agent") is True,
        )  # fmt: skip
        at = to_micros(parse_time(row.get("changed_at"))) or self.writer.now
        with transaction(self.db):
            is_known = find_document(self.db, self.report.project.ids, kind, address) is not None
            if not is_known and not is_document_forgotten(self.db, self.number, kind, address):
                add_document(self.db, self.number, new, at)

    def _session(self, row: dict[str, Any]) -> SessionRow | None:
        """The row of a session; None where it is stored, and of another project than the export's."""
        agent, session_id = self.redact(_needed(row, "agent")), self.redact(_needed(row, "session_id"))
        if agent not in AGENT_NAMES or len(session_id) > ID_LETTERS:
            raise ValueError(agent)
        known = self.writer.session(agent, session_id)
        is_ours = known.project in self.report.project.ids or (agent, session_id) in self._told
        return known if known.is_new or is_ours else None

    def _person(self, value: object) -> int | None:
        """Who owns an imported session: whom its export names, and nobody where it names none."""
        key = _text(value.get("id")) if isinstance(value, dict) else None
        if not isinstance(value, dict) or key is None or not is_person_key(key):
            return None
        name = clean_name(self._text(value.get("name")))
        return ensure_person(self.db, IMPORTED + key.removeprefix(IMPORTED), name, self.writer.now)

    def _text(self, value: object) -> str | None:
        """A text of the line, without secrets: also where a folder is expected, since a file can say anything."""
        text = _text(value)
        return self.redact(text) if text else None

    def _position(self, row: SessionRow, source: int) -> Position:
        """What orders the events of one transcript that is not here."""
        key = (row.agent, row.session_id, source)
        if key not in self._positions:
            path = f"import:{row.agent}/{row.session_id}/{source}"
            position = read_position(self.db, path) or self.writer.new_position(row.agent, path)
            self.writer.done(position)
            self._positions[key] = position
        return self._positions[key]


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line) if len(line) <= LINE_LIMIT else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _text(value: object) -> str | None:
    return encodable(value) if isinstance(value, str) and value and "\0" not in value else None


def _number(value: object, low: int, high: int) -> int:
    """A whole number within bounds; the store has 64 bits."""
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value < high:
        raise ValueError(value)
    return value


def _event_letters(row: dict[str, Any]) -> str:
    """The id of an event or record."""
    letters = _needed(row, "id")
    if len(letters) != EVENT_ID_LETTERS:
        raise ValueError(letters)
    return letters


def _texts(values: object) -> list[str]:
    """The texts of a list."""
    found = [_text(one) for one in values] if isinstance(values, list) else []
    return [one for one in found if one is not None][:LINKS_AT_MOST]


def _needed(row: dict[str, Any], name: str, *, may_be_empty: bool = False) -> str:
    value = row[name]
    if not isinstance(value, str) or not (value or may_be_empty):
        raise ValueError(name)
    return encodable(value)
