"""`brainproj arcs`: the threads of work of a project."""

import typer

from ..core.ages import render_age
from ..core.arcs import group_arcs
from ..core.text import counted
from ..core.times import render_time
from ..store.arcs import read_spans
from ..views import terminal
from ..views.tables import Column, render_table
from .options import JSON, PROJECT
from .reading import open_project, point_to_brain

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def arcs(project: PROJECT = None, json: JSON = False) -> None:
    """List the threads of work of this project, the hottest last.

    Heat (0 to 10) says how much went on in a thread lately; one is graduated when long nobody worked on it.

    Examples:

      brainproj arcs

      brainproj arcs --project shop --json
    """
    around, db, _, known = open_project(project)
    found = group_arcs(read_spans(db, known.ids), around.now)
    if json:
        terminal.answer_json(
            [
                {
                    "citation": f"arc:{arc.arc_id}",
                    "title": arc.title,
                    "status": arc.status.value,
                    "heat": arc.heat,
                    "started_at": render_time(arc.started_at),
                    "last_active_at": render_time(arc.last_active_at),
                    "sessions": list(arc.session_ids),
                    "tool_calls": arc.tool_calls,
                }
                for arc in found
            ]
        )
        return
    if not found:
        terminal.aside(f"No session of {known.name} is stored yet. Read them: brainproj backfill")
        point_to_brain(around, db, known)
        return
    columns = (
        Column("ARC", style="cyan"),
        Column("STATUS"),
        Column("HEAT", right=True),
        Column("LAST", right=True),
        Column("SESSIONS", right=True),
        Column("TITLE", clips=True),
    )
    rows = (
        (
            f"arc:{arc.arc_id}",
            arc.status,
            arc.heat,
            render_age(arc.last_active_at, around.now),
            len(arc.session_ids),
            arc.title,
        )
        for arc in reversed(found)
    )
    terminal.answer(render_table(columns, rows))
    terminal.aside(f"{counted(len(found), 'arc')} of {known.name}. Open one: brainproj show arc:{found[0].arc_id}")
    point_to_brain(around, db, known)
