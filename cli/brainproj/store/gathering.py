"""What the writer gathers before it writes: sessions with their counts, what was written, what was forgotten."""

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from typing import Any, NamedTuple

from ..core.events import Event, Flag, Kind, Outcome, Speaker
from ..core.forgetting import KeptOut
from ..core.markers import Marker
from ..core.remote import Piece
from ..core.times import to_micros
from . import codes


class Place(NamedTuple):
    """Where an event stands: the offset of its line, its number in it, and what marks the line (core/ids.line_mark)."""

    offset: int
    number: int
    mark: str


@dataclass(slots=True)
class SessionRow:
    """A session while it is being written. Counts are what this batch adds; a first title counts if there is none.

    rule: what decided its project; None until its own transcript was seen.
    """

    id: int
    agent: str
    session_id: str
    project: int | None = None
    rule: str | None = None
    is_new: bool = False
    is_changed: bool = False
    counts: dict[str, int] = field(default_factory=dict)
    columns: dict[str, object] = field(default_factory=dict)
    first_title: str | None = None
    folders: set[str] = field(default_factory=set)

    def count(self, name: str) -> None:
        self.counts[name] = self.counts.get(name, 0) + 1


@dataclass(slots=True)
class Tally:
    """What was written, for the report."""

    events: int = 0
    gaps: int = 0
    bad_lines: int = 0
    events_by_agent: dict[str, int] = field(default_factory=dict)
    sessions_added: set[int] = field(default_factory=set)
    sessions_updated: set[int] = field(default_factory=set)


class Forgotten:
    """What must not be stored again."""

    def __init__(self, db: sqlite3.Connection) -> None:
        rows = db.execute("SELECT what, value FROM tombstones").fetchall()
        self.sessions = {value for what, value in rows if what == "session"}
        self.events = {int(value) for what, value in rows if what == "event"}
        self.records = {int(value) for what, value in rows if what == "record"}
        self.pieces = {value for what, value in rows if what == "piece"}
        self.told = KeptOut(value for what, value in rows if what == "told")
        self._session_ids = {value.partition(" ")[2] for value in self.sessions}
        self.before = max((int(value) for what, value in rows if what == "before"), default=None)

    def holds_session(self, row: SessionRow) -> bool:
        """Whether this whole session was forgotten."""
        return f"{row.agent} {row.session_id}" in self.sessions

    def holds_piece(self, piece: Piece) -> bool:
        """Whether what a brain told was forgotten, alone or with a session that it is of."""
        gone = self._session_ids
        at = to_micros(piece.at)
        is_old = self.before is not None and at is not None and at < self.before
        if is_old or piece.letters in self.pieces or gone & {piece.session_id, *piece.sessions}:
            return True
        return self.told.holds(piece.title)

    def holds(self, row: SessionRow, code: int, at: datetime | None) -> bool:
        """Whether this event was forgotten, alone or with what it belongs to."""
        if code in self.events or (self.sessions and self.holds_session(row)):
            return True
        return self.before is not None and at is not None and (to_micros(at) or 0) < self.before


@dataclass(slots=True)
class Pending:
    """An event that was read and redacted, until its batch is written."""

    code: int
    event: Event
    text: str
    row: SessionRow
    source: int
    offset: int
    again: bool
    call: int | None = None
    raw: bytes = b""
    body_class: int = 0


def class_of(event: Event) -> int:
    """The class of an event's text (store/codes.py)."""
    hidden = event.speaker is Speaker.HARNESS or event.kind is Kind.THINKING or is_echo(event)
    return codes.body_class(
        codes.KINDS[event.kind], codes.SPEAKERS[event.speaker], failed=event.outcome is Outcome.FAILED, hidden=hidden
    )


def is_echo(event: Event) -> bool:
    """Whether it only repeats what we said."""
    return event.flags != 0 and bool(event.flags & Flag.ECHO)


def is_pack(event: Event) -> bool:
    """Whether it may be what `resume` answered, our tool or the command; not what another tool of ours opened."""
    tool = event.tool or ""
    return is_echo(event) and event.kind is Kind.TOOL_RESULT and ("brainproj" not in tool or tool.endswith("resume"))


def may_mark(event: Event) -> bool:
    """Whether a marker in it counts: only the assistant's own words are a source (cases/30)."""
    return event.speaker is Speaker.ASSISTANT and not is_echo(event)


def redact_state(value: Any, redact: Callable[[str], str], name: str = "") -> Any:
    """A reader's state without secrets; folders and ids are what we match on, and stay."""
    if isinstance(value, dict):
        return {key: redact_state(item, redact, str(key)) for key, item in value.items()}
    if name in ("cwd", "cwds") or name.endswith(("_id", "_at")):
        return value
    if isinstance(value, list):
        return [redact_state(item, redact, name) for item in value]
    return redact(value) if isinstance(value, str) else value


def call_number(call_id: str | None) -> int | None:
    """A number that a call and its result share."""
    if call_id is None:
        return None
    return int.from_bytes(blake2b(call_id.encode("utf-8", "replace"), digest_size=8).digest(), "big", signed=True)


def record_columns(marker: Marker, event: Event, row: SessionRow, event_row: int) -> tuple[object, ...]:
    """The columns of the record that a marker makes, from `kind` to `attributes`: a decision is only proposed."""
    kind, attributes = marker.kind.value, dict(marker.attributes)
    status = "proposed" if kind == "decision" else "current"
    said = (marker.start, marker.end, to_micros(event.at), attributes.get("title"), json.dumps(attributes))
    return (kind, status, row.project, row.id, event_row, *said)


def in_pieces(db: sqlite3.Connection, sql: str, values: Sequence[int | str]) -> Iterator[Any]:
    """The rows of a query whose list of values is too long for one statement."""
    for start in range(0, len(values), 1000):
        some = values[start : start + 1000]
        yield from db.execute(f"{sql} ({','.join('?' * len(some))})", some)
