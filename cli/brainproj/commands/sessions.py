"""`brainproj sessions`: which sessions run now, and which are stored."""

import contextlib
import sqlite3
import time
from typing import TYPE_CHECKING, Annotated

import typer

from ..core.live import State
from ..core.text import counted
from ..errors import UsageProblem
from ..paths import Paths
from ..views import terminal
from .options import AGENT, JSON, PROJECT, check_agents
from .reading import read_first
from .surroundings import current_time, find_surroundings, open_for_reading, resolver_for

if TYPE_CHECKING:
    from ..sessions import SessionInfo

app = typer.Typer(rich_markup_mode=None, add_completion=False)
WATCH_S = 2.0
"""Between two looks: a look reads some small files."""


@app.command()
def sessions(
    all: Annotated[bool, typer.Option("--all", help="Every stored session, not only the live ones.")] = False,
    unattributed: Annotated[bool, typer.Option("--unattributed", help="Stored sessions without a project.")] = False,
    project: PROJECT = None,
    agent: AGENT = None,
    watch: Annotated[bool, typer.Option("--watch", help="Keep looking until Ctrl-C.")] = False,
    json: JSON = False,
) -> None:
    """List the live sessions by project; with --all the whole index.

    Examples:

      brainproj sessions

      brainproj sessions --all --project shop
    """
    check_agents(agent)
    if unattributed and project:
        raise UsageProblem("--unattributed sessions are in no project", hint="leave out --project")
    if watch and (all or unattributed):
        raise UsageProblem("--watch shows live sessions only", hint="leave out --all and --unattributed")
    find_surroundings()  # names malformed settings, once however often is looked
    if watch:
        _watch(project, agent, json)
        return
    found = _look(project, agent, stored=all or unattributed)
    if unattributed:
        found = [session for session in found if session.project is None]
    if json:
        terminal.answer_json([session.value() for session in found])
    elif all or unattributed:
        _show_index(found, unattributed)
    else:
        _show_live(found)


def _look(project: str | None, agent: str | None, *, stored: bool) -> list["SessionInfo"]:
    from ..live import find_live_sessions
    from ..owners import read_people
    from ..sessions import SessionLists

    around = find_surroundings(tells_problems=False)
    db = open_for_reading(around.paths)
    resolver = resolver_for(around, db)
    if stored:
        read_first(around, db, resolver, None)
    known = resolver.catalogue.get(project) if project else None
    lists = SessionLists(
        db, resolver, around.config, around.environment, read_people(db, around.config), _ready_blocks(around.paths)
    )
    running = find_live_sessions(around.paths, around.now)
    alive = (session for session in running if session.state is not State.ENDED)
    found = lists.stored(known, running) if stored else lists.live(alive, known)
    db.close()
    return [session for session in found if agent is None or session.agent == agent]


def _ready_blocks(paths: Paths) -> dict[str, tuple[int, int]]:
    """The blocks that are ready; none where ready.db cannot be read."""
    from ..store import ready
    from ..store.items import list_blocks

    try:
        with contextlib.closing(ready.connect(str(paths.ready_db), 1.0)) as db:
            return list_blocks(db)
    except (ready.ReadyUnusable, sqlite3.Error):
        return {}


def _show_index(found: list["SessionInfo"], unattributed: bool) -> None:
    from ..views.sessions import render_index

    if not found:
        empty = (
            "Every session has a project." if unattributed else "No session is stored. Read them: brainproj backfill"
        )
        terminal.aside(empty)
        return
    terminal.answer(render_index(found, current_time(), unattributed=unattributed))
    if unattributed:
        sessions = counted(len(found), "session")
        terminal.aside(f"{sessions} without a project. Declare a folder: brainproj projects add DIR")
    else:
        terminal.aside(f"{_where(found, 'session')}. Read one: brainproj show {found[-1].session_id[:8]}")


def _where(found: list["SessionInfo"], what: str) -> str:
    """How many, in how many projects, and how many in none."""
    keys = [session.project_key for session in found]
    said = f"{counted(len(found), what)} in {counted(len({key for key in keys if key}), 'project')}"
    outside = keys.count(None)
    return f"{said}, {outside:,} of them in none" if outside else said


def _show_live(found: list["SessionInfo"]) -> None:
    from ..views.sessions import render_live

    if not found:
        terminal.aside("No session runs now. The stored ones: brainproj sessions --all")
        return
    terminal.answer(render_live(found, current_time()))
    terminal.aside("")
    terminal.aside(_live_summary(found))


def _live_summary(found: list["SessionInfo"]) -> str:
    one = _beginning(found[-1].session_id, {session.session_id for session in found})
    return f"{_where(found, 'live session')}. What one of them gets: brainproj preview --session {one}"


def _beginning(session_id: str, all_ids: set[str]) -> str:
    """As much of an id as tells it from the others, four letters at least."""
    lengths = range(4, len(session_id) + 1)
    unique = (size for size in lengths if sum(one.startswith(session_id[:size]) for one in all_ids) == 1)
    return session_id[: next(unique, len(session_id))]


def _watch(project: str | None, agent: str | None, json: bool) -> None:
    """Redraw in place on a terminal; elsewhere, and with --json, write each change."""
    import sys

    from ..views.sessions import render_live

    if json or not sys.stdout.isatty():
        last: list[dict[str, object]] | None = None
        while True:
            found = _look(project, agent, stored=False)
            values = [session.value() for session in found]
            if values != last:
                last = values
                if json:
                    terminal.answer_json(values)
                else:
                    _show_live(found)
            time.sleep(WATCH_S)
    from rich.console import Group
    from rich.live import Live
    from rich.text import Text

    with Live(console=terminal.console_for(sys.stdout), auto_refresh=False, transient=False) as live:
        while True:
            found = _look(project, agent, stored=False)
            table = render_live(found, current_time()) if found else Text("No session runs now.")
            said = _live_summary(found) if found else ""
            live.update(Group(table, Text(""), Text(said), Text("Ctrl-C ends.", style="dim")), refresh=True)
            time.sleep(WATCH_S)
