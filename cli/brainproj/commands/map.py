"""`brainproj map`: the small index of what a project's memory holds."""

import typer

from ..brains import brain_in_use
from ..owners import read_people
from ..projectmap import draw_map
from ..views import terminal
from .options import JSON, PROJECT
from .reading import NOTHING_READ, is_empty, open_project

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(name="map")
def run_map(project: PROJECT = None, json: JSON = False) -> None:
    """Show the small index of what this project's memory holds, and what opens it.

    Examples:

      brainproj map

      brainproj map --project shop --json
    """
    around, db, _, known = open_project(project)
    found = draw_map(db, read_people(db, around.config), known, around.now, brain_in_use(db, around.config, around.now))
    if json:
        terminal.answer_json(found.value())
    else:
        terminal.answer_wrapped(found.text)
        if is_empty(db):
            terminal.aside(NOTHING_READ)
