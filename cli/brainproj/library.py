"""The documents of a project: files, notes and links kept on purpose, each with its revisions."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from .core.catalogue import KnownProject
from .core.text import encodable
from .core.times import from_micros, render_time, to_micros
from .documents.registry import SOURCES
from .documents.source import Material
from .errors import NotFound
from .locks import writing
from .paths import Paths
from .store import documents as rows
from .store.documents import Document, NewDocument


@dataclass(frozen=True, slots=True)
class Library:
    """The documents of one project. `redact` is applied to every text before it is stored."""

    paths: Paths
    db: sqlite3.Connection
    project: KnownProject
    redact: Callable[[str], str]
    now: datetime

    def list(self) -> list[Document]:
        """All of them, the one that changed last first."""
        return rows.list_documents(self.db, self.project.ids)

    def add(
        self, given: str, folder: str, title: str | None, task: int | None, person: int | None, *, by_agent: bool
    ) -> tuple[Document, str]:
        """The document as it is kept now, and whether it was added, changed or unchanged. Raises NotFound, Refused."""
        material = read_material(given, folder, self.project.root)
        new = NewDocument(
            material.kind,
            self.redact(encodable(material.address)),
            self.redact(encodable(title or material.title)),
            self.redact(encodable(material.text)),
            material.fetched,
            task,
            person,
            by_agent,
        )
        now = to_micros(self.now) or 0
        with writing(self.paths, self.db):
            known = rows.find_document(self.db, self.project.ids, new.kind, new.address)
            if known is None:
                number, became = rows.add_document(self.db, self.project.ids[0], new, now), "added"
                rows.drop_stone(self.db, self.project.ids[0], new.kind, new.address)
            else:
                number = known.number
                kept = new if title else new._replace(title=known.title)
                is_same = rows.text_of(self.db, known) == kept.text and kept.title == known.title
                became = "unchanged" if is_same and task in (None, known.task) else "changed"
                if is_same:
                    rows.set_task(self.db, number, task if task is not None else known.task)
                else:
                    rows.revise_document(self.db, known, kept, now)
        return rows.list_documents(self.db, None, number)[0], became


def read_material(given: str, folder: str, root: str | None) -> Material:
    """What is to be kept. Raises NotFound for what is no link, no file and no note, Refused."""
    if not given.strip():
        raise NotFound("nothing was named", hint="name a file, a link, or a note in quotes")
    for source in SOURCES:
        if source.takes(given, folder):
            return source.read(given, folder, root)
    raise NotFound(
        f"there is no file {given}", hint="a link begins with https://, and a note has more than one word, in quotes"
    )


def document_value(document: Document, task: str | None) -> dict[str, object]:
    """What `documents --json` and `show doc:N --json` both tell."""
    return {
        "citation": document.citation,
        "kind": "document",
        "what": document.kind,
        "address": document.address,
        "title": document.title,
        "fetched": document.fetched,
        "revision": document.revision,
        "task": task,
        "by": "assistant" if document.by_agent else "person",
        "added_at": render_time(from_micros(document.added_at)),
        "changed_at": render_time(from_micros(document.changed_at)),
    }
