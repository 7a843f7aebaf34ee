"""Going on where a session stopped, whichever agent's: what a task, or a thread of work, needs to be gone on with.

Everything is read from the store as it is now and cited; what was decided comes from the records alone, and what nobody
approved is never called agreed. The material of the project fills up a task that has little, and says that it does.
"""

import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from .attempts import Asked, Attempt, find_attempts
from .browse import HASH_LETTERS
from .config import Scope
from .core.block import safe_text
from .core.catalogue import Catalogue
from .core.citations import render_event
from .core.handoffs import parse_handoff, render_handoff
from .core.neighbours import PlaceIndex
from .core.pack import BUDGET_TOKENS, NO_HANDOFF, RECALLED, Pack, Section, render_pack
from .core.query import MARKERS
from .core.records import Links, Status
from .core.tasks import Status as TaskStatus
from .core.tasks import Task
from .core.text import clip, counted, one_line
from .core.times import from_micros
from .freshness import Freshness, freshness_lines, measure_freshness
from .gitlog import Git
from .search import Question, search
from .store import activity, codes
from .store.documents import Document, list_documents
from .store.people import OwnedSession
from .store.records import StoredRecord, list_records, read_links
from .store.tasks import list_tasks
from .subject import Subject, joined_tasks, list_arcs
from .tasks import TaskBook
from .who import FileTouched, list_edited

LINE_LETTERS = 400
SHORT_LETTERS = 160
FAILURES = 12
SESSIONS, MESSAGES = 6, 6
HITS = 8
CALLS = 2000
FILES = 15
COMMITS = 6
TASKS = 5
PLACES, PLACE_LETTERS = 3, 60
FEW = 4
"""Failures and messages; a task that has fewer is filled up with what else the project has."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """A subject with its pack."""

    subject: Subject
    pack: Pack
    freshness: Freshness

    def value(self) -> dict[str, object]:
        """The document of `resume --json`, without the project."""
        return {
            "citation": self.subject.citation,
            "title": self.subject.title,
            "sessions": [session.session_id for session in self.subject.sessions],
            "text": self.pack.text,
            "tokens": self.pack.tokens,
            "left_out": self.pack.left_out,
            "freshness": self.freshness.value(),
        }


@dataclass(frozen=True, slots=True)
class Resume:
    """Makes packs for one project. folder: a checkout of it, to see what changed since.

    redact: for what git says, which was never stored.
    """

    book: TaskBook
    catalogue: Catalogue
    folder: str | None
    environment: Mapping[str, str]
    redact: Callable[[str], str]

    @property
    def db(self) -> sqlite3.Connection:
        """The store."""
        return self.book.db

    def pack(self, subject: Subject, question: str = "", budget_tokens: int = BUDGET_TOKENS) -> Resumed:
        """What it takes to go on with a subject, and passages for a question."""
        records = list_records(self.db, self.book.project.ids)
        links = read_links(self.db, [record.id for record in records])
        files = list_edited(self.db, subject.sessions, self.book.project.root, CALLS)
        failures, is_cut = self._failures(subject)
        messages = list(self._messages(subject))
        git = Git(self.folder, self.environment) if self.folder else None
        freshness = measure_freshness(self.book, subject.sessions, git, self._git)
        sections = [
            self._decisions(subject, records, links, files),
            self._handoff(subject, records, links),
            Section("Failed attempts:", tuple(map(_failure_item, failures)), 900, "brainproj attempts", is_cut),
            self._passages(subject, question),
            Section("Recent activity, the latest first:", tuple(messages), 900, "brainproj sessions --all"),
            self._documents(subject),
            self._commits(git),
            Section("Files that its calls edited:", _file_items(files), 120, "brainproj who PATH"),
        ]
        if len(failures) + len(messages) < FEW:
            sections.append(self._others(subject))
        foot = [*freshness_lines(freshness), "Open any address in [brackets] with `expand`, or `brainproj show`."]
        return Resumed(subject, render_pack(self._head(subject), sections, foot, budget_tokens), freshness)

    # the parts -------------------------------------------------------------------------------------------------------

    def _head(self, subject: Subject) -> list[str]:
        lines = [RECALLED]
        task = subject.task
        if task is not None:
            opened = from_micros(task.opened_at)
            since = f", opened {opened:%Y-%m-%d}" if opened else ""
            lines.append(f"Task: {safe_text(task.title)} [{task.citation}] · {task.status.value}{since}")
        elif subject.arc is not None:
            of = ", ".join(task.citation for task in subject.tasks) or "no task"
            lines.append(f"Thread of work, of {of}: {safe_text(subject.title)} [{subject.citation}]")
        else:
            lines.append("Nothing was worked on in this project yet.")
        if task is None and (tasks := self._open_tasks()):
            lines.append(tasks)
        lines.append(f"Goal: {safe_text(task.goal)}" if task and task.goal else "Goal: none was written down.")
        if subject.sessions and (first := activity.first_prompt(self.db, subject.sessions[-1].number)):
            lines.append(f"It began with: {_said(first.text)} [{_cite(first)}]")
        if subject.sessions:
            named = ", ".join(map(_session_words, subject.sessions[:SESSIONS]))
            more = f" and {len(subject.sessions) - SESSIONS} more" if len(subject.sessions) > SESSIONS else ""
            lines.append(f"Sessions: {named}{more}.")
        return lines

    def _open_tasks(self) -> str:
        """The tasks that may be meant where a thread of work is gone on with; empty where none is open."""
        found = [one for one in list_tasks(self.db, self.book.project.ids) if one.status is TaskStatus.OPEN]
        shown = ", ".join(f"{clip(safe_text(one.title), PLACE_LETTERS)} [{one.citation}]" for one in found[:TASKS])
        more = f" and {len(found) - TASKS} more" if len(found) > TASKS else ""
        return f"Open tasks: {shown}{more}." if found else ""

    def _decisions(
        self, subject: Subject, records: list[StoredRecord], links: Mapping[int, Links], files: Iterable[FileTouched]
    ) -> Section:
        """Those in force: the task's own, those of the files it touches, the project's others."""
        current = [one for one in records if one.kind == "decision" and one.status == Status.CURRENT]
        index = PlaceIndex((file.path, 0) for file in files)

        def weight(record: StoredRecord) -> int:
            if subject.task is not None and record.task == subject.task.number:
                return 0
            return 1 if any(index.find(place) for place in links[record.id].applies_to) else 2

        in_force = {one.id for one in current}
        items = [_decision_item(one, links[one.id], in_force) for one in sorted(current, key=weight)]
        proposed = sum(one.kind == "decision" and one.status == Status.PROPOSED for one in records)
        if proposed:
            items.append(
                f"- {counted(proposed, 'decision')} only proposed, not agreed: brainproj records --status proposed"
            )
        heading = "Decisions in force:" if current else "No decision is in force."
        return Section(heading, tuple(items) or ("- none was recorded",), 700, "brainproj records --status current")

    def _handoff(self, subject: Subject, records: list[StoredRecord], links: Mapping[int, Links]) -> Section:
        if subject.tasks:
            named = ", ".join(task.citation for task in subject.tasks)
            return Section("Handoff:", (f"- it stands with {named}: resume that",), 100, "brainproj handoff")
        own = [one for one in records if one.kind == "handoff" and subject.task and one.task == subject.task.number]
        approved = next((one for one in own if one.status == Status.CURRENT), None)
        draft = next((one for one in own if one.status == Status.PROPOSED), None)
        if approved is None:
            said = [f"- {NO_HANDOFF}"]
            said += [f"- A draft that nobody approved is [{draft.citation}]."] if draft else []
            return Section("Handoff:", tuple(said), 100, "brainproj handoff")
        at = from_micros(approved.since)
        when = f", {at:%Y-%m-%d}" if at else ""
        by = f" by {one_line(approved.confirmed_by)}" if approved.confirmed_by else ""
        text = render_handoff(parse_handoff(approved.text), links[approved.id].cites)
        lines = [
            f"  {clip(safe_text(line), LINE_LETTERS)}" if line.startswith("-") else safe_text(line)
            for line in text.splitlines()
        ]
        lines += [f"A newer draft that nobody approved is [{draft.citation}]."] if draft else []
        return Section(
            f"Handoff approved{by}{when} [{approved.citation}]:",
            tuple(lines),
            900,
            f"brainproj show {approved.citation}",
        )

    def _documents(self, subject: Subject) -> Section:
        """What is kept with the task; with a thread of work, with the project."""
        number = subject.task.number if subject.task else None
        own = [one for one in list_documents(self.db, self.book.project.ids) if number is None or one.task == number]
        items = [f"- [{one.citation}] {clip(safe_text(one.title), SHORT_LETTERS)} ({_kind(one)})" for one in own]
        return Section("Documents:", tuple(items), 150, "brainproj documents")

    def _commits(self, git: Git | None) -> Section:
        """The latest commits of the checkout, which are evidence like any other address."""
        found = git.list_commits(limit=COMMITS) if git else None
        items = [
            f"- [commit:{one.hash[:HASH_LETTERS]}] {one.at:%Y-%m-%d}: {clip(self._git(one.subject), SHORT_LETTERS)}"
            for one in found or ()
        ]
        return Section("Recent commits:", tuple(items), 150, "git log")

    def _git(self, text: str) -> str:
        return safe_text(self.redact(text))

    def _failures(self, subject: Subject) -> tuple[list[Attempt], bool]:
        """What failed in its sessions, the unresolved first, then the newest; and whether there is more."""
        sessions = tuple(session.number for session in subject.sessions)
        asked = Asked(self.book.project, limit=FAILURES, sessions=sessions)
        found, is_cut = find_attempts(self.db, self.catalogue, asked)
        return sorted(found, key=lambda one: one.resolution is not None), is_cut

    def _messages(self, subject: Subject) -> Iterator[str]:
        """The last that was said in the latest sessions, the newest first."""
        for session in subject.sessions[:SESSIONS]:
            for message in activity.list_messages(self.db, session.number, MESSAGES):
                at = from_micros(message.at)
                who = session.agent if message.by == "assistant" else message.by
                day = f"{at:%Y-%m-%d %H:%M} " if at else ""
                yield f"- {day}{who}: {_said(message.text)} [{_cite(message)}]"

    def _passages(self, subject: Subject, question: str) -> Section:
        """Passages for the question, those of other tasks labelled."""
        asked = clip(safe_text(question), SHORT_LETTERS)
        if not asked:
            return Section("", (), 0, "")
        answer = search(self.db, self.catalogue, Question(question, self.book.project, Scope.STRICT, HITS))
        own = {session.session_id for session in subject.sessions}
        tasks = joined_tasks(self.book)
        items = []
        for hit in answer.hits:
            if hit.citation == subject.citation:
                continue
            label = "" if hit.session_id in own or hit.session_id is None else f", {_of(tasks, hit.session_id)}"
            items.append(f"- [{hit.citation}] {hit.what}{label}: {_said(hit.excerpt)}")
        found = tuple(items) or ("- nothing in this project answers it",)
        return Section(f"For the question: {asked}", found, 800, "brainproj search")

    def _others(self, subject: Subject) -> Section:
        """What else the project has, each said to be of another task or of none."""
        own = {session.session_id for session in subject.sessions}
        tasks = joined_tasks(self.book)
        failures, _ = find_attempts(self.db, self.catalogue, Asked(self.book.project, limit=FAILURES))
        items = [
            f"{_failure_item(one)}\n  {_of(tasks, one.session_id)}" for one in failures if one.session_id not in own
        ]
        items += [
            f"- [arc:{arc.arc_id}] {safe_text(arc.title)} · a thread, {_of(tasks, arc.session_ids[0])}"
            for arc in list_arcs(self.book)
            if arc.title and own.isdisjoint(arc.session_ids)
        ]
        return Section("From elsewhere in this project:", tuple(items), 500, "brainproj arcs")


def _of(tasks: Mapping[str, Task], session_id: str) -> str:
    return f"of {tasks[session_id].citation if session_id in tasks else 'no task'}"


def _kind(document: Document) -> str:
    return f"{document.kind}, revision {document.revision}" if document.fetched else f"{document.kind}, not fetched"


def _decision_item(record: StoredRecord, links: Links, in_force: Collection[int]) -> str:
    at = from_micros(record.since)
    facts = [f"{at:%Y-%m-%d}"] if at else []
    if links.applies_to:
        named = ", ".join(clip(safe_text(place), PLACE_LETTERS) for place in links.applies_to[:PLACES])
        more = f" and {len(links.applies_to) - PLACES} more" if len(links.applies_to) > PLACES else ""
        facts.append(f"applies to {named}{more}")
    replaced = links.ended(in_force)
    facts += [f"in place of {', '.join(replaced[:PLACES])}"] if replaced else []
    return f"- {clip(safe_text(record.text), LINE_LETTERS)} ({'; '.join(facts)}) [{record.citation}]"


def _failure_item(one: Attempt) -> str:
    what = one.command or " ".join([one.tool or "a tool", *one.files])
    times = f", {one.count} times" if one.count > 1 else ""
    day = f" {one.at:%Y-%m-%d}" if one.at else ""
    lines = [
        f"- [{one.citation}]{day}{times}: {clip(safe_text(what), SHORT_LETTERS)}",
        f"  failed: {clip(safe_text(one.line), LINE_LETTERS)}",
    ]
    if one.resolution is not None:
        by = "the same command" if one.resolution.by == "command" else "a call on the same files"
        lines.append(f"  resolved: later {by} went well [{one.resolution.citation}]")
    else:
        lines.append("  not resolved: no later success was seen")
    return "\n".join(lines)


def _file_items(files: Iterable[FileTouched]) -> tuple[str, ...]:
    most = sorted(files, key=lambda file: -file.calls)[:FILES]
    return tuple(f"- {safe_text(file.path)} ({counted(file.calls, 'call')})" for file in most)


def _session_words(session: OwnedSession) -> str:
    at = from_micros(session.last_at)
    return f"{session.agent} {session.session_id[:8]}" + (f" until {at:%Y-%m-%d %H:%M}" if at else "")


def _said(text: str) -> str:
    """What somebody said, on one line; of what a marker in it makes a record, an agent only proposed or noted that."""
    return clip(safe_text(MARKERS.sub(_noted, text)), LINE_LETTERS)


def _noted(marker: "re.Match[str]") -> str:
    """What stands for a marker's tag."""
    word = marker[0].strip("<!->").split()[0].strip("@")
    if word.startswith("/"):
        return ") "
    return " (proposed, not decided here: " if word == "decision" else f" ({word} noted: "


def _cite(message: activity.Message) -> str:
    return render_event(message.session_id, codes.id_letters(message.code), message.revision)
