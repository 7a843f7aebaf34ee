"""`brainproj who`: whose sessions these are, and from a person or a file to what it has to do with."""

from typing import Annotated

import typer

from ..core.text import counted
from ..errors import NotFound, UsageProblem
from ..owners import read_people
from ..tasks import TaskBook
from ..views import terminal
from ..views.tasks import render_task
from ..views.who import render_file, render_owners, render_person
from ..who import describe_file, describe_person, list_owners
from .complete import person_names
from .options import JSON, PROJECT
from .reading import NOTHING_READ, is_empty, open_project

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
    around, db, _, known = open_project(project)
    people = read_people(db, around.config)
    if about is None:
        owners = list_owners(db, people, known)
        if json:
            terminal.answer_json([one.value() for one in owners])
        elif owners:
            terminal.answer(render_owners(owners, around.now))
            persons = sum(one.person is not None for one in owners)
            there = f" --project {project}" if project else ""
            terminal.aside(f"{counted(persons, 'person')} in {known.name}. One of them: brainproj who NAME{there}")
        else:
            terminal.aside(NOTHING_READ if is_empty(db) else f"No session of {known.name} is stored.")
        return
    try:
        person = people.get(about)
    except NotFound:
        book = TaskBook(around.paths, db, known, people, around.now)
        if (task := book.find(about)) is not None:
            found = book.facts(task)
            if json:
                terminal.answer_json({"what": "task", **found.value()})
            else:
                terminal.answer(render_task(found, around.now))
            return
        file = describe_file(db, people, known, about)
        if json:
            terminal.answer_json(file.value())
        elif not file.sessions:
            terminal.aside(f"No tool touched {about} in a session of {known.name}.")
        else:
            terminal.answer(render_file(file, around.now))
            more = " There may be more." if file.is_cut else ""
            terminal.aside(f"{counted(len(file.sessions), 'session')} touched it.{more}")
        return
    facts = describe_person(db, known, person)
    if json:
        terminal.answer_json(facts.value())
    else:
        terminal.answer(render_person(facts, around.now))
        there = f" --project {project}" if project else ""
        more = "There are more sessions or files than these. " if facts.is_cut else ""
        terminal.aside(f"{more}What they typed: brainproj search --by {facts.person.id}{there}")
