"""`brainproj who`: whose sessions these are, and from a person or a file to what it has to do with."""

from typing import Annotated

import typer

from ..core.people import People, Person
from ..core.text import counted
from ..errors import NotFound, UsageProblem
from ..owners import read_people
from ..tasks import TaskBook, TaskFacts
from ..views import terminal
from ..views.tasks import render_task
from ..views.who import render_file, render_owners, render_person
from ..who import describe_file, describe_person, list_owners
from .complete import person_names
from .options import JSON, PROJECT
from .reading import NOTHING_READ, Opened, is_empty, open_project

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def who(
    about: Annotated[
        str | None,
        typer.Argument(
            help="A person (name, address or id), a task or a file; everybody if left out.",
            autocompletion=person_names,
        ),
    ] = None,
    project: PROJECT = None,
    json: JSON = False,
) -> None:
    """Tell whose sessions these are; of a person what they worked on, of a file or task who did.

    Examples:

      brainproj who

      brainproj who src/app.py
    """
    if about is not None and not about.strip():
        raise UsageProblem("nobody and nothing is named", hint="name a person, a task or a file; or leave it out")
    opened = open_project(project)
    people = read_people(opened.db, opened.around.config)
    there = f" --project {project}" if project else ""
    if about is None:
        _everybody(opened, people, there, json=json)
        return
    try:
        person = people.get(about)
    except NotFound:
        book = TaskBook(opened.around.paths, opened.db, opened.known, people, opened.around.now)
        if (task := book.find(about)) is not None:
            _task(book.facts(task), opened, json=json)
        else:
            _file(about, opened, people, json=json)
    else:
        _person(person, opened, there, json=json)


def _everybody(opened: Opened, people: People, there: str, *, json: bool) -> None:
    around, db, _, known = opened
    owners = list_owners(db, people, known)
    if json:
        terminal.answer_json([one.value() for one in owners])
    elif owners:
        terminal.answer(render_owners(owners, around.now))
        persons = sum(one.person is not None for one in owners)
        terminal.aside(f"{counted(persons, 'person')} in {known.name}. One of them: brainproj who NAME{there}")
    else:
        terminal.aside(NOTHING_READ if is_empty(db) else f"No session of {known.name} is stored.")


def _task(facts: TaskFacts, opened: Opened, *, json: bool) -> None:
    if json:
        terminal.answer_json({"what": "task", **facts.value()})
    else:
        terminal.answer(render_task(facts, opened.around.now))


def _file(about: str, opened: Opened, people: People, *, json: bool) -> None:
    file = describe_file(opened.db, people, opened.known, about)
    if json:
        terminal.answer_json(file.value())
    elif not file.sessions:
        terminal.aside(f"No tool touched {about} in a session of {opened.known.name}.")
    else:
        terminal.answer(render_file(file, opened.around.now))
        more = " There may be more." if file.is_cut else ""
        terminal.aside(f"{counted(len(file.sessions), 'session')} touched it.{more}")


def _person(person: Person, opened: Opened, there: str, *, json: bool) -> None:
    facts = describe_person(opened.db, opened.known, person)
    if json:
        terminal.answer_json(facts.value())
    else:
        terminal.answer(render_person(facts, opened.around.now))
        more = "There are more sessions or files than these. " if facts.is_cut else ""
        terminal.aside(f"{more}What they typed: brainproj search --by {person.id}{there}")
