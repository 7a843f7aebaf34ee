"""Persons and files for people: whose sessions, what was touched, what came of them."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ..core.ages import render_age
from ..core.text import counted, one_line
from ..core.times import from_micros
from .tables import Column, cell_text, render_table

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

    from ..core.people import Person
    from ..store.people import OwnedSession
    from ..who import FileFacts, Ownership, PersonFacts

ID_LETTERS = 8


def render_owners(owners: "Sequence[Ownership]", now: datetime) -> "Table":
    """Everybody with a session, whoever worked last at the end."""
    columns = (
        Column("LAST", right=True),
        Column("SESSIONS", right=True),
        Column("PROMPTS", right=True),
        Column("ID", style="cyan"),
        Column("PERSON", clips=True),
    )
    return render_table(
        columns,
        (
            (
                render_age(one.last_at, now),
                one.sessions,
                one.prompts,
                one.person.id if one.person else None,
                one.person.name if one.person else "nobody named",
            )
            for one in sorted(owners, key=lambda one: one.last_at.timestamp() if one.last_at else 0.0)
        ),
    )


def render_person(facts: "PersonFacts", now: datetime) -> "Group":
    """A person: sessions, files touched in them, records made in them."""
    from rich.console import Group
    from rich.text import Text

    own = facts.ownership
    head = f"{cell_text(facts.person.label)}: {counted(own.sessions, 'session')}, {counted(own.prompts, 'prompt')}"
    also = f", known as {', '.join(facts.person.keys)}"
    parts: list[Table | Text] = [Text(head + also, style="bold")]
    parts += [Text("Sessions"), _sessions([(one, None) for one in reversed(facts.sessions)], now)]
    if facts.files:
        rows = ((render_age(file.last_at, now), file.calls, one_line(file.path)) for file in reversed(facts.files))
        columns = (Column("LAST", right=True), Column("CALLS", right=True), Column("FILE", clips=True))
        parts += [Text("Files that tools touched in them"), render_table(columns, rows)]
    if facts.records:
        kept = (Column("RECORD", style="cyan"), Column("KIND"), Column("STATUS"), Column("TEXT", clips=True))
        shown = ((f"rec:{one.id}", one.kind, one.status, one.text) for one in reversed(facts.records))
        parts += [Text("What agents kept in them"), render_table(kept, shown)]
    return Group(*parts)


def render_file(file: "FileFacts", now: datetime) -> "Group":
    """A file: the sessions in which tools touched it, the latest last."""
    from rich.console import Group
    from rich.text import Text

    rows = [(one.session, one.person) for one in reversed(file.sessions)]
    latest = file.sessions[0]
    opens = Text.assemble("The last call: brainproj show ", (latest.citation, "cyan"))
    return Group(Text(cell_text(file.path), style="bold"), _sessions(rows, now, is_owned=True), opens)


def _sessions(
    rows: "Sequence[tuple[OwnedSession, Person | None]]", now: datetime, *, is_owned: bool = False
) -> "Table":
    columns = [Column("AGENT"), Column("SESSION", style="cyan"), Column("LAST", right=True)]
    columns += [Column("PERSON")] if is_owned else []
    return render_table(
        (*columns, Column("TITLE", clips=True)),
        (
            (
                session.agent,
                session.session_id[:ID_LETTERS],
                render_age(from_micros(session.last_at), now),
                *((person.label if person else None,) if is_owned else ()),
                session.title,
            )
            for session, person in rows
        ),
    )
