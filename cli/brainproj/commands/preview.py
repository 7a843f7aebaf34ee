"""`brainproj preview`: the exact text a session is given; stdout holds that and nothing else."""

import sqlite3
from pathlib import Path
from typing import Annotated

import typer

from ..config import Scope, scope_in_force
from ..errors import Ambiguous, FolderGone, NotFound, UsageProblem
from ..preview import Moment, preview
from ..recall import read_recall_settings
from ..store.reading import find_sessions
from ..views import terminal
from ..views.blocks import render_reasons, render_summary
from .options import JSON, PROJECT, SCOPE, SESSION
from .reading import read_first
from .surroundings import (
    find_surroundings,
    folder_argument,
    open_for_reading,
    resolver_for,
)

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(name="preview")
def run_preview(
    cwd: Annotated[
        str | None, typer.Option(help="The folder the session works in; the current one if left out.")
    ] = None,
    session: SESSION = None,
    project: PROJECT = None,
    scope: SCOPE = None,
    at: Annotated[str, typer.Option(help="The moment: start, resume, clear, compact, fork, prompt, …")] = "start",
    json: JSON = False,
) -> None:
    """Show the exact text that a session in this folder is given.

    Examples:

      brainproj preview --cwd .

      brainproj preview --session 5c77 --scope rank
    """
    moment = _moment(at)
    flag = _scope(scope)
    around = find_surroundings()
    db = open_for_reading(around.paths)
    resolver = resolver_for(around, db)
    folder = _session_folder(db, session) if session else folder_argument(cwd)
    read_first(around, db, resolver, folder)
    resolution = resolver.resolve(folder, around.environment, explicit=project)
    identity = resolution.identity
    known = resolver.catalogue.by_key(identity.key) if identity else None
    setting = scope_in_force(around.config, around.environment, (known.key, *known.aliases) if known else (), flag)
    recall = read_recall_settings(around.environment)
    for problem in (*setting.problems, *recall.problems):
        terminal.warn(problem)
    found = preview(db, resolution, known, setting.effective, moment, recall, around.now)
    if json:
        terminal.answer_json(found.value())
    else:
        terminal.aside(render_summary(found, str(around.paths.user_home)))
        if found.context:
            terminal.aside("")
            terminal.answer(found.context)
        if found.withheld:
            terminal.aside("")
            terminal.aside(render_reasons(found))
    if identity is None and not session and not Path(folder).is_dir():
        raise FolderGone(f"{folder} does not exist", detail="It was never seen before, so it has no project.")


def _moment(text: str) -> Moment:
    try:
        return Moment(text)
    except ValueError:
        known = ", ".join(moment.value for moment in Moment)
        raise UsageProblem(f"there is no moment {text}", hint=f"one of {known}") from None


def _scope(text: str | None) -> Scope | None:
    try:
        return Scope(text) if text else None
    except ValueError:
        raise UsageProblem(f"there is no scope {text}", hint="one of strict, rank, off") from None


def _session_folder(db: sqlite3.Connection, beginning: str) -> str:
    """The folder in which a stored session began. Raises NotFound, Ambiguous."""
    found = find_sessions(db, beginning)
    if len(found) > 1:
        raise Ambiguous(f"more than one session begins with {beginning}", hint=f"one of them is {found[0][1]}")
    row = db.execute("SELECT cwd FROM sessions WHERE id = ?", (found[0][0],)).fetchone() if found else None
    if row is None:
        raise NotFound(f"no session begins with {beginning}", hint="see `brainproj sessions --all`")
    if row[0] is None:
        raise NotFound(f"session {found[0][1]} names no folder, so nothing can be said of its project")
    return str(row[0])
