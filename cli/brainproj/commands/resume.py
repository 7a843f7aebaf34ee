"""`brainproj resume`: what it takes to go on with a task, whichever agent worked on it."""

from typing import Annotated

import typer

from ..core.redact import Redactor
from ..resume import Resume
from ..subject import find_subject
from ..views import terminal
from .complete import task_names
from .options import JSON, PROJECT
from .reading import open_project
from .ruling import task_book
from .surroundings import current_folder

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def resume(
    task: Annotated[
        str,
        typer.Argument(help="A task or thread of work, by what names it alone; the latest.", autocompletion=task_names),
    ] = "",
    question: Annotated[str, typer.Argument(help="What to find passages for.")] = "",
    project: PROJECT = None,
    json: JSON = False,
) -> None:
    """Show what it takes to go on with a task: goal, decisions, handoff, what failed, what was done last.

    Examples:

      brainproj resume charge

      brainproj resume charge "why is the customer charged twice?"
    """
    opened = open_project(project)
    book = task_book(opened)
    folder = current_folder() if project is None else None
    around = opened.around
    redact = Redactor(around.config.hide, around.config.keep).redact
    makes = Resume(book, opened.resolver.catalogue, folder, around.environment, redact)
    made = makes.pack(find_subject(book, task), question)
    if json:
        terminal.answer_json({"project": book.project.value(), "question": question or None, **made.value()})
        return
    terminal.answer_wrapped(made.pack.text)
    terminal.aside(f"{made.pack.tokens:,} tokens by estimate.")
