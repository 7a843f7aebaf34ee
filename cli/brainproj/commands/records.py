"""`brainproj records`: what was kept on purpose in a project."""

import sqlite3
from typing import Annotated

import typer

from ..core.catalogue import KnownProject
from ..core.text import counted
from ..owners import read_people
from ..recordtext import record_value, task_citations
from ..store.codes import RULED
from ..store.records import StoredRecord, list_records, read_links
from ..store.search import read_replacements
from ..views import terminal
from ..views.records import render_records
from .options import JSON, PROJECT, check_among
from .reading import NOTHING_READ, is_empty, open_project, point_to_brain
from .surroundings import Surroundings

app = typer.Typer(rich_markup_mode=None, add_completion=False)
KINDS = ("decision", "lesson", "fact", "signal", "milestone", "handoff", "note")
STATUSES = ("proposed", "current", "superseded", "rejected", "retired")


@app.command()
def records(
    project: PROJECT = None,
    kind: Annotated[str | None, typer.Option(help=f"Only this kind: {', '.join(KINDS)}.")] = None,
    status: Annotated[str | None, typer.Option(help=f"Only this status: {', '.join(STATUSES)}.")] = None,
    json: JSON = False,
) -> None:
    """List decisions, lessons and other records of this project.

    Examples:

      brainproj records

      brainproj records --kind decision --status proposed
    """
    check_among((kind,), KINDS, "kind of record")
    check_among((status,), STATUSES, "status")
    around, db, _, known = open_project(project)
    found = [
        record
        for record in list_records(db, known.ids)
        if (kind is None or record.kind == kind) and (status is None or record.status == status)
    ]
    if json:
        terminal.answer_json(_values(around, db, known, found))
        return
    if not found:
        if is_empty(db):
            terminal.aside(NOTHING_READ)
            return
        such = "No such record" if kind or status else "Nothing"
        terminal.aside(f"{such} was kept on purpose in {known.name}. Agents record with markers in their replies.")
        return
    terminal.answer(render_records(found))
    waiting = sum(record.kind in RULED and record.status == "proposed" for record in found)
    terminal.aside(f"{counted(len(found), 'record')} of {known.name}. Open one: brainproj show rec:{found[0].id}")
    if waiting:
        verb = "waits" if waiting == 1 else "wait"
        terminal.aside(f"{waiting:,} {verb} for a person: brainproj review")
    point_to_brain(around, db, known)


def _values(
    around: Surroundings, db: sqlite3.Connection, known: KnownProject, records: list[StoredRecord]
) -> list[dict[str, object]]:
    """`records --json`. `person`: whose session it was said in; what is said there an agent says."""
    people = read_people(db, around.config)
    numbers = [record.id for record in records]
    links, replaced = read_links(db, numbers), read_replacements(db, numbers)
    tasks = task_citations(db, known)
    found = []
    for record in records:
        person = people.by_number(record.person if record.author is None else record.author)
        value = record_value(record, links[record.id], replaced.get(record.id), tasks.get(record.task or 0))
        found.append({**value, "person": person.value() if person else None})
    return found
