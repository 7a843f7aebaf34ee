"""`brainproj attempts`: what was tried and failed in this project, and what helped."""

from typing import Annotated

import typer

from ..attempts import Asked, find_attempts
from ..core.text import counted
from ..core.times import to_micros
from ..views import terminal
from ..views.attempts import render_attempts
from .options import JSON, PROJECT, SINCE, parse_since
from .reading import NOTHING_READ, is_empty, open_project

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def attempts(
    words: Annotated[str, typer.Argument(help="Words that command or output must hold; all if left out.")] = "",
    project: PROJECT = None,
    file: Annotated[str | None, typer.Option("--file", help="Only failures that name this file.")] = None,
    since: SINCE = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="The most failures.")] = 10,
    json: JSON = False,
) -> None:
    """List what was tried and failed in this project, and what helped later.

    Examples:

      brainproj attempts

      brainproj attempts pytest --file tests/test_pay.py --since 30d
    """
    around, db, resolver, known = open_project(project)
    moment = parse_since(since, around.now)
    found, is_cut = find_attempts(db, resolver.catalogue, Asked(known, words, file, to_micros(moment), limit))
    if json:
        terminal.answer_json([one.value() for one in found])
    elif not found:
        terminal.aside(NOTHING_READ if is_empty(db) else f"No failure of {known.name} is stored that fits.")
    else:
        terminal.answer(render_attempts(found, around.now))
        more = "; there are more: --limit" if is_cut else ""
        terminal.aside("")
        terminal.aside(
            f"{counted(len(found), 'failure')} of {known.name}{more}. Open one: brainproj show {found[0].citation}"
        )
