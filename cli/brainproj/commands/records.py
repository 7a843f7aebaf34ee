"""`brainproj records`: what was kept on purpose in a project."""

from typing import Annotated

import typer

from ..core.people import People
from ..core.text import counted
from ..core.times import from_micros, render_time
from ..owners import read_people
from ..store.reading import StoredRecord, list_records
from ..views import terminal
from ..views.tables import Column, render_table
from .options import JSON, PROJECT, check_among
from .reading import NOTHING_READ, is_empty, open_project

app = typer.Typer(rich_markup_mode=None, add_completion=False)
KINDS = ("decision", "lesson", "fact", "signal", "milestone", "handoff", "note")
STATUSES = ("proposed", "current", "superseded", "rejected", "retired")
COLUMNS = (
    Column("RECORD", style="cyan"),
    Column("KIND"),
    Column("STATUS"),
    Column("DATE"),
    Column("TEXT", clips=True),
)


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
        people = read_people(db, around.config)
        terminal.answer_json([_value(record, people) for record in found])
        return
    if not found:
        if is_empty(db):
            terminal.aside(NOTHING_READ)
            return
        such = "No such record" if kind or status else "Nothing"
        terminal.aside(f"{such} was kept on purpose in {known.name}. Agents record with markers in their replies.")
        return
    terminal.answer(render_table(COLUMNS, [_row(record) for record in reversed(found)]))
    terminal.aside(f"{counted(len(found), 'record')} of {known.name}. Open one: brainproj show rec:{found[0].id}")


def _value(record: StoredRecord, people: People) -> dict[str, object]:
    """One entry of `records --json`. `person`: whose session it was said in; what is said there an agent says."""
    person = people.by_number(record.person)
    return {
        "citation": f"rec:{record.id}",
        "kind": record.kind,
        "status": record.status,
        "at": render_time(from_micros(record.at)),
        "session_id": record.session_id,
        "title": record.title,
        "text": record.text,
        "confirmed_by": record.confirmed_by,
        "person": person.value() if person else None,
    }


def _row(record: StoredRecord) -> tuple[str, ...]:
    date = (render_time(from_micros(record.at)) or "")[:10]
    return f"rec:{record.id}", record.kind, record.status, date, record.text
