"""A record with all that is kept of it: what it is tied to, its earlier texts, and what persons did to it."""

import json
import sqlite3
from dataclasses import dataclass

from .core.catalogue import Catalogue, KnownProject
from .core.citations import render_event
from .core.records import Links
from .core.times import from_micros, render_time
from .store import records as rows
from .store import tasks as task_rows
from .store.codes import id_letters
from .store.records import StoredAct, StoredRecord
from .store.search import read_replacements


@dataclass(frozen=True, slots=True)
class RecordText:
    """A record and where it was said. replaced_by: the number of what took its place. task: a citation.

    earlier: (revision, text, until when in microseconds, why) of the texts that it had.
    """

    record: StoredRecord
    project: KnownProject | None
    links: Links
    replaced_by: int | None
    task: str | None
    acts: tuple[StoredAct, ...]
    earlier: tuple[tuple[int, str, int, str], ...]

    @property
    def source(self) -> str | None:
        """The citation of the passage it was made from."""
        record = self.record
        if record.event_code is None or record.session_id is None:
            return None
        span = (
            (record.span_start, record.span_end)
            if record.span_start is not None and record.span_end is not None
            else None
        )
        return render_event(record.session_id, id_letters(record.event_code), span=span)

    @property
    def said_by(self) -> str:
        """Whose words it is: a person's, or an agent's."""
        if self.record.author is not None:
            return self.record.confirmed_by or "a person"
        return self.record.agent or str(json.loads(self.record.attributes).get("by") or "an agent")

    def value(self) -> dict[str, object]:
        """The document of `show rec:N --json`."""
        return {
            **record_value(self.record, self.links, self.replaced_by, self.task),
            "project": self.project.value() if self.project else None,
            "revision": self.record.revision,
            "source": self.source,
            "attributes": json.loads(self.record.attributes),
            "history": [_act_value(act) for act in self.acts],
            "earlier": [
                {"revision": revision, "text": text, "until": render_time(from_micros(until)), "why": why}
                for revision, text, until, why in self.earlier
            ],
            "before": [],
            "after": [],
        }


def record_value(record: StoredRecord, links: Links, replaced_by: int | None, task: str | None) -> dict[str, object]:
    """What `records --json` and `show --json` both tell of a record."""
    return {
        "citation": record.citation,
        "kind": record.kind,
        "status": record.status,
        "at": render_time(from_micros(record.at)),
        "session_id": record.session_id,
        "title": record.title,
        "text": record.text,
        "confirmed_by": record.confirmed_by,
        "decided_at": render_time(from_micros(record.decided_at)),
        "by": "assistant" if record.author is None else "person",
        "applies_to": list(links.applies_to),
        "evidence": list(links.cites),
        "replaces": [f"rec:{number}" for number in links.replaces],
        "replaced_by": f"rec:{replaced_by}" if replaced_by is not None else None,
        "task": task,
    }


def _act_value(act: StoredAct) -> dict[str, object]:
    return {
        "at": render_time(from_micros(act.at)),
        "what": act.what,
        "status": act.status,
        "who": act.who,
        "terminal": act.terminal,
        "parents": json.loads(act.parents),
        "other": f"rec:{act.other}" if act.other is not None else None,
    }


def read_record_text(db: sqlite3.Connection, catalogue: Catalogue, record: StoredRecord) -> RecordText:
    """All that is kept of a record."""
    project = catalogue.by_id(record.project)
    return RecordText(
        record,
        project,
        rows.read_links(db, [record.id])[record.id],
        read_replacements(db, [record.id]).get(record.id),
        task_citations(db, project).get(record.task or 0),
        tuple(rows.list_acts(db, record.id)),
        tuple(rows.list_earlier(db, record.id)),
    )


def task_citations(db: sqlite3.Connection, project: KnownProject | None) -> dict[int, str]:
    """The citation of each task of a project, by its number."""
    found = task_rows.list_tasks(db, project.ids) if project and project.ids else []
    return {task.number: task.citation for task in found}
