"""`brainproj documents`: the files, links and notes that are kept with this project."""

import typer

from ..core.text import counted
from ..library import document_value
from ..recordtext import task_citations
from ..store.documents import list_documents
from ..views import terminal
from ..views.documents import render_documents
from .options import JSON, PROJECT
from .reading import open_project

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def documents(project: PROJECT = None, json: JSON = False) -> None:
    """List the files, links and notes that are kept with this project.

    Examples:

      brainproj documents

      brainproj documents --json
    """
    opened = open_project(project)
    found = list_documents(opened.db, opened.known.ids) if opened.known.ids else []
    tasks = task_citations(opened.db, opened.known)
    if json:
        terminal.answer_json([document_value(one, tasks.get(one.task or 0)) for one in found])
    elif not found:
        terminal.aside(f"No document is kept with {opened.known.name}. Keep one: brainproj add FILE, LINK or NOTE")
    else:
        terminal.answer(render_documents(found, tasks))
        terminal.aside(f"{counted(len(found), 'document')}. Open one: brainproj show {found[0].citation}")
