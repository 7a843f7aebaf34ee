"""One pass over one transcript: its lines become events, and how far reading has come is noted with them."""

import os
from typing import IO, Protocol

from .agents.adapter import Found, Reader
from .agents.lines import iter_lines, parse_objects
from .core.events import Event, Gap, SessionFacts
from .core.ids import line_mark
from .core.titles import clean_title
from .edges import edges
from .store.gathering import Place, SessionRow
from .store.transcripts import UNFINISHED, Position
from .store.writer import BATCH_BYTES, Writer

HELD_EVENTS = 2000
"""Events of one transcript that wait for a line that names its folder."""


class Owner(Protocol):
    """Who started the reading, and is asked and told on the way."""

    def attribute(self, row: SessionRow, facts: SessionFacts, found: Found) -> None:
        """Give a session its project."""

    def note_problem(self, text: str) -> None:
        """A line was lost."""

    def make_room(self, read_bytes: int) -> None:
        """A batch is about to be written. Raises DiskFull."""


class TranscriptReading:
    """One pass. Events wait until the session's folder is known, then go to the writer one by one."""

    def __init__(self, owner: Owner, found: Found, reader: Reader, position: Position, writer: Writer) -> None:
        self.owner, self.found, self.reader, self.position, self.writer = owner, found, reader, position, writer
        self.again = not position.is_new and position.offset == 0
        self.read_bytes = 0
        self.row: SessionRow | None = None
        self.is_forgotten = False
        self.held: list[tuple[Event, Place]] = []
        self.held_gaps: list[tuple[int, str, bytes, bool]] = []
        self.first_prompt: str | None = None

    def run(self, file: IO[bytes]) -> None:
        """Read from the position to the last whole line. Raises TranscriptUnreadable, DiskFull."""
        position, path = self.position, self.found.path
        for line in iter_lines(file, path, position.offset):
            self.read_bytes += line.length
            if line.too_long:
                self._lose(line.offset, f"is {line.length:,} bytes long", "too long", b"")
            elif line.raw.strip():
                self._line(line.raw, line.offset)
            position.offset = line.offset + line.length
            position.lines += line.has_end
            if self.writer.size_bytes > BATCH_BYTES:
                self._write_batch(file)
        if self.held:
            self._release()
        self._release_gaps()
        self._save(file)

    def _line(self, raw: bytes, offset: int) -> None:
        objects = parse_objects(raw)
        if not objects:
            self._lose(offset, "is no JSON object", "no JSON object", raw)
        index, mark = 0, ""
        for record in objects:
            found = self.reader.read(record)
            if isinstance(found, Gap):
                self._gap(offset, found.reason, raw, bad=False)
                continue
            for event in found:
                if event.native_id is None:
                    mark = mark or line_mark(raw)
                self._event(event, Place(offset, index, mark))
                index += 1

    def _lose(self, offset: int, why: str, reason: str, raw: bytes) -> None:
        self.owner.note_problem(f"{self.found.path}:{self.position.lines + 1} {why} and was passed over")
        self._gap(offset, reason, raw, bad=True)

    def _gap(self, offset: int, reason: str, raw: bytes, *, bad: bool) -> None:
        self.held_gaps.append((offset, reason, raw, bad))
        if self.row is not None or len(self.held_gaps) >= HELD_EVENTS:
            self._release_gaps()

    def _release_gaps(self) -> None:
        for offset, reason, raw, bad in self.held_gaps:
            if not self.is_forgotten:
                self.writer.add_gap(self.position, offset, reason, raw, bad=bad)
        self.held_gaps.clear()

    def _event(self, event: Event, place: Place) -> None:
        if self.row is not None:
            self._add(event, place)
            return
        self.held.append((event, place))
        if self.reader.facts.cwd is not None or len(self.held) >= HELD_EVENTS:
            self._release()

    def _release(self) -> None:
        """The session is known: give it its project and let the events that waited go on.

        Only the session's own transcript decides: a sub-agent may work in another project's folder, and its part may
        be found before the session itself.
        """
        facts = self.reader.facts
        row = self.row = self._session()
        self.is_forgotten = self.writer.forgotten.holds_session(row)
        if self.is_forgotten:
            self.held.clear()
            return
        if row.rule is None and not self._is_child():
            self.owner.attribute(row, facts, self.found)
        self.position.session = row.id
        for event, place in self.held:
            self._add(event, place)
        self.held.clear()

    def _session(self) -> SessionRow:
        stem = os.path.basename(self.found.path).partition(".")[0]  # noqa: PTH119
        return self.writer.session(self.position.agent, self.reader.facts.session_id or stem)

    def _is_child(self) -> bool:
        return self.found.is_child or self.reader.facts.agent_id is not None

    def _add(self, event: Event, place: Place) -> None:
        if self.row is None or self.is_forgotten:
            return
        code = self.writer.add(event, self.row, self.position, place, again=self.again)
        if code is None or self.first_prompt is not None or not event.is_prompt or event.agent_id is not None:
            return
        if self.writer.owner_of(code) == self.row.id:  # not copied from the session that this one goes on from
            self.first_prompt = event.text[:4000]

    def _save(self, file: IO[bytes]) -> None:
        """Note what is known of the session and how far reading has come, to be written with the events before it."""
        facts, path = self.reader.facts, self.found.path
        if self.row is None and self.position.session is not None and facts.session_id is not None:
            self.row = self._session()  # nothing happened, but it may have got another title
            self.is_forgotten = self.writer.forgotten.holds_session(self.row)
        if self.row is not None and facts.is_conversation and not self.is_forgotten:
            self.writer.describe(self.row, facts, self.position, self._title(), is_child=self._is_child())
        self.position.state = None if self.is_forgotten else self.reader.state()
        self.position.start, self.position.tail = edges(file, path, self.position.offset)
        self.writer.done(self.position)

    def _write_batch(self, file: IO[bytes]) -> None:
        """Write what was gathered so far; a kill after it must not leave the transcript looking as if it were read."""
        if self.held:
            self._release()
        self._save(file)
        size_bytes, self.position.size_bytes = self.position.size_bytes, UNFINISHED
        self.owner.make_room(self.position.offset)
        self.writer.flush()
        self.position.size_bytes = size_bytes
        if self.row is not None:
            self.row = self.writer.session(self.position.agent, self.row.session_id)

    def _title(self) -> str | None:
        """The agent's own title, else the first thing a person typed; what an earlier pass found stays."""
        title = self.reader.facts.own_title or self.first_prompt
        return clean_title(self.writer.redact(title)) if title else None
