"""What `brainproj preview` does: resolve, refresh in the foreground, ask the hook's own function, show it."""

import sqlite3
from pathlib import Path

from ..brains import find_brain
from ..brainwork import BrainWork
from ..config import Scope, scope_in_force
from ..errors import Ambiguous, FolderGone, NotFound, UsageProblem
from ..foreign.channels import injects_feed
from ..identity import Resolver
from ..paths import Paths
from ..places import environment_of
from ..preview import Asked, Moment, preview
from ..recall import read_recall_settings
from ..refresh import Refresh
from ..store import publish
from ..store.reading import find_sessions
from ..store.seen import SeenSession, list_seen
from ..views import terminal
from ..views.blocks import render_given, render_reasons, render_summary
from ..views.progress import waiting
from .asking import is_persons
from .reading import read_first
from .surroundings import (
    find_surroundings,
    folder_argument,
    open_for_reading,
    resolver_for,
)


def show_preview(
    *, cwd: str | None, session: str | None, project: str | None, scope: str | None, at: str | None, json: bool
) -> None:
    """Show what a session gets. Raises UsageProblem, NotFound, Ambiguous, FolderGone."""
    if session and (cwd or project):
        raise UsageProblem("a session says itself where it is", hint="leave out --cwd and --project")
    flag = _scope(scope)
    around = find_surroundings()
    db = open_for_reading(around.paths)
    resolver = resolver_for(around, db)
    ready = _open_ready(around.paths, resolver)
    running = _seen_session(ready, session) if session else None
    moment = _moment(at or ("prompt" if running and running.told_at is not None else "start"))
    folder = (running.cwd if running else None) or (_session_folder(db, session) if session else folder_argument(cwd))
    read_first(around, db, resolver, folder)
    environment = environment_of(running.named, running.swarm) if running else around.environment
    resolution = resolver.resolve(folder, environment, explicit=project)
    identity = resolution.identity
    known = resolver.catalogue.by_key(
        running.project if running and running.project else identity.key if identity else ""
    )
    setting = scope_in_force(around.config, around.environment, (known.key, *known.aliases) if known else (), flag)
    recall = read_recall_settings(around.config, around.environment)
    for problem in (*setting.problems, *recall.problems):
        terminal.warn(problem)
    effective = Scope(running.scope) if running and running.scope and not flag else setting.effective
    refresh = Refresh(around.paths, around.config, db, ready, resolver, recall, around.now)
    swarm = (running.swarm or "") if running else around.environment.get("AGENTIHOOKS_SWARM", "")
    named = find_brain(around.config, around.environment)
    if named.problem:
        terminal.warn(named.problem)
    if named.brain and around.config.brain.url and named.brain.url != find_brain(around.config, {}).url:
        terminal.note("BRAIN_URL names another brain than config.toml; sessions are given what the latter told")
    brain = BrainWork(named, refresh, around.environment, is_persons=is_persons(around), waiting=waiting)
    found = preview(refresh, Asked(resolution, known, effective, moment, running, swarm), brain)
    for source in found.sources:
        if source.why:
            terminal.warn(source.sentence)
    if injects_feed(around.paths):
        terminal.note("agentihooks publishes its brain's feed itself; strict does not hold for what it injects")
    if recall != read_recall_settings(around.config, {}):
        refresh_settings = read_recall_settings(around.config, {})
        Refresh(around.paths, around.config, db, ready, resolver, refresh_settings, around.now).again(known)
        terminal.note("BRAIN_ settings of this shell count for this preview only; hooks read [brain] in config.toml")
    if json:
        terminal.answer_json(found.value())
    else:
        terminal.aside(render_summary(found, str(around.paths.user_home)))
        if found.context:
            terminal.aside("")
            terminal.answer(found.context)
        for table in (render_given(found, around.now), render_reasons(found)):
            if table is not None:
                terminal.aside("")
                terminal.aside(table)
    if identity is None and not session and not Path(folder).is_dir():
        raise FolderGone(f"{folder} does not exist", detail="It was never seen before, so it has no project.")


def _open_ready(paths: Paths, resolver: Resolver) -> sqlite3.Connection:
    """ready.db, or an empty one in memory where that is locked, damaged or cannot be written."""
    ready = resolver.places.open() if resolver.places else None
    if ready is not None:
        try:
            ready.execute("BEGIN IMMEDIATE")
            ready.execute("UPDATE meta SET value = value")  # a read-only file refuses no sooner
            list_seen(ready)
            ready.execute("ROLLBACK")
        except sqlite3.OperationalError:
            terminal.note("ready.db cannot be written just now; this is what it would hold")
        except sqlite3.DatabaseError:
            publish.discard(paths.ready_db)
        else:
            return ready
    return publish.open_in_memory()


def _seen_session(ready: sqlite3.Connection, beginning: str) -> SeenSession | None:
    """The session whose id begins so, if hooks saw one; the store is asked otherwise. Raises Ambiguous."""
    found = [one for one in list_seen(ready) if one.session_id.startswith(beginning) and not one.agent_id]
    exact = [one for one in found if one.session_id == beginning]
    if len(found) > 1 and not exact:
        raise Ambiguous(f"more than one session begins with {beginning}", hint=f"one of them is {found[0].session_id}")
    return next(iter(exact or found), None)


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
