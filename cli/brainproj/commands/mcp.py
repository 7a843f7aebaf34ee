"""`brainproj mcp`: the memory of a project as tools for agents."""

from pathlib import Path
from typing import Annotated

import typer

from .surroundings import find_surroundings, folder_argument

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def mcp(
    cwd: Annotated[
        str | None, typer.Option(help="The folder whose project is served; the current one if left out.")
    ] = None,
) -> None:
    """Serve this folder's memory to an agent over the Model Context Protocol.

    Examples:

      brainproj mcp

      brainproj mcp --cwd ~/dev/shop
    """
    around = find_surroundings()
    folder = folder_argument(cwd)
    from ..servers.answers import Answers
    from ..servers.mcp import serve

    agent = around.environment.get("BRAINPROJ_AGENT") or "an agent"
    serve(Answers(around.paths, dict(around.environment), str(Path(folder)), agent))
