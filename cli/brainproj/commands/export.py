"""`brainproj export`: one project's memory as JSONL."""

from typing import Annotated

import typer

from ..core.redact import Redactor
from ..core.text import counted
from ..transfer import export_project
from ..views import terminal
from .complete import project_names
from .surroundings import find_surroundings, open_for_reading, project_here, resolver_for

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def export(
    project: Annotated[
        str | None,
        typer.Argument(help="By key, name or alias; this folder's if left out.", autocompletion=project_names),
    ] = None,
) -> None:
    """Write one project's memory to stdout as JSONL: redacted again, ids kept.

    Examples:

      brainproj export > harbor.jsonl

      brainproj export harbor > harbor.jsonl
    """
    around = find_surroundings()
    db = open_for_reading(around.paths)
    resolver = resolver_for(around, db)
    known = project_here(around, resolver, project, hint="name one: `brainproj export NAME`")
    redact = Redactor(around.config.hide, around.config.keep).redact
    count = 0
    for line in export_project(db, known, redact, around.now):
        terminal.answer_raw(line + "\n")
        count += 1
    terminal.aside(f"{counted(count, 'line')} of {known.name}; take them in with `brainproj import FILE`.")
