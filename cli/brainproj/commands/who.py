"""`brainproj who`: whose sessions these are, and from a person or a file to what it has to do with."""

from typing import Annotated

import typer

from ..core.text import counted
from ..errors import NotFound
from ..owners import read_people
from ..views import terminal
from ..views.who import render_file, render_owners, render_person
from ..who import describe_file, describe_person, list_owners
from .options import JSON, PROJECT
from .reading import open_project

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def who(
    about: Annotated[
        str | None, typer.Argument(help="A person (name, address or id) or a file; everybody if left out.")
    ] = None,
    project: PROJECT = None,
    json: JSON = False,
) -> None:
    """Tell whose sessions these are; of a person what they worked on, of a file who did.

    Examples:

      brainproj who

      brainproj who src/app.py
    """
    around, db, _, known = open_project(project)
    people = read_people(db, around.config)
    if about is None:
        owners = list_owners(db, people, known)
        if json:
            terminal.answer_json([one.value() for one in owners])
        elif owners:
            terminal.answer(render_owners(owners, around.now))
            persons = sum(one.person is not None for one in owners)
            terminal.aside(f"{counted(persons, 'person')} in {known.name}. One of them: brainproj who NAME")
        else:
            terminal.aside(f"No session of {known.name} is stored.")
        return
    try:
        person = people.get(about)
    except NotFound:
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
        terminal.aside(f"What they typed: brainproj search WORDS --by {facts.person.id}")
