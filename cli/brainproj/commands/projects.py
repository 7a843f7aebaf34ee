"""`brainproj projects`: the known projects, and what a person says of them."""

from typing import Annotated

import typer

from ..core.text import counted
from ..declare import Change, Declarations
from ..projectlist import list_projects
from ..views import terminal
from ..views.projects import render_projects
from .surroundings import find_surroundings, folder_argument, make_ready_again, open_for_reading, resolver_for

app = typer.Typer(rich_markup_mode=None, add_completion=False)
JSON = Annotated[bool, typer.Option("--json", help="One JSON document.")]


@app.callback(invoke_without_command=True)
def projects(context: typer.Context, json: JSON = False) -> None:
    """List the known projects; declare, alias, merge.

    Examples:

      brainproj projects

      brainproj projects add ~/notes --name notes
    """
    if context.invoked_subcommand is not None:
        return
    around = find_surroundings()
    db = open_for_reading(around.paths)
    found = list_projects(db, resolver_for(around, db).catalogue)
    if json:
        terminal.answer_json([project.value() for project in found])
        return
    if not found:
        terminal.aside("No project is known yet. Read your transcripts: brainproj backfill")
        return
    terminal.answer(render_projects(found, str(around.paths.user_home)))
    for project in found:
        for proposal in project.proposals:
            terminal.aside(f"{proposal['why']}: {proposal['command']}")
    terminal.aside(f"{counted(len(found), 'project')}. What one of them remembers: brainproj preview --cwd FOLDER")


@app.command()
def add(
    folder: Annotated[str, typer.Argument(help="The folder; everything below it belongs to the project.")],
    name: Annotated[str | None, typer.Option(help="The project's key and name; the folder's name if left out.")] = None,
    json: JSON = False,
) -> None:
    """Declare a folder as a project of its own.

    Examples:

      brainproj projects add ~/agents/tidy

      brainproj projects add packages/api --name shop-api
    """
    _say(_declarations().add(folder_argument(folder), name), json)


@app.command()
def alias(
    project: Annotated[str, typer.Argument(help="Key, name or alias of the project.")],
    name: Annotated[str, typer.Argument(help="One more name for it.")],
    json: JSON = False,
) -> None:
    """Let a project answer to one more name.

    Examples:

      brainproj projects alias shop store

      brainproj projects alias github.com/acme/shop store
    """
    _say(_declarations().alias(project, name), json)


@app.command()
def merge(
    project: Annotated[str, typer.Argument(help="The project that is read as part of the other.")],
    into: Annotated[str, typer.Argument(help="The project that stays.")],
    json: JSON = False,
) -> None:
    """Read one project as part of another.

    Examples:

      brainproj projects merge local/shop-1f2e3d4c5b6a shop

      brainproj projects merge scratch/shop shop
    """
    _say(_declarations().merge(project, into), json)


@app.command()
def undo(json: JSON = False) -> None:
    """Take the last of these changes back.

    Examples:

      brainproj projects undo

      brainproj projects undo --json
    """
    _say(_declarations().undo(), json)


def _declarations() -> Declarations:
    around = find_surroundings()
    db = open_for_reading(around.paths)
    return Declarations(around.config, around.paths.config_path, resolver_for(around, db).catalogue, db, around.now)


def _say(change: Change, json: bool) -> None:
    make_ready_again()
    if json:
        table = change.table
        scope = table.scope.value if table.scope else None
        terminal.answer_json(
            {"key": table.key, "path": table.path, "name": table.name, "aliases": list(table.aliases), "scope": scope}
        )
    else:
        terminal.answer(change.says)
