"""Searching what is stored, within the scope: this project by default, others only where they were asked for."""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING

from .config import Scope
from .core.catalogue import Catalogue, KnownProject
from .core.citations import render_event
from .core.events import Speaker
from .core.folding import same_output, says_again
from .core.query import MARKERS, excerpt, folded, quoted_signs
from .core.times import from_micros, render_time
from .errors import UsageProblem
from .store import codes, texts
from .store import search as index
from .store.tasks import list_tasks, task_places

if TYPE_CHECKING:
    from .core.people import People
    from .partial import PartialHit

EXCERPT_LETTERS = 240
FEWEST_BESIDE = 3
"""Words of a question that is looked for in part although something holds all of it."""
LONGEST_QUESTION = 4000
"""Letters of a question that are looked at; a pasted page says no more of what is wanted."""


@dataclass(frozen=True, slots=True)
class Ruled:
    """Where a record stands. replaced_by: the citation of what took its place."""

    kind: str
    status: str
    replaced_by: str | None

    def words(self) -> str:
        """Said of a decision or handoff, which counts only while it is in force."""
        if self.status == "current":
            return f"{self.kind} in force"
        return f"{self.kind} {self.status}" + (f", now {self.replaced_by}" if self.replaced_by else "")


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
    person: int | None = None
    """The number of the person who typed it; None for what anybody else said."""
    record: Ruled | None = None
    """Of a record, or a passage that one was made of: where it stands."""

    def value(self, people: "People") -> dict[str, object]:
        """One entry of `search --json`."""
        person = people.by_number(self.person)

        return {
            "citation": self.citation,
            "project": self.project.value() if self.project else None,
            "session_id": self.session_id,
            "at": render_time(self.at),
            "speaker": self.speaker,
            "kind": self.kind,
            "outcome": self.outcome,
            "excerpt": self.excerpt,
            "score": round(self.score, 4),
            "places": list(self.places),
            "missing": list(self.missing),
            "person": person.value() if person else None,
            "status": self.record.status if self.record else None,
            "replaced_by": self.record.replaced_by if self.record else None,
        }

    @property
    def what(self) -> str:
        """Its kind, in words: how a call ended, where a record stands."""
        if self.record is not None and self.record.kind in codes.RULED:
            return self.record.words() if self.kind in codes.RULED else f"{self.kind}, {self.record.words()}"
        return self.kind if self.outcome in (None, "ok", "unknown") else f"{self.kind} {self.outcome}"


@dataclass(frozen=True, slots=True)
class Found:
    """A hit with what tells whether another one says the same.

    codes: of the events with this text. sources: of the events that records with this text were made from. sessions: in
    which it stands, or which a thread of work with this title has.
    """

    hit: Hit
    text: str
    codes: frozenset[int]
    sources: frozenset[int]
    sessions: frozenset[str]


class Gathered:
    """The hits so far; what says the same as one of them again becomes one more place of it."""

    def __init__(self) -> None:
        self.hits: list[Hit] = []
        self._found: list[Found] = []
        self._by_key: dict[object, int] = {}
        self._by_session: dict[str, list[int]] = {}

    def add(self, found: Found) -> None:
        """One more hit."""
        place = len(self.hits)
        self.hits.append(found.hit)
        self._found.append(found)
        self._note(found, place)

    def _note(self, found: Found, place: int) -> None:
        for key in _keys(found):
            self._by_key.setdefault(key, place)
        if found.hit.kind in ("arc", "prompt"):
            for session in found.sessions:
                self._by_session.setdefault(session, []).append(place)

    def folds(self, found: Found) -> bool:
        """Whether a hit said nothing new. A title gives way to what it was cut from, wherever that came."""
        place = self._place_of(found)
        if place is None:
            return False
        first = self.hits[place]
        kept, other = (found.hit, first) if first.kind == "arc" else (first, found.hit)
        places = tuple(dict.fromkeys((*kept.places, *other.places)))
        score, record = max(kept.score, other.score), kept.record or other.record
        self.hits[place] = replace(kept, places=places, score=score, record=record)
        if kept is found.hit:
            self._found[place] = found
        self._note(found, place)
        return True

    def _place_of(self, found: Found) -> int | None:
        for key in _keys(found):
            place = self._by_key.get(key)
            if place is not None and not (found.sources and self._found[place].sources):  # a reply may hold two records
                return place
        wanted = {"arc": "prompt", "prompt": "arc"}.get(found.hit.kind)
        for session in found.sessions if wanted else ():
            for place in self._by_session.get(session, ()):
                other = self._found[place]
                title, said = (found, other) if wanted == "prompt" else (other, found)
                if other.hit.kind == wanted and says_again(title.text, said.text):
                    return place
        return None


def _keys(found: Found) -> list[object]:
    """What two hits share that say the same: an event, as its words and as the record made of them; an output."""
    project = found.hit.project.key if found.hit.project else ""
    if found.hit.kind == "tool_result":
        return [(project, found.hit.outcome, output)] if (output := same_output(found.text)) is not None else []
    return [("event", code) for code in (*found.codes, *found.sources)]


@dataclass(frozen=True, slots=True)
class Answer:
    """The hits, and whether there are more than these."""

    hits: tuple[Hit, ...]
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Question:
    """What is looked for. latest: whatever its words are. `project` None: everywhere, whatever `scope` is.

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
    latest: bool = False


def search(db: sqlite3.Connection, catalogue: Catalogue, question: Question) -> Answer:
    """The best hits, the own project's first where the scope is `rank`.

    Passages that hold only most of the words come after those that hold all, where these are fewer than asked for.
    """
    gathered = Gathered()
    is_cut = False
    seen: set[int] = set()
    question = replace(question, words=question.words[:LONGEST_QUESTION])
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
            found = _find(db, catalogue, body, question, wanted)
            if found is None or gathered.folds(found):
                continue
            if len(gathered.hits) >= question.limit:
                return Answer(_current_first(gathered.hits), True)
            gathered.add(found)
    return Answer(_current_first(gathered.hits), is_cut)


def _current_first(hits: list[Hit]) -> tuple[Hit, ...]:
    """The hits, what took another's place before that one."""
    ordered: list[Hit] = []
    for hit in hits:
        replaced = (one for one in ordered if one.record and one.record.replaced_by in hit.places)
        first = next(replaced, None)
        ordered.insert(ordered.index(first) if first else len(ordered), hit)
    return tuple(ordered)


def _partial(
    db: sqlite3.Connection, question: Question, wanted: index.Filter, found: int
) -> "Iterator[index.BodyHit | PartialHit]":
    """Passages that hold most of the words, where few hold all; imported only then.

    Who gave one or two words, and was given what holds them, did not ask for less.
    """
    if found >= question.limit or question.is_fts or question.file is not None or question.latest:
        return
    if found and len(question.words.split()) < FEWEST_BESIDE:
        return
    from .partial import find_partial

    yield from find_partial(db, question.words, wanted)


def _bodies(db: sqlite3.Connection, question: Question, wanted: index.Filter) -> tuple[list[index.BodyHit], bool]:
    if question.latest:
        return index.list_newest(db, wanted)
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


def _find(
    db: sqlite3.Connection,
    catalogue: Catalogue,
    body: "index.BodyHit | PartialHit",
    question: Question,
    wanted: index.Filter,
) -> Found | None:
    """A text as a hit, at the newest of the places that were asked for; None where it has none, or is not meant."""
    events = index.event_places(db, body.body, wanted)
    records = index.record_places(db, body.body, wanted)
    arcs = index.arc_places(db, body.body, question.since)
    tasks = task_places(db, body.body, question.since)
    places = [f"rec:{record.id}" for record in records]
    places += [f"arc:{arc.arc_id}" for arc in arcs]
    documents = index.document_places(db, body.body, question.since)
    places += [f"doc:{number}" for number, _ in documents]
    places += _task_addresses(db, catalogue.by_id(body.project), tasks)
    places += [render_event(event.session_id, codes.id_letters(event.code), event.revision) for event in events]
    text = (texts.read_text(db, body.body) or "") if places else ""
    if not places or not _is_meant(text, question):
        return None
    first = events[0] if events else None
    kept = records[0].at if records else arcs[0].at if arcs else [*documents, *tasks, (0, None)][0][1]
    hit = Hit(
        citation=places[0],
        project=catalogue.by_id(body.project),
        session_id=(records[0].session_id if records else None) or (first.session_id if first else None),
        at=from_micros(kept if kept is not None else first.at if first else None),
        speaker=first.speaker if first else _speaker(records),
        kind=body.kind,
        outcome=first.outcome if first else None,
        excerpt=MARKERS.sub("", excerpt(text, question.words, EXCERPT_LETTERS, body.start)),
        score=body.score,
        places=tuple(places),
        missing=body.missing,
        person=first.person if first and first.speaker == Speaker.PERSON else records[0].author if records else None,
        record=_ruled(db, body.kind, records) or (_holding(db, events) if body.kind == "reply" else None),
    )
    sessions = {event.session_id for event in events} | {one for arc in arcs for one in json.loads(arc.sessions)}
    sources = {record.source for record in records if record.source is not None}
    return Found(hit, text, frozenset(event.code for event in events), frozenset(sources), frozenset(sessions))


def _speaker(records: list[index.RecordPlace]) -> str | None:
    """Whose words a record is."""
    if not records:
        return None
    return Speaker.ASSISTANT if records[0].author is None else Speaker.PERSON


def _ruled(db: sqlite3.Connection, kind: str, records: list[index.RecordPlace]) -> Ruled | None:
    if not records:
        return None
    first = records[0]
    other = index.read_replacements(db, [first.id]).get(first.id) if first.status == "superseded" else None
    return Ruled(kind, first.status, f"rec:{other}" if other is not None else None)


def _holding(db: sqlite3.Connection, events: list[index.EventPlace]) -> Ruled | None:
    """Of a reply in which something was proposed that is not in force: what, and where that stands."""
    found = index.records_of(db, [event.code for event in events])
    ended = [(number, kind, status) for number, kind, status in found if kind in codes.RULED and status != "current"]
    if not ended:
        return None
    number, kind, status = ended[0]
    other = index.read_replacements(db, [number]).get(number)
    return Ruled(kind, status, f"rec:{other}" if other is not None else None)


def _task_addresses(db: sqlite3.Connection, project: KnownProject | None, tasks: list[tuple[int, int]]) -> list[str]:
    """The addresses of tasks as their project tells them apart."""
    if project is None or not tasks:
        return []
    numbers = {number for number, _ in tasks}
    return [task.citation for task in list_tasks(db, project.ids) if task.number in numbers]


def _is_meant(text: str, question: Question) -> bool:
    """Whether a text holds the signs that were quoted, and touches the file that was named."""
    signs = [] if question.is_fts else quoted_signs(question.words)
    if signs:
        plain = folded(text)
        if any(part not in plain for part in signs):
            return False
    return question.file is None or _touches(text, question.file)
