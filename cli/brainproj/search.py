"""Searching what is stored, within the scope: this project by default, others only where they were asked for."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from .config import Scope
from .core.catalogue import Catalogue, KnownProject
from .core.citations import render_event
from .core.query import excerpt, folded, quoted_signs
from .core.times import from_micros, render_time
from .errors import UsageProblem
from .store import codes, texts
from .store import search as index

EXCERPT_LETTERS = 240


@dataclass(frozen=True, slots=True)
class Hit:
    """One text that was found, at its newest place. `places`: the citations of all of them, newest first."""

    citation: str
    project: KnownProject | None
    session_id: str | None
    at: datetime | None
    speaker: str | None
    kind: str
    outcome: str | None
    excerpt: str
    score: float
    places: tuple[str, ...]

    def value(self) -> dict[str, object]:
        """One entry of `search --json`."""
        from .browse import project_value

        return {
            "citation": self.citation,
            "project": project_value(self.project) if self.project else None,
            "session_id": self.session_id,
            "at": render_time(self.at),
            "speaker": self.speaker,
            "kind": self.kind,
            "outcome": self.outcome,
            "excerpt": self.excerpt,
            "score": round(self.score, 4),
            "places": list(self.places),
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """The hits, and whether there are more than these."""

    hits: tuple[Hit, ...]
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Question:
    """What is looked for. `project` None: everywhere, and then `scope` does not matter.

    file: only calls of tools that touch it. is_fts: the words are an expression of FTS5.
    """

    words: str
    project: KnownProject | None
    scope: Scope
    limit: int
    kinds: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    failed: bool = False
    hidden: bool = False
    since: int | None = None
    agent: str | None = None
    thinking: bool = False
    file: str | None = None
    is_fts: bool = False


def search(db: sqlite3.Connection, catalogue: Catalogue, question: Question) -> Answer:
    """The best hits, the own project's first where the scope is `rank`."""
    hits: list[Hit] = []
    is_cut = False
    seen: set[int] = set()
    for projects in _rounds(question):
        wanted = index.Filter(
            projects, question.kinds, question.speakers, question.failed, question.hidden, question.since,
            question.agent, question.thinking,
        )  # fmt: skip
        bodies, more = _bodies(db, question, wanted)
        is_cut = is_cut or more
        for body in bodies:
            if body.body in seen:
                continue
            seen.add(body.body)
            hit = _hit(db, catalogue, body, question)
            if hit is None:
                continue
            if len(hits) >= question.limit:
                return Answer(tuple(hits), True)
            hits.append(hit)
    return Answer(tuple(hits), is_cut)


def _bodies(db: sqlite3.Connection, question: Question, wanted: index.Filter) -> tuple[list[index.BodyHit], bool]:
    words = question.words if question.is_fts or question.file is None else f'{question.words} "{question.file}"'
    try:
        return index.search_bodies(db, words, wanted, is_fts=question.is_fts)
    except index.MalformedQuery as error:
        raise UsageProblem(
            f"{question.words} is no query of FTS5: {error.args[0]}",
            hint="leave out `--fts` to look for it as text, or see https://sqlite.org/fts5.html#full_text_query_syntax",
        ) from error


def _rounds(question: Question) -> Iterator[tuple[int, ...] | None]:
    """Which projects are searched, one after the other."""
    if question.project is None or question.scope is Scope.OFF:
        yield None
        return
    yield question.project.ids
    if question.scope is Scope.RANK:
        yield None


def _touches(call: str, file: str) -> bool:
    from .core.attempts import files_of, is_same_file

    return any(is_same_file(file, one) for one in files_of(call))


def _hit(db: sqlite3.Connection, catalogue: Catalogue, body: index.BodyHit, question: Question) -> Hit | None:
    """A body as it is shown; None where none of its places is recent enough."""
    events = index.event_places(db, body.body, question.since)
    records = index.record_places(db, body.body, question.since)
    arcs = index.arc_places(db, body.body, question.since)
    places = [f"rec:{record.id}" for record in records]
    places += [f"arc:{arc.arc_id}" for arc in arcs]
    places += [render_event(event.session_id, codes.id_letters(event.code), event.revision) for event in events]
    if not places:
        return None
    text = texts.read_text(db, body.body) or ""
    if not question.is_fts and any(part not in folded(text) for part in quoted_signs(question.words)):
        return None
    if question.file is not None and not _touches(text, question.file):
        return None
    first = events[0] if events else None
    at = records[0].at if records else arcs[0].at if arcs else first.at if first else None
    session_id = (records[0].session_id if records else None) or (first.session_id if first else None)
    return Hit(
        citation=places[0],
        project=catalogue.by_id(body.project),
        session_id=session_id,
        at=from_micros(at),
        speaker=first.speaker if first else ("assistant" if records else None),
        kind=body.kind,
        outcome=first.outcome if first else None,
        excerpt=excerpt(text, question.words, EXCERPT_LETTERS),
        score=body.score,
        places=tuple(places),
    )
