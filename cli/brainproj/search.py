"""Searching what is stored, within the scope: this project by default, others only where they were asked for."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING

from .config import Scope
from .core.catalogue import Catalogue, KnownProject
from .core.citations import render_event
from .core.folding import is_same_output, output_head, says_again
from .core.query import excerpt, folded, quoted_signs
from .core.times import from_micros, render_time
from .errors import UsageProblem
from .store import codes, texts
from .store import search as index

if TYPE_CHECKING:
    from .partial import PartialHit

EXCERPT_LETTERS = 240
OUTPUT, TITLE = "tool_result", "arc"
DERIVED = frozenset([TITLE, *codes.RECORD_KINDS])
"""Kinds whose text was taken from an event's."""


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
    missing: tuple[str, ...] = ()

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
            "missing": list(self.missing),
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """The hits, and whether there are more than these."""

    hits: tuple[Hit, ...]
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Question:
    """What is looked for. `project` None: everywhere, and then `scope` does not matter.

    file: only calls of tools that touch it. is_fts: the words are an expression of FTS5. persons: only what these typed
    themselves; numbers of rows.
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
    persons: tuple[int, ...] = ()


def search(db: sqlite3.Connection, catalogue: Catalogue, question: Question) -> Answer:
    """The best hits, the own project's first where the scope is `rank`.

    Passages that hold only most of the words come after those that hold all, where these are fewer than asked for.
    """
    gathered = _Gathered()
    is_cut = False
    seen: set[int] = set()
    for projects in _rounds(question):
        wanted = index.Filter(
            projects, question.kinds, question.speakers, question.failed, question.hidden, question.since,
            question.agent, question.thinking, question.persons,
        )  # fmt: skip
        bodies, more = _bodies(db, question, wanted)
        is_cut = is_cut or more
        for body in chain(bodies, _partial(db, question, wanted, len(gathered.hits) + len(bodies))):
            if body.body in seen:
                continue
            seen.add(body.body)
            text = texts.read_text(db, body.body) or ""
            hit = _hit(db, catalogue, body, text, question)
            if hit is None or gathered.folds(hit, text):
                continue
            if len(gathered.hits) >= question.limit:
                return Answer(tuple(gathered.hits), True)
            gathered.add(hit, text)
    return Answer(tuple(gathered.hits), is_cut)


@dataclass(slots=True)
class _Gathered:
    """The hits so far; what says the same as one of them again becomes one more place of it."""

    hits: list[Hit] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    outputs: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    def add(self, hit: Hit, text: str) -> None:
        """One more hit."""
        if hit.kind == OUTPUT:
            self.outputs.setdefault(_output_head(hit, text), []).append(len(self.hits))
        self.hits.append(hit)
        self.texts.append(text)

    def folds(self, hit: Hit, text: str) -> bool:
        """Whether a hit said nothing new. A title gives way to what it was cut from, wherever that came."""
        place = self._place_of(hit, text)
        if place is None:
            return False
        first = self.hits[place]
        kept, other = (hit, first) if first.kind == TITLE and hit.kind != TITLE else (first, hit)
        if kept is hit:
            self.texts[place] = text
        self.hits[place] = replace(kept, places=(*kept.places, *other.places), score=max(kept.score, other.score))
        return True

    def _place_of(self, hit: Hit, text: str) -> int | None:
        if hit.kind == OUTPUT:
            alike = self.outputs.get(_output_head(hit, text), ())
            return next((place for place in alike if is_same_output(text, self.texts[place])), None)
        for place, other in enumerate(self.hits):
            if (other.kind not in DERIVED and hit.kind not in DERIVED) or hit.project != other.project:
                continue
            if TITLE not in (hit.kind, other.kind) and hit.session_id != other.session_id:
                continue
            part, whole = (text, self.texts[place]) if hit.kind in DERIVED else (self.texts[place], text)
            if says_again(part, whole):
                return place
        return None


def _output_head(hit: Hit, text: str) -> tuple[str, str]:
    return hit.project.key if hit.project else "", output_head(text)


def _partial(
    db: sqlite3.Connection, question: Question, wanted: index.Filter, found: int
) -> "Iterator[index.BodyHit | PartialHit]":
    """Passages that hold most of the words, where few hold all; imported only then."""
    if found >= question.limit or question.is_fts or question.file is not None:
        return
    from .partial import find_partial

    yield from find_partial(db, question.words, wanted, has_whole=bool(found))


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


def _hit(
    db: sqlite3.Connection, catalogue: Catalogue, body: "index.BodyHit | PartialHit", text: str, question: Question
) -> Hit | None:
    """A body as it is shown; None where none of its places is recent enough."""
    events = index.event_places(db, body.body, question.since)
    records = index.record_places(db, body.body, question.since)
    arcs = index.arc_places(db, body.body, question.since)
    places = [f"rec:{record.id}" for record in records]
    places += [f"arc:{arc.arc_id}" for arc in arcs]
    places += [render_event(event.session_id, codes.id_letters(event.code), event.revision) for event in events]
    if not places:
        return None
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
        excerpt=excerpt(text, question.words, EXCERPT_LETTERS, body.start),
        score=body.score,
        places=tuple(places),
        missing=body.missing,
    )
