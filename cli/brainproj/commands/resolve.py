"""`brainproj resolve`: which project a folder belongs to, and why."""

from pathlib import Path
from typing import Annotated

import typer

from ..views import terminal
from ..views.projects import render_resolution
from .surroundings import find_surroundings, folder_argument, open_for_reading, resolver_for

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def resolve(
    path: Annotated[str | None, typer.Argument(help="The folder; the current one if left out.")] = None,
    project: Annotated[str | None, typer.Option(help="Take this project (key, name or alias) instead.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Tell which project a folder belongs to, and why.

    Examples:

      brainproj resolve

      brainproj resolve ~/src --json
    """
    around = find_surroundings()
    cwd = folder_argument(path)
    resolver = resolver_for(around, open_for_reading(around.paths))
    resolution = resolver.resolve(cwd, around.environment, explicit=project)
    if json:
        terminal.answer_json(resolution.value())
    else:
        terminal.answer(render_resolution(resolution, str(around.paths.user_home)))
    for note in resolver.notes:
        terminal.note(note)
    if resolution.identity is None and not Path(cwd).is_dir():
        raise typer.Exit(1)
