"""`brainproj brain`: what a brain over HTTP told of a project, and what waits to go there."""

import typer

from ..brains import brain_in_use
from ..core.text import counted
from ..core.times import render_time
from ..store.brain import list_pieces
from ..store.outbox import list_refused
from ..views import terminal
from ..views.brain import brain_lines, render_pieces, render_set_aside
from .asking import look_at_brain
from .options import JSON, PROJECT
from .reading import open_project
from .surroundings import current_time

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def brain(project: PROJECT = None, json: JSON = False) -> None:
    """Show what the brain told of this project, and which markers it did not take.

    Examples:

      brainproj brain

      brainproj brain --json
    """
    around, db, resolver, known = open_project(project)
    state = look_at_brain(around, db, resolver, known)
    url = brain_in_use(db, around.config, current_time())
    told = list_pieces(db, url, known.ids) if url else []
    pieces = sorted(told, key=lambda one: (one.kind.value, one.heat, one.at.timestamp() if one.at else 0))
    aside = list_refused(db)
    if json:
        terminal.answer_json(
            {
                **state.value(),
                "project": known.value(),
                "pieces": [
                    {
                        "citation": one.citation,
                        "kind": one.kind.value,
                        "text": one.text,
                        "title": one.title,
                        "status": one.status or None,
                        "at": render_time(one.at),
                        "path": one.path,
                        "session_id": one.session_id or None,
                        "sessions": list(one.sessions),
                    }
                    for one in pieces
                ],
                "set_aside": [{"citation": f"rec:{row}", "state": how, "why": why} for row, how, why in aside],
            }
        )
        return
    if pieces:
        terminal.answer(render_pieces(pieces, around.now))
    if aside:
        terminal.answer(render_set_aside(aside))
    for line in brain_lines(state, current_time()):
        terminal.aside(line)
    if pieces:
        terminal.aside(
            f"{counted(len(pieces), 'piece')} of {known.name}. Open one: brainproj show {pieces[-1].citation}"
        )
    elif url:
        terminal.aside(f"It told nothing of {known.name}.")
