"""Writing what was read: events, texts, index, sessions and positions, all of a batch in one transaction.

The one writer (it holds `ingest.lock`) gathers rows and writes them when they come to `BATCH_BYTES`. Numbers of new
rows are given out while gathering, since nobody else makes events, sessions or transcripts meanwhile; texts that others
store meanwhile are found again by their digest.
"""

import sqlite3
from collections.abc import Callable, Sequence
from datetime import datetime

from ..core.events import Event, Kind, Outcome, SessionFacts, Speaker
from ..core.ids import event_number
from ..core.markers import find_markers
from ..core.query import index_text
from ..core.records import TEXT_LETTERS
from ..core.text import readable
from ..core.times import to_micros
from . import codes, texts
from .database import transaction
from .gathering import (
    Forgotten,
    Pending,
    Place,
    SessionRow,
    Tally,
    call_number,
    class_of,
    in_pieces,
    is_pack,
    may_mark,
    record_columns,
    redact_state,
)
from .imports import Imports
from .records import write_marked
from .revise import add_revision, move_session
from .tasks import join_resumed
from .transcripts import Position, write_positions

BATCH_BYTES = 24 << 20
"""Text gathered before it is written: larger batches make the index faster and cost memory (bench/peers.md 2)."""
UNATTRIBUTED = 0  # stands for "no project" where a text is stored


class Writer:
    """Gathers and writes. `redact` is applied to every text before anything else sees it; is_import: see `imports`."""

    def __init__(
        self, db: sqlite3.Connection, redact: Callable[[str], str], now: datetime, *, is_import: bool = False
    ) -> None:
        self.db = db
        self.redact = redact
        self.now = to_micros(now) or 0
        self.tally = Tally()
        self.size_bytes = 0
        self._sessions: dict[tuple[str, str], SessionRow] = {}
        self._changed: dict[int, SessionRow] = {}
        self._next = {table: self._highest(table) for table in ("events", "sessions", "transcripts")}
        self._is_empty = self._next["events"] == 0  # nothing needs to be looked up
        self._is_broken = False
        self._pending: list[Pending] = []
        self._events: list[tuple[object, ...]] = []
        self._owners: dict[int, int] = {}
        self._names: dict[str, str] = {}
        self._moves: list[tuple[SessionRow, str]] = []
        self._bodies: list[tuple[int, int, int, str | bytes]] = []
        self._words: list[tuple[str, str]] = []
        self._digests: dict[int, int] = {}
        self._records: list[tuple[object, ...]] = []
        self._gaps: list[tuple[object, ...]] = []
        self._resumed: list[tuple[SessionRow, str]] = []
        self._positions: dict[int, Position] = {}
        self.forgotten = Forgotten(db)
        self.family_of: Callable[[int], Sequence[int]] = lambda project: (project,)  # all its numbers, by one of them
        self._imports = Imports(db, is_import=is_import)

    def _highest(self, table: str) -> int:
        return self.db.execute(f"SELECT max(id) FROM {table}").fetchone()[0] or 0

    def _take(self, table: str) -> int:
        self._next[table] += 1
        return self._next[table]

    # sessions and transcripts ---------------------------------------------------------------------------------------

    def new_position(self, agent: str, path: str) -> Position:
        """A position for a transcript never read before."""
        return Position(self._take("transcripts"), agent, path, is_new=True)

    def session(self, agent: str, session_id: str) -> SessionRow:
        """The row of a session, made if need be."""
        key = (agent, session_id)
        if key not in self._sessions:
            found = self.db.execute(
                "SELECT id, project, rule FROM sessions WHERE agent = ? AND session_id = ?", key
            ).fetchone()
            if found:
                self._sessions[key] = SessionRow(found[0], agent, session_id, found[1], found[2])
            else:
                self._sessions[key] = SessionRow(self._take("sessions"), agent, session_id, is_new=True)
        return self._sessions[key]

    def describe(
        self, row: SessionRow, facts: SessionFacts, position: Position, title: str | None, *, is_child: bool
    ) -> None:
        """Note what a transcript says of its session; a sub-agent's adds only what the session lacks."""
        title = self.redact(title) if title else None
        said: dict[str, object] = {
            "branch": self.redact(facts.branch) if facts.branch else None,
            "model": self._name(facts.model),
            "last_at": to_micros(facts.last_at),
        }
        if not is_child:
            self._imports.outrank(row.id)
            said |= {
                "cwd": facts.cwd,
                "title": title if facts.own_title is not None else None,
                "has_own_title": int(facts.own_title is not None),
                "parent_id": facts.parent_id,
                "forked_from": facts.forked_from,
                "prompted_by": facts.prompted_by.value,
                "started_at": to_micros(facts.started_at),
                "transcript": position.path,
                "hidden_thinking": facts.hidden_thinking,
                "listed": 1,
            }
        if not is_child and facts.own_title is None:
            row.first_title = row.first_title or title
        row.columns |= {name: value for name, value in said.items() if value is not None}
        row.folders.update(facts.cwds[1:])
        self._touch(row)

    def attribute(
        self, row: SessionRow, project: int | None, rule: str | None, why: str, worktree: str | None, cwd: str | None
    ) -> None:
        """Give a session its project, and the folder by which it was found unless its own transcript names one."""
        row.project, row.rule = project, rule
        if not row.is_new:
            self._moves.append((row, why))  # what a sub-agent's transcript gave it before
        row.columns |= {"project": project, "rule": rule, "why": why, "worktree": worktree}
        row.columns.setdefault("cwd", cwd)
        self._touch(row)

    def _touch(self, row: SessionRow) -> None:
        row.is_changed = True
        self._changed[row.id] = row

    def done(self, position: Position) -> None:
        """Queue a position; it is written together with the events gathered so far."""
        if position.state is not None:  # it holds a title and a branch
            position.state = redact_state(position.state, self.redact)
        self._positions[position.id] = position

    def _name(self, text: str | None) -> str | None:
        """A short text that comes again and again (a tool, a model), redacted."""
        if text is None:
            return None
        if text not in self._names:
            self._names[text] = self.redact(text)[:200]
        return self._names[text]

    # events ---------------------------------------------------------------------------------------------------------

    def add(
        self, event: Event, row: SessionRow, position: Position, place: Place, *, again: bool = False
    ) -> int | None:
        """Gather one event; its number, or None if it was forgotten. `again`: its line was read before."""
        if event.native_id is not None:
            code = event_number(row.agent, event.native_id, event.part)
        else:
            whose = (row.agent, row.session_id, event.agent_id or "")
            code = event_number(*whose, place.mark, place.offset, f"{place.number}.{event.part}")
        return self.add_as(code, event, row, position.id, place.offset, call_number(event.call_id), again=again)

    def add_as(
        self, code: int, event: Event, row: SessionRow, source: int, at: int, call: int | None, *, again: bool = False
    ) -> int | None:
        """Gather an event whose id is known. `at`: its place. `call`: the number that pairs a call with its result."""
        if self.forgotten.holds(row, code, event.at):
            return None
        if code in self._owners:
            return code
        self._owners[code] = row.id
        text = self.redact(event.text)
        self._pending.append(Pending(code, event, text, row, source, at, again, call))
        self.size_bytes += len(text) + 400
        self._touch(row)
        return code

    def owner_of(self, code: int) -> int | None:
        """The session that had an event first."""
        if not self._is_empty:
            row = self.db.execute("SELECT session, source FROM events WHERE code = ?", (code,)).fetchone()
            if row is not None and not self._imports.holds(row[1]):
                return int(row[0])
        return self._owners.get(code)

    def _settle(self) -> None:
        """Turn what was gathered into rows: leave out what the store has, find the texts it has."""
        pending = self._pending
        self._imports.give_way(one.code for one in pending)
        stored = {} if self._is_empty else self._stored_events([one.code for one in pending])
        fresh = [one for one in pending if one.code not in stored]
        for one in pending:
            if one.again and one.code in stored:
                self._revise(one, *stored[one.code])
        digests = [self._digest(one) for one in fresh]
        if not self._is_empty:
            self._digests = self._stored_bodies([digest for digest in digests if digest is not None])
        for one, digest in zip(fresh, digests, strict=True):
            self._settle_event(one, digest)
        pending.clear()

    def _digest(self, one: Pending) -> int | None:
        """The digest of an event's text, which is kept as UTF-8 until it is packed."""
        if not one.text:
            return None
        one.raw = one.text.encode("utf-8", "replace")
        one.body_class = class_of(one.event)
        return texts.digest_of(one.row.project or UNATTRIBUTED, one.body_class, one.raw)

    def _settle_event(self, one: Pending, digest: int | None) -> None:
        event, row = one.event, one.row
        number = self._take("events")
        body = None
        if digest is not None:
            body = self._body(digest, one.text, one.raw, row.project or UNATTRIBUTED, one.body_class)
        self._events.append(
            (
                number,
                one.code,
                row.id,
                one.source,
                one.offset,
                to_micros(event.at),
                codes.KINDS[event.kind],
                codes.SPEAKERS[event.speaker],
                None if event.outcome is None else codes.OUTCOMES[event.outcome],
                int(event.flags),
                self._name(event.tool),
                event.agent_id,
                one.call,
                body,
            )
        )
        self._count(event, row)
        if event.kind is Kind.REPLY and "<!--" in one.text and may_mark(event):
            self._mark(one.text, event, row, number, one.code)
        if is_pack(event):
            self._resumed.append((row, one.text))

    def _stored_events(self, wanted: list[int]) -> dict[int, tuple[int, int | None]]:
        """(row, body) of those events that are stored, by code."""
        rows = in_pieces(self.db, "SELECT code, id, body FROM events WHERE code IN", wanted)
        return {row[0]: (row[1], row[2]) for row in rows}

    def _stored_bodies(self, wanted: list[int]) -> dict[int, int]:
        rows = in_pieces(self.db, "SELECT digest, id FROM bodies WHERE digest IN", wanted)
        return {row[0]: row[1] for row in rows}

    def _revise(self, one: Pending, number: int, body: int | None) -> None:
        """An event that was read again: a text that now differs becomes a new revision."""
        if (texts.read_text(self.db, body) or "") != one.text:
            why = "the rules of redaction, or of reading, changed"
            add_revision(self.db, number, one.text, class_of(one.event), self.now, why)

    def _count(self, event: Event, row: SessionRow) -> None:
        row.count("events")
        self.tally.events += 1
        by_agent = self.tally.events_by_agent
        by_agent[row.agent] = by_agent.get(row.agent, 0) + 1
        kind = event.kind
        if kind is Kind.PROMPT:
            if event.is_prompt and event.agent_id is None:
                row.count("prompts")
        elif kind is Kind.TOOL_CALL:
            row.count("tool_calls")
        elif kind is Kind.TOOL_RESULT:
            if event.outcome is Outcome.FAILED:
                row.count("tool_failures")
        elif kind is Kind.COMPACTION:
            row.columns["compacted"] = 1

    def _body(self, digest: int, text: str, raw: bytes, project: int, number: int) -> int:
        """The number of a text; a negative one stands for a new text until it is written."""
        body = self._digests.get(digest)
        if body is None:
            self._bodies.append((digest, project, number, texts.pack(raw, text)))
            self._words.append((index_text(text), codes.tags_of(project, number)))
            body = self._digests[digest] = -len(self._bodies)
        return body

    def _mark(self, text: str, event: Event, row: SessionRow, event_row: int, event_code: int) -> None:
        """Turn the markers of a reply into records: a decision is proposed, whatever else was said stands."""
        for number, marker in enumerate(find_markers(text)):
            code = event_number("record", event_code, number)
            if code in self.forgotten.records:
                continue
            content = marker.text[:TEXT_LETTERS]
            raw = content.encode("utf-8", "replace")
            speaker = codes.SPEAKERS[Speaker.ASSISTANT]
            kind = codes.RECORD_KINDS[marker.kind.value]
            body_class = codes.body_class(kind, speaker, failed=False, hidden=False)
            project = row.project or UNATTRIBUTED
            digest = texts.digest_of(project, body_class, raw)
            if digest not in self._digests:  # said before, in a session that was read earlier
                self._digests |= self._stored_bodies([digest])
            body = self._body(digest, content, raw, project, body_class)
            self._records.append((code, *record_columns(marker, event, row, event_row), body))

    def add_gap(self, position: Position, offset: int, reason: str, raw: bytes, *, bad: bool) -> None:
        """Keep a line nobody could read: redacted, packed, given to no speaker."""
        text = self.redact(readable(raw))
        packed = texts.pack(text.encode("utf-8"), text) if text else None
        stored = packed.encode("utf-8") if isinstance(packed, str) else packed
        self._gaps.append((position.id, position.generation, offset, self.redact(reason), int(bad), stored))
        if bad:
            self.tally.bad_lines += 1
        else:
            self.tally.gaps += 1
        self.size_bytes += len(stored or b"")

    # writing --------------------------------------------------------------------------------------------------------

    def flush(self) -> None:
        """Write everything gathered, in one transaction."""
        if self._is_broken or not (self._positions or self._changed or self._pending or self._gaps):
            return
        self._is_broken = True  # until it has ended well: what was half settled must not be written later
        with transaction(self.db):
            self._settle()
            self._write_rows()
            for row, why in self._moves:
                move_session(self.db, row.id, row.project, row.rule or "", why)
        for rows in (self._events, self._bodies, self._words, self._records, self._gaps, self._resumed, self._moves):
            rows.clear()
        for index in (self._digests, self._positions, self._changed, self._sessions, self._owners):
            index.clear()
        self.size_bytes = 0
        self._is_empty = self._is_broken = False

    def _write_rows(self) -> None:
        db = self.db
        numbers = self._write_bodies()
        db.executemany(
            "INSERT INTO events(id, code, session, source, place, at, kind, speaker, outcome, flags, tool, agent_id,"
            " call, body) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            ((*row[:-1], numbers.get(row[-1], row[-1])) for row in self._events),
        )
        write_marked(db, [(*row[:-1], numbers.get(row[-1], row[-1])) for row in self._records])
        db.executemany("INSERT OR REPLACE INTO gaps VALUES(?,?,?,?,?,?)", self._gaps)
        for row, answer in self._resumed:
            if row.project is not None:
                join_resumed(db, self.family_of(row.project), row.agent, row.session_id, answer, self.now)
        for row in self._changed.values():
            self._write_session(row)
        touched = {(row.project,) for row in self._changed.values() if row.project is not None}
        db.executemany("UPDATE projects SET arcs_are_stale = 1 WHERE id = ?", touched)
        write_positions(db, self._positions.values())

    def _write_bodies(self) -> dict[object, int]:
        """Write the new texts; their numbers by the negative ones they were gathered under."""
        first = self._highest("bodies") + 1
        numbers: dict[object, int] = {-place - 1: first + place for place in range(len(self._bodies))}
        self.db.executemany(
            "INSERT INTO bodies(id, digest, project, class, text) VALUES(?,?,?,?,?)",
            ((first + place, *body) for place, body in enumerate(self._bodies)),
        )
        self.db.executemany(
            "INSERT INTO words(rowid, text, tags) VALUES(?,?,?)",
            ((first + place, *words) for place, words in enumerate(self._words)),
        )
        return numbers

    def _write_session(self, row: SessionRow) -> None:
        if row.is_new:
            self.db.execute(
                "INSERT INTO sessions(id, agent, session_id) VALUES(?,?,?)", (row.id, row.agent, row.session_id)
            )
        if row.columns.get("listed"):
            if not self.db.execute("SELECT listed FROM sessions WHERE id = ?", (row.id,)).fetchone()[0]:
                self.tally.sessions_added.add(row.id)
            elif row.counts and row.id not in self.tally.sessions_added:
                self.tally.sessions_updated.add(row.id)
        sets = [f"{name} = ?" for name in row.columns]
        values = list(row.columns.values())
        if row.first_title is not None:
            sets.append("title = coalesce(title, ?)")
            values.append(row.first_title)
        for name, value in row.counts.items():
            sets.append(f"{name} = {name} + ?")
            values.append(value)
        if sets:
            self.db.execute(f"UPDATE sessions SET {', '.join(sets)} WHERE id = ?", (*values, row.id))
        self.db.executemany(
            "INSERT OR IGNORE INTO session_folders VALUES(?,?)", ((row.id, folder) for folder in row.folders)
        )
        row.counts.clear()
        row.columns.clear()
