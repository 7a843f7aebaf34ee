"""`brainproj preview`: the exact text a session is given; stdout holds that and nothing else.

The shell asks this module for values to complete, so what the command does stands in `previewing`.
"""

from typing import Annotated

import typer

from .options import JSON, PROJECT, SCOPE, SESSION

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(name="preview")
def run_preview(
    cwd: Annotated[
        str | None, typer.Option(help="The folder the session works in; the current one if left out.")
    ] = None,
    session: SESSION = None,
    project: PROJECT = None,
    scope: SCOPE = None,
    at: Annotated[
        str | None, typer.Option(help="The moment: start (the default), resume, clear, compact, fork, prompt, tool, …")
    ] = None,
    json: JSON = False,
) -> None:
    """Show the exact text that a session in this folder is given.

    Examples:

      brainproj preview --cwd .

      brainproj preview --session 5c77 --scope rank
    """
    from .previewing import show_preview

    show_preview(cwd=cwd, session=session, project=project, scope=scope, at=at, json=json)
