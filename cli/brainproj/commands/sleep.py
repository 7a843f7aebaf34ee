"""`brainproj sleep`: what to look at again among decisions, proposals and handoffs. It changes nothing."""

import typer

from ..core.text import counted
from ..sleep import list_findings
from ..views import terminal
from ..views.sleep import render_findings
from .options import JSON, PROJECT
from .reading import open_project
from .surroundings import current_folder

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def sleep(project: PROJECT = None, json: JSON = False) -> None:
    """List what to look at again: decisions that may contradict, proposals alone, what is stale.

    Examples:

      brainproj sleep

      brainproj sleep --json
    """
    opened = open_project(project)
    folder = current_folder() if project is None else None
    found = list_findings(opened.db, opened.resolver.catalogue, opened.known, folder, opened.around.now)
    if json:
        terminal.answer_json([one.value() for one in found])
    elif not found:
        terminal.aside(f"Nothing of {opened.known.name} needs to be looked at again.")
    else:
        terminal.answer_wrapped(render_findings(found))
        terminal.aside(f"{counted(len(found), 'finding')}. Nothing was changed: what becomes of each, a person says.")
