"""One project's memory as JSONL, out of a store and into another: ids kept, every text redacted again on both ways.

The first line says what it is and of which project; then a session and its events, and so on. Records come last and are
for readers: a store makes them from the replies that hold them, so a decision that was confirmed elsewhere arrives as
proposed, and only a person here makes it official. Importing twice adds nothing; what was forgotten stays forgotten.
"""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from .core.catalogue import KnownProject
from .core.events import Event, Flag, Kind, Outcome, PromptedBy, SessionFacts, Speaker
from .core.text import encodable
from .core.times import parse_time, render_time
from .errors import BrainError
from .store import codes
from .store.gathering import SessionRow
from .store.transcripts import Position, read_position
from .store.transfer import iter_project
from .store.writer import BATCH_BYTES, Writer

FORMAT = "brainproj-export"
VERSION = 1
LINE_LIMIT = 64 << 20
"""Bytes; a stored text has 32 MiB at most."""
HIDDEN_TEXTS = ("text", "title", "branch", "tool", "model", "attributes")


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
        hidden = {name: redact(row[name]) for name in HIDDEN_TEXTS if isinstance(row.get(name), str)}
        yield json.dumps({**row, **hidden}, ensure_ascii=False)


def read_head(line: bytes, name: str) -> dict[str, str | None]:
    """The project that an export is of: key, name, remote. Raises NotAnExport."""
    head = _object(line)
    project = head.get("project") if head else None
    if head is None or head.get("type") != FORMAT or not isinstance(project, dict) or not _text(project.get("key")):
        raise NotAnExport(f"{name} is no export of brainproj", hint="make one with `brainproj export PROJECT`")
    if head.get("version") != VERSION:
        raise NotAnExport(
            f"{name} was written by a newer brainproj (version {head.get('version')}, this one knows {VERSION})",
            hint="upgrade with `uv tool upgrade brainproj`",
        )
    key = str(project["key"])
    return {
        "key": key,
        "name": _text(project.get("name")) or key.rpartition("/")[2],
        "remote": _text(project.get("remote")),
    }


class Importer:
    """Takes the lines of an export, one by one, into a writer."""

    def __init__(self, db: sqlite3.Connection, writer: Writer, project: KnownProject, name: str) -> None:
        self.db, self.writer, self.name = db, writer, name
        self.number = project.ids[0]
        self.report = Imported(project)
        self._rows: dict[tuple[str, str], SessionRow] = {}
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
        self._rows.clear()
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
            elif row["type"] != "record":
                return False
        except (KeyError, TypeError, ValueError, OverflowError):
            return False
        if self.writer.size_bytes >= BATCH_BYTES:
            self._flush()
        return True

    def _take_session(self, row: dict[str, Any]) -> None:
        agent, session_id = _needed(row, "agent"), _needed(row, "session_id")
        known = self.writer.session(agent, session_id)
        if self.writer.forgotten.holds_session(known) or not known.is_new:
            return
        cwd = _text(row.get("cwd"))
        facts = SessionFacts(
            session_id=session_id,
            parent_id=_text(row.get("parent_id")),
            forked_from=_text(row.get("forked_from")),
            cwd=cwd,
            branch=_text(row.get("branch")),
            model=_text(row.get("model")),
            own_title=_text(row.get("title")) if row.get("has_own_title") else None,
            prompted_by=PromptedBy(row.get("prompted_by") or "person"),
            started_at=parse_time(row.get("started_at")),
            last_at=parse_time(row.get("last_at")),
            hidden_thinking=int(row.get("hidden_thinking") or 0),
        )
        position = self._position(agent, session_id, 0)
        self.writer.describe(known, facts, position, _text(row.get("title")), is_child=not row.get("listed", True))
        known.columns.pop("transcript", None)  # it stayed where it was written
        self._attribute(known, _text(row.get("worktree")), cwd)

    def _attribute(self, row: SessionRow, worktree: str | None, cwd: str | None) -> None:
        self.writer.attribute(row, self.number, "explicit", f"it was imported from {self.name}", worktree, cwd)

    def _take_event(self, row: dict[str, Any]) -> None:
        agent, session_id = _needed(row, "agent"), _needed(row, "session_id")
        event = Event(
            kind=Kind(row["kind"]),
            speaker=Speaker(row["speaker"]),
            text=encodable(_needed(row, "text", may_be_empty=True)),
            at=parse_time(row.get("at")),
            tool=_text(row.get("tool")),
            outcome=Outcome(row["outcome"]) if row.get("outcome") else None,
            flags=Flag(int(row.get("flags") or 0)),
            agent_id=_text(row.get("agent_id")),
        )
        letters, call, place = _needed(row, "id"), row.get("call"), int(row["place"])
        if len(letters) != 12 or not (call is None or isinstance(call, int)) or abs(place) >= 1 << 62:
            raise ValueError(letters)
        if isinstance(call, int) and not -(1 << 63) <= call < 1 << 63:
            raise ValueError(call)
        code = codes.id_number(letters)
        known = self.writer.session(agent, session_id)
        if known.project is None and known.is_new:
            self._attribute(known, None, None)
        self.report.events_read += 1
        position = self._position(agent, session_id, int(row.get("source") or 0))
        self.writer.add_as(code, event, known, position.id, place, call)

    def _position(self, agent: str, session_id: str, source: int) -> Position:
        """What orders the events of one transcript that is not here."""
        key = (agent, session_id, source)
        if key not in self._positions:
            path = f"import:{agent}/{session_id}/{source}"
            position = read_position(self.db, path) or self.writer.new_position(agent, path)
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


def _needed(row: dict[str, Any], name: str, *, may_be_empty: bool = False) -> str:
    value = row[name]
    if not isinstance(value, str) or not (value or may_be_empty):
        raise ValueError(name)
    return encodable(value)
