"""What `decide`, `review` and `handoff` share: one project's decisions, and making ready what was changed."""

import contextlib
import re
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import typer

from ..core.catalogue import KnownProject
from ..core.handoffs import parse_handoff, render_handoff
from ..core.people import Identity
from ..core.records import Links, Status, parse_wording, render_wording
from ..core.redact import Redactor
from ..core.tasks import Task
from ..core.text import clip, one_line
from ..decide import Decisions, Wording
from ..errors import BrainError, Refused
from ..evidence import cite, cite_handoff
from ..owners import own_identity, read_people
from ..recordtext import RecordText, read_record_text, task_citations
from ..store.database import transaction
from ..store.records import StoredRecord
from ..tasks import TaskBook
from ..views import terminal
from .editing import edit_until
from .reading import Opened, open_project
from .surroundings import current_folder, current_time

SAID_LETTERS = 200
GUIDE = """<!--
Save and leave: you are asked whether to approve it. Leave without a change to approve it as it is, or to stop.
An item a line behind a dash. Evidence: an address a line, as `brainproj search` and `attempts` show them.
-->"""
GUIDES = re.compile(r"<!--.*?-->\s*", re.DOTALL)


class Ruling(NamedTuple):
    """One project's decisions and handoffs, for a command that may change them."""

    opened: Opened
    known: KnownProject
    decisions: Decisions
    folder: str | None
    """The checkout in which its commits are; None where the project was named, since another folder may be meant."""

    @property
    def db(self) -> sqlite3.Connection:
        """The store."""
        return self.opened.db

    @property
    def acting(self) -> Decisions:
        """The decisions, as of now: a person takes their time."""
        return replace(self.decisions, now=current_time())

    def text_of(self, record: StoredRecord) -> RecordText:
        """A record with all that is kept of it."""
        return read_record_text(self.db, self.opened.resolver.catalogue, record)

    def author(self) -> Identity:
        """Who runs this."""
        return own_identity(self.opened.around.paths, current_folder())

    def citation_of(self, task: int | None) -> str | None:
        """The citation of a task by its number."""
        return task_citations(self.db, self.known).get(task or 0)

    def task(self, name: str) -> Task:
        """The task of this project that a name means. Raises NotFound, Ambiguous."""
        return task_book(self.opened).get(name)

    def handoff(self, text: str, task: int | None) -> Wording:
        """What a handoff says, with its evidence checked. Raises NotFound, Refused."""
        catalogue = self.opened.resolver.catalogue
        wording = cite_handoff(self.db, catalogue, self.known, GUIDES.sub("", text), task, self.folder)
        return self.decisions.clean("handoff", wording)

    def edit_handoff(self, text: str, task: int | None) -> Wording | None:
        """A handoff as the person left it in the editor, its evidence checked; None where nothing was changed.

        What they wrote and gave up on is kept as a draft.
        """

        def keep(edited: str) -> None:
            self.keep_draft(Wording(render_handoff(parse_handoff(GUIDES.sub("", edited))), Links(), task))

        return edit_until(
            f"{GUIDE}\n\n{text}", self.opened.around.environment, lambda edited: self.handoff(edited, task), keep
        )

    def keep_draft(self, wording: Wording) -> None:
        """Keep what a person wrote and did not approve."""
        with contextlib.suppress(BrainError):
            kept, _ = self.acting.propose("handoff", wording, "a person", self.author())
            terminal.aside(f"What you wrote is kept as a draft: {kept.citation}")

    def edit_decision(self, record: StoredRecord) -> Wording | None:
        """A decision as the person left it in the editor, with its places and evidence; None where nothing changed."""
        links = self.text_of(record).links

        def accept(edited: str) -> Wording:
            text, places, cites = parse_wording(edited)
            cited = cite(self.db, self.opened.resolver.catalogue, self.known, cites, self.folder)
            return self.decisions.clean("decision", Wording(text, Links(tuple(places), tuple(cited)), record.task))

        return edit_until(render_wording(record.text, links), self.opened.around.environment, accept)

    def handoff_text(self, record: StoredRecord) -> str:
        """A handoff as it is edited: with its evidence under it."""
        return render_handoff(parse_handoff(record.text), self.text_of(record).links.cites)

    def make_ready(self) -> None:
        """Let sessions have at once what was changed."""
        from ..recall import read_recall_settings
        from ..refresh import Refresh
        from ..store.publish import unless_refused

        around, resolver = self.opened.around, self.opened.resolver
        ready = resolver.places.open() if resolver.places else None
        if ready is not None:
            with unless_refused(around.paths.ready_db):
                settings = read_recall_settings(around.config, {})
                Refresh(around.paths, around.config, self.db, ready, resolver, settings, around.now).project(self.known)


def open_ruling(project: str | None) -> Ruling:
    """The named project, else this folder's, which is stored if it was not yet."""
    opened = open_project(project)
    known = opened.known if opened.known.ids else stored_project(opened)
    redact = Redactor(opened.around.config.hide, opened.around.config.keep).redact
    decisions = Decisions(opened.around.paths, opened.db, known, redact, opened.around.now)
    return Ruling(opened, known, decisions, current_folder() if project is None else None)


def task_book(opened: Opened) -> TaskBook:
    """The tasks of a project, which is stored if it was not yet."""
    around, db, _, known = opened
    known = known if known.ids else stored_project(opened)
    return TaskBook(around.paths, db, known, read_people(db, around.config), around.now)


def stored_project(opened: Opened) -> KnownProject:
    """The project of this folder, of which nothing is stored yet."""
    identity = opened.resolver.resolve(current_folder(), opened.around.environment).identity
    if identity is not None and identity.key == opened.known.key:
        with transaction(opened.db):
            opened.resolver.project_number(identity)
    known = opened.resolver.catalogue.by_key(opened.known.key)
    if known is None or not known.ids:
        raise Refused("nothing is remembered of this project yet", hint="run `brainproj backfill`")
    return known


def agree(question: str, *, yes: bool) -> None:
    """Ask; ends the command with 1 where the answer is no."""
    if not (yes or typer.confirm(question, err=True)):
        terminal.aside("Nothing was changed.")
        raise typer.Exit(1)


def briefly(record: StoredRecord) -> str:
    """What it says, on one line."""
    return clip(one_line(record.text), SAID_LETTERS)


def standing(record: StoredRecord) -> str:
    """Its status in a person's words."""
    return {Status.CURRENT: "in force", Status.RETIRED: "out of force"}.get(Status(record.status), record.status)


def _is_decided(record: StoredRecord) -> bool:
    return record.kind == "decision" and record.status == Status.CURRENT


def say_record(ruling: Ruling, record: StoredRecord, json: bool, replaced: Sequence[StoredRecord] = ()) -> None:
    """What a record is by now, as the answer of a command that changed it."""
    shown = ruling.text_of(record)
    if json:
        terminal.answer_json(shown.value())
        return
    taken = [one.citation for one in replaced]
    others = f", in place of {', '.join(taken)}" if taken else ""
    terminal.answer(f"{record.citation} is {standing(record)}{others}.")
    for one in ruling.decisions.beside([record])[record.id] if _is_decided(record) else ():
        terminal.note(
            f"{one.citation} is in force about the same: {briefly(one)}\n"
            f"  if it no longer holds: brainproj decide {record.citation} --replace {one.citation}"
        )
